"""Rows that are no items: a header that is repeated, a row of units, the sum of the others.

Tables that are long, with a row for each number of an item, are recognised as well.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hcbench import DataError
from hcbench_datasets.cell_texts import looks_numeric
from hcbench_datasets.content import Column, Table, names_of

_LEAST_COLUMNS = 2  # of numbers, from which a row without any tells something
_LEAST_ROWS = 5
_LEAST_ITEMS = 3  # of a long table
_SHOWN = 3  # cells in a message
_ROUNDING = 1e-9  # of the sum of a column


def check_rows_have_numbers(table: Table, columns: Sequence[Column]) -> None:
    """Raise `DataError` for a row with texts in all columns of numbers, as of units.

    Parameters
    ----------
    table : Table
    columns : sequence of Column
        Those without roles.
    """
    numeric = []
    for column in columns:
        # Such a row has a text in this column, too.
        if column.numbers is not None:
            return
        if column.kind == "numbers and texts":
            numeric.append(column)
    if len(numeric) < _LEAST_COLUMNS:
        return
    has_number = np.zeros(len(table.lines), dtype=bool)
    for column in numeric:
        has_number |= np.fromiter(map(looks_numeric, column.cells), dtype=bool)
    rows = np.flatnonzero(~has_number)
    if not rows.size:
        return
    row = int(rows[0])
    cells = [column.cells[row] for column in numeric]
    what = "has texts in all columns of numbers"
    if cells == names_of(numeric):
        what = "repeats the header"
    raise DataError(
        f"{table.where}, {table.place(row)}: the row {what} ({', '.join(cells[:_SHOWN])}, ...) and "
        "is no item; remove it, or the part of the file above or below it"
    )


def check_no_total(table: Table, columns: Sequence[Column]) -> None:
    """Raise `DataError` if the last row is the sum or the mean of the others in all columns.

    Parameters
    ----------
    table : Table
    columns : sequence of Column
        Those of numbers that are used.
    """
    numbers = [column.numbers for column in columns if column.numbers is not None]
    if len(numbers) < _LEAST_COLUMNS or len(table.lines) < _LEAST_ROWS:
        return
    matrix = np.column_stack(numbers)
    body = matrix[:-1]
    last = matrix[-1]
    # A sum of 0 may be that of a column without any data.
    if not np.isfinite(matrix).all() or (last == 0).any():
        return
    # The mean of a constant column is an item like the others.
    if not np.ptp(matrix, axis=0).all():
        return
    tolerance = _ROUNDING * np.abs(body).sum(axis=0)
    total = body.sum(axis=0)
    for what, expected in (("sum", total), ("mean", total / len(body))):
        if (np.abs(last - expected) <= tolerance).all():
            raise DataError(
                f"{table.where}, {table.place(len(body))}: the last row is the {what} of all "
                "others, and no item; remove it"
            )


def check_no_footer(table: Table) -> None:
    """Raise `DataError` if the last row has a single cell, as of a source below a table."""
    if len(table.columns) <= _LEAST_COLUMNS or len(table.lines) < _LEAST_ROWS:
        return
    filled = [column for column in table.columns if not column.missing[-1]]
    if len(filled) != 1 or filled[0].numbers is not None:
        return
    # In tables with many missing cells, a row with a single cell is nothing special.
    n_filled_before = sum(not column.missing[-2] for column in table.columns)
    if n_filled_before > _LEAST_COLUMNS:
        raise DataError(
            f"{table.where}, {table.place(len(table.lines) - 1)}: the last row has nothing but "
            f"{filled[0].cells[-1]!r}, and is no item; remove it"
        )


def check_not_long(table: Table) -> None:
    """Raise `DataError` for a table with one row for each item and measure.

    Its first two columns are texts of which each pair is there once, and the third has numbers.
    """
    if len(table.columns) != 3:
        return
    item, measure, value = table.columns
    if item.numbers is not None or measure.numbers is not None or value.numbers is None:
        return
    n_items = len(item.classes)
    n_measures = len(measure.classes)
    pairs = set(zip(item.cells, measure.cells, strict=True))
    is_complete = len(pairs) == len(table.lines) == n_items * n_measures
    if not is_complete or min(n_items, n_measures) < 2 or n_items < _LEAST_ITEMS:
        return
    if set(item.classes) & set(measure.classes):
        return  # pairs of items
    code = f"x.pivot(index={item.name!r}, columns={measure.name!r}, values={value.name!r})"
    raise DataError(
        f"{table.where}: the table has a row for each {item.name!r} and {measure.name!r}; make a "
        f"row of each item, in pandas with {code}.to_csv('wide.csv'), and in R with reshape"
    )
