"""The search for the place of a new item: the choice of pivots, and the meaning of answers.

A place is "beside v" (the new item and v get a common parent that replaces v) or, after the answer
that no two of three are closer, "a child of v". The candidates S are vertices of the tree: "beside"
each of them; w[v] counts those at and below v. S is always the part of the tree below one vertex,
its top, without what is strictly below some others, so a walk from the top reaches all of it.

`start` and `learn` change the array ``progress``; after each the caller makes a query about items
``progress[A]`` and ``progress[B]`` and the new one. They return whether there is such a query.
"""

from __future__ import annotations

from typing import Any

from numba import njit
from numba.extending import register_jitable

from hcbench_ordinal._tree_kernels import (
    MORE,
    REP,
    SLOT_CHILD,
    SLOT_NEXT,
    SLOT_REP,
    attach_beside,
    attach_child,
    check_answer,
    heaviest_child,
    sort_children,
)

#: Entries of ``progress``: the items of the next query.
A = 0
B = 1
#: The pivot, an inner number; and the slot of the query, -1 for the first two children.
PIVOT = 2
SLOT = 3
#: The top of S.
TOP = 4
#: The place, which is `BESIDE` or `CHILD`, and its vertex.
PLACE = 5
NODE = 6
#: The number of cuts of S.
CUTS = 7
BESIDE = 0
CHILD = 1
#: Values of `direction`, besides 0 and 1 for the first two children and 3 + slot for another.
OUTSIDE = 2
NEW_CHILD = -1
ASK_ON = -2
#: Each cut leaves at most half of S, plus one vertex.
MOST_CUTS = 128


@register_jitable
def aim(tree: Any, progress: Any, k: Any) -> None:
    """Make inner node k the pivot, and its first two children those of the query."""
    progress[PIVOT] = k
    progress[SLOT] = -1
    progress[A] = tree.table[k, REP]
    progress[B] = tree.table[k, REP + 1]


@njit(cache=True)
def direction(tree: Any, progress: Any, answer: Any) -> Any:
    """Direction of the new item after an answer (proposition 2.4), or `ASK_ON` for a new query.

    If the item belongs to neither of two children nor to the outside, the next two children are
    queried, the last of an odd number together with the first child; if it belongs to none of them,
    it is a new child. Of contradictory answers, the last one is used.

    Raises
    ------
    DataError
        If the answer is not one of 0, 1, 2 and NONE.
    """
    check_answer(answer)
    table = tree.table
    slots = tree.slots
    k = progress[PIVOT]
    slot = progress[SLOT]
    if answer == 2:
        return OUTSIDE
    if slot < 0:
        # The query was about the first two children: the odd one out is not with the item.
        if answer >= 0:
            return 1 - answer
        slot = table[k, MORE]
    else:
        # It was about the child of a slot, and of the next one or else the first child.
        partner = slots[slot, SLOT_NEXT]
        if answer == 1:
            return 3 + slot
        if answer == 0:
            if partner >= 0:
                return 3 + partner
            return 0
        slot = -1
        if partner >= 0:
            slot = slots[partner, SLOT_NEXT]
    if slot < 0:
        # There are no more children.
        return NEW_CHILD
    partner = slots[slot, SLOT_NEXT]
    progress[SLOT] = slot
    progress[A] = slots[slot, SLOT_REP]
    progress[B] = table[k, REP]
    if partner >= 0:
        progress[B] = slots[partner, SLOT_REP]
    return ASK_ON


@njit(cache=True)
def best_pivot(tree: Any, w: Any, top: Any) -> Any:
    """The vertex v of S that minimises max(|T_child ∩ S|, |outside ∩ S|), for all its children.

    It is on the path of heaviest children from the top, on which the outside increases and the
    heaviest child decreases: the first vertex at which the outside is no smaller, or the one above.
    In a binary tree the maximum is at most ceil(|S|/2) (Emamjomeh-Zadeh & Kempe 2018, lemma 4.2).
    O(length of that path).
    """
    total = w[top]
    v = top
    heavy = heaviest_child(tree, w, v)
    while total - w[v] + 1 < w[heavy]:
        lower = heavy
        heavy = heaviest_child(tree, w, lower)
        outside = total - w[lower] + 1
        if outside >= w[heavy]:
            # The outside is no smaller here: this vertex, or the one above.
            if outside < w[lower]:
                return lower
            return v
        v = lower
    return v


