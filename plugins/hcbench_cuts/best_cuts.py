"""The best cut of a tree for signed weights of pairs, into any number of clusters or at most K."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hcbench import Tree
from hcbench.model import Cut, heaviest_cut
from hcbench_cuts._cut_kernels import has_inside

Untouched = Literal["apart", "together"]


def heaviest_within(
    tree: Tree,
    weights: NDArray[np.float64],
    K: int | None = None,  # noqa: N803
) -> Cut:
    """The cut of largest gain; of several, the coarsest or, with K, one with the fewest clusters.

    Parameters
    ----------
    tree : Tree
    weights : (m,) float64
        Sums of weights of pairs by their lowest common ancestor, as `hcbench.model.heaviest_cut`
        takes them, which makes the cut if K is not given.
    K : int, optional
        The maximum number of clusters. O(n K) time and memory in a binary tree; without K, O(n).
    """
    if K is not None:
        # Imported even where K does not bind, so that a warm-up on a few items imports it.
        from hcbench_cuts.bounded_cuts import best_bounded_cut

        if tree.n > K:
            return best_bounded_cut(tree, weights, K)
    return heaviest_cut(tree, weights)


def split_untouched(cut: Cut, queried: NDArray[np.bool_]) -> Cut:
    """The cut with clusters none of whose pairs was queried split into their items. O(m).

    Parameters
    ----------
    cut : Cut
    queried : (m,) bool
        Whether a pair with this lowest common ancestor was queried.
    """
    tree = cut.tree
    has_queried_pair = has_inside(tree.parent, queried)
    is_kept = (cut.nodes < tree.n) | has_queried_pair[cut.nodes]
    parts = [cut.nodes[is_kept]]
    for v in cut.nodes[~is_kept]:
        parts.append(tree.leaves(v))
    return Cut(tree, np.concatenate(parts))
