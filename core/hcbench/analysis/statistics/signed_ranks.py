"""Wilcoxon's signed-rank test of two competitors over the same blocks, and Holm's correction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

import numpy as np

from hcbench.analysis.statistics.rank_tests import Direction, Failed

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

MOST_EXACT = 100  # with more differences the normal approximation is used
_DIGITS = 12  # differences that agree to this many digits are ties


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedRankTest:
    """The result of a signed-rank test.

    Attributes
    ----------
    statistic : float or None
        The smaller of the rank sums of positive and negative differences; None if the test does
        not apply.
    p : float or None
        Two-sided.
    n_blocks : int
        Number of included blocks.
    n_different : int
        In how many of them the two differ.
    better : int
        In how many the first is better.
    method : {"exact", "normal", ""}
        How p is computed: by the distribution over all signs of the differences, given their ties,
        or its normal approximation.
    failed : {"worst", "drop"}
        The treatment of failures.
    reason : str
        Why there is no p value.
    """

    statistic: float | None = None
    p: float | None = None
    n_blocks: int = 0
    n_different: int = 0
    better: int = 0
    method: Literal["exact", "normal", ""] = ""
    failed: Failed = "worst"
    reason: str = ""


def signed_rank_test(
    first: ArrayLike, second: ArrayLike, direction: Direction, *, failed: Failed = "worst"
) -> SignedRankTest:
    """Wilcoxon's signed-rank test [1]_ of two competitors over the same blocks.

    Blocks without a difference are excluded, as in Wilcoxon's paper. Ties share their mean rank. p
    is exact for up to `MOST_EXACT` differences, also with ties.

    Parameters
    ----------
    first, second : (n_blocks,) float
        NaN for a failure.
    direction : {"higher", "lower"}
        Which numbers are better.
    failed : {"worst", "drop"}
        A failure is worse than any number, by a difference larger than all others, and two
        failures are equal; or blocks with a failure are excluded.

    References
    ----------
    .. [1] F. Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1 (1945).
    """
    gains = _gains(first, second, direction, failed)
    moved = gains[gains != 0]
    test = SignedRankTest(
        n_blocks=gains.size,
        n_different=moved.size,
        better=int((moved > 0).sum()),
        failed=failed,
    )
    if not gains.size:
        return replace(test, reason="there are no blocks")
    if not moved.size:
        return replace(test, statistic=0.0, p=1.0, method="exact")
    from scipy.stats import rankdata, wilcoxon

    ranks = rankdata(np.abs(moved))
    positive = float(ranks[moved > 0].sum())
    statistic = min(positive, float(ranks.sum()) - positive)
    if moved.size <= MOST_EXACT:
        return replace(test, statistic=statistic, p=_exact_p(ranks, statistic), method="exact")
    p = float(wilcoxon(np.copysign(ranks, moved), method="approx").pvalue)
    return replace(test, statistic=statistic, p=p, method="normal")


def _gains(
    first: ArrayLike, second: ArrayLike, direction: Direction, failed: Failed
) -> NDArray[np.float64]:
    """By how much the first is better in each included block; infinite if one failed."""
    one, other = (np.asarray(v, dtype=np.float64).ravel() for v in (first, second))
    lost, other_lost = np.isnan(one), np.isnan(other)
    with np.errstate(invalid="ignore"):
        gains = one - other if direction == "higher" else other - one
    gains[one == other] = 0.0  # infinite ones too
    gains[lost & ~other_lost] = -np.inf
    gains[~lost & other_lost] = np.inf
    gains[lost & other_lost] = 0.0
    finite = np.isfinite(gains)
    scale = max((float(np.abs(v[finite]).max()) for v in (one, other) if v[finite].size), default=1)
    if scale and np.isfinite(scale):
        gains[finite] = np.round(np.nan_to_num(gains[finite]) / scale, _DIGITS)
    return gains if failed == "worst" else gains[~(lost | other_lost)]


def _exact_p(ranks: NDArray[np.float64], statistic: float) -> float:
    """The share of all signs of these ranks whose sum is at least as far from its mean."""
    doubled = np.sort(np.rint(2 * ranks).astype(np.int64))  # integers, also with ties
    tail = _lower_tails(tuple(doubled.tolist()))[round(2 * statistic)]
    return min(1.0, 2 * float(tail))


@lru_cache(maxsize=64)
def _lower_tails(ranks: tuple[int, ...]) -> NDArray[np.float64]:
    """The distribution function of the sum of positive ranks with random signs. O(n^3).

    Cached, as without ties it depends on the number of differences only.
    """
    chance = np.zeros(sum(ranks) + 1)
    chance[0] = 1.0
    for rank in ranks:
        with_it = np.zeros_like(chance)
        with_it[rank:] = chance[: chance.size - rank]
        chance = (chance + with_it) / 2
    return chance.cumsum()


def holm_adjusted(p: Sequence[float]) -> NDArray[np.float64]:
    """The p values of many tests, adjusted for their number by Holm's step-down method [1]_.

    The i-th smallest of m is multiplied by m - i + 1, and the results are made monotone. Rejecting
    those below alpha controls the family-wise error rate at alpha.

    References
    ----------
    .. [1] S. Holm, "A simple sequentially rejective multiple test procedure", Scand. J. Statist. 6
       (1979).
    """
    values = np.asarray(p, dtype=np.float64)
    order = np.argsort(values)
    steps = np.maximum.accumulate(values[order] * np.arange(values.size, 0, -1))
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted


def least_blocks(n_tests: int, alpha: float = 0.05) -> int:
    """The smallest number of blocks with which a test can be significant after Holm's correction.

    The smallest p of n differences is 2^(1-n), if all have the same sign.
    """
    n = 1
    while n_tests * 2.0 ** (1 - n) > alpha:
        n += 1
    return n
