"""Counts over the nodes of a tree: its cuts, and the pairs of one class below each node."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hcbench_cuts._erm_kernels import IDS, PARENTS, WEIGHTS


@njit(WEIGHTS(PARENTS), cache=True)
def log_cuts(parent: NDArray[np.int64]) -> NDArray[np.float64]:
    """Logarithms (m,) of the numbers of cuts N(v) = 1 + the product of N over the children. O(m).

    Gentile et al. 2019, section 2. With a the sum of the children's logarithms, ln N(v) =
    a + ln(1 + exp(-a)): N itself is too large for any number.
    """
    m = len(parent)
    total, is_inner = np.zeros(m), np.zeros(m, np.bool_)
    for v in range(m):
        if is_inner[v]:
            total[v] += np.log1p(np.exp(-total[v]))
        if v < m - 1:
            total[parent[v]] += total[v]
            is_inner[parent[v]] = True
    return total


@njit(IDS(PARENTS, IDS), cache=True)
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
    blocks of a and b items is a b pairs.
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
