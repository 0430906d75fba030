"""Hierarchies by density: HDBSCAN of scikit-learn and of fast_hdbscan, PLSCAN, and EVoC."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import squareform

from hcbench import Items, NotApplicableError, Oracle, Tree
from hcbench_peers.inputs import (
    near_origin,
    private_of,
    read_distances,
    read_vectors,
    single_item,
    tree_of_groups,
)

_EXACT = 30  # coordinates up to which fast_hdbscan does not take approximate neighbours


def sklearn_hdbscan(
    oracle: Oracle,
    items: Items,
    rng: np.random.Generator,
    *,
    min_cluster_size: int,
    min_samples: int | None,
    metric: str,
    alpha: float,
) -> Tree:
    """Single linkage of mutual reachability distances by `sklearn.cluster.HDBSCAN`.

    It is in a private attribute of the estimator. O(n^2) time at worst.
    """
    from sklearn.cluster import HDBSCAN

    if items.n == 1:
        return single_item(items.names)
    if oracle.kind == "similarities":
        distances, _ = read_distances(oracle, metric)
        # The metric "precomputed" takes a matrix of distances.
        data = squareform(distances)
        metric = "precomputed"
    else:
        data = read_vectors(oracle)
    model = HDBSCAN(
        min_cluster_size=min_cluster_size,
        min_samples=min(min_samples or min_cluster_size, items.n),
        metric=metric,
        alpha=alpha,
        copy=False,
    )
    model.fit(data)
    # A structured array with the columns of scipy's linkage matrix.
    merged = private_of(model, "_single_linkage_tree_")
    columns = (
        merged["left_node"],
        merged["right_node"],
        merged["value"],
        merged["cluster_size"],
    )
    return Tree.from_linkage(np.column_stack(columns), names=items.names)


def fast_hdbscan(
    oracle: Oracle,
    items: Items,
    rng: np.random.Generator,
    *,
    min_cluster_size: int,
    min_samples: int | None,
) -> Tree:
    """Single linkage of mutual reachability distances by `fast_hdbscan.HDBSCAN`.

    O(n log n) time in few dimensions. Numbers are of single precision. Of vectors of more than 30
    coordinates, for which it takes approximate neighbours, it is not applicable.
    """
    vectors = read_vectors(oracle, single_precision=True)
    if vectors.shape[1] > _EXACT:
        raise NotApplicableError(
            f"fast_hdbscan finds exact neighbours in up to {_EXACT} dimensions, got "
            f"{vectors.shape[1]}; use HDBSCAN"
        )
    from fast_hdbscan import HDBSCAN

    if items.n == 1:
        return single_item(items.names)
    model = HDBSCAN(
        min_cluster_size=min_cluster_size,
        min_samples=min(min_samples or min_cluster_size, items.n - 1),
        reproducible=True,
    )
    model.fit(near_origin(vectors))
    return Tree.from_linkage(model.single_linkage_tree_.to_numpy(), names=items.names)


def plscan(
    oracle: Oracle, items: Items, rng: np.random.Generator, *, min_samples: int, metric: str
) -> Tree:
    """The single linkage tree of `fast_plscan.PLSCAN`: mutual reachability distances.

    O(n log n) time in few dimensions, in one thread: several choose among equal distances
    differently each time. Numbers are of single precision.
    """
    from fast_plscan import PLSCAN

    model = PLSCAN(min_samples=min(min_samples, items.n - 1), metric=metric, num_threads=1)
    model.fit(near_origin(read_vectors(oracle, single_precision=True)))
    return Tree.from_linkage(model.single_linkage_tree_, names=items.names)


def evoc(
    oracle: Oracle,
    items: Items,
    rng: np.random.Generator,
    *,
    noise_level: float,
    base_min_cluster_size: int,
    n_neighbors: int,
    min_samples: int,
) -> Tree:
    """The layers of clusters of `evoc.EVoC`; an item that is noise in all is below the root.

    About O(n log n) time.
    """
    from evoc import EVoC

    vectors = read_vectors(oracle, single_precision=True)
    default_dimension = min(max(n_neighbors // 4, 4), 15)
    model = EVoC(
        noise_level=noise_level,
        base_min_cluster_size=base_min_cluster_size,
        n_neighbors=min(n_neighbors, items.n - 1),
        min_samples=min_samples,
        # No more than there are features or items.
        node_embedding_dim=min(default_dimension, *vectors.shape),
        random_state=int(rng.integers(2**31)),
    )
    model.fit(vectors)
    parent_of_group, group_of_cluster = _groups_of_layers(model)
    # An item is in the smallest of its clusters, as the finest layer is written last.
    group = np.zeros(items.n, dtype=np.int64)
    for layer in reversed(range(len(model.cluster_layers_))):
        labels = model.cluster_layers_[layer]
        for label in np.unique(labels):
            if label >= 0:  # -1 is noise
                group[labels == label] = group_of_cluster[layer, label]
    return tree_of_groups(group, parent_of_group, items.names)


def _groups_of_layers(model: Any) -> tuple[list[int], dict[tuple[int, int], int]]:
    """The parent of each cluster of `EVoC`, and the number of each; the root is the first.

    EVoC names a cluster by its layer, 0 being the finest, and its label; the root is above all.
    """
    root = (len(model.cluster_layers_), 0)
    parent_of_group = [-1]
    group_of_cluster = {root: 0}
    waiting = [root]
    while waiting:
        cluster = waiting.pop()
        for part in model.cluster_tree_.get(cluster, ()):
            group_of_cluster[part] = len(parent_of_group)
            parent_of_group.append(group_of_cluster[cluster])
            waiting.append(part)
    return parent_of_group, group_of_cluster
