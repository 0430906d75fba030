"""Compiled complete linkage of sorted pairs. It does not check its input."""

from __future__ import annotations

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

_ITEMS = types.int64[::1]
_MERGES = types.int64[:, ::1]


@njit(types.void(_ITEMS, _ITEMS, _MERGES), cache=True)
def complete_linkage_of_order(
    i: NDArray[np.int64], j: NDArray[np.int64], merges: NDArray[np.int64]
) -> None:
    """Complete linkage from all pairs i, j (M,), sorted with the most similar ones first.

    Two clusters merge when the last of their pairs of items is reached. O(n^2) time, 4 n^2 bytes.
    ``merges`` (n-1, 2) are written, p < q, where p becomes the union.
    """
    n = len(merges) + 1
    cluster = np.arange(n)
    size = np.ones(n, np.int64)  # 0 of a cluster that was merged into another
    reached = np.zeros((n, n), np.int32)  # pairs of items of clusters p < q reached so far
    step = 0
    for at in range(i.size):
        p = min(cluster[i[at]], cluster[j[at]])
        q = max(cluster[i[at]], cluster[j[at]])
        reached[p, q] += 1
        if reached[p, q] < size[p] * size[q]:
            continue
        merges[step, 0] = p
        merges[step, 1] = q
        step += 1
        size[p] += size[q]
        size[q] = 0
        for r in range(n):
            if cluster[r] == q:
                cluster[r] = p
            if size[r] > 0 and r != p:
                reached[min(p, r), max(p, r)] += reached[min(q, r), max(q, r)]
