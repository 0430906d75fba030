"""Compiled steps of agglomeration by cluster means. They do not check their input.

Notation. ``count`` clusters are in the first rows ("slots") of all arrays: ``mean`` (n, p),
``square`` (n,) its squared length, ``size`` (n,) float64, ``item`` (n,) one of its items, ``floor``
(n,) the score of its merge, infinite for an item. Merges maximise the score of two clusters u, v,

    average linkage of dot products:  <m_u, m_v>                            (or its negative)
    Ward:                             -|u| |v| / (|u| + |v|) * |m_u - m_v|^2

with m the means (the average of all <x, y>, x in u and y in v, is the dot product of the means).
Both are reducible: ``score(u + v, x) <= max(score(u, x), score(v, x))`` if u and v are mutual
nearest clusters. So mutual nearest clusters may be merged at any time, and ``nearest`` (n,), with
its score in ``best`` (n,), remains valid until the nearest cluster itself is merged; then it is
UNKNOWN.
"""

from __future__ import annotations

import numba
import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench_vectors._step_kernels import entry

UNKNOWN = -1  # the nearest cluster must be searched
_NEW = -2  # likewise, for a cluster that was just merged

_CHUNK = 256  # compared with vector instructions before any is looked at


@register_jitable
def maximum(row: NDArray[np.float64], start: int, end: int) -> tuple[float, int]:
    """The maximum of ``row[start:end]``, which is not empty, and its first index."""
    largest = row[start]
    place = start
    for low in range(start, end, _CHUNK):
        part = row[low : min(low + _CHUNK, end)]
        n_larger = 0
        for at in range(part.size):
            n_larger += part[at] > largest
        if n_larger == 0:
            continue
        for at in range(part.size):
            if part[at] > largest:
                largest = part[at]
                place = low + at
    return largest, place


@entry
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
    start = 0
    for r in range(rows.size):
        slot = rows[r]
        before = min(max(slot - first, 0), width)
        if before > 0:
            top, at = maximum(score[r], start, before)
            if top > best[slot]:
                best[slot] = top
                nearest[slot] = first + at
        after = max(slot + 1 - first, 0)
        if after < width:
            top, at = maximum(score[r], after, width)
            if top > best[slot] or (top == best[slot] and nearest[slot] < slot):
                best[slot] = top
                nearest[slot] = first + at


@register_jitable
def ward_score(u: int, v: int, mean: NDArray[np.float64], size: NDArray[np.float64]) -> float:
    """``-|u| |v| / (|u| + |v|) * |m_u - m_v|^2`` without cancellation: O(p)."""
    score: float = 0.0
    for k in range(mean.shape[1]):
        difference = mean[u, k] - mean[v, k]
        score -= difference * difference
    score *= size[u] * size[v] / (size[u] + size[v])
    return score


@entry
def update_nearest_ward(
    product: NDArray[np.float64],
    first: int,
    count: int,
    rows: NDArray[np.int64],
    mean: NDArray[np.float64],
    square: NDArray[np.float64],
    size: NDArray[np.float64],
    nearest: NDArray[np.int64],
    best: NDArray[np.float64],
) -> None:
    """Update the nearest clusters by Ward's score from a tile of dot products of means.

    The squared distance ``|m_u|^2 + |m_v|^2 - 2 <m_u, m_v>`` only screens: every score within its
    error bound of the best is recomputed from differences, so the result is exact also for close
    means far from the origin. The tile is overwritten. O(size of the tile), and O(p) for each
    recomputed score.
    """
    width = product.shape[1]
    start = 0
    largest = 0.0
    for i in range(count):
        largest = max(largest, square[i])
    for r in range(rows.size):
        slot = rows[r]
        row = product[r]
        for at in range(width):
            candidate = size[first + at]
            distance = square[slot] + square[first + at] - 2.0 * row[at]
            row[at] = -distance * (size[slot] * candidate / (size[slot] + candidate))
        if first <= slot < first + width:
            row[slot - first] = -np.inf
        top, _ = maximum(row, start, width)
        error = 4e-16 * (mean.shape[1] + 8.0) * (square[slot] + largest) * size[slot]
        bar = max(top, best[slot]) - 2.0 * error
        if top < bar:
            continue
        for at in range(width):
            if row[at] >= bar and first + at != slot:
                exact = ward_score(slot, first + at, mean, size)
                after = nearest[slot] < slot < first + at
                if exact > best[slot] or (exact == best[slot] and after):
                    best[slot] = exact
                    nearest[slot] = first + at


