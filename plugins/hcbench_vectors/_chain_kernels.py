"""Compiled average, weighted and complete linkage along a nearest-neighbour chain.

The kernels do not check their input. ``merges`` (n-1, 4), written, holds an item of each of the two
merged clusters and the height, in the order of merging, which is not sorted.

A chain starts anywhere and goes on to the nearest cluster of its last one, whose distance never
grows, until two clusters are nearest to each other. These are merged, whatever pairs are closer
elsewhere, as the linkages are reducible: a merged cluster is not closer to a third one than its two
parts were, so that mutual nearest clusters remain so until they are merged, and the rest of the
chain remains valid (Murtagh 1983; Müllner 2011, section 3.2).

There is one kernel for the pairs of vectors, which take half of the memory of a matrix, and one for
matrices, which is twice as fast.

Of equal distances those are preferred that scipy 1.17 prefers, so that the merges are equal to its
own, ties and rounding included.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench_vectors._step_kernels import entry, nearest_slot

#: Codes of the linkages.
AVERAGE = 0
WEIGHTED = 1
COMPLETE = 2

_SPARSE = 0.8  # proportion of remaining clusters below which pairs are compressed
_SPARSE_ROWS = 0.5  # the same for rows


class Clusters(NamedTuple):
    """The clusters in n slots, of which the first ``width`` are used, and the chain."""

    #: (n,) float64. Numbers of items; 0 for a slot without a cluster.
    size: NDArray[np.float64]
    #: (n,) int64. The largest item of each cluster: of ties that of lowest rank is preferred.
    rank: NDArray[np.int64]
    #: (n,) int64. The slots of the chain: each cluster is the nearest one of that before it.
    stack: NDArray[np.int64]
    #: (n,) int64. Work space: the old slot of each new one when clusters are moved together.
    kept: NDArray[np.int64]
    #: (n,) int64. Work space: the new slot of each old one.
    slot: NDArray[np.int64]


def new_clusters(n: int) -> Clusters:
    """Each item is a cluster. The chain is empty."""
    # Allocated here and not in a kernel, where it would take longer to compile.
    return Clusters(
        size=np.ones(n),
        rank=np.arange(n),
        stack=np.empty(n, np.int64),
        kept=np.empty(n, np.int64),
        slot=np.empty(n, np.int64),
    )


# ---- What both kernels do ------------------------------------------------------------------------


@register_jitable
def _lowest_rank(c: Clusters, width: int) -> int:
    """The slot of the cluster of lowest rank, where a new chain begins."""
    size = c.size
    rank = c.rank
    first = -1
    for i in range(width):
        if size[i] > 0 and (first < 0 or rank[i] < rank[first]):
            first = i
    return first


@register_jitable
def _move_together(c: Clusters, width: int, length: int) -> None:
    """Move the clusters into the first slots, and note in ``kept`` where they were.

    The chain, of ``length`` clusters, follows them.
    """
    # Local names, as reading a field in the loop would count its references each time.
    size = c.size
    rank = c.rank
    kept = c.kept
    slot = c.slot
    count = 0
    for i in range(width):
        if size[i] > 0:
            kept[count] = i
            slot[i] = count
            size[count] = size[i]
            rank[count] = rank[i]
            count += 1
    for i in range(length):
        c.stack[i] = slot[c.stack[i]]


@register_jitable
def _combine(
    row: NDArray[np.float64], second: NDArray[np.float64], a: float, b: float, linkage: int
) -> None:
    """Write the distances of a merged cluster, of parts of sizes a and b, into the first row.

    The means of equal distances are equal to them only without rounding; distances of 0 remain 0.
    """
    if linkage == COMPLETE:
        for i in range(row.size):
            row[i] = max(row[i], second[i])
        return
    if linkage == WEIGHTED:
        a = 1.0
        b = 1.0
    for i in range(row.size):
        row[i] = (a * row[i] + b * second[i]) / (a + b)


# ---- Pairs ---------------------------------------------------------------------------------------


class PairRows(NamedTuple):
    """Work space of `chain`: two rows of distances, of n slots."""

    #: (n,) float64. Distances of the last cluster of the chain.
    last: NDArray[np.float64]
    #: (n,) float64. Distances of the cluster that it is merged with.
    second: NDArray[np.float64]
    #: (n,) float64. Infinite for a slot without a cluster, otherwise 0.
    gone: NDArray[np.float64]


def new_pair_rows(n: int) -> PairRows:
    """Work space for n slots, each of a cluster."""
    return PairRows(last=np.empty(n), second=np.empty(n), gone=np.zeros(n))


@register_jitable
def _read(distance: NDArray[np.float64], width: int, x: int, row: NDArray[np.float64]) -> None:
    """Copy the distances of slot x, of ``width`` slots, to ``row``; its own is infinite."""
    at = x - 1
    for i in range(x):
        row[i] = distance[at]
        at += width - i - 2
    row[x] = np.inf
    start = x * (2 * width - x - 1) // 2
    upper = row[x + 1 : width]
    pairs = distance[start : start + width - x - 1]
    for i in range(upper.size):
        upper[i] = pairs[i]


@register_jitable
def _write(distance: NDArray[np.float64], width: int, x: int, row: NDArray[np.float64]) -> None:
    """The inverse of `_read`."""
    at = x - 1
    for i in range(x):
        distance[at] = row[i]
        at += width - i - 2
    start = x * (2 * width - x - 1) // 2
    upper = row[x + 1 : width]
    pairs = distance[start : start + width - x - 1]
    for i in range(upper.size):
        pairs[i] = upper[i]


@register_jitable
def _compress_pairs(
    distance: NDArray[np.float64], kept: NDArray[np.int64], width: int, count: int
) -> None:
    """Move the pairs of the ``count`` slots that are kept, of ``width``, together. O(count^2)."""
    at = 0
    for a in range(count):
        start = kept[a] * (2 * width - kept[a] - 3) // 2 - 1
        for b in range(a + 1, count):
            distance[at] = distance[start + kept[b]]
            at += 1


@register_jitable
def _follow_pairs(
    c: Clusters, work: PairRows, distance: NDArray[np.float64], width: int, length: int
) -> tuple[int, float]:
    """Follow nearest neighbours until two clusters are nearest to each other.

    These are the last two of the chain then. Returns its length, and their distance.
    """
    while True:
        x = c.stack[length - 1]
        _read(distance, width, x, work.last)
        height, nearest = nearest_slot(work.last[:width], work.gone, c.rank, np.inf)
        # Of ties the previous one, so that the chain cannot cycle.
        if length > 1 and work.last[c.stack[length - 2]] == height:
            return length, height
        c.stack[length] = nearest
        length += 1


@register_jitable
def _merge_pairs(
    c: Clusters,
    work: PairRows,
    distance: NDArray[np.float64],
    width: int,
    x: int,
    y: int,
    linkage: int,
) -> None:
    """Merge the clusters x, whose distances are in ``last``, and y in the lower slot. O(width).

    Most of the distances of the lower slot are contiguous. The rank is that of the upper one.
    """
    _read(distance, width, y, work.second)
    _combine(work.last[:width], work.second, c.size[x], c.size[y], linkage)
    low = min(x, y)
    high = max(x, y)
    _write(distance, width, low, work.last)
    c.rank[low] = max(c.rank[low], c.rank[high])
    c.size[low] += c.size[high]
    c.size[high] = 0.0
    work.gone[high] = np.inf


@entry
def chain(
    distance: NDArray[np.float64],
    linkage: int,
    c: Clusters,
    work: PairRows,
    merges: NDArray[np.float64],
) -> None:
    """UPGMA, WPGMA or complete linkage along a nearest-neighbour chain (Murtagh 1983).

    O(n^2) time, O(n) memory besides ``distance``.

    Parameters
    ----------
    distance : (n (n-1) / 2,) float64 or float32
        The pairs in the order of scipy's `pdist`, finite; overwritten. Everything is computed in
        double precision, and rounded where it is stored.
    linkage : {AVERAGE, WEIGHTED, COMPLETE}
    c, work
        New ones; changed.
    merges
    """
    n = merges.shape[0] + 1
    width = n
    length = 0
    for merge in range(n - 1):
        # Few clusters remain: move their pairs together, so that the others are not read.
        count = n - merge
        if count < _SPARSE * width:
            _move_together(c, width, length)
            _compress_pairs(distance, c.kept, width, count)
            width = count
            for i in range(width):
                work.gone[i] = 0.0
        if length == 0:
            c.stack[0] = _lowest_rank(c, width)
            length = 1
        length, height = _follow_pairs(c, work, distance, width, length)
        # The last two leave the chain.
        length -= 2
        y = c.stack[length]
        x = c.stack[length + 1]
        merges[merge, 0] = c.rank[x]
        merges[merge, 1] = c.rank[y]
        merges[merge, 2] = height
        _merge_pairs(c, work, distance, width, x, y, linkage)


# ---- Rows ----------------------------------------------------------------------------------------


class RowMerges(NamedTuple):
    """What `chain_of_rows` notes of the merges, to merge their columns when a row is read."""

    #: (n, 2) int64. The slots of the two clusters of each merge; the first one remains.
    pairs: NDArray[np.int64]
    #: (n, 2) float64. Their sizes.
    sizes: NDArray[np.float64]
    #: (n,) int64. The number of merges whose columns are merged in each row.
    done: NDArray[np.int64]
    #: (n,) bool. Whether a cluster is in the chain.
    waits: NDArray[np.bool_]
    #: (n,) float64. Zeros: rows have infinite distances to slots without a cluster.
    none: NDArray[np.float64]


def new_row_merges(n: int) -> RowMerges:
    """No merges."""
    return RowMerges(
        pairs=np.empty((n, 2), np.int64),
        sizes=np.empty((n, 2)),
        done=np.zeros(n, np.int64),
        waits=np.zeros(n, np.bool_),
        none=np.zeros(n),
    )


@register_jitable
def _merge_columns(
    row: NDArray[np.float64], history: RowMerges, since: int, until: int, linkage: int
) -> None:
    """Merge the columns of the clusters of some merges in one row: O(number of these merges)."""
    pairs = history.pairs[since:until]
    sizes = history.sizes[since:until]
    for i in range(len(pairs)):
        u = pairs[i, 0]
        v = pairs[i, 1]
        if linkage == COMPLETE:
            row[u] = max(row[u], row[v])
        elif linkage == WEIGHTED:
            row[u] = 0.5 * (row[u] + row[v])
        else:
            a = sizes[i, 0]
            b = sizes[i, 1]
            row[u] = (a * row[u] + b * row[v]) / (a + b)
        row[v] = np.inf


@register_jitable
def _compress_rows(
    c: Clusters, history: RowMerges, rows: NDArray[np.float64], count: int, merge: int, linkage: int
) -> None:
    """Move the rows and columns of the ``count`` slots that are kept together. O(count^2)."""
    kept = c.kept
    for a in range(count):
        history.waits[a] = history.waits[kept[a]]
        row = rows[kept[a]]
        to = rows[a]
        _merge_columns(row, history, history.done[kept[a]], merge, linkage)
        for b in range(count):
            to[b] = row[kept[b]]
        history.done[a] = merge


@register_jitable
def _follow_rows(
    c: Clusters,
    history: RowMerges,
    rows: NDArray[np.float64],
    width: int,
    length: int,
    merge: int,
    linkage: int,
) -> tuple[int, float]:
    """As `_follow_pairs`. The columns of all merges are merged in the rows that are read.

    The chain ends where it would return to itself, also if rounding makes the matrix asymmetric.
    """
    while True:
        x = c.stack[length - 1]
        row = rows[x, :width]
        _merge_columns(row, history, history.done[x], merge, linkage)
        history.done[x] = merge
        height, nearest = nearest_slot(row, history.none, c.rank, np.inf)
        # Of ties the previous one, so that the chain cannot cycle.
        if length > 1 and (history.waits[nearest] or row[c.stack[length - 2]] == height):
            return length, height
        c.stack[length] = nearest
        history.waits[x] = True
        length += 1


@register_jitable
def _merge_rows(
    c: Clusters,
    history: RowMerges,
    rows: NDArray[np.float64],
    width: int,
    x: int,
    y: int,
    merge: int,
    linkage: int,
) -> None:
    """Merge row y into row x, and note the merge for the columns of the others. O(width)."""
    first = rows[x, :width]
    second = rows[y, :width]
    _merge_columns(second, history, history.done[y], merge, linkage)
    _combine(first, second, c.size[x], c.size[y], linkage)
    history.pairs[merge, 0] = x
    history.pairs[merge, 1] = y
    history.sizes[merge, 0] = c.size[x]
    history.sizes[merge, 1] = c.size[y]
    # Row x holds the distances of the merged cluster, infinite to both of its parts.
    history.done[x] = merge + 1
    c.rank[x] = max(c.rank[x], c.rank[y])
    c.size[x] += c.size[y]
    c.size[y] = 0.0


@entry
def chain_of_rows(
    rows: NDArray[np.float64],
    linkage: int,
    c: Clusters,
    history: RowMerges,
    merges: NDArray[np.float64],
) -> None:
    """As `chain`, with the same merges, of a symmetric matrix ``rows`` (n, n): twice as fast.

    Each row holds all distances of its cluster, so that memory is read in its order: the columns
    of merged clusters are merged when a row is read again. O(n^2) time, O(n) memory besides.
    """
    n = merges.shape[0] + 1
    width = n
    length = 0
    for i in range(n):
        rows[i, i] = np.inf
    for merge in range(n - 1):
        # Few clusters remain: move their rows together.
        count = n - merge
        if count < _SPARSE_ROWS * width:
            _move_together(c, width, length)
            _compress_rows(c, history, rows, count, merge, linkage)
            width = count
        if length == 0:
            c.stack[0] = _lowest_rank(c, width)
            length = 1
        length, height = _follow_rows(c, history, rows, width, length, merge, linkage)
        # The last two leave the chain.
        length -= 2
        y = c.stack[length]
        x = c.stack[length + 1]
        history.waits[x] = False
        history.waits[y] = False
        merges[merge, 0] = c.rank[x]
        merges[merge, 1] = c.rank[y]
        merges[merge, 2] = height
        _merge_rows(c, history, rows, width, x, y, merge, linkage)
