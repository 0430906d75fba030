"""Partitions of items, and cuts of a tree, which give one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from hcbench.errors import InvalidPartitionError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from hcbench.model.trees.tree import Tree

Labels: TypeAlias = "NDArray[Any] | Sequence[Any]"


@dataclass(frozen=True, slots=True, eq=False, init=False, repr=False)
class Partition:
    """A division of the items 0..n-1 into clusters, none of them empty.

    Parameters
    ----------
    labels
        One label for each item, (n,): integers, strings or other hashable objects. Stored as int64
        codes 0..k-1 in the order in which the clusters first appear, so that equal partitions have
        equal labels. A label of -1 is a cluster like any other.

    Raises
    ------
    InvalidPartitionError
        If there is no label, or labels are not one-dimensional, or floating point, or missing.
    """

    labels: NDArray[np.int64]
    n_clusters: int

    def __init__(self, labels: Labels) -> None:
        codes = first_appearance_codes(labels)
        codes.setflags(write=False)
        object.__setattr__(self, "labels", codes)
        object.__setattr__(self, "n_clusters", int(codes.max()) + 1)

    @property
    def n(self) -> int:
        """Number of items."""
        return self.labels.size

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of items in each cluster, (k,)."""
        return np.bincount(self.labels, minlength=self.n_clusters).astype(np.int64, copy=False)

    def members(self, cluster: int) -> NDArray[np.int64]:
        """Items of one cluster, rising. O(n)."""
        if not 0 <= cluster < self.n_clusters:
            raise IndexError(f"cluster {cluster} is not in 0..{self.n_clusters - 1}")
        return np.flatnonzero(self.labels == cluster)

    def overlaps(self, other: Partition) -> NDArray[np.int64]:
        """Numbers of items that two clusters, one of each partition, have in common, if any.

        Returns
        -------
        (c,) int array
            Numbers of items, in no order. O(n) where there are at most 4 n pairs of clusters, else
            O(n log n).

        Raises
        ------
        InvalidPartitionError
            If the partitions are of different numbers of items.
        """
        if self.n != other.n:
            raise InvalidPartitionError(
                f"a partition of {self.n} items cannot be compared with one of {other.n}"
            )
        codes = self.labels.astype(np.int64) * other.n_clusters + other.labels
        if self.n_clusters * other.n_clusters > 4 * self.n:
            counts: NDArray[np.int64] = np.unique(codes, return_counts=True)[1]
        else:
            counts = np.bincount(codes)
        return counts[counts > 0]

    def disagreements(self, other: Partition) -> int:
        """On how many unordered pairs of items two partitions differ. O(n).

        Half the Hamming distance of their matrices of 0 and 1, ``(sum a^2 + sum b^2 - 2 sum c^2) /
        2``, with the sizes a of these clusters, b of the other ones, and c of their `overlaps`.

        Raises
        ------
        InvalidPartitionError
            If they are of different numbers of items.
        """
        counts = (self.sizes, other.sizes, self.overlaps(other))
        squares = [int((sizes * sizes).sum()) for sizes in counts]
        return (squares[0] + squares[1] - 2 * squares[2]) // 2

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Partition):
            return NotImplemented
        return np.array_equal(self.labels, other.labels)

    def __hash__(self) -> int:
        return hash(self.labels.tobytes())

    def __repr__(self) -> str:
        return f"Partition(n={self.n}, n_clusters={self.n_clusters})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Partition, (self.labels,)  # pickled arrays are not read-only any more


