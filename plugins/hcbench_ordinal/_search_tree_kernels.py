"""A search tree over the vertices of a growing tree, which stores pivots instead of computing them.

Each inner vertex of the tree is the pivot of one node of the search tree, with the same inner
number: its children are for the places below the pivot's children and outside it. A leaf ~v of the
search tree is the place "beside v". A new item changes it at one place: the leaf ~v becomes a node
for the new common parent of v and the item, with three leaves. If a child of a node becomes too
heavy, the part below the highest such node is rebuilt with the best pivots (scapegoat trees:
Galperin & Rivest 1993).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numba.extending import register_jitable

from hcbench_ordinal._pivot_kernels import (
    ASK_ON,
    BESIDE,
    CHILD,
    NEW_CHILD,
    NODE,
    PIVOT,
    PLACE,
    aim,
    best_pivot,
    cut_below,
    direction,
)
from hcbench_ordinal._tree_kernels import (
    MORE,
    OUT,
    SLOT_CHILD,
    SLOT_NEXT,
    SLOT_SUB,
    SUB,
    WEIGHT,
    attach_beside,
    attach_child,
    sort_children,
)

#: Entries of ``root``: the root of the search tree, and the length of the path of the last search.
FIRST, LENGTH = 0, 1
MOST_DEPTH = 512
"""More nodes than on any path: weights decrease at least by `hcbench_ordinal.insertion.BALANCE`."""


@njit(cache=True)
def start_search(tree: Any, at: Any, root: Any) -> None:
    """Begin at the root of the search tree; there are at least two items."""
    root[LENGTH] = 0
    aim(tree, at, root[FIRST])


@njit(cache=True)
def learn_search(tree: Any, at: Any, path: Any, root: Any, answer: Any) -> Any:
    """Use an answer; return whether there is another query. O(1).

    Parameters
    ----------
    path : (MOST_DEPTH, 2) int64
        Visited nodes, and the direction at each as in `direction`.
    """
    _, _, table, slots, _ = tree
    way = direction(tree, at, answer)
    if way == ASK_ON:
        return True
    k, depth = at[PIVOT], root[LENGTH]
    path[depth, 0], path[depth, 1] = k, way
    root[LENGTH] += 1
    if way == NEW_CHILD:
        at[PLACE], at[NODE] = CHILD, k
        return False
    below = table[k, SUB + way] if way <= 2 else slots[way - 3, SLOT_SUB]
    if below >= 0:
        aim(tree, at, np.int64(below))
        return True
    at[PLACE], at[NODE] = BESIDE, ~below
    return False


@register_jitable
def _set_child(tree: Any, root: Any, k: Any, way: Any, below: Any) -> None:
    """Make a node or leaf the child of search node k in one direction; for k = -1, the root."""
    _, _, table, slots, _ = tree
    if k < 0:
        root[FIRST] = below
    elif way <= 2:
        table[k, SUB + way] = below
    else:
        slots[way - 3, SLOT_SUB] = below


@njit(cache=True)
def join_first_two(tree: Any, root: Any, u: Any, v: Any) -> None:
    """Join the first two items."""
    _grow(tree, root, np.int64(-1), np.int64(0), u, v)


@register_jitable
def _grow(tree: Any, root: Any, above: Any, way: Any, v: Any, x: Any) -> None:
    """Insert item x beside v, and replace the leaf ~v by a node with three leaves."""
    parent, _, table, _, _ = tree
    k = attach_beside(tree, v, x)
    table[k, SUB], table[k, SUB + 1] = ~v, ~x
    table[k, OUT] = ~((len(parent) + 1) // 2 + k)
    table[k, WEIGHT] = 3
    _set_child(tree, root, above, way, k)


@njit(cache=True)
def place_search(
    tree: Any, w: Any, at: Any, path: Any, root: Any, scratch: Any, balance: Any, x: Any
) -> None:
    """Insert item x at the place of the search, and restore the balance.

    Amortised O(log^2 n) in the worst case, negligible for items in random order.

    Parameters
    ----------
    w : (2n-1,) int32
        Working memory of `_rebuild`; its entries are never 0 between calls.
    scratch : (2n, 3) int32
        Working memory.
    balance : float
        A node is rebuilt if a child has more than this proportion of its leaves, plus 1/2: the best
        pivot leaves a child of (m + 1) / 2 of m.
    """
    parent, _, table, slots, _ = tree
    n = (len(parent) + 1) // 2
    last = root[LENGTH] - 1
    if at[PLACE] == BESIDE:
        _grow(tree, root, path[last, 0], path[last, 1], at[NODE], x)
        more, below = 2, 3
    else:
        slot = attach_child(tree, n + at[NODE], x)
        slots[slot, SLOT_SUB] = ~x
        more, below = 1, 1
    for depth in range(last + 1):
        table[path[depth, 0], WEIGHT] += more
    for depth in range(last + 1):
        k = path[depth, 0]
        child = table[path[depth + 1, 0], WEIGHT] if depth < last else below
        if child > balance * table[k, WEIGHT] + 0.5:
            above, way = (path[depth - 1, 0], path[depth - 1, 1]) if depth > 0 else (-1, 0)
            _rebuild(tree, w, root, scratch, k, above, way)
            break


@register_jitable
def _top_of(tree: Any, w: Any, scratch: Any, k: Any) -> Any:
    """The highest vertex among the places below search node k.

    Sets w to 0 at the pivots, and to 1 at all other vertices concerned. O(places).
    """
    parent, _, table, slots, _ = tree
    n = (len(parent) + 1) // 2
    scratch[0, 0] = k
    size, pivots = 1, 0
    while size > 0:
        size -= 1
        k = scratch[size, 0]
        scratch[pivots, 1] = k
        pivots += 1
        slot = table[k, MORE]
        for way in range(3):
            below = table[k, SUB + way]
            if below >= 0:
                scratch[size, 0] = below
                size += 1
            else:
                w[~below] = 1
        while slot >= 0:
            below = slots[slot, SLOT_SUB]
            if below >= 0:
                scratch[size, 0] = below
                size += 1
            else:
                w[~below] = 1
            slot = slots[slot, SLOT_NEXT]
    for i in range(pivots):
        w[n + scratch[i, 1]] = 0
    top = n + scratch[0, 1]
    while parent[top] >= 0 and w[parent[top]] == 0:
        top = parent[top]
    return top


@register_jitable
def _weigh(tree: Any, w: Any, scratch: Any, top: Any) -> None:
    """Count the candidates at and below each vertex with w = 0. O(candidates)."""
    parent, child, table, slots, _ = tree
    n = (len(parent) + 1) // 2
    scratch[0, 0] = top
    size, found = 1, 0
    while size > 0:
        size -= 1
        v = scratch[size, 0]
        scratch[found, 1] = v
        found += 1
        for first in range(2):
            if w[child[v - n, first]] == 0:
                scratch[size, 0] = child[v - n, first]
                size += 1
        slot = table[v - n, MORE]
        while slot >= 0:
            if w[slots[slot, SLOT_CHILD]] == 0:
                scratch[size, 0] = slots[slot, SLOT_CHILD]
                size += 1
            slot = slots[slot, SLOT_NEXT]
    for i in range(found - 1, -1, -1):
        v = scratch[i, 1]
        w[v] = 1 + w[child[v - n, 0]] + w[child[v - n, 1]]
        slot = table[v - n, MORE]
        while slot >= 0:
            w[v] += w[slots[slot, SLOT_CHILD]]
            slot = slots[slot, SLOT_NEXT]


@njit(cache=True)
def _rebuild(tree: Any, w: Any, root: Any, scratch: Any, k: Any, above: Any, way: Any) -> None:
    """Rebuild the search tree below node k, each node with the best pivot.

    O(m log m) for m places, as the walk to a pivot is at most as long as S: O(m) if the tree is
    not deep.

    Parameters
    ----------
    above, way : int
        Parent of node k, and the direction from it.
    """
    parent, child, table, slots, _ = tree
    n = (len(parent) + 1) // 2
    top = _top_of(tree, w, scratch, k)
    _weigh(tree, w, scratch, top)
    # Columns of the stack: the top of S, and the parent and direction of its node.
    scratch[0, 0], scratch[0, 1], scratch[0, 2] = top, above, way
    size = 1
    while size > 0:
        size -= 1
        top, above, way = np.int64(scratch[size, 0]), scratch[size, 1], scratch[size, 2]
        if w[top] == 1:
            _set_child(tree, root, np.int64(above), np.int64(way), ~top)
            continue
        v = best_pivot(tree, w, top)
        k = v - n
        table[k, WEIGHT] = w[top]
        _set_child(tree, root, np.int64(above), np.int64(way), k)
        if table[k, MORE] >= 0:
            sort_children(tree, w, v)
        for first in range(2):
            scratch[size, 0], scratch[size, 1], scratch[size, 2] = child[k, first], k, first
            size += 1
        slot = table[k, MORE]
        while slot >= 0:
            scratch[size, 0], scratch[size, 1] = slots[slot, SLOT_CHILD], k
            scratch[size, 2] = 3 + slot
            size += 1
            slot = slots[slot, SLOT_NEXT]
        cut_below(parent, w, v, top)
        scratch[size, 0], scratch[size, 1], scratch[size, 2] = top, k, 2
        size += 1
