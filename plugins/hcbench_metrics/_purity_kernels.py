"""Compiled sum of the purities at which pairs of one class merge. It does not check its input."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import njit
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench_metrics._tree_kernels import TreeArrays, is_head, largest_children, leaf_of_path

if TYPE_CHECKING:
    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]


class Weights(NamedTuple):
    """Weights of leaves in the purity of a pair that merges at node v."""

    #: (m,) float64. Of the leaves of the two children that have an item of the pair.
    first: NDArray[np.float64]
    #: (m,) float64. Of the leaves of the other children.
    rest: NDArray[np.float64]


class ClassCounts(NamedTuple):
    """Numbers of leaves of each of C classes while a heavy path is walked up."""

    #: (C,) int64. Below the current node of the path.
    on_path: NDArray[np.int64]
    #: (C,) int64. In one light child; 0 before and after.
    in_child: NDArray[np.int64]
    #: (C,) int64. In all light children of the next node.
    joining: NDArray[np.int64]
    #: (C,) float64. Sum of the squares of the numbers in these children.
    squares: NDArray[np.float64]
    #: (C,) float64. Sum of their cubes.
    cubes: NDArray[np.float64]


@njit(cache=True)
def sum_of_purities(tree: TreeArrays, class_of: Ints, n_classes: int, weights: Weights) -> float:
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
    n = tree.order.size
    heavy = largest_children(tree)
    counts = ClassCounts(
        np.zeros(n_classes, np.int64),
        np.zeros(n_classes, np.int64),
        np.zeros(n_classes, np.int64),
        np.zeros(n_classes),
        np.zeros(n_classes),
    )
    total = 0.0
    for head in range(tree.parent.size - 1, -1, -1):
        if not is_head(tree.parent, heavy, head):
            continue
        # Up the path, from its leaf; the light children of each node join those below.
        v = leaf_of_path(heavy, head, n)
        counts.on_path[class_of[v]] = 1
        while v != head:
            below = v
            v = tree.parent[v]
            for at in range(tree.child_offsets[v], tree.child_offsets[v + 1]):
                child = tree.child_ids[at]
                if child != below:
                    _count_child(tree, child, class_of, counts)
            for at in range(tree.child_offsets[v], tree.child_offsets[v + 1]):
                child = tree.child_ids[at]
                if child != below:
                    total = _add_purities(total, tree, v, child, class_of, counts, weights)
        for position in range(tree.start[head], tree.end[head]):
            counts.on_path[class_of[tree.order[position]]] = 0
    return total


@register_jitable
def _count_child(tree: TreeArrays, child: int, class_of: Ints, counts: ClassCounts) -> None:
    """Add the numbers of leaves of a light child to those that join the path. O(its leaves)."""
    for position in range(tree.start[child], tree.end[child]):
        counts.in_child[class_of[tree.order[position]]] += 1
    for position in range(tree.start[child], tree.end[child]):
        c = class_of[tree.order[position]]
        if counts.in_child[c] > 0:
            size = float(counts.in_child[c])
            counts.squares[c] += size * size
            counts.cubes[c] += size * size * size
            counts.joining[c] += counts.in_child[c]
            counts.in_child[c] = 0


@register_jitable
def _add_purities(
    total: float,
    tree: TreeArrays,
    v: int,
    child: int,
    class_of: Ints,
    counts: ClassCounts,
    weights: Weights,
) -> float:
    """Add the purities of the pairs that merge at v, for the classes of one of its light children.

    A class of several light children is added with the first of them: its ``joining`` is then 0.
    """
    for position in range(tree.start[child], tree.end[child]):
        c = class_of[tree.order[position]]
        if counts.joining[c] == 0:
            continue
        # The heavy child is one of the children, too.
        on_path = float(counts.on_path[c])
        n_of_class = on_path + counts.joining[c]
        s2 = counts.squares[c] + on_path * on_path
        s3 = counts.cubes[c] + on_path * on_path * on_path
        pairs = (n_of_class * n_of_class - s2) / 2
        if n_of_class == tree.end[v] - tree.start[v]:  # pure, in any order
            total += pairs
        elif pairs > 0:
            in_pair = n_of_class * s2 - s3
            total += weights.first[v] * in_pair + weights.rest[v] * (n_of_class * pairs - in_pair)
        counts.on_path[c] += counts.joining[c]
        counts.joining[c] = 0
        counts.squares[c] = 0.0
        counts.cubes[c] = 0.0
    return total
