"""Compiled passes over the arrays of a tree. They trust their input; ``arrays`` checks it.

Throughout, ``parent`` has shape (m,): a parent's id is larger than its children's, the root m-1 has
-1 and the leaves are 0..n-1. A pass from the leaves up is then a loop over rising ids, a pass from
the root down one over falling ids. Arrays of a tree are read-only; a kernel that is also called
with writable ones would be compiled twice. Kernels allocate only their output unless noted.
"""

from __future__ import annotations

from math import frexp
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray


Array = TypeVar("Array", bound="NDArray[Any]")


def read_only(array: Array) -> Array:
    """Make an array read-only, and return it."""
    array.setflags(write=False)
    return array


@njit(cache=True)
def topological_order(parent: NDArray[np.int64]) -> NDArray[np.int64]:
    """Node ids, children before parents, of an arbitrary numbering whose leaves come first.

    Shorter than m if there is a cycle: nodes on and above it never become ready. O(m).
    """
    m = parent.size
    waiting_for = np.zeros(m, np.int64)  # children not yet in the order
    for v in range(m):
        if parent[v] >= 0:
            waiting_for[parent[v]] += 1
    # The order is also a queue: nodes before `done` have told their parents.
    order = np.empty(m, np.int64)
    filled = 0
    for v in range(m):
        if waiting_for[v] == 0:
            order[filled] = v
            filled += 1
    done = 0
    while done < filled:
        p = parent[order[done]]
        done += 1
        if p >= 0:
            waiting_for[p] -= 1
            if waiting_for[p] == 0:
                order[filled] = p
                filled += 1
    return order[:filled]


