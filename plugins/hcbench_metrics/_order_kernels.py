"""Compiled counts of concordant pairs in two merge orders. They do not check their input.

The merge order around leaf i ranks the other leaves by the node at which they merge with i; leaves
that merge with it at one node are tied. A pair (j, k) of other leaves is concordant if both orders
rank j before k, or both k before j, and discordant if they rank them differently.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench_metrics._counting_kernels import add_at, sum_up_to
from hcbench_metrics._kernels import merges_of
from hcbench_metrics._tree_kernels import TreeArrays, is_head, largest_children

Ints = NDArray[np.int64]


@njit(cache=True)
def tied_pairs(parent: Ints, sizes: Ints, n: int) -> Ints:
    """For each leaf (n,), the pairs of other leaves that join it in one merge. O(m)."""
    tied = np.zeros(parent.size, np.int64)
    for v in range(parent.size - 2, -1, -1):
        joining = sizes[parent[v]] - sizes[v]
        tied[v] = tied[parent[v]] + joining * (joining - 1) // 2
    return tied[:n]


# ---- By classes ----------------------------------------------------------------------------------


class TrueRanks(NamedTuple):
    """Ranks of K classes of leaves around each class: those of a true tree, or a table of them.

    Of a tree, the classes are the leaves of one parent; inner nodes are numbered from 0, and those
    of them that have no leaf as a child are classes without leaves. The rank of another leaf is the
    number of edges from the class up to the lowest common ancestor.
    """

    #: (n,) int64. The class of each leaf.
    class_of: Ints
    #: (K,) int64. The parent of each inner node of the tree; negative at the root, and in a table.
    above: Ints
    #: (K, K) int64. The rank of class b around the leaves of class a; empty for a tree.
    ranks: Ints
    #: (K, K) int64. Row a has the classes by increasing rank around class a; empty for a tree.
    nearest: Ints


class LeafCounts(NamedTuple):
    """Numbers of leaves below each of K nodes of the true tree or, in a table, of each class."""

    #: (K,) int64. Of the leaves below v, the current node of the heavy path.
    below: Ints
    #: (K,) int64. Of the leaves below its heavy child.
    in_heavy: Ints
    #: (K,) int64. Of the leaves below one of its light children; 0 before and after.
    in_light: Ints


class ClassSums(NamedTuple):
    """Concordant minus discordant pairs around the leaves of each class, down a heavy path.

    The pairs around a leaf are counted merge by merge. What a merge contributes is the same for all
    leaves of a class that are in one child.
    """

    #: (K,) int64. Numbers of leaves below the current node of the path.
    members: Ints
    #: (K,) int64. The sum of the merges down the path to the current node.
    so_far: Ints
    #: (K,) int64. The contribution of the current node to the leaves of a light child,
    step: Ints
    #: (K,) int64. and that child plus 1; 0 if there was none yet.
    step_child: Ints
    #: (K,) int64. The classes below the current node, of which there are ``n_present``.
    present: Ints


@njit(cache=True)
def concordance_by_classes(tree: TreeArrays, truth: TrueRanks) -> Ints:
    """Concordant minus discordant pairs of the merge orders around each leaf (n,), by classes.

    When u is merged into v = parent[u], the contribution is the same for all leaves of a class in
    u. Clusters are counted down the tree's heavy paths (largest child first): each light child is
    counted again from its leaves, and subtracted to give the heavy child.

    Time O(L) for each node and class in it, so at most O(n K L), and O(L n log n) in a balanced
    tree, for K classes at depths up to L; with a table, K replaces L. Memory O(n).
    """
    order = tree.order
    class_of = truth.class_of
    n = order.size
    classes = np.empty(n, np.int64)  # from left to right
    for at in range(n):
        classes[at] = class_of[order[at]]
    total = np.zeros(n, np.int64)
    n_classes = truth.above.size
    counts = LeafCounts(
        np.zeros(n_classes, np.int64),
        np.zeros(n_classes, np.int64),
        np.zeros(n_classes, np.int64),
    )
    sums = ClassSums(
        np.zeros(n_classes, np.int64),
        np.zeros(n_classes, np.int64),
        np.zeros(n_classes, np.int64),
        np.zeros(n_classes, np.int64),
        np.empty(n_classes, np.int64),
    )
    parent = tree.parent
    child_offsets = tree.child_offsets
    child_ids = tree.child_ids
    heavy = largest_children(tree)
    for head in range(heavy.size - 1, n - 1, -1):
        if not is_head(parent, heavy, head):
            continue
        n_present = _enter_path(tree, head, truth, classes, counts, sums)
        v = head
        while v >= n:
            u = heavy[v]
            for at in range(child_offsets[v], child_offsets[v + 1]):
                child = child_ids[at]
                if child != u:
                    _leave_path(tree, child, truth, classes, counts, sums, total)
            n_present = _stay_on_path(tree, v, u, truth, classes, counts, sums, n_present)
            v = u
        _end_path(tree, v, truth, classes, counts, sums, total)
    return total


@register_jitable
def _enter_path(
    tree: TreeArrays,
    head: int,
    truth: TrueRanks,
    classes: Ints,
    counts: LeafCounts,
    sums: ClassSums,
) -> int:
    """Count the leaves below the head of a path; return the number of their classes."""
    first = tree.start[head]
    last = tree.end[head]
    # The heavy child has all leaves until those of the light children are subtracted.
    _add_leaves(counts.below, truth.above, classes, first, last)
    _add_leaves(counts.in_heavy, truth.above, classes, first, last)
    members = sums.members
    present = sums.present
    n_present = 0
    for position in range(first, last):
        c = classes[position]
        if members[c] == 0:
            present[n_present] = c
            n_present += 1
        members[c] += 1
    return n_present


@register_jitable
def _leave_path(
    tree: TreeArrays,
    child: int,
    truth: TrueRanks,
    classes: Ints,
    counts: LeafCounts,
    sums: ClassSums,
    total: Ints,
) -> None:
    """Give the leaves of a light child the sum so far and the contribution of this merge."""
    first = tree.start[child]
    last = tree.end[child]
    order = tree.order
    below = counts.below
    in_light = counts.in_light
    so_far = sums.so_far
    step = sums.step
    step_child = sums.step_child
    _add_leaves(in_light, truth.above, classes, first, last)
    for position in range(first, last):
        c = classes[position]
        if step_child[c] != child + 1:
            step_child[c] = child + 1
            step[c] = _contribution(below, in_light, truth, c, last - first)
        total[order[position]] += so_far[c] + step[c]
    _subtract_leaves(in_light, truth.above, classes, first, last)


@register_jitable
def _stay_on_path(
    tree: TreeArrays,
    v: int,
    u: int,
    truth: TrueRanks,
    classes: Ints,
    counts: LeafCounts,
    sums: ClassSums,
    n_present: int,
) -> int:
    """Add the contribution of the merge at v to the classes of its heavy child u.

    Returns the number of the classes in u. Afterwards u is the current node.
    """
    # The leaves of the light children are to the left and to the right of those of u.
    first = tree.start[v]
    first_heavy = tree.start[u]
    last_heavy = tree.end[u]
    last = tree.end[v]
    above = truth.above
    below = counts.below
    in_heavy = counts.in_heavy
    members = sums.members
    so_far = sums.so_far
    present = sums.present
    _subtract_leaves(in_heavy, above, classes, first, first_heavy)
    _subtract_leaves(in_heavy, above, classes, last_heavy, last)
    for position in range(first, first_heavy):
        members[classes[position]] -= 1
    for position in range(last_heavy, last):
        members[classes[position]] -= 1
    size = last_heavy - first_heavy
    n_remaining = 0
    for at in range(n_present):
        c = present[at]
        if members[c] > 0:
            so_far[c] += _contribution(below, in_heavy, truth, c, size)
            present[n_remaining] = c
            n_remaining += 1
        else:
            so_far[c] = 0
    _subtract_leaves(below, above, classes, first, first_heavy)
    _subtract_leaves(below, above, classes, last_heavy, last)
    return n_remaining


@register_jitable
def _end_path(
    tree: TreeArrays,
    leaf: int,
    truth: TrueRanks,
    classes: Ints,
    counts: LeafCounts,
    sums: ClassSums,
    total: Ints,
) -> None:
    """Give the last leaf of a path its sum; all counts are 0 again."""
    c = truth.class_of[leaf]
    total[leaf] += sums.so_far[c]
    sums.so_far[c] = 0
    sums.members[c] = 0
    _subtract_leaves(counts.below, truth.above, classes, tree.start[leaf], tree.end[leaf])
    _subtract_leaves(counts.in_heavy, truth.above, classes, tree.start[leaf], tree.end[leaf])


@register_jitable
def _add_leaves(count: Ints, above: Ints, classes: Ints, first: int, last: int) -> None:
    """Count the leaves at some positions at their class, and at all nodes above it."""
    for position in range(first, last):
        q = classes[position]
        while q >= 0:
            count[q] += 1
            q = above[q]


@register_jitable
def _subtract_leaves(count: Ints, above: Ints, classes: Ints, first: int, last: int) -> None:
    """Undo `_add_leaves`."""
    for position in range(first, last):
        q = classes[position]
        while q >= 0:
            count[q] -= 1
            q = above[q]


@register_jitable
def _contribution(below: Ints, part: Ints, truth: TrueRanks, c: int, size: int) -> int:
    """Concordant minus discordant pairs (j, k): j already with i, of class c, and k joining them.

    ``part`` has the counts for the cluster of ``size`` leaves that contains i, including i;
    ``below`` those after the merge.
    """
    if truth.ranks.size > 0:
        return _contribution_by_table(below, part, truth.ranks[c], truth.nearest[c], c, size)
    return _contribution_by_tree(below, part, truth.above, c, size)


@register_jitable
def _contribution_by_tree(below: Ints, part: Ints, above: Ints, c: int, size: int) -> int:
    """As `_contribution`. Counts on the path of c are nested. O(L).

    Rank b has the leaves below the b-th node of the path but not below the previous one.
    """
    total = 0
    nearer = 1  # i and the leaves of the part that have a smaller rank
    joining_nearer = 0
    q = c
    while q >= 0:
        joining = below[q] - part[q]
        total += (joining - joining_nearer) * ((nearer - 1) - (size - part[q]))
        nearer = part[q]
        joining_nearer = joining
        q = above[q]
    return total


@register_jitable
def _contribution_by_table(
    below: Ints, part: Ints, ranks: Ints, nearest: Ints, c: int, size: int
) -> int:
    """As `_contribution`, for counts by class, where class b has rank ``ranks[b]``.

    ``nearest`` has the classes by increasing rank. O(K).
    """
    total = 0
    nearer = 0  # leaves of the part, excluding i, that have a smaller rank
    at = 0
    while at < nearest.size:
        # All classes of one rank.
        rank = ranks[nearest[at]]
        tied = 0
        joining = 0
        while at < nearest.size and ranks[nearest[at]] == rank:
            b = nearest[at]
            tied += part[b]
            joining += below[b] - part[b]
            if b == c:
                tied -= 1  # i itself
            at += 1
        farther = size - 1 - nearer - tied
        total += joining * (nearer - farther)
        nearer += tied
    return total


# ---- By rows -------------------------------------------------------------------------------------


@njit(cache=True)
def concordance_by_rows(
    tree: TreeArrays, truth: TreeArrays, depth: Ints, shift: Ints, is_transposed: bool
) -> tuple[Ints, Ints]:
    """As `concordance_by_classes`, one leaf at a time; also the pairs (n,) that the truth ties.

    The rank of j around i is the number of edges of the truth, whose nodes have ``depth`` (m,),
    from i up to the lowest common ancestor; if transposed, from j, plus ``shift[j]`` (n,), 0 or 1.
    The leaves that join i in one merge are compared with all that joined before, which are counted
    by rank in a binary indexed tree. O(n^2 log L) time, O(n) memory.
    """
    n = tree.order.size
    total = np.zeros(n, np.int64)
    tied = np.zeros(n, np.int64)
    merge = np.empty(n, np.int64)
    rank = np.empty(n, np.int64)
    counts = np.empty(depth.max() + 2, np.int64)
    for i in range(n):
        merges_of(truth, i, merge)
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
        total[i] = _compare_row(tree, i, rank, counts[: largest + 1])
    return total, tied


@register_jitable
def _compare_row(tree: TreeArrays, i: int, rank: Ints, counts: Ints) -> int:
    """Concordant minus discordant pairs around leaf i, where leaf j has ``rank[j]`` (n,).

    ``counts`` are zeros, from rank 0, which only i itself has, to the largest rank.
    """
    total = 0
    n_joined = 0
    v = i
    while tree.parent[v] >= 0:
        p = tree.parent[v]
        n_left = tree.start[v] - tree.start[p]
        n_joining = n_left + tree.end[p] - tree.end[v]
        # Leaves of p to the left and to the right of v: all compared, then all counted.
        for at in range(n_joining):
            position = tree.start[p] + at
            if at >= n_left:
                position += tree.end[v] - tree.start[v]
            r = rank[tree.order[position]]
            total += sum_up_to(counts, r - 1) - (n_joined - sum_up_to(counts, r))
        for at in range(n_joining):
            position = tree.start[p] + at
            if at >= n_left:
                position += tree.end[v] - tree.start[v]
            add_at(counts, rank[tree.order[position]], 1)
        n_joined += n_joining
        v = p
    return total
