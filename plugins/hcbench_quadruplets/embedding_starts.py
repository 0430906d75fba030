"""Starting points of an ordinal embedding, and the choice of the best result."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from hcbench import Comparisons
from hcbench_quadruplets import _embedding_kernels as kernels
from hcbench_quadruplets.pairs import net_wins

Points: TypeAlias = NDArray[np.float64]
Descent: TypeAlias = Callable[[Points], tuple[float, Points]]


def best_embedding(
    triplets: Comparisons, d: int, restarts: int, rng: np.random.Generator, descend: Descent
) -> tuple[float, Points]:
    """The lowest loss after a descent from each of the `starts`, and its points (n, d)."""
    ends = map(descend, starts(triplets, d, restarts, rng))
    return min(ends, key=lambda end: end[0])


def starts(
    triplets: Comparisons, d: int, restarts: int, rng: np.random.Generator
) -> Iterator[Points]:
    """`first_start`, followed by random starts of standard normal points (n, d)."""
    yield first_start(triplets, d, rng)
    for _ in range(restarts):
        yield rng.normal(size=(triplets.n, d))


def first_start(triplets: Comparisons, d: int, rng: np.random.Generator) -> Points:
    """The first step of projected gradient descent from the Gram matrix 0, as points (n, d).

    If all items coincide, the steepest descent of every loss of margins is along the Laplacian of
    the number of times a pair was closer minus the number of times it was farther: the axes are its
    eigenvectors, scaled to a mean squared distance of 1. Axes without an eigenvalue of the right
    sign (d may be larger than n) are small and random, so that they do not remain 0. O(m + n^3).
    """
    n = triplets.n
    laplacian = np.empty((n, n))
    kernels.gradient_of_gram(net_wins(triplets).astype(np.float64), laplacian)
    coordinates = nearest_of_rank(-laplacian, d)
    points = np.zeros((n, d))
    points[:, : coordinates.shape[1]] = coordinates
    spread = np.sqrt(2 * points.var(axis=0).sum())
    if spread > 0:
        points /= spread
    empty = ~points.any(axis=0)
    points[:, empty] = 0.1 * rng.normal(size=(n, int(empty.sum())))
    return points


def nearest_of_rank(gram: NDArray[np.float64], d: int) -> Points:
    """Points (n, min(d, n)) whose Gram matrix is nearest to a symmetric matrix (n, n). O(n^3)."""
    n = len(gram)
    values, vectors = eigh(gram, subset_by_index=(max(n - d, 0), n - 1))
    return np.ascontiguousarray(vectors * np.sqrt(np.maximum(values, 0.0)))
