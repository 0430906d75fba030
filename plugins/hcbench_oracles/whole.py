"""Oracles that give algorithms all vectors or all similarities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hcbench import Answers, NotApplicableError, OracleRequest, Problem, similarity_matrix

ROUNDING = 1e-12
"""Similarities of vectors are tied if they differ by at most this proportion of the largest."""


def vectors(request: OracleRequest) -> Answers:
    """The problem's vectors, dense or sparse. No queries are counted."""
    problem = request.problem
    if problem.vectors is None:
        raise NotApplicableError("this data set has no vectors")
    return Answers(kind="vectors", n=problem.n, data=problem.vectors)


def graph(request: OracleRequest) -> Answers:
    """The problem's graph, sparse. No queries are counted."""
    problem = request.problem
    if problem.graph is None:
        raise NotApplicableError("this data set has no graph")
    return Answers(kind="graph", n=problem.n, data=problem.graph)


def similarities(request: OracleRequest, *, similarity: str = "cosine") -> Answers:
    """The similarity matrix (n, n), read-only: the problem's own, or that of its vectors.

    O(n^2 p) time for vectors of length p, 8 n^2 bytes. No queries are counted.
    """
    problem = request.problem
    matrix = np.asarray(similarity_matrix(problem, similarity)).view()
    matrix.flags.writeable = False
    return Answers(kind="similarities", n=problem.n, data=matrix)


def similarities_of_pairs(problem: Problem, rule: str) -> tuple[NDArray[np.float64], float]:
    """The similarities of all pairs, from which comparisons follow, and the tolerance for ties.

    Similarities (n(n-1)/2,) are in scipy's condensed order. O(n^2 p) time, O(n^2) memory.
    """
    from scipy.spatial.distance import squareform

    w = np.asarray(similarity_matrix(problem, rule), dtype=np.float64)
    # Values of the data are compared as they are; computed ones have rounding errors.
    pairs = squareform(w, checks=False)
    if problem.similarity is not None:
        return pairs, 0.0
    return pairs, ROUNDING * float(max(w.max(), -w.min()))
