"""Similarity matrices with a known hierarchy: nested blocks, and ultrametrics with noise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hcbench import DataRequest, HeightKind, Problem, Tree
from hcbench_simulated.clusters import draw_clusters
from hcbench_simulated.phylogenies import birth_death_tree

_ROWS = 1024  # drawn at a time


def hsbm(
    request: DataRequest,
    *,
    n: int,
    depth: int,
    branching: int,
    imbalance: float,
    stop: float,
    within: float,
    ratio: float,
    sparse: bool,
) -> Problem:
    """Draw a graph from a hierarchical stochastic block model.

    As in the hierarchical random graphs of Clauset, Moore & Newman 2008, two items are joined with
    a probability that depends on the lowest cluster that has both: at level l it is
    ``within * ratio^(depth - l)``. O(n^2) time and memory, or with ``sparse`` memory O(n) and that
    of the edges.

    Returns
    -------
    Problem
        Similarity: the adjacency matrix, 0 and 1; with ``sparse`` it is the graph. Heights of the
        truth are affinities: the probabilities of edges; `within` at the items.
    """
    seed = request.seed
    rng = np.random.default_rng(seed)
    clusters = draw_clusters(rng, n, depth, branching, imbalance, stop)
    probability = within * ratio ** (depth - clusters.level).astype(np.float64)
    # Of each item, the clusters from the root to its own.
    path = clusters.paths()[clusters.items]
    ends = []
    for start in range(0, n, _ROWS):
        rows = np.arange(start, min(start + _ROWS, n))
        # Level by level, the probabilities of the pairs that are in one cluster of it.
        density = np.full((len(rows), n), probability[0])
        for column in path.T[1:]:
            density = np.where(column[rows, None] == column, probability[column], density)
        joined = np.triu(rng.random((len(rows), n)) < density, start + 1)
        ends.append(np.argwhere(joined) + np.array([start, 0]))
    i, j = np.concatenate(ends).T
    # Each edge in both directions.
    rows = np.concatenate([i, j])
    columns = np.concatenate([j, i])
    edges = csr_array((np.ones(rows.size), (rows, columns)), shape=(n, n))
    similarity = None
    graph = None
    if sparse:
        graph = edges
    else:
        similarity = edges.toarray()
    return Problem(
        n=n,
        similarity=similarity,
        graph=graph,
        levels=clusters.levels(),
        truths={"blocks": clusters.tree(probability, within)},
    )


def noisy_ultrametric(request: DataRequest, *, n: int, noise: float) -> Problem:
    """Draw the distances of a Yule tree, each multiplied by independent log-normal noise.

    ``d_ij = u_ij exp(noise z_ij)`` with z_ij standard normal, where u_ij is the height at which i
    and j merge. O(n^2) time and memory.

    Returns
    -------
    Problem
        As `of_distances`; without noise the similarities are exactly the tree's.
    """
    seed = request.seed
    rng = np.random.default_rng(seed)
    tree = birth_death_tree(rng, n, 1.0, 0.0)
    # One number for each pair, in both triangles.
    i, j = np.triu_indices(n, 1)
    pairs = tree.merge_height(i, j) * np.exp(noise * rng.standard_normal(i.size))
    distances = np.zeros((n, n))
    distances[i, j] = pairs
    distances[j, i] = pairs
    return of_distances(distances, tree, "ultrametric")


def of_distances(distances: NDArray[np.float64], tree: Tree, name: str) -> Problem:
    """The problem of a matrix of distances and the tree that they approximate.

    Parameters
    ----------
    distances : (n, n) array
    tree : Tree
        Heights: the distance at which two items merge.
    name : str
        Of the truth.

    Returns
    -------
    Problem
        Similarity ``1 - d / max d``, as of a file with distances; heights are converted alike to
        affinities.
    """
    largest = distances.max() or 1.0  # all items may be equal
    assert tree.height is not None
    truth = Tree(tree.parent, 1.0 - tree.height / largest, HeightKind.AFFINITY)
    return Problem(n=tree.n, similarity=1.0 - distances / largest, truths={name: truth})
