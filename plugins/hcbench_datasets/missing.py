"""Texts among numbers that are missing numbers, such as ND or <0.3."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from hcbench import DataError
from hcbench.model import read_number
from hcbench_datasets.content import MISSING, Column, Table


def with_missing_texts(table: Table, texts: Sequence[str], named: Collection[str]) -> Table:
    """A table in which columns of numbers with these texts have missing numbers instead.

    A column that has other texts, too, stays as it is, and so does one with a role: a label may be
    such a text.

    Parameters
    ----------
    table : Table
    texts : sequence of str
    named : collection of str
        The columns with roles.

    Raises
    ------
    DataError
        If no column of numbers has one of the texts.
    """
    columns = []
    used: set[str] = set()
    for column in table.columns:
        numbers = None
        is_free = column.name not in named
        if is_free and column.numbers is None and set(texts) & set(column.cells):
            numbers = _numbers_without(column, texts)
        if numbers is None:
            columns.append(column)
            continue
        used |= set(texts) & set(column.cells)
        columns.append(Column(column.name, numbers))
    unused = [text for text in texts if text not in used]
    if unused:
        raise DataError(
            f"{table.where}: no column of numbers has {unused[0]!r}, which missing_texts names; "
            "omit it, or see what the columns have: hcbench inspect"
        )
    return replace(table, columns=tuple(columns))


def _numbers_without(column: Column, texts: Sequence[str]) -> np.ndarray | None:
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
