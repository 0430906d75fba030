"""Loops of InsertionClustering: algorithm 3 of Emamjomeh-Zadeh & Kempe 2018."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

from hcbench.compiled import ASK, STATE
from hcbench_ordinal._pivot_kernels import MOST_CUTS, NODE, A, B, learn, place, start
from hcbench_ordinal._search_tree_kernels import (
    MOST_DEPTH,
    join_first_two,
    learn_search,
    place_search,
    start_search,
)
from hcbench_ordinal._tree_kernels import TREE

_WEIGHTS = types.int32[::1]
_ITEMS = types.int64[::1]


@njit(types.void(ASK, STATE, TREE, _WEIGHTS, _ITEMS, types.boolean), cache=True)
def insert(
    ask: Any,
    state: Any,
    tree: Any,
    w: NDArray[np.int32],
    order: NDArray[np.int64],
    topdown: bool,
) -> None:
    """Insert the items in this order, each by `start` and `learn`. O(n height) and the queries.

    Parameters
    ----------
    tree : see `_tree_kernels`
        Written.
    w : (2n-1,) int32
        All ones.
    order : (n,) int64
        At least two items.
    topdown : bool
        Search from the root down; otherwise by the best pivots.
    """
    progress = np.zeros(8, np.int64)
    cuts = np.empty((MOST_CUTS, 3), np.int64)
    # The second item is inserted beside the first, without a query.
    progress[NODE] = order[0]
    root = place(tree, w, progress, order[1])
    for i in range(2, len(order)):
        x = order[i]
        asking = start(tree, w, progress, cuts, root, topdown)
        while asking:
            answer = ask(state, progress[A], progress[B], x, 0)
            asking = learn(tree, w, progress, cuts, topdown, answer)
        new = place(tree, w, progress, x)
        # A vertex above the root is the new root.
        if new >= 0 and tree.parent[new] < 0:
            root = new


@njit(types.void(ASK, STATE, TREE, _ITEMS, types.float64), cache=True)
def insert_by_search_tree(
    ask: Any, state: Any, tree: Any, order: NDArray[np.int64], balance: float
) -> None:
    """Insert the items in this order, each by a search tree. O(n log n) queries and memory moves.

    Parameters as in `insert`; ``balance`` as in `place_search`. Working memory 32 n bytes.
    """
    n = len(order)
    # Working memory of rebuilding.
    w = np.ones(2 * n - 1, np.int32)
    scratch = np.empty((2 * n, 3), np.int32)
    # The state of a search, the nodes that it visits, and where it begins.
    progress = np.zeros(8, np.int64)
    path = np.empty((MOST_DEPTH, 2), np.int64)
    root = np.zeros(2, np.int64)
    join_first_two(tree, root, order[0], order[1])
    for i in range(2, n):
        x = order[i]
        start_search(tree, progress, root)
        asking = True
        while asking:
            answer = ask(state, progress[A], progress[B], x, 0)
            asking = learn_search(tree, progress, path, root, answer)
        place_search(tree, w, progress, path, root, scratch, balance, x)
