"""Numbers of pairs, and sums over the leaves below each node of a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcbench import Tree

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

Number = TypeVar("Number", np.int64, np.float64)


def pairs_within(sizes: Ints) -> int:
    """Pairs of items inside clusters of these sizes."""
    return int((sizes * (sizes - 1) // 2).sum())


def merged_pairs(tree: Tree) -> Ints:
    """Pairs of leaves that merge at each node, (m,). O(m)."""
    return without_children(tree, tree.sizes * (tree.sizes - 1) // 2)


def without_children(tree: Tree, sums: NDArray[Number]) -> NDArray[Number]:
    """What each node has (m,) beyond the sum over its children. O(m)."""
    remaining = sums.copy()
    np.subtract.at(remaining, tree.parent[:-1], sums[:-1])
    return remaining


def sums_below(tree: Tree, values: Floats) -> Floats:
    """Sum over the leaves below each node (m,) of their values (n,). O(m)."""
    start, end = tree.leaf_range
    up_to = np.concatenate(([0.0], np.cumsum(values[tree.leaf_order])))
    sums: Floats = up_to[end] - up_to[start]
    return sums
