"""Compiled passes over the pairs of items, for objectives. They do not check their input.

Values of pairs come in blocks of rows, as from `pair_rows`: ``rows`` (b, n - first), where row r is
of the leaf at position first + r from left to right, and column c of that at position first + c.
Only the columns after the row's own are read. ``merged`` (m,) receives, for each node v, the sum
over the pairs whose lowest common ancestor is v.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from hcbench_metrics._tree_kernels import TreeArrays

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]


@njit(cache=True)
def add_rows(tree: TreeArrays, first: int, rows: Floats, center: float, merged: Floats) -> float:
    """Add the values of pairs to ``merged``, and return the sum of ``(value - center)^2``.

    O(b n) time, O(1) memory.
    """
    squares = 0.0
    for r in range(rows.shape[0]):
        # Up the ancestors of the leaf: each merges it with a run of the leaves to its right.
        begin = r + 1
        v = tree.parent[tree.order[first + r]]
        while v >= 0:
            total = 0.0
            stop = tree.end[v] - first
            for c in range(begin, stop):
                value = rows[r, c]
                total += value
                squares += (value - center) * (value - center)
            merged[v] += total
            begin = stop
            v = tree.parent[v]
    return squares


@njit(cache=True)
def add_weights(
    tree: TreeArrays, first: int, rows: Floats, merged: Floats, degree: Floats
) -> tuple[float, float]:
    """Add weights w of pairs to ``merged`` and, for each item, to ``degree`` (n,).

    Returns the sum of w log w, where 0 log 0 is 0, and the smallest w; the sum is valid only if no
    w is negative. O(b n) time, O(1) memory.
    """
    information = 0.0
    lowest = np.inf
    for r in range(rows.shape[0]):
        item = tree.order[first + r]
        item_degree = 0.0
        # As in `add_rows`.
        begin = r + 1
        v = tree.parent[item]
        while v >= 0:
            total = 0.0
            stop = tree.end[v] - first
            for c in range(begin, stop):
                w = rows[r, c]
                total += w
                degree[tree.order[first + c]] += w
                lowest = min(lowest, w)
                if w > 0:
                    information += w * np.log(w)
            merged[v] += total
            item_degree += total
            begin = stop
            v = tree.parent[v]
        degree[item] += item_degree
    return information, lowest


@njit(cache=True)
def add_squared_distances(
    parent: Ints, means: Floats, scatter: Floats, count: Ints, merged: Floats
) -> None:
    """Add the squared Euclidean distances of pairs, of some columns of the vectors, to ``merged``.

    With means a, b and sums of squared deviations S_A, S_B of two clusters, the sum over the pairs
    between them is ``|B| S_A + |A| S_B + |A| |B| |a - b|^2``: no term is negative, so there is no
    cancellation. ``means`` (m, k) holds k columns at the leaves and 0 at inner nodes; ``scatter``
    (m,) is 0; ``count`` (m,) is 1 at leaves and 0 at inner nodes. All three are overwritten. O(m k)
    time, O(1) memory.
    """
    k = means.shape[1]
    for v in range(parent.size - 1):
        # The parent holds the union of the children before v, which v now joins.
        p = parent[v]
        before = count[p]
        joining = count[v]
        share = joining / (before + joining)
        gap = 0.0  # the squared distance of the two means
        for c in range(k):
            step = means[v, c] - means[p, c]
            gap += step * step
            means[p, c] += share * step
        merged[p] += joining * scatter[p] + before * scatter[v] + before * joining * gap
        scatter[p] += scatter[v] + before * share * gap
        count[p] = before + joining
