"""Compiled searches in a k-d tree. They do not check their input.

Distances are squared if they are Euclidean (``squares``), and Manhattan otherwise. Those to the
points of a leaf are computed to `LEAF` points from its first, as a loop of constant length is
compiled into vector instructions. ``axes`` is 0..p-1: a tuple, so that p is known when a kernel is
compiled, for each p; with another loop single linkage took 2 to 4 times as long.

There is one search, `next_leaf`, and there are two uses of it. `find_neighbours` finds the
neighbours of all points of a leaf at once; it shortens whole cells of single linkage by 27 % for
5,000 points in the plane, and by 14 % for 1,000 (rings, processor time). It also decides which of
several edges of one length a spanning tree has. `boruvka` finds the nearest point outside of a
component.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench_vectors._box_kernels import LEAF, Boxes
from hcbench_vectors._step_kernels import entry

NEIGHBOURS = 6  # of each point, found in one search; fewer than points of a leaf
FEW = 4  # coordinates; with more, neighbours are too far from most points of a leaf to search once


@register_jitable
def distance_of_points(
    axes: tuple[int, ...], points: NDArray[np.float64], x: Any, y: Any, squares: bool
) -> float:
    """Distance of two points."""
    # Unsigned, else negative numbers would be taken to count from the end.
    x = np.uint64(x)
    y = np.uint64(y)
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
    boxes: Boxes,
    node: Any,
    squares: bool,
) -> float:
    """Distance of box x, of ``low`` and ``high``, to that of a node, 0 if they overlap.

    A point is a box with ``low`` and ``high`` equal.
    """
    low_of_nodes = boxes.low
    high_of_nodes = boxes.high
    x = np.uint64(x)
    node = np.uint64(node)
    total: float = 0.0
    for k in range(len(axes)):
        gap = max(low_of_nodes[k, node] - high[k, x], low[k, x] - high_of_nodes[k, node], 0.0)
        total += gap * gap if squares else gap
    return total


class Search(NamedTuple):
    """State of a search in a k-d tree, but for the number of nodes that wait."""

    #: (128,) int64. Nodes that wait, the next one last; two for each level at most.
    waiting: NDArray[np.int64]
    #: (128,) float64. Their distances.
    distance: NDArray[np.float64]
    #: (m,) int32. The component of all points of each node, or -1.
    within: NDArray[np.int32]
    #: (LEAF,) float64. Work space: distances to the points of a leaf.
    totals: NDArray[np.float64]


def new_search(n_nodes: int) -> Search:
    """No node waits, and no node is within a component."""
    # Allocated here and not in a kernel, where it would take longer to compile.
    return Search(
        waiting=np.empty(128, np.int64),
        distance=np.empty(128),
        within=np.full(n_nodes, -1, np.int32),
        totals=np.empty(LEAF),
    )


@register_jitable
def start_at_root(search: Search) -> int:
    """Let the root wait, and no other node; return the number of nodes that wait."""
    search.waiting[0] = 0
    search.distance[0] = 0.0
    return 1


@register_jitable
def next_leaf(
    axes: tuple[int, ...],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    x: int,
    boxes: Boxes,
    search: Search,
    n_waiting: int,
    bound: float,
    component: int,
    squares: bool,
) -> tuple[int, int]:
    """The next leaf that is closer to box x of ``low`` and ``high`` than ``bound``, or -1.

    Nodes that are farther, and those within the component, are ignored with all that is below them.
    Also returns the number of nodes that wait then.
    """
    waiting = search.waiting
    distance = search.distance
    within = search.within
    while n_waiting > 0:
        n_waiting -= 1
        node = waiting[n_waiting]
        if distance[n_waiting] >= bound or within[node] == component:
            continue
        child = 2 * node + 1
        if child >= within.size:
            return node, n_waiting
        first = distance_of_boxes(axes, low, high, x, boxes, child, squares)
        second = distance_of_boxes(axes, low, high, x, boxes, child + 1, squares)
        # The closer child is last, so that it is next; equal ones wait in their order.
        is_first_closer = first < second
        waiting[n_waiting] = child + is_first_closer
        waiting[n_waiting + 1] = child + 1 - is_first_closer
        distance[n_waiting] = max(first, second)
        distance[n_waiting + 1] = min(first, second)
        n_waiting += 2
    return -1, 0


@register_jitable
def _insert(
    lengths: NDArray[np.float64], ends: NDArray[np.int32], length: float, end: np.int32
) -> None:
    """Insert a point into its place among the nearest ones, of which the last goes."""
    # Without branches, which could not be predicted: what does not go on is put down.
    for place in range(NEIGHBOURS):
        is_less = length < lengths[place]
        place_length = lengths[place]
        place_end = ends[place]
        lengths[place] = length if is_less else place_length
        ends[place] = end if is_less else place_end
        length = place_length if is_less else length
        end = place_end if is_less else end


class Nearest(NamedTuple):
    """Work space of `find_neighbours` for the points of a leaf."""

    #: (LEAF, NEIGHBOURS) float64. Distances of the nearest points of each, nearest first.
    lengths: NDArray[np.float64]
    #: (LEAF,) float64. Distance of each point to the box of another leaf.
    gaps: NDArray[np.float64]


def new_nearest() -> Nearest:
    """Work space; nothing is known."""
    return Nearest(lengths=np.empty((LEAF, NEIGHBOURS)), gaps=np.empty(LEAF))


@register_jitable
def _compare_leaves(
    axes: tuple[int, ...],
    points: NDArray[np.float64],
    boxes: Boxes,
    leaf: int,
    other_leaf: int,
    nearest: Nearest,
    ends: NDArray[np.int32],
    totals: NDArray[np.float64],
    squares: bool,
) -> float:
    """Compare the points of a leaf with those of another; return the farthest nearest distance."""
    gaps = nearest.gaps
    start = boxes.first[leaf]
    other_start = boxes.first[other_leaf]
    other_size = boxes.last[other_leaf] - other_start
    for x in range(LEAF):
        gaps[x] = distance_of_boxes(axes, points, points, start + x, boxes, other_leaf, squares)
    farthest: float = 0.0
    for x in range(boxes.last[leaf] - start):
        lengths = nearest.lengths[x]
        if gaps[x] < lengths[-1]:
            for y in range(LEAF):
                totals[y] = distance_of_points(axes, points, start + x, other_start + y, squares)
            if other_leaf == leaf:
                totals[x] = np.inf
            for y in range(other_size):
                if totals[y] < lengths[-1]:
                    _insert(lengths, ends[x], totals[y], np.int32(other_start + y))
        farthest = max(farthest, lengths[-1])
    return farthest


@entry
def find_neighbours(
    axes: tuple[int, ...],
    points: NDArray[np.float64],
    boxes: Boxes,
    squares: bool,
    search: Search,
    nearest: Nearest,
    neighbours: NDArray[np.int32],
) -> None:
    """Write the nearest points (n, NEIGHBOURS) of each, nearest first; itself if there are fewer.

    All points of a leaf are searched for at once in the tree of `make_boxes`: other leaves that are
    farther than the last neighbour of each are ignored.

    Parameters
    ----------
    axes, points, boxes, squares
        As of `boruvka`.
    search : Search
        A new one: no node is within a component.
    nearest : Nearest
        Work space.
    neighbours : (n, NEIGHBOURS), written
    """
    m = boxes.first.size
    no_component = -2
    for leaf in range(m // 2, m):
        start = boxes.first[leaf]
        ends = neighbours[start : boxes.last[leaf]]
        # Nothing is found yet: all neighbours are infinitely far, and each point is its own.
        for x in range(len(ends)):
            for place in range(NEIGHBOURS):
                ends[x, place] = start + x
                nearest.lengths[x, place] = np.inf
        farthest = np.inf
        n_waiting = start_at_root(search)
        while True:
            other_leaf, n_waiting = next_leaf(
                axes,
                boxes.low,
                boxes.high,
                leaf,
                boxes,
                search,
                n_waiting,
                farthest,
                no_component,
                squares,
            )
            if other_leaf < 0:
                break
            farthest = _compare_leaves(
                axes, points, boxes, leaf, other_leaf, nearest, ends, search.totals, squares
            )
