"""Compiled linkages of distances. The kernels do not check their input.

Notation. ``distance`` (n (n-1) / 2,) float64 holds the pairs in the order of scipy's `pdist`, is
finite and is overwritten. ``merges`` (n-1, 4), written, holds an item of each of the two merged
clusters and the height, in the order of merging; `label` turns it into a linkage matrix, once it
is sorted unless heights may decrease.

Of equal distances those are preferred that scipy 1.17 prefers, so that the merges are equal to its
own, ties and rounding included; those of `generic` are equal to its own up to ties and rounding.
"""

from __future__ import annotations

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

from hcbench.compiled import inner

#: Codes of the distances of vectors.
EUCLIDEAN, MANHATTAN, SQUARED = 0, 1, 2
#: Codes of the linkages of `chain`.
AVERAGE, WEIGHTED, COMPLETE = 0, 1, 2

_BLOCK = 512  # columns whose sums remain in the cache
_CHUNK = 128  # compared with vector instructions before any is looked at
_SPARSE = 0.8  # proportion of remaining clusters below which the arrays are compressed
_SPARSE_ROWS = 0.5  # the same for the rows of `chain_of_rows`

_F, _FF, _I = types.float64[::1], types.float64[:, ::1], types.int64[::1]
_N = types.int64
_GIVEN = types.Array(types.float64, 2, "C", readonly=True)


@inner
def _measure(
    point: NDArray[np.float64],
    columns: NDArray[np.float64],
    first: int,
    metric: int,
    out: NDArray[np.float64],
) -> None:
    """Distances of ``point`` (p,) to the columns from ``first`` on, one for each entry of ``out``.

    Coordinates are summed in their order, as `pdist` does, so that equal distances remain equal.
    """
    for j in range(out.size):
        out[j] = 0.0
    rest = point.size // 3 * 3
    for k in range(0, rest, 3):  # together, so that the sums are read and written less often
        x, y, z = point[k], point[k + 1], point[k + 2]
        xs = columns[k, first : first + out.size]
        ys = columns[k + 1, first : first + out.size]
        zs = columns[k + 2, first : first + out.size]
        if metric == MANHATTAN:
            for j in range(out.size):
                out[j] = out[j] + abs(x - xs[j]) + abs(y - ys[j]) + abs(z - zs[j])
        else:
            for j in range(out.size):
                dx, dy, dz = x - xs[j], y - ys[j], z - zs[j]
                out[j] = out[j] + dx * dx + dy * dy + dz * dz
    for k in range(rest, point.size):
        x, xs = point[k], columns[k, first : first + out.size]
        if metric == MANHATTAN:
            for j in range(out.size):
                out[j] += abs(x - xs[j])
        else:
            for j in range(out.size):
                dx = x - xs[j]
                out[j] += dx * dx
    if metric == EUCLIDEAN:
        for j in range(out.size):
            out[j] = np.sqrt(out[j])


@njit((_FF, _N, _F), cache=True)
def measure_pairs(columns: NDArray[np.float64], metric: int, distance: NDArray[np.float64]) -> None:
    """Write the distances of all pairs of the columns of ``columns`` (p, n): O(n^2 p)."""
    p, n = columns.shape
    point, block = np.empty(p), np.empty(_BLOCK)
    for low in range(0, n, _BLOCK):
        high = min(low + _BLOCK, n)
        for i in range(high - 1):
            for k in range(p):
                point[k] = columns[k, i]
            first = max(low, i + 1)
            part = block[: high - first]
            _measure(point, columns, first, metric, part)
            start = i * (2 * n - i - 3) // 2 - 1 + first
            for j in range(part.size):
                distance[start + j] = part[j]


@inner
def _nearest(
    distance: NDArray[np.float64],
    first: int,
    gone: NDArray[np.float64],
    rank: NDArray[np.int64],
    smallest: float,
    nearest: int,
) -> tuple[float, int]:
    """The smallest of ``distance``, of slots from ``first`` on, and ``smallest``, of ``nearest``.

    Of equal distances the one of lowest rank. Slots with infinite ``gone`` are ignored.
    """
    for low in range(0, distance.size, _CHUNK):
        part = distance[low : low + _CHUNK]
        without = gone[first + low : first + low + part.size]
        n_closer = 0
        for j in range(part.size):
            n_closer += part[j] + without[j] <= smallest
        if n_closer == 0:
            continue
        for j in range(part.size):
            value, slot = part[j] + without[j], first + low + j
            if value < smallest or (value == smallest < np.inf and rank[slot] < rank[nearest]):
                smallest, nearest = value, slot
    return smallest, nearest


