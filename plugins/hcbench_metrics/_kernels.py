"""Compiled passes over pairs of items. They trust their input; the modules beside check it.

Throughout, a tree of n leaves and m nodes is given by ``parent`` (m,), -1 for the root m-1, with
parents after their children, and by ``start`` and ``end`` (m,): node v's leaves are
``order[start[v]:end[v]]``, where ``order`` (n,) has the leaves from left to right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]


# ---- Similarity merged at each node ------------------------------------------------------------


@njit(cache=True)
def merged_of_matrix(parent: Ints, end: Ints, order: Ints, w: NDArray[np.floating[Any]]) -> Floats:
    """Sum of w (n, n) over the unordered pairs whose lowest common ancestor is v, for each v (m,).

    For each leaf, the leaves to its right in runs of one ancestor. O(n^2) time, O(m) memory.
    """
    merged = np.zeros(parent.size)
    for i in range(order.size):
        row = w[i]
        done = end[i]  # position up to which partners of i are merged
        v = parent[i]
        while v >= 0:
            total = 0.0
            for position in range(done, end[v]):
                total += row[order[position]]
            merged[v] += total
            done = end[v]
            v = parent[v]
    return merged


@njit(cache=True)
def add_merged_of_vectors(parent: Ints, sums: Floats, merged: Floats) -> None:
    """Add to ``merged`` (m,) the dot products of the pairs whose lowest common ancestor is v.

    ``sums`` (m, b) holds b columns of the vectors at the leaves, and 0 at inner nodes, where the
    sums below a node are left; pairs between clusters A and B sum to <sum of A, sum of B>. O(m b).
    """
    b = sums.shape[1]
    for v in range(parent.size - 1):
        p = parent[v]
        total = 0.0
        for k in range(b):
            total += sums[p, k] * sums[v, k]
            sums[p, k] += sums[v, k]
        merged[p] += total


@njit(cache=True)
def merged_of_columns(offsets: Ints, data: Floats, ancestors: Ints, m: int) -> Floats:
    """As `add_merged_of_vectors` for all columns of a sparse matrix. O(nnz) time.

    Column k has the values ``data[offsets[k]:offsets[k + 1]]`` (nnz,), leaves from left to right;
    ``ancestors`` (nnz,) is the lowest common ancestor of an entry's leaf and the next one's. These
    are the inner nodes of the tree restricted to the column's leaves, whose clusters are merged
    with a stack: a deeper ancestor, of smaller id, merges first.
    """
    merged = np.zeros(m)
    depth = 0
    for k in range(offsets.size - 1):
        depth = max(depth, offsets[k + 1] - offsets[k])
    sums = np.empty(depth)  # of clusters not merged yet, from left to right
    gaps = np.empty(depth, np.int64)  # ancestor that a cluster and the next one merge at
    for k in range(offsets.size - 1):
        top = 0
        for e in range(offsets[k], offsets[k + 1]):
            sums[top] = data[e]
            is_last = e + 1 == offsets[k + 1]
            while top > 0 and (is_last or gaps[top - 1] <= ancestors[e]):
                merged[gaps[top - 1]] += sums[top - 1] * sums[top]
                sums[top - 1] += sums[top]
                top -= 1
            gaps[top] = ancestors[e]
            top += 1
    return merged


# ---- Kendall's tau_b of the merge orders of two trees --------------------------------------------


@njit(cache=True)
def tied_pairs(parent: Ints, sizes: Ints, n: int) -> Ints:
    """For each leaf (n,), the unordered pairs of other leaves that join it in one merge. O(m)."""
    tied = np.zeros(parent.size, np.int64)
    for v in range(parent.size - 2, -1, -1):
        joining = sizes[parent[v]] - sizes[v]
        tied[v] = tied[parent[v]] + joining * (joining - 1) // 2
    return tied[:n]


@njit(cache=True)
def _count_leaves(count: Ints, above: Ints, classes: Ints, by: int) -> None:
    """Add ``by`` for each leaf, given by its class, to the counts below each node of the truth."""
    for c in classes:
        q = c
        while q >= 0:
            count[q] += by
            q = above[q]


@njit(cache=True)
def _step(whole: Ints, part: Ints, above: Ints, c: int, size: int) -> int:
    """Concordant minus discordant pairs (j, k): j together with i, of class c, and k joining them.

    ``part`` has the counts, by node of the truth, of the cluster of ``size`` leaves that i is in, i
    included; ``whole`` those after the merge. Counts on the path of c are nested: rank b has
    the leaves below its b-th node but not below the one before.
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
) -> Ints:
    """Concordant minus discordant pairs of the merge orders around each leaf (n,), by classes.

    Inner nodes of the truth are numbered from 0 here; ``above`` has their parents, negative for the
    root, and ``class_of`` (n,) the parents of the leaves: leaves of one parent are a class. Where u
    is merged into v = parent[u], what the step adds is the same for all leaves of a class in u.
    Clusters are counted down the tree's heavy paths (largest child first): a light child is
    counted anew from its leaves, what remains is the heavy child.

    Time O(L) for each node and class that occurs in it, so O(n K L) at most, and O(L n log n) in a
    balanced tree, for K classes at depths up to L. Memory O(n).
    """
    n = order.size
    m = parent.size
    n_truth = above.size
    classes = class_of[order]  # from left to right
    total = np.zeros(n, np.int64)
    # Leaves by node of the truth: of v on the heavy path, of its heavy child, of a light child.
    whole = np.zeros(n_truth, np.int64)
    heavy_part = np.zeros(n_truth, np.int64)
    light_part = np.zeros(n_truth, np.int64)
    # By class: leaves of the heavy child; steps on the path down to it; step of a light child.
    members = np.zeros(n_truth, np.int64)
    so_far = np.zeros(n_truth, np.int64)
    step = np.zeros(n_truth, np.int64)
    step_is_of = np.full(n_truth, -1, np.int64)  # light child
    present = np.empty(n_truth, np.int64)  # classes in the heavy child

    heavy = np.full(m, -1, np.int64)  # largest child
    for v in range(m - 1):
        p = parent[v]
        if heavy[p] < 0 or end[v] - start[v] > end[heavy[p]] - start[heavy[p]]:
            heavy[p] = v

    for head in range(m - 1, n - 1, -1):
        if head < m - 1 and heavy[parent[head]] == head:
            continue
        # Count the leaves at the head of a heavy path.
        in_head = classes[start[head] : end[head]]
        _count_leaves(whole, above, in_head, 1)
        _count_leaves(heavy_part, above, in_head, 1)
        n_present = 0
        for c in in_head:
            if members[c] == 0:
                present[n_present] = c
                n_present += 1
            members[c] += 1

        v = head
        while v >= n:
            u = heavy[v]
            # Light children leave the path: their leaves get the steps so far and their own.
            for at in range(child_offsets[v], child_offsets[v + 1]):
                child = child_ids[at]
                if child == u:
                    continue
                in_child = classes[start[child] : end[child]]
                _count_leaves(light_part, above, in_child, 1)
                for position in range(start[child], end[child]):
                    c = classes[position]
                    if step_is_of[c] != child:
                        step_is_of[c] = child
                        step[c] = _step(whole, light_part, above, c, in_child.size)
                    total[order[position]] += so_far[c] + step[c]
                _count_leaves(light_part, above, in_child, -1)

            # The heavy child is what remains.
            left, right = classes[start[v] : start[u]], classes[end[u] : end[v]]
            for side in (left, right):
                _count_leaves(heavy_part, above, side, -1)
                for c in side:
                    members[c] -= 1
            kept = 0
            for at in range(n_present):
                c = present[at]
                if members[c] > 0:
                    so_far[c] += _step(whole, heavy_part, above, c, end[u] - start[u])
                    present[kept] = c
                    kept += 1
                else:
                    so_far[c] = 0
            n_present = kept
            for side in (left, right):
                _count_leaves(whole, above, side, -1)
            v = u

        # The path has ended in leaf v.
        c = class_of[v]
        total[v] += so_far[c]
        so_far[c] = members[c] = 0
        for count in (whole, heavy_part):
            _count_leaves(count, above, class_of[v : v + 1], -1)
    return total


