"""The common part of all searches: the state that kernels work on, and the loop of one run."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hcbench import BudgetExceededError, ModelWarning, Oracle, Partition, Tree
from hcbench.model import Cut
from hcbench_cuts import _cut_kernels, _question_kernels as q


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """The state of a search, in the arrays that its kernel changes.

    Attributes
    ----------
    tree : Tree
    shape : TreeShape
        The tree as kernels see it.
    label : (m,) int8 array
    progress : (SIZE,) int64 array
        See `_question_kernels`.
    """

    tree: Tree
    shape: q.TreeShape
    label: NDArray[np.int8]
    progress: NDArray[np.int64]

    @classmethod
    def of(
        cls, tree: Tree, rng: np.random.Generator, votes: int = 1, *, early: bool = False
    ) -> Self:
        """Before any query; nodes of fewer pairs than ``votes`` are below the cut.

        Parameters
        ----------
        tree : Tree
        rng : numpy Generator
            Draws the seed of the order of the pairs below each node.
        votes : int
            Number of pairs that vote on a node.
        early : bool
            Whether a vote ends once it is decided.
        """
        label = np.full(tree.n_nodes, q.OPEN, np.int8)
        label[: tree.n] = q.BELOW
        progress = np.zeros(q.SIZE, np.int64)
        # There is no query yet: a kernel aims the first one.
        progress[q.NODE] = -1
        progress[q.VOTES_OF_NODE] = votes
        progress[q.EARLY] = early
        progress[q.SEED] = rng.integers(2**63)
        search = cls(tree=tree, shape=_shape_of(tree), label=label, progress=progress)
        if votes > 1:
            q.label_few(search.shape, tree.parent, label, votes)
            search._warn_of_few(votes)
        return search

    def _warn_of_few(self, votes: int) -> None:
        """Warn if no node has enough pairs."""
        root = self.tree.root
        if self.n_inner and self.label[root] == q.BELOW:
            warnings.warn(
                f"no query is made: the root has {q.pairs_below(self.shape, root)} pairs of leaves "
                f"to vote on it, fewer than the {votes} required; all items are one cluster",
                ModelWarning,
                stacklevel=4,
            )

    @property
    def n_inner(self) -> int:
        """Number of inner nodes, m - n."""
        return self.tree.n_nodes - self.tree.n

    def known(self, *, apart: bool) -> NDArray[np.bool_]:
        """Whether each node (m,) is split; nodes not known to be are if ``apart``."""
        return _cut_kernels.split_where_known(self.label, apart)

    def partition(self, *, apart: bool) -> Partition:
        """The cut of `known`."""
        return self._partition(self.known(apart=apart))

    def run(
        self,
        oracle: Oracle,
        kernel: Any,
        work: Any,
        split: Callable[[], NDArray[np.bool_]],
    ) -> Partition:
        """Query until the cut is known or the budget is spent; record the cut at each checkpoint.

        Parameters
        ----------
        oracle : Oracle
        kernel : numba function
            ``kernel(ask, state, limit, progress, shape, label, work)``.
        work : array or named tuple of arrays
            What this kernel alone uses.
        split : callable
            Which nodes (m,) the present cut splits.

        Returns
        -------
        Partition
            The current cut if the budget ends first.
        """
        try:
            while self.progress[q.NODE] >= 0:
                if oracle.due():
                    oracle.record(self._partition(split()))
                room = oracle.until_due
                if room == 0:
                    break
                oracle.run(kernel, room, self.progress, self.shape, self.label, work)
        except BudgetExceededError:
            pass  # the last query got no answer, and could not be repeated
        return self._partition(split())

    def _partition(self, split: NDArray[np.bool_]) -> Partition:
        """The cut at the highest nodes that are not split."""
        nodes = _cut_kernels.highest_kept(self.tree.parent, split)
        return Cut(self.tree, nodes).partition


def _shape_of(tree: Tree) -> q.TreeShape:
    child_start, children = tree.children_csr
    first_position, _ = tree.leaf_range
    return q.TreeShape(
        child_start=child_start.astype(np.int32),
        children=children.astype(np.int32),
        first_position=first_position.astype(np.int32),
        n_leaves=tree.sizes.astype(np.int32),
        leaf_order=tree.leaf_order.astype(np.int32),
    )
