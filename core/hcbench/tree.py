"""Trees: what every hierarchical clustering returns. Here alone is said what a valid tree is."""

from __future__ import annotations

import operator
import warnings
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np

from hcbench import _kernels
from hcbench.errors import InvalidPartitionError, InvalidTreeError
from hcbench.newick import (
    NewickWarning,
    heights_of_lengths,
    match_labels,
    read_newick,
    write_newick,
)
from hcbench.partition import Cut, Partition, first_appearance_codes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

Array = TypeVar("Array", bound="NDArray[Any]")


class HeightKind(StrEnum):
    """What the heights of a tree mean."""

    DISTANCE = "distance"
    """Grows towards the root; usually 0 at the leaves. Need not be monotone (centroid linkage)."""
    AFFINITY = "affinity"
    """Grows towards the leaves, which have a height, too."""
    ORDER = "order"
    """The order of merging: 1, 2, ... at inner nodes, shared if simultaneous; 0 at leaves."""
    NONE = "none"
    """There are no heights."""


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Tree:
    """A rooted tree over the items 0..n-1, its leaves, in which every other node has children.

    Node ids are topological: a parent's id is larger than its children's, so a pass from the leaves
    up is a loop over rising ids. Inner nodes have two or more children. A tree of one item is a
    single node. Arrays are copied, and read-only. Derived arrays are computed when first asked for
    and kept. Two trees are equal if parents, heights, kind and names are; see also
    :meth:`isomorphic`.

    Parameters
    ----------
    parent
        (m,) integers: each node's parent, -1 for the root, which is node m-1.
    height
        (m,) heights, infinite ones allowed; None if and only if ``kind`` is NONE.
    kind
        What the heights mean.
    names
        Names of the n leaves, all different.
    linkage
        (m,) the algorithm's own measure at which a node was merged, where ``height`` is another one
        (4-AL's W is not monotone); NaN at leaves.

    Raises
    ------
    InvalidTreeError
        If this is not a tree: see the message.
    """

    # No slots: cached_property keeps the derived arrays in the instance's dictionary.
    parent: NDArray[np.int64]
    height: NDArray[np.float64] | None
    kind: HeightKind
    names: tuple[str, ...] | None
    linkage: NDArray[np.float64] | None

    def __init__(
        self,
        parent: ArrayLike,
        height: ArrayLike | None = None,
        kind: HeightKind = HeightKind.NONE,
        names: Iterable[str] | None = None,
        linkage: ArrayLike | None = None,
    ) -> None:
        checked = _checked_parent(parent)
        _check_topology(checked)
        m = checked.size
        set_field = object.__setattr__
        set_field(self, "parent", checked)
        set_field(self, "kind", HeightKind(kind))
        set_field(self, "height", None if height is None else _checked_height(height, m))
        if (height is None) != (self.kind is HeightKind.NONE):
            raise InvalidTreeError(
                f"heights are {'missing' if height is None else 'given'} but kind is {self.kind}; "
                "give heights with their kind, or neither"
            )
        set_field(self, "names", None if names is None else _checked_names(names, self.n))
        set_field(self, "linkage", None if linkage is None else _floats(linkage, m, "linkage"))

    # ---- Constructors ----------------------------------------------------------------------------

    @classmethod
    def from_linkage(
        cls,
        Z: ArrayLike,  # noqa: N803  (scipy's name)
        *,
        kind: HeightKind = HeightKind.DISTANCE,
        leaf_height: ArrayLike | None = None,
        names: Iterable[str] | None = None,
    ) -> Self:
        """Make a binary tree of scipy's linkage matrix.

        Parameters
        ----------
        Z
            (n-1, 4): row i merges clusters ``Z[i, 0]`` and ``Z[i, 1]``, items or rows before it
            (as n + row), at ``Z[i, 2]``; the sizes in ``Z[i, 3]`` are not read.
        kind
            ORDER takes the number of the row, from 1, for height and keeps ``Z[:, 2]`` as
            ``linkage``; NONE drops ``Z[:, 2]``.
        leaf_height
            One number or (n,); 0 if left out. AFFINITY demands it.
        names
            Names of the n leaves.
        """
        rows = _floats(Z, None, "a linkage matrix")
        if rows.ndim != 2 or rows.shape[1] != 4:
            raise InvalidTreeError(f"a linkage matrix has shape (n-1, 4), got {rows.shape}")
        n = rows.shape[0] + 1
        parent = _parents_of_merges(rows[:, :2])
        if kind == HeightKind.NONE:
            return cls(parent, names=names)
        if leaf_height is None and kind == HeightKind.AFFINITY:
            raise InvalidTreeError("leaves of an affinity tree have a height; give leaf_height")
        if kind == HeightKind.ORDER:
            order = np.concatenate((np.zeros(n), np.arange(1.0, n)))
            return cls(parent, order, kind, names, np.concatenate((np.full(n, np.nan), rows[:, 2])))
        leaves = np.zeros(n) if leaf_height is None else np.asarray(leaf_height, dtype=np.float64)
        if leaves.shape not in ((), (n,)):
            raise InvalidTreeError(f"leaf_height has shape {leaves.shape}, expected ({n},)")
        return cls(parent, np.concatenate((np.broadcast_to(leaves, n), rows[:, 2])), kind, names)

    @classmethod
    def from_children(
        cls,
        children: ArrayLike,
        distances: ArrayLike | None = None,
        names: Iterable[str] | None = None,
    ) -> Self:
        """Make a binary tree of scikit-learn's ``children_`` (n-1, 2) and ``distances_`` (n-1,).

        Without distances the height is the number of the row, from 1: kind ORDER.
        """
        pairs = _floats(children, None, "children")
        if pairs.ndim != 2 or pairs.shape[1] != 2:
            raise InvalidTreeError(f"children has shape (n-1, 2), got {pairs.shape}")
        n = pairs.shape[0] + 1
        kind = HeightKind.ORDER if distances is None else HeightKind.DISTANCE
        merged_at = (
            np.arange(1.0, n) if distances is None else _floats(distances, n - 1, "distances")
        )
        return cls(_parents_of_merges(pairs), np.concatenate((np.zeros(n), merged_at)), kind, names)

    @classmethod
    def from_levels(cls, levels: ArrayLike, names: Iterable[str] | None = None) -> Self:
        """Make a tree, of kind NONE, of nested classes, as in a taxonomy.

        Parameters
        ----------
        levels
            (n, L) labels, column 0 the coarsest. Two items are together at level l if they agree in
            all columns 0..l, so that a name used again under another class does no harm. Items that
            agree in all columns are children of one node.
        names
            Names of the n leaves.
        """
        table = np.asarray(levels)
        if table.ndim != 2 or table.shape[0] == 0:
            raise InvalidTreeError(
                f"levels must have shape (n, L), a row for each item, got {table.shape}"
            )
        codes = [first_appearance_codes(column) for column in table.T]
        return cls(
            _parents_of_levels(np.array(codes, dtype=np.int64).reshape(-1, len(table))), names=names
        )

    @classmethod
    def from_newick(cls, text: str, names: Sequence[str] | None = None) -> Self:
        """Read a tree from Newick.

        Branch lengths become heights, of kind DISTANCE, if all leaves are on one level up to
        :data:`~hcbench.newick.ULTRAMETRIC_TOLERANCE`; if not, or if only some nodes have one, a
        :class:`~hcbench.newick.NewickWarning` says so and the kind is NONE. Nodes with one child
        are left out.

        Parameters
        ----------
        text
            One tree; see :func:`~hcbench.newick.read_newick`.
        names
            The labels in the order that the leaves shall have; by default, that of the text.

        Raises
        ------
        NewickError
            If the text cannot be read, or its labels are not ``names``.
        InvalidTreeError
            If two leaves have the same label.
        """
        nodes = read_newick(text)
        missing = np.isnan(nodes.length[:-1])
        height = None if missing.any() else heights_of_lengths(nodes)
        if height is None and not missing.all():
            reason = "some are missing" if missing.any() else "the leaves are not on one level"
            warnings.warn(f"branch lengths are ignored: {reason}", NewickWarning, stacklevel=2)
        has_heights = height is not None and not missing.all()
        tree = cls.from_parents(
            nodes.parent,
            height if has_heights else None,
            HeightKind.DISTANCE if has_heights else HeightKind.NONE,
            nodes.labels,
            collapse_unary=True,
        )
        return tree if names is None else tree.relabel(match_labels(tree.names, names))

    @classmethod
    def from_parents(
        cls,
        parent: ArrayLike,
        height: ArrayLike | None = None,
        kind: HeightKind = HeightKind.NONE,
        names: Iterable[str] | None = None,
        linkage: ArrayLike | None = None,
        *,
        collapse_unary: bool = False,
    ) -> Self:
        """Make a tree of nodes in any numbering in which the leaves are 0..n-1.

        A numbering that is topological already is kept. With ``collapse_unary`` a node with one
        child is left out, and its height with it. Parameters and errors otherwise as :class:`Tree`.
        """
        old_parent = _checked_parent(parent)
        m = old_parent.size
        _check_leaves_first(np.bincount(old_parent[old_parent >= 0], minlength=m))
        order = np.arange(m)
        if (old_parent[:-1] <= order[:-1]).any() or old_parent[-1] != -1:
            order = _kernels.topological_order(old_parent)
            if order.size < m:
                in_order = np.zeros(m, dtype=np.bool_)
                in_order[order] = True
                raise InvalidTreeError(
                    f"following the parents of node {int(np.argmin(in_order))} leads into a cycle"
                )
        new_parent = _renumbered(old_parent, order)
        if collapse_unary:
            kept = np.bincount(new_parent[:-1], minlength=m) != 1
            new_parent = _renumbered(_nearest_kept(new_parent, kept), np.flatnonzero(kept))
            order = order[kept]
        return cls(
            new_parent,
            None if height is None else _floats(height, m, "height")[order],
            kind,
            names,
            None if linkage is None else _floats(linkage, m, "linkage")[order],
        )

    # ---- Shape -----------------------------------------------------------------------------------

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
        return _read_only(_kernels.subtree_sum(self.parent, _read_only(is_leaf)))

    @cached_property
    def depths(self) -> NDArray[np.int64]:
        """Number of edges from the root to each node, (m,)."""
        steps = _read_only(np.ones(self.n_nodes))
        return _read_only(_kernels.sum_from_root(self.parent, steps).astype(np.int64))

    @cached_property
    def children_csr(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Offsets (m+1,), ids (m-1,): the children of v, rising, are ``ids[off[v]:off[v+1]]``."""
        offsets, ids = _kernels.children_csr(self.parent)
        return _read_only(offsets), _read_only(ids)

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

    @cached_property
    def leaf_range(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Starts and ends, both (m,): v's leaves are ``leaf_order[start[v]:end[v]]``."""
        start = _kernels.first_positions(self.parent, self.sizes)
        return _read_only(start), _read_only(start + self.sizes)

    @cached_property
    def leaf_order(self) -> NDArray[np.int64]:
        """The leaves from left to right, (n,): those of any node stand together."""
        order = np.empty(self.n, dtype=np.int64)
        order[self.leaf_range[0][: self.n]] = np.arange(self.n)
        return _read_only(order)

    def leaves(self, node: int) -> NDArray[np.int64]:
        """Leaves below a node, from left to right."""
        start, end = self.leaf_range
        (v,) = self._checked_nodes(node)
        return self.leaf_order[start[v] : end[v]]

    # ---- Common ancestors ------------------------------------------------------------------------

    def lca(self, i: ArrayLike, j: ArrayLike) -> NDArray[np.int64]:
        """Lowest common ancestors of nodes, usually leaves, ``i`` and ``j``, arrays of one shape.

        O(1) each, after O(n log n) time and 4 n log2(n) bytes for the first.
        """
        shape = np.broadcast_shapes(np.shape(i), np.shape(j))
        first, second = (self._checked_nodes(np.broadcast_to(ids, shape)) for ids in (i, j))
        start, end = self.leaf_range
        found = _kernels.lowest_common_ancestors(start, end, self._ancestor_table, first, second)
        return found.reshape(shape)

    def merge_height(self, i: ArrayLike, j: ArrayLike) -> NDArray[np.float64]:
        """Heights of the lowest common ancestors of ``i`` and ``j``; as :meth:`lca`."""
        return self._heights("merge_height")[self.lca(i, j)]

    @cached_property
    def _ancestor_table(self) -> NDArray[np.int32]:
        """Sparse table (log2(n), n-1) for :func:`hcbench._kernels.lowest_common_ancestors`."""
        end = self.leaf_range[1]
        inside = end[:-1] != end[self.parent[:-1]]  # not the last child: a boundary of its parent
        neighbours = np.empty(self.n - 1, dtype=np.int32)
        neighbours[end[:-1][inside] - 1] = self.parent[:-1][inside]
        table = np.zeros((max(1, (self.n - 1).bit_length()), self.n - 1), dtype=np.int32)
        table[0] = neighbours
        for level in range(1, len(table)):
            below, half = table[level - 1], 1 << (level - 1)
            np.maximum(below[:-half], below[half:], out=table[level, :-half])
        return _read_only(table)

    # ---- Other trees -----------------------------------------------------------------------------

    def isomorphic(self, other: Tree) -> bool:
        """Whether both trees have the same sets of leaves at their nodes, whatever the numbering.

        Leaves are matched by name if both trees have names, by id otherwise. O(m log m).
        """
        if (self.n, self.n_nodes) != (other.n, other.n_nodes):
            return False
        match = np.arange(self.n)
        if self.names is not None and other.names is not None:
            if set(self.names) != set(other.names):
                return False
            match = match_labels(other.names, self.names)
        # A node of the other tree must be one run of leaves here (Day 1985), and one of our nodes.
        start, end = self.leaf_range
        last = np.full(other.n_nodes, -np.inf)
        last[: other.n] = start[match]
        minus_first = np.where(np.isfinite(last), -last, last)
        last = _kernels.subtree_max(other.parent, _read_only(last))
        first = -_kernels.subtree_max(other.parent, _read_only(minus_first))
        if (last - first + 1 != other.sizes).any():
            return False
        ours = np.sort(start * (self.n + 1) + end)
        theirs = first.astype(np.int64) * (self.n + 1) + last.astype(np.int64) + 1
        return np.array_equal(ours, np.sort(theirs))

    def restrict(self, leaves: ArrayLike) -> Self:
        """Return the tree that these leaves, renumbered in this order, induce.

        Nodes left with one child are left out; heights and names stay. O(m).
        """
        chosen = self._checked_leaves(leaves)
        if chosen.size == 0:
            raise InvalidTreeError("a tree has at least one leaf; got an empty list of leaves")
        is_chosen = np.zeros(self.n_nodes, dtype=np.int64)
        is_chosen[chosen] = 1
        count = _kernels.subtree_sum(self.parent, _read_only(is_chosen))
        children_left = np.bincount(self.parent[:-1][count[:-1] > 0], minlength=self.n_nodes)
        inner = np.flatnonzero(children_left > 1)
        kept = np.zeros(self.n_nodes, dtype=np.bool_)
        kept[chosen] = kept[inner] = True
        return self._with_nodes(_nearest_kept(self.parent, kept), chosen, inner)

    def relabel(self, permutation: ArrayLike) -> Self:
        """Return this tree with leaf i, and its name, as leaf ``permutation[i]``."""
        target = self._checked_leaves(permutation)
        if target.size != self.n:
            raise InvalidTreeError(f"a permutation of {self.n} leaves is needed, got {target.size}")
        return self._with_nodes(self.parent, np.argsort(target), np.arange(self.n, self.n_nodes))

    def collapse_ties(self, tol: float = 0.0) -> Self:
        """Return this tree, inner nodes at their parent's height, up to ``tol``, merged into it.

        What remains is more than ``tol`` from the next node that remains above it.
        """
        height = self._heights("collapse_ties")
        kept = _kernels.untied(self.parent, height, float(tol))
        kept[: self.n] = True
        inner = np.flatnonzero(kept)[self.n :]
        return self._with_nodes(_nearest_kept(self.parent, kept), np.arange(self.n), inner)

    def _with_nodes(
        self, parent: NDArray[np.int64], leaves: NDArray[np.int64], inner: NDArray[np.int64]
    ) -> Self:
        """Return the tree of some leaves, in this order, and inner nodes, rising."""
        ids = np.concatenate((leaves, inner))
        return type(self)(
            _renumbered(parent, ids),
            None if self.height is None else self.height[ids],
            self.kind,
            None if self.names is None else [self.names[i] for i in leaves.tolist()],
            None if self.linkage is None else self.linkage[ids],
        )

    # ---- Cuts ------------------------------------------------------------------------------------

    @cached_property
    def envelope(self) -> NDArray[np.float64]:
        """Heights (m,) made monotone: the highest (AFFINITY: lowest) inner node from v down.

        Leaves keep theirs, and hold no merge back.
        """
        sign = -1.0 if self.kind is HeightKind.AFFINITY else 1.0
        signed = sign * self._heights("envelope")
        leaf_height = signed[: self.n].copy()
        signed[: self.n] = -np.inf
        highest = _kernels.subtree_max(self.parent, _read_only(signed))
        highest[: self.n] = leaf_height
        return _read_only(sign * highest)

    @cached_property
    def split_order(self) -> NDArray[np.int64]:
        """The inner nodes in the order in which cuts into ever more clusters split them.

        Highest :attr:`envelope` first (AFFINITY: lowest), so the last merge is undone first; for
        kind NONE the largest cluster first. Of equal nodes, the larger id first. O(m log m).
        """
        priority = self.sizes if self.height is None else self.envelope
        if self.kind is HeightKind.AFFINITY:
            priority = -priority
        return _read_only(self.root - np.argsort(-priority[: self.n - 1 : -1], kind="stable"))

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
        below = self.envelope < h if self.kind is HeightKind.AFFINITY else self.envelope > h
        split = below.copy()
        split[: self.n] = False
        return self._frontier(split)

    def cut_depth_nodes(self, depth: int) -> NDArray[np.int64]:
        """Nodes with ``depth`` edges between them and the root, and the leaves with fewer.

        Raises
        ------
        InvalidPartitionError
            If ``depth`` is negative.
        """
        if operator.index(depth) < 0:
            raise InvalidPartitionError(f"the depth of a cut is at least 0, got {depth}")
        split = self.depths < depth
        split[: self.n] = False
        return self._frontier(split)

    def cut(self, k: int) -> Partition:
        """Return the partition of :meth:`cut_nodes`."""
        return Cut(self, self.cut_nodes(k)).partition

    def cut_height(self, h: float) -> Partition:
        """Return the partition of :meth:`cut_height_nodes`."""
        return Cut(self, self.cut_height_nodes(h)).partition

    def cut_depth(self, depth: int) -> Partition:
        """Return the partition of :meth:`cut_depth_nodes`."""
        return Cut(self, self.cut_depth_nodes(depth)).partition

    def _frontier(self, split: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Nodes not split whose parent is; all above a split node must be split, too."""
        above = split[self.parent]
        above[-1] = True
        return np.flatnonzero(above & ~split)

    # ---- Output ----------------------------------------------------------------------------------

    def to_linkage(self) -> NDArray[np.float64]:
        """Return scipy's linkage matrix (n-1, 4) of a binary tree.

        Distances are the heights of DISTANCE and ORDER, the largest affinity minus the height for
        AFFINITY, and the number of levels below a node for NONE. Rows rise if distances are
        monotone; otherwise they follow the node ids. Leaf heights are lost.

        Raises
        ------
        InvalidTreeError
            If the tree is not binary or a distance is negative, which scipy does not take.
        """
        if not self.is_binary:
            raise InvalidTreeError(
                f"a linkage matrix holds binary trees; this one has {self.n_nodes - self.n} inner "
                f"nodes over {self.n} leaves; write it as Newick"
            )
        distance = self._distances()
        if self.n > 1 and distance.min() < 0:
            raise InvalidTreeError(
                f"a linkage matrix holds no negative distance, got {distance.min()}; shift them"
            )
        is_monotone = (distance[:-1] <= distance[self.parent[self.n : -1] - self.n]).all()
        row_node = np.argsort(distance, kind="stable") if is_monotone else np.arange(self.n - 1)
        cluster = np.arange(self.n_nodes)
        cluster[self.n + row_node] = np.arange(self.n, self.n_nodes)
        pairs = cluster[self.child_ids].reshape(self.n - 1, 2)[row_node]
        sizes = self.sizes[self.n :][row_node]
        return np.column_stack((np.sort(pairs, axis=1), distance[row_node], sizes)).astype(float)

    def _distances(self) -> NDArray[np.float64]:
        """Heights of the inner nodes, (m-n,), as distances that grow towards the root."""
        if self.height is None:
            depth = _read_only(self.depths.astype(np.float64))
            return (_kernels.subtree_max(self.parent, depth) - depth)[self.n :]
        if self.kind is HeightKind.AFFINITY:
            highest = self.height.max()
            inner = self.height[self.n :]
            # Not inf - inf: what is infinitely alike is at distance 0.
            distance = np.zeros(inner.size)
            np.subtract(highest, inner, where=inner < highest, out=distance)
            return distance
        return self.height[self.n :]

    def to_newick(self, lengths: bool = True) -> str:
        """Write the tree as Newick; leaves without names are written as their ids.

        With ``lengths`` and heights, the length of a branch is the difference of the heights at its
        ends, without sign; leaf heights other than 0 and dips are lost when it is read.

        Raises
        ------
        InvalidTreeError
            If a height is infinite: use ``lengths=False``.
        """
        length = None
        if lengths and self.height is not None:
            if not np.isfinite(self.height).all():
                raise InvalidTreeError(
                    "infinite heights have no branch lengths; write with lengths=False"
                )
            length = np.abs(self.height[self.parent] - self.height)
        names = map(str, range(self.n)) if self.names is None else self.names
        return write_newick(self.leaf_range, names, length)

    # ---- Everything else -------------------------------------------------------------------------

    def _heights(self, wanted_by: str) -> NDArray[np.float64]:
        if self.height is None:
            raise InvalidTreeError(f"{wanted_by} needs heights, and this tree has none")
        return self.height

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

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        if (self.kind, self.names) != (other.kind, other.names):
            return False
        if not np.array_equal(self.parent, other.parent):
            return False
        if self.height is None or other.height is None:
            return self.height is other.height
        return np.array_equal(self.height, other.height)

    def __hash__(self) -> int:
        return hash((self.kind, self.names, self.parent.tobytes()))

    def __repr__(self) -> str:
        return f"Tree(n={self.n}, n_nodes={self.n_nodes}, kind={self.kind.value!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        # Derived arrays do not travel, and arrays forget in a pickle that they are read-only.
        return type(self), (self.parent, self.height, self.kind, self.names, self.linkage)


def _read_only(array: Array) -> Array:
    array.setflags(write=False)
    return array


def _checked_parent(parent: ArrayLike) -> NDArray[np.int64]:
    """Return a read-only copy of parents (m,) in any numbering, with exactly one root."""
    given = np.asarray(parent)
    if given.ndim != 1 or given.size == 0 or given.dtype.kind not in "iu":
        raise InvalidTreeError(
            f"parent must be integers of shape (m,), m > 0, "
            f"got {given.dtype} of shape {given.shape}"
        )
    m = given.size
    checked = _read_only(np.array(given, dtype=np.int64, order="C"))
    outside = np.flatnonzero((checked < -1) | (checked >= m))
    if outside.size:
        raise InvalidTreeError(
            f"the parent of node {outside[0]} is {checked[outside[0]]}; "
            f"give a node, 0..{m - 1}, or -1 for the root"
        )
    roots = np.flatnonzero(checked == -1)
    if roots.size != 1:
        found = "no root" if roots.size == 0 else f"{roots.size} roots, nodes {_some(roots)}"
        raise InvalidTreeError(f"there is {found}; exactly one node must have parent -1")
    return checked


def _check_topology(parent: NDArray[np.int64]) -> None:
    """Say what is wrong with parents (m,) that are in range and have one root."""
    m = parent.size
    falling = np.flatnonzero(parent[:-1] <= np.arange(m - 1))
    if falling.size:
        v = falling[0]
        raise InvalidTreeError(
            f"the parent of node {v} is {parent[v]}, but a parent's id must be larger and the root "
            f"be node {m - 1}; Tree.from_parents renumbers nodes and finds cycles"
        )
    n_children = np.bincount(parent[:-1], minlength=m)
    unary = np.flatnonzero(n_children == 1)
    if unary.size:
        raise InvalidTreeError(
            f"{unary.size} nodes have one child, nodes {_some(unary)}; "
            "Tree.from_parents leaves them out with collapse_unary=True"
        )
    _check_leaves_first(n_children)


def _check_leaves_first(n_children: NDArray[np.int64]) -> None:
    childless = np.flatnonzero(n_children == 0)
    if childless[-1] >= childless.size:
        raise InvalidTreeError(
            f"node {childless[-1]} has no child, but only nodes 0..{childless.size - 1} can be the "
            f"{childless.size} leaves; give leaves the first ids"
        )


def _floats(values: ArrayLike, size: int | None, what: str) -> NDArray[np.float64]:
    """Return a read-only copy as numbers, of shape (size,) if a size is given."""
    try:
        numbers = np.array(values, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise InvalidTreeError(f"{what} must be an array of numbers: {error}") from None
    if size is not None and numbers.shape != (size,):
        raise InvalidTreeError(f"{what} has shape {numbers.shape}, expected ({size},)")
    return _read_only(numbers)


def _checked_height(height: ArrayLike, m: int) -> NDArray[np.float64]:
    checked = _floats(height, m, "height")
    wrong = np.flatnonzero(np.isnan(checked))
    if wrong.size:
        raise InvalidTreeError(
            f"the height of {wrong.size} nodes is NaN, nodes {_some(wrong)}; "
            "give numbers, or a tree without heights"
        )
    return checked


def _checked_names(names: Iterable[str], n: int) -> tuple[str, ...]:
    given = tuple(names)
    if isinstance(names, str) or not all(isinstance(name, str) for name in given):
        raise InvalidTreeError(f"names must be a list of strings, got {names!r:.60}")
    given = tuple(map(str, given))  # numpy's strings become plain ones
    if len(given) != n:
        raise InvalidTreeError(f"there are {len(given)} names for {n} leaves; give one for each")
    if len(set(given)) < n:
        twice = Counter(given).most_common(1)[0][0]
        raise InvalidTreeError(f"two leaves are named {twice!r}; give different names")
    return given


def _some(ids: NDArray[np.int64], most: int = 5) -> str:
    return ", ".join(map(str, ids[:most])) + (", ..." if ids.size > most else "")


def _renumbered(parent: NDArray[np.int64], ids: NDArray[np.int64]) -> NDArray[np.int64]:
    """Parents of the nodes ``ids``, which become 0, 1, ...; their parents are among them, or -1."""
    new_id = np.full(parent.size, -1, dtype=np.int64)
    new_id[ids] = np.arange(ids.size)
    old_parent = parent[ids]
    return np.where(old_parent < 0, -1, new_id[old_parent])


def _nearest_kept(parent: NDArray[np.int64], kept: NDArray[np.bool_]) -> NDArray[np.int64]:
    return _kernels.nearest_kept(_read_only(parent), _read_only(kept))


def _parents_of_merges(pairs: NDArray[np.float64]) -> NDArray[np.int64]:
    """Parents (2n-1,) where row i of ``pairs`` (n-1, 2) merges two clusters into node n+i."""
    n = len(pairs) + 1
    if not (np.isfinite(pairs).all() and (pairs == np.floor(pairs)).all()):
        raise InvalidTreeError("the clusters that a row merges must be integers")
    merged = pairs.astype(np.int64)
    node = np.arange(n, 2 * n - 1)
    wrong = np.flatnonzero((merged < 0).any(axis=1) | (merged >= node[:, None]).any(axis=1))
    if wrong.size:
        i = wrong[0]
        raise InvalidTreeError(
            f"row {i} merges {merged[i, 0]} and {merged[i, 1]}, but only the items and rows before "
            f"it, 0..{n + i - 1}, exist then"
        )
    used = np.bincount(merged.ravel(), minlength=2 * n - 2)
    if (used > 1).any():
        raise InvalidTreeError(f"cluster {used.argmax()} is merged {used.max()} times, not once")
    parent = np.full(2 * n - 1, -1, dtype=np.int64)
    parent[merged] = node[:, None]
    return parent


def _parents_of_levels(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Parents (m,) of the tree of nested classes given by ``codes`` (L, n). O(n (L + log n))."""
    n_levels, n = codes.shape
    order = np.lexsort(codes[::-1]) if n_levels else np.arange(n)
    differs = np.diff(codes[:, order], axis=1) != 0
    # Neighbours in sorted order agree in this many of the first columns.
    common = np.where(differs.any(axis=0), differs.argmax(axis=0) if n_levels else 0, n_levels)
    parent = np.full(2 * n - 1, -1, dtype=np.int64)
    m = n
    tops = order  # the highest node so far over each run of leaves
    for level in range(n_levels, -1, -1):
        run = np.concatenate(([0], np.cumsum(common < level)))  # tops of a run agree up to `level`
        merges = np.bincount(run) > 1
        new_tops = tops[np.concatenate(([True], common < level))]
        new_tops[merges] = np.arange(m, m + merges.sum())
        parent[tops[merges[run]]] = new_tops[run[merges[run]]]
        m += int(merges.sum())
        tops, common = new_tops, common[common < level]
    return parent[:m]