@register_jitable
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


@register_jitable
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


@register_jitable
def break_cycle(count: int, nearest: NDArray[np.int64], best: NDArray[np.float64]) -> None:
    """Make the best known pair mutual if rounding put equal scores into a cycle. O(count)."""
    top = -1
    for i in range(count):
        if nearest[i] >= 0 and nearest[nearest[i]] >= 0 and (top < 0 or best[i] > best[top]):
            top = i
    nearest[nearest[top]] = top
    best[nearest[top]] = best[top]


@register_jitable
def _close_gaps(
    count: int,
    moved: NDArray[np.int64],
    mean: NDArray[np.float64],
    square: NDArray[np.float64],
    size: NDArray[np.float64],
    item: NDArray[np.int64],
    floor: NDArray[np.float64],
    nearest: NDArray[np.int64],
    best: NDArray[np.float64],
) -> None:
    """Move the last clusters into the slots with ``moved < 0``; write new slots to ``moved``."""
    low = 0
    high = count - 1
    while True:
        while low <= high and moved[low] >= 0:
            low += 1
        while high >= low and moved[high] < 0:
            high -= 1
        if low > high:
            break
        for k in range(mean.shape[1]):
            mean[low, k] = mean[high, k]
        square[low] = square[high]
        size[low] = size[high]
        item[low] = item[high]
        floor[low] = floor[high]
        nearest[low] = nearest[high]
        best[low] = best[high]
        moved[low] = low
        moved[high] = low
        low = low + 1
        high = high - 1
    for i in range(low):
        if nearest[i] >= 0:
            nearest[i] = moved[nearest[i]]


@register_jitable
def _merge_round(
    count: int,
    n_searched: int,
    in_rounds: bool,
    nearest: NDArray[np.int64],
    best: NDArray[np.float64],
    mean: NDArray[np.float64],
    square: NDArray[np.float64],
    size: NDArray[np.float64],
    item: NDArray[np.int64],
    floor: NDArray[np.float64],
    merges: NDArray[np.float64],
    moved: NDArray[np.int64],
    rows: NDArray[np.int64],
) -> tuple[int, int]:
    """Merge all pairs of mutual nearest clusters, and list those to search next.

    Parameters
    ----------
    count, n_searched : int
        Numbers of clusters, and of those searched since the last round.
    in_rounds : bool
        Search for all that may be in a mutual pair, otherwise one at a time.
    nearest, best, mean, square, size, item, floor
        The clusters; changed, and moved so that the first slots hold the remaining ones.
    merges : (n-1, 4), written
        An item of each of the two clusters and the score, in the order of merging. Rounding never
        puts a merge above the merges below it.
    moved : (n,) int64
        Work space: the new slot of each old one, negative if it was merged into another.
    rows : (n,) int64, written
        The clusters to search, whose ``best`` becomes infinitely small.

    Returns
    -------
    int, int
        Numbers of clusters, and of those to search.

    O(count + p merges).
    """
    if n_searched == 0:
        break_cycle(count, nearest, best)
    n_merged = merges.shape[0] + 1 - count
    for i in range(count):
        moved[i] = i
    for i in range(count):
        j = nearest[i]
        if j < 0 or nearest[j] < 0 or moved[i] < 0 or moved[j] < 0:
            continue  # unknown, or merged in this round
        if nearest[j] != i and best[i] < best[j]:  # equal scores: i is also a nearest of j
            continue
        u = min(i, j)
        v = max(i, j)
        # Move the mean of u by a part of the difference, so that equal means do not move.
        share = size[v] / (size[u] + size[v])
        total = 0.0
        for k in range(mean.shape[1]):
            mean[u, k] += share * (mean[v, k] - mean[u, k])
            total += mean[u, k] * mean[u, k]
        score = max(best[i], best[j]) if nearest[j] == i else best[i]
        score = min(score, floor[u], floor[v])
        merges[n_merged, 0] = item[u]
        merges[n_merged, 1] = item[v]
        merges[n_merged, 2] = score
        square[u] = total
        size[u] += size[v]
        floor[u] = score
        moved[v] = -1
        nearest[u] = _NEW
        n_merged += 1
    for i in range(count):
        j = nearest[i]
        if j >= 0 and (moved[j] < 0 or nearest[j] == _NEW):
            nearest[i] = UNKNOWN
    _close_gaps(count, moved, mean, square, size, item, floor, nearest, best)
    count = merges.shape[0] + 1 - n_merged
    if in_rounds:
        n_rows = clusters_to_search(count, nearest, rows)
    else:
        # Those merged in this round are not new in the next one, even if not searched until then.
        for i in range(count):
            nearest[i] = max(nearest[i], UNKNOWN)
        n_rows = end_of_chain(count, nearest, rows)
    for at in range(n_rows):
        best[rows[at]] = -np.inf
    return count, n_rows


