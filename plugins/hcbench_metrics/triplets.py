"""Agreement of two trees on triplets of items."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hcbench import NotApplicableError
from hcbench_metrics import _triplet_kernels
from hcbench_metrics._tree_kernels import arrays_of
from hcbench_metrics.node_sums import merged_pairs
from hcbench_metrics.truths import named_truth

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcbench import Scored, Tree

    Ints = NDArray[np.int64]


class TripletCounts(NamedTuple):
    """How two trees resolve the triplets of their leaves; exact integers."""

    triplets: int
    """The number of all triplets, n (n - 1) (n - 2) / 6."""
    resolved: int
    """Those that the first tree resolves: two of the three merge below the third."""
    true_resolved: int
    """Those that the second tree resolves."""
    alike: int
    """Resolved in both, with the same two merging first."""
    otherwise: int
    """Resolved in both, with different pairs merging first."""

    @property
    def unresolved(self) -> int:
        """Those whose three leaves merge at one node in both trees."""
        either = self.resolved + self.true_resolved - self.alike - self.otherwise
        return self.triplets - either


def triplet_agreement(scored: Scored, count: str = "all", truth: str | None = None) -> float:
    """Proportion of the triplets of items on which result and truth agree; higher is better.

    A tree resolves three items as ij|k if i and j merge below k, or leaves them unresolved if all
    merge at one node. With A the triplets resolved alike by both, D those resolved differently, E
    those that both leave unresolved, and R those that the truth resolves,

    ``all: (A + E) / (n (n-1) (n-2) / 6)``, ``resolved-in-truth: A / R``,
    ``resolved-in-both: A / (A + D)``

    (Brodal, Fagerberg, Mailund, Pedersen & Sand 2013, whose triplet distance is the number of
    triplets minus A + E.) Heights are ignored. The expectation for a random binary tree is 1/3 if
    the truth is binary; that of A / R is 1/3 for any truth.

    Parameters
    ----------
    scored : Scored
        The result must be a tree.
    count : {"all", "resolved-in-truth", "resolved-in-both"}
        Which triplets are counted. A binary result resolves all triplets, also those that a truth
        of label levels leaves unresolved; ``resolved-in-truth`` ignores these.
    truth : str, optional
        One of the problem's truths; the first by default.

    Returns
    -------
    float
        In [0, 1]. 1 exactly: for ``all``, if the trees are isomorphic; for ``resolved-in-truth``,
        if the result refines the truth. 0 if the result resolves no triplet like the truth.
        O(n log^2 n) time, O(n) memory; three times that if neither tree is binary.

    Raises
    ------
    NotApplicableError
        If the result is a partition, there is no such truth, there are fewer than three items or,
        unless all are counted, the truth resolves none.
    """
    counts = count_triplets(scored.tree, named_truth(scored.problem, truth))
    if counts.triplets == 0:
        raise NotApplicableError("a triplet needs at least three items")
    if count == "all":
        return (counts.alike + counts.unresolved) / counts.triplets
    if counts.true_resolved == 0:
        raise NotApplicableError("the truth resolves no triplet; use triplet-agreement[count=all]")
    if count == "resolved-in-truth":
        return counts.alike / counts.true_resolved
    return counts.alike / max(1, counts.alike + counts.otherwise)


def count_triplets(tree: Tree, truth: Tree) -> TripletCounts:
    """Count the triplets by how two trees over the same leaves resolve them.

    Parameters
    ----------
    tree, truth : Tree
        Trees over the same n leaves, of any degree.

    Returns
    -------
    TripletCounts
        O(n log^2 n) time, O(n) memory; exact up to two million leaves.
    """
    n = tree.n
    n_triplets = n * (n - 1) * (n - 2) // 6
    resolved = _resolved(tree)
    true_resolved = _resolved(truth)
    if resolved == 0 or true_resolved == 0:
        return TripletCounts(n_triplets, resolved, true_resolved, 0, 0)
    # The outer tree, whose leaves are coloured, has fewer leaves outside the largest children.
    outer, inner = sorted((tree, truth), key=_n_joining)
    components = _triplet_kernels.decompose(arrays_of(inner))
    alike = _count(outer, components, (0, 1, 2))
    if tree.is_binary or truth.is_binary:
        # One tree resolves all triplets, so what the other resolves is resolved in both.
        otherwise = resolved + true_resolved - n_triplets - alike
    else:
        otherwise = _count(outer, components, (0, 2, 1)) + _count(outer, components, (2, 1, 0))
    return TripletCounts(n_triplets, resolved, true_resolved, alike, otherwise)


def _count(outer: Tree, components: _triplet_kernels.Components, role: tuple[int, int, int]) -> int:
    """`_triplet_kernels.count_alike` of the components of the inner tree."""
    return int(_triplet_kernels.count_alike(arrays_of(outer), components, np.array(role)))


def _resolved(tree: Tree) -> int:
    """Triplets of which two merge at a node below the third."""
    return int(merged_pairs(tree) @ (tree.n - tree.sizes))


def _n_joining(tree: Tree) -> int:
    """Sum over nodes of the leaves that are not in their largest child."""
    largest: Ints = np.zeros(tree.n_nodes, dtype=np.int64)
    np.maximum.at(largest, tree.parent[:-1], tree.sizes[:-1])
    return int((tree.sizes - largest)[tree.n :].sum())
