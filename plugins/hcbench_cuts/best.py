"""BEST: the best cut in hindsight, with all labels known."""

from __future__ import annotations

import numpy as np

from hcbench import Items, Oracle, Partition
from hcbench.model import pair_weights
from hcbench_cuts.best_cuts import heaviest_within
from hcbench_cuts.given_tree import tree_of


def best(
    oracle: Oracle,
    items: Items,
    rng: np.random.Generator,
    *,
    K: int | None = None,  # noqa: N803
) -> Partition:
    """The cut that differs from the true clusters on the fewest pairs.

    BEST of Gentile et al. 2019, section 5: argmin d_H(Sigma, C(c)) over all cuts c; of several, the
    coarsest. It makes no queries.

    Parameters
    ----------
    items : Items
        With the hint ``clusters``, which defines Sigma.
    K : int, optional
        The maximum number of clusters; of equally good cuts, one with the fewest is returned.

    Returns
    -------
    Partition

    Notes
    -----
    O(n log n) for any number of clusters; with K, an additional O(n K) in a binary tree.
    """
    tree = tree_of(items)
    return heaviest_within(tree, pair_weights(tree, items.hints["clusters"]), K).partition
