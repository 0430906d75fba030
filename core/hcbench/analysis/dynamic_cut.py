"""The dynamic hybrid cut of a dendrogram (Langfelder, Zhang and Horvath 2008), stage by stage.

Unlike a cut at one height, it finds clusters at different heights: from the leaves up, two branches
that merge stay two clusters if each of them is large, tight in its core, and clearly below the
merge; otherwise they become one branch.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hcbench.errors import InvalidTreeError, ParameterError
from hcbench.model.trees import Tree
from hcbench.model.trees.tree import distances as merge_distances

#: The label of items that are in no cluster.
UNASSIGNED = 0
#: By ``deep_split``, the largest mean distance in the core of a cluster, as a share of the range of
#: the heights; from dynamicTreeCut.
_CORE_SCATTER = (0.64, 0.73, 0.82, 0.91, 0.95)
#: The share of the merges below the height at which the range begins, and the share of the range at
#: which the tree is cut.
_LOWEST_SHARE = 0.05
_CUT_SHARE = 0.99


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rules:
    """When a branch is a cluster.

    Attributes
    ----------
    min_size : int
        The least number of items.
    most_scatter : float
        The largest mean distance in its core.
    least_gap : float
        The least difference of the height at which it ends and that mean distance.
    """

    min_size: int
    most_scatter: float
    least_gap: float


@dataclass(slots=True)
class _Branch:
    """A part of the tree as it grows.

    Attributes
    ----------
    items : list of int
        In the order in which they joined, while it is one branch.
    clusters : list of list of int
        The clusters in it, once it has any; it is then no cluster itself.
    """

    items: list[int]
    clusters: list[list[int]] = field(default_factory=list)


def dynamic_cut(
    tree: Tree,
    distances: NDArray[np.floating] | None = None,
    *,
    min_size: int = 5,
    deep_split: int = 1,
    assign_all: bool = False,
) -> NDArray[np.int64]:
    """Cut a tree into clusters at different heights.

    Parameters
    ----------
    tree : Tree
        With heights; of any degree.
    distances : (n, n) array, optional
        The distances of the items; by default those of the tree, at which two items merge.
    min_size : int
        The least number of items in a cluster.
    deep_split : int
        From 0, few clusters, to 4, many.
    assign_all : bool
        Whether items outside of all clusters join the cluster of the least mean distance.

    Returns
    -------
    (n,) int64
        The cluster of each item, from 1, the largest first; 0 outside of all clusters.

    Raises
    ------
    InvalidTreeError
        If the tree has no heights.
    ParameterError
        If ``deep_split`` is not one of 0 to 4, or ``min_size`` not positive.

    Notes
    -----
    The hybrid method of R's dynamicTreeCut with its defaults, without its distance limits in the
    second stage. O(n²) time, for the distances.
    """
    if tree.height is None:
        raise InvalidTreeError("a dynamic cut needs heights, and this tree has none")
    if not 0 <= deep_split < len(_CORE_SCATTER):
        raise ParameterError(f"deep_split={deep_split}: give 0, 1, 2, 3 or 4")
    if min_size < 1:
        raise ParameterError(f"min_size={min_size}: a cluster has an item or more; give 1 or more")
    if tree.n < 2:
        return np.full(tree.n, UNASSIGNED, dtype=np.int64)
    if distances is None:
        distances = distances_in_tree(tree)
    heights = np.zeros(tree.n_nodes)
    heights[tree.n :] = np.maximum(merge_distances(tree), 0.0)
    rules, cut_height = _rules(heights[tree.n :], min_size, deep_split)
    clusters = _find_clusters(tree, heights, distances, rules, cut_height)
    labels = _number(clusters, tree.n)
    if assign_all and clusters:
        _assign_rest(labels, distances)
    return labels


def distances_in_tree(tree: Tree) -> NDArray[np.float64]:
    """The distances (n, n) at which two leaves merge."""
    heights = np.zeros(tree.n_nodes)
    heights[tree.n :] = merge_distances(tree)
    leaves = np.arange(tree.n)
    return heights[tree.lca(leaves[:, None], leaves[None, :])]


def _rules(heights: NDArray[np.float64], min_size: int, deep_split: int) -> tuple[_Rules, float]:
    """What makes a branch a cluster, and the height at which the tree is cut."""
    ordered = np.sort(heights)
    # R rounds halves to even numbers, as Python does.
    position = max(1, round(ordered.size * _LOWEST_SHARE))
    lowest = float(ordered[position - 1])
    cut_height = _CUT_SHARE * (float(ordered[-1]) - lowest) + lowest
    scatter = _CORE_SCATTER[deep_split]
    gap = (1 - scatter) * 3 / 4
    extent = cut_height - lowest
    rules = _Rules(
        min_size=min_size, most_scatter=lowest + scatter * extent, least_gap=gap * extent
    )
    return rules, cut_height


def _find_clusters(
    tree: Tree,
    heights: NDArray[np.float64],
    distances: NDArray[np.floating],
    rules: _Rules,
    cut_height: float,
) -> list[list[int]]:
    """The clusters, from the leaves up."""
    # The branches that have not merged yet, by their highest node.
    tops: dict[int, _Branch] = {leaf: _Branch([leaf]) for leaf in range(tree.n)}
    for node in _merges_in_order(tree, heights):
        if heights[node] > cut_height:
            continue
        # A child above the cut has no branch, although its parent is below it: an inversion.
        children = [child for child in tree.children(node).tolist() if child in tops]
        merged = tops.pop(children[0])
        for child in children[1:]:
            merged = _merge(merged, tops.pop(child), float(heights[node]), distances, rules)
        tops[node] = merged
    clusters = []
    for branch in tops.values():
        if branch.clusters:
            clusters += branch.clusters
        elif _is_cluster(branch.items, cut_height, distances, rules):
            clusters.append(branch.items)
    return clusters


def _merges_in_order(tree: Tree, heights: NDArray[np.float64]) -> list[int]:
    """The inner nodes from the lowest up, none before its children."""
    envelope = np.maximum.accumulate(heights[tree.n :])
    is_monotone = bool((envelope == heights[tree.n :]).all())
    nodes = np.arange(tree.n, tree.n_nodes)
    if is_monotone:
        return list(nodes.tolist())
    # Node numbers are topological, which decides between equal heights.
    highest_below = heights.copy()
    for node, parent in enumerate(tree.parent[:-1].tolist()):
        highest_below[parent] = max(highest_below[parent], highest_below[node])
    return list(nodes[np.argsort(highest_below[tree.n :], kind="stable")].tolist())


def _merge(
    first: _Branch,
    second: _Branch,
    height: float,
    distances: NDArray[np.floating],
    rules: _Rules,
) -> _Branch:
    """What two branches become that merge at a height."""
    sides = [first, second]
    if not first.clusters and not second.clusters:
        are_clusters = [_is_cluster(side.items, height, distances, rules) for side in sides]
        if all(are_clusters):
            return _Branch([], [first.items, second.items])
        # The larger one goes on, as its core has been found to be tight for longer.
        if len(second.items) > len(first.items):
            return _Branch(second.items + first.items)
        return _Branch(first.items + second.items)
    clusters = first.clusters + second.clusters
    for side in sides:
        # A branch without clusters that meets some is one of them, or outside of all.
        if not side.clusters and _is_cluster(side.items, height, distances, rules):
            clusters.append(side.items)
    return _Branch([], clusters)


def _is_cluster(
    items: list[int], height: float, distances: NDArray[np.floating], rules: _Rules
) -> bool:
    """Whether a branch that ends at a height is large, tight and apart enough."""
    if len(items) < rules.min_size or len(items) < 2:
        return False
    core = items[: _size_of_core(len(items), rules.min_size)]
    within = distances[np.ix_(core, core)]
    scatter = float(within.sum()) / (len(core) * (len(core) - 1))
    return scatter <= rules.most_scatter and height - scatter >= rules.least_gap


def _size_of_core(size: int, min_size: int) -> int:
    """How many of the items of a branch, those that joined first, are its core."""
    base = min_size / 2 + 1
    if base >= size:
        return size
    return int(base + np.sqrt(size - base))


def _number(clusters: list[list[int]], n: int) -> NDArray[np.int64]:
    """Labels from 1, of larger clusters first."""
    labels = np.full(n, UNASSIGNED, dtype=np.int64)
    by_size = sorted(clusters, key=lambda items: (-len(items), min(items)))
    for number, items in enumerate(by_size, start=1):
        labels[items] = number
    return labels


def _assign_rest(labels: NDArray[np.int64], distances: NDArray[np.floating]) -> None:
    """Give the items outside of all clusters to the cluster of the least mean distance."""
    is_free = labels == UNASSIGNED
    means = []
    numbers = np.arange(1, labels.max() + 1)
    for number in numbers.tolist():
        means.append(distances[:, labels == number].mean(axis=1))
    nearest = numbers[np.argmin(np.array(means), axis=0)]
    labels[is_free] = nearest[is_free]
