"""A compiled Euclidean or Manhattan minimum spanning tree. The kernels do not check their input."""

from __future__ import annotations

from typing import Any, NamedTuple

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


@register_jitable
def _bound(points: Any, start: int, stop: int, low: Any, high: Any, node: int) -> int:
    """Write the box of the points ``start:stop``; return the axis along which it is longest."""
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
    for x in range(start, stop):
        key[x] = points[axis, x]
        order[x] = x
    halve(key, order, start, stop)
    for k in range(points.shape[0]):
        for x in range(start, stop):
            key[x] = points[k, order[x]]
        for x in range(start, stop):
            points[k, x] = key[x]
    for x in range(start, stop):
        order[x] = item[order[x]]
    for x in range(start, stop):
        item[x] = order[x]


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
    m = first.size
    key = np.empty(item.size)
    order = np.empty(item.size, np.int64)
    first[0] = 0
    last[0] = item.size
    for node in range(m):
        start = first[node]
        stop = last[node]
        longest = _bound(points, start, stop, low, high, node)
        child = 2 * node + 1
        if child < m:
            _split(points, item, start, stop, longest, key, order)
            middle = (start + stop) // 2
            first[child] = start
            last[child] = middle
            first[child + 1] = middle
            last[child + 1] = stop


class Boxes(NamedTuple):
    """The m nodes of a k-d tree, as `make_boxes` writes them; leaves are from m // 2 on."""

    first: Any
    last: Any
    low: Any
    high: Any


class Search(NamedTuple):
    """Work space of a search in a k-d tree."""

    #: (128,) int64. Nodes that wait, the next one last; two for each level at most.
    waiting: Any
    #: (128,) float64. Their distances.
    distance: Any
    #: (LEAF,) float64. Distances to the points of a leaf.
    totals: Any


@njit(cache=True)
def _new_search() -> Search:
    return Search(np.empty(128, np.int64), np.empty(128), np.empty(LEAF))


@register_jitable
def _add_children(
    axes: tuple[int, ...],
    low: Any,
    high: Any,
    x: int,
    boxes: Boxes,
    waiting: Any,
    distance: Any,
    n_waiting: int,
    node: int,
    squares: bool,
) -> None:
    """Let the children of a node wait, the one nearer to box x of ``low`` and ``high`` last."""
    child = 2 * node + 1
    first = distance_of_boxes(axes, low, high, x, boxes.low, boxes.high, child, squares)
    second = distance_of_boxes(axes, low, high, x, boxes.low, boxes.high, child + 1, squares)
    # Equal ones wait in their order.
    is_first_nearer = first < second
    waiting[n_waiting] = child + is_first_nearer
    waiting[n_waiting + 1] = child + 1 - is_first_nearer
    distance[n_waiting] = max(first, second)
    distance[n_waiting + 1] = min(first, second)


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


class Nearest(NamedTuple):
    """Work space of `find_neighbours` for the points of a leaf."""

    #: (LEAF, NEIGHBOURS) float64. Distances of the nearest points of each, nearest first.
    lengths: Any
    #: (LEAF,) float64. Distance of each point to the box of another leaf.
    gaps: Any


