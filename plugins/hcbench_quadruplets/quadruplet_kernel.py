"""4K-AL from passive comparisons: average linkage on the quadruplets kernel."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hcbench import AllComparisons, Comparisons, Given, Oracle, Tree, pair_items
from hcbench_quadruplets import _kernels
from hcbench_quadruplets import _quadruplet_kernels as kernels
from hcbench_quadruplets.linkage import tree_by_mean
from hcbench_quadruplets.pairs import net_wins, note_what_is_unknown, pair_levels, square

Variant = Literal["paper", "code"]

WORDS_PER_PRODUCT = 0.3
"""A product of two comparisons takes about as long as three of 64 bits each."""
SMALL = 1 << 28
"""Bytes of bits that are fine however few comparisons there are."""


def four_k_al(
    oracle: Oracle, given: Given, _rng: np.random.Generator, *, kernel: Variant = "paper"
) -> Tree:
    """Average linkage on the passive quadruplets kernel.

    Section 3.2, equation 3 (equation 9 of the supplement) of Ghoshdastidar, Perrot & von Luxburg
    2019. A comparison counts once however often the set holds it; two opposite ones cancel.

    Parameters
    ----------
    oracle : Oracle
        Of kind quadruplet-set or triplet-set.
    kernel : {"paper", "code"}
        See `kernel_matrix`.

    Returns
    -------
    Tree
        Kind ORDER; ``linkage`` is the mean of K over the two clusters of each merge. K is of
        integers, and ties are exact: see `merge_by_mean`.

    Notes
    -----
    Time and memory are those of `kernel_matrix`, and O(n^2) as a rule for the linkage.
    """
    comparisons: Comparisons | AllComparisons = oracle.read()
    note_what_is_unknown(comparisons)
    return tree_by_mean(kernel_matrix(comparisons, kernel), given.names)


def kernel_matrix(
    comparisons: Comparisons | AllComparisons, kernel: Variant = "paper"
) -> NDArray[np.int64]:
    """The quadruplets kernel of a set of comparisons.

    With S[ij, kl] = 1 if only w_ij > w_kl was observed, -1 if only the opposite, else 0,

        K_ij = sum over k < l and r != i, j of S[ir, kl] S[jr, kl].

    Parameters
    ----------
    comparisons : Comparisons or AllComparisons
    kernel : {"paper", "code"}
        "code" is what the authors' program computes: there r runs over i and j as well, where an
        item counts as more similar to itself than any pair is. That adds twice the sum of S
        over its row ij.

    Returns
    -------
    (n, n) int64 array, symmetric
        The diagonal means nothing.

    Notes
    -----
    Of m comparisons, M = n(n-1)/2 pairs: the cheaper of O(m^2 / (M n)) products of comparisons and
    O(n^5) products of bits, 64 at a time. Memory beside the comparisons, once they are in order
    (see `Comparisons.unique`): 8 m + 8 n^2 bytes, or n^4 / 16 for the bits. Of all comparisons:
    O(n^3), 16 n^2 bytes.
    """
    if isinstance(comparisons, AllComparisons):
        values = _of_all(comparisons)
    else:
        comparisons = comparisons.unique()
        values = _of_sample(comparisons)
    if kernel == "code":
        values += 2 * square(net_wins(comparisons), comparisons.n)
    return values


def _of_sample(comparisons: Comparisons) -> NDArray[np.int64]:
    n, m = comparisons.n, len(comparisons)
    n_pairs = n * (n - 1) // 2
    words = n**3 / 128 * n_pairs
    fits = n_pairs**2 / 4 <= max(8 * m, SMALL)
    # Comparisons of random pairs make the fewest products for their number.
    if fits and 8 * m**2 / max(n_pairs * n, 1) > WORDS_PER_PRODUCT * words:
        return _by_bits(comparisons)
    i, j = (items.astype(np.int32) for items in pair_items(np.arange(n_pairs), n))
    columns = _kernels.index_pairs(comparisons.closer, comparisons.farther, n_pairs)
    if fits:
        some = np.linspace(0, n_pairs - 1, min(500, n_pairs)).astype(np.int64)
        products = kernels.products_in_columns(some, columns[0], columns[2], i, j, n)
        if products * n_pairs > WORDS_PER_PRODUCT * words * some.size:
            return _by_bits(comparisons)
    values: NDArray[np.int64] = kernels.kernel_by_products(*columns, i, j, n)
    return values


def _by_bits(comparisons: Comparisons) -> NDArray[np.int64]:
    values: NDArray[np.int64] = kernels.kernel_by_bits(
        comparisons.closer, comparisons.farther, comparisons.n
    )
    return values


def _of_all(comparisons: AllComparisons) -> NDArray[np.int64]:
    n = comparisons.n
    level, tied = pair_levels(comparisons)
    values: NDArray[np.int64] = kernels.kernel_of_ranks(
        square(level, n).astype(np.int32), square(tied, n).astype(np.int32), level.size
    )
    return values
