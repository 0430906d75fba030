"""Classes of the items that are nearest in the tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hcbench import NotApplicableError
from hcbench_metrics.purity import true_classes

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from hcbench import Partition, Scored, Tree


def tree_knn(scored: Scored, k: int = 10, truth: str | None = None) -> float:
    """Mean proportion of an item's k nearest items in the tree that are of its class.

    Items are the nearer, the lower they merge with the item. Those that join it at once, at a node
    of several leaves or at nodes of one height, are equally near; if only some of them are among
    the k nearest, the expectation over random choices is used. An item of a class of n_c < k + 1
    items has ``n_c - 1`` neighbours, so that 1 can be reached, and is omitted if n_c = 1. Higher is
    better; random trees are expected at the proportion of random pairs, which is the mean of
    ``(n_c - 1) / (n - 1)`` over the items.

    Parameters
    ----------
    scored : Scored
        The result must be a tree.
    k : int
        Neighbours of each item, itself excluded.
    truth : str, optional
        One of the problem's truths, as for `dendrogram_purity`; the first by default. Classes are
        the finest label level or, for a truth without labels, the leaves of a node that has no
        other children.

    Returns
    -------
    float
        In [0, 1]. O(n k log n) time, O(n) memory.

    Raises
    ------
    NotApplicableError
        If the result is a partition, there is no such truth, or no class has two items.

    References
    ----------
    Nearest neighbours as evidence of a class: T. M. Cover and P. E. Hart, "Nearest neighbor pattern
    classification", IEEE Trans. Inf. Theory 13 (1967).
    """
    tree = scored.tree
    classes = true_classes(scored.problem, truth)
    if classes.sizes.max() == 1:
        raise NotApplicableError("every true class is a single item, and has no neighbours")
    if tree.height is not None:
        tree = tree.collapse_ties()
    count = _counter(tree, classes)
    # Of each item, as many neighbours as its class has, but at most k.
    n_neighbours = np.minimum(k, classes.sizes - 1)[classes.labels]
    proportions = np.zeros(tree.n)
    # All items climb to their parents at once. State of those that still lack neighbours: the node
    # they have reached, the other leaves below it, and how many of these are of the same class.
    items = np.flatnonzero(n_neighbours)
    node = items.copy()
    size = np.zeros(items.size, np.int64)
    same = np.zeros(items.size, np.int64)
    n_items = items.size
    while items.size:
        needed = n_neighbours[items]
        node = tree.parent[node]
        next_size = tree.sizes[node] - 1
        next_same = count(items, node) - 1
        # Of those that join at once, perhaps only some are needed: each is equally likely.
        share = (np.minimum(next_size, needed) - size) / needed
        proportions[items] += share * (next_same - same) / (next_size - size)
        lacks = next_size < needed
        items = items[lacks]
        node = node[lacks]
        size = next_size[lacks]
        same = next_same[lacks]
    return min(1.0, float(proportions.sum()) / n_items)  # rounding


def _counter(
    tree: Tree, classes: Partition
) -> Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.int64]]:
    """A function: the number of leaves of the items' own classes below nodes."""
    start, end = tree.leaf_range
    position = start[: tree.n]
    places = np.sort(classes.labels * tree.n + position)

    def count(items: NDArray[np.int64], nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        first = classes.labels[items] * tree.n
        before = np.searchsorted(places, first + start[nodes])
        counts: NDArray[np.int64] = np.searchsorted(places, first + end[nodes]) - before
        return counts

    return count
