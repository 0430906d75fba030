"""Halves of the items of a data set, and of data without clusters like them."""

from __future__ import annotations

import numpy as np

from hcbench import DataRequest, NotApplicableError, Problem
from hcbench.analysis import normal_reference
from hcbench_recommend.rows import whole, with_rows_scaled

#: The most items of a half, so that time and memory are bounded.
MOST_OF_HALF = 1000


def half(
    request: DataRequest,
    *,
    of: str,
    distance: str,
    division: int,
    side: int,
    reference: int,
    draw: int,
) -> Problem:
    """Return one half of the items of another data set.

    Parameters
    ----------
    of : str
        The data set.
    side : {1, 2}
        Which half.
    distance, division, reference, draw
        As of `divide`.
    """
    both = divide(whole(request, of), distance, division=division, reference=reference, draw=draw)
    size = both.n // 2
    start = size * (side - 1)
    return both.take(np.arange(start, start + size))


def divide(problem: Problem, distance: str, *, division: int, reference: int, draw: int) -> Problem:
    """The items of both halves, those of the first one before those of the second.

    If there are more than twice `MOST_OF_HALF` items, both halves have so many. The division does
    not depend on the distance, so that all methods get the same items.

    Parameters
    ----------
    problem : Problem
        All items.
    distance : str
        As of `hcbench_recommend.rows`.
    division : int
        Which division, from 1.
    reference : int
        0 for the data; from 1, which data without clusters, normal with their means and their
        covariance.
    draw : int
        The base of the random numbers.
    """
    size = size_of_half(problem.n)
    if reference:
        vectors = problem.vectors
        if not isinstance(vectors, np.ndarray):
            raise NotApplicableError("data without clusters are made of dense vectors only")
        # All divisions of one reference are of the same data.
        rng = np.random.default_rng((draw, reference))
        drawn = rng.permutation(problem.n)[: 2 * size]
        problem = Problem(n=2 * size, vectors=normal_reference(vectors[drawn], rng))
    order = np.random.default_rng((draw, division, reference)).permutation(problem.n)
    return with_rows_scaled(problem.take(order[: 2 * size]), distance)


def size_of_half(n: int) -> int:
    """The number of items of a half."""
    return min(n // 2, MOST_OF_HALF)
