"""Statistics of repetitions and data sets: averages, ranks, tests, profiles.

`hcbench.analysis.intervals` decides which interval an average has.

Pure functions of numbers. Missing numbers are None or NaN; each function documents their treatment.
A block, such as a data set, is common to all competitors. For statements about data sets the caller
must not use repetitions on one data set as blocks, which would be pseudo-replication. Rows of a
table that are not independent, such as data sets of one family, are of one block, which counts
once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from hcbench.analysis.intervals import (
    UNBOUNDED,
    Limits,
    Numbers,
    Support,
    differences_of,
    estimate_mean,
    limits_of_median,
    mean_and_std,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

#: Times are skewed by whatever else the machine does, so their average is the median.
Average: TypeAlias = Literal["mean", "median"]


@dataclass(frozen=True, slots=True)
class Summary:
    """The average of n numbers and its uncertainty.

    Attributes
    ----------
    mean : float or None
        None if there are no numbers.
    std : float or None
        Standard deviation with n - 1 in the denominator; None for fewer than two numbers.
    n : int
    standard_error : float or None
        ``std / sqrt(n)``.
    low, high : float or None
        95 % interval of the average (see `hcbench.analysis.intervals`); None if there is none.
    median, lower_quartile, upper_quartile : float or None
    average : float or None
        The mean or the median.
    note : str
        Why there is no interval; "" if there is one.
    """

    mean: float | None
    std: float | None
    n: int
    standard_error: float | None
    low: float | None
    high: float | None
    median: float | None
    lower_quartile: float | None
    upper_quartile: float | None
    average: float | None
    note: str = ""

    def with_limits(self, limits: Limits) -> Summary:
        """The same with another interval; None for both ends if one is missing."""
        low: float | None = limits.low
        high: float | None = limits.high
        if not (math.isfinite(limits.low) and math.isfinite(limits.high)):
            # An interval without an end is none.
            low = None
            high = None
        return replace(self, low=low, high=high, note=limits.note)


def quartiles(values: Numbers) -> tuple[float, float, float] | None:
    """Lower quartile, median and upper quartile, interpolated linearly; None without numbers."""
    if not len(values):
        return None
    numbers = np.asarray(values, dtype=np.float64)
    # Interpolation would make NaN of equal infinite numbers.
    if (numbers == numbers[0]).all():
        value = float(numbers[0])
        return value, value, value
    with np.errstate(invalid="ignore"):
        low, middle, high = np.quantile(numbers, (0.25, 0.5, 0.75)).tolist()
    return low, middle, high


def average_of(values: Numbers, of: Average = "mean") -> float | None:
    """The mean or the median; None without numbers."""
    if of == "mean":
        mean, _ = mean_and_std(values)
        return mean
    of_quartiles = quartiles(values)
    if of_quartiles is None:
        return None
    _, median, _ = of_quartiles
    return median


def summarise(
    values: Sequence[float],
    of: Average = "mean",
    support: Support = UNBOUNDED,
    *,
    deterministic: bool = False,
) -> Summary:
    """Average, spread and 95 % interval of the results of repetitions.

    Parameters
    ----------
    values : sequence of float
    of : {"mean", "median"}
        The average.
    support : (float, float)
        The least and the greatest value that is possible.
    deterministic : bool
        Whether the values use no random numbers: equal ones are then the average itself.
    """
    return _summarise(tuple(map(float, values)), of, support, deterministic)


@lru_cache(maxsize=1 << 16)  # the same numbers are in tables, figures and exports
def _summarise(
    values: tuple[float, ...], of: Average, support: Support, deterministic: bool
) -> Summary:
    mean, std = mean_and_std(values)
    of_quartiles = quartiles(values)
    if mean is None or of_quartiles is None:
        return Summary(None, None, 0, None, None, None, None, None, None, None, "no values")
    lower_quartile, median, upper_quartile = of_quartiles
    estimate = estimate_mean(values, support, deterministic=deterministic)
    if of == "mean":
        average = mean
        limits = estimate.limits()
    else:
        average = median
        limits = limits_of_median(values, deterministic=deterministic)
    summary = Summary(
        mean=mean,
        std=std,
        n=len(values),
        standard_error=estimate.standard_error,
        low=None,
        high=None,
        median=median,
        lower_quartile=lower_quartile,
        upper_quartile=upper_quartile,
        average=average,
    )
    return summary.with_limits(limits)


def paired_difference(
    first: Mapping[int, float],
    second: Mapping[int, float],
    support: Support = UNBOUNDED,
    *,
    deterministic: bool = False,
) -> Summary:
    """Summary of ``first - second`` over the repetitions that both have.

    Parameters
    ----------
    first, second : mapping of repetition to float
    support : (float, float)
        The least and the greatest value of the difference.
    deterministic : bool
        As for `summarise`.
    """
    differences = list(differences_of(first, second).values())
    return summarise(differences, "mean", support, deterministic=deterministic)


def log_log_slope(
    x: Sequence[float], samples: Sequence[Sequence[float]]
) -> tuple[float | None, float | None]:
    """The exponent of a power law: the slope of log(mean) against log(x), by least squares.

    Its standard error is the larger of two: the one propagated, to first order, from the
    independent standard errors of the means; and, for three or more points, the one from the
    residuals. So neither few repetitions nor a curved relation makes it look exact.

    Parameters
    ----------
    x : (k,) float
        Positive, with at least two distinct values.
    samples : k sequences of float
        The results of the repetitions at each x.

    Returns
    -------
    slope : float or None
        None if a mean is not positive.
    standard_error : float or None
        None if a sample has fewer than two numbers and there are only two points.
    """
    means = []
    relative_errors = []
    for sample in samples:
        mean, std = mean_and_std(sample)
        if mean is None or not 0 < mean < math.inf:
            return None, None
        means.append(mean)
        if std is not None:
            relative_errors.append(std / math.sqrt(len(sample)) / mean)
    slope, _, error_of_residuals = fit_power_law(x, means)
    errors = []
    if error_of_residuals is not None:
        errors.append(error_of_residuals)
    # A sample of one number has no standard error, so that none can be propagated.
    if len(relative_errors) == len(means):
        centred = np.log(x) - np.log(x).mean()
        weights = centred / (centred @ centred)
        errors.append(float(np.linalg.norm(weights * relative_errors)))
    return slope, max(errors, default=None)


def fit_power_law(x: ArrayLike, y: ArrayLike) -> tuple[float, float, float | None]:
    """Fit ``factor * x ** exponent`` by least squares of the logarithms.

    Parameters
    ----------
    x, y : (k,) float
        Positive; x has at least two distinct values.

    Returns
    -------
    exponent, factor : float
    standard_error : float or None
        Of the exponent, from the residuals; None for two points.
    """
    logs = np.log(x)
    heights = np.log(y)
    centred = logs - logs.mean()
    slope = float(centred @ heights / (centred @ centred))
    residual = heights - heights.mean() - slope * centred
    factor = math.exp(heights.mean() - slope * logs.mean())
    # The line goes through two points, whatever their errors are.
    if len(logs) == 2:
        return slope, factor, None
    variance = residual @ residual / (len(logs) - 2)
    return slope, factor, math.sqrt(variance / (centred @ centred))


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
    counts = _included_rows(scores, failed)
    if not counts.any():
        return np.empty((0, scores.shape[1]))
    costs = scores[counts]
    if direction == "higher":
        costs = -costs
    ranks = np.empty(costs.shape)
    for row, of_row in enumerate(costs):
        ascending = np.sort(of_row)  # with failures last, which tie
        n_better = np.searchsorted(ascending, of_row, side="left")
        n_not_worse = np.searchsorted(ascending, of_row, side="right")
        ranks[row] = (n_better + n_not_worse + 1) / 2
    if blocks is None:
        return ranks
    block_of_row = _block_numbers(blocks, counts)
    return np.stack([ranks[rows].mean(axis=0) for rows in _rows_of_blocks(block_of_row)])


def _included_rows(scores: NDArray[np.float64], failed: Failed) -> NDArray[np.bool_]:
    """Which rows count: not those in which all, or with "drop" any, competitors failed."""
    missing = np.isnan(scores)
    n_missing = np.count_nonzero(missing, axis=1)
    excluding = 1
    if failed == "worst":
        excluding = scores.shape[1]
    included: NDArray[np.bool_] = n_missing < excluding
    return included


def _block_numbers(blocks: Sequence[str], included: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The block of each included row, numbered in the order of their first rows."""
    names = [name for name, counts in zip(blocks, included, strict=True) if counts]
    number_of = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.array([number_of[name] for name in names], dtype=np.intp)


