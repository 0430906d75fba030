"""A compiled Euclidean or Manhattan minimum spanning tree. The kernels do not check their input."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hcbench.compiled import inner

LEAF = 16  # points of a leaf at most; more than half of it at least
NEIGHBOURS = 6  # of each point, found in one search; fewer than points of a leaf
FEW = 4  # coordinates; with more, neighbours are too far from most points of a leaf to search once


@inner
def distance_to_box(
    axes: tuple[int, ...],
    points: NDArray[np.float64],
    x: int,
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    node: int,
    squares: bool,
) -> float:
    """Distance of point x to the box of a node, 0 inside; squared if lengths are Euclidean."""
    total: float = 0.0
    for k in range(len(axes)):
        gap = max(low[node, k] - points[x, k], points[x, k] - high[node, k], 0.0)
        total += gap * gap if squares else gap
    return total


@inner
def depth_in_box(
    axes: tuple[int, ...],
    points: NDArray[np.float64],
    x: int,
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    node: int,
    squares: bool,
) -> float:
    """Distance of point x of a node to the sides of its box: all other points are beyond them."""
    least = np.inf
    for k in range(len(axes)):
        least = min(least, points[x, k] - low[node, k], high[node, k] - points[x, k])
    return least * least if squares else least


@inner
def distance_of_boxes(
    axes: tuple[int, ...],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    node: int,
    other: int,
    squares: bool,
) -> float:
    """Distance of the boxes of two nodes, 0 if they overlap; squared if lengths are Euclidean."""
    total: float = 0.0
    for k in range(len(axes)):
        gap = max(low[other, k] - high[node, k], low[node, k] - high[other, k], 0.0)
        total += gap * gap if squares else gap
    return total


@inner
def length_between(axes: tuple[int, ...], x: Any, y: Any, squares: bool) -> float:
    """Distance of two points (p,), squared if lengths are Euclidean."""
    total: float = 0.0
    for k in range(len(axes)):
        gap = abs(x[k] - y[k])
        total += gap * gap if squares else gap
    return total


@inner
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
        for x in range(end, right + 1):  # those equal to the pivot, as all may be
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
    points : (n, p)
    item : (n,), changed
        Brought into the order of the tree.
    first, last : (m,), written
        The items ``first[node]:last[node]`` of each node. The children of node i are 2 i + 1 and
        2 i + 2, if below m.
    low, high : (m, p), written
        The smallest and the largest coordinates of the points of each node.
    """
    key = np.empty(len(points))
    first[0], last[0] = 0, len(points)
    for node in range(first.size):
        start, stop = first[node], last[node]
        longest = 0
        for k in range(points.shape[1]):
            least, most = np.inf, -np.inf
            for x in range(start, stop):
                least, most = min(least, points[item[x], k]), max(most, points[item[x], k])
            low[node, k], high[node, k] = least, most
            if most - least > high[node, longest] - low[node, longest]:
                longest = k
        if 2 * node + 1 < first.size:
            for x in range(start, stop):
                key[x] = points[item[x], longest]
            halve(key, item, start, stop)
            middle = (start + stop) // 2
            first[2 * node + 1], last[2 * node + 1] = start, middle
            first[2 * node + 2], last[2 * node + 2] = middle, stop


