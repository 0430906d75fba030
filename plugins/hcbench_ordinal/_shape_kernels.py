"""Loops of random trees."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numba.extending import register_jitable
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
        above[chosen[t]] = node
        above[t + 1] = node
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
        # The vertex below the edge.
        below = edges[k - 1]
        if below >= k:
            below = n + below - k
        node = n + k - 1
        parent[node] = parent[below]
        parent[below] = node
        parent[k] = node
    return parent


@register_jitable
def _highest(group: Any, v: Any) -> Any:
    """The highest node of the group of v; paths to it are halved."""
    while group[v] != v:
        group[v] = group[group[v]]
        v = group[v]
    return v


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
        above = _highest(group, parent[v])
        if children[above] + children[v] - 1 <= degree:
            children[above] += children[v] - 1
            group[v] = above
    for v in range(len(parent)):
        if parent[v] >= 0:
            above = _highest(group, parent[v])
            if group[v] == v:
                parent[v] = above
            else:
                # Merged.
                parent[v] = ~above
