"""WDP's loop (Gentile et al. 2019, algorithm 1): binary searches on paths of maximum entropy.

WDP keeps a forest: subtrees whose nodes have no label while all nodes above them are above the cut.
It takes the tree with the path of maximum entropy, and bisects this path by probability until it
has the place of the cut. The subtrees beside the part of the path above the cut then join the
forest.

Probabilities are logarithms, as products of many of them underflow. Arrays of inner nodes have the
entry k for node n + k.
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
    IN_ORDER,
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

_ID_MASK = np.int64((1 << 32) - 1)
"""The bits of a heap's key that are the id of a node; the rank is above them."""
_ROUNDING = 1e-9


@njit(cache=True)
def log_survival(parent: NDArray[np.int64], log_above: NDArray[np.float64]) -> NDArray[np.float64]:
    """Log of the probability (m-n,) that all nodes above an inner node are above the cut. O(m)."""
    inner = len(log_above)
    n = len(parent) - inner
    total = np.zeros(inner)
    for k in range(inner - 2, -1, -1):
        above = parent[n + k] - n
        total[k] = total[above] + log_above[above]
    return total


@njit(cache=True)
def most_entropy(
    parent: NDArray[np.int64],
    label: NDArray[np.int8],
    log_below: NDArray[np.float64],
    log_above: NDArray[np.float64],
    entropy: NDArray[np.float32],
    best_child: NDArray[np.int32],
) -> None:
    """Fill in the largest entropy of a path from each inner node to a leaf, and its child. O(m).

    H(v) = h2(P(v)) + (1 - P(v)) max_c H(c) in bits, over the children c; 0 where v is BELOW, which
    ends a path. The trees of WDP's forest are whole subtrees with their initial probabilities, so
    that H never changes. Of several best children, the first is taken.

    Parameters
    ----------
    log_below, log_above : (m-n,)
        log P(v) and log (1 - P(v)).
    entropy, best_child : (m-n,)
        H, with rounding errors removed so that equal entropies compare equal, and the child.
    """
    m = len(parent)
    n = m - len(log_below)
    best_child[:] = -1
    # Of the children so far.
    highest = np.zeros(m - n)
    for v in range(m):
        # Less than 0, so that a path that continues comes first even if its entropy rounds to 0.
        entropy_from_v = -1.0
        if v >= n and label[v] != BELOW:
            k = v - n
            p = np.exp(log_below[k])
            q = np.exp(log_above[k])
            bits = max(0.0, -(p * log_below[k] + q * log_above[k]) / np.log(2.0))
            entropy[k] = bits + q * max(0.0, highest[k])
            # As it is stored, in 32 bits.
            entropy_from_v = np.float64(entropy[k])
        above = parent[v] - n
        if above >= 0 and (best_child[above] < 0 or entropy_from_v > highest[above]):
            highest[above] = entropy_from_v
            best_child[above] = v


class PathSearch(NamedTuple):
    """What WDP stores about a tree of m nodes and n leaves.

    Attributes
    ----------
    heap : (m-n,) int64
        Keys of the roots of the forest's trees; see `_push`. `WAITING` is their number.
    path : (m-n+1,) int32
        The nodes of the path that is searched, from its root down to a leaf or a node that is
        BELOW.
    survival : (m-n+2,) float64
        For each position of the path, the log of the probability that all nodes before it are above
        the cut.
    best_child, rank : (m-n,) int32
        From `most_entropy`: the child, and the bits of the entropy, which increase with it.
    log_above : (m-n,) float64
        log (1 - P(v)).
    """

    heap: NDArray[np.int64]
    path: NDArray[np.int32]
    survival: NDArray[np.float64]
    best_child: NDArray[np.int32]
    rank: NDArray[np.int32]
    log_above: NDArray[np.float64]


# Missing in numba's own annotations.
_named_tuple: Any = types.NamedTuple
_IDS = types.int32[::1]
_PATH_SEARCH = _named_tuple(
    (types.int64[::1], _IDS, types.float64[::1], _IDS, _IDS, types.float64[::1]), PathSearch
)


