"""The answers about all pairs of items: Sigma of Gentile et al. 2019, without n^2 numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hcbench.model.trees import Partition, Tree, pair_weights

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class AnswerMatrix:
    """Which items belong together according to the answers: clusters, with exceptions.

    Attributes
    ----------
    clusters : Partition
        Those without noise; one for each item if the answers are not based on clusters.
    exceptions : callable
        Yields blocks of pairs ``(i, j)``, two (m,) int64 arrays, of different items: those, each
        once, whose answer contradicts the clusters.
    noise : float
        Probability that an answer is wrong, independently each time.
    """

    clusters: Partition
    exceptions: Callable[[], Iterable[tuple[Ints, Ints]]] = tuple
    noise: float = 0.0

    def disagreements(self, partition: Partition) -> float:
        """On how many unordered pairs, in expectation, the answer differs from a partition.

        O(n log n) and O(1) for each exception.

        Raises
        ------
        InvalidPartitionError
            If it has another number of items.
        """
        without_noise = self.clusters.disagreements(partition)
        for i, j in self.exceptions():
            together = self.clusters.labels[i] == self.clusters.labels[j]
            agreed = together == (partition.labels[i] == partition.labels[j])
            without_noise += 2 * int(agreed.sum()) - i.size
        pairs = partition.n * (partition.n - 1) // 2
        return without_noise * (1.0 - self.noise) + (pairs - without_noise) * self.noise

    def pair_weights(self, tree: Tree) -> NDArray[np.float64]:
        """Pairs that are together minus those apart, in expectation, by lowest common ancestor.

        The weights (m,) of `hcbench.heaviest_cut` for the cut with the fewest `disagreements`.
        O(n log n) and O(1) for each exception.

        Raises
        ------
        InvalidPartitionError
            If the tree has another number of items.
        """
        weights = pair_weights(tree, self.clusters)
        for i, j in self.exceptions():
            signs = np.where(self.clusters.labels[i] == self.clusters.labels[j], 1.0, -1.0)
            weights -= 2.0 * np.bincount(tree.lca(i, j), signs, tree.n_nodes)
        return weights * (1.0 - 2.0 * self.noise)
