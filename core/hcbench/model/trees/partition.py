"""Partitions of items, and cuts of a tree, which give one: among them the best one.

And two trees drawn opposite each other: orders of the leaves in which few lines cross.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hcbench.errors import InvalidPartitionError
from hcbench.model.names import NamedItems, match_items, names_of_index
from hcbench.model.trees import _kernels
from hcbench.model.trees._kernels import read_only
from hcbench.model.trees.arrays import checked_floats, checked_names, first_appearance_codes

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from hcbench.model.trees.tree import Tree


@dataclass(frozen=True, slots=True, eq=False, init=False, repr=False)
class Partition:
    """A division of the items 0..n-1 into clusters, none of them empty.

    Parameters
    ----------
    labels
        One label for each item, (n,): integers, strings or other hashable objects. Stored as int64
        codes 0..k-1 in the order in which the clusters first appear, so that equal partitions have
        equal labels. A label of -1 is a cluster like any other.
    names
        Names of the n items, all different; by default, of a Series those in its index, unless
        this is the default one. A cut of a tree has the names of its leaves.

    Raises
    ------
    InvalidPartitionError
        If there is no label, or labels are not one-dimensional, or floating point, or missing.
    """

    labels: NDArray[np.int64]
    n_clusters: int
    names: tuple[str, ...] | None

    def __init__(
        self, labels: NDArray[Any] | Sequence[Any], names: Iterable[str] | None = None
    ) -> None:
        if names is None:
            names = names_of_index(labels, only_own=True)
        codes = first_appearance_codes(labels)
        codes.setflags(write=False)
        object.__setattr__(self, "labels", codes)
        object.__setattr__(self, "n_clusters", int(codes.max()) + 1)
        object.__setattr__(
            self, "names", None if names is None else checked_names(names, codes.size)
        )

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

    def with_names(self, names: Iterable[str] | None) -> Partition:
        """Return this partition with item i named ``names[i]``, or without names for None."""
        if names is self.names:
            return self
        return Partition(self.labels, names)

    def named_items(self, what: str) -> NamedItems:
        """Describe the items for `match_items`; ``what`` is the partition in messages."""
        return NamedItems(
            what=what,
            n=self.n,
            names=self.names,
            give="partition.with_names(names) in the order of its items",
            drop="partition.with_names(None)",
        )

    def matched_with(self, items: NamedItems, own: NamedItems | None = None) -> Partition:
        """Return this partition with its items in the order of other ones, and with their names.

        Parameters
        ----------
        items
            In whose order the items are put.
        own
            Describes the items in messages; by default :meth:`named_items`.

        Raises
        ------
        DataError
            If they are not the same items.
        """
        place = match_items(own or self.named_items("the partition"), items)
        if self.names == items.names:
            return self
        return Partition(self.labels[place], items.names)

    def overlaps(self, other: Partition) -> NDArray[np.int64]:
        """Numbers of items that two clusters, one of each partition, have in common, if any.

        Items are matched by name if both partitions have names, by number otherwise.

        Returns
        -------
        (c,) int array
            Numbers of items, in no order. O(n) where there are at most 4 n pairs of clusters, else
            O(n log n).

        Raises
        ------
        InvalidPartitionError
            If the partitions are of different numbers of items.
        DataError
            If their items have different names.
        """
        if self.n != other.n:
            raise InvalidPartitionError(
                f"a partition of {self.n} items cannot be compared with one of {other.n}"
            )
        if self.names is not None and other.names is not None:
            other = other.matched_with(self.named_items("the other partition"))
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
        if self.names is not None and other.names is not None and self.names != other.names:
            return False
        return np.array_equal(self.labels, other.labels)

    def __hash__(self) -> int:
        return hash(self.labels.tobytes())

    def __repr__(self) -> str:
        return f"Partition(n={self.n}, n_clusters={self.n_clusters})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Partition, (self.labels, self.names)  # pickled arrays are not read-only any more


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
        return Partition(labels, self.tree.names)

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


def best_cut(tree: Tree, clusters: Partition) -> Cut:
    """The cut of a tree that differs from given clusters on the fewest pairs of items.

    ``argmin d_H(Sigma, C(c))`` over all cuts c, Sigma being that of the clusters (BEST of Gentile
    et al. 2019, section 5). Of several best cuts it is the coarsest; heights are not used.

    Parameters
    ----------
    tree : Tree
        Of any degree.
    clusters : Partition
        Of the leaves; they need not be clusters of a cut.

    Returns
    -------
    Cut

    Raises
    ------
    InvalidPartitionError
        If the clusters are of more or fewer items.

    Notes
    -----
    O(n log n) time, O(n log n) memory for common ancestors, however many clusters there are.
    """
    return heaviest_cut(tree, pair_weights(tree, clusters))


def heaviest_cut(tree: Tree, weights: ArrayLike) -> Cut:
    """The cut with the largest total weight of the pairs within its clusters.

    By dynamic programming: the best gain below v is ``g(v) = max(W(v), sum of g over the
    children)``, with W(v) the weight of all pairs below v. Ties merge, so that of several best cuts
    this is the coarsest.

    Parameters
    ----------
    tree : Tree
    weights : (m,) array_like
        Total weight of the pairs of leaves whose lowest common ancestor is each node: positive
        where they belong together, negative where not. Those of leaves, which have no pairs, are
        ignored.

    Returns
    -------
    Cut

    Raises
    ------
    InvalidTreeError
        If the weights are not m numbers.

    Notes
    -----
    O(n) time and memory.
    """
    own = checked_floats(weights, tree.n_nodes, "weights").copy()
    own[: tree.n] = 0.0
    x = _kernels.excesses(tree.parent, read_only(own))
    return Cut(tree, _kernels.highest_whole(tree.parent, read_only(x)))


def pair_weights(tree: Tree, clusters: Partition) -> NDArray[np.float64]:
    """Pairs of one cluster minus pairs of two, by the node that is their lowest common ancestor.

    Parameters
    ----------
    tree : Tree
    clusters : Partition
        Of the leaves, which are matched by name if both have names.

    Returns
    -------
    (m,) float64
        0 for leaves. The weights of `heaviest_cut` for which it is `best_cut`.

    Raises
    ------
    InvalidPartitionError
        If the clusters are of more or fewer items.

    Notes
    -----
    O(n log n), however many clusters there are.
    """
    if clusters.n != tree.n:
        raise InvalidPartitionError(
            f"clusters of {clusters.n} items do not fit a tree of {tree.n} leaves"
        )
    if clusters.names is not None and tree.names is not None:
        clusters = clusters.matched_with(tree.named_items("the tree"))
    items = tree.leaf_order[np.argsort(clusters.labels[tree.leaf_order], kind="stable")]
    joins = np.full(tree.n, -1)
    goes_on = np.diff(clusters.labels[items]) == 0
    joins[:-1][goes_on] = tree.lca(items[:-1][goes_on], items[1:][goes_on])
    all_pairs = tree.sizes * (tree.sizes - 1) // 2
    split = np.bincount(tree.parent[:-1], all_pairs[:-1], tree.n_nodes)
    joined = _kernels.pairs_joined(tree.parent, read_only(joins))
    return 2.0 * joined - (all_pairs - split)


#: Rounds of ordering one tree after the other; random trees of 10^5 leaves converge in fewer.
_MOST_ROUNDS = 50


def facing_orders(tree: Tree, other: Tree) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Order the leaves of two trees so that equal leaves are opposite, as far as possible.

    Alternately, the children of each node of one tree are sorted by the mean position of their
    leaves in the other, until ``sum (x_i - y_i)^2`` does not decrease any more. Given the order of
    the other tree, this order is optimal: moving a child of s leaves to the right by d changes the
    sum by -2 d times the positions of its leaves in the other, so that children are best sorted by
    their means (Smith's 1956 rule for jobs on one machine). The result is a local optimum, and
    deterministic: the first order is that of the node ids, and of leaves that of their parents'
    ids. Where one tree refines the other, the orders are equal.

    Parameters
    ----------
    tree, other : Tree
        Trees over the same n leaves, of any degree; leaves are matched by name if both trees have
        names, by number otherwise.

    Returns
    -------
    tuple of two (n,) int arrays
        The leaves of both trees from left to right: each an order in which the tree can be drawn
        without a crossing of its own branches. O(n log n) time a round, up to 50 rounds; O(n)
        memory.
    """
    place = np.arange(other.n)
    if tree.names is not None and other.names is not None:
        place = match_items(other.named_items("the other tree"), tree.named_items("the tree"))
        other = other.restrict(place)
    # Ids of inner nodes; of leaves, which come first, those of their parents in the other tree.
    keys = np.arange(tree.n_nodes, dtype=np.float64)
    keys[: tree.n] = other.parent[: tree.n] - other.n_nodes
    x = _ordered(tree, keys)
    y = _ordered(other, _means(other, x))
    distance = ((x - y) ** 2).sum()
    for _ in range(_MOST_ROUNDS):
        x_next = _ordered(tree, _means(tree, y))
        y_next = _ordered(other, _means(other, x_next))
        next_distance = ((x_next - y_next) ** 2).sum()
        if next_distance >= distance:
            break
        x, y, distance = x_next, y_next, next_distance
    return np.argsort(x), place[np.argsort(y)]


