"""Compiled centroid and median linkage of vectors. The kernels do not check their input."""

from __future__ import annotations

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

from hcbench.compiled import inner
from hcbench_vectors._linkage_kernels import _BLOCK, _CHUNK, _SPARSE, SQUARED, _measure, _nearest

_FF = types.float64[:, ::1]


@njit(cache=True, fastmath={"nnan", "nsz", "reassoc"})
def _least(bound: NDArray[np.float64]) -> float:
    """The least bound, with vector instructions."""
    least = np.inf
    for at in range(bound.size):
        least = min(least, bound[at])
    return least


@inner
def _update(lows: NDArray[np.float64], bound: NDArray[np.float64], chunk: int) -> None:
    """Write the least bound of a chunk of clusters."""
    lows[chunk] = _least(bound[chunk * _CHUNK : min((chunk + 1) * _CHUNK, bound.size)])


@njit((_FF, types.boolean, _FF), cache=True)
def merge_centres(
    columns: NDArray[np.float64], has_sizes: bool, merges: NDArray[np.float64]
) -> None:
    """Centroid linkage, or median linkage without ``has_sizes``, whose heights may decrease.

    The generic algorithm of Müllner (2011, section 3.1) with the centres instead of a matrix of
    distances: each cluster has a lower bound of its distance to the older ones, which is searched
    again if it is the least of all and the other cluster is no longer there. O(n^2 p) time on usual
    data, O(n^3 p) at worst; O(n p) memory.

    Parameters
    ----------
    columns : (p, n)
        The vectors, overwritten.
    merges : (n-1, 4), written
        An item of each of the two merged clusters and the height.
    """
    p, n = columns.shape
    width = count = n
    size, gone, bound, merged = np.empty(n), np.empty(n), np.empty(n), np.empty(n, np.bool_)
    order, item, nearest = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    kept, slot = np.empty(n, np.int64), np.empty(n, np.int64)
    for i in range(n):
        size[i], gone[i], bound[i], merged[i] = 1.0, 0.0, np.inf, False
        order[i], item[i], nearest[i] = i, i, -1
    point, part = np.empty(p), np.empty(_BLOCK)
    lows = np.empty(-(-n // _CHUNK))  # the least bound of each chunk
    for low in range(0, n, _BLOCK):
        for x in range(low + 1, n):
            for k in range(p):
                point[k] = columns[k, x]
            block = part[: min(_BLOCK, x - low)]
            _measure(point, columns, low, SQUARED, block)
            bound[x], nearest[x] = _nearest(block, low, gone, order, bound[x], nearest[x])
    for chunk in range(lows.size):
        _update(lows, bound, chunk)
    for merge in range(n - 1):
        if count < _SPARSE * width:
            at = 0
            for i in range(width):
                if gone[i] == 0:
                    kept[at], slot[i] = i, at
                    at += 1
            width = count
            for i in range(width):
                old = kept[i]
                size[i], item[i], bound[i], merged[i] = (
                    size[old],
                    item[old],
                    bound[old],
                    merged[old],
                )
                nearest[i] = slot[nearest[old]] if nearest[old] >= 0 else -1
                gone[i] = 0.0
            for k in range(p):
                for i in range(width):
                    columns[k, i] = columns[k, kept[i]]
            lows, bound = lows[: -(-width // _CHUNK)], bound[:width]
            for chunk in range(lows.size):
                _update(lows, bound, chunk)
        while True:
            least, chunk = _least(lows), 0
            while lows[chunk] != least:
                chunk += 1
            u = chunk * _CHUNK
            while bound[u] != least:
                u += 1
            v = nearest[u]
            if v >= 0:
                break
            end = width if merged[u] else u
            for k in range(p):
                point[k] = columns[k, u]
            bound[u], gone[u] = np.inf, np.inf
            for low in range(0, end, _BLOCK):
                block = part[: min(_BLOCK, end - low)]
                _measure(point, columns, low, SQUARED, block)
                bound[u], nearest[u] = _nearest(block, low, gone, order, bound[u], nearest[u])
            gone[u] = 0.0
            _update(lows, bound, chunk)
        merges[merge, 0], merges[merge, 1], merges[merge, 2] = item[u], item[v], np.sqrt(least)

        a = size[u] / (size[u] + size[v]) if has_sizes else 0.5
        for k in range(p):
            columns[k, u] = a * columns[k, u] + (1.0 - a) * columns[k, v]
        size[u], gone[v], merged[u] = size[u] + size[v], np.inf, True
        count -= 1
        for i in range(width):
            if nearest[i] == u or nearest[i] == v:
                nearest[i] = -1
        bound[u] = -1.0  # so that its nearest, of all others, which are older, is searched next
        bound[v] = np.inf
        _update(lows, bound, chunk)
        _update(lows, bound, v // _CHUNK)
