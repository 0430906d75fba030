"""Compiled distances of vectors. The kernels do not check their input.

``columns`` (p, n) holds the vectors, so that one coordinate of many vectors is contiguous; p is
even, for which a coordinate of zeros may be appended. Coordinates are summed in their order, as
scipy's `pdist` does, so that equal distances remain equal.
"""

from __future__ import annotations

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench_vectors._step_kernels import entry

#: Codes of the distances.
EUCLIDEAN, MANHATTAN, SQUARED = 0, 1, 2

BLOCK = 512  # columns whose sums remain in the cache


@register_jitable
def measure(
    point: NDArray[np.float64],
    columns: NDArray[np.float64],
    first: int,
    metric: int,
    out: NDArray[np.float64],
) -> None:
    """Distances of ``point`` (p,) to the columns from ``first`` on, one for each of ``out``."""
    for j in range(out.size):
        out[j] = 0.0
    for k in range(0, point.size, 2):  # two together: sums are read and written half as often
        x, xs = point[k], columns[k, first : first + out.size]
        y, ys = point[k + 1], columns[k + 1, first : first + out.size]
        if metric == MANHATTAN:
            for j in range(out.size):
                out[j] = out[j] + abs(x - xs[j]) + abs(y - ys[j])
        else:
            for j in range(out.size):
                dx, dy = x - xs[j], y - ys[j]
                out[j] = out[j] + dx * dx + dy * dy
    if metric == EUCLIDEAN:
        for j in range(out.size):
            out[j] = np.sqrt(out[j])


@entry
def measure_pairs(columns: NDArray[np.float64], metric: int, distance: NDArray[np.float64]) -> None:
    """Write the distances of all pairs, in the order of `pdist`: O(n^2 p).

    ``distance`` is float64, or float32, to which distances are rounded.
    """
    p, n = columns.shape
    point, block = np.empty(p), np.empty(BLOCK)
    for low in range(0, n, BLOCK):
        high = min(low + BLOCK, n)
        for i in range(high - 1):
            for k in range(p):
                point[k] = columns[k, i]
            first = max(low, i + 1)
            part = block[: high - first]
            measure(point, columns, first, metric, part)
            start = i * (2 * n - i - 3) // 2 - 1 + first
            for j in range(part.size):
                distance[start + j] = part[j]
