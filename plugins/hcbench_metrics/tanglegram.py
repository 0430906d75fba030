"""How far leaves are from their partners when two trees are drawn face to face."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hcbench import NotApplicableError, facing_orders
from hcbench_metrics.truths import named_truth

if TYPE_CHECKING:
    from hcbench import Scored


def entanglement(scored: Scored, L: float = 1.5, truth: str | None = None) -> float:  # noqa: N803
    """How far leaves are from their partners when result and truth are drawn face to face.

    ``sum |x_i - y_i|^L / sum |i - (n + 1 - i)|^L``; lower is better. x and y are the places of the
    leaves in both trees, 1 to n, as dendextend has it (Galili 2015): 0 where the orders are equal,
    1 where the one is the reverse of the other, the worst case for L >= 1. It depends on how the
    trees are drawn: here by `hcbench.facing_orders`, which orders children, not as the trees come.

    Parameters
    ----------
    scored : Scored
        The result must be a tree. Heights do not matter, the tree's shape alone does.
    L : float
        The exponent, more than 0. Below 1, small differences count almost as much as large ones,
        and the reverse is not the worst case.
    truth : str, optional
        One of the problem's truths; the first by default.

    Returns
    -------
    float
        In [0, 1] for L >= 1; 0 if one tree refines the other, so for two items. An upper bound of
        what the best layout has. Time and memory as `facing_orders`.

    Raises
    ------
    NotApplicableError
        If the result is a partition, there is no such truth, or there is one item, without a worst
        case.
    """
    tree, true = scored.tree, named_truth(scored.problem, truth)
    if tree.n < 2:
        raise NotApplicableError("one item is in its place whatever the trees; nothing entangles")
    x, y = (np.argsort(order) for order in facing_orders(tree, true))
    straight = np.arange(tree.n)
    # Scaled by n, lest a large exponent overflow.
    found, worst = (
        float(((np.abs(a - b) / tree.n) ** L).sum())
        for a, b in ((x, y), (straight, straight[::-1]))
    )
    return found / worst
