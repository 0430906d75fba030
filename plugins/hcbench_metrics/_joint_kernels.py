"""Compiled pass over the merges of pairs of leaves in two trees. It does not check its input."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench_metrics._counting_kernels import add_at, sum_up_to
from hcbench_metrics._tree_kernels import TreeArrays

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Stages(NamedTuple):
    """Inner nodes of a tree in groups, each of nodes whose merges are tied; and a value of each."""

    #: (m,) int64. The stage of an inner node, from 0; unused for leaves.
    stage: Ints
    #: (m - n,) int64. Inner nodes, children before parents.
    sequence: Ints
    #: (S,) float64. One for each stage.
    value: Floats


class Ancestors(NamedTuple):
    """Lowest common ancestors of the leaves at two positions, in constant time."""

    #: (rows, n) int32. The largest id of 1, 2, 4, ... separating nodes from a position on.
    table: NDArray[np.int32]
    #: (n+1,) uint8. The logarithm to base 2, rounded down.
    log2: NDArray[np.uint8]


class StagePairs(NamedTuple):
    """Pairs that merge at the current stage of the first tree, by the stage of the second one."""

    #: (S',) int64. Their numbers; 0 before and after.
    pairs: Ints
    #: (S',) int64. The stages that have any, in the order in which they were met.
    met: Ints
    #: (S'+1,) float64. Pairs of all earlier stages of the first tree: stage t has rank t + 1.
    earlier: Floats


class MergeSort(NamedTuple):
    """Work space for the leaves of one node."""

    #: (n,) int64. Positions that two runs give together.
    merged: Ints
    #: (n,) bool. Whether each of these is from the second run.
    is_second: NDArray[np.bool_]
    #: (n, 3) int64. The stack of `_count_pairs`.
    stack: Ints
    #: (n+1,) int64. Where each run begins, and where the last one ends.
    bounds: Ints


@njit(cache=True)
def lowest_ancestors(parent: Ints, end: Ints, n: int) -> Ancestors:
    """Prepare to look up ancestors. O(n log n) time and memory.

    Each leaf and the next to its right are separated by one node, their lowest common ancestor. The
    largest id of these nodes between two positions is the lowest common ancestor of their leaves,
    since parents come after children (Bender & Farach-Colton 2000).
    """
    n_rows = 1
    while 1 << n_rows < n:
        n_rows += 1
    table = np.zeros((n_rows, n), np.int32)
    # Where a node ends that is not the last child of its parent, two of its children meet.
    for v in range(parent.size - 1):
        if end[v] < end[parent[v]]:
            table[0, end[v] - 1] = parent[v]
    # Each row from two overlapping halves of the row before.
    for row in range(1, n_rows):
        half = 1 << (row - 1)
        for at in range(n - 2 * half + 1):
            table[row, at] = max(table[row - 1, at], table[row - 1, at + half])
    log2 = np.zeros(n + 1, np.uint8)
    for width in range(2, n + 1):
        log2[width] = log2[width // 2] + 1
    return Ancestors(table, log2)


@register_jitable
def _ancestor(ancestors: Ancestors, low: int, high: int) -> int:
    """Lowest common ancestor of the leaves at two positions, low < high. O(1)."""
    row = ancestors.log2[high - low]
    table = ancestors.table
    return int(max(table[row, low], table[row, high - (1 << row)]))


@njit(cache=True)
def sum_over_joint_stages(
    tree: TreeArrays,
    stages: Stages,
    positions: Ints,
    ancestors: Ancestors,
    second: Stages,
    is_ordered: bool,
) -> tuple[float, float, float]:
    """Sum of products over pairs of leaves, and the numbers of concordant and discordant pairs.

    The sum is that of ``c value[s] second.value[t]``, where c pairs merge at stage s of the first
    tree and t of the second one. If ``is_ordered``, the sequence of the first tree is by increasing
    stage, and the pairs of pairs that merge in the same order of stages in both trees, and in the
    opposite order, are also counted; else both counts are 0. They are floating point, as they may
    exceed 2^63.

    ``positions`` (n,) has the positions in the second tree of the leaves, in the order of the first
    tree, and is sorted as the first tree merges: a merge sort during which the pairs are counted.

    With W the sum of the sizes of the first tree's nodes, d the largest number of children and t
    the number of stages of the second tree, O(W log d) time, O(W log d log t) if ordered, and O(n)
    memory besides ``ancestors``. W is n times the mean depth of a leaf.
    """
    n = positions.size
    n_second_stages = second.value.size
    work = MergeSort(
        np.empty(n, np.int64),
        np.empty(n, np.bool_),
        np.empty((n, 3), np.int64),
        np.empty(n + 1, np.int64),
    )
    counts = StagePairs(
        np.zeros(n_second_stages, np.int64),
        np.empty(n_second_stages, np.int64),
        np.zeros(n_second_stages + 1),
    )
    n_met = 0
    n_earlier = 0.0
    total = 0.0
    concordant = 0.0
    discordant = 0.0
    sequence = stages.sequence
    for at in range(sequence.size):
        v = sequence[at]
        n_met = _sort_leaves(tree, v, positions, ancestors, second.stage, work, counts, n_met)
        s = stages.stage[v]
        if at + 1 < sequence.size and stages.stage[sequence[at + 1]] == s:
            continue
        # All pairs of stage s are counted: add them up, and go on to the next stage.
        met = counts.met[:n_met]
        for t in met:
            pairs = float(counts.pairs[t])
            total += pairs * stages.value[s] * second.value[t]
            if is_ordered:
                concordant += pairs * sum_up_to(counts.earlier, t)
                discordant += pairs * (n_earlier - sum_up_to(counts.earlier, t + 1))
        for t in met:
            if is_ordered:
                n_earlier += counts.pairs[t]
                add_at(counts.earlier, t + 1, counts.pairs[t])
            counts.pairs[t] = 0
        n_met = 0
    return total, concordant, discordant


@register_jitable
def _sort_leaves(
    tree: TreeArrays,
    v: int,
    positions: Ints,
    ancestors: Ancestors,
    second_stage: Ints,
    work: MergeSort,
    counts: StagePairs,
    n_met: int,
) -> int:
    """Merge the sorted positions of the children of v; count the pairs of their leaves.

    Returns the number of stages that were met.
    """
    bounds = work.bounds
    # Children are adjacent, by increasing id: runs are merged in pairs until one remains.
    n_runs = 0
    for at in range(tree.child_offsets[v], tree.child_offsets[v + 1]):
        bounds[n_runs] = tree.start[tree.child_ids[at]]
        n_runs += 1
    bounds[n_runs] = tree.end[v]
    while n_runs > 1:
        n_merged = 0
        for r in range(0, n_runs - 1, 2):
            low = bounds[r]
            run = positions[low : bounds[r + 2]]
            _merge_runs(run, bounds[r + 1] - low, work)
            n_met = _count_pairs(run, work, ancestors, second_stage, counts, n_met)
            bounds[n_merged] = low
            n_merged += 1
        if n_runs % 2:  # the last one has no partner
            bounds[n_merged] = bounds[n_runs - 1]
            n_merged += 1
        bounds[n_merged] = tree.end[v]
        n_runs = n_merged
    return n_met


@register_jitable
def _merge_runs(run: Ints, middle: int, work: MergeSort) -> None:
    """Merge two sorted parts of ``run`` in place; mark what comes from the second part. O(b)."""
    i = 0
    j = middle
    for e in range(run.size):
        from_second = i == middle or (j < run.size and run[j] < run[i])
        work.is_second[e] = from_second
        if from_second:
            work.merged[e] = run[j]
            j += 1
        else:
            work.merged[e] = run[i]
            i += 1
    for e in range(run.size):
        run[e] = work.merged[e]


@register_jitable
def _count_pairs(
    run: Ints,
    work: MergeSort,
    ancestors: Ancestors,
    second_stage: Ints,
    counts: StagePairs,
    n_met: int,
) -> int:
    """Count pairs of a first and a second leaf by the stage at which they merge in the second tree.

    ``run`` (b,) are their positions there, in increasing order. That tree, restricted to these
    leaves, is merged with a stack of the clusters that are not merged yet, from left to right:
    numbers of firsts and seconds, and the ancestor shared with the next cluster. Returns the number
    of stages that were met. O(b) time.
    """
    stack = work.stack
    depth = 0
    last = run.size - 1
    for e in range(run.size):
        firsts = 1
        seconds = 0
        if work.is_second[e]:
            firsts = 0
            seconds = 1
        gap = np.int64(-1)
        if e < last:
            gap = np.int64(_ancestor(ancestors, run[e], run[e + 1]))
        # A deeper ancestor, of smaller id, merges first.
        while depth > 0 and (e == last or stack[depth - 1, 2] <= gap):
            depth -= 1
            pairs = stack[depth, 0] * seconds + stack[depth, 1] * firsts
            if pairs > 0:
                s = second_stage[stack[depth, 2]]
                if counts.pairs[s] == 0:
                    counts.met[n_met] = s
                    n_met += 1
                counts.pairs[s] += pairs
            firsts += stack[depth, 0]
            seconds += stack[depth, 1]
        stack[depth, 0] = firsts
        stack[depth, 1] = seconds
        stack[depth, 2] = gap
        depth += 1
    return n_met
