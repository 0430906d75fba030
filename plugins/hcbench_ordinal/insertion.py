"""InsertionClustering: insert one item after another, each by binary search."""

from __future__ import annotations

from typing import Literal

import numpy as np

from hcbench import Items, Oracle, Tree
from hcbench_ordinal import _insertion_kernels as kernels
from hcbench_ordinal._tree_kernels import N_INNER, new_tree

Separator = Literal["exact", "fast", "topdown"]

BALANCE = 0.55
"""The search tree is rebuilt if a child has more than this proportion of its parent's places."""


def insertion_clustering(
    oracle: Oracle,
    items: Items,
    rng: np.random.Generator,
    *,
    separator: Separator = "fast",
    order: Literal["random", "given"] = "random",
) -> Tree:
    """Insert one item after another into the tree of the previous ones.

    Algorithms 3 and 4 of Emamjomeh-Zadeh & Kempe 2018, after Pearl & Tarsi 1986. Without noise the
    result is the true tree. If it is binary, the exact search takes at most floor(log2(2i-3))
    queries for the i-th item, so fewer than n log2 n in total.

    After the answer NONE, the new item is a new child of the pivot, or below one of its other
    children, which are queried two at a time, those with the most items first: nodes of d children
    take O(d / log d * log n) queries per item (section 6 has this bound for another algorithm), and
    a star needs that many.

    Parameters
    ----------
    oracle : Oracle
        Of kind ordinal-queries. With contradictory answers the result is some tree.
    separator : {"exact", "fast", "topdown"}
        Choice of the pivot of a query. "exact": the best one, by a walk down the tree, O(height)
        for each item. "fast": that of a search tree, which is updated in place and partly rebuilt
        with the best pivots if it is out of balance; amortised O(log^2 n) for each item in the
        worst case, and about as many queries. "topdown": from the root down, as Tamuz et al. 2011;
        the number of queries is proportional to the height of the tree.
    order : {"random", "given"}
        Order of insertion.

    Returns
    -------
    Tree
        Kind NONE: a rooted topology.

    Raises
    ------
    BudgetExceededError
        If the budget is exhausted before all items are inserted.

    Notes
    -----
    Each query is a round. Memory O(n): 72 bytes per item, 104 with the search tree.
    """
    n = items.n
    if n == 1:
        return Tree([-1], names=items.names)
    if order == "random":
        insertion_order = rng.permutation(n)
    else:
        insertion_order = np.arange(n)
    tree = new_tree(n)
    if separator == "fast":
        oracle.run(kernels.insert_by_search_tree, tree, insertion_order, BALANCE)
    else:
        w = np.ones(2 * n - 1, np.int32)
        oracle.run(kernels.insert, tree, w, insertion_order, separator == "topdown")
    return Tree.from_parents(tree.parent[: n + tree.counts[N_INNER]], names=items.names)
