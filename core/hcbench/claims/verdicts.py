"""Verdicts: whether a claim of a paper agrees with what was measured.

A claim is about a mean over repetitions of a metric, or of a difference of two quantities paired by
repetition; or about the rate at which a mean grows (see `Claim`). What a claim accepts is a set of
numbers, fixed before the measurement:

- "=": those that differ from the printed number by at most its rounding and the tolerance;
- "<=", ">=": those on that side, the number included, extended by the tolerance;
- "<", ">", and "better": those beyond the number.

The measurement is a confidence interval at 95 % (see `hcbench.analysis.intervals`), which holds
however often repetitions are added: random values are judged at certain numbers of repetitions, and
the intervals of all of these hold together (see `hcbench.claims.looks`). Relations other than "="
are one-sided, and so is their interval: it has one end. The claim is *reproduced* if it
accepts the whole interval, it *differs* if it accepts no number of it, and it is *undecided*
otherwise: there are too few repetitions. So a large error of the mean never helps a claim. Where
the paper prints a standard error and the measured values vary, the interval includes both errors.
The paper's number may then be anywhere within its own error, so that it cannot be reproduced: a
claim that agrees is *not significantly different*, and undecided if the measured interval alone is
more than twice as wide as the paper's.
Values that use no random numbers are compared as they are, those of a single repetition, too. Of
random values a single one decides nothing, and equal ones do not prove that they never vary. Claims
about every repetition are compared repetition by repetition.

An *erratum* is confirmed if the measurement differs from the printed claim and reproduces the
corrected one; it is refuted if the printed claim is reproduced or the corrected one differs, and
undecided if both are reproduced, as their values are close. A
claim on *other data* than the paper's is compared, but neither reproduced nor refuted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from hcbench.analysis.intervals import (
    CONFIDENCE,
    ROUNDING_ERROR,
    Estimate,
    Limits,
    note_on_equal_values,
)
from hcbench.claims.looks import LEAST, next_looks
from hcbench.claims.measuring import (
    RANDOM_LAWS,
    Measured,
    NotMeasuredError,
    claimed_metric,
    measure,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hcbench.analysis.comparison import Comparison
    from hcbench.plan.presentation import MetricInfo
    from hcbench.registry.metric_specs import MetricSpec
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
#: How relations are written in tables; equality needs no sign.
_SIGNS = {"=": "", "<=": "≤ ", ">=": "≥ ", "<": "< ", ">": "> "}


#: How a verdict was found: by the interval of random values, by the equality of values that use no
#: random numbers, by comparing each repetition; "" if nothing was measured.
Basis: TypeAlias = Literal["interval", "equality", "every repetition", ""]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The verdict on a claim.

    Attributes
    ----------
    claim : Claim
    verdict : str
        One of `WORDS`.
    measured : float or None
        The mean, the mean difference of a comparison, or the slope.
    standard_error : float or None
    low, high : float or None
        The confidence interval that decides. That of a one-sided claim has one end, and the other
        is None; both are None for claims about every repetition, and without an interval.
    corrected : float or None
        For an erratum, what was measured for the corrected claim.
    notes : tuple of str
    basis : {"interval", "equality", "every repetition", ""}
        How it was found. Only verdicts by an interval can be false by chance.
    intervals : int
        Number of intervals by which it was found; 2 for an erratum of which the corrected claim is
        about another quantity, or has another error.
    repetitions : int or None
        Number of repetitions that are judged, which may be less than the number of those stored.
    level : float or None
        The level of the interval: the intervals of all looks hold together at 95 %.
    """

    claim: Claim
    verdict: Word
    measured: float | None = None
    standard_error: float | None = None
    low: float | None = None
    high: float | None = None
    corrected: float | None = None
    notes: tuple[str, ...] = ()
    basis: Basis = ""
    intervals: int = 0
    repetitions: int | None = None
    level: float | None = None

    @property
    def note(self) -> str:
        """All notes in one line."""
        return "; ".join(self.notes)


