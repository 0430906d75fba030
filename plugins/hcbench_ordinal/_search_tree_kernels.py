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
FIRST = 0
LENGTH = 1
MOST_DEPTH = 512
"""More nodes than on any path: weights decrease at least by `hcbench_ordinal.insertion.BALANCE`."""


@njit(cache=True)
def start_search(tree: Any, progress: Any, root: Any) -> None:
    """Begin at the root of the search tree; there are at least two items."""
    root[LENGTH] = 0
    aim(tree, progress, root[FIRST])


@njit(cache=True)
def learn_search(tree: Any, progress: Any, path: Any, root: Any, answer: Any) -> Any:
    """Use an answer; return whether there is another query. O(1).

    Parameters
    ----------
    path : (MOST_DEPTH, 2) int64
        Visited nodes, and the direction at each as in `direction`.
    """
    way = direction(tree, progress, answer)
    if way == ASK_ON:
        return True
    k = progress[PIVOT]
    depth = root[LENGTH]
    path[depth, 0] = k
    path[depth, 1] = way
    root[LENGTH] += 1
    if way == NEW_CHILD:
        progress[PLACE] = CHILD
        progress[NODE] = k
        return False
    # Below the first two children, outside, or below the child of a slot.
    if way <= 2:
        below = tree.table[k, SUB + way]
    else:
        below = tree.slots[way - 3, SLOT_SUB]
    if below >= 0:
        aim(tree, progress, np.int64(below))
        return True
    # A leaf: the place beside a vertex.
    progress[PLACE] = BESIDE
    progress[NODE] = ~below
    return False


@register_jitable
def _set_child(tree: Any, root: Any, k: Any, way: Any, below: Any) -> None:
    """Make a node or leaf the child of search node k in one direction; for k = -1, the root."""
    if k < 0:
        root[FIRST] = below
    elif way <= 2:
        tree.table[k, SUB + way] = below
    else:
        tree.slots[way - 3, SLOT_SUB] = below


@njit(cache=True)
def join_first_two(tree: Any, root: Any, u: Any, v: Any) -> None:
    """Join the first two items."""
    _grow(tree, root, np.int64(-1), np.int64(0), u, v)


@register_jitable
def _grow(tree: Any, root: Any, above: Any, way: Any, v: Any, x: Any) -> None:
    """Insert item x beside v, and replace the leaf ~v by a node with three leaves."""
    table = tree.table
    k = attach_beside(tree, v, x)
    # The new places: beside v, beside x, and beside their parent.
    table[k, SUB] = ~v
    table[k, SUB + 1] = ~x
    table[k, OUT] = ~((len(tree.parent) + 1) // 2 + k)
    table[k, WEIGHT] = 3
    _set_child(tree, root, above, way, k)


@njit(cache=True)
def place_search(
    tree: Any, w: Any, progress: Any, path: Any, root: Any, scratch: Any, balance: Any, x: Any
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
    table = tree.table
    n = (len(tree.parent) + 1) // 2
    last = root[LENGTH] - 1
    # The number of new places, and the weight of the last child on the path.
    if progress[PLACE] == BESIDE:
        _grow(tree, root, path[last, 0], path[last, 1], progress[NODE], x)
        more = 2
        weight_at_end = 3
    else:
        slot = attach_child(tree, n + progress[NODE], x)
        tree.slots[slot, SLOT_SUB] = ~x
        more = 1
        weight_at_end = 1
    for depth in range(last + 1):
        table[path[depth, 0], WEIGHT] += more
    # Rebuild below the highest node of which a child is too heavy.
    for depth in range(last + 1):
        k = path[depth, 0]
        weight_of_child = np.int64(weight_at_end)
        if depth < last:
            weight_of_child = np.int64(table[path[depth + 1, 0], WEIGHT])
        if weight_of_child > balance * table[k, WEIGHT] + 0.5:
            above = np.int64(-1)
            way = np.int64(0)
            if depth > 0:
                above = path[depth - 1, 0]
                way = path[depth - 1, 1]
            _rebuild(tree, w, root, scratch, k, above, way)
            break


@register_jitable
def _top_of(tree: Any, w: Any, scratch: Any, k: Any) -> Any:
    """The highest vertex among the places below search node k.

    Sets w to 0 at the pivots, and to 1 at all other vertices concerned. O(places).
    """
    parent = tree.parent
    table = tree.table
    slots = tree.slots
    n = (len(parent) + 1) // 2
    # The first column is a stack of search nodes, the second has those visited: the pivots.
    scratch[0, 0] = k
    size = 1
    pivots = 0
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
    # Up from any pivot, as long as there are pivots.
    top = n + scratch[0, 1]
    while parent[top] >= 0 and w[parent[top]] == 0:
        top = parent[top]
    return top


@register_jitable
def _weigh(tree: Any, w: Any, scratch: Any, top: Any) -> None:
    """Count the candidates at and below each vertex with w = 0. O(candidates)."""
    child = tree.child
    table = tree.table
    slots = tree.slots
    n = (len(tree.parent) + 1) // 2
    # The first column is a stack of vertices, the second has those visited, parents first.
    scratch[0, 0] = top
    size = 1
    visited = 0
    while size > 0:
        size -= 1
        v = scratch[size, 0]
        scratch[visited, 1] = v
        visited += 1
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
    # Children first.
    for i in range(visited - 1, -1, -1):
        v = scratch[i, 1]
        w[v] = 1 + w[child[v - n, 0]] + w[child[v - n, 1]]
        slot = table[v - n, MORE]
        while slot >= 0:
            w[v] += w[slots[slot, SLOT_CHILD]]
            slot = slots[slot, SLOT_NEXT]


@register_jitable
def _set_row(scratch: Any, row: Any, top: Any, above: Any, way: Any) -> None:
    scratch[row, 0] = top
    scratch[row, 1] = above
    scratch[row, 2] = way


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
    child = tree.child
    table = tree.table
    slots = tree.slots
    n = (len(tree.parent) + 1) // 2
    top = _top_of(tree, w, scratch, k)
    _weigh(tree, w, scratch, top)
    # Columns of the stack: the top of S, and the parent and direction of its node.
    _set_row(scratch, 0, top, above, way)
    size = 1
    while size > 0:
        size -= 1
        top = np.int64(scratch[size, 0])
        above = scratch[size, 1]
        way = scratch[size, 2]
        if w[top] == 1:
            # A single place is a leaf.
            _set_child(tree, root, np.int64(above), np.int64(way), ~top)
            continue
        v = best_pivot(tree, w, top)
        k = v - n
        table[k, WEIGHT] = w[top]
        _set_child(tree, root, np.int64(above), np.int64(way), k)
        if table[k, MORE] >= 0:
            sort_children(tree, w, v)
        for first in range(2):
            _set_row(scratch, size, child[k, first], k, first)
            size += 1
        slot = table[k, MORE]
        while slot >= 0:
            _set_row(scratch, size, slots[slot, SLOT_CHILD], k, 3 + slot)
            size += 1
            slot = slots[slot, SLOT_NEXT]
        # The places outside have the same top, without what is below v.
        cut_below(tree.parent, w, v, top)
        _set_row(scratch, size, top, k, 2)
        size += 1
