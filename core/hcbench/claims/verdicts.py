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
from typing import TYPE_CHECKING, Literal, TypeAlias

from hcbench.analysis.intervals import Limits
from hcbench.claims.decisions import UNKNOWN, Word, decide, has_two_errors, why_undecided
from hcbench.claims.measuring import (
    RANDOM_LAWS,
    Measured,
    measure,
)
from hcbench.claims.relations import accepts, relation_of
from hcbench.claims.sides import NotMeasuredError, claimed_metric

if TYPE_CHECKING:
    from hcbench.analysis.comparison import Comparison
    from hcbench.registry.suite import Claim

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

    Examples
    --------
    >>> claim = hcbench.Claim(
    ...     claim="UPGMA is better than chance",
    ...     algorithm="UPGMA",
    ...     dataset="iris",
    ...     metric="AARI",
    ...     paper="0",
    ...     relation=">",
    ... )
    >>> suite = hcbench.Suite(
    ...     name="chance",
    ...     algorithms=("UPGMA",),
    ...     datasets=("iris",),
    ...     metrics=("AARI",),
    ...     claims=(claim,),
    ...     repetitions=1,
    ... )
    >>> results = hcbench.run_suite(suite, progress=False)
    >>> verdict = results.judged_families[0].verdicts[0]
    >>> isinstance(verdict, Verdict), verdict.verdict, verdict.basis
    (True, 'reproduced', 'equality')
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
    # Without a measured value, "not run" says more than "other data".
    if claim.other_data and verdict.measured is not None:
        notes = (f"{claim.other_data}; on them the value {_AS_A_VERB[verdict.verdict]}",)
        return replace(verdict, verdict="other data", notes=notes + verdict.notes)
    # A suite of no paper has nothing to explain: its claims are expectations of its author.
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
    # If the printed claim was not measured, its verdict says why; likewise the corrected one.
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
    # The measured interval is so wide, or the two numbers so close, that neither is excluded.
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
    # Both raise the error for a metric that was not computed: its direction is unknown, too.
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
    # Verdicts by equality, and on every repetition, have no level.
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
        # One repetition that violates the claim refutes it: no interval is needed.
        if _all_agree(claim, relation, measured, notes):
            return "reproduced", UNKNOWN
        return "differs", UNKNOWN

    word, limits = decide(claim, relation, measured)
    # Verdicts are given at looks only; the repetitions after the last look are not judged yet.
    look = measured.look
    if look is not None and look.repetitions < measured.stored:
        notes.append(f"judged by the first {look.repetitions:,} of {measured.stored:,} repetitions")
    if word == "undecided":
        notes.append(why_undecided(claim, relation, measured, limits, planned))
    elif has_two_errors(claim, relation, measured.estimate):
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
    # There is no value, or one random value, which has no interval.
    return ""


def _relation(claim: Claim, results: Comparison) -> str:
    """The relation of the claim; that of "better" follows from the direction of the metric."""
    # The directions of the metrics matter to "better" only, and need not be looked up otherwise.
    if claim.relation or claim.paper or claim.within:
        return relation_of(claim, ())
    metrics = [claimed_metric(results, claim.metric)]
    if claim.than_metric:
        metrics.append(claimed_metric(results, claim.than_metric))
    return relation_of(claim, metrics)


def _all_agree(claim: Claim, relation: str, measured: Measured, notes: list[str]) -> bool:
    """Whether all repetitions agree; otherwise how many do not, and the worst, as a note."""
    # A difference without a printed number is compared with 0.
    paper = float(claim.paper or 0.0)
    violations = 0
    # The first of the repetitions that are farthest from the printed number.
    worst = 0
    greatest_distance = 0.0
    for repetition, number in measured.numbers.items():
        if accepts(claim, relation, number, measured.size):
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
