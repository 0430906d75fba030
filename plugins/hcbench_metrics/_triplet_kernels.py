"""Compiled count of the triplets that two trees resolve alike. They do not check their input.

Leaves of one tree, the *outer*, are coloured cluster by cluster; the other, the *inner* tree, is
stored as a decomposition in which a change of colour costs O(log n) (after Brodal, Fagerberg,
Mailund, Pedersen & Sand 2013, with heavy paths instead of their rotations).

Each heavy path (largest child first) of the inner tree is a row of elements from top to bottom: its
nodes, each with its light children, and its leaf. A binary tree over the row, which halves the
weights at each split, has *components*, runs of elements. An element has the number of its node,
0..m-1, and longer runs are numbered from m. The run of a whole path is attached to the element that
is the parent of its head. Light children and runs halve in size, so O(log n) are above each leaf.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench_metrics._tree_kernels import TreeArrays, is_head, largest_children, leaf_of_path

Ints = NDArray[np.int64]

# Colours of a leaf.
FIRST = 0  # in the first cluster
SECOND = 1  # in the second cluster
OUTSIDE = 2  # outside the parent of both
NEITHER = 3

# Columns of a component's state; before them the numbers of leaves of the first three colours.
_ABOVE_FIRST = 3  # sum over the first leaves of the outside leaves attached above them in the run
_ABOVE_SECOND = 4  # the same sum over the second leaves
_PAIRED = 5  # pairs of a first and a second leaf in one light child
_TRIPLETS = 6  # triplets of such two, separated from an outside one, in the run
_FIXED = 7  # of an element, the triplets that do not depend on its outside leaves
_N_COLUMNS = 8  # 64 bytes: a line of the cache


class Components(NamedTuple):
    """The inner tree's c components: elements 0..m-1, of each node one, and runs m..c-1."""

    #: (c,) int64. The run that contains a component or, for a whole path, ``-2 - element`` for the
    #: element to which it is attached; -1 for the root's path.
    above: Ints
    #: (c - m,) int64. The upper of the two parts of each run,
    top: Ints
    #: (c - m,) int64. and the lower one.
    bottom: Ints


class Colouring(NamedTuple):
    """The colours of the leaves, and what they make of the components."""

    #: (n,) int64.
    colours: Ints
    #: (c, 8) int64.
    state: Ints
    components: Components


# ---- Decomposition -------------------------------------------------------------------------------


class Rows(NamedTuple):
    """Work space for the elements of one path, and the runs of them that are to be split."""

    #: (n,) int64. The elements from top to bottom.
    row: Ints
    #: (n+1,) int64. Weight of the elements before each one: leaves that are attached to them.
    before: Ints
    #: (n, 3) int64. A stack of runs: first element, last + 1, and what contains the run.
    pending: Ints


@njit(cache=True)
def decompose(tree: TreeArrays) -> Components:
    """Components of the inner tree. O(m log m) time, O(m) memory."""
    m = tree.parent.size
    n = tree.order.size
    heavy = largest_children(tree)
    # Each of the n paths, one for each leaf, has one run less than it has elements.
    components = Components(
        np.empty(2 * m - n, np.int64), np.empty(m - n, np.int64), np.empty(m - n, np.int64)
    )
    rows = Rows(np.empty(n, np.int64), np.zeros(n + 1, np.int64), np.empty((n, 3), np.int64))
    n_components = m
    for head in range(m - 1, -1, -1):
        if not is_head(tree.parent, heavy, head):
            continue
        length = _read_path(tree, heavy, head, rows)
        attached = -2 - tree.parent[head]  # -1 for the root
        n_components = _split_path(length, attached, rows, components, n_components)
    return components


@register_jitable
def _read_path(tree: TreeArrays, heavy: Ints, head: int, rows: Rows) -> int:
    """Write the elements of a path and their weights; return their number."""
    n = tree.order.size
    length = 0
    v = head
    while v >= 0:
        rows.row[length] = v
        below = 0  # leaves that belong to later elements
        if v >= n:
            below = tree.end[heavy[v]] - tree.start[heavy[v]]
        rows.before[length + 1] = rows.before[length] + tree.end[v] - tree.start[v] - below
        length += 1
        v = heavy[v]
    return length


