"""WDP's loop (Gentile et al. 2019, algorithm 1): binary searches on paths of maximum entropy."""

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
    IN_ORDER,
    LABEL,
    LOW,
    NODE,
    PATHS,
    POSITION,
    SHAPE,
    WAITING,
    aim,
    are_together,
    is_decided,
    next_pair,
)

_I4, _I8, _F8 = types.int32[::1], types.int64[::1], types.float64[::1]
_ID = np.int64((1 << 32) - 1)
_ROUNDING = 1e-9


@njit(cache=True)
def log_survival(parent: NDArray[np.int64], above: NDArray[np.float64]) -> NDArray[np.float64]:
    """Log of the probability (m-n,) that all nodes above an inner node are above the cut. O(m)."""
    n, inner = len(parent) - len(above), len(above)
    total = np.zeros(inner)
    for k in range(inner - 2, -1, -1):
        u = parent[n + k] - n
        total[k] = total[u] + above[u]
    return total


@njit(cache=True)
def most_entropy(
    parent: NDArray[np.int64],
    label: NDArray[np.int8],
    below: NDArray[np.float64],
    above: NDArray[np.float64],
    entropy: NDArray[np.float32],
    best: NDArray[np.int32],
) -> None:
    """Fill in the largest entropy of a path from each inner node to a leaf, and its child. O(m).

    H(v) = h2(P(v)) + (1 - P(v)) max_c H(c) in bits, over the children c; 0 where v is BELOW, which
    ends a path. The trees of WDP's forest are whole subtrees with their initial probabilities, so
    that H never changes. Of several best children, the first is taken.

    Parameters
    ----------
    below, above : (m-n,)
        log P(v) and log (1 - P(v)).
    entropy, best : (m-n,)
        H, with rounding errors removed so that equal entropies compare equal, and the child.
    """
    m, n = len(parent), len(parent) - len(below)
    best[:] = -1
    highest = np.zeros(m - n)
    for v in range(m):
        own = -1.0  # so that a path that continues comes first even if its entropy rounds to 0
        if v >= n and label[v] != BELOW:
            k = v - n
            p, q = np.exp(below[k]), np.exp(above[k])
            bits = max(0.0, -(p * below[k] + q * above[k]) / np.log(2.0))
            entropy[k] = bits + q * max(0.0, highest[k])
            own = np.float64(entropy[k])
        u = parent[v] - n
        if u >= 0 and (best[u] < 0 or own > highest[u]):
            highest[u], best[u] = own, v


