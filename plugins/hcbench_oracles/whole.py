"""Oracles that hold nothing back: the vectors or all similarities, to be read whole."""

from __future__ import annotations

import numpy as np

from hcbench import Answers, NotApplicableError, Problem, similarity_matrix


def vectors(problem: Problem, _seed: int, _budget: int | None) -> Answers:
    """The problem's vectors, dense or sparse. Nothing to count."""
    if problem.vectors is None:
        raise NotApplicableError("this data set has no vectors")
    return Answers(kind="vectors", n=problem.n, data=problem.vectors)


def similarities(
    problem: Problem, _seed: int, _budget: int | None, *, similarity: str = "cosine"
) -> Answers:
    """The similarity matrix (n, n), read-only: the problem's own, or that of its vectors.

    O(n^2 p) time for vectors of length p, 8 n^2 bytes. Nothing to count.
    """
    matrix = np.asarray(similarity_matrix(problem, similarity)).view()
    matrix.flags.writeable = False
    return Answers(kind="similarities", n=problem.n, data=matrix)
