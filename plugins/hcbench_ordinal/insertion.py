"""InsertionClustering: one item after another, each found its place by binary search."""

from __future__ import annotations

from typing import Literal

import numpy as np

from hcbench import Given, Oracle, Tree
from hcbench_ordinal import _insertion_kernels as kernels
from hcbench_ordinal._tree_kernels import N_INNER, new_tree

Separator = Literal["exact", "fast", "topdown"]

BALANCE = 0.55
"""The search tree is rebuilt where a child holds more of its parent's places than this."""


def insertion_clustering(
    oracle: Oracle,
    given: Given,
    rng: np.random.Generator,
    *,
    separator: Separator = "fast",
    order: Literal["random", "given"] = "random",
) -> Tree:
    """Insert one item after another into the tree of those before it.

    Algorithms 3 and 4 of Emamjomeh-Zadeh & Kempe 2018, after Pearl & Tarsi 1986. Without noise the
    tree is the true one. Of a binary truth, the i-th item costs at most floor(log2(2i-3)) questions
    by the exact search, so all of them fewer than n log2 n.

    Where the answer is NONE, the new item is a further child of the pivot, or below one of its
    other children, which are asked about two at a time, those with the most items first: nodes of
    d children lead to O(d / log d * log n) questions an item (section 6 has that for another
    algorithm), and a star needs them.

    Parameters
    ----------
    oracle : Oracle
        Of kind ordinal-queries. Any answers lead to an end: contradictory ones, to some tree.
    separator : {"exact", "fast", "topdown"}
        Which pivot a search asks about. "exact": the best one, found by a walk down the tree,
        O(height) for each item. "fast": that of a search tree, which is changed in place and in
        part rebuilt with the best pivots where it is out of balance; amortised O(log^2 n) for
        each item at worst, and about as many questions. "topdown": from the root down, as Tamuz et
        al. 2011; as many questions as the tree is high.
    order : {"random", "given"}
        In which items are inserted.

    Returns
    -------
    Tree
        Kind NONE: a rooted topology.

    Raises
    ------
    BudgetExceededError
        If the budget ends before all items are inserted.

    Notes
    -----
    Each question is a round. Memory O(n): 72 bytes an item, by the search tree 104.
    """
    n = given.n
    if n == 1:
        return Tree([-1], names=given.names)
    items = np.arange(n) if order == "given" else rng.permutation(n)
    tree = new_tree(n)
    if separator == "fast":
        oracle.run(kernels.insert_by_search_tree, tree, items, BALANCE)
    else:
        w = np.ones(2 * n - 1, np.int32)
        oracle.run(kernels.insert, tree, w, items, separator == "topdown")
    return Tree.from_parents(tree[0][: n + tree[4][N_INNER]], names=given.names)
