"""Agreement of the cuts of two trees into k clusters, for every k."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hcbench import NotApplicableError
from hcbench_metrics import _curve_kernels
from hcbench_metrics._tree_kernels import arrays_of
from hcbench_metrics.node_sums import pairs_within
from hcbench_metrics.truths import named_truth

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcbench import Scored, Tree


@dataclass(frozen=True, slots=True, eq=False)
class FowlkesMallowsCurve:
    """The curve of B_k for k = 2, ..., n - 1, of Fowlkes & Mallows (1983).

    Attributes
    ----------
    k : (n - 2,) int array
        Numbers of clusters.
    value : (n - 2,) array
        B_k, in [0, 1].
    expected : (n - 2,) array
        Its expectation for clusters of these sizes if the items are shuffled:
        ``sqrt(P_k Q_k) / (n (n - 1) / 2)``.
    """

    k: NDArray[np.int64]
    value: NDArray[np.float64]
    expected: NDArray[np.float64]


def fowlkes_mallows(scored: Scored, k: int | None = None, truth: str | None = None) -> float:
    """Fowlkes and Mallows' B_k between cuts into k clusters, or its mean over k; higher is better.

    ``B_k = T_k / sqrt(P_k Q_k)``, where the cut of the result into k clusters puts P_k pairs of
    items together, that of the truth Q_k, and both T_k (Fowlkes & Mallows 1983). If neither puts
    any items together, the cuts are equal and B_k = 1; if only one does, B_k = 0. Without ``k``,
    the mean over k = 2, ..., n - 1.

    The cuts are those of `Tree.cut`, also for ties and trees without heights; trees with different
    ties may have B_k < 1. If a tree that is not binary has no cut into k clusters, the next larger
    number is used: a truth of label levels has only a few distinct cuts.

    Parameters
    ----------
    scored : Scored
        The result must be a tree.
    k : int, optional
        Number of clusters, from 2 to n - 1.
    truth : str, optional
        One of the problem's truths; the first by default.

    Returns
    -------
    float
        In [0, 1]. O(n log n) time and O(n) memory, also for the whole curve.

    Raises
    ------
    NotApplicableError
        If the result is a partition, there is no such truth, or there are at most k items, or fewer
        than three.
    """
    tree = scored.tree
    true = named_truth(scored.problem, truth)
    if k is None:
        if tree.n < 3:
            raise NotApplicableError(f"the curve of B_k needs three items; there are {tree.n}")
        return float(curve(tree, true).value.mean())
    if k >= tree.n:
        raise NotApplicableError(f"B_k needs more than k = {k} items; there are {tree.n}")
    cut = tree.cut(k)
    true_cut = true.cut(k)
    index = _index(
        np.array([pairs_within(cut.overlaps(true_cut))]),
        np.array([pairs_within(cut.sizes)]),
        np.array([pairs_within(true_cut.sizes)]),
    )
    return float(index[0])


def curve(tree: Tree, truth: Tree) -> FowlkesMallowsCurve:
    """B_k between the cuts of two trees for all k, as `fowlkes_mallows` defines it.

    Parameters
    ----------
    tree, truth : Tree
        Trees over the same n leaves.

    Returns
    -------
    FowlkesMallowsCurve
        Empty for n < 3. O(n log n) expected time, O(n) memory; see `_curve_kernels.pairs_together`.
    """
    n = tree.n
    pairs = _curve_kernels.pairs_together(
        arrays_of(tree), _merges(tree), arrays_of(truth), _merges(truth)
    )
    # Cuts into one cluster and into n say nothing.
    by_tree, by_truth, together = pairs[:, 2:n]
    all_pairs = max(1, n * (n - 1) / 2)
    return FowlkesMallowsCurve(
        k=np.arange(2, max(2, n)),
        value=_index(together, by_tree, by_truth),
        expected=np.sqrt(by_tree.astype(np.float64) * by_truth) / all_pairs,
    )


def _merges(tree: Tree) -> NDArray[np.int64]:
    """Inner nodes from the first to be merged to the last."""
    return tree.split_order[::-1].copy()


def _index(
    together: NDArray[np.int64], by_tree: NDArray[np.int64], by_truth: NDArray[np.int64]
) -> NDArray[np.float64]:
    product = by_tree.astype(np.float64) * by_truth
    # Where a cut has no pair, 1 if neither cut has any, else 0.
    index: NDArray[np.float64] = (by_tree == by_truth).astype(np.float64)
    np.divide(together, np.sqrt(product), out=index, where=product > 0)
    return index
