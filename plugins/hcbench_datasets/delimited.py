"""Delimited text, and other rows of texts, as tables: their header and columns.

Text is read with the csv module, as `pandas.read_csv` neither tells the line of a cell, nor refuses
a line with too few cells, nor reads each number to the last digit in all of its versions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError
from hcbench.files import table_rows
from hcbench.model import are_codes
from hcbench_datasets.cell_texts import numbers_of
from hcbench_datasets.content import Column, Table, names_of, with_texts
from hcbench_datasets.dialects import (
    SAMPLE,
    check_no_other_text,
    find_decimal_mark,
    find_delimiter,
    first_rows,
    n_rows_of_title,
    with_points,
    without_comments,
)
from hcbench_datasets.encoded import may_have_blanks
from hcbench_datasets.file_names import pasted_name
from hcbench_datasets.header_rows import HeaderRows, find_header_rows
from hcbench_datasets.headers import has_header
from hcbench_datasets.lists import spread_texts
from hcbench_datasets.printed import printed_rows
from hcbench_datasets.triangles import padded_rows, triangle_of

_DELIMITER_NAMES = {"\t": "tab", ",": "comma", ";": "semicolon", "|": "bar", " ": "blank"}
_BLOCK = 10_000  # lines whose cells are in memory as texts
_SHOWN_CELLS = 6

Row = tuple[int, list[str]]  # line number, from 1, and cells
AllRows = Callable[[], Iterable[Row]]  # what returns the rows from the first on, again and again


def table_of_text(
    path: Path,
    text: str,
    texts: Collection[str],
    header: bool | None,
    delimiter: str | None,
    decimal: str | None,
    encoding: str,
) -> Table:
    """The table in delimited text."""
    check_no_other_text(path, text)
    text = without_comments(text)
    if may_have_blanks(path):
        if delimiter is None:
            printed = printed_rows(path, text)
            if printed is not None:
                rows = partial(iter, printed)
                form = "printed columns"
                return table_of_rows(
                    path, rows, texts, header=True, decimal=".", line="line", form=form
                )
        # fastText ends each line with a blank, behind which there is no cell.
        text = re.sub(r" +$", "", text, flags=re.MULTILINE)
    if delimiter is None:
        delimiter = find_delimiter(path, text)
    if decimal is None:
        start = first_rows(path, delimiter, text)
        # A title may have points and commas of sentences.
        decimal = find_decimal_mark(path, start[n_rows_of_title(start) :], delimiter)
    delimiter_name = _DELIMITER_NAMES.get(delimiter, repr(delimiter))
    mark = "point"
    if decimal == ",":
        mark = "comma"
    form = f"{delimiter_name}-separated, decimal {mark}, {encoding}"
    rows = partial(table_rows, path, delimiter, text)
    if header is None and _is_first_row_quoted(text, list(islice(rows(), 2))):
        header = True
    return table_of_rows(path, rows, texts, header=header, decimal=decimal, line="line", form=form)


def _is_first_row_quoted(text: str, rows: Sequence[Row]) -> bool:
    """Whether all cells of the first row are in quotes, and not all of the second one.

    R quotes names of columns and no numbers.
    """
    if len(rows) < 2:
        return False
    # Lines as they are in the file, as cells have lost their quotes.
    (first_number, first_cells), (second_number, second_cells) = rows
    lines = text.split("\n", second_number)
    n_quotes_in_first = lines[first_number - 1].count('"')
    n_quotes_in_second = lines[second_number - 1].count('"')
    is_first_quoted = n_quotes_in_first == 2 * len(first_cells)
    return is_first_quoted and n_quotes_in_second < 2 * len(second_cells)


def table_of_rows(
    path: Path,
    all_rows: AllRows,
    texts: Collection[str],
    *,
    header: bool | None,
    decimal: str,
    line: str,
    form: str,
) -> Table:
    """The table in rows of texts, which can be read several times.

    Parameters
    ----------
    path : Path
    all_rows : callable
        Returns an iterator of all rows.
    texts : collection of str
        Columns that are texts even if all cells are numbers.
    header : bool or None
    decimal : str
    line : str
        What the numbers of the rows count: "line" or "row".
    form : str
        How the rows are written.
    """
    all_rows = _without_margin(all_rows)
    n_above = n_rows_of_title(_cells_of(all_rows, 0, SAMPLE))
    sample = _cells_of(all_rows, n_above, n_above + SAMPLE)
    if not sample:
        raise DataError(f"{path}: the file is empty; is it the right one?")
    # Enough rows to see whether there is a square matrix below a header.
    n_sample = max(SAMPLE, len(sample[0]) + 2)
    sample = _cells_of(all_rows, n_above, n_above + n_sample)
    sample = [with_points(cells, decimal) for cells in sample]
    half = triangle_of(sample)
    if half is not None:
        rows = list(islice(all_rows(), n_above, None))
        parts = _parts_of_triangle(rows, half, header, decimal)
        return Table(
            str(path), parts.columns, parts.lines, line, parts.has_header, form, parts.row_names
        )
    header_rows = _find_header(path, sample, texts, header)
    place_of_width = "the first row"
    if header_rows is not None:
        place_of_width = "the header"
        sample = [header_rows.names] + sample[header_rows.n_rows :]
        n_above += header_rows.n_rows
    names, row_names = _column_names(sample, header_rows is not None)

    def body() -> Iterator[Row]:
        for number, cells in islice(all_rows(), n_above, None):
            if len(cells) != len(names):
                raise DataError(
                    f"{path}, {line} {number}: {len(cells)} cells, but {place_of_width} has "
                    f"{len(names)}; is a delimiter missing, or a text with one unquoted?"
                )
            yield number, cells

    columns, lines = _read_columns(body, names, texts, decimal)
    columns = tuple(spread_texts(columns, texts))
    return Table(str(path), columns, lines, line, header_rows is not None, form, row_names)


def _cells_of(all_rows: AllRows, start: int, stop: int) -> list[list[str]]:
    """The cells of some rows."""
    return [cells for _, cells in islice(all_rows(), start, stop)]


def _without_margin(all_rows: AllRows) -> AllRows:
    """The rows without columns at the left that are empty in all of them, as in spreadsheets."""
    margin = None
    for _, cells in all_rows():
        n_empty = 0
        while n_empty < len(cells) and not cells[n_empty]:
            n_empty += 1
        if margin is None or n_empty < margin:
            margin = n_empty
        # Of most files, the first row tells.
        if not margin:
            return all_rows

    def rows() -> Iterator[Row]:
        for number, cells in all_rows():
            yield number, cells[margin:]

    return rows


def _find_header(
    path: Path, sample: Sequence[Sequence[str]], texts: Collection[str], header: bool | None
) -> HeaderRows | None:
    """The header of a table; None if it has none.

    Raises
    ------
    DataError
        If the first row may be a header as well as an item.
    """
    if header is False:
        return None
    # Headers of several rows are found whatever the user says of one.
    header_rows = find_header_rows(sample)
    if header or header_rows.n_rows > 1:
        return header_rows
    is_header = has_header(sample, texts)
    if is_header:
        return header_rows
    if is_header is False:
        return None
    cells = ", ".join(sample[0][:_SHOWN_CELLS])
    if len(sample[0]) > _SHOWN_CELLS:
        cells += ", ..."
    with_header = pasted_name(str(path), {"header": True})
    without_header = pasted_name(str(path), {"header": False})
    raise DataError(
        f"{path}: the first row ({cells}) may have the names of columns or the numbers of an "
        f"item; write {with_header} or {without_header}"
    )


@dataclass(frozen=True, slots=True)
class _Triangle:
    """The columns of a triangle of a matrix, as `Table` has them."""

    columns: tuple[Column, ...]
    lines: NDArray[np.int64]
    has_header: bool
    row_names: str | None


def _parts_of_triangle(
    rows: Sequence[Row], half: str, header: bool | None, decimal: str
) -> _Triangle:
    """What is in a triangle of a matrix, whose rows differ in length by one cell."""
    padded, has_names = padded_rows([cells for _, cells in rows], half, header)
    names, row_names = _column_names(padded, has_names)
    body = []
    for (number, _), cells in zip(rows, padded, strict=True):
        body.append((number, cells))
    if has_names:
        body = body[1:]
    columns, lines = _read_columns(lambda: body, names, (), decimal)
    return _Triangle(columns, lines, has_names, row_names)


def _column_names(rows: Sequence[Sequence[str]], has_header: bool) -> tuple[list[str], str | None]:
    """The names of the columns, and which of them has the names of the rows, if any.

    The columns are named 1, 2, ... where there is no header. The first column has the names of the
    rows if it has none, as pandas and R write them.
    """
    if not has_header:
        return list(map(str, range(1, len(rows[0]) + 1))), None
    names = list(rows[0])
    if len(rows) > 1 and len(rows[1]) == len(names) + 1:
        names.insert(0, "")  # as R writes row names
    is_first_unnamed = names[0] in ("", "Unnamed: 0")
    # An index of several levels, of which none alone names the rows.
    is_second_unnamed = len(names) > 1 and names[1] == ""
    for position, name in enumerate(names):
        if name == "":
            candidates = (str(position + 1), f"Unnamed: {position}", f"Unnamed: {position}.1")
            names[position] = next(word for word in candidates if word not in names)
    # A single column cannot be the names alone.
    if len(names) == 1 or not is_first_unnamed or is_second_unnamed:
        return names, None
    return names, names[0]


def _read_columns(
    body: AllRows, names: Sequence[str], texts: Collection[str], decimal: str
) -> tuple[tuple[Column, ...], NDArray[np.int64]]:
    """The columns of the rows below the header, and the line of each row."""
    columns, lines = _read_once(body(), names, texts, decimal)
    mixed = set(names_of(with_texts(columns))).difference(texts)
    if mixed:
        # Read again, now that these are known to be texts.
        columns, lines = _read_once(body(), names, mixed.union(texts), decimal)
    return columns, lines


@dataclass(slots=True)
class _NumericColumn:
    """A column of numbers as far as it has been read.

    Attributes
    ----------
    parts : list of array, optional
        The numbers of each block of rows; None as soon as a cell is a text.
    has_codes : bool
        Whether all cells so far are written like 2E10.
    """

    parts: list[NDArray[np.float64]] | None
    has_codes: bool = True

    def add(self, cells: Sequence[str], decimal: str) -> None:
        """Read the cells of another block."""
        if self.parts is None:
            return
        numbers = numbers_of(with_points(cells, decimal))
        if numbers is None:
            self.parts = None
            return
        self.parts.append(numbers)
        self.has_codes = self.has_codes and are_codes(cells)

    def column(self, name: str) -> Column:
        """The column; without numbers if it has texts."""
        if self.parts is None or (self.has_codes and self.parts):
            return Column(name)
        return Column(name, np.concatenate([np.empty(0)] + self.parts))


def _read_once(
    rows: Iterable[Row], names: Sequence[str], texts: Collection[str], decimal: str
) -> tuple[tuple[Column, ...], NDArray[np.int64]]:
    """Read the rows; a column with a text that ``texts`` does not name has neither part."""
    cells_of: dict[str, list[str]] = {}
    numbers_of_column: dict[str, _NumericColumn] = {}
    for name in names:
        if name in texts:
            # Cells of roles stay as they are written: a name 1.0 is not 1.
            cells_of[name] = []
        else:
            numbers_of_column[name] = _NumericColumn([])
    lines: list[int] = []
    remaining = iter(rows)
    # Texts of numbers take ten times the memory of the numbers: a block at a time.
    while block := list(islice(remaining, _BLOCK)):
        lines_of_block, rows_of_block = zip(*block, strict=True)
        lines += lines_of_block
        columns_of_block = zip(*rows_of_block, strict=True)
        for name, cells in zip(names, columns_of_block, strict=True):
            if name in cells_of:
                cells_of[name] += cells
            else:
                numbers_of_column[name].add(cells, decimal)
    columns = []
    for name in names:
        if name in cells_of:
            columns.append(Column(name, None, cells_of[name]))
        else:
            columns.append(numbers_of_column[name].column(name))
    return tuple(columns), np.array(lines, dtype=np.int64)
