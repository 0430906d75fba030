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

from typing import TYPE_CHECKING

import numpy as np
from numba import njit
from numba.extending import register_jitable

from hcbench_metrics._purity_kernels import largest_children

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

#: Colours of a leaf: in the first or second cluster, outside their parent, or none of these.
FIRST, SECOND, OUTSIDE, NEITHER = 0, 1, 2, 3

# Columns of a component's state, after the numbers of leaves of the first three colours: the sum
# over the first leaves of the outside leaves attached above them in the run, and over the second
# ones; pairs of a first and a second in one light child; triplets of such two, separated from an
# outside one, in the run; and for an element, the part of these that does not depend on its outside
# leaves.
_ABOVE_FIRST, _ABOVE_SECOND, _PAIRED, _TRIPLETS, _FIXED = 3, 4, 5, 6, 7
_N_COLUMNS = 8


@njit(cache=True)
def decompose(parent: Ints, start: Ints, end: Ints, n: int) -> tuple[Ints, Ints, Ints]:
    """Components of the inner tree: the run that contains each one, and the two parts of each run.

    ``above`` (c,) has the run that contains a component or, for a whole path, ``-2 - element`` for
    the element to which it is attached, or -1 for the root's path; run r consists of ``top[r - m]``
    and, below it, ``bottom[r - m]``. O(m log m) time, O(m) memory.
    """
    m = parent.size
    heavy = largest_children(parent, start, end)
    # Each of the n paths, one for each leaf, has one run less than it has elements.
    above = np.empty(2 * m - n, np.int64)
    top = np.empty(m - n, np.int64)
    bottom = np.empty(m - n, np.int64)
    row = np.empty(n, np.int64)
    before = np.zeros(n + 1, np.int64)  # weight of the elements before
    pending = np.empty((n, 3), np.int64)  # runs to be split: first, last + 1, above
    n_components = m
    for head in range(m - 1, -1, -1):
        if head < m - 1 and heavy[parent[head]] == head:
            continue
        length = 0
        v = head
        while v >= 0:
            row[length] = v
            below = 0 if v < n else end[heavy[v]] - start[heavy[v]]
            before[length + 1] = before[length] + end[v] - start[v] - below
            length += 1
            v = heavy[v]
        pending[0, 0] = 0
        pending[0, 1] = length
        pending[0, 2] = -2 - parent[head]  # -1 for the root
        n_pending = 1
        while n_pending > 0:
            n_pending -= 1
            low, high, run = pending[n_pending]
            component = row[low]
            if high - low > 1:
                component = n_components
                n_components += 1
                half = (before[low] + before[high]) / 2
                cut, stop = low + 1, high  # the first element with at least half before it
                while cut < stop:
                    middle = (cut + stop) >> 1
                    if before[middle] < half:
                        cut = middle + 1
                    else:
                        stop = middle
                if half - before[cut - 1] < before[cut] - half:  # false for low + 1
                    cut -= 1
                # The lower part is taken first from the end of the list.
                pending[n_pending, 0] = low
                pending[n_pending, 1] = cut
                pending[n_pending, 2] = component
                pending[n_pending + 1, 0] = cut
                pending[n_pending + 1, 1] = high
                pending[n_pending + 1, 2] = component
                n_pending += 2
                bottom[component - m] = -1
            above[component] = run
            if run >= m and bottom[run - m] < 0:
                bottom[run - m] = component
            elif run >= m:
                top[run - m] = component
    return above, top, bottom


