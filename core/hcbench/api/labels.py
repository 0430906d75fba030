"""Class labels in files: a table with or without a header, and with or without names of items.

Whether the first row is a header is decided by what its cells are. Only where they are labels that
occur again below, and there is one row too many, is it taken for a header. ``FILE[header=false]``
overrules this.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench.errors import DataError
from hcbench.files.tables import is_number, read_npy, read_rows
from hcbench.model.labels import check_levels, class_texts
from hcbench.registry.names import parse_name

SUFFIXES = (".csv", ".tsv")
#: What pandas and numpy write for a missing label; "NA" may be a class.
_MISSING = frozenset(("", "nan", "NaN", "<NA>", "None"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """The labels in a file.

    Attributes
    ----------
    where : Path
        The file.
    table : (n, L) array
        The labels, the coarsest level first.
    names : tuple of str, optional
        The names of the items.
    note : str
        What was read as the header, for messages.
    """

    where: Path
    table: NDArray[Any]
    names: tuple[str, ...] | None = None
    note: str = ""


def read_labels(text: str, item_names: Sequence[str] | None, n: int) -> Labels:
    """Read labels (n, L), the coarsest first; the first column of a table may have the names.

    Parameters
    ----------
    text : str
        ``FILE``, or ``FILE[header=true]``, ``FILE[header=false]``.
    item_names : sequence of str, optional
        The names of the items in other files.
    n : int
        The number of items in other files.

    Returns
    -------
    Labels

    Raises
    ------
    DataError
        If the file cannot be read, or a label or name is missing; the message has its line.
    """
    path, header = _parse(text)
    suffix = path.suffix.lower()
    if suffix == ".npy":
        return _read_array(path)
    if suffix not in SUFFIXES:
        raise DataError(f"{path}: labels are read from {', '.join(SUFFIXES)} and .npy files")
    rows = _rows(path)
    first = rows[0][1]
    # What the caller says, what the cells tell, or else what the number of rows tells.
    is_header = header
    if is_header is None:
        is_header = _is_header(rows, item_names)
    if is_header is None:
        is_header = len(rows) == n + 1
    body = rows
    columns = [f"column {i}" for i in range(1, len(first) + 1)]
    if is_header:
        body = rows[1:]
        columns = first
    if not body:
        raise DataError(f"{path}: there are no labels below the header {first[0]!r}")
    _check_complete(path, body)
    first_column = [cells[0] for _, cells in body]
    is_below_empty_cell = is_header and not first[0]
    has_names = len(first) > 1 and (is_below_empty_cell or _is_index(first_column, item_names))
    names = None
    if has_names:
        # Items are matched by name, so that a name may occur once only.
        _check_distinct(path, body)
        names = tuple(first_column)
    note = ""
    # A guess is said in messages about the number of items, which a wrong one changes by one.
    if header is None and first[0]:
        note = _note_on_first(path, rows[0], is_header=is_header)
    # The first column has names, or labels.
    table = _levels_of(path, body, columns, int(has_names))
    return Labels(where=path, table=table, names=names, note=note)


def _read_array(path: Path) -> Labels:
    """The labels in a file of numpy."""
    table = read_npy(path)
    if table.ndim not in (1, 2) or table.size == 0:
        raise DataError(f"{path}: labels are (n,) or (n, L), these are {table.shape}")
    return Labels(where=path, table=table.reshape(len(table), -1))


def _check_complete(path: Path, body: Sequence[tuple[int, list[str]]]) -> None:
    for line, cells in body:
        for cell in cells:
            if cell in _MISSING:
                raise DataError(
                    f"{path}, line {line}: a label or name is missing ({cell!r}); fill it in, or "
                    "drop the item everywhere"
                )


def _levels_of(
    path: Path, body: Sequence[tuple[int, list[str]]], columns: Sequence[str], begin: int
) -> NDArray[Any]:
    """The labels in the columns from one on, (n, L)."""
    # The row of a message is that of the file, which has a header and maybe empty lines.
    places = [f"line {line}" for line, _ in body]
    levels = []
    for position in range(begin, len(columns)):
        texts = [cells[position] for _, cells in body]
        levels.append(class_texts(texts, places, f"{path}: {columns[position]!r}"))
    table = np.column_stack(levels)
    check_levels(table, columns[begin:], str(path), _order_of_columns)
    return table


def _note_on_first(path: Path, row: tuple[int, list[str]], *, is_header: bool) -> str:
    """As what the first row was read, and how to say that it is something else."""
    line, cells = row
    kind = "the header" if is_header else "a label"
    alternative = "false" if is_header else "true"
    content = ",".join(cells)
    return (
        f"; line {line} of {path}, {content!r:.60}, is read as {kind}: if it is not, write "
        f"'{path}[header={alternative}]'"
    )


def _parse(text: str) -> tuple[Path, bool | None]:
    """The path, and whether there is a header, if that is given."""
    path = Path(text).expanduser()
    # A file whose own name ends in brackets is meant as it is.
    if not text.endswith("]") or path.exists():
        return path, None
    name = parse_name(text)
    for key in name.params:
        if key != "header":
            raise DataError(f"{text}: labels have the parameter header, not {key}")
    header = name.params["header"]
    if not isinstance(header, bool):
        raise DataError(f"{text}: header is true or false, not {header!r}")
    return Path(name.base).expanduser(), header


def _rows(path: Path) -> list[tuple[int, list[str]]]:
    """All rows of one length; a line that is empty is a row with an empty label."""
    rows = read_rows(path)
    # The reader skips empty lines. In a table of several columns, these mean nothing.
    if len(rows[0][1]) == 1:
        _check_no_gap(path, rows)
    return rows


def _check_no_gap(path: Path, rows: Sequence[tuple[int, list[str]]]) -> None:
    """Refuse an empty line between labels, which in one column is a missing label."""
    expected = 1
    for line, cells in rows:
        if line > expected:
            raise DataError(
                f"{path}, line {expected}: a label is missing; fill it in, or drop the item "
                "everywhere"
            )
        # A quoted cell may extend over several lines.
        expected = line + 1 + cells[0].count("\n")


def _is_header(
    rows: Sequence[tuple[int, list[str]]], item_names: Sequence[str] | None
) -> bool | None:
    """Whether the first row is a header; None if its cells could be labels, too.

    It is if its first cell is empty, as pandas and R write it above an index; if it is no name
    where all others are names of items; if it has a text above numbers, or a number above texts;
    or if none of its cells occurs again in its column.
    """
    first = rows[0][1]
    below = [cells for _, cells in rows[1:]]
    if not below:
        # A file of one row has one label, and not a header without labels.
        return False
    if len(first) > 1:
        if not first[0]:
            return True
        first_column = {cells[0] for cells in below}
        if item_names and first_column & set(item_names):
            return first[0] not in item_names
    is_new = []
    for position, cell in enumerate(first):
        column = _entries_of(below, position)
        n_numbers = _count_numbers(column)
        # How many entries are of the other kind than the first: a text, or a number.
        n_different = n_numbers
        if is_number(cell):
            n_different = len(column) - n_numbers
        if n_different == len(column):
            # A number above texts, or a text above numbers.
            return True
        is_new.append(cell not in column)
    # A number above other numbers may be a class of one item.
    has_text = _count_numbers(first) < len(first)
    if all(is_new) and has_text:
        return True
    return None


def _entries_of(rows: Sequence[list[str]], position: int) -> list[str]:
    """The entries of a column, without missing ones, which are neither numbers nor texts."""
    entries = []
    for cells in rows:
        if cells[position] not in _MISSING:
            entries.append(cells[position])
    return entries


def _count_numbers(cells: Sequence[str]) -> int:
    """How many cells are numbers."""
    count = 0
    for cell in cells:
        if is_number(cell):
            count += 1
    return count


def _is_index(column: Sequence[str], item_names: Sequence[str] | None) -> bool:
    """Whether these are names of items, not their coarsest labels."""
    entries = set(column)
    if len(entries) == len(column):
        return True
    return item_names is not None and not entries.isdisjoint(item_names)


def _check_distinct(path: Path, body: Sequence[tuple[int, list[str]]]) -> None:
    count: Counter[str] = Counter()
    for _, cells in body:
        count[cells[0]] += 1
    for line, cells in body:
        if count[cells[0]] > 1:
            raise DataError(
                f"{path}, line {line}: {count[cells[0]]} items are named {cells[0]!r}; give "
                "different names"
            )


def _order_of_columns(names: Sequence[str]) -> str:
    """How to correct the order of levels, by the names of their columns from coarse to fine."""
    listed = ", ".join(map(repr, names))
    return f"write the columns in the order {listed}"
