"""Columns of ordered texts, such as never, rarely, often, as the numbers 0, 1, 2."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

import numpy as np

from hcbench import DataError, ModelWarning, ParameterError
from hcbench.model import suggestion
from hcbench.registry import parse_name
from hcbench_datasets.content import Column, Table

_SHOWN_CHARACTERS = 40  # of the name of a column
_SHOWN_COLUMNS = 12


def read_ordinal(written: str | Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The orders of classes that are written, by the name of the column, or a pattern with ``*``.

    Parameters
    ----------
    written : str or sequence of str
        ``{column=[lowest,...,highest],pattern*=[...]}``, or names of columns whose order is that in
        the file, which is an empty tuple.

    Raises
    ------
    ParameterError
        If it is neither.
    """
    if not isinstance(written, str):
        return dict.fromkeys(map(str, written), ())
    if not written.startswith("{"):
        return {written: ()}
    example = "write ordinal={column=[lowest,...,highest]}"
    # The inside of braces is written as the parameters of a name are.
    orders = {}
    for name, classes in parse_name(f"ordinal[{written[1:-1]}]").params.items():
        if not isinstance(classes, tuple) or len(classes) < 2:
            if len(name) > _SHOWN_CHARACTERS:
                name = f"{name[:_SHOWN_CHARACTERS]}..."
            raise ParameterError(f"ordinal: {name} has no list of at least two classes; {example}")
        texts = tuple(map(str, classes))
        if len(set(texts)) < len(texts):
            raise ParameterError(f"ordinal: a class of {name} is there twice in {', '.join(texts)}")
        orders[name.strip("\"'")] = texts
    return orders


def with_ordinal_numbers(table: Table, orders: Mapping[str, Sequence[str]]) -> Table:
    """A table whose ordinal columns are numbers, the lowest class 0; missing cells are NaN.

    Parameters
    ----------
    table : Table
    orders : mapping of str to sequence of str
        As of `read_ordinal`. A pattern applies to columns of texts all of which are in its order.

    Raises
    ------
    DataError
        If a column is not there, or has a text that is not in its order.
    """
    columns = {column.name: column for column in table.columns}
    for name, order in orders.items():
        # A pattern may be the name of a column as well.
        if name in columns:
            columns[name] = _coded(columns[name], order, table)
            continue
        matching = []
        for column in columns.values():
            if fnmatchcase(column.name, name) and _fits(column, order):
                matching.append(column)
        if "*" not in name or not matching:
            hint = suggestion(name, table.names)
            if not hint:
                hint = f"there are {', '.join(table.names[:_SHOWN_COLUMNS])}"
            raise DataError(f"{table.where}: ordinal: no column {name!r} has these classes; {hint}")
        for column in matching:
            columns[column.name] = _coded(column, order, table)
    return replace(table, columns=tuple(columns.values()))


def _fits(column: Column, order: Sequence[str]) -> bool:
    return column.numbers is None and set(column.classes) <= set(order)


def _coded(column: Column, order: Sequence[str], table: Table) -> Column:
    """A column of texts as numbers."""
    missing = column.missing
    if not order:
        order = _order_in_file(column, missing)
        codes_of_texts = [f"{text}={code}" for code, text in enumerate(order)]
        listed = ", ".join(codes_of_texts)
        warnings.warn(
            f"column {column.name!r} is coded in the order of the file: {listed}; for another "
            f"order write ordinal={{{column.name}=[...]}}",
            ModelWarning,
            stacklevel=4,
        )
    codes = {text: float(code) for code, text in enumerate(order)}
    numbers = np.full(len(column.cells), np.nan)
    for row, text in enumerate(column.cells):
        if missing[row]:
            continue
        if text not in codes:
            raise DataError(
                f"{table.where}: {table.place(row)}, column {column.name!r}: {text!r} is not in "
                f"the order {', '.join(order)}; add it, or correct the file"
            )
        numbers[row] = codes[text]
    return Column(column.name, numbers)


def _order_in_file(column: Column, missing: np.ndarray) -> tuple[str, ...]:
    """The classes in the order that the file has for them, else by their first cells."""
    if column.order:
        return column.order
    order: dict[str, None] = {}
    for text, is_missing in zip(column.cells, missing, strict=True):
        if not is_missing:
            order[text] = None
    return tuple(order)
