"""Hierarchies by density: HDBSCAN of scikit-learn and of fast_hdbscan, PLSCAN, and EVoC."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import squareform

from hcbench import Given, NotApplicableError, Oracle, Tree
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
    given: Given,
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

    if given.n == 1:
        return single_item(given)
    # The metric "precomputed" takes a matrix of distances.
    if oracle.kind == "similarities":
        distances, _ = read_distances(oracle, metric)
        data = squareform(distances)
        metric = "precomputed"
    else:
        data = read_vectors(oracle)
    model = HDBSCAN(
        min_cluster_size=min_cluster_size,
        min_samples=min(min_samples or min_cluster_size, given.n),
        metric=metric,
        alpha=alpha,
        copy=False,
    )
    model.fit(data)
    # A structured array with the columns of scipy's linkage matrix.
    names = ("left_node", "right_node", "value", "cluster_size")
    merged = private_of(model, "_single_linkage_tree_")
    merges = np.column_stack([merged[name] for name in names])
    return Tree.from_linkage(merges, names=given.names)


def fast_hdbscan(
    oracle: Oracle,
    given: Given,
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

    if given.n == 1:
        return single_item(given)
    model = HDBSCAN(
        min_cluster_size=min_cluster_size,
        min_samples=min(min_samples or min_cluster_size, given.n - 1),
        reproducible=True,
    )
    model.fit(near_origin(vectors))
    return Tree.from_linkage(model.single_linkage_tree_.to_numpy(), names=given.names)


def plscan(
    oracle: Oracle, given: Given, rng: np.random.Generator, *, min_samples: int, metric: str
) -> Tree:
    """The single linkage tree of `fast_plscan.PLSCAN`: mutual reachability distances.

    O(n log n) time in few dimensions, in one thread: several choose among equal distances
    differently each time. Numbers are of single precision.
    """
    from fast_plscan import PLSCAN

    model = PLSCAN(min_samples=min(min_samples, given.n - 1), metric=metric, num_threads=1)
    model.fit(near_origin(read_vectors(oracle, single_precision=True)))
    return Tree.from_linkage(model.single_linkage_tree_, names=given.names)


def evoc(
    oracle: Oracle,
    given: Given,
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
    model = EVoC(
        noise_level=noise_level,
        base_min_cluster_size=base_min_cluster_size,
        n_neighbors=min(n_neighbors, given.n - 1),
        min_samples=min_samples,
        # The default, but no more than there are features.
        node_embedding_dim=min(max(n_neighbors // 4, 4), 15, *vectors.shape),
        random_state=int(rng.integers(2**31)),
    )
    model.fit(vectors)
    # EVoC names a cluster by its layer, 0 being the finest, and its label; the root is above all.
    layers = model.cluster_layers_
    root = (len(layers), 0)
    number = {root: 0}
    above = [-1]
    waiting = [root]
    while waiting:
        cluster = waiting.pop()
        for part in model.cluster_tree_.get(cluster, ()):
            number[part] = len(above)
            above.append(number[cluster])
            waiting.append(part)
    group = np.zeros(given.n, dtype=np.int64)
    # The finest layer last: an item is in the smallest of its clusters. -1 is noise.
    for layer in reversed(range(len(layers))):
        for label in np.unique(layers[layer][layers[layer] >= 0]):
            group[layers[layer] == label] = number[layer, label]
    return tree_of_groups(group, above, given)
