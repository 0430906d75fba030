"""Intervals of many differences that all hold together, with a probability of 95 %.

An interval of one difference misses the true value in 5 % of cases. Of many intervals some miss,
and the more so where the data choose what is compared, as the best algorithm is chosen.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from hcbench.analysis.intervals import (
    CONFIDENCE,
    UNBOUNDED,
    Estimate,
    Limits,
    Support,
    differences_of,
    estimate_mean,
    t_quantile,
    width_of,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Samples of which a quantile is found; the error probability is then 5 % up to 0.3 %.
_SAMPLES = 20_000
#: Repetitions of a sample; the quantile of more repetitions is smaller by less than 2 %.
_MOST_REPETITIONS = 50


def paired_estimate(
    first: Mapping[int, float],
    second: Mapping[int, float],
    support: Support = UNBOUNDED,
    *,
    deterministic: bool = False,
) -> Estimate:
    """The mean of ``first - second`` over the repetitions that both have.

    Parameters
    ----------
    first, second : mapping of repetition to float
    support : (float, float)
        The least and the greatest value of both.
    deterministic : bool
        Whether both use no random numbers.

    Examples
    --------
    >>> first = {0: 0.9, 1: 0.8, 2: 0.7}
    >>> second = {0: 0.7, 1: 0.6, 2: 0.6}
    >>> estimate = paired_estimate(first, second)
    >>> round(estimate.mean, 3), estimate.limits().excludes_zero
    (0.167, True)
    """
    differences = list(differences_of(first, second).values())
    return estimate_mean(differences, width_of(support), deterministic=deterministic)


def limits_among(estimate: Estimate, n_comparisons: int) -> Limits:
    """The interval of one of several means, all of which hold together (Bonferroni).

    Whatever the dependence between them, the probability that any of the intervals misses its mean
    is at most 5 %.

    Examples
    --------
    >>> estimate = hcbench.analysis.estimate_mean([1.0, 2.0, 3.0, 2.0])
    >>> round(limits_among(estimate, 1).low, 2)
    0.7
    >>> round(limits_among(estimate, 10).low, 2)
    -1.04
    """
    return estimate.limits(level=1 - (1 - CONFIDENCE) / max(n_comparisons, 1))


def limits_below_best(difference: Estimate, n_algorithms: int) -> Limits:
    """The interval of ``best - other``, where the best is chosen by the same data.

    The margin is that of `best_quantile` for values that vary. For other laws any pair might have
    been the one that is compared, so that the interval allows for all pairs (`limits_among`).

    Parameters
    ----------
    difference : Estimate
        Of the paired differences between the algorithm of the best mean and another.
    n_algorithms : int
        Among which the best was chosen, itself included.

    Examples
    --------
    >>> difference = hcbench.analysis.estimate_mean([0.1, 0.2, 0.15, 0.12])
    >>> of_two = limits_below_best(difference, n_algorithms=2)
    >>> round(of_two.low, 3), round(of_two.high, 3)
    (0.073, 0.212)

    The best of more algorithms is more often the best by chance:

    >>> limits_below_best(difference, n_algorithms=5).low < of_two.low
    True
    """
    if difference.law != "normal":
        return limits_among(difference, n_algorithms * (n_algorithms - 1) // 2)
    assert difference.mean is not None
    assert difference.standard_error is not None
    margin = best_quantile(difference.n, n_algorithms) * difference.standard_error
    return Limits(difference.mean - margin, difference.mean + margin)


@lru_cache(maxsize=1 << 10)
def best_quantile(n: int, n_algorithms: int) -> float:
    """The 95 % quantile of the largest paired t statistic of the best against all others.

    If k algorithms are equal, the one with the best mean is still better than the others in the
    sample, and the largest of its k - 1 statistics exceeds this number in 5 % of samples. The
    statistic is that of Hsu's multiple comparisons with the best [1]_ with two changes. It is
    paired, as in each repetition all algorithms have the same data, and each pair has a standard
    error of its own, as algorithms do not vary alike. And it is compared with its distribution if
    all are equal: Hsu's smaller quantile is that of statements such as "at most as good as the
    best", which equal algorithms do not violate.

    It has no simple formula, and is found from `_SAMPLES` samples of independent normal numbers
    with a fixed seed. Unequal variances and correlations between the algorithms make the largest
    statistic smaller. For two algorithms it is the quantile of Student's t.

    Parameters
    ----------
    n : int
        Number of repetitions, at least 2.
    n_algorithms : int
        At least 2.

    References
    ----------
    .. [1] J. C. Hsu, Multiple Comparisons: Theory and Methods (1996), chapter 4.
    """
    if n_algorithms == 2:
        return t_quantile((1 + CONFIDENCE) / 2, n - 1)
    repetitions = min(n, _MOST_REPETITIONS)
    rng = np.random.default_rng(0)
    largest = np.empty(_SAMPLES)
    per_part = max(1, (1 << 20) // (repetitions * n_algorithms))
    for start in range(0, _SAMPLES, per_part):
        samples = min(per_part, _SAMPLES - start)
        values = rng.standard_normal((samples, n_algorithms, repetitions))
        largest[start : start + samples] = _largest_statistics(values)
    return float(np.quantile(largest, CONFIDENCE))


def _largest_statistics(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The largest t statistic of the best mean against others; (samples, algorithms, n)."""
    n = values.shape[2]
    best = values.mean(axis=2).argmax(axis=1)
    of_best = np.take_along_axis(values, best[:, None, None], axis=1)
    differences = of_best - values
    errors = differences.std(axis=2, ddof=1) / np.sqrt(n)
    # The best differs from itself by 0, with the error 0.
    np.put_along_axis(errors, best[:, None], 1.0, axis=1)
    largest: NDArray[np.float64] = (differences.mean(axis=2) / errors).max(axis=1)
    return largest
