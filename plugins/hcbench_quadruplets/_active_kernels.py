"""Compiled loops that make one query at a time: sorting, a spanning tree, and tournaments.

All are called by `hcbench.Oracle.run`: ``ask(state, i, j, k, l)`` is positive if w_ij > w_kl. They
use only the answers, and terminate for any answers, including contradictory ones; if neither pair
is more similar than the other, the first one in the query loses. Their parts that query are
`register_jitable` functions, since they run as plain Python where a Python function answers.

Each of the kernels that query is in a file of its own, as importing it compiles it; here is what
orders pairs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit, types
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench.compiled import ASK, STATE

_ITEMS = types.int64[::1]


class Forest(NamedTuple):
    """Clusters of n items as union-find trees, whose roots are items."""

    #: (n,) int64. The item above each item; itself for a root.
    above: NDArray[np.int64]
    #: (n,) int64. The number of items below a root, itself included.
    size: NDArray[np.int64]
    #: (n,) int64. The node of the binary tree that a root stands for.
    node: NDArray[np.int64]


@register_jitable
def _root(above: NDArray[np.int64], item: int) -> int:
    """The root above an item; paths are halved."""
    while above[item] != item:
        above[item] = above[above[item]]
        item = above[item]
    return item


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
    f = Forest(np.arange(n), np.ones(n, np.int64), np.arange(n))
    new = n
    for at in range(i.size):
        larger = _root(f.above, i[at])
        smaller = _root(f.above, j[at])
        if larger == smaller:
            continue
        if f.size[larger] < f.size[smaller]:
            root = larger
            larger = smaller
            smaller = root
        parent[f.node[larger]] = new
        parent[f.node[smaller]] = new
        f.above[smaller] = larger
        f.size[larger] += f.size[smaller]
        f.node[larger] = new
        new += 1
    return parent


class Pairs(NamedTuple):
    """The items of m pairs, in some order."""

    i: Any
    j: Any


@register_jitable
def _copy_pair(source: Pairs, at: int, target: Pairs, to: int) -> None:
    target.i[to] = source.i[at]
    target.j[to] = source.j[at]


@register_jitable
def _merge_runs(
    ask: Any, state: Any, source: Pairs, target: Pairs, start: int, half: int, end: int
) -> None:
    """Merge two sorted runs, ``start:half`` and ``half:end``, into the target."""
    a = start
    b = half
    for to in range(start, end):
        is_second = a == half
        if not is_second and b < end:
            is_second = ask(state, source.i[b], source.j[b], source.i[a], source.j[a]) > 0
        if is_second:
            _copy_pair(source, b, target, to)
            b += 1
        else:
            _copy_pair(source, a, target, to)
            a += 1


@njit(types.void(ASK, STATE, _ITEMS, _ITEMS), cache=True)
def sort_pairs(ask: Any, state: Any, i: NDArray[np.int64], j: NDArray[np.int64]) -> None:
    """Sort pairs i, j (m,) in place by merge sort, the most similar ones first.

    At least m - 1 and at most m ceil(log2 m) queries, as in the proof of proposition 1. 32 m bytes.
    """
    m = i.size
    n_runs = 1
    while n_runs < m:
        n_runs *= 2
    source = Pairs(i, j)
    target = Pairs(np.empty_like(i), np.empty_like(j))
    while n_runs > 1:
        for run in range(0, n_runs, 2):
            start = run * m // n_runs
            half = (run + 1) * m // n_runs
            end = (run + 2) * m // n_runs
            _merge_runs(ask, state, source, target, start, half, end)
        # The next pass merges what this one has written.
        merged = target
        target = source
        source = merged
        n_runs //= 2
    for at in range(m):
        i[at] = source.i[at]
        j[at] = source.j[at]
