"""Compiled sums of 4-AL on all comparisons. They do not check their input.

Notation as in `_kernels`. If every comparison was observed, S[a, b] = sign(rank a - rank b), and

    (S c)[a] = (sum of c over the pairs of lower rank) - (sum of c over those of higher rank)

follows from sums along the ranking, so that S is not stored.
"""

from __future__ import annotations

import numpy as np
from numba import njit, types
from numba.extending import register_jitable
from numpy.typing import NDArray

_ITEMS, _RANKS, _FLOATS = types.int64[::1], types.int32[::1], types.float64[::1]
_STRETCH = 1024  # ranks that are summed together, to limit rounding errors


@register_jitable
def sum_by_rank(
    rank: NDArray[np.int32],
    cluster: NDArray[np.int64],
    share: NDArray[np.float64],
    total: NDArray[np.float64],
) -> None:
    """Write the sum of c over the pairs of each rank. O(M)."""
    total[:] = 0.0
    pair = 0
    for i in range(cluster.size):
        p = cluster[i]
        for j in range(i + 1, cluster.size):
            q = cluster[j]
            if p != q:
                total[rank[pair]] += share[p] * share[q]
            pair += 1


@njit(types.void(_RANKS, _ITEMS, _ITEMS, _FLOATS, _FLOATS), cache=True)
def weighted_sums(
    rank: NDArray[np.int32],
    cluster: NDArray[np.int64],
    size: NDArray[np.int64],
    lead: NDArray[np.float64],
    v: NDArray[np.float64],
) -> None:
    """Write v = S c. O(M).

    Parameters
    ----------
    rank : (M,) int32
        Dense ranks of the pairs in condensed order.
    cluster : (n,) int64
        Cluster of each item.
    size : (K,) int64
        Items of each cluster.
    lead : (R,) float64, changed
        Work space: v of the pairs of each rank.
    v : (M,) float64, written
    """
    sum_by_rank(rank, cluster, 1.0 / size, lead)
    everything = size.size * (size.size - 1) / 2  # sum of c
    lower = 0.0  # sum of c over the previous stretches
    for start in range(0, lead.size, _STRETCH):
        stretch = 0.0
        for level in range(start, min(start + _STRETCH, lead.size)):
            tied = lead[level]
            lead[level] = 2.0 * (lower + stretch) + tied - everything
            stretch += tied
        lower += stretch
    for pair in range(v.size):
        v[pair] = lead[rank[pair]]
