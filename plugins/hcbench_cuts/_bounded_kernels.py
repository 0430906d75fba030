"""Best cuts into at most K clusters: the gains of `_erm_kernels`, for each number of clusters.

g(v, k) is the best gain of T(v) in exactly k clusters: W(v) for k = 1, else the best division of k
among the children.

Each node v has a table: its row k - 1 is the best gain of v together with its earlier siblings in
exactly k clusters. So the table of the last child holds g(parent, k) for k > 1, and the table of v
follows from that of its previous sibling by a division of k into j clusters of v and k - j of the
earlier siblings. Tables end at K clusters or at the number of leaves: O(n K) numbers, and O(n K)
time for all tables of a binary tree. They are stored in one array ``table``, that of v from row
``offset[v]`` on.

A tree here is a `BoundedTree`; ``W`` (m,) is as in `_erm_kernels`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

from hcbench.compiled import ASK, STATE
from hcbench_cuts._erm_kernels import (
    IDS,
    LAW,
    PAIRS,
    PARENTS,
    READ_WEIGHTS,
    WEIGHTS,
    probability,
)


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
    # Leaves below each node, and below it and its earlier siblings.
    n_leaves = np.zeros(m, np.int64)
    n_leaves_so_far = np.zeros(m, np.int64)
    for v in range(m):
        # A leaf is below itself.
        n_leaves[v] = max(n_leaves[v], 1)
        n_leaves_so_far[v] = n_leaves[v]
        p = parent[v]
        if p < 0:
            continue
        sibling = last[p]
        if sibling >= 0:
            previous[v] = sibling
            following[sibling] = v
            n_leaves_so_far[v] += n_leaves_so_far[sibling]
        last[p] = v
        n_leaves[p] += n_leaves[v]
    room = np.minimum(n_leaves_so_far, K)
    size = np.minimum(n_leaves, K)
    offset = np.zeros(m, np.int64)
    for v in range(1, m):
        offset[v] = offset[v - 1] + room[v - 1]
    return BoundedTree(
        parent=parent.copy(),
        previous=previous,
        last=last,
        following=following,
        room=room,
        size=size,
        offset=offset,
    )


@njit(WEIGHTS(PARENTS, READ_WEIGHTS), cache=True)
def sums(parent: NDArray[np.int64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """W (m,) from the weights (m,) of the pairs whose lowest common ancestor is v. O(m)."""
    W = weights.copy()
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
    sibling = tree.previous[v]
    row = tree.offset[v]
    if sibling < 0:
        for k in range(1, tree.room[v] + 1):
            table[row + k - 1] = gain(tree, table, W, v, k)
        return
    row_of_sibling = tree.offset[sibling]
    for k in range(1, tree.room[v] + 1):
        # j clusters of v, and k - j of its earlier siblings.
        best = -np.inf
        for j in range(max(1, k - tree.room[sibling]), min(k - 1, tree.size[v]) + 1):
            best = max(best, table[row_of_sibling + k - j - 1] + gain(tree, table, W, v, j))
        table[row + k - 1] = best


@njit(WEIGHTS(_TREE, WEIGHTS), cache=True)
def fill_all(tree: Any, W: NDArray[np.float64]) -> NDArray[np.float64]:
    """All tables, from the leaves up. O(n K) where nodes have two children."""
    table = np.empty(tree.room.sum())
    for v in range(len(W)):
        fill(tree, table, W, v)
    return table


@njit(types.int64(_TREE, WEIGHTS, WEIGHTS, IDS, types.int64, types.int64), cache=True)
def _divide(tree: Any, table: Any, W: Any, share: Any, child: int, k: int) -> Any:
    """Divide k clusters: store the share of a child, return that of its earlier siblings."""
    sibling = tree.previous[child]
    if sibling < 0:
        share[child] = k
        return 0
    total = table[tree.offset[child] + k - 1]
    row_of_sibling = tree.offset[sibling]
    # The same sums as in `fill`, so that one of them equals the total exactly.
    j = max(1, k - tree.room[sibling])
    while table[row_of_sibling + k - j - 1] + gain(tree, table, W, child, j) != total:
        j += 1
    share[child] = j
    return k - j


@njit(IDS(_TREE, WEIGHTS, WEIGHTS), cache=True)
def best_bounded(tree: Any, table: Any, W: NDArray[np.float64]) -> NDArray[np.int64]:
    """The cut (k,) of largest gain; of several, one with the fewest clusters. O(n K)."""
    m = len(W)
    root = m - 1
    # The number of clusters into which each node is divided: 1 of a node that is a cluster, 0 of
    # nodes below one.
    share = np.zeros(m, np.int64)
    share[root] = 1
    for k in range(2, tree.size[root] + 1):
        if gain(tree, table, W, root, k) > gain(tree, table, W, root, share[root]):
            share[root] = k
    # From the root down: the clusters, and the divisions of the nodes above them.
    nodes = np.empty(m, np.int64)
    n_nodes = 0
    for v in range(root, -1, -1):
        k = share[v]
        if k == 1:
            nodes[n_nodes] = v
            n_nodes += 1
        elif k > 1:
            child = tree.last[v]
            while child >= 0:
                k = _divide(tree, table, W, share, child, k)
                child = tree.previous[child]
    return nodes[:n_nodes].copy()


@njit(types.void(_TREE, WEIGHTS, WEIGHTS, types.int64, types.float64), cache=True)
def reweigh_bounded(tree: Any, table: Any, W: NDArray[np.float64], a: int, weight: float) -> None:
    """Update W and the tables after the weight of a pair below ``a`` has grown."""
    u = a
    while u >= 0:
        W[u] += weight
        # The tables of u and of its later siblings include the gains of u.
        v = u
        while v >= 0:
            fill(tree, table, W, v)
            v = tree.following[v]
        u = tree.parent[u]


@njit(types.void(_TREE, WEIGHTS, WEIGHTS, WEIGHTS, types.int64), cache=True)
def _join(tree: Any, table: Any, W: Any, row: NDArray[np.float64], v: int) -> None:
    """Add v to a table ``row`` (K,) of gains of other nodes. O(K size)."""
    # From the largest k down, as each entry needs those of fewer clusters as they were.
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
    # The best gains of T(u) in exactly k clusters, with the pair together and apart: -inf where
    # there is no such cut. First for u = a, which has the pair together in one cluster only.
    together[:] = -np.inf
    apart[:] = -np.inf
    together[0] = W[a]
    for k in range(2, tree.size[a] + 1):
        apart[k - 1] = gain(tree, table, W, a, k)
    u = a
    while tree.parent[u] >= 0:
        # Then for the parent: its other children are divided in any way.
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
    together = np.empty(K)
    apart = np.empty(K)
    for row in range(len(lcas)):
        a = lcas[row]
        distance = margin_bounded(tree, table, W, together, apart, a)
        p = probability(distance, t + row + 1, law)
        if coins[row] < p:
            # The answer 1 means together, and 0 apart.
            sign = 2 * ask(state, pairs[row, 0], pairs[row, 1], 0, 0) - 1
            reweigh_bounded(tree, table, W, a, sign / p)
