"""Similarities or distances of all pairs in blocks of rows, without an n x n matrix.

A block is ``(first, rows)``: rows (b, n - first) of the leaves at the positions first, first + 1,
... from left to right, against those at the positions from first on.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from hcbench import DataError, NotApplicableError
from hcbench.model import as_numbers, euclidean_of_rows, unit_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from hcbench import Problem, Tree
    from hcbench.model import Vectors

    Floats = NDArray[np.float64]
    Block = tuple[int, Floats]

#: Floats in a block: 16 MB.
_BLOCK_SIZE = 1 << 21

#: Of the largest value: sums of squares, also of differences that are far smaller, are numbers.
_LARGEST_EXPONENT = 400

#: Of the entries of unit vectors.
_ROUNDING = 16 * float(np.finfo(np.float64).eps)

#: Distances that are available for sparse vectors.
_OF_SPARSE = ("euclidean", "sqeuclidean", "cosine", "cityblock")


def similarity_rows(tree: Tree, problem: Problem, rule: str) -> Iterator[Block]:
    """Similarities by rows: those of the data, or cosines or dot products of the vectors.

    O(n^2) time of a matrix, O(n^2 p) of vectors.

    Raises
    ------
    NotApplicableError
        If the data set has neither, or the cosine of a row is not defined.
    """
    if problem.similarity is not None:
        matrix = problem.similarity
        order = tree.leaf_order

        def of_matrix(rows: slice, columns: slice) -> Any:
            return matrix[np.ix_(order[rows], order[columns])]

        return _blocks(tree.n, of_matrix)
    if problem.vectors is None:
        raise NotApplicableError("this data set has neither similarities nor vectors")
    vectors = problem.vectors
    if rule == "cosine":
        vectors = directions(vectors)
    ordered = vectors[tree.leaf_order].astype(np.float64)
    return _blocks(tree.n, lambda rows, columns: ordered[rows] @ ordered[columns].T)


def stored_entries(vectors: Vectors) -> NDArray[Any]:
    """The entries of dense vectors, or those that are stored of sparse ones; others are 0."""
    if isinstance(vectors, np.ndarray):
        return vectors
    entries: NDArray[Any] = vectors.data
    return entries


def check_squares(vectors: Vectors) -> None:
    """Refuse vectors whose squares overflow or vanish, for sums of squares of distances.

    Raises
    ------
    NotApplicableError
    """
    largest = float(np.abs(stored_entries(vectors)).max(initial=0.0))
    _, exponent = math.frexp(largest)
    if abs(exponent) > _LARGEST_EXPONENT:
        raise NotApplicableError(
            f"the largest value of the vectors is {largest:.3g}, whose square is not in the range "
            f"of numbers; divide the vectors by 1e{math.floor(math.log10(largest))}"
        )


def distance_rows(tree: Tree, vectors: Vectors, metric: str) -> Iterator[Block]:
    """Distances of vectors by rows, as in scipy's ``cdist``. O(n^2 p) time.

    Raises
    ------
    NotApplicableError
        If a distance is not defined, or not available for sparse vectors.
    """
    ordered: Vectors = vectors[tree.leaf_order]
    if metric == "euclidean":
        return _blocks(tree.n, euclidean_of_rows(ordered))
    if metric == "cosine":
        # |u - v|^2 / 2 of unit vectors: no digits are lost between parallel ones.
        between = euclidean_of_rows(directions(ordered))
        return _blocks(tree.n, lambda rows, columns: between(rows, columns) ** 2 / 2)
    if isinstance(ordered, np.ndarray):
        return _blocks(tree.n, _of_dense(ordered, metric))
    return _blocks(tree.n, _of_sparse(ordered, metric))


def _of_sparse(vectors: Any, metric: str) -> Callable[[slice, slice], Any]:
    if metric == "sqeuclidean":
        lengths = euclidean_of_rows(vectors)
        return lambda rows, columns: lengths(rows, columns) ** 2
    if metric != "cityblock":
        raise NotApplicableError(
            f"{metric} distances are not available for sparse vectors; use "
            f"{', '.join(_OF_SPARSE[:-1])} or {_OF_SPARSE[-1]}"
        )
    from sklearn.metrics import pairwise_distances

    # With indices that scikit-learn can read.
    sorted_rows: Any = as_numbers(vectors, "vectors")

    def distances(rows: slice, columns: slice) -> Any:
        return pairwise_distances(sorted_rows[rows], sorted_rows[columns], metric=metric)

    return distances


def _of_dense(vectors: NDArray[Any], metric: str) -> Callable[[slice, slice], Any]:
    from scipy.spatial.distance import cdist

    def distances(rows: slice, columns: slice) -> Any:
        block = cdist(vectors[rows], vectors[columns], metric)  # type: ignore[call-overload]
        np.fill_diagonal(block, 0.0)  # an item with itself: Bray-Curtis of a zero row is 0 / 0
        if not np.isfinite(block).all():
            raise NotApplicableError(
                f"{metric} distances are not defined for all these vectors; use another metric"
            )
        return block

    return distances


def directions(vectors: Vectors) -> Vectors:
    """Rows of length 1; raise NotApplicableError if a row is zero."""
    try:
        return unit_rows(vectors)
    except DataError as error:
        # Here not the data are wrong, but the metric does not apply.
        raise NotApplicableError(f"{error}, such as euclidean") from error


def check_not_parallel(vectors: Vectors) -> None:
    """Raise NotApplicableError if all cosine distances are 0 apart from rounding errors. O(n p)."""
    rows = directions(vectors)
    if isinstance(rows, np.ndarray):
        parallel = np.abs(rows - rows[0]).max() <= _ROUNDING
    else:
        parallel = (rows @ rows[[0]].T).toarray().min() >= 1 - _ROUNDING
    if parallel:
        raise NotApplicableError(
            "all rows are parallel, so every cosine distance is 0; use another metric"
        )


def _blocks(n: int, values_of: Callable[[slice, slice], Any]) -> Iterator[Block]:
    """Blocks of the values of pairs, from those of some rows and columns."""
    width = max(1, _BLOCK_SIZE // n)
    for first in range(0, n, width):
        block = values_of(slice(first, first + width), slice(first, n))
        if not isinstance(block, np.ndarray):  # products of sparse rows are sparse
            block = block.toarray()
        yield first, np.ascontiguousarray(block, dtype=np.float64)
