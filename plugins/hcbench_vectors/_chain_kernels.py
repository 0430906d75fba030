"""Compiled average, weighted and complete linkage along a nearest-neighbour chain.

The kernels do not check their input. ``merges`` (n-1, 4), written, holds an item of each of the two
merged clusters and the height, in the order of merging, which is not sorted.

There is one kernel for the pairs of vectors, which take half of the memory of a matrix, and one for
matrices, which is twice as fast.

Of equal distances those are preferred that scipy 1.17 prefers, so that the merges are equal to its
own, ties and rounding included.
"""

from __future__ import annotations

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


@entry
def chain(distance: NDArray[np.float64], linkage: int, merges: NDArray[np.float64]) -> None:
    """UPGMA, WPGMA or complete linkage along a nearest-neighbour chain (Murtagh 1983).

    O(n^2) time, O(n) memory besides ``distance``. A merged cluster is in the lower of the two
    slots, where most of its distances are contiguous, but has the ``rank`` of the upper, which
    decides ties.

    Parameters
    ----------
    distance : (n (n-1) / 2,) float64 or float32
        The pairs in the order of scipy's `pdist`, finite; overwritten. Everything is computed in
        double precision, and rounded where it is stored.
    linkage : {AVERAGE, WEIGHTED, COMPLETE}
    merges
    """
    n = merges.shape[0] + 1
    # ``count`` clusters are in ``width`` slots; those without a cluster have size 0.
    width = n
    count = n
    size = np.empty(n)
    gone = np.empty(n)  # infinite for a slot without a cluster, else 0
    rank = np.empty(n, np.int64)
    # Work space: two rows of distances; the slots that are kept when pairs are compressed, and the
    # new slot of each.
    row = np.empty(n)
    second = np.empty(n)
    kept = np.empty(n, np.int64)
    slot = np.empty(n, np.int64)
    # The chain: each cluster is the nearest one of that before it.
    stack = np.empty(n, np.int64)
    length = 0
    for i in range(n):
        size[i] = 1.0
        gone[i] = 0.0
        rank[i] = i
    for merge in range(n - 1):
        # Few clusters remain: move their pairs together, so that the others are not read.
        if count < _SPARSE * width:
            at = 0
            for i in range(width):
                if size[i] > 0:
                    kept[at] = i
                    slot[i] = at
                    size[at] = size[i]
                    rank[at] = rank[i]
                    at += 1
            at = 0
            for a in range(count):
                start = kept[a] * (2 * width - kept[a] - 3) // 2 - 1
                for b in range(a + 1, count):
                    distance[at] = distance[start + kept[b]]
                    at += 1
            for i in range(length):
                stack[i] = slot[stack[i]]
            width = count
            for i in range(width):
                gone[i] = 0.0
        # A new chain begins at the cluster of lowest rank.
        if length == 0:
            first = -1
            for i in range(width):
                if size[i] > 0 and (first < 0 or rank[i] < rank[first]):
                    first = i
            stack[0] = first
            length = 1
        # Follow nearest neighbours until two clusters are nearest to each other.
        while True:
            x = stack[length - 1]
            _read(distance, width, x, row)
            height, y = nearest_slot(row[:width], gone, rank, np.inf)
            # Of ties the previous one, so that the chain cannot cycle.
            if length > 1 and row[stack[length - 2]] == height:
                y = stack[length - 2]
                break
            stack[length] = y
            length += 1
        length -= 2
        merges[merge, 0] = rank[x]
        merges[merge, 1] = rank[y]
        merges[merge, 2] = height
        # Merge them in the lower slot.
        _read(distance, width, y, second)
        _combine(row[:width], second, size[x], size[y], linkage)
        low = min(x, y)
        high = max(x, y)
        _write(distance, width, low, row)
        rank[low] = max(rank[low], rank[high])
        size[low] = size[low] + size[high]
        size[high] = 0.0
        gone[high] = np.inf
        count -= 1


