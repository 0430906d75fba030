"""Texts among numbers that are missing numbers, such as ND or <0.3."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from hcbench import DataError
from hcbench.model import read_number
from hcbench_datasets.cell_texts import numbers_of
from hcbench_datasets.content import Column, Table

#: Numbers that programs write for a missing one.
_CODES = (-77.0, -88.0, -99.0, -999.0, -9999.0, -99999.0, -999999.0)


def with_missing_texts(
    table: Table, texts: Sequence[str], columns_with_roles: Collection[str]
) -> Table:
    """A table in which cells with these texts are missing.

    A column that has numbers besides becomes one of numbers. A column with a role stays as it is: a
    label may be such a text.

    Parameters
    ----------
    table : Table
    texts : sequence of str
    columns_with_roles : collection of str
        The columns with roles.

    Raises
    ------
    DataError
        If no column without a role has one of the texts.
    """
    columns = []
    used: set[str] = set()
    for column in table.columns:
        if column.name not in columns_with_roles:
            texts_of_column = _texts_in(column, texts)
            used |= texts_of_column
            if texts_of_column:
                column = _without(column, texts)
        columns.append(column)
    unused = [text for text in texts if text not in used]
    # A slip in a text would otherwise leave its column without numbers.
    if unused:
        raise DataError(
            f"{table.where}: no column without a role has {unused[0]!r}, as missing_texts says; "
            "omit it, or see what the columns have: hcbench inspect"
        )
    return replace(table, columns=tuple(columns))


def missing_code(column: Column) -> str:
    """A number such as -999 that stands for a missing one; "" if there is none.

    All its digits are 9 (or it is -77 or -88), and it is far below all other numbers.
    """
    if column.numbers is None:
        return ""
    present = column.numbers[np.isfinite(column.numbers)]
    if not present.size:
        return ""
    # Codes for a missing number are below all numbers that can be measured.
    lowest = float(present.min())
    rest = present[present > lowest]
    if lowest not in _CODES or not rest.size:
        return ""
    # Other numbers are small beside it, so that it is no measurement.
    if float(np.abs(rest).max()) < -lowest / 2 or float(rest.min()) >= 0:
        return str(int(lowest))
    return ""


def _texts_in(column: Column, texts: Sequence[str]) -> set[str]:
    """Which of the texts a column has; of numbers, which of the texts are its numbers."""
    if column.numbers is None:
        return set(texts).intersection(column.cells)
    present = set()
    for text in texts:
        number = read_number(text)
        if number is not None and (column.numbers == number).any():
            present.add(text)
    return present


def _without(column: Column, texts: Sequence[str]) -> Column:
    """A column in which cells with these texts are missing."""
    if column.numbers is None:
        numbers = numbers_without(column, texts)
    else:
        numbers = column.numbers.copy()
        for code in _texts_in(column, texts):
            numbers[column.numbers == float(code)] = np.nan
    if numbers is not None:
        return Column(column.name, numbers)
    # It has other texts as well.
    return replace(column, texts=_emptied(column, texts))


def _emptied(column: Column, texts: Sequence[str]) -> list[str]:
    """The cells of a column, of which those with these texts are empty."""
    cells = list(column.cells)
    for row, text in enumerate(cells):
        if text in texts:
            cells[row] = ""
    return cells


def numbers_without(column: Column, texts: Sequence[str]) -> np.ndarray | None:
    """The numbers of a column, NaN for these texts; None if it has other texts, or no number."""
    numbers = numbers_of(_emptied(column, texts))
    if numbers is None or np.isnan(numbers).all():
        return None
    return numbers
