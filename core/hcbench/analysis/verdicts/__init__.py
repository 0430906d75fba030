"""Verdicts: whether a claim of a paper agrees with what was measured.

A claim is about a mean over repetitions of a metric, or of a difference of two quantities paired by
repetition; or about the rate at which a mean grows (see `Claim`). What a claim accepts is a set of
numbers, fixed before the measurement:

- "=": those that differ from the printed number by at most its rounding and the tolerance;
- "<=", ">=": those on that side, the number included, extended by the tolerance;
- "<", ">", and "better": those beyond the number.

The measurement is a confidence interval at 95 %, with quantiles of Student's t distribution; of a
share, such as the share of trees that were found, the exact one of the binomial distribution.
Relations other than "=" are one-sided, so is their interval. The claim is *reproduced* if it
accepts the whole interval, it *differs* if it accepts no number of it, and it is *undecided*
otherwise: there are too few repetitions. So a large error of the mean never helps a claim. Where
the paper prints a standard error and the measured values vary, the interval is that of the
difference of the two means, and the claim is undecided if the measured interval is more than twice
as wide as the paper's. Repetitions with equal values have an interval without width. A single
repetition has none: its value is compared as it is, unless the data are random. Claims about every
repetition are compared repetition by repetition.

An *erratum* is confirmed if the measurement differs from the printed claim and reproduces the
corrected one; it is refuted if the printed claim is reproduced or the corrected one differs, and
undecided if both are reproduced, as their values are close. A
claim on *other data* than the paper's is compared, but neither reproduced nor refuted.

`judging` compares, `measuring` computes what is compared, and `names` resolves the names of claims.
"""

from hcbench.analysis.verdicts.judging import (
    WORDS,
    Verdict,
    accepted_values,
    describe_claimed,
    describe_measured,
    judge_claim,
)

__all__ = [
    "WORDS",
    "Verdict",
    "accepted_values",
    "describe_claimed",
    "describe_measured",
    "judge_claim",
]
