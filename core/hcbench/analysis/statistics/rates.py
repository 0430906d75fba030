"""How fast something grows."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hcbench.analysis.statistics.summaries import mean_and_std


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
