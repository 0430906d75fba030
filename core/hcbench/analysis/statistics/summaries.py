"""Means of repetitions, and how well they are known."""

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


def paired_difference(first: Sequence[float | None], second: Sequence[float | None]) -> Summary:
    """Summary of ``first - second``, pair by pair; pairs with a missing number do not count.

    What two algorithms share, such as the data of a repetition, cancels in the difference, whose
    standard error is therefore smaller than that of independent samples.
    """
    pairs = zip(first, second, strict=True)
    return summarise([a - b for a, b in pairs if a is not None and b is not None])


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
