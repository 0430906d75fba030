"""Compiled search of 4-AL (Ghoshdastidar, Perrot & von Luxburg 2019). It does not check its input.

Notation. Pairs of items are numbered 0..M-1 in condensed order. S is the antisymmetric matrix of
comparisons over pairs: S[a, b] = 1 if only "a is closer than b" was observed, -1 if only the
opposite, 0 if neither or both. With c[kl] = 1 / (|G(k)| |G(l)|) for items k, l in different ones of
the K clusters, 0 within a cluster, equations 4 and 5 are

    W(G_p, G_q) = 2 / (K (K-1)) * V(p, q),    V(p, q) = 1 / (|G_p| |G_q|) * B(p, q),
    B(p, q) = sum over i in G_p, j in G_q of v[ij],    v = S c.

The factor 2 is due to the sum of equation 5 over ordered r != s. |V| is at most K(K-1)/2 and |W| at
most 1. A merge of two clusters changes c, and so v, only by the columns of S of pairs that contain
their items.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numba.extending import register_jitable
from numpy.typing import NDArray

TIE = 1e-12  # values of W that differ by less are equal: the order of sums changes their rounding

_MERGE = "Tuple((int64, int64, float64))(float64[::1], int64[::1], int64[::1])"


@register_jitable
def sum_blocks(v: NDArray[np.float64], cluster: NDArray[np.int64], B: NDArray[np.float64]) -> None:
    """Write B(p, q) to ``B[p, q]``, p < q. O(M + K^2)."""
    B[:] = 0.0
    pair = 0
    for i in range(cluster.size):
        # One row of B is updated at a time.
        row = B[cluster[i]]
        for j in range(i + 1, cluster.size):
            row[cluster[j]] += v[pair]
            pair += 1
    for p in range(len(B)):
        for q in range(p + 1, len(B)):
            B[p, q] += B[q, p]


@njit(_MERGE, cache=True)
def most_similar(
    v: NDArray[np.float64], cluster: NDArray[np.int64], size: NDArray[np.int64]
) -> tuple[int, int, float]:
    """The next merge: clusters p < q, and W. O(M + K^2) time, 8 K^2 bytes.

    Of the pairs within `TIE` of the largest W it is the first in lexicographic order.

    Parameters
    ----------
    v : (M,) float64
        S c.
    cluster : (n,) int64
        Cluster of each item, 0..K-1.
    size : (K,) int64
        Items of each cluster; at least two clusters.
    """
    K = size.size
    B = np.empty((K, K))
    sum_blocks(v, cluster, B)
    share = 1.0 / size
    best = np.empty(K)  # the largest V of each row
    largest = -np.inf
    for p in range(K - 1):
        row_maximum = -np.inf
        for q in range(p + 1, K):
            row_maximum = max(row_maximum, B[p, q] * share[q])
        best[p] = row_maximum * share[p]
        largest = max(largest, best[p])
    scale = 2.0 / (K * (K - 1.0))
    threshold = largest - TIE / scale
    for p in range(K - 1):
        if best[p] < threshold:
            continue
        for q in range(p + 1, K):
            similarity = B[p, q] * share[q] * share[p]
            if similarity >= threshold:
                return p, q, similarity * scale
    return 0, 1, np.nan
