"""Trees as matrices of merges, as in scipy, scikit-learn and R.

Use the constructors of `Tree`, and `Tree.to_linkage`. ``hcbench_files`` reads and writes Newick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from hcbench.errors import InvalidTreeError
from hcbench.model.trees.arrays import HeightKind, checked_floats, distances

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from hcbench.model.trees.tree import Tree


Floats: TypeAlias = "NDArray[np.float64]"

#: Negative distances up to this fraction of the largest are rounding errors of single precision,
#: and up to the second number those of cosines of equal vectors, where all distances are.
_ROUNDING = 1e-6
_ROUNDING_OF_ONE = 1e-14


def read_linkage(
    linkage: ArrayLike, kind: HeightKind, leaf_height: ArrayLike | None
) -> tuple[NDArray[np.int64], Floats | None, Floats | None]:
    """Parents, heights and linkage, (m,) each, of a matrix (n-1, 4) with heights of a kind."""
    rows = checked_floats(linkage, None, "a linkage matrix")
    if rows.ndim != 2 or rows.shape[1] != 4:
        raise InvalidTreeError(f"a linkage matrix has shape (n-1, 4), got {rows.shape}")
    parent, merged_at, n = _parents_of_merges(rows[:, :2]), rows[:, 2], len(rows) + 1
    if kind is HeightKind.NONE:
        return parent, None, None
    if kind is HeightKind.ORDER:
        return parent, _order(n), np.concatenate((np.full(n, np.nan), merged_at))
    if leaf_height is None and kind is HeightKind.AFFINITY:
        raise InvalidTreeError("leaves of an affinity tree have a height; give leaf_height")
    leaves = np.asarray(0.0 if leaf_height is None else leaf_height, dtype=np.float64)
    if leaves.shape not in ((), (n,)):
        raise InvalidTreeError(f"leaf_height has shape {leaves.shape}, expected ({n},)")
    if kind is HeightKind.DISTANCE:
        merged_at = _checked_distances(merged_at, float(leaves.min()))
    return parent, np.concatenate((np.broadcast_to(leaves, n), merged_at)), None


def read_merges(
    merges: ArrayLike, what: str, distances: ArrayLike | None, of_what: str, *, from_r: bool = False
) -> tuple[NDArray[np.int64], Floats, HeightKind]:
    """Parents and heights, (m,) each, of pairs (n-1, 2) merged at distances (n-1,) or in order."""
    pairs = checked_floats(merges, None, what)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise InvalidTreeError(f"{what} has shape (n-1, 2), got {pairs.shape}")
    parent, n = _parents_of_merges(pairs, from_r=from_r), len(pairs) + 1
    if distances is None:
        return parent, _order(n), HeightKind.ORDER
    merged_at = _checked_distances(checked_floats(distances, n - 1, of_what), 0.0)
    return parent, np.concatenate((np.zeros(n), merged_at)), HeightKind.DISTANCE


def _checked_distances(merged_at: Floats, leaf: float) -> Floats:
    """Distances at which rows merge: inversions are allowed, but none is below the leaves."""
    if not (merged_at < leaf).any():
        return merged_at
    largest = np.abs(merged_at[np.isfinite(merged_at)]).max(initial=0.0)
    row = int(np.nanargmin(merged_at))
    if merged_at[row] < leaf - max(_ROUNDING * largest, _ROUNDING_OF_ONE):
        raise InvalidTreeError(
            f"row {row}, counted from 0, merges at the distance {merged_at[row]:g}, below the "
            f"leaves, at {leaf:g}; turn similarities s into distances max(s) - s, or use "
            "Tree.from_linkage with kind='affinity' and leaf_height"
        )
    return np.maximum(merged_at, leaf)


def _order(n: int) -> Floats:
    return np.concatenate((np.zeros(n), np.arange(1.0, n)))


def _parents_of_merges(pairs: Floats, *, from_r: bool = False) -> NDArray[np.int64]:
    """Parents (2n-1,) where row i of ``pairs`` (n-1, 2) merges two older clusters, each once.

    Items are 0..n-1 and the clusters of rows n, n+1, ...; in R -1..-n, and 1, 2, ...
    """
    if not (np.isfinite(pairs).all() and (pairs == np.floor(pairs)).all()):
        raise InvalidTreeError("the clusters that a row merges must be integers")
    n = len(pairs) + 1
    nodes = np.arange(n, 2 * n - 1)
    ids = np.where(pairs < 0, -pairs - 1, n - 1 + pairs) if from_r else pairs
    merged = ids.astype(np.int64)
    wrong = (merged < 0) | (merged >= nodes[:, None])
    if from_r:
        wrong |= (pairs == 0) | (pairs < -n)
    if wrong.any():
        i = int(wrong.any(axis=1).argmax())
        if from_r:
            hint = "; 0 is neither, as both count from 1" if 0 in pairs[i] else ""
            known = f"there are only the items -1..-{n} and the rows before it, 1..{i}{hint}"
        else:
            known = f"only the items and rows before it, 0..{nodes[i] - 1}, exist then"
        one, other = pairs[i]
        raise InvalidTreeError(f"row {i + from_r} merges {one:.0f} and {other:.0f}, but {known}")
    used = np.bincount(merged.ravel())
    if (used > 1).any():
        k = int(used.argmax())
        named = f"cluster {k}"
        if from_r:
            named = f"item {-k - 1}" if k < n else f"row {k - n + 1}"
        raise InvalidTreeError(f"{named} is merged {used[k]} times, not once")
    parent = np.full(2 * n - 1, -1, dtype=np.int64)
    parent[merged] = nodes[:, None]
    return parent


def write_linkage(tree: Tree) -> Floats:
    """:meth:`Tree.to_linkage <hcbench.model.trees.Tree.to_linkage>`."""
    n = tree.n
    distance = distances(tree)
    if not tree.is_binary:
        raise InvalidTreeError(
            f"a linkage matrix holds binary trees; this one has {tree.n_nodes - n} inner "
            f"nodes over {n} leaves; write it as Newick"
        )
    if distance.size and distance.min() < 0:
        raise InvalidTreeError(
            f"a linkage matrix holds no negative distance, got {distance.min()}; shift them"
        )
    is_monotone = (distance[:-1] <= distance[tree.parent[n:-1] - n]).all()
    row_node = np.argsort(distance, kind="stable") if is_monotone else np.arange(n - 1)
    cluster = np.arange(tree.n_nodes)
    cluster[n + row_node] = np.arange(n, tree.n_nodes)
    pairs = cluster[tree.child_ids].reshape(n - 1, 2)[row_node]
    sizes = tree.sizes[n:][row_node]
    return np.column_stack((np.sort(pairs, axis=1), distance[row_node], sizes)).astype(float)
