"""Loops of random trees."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True)
def split_leaves(chosen: NDArray[np.int64]) -> NDArray[np.int64]:
    """Parents (2n-1,) if split t = 0..n-2 gives leaf ``chosen[t]`` in 0..t two children.

    The leaf remains as the first child, leaf t + 1 is the second; their parent is node 2n-2-t, so
    parents have larger numbers. O(n).
    """
    n = len(chosen) + 1
    parent = np.full(2 * n - 1, -1, np.int64)
    above = np.full(n, -1, np.int64)
    for t in range(n - 1):
        node = 2 * n - 2 - t
        parent[node] = above[chosen[t]]
        above[chosen[t]] = above[t + 1] = node
    for leaf in range(n):
        parent[leaf] = above[leaf]
    return parent


@njit(cache=True)
def insert_leaves(edges: NDArray[np.int64]) -> NDArray[np.int64]:
    """Parents (2n-1,) if leaf k = 1..n-1 is inserted on edge ``edges[k-1]`` in 0..2k-2.

    This is the edge above leaf e if e < k, else above inner node n + e - k. Each sequence gives a
    different tree (Cavalli-Sforza & Edwards 1967). O(n).
    """
    n = len(edges) + 1
    parent = np.full(2 * n - 1, -1, np.int64)
    for k in range(1, n):
        edge = edges[k - 1]
        below, node = (edge if edge < k else n + edge - k), n + k - 1
        parent[node] = parent[below]
        parent[below] = parent[k] = node
    return parent


@njit(cache=True)
def merge_nodes(parent: NDArray[np.int64], order: NDArray[np.int64], degree: int) -> None:
    """Mark inner nodes to merge into the node above them: their parent v becomes ~v.

    Nodes are tried in this order, and merge if the result has at most ``degree`` children; the
    children of a merged node are those of the highest node of its group. O(m) with path halving.
    """
    group = np.arange(len(parent))
    children = np.zeros(len(parent), np.int64)
    for v in range(len(parent)):
        if parent[v] >= 0:
            children[parent[v]] += 1
    for v in order:
        up = parent[v]
        while group[up] != up:
            group[up] = group[group[up]]
            up = group[up]
        if children[up] + children[v] - 1 <= degree:
            children[up] += children[v] - 1
            group[v] = up
    for v in range(len(parent)):
        if parent[v] >= 0:
            up = parent[v]
            while group[up] != up:
                group[up] = group[group[up]]
                up = group[up]
            parent[v] = up if group[v] == v else ~up
