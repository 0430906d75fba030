"""Whether what a paper says is what is measured.

A claim is about a mean over repetitions: of a metric, of a difference of two quantities paired by
repetition, or about the rate at which a mean grows (see `Claim`). It is *reproduced* if

- "=": it differs from the number by no more than the rounding of the printed one, the tolerance of
  the claim and two joint standard errors;
- "<=", ">=": it is on that side, or within the tolerance and two joint standard errors of it;
- "<", ">", and "better": it is on that side by more than two joint standard errors.

Where a claim is tuned by a metric, each repetition has the value of the member of the grid that
this metric says is best there.

Of a single repetition the standard error is not known, and none is allowed for. What every
repetition must keep is compared without standard errors. Otherwise it *differs*, and so it does
where a repetition failed: what is left are means of other data. A claim with a known *erratum* says
so; one whose cells could not run has *data not available*.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Literal, TypeAlias

from hcbench.errors import NameSyntaxError
from hcbench.labels import same_name, split_parameter
from hcbench.names import format_name, parse_name
from hcbench.statistics import log_log_slope, paired_difference, summarise

if TYPE_CHECKING:
    from hcbench.claims import Claim
    from hcbench.groups import Group
    from hcbench.results import Results

Word: TypeAlias = Literal["reproduced", "differs", "erratum", "data not available"]
WORDS: tuple[Word, ...] = ("reproduced", "differs", "erratum", "data not available")
ROUNDING_ERROR = 1e-9  # of the comparison itself: 0.86 - 0.855 is more than 0.005 in binary
_SIGNS = {"=": "", "<=": "≤ ", ">=": "≥ ", "<": "< ", ">": "> "}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is left of a claim.

    Attributes
    ----------
    claim : Claim
    verdict : str
    measured : float or None
        The mean; of a comparison, the mean difference; or the slope.
    standard_error : float or None
    notes : tuple of str
    """

    claim: Claim
    verdict: Word
    measured: float | None = None
    standard_error: float | None = None
    notes: tuple[str, ...] = ()

    @property
    def note(self) -> str:
        """All notes in one line."""
        return "; ".join(self.notes)


@dataclass(frozen=True, slots=True)
class _Found:
    """What was measured.

    Attributes
    ----------
    mean, standard_error : float or None
    numbers : mapping of repetition to float
    size : float
        Of what was subtracted, to which rounding errors are relative.
    whole : bool
        Whether no repetition failed.
    """

    mean: float | None
    standard_error: float | None
    numbers: Mapping[int, float]
    size: float
    whole: bool


class _NotMeasuredError(Exception):
    """Nothing was measured, and why."""


def judge_claim(claim: Claim, results: Results) -> Verdict:
    """Compare a claim with what was measured."""
    notes = [claim.note] if claim.note else []
    verdict: Word = "data not available"
    mean = standard_error = None
    try:
        relation = _relation(claim, results)
        found = _measure(claim, results, notes)
        mean, standard_error = found.mean, found.standard_error
        kept = mean is not None and _keeps(claim, relation, found, notes)
        verdict = "reproduced" if kept and found.whole else "differs"
    except _NotMeasuredError as reason:
        notes.insert(0, str(reason))
    if claim.erratum:
        verdict = "erratum"
        notes.insert(0, claim.erratum)
    return Verdict(claim, verdict, mean, standard_error, tuple(notes))


def describe_claimed(claim: Claim) -> str:
    """What is claimed, as short as a column of a table."""
    beside = f"on {claim.than_dataset}" if claim.than_dataset else ""
    through = f"through {claim.than_oracle}" if claim.than_oracle else ""
    after = "" if claim.than_checkpoint is None else f"after {claim.than_checkpoint} queries"
    rival = " ".join(filter(None, (claim.better_than, claim.than_metric)))
    if not rival and (beside or through or after):
        rival = "itself"
    other = " ".join(filter(None, (rival, beside, through, after)))
    sign = _SIGNS[claim.relation or "="]
    if claim.exponent:
        text = f"{sign}{claim.paper}, rate of {claim.exponent}"
    elif claim.paper:
        text = f"{sign}{claim.paper}" + (f" above {other}" if other else "")
    elif claim.relation or claim.within:
        text = f"{sign or '= '}{other}"
    else:
        text = f"better than {other}"
    text += f" within {claim.within:g}" if claim.within else ""
    return text + (" in every repetition" if claim.every_repetition else "")


# ---- Comparing -----------------------------------------------------------------------------------


def _relation(claim: Claim, results: Results) -> str:
    """The relation that is meant; "better" is told by the direction of the metric."""
    if claim.relation:
        return claim.relation
    if claim.paper or claim.within:
        return "="
    labels = [_find_metric(name, results) for name in (claim.metric, claim.than_metric) if name]
    directions = {metric.direction for metric in results.metrics if metric.label in labels}
    if "none" in directions:
        raise _NotMeasuredError(
            f"{claim.metric} describes results and does not judge them: the claim needs a relation"
        )
    if len(directions) > 1:
        raise _NotMeasuredError(
            f"of {claim.metric} more is better and of {claim.than_metric} less, or the other way "
            "round: the claim needs a relation"
        )
    return ">" if directions == {"higher"} else "<"


