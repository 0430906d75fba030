"""Two trees face to face: an order of the leaves of both in which few lines cross."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcbench.model.trees.tree import Tree

#: Rounds of ordering one tree after the other; random trees of 10^5 leaves settle in fewer.
_MOST_ROUNDS = 50


def facing_orders(tree: Tree, other: Tree) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
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


def _means(tree: Tree, place: NDArray[np.int64]) -> NDArray[np.float64]:
    """Mean place (m,) of the leaves below each node."""
    before = np.concatenate(([0], np.cumsum(place[tree.leaf_order])))
    start, end = tree.leaf_range
    means: NDArray[np.float64] = (before[end] - before[start]) / tree.sizes
    return means


def _ordered(tree: Tree, key: NDArray[np.float64]) -> NDArray[np.int64]:
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


def _distance(x: NDArray[np.int64], y: NDArray[np.int64]) -> int:
    return int(((x - y) ** 2).sum())