def _rows_of_blocks(block_of_row: NDArray[np.intp]) -> list[NDArray[np.intp]]:
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
    all ways if there are at most
    `PERMUTATIONS`, else that many times at random with a fixed seed. F is that of [3]_.

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
    from scipy.stats import chi2 as chi2_law, f

    # `scipy.stats.friedmanchisquare` would rank the mean ranks of a block once more.
    centred = ranks - (k + 1) / 2
    chi2 = float((k - 1) * (centred.sum(axis=0) ** 2).sum() / (centred**2).sum())
    p = float(chi2_law.sf(chi2, k - 1))
    method: Literal["chi-square", "exact", "permutations"] = "chi-square"
    if n <= 10 or k <= 5:
        method = "permutations"
        if math.factorial(k) ** n <= PERMUTATIONS:
            # All permutations of all blocks are counted.
            method = "exact"
        p = _permuted_p(ranks)
    test = replace(test, statistic=chi2, p=p, method=method)
    rest = n * (k - 1) - chi2
    # All blocks agree fully, and F is infinite.
    if rest <= 1e-9 * chi2:
        return test
    iman = (n - 1) * chi2 / rest
    return replace(test, f_statistic=iman, f_p=float(f.sf(iman, k - 1, (k - 1) * (n - 1))))


