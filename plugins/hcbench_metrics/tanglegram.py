"""Distance of the positions of each leaf in the two trees of a tanglegram."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hcbench import NotApplicableError
from hcbench.model import facing_orders
from hcbench_metrics.truths import named_truth

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcbench import Scored


def entanglement(scored: Scored, L: float = 1.5, truth: str | None = None) -> float:  # noqa: N803
    """Distance of the positions of each leaf in a tanglegram of result and truth.

    ``sum |x_i - y_i|^L / sum |i - (n + 1 - i)|^L``; lower is better. x and y are the positions of
    the leaves in both trees, 1 to n, as in dendextend (Galili 2015): 0 if the orders are equal, 1
    if one is the reverse of the other, the worst case for L >= 1. It depends on the layout: here
    that of `hcbench.model.facing_orders`, whatever the order of children in the trees.

    Parameters
    ----------
    scored : Scored
        The result must be a tree. Heights are ignored.
    L : float
        The exponent, above 0. Below 1, small differences count almost as much as large ones, and
        the reverse order is not the worst case.
    truth : str, optional
        One of the problem's truths; the first by default.

    Returns
    -------
    float
        In [0, 1] for L >= 1; 0 if one tree refines the other, as for two items. An upper bound of
        the value of the best layout. Time and memory as `facing_orders`.

    Raises
    ------
    NotApplicableError
        If the result is a partition, there is no such truth, or there is only one item.
    """
    tree = scored.tree
    true = named_truth(scored.problem, truth)
    if tree.n < 2:
        raise NotApplicableError("entanglement is not defined for a single item")
    order, true_order = facing_orders(tree, true)
    # The largest distance for L >= 1: one order is the reverse of the other.
    straight = np.arange(tree.n)
    distance = _distance(np.argsort(order), np.argsort(true_order), L)
    return distance / _distance(straight, straight[::-1], L)


def _distance(x: NDArray[np.int64], y: NDArray[np.int64], exponent: float) -> float:
    """Sum of ``(|x - y| / n)^L``: divided by n, so that a large exponent does not overflow."""
    return float(((np.abs(x - y) / x.size) ** exponent).sum())
