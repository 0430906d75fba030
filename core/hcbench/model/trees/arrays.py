"""The arrays of a tree: parents, heights, names and labels, checked and converted.

This is the definition of a valid tree. Parents are renumbered, restricted to some nodes, or made of
nested classes.
"""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from hcbench.errors import DataError, InvalidPartitionError, InvalidTreeError
from hcbench.model.arguments import one_of
from hcbench.model.arrays import as_plain_array
from hcbench.model.labels import check_labels
from hcbench.model.trees import _kernels
from hcbench.model.trees._kernels import read_only

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray


class HeightKind(StrEnum):
    """What the heights of a tree mean.

    Examples
    --------
    >>> tree = hcbench.Tree([2, 2, -1], height=[0, 0, 3], kind="distance")
    >>> tree.kind is HeightKind.DISTANCE
    True
    >>> [kind.value for kind in HeightKind]
    ['distance', 'affinity', 'order', 'none']
    """

    DISTANCE = "distance"
    """Grows towards the root; usually 0 at the leaves. Need not be monotone (centroid linkage)."""
    AFFINITY = "affinity"
    """Grows towards the leaves, which have a height, too."""
    ORDER = "order"
    """The order of merging: 1, 2, ... at inner nodes, shared if simultaneous; 0 at leaves."""
    NONE = "none"
    """There are no heights."""

    @classmethod
    def _missing_(cls, value: object) -> None:
        """Refuse what is no kind; `enum` calls this, and its own error lists no kinds."""
        one_of(value, "kind", [kind.value for kind in cls])


HeightKindName: TypeAlias = HeightKind | Literal["distance", "affinity", "order", "none"]
"""A kind of heights, or its name."""


# ---- Checks --------------------------------------------------------------------------------------


def checked_parent(parent: ArrayLike) -> NDArray[np.int64]:
    """Return a read-only copy of parents (m,) that make a tree, numbered as one."""
    checked = one_rooted(parent)
    if not is_topological(checked):
        v = np.flatnonzero(checked[:-1] <= np.arange(checked.size - 1))[0]
        raise InvalidTreeError(
            f"the parent of node {v} is {checked[v]}, but a parent's id must be larger and the "
            f"root be node {checked.size - 1}; Tree.from_parents renumbers nodes and finds cycles"
        )
    n_children = count_children(checked)
    unary = np.flatnonzero(n_children == 1)
    if unary.size:
        raise InvalidTreeError(
            f"{unary.size} nodes have one child, nodes {_first_ids(unary)}; "
            "Tree.from_parents removes them with collapse_unary=True"
        )
    check_leaves_first(n_children)
    return checked


def one_rooted(parent: ArrayLike) -> NDArray[np.int64]:
    """Return a read-only copy of parents (m,) in any numbering, with exactly one root."""
    array = as_plain_array(parent, "parent")
    if array.ndim != 1 or array.size == 0 or array.dtype.kind not in "iu":
        raise InvalidTreeError(
            f"parent must be integers of shape (m,), m > 0, "
            f"got {array.dtype} of shape {array.shape}"
        )
    m = array.size
    checked = read_only(np.array(array, dtype=np.int64, order="C"))
    outside = np.flatnonzero((checked < -1) | (checked >= m))
    if outside.size:
        raise InvalidTreeError(
            f"the parent of node {outside[0]} is {checked[outside[0]]}; "
            f"give a node, 0..{m - 1}, or -1 for the root"
        )
    roots = np.flatnonzero(checked == -1)
    if roots.size != 1:
        number = "is no root"
        if roots.size:
            number = f"are {roots.size} roots, nodes {_first_ids(roots)}"
        raise InvalidTreeError(
            f"there {number}; one node has parent -1, and a forest is joined below such a node"
        )
    return checked


