"""The least work that the trees of `benchmarks.peers` need on this machine.

All pairs of vectors have dot products, which BLAS makes, and each pair is looked at once. A matrix
is read once, and so is each comparison. A tree takes longer, as it also finds the pairs to merge.
Few features are an exception: their neighbours are found without a look at all pairs, so that a
tree may take less than this.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dsyrk

import hcbench

Call = Callable[[], object]


def limit_of_vectors(vectors: NDArray[np.float64], metric: str) -> Call:
    """The dot products of all pairs, if the metric has any, and a pass over the pairs."""
    n = len(vectors)
    pairs = np.ones(n * (n - 1) // 2)
    if metric == "manhattan":
        return pairs.max
    columns = np.asfortranarray(vectors.T)

    def multiply_and_read() -> None:
        dsyrk(1.0, columns, trans=1)
        pairs.max()

    return multiply_and_read


def limit_of_matrix(n: int) -> Call:
    """A pass over a square matrix, as it is given."""
    square = np.ones((n, n))
    return square.max


def limit_of_comparisons(comparisons: hcbench.Comparisons) -> Call:
    """A pass over both pairs of each comparison."""

    def read() -> None:
        comparisons.closer.max()
        comparisons.farther.max()

    return read