@njit(cache=True)
def _push(heap: Any, progress: Any, rank: Any, n: Any, v: Any) -> None:
    """Push the path from node v on a heap, ordered by rank and then id, or on a stack.

    O(log m); the heap is a binary one with the largest key first.
    """
    key = (np.int64(rank[v - n]) << 32) | np.int64(v)
    i = progress[WAITING]
    progress[WAITING] += 1
    while progress[IN_ORDER] and i > 0 and key > heap[(i - 1) // 2]:
        heap[i] = heap[(i - 1) // 2]
        i = (i - 1) // 2
    heap[i] = key


@njit(cache=True)
def _pop(heap: Any, progress: Any) -> Any:
    """Pop the next node. O(log m)."""
    progress[WAITING] -= 1
    count = progress[WAITING]
    if not progress[IN_ORDER]:
        return heap[count] & _ID_MASK
    top = heap[0]
    last_key = heap[count]
    # The root leaves a gap: move the larger child up until the gap is a leaf.
    gap = np.int64(0)
    while 2 * gap + 2 < count:
        child = 2 * gap + 1
        child += heap[child + 1] > heap[child]
        heap[gap] = heap[child]
        gap = child
    if 2 * gap + 2 == count:
        heap[gap] = heap[2 * gap + 1]
        gap = 2 * gap + 1
    # The last key fills it, and rises from there.
    while gap > 0 and last_key > heap[(gap - 1) // 2]:
        heap[gap] = heap[(gap - 1) // 2]
        gap = (gap - 1) // 2
    heap[gap] = last_key
    return top & _ID_MASK


@register_jitable
def _median(survival: Any, low: Any, high: Any) -> Any:
    """The position low..high-1 at the median of the position of the cut. O(log h).

    Of two nodes equally close to the median, the higher one. Where all probabilities underflow, the
    node in the middle.
    """
    # Half of the probability that the cut is at one of these positions, given that all nodes before
    # them are above the cut.
    start = survival[low]
    half = -np.expm1(survival[high + 1] - start) / 2.0
    if not half > 0.0:
        return (low + high) // 2
    # The first position with at least half of the probability at and before it.
    bound = start + np.log1p(-half)
    position = low
    last = high - 1
    while position < last:
        middle = (position + last) // 2
        if survival[middle + 1] <= bound:
            last = middle
        else:
            position = middle + 1
    if position > low:
        # How far the probability at and before this one is over the half, and under it without it.
        over = -np.expm1(survival[position + 1] - start) - half
        under = half + np.expm1(survival[position] - start)
        if under <= over + _ROUNDING * half:
            position -= 1
    return position


@register_jitable
def _aim_at_median(progress: Any, shape: Any, search: PathSearch) -> None:
    """Ask about the node at the median of the position of the cut."""
    position = _median(search.survival, progress[LOW], progress[HIGH])
    progress[POSITION] = position
    aim(progress, shape, np.int64(search.path[position]))


@register_jitable
def _next_path(progress: Any, shape: Any, label: Any, search: PathSearch) -> None:
    """Start on the path of maximum entropy; its last node is BELOW, whatever the answers."""
    progress[NODE] = -1
    if progress[WAITING] == 0:
        return
    path = search.path
    survival = search.survival
    best_child = search.best_child
    log_above = search.log_above
    n = len(label) - len(best_child)
    v = _pop(search.heap, progress)
    k = 0
    survival[0] = 0.0
    while label[v] != BELOW:
        path[k] = v
        survival[k + 1] = survival[k] + log_above[v - n]
        v = np.int64(best_child[v - n])
        k += 1
    path[k] = v
    survival[k + 1] = -np.inf
    progress[LOW] = 0
    progress[HIGH] = k
    progress[PATHS] += 1
    _aim_at_median(progress, shape, search)


@njit(cache=True)
def start_paths(progress: Any, shape: Any, label: Any, search: PathSearch) -> None:
    """Ask about the first path."""
    root = len(label) - 1
    if label[root] != BELOW:
        n = len(label) - len(search.rank)
        _push(search.heap, progress, search.rank, n, np.int64(root))
    _next_path(progress, shape, label, search)


@register_jitable
def _label_above(progress: Any, shape: Any, label: Any, search: PathSearch, last: Any) -> None:
    """Label the path down to position ``last`` ABOVE; subtrees beside it join the forest."""
    child_start = shape.child_start
    children = shape.children
    heap = search.heap
    path = search.path
    rank = search.rank
    n = len(label) - len(rank)
    for position in range(progress[LOW], last + 1):
        v = path[position]
        label[v] = ABOVE
        for index in range(child_start[v], child_start[v + 1]):
            child = children[index]
            if child != path[position + 1] and label[child] != BELOW:
                _push(heap, progress, rank, n, np.int64(child))


@njit(cache=True)
def learn_path(progress: Any, shape: Any, label: Any, search: PathSearch, together: Any) -> None:
    """Label the nodes that the answer decides, and ask about the next one."""
    position = progress[POSITION]
    if together:
        # The cut is at this node or above it.
        label[search.path[position]] = BELOW
        progress[HIGH] = position
    else:
        _label_above(progress, shape, label, search, position)
        progress[LOW] = position + 1
    if progress[LOW] == progress[HIGH]:
        # The cut is at this position: all nodes before it are ABOVE, and it is BELOW.
        _next_path(progress, shape, label, search)
    else:
        _aim_at_median(progress, shape, search)


@njit(types.void(ASK, STATE, types.int64, PROGRESS, SHAPE, LABEL, _PATH_SEARCH), cache=True)
def search_paths(
    ask: Any,
    state: Any,
    limit: int,
    progress: NDArray[np.int64],
    shape: Any,
    label: NDArray[np.int8],
    search: PathSearch,
) -> None:
    """WDP or, by votes, N-WDP, up to ``limit`` queries.

    No node is on two paths: O(m + Q log h) for Q queries, and O(log m) for each path.
    """
    while progress[NODE] >= 0 and limit > 0:
        i, j = next_pair(progress, shape)
        limit -= 1
        if is_decided(progress, ask(state, i, j, 0, 0)):
            learn_path(progress, shape, label, search, are_together(progress))