@entry
def next_round(
    count: int,
    n_searched: int,
    n_searches: int,
    most_searches: int,
    nearest: NDArray[np.int64],
    best: NDArray[np.float64],
    mean: NDArray[np.float64],
    square: NDArray[np.float64],
    size: NDArray[np.float64],
    item: NDArray[np.int64],
    floor: NDArray[np.float64],
    merges: NDArray[np.float64],
    moved: NDArray[np.int64],
    rows: NDArray[np.int64],
) -> tuple[int, int, int]:
    """`_merge_round`; after ``most_searches`` clusters are searched one at a time.

    Returns
    -------
    int, int, int
        Numbers of clusters, of those to search, and of all searches.
    """
    count, n_searched = _merge_round(
        count, n_searched, n_searches < most_searches, nearest, best, mean, square, size, item,
        floor, merges, moved, rows,
    )  # fmt: skip
    return count, n_searched, n_searches + n_searched


@numba.njit(cache=True, fastmath={"reassoc", "contract"})
def _product(mean: NDArray[np.float64], u: int, v: int) -> float:
    """The dot product of two means, with vector instructions."""
    total = 0.0
    for k in range(mean.shape[1]):
        total += mean[u, k] * mean[v, k]
    return total


@entry
def next_rounds_of_products(
    count: int,
    n_searched: int,
    n_searches: int,
    most_searches: int,
    little: int,
    sign: float,
    nearest: NDArray[np.int64],
    best: NDArray[np.float64],
    mean: NDArray[np.float64],
    square: NDArray[np.float64],
    size: NDArray[np.float64],
    item: NDArray[np.int64],
    floor: NDArray[np.float64],
    merges: NDArray[np.float64],
    moved: NDArray[np.int64],
    rows: NDArray[np.int64],
) -> tuple[int, int, int]:
    """`next_round`, and whole rounds in which ``little`` is searched, so that calls take longer.

    At most ``little`` multiplications. A cluster that is the nearest of all others merges in every
    round, and it alone is searched then. Of tied clusters, `update_nearest` uses the same one.
    """
    while True:
        count, n_searched = _merge_round(
            count, n_searched, n_searches < most_searches, nearest, best, mean, square, size, item,
            floor, merges, moved, rows,
        )  # fmt: skip
        n_searches += n_searched
        if count == 1 or n_searched * count * mean.shape[1] > little:
            return count, n_searched, n_searches
        for at in range(n_searched):
            slot = rows[at]
            for step in range(1, count):
                candidate = slot + step
                if candidate >= count:
                    candidate -= count
                score = sign * _product(mean, slot, candidate)
                if score > best[slot]:
                    best[slot] = score
                    nearest[slot] = candidate