def judge_claim(claim: Claim, results: Comparison) -> Verdict:
    """Compare a claim with what was measured."""
    if claim.erratum:
        return _judge_erratum(claim, results)
    verdict = _judge(claim, results)
    if claim.other_data and verdict.measured is not None:
        notes = (f"{claim.other_data}; on them the value {_AS_A_VERB[verdict.verdict]}",)
        return replace(verdict, verdict="other data", notes=notes + verdict.notes)
    if verdict.verdict == "differs" and (claim.explanation or results.suite.paper):
        reason = claim.explanation or "open: no reason is known"
        return replace(verdict, notes=(reason,) + verdict.notes)
    return verdict


#: How a verdict is put in a sentence about the value.
_AS_A_VERB = {
    "reproduced": "agrees",
    "not significantly different": "is not significantly different",
    "differs": "differs",
    "undecided": "is undecided",
}


# By the verdicts on the printed and on the corrected claim. Where both are reproduced, as their
# values are close, nothing is decided. A printed claim that is not significantly different may be
# wrong, so that it refutes nothing, unless the corrected one differs.
_ERRATA: dict[tuple[Word, Word], Word] = {
    ("differs", "reproduced"): "erratum confirmed",
    ("differs", "not significantly different"): "erratum confirmed",
    ("reproduced", "differs"): "erratum refuted",
    ("not significantly different", "differs"): "erratum refuted",
    ("reproduced", "undecided"): "erratum refuted",
    ("undecided", "differs"): "erratum refuted",
    ("differs", "differs"): "erratum refuted",
}


#: Verdicts that a failed repetition might have changed.
_AGREEING: set[Word] = {"reproduced", "not significantly different"}


def _judge_erratum(claim: Claim, results: Comparison) -> Verdict:
    """Whether the printed value is excluded and the corrected claim reproduced."""
    printed = _judge(claim.without_erratum, results)
    corrected = _judge(claim.as_corrected, results)
    word = printed.verdict
    if corrected.measured is None:
        word = corrected.verdict
    elif printed.measured is not None:
        word = _ERRATA.get((printed.verdict, corrected.verdict), "undecided")
    corrected_text = f"corrected, {_correction(claim)}"
    if corrected.measured is not None:
        corrected_text += f", measured {corrected.measured:.4g}"
    corrected_text += f": {corrected.verdict}"
    if corrected.verdict == "undecided":
        # The last note says why.
        corrected_text += f", {corrected.notes[-1]}"
    notes: tuple[str, ...] = (
        claim.erratum,
        f"the printed claim: {printed.verdict}",
        corrected_text,
    )
    if word == "erratum refuted":
        reason = claim.explanation or "open: no reason is known"
        notes = (reason,) + notes
    elif {printed.verdict, corrected.verdict} <= _AGREEING:
        notes += ("the two values are too close to be told apart",)
    return replace(
        printed,
        claim=claim,
        verdict=word,
        corrected=corrected.measured,
        notes=notes + printed.notes,
        intervals=_intervals_of(claim, printed, corrected),
    )


def _intervals_of(claim: Claim, printed: Verdict, corrected: Verdict) -> int:
    """The number of intervals that the verdict on an erratum depends on."""
    if claim.corrected.keys() == {"paper"}:
        # Two numbers are compared with one interval.
        return printed.intervals
    return printed.intervals + corrected.intervals


def _correction(claim: Claim) -> str:
    """The fields of the claim that the erratum changes, with their corrected values."""
    corrections = [f"{name} {value}" for name, value in claim.corrected.items()]
    return ", ".join(corrections)


