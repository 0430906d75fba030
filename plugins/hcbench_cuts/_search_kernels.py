"""The loops of BF and OTS (Gentile et al. 2019, section 3 and appendix B.1)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench.compiled import ASK, STATE
from hcbench_cuts._question_kernels import (
    ABOVE,
    AT,
    BELOW,
    HIGH,
    LABEL,
    LOW,
    NODE,
    PATHS,
    POSITION,
    SERVED,
    SHAPE,
    WAITING,
    aim,
    are_together,
    is_decided,
    next_pair,
)

_I4, _F8 = types.int32[::1], types.float64[::1]
_ROUNDING = 1e-9


@njit(cache=True)
def start_breadth(at: Any, shape: Any, label: Any) -> None:
    """Ask about the root."""
    root = len(label) - 1
    if label[root] != BELOW:
        aim(at, shape, np.int64(root))


@njit(cache=True)
def learn_breadth(at: Any, shape: Any, label: Any, queue: Any, together: Any) -> None:
    """Label the node, and ask about the next in the queue."""
    v = at[NODE]
    label[v] = BELOW if together else ABOVE
    if not together:
        offsets, children = shape[0], shape[1]
        for place in range(offsets[v], offsets[v + 1]):
            if label[children[place]] != BELOW:
                queue[at[WAITING]] = children[place]
                at[WAITING] += 1
    at[NODE] = -1
    if at[SERVED] < at[WAITING]:
        at[SERVED] += 1
        aim(at, shape, np.int64(queue[at[SERVED] - 1]))


@njit(types.void(ASK, STATE, types.int64, AT, SHAPE, LABEL, _I4), cache=True)
def breadth_first(
    ask: Any,
    state: Any,
    limit: int,
    at: NDArray[np.int64],
    shape: Any,
    label: NDArray[np.int8],
    queue: NDArray[np.int32],
) -> None:
    """Ask about the nodes from the root down, level by level, up to ``limit`` queries.

    O(children) for each node that is asked about. ``queue`` (m-n,) is filled in.
    """
    while at[NODE] >= 0 and limit > 0:
        i, j = next_pair(at, shape)
        limit -= 1
        if is_decided(at, ask(state, i, j, 0, 0)):
            learn_breadth(at, shape, label, queue, are_together(at))


@register_jitable
def _log_add(a: Any, b: Any) -> Any:
    return max(a, b) + np.log1p(np.exp(-abs(a - b)))


@register_jitable
def _put(k: Any, v: Any, weight: Any, shape: Any, path: Any, cursor: Any, logs: Any) -> None:
    """Let v be node k of the path, with log W_k. O(children)."""
    inner = len(path)
    offsets, children, order = shape[0], shape[1], shape[4]
    beside = 0.0
    for place in range(offsets[v], offsets[v + 1]):
        if children[place] >= len(order):
            beside += logs[children[place] - len(order)]
    path[k], cursor[k] = v, offsets[v + 1]
    logs[inner + k], logs[2 * inner + k] = beside, weight
    logs[3 * inner + k] = weight if k == 0 else _log_add(logs[3 * inner + k - 1], weight)


@njit(cache=True)
def _extend(at: Any, shape: Any, label: Any, path: Any, cursor: Any, logs: Any) -> None:
    """Extend the path to a node of which all children are collapsed."""
    inner, k = len(path), at[HIGH]
    offsets, children, order = shape[0], shape[1], shape[4]
    while True:
        v = path[k]
        place = np.int64(cursor[k]) - 1
        while place >= offsets[v] and label[children[place]] == BELOW:
            place -= 1
        if place < offsets[v]:
            cursor[k] = offsets[v]
            logs[inner + k] = 0.0
            break
        child = np.int64(children[place])
        cursor[k] = place
        logs[inner + k] = max(0.0, logs[inner + k] - logs[child - len(order)])
        weight = logs[2 * inner + k] + logs[inner + k]
        k += 1
        _put(k, child, weight, shape, path, cursor, logs)
    at[HIGH] = k


@register_jitable
def _aim_at_third(at: Any, shape: Any, path: Any, logs: Any) -> None:
    """Ask about the lowest node on the path with at least 1/3 of the cuts below it. O(log h)."""
    sums, low, high = logs[3 * len(path) :], at[LOW], at[HIGH]
    # The last node may also be above the cut: as many cuts as just above it.
    whole = _log_add(sums[high], logs[2 * len(path) + high])
    outside = sums[low - 1] if low > 0 else -np.inf
    third = -np.expm1(outside - whole) / 3.0
    lowest = low
    while lowest < high:
        middle = (lowest + high + 1) // 2
        if -np.expm1(sums[middle] - whole) >= third * (1.0 - _ROUNDING):
            lowest = middle
        else:
            high = middle - 1
    at[POSITION] = lowest
    aim(at, shape, np.int64(path[lowest]))


@register_jitable
def _next_tree(
    at: Any, shape: Any, label: Any, forest: Any, path: Any, cursor: Any, logs: Any
) -> None:
    """Take the next tree of the forest, and build a path through it."""
    at[NODE] = -1
    if at[WAITING] == 0:
        return
    at[WAITING] -= 1
    at[PATHS] += 1
    at[LOW] = at[HIGH] = 0
    _put(0, np.int64(forest[at[WAITING]]), 0.0, shape, path, cursor, logs)
    _extend(at, shape, label, path, cursor, logs)
    _aim_at_third(at, shape, path, logs)


@njit(cache=True)
def start_thirds(
    at: Any, shape: Any, label: Any, forest: Any, path: Any, cursor: Any, logs: Any
) -> None:
    """Ask about the whole tree's first path."""
    root = len(label) - 1
    if label[root] != BELOW:
        forest[0] = root
        at[WAITING] = 1
    _next_tree(at, shape, label, forest, path, cursor, logs)


