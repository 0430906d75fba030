"""Averages of repetitions and their uncertainty."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

CONFIDENCE = 0.95
RESAMPLES = 2000
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
        95 % bootstrap interval of the average.
    median, lower_quartile, upper_quartile : float or None
    average : float or None
        The mean or the median.
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


def mean_and_std(values: Sequence[float]) -> tuple[float | None, float | None]:
    """Mean, and standard deviation with n - 1 in the denominator.

    None if there are too few numbers; no standard deviation if the mean is not finite.
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


def quartiles(values: Sequence[float]) -> tuple[float, float, float] | None:
    """Lower quartile, median and upper quartile, interpolated linearly; None without numbers."""
    if not len(values):
        return None
    numbers = np.asarray(values, dtype=np.float64)
    if (numbers == numbers[0]).all():
        return (float(numbers[0]),) * 3  # infinite ones, too
    with np.errstate(invalid="ignore"):
        low, middle, high = np.quantile(numbers, (0.25, 0.5, 0.75)).tolist()
    return low, middle, high


def average_of(values: Sequence[float], of: Average = "mean") -> float | None:
    """The mean or the median; None without numbers."""
    if of == "mean":
        return mean_and_std(values)[0]
    found = quartiles(values)
    return None if found is None else found[1]


def summarise(values: Sequence[float], of: Average = "mean") -> Summary:
    """Average, spread and interval of the results of repetitions.

    The interval of a mean is the bias-corrected and accelerated bootstrap interval [1]_, of
    `RESAMPLES` resamples with a fixed seed, or the percentile interval if that is undefined; the
    interval of a median is the percentile interval. For a single number or equal numbers, low and
    high are the number itself.

    Parameters
    ----------
    values : sequence of float
    of : {"mean", "median"}
        The average.

    References
    ----------
    .. [1] B. Efron, "Better bootstrap confidence intervals", J. Amer. Statist. Assoc. 82 (1987).
    """
    return _summarise(tuple(map(float, values)), of)


@lru_cache(maxsize=1 << 16)  # the same numbers are in tables, figures and exports
def _summarise(values: tuple[float, ...], of: Average) -> Summary:
    mean, std = mean_and_std(values)
    n = len(values)
    low, median, high = quartiles(values) or (None, None, None)
    average = mean if of == "mean" else median
    of_all = (median, low, high, average)
    if mean is None or average is None or not math.isfinite(average):
        return Summary(mean, None, n, None, None, None, *of_all)
    if not std:
        return Summary(mean, std, n, None if std is None else 0.0, average, average, *of_all)
    interval = _bootstrap_interval(np.asarray(values), of)
    return Summary(mean, std, n, std / math.sqrt(n), *interval, *of_all)


def paired_difference(first: Sequence[float | None], second: Sequence[float | None]) -> Summary:
    """Summary of ``first - second``, pair by pair, without pairs that have a missing number.

    Variation that both share, such as that of the data of a repetition, cancels in the difference.
    """
    pairs = zip(first, second, strict=True)
    return summarise([a - b for a, b in pairs if a is not None and b is not None])


def _bootstrap_interval(values: NDArray[np.float64], of: Average) -> tuple[float, float]:
    from scipy.stats import bootstrap  # imported here, as it takes half a second

    for method in ("BCa", "percentile") if of == "mean" else ("percentile",):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a degenerate interval is NaN, see below
            interval = bootstrap(
                (values,),
                np.mean if of == "mean" else np.median,
                n_resamples=RESAMPLES,
                confidence_level=CONFIDENCE,
                method=method,
                vectorized=True,
                rng=np.random.default_rng(0),
            ).confidence_interval
        low, high = float(interval.low), float(interval.high)
        if math.isfinite(low) and math.isfinite(high):
            break
    return low, high
