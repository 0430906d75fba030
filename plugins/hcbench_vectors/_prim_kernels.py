"""Compiled single linkage by Prim's algorithm. The kernels do not check their input.

``merges`` (n-1, 4), written, holds two items and the height, in the order in which items are
reached: the heights are those of a minimum spanning tree, and each is between the items that are
reached one after the other (Müllner 2011, section 3.3). Of equal distances those are preferred that
scipy 1.17 prefers.
"""

from __future__ import annotations

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench_vectors._distance_kernels import BLOCK, measure
from hcbench_vectors._step_kernels import entry, nearest_slot

_SPARSE = 0.8  # proportion of items not yet reached below which the arrays are compressed


@register_jitable
def _start(item: NDArray[np.int64], gone: NDArray[np.float64], reach: NDArray[np.float64]) -> None:
    """Nothing is reached: the distance of each item to what is reached is infinite."""
    for i in range(item.size):
        item[i] = i
        gone[i] = 0.0
        reach[i] = np.inf


@entry
def prim(columns: NDArray[np.float64], metric: int, merges: NDArray[np.float64]) -> None:
    """Of vectors: O(n^2 p) time, O(n p) memory; ``columns`` (p, n) is overwritten."""
    p, n = columns.shape
    point = np.empty(p)  # the vector of the item reached last
    part = np.empty(BLOCK)  # its distances
    # Of each of ``width`` slots: its item, infinity if that is reached, and its distance to what is
    # reached.
    width = n
    item = np.empty(n, np.int64)
    gone = np.empty(n)
    reach = np.empty(n)
    kept = np.empty(n, np.int64)  # work space: the slots that are kept
    _start(item, gone, reach)
    at = 0
    for merge in range(n - 1):
        gone[at] = np.inf
        merges[merge, 0] = item[at]
        for k in range(p):
            point[k] = columns[k, at]
        # Move the remaining items together.
        if n - merge - 1 < _SPARSE * width:
            to = 0
            for i in range(width):
                if gone[i] == 0:
                    item[to] = item[i]
                    reach[to] = reach[i]
                    kept[to] = i
                    to += 1
            width = to
            for i in range(width):
                gone[i] = 0.0
            for k in range(p):
                for i in range(width):
                    columns[k, i] = columns[k, kept[i]]
        # Go on to the nearest one of what is reached.
        for low in range(0, width, BLOCK):
            high = min(low + BLOCK, width)
            block = part[: high - low]
            measure(point, columns, low, metric, block)
            nearer = reach[low:high]
            for j in range(block.size):
                nearer[j] = min(nearer[j], block[j])
        smallest, at = nearest_slot(reach[:width], gone, item, np.inf)
        merges[merge, 1] = item[at]
        merges[merge, 2] = smallest


@entry
def prim_of_matrix(matrix: NDArray[np.float64], sign: float, merges: NDArray[np.float64]) -> None:
    """Of the distances ``sign * matrix`` (n, n): O(n^2) time, O(n) memory besides."""
    n = len(matrix)
    item = np.empty(n, np.int64)
    gone = np.empty(n)
    reach = np.empty(n)
    at = 0
    _start(item, gone, reach)
    for merge in range(n - 1):
        gone[at] = np.inf
        merges[merge, 0] = at
        row = matrix[at]
        for i in range(n):
            reach[i] = min(reach[i], sign * row[i])
        smallest, at = nearest_slot(reach, gone, item, np.inf)
        merges[merge, 1] = at
        merges[merge, 2] = smallest
