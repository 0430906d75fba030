"""Ranks over blocks: averages, and tests of their differences.

A block, such as a data set, is common to all competitors. For statements about data sets the caller
must not use repetitions on one data set as blocks, which would be pseudo-replication.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Failed: TypeAlias = Literal["worst", "drop"]
Direction: TypeAlias = Literal["higher", "lower"]
PERMUTATIONS = 10_000
_SHARE = 1 << 22  # numbers in memory at once


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
    table: ArrayLike, direction: Direction, *, failed: Failed = "worst"
) -> NDArray[np.float64]:
    """Ranks of the competitors in each block; 1 is best, and ties share their mean rank.

    Parameters
    ----------
    table : (n_blocks, n_competitors) float
        NaN for a failure.
    direction : {"higher", "lower"}
        Which numbers are better.
    failed : {"worst", "drop"}
        Failures share the worst ranks of their block, or blocks with a failure are excluded.
        Blocks in which all competitors failed are always excluded.

    Returns
    -------
    (n_included, n_competitors) float
    """
    scores = np.array(table, dtype=np.float64, ndmin=2)
    missing = np.isnan(scores)
    counts = ~missing.all(axis=1) if failed == "worst" else ~missing.any(axis=1)
    if not counts.any():
        return np.empty((0, scores.shape[1]))
    from scipy.stats import rankdata

    costs = np.where(missing, 0.0, -scores if direction == "higher" else scores)
    # Competitors in ascending order, with failures last.
    order = rankdata(costs[counts], axis=1)
    order[missing[counts]] = np.inf
    ranks: NDArray[np.float64] = rankdata(order, axis=1)
    return ranks


def average_ranks(
    table: ArrayLike, direction: Direction, *, failed: Failed = "worst"
) -> tuple[NDArray[np.float64], int]:
    """Average rank of each competitor over blocks [1]_ [2]_, as for `rank_blocks`.

    Parameters
    ----------
    table, direction, failed
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
    ranks = rank_blocks(table, direction, failed=failed)
    if not len(ranks):
        return np.full(ranks.shape[1], np.nan), 0
    return ranks.mean(axis=0), len(ranks)


def friedman_test(
    table: ArrayLike, direction: Direction, *, failed: Failed = "worst"
) -> FriedmanTest:
    """Friedman's test of differences between k competitors over N blocks [1]_.

    The chi-square distribution is used if it is accurate, for N > 10 and k > 5 ([2]_, section
    3.2.2). Otherwise the ranks are permuted within the blocks: in all ways if there are at most
    `PERMUTATIONS`, else that many times at random with a fixed seed. F is that of [3]_.

    Parameters
    ----------
    table, direction, failed
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
    ranks = rank_blocks(table, direction, failed=failed)
    n, k = ranks.shape
    test = FriedmanTest(n_blocks=n, n_competitors=k, failed=failed, degrees=max(k - 1, 0))
    reason = _why_no_friedman(ranks)
    if reason:
        return replace(test, reason=reason)
    from scipy.stats import f, friedmanchisquare

    chi2, p = map(float, friedmanchisquare(*ranks.T))
    method: Literal["chi-square", "exact", "permutations"] = "chi-square"
    if n <= 10 or k <= 5:
        method = "exact" if math.factorial(k) ** n <= PERMUTATIONS else "permutations"
        p = _permuted_p(ranks)
    test = replace(test, statistic=chi2, p=p, method=method)
    rest = n * (k - 1) - chi2
    if rest <= 1e-9 * chi2:
        return test
    iman = (n - 1) * chi2 / rest
    return replace(test, f_statistic=iman, f_p=float(f.sf(iman, k - 1, (k - 1) * (n - 1))))


def _why_no_friedman(ranks: NDArray[np.float64]) -> str:
    n, k = ranks.shape
    if k < 3:
        return "it needs three or more competitors; two are compared by the signed-rank test"
    if n < 2:
        return f"it needs two or more blocks; there {'is' if n == 1 else 'are'} {n}"
    return "all are tied in every block" if (ranks == ranks[:, :1]).all() else ""


def _permuted_p(ranks: NDArray[np.float64]) -> float:
    """The share of permutations within blocks whose column sums are at least as far apart.

    All permutations if there are at most `PERMUTATIONS`; of random ones the observed ranks are one.
    Doubled ranks are integers, so that the comparison is exact.
    """
    from scipy.stats import permutation_test

    test = permutation_test(
        list(np.rint(2 * ranks)),
        lambda *blocks, axis: (np.sum(blocks, axis=0) ** 2).sum(axis=axis),
        permutation_type="pairings",
        vectorized=True,
        n_resamples=PERMUTATIONS - 1,
        batch=max(1, _SHARE // ranks.size),
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
    k, n = n_competitors, n_blocks
    if k < 2 or n < 2:
        few = f"{k} competitor{'s' * (k != 1)} in {n} block{'s' * (n != 1)}"
        return CriticalDifference(
            alpha=alpha, n_blocks=n, n_competitors=k, reason=f"it needs two of each, got {few}"
        )
    from scipy.stats import studentized_range

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
    reached = 0
    for first in range(len(order)):
        last = first + 1
        while last < len(order) and not apart[first : last + 1, last].any():
            last += 1
        if last > reached and last - first > 1:
            cliques.append(tuple(order[first:last].tolist()))
        reached = max(reached, last)
    return tuple(cliques)
