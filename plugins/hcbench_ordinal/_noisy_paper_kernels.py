"""Insertion with noisy answers as published: simulated vertex queries, in two stages.

Emamjomeh-Zadeh & Kempe 2018, section 5 and appendix B; the multiplicative weights are those of
Emamjomeh-Zadeh, Kempe & Singhal 2016.

An insertion has two stages. Stage 1: all weights are 1. In each round, query the centroid and
multiply the vertices that agree with the response by p and the others by 1-p; whenever a vertex has
at least half of the weight, mark it and set its weight to 0. Stage 2 is algorithm 6, a walk on the
virtual tree of the marked vertices, from its root: each has a counter; a response "here" increases
that of the current vertex, another decreases it, and if it is 0 the walk moves on. A response
towards no marked vertex is known to be wrong and ignored.

A vertex query about v is answered by one of its neighbours or by v itself. The first three
responses are answers of `_noisy_kernels` to queries about the pivot v, too.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit, types
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench import NotApplicableError
from hcbench.compiled import ASK, STATE
from hcbench_ordinal._noisy_kernels import (
    IN_LEFT,
    IN_NEITHER,
    IN_RIGHT,
    NO_PAIR,
    TOPOLOGY,
    Growth,
    Topology,
    attach,
    centroid,
    pair_up,
    weigh,
)
from hcbench_ordinal._tree_kernels import check_answer

_Ints = NDArray[np.int64]
#: Responses to a vertex query: towards the right child, the left child, the parent; this vertex.
_RIGHT = IN_RIGHT
_LEFT = IN_LEFT
_UP = IN_NEITHER
_HERE = 3
#: Entries of ``counts``: vertex queries, and those of them that were answered by or towards the
#: place where the item was then inserted.
VERTEX_QUERIES = 0
CORRECT = 1
#: The largest number of vertices that stage 1 marked, and insertions beside another vertex.
CANDIDATES = 2
MISSED = 3
#: The number of entries.
N_COUNTS = 4


@register_jitable
def preorder(tree: Growth, order: _Ints) -> int:
    """Write the vertices, parents first; return their number. O(|V|)."""
    order[0] = tree.root[0]
    written = 1
    done = 0
    while done < written:
        v = order[done]
        done += 1
        if tree.left[v] >= 0:
            order[written] = tree.left[v]
            order[written + 1] = tree.right[v]
            written += 2
    return written


@njit(cache=True)
def virtual_tree(tree: Growth, marked: NDArray[np.bool_], order: _Ints, near: _Ints) -> Any:
    """Connect the marked vertices by the lowest common ancestors of pairs, without other vertices.

    Parameters
    ----------
    tree
    marked : (2n-1,) bool
        At least one.
    order : (2n-1,)
        Work space for all vertices.
    near : (3, 2n-1), written
        Neighbours of each vertex of the virtual tree in the direction of each answer: in the right
        subtree, in the left one, above; -1 if there is none.

    Returns
    -------
    root, diameter : int, int
        The diameter is the largest number of edges between two vertices.

    Notes
    -----
    O(|V|). A vertex is excluded if it is not marked and not both subtrees have virtual vertices.
    """
    # Of each subtree: its highest virtual vertex, or -1, and the edges from there down to the
    # lowest one.
    top = np.full(marked.size, -1)
    height = np.zeros(marked.size, np.int64)
    near[:] = -1
    diameter = 0
    n_vertices = preorder(tree, order)
    # Children first.
    for i in range(n_vertices - 1, -1, -1):
        v = order[i]
        below_right = np.int64(-1)
        below_left = np.int64(-1)
        if tree.left[v] >= 0:
            below_right = top[tree.right[v]]
            below_left = top[tree.left[v]]
        if not marked[v] and (below_right < 0 or below_left < 0):
            # At most one of them exists.
            top[v] = max(below_right, below_left)
            continue
        top[v] = v
        near[_RIGHT, v] = below_right
        near[_LEFT, v] = below_left
        for child in (below_right, below_left):
            if child >= 0:
                near[_UP, child] = v
                # The longest path through v so far, and then the height with this child.
                diameter = max(diameter, height[v] + height[child] + 1)
                height[v] = max(height[v], height[child] + 1)
    return top[tree.root[0]], diameter


@njit(cache=True)
def update(tree: Growth, q: int, response: int, p: float) -> None:
    """Multiply the weights that agree with the response of a vertex query by p, others by 1-p."""
    by_left = 1 - p
    by_right = 1 - p
    by_weight = 1 - p
    by_outside = 1 - p
    if response == _LEFT:
        by_left = p
    elif response == _RIGHT:
        by_right = p
    elif response == _HERE:
        by_weight = p
    else:
        by_outside = p
    weigh(tree, q, by_left, by_right, by_weight, by_outside)


@njit(cache=True)
def mark_heavy(tree: Growth, insertion: int, marked: NDArray[np.bool_]) -> int:
    """Mark vertices with at least half of the weight and set their weight to 0, until none remains.

    Returns
    -------
    int
        The centroid of the remaining weight; -1 if none remains.
    """
    while True:
        q, above, below = centroid(tree, insertion)
        if tree.weight[q] < above + below:
            return int(q)
        if tree.weight[q] == 0:
            # All weights are 0.
            return -1
        marked[q] = True
        weigh(tree, q, 1.0, 1.0, 0.0, 1.0)


class Walk(NamedTuple):
    """State of one insertion as published, for the 2n - 1 vertices of the tree of n items."""

    #: (2n-1,) bool. The vertices that stage 1 marked.
    marked: Any
    #: (3, 2n-1) int64. Neighbours in the virtual tree, as `virtual_tree` writes them.
    near: Any
    #: (2n-1,) int64. Work space of `virtual_tree`.
    order: Any
    #: (3,) int64. Work space of `_majority`: how often each answer was given.
    votes: Any
    #: (4, 2n-1) int64. How often a vertex query had each response in this insertion.
    responses: Any


@register_jitable
def _new_walk(n: int) -> Walk:
    m = 2 * n - 1
    return Walk(
        marked=np.zeros(m, np.bool_),
        near=np.empty((3, m), np.int64),
        order=np.empty(m, np.int64),
        votes=np.zeros(3, np.int64),
        responses=np.zeros((4, m), np.int64),
    )


@register_jitable
def _majority(
    ask: Any, state: Any, tree: Growth, votes: Any, pivot: int, x: int, times: int
) -> int:
    """The strict majority of this number of answers about a pivot; -1 if there is none."""
    x_l = tree.leaf[tree.left[pivot]]
    x_r = tree.leaf[tree.right[pivot]]
    votes[:] = 0
    for _ in range(times):
        answer = ask(state, x_l, x_r, x, 0)
        check_answer(answer)
        if answer < 0:
            raise NotApplicableError(NO_PAIR)
        votes[answer] += 1
    most = int(np.argmax(votes))
    if 2 * votes[most] > times:
        return most
    return -1


@register_jitable
def _side(tree: Growth, v: int) -> int:
    """The answer for the side on which v is below its parent."""
    if tree.left[tree.parent[v]] == v:
        return _LEFT
    return _RIGHT


@register_jitable
def _vertex_query(
    ask: Any, state: Any, tree: Growth, votes: Any, v: int, x: int, repetitions: int
) -> int:
    """Algorithm 5; if it allows any response, the one towards the parent."""
    above = tree.parent[v]
    if above < 0:
        # Above the root there is no other place: the item belongs here.
        response = _majority(ask, state, tree, votes, v, x, 1)
        if response == _UP:
            return _HERE
        return response
    if tree.left[v] < 0:
        if _majority(ask, state, tree, votes, above, x, 1) == _side(tree, v):
            return _HERE
        return _UP
    below = _majority(ask, state, tree, votes, v, x, repetitions)
    if below in (_RIGHT, _LEFT):
        return below
    if below == _UP:
        if _majority(ask, state, tree, votes, above, x, repetitions) == _side(tree, v):
            return _HERE
    return _UP


@register_jitable
def _count_agreeing(tree: Growth, responses: Any, place: int) -> int:
    """The number of responses of this insertion that agree with a place; forget them all.

    Of every vertex above the place, those towards it; of all others those towards the parent.
    """
    agree = responses[_HERE, place] + responses[_UP].sum() - responses[_UP, place]
    v = place
    while tree.parent[v] >= 0:
        side = _side(tree, v)
        v = tree.parent[v]
        agree += responses[side, v] - responses[_UP, v]
    responses[:] = 0
    return int(agree)


@register_jitable
def _mark_by_weights(
    ask: Any,
    state: Any,
    tree: Growth,
    walk: Walk,
    insertion: int,
    x: int,
    p: float,
    repetitions: int,
    rounds: int,
) -> None:
    """Stage 1: multiply weights by responses, and mark the vertices that get heavy."""
    marked = walk.marked
    q = mark_heavy(tree, insertion, marked)
    for _ in range(rounds):
        if q < 0:
            break
        response = _vertex_query(ask, state, tree, walk.votes, q, x, repetitions)
        walk.responses[response, q] += 1
        update(tree, q, response, p)
        q = mark_heavy(tree, insertion, marked)
    if not marked.any():
        # The walk needs a vertex: the centroid is the most likely one to be near.
        marked[q] = True


@register_jitable
def _walk_on_marked(
    ask: Any, state: Any, tree: Growth, walk: Walk, q: int, x: int, repetitions: int, steps: Any
) -> int:
    """Stage 2: walk on the virtual tree from its root q; return the last vertex (algorithm 6)."""
    near = walk.near
    counter = 0
    for _ in range(steps):
        response = _vertex_query(ask, state, tree, walk.votes, q, x, repetitions)
        walk.responses[response, q] += 1
        if response == _HERE:
            counter += 1
        elif near[response, q] < 0:
            # No marked vertex is there, so the response is wrong.
            continue
        elif counter > 0:
            counter -= 1
        else:
            q = near[response, q]
    return q


class PublishedRule(NamedTuple):
    """The constants of section 5.

    Attributes
    ----------
    p : float
    repetitions : int
        k_p of algorithm 5, odd.
    rounds : (n,) int64
        K of stage 1 for the i-th item, whose tree has 2i - 1 vertices.
    skip : bool
        Whether to mark all vertices, without queries, if K >= |V|.
    walk_distance, walk_marked, walk_all : float
        The walk takes max(walk_distance (D + 1), ``walk_marked``) steps for a virtual tree of
        diameter D, with ``walk_all`` instead of ``walk_marked`` if stage 1 was skipped.
    """

    p: float
    repetitions: int
    rounds: _Ints
    skip: bool
    walk_distance: float
    walk_marked: float
    walk_all: float


_INTS = types.int64[::1]
_FLOAT = types.float64
# Missing in numba's own annotations.
_named_tuple: Any = types.NamedTuple
_RULE = _named_tuple(
    (_FLOAT, types.int64, _INTS, types.boolean, _FLOAT, _FLOAT, _FLOAT), PublishedRule
)


@njit(types.int64(ASK, STATE, _INTS, _RULE, TOPOLOGY, _INTS), cache=True)
def insert_all_as_published(
    ask: Any,
    state: Any,
    order: _Ints,
    rule: PublishedRule,
    topology: Topology,
    counts: _Ints,
) -> int:
    """Insert all items by multiplicative weights and a random walk on the marked vertices.

    Parameters
    ----------
    order : (n,)
        Items in the order of insertion; n >= 2.
    rule : PublishedRule
    topology : Topology
        Written.
    counts : (N_COUNTS,)
        Written; the constants from `VERTEX_QUERIES` on name its entries.

    Returns
    -------
    int
        Number of insertions that skipped stage 1.

    Notes
    -----
    Up to 2 k_p queries for a vertex query. O(depth) time for each of stage 1 and O(1) for each of
    stage 2, O(|V|) for an insertion. 180 n bytes besides the caller's.
    """
    n = len(order)
    tree = pair_up(topology, order[0], order[1])
    walk = _new_walk(n)
    marked = walk.marked
    repetitions = rule.repetitions
    counts[:] = 0
    n_skipped = 0
    for i in range(2, n):
        x = order[i]
        rounds = rule.rounds[i]
        # Stage 1.
        all_marked = rule.skip and rounds >= 2 * i - 1
        marked[:] = all_marked
        least_steps = rule.walk_all
        if all_marked:
            n_skipped += 1
        else:
            least_steps = rule.walk_marked
            _mark_by_weights(ask, state, tree, walk, i, x, rule.p, repetitions, rounds)
        # Stage 2.
        root, diameter = virtual_tree(tree, marked, walk.order, walk.near)
        steps = np.int64(np.ceil(max(rule.walk_distance * (diameter + 1), least_steps)))
        place = _walk_on_marked(ask, state, tree, walk, root, x, repetitions, steps)
        counts[VERTEX_QUERIES] += walk.responses.sum()
        counts[CORRECT] += _count_agreeing(tree, walk.responses, place)
        if not all_marked:
            counts[CANDIDATES] = max(counts[CANDIDATES], marked.sum())
            counts[MISSED] += not marked[place]
        attach(tree, x, place, n + i - 1)
    return n_skipped
