"""Objectives of many items, and the same numbers by a peer in the same run."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import pdist

import hcbench
from benchmarks.inputs import MANY, best, dense_vectors, random_tree


class ObjectivesOfHundredThousandItems:
    """n = 100,000, p = 34: sums over all pairs of vectors, none of which is looked at."""

    params: ClassVar = [
        "dasgupta[similarity=dot]",
        "cohen-addad",
        "cophenetic-correlation[metric=cosine]",
        "tree-sampling-divergence[normalised=false]",
    ]
    param_names: ClassVar = ["metric"]

    def setup(self, metric: str) -> None:
        """A random tree whose heights are distances, vectors without a negative entry; compile."""
        self.problem = hcbench.Problem(n=MANY, vectors=dense_vectors(MANY))
        self.tree = _by_distance(MANY)
        few = hcbench.Problem(n=100, vectors=dense_vectors(100))
        hcbench.score(metric, _by_distance(100), few)

    def time_score(self, metric: str) -> None:
        """By sums, or by means, scatter and, for the correlation, a Gram matrix of 34 columns."""
        hcbench.score(metric, self.tree, self.problem)


class MemoryOfObjectives:
    """Of the whole process: n x n would be 80 GB."""

    def peakmem_cophenetic_correlation(self) -> None:
        """That of all objectives which takes the most."""
        problem = hcbench.Problem(n=MANY, vectors=dense_vectors(MANY))
        hcbench.score("cophenetic-correlation", _by_distance(MANY), problem, metric="cosine")


class ObjectivesOfDenseSimilarities:
    """n = 5000: one pass over the matrix."""

    def setup(self) -> None:
        """Dot products of 34 dimensions, and compile."""
        vectors = dense_vectors(5000)
        self.problem = hcbench.Problem(n=5000, similarity=vectors @ vectors.T)
        self.tree = random_tree(5000)
        hcbench.score("dasgupta", random_tree(10), np.ones((10, 10)))

    def time_dasgupta(self) -> None:
        """As many additions as pairs."""
        hcbench.score("dasgupta", self.tree, self.problem)

    def track_dasgupta_over_a_sum(self) -> float:
        """Time over that of numpy's sum of the matrix."""
        matrix = self.problem.similarity
        assert matrix is not None
        return best(self.time_dasgupta) / best(matrix.sum)

    track_dasgupta_over_a_sum.unit = "ratio"  # type: ignore[attr-defined]


class ObjectivesAgainstPeers:
    """One pass over the pairs: n = 3000 against scipy, 500 against scikit-network."""

    def track_scipy_over_cophenetic_correlation(self) -> float:
        """Time of scipy's cophenet with its distances over that of the metric."""
        vectors = dense_vectors(3000)
        merges = linkage(vectors, method="average")
        tree = hcbench.Tree.from_linkage(merges)

        def ours() -> float:
            return float(hcbench.score("cophenetic-correlation", tree, vectors))

        ours()
        return best(lambda: cophenet(merges, pdist(vectors))) / best(ours)

    def track_scikit_network_over_tree_sampling_divergence(self) -> float:
        """Time of scikit-network over that of the metric."""
        from scipy import sparse
        from sknetwork.hierarchy import tree_sampling_divergence  # type: ignore[import-untyped]

        vectors = dense_vectors(500)
        weights = vectors @ vectors.T
        np.fill_diagonal(weights, 0)
        merges, graph = linkage(vectors, method="average"), sparse.csr_matrix(weights)

        def ours() -> float:
            return float(hcbench.score("tree-sampling-divergence", merges, weights))

        ours()
        return best(lambda: tree_sampling_divergence(graph, merges), repeats=1) / best(ours)

    track_scipy_over_cophenetic_correlation.unit = "ratio"  # type: ignore[attr-defined]
    track_scikit_network_over_tree_sampling_divergence.unit = "ratio"  # type: ignore[attr-defined]


def _by_distance(n: int) -> hcbench.Tree:
    tree = random_tree(n)
    return hcbench.Tree(tree.parent, tree.height, hcbench.HeightKind.DISTANCE)
