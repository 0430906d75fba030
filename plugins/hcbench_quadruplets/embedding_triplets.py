"""The triplets from which an ordinal embedding learns: comparisons that share an item."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from hcbench import AllComparisons, Comparisons, ModelWarning
from hcbench.model import pair_index
from hcbench_quadruplets import _embedding_kernels as kernels
from hcbench_quadruplets.pairs import net_wins, only_triplets, square

MOST = 8_000_000
"""The maximum number of triplets used; 240 items have 6,797,280."""


def triplets_of(
    comparisons: Comparisons | AllComparisons, rng: np.random.Generator, most: int = MOST
) -> Comparisons:
    """The comparisons whose two pairs share an item; a random sample of them if there are too many.

    For a passive sample of quadruplets at proportion p, these are a sample of the triplets at the
    same proportion. Repeated and opposite answers remain: the losses are sums over answers.

    Parameters
    ----------
    comparisons : Comparisons or AllComparisons
    rng : Generator
        Draws the sample.
    most : int
        If there are more triplets, this number is drawn, with replacement, with a `ModelWarning`.

    Raises
    ------
    NotApplicableError
        If there are comparisons, and none of them shares an item.

    Notes
    -----
    O(m) time for m comparisons, O(n^3) for all of them; 8 bytes per triplet.
    """
    if isinstance(comparisons, AllComparisons):
        return _triplets_of_all(comparisons, rng, most)
    triplets = only_triplets(comparisons)
    if len(triplets) > most:
        _warn_of_sample(len(triplets), most)
        triplets = triplets.select(np.sort(rng.integers(len(triplets), size=most)))
    return triplets


def _triplets_of_all(
    comparisons: AllComparisons, rng: np.random.Generator, most: int
) -> Comparisons:
    n = comparisons.n
    rank = np.zeros((n, n), np.int64)
    rank[np.triu_indices(n, 1)] = comparisons.rank
    rank += rank.T
    total = n * (n - 1) * (n - 2) // 2
    closer, farther = np.empty((2, min(total, most)), np.uint32)
    if total > most:
        _warn_of_sample(total, most)
        ordered = np.sort(rng.integers(2 * total, size=most))
        count = kernels.answer_triplets(rank, ordered, closer, farther)
    else:
        count = kernels.answer_all_triplets(rank, closer, farther)
    return Comparisons(n, closer[:count], farther[:count])


def in_canonical_order(triplets: Comparisons) -> tuple[Comparisons, NDArray[np.int64]]:
    """The same triplets with items, and triplets, in an order that the answers alone determine.

    A long descent amplifies rounding, and so the order in which numbers are added up: without this,
    other numbers of the items could give another tree. Items are sorted by the net wins of their
    pairs, which are integers, sorted. Items that do not differ in these stay in the given order.

    Parameters
    ----------
    triplets : Comparisons

    Returns
    -------
    Comparisons
        Without annotators.
    (n,) int array
        The item in the place of each item.

    Notes
    -----
    O(m log m + n^2 log n) time, O(m + n^2) memory.
    """
    n = triplets.n
    wins = square(net_wins(triplets), n)
    order: NDArray[np.int64] = np.lexsort(np.sort(wins, axis=1).T)
    one, two = np.triu_indices(n, 1)
    place = np.argsort(order)
    moved = pair_index(place[one], place[two], n)
    closer = moved[triplets.closer]
    farther = moved[triplets.farther]
    by_pairs = np.lexsort((farther, closer))
    return Comparisons(n, closer[by_pairs], farther[by_pairs]), order


def _warn_of_sample(total: int, most: int) -> None:
    text = f"of {total} triplets, {most} are used, drawn with replacement"
    warnings.warn(text, ModelWarning, stacklevel=2)
