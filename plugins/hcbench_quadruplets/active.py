"""Single and complete linkage with queries which of two pairs of items is more similar."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hcbench import HeightKind, Items, Oracle, Tree
from hcbench_quadruplets import _active_kernels as kernels
from hcbench_quadruplets.pairs import check_size

Way = Literal["frugal", "merge-sort"]


def single_linkage(
    oracle: Oracle, items: Items, _rng: np.random.Generator, *, ask: Way = "frugal"
) -> Tree:
    """Single linkage: repeatedly merge the two clusters with the most similar two items.

    Section 3.1 of Ghoshdastidar, Perrot & von Luxburg 2019. For n items and M = n(n-1)/2 pairs:

    Parameters
    ----------
    oracle : Oracle
        Of kind quadruplet-queries. If neither pair is more similar, the first pair in the query
        loses; contradictory answers lead to some tree.
    ask : {"frugal", "merge-sort"}
        "frugal": a spanning tree by Prim's algorithm, typically M + O(n log^2 n) queries and
        M + O(M log n) at worst, then a merge sort of its n - 1 edges. "merge-sort": sort all pairs
        with M - 1 to M ceil(log2 M) queries (proposition 1). Without ties and noise the tree is the
        same.

    Returns
    -------
    Tree
        Kind ORDER: comparisons determine the order of merges, not their similarities.

    Raises
    ------
    BudgetExceededError
        If the budget ends before the tree is complete.
    NotApplicableError
        If there are more than `pairs.MAX_ITEMS` items for a merge sort.

    Notes
    -----
    The time is that of the queries, each of which is a round. Memory O(n), for merge sort 32 M
    bytes.
    """
    if items.n == 1:
        return _single_item(items)
    # Kernels are imported where they are used, as importing them compiles them.
    if ask == "merge-sort":
        i, j = _sorted_pairs(oracle, items.n, "SL")
    else:
        from hcbench_quadruplets._active_single_kernels import spanning_tree

        nearest = np.empty(items.n, np.int64)
        added = np.empty(items.n, np.int64)
        oracle.run(spanning_tree, nearest, added)
        # The edges, in the order in which Prim's algorithm adds them, are sorted by similarity.
        i = added[1:].copy()
        j = nearest[i]
        oracle.run(kernels.sort_pairs, i, j)
    return _tree(i, j, items)


def complete_linkage(
    oracle: Oracle, items: Items, _rng: np.random.Generator, *, ask: Way = "frugal"
) -> Tree:
    """Complete linkage: repeatedly merge the clusters whose least similar items are most similar.

    Section 3.1 of Ghoshdastidar, Perrot & von Luxburg 2019. For n items and M = n(n-1)/2 pairs:

    Parameters
    ----------
    oracle : Oracle
        Of kind quadruplet-queries; ties and contradictions as for `single_linkage`.
    ask : {"frugal", "merge-sort"}
        "frugal": tournaments of the pairs of clusters, typically about 2.5 M queries (a
        nearest-neighbour chain makes about 4 M, and has to sort the merges), O(M log n) at worst.
        "merge-sort": sort all pairs with M - 1 to M ceil(log2 M) queries (proposition 1).
        Without ties and noise the tree is the same.

    Returns
    -------
    Tree
        Kind ORDER.

    Raises
    ------
    BudgetExceededError
        If the budget ends before the tree is complete.
    NotApplicableError
        If there are more than `pairs.MAX_ITEMS` items.

    Notes
    -----
    The time is that of the queries, each of which is a round. Memory 12 M bytes, for merge sort
    32 M + 4 n^2 bytes.
    """
    if items.n == 1:
        return _single_item(items)
    merges = np.empty((items.n - 1, 2), np.int64)
    # As in `single_linkage`.
    if ask == "merge-sort":
        from hcbench_quadruplets._active_order_kernels import complete_linkage_of_order

        i, j = _sorted_pairs(oracle, items.n, "CL")
        complete_linkage_of_order(i, j, merges)
    else:
        from hcbench_quadruplets._active_complete_kernels import complete_linkage

        check_size(items.n, "CL")
        oracle.run(complete_linkage, merges)
    # Each cluster is represented by one of its items.
    return _tree(merges[:, 0].copy(), merges[:, 1].copy(), items)


def _sorted_pairs(oracle: Oracle, n: int, name: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Items of all pairs, (M,) each, sorted with the most similar pairs first."""
    check_size(n, name)
    i, j = np.triu_indices(n, 1)
    i = i.astype(np.int64)
    j = j.astype(np.int64)
    oracle.run(kernels.sort_pairs, i, j)
    return i, j


def _single_item(items: Items) -> Tree:
    return Tree([-1], np.zeros(1), HeightKind.ORDER, items.names)


def _tree(i: NDArray[np.int64], j: NDArray[np.int64], items: Items) -> Tree:
    """Join the clusters of items i and j in their order."""
    height = np.concatenate((np.zeros(items.n), np.arange(1.0, items.n)))
    return Tree(kernels.join_in_order(items.n, i, j), height, HeightKind.ORDER, items.names)
