"""tK-AL: average linkage on the triplet kernels of Kleindessner & von Luxburg 2017."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.stats import rankdata

from hcbench import AllComparisons, Comparisons, Items, Oracle, Tree
from hcbench.model import pair_index, pair_items
from hcbench_quadruplets import _quadruplet_kernels as kernels
from hcbench_quadruplets.linkage import tree_by_mean
from hcbench_quadruplets.pairs import only_triplets, square, warn_of_missing_items

Variant = Literal["k1", "k2"]


def tk_al(
    oracle: Oracle, items: Items, _rng: np.random.Generator, *, kernel: Variant = "k2"
) -> Tree:
    """Average linkage on a triplet kernel.

    According to Ghoshdastidar et al. 2019, the equivalent of passive 4K-AL for triplets.

    Parameters
    ----------
    oracle : Oracle
        Of kind triplet-set; or quadruplet-set, of which comparisons that share an item are used.
    kernel : {"k1", "k2"}
        See `triplet_kernel`.

    Returns
    -------
    Tree
        Kind ORDER; ``linkage`` is the mean kernel value over the two clusters of each merge. Ties
        as in `merge_by_mean`.

    Raises
    ------
    NotApplicableError
        If there are comparisons, and none of them shares an item.
    """
    comparisons: Comparisons | AllComparisons = oracle.read()
    if isinstance(comparisons, Comparisons):
        comparisons = only_triplets(comparisons)
    warn_of_missing_items(comparisons)
    return tree_by_mean(triplet_kernel(comparisons, kernel), items.names)


def triplet_kernel(
    comparisons: Comparisons | AllComparisons, kernel: Variant = "k2"
) -> NDArray[np.float64]:
    """Cosines of the items' feature vectors, <F_i, F_j> / (|F_i| |F_j|).

    M. Kleindessner & U. von Luxburg, Kernel functions based on triplet comparisons, 2017. With
    S[ab, cd] = 1 if only w_ab > w_cd was observed, -1 if only the opposite, else 0, the entries of
    F_i are

        k1: S[ik, il] for k < l: how i ranks the others (with all triplets, Kendall's tau);
        k2: S[ri, rl] for r, l: the ranks of i in the rankings by the others.

    An item without triplets has 0 with all.

    Parameters
    ----------
    comparisons : Comparisons or AllComparisons
        `Comparisons` must share an item; of `AllComparisons` only the triplets are used.

    Returns
    -------
    (n, n) float64 array, symmetric, in [-1, 1]
        For m triplets about O(m^2 / n^2) time and O(m + n^2) memory, each item being the first of
        m / n. For all triplets O(n^3) for k2, O(n^4) by matrix products for k1.
    """
    if isinstance(comparisons, AllComparisons):
        if kernel == "k1":
            products = _k1_of_all(comparisons)
        else:
            products = _k2_of_all(comparisons)
    else:
        features = _features(comparisons.unique(), kernel)
        products = (features @ features.T).toarray().astype(np.float64)
    length = np.sqrt(np.diag(products))
    # An item without triplets has only products of 0.
    length[length == 0] = 1.0
    cosines: NDArray[np.float64] = products / length / length[:, None]
    return cosines


def _features(comparisons: Comparisons, kernel: Variant) -> Any:
    """F as a sparse matrix, one row per item."""
    n = comparisons.n
    i, j = pair_items(comparisons.closer, n)
    u, v = pair_items(comparisons.farther, n)
    # A triplet says that ``first``, the item that both pairs have, is closer to ``near``.
    first = np.where((i == u) | (i == v), i, j)
    near = i + j - first
    far = u + v - first
    sign = np.ones(first.size, np.int64)
    if kernel == "k1":
        # Row i, and a column for each pair k < l.
        entries = (np.where(near < far, sign, -sign), (first, pair_index(near, far, n)))
        return sparse.coo_array(entries, shape=(n, n * (n - 1) // 2)).tocsr()
    # With r the first item: row i, and column r n + l, for i both the closer and the farther one.
    rows = np.concatenate((near, far))
    columns = np.concatenate((first * n + far, first * n + near))
    entries = (np.concatenate((sign, -sign)), (rows, columns))
    return sparse.coo_array(entries, shape=(n, n * n)).tocsr()


def _k1_of_all(comparisons: AllComparisons) -> NDArray[np.float64]:
    n = comparisons.n
    rank = square(comparisons.rank, n)
    products = np.zeros((n, n))
    # The features of one k at a time, (n, n), as all of them would take O(n^3) memory.
    for k in range(n):
        # In single precision, as sums of at most n signs stay below 2^24 and are exact.
        features = np.sign(rank[:, [k]] - rank).astype(np.float32)
        # No triplet compares an item with itself.
        features[k] = 0.0
        np.fill_diagonal(features, 0.0)
        products += features @ features.T
    # Each pair k, l was counted as l, k, too.
    return products / 2


def _k2_of_all(comparisons: AllComparisons) -> NDArray[np.float64]:
    """By `kernel_of_ranks`, where the references of w_ir are the n-1 similarities to r."""
    n = comparisons.n
    rank = square(comparisons.rank, n)
    # Below all others, so that every count has it: it is subtracted.
    np.fill_diagonal(rank, -1)
    upper = rankdata(rank, "max", axis=0).astype(np.int32) - 1
    lower = rankdata(rank, "min", axis=0).astype(np.int32) - 2
    tied = np.ascontiguousarray(upper - lower)
    products = kernels.kernel_of_ranks(np.ascontiguousarray(lower + upper), tied, n - 1)
    np.fill_diagonal(tied, n - 1)
    np.fill_diagonal(products, (n - 1 - tied).sum(axis=1))
    return products.astype(np.float64)
