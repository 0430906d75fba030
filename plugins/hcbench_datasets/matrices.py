"""Matrices of similarities or distances in tables: square, one triangle, or a list of pairs.

What is recognised here would be wrong as vectors: the cells of an item depend on the other items.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError
from hcbench_datasets.columns import are_items
from hcbench_datasets.content import Column, Roles, Table, names_of
from hcbench_datasets.file_names import pasted_name
from hcbench_datasets.pairs import check_one_number_each, matrix_of_pairs
from hcbench_datasets.phylip import PHYLIP
from hcbench_datasets.squares import (
    LEAST,
    ROUNDED,
    Block,
    Matrix,
    is_diagonal,
    matrix_of_block,
    mirror,
)

_LEAST_UNNAMED = 4  # rows of a matrix of which only the diagonal tells


def matrix_of(table: Table, roles: Roles, least: int = 3) -> Matrix | None:
    """The matrix in a table, None if it has none that is recognised.

    Parameters
    ----------
    table : Table
    roles : Roles
        Of columns that are no part of it.
    least : int
        Items of a matrix; two rows of two numbers may be anything unless the user says so.

    Raises
    ------
    DataError
        If the table has a matrix by its names or its diagonal, but with cells that contradict each
        other, or are missing.
    """
    free = table.columns_without_role(roles)
    has_roles = bool(roles.labels) or roles.names is not None
    if table.has_header and len(free) > 3 and not has_roles:
        check_one_number_each(table, free)
    # Three columns may be a list of pairs; a matrix has about as many columns as rows.
    if len(free) != 3 and abs(len(free) - len(table.lines)) > 2:
        return None
    if not has_roles:
        listed = matrix_of_pairs(table, free)
        if listed is not None:
            return listed
    block = _block_of(table, roles, free)
    if block is None:
        return None
    if least == 2:
        # The user says that it is a matrix.
        block = _completed(table, block)
    matrix = matrix_of_block(block, least)
    if matrix is not None and matrix.form.startswith("a symmetric matrix"):
        _check_same_names(table, block)
    if matrix is None and block.row_names is not None and block.column_names is not None:
        _check_asymmetry(table, block)
    elif matrix is None and least > 2:
        check_no_asymmetric_matrix(block.values, table.where)
    return matrix


def _block_of(table: Table, roles: Roles, free: Sequence[Column]) -> Block | None:
    """The numbers of a table that may be a matrix; None if there are texts, or too many columns."""
    if roles.names is None:
        parts = _names_and_numbers(table, free)
    else:
        parts = _NamedColumns(table.column(roles.names), free)
    n = len(table.lines)
    # One item may lack its row, or its column.
    if not n - 1 <= len(parts.columns) <= n + 1:
        return None
    numbers = _numbers_of(parts.columns)
    if numbers is None:
        return None
    row_names = None
    if parts.row_names is not None:
        row_names = tuple(parts.row_names.cells)
    column_names = None
    if table.has_header:
        column_names = tuple(names_of(parts.columns))
    return Block(numbers, row_names, column_names)


def _numbers_of(columns: Sequence[Column]) -> NDArray[np.float64] | None:
    """The numbers of columns side by side; None if one has texts."""
    numbers = []
    for column in columns:
        if column.numbers is None:
            return None
        numbers.append(column.numbers)
    return np.column_stack(numbers)


@dataclass(frozen=True, slots=True)
class _NamedColumns:
    """The columns of a matrix, and the one with the names of its rows, if there is one."""

    row_names: Column | None
    columns: Sequence[Column]


def _names_and_numbers(table: Table, free: Sequence[Column]) -> _NamedColumns:
    """The column that names the rows of a matrix, which is the first, and the others."""
    without_names = _NamedColumns(None, free)
    if len(free) < 2:
        return without_names
    first = free[0]
    rest = free[1:]
    with_names = _NamedColumns(first, rest)
    cells = set(first.cells)
    if len(cells) < len(first.cells) or first.missing.any():
        return without_names
    # Texts that all differ, in front of numbers.
    if first.numbers is None:
        return with_names
    if table.has_header and cells == set(names_of(rest)):
        return with_names
    if len(rest) == len(cells) and are_items(first) and _are_matrix(rest):
        return with_names  # an index of numbers
    return without_names


def _are_matrix(columns: Sequence[Column]) -> bool:
    """Whether as many columns as rows are a matrix, or a triangle of one."""
    numbers = _numbers_of(columns)
    if numbers is None:
        return False
    return matrix_of_block(Block(numbers, None, None), LEAST) is not None


# ---- What is wrong with a matrix -----------------------------------------------------------------


def _completed(table: Table, block: Block) -> Block:
    """A matrix in which single missing cells have the numbers of their mirror cells.

    Raises
    ------
    DataError
        If these are missing as well: no column tells the distance of two items.
    """
    values = block.values
    n, p = values.shape
    # An empty triangle is that of a matrix with each number once.
    if n != p or not np.isnan(values).any() or mirror(block) is not None:
        return block
    places = list(range(n))
    if block.has_same_names:
        places = block.places_of_rows()
    aligned = values[:, places]
    full = np.where(np.isnan(aligned), aligned.T, aligned)
    missing = np.argwhere(np.isnan(full) & ~np.eye(n, dtype=bool))
    if len(missing):
        i, j = missing[0]
        names = block.names or tuple(map(str, range(n)))
        raise DataError(
            f"{table.where}, {table.place(i)}: the number of {names[i]!r}, {names[j]!r} is missing "
            "in both directions; write it, or drop one of the items"
        )
    completed = np.empty_like(values)
    completed[:, places] = full
    return replace(block, values=completed)


def _check_same_names(table: Table, block: Block) -> None:
    """Raise `DataError` if only some names of rows and columns are equal."""
    rows = block.row_names or ()
    columns = block.column_names or ()
    # Without any name in common, rows and columns are no items alike.
    if not set(rows) & set(columns):
        return
    without_column = [name for name in rows if name not in columns]
    without_row = [name for name in columns if name not in rows]
    if without_column:
        raise DataError(
            f"{table.where}: the row {without_column[0]!r} has no column, and the column "
            f"{without_row[0]!r} no row; give rows and columns the same names"
        )


def check_no_asymmetric_matrix(values: NDArray[Any], where: str) -> None:
    """Raise `DataError` for a matrix without names that has two halves, and would be vectors.

    By its diagonal it has distances, or correlations.
    """
    n, p = values.shape
    if n != p or n < _LEAST_UNNAMED or np.isnan(values).any():
        return
    diagonal = values.diagonal()
    off_diagonal = values[~np.eye(n, dtype=bool)]
    are_distances = not diagonal.any() and bool((off_diagonal > 0).all())
    are_correlations = bool((diagonal == 1).all() and (np.abs(off_diagonal) < 1).all())
    if not are_distances and not are_correlations:
        return
    differences = np.abs(values - values.T)
    i, j = np.unravel_index(int(differences.argmax()), values.shape)
    written = pasted_name(where, {"similarity": False})
    raise DataError(
        f"{where}: by its diagonal this is a matrix of distances or similarities, but it is not "
        f"symmetric: items {i} and {j} have {values[i, j]:.6g}, and in the other order "
        f"{values[j, i]:.6g}; correct the file, or write {written} if the rows are vectors"
    )


def _check_asymmetry(table: Table, block: Block) -> None:
    """Raise `DataError` for a matrix of items, by its names and its diagonal, with two halves.

    Which half is right, or whether the rows are vectors after all, is asked.
    """
    n, p = block.values.shape
    if n != p or n < LEAST or not block.has_same_names or np.isnan(block.values).any():
        return
    aligned = block.in_order_of_rows()
    values = aligned.values
    # Tables of counts, such as confusion matrices, have other diagonals.
    if not is_diagonal(values.diagonal()):
        return
    differences = np.abs(values - values.T)
    if differences.max() <= ROUNDED * np.abs(values).max():
        return
    i, j = np.unravel_index(int(differences.argmax()), values.shape)
    names = aligned.names or ()
    way_out = "correct the file"
    if Path(table.where).suffix.lower() not in PHYLIP:
        written = pasted_name(table.where, {"similarity": False})
        way_out += f", or write {written} if the rows are vectors"
    raise DataError(
        f"{table.where}, {table.place(i)}: rows and columns have the same names, but {names[i]!r}, "
        f"{names[j]!r} has {values[i, j]:.6g}, and in the other order {values[j, i]:.6g}; "
        f"{way_out}"
    )
