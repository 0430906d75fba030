"""The best cut of a tree for signed weights of pairs, into any number of clusters or at most K."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hcbench import Tree
from hcbench.model import Cut, heaviest_cut
from hcbench_cuts._cut_kernels import has_inside

Untouched = Literal["apart", "together"]


def heaviest_within(tree: Tree, own: NDArray[np.float64], K: int | None = None) -> Cut:  # noqa: N803
    """The cut of largest gain; of several, the coarsest or, with K, one with the fewest clusters.

    Parameters
    ----------
    tree : Tree
    own : (m,) float64
        The weights, as in `hcbench.model.heaviest_cut`, which this function is without K.
    K : int, optional
        The maximum number of clusters. O(n K) time and memory in a binary tree; without K, O(n).
    """
    if K is not None:
        # Imported even where K does not bind, so that a warm-up on a few items imports it.
        from hcbench_cuts.bounded_cuts import best_bounded_cut

        if tree.n > K:
            return best_bounded_cut(tree, own, K)
    return heaviest_cut(tree, own)


def split_untouched(cut: Cut, asked: NDArray[np.bool_]) -> Cut:
    """The cut with clusters none of whose pairs was queried split into their items. O(m).

    Parameters
    ----------
    cut : Cut
    asked : (m,) bool
        Whether a pair with this lowest common ancestor was queried.
    """
    tree = cut.tree
    kept = (cut.nodes < tree.n) | has_inside(tree.parent, asked)[cut.nodes]
    return Cut(tree, np.concatenate([cut.nodes[kept], *map(tree.leaves, cut.nodes[~kept])]))