@dataclass(frozen=True, slots=True, eq=False, init=False, repr=False)
class Cut:
    """Nodes of a tree such that every leaf is below, or is, exactly one of them.

    Parameters
    ----------
    tree
        The tree that is cut.
    nodes
        Node ids, (k,), in any order; sorted.

    Raises
    ------
    InvalidPartitionError
        If a node does not exist, two nodes share a leaf, or a leaf is below none of them.
    """

    tree: Tree
    nodes: NDArray[np.int64]

    def __init__(self, tree: Tree, nodes: ArrayLike) -> None:
        ids = np.asarray(nodes)
        if ids.ndim != 1 or (ids.size and ids.dtype.kind not in "iu"):
            raise InvalidPartitionError(
                f"the nodes of a cut must be a list of integers, got {ids.dtype} of shape "
                f"{ids.shape}; give node ids, for instance those of tree.cut_nodes(k)"
            )
        ids = np.sort(ids.astype(np.int64))
        ids.setflags(write=False)
        _check_cut(tree, ids)
        object.__setattr__(self, "tree", tree)
        object.__setattr__(self, "nodes", ids)

    @property
    def partition(self) -> Partition:
        """The clusters: for each node the leaves below it. O(n)."""
        sizes = self.tree.sizes[self.nodes]
        by_position = np.argsort(self.tree.leaf_range[0][self.nodes])
        labels = np.empty(self.tree.n, dtype=np.int64)
        labels[self.tree.leaf_order] = np.repeat(by_position, sizes[by_position])
        return Partition(labels)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Cut):
            return NotImplemented
        return np.array_equal(self.nodes, other.nodes) and self.tree == other.tree

    def __hash__(self) -> int:
        return hash((self.tree, self.nodes.tobytes()))

    def __repr__(self) -> str:
        return f"Cut({self.tree!r}, k={self.nodes.size})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Cut, (self.tree, self.nodes)


def first_appearance_codes(labels: Labels) -> NDArray[np.int64]:
    """Give labels the numbers 0, 1, ... in the order in which they first appear.

    Parameters
    ----------
    labels
        (n,) integers, strings or other hashable objects, n > 0.

    Returns
    -------
    NDArray[np.int64]
        (n,), a new array.

    Raises
    ------
    InvalidPartitionError
        As :class:`Partition`.
    """
    items = labels if isinstance(labels, np.ndarray) else np.asarray(labels)
    if items.ndim != 1 or items.size == 0:
        raise InvalidPartitionError(
            f"labels must be one-dimensional and not empty, got shape {items.shape}; "
            "give one label for each item"
        )
    if items.dtype.kind in "fc":
        raise InvalidPartitionError(
            f"labels must be integers, strings or objects, got {items.dtype}; "
            "convert them, for instance with labels.astype(int)"
        )
    # numpy converts a list that mixes strings with other objects to strings: use the list itself.
    if items.dtype.kind in "iub" or (items is labels and items.dtype.kind in "US"):
        return _codes_of_sortable(items)
    return _codes_of_hashable(items if items is labels else labels)


def _codes_of_sortable(labels: NDArray[Any]) -> NDArray[np.int64]:
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(first.size, dtype=np.int64)
    rank[np.argsort(first)] = np.arange(first.size)
    return rank[codes]


def _codes_of_hashable(labels: Iterable[Any]) -> NDArray[np.int64]:
    code_of: dict[Any, int] = {}
    codes = [code_of.setdefault(label, len(code_of)) for label in labels]
    for label, code in code_of.items():
        if label is None or label != label:
            raise InvalidPartitionError(
                f"the label of item {codes.index(code)} is missing ({label}); "
                "give every item a label, or drop the item"
            )
    return np.array(codes, dtype=np.int64)


def _check_cut(tree: Tree, nodes: NDArray[np.int64]) -> None:
    """Check the nodes (k,), rising, of a cut. O(k log k)."""
    if nodes.size == 0 or nodes[0] < 0 or nodes[-1] >= tree.n_nodes:
        wrong = "none" if nodes.size == 0 else str(nodes[0] if nodes[0] < 0 else nodes[-1])
        raise InvalidPartitionError(
            f"the nodes of a cut must be in 0..{tree.n_nodes - 1} and at least one, got {wrong}"
        )
    start, end = tree.leaf_range
    nodes = nodes[np.lexsort((-nodes, start[nodes]))]
    expected = np.concatenate(([0], end[nodes]))
    begins = np.concatenate((start[nodes], [tree.n]))
    wrong_at = np.flatnonzero(begins != expected)
    if wrong_at.size == 0:
        return
    at = wrong_at[0]
    if begins[at] < expected[at]:
        raise InvalidPartitionError(
            f"nodes {nodes[at - 1]} and {nodes[at]} of the cut share leaf "
            f"{tree.leaf_order[begins[at]]}; keep only one of them"
        )
    raise InvalidPartitionError(
        f"leaf {tree.leaf_order[expected[at]]} is below none of the nodes of the cut; "
        "add it or an ancestor of it"
    )
