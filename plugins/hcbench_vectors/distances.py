"""Distances of vectors and of similarities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError
from hcbench.model import euclidean_distances, similarity_of_vectors, unit_rows
from hcbench_vectors.scaling import dense, distinct_rows

if TYPE_CHECKING:
    from hcbench.model import Vectors

    Floats = NDArray[np.float64]


#: Metrics that are cosine distances of other rows.
CORRELATIONS = ("correlation", "spearman")


def directions(
    vectors: Vectors,
    algorithm: str,
    names: Sequence[str] | None,
    instead: str = "metric=euclidean",
) -> Vectors:
    """Scale every row to length 1; sparse vectors stay sparse. O(entries).

    Raises
    ------
    DataError
        If a row is zero.
    """
    vectors = vectors.astype(np.float64, copy=False)
    # Not by sums of squares, as those of 1e-170 are 0.
    if isinstance(vectors, np.ndarray):
        zero = np.flatnonzero(~vectors.any(axis=1))
    else:
        sizes: Any = abs(vectors).sum(axis=1)
        zero = np.flatnonzero(np.asarray(sizes) == 0)
    if zero.size:
        name = "" if names is None else f" ({names[zero[0]]!r})"
        raise DataError(
            f"{algorithm}: row {zero[0]}{name} is zero, so its cosine is not defined "
            f"({zero.size} such rows); remove them or use {instead}"
        )
    return unit_rows(vectors)


def for_cosine(
    vectors: Vectors, metric: str, algorithm: str, names: Sequence[str] | None
) -> tuple[Vectors, str]:
    """Vectors of which the cosine distances are those of a correlation, and ``"cosine"``.

    ``correlation`` is 1 minus Pearson's coefficient of two rows, ``1 - <x - mean x, y - mean y> /
    (|x - mean x| |y - mean y|)`` as in `scipy.spatial.distance`: the cosine distance of rows about
    their means. ``spearman`` is that of the ranks of the features in each row, of which equal ones
    have their mean rank (Spearman 1904). Sparse vectors become dense, as differences from means
    are. Other metrics are returned as they are. O(n p), for ranks O(n p log p).

    Parameters
    ----------
    vectors : (n, p) array or csr_array
    metric, algorithm : str
    names : sequence of str, optional
        Of the items, for messages.

    Raises
    ------
    DataError
        If a row is constant.
    """
    if metric not in CORRELATIONS:
        return vectors, metric
    rows = np.asarray(dense(vectors), dtype=np.float64)
    _check_not_constant(rows, f"{algorithm} with metric={metric}", names)
    if metric == "spearman":
        from scipy.stats import rankdata

        rows = rankdata(rows, axis=1)
    else:
        # So that sums of large numbers are numbers; a coefficient does not depend on the scale.
        rows = rows / np.abs(rows).max(axis=1, keepdims=True)
    centred = rows - rows.mean(axis=1, keepdims=True)
    # Again, as the mean of nearly equal numbers is rounded.
    centred -= centred.mean(axis=1, keepdims=True)
    return centred, "cosine"


def _check_not_constant(rows: Floats, algorithm: str, names: Sequence[str] | None) -> None:
    constant = np.flatnonzero(rows.max(axis=1) == rows.min(axis=1))
    if constant.size:
        name = "" if names is None else f" ({names[constant[0]]!r})"
        raise DataError(
            f"{algorithm}: row {constant[0]}{name} has the same number in all columns, so its "
            f"correlation is not defined ({constant.size} such rows); remove them or use "
            "metric=euclidean"
        )


def square_distances(
    vectors: Vectors, metric: str, algorithm: str, names: Sequence[str] | None
) -> Floats:
    """Distances (n, n) of sparse vectors, or cosine distances: O(n^2 p) time.

    Those of equal rows are exactly 0, and equal to all others.

    Parameters
    ----------
    vectors : (n, p) array or csr_array
        Sparse ones stay sparse.
    metric : {"euclidean", "cosine", "manhattan"}
        cosine is ``1 - <x, y> / (|x| |y|)``.
    algorithm, names
        For messages.

    Raises
    ------
    DataError
        If a row is zero and ``metric`` is cosine, or a distance is larger than any number.
    """
    if metric == "cosine":
        return cosine_distances(vectors, f"{algorithm} with metric=cosine", names)
    distinct, number = distinct_rows(vectors)
    if metric == "euclidean":
        return _of_all(euclidean_distances(distinct), number)
    from sklearn.metrics import pairwise_distances

    # A copy, since it sorts the indices of sparse rows in place, and hcbench's are read-only.
    with np.errstate(over="ignore"):
        distances = _finite(pairwise_distances(distinct.copy(), metric=metric))
    return _of_all(distances, number)


def _finite(distances: Floats) -> Floats:
    if not np.isfinite(distances).all():
        raise DataError("distances of the data are larger than any number; scale the data down")
    return distances


def cosine_distances(vectors: Vectors, algorithm: str, names: Sequence[str] | None) -> Floats:
    """``1 - <x, y> / (|x| |y|)`` (n, n); sparse vectors stay sparse.

    Raises
    ------
    DataError
        If a row is zero.
    """
    distinct, number = distinct_rows(directions(vectors, algorithm, names))
    distances = 1.0 - similarity_of_vectors(distinct, "dot")
    np.maximum(distances, 0.0, out=distances)
    return _of_all(distances, number)


def _of_all(distances: Floats, number: NDArray[np.int64]) -> Floats:
    """Distances of all rows from those of distinct ones, of which each row has a ``number``."""
    np.fill_diagonal(distances, 0.0)
    if len(distances) == len(number):
        return distances
    copied: Floats = distances[np.ix_(number, number)]
    return copied


def distances_of_similarities(similarity: NDArray[np.floating[Any]]) -> tuple[Floats, float]:
    """``max(S) - S`` with 0 on the diagonal, and max(S) over pairs of different items."""
    distances = -np.array(similarity, dtype=np.float64)
    np.fill_diagonal(distances, np.inf)
    top = -float(distances.min())
    distances += top
    np.fill_diagonal(distances, 0.0)
    return distances, top
