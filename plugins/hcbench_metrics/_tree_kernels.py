"""Arrays of a tree for compiled loops, and its heavy paths. They do not check their input.

A *heavy path* starts at the root, or at a node that is not the largest child of its parent, and
continues with the largest child of each node down to a leaf. The children that it leaves out, the
*light* ones, have at most half of the leaves of their parent, so each leaf is below at most log2(n)
of them: a loop that reads the leaves of all light children takes O(n log n) time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

if TYPE_CHECKING:
    from hcbench import Tree

Ints = NDArray[np.int64]


class TreeArrays(NamedTuple):
    """A tree of n leaves 0..n-1 and m nodes; the root is m-1, and parents are after children.

    The leaves below node v are ``order[start[v]:end[v]]``, and its children are
    ``child_ids[child_offsets[v]:child_offsets[v + 1]]``.
    """

    #: (m,) int64. -1 for the root.
    parent: Ints
    #: (m,) int64. Position of the first leaf of each node.
    start: Ints
    #: (m,) int64. Position after the last leaf of each node.
    end: Ints
    #: (n,) int64. The leaves from left to right.
    order: Ints
    #: (m+1,) int64.
    child_offsets: Ints
    #: (m-1,) int64. Children of one node are next to each other, by increasing id.
    child_ids: Ints


def arrays_of(tree: Tree) -> TreeArrays:
    """The arrays of a tree, without copies."""
    start, end = tree.leaf_range
    child_offsets, child_ids = tree.children_csr
    return TreeArrays(
        parent=tree.parent,
        start=start,
        end=end,
        order=tree.leaf_order,
        child_offsets=child_offsets,
        child_ids=child_ids,
    )


@register_jitable
def largest_children(tree: TreeArrays) -> Ints:
    """The child with the most leaves (m,), the first of several; -1 for a leaf. O(m)."""
    parent = tree.parent
    start = tree.start
    end = tree.end
    n_nodes = parent.size
    heavy = np.full(n_nodes, -1, np.int64)
    for v in range(n_nodes - 1):
        p = parent[v]
        largest = heavy[p]
        size = end[v] - start[v]
        if largest < 0 or size > end[largest] - start[largest]:
            heavy[p] = v
    return heavy


@register_jitable
def is_head(parent: Ints, heavy: Ints, v: int) -> bool:
    """Whether a heavy path starts at node v; ``heavy`` (m,) are the `largest_children`."""
    # Arrays instead of a tree, as it is asked for each node: a call copies all that it is given.
    is_root = v == parent.size - 1
    return is_root or heavy[parent[v]] != v


@register_jitable
def leaf_of_path(heavy: Ints, v: int, n: int) -> int:
    """The leaf at which the heavy path through node v ends. O(length of the path)."""
    while v >= n:
        v = heavy[v]
    return v
