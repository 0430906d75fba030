"""Metrics of many items, and the same numbers by a peer in the same run."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import pdist
from scipy.stats import kendalltau

import hcbench

SEED = 20230


def _labelled(n: int, classes: int = 20, p: int = 34) -> hcbench.Problem:
    """Items of 20 classes in six groups."""
    rng = np.random.default_rng(SEED)
    fine = rng.integers(classes, size=n)
    vectors = rng.normal(size=(n, p)) + 0.3 * fine[:, None]
    return hcbench.Problem(n=n, vectors=vectors, levels=np.column_stack((fine % 6, fine)))


def _random_tree(n: int, kind: hcbench.HeightKind = hcbench.HeightKind.ORDER) -> hcbench.Tree:
    """Random neighbours on a line merge one after the other; affinities fall from 1."""
    rng = np.random.default_rng(SEED)
    parent = np.full(2 * n - 1, -1)
    live = rng.permutation(n).tolist()
    for node in range(n, 2 * n - 1):
        at = int(rng.integers(len(live) - 1))
        parent[live[at]] = parent[live[at + 1]] = node
        live[at : at + 2] = [node]
    rank = np.arange(n - 1, dtype=float)
    if kind is hcbench.HeightKind.AFFINITY:
        return hcbench.Tree(parent, np.concatenate((np.full(n, 2.0), 1 - rank / n)), kind)
    return hcbench.Tree(parent, np.concatenate((np.zeros(n), 1 + rank)), kind)


def _with_affinities(truth: hcbench.Tree) -> hcbench.Tree:
    depth = truth.depths.astype(float)
    return hcbench.Tree(truth.parent, depth / depth.max(), hcbench.HeightKind.AFFINITY)


def _best(work: Callable[[], Any], repeats: int = 3) -> float:
    times = []
    for _ in range(repeats):
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return min(times)


class HundredThousandItems:
    """n = 100,000, p = 34, 20 classes: nothing here may be n x n."""

    def setup(self) -> None:
        """Make a tree that has nothing to do with the classes, the worst case; compile."""
        n = 100_000
        self.problem = _labelled(n)
        self.tree = _random_tree(n)
        self.affinities = _random_tree(n, hcbench.HeightKind.AFFINITY)
        truth = _with_affinities(self.problem.truth)
        self.heights = hcbench.Problem(n=n, truths={"tree": truth})
        for work in (
            self.time_kendall_tau_b,
            self.time_kendall_tau_b_transposed,
            self.time_kendall_tau_b_of_broken_ties,
            self.time_merge_distortion,
            self.time_dasgupta_of_dot_products,
            self.time_exact_recovery,
        ):
            work()

    def time_kendall_tau_b(self) -> None:
        """Mean over the items."""
        hcbench.score("kendall-tau-b", self.tree, self.problem)

    def time_kendall_tau_b_transposed(self) -> None:
        """By a table of the classes' ranks."""
        hcbench.score("kendall-tau-b", self.tree, self.problem, transposed=True)

    def time_kendall_tau_b_of_broken_ties(self) -> None:
        """By a table of 20 ranks in each row."""
        hcbench.score("kendall-tau-b", self.tree, self.problem, break_ties=0)

    def time_merge_distortion(self) -> None:
        """Both trees monotone."""
        hcbench.score("merge-distortion", self.affinities, self.heights)

    def time_dasgupta_of_dot_products(self) -> None:
        """In one pass over the sums of vectors."""
        hcbench.score("dasgupta", self.tree, self.problem, similarity="dot")

    def time_exact_recovery(self) -> None:
        """All true clusters."""
        hcbench.score("exact-recovery", self.tree, self.problem)

    def peakmem_merge_distortion_and_dasgupta(self) -> None:
        """Of the whole process, n x n would be 80 GB."""
        self.time_merge_distortion()
        self.time_dasgupta_of_dot_products()


