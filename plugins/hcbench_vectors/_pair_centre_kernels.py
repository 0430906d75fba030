"""Compiled centroid and median linkage of distances. The kernel does not check its input."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hcbench_vectors._step_kernels import entry, nearest_slot

_SPARSE = 0.8  # proportion of remaining clusters below which the pairs are compressed


@entry
def merge_centres_of_pairs(
    square: NDArray[np.float64], has_sizes: bool, merges: NDArray[np.float64]
) -> None:
    """Centroid linkage, or median linkage without ``has_sizes``, whose heights may decrease.

    The generic algorithm of Müllner (2011, section 3.1): each cluster has a lower bound of its
    distance to the clusters in higher slots, which is searched again if it is the least of all and
    no longer attained. O(n^3) time at worst, O(n^2) on usual data; O(n) memory besides ``square``.

    Parameters
    ----------
    square : (n (n-1) / 2,)
        Squared distances in the order of `pdist`, overwritten.
    merges : (n-1, 4), written
        An item of each of the two merged clusters and the height.
    """
    n = width = count = merges.shape[0] + 1
    size, gone, bound, other = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    order, item, nearest = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    kept, slot = np.empty(n, np.int64), np.empty(n, np.int64)
    for i in range(n):
        size[i] = 1.0
        gone[i] = 0.0
        order[i] = i
        item[i] = i
        other[i] = 0.0
    for i in range(n):
        start = i * (2 * n - i - 1) // 2
        bound[i], at = nearest_slot(square[start : start + n - i - 1], gone[i + 1 :], order, np.inf)
        nearest[i] = i + 1 + at  # i itself, which is no neighbour, if there is none
    for merge in range(n - 1):
        # Few clusters remain: move their pairs together.
        if count < _SPARSE * width:
            at = 0
            for i in range(width):
                if gone[i] == 0:
                    kept[at] = i
                    slot[i] = at
                    at += 1
            at = 0
            for a in range(count):
                start = kept[a] * (2 * width - kept[a] - 3) // 2 - 1
                for b in range(a + 1, count):
                    square[at] = square[start + kept[b]]
                    at += 1
            width = count
            for i in range(width):
                size[i] = size[kept[i]]
                item[i] = item[kept[i]]
                bound[i] = bound[kept[i]]
                nearest[i] = slot[nearest[kept[i]]]
                gone[i] = 0.0
        # The pair of least distance: the least bound that is attained.
        while True:
            least, u = nearest_slot(bound[:width], gone, order, np.inf)
            v = nearest[u]
            start = u * (2 * width - u - 1) // 2
            row = square[start : start + width - u - 1]
            if v > u and row[v - u - 1] == least:
                break
            bound[u], at = nearest_slot(row, gone[u + 1 :], order, np.inf)
            nearest[u] = u + 1 + at
        merges[merge, 0] = item[u]
        merges[merge, 1] = item[v]
        merges[merge, 2] = np.sqrt(least)
        # The formula of Lance and Williams, in the row and column of u.
        share = size[u] / (size[u] + size[v]) if has_sizes else 0.5
        rest = 1.0 - share
        less = share * rest * least
        size[u] += size[v]
        gone[v] = np.inf
        count -= 1
        at = v - 1
        for i in range(v):
            other[i] = square[at]
            at += width - i - 2
        start = v * (2 * width - v - 1) // 2
        for i in range(v + 1, width):
            other[i] = square[start + i - v - 1]
        at = u - 1
        for i in range(u):
            if gone[i] == 0:
                near = max(share * square[at] + rest * other[i] - less, 0.0)
                square[at] = near
                if nearest[i] == v:
                    nearest[i] = u
                if near < bound[i]:
                    bound[i] = near
                    nearest[i] = u
            at += width - i - 2
        for i in range(u + 1, v):
            if nearest[i] == v:
                nearest[i] = i  # unknown
        upper = other[u + 1 : width]
        for i in range(row.size):
            row[i] = max(share * row[i] + rest * upper[i] - less, 0.0)
        bound[u], at = nearest_slot(row, gone[u + 1 :], order, np.inf)
        nearest[u] = u + 1 + at
