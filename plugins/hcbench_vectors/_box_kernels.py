"""A compiled k-d tree of points. The kernels do not check their input."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench_vectors._step_kernels import entry

LEAF = 24  # points of a leaf at most; half of it at least


class Boxes(NamedTuple):
    """The m nodes of a k-d tree, as `make_boxes` writes them; leaves are from m // 2 on."""

    #: (m,) int64. The points ``first[node]:last[node]`` of each node. The children of node i are
    #: 2 i + 1 and 2 i + 2, if below m.
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    #: (p, m) float64. The smallest and the largest coordinates of the points of each node.
    low: NDArray[np.float64]
    high: NDArray[np.float64]


@register_jitable
def _swap(key: Any, item: Any, x: int, y: int) -> None:
    """Exchange two keys, and their items."""
    key_of_x = key[x]
    key[x] = key[y]
    key[y] = key_of_x
    item_of_x = item[x]
    item[x] = item[y]
    item[y] = item_of_x


@register_jitable
def halve(key: Any, item: Any, start: int, stop: int) -> None:
    """Order the items ``start:stop`` so that the keys of the upper half are not smaller.

    Quickselect, without a branch that depends on a comparison, as it could not be predicted.
    """
    middle = (start + stop) // 2
    # The key of rank ``middle`` is in left..right; those before are not larger, those after not
    # smaller.
    left = start
    right = stop - 1
    state = np.uint64(88172645463325252)
    while left < right:
        # A pseudo-random pivot (xorshift; Marsaglia 2003), so that no order of the points is slow:
        # the median of two keys at random places and of the one in the middle.
        state ^= state << np.uint64(13)
        state ^= state >> np.uint64(7)
        state ^= state << np.uint64(17)
        size = right - left + 1
        shift = np.int64(state >> np.uint64(40)) * size >> 24  # of 24 random bits: 0..size-1
        # The two places are a third of the range apart, so that they differ if it is not tiny.
        a = key[left + shift]
        b = key[left + (shift + size // 3) % size]
        pivot = max(min(a, b), min(max(a, b), key[(left + right) // 2]))
        # Move smaller keys before ``end``: every key is swapped there, and ``end`` moves if it is
        # smaller.
        end = left
        for x in range(left, right + 1):
            is_less = key[x] < pivot
            _swap(key, item, x, end)
            end += is_less
        if middle < end:
            right = end - 1
            continue
        # No key is smaller, as if all are equal: those equal to the pivot go first.
        if end == left:
            for x in range(left, right + 1):
                if key[x] == pivot:
                    _swap(key, item, x, end)
                    end += 1
            # The key of this rank is one of those equal ones.
            if middle < end:
                break
        left = end


@register_jitable
def _bound(points: Any, start: int, stop: int, low: Any, high: Any, node: int) -> int:
    """Write the box of the points ``start:stop``; return the axis along which it is longest.

    Of several axes the first one.
    """
    longest = 0
    for k in range(low.shape[0]):
        least = np.inf
        most = -np.inf
        for x in range(start, stop):
            least = min(least, points[k, x])
            most = max(most, points[k, x])
        low[k, node] = least
        high[k, node] = most
        if most - least > high[longest, node] - low[longest, node]:
            longest = k
    return longest


@register_jitable
def _split(points: Any, item: Any, start: int, stop: int, axis: int, key: Any, order: Any) -> None:
    """Bring the points ``start:stop`` into the order of their halves along an axis."""
    # ``order`` becomes the old place of the point that is to be at each place.
    for x in range(start, stop):
        key[x] = points[axis, x]
        order[x] = x
    halve(key, order, start, stop)
    # The keys have served: they hold one coordinate after the other in the new order.
    for k in range(points.shape[0]):
        for x in range(start, stop):
            key[x] = points[k, order[x]]
        for x in range(start, stop):
            points[k, x] = key[x]
    # The items last, as the order is not needed any more.
    for x in range(start, stop):
        order[x] = item[order[x]]
    for x in range(start, stop):
        item[x] = order[x]


@register_jitable
def number_of_nodes(n: int) -> int:
    """How many nodes the tree of n points has."""
    # All leaves are at one depth: a root with two leaves, and levels more until leaves are small.
    n_nodes = 3
    while n > LEAF * (n_nodes + 1) // 2:
        n_nodes = 2 * n_nodes + 1
    return n_nodes


def make_boxes(points: NDArray[np.float64], item: NDArray[np.int64]) -> Boxes:
    """Make a k-d tree: a node's points are halved where their box is the longest. O(n log n).

    Parameters
    ----------
    points : (p, n + LEAF), changed
        The first n are brought into the order of the tree.
    item : (n,), changed
        Likewise.
    """
    p = len(points)
    n = len(item)
    n_nodes = number_of_nodes(n)
    boxes = Boxes(
        first=np.empty(n_nodes, np.int64),
        last=np.empty(n_nodes, np.int64),
        low=np.empty((p, n_nodes)),
        high=np.empty((p, n_nodes)),
    )
    # Work space is allocated here and not in the kernel, where it would take longer to compile.
    write_boxes(points, item, n_nodes, boxes, np.empty(n), np.empty(n, np.int64))
    return boxes


@entry
def write_boxes(
    points: NDArray[np.float64],
    item: NDArray[np.int64],
    n_nodes: int,
    boxes: Boxes,
    key: NDArray[np.float64],
    order: NDArray[np.int64],
) -> None:
    """`make_boxes` of the first nodes of ``boxes``, which may have room for more.

    ``key`` (n,) and ``order`` (n,) are the work space of `_split`.
    """
    first = boxes.first
    last = boxes.last
    first[0] = 0
    last[0] = item.size
    # Children have higher numbers, so that the points of a node are known when it is its turn.
    for node in range(n_nodes):
        start = first[node]
        stop = last[node]
        longest = _bound(points, start, stop, boxes.low, boxes.high, node)
        child = 2 * node + 1
        # Leaves have none.
        if child < n_nodes:
            _split(points, item, start, stop, longest, key, order)
            middle = (start + stop) // 2
            first[child] = start
            last[child] = middle
            first[child + 1] = middle
            last[child + 1] = stop
