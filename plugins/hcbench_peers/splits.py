"""scikit-learn's BisectingKMeans and Birch, whose hierarchies are those of their own trees."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import Birch, BisectingKMeans
from sklearn.exceptions import ConvergenceWarning

from hcbench import Items, Oracle, Tree
from hcbench_peers.inputs import near_origin, private_of, read_vectors, single_item, tree_of_groups


def bisecting_kmeans(
    oracle: Oracle,
    items: Items,
    rng: np.random.Generator,
    *,
    n_clusters: int | str,
    init: str,
    n_init: int,
    bisecting_strategy: str,
) -> Tree:
    """The splits of `BisectingKMeans`; items of one of its clusters are children of one node.

    They are in a private attribute of the estimator, as its labels alone do not tell them. There
    are at most as many clusters as different items. O(n p) time for each split of all items, and
    O(k) to choose each of k clusters.
    """
    if items.n == 1:
        return single_item(items.names)
    vectors = read_vectors(oracle)
    n_different = len(np.unique(vectors, axis=0))
    if isinstance(n_clusters, str):  # all
        n_clusters = n_different
    model = BisectingKMeans(
        n_clusters=min(n_clusters, n_different),
        init=init,
        n_init=n_init,
        bisecting_strategy=bisecting_strategy,
        random_state=int(rng.integers(2**31)),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # of duplicate items
        model.fit(vectors)
    parent_of_group, group_of_label = _groups_of_splits(model)
    return tree_of_groups(group_of_label[model.labels_], parent_of_group, items.names)


def _groups_of_splits(model: BisectingKMeans) -> tuple[list[int], NDArray[np.int64]]:
    """The parent of each node of the tree of splits, and the node of each of the model's labels.

    The root is the first node.
    """
    parent_of_group = [-1]
    group_of_label = np.zeros(model.n_clusters, dtype=np.int64)
    # Nodes whose parts are not numbered yet, with their own numbers.
    waiting: list[tuple[Any, int]] = [(private_of(model, "_bisecting_tree"), 0)]
    while waiting:
        cluster, group = waiting.pop()
        if cluster.left is None:
            # It was not split, and has a label.
            group_of_label[cluster.label] = group
            continue
        for part in (cluster.left, cluster.right):
            waiting.append((part, len(parent_of_group)))
            parent_of_group.append(group)
    return parent_of_group, group_of_label


def birch(
    oracle: Oracle,
    items: Items,
    rng: np.random.Generator,
    *,
    threshold: float,
    branching_factor: int,
) -> Tree:
    """The tree of clustering features of `Birch`; items are below the nearest of its subclusters.

    O(n p) time and memory for fixed depth; the order of the items matters.
    """
    if items.n == 1:
        return single_item(items.names)
    model = Birch(threshold=threshold, branching_factor=branching_factor, n_clusters=None)
    model.fit(near_origin(read_vectors(oracle)))
    parent_of_group, group_of_label = _groups_of_features(model)
    return tree_of_groups(group_of_label[model.labels_], parent_of_group, items.names)


def _groups_of_features(model: Birch) -> tuple[list[int], NDArray[np.int64]]:
    """The parent of each node or subcluster, and the subcluster of each of the model's labels.

    The root is the first one.
    """
    first_label, n_labels = _labels_of_leaves(model)
    parent_of_group = [-1]
    group_of_label = np.zeros(n_labels, dtype=np.int64)
    # Nodes whose subclusters are not numbered yet, with their own numbers.
    waiting: list[tuple[Any, int]] = [(model.root_, 0)]
    while waiting:
        node, group = waiting.pop()
        for place, part in enumerate(node.subclusters_):
            group_of_part = len(parent_of_group)
            parent_of_group.append(group)
            if part.child_ is None:
                # The node is a leaf, whose subclusters have labels.
                group_of_label[first_label[id(node)] + place] = group_of_part
            else:
                waiting.append((part.child_, group_of_part))
    return parent_of_group, group_of_label


def _labels_of_leaves(model: Birch) -> tuple[dict[int, int], int]:
    """The first label of each leaf, by its id, and the number of labels.

    Labels are the subclusters, which are numbered leaf by leaf, as the leaves are linked.
    """
    first_label: dict[int, int] = {}
    n_labels = 0
    leaf = model.dummy_leaf_.next_leaf_
    while leaf is not None:
        first_label[id(leaf)] = n_labels
        n_labels += len(leaf.subclusters_)
        leaf = leaf.next_leaf_
    return first_label, n_labels
