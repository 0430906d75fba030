"""Trees: what every hierarchical clustering returns.

What follows from the parents alone is in ``topology``, what makes a tree valid in ``parents``.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from hcbench.errors import InvalidPartitionError, InvalidTreeError
from hcbench.model.trees import _kernels
from hcbench.model.trees._kernels import read_only
from hcbench.model.trees.heights import HeightKind, branch_lengths
from hcbench.model.trees.linkage import read_children, read_hclust, read_linkage, write_linkage
from hcbench.model.trees.newick import heights_of_lengths, match_labels, read_newick, write_newick
from hcbench.model.trees.parents import (
    checked_floats,
    checked_height,
    checked_names,
    checked_parent,
    in_topological_order,
    nearest_kept,
    parents_of_levels,
    renumbered,
)
from hcbench.model.trees.partition import Cut, Partition
from hcbench.model.trees.topology import Topology

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

__all__ = ["HeightKind", "Tree"]


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Tree(Topology):
    """A rooted tree over the items 0..n-1, its leaves, in which every other node has children.

    Node ids are topological: a parent's id is larger than its children's, so a pass from the leaves
    up is a loop over rising ids. Inner nodes have two or more children. A tree of one item is a
    single node. Arrays are copied, and read-only. Derived arrays are computed once, when they are
    first used. Two trees are equal if parents, heights, kind and names are; see also
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
        (m,) the algorithm's own measure of each merge where it is not the ``height`` (4-AL's W is
        not monotone); NaN at leaves.

    Raises
    ------
    InvalidTreeError
        If this is not a tree.
    """

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
        set_field = object.__setattr__
        set_field(self, "parent", checked_parent(parent))
        set_field(self, "kind", HeightKind(kind))
        m = self.n_nodes
        set_field(self, "height", None if height is None else checked_height(height, m))
        if (height is None) != (self.kind is HeightKind.NONE):
            raise InvalidTreeError(
                f"heights are {'missing' if height is None else 'given'} but kind is {self.kind}; "
                "give heights with their kind, or neither"
            )
        set_field(self, "names", None if names is None else checked_names(names, self.n))
        set_field(
            self, "linkage", None if linkage is None else checked_floats(linkage, m, "linkage")
        )

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
            With ORDER, the height is the number of the row, from 1, and ``Z[:, 2]`` becomes the
            ``linkage``; with NONE, ``Z[:, 2]`` is ignored.
        leaf_height
            One number or (n,), by default 0. Required for AFFINITY.
        names
            Names of the n leaves.
        """
        merges = read_linkage(Z, HeightKind(kind), leaf_height)
        return cls(merges.parent, merges.height, merges.kind, names, merges.linkage)

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
        merges = read_children(children, distances)
        return cls(merges.parent, merges.height, merges.kind, names)

    @classmethod
    def from_hclust(
        cls,
        merge: ArrayLike,
        height: ArrayLike | None = None,
        names: Iterable[str] | None = None,
    ) -> Self:
        """Make a binary tree of the ``merge`` (n-1, 2) and ``height`` (n-1,) of R's ``hclust``.

        In row i of ``merge``, from 1, a number -j is item j and a number r the cluster of row r
        before it, both counted from 1; item j becomes leaf j - 1. Without heights the height is the
        number of the row: kind ORDER.
        """
        merges = read_hclust(merge, height)
        return cls(merges.parent, merges.height, merges.kind, names)

    @classmethod
    def from_levels(cls, levels: ArrayLike, names: Iterable[str] | None = None) -> Self:
        """Make a tree, of kind NONE, of nested classes, as in a taxonomy.

        Parameters
        ----------
        levels
            (n, L) labels, column 0 the coarsest. Two items are together at level l if they agree in
            all columns 0..l, so that a name may be used again within another class. Items that
            agree in all columns are children of one node.
        names
            Names of the n leaves.
        """
        return cls(parents_of_levels(levels), names=names)

    @classmethod
    def from_newick(cls, text: str, names: Sequence[str] | None = None) -> Self:
        """Read a tree from Newick.

        Branch lengths become heights, of kind DISTANCE, if all leaves are on one level up to
        `ULTRAMETRIC_TOLERANCE`; otherwise, or if only some nodes have one, there is a
        `NewickWarning` and the kind is NONE. Nodes with one child are removed.

        Parameters
        ----------
        text
            One tree; see :func:`~hcbench.model.trees.newick.read_newick`.
        names
            The labels in the order of the leaves; by default, that of the text.

        Raises
        ------
        NewickError
            If the text cannot be read, or its labels are not ``names``.
        InvalidTreeError
            If two leaves have the same label.
        """
        nodes = read_newick(text)
        height = heights_of_lengths(nodes)
        kind = HeightKind.NONE if height is None else HeightKind.DISTANCE
        tree = cls.from_parents(nodes.parent, height, kind, nodes.labels, collapse_unary=True)
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

        A topological numbering does not change. With ``collapse_unary``, nodes with one child are
        removed with their heights. Other parameters and errors are those of :class:`Tree`.
        """
        new_parent, old_id = in_topological_order(parent, collapse_unary=collapse_unary)
        m = np.size(parent)
        return cls(
            new_parent,
            None if height is None else checked_floats(height, m, "height")[old_id],
            kind,
            names,
            None if linkage is None else checked_floats(linkage, m, "linkage")[old_id],
        )

    # ---- Other trees -----------------------------------------------------------------------------

    def isomorphic(self, other: Tree) -> bool:
        """Whether both trees have the same sets of leaves at their nodes, in any numbering.

        Leaves are matched by name if both trees have names, by id otherwise. O(m log m).
        """
        if (self.n, self.n_nodes) != (other.n, other.n_nodes):
            return False
        match = np.arange(self.n)
        if self.names is not None and other.names is not None:
            if set(self.names) != set(other.names):
                return False
            match = match_labels(other.names, self.names)
        return self._has_clusters_of(other, match)

    def restrict(self, leaves: ArrayLike) -> Self:
        """Return the tree that these leaves, renumbered in this order, induce.

        Nodes with only one child left are removed; heights and names stay. O(m).
        """
        chosen = self._checked_leaves(leaves)
        if chosen.size == 0:
            raise InvalidTreeError("a tree has at least one leaf; got an empty list of leaves")
        is_chosen = np.zeros(self.n_nodes, dtype=np.int64)
        is_chosen[chosen] = 1
        count = _kernels.subtree_sum(self.parent, read_only(is_chosen))
        children_left = np.bincount(self.parent[:-1][count[:-1] > 0], minlength=self.n_nodes)
        inner = np.flatnonzero(children_left > 1)
        kept = np.zeros(self.n_nodes, dtype=np.bool_)
        kept[chosen] = kept[inner] = True
        return self._with_nodes(nearest_kept(self.parent, kept), chosen, inner)

    def relabel(self, permutation: ArrayLike) -> Self:
        """Return this tree with leaf i, and its name, as leaf ``permutation[i]``."""
        target = self._checked_leaves(permutation)
        if target.size != self.n:
            raise InvalidTreeError(f"a permutation of {self.n} leaves is needed, got {target.size}")
        return self._with_nodes(self.parent, np.argsort(target), np.arange(self.n, self.n_nodes))

    def collapse_ties(self, tol: float = 0.0) -> Self:
        """Return this tree with inner nodes within ``tol`` of their parent's height merged into it.

        Each remaining node differs by more than ``tol`` from the next remaining node above it.
        """
        height = self._heights("collapse_ties")
        kept = _kernels.untied(self.parent, height, float(tol))
        kept[: self.n] = True
        inner = np.flatnonzero(kept)[self.n :]
        return self._with_nodes(nearest_kept(self.parent, kept), np.arange(self.n), inner)

    def _with_nodes(
        self, parent: NDArray[np.int64], leaves: NDArray[np.int64], inner: NDArray[np.int64]
    ) -> Self:
        """Return the tree of some leaves, in this order, and inner nodes, rising."""
        ids = np.concatenate((leaves, inner))
        return type(self)(
            renumbered(parent, ids),
            None if self.height is None else self.height[ids],
            self.kind,
            None if self.names is None else [self.names[i] for i in leaves.tolist()],
            None if self.linkage is None else self.linkage[ids],
        )

    # ---- Heights ---------------------------------------------------------------------------------

    def merge_height(self, i: ArrayLike, j: ArrayLike) -> NDArray[np.float64]:
        """Heights of the lowest common ancestors of ``i`` and ``j``; as :meth:`lca`."""
        return self._heights("merge_height")[self.lca(i, j)]

    @cached_property
    def envelope(self) -> NDArray[np.float64]:
        """Heights (m,) made monotone: the highest (AFFINITY: lowest) inner node from v down.

        Leaves keep theirs, and hold no merge back.
        """
        height = self._heights("envelope")
        sign = -1.0 if self.kind is HeightKind.AFFINITY else 1.0
        signed = sign * height
        signed[: self.n] = -np.inf
        highest = _kernels.subtree_max(self.parent, read_only(signed))
        return read_only(np.concatenate((height[: self.n], sign * highest[self.n :])))

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

    def _heights(self, wanted_by: str) -> NDArray[np.float64]:
        if self.height is None:
            raise InvalidTreeError(f"{wanted_by} needs heights, and this tree has none")
        return self.height

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

    def cut(self, k: int) -> Partition:
        """Return the partition of :meth:`cut_nodes`."""
        return Cut(self, self.cut_nodes(k)).partition

    def cut_height(self, h: float) -> Partition:
        """Return the partition of :meth:`cut_height_nodes`."""
        return Cut(self, self.cut_height_nodes(h)).partition

    def cut_depth(self, depth: int) -> Partition:
        """Return the partition of :meth:`cut_depth_nodes`."""
        return Cut(self, self.cut_depth_nodes(depth)).partition

    # ---- Output ----------------------------------------------------------------------------------

    def to_linkage(self) -> NDArray[np.float64]:
        """Return scipy's linkage matrix (n-1, 4) of a binary tree.

        Distances are the heights of DISTANCE and ORDER, the largest affinity minus the height for
        AFFINITY, and the number of levels below a node for NONE. Rows are sorted by distance if
        distances are monotone, and by node id otherwise. Leaf heights are lost.

        Raises
        ------
        InvalidTreeError
            If the tree is not binary or a distance is negative, which scipy does not accept.
        """
        return write_linkage(self)

    def to_newick(self, lengths: bool = True) -> str:
        """Write the tree as Newick; leaves without names are written as their ids.

        With ``lengths`` and heights, the length of a branch is the absolute difference of the
        heights at its ends; leaf heights other than 0 and inversions are lost when it is read.

        Raises
        ------
        InvalidTreeError
            If a height is infinite: use ``lengths=False``.
        """
        names = map(str, range(self.n)) if self.names is None else self.names
        return write_newick(self.leaf_range, names, branch_lengths(self) if lengths else None)

    # ---- Everything else -------------------------------------------------------------------------

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
        # Derived arrays are not pickled, and the others become read-only again.
        return type(self), (self.parent, self.height, self.kind, self.names, self.linkage)
