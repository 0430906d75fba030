"""Cuts of a tree, which give partitions: among them the one with the best pairs.

A cut is made of nodes of a tree. `best_cut` agrees most with given clusters, `heaviest_cut` with
weights of pairs, and an `AnswerMatrix` has such weights from the answers of an oracle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hcbench.errors import InvalidPartitionError
from hcbench.model.trees import _kernels
from hcbench.model.trees._kernels import read_only
from hcbench.model.trees.arrays import checked_floats
from hcbench.model.trees.partition import Partition
from hcbench.model.trees.tree import Tree, partition_of_nodes

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


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

    Examples
    --------
    >>> tree = hcbench.Tree.from_linkage([[0, 1, 1, 2], [2, 3, 2, 2], [4, 5, 3, 4]])

    Node 4 joins the items 0 and 1:

    >>> cut = Cut(tree, [4, 2, 3])
    >>> cut.partition.labels.tolist()
    [0, 0, 1, 2]
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
        return partition_of_nodes(self.tree, self.nodes)

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
        if nodes.size == 0:
            wrong = "none"
        elif nodes[0] < 0:
            wrong = str(nodes[0])
        else:
            wrong = str(nodes[-1])
        raise InvalidPartitionError(
            f"the nodes of a cut must be in 0..{tree.n_nodes - 1} and at least one, got {wrong}"
        )
    # From left to right, each node must begin where the one before it ends. Of nodes that begin
    # with the same leaf, the highest comes first, so that an ancestor is before its descendants.
    start, end = tree.leaf_range
    in_leaf_order = nodes[np.lexsort((-nodes, start[nodes]))]
    expected = np.concatenate(([0], end[in_leaf_order]))
    begins = np.concatenate((start[in_leaf_order], [tree.n]))
    wrong_positions = np.flatnonzero(begins != expected)
    if wrong_positions.size == 0:
        return
    at = wrong_positions[0]
    if begins[at] < expected[at]:
        raise InvalidPartitionError(
            f"nodes {in_leaf_order[at - 1]} and {in_leaf_order[at]} of the cut share leaf "
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

    Examples
    --------
    >>> tree = hcbench.Tree.from_newick("((a,b),(c,d));")
    >>> best_cut(tree, hcbench.Partition([0, 0, 1, 2])).partition.labels.tolist()
    [0, 0, 1, 2]

    Only the root has both a and c below it, and this cluster would be too large:

    >>> best_cut(tree, hcbench.Partition([0, 1, 0, 2])).partition.labels.tolist()
    [0, 1, 2, 3]
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

    Examples
    --------
    >>> tree = hcbench.Tree.from_linkage([[0, 1, 1, 2], [2, 3, 2, 2], [4, 5, 3, 4]])

    Node 4 joins the items 0 and 1, which belong together; node 5 joins 2 and 3, which do not:

    >>> heaviest_cut(tree, [0, 0, 0, 0, 1, -1, -4]).partition.labels.tolist()
    [0, 0, 1, 2]
    """
    weight_at = checked_floats(weights, tree.n_nodes, "weights").copy()
    weight_at[: tree.n] = 0.0
    excess = _kernels.excesses(tree.parent, read_only(weight_at))
    nodes = _kernels.highest_whole(tree.parent, read_only(excess))
    return Cut(tree, nodes)


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

    Examples
    --------
    >>> tree = hcbench.Tree.from_linkage([[0, 1, 1, 2], [2, 3, 2, 2], [4, 5, 3, 4]])

    Only the items 0 and 1, which node 4 joins, are in one cluster:

    >>> pair_weights(tree, hcbench.Partition([0, 0, 1, 2])).tolist()
    [0.0, 0.0, 0.0, 0.0, 1.0, -1.0, -4.0]
    """
    if clusters.n != tree.n:
        raise InvalidPartitionError(
            f"clusters of {clusters.n} items do not fit a tree of {tree.n} leaves"
        )
    if clusters.names is not None and tree.names is not None:
        clusters = clusters.matched_with(tree.named_items("the tree"))
    # Items by cluster, and within a cluster from left to right in the tree.
    items = tree.leaf_order[np.argsort(clusters.labels[tree.leaf_order], kind="stable")]
    has_next = np.diff(clusters.labels[items]) == 0
    joins = np.full(tree.n, -1)
    joins[:-1][has_next] = tree.lca(items[:-1][has_next], items[1:][has_next])
    joined = _kernels.pairs_joined(tree.parent, read_only(joins))
    # All pairs whose lowest common ancestor a node is: those below it without those below a child.
    pairs_below = tree.sizes * (tree.sizes - 1) // 2
    below_children = np.bincount(tree.parent[:-1], pairs_below[:-1], tree.n_nodes)
    return 2.0 * joined - (pairs_below - below_children)


@dataclass(frozen=True, slots=True, eq=False)
class AnswerMatrix:
    """Which items belong together according to the answers: clusters, with exceptions.

    Attributes
    ----------
    clusters : Partition
        The clusters without noise; one for each item if the answers are not based on clusters.
    exceptions : callable
        Yields blocks of pairs ``(i, j)``, two (m,) int64 arrays of different items: each pair once
        whose answer contradicts the clusters.
    noise : float
        Probability that an answer is wrong, independently each time.

    Examples
    --------
    >>> clusters = hcbench.Partition([0, 0, 1, 1])
    >>> one_exception = (np.array([1]), np.array([2]))
    >>> answers = AnswerMatrix(clusters, exceptions=lambda: [one_exception])
    >>> float(answers.disagreements(clusters))
    1.0
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
            agrees = together == (partition.labels[i] == partition.labels[j])
            # The answer is the opposite: pairs that agree with the clusters are disagreements, and
            # the others, which were counted above, are none.
            without_noise += 2 * int(agrees.sum()) - i.size
        pairs = partition.n * (partition.n - 1) // 2
        return without_noise * (1.0 - self.noise) + (pairs - without_noise) * self.noise

    def pair_weights(self, tree: Tree) -> NDArray[np.float64]:
        """Pairs that are together minus those apart, in expectation, by lowest common ancestor.

        The weights (m,) of `heaviest_cut` for the cut with the fewest `disagreements`.
        O(n log n) and O(1) for each exception.

        Raises
        ------
        InvalidPartitionError
            If the tree has another number of items.
        """
        weights = pair_weights(tree, self.clusters)
        for i, j in self.exceptions():
            signs = np.where(self.clusters.labels[i] == self.clusters.labels[j], 1.0, -1.0)
            # Take back what the clusters say of these pairs, and add the opposite.
            weights -= 2.0 * np.bincount(tree.lca(i, j), signs, tree.n_nodes)
        return weights * (1.0 - 2.0 * self.noise)
