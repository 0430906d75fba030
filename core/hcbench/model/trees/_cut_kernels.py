"""Compiled passes for the best cut of a tree; ``parent`` and read-only arrays: see ``_kernels``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray


@njit(cache=True)
def pairs_joined(parent: NDArray[np.int64], joins: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many pairs of one class have each node (m,) as their lowest common ancestor. O(n + m).

    Parameters
    ----------
    parent : (m,)
    joins : (n,)
        The items being sorted by class and, within it, from left to right in the tree: the lowest
        common ancestor of each and the next, -1 at the end of a class.

    Notes
    -----
    The lowest common ancestor of two items is the largest of those between them, since the ids of
    ancestors rise. So blocks of a class are joined on a stack of falling ids, and each join of
    blocks of a and b items is a b pairs. The stack holds O(n).
    """
    pairs = np.zeros(len(parent), np.int64)
    node, left = np.empty(len(joins), np.int64), np.empty(len(joins), np.int64)
    top, block = 0, 1
    for join in joins:
        while top > 0 and (join < 0 or node[top - 1] <= join):
            top -= 1
            pairs[node[top]] += left[top] * block
            block += left[top]
        if join >= 0:
            node[top], left[top] = join, block
            top += 1
        block = 1
    return pairs


@njit(cache=True)
def excesses(parent: NDArray[np.int64], own: NDArray[np.float64]) -> NDArray[np.float64]:
    """By how much each node (m,) gains more whole than the best cut below it. O(m) time, memory.

    With W(v) the sum of ``own`` (m,) over v and all below it, and g(v) = max(W(v), s(v)) with s(v)
    the sum of g over the children: x(v) = W(v) - s(v).
    """
    m = len(parent)
    x, below = own.copy(), np.zeros(m)  # below: s, until its node is reached
    for v in range(m):
        inside = x[v]
        x[v] = inside - below[v]
        if v < m - 1:
            x[parent[v]] += inside
            below[parent[v]] += max(inside, below[v])
    return x


@njit(cache=True)
def highest_whole(parent: NDArray[np.int64], x: NDArray[np.float64]) -> NDArray[np.int64]:
    """The nodes (k,), falling, with x (m,) at least 0 that have none such above. O(m)."""
    m = len(parent)
    settled, nodes, k = np.empty(m, np.bool_), np.empty(m, np.int64), 0
    for v in range(m - 1, -1, -1):
        settled[v] = v < m - 1 and settled[parent[v]]
        if not settled[v] and x[v] >= 0.0:
            settled[v] = True
            nodes[k] = v
            k += 1
    return nodes[:k].copy()
