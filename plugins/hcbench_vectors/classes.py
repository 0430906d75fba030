"""Similarity of the classes of labelled data, averaged over pairs of items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hcbench import NotApplicableError, ParameterError
from hcbench.model import euclidean_of_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcbench import Problem, Scored
    from hcbench.model import Vectors

    Floats = NDArray[np.float64]

#: Distances in one block: 32 MB.
_BLOCK_SIZE = 1 << 22


def related_neighbours(
    scored: Scored, *, of: int | None = None, k: int = 5, by: str = "dot-product"
) -> float:
    """Number of the k classes closest to a class that share its coarsest class.

    Closest by the mean over pairs of items, one in each class (Gray et al. 2023, figure 3c-d). It
    is a property of the data: the result is not used.

    Parameters
    ----------
    scored : Scored
        The problem must have vectors and class labels in two levels or more.
    of : int, optional
        Index of the class among the finest classes, sorted by their labels; by default the mean
        over those that share their coarsest class with another.
    k : int
    by : {"dot-product", "euclidean"}
        Largest mean dot product, or smallest mean distance.

    Returns
    -------
    float
        From 0 to k. O(n m p) time for m items of the class, in blocks of 32 MB.

    Raises
    ------
    NotApplicableError
        If there are no vectors or not two levels of labels; without ``of``, if no two classes share
        their coarsest class.
    ParameterError
        If there is no such class, or fewer than k others.
    """
    problem = scored.problem
    if problem.vectors is None:
        raise NotApplicableError("this data set has no vectors")
    class_of, coarse = finest_classes(problem)
    if of is None:
        # Classes that share their coarsest class with another one.
        size_of_coarse = np.bincount(coarse)
        rows = np.flatnonzero(size_of_coarse[coarse] > 1)
    else:
        rows = np.array([of])
    if not rows.size:
        raise NotApplicableError("no two classes share their coarsest class")
    if max(rows[-1], k) >= coarse.size:
        raise ParameterError(
            f"of and k must be below the number of classes, {coarse.size}; got of={of}, k={k}"
        )
    vectors = problem.vectors.astype(np.float64, copy=False)
    if by == "dot-product":
        distance = -average_dot_products(vectors, class_of, rows)
    else:
        distance = average_distances(vectors, class_of, rows)
    # A class is not one of its own neighbours.
    distance[np.arange(rows.size), rows] = np.inf
    neighbours = np.argsort(distance, axis=1, kind="stable")[:, :k]
    is_related = coarse[neighbours] == coarse[rows][:, None]
    return float(is_related.sum(axis=1).mean())


def finest_classes(problem: Problem) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The finest class (n,) of each item, and the coarsest class (K,) of each of these.

    Raises
    ------
    NotApplicableError
        If the problem has no labels in two levels or more.
    """
    if problem.levels is None or problem.levels.shape[1] < 2:
        raise NotApplicableError("this data set has no class labels in two levels")
    rows, class_of = np.unique(problem.levels, axis=0, return_inverse=True)
    return np.asarray(class_of, np.int64).ravel(), np.asarray(rows[:, 0], np.int64)


def average_dot_products(
    vectors: Vectors, class_of: NDArray[np.int64], rows: NDArray[np.int64] | None = None
) -> Floats:
    """Mean dot product over the pairs of items from two classes, or from one class.

    An item is not paired with itself. NaN for a class of one item and itself.

    Parameters
    ----------
    vectors : (n, p)
    class_of : (n,) int array, 0 to K-1
        Classes, a row of the result for each; by default all.

    Returns
    -------
    (len(rows), K) float array
        O(n p + K^2 p) time.
    """
    from scipy import sparse

    n = class_of.size
    size = np.bincount(class_of).astype(np.float64)
    if rows is None:
        rows = np.arange(size.size)
    members = sparse.csr_array((np.ones(n), (class_of, np.arange(n))))
    sums: Any = members @ vectors
    if not isinstance(sums, np.ndarray):
        sums = sums.toarray()
    # The dot product of two sums is the sum of all dot products. Inside of a class it includes
    # those of items with themselves.
    total = sums[rows] @ sums.T
    squares = np.asarray((vectors * vectors).sum(axis=1), dtype=np.float64).ravel()
    square_of_class = np.bincount(class_of, weights=squares)
    total[np.arange(rows.size), rows] -= square_of_class[rows]
    return _over_pairs(total, size, rows)


def average_distances(
    vectors: Vectors,
    class_of: NDArray[np.int64],
    rows: NDArray[np.int64] | None = None,
    *,
    block_size: int = _BLOCK_SIZE,
) -> Floats:
    """Mean Euclidean distance of two different items; as `average_dot_products`.

    O(n m p) time for m items in the classes of ``rows``, of which ``block_size`` distances are in
    memory at a time.
    """
    size = np.bincount(class_of).astype(np.float64)
    if rows is None:
        rows = np.arange(size.size)
    items = np.flatnonzero(np.isin(class_of, rows))
    # The items of the chosen classes first, so that they are slices of rows.
    order = np.concatenate([items, np.setdiff1d(np.arange(class_of.size), items)])
    between = euclidean_of_rows(vectors[order])
    # Whether each item, in this order, is in each class.
    members = np.eye(size.size)[class_of[order]]
    row_of_item = np.searchsorted(rows, class_of[items])
    total = np.zeros((rows.size, size.size))
    step = max(1, block_size // class_of.size)
    for first in range(0, items.size, step):
        block = slice(first, min(first + step, items.size))
        to_classes = between(block, slice(0, class_of.size)) @ members
        np.add.at(total, row_of_item[block], to_classes)
    return _over_pairs(total, size, rows)


def _over_pairs(total: Floats, size: Floats, rows: NDArray[np.int64]) -> Floats:
    """Sums over pairs of different items, divided by the numbers of these pairs."""
    pairs = np.outer(size[rows], size)
    pairs[np.arange(rows.size), rows] -= size[rows]
    mean = np.full_like(total, np.nan)
    return np.divide(total, pairs, out=mean, where=pairs > 0)
