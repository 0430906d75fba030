"""Averages of the results of repetitions, with their spread and interval.

Pure functions of numbers. `hcbench.analysis.intervals` decides which interval an average has.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, TypeAlias

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

    Examples
    --------
    >>> summary = hcbench.analysis.summarise([1.0, 2.0, 3.0, 4.0])
    >>> summary.mean, summary.median, summary.n
    (2.5, 2.5, 4)
    >>> round(summary.std, 3), round(summary.low, 2), round(summary.high, 2)
    (1.291, 0.45, 4.55)
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


_NO_VALUES = Summary(
    mean=None,
    std=None,
    n=0,
    standard_error=None,
    low=None,
    high=None,
    median=None,
    lower_quartile=None,
    upper_quartile=None,
    average=None,
    note="no values",
)


def quartiles(values: Numbers) -> tuple[float, float, float] | None:
    """Lower quartile, median and upper quartile, interpolated linearly; None without numbers."""
    if not len(values):
        return None
    numbers = np.asarray(values, dtype=np.float64)

    # Interpolation would make NaN of equal infinite numbers.
    if (numbers == numbers[0]).all():
        value = float(numbers[0])
        return value, value, value

    # inf - inf, which numpy computes beside quartiles that are infinite.
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

    Examples
    --------
    >>> summary = summarise([1.0, 2.0, 6.0])
    >>> summary.average, round(summary.low, 2), round(summary.high, 2)
    (3.0, -3.57, 9.57)
    >>> summarise([1.0, 2.0, 6.0], "median").average
    2.0
    >>> summarise([1.0, 2.0, 6.0], "median").note
    'fewer than 6 values have no interval of the median'
    """
    return _summarise(tuple(map(float, values)), of, support, deterministic)


# Cached, as the same numbers are in tables, figures and exports.
@lru_cache(maxsize=1 << 16)
def _summarise(
    values: tuple[float, ...], of: Average, support: Support, deterministic: bool
) -> Summary:
    mean, std = mean_and_std(values)
    of_quartiles = quartiles(values)
    if mean is None or of_quartiles is None:
        return _NO_VALUES

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

    Examples
    --------
    >>> first = {0: 0.9, 1: 0.8, 2: 0.7}
    >>> second = {0: 0.8, 1: 0.6, 2: 0.7, 3: 0.1}
    >>> difference = paired_difference(first, second)
    >>> round(difference.mean, 2), difference.n
    (0.1, 3)
    """
    differences = list(differences_of(first, second).values())
    return summarise(differences, "mean", support, deterministic=deterministic)
