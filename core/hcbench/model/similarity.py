"""Similarities of items that are given as vectors: one definition for oracles and metrics alike."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench.errors import DataError, NotApplicableError, ParameterError
from hcbench.model import SIMILARITY_RULES
from hcbench.model.distances import euclidean_distances
from hcbench.model.problem import Problem
from hcbench.model.views import Vectors


def unit_rows(vectors: Vectors) -> Vectors:
    """Scale every row to Euclidean length 1.

    Raises
    ------
    DataError
        If a row is zero: it has no direction.

    Examples
    --------
    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 2.0]])).round(3).tolist()
    [[0.6, 0.8], [0.0, 1.0]]
    """
    largest = _largest(vectors)
    zero = np.flatnonzero(largest == 0)
    if len(zero):
        raise DataError(
            f"row {zero[0]} is zero (of {len(zero)}) and has no cosine; drop such rows or take "
            "another similarity"
        )
    # By a power of 2, which rounds nothing: squares of 1e200 are too large, those of 1e-200 are 0.
    _, exponent = np.frexp(largest.astype(np.float64))
    vectors = _scaled(vectors, np.ldexp(1.0, -np.maximum(exponent, -1000)))
    squares = np.asarray((vectors * vectors).sum(axis=1), dtype=np.float64).ravel()
    return _scaled(vectors, 1 / np.sqrt(squares))


def _largest(vectors: Vectors) -> NDArray[np.float64]:
    """The largest absolute value of each row."""
    if isinstance(vectors, np.ndarray):
        dense: NDArray[np.float64] = np.abs(vectors).max(axis=1)
        return dense
    sizes = abs(vectors).max(axis=1)
    return np.asarray(sizes.toarray()).ravel()


def _scaled(vectors: Vectors, factors: NDArray[np.float64]) -> Vectors:
    """Each row times its factor."""
    if isinstance(vectors, np.ndarray):
        return vectors * factors[:, None]
    scaled: Vectors = vectors.multiply(factors[:, None]).tocsr()
    return scaled


def similarity_of_vectors(vectors: Vectors, rule: str) -> NDArray[np.float64]:
    """All pairwise similarities.

    Parameters
    ----------
    vectors : (n, p) array or csr_array
    rule : {"cosine", "euclidean", "dot"}
        ``<x, y> / (|x| |y|)``; ``-|x - y|``; ``<x, y>``.

    Returns
    -------
    (n, n) float64 array, symmetric
        O(n^2 p) time, O(n^2) memory.

    Raises
    ------
    ParameterError
        If there is no such rule.
    DataError
        If a row is zero and has no cosine, or a similarity is larger than any number.

    Examples
    --------
    >>> vectors = np.array([[3.0, 0.0], [0.0, 4.0]])
    >>> similarity_of_vectors(vectors, "dot").tolist()
    [[9.0, 0.0], [0.0, 16.0]]
    >>> similarity_of_vectors(vectors, "cosine").tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    if rule not in SIMILARITY_RULES:
        raise ParameterError(
            f"there is no similarity {rule!r}; the rules are {', '.join(SIMILARITY_RULES)}"
        )
    if rule == "cosine":
        return _gram(unit_rows(vectors))
    if rule == "dot":
        return _gram(vectors)
    return -euclidean_distances(vectors)


def _gram(vectors: Vectors) -> NDArray[np.float64]:
    vectors = vectors.astype(np.float64, copy=False)
    with np.errstate(over="ignore", invalid="ignore"):
        product: Any = vectors @ vectors.T
    gram: NDArray[np.float64] = product if isinstance(product, np.ndarray) else product.toarray()
    if not np.isfinite(gram).all():
        raise DataError("dot products of the data are larger than any number; scale the data down")
    # BLAS may round entries of the two halves differently; their mean is exactly symmetric.
    gram *= 0.5
    gram += gram.T
    return gram


def similarity_matrix(problem: Problem, rule: str = "cosine") -> NDArray[np.floating[Any]]:
    """The problem's own similarity matrix if it has one, else that of its vectors by a rule.

    Raises
    ------
    NotApplicableError
        If the problem has neither.

    Examples
    --------
    >>> problem = hcbench.Problem(n=3, vectors=[[1, 0], [2, 0], [0, 3]])
    >>> similarity_matrix(problem).tolist()
    [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    >>> similarity_matrix(problem, "dot").tolist()
    [[1.0, 2.0, 0.0], [2.0, 4.0, 0.0], [0.0, 0.0, 9.0]]
    """
    if not isinstance(problem, Problem):
        raise DataError(
            f"similarities are of a Problem, got {type(problem).__name__}; "
            "give hcbench.Problem(n=len(x), vectors=x)"
        )
    if problem.similarity is not None:
        return problem.similarity
    if problem.vectors is None:
        raise NotApplicableError("this data set has neither similarities nor vectors")
    return similarity_of_vectors(problem.vectors, rule)
