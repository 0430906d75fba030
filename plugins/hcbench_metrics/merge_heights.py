"""Differences of the heights at which pairs merge from the true ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hcbench import HeightKind, NotApplicableError
from hcbench_metrics import _kernels
from hcbench_metrics._tree_kernels import arrays_of
from hcbench_metrics.truths import named_truth

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcbench import Scored, Tree

#: Violations of the order of heights up to this fraction are taken for rounding errors.
_ROUNDING = 1e-12


def merge_distortion(scored: Scored, truth: str | None = None) -> float:
    """Largest difference of a pair's merge heights in result and truth; lower is better.

    ``max over i != j of |m'(i, j) - m(i, j)|``, where m(i, j) is the height of the lowest common
    ancestor (Eldridge et al. 2015; Gray et al. 2023, section 3.1 and equation 5). Heights of leaves
    are ignored, tied heights need no rule, and equal heights, also infinite ones, differ by 0. One
    item: 0; two items: the difference of the roots.

    Parameters
    ----------
    scored : Scored
        The result must be a tree whose heights are affinities; the truth's must be affinities too.
    truth : str, optional
        One of the problem's truths; the first by default.

    Returns
    -------
    float
        In units of the heights. O(n log n) time and memory for monotone heights: m' - m is largest,
        for pairs below a node v of the result, where m is the height of the truth's lowest common
        ancestor of all of v's leaves; and m - m' likewise. Otherwise O(n^2) time, O(n) memory.

    Raises
    ------
    NotApplicableError
        If the result is a partition, there is no such truth, or the heights of either tree are not
        affinities.
    """
    tree = scored.tree
    true = named_truth(scored.problem, truth)
    height = _affinities(tree, "the result's")
    true_height = _affinities(true, "the truth's")
    if tree.n == 1:
        return 0.0
    # A pair below a node of monotone heights merges at least as high as that node (affinities).
    if is_monotone(tree, height) and is_monotone(true, true_height):
        return max(
            _largest_excess(tree, height, true, true_height),
            _largest_excess(true, true_height, tree, height),
        )
    largest: float = _kernels.largest_difference(
        arrays_of(tree), height, arrays_of(true), true_height
    )
    return largest


def _affinities(tree: Tree, owner: str) -> NDArray[np.float64]:
    if tree.height is not None and tree.kind is HeightKind.AFFINITY:
        return tree.height
    has = {HeightKind.DISTANCE: "are distances", HeightKind.ORDER: "are only an order of merging"}
    raise NotApplicableError(
        f"merge distortion needs merge heights that are affinities; {owner} heights "
        f"{has.get(tree.kind, 'are missing')}"
    )


def is_monotone(tree: Tree, height: NDArray[np.float64]) -> bool:
    """Whether no inner node's height is below its parent's, up to rounding."""
    inner = slice(tree.n, -1)  # without the root
    above = height[tree.parent[inner]]
    # Infinite heights have no rounding to allow for.
    slack = _ROUNDING * np.abs(np.where(np.isfinite(above), above, 0.0))
    return bool((height[inner] >= above - slack).all())


def _largest_excess(
    tree: Tree, height: NDArray[np.float64], second: Tree, second_height: NDArray[np.float64]
) -> float:
    """Largest height of a pair's merge in a tree above that in a second one, both monotone."""
    first, last = _kernels.range_of_leaves(tree.parent, second.leaf_range[0][: tree.n])
    # In the second tree, all leaves of a node are below the ancestor of the outermost ones.
    first_leaf = second.leaf_order[first[tree.n :]]
    last_leaf = second.leaf_order[last[tree.n :]]
    lowest = second_height[second.lca(first_leaf, last_leaf)]
    node_height = height[tree.n :]
    excess = np.zeros(node_height.size)
    # The difference of equal infinite heights would be NaN.
    np.subtract(node_height, lowest, out=excess, where=node_height != lowest)
    return float(excess.max())
