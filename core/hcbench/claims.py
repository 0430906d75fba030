"""Whether what a paper says is what is measured.

A number is *reproduced* if it differs by no more than the rounding of the printed one and two joint
standard errors; a statement that one algorithm beats another, if the mean paired difference over
shared repetitions is on the claimed side by more than two standard errors; of a single repetition
the side is all there is. Otherwise it *differs*, and so it does where a repetition failed: what is
left are means of other data. A claim with a known *erratum* says so; one whose cells could not run
has *data not available*.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from hcbench.errors import NameSyntaxError
from hcbench.names import format_value, parse_name
from hcbench.statistics import paired_difference, summarise

if TYPE_CHECKING:
    from hcbench.groups import Group
    from hcbench.results import Results
    from hcbench.specs import Params, Value
    from hcbench.suite import Claim

Word: TypeAlias = Literal["reproduced", "differs", "erratum", "data not available"]
ROUNDING_ERROR = 1e-9  # of the comparison itself: 0.86 - 0.855 is more than 0.005 in binary


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is left of a claim.

    Attributes
    ----------
    claim : Claim
    verdict : str
    measured : float or None
        The mean; for a statement in words, of ``algorithm - better_than``.
    standard_error : float or None
    note : str
    """

    claim: Claim
    verdict: Word
    measured: float | None = None
    standard_error: float | None = None
    note: str = ""


class _NotMeasuredError(Exception):
    """Nothing was measured, and why."""


def judge_claim(claim: Claim, results: Results) -> Verdict:
    """Compare a claim with what was measured."""
    notes = [claim.note] if claim.note else []
    try:
        measured, error, verdict = (
            _judge_number(claim, results, notes)
            if claim.paper
            else _judge_words(claim, results, notes)
        )
    except _NotMeasuredError as reason:
        measured, error, verdict = None, None, "data not available"
        notes.insert(0, str(reason))
    if claim.erratum:
        verdict = "erratum"
        notes.insert(0, claim.erratum)
    return Verdict(claim, verdict, measured, error, "; ".join(notes))


def _judge_number(
    claim: Claim, results: Results, notes: list[str]
) -> tuple[float | None, float | None, Word]:
    group = _find_group(claim, claim.algorithm, results)
    metric = _find_metric(claim, results)
    numbers = _numbers(group, metric, notes)
    whole = not group.failed(metric)
    found = summarise(list(numbers.values()))
    if found.mean is None:
        return None, None, "differs"
    if found.standard_error is None:
        notes.append("one repetition: the standard error is not known")
    joint = math.hypot(found.standard_error or 0.0, claim.paper_error)
    paper = float(claim.paper)
    allowed = claim.rounding + 2 * joint + ROUNDING_ERROR * abs(paper)
    close = abs(found.mean - paper) <= allowed
    return found.mean, found.standard_error, "reproduced" if close and whole else "differs"


def _judge_words(
    claim: Claim, results: Results, notes: list[str]
) -> tuple[float | None, float | None, Word]:
    metric = _find_metric(claim, results)
    groups = [_find_group(claim, name, results) for name in (claim.algorithm, claim.better_than)]
    first, second = (_numbers(group, metric, notes) for group in groups)
    whole = not any(group.failed(metric) for group in groups)
    shared = sorted(set(first) & set(second))
    found = paired_difference([first[r] for r in shared], [second[r] for r in shared])
    if found.mean is None:
        notes.append("no repetition has both values")
        return None, None, "differs"
    direction = next(m.direction for m in results.metrics if m.label == metric)
    ahead = found.mean if direction == "higher" else -found.mean
    notes.append(f"mean paired difference over {found.n} repetitions, {direction} is better")
    doubt = 2 * (found.standard_error or 0.0)
    if found.n == 1:
        notes.append("one repetition: the standard error is not known")
    elif abs(ahead) <= doubt:
        notes.append("within two standard errors of no difference")
    return found.mean, found.standard_error, "reproduced" if ahead > doubt and whole else "differs"


