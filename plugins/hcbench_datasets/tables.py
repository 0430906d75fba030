"""Tables: delimited text and Parquet. Columns without a role must be numeric."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError, table_rows
from hcbench_datasets.content import (
    Content,
    Places,
    Roles,
    check_names,
    check_rows,
    check_square,
    is_missing_label,
    place,
    table_of_labels,
)

#: Representations of a missing number, case-insensitive.
_MISSING = {"", "na", "n/a", "nan", "null", "none", "?", "<na>"}

Row = tuple[int, list[str]]  # line number, from 1, and cells


def read_delimited(path: Path, delimiter: str, roles: Roles, similarity: bool) -> Content:
    """Read delimited text (UTF-8, quotes as in RFC 4180).

    The first row is a header if it contains a name that ``roles`` mention, contains no number, or
    has text where the second row has a number; else the columns are named 1, 2, ...
    """
    rows = table_rows(path, delimiter)
    first = next(rows, None)
    if first is None:
        raise DataError(f"{path}: the file is empty; is it the right one?")
    second = next(rows, None)
    width = len(first[1])
    start = [row for row in (first, second) if row is not None]
    header = _is_header(first[1], None if second is None else second[1], roles)
    if header:
        columns = [name or str(i) for i, name in enumerate(first[1], start=1)]
        start = start[1:]
    else:
        columns = [str(i) for i in range(1, width + 1)]
    places = place(columns, roles, str(path))
    reader = _RowReader(path, columns, places, header)
    for row in chain(start, rows):
        reader.add(row)
    content = reader.content(similarity)
    if similarity and header:
        return _with_header_names(content, columns, places, path)
    return content


def _is_header(first: Sequence[str], second: Sequence[str] | None, roles: Roles) -> bool:
    # The number of a column that a role mentions may equal the number in some cell.
    if {name for name in roles.named if not _looks_numeric(name)} & set(first):
        return True
    text = [not _looks_numeric(cell) for cell in first]
    if not any(text):
        return False
    if all(text) or second is None:
        return True
    # With row names beside numbers, the row is a header only if some text is above a number.
    return any(t and _looks_numeric(below) for t, below in zip(text, second, strict=False))


def _looks_numeric(cell: str) -> bool:
    if cell.lower() in _MISSING:
        return True
    try:
        float(cell)
    except ValueError:
        return False
    return True


class _RowReader:
    """Converts rows to numbers, labels and names one by one, so that the text is not kept."""

    def __init__(self, path: Path, columns: Sequence[str], places: Places, header: bool) -> None:
        self._path = path
        self._columns = columns
        self._places = places
        self._first = "the header" if header else "the first row"
        self._pick = itemgetter(*places.numeric)
        self._numbers: list[NDArray[np.float64]] = []
        self._labels: list[list[str]] = [[] for _ in places.labels]
        self._names: list[str] = []
        self._lines: list[int] = []

    def add(self, row: Row) -> None:
        line, cells = row
        if len(cells) != len(self._columns):
            raise DataError(
                f"{self._path}, line {line}: {len(cells)} cells, but {self._first} has "
                f"{len(self._columns)}; is a delimiter missing, or a text with one unquoted?"
            )
        picked = self._pick(cells)
        numbers = picked if len(self._places.numeric) > 1 else (picked,)
        try:
            values = np.array([float(cell) for cell in numbers])
        except ValueError:
            values = None
        if values is None or not np.isfinite(values).all():
            raise self._bad_number(line, cells)
        self._numbers.append(values)
        self._lines.append(line)
        for labels, column in zip(self._labels, self._places.labels, strict=True):
            if is_missing_label(cells[column]):
                raise DataError(
                    f"{self._path}, line {line}, column {self._columns[column]!r}: "
                    "the label is missing; fill it in or drop the row"
                )
            labels.append(cells[column])
        if self._places.names is not None:
            self._names.append(cells[self._places.names])

    def _bad_number(self, line: int, cells: Sequence[str]) -> DataError:
        for column in self._places.numeric:
            cell, name = cells[column], self._columns[column]
            where = f"{self._path}, line {line}, column {name!r}"
            if not _looks_numeric(cell):
                return DataError(
                    f"{where}: {_shortened(cell)} is not a number; correct it, or give "
                    f"labels=[{name!r}], names={name!r} or drop=[{name!r}]{self._hint(cell)}"
                )
            if cell.lower() in _MISSING or not np.isfinite(float(cell)):
                value = repr(cell) if cell else "nothing"
                return DataError(
                    f"{where}: {value} where a finite number is needed; "
                    f"impute it, or drop the row, or the column with drop=[{name!r}]"
                )
        raise AssertionError("only called for a row with a bad number")

    def _hint(self, cell: str) -> str:
        found = next((d for d in (";", "\t", "|", ",") if d in cell), None)
        if len(self._columns) > 1 or found is None:
            return ""
        return f"; there is one column: is delimiter={found!r} meant?"

    def content(self, similarity: bool) -> Content:
        where = str(self._path)
        check_rows(len(self._lines), where)
        matrix = np.vstack(self._numbers)
        names = None
        if self._places.names is not None:
            names = check_names(self._names, [f"line {line}" for line in self._lines], where)
        if similarity:
            check_square(matrix, where)
        return Content(
            vectors=None if similarity else matrix,
            similarity=matrix if similarity else None,
            levels=table_of_labels(self._labels),
            names=names,
        )


def _shortened(cell: str, most: int = 40) -> str:
    return repr(cell if len(cell) <= most else cell[:most] + "...")


def _with_header_names(
    content: Content, columns: Sequence[str], places: Places, path: Path
) -> Content:
    """The header of a similarity matrix names its items, unless a column does."""
    header = tuple(columns[i] for i in places.numeric)
    if content.names is None:
        return Content(similarity=content.similarity, levels=content.levels, names=header)
    if header != content.names and set(header) == set(content.names):
        raise DataError(
            f"{path}: rows and columns name the same items in different orders; sort one"
        )
    return content


def read_parquet(path: Path, roles: Roles, similarity: bool) -> Content:
    """Read a Parquet table; an unnamed pandas index without a role is ignored."""
    try:
        from pyarrow import ArrowException, parquet
    except ImportError as error:
        raise DataError(
            f'{path}: Parquet files need pyarrow: pip install "hcbench[parquet]"'
        ) from error
    try:
        table = parquet.read_table(path)
        table.validate(full=True)  # else a text that is not UTF-8 would fail later
    except (OSError, ArrowException) as error:
        raise DataError.of_file("read", path, error) from error
    columns = [
        c for c in table.column_names if not c.startswith("__index_level_") or c in roles.named
    ]
    table = table.select(columns)
    places = place(columns, roles, str(path))
    check_rows(table.num_rows, str(path))
    matrix = np.column_stack([_numbers(table.column(i), columns[i], path) for i in places.numeric])
    names = None
    if places.names is not None:
        rows = [f"row {i}" for i in range(1, table.num_rows + 1)]
        names = check_names(_texts(table.column(places.names)), rows, str(path))
    if similarity:
        check_square(matrix, str(path))
    content = Content(
        vectors=None if similarity else matrix,
        similarity=matrix if similarity else None,
        levels=table_of_labels([_labels(table.column(i), columns[i], path) for i in places.labels]),
        names=names,
    )
    return _with_header_names(content, columns, places, path) if similarity else content


def _numbers(column: Any, name: str, path: Path) -> NDArray[np.float64]:
    """A column of a Parquet table as numbers (n,); a pyarrow ChunkedArray has no types."""
    where = f"{path}, column {name!r}"
    kind = str(column.type)
    if not kind.startswith(("int", "uint", "halffloat", "float", "double", "bool", "decimal")):
        raise DataError(
            f"{where}: {kind} is not a number; give "
            f"labels=[{name!r}], names={name!r} or drop=[{name!r}]"
        )
    values = np.array([np.nan if v is None else float(v) for v in column.to_pylist()])
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        raise DataError(
            f"{where}, row {bad[0] + 1}: {values[bad[0]]} where a finite number is needed; "
            f"impute it, or drop the row, or the column with drop=[{name!r}]"
        )
    return values


def _texts(column: Any) -> list[str]:
    return ["" if value is None else str(value).strip() for value in column.to_pylist()]


def _labels(column: Any, name: str, path: Path) -> list[str]:
    texts = _texts(column)
    for row, text in enumerate(texts, start=1):
        if is_missing_label(text):
            raise DataError(
                f"{path}, row {row}, column {name!r}: "
                "the label is missing; fill it in or drop the row"
            )
    return texts
