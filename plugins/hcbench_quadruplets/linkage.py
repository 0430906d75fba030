"""Average linkage of a matrix of true similarities or of scores."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hcbench import HeightKind, Items, Oracle, Tree
from hcbench_quadruplets import _linkage_kernels as kernels

ROUNDING = 1e-12
"""Means are tied if they differ by at most this proportion of the largest similarity."""


def true_average_linkage(oracle: Oracle, items: Items, _rng: np.random.Generator) -> Tree:
    """Average linkage on the true similarities w, a reference for methods with comparisons.

    Parameters
    ----------
    oracle : Oracle
        Of kind similarities.

    Returns
    -------
    Tree
        Kind AFFINITY: the height of a merge is the mean similarity of the two clusters, that of
        the leaves the largest similarity of two items. Ties as in `merge_by_mean`.
    """
    merges = merge_by_mean(oracle.read())
    if items.n == 1:
        return Tree([-1], names=items.names)
    top = float(merges[0, 2])
    heights = np.minimum.accumulate(merges[:, 2])  # ties may be merged in the wrong order
    merges[:, 2] = heights
    return Tree.from_linkage(merges, kind=HeightKind.AFFINITY, leaf_height=top, names=items.names)


def tree_by_mean(similarity: NDArray[np.generic], names: tuple[str, ...] | None = None) -> Tree:
    """Average linkage on scores, of whose values only the order is meaningful.

    Parameters
    ----------
    similarity : (n, n) array
        As for `merge_by_mean`.

    Returns
    -------
    Tree
        Kind ORDER; ``linkage`` is the mean of the two clusters of each merge.
    """
    merges = merge_by_mean(similarity)
    if len(similarity) == 1:
        return Tree([-1], np.zeros(1), HeightKind.ORDER, names, np.full(1, np.nan))
    return Tree.from_linkage(merges, kind=HeightKind.ORDER, names=names)


def merge_by_mean(similarity: NDArray[np.generic]) -> NDArray[np.float64]:
    """Repeatedly merge the two clusters with the largest mean similarity.

    Of equally similar clusters the lexicographically smallest pair (smaller, larger) is merged,
    clusters being numbered by their smallest items. Integers are compared exactly, as long as sums
    over clusters are below 2^53; other numbers up to 1e-12 of the largest one.

    Parameters
    ----------
    similarity : (n, n) array of int or float
        Symmetric; the diagonal is ignored.

    Returns
    -------
    (n-1, 4) float64 array
        scipy's linkage matrix, with similarities instead of distances: two clusters, their mean
        similarity, the size of the union. Typically O(n^2) time, O(n^3) at worst; 8 n^2 bytes.
    """
    n = len(similarity)
    sums = np.array(similarity, dtype=np.float64, order="C")
    np.fill_diagonal(sums, 0.0)
    exact = np.asarray(similarity).dtype.kind in "iub"
    tie = 0.0 if exact else ROUNDING * float(np.abs(sums).max(initial=0.0))
    merges = np.empty((n - 1, 2), np.int64)
    means = np.empty(n - 1)
    kernels.merge_by_mean(sums, tie, merges, means)
    return _linkage_matrix(n, merges, means)


def _linkage_matrix(
    n: int, merges: NDArray[np.int64], means: NDArray[np.float64]
) -> NDArray[np.float64]:
    rows = np.empty((n - 1, 4))
    node = np.arange(n)
    size = np.ones(n, np.int64)
    for step, (p, q) in enumerate(merges.tolist()):
        size[p] += size[q]
        rows[step] = node[p], node[q], means[step], size[p]
        node[p] = n + step
    return rows
