"""Metrics of two large trees, compared with the same values by a peer in the same run."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.cluster.hierarchy import cophenet, linkage

import hcbench
from benchmarks.inputs import (
    MANY,
    Timed,
    benchmark,
    best,
    dense_vectors,
    labelled,
    random_tree,
)


class TwoTreesOfHundredThousandItems(Timed):
    """A random tree against 20 classes and against another random tree, the worst case."""

    params: ClassVar = [
        *("AARI", "dendrogram-purity", "triplet-agreement", "robinson-foulds", "fowlkes-mallows"),
        *("baker-gamma", "entanglement"),
    ]
    param_names: ClassVar = ["metric"]

    def setup(self, metric: str) -> None:
        """Make unrelated trees and compile."""
        self.tree, self.problem = self._trees(MANY)
        hcbench.score(metric, *self._trees(100))

    def _trees(self, n: int) -> tuple[hcbench.Tree, hcbench.Problem]:
        tree = random_tree(n)
        other = tree.relabel(np.arange(n)[::-1])
        return tree, hcbench.Problem(n=n, truths={"tree": other}, levels=labelled(n, p=1).levels)

    @benchmark("Metric of two trees of 100,000 items: time")
    def time_score(self, metric: str) -> None:
        """Time of a metric of two trees: all triplets, all pairs, all cuts."""
        hcbench.score(metric, self.tree, self.problem)


class MergeHeightsOfHundredThousandItems(Timed):
    """Trees with affinities."""

    def setup(self) -> None:
        """Make unrelated trees and compile."""
        self.tree, self.problem = self._trees(MANY)
        hcbench.score("merge-distortion", *self._trees(100))

    def _trees(self, n: int) -> tuple[hcbench.Tree, hcbench.Problem]:
        classes = labelled(n, p=1).truth
        depth = classes.depths.astype(float)
        truth = hcbench.Tree(classes.parent, depth / depth.max(), hcbench.HeightKind.AFFINITY)
        return random_tree(n, truth.kind), hcbench.Problem(n=n, truths={"tree": truth})

    @benchmark("merge-distortion of 100,000 items: time")
    def time_merge_distortion(self) -> None:
        """Time of merge-distortion of two monotone trees."""
        hcbench.score("merge-distortion", self.tree, self.problem)


class TwoTreesAgainstPeers:
    """Higra and scikit-learn with 20 classes of 100,000 items, scipy with all pairs of 2000."""

    def setup(self) -> None:
        """Make the tree."""
        self.problem, self.tree = labelled(MANY, p=1), random_tree(MANY)

    @benchmark("triplet-agreement of 100,000 items: peak memory")
    def peakmem_triplet_agreement(self) -> None:
        """Peak memory of the process."""
        hcbench.score("triplet-agreement", self.tree, self.problem)

    @benchmark("dendrogram-purity: time over higra's", "ratio")
    def track_dendrogram_purity_over_higra(self) -> float:
        """Time of the metric over that of higra's function, 100,000 items."""
        import higra  # type: ignore[import-untyped]

        parent = self.tree.parent.copy()
        parent[-1] = self.tree.root
        labels = hcbench.finest_partition(self.problem).labels
        tree = higra.Tree(parent)
        ours = self._seconds("dendrogram-purity")
        return ours / best(lambda: higra.dendrogram_purity(tree, labels))

    @benchmark("fowlkes-mallows: time over scikit-learn's", "ratio")
    def track_fowlkes_mallows_over_scikit_learn(self) -> float:
        """Time of the metric over that of scikit-learn's function, both with the cuts."""
        from sklearn.metrics import fowlkes_mallows_score

        def peer() -> float:
            cuts = (tree.cut(20).labels for tree in (self.tree, self.problem.truth))
            return float(fowlkes_mallows_score(*cuts))

        return self._seconds("fowlkes-mallows[k=20]") / best(peer)

    def _seconds(self, metric: str) -> float:
        """Time of a call after the first, which compiles."""
        hcbench.score(metric, self.tree, self.problem)
        return best(lambda: hcbench.score(metric, self.tree, self.problem))

    @benchmark("cophenetic-correlation-with-truth: time over scipy's", "ratio")
    def track_cophenetic_correlation_over_scipy(self) -> float:
        """Time of the metric over that of numpy's correlation of scipy's cophenet, 2000 items."""
        vectors = dense_vectors(2000)
        merges = [linkage(vectors, method=method) for method in ("average", "ward")]
        one, other = (hcbench.Tree.from_linkage(z) for z in merges)
        truth = hcbench.Problem(n=other.n, truths={"ward": other})

        def ours() -> Any:
            return hcbench.score("cophenetic-correlation-with-truth", one, truth)

        ours()
        return best(ours) / best(lambda: np.corrcoef([cophenet(z) for z in merges]))
