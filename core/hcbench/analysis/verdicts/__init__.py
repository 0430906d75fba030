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

`judging` compares, `measuring` takes what is compared from the results, and `meant` finds there
what the names of a claim mean.
"""

from hcbench.analysis.verdicts.judging import WORDS, Verdict, describe_claimed, judge_claim

__all__ = ["WORDS", "Verdict", "describe_claimed", "judge_claim"]
