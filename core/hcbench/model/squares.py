"""Square matrices: whether they are similarities, distances or vectors.

This is decided here, once, for `Problem`, `fit`, `compare`, `score` and files.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from hcbench.errors import DataError
from hcbench.model.arrays import (
    as_csr,
    as_plain_array,
    as_vectors,
    largest_asymmetry,
    largest_entry,
    stored_values,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

    from hcbench.model.arrays import Numbers

    Dense = NDArray[np.floating[Any]]

KindOfSquare: TypeAlias = Literal["vectors", "similarities", "distances", "unclear"]

#: What counts as rounding, relative to the largest absolute entry: about 8 units of single
#: precision, in which kernels may have been computed.
TOLERANCE = 1e-6

#: Up to this asymmetry, relative to the largest absolute entry, a matrix is nearly symmetric, which
#: vectors are not by chance.
_NEARLY_SYMMETRIC = 1e-2

#: Multiples of the precision by which sums of products of one matrix differ.
_ROUNDING = 64

#: Floats in a block of rows: 16 MB.
_BLOCK_SIZE = 1 << 21

#: Items of which a sparse matrix of similarities is made dense: 3 GB.
_MOST_DENSE = 20_000


def kind_of_square(matrix: Numbers) -> KindOfSquare:
    """What a matrix is whose rows and columns may be the same items.

    Parameters
    ----------
    matrix : (n, p) array or csr_array
        Finite real numbers.

    Returns
    -------
    {"vectors", "similarities", "distances", "unclear"}
        "vectors"
            It is not square, or not symmetric.
        "similarities"
            No two items are more similar than each is to itself on average, ``2 s_ij <= s_ii +
            s_jj``, as of correlations, kernels and dot products.
        "distances"
            The diagonal is zero, nothing is negative but something positive, and two items at
            distance 0 have equal distances to all others.
        "unclear"
            It is symmetric, but neither of the two, as an adjacency matrix or similarities with
            zeros on the diagonal are, and some tables of vectors; or it is only nearly symmetric.

    Notes
    -----
    Symmetry, zeros and equal distances are judged up to 1e-6 of the largest absolute entry, which
    is about the rounding error of single precision. O(n^2) time, or O(nnz) if sparse; memory for a
    block of rows.

    Examples
    --------
    >>> kind_of_square(np.array([[0.0, 2.0], [2.0, 0.0]]))
    'distances'
    >>> kind_of_square(np.array([[1.0, 0.5], [0.5, 1.0]]))
    'similarities'
    >>> kind_of_square(np.array([[1.0, 2.0], [3.0, 4.0]]))
    'vectors'
    """
    if matrix.shape[0] != matrix.shape[1] or not matrix.shape[0]:
        return "vectors"
    largest = largest_entry(matrix)
    asymmetry, _, _ = largest_asymmetry(matrix)
    if asymmetry > _NEARLY_SYMMETRIC * largest:
        return "vectors"
    if asymmetry > TOLERANCE * largest:
        return "unclear"
    if isinstance(matrix, np.ndarray):
        return _kind_of_symmetric(matrix, largest)
    return _kind_of_sparse(matrix, largest)


def _kind_of_symmetric(matrix: Dense, largest: float) -> KindOfSquare:
    diagonal = matrix.diagonal().astype(np.float64)
    rounding = _ROUNDING * float(np.finfo(matrix.dtype).eps) * largest
    has_similarities = True
    for rows in _blocks_of_rows(len(matrix)):
        if not _is_below_diagonal(matrix[rows], diagonal[rows], diagonal, rounding):
            has_similarities = False
            break
    if has_similarities:
        return "similarities"
    if has_form_of_distances(matrix) and _equal_items_have_equal_rows(matrix, largest):
        return "distances"
    return "unclear"


def _is_below_diagonal(
    block: Dense,
    diagonal_of_rows: NDArray[np.float64],
    diagonal: NDArray[np.float64],
    rounding: float,
) -> bool:
    """Whether ``2 s_ij <= s_ii + s_jj`` for rows i and all j, up to rounding of these numbers."""
    with np.errstate(over="ignore", invalid="ignore"):
        sums = diagonal_of_rows[:, None] + diagonal
        sizes = np.abs(diagonal_of_rows)[:, None] + np.abs(diagonal)
        return bool((2.0 * block <= sums + TOLERANCE * sizes + rounding).all())


def _equal_items_have_equal_rows(matrix: Dense, largest: float) -> bool:
    """Whether items at distance 0 have the same distances to all others.

    Each row is compared with that of the first item at distance 0, which is enough: if these are
    equal, being at distance 0 is an equivalence.
    """
    zero = float(np.abs(matrix.diagonal()).max())
    for rows in _blocks_of_rows(len(matrix)):
        block = matrix[rows]
        first_equal = (np.abs(block) <= zero).argmax(axis=1)
        is_repeated = first_equal != np.arange(rows.start, rows.start + len(block))
        differences = np.abs(block[is_repeated] - matrix[first_equal[is_repeated]])
        if differences.size and float(differences.max()) > TOLERANCE * largest:
            return False
    return True


def _blocks_of_rows(n: int) -> list[slice]:
    width = max(1, _BLOCK_SIZE // n)
    return [slice(first, min(first + width, n)) for first in range(0, n, width)]


def _kind_of_sparse(matrix: sparse.csr_array, largest: float) -> KindOfSquare:
    diagonal = matrix.diagonal()
    entries = matrix.tocoo()
    rounding = _ROUNDING * float(np.finfo(np.float64).eps) * largest
    # Entries beside the diagonal; those that are not stored are 0.
    of_pairs = entries.row != entries.col
    rows = entries.row[of_pairs]
    columns = entries.col[of_pairs]
    values = entries.data[of_pairs]
    sums = diagonal[rows] + diagonal[columns]
    sizes = np.abs(diagonal[rows]) + np.abs(diagonal[columns])
    is_below = bool((2.0 * values <= sums + TOLERANCE * sizes + rounding).all())
    if is_below and float(diagonal.min()) >= -rounding:  # so that entries of 0 are below, too
        return "similarities"
    n = len(diagonal)
    has_all_pairs = np.count_nonzero(values > 0) == n * (n - 1)
    if has_all_pairs and bool((np.abs(diagonal) <= TOLERANCE * largest).all()):
        return "distances"
    return "unclear"


def is_symmetric(matrix: Numbers) -> bool:
    """Whether a square matrix is symmetric up to rounding."""
    asymmetry, _, _ = largest_asymmetry(matrix)
    return asymmetry <= TOLERANCE * largest_entry(matrix)


def check_square(matrix: Numbers, where: str) -> None:
    """Refuse a matrix that is not square, or not symmetric up to rounding.

    Raises
    ------
    DataError

    Examples
    --------
    >>> check_square(np.array([[0.0, 1.0], [1.0, 0.0]]), "distances.csv")
    >>> check_square(np.array([[0.0, 1.0], [2.0, 0.0]]), "distances.csv")
    Traceback (most recent call last):
        ...
    hcbench.errors.DataError: distances.csv: the matrix is not symmetric: ...
    """
    rows, columns = matrix.shape
    if rows != columns:
        raise DataError(f"{where}: an n x n matrix is needed, got {rows} x {columns}")
    asymmetry, i, j = largest_asymmetry(matrix)
    if asymmetry > TOLERANCE * largest_entry(matrix):
        raise DataError(
            f"{where}: the matrix is not symmetric: the value of items {i} and {j} is "
            f"{matrix[i, j]} in one direction and {matrix[j, i]} in the other; correct one of them"
        )


def symmetrised(matrix: Any) -> Any:
    """The mean of a matrix and its transpose; the matrix itself if it is symmetric to the last bit.

    Algorithms read one half of a matrix or the other, and must not get different trees.
    """
    asymmetry, _, _ = largest_asymmetry(matrix)
    if asymmetry == 0.0:
        return matrix
    half = 0.5 * matrix  # the sum of two large numbers may overflow
    mean = half + half.T
    if isinstance(mean, np.ndarray):
        return mean
    return mean.tocsr()


def as_similarity(values: Any, where: str) -> Dense:
    """Similarities (n, n) that are symmetric to the last bit, as a dense array.

    Rounding errors are averaged out, see `symmetrised`.

    Raises
    ------
    DataError
        If it is no symmetric matrix of real numbers.
    """
    numbers = as_vectors(values, where)
    dense = numbers if isinstance(numbers, np.ndarray) else numbers.toarray()
    check_square(dense, where)
    similarity: Dense = symmetrised(dense)
    return similarity


def as_graph(values: Any, where: str) -> sparse.csr_array:
    """Weights of edges (n, n), symmetric to the last bit, without entries of 0.

    Raises
    ------
    DataError
        If it is no symmetric matrix of real numbers.
    """
    from scipy import sparse

    numbers = as_vectors(values, where)
    check_square(numbers, "a graph is a symmetric n x n matrix of weights of edges")
    graph: Any = symmetrised(numbers)
    if isinstance(graph, np.ndarray):
        graph = sparse.csr_array(graph)
    if not graph.data.all():
        graph = graph.copy()  # the caller's arrays stay as they are
        graph.eliminate_zeros()
    return as_csr(graph, where)


def is_distance_matrix(value: Any) -> bool:
    """Whether this is a `skbio.DistanceMatrix`; scikit-bio is not imported to know it."""
    skbio = sys.modules.get("skbio")
    return skbio is not None and isinstance(value, skbio.DistanceMatrix)


def similarity_of_distances(distances: Any) -> Any:
    """Similarities ``1 - d / max d``, in [0, 1], of distances d.

    Parameters
    ----------
    distances : (n, n) array_like, sparse matrix or DataFrame, or (n (n - 1) / 2,) array_like
        Symmetric, not negative, with zeros on the diagonal, all up to rounding; or the distances of
        pairs as `scipy.spatial.distance.pdist` returns them; or a `skbio.DistanceMatrix`.

    Returns
    -------
    (n, n) array or DataFrame
        Symmetric to the last bit; 1 on the diagonal. Of a DataFrame with its index and columns, and
        of a DistanceMatrix with its ids as both.

    Raises
    ------
    DataError
        If these are no distances.

    Examples
    --------
    >>> similarity_of_distances([[0, 1, 4], [1, 0, 3], [4, 3, 0]])
    array([[1.  , 0.75, 0.  ],
           [0.75, 1.  , 0.25],
           [0.  , 0.25, 1.  ]])
    """
    if is_distance_matrix(distances):
        distances = distances.to_data_frame()
    if hasattr(distances, "columns") and hasattr(distances, "index"):
        import pandas as pd

        similarity = similarity_of_distances(distances.to_numpy())
        return pd.DataFrame(similarity, index=distances.index, columns=distances.columns)
    if not hasattr(distances, "tocsr"):
        distances = as_plain_array(distances, "distances")
        if distances.ndim == 1:
            distances = _square_of_pairs(distances)
    matrix = as_similarity(distances, "distances")
    if not has_form_of_distances(matrix):
        raise DataError("distances are 0 on the diagonal and never negative")
    largest = largest_entry(matrix)
    if largest == 0.0:
        return np.ones_like(matrix)
    similarity = 1 - np.maximum(matrix, 0.0) / largest
    np.fill_diagonal(similarity, 1.0)
    return similarity


def _square_of_pairs(distances: NDArray[Any]) -> NDArray[Any]:
    from scipy.spatial.distance import squareform

    try:
        square: NDArray[Any] = squareform(distances)
    except ValueError as error:
        raise DataError(
            f"distances of pairs are n (n - 1) / 2 numbers, got {distances.size}"
        ) from error
    return square


def split_square(matrix: Numbers) -> tuple[Numbers | None, Dense | None]:
    """Vectors, or similarities, whichever a matrix from Python is.

    Similarities that are symmetric up to rounding are made symmetric.

    Raises
    ------
    DataError
        If it is distances or could be several of them. The message has the ways to say it.
    """
    kind = kind_of_square(matrix)
    if kind == "vectors":
        return matrix, None
    n = matrix.shape[0]
    is_too_large = not isinstance(matrix, np.ndarray) and n > _MOST_DENSE
    if kind == "similarities" and not is_too_large:
        return None, as_similarity(matrix, "the data")
    raise DataError(_ways_out(matrix, kind))


def _ways_out(matrix: Numbers, kind: KindOfSquare) -> str:
    n = matrix.shape[0]
    largest = largest_entry(matrix)
    asymmetry, i, j = largest_asymmetry(matrix)
    vectors = f"of vectors give hcbench.Problem(n={n}, vectors=x)"
    if asymmetry > TOLERANCE * largest:
        return (
            f"the matrix is nearly symmetric: the value of items {i} and {j} is {matrix[i, j]} in "
            f"one direction and {matrix[j, i]} in the other; of similarities or distances give "
            f"(x + x.T) / 2, {vectors}"
        )
    similarities = f"of similarities give hcbench.Problem(n={n}, similarity=x)"
    distances = "of distances give hcbench.similarity_of_distances(x)"
    if kind == "distances":
        return (
            "a symmetric matrix with zeros on the diagonal and nothing below may be distances or "
            f"similarities: {distances}, {similarities}"
        )
    ways = [similarities]
    if has_form_of_distances(matrix):
        ways.append(distances)
        ways.append(f"of a graph give hcbench.Problem(n={n}, graph=x)")
    ways.append(vectors)
    return (
        "a symmetric matrix whose diagonal does not have its largest values may be several things: "
        + ", ".join(ways)
    )


def has_form_of_distances(matrix: Numbers) -> bool:
    """Whether the diagonal is zero and nothing is negative, up to rounding."""
    rounding = TOLERANCE * largest_entry(matrix)
    values = stored_values(matrix)
    if values.size and float(values.min()) < -rounding:
        return False
    return float(np.abs(matrix.diagonal()).max(initial=0.0)) <= rounding
