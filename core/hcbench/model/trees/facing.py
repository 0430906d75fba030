"""Two trees drawn opposite each other: orders of the leaves in which few lines cross."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcbench.model.trees.tree import Tree

#: Rounds of ordering one tree after the other; random trees of 10^5 leaves converge in fewer.
_MOST_ROUNDS = 50


def facing_orders(tree: Tree, other: Tree) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Order the leaves of two trees so that equal leaves are opposite, as far as possible.

    Alternately, the children of each node of one tree are sorted by the mean position of their
    leaves in the other, until ``sum (x_i - y_i)^2`` does not decrease any more. Given the order of
    the other tree, this order is optimal: moving a child of s leaves to the right by d changes the
    sum by -2 d times the positions of its leaves in the other, so that children are best sorted by
    their means (Smith's 1956 rule for jobs on one machine). The result is a local optimum, and
    deterministic: the first order is that of the node ids, and of leaves that of their parents'
    ids. Where one tree refines the other, the orders are equal.

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
    """Ids of inner nodes; of leaves, which come first, those of their parents in the other tree."""
    keys = np.arange(tree.n_nodes, dtype=np.float64)
    keys[: tree.n] = other.parent[: tree.n] - other.n_nodes
    return keys


def _means(tree: Tree, place: NDArray[np.int64]) -> NDArray[np.float64]:
    """Mean position (m,) of the leaves below each node."""
    before = np.concatenate(([0], np.cumsum(place[tree.leaf_order])))
    start, end = tree.leaf_range
    means: NDArray[np.float64] = (before[end] - before[start]) / tree.sizes
    return means


def _ordered(tree: Tree, key: NDArray[np.float64]) -> NDArray[np.int64]:
    """Position (n,) of each leaf if children are sorted from left to right by key (m,)."""
    children = np.lexsort((key[:-1], tree.parent[:-1]))
    before = np.cumsum(tree.sizes[children]) - tree.sizes[children]
    above = tree.parent[children]
    is_first = np.concatenate(([True], above[1:] != above[:-1]))[: children.size]
    start = np.zeros(tree.n_nodes, dtype=np.int64)
    start[children] = before - before[is_first][np.cumsum(is_first) - 1]
    # Sum up to the root; the distance doubles in each round.
    ancestor = tree.parent.copy()
    ancestor[-1] = tree.root
    while (ancestor != tree.root).any():
        start += start[ancestor]
        ancestor = ancestor[ancestor]
    return start[: tree.n]


def _distance(x: NDArray[np.int64], y: NDArray[np.int64]) -> int:
    return int(((x - y) ** 2).sum())
