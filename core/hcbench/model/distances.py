"""Euclidean distances to the last digits, of dense and of sparse vectors.

The formula ``|x|^2 + |y|^2 - 2 <x, y>``, which needs only the entries that are not zero, loses all
digits where vectors are long and their distance is short: a column of Unix seconds has squares of
1e18. Here columns that most rows have are shifted to mean 0, and what is still lost is computed
from differences.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hcbench.errors import DataError
from hcbench.model.arrays import largest_entry

if TYPE_CHECKING:
    from scipy import sparse

    from hcbench.model.arrays import Numbers

    Floats = NDArray[np.float64]

#: The formula with squares loses at most this many times the precision; where it would lose more,
#: distances are computed from differences.
_MOST_LOST = 100.0

#: Pairs of rows whose differences are in memory at a time.
_PAIRS_AT_A_TIME = 1 << 14

#: Floats in a block of distances: 16 MB.
_BLOCK_SIZE = 1 << 21


def euclidean_pairs(vectors: NDArray[np.floating[Any]]) -> Floats:
    """Distances (n (n - 1) / 2,) of dense vectors, as `scipy.spatial.distance.pdist` orders them.

    Raises
    ------
    DataError
        If one is larger than any number of 64 bits.

    Examples
    --------
    >>> euclidean_pairs(np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 4.0]])).tolist()
    [5.0, 4.0, 3.0]
    """
    from scipy.spatial.distance import pdist

    scaled, exponent = _scaled(np.asarray(vectors, dtype=np.float64))
    return _unscaled(pdist(scaled), exponent)


def euclidean_distances(vectors: Numbers) -> Floats:
    """All distances (n, n), symmetric to the last bit and exactly 0 between equal rows.

    O(n^2 p) time, of sparse vectors of the entries that are not zero; O(n^2) memory.

    Raises
    ------
    DataError
        As `euclidean_pairs`.

    Examples
    --------
    >>> euclidean_distances(np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 4.0]])).tolist()
    [[0.0, 5.0, 4.0], [5.0, 0.0, 3.0], [4.0, 3.0, 0.0]]
    """
    from scipy.spatial.distance import squareform

    if isinstance(vectors, np.ndarray):
        return squareform(euclidean_pairs(vectors), checks=False)
    n = vectors.shape[0]
    distances_of = euclidean_of_rows(vectors)
    distances = np.zeros((n, n))
    width = max(1, _BLOCK_SIZE // n)
    for first in range(0, n, width):
        rows = slice(first, min(first + width, n))
        block = distances_of(rows, slice(first, n))
        distances[rows, first:] = block
        distances[first:, rows] = block.T
    return distances


def euclidean_of_rows(vectors: Numbers) -> Callable[[slice, slice], Floats]:
    """A function of two slices of rows: the distances between them.

    Those of sparse vectors are right to about 13 digits. A call takes the time of a product of the
    two, and that of the entries of both rows for each pair that is much closer than its rows are
    long.

    Raises
    ------
    DataError
        When called, as `euclidean_pairs`.

    Examples
    --------
    >>> distances_of = euclidean_of_rows(np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 4.0]]))
    >>> distances_of(slice(0, 1), slice(0, 3)).tolist()
    [[0.0, 5.0, 4.0]]
    """
    if isinstance(vectors, np.ndarray):
        return _between_dense(np.asarray(vectors, dtype=np.float64))
    return _between_sparse(vectors)


def _between_dense(vectors: Floats) -> Callable[[slice, slice], Floats]:
    from scipy.spatial.distance import cdist

    scaled, exponent = _scaled(vectors)

    def distances_of(rows: slice, columns: slice) -> Floats:
        return _unscaled(cdist(scaled[rows], scaled[columns]), exponent)

    return distances_of


def _between_sparse(vectors: sparse.csr_array) -> Callable[[slice, slice], Floats]:
    scaled, exponent = _scaled(vectors)
    shifted = without_offsets(scaled)
    squares = np.asarray(shifted.multiply(shifted).sum(axis=1)).ravel()

    def distances_of(rows: slice, columns: slice) -> Floats:
        product: Any = shifted[rows] @ shifted[columns].T
        sizes = squares[rows][:, None] + squares[columns]
        squared: Floats = sizes - 2.0 * product.toarray()
        # Pairs that are much closer than their vectors are long: from differences.
        first, second = np.nonzero(squared * _MOST_LOST < sizes)
        vectors_of_rows = scaled[rows]
        vectors_of_columns = scaled[columns]
        for start in range(0, len(first), _PAIRS_AT_A_TIME):
            i = first[start : start + _PAIRS_AT_A_TIME]
            j = second[start : start + _PAIRS_AT_A_TIME]
            difference = vectors_of_rows[i] - vectors_of_columns[j]
            squared[i, j] = np.asarray(difference.multiply(difference).sum(axis=1)).ravel()
        return _unscaled(np.sqrt(squared), exponent)

    return distances_of


def without_offsets(vectors: sparse.csr_array) -> sparse.csr_array:
    """Sparse vectors with the same differences, but smaller squares.

    Columns in which at least half of the rows have an entry are shifted to mean 0, and then all
    rows have one. At most twice the entries.

    Examples
    --------
    >>> from scipy import sparse
    >>> vectors = sparse.csr_array([[1000.0, 0.0], [1002.0, 0.0], [1004.0, 5.0]])
    >>> without_offsets(vectors).toarray().tolist()
    [[-2.0, 0.0], [0.0, 0.0], [2.0, 5.0]]
    """
    from scipy import sparse

    n, p = vectors.shape
    is_common = 2 * np.bincount(vectors.indices, minlength=p) >= n
    if not is_common.any():
        return vectors
    common = vectors[:, is_common].toarray()
    common -= common.mean(axis=0)
    rare = vectors[:, ~is_common]
    # The order of the columns changes neither products nor distances.
    return sparse.csr_array(sparse.hstack([sparse.csr_array(common), rare], format="csr"))


def _scaled(vectors: Any) -> tuple[Any, int]:
    """Vectors whose largest entry is about 1, by a power of 2, which rounds nothing, and its log.

    Squares of 1e200 are too large for a float, and those of 1e-200 are 0.
    """
    _, exponent = np.frexp(largest_entry(vectors))
    if isinstance(vectors, np.ndarray):
        return np.ldexp(vectors, -int(exponent)), int(exponent)
    scaled = vectors.copy()
    scaled.data = np.ldexp(scaled.data, -int(exponent))
    return scaled, int(exponent)


def _unscaled(distances: Floats, exponent: int) -> Floats:
    with np.errstate(over="ignore"):
        unscaled: Floats = np.ldexp(distances, exponent)
    if not np.isfinite(unscaled).all():
        raise DataError("distances of the data are larger than any number; scale the data down")
    return unscaled
