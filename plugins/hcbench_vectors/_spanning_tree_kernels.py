"""A compiled Euclidean or Manhattan minimum spanning tree. The kernel does not check its input."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hcbench.compiled import inner


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


@njit(cache=True)
def boruvka(
    axes: tuple[int, ...],
    points: NDArray[np.float64],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    squares: bool,
    edges: NDArray[np.float64],
) -> None:
    """Minimum spanning tree by Borůvka's algorithm with searches in a k-d tree.

    In each round every component finds its nearest point outside. A point is not searched for if
    the one found in an earlier round is still outside, or if all are known to be farther than what
    its component has found; a search begins at the point's leaf, ignores boxes that are farther or
    within the component, and ends when no point outside the box of a node can be nearer
    (March, Ram & Gray 2010, here with one tree). At most log2 n rounds; in few dimensions about
    O(n log n) time in all, O(n p) memory.

    Parameters
    ----------
    axes : tuple of int
        0..p-1: of a length that is known when the kernel is compiled, for each p.
    points : (n, p) in the order of the tree
    first, last : (m,)
        The points ``first[node]:last[node]`` of each node. The children of node i are 2 i + 1 and
        2 i + 2, if below m.
    low, high : (m, p)
        The smallest and the largest coordinates of the points of each node.
    squares : bool
        Lengths are Euclidean, otherwise Manhattan.
    edges : (n-1, 4), written
        Two points and the length; the last column is not used.
    """
    n = len(points)
    m = first.size
    parent, component, within = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(m, np.int64)
    reach, nearest = np.empty(n), np.empty(n, np.int64)  # the nearest outside, or a bound and -1
    shortest, end = np.empty(n), np.empty(n, np.int64)  # of each component
    for x in range(n):
        parent[x], component[x], reach[x], nearest[x] = x, x, 0.0, -1
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
                        total = 0.0
                        for k in range(len(axes)):
                            gap = abs(points[x, k] - points[y, k])
                            total += gap * gap if squares else gap
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
                edges[n_edges, 0], edges[n_edges, 1] = x, nearest[x]
                edges[n_edges, 2] = np.sqrt(shortest[own]) if squares else shortest[own]
                n_edges += 1
        for x in range(n):  # a parent is before its children, so is done
            parent[x] = component[x] = parent[parent[x]]
