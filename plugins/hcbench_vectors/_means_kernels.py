"""Compiled steps of agglomeration by cluster means. They do not check their input.

Merges maximise the score of two clusters u, v,

    average linkage of dot products:  <m_u, m_v>                            (or its negative)
    Ward:                             -|u| |v| / (|u| + |v|) * |m_u - m_v|^2

with m the means (the average of all <x, y>, x in u and y in v, is the dot product of the means).
Both are reducible: ``score(u + v, x) <= max(score(u, x), score(v, x))`` if u and v are mutual
nearest clusters. So mutual nearest clusters may be merged at any time, and ``nearest``, with its
score in ``best``, remains valid until the nearest cluster itself is merged; then it is UNKNOWN.

A round is a search for the nearest clusters of some, by `update_nearest` or `update_nearest_ward`,
or in `next_rounds_of_products`, and merges of all pairs that are mutual then.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench_vectors._step_kernels import entry

UNKNOWN = -1  # the nearest cluster must be searched
_NEW = -2  # likewise, for a cluster that was just merged

_CHUNK = 256  # compared with vector instructions before any is looked at


class Clusters(NamedTuple):
    """Clusters in the first ``count`` of n rows, which are called slots, of all arrays."""

    #: (n, p) float64. Means of the vectors.
    mean: NDArray[np.float64]
    #: (n,) float64. Squared lengths of the means.
    square: NDArray[np.float64]
    #: (n,) float64. Numbers of items.
    size: NDArray[np.float64]
    #: (n,) int64. An item of each cluster.
    item: NDArray[np.int64]
    #: (n,) float64. The score of the merge that made the cluster, infinite for an item.
    floor: NDArray[np.float64]
    #: (n,) int64. The slot of the nearest cluster, or UNKNOWN.
    nearest: NDArray[np.int64]
    #: (n,) float64. Its score, negative and infinite before a search.
    best: NDArray[np.float64]


class Rounds(NamedTuple):
    """What all rounds write, for n items."""

    #: (n-1, 4) float64. An item of each of the two clusters of a merge, and the score, in the order
    #: of merging. Rounding never puts a merge above the merges below it.
    merges: NDArray[np.float64]
    #: (n,) int64. Work space: the new slot of each old one, negative if it was merged into another.
    moved: NDArray[np.int64]
    #: (n,) bool. Work space: whether the cluster of a slot must be searched.
    must_search: NDArray[np.bool_]
    #: (n,) int64. The slots to search in the next round.
    rows: NDArray[np.int64]


class Progress(NamedTuple):
    """How far the rounds have come."""

    #: The number of clusters.
    n_clusters: int
    #: The number of those to search in the next round.
    n_rows: int
    #: The number of all searches, including these.
    n_searches: int


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


@register_jitable
def _screen_ward(row: NDArray[np.float64], first: int, slot: int, c: Clusters) -> None:
    """Turn dot products of the mean of a slot with others, from ``first`` on, into Ward's scores.

    By the squared distance ``|m_u|^2 + |m_v|^2 - 2 <m_u, m_v>``. That of the slot with itself is
    negative and infinite.
    """
    size = c.size
    square = c.square
    for at in range(row.size):
        candidate = size[first + at]
        distance = square[slot] + square[first + at] - 2.0 * row[at]
        row[at] = -distance * (size[slot] * candidate / (size[slot] + candidate))
    if first <= slot < first + row.size:
        row[slot - first] = -np.inf


@entry
def update_nearest_ward(
    product: NDArray[np.float64], first: int, count: int, rows: NDArray[np.int64], c: Clusters
) -> None:
    """Update the nearest clusters by Ward's score from a tile of dot products of means.

    The scores by dot products only screen: every one within its error bound of the best is
    recomputed from differences, so the result is exact also for close means far from the origin.
    The tile is overwritten. O(size of the tile), and O(p) for each recomputed score.
    """
    mean = c.mean
    size = c.size
    nearest = c.nearest
    best = c.best
    width = product.shape[1]
    start = 0
    largest = 0.0
    for i in range(count):
        largest = max(largest, c.square[i])
    for r in range(rows.size):
        slot = rows[r]
        row = product[r]
        _screen_ward(row, first, slot, c)
        top, _ = maximum(row, start, width)
        error = 4e-16 * (mean.shape[1] + 8.0) * (c.square[slot] + largest) * size[slot]
        bar = max(top, best[slot]) - 2.0 * error
        if top < bar:
            continue
        for at in range(width):
            if row[at] >= bar and first + at != slot:
                # No score is above 0, that of equal means, of which there may be many: of those
                # only a later slot than the own one counts, and only the first.
                if best[slot] == 0.0 and (nearest[slot] > slot or first + at < slot):
                    continue
                exact = ward_score(slot, first + at, mean, size)
                # Of tied clusters as in `update_nearest`.
                is_after = nearest[slot] < slot < first + at
                if exact > best[slot] or (exact == best[slot] and is_after):
                    best[slot] = exact
                    nearest[slot] = first + at


@register_jitable
def clusters_to_search(
    count: int,
    nearest: NDArray[np.int64],
    must_search: NDArray[np.bool_],
    rows: NDArray[np.int64],
) -> int:
    """List in ``rows`` the clusters to search: new ones, and unknown ones that are a nearest.

    No other cluster can be in the next mutual pair, so a large cluster that is the nearest of all
    others (a long vector, with dot products) costs few searches each time it is merged. O(count);
    returns their number.
    """
    for i in range(count):
        must_search[i] = False
    for i in range(count):
        if nearest[i] == _NEW:
            must_search[i] = True
            nearest[i] = UNKNOWN
        elif nearest[i] >= 0 and nearest[nearest[i]] < 0:
            must_search[nearest[i]] = True
    n_rows = 0
    for i in range(count):
        if must_search[i]:
            rows[n_rows] = i
            n_rows += 1
    return n_rows


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
def _merge_means(c: Clusters, u: int, v: int) -> None:
    """Write the mean of two clusters, its squared length and its size to slot u. O(p)."""
    mean = c.mean
    # Move the mean of u by a part of the difference, so that equal means do not move.
    share = c.size[v] / (c.size[u] + c.size[v])
    square = 0.0
    for k in range(mean.shape[1]):
        mean[u, k] += share * (mean[v, k] - mean[u, k])
        square += mean[u, k] * mean[u, k]
    c.square[u] = square
    c.size[u] += c.size[v]


@register_jitable
def _merge_mutual_pairs(
    c: Clusters, count: int, merges: NDArray[np.float64], moved: NDArray[np.int64]
) -> int:
    """Merge all pairs of mutual nearest clusters; return the number of all merges.

    The cluster of the upper slot goes into that of the lower one, and its ``moved`` is negative
    then. O(count + p merges).
    """
    nearest = c.nearest
    best = c.best
    floor = c.floor
    n_merged: int = merges.shape[0] + 1 - count
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
        score = best[i]
        if nearest[j] == i:
            score = max(score, best[j])
        score = min(score, floor[u], floor[v])
        merges[n_merged, 0] = c.item[u]
        merges[n_merged, 1] = c.item[v]
        merges[n_merged, 2] = score
        _merge_means(c, u, v)
        floor[u] = score
        moved[v] = -1
        nearest[u] = _NEW
        n_merged += 1
    # Those whose nearest cluster was merged do not know it any more.
    for i in range(count):
        j = nearest[i]
        if j >= 0 and (moved[j] < 0 or nearest[j] == _NEW):
            nearest[i] = UNKNOWN
    return n_merged


@register_jitable
def _close_gaps(c: Clusters, count: int, moved: NDArray[np.int64]) -> None:
    """Move the last clusters into the slots with ``moved < 0``; write new slots to ``moved``.

    O(count), and O(p) for each cluster that is moved.
    """
    mean = c.mean
    nearest = c.nearest
    # The first gap from below, and the last cluster from above, until they meet.
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
        c.square[low] = c.square[high]
        c.size[low] = c.size[high]
        c.item[low] = c.item[high]
        c.floor[low] = c.floor[high]
        c.best[low] = c.best[high]
        # An old slot until all clusters are in their places.
        nearest[low] = nearest[high]
        moved[low] = low
        moved[high] = low
        low += 1
        high -= 1
    for i in range(low):
        if nearest[i] >= 0:
            nearest[i] = moved[nearest[i]]


@register_jitable
def merge_round(progress: Progress, most_searches: int, c: Clusters, rounds: Rounds) -> Progress:
    """Merge all pairs of mutual nearest clusters, and list those to search next.

    These are all that may be in a mutual pair; after ``most_searches``, one at a time. Their
    ``best`` becomes infinitely small. The first slots hold the remaining clusters.

    O(count + p merges).
    """
    merges = rounds.merges
    moved = rounds.moved
    rows = rounds.rows
    # Nothing was searched, since no cluster was unknown, and yet no pair was mutual.
    if progress.n_rows == 0:
        break_cycle(progress.n_clusters, c.nearest, c.best)
    n_merged = _merge_mutual_pairs(c, progress.n_clusters, merges, moved)
    _close_gaps(c, progress.n_clusters, moved)
    count = merges.shape[0] + 1 - n_merged
    if progress.n_searches < most_searches:
        n_rows = clusters_to_search(count, c.nearest, rounds.must_search, rows)
    else:
        # Those merged in this round are not new in the next one, even if not searched until then.
        for i in range(count):
            c.nearest[i] = max(c.nearest[i], UNKNOWN)
        n_rows = end_of_chain(count, c.nearest, rows)
    for at in range(n_rows):
        c.best[rows[at]] = -np.inf
    return Progress(count, n_rows, progress.n_searches + n_rows)


#: `merge_round` for Python: the function itself, as one that only calls it would take as long again
#: to compile.
next_round = entry(merge_round)


@register_jitable(fastmath={"reassoc", "contract"})
def _product(mean: NDArray[np.float64], u: int, v: int) -> float:
    """The dot product of two means, with vector instructions."""
    total = 0.0
    for k in range(mean.shape[1]):
        total += mean[u, k] * mean[v, k]
    return total


@register_jitable
def _search_products(rows: NDArray[np.int64], count: int, sign: float, c: Clusters) -> None:
    """Search the nearest clusters of some slots. O(rows count p).

    Of tied clusters the first slot after the own one is used, as by `update_nearest`.
    """
    mean = c.mean
    nearest = c.nearest
    best = c.best
    for at in range(rows.size):
        slot = rows[at]
        for step in range(1, count):
            candidate = slot + step
            if candidate >= count:
                candidate -= count
            score = sign * _product(mean, slot, candidate)
            if score > best[slot]:
                best[slot] = score
                nearest[slot] = candidate


@entry
def next_rounds_of_products(
    progress: Progress, most_searches: int, little: int, sign: float, c: Clusters, rounds: Rounds
) -> Progress:
    """`next_round`, and whole rounds in which ``little`` is searched, so that calls take longer.

    At most ``little`` multiplications. A cluster that is the nearest of all others merges in every
    round, and it alone is searched then.
    """
    while True:
        progress = merge_round(progress, most_searches, c, rounds)
        count = progress.n_clusters
        n_rows = progress.n_rows
        if count == 1 or n_rows * count * c.mean.shape[1] > little:
            return progress
        _search_products(rounds.rows[:n_rows], count, sign, c)
