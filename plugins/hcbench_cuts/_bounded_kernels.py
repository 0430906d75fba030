"""Best cuts into at most K clusters: the gains of `_erm_kernels`, for each number of clusters.

g(v, k) is the best gain of T(v) in exactly k clusters: W(v) for k = 1, else the best division of k
among the children. The table of v, row ``offset[v]`` on, is that of v together with its earlier
siblings, so that the table of the last child holds g(parent, k) for k > 1. Tables end at K clusters
or at the number of leaves: O(n K) numbers, and O(n K) time for all tables of a binary tree.

A tree here is a `BoundedTree`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

from hcbench.compiled import ASK, STATE
from hcbench_cuts._erm_kernels import GIVEN, IDS, LAW, PAIRS, PARENTS, WEIGHTS, probability


class BoundedTree(NamedTuple):
    """A tree whose nodes have tables for at most K clusters; all arrays are (m,) int64.

    Attributes
    ----------
    parent
        -1 of the root.
    previous, following
        The earlier and the later sibling; -1 where there is none.
    last
        The last child; -1 of a leaf.
    room
        Rows of the table of the node.
    size
        Leaves below it, at most K.
    offset
        The first row of its table.
    """

    parent: NDArray[np.int64]
    previous: NDArray[np.int64]
    last: NDArray[np.int64]
    following: NDArray[np.int64]
    room: NDArray[np.int64]
    size: NDArray[np.int64]
    offset: NDArray[np.int64]


# Missing in numba's own annotations.
_named_tuple: Any = types.NamedUniTuple
_TREE = _named_tuple(IDS, 7, BoundedTree)


@njit((PARENTS, types.int64), cache=True)
def bounded_tree(parent: NDArray[np.int64], K: int) -> BoundedTree:
    """The arrays of a tree, for at most K clusters. O(m)."""
    m = len(parent)
    last = np.full(m, -1)
    previous = np.full(m, -1)
    following = np.full(m, -1)
    leaves = np.zeros(m, np.int64)
    # Leaves below a node and its earlier siblings.
    prefix = np.zeros(m, np.int64)
    offset = np.zeros(m, np.int64)
    for v in range(m):
        leaves[v] = max(leaves[v], 1)
        p = parent[v]
        if p >= 0:
            previous[v] = last[p]
            if last[p] >= 0:
                following[last[p]] = v
            last[p] = v
            leaves[p] += leaves[v]
        prefix[v] = leaves[v]
        if previous[v] >= 0:
            prefix[v] += prefix[previous[v]]
    room = np.minimum(prefix, K)
    size = np.minimum(leaves, K)
    for v in range(1, m):
        offset[v] = offset[v - 1] + room[v - 1]
    return BoundedTree(parent.copy(), previous, last, following, room, size, offset)


@njit(WEIGHTS(PARENTS, GIVEN), cache=True)
def sums(parent: NDArray[np.int64], own: NDArray[np.float64]) -> NDArray[np.float64]:
    """W (m,) from the weight ``own`` (m,) of the pairs whose lowest common ancestor is v. O(m)."""
    W = own.copy()
    for v in range(len(parent) - 1):
        W[parent[v]] += W[v]
    return W


@njit(types.float64(_TREE, WEIGHTS, WEIGHTS, types.int64, types.int64), cache=True)
def gain(tree: Any, table: Any, W: NDArray[np.float64], v: int, k: int) -> Any:
    """g(v, k), for k in 1..size."""
    if k == 1:
        return W[v]
    return table[tree.offset[tree.last[v]] + k - 1]


@njit(types.void(_TREE, WEIGHTS, WEIGHTS, types.int64), cache=True)
def fill(tree: Any, table: Any, W: NDArray[np.float64], v: int) -> None:
    """The table of v, from those of its children and of its earlier sibling. O(K size)."""
    before = tree.previous[v]
    start = tree.offset[v]
    for k in range(1, tree.room[v] + 1):
        if before < 0:
            table[start + k - 1] = gain(tree, table, W, v, k)
            continue
        # j clusters of v, and the others of its earlier siblings.
        best = -np.inf
        from_ = tree.offset[before]
        for j in range(max(1, k - tree.room[before]), min(k - 1, tree.size[v]) + 1):
            best = max(best, table[from_ + k - j - 1] + gain(tree, table, W, v, j))
        table[start + k - 1] = best


@njit(WEIGHTS(_TREE, WEIGHTS), cache=True)
def fill_all(tree: Any, W: NDArray[np.float64]) -> NDArray[np.float64]:
    """All tables, from the leaves up. O(n K) where nodes have two children."""
    table = np.empty(tree.room.sum())
    for v in range(len(W)):
        fill(tree, table, W, v)
    return table


@njit(types.int64(_TREE, WEIGHTS, WEIGHTS, IDS, types.int64, types.int64), cache=True)
def _give(tree: Any, table: Any, W: Any, share: Any, child: int, k: int) -> Any:
    """Give a child its share of k; return the rest, for its earlier siblings."""
    before = tree.previous[child]
    if before < 0:
        share[child] = k
        return 0
    total = table[tree.offset[child] + k - 1]
    from_ = tree.offset[before]
    # The same sums as in `fill`, so that one of them equals the total exactly.
    j = max(1, k - tree.room[before])
    while table[from_ + k - j - 1] + gain(tree, table, W, child, j) != total:
        j += 1
    share[child] = j
    return k - j


@njit(IDS(_TREE, WEIGHTS, WEIGHTS), cache=True)
def best_bounded(tree: Any, table: Any, W: NDArray[np.float64]) -> NDArray[np.int64]:
    """The cut (k,) of largest gain; of several, one with the fewest clusters. O(n K)."""
    m = len(W)
    # Clusters in which each node is divided; 1 of a node that is a cluster.
    share = np.zeros(m, np.int64)
    nodes = np.empty(m, np.int64)
    n_nodes = 0
    share[m - 1] = 1
    for k in range(2, tree.size[m - 1] + 1):
        if gain(tree, table, W, m - 1, k) > gain(tree, table, W, m - 1, share[m - 1]):
            share[m - 1] = k
    for v in range(m - 1, -1, -1):
        if share[v] == 1:
            nodes[n_nodes] = v
            n_nodes += 1
        k = share[v]
        child = -1
        if k > 1:
            child = tree.last[v]
        while child >= 0:
            k = _give(tree, table, W, share, child, k)
            child = tree.previous[child]
    return nodes[:n_nodes].copy()


@njit(types.void(_TREE, WEIGHTS, WEIGHTS, types.int64, types.float64), cache=True)
def reweigh_bounded(tree: Any, table: Any, W: NDArray[np.float64], a: int, weight: float) -> None:
    """Update W and the tables after the weight of a pair below ``a`` has grown."""
    u = a
    while u >= 0:
        W[u] += weight
        sibling = u
        while sibling >= 0:
            fill(tree, table, W, sibling)
            sibling = tree.following[sibling]
        u = tree.parent[u]


@njit(types.void(_TREE, WEIGHTS, WEIGHTS, WEIGHTS, types.int64), cache=True)
def _join(tree: Any, table: Any, W: Any, row: NDArray[np.float64], v: int) -> None:
    """Add v to a table ``row`` (K,)."""
    for k in range(len(row), 0, -1):
        best = -np.inf
        for j in range(1, min(k - 1, tree.size[v]) + 1):
            best = max(best, row[k - j - 1] + gain(tree, table, W, v, j))
        row[k - 1] = best


@njit(types.float64(_TREE, WEIGHTS, WEIGHTS, WEIGHTS, WEIGHTS, types.int64), cache=True)
def margin_bounded(tree: Any, table: Any, W: Any, together: Any, apart: Any, a: int) -> Any:
    """Difference in gain between the best cuts with a pair together and with the pair apart.

    ``a`` is its lowest common ancestor: together, it is whole or a node above is; apart, neither.
    ``together`` and ``apart`` (K,) are working memory. O(K size) for each child on the way up.
    """
    u = a
    together[:] = -np.inf
    apart[:] = -np.inf
    together[0] = W[a]
    for k in range(2, tree.size[a] + 1):
        apart[k - 1] = gain(tree, table, W, a, k)
    while tree.parent[u] >= 0:
        p = tree.parent[u]
        sibling = tree.last[p]
        while sibling >= 0:
            if sibling != u:
                _join(tree, table, W, together, sibling)
                _join(tree, table, W, apart, sibling)
            sibling = tree.previous[sibling]
        # One cluster has the pair together.
        together[0] = W[p]
        apart[0] = -np.inf
        u = p
    return abs(together.max() - apart.max())


@njit(
    types.void(ASK, STATE, _TREE, WEIGHTS, WEIGHTS, PAIRS, IDS, WEIGHTS, types.int64, LAW),
    cache=True,
)
def sample_bounded(
    ask: Any,
    state: Any,
    tree: Any,
    table: NDArray[np.float64],
    W: NDArray[np.float64],
    pairs: NDArray[np.int64],
    lcas: NDArray[np.int64],
    coins: NDArray[np.float64],
    t: int,
    law: tuple[float, float],
) -> None:
    """NR's rounds, as `_erm_kernels.sample`, over the cuts into at most K clusters."""
    K = tree.size[len(W) - 1]
    together, apart = np.empty(K), np.empty(K)
    for row in range(len(lcas)):
        a = lcas[row]
        distance = margin_bounded(tree, table, W, together, apart, a)
        p = probability(distance, t + row + 1, law)
        if coins[row] < p:
            sign = 2 * ask(state, pairs[row, 0], pairs[row, 1], 0, 0) - 1
            reweigh_bounded(tree, table, W, a, sign / p)
