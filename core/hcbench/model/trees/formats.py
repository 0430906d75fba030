"""Matrices of merges, as in scipy, scikit-learn and R, as the arrays of a tree, and back.

Use the constructors of `Tree`, and `Tree.to_linkage`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from hcbench.errors import InvalidTreeError
from hcbench.model.trees.arrays import HeightKind, checked_floats

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


Ints: TypeAlias = "NDArray[np.int64]"
Floats: TypeAlias = "NDArray[np.float64]"

#: Negative distances up to this fraction of the largest are rounding errors of single precision,
#: and up to the second number those of cosines of equal vectors, where all distances are.
_ROUNDING = 1e-6
_ROUNDING_OF_ONE = 1e-14


def read_linkage(
    linkage: ArrayLike, kind: HeightKind, leaf_height: ArrayLike | None
) -> tuple[Ints, Floats | None, Floats | None]:
    """Parents, heights and linkage, (m,) each, of a matrix (n-1, 4) with heights of a kind."""
    rows = checked_floats(linkage, None, "a linkage matrix")
    if rows.ndim != 2 or rows.shape[1] != 4:
        raise InvalidTreeError(f"a linkage matrix has shape (n-1, 4), got {rows.shape}")
    parent = _parents_of_merges(rows[:, :2])
    merged_at = rows[:, 2]
    n = len(rows) + 1
    if kind is HeightKind.NONE:
        return parent, None, None
    if kind is HeightKind.ORDER:
        # Leaves do not merge, and have no linkage.
        return parent, _order(n), np.concatenate((np.full(n, np.nan), merged_at))
    if leaf_height is None:
        if kind is HeightKind.AFFINITY:
            raise InvalidTreeError("leaves of an affinity tree have a height; give leaf_height")
        leaf_height = 0.0
    leaves = np.asarray(leaf_height, dtype=np.float64)
    if leaves.shape not in ((), (n,)):
        raise InvalidTreeError(f"leaf_height has shape {leaves.shape}, expected ({n},)")
    if kind is HeightKind.DISTANCE:
        merged_at = _checked_distances(merged_at, float(leaves.min()))
    return parent, np.concatenate((np.broadcast_to(leaves, n), merged_at)), None


def read_merges(
    merges: ArrayLike,
    what: str,
    distances: ArrayLike | None,
    distances_what: str,
    *,
    from_r: bool = False,
) -> tuple[Ints, Floats, HeightKind]:
    """Parents and heights, (m,) each, of pairs (n-1, 2) merged at distances (n-1,) or in order.

    Parameters
    ----------
    merges, distances
        The arrays; without distances, heights are the numbers of the rows.
    what, distances_what
        The names of both arrays in messages.
    from_r
        Whether items and rows are numbered as in R's ``hclust``.
    """
    pairs = checked_floats(merges, None, what)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise InvalidTreeError(f"{what} has shape (n-1, 2), got {pairs.shape}")
    parent = _parents_of_merges(pairs, from_r=from_r)
    n = len(pairs) + 1
    if distances is None:
        return parent, _order(n), HeightKind.ORDER
    merged_at = _checked_distances(checked_floats(distances, n - 1, distances_what), 0.0)
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


def _parents_of_merges(pairs: Floats, *, from_r: bool = False) -> Ints:
    """Parents (2n-1,) where row i of ``pairs`` (n-1, 2) merges two older clusters, each once.

    Items are 0..n-1 and the clusters of rows n, n+1, ...; in R -1..-n, and 1, 2, ...
    """
    if not (np.isfinite(pairs).all() and (pairs == np.floor(pairs)).all()):
        raise InvalidTreeError("the clusters that a row merges must be integers")
    n = len(pairs) + 1
    nodes = np.arange(n, 2 * n - 1)
    ids = pairs
    if from_r:
        # -1 is item 0, and 1 the cluster of row 0.
        ids = np.where(pairs < 0, -pairs - 1, n - 1 + pairs)
    merged = ids.astype(np.int64)
    does_not_exist = (merged < 0) | (merged >= nodes[:, None])
    if from_r:
        does_not_exist |= (pairs == 0) | (pairs < -n)
    if does_not_exist.any():
        row = int(does_not_exist.any(axis=1).argmax())
        raise InvalidTreeError(_no_such_cluster(pairs, row, from_r=from_r))
    n_merges = np.bincount(merged.ravel())
    if (n_merges > 1).any():
        node = int(n_merges.argmax())
        cluster = f"cluster {node}"
        if from_r:
            # In the numbering of the user.
            cluster = f"row {node - n + 1}"
            if node < n:
                cluster = f"item {-node - 1}"
        raise InvalidTreeError(f"{cluster} is merged {n_merges[node]} times, not once")
    parent = np.full(2 * n - 1, -1, dtype=np.int64)
    parent[merged] = nodes[:, None]
    return parent


def _no_such_cluster(pairs: Floats, row: int, *, from_r: bool) -> str:
    """The message about a row, counted from 0, that merges what does not exist then."""
    n = len(pairs) + 1
    first, second = pairs[row]
    if from_r:
        hint = ""
        if 0 in pairs[row]:
            hint = "; 0 is neither, as both count from 1"
        existing = f"there are only the items -1..-{n} and the rows before it, 1..{row}{hint}"
        number = row + 1
    else:
        existing = f"only the items and rows before it, 0..{n + row - 1}, exist then"
        number = row
    return f"row {number} merges {first:.0f} and {second:.0f}, but {existing}"


def linkage_rows(parent: Ints, n: int, child_ids: Ints, sizes: Ints, distance: Floats) -> Floats:
    """The matrix (n-1, 4) of `Tree.to_linkage`.

    Parameters
    ----------
    parent
        (m,) parents of the nodes.
    n
        Number of leaves.
    child_ids
        (m-1,) children of the inner nodes, one after the other.
    sizes
        (m,) numbers of leaves below the nodes.
    distance
        (m-n,) distances at which the inner nodes merge.
    """
    n_nodes = parent.size
    if n_nodes != 2 * n - 1:
        raise InvalidTreeError(
            f"a linkage matrix holds binary trees; this one has {n_nodes - n} inner "
            f"nodes over {n} leaves; write it as Newick"
        )
    if distance.size and distance.min() < 0:
        raise InvalidTreeError(
            f"a linkage matrix holds no negative distance, got {distance.min()}; shift them"
        )
    # Rows by distance, unless a node would then come before one that it merges.
    is_monotone = (distance[:-1] <= distance[parent[n:-1] - n]).all()
    row_node = np.arange(n - 1)
    if is_monotone:
        row_node = np.argsort(distance, kind="stable")
    # The number of each node as scipy counts: leaves, then rows.
    cluster = np.arange(n_nodes)
    cluster[n + row_node] = np.arange(n, n_nodes)
    pairs = cluster[child_ids].reshape(n - 1, 2)[row_node]
    row_sizes = sizes[n:][row_node]
    columns = (np.sort(pairs, axis=1), distance[row_node], row_sizes)
    return np.column_stack(columns).astype(float)
