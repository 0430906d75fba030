"""scikit-learn's BisectingKMeans and Birch, whose hierarchies are those of their own trees."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.cluster import Birch, BisectingKMeans
from sklearn.exceptions import ConvergenceWarning

from hcbench import Given, Oracle, Tree
from hcbench_peers.inputs import near_origin, private_of, read_vectors, single_item, tree_of_groups


def bisecting_kmeans(
    oracle: Oracle,
    given: Given,
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
    if given.n == 1:
        return single_item(given)
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
    # Groups are the nodes of its tree; the root is the first.
    above = [-1]
    group_of_label = np.zeros(model.n_clusters, dtype=np.int64)
    waiting: list[tuple[Any, int]] = [(private_of(model, "_bisecting_tree"), 0)]
    while waiting:
        cluster, number = waiting.pop()
        if cluster.left is None:
            group_of_label[cluster.label] = number
            continue
        for part in (cluster.left, cluster.right):
            waiting.append((part, len(above)))
            above.append(number)
    return tree_of_groups(group_of_label[model.labels_], above, given)


def birch(
    oracle: Oracle,
    given: Given,
    rng: np.random.Generator,
    *,
    threshold: float,
    branching_factor: int,
) -> Tree:
    """The tree of clustering features of `Birch`; items are below the nearest of its subclusters.

    O(n p) time and memory for fixed depth; the order of the items matters.
    """
    if given.n == 1:
        return single_item(given)
    model = Birch(threshold=threshold, branching_factor=branching_factor, n_clusters=None)
    model.fit(near_origin(read_vectors(oracle)))
    # Labels are the subclusters, numbered leaf by leaf: the label of the first of each leaf.
    first_label: dict[int, int] = {}
    n_labels = 0
    leaf = model.dummy_leaf_.next_leaf_
    while leaf is not None:
        first_label[id(leaf)] = n_labels
        n_labels += len(leaf.subclusters_)
        leaf = leaf.next_leaf_
    # Groups are the nodes and subclusters of its tree; the root is the first.
    above = [-1]
    group_of_label = np.zeros(n_labels, dtype=np.int64)
    waiting: list[tuple[Any, int]] = [(model.root_, 0)]
    while waiting:
        node, number = waiting.pop()
        for place, part in enumerate(node.subclusters_):
            if part.child_ is None:
                group_of_label[first_label[id(node)] + place] = len(above)
            else:
                waiting.append((part.child_, len(above)))
            above.append(number)
    return tree_of_groups(group_of_label[model.labels_], above, given)
