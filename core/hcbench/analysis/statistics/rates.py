"""Rates of growth."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hcbench.analysis.statistics.summaries import mean_and_std


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
    logs = np.log(x)
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
