"""Insertion with noisy answers: a growing binary tree, and the weights of its vertices.

Emamjomeh-Zadeh & Kempe 2018, sections 4 and 5. A new item becomes the sibling of one vertex of the
tree; the weight of a vertex is the likelihood that it is that one. All weights below a vertex are
multiplied at once, by a factor that is stored at the vertex until the search continues below it,
and a vertex not visited since the last insertion has weight 1: a query costs O(depth of its pivot),
and an insertion O(depth of its place) besides its queries.

Queries about a pivot v are about a leaf of its left subtree, one of its right subtree and the new
item. Answers are the position of the odd one out: `IN_RIGHT`, `IN_LEFT` or `IN_NEITHER` says in
which of the two subtrees the item is.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit, types
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench import NotApplicableError
from hcbench.compiled import ASK, STATE
from hcbench_ordinal._tree_kernels import check_answer

_Ints = NDArray[np.int64]
_Floats = NDArray[np.float64]
#: Answers: the leaf of the left subtree is the odd one out, that of the right one, or the item.
IN_RIGHT = 0
IN_LEFT = 1
IN_NEITHER = 2
LEAST = 1e-100
"""If the weights sum to less than this they are all multiplied by `RAISED`."""
RAISED = 2.0**300
NO_PAIR = "NoisyInsertion needs binary trees, but no pair of three items is closer; use another one"


class Topology(NamedTuple):
    """The shape of a tree of n items: what an insertion of all items writes, (2n-1,) int64 each.

    Attributes
    ----------
    parent, left, right, size
        As in `Growth`.
    """

    parent: _Ints
    left: _Ints
    right: _Ints
    size: _Ints


# Missing in numba's own annotations.
_named_uniform_tuple: Any = types.NamedUniTuple
_named_tuple: Any = types.NamedTuple
TOPOLOGY = _named_uniform_tuple(types.int64[::1], 4, Topology)


class Growth(NamedTuple):
    """A binary tree of n items that grows; its vertices get new weights in each insertion.

    All arrays have an entry for each of 2n - 1 vertices: items first, then the inner ones in the
    order of their creation.

    Attributes
    ----------
    parent, left, right : int64
        -1 if there is none.
    leaf : int64
        A leaf of the subtree, which represents it in queries.
    size : int64
        Number of vertices of the subtree.
    weight : float64
        Weight of a vertex, without the factors of its ancestors.
    total : float64
        Sum of the weights of its subtree, also without these factors.
    factor : float64
        Factor by which the weights of its children's subtrees must still be multiplied.
    visited_in : int64
        Insertion to which its weights belong; in a later one they are all 1 until it is visited.
    root : int64
        (1,).
    """

    parent: _Ints
    left: _Ints
    right: _Ints
    leaf: _Ints
    size: _Ints
    weight: _Floats
    total: _Floats
    factor: _Floats
    visited_in: _Ints
    root: _Ints


@njit(cache=True)
def pair_up(topology: Topology, a: int, b: int) -> Growth:
    """Return the tree of two items, in the caller's arrays. O(n)."""
    n_vertices = len(topology.parent)
    topology.parent[:] = -1
    topology.left[:] = -1
    topology.right[:] = -1
    topology.size[:] = 1
    tree = Growth(
        parent=topology.parent,
        left=topology.left,
        right=topology.right,
        # Each item represents itself.
        leaf=np.arange(n_vertices),
        size=topology.size,
        weight=np.ones(n_vertices),
        total=np.ones(n_vertices),
        factor=np.ones(n_vertices),
        # No insertion yet.
        visited_in=np.full(n_vertices, -1),
        # The first item alone.
        root=np.full(1, a),
    )
    attach(tree, b, a, (n_vertices + 1) // 2)
    return tree


@njit(cache=True)
def attach(tree: Growth, x: int, v: int, new: int) -> None:
    """Replace v by a new vertex with the children v and item x. O(depth)."""
    above = tree.parent[v]
    tree.parent[new] = above
    tree.left[new] = v
    tree.right[new] = x
    tree.parent[v] = new
    tree.parent[x] = new
    tree.leaf[new] = tree.leaf[v]
    # Itself and item x.
    tree.size[new] = tree.size[v] + 2
    if above < 0:
        tree.root[0] = new
    elif tree.left[above] == v:
        tree.left[above] = new
    else:
        tree.right[above] = new
    while above >= 0:
        tree.size[above] += 2
        above = tree.parent[above]


@njit(cache=True)
def visit(tree: Growth, v: int, insertion: int) -> None:
    """Reset the weights of a vertex if they are those of an earlier insertion. O(1)."""
    if tree.visited_in[v] != insertion:
        tree.visited_in[v] = insertion
        tree.weight[v] = 1.0
        tree.factor[v] = 1.0
        tree.total[v] = tree.size[v]


@njit(cache=True)
def centroid(tree: Growth, insertion: int) -> Any:
    """The vertex whose removal leaves no part with more than half of the weight (Jordan 1869).

    Returns
    -------
    vertex, above, below : int, float, float
        The weight outside its subtree, and inside it without its own: sums without differences,
        accurate even for a tiny part of the whole.

    Notes
    -----
    O(depth of the vertex). Afterwards the factors of the vertex and all above it are applied.
    """
    # Arrays are read from the tree once: each access to one of its fields has a cost.
    left = tree.left
    right = tree.right
    weight = tree.weight
    total = tree.total
    v = tree.root[0]
    # The weight outside of the subtree of v.
    above = 0.0
    visit(tree, v, insertion)
    half = total[v] / 2
    while left[v] >= 0:
        apply_factor(tree, v, insertion)
        lighter = left[v]
        heavier = right[v]
        if total[lighter] > total[heavier]:
            lighter = right[v]
            heavier = left[v]
        if total[heavier] <= half:
            return v, above, total[lighter] + total[heavier]
        # More than half is below one child, and so is the centroid.
        above += weight[v] + total[lighter]
        v = heavier
    return v, above, 0.0


@register_jitable
def apply_factor(tree: Growth, v: int, insertion: int) -> None:
    """Multiply the weights of the children of v by its factor, which is then 1. O(1)."""
    visited_in = tree.visited_in
    weight = tree.weight
    total = tree.total
    factor = tree.factor
    by = factor[v]
    factor[v] = 1.0
    for side in (tree.left, tree.right):
        child = side[v]
        if visited_in[child] != insertion:
            # All weights below are still 1 in this insertion.
            visited_in[child] = insertion
            weight[child] = by
            total[child] = by * tree.size[child]
            factor[child] = by
        elif by != 1:
            weight[child] *= by
            total[child] *= by
            factor[child] *= by


@njit(cache=True)
def weigh(tree: Growth, v: int, left: float, right: float, weight: float, outside: float) -> None:
    """Multiply the weights in the subtrees of v, of v itself, and of all others. O(depth of v).

    The factors of vertex v and all above it must have been applied.
    """
    weights = tree.weight
    total = tree.total
    factor = tree.factor
    by_weight = weight
    # The child from which the walk to the root comes: its weights are up to date.
    previous = v
    while v >= 0:
        weights[v] *= by_weight
        sum_of_subtree = weights[v]
        for side, by in ((tree.left, left), (tree.right, right)):
            child = side[v]
            if child < 0:
                continue
            if child != previous and by != 1:
                weights[child] *= by
                total[child] *= by
                factor[child] *= by
            sum_of_subtree += total[child]
        total[v] = sum_of_subtree
        # Above v, all that is not below it is outside.
        by_weight = outside
        left = outside
        right = outside
        previous = v
        v = tree.parent[v]
    # The walk has ended at the root: keep the weights above the least floats.
    if total[previous] < LEAST:
        weights[previous] *= RAISED
        total[previous] *= RAISED
        factor[previous] *= RAISED


@njit(cache=True)
def heaviest(tree: Growth, insertion: int) -> Any:
    """The vertex of the largest weight; of equal ones, any. O(|V|) time and memory.

    Unlike the centroid, it needs all weights: few vertices may outweigh each other vertex and
    still have less than half of the weight together.
    """
    # Vertices to visit, and the product of the factors above each.
    waiting = [tree.root[0]]
    factors = [1.0]
    best = tree.root[0]
    most = -1.0
    while len(waiting) > 0:
        v = waiting.pop()
        by = factors.pop()
        # Weights that were not visited since the last insertion are 1.
        weight = 1.0
        below = 1.0
        if tree.visited_in[v] == insertion:
            weight = tree.weight[v]
            below = tree.factor[v]
        if weight * by > most:
            best = v
            most = weight * by
        if tree.left[v] >= 0:
            for child in (tree.left[v], tree.right[v]):
                waiting.append(child)
                factors.append(by * below)
    return best


class Rule(NamedTuple):
    """How answers are used, and when an insertion ends.

    Attributes
    ----------
    right_answer, wrong_answer : float
        What the weights of the places are multiplied by that agree with an answer, and by that do
        not.
    tolerance : float
        An insertion ends when the weight outside the heaviest vertex is at most its own times
        tolerance / |V|.
    repetitions : int
        Maximum number of repetitions of each query; it ends earlier if an answer has more than half
        of them, or leads by ``lead``. The most frequent answer is used.
    lead : int
    patience : float
        An insertion ends with the heaviest vertex after ``patience`` times log2(|V|^2 / tolerance)
        queries.
    """

    right_answer: float
    wrong_answer: float
    tolerance: float
    repetitions: int
    lead: int
    patience: float


_FLOAT = types.float64
_INT = types.int64
_RULE = _named_tuple((_FLOAT, _FLOAT, _FLOAT, _INT, _INT, _FLOAT), Rule)


@register_jitable
def _repeat_query(
    ask: Any, state: Any, rule: Rule, votes: Any, left_item: Any, right_item: Any, x: Any
) -> None:
    """Ask where x is up to a majority, or the lead of an answer; count the answers in ``votes``."""
    votes[:] = 0
    for _ in range(rule.repetitions):
        answer = ask(state, left_item, right_item, x, 0)
        check_answer(answer)
        if answer < 0:
            raise NotApplicableError(NO_PAIR)
        votes[answer] += 1
        # Negative indices are the two other answers.
        rivals = max(votes[answer - 2], votes[answer - 1])
        if 2 * votes[answer] > rule.repetitions or votes[answer] - rivals >= rule.lead:
            break


@register_jitable
def _factor(rule: Rule, agrees: Any) -> Any:
    """What the weights of places are multiplied by that agree with an answer, or do not."""
    if agrees:
        return rule.right_answer
    return rule.wrong_answer


@register_jitable
def _find_place(
    ask: Any, state: Any, tree: Growth, rule: Rule, votes: Any, insertion: int, x: Any
) -> Any:
    """The vertex beside which item x belongs, and whether the search has exceeded ``patience``."""
    vertices = 2 * insertion - 1
    # Without a tolerance the search goes on until one place is left.
    limit = np.inf
    if rule.tolerance > 0:
        limit = rule.patience * (2 * np.log2(vertices) - np.log2(rule.tolerance))
    n_queries = 0.0
    v, above, below = centroid(tree, insertion)
    while above + below > rule.tolerance / vertices * tree.weight[v]:
        if n_queries >= limit:
            return heaviest(tree, insertion), True
        # The pivot that minimises the largest weight of an answer. Above the parent, one answer
        # stands for the whole subtree of the parent; below v, one for at least about half.
        pivot = v
        if above > below:
            pivot = tree.parent[v]
        left_item = tree.leaf[tree.left[pivot]]
        right_item = tree.leaf[tree.right[pivot]]
        _repeat_query(ask, state, rule, votes, left_item, right_item, x)
        n_queries += votes.sum()
        answer = np.argmax(votes)
        # The weight of the pivot itself is one of those outside its subtrees.
        by_left = _factor(rule, answer == IN_LEFT)
        by_right = _factor(rule, answer == IN_RIGHT)
        by_outside = _factor(rule, answer == IN_NEITHER)
        weigh(tree, pivot, by_left, by_right, by_outside, by_outside)
        v, above, below = centroid(tree, insertion)
    return v, False


@njit(types.int64(ASK, STATE, types.int64[::1], _RULE, TOPOLOGY), cache=True)
def insert_all(ask: Any, state: Any, order: _Ints, rule: Rule, topology: Topology) -> int:
    """Insert all items, each by weights of its possible places.

    Until the heaviest vertex has nearly all weight: query the pivot that minimises the largest
    weight of an answer, and multiply the weights of the vertices that agree with the answer, and of
    the others. With factors of 1 and 0, this is binary search (algorithm 4).

    Parameters
    ----------
    order : (n,)
        Items in the order of insertion; n >= 2.
    rule : Rule
    topology : Topology
        Written.

    Returns
    -------
    int
        Number of insertions that exceeded ``patience``.

    Notes
    -----
    O(depth of the pivot) time for each query. 80 n bytes besides the caller's.
    """
    n = len(order)
    tree = pair_up(topology, order[0], order[1])
    # Of each answer.
    votes = np.zeros(3, np.int64)
    n_stopped = 0
    for i in range(2, n):
        v, is_stopped = _find_place(ask, state, tree, rule, votes, i, order[i])
        n_stopped += is_stopped
        attach(tree, order[i], v, n + i - 1)
    return n_stopped
