"""The shape of a tree: its topology with heights, if it has any, and the nodes of its cuts."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from hcbench.errors import InvalidPartitionError, InvalidTreeError
from hcbench.model.trees._kernels import read_only
from hcbench.model.trees.heights import HeightKind, monotone
from hcbench.model.trees.topology import Topology

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, eq=False)
class Shape(Topology):
    """A topology whose nodes may have heights; both are those of a valid `Tree`."""

    height: NDArray[np.float64] | None
    kind: HeightKind

    def merge_height(self, i: ArrayLike, j: ArrayLike) -> NDArray[np.float64]:
        """Heights of the lowest common ancestors of ``i`` and ``j``; as :meth:`lca`."""
        return self._heights("merge_height")[self.lca(i, j)]

    @cached_property
    def envelope(self) -> NDArray[np.float64]:
        """Heights (m,) made monotone: the highest (AFFINITY: lowest) inner node from v down.

        Leaves keep theirs, and hold no merge back.
        """
        return monotone(self, self._heights("envelope"))

    @cached_property
    def split_order(self) -> NDArray[np.int64]:
        """The inner nodes in the order in which cuts into ever more clusters split them.

        Highest :attr:`envelope` first (AFFINITY: lowest), so the last merge is undone first; for
        kind NONE the largest cluster first. Of equal nodes, the larger id first. O(m log m).
        """
        priority = self.sizes if self.height is None else self.envelope
        if self.kind is HeightKind.AFFINITY:
            priority = -priority
        return read_only(self.root - np.argsort(-priority[: self.n - 1 : -1], kind="stable"))

    # ---- Cuts ------------------------------------------------------------------------------------

    def cut_nodes(self, k: int) -> NDArray[np.int64]:
        """Nodes of the coarsest cut along :attr:`split_order` with at least ``k`` clusters.

        Exactly k in a binary tree; splitting a node of another tree gives all its children at once.

        Raises
        ------
        InvalidPartitionError
            If ``k`` is not in 1..n.
        """
        k = operator.index(k)
        if not 1 <= k <= self.n:
            raise InvalidPartitionError(f"a tree of {self.n} leaves has no cut into {k} clusters")
        gained = np.diff(self.child_offsets)[self.split_order] - 1
        n_splits = int(np.searchsorted(np.cumsum(gained), k - 1)) + 1 if k > 1 else 0
        split = np.zeros(self.n_nodes, dtype=np.bool_)
        split[self.split_order[:n_splits]] = True
        return self._frontier(split)

    def cut_height_nodes(self, h: float) -> NDArray[np.int64]:
        """Highest nodes whose :attr:`envelope` is at most ``h`` (AFFINITY: at least), and leaves.

        Raises
        ------
        InvalidTreeError
            If the kind is NONE.
        InvalidPartitionError
            If ``h`` is NaN.
        """
        if np.isnan(h):
            raise InvalidPartitionError("the height of a cut is NaN; give a number")
        self._heights("cut_height")
        split = self.envelope < h if self.kind is HeightKind.AFFINITY else self.envelope > h
        return self._frontier(split)

    def _heights(self, wanted_by: str) -> NDArray[np.float64]:
        if self.height is None:
            raise InvalidTreeError(f"{wanted_by} needs heights, and this tree has none")
        return self.height
