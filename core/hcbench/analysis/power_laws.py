"""Power laws, fitted by least squares of logarithms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hcbench.analysis.intervals import mean_and_std

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


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

    # To first order log(mean) has the relative error of the mean, and the slope is linear in these.
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
