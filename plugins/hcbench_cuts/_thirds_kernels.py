"""The loop of OTS (Gentile et al. 2019, appendix B.1): each query excludes a third of the cuts.

OTS keeps a forest: subtrees whose nodes have no label while all nodes above them are above the cut.
It takes one of its trees, and a path p_0 .. p_k of open nodes from the root of the tree to a node
of which all children are collapsed: leaves, or BELOW.

- W_i, the product over l < i of the numbers of cuts N of the open children of p_l beside the path,
  counts the cuts of the tree that cut just above p_i.
- So the sum of W_i over i > j counts the cuts with y(p_j) = 0.

The query is about the lowest p_j for which this sum is at least a third of all cuts. If p_j is
below the cut, the path continues from p_{j-1} through another open child, which does not change
W_0 .. W_{j-1}; so each node is on a path once.

Numbers of cuts are logarithms, as they overflow.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit, types
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench.compiled import ASK, STATE
from hcbench_cuts._question_kernels import (
    ABOVE,
    BELOW,
    HIGH,
    LABEL,
    LOW,
    NODE,
    PATHS,
    POSITION,
    PROGRESS,
    SHAPE,
    WAITING,
    aim,
    are_together,
    is_decided,
    next_pair,
)

_ROUNDING = 1e-9


class ThirdsSearch(NamedTuple):
    """What OTS stores about a tree of m nodes and n leaves.

    Attributes
    ----------
    forest : (m-n,) int32
        The roots of its trees, a stack. `WAITING` is their number.
    path : (m-n,) int32
        The nodes p_0 .. p_k of the path, k being `HIGH`.
    cursor : (m-n,) int32
        For each node of the path, the index of the child on the path in the children of all nodes.
        The children before it are open or leaves, those after it are collapsed.
    log_cuts : (m-n,) float64
        log N of the inner nodes.
    log_beside : (m-n,) float64
        For each node of the path, log of the number of cuts of the open children beside it.
    log_weight, log_total : (m-n,) float64
        For each node of the path, log W_i, and log of the sum of W_0 .. W_i.
    """

    forest: NDArray[np.int32]
    path: NDArray[np.int32]
    cursor: NDArray[np.int32]
    log_cuts: NDArray[np.float64]
    log_beside: NDArray[np.float64]
    log_weight: NDArray[np.float64]
    log_total: NDArray[np.float64]


# Missing in numba's own annotations.
_named_tuple: Any = types.NamedTuple
_IDS = types.int32[::1]
_LOGS = types.float64[::1]
_THIRDS_SEARCH = _named_tuple((_IDS, _IDS, _IDS, _LOGS, _LOGS, _LOGS, _LOGS), ThirdsSearch)


@register_jitable
def _log_add(a: Any, b: Any) -> Any:
    """log(exp(a) + exp(b)), without overflow."""
    return max(a, b) + np.log1p(np.exp(-abs(a - b)))


@register_jitable
def _put(shape: Any, search: ThirdsSearch, k: Any, v: Any, log_weight: Any) -> None:
    """Let v be node k of the path, with log W_k. O(children)."""
    children = shape.children
    log_cuts = search.log_cuts
    log_total = search.log_total
    n = len(shape.leaf_order)
    # Until it is known whether the path goes on, all its inner children are beside it.
    log_beside = 0.0
    for index in range(shape.child_start[v], shape.child_start[v + 1]):
        child = children[index]
        if child >= n:
            log_beside += log_cuts[child - n]
    search.path[k] = v
    search.cursor[k] = shape.child_start[v + 1]
    search.log_beside[k] = log_beside
    search.log_weight[k] = log_weight
    if k == 0:
        log_total[k] = log_weight
    else:
        log_total[k] = _log_add(log_total[k - 1], log_weight)


@njit(cache=True)
def _extend(progress: Any, shape: Any, label: Any, search: ThirdsSearch) -> None:
    """Extend the path to a node of which all children are collapsed."""
    child_start = shape.child_start
    children = shape.children
    path = search.path
    cursor = search.cursor
    log_beside = search.log_beside
    n = len(shape.leaf_order)
    k = progress[HIGH]
    while True:
        v = path[k]
        # The last open child: those from the cursor on are collapsed.
        index = np.int64(cursor[k]) - 1
        while index >= child_start[v] and label[children[index]] == BELOW:
            index -= 1
        if index < child_start[v]:
            cursor[k] = child_start[v]
            log_beside[k] = 0.0
            break
        # It is on the path from now on, and no longer beside it.
        child = np.int64(children[index])
        cursor[k] = index
        log_beside[k] = max(0.0, log_beside[k] - search.log_cuts[child - n])
        log_weight = search.log_weight[k] + log_beside[k]
        k += 1
        _put(shape, search, k, child, log_weight)
    progress[HIGH] = k


@register_jitable
def _lowest_of_a_third(search: ThirdsSearch, low: Any, high: Any) -> Any:
    """The last position low..high whose node is above at least a third of the cuts. O(log h).

    The cuts are those that agree with the answers: they are at position ``low`` or after it.
    """
    log_total = search.log_total
    # The last node may also be above the cut, for as many cuts as just above it: its children are
    # all collapsed.
    log_all = _log_add(log_total[high], search.log_weight[high])
    log_excluded = -np.inf
    if low > 0:
        log_excluded = log_total[low - 1]
    third = -np.expm1(log_excluded - log_all) / 3.0
    lowest = low
    last = high
    while lowest < last:
        middle = (lowest + last + 1) // 2
        if -np.expm1(log_total[middle] - log_all) >= third * (1.0 - _ROUNDING):
            lowest = middle
        else:
            last = middle - 1
    return lowest


@register_jitable
def _aim_at_third(progress: Any, shape: Any, search: ThirdsSearch) -> None:
    """Ask about the lowest node of the path that is above at least a third of the cuts."""
    position = _lowest_of_a_third(search, progress[LOW], progress[HIGH])
    progress[POSITION] = position
    aim(progress, shape, np.int64(search.path[position]))


@register_jitable
def _next_tree(progress: Any, shape: Any, label: Any, search: ThirdsSearch) -> None:
    """Take the next tree of the forest, and build a path through it."""
    progress[NODE] = -1
    if progress[WAITING] == 0:
        return
    progress[WAITING] -= 1
    progress[PATHS] += 1
    progress[LOW] = 0
    progress[HIGH] = 0
    root = np.int64(search.forest[progress[WAITING]])
    # W_0 = 1: one cut is just above the root.
    _put(shape, search, 0, root, 0.0)
    _extend(progress, shape, label, search)
    _aim_at_third(progress, shape, search)


@njit(cache=True)
def start_thirds(progress: Any, shape: Any, label: Any, search: ThirdsSearch) -> None:
    """Ask about the whole tree's first path."""
    root = len(label) - 1
    if label[root] != BELOW:
        search.forest[0] = root
        progress[WAITING] = 1
    _next_tree(progress, shape, label, search)


