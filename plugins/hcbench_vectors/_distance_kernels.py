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
EUCLIDEAN = 0
MANHATTAN = 1
SQUARED = 2

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
    # Two coordinates together: sums are read and written half as often.
    for k in range(0, point.size, 2):
        x = point[k]
        xs = columns[k, first : first + out.size]
        y = point[k + 1]
        ys = columns[k + 1, first : first + out.size]
        if metric == MANHATTAN:
            for j in range(out.size):
                out[j] = out[j] + abs(x - xs[j]) + abs(y - ys[j])
        else:
            for j in range(out.size):
                dx = x - xs[j]
                dy = y - ys[j]
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
    point = np.empty(p)
    block = np.empty(BLOCK)
    # A block of columns stays in the cache while it is compared with all points before it.
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
