"""Loops of QuickClustering: algorithms 1 and 2 of Emamjomeh-Zadeh & Kempe 2018, not recursive.

First all splits are made, then the trees of their parts are merged, the latest split first: the
parts of a split come after it, so their trees exist when it is reached.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

from hcbench.compiled import ASK, STATE, uniform
from hcbench_ordinal._pivot_kernels import MOST_CUTS, A, B, learn, place, start
from hcbench_ordinal._tree_kernels import (
    REP,
    TREE,
    attach_beside,
    attach_child,
    check_answer,
    representative,
)

#: Columns of ``parts``: the position of the first item and that after the last; the first of its
#: four parts, or -1; the root of its tree, or -1.
FROM, TO, PARTS, ROOT = range(4)
N_PARTS = 4
MOST_TRIES = 512
"""In a binary tree all attempts fail with probability (125/128)^512 = 5e-6 (lemma 3.1); then, and
if answers contradict each other, the last split is used."""


@njit(cache=True)
def side_of(answer: Any) -> Any:
    """Part of the third item of a query about both pivots: 0 to 3 for A, B, C and D."""
    check_answer(answer)
    if answer == 2:
        return 2
    return 3 if answer == -1 else 1 - answer


@njit(cache=True)
def _sort_into(items: Any, side: Any, spare: Any, parts: Any, at: Any, first: Any) -> None:
    """Sort the items of a part by their side 0..3, and add these as parts. O(items)."""
    low, high = parts[at, FROM], parts[at, TO]
    position = low
    for s in range(N_PARTS):
        parts[first + s, FROM] = position
        for i in range(low, high):
            if side[i] == s:
                spare[position] = items[i]
                position += 1
        parts[first + s, TO] = position
        parts[first + s, PARTS] = parts[first + s, ROOT] = -1
    for i in range(low, high):
        items[i] = spare[i]
    parts[at, PARTS] = first


@njit(cache=True)
def _is_balanced(side: Any, low: Any, high: Any, most: Any) -> Any:
    """Whether none of the sides A, B and C has more than ``most`` items."""
    sizes = np.zeros(N_PARTS, np.int64)
    for i in range(low, high):
        sizes[side[i]] += 1
    return max(sizes[0], sizes[1], sizes[2]) <= most


@njit(cache=True)
def _join(tree: Any, w: Any, first: Any, second: Any) -> Any:
    """Give two trees a common root, and return it."""
    root = (len(tree[0]) + 1) // 2 + attach_beside(tree, first, second)
    w[root] = w[first] + w[second] + 1
    return root


@njit(cache=True)
def _add_child(tree: Any, w: Any, root: Any, other: Any) -> None:
    """Make a tree a child of another one's root."""
    attach_child(tree, root, other)
    w[root] += w[other]


@njit(
    types.void(
        ASK,
        STATE,
        TREE,
        types.int32[::1],
        types.int64[::1],
        types.int64,
        types.float64,
        types.boolean,
        types.boolean,
    ),
    cache=True,
)
def quick(
    ask: Any,
    state: Any,
    tree: Any,
    w: NDArray[np.int32],
    items: NDArray[np.int64],
    seed: int,
    balance: float,
    topdown: bool,
    is_random: bool,
) -> None:
    """Split the items by two pivots recursively, then merge the trees. O(n log n) expected.

    A, B and C are as published. Items with the answer NONE are a fourth part D: the other children
    of the pivots' lowest common ancestor, or items below one of these, which a query decides.

    Parameters
    ----------
    tree : see `_tree_kernels`
        Written.
    w : (2n-1,) int32
        All ones; receives the numbers of vertices at and below each vertex.
    items : (n,) int64
        All items, n >= 2; reordered.
    seed : int
        Seed of the pivots.
    balance : float
        Largest accepted part of A, B and C, as a proportion.
    topdown : bool
        Whether a merge searches from the root down; otherwise by the best pivots.
    is_random : bool
        Whether pivots are random; otherwise they are the first two items of a part, and any split
        is accepted.
    """
    n = len(items)
    side, spare = np.zeros(n, np.int8), np.empty(n, np.int64)
    # At least two parts of each split are not empty, so there are at most n - 1 splits.
    parts = np.empty((N_PARTS * n, 4), np.int64)
    at, cuts = np.zeros(8, np.int64), np.empty((MOST_CUTS, 3), np.int64)
    parts[0, FROM], parts[0, TO], parts[0, PARTS], parts[0, ROOT] = 0, n, -1, -1
    found, part, drawn = 1, 0, 0
    while part < found:
        low, high = parts[part, FROM], parts[part, TO]
        size = high - low
        if size > 2:
            for _ in range(MOST_TRIES):
                first, second = low, low + 1
                if is_random:
                    first = low + int(uniform(seed, np.uint64(drawn), 0) * size)
                    second = low + int(uniform(seed, np.uint64(drawn), 1) * (size - 1))
                    second += second >= first
                    drawn += 1
                x_a, x_b = items[first], items[second]
                for i in range(low, high):
                    if i == first:
                        side[i] = 0
                    elif i == second:
                        side[i] = 1
                    else:
                        answer = ask(state, x_a, x_b, items[i], 0)
                        side[i] = side_of(answer)
                if not is_random or _is_balanced(side, low, high, balance * size):
                    break
            _sort_into(items, side, spare, parts, part, found)
            found += N_PARTS
        part += 1
    for part in range(found - 1, -1, -1):
        low, size = parts[part, FROM], parts[part, TO] - parts[part, FROM]
        first = parts[part, PARTS]
        if first < 0:
            if size == 1:
                parts[part, ROOT] = items[low]
            elif size == 2:
                parts[part, ROOT] = _join(tree, w, items[low], items[low + 1])
            continue
        a, b = parts[first, ROOT], parts[first + 1, ROOT]
        outer, others = parts[first + 2, ROOT], parts[first + 3, ROOT]
        same_node = False
        if others >= n:
            k = others - n
            x = representative(tree, a)
            same_node = side_of(ask(state, tree[2][k, REP], tree[2][k, REP + 1], x, 0)) == 3
        if same_node:
            _add_child(tree, w, others, a)
            _add_child(tree, w, others, b)
            root = others
        else:
            root = _join(tree, w, a, b)
            if others >= 0:
                _add_child(tree, w, root, others)
        if outer < 0:
            parts[part, ROOT] = root
            continue
        x = representative(tree, root)
        asking = start(tree, w, at, cuts, outer, topdown)
        while asking:
            asking = learn(tree, w, at, cuts, topdown, ask(state, at[A], at[B], x, 0))
        new = place(tree, w, at, root)
        parts[part, ROOT] = new if new >= 0 and tree[0][new] < 0 else outer
