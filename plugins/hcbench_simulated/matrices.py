"""Similarity matrices with a known hierarchy: nested blocks, and ultrametrics with noise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hcbench import HeightKind, Problem, Tree
from hcbench_simulated.clusters import draw_clusters
from hcbench_simulated.phylogenies import birth_death_tree


def hsbm(
    seed: int,
    *,
    n: int,
    depth: int,
    branching: int,
    imbalance: float,
    stop: float,
    within: float,
    ratio: float,
) -> Problem:
    """Draw a graph from a hierarchical stochastic block model.

    As in the hierarchical random graphs of Clauset, Moore & Newman 2008, two items are joined with
    a probability that depends on the lowest cluster that has both: at level l it is
    ``within * ratio^(depth - l)``. O(n^2) time and memory.

    Returns
    -------
    Problem
        Similarity: the adjacency matrix, 0 and 1. Heights of the truth are affinities: the
        probabilities of edges; `within` at the items.
    """
    rng = np.random.default_rng(seed)
    clusters = draw_clusters(rng, n, depth, branching, imbalance, stop)
    probability = within * ratio ** (depth - clusters.level).astype(np.float64)
    path = clusters.paths()[clusters.items]
    density = np.full((n, n), probability[0])
    for column in path.T[1:]:
        density = np.where(column[:, None] == column, probability[column], density)
    adjacency = np.triu(rng.random((n, n)) < density, 1).astype(np.float64)
    return Problem(
        n=n,
        similarity=adjacency + adjacency.T,
        levels=clusters.levels(),
        truths={"blocks": clusters.tree(probability, within)},
    )


def noisy_ultrametric(seed: int, *, n: int, noise: float) -> Problem:
    """Draw the distances of a Yule tree, each multiplied by independent log-normal noise.

    ``d_ij = u_ij exp(noise z_ij)`` with z_ij standard normal, where u_ij is the height at which i
    and j merge. O(n^2) time and memory.

    Returns
    -------
    Problem
        As `of_distances`; without noise the similarities are exactly the tree's.
    """
    rng = np.random.default_rng(seed)
    tree = birth_death_tree(rng, n, 1.0, 0.0)
    i, j = np.triu_indices(n, 1)
    pairs = tree.merge_height(i, j) * np.exp(noise * rng.standard_normal(i.size))
    distances = np.zeros((n, n))
    distances[i, j] = distances[j, i] = pairs
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
    largest = distances.max() or 1.0
    assert tree.height is not None
    truth = Tree(tree.parent, 1.0 - tree.height / largest, HeightKind.AFFINITY)
    return Problem(n=tree.n, similarity=1.0 - distances / largest, truths={name: truth})
