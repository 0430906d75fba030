"""The common part of all searches: the state that kernels work on, and the loop of one run."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

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
    shape : tuple of int32 arrays
    label : (m,) int8 array
    at : (SIZE,) int64 array
        See `_question_kernels`.
    """

    tree: Tree
    shape: tuple[NDArray[np.int32], ...]
    label: NDArray[np.int8]
    at: NDArray[np.int64]

    @classmethod
    def of(
        cls, tree: Tree, rng: np.random.Generator, votes: int = 1, *, early: bool = False
    ) -> Search:
        """Before any query; nodes of fewer pairs than ``votes`` are below the cut."""
        offsets, children = tree.children_csr
        shape = (offsets, children, tree.leaf_range[0], tree.sizes, tree.leaf_order)
        search = cls(
            tree,
            tuple(array.astype(np.int32) for array in shape),
            np.full(tree.n_nodes, q.OPEN, np.int8),
            np.zeros(q.SIZE, np.int64),
        )
        search.label[: tree.n] = q.BELOW
        search.at[q.NODE] = -1
        search.at[q.WANTED], search.at[q.EARLY] = votes, early
        search.at[q.SEED] = rng.integers(2**63)
        if votes > 1:
            q.label_few(search.shape, tree.parent, search.label, votes)
            search._warn_of_few(votes)
        return search

    def _warn_of_few(self, votes: int) -> None:
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
        arrays: tuple[NDArray[Any], ...],
        split: Callable[[], NDArray[np.bool_]],
    ) -> Partition:
        """Query until the cut is known or the budget is spent; record the cut at each checkpoint.

        Parameters
        ----------
        oracle : Oracle
        kernel : numba function
            ``kernel(ask, state, limit, at, shape, label, *arrays)``.
        arrays : tuple of arrays
            The kernel's own.
        split : callable
            Which nodes (m,) the present cut splits.

        Returns
        -------
        Partition
            The current cut if the budget ends first.
        """
        try:
            while self.at[q.NODE] >= 0:
                if oracle.due():
                    oracle.record(self._partition(split()))
                room = oracle.until_due
                if room == 0:
                    break
                oracle.run(kernel, room, self.at, self.shape, self.label, *arrays)
        except BudgetExceededError:
            pass  # the last query got no answer, and could not be repeated
        return self._partition(split())

    def _partition(self, split: NDArray[np.bool_]) -> Partition:
        return Cut(self.tree, _cut_kernels.highest_kept(self.tree.parent, split)).partition
