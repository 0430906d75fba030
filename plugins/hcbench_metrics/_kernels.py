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
def class_paths(parent: Ints, n: int) -> tuple[Ints, Ints, Ints]:
    """Classes of the leaves of a tree, and the ancestors of each class. O(n + length of all paths).

    Leaves with the same parent form a class. Returns the class (n,) of each leaf, offsets (K+1,)
    and inner nodes, counted from 0: class c has ``nodes[offsets[c]:offsets[c + 1]]`` from below.
    """
    m = parent.size
    code = np.full(m, -1, np.int64)
    member = np.empty(n, np.int64)
    n_classes = 0
    for i in range(n):
        if code[parent[i]] < 0:
            code[parent[i]] = n_classes
            member[n_classes] = i
            n_classes += 1
    depth = np.zeros(m, np.int64)  # inner nodes above
    for v in range(m - 2, -1, -1):
        depth[v] = depth[parent[v]] + 1
    offsets = np.zeros(n_classes + 1, np.int64)
    for c in range(n_classes):
        offsets[c + 1] = offsets[c] + depth[member[c]]
    nodes = np.empty(offsets[n_classes], np.int64)
    for c in range(n_classes):
        v = parent[member[c]]
        for at in range(offsets[c], offsets[c + 1]):
            nodes[at] = v - n
            v = parent[v]
    return code[parent[:n]], offsets, nodes


@njit(cache=True)
def _add_leaf(count: Ints, offsets: Ints, nodes: Ints, c: int, by: int) -> None:
    """Add ``by`` leaves of class c to the counts below each node of the truth."""
    for at in range(offsets[c], offsets[c + 1]):
        count[nodes[at]] += by


@njit(cache=True)
def _step(joining: Ints, below: Ints, offsets: Ints, nodes: Ints, c: int, size: int) -> int:
    """Concordant minus discordant pairs (j, k): j with i, of class c, in a cluster, k joining it.

    ``below`` has the cluster's counts by node of the truth, i included, and ``size`` leaves;
    ``joining`` those of the leaves that join in the next merge. Counts on the path of c are nested:
    rank b has the leaves below its b-th node but not the node before.
    """
    total = 0
    nearer = 1  # leaves of the cluster of smaller rank, and i
    joined_nearer = 0
    for at in range(offsets[c], offsets[c + 1]):
        q = nodes[at]
        at_rank = joining[q] - joined_nearer
        farther = size - below[q]
        total += at_rank * (nearer - 1 - farther)
        nearer = below[q]
        joined_nearer = joining[q]
    return total


@njit(cache=True)
def concordance_by_classes(
    parent: Ints,
    start: Ints,
    end: Ints,
    order: Ints,
    child_offsets: Ints,
    child_ids: Ints,
    classes: Ints,
    path_offsets: Ints,
    path_nodes: Ints,
    n_truth: int,
) -> Ints:
    """Concordant minus discordant pairs of the merge orders around each leaf (n,), by classes.

    ``classes`` (n,), ``path_offsets`` and ``path_nodes`` are the truth's `class_paths`, ``n_truth``
    its number of inner nodes. Where u is merged into v = parent[u], what the step adds is the same
    for all leaves of a class in u. Clusters are counted down the tree's heavy paths (largest child
    first): a light child is counted anew from its leaves, what remains is the heavy child's.

    Time O(L) for each node and class that occurs in it, so O(n K L) at most, and O(L n log n) in a
    balanced tree, for K classes and paths of length L. Memory O(n + n_truth).
    """
    n = order.size
    m = parent.size
    total = np.zeros(n, np.int64)
    n_classes = path_offsets.size - 1
    cluster = np.zeros(n_truth, np.int64)  # leaves of the present cluster by node of the truth
    light = np.zeros(n_truth, np.int64)  # those of one light child
    joining = np.zeros(n_truth, np.int64)  # those that join a child in the merge
    by_class = np.zeros(n_classes, np.int64)  # leaves of the present cluster
    so_far = np.zeros(
        n_classes, np.int64
    )  # sum of steps on this heavy path, for leaves still on it
    present = np.empty(n_classes, np.int64)  # classes in the present cluster
    step = np.zeros(n_classes, np.int64)
    stepped = np.full(n_classes, -1, np.int64)  # light child for which `step` holds

    heavy = np.full(m, -1, np.int64)  # largest child
    for v in range(m - 1):
        p = parent[v]
        if heavy[p] < 0 or end[v] - start[v] > end[heavy[p]] - start[heavy[p]]:
            heavy[p] = v

    for head in range(m - 1, -1, -1):
        if head < m - 1 and heavy[parent[head]] == head:
            continue
        if head < n:  # a light leaf: its steps were added when it was split off
            continue
        # Count the cluster at the head of the path.
        n_present = 0
        for position in range(start[head], end[head]):
            c = classes[order[position]]
            _add_leaf(cluster, path_offsets, path_nodes, c, 1)
            if by_class[c] == 0:
                present[n_present] = c
                n_present += 1
            by_class[c] += 1

        v = head
        while v >= n:
            u = heavy[v]
            # Light children: all else in v joins them.
            for at in range(child_offsets[v], child_offsets[v + 1]):
                child = child_ids[at]
                if child == u:
                    continue
                size = end[child] - start[child]
                for position in range(start[child], end[child]):
                    c = classes[order[position]]
                    _add_leaf(light, path_offsets, path_nodes, c, 1)
                for position in range(start[child], end[child]):
                    i = order[position]
                    c = classes[i]
                    if stepped[c] != child:
                        stepped[c] = child
                        for on in range(path_offsets[c], path_offsets[c + 1]):
                            q = path_nodes[on]
                            joining[q] = cluster[q] - light[q]
                        step[c] = _step(joining, light, path_offsets, path_nodes, c, size)
                        for on in range(path_offsets[c], path_offsets[c + 1]):
                            joining[path_nodes[on]] = 0
                    total[i] += so_far[c] + step[c]
                for position in range(start[child], end[child]):
                    c = classes[order[position]]
                    _add_leaf(light, path_offsets, path_nodes, c, -1)

            # The heavy child: the light ones join it.
            for at in range(child_offsets[v], child_offsets[v + 1]):
                child = child_ids[at]
                if child == u:
                    continue
                for position in range(start[child], end[child]):
                    c = classes[order[position]]
                    _add_leaf(joining, path_offsets, path_nodes, c, 1)
                    _add_leaf(cluster, path_offsets, path_nodes, c, -1)
                    by_class[c] -= 1
            kept = 0
            for at in range(n_present):
                c = present[at]
                if by_class[c] > 0:
                    so_far[c] += _step(
                        joining, cluster, path_offsets, path_nodes, c, end[u] - start[u]
                    )
                    present[kept] = c
                    kept += 1
                else:
                    so_far[c] = 0
            n_present = kept
            for at in range(child_offsets[v], child_offsets[v + 1]):
                child = child_ids[at]
                if child == u:
                    continue
                for position in range(start[child], end[child]):
                    c = classes[order[position]]
                    _add_leaf(joining, path_offsets, path_nodes, c, -1)
            v = u

        # The leaf at the end of the path.
        c = classes[v]
        total[v] += so_far[c]
        so_far[c] = 0
        by_class[c] = 0
        _add_leaf(cluster, path_offsets, path_nodes, c, -1)
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
