"""Compiled steps of agglomeration by cluster means. They do not check their input.

Notation. ``count`` clusters are in the first rows ("slots") of all arrays: ``mean`` (n, p),
``size`` (n,) float64, ``node`` (n,) ids in the linkage matrix. Merges maximise the score of two
clusters u, v,

    average linkage of dot products:  <m_u, m_v>                            (or its negative)
    Ward:                             -|u| |v| / (|u| + |v|) * |m_u - m_v|^2

with m the means (the average of all <x, y>, x in u and y in v, is the dot product of the means).
Both are reducible: ``score(u + v, x) <= max(score(u, x), score(v, x))`` if u and v are mutual
nearest clusters. So mutual nearest clusters may be merged at any time, and ``nearest`` (n,), with
its score in ``best`` (n,), remains valid until the nearest cluster itself is merged; then it is
UNKNOWN.
"""

from __future__ import annotations

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

from hcbench.compiled import inner
from hcbench_vectors._gram_kernels import maximum

UNKNOWN = -1  # the nearest cluster must be searched
_NEW = -2  # likewise, for a cluster that was just merged

_F, _FF, _I = types.float64[::1], types.float64[:, ::1], types.int64[::1]
_N = types.int64


@njit((_FF, _N, _I, _I, _F), cache=True, nogil=True)
def update_nearest(
    score: NDArray[np.float64],
    first: int,
    rows: NDArray[np.int64],
    nearest: NDArray[np.int64],
    best: NDArray[np.float64],
) -> None:
    """Update the nearest clusters of ``rows`` from a tile ``score`` (rows, slots from ``first``).

    Of tied clusters, the first slot after the cluster's own is used, else the first of all. With a
    single rule for all, tied neighbours would not become mutual. O(size of the tile).
    """
    width = score.shape[1]
    for r in range(rows.size):
        own = rows[r]
        before = min(max(own - first, 0), width)
        if before > 0:
            top, at = maximum(score[r], 0, before)
            if top > best[own]:
                best[own], nearest[own] = top, first + at
        after = max(own + 1 - first, 0)
        if after < width:
            top, at = maximum(score[r], after, width)
            if top > best[own] or (top == best[own] and nearest[own] < own):
                best[own], nearest[own] = top, first + at


@inner
def ward_score(u: int, v: int, mean: NDArray[np.float64], size: NDArray[np.float64]) -> float:
    """``-|u| |v| / (|u| + |v|) * |m_u - m_v|^2`` without cancellation: O(p)."""
    score: float = 0.0
    for k in range(mean.shape[1]):
        difference = mean[u, k] - mean[v, k]
        score -= difference * difference
    score *= size[u] * size[v] / (size[u] + size[v])
    return score


@njit((_FF, _N, _I, _FF, _F, _F, types.float64, _I, _F), cache=True, nogil=True)
def update_nearest_ward(
    product: NDArray[np.float64],
    first: int,
    rows: NDArray[np.int64],
    mean: NDArray[np.float64],
    square: NDArray[np.float64],
    size: NDArray[np.float64],
    largest: float,
    nearest: NDArray[np.int64],
    best: NDArray[np.float64],
) -> None:
    """Update the nearest clusters by Ward's score from a tile of dot products of means.

    The squared distance ``|m_u|^2 + |m_v|^2 - 2 <m_u, m_v>`` only screens: every score within its
    error bound of the best is recomputed from differences, so the result is exact also for close
    means far from the origin. ``square`` (n,) holds the |m|^2, and ``largest`` is their maximum.
    The tile is overwritten. O(size of the tile), and O(p) for each recomputed score.
    """
    width = product.shape[1]
    for r in range(rows.size):
        own = rows[r]
        row = product[r]
        for at in range(width):
            other = size[first + at]
            distance = square[own] + square[first + at] - 2.0 * row[at]
            row[at] = -distance * (size[own] * other / (size[own] + other))
        if first <= own < first + width:
            row[own - first] = -np.inf
        top, _ = maximum(row, 0, width)
        error = 4e-16 * (mean.shape[1] + 8.0) * (square[own] + largest) * size[own]
        bar = max(top, best[own]) - 2.0 * error
        if top < bar:
            continue
        for at in range(width):
            if row[at] >= bar and first + at != own:
                exact = ward_score(own, first + at, mean, size)
                after = nearest[own] < own < first + at
                if exact > best[own] or (exact == best[own] and after):
                    best[own], nearest[own] = exact, first + at


