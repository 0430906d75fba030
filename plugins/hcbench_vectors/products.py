"""Average linkage of dot products and of similarities, by the cheaper of two exact methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError
from hcbench_vectors._gram_kernels import average_chain

if TYPE_CHECKING:
    from hcbench import Vectors

    Floats = NDArray[np.float64]

#: Up to this number of items an n x n matrix (8 MB) is faster, whatever the vectors' length.
_SMALL = 1024


def merge_by_products(vectors: Vectors, sign: float = 1.0) -> Floats:
    """Repeatedly merge the two clusters of largest mean of ``sign * <x, y>`` over their pairs.

    If n <= p, or n is small, by the n x n matrix of dot products: O(n^2 p) time (of the nonzero
    entries, if sparse), O(n^2) memory, no more than n dense vectors take. Otherwise by the means of
    clusters (`average_of_products`): O(n^2 p) time, O(n p) memory.

    Parameters
    ----------
    vectors : (n, p) array or csr_array, n > 1
    sign : {1, -1}

    Returns
    -------
    (n-1, 4) linkage matrix
        Column 2 holds ``sign`` times the mean dot product, and decreases.
    """
    # Importing it compiles kernels that given similarities do not need, and a warm-up on few
    # vectors those that many need.
    from hcbench_vectors.means import average_of_products

    n, p = vectors.shape
    if n <= max(p, _SMALL):
        with np.errstate(over="ignore", invalid="ignore"):  # checked by check_size
            product: Any = vectors @ vectors.T
        return merge_by_similarity(sign * _dense(product))
    return average_of_products(_dense(vectors), sign)


def merge_by_similarity(similarity: NDArray[np.floating[Any]]) -> Floats:
    """Repeatedly merge the two clusters of largest mean similarity: O(n^2) time and memory.

    Parameters
    ----------
    similarity : (n, n), n > 1
        The diagonal is ignored.

    Returns
    -------
    (n-1, 4) linkage matrix
        Column 2 holds mean similarities, and decreases.
    """
    from hcbench_vectors.agglomeration import FEW, linkage_of_similarities

    if len(similarity) > FEW:  # twice as fast, but its kernel compiles longer
        return linkage_of_similarities(similarity, "average")
    matrix = np.array(similarity, dtype=np.float64, order="C")
    np.fill_diagonal(matrix, 0.0)
    check_size(2.0 * len(matrix) * float(max(matrix.max(), -matrix.min())))
    matrix += matrix.T  # exactly symmetric
    matrix *= 0.5
    merges = np.empty((len(matrix) - 1, 4))
    average_chain(matrix, merges)
    return in_order(merges)


def check_size(largest: float) -> None:
    """Refuse data whose scores may overflow; ``largest`` is a bound of all scores.

    Raises
    ------
    DataError
    """
    if not np.isfinite(largest):
        raise DataError("the dot products of the data overflow; scale the data down")


def in_order(merges: Floats) -> Floats:
    """Sort merges by decreasing score and renumber the nodes: O(n log n)."""
    n = len(merges) + 1
    order = np.argsort(-merges[:, 2], kind="stable")
    number = np.arange(2 * n - 1)
    number[n + order] = n + np.arange(n - 1)
    merges = merges[order]
    merges[:, :2] = number[merges[:, :2].astype(np.int64)]
    return merges


def _dense(vectors: Any) -> Floats:
    array: Floats = vectors if isinstance(vectors, np.ndarray) else vectors.toarray()
    return array
