"""QuickClustering: a tree by random splits, like Quicksort."""

from __future__ import annotations

from typing import Literal

import numpy as np

from hcbench import Items, Oracle, Tree
from hcbench_ordinal import _quick_kernels as kernels
from hcbench_ordinal._tree_kernels import N_INNER, new_tree


def quick_clustering(
    oracle: Oracle,
    items: Items,
    rng: np.random.Generator,
    *,
    merge: Literal["descent", "binary-search"] = "descent",
    balance: float = 0.9375,
    pivots: Literal["random", "first"] = "random",
) -> Tree:
    """Split the items by two random pivots into three parts, and merge their trees.

    Algorithms 1 and 2 of Emamjomeh-Zadeh & Kempe 2018: O(n log n) expected queries. Without noise
    the result is the true tree. Items with the answer NONE are a fourth part, which takes one more
    query to merge; nodes of many children take O(n^2) queries.

    Parameters
    ----------
    oracle : Oracle
        Of kind ordinal-queries. With contradictory answers, the last split is used after 512
        attempts at a balanced one.
    merge : {"descent", "binary-search"}
        Search for the place of a merged tree: from the root down, as published, or with the best
        pivots (footnote 7).
    balance : float
        Largest accepted part of a split, as a proportion; 15/16 in the paper.
    pivots : {"random", "first"}
        "first": the first two items of each part, whatever the split. This is the deterministic
        variant of Benson et al. that section 1 names: O(n^2) queries.

    Returns
    -------
    Tree
        Kind NONE.

    Raises
    ------
    BudgetExceededError
        If the budget is exhausted.

    Notes
    -----
    Each query is a round. Expected time O(n log n) plus the heights of the merged trees; memory
    about 150 n bytes.
    """
    n = items.n
    if n == 1:
        return Tree([-1], names=items.names)
    tree = new_tree(n)
    w = np.ones(2 * n - 1, np.int32)
    seed = int(rng.integers(2**62))
    topdown = merge == "descent"
    is_random = pivots == "random"
    oracle.run(kernels.quick, tree, w, np.arange(n), seed, balance, topdown, is_random)
    return Tree.from_parents(tree.parent[: n + tree.counts[N_INNER]], names=items.names)
