"""UPGMA, average linkage, by scipy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist, squareform

from hcbench import Given, HeightKind, Oracle, Tree, similarity_of_vectors
from hcbench_vectors.distances import cosine_distances, distances_of_similarities

if TYPE_CHECKING:
    from hcbench import Vectors


def upgma(oracle: Oracle, given: Given, _rng: np.random.Generator, *, metric: str) -> Tree:
    """Average linkage (Sokal & Michener 1958): O(n^2) time after the distances, O(n^2) memory.

    On vectors heights are mean distances. On similarities S the distances are max(S) - S, and
    heights are turned back: mean similarities between the merged clusters, so of kind AFFINITY;
    leaves are at max(S), taken over pairs of different items, as the diagonal means nothing.
    """
    if given.n == 1:
        return Tree([-1], names=given.names)  # no pair, no height
    if oracle.kind == "similarities":
        return _of_similarities(oracle.read(), given)
    merges = linkage(_condensed(oracle.read(), metric, given), "average")
    return Tree.from_linkage(merges, names=given.names)


def _of_similarities(similarity: NDArray[np.floating[Any]], given: Given) -> Tree:
    distances, top = distances_of_similarities(similarity)
    merges = linkage(squareform(distances, checks=False), "average")
    merges[:, 2] = top - merges[:, 2]
    return Tree.from_linkage(merges, kind=HeightKind.AFFINITY, leaf_height=top, names=given.names)


def _condensed(vectors: Vectors, metric: str, given: Given) -> NDArray[np.float64]:
    """Distances (n(n-1)/2,)."""
    if metric == "cosine":
        return squareform(cosine_distances(vectors, "UPGMA", given.names), checks=False)
    if isinstance(vectors, np.ndarray):
        return pdist(vectors)
    return squareform(-similarity_of_vectors(vectors, "euclidean"), checks=False)
