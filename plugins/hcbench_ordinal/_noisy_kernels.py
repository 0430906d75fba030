"""Insertion by noisy answers: a growing binary tree, and the weights of its vertices.

Emamjomeh-Zadeh & Kempe 2018, sections 4 and 5. A new item becomes the sibling of one vertex of the
tree; each vertex has a weight, of how likely it is to be that one. All weights below a vertex are
multiplied at once, by a factor that waits there until somebody goes further down, and a vertex that
nobody came to since the last insertion has weight 1: a question costs O(depth of its pivot), and an
insertion O(depth of its place) beside its questions.

Questions about a pivot v are about a leaf of its left subtree, one of its right subtree and the new
item; answers are named by their codes, the position of the odd one out:

    0: the item belongs into the right subtree of v, 1: into the left one, 2: into neither.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

from hcbench import NotApplicableError
from hcbench.compiled import ASK, STATE
from hcbench_ordinal._tree_kernels import check_answer

_Ints = NDArray[np.int64]
_Floats = NDArray[np.float64]
LEAST = 1e-100
"""Where the weights sum up to less than this they are all multiplied by `RAISED`."""
RAISED = 2.0**300
NO_PAIR = "NoisyInsertion takes binary trees, and was told that no pair of three items is closer"


class Growth(NamedTuple):
    """A binary tree of n items that grows, its vertices weighted anew for each insertion.

    All arrays have an entry for each of 2n - 1 vertices: items first, then the inner ones in the
    order in which they are made.

    Attributes
    ----------
    parent, left, right : int64
        -1 where there is none.
    leaf : int64
        A leaf of the subtree, which stands for it in questions.
    size : int64
        Vertices of the subtree.
    own : float64
        A vertex's weight, but for the factors of its ancestors.
    total : float64
        The sum over its subtree, likewise.
    factor : float64
        What the weights of its children's subtrees have yet to be multiplied by.
    seen : int64
        The insertion that its weights are of; before that they are all 1.
    root : int64
        (1,).
    """

    parent: _Ints
    left: _Ints
    right: _Ints
    leaf: _Ints
    size: _Ints
    own: _Floats
    total: _Floats
    factor: _Floats
    seen: _Ints
    root: _Ints


@njit(cache=True)
def pair_up(parent: _Ints, left: _Ints, right: _Ints, size: _Ints, a: int, b: int) -> Growth:
    """The tree of two items, in the caller's arrays (2n-1,). O(n)."""
    m = len(parent)
    parent[:] = left[:] = right[:] = -1
    size[:] = 1
    leaf = np.arange(m)
    tree = Growth(
        parent,
        left,
        right,
        leaf,
        size,
        np.ones(m),
        np.ones(m),
        np.ones(m),
        np.full(m, -1),
        np.full(1, a),
    )
    attach(tree, b, a, (m + 1) // 2)
    return tree


@njit(cache=True)
def attach(tree: Growth, x: int, v: int, new: int) -> None:
    """Put a new vertex in the place of v, with v and item x for its children. O(depth)."""
    above = tree.parent[v]
    tree.parent[new], tree.left[new], tree.right[new] = above, v, x
    tree.parent[v] = tree.parent[x] = new
    tree.leaf[new], tree.size[new] = tree.leaf[v], tree.size[v] + 2
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
    """Bring a vertex up to date whose weights may be those of an earlier insertion. O(1)."""
    if tree.seen[v] != insertion:
        tree.seen[v] = insertion
        tree.own[v] = tree.factor[v] = 1.0
        tree.total[v] = tree.size[v]


@njit(cache=True)
def centroid(tree: Growth, insertion: int) -> Any:
    """The vertex without which no connected part has more than half of the weight (Jordan 1869).

    Returns
    -------
    vertex, above, below : int, float, float
        The weight outside its subtree, and inside it but for its own: sums without differences, as
        exact where they are a tiny part of the whole.

    Notes
    -----
    O(depth of the vertex). It is open afterwards, and so are all above it.
    """
    # Arrays are taken out of the tree once: each access to one of its fields has a cost.
    children, seen, size = (tree.left, tree.right), tree.seen, tree.size
    own, total, factor = tree.own, tree.total, tree.factor
    v, above = tree.root[0], 0.0
    visit(tree, v, insertion)
    half = total[v] / 2
    while children[0][v] >= 0:
        by, factor[v] = factor[v], 1.0
        for side in children:
            child = side[v]
            if seen[child] != insertion:
                seen[child], own[child], total[child] = insertion, by, by * size[child]
                factor[child] = by
            elif by != 1:
                own[child] *= by
                total[child] *= by
                factor[child] *= by
        low, high = children[0][v], children[1][v]
        if total[low] > total[high]:
            low, high = high, low
        if total[high] <= half:
            return v, above, total[low] + total[high]
        above += own[v] + total[low]
        v = high
    return v, above, 0.0


@njit(cache=True)
def weigh(tree: Growth, v: int, left: float, right: float, own: float, outside: float) -> None:
    """Multiply the weights in the subtrees of v, of v itself, and of all else. O(depth of v).

    Vertex v and all above it are open.
    """
    parent, low, high = tree.parent, tree.left, tree.right
    own_of, total, factor = tree.own, tree.total, tree.factor
    by_own, from_v = own, v
    while v >= 0:
        own_of[v] *= by_own
        sum_of = own_of[v]
        for side, by in ((low, left), (high, right)):
            child = side[v]
            if child < 0:
                continue
            if child != from_v and by != 1:
                own_of[child] *= by
                total[child] *= by
                factor[child] *= by
            sum_of += total[child]
        total[v] = sum_of
        by_own = left = right = outside
        from_v, v = v, parent[v]
    if total[from_v] < LEAST:
        own_of[from_v] *= RAISED
        total[from_v] *= RAISED
        factor[from_v] *= RAISED


_ITEMS = types.int64[::1]


@njit(
    types.int64(
        ASK,
        STATE,
        _ITEMS,
        types.float64,
        types.float64,
        types.float64,
        types.int64,
        types.int64,
        types.float64,
        _ITEMS,
        _ITEMS,
        _ITEMS,
        _ITEMS,
    ),
    cache=True,
)
def insert_all(
    ask: Any,
    state: Any,
    order: _Ints,
    right_answer: float,
    wrong_answer: float,
    tolerance: float,
    repetitions: int,
    lead: int,
    patience: float,
    parent: _Ints,
    left: _Ints,
    right: _Ints,
    size: _Ints,
) -> int:
    """Insert all items, weighing the places of each by answers.

    While the weight outside the heaviest vertex is more than its own times tolerance / |V|: ask
    about the pivot whose heaviest answer is lightest; multiply the vertices that agree with the
    answer by ``right_answer`` and the others by ``wrong_answer``. With factors of 1 and 0, this is
    binary search (algorithm 4).

    Parameters
    ----------
    order : (n,)
        Items in the order of insertion; n >= 2.
    right_answer, wrong_answer, tolerance : float
    repetitions : int
        Each question is asked so many times, or until an answer has more than half of so many, or
        leads by ``lead``; what was answered most often counts.
    lead : int
    patience : float
        An insertion ends with the heaviest vertex after log2(|V|^2 / tolerance) times this so many
        questions.
    parent, left, right, size : (2n-1,), written
        The tree; see `Growth`.

    Returns
    -------
    int
        How many insertions ran out of patience.

    Notes
    -----
    O(depth of the pivot) time for each question. 80 n bytes beside the caller's.
    """
    n = len(order)
    tree = pair_up(parent, left, right, size, order[0], order[1])
    votes = np.zeros(3, np.int64)
    impatient = 0
    for i in range(2, n):
        vertices = 2 * i - 1
        most = patience * (2 * np.log2(vertices) - np.log2(tolerance)) if tolerance > 0 else np.inf
        asked = 0.0
        v, above, below = centroid(tree, i)
        while above + below > tolerance / vertices * tree.own[v]:
            if asked >= most:
                impatient += 1
                break
            # The pivot whose heaviest answer is lightest. Above the parent, one answer is about all
            # of the parent's subtree; below v, one is about half of all or more.
            pivot = v if above <= below else tree.parent[v]
            x_l, x_r = tree.leaf[tree.left[pivot]], tree.leaf[tree.right[pivot]]
            votes[:] = 0
            for _ in range(repetitions):
                answer = ask(state, x_l, x_r, order[i], 0)
                check_answer(answer)
                if answer < 0:
                    raise NotApplicableError(NO_PAIR)
                votes[answer] += 1
                asked += 1
                rivals = max(votes[answer - 2], votes[answer - 1])
                if 2 * votes[answer] > repetitions or votes[answer] - rivals >= lead:
                    break
            answer = np.argmax(votes)
            weigh(
                tree,
                pivot,
                right_answer if answer == 1 else wrong_answer,
                right_answer if answer == 0 else wrong_answer,
                right_answer if answer == 2 else wrong_answer,
                right_answer if answer == 2 else wrong_answer,
            )
            v, above, below = centroid(tree, i)
        attach(tree, order[i], v, n + i - 1)
    return impatient