def _keeps(claim: Claim, relation: str, found: _Found, notes: list[str]) -> bool:
    """Whether what was measured stands to the number as is claimed."""
    paper = float(claim.paper or 0.0)
    rounding = claim.rounding if relation == "=" else 0.0
    size = found.size if math.isfinite(found.size) else 0.0  # nothing is nearly infinite
    tolerance = rounding + claim.within + ROUNDING_ERROR * max(abs(paper), size)
    if claim.every_repetition:
        return _all_keep(relation, found, paper, tolerance, notes)
    assert found.mean is not None
    if found.standard_error is None:
        notes.append("one repetition: the standard error is not known")
    doubt = 2 * math.hypot(found.standard_error or 0.0, claim.paper_error)
    excess = found.mean - paper
    if relation in "<>" and found.standard_error is not None and abs(excess) <= doubt:
        where = f"of {claim.paper}" if claim.paper else "of no difference"
        notes.append(f"within two standard errors {where}")
    return _holds(relation, excess, tolerance + doubt)


def _all_keep(
    relation: str, found: _Found, paper: float, tolerance: float, notes: list[str]
) -> bool:
    """Whether all repetitions do; if not, how many, and the worst."""
    broken = {
        repetition: number
        for repetition, number in found.numbers.items()
        if not _holds(relation, number - paper, tolerance)
    }
    if broken:
        worst = max(broken, key=lambda repetition: abs(broken[repetition] - paper))
        notes.append(
            f"not so in {len(broken)} of {len(found.numbers)} repetitions, the worst "
            f"{broken[worst]:.4g} in repetition {worst}"
        )
    return not broken


def _holds(relation: str, excess: float, allowed: float) -> bool:
    """Whether a relation holds for a number that exceeds another by so much."""
    match relation:
        case "=":
            return abs(excess) <= allowed
        case "<=":
            return excess <= allowed
        case ">=":
            return -excess <= allowed
        case "<":
            return -excess > allowed
        case _:
            return excess > allowed


# ---- Measuring -----------------------------------------------------------------------------------


def _measure(claim: Claim, results: Results, notes: list[str]) -> _Found:
    if claim.exponent:
        return _measure_rate(claim, results, notes)
    if claim.compares:
        return _measure_difference(claim, results, notes)
    place = (claim.dataset, claim.oracle, claim.checkpoint)
    metric = _find_metric(claim.metric, results)
    numbers, whole = _by_repetition(claim, claim.algorithm, *place, metric, results, notes)
    found = summarise(list(numbers.values()))
    return _Found(found.mean, found.standard_error, numbers, abs(found.mean or 0.0), whole)


def _measure_difference(claim: Claim, results: Results, notes: list[str]) -> _Found:
    """The difference of two quantities, repetition by repetition."""
    metrics = [_find_metric(claim.metric, results)]
    metrics.append(_find_metric(claim.than_metric or claim.metric, results))
    than_checkpoint = claim.than_checkpoint
    if than_checkpoint is None:
        than_checkpoint = claim.checkpoint
    place = (claim.dataset, claim.oracle, claim.checkpoint)
    other_place = (
        claim.than_dataset or claim.dataset,
        claim.than_oracle or claim.oracle,
        than_checkpoint,
    )
    rival = claim.better_than or claim.algorithm
    first, is_whole = _by_repetition(claim, claim.algorithm, *place, metrics[0], results, notes)
    second, other_is_whole = _by_repetition(claim, rival, *other_place, metrics[1], results, notes)
    shared = sorted(set(first) & set(second))
    found = paired_difference([first[r] for r in shared], [second[r] for r in shared])
    if found.mean is None:
        notes.append("no repetition has both values")
    else:
        direction = next(m.direction for m in results.metrics if m.label == metrics[0])
        better = f", {direction} is better" if not (claim.relation or claim.within) else ""
        notes.append(f"mean paired difference over {found.n} repetitions{better}")
    return _Found(
        found.mean,
        found.standard_error,
        {r: first[r] - second[r] for r in shared},
        max((abs(number) for r in shared for number in (first[r], second[r])), default=0.0),
        is_whole and other_is_whole,
    )


def _measure_rate(claim: Claim, results: Results, notes: list[str]) -> _Found:
    """The slope of the logarithms, over the data sets that differ in one parameter alone."""
    metric = _find_metric(claim.metric, results)
    at = _datasets_along(claim, results)
    if len(at) < 2:
        raise _NotMeasuredError(
            f"a rate of {claim.exponent} needs data sets {claim.dataset} with two values of it at "
            f"least, above 0; there are {len(at)}"
        )
    place = (claim.oracle, claim.checkpoint)
    sides = [
        _by_repetition(claim, claim.algorithm, at[x], *place, metric, results, notes)
        for x in sorted(at)
    ]
    samples = [list(numbers.values()) for numbers, _ in sides]
    whole = all(is_whole for _, is_whole in sides)
    values = ", ".join(f"{x:g}" for x in sorted(at))
    slope, standard_error = log_log_slope(sorted(at), samples)
    if slope is None:
        notes.append(f"a mean is not above 0, and has no logarithm ({claim.exponent} = {values})")
    else:
        notes.append(f"slope of log(mean) against log({claim.exponent}) over {values}")
    return _Found(slope, standard_error, {}, abs(slope or 0.0), whole)