@inner
def _compress(distance: NDArray[np.float64], width: int, kept: NDArray[np.int64]) -> None:
    """Keep the pairs of the slots ``kept``, in increasing order, of ``width`` slots: O(kept^2)."""
    at = 0
    for a in range(kept.size):
        i = kept[a]
        start = i * (2 * width - i - 3) // 2 - 1
        for b in range(a + 1, kept.size):
            distance[at] = distance[start + kept[b]]
            at += 1


@njit((_F, _N, _FF), cache=True)
def chain(distance: NDArray[np.float64], linkage: int, merges: NDArray[np.float64]) -> None:
    """UPGMA, WPGMA or complete linkage along a nearest-neighbour chain (Murtagh 1983).

    O(n^2) time, O(n) memory besides ``distance``. A merged cluster is in the lower of the two
    slots, where most of its distances are contiguous, but has the ``rank`` of the upper, which
    decides ties.
    """
    n = width = count = merges.shape[0] + 1
    size, gone, rank = np.ones(n), np.zeros(n), np.arange(n)
    other, stack, length = np.empty(n), np.empty(n, np.int64), 0
    kept, slot = np.empty(n, np.int64), np.empty(n, np.int64)
    for merge in range(n - 1):
        if count < _SPARSE * width:
            at = 0
            for i in range(width):
                if size[i] > 0:
                    kept[at], slot[i] = i, at
                    size[at], rank[at] = size[i], rank[i]
                    at += 1
            _compress(distance, width, kept[:count])
            for i in range(length):
                stack[i] = slot[stack[i]]
            width = count
            for i in range(width):
                gone[i] = 0.0
        if length == 0:
            stack[0], length = -1, 1
            for i in range(width):
                if size[i] > 0 and (stack[0] < 0 or rank[i] < rank[stack[0]]):
                    stack[0] = i
        while True:
            x = stack[length - 1]
            at = x - 1
            for i in range(x):
                other[i] = distance[at]
                at += width - i - 2
            height, y = _nearest(other[:x], 0, gone, rank, np.inf, -1)
            start = x * (2 * width - x - 1) // 2
            row = distance[start : start + width - x - 1]
            height, y = _nearest(row, x + 1, gone, rank, height, y)
            if length > 1:  # for ties the previous one, so that the chain cannot cycle
                u, v = min(x, stack[length - 2]), max(x, stack[length - 2])
                if distance[u * (2 * width - u - 3) // 2 - 1 + v] == height:
                    y = stack[length - 2]
                    break
            stack[length] = y
            length += 1
        length -= 2
        merges[merge, 0], merges[merge, 1], merges[merge, 2] = rank[x], rank[y], height

        u, v = min(x, y), max(x, y)
        at = v - 1
        for i in range(v):
            other[i] = distance[at]
            at += width - i - 2
        start = v * (2 * width - v - 1) // 2
        other[v] = 0.0
        for i in range(v + 1, width):
            other[i] = distance[start + i - v - 1]
        start = u * (2 * width - u - 1) // 2
        row, rest = distance[start : start + width - u - 1], other[u + 1 : width]
        at, a, b = u - 1, size[u], size[v]
        if linkage == AVERAGE:
            for i in range(u):
                distance[at] = (a * distance[at] + b * other[i]) / (a + b)
                at += width - i - 2
            for i in range(row.size):
                row[i] = (a * row[i] + b * rest[i]) / (a + b)
        elif linkage == WEIGHTED:
            for i in range(u):
                distance[at] = 0.5 * (distance[at] + other[i])
                at += width - i - 2
            for i in range(row.size):
                row[i] = 0.5 * (row[i] + rest[i])
        else:
            for i in range(u):
                distance[at] = max(distance[at], other[i])
                at += width - i - 2
            for i in range(row.size):
                row[i] = max(row[i], rest[i])
        rank[u] = max(rank[u], rank[v])
        size[u], size[v], gone[v] = a + b, 0.0, np.inf
        count -= 1


@inner
def _merge_columns(
    row: NDArray[np.float64],
    pairs: NDArray[np.int64],
    sizes: NDArray[np.float64],
    linkage: int,
) -> None:
    """Merge the columns ``pairs`` (m, 2) of clusters of ``sizes`` (m, 2) in one row: O(m)."""
    if linkage == AVERAGE:
        for i in range(len(pairs)):
            u, v, a, b = pairs[i, 0], pairs[i, 1], sizes[i, 0], sizes[i, 1]
            row[u], row[v] = (a * row[u] + b * row[v]) / (a + b), np.inf
    elif linkage == WEIGHTED:
        for i in range(len(pairs)):
            u, v = pairs[i, 0], pairs[i, 1]
            row[u], row[v] = 0.5 * (row[u] + row[v]), np.inf
    else:
        for i in range(len(pairs)):
            u, v = pairs[i, 0], pairs[i, 1]
            row[u], row[v] = max(row[u], row[v]), np.inf


@njit((_FF, _N, _FF), cache=True)
def chain_of_rows(rows: NDArray[np.float64], linkage: int, merges: NDArray[np.float64]) -> None:
    """As `chain`, with the same merges, of a symmetric matrix ``rows`` (n, n): twice as fast.

    Each row holds all distances of its cluster, so that memory is read in its order: the columns
    of merged clusters are merged when a row is read again. O(n^2) time, O(n) memory besides. The
    chain ends where it would return to itself, also if rounding makes the matrix asymmetric.
    """
    n = width = count = merges.shape[0] + 1
    size, rank, none = np.ones(n), np.arange(n), np.zeros(n)
    stack, length = np.empty(n, np.int64), 0
    kept, slot = np.empty(n, np.int64), np.empty(n, np.int64)
    pairs, sizes = np.empty((n, 2), np.int64), np.empty((n, 2))
    done = np.zeros(n, np.int64)  # the number of merges in each row
    waits = np.zeros(n, np.bool_)  # is in the chain
    for i in range(n):
        rows[i, i] = np.inf
    for merge in range(n - 1):
        if count < _SPARSE_ROWS * width:
            at = 0
            for i in range(width):
                if size[i] > 0:
                    kept[at], slot[i] = i, at
                    size[at], rank[at], waits[at] = size[i], rank[i], waits[i]
                    at += 1
            for a in range(count):
                row, to, since = rows[kept[a]], rows[a], done[kept[a]]
                _merge_columns(row, pairs[since:merge], sizes[since:merge], linkage)
                for b in range(count):
                    to[b] = row[kept[b]]
                done[a] = merge
            for i in range(length):
                stack[i] = slot[stack[i]]
            width = count
        if length == 0:
            stack[0], length = -1, 1
            for i in range(width):
                if size[i] > 0 and (stack[0] < 0 or rank[i] < rank[stack[0]]):
                    stack[0] = i
        while True:
            x = stack[length - 1]
            row, since = rows[x, :width], done[x]
            _merge_columns(row, pairs[since:merge], sizes[since:merge], linkage)
            done[x] = merge
            height, y = _nearest(row, 0, none, rank, np.inf, -1)
            if length > 1 and (waits[y] or row[stack[length - 2]] == height):
                y = stack[length - 2]
                break
            stack[length], waits[x] = y, True
            length += 1
        length -= 2
        waits[x] = waits[y] = False
        merges[merge, 0], merges[merge, 1], merges[merge, 2] = rank[x], rank[y], height

        other, since, a, b = rows[y, :width], done[y], size[x], size[y]
        _merge_columns(other, pairs[since:merge], sizes[since:merge], linkage)
        if linkage == AVERAGE:
            for i in range(width):
                row[i] = (a * row[i] + b * other[i]) / (a + b)
        elif linkage == WEIGHTED:
            for i in range(width):
                row[i] = 0.5 * (row[i] + other[i])
        else:
            for i in range(width):
                row[i] = max(row[i], other[i])
        pairs[merge, 0], pairs[merge, 1], sizes[merge, 0], sizes[merge, 1] = x, y, a, b
        rank[x], size[x], size[y], done[x] = max(rank[x], rank[y]), a + b, 0.0, merge + 1
        count -= 1


@njit((_F, types.boolean, _FF), cache=True)
def generic(square: NDArray[np.float64], has_sizes: bool, merges: NDArray[np.float64]) -> None:
    """Centroid linkage, or median linkage without ``has_sizes``, whose heights may decrease.

    The generic algorithm of Müllner (2011, section 3.1): each cluster has a lower bound of its
    distance to the clusters in higher slots, which is searched again if it is the least of all and
    no longer attained. O(n^3) time at worst, O(n^2) on usual data; O(n) memory besides ``square``,
    which is as ``distance``, squared. ``merges`` need not be sorted.
    """
    n = width = count = merges.shape[0] + 1
    size, gone, order, item = np.ones(n), np.zeros(n), np.arange(n), np.arange(n)
    bound, nearest, other = np.empty(n), np.empty(n, np.int64), np.zeros(n)
    kept, slot = np.empty(n, np.int64), np.empty(n, np.int64)
    for i in range(n):
        start = i * (2 * n - i - 1) // 2
        row = square[start : start + n - i - 1]
        bound[i], nearest[i] = _nearest(row, i + 1, gone, order, np.inf, i)
    for merge in range(n - 1):
        if count < _SPARSE * width:
            at = 0
            for i in range(width):
                if gone[i] == 0:
                    kept[at], slot[i] = i, at
                    at += 1
            _compress(square, width, kept[:count])
            width = count
            for i in range(width):
                size[i], item[i], bound[i] = size[kept[i]], item[kept[i]], bound[kept[i]]
                nearest[i] = slot[nearest[kept[i]]]
                gone[i] = 0.0
        while True:
            least, u = _nearest(bound[:width], 0, gone, order, np.inf, -1)
            v = nearest[u]
            start = u * (2 * width - u - 1) // 2
            row = square[start : start + width - u - 1]
            if v > u and row[v - u - 1] == least:
                break
            bound[u], nearest[u] = _nearest(row, u + 1, gone, order, np.inf, u)
        merges[merge, 0], merges[merge, 1], merges[merge, 2] = item[u], item[v], np.sqrt(least)

        a = size[u] / (size[u] + size[v]) if has_sizes else 0.5
        b, less = 1.0 - a, a * (1.0 - a) * least
        size[u], gone[v] = size[u] + size[v], np.inf
        count -= 1
        at = v - 1
        for i in range(v):
            other[i] = square[at]
            at += width - i - 2
        start = v * (2 * width - v - 1) // 2
        for i in range(v + 1, width):
            other[i] = square[start + i - v - 1]
        at = u - 1
        for i in range(u):
            if gone[i] == 0:
                near = max(a * square[at] + b * other[i] - less, 0.0)
                square[at] = near
                if nearest[i] == v:
                    nearest[i] = u
                if near < bound[i]:
                    bound[i], nearest[i] = near, u
            at += width - i - 2
        for i in range(u + 1, v):
            if nearest[i] == v:
                nearest[i] = i  # unknown
        rest = other[u + 1 : width]
        for i in range(row.size):
            row[i] = max(a * row[i] + b * rest[i] - less, 0.0)
        bound[u], nearest[u] = _nearest(row, u + 1, gone, order, np.inf, u)


@njit((_FF, _N, _FF), cache=True)
def prim(columns: NDArray[np.float64], metric: int, merges: NDArray[np.float64]) -> None:
    """Single linkage from the order in which Prim's algorithm reaches the items.

    The heights are those of the minimum spanning tree, and each is between the items that are
    reached one after the other (Müllner 2011, section 3.3). O(n^2 p) time, O(n p) memory;
    ``columns`` (p, n) is overwritten.
    """
    p, n = columns.shape
    point, part = np.empty(p), np.empty(_BLOCK)
    item, gone, reach = np.arange(n), np.zeros(n), np.full(n, np.inf)
    kept, width, at = np.empty(n, np.int64), n, 0
    for merge in range(n - 1):
        gone[at] = np.inf
        merges[merge, 0] = item[at]
        for k in range(p):
            point[k] = columns[k, at]
        if n - merge - 1 < _SPARSE * width:
            to = 0
            for i in range(width):
                if gone[i] == 0:
                    item[to], reach[to], kept[to] = item[i], reach[i], i
                    to += 1
            width = to
            for i in range(width):
                gone[i] = 0.0
            for k in range(p):
                for i in range(width):
                    columns[k, i] = columns[k, kept[i]]
        smallest, at = np.inf, -1
        for low in range(0, width, _BLOCK):
            high = min(low + _BLOCK, width)
            block = part[: high - low]
            _measure(point, columns, low, metric, block)
            known = reach[low:high]
            for j in range(high - low):
                known[j] = min(known[j], block[j])
            smallest, at = _nearest(known, low, gone, item, smallest, at)
        merges[merge, 1], merges[merge, 2] = item[at], smallest


@njit((_GIVEN, types.float64, _FF), cache=True)
def prim_of_matrix(matrix: NDArray[np.float64], sign: float, merges: NDArray[np.float64]) -> None:
    """As `prim`, of the distances ``sign * matrix`` (n, n): O(n^2) time, O(n) memory besides."""
    n, at = len(matrix), 0
    item, gone, reach = np.arange(n), np.zeros(n), np.full(n, np.inf)
    for merge in range(n - 1):
        gone[at], merges[merge, 0] = np.inf, at
        row = matrix[at]
        for i in range(n):
            reach[i] = min(reach[i], sign * row[i])
        merges[merge, 2], at = _nearest(reach, 0, gone, item, np.inf, -1)
        merges[merge, 1] = at


@njit((_FF,), cache=True)
def label(merges: NDArray[np.float64]) -> None:
    """Turn merges in their order into a linkage matrix: O(n) but for a slow factor."""
    n = merges.shape[0] + 1
    parent, size = np.arange(2 * n - 1), np.ones(2 * n - 1)
    for row in range(n - 1):
        for side in range(2):
            item = root = int(merges[row, side])
            while parent[root] != root:
                root = parent[root]
            while parent[item] != root:
                parent[item], item = root, parent[item]
            merges[row, side] = root
        u, v = int(merges[row, 0]), int(merges[row, 1])
        parent[u] = parent[v] = n + row
        size[n + row] = merges[row, 3] = size[u] + size[v]
        merges[row, 0], merges[row, 1] = min(u, v), max(u, v)
