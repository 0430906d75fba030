"""Means of repetitions and their uncertainty."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

CONFIDENCE = 0.95
RESAMPLES = 2000


@dataclass(frozen=True, slots=True)
class Summary:
    """The mean of n numbers and its uncertainty.

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


def summarise(values: Sequence[float], seed: int = 0) -> Summary:
    """Mean, spread and interval of the results of repetitions.

    The interval is the bias-corrected and accelerated bootstrap interval [1]_ of the mean, of
    `RESAMPLES` resamples, or the percentile interval if that is undefined. For a single number or
    equal numbers, low and high are the number itself.

    Parameters
    ----------
    values : sequence of float
    seed : int
        Seed of the resampling, fixed so that the same numbers have the same interval.

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


def paired_difference(first: Sequence[float | None], second: Sequence[float | None]) -> Summary:
    """Summary of ``first - second``, pair by pair, without pairs that have a missing number.

    Variation that both share, such as that of the data of a repetition, cancels in the difference.
    """
    pairs = zip(first, second, strict=True)
    return summarise([a - b for a, b in pairs if a is not None and b is not None])


def _bootstrap_interval(values: NDArray[np.float64], seed: int) -> tuple[float, float]:
    from scipy.stats import bootstrap  # imported here, as it takes half a second

    for method in ("BCa", "percentile"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a degenerate interval is NaN, see below
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
