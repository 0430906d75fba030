"""Headers of several rows, such as those of a pandas MultiIndex, or of names above units."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

from hcbench import ModelWarning
from hcbench_datasets.cell_texts import is_missing_number, looks_numeric

_MOST_ROWS = 5  # of a header
_SHOWN = 3  # cells in a note
_LEAST_NUMERIC = 2  # columns of numbers that tell a second row of names from a row with mistakes

Cells = Sequence[str]
Rows = Sequence[Cells]


@dataclass(frozen=True, slots=True)
class HeaderRows:
    """The header of a table.

    Attributes
    ----------
    n_rows : int
        How many rows it has in the file.
    names : list of str
        Of the columns; several rows are joined with blanks.
    """

    n_rows: int
    names: list[str]


def find_header_rows(rows: Rows) -> HeaderRows:
    """Find the rows of the header of a table whose first row has names of columns.

    There are several if each has a text above all columns of numbers. One that has the names of the
    index and nothing else, as pandas writes it, belongs to the header as well.

    Parameters
    ----------
    rows : sequence of rows of cells
        The first of the table.
    """
    one_row = HeaderRows(1, list(rows[0]))
    widths = set(map(len, rows))
    # Rows of several lengths are those of a triangle, or are refused later.
    if len(rows) < 3 or len(widths) > 1:
        return one_row
    n_rows = _number_of_rows(rows)
    if n_rows == 1:
        return one_row
    header = list(rows[:n_rows])
    index_names: Cells = ()
    if n_rows > 2 and _names_index(header[-1]):
        index_names = header.pop()
    names = _joined(header)
    for position, name in enumerate(index_names):
        if name:
            names[position] = name
    return HeaderRows(n_rows, names)


def _number_of_rows(rows: Rows) -> int:
    """How many rows precede the numbers; 1 unless the others are names of columns, too."""
    n_rows = 1
    while n_rows < min(_MOST_ROWS, len(rows) - 1) and _belongs_to_header(rows, n_rows):
        n_rows += 1
    if n_rows == 1:
        return 1
    numeric = _numeric_columns(rows[n_rows:])
    if _is_header_of_pandas(rows[:n_rows], numeric) or _is_below_names(rows[:n_rows], numeric):
        return n_rows
    return 1


def _belongs_to_header(rows: Rows, place: int) -> bool:
    """Whether a row is above numbers and has none itself."""
    numeric = _numeric_columns(rows[place + 1 :])
    if not numeric:
        return False
    cells = rows[place]
    if not any(map(looks_numeric, _cells_at(cells, numeric))):
        return True
    # Below a single row of names this would be the first row of a triangle.
    return place > 1 and _names_index(cells)


def _numeric_columns(body: Rows) -> list[int]:
    """The columns of which all cells are numbers or missing, and one is a number."""
    columns = []
    for position, cells in enumerate(zip(*body, strict=True)):
        has_number = not all(map(is_missing_number, cells))
        if has_number and all(map(looks_numeric, cells)):
            columns.append(position)
    return columns


def _names_index(cells: Cells) -> bool:
    """Whether a row has texts in its first cells, and nothing in all others."""
    # Names of an index are in front, and nothing is behind them.
    n_filled = sum(map(bool, cells))
    if n_filled in (0, len(cells)):
        return False
    names = cells[:n_filled]
    return all(names) and not any(map(looks_numeric, names))


def _is_header_of_pandas(header: Rows, numeric: Sequence[int]) -> bool:
    """Whether names of the first row are repeated, or the columns of the index have no names."""
    first = set(_cells_at(header[0], numeric))
    if len(first) < len(numeric):
        return True
    index = _without(len(header[0]), numeric)
    n_levels = 0
    for cells in header:
        if _names_index(cells):
            continue
        n_levels += 1
        # A column of texts with a name is no index.
        if any(_cells_at(cells, index)):
            return False
    return n_levels > 1 and bool(index)


def _cells_at(cells: Cells, columns: Sequence[int]) -> list[str]:
    return [cells[column] for column in columns]


def _without(n: int, columns: Sequence[int]) -> list[int]:
    """The numbers of n columns without those of some."""
    return [column for column in range(n) if column not in columns]


def _is_below_names(header: Rows, numeric: Sequence[int]) -> bool:
    """Whether a second row has nothing but texts above numbers, such as units."""
    if len(header) != 2 or len(numeric) < _LEAST_NUMERIC:
        return False
    names, second = header
    # A text below a name of texts is rather an item.
    if any(_cells_at(second, _without(len(second), numeric))):
        return False
    units = _cells_at(second, numeric)
    is_below = all(units) and len(set(names)) == len(names)
    # The same text in all of them, such as ND, is rather an item without numbers.
    if not is_below or len(set(units)) == 1:
        return False
    warnings.warn(
        f"the second row ({', '.join(units[:_SHOWN])}, ...) is read as part of the header; remove "
        "it if it is none",
        ModelWarning,
        stacklevel=2,
    )
    return True


def _joined(header: Rows) -> list[str]:
    """The names of the columns, from the top; an empty cell of a row above repeats its neighbour.

    Spreadsheets show the name of several columns once.
    """
    parts: list[list[str]] = [[] for _ in header[0]]
    last = len(header) - 1
    for level, cells in enumerate(header):
        text = ""
        for cell, words in zip(cells, parts, strict=True):
            # In the last row, an empty cell has no name.
            if cell or level == last:
                text = cell
            if text and text not in words:
                words.append(text)
    return list(map(" ".join, parts))
