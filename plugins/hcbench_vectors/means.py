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
_Advance: TypeAlias = Callable[[kernels.Progress, kernels.Rounds], kernels.Progress]


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
    few : int
        Number of coordinates up to which Ward's method searches in a k-d tree.
    wide : int
        Number of coordinates from which on dot products are searched by as many threads as BLAS
        may use: of 30,000 items two threads took 9.6 s where one took 6.7 with 10 coordinates, and
        11.8 instead of 13.4 with 50.
    """

    tile: int = 1 << 17
    rows: int = 256
    little: int = 1 << 16
    many: int = 16
    few: int = 6
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
    """The merges of clusters of largest mean product, as `_merge_all` returns them."""
    clusters = _new_clusters(vectors, size)
    most_searches = limits.many * len(vectors)

    def search(rows: Ids, count: int) -> None:
        searched = clusters.mean[rows]
        searched *= sign
        for first, scores in _tiles(searched, clusters.mean[:count], limits.tile):
            kernels.update_nearest(scores, first, rows, clusters.nearest, clusters.best)

    def advance(progress: kernels.Progress, rounds: kernels.Rounds) -> kernels.Progress:
        return kernels.next_rounds_of_products(
            progress, most_searches, limits.little, sign, clusters, rounds
        )

    n_threads = 1
    if vectors.shape[1] >= limits.wide:
        n_threads = _allowed_threads(len(vectors), limits)
    return _merge_all(len(vectors), search, advance, limits.rows, n_threads)


def ward_of_vectors(
    vectors: NDArray[np.floating[Any]], algorithm: str, limits: Limits = LIMITS
) -> Floats:
    """Repeatedly merge the two clusters that increase the sum of squares least (Ward 1963).

    Returns
    -------
    (n-1, 4) linkage matrix of scipy's distances ``sqrt(2 |u| |v| / (|u| + |v|)) |m_u - m_v|``
        O(n^2 p) time, O(n p) memory besides 1 MB. With few coordinates usually O(n log n) time, by
        a k-d tree.
    """
    centred = vectors - exact_centre(vectors)
    shift = shift_of(centred)
    clusters = _new_clusters(centred * 2.0**shift, np.ones(len(vectors)))
    merges = _merge_ward(clusters, limits)
    label(merges)
    heights = np.sqrt(2.0 * np.abs(np.minimum(merges[:, 2], 0.0)))
    merges[:, 2] = unscaled(heights, shift, algorithm, vectors)
    return merges


def _merge_ward(clusters: kernels.Clusters, limits: Limits) -> Floats:
    """The merges by Ward's score, as `_merge_all` returns them."""
    n, p = clusters.mean.shape
    most_searches = limits.many * n
    if p <= limits.few:
        from hcbench_vectors import _near_kernels

        rounds = _new_rounds(n)
        progress = kernels.Progress(n_clusters=n, n_rows=n, n_searches=n)
        tree = _near_kernels.new_tree(n, p)
        _near_kernels.merge_ward(progress, most_searches, clusters, rounds, tree)
        return _by_score(rounds.merges)

    def search(rows: Ids, count: int) -> None:
        for first, products in _tiles(clusters.mean[rows], clusters.mean[:count], limits.tile):
            kernels.update_nearest_ward(products, first, count, rows, clusters)

    def advance(progress: kernels.Progress, rounds: kernels.Rounds) -> kernels.Progress:
        return kernels.next_round(progress, most_searches, clusters, rounds)

    return _merge_all(n, search, advance, limits.rows, _allowed_threads(n, limits))


def _new_clusters(vectors: Floats, size: Floats) -> kernels.Clusters:
    """Each vector is a cluster of some size; no nearest one is known."""
    n = len(vectors)
    mean = np.ascontiguousarray(vectors)
    return kernels.Clusters(
        mean=mean,
        square=np.einsum("ij,ij->i", mean, mean),
        size=size,
        item=np.arange(n),
        floor=np.full(n, np.inf),
        nearest=np.full(n, kernels.UNKNOWN),
        best=np.full(n, -np.inf),
    )


def _tiles(searched: Floats, means: Floats, tile: int) -> Iterator[tuple[int, Floats]]:
    """Dot products of some means with all, at most ``tile`` at a time, and the first of these.

    The next products overwrite them.
    """
    count = len(means)
    width = max(1, min(count, tile // len(searched)))
    buffer = np.empty(len(searched) * width)
    for first in range(0, count, width):
        candidates = means[first : first + width]
        products = buffer[: len(searched) * len(candidates)]
        products = products.reshape(len(searched), len(candidates))
        yield first, np.dot(searched, candidates.T, out=products)


# The products are too small for threads of their own: these took 10 times as long on a machine with
# other work, and gained little on an idle one.
_BLAS = ThreadpoolController()


def _allowed_threads(n: int, limits: Limits) -> int:
    """The number of searches of n clusters at once: as many as there are threads of BLAS."""
    if n <= limits.rows:
        return 1
    return max((lib["num_threads"] for lib in _BLAS.info() if lib["user_api"] == "blas"), default=1)


def _merge_all(
    n: int, search: _Search, advance: _Advance, most_rows: int, n_threads: int
) -> Floats:
    """Search and merge until one cluster remains; return items and scores by falling score.

    ``n_threads`` searches, each of ``most_rows`` clusters, are made at once, which does not change
    the result.
    """
    rounds = _new_rounds(n)
    progress = kernels.Progress(n_clusters=n, n_rows=n, n_searches=n)
    with _BLAS.limit(limits=1, user_api="blas"), ThreadPoolExecutor(n_threads) as pool:
        # Without a pool where one search is made at a time.
        map_parts: Callable[..., Iterator[None]] = pool.map if n_threads > 1 else map
        while progress.n_clusters > 1:
            parts = _parts(rounds.rows[: progress.n_rows], most_rows)
            if len(parts) == 1:
                search(parts[0], progress.n_clusters)
            else:
                list(map_parts(search, parts, repeat(progress.n_clusters)))
            progress = advance(progress, rounds)
    return _by_score(rounds.merges)


def _new_rounds(n: int) -> kernels.Rounds:
    """No merges, and all of n clusters to search."""
    return kernels.Rounds(
        merges=np.empty((n - 1, 4)),
        moved=np.empty(n, np.int64),
        must_search=np.empty(n, np.bool_),
        rows=np.arange(n),
    )


def _by_score(merges: Floats) -> Floats:
    return merges[np.argsort(-merges[:, 2], kind="stable")]


def _parts(rows: Ids, most_rows: int) -> list[Ids]:
    """The rows to search, at most so many in a part."""
    return [rows[start : start + most_rows] for start in range(0, len(rows), most_rows)]