def _datasets_along(claim: Claim, results: Results) -> dict[float, str]:
    """The labels of the data sets that are the claim's but for a parameter, by its value."""
    known = results.parameters.get("datasets", {})
    wanted, _ = split_parameter(claim.dataset, claim.exponent, known)
    found = {}
    for label in results.datasets:
        rest, value = split_parameter(label, claim.exponent, known)
        others = {k: v for k, v in known.get(label, {}).items() if k != claim.exponent}
        if value is not None and value > 0 and same_name(wanted, rest, {rest: others}):
            found[value] = label
    return found


def _by_repetition(
    claim: Claim,
    algorithm: str,
    dataset: str,
    oracle: str,
    checkpoint: int | None,
    metric: str,
    results: Results,
    notes: list[str],
) -> tuple[dict[int, float], bool]:
    """The values of a metric, and whether none failed; of a grid those of the tuned members."""
    members = _members(algorithm) if claim.tuned_by else [algorithm]
    place = (dataset, oracle, checkpoint)
    groups = [_find_group(claim, member, *place, results) for member in members]
    numbers = [_numbers(group, metric, notes) for group in groups]
    if len(groups) == 1:
        return numbers[0], not groups[0].failed(metric)
    by = _find_metric(claim.tuned_by, results)
    chosen = _best_by(groups, by, results, notes)
    times = Counter(chosen.values())
    counts = ", ".join(f"{groups[k].algorithm} {times[k]} times" for k in sorted(times))
    notes.append(f"tuned by {by}: {counts}")
    whole = not any(group.failed(metric) or group.failed(by) for group in groups)
    return {r: numbers[k][r] for r, k in sorted(chosen.items()) if r in numbers[k]}, whole


def _best_by(
    groups: list[Group], metric: str, results: Results, notes: list[str]
) -> dict[int, int]:
    """By repetition the number of the group that is best by a metric; of equals the first."""
    direction = next(m.direction for m in results.metrics if m.label == metric)
    if direction == "none":
        raise _NotMeasuredError(f"nothing is tuned by {metric}: it describes and does not judge")
    sign = -1 if direction == "higher" else 1
    best: dict[int, tuple[float, int]] = {}
    for k, group in enumerate(groups):
        for repetition, number in _numbers(group, metric, notes).items():
            rival = (sign * number, k)
            best[repetition] = min(best.get(repetition, rival), rival)
    return {repetition: k for repetition, (_, k) in best.items()}


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


# ---- Finding what a claim means ------------------------------------------------------------------


def _find_group(
    claim: Claim,
    algorithm: str,
    dataset: str,
    oracle: str,
    checkpoint: int | None,
    results: Results,
) -> Group:
    """The repetitions that an algorithm and a data set of a claim mean.

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
        if same_name(algorithm, group.algorithm, algorithms)
        and same_name(dataset, group.dataset, datasets)
    ]
    if not found:
        raise _NotMeasuredError(f"{algorithm} was not run on {dataset}")
    found = [group for group in found if group.checkpoint == checkpoint]
    if not found:
        raise _NotMeasuredError(f"{algorithm} on {dataset} has no checkpoint {checkpoint}")
    ran = [group for group in found if any(o.status != "skipped" for o in group.outcomes)]
    if not ran:
        raise _NotMeasuredError(found[0].outcomes[0].reason)
    asked = [g for g in ran if not oracle or same_name(oracle, g.oracle, oracles)]
    is_rival = algorithm in (claim.better_than, *_members(claim.better_than))
    if not asked and is_rival and not claim.than_oracle:
        asked = ran  # the oracle of a claim is that of its algorithm
    if not asked:
        raise _NotMeasuredError(f"{algorithm} was not run with oracle {oracle}")
    if len(asked) > 1:
        which = " or ".join(f"{g.oracle}, budget {g.budget}" for g in asked)
        raise _NotMeasuredError(f"it is not clear which run is meant: {which}")
    return asked[0]


def _members(name: str) -> list[str]:
    """The algorithms that a name with lists as parameters means; one that has none is its own."""
    try:
        grid = parse_name(name)
    except NameSyntaxError:
        return [name]
    lists = {key: value for key, value in grid.params.items() if isinstance(value, tuple)}
    if not lists:
        return [name]
    # A list within a list is one value, and labels hold it so.
    values = [[(v,) if isinstance(v, tuple) else v for v in value] for value in lists.values()]
    return [
        format_name(grid.base, {**grid.params, **dict(zip(lists, chosen, strict=True))})
        for chosen in product(*values)
    ]


def _find_metric(name: str, results: Results) -> str:
    known = results.parameters.get("metrics", {})
    for metric in results.metrics:
        if same_name(name, metric.label, known):
            return metric.label
    raise _NotMeasuredError(f"{name} was not computed")
