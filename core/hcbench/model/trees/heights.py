"""Heights of a tree: what they mean, and their conversion to distances and branch lengths."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from hcbench.errors import InvalidTreeError
from hcbench.model.trees._kernels import read_only, subtree_max

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcbench.model.trees.tree import Tree


class HeightKind(StrEnum):
    """What the heights of a tree mean."""

    DISTANCE = "distance"
    """Grows towards the root; usually 0 at the leaves. Need not be monotone (centroid linkage)."""
    AFFINITY = "affinity"
    """Grows towards the leaves, which have a height, too."""
    ORDER = "order"
    """The order of merging: 1, 2, ... at inner nodes, shared if simultaneous; 0 at leaves."""
    NONE = "none"
    """There are no heights."""


def distances(tree: Tree) -> NDArray[np.float64]:
    """Heights of the inner nodes, (m-n,), as distances that grow towards the root.

    Of a tree without heights, the number of levels below each node.
    """
    if tree.height is None:
        depth = read_only(tree.depths.astype(np.float64))
        return (subtree_max(tree.parent, depth) - depth)[tree.n :]
    inner = tree.height[tree.n :]
    if tree.kind is HeightKind.AFFINITY:
        highest = tree.height.max()
        distance = np.zeros(inner.size)
        # Not inf - inf: infinite affinities are at distance 0.
        np.subtract(highest, inner, where=inner < highest, out=distance)
        return distance
    return inner


def branch_lengths(tree: Tree) -> NDArray[np.float64] | None:
    """Lengths (m,) of the branches above the nodes: absolute differences of heights.

    None without heights.

    Raises
    ------
    InvalidTreeError
        If a height is infinite.
    """
    if tree.height is None:
        return None
    if not np.isfinite(tree.height).all():
        raise InvalidTreeError("infinite heights have no branch lengths; write with lengths=False")
    return np.abs(tree.height[tree.parent] - tree.height)
