"""The definition of a valid tree, and all its checks."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from hcbench.errors import InvalidTreeError
from hcbench.model.trees._kernels import read_only

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike, NDArray


def checked_parent(parent: ArrayLike) -> NDArray[np.int64]:
    """Return a read-only copy of parents (m,) that make a tree, numbered as one."""
    checked = one_rooted(parent)
    _check_numbering(checked)
    n_children = count_children(checked)
    _check_nothing_unary(n_children)
    check_leaves_first(n_children)
    return checked


def one_rooted(parent: ArrayLike) -> NDArray[np.int64]:
    """Return a read-only copy of parents (m,) in any numbering, with exactly one root."""
    given = np.asarray(parent)
    if given.ndim != 1 or given.size == 0 or given.dtype.kind not in "iu":
        raise InvalidTreeError(
            f"parent must be integers of shape (m,), m > 0, "
            f"got {given.dtype} of shape {given.shape}"
        )
    m = given.size
    checked = read_only(np.array(given, dtype=np.int64, order="C"))
    outside = np.flatnonzero((checked < -1) | (checked >= m))
    if outside.size:
        raise InvalidTreeError(
            f"the parent of node {outside[0]} is {checked[outside[0]]}; "
            f"give a node, 0..{m - 1}, or -1 for the root"
        )
    roots = np.flatnonzero(checked == -1)
    if roots.size != 1:
        roots_found = "no root" if roots.size == 0 else f"{roots.size} roots, nodes {_some(roots)}"
        raise InvalidTreeError(f"there is {roots_found}; exactly one node must have parent -1")
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


def _check_numbering(parent: NDArray[np.int64]) -> None:
    if is_topological(parent):
        return
    v = np.flatnonzero(parent[:-1] <= np.arange(parent.size - 1))[0]
    raise InvalidTreeError(
        f"the parent of node {v} is {parent[v]}, but a parent's id must be larger and the root "
        f"be node {parent.size - 1}; Tree.from_parents renumbers nodes and finds cycles"
    )


def _check_nothing_unary(n_children: NDArray[np.int64]) -> None:
    unary = np.flatnonzero(n_children == 1)
    if unary.size:
        raise InvalidTreeError(
            f"{unary.size} nodes have one child, nodes {_some(unary)}; "
            "Tree.from_parents removes them with collapse_unary=True"
        )


def checked_floats(values: ArrayLike, size: int | None, what: str) -> NDArray[np.float64]:
    """Return a read-only copy as numbers, of shape (size,) if a size is given."""
    try:
        numbers = np.array(values, dtype=np.float64, order="C")
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
            f"the height of {wrong.size} nodes is NaN, nodes {_some(wrong)}; "
            "give numbers, or a tree without heights"
        )
    return checked


def checked_names(names: Iterable[str], n: int) -> tuple[str, ...]:
    """Return n names, all different."""
    given = tuple(names)
    if isinstance(names, str) or not all(isinstance(name, str) for name in given):
        raise InvalidTreeError(f"names must be a list of strings, got {names!r:.60}")
    given = tuple(map(str, given))  # numpy's strings become plain ones
    if len(given) != n:
        raise InvalidTreeError(f"there are {len(given)} names for {n} leaves; give one for each")
    if len(set(given)) < n:
        twice = Counter(given).most_common(1)[0][0]
        raise InvalidTreeError(f"two leaves are named {twice!r}; give different names")
    return given


def _some(ids: NDArray[np.int64], most: int = 5) -> str:
    return ", ".join(map(str, ids[:most])) + (", ..." if ids.size > most else "")
