"""Rows of data scaled so that Euclidean distances between them are other distances.

Any method can so be tried with other distances, also one that has no parameter for them: it gets
other data.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench import DataRequest, NotApplicableError, Problem

#: The distances, and what is done to the rows.
DISTANCES = {
    "euclidean": "rows as they are",
    "correlation": "each row with mean 0 and standard deviation 1",
    "cosine": "each row with length 1",
}
#: The fewest columns with which other distances than Euclidean ones are tried by default: rows of
#: so few numbers are correlated by chance.
FEWEST_COLUMNS = 5


def whole(request: DataRequest, of: str, distance: str = "euclidean") -> Problem:
    """All items of a data set, made with seed 0, with their rows scaled.

    Items without names have their numbers as names.

    Parameters
    ----------
    request : DataRequest
        It makes the data set.
    of : str
        The data set.
    distance : str
        One of `DISTANCES`.
    """
    problem = request.make(of)
    if problem.names is None:
        problem = replace(problem, names=tuple(map(str, range(problem.n))))
    return with_rows_scaled(problem, distance)


def rows(request: DataRequest, *, of: str, distance: str) -> Problem:
    """Return all items of another data set, with their rows scaled."""
    return whole(request, of, distance)


def with_rows_scaled(problem: Problem, distance: str) -> Problem:
    """A problem whose Euclidean distances are the named ones, up to a monotone function.

    Raises
    ------
    NotApplicableError
        If it has no dense vectors, but another distance than Euclidean is asked for.
    """
    if distance == "euclidean":
        return problem
    vectors = problem.vectors
    if not isinstance(vectors, np.ndarray):
        raise NotApplicableError(
            f"distance={distance}: rows are scaled of dense vectors only; write distance=euclidean"
        )
    return replace(problem, vectors=scale_rows(vectors, distance))


def scale_rows(vectors: NDArray[Any], distance: str) -> NDArray[np.float64]:
    """Rows scaled so that their Euclidean distances are those of another kind.

    The squared distances are ``2 p (1 - r)`` with the correlation r for ``correlation``, of rows of
    p numbers with mean 0 and variance 1, and ``2 (1 - c)`` with the cosine c for ``cosine``. Rows
    without variance, or without length, are 0.

    Parameters
    ----------
    vectors : (n, p) array
    distance : {"correlation", "cosine"}
    """
    scaled = np.array(vectors, dtype=np.float64)
    if distance == "correlation":
        scaled -= scaled.mean(axis=1, keepdims=True)
        length = scaled.std(axis=1, keepdims=True)
    else:
        length = np.linalg.norm(scaled, axis=1, keepdims=True)
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0.0)
    is_zero = length <= 1e-12 * largest
    length[is_zero] = 1.0
    scaled[is_zero[:, 0]] = 0.0
    scaled /= length
    return scaled
