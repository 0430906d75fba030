"""Average linkage of dot products, and Ward's method, in memory proportional to the vectors.

All pairs of mutual nearest clusters are merged in rounds, in which the searches are blocked matrix
products. In total there are about 4 n searches on data with and without clusters, and never more
than a constant times n.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from hcbench_vectors import _means_kernels as kernels
from hcbench_vectors.products import check_size, in_order

Floats: TypeAlias = NDArray[np.float64]
Ids: TypeAlias = NDArray[np.int64]
_Search: TypeAlias = Callable[[Ids, int], None]

#: Scores in one tile (1 MB, for the cache), and clusters searched at once.
_TILE = 1 << 17
_ROWS = 256
#: Multiple of n above which searches are made one at a time, which bounds their number.
_MANY = 16
#: From this number of coordinates dot products are searched by as many threads as BLAS may use: of
#: 30,000 items two threads took 9.6 s where one took 6.7 with 10, and 11.8 instead of 13.4 with 50.
_WIDE = 50


def average_of_products(vectors: Floats, sign: float = 1.0) -> Floats:
    """Repeatedly merge the two clusters of largest mean of ``sign * <x, y>`` over their pairs.

    Parameters
    ----------
    vectors : (n, p), n > 1
    sign : {1, -1}

    Returns
    -------
    (n-1, 4) linkage matrix
        Column 2 holds ``sign`` times the mean dot product, and decreases. O(n^2 p) time, O(n p)
        memory besides 1 MB.
    """
    clusters = _Clusters(vectors)

    def search(rows: Ids, count: int) -> None:
        for first, scores in clusters.tiles(rows, count, sign):
            kernels.update_nearest(scores, first, rows, clusters.nearest, clusters.best)

    return clusters.merge_all(search, _allowed_threads() if vectors.shape[1] >= _WIDE else 1)


def ward_of_vectors(vectors: NDArray[np.floating[Any]]) -> Floats:
    """Repeatedly merge the two clusters that increase the sum of squares least (Ward 1963).

    Returns
    -------
    (n-1, 4) linkage matrix of scipy's distances ``sqrt(2 |u| |v| / (|u| + |v|)) |m_u - m_v|``
        O(n^2 p) time, O(n p) memory besides 1 MB.
    """
    # Centring keeps the distances and reduces the rounding of dot products of means.
    clusters = _Clusters(vectors - vectors.mean(axis=0))

    def search(rows: Ids, count: int) -> None:
        mean = clusters.mean[:count]
        square = np.einsum("ij,ij->i", mean, mean)
        for first, products in clusters.tiles(rows, count):
            kernels.update_nearest_ward(
                products, first, rows, clusters.mean, square, clusters.size, square.max(),
                clusters.nearest, clusters.best,
            )  # fmt: skip

    merges = clusters.merge_all(search, _allowed_threads())
    merges[:, 2] = np.sqrt(2.0 * np.abs(np.minimum(merges[:, 2], 0.0)))
    return merges


# The products are too small for threads of their own: these took 10 times as long on a machine with
# other work, and gained little on an idle one.
_BLAS = ThreadpoolController()


def _allowed_threads() -> int:
    """The number of threads that BLAS may use."""
    return max((lib["num_threads"] for lib in _BLAS.info() if lib["user_api"] == "blas"), default=1)


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

    def tiles(self, rows: Ids, count: int, sign: float = 1.0) -> Iterator[tuple[int, Floats]]:
        """Yield dot products of the means of ``rows`` with those of slots from ``first`` on."""
        chosen = sign * self.mean[rows]
        width = min(count, _TILE // len(rows))
        buffer = np.empty(len(rows) * width)
        for first in range(0, count, width):
            others = self.mean[first : min(first + width, count)]
            tile = buffer[: len(rows) * len(others)].reshape(len(rows), len(others))
            yield first, np.dot(chosen, others.T, out=tile)

    def merge_all(self, search: _Search, threads: int) -> Floats:
        """Search and merge until one cluster remains.

        As many searches at once as there are threads, which does not change the result.
        """
        with _BLAS.limit(limits=1, user_api="blas"), ThreadPoolExecutor(threads) as pool:
            return self._merge_all(search, pool.map if threads > 1 else map)

    def _merge_all(self, search: _Search, each: Callable[..., Iterator[None]]) -> Floats:
        n = count = len(self.mean)
        merges = np.empty((n - 1, 4))
        moved, rows = np.empty(n, np.int64), np.arange(n)
        n_wanted, searches = n, 0
        while count > 1:
            if not n_wanted:
                kernels.break_cycle(count, self.nearest, self.best)
            searches += n_wanted
            self.best[rows[:n_wanted]] = -np.inf
            parts = [rows[at : min(at + _ROWS, n_wanted)] for at in range(0, n_wanted, _ROWS)]
            list(each(search, parts, repeat(count)))
            count -= kernels.merge_mutual(
                count, n - count, self.nearest, self.best, self.mean, self.size, self.node,
                merges, moved,
            )  # fmt: skip
            choose = kernels.clusters_to_search if searches < _MANY * n else kernels.end_of_chain
            n_wanted = choose(count, self.nearest, rows)
        return in_order(merges)
