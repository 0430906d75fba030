"""Cuts into at most K clusters; a module of its own, as its kernels take long to compile."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench import Oracle, Tree
from hcbench.model import Cut
from hcbench_cuts import _bounded_kernels as kernels


def best_bounded_cut(tree: Tree, weights: NDArray[np.float64], K: int) -> Cut:  # noqa: N803
    """The best cut into at most K clusters, as `hcbench.model.heaviest_cut`."""
    arrays: Any = kernels.bounded_tree(tree.parent, K)
    inside = kernels.sums(tree.parent, weights)
    table = kernels.fill_all(arrays, inside)
    return Cut(tree, kernels.best_bounded(arrays, table, inside))


class BoundedLearner:
    """The state of NR, as `hcbench_cuts.nr.Learner`: the tables of `_bounded_kernels`."""

    def __init__(self, tree: Tree, K: int) -> None:  # noqa: N803
        self.tree = tree
        self.arrays: Any = kernels.bounded_tree(tree.parent, K)
        self.W = np.zeros(tree.n_nodes)
        self.table = kernels.fill_all(self.arrays, self.W)

    def learn(
        self,
        oracle: Oracle,
        pairs: NDArray[np.int64],
        coins: NDArray[np.float64],
        t: int,
        law: tuple[float, float],
    ) -> None:
        """One round for each pair, after t rounds."""
        lcas = self.tree.lca(pairs[:, 0], pairs[:, 1])
        oracle.run(
            kernels.sample_bounded, self.arrays, self.table, self.W, pairs, lcas, coins, t, law
        )

    def cut(self) -> Cut:
        """The current best cut."""
        return Cut(self.tree, kernels.best_bounded(self.arrays, self.table, self.W))
