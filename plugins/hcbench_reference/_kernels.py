"""Compiled loops. They do not check their input."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True)
def insert_leaves(edges: NDArray[np.int64]) -> NDArray[np.int64]:
    """Parents (2n-1,) of the binary tree built by inserting one leaf after another.

    Leaf k = 1..n-1 is inserted on edge ``edges[k-1]`` in 0..2k-2 of the tree of leaves 0..k-1: the
    edge above leaf e if e < k, else above inner node n + e - k; the root also has an edge above it.
    Each sequence gives a different tree, so uniform edges give a uniform tree (the bijection
    behind (2n-3)!!, Cavalli-Sforza & Edwards 1967). Inner node n+k-1 comes with leaf k; the
    numbering is not topological. O(n) time and memory.
    """
    n = edges.size + 1
    parent = np.full(2 * n - 1, -1, np.int64)
    for k in range(1, n):
        below = edges[k - 1]
        if below >= k:  # an inner node
            below += n - k
        new = n + k - 1
        parent[new] = parent[below]
        parent[below] = new
        parent[k] = new
    return parent