def _judge(claim: Claim, results: Comparison) -> Verdict:
    """The verdict without regard to an erratum and to other data."""
    notes = []
    if claim.note:
        notes.append(claim.note)
    try:
        relation = _relation(claim, results)
        measured = measure(claim, results, notes)
    except NotMeasuredError as reason:
        reasons = (str(reason),)
        return Verdict(
            claim=claim,
            verdict="data not available" if reason.no_data else "not run",
            notes=reasons + tuple(notes),
        )
    word, limits = _verdict_on(claim, relation, measured, notes, results.suite.first_look)
    # A failed repetition might have disagreed.
    if not measured.complete and word in _AGREEING:
        word = "undecided"
    basis = _basis(claim, measured)
    level = None
    if basis == "interval" and measured.look is not None:
        level = measured.look.level
    return Verdict(
        claim=claim,
        verdict=word,
        measured=measured.estimate.mean,
        standard_error=measured.estimate.standard_error,
        low=_finite_or_none(limits.low),
        high=_finite_or_none(limits.high),
        notes=tuple(notes),
        basis=basis,
        intervals=int(basis == "interval"),
        repetitions=measured.estimate.n,
        level=level,
    )


def _verdict_on(
    claim: Claim, relation: str, measured: Measured, notes: list[str], planned: int
) -> tuple[Word, Limits]:
    """The verdict on a measured quantity, with the interval that decides it, and its notes."""
    if measured.estimate.mean is None:
        return "undecided", UNKNOWN
    if claim.every_repetition:
        if _all_agree(claim, relation, measured, notes):
            return "reproduced", UNKNOWN
        return "differs", UNKNOWN

    word, limits = _decide(claim, relation, measured)
    look = measured.look
    if look is not None and look.repetitions < measured.stored:
        notes.append(f"judged by the first {look.repetitions:,} of {measured.stored:,} repetitions")
    if word == "undecided":
        notes.append(_why_undecided(claim, relation, measured, limits, planned))
    elif _has_two_errors(claim, relation, measured.estimate):
        notes.append("the interval includes the error of the printed mean")
    return word, limits


def _finite_or_none(limit: float) -> float | None:
    """An end of an interval; None for the side of a one-sided interval that has no end."""
    if math.isfinite(limit):
        return limit
    return None


def _basis(claim: Claim, measured: Measured) -> Basis:
    """How the verdict on a claim is found."""
    if claim.every_repetition:
        return "every repetition"
    if measured.estimate.law == "deterministic":
        return "equality"
    if measured.estimate.law in RANDOM_LAWS:
        return "interval"
    return ""


def _decide(claim: Claim, relation: str, measured: Measured) -> tuple[Word, Limits]:
    """The verdict on a mean, and the interval that decides it.

    A one-sided claim is reproduced by the bound on its own side, such as the upper bound for "<=",
    and differs by that on the other side. Only one of the two can be an error.
    """
    estimate = measured.estimate
    if estimate.law in RANDOM_LAWS and measured.look is None:
        return "undecided", UNKNOWN
    # Values that are not random have no looks, and their interval is a point at any level.
    level = CONFIDENCE
    if measured.look is not None:
        level = measured.look.level
    if _has_two_errors(claim, relation, estimate):
        return _compare_means(claim, estimate, level)
    if relation == "=":
        limits = estimate.limits(level=level)
        accepted = _accepted_part(claim, relation, limits, measured.size)
        words: dict[str, Word] = {"all": "reproduced", "some": "undecided", "none": "differs"}
        return words[accepted], limits
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
    accepted = [_accepts(claim, relation, number, size) for number in numbers]
    if all(accepted):
        return "all"
    if any(accepted):
        return "some"
    return "none"


def _has_two_errors(claim: Claim, relation: str, estimate: Estimate) -> bool:
    """Whether the printed mean has an error, and the measured one, too."""
    return relation == "=" and claim.paper_error > 0 and estimate.law in ("normal", "share")