@register_jitable
def _label_above(progress: Any, shape: Any, label: Any, search: ThirdsSearch, last: Any) -> None:
    """Label the path down to position ``last`` ABOVE; open subtrees beside it join the forest."""
    child_start = shape.child_start
    children = shape.children
    forest = search.forest
    path = search.path
    cursor = search.cursor
    for position in range(progress[LOW], last + 1):
        v = path[position]
        label[v] = ABOVE
        # The child at the cursor is on the path, and those after it are collapsed.
        for index in range(child_start[v], cursor[position]):
            child = children[index]
            if label[child] != BELOW:
                forest[progress[WAITING]] = child
                progress[WAITING] += 1


@njit(cache=True)
def learn_thirds(
    progress: Any, shape: Any, label: Any, search: ThirdsSearch, together: Any
) -> None:
    """Label the nodes that the answer decides, and ask about the next one."""
    position = progress[POSITION]
    if together:
        label[search.path[position]] = BELOW
        progress[HIGH] = position - 1
    else:
        _label_above(progress, shape, label, search, position)
        progress[LOW] = position + 1
    if progress[HIGH] < progress[LOW]:
        # Every node of the path has a label.
        _next_tree(progress, shape, label, search)
        return
    if together:
        _extend(progress, shape, label, search)
    _aim_at_third(progress, shape, search)


@njit(types.void(ASK, STATE, types.int64, PROGRESS, SHAPE, LABEL, _THIRDS_SEARCH), cache=True)
def split_by_thirds(
    ask: Any,
    state: Any,
    limit: int,
    progress: NDArray[np.int64],
    shape: Any,
    label: NDArray[np.int8],
    search: ThirdsSearch,
) -> None:
    """OTS, up to ``limit`` queries. O(m + Q log h) for Q queries."""
    while progress[NODE] >= 0 and limit > 0:
        i, j = next_pair(progress, shape)
        limit -= 1
        if is_decided(progress, ask(state, i, j, 0, 0)):
            learn_thirds(progress, shape, label, search, are_together(progress))