@register_jitable
def _split_path(
    length: int, attached: int, rows: Rows, components: Components, n_components: int
) -> int:
    """Make the components of a path; return the number of all components so far."""
    pending = rows.pending
    m = components.above.size - components.top.size
    pending[0, 0] = 0
    pending[0, 1] = length
    pending[0, 2] = attached
    n_pending = 1
    while n_pending > 0:
        n_pending -= 1
        low, high, run = pending[n_pending]
        component = rows.row[low]
        if high - low > 1:
            component = n_components
            n_components += 1
            cut = _middle(rows.before, low, high)
            # The lower part is taken first from the end of the list.
            pending[n_pending, 0] = low
            pending[n_pending, 1] = cut
            pending[n_pending, 2] = component
            pending[n_pending + 1, 0] = cut
            pending[n_pending + 1, 1] = high
            pending[n_pending + 1, 2] = component
            n_pending += 2
            components.bottom[component - m] = -1
        components.above[component] = run
        if run >= m and components.bottom[run - m] < 0:
            components.bottom[run - m] = component
        elif run >= m:
            components.top[run - m] = component
    return n_components


@register_jitable
def _middle(before: Ints, low: int, high: int) -> int:
    """Where a run of elements low..high-1 is split, so that its parts have similar weights.

    Both parts have an element.
    """
    half = (before[low] + before[high]) / 2
    # Binary search: the first element with at least half before it.
    cut = low + 1
    stop = high
    while cut < stop:
        middle = (cut + stop) >> 1
        if before[middle] < half:
            cut = middle + 1
        else:
            stop = middle
    if half - before[cut - 1] < before[cut] - half:  # false for low + 1
        cut -= 1
    return cut


# ---- Colours -------------------------------------------------------------------------------------


class PathCounts(NamedTuple):
    """Leaves of the colours below a path, and its triplets, before a change."""

    firsts: int
    seconds: int
    outside: int
    triplets: int


@register_jitable
def _counts(state: Ints, component: int) -> PathCounts:
    return PathCounts(
        state[component, FIRST],
        state[component, SECOND],
        state[component, OUTSIDE],
        state[component, _TRIPLETS],
    )


@register_jitable
def _paint(leaf: int, colour: int | np.int64, colouring: Colouring) -> None:
    """Change a leaf's colour, and the states of all components with it. O(log n)."""
    colours = colouring.colours
    state = colouring.state
    above = colouring.components.above
    m = above.size - colouring.components.top.size
    previous = _counts(state, leaf)
    if colours[leaf] < NEITHER:
        state[leaf, colours[leaf]] = 0
    if colour < NEITHER:
        state[leaf, colour] = 1
    colours[leaf] = colour
    component = leaf
    while above[component] != -1:
        if above[component] >= m:
            component = above[component]
            previous = _counts(state, component)
            _join_parts(component, m, colouring)
        else:
            # A whole path: the element to which it is attached has its new counts for the old.
            element = -2 - above[component]
            _replace_path(component, element, previous, state)
            component = element


@register_jitable
def _join_parts(run: int, m: int, colouring: Colouring) -> None:
    """Compute the state of a run from those of its two parts."""
    state = colouring.state
    top = colouring.components.top[run - m]
    bottom = colouring.components.bottom[run - m]
    outside = state[top, OUTSIDE]
    firsts = state[bottom, FIRST]
    seconds = state[bottom, SECOND]
    state[run, FIRST] = state[top, FIRST] + firsts
    state[run, SECOND] = state[top, SECOND] + seconds
    state[run, OUTSIDE] = outside + state[bottom, OUTSIDE]
    state[run, _PAIRED] = state[top, _PAIRED] + state[bottom, _PAIRED]
    state[run, _ABOVE_FIRST] = (
        state[top, _ABOVE_FIRST] + state[bottom, _ABOVE_FIRST] + outside * firsts
    )
    state[run, _ABOVE_SECOND] = (
        state[top, _ABOVE_SECOND] + state[bottom, _ABOVE_SECOND] + outside * seconds
    )
    # In one part; or the outside leaf is above both; or one is above the other, with the outside
    # leaf between them; or both are together, and the outside leaf is below them.
    state[run, _TRIPLETS] = (
        state[top, _TRIPLETS]
        + state[bottom, _TRIPLETS]
        + outside * firsts * seconds
        + state[top, _ABOVE_FIRST] * seconds
        + state[top, _ABOVE_SECOND] * firsts
        + state[top, _PAIRED] * state[bottom, OUTSIDE]
    )


