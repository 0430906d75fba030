"""A growing tree: its arrays, and the operations that join nodes.

All kernels of this plugin share the representation that `new_tree` allocates, a tuple of arrays
called ``tree``. Vertices are numbered: the items 0..n-1, then inner node k as n + k, in the order
of their creation, so parents may have smaller numbers than their children.

A node of more than two children stores the first two in ``child``, the others in a linked list of
slots. Each child has a representative, one item below it: a query about two of them and an item x
is a query "for x with the node as pivot" (Emamjomeh-Zadeh & Kempe 2018, section 2.2). A
representative remains below its child in all later insertions.

Kernels that make queries call helpers that do not, so the same kernels run as plain Python if a
Python function answers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench import DataError

#: Columns of ``table``: representatives of the first two children; the nodes of the search tree for
#: items below them, or outside; its weight; the first slot of the other children, or -1.
REP, SUB, OUT, WEIGHT, MORE = 0, 2, 4, 5, 6
#: Columns of ``slots``; the last is the next slot, or -1.
SLOT_REP, SLOT_CHILD, SLOT_SUB, SLOT_NEXT = 0, 1, 2, 3
#: Indices into ``counts``.
N_INNER, N_SLOTS = 0, 1

_I4 = types.int32
# Missing in numba's own annotations.
_tuple: Any = types.Tuple
#: The numba type of ``tree``: parent (2n-1,), child (n-1, 2), table (n-1, 8), slots (n, 4), counts.
TREE = _tuple((_I4[::1], _I4[:, ::1], _I4[:, ::1], _I4[:, ::1], types.int64[::1]))


class InvalidAnswerError(DataError):
    """An ordinal query was answered by another number than those that mean something."""

    def __str__(self) -> str:  # compiled code passes the number: to format it takes long to compile
        return (
            f"an ordinal query was answered by {self.args[0]}; answer with 0, 1 or 2, the position "
            "of the odd one out, or NONE (-1)"
        )


@njit(cache=True)
def check_answer(answer: Any) -> None:
    """Refuse an invalid answer to an ordinal query; a Python function may return anything.

    Raises
    ------
    InvalidAnswerError
    """
    if answer < -1 or answer > 2:
        raise InvalidAnswerError(answer)


def new_tree(n: int) -> tuple[NDArray[Any], ...]:
    """Arrays of a tree of n items, none of them joined yet. 72 n bytes.

    A search reads one row of ``table`` at each node: 32 bytes.
    """
    inner = max(n - 1, 1)
    return (
        np.full(2 * n - 1, -1, np.int32),
        np.empty((inner, 2), np.int32),
        np.empty((inner, 8), np.int32),
        np.empty((n, 4), np.int32),
        np.zeros(2, np.int64),
    )


@njit(cache=True)
def representative(tree: Any, v: Any) -> Any:
    """Return an item below vertex v."""
    parent, _, table, _, _ = tree
    n = (len(parent) + 1) // 2
    return v if v < n else table[v - n, REP]


@register_jitable
def attach_beside(tree: Any, v: Any, u: Any) -> Any:
    """Replace v by a new parent of v and of the root u of another tree; return its inner number.

    O(1), or O(degree) if the parent of v has more than two children.
    """
    parent, child, table, slots, counts = tree
    n = (len(parent) + 1) // 2
    k = counts[N_INNER]
    counts[N_INNER] += 1
    new = n + k
    above = parent[v]
    parent[new] = above
    if above >= 0:
        if child[above - n, 0] == v:
            child[above - n, 0] = new
        elif child[above - n, 1] == v:
            child[above - n, 1] = new
        else:
            slot = table[above - n, MORE]
            while slots[slot, SLOT_CHILD] != v:
                slot = slots[slot, SLOT_NEXT]
            slots[slot, SLOT_CHILD] = new
    parent[v] = parent[u] = new
    child[k, 0], child[k, 1] = v, u
    table[k, REP] = representative(tree, v)
    table[k, REP + 1] = representative(tree, u)
    table[k, MORE] = -1
    return k


@register_jitable
def attach_child(tree: Any, v: Any, u: Any) -> Any:
    """Make the root u of another tree a new child of the inner vertex v; return the slot. O(1)."""
    parent, _, table, slots, counts = tree
    k = v - (len(parent) + 1) // 2
    slot = counts[N_SLOTS]
    counts[N_SLOTS] += 1
    parent[u] = v
    slots[slot, SLOT_REP] = representative(tree, u)
    slots[slot, SLOT_CHILD] = u
    slots[slot, SLOT_NEXT] = table[k, MORE]
    table[k, MORE] = slot
    return slot


@register_jitable
def heaviest_child(tree: Any, w: Any, v: Any) -> Any:
    """Return the child of the inner vertex v with the largest weight. O(degree)."""
    parent, child, table, slots, _ = tree
    k = v - (len(parent) + 1) // 2
    best = child[k, 0] if w[child[k, 0]] >= w[child[k, 1]] else child[k, 1]
    slot = table[k, MORE]
    while slot >= 0:
        if w[slots[slot, SLOT_CHILD]] > w[best]:
            best = slots[slot, SLOT_CHILD]
        slot = slots[slot, SLOT_NEXT]
    return np.int64(best)


@register_jitable
def sort_children(tree: Any, w: Any, v: Any) -> None:
    """Sort the children of v, if it has more than two, the heaviest first. O(d log d) for d.

    Children that queries reach late are then light: an item that belongs to the r-th needs about
    r/2 queries to reach it, and at most 1/r of the weight remains.
    """
    parent, child, table, slots, _ = tree
    k = v - (len(parent) + 1) // 2
    degree, slot = 2, table[k, MORE]
    while slot >= 0:
        degree += 1
        slot = slots[slot, SLOT_NEXT]
    if degree == 2:
        return
    # Columns: representative, child, search node.
    rows = np.empty((degree, 3), np.int32)
    for first in range(2):
        rows[first, 0], rows[first, 1] = table[k, REP + first], child[k, first]
        rows[first, 2] = table[k, SUB + first]
    at, slot = 2, table[k, MORE]
    while slot >= 0:
        for column in range(3):
            rows[at, column] = slots[slot, column]
        at, slot = at + 1, slots[slot, SLOT_NEXT]
    # Numbers that rise as weights fall, and by position among equal weights.
    order = np.empty(degree, np.int64)
    for at in range(degree):
        order[at] = at - degree * np.int64(w[rows[at, 1]])
    order.sort()
    for at in range(degree):
        order[at] %= degree
    for first in range(2):
        row = rows[order[first]]
        table[k, REP + first], child[k, first], table[k, SUB + first] = row[0], row[1], row[2]
    at, slot = 2, table[k, MORE]
    while slot >= 0:
        for column in range(3):
            slots[slot, column] = rows[order[at], column]
        at, slot = at + 1, slots[slot, SLOT_NEXT]
