"""Compiled centroid and median linkage, whose heights may decrease. Input is not checked.

Both are the generic algorithm of Müllner (2011, section 3.1). ``merges`` (n-1, 4), written, holds
an item of each of the two merged clusters and the height, in the order of merging.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench_vectors._distance_kernels import BLOCK, SQUARED, measure
from hcbench_vectors._step_kernels import CHUNK, entry, nearest_slot

_SPARSE = 0.8  # proportion of remaining clusters below which the arrays are compressed


@register_jitable(fastmath={"nnan", "nsz", "reassoc"})
def _least(bound: NDArray[np.float64]) -> float:
    """The least bound, with vector instructions."""
    least = np.inf
    for at in range(bound.size):
        least = min(least, bound[at])
    return least


@register_jitable
def _update(lows: NDArray[np.float64], bound: NDArray[np.float64], chunk: int) -> None:
    """Write the least bound of a chunk of clusters."""
    lows[chunk] = _least(bound[chunk * CHUNK : min((chunk + 1) * CHUNK, bound.size)])


@register_jitable
def _nearer(
    point: NDArray[np.float64],
    columns: NDArray[np.float64],
    low: int,
    end: int,
    gone: NDArray[np.float64],
    order: NDArray[np.int64],
    distance: NDArray[np.float64],
    smallest: float,
    nearest: int,
) -> tuple[float, int]:
    """Compare a block of centres, from slot ``low`` on and below ``end``, with the nearest one."""
    block = distance[: min(BLOCK, end - low)]
    measure(point, columns, low, SQUARED, block)
    smallest, slot = nearest_slot(block, gone[low:], order, smallest)
    if slot >= 0:
        nearest = low + slot
    return smallest, nearest


class Centres(NamedTuple):
    """State of `merge_centres` for n slots, each of a cluster, which has gone if it was merged."""

    #: (p, n) float64. The centres.
    columns: NDArray[np.float64]
    #: (n,) float64. Numbers of items.
    size: NDArray[np.float64]
    #: (n,) float64. Infinite if the cluster has gone, otherwise 0.
    gone: NDArray[np.float64]
    #: (n,) float64. A lower bound of the squared distance to the clusters that are older.
    bound: NDArray[np.float64]
    #: (n,) int64. The slot of the cluster at that distance, or -1 if it has changed or gone.
    nearest: NDArray[np.int64]
    #: (n,) bool. Whether the cluster was merged from others, and so is younger than all of them.
    merged: NDArray[np.bool_]
    #: (n,) int64. 0..n-1: of equal distances that of the lowest slot is preferred.
    order: NDArray[np.int64]
    #: (n,) int64. An item of each cluster.
    item: NDArray[np.int64]
    #: (n / CHUNK,) float64. The least bound of each chunk of slots.
    lows: NDArray[np.float64]
    #: (p,) float64. Work space: a centre.
    point: NDArray[np.float64]
    #: (BLOCK,) float64. Work space: the distances of that centre to a block of others.
    distance: NDArray[np.float64]
    #: (n,) int64. Work space of `_compress`: the old slot of each new one.
    kept: NDArray[np.int64]
    #: (n,) int64. Work space of `_compress`: the new slot of each old one.
    slot: NDArray[np.int64]


def new_centres(columns: NDArray[np.float64]) -> Centres:
    """Each item is a cluster, whose bound and nearest one are not known. O(n)."""
    # Allocated here and not in a kernel, where it would take a second to compile.
    p, n = columns.shape
    return Centres(
        columns=columns,
        size=np.ones(n),
        gone=np.zeros(n),
        bound=np.full(n, np.inf),
        nearest=np.full(n, -1),
        merged=np.zeros(n, np.bool_),
        order=np.arange(n),
        item=np.arange(n),
        lows=np.empty(-(-n // CHUNK)),
        point=np.empty(p),
        distance=np.empty(BLOCK),
        kept=np.empty(n, np.int64),
        slot=np.empty(n, np.int64),
    )


@register_jitable
def _measure_all(c: Centres) -> None:
    """Find the nearest older item of each one. O(n^2 p), by blocks that remain in the cache."""
    p, n = c.columns.shape
    for low in range(0, n, BLOCK):
        for u in range(low + 1, n):
            for k in range(p):
                c.point[k] = c.columns[k, u]
            c.bound[u], c.nearest[u] = _nearer(
                c.point, c.columns, low, u, c.gone, c.order, c.distance, c.bound[u], c.nearest[u]
            )
    for chunk in range(c.lows.size):
        _update(c.lows, c.bound, chunk)


@register_jitable
def _compress(c: Centres, width: int, count: int) -> None:
    """Move the ``count`` clusters that remain into the first slots. O(n p)."""
    columns = c.columns
    kept = c.kept
    # Number the slots that are kept.
    at = 0
    for i in range(width):
        if c.gone[i] == 0:
            kept[at] = i
            c.slot[i] = at
            at += 1
    for i in range(count):
        old = kept[i]
        c.size[i] = c.size[old]
        c.item[i] = c.item[old]
        c.bound[i] = c.bound[old]
        c.merged[i] = c.merged[old]
        nearest = c.nearest[old]
        if nearest >= 0:
            nearest = c.slot[nearest]
        c.nearest[i] = nearest
        c.gone[i] = 0.0
    for k in range(columns.shape[0]):
        for i in range(count):
            columns[k, i] = columns[k, kept[i]]
    # No pair is found in the slots that are not used any more.
    for i in range(count, width):
        c.bound[i] = np.inf
    for chunk in range(c.lows.size):
        _update(c.lows, c.bound, chunk)


@register_jitable
def _search_again(c: Centres, u: int, width: int) -> None:
    """Find the nearest cluster older than that of slot u. O(n p)."""
    end = u
    if c.merged[u]:
        end = width
    for k in range(c.point.size):
        c.point[k] = c.columns[k, u]
    bound = np.inf
    nearest = -1
    c.gone[u] = np.inf
    for low in range(0, end, BLOCK):
        bound, nearest = _nearer(
            c.point, c.columns, low, end, c.gone, c.order, c.distance, bound, nearest
        )
    c.gone[u] = 0.0
    c.bound[u] = bound
    c.nearest[u] = nearest


@register_jitable
def _closest_pair(c: Centres, width: int) -> tuple[int, float]:
    """The slot and the bound of the least bound that is attained."""
    while True:
        # The first chunk with the least bound, and the first of its slots.
        least = _least(c.lows)
        chunk = 0
        while c.lows[chunk] != least:
            chunk += 1
        u = chunk * CHUNK
        while c.bound[u] != least:
            u += 1
        if c.nearest[u] >= 0:
            return u, least
        _search_again(c, u, width)
        _update(c.lows, c.bound, chunk)


@register_jitable
def _join(c: Centres, u: int, v: int, share: float, width: int) -> None:
    """Merge the cluster of slot v into slot u, whose centre moves by a share of the way. O(n + p).

    It moves by a part of the difference, so that equal centres do not move.
    """
    columns = c.columns
    for k in range(columns.shape[0]):
        columns[k, u] += share * (columns[k, v] - columns[k, u])
    c.size[u] += c.size[v]
    c.gone[v] = np.inf
    c.merged[u] = True
    nearest = c.nearest
    for i in range(width):
        if nearest[i] == u or nearest[i] == v:
            nearest[i] = -1
    c.bound[u] = -1.0  # so that its nearest, of all clusters, which are older, is searched next
    c.bound[v] = np.inf
    _update(c.lows, c.bound, u // CHUNK)
    _update(c.lows, c.bound, v // CHUNK)


@entry
def merge_centres(c: Centres, has_sizes: bool, merges: NDArray[np.float64]) -> None:
    """Centroid linkage, or median linkage without ``has_sizes``, of vectors.

    Each cluster has a lower bound of its distance to the older ones, which is searched again if it
    is the least of all and the other cluster is no longer there. Centres instead of a matrix of
    distances: O(n^2 p) time on usual data, O(n^3 p) at worst; O(n p) memory.

    Parameters
    ----------
    c : Centres
        New ones, changed.
    has_sizes, merges
    """
    n = c.size.size
    width = n
    _measure_all(c)
    for merge in range(n - 1):
        # Few clusters remain: move them together, so that the others are not read.
        count = n - merge
        if count < _SPARSE * width:
            _compress(c, width, count)
            width = count
        u, least = _closest_pair(c, width)
        v = c.nearest[u]
        merges[merge, 0] = c.item[u]
        merges[merge, 1] = c.item[v]
        merges[merge, 2] = np.sqrt(least)
        share = 0.5
        if has_sizes:
            share = c.size[v] / (c.size[u] + c.size[v])
        _join(c, u, v, share, width)
