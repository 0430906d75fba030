"""Trees made elsewhere, read from files: Newick, and the merges of scipy, R and scikit-learn."""

from __future__ import annotations

import csv
import io
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench.errors import DataError, InvalidTreeError
from hcbench.trees import Tree

NEWICK = (".nwk", ".newick", ".tree", ".tre")
TABLES = {".csv": ",", ".tsv": "\t"}
SUFFIXES = (*NEWICK, *TABLES, ".npy")

_FORMATS = (
    "a tree is a table of 4 columns (scipy's linkage), or of 2, or 3 with heights (the merge of "
    "R's hclust, or scikit-learn's children_)"
)


def read_tree(path: Path) -> Tree:
    """Read one tree.

    Parameters
    ----------
    path : Path
        A Newick file (.nwk, .newick, .tree, .tre), or a table of merges (.csv, .tsv, .npy): four
        columns are scipy's linkage matrix; two are the ``merge`` of R's hclust if a number is
        negative, else scikit-learn's ``children_``; a third has the heights of either. A header,
        and a first column without a header, as R and pandas write them, are left out.

    Returns
    -------
    Tree
        With the names of a Newick file; the leaves of a table have none. A `NewickWarning` says if
        branch lengths cannot be heights.

    Raises
    ------
    DataError
        If the file cannot be read or holds no tree: one line with its name.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise DataError(f"{path}: trees are read from {', '.join(SUFFIXES)} files")
    try:
        if suffix in NEWICK:
            return _tree_of_newick(path)
        return _tree_of_merges(read_npy(path) if suffix == ".npy" else _read_numbers(path))
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


# ---- Text and arrays -----------------------------------------------------------------------------


def read_text(path: Path) -> str:
    """The text of a file.

    Raises
    ------
    DataError
        If it cannot be read, or is not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not UTF-8; save it as UTF-8") from error


def read_npy(path: Path) -> NDArray[Any]:
    """The array of an .npy file.

    Raises
    ------
    DataError
        If it cannot be read, or is an archive or holds Python objects, which could run code.
    """
    try:
        with path.open("rb") as stream:
            loaded = np.load(stream, allow_pickle=False)
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}") from error
    except (ValueError, EOFError) as error:
        raise DataError(
            f"{path} is no array of numbers or text: save it with numpy.save"
        ) from error
    if not isinstance(loaded, np.ndarray):
        raise DataError(f"{path} is an archive of arrays; save one array with numpy.save")
    array: NDArray[Any] = loaded
    return array


def read_rows(path: Path) -> list[tuple[int, list[str]]]:
    """Rows of a .csv or .tsv file that are not blank, each with the number of its line.

    Raises
    ------
    DataError
        If it cannot be read, is empty, or its rows differ in length.
    """
    text, rows, line = io.StringIO(read_text(path), newline=""), [], 1
    reader = csv.reader(
        text, delimiter=TABLES[path.suffix.lower()], strict=True, skipinitialspace=True
    )
    try:
        for raw in reader:
            cells = [cell.strip() for cell in raw]
            if any(cells):
                rows.append((line, cells))
            line = reader.line_num + 1
    except csv.Error as error:
        raise DataError(f"{path}, line {line}: {error}; are the quotes closed?") from error
    if not rows:
        raise DataError(f"{path}: the file is empty")
    width = len(rows[0][1])
    for line, cells in rows:
        if len(cells) != width:
            raise DataError(
                f"{path}, line {line}: {len(cells)} cells, but the first row has {width}"
            )
    return rows


def _read_numbers(path: Path) -> NDArray[np.float64]:
    """The numbers of a table, without its header and its column of row names."""
    rows = read_rows(path)
    first = rows[0][1]
    has_header = not all(map(is_number, first))
    names = 1 if has_header and not first[0] else 0
    table = [
        [_number(path, line, cell) for cell in cells[names:]] for line, cells in rows[has_header:]
    ]
    return np.array(table, dtype=np.float64).reshape(len(table), len(first) - names)


def is_number(cell: str) -> bool:
    """Whether it reads as one."""
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _number(path: Path, line: int, cell: str) -> float:
    if not is_number(cell):
        raise DataError(f"{path}, line {line}: {cell!r} is not a number; {_FORMATS}")
    return float(cell)
