"""Parents of trees: renumbered, restricted to some nodes, or made of nested classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hcbench.errors import InvalidTreeError
from hcbench.model.trees import _kernels
from hcbench.model.trees._kernels import read_only
from hcbench.model.trees.partition import first_appearance_codes
from hcbench.model.trees.validity import (
    check_leaves_first,
    count_children,
    is_topological,
    one_rooted,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def renumbered(parent: NDArray[np.int64], ids: NDArray[np.int64]) -> NDArray[np.int64]:
    """Parents of the nodes ``ids``, which become 0, 1, ...; their parents are among them, or -1."""
    new_id = np.full(parent.size, -1, dtype=np.int64)
    new_id[ids] = np.arange(ids.size)
    old_parent = parent[ids]
    return np.where(old_parent < 0, -1, new_id[old_parent])


def nearest_kept(parent: NDArray[np.int64], kept: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Lowest node with ``kept`` strictly above each node (m,), -1 where there is none."""
    return _kernels.nearest_kept(read_only(parent), read_only(kept))


def in_topological_order(
    parent: ArrayLike, *, collapse_unary: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number nodes, the first of which are the leaves, so that parents follow their children.

    Returns the parents in the new numbering and each node's old id. With ``collapse_unary`` nodes
    with one child are removed.
    """
    old_parent = one_rooted(parent)
    check_leaves_first(count_children(old_parent))
    order = _topological_order(old_parent)
    new_parent = renumbered(old_parent, order)
    if not collapse_unary:
        return new_parent, order
    kept = count_children(new_parent) != 1
    return renumbered(nearest_kept(new_parent, kept), np.flatnonzero(kept)), order[kept]


def _topological_order(parent: NDArray[np.int64]) -> NDArray[np.int64]:
    if is_topological(parent):
        return np.arange(parent.size)
    order = _kernels.topological_order(parent)
    if order.size < parent.size:
        in_order = np.zeros(parent.size, dtype=np.bool_)
        in_order[order] = True
        raise InvalidTreeError(
            f"following the parents of node {int(np.argmin(in_order))} leads into a cycle"
        )
    return order


def parents_of_levels(levels: ArrayLike) -> NDArray[np.int64]:
    """Parents (m,) of the tree of nested classes, ``levels`` (n, L), column 0 the coarsest."""
    table = np.asarray(levels)
    if table.ndim != 2 or table.shape[0] == 0:
        raise InvalidTreeError(
            f"levels must have shape (n, L), a row for each item, got {table.shape}"
        )
    codes = [first_appearance_codes(column) for column in table.T]
    return _parents_of_codes(np.array(codes, dtype=np.int64).reshape(-1, len(table)))


def _parents_of_codes(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Parents (m,) of the tree of nested classes given by ``codes`` (L, n). O(n (L + log n))."""
    n_levels, n = codes.shape
    order = np.lexsort(codes[::-1]) if n_levels else np.arange(n)
    differs = np.diff(codes[:, order], axis=1) != 0
    # Neighbours in sorted order agree in this many of the first columns.
    common = np.where(differs.any(axis=0), differs.argmax(axis=0) if n_levels else 0, n_levels)
    parent = np.full(2 * n - 1, -1, dtype=np.int64)
    m = n
    tops = order  # the highest node so far over each run of leaves
    for level in range(n_levels, -1, -1):
        run = np.concatenate(([0], np.cumsum(common < level)))  # tops of a run agree up to `level`
        merges = np.bincount(run) > 1
        new_tops = tops[np.concatenate(([True], common < level))]
        new_tops[merges] = np.arange(m, m + merges.sum())
        parent[tops[merges[run]]] = new_tops[run[merges[run]]]
        m += int(merges.sum())
        tops, common = new_tops, common[common < level]
    return parent[:m]
