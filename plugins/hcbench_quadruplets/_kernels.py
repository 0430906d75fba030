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

from typing import NamedTuple

import numpy as np
from numba import njit, types
from numba.extending import register_jitable
from numpy.typing import NDArray

TIE = 1e-12  # values of W that differ by less are equal: the order of sums changes their rounding

# Signatures, so that all is compiled, or read from the cache, on import: the number of clusters
# decides which of the loops are needed, and no timed call may include their compilation.
_ITEMS = types.int64[::1]
_TABLE = types.int64[:, ::1]
_FLOATS = types.float64[::1]


class Clusters(NamedTuple):
    """K0 initial clusters, of which some were merged into one of a smaller number."""

    #: (K0,) int64. The number of items of each.
    size: NDArray[np.int64]
    #: (K0,) int64. The numbers of the K current clusters come first, in their order.
    alive: NDArray[np.int64]
    #: (K0 K0, or more) float64. Of current clusters p < q, B(p, q) is at p K0 + q; it is -inf if q
    #: is no longer current, so that rows are searched with vector instructions.
    B: NDArray[np.float64]


@register_jitable
def most_similar(c: Clusters, K: int) -> tuple[int, int, float]:
    """The clusters p < q that are merged next, of K, and W. O(K K0).

    Of those within `TIE` of the largest W the first in lexicographic order.
    """
    # Local names, as a field that is read in a loop would be counted as a reference each time.
    alive = c.alive
    B = c.B
    width = c.size.size
    share = np.empty(width)  # 1 / |G_p|
    for p in range(width):
        share[p] = 1.0 / c.size[p]
    scale = 2.0 / (K * (K - 1.0))
    largest = -np.inf
    # V of the best pair of each row, if it may be the largest of all.
    best = np.empty(K)
    for at in range(K - 1):
        best[at] = -np.inf
        p = alive[at]
        sums = B[p * width + p + 1 : (p + 1) * width]
        shares = share[p + 1 :]
        # Count first, with vector instructions: most rows have nothing that is enough.
        enough = largest - TIE / scale
        n_enough = 0
        for q in range(sums.size):
            n_enough += sums[q] * shares[q] * share[p] >= enough
        if n_enough > 0:
            for q in range(sums.size):
                best[at] = max(best[at], sums[q] * shares[q] * share[p])
            largest = max(largest, best[at])
    # The first pair that is as good as the best, up to rounding.
    enough = largest - TIE / scale
    for at in range(K - 1):
        if best[at] >= enough:
            p = alive[at]
            for q in range(p + 1, width):
                similarity = B[p * width + q] * share[q] * share[p]
                if similarity >= enough:
                    return p, q, similarity * scale
    return alive[0], alive[1], np.nan


@register_jitable
def remove(c: Clusters, K: int, q: int, B: NDArray[np.float64]) -> None:
    """Remove cluster q from the K current ones, and from the rows of B. O(K)."""
    alive = c.alive
    width = c.size.size
    at = 0
    while alive[at] < q:
        B[alive[at] * width + q] = -np.inf
        at += 1
    for later in range(at, K - 1):
        alive[later] = alive[later + 1]


@register_jitable
def add_row(weight: float, row: NDArray[np.int64], v: NDArray[np.float64]) -> None:
    """Add ``weight`` times a row to v. O(P)."""
    for b in range(v.size):
        v[b] += weight * row[b]


@register_jitable
def first_sums(size: NDArray[np.int64], S: NDArray[np.int64], v: NDArray[np.float64]) -> None:
    """Write v for the initial clusters, whose pairs are the rows of S in their order. O(P^2)."""
    for b in range(v.size):
        v[b] = 0.0
    a = 0
    for p in range(size.size):
        for q in range(p + 1, size.size):
            add_row(-1.0 / (size[p] * size[q]), S[a], v)
            a += 1


