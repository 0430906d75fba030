"""Compiled loops of 4-AL (Ghoshdastidar, Perrot & von Luxburg 2019). They do not check their input.

Notation. Pairs of items are numbered 0..M-1 in condensed order. S is the antisymmetric matrix of
comparisons over pairs: S[a, b] = 1 if only "a is closer than b" was observed, -1 if only the
opposite, 0 if neither or both. With c[kl] = 1 / (|G(k)| |G(l)|) for items k, l in different ones of
the K clusters, 0 within a cluster, equations 4 and 5 are

    W(G_p, G_q) = 2 / (K (K-1)) * V(p, q),    V(p, q) = 1 / (|G_p| |G_q|) * B(p, q),
    B(p, q) = sum over i in G_p, j in G_q of (S c)[ij].

The factor 2 is due to the sum of equation 5 over ordered r != s. |V| is at most K(K-1)/2 and |W| at
most 1. A merge of two clusters changes c, and so B, only by the columns of S of pairs that contain
their items.
"""

from __future__ import annotations

import numpy as np
from numba import njit, types
from numba.extending import register_jitable
from numpy.typing import NDArray

TIE = 1e-12  # values of W that differ by less are equal: the order of sums changes their rounding

# Signatures, so that all is compiled, or read from the cache, on import: the number of clusters
# decides which of the loops are needed, and no timed call may include their compilation.
_ITEMS, _TABLE, _FLOATS = types.int64[::1], types.int64[:, ::1], types.float64[::1]


@register_jitable
def most_similar(
    B: NDArray[np.float64], width: int, alive: NDArray[np.int64], K: int, size: NDArray[np.int64]
) -> tuple[int, int, float]:
    """The next merge: positions p < q in ``alive``, and W. O(K^2).

    B(p, q) is at ``B[alive[p] * width + alive[q]]``; of those within `TIE` of the largest W the
    first in lexicographic order.
    """
    best, share = np.empty(K), np.empty(size.size)  # V of each row, and 1 / |G_p|
    for p in range(size.size):
        share[p] = 1.0 / size[p]
    largest = -np.inf
    for p in range(K - 1):
        row = alive[p] * width
        most = -np.inf
        for q in range(p + 1, K):
            most = max(most, B[row + alive[q]] * share[alive[q]])
        best[p] = most * share[alive[p]]
        largest = max(largest, best[p])
    scale = 2.0 / (K * (K - 1.0))
    enough = largest - TIE / scale
    for p in range(K - 1):
        if best[p] >= enough:
            row = alive[p] * width
            for q in range(p + 1, K):
                similarity = B[row + alive[q]] * share[alive[q]] * share[alive[p]]
                if similarity >= enough:
                    return p, q, similarity * scale
    return 0, 1, np.nan


@register_jitable
def add_row(weight: float, row: NDArray[np.int64], v: NDArray[np.float64]) -> None:
    """Add ``weight`` times a row to v. O(P)."""
    for b in range(v.size):
        v[b] += weight * row[b]


@register_jitable
def join_rows(
    weight: float,
    to: NDArray[np.int64],
    weight_of_source: float,
    source: NDArray[np.int64],
    v: NDArray[np.float64],
) -> None:
    """Add two rows, weighted, to v, and the second to the first. O(P)."""
    for b in range(v.size):
        v[b] += weight * to[b] + weight_of_source * source[b]
        to[b] += source[b]


@njit((_TABLE, _TABLE, _ITEMS, _ITEMS, _ITEMS, _FLOATS, _FLOATS, _TABLE, _FLOATS), cache=True)
def merge_dense(
    S: NDArray[np.int64],
    pair: NDArray[np.int64],
    size: NDArray[np.int64],
    alive: NDArray[np.int64],
    cluster: NDArray[np.int64],
    v: NDArray[np.float64],
    B: NDArray[np.float64],
    merges: NDArray[np.int64],
    similarities: NDArray[np.float64],
) -> None:
    """Perform all merges, on the sums of S over pairs of clusters.

    With K initial clusters, P = K(K-1)/2 pairs of them and k current clusters, a merge adds 2k rows
    of S in O(k P); 8 P + 16 K^2 bytes besides S. Rows of S become those of pairs of merged
    clusters, while its columns and v = S c remain those of pairs of initial ones. The columns by
    which a merge changes c are the rows with the opposite sign.

    Parameters
    ----------
    S : (P, P) int64, changed
        Sums over the blocks of pairs of clusters, in condensed order.
    pair : (K, K) int64
        Row of S for each pair of clusters.
    size : (K,) int64, changed
        Items of each cluster.
    alive, cluster : (K,) int64, changed
        0..K-1: the current clusters; and that of each initial one.
    v, B : (P,), (K K,), changed
        Zeros; and room.
    merges, similarities : (K-1, 2), (K-1,), written
        p < q of each merge, where p becomes the union; and W.
    """
    K0 = K = size.size
    for p in range(K0):
        for q in range(p + 1, K0):
            add_row(-1.0 / (size[p] * size[q]), S[pair[p, q]], v)
    for step in range(K0 - 1):
        for at in range(B.size):
            B[at] = 0.0
        a = 0
        for x in range(K0):
            for y in range(x + 1, K0):
                p, q = cluster[x], cluster[y]
                B[p * K0 + q if p < q else q * K0 + p] += v[a]
                a += 1
        first, second, W = most_similar(B, K0, alive, K, size)
        p, q = alive[first], alive[second]
        merges[step, 0], merges[step, 1], similarities[step] = p, q, W

        # Columns between the two get weight 0, those to other clusters a smaller one.
        add_row(1.0 / (size[p] * size[q]), S[pair[p, q]], v)
        union = size[p] + size[q]
        for at in range(K):
            r = alive[at]
            if r != p and r != q:
                weight = 1.0 / (union * size[r])
                less = 1.0 / (size[p] * size[r]) - weight
                less_of_q = 1.0 / (size[q] * size[r]) - weight
                join_rows(less, S[pair[p, r]], less_of_q, S[pair[q, r]], v)
        size[p] = union
        for x in range(K0):
            if cluster[x] == q:
                cluster[x] = p
        for at in range(second, K - 1):
            alive[at] = alive[at + 1]
        K -= 1