@njit(cache=True)
def _merges_of(parent: Ints, start: Ints, end: Ints, order: Ints, i: int, merge: Ints) -> int:
    """Write into ``merge`` (n,) the lowest common ancestor of i and each leaf, i itself for i.

    Returns the number of ancestors of i. O(n).
    """
    merge[i] = i
    v = i
    depth = 0
    while parent[v] >= 0:
        p = parent[v]
        for position in range(start[p], start[v]):
            merge[order[position]] = p
        for position in range(end[v], end[p]):
            merge[order[position]] = p
        v = p
        depth += 1
    return depth


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
) -> Ints:
    """As `concordance_by_classes`, one leaf at a time; for a deep truth and a deep result.

    The leaves that join i in one merge are compared with all that joined before, which are kept by
    rank in a binary indexed tree (Fenwick 1994). O(n^2 log L) time, O(n) memory.
    """
    n = order.size
    total = np.zeros(n, np.int64)
    merge = np.empty(n, np.int64)
    rank_of = np.zeros(truth_parent.size, np.int64)
    counts = np.empty(n + 1, np.int64)
    for i in range(n):
        depth = _merges_of(truth_parent, truth_start, truth_end, truth_order, i, merge)
        v = truth_parent[i]
        for rank in range(1, depth + 1):
            rank_of[v] = rank
            v = truth_parent[v]
        counts[: depth + 1] = 0
        seen = 0
        v = i
        while parent[v] >= 0:
            p = parent[v]
            # Leaves of p to the left and to the right of v: all compared, then all counted.
            for at in range(end[p] - start[p] - end[v] + start[v]):
                position = start[p] + at
                if position >= start[v]:
                    position += end[v] - start[v]
                rank = rank_of[merge[order[position]]]
                total[i] += _prefix_sum(counts, rank - 1) - (seen - _prefix_sum(counts, rank))
            for at in range(end[p] - start[p] - end[v] + start[v]):
                position = start[p] + at
                if position >= start[v]:
                    position += end[v] - start[v]
                rank = rank_of[merge[order[position]]]
                while rank <= depth:
                    counts[rank] += 1
                    rank += rank & -rank
            seen = end[p] - start[p] - 1
            v = p
    return total


