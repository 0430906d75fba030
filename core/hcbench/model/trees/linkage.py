"""Trees as matrices of merges, as in scipy, scikit-learn and R: checked, read and written.

Use `Tree.from_linkage`, `Tree.from_children`, `Tree.from_hclust` and `Tree.to_linkage`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hcbench.errors import InvalidTreeError
from hcbench.model.trees.heights import HeightKind, distances
from hcbench.model.trees.parents import checked_floats

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from hcbench.model.trees.tree import Tree


class Merges(NamedTuple):
    """The parts of a `Tree` except names: parents, heights with their kind, linkage, (m,) each."""

    parent: NDArray[np.int64]
    height: NDArray[np.float64] | None
    kind: HeightKind
    linkage: NDArray[np.float64] | None = None


def read_linkage(linkage: ArrayLike, kind: HeightKind, leaf_height: ArrayLike | None) -> Merges:
    """Read a linkage matrix (n-1, 4) whose distances are heights of the given kind."""
    rows = checked_floats(linkage, None, "a linkage matrix")
    if rows.ndim != 2 or rows.shape[1] != 4:
        raise InvalidTreeError(f"a linkage matrix has shape (n-1, 4), got {rows.shape}")
    parent, merged_at, n = _parents_of_merges(rows[:, :2]), rows[:, 2], len(rows) + 1
    if kind is HeightKind.NONE:
        return Merges(parent, None, kind)
    if kind is HeightKind.ORDER:
        return Merges(parent, _order(n), kind, np.concatenate((np.full(n, np.nan), merged_at)))
    leaves = _leaf_heights(leaf_height, n, kind)
    return Merges(parent, np.concatenate((leaves, merged_at)), kind)


def read_children(children: ArrayLike, distances: ArrayLike | None) -> Merges:
    """Read scikit-learn's ``children_`` (n-1, 2) and ``distances_`` (n-1,), if there are any."""
    return _merges_at(_parents_of_merges(_pairs(children, "children")), distances, "distances")


def read_hclust(merge: ArrayLike, height: ArrayLike | None) -> Merges:
    """Read the ``merge`` (n-1, 2) and ``height`` (n-1,), if there is any, of R's hclust."""
    return _merges_at(_parents_of_hclust(_pairs(merge, "merge")), height, "height")


def _pairs(values: ArrayLike, what: str) -> NDArray[np.float64]:
    pairs = checked_floats(values, None, what)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise InvalidTreeError(f"{what} has shape (n-1, 2), got {pairs.shape}")
    return pairs


def _merges_at(parent: NDArray[np.int64], distances: ArrayLike | None, what: str) -> Merges:
    """Merges at these distances (n-1,) or, if there are none, at their numbers from 1."""
    n = (parent.size + 1) // 2
    if distances is None:
        return Merges(parent, _order(n), HeightKind.ORDER)
    merged_at = checked_floats(distances, n - 1, what)
    return Merges(parent, np.concatenate((np.zeros(n), merged_at)), HeightKind.DISTANCE)


def _order(n: int) -> NDArray[np.float64]:
    return np.concatenate((np.zeros(n), np.arange(1.0, n)))


def _parents_of_hclust(pairs: NDArray[np.float64]) -> NDArray[np.int64]:
    """Parents (2n-1,) where -i is item i and r the cluster of row r, from 1."""
    _check_integers(pairs)
    n = len(pairs) + 1
    rows = np.arange(1, n)[:, None]
    wrong = np.flatnonzero(((pairs == 0) | (pairs < -n) | (pairs >= rows)).any(axis=1))
    if wrong.size:
        i = int(wrong[0])
        hint = "; 0 is neither, as both count from 1" if (pairs[i] == 0).any() else ""
        raise InvalidTreeError(
            f"row {i + 1} merges {pairs[i, 0]:.0f} and {pairs[i, 1]:.0f}, but there are only the "
            f"items -1..-{n} and the rows before it, 1..{i}{hint}"
        )
    merged = np.where(pairs < 0, -pairs - 1, n - 1 + pairs).astype(np.int64)
    used = np.bincount(merged.ravel())
    if (used > 1).any():
        k = int(used.argmax())
        what = f"item {-k - 1}" if k < n else f"row {k - n + 1}"
        raise InvalidTreeError(f"{what} is merged {used[k]} times, not once")
    return _parents(merged)


