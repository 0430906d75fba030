"""A growing tree: its arrays, and the operations that join nodes.

All kernels of this plugin share the representation that `new_tree` allocates. Vertices are
numbered: the items 0..n-1, then inner node k as n + k, in the order of their creation, so parents
may have smaller numbers than their children.

A node of more than two children stores the first two in ``child``, the others in a linked list of
slots. Each child has a representative, one item below it: a query about two of them and an item x
is a query "for x with the node as pivot" (Emamjomeh-Zadeh & Kempe 2018, section 2.2). A
representative remains below its child in all later insertions.

Kernels that make queries call helpers that do not, so the same kernels run as plain Python if a
Python function answers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit, types
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench import DataError

#: Columns of ``table``: representatives of the first two children.
REP = 0
#: The nodes of the search tree for items below these two, and outside; and its weight.
SUB = 2
OUT = 4
WEIGHT = 5
#: The first slot of the other children, or -1.
MORE = 6
#: Columns of ``slots``: a representative of a child, the child, its node of the search tree, and
#: the next slot, or -1.
SLOT_REP = 0
SLOT_CHILD = 1
SLOT_SUB = 2
SLOT_NEXT = 3
#: Indices into ``counts``.
N_INNER = 0
N_SLOTS = 1


class GrowingTree(NamedTuple):
    """The arrays of a tree of n items.

    Attributes
    ----------
    parent : (2n-1,) int32
        Vertices; -1 of a root.
    child : (n-1, 2) int32
        The first two children of each inner node.
    table : (n-1, 8) int32
        What a search reads at an inner node, 32 bytes; see the names of its columns.
    slots : (n, 4) int32
        Further children, in linked lists.
    counts : (2,) int64
        Numbers of inner nodes and of slots in use.
    """

    parent: NDArray[np.int32]
    child: NDArray[np.int32]
    table: NDArray[np.int32]
    slots: NDArray[np.int32]
    counts: NDArray[np.int64]


_ROWS = types.int32[:, ::1]
# Missing in numba's own annotations.
_named_tuple: Any = types.NamedTuple
#: The numba type of a `GrowingTree`.
TREE = _named_tuple((types.int32[::1], _ROWS, _ROWS, _ROWS, types.int64[::1]), GrowingTree)


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


def new_tree(n: int) -> GrowingTree:
    """Arrays of a tree of n items, none of them joined yet. 72 n bytes."""
    inner = max(n - 1, 1)
    return GrowingTree(
        parent=np.full(2 * n - 1, -1, np.int32),
        child=np.empty((inner, 2), np.int32),
        table=np.empty((inner, 8), np.int32),
        slots=np.empty((n, 4), np.int32),
        counts=np.zeros(2, np.int64),
    )


@njit(cache=True)
def representative(tree: Any, v: Any) -> Any:
    """Return an item below vertex v."""
    n = (len(tree.parent) + 1) // 2
    if v < n:
        return v
    return tree.table[v - n, REP]


@register_jitable
def attach_beside(tree: Any, v: Any, u: Any) -> Any:
    """Replace v by a new parent of v and of the root u of another tree; return its inner number.

    O(1), or O(degree) if the parent of v has more than two children.
    """
    parent = tree.parent
    child = tree.child
    table = tree.table
    slots = tree.slots
    n = (len(parent) + 1) // 2
    k = tree.counts[N_INNER]
    tree.counts[N_INNER] += 1
    new = n + k
    above = parent[v]
    parent[new] = above
    if above >= 0:
        # Take the place of v among the children of its parent.
        if child[above - n, 0] == v:
            child[above - n, 0] = new
        elif child[above - n, 1] == v:
            child[above - n, 1] = new
        else:
            slot = table[above - n, MORE]
            while slots[slot, SLOT_CHILD] != v:
                slot = slots[slot, SLOT_NEXT]
            slots[slot, SLOT_CHILD] = new
    parent[v] = new
    parent[u] = new
    child[k, 0] = v
    child[k, 1] = u
    table[k, REP] = representative(tree, v)
    table[k, REP + 1] = representative(tree, u)
    table[k, MORE] = -1
    return k


@register_jitable
def attach_child(tree: Any, v: Any, u: Any) -> Any:
    """Make the root u of another tree a new child of the inner vertex v; return the slot. O(1)."""
    slots = tree.slots
    k = v - (len(tree.parent) + 1) // 2
    slot = tree.counts[N_SLOTS]
    tree.counts[N_SLOTS] += 1
    tree.parent[u] = v
    slots[slot, SLOT_REP] = representative(tree, u)
    slots[slot, SLOT_CHILD] = u
    # The new child is the first of the list.
    slots[slot, SLOT_NEXT] = tree.table[k, MORE]
    tree.table[k, MORE] = slot
    return slot


@register_jitable
def heaviest_child(tree: Any, w: Any, v: Any) -> Any:
    """Return the child of the inner vertex v with the largest weight. O(degree)."""
    child = tree.child
    slots = tree.slots
    k = v - (len(tree.parent) + 1) // 2
    best = child[k, 0]
    if w[child[k, 1]] > w[best]:
        best = child[k, 1]
    slot = tree.table[k, MORE]
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
    child = tree.child
    table = tree.table
    slots = tree.slots
    k = v - (len(tree.parent) + 1) // 2
    degree = 2
    slot = table[k, MORE]
    while slot >= 0:
        degree += 1
        slot = slots[slot, SLOT_NEXT]
    if degree == 2:
        return
    # All children in one table, with the columns of slots: representative, child, search node.
    rows = np.empty((degree, 3), np.int32)
    for first in range(2):
        rows[first, SLOT_REP] = table[k, REP + first]
        rows[first, SLOT_CHILD] = child[k, first]
        rows[first, SLOT_SUB] = table[k, SUB + first]
    i = 2
    slot = table[k, MORE]
    while slot >= 0:
        for column in range(3):
            rows[i, column] = slots[slot, column]
        i += 1
        slot = slots[slot, SLOT_NEXT]
    # Numbers that rise as weights fall, and by position among equal weights.
    order = np.empty(degree, np.int64)
    for i in range(degree):
        order[i] = i - degree * np.int64(w[rows[i, SLOT_CHILD]])
    order.sort()
    for i in range(degree):
        order[i] %= degree
    # Back to where they were, in the new order.
    for first in range(2):
        row = rows[order[first]]
        table[k, REP + first] = row[SLOT_REP]
        child[k, first] = row[SLOT_CHILD]
        table[k, SUB + first] = row[SLOT_SUB]
    i = 2
    slot = table[k, MORE]
    while slot >= 0:
        for column in range(3):
            slots[slot, column] = rows[order[i], column]
        i += 1
        slot = slots[slot, SLOT_NEXT]
