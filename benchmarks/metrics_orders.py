"""Rank correlation of merge orders, compared with scipy in the same run."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.cluster.hierarchy import linkage
from scipy.stats import kendalltau

import hcbench
from benchmarks.inputs import MANY, SEED, Timed, benchmark, best, labelled, random_tree, seconds


class MergeOrdersOfHundredThousandItems(Timed):
    """A tree unrelated to the 20 classes, the worst case."""

    params: ClassVar = ["", "[break_ties=0]"]
    param_names: ClassVar = ["options"]

    def setup(self, options: str) -> None:
        """Make the tree and compile."""
        self.problem, self.tree = labelled(MANY, p=1), random_tree(MANY)
        hcbench.score(f"kendall-tau-b{options}", random_tree(100), labelled(100, p=1))

    @benchmark("kendall-tau-b of 100,000 items: time")
    def time_kendall_tau_b(self, options: str) -> None:
        """Time of kendall-tau-b, with ties and with broken ties."""
        hcbench.score(f"kendall-tau-b{options}", self.tree, self.problem)


class MergeOrdersOfTwoChains(Timed):
    """n = 2000, two deep trees in which every item is a class: row by row."""

    def setup(self) -> None:
        """Make two caterpillars in random order and compile."""
        rng = np.random.default_rng(SEED)
        n = 2000
        parent = np.concatenate(([n], np.arange(n, 2 * n - 1), np.arange(n + 1, 2 * n - 1), [-1]))
        chain = hcbench.Tree(parent)
        self.tree, self.truth = (chain.relabel(rng.permutation(n)) for _ in range(2))
        few = hcbench.Tree([4, 4, 5, 6, 5, 6, -1])
        hcbench.score("kendall-tau-b", few, few)

    @benchmark("kendall-tau-b of two caterpillars: time")
    def time_kendall_tau_b(self) -> None:
        """Time of kendall-tau-b of 2000 items, O(n^2 log n) without a matrix."""
        hcbench.score("kendall-tau-b", self.tree, self.truth)


class MergeOrdersAgainstScipy:
    """n = 2000, 20 classes: the same ranks, row by row, by scipy.stats.kendalltau."""

    def setup(self) -> None:
        """Cluster and compile."""
        self.problem = labelled(2000)
        assert isinstance(self.problem.vectors, np.ndarray)
        self.tree = hcbench.Tree.from_linkage(linkage(self.problem.vectors, method="average"))
        self._ours()

    def _ours(self) -> float:
        return float(hcbench.score("kendall-tau-b", self.tree, self.problem))

    @benchmark("kendall-tau-b: time over scipy's", "ratio")
    def track_kendall_tau_b_over_scipy(self) -> float:
        """Time of the metric over that of a loop of scipy's kendalltau, estimated from 50 rows."""
        n = self.problem.n
        rows = range(0, n, n // 50)
        sampled = seconds(lambda: [kendalltau(*self._ranks(i)) for i in rows])
        return best(self._ours) / (sampled * n / len(rows))

    def _ranks(self, i: int) -> tuple[Any, Any]:
        others = np.delete(np.arange(self.problem.n), i)
        truth = self.problem.truth
        merged_at = truth.depths[truth.lca(i, others)]
        return -self.tree.depths[self.tree.lca(i, others)], -merged_at
