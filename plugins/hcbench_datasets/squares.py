"""Blocks of numbers as matrices of similarities or distances: whole, or one triangle of them."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError, ModelWarning
from hcbench.model import check_square, kind_of_square, largest_asymmetry

ROUNDED = 1e-3
"""Asymmetry of a matrix, relative to its largest entry, that is due to numbers of three digits."""

_ROUNDED_SINGLE = 1e-6  # likewise of single precision, which needs no note

LEAST = 3
"""Rows of a triangle, or items of a list of pairs, from which these are recognised."""

_ROUNDING = 1e-6  # of the largest entry, in single precision

Names = tuple[str, ...]
Kind = Literal["distance", "similarity"]
KINDS: dict[str, Kind] = {"distances": "distance", "similarities": "similarity"}
"""The parameters for what `hcbench.model.kind_of_square` says."""

WAYS = ("similarities", "distances", "vectors")
_WAYS_OF_PARTS = ("similarities", "distances")  # vectors have no empty cells


@dataclass(frozen=True, slots=True, eq=False)
class Matrix:
    """A matrix in a table.

    Attributes
    ----------
    values : (n, n) array
        NaN where a pair is missing.
    names : tuple of str, optional
    form : str
        How the table holds it, for messages.
    kind : {"distance", "similarity"}, optional
        None if that cannot be known.
    ways : tuple of {"similarities", "distances", "vectors"}
        What the numbers may be.
    """

    values: NDArray[np.float64]
    names: Names | None
    form: str
    kind: Kind | None
    ways: tuple[str, ...] = WAYS


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """The numbers of a table, with the names of their rows and columns.

    Attributes
    ----------
    values : (n, p) array
        NaN where a cell is empty.
    row_names, column_names : tuple of str, optional
        None where the table has none.
    """

    values: NDArray[np.float64]
    row_names: Names | None
    column_names: Names | None

    @property
    def has_same_names(self) -> bool:
        """Whether rows and columns have the same names, in any order."""
        if self.row_names is None or self.column_names is None:
            return False
        return set(self.row_names) == set(self.column_names)

    @property
    def names(self) -> Names | None:
        """The names of the items: those of the rows if they have some."""
        if self.row_names is None:
            return self.column_names
        return self.row_names

    def transposed(self) -> Block:
        """The block with its rows as columns."""
        return Block(self.values.T, self.column_names, self.row_names)

    def places_of_rows(self) -> list[int]:
        """Where each row has its column, by name; rows and columns have the same names."""
        assert self.row_names is not None
        assert self.column_names is not None
        places = places_of(self.column_names)
        return [places[name] for name in self.row_names]

    def in_order_of_rows(self) -> Block:
        """The block with its columns in the order of its rows, which have the same names."""
        return Block(self.values[:, self.places_of_rows()], self.row_names, self.row_names)


def places_of(names: Iterable[str]) -> dict[str, int]:
    """The place of each name, from 0."""
    return {name: place for place, name in enumerate(names)}


def matrix_of_block(block: Block, least: int) -> Matrix | None:
    """The matrix that a block of numbers holds; None if it holds none.

    Parameters
    ----------
    block : Block
    least : int
        Items of a matrix that is recognised.
    """
    if block.has_same_names:
        block = block.in_order_of_rows()
    mirrored = mirror(block)
    if mirrored is not None:
        values = mirrored.values
        ways = possible_ways(values, _WAYS_OF_PARTS)
        return Matrix(values, mirrored.names, "one triangle of a matrix", kind_of(values), ways)
    values = block.values
    n, p = values.shape
    # Fewer items look like a matrix by chance.
    if n != p or n < least:
        return None
    if n >= LEAST and _lacks_diagonal(values):
        form = "a symmetric matrix without its diagonal"
        return Matrix(values, block.names, form, None, possible_ways(values, _WAYS_OF_PARTS))
    # Vectors with missing numbers.
    if np.isnan(values).any():
        return None
    above_diagonal = np.triu_indices(n, 1)
    is_empty_above = not values[above_diagonal].any()
    is_empty_below = not values.T[above_diagonal].any()
    if is_empty_above and is_empty_below:
        return None  # a diagonal matrix
    if is_empty_above or is_empty_below:
        values = values + np.where(np.eye(n, dtype=bool), 0, values.T)
        form = "one triangle of a matrix, with zeros in the other"
        return Matrix(values, block.names, form, kind_of(values))
    return _symmetric(values, block.names)


def _lacks_diagonal(values: NDArray[np.float64]) -> bool:
    """Whether a square is symmetric, and has no numbers in its diagonal alone."""
    if not np.array_equal(np.isnan(values), np.eye(len(values), dtype=bool)):
        return False
    filled = np.nan_to_num(values)
    return bool(np.abs(filled - filled.T).max() <= ROUNDED * np.abs(filled).max())


def _symmetric(values: NDArray[np.float64], names: Names | None) -> Matrix | None:
    """The matrix that a square of numbers is; None if it is not symmetric."""
    kind = kind_of_square(values)
    asymmetry = np.abs(values - values.T).max()
    if kind == "vectors" or asymmetry > ROUNDED * np.abs(values).max():
        return None
    if kind == "unclear":
        # It may be so by rounding alone.
        kind = kind_of_square((values + values.T) / 2)
    ways = possible_ways(values, WAYS)
    return Matrix(values, names, "a symmetric matrix", KINDS.get(kind), ways)


def possible_ways(values: NDArray[Any], ways: tuple[str, ...]) -> tuple[str, ...]:
    """What a matrix may be: distances are never negative, and 0 of an item to itself."""
    filled = np.nan_to_num(values)
    rounding = _ROUNDING * np.abs(filled).max()
    if filled.min() < -rounding or np.abs(filled.diagonal()).max() > rounding:
        return tuple(way for way in ways if way != "distances")
    return ways


def kind_of(values: NDArray[np.float64]) -> Kind | None:
    """What a symmetric matrix holds; None if its diagonal is missing, or it may be either."""
    if np.isnan(values).any():
        return None
    return KINDS.get(kind_of_square(values))


def mirror(block: Block) -> Block | None:
    """The whole of a matrix of which one triangle has numbers, and the other none.

    None if the block is none. The names of the result are those of the items; its diagonal is NaN
    where the triangle has none.
    """
    if not np.isnan(block.values).any():
        return None
    n, p = block.values.shape
    for triangle in (block, block.transposed()):
        # An upper triangle is the transpose of a lower one.
        if n == p and n >= LEAST and _is_lower(triangle.values, with_diagonal=False):
            return _whole(triangle.values, block.names)
        if n == p and _is_lower(triangle.values, with_diagonal=True):
            return _mirror_with_diagonal(triangle, block.names)
        n_rows, n_columns = triangle.values.shape
        is_without_last = n_rows == n_columns + 1 and n_rows >= LEAST
        if is_without_last and _is_lower(triangle.values, with_diagonal=False):
            # The last item has no column, as nothing is below its diagonal.
            values = np.full((n_rows, n_rows), np.nan)
            values[:, :n_columns] = triangle.values
            return _whole(values, triangle.row_names)
    return None


def _is_lower(values: NDArray[np.float64], *, with_diagonal: bool) -> bool:
    """Whether all cells of the lower triangle have numbers, and no other ones."""
    above = 0 if with_diagonal else -1
    expected = np.tril(np.ones(values.shape, dtype=bool), above)
    return np.array_equal(~np.isnan(values), expected)


def _mirror_with_diagonal(triangle: Block, names: Names | None) -> Block | None:
    """The whole of a square lower triangle that has its diagonal.

    Its first row may be that of the second item, as R prints distances: what looks like a diagonal
    then has the distances of neighbours.
    """
    n = len(triangle.values)
    shifted = np.full((n + 1, n + 1), np.nan)
    shifted[1:, :-1] = triangle.values
    of_rows = triangle.row_names
    of_columns = triangle.column_names
    if of_rows is not None and of_columns is not None:
        is_shifted = of_rows != of_columns and of_rows[:-1] == of_columns[1:]
        if is_shifted:
            return _whole(shifted, of_columns[:1] + of_rows)
    if n < LEAST:
        return None
    if names is None and not is_diagonal(triangle.values.diagonal()):
        return _whole(shifted, None)
    return _whole(triangle.values, names)


def symmetric_matrix(matrix: NDArray[Any], where: str) -> NDArray[Any]:
    """A square matrix that is symmetric to the last bit: rounding errors are averaged out.

    Raises
    ------
    DataError
        If it is not square, or the halves differ by more than rounding to three digits.
    """
    rows, columns = matrix.shape
    # Vectors that are called similarities, most likely.
    if rows != columns:
        raise DataError(
            f"{where}: similarities and distances are an n x n matrix, got {rows} x {columns}; "
            "omit similarity or distance if these are vectors"
        )
    largest = float(max(matrix.max(initial=0.0), -matrix.min(initial=0.0)))
    asymmetry, _, _ = largest_asymmetry(matrix)
    # This raises the error, which names the items.
    if asymmetry > ROUNDED * largest:
        check_square(matrix, where)
    if asymmetry > _ROUNDED_SINGLE * largest:
        warnings.warn(
            f"the halves of the matrix differ by up to {asymmetry:.2g}, as by rounding; their mean "
            "is used",
            ModelWarning,
            stacklevel=3,
        )
    mean: NDArray[Any] = matrix
    if asymmetry:
        half = 0.5 * matrix  # the sum of two large numbers may overflow
        mean = half + half.T
    return mean


def is_diagonal(values: NDArray[np.float64]) -> bool:
    """Whether these may be the values of items with themselves: all 0, or all 1."""
    return bool((values == values[0]).all() and values[0] in (0, 1))


def _whole(lower: NDArray[np.float64], names: Names | None) -> Block:
    """The matrix of a lower triangle; a diagonal that is missing stays NaN."""
    below = np.tril(np.nan_to_num(lower), -1)
    values: NDArray[np.float64] = below + below.T
    np.fill_diagonal(values, lower.diagonal())
    return Block(values, names, names)


def with_diagonal(matrix: Matrix, kind: Kind) -> NDArray[np.float64]:
    """The values, with a diagonal where the file has none: no distance, the largest similarity."""
    values = matrix.values.copy()
    absent = np.isnan(values.diagonal())
    if absent.any():
        of_itself = 0.0
        if kind == "similarity":
            of_itself = max(np.nanmax(values), 1.0)
        values[absent, absent] = of_itself
    return values