@inner
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
    farther than the last neighbour of each are ignored.
    """
    m = first.size
    lengths = np.empty((LEAF, NEIGHBOURS))
    waiting, distance = np.empty(128, np.int64), np.empty(128)
    for leaf in range(m // 2, m):
        own, ends = points[first[leaf] : last[leaf]], neighbours[first[leaf] : last[leaf]]
        lengths[:] = np.inf
        farthest = np.inf
        for x in range(len(own)):
            ends[x] = first[leaf] + x
        waiting[0], distance[0], n_waiting = 0, 0.0, 1
        while n_waiting > 0:
            n_waiting -= 1
            at = waiting[n_waiting]
            if distance[n_waiting] >= farthest:
                continue
            if 2 * at + 1 < m:
                near, far = 2 * at + 1, 2 * at + 2
                less = distance_of_boxes(axes, low, high, leaf, near, squares)
                more = distance_of_boxes(axes, low, high, leaf, far, squares)
                if less > more:
                    near, far, less, more = far, near, more, less
                waiting[n_waiting], distance[n_waiting] = far, more
                waiting[n_waiting + 1], distance[n_waiting + 1] = near, less  # is next
                n_waiting += 2
                continue
            others = points[first[at] : last[at]]
            for x in range(len(own)):
                nearest = lengths[x]
                x_at, last_place = first[leaf] + x, NEIGHBOURS - 1
                if (
                    distance_to_box(axes, points, x_at, low, high, at, squares)
                    >= nearest[last_place]
                ):
                    continue
                for y in range(len(others)):
                    total = length_between(axes, own[x], others[y], squares)
                    if total < nearest[last_place] and (at != leaf or x != y):
                        insert(nearest, ends[x], total, np.int32(first[at] + y))
            farthest = 0.0
            for x in range(len(own)):
                farthest = max(farthest, lengths[x, NEIGHBOURS - 1])


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
    component has found; one begins at the point's leaf, ignores boxes that are farther or within
    the component, and ends when no point outside the box of a node can be nearer (March, Ram & Gray
    2010, here with one tree). At most log2 n rounds; in few dimensions about O(n log n) time in
    all, O(n p) memory.

    Parameters
    ----------
    axes : tuple of int
        0..p-1: of a length that is known when the kernel is compiled, for each p.
    points : (n, p), n > 1
    item, first, last, low, high
        Of the tree, as `make_boxes` writes them.
    neighbours : (n, NEIGHBOURS), changed
        As `find_neighbours` writes them, or -1 everywhere.
    squares : bool
        Lengths are Euclidean, otherwise Manhattan.
    edges : (n-1, 4), written
        Two items and the length; the last column is not used.
    """
    n, m = len(points), first.size
    parent, component, within = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(m, np.int64)
    reach, nearest = np.empty(n), np.empty(n, np.int64)  # the nearest outside, or a bound and -1
    shortest, end = np.empty(n), np.empty(n, np.int64)  # of each component
    for x in range(n):
        parent[x], component[x], reach[x], nearest[x] = x, x, 0.0, neighbours[x, 0]
        if nearest[x] >= 0:
            reach[x] = length_between(axes, points[x], points[nearest[x]], squares)
    leaf = np.empty(n, np.int64)
    for node in range(m // 2, m):
        leaf[first[node] : last[node]] = node
    waiting, distance = np.empty(128, np.int64), np.empty(128)
    n_edges = 0
    while n_edges < n - 1:
        for node in range(m - 1, -1, -1):
            if 2 * node + 1 < m:
                within[node] = within[2 * node + 1]
                if within[2 * node + 2] != within[node]:
                    within[node] = -1
            else:
                within[node] = component[first[node]]
                for y in range(first[node] + 1, last[node]):
                    if component[y] != within[node]:
                        within[node] = -1
                        break
        for x in range(n):
            shortest[x], end[x] = np.inf, -1
        for x in range(n):
            if nearest[x] >= 0 and component[nearest[x]] == component[x]:
                nearest[x] = -1
                for place in range(NEIGHBOURS if neighbours[x, 0] >= 0 else 0):
                    y = int(neighbours[x, place])
                    if component[y] != component[x]:
                        reach[x] = length_between(axes, points[x], points[y], squares)
                        nearest[x] = y
                        break
                    if place == NEIGHBOURS - 1:
                        reach[x] = length_between(axes, points[x], points[y], squares)
                        neighbours[x, 0] = -1  # all are within, and others not nearer than the last
            if nearest[x] >= 0 and reach[x] < shortest[component[x]]:
                shortest[component[x]], end[component[x]] = reach[x], x
        for x in range(n):
            own = component[x]
            if nearest[x] >= 0 or reach[x] >= shortest[own]:
                continue
            least, node, n_waiting = shortest[own], leaf[x], 1
            waiting[0], distance[0] = node, 0.0
            while True:
                if n_waiting == 0:  # the points below node are searched
                    if (
                        node == 0
                        or depth_in_box(axes, points, x, low, high, node, squares) >= least
                    ):
                        break
                    sibling = node + 1 if node % 2 else node - 1
                    node = (node - 1) // 2
                    waiting[0], n_waiting = sibling, 1
                    distance[0] = distance_to_box(axes, points, x, low, high, sibling, squares)
                n_waiting -= 1
                at = waiting[n_waiting]
                if distance[n_waiting] >= least or within[at] == own:
                    continue
                if 2 * at + 1 >= m:
                    for y in range(first[at], last[at]):
                        if component[y] == own:
                            continue
                        total = length_between(axes, points[x], points[y], squares)
                        if total < least:
                            least, nearest[x] = total, y
                    continue
                near, far = 2 * at + 1, 2 * at + 2
                less = distance_to_box(axes, points, x, low, high, near, squares)
                more = distance_to_box(axes, points, x, low, high, far, squares)
                if less > more:
                    near, far, less, more = far, near, more, less
                waiting[n_waiting], distance[n_waiting] = far, more
                waiting[n_waiting + 1], distance[n_waiting + 1] = near, less  # is next
                n_waiting += 2
            reach[x] = least
            if nearest[x] >= 0:
                shortest[own], end[own] = least, x
        for own in range(n):
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
        for x in range(n):  # a parent is before its children, so is done
            parent[x] = component[x] = parent[parent[x]]
