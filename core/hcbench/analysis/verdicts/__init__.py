"""Verdicts: whether a claim of a paper agrees with what was measured.

A claim is about a mean over repetitions of a metric, or of a difference of two quantities paired by
repetition; or about the rate at which a mean grows (see `Claim`). It is *reproduced* if

- "=": it differs from the number by at most the rounding of the printed number, the tolerance of
  the claim, and two joint standard errors;
- "<=", ">=": it is on that side, or within the tolerance and two joint standard errors of it;
- "<", ">", and "better": it is on that side by more than two joint standard errors.

If a claim is tuned by a metric, each repetition uses the member of the grid that is best there by
this metric.

A single repetition has no standard error, and none is allowed for. Claims about every repetition
are compared without standard errors. Otherwise the claim *differs*, also if a repetition failed, as
the mean is then over other data. A claim with a known *erratum* has that verdict; a claim whose
cells could not run has *data not available*.

`judging` compares, `measuring` computes what is compared, and `meant` resolves the names of claims.
"""

from hcbench.analysis.verdicts.judging import WORDS, Verdict, describe_claimed, judge_claim

__all__ = ["WORDS", "Verdict", "describe_claimed", "judge_claim"]
