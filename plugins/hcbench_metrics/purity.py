"""Purity of the clusters in which items of one true class merge."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from hcbench import NotApplicableError, Tree, finest_partition
from hcbench_metrics import _purity_kernels
from hcbench_metrics._tree_kernels import arrays_of
from hcbench_metrics.node_sums import pairs_within
from hcbench_metrics.truths import named_truth

if TYPE_CHECKING:
    from hcbench import Partition, Problem, Scored


def dendrogram_purity(scored: Scored, ties: str = "one-merge", truth: str | None = None) -> float:
    """Mean purity of the clusters in which two items of one class merge; higher is better.

    ``1 / |P| sum over {i, j} in P of |leaves(lca(i, j)) of their class| / |leaves(lca(i, j))|``

    where P are the unordered pairs of items of one class (Heller & Ghahramani 2005; Kobren et al.
    2017). Classes are the finest label level or, for a truth without labels, the clusters at its
    bottom: the leaves of a node that has no other children. 1 exactly if every class is a node of
    the result, or all leaves below one node are of one class; a class of a single item has no
    pairs.

    Parameters
    ----------
    scored : Scored
        The result must be a tree. Heights are used for ``ties`` alone.
    ties : {"one-merge", "expected"}
        ``one-merge``: a node of several children is one merge, and inner nodes of equal heights
        are separate merges. ``expected``: inner nodes of their parent's height are united with it,
        and if d > 2 clusters merge at once, the expectation over all orders of random pairwise
        merges is used. Two of the clusters then meet in a cluster of s of them with probability
        2 / (3 (d - 1)) for 2 <= s < d and (d + 1) / (3 (d - 1)) for s = d, with s - 2 others drawn
        at random. It has a closed form if all d clusters have the same size t, such as leaves:
        ``sum of a (n_a + n_b) / t + (1 - 2 a) / (d - 2) (N - n_a - n_b) / t`` over the n_a n_b
        pairs of two clusters that have n_a and n_b leaves of the class, all together N, with
        ``a = E[1 / s]``; or if all their leaves are of one class, or no two clusters share a class.
    truth : str, optional
        One of the problem's truths; the first by default.

    Returns
    -------
    float
        In [0, 1]. O(n log n) time and O(n) memory for any number of classes.

    Raises
    ------
    NotApplicableError
        If the result is a partition, there is no such truth, or no class has two items; with
        ``ties=expected``, if clusters of several sizes and classes merge at once.
    """
    tree = scored.tree
    classes = true_classes(scored.problem, truth)
    n_pairs = pairs_within(classes.sizes)
    if n_pairs == 0:
        raise NotApplicableError("every true class is a single item; purity needs two of one class")
    if ties == "expected":
        if tree.height is not None:
            tree = tree.collapse_ties()
        weights = _expected_weights(tree)
    else:
        # All leaves of the merged cluster count alike.
        share = 1 / tree.sizes
        weights = _purity_kernels.Weights(first=share, rest=share)
    total = _purity_kernels.sum_of_purities(
        arrays_of(tree), classes.labels, classes.n_clusters, weights
    )
    if np.isnan(total):
        raise NotApplicableError(
            "three or more clusters of different sizes merge at once, and their expected purity "
            "has no closed form; use dendrogram-purity[ties=one-merge]"
        )
    return min(1.0, total / n_pairs)  # rounding


def true_classes(problem: Problem, name: str | None) -> Partition:
    """The finest label level or, for a truth without labels, the clusters at its bottom.

    See `hcbench.finest_partition`.
    """
    true = named_truth(problem, name)
    levels = problem.levels
    # The labels are those of the only truth, or of a named one that is the tree of the labels.
    if name is None and len(problem.truths) < 2:
        return finest_partition(problem)
    if levels is not None and true.isomorphic(Tree.from_levels(levels, true.names)):
        return finest_partition(problem)
    return finest_partition(replace(problem, truths={"true": true}, levels=None))


def _expected_weights(tree: Tree) -> _purity_kernels.Weights:
    """Weights of leaves in the expectation over random orders of pairwise merges.

    NaN where there is no closed form: three or more clusters of different sizes.
    """
    n_children = np.diff(tree.child_offsets)
    # The size of a child; of a node whose children have different sizes it has no meaning.
    size = np.ones(tree.n_nodes, dtype=np.int64)
    np.floor_divide(tree.sizes, n_children, out=size, where=n_children > 0)
    above = tree.parent[:-1]
    is_odd_child = (n_children[above] > 2) & (tree.sizes[:-1] != size[above])
    is_uneven = np.zeros(tree.n_nodes, dtype=np.bool_)
    is_uneven[above[is_odd_child]] = True
    # E[1 / s] of the size s, in clusters, of the cluster in which two of d clusters meet.
    most_children = max(2, n_children.max(initial=2))
    harmonic = np.concatenate(([0.0], np.cumsum(1 / np.arange(1, most_children))))
    is_inner = n_children >= 2
    d = n_children[is_inner]
    first = np.zeros(tree.n_nodes)
    first[is_inner] = (2 * (harmonic[d - 1] - 1) + (d + 1) / d) / (3 * (d - 1))
    rest = np.zeros(tree.n_nodes)
    np.divide(1 - 2 * first, n_children - 2, out=rest, where=n_children > 2)
    first /= size
    rest /= size
    # Two clusters meet in all of the node; their sizes need not be equal.
    is_binary = n_children == 2
    first[is_binary] = 1 / tree.sizes[is_binary]
    rest[is_binary] = 1 / tree.sizes[is_binary]
    first[is_uneven] = np.nan
    return _purity_kernels.Weights(first=first, rest=rest)