class AgainstScipy:
    """n = 3000, 20 classes: the same ranks, row by row, through scipy.stats.kendalltau."""

    def setup(self) -> None:
        """Cluster, and compile."""
        self.problem = _labelled(3000)
        assert isinstance(self.problem.vectors, np.ndarray)
        self.tree = hcbench.Tree.from_linkage(linkage(self.problem.vectors, method="average"))
        self._ours()
        self._ours(transposed=True)

    def _ours(self, **options: Any) -> float:
        return float(hcbench.score("kendall-tau-b", self.tree, self.problem, **options))

    def track_scipy_over_kendall_tau_b(self) -> float:
        """Time of the loop, from 100 of its rows, over that of the metric."""
        return self._loop(transposed=False) / _best(self._ours)

    def track_scipy_over_transposed_kendall_tau_b(self) -> float:
        """As before, with the truth's ranks transposed."""
        return self._loop(transposed=True) / _best(lambda: self._ours(transposed=True))

    def _loop(self, *, transposed: bool) -> float:
        """Seconds that all rows would take."""
        n = self.problem.n
        rows = range(0, n, n // 100)
        start = perf_counter()
        for i in rows:
            kendalltau(*self._ranks(i, transposed=transposed))
        return (perf_counter() - start) * n / len(rows)

    def _ranks(self, i: int, *, transposed: bool) -> tuple[Any, Any]:
        others = np.delete(np.arange(self.problem.n), i)
        truth = self.problem.truth
        merged_at = truth.depths[truth.lca(i, others)]
        start = truth.depths[others] if transposed else truth.depths[i]
        return -self.tree.depths[self.tree.lca(i, others)], start - merged_at

    track_scipy_over_kendall_tau_b.unit = "ratio"  # type: ignore[attr-defined]
    track_scipy_over_transposed_kendall_tau_b.unit = "ratio"  # type: ignore[attr-defined]


class GeneralTrees:
    """n = 3000, two deep trees, where every item is a class: one row after the other."""

    def setup(self) -> None:
        """Two caterpillars in random order, and compile."""
        rng = np.random.default_rng(SEED)
        n = 3000
        parent = np.concatenate(([n], np.arange(n, 2 * n - 1), np.arange(n + 1, 2 * n - 1), [-1]))
        chain = hcbench.Tree(parent)
        self.tree, self.truth = (chain.relabel(rng.permutation(n)) for _ in range(2))
        self.time_kendall_tau_b()
        self.time_kendall_tau_b_transposed()

    def time_kendall_tau_b(self) -> None:
        """O(n^2 log n), no matrix."""
        hcbench.score("kendall-tau-b", self.tree, self.truth)

    def time_kendall_tau_b_transposed(self) -> None:
        """As before."""
        hcbench.score("kendall-tau-b", self.tree, self.truth, transposed=True)


class DenseSimilarities:
    """n = 5000: one pass over the matrix."""

    def setup(self) -> None:
        """Dot products of 34 dimensions, and compile."""
        vectors = _labelled(5000).vectors
        assert isinstance(vectors, np.ndarray)
        self.problem = hcbench.Problem(n=5000, similarity=vectors @ vectors.T)
        self.tree = _random_tree(5000)
        self.time_dasgupta()

    def time_dasgupta(self) -> None:
        """As many additions as pairs."""
        hcbench.score("dasgupta", self.tree, self.problem)

    def track_dasgupta_over_a_sum(self) -> float:
        """Time over that of numpy's sum of the matrix."""
        matrix = self.problem.similarity
        assert matrix is not None
        return _best(self.time_dasgupta) / _best(matrix.sum)

    track_dasgupta_over_a_sum.unit = "ratio"  # type: ignore[attr-defined]


class ObjectivesOfHundredThousandItems:
    """n = 100,000, p = 34: sums over all pairs of vectors, none of which is looked at."""

    def setup(self) -> None:
        """A random tree whose heights are distances, vectors without a negative entry; compile."""
        n = 100_000
        vectors = _labelled(n).vectors
        assert isinstance(vectors, np.ndarray)
        self.problem = hcbench.Problem(n=n, vectors=np.abs(vectors))
        tree = _random_tree(n)
        self.tree = hcbench.Tree(tree.parent, tree.height, hcbench.HeightKind.DISTANCE)
        self.time_moseley_wang()
        self.time_cohen_addad()
        self.time_cophenetic_correlation()
        self.time_tree_sampling_divergence()

    def time_moseley_wang(self) -> None:
        """By sums."""
        hcbench.score("moseley-wang", self.tree, self.problem)

    def time_cohen_addad(self) -> None:
        """By means and scatter."""
        hcbench.score("cohen-addad", self.tree, self.problem)

    def time_cophenetic_correlation(self) -> None:
        """By means, scatter and a Gram matrix of 34 columns."""
        hcbench.score("cophenetic-correlation", self.tree, self.problem, metric="cosine")

    def time_tree_sampling_divergence(self) -> None:
        """By sums."""
        hcbench.score("tree-sampling-divergence", self.tree, self.problem, normalised=False)

    def peakmem_cophenetic_correlation(self) -> None:
        """Of the whole process, n x n would be 80 GB."""
        self.time_cophenetic_correlation()


class ObjectivesAgainstPeers:
    """One pass over the pairs: n = 5000 against scipy, 500 against scikit-network."""

    def setup(self) -> None:
        """Cluster, and compile."""
        vectors = _labelled(5000).vectors
        assert isinstance(vectors, np.ndarray)
        self.vectors = np.abs(vectors)
        self.linkage = linkage(self.vectors, method="average")
        self.tree = hcbench.Tree.from_linkage(self.linkage)
        self.weights = self.vectors[:500] @ self.vectors[:500].T
        np.fill_diagonal(self.weights, 0)
        self.merges = linkage(self.vectors[:500], method="average")
        self._correlation()
        self._divergence()

    def _correlation(self) -> None:
        hcbench.score("cophenetic-correlation", self.tree, self.vectors)

    def _divergence(self) -> None:
        hcbench.score("tree-sampling-divergence", self.merges, self.weights)

    def track_scipy_over_cophenetic_correlation(self) -> float:
        """Time of scipy's cophenet with its distances over that of the metric."""
        return _best(lambda: cophenet(self.linkage, pdist(self.vectors))) / _best(self._correlation)

    def track_scikit_network_over_tree_sampling_divergence(self) -> float:
        """Time of scikit-network over that of the metric."""
        from scipy import sparse
        from sknetwork.hierarchy import tree_sampling_divergence  # type: ignore[import-untyped]

        graph = sparse.csr_matrix(self.weights)
        peer = _best(lambda: tree_sampling_divergence(graph, self.merges), repeats=1)
        return peer / _best(self._divergence)

    track_scipy_over_cophenetic_correlation.unit = "ratio"  # type: ignore[attr-defined]
    track_scikit_network_over_tree_sampling_divergence.unit = "ratio"  # type: ignore[attr-defined]


class TwoTreesOfHundredThousandItems:
    """n = 100,000: a random tree against 20 classes, and against another such tree."""

    params = (
        [
            *("dendrogram-purity", "triplet-agreement", "robinson-foulds", "fowlkes-mallows"),
            *("baker-gamma", "baker-gamma[correlation=spearman]", "entanglement"),
        ],
        ["classes", "tree"],
    )
    param_names = ("metric", "truth")

    def setup(self, metric: str, truth: str) -> None:
        """Make trees that have nothing to do with each other, the worst case; compile."""
        n = 100_000
        self.tree = _random_tree(n)
        self.truth = hcbench.Problem(n=n, truths={"tree": self.tree.relabel(np.arange(n)[::-1])})
        if truth == "classes":
            self.truth = _labelled(n)
        self.time_score(metric, truth)

    def time_score(self, metric: str, truth: str) -> None:  # noqa: ARG002
        """The whole curve of B_k, all triplets, all pairs of pairs."""
        hcbench.score(metric, self.tree, self.truth)


class TwoTreesAgainstPeers:
    """The same numbers by scikit-learn and higra, and by scipy from all pairs of n = 3000."""

    def setup(self) -> None:
        """Cluster, and compile."""
        n = 100_000
        self.problem = _labelled(n)
        self.tree = _random_tree(n)
        small = _labelled(3000).vectors
        assert isinstance(small, np.ndarray)
        self.merges = [linkage(small, method=method) for method in ("average", "ward")]
        self.few = [hcbench.Tree.from_linkage(z) for z in self.merges]
        self._purity()
        self._index()
        self._correlation()

    def _purity(self) -> None:
        hcbench.score("dendrogram-purity", self.tree, self.problem)

    def _index(self) -> None:
        hcbench.score("fowlkes-mallows", self.tree, self.problem, k=20)

    def _correlation(self) -> None:
        truth = hcbench.Problem(n=self.few[1].n, truths={"ward": self.few[1]})
        hcbench.score("cophenetic-correlation-with-truth", self.few[0], truth)

    def peakmem_triplet_agreement(self) -> None:
        """Of the whole process."""
        hcbench.score("triplet-agreement", self.tree, self.problem)

    def track_higra_over_dendrogram_purity(self) -> float:
        """Time of higra's function over that of the metric, 20 classes of 100,000 items."""
        import higra  # type: ignore[import-untyped]

        parent = self.tree.parent.copy()
        parent[-1] = self.tree.root
        labels = hcbench.finest_partition(self.problem).labels
        tree = higra.Tree(parent)
        return _best(lambda: higra.dendrogram_purity(tree, labels)) / _best(self._purity)

    def track_scikit_learn_over_fowlkes_mallows(self) -> float:
        """Time of scikit-learn's function, cuts included, over that of the metric."""
        from sklearn.metrics import fowlkes_mallows_score

        def peer() -> float:
            cuts = (tree.cut(20).labels for tree in (self.tree, self.problem.truth))
            return float(fowlkes_mallows_score(*cuts))

        return _best(peer) / _best(self._index)

    def track_scipy_over_cophenetic_correlation(self) -> float:
        """Time of numpy's correlation of scipy's cophenet over that of the metric."""

        def peer() -> Any:
            return np.corrcoef([cophenet(z) for z in self.merges])

        return _best(peer) / _best(self._correlation)

    track_higra_over_dendrogram_purity.unit = "ratio"  # type: ignore[attr-defined]
    track_scikit_learn_over_fowlkes_mallows.unit = "ratio"  # type: ignore[attr-defined]
    track_scipy_over_cophenetic_correlation.unit = "ratio"  # type: ignore[attr-defined]