@njit(cache=True)
def _prefix_sum(counts: Ints, rank: int) -> int:
    total = 0
    while rank > 0:
        total += counts[rank]
        rank -= rank & -rank
    return total


# ---- Merge heights ------------------------------------------------------------------------------


@njit(cache=True)
def range_of_leaves(parent: Ints, position: Ints) -> tuple[Ints, Ints]:
    """Smallest and largest of the positions (n,) of the leaves below each node, both (m,). O(m)."""
    m = parent.size
    n = position.size
    first = np.full(m, n, np.int64)
    last = np.full(m, -1, np.int64)
    first[:n] = position
    last[:n] = position
    for v in range(m - 1):
        p = parent[v]
        first[p] = min(first[p], first[v])
        last[p] = max(last[p], last[v])
    return first, last


@njit(cache=True)
def largest_difference(
    parent: Ints,
    start: Ints,
    end: Ints,
    order: Ints,
    height: Floats,
    truth_parent: Ints,
    truth_start: Ints,
    truth_end: Ints,
    truth_order: Ints,
    truth_height: Floats,
) -> float:
    """Maximum over pairs of |height of lca(i, j) - that in the truth|. O(n^2) time, O(n) memory.

    Equal heights differ by 0, infinite ones too.
    """
    n = order.size
    merge = np.empty(n, np.int64)
    true_merge = np.empty(n, np.int64)
    largest = 0.0
    for i in range(n):
        _merges_of(parent, start, end, order, i, merge)
        _merges_of(truth_parent, truth_start, truth_end, truth_order, i, true_merge)
        for j in range(i):
            found = height[merge[j]]
            true = truth_height[true_merge[j]]
            if found != true:
                largest = max(largest, abs(found - true))
    return largest
