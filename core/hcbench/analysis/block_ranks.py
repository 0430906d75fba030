"""Ranks of competitors in blocks, with Friedman's test and Nemenyi's critical difference.

Pure functions of numbers. A block, such as a data set, is common to all competitors. For statements
about data sets the caller must not use repetitions on one data set as blocks, which would be
pseudo-replication. Rows of a table that are not independent, such as data sets of one family, are
of one block, which counts once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from hcbench.model.arguments import probability

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

#: How failures count: they rank last, or what contains one is excluded.
Failed: TypeAlias = Literal["worst", "drop"]
#: Which numbers are better.
Direction: TypeAlias = Literal["higher", "lower"]
#: Of the Friedman test: all of them up to this number, otherwise so many random ones.
PERMUTATIONS = 10_000
# Numbers of permuted ranks that are in memory at the same time: 32 MiB.
_NUMBERS_IN_MEMORY = 1 << 22


@dataclass(frozen=True, slots=True, kw_only=True)
class FriedmanTest:
    """Friedman's test of the hypothesis that all competitors are equal.

    Attributes
    ----------
    statistic : float or None
        Friedman's chi square, corrected for ties; None if the test does not apply.
    p : float or None
        The p value; None if the test does not apply.
    f_statistic, f_p : float or None
        Iman and Davenport's F, which is less conservative, and its p by the F distribution; None
        if all blocks agree fully, where F is infinite.
    degrees : int
        Degrees of freedom of chi square.
    n_blocks, n_competitors : int
    method : {"chi-square", "exact", "permutations", ""}
        How p is computed: by the asymptotic distribution, all permutations within blocks, or
        `PERMUTATIONS` random permutations.
    failed : {"worst", "drop"}
        The treatment of failures, as for `rank_blocks`.
    reason : str
        Why there is no p value.
    """

    statistic: float | None = None
    p: float | None = None
    f_statistic: float | None = None
    f_p: float | None = None
    degrees: int = 0
    n_blocks: int = 0
    n_competitors: int = 0
    method: Literal["chi-square", "exact", "permutations", ""] = ""
    failed: Failed = "worst"
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CriticalDifference:
    """The smallest significant difference of two average ranks.

    Attributes
    ----------
    value : float or None
        None if there are fewer than two blocks or competitors.
    q : float or None
        Quantile of the studentized range, divided by the square root of 2.
    alpha : float
        Level of significance for all pairs together.
    n_blocks, n_competitors : int
    reason : str
        Why there is no value.
    """

    value: float | None = None
    q: float | None = None
    alpha: float = 0.05
    n_blocks: int = 0
    n_competitors: int = 0
    reason: str = ""


def rank_blocks(
    table: ArrayLike,
    direction: Direction,
    *,
    failed: Failed = "worst",
    blocks: Sequence[str] | None = None,
) -> NDArray[np.float64]:
    """Ranks of the competitors in each block; 1 is best, and ties share their mean rank.

    Parameters
    ----------
    table : (n_rows, n_competitors) float
        NaN for a failure.
    direction : {"higher", "lower"}
        Which numbers are better.
    failed : {"worst", "drop"}
        Failures share the worst ranks of their row, or rows with a failure are excluded. Rows in
        which all competitors failed are always excluded.
    blocks : sequence of n_rows str, optional
        The block of each row; by default each is its own. Competitors are ranked in each row, and
        these ranks are averaged over the rows of a block: so no row counts more because its
        numbers are larger.

    Returns
    -------
    (n_included, n_competitors) float
        A row for each block, in the order of their first rows.
    """
    scores = np.array(table, dtype=np.float64, ndmin=2)
    counts = included_rows(scores, failed)
    if not counts.any():
        return np.empty((0, scores.shape[1]))

    costs = scores[counts]
    if direction == "higher":
        costs = -costs

    ranks = np.empty(costs.shape)
    for row, of_row in enumerate(costs):
        # Failures are NaN: they sort last and tie, so that they share the worst ranks.
        ascending = np.sort(of_row)
        # Mid-ranks: the mean of the ranks n_better + 1 .. n_not_worse of those that tie.
        n_better = np.searchsorted(ascending, of_row, side="left")
        n_not_worse = np.searchsorted(ascending, of_row, side="right")
        ranks[row] = (n_better + n_not_worse + 1) / 2
    if blocks is None:
        return ranks

    mean_ranks = []
    for rows in rows_of_blocks(block_numbers(blocks, counts)):
        mean_ranks.append(ranks[rows].mean(axis=0))
    return np.stack(mean_ranks)


def included_rows(scores: NDArray[np.float64], failed: Failed) -> NDArray[np.bool_]:
    """Which rows count: not those in which all, or with "drop" any, competitors failed."""
    missing = np.isnan(scores)
    n_missing = np.count_nonzero(missing, axis=1)
    n_excluding = 1
    if failed == "worst":
        # A row counts as long as one competitor has a number.
        n_excluding = scores.shape[1]
    included: NDArray[np.bool_] = n_missing < n_excluding
    return included


def block_numbers(blocks: Sequence[str], included: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The block of each included row, numbered in the order of their first rows."""
    number_of_name: dict[str, int] = {}
    numbers = []
    for name, is_included in zip(blocks, included, strict=True):
        if is_included:
            numbers.append(number_of_name.setdefault(name, len(number_of_name)))
    return np.array(numbers, dtype=np.intp)


