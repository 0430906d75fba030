"""The best cut of a tree, for true clusters or for any signed weights of pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hcbench.errors import InvalidPartitionError
from hcbench.model.trees import _cut_kernels
from hcbench.model.trees._kernels import read_only
from hcbench.model.trees.parents import checked_floats
from hcbench.model.trees.partition import Cut

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from hcbench.model.trees.partition import Partition
    from hcbench.model.trees.tree import Tree


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
    x = _cut_kernels.excesses(tree.parent, read_only(own))
    return Cut(tree, _cut_kernels.highest_whole(tree.parent, read_only(x)))


def pair_weights(tree: Tree, clusters: Partition) -> NDArray[np.float64]:
    """Pairs of one cluster minus pairs of two, by the node that is their lowest common ancestor.

    Parameters
    ----------
    tree : Tree
    clusters : Partition
        Of the leaves.

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
    items = tree.leaf_order[np.argsort(clusters.labels[tree.leaf_order], kind="stable")]
    joins = np.full(tree.n, -1)
    goes_on = np.diff(clusters.labels[items]) == 0
    joins[:-1][goes_on] = tree.lca(items[:-1][goes_on], items[1:][goes_on])
    all_pairs = tree.sizes * (tree.sizes - 1) // 2
    split = np.bincount(tree.parent[:-1], all_pairs[:-1], tree.n_nodes)
    joined = _cut_kernels.pairs_joined(tree.parent, read_only(joins))
    return 2.0 * joined - (all_pairs - split)
