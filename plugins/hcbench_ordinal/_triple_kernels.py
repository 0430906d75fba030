"""Loops over triples of items: numbering them, counting answers, and the algorithm Build."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench_ordinal._tree_kernels import check_answer

NONE = -1
#: Columns of the stack of `build`, of sets of items: the position of the first item and that after
#: the last; the same of the rows inside the set; and the node above.
ITEMS_FROM = 0
ITEMS_TO = 1
ROWS_FROM = 2
ROWS_TO = 3
NODE_ABOVE = 4


@njit(cache=True)
def triples_of(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """The triples i < j < k (m, 3) with numbers i + j(j-1)/2 + k(k-1)(k-2)/6 (m,). O(m)."""
    triples = np.empty((len(numbers), 3), np.int64)
    for i in range(len(numbers)):
        rest = numbers[i]
        # The largest k, and then the largest j: rounded roots, corrected in whole numbers.
        k = int((6.0 * rest) ** (1 / 3)) + 1
        while k * (k - 1) * (k - 2) // 6 > rest:
            k -= 1
        while (k + 1) * k * (k - 1) // 6 <= rest:
            k += 1
        rest -= k * (k - 1) * (k - 2) // 6
        j = int(np.sqrt(2.0 * rest))
        while j * (j - 1) // 2 > rest:
            j -= 1
        while (j + 1) * j // 2 <= rest:
            j += 1
        triples[i, 0] = rest - j * (j - 1) // 2
        triples[i, 1] = j
        triples[i, 2] = k
    return triples


@njit(cache=True)
def count_outside(
    n: int, triples: NDArray[np.int64], answers: NDArray[np.int8]
) -> NDArray[np.float64]:
    """Pairs (n, n) by the number of items that are the odd one out in a triple with them. O(m)."""
    outside = np.zeros((n, n))
    for i in range(len(triples)):
        answer = np.int64(answers[i])
        check_answer(answer)
        if answer != NONE:
            # The two items besides the odd one out.
            a = triples[i, (answer + 1) % 3]
            b = triples[i, (answer + 2) % 3]
            outside[a, b] += 1
            outside[b, a] += 1
    return outside


@njit(cache=True)
def closer_pairs(triples: NDArray[np.int64], answers: NDArray[np.int8]) -> NDArray[np.int64]:
    """Rows a, b, c (m', 3): a and b are closer to each other than to c. Excludes answers NONE.

    O(m).
    """
    rows = np.empty((len(triples), 3), np.int64)
    n_rows = 0
    for i in range(len(triples)):
        answer = np.int64(answers[i])
        check_answer(answer)
        if answer != NONE:
            # The odd one out comes last.
            for column in range(3):
                rows[n_rows, column] = triples[i, (answer + 1 + column) % 3]
            n_rows += 1
    return rows[:n_rows]


@register_jitable
def _find(group: Any, v: Any) -> Any:
    """The representative of the group of v; paths to it are halved."""
    while group[v] != v:
        group[v] = group[group[v]]
        v = group[v]
    return v


@register_jitable
def _join_pairs(items: Any, rows: Any, sets: Any, index: Any, group: Any) -> Any:
    """Group the items of a set by the pairs a, b of its rows; return the rows that join groups.

    These suffice to join all items of each group.
    """
    low = sets[index, ITEMS_FROM]
    high = sets[index, ITEMS_TO]
    for i in range(low, high):
        group[items[i, 0]] = items[i, 0]
    joining = np.empty(high - low, np.int64)
    n_joining = 0
    for row in range(sets[index, ROWS_FROM], sets[index, ROWS_TO]):
        a = _find(group, rows[row, 0])
        b = _find(group, rows[row, 1])
        if a != b:
            group[a] = b
            joining[n_joining] = row
            n_joining += 1
    return joining[:n_joining]


@register_jitable
def _number_parts(items: Any, low: Any, high: Any, group: Any, part: Any) -> None:
    """Number the groups of the items low..high-1: their parts of the set."""
    n_parts = 0
    for i in range(low, high):
        item = items[i, 0]
        if _find(group, item) == item:
            part[item] = n_parts
            n_parts += 1
    for i in range(low, high):
        item = items[i, 0]
        part[item] = part[_find(group, item)]


@register_jitable
def _by_part(rows: Any, low: Any, high: Any, part: Any, start: Any, columns: Any) -> None:
    """Sort rows low..high-1 by the part of their first column, and store where the parts begin.

    Rows that are not inside one part in their first ``columns`` columns are moved to the end.
    """
    parts = len(start) - 1
    where = np.full(high - low, parts, np.int64)
    count = np.zeros(parts + 1, np.int64)
    for row in range(low, high):
        inside = True
        for column in range(1, columns):
            inside = inside and part[rows[row, column]] == part[rows[row, 0]]
        if inside:
            where[row - low] = part[rows[row, 0]]
        count[where[row - low]] += 1
    start[0] = low
    for p in range(parts):
        start[p + 1] = start[p] + count[p]
    position = start.copy()
    ordered = np.empty((high - low, rows.shape[1]), np.int64)
    for row in range(low, high):
        p = where[row - low]
        for column in range(rows.shape[1]):
            ordered[position[p] - low, column] = rows[row, column]
        position[p] += 1
    for row in range(low, high):
        for column in range(rows.shape[1]):
            rows[row, column] = ordered[row - low, column]


@register_jitable
def _copy_rows(rows: Any, indices: Any) -> Any:
    copies = np.empty((len(indices), 3), np.int64)
    for i in range(len(indices)):
        for column in range(3):
            copies[i, column] = rows[indices[i], column]
    return copies


@njit(cache=True)
def build(
    n: int, rows: NDArray[np.int64], star: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The tree in which a, b are closer than c for all rows (a, b, c): Build, Aho et al. 1981.

    In each set of items, the items a and b of each row inside the set are joined; the resulting
    parts are the children of the set's node. A single part is a contradiction.

    Parameters
    ----------
    rows : (m, 3) int64
        Its rows are reordered.
    star : bool
        Make all items of contradictory rows children of one node, and continue.

    Returns
    -------
    parent, contradictory : int64 arrays
        Parents, the leaves being 0..n-1; and rows (k, 3), empty if the tree exists: a small number
        that joins all items of one set, and is therefore contradictory.

    Notes
    -----
    O((n + m) height) time, O(n + m) memory.
    """
    parent = np.full(max(2 * n - 1, 1), -1, np.int64)
    items = np.arange(n).reshape(n, 1)
    # Of each item: its union-find parent, and its part of the set.
    group = np.arange(n)
    part = np.zeros(n, np.int64)
    # Sets to be split, a stack.
    sets = np.empty((n + 1, 5), np.int64)
    sets[0, ITEMS_FROM] = 0
    sets[0, ITEMS_TO] = n
    sets[0, ROWS_FROM] = 0
    sets[0, ROWS_TO] = len(rows)
    sets[0, NODE_ABOVE] = -1
    n_sets = 1
    next_node = n
    while n_sets > 0:
        n_sets -= 1
        low = sets[n_sets, ITEMS_FROM]
        high = sets[n_sets, ITEMS_TO]
        above = sets[n_sets, NODE_ABOVE]
        if high - low == 1:
            parent[items[low, 0]] = above
            continue
        node = next_node
        next_node += 1
        parent[node] = above
        joining = _join_pairs(items, rows, sets, n_sets, group)
        n_parts = high - low - len(joining)
        if n_parts == 1:
            # All items are joined: the rows contradict each other.
            if not star:
                return parent, _copy_rows(rows, joining)
            for i in range(low, high):
                parent[items[i, 0]] = node
            continue
        # The parts are the sets to be split next. Rows that are not inside one part agree with the
        # tree from here on.
        _number_parts(items, low, high, group, part)
        item_start = np.empty(n_parts + 1, np.int64)
        row_start = np.empty(n_parts + 1, np.int64)
        first_row = sets[n_sets, ROWS_FROM]
        end_of_rows = sets[n_sets, ROWS_TO]
        _by_part(items, low, high, part, item_start, np.int64(1))
        _by_part(rows, first_row, end_of_rows, part, row_start, np.int64(3))
        for p in range(n_parts):
            sets[n_sets, ITEMS_FROM] = item_start[p]
            sets[n_sets, ITEMS_TO] = item_start[p + 1]
            sets[n_sets, ROWS_FROM] = row_start[p]
            sets[n_sets, ROWS_TO] = row_start[p + 1]
            sets[n_sets, NODE_ABOVE] = node
            n_sets += 1
    return parent[:next_node].copy(), np.empty((0, 3), np.int64)
