"""Average linkage of dot products, and Ward's method, in memory proportional to the vectors.

All pairs of mutual nearest clusters are merged in rounds, in which the searches are blocked matrix
products. In total there are about 4 n searches on data with and without clusters, and never more
than a constant times n.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from hcbench_vectors import _means_kernels as kernels
from hcbench_vectors._step_kernels import label
from hcbench_vectors.scaling import dense, distinct_rows, exact_centre, shift_of, unscaled

Floats: TypeAlias = NDArray[np.float64]
Ids: TypeAlias = NDArray[np.int64]
#: Search the nearest clusters of slots, among the first ``count``.
_Search: TypeAlias = Callable[[Ids, int], None]
#: Merge mutual pairs and list what is searched next: as `_means_kernels.next_round`.
_Advance: TypeAlias = Callable[[int, int, int, Floats, Ids, Ids], tuple[int, int, int]]


@dataclass(frozen=True, slots=True)
class Limits:
    """From which sizes on searches are made in another way; the merges do not depend on them.

    Attributes
    ----------
    tile : int
        Number of scores in one tile; 1 MB by default, for the cache.
    rows : int
        Number of clusters searched at once.
    little : int
        Number of multiplications of a round of searches that BLAS would not make faster.
    many : int
        Multiple of n above which searches are made one at a time, which bounds their number.
    wide : int
        Number of coordinates from which on dot products are searched by as many threads as BLAS
        may use: of 30,000 items two threads took 9.6 s where one took 6.7 with 10 coordinates, and
        11.8 instead of 13.4 with 50.
    """

    tile: int = 1 << 17
    rows: int = 256
    little: int = 1 << 16
    many: int = 16
    wide: int = 50


LIMITS = Limits()


def average_of_products(
    vectors: Floats, algorithm: str, sign: float = 1.0, limits: Limits = LIMITS
) -> Floats:
    """Repeatedly merge the two clusters of largest mean of ``sign * <x, y>`` over their pairs.

    Parameters
    ----------
    vectors : (n, p), n > 1
    algorithm
        For messages.
    sign : {1, -1}
    limits : Limits

    Returns
    -------
    (n-1, 4) linkage matrix
        Column 2 holds ``sign`` times the mean dot product, and decreases. O(n^2 p) time, O(n p)
        memory besides 1 MB.
    """
    shift = shift_of(vectors)
    merges = _merge_products(vectors * 2.0**shift, np.ones(len(vectors)), sign, limits)
    label(merges)
    merges[:, 2] = unscaled(merges[:, 2], 2 * shift, algorithm, vectors)
    return merges


def average_of_cosines(directions: Floats) -> Floats:
    """Average linkage of the distances ``1 - <x, y>`` of rows of length 1 (n, p), n > 1.

    Equal rows merge first, at exactly 0, and count as often as there are. Time and memory as of
    `average_of_products`.
    """
    n = len(directions)
    distinct, number = distinct_rows(directions)
    merges = _merge_products(dense(distinct), np.bincount(number).astype(np.float64), 1.0, LIMITS)
    # Each copy merges with the first one.
    _, first = np.unique(number, return_index=True)
    copies = np.setdiff1d(np.arange(n), first)
    merges[:, :2] = first[merges[:, :2].astype(np.int64)]
    merges[:, 2] = np.maximum(1.0 - merges[:, 2], 0.0)
    zeros = np.zeros((len(copies), 4))
    zeros[:, 0] = first[number[copies]]
    zeros[:, 1] = copies
    merges = np.concatenate((zeros, merges))
    label(merges)
    return merges


def _merge_products(vectors: Floats, size: Floats, sign: float, limits: Limits) -> Floats:
    """The merges of clusters of largest mean product, as `_Clusters.merge_all` returns them."""
    clusters = _Clusters(vectors, size, limits)

    def search(rows: Ids, count: int) -> None:
        searched = clusters.mean[rows]
        searched *= sign
        width = max(1, min(count, limits.tile // len(rows)))
        buffer = np.empty(len(rows) * width)
        for first in range(0, count, width):
            scores = _products(searched, clusters.mean[first : min(first + width, count)], buffer)
            kernels.update_nearest(scores, first, rows, clusters.nearest, clusters.best)

    def advance(
        count: int, n_rows: int, n_searches: int, merges: Floats, moved: Ids, rows: Ids
    ) -> tuple[int, int, int]:
        return kernels.next_rounds_of_products(
            count, n_rows, n_searches, limits.many * len(vectors), limits.little, sign,
            clusters.nearest, clusters.best, clusters.mean, clusters.square, clusters.size,
            clusters.item, clusters.floor, merges, moved, rows,
        )  # fmt: skip

    return clusters.merge_all(search, advance, threads=vectors.shape[1] >= limits.wide)


def ward_of_vectors(
    vectors: NDArray[np.floating[Any]], algorithm: str, limits: Limits = LIMITS
) -> Floats:
    """Repeatedly merge the two clusters that increase the sum of squares least (Ward 1963).

    Returns
    -------
    (n-1, 4) linkage matrix of scipy's distances ``sqrt(2 |u| |v| / (|u| + |v|)) |m_u - m_v|``
        O(n^2 p) time, O(n p) memory besides 1 MB.
    """
    centred = vectors - exact_centre(vectors)
    shift = shift_of(centred)
    clusters = _Clusters(centred * 2.0**shift, np.ones(len(vectors)), limits)

    def search(rows: Ids, count: int) -> None:
        searched = clusters.mean[rows]
        width = max(1, min(count, limits.tile // len(rows)))
        buffer = np.empty(len(rows) * width)
        for first in range(0, count, width):
            products = _products(searched, clusters.mean[first : min(first + width, count)], buffer)
            kernels.update_nearest_ward(
                products, first, count, rows, clusters.mean, clusters.square, clusters.size,
                clusters.nearest, clusters.best,
            )  # fmt: skip

    def advance(
        count: int, n_rows: int, n_searches: int, merges: Floats, moved: Ids, rows: Ids
    ) -> tuple[int, int, int]:
        return kernels.next_round(
            count, n_rows, n_searches, limits.many * len(vectors), clusters.nearest, clusters.best,
            clusters.mean, clusters.square, clusters.size, clusters.item, clusters.floor,
            merges, moved, rows,
        )  # fmt: skip

    merges = clusters.merge_all(search, advance, threads=True)
    label(merges)
    heights = np.sqrt(2.0 * np.abs(np.minimum(merges[:, 2], 0.0)))
    merges[:, 2] = unscaled(heights, shift, algorithm, vectors)
    return merges


def _products(searched: Floats, candidates: Floats, buffer: Floats) -> Floats:
    """One tile of dot products, in the buffer."""
    tile = buffer[: len(searched) * len(candidates)].reshape(len(searched), len(candidates))
    return np.dot(searched, candidates.T, out=tile)


# The products are too small for threads of their own: these took 10 times as long on a machine with
# other work, and gained little on an idle one.
_BLAS = ThreadpoolController()


def _allowed_threads() -> int:
    """The number of threads that BLAS may use."""
    return max((lib["num_threads"] for lib in _BLAS.info() if lib["user_api"] == "blas"), default=1)


class _Clusters:
    """The arrays of `_means_kernels`, and the loop over rounds."""

    def __init__(self, vectors: Floats, size: Floats, limits: Limits) -> None:
        self.limits = limits
        n = len(vectors)
        self.mean = np.ascontiguousarray(vectors)
        self.square = np.einsum("ij,ij->i", self.mean, self.mean)
        self.size = size
        self.item = np.arange(n)
        self.floor = np.full(n, np.inf)
        self.nearest = np.full(n, kernels.UNKNOWN)
        self.best = np.full(n, -np.inf)

    def merge_all(self, search: _Search, advance: _Advance, *, threads: bool) -> Floats:
        """Search and merge until one cluster remains; return items and scores by falling score.

        As many searches at once as there are threads, which does not change the result.
        """
        n = len(self.mean)
        n_threads = _allowed_threads() if threads and n > self.limits.rows else 1
        with _BLAS.limit(limits=1, user_api="blas"), ThreadPoolExecutor(n_threads) as pool:
            merges = self._merge_all(search, advance, pool.map if n_threads > 1 else map)
        return merges[np.argsort(-merges[:, 2], kind="stable")]

    def _merge_all(
        self, search: _Search, advance: _Advance, map_parts: Callable[..., Iterator[None]]
    ) -> Floats:
        n = count = len(self.mean)
        most_rows = self.limits.rows
        merges = np.empty((n - 1, 4))
        moved = np.empty(n, np.int64)
        rows = np.arange(n)
        n_rows = n_searches = n
        while count > 1:
            if n_rows <= most_rows:
                if n_rows > 0:
                    search(rows[:n_rows], count)
            else:
                starts = range(0, n_rows, most_rows)
                parts = [rows[at : min(at + most_rows, n_rows)] for at in starts]
                list(map_parts(search, parts, repeat(count)))
            count, n_rows, n_searches = advance(count, n_rows, n_searches, merges, moved, rows)
        return merges
