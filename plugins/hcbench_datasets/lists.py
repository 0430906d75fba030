"""Columns whose cells are lists: embeddings, as JSON, Parquet and pandas' to_csv write them."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench.model import read_number
from hcbench_datasets.content import Column


def columns_of_lists(name: str, cells: Sequence[Any]) -> list[Column] | None:
    """A column for each place in lists of numbers; None if the cells are not such lists.

    Parameters
    ----------
    name : str
        Of the column; its parts are ``name.1``, ``name.2``, ...
    cells : sequence
        Lists or arrays of as many numbers each; None or NaN where the list is missing.
    """
    rows: list[NDArray[np.float64] | None] = []
    for cell in cells:
        numbers = None
        if not _is_missing(cell):
            numbers = _numbers_of(cell)
            if numbers is None:
                return None
        rows.append(numbers)
    widths = {row.size for row in rows if row is not None}
    # Embeddings have the same length; lists of other lengths are something else.
    if len(widths) != 1:
        return None
    width = widths.pop()
    if not width:
        return None
    table = np.full((len(rows), width), np.nan)
    for position, row in enumerate(rows):
        if row is not None:
            table[position] = row
    columns = []
    for number, values in enumerate(table.T, start=1):
        # A copy, as the rows of a transposed table are not contiguous.
        columns.append(Column(f"{name}.{number}", values.copy()))
    return columns


def _is_missing(cell: Any) -> bool:
    return cell is None or (isinstance(cell, float) and np.isnan(cell))


def _numbers_of(cell: Any) -> NDArray[np.float64] | None:
    """The numbers of a list; None if it is none, or has texts, lists or truth values."""
    if not isinstance(cell, list | tuple | np.ndarray):
        return None
    numbers = np.asarray(cell)
    # Lists of different types become arrays of objects or texts.
    if numbers.ndim != 1 or numbers.dtype.kind not in "iuf":
        return None
    return numbers.astype(np.float64)


def spread_texts(columns: Sequence[Column], columns_with_roles: Collection[str]) -> list[Column]:
    """Columns in which texts such as ``[0.1, 0.2]`` are a column for each place.

    Parameters
    ----------
    columns : sequence of Column
    columns_with_roles : collection of str
        The columns with roles, which stay as they are.
    """
    spread: list[Column] = []
    for column in columns:
        parts = None
        if column.texts is not None and column.name not in columns_with_roles:
            parts = _parts_of_texts(column)
        if parts is None:
            spread.append(column)
        else:
            spread += parts
    return spread


def _parts_of_texts(column: Column) -> list[Column] | None:
    """The columns of texts that are lists of numbers; None if one is another text."""
    lists: list[list[Any] | None] = []
    for text in column.cells:
        # A missing list becomes missing numbers.
        if not text:
            lists.append(None)
            continue
        if not (text.startswith("[") and text.endswith("]")):
            return None
        if "," not in text:
            # As numpy prints an array.
            words = text.strip("[]").split()
            lists.append(list(map(read_number, words)))
            continue
        try:
            lists.append(json.loads(text))
        except ValueError:
            return None
    return columns_of_lists(column.name, lists)
