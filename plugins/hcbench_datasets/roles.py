"""The content of a table whose columns have roles: names, labels, and numbers or a matrix."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError, ModelWarning
from hcbench_datasets.content import (
    Column,
    Content,
    Roles,
    Table,
    check_names,
    check_rows,
    names_of,
    places,
)
from hcbench_datasets.doubtful_columns import check_suspicions, note_codes
from hcbench_datasets.doubtful_rows import check_no_footer, check_no_total
from hcbench_datasets.gower import gower
from hcbench_datasets.labels import (
    check_measurements,
    levels_of,
    note_case,
    note_na,
    rows_with_labels,
)
from hcbench_datasets.problems import check_readable, message_without_numbers
from hcbench_datasets.squares import Kind, Matrix, symmetric_matrix, with_diagonal


def take_row_names(table: Table, roles: Roles) -> tuple[Table, Roles]:
    """Let the first column name the items if it has no name: pandas and R write row names there.

    The numbers 0, 1, 2, ... or 1, 2, 3, ... in this order are no names.
    """
    # It may be a label, too, if the user says so.
    if table.row_names is None or table.row_names in roles.columns:
        return table, roles
    first = table.columns[0]
    rest = table.columns[1:]
    if rest[0].name == "Unnamed: 0" and _numbers_rows(rest[0]):
        rest = rest[1:]  # saved and read twice
    without_names = replace(table, columns=rest)
    heads_columns = False
    if table.has_header and len(rest) == len(table.lines):
        heads_columns = set(first.cells) == set(names_of(rest))
    if roles.names is not None or (_numbers_rows(first) and not heads_columns):
        return without_names, roles
    cells = list(first.cells)
    are_distinct = len(set(cells)) == len(cells)
    # Texts that are there twice are refused as names later, with the lines.
    if first.numbers is not None and (not are_distinct or first.missing.any()):
        _note_repeated(table, cells)
        return without_names, roles
    names = Column(first.name, None, cells)
    return replace(table, columns=(names, *rest)), replace(roles, names=first.name)


def _note_repeated(table: Table, cells: Sequence[str]) -> None:
    """Add a note about a first column that would name the items, but has a number twice."""
    row = 0
    while cells.index(cells[row]) == row:
        row += 1
    first_row = cells.index(cells[row])
    warnings.warn(
        f"the first column has no name and is not used, as {cells[row]} is there twice "
        f"({table.place(first_row)} and {table.place(row)})",
        ModelWarning,
        stacklevel=3,
    )


def _numbers_rows(column: Column) -> bool:
    """Whether a column has the numbers of the rows, from 0 or 1."""
    if column.numbers is None:
        return False
    count = np.arange(len(column.numbers))
    return np.array_equal(column.numbers, count) or np.array_equal(column.numbers, count + 1)


def content_of(
    table: Table,
    roles: Roles,
    params: Mapping[str, Any],
    *,
    matrix: Matrix | None,
    kind: Kind | None,
) -> Content:
    """The content of a table.

    Parameters
    ----------
    table : Table
    roles : Roles
    params : mapping of str to value
        The parameters of the file that decide something. ``missing`` says what becomes of items
        without a number or label, or of missing numbers, and ``categorical`` what becomes of
        columns of texts without a role.
    matrix : Matrix, optional
        The one in the table, if it is to be used.
    kind : {None, "distance", "similarity"}
        What the numbers are, if they are no vectors.

    Raises
    ------
    DataError
        With all problems of all columns, and a name with which the file can be read.
    """
    check_rows(len(table.lines), table.where)
    missing = params.get("missing")
    columns = []
    if not params.get("texts") and matrix is None:
        columns = _columns_of_data(table, roles, params)
    check_readable(table, roles, columns, params)
    labels = table.columns_named(roles.labels)
    # Only of files that can be read: an error is enough to read.
    note_na(table, labels, missing)
    note_case(labels)
    if matrix is not None:
        return _content_of_matrix(table, roles, matrix, kind or "similarity", missing)
    if not columns and not params.get("texts"):
        raise DataError(message_without_numbers(table, roles, params))
    check_measurements(table, roles, labels, params)
    # What follows is about vectors: a matrix has no measurements.
    if kind is None:
        check_suspicions(table, roles, columns, params)
        check_no_total(table, columns)
        check_no_footer(table)
        note_codes(columns)
    if missing == "drop":
        table = _without_missing(table, columns, labels)
        # The columns of fewer rows.
        columns = table.columns_named(names_of(columns))
    elif missing is not None:
        columns = [_imputed(column, missing) for column in columns]
    content = _content_of_roles(table, roles)
    if not columns:
        return content
    if params.get("categorical") == "gower":
        return replace(content, similarity=1 - gower(columns))
    return _with_numbers(content, table, columns, kind)


def _columns_of_data(table: Table, roles: Roles, params: Mapping[str, Any]) -> list[Column]:
    """The columns without a role, without those of texts if these are dropped."""
    columns = table.columns_without_role(roles)
    if params.get("categorical") == "drop":
        return [column for column in columns if column.texts is None]
    return columns


def _without_missing(table: Table, columns: Sequence[Column], labels: Sequence[Column]) -> Table:
    """The rows in which neither a number nor a label is missing.

    Raises
    ------
    DataError
        If fewer than two are left.
    """
    is_complete = np.zeros(len(table.lines), dtype=bool)
    is_complete[rows_with_labels(table, labels)] = True
    for column in columns:
        is_complete &= ~column.missing
    complete = table.take(np.flatnonzero(is_complete))
    check_rows(len(complete.lines), f"{table.where}, without the rows of missing values")
    return complete


def _imputed(column: Column, statistic: str) -> Column:
    """A column of numbers whose missing ones are its mean or median."""
    if column.numbers is None or not np.isnan(column.numbers).any():
        return column
    present = column.numbers[~np.isnan(column.numbers)]
    if statistic == "mean":
        value = present.mean()
    else:
        value = np.median(present)
    return replace(column, numbers=np.where(np.isnan(column.numbers), value, column.numbers))


def _content_of_roles(table: Table, roles: Roles) -> Content:
    """The names and the labels of the items."""
    names = None
    if roles.names is not None:
        texts = table.column(roles.names).texts or ()
        names = check_names(texts, table.places(), table.where)
    levels = levels_of(table, table.columns_named(roles.labels))
    return Content(levels=levels, names=names)


def _with_numbers(
    content: Content, table: Table, columns: Sequence[Column], kind: Kind | None
) -> Content:
    """The content with the columns as vectors, or as the matrix that the user says they are."""
    parts = []
    for column in columns:
        parts += _numbers_of(column)
    numbers = np.column_stack(parts)
    header = None
    # With 0/1 columns there are more columns than names.
    if table.has_header and numbers.shape[1] == len(columns):
        header = tuple(names_of(columns))
    if kind is None:
        return replace(content, vectors=numbers, features=header)
    numbers = symmetric_matrix(numbers, table.where)
    return replace(content, similarity=numbers, names=content.names or header)


def _numbers_of(column: Column) -> list[NDArray[np.float64]]:
    """The numbers of a column, of texts one indicator per class."""
    if column.numbers is not None:
        return [column.numbers]
    texts = np.array(column.texts)
    return [(texts == text).astype(np.float64) for text in column.classes]


def _content_of_matrix(
    table: Table, roles: Roles, matrix: Matrix, kind: Kind, missing: str | None
) -> Content:
    """The content of a table with a matrix, and perhaps with columns of labels."""
    values = symmetric_matrix(with_diagonal(matrix, kind), table.where)
    names = _names_of_matrix(table, matrix)
    if not roles.labels:
        return Content(similarity=values, names=names)
    labels = table.columns_named(roles.labels)
    if missing == "drop":
        rows = rows_with_labels(table, labels)
        values = values[np.ix_(rows, rows)]
        labels = [column.take(rows) for column in labels]
        if names is not None:
            names = tuple(names[row] for row in rows)
    return Content(similarity=values, levels=levels_of(table, labels), names=names)


def _names_of_matrix(table: Table, matrix: Matrix) -> tuple[str, ...] | None:
    """The names of the items of a matrix; None if they are the numbers of items without names."""
    if matrix.names is None:
        return None
    n = len(matrix.names)
    rows = places("item", 0, n)
    # Of a list of pairs, and of a triangle without its first row, the rows are no items.
    if n == len(table.lines):
        rows = table.places()
    names = check_names(matrix.names, rows, table.where)
    if names == tuple(map(str, range(n))):
        return None
    return names
