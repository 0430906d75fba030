"""Statistics of comparisons for each pair of items, and items without comparisons."""

from __future__ import annotations

import warnings
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from hcbench import AllComparisons, Comparisons, ModelWarning, NotApplicableError

Number = TypeVar("Number", np.int64, np.float64)

MAX_ITEMS = 65_536
"""Pairs of more items than this do not fit into 31 bits."""
NAMED = 5  # maximum number of items listed in a warning


def check_size(n: int, name: str) -> None:
    """Raise an error if an algorithm cannot number the pairs of n items."""
    if n > MAX_ITEMS:
        raise NotApplicableError(
            f"{name} uses all n(n-1)/2 pairs: at most {MAX_ITEMS} items, got {n}; use a subset of "
            "them"
        )


def net_wins(comparisons: Comparisons | AllComparisons) -> NDArray[np.int64]:
    """Row sums of S (M,): pairs farther than this one, minus pairs closer. O(m), or O(M).

    A repeated answer counts each time; opposite ones cancel.
    """
    if isinstance(comparisons, AllComparisons):
        level, _ = pair_levels(comparisons)
        return level - level.size
    return comparisons.times_closer() - comparisons.times_farther()


def times_compared(comparisons: Comparisons | AllComparisons) -> NDArray[np.int64]:
    """The number of answers about each pair (M,). O(m), or O(M)."""
    if isinstance(comparisons, AllComparisons):
        _, tied = pair_levels(comparisons)
        return tied.size - tied
    return comparisons.times_closer() + comparisons.times_farther()


def pair_levels(comparisons: AllComparisons) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each pair (M,): pairs below plus pairs below or equal; and the number equal to it."""
    sizes = np.bincount(comparisons.rank)
    up_to = np.cumsum(sizes)
    level = 2 * up_to - sizes
    return level[comparisons.rank], sizes[comparisons.rank]


def square(values: NDArray[Number], n: int) -> NDArray[Number]:
    """The symmetric (n, n) matrix of values of pairs in condensed order; 0 on the diagonal."""
    matrix: NDArray[Number] = np.zeros((n, n), values.dtype)
    matrix[np.triu_indices(n, 1)] = values
    return matrix + matrix.T


def only_triplets(comparisons: Comparisons) -> Comparisons:
    """The comparisons whose two pairs share an item. O(m).

    Raises
    ------
    NotApplicableError
        If there are comparisons, and none of them shares an item.
    """
    triplets = comparisons.only_triplets()
    if len(comparisons) and not len(triplets):
        raise NotApplicableError(
            f"none of the {len(comparisons)} comparisons is a triplet, whose two pairs share an "
            "item, as this algorithm needs; use the oracle triplet-set, or 4K-AL"
        )
    return triplets


def warn_of_missing_items(comparisons: Comparisons | AllComparisons) -> None:
    """Warn, by `ModelWarning`, if items are in no comparison: their position is arbitrary."""
    n = comparisons.n
    if n <= 2:
        return
    if not len(comparisons):
        text = "there is no comparison at all: the tree is arbitrary"
    else:
        missing = comparisons.never_compared()
        if not missing.size:
            return
        items = ", ".join(map(str, missing[:NAMED]))
        if missing.size > NAMED:
            items += f" and {missing.size - NAMED} more"
        text = f"items {items} were never compared: their place is arbitrary"
        if missing.size == 1:
            text = f"item {items} was never compared: its place is arbitrary"
    warnings.warn(text, ModelWarning, stacklevel=2)