@njit((_N, _I, _I), cache=True)
def clusters_to_search(count: int, nearest: NDArray[np.int64], rows: NDArray[np.int64]) -> int:
    """List in ``rows`` the clusters to search: new ones, and unknown ones that are a nearest.

    No other cluster can be in the next mutual pair, so a large cluster that is the nearest of all
    others (a long vector, with dot products) costs few searches each time it is merged. O(count);
    returns their number.
    """
    is_wanted = np.zeros(count, np.bool_)
    for i in range(count):
        if nearest[i] == _NEW:
            is_wanted[i] = True
            nearest[i] = UNKNOWN
        elif nearest[i] >= 0 and nearest[nearest[i]] < 0:
            is_wanted[nearest[i]] = True
    n_wanted = 0
    for i in range(count):
        if is_wanted[i]:
            rows[n_wanted] = i
            n_wanted += 1
    return n_wanted


@njit((_N, _I, _I), cache=True)
def end_of_chain(count: int, nearest: NDArray[np.int64], rows: NDArray[np.int64]) -> int:
    """List the one unknown cluster at the end of the path of nearest clusters from slot 0.

    This is the nearest-neighbour chain (Murtagh 1983), with its stack in ``nearest``: at most 3 n
    searches in total. Returns 1, or 0 if the path ends in a mutual pair. O(count).
    """
    at = 0
    for _ in range(count):
        if nearest[at] < 0:
            rows[0] = at
            return 1
        at = nearest[at]
    return 0


@njit((_N, _I, _F), cache=True)
def break_cycle(count: int, nearest: NDArray[np.int64], best: NDArray[np.float64]) -> None:
    """Make the best known pair mutual if rounding put equal scores into a cycle. O(count)."""
    top = -1
    for i in range(count):
        if nearest[i] >= 0 and nearest[nearest[i]] >= 0 and (top < 0 or best[i] > best[top]):
            top = i
    nearest[nearest[top]] = top
    best[nearest[top]] = best[top]


@inner
def _close_gaps(
    count: int,
    moved: NDArray[np.int64],
    mean: NDArray[np.float64],
    size: NDArray[np.float64],
    node: NDArray[np.int64],
    nearest: NDArray[np.int64],
    best: NDArray[np.float64],
) -> None:
    """Move the last clusters into the slots with ``moved < 0``; write new slots to ``moved``."""
    low, high = 0, count - 1
    while True:
        while low <= high and moved[low] >= 0:
            low += 1
        while high >= low and moved[high] < 0:
            high -= 1
        if low > high:
            break
        for k in range(mean.shape[1]):
            mean[low, k] = mean[high, k]
        size[low], node[low] = size[high], node[high]
        nearest[low], best[low] = nearest[high], best[high]
        moved[low], moved[high] = low, low
        low, high = low + 1, high - 1
    for i in range(low):
        if nearest[i] >= 0:
            nearest[i] = moved[nearest[i]]


@njit((_N, _N, _I, _F, _FF, _F, _I, _FF, _I), cache=True)
def merge_mutual(
    count: int,
    made: int,
    nearest: NDArray[np.int64],
    best: NDArray[np.float64],
    mean: NDArray[np.float64],
    size: NDArray[np.float64],
    node: NDArray[np.int64],
    merges: NDArray[np.float64],
    moved: NDArray[np.int64],
) -> int:
    """Merge all pairs of mutual nearest clusters; return the number of merges.

    Parameters
    ----------
    count, made : int
        Numbers of clusters, and of earlier merges.
    nearest, best, mean, size, node
        The clusters; changed, and moved so that the first slots hold the remaining ones.
    merges : (n-1, 4), written
        Two nodes, score and size of each merge, as a linkage matrix in the order of merging.
        Rounding never puts a merge above the merges below it.
    moved : (n,) int64
        Work space: the new slot of each old one, negative if it was merged into another.

    O(count + p merges).
    """
    n = merges.shape[0] + 1
    n_earlier = made
    for i in range(count):
        moved[i] = i
    for i in range(count):
        j = nearest[i]
        if j < 0 or nearest[j] < 0 or moved[i] < 0 or moved[j] < 0:
            continue
        if max(node[i], node[j]) >= n + n_earlier:
            continue  # merged in this round
        if nearest[j] != i and best[i] < best[j]:  # equal scores: i is also a nearest of j
            continue
        u, v = min(i, j), max(i, j)
        new_size = size[u] + size[v]
        for k in range(mean.shape[1]):
            mean[u, k] = (size[u] * mean[u, k] + size[v] * mean[v, k]) / new_size
        score = max(best[i], best[j]) if nearest[j] == i else best[i]
        for child in (node[u], node[v]):
            if child >= n:
                score = min(score, merges[child - n, 2])
        merges[made, 0], merges[made, 1] = node[u], node[v]
        merges[made, 2], merges[made, 3] = score, new_size
        size[u], node[u], moved[v] = new_size, n + made, -1
        made += 1
    for i in range(count):
        j = nearest[i]
        if moved[i] >= 0 and node[i] >= n + n_earlier:
            nearest[i] = _NEW
        elif j >= 0 and (moved[j] < 0 or node[j] >= n + n_earlier):
            nearest[i] = UNKNOWN
    _close_gaps(count, moved, mean, size, node, nearest, best)
    return made - n_earlier
