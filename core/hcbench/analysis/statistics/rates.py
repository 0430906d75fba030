"""Rates of growth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hcbench.analysis.statistics.summaries import mean_and_std

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
    spread = [mean_and_std(sample) for sample in samples]
    means = np.array([math.nan if mean is None else mean for mean, _ in spread])
    if not (np.isfinite(means) & (means > 0)).all():
        return None, None
    slope, _, error = fit_power_law(x, means)
    errors = [] if error is None else [error]
    if all(std is not None for _, std in spread):
        centred = np.log(x) - np.log(x).mean()
        relative = [
            (std or 0.0) / math.sqrt(len(sample)) / mean
            for (_, std), sample, mean in zip(spread, samples, means, strict=True)
        ]
        errors.append(math.hypot(*(centred / (centred @ centred) * relative)))
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
    logs, heights = np.log(x), np.log(y)
    centred = logs - logs.mean()
    slope = float(centred @ heights / (centred @ centred))
    residual = heights - heights.mean() - slope * centred
    factor = math.exp(heights.mean() - slope * logs.mean())
    if len(logs) == 2:
        return slope, factor, None
    variance = residual @ residual / (len(logs) - 2)
    return slope, factor, math.sqrt(variance / (centred @ centred))
