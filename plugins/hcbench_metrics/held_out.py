"""How well a tree predicts answers that were held out, where there is no truth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hcbench import HeightKind, NotApplicableError
from hcbench.model import pair_items

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcbench import Scored, Tree


def held_out(scored: Scored) -> dict[str, float]:
    """Shares of held-out answers that a tree satisfies, contradicts, or says nothing about.

    An answer ``w_ij > w_kl`` is satisfied if i and j merge before k and l, contradicted if they
    merge after them, and otherwise the tree is silent. ``satisfied`` is the proportion of triplets
    that hold of Ghoshdastidar et al. 2019 and of the embeddings of van der Maaten & Weinberger
    2012, for a tree: of a triplet of i, j, k it needs i and j to merge before k joins them. A
    uniformly random binary tree satisfies one of three triplets.

    Pairs merge at the heights of the tree (`Tree.envelope` if they are not monotone); equal heights
    say nothing. Without heights, only a merge inside another one comes before it.

    Parameters
    ----------
    scored : Scored
        The result is a tree, and the problem has ``held_out`` comparisons.

    Returns
    -------
    dict of str to float
        satisfied, contradicted and silent, which sum to 1. O(m) time and memory for m answers, and
        O(n log n) for the common ancestors.

    Raises
    ------
    NotApplicableError
        If no answers are held out.
    """
    tree = scored.tree
    answers = scored.problem.held_out
    if answers is None or not len(answers):
        raise NotApplicableError("no answers are held out; a file takes held_out=0.2")
    closer = pair_items(answers.closer, tree.n)
    farther = pair_items(answers.farther, tree.n)
    order = _order_of_merges(tree, closer, farther)
    return {
        "satisfied": float((order < 0).mean()),
        "contradicted": float((order > 0).mean()),
        "silent": float((order == 0).mean()),
    }


_Pairs = tuple["NDArray[np.int64]", "NDArray[np.int64]"]


def _order_of_merges(tree: Tree, closer: _Pairs, farther: _Pairs) -> NDArray[np.int8]:
    """-1 where the closer pair merges first (m,), 1 where the farther one does, else 0."""
    i, j = closer
    k, l = farther  # noqa: E741
    near = tree.lca(i, j)
    far = tree.lca(k, l)
    if tree.kind is not HeightKind.NONE:
        difference = tree.envelope[near] - tree.envelope[far]
        if tree.kind is HeightKind.AFFINITY:  # heights grow towards the leaves
            difference = -difference
        return np.sign(difference).astype(np.int8)
    # A node is inside another one if both are ancestors of one leaf; the outer has the larger id.
    common = tree.lca(i, k)
    is_inside = (near < far) & (common <= far)
    has_inside = (far < near) & (common <= near)
    return has_inside.astype(np.int8) - is_inside.astype(np.int8)
