"""4K-AL from passive comparisons: average linkage on the quadruplets kernel."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hcbench import AllComparisons, Comparisons, Items, Oracle, Tree
from hcbench_quadruplets import _quadruplet_kernels as kernels
from hcbench_quadruplets._index_kernels import index_pairs
from hcbench_quadruplets.linkage import tree_by_mean
from hcbench_quadruplets.pairs import (
    check_size,
    net_wins,
    pair_levels,
    square,
    warn_of_missing_items,
)

Variant = Literal["paper", "code"]

WORDS = 512
"""Words of a row of bits that are multiplied at a time: all words of 240 items."""
FEWEST = 130
"""With fewer than M^2 / FEWEST comparisons, single products are faster than those of bits."""


def four_k_al(
    oracle: Oracle, items: Items, _rng: np.random.Generator, *, kernel: Variant = "paper"
) -> Tree:
    """Average linkage on the passive quadruplets kernel.

    Section 3.2, equation 3 (equation 9 of the supplement) of Ghoshdastidar, Perrot & von Luxburg
    2019. Repeated comparisons count once; two opposite ones cancel.

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

    Raises
    ------
    NotApplicableError
        If there are more than `pairs.MAX_ITEMS` items.

    Notes
    -----
    Time and memory are those of `kernel_matrix`, and usually O(n^2) for the linkage.
    """
    check_size(items.n, "4K-AL")
    comparisons: Comparisons | AllComparisons = oracle.read().unique()
    warn_of_missing_items(comparisons)
    return tree_by_mean(kernel_matrix(comparisons, kernel), items.names)


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
        "code" is the computation of the authors' program: r runs over i and j as well, where an
        item counts as more similar to itself than any pair. That adds twice the sum of row ij of S.

    Returns
    -------
    (n, n) int64 array, symmetric
        The diagonal is undefined.

    Notes
    -----
    For m comparisons and M = n(n-1)/2 pairs: O(m^2 / (M n)) products of comparisons if there are
    few (see `FEWEST`) or their bits are too large (`Comparisons.is_dense`), otherwise O(n^5)
    products of bits, 64 at a time. Memory besides the sorted comparisons (see
    `Comparisons.unique`): 8 m + 16 n^2 bytes; or n^4 / 16 for the bits, which the comparisons keep,
    and 8 KB n. For all comparisons: O(n^3), 16 n^2 bytes.
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
    n = comparisons.n
    n_pairs = n * (n - 1) // 2
    values: NDArray[np.int64]
    if comparisons.is_dense and len(comparisons) * FEWEST >= n_pairs**2:
        bits = comparisons.bits()
        values = kernels.kernel_by_bits(bits.won, bits.lost, n, WORDS)
        return values
    values = np.zeros((n, n), np.int64)
    columns = index_pairs(comparisons.closer, comparisons.farther, n)
    kernels.kernel_by_products(*columns, values)
    return values


def _of_all(comparisons: AllComparisons) -> NDArray[np.int64]:
    n = comparisons.n
    level, tied = pair_levels(comparisons)
    level -= level.size  # only differences matter, and these numbers have 32 bits
    values: NDArray[np.int64] = kernels.kernel_of_ranks(
        square(level, n).astype(np.int32), square(tied, n).astype(np.int32), level.size
    )
    return values
