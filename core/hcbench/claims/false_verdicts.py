"""How many verdicts on claims can be expected to be false by chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hcbench.analysis.intervals import CONFIDENCE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hcbench.claims.verdicts import Verdict


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
            # 2 for some errata: each of their intervals may miss its mean.
            intervals += verdict.intervals
    return FalseVerdicts(
        claims=claims, by_interval=by_interval, expected=(1 - CONFIDENCE) * intervals
    )
