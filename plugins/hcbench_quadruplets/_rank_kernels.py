"""Compiled loop of 4-AL on all comparisons. It does not check its input.

Notation as in `_kernels`. If every comparison was observed, S[a, b] = sign(rank a - rank b), and

    (S c)[a] = (sum of c over the pairs of lower rank) - (sum of c over those of higher rank)

follows from sums along the ranking, so that neither S nor its block sums are stored.
"""

from __future__ import annotations

import numpy as np
from numba import njit, types
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench_quadruplets._kernels import most_similar

_ITEMS, _ENDS = types.int64[::1], types.int32[::1]
_MERGES, _SIMILARITIES = types.int64[:, ::1], types.float64[::1]
_STRETCH = 1024  # ranks that are summed together, to limit rounding errors


@register_jitable
def lead_of_ranks(
    i: NDArray[np.int32],
    j: NDArray[np.int32],
    rank: NDArray[np.int32],
    cluster: NDArray[np.int64],
    share: NDArray[np.float64],
    lead: NDArray[np.float64],
) -> None:
    """(S c) for each rank, by sums along the ranking. O(M).

    Parameters
    ----------
    i, j, rank : (M,) int32
        Items and rank of each pair, by increasing similarity.
    cluster : (n,) int64
        Cluster of each item.
    share : (K,) float64
        1 / |G| of each cluster.
    lead : (R,) float64, written
        (S c) of the pairs of each rank.
    """
    lead[:] = 0.0
    for at in range(rank.size):
        p, q = cluster[i[at]], cluster[j[at]]
        if p != q:
            lead[rank[at]] += share[p] * share[q]
    everything = share.size * (share.size - 1) / 2  # sum of c
    lower = 0.0  # sum of c over the previous stretches
    for start in range(0, lead.size, _STRETCH):
        stretch = 0.0
        for level in range(start, min(start + _STRETCH, lead.size)):
            tied = lead[level]
            lead[level] = 2.0 * (lower + stretch) + tied - everything
            stretch += tied
        lower += stretch


@njit(cache=True)
def sum_blocks(
    rank: NDArray[np.int32],
    lead: NDArray[np.float64],
    cluster: NDArray[np.int64],
    B: NDArray[np.float64],
) -> None:
    """Block sums of S c: for clusters p < q at ``B[p, q]``. O(M + K^2).

    ``rank`` (M,) has the pairs in condensed order, so that one row of B is updated at a time.
    """
    B[:] = 0.0
    a = 0
    for one in range(cluster.size):
        p = cluster[one]
        row = B[p]
        for two in range(one + 1, cluster.size):
            row[cluster[two]] += lead[rank[a]]
            a += 1
    for p in range(len(B)):
        for q in range(p + 1, len(B)):
            B[p, q] += B[q, p]


@njit((_ENDS, _ENDS, _ENDS, _ENDS, _ITEMS, _ITEMS, _MERGES, _SIMILARITIES), cache=True)
def merge_ranked(
    i: NDArray[np.int32],
    j: NDArray[np.int32],
    rising: NDArray[np.int32],
    rank: NDArray[np.int32],
    cluster: NDArray[np.int64],
    size: NDArray[np.int64],
    merges: NDArray[np.int64],
    similarities: NDArray[np.float64],
) -> None:
    """Perform all merges. O(M) for each, so n^3/2 in total; memory 8 M + 8 K^2 bytes.

    Parameters
    ----------
    i, j, rising : (M,) int32
        Items and rank of each pair, by increasing similarity.
    rank : (M,) int32
        Dense ranks of the pairs in condensed order.
    cluster : (n,) int64, changed
        Cluster of each item, numbered by smallest items.
    size : (K,) int64, changed
        Items of each cluster.
    merges, similarities : (K-1, 2), (K-1,), written
        p < q of each merge, where p becomes the union; and W.
    """
    K = size.size
    lead = np.empty(rising[rising.size - 1] + 1 if rising.size else 0)
    B = np.empty(K * K)
    number = np.arange(K)  # initial number of each cluster; in `cluster` numbers remain dense
    dense = np.arange(K)
    for step in range(K - 1):
        k = K - step
        sums = B[: k * k]
        lead_of_ranks(i, j, rising, cluster, 1.0 / size[:k], lead)
        sum_blocks(rank, lead, cluster, sums.reshape(k, k))
        p, q, W = most_similar(sums, k, dense, k, size)
        merges[step, 0], merges[step, 1], similarities[step] = number[p], number[q], W
        size[p] += size[q]
        for at in range(q, k - 1):
            size[at], number[at] = size[at + 1], number[at + 1]
        for item in range(cluster.size):
            if cluster[item] == q:
                cluster[item] = p
            elif cluster[item] > q:
                cluster[item] -= 1
