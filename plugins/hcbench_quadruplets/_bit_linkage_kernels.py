"""Compiled merging of 4-AL on dense comparisons, as bits. It does not check its input.

Notation as in `_kernels`; columns of S are summed by `_bit_sums_kernels`. Numbers for each pair of
items, as v = S c, are in the order of `_bit_sums_kernels.places`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench.compiled import count_ones
from hcbench_quadruplets._bit_sums_kernels import BITS, MOST, count_columns
from hcbench_quadruplets._kernels import most_similar

_ITEMS, _MERGES, _FLOATS = types.int64[::1], types.int64[:, ::1], types.float64[::1]


@register_jitable
def add_columns(
    columns: NDArray[np.int64],
    weight: float,
    won: Any,
    lost: Any,
    width: int,
    v: NDArray[np.float64],
) -> None:
    """Add ``weight`` times the columns of S to v.

    O(columns M / 64 + M).
    """
    for start in range(0, columns.size, MOST):
        last = start + MOST if start + MOST < columns.size else columns.size
        some = columns[start:last]
        sums = count_columns(some, won, lost, width)
        less = np.int32(some.size)
        for at in range(v.size):
            v[at] += weight * np.int32(np.int32(sums[at]) - less)


@register_jitable
def add_cluster(
    own: int,
    scale: float,
    cluster: NDArray[np.int64],
    kind: NDArray[np.int64],
    columns: NDArray[np.int64],
    won: Any,
    lost: Any,
    width: int,
    v: NDArray[np.float64],
) -> None:
    """Add ``scale / kind[j]`` times column ij of S to v for i in a cluster, j of kind above 0.

    Columns of the same weight are summed as integers first; ``columns`` has room for them.
    """
    n, size = cluster.size, 0
    while True:
        larger = n + 1
        for j in range(n):
            if size < kind[j] < larger:
                larger = kind[j]
        if larger > n:
            return
        size = larger
        listed = 0
        for i in range(n):
            if cluster[i] != own:
                continue
            for j in range(n):
                if kind[j] == size:
                    low, high = (i, j) if i < j else (j, i)
                    columns[listed] = low * (2 * n - low - 1) // 2 + high - low - 1
                    listed += 1
        add_columns(columns[:listed], scale / size, won, lost, width, v)


@register_jitable
def sum_all_columns(
    won: Any, lost: Any, width: int, place: NDArray[np.int64], v: NDArray[np.float64]
) -> None:
    """Write the sums of all columns of S to v: in each row, its ones minus those of ``lost``."""
    for a in range(place.size):
        more, fewer = np.uint64(0), np.uint64(0)
        ahead, behind = won[a * width : (a + 1) * width], lost[a * width : (a + 1) * width]
        for word in range(ahead.size):
            more += count_ones(ahead[word])
            fewer += count_ones(behind[word])
        v[place[a]] = np.float64(np.int64(more) - np.int64(fewer))


@register_jitable
def sum_rows(v: NDArray[np.float64], slot: NDArray[np.uint32], B: NDArray[np.float64]) -> None:
    """Write into B the sums of v over the blocks of pairs of clusters. O(M)."""
    for b in range(B.size):
        B[b] = 0.0
    for at in range(v.size):
        B[slot[at]] += v[at]


@register_jitable
def name_blocks(
    own: int, cluster: NDArray[np.int64], place: NDArray[np.int64], K: int, slot: NDArray[np.uint32]
) -> None:
    """Write the positions in B of the blocks of pairs of items of a cluster."""
    n = cluster.size
    for i in range(n):
        if cluster[i] == own:
            for j in range(n):
                if i != j:
                    low, high = (i, j) if i < j else (j, i)
                    b = low * (2 * n - low - 1) // 2 + high - low - 1
                    p, q = (own, cluster[j]) if own < cluster[j] else (cluster[j], own)
                    slot[place[b]] = p * K + q


@njit(
    (
        *(BITS, BITS, types.int64, _ITEMS, _ITEMS, _ITEMS, _ITEMS, _ITEMS, _ITEMS),
        *(types.uint32[::1], _FLOATS, _FLOATS, _MERGES, _FLOATS),
    ),
    cache=True,
)
def merge_bits(
    won: Any,
    lost: Any,
    width: int,
    place: NDArray[np.int64],
    cluster: NDArray[np.int64],
    size: NDArray[np.int64],
    alive: NDArray[np.int64],
    kind: NDArray[np.int64],
    columns: NDArray[np.int64],
    slot: NDArray[np.uint32],
    v: NDArray[np.float64],
    B: NDArray[np.float64],
    merges: NDArray[np.int64],
    similarities: NDArray[np.float64],
) -> None:
    """Perform the first ``len(merges)`` merges.

    Time O(M^2 / 64) for the first sums and, for merging p and q, O(M / 64) for each of the
    (|G_p| + |G_q|) n pairs that contain their items, and O(M) for each distinct size of the other
    clusters.

    Parameters
    ----------
    won, lost : (64 w w,) uint64
        The rows of `hcbench.Comparisons.bits`.
    width : int
        w.
    place : (M,) int64
        `_bit_sums_kernels.places`.
    cluster : (n,) int64, changed
        Cluster of each item, numbered by smallest items; the union has the smaller number.
    size, alive : (K,) int64, changed
        Items of each cluster; and 0..K-1, the current clusters.
    kind, columns : (n,), (n n // 4 + 1,), changed
        Room for the size of the cluster of each item, 0 if that is excluded; and for columns of S.
    slot : (64 w,), changed
        K K, the entry of B for positions without a pair.
    v : (64 w,), changed
        Zeros.
    B : (K K + 1,), changed
        Room.
    merges, similarities : (t, 2), (t,), written
        p < q of each merge, and W.
    """
    n, K0, K = cluster.size, size.size, size.size
    for p in range(K0):
        name_blocks(p, cluster, place, K0, slot)
    if n == K0:
        sum_all_columns(won, lost, width, place, v)
    else:
        for p in range(K0):
            for j in range(n):
                kind[j] = size[cluster[j]] if cluster[j] > p else 0
            scale = 1 / size[p]
            add_cluster(p, scale, cluster, kind, columns, won, lost, width, v)
    for step in range(len(merges)):
        sum_rows(v, slot, B)
        first, second, W = most_similar(B, K0, alive, K, size)
        p, q = alive[first], alive[second]
        merges[step, 0], merges[step, 1], similarities[step] = p, q, W

        # Columns between the two get weight 0, those to other clusters a smaller one.
        for j in range(n):
            kind[j] = size[q] if cluster[j] == q else 0
        scale = -1 / size[p]
        add_cluster(p, scale, cluster, kind, columns, won, lost, width, v)
        for j in range(n):
            kind[j] = 0 if cluster[j] == p or cluster[j] == q else size[cluster[j]]
        union = size[p] + size[q]
        alike = size[p] == size[q]  # equal weights: their columns are processed together
        for i in range(n):
            if alike and cluster[i] == q:
                cluster[i] = p
        for own in (p, q):
            if own == p or not alike:
                scale = 1 / union - 1 / size[own]
                add_cluster(own, scale, cluster, kind, columns, won, lost, width, v)
        for i in range(n):
            if cluster[i] == q:
                cluster[i] = p
        name_blocks(p, cluster, place, K0, slot)
        size[p] = union
        for at in range(second, K - 1):
            alive[at] = alive[at + 1]
        K -= 1
