"""The content of a user's file, independent of its format, and the checks common to all formats."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hcbench import Comparisons, DataError, ModelWarning

if TYPE_CHECKING:
    from hcbench import Vectors

_SHOWN = 12  # columns listed in a message


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Content:
    """The parts of a `hcbench.Problem` that a file holds, each None if it does not."""

    vectors: Vectors | None = None
    similarity: NDArray[np.floating[Any]] | None = None
    levels: NDArray[np.str_] | None = None
    names: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """Roles that the user gives to columns of a table, by name."""

    labels: tuple[str, ...] = ()
    names: str | None = None
    drop: tuple[str, ...] = ()

    @property
    def named(self) -> tuple[str, ...]:
        """All columns with a role."""
        return (*self.labels, *(() if self.names is None else (self.names,)), *self.drop)


@dataclass(frozen=True, slots=True)
class Places:
    """Positions of the columns with each role."""

    numeric: tuple[int, ...]
    labels: tuple[int, ...]
    names: int | None


def place(columns: Sequence[str], roles: Roles, where: str) -> Places:
    """Find the columns of each role; columns without a role must be numeric."""
    _check_distinct(columns, "two columns are named {!r}; rename one", where)
    _check_distinct(roles.named, "column {!r} is given two roles in labels, names, drop", where)
    position = {name: i for i, name in enumerate(columns)}
    for name in roles.named:
        if name not in position:
            raise DataError(
                f"{where}: there is no column {name!r}; there are {_abbreviated(columns)}"
            )
    taken = {position[name] for name in roles.named}
    numeric = tuple(i for i in range(len(columns)) if i not in taken)
    if not numeric:
        raise DataError(f"{where}: no numeric column is left; there are {_abbreviated(columns)}")
    return Places(
        numeric,
        tuple(position[name] for name in roles.labels),
        None if roles.names is None else position[roles.names],
    )


def _check_distinct(names: Sequence[str], message: str, where: str) -> None:
    if len(set(names)) < len(names):
        duplicate = next(name for i, name in enumerate(names) if name in names[:i])
        raise DataError(f"{where}: {message.format(duplicate)}")


def _abbreviated(columns: Sequence[str]) -> str:
    shown = ", ".join(columns[:_SHOWN])
    return shown if len(columns) <= _SHOWN else f"{shown} and {len(columns) - _SHOWN} more"


def is_missing_label(text: str) -> bool:
    """Whether a label or name is empty or NaN; any other word may be a class."""
    return text in {"", "nan", "NaN"}


def table_of_labels(columns: Sequence[Sequence[str]]) -> NDArray[np.str_] | None:
    """Class labels (n, L) of one sequence per level; None if there is none."""
    return np.column_stack([np.asarray(column) for column in columns]) if columns else None


def check_rows(n: int, where: str) -> None:
    """Raise `DataError` if there are fewer than two items."""
    if n < 2:
        items = "no items" if n == 0 else "one item"
        raise DataError(
            f"{where}: there is {items}, below the header if any; at least 2 are needed"
        )


def check_names(names: Sequence[str], rows: Sequence[str], where: str) -> tuple[str, ...]:
    """Raise `DataError` for missing or equal names; ``rows`` locate each one, as "line 3"."""
    seen: dict[str, str] = {}
    for name, row in zip(names, rows, strict=True):
        if is_missing_label(name):
            raise DataError(
                f"{where}, {row}: the item has no name; give it one, or drop the column"
            )
        if name in seen:
            raise DataError(
                f"{where}: {seen[name]} and {row} are both named {name!r}; "
                "rename one, or drop the column"
            )
        seen[name] = row
    return tuple(names)


def check_square(matrix: NDArray[Any], where: str) -> None:
    """Raise `DataError` unless the matrix is square and symmetric."""
    rows, columns = matrix.shape
    if rows != columns:
        raise DataError(
            f"{where}: similarities and distances are an n x n matrix, got {rows} x {columns}; "
            "omit similarity or distance if these are vectors"
        )
    unequal = ~np.isclose(matrix, matrix.T, rtol=1e-8, atol=1e-12)
    if unequal.any():
        i, j = np.unravel_index(int(unequal.argmax()), unequal.shape)
        raise DataError(
            f"{where}: the matrix must be symmetric, but the value of items {i} and {j} is "
            f"{matrix[i, j]} in one direction and {matrix[j, i]} in the other; take the mean"
        )


def note_contradictions(comparisons: Comparisons) -> None:
    """Add a note if some queries have both answers; all comparisons are kept."""
    number = comparisons.contradictions()
    if number:
        warnings.warn(
            f"{number} of the queries have been answered in both ways",
            ModelWarning,
            stacklevel=3,
        )
