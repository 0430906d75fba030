"""Compiled counts of concordant pairs in two merge orders. They do not check their input.

Throughout, a tree of n leaves and m nodes is given by ``parent`` (m,), -1 for the root m-1, with
parents after their children, and by ``start`` and ``end`` (m,): node v's leaves are
``order[start[v]:end[v]]``, where ``order`` (n,) has the leaves from left to right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit
from numba.extending import register_jitable

from hcbench_metrics._kernels import merges_of
from hcbench_metrics._purity_kernels import largest_children

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]


@njit(cache=True)
def tied_pairs(parent: Ints, sizes: Ints, n: int) -> Ints:
    """For each leaf (n,), the pairs of other leaves that join it in one merge. O(m)."""
    tied = np.zeros(parent.size, np.int64)
    for v in range(parent.size - 2, -1, -1):
        joining = sizes[parent[v]] - sizes[v]
        tied[v] = tied[parent[v]] + joining * (joining - 1) // 2
    return tied[:n]


@register_jitable
def _count_leaves(
    count: Ints, above: Ints, classes: Ints, first: int, last: int, by: int | np.int64
) -> None:
    """Add ``by`` for each leaf of some positions to the counts below each node of the truth."""
    for position in range(first, last):
        q = classes[position]
        while q >= 0:
            count[q] += by
            q = above[q]


@register_jitable
def _step(whole: Ints, part: Ints, above: Ints, c: int, size: int) -> int:
    """Concordant minus discordant pairs (j, k): j already with i, of class c, and k joining them.

    ``part`` has the counts, by node of the truth, for the cluster of ``size`` leaves that contains
    i, including i; ``whole`` those after the merge. Counts on the path of c are nested: rank b has
    the leaves below its b-th node but not below the previous one.
    """
    total = 0
    nearer = 1  # i and the leaves of the part that have a smaller rank
    joining_nearer = 0
    q = c
    while q >= 0:
        joining = whole[q] - part[q]
        total += (joining - joining_nearer) * ((nearer - 1) - (size - part[q]))
        nearer = part[q]
        joining_nearer = joining
        q = above[q]
    return total


@register_jitable
def _step_of_table(whole: Ints, part: Ints, ranks: Ints, nearest: Ints, c: int, size: int) -> int:
    """As `_step`, for counts by class, where class b has rank ``ranks[b]``.

    ``nearest`` has the classes by increasing rank. O(K).
    """
    total = 0
    nearer = 0  # leaves of the part, excluding i, that have a smaller rank
    at = 0
    while at < nearest.size:
        rank = ranks[nearest[at]]
        tied = 0
        joining = 0
        while at < nearest.size and ranks[nearest[at]] == rank:
            b = nearest[at]
            tied += part[b]
            joining += whole[b] - part[b]
            if b == c:
                tied -= 1
            at += 1
        farther = size - 1 - nearer - tied
        total += joining * (nearer - farther)
        nearer += tied
    return total


@njit(cache=True)
def concordance_by_classes(
    parent: Ints,
    start: Ints,
    end: Ints,
    order: Ints,
    child_offsets: Ints,
    child_ids: Ints,
    class_of: Ints,
    above: Ints,
    ranks: Ints,
    nearest: Ints,
) -> Ints:
    """Concordant minus discordant pairs of the merge orders around each leaf (n,), by classes.

    Inner nodes of the truth are numbered from 0 here; ``above`` has their parents, negative for the
    root, and ``class_of`` (n,) the parents of the leaves: leaves of one parent are a class. When u
    is merged into v = parent[u], the contribution is the same for all leaves of a class in u.
    Clusters are counted down the tree's heavy paths (largest child first): each light child is
    counted again from its leaves, and subtracted to give the heavy child.

    If the ranks are not those of a tree, ``ranks`` (K, K) has the rank of class b around the leaves
    of class a, row a of ``nearest`` (K, K) has the classes by increasing rank, and ``above`` (K,)
    is negative. For a tree, ``ranks`` and ``nearest`` are empty.

    Time O(L) for each node and class in it, so at most O(n K L), and O(L n log n) in a balanced
    tree, for K classes at depths up to L; with a table, K replaces L. Memory O(n).
    """
    n = order.size
    m = parent.size
    n_truth = above.size
    by_table = ranks.size > 0
    classes = np.empty(n, np.int64)  # from left to right
    for at in range(n):
        classes[at] = class_of[order[at]]
    one, minus_one = np.int64(1), np.int64(-1)  # a literal would be a type of its own
    total = np.zeros(n, np.int64)
    # Leaves by node of the truth: below v on the heavy path, its heavy child, a light child.
    whole = np.zeros(n_truth, np.int64)
    heavy_part = np.zeros(n_truth, np.int64)
    light_part = np.zeros(n_truth, np.int64)
    # By class: leaves of the heavy child; sum of the steps down the path; step of a light child.
    members = np.zeros(n_truth, np.int64)
    so_far = np.zeros(n_truth, np.int64)
    step = np.zeros(n_truth, np.int64)
    step_is_of = np.zeros(n_truth, np.int64)  # 1 + light child of the current step
    present = np.empty(n_truth, np.int64)  # classes in the heavy child

    heavy = largest_children(parent, start, end)

    for head in range(m - 1, n - 1, -1):
        if head < m - 1 and heavy[parent[head]] == head:
            continue
        # Count the leaves at the head of a heavy path.
        for count in (whole, heavy_part):
            _count_leaves(count, above, classes, start[head], end[head], one)
        n_present = 0
        for position in range(start[head], end[head]):
            c = classes[position]
            if members[c] == 0:
                present[n_present] = c
                n_present += 1
            members[c] += 1

        v = head
        while v >= n:
            u = heavy[v]
            # Light children leave the path: their leaves get the sum so far and their own step.
            for at in range(child_offsets[v], child_offsets[v + 1]):
                child = child_ids[at]
                if child == u:
                    continue
                _count_leaves(light_part, above, classes, start[child], end[child], one)
                for position in range(start[child], end[child]):
                    c = classes[position]
                    if step_is_of[c] != child + 1:
                        step_is_of[c] = child + 1
                        size = end[child] - start[child]
                        if by_table:
                            step[c] = _step_of_table(
                                whole, light_part, ranks[c], nearest[c], c, size
                            )
                        else:
                            step[c] = _step(whole, light_part, above, c, size)
                    total[order[position]] += so_far[c] + step[c]
                _count_leaves(light_part, above, classes, start[child], end[child], minus_one)

            # The heavy child remains.
            sides = (start[v], start[u]), (end[u], end[v])
            for first, last in sides:
                _count_leaves(heavy_part, above, classes, first, last, minus_one)
                for position in range(first, last):
                    members[classes[position]] -= 1
            n_kept = 0
            for at in range(n_present):
                c = present[at]
                if members[c] > 0:
                    size = end[u] - start[u]
                    if by_table:
                        so_far[c] += _step_of_table(
                            whole, heavy_part, ranks[c], nearest[c], c, size
                        )
                    else:
                        so_far[c] += _step(whole, heavy_part, above, c, size)
                    present[n_kept] = c
                    n_kept += 1
                else:
                    so_far[c] = 0
            n_present = n_kept
            for first, last in sides:
                _count_leaves(whole, above, classes, first, last, minus_one)
            v = u

        # The path ends in leaf v.
        c = class_of[v]
        total[v] += so_far[c]
        so_far[c] = members[c] = 0
        for count in (whole, heavy_part):
            _count_leaves(count, above, classes, start[v], end[v], minus_one)
    return total


@njit(cache=True)
def concordance_by_rows(
    parent: Ints,
    start: Ints,
    end: Ints,
    order: Ints,
    truth_parent: Ints,
    truth_start: Ints,
    truth_end: Ints,
    truth_order: Ints,
    depth: Ints,
    shift: Ints,
    is_transposed: bool,
) -> tuple[Ints, Ints]:
    """As `concordance_by_classes`, one leaf at a time; also the pairs (n,) that the truth ties.

    The rank of j around i is the number of edges of the truth, whose nodes have ``depth`` (m,),
    from i up to the lowest common ancestor; if transposed, from j, plus ``shift[j]`` (n,), 0 or 1.
    The leaves that join i in one merge are compared with all that joined before, which are counted
    by rank in a binary indexed tree (Fenwick 1994). O(n^2 log L) time, O(n) memory.
    """
    n = order.size
    total = np.zeros(n, np.int64)
    tied = np.zeros(n, np.int64)
    merge = np.empty(n, np.int64)
    rank = np.empty(n, np.int64)
    counts = np.empty(depth.max() + 2, np.int64)
    for i in range(n):
        merges_of(truth_parent, truth_start, truth_end, truth_order, i, merge)
        largest = 0
        for j in range(n):
            if is_transposed:
                rank[j] = depth[j] - depth[merge[j]] + shift[j]
            else:
                rank[j] = depth[i] - depth[merge[j]]
            largest = max(largest, rank[j])
        counts[: largest + 1] = 0
        for j in range(n):
            if j != i:
                tied[i] += counts[rank[j]]
                counts[rank[j]] += 1
        counts[: largest + 1] = 0
        n_joined = 0
        v = i
        while parent[v] >= 0:
            p = parent[v]
            # Leaves of p to the left and to the right of v: all compared, then all counted.
            for at in range(end[p] - start[p] - end[v] + start[v]):
                position = start[p] + at
                if position >= start[v]:
                    position += end[v] - start[v]
                r = rank[order[position]]
                total[i] += _prefix_sum(counts, r - 1) - (n_joined - _prefix_sum(counts, r))
            for at in range(end[p] - start[p] - end[v] + start[v]):
                position = start[p] + at
                if position >= start[v]:
                    position += end[v] - start[v]
                r = rank[order[position]]
                while r <= largest:
                    counts[r] += 1
                    r += r & -r
            n_joined = end[p] - start[p] - 1
            v = p
    return total, tied


@register_jitable
def _prefix_sum(counts: Ints, rank: int) -> int:
    total = 0
    while rank > 0:
        total += counts[rank]
        rank -= rank & -rank
    return total