def _compare_means(claim: Claim, estimate: Estimate, level: float) -> tuple[Word, Limits]:
    """Two means that both have an error: the printed one and the measured one."""
    assert estimate.mean is not None
    margin = estimate.limits(level=level).high - estimate.mean
    printed_margin = NormalDist().inv_cdf((1 + level) / 2) * claim.paper_error
    both = math.hypot(margin, printed_margin)
    limits = Limits(estimate.mean - both, estimate.mean + both)
    tolerance = claim.rounding + claim.within
    if abs(estimate.mean - float(claim.paper)) > tolerance + both:
        return "differs", limits
    is_precise = margin <= 2 * printed_margin + tolerance
    if is_precise:
        return "not significantly different", limits
    return "undecided", limits


def _why_undecided(
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
        error = (estimate.standard_error or 0.0) * math.sqrt(estimate.n / look.repetitions)
        # More repetitions do not change the residuals of a slope, whose freedom is in the sizes.
        freedom = look.repetitions - 1
        if claim.exponent:
            freedom = estimate.freedom
        larger = replace(estimate, n=look.repetitions, standard_error=error, freedom=freedom)
        word, _ = _decide(claim, relation, replace(measured, estimate=larger, look=look))
        if word != "undecided":
            return f"about {look.repetitions} repetitions decide if mean and spread stay"
    return "more repetitions decide nothing if mean and spread stay"


def _accepts(claim: Claim, relation: str, number: float, size: float) -> bool:
    """Whether a claim accepts a number, apart from rounding errors of a relative size of 1e-9."""
    low, high = accepted_values(claim, relation)
    scale = abs(float(claim.paper or 0.0))
    if math.isfinite(size):
        scale = max(scale, size)
    slack = ROUNDING_ERROR * scale
    match relation:
        case ">":
            return number > low + slack
        case "<":
            return number < high - slack
        case _:
            return low - slack <= number <= high + slack


def accepted_values(claim: Claim, relation: str) -> tuple[float, float]:
    """The least and the greatest number that a claim accepts, apart from errors of measurement.

    Parameters
    ----------
    claim : Claim
    relation : {"=", "<=", ">=", "<", ">"}
        That of the claim; "better" is "<" or ">", as the direction of its metric says.
    """
    paper = float(claim.paper or 0.0)
    tolerance = claim.within
    if relation == "=":
        # The printed number stands for all that are rounded to it.
        tolerance += claim.rounding
    low = paper - tolerance
    if relation.startswith("<"):
        low = -math.inf
    high = paper + tolerance
    if relation.startswith(">"):
        high = math.inf
    return low, high


def describe_claimed(claim: Claim) -> str:
    """The claim, short enough for a column of a table."""
    rival = _describe_rival(claim)
    sign = _SIGNS[claim.relation or "="]
    if claim.exponent:
        text = f"{sign}{claim.paper}, rate of {claim.exponent}"
    elif claim.paper:
        text = f"{sign}{claim.paper}"
        if rival:
            text += f" above {rival}"
    elif claim.relation or claim.within:
        text = f"{sign or '= '}{rival}"
    else:
        text = f"better than {rival}"
    if claim.within:
        text += f" within {claim.within:g}"
    if claim.every_repetition:
        text += " in every repetition"
    return text


def _describe_rival(claim: Claim) -> str:
    """What a claim compares with; "" if it compares with nothing."""
    names = list(filter(None, (claim.better_than, claim.than_metric)))
    conditions = []
    if claim.than_dataset:
        conditions.append(f"on {claim.than_dataset}")
    if claim.than_oracle:
        conditions.append(f"through {claim.than_oracle}")
    if claim.than_checkpoint is not None:
        conditions.append(f"after {claim.than_checkpoint} queries")
    if conditions and not names:
        # The same algorithm and metric under other conditions.
        names = ["itself"]
    return " ".join(names + conditions)


def describe_measured(verdict: Verdict) -> str:
    """What was measured, with its interval where it has a width; "" if nothing was."""
    if verdict.measured is None:
        return ""
    text = f"{verdict.measured:.4g}"
    if verdict.low == verdict.high:
        return text
    if verdict.low is None:
        return f"{text} (at most {verdict.high:.4g})"
    if verdict.high is None:
        return f"{text} (at least {verdict.low:.4g})"
    return f"{text} ({verdict.low:.4g} to {verdict.high:.4g})"


def _relation(claim: Claim, results: Comparison) -> str:
    """The relation of the claim; that of "better" follows from the direction of the metric."""
    if claim.relation or claim.paper or claim.within:
        return relation_of(claim, ())
    metrics = [claimed_metric(results, claim.metric)]
    if claim.than_metric:
        metrics.append(claimed_metric(results, claim.than_metric))
    return relation_of(claim, metrics)


def relation_of(claim: Claim, metrics: Iterable[MetricInfo | MetricSpec]) -> str:
    """The relation of a claim; that of "better" follows from the direction of its metrics.

    Raises
    ------
    NotMeasuredError
        If the direction is not clear.
    """
    if claim.relation:
        return claim.relation
    if claim.paper or claim.within:
        return "="
    directions = {metric.direction for metric in metrics}
    if "none" in directions:
        raise NotMeasuredError(
            f"{claim.metric} has no better direction: the claim needs a relation"
        )
    if len(directions) > 1:
        raise NotMeasuredError(
            f"{claim.metric} and {claim.than_metric} have opposite directions: the claim needs a "
            "relation"
        )
    if directions == {"higher"}:
        return ">"
    return "<"


def _all_agree(claim: Claim, relation: str, measured: Measured, notes: list[str]) -> bool:
    """Whether all repetitions agree; otherwise how many do not, and the worst, as a note."""
    paper = float(claim.paper or 0.0)
    violations = 0
    # The first of the repetitions that are farthest from the printed number.
    worst = 0
    greatest_distance = 0.0
    for repetition, number in measured.numbers.items():
        if _accepts(claim, relation, number, measured.size):
            continue
        violations += 1
        distance = abs(number - paper)
        if violations == 1 or distance > greatest_distance:
            worst = repetition
            greatest_distance = distance
    if violations == 0:
        return True
    notes.append(
        f"violated in {violations} of {len(measured.numbers)} repetitions, the worst "
        f"{measured.numbers[worst]:.4g} in repetition {worst}"
    )
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class FalseVerdicts:
    """How many verdicts can be expected to be false by chance.

    An interval misses the true mean with a probability of at most 5 %, at all numbers of
    repetitions together. Only then can its verdict be false: a true claim differs, or a false one
    is reproduced. The expected number of false verdicts is therefore at most 5 % of the number of
    intervals, however the claims depend on each other, and also if none of them is true. It is less
    if the means are far from the ends of what the claims accept, and if fewer looks are taken.
    Verdicts by equality, and on every repetition, use no interval.

    Attributes
    ----------
    claims : int
        Number of claims.
    by_interval : int
        Number of claims judged by intervals.
    expected : float
        The greatest expected number of false verdicts among these.
    """

    claims: int
    by_interval: int
    expected: float

    @property
    def text(self) -> str:
        """One sentence; "" if no verdict can be false by chance."""
        if not self.by_interval:
            return ""
        share = 100 * (1 - CONFIDENCE)
        return (
            f"{self.by_interval:,} of {self.claims:,} claims are judged by intervals: on average "
            f"at most {share:.2g} % of them, {self.expected:.3g}, have a false verdict by chance "
            "(a true claim differs, or a false one is reproduced), also if repetitions are added "
            "until all are decided"
        )


def expect_false_verdicts(verdicts: Iterable[Verdict]) -> FalseVerdicts:
    """How many verdicts are expected to be false by chance, at most.

    Claims on other data than the paper's are neither reproduced nor refuted, and do not count.
    """
    claims = 0
    by_interval = 0
    intervals = 0
    for verdict in verdicts:
        claims += 1
        if verdict.intervals and verdict.verdict != "other data":
            by_interval += 1
            intervals += verdict.intervals
    return FalseVerdicts(
        claims=claims, by_interval=by_interval, expected=(1 - CONFIDENCE) * intervals
    )
