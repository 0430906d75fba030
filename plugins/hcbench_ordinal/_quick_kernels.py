"""Loops of QuickClustering: algorithms 1 and 2 of Emamjomeh-Zadeh & Kempe 2018, not recursive.

First all splits are made, then the trees of their parts are merged, the latest split first: the
parts of a split come after it, so their trees exist when it is reached.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit, types
from numba.extending import register_jitable
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

#: Columns of ``parts``: the position of the first item and that after the last.
FROM = 0
TO = 1
#: The first of the four parts into which a part is split, or -1; the root of its tree, or -1.
PARTS = 2
ROOT = 3
#: The sides of a split, which are its four parts in this order; A, B and C as published.
SIDE_A = 0
SIDE_B = 1
SIDE_C = 2
SIDE_D = 3
N_PARTS = 4
MOST_TRIES = 512
"""In a binary tree all attempts fail with probability (125/128)^512 = 5e-6 (lemma 3.1); then, and
if answers contradict each other, the last split is used."""


@njit(cache=True)
def side_of(answer: Any) -> Any:
    """The side of the third item of a query about both pivots, the first of which is in A."""
    check_answer(answer)
    if answer == 2:
        return SIDE_C
    if answer == 1:
        return SIDE_A
    if answer == 0:
        return SIDE_B
    return SIDE_D


@njit(cache=True)
def _sort_into(items: Any, side: Any, spare: Any, parts: Any, part: Any, first: Any) -> None:
    """Sort the items of a part by their sides, and add these as parts from ``first``. O(items)."""
    low = parts[part, FROM]
    high = parts[part, TO]
    position = low
    for s in range(N_PARTS):
        parts[first + s, FROM] = position
        for i in range(low, high):
            if side[i] == s:
                spare[position] = items[i]
                position += 1
        parts[first + s, TO] = position
        parts[first + s, PARTS] = -1
        parts[first + s, ROOT] = -1
    for i in range(low, high):
        items[i] = spare[i]
    parts[part, PARTS] = first


@njit(cache=True)
def _is_balanced(side: Any, low: Any, high: Any, most: Any) -> Any:
    """Whether none of the sides A, B and C has more than ``most`` items."""
    sizes = np.zeros(N_PARTS, np.int64)
    for i in range(low, high):
        sizes[side[i]] += 1
    return max(sizes[SIDE_A], sizes[SIDE_B], sizes[SIDE_C]) <= most


@njit(cache=True)
def _join(tree: Any, w: Any, first: Any, second: Any) -> Any:
    """Give two trees a common root, and return it."""
    root = (len(tree.parent) + 1) // 2 + attach_beside(tree, first, second)
    w[root] = w[first] + w[second] + 1
    return root


@njit(cache=True)
def _add_child(tree: Any, w: Any, root: Any, child: Any) -> None:
    """Make the root of a tree a child of the root of another tree."""
    attach_child(tree, root, child)
    w[root] += w[child]


class Splits(NamedTuple):
    """State of `quick` for n items: the parts into which they are split, and work space."""

    #: (n,) int64. The items; those of a part are next to each other.
    items: Any
    #: (4 n, 4) int64. A row for each part. At least two parts of each split are not empty, so
    #: there are at most n - 1 splits.
    parts: Any
    #: (n,) int8. The side of each position in the split that is tried.
    side: Any
    #: (n,) int64. Work space of `_sort_into`.
    spare: Any


class PivotSearch(NamedTuple):
    """Work space of the searches of `_pivot_kernels`."""

    #: (8,) int64.
    progress: Any
    #: (MOST_CUTS, 3) int64.
    cuts: Any


@register_jitable
def _draw_pivots(seed: Any, n_draws: Any, low: Any, size: Any) -> Any:
    """Two different positions of a part."""
    first = low + int(uniform(seed, np.uint64(n_draws), 0) * size)
    second = low + int(uniform(seed, np.uint64(n_draws), 1) * (size - 1))
    if second >= first:
        second += 1
    return first, second


@register_jitable
def _query_sides(
    ask: Any, state: Any, items: Any, side: Any, low: Any, high: Any, first: Any, second: Any
) -> None:
    """Query the side of every item of a part, for pivots at the positions first and second."""
    for i in range(low, high):
        if i == first:
            side[i] = SIDE_A
        elif i == second:
            side[i] = SIDE_B
        else:
            side[i] = side_of(ask(state, items[first], items[second], items[i], 0))


@register_jitable
def _try_splits(
    ask: Any, state: Any, splits: Splits, part: Any, seed: Any, n_draws: Any, balance: Any
) -> Any:
    """Split a part by random pivots until it is balanced; return the number of all draws."""
    low = splits.parts[part, FROM]
    high = splits.parts[part, TO]
    size = high - low
    for _ in range(MOST_TRIES):
        first, second = _draw_pivots(seed, n_draws, low, size)
        n_draws += 1
        _query_sides(ask, state, splits.items, splits.side, low, high, first, second)
        if _is_balanced(splits.side, low, high, balance * size):
            break
    return n_draws


@register_jitable
def _split_all(
    ask: Any, state: Any, splits: Splits, seed: Any, balance: Any, is_random: Any
) -> Any:
    """Split all parts of more than two items; return the number of parts."""
    parts = splits.parts
    parts[0, FROM] = 0
    parts[0, TO] = len(splits.items)
    parts[0, PARTS] = -1
    parts[0, ROOT] = -1
    n_parts = 1
    n_draws = 0
    part = 0
    while part < n_parts:
        low = parts[part, FROM]
        high = parts[part, TO]
        if high - low > 2:
            if is_random:
                n_draws = _try_splits(ask, state, splits, part, seed, n_draws, balance)
            else:
                _query_sides(ask, state, splits.items, splits.side, low, high, low, low + 1)
            _sort_into(splits.items, splits.side, splits.spare, parts, part, n_parts)
            n_parts += N_PARTS
        part += 1
    return n_parts


@register_jitable
def _root_of_few(tree: Any, w: Any, items: Any, low: Any, size: Any) -> Any:
    """The root of the tree of at most two items; -1 if there is none."""
    if size == 0:
        return np.int64(-1)
    if size == 1:
        return items[low]
    return np.int64(_join(tree, w, items[low], items[low + 1]))


@register_jitable
def _join_inner_parts(ask: Any, state: Any, tree: Any, w: Any, a: Any, b: Any, d: Any) -> Any:
    """Join the trees of the parts A, B and D, which is -1 if it is empty; return the root.

    D holds the other children of the node of A and B; or items below a single one of them, then D
    has a node of its own, which a query distinguishes.
    """
    n = (len(tree.parent) + 1) // 2
    if d >= n:
        # An inner vertex. If A is on none of the sides of its first two children, nor outside, the
        # vertex is the node of A and B.
        k = d - n
        x = representative(tree, a)
        answer = ask(state, tree.table[k, REP], tree.table[k, REP + 1], x, 0)
        if side_of(answer) == SIDE_D:
            _add_child(tree, w, d, a)
            _add_child(tree, w, d, b)
            return np.int64(d)
    root = np.int64(_join(tree, w, a, b))
    if d >= 0:
        _add_child(tree, w, root, d)
    return root


@register_jitable
def _insert_below(
    ask: Any,
    state: Any,
    tree: Any,
    w: Any,
    search: PivotSearch,
    outer: Any,
    root: Any,
    topdown: Any,
) -> Any:
    """Insert a tree with this root into the tree of part C; return the root of both."""
    progress = search.progress
    cuts = search.cuts
    x = representative(tree, root)
    is_asking = start(tree, w, progress, cuts, outer, topdown)
    while is_asking:
        is_asking = learn(
            tree, w, progress, cuts, topdown, ask(state, progress[A], progress[B], x, 0)
        )
    new = np.int64(place(tree, w, progress, root))
    if new >= 0 and tree.parent[new] < 0:
        return new
    return np.int64(outer)


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
    parts = np.empty((N_PARTS * n, 4), np.int64)
    splits = Splits(
        items=items,
        parts=parts,
        side=np.zeros(n, np.int8),
        spare=np.empty(n, np.int64),
    )
    n_parts = _split_all(ask, state, splits, seed, balance, is_random)
    # The trees of all parts, the latest first, as the parts of a split come after it.
    search = PivotSearch(
        progress=np.zeros(8, np.int64),
        cuts=np.empty((MOST_CUTS, 3), np.int64),
    )
    for part in range(n_parts - 1, -1, -1):
        first = parts[part, PARTS]
        if first < 0:
            low = parts[part, FROM]
            parts[part, ROOT] = _root_of_few(tree, w, items, low, parts[part, TO] - low)
            continue
        a = parts[first + SIDE_A, ROOT]
        b = parts[first + SIDE_B, ROOT]
        outer = parts[first + SIDE_C, ROOT]
        d = parts[first + SIDE_D, ROOT]
        root = _join_inner_parts(ask, state, tree, w, a, b, d)
        if outer >= 0:
            root = _insert_below(ask, state, tree, w, search, outer, root, topdown)
        parts[part, ROOT] = root
