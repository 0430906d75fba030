"""A compiled Euclidean or Manhattan minimum spanning tree. The kernels do not check their input.

Distances are squared if they are Euclidean (``squares``), until they are lengths of edges.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench_vectors._box_kernels import LEAF, Boxes
from hcbench_vectors._box_search_kernels import (
    NEIGHBOURS,
    Search,
    distance_of_points,
    next_leaf,
    start_at_root,
)
from hcbench_vectors._step_kernels import entry


class Components(NamedTuple):
    """State of `boruvka` for n points."""

    #: (n,) int32. The point that represents the component of each point, as of the last round.
    component: NDArray[np.int32]
    #: (n,) int32. A union-find forest of these points; a parent is before its children.
    parent: NDArray[np.int32]
    #: (n,) int32. The points that represent components, in their order.
    roots: NDArray[np.int32]
    #: (n,) int32. The nearest point outside of the component, or -1 if it is not known.
    nearest: NDArray[np.int32]
    #: (n,) float64. Its distance; if it is not known, a lower bound.
    reach: NDArray[np.float64]
    #: (n,) float64. The shortest distance from each component to another one, as far as known.
    shortest: NDArray[np.float64]
    #: (n,) int32. The point of the component at that distance, or -1.
    end: NDArray[np.int32]


def new_components(n: int) -> Components:
    """Every point is a component, and its own nearest point."""
    # Allocated here and not in a kernel, where it would take longer to compile.
    return Components(
        component=np.arange(n, dtype=np.int32),
        parent=np.arange(n, dtype=np.int32),
        roots=np.arange(n, dtype=np.int32),
        nearest=np.arange(n, dtype=np.int32),
        reach=np.zeros(n),
        shortest=np.empty(n),
        end=np.empty(n, np.int32),
    )


@register_jitable
def _update_components(c: Components, boxes: Boxes, within: Any, n_roots: int) -> None:
    """Name the components of points and nodes after the last round. O(n)."""
    first = boxes.first
    last = boxes.last
    m = first.size
    # Children are after their parent, so they are visited before it.
    for node in range(m - 1, -1, -1):
        if 2 * node + 1 < m:
            within[node] = within[2 * node + 1]
            if within[2 * node + 2] != within[node]:
                within[node] = -1
            continue
        within[node] = c.parent[c.component[first[node]]]
        for x in range(first[node], last[node]):
            c.component[x] = c.parent[c.component[x]]
            if c.component[x] != within[node]:
                within[node] = -1
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
        # All neighbours are inside, and points outside are not nearer than the last of them.
        neighbours[x, 0] = -1


@register_jitable
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
        root = component[x]
        if nearest[x] >= 0 and component[nearest[x]] == root:
            _next_neighbour(axes, points, c, neighbours, x, squares)
        if nearest[x] >= 0 and reach[x] < shortest[root]:
            shortest[root] = reach[x]
            end[root] = x


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
    totals = search.totals
    first = boxes.first
    last = boxes.last
    component_of_x = component[x]
    nearest = -1
    least = c.shortest[component_of_x]
    n_waiting = start_at_root(search)
    while True:
        leaf, n_waiting = next_leaf(
            axes, points, points, x, boxes, search, n_waiting, least, component_of_x, squares
        )
        if leaf < 0:
            break
        start = first[leaf]
        for y in range(LEAF):
            totals[y] = distance_of_points(axes, points, x, start + y, squares)
        for y in range(last[leaf] - start):
            if totals[y] < least and component[start + y] != component_of_x:
                least = totals[y]
                nearest = start + y
    c.reach[x] = least
    if nearest >= 0:
        c.nearest[x] = nearest
        c.shortest[component_of_x] = least
        c.end[component_of_x] = x


@register_jitable
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


@register_jitable
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
        # An edge of equal length may close a cycle.
        if u == v:
            continue
        if u < v:
            c.parent[v] = u
        else:
            c.parent[u] = v
        length = c.shortest[root]
        if squares:
            length = np.sqrt(length)
        edges[n_edges, 0] = item[x]
        edges[n_edges, 1] = item[c.nearest[x]]
        edges[n_edges, 2] = length
        n_edges += 1
    return n_edges


@register_jitable
def _keep_roots(c: Components, n_roots: int) -> int:
    """Shorten the paths to the roots, and keep those that are roots still; return their number."""
    n_kept = 0
    for at in range(n_roots):
        # A parent is before its children, so its path is short already.
        root = c.roots[at]
        c.parent[root] = c.parent[c.parent[root]]
        if c.parent[root] == root:
            c.roots[n_kept] = root
            n_kept += 1
    return n_kept


@entry
def boruvka(
    axes: tuple[int, ...],
    points: NDArray[np.float64],
    item: NDArray[np.int64],
    boxes: Boxes,
    neighbours: NDArray[np.int32],
    squares: bool,
    search: Search,
    c: Components,
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
        0..p-1.
    points : (p, n + LEAF), n > 1
        The last LEAF may have any coordinates.
    item, boxes
        The tree, as `make_boxes` writes it.
    neighbours : (n, NEIGHBOURS), changed
        As `find_neighbours` writes them, or -1 everywhere.
    squares : bool
        Lengths are Euclidean, otherwise Manhattan.
    search, c
        New ones, changed.
    edges : (n-1, 4), written
        Two items and the length; the last column is not used.
    """
    n = item.size
    n_edges = 0
    n_roots = n
    while n_edges < n - 1:
        _update_components(c, boxes, search.within, n_roots)
        _bound_edges(axes, points, c, neighbours, squares)
        _search_all(axes, points, boxes, c, search, squares)
        n_edges = _add_edges(c, n_roots, item, squares, edges, n_edges)
        n_roots = _keep_roots(c, n_roots)
