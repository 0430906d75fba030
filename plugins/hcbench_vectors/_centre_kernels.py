"""Compiled centroid and median linkage, whose heights may decrease. Input is not checked.

Both are the generic algorithm of Müllner (2011, section 3.1). ``merges`` (n-1, 4), written, holds
an item of each of the two merged clusters and the height, in the order of merging.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench_vectors._distance_kernels import BLOCK, SQUARED, measure
from hcbench_vectors._step_kernels import CHUNK, entry, nearest_slot

_SPARSE = 0.8  # proportion of remaining clusters below which the arrays are compressed


@njit(cache=True, fastmath={"nnan", "nsz", "reassoc"})
def _least(bound: NDArray[np.float64]) -> float:
    """The least bound, with vector instructions."""
    least = np.inf
    for at in range(bound.size):
        least = min(least, bound[at])
    return least


@register_jitable
def _update(lows: NDArray[np.float64], bound: NDArray[np.float64], chunk: int) -> None:
    """Write the least bound of a chunk of clusters."""
    lows[chunk] = _least(bound[chunk * CHUNK : min((chunk + 1) * CHUNK, bound.size)])


@register_jitable
def _nearer(
    point: NDArray[np.float64],
    columns: NDArray[np.float64],
    low: int,
    end: int,
    gone: NDArray[np.float64],
    order: NDArray[np.int64],
    distance: NDArray[np.float64],
    smallest: float,
    nearest: int,
) -> tuple[float, int]:
    """Compare a block of centres, from slot ``low`` on and below ``end``, with the nearest one."""
    block = distance[: min(BLOCK, end - low)]
    measure(point, columns, low, SQUARED, block)
    smallest, slot = nearest_slot(block, gone[low:], order, smallest)
    if slot >= 0:
        nearest = low + slot
    return smallest, nearest


@entry
def merge_centres(
    columns: NDArray[np.float64], has_sizes: bool, merges: NDArray[np.float64]
) -> None:
    """Centroid linkage, or median linkage without ``has_sizes``, of vectors.

    Each cluster has a lower bound of its distance to the older ones, which is searched again if it
    is the least of all and the other cluster is no longer there. Centres instead of a matrix of
    distances: O(n^2 p) time on usual data, O(n^3 p) at worst; O(n p) memory.

    Parameters
    ----------
    columns : (p, n)
        The vectors, overwritten by centres.
    has_sizes, merges
    """
    p, n = columns.shape
    width = count = n
    size, gone, bound, merged = np.empty(n), np.empty(n), np.empty(n), np.empty(n, np.bool_)
    order, item, nearest = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    kept, slot = np.empty(n, np.int64), np.empty(n, np.int64)
    point, distance = np.empty(p), np.empty(BLOCK)
    for i in range(n):
        size[i] = 1.0
        gone[i] = 0.0
        merged[i] = False
        order[i] = i
        item[i] = i
        bound[i] = np.inf
        nearest[i] = -1
    for low in range(0, n, BLOCK):
        for u in range(low + 1, n):
            for k in range(p):
                point[k] = columns[k, u]
            bound[u], nearest[u] = _nearer(
                point, columns, low, u, gone, order, distance, bound[u], nearest[u]
            )
    lows = np.empty(-(-n // CHUNK))  # the least bound of each chunk
    for chunk in range(lows.size):
        _update(lows, bound, chunk)
    for merge in range(n - 1):
        # Few clusters remain: move them together.
        if count < _SPARSE * width:
            at = 0
            for i in range(width):
                if gone[i] == 0:
                    kept[at] = i
                    slot[i] = at
                    at += 1
            width = count
            for i in range(width):
                old = kept[i]
                size[i] = size[old]
                item[i] = item[old]
                bound[i] = bound[old]
                merged[i] = merged[old]
                nearest[i] = slot[nearest[old]] if nearest[old] >= 0 else -1
                gone[i] = 0.0
            for k in range(p):
                for i in range(width):
                    columns[k, i] = columns[k, kept[i]]
            lows, bound = lows[: -(-width // CHUNK)], bound[:width]
            for chunk in range(lows.size):
                _update(lows, bound, chunk)
        # The pair of least distance: the least bound that is attained.
        while True:
            least, chunk = _least(lows), 0
            while lows[chunk] != least:
                chunk += 1
            u = chunk * CHUNK
            while bound[u] != least:
                u += 1
            v = nearest[u]
            if v >= 0:
                break
            end = width if merged[u] else u
            for k in range(p):
                point[k] = columns[k, u]
            bound[u] = np.inf
            gone[u] = np.inf
            for low in range(0, end, BLOCK):
                bound[u], nearest[u] = _nearer(
                    point, columns, low, end, gone, order, distance, bound[u], nearest[u]
                )
            gone[u] = 0.0
            _update(lows, bound, chunk)
        merges[merge, 0] = item[u]
        merges[merge, 1] = item[v]
        merges[merge, 2] = np.sqrt(least)
        # Move the centre of u by a part of the difference, so that equal centres do not move.
        share = size[v] / (size[u] + size[v]) if has_sizes else 0.5
        for k in range(p):
            columns[k, u] += share * (columns[k, v] - columns[k, u])
        size[u] += size[v]
        gone[v] = np.inf
        merged[u] = True
        count -= 1
        for i in range(width):
            if nearest[i] == u or nearest[i] == v:
                nearest[i] = -1
        bound[u] = -1.0  # so that its nearest, of all others, which are older, is searched next
        bound[v] = np.inf
        _update(lows, bound, chunk)
        _update(lows, bound, v // CHUNK)
