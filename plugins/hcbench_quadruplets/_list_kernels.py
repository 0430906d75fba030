"""Compiled loops of 4-AL over lists of comparisons. They do not check their input.

Notation and signatures as in `_kernels`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench_quadruplets._index_kernels import COMPARED, items_of
from hcbench_quadruplets._kernels import TIE

_PAIRS, _POSITIONS, _ITEMS = types.uint32[::1], types.int64[::1], types.int64[::1]
_BETWEEN = types.int32[::1]
_MERGES, _FLOATS = types.int64[:, ::1], types.float64[::1]

TOGETHER = 512  # columns that are fetched before they are added


@register_jitable
def add_column(
    weight: float,
    b: int,
    end: Any,
    listed: Any,
    cluster: NDArray[np.uint16],
    row: NDArray[np.uint32],
    B: NDArray[np.float64],
) -> None:
    """Add ``weight`` times column b of S to the block sums B: O(comparisons with b)."""
    for half in (2 * b, 2 * b + 1):
        for at in range(end[half], end[half + 1]):
            i, j = items_of(listed[at])
            p, q = cluster[i], cluster[j]
            B[row[min(p, q)] + max(p, q)] += weight
        weight = -weight


@register_jitable
def fetch(columns: NDArray[np.int64], end: Any, listed: Any, seen: NDArray[np.uint32]) -> None:
    """Read a number or two of each of these columns, to bring them into the cache: O(columns).

    Most are at random places, which are read at the same time here, and one after the other where
    columns are added. ``seen`` (columns,) is written, so that the reads are made.
    """
    for at in range(columns.size):
        seen[at] = end[2 * columns[at]]
    for at in range(columns.size):
        first, last = end[2 * columns[at]], end[2 * columns[at] + 2]
        if first < last:
            seen[at] = listed[first] ^ listed[last - 1]


@register_jitable
def begin_rows(width: int, row: NDArray[np.uint32]) -> None:
    """Write where the rows of B begin, so that B(p, q) is at ``row[p] + q``, p <= q < width."""
    for p in range(width):
        row[p] = p * (2 * width - p - 1) // 2


@register_jitable
def close_gaps(
    alive: NDArray[np.int64],
    width: int,
    cluster: NDArray[np.uint16],
    size: NDArray[np.int64],
    number: NDArray[np.int64],
    row: NDArray[np.uint32],
    B: NDArray[np.float64],
) -> None:
    """Renumber the clusters that are ``alive`` 0, 1, ..., so that B takes less of the cache."""
    new = np.zeros(width, np.uint16)
    for p in range(alive.size):
        new[alive[p]] = p
        start, source = p * (2 * alive.size - p - 1) // 2, row[alive[p]]
        for q in range(p + 1, alive.size):
            B[start + q] = B[source + alive[q]]
    for item in range(cluster.size):
        cluster[item] = new[cluster[item]]
    for p in range(alive.size):
        size[p], number[p], alive[p] = size[alive[p]], number[alive[p]], p
    begin_rows(alive.size, row)


@register_jitable
def next_merge(
    alive: NDArray[np.int64],
    width: int,
    size: NDArray[np.int64],
    row: NDArray[np.uint32],
    B: NDArray[np.float64],
) -> tuple[int, int, float]:
    """The most similar clusters p < q and W, as `most_similar`. O(width^2)."""
    K = alive.size
    best, share = np.empty(K), np.empty(width)  # V of each row that may have the largest
    for p in range(width):
        share[p] = 1.0 / size[p]
    scale = 2.0 / (K * (K - 1.0))
    largest = -np.inf
    for at in range(K - 1):
        p, own, best[at] = alive[at], share[alive[at]], -np.inf
        sums, shares = B[row[p] + p + 1 : row[p] + width], share[p + 1 : width]
        enough = largest - TIE / scale
        n_enough = 0
        for q in range(sums.size):  # with vector instructions
            n_enough += sums[q] * shares[q] * own >= enough
        if n_enough > 0:
            for q in range(sums.size):
                best[at] = max(best[at], sums[q] * shares[q] * own)
            largest = max(largest, best[at])
    enough = largest - TIE / scale
    for at in range(K - 1):
        if best[at] >= enough:
            p = alive[at]
            for q in range(p + 1, width):
                similarity = B[row[p] + q] * share[q] * share[p]
                if similarity >= enough:
                    return p, q, similarity * scale
    return alive[0], alive[1], np.nan


@njit((_POSITIONS, _PAIRS, _ITEMS, _ITEMS, _PAIRS, _FLOATS, _MERGES, _FLOATS), cache=True)
def merge_sparse(
    end: Any,
    listed: Any,
    initial: NDArray[np.int64],
    size: NDArray[np.int64],
    row: NDArray[np.uint32],
    B: NDArray[np.float64],
    merges: NDArray[np.int64],
    similarities: NDArray[np.float64],
) -> None:
    """Perform the first ``len(merges)`` merges, on lists of comparisons.

    Time O(m) for the first sums and, for merging p and q, the number of comparisons of the
    (|G_p| + |G_q|) n pairs that contain their items, and O(K^2).

    Parameters
    ----------
    end, listed
        The columns of S, of `index_pairs`.
    initial : (n,) int64, changed
        Cluster of each item, numbered by smallest items; the union has the smaller number.
    size : (K,) int64, changed
        Items of each cluster.
    row, B : (K,), (K (K+1) / 2,), changed
        Room, and zeros. The sums within clusters are not used.
    merges, similarities : (t, 2), (t,), written
        p < q of each merge, and W.
    """
    n, K, width = initial.size, size.size, size.size
    cluster, number = initial.astype(np.uint16), np.arange(K)  # and what it is called outside
    begin_rows(width, row)
    b = 0
    for i in range(n):
        for j in range(i + 1, n):
            if cluster[i] != cluster[j]:
                weight = 1.0 / (size[cluster[i]] * size[cluster[j]])
                add_column(weight, b, end, listed, cluster, row, B)
            b += 1
    alive = np.arange(K)
    columns, seen = np.empty(TOGETHER, np.int64), np.empty(TOGETHER, np.uint32)
    weights = np.empty(TOGETHER)
    for step in range(len(merges)):
        p, q, W = next_merge(alive[:K], width, size, row, B)
        merges[step, 0], merges[step, 1], similarities[step] = number[p], number[q], W

        # Columns between the two get weight 0, those to other clusters a smaller one.
        union = size[p] + size[q]
        for i in range(n):
            if cluster[i] != p and cluster[i] != q:
                continue
            for first in range(0, n, TOGETHER):
                count = 0
                for j in range(first, min(first + TOGETHER, n)):
                    if cluster[j] == cluster[i] or (cluster[i] == q and cluster[j] == p):
                        continue
                    low, high = min(i, j), max(i, j)
                    columns[count] = low * (2 * n - low - 1) // 2 + high - low - 1
                    weights[count] = -1.0 / (size[cluster[i]] * size[cluster[j]])
                    if cluster[j] != q:
                        weights[count] += 1.0 / (union * size[cluster[j]])
                    count += 1
                fetch(columns[:count], end, listed, seen)
                for at in range(count):
                    add_column(weights[at], columns[at], end, listed, cluster, row, B)

        # Rows: the blocks of q are added to those of p, and q is not found again.
        for i in range(n):
            if cluster[i] == q:
                cluster[i] = p
        size[p] = union
        for at in range(np.searchsorted(alive[:K], q), K - 1):
            alive[at] = alive[at + 1]
        K -= 1
        for r in alive[:K]:
            if r != p:
                B[row[min(p, r)] + max(p, r)] += B[row[min(q, r)] + max(q, r)]
            if r < q:
                B[row[r] + q] = -np.inf
        if 8 * width > 9 * K:
            close_gaps(alive[:K], width, cluster, size, number, row, B)
            width = K
    for item in range(n):
        initial[item] = number[cluster[item]]


@njit((COMPARED, COMPARED, _BETWEEN, types.int64), cache=True)
def net_preferences(
    closer: Any, farther: Any, between: NDArray[np.int32], K: int
) -> NDArray[np.int64]:
    """Sums of S over the blocks of pairs of clusters, (P, P) for P = K(K-1)/2. O(m + P^2).

    ``between`` (M,) is the pair of clusters of each pair of items; comparisons (m,) with a pair
    inside a cluster are ignored.
    """
    P = K * (K - 1) // 2
    beats = np.zeros((P, P), np.int64)
    for at in range(closer.size):
        a, b = between[closer[at]], between[farther[at]]
        if a >= 0 and b >= 0:
            beats[a, b] += 1
    tile = 64  # in tiles, as each entry of a column of the whole is in another cache line
    for top in range(0, P, tile):
        for left in range(top, P, tile):
            for a in range(top, min(top + tile, P)):
                for b in range(max(left, a), min(left + tile, P)):
                    net = beats[a, b] - beats[b, a]
                    beats[a, b] = net
                    beats[b, a] = -net
    return beats
