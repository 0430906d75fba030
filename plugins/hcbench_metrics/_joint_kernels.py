"""Compiled passes over the merges of pairs of leaves in two trees. They do not check their input.

Throughout, a tree of n leaves and m nodes is given by ``parent`` (m,), -1 for the root m-1, with
parents after their children, and by ``start`` and ``end`` (m,): node v's leaves are
``order[start[v]:end[v]]``, where ``order`` (n,) has the leaves from left to right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit
from numba.extending import register_jitable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]


@njit(cache=True)
def boundaries(parent: Ints, end: Ints, n: int) -> NDArray[np.int32]:
    """Sparse table (log2(n), n) over the nodes that separate a leaf from the next to its right.

    The largest id between two positions is their leaves' lowest common ancestor: parents come
    after children (Bender & Farach-Colton 2000). O(n log n) time and memory.
    """
    n_rows = 1
    while 1 << n_rows < n:
        n_rows += 1
    table = np.zeros((n_rows, n), np.int32)
    for v in range(parent.size - 1):
        if end[v] < end[parent[v]]:
            table[0, end[v] - 1] = parent[v]
    for row in range(1, n_rows):
        half = 1 << (row - 1)
        for at in range(n - 2 * half + 1):
            table[row, at] = max(table[row - 1, at], table[row - 1, at + half])
    return table


@register_jitable
def _ancestor(table: NDArray[np.int32], log2: NDArray[np.uint8], low: int, high: int) -> int:
    """Lowest common ancestor of the leaves at two positions, low < high. O(1)."""
    row = log2[high - low]
    return int(max(table[row, low], table[row, high - (1 << row)]))


@register_jitable
def _add_merged(
    run: Ints,
    is_second: NDArray[np.bool_],
    table: NDArray[np.int32],
    log2: NDArray[np.uint8],
    stage: Ints,
    stack: Ints,
    pairs_at: Ints,
    touched: Ints,
    n_touched: int | np.int64,
) -> int | np.int64:
    """Count pairs of a first and a second leaf by the stage at which they merge in the other tree.

    ``run`` (b,) are positions there, in increasing order. The clusters that are not merged yet are
    in ``stack`` (b, 3), from left to right: numbers of firsts and seconds, and the ancestor shared
    with the next cluster. Pairs are added to ``pairs_at``, and stages that had none to ``touched``.
    O(b) time.
    """
    depth = 0
    last = run.size - 1
    for e in range(run.size):
        firsts, seconds = (0, 1) if is_second[e] else (1, 0)
        gap = np.int64(-1)
        if e < last:
            gap = np.int64(_ancestor(table, log2, run[e], run[e + 1]))
        while depth > 0 and (e == last or stack[depth - 1, 2] <= gap):
            depth -= 1
            pairs = stack[depth, 0] * seconds + stack[depth, 1] * firsts
            if pairs > 0:
                s = stage[stack[depth, 2]]
                if pairs_at[s] == 0:
                    touched[n_touched] = s
                    n_touched += 1
                pairs_at[s] += pairs
            firsts += stack[depth, 0]
            seconds += stack[depth, 1]
        stack[depth, 0] = firsts
        stack[depth, 1] = seconds
        stack[depth, 2] = gap
        depth += 1
    return n_touched


@register_jitable
def _merge_runs(run: Ints, middle: int, merged: Ints, is_second: NDArray[np.bool_]) -> None:
    """Merge two sorted parts of ``run`` in place; mark what comes from the second part. O(b)."""
    i, j = 0, middle
    for e in range(run.size):
        from_second = i == middle or (j < run.size and run[j] < run[i])
        is_second[e] = from_second
        if from_second:
            merged[e] = run[j]
            j += 1
        else:
            merged[e] = run[i]
            i += 1
    for e in range(run.size):
        run[e] = merged[e]


@njit(cache=True)
def sum_over_joint_stages(
    start: Ints,
    end: Ints,
    child_offsets: Ints,
    child_ids: Ints,
    position: Ints,
    sequence: Ints,
    stage: Ints,
    table: NDArray[np.int32],
    other_stage: Ints,
    value: Floats,
    other_value: Floats,
    is_ordered: bool,
) -> tuple[float, float, float]:
    """Sum of products over pairs of leaves, and the numbers of concordant and discordant pairs.

    The sum is that of ``c value[s] other_value[t]``, where c pairs merge at stage s of the first
    tree and t of the other. If ``is_ordered``, the pairs of pairs that merge in the same order of
    stages in both trees, and in the opposite order, are also counted; else both counts are 0. They
    are floating point, as they may exceed 2^63.

    ``position`` (n,) has the positions in the other tree of the leaves, in the order of the first
    tree, and is sorted as the first tree merges: a merge sort during which the pairs are counted.
    ``sequence`` (m - n,) has the inner nodes, children first and, if ordered, by increasing
    ``stage`` (m,), which is also the index into ``value``. Earlier pairs are counted by
    ``other_stage`` (m',) in a binary indexed tree (Fenwick 1994).

    With S the sum of the sizes of the first tree's nodes, d the largest number of children and t
    the number of other stages, O(S log d) time, O(S log d log t) if ordered, and O(n) memory
    besides ``table``. S is n times the mean depth of a leaf.
    """
    n = position.size
    n_other = other_value.size
    log2 = np.zeros(n + 1, np.uint8)
    for width in range(2, n + 1):
        log2[width] = log2[width // 2] + 1
    merged = np.empty(n, np.int64)
    is_second = np.empty(n, np.bool_)
    stack = np.empty((n, 3), np.int64)
    pairs_at = np.zeros(n_other, np.int64)
    touched = np.empty(n_other, np.int64)
    n_touched: int | np.int64 = np.int64(0)  # a literal would be a type of its own
    counts = np.zeros(n_other + 1)
    n_counted = 0.0
    bound = np.empty(n + 1, np.int64)
    total = concordant = discordant = 0.0
    for at in range(sequence.size):
        v = sequence[at]
        # Children are adjacent, by increasing id: runs are merged in pairs until one remains.
        n_runs = 0
        for child in child_ids[child_offsets[v] : child_offsets[v + 1]]:
            bound[n_runs] = start[child]
            n_runs += 1
        bound[n_runs] = end[v]
        while n_runs > 1:
            n_merged = 0
            for r in range(0, n_runs - 1, 2):
                low, high = bound[r], bound[r + 2]
                run = position[low:high]
                _merge_runs(run, bound[r + 1] - low, merged, is_second)
                n_touched = _add_merged(
                    run, is_second, table, log2, other_stage, stack, pairs_at, touched, n_touched
                )
                bound[n_merged] = low
                n_merged += 1
            if n_runs % 2:
                bound[n_merged] = bound[n_runs - 1]
                n_merged += 1
            bound[n_merged] = end[v]
            n_runs = n_merged

        s = stage[v]
        if at + 1 < sequence.size and stage[sequence[at + 1]] == s:
            continue
        for t in touched[:n_touched]:
            pairs = float(pairs_at[t])
            total += pairs * value[s] * other_value[t]
            if is_ordered:
                before = _prefix_sum(counts, t)
                concordant += pairs * before
                discordant += pairs * (n_counted - _prefix_sum(counts, t + 1))
        for t in touched[:n_touched]:
            if is_ordered:
                n_counted += pairs_at[t]
                i = t + 1
                while i <= n_other:
                    counts[i] += pairs_at[t]
                    i += i & -i
            pairs_at[t] = 0
        n_touched = np.int64(0)
    return total, concordant, discordant


@register_jitable
def _prefix_sum(counts: Floats, stop: int) -> float:
    """Sum of the first ``stop`` counts of a binary indexed tree, which begins at ``counts[1]``."""
    total = 0.0
    while stop > 0:
        total += counts[stop]
        stop -= stop & -stop
    return total
