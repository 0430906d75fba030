"""Wilcoxon's signed-rank test of two competitors, and Holm's correction for many tests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

import numpy as np

from hcbench.analysis.block_ranks import (
    Direction,
    Failed,
    block_numbers,
    rank_blocks,
    rows_of_blocks,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

#: With more differences the normal approximation is used.
MOST_EXACT = 100
# Differences that agree to this many digits are ties.
_DIGITS = 12


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
    first: ArrayLike,
    second: ArrayLike,
    direction: Direction,
    *,
    failed: Failed = "worst",
    blocks: Sequence[str] | None = None,
) -> SignedRankTest:
    """Wilcoxon's signed-rank test [1]_ of two competitors over the same blocks.

    Blocks without a difference are excluded, as in Wilcoxon's paper. Ties share their mean rank. p
    is exact for up to `MOST_EXACT` differences, also with ties.

    Parameters
    ----------
    first, second : (n_rows,) float
        NaN for a failure.
    direction : {"higher", "lower"}
        Which numbers are better.
    failed : {"worst", "drop"}
        A failure is worse than any number, by a difference larger than all others, and two
        failures are equal; or rows with a failure are excluded.
    blocks : sequence of n_rows str, optional
        The block of each row; by default each is its own. The difference in a block is the mean
        over its rows. The one that failed in more of them is worse by more than all others; if
        both failed in equally many, the other rows count.

    References
    ----------
    .. [1] F. Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1 (1945).

    Examples
    --------
    >>> test = signed_rank_test([9, 8, 7, 6, 5], [8, 6, 4, 2, 0], "higher")
    >>> test.better, test.p, test.method
    (5, 0.0625, 'exact')
    """
    gains = _gains(first, second, direction, failed, blocks)
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

    # The ranks of the sizes of the differences; infinite ones, of failures, are the largest.
    (ranks,) = rank_blocks(np.abs(moved), "lower")
    positive = float(ranks[moved > 0].sum())
    statistic = min(positive, float(ranks.sum()) - positive)

    if moved.size <= MOST_EXACT:
        p = _exact_p(ranks, statistic)
        return replace(test, statistic=statistic, p=p, method="exact")
    # Not imported above, as it takes long.
    from scipy.stats import wilcoxon

    p = float(wilcoxon(np.copysign(ranks, moved), method="approx").pvalue)
    return replace(test, statistic=statistic, p=p, method="normal")


def _gains(
    first: ArrayLike,
    second: ArrayLike,
    direction: Direction,
    failed: Failed,
    blocks: Sequence[str] | None,
) -> NDArray[np.float64]:
    """By how much the first is better in each included block; infinite if one failed."""
    numbers = np.asarray(first, dtype=np.float64).ravel()
    rival_numbers = np.asarray(second, dtype=np.float64).ravel()
    has_failed = np.isnan(numbers)
    rival_has_failed = np.isnan(rival_numbers)

    # inf - inf is NaN, which is replaced by 0 below.
    with np.errstate(invalid="ignore"):
        gains = numbers - rival_numbers
    if direction == "lower":
        gains = -gains
    gains[numbers == rival_numbers] = 0.0
    gains[has_failed & ~rival_has_failed] = -np.inf
    gains[~has_failed & rival_has_failed] = np.inf
    gains[has_failed & rival_has_failed] = 0.0

    # Differences in the last digits are rounding errors, by the size of the numbers.
    is_finite = np.isfinite(gains)
    sizes = np.abs(np.concatenate([numbers[is_finite], rival_numbers[is_finite]]))
    scale = float(sizes[np.isfinite(sizes)].max(initial=0.0))
    if scale:
        gains[is_finite] = np.round(gains[is_finite] / scale, _DIGITS)

    included = np.ones(gains.size, dtype=np.bool_)
    if failed == "drop":
        included = ~(has_failed | rival_has_failed)
    gains = gains[included]
    if blocks is None:
        return gains

    means = []
    for rows in rows_of_blocks(block_numbers(blocks, included)):
        means.append(_mean_gain(gains[rows]))
    return np.round(means, _DIGITS)


def _mean_gain(gains: NDArray[np.float64]) -> float:
    """The mean over the rows of a block; infinite for the one that failed in fewer of them."""
    is_finite = np.isfinite(gains)
    wins = float(np.sign(gains[~is_finite]).sum())
    if wins:
        return math.copysign(math.inf, wins)
    if not is_finite.any():
        # Both failed equally often.
        return 0.0
    return float(gains[is_finite].mean())


def _exact_p(ranks: NDArray[np.float64], statistic: float) -> float:
    """The share of all signs of these ranks whose sum is at least as far from its mean."""
    # Ranks of ties are multiples of 1/2.
    doubled = np.sort(np.rint(2 * ranks).astype(np.int64))
    lower_tails = _lower_tails(tuple(doubled.tolist()))
    tail = float(lower_tails[round(2 * statistic)])
    # The distribution is symmetric. Both tails have its middle, if that is the statistic.
    return min(1.0, 2 * tail)


@lru_cache(maxsize=64)
def _lower_tails(ranks: tuple[int, ...]) -> NDArray[np.float64]:
    """The distribution function of the sum of positive ranks with random signs. O(n^3).

    Cached, as without ties it depends on the number of differences only.
    """
    chance = np.zeros(sum(ranks) + 1)
    chance[0] = 1.0
    for rank in ranks:
        # This rank is of a positive difference, or of a negative one, with chance 1/2 each.
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

    Examples
    --------
    >>> holm_adjusted([0.01, 0.04, 0.03]).round(2).tolist()
    [0.03, 0.06, 0.06]
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
