"""Average linkage of dot products and of similarities, by the cheaper of two exact ways."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hcbench_vectors._gram_kernels import average_chain
from hcbench_vectors.means import average_of_products, check_size, in_order

if TYPE_CHECKING:
    from hcbench import Vectors

    Floats = NDArray[np.float64]

#: Up to so many items an n x n matrix (8 MB) is the faster way, whatever the vectors' length.
_SMALL = 1024


def merge_by_products(vectors: Vectors, sign: float = 1.0) -> Floats:
    """Merge the two clusters of largest mean of ``sign * <x, y>`` over their pairs, and so on.

    Where n <= p, or n is small, by the n x n matrix of dot products: O(n^2 p) time (of the entries
    that are not 0, if sparse), O(n^2) memory, which is no more than that of n dense vectors. Else
    by the means of clusters (`average_of_products`): O(n^2 p) time, O(n p) memory.

    Parameters
    ----------
    vectors : (n, p) array or csr_array, n > 1
    sign : {1, -1}

    Returns
    -------
    (n-1, 4) linkage matrix
        Column 2 holds ``sign`` times the mean dot product, which falls.
    """
    n, p = vectors.shape
    if n <= max(p, _SMALL):
        with np.errstate(over="ignore", invalid="ignore"):  # which is found out
            product: Any = vectors @ vectors.T
        return merge_by_similarity(sign * _dense(product))
    return average_of_products(_dense(vectors), sign)


def merge_by_similarity(similarity: NDArray[np.floating[Any]]) -> Floats:
    """Merge the two clusters of largest mean similarity: O(n^2) time and memory.

    Parameters
    ----------
    similarity : (n, n), n > 1
        The diagonal is not read.

    Returns
    -------
    (n-1, 4) linkage matrix
        Column 2 holds mean similarities, which fall.
    """
    matrix = np.array(similarity, dtype=np.float64, order="C")
    np.fill_diagonal(matrix, 0.0)
    check_size(2.0 * len(matrix) * float(max(matrix.max(), -matrix.min())))
    matrix += matrix.T  # symmetric to the last digit
    matrix *= 0.5
    merges = np.empty((len(matrix) - 1, 4))
    average_chain(matrix, merges)
    return in_order(merges)


def _dense(vectors: Any) -> Floats:
    array: Floats = vectors if isinstance(vectors, np.ndarray) else vectors.toarray()
    return array