@njit(cache=True)
def _push(heap: Any, at: Any, rank: Any, n: Any, v: Any) -> None:
    """Push the path from node v on a heap, ordered by rank and then id, or on a stack."""
    key = (np.int64(rank[v - n]) << 32) | np.int64(v)
    i = at[WAITING]
    at[WAITING] += 1
    while at[IN_ORDER] and i > 0 and key > heap[(i - 1) // 2]:
        heap[i] = heap[(i - 1) // 2]
        i = (i - 1) // 2
    heap[i] = key


@njit(cache=True)
def _pop(heap: Any, at: Any) -> Any:
    """Pop the next node. A heap's root is sifted down to a leaf, from which the last key rises."""
    at[WAITING] -= 1
    count = at[WAITING]
    if not at[IN_ORDER]:
        return heap[count] & _ID
    top, key, i = heap[0], heap[count], np.int64(0)
    while 2 * i + 2 < count:
        child = 2 * i + 1
        child += heap[child + 1] > heap[child]
        heap[i] = heap[child]
        i = child
    if 2 * i + 2 == count:
        heap[i] = heap[2 * i + 1]
        i = 2 * i + 1
    while i > 0 and key > heap[(i - 1) // 2]:
        heap[i] = heap[(i - 1) // 2]
        i = (i - 1) // 2
    heap[i] = key
    return top & _ID


@register_jitable
def _aim_at_middle(at: Any, shape: Any, path: Any, survival: Any) -> None:
    """Ask about the node at the median of the position of the cut. O(log h).

    Of two nodes equally close to the median, take the higher one. Where all probabilities
    underflow, take the node in the middle.
    """
    low, high = at[LOW], at[HIGH]
    start = survival[low]
    half = -np.expm1(survival[high + 1] - start) / 2.0
    position = (low + high) // 2
    if half > 0.0:
        bound, last = start + np.log1p(-half), high - 1
        position = low
        while position < last:
            middle = (position + last) // 2
            if survival[middle + 1] <= bound:
                last = middle
            else:
                position = middle + 1
        if position > low:
            over = -np.expm1(survival[position + 1] - start) - half
            under = half + np.expm1(survival[position] - start)
            position -= under <= over + _ROUNDING * half
    at[POSITION] = position
    aim(at, shape, np.int64(path[position]))


@register_jitable
def _next_path(
    at: Any,
    shape: Any,
    label: Any,
    heap: Any,
    path: Any,
    survival: Any,
    best: Any,
    rank: Any,
    above: Any,
) -> None:
    """Start on the path of maximum entropy; its last node is BELOW, whatever the answers."""
    at[NODE] = -1
    if at[WAITING] == 0:
        return
    n = len(label) - len(rank)
    v, k = _pop(heap, at), 0
    survival[0] = 0.0
    while label[v] != BELOW:
        path[k] = v
        survival[k + 1] = survival[k] + above[v - n]
        v = np.int64(best[v - n])
        k += 1
    path[k], survival[k + 1] = v, -np.inf
    at[LOW], at[HIGH] = 0, k
    at[PATHS] += 1
    _aim_at_middle(at, shape, path, survival)


@njit(cache=True)
def start_paths(
    at: Any,
    shape: Any,
    label: Any,
    heap: Any,
    path: Any,
    survival: Any,
    best: Any,
    rank: Any,
    above: Any,
) -> None:
    """Ask about the first path."""
    root = len(label) - 1
    if label[root] != BELOW:
        _push(heap, at, rank, len(label) - len(rank), root)
    _next_path(at, shape, label, heap, path, survival, best, rank, above)


@njit(cache=True)
def learn_path(
    at: Any,
    shape: Any,
    label: Any,
    heap: Any,
    path: Any,
    survival: Any,
    best: Any,
    rank: Any,
    above: Any,
    together: Any,
) -> None:
    """Label the nodes that the answer decides, and ask about the next one."""
    j = at[POSITION]
    if together:
        label[path[j]] = BELOW
        at[HIGH] = j
    else:
        offsets, children = shape[0], shape[1]
        for i in range(at[LOW], j + 1):
            label[path[i]] = ABOVE
            for place in range(offsets[path[i]], offsets[path[i] + 1]):
                child = children[place]
                if child != path[i + 1] and label[child] != BELOW:
                    _push(heap, at, rank, len(label) - len(rank), child)
        at[LOW] = j + 1
    if at[LOW] == at[HIGH]:
        _next_path(at, shape, label, heap, path, survival, best, rank, above)
    else:
        _aim_at_middle(at, shape, path, survival)


_SEARCH = types.void(ASK, STATE, types.int64, AT, SHAPE, LABEL, _I8, _I4, _F8, _I4, _I4, _F8)


@njit(_SEARCH, cache=True)
def search_paths(
    ask: Any,
    state: Any,
    limit: int,
    at: NDArray[np.int64],
    shape: Any,
    label: NDArray[np.int8],
    heap: NDArray[np.int64],
    path: NDArray[np.int32],
    survival: NDArray[np.float64],
    best: NDArray[np.int32],
    rank: NDArray[np.int32],
    above: NDArray[np.float64],
) -> None:
    """WDP or, by votes, N-WDP, up to ``limit`` queries.

    No node is on two paths: O(m + Q log h) for Q queries, and O(log m) for each path.

    Parameters
    ----------
    heap : (m-n,)
        Filled in: roots of the forest's trees with their rank, in descending order.
    path : (m-n+1,)
        Filled in: nodes from the root down to a leaf or a node that is BELOW.
    survival : (m-n+2,)
        Filled in: log of the probability that all nodes before this one are above the cut.
    best, rank : (m-n,)
        From `most_entropy`: the child, and the bits of the entropy, which increase with it.
    above : (m-n,)
        log (1 - P(v)).
    """
    while at[NODE] >= 0 and limit > 0:
        i, j = next_pair(at, shape)
        limit -= 1
        if is_decided(at, ask(state, i, j, 0, 0)):
            together = are_together(at)
            learn_path(at, shape, label, heap, path, survival, best, rank, above, together)
