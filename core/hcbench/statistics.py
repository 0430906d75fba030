"""What repetitions tell: means with their uncertainty, ranks over data sets, paired differences.

Pure functions on numbers. A missing number is None or NaN; what becomes of it is always said.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

CONFIDENCE = 0.95
RESAMPLES = 2000


@dataclass(frozen=True, slots=True)
class Summary:
    """The mean of n numbers and how well it is known.

    Attributes
    ----------
    mean : float or None
        None if there are no numbers.
    std : float or None
        Standard deviation, with n - 1 in the denominator; None below two numbers.
    n : int
    standard_error : float or None
        ``std / sqrt(n)``, of the mean.
    low, high : float or None
        95 % bootstrap interval of the mean.
    """

    mean: float | None
    std: float | None
    n: int
    standard_error: float | None
    low: float | None
    high: float | None


def mean_and_std(values: Sequence[float]) -> tuple[float | None, float | None]:
    """Mean, and standard deviation with n - 1 in the denominator.

    None where there are too few numbers; no standard deviation if one is infinite or NaN.
    """
    if not len(values):
        return None, None
    numbers = np.asarray(values, dtype=np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        mean = float(numbers.mean())
    if numbers.size < 2 or not math.isfinite(mean):
        return mean, None
    if (numbers == numbers[0]).all():
        return float(numbers[0]), 0.0  # no rounding error of the mean
    return mean, float(numbers.std(ddof=1))


def summarise(values: Sequence[float], seed: int = 0) -> Summary:
    """Mean, spread and interval of the results of repetitions.

    The interval is the bias-corrected and accelerated bootstrap interval [1]_ of the mean, of
    `RESAMPLES` resamples; where that is not defined, the percentile interval. Equal numbers, or a
    single one, have no spread to resample: low and high are then the number itself.

    Parameters
    ----------
    values : sequence of float
    seed : int
        Of the resampling: the same numbers always have the same interval.

    References
    ----------
    .. [1] B. Efron, "Better bootstrap confidence intervals", J. Amer. Statist. Assoc. 82 (1987).
    """
    mean, std = mean_and_std(values)
    n = len(values)
    if mean is None or not math.isfinite(mean):
        return Summary(mean, None, n, None, None, None)
    if not std:
        return Summary(mean, std, n, None if std is None else 0.0, mean, mean)
    low, high = _bootstrap_interval(np.asarray(values, dtype=np.float64), seed)
    return Summary(mean, std, n, std / math.sqrt(n), low, high)


def _bootstrap_interval(values: NDArray[np.float64], seed: int) -> tuple[float, float]:
    from scipy.stats import bootstrap  # half a second to import: not for those who need no interval

    for method in ("BCa", "percentile"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a degenerate interval is NaN, which is seen below
            interval = bootstrap(
                (values,),
                np.mean,
                n_resamples=RESAMPLES,
                confidence_level=CONFIDENCE,
                method=method,
                vectorized=True,
                rng=np.random.default_rng(seed),
            ).confidence_interval
        low, high = float(interval.low), float(interval.high)
        if math.isfinite(low) and math.isfinite(high):
            break
    return low, high


def log_log_slope(
    x: Sequence[float], samples: Sequence[Sequence[float]]
) -> tuple[float | None, float | None]:
    """The exponent of a power law: the slope of log(mean) against log(x), by least squares.

    Its standard error is the larger of two: what the scatter of the samples makes, to first order
    (each mean is off by its standard error, independently of the others), and, from three points
    on, what the distance of the points from the line makes. So neither few repetitions nor a
    curve that is no line make it look exact.

    Parameters
    ----------
    x : (k,) float
        Above 0, of which two differ at least.
    samples : k sequences of float
        The results of the repetitions at each.

    Returns
    -------
    slope : float or None
        None if a mean is not a number above 0.
    standard_error : float or None
        None if a sample has fewer than two numbers and there are but two points.
    """
    spread = [mean_and_std(sample) for sample in samples]
    means = np.array([math.nan if mean is None else mean for mean, _ in spread])
    if not (np.isfinite(means) & (means > 0)).all():
        return None, None
    logs = np.log(np.asarray(x, dtype=np.float64))
    centred = logs - logs.mean()
    weights = centred / (centred @ centred)
    heights = np.log(means)
    slope = float(weights @ heights)
    errors = []
    if all(std is not None for _, std in spread):
        relative = [
            (std or 0.0) / math.sqrt(len(sample)) / mean
            for (_, std), sample, mean in zip(spread, samples, means, strict=True)
        ]
        errors.append(math.hypot(*(weights * relative)))
    if len(means) > 2:
        residual = heights - heights.mean() - slope * centred
        variance = residual @ residual / (len(means) - 2)
        errors.append(math.sqrt(variance / (centred @ centred)))
    return slope, max(errors, default=None)


def average_ranks(
    table: ArrayLike,
    direction: Literal["higher", "lower"],
    *,
    failed: Literal["worst", "drop"] = "worst",
) -> tuple[NDArray[np.float64], int]:
    """Average rank of each competitor over blocks [1]_ [2]_; 1 is best, ties share their ranks.

    Parameters
    ----------
    table : (n_blocks, n_competitors) float
        A block is a data set, or one repetition on it; NaN for a competitor that failed there.
    direction : {"higher", "lower"}
        Which numbers are better.
    failed : {"worst", "drop"}
        A failure shares the worst ranks of its block, or blocks with a failure do not count.
        Blocks in which all failed never count: they tell nothing.

    Returns
    -------
    ranks : (n_competitors,) float
        NaN if no block counts.
    n_blocks : int
        How many blocks count.

    References
    ----------
    .. [1] M. Friedman, "The use of ranks to avoid the assumption of normality implicit in the
       analysis of variance", J. Amer. Statist. Assoc. 32 (1937).
    .. [2] J. Demšar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7
       (2006), section 3.2.2.
    """
    scores = np.array(table, dtype=np.float64, ndmin=2)
    missing = np.isnan(scores)
    counts = ~missing.all(axis=1) if failed == "worst" else ~missing.any(axis=1)
    if not counts.any():
        return np.full(scores.shape[1], np.nan), 0
    from scipy.stats import rankdata

    costs = np.where(missing, 0.0, -scores if direction == "higher" else scores)
    # The competitors of a block in rising order: first those with a number, then those without.
    order = np.array([rankdata(row, method="dense") for row in costs[counts]], dtype=np.float64)
    order[missing[counts]] = np.inf
    return rankdata(order, method="average", axis=1).mean(axis=0), int(counts.sum())


def paired_difference(
    first: Sequence[float | None], second: Sequence[float | None], seed: int = 0
) -> Summary:
    """Summary of ``first - second``, pair by pair; pairs with a missing number do not count.

    What two algorithms share, such as the data of a repetition, cancels in the difference, whose
    standard error is therefore smaller than that of independent samples.
    """
    pairs = zip(first, second, strict=True)
    return summarise([a - b for a, b in pairs if a is not None and b is not None], seed)
