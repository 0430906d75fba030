"""Headers of several rows, such as those of a pandas MultiIndex, or of names above units."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

from hcbench import ModelWarning
from hcbench_datasets.content import MISSING, looks_numeric

_MOST_ROWS = 5  # of a header
_LEAST_NUMERIC = 2  # columns of numbers that tell a second row of names from a row with mistakes


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


def find_header_rows(rows: Sequence[Sequence[str]]) -> HeaderRows:
    """Find the rows of the header of a table whose first row has names of columns.

    There are several if each has a text above all columns of numbers. One that has the names of the
    index and nothing else, as pandas writes it, belongs to the header as well.

    Parameters
    ----------
    rows : sequence of rows of cells
        The first of the table.
    """
    one_row = HeaderRows(1, list(rows[0]))
    width = len(rows[0])
    if len(rows) < 3 or any(len(cells) != width for cells in rows):
        return one_row
    n_rows = _number_of_rows(rows)
    if n_rows == 1:
        return one_row
    header = [list(cells) for cells in rows[:n_rows]]
    index_names: list[str] | None = None
    if n_rows > 2 and _names_index(header[-1]):
        index_names = header.pop()
    names = _joined(header)
    if index_names is not None:
        for position, name in enumerate(index_names):
            if name:
                names[position] = name
    return HeaderRows(n_rows, names)


def _number_of_rows(rows: Sequence[Sequence[str]]) -> int:
    """How many rows precede the numbers; 1 unless the others are names of columns, too."""
    for n_rows in range(2, min(_MOST_ROWS, len(rows) - 1) + 1):
        numeric = _numeric_columns(rows[n_rows:])
        if numeric and not any(looks_numeric(rows[n_rows - 1][column]) for column in numeric):
            continue
        # Below a single row of names this would be the first row of a triangle.
        if numeric and n_rows > 2 and _names_index(rows[n_rows - 1]):
            continue
        n_rows -= 1
        break
    if n_rows == 1:
        return 1
    numeric = _numeric_columns(rows[n_rows:])
    if _is_header_of_pandas(rows[:n_rows], numeric):
        return n_rows
    return n_rows if _is_below_names(rows[:n_rows], numeric) else 1


def _numeric_columns(body: Sequence[Sequence[str]]) -> list[int]:
    """The columns of which all cells are numbers or missing, and one is a number."""
    columns = []
    for position in range(len(body[0])):
        cells = [row[position] for row in body]
        has_number = any(cell.lower() not in MISSING for cell in cells)
        if has_number and all(map(looks_numeric, cells)):
            columns.append(position)
    return columns


def _names_index(cells: Sequence[str]) -> bool:
    """Whether a row has texts in its first cells, and nothing in all others."""
    filled = [position for position, cell in enumerate(cells) if cell]
    if not filled or len(filled) == len(cells):
        return False
    if any(looks_numeric(cells[position]) for position in filled):
        return False
    return filled == list(range(len(filled)))


def _is_header_of_pandas(header: Sequence[Sequence[str]], numeric: Sequence[int]) -> bool:
    """Whether names of the first row are repeated, or the columns of the index have no names."""
    first = [header[0][column] for column in numeric]
    if len(set(first)) < len(first):
        return True
    others = [column for column in range(len(header[0])) if column not in numeric]
    names = [cells for cells in header if not _names_index(cells)]
    if len(names) < 2 or not others:
        return False
    return not any(cells[column] for cells in names for column in others)


def _is_below_names(header: Sequence[Sequence[str]], numeric: Sequence[int]) -> bool:
    """Whether a second row has nothing but texts above numbers, such as units."""
    if len(header) != 2 or len(numeric) < _LEAST_NUMERIC:
        return False
    second = header[1]
    if any(second[column] for column in range(len(second)) if column not in numeric):
        return False
    units = [second[column] for column in numeric]
    is_below = all(units) and len(set(header[0])) == len(header[0])
    # The same text in all of them, such as ND, is rather an item without numbers.
    if not is_below or len(set(units)) == 1:
        return False
    warnings.warn(
        f"the second row ({', '.join(units[:3])}, ...) is read as part of the header; remove it if "
        "it is none",
        ModelWarning,
        stacklevel=2,
    )
    return True


def _joined(header: Sequence[list[str]]) -> list[str]:
    """The names of the columns, from the top; an empty cell of a row above repeats its neighbour.

    Spreadsheets show the name of several columns once.
    """
    parts: list[list[str]] = [[] for _ in header[0]]
    for level, cells in enumerate(header):
        text = ""
        for position, cell in enumerate(cells):
            if cell or level == len(header) - 1:
                text = cell
            if text and text not in parts[position]:
                parts[position].append(text)
    return [" ".join(words) for words in parts]
