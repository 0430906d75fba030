"""Compiled steps of agglomeration by cluster means. They trust their input.

Notation. ``count`` clusters stand in the first rows ("slots") of all arrays: ``mean`` (n, p),
``size`` (n,) float64, ``node`` (n,) ids in the linkage matrix. The score of two clusters u, v is
what the merges maximise,

    average linkage of dot products:  <m_u, m_v>                            (or its negative)
    Ward:                             -|u| |v| / (|u| + |v|) * |m_u - m_v|^2

with m the means (the average of all <x, y>, x in u and y in v, is the dot product of the means).
Both are reducible: ``score(u + v, x) <= max(score(u, x), score(v, x))`` for u and v that are each
other's nearest. So two clusters that are each other's nearest may be merged at any time, and
``nearest`` (n,), with its score in ``best`` (n,), stays right until the nearest itself is merged;
then it is UNKNOWN.
"""

from __future__ import annotations

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

UNKNOWN = -1  # the nearest cluster has to be searched for
_NEW = -2  # likewise, of a cluster that has just been made
_CHUNK = 256  # a maximum is found chunk by chunk with vector instructions, then placed

_F, _FF, _I = types.float64[::1], types.float64[:, ::1], types.int64[::1]
_N = types.int64


@njit(cache=True, fastmath={"nnan", "nsz", "reassoc"})
def _maximum(row: NDArray[np.float64], start: int, end: int) -> tuple[float, int]:
    """The largest of ``row[start:end]``, which is not empty, and its first place."""
    largest, chunk = row[start], start
    for low in range(start, end, _CHUNK):
        top = row[low]
        for at in range(low, min(low + _CHUNK, end)):
            top = max(top, row[at])
        if top > largest:
            largest, chunk = top, low
    for at in range(chunk, end):
        if row[at] == largest:
            return largest, at
    return largest, chunk


@njit((_FF, _N, _I, _I, _F), cache=True)
def keep_best(
    score: NDArray[np.float64],
    first: int,
    rows: NDArray[np.int64],
    nearest: NDArray[np.int64],
    best: NDArray[np.float64],
) -> None:
    """Take the best of a tile ``score`` (rows, slots from ``first``) where it beats that before.

    Ties go to the first slot behind the cluster's own, else to the first: were all the same, then
    neighbours would find each other, and not all the same one. O(size of the tile).
    """
    width = score.shape[1]
    for r in range(rows.size):
        own = rows[r]
        before = min(max(own - first, 0), width)
        if before > 0:
            top, at = _maximum(score[r], 0, before)
            if top > best[own]:
                best[own], nearest[own] = top, first + at
        behind = max(own + 1 - first, 0)
        if behind < width:
            top, at = _maximum(score[r], behind, width)
            if top > best[own] or (top == best[own] and nearest[own] < own):
                best[own], nearest[own] = top, first + at


@njit(cache=True)
def ward_score(u: int, v: int, mean: NDArray[np.float64], size: NDArray[np.float64]) -> float:
    """``-|u| |v| / (|u| + |v|) * |m_u - m_v|^2`` without cancellation: O(p)."""
    score: float = 0.0
    for k in range(mean.shape[1]):
        difference = mean[u, k] - mean[v, k]
        score -= difference * difference
    score *= size[u] * size[v] / (size[u] + size[v])
    return score