def count_children(parent: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of children of each node, (m,)."""
    return np.bincount(parent[parent >= 0], minlength=parent.size)


def is_topological(parent: NDArray[np.int64]) -> bool:
    """Whether the root comes last and every other node before its parent."""
    return bool((parent[:-1] > np.arange(parent.size - 1)).all())


def check_leaves_first(n_children: NDArray[np.int64]) -> None:
    """Check that the nodes without children are 0..n-1."""
    childless = np.flatnonzero(n_children == 0)
    if childless[-1] >= childless.size:
        raise InvalidTreeError(
            f"node {childless[-1]} has no child, but only nodes 0..{childless.size - 1} can be the "
            f"{childless.size} leaves; give leaves the first ids"
        )


def checked_floats(values: ArrayLike, size: int | None, what: str) -> NDArray[np.float64]:
    """Return a read-only copy as numbers, of shape (size,) if a size is given."""
    try:
        numbers = np.array(as_plain_array(values, what), dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise InvalidTreeError(f"{what} must be an array of numbers: {error}") from None
    if size is not None and numbers.shape != (size,):
        raise InvalidTreeError(f"{what} has shape {numbers.shape}, expected ({size},)")
    return read_only(numbers)


def checked_height(height: ArrayLike, m: int) -> NDArray[np.float64]:
    """Return a read-only copy of heights (m,), none of them NaN."""
    checked = checked_floats(height, m, "height")
    wrong = np.flatnonzero(np.isnan(checked))
    if wrong.size:
        raise InvalidTreeError(
            f"the height of {wrong.size} nodes is NaN, nodes {_first_ids(wrong)}; "
            "give numbers, or a tree without heights"
        )
    return checked


def checked_names(names: Iterable[str], n: int) -> tuple[str, ...]:
    """Return n names, all different."""
    labels = tuple(names)
    if isinstance(names, str) or not all(isinstance(label, str) for label in labels):
        raise InvalidTreeError(f"names must be a list of strings, got {names!r:.60}")
    labels = tuple(map(str, labels))  # numpy's strings become plain ones
    if len(labels) != n:
        raise InvalidTreeError(f"there are {len(labels)} names for {n} leaves; give one for each")
    if len(set(labels)) < n:
        repeated = Counter(labels).most_common(1)[0][0]
        raise InvalidTreeError(f"two leaves are named {repeated!r}; give different names")
    return labels


def _first_ids(ids: NDArray[np.int64], most: int = 5) -> str:
    text = ", ".join(map(str, ids[:most]))
    if ids.size > most:
        text += ", ..."
    return text


# ---- Construction --------------------------------------------------------------------------------


def renumbered(parent: NDArray[np.int64], ids: NDArray[np.int64]) -> NDArray[np.int64]:
    """Parents of the nodes ``ids``, which become 0, 1, ...; their parents are among them, or -1."""
    new_id = np.full(parent.size, -1, dtype=np.int64)
    new_id[ids] = np.arange(ids.size)
    old_parent = parent[ids]
    return np.where(old_parent < 0, -1, new_id[old_parent])


def in_topological_order(
    parent: ArrayLike, *, collapse_unary: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number nodes, the first of which are the leaves, so that parents follow their children.

    Returns the parents in the new numbering and each node's old id. With ``collapse_unary`` nodes
    with one child are removed.
    """
    old_parent = one_rooted(parent)
    check_leaves_first(count_children(old_parent))
    order = np.arange(old_parent.size)
    if not is_topological(old_parent):
        order = _kernels.topological_order(old_parent)
        if order.size < old_parent.size:
            in_order = np.zeros(old_parent.size, dtype=np.bool_)
            in_order[order] = True
            raise InvalidTreeError(
                f"following the parents of node {int(np.argmin(in_order))} leads into a cycle"
            )
    new_parent = renumbered(old_parent, order)
    if not collapse_unary:
        return new_parent, order
    kept = read_only(count_children(new_parent) != 1)
    above = _kernels.nearest_kept(read_only(new_parent), kept)
    return renumbered(above, np.flatnonzero(kept)), order[kept]


def parents_of_levels(levels: ArrayLike) -> NDArray[np.int64]:
    """Parents (m,) of the tree of nested classes, ``levels`` (n, L), column 0 the coarsest."""
    table = as_plain_array(levels, "levels")
    if table.ndim != 2 or table.shape[0] == 0:
        raise InvalidTreeError(
            f"levels must have shape (n, L), a row for each item, got {table.shape}"
        )
    codes = [first_appearance_codes(column) for column in table.T]
    return _parents_of_codes(np.array(codes, dtype=np.int64).reshape(-1, len(table)))


def _parents_of_codes(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Parents (m,) of the tree of nested classes given by ``codes`` (L, n). O(n (L + log n))."""
    n_levels, n = codes.shape
    if n_levels == 0:
        order = np.arange(n)
        n_common = np.zeros(n - 1, dtype=np.int64)
    else:
        order = np.lexsort(codes[::-1])
        differs = np.diff(codes[:, order], axis=1) != 0
        # In how many of the first columns neighbours in sorted order agree.
        n_common = np.where(differs.any(axis=0), differs.argmax(axis=0), n_levels)
    parent = np.full(2 * n - 1, -1, dtype=np.int64)
    m = n
    # The items in sorted order are runs; `tops` has the highest node so far over each of them.
    tops = order
    for level in range(n_levels, -1, -1):
        # Runs whose neighbours agree in the first `level` columns are joined to one.
        is_boundary = n_common < level
        joined_run = np.concatenate(([0], np.cumsum(is_boundary)))
        gets_node = np.bincount(joined_run) > 1
        new_tops = tops[np.concatenate(([True], is_boundary))]
        new_tops[gets_node] = np.arange(m, m + gets_node.sum())
        has_new_parent = gets_node[joined_run]
        parent[tops[has_new_parent]] = new_tops[joined_run[has_new_parent]]
        m += int(gets_node.sum())
        tops = new_tops
        n_common = n_common[is_boundary]
    return parent[:m]


# ---- Labels --------------------------------------------------------------------------------------


Labels: TypeAlias = "NDArray[Any] | Sequence[Any]"


def first_appearance_codes(labels: Labels) -> NDArray[np.int64]:
    """Give labels the numbers 0, 1, ... in the order in which they first appear.

    Parameters
    ----------
    labels
        (n,) integers, strings or other hashable objects, n > 0.

    Returns
    -------
    NDArray[np.int64]
        (n,), a new array.

    Raises
    ------
    InvalidPartitionError
        As :class:`Partition`.
    """
    if isinstance(labels, np.ma.MaskedArray):
        labels = _without_mask(labels)
    items = labels if isinstance(labels, np.ndarray) else np.asarray(labels)
    if items.ndim != 1 or items.size == 0:
        raise InvalidPartitionError(
            f"labels must be one-dimensional and not empty, got shape {items.shape}; "
            "give one label for each item"
        )
    if items.dtype.kind in "fc":
        raise InvalidPartitionError(
            f"labels must be integers, strings or objects, got {items.dtype}; "
            "convert them, for instance with labels.astype(int)"
        )
    if items.dtype.kind in "iub":
        return _codes_of_sortable(items)
    # numpy converts a list that mixes strings with other objects to strings: use the list itself.
    objects = items.tolist() if items is labels else list(labels)
    try:
        check_labels(objects, "labels")
    except DataError as error:
        raise InvalidPartitionError(str(error)) from None
    return _codes_of_hashable(objects)


def _without_mask(labels: np.ma.MaskedArray[Any, Any]) -> NDArray[Any]:
    masked = np.flatnonzero(np.ma.getmaskarray(labels))
    if masked.size:
        raise InvalidPartitionError(
            f"the label of item {masked[0]} is masked ({masked.size} in all); fill it in, or drop "
            "the item"
        )
    return labels.data


def _codes_of_sortable(labels: NDArray[Any]) -> NDArray[np.int64]:
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(first.size, dtype=np.int64)
    rank[np.argsort(first)] = np.arange(first.size)
    return rank[codes]


def _codes_of_hashable(labels: Iterable[Any]) -> NDArray[np.int64]:
    code_of: dict[Any, int] = {}
    codes = [code_of.setdefault(label, len(code_of)) for label in labels]
    return np.array(codes, dtype=np.int64)
