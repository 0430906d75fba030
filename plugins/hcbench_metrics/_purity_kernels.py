"""Compiled counts of classes at the nodes of a tree. They do not check their input.

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


@register_jitable
def largest_children(parent: Ints, start: Ints, end: Ints) -> Ints:
    """The child with the most leaves (m,), the first of several; -1 for a leaf. O(m)."""
    heavy = np.empty(parent.size, np.int64)
    for v in range(parent.size):
        heavy[v] = -1
    for v in range(parent.size - 1):
        p = parent[v]
        if heavy[p] < 0 or end[v] - start[v] > end[heavy[p]] - start[heavy[p]]:
            heavy[p] = v
    return heavy


@njit(cache=True)
def sum_of_purities(
    parent: Ints,
    start: Ints,
    end: Ints,
    order: Ints,
    child_offsets: Ints,
    child_ids: Ints,
    class_of: Ints,
    n_classes: int,
    first: Floats,
    rest: Floats,
) -> float:
    """Sum of the purities at which the pairs of one class, ``class_of`` (n,), merge.

    Node v has N leaves of class c, and its children a have n_a. The pairs of two children a and b
    have purity ``first[v] (n_a + n_b) + rest[v] (N - n_a - n_b)`` each; with S2 and S3 the sums of
    n_a^2 and n_a^3, all of them sum to

    ``first[v] (N S2 - S3) + rest[v] (N (N^2 - S2) / 2 - (N S2 - S3))``

    where weights that are NaN have no effect if there is no such pair, or all are of class c.

    A class that occurs only in the largest child merges nothing, so only the classes of the other
    children are visited, up the heavy paths: O(n log n) time for any number of classes, O(n)
    memory.
    """
    m = parent.size
    n = order.size
    heavy = largest_children(parent, start, end)
    # By class: leaves so far on the heavy path; in one light child; sums over the light children.
    count = np.zeros(n_classes, np.int64)
    part = np.zeros(n_classes, np.int64)
    squares = np.zeros(n_classes)
    cubes = np.zeros(n_classes)
    joined = np.zeros(n_classes, np.int64)
    total = 0.0
    for head in range(m - 1, -1, -1):
        if head < m - 1 and heavy[parent[head]] == head:
            continue
        v = head
        while v >= n:
            v = heavy[v]
        count[class_of[v]] = 1
        while v != head:
            u = v
            v = parent[v]
            for at in range(child_offsets[v], child_offsets[v + 1]):
                child = child_ids[at]
                if child == u:
                    continue
                for position in range(start[child], end[child]):
                    part[class_of[order[position]]] += 1
                for position in range(start[child], end[child]):
                    c = class_of[order[position]]
                    if part[c] > 0:
                        size = float(part[c])
                        squares[c] += size * size
                        cubes[c] += size * size * size
                        joined[c] += part[c]
                        part[c] = 0
            for at in range(child_offsets[v], child_offsets[v + 1]):
                child = child_ids[at]
                if child == u:
                    continue
                for position in range(start[child], end[child]):
                    c = class_of[order[position]]
                    if joined[c] == 0:
                        continue
                    on_path = float(count[c])
                    whole = on_path + joined[c]
                    s2 = squares[c] + on_path * on_path
                    s3 = cubes[c] + on_path * on_path * on_path
                    pairs = (whole * whole - s2) / 2
                    if whole == end[v] - start[v]:  # pure, in any order
                        total += pairs
                    elif pairs > 0:
                        in_pair = whole * s2 - s3
                        total += first[v] * in_pair + rest[v] * (whole * pairs - in_pair)
                    count[c] += joined[c]
                    joined[c] = 0
                    squares[c] = cubes[c] = 0.0
        for position in range(start[head], end[head]):
            count[class_of[order[position]]] = 0
    return total
