"""Whether an interval decides a claim, and what is missing if it does not."""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from hcbench.analysis.intervals import CONFIDENCE, Estimate, Limits, note_on_equal_values
from hcbench.claims.looks import LEAST, next_looks
from hcbench.claims.measuring import RANDOM_LAWS, Measured
from hcbench.claims.relations import accepts

if TYPE_CHECKING:
    from hcbench.registry.suite import Claim

#: The verdicts, in the order in which they are counted.
Word: TypeAlias = Literal[
    "reproduced",
    "not significantly different",
    "differs",
    "undecided",
    "erratum confirmed",
    "erratum refuted",
    "other data",
    "not run",
    "data not available",
]
WORDS: tuple[Word, ...] = get_args(Word)
#: No interval at all.
UNKNOWN = Limits(-math.inf, math.inf)


def decide(claim: Claim, relation: str, measured: Measured) -> tuple[Word, Limits]:
    """The verdict on a mean, and the interval that decides it.

    A one-sided claim is reproduced by the bound on its own side, such as the upper bound for "<=",
    and differs by that on the other side. Only one of the two can be an error.
    """
    estimate = measured.estimate
    # Random values before the first look: an interval now would spend error that no look has.
    if estimate.law in RANDOM_LAWS and measured.look is None:
        return "undecided", UNKNOWN
    # Values that are not random have no looks, and their interval is a point at any level.
    level = CONFIDENCE
    if measured.look is not None:
        level = measured.look.level
    if has_two_errors(claim, relation, estimate):
        return _compare_means(claim, estimate, level)
    if relation == "=":
        limits = estimate.limits(level=level)
        accepted = _accepted_part(claim, relation, limits, measured.size)
        words: dict[str, Word] = {"all": "reproduced", "some": "undecided", "none": "differs"}
        return words[accepted], limits
    # From here on the claim is one-sided.
    upper = estimate.limits("upper", level)
    lower = estimate.limits("lower", level)
    if relation.startswith("<"):
        bound = upper
        opposite = lower
    else:
        bound = lower
        opposite = upper
    if _accepted_part(claim, relation, bound, measured.size) == "all":
        return "reproduced", bound
    if _accepted_part(claim, relation, opposite, measured.size) == "none":
        return "differs", opposite
    return "undecided", bound


def _accepted_part(
    claim: Claim, relation: str, limits: Limits, size: float
) -> Literal["all", "some", "none"]:
    """Whether the claim accepts all, some, or none of the numbers of an interval."""
    # The accepted numbers are an interval around the printed one, so the ends and the number that
    # is nearest to it decide.
    nearest = min(max(float(claim.paper or 0.0), limits.low), limits.high)
    numbers = (limits.low, limits.high, nearest)
    accepted = [accepts(claim, relation, number, size) for number in numbers]
    if all(accepted):
        return "all"
    if any(accepted):
        return "some"
    return "none"


def has_two_errors(claim: Claim, relation: str, estimate: Estimate) -> bool:
    """Whether the printed mean has an error, and the measured one, too."""
    return relation == "=" and claim.paper_error > 0 and estimate.law in ("normal", "share")


def _compare_means(claim: Claim, estimate: Estimate, level: float) -> tuple[Word, Limits]:
    """Two means that both have an error: the printed one and the measured one."""
    assert estimate.mean is not None
    # Half the width of each interval. The printed mean is normal with the error that is printed.
    margin = estimate.limits(level=level).high - estimate.mean
    printed_margin = NormalDist().inv_cdf((1 + level) / 2) * claim.paper_error
    # The two errors are independent, so their squares add up.
    both = math.hypot(margin, printed_margin)
    limits = Limits(estimate.mean - both, estimate.mean + both)
    tolerance = claim.rounding + claim.within
    if abs(estimate.mean - float(claim.paper)) > tolerance + both:
        return "differs", limits
    # An interval much wider than the paper's would agree with nearly everything.
    is_precise = margin <= 2 * printed_margin + tolerance
    if is_precise:
        return "not significantly different", limits
    return "undecided", limits


def why_undecided(
    claim: Claim, relation: str, measured: Measured, limits: Limits, planned: int
) -> str:
    """What is missing."""
    estimate = measured.estimate
    if estimate.law == "none":
        return "there is no finite mean"
    if estimate.law == "single":
        return "one repetition has no interval: its data, oracle or algorithm may be random"
    if measured.look is None:
        first = next(next_looks(planned, measured.stored, most=max(planned, LEAST)))
        return f"the first verdict is given at {first.repetitions} repetitions"
    if estimate.law == "equal":
        equal = note_on_equal_values(estimate.n, measured.look.level)
        # A metric without a bound on one side: equal values give no end there, however many.
        if limits.note:
            return f"{equal}; a claim about every repetition would be decided"
        few = f"{equal}, so the 95 % interval"
    elif claim.exponent:
        few = "too few sizes or repetitions: the 95 % interval"
    else:
        few = "too few repetitions: the 95 % interval"
    if relation.startswith(">"):
        text = f"begins at {limits.low:.4g}"
    elif relation.startswith("<"):
        text = f"ends at {limits.high:.4g}"
    else:
        text = f"is {limits.low:.4g} to {limits.high:.4g}"
    return f"{few} {text}; {_repetitions_that_decide(claim, relation, measured, planned)}"


def _repetitions_that_decide(claim: Claim, relation: str, measured: Measured, planned: int) -> str:
    """How many repetitions of the same mean and spread would decide an undecided claim.

    Verdicts are given at looks only, so the number is one of these.
    """
    estimate = measured.estimate
    for look in next_looks(planned, measured.stored, most=10_000 * measured.stored):
        # The error of a mean falls with the square root of the number of repetitions.
        error = (estimate.standard_error or 0.0) * math.sqrt(estimate.n / look.repetitions)
        # More repetitions do not change the residuals of a slope, whose freedom is in the sizes.
        freedom = look.repetitions - 1
        if claim.exponent:
            freedom = estimate.freedom
        larger = replace(estimate, n=look.repetitions, standard_error=error, freedom=freedom)
        word, _ = decide(claim, relation, replace(measured, estimate=larger, look=look))
        if word != "undecided":
            return f"about {look.repetitions} repetitions decide if mean and spread stay"
    return "more repetitions decide nothing if mean and spread stay"
