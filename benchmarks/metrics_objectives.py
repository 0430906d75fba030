"""Objectives of many items, compared with the same values by a peer in the same run."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import pdist

import hcbench
from benchmarks.inputs import MANY, Timed, benchmark, best, dense_vectors, random_tree


class ObjectivesOfHundredThousandItems(Timed):
    """n = 100,000, p = 34: sums over all pairs of vectors without visiting the pairs."""

    params: ClassVar = [
        "dasgupta[similarity=dot]",
        "cohen-addad",
        "cophenetic-correlation[metric=cosine]",
        "tree-sampling-divergence[normalised=false]",
    ]
    param_names: ClassVar = ["metric"]

    def setup(self, metric: str) -> None:
        """Make a random tree whose heights are distances, and nonnegative vectors; compile."""
        self.problem = hcbench.Problem(n=MANY, vectors=dense_vectors(MANY))
        self.tree = _by_distance(MANY)
        few = hcbench.Problem(n=100, vectors=dense_vectors(100))
        hcbench.score(metric, _by_distance(100), few)

    @benchmark("Objective of 100,000 items: time")
    def time_score(self, metric: str) -> None:
        """Time of a metric by sums over clusters, without a similarity matrix."""
        hcbench.score(metric, self.tree, self.problem)


class MemoryOfObjectives:
    """Peak memory of the process, where an n x n matrix would take 80 GB."""

    @benchmark("cophenetic-correlation of 100,000 items: peak memory")
    def peakmem_cophenetic_correlation(self) -> None:
        """Peak memory of the process for the objective that takes the most."""
        problem = hcbench.Problem(n=MANY, vectors=dense_vectors(MANY))
        hcbench.score("cophenetic-correlation", _by_distance(MANY), problem, metric="cosine")


class ObjectivesOfDenseSimilarities(Timed):
    """n = 5000: one pass over the matrix."""

    def setup(self) -> None:
        """Compute dot products of 34 dimensions and compile."""
        vectors = dense_vectors(5000)
        self.problem = hcbench.Problem(n=5000, similarity=vectors @ vectors.T)
        self.tree = random_tree(5000)
        hcbench.score("dasgupta", random_tree(10), np.ones((10, 10)))

    @benchmark("dasgupta of a dense matrix: time")
    def time_dasgupta(self) -> None:
        """Time of dasgupta with one addition per pair of 5000 items."""
        hcbench.score("dasgupta", self.tree, self.problem)

    @benchmark("dasgupta of a dense matrix: time over numpy's sum", "ratio")
    def track_dasgupta_over_a_sum(self) -> float:
        """Time of dasgupta over that of numpy's sum of the same matrix."""
        matrix = self.problem.similarity
        assert matrix is not None
        return best(self.time_dasgupta) / best(matrix.sum)


class ObjectivesAgainstPeers:
    """One pass over the pairs: n = 3000 for scipy, 500 for scikit-network."""

    @benchmark("cophenetic-correlation: time over scipy's", "ratio")
    def track_cophenetic_correlation_over_scipy(self) -> float:
        """Time of the metric over that of scipy's pdist and cophenet, 3000 items."""
        vectors = dense_vectors(3000)
        merges = linkage(vectors, method="average")
        tree = hcbench.Tree.from_linkage(merges)

        def ours() -> float:
            return float(hcbench.score("cophenetic-correlation", tree, vectors))

        ours()
        return best(ours) / best(lambda: cophenet(merges, pdist(vectors)))

    @benchmark("tree-sampling-divergence: time over scikit-network's", "ratio")
    def track_tree_sampling_divergence_over_scikit_network(self) -> float:
        """Time of the metric over that of scikit-network's function, 500 items."""
        from scipy import sparse
        from sknetwork.hierarchy import tree_sampling_divergence  # type: ignore[import-untyped]

        vectors = dense_vectors(500)
        weights = vectors @ vectors.T
        np.fill_diagonal(weights, 0)
        merges, graph = linkage(vectors, method="average"), sparse.csr_matrix(weights)
        problem = hcbench.Problem(n=500, similarity=weights)

        def ours() -> float:
            return float(hcbench.score("tree-sampling-divergence", merges, problem))

        ours()
        return best(ours) / best(lambda: tree_sampling_divergence(graph, merges), repeats=1)


def _by_distance(n: int) -> hcbench.Tree:
    tree = random_tree(n)
    return hcbench.Tree(tree.parent, tree.height, hcbench.HeightKind.DISTANCE)
