"""The topology of a tree: everything that follows from the parents alone."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from hcbench.errors import InvalidPartitionError, InvalidTreeError
from hcbench.model.trees import _kernels
from hcbench.model.trees._kernels import read_only

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, eq=False)
class Topology:
    """A rooted tree over the items 0..n-1, its leaves; parents are those of a valid `Tree`."""

    # No slots: cached_property keeps the derived arrays in the instance's dictionary.
    parent: NDArray[np.int64]

    @cached_property
    def n(self) -> int:
        """Number of leaves."""
        return int(self.parent[:-1].min()) if self.parent.size > 1 else 1

    @property
    def n_nodes(self) -> int:
        """Number of nodes, m."""
        return self.parent.size

    @property
    def root(self) -> int:
        """Id of the root, m-1."""
        return self.parent.size - 1

    @property
    def is_binary(self) -> bool:
        """Whether every inner node has two children."""
        return self.n_nodes == 2 * self.n - 1

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Number of leaves below each node, (m,); 1 for a leaf."""
        is_leaf = (np.arange(self.n_nodes) < self.n).astype(np.int64)
        return read_only(_kernels.subtree_sum(self.parent, read_only(is_leaf)))

    @cached_property
    def depths(self) -> NDArray[np.int64]:
        """Number of edges from the root to each node, (m,)."""
        steps = read_only(np.ones(self.n_nodes))
        return read_only(_kernels.sum_from_root(self.parent, steps).astype(np.int64))

    # ---- Children --------------------------------------------------------------------------------

    @cached_property
    def children_csr(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Offsets (m+1,), ids (m-1,): the children of v, rising, are ``ids[off[v]:off[v+1]]``."""
        offsets, ids = _kernels.children_csr(self.parent)
        return read_only(offsets), read_only(ids)

    @property
    def child_offsets(self) -> NDArray[np.int64]:
        """The first array of :attr:`children_csr`."""
        return self.children_csr[0]

    @property
    def child_ids(self) -> NDArray[np.int64]:
        """The second array of :attr:`children_csr`."""
        return self.children_csr[1]

    def children(self, node: int) -> NDArray[np.int64]:
        """Children of a node, rising; none for a leaf."""
        offsets, ids = self.children_csr
        (v,) = self._checked_nodes(node)
        return ids[offsets[v] : offsets[v + 1]]

    # ---- Leaves ----------------------------------------------------------------------------------

    @cached_property
    def leaf_range(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Starts and ends, both (m,): v's leaves are ``leaf_order[start[v]:end[v]]``."""
        start = _kernels.first_positions(self.parent, self.sizes)
        return read_only(start), read_only(start + self.sizes)

    @cached_property
    def leaf_order(self) -> NDArray[np.int64]:
        """The leaves from left to right, (n,): those of each node are contiguous."""
        order = np.empty(self.n, dtype=np.int64)
        order[self.leaf_range[0][: self.n]] = np.arange(self.n)
        return read_only(order)

    def leaves(self, node: int) -> NDArray[np.int64]:
        """Leaves below a node, from left to right."""
        start, end = self.leaf_range
        (v,) = self._checked_nodes(node)
        return self.leaf_order[start[v] : end[v]]

    def _has_clusters_of(self, other: Topology, match: NDArray[np.int64]) -> bool:
        """Whether both have the same sets of leaves at nodes; the other's leaf i is ``match[i]``.

        The other tree has as many leaves and nodes as this one. O(m log m).
        """
        # The leaves of each node of the other tree must be contiguous here (Day 1985), and those of
        # one of our nodes.
        start, end = self.leaf_range
        last = np.full(other.n_nodes, -np.inf)
        last[: other.n] = start[match]
        minus_first = np.where(np.isfinite(last), -last, last)
        last = _kernels.subtree_max(other.parent, read_only(last))
        first = -_kernels.subtree_max(other.parent, read_only(minus_first))
        if (last - first + 1 != other.sizes).any():
            return False
        ours = np.sort(start * (self.n + 1) + end)
        theirs = first.astype(np.int64) * (self.n + 1) + last.astype(np.int64) + 1
        return np.array_equal(ours, np.sort(theirs))

    # ---- Common ancestors ------------------------------------------------------------------------

    def lca(self, i: ArrayLike, j: ArrayLike) -> NDArray[np.int64]:
        """Lowest common ancestors of nodes, usually leaves, ``i`` and ``j``, arrays of one shape.

        O(1) each, after O(n log n) time and 4 n log2(n) bytes for the first.
        """
        shape = np.broadcast_shapes(np.shape(i), np.shape(j))
        first, second = (self._checked_nodes(np.broadcast_to(ids, shape)) for ids in (i, j))
        start, end = self.leaf_range
        nodes = _kernels.lowest_common_ancestors(start, end, self._ancestor_table, first, second)
        return nodes.reshape(shape)

    @cached_property
    def _ancestor_table(self) -> NDArray[np.int32]:
        """Sparse table (log2(n), n-1) for `_kernels.lowest_common_ancestors`."""
        end = self.leaf_range[1]
        inside = end[:-1] != end[self.parent[:-1]]  # not the last child: a boundary of its parent
        neighbours = np.empty(self.n - 1, dtype=np.int32)
        neighbours[end[:-1][inside] - 1] = self.parent[:-1][inside]
        table = np.zeros((max(1, (self.n - 1).bit_length()), self.n - 1), dtype=np.int32)
        table[0] = neighbours
        for level in range(1, len(table)):
            below, half = table[level - 1], 1 << (level - 1)
            np.maximum(below[:-half], below[half:], out=table[level, :-half])
        return read_only(table)

    # ---- Cuts ------------------------------------------------------------------------------------

    def cut_depth_nodes(self, depth: int) -> NDArray[np.int64]:
        """Nodes with ``depth`` edges between them and the root, and the leaves with fewer.

        Raises
        ------
        InvalidPartitionError
            If ``depth`` is negative.
        """
        if operator.index(depth) < 0:
            raise InvalidPartitionError(f"the depth of a cut is at least 0, got {depth}")
        return self._frontier(self.depths < depth)

    def _frontier(self, split: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Nodes not split, or leaves, whose parent is split.

        All above a split node must be split, too.
        """
        is_split = split.copy()
        is_split[: self.n] = False
        parent_is_split = is_split[self.parent]
        parent_is_split[-1] = True  # nothing stands above the root
        return np.flatnonzero(parent_is_split & ~is_split)

    # ---- Arguments -------------------------------------------------------------------------------

    def _checked_nodes(self, ids: ArrayLike) -> NDArray[np.int64]:
        """Node ids as a new array of one dimension."""
        array = np.asarray(ids)
        if array.size and array.dtype.kind not in "iu":
            raise IndexError(f"node ids must be integers, got {array.dtype}")
        nodes = np.array(array, dtype=np.int64, order="C").reshape(-1)
        if nodes.size and (nodes.min() < 0 or nodes.max() >= self.n_nodes):
            wrong = nodes.min() if nodes.min() < 0 else nodes.max()
            raise IndexError(f"node {wrong} is not in 0..{self.n_nodes - 1}")
        return nodes

    def _checked_leaves(self, ids: ArrayLike) -> NDArray[np.int64]:
        """Distinct leaf ids as a new array of one dimension."""
        leaves = self._checked_nodes(ids)
        if leaves.size and leaves.max() >= self.n:
            raise IndexError(f"node {leaves.max()} is not a leaf, 0..{self.n - 1}")
        count = np.bincount(leaves)
        if (count > 1).any():
            raise InvalidTreeError(
                f"leaf {count.argmax()} is given {count.max()} times; give it once"
            )
        return leaves
