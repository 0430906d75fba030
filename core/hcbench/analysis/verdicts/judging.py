"""Comparison of claims with what was measured."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from hcbench.analysis.verdicts.meant import NotMeasuredError, find_metric
from hcbench.analysis.verdicts.measuring import Measured, measure

if TYPE_CHECKING:
    from hcbench.analysis.results import Results
    from hcbench.registry.claims import Claim

Word: TypeAlias = Literal["reproduced", "differs", "erratum", "data not available"]
WORDS: tuple[Word, ...] = ("reproduced", "differs", "erratum", "data not available")
ROUNDING_ERROR = 1e-9  # of the comparison itself: 0.86 - 0.855 is more than 0.005 in binary
_SIGNS = {"=": "", "<=": "≤ ", ">=": "≥ ", "<": "< ", ">": "> "}


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on a claim.

    Attributes
    ----------
    claim : Claim
    verdict : str
    measured : float or None
        The mean, the mean difference of a comparison, or the slope.
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


def judge_claim(claim: Claim, results: Results) -> Verdict:
    """Compare a claim with what was measured."""
    notes = [claim.note] if claim.note else []
    verdict: Word = "data not available"
    mean = standard_error = None
    try:
        relation = _relation(claim, results)
        measured = measure(claim, results, notes)
        mean, standard_error = measured.mean, measured.standard_error
        holds = mean is not None and _agrees(claim, relation, measured, notes)
        verdict = "reproduced" if holds and measured.whole else "differs"
    except NotMeasuredError as reason:
        notes.insert(0, str(reason))
    if claim.erratum:
        verdict = "erratum"
        notes.insert(0, claim.erratum)
    return Verdict(claim, verdict, mean, standard_error, tuple(notes))


def describe_claimed(claim: Claim) -> str:
    """The claim, short enough for a column of a table."""
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


def _relation(claim: Claim, results: Results) -> str:
    """The relation of the claim; that of "better" follows from the direction of the metric."""
    if claim.relation:
        return claim.relation
    if claim.paper or claim.within:
        return "="
    labels = [find_metric(name, results) for name in (claim.metric, claim.than_metric) if name]
    directions = {metric.direction for metric in results.metrics if metric.label in labels}
    if "none" in directions:
        raise NotMeasuredError(
            f"{claim.metric} has no better direction: the claim needs a relation"
        )
    if len(directions) > 1:
        raise NotMeasuredError(
            f"{claim.metric} and {claim.than_metric} have opposite directions: the claim needs a "
            "relation"
        )
    return ">" if directions == {"higher"} else "<"


def _agrees(claim: Claim, relation: str, measured: Measured, notes: list[str]) -> bool:
    """Whether what was measured has the claimed relation to the number."""
    paper = float(claim.paper or 0.0)
    rounding = claim.rounding if relation == "=" else 0.0
    size = (
        measured.size if math.isfinite(measured.size) else 0.0
    )  # no tolerance relative to infinity
    tolerance = rounding + claim.within + ROUNDING_ERROR * max(abs(paper), size)
    if claim.every_repetition:
        return _all_agree(relation, measured, paper, tolerance, notes)
    assert measured.mean is not None
    if measured.standard_error is None:
        notes.append("one repetition: the standard error is unknown")
    doubt = 2 * math.hypot(measured.standard_error or 0.0, claim.paper_error)
    excess = measured.mean - paper
    if relation in "<>" and measured.standard_error is not None and abs(excess) <= doubt:
        where = f"of {claim.paper}" if claim.paper else "of no difference"
        notes.append(f"within two standard errors {where}")
    return _holds(relation, excess, tolerance + doubt)


def _all_agree(
    relation: str, measured: Measured, paper: float, tolerance: float, notes: list[str]
) -> bool:
    """Whether all repetitions agree; otherwise how many do not, and the worst, as a note."""
    broken = {
        repetition: number
        for repetition, number in measured.numbers.items()
        if not _holds(relation, number - paper, tolerance)
    }
    if broken:
        worst = max(broken, key=lambda repetition: abs(broken[repetition] - paper))
        notes.append(
            f"violated in {len(broken)} of {len(measured.numbers)} repetitions, the worst "
            f"{broken[worst]:.4g} in repetition {worst}"
        )
    return not broken


def _holds(relation: str, excess: float, allowed: float) -> bool:
    """Whether a relation holds for a number that exceeds another by ``excess``."""
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
