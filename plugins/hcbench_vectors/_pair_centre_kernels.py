"""Compiled centroid and median linkage of distances. The kernel does not check its input."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench_vectors._step_kernels import entry, nearest_slot

_SPARSE = 0.8  # proportion of remaining clusters below which the pairs are compressed


class PairedClusters(NamedTuple):
    """State of `merge_centres_of_pairs` for n slots, each of a cluster."""

    #: (n (n-1) / 2,) float64. Squared distances of the first ``width`` slots, as of `pdist`.
    square: NDArray[np.float64]
    #: (n,) float64. Numbers of items.
    size: NDArray[np.float64]
    #: (n,) float64. Infinite if the cluster has gone into another one, otherwise 0.
    gone: NDArray[np.float64]
    #: (n,) float64. A lower bound of the squared distance to the clusters in higher slots.
    bound: NDArray[np.float64]
    #: (n,) int64. The slot of the cluster at that distance; the own one if it is not known.
    nearest: NDArray[np.int64]
    #: (n,) int64. 0..n-1: of equal distances that of the lowest slot is preferred.
    order: NDArray[np.int64]
    #: (n,) int64. An item of each cluster.
    item: NDArray[np.int64]
    #: (n,) float64. Work space of `_combine`: the distances of the cluster that goes.
    row: NDArray[np.float64]
    #: (n,) int64. Work space of `_compress`: the old slot of each new one.
    kept: NDArray[np.int64]
    #: (n,) int64. Work space of `_compress`: the new slot of each old one.
    slot: NDArray[np.int64]


def new_paired_clusters(square: NDArray[np.float64], n: int) -> PairedClusters:
    """Each item is a cluster, whose bound and nearest one are not known."""
    # Allocated here and not in a kernel, where it would take longer to compile.
    return PairedClusters(
        square=square,
        size=np.ones(n),
        gone=np.zeros(n),
        bound=np.empty(n),
        nearest=np.empty(n, np.int64),
        order=np.arange(n),
        item=np.arange(n),
        row=np.zeros(n),
        kept=np.empty(n, np.int64),
        slot=np.empty(n, np.int64),
    )


@register_jitable
def _search(c: PairedClusters, u: int, width: int) -> None:
    """Find the nearest cluster in a slot above u. O(n)."""
    start = u * (2 * width - u - 1) // 2
    upper = c.square[start : start + width - u - 1]
    c.bound[u], at = nearest_slot(upper, c.gone[u + 1 :], c.order, np.inf)
    c.nearest[u] = u + 1 + at  # u itself, which is no neighbour, if there is none


@register_jitable
def _compress(c: PairedClusters, width: int) -> None:
    """Move the pairs of the clusters that remain together. O(n^2)."""
    square = c.square
    kept = c.kept
    # Number the slots that are kept.
    count = 0
    for i in range(width):
        if c.gone[i] == 0:
            kept[count] = i
            c.slot[i] = count
            count += 1
    # Their pairs: that of slots i and j > i is at start + j.
    at = 0
    for a in range(count):
        start = kept[a] * (2 * width - kept[a] - 3) // 2 - 1
        for b in range(a + 1, count):
            square[at] = square[start + kept[b]]
            at += 1
    # No nearest one has gone, as `_combine` replaces the cluster that goes.
    for i in range(count):
        old = kept[i]
        c.size[i] = c.size[old]
        c.item[i] = c.item[old]
        c.bound[i] = c.bound[old]
        c.nearest[i] = c.slot[c.nearest[old]]
        c.gone[i] = 0.0


@register_jitable
def _closest_pair(c: PairedClusters, width: int) -> tuple[int, float]:
    """The slot and the bound of the least bound that is attained."""
    while True:
        least, u = nearest_slot(c.bound[:width], c.gone, c.order, np.inf)
        v = c.nearest[u]
        start = u * (2 * width - u - 1) // 2
        if v > u and c.square[start + v - u - 1] == least:
            return u, least
        _search(c, u, width)


@register_jitable
def _read(c: PairedClusters, v: int, width: int) -> None:
    """Copy the distances of slot v to ``row``."""
    square = c.square
    row = c.row
    at = v - 1
    for i in range(v):
        row[i] = square[at]
        at += width - i - 2
    start = v * (2 * width - v - 1) // 2
    for i in range(v + 1, width):
        row[i] = square[start + i - v - 1]


@register_jitable
def _combine(c: PairedClusters, u: int, v: int, width: int, least: float, share: float) -> None:
    """Write the distances of the merged cluster to slot u: the formula of Lance and Williams. O(n).

    ``d(uv, i) = share d(u, i) + (1 - share) d(v, i) - share (1 - share) d(u, v)``, of squares.
    """
    rest = 1.0 - share
    lowering = share * rest * least
    square = c.square
    row = c.row
    gone = c.gone
    bound = c.bound
    nearest = c.nearest
    # Clusters in lower slots have a bound of their distance to u: it remains one, or is lowered.
    at = u - 1
    for i in range(u):
        if gone[i] == 0:
            near = max(share * square[at] + rest * row[i] - lowering, 0.0)
            square[at] = near
            if nearest[i] == v:
                nearest[i] = u
            if near < bound[i]:
                bound[i] = near
                nearest[i] = u
        at += width - i - 2
    # Those between the slots have none, and lose v; without it their bound remains one.
    for i in range(u + 1, v):
        if nearest[i] == v:
            nearest[i] = i  # not known
    # Those in higher slots than u are searched next.
    start = u * (2 * width - u - 1) // 2
    upper = square[start : start + width - u - 1]
    upper_of_v = row[u + 1 : width]
    for i in range(upper.size):
        upper[i] = max(share * upper[i] + rest * upper_of_v[i] - lowering, 0.0)


@entry
def merge_centres_of_pairs(c: PairedClusters, has_sizes: bool, merges: NDArray[np.float64]) -> None:
    """Centroid linkage, or median linkage without ``has_sizes``, whose heights may decrease.

    The generic algorithm of Müllner (2011, section 3.1): each cluster has a lower bound of its
    distance to the clusters in higher slots, which is searched again if it is the least of all and
    no longer attained. O(n^3) time at worst, O(n^2) on usual data; O(n) memory besides the pairs.

    Parameters
    ----------
    c : PairedClusters
        New ones, whose squared distances are overwritten.
    merges : (n-1, 4), written
        An item of each of the two merged clusters and the height.
    """
    n = merges.shape[0] + 1
    width = n
    for i in range(n):
        _search(c, i, n)
    for merge in range(n - 1):
        # Few clusters remain: move their pairs together, so that the others are not read.
        count = n - merge
        if count < _SPARSE * width:
            _compress(c, width)
            width = count
        u, least = _closest_pair(c, width)
        v = c.nearest[u]
        merges[merge, 0] = c.item[u]
        merges[merge, 1] = c.item[v]
        merges[merge, 2] = np.sqrt(least)
        share = 0.5
        if has_sizes:
            share = c.size[u] / (c.size[u] + c.size[v])
        c.size[u] += c.size[v]
        c.gone[v] = np.inf
        _read(c, v, width)
        _combine(c, u, v, width, least, share)
        _search(c, u, width)
