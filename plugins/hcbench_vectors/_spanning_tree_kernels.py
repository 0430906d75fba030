"""A compiled Euclidean or Manhattan minimum spanning tree. The kernels do not check their input."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numba.extending import register_jitable
from numpy.typing import NDArray

LEAF = 24  # points of a leaf at most; half of it at least
NEIGHBOURS = 6  # of each point, found in one search; fewer than points of a leaf
FEW = 4  # coordinates; with more, neighbours are too far from most points of a leaf to search once


@register_jitable
def distance_of_points(
    axes: tuple[int, ...], points: NDArray[np.float64], x: Any, y: Any, squares: bool
) -> float:
    """Distance of two points, squared if lengths are Euclidean."""
    x, y = np.uint64(x), np.uint64(y)  # else negative numbers would be taken to count from the end
    total: float = 0.0
    for k in range(len(axes)):
        gap = abs(points[k, x] - points[k, y])
        total += gap * gap if squares else gap
    return total


@register_jitable
def distance_of_boxes(
    axes: tuple[int, ...],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    x: Any,
    low_of_nodes: NDArray[np.float64],
    high_of_nodes: NDArray[np.float64],
    node: Any,
    squares: bool,
) -> float:
    """Distance of box x to that of a node, 0 if they overlap; squared if lengths are Euclidean.

    A point is a box with ``low`` and ``high`` equal.
    """
    x, node = np.uint64(x), np.uint64(node)
    total: float = 0.0
    for k in range(len(axes)):
        gap = max(low_of_nodes[k, node] - high[k, x], low[k, x] - high_of_nodes[k, node], 0.0)
        total += gap * gap if squares else gap
    return total


@register_jitable
def halve(key: Any, item: Any, start: int, stop: int) -> None:
    """Order the items ``start:stop`` so that the keys of the upper half are not smaller.

    Quickselect, without a branch that depends on a comparison, as it could not be predicted.
    """
    middle, left, right = (start + stop) // 2, start, stop - 1
    state = np.uint64(88172645463325252)
    while left < right:
        state ^= state << np.uint64(13)  # a random pivot, so that no order of the points is slow
        state ^= state >> np.uint64(7)
        state ^= state << np.uint64(17)
        size = right - left + 1
        shift = np.int64(state >> np.uint64(40)) * size >> 24
        a, b = key[left + shift], key[left + (shift + size // 3) % size]
        pivot = max(min(a, b), min(max(a, b), key[(left + right) // 2]))
        end = left
        for x in range(left, right + 1):
            is_less = key[x] < pivot
            key[x], key[end] = key[end], key[x]
            item[x], item[end] = item[end], item[x]
            end += is_less
        if middle < end:
            right = end - 1
            continue
        if end == left:  # the pivot is the smallest, as all may be
            for x in range(left, right + 1):
                if key[x] == pivot:
                    key[x], key[end] = key[end], key[x]
                    item[x], item[end] = item[end], item[x]
                    end += 1
            if middle < end:
                break
        left = end


@njit(cache=True)
def make_boxes(
    points: NDArray[np.float64],
    item: NDArray[np.int64],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
) -> None:
    """Make a k-d tree: a node's points are halved where their box is the longest. O(n log n).

    Parameters
    ----------
    points : (p, n + LEAF), changed
        The first n are brought into the order of the tree.
    item : (n,), changed
        Likewise.
    first, last : (m,), written
        The points ``first[node]:last[node]`` of each node. The children of node i are 2 i + 1 and
        2 i + 2, if below m.
    low, high : (p, m), written
        The smallest and the largest coordinates of the points of each node.
    """
    p, m = low.shape
    key, order = np.empty(item.size), np.empty(item.size, np.int64)
    first[0], last[0] = 0, item.size
    for node in range(m):
        start, stop = first[node], last[node]
        longest = 0
        for k in range(p):
            least, most = np.inf, -np.inf
            for x in range(start, stop):
                least, most = min(least, points[k, x]), max(most, points[k, x])
            low[k, node], high[k, node] = least, most
            if most - least > high[longest, node] - low[longest, node]:
                longest = k
        if 2 * node + 1 < m:
            for x in range(start, stop):
                key[x], order[x] = points[longest, x], x
            halve(key, order, start, stop)
            for k in range(p):
                for x in range(start, stop):
                    key[x] = points[k, order[x]]
                for x in range(start, stop):
                    points[k, x] = key[x]
            for x in range(start, stop):
                order[x] = item[order[x]]
            for x in range(start, stop):
                item[x] = order[x]
            middle = (start + stop) // 2
            first[2 * node + 1], last[2 * node + 1] = start, middle
            first[2 * node + 2], last[2 * node + 2] = middle, stop


@register_jitable
def put_nearest_last(waiting: Any, distance: Any, n_waiting: int) -> None:
    """Exchange the last two nodes that wait if the other is nearer, as the last is next."""
    last, other = n_waiting - 1, n_waiting - 2
    if distance[other] < distance[last]:
        waiting[last], waiting[other] = waiting[other], waiting[last]
        distance[last], distance[other] = distance[other], distance[last]


@register_jitable
def insert(lengths: Any, ends: Any, length: float, end: Any) -> None:
    """Insert a point into its place among the nearest ones, of which the last goes."""
    for place in range(NEIGHBOURS):
        is_less = length < lengths[place]
        length_here, end_here = lengths[place], ends[place]
        lengths[place] = length if is_less else length_here
        ends[place] = end if is_less else end_here
        length = length_here if is_less else length
        end = end_here if is_less else end


@njit(cache=True)
def find_neighbours(
    axes: tuple[int, ...],
    points: NDArray[np.float64],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    squares: bool,
    neighbours: NDArray[np.int32],
) -> None:
    """Write the nearest points (n, NEIGHBOURS) of each, nearest first; itself if there are fewer.

    All points of a leaf are searched for at once in the tree of `make_boxes`: other leaves that are
    farther than the last neighbour of each are ignored. Distances are computed to LEAF points from
    the first of a leaf, as a loop of constant length is compiled into vector instructions.
    """
    m = first.size
    lengths, gaps, totals = np.empty((LEAF, NEIGHBOURS)), np.empty(LEAF), np.empty(LEAF)
    waiting, distance = np.empty(128, np.int64), np.empty(128)
    for leaf in range(m // 2, m):
        start, size = first[leaf], last[leaf] - first[leaf]
        ends = neighbours[start : last[leaf]]
        lengths[:] = np.inf
        farthest = np.inf
        for x in range(size):
            ends[x] = start + x
        waiting[0], distance[0], n_waiting = 0, 0.0, 1
        while n_waiting > 0:
            n_waiting -= 1
            at = waiting[n_waiting]
            if distance[n_waiting] >= farthest:
                continue
            if 2 * at + 1 < m:
                for child in (2 * at + 1, 2 * at + 2):
                    waiting[n_waiting] = child
                    distance[n_waiting] = distance_of_boxes(
                        axes, low, high, leaf, low, high, child, squares
                    )
                    n_waiting += 1
                put_nearest_last(waiting, distance, n_waiting)
                continue
            others = first[at]
            for x in range(LEAF):
                gaps[x] = distance_of_boxes(axes, points, points, start + x, low, high, at, squares)
            farthest = 0.0
            for x in range(size):
                nearest = lengths[x]
                if gaps[x] < nearest[-1]:
                    for y in range(LEAF):
                        totals[y] = distance_of_points(axes, points, start + x, others + y, squares)
                    if at == leaf:
                        totals[x] = np.inf
                    for y in range(last[at] - others):
                        if totals[y] < nearest[-1]:
                            insert(nearest, ends[x], totals[y], np.int32(others + y))
                farthest = max(farthest, nearest[-1])


@njit(cache=True)
def boruvka(
    axes: tuple[int, ...],
    points: NDArray[np.float64],
    item: NDArray[np.int64],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    neighbours: NDArray[np.int32],
    squares: bool,
    edges: NDArray[np.float64],
) -> None:
    """Minimum spanning tree by Borůvka's algorithm with searches in a k-d tree.

    In each round every component finds its nearest point outside. A point is searched for only if
    all that were found are in its component by now, and others may be nearer than what its
    component has found; boxes that are farther or within the component are ignored (March, Ram &
    Gray 2010, here with one tree). At most log2 n rounds; in few dimensions about O(n log n) time
    in all, O(n p) memory.

    Parameters
    ----------
    axes : tuple of int
        0..p-1: of a length that is known when the kernel is compiled, for each p.
    points : (p, n + LEAF), n > 1
        The last LEAF may have any coordinates.
    item, first, last, low, high
        Of the tree, as `make_boxes` writes them.
    neighbours : (n, NEIGHBOURS), changed
        As `find_neighbours` writes them, or -1 everywhere.
    squares : bool
        Lengths are Euclidean, otherwise Manhattan.
    edges : (n-1, 4), written
        Two items and the length; the last column is not used.
    """
    n, m = item.size, first.size
    parent, component, roots = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int32)
    within = np.empty(m, np.int32)  # the component of all points of a node, or -1
    reach, nearest = np.zeros(n), np.empty(n, np.int32)  # the nearest outside, or a bound and -1
    shortest, end = np.empty(n), np.empty(n, np.int32)  # of each component
    for x in range(n):
        parent[x] = component[x] = roots[x] = nearest[x] = x
    waiting, distance, totals = np.empty(128, np.int64), np.empty(128), np.empty(LEAF)
    n_edges, n_roots = 0, n
    while n_edges < n - 1:
        for node in range(m - 1, -1, -1):
            if 2 * node + 1 < m:
                within[node] = within[2 * node + 1]
                if within[2 * node + 2] != within[node]:
                    within[node] = -1
            else:
                within[node] = parent[component[first[node]]]
                for x in range(first[node], last[node]):
                    component[x] = parent[component[x]]
                    if component[x] != within[node]:
                        within[node] = -1
        for at in range(n_roots):
            shortest[roots[at]], end[roots[at]] = np.inf, -1
        for x in range(n):
            own = component[x]
            if nearest[x] >= 0 and component[nearest[x]] == own:
                nearest[x], place = -1, 0
                if neighbours[x, 0] >= 0:
                    while place < NEIGHBOURS - 1 and component[neighbours[x, place]] == own:
                        place += 1
                    other = np.int64(neighbours[x, place])
                    reach[x] = distance_of_points(axes, points, x, other, squares)
                    if component[other] != own:
                        nearest[x] = other
                    else:
                        neighbours[x, 0] = -1  # all are within, others not nearer than the last
            if nearest[x] >= 0 and reach[x] < shortest[own]:
                shortest[own], end[own] = reach[x], x
        for x in range(n):
            own = component[x]
            if nearest[x] >= 0 or reach[x] >= shortest[own]:
                continue
            least = shortest[own]
            waiting[0], distance[0], n_waiting = 0, 0.0, 1
            while n_waiting > 0:
                n_waiting -= 1
                at = waiting[n_waiting]
                if distance[n_waiting] >= least or within[at] == own:
                    continue
                if 2 * at + 1 < m:
                    for child in (2 * at + 1, 2 * at + 2):
                        waiting[n_waiting] = child
                        distance[n_waiting] = distance_of_boxes(
                            axes, points, points, x, low, high, child, squares
                        )
                        n_waiting += 1
                    put_nearest_last(waiting, distance, n_waiting)
                    continue
                others = first[at]
                for y in range(LEAF):  # as in `find_neighbours`
                    totals[y] = distance_of_points(axes, points, x, others + y, squares)
                for y in range(last[at] - others):
                    if totals[y] < least and component[others + y] != own:
                        least, nearest[x] = totals[y], others + y
            reach[x] = least
            if nearest[x] >= 0:
                shortest[own], end[own] = least, x
        for at in range(n_roots):
            own = roots[at]
            x = end[own]
            if x < 0:
                continue
            u, v = own, component[nearest[x]]
            while parent[u] != u:
                u = parent[u]
            while parent[v] != v:
                v = parent[v]
            if u != v:  # else the edge, of equal length, closes a cycle
                parent[max(u, v)] = min(u, v)
                edges[n_edges, 0], edges[n_edges, 1] = item[x], item[nearest[x]]
                edges[n_edges, 2] = np.sqrt(shortest[own]) if squares else shortest[own]
                n_edges += 1
        n_before, n_roots = n_roots, 0
        for at in range(n_before):  # a parent is before its children, so is done
            root = roots[at]
            parent[root] = parent[parent[root]]
            roots[n_roots] = root
            n_roots += parent[root] == root