def _means(tree: Tree, place: NDArray[np.int64]) -> NDArray[np.float64]:
    """Mean position (m,) of the leaves below each node."""
    before = np.concatenate(([0], np.cumsum(place[tree.leaf_order])))
    start, end = tree.leaf_range
    means: NDArray[np.float64] = (before[end] - before[start]) / tree.sizes
    return means


def _ordered(tree: Tree, key: NDArray[np.float64]) -> NDArray[np.int64]:
    """Position (n,) of each leaf if children are sorted from left to right by key (m,)."""
    children = np.lexsort((key[:-1], tree.parent[:-1]))
    before = np.cumsum(tree.sizes[children]) - tree.sizes[children]
    above = tree.parent[children]
    is_first = np.concatenate(([True], above[1:] != above[:-1]))[: children.size]
    start = np.zeros(tree.n_nodes, dtype=np.int64)
    start[children] = before - before[is_first][np.cumsum(is_first) - 1]
    # Sum up to the root; the distance doubles in each round.
    ancestor = tree.parent.copy()
    ancestor[-1] = tree.root
    while (ancestor != tree.root).any():
        start += start[ancestor]
        ancestor = ancestor[ancestor]
    return start[: tree.n]


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
    exceptions: Callable[[], Iterable[tuple[NDArray[np.int64], NDArray[np.int64]]]] = tuple
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
