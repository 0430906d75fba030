"""The number of cuts of a tree, and the average size of their search trees."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True)
def log_cuts(parent: NDArray[np.int64]) -> NDArray[np.float64]:
    """Logarithms (m,) of the numbers of cuts N(v) = 1 + the product of N over the children. O(m).

    Gentile et al. 2019, section 2. With a the sum of the children's logarithms, ln N(v) =
    a + ln(1 + exp(-a)): N itself overflows.
    """
    m = len(parent)
    # Of each node the sum over its children so far, which then becomes ln N.
    total = np.zeros(m)
    is_inner = np.zeros(m, np.bool_)
    for v in range(m):
        if is_inner[v]:
            total[v] += np.log1p(np.exp(-total[v]))
        if v < m - 1:
            total[parent[v]] += total[v]
            is_inner[parent[v]] = True
    return total


@njit(cache=True)
def mean_search_leaves(
    parent: NDArray[np.int64], n_leaves: int, below: NDArray[np.float64]
) -> float:
    """E[K-tilde] of a random cut of a tree of m nodes. O(m).

    Gentile et al. 2019, section 3. An inner node v is at the cut with probability P(v), given that
    all nodes above it are above the cut. It is then one leaf of the search tree. Otherwise its
    inner children count, and without inner children it is a leaf itself:

        E(v) = P(v) + (1 - P(v)) max(1, sum of E over the inner children).

    Parameters
    ----------
    parent : (m,) int64
    n_leaves : int
        The first nodes are the leaves.
    below : (m - n_leaves,) float64
        P(v) of the inner nodes.
    """
    m = len(parent)
    total = np.zeros(m)
    for v in range(n_leaves, m):
        chance = below[v - n_leaves]
        total[v] = chance + (1.0 - chance) * max(1.0, total[v])
        if v < m - 1:
            total[parent[v]] += total[v]
    return float(total[m - 1])