def _numbers(group: Group, metric: str, notes: list[str]) -> dict[int, float]:
    """The values by repetition; why some are missing goes to the notes."""
    values = group.values(metric)
    pairs = list(zip(group.outcomes, values, strict=True))
    numbers = {o.repetition: v.value for o, v in pairs if v.value is not None}
    lacking = Counter(v.reason for _, v in pairs if v.value is None)
    if not numbers and not group.failed(metric):
        raise _NotMeasuredError(next(iter(lacking), "not computed"))
    for reason, count in lacking.items():
        notes.append(f"{group.algorithm}: {count} of {len(pairs)} without a value: {reason}")
    return numbers


def _find_group(claim: Claim, algorithm: str, results: Results) -> Group:
    """The repetitions that an algorithm of a claim means.

    Raises
    ------
    _NotMeasuredError
        If there are none, or all were skipped, or it is not clear which are meant.
    """
    algorithms, datasets, oracles = (
        results.parameters.get(kind, {}) for kind in ("algorithms", "datasets", "oracles")
    )
    found = [
        group
        for group in results.groups
        if group.checkpoint is None
        and same_name(algorithm, group.algorithm, algorithms)
        and same_name(claim.dataset, group.dataset, datasets)
    ]
    if not found:
        raise _NotMeasuredError(f"{algorithm} was not run on {claim.dataset}")
    ran = [group for group in found if any(o.status != "skipped" for o in group.outcomes)]
    if not ran:
        raise _NotMeasuredError(found[0].outcomes[0].reason)
    asked = [g for g in ran if not claim.oracle or same_name(claim.oracle, g.oracle, oracles)]
    if not asked and algorithm == claim.better_than:
        asked = ran  # the oracle of a claim is that of its algorithm
    if not asked:
        raise _NotMeasuredError(f"{algorithm} was not run with oracle {claim.oracle}")
    if len(asked) > 1:
        which = " or ".join(f"{g.oracle}, budget {g.budget}" for g in asked)
        raise _NotMeasuredError(f"it is not clear which run is meant: {which}")
    return asked[0]


def _find_metric(claim: Claim, results: Results) -> str:
    known = results.parameters.get("metrics", {})
    for metric in results.metrics:
        if same_name(claim.metric, metric.label, known):
            return metric.label
    raise _NotMeasuredError(f"{claim.metric} was not computed")


def same_name(written: str, label: str, parameters: Mapping[str, Params]) -> bool:
    """Whether a name, as people write it, means what has this label.

    Case, quotes, the order of parameters and a distribution before the name do not matter, and a
    parameter may be written although it has its default value.

    Parameters
    ----------
    written, label : str
    parameters : mapping of label to parameters
        All of them, defaults included, where they are known.
    """
    if written == label:
        return True
    try:
        name, own = parse_name(written), parse_name(label)
    except NameSyntaxError:
        return False
    if name.base.casefold() != own.base.casefold():
        without_distribution = name.base.partition(":")[2]
        if without_distribution.casefold() != own.base.casefold():
            return False
    wanted, shown = _comparable(name.params), _comparable(own.params)
    everything = _comparable(parameters.get(label, {})) | shown
    return shown.items() <= wanted.items() <= everything.items()


def _comparable(params: Mapping[str, Value]) -> dict[str, str]:
    return {key: _value_text(value) for key, value in params.items()}


def _value_text(value: Value) -> str:
    if isinstance(value, tuple):
        return "[" + ",".join(_value_text(item) for item in value) + "]"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return repr(float(value))
    if isinstance(value, str) and "[" in value:
        try:
            nested = parse_name(value)
        except NameSyntaxError:
            return value.casefold()
        inner = sorted(_comparable(nested.params).items())
        return f"{nested.base}{inner}".casefold()
    return format_value(value).casefold()
