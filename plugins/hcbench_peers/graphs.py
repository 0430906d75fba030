"""Hierarchies of the graph of nearest neighbours: scikit-network and higra."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from hcbench import HeightKind, Items, NotApplicableError, Oracle, Tree
from hcbench_peers.inputs import (
    Floats,
    Graph,
    neighbour_graph,
    read_vectors,
    refuse_unused,
    single_item,
    tree_of_groups,
)
from hcbench_peers.specs import DEPTH, NEIGHBOURS


def paris(
    oracle: Oracle,
    items: Items,
    rng: np.random.Generator,
    *,
    neighbours: int,
    edges: str,
    weights: str,
) -> Tree:
    """Merge the clusters a, b of largest p(a, b) / (p(a) p(b)), by `sknetwork.hierarchy.Paris`.

    Heights are the inverse of that ratio. O(n k log n) time, roughly.
    """
    from sknetwork.hierarchy import Paris

    if items.n == 1:
        return single_item(items.names)
    # Sorted by height, as by default, ties and rounding may put a cluster before its parts.
    model = Paris(weights=weights, reorder=False)
    merges = model.fit_predict(_adjacency(oracle, neighbours, edges))
    return Tree.from_linkage(merges, names=items.names)


def louvain(
    oracle: Oracle,
    items: Items,
    rng: np.random.Generator,
    *,
    neighbours: int,
    edges: str,
    method: str,
    depth: int,
    resolution: float,
) -> Tree:
    """Clusters of large modularity within clusters, by `LouvainIteration` or `LouvainHierarchy`.

    Heights are levels; parts of a cluster are children of one node. O(n k) time a level, roughly.
    """
    from sknetwork.hierarchy import LouvainHierarchy, LouvainIteration

    if items.n == 1:
        return single_item(items.names)
    model: Any
    if method == "iteration":
        model = LouvainIteration(depth, resolution)
    else:
        refuse_unused("depth", depth, depth != DEPTH, "for method=hierarchy")
        model = LouvainHierarchy(resolution)
    try:
        merges = model.fit_predict(_adjacency(oracle, neighbours, edges))
    except IndexError:  # all items are one cluster, of which LouvainHierarchy makes no dendrogram
        return tree_of_groups(np.zeros(items.n, dtype=np.int64), [-1], items.names)
    # A cluster of several parts is written as binary merges of one height.
    return Tree.from_linkage(merges, names=items.names).collapse_ties()


def _adjacency(oracle: Oracle, neighbours: int, edges: str) -> csr_matrix:
    """The weights of edges: of the graph that is given, or else of nearest neighbours.

    Raises
    ------
    NotApplicableError
        If the graph is not connected, or a number of neighbours is chosen for a graph.
    """
    if oracle.kind != "graph":
        graph = neighbour_graph(oracle, neighbours)
        return graph.adjacency(_weights(graph, edges))
    refuse_unused("neighbours", neighbours, neighbours != NEIGHBOURS, "on a graph that is given")
    adjacency = _read_graph(oracle)
    n_parts, _ = connected_components(adjacency, directed=False)
    if n_parts > 1:
        raise NotApplicableError(
            f"the graph has {n_parts} parts without edges between them, and one tree has all "
            "items; take its largest part"
        )
    if edges == "equal":
        adjacency.data = np.ones(adjacency.nnz)
    return adjacency


def _read_graph(oracle: Oracle) -> csr_matrix:
    """A copy of the graph, as scikit-network takes neither 64-bit indices nor read-only arrays."""
    graph: Any = oracle.read()
    weights = graph.data.astype(np.float64)
    indices = graph.indices.astype(np.int32)
    offsets = graph.indptr.astype(np.int32)
    return csr_matrix((weights, indices, offsets), shape=graph.shape)


def _weights(graph: Graph, edges: str) -> Floats:
    """Weights of edges: 1, or exp(-(d / s)^2), where s is the mean distance d of all edges."""
    scale = float(graph.distance.mean())
    if edges == "equal" or scale == 0:
        return np.ones_like(graph.distance)
    # A weight of 0 would be no edge.
    return np.exp(-((graph.distance / scale) ** 2)).clip(1e-12)


def partition_tree(
    oracle: Oracle, items: Items, rng: np.random.Generator, *, linkage: str, neighbours: int
) -> Tree:
    """Merge neighbours in the graph of nearest neighbours, by higra's binary partition trees.

    With average linkage the distance of two clusters is the mean of the edges between them.
    O(n k log n) time, roughly.
    """
    import higra

    if items.n == 1:
        return single_item(items.names)
    if linkage == "ward" and oracle.kind != "vectors":
        raise NotApplicableError(f"linkage=ward needs vectors, not {oracle.kind}")
    # It is connected, so that the result is one tree.
    edges = neighbour_graph(oracle, neighbours)
    graph = higra.UndirectedGraph(items.n)
    graph.add_edges(edges.first, edges.second)
    merge = getattr(higra, f"binary_partition_tree_{linkage}_linkage")
    data = edges.distance
    if linkage == "ward":  # which computes distances of centres
        data = read_vectors(oracle)
    tree, heights = merge(graph, data)
    # In higra the root, which is the last node, is its own parent.
    parent = tree.parents().astype(np.int64)
    parent[-1] = -1
    return Tree(parent, heights, HeightKind.DISTANCE, items.names)