@njit(cache=True)
def subtree_sum(parent: NDArray[np.int64], value: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sum of ``value`` (m,) over each node and all below it. O(m)."""
    total = value.copy()
    for v in range(parent.size - 1):
        total[parent[v]] += total[v]
    return total


@njit(cache=True)
def subtree_max(parent: NDArray[np.int64], value: NDArray[np.float64]) -> NDArray[np.float64]:
    """Maximum of ``value`` (m,) over each node and all below it. O(m)."""
    highest = value.copy()
    for v in range(parent.size - 1):
        highest[parent[v]] = max(highest[parent[v]], highest[v])
    return highest


@njit(cache=True)
def sum_from_root(parent: NDArray[np.int64], step: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum of ``step`` (m,) over each node and all above it, without the root's own step. O(m)."""
    total = np.zeros(parent.size)
    for v in range(parent.size - 2, -1, -1):
        total[v] = total[parent[v]] + step[v]
    return total


@njit(cache=True)
def first_positions(parent: NDArray[np.int64], size: NDArray[np.int64]) -> NDArray[np.int64]:
    """Position (m,) of each node's first leaf, children from left to right by rising id. O(m)."""
    m = parent.size
    start = np.zeros(m, np.int64)
    free_end = np.empty(m, np.int64)  # where the run ends of the children not yet placed
    free_end[m - 1] = size[m - 1]
    # Children are placed from right to left, as ids fall.
    for v in range(m - 2, -1, -1):
        p = parent[v]
        free_end[v] = free_end[p]
        free_end[p] -= size[v]
        start[v] = free_end[p]
    return start


@njit(cache=True)
def lowest_common_ancestors(
    start: NDArray[np.int64],
    end: NDArray[np.int64],
    table: NDArray[np.int32],
    i: NDArray[np.int64],
    j: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Lowest common ancestors (q,) of the nodes i and j (q,), each in O(1).

    ``start`` and ``end`` (m,) bound each node's run of leaves; ``table[l, a]`` is the largest of
    the 2^l lowest common ancestors of neighbours in leaf order from position a on. The ancestor of
    two leaves is the largest id between them, because it is among these and the others lie below
    it (range minimum by a sparse table: Bender & Farach-Colton 2000).
    """
    out = np.empty(i.size, np.int64)
    for q in range(i.size):
        first = min(start[i[q]], start[j[q]])
        last = max(end[i[q]], end[j[q]]) - 1
        if first == last:
            out[q] = i[q]
        else:
            level = frexp(float(last - first))[1] - 1  # floor of the binary logarithm
            out[q] = max(table[level, first], table[level, last - (1 << level)])
    return out


@njit(cache=True)
def nearest_kept(parent: NDArray[np.int64], kept: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Lowest kept node strictly above each node (m,), -1 where there is none. O(m)."""
    nearest = np.full(parent.size, -1, np.int64)
    for v in range(parent.size - 2, -1, -1):
        p = parent[v]
        nearest[v] = p if kept[p] else nearest[p]
    return nearest


@njit(cache=True)
def untied(
    parent: NDArray[np.int64], height: NDArray[np.float64], tolerance: float
) -> NDArray[np.bool_]:
    """Whether a node's height (m,) differs from that of the lowest such node above it. O(m).

    Heights are compared with those of a node that remains, not with the parent's, so that a long
    chain of small differences is not merged into one node.
    """
    m = parent.size
    remains = np.ones(m, np.bool_)
    level = height.copy()  # height of the lowest remaining node at or above each node
    for v in range(m - 2, -1, -1):
        above = level[parent[v]]
        if height[v] == above or abs(height[v] - above) <= tolerance:
            remains[v] = False
            level[v] = above
    return remains


@njit(cache=True)
def pairs_joined(parent: NDArray[np.int64], joins: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many pairs of one class have each node (m,) as their lowest common ancestor. O(n + m).

    Parameters
    ----------
    parent : (m,)
    joins : (n,)
        The items being sorted by class and, within it, from left to right in the tree: the lowest
        common ancestor of each and the next, -1 at the end of a class.

    Notes
    -----
    The lowest common ancestor of two items is the largest of those between them, since the ids of
    ancestors rise. So blocks of a class are joined on a stack of falling ids, and each join of
    blocks of a and b items is a b pairs. The stack holds O(n).
    """
    pairs = np.zeros(len(parent), np.int64)
    # The stack: blocks of items, and the node at which each joins what is to its right.
    node = np.empty(len(joins), np.int64)
    items = np.empty(len(joins), np.int64)
    top = 0
    block = 1  # items of the block that ends with the present one
    for join in joins:
        # Blocks that join below this node, or all of them at the end of a class.
        while top > 0 and (join < 0 or node[top - 1] <= join):
            top -= 1
            pairs[node[top]] += items[top] * block
            block += items[top]
        if join >= 0:
            node[top] = join
            items[top] = block
            top += 1
        block = 1
    return pairs


@njit(cache=True)
def excesses(parent: NDArray[np.int64], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """By how much each node (m,) gains more whole than the best cut below it. O(m) time, memory.

    With W(v) the sum of ``weight`` (m,) over v and all below it, and g(v) = max(W(v), s(v)) with
    s(v) the sum of g over the children: x(v) = W(v) - s(v).
    """
    m = len(parent)
    x = weight.copy()  # W of what is below so far, until its node is reached
    below = np.zeros(m)  # s of the children so far
    for v in range(m):
        inside = x[v]
        x[v] = inside - below[v]
        if v < m - 1:
            x[parent[v]] += inside
            below[parent[v]] += max(inside, below[v])
    return x


@njit(cache=True)
def highest_whole(parent: NDArray[np.int64], x: NDArray[np.float64]) -> NDArray[np.int64]:
    """The nodes (k,), falling, with x (m,) at least 0 that have none such above. O(m)."""
    m = len(parent)
    settled = np.empty(m, np.bool_)  # whether the node, or one above it, is among the nodes
    nodes = np.empty(m, np.int64)
    k = 0
    for v in range(m - 1, -1, -1):
        settled[v] = v < m - 1 and settled[parent[v]]
        if not settled[v] and x[v] >= 0.0:
            settled[v] = True
            nodes[k] = v
            k += 1
    return nodes[:k].copy()