@njit(cache=True)
def cut_below(parent: Any, w: Any, v: Any, top: Any) -> Any:
    """Remove the candidates strictly below v from S; return their number. O(height of top)."""
    removed = w[v] - 1
    u = v
    while u != top:
        w[u] -= removed
        u = parent[u]
    w[top] -= removed
    return removed


@register_jitable
def _end_search(tree: Any, w: Any, progress: Any, cuts: Any, place: Any, node: Any) -> Any:
    """Store the place of the new item, and restore the weights of all vertices."""
    parent = tree.parent
    progress[PLACE] = place
    progress[NODE] = node
    for cut in range(progress[CUTS]):
        u = cuts[cut, 0]
        top = cuts[cut, 1]
        removed = cuts[cut, 2]
        while u != top:
            w[u] += removed
            u = parent[u]
        w[top] += removed
    return False


@register_jitable
def _choose(tree: Any, w: Any, progress: Any, cuts: Any, topdown: Any) -> Any:
    top = progress[TOP]
    if w[top] == 1:
        return _end_search(tree, w, progress, cuts, BESIDE, top)
    v = top
    if not topdown:
        v = best_pivot(tree, w, top)
    n = (len(tree.parent) + 1) // 2
    if tree.table[v - n, MORE] >= 0:
        sort_children(tree, w, v)
    aim(tree, progress, v - n)
    return True


@njit(cache=True)
def start(tree: Any, w: Any, progress: Any, cuts: Any, top: Any, topdown: Any) -> Any:
    """Begin the search below a vertex: algorithm 4; with ``topdown`` the top of S is the pivot.

    Parameters
    ----------
    w : (2n-1,) int32
        Vertices at and below each vertex.
    progress : (8,) int64
    cuts : (MOST_CUTS, 3) int64
        Vertex, top and number of candidates of each cut, to be undone.
    """
    progress[TOP] = top
    progress[CUTS] = 0
    return _choose(tree, w, progress, cuts, topdown)


@njit(cache=True)
def learn(tree: Any, w: Any, progress: Any, cuts: Any, topdown: Any, answer: Any) -> Any:
    """Use an answer; return whether there is another query. O(height) of the tree below the top."""
    parent = tree.parent
    way = direction(tree, progress, answer)
    if way == ASK_ON:
        return True
    n = (len(parent) + 1) // 2
    v = n + progress[PIVOT]
    if way == NEW_CHILD:
        return _end_search(tree, w, progress, cuts, CHILD, v)
    if way == OUTSIDE:
        cut = progress[CUTS]
        cuts[cut, 0] = v
        cuts[cut, 1] = progress[TOP]
        cuts[cut, 2] = cut_below(parent, w, v, progress[TOP])
        progress[CUTS] += 1
    elif way < 2:
        progress[TOP] = tree.child[v - n, way]
    else:
        progress[TOP] = tree.slots[way - 3, SLOT_CHILD]
    return _choose(tree, w, progress, cuts, topdown)


@njit(cache=True)
def place(tree: Any, w: Any, progress: Any, u: Any) -> Any:
    """Insert the tree with root u at the place; return the new vertex, or -1. O(height)."""
    parent = tree.parent
    v = progress[NODE]
    new = -1
    # What the vertices from v up gain.
    more = w[u]
    if progress[PLACE] == BESIDE:
        new = (len(parent) + 1) // 2 + attach_beside(tree, v, u)
        w[new] = w[v] + w[u] + 1
        # The new vertex is above v, too.
        more = w[u] + 1
        v = parent[new]
    else:
        attach_child(tree, v, u)
    while v >= 0:
        w[v] += more
        v = parent[v]
    return new