def rows_of_blocks(block_of_row: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """The places of the rows of each block."""
    n_blocks = int(block_of_row.max(initial=-1)) + 1
    return [np.flatnonzero(block_of_row == number) for number in range(n_blocks)]


def average_ranks(
    table: ArrayLike,
    direction: Direction,
    *,
    failed: Failed = "worst",
    blocks: Sequence[str] | None = None,
) -> tuple[NDArray[np.float64], int]:
    """Average rank of each competitor over blocks [1]_ [2]_, as for `rank_blocks`.

    Parameters
    ----------
    table, direction, failed, blocks
        As for `rank_blocks`.

    Returns
    -------
    ranks : (n_competitors,) float
        NaN if no block is included.
    n_blocks : int
        Number of included blocks.

    References
    ----------
    .. [1] M. Friedman, "The use of ranks to avoid the assumption of normality implicit in the
       analysis of variance", J. Amer. Statist. Assoc. 32 (1937).
    .. [2] J. Demšar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7
       (2006), section 3.2.2.
    """
    ranks = rank_blocks(table, direction, failed=failed, blocks=blocks)
    if not len(ranks):
        return np.full(ranks.shape[1], np.nan), 0
    return ranks.mean(axis=0), len(ranks)


def friedman_test(
    table: ArrayLike,
    direction: Direction,
    *,
    failed: Failed = "worst",
    blocks: Sequence[str] | None = None,
) -> FriedmanTest:
    """Friedman's test of differences between k competitors over N blocks [1]_.

    With r_ij the rank of competitor j in block i, or its mean over the rows of the block, the
    statistic is ``(k - 1) sum_j (sum_i r_ij - N (k + 1) / 2)^2 / sum_ij (r_ij - (k + 1) / 2)^2``:
    Friedman's, corrected for ties. The chi-square distribution is used if it is accurate, for
    N > 10 and k > 5 ([2]_, section 3.2.2). Otherwise the ranks are permuted within the blocks: in
    all ways if there are at most `PERMUTATIONS`, else that many times at random with a fixed seed.
    F is that of [3]_.

    Parameters
    ----------
    table, direction, failed, blocks
        As for `rank_blocks`.

    References
    ----------
    .. [1] M. Friedman, "The use of ranks to avoid the assumption of normality implicit in the
       analysis of variance", J. Amer. Statist. Assoc. 32 (1937).
    .. [2] J. Demšar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7
       (2006).
    .. [3] R. L. Iman, J. M. Davenport, "Approximations of the critical region of the Friedman
       statistic", Comm. Statist. A 9 (1980).
    """
    ranks = rank_blocks(table, direction, failed=failed, blocks=blocks)
    n, k = ranks.shape
    test = FriedmanTest(n_blocks=n, n_competitors=k, failed=failed, degrees=max(k - 1, 0))
    reason = _why_no_friedman(ranks)
    if reason:
        return replace(test, reason=reason)

    # Not imported above, as it takes long.
    from scipy.stats import chi2 as chi2_law, f

    # `scipy.stats.friedmanchisquare` would rank the mean ranks of a block once more.
    centred = ranks - (k + 1) / 2
    squared_sums = (centred.sum(axis=0) ** 2).sum()
    chi2 = float((k - 1) * squared_sums / (centred**2).sum())

    p = float(chi2_law.sf(chi2, k - 1))
    method: Literal["chi-square", "exact", "permutations"] = "chi-square"
    # Demšar (2006): the asymptotic distribution is accurate for N > 10 and k > 5.
    if n <= 10 or k <= 5:
        method = "permutations"
        if math.factorial(k) ** n <= PERMUTATIONS:
            # All permutations of all blocks are counted.
            method = "exact"
        p = _permuted_p(ranks)
    test = replace(test, statistic=chi2, p=p, method=method)

    # Iman and Davenport: F = (N - 1) chi2 / (N (k - 1) - chi2).
    rest = n * (k - 1) - chi2
    if rest <= 1e-9 * chi2:
        # All blocks agree fully, and F is infinite.
        return test
    iman = (n - 1) * chi2 / rest
    f_p = float(f.sf(iman, k - 1, (k - 1) * (n - 1)))
    return replace(test, f_statistic=iman, f_p=f_p)


def _why_no_friedman(ranks: NDArray[np.float64]) -> str:
    """Why Friedman's test does not apply; "" if it does."""
    n, k = ranks.shape
    if k < 3:
        return "it needs three or more competitors; two are compared by the signed-rank test"
    if n == 1:
        return "it needs two or more blocks; there is 1"
    if n == 0:
        return "it needs two or more blocks; there are 0"
    if (ranks == ranks[:, :1]).all():
        return "all are tied in every block"
    return ""


def _permuted_p(ranks: NDArray[np.float64]) -> float:
    """The share of permutations within blocks whose column sums are at least as far apart.

    All permutations if there are at most `PERMUTATIONS`; of random ones the observed ranks are one.
    Doubled ranks are integers, so that the comparison is exact; that of mean ranks of several rows
    is exact up to rounding, for which scipy allows.
    """
    # Not imported above, as it takes long.
    from scipy.stats import permutation_test

    test = permutation_test(
        list(2 * ranks),
        lambda *blocks, axis: (np.sum(blocks, axis=0) ** 2).sum(axis=axis),
        permutation_type="pairings",
        vectorized=True,
        n_resamples=PERMUTATIONS - 1,
        batch=max(1, _NUMBERS_IN_MEMORY // ranks.size),
        alternative="greater",
        rng=np.random.default_rng(0),
    )
    return float(test.pvalue)


def nemenyi_critical_difference(
    n_competitors: int, n_blocks: int, alpha: float = 0.05
) -> CriticalDifference:
    """The critical difference of average ranks in Nemenyi's test of all pairs.

    It is ``q * sqrt(k (k + 1) / (6 N))``, where q is the upper alpha quantile of the studentized
    range of k groups with infinite degrees of freedom, divided by the square root of 2 [1]_.

    References
    ----------
    .. [1] J. Demšar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7
       (2006), section 3.2.2 and table 5a.
    """
    alpha = probability(alpha, "alpha")
    k = n_competitors
    n = n_blocks
    if k < 2 or n < 2:
        few = f"{k} competitor{'s' * (k != 1)} in {n} block{'s' * (n != 1)}"
        reason = f"it needs two of each, got {few}"
        return CriticalDifference(alpha=alpha, n_blocks=n, n_competitors=k, reason=reason)

    # Not imported above, as it takes long.
    from scipy.stats import studentized_range

    # Of the range of all k ranks; a difference of two has sqrt(2) times the standard deviation.
    q = float(studentized_range.ppf(1 - alpha, k, np.inf)) / math.sqrt(2)
    value = q * math.sqrt(k * (k + 1) / (6 * n))
    return CriticalDifference(value=value, q=q, alpha=alpha, n_blocks=n, n_competitors=k)


def find_cliques(ranks: Sequence[float], different: ArrayLike) -> tuple[tuple[int, ...], ...]:
    """The groups of competitors that a bar joins in a critical-difference diagram.

    These are the maximal runs of two or more competitors, in the order of their ranks, in which no
    two differ significantly.

    Parameters
    ----------
    ranks : (k,) float
    different : (k, k) bool
        Symmetric; True for pairs that differ.

    Returns
    -------
    tuple of tuple of int
        Each in the order of ranks.
    """
    order = np.argsort(ranks, kind="stable")
    apart = np.asarray(different)[np.ix_(order, order)]
    cliques: list[tuple[int, ...]] = []
    # The end of the last clique: a run that ends there is a part of it, and not maximal.
    reached = 0
    for first in range(len(order)):
        last = first + 1
        while last < len(order) and not apart[first : last + 1, last].any():
            last += 1
        if last > reached and last - first > 1:
            cliques.append(tuple(order[first:last].tolist()))
        reached = max(reached, last)
    return tuple(cliques)
