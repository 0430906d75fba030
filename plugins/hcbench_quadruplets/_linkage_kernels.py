"""Compiled average linkage of a matrix of similarities. It does not check its input."""

from __future__ import annotations

import numpy as np
from numba import njit, types
from numba.extending import register_jitable
from numpy.typing import NDArray

_MATRIX, _ROW = types.float64[:, ::1], types.float64[::1]
_MERGES, _ITEMS = types.int64[:, ::1], types.int64[::1]


@register_jitable
def best_in_row(
    p: int, B: NDArray[np.float64], alive: NDArray[np.int64], K: int, size: NDArray[np.int64]
) -> tuple[float, int]:
    """The largest mean B(p, q) / (|G_p| |G_q|) of cluster alive[p], q after it; and q. O(K).

    A quotient of exact sums is rounded once, so equal means are equal numbers.
    """
    largest, found = -np.inf, -1
    for at in range(np.searchsorted(alive[:K], p) + 1, K):
        q = alive[at]
        mean = B[p, q] / (size[p] * size[q])
        if mean > largest:
            largest, found = mean, q
    return largest, found


@njit((_MATRIX, types.float64, _MERGES, _ROW), cache=True)
def merge_by_mean(
    B: NDArray[np.float64],
    tie: float,
    merges: NDArray[np.int64],
    similarities: NDArray[np.float64],
) -> None:
    """Average linkage: repeatedly merge the two clusters with the largest mean similarity.

    O(n^2) memory; O(n^2) time if few clusters lose the one most similar to them in a merge, O(n^3)
    in the worst case (many ties).

    Parameters
    ----------
    B : (n, n) float64, symmetric, changed
        Similarities of items; then their sums over pairs of clusters. The diagonal is ignored.
    tie : float
        Means that differ by at most this are equal; of these the first in the lexicographic order
        of (smaller, larger) cluster is merged, clusters being numbered by their smallest item.
    merges, similarities : (n-1, 2), (n-1,), written
        p < q of each merge, where p becomes the union; and their mean similarity.
    """
    n = len(B)
    size = np.ones(n, np.int64)
    alive = np.arange(n)
    best, where = np.empty(n), np.empty(n, np.int64)  # maximum of each row, in later columns
    for p in range(n):
        best[p], where[p] = best_in_row(p, B, alive, n, size)
    K = n
    for step in range(n - 1):
        largest = -np.inf
        for p in alive[:K]:
            largest = max(largest, best[p])
        first = 0
        while best[alive[first]] < largest - tie:
            first += 1
        p = alive[first]
        second = first + 1
        while B[p, alive[second]] / (size[p] * size[alive[second]]) < largest - tie:
            second += 1
        q = alive[second]
        merges[step, 0], merges[step, 1] = p, q
        similarities[step] = B[p, q] / (size[p] * size[q])

        size[p] += size[q]
        for at in range(second, K - 1):
            alive[at] = alive[at + 1]
        K -= 1
        for r in alive[:K]:
            if r != p:
                B[p, r] += B[q, r]
                B[r, p] = B[p, r]
        for r in alive[:K]:
            if r >= q:
                break
            if r == p or where[r] == q or where[r] == p:
                best[r], where[r] = best_in_row(r, B, alive, K, size)
            elif r < p:
                mean = B[r, p] / (size[r] * size[p])
                if mean > best[r] or (mean == best[r] and p < where[r]):
                    best[r], where[r] = mean, p
