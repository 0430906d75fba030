"""AL-rowsum: average linkage on the win rate of each pair of items."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hcbench import AllComparisons, Comparisons, Items, Oracle, Tree
from hcbench_quadruplets.linkage import tree_by_mean
from hcbench_quadruplets.pairs import net_wins, square, times_compared, warn_of_missing_items


def rowsum_average_linkage(oracle: Oracle, items: Items, _rng: np.random.Generator) -> Tree:
    """Average linkage on the mean win rate of each pair of items.

    A baseline that treats each pair separately, without clusters.

    Parameters
    ----------
    oracle : Oracle
        Of kind quadruplet-set or triplet-set.

    Returns
    -------
    Tree
        Kind ORDER; ``linkage`` is the mean rate over the two clusters of each merge. Ties as in
        `merge_by_mean`.

    Notes
    -----
    Usually O(m + n^2) time for m comparisons, O(n^2) memory.
    """
    comparisons: Comparisons | AllComparisons = oracle.read().unique()
    warn_of_missing_items(comparisons)
    return tree_by_mean(win_rates(comparisons), items.names)


def win_rates(comparisons: Comparisons | AllComparisons) -> NDArray[np.float64]:
    """(won - lost) / (won + lost) of the comparisons of each pair, in [-1, 1].

    0 for a pair that was never compared, as for one that wins as often as it loses.

    Parameters
    ----------
    comparisons : Comparisons or AllComparisons
        Each answer at most once.

    Returns
    -------
    (n, n) float64 array, symmetric
        The diagonal is undefined.
    """
    rate = net_wins(comparisons) / np.maximum(times_compared(comparisons), 1)
    return square(rate, comparisons.n)
