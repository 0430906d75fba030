"""Agreement of the cuts of two trees into k clusters, for every k."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hcbench import NotApplicableError
from hcbench_metrics import _curve_kernels
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
    tree, true = scored.tree, named_truth(scored.problem, truth)
    if k is None:
        if tree.n < 3:
            raise NotApplicableError(f"the curve of B_k needs three items; there are {tree.n}")
        return float(curve(tree, true).value.mean())
    if k >= tree.n:
        raise NotApplicableError(f"B_k needs more than k = {k} items; there are {tree.n}")
    one, other = tree.cut(k).labels, true.cut(k).labels
    both = one * (int(other.max()) + 1) + other
    together, by_one, by_other = (_pairs(labels) for labels in (both, one, other))
    return float(_index(together, by_one, by_other)[0])


def curve(tree: Tree, other: Tree) -> FowlkesMallowsCurve:
    """B_k between the cuts of two trees for all k, as `fowlkes_mallows` defines it.

    Parameters
    ----------
    tree, other : Tree
        Trees over the same n leaves.

    Returns
    -------
    FowlkesMallowsCurve
        Empty for n < 3. O(n log n) expected time, O(n) memory; see `_curve_kernels.pairs_together`.
    """
    arrays = [
        (*t.leaf_range, t.leaf_order, *t.children_csr, t.split_order[::-1].copy())
        for t in (tree, other)
    ]
    n = tree.n
    by_one, by_other, together = _curve_kernels.pairs_together(*arrays[0], *arrays[1])[:, 2:n]
    expected = np.sqrt(by_one.astype(np.float64) * by_other) / max(1, n * (n - 1) / 2)
    return FowlkesMallowsCurve(
        np.arange(2, max(2, n)), _index(together, by_one, by_other), expected
    )


def _index(
    together: NDArray[np.int64], by_one: NDArray[np.int64], by_other: NDArray[np.int64]
) -> NDArray[np.float64]:
    product = by_one.astype(np.float64) * by_other
    # The value where a cut has no pair.
    index: NDArray[np.float64] = (by_one == by_other).astype(np.float64)
    np.divide(together, np.sqrt(product), out=index, where=product > 0)
    return index


def _pairs(labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number of pairs of equal labels, (1,)."""
    _, sizes = np.unique(labels, return_counts=True)
    return np.array([(sizes * (sizes - 1) // 2).sum()])
