"""Compiled average linkage of a matrix of similarities. It does not check its input."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit, types
from numba.extending import register_jitable
from numpy.typing import NDArray

# A signature, so that the kernel is compiled, or read from the cache, when it is imported.
_MATRIX = types.float64[:, ::1]
_MERGES = types.int64[:, ::1]
_MEANS = types.float64[::1]


class Clusters(NamedTuple):
    """Clusters of n items, numbered by their smallest items."""

    #: (n, n) float64. Similarities of items; then their sums over pairs of clusters.
    B: NDArray[np.float64]
    #: (n,) int64. The number of items of each cluster.
    size: NDArray[np.int64]
    #: (n,) int64. The numbers of the K current clusters come first, in their order.
    alive: NDArray[np.int64]
    #: (n,) float64. The largest mean similarity of each cluster with a later one.
    best: NDArray[np.float64]
    #: (n,) int64. That later cluster, the first of equal ones.
    partner: NDArray[np.int64]


@register_jitable
def mean_similarity(c: Clusters, p: int, q: int) -> float:
    """B(p, q) / (|G_p| |G_q|). A quotient of exact sums is rounded once: equal means are equal."""
    mean: float = c.B[p, q] / (c.size[p] * c.size[q])
    return mean


@register_jitable
def search_row(c: Clusters, K: int, at: int) -> None:
    """Search the later cluster that is most similar to that at a position of ``alive``. O(K)."""
    p = c.alive[at]
    best = -np.inf
    partner = -1
    for later in range(at + 1, K):
        q = c.alive[later]
        mean = mean_similarity(c, p, q)
        if mean > best:
            best = mean
            partner = q
    c.best[p] = best
    c.partner[p] = partner


@register_jitable
def first_largest(c: Clusters, K: int, tie: float) -> tuple[int, int]:
    """Positions in ``alive`` of the two clusters to merge: of ties the first in the order. O(K)."""
    largest = -np.inf
    for p in c.alive[:K]:
        largest = max(largest, c.best[p])
    enough = largest - tie
    first = 0
    while c.best[c.alive[first]] < enough:
        first += 1
    p = c.alive[first]
    second = first + 1
    while mean_similarity(c, p, c.alive[second]) < enough:
        second += 1
    return first, second


@register_jitable
def unite(c: Clusters, K: int, p: int, second: int) -> None:
    """Make p the union of p and the cluster at ``second``, of K clusters. O(K)."""
    q = c.alive[second]
    c.size[p] += c.size[q]
    for at in range(second, K - 1):
        c.alive[at] = c.alive[at + 1]
    for r in c.alive[: K - 1]:
        if r != p:
            c.B[p, r] += c.B[q, r]
            c.B[r, p] = c.B[p, r]


@register_jitable
def update_rows(c: Clusters, K: int, p: int, q: int) -> None:
    """Update the most similar later clusters after q was merged into p. O(K) but for searches."""
    for at in range(K):
        r = c.alive[at]
        # Later clusters had neither p nor q after them.
        if r >= q:
            break
        if r == p or c.partner[r] == q or c.partner[r] == p:
            search_row(c, K, at)
        elif r < p:
            mean = mean_similarity(c, r, p)
            if mean > c.best[r] or (mean == c.best[r] and p < c.partner[r]):
                c.best[r] = mean
                c.partner[r] = p


@njit((_MATRIX, types.float64, _MERGES, _MEANS), cache=True)
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
    c = Clusters(B, np.ones(n, np.int64), np.arange(n), np.empty(n), np.empty(n, np.int64))
    for p in range(n):
        search_row(c, n, p)
    for step in range(n - 1):
        K = n - step
        first, second = first_largest(c, K, tie)
        p = c.alive[first]
        q = c.alive[second]
        merges[step, 0] = p
        merges[step, 1] = q
        similarities[step] = mean_similarity(c, p, q)
        unite(c, K, p, second)
        update_rows(c, K - 1, p, q)