@register_jitable
def _merge_columns(
    row: NDArray[np.float64],
    pairs: NDArray[np.int64],
    sizes: NDArray[np.float64],
    linkage: int,
) -> None:
    """Merge the columns ``pairs`` (m, 2) of clusters of ``sizes`` (m, 2) in one row: O(m)."""
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


@entry
def chain_of_rows(rows: NDArray[np.float64], linkage: int, merges: NDArray[np.float64]) -> None:
    """As `chain`, with the same merges, of a symmetric matrix ``rows`` (n, n): twice as fast.

    Each row holds all distances of its cluster, so that memory is read in its order: the columns
    of merged clusters are merged when a row is read again. O(n^2) time, O(n) memory besides. The
    chain ends where it would return to itself, also if rounding makes the matrix asymmetric.
    """
    n = merges.shape[0] + 1
    # ``count`` clusters are in ``width`` slots; those without a cluster have size 0.
    width = n
    count = n
    size = np.empty(n)
    rank = np.empty(n, np.int64)
    none = np.empty(n)  # 0: rows have infinite distances to slots without a cluster
    # The slots and sizes of the two clusters of each merge, and the number of merges whose columns
    # are merged in each row.
    pairs = np.empty((n, 2), np.int64)
    sizes = np.empty((n, 2))
    done = np.empty(n, np.int64)
    # Work space: the slots that are kept when rows are moved together, and the new slot of each.
    kept = np.empty(n, np.int64)
    slot = np.empty(n, np.int64)
    # The chain: each cluster is the nearest one of that before it.
    stack = np.empty(n, np.int64)
    waits = np.empty(n, np.bool_)  # is in the chain
    length = 0
    for i in range(n):
        size[i] = 1.0
        none[i] = 0.0
        rank[i] = i
        done[i] = 0
        waits[i] = False
        rows[i, i] = np.inf
    for merge in range(n - 1):
        # Few clusters remain: move their rows together.
        if count < _SPARSE_ROWS * width:
            at = 0
            for i in range(width):
                if size[i] > 0:
                    kept[at] = i
                    slot[i] = at
                    size[at] = size[i]
                    rank[at] = rank[i]
                    waits[at] = waits[i]
                    at += 1
            for a in range(count):
                row = rows[kept[a]]
                to = rows[a]
                since = done[kept[a]]
                _merge_columns(row, pairs[since:merge], sizes[since:merge], linkage)
                for b in range(count):
                    to[b] = row[kept[b]]
                done[a] = merge
            for i in range(length):
                stack[i] = slot[stack[i]]
            width = count
        # A new chain begins at the cluster of lowest rank.
        if length == 0:
            first = -1
            for i in range(width):
                if size[i] > 0 and (first < 0 or rank[i] < rank[first]):
                    first = i
            stack[0] = first
            length = 1
        # Follow nearest neighbours until two clusters are nearest to each other.
        while True:
            x = stack[length - 1]
            row = rows[x, :width]
            since = done[x]
            _merge_columns(row, pairs[since:merge], sizes[since:merge], linkage)
            done[x] = merge
            height, y = nearest_slot(row, none, rank, np.inf)
            # Of ties the previous one, so that the chain cannot cycle.
            if length > 1 and (waits[y] or row[stack[length - 2]] == height):
                y = stack[length - 2]
                break
            stack[length] = y
            waits[x] = True
            length += 1
        length -= 2
        waits[x] = False
        waits[y] = False
        merges[merge, 0] = rank[x]
        merges[merge, 1] = rank[y]
        merges[merge, 2] = height
        # Merge the second row into the first.
        second = rows[y, :width]
        since = done[y]
        _merge_columns(second, pairs[since:merge], sizes[since:merge], linkage)
        _combine(row, second, size[x], size[y], linkage)
        pairs[merge, 0] = x
        pairs[merge, 1] = y
        sizes[merge, 0] = size[x]
        sizes[merge, 1] = size[y]
        rank[x] = max(rank[x], rank[y])
        size[x] = size[x] + size[y]
        size[y] = 0.0
        done[x] = merge + 1
        count -= 1
