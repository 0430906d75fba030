"""Compiled loop of 4-AL on all comparisons. It does not check its input.

Notation as in `_kernels`. If every comparison was observed, S[a, b] = sign(rank a - rank b), and

    (S c)[a] = (sum of c over the pairs of lower rank) - (sum of c over those of higher rank)

follows from sums along the ranking, so that neither S nor its block sums are stored.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit, types
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench_quadruplets._kernels import Clusters, most_similar

_PAIRS = types.int32[::1]
_ITEMS = types.int64[::1]
_MERGES = types.int64[:, ::1]
_SIMILARITIES = types.float64[::1]
_STRETCH = 1024  # ranks that are summed together, to limit rounding errors


class Ranking(NamedTuple):
    """The M pairs of items by increasing similarity."""

    #: (M,) int32. Items of each pair.
    i: NDArray[np.int32]
    j: NDArray[np.int32]
    #: (M,) int32. Rank of each pair, from 0 to R - 1; tied pairs have the same.
    rank: NDArray[np.int32]


@register_jitable
def lead_of_ranks(
    ranking: Ranking,
    cluster: NDArray[np.int64],
    share: NDArray[np.float64],
    lead: NDArray[np.float64],
) -> None:
    """(S c) for each rank, by sums along the ranking. O(M).

    Parameters
    ----------
    ranking : Ranking
    cluster : (n,) int64
        Cluster of each item.
    share : (K,) float64
        1 / |G| of each cluster.
    lead : (R,) float64, written
        (S c) of the pairs of each rank.
    """
    i = ranking.i
    j = ranking.j
    rank = ranking.rank
    # First the sum of c over the pairs of each rank.
    lead[:] = 0.0
    for at in range(rank.size):
        p = cluster[i[at]]
        q = cluster[j[at]]
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


@register_jitable
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
    for x in range(cluster.size):
        row = B[cluster[x]]
        for y in range(x + 1, cluster.size):
            row[cluster[y]] += lead[rank[a]]
            a += 1
    for p in range(len(B)):
        for q in range(p + 1, len(B)):
            B[p, q] += B[q, p]


@njit((_PAIRS, _PAIRS, _PAIRS, _PAIRS, _ITEMS, _ITEMS, _MERGES, _SIMILARITIES), cache=True)
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
        The fields of `Ranking`.
    rank : (M,) int32
        Dense ranks of the pairs in condensed order.
    cluster : (n,) int64, changed
        Cluster of each item, numbered by smallest items.
    size : (K,) int64, changed
        Items of each cluster.
    merges, similarities : (K-1, 2), (K-1,), written
        p < q of each merge, where p becomes the union; and W.
    """
    K0 = size.size
    ranking = Ranking(i, j, rising)
    lead = np.empty(0)
    if rising.size > 0:
        lead = np.empty(rising[rising.size - 1] + 1)
    B = np.empty(K0 * K0)
    # Current clusters are numbered 0..K-1 in ``cluster``; these are their initial numbers.
    number = np.arange(K0)
    alive = np.arange(K0)
    for step in range(K0 - 1):
        K = K0 - step
        c = Clusters(size[:K], alive[:K], B[: K * K])
        lead_of_ranks(ranking, cluster, 1.0 / c.size, lead)
        sum_blocks(rank, lead, cluster, c.B.reshape(K, K))
        p, q, W = most_similar(c, K)
        merges[step, 0] = number[p]
        merges[step, 1] = number[q]
        similarities[step] = W
        # Close the gap in the numbers that q leaves.
        size[p] += size[q]
        for at in range(q, K - 1):
            size[at] = size[at + 1]
            number[at] = number[at + 1]
        for item in range(cluster.size):
            if cluster[item] == q:
                cluster[item] = p
            elif cluster[item] > q:
                cluster[item] -= 1
