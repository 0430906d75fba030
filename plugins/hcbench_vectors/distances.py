"""Distances (n, n) of vectors and of similarities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError, similarity_of_vectors

if TYPE_CHECKING:
    from hcbench import Vectors


def cosine_distances(
    vectors: Vectors, algorithm: str, names: Sequence[str] | None
) -> NDArray[np.float64]:
    """``1 - <x, y> / (|x| |y|)``; sparse vectors stay sparse.

    Raises
    ------
    DataError
        If a row is zero: it has no direction.
    """
    vectors = vectors.astype(np.float64, copy=False)
    squares = np.asarray((vectors * vectors).sum(axis=1)).ravel()
    zero = np.flatnonzero(squares == 0)
    if zero.size:
        name = "" if names is None else f" ({names[zero[0]]!r})"
        raise DataError(
            f"{algorithm} with metric=cosine: row {zero[0]}{name} is zero and has no direction "
            f"({zero.size} such rows); drop them or take metric=euclidean"
        )
    distances = np.maximum(1.0 - similarity_of_vectors(vectors, "cosine"), 0.0)
    np.fill_diagonal(distances, 0.0)
    return distances


def distances_of_similarities(
    similarity: NDArray[np.floating[Any]],
) -> tuple[NDArray[np.float64], float]:
    """``max(S) - S`` with 0 on the diagonal, and max(S) over pairs of different items."""
    distances = -np.array(similarity, dtype=np.float64)
    np.fill_diagonal(distances, np.inf)
    top = -float(distances.min())
    distances += top
    np.fill_diagonal(distances, 0.0)
    return distances, top
