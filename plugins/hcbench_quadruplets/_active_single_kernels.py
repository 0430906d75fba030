"""A compiled spanning tree by comparisons; see `_active_kernels` for conventions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit, types
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench.compiled import ASK, STATE
from hcbench_quadruplets._tournament_kernels import node_of_right_part

_ITEMS = types.int64[::1]


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
