"""Compiled passes over pairs of items. They do not check their input; their callers do.

Nodes of a tree are numbered as in `TreeArrays`: m nodes, of which 0..n-1 are leaves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit
from numba.extending import register_jitable

from hcbench_metrics._tree_kernels import TreeArrays

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]


# ---- Similarity merged at each node ------------------------------------------------------------


@njit(cache=True)
def merged_of_matrix(tree: TreeArrays, w: NDArray[np.floating[Any]]) -> Floats:
    """Sum of w (n, n) over the unordered pairs whose lowest common ancestor is v, for each v (m,).

    For each leaf, the leaves to its right are summed in runs with the same ancestor. O(n^2) time,
    O(m) memory.
    """
    merged = np.zeros(tree.parent.size)
    for i in range(tree.order.size):
        row = w[i]
        first = tree.end[i]  # position of the first partner that is not merged with i yet
        v = tree.parent[i]
        while v >= 0:
            total = 0.0
            for position in range(first, tree.end[v]):
                total += row[tree.order[position]]
            merged[v] += total
            first = tree.end[v]
            v = tree.parent[v]
    return merged


@njit(cache=True)
def add_merged_of_vectors(parent: Ints, sums: Floats, merged: Floats) -> None:
    """Add to ``merged`` (m,) the dot products of the pairs whose lowest common ancestor is v.

    ``sums`` (m, b) holds b columns of the vectors at the leaves, and 0 at inner nodes, which
    receive the sums below them; pairs between clusters A and B sum to <sum of A, sum of B>. O(m b).
    """
    b = sums.shape[1]
    for v in range(parent.size - 1):
        p = parent[v]
        total = 0.0
        # The parent has the sum of the children before v: each pair of clusters is counted once.
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
    depth = 0  # the most clusters that can be on the stack
    for k in range(offsets.size - 1):
        depth = max(depth, offsets[k + 1] - offsets[k])
    sums = np.empty(depth)  # of the clusters on the stack, from left to right
    gaps = np.empty(depth, np.int64)  # ancestor at which a cluster and the next one merge
    for k in range(offsets.size - 1):
        top = 0
        for e in range(offsets[k], offsets[k + 1]):
            sums[top] = data[e]
            is_last = e + 1 == offsets[k + 1]
            # Merge the clusters that are complete before the next leaf: all, after the last one.
            while top > 0 and (is_last or gaps[top - 1] <= ancestors[e]):
                merged[gaps[top - 1]] += sums[top - 1] * sums[top]
                sums[top - 1] += sums[top]
                top -= 1
            gaps[top] = ancestors[e]
            top += 1
    return merged


# ---- Merge heights ------------------------------------------------------------------------------


@register_jitable
def merges_of(tree: TreeArrays, i: int, merge: Ints) -> None:
    """Write into ``merge`` (n,) the lowest common ancestor of i and each leaf, i itself for i.

    O(n).
    """
    merge[i] = i
    v = i
    while tree.parent[v] >= 0:
        p = tree.parent[v]
        # The leaves of p on both sides of v.
        for position in range(tree.start[p], tree.start[v]):
            merge[tree.order[position]] = p
        for position in range(tree.end[v], tree.end[p]):
            merge[tree.order[position]] = p
        v = p


@njit(cache=True)
def range_of_leaves(parent: Ints, position: Ints) -> tuple[Ints, Ints]:
    """Smallest and largest of the positions (n,) of the leaves below each node, both (m,). O(m)."""
    m = parent.size
    n = position.size
    first = np.full(m, n, np.int64)
    last = np.full(m, -1, np.int64)
    for i in range(n):
        first[i] = position[i]
        last[i] = position[i]
    for v in range(m - 1):
        p = parent[v]
        first[p] = min(first[p], first[v])
        last[p] = max(last[p], last[v])
    return first, last


@njit(cache=True)
def largest_difference(
    tree: TreeArrays, height: Floats, truth: TreeArrays, true_height: Floats
) -> float:
    """Maximum over pairs of |height of lca(i, j) - that in the truth|. O(n^2) time, O(n) memory.

    Equal heights, also infinite ones, differ by 0.
    """
    n = tree.order.size
    merge = np.empty(n, np.int64)
    true_merge = np.empty(n, np.int64)
    largest = 0.0
    for i in range(n):
        merges_of(tree, i, merge)
        merges_of(truth, i, true_merge)
        for j in range(i):
            pair_height = height[merge[j]]
            true_pair_height = true_height[true_merge[j]]
            if pair_height != true_pair_height:  # the difference of infinite heights is NaN
                largest = max(largest, abs(pair_height - true_pair_height))
    return largest