@register_jitable
def _compare_leaves(
    axes: tuple[int, ...],
    points: Any,
    boxes: Boxes,
    leaf: int,
    node: int,
    nearest: Nearest,
    ends: Any,
    totals: Any,
    squares: bool,
) -> float:
    """Compare the points of a leaf with those of another; return the farthest nearest distance."""
    all_lengths = nearest.lengths
    gaps = nearest.gaps
    start = boxes.first[leaf]
    other_start = boxes.first[node]
    other_size = boxes.last[node] - other_start
    for x in range(LEAF):
        gaps[x] = distance_of_boxes(
            axes, points, points, start + x, boxes.low, boxes.high, node, squares
        )
    farthest: float = 0.0
    for x in range(boxes.last[leaf] - start):
        lengths = all_lengths[x]
        if gaps[x] < lengths[-1]:
            for y in range(LEAF):
                totals[y] = distance_of_points(axes, points, start + x, other_start + y, squares)
            if node == leaf:
                totals[x] = np.inf
            for y in range(other_size):
                if totals[y] < lengths[-1]:
                    insert(lengths, ends[x], totals[y], np.int32(other_start + y))
        farthest = max(farthest, lengths[-1])
    return farthest


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
    boxes = Boxes(first, last, low, high)
    search = _new_search()
    waiting = search.waiting
    distance = search.distance
    totals = search.totals
    nearest = Nearest(np.empty((LEAF, NEIGHBOURS)), np.empty(LEAF))
    for leaf in range(m // 2, m):
        start = first[leaf]
        ends = neighbours[start : last[leaf]]
        for x in range(len(ends)):
            ends[x] = start + x
        nearest.lengths[:] = np.inf
        farthest = np.inf
        n_waiting = 1
        waiting[0] = 0
        distance[0] = 0.0
        while n_waiting > 0:
            n_waiting -= 1
            node = waiting[n_waiting]
            if distance[n_waiting] >= farthest:
                continue
            if 2 * node + 1 < m:
                _add_children(
                    axes, low, high, leaf, boxes, waiting, distance, n_waiting, node, squares
                )
                n_waiting += 2
                continue
            farthest = _compare_leaves(
                axes, points, boxes, leaf, node, nearest, ends, totals, squares
            )


class Components(NamedTuple):
    """State of `boruvka` for n points, and the m nodes of the k-d tree."""

    #: (n,) int32. The point that represents the component of each point, as of the last round.
    component: Any
    #: (n,) int32. A union-find forest of these points; a parent is before its children.
    parent: Any
    #: (n,) int32. The points that represent components, in their order.
    roots: Any
    #: (m,) int32. The component of all points of a node, or -1.
    within: Any
    #: (n,) int32. The nearest point outside of the component, or -1 if it is not known.
    nearest: Any
    #: (n,) float64. Its distance; if it is not known, a lower bound.
    reach: Any
    #: (n,) float64. The shortest distance from each component to another one, as far as known.
    shortest: Any
    #: (n,) int32. The point of the component at that distance, or -1.
    end: Any


@njit(cache=True)
def _new_components(n: int, m: int) -> Components:
    """Every point is a component, and its own nearest point."""
    points = np.arange(n).astype(np.int32)
    return Components(
        points,
        points.copy(),
        points.copy(),
        np.empty(m, np.int32),
        points.copy(),
        np.zeros(n),
        np.empty(n),
        np.empty(n, np.int32),
    )


@njit(cache=True)
def _update_components(c: Components, first: Any, last: Any, n_roots: int) -> None:
    """Name the components of points and nodes after the last round. O(n)."""
    m = first.size
    for node in range(m - 1, -1, -1):
        if 2 * node + 1 < m:
            c.within[node] = c.within[2 * node + 1]
            if c.within[2 * node + 2] != c.within[node]:
                c.within[node] = -1
            continue
        c.within[node] = c.parent[c.component[first[node]]]
        for x in range(first[node], last[node]):
            c.component[x] = c.parent[c.component[x]]
            if c.component[x] != c.within[node]:
                c.within[node] = -1
    for at in range(n_roots):
        c.shortest[c.roots[at]] = np.inf
        c.end[c.roots[at]] = -1


@register_jitable
def _next_neighbour(
    axes: tuple[int, ...], points: Any, c: Components, neighbours: Any, x: int, squares: bool
) -> None:
    """Take the nearest of the neighbours of point x that is outside of its component."""
    component = c.component[x]
    c.nearest[x] = -1
    if neighbours[x, 0] < 0:
        return
    place = 0
    while place < NEIGHBOURS - 1 and c.component[neighbours[x, place]] == component:
        place += 1
    neighbour = np.int64(neighbours[x, place])
    c.reach[x] = distance_of_points(axes, points, x, neighbour, squares)
    if c.component[neighbour] != component:
        c.nearest[x] = neighbour
    else:
        neighbours[x, 0] = -1  # all are inside, and points outside not nearer than the last


@njit(cache=True)
def _bound_edges(
    axes: tuple[int, ...], points: Any, c: Components, neighbours: Any, squares: bool
) -> None:
    """Bound the shortest edge of each component by neighbours, which need no search."""
    component = c.component
    nearest = c.nearest
    reach = c.reach
    shortest = c.shortest
    end = c.end
    for x in range(nearest.size):
        own = component[x]
        if nearest[x] >= 0 and component[nearest[x]] == own:
            _next_neighbour(axes, points, c, neighbours, x, squares)
        if nearest[x] >= 0 and reach[x] < shortest[own]:
            shortest[own] = reach[x]
            end[own] = x


@register_jitable
def _search_outside(
    axes: tuple[int, ...],
    points: Any,
    boxes: Boxes,
    c: Components,
    search: Search,
    x: int,
    squares: bool,
) -> None:
    """Search for the nearest point outside of the component of x, if it shortens its edge."""
    # Local names, as reading a field in the loop would count its references each time.
    component = c.component
    within = c.within
    waiting = search.waiting
    distance = search.distance
    totals = search.totals
    first = boxes.first
    last = boxes.last
    own = component[x]
    nearest = -1
    least = c.shortest[own]
    n_waiting = 1
    waiting[0] = 0
    distance[0] = 0.0
    while n_waiting > 0:
        n_waiting -= 1
        node = waiting[n_waiting]
        if distance[n_waiting] >= least or within[node] == own:
            continue
        if 2 * node + 1 < first.size:
            _add_children(
                axes, points, points, x, boxes, waiting, distance, n_waiting, node, squares
            )
            n_waiting += 2
            continue
        start = first[node]
        for y in range(LEAF):  # as in `find_neighbours`
            totals[y] = distance_of_points(axes, points, x, start + y, squares)
        for y in range(last[node] - start):
            if totals[y] < least and component[start + y] != own:
                least = totals[y]
                nearest = start + y
    c.reach[x] = least
    if nearest >= 0:
        c.nearest[x] = nearest
        c.shortest[own] = least
        c.end[own] = x


@njit(cache=True)
def _search_all(
    axes: tuple[int, ...], points: Any, boxes: Boxes, c: Components, search: Search, squares: bool
) -> None:
    """Search from every point that may have a shorter edge than its component has found."""
    component = c.component
    nearest = c.nearest
    reach = c.reach
    shortest = c.shortest
    for x in range(nearest.size):
        if nearest[x] < 0 and reach[x] < shortest[component[x]]:
            _search_outside(axes, points, boxes, c, search, x, squares)


@njit(cache=True)
def _add_edges(
    c: Components, n_roots: int, item: Any, squares: bool, edges: Any, n_edges: int
) -> int:
    """Join each component along its shortest edge; return the number of all edges."""
    for at in range(n_roots):
        root = c.roots[at]
        x = c.end[root]
        if x < 0:
            continue
        u = root
        while c.parent[u] != u:
            u = c.parent[u]
        v = c.component[c.nearest[x]]
        while c.parent[v] != v:
            v = c.parent[v]
        if u == v:  # the edge, of equal length, closes a cycle
            continue
        c.parent[max(u, v)] = min(u, v)
        length = c.shortest[root]
        if squares:
            length = np.sqrt(length)
        edges[n_edges, 0] = item[x]
        edges[n_edges, 1] = item[c.nearest[x]]
        edges[n_edges, 2] = length
        n_edges += 1
    return n_edges


@njit(cache=True)
def _keep_roots(c: Components, n_roots: int) -> int:
    """Shorten the paths to the roots, and keep those that are roots still; return their number."""
    n_kept = 0
    for at in range(n_roots):  # a parent is before its children, so it is done
        root = c.roots[at]
        c.parent[root] = c.parent[c.parent[root]]
        if c.parent[root] == root:
            c.roots[n_kept] = root
            n_kept += 1
    return n_kept


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
    n = item.size
    boxes = Boxes(first, last, low, high)
    search = _new_search()
    c = _new_components(n, first.size)
    n_edges = 0
    n_roots = n
    while n_edges < n - 1:
        _update_components(c, first, last, n_roots)
        _bound_edges(axes, points, c, neighbours, squares)
        _search_all(axes, points, boxes, c, search, squares)
        n_edges = _add_edges(c, n_roots, item, squares, edges, n_edges)
        n_roots = _keep_roots(c, n_roots)