@register_jitable
def _paint(
    leaf: int,
    colour: int | np.int64,
    colours: Ints,
    state: Ints,
    above: Ints,
    top: Ints,
    bottom: Ints,
) -> None:
    """Change a leaf's colour, and the states (c, 8) of all components with it. O(log n)."""
    m = above.size - top.size
    # Previous counts of a whole path, to subtract from the element to which it is attached.
    firsts, seconds = state[leaf, FIRST], state[leaf, SECOND]
    outside, triplets = state[leaf, OUTSIDE], state[leaf, _TRIPLETS]
    if colours[leaf] < NEITHER:
        state[leaf, colours[leaf]] = 0
    if colour < NEITHER:
        state[leaf, colour] = 1
    colours[leaf] = colour
    x = leaf
    while above[x] != -1:
        if above[x] >= m:
            x = above[x]
            firsts, seconds = state[x, FIRST], state[x, SECOND]
            outside, triplets = state[x, OUTSIDE], state[x, _TRIPLETS]
            u = top[x - m]
            w = bottom[x - m]
            u_outside = state[u, OUTSIDE]
            w_first, w_second = state[w, FIRST], state[w, SECOND]
            state[x, FIRST] = state[u, FIRST] + w_first
            state[x, SECOND] = state[u, SECOND] + w_second
            state[x, OUTSIDE] = u_outside + state[w, OUTSIDE]
            state[x, _PAIRED] = state[u, _PAIRED] + state[w, _PAIRED]
            state[x, _ABOVE_FIRST] = (
                state[u, _ABOVE_FIRST] + state[w, _ABOVE_FIRST] + u_outside * w_first
            )
            state[x, _ABOVE_SECOND] = (
                state[u, _ABOVE_SECOND] + state[w, _ABOVE_SECOND] + u_outside * w_second
            )
            state[x, _TRIPLETS] = (
                state[u, _TRIPLETS]
                + state[w, _TRIPLETS]
                + u_outside * w_first * w_second
                + state[u, _ABOVE_FIRST] * w_second
                + state[u, _ABOVE_SECOND] * w_first
                + state[u, _PAIRED] * state[w, OUTSIDE]
            )
        else:
            y = -2 - above[x]
            pairs = state[x, FIRST] * state[x, SECOND]
            state[y, _PAIRED] += pairs - firsts * seconds
            state[y, _FIXED] += state[x, _TRIPLETS] - pairs * state[x, OUTSIDE]
            state[y, _FIXED] -= triplets - firsts * seconds * outside
            state[y, FIRST] += state[x, FIRST] - firsts
            state[y, SECOND] += state[x, SECOND] - seconds
            state[y, OUTSIDE] += state[x, OUTSIDE] - outside
            state[y, _TRIPLETS] = state[y, _FIXED] + state[y, _PAIRED] * state[y, OUTSIDE]
            x = y


@njit(cache=True)
def count_alike(
    parent: Ints,
    start: Ints,
    end: Ints,
    order: Ints,
    child_offsets: Ints,
    child_ids: Ints,
    above: Ints,
    top: Ints,
    bottom: Ints,
    role: Ints,
) -> int:
    """Triplets that the outer tree, given by its arrays, resolves and the inner tree as asked.

    If leaves i and j are in two children of a node of the outer tree and k is not below it, the
    inner tree must separate one of them from the other two. ``role`` (3,), a permutation, selects
    which one: k for 0, 1, 2; j for 0, 2, 1; i for 2, 1, 0.

    Up the outer tree's heavy paths, children join one by one: leaves on the path have the first
    colour, those of the child the second. Each leaf changes its colour at most four times for each
    light child that contains it: O(n log n) changes in O(n log^2 n) time; O(n) memory. Exact while
    n^3 is less than 2^63: up to two million leaves.
    """
    m = parent.size
    n = order.size
    heavy = largest_children(parent, start, end)
    state = np.zeros((above.size, _N_COLUMNS), np.int64)
    neither = np.int64(NEITHER)  # a literal would be a type of its own
    colours = np.full(n, neither, np.int64)
    on_path, joining, outside = role
    for leaf in range(n):
        _paint(leaf, outside, colours, state, above, top, bottom)
    whole = 0  # the component of all leaves
    while above[whole] != -1:
        whole = above[whole] if above[whole] >= 0 else -2 - above[whole]

    total = 0
    for head in range(m - 2, n - 1, -1):
        if heavy[parent[head]] == head and parent[head] != m - 1:
            continue
        v = head
        while v >= n:
            v = heavy[v]
        _paint(v, on_path, colours, state, above, top, bottom)
        while v != head:
            u = v
            v = parent[v]
            first, last = child_offsets[v], child_offsets[v + 1]
            for at in range(first, last):
                child = child_ids[at]
                if child == u or last - first == 2:
                    continue
                for position in range(start[child], end[child]):
                    _paint(order[position], neither, colours, state, above, top, bottom)
            for at in range(first, last):
                child = child_ids[at]
                if child == u:
                    continue
                for position in range(start[child], end[child]):
                    _paint(order[position], joining, colours, state, above, top, bottom)
                total += state[whole, _TRIPLETS]
                for position in range(start[child], end[child]):
                    _paint(order[position], on_path, colours, state, above, top, bottom)
        for position in range(start[head], end[head]):
            _paint(order[position], outside, colours, state, above, top, bottom)
    return total
