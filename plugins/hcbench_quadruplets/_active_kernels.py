"""Compiled loops that make one query at a time: sorting, a spanning tree, and tournaments.

All are called by `hcbench.Oracle.run`: ``ask(state, i, j, k, l)`` is positive if w_ij > w_kl. They
use only the answers, and terminate for any answers, including contradictory ones; if neither pair
is more similar than the other, the first one in the query loses. Their parts that query are
`register_jitable` functions, since they run as plain Python where a Python function answers.

Tournaments are stored in arrays: of the leaves 0..size-1, inner node m = 1..size-1 with lowest bit
h is the winner among the leaves from m - h to m + h - 1, as far as they exist; the root is the
largest power of two below size. So a node covers the same leaves in trees of different size.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit, types
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench.compiled import ASK, STATE

_ITEMS = types.int64[::1]


@njit(types.int64(types.int64, types.int64), cache=True)
def node_of_right_part(m: int, size: int) -> int:
    """The inner node over the leaves from m on, below node m; 0 if that is only leaf m."""
    g = (m & -m) >> 1
    while g > 0 and m + g >= size:
        g >>= 1
    return m + g if g > 0 else 0


@njit(types.int64[::1](types.int64, _ITEMS, _ITEMS), cache=True)
def join_in_order(n: int, i: NDArray[np.int64], j: NDArray[np.int64]) -> NDArray[np.int64]:
    """Join the clusters of items i and j (m,), one pair at a time, if they differ.

    Returns
    -------
    (2n-1,) int64 array
        Parents of the binary tree: merge t is node n + t. Kruskal's algorithm, O(m) with path
        halving and union by size.
    """
    parent = np.full(2 * n - 1, -1, np.int64)
    root, node, size = np.arange(n), np.arange(n), np.ones(n, np.int64)
    new = n
    for at in range(i.size):
        a, b = i[at], j[at]
        while root[a] != a:
            root[a] = root[root[a]]
            a = root[a]
        while root[b] != b:
            root[b] = root[root[b]]
            b = root[b]
        if a == b:
            continue
        if size[a] < size[b]:
            a, b = b, a
        parent[node[a]] = parent[node[b]] = new
        root[b] = a
        size[a] += size[b]
        node[a] = new
        new += 1
    return parent


@njit(types.void(ASK, STATE, _ITEMS, _ITEMS), cache=True)
def sort_pairs(ask: Any, state: Any, i: NDArray[np.int64], j: NDArray[np.int64]) -> None:
    """Sort pairs i, j (m,) in place by merge sort, the most similar ones first.

    At least m - 1 and at most m ceil(log2 m) queries, as in the proof of proposition 1. 32 m bytes.
    """
    m = i.size
    runs = 1
    while runs < m:
        runs *= 2
    other_i, other_j = np.empty_like(i), np.empty_like(j)
    from_i, from_j, to_i, to_j = i, j, other_i, other_j
    while runs > 1:
        for run in range(0, runs, 2):
            a, half, end = run * m // runs, (run + 1) * m // runs, (run + 2) * m // runs
            b = half
            for out in range(a, end):
                second = a == half
                if not second and b < end:
                    second = ask(state, from_i[b], from_j[b], from_i[a], from_j[a]) > 0
                if second:
                    to_i[out], to_j[out] = from_i[b], from_j[b]
                    b += 1
                else:
                    to_i[out], to_j[out] = from_i[a], from_j[a]
                    a += 1
        from_i, from_j, to_i, to_j = to_i, to_j, from_i, from_j
        runs //= 2
    for at in range(i.size):
        i[at], j[at] = from_i[at], from_j[at]


class NearestItems(NamedTuple):
    """State of `spanning_tree` for n items: a tournament of the items that are not in the tree."""

    #: (n,) int64. The item of the tree that is nearest to each item outside.
    nearest: Any
    #: (n,) bool. Whether an item is outside.
    outside: Any
    #: (n,) int64. The item that won each inner node.
    winner: Any


@register_jitable
def _nearer_item(ask: Any, state: Any, t: NearestItems, a: Any, b: Any) -> Any:
    """The one of two items that is closer to the tree; the first, if neither is outside."""
    if not t.outside[b]:
        return a
    if not t.outside[a]:
        return b
    if ask(state, b, t.nearest[b], a, t.nearest[a]) > 0:
        return b
    return a


@register_jitable
def _play_items(ask: Any, state: Any, t: NearestItems, m: int) -> None:
    """Play the game at inner node m."""
    h = m & -m
    first = np.int64(m - 1)
    if h > 1:
        first = t.winner[m - h // 2]
    right = node_of_right_part(m, t.winner.size)
    second = np.int64(m)
    if right > 0:
        second = t.winner[right]
    t.winner[m] = _nearer_item(ask, state, t, first, second)


@register_jitable
def _play_all_items(ask: Any, state: Any, t: NearestItems) -> int:
    """Play the tournament from the leaves up; return its root."""
    n = t.winner.size
    root = 1
    h = 1
    while h < n:
        for m in range(h, n, 2 * h):
            _play_items(ask, state, t, m)
        root = h
        h *= 2
    return root


@register_jitable
def _remove_item(ask: Any, state: Any, t: NearestItems, item: int) -> None:
    """Replay all games of an item, which is in the tree now."""
    n = t.winner.size
    h = 1
    while h < n:
        m = (item & ~(2 * h - 1)) + h
        if m < n:
            _play_items(ask, state, t, m)
        h *= 2


@register_jitable
def _promote_item(ask: Any, state: Any, t: NearestItems, item: int) -> None:
    """Let an item that got closer to the tree win games until it loses one."""
    n = t.winner.size
    beaten = item
    h = 1
    while h < n:
        m = (item & ~(2 * h - 1)) + h
        if m < n:
            # An item that it has beaten before needs no other query.
            if t.winner[m] != item and t.winner[m] != beaten:
                beaten = t.winner[m]
                if _nearer_item(ask, state, t, beaten, item) != item:
                    break
            t.winner[m] = item
        h *= 2


@njit(types.void(ASK, STATE, _ITEMS, _ITEMS), cache=True)
def spanning_tree(
    ask: Any, state: Any, nearest: NDArray[np.int64], added: NDArray[np.int64]
) -> None:
    """Maximum spanning tree of the similarities: Prim's algorithm, with a tournament of items.

    Every pair is queried when its first item is added, which takes n(n-1)/2 - O(n) queries; an item
    that gets closer to the tree is updated in the tournament, and an added one is removed: O(log n)
    queries each. The former happens about n ln n times for similarities in random order. O(n)
    memory.

    Parameters
    ----------
    nearest : (n,) int64, written
        For each item but 0: the item of the tree to which it is joined.
    added : (n,) int64, written
        Items in the order in which they are added.
    """
    n = nearest.size
    nearest[:] = 0
    outside = np.ones(n, np.bool_)
    outside[0] = False
    t = NearestItems(nearest, outside, np.zeros(n, np.int64))
    root = _play_all_items(ask, state, t)
    added[0] = 0
    for step in range(1, n):
        v = t.winner[root]
        added[step] = v
        outside[v] = False
        _remove_item(ask, state, t, v)
        for r in range(n):
            if outside[r] and ask(state, r, v, r, nearest[r]) > 0:
                nearest[r] = v
                _promote_item(ask, state, t, r)
