"""Two trees face to face: an order of the leaves of both in which few lines cross."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hcbench import NotApplicableError
from hcbench_metrics.truths import named_truth

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcbench import Scored, Tree

    Ints = NDArray[np.int64]

#: Rounds of ordering one tree after the other; random trees of 10^5 leaves settle in fewer.
_MOST_ROUNDS = 50


def entanglement(scored: Scored, L: float = 1.5, truth: str | None = None) -> float:  # noqa: N803
    """How far leaves are from their partners when result and truth are drawn face to face.

    ``sum |x_i - y_i|^L / sum |i - (n + 1 - i)|^L``; lower is better. x and y are the places of the
    leaves in both trees, 1 to n, as dendextend has it (Galili 2015): 0 where the orders are equal,
    1 where the one is the reverse of the other, the worst case for L >= 1. It depends on how the
    trees are drawn: here by `layout`, which orders children, not as the trees come.

    Parameters
    ----------
    scored : Scored
        The result must be a tree. Heights do not matter, the tree's shape alone does.
    L : float
        The exponent, more than 0. Below 1, small differences count almost as much as large ones,
        and the reverse is not the worst case.
    truth : str, optional
        One of the problem's truths; the first by default.

    Returns
    -------
    float
        In [0, 1] for L >= 1; 0 if one tree refines the other, so for two items. An upper bound of
        what the best layout has. Time and memory as `layout`.

    Raises
    ------
    NotApplicableError
        If the result is a partition, there is no such truth, or there is one item, without a worst
        case.
    """
    tree, true = scored.tree, named_truth(scored.problem, truth)
    if tree.n < 2:
        raise NotApplicableError("one item is in its place whatever the trees; nothing entangles")
    x, y = (np.argsort(order) for order in layout(tree, true))
    straight = np.arange(tree.n)
    # Scaled by n, lest a large exponent overflow.
    found, worst = (
        float(((np.abs(a - b) / tree.n) ** L).sum())
        for a, b in ((x, y), (straight, straight[::-1]))
    )
    return found / worst


def layout(tree: Tree, other: Tree) -> tuple[Ints, Ints]:
    """Order the leaves of two trees so that partners stand opposite, as far as the trees let them.

    In turn, the children of each node of the one tree are sorted by the mean place of their leaves
    in the other, until ``sum (x_i - y_i)^2`` does not fall any more. This order of one tree is the
    best for the other as it stands: if a child of s leaves moves to the right by d, that changes
    the sum by -2 d times its leaves' places in the other, so that children are best put in the
    order of their means (Smith's 1956 rule for jobs on one machine). All of it is a local optimum,
    and a deterministic one: the first order is that of the node ids, a leaf's being those of its
    parent here and there. Where one tree refines the other, the orders come out equal.

    Parameters
    ----------
    tree, other : Tree
        Trees over the same n leaves, of any degree.

    Returns
    -------
    tuple of two (n,) int arrays
        The leaves of both trees from left to right: each an order in which the tree can be drawn
        without a crossing of its own branches. O(n log n) time a round, up to 50 rounds; O(n)
        memory.
    """
    x = _ordered(tree, _first_keys(tree, other))
    y = _ordered(other, _means(other, x))
    distance = _distance(x, y)
    for _ in range(_MOST_ROUNDS):
        x_next = _ordered(tree, _means(tree, y))
        y_next = _ordered(other, _means(other, x_next))
        next_distance = _distance(x_next, y_next)
        if next_distance >= distance:
            break
        x, y, distance = x_next, y_next, next_distance
    return np.argsort(x), np.argsort(y)


def _first_keys(tree: Tree, other: Tree) -> NDArray[np.float64]:
    """Ids of inner nodes; for leaves those of their parents in the other tree, which come first."""
    keys = np.arange(tree.n_nodes, dtype=np.float64)
    keys[: tree.n] = other.parent[: tree.n] - other.n_nodes
    return keys


def _means(tree: Tree, place: Ints) -> NDArray[np.float64]:
    """Mean place (m,) of the leaves below each node."""
    before = np.concatenate(([0], np.cumsum(place[tree.leaf_order])))
    start, end = tree.leaf_range
    means: NDArray[np.float64] = (before[end] - before[start]) / tree.sizes
    return means


def _ordered(tree: Tree, key: NDArray[np.float64]) -> Ints:
    """Place (n,) of each leaf if children stand from left to right by rising key (m,)."""
    children = np.lexsort((key[:-1], tree.parent[:-1]))
    before = np.cumsum(tree.sizes[children]) - tree.sizes[children]
    above = tree.parent[children]
    is_first = np.concatenate(([True], above[1:] != above[:-1]))[: children.size]
    start = np.zeros(tree.n_nodes, dtype=np.int64)
    start[children] = before - before[is_first][np.cumsum(is_first) - 1]
    # Sum up to the root: each round, twice as far.
    ancestor = tree.parent.copy()
    ancestor[-1] = tree.root
    while (ancestor != tree.root).any():
        start += start[ancestor]
        ancestor = ancestor[ancestor]
    return start[: tree.n]


def _distance(x: Ints, y: Ints) -> int:
    return int(((x - y) ** 2).sum())
