"""Compiled loops of 4-AL over lists of comparisons. They do not check their input.

Notation and signatures as in `_kernels`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

from hcbench_quadruplets._index_kernels import COMPARED
from hcbench_quadruplets._kernels import most_similar

_PAIRS, _POSITIONS, _ITEMS = types.uint32[::1], types.int64[::1], types.int64[::1]
_BETWEEN = types.int32[::1]
_MERGES, _SIMILARITIES = types.int64[:, ::1], types.float64[::1]


@njit(cache=True)
def add_column(
    weight: float,
    b: int,
    start: Any,
    middle: Any,
    other: Any,
    slot: NDArray[np.uint32],
    B: NDArray[np.float64],
) -> None:
    """Add ``weight`` times column b of S to the block sums B: O(comparisons with b)."""
    for at in range(start[b], middle[b]):
        B[slot[other[at]]] += weight
    for at in range(middle[b], start[b + 1]):
        B[slot[other[at]]] -= weight


@njit((_POSITIONS, _POSITIONS, _PAIRS, _ITEMS, _ITEMS, _MERGES, _SIMILARITIES), cache=True)
def merge_sparse(
    start: Any,
    middle: Any,
    other: Any,
    cluster: NDArray[np.int64],
    size: NDArray[np.int64],
    merges: NDArray[np.int64],
    similarities: NDArray[np.float64],
) -> None:
    """Perform the first ``len(merges)`` merges, on lists of comparisons.

    Time O(m) for the first sums and, for merging p and q, the number of comparisons of the
    (|G_p| + |G_q|) n pairs that contain their items; memory 4 M + 8 K^2 bytes.

    Parameters
    ----------
    start, middle, other
        The columns of S, of `index_pairs`.
    cluster : (n,) int64, changed
        Cluster of each item, numbered by smallest items; the union has the smaller number.
    size : (K,) int64, changed
        Items of each cluster.
    merges, similarities : (t, 2), (t,), written
        p < q of each merge, and W.
    """
    n, K0 = cluster.size, size.size
    slot = np.empty(n * (n - 1) // 2, np.uint32)  # position in B of the block of each pair of items
    b = 0
    for i in range(n):
        for j in range(i + 1, n):
            slot[b] = min(cluster[i], cluster[j]) * K0 + max(cluster[i], cluster[j])
            b += 1
    B = np.zeros(K0 * K0)  # the diagonal, the sums within clusters, is not used
    b = 0
    for i in range(n):
        for j in range(i + 1, n):
            if cluster[i] != cluster[j]:
                weight = 1.0 / (size[cluster[i]] * size[cluster[j]])
                add_column(weight, b, start, middle, other, slot, B)
            b += 1
    alive = np.arange(K0)
    K = K0
    for step in range(len(merges)):
        first, second, W = most_similar(B, K0, alive, K, size)
        p, q = alive[first], alive[second]
        merges[step, 0], merges[step, 1], similarities[step] = p, q, W

        # Columns between the two get weight 0, those to other clusters a smaller one.
        union = size[p] + size[q]
        for i in range(n):
            if cluster[i] != p and cluster[i] != q:
                continue
            for j in range(n):
                if cluster[j] == cluster[i] or (cluster[i] == q and cluster[j] == p):
                    continue
                low, high = min(i, j), max(i, j)
                b = low * (2 * n - low - 1) // 2 + high - low - 1
                weight = -1.0 / (size[cluster[i]] * size[cluster[j]])
                if cluster[j] != q:
                    weight += 1.0 / (union * size[cluster[j]])
                add_column(weight, b, start, middle, other, slot, B)

        # Rows: the blocks of q are added to those of p.
        for i in range(n):
            if cluster[i] == q:
                cluster[i] = p
        size[p] = union
        for at in range(second, K - 1):
            alive[at] = alive[at + 1]
        K -= 1
        for r in alive[:K]:
            if r != p:
                B[min(p, r) * K0 + max(p, r)] += B[min(q, r) * K0 + max(q, r)]
        for i in range(n):
            if cluster[i] == p:
                for j in range(n):
                    if j != i:
                        low, high = min(i, j), max(i, j)
                        r = cluster[j]
                        b = low * (2 * n - low - 1) // 2 + high - low - 1
                        slot[b] = min(p, r) * K0 + max(p, r)


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