def _parents(merged: NDArray[np.int64]) -> NDArray[np.int64]:
    """Parents (2n-1,) where row i of ``merged`` (n-1, 2) has the children of node n+i."""
    n = len(merged) + 1
    parent = np.full(2 * n - 1, -1, dtype=np.int64)
    parent[merged] = np.arange(n, 2 * n - 1)[:, None]
    return parent


def _leaf_heights(given: ArrayLike | None, n: int, kind: HeightKind) -> NDArray[np.float64]:
    """Heights (n,) of the leaves, which a linkage matrix does not have."""
    if given is None and kind is HeightKind.AFFINITY:
        raise InvalidTreeError("leaves of an affinity tree have a height; give leaf_height")
    height = np.asarray(0.0 if given is None else given, dtype=np.float64)
    if height.shape not in ((), (n,)):
        raise InvalidTreeError(f"leaf_height has shape {height.shape}, expected ({n},)")
    return np.broadcast_to(height, n)


def write_linkage(tree: Tree) -> NDArray[np.float64]:
    """:meth:`Tree.to_linkage <hcbench.model.trees.Tree.to_linkage>`."""
    n = tree.n
    distance = distances(tree)
    _check_linkage_holds(tree, distance)
    is_monotone = (distance[:-1] <= distance[tree.parent[n:-1] - n]).all()
    row_node = np.argsort(distance, kind="stable") if is_monotone else np.arange(n - 1)
    cluster = np.arange(tree.n_nodes)
    cluster[n + row_node] = np.arange(n, tree.n_nodes)
    pairs = cluster[tree.child_ids].reshape(n - 1, 2)[row_node]
    sizes = tree.sizes[n:][row_node]
    return np.column_stack((np.sort(pairs, axis=1), distance[row_node], sizes)).astype(float)


def _check_linkage_holds(tree: Tree, distance: NDArray[np.float64]) -> None:
    if not tree.is_binary:
        raise InvalidTreeError(
            f"a linkage matrix holds binary trees; this one has {tree.n_nodes - tree.n} inner "
            f"nodes over {tree.n} leaves; write it as Newick"
        )
    if distance.size and distance.min() < 0:
        raise InvalidTreeError(
            f"a linkage matrix holds no negative distance, got {distance.min()}; shift them"
        )


def _parents_of_merges(pairs: NDArray[np.float64]) -> NDArray[np.int64]:
    """Parents (2n-1,) where row i of ``pairs`` (n-1, 2) merges two older clusters, each once."""
    _check_integers(pairs)
    merged = pairs.astype(np.int64)
    node = np.arange(len(pairs) + 1, 2 * len(pairs) + 1)
    wrong = np.flatnonzero((merged < 0).any(axis=1) | (merged >= node[:, None]).any(axis=1))
    if wrong.size:
        i = wrong[0]
        raise InvalidTreeError(
            f"row {i} merges {merged[i, 0]} and {merged[i, 1]}, but only the items and rows before "
            f"it, 0..{node[i] - 1}, exist then"
        )
    used = np.bincount(merged.ravel())
    if (used > 1).any():
        raise InvalidTreeError(f"cluster {used.argmax()} is merged {used.max()} times, not once")
    return _parents(merged)


def _check_integers(pairs: NDArray[np.float64]) -> None:
    if not (np.isfinite(pairs).all() and (pairs == np.floor(pairs)).all()):
        raise InvalidTreeError("the clusters that a row merges must be integers")
