"""The best cut of a tree for signed weights of pairs, and the weights that labels give."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hcbench import Cut, Partition, Tree
from hcbench_cuts._count_kernels import pairs_joined
from hcbench_cuts._erm_kernels import best_whole, excesses


def best_cut(tree: Tree, own: NDArray[np.float64], K: int | None = None) -> Cut:  # noqa: N803
    """The cut that gains the most; the coarsest of them, or one with the fewest clusters.

    Parameters
    ----------
    tree : Tree
    own : (m,) float64
        Weight of the pairs whose lowest common ancestor is each node: positive where they belong
        together, negative where not.
    K : int, optional
        The most clusters. O(n K) time and memory in a binary tree; without it O(n).
    """
    if K is not None:
        # Imported even where K is no bound, so that a warm-up on a few items imports it.
        from hcbench_cuts.bounded_cuts import best_bounded_cut

        if tree.n > K:
            return best_bounded_cut(tree, own, K)
    return Cut(tree, best_whole(tree.parent, excesses(tree.parent, own)))


def weights_of_labels(tree: Tree, clusters: Partition) -> NDArray[np.float64]:
    """Pairs of one cluster minus pairs of two, (m,), by their lowest common ancestor.

    O(n log n), however many clusters there are.
    """
    items = tree.leaf_order[np.argsort(clusters.labels[tree.leaf_order], kind="stable")]
    joins = np.full(tree.n, -1)
    goes_on = np.diff(clusters.labels[items]) == 0
    joins[:-1][goes_on] = tree.lca(items[:-1][goes_on], items[1:][goes_on])
    all_pairs = tree.sizes * (tree.sizes - 1) // 2
    split = np.bincount(tree.parent[:-1], all_pairs[:-1], tree.n_nodes)
    return 2.0 * pairs_joined(tree.parent, joins) - (all_pairs - split)
