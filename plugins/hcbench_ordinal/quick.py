"""QuickClustering: a tree by random splits, as Quicksort sorts."""

from __future__ import annotations

from typing import Literal

import numpy as np

from hcbench import Given, Oracle, Tree
from hcbench_ordinal import _quick_kernels as kernels
from hcbench_ordinal._tree_kernels import N_INNER, new_tree


def quick_clustering(
    oracle: Oracle,
    given: Given,
    rng: np.random.Generator,
    *,
    merge: Literal["descent", "binary-search"] = "descent",
    balance: float = 0.9375,
) -> Tree:
    """Split the items by two random pivots into three, and merge the trees of the parts.

    Algorithms 1 and 2 of Emamjomeh-Zadeh & Kempe 2018: O(n log n) questions expected. Without noise
    the tree is the true one. Items for which the answer is NONE are a fourth part, which takes one
    more question to merge; nodes of many children lead to O(n^2) questions.

    Parameters
    ----------
    oracle : Oracle
        Of kind ordinal-queries. Any answers lead to an end: after 512 tries for a balanced split
        the last one is taken.
    merge : {"descent", "binary-search"}
        How the place of a merged tree is found: from the root down, as published, or with the best
        pivots (footnote 7).
    balance : float
        The largest part of a split that is accepted, as a proportion; 15/16 in the paper.

    Returns
    -------
    Tree
        Kind NONE.

    Raises
    ------
    BudgetExceededError
        If the budget ends before.

    Notes
    -----
    Each question is a round. Expected time O(n log n) and that of the heights of merged trees;
    memory about 150 n bytes.
    """
    n = given.n
    if n == 1:
        return Tree([-1], names=given.names)
    tree, w = new_tree(n), np.ones(2 * n - 1, np.int32)
    seed = int(rng.integers(2**62))
    topdown = merge == "descent"
    oracle.run(kernels.quick, tree, w, np.arange(n), seed, balance, topdown)
    return Tree.from_parents(tree[0][: n + tree[4][N_INNER]], names=given.names)
