"""Texts among numbers that are missing numbers, such as ND or <0.3."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from hcbench import DataError
from hcbench.model import read_number
from hcbench_datasets.content import MISSING, Column, Table

#: Numbers that programs write for a missing one.
_CODES = (-77.0, -88.0, -99.0, -999.0, -9999.0, -99999.0, -999999.0)


def with_missing_texts(table: Table, texts: Sequence[str], named: Collection[str]) -> Table:
    """A table in which cells with these texts are missing.

    A column that has numbers besides becomes one of numbers. A column with a role stays as it is: a
    label may be such a text.

    Parameters
    ----------
    table : Table
    texts : sequence of str
    named : collection of str
        The columns with roles.

    Raises
    ------
    DataError
        If no column without a role has one of the texts.
    """
    columns = []
    used: set[str] = set()
    for column in table.columns:
        numbers = None
        is_free = column.name not in named
        if is_free and column.numbers is None and set(texts) & set(column.cells):
            used |= set(texts) & set(column.cells)
            numbers = numbers_without(column, texts)
            if numbers is None:
                columns.append(_without_texts(column, texts))
                continue
        if is_free and column.numbers is not None:
            numbers = _numbers_without_codes(column, texts)
            if numbers is not None:
                used |= _codes_in(column, texts)
                columns.append(Column(column.name, numbers))
                continue
        if numbers is None:
            columns.append(column)
        else:
            columns.append(Column(column.name, numbers))
    unused = [text for text in texts if text not in used]
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
    lowest = float(present.min())
    others = present[present > lowest]
    if lowest not in _CODES or not others.size:
        return ""
    # Other numbers are small beside it, so that it is no measurement.
    is_far = float(np.abs(others).max()) < -lowest / 2 or float(others.min()) >= 0
    return str(int(lowest)) if is_far else ""


def _codes_in(column: Column, texts: Sequence[str]) -> set[str]:
    """Which of the texts are numbers of a column."""
    assert column.numbers is not None
    present = set()
    for text in texts:
        number = read_number(text)
        if number is not None and (column.numbers == number).any():
            present.add(text)
    return present


def _numbers_without_codes(column: Column, texts: Sequence[str]) -> np.ndarray | None:
    """The numbers of a column, NaN for those that are written as a text; None if none is."""
    codes = _codes_in(column, texts)
    if not codes or column.numbers is None:
        return None
    numbers = column.numbers.copy()
    for code in codes:
        numbers[column.numbers == float(code)] = np.nan
    return numbers


def _without_texts(column: Column, texts: Sequence[str]) -> Column:
    """A column of texts in which some are missing."""
    cells = ["" if text in texts else text for text in column.cells]
    return replace(column, texts=cells)


def numbers_without(column: Column, texts: Sequence[str]) -> np.ndarray | None:
    """The numbers of a column, NaN for these texts; None if it has other texts, or no number."""
    numbers = np.full(len(column.cells), np.nan)
    for row, text in enumerate(column.cells):
        if text in texts or text.lower() in MISSING:
            continue
        number = read_number(text)
        if number is None:
            return None
        numbers[row] = number
    return None if np.isnan(numbers).all() else numbers