@njit(cache=True)
def learn_thirds(
    at: Any, shape: Any, label: Any, forest: Any, path: Any, cursor: Any, logs: Any, together: Any
) -> None:
    """Label the nodes that the answer decides, and ask about the next one."""
    j = at[POSITION]
    if together:
        label[path[j]] = BELOW
        at[HIGH] = j - 1
    else:
        offsets, children = shape[0], shape[1]
        for i in range(at[LOW], j + 1):
            label[path[i]] = ABOVE
            for place in range(offsets[path[i]], cursor[i]):
                if label[children[place]] != BELOW:
                    forest[at[WAITING]] = children[place]
                    at[WAITING] += 1
        at[LOW] = j + 1
    if at[HIGH] < at[LOW]:
        _next_tree(at, shape, label, forest, path, cursor, logs)
        return
    if together:
        _extend(at, shape, label, path, cursor, logs)
    _aim_at_third(at, shape, path, logs)


@njit(types.void(ASK, STATE, types.int64, AT, SHAPE, LABEL, _I4, _I4, _I4, _F8), cache=True)
def split_by_thirds(
    ask: Any,
    state: Any,
    limit: int,
    at: NDArray[np.int64],
    shape: Any,
    label: NDArray[np.int8],
    forest: NDArray[np.int32],
    path: NDArray[np.int32],
    cursor: NDArray[np.int32],
    logs: NDArray[np.float64],
) -> None:
    """OTS, up to ``limit`` queries.

    A path p_0 .. p_k of open nodes leads from the root of a tree of the forest to a node of which
    all children are collapsed: leaves, or BELOW. W_i, the product over l < i of the numbers of cuts
    of the open children of p_l beside the path, counts the cuts that cut just above p_i; the sum
    over i > j counts those with y(p_j) = 0. The query is about the lowest p_j for which this sum is
    at least a third of all cuts. When p_j is below the cut, the path continues from p_{j-1} through
    another open child, which does not change W_0 .. W_{j-1}; so each node is on a path once:
    O(m + Q log h) for Q queries.

    Parameters
    ----------
    forest : (m-n,)
        Filled in: roots of trees, a stack.
    path, cursor : (m-n,)
        Filled in: nodes, and the index of the child on the path among all children; children
        before it are open or leaves, those after it are collapsed.
    logs : (4 (m-n),)
        log N(v) of inner nodes; filled in for the nodes of the path: the logs of the number of cuts
        of the open children beside it, of W, and of the cumulative sum of W.
    """
    while at[NODE] >= 0 and limit > 0:
        i, j = next_pair(at, shape)
        limit -= 1
        if is_decided(at, ask(state, i, j, 0, 0)):
            learn_thirds(at, shape, label, forest, path, cursor, logs, are_together(at))
