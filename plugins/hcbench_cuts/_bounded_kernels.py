"""Best cuts into at most K clusters: the gains of `_erm_kernels`, for each number of clusters.

g(v, k) is the best gain of T(v) in exactly k clusters: W(v) for k = 1, else the best division of k
among the children. The table of v, row ``offset[v]`` on, is that of v together with its earlier
siblings, so that the table of the last child holds g(parent, k) for k > 1. Tables end at K clusters
or at the number of leaves: O(n K) numbers, and O(n K) time for all tables of a binary tree.

A tree here is a tuple of (m,) arrays: ``parent``, ``previous`` and ``last`` (the earlier sibling
and the last child, -1 where there is none), ``following`` (the later sibling), ``room`` (rows of
the table), ``size`` (leaves below, at most K), ``offset``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

from hcbench.compiled import ASK, STATE
from hcbench_cuts._erm_kernels import GIVEN, IDS, LAW, PAIRS, PARENTS, WEIGHTS, probability

PARENT, PREVIOUS, LAST, FOLLOWING, ROOM, SIZE, OFFSET = range(7)
_tuple: Any = types.UniTuple  # numba's types are not annotated
_TREE = _tuple(IDS, 7)


@njit((PARENTS, types.int64), cache=True)
def bounded_tree(parent: NDArray[np.int64], K: int) -> tuple[NDArray[np.int64], ...]:
    """The arrays of a tree, for at most K clusters. O(m)."""
    m = len(parent)
    last, previous, following = np.full(m, -1), np.full(m, -1), np.full(m, -1)
    leaves, prefix, offset = np.zeros(m, np.int64), np.zeros(m, np.int64), np.zeros(m, np.int64)
    for v in range(m):
        leaves[v] = max(leaves[v], 1)
        p = parent[v]
        if p >= 0:
            previous[v] = last[p]
            if last[p] >= 0:
                following[last[p]] = v
            last[p] = v
            leaves[p] += leaves[v]
        prefix[v] = leaves[v] + (prefix[previous[v]] if previous[v] >= 0 else 0)
    room, size = np.minimum(prefix, K), np.minimum(leaves, K)
    for v in range(1, m):
        offset[v] = offset[v - 1] + room[v - 1]
    return parent.copy(), previous, last, following, room, size, offset


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
    return W[v] if k == 1 else table[tree[OFFSET][tree[LAST][v]] + k - 1]


@njit(types.void(_TREE, WEIGHTS, WEIGHTS, types.int64), cache=True)
def fill(tree: Any, table: Any, W: NDArray[np.float64], v: int) -> None:
    """The table of v, from those of its children and of its earlier sibling. O(K size)."""
    before, start = tree[PREVIOUS][v], tree[OFFSET][v]
    for k in range(1, tree[ROOM][v] + 1):
        if before < 0:
            table[start + k - 1] = gain(tree, table, W, v, k)
            continue
        best, from_ = -np.inf, tree[OFFSET][before]
        for j in range(max(1, k - tree[ROOM][before]), min(k - 1, tree[SIZE][v]) + 1):
            best = max(best, table[from_ + k - j - 1] + gain(tree, table, W, v, j))
        table[start + k - 1] = best


@njit(WEIGHTS(_TREE, WEIGHTS), cache=True)
def fill_all(tree: Any, W: NDArray[np.float64]) -> NDArray[np.float64]:
    """All tables, from the leaves up. O(n K) where nodes have two children."""
    table = np.empty(tree[ROOM].sum())
    for v in range(len(W)):
        fill(tree, table, W, v)
    return table


@njit(types.int64(_TREE, WEIGHTS, WEIGHTS, IDS, types.int64, types.int64), cache=True)
def _give(tree: Any, table: Any, W: Any, share: Any, child: int, k: int) -> Any:
    """Give a child its share of k; return the rest, for its earlier siblings."""
    before = tree[PREVIOUS][child]
    if before < 0:
        share[child] = k
        return 0
    total, from_ = table[tree[OFFSET][child] + k - 1], tree[OFFSET][before]
    j = max(1, k - tree[ROOM][before])
    while table[from_ + k - j - 1] + gain(tree, table, W, child, j) != total:
        j += 1
    share[child] = j
    return k - j


@njit(IDS(_TREE, WEIGHTS, WEIGHTS), cache=True)
def best_bounded(tree: Any, table: Any, W: NDArray[np.float64]) -> NDArray[np.int64]:
    """The cut (k,) of largest gain; of several, one with the fewest clusters. O(n K)."""
    m = len(W)
    share, nodes, found = np.zeros(m, np.int64), np.empty(m, np.int64), 0
    share[m - 1] = 1
    for k in range(2, tree[SIZE][m - 1] + 1):
        if gain(tree, table, W, m - 1, k) > gain(tree, table, W, m - 1, share[m - 1]):
            share[m - 1] = k
    for v in range(m - 1, -1, -1):
        if share[v] == 1:
            nodes[found] = v
            found += 1
        child, k = tree[LAST][v] if share[v] > 1 else -1, share[v]
        while child >= 0:
            k = _give(tree, table, W, share, child, k)
            child = tree[PREVIOUS][child]
    return nodes[:found].copy()


@njit(types.void(_TREE, WEIGHTS, WEIGHTS, types.int64, types.float64), cache=True)
def reweigh_bounded(tree: Any, table: Any, W: NDArray[np.float64], a: int, weight: float) -> None:
    """Update W and the tables after the weight of a pair below ``a`` has grown."""
    u = a
    while u >= 0:
        W[u] += weight
        sibling = u
        while sibling >= 0:
            fill(tree, table, W, sibling)
            sibling = tree[FOLLOWING][sibling]
        u = tree[PARENT][u]


@njit(types.void(_TREE, WEIGHTS, WEIGHTS, WEIGHTS, types.int64), cache=True)
def _join(tree: Any, table: Any, W: Any, row: NDArray[np.float64], v: int) -> None:
    """Add v to a table ``row`` (K,)."""
    for k in range(len(row), 0, -1):
        best = -np.inf
        for j in range(1, min(k - 1, tree[SIZE][v]) + 1):
            best = max(best, row[k - j - 1] + gain(tree, table, W, v, j))
        row[k - 1] = best


@njit(types.float64(_TREE, WEIGHTS, WEIGHTS, WEIGHTS, WEIGHTS, types.int64), cache=True)
def margin_bounded(tree: Any, table: Any, W: Any, together: Any, apart: Any, a: int) -> Any:
    """Difference in gain between the best cuts with a pair together and with the pair apart.

    ``a`` is its lowest common ancestor: together, it is whole or a node above is; apart, neither.
    ``together`` and ``apart`` (K,) are working memory. O(K size) for each child on the way up.
    """
    u = a
    together[:], apart[:] = -np.inf, -np.inf
    together[0] = W[a]
    for k in range(2, tree[SIZE][a] + 1):
        apart[k - 1] = gain(tree, table, W, a, k)
    while tree[PARENT][u] >= 0:
        p = tree[PARENT][u]
        sibling = tree[LAST][p]
        while sibling >= 0:
            if sibling != u:
                _join(tree, table, W, together, sibling)
                _join(tree, table, W, apart, sibling)
            sibling = tree[PREVIOUS][sibling]
        together[0], apart[0] = W[p], -np.inf
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
    K = tree[SIZE][len(W) - 1]
    together, apart = np.empty(K), np.empty(K)
    for row in range(len(lcas)):
        a = lcas[row]
        distance = margin_bounded(tree, table, W, together, apart, a)
        p = probability(distance, t + row + 1, law)
        if coins[row] < p:
            sign = 2 * ask(state, pairs[row, 0], pairs[row, 1], 0, 0) - 1
            reweigh_bounded(tree, table, W, a, sign / p)
