"""Linkages: scipy, fastcluster and scikit-learn."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench import HeightKind, Items, NotApplicableError, Oracle, Tree
from hcbench_peers.inputs import read_distances, require_vectors, rows_of_metric, single_item

EUCLIDEAN = ("centroid", "median", "ward")
"""Methods that are defined for vectors and their Euclidean distances only."""


def _require_euclidean(name: str, method: str, metric: str) -> None:
    """Refuse other metrics for methods that are defined for Euclidean distances, as scipy does.

    Raises
    ------
    NotApplicableError
    """
    if method in EUCLIDEAN and metric != "euclidean":
        raise NotApplicableError(
            f"{name}={method} is defined for Euclidean distances, not for metric={metric}; use "
            f"metric=euclidean or {name}=average"
        )


def scipy_linkage(
    oracle: Oracle, items: Items, rng: np.random.Generator, *, method: str, metric: str
) -> Tree:
    """Linkage by `scipy.cluster.hierarchy.linkage`: O(n^2) time after the distances."""
    from scipy.cluster.hierarchy import linkage

    return _of_distances(linkage, oracle, items, method, metric)


def fastcluster_linkage(
    oracle: Oracle, items: Items, rng: np.random.Generator, *, method: str, metric: str
) -> Tree:
    """Linkage by `fastcluster.linkage`: O(n^2) time after the distances, which it overwrites."""
    from fastcluster import linkage

    linkage_in_place = partial(linkage, preserve_input=False)
    return _of_distances(linkage_in_place, oracle, items, method, metric)


def fastcluster_vector(
    oracle: Oracle, items: Items, rng: np.random.Generator, *, method: str, metric: str
) -> Tree:
    """Linkage by `fastcluster.linkage_vector`: O(n^2 p) time, O(n p) memory."""
    from fastcluster import linkage_vector

    _require_euclidean("method", method, metric)
    if items.n == 1:
        return single_item(items.names)
    # fastcluster has the names of scipy's metrics.
    vectors, measure = rows_of_metric(oracle, metric)
    merges = linkage_vector(vectors, method, measure.replace("manhattan", "cityblock"))
    return Tree.from_linkage(merges, names=items.names)


def _of_distances(linkage: Any, oracle: Oracle, items: Items, method: str, metric: str) -> Tree:
    """Merge by distances; heights of similarities are affinities."""
    _require_euclidean("method", method, metric)
    if items.n == 1:
        return single_item(items.names)
    if method in EUCLIDEAN:
        require_vectors(oracle, f"method={method}")
    distances, top = read_distances(oracle, metric)
    merges: NDArray[np.float64] = linkage(distances, method)
    if top is None:
        return Tree.from_linkage(merges, names=items.names)
    # Distances max(S) - S become similarities again.
    merges[:, 2] = top - merges[:, 2]
    # Items are as high as the first merge, since their own similarity is not known.
    leaf = float(merges[0, 2])
    return Tree.from_linkage(merges, kind=HeightKind.AFFINITY, leaf_height=leaf, names=items.names)


def agglomerative(
    oracle: Oracle,
    items: Items,
    rng: np.random.Generator,
    *,
    linkage: str,
    metric: str,
    neighbours: int | None,
) -> Tree:
    """Linkage by `sklearn.cluster.AgglomerativeClustering`, between neighbours only if asked for.

    With `neighbours` only clusters that the graph of nearest neighbours joins are merged, so
    heights may fall; scikit-learn joins parts without a connection at their nearest items.
    O(n^2) time, with `neighbours` usually much less.
    """
    from sklearn.cluster import AgglomerativeClustering
    from sklearn.neighbors import kneighbors_graph

    _require_euclidean("linkage", linkage, metric)
    if items.n == 1:
        return single_item(items.names)
    vectors, measure = rows_of_metric(oracle, metric)
    # Without a graph all clusters are neighbours.
    graph = None
    if neighbours is not None:
        k = min(neighbours, items.n - 1)
        graph = kneighbors_graph(vectors, k, metric=measure, include_self=False)
    model = AgglomerativeClustering(
        # The whole tree, with its distances.
        n_clusters=None,
        distance_threshold=0.0,
        linkage=linkage,
        metric=measure,
        connectivity=graph,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that it joins the parts of the graph
        model.fit(vectors)
    return Tree.from_children(model.children_, model.distances_, names=items.names)