@register_jitable
def _replace_path(path: int, element: int, previous: PathCounts, state: Ints) -> None:
    """Update an element after a change of one of the paths that are attached to it."""
    pairs = state[path, FIRST] * state[path, SECOND]
    previous_pairs = previous.firsts * previous.seconds
    state[element, _PAIRED] += pairs - previous_pairs
    state[element, _FIXED] += state[path, _TRIPLETS] - pairs * state[path, OUTSIDE]
    state[element, _FIXED] -= previous.triplets - previous_pairs * previous.outside
    state[element, FIRST] += state[path, FIRST] - previous.firsts
    state[element, SECOND] += state[path, SECOND] - previous.seconds
    state[element, OUTSIDE] += state[path, OUTSIDE] - previous.outside
    state[element, _TRIPLETS] = (
        state[element, _FIXED] + state[element, _PAIRED] * state[element, OUTSIDE]
    )


@register_jitable
def _paint_leaves(tree: TreeArrays, v: int, colour: int | np.int64, colouring: Colouring) -> None:
    """Change the colour of all leaves below a node of the outer tree."""
    for position in range(tree.start[v], tree.end[v]):
        _paint(tree.order[position], colour, colouring)


# ---- Triplets ------------------------------------------------------------------------------------


@njit(cache=True)
def count_alike(tree: TreeArrays, components: Components, role: Ints) -> int:
    """Triplets that the outer tree, ``tree``, resolves and the inner tree in a given way.

    If leaves i and j are in two children of a node of the outer tree and k is not below it, the
    inner tree must separate one of them from the other two. ``role`` (3,), a permutation, selects
    which one: k for 0, 1, 2; j for 0, 2, 1; i for 2, 1, 0.

    Up the outer tree's heavy paths, children join one by one: leaves on the path have the first
    colour, those of the child the second. Each leaf changes its colour at most four times for each
    light child that contains it: O(n log n) changes in O(n log^2 n) time; O(n) memory. Exact while
    n^3 is less than 2^63: up to two million leaves.
    """
    root = tree.parent.size - 1
    n = tree.order.size
    heavy = largest_children(tree)
    neither = np.int64(NEITHER)  # a literal would be a type of its own
    colouring = Colouring(
        np.full(n, neither, np.int64),
        np.zeros((components.above.size, _N_COLUMNS), np.int64),
        components,
    )
    on_path, joining, outside = role
    _paint_leaves(tree, root, outside, colouring)
    everything = _component_of_all(components.above)
    total = 0
    # A path that starts at a child of the root is a pass of its own: nothing is outside the root.
    for head in range(root - 1, n - 1, -1):
        if not is_head(tree.parent, heavy, head) and tree.parent[head] != root:
            continue
        v = leaf_of_path(heavy, head, n)
        _paint(v, on_path, colouring)
        while v != head:
            below = v
            v = tree.parent[v]
            children = tree.child_ids[tree.child_offsets[v] : tree.child_offsets[v + 1]]
            if children.size > 2:
                # The children that have not joined yet are not outside v, either.
                for child in children:
                    if child != below:
                        _paint_leaves(tree, child, neither, colouring)
            for child in children:
                if child != below:
                    _paint_leaves(tree, child, joining, colouring)
                    total += colouring.state[everything, _TRIPLETS]
                    _paint_leaves(tree, child, on_path, colouring)
        _paint_leaves(tree, head, outside, colouring)
    return total


@register_jitable
def _component_of_all(above: Ints) -> int:
    """The component that has all leaves of the inner tree: the root's path."""
    component = 0
    while above[component] != -1:
        if above[component] >= 0:
            component = above[component]
        else:
            component = -2 - above[component]
    return component