@njit((_FF, _N, _I, _FF, _F, _F, _F, _I, _F), cache=True)
def keep_best_ward(
    product: NDArray[np.float64],
    first: int,
    rows: NDArray[np.int64],
    mean: NDArray[np.float64],
    square: NDArray[np.float64],
    size: NDArray[np.float64],
    largest: NDArray[np.float64],
    nearest: NDArray[np.int64],
    best: NDArray[np.float64],
) -> None:
    """Take the best Ward score of a tile of dot products of means, which is overwritten.

    The squared distance ``|m_u|^2 + |m_v|^2 - 2 <m_u, m_v>`` only screens: all whose score is
    within its error bound of the best are computed anew from differences, so that the result is
    exact for close means far from the origin, too. ``square`` (n,) holds the |m|^2 and ``largest``
    (1,) their maximum. O(size of the tile), and O(p) for each that is computed anew.
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
        top, _ = _maximum(row, 0, width)
        error = 4e-16 * (mean.shape[1] + 8.0) * (square[own] + largest[0]) * size[own]
        bar = max(top, best[own]) - 2.0 * error
        if top < bar:
            continue
        for at in range(width):
            if row[at] >= bar and first + at != own:
                exact = ward_score(own, first + at, mean, size)
                behind = nearest[own] < own < first + at
                if exact > best[own] or (exact == best[own] and behind):
                    best[own], nearest[own] = exact, first + at


@njit((_N, _I, _I), cache=True)
def wanted(count: int, nearest: NDArray[np.int64], rows: NDArray[np.int64]) -> int:
    """List in ``rows`` whose nearest to look for next: the new, and the unknown nearest of others.

    Nobody else can be in a pair of mutual nearest that is found next, so that a large cluster that
    is the nearest of all (a long vector, under dot products) costs few searches each time it is
    merged. O(count); returns how many.
    """
    ask = np.zeros(count, np.bool_)
    for i in range(count):
        if nearest[i] == _NEW:
            ask[i] = True
            nearest[i] = UNKNOWN
        elif nearest[i] >= 0 and nearest[nearest[i]] < 0:
            ask[nearest[i]] = True
    found = 0
    for i in range(count):
        if ask[i]:
            rows[found] = i
            found += 1
    return found


@njit((_N, _I, _I), cache=True)
def wanted_on_path(count: int, nearest: NDArray[np.int64], rows: NDArray[np.int64]) -> int:
    """List the one unknown cluster at the end of the path of nearest ones from slot 0.

    That is the nearest-neighbour chain (Murtagh 1983), whose stack is in ``nearest``: at most 3 n
    searches in all. Returns 1, or 0 if the path ends in a pair. O(count).
    """
    at = 0
    for _ in range(count):
        if nearest[at] < 0:
            rows[0] = at
            return 1
        at = nearest[at]
    return 0


@njit((_N, _I, _F), cache=True)
def settle(count: int, nearest: NDArray[np.int64], best: NDArray[np.float64]) -> None:
    """Make the best known pair mutual: of equal scores that rounding put in a circle. O(count)."""
    top = -1
    for i in range(count):
        if nearest[i] >= 0 and nearest[nearest[i]] >= 0 and (top < 0 or best[i] > best[top]):
            top = i
    nearest[nearest[top]] = top
    best[nearest[top]] = best[top]


@njit(cache=True)
def _close_gaps(
    count: int,
    moved: NDArray[np.int64],
    mean: NDArray[np.float64],
    size: NDArray[np.float64],
    node: NDArray[np.int64],
    nearest: NDArray[np.int64],
    best: NDArray[np.float64],
) -> None:
    """Move the last clusters into slots with ``moved < 0``; ``moved`` tells where they went."""
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
    """Merge all pairs of clusters that are each other's nearest; returns how many there are.

    Parameters
    ----------
    count, made : int
        Clusters, and merges made before.
    nearest, best, mean, size, node
        The clusters; changed, and moved so that the first slots hold those that are left.
    merges : (n-1, 4), written
        Two nodes, score and size of each merge, as a linkage matrix in the order of merging. No
        score is above those of the merges below it, whatever the rounding.
    moved : (n,) int64
        Room: where each slot went, negative if into another cluster.

    O(count + p merges).
    """
    n = merges.shape[0] + 1
    already = made
    for i in range(count):
        moved[i] = i
    for i in range(count):
        j = nearest[i]
        if j < 0 or nearest[j] < 0 or moved[i] < 0 or moved[j] < 0:
            continue
        if max(node[i], node[j]) >= n + already:
            continue  # made in this very round
        if nearest[j] != i and best[i] < best[j]:  # equal: a tie, i is as near to j as any
            continue
        u, v = min(i, j), max(i, j)
        both = size[u] + size[v]
        for k in range(mean.shape[1]):
            mean[u, k] = (size[u] * mean[u, k] + size[v] * mean[v, k]) / both
        score = max(best[i], best[j]) if nearest[j] == i else best[i]
        for child in (node[u], node[v]):
            if child >= n:
                score = min(score, merges[child - n, 2])
        merges[made, 0], merges[made, 1] = node[u], node[v]
        merges[made, 2], merges[made, 3] = score, both
        size[u], node[u], moved[v] = both, n + made, -1
        made += 1
    for i in range(count):
        j = nearest[i]
        if moved[i] >= 0 and node[i] >= n + already:
            nearest[i] = _NEW
        elif j >= 0 and (moved[j] < 0 or node[j] >= n + already):
            nearest[i] = UNKNOWN
    _close_gaps(count, moved, mean, size, node, nearest, best)
    return made - already
