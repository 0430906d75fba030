"""Average linkage of dot products, and Ward, in the memory of the vectors.

All pairs of clusters that are each other's nearest are merged in rounds; the searches of a round
are blocked matrix products. The few that are wanted in a round are about 4 n in all on data with
and without clusters, and never more than a constant times n.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from hcbench import DataError
from hcbench_vectors import _means_kernels as kernels

Floats: TypeAlias = NDArray[np.float64]
Ids: TypeAlias = NDArray[np.int64]
_Search: TypeAlias = Callable[[Ids, int], None]

#: Scores that are held at once, 1 MB in a cache, and the clusters that are searched for at once.
_TILE = 1 << 17
_ROWS = 256
#: Searches over n, beyond which they are made one at a time, as their number is bounded then.
_MANY = 16


def average_of_products(vectors: Floats, sign: float = 1.0) -> Floats:
    """Merge the two clusters of largest mean of ``sign * <x, y>`` over their pairs, and so on.

    Parameters
    ----------
    vectors : (n, p), n > 1
    sign : {1, -1}

    Returns
    -------
    (n-1, 4) linkage matrix
        Column 2 holds ``sign`` times the mean dot product, which falls. O(n^2 p) time, O(n p)
        memory beside 1 MB.
    """
    clusters = _Clusters(vectors)

    def search(rows: Ids, count: int) -> None:
        for first, scores in clusters.tiles(rows, count, sign):
            kernels.keep_best(scores, first, rows, clusters.nearest, clusters.best)

    return clusters.merge_all(search)


def ward_of_vectors(vectors: NDArray[np.floating[Any]]) -> Floats:
    """Merge the two clusters whose merge raises the sum of squares least (Ward 1963).

    Returns
    -------
    (n-1, 4) linkage matrix of scipy's distances ``sqrt(2 |u| |v| / (|u| + |v|)) |m_u - m_v|``
        O(n^2 p) time, O(n p) memory beside 1 MB.
    """
    # Distances stay the same, and dot products of means lose fewer digits.
    clusters = _Clusters(vectors - vectors.mean(axis=0))
    square, largest = np.empty(len(vectors)), np.empty(1)

    def search(rows: Ids, count: int) -> None:
        mean = clusters.mean[:count]
        np.einsum("ij,ij->i", mean, mean, out=square[:count])
        largest[0] = square[:count].max()
        for first, products in clusters.tiles(rows, count):
            kernels.keep_best_ward(
                products, first, rows, clusters.mean, square, clusters.size, largest,
                clusters.nearest, clusters.best,
            )  # fmt: skip

    merges = clusters.merge_all(search)
    merges[:, 2] = np.sqrt(2.0 * np.abs(np.minimum(merges[:, 2], 0.0)))
    return merges


# The products are too small to share: threads that wait for each other took 10 times as long on a
# machine with other work to do, and gained little on one without.
_BLAS = ThreadpoolController()


class _Clusters:
    """The arrays of `_means_kernels`, and the loop over rounds."""

    def __init__(self, vectors: NDArray[np.floating[Any]]) -> None:
        n = len(vectors)
        self.mean = np.array(vectors, dtype=np.float64, order="C")
        check_size(4.0 * float(np.vdot(self.mean, self.mean)))
        self.size = np.ones(n)
        self.node = np.arange(n)
        self.nearest = np.full(n, kernels.UNKNOWN)
        self.best = np.full(n, -np.inf)
        self._room = np.empty(min(_TILE, n * min(n, _ROWS)))

    def tiles(self, rows: Ids, count: int, sign: float = 1.0) -> Iterator[tuple[int, Floats]]:
        """Dot products of the means of rows with those of slots from ``first`` on."""
        chosen = sign * self.mean[rows]
        width = min(count, len(self._room) // len(rows))
        for first in range(0, count, width):
            others = self.mean[first : min(first + width, count)]
            tile = self._room[: len(rows) * len(others)].reshape(len(rows), len(others))
            yield first, np.dot(chosen, others.T, out=tile)

    def merge_all(self, search: _Search) -> Floats:
        """Run until one cluster is left."""
        with _BLAS.limit(limits=1, user_api="blas"):
            return self._merge_all(search)

    def _merge_all(self, search: _Search) -> Floats:
        n = count = len(self.mean)
        merges = np.empty((n - 1, 4))
        moved, rows = np.empty(n, np.int64), np.arange(n)
        found, searches = n, 0
        while count > 1:
            if not found:
                kernels.settle(count, self.nearest, self.best)
            searches += found
            self.best[rows[:found]] = -np.inf
            for start in range(0, found, _ROWS):
                search(rows[start : min(start + _ROWS, found)], count)
            count -= kernels.merge_mutual(
                count, n - count, self.nearest, self.best, self.mean, self.size, self.node,
                merges, moved,
            )  # fmt: skip
            choose = kernels.wanted if searches < _MANY * n else kernels.wanted_on_path
            found = choose(count, self.nearest, rows)
        return in_order(merges)


def check_size(largest: float) -> None:
    """Refuse data of which not even a bound of all scores is finite: searches would find nothing.

    Raises
    ------
    DataError
    """
    if not np.isfinite(largest):
        raise DataError("the data are so large that their products overflow; scale them down")


def in_order(merges: Floats) -> Floats:
    """Sort merges by falling score, and number the nodes anew: O(n log n)."""
    n = len(merges) + 1
    order = np.argsort(-merges[:, 2], kind="stable")
    number = np.arange(2 * n - 1)
    number[n + order] = n + np.arange(n - 1)
    merges = merges[order]
    merges[:, :2] = number[merges[:, :2].astype(np.int64)]
    return merges