@register_jitable
def join_rows(
    weight: float,
    row: NDArray[np.int64],
    weight_of_source: float,
    source: NDArray[np.int64],
    v: NDArray[np.float64],
) -> None:
    """Add two rows, weighted, to v, and the second to the first. O(P)."""
    for b in range(v.size):
        v[b] += weight * row[b] + weight_of_source * source[b]
        row[b] += source[b]


@register_jitable
def sum_blocks_of_clusters(
    v: NDArray[np.float64],
    cluster: NDArray[np.int64],
    empty: NDArray[np.float64],
    B: NDArray[np.float64],
) -> None:
    """Write into B the sums of v, of pairs of initial clusters, over the current ones. O(P).

    ``empty`` is B without any preference.
    """
    K0 = cluster.size
    for at in range(B.size):
        B[at] = empty[at]
    a = 0
    for x in range(K0):
        for y in range(x + 1, K0):
            p = min(cluster[x], cluster[y])
            q = max(cluster[x], cluster[y])
            B[p * K0 + q] += v[a]
            a += 1


@register_jitable
def merge_rows(
    c: Clusters,
    K: int,
    p: int,
    q: int,
    S: NDArray[np.int64],
    pair: NDArray[np.int64],
    v: NDArray[np.float64],
) -> None:
    """Change S, and v by the columns of the weights that change, for the merge of p and q. O(K P).

    The columns are the rows with the opposite sign.
    """
    size_p = c.size[p]
    size_q = c.size[q]
    # Columns between the two get weight 0, those to other clusters a smaller one.
    add_row(1.0 / (size_p * size_q), S[pair[p, q]], v)
    for at in range(K):
        r = c.alive[at]
        if r != p and r != q:
            size_r = c.size[r]
            weight = 1.0 / ((size_p + size_q) * size_r)
            less_of_p = 1.0 / (size_p * size_r) - weight
            less_of_q = 1.0 / (size_q * size_r) - weight
            join_rows(less_of_p, S[pair[p, r]], less_of_q, S[pair[q, r]], v)


@njit((_TABLE, _TABLE, _ITEMS, _TABLE, _FLOATS), cache=True)
def merge_dense(
    S: NDArray[np.int64],
    pair: NDArray[np.int64],
    size: NDArray[np.int64],
    merges: NDArray[np.int64],
    similarities: NDArray[np.float64],
) -> None:
    """Perform all merges, on the sums of S over pairs of clusters.

    With K0 initial clusters, P = K0 (K0-1)/2 pairs of them and K current clusters, a merge adds 2K
    rows of S in O(K P); 8 P + 16 K0^2 bytes besides S. Rows of S become those of pairs of merged
    clusters, while its columns and v = S c remain those of pairs of initial ones.

    Parameters
    ----------
    S : (P, P) int64, changed
        Sums over the blocks of pairs of clusters, in condensed order.
    pair : (K0, K0) int64
        Row of S for each pair of clusters.
    size : (K0,) int64, changed
        Items of each cluster.
    merges, similarities : (K0-1, 2), (K0-1,), written
        p < q of each merge, where p becomes the union; and W.
    """
    K0 = size.size
    v = np.empty(len(S))
    c = Clusters(size, np.empty(K0, np.int64), np.empty(K0 * K0))
    cluster = np.empty(K0, np.int64)  # the current cluster of each initial one
    for p in range(K0):
        c.alive[p] = p
        cluster[p] = p
    empty = np.empty(K0 * K0)
    for at in range(empty.size):
        empty[at] = 0.0
    first_sums(size, S, v)
    for step in range(K0 - 1):
        K = K0 - step
        sum_blocks_of_clusters(v, cluster, empty, c.B)
        p, q, W = most_similar(c, K)
        merges[step, 0] = p
        merges[step, 1] = q
        similarities[step] = W
        merge_rows(c, K, p, q, S, pair, v)
        size[p] += size[q]
        for x in range(K0):
            if cluster[x] == q:
                cluster[x] = p
        remove(c, K, q, empty)
