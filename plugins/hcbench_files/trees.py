"""Trees read from files: Newick, and the merges of scipy, R and scikit-learn."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError, InvalidTreeError, Tree, read_number
from hcbench_files.tables import TABLES, is_number, read_npy, read_rows, read_text

NEWICK = (".nwk", ".newick", ".tree", ".tre", ".nex", ".nexus")
SUFFIXES = (*NEWICK, *TABLES, ".npy")

_FORMATS = (
    "a tree is a table of 4 columns (scipy's linkage), or of 2, or 3 with heights (the merge of "
    "R's hclust, or scikit-learn's children_)"
)


def read_tree(path: str | Path, names: Sequence[str] | None = None) -> Tree:
    """Read one tree.

    Parameters
    ----------
    path : str or path
        A file of Newick (.nwk, .newick, .tree, .tre) or Nexus (.nex, .nexus), or a table of merges
        (.csv, .tsv, .npy): four columns are scipy's linkage matrix; two are the ``merge`` of R's
        hclust if a number is negative, else scikit-learn's ``children_``; a third has the heights
        of either. A header, and a first column without a header, as R and pandas write them, are
        ignored.
    names : sequence of str, optional
        Of the items, in the order of the leaves. Newick labels are matched with them; the items of
        a table have these names in this order.

    Returns
    -------
    Tree
        With these names; by default, with the labels of a Newick file, and without names for a
        table. There is a `NewickWarning` if branch lengths cannot be heights.

    Raises
    ------
    DataError
        If the file cannot be read, has no tree, or a tree of other items: one line with its name.
    """
    path = Path(path).expanduser()
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise DataError(f"{path}: trees are read from {', '.join(SUFFIXES)} files")
    try:
        if suffix in NEWICK:
            tree = _tree_of_newick(path)
            return tree if names is None else tree.in_order_of(names)
        tree = _tree_of_merges(read_npy(path) if suffix == ".npy" else _read_numbers(path))
        return tree if names is None else _named(tree, names)
    except InvalidTreeError as error:
        raise DataError(f"{path}: {error}") from error


def _tree_of_newick(path: Path) -> Tree:
    text = read_text(path)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tree = Tree.from_newick(text)
    for warning in caught:
        warnings.warn(f"{path}: {warning.message}", warning.category, stacklevel=3)
    return tree


def _tree_of_merges(table: NDArray[Any]) -> Tree:
    if table.ndim != 2 or table.shape[1] not in (2, 3, 4):
        raise InvalidTreeError(f"{_FORMATS}; this one has shape {table.shape}")
    if table.dtype.kind not in "iuf":
        raise InvalidTreeError(f"{_FORMATS}, and of numbers; this one is of {table.dtype}")
    pairs = table[:, :2]
    heights = table[:, 2] if table.shape[1] == 3 else None
    if (pairs < 0).any() and table.shape[1] < 4:
        return Tree.from_hclust(pairs, heights)
    try:
        if table.shape[1] == 4:
            return Tree.from_linkage(table)
        return Tree.from_children(pairs, heights)
    except InvalidTreeError as error:
        if pairs.min(initial=1) == 1:
            raise InvalidTreeError(
                f"{error}; no item is 0: are they counted from 1, as in MATLAB? then subtract 1"
            ) from error
        raise


def _named(tree: Tree, names: Sequence[str]) -> Tree:
    if tree.n != len(names):
        raise InvalidTreeError(f"the tree has {tree.n} leaves, and there are {len(names)} items")
    return Tree(tree.parent, tree.height, tree.kind, names)


def _read_numbers(path: Path) -> NDArray[np.float64]:
    """The numbers of a table, without its header and its column of row names."""
    rows = read_rows(path)
    first = rows[0][1]
    has_header = not first[0] or not any(map(is_number, first))
    names = 1 if has_header and not first[0] else 0
    table = [
        [_number(path, line, cell) for cell in cells[names:]] for line, cells in rows[has_header:]
    ]
    return np.array(table, dtype=np.float64).reshape(len(table), len(first) - names)


def _number(path: Path, line: int, cell: str) -> float:
    number = read_number(cell)
    if number is None:
        raise DataError(f"{path}, line {line}: {cell!r} is not a number; {_FORMATS}")
    return number