def _why_no_friedman(ranks: NDArray[np.float64]) -> str:
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
    from scipy.stats import permutation_test

    test = permutation_test(
        list(2 * ranks),
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
    k = n_competitors
    n = n_blocks
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
    reached = 0  # the end of the last clique: one that ends there is a part of it
    for first in range(len(order)):
        last = first + 1
        while last < len(order) and not apart[first : last + 1, last].any():
            last += 1
        if last > reached and last - first > 1:
            cliques.append(tuple(order[first:last].tolist()))
        reached = max(reached, last)
    return tuple(cliques)


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
    """
    gains = _gains(first, second, direction, failed, blocks)
    moved = gains[gains != 0]
    test = SignedRankTest(
        n_blocks=gains.size, n_different=moved.size, better=int((moved > 0).sum()), failed=failed
    )
    if not gains.size:
        return replace(test, reason="there are no blocks")
    if not moved.size:
        return replace(test, statistic=0.0, p=1.0, method="exact")
    (ranks,) = rank_blocks(np.abs(moved), "lower")
    positive = float(ranks[moved > 0].sum())
    statistic = min(positive, float(ranks.sum()) - positive)
    if moved.size <= MOST_EXACT:
        return replace(test, statistic=statistic, p=_exact_p(ranks, statistic), method="exact")
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
    with np.errstate(invalid="ignore"):
        gains = numbers - rival_numbers
    if direction == "lower":
        gains = -gains
    gains[numbers == rival_numbers] = 0.0  # infinite ones, too
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
    block_of_row = _block_numbers(blocks, included)
    means = [_mean_gain(gains[rows]) for rows in _rows_of_blocks(block_of_row)]
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
    doubled = np.sort(np.rint(2 * ranks).astype(np.int64))  # integers, also with ties
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


Distance = Literal["ratio", "difference"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PerformanceProfile:
    """The profiles of competitors over blocks.

    Attributes
    ----------
    by : {"ratio", "difference"}
        The distance to the best of a block.
    within : tuple of (m,) float arrays
        For each competitor the distances at which its profile rises, ascending.
    share : tuple of (m,) float arrays
        The share of the blocks with at most this distance.
    n_blocks : int
        Number of included blocks.
    """

    by: Distance
    within: tuple[NDArray[np.float64], ...]
    share: tuple[NDArray[np.float64], ...]
    n_blocks: int

    def at(self, distance: float) -> list[float]:
        """The share of each competitor at a distance."""
        shares = []
        for within, share in zip(self.within, self.share, strict=True):
            n_steps = int(np.searchsorted(within, distance, "right"))
            if n_steps == 0:
                # Nowhere is the competitor so near.
                shares.append(0.0)
            else:
                shares.append(float(share[n_steps - 1]))
        return shares


def performance_profile(
    table: ArrayLike,
    direction: Direction,
    *,
    by: Distance = "ratio",
    failed: Failed = "worst",
    blocks: Sequence[str] | None = None,
) -> PerformanceProfile:
    """The performance profiles of Dolan and Moré [1]_.

    For a cost t the distance on a block is the ratio ``t / min t``; if the minimum is 0, it is 1
    for t = 0 and infinite otherwise. Ratios are meaningless for numbers that may be negative or
    have no natural zero, such as most qualities; for these the distance is the difference to the
    best of the block, in the unit of the metric.

    Parameters
    ----------
    table, direction, failed
        As for `hcbench.analysis.statistics.rank_blocks`; a failure is infinitely far.
    by : {"ratio", "difference"}
        Ratios need nonnegative costs.
    blocks : sequence of n_rows str, optional
        The block of each row; by default each is its own. The rows of a block have equal shares of
        its weight.

    Raises
    ------
    ValueError
        If ratios are requested for other numbers.

    References
    ----------
    .. [1] E. D. Dolan, J. J. Moré, "Benchmarking optimization software with performance profiles",
       Math. Program. 91 (2002).
    """
    scores = np.array(table, dtype=np.float64, ndmin=2)
    counts = _included_rows(scores, failed)
    costs = scores[counts]
    if direction == "higher":
        costs = -costs
    if by == "ratio" and (direction == "higher" or (costs < 0).any()):
        raise ValueError("ratios need nonnegative costs; use differences")
    costs = np.where(np.isnan(costs), np.inf, costs)
    best = costs.min(axis=1, keepdims=True, initial=np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        if by == "ratio":
            distance = costs / best
            distance_of_best = 1.0
        else:
            distance = costs - best
            distance_of_best = 0.0
    # Divisions by 0 and differences of infinite numbers are NaN until here.
    distance[(costs == best) & np.isfinite(costs)] = distance_of_best
    distance[costs == np.inf] = np.inf
    block_of_row = np.arange(len(costs))
    if blocks is not None:
        block_of_row = _block_numbers(blocks, counts)
    n_rows = np.bincount(block_of_row)
    weights = 1 / n_rows[block_of_row]
    within = []
    share = []
    for column in distance.T:
        is_near = np.isfinite(column)
        steps, step_of_row = np.unique(column[is_near], return_inverse=True)
        heights = np.bincount(step_of_row, weights[is_near], minlength=steps.size)
        within.append(steps)
        share.append(heights.cumsum() / max(n_rows.size, 1))
    return PerformanceProfile(
        by=by, within=tuple(within), share=tuple(share), n_blocks=int(n_rows.size)
    )
