"""Trees: what every hierarchical clustering returns."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from hcbench.errors import InvalidPartitionError, InvalidTreeError
from hcbench.model.arguments import number_from, whole_number
from hcbench.model.names import NamedItems, match_items, names_of_index, put_in_order_of
from hcbench.model.newick.lengths import heights_of_lengths, lengths_of_heights
from hcbench.model.newick.text import (
    NewickNodes,
    read_all_newick,
    read_newick,
    write_newick,
)
from hcbench.model.trees import _kernels
from hcbench.model.trees._kernels import read_only, subtree_max
from hcbench.model.trees.arrays import (
    HeightKind,
    HeightKindName,
    checked_floats,
    checked_height,
    checked_names,
    checked_parent,
    in_topological_order,
    parents_of_levels,
    renumbered,
)
from hcbench.model.trees.formats import linkage_rows, read_linkage, read_merges
from hcbench.model.trees.layout import MOST_LEAVES, to_svg
from hcbench.model.trees.partition import Partition

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray


__all__ = ["HeightKind", "Tree"]


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Tree:
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

    Examples
    --------
    >>> tree = Tree([4, 4, 5, 6, 5, 6, -1], height=[0, 0, 0, 0, 1, 2, 5], kind="distance")
    >>> tree.n, tree.root, tree.is_binary
    (4, 6, True)
    >>> tree.to_newick()
    '(3:2.5,(2:1,(0:0.5,1:0.5):0.5):1.5);'
    >>> tree.leaves(5).tolist()
    [2, 0, 1]
    >>> tree.cut(2).labels.tolist()
    [0, 0, 0, 1]
    >>> tree.with_names(["ant", "bee", "cod", "elm"]).to_newick(lengths=False)
    '(elm,(cod,(ant,bee)));'
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
        kind: HeightKindName = HeightKind.NONE,
        names: Iterable[str] | None = None,
        linkage: ArrayLike | None = None,
    ) -> None:
        # The class is frozen, for its users and for this constructor.
        set_field = object.__setattr__
        set_field(self, "parent", checked_parent(parent))
        set_field(self, "kind", HeightKind(kind))
        if height is not None:
            height = checked_height(height, self.n_nodes)
        if (height is None) != (self.kind is HeightKind.NONE):
            state = "given"
            if height is None:
                state = "missing"
            raise InvalidTreeError(
                f"heights are {state} but kind is {self.kind}; "
                "give heights with their kind, or neither"
            )
        if names is not None:
            names = checked_names(names, self.n)
        if linkage is not None:
            linkage = checked_floats(linkage, self.n_nodes, "linkage")
        set_field(self, "height", height)
        set_field(self, "names", names)
        set_field(self, "linkage", linkage)

    @cached_property
    def n(self) -> int:
        """Number of leaves."""
        if self.parent.size == 1:
            return 1
        # Inner nodes follow the leaves, and the first of them is the parent of leaves.
        return int(self.parent[:-1].min())

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
        counts = np.bincount(self.parent[:-1], minlength=self.n_nodes)
        offsets = np.concatenate(([0], np.cumsum(counts)))
        ids = np.argsort(self.parent[:-1], kind="stable")
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
        """Children of a node, rising; none for a leaf.

        Examples
        --------
        >>> Tree.from_newick("((a,b),c);").children(4).tolist()
        [2, 3]
        """
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
        """Leaves below a node, from left to right.

        Examples
        --------
        >>> tree = Tree.from_newick("((a,b),c);")
        >>> tree.leaves(3).tolist(), tree.leaves(tree.root).tolist()
        ([0, 1], [2, 0, 1])
        """
        start, end = self.leaf_range
        (v,) = self._checked_nodes(node)
        return self.leaf_order[start[v] : end[v]]

    # ---- Common ancestors ------------------------------------------------------------------------

    def lca(self, i: ArrayLike, j: ArrayLike) -> NDArray[np.int64]:
        """Lowest common ancestors of nodes, usually leaves, ``i`` and ``j``, arrays of one shape.

        O(1) each, after O(n log n) time and 4 n log2(n) bytes for the first.

        Examples
        --------
        >>> tree = Tree.from_newick("((a,b),c);")
        >>> tree.lca([0, 0], [1, 2]).tolist()
        [3, 4]
        """
        shape = np.broadcast_shapes(np.shape(i), np.shape(j))
        first = self._checked_nodes(np.broadcast_to(i, shape))
        second = self._checked_nodes(np.broadcast_to(j, shape))
        start, end = self.leaf_range
        nodes = _kernels.lowest_common_ancestors(start, end, self._ancestor_table, first, second)
        return nodes.reshape(shape)

    @cached_property
    def _ancestor_table(self) -> NDArray[np.int32]:
        """Sparse table (log2(n), n-1) for `_kernels.lowest_common_ancestors`."""
        end = self.leaf_range[1]
        # Where a node ends that is not the last child of its parent, two neighbours in leaf order
        # meet at that parent.
        is_boundary = end[:-1] != end[self.parent[:-1]]
        n_levels = max(1, (self.n - 1).bit_length())
        table = np.zeros((n_levels, self.n - 1), dtype=np.int32)
        table[0, end[:-1][is_boundary] - 1] = self.parent[:-1][is_boundary]
        for level in range(1, n_levels):
            # The highest id in a run of 2^level gaps; ids rise towards the root.
            half = 1 << (level - 1)
            halves = table[level - 1]
            np.maximum(halves[:-half], halves[half:], out=table[level, :-half])
        return read_only(table)

    # ---- Cuts by depth ---------------------------------------------------------------------------

    def cut_depth_nodes(self, depth: int) -> NDArray[np.int64]:
        """Nodes with ``depth`` edges between them and the root, and the leaves with fewer.

        Raises
        ------
        InvalidPartitionError
            If ``depth`` is negative.

        Examples
        --------
        >>> tree = Tree.from_newick("(((a,b),c),d);")
        >>> tree.cut_depth_nodes(1).tolist()
        [3, 5]
        """
        depth = whole_number(depth, "depth")
        if depth < 0:
            raise InvalidPartitionError(f"the depth of a cut is at least 0, got {depth}")
        return self._frontier(self.depths < depth)

    def _frontier(self, split: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Nodes not split, or leaves, whose parent is split.

        All above a split node must be split, too.
        """
        is_split = split.copy()
        is_split[: self.n] = False
        parent_is_split = is_split[self.parent]
        # The parent of the root is -1, which has read the root itself: nothing stands above it.
        parent_is_split[-1] = True
        return np.flatnonzero(parent_is_split & ~is_split)

    # ---- Arguments -------------------------------------------------------------------------------

    def _checked_nodes(self, ids: ArrayLike) -> NDArray[np.int64]:
        """Node ids as a new array of one dimension."""
        array = np.asarray(ids)
        if array.size and array.dtype.kind not in "iu":
            raise IndexError(f"node ids must be integers, got {array.dtype}")
        nodes = np.array(array, dtype=np.int64, order="C").reshape(-1)
        if nodes.size and (nodes.min() < 0 or nodes.max() >= self.n_nodes):
            wrong = nodes.max()
            if nodes.min() < 0:
                wrong = nodes.min()
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

    # ---- Constructors ----------------------------------------------------------------------------

    @classmethod
    def from_linkage(
        cls,
        Z: ArrayLike,  # noqa: N803  (scipy's name)
        *,
        kind: HeightKindName = HeightKind.DISTANCE,
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

        Examples
        --------
        >>> from scipy.cluster.hierarchy import linkage
        >>> Z = linkage([[0.0], [1.0], [5.0]], "single")
        >>> tree = Tree.from_linkage(Z, names=["a", "b", "c"])
        >>> tree.to_newick()
        '(c:2,(a:0.5,b:0.5):1.5);'
        """
        parent, height, linkage = read_linkage(Z, HeightKind(kind), leaf_height)
        return cls(parent, height, kind, names, linkage)

    @classmethod
    def from_children(
        cls,
        children: ArrayLike,
        distances: ArrayLike | None = None,
        names: Iterable[str] | None = None,
    ) -> Self:
        """Make a binary tree of scikit-learn's ``children_`` (n-1, 2) and ``distances_`` (n-1,).

        Without distances the height is the number of the row, from 1: kind ORDER.

        Examples
        --------
        >>> Tree.from_children([[0, 1], [2, 3]], distances=[1.0, 4.0]).height.tolist()
        [0.0, 0.0, 0.0, 1.0, 4.0]
        """
        parent, height, kind = read_merges(children, "children", distances, "distances")
        return cls(parent, height, kind, names)

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

        Examples
        --------
        >>> tree = Tree.from_hclust([[-1, -2], [-3, 1]], height=[1.0, 4.0], names=["a", "b", "c"])
        >>> tree.to_newick()
        '(c:2,(a:0.5,b:0.5):1.5);'
        """
        parent, heights, kind = read_merges(merge, "merge", height, "height", from_r=True)
        return cls(parent, heights, kind, names)

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
            Names of the n leaves; by default, of a DataFrame those in its index, unless this is
            the default one.

        Examples
        --------
        >>> levels = [["mammal", "bat"], ["mammal", "ape"], ["mammal", "ape"], ["fish", "cod"]]
        >>> Tree.from_levels(levels, names=["a", "b", "c", "d"]).to_newick()
        '(d,(a,(b,c)));'
        """
        if names is None:
            names = names_of_index(levels, only_own=True)
        return cls(parents_of_levels(levels), names=names)

    @classmethod
    def from_newick(
        cls,
        text: str,
        names: Sequence[str] | None = None,
        *,
        tree: int | str | None = None,
        heights: Literal["half", "whole"] | None = None,
    ) -> Self:
        """Read a tree from Newick or Nexus.

        Branch lengths become heights, of kind DISTANCE, if all leaves are on one level up to the
        rounding of the digits that are written (or 1e-6 of the largest depth); otherwise, or if
        only some nodes have one, there is a `NewickWarning` and the kind is NONE. Nodes with one
        child are removed.

        Parameters
        ----------
        text
            Newick or Nexus; see `hcbench.model.newick.text.read_newick`.
        names
            The labels in the order of the leaves; by default, that of the text.
        tree
            Which of several trees: its number, counted from 1, or its name in Nexus.
        heights
            Whether branch lengths from a node to a leaf sum to half of the distance at which the
            node merges, so that the path between two leaves is that distance, as
            :meth:`to_newick`, ape and scikit-bio write them (by default), or to the whole.

        Raises
        ------
        NewickError
            If the text cannot be read, or has several trees of which none is chosen.
        DataError
            If its labels are not ``names``.
        InvalidTreeError
            If two leaves have the same label.

        Examples
        --------
        >>> tree = Tree.from_newick("((a:1,b:1):2,c:3);")
        >>> tree.height.tolist()
        [0.0, 0.0, 0.0, 2.0, 6.0]
        >>> Tree.from_newick("((a:1,b:1):2,c:3);", heights="whole").height.tolist()
        [0.0, 0.0, 0.0, 1.0, 3.0]
        >>> Tree.from_newick("((a,b),c);", names=["c", "b", "a"]).names
        ('c', 'b', 'a')
        """
        as_written = cls._from_newick_nodes(read_newick(text, tree), heights)
        if names is None:
            return as_written
        return as_written.in_order_of(names)

    @classmethod
    def all_from_newick(
        cls, text: str, *, heights: Literal["half", "whole"] | None = None
    ) -> Iterator[Self]:
        """Read all trees of a text of Newick or Nexus, such as a posterior sample.

        Parameters, warnings and errors are those of :meth:`from_newick`.

        Examples
        --------
        >>> [tree.n for tree in Tree.all_from_newick("((a,b),c); (a,(b,c));")]
        [3, 3]
        """
        for nodes in read_all_newick(text):
            yield cls._from_newick_nodes(nodes, heights)

    @classmethod
    def _from_newick_nodes(
        cls, nodes: NewickNodes, heights: Literal["half", "whole"] | None
    ) -> Self:
        height = heights_of_lengths(nodes.parent, nodes.length, heights)
        kind = HeightKind.DISTANCE
        if height is None:
            kind = HeightKind.NONE
        return cls.from_parents(nodes.parent, height, kind, nodes.labels, collapse_unary=True)

    @classmethod
    def from_parents(
        cls,
        parent: ArrayLike,
        height: ArrayLike | None = None,
        kind: HeightKindName = HeightKind.NONE,
        names: Iterable[str] | None = None,
        linkage: ArrayLike | None = None,
        *,
        collapse_unary: bool = False,
    ) -> Self:
        """Make a tree of nodes in any numbering in which the leaves are 0..n-1.

        A topological numbering does not change. With ``collapse_unary``, nodes with one child are
        removed with their heights. Other parameters and errors are those of :class:`Tree`.

        Examples
        --------
        >>> tree = Tree.from_parents([4, 4, 3, -1, 3])  # node 3 is the root
        >>> tree.parent.tolist()
        [3, 3, 4, 4, -1]
        """
        new_parent, old_ids = in_topological_order(parent, collapse_unary=collapse_unary)
        m = np.size(parent)
        if height is not None:
            height = checked_floats(height, m, "height")[old_ids]
        if linkage is not None:
            linkage = checked_floats(linkage, m, "linkage")[old_ids]
        return cls(new_parent, height, kind, names, linkage)

    # ---- Other trees -----------------------------------------------------------------------------

    def isomorphic(self, tree: Tree) -> bool:
        """Whether both trees have the same sets of leaves at their nodes, in any numbering.

        Leaves are matched by name if both trees have names, by number otherwise. O(m log m).

        Examples
        --------
        >>> tree = Tree.from_newick("((a,b),c);")
        >>> tree.isomorphic(Tree.from_newick("(c,(b,a));"))
        True
        >>> tree.isomorphic(Tree.from_newick("(a,(b,c));"))
        False
        """
        if (self.n, self.n_nodes) != (tree.n, tree.n_nodes):
            return False
        own_leaf = np.arange(self.n)  # the leaf here of each leaf of the other tree
        if self.names is not None and tree.names is not None:
            if set(self.names) != set(tree.names):
                return False
            own_leaf = match_items(self.named_items("the tree"), tree.named_items("the other tree"))
        # The leaves below each node of the other tree must be contiguous here (Day 1985): as many
        # as there are positions from the first one to the last.
        start, end = self.leaf_range
        last = np.full(tree.n_nodes, -np.inf)
        last[: tree.n] = start[own_leaf]
        minus_first = np.where(np.isfinite(last), -last, last)
        last = subtree_max(tree.parent, read_only(last))
        first = -subtree_max(tree.parent, read_only(minus_first))
        if (last - first + 1 != tree.sizes).any():
            return False
        # And these runs of positions must be those of the nodes here.
        runs = start * (self.n + 1) + end
        other_runs = first.astype(np.int64) * (self.n + 1) + last.astype(np.int64) + 1
        return np.array_equal(np.sort(runs), np.sort(other_runs))

    def restrict(self, leaves: ArrayLike) -> Self:
        """Return the tree that these leaves, renumbered in this order, induce.

        Nodes with only one child left are removed; heights and names stay. O(m).

        Examples
        --------
        >>> Tree.from_newick("(((a,b),c),d);").restrict([3, 0, 1]).to_newick()
        '(d,(a,b));'
        """
        remaining = self._checked_leaves(leaves)
        if remaining.size == 0:
            raise InvalidTreeError("a tree has at least one leaf; got an empty list of leaves")
        # An inner node stays if leaves remain below two of its children.
        remains = np.zeros(self.n_nodes, dtype=np.int64)
        remains[remaining] = 1
        n_below = _kernels.subtree_sum(self.parent, read_only(remains))
        has_leaves = n_below[:-1] > 0
        n_children = np.bincount(self.parent[:-1][has_leaves], minlength=self.n_nodes)
        inner = np.flatnonzero(n_children > 1)
        kept = np.zeros(self.n_nodes, dtype=np.bool_)
        kept[remaining] = True
        kept[inner] = True
        parent = _kernels.nearest_kept(self.parent, read_only(kept))
        return self._with_nodes(parent, remaining, inner)

    def relabel(self, permutation: ArrayLike) -> Self:
        """Return this tree with leaf i, and its name, as leaf ``permutation[i]``.

        Examples
        --------
        >>> Tree.from_newick("((a,b),c);").relabel([2, 0, 1]).names
        ('b', 'c', 'a')
        """
        new_leaf = self._checked_leaves(permutation)
        if new_leaf.size != self.n:
            raise InvalidTreeError(
                f"a permutation of {self.n} leaves is needed, got {new_leaf.size}"
            )
        # argsort inverts the permutation: which leaf comes to each place.
        return self._reordered(np.argsort(new_leaf))

    def _reordered(self, leaves: NDArray[np.int64]) -> Self:
        """Return the tree whose leaf i is leaf ``leaves[i]`` here; inner nodes keep their ids."""
        return self._with_nodes(self.parent, leaves, np.arange(self.n, self.n_nodes))

    def with_names(self, names: Iterable[str] | None) -> Self:
        """Return this tree with leaf i named ``names[i]``, or without names for None.

        Examples
        --------
        >>> Tree.from_newick("((0,1),2);").with_names(["ant", "bee", "cod"]).to_newick()
        '(cod,(ant,bee));'
        """
        if names is self.names:
            return self
        return type(self)(self.parent, self.height, self.kind, names, self.linkage)

    def named_items(self, what: str) -> NamedItems:
        """Describe the leaves for `match_items`; ``what`` is the tree in messages."""
        return NamedItems(
            what=what,
            n=self.n,
            names=self.names,
            give="tree.with_names(names) in the order of the leaves",
            drop="tree.with_names(None)",
        )

    def in_order_of(self, names: Sequence[str]) -> Self:
        """Return this tree with its leaves in the order of ``names``.

        A label with underscores matches a name with blanks, with a `ModelWarning`. Leaves without
        names are the numbers 0..n-1.

        Raises
        ------
        DataError
            If the leaves have other names.

        Examples
        --------
        >>> tree = Tree.from_newick("((a,b),c);").in_order_of(["c", "a", "b"])
        >>> tree.names, tree.leaves(3).tolist()
        (('c', 'a', 'b'), [1, 2])
        """
        if isinstance(names, str):
            raise InvalidTreeError(f"names must be a list of strings, got {names!r:.60}")
        listed = NamedItems(what="the list of names", n=len(names), names=tuple(names))
        return self.matched_with(listed)

    def matched_with(self, items: NamedItems, description: NamedItems | None = None) -> Self:
        """Return this tree with its leaves in the order of other items, and with their names.

        Parameters
        ----------
        items
            The items whose order and names the leaves get.
        description
            The leaves, as messages describe them; by default :meth:`named_items`.

        Raises
        ------
        DataError
            If the leaves are not these items.
        """
        if description is None:
            description = self.named_items("the tree")
        return put_in_order_of(items, self, description, self._reordered)

    def collapse_ties(self, tol: float = 0.0) -> Self:
        """Return this tree with inner nodes within ``tol`` of their parent's height merged into it.

        Each remaining node differs by more than ``tol`` from the next remaining node above it.

        Examples
        --------
        >>> tree = Tree([4, 4, 5, 6, 5, 6, -1], height=[0, 0, 0, 0, 1, 1, 5], kind="distance")
        >>> tree.collapse_ties().to_newick(lengths=False)
        '(3,(0,1,2));'
        """
        height = self._heights("collapse_ties")
        kept = _kernels.untied(self.parent, height, number_from(tol, "tol"))
        kept[: self.n] = True
        inner = np.flatnonzero(kept)[self.n :]
        parent = _kernels.nearest_kept(self.parent, read_only(kept))
        return self._with_nodes(parent, np.arange(self.n), inner)

    def _with_nodes(
        self, parent: NDArray[np.int64], leaves: NDArray[np.int64], inner: NDArray[np.int64]
    ) -> Self:
        """Return the tree of some leaves, in this order, and inner nodes, rising.

        ``parent`` (m,) has for each of these nodes the one above it that remains.
        """
        ids = np.concatenate((leaves, inner))
        height = None
        if self.height is not None:
            height = self.height[ids]
        names = None
        if self.names is not None:
            names = [self.names[leaf] for leaf in leaves.tolist()]
        linkage = None
        if self.linkage is not None:
            linkage = self.linkage[ids]
        return type(self)(renumbered(parent, ids), height, self.kind, names, linkage)

    # ---- Heights ---------------------------------------------------------------------------------

    def merge_height(self, i: ArrayLike, j: ArrayLike) -> NDArray[np.float64]:
        """Heights of the lowest common ancestors of ``i`` and ``j``; as :meth:`lca`.

        Examples
        --------
        >>> tree = Tree.from_newick("((a:1,b:1):2,c:3);")
        >>> tree.merge_height([0, 0], [1, 2]).tolist()
        [2.0, 6.0]
        """
        return self._heights("merge_height")[self.lca(i, j)]

    @cached_property
    def envelope(self) -> NDArray[np.float64]:
        """Heights (m,) made monotone: the highest (AFFINITY: lowest) inner node from v down.

        Leaves keep theirs, and hold no merge back.
        """
        height = self._heights("envelope")
        # With this sign, heights grow towards the root.
        sign = 1.0
        if self.kind is HeightKind.AFFINITY:
            sign = -1.0
        signed = sign * height
        signed[: self.n] = -np.inf
        highest = subtree_max(self.parent, read_only(signed))
        return read_only(np.concatenate((height[: self.n], sign * highest[self.n :])))

    @cached_property
    def split_order(self) -> NDArray[np.int64]:
        """The inner nodes in the order in which cuts into ever more clusters split them.

        Highest :attr:`envelope` first (AFFINITY: lowest), so the last merge is undone first; for
        kind NONE the largest cluster first. Of equal nodes, the larger id first. O(m log m).
        """
        priority: NDArray[np.int64] | NDArray[np.float64]
        if self.height is None:
            priority = self.sizes
        elif self.kind is HeightKind.AFFINITY:
            priority = -self.envelope
        else:
            priority = self.envelope
        # Sorted from the root down, so that of equal nodes the larger id comes first.
        from_root = priority[: self.n - 1 : -1]
        return read_only(self.root - np.argsort(-from_root, kind="stable"))

    def _heights(self, operation: str) -> NDArray[np.float64]:
        """The heights that an operation needs."""
        if self.height is None:
            raise InvalidTreeError(f"{operation} needs heights, and this tree has none")
        return self.height

    # ---- Cuts ------------------------------------------------------------------------------------

    def cut_nodes(self, k: int) -> NDArray[np.int64]:
        """Nodes of the coarsest cut along :attr:`split_order` with at least ``k`` clusters.

        Exactly k in a binary tree; splitting a node of another tree gives all its children at once.

        Raises
        ------
        InvalidPartitionError
            If ``k`` is not in 1..n.

        Examples
        --------
        >>> tree = Tree([4, 4, 5, 5, 6, 6, -1], height=[0, 0, 0, 0, 1, 2, 5], kind="distance")
        >>> tree.cut_nodes(2).tolist()
        [4, 5]
        >>> tree.cut_nodes(3).tolist()
        [2, 3, 4]
        """
        k = whole_number(k, "k")
        if not 1 <= k <= self.n:
            raise InvalidPartitionError(f"a tree of {self.n} leaves has no cut into {k} clusters")
        split = np.zeros(self.n_nodes, dtype=np.bool_)
        if k > 1:
            # A split of a node with c children makes c - 1 more clusters.
            n_more = np.cumsum(np.diff(self.child_offsets)[self.split_order] - 1)
            n_splits = int(np.searchsorted(n_more, k - 1)) + 1
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

        Examples
        --------
        >>> tree = Tree([4, 4, 5, 5, 6, 6, -1], height=[0, 0, 0, 0, 1, 2, 5], kind="distance")
        >>> tree.cut_height_nodes(1.5).tolist()
        [2, 3, 4]
        """
        if not isinstance(h, numbers.Real) or math.isnan(h):
            raise InvalidPartitionError(f"the height of a cut must be a number, got {h!r}")
        self._heights("cut_height")
        if self.kind is HeightKind.AFFINITY:
            return self._frontier(self.envelope < h)
        return self._frontier(self.envelope > h)

    def cut(self, k: int) -> Partition:
        """Return the partition of :meth:`cut_nodes`.

        Examples
        --------
        >>> tree = Tree([4, 4, 5, 5, 6, 6, -1], height=[0, 0, 0, 0, 1, 2, 5], kind="distance")
        >>> tree.cut(2).labels.tolist()
        [0, 0, 1, 1]
        >>> tree.cut(3).labels.tolist()
        [0, 0, 1, 2]
        """
        return partition_of_nodes(self, self.cut_nodes(k))

    def cut_height(self, h: float) -> Partition:
        """Return the partition of :meth:`cut_height_nodes`.

        Examples
        --------
        >>> tree = Tree([4, 4, 5, 5, 6, 6, -1], height=[0, 0, 0, 0, 1, 2, 5], kind="distance")
        >>> tree.cut_height(1.5).labels.tolist()
        [0, 0, 1, 2]
        """
        return partition_of_nodes(self, self.cut_height_nodes(h))

    def cut_depth(self, depth: int) -> Partition:
        """Return the partition of :meth:`cut_depth_nodes`.

        Examples
        --------
        >>> Tree.from_newick("(((a,b),c),d);").cut_depth(1).labels.tolist()
        [0, 0, 0, 1]
        """
        return partition_of_nodes(self, self.cut_depth_nodes(depth))

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

        Examples
        --------
        >>> tree = Tree([3, 3, 4, 4, -1], height=[0, 0, 0, 1, 4], kind="distance")
        >>> tree.to_linkage().tolist()
        [[0.0, 1.0, 1.0, 2.0], [2.0, 3.0, 4.0, 3.0]]
        """
        return linkage_rows(self.parent, self.n, self.child_ids, self.sizes, distances(self))

    def to_newick(self, lengths: bool = True, inner_labels: Sequence[str] | None = None) -> str:
        """Write the tree as Newick; leaves without names are written as their ids.

        With ``lengths`` and heights, the length of a branch is half of the difference of the
        heights at its ends, so that the path between two leaves is as long as the distance at which
        they merge. An inversion has a negative length. `from_newick` reads exactly these heights,
        as distances; leaf heights other than 0 are lost. ``inner_labels`` are labels of the m - n
        inner nodes, such as their support; an empty one is not written.

        Raises
        ------
        InvalidTreeError
            If a height is infinite: use ``lengths=False``.

        Examples
        --------
        >>> tree = Tree([3, 3, 4, 4, -1], height=[0, 0, 0, 1, 4], kind="distance")
        >>> tree = tree.with_names(["a", "b", "c"])
        >>> tree.to_newick()
        '(c:2,(a:0.5,b:0.5):1.5);'
        >>> tree.to_newick(lengths=False, inner_labels=["0.9", ""])
        '(c,(a,b)0.9);'
        """
        if isinstance(inner_labels, str):
            raise InvalidTreeError(
                f"inner_labels must be a list of strings, got {inner_labels!r:.60}"
            )
        names = self._names_or_numbers()
        if not lengths or self.height is None:
            return write_newick(self.leaf_range, names, None, inner_labels)
        if not np.isfinite(self.height).all():
            raise InvalidTreeError(
                "infinite heights have no branch lengths; write with lengths=False"
            )
        # Affinities grow towards the leaves, and lengths must not be negative.
        sign = 1
        if self.kind is HeightKind.AFFINITY:
            sign = -1
        branches = lengths_of_heights(self.parent, self.height, sign)
        return write_newick(self.leaf_range, names, branches, inner_labels)

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

    def _repr_svg_(self) -> str | None:
        """A dendrogram for notebooks; None, for `repr`, if it has more than 200 leaves."""
        if self.n > MOST_LEAVES:
            return None
        return to_svg(self.parent, self.leaf_order, self.height, self._names_or_numbers())

    def _names_or_numbers(self) -> tuple[str, ...]:
        """The labels of the leaves where trees are written."""
        if self.names is not None:
            return self.names
        return tuple(map(str, range(self.n)))

    def __reduce__(self) -> tuple[Any, ...]:
        # Derived arrays are not pickled, and the others become read-only again.
        return type(self), (self.parent, self.height, self.kind, self.names, self.linkage)


def partition_of_nodes(tree: Tree, nodes: NDArray[np.int64]) -> Partition:
    """The partition into the leaves below each node of a cut (k,). O(n)."""
    sizes = tree.sizes[nodes]
    start, _ = tree.leaf_range
    clusters = np.argsort(start[nodes])  # from left to right
    labels = np.empty(tree.n, dtype=np.int64)
    labels[tree.leaf_order] = np.repeat(clusters, sizes[clusters])
    return Partition(labels, tree.names)


def distances(tree: Tree) -> NDArray[np.float64]:
    """Heights of the inner nodes, (m-n,), as distances that grow towards the root.

    Of a tree without heights, the number of levels below each node.

    Examples
    --------
    >>> tree = hcbench.Tree([3, 3, 4, 4, -1], height=[9, 9, 9, 7, 2], kind="affinity")
    >>> distances(tree).tolist()
    [2.0, 7.0]
    """
    if tree.height is None:
        depth = read_only(tree.depths.astype(np.float64))
        return (subtree_max(tree.parent, depth) - depth)[tree.n :]
    inner = tree.height[tree.n :]
    if tree.kind is not HeightKind.AFFINITY:
        return inner
    highest = tree.height.max()
    distance = np.zeros(inner.size)
    # Not inf - inf: infinite affinities are at distance 0.
    np.subtract(highest, inner, where=inner < highest, out=distance)
    return distance
