"""What a user's file holds, independent of its format, and the checks common to all formats."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError, ModelWarning
from hcbench.model import (
    are_codes,
    check_square,
    largest_asymmetry,
    number_text,
    read_number,
    shell_command,
    suggestion,
)
from hcbench.registry import format_name

if TYPE_CHECKING:
    from pathlib import Path

    from hcbench import Comparisons
    from hcbench.model import Vectors

_MISSING_TEXTS = frozenset({"", "n/a", "#n/a", "nan", "?", "<na>"})

#: Representations of a missing number, in lower case; those that are added may be classes of texts.
MISSING = _MISSING_TEXTS | {"na", "null", "none", "missing", "-", "--", "\u2013", "\u2014", "."}

_DIGITS = re.compile(r"\+?\d+", re.ASCII)  # of which some have leading zeros or are telephones
ROUNDED = 1e-3
"""Asymmetry of a matrix, relative to its largest entry, that is due to numbers of three digits."""
_ROUNDED_SINGLE = 1e-6  # likewise of single precision, which needs no note
_MANY_COMPARISONS = 5  # in which an item is usually
_SHOWN = 12  # columns listed in a message
_WORDS_OF_TOML = ("true", "false", "inf", "nan", "none")
_FOUND = ("header", "distance", "similarity", "comparisons")  # found in a file unless given
_DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}([-/.]\d{1,2}([ T]\d{1,2}:.*)?)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}",
    re.ASCII,
)
# A number with a currency before it, with separators of thousands, or with a unit after it.
_WRITTEN_NUMBER = re.compile(
    r"[$€£¥]?\s?[-+]?(\d{1,3}([,. '\u2019]\d{3})+|\d+)([.,]\d+)?(\s?%|\s[^\d\s]{1,6})?",
    re.ASCII,
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Content:
    """The parts of a `hcbench.Problem` that a file holds, each None if it does not."""

    vectors: Vectors | None = None
    similarity: NDArray[np.floating[Any]] | None = None
    levels: NDArray[np.str_] | None = None
    names: tuple[str, ...] | None = None
    features: tuple[str, ...] | None = None  # the names of the columns of the vectors


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """Roles that the user gives to columns of a table, by name."""

    labels: tuple[str, ...] = ()
    names: str | None = None
    drop: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()  # used as such whatever they look like

    @property
    def named(self) -> tuple[str, ...]:
        """All columns with a role."""
        return (*self.labels, *(() if self.names is None else (self.names,)), *self.drop)


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A column of a table.

    Attributes
    ----------
    name : str
    numbers : (n,) array, optional
        NaN where a cell is missing; None for a column of texts.
    texts : list of str, optional
        The cells of a column with a role, or with a text that is no number.
    order : tuple of str
        The classes in the order that the file has for them, as of the codes in SPSS; empty if it
        has none.
    """

    name: str
    numbers: NDArray[np.float64] | None = None
    texts: Sequence[str] | None = None
    order: tuple[str, ...] = ()

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which cells (n,) are missing."""
        if self.numbers is not None:
            return np.isnan(self.numbers)
        return np.array([text.lower() in _MISSING_TEXTS for text in self.cells])

    @property
    def classes(self) -> list[str]:
        """The different cells that are not missing, sorted."""
        return sorted({text for text in self.cells if text.lower() not in _MISSING_TEXTS})

    @property
    def cells(self) -> Sequence[str]:
        """The cells as texts."""
        if self.texts is not None:
            return self.texts
        assert self.numbers is not None
        return [number_text(number) for number in self.numbers.tolist()]

    @property
    def kind(self) -> str:
        """What it holds.

        Numbers, counter, dates, lists (or objects), numbers with units (or separators), texts, or
        numbers and texts.
        """
        if self.numbers is not None:
            steps = np.diff(self.numbers)
            return "counter" if len(steps) > 1 and (steps == 1).all() else "numbers"
        present = [text for text in self.cells if text.lower() not in MISSING]
        if all(_DATE.fullmatch(text) for text in present):
            return "dates"
        if present and all(text[0] + text[-1] in ("[]", "{}") for text in present):
            return "lists"
        if are_codes(present) or all(map(_DIGITS.fullmatch, present)):
            return "texts"
        numeric = sum(map(looks_numeric, present))
        if numeric < len(present) and all(map(_WRITTEN_NUMBER.fullmatch, present)):
            return "numbers with units"
        return "numbers and texts" if numeric >= len(present) / 2 else "texts"


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """The columns of a table in a file, and how it was read.

    Attributes
    ----------
    where : str
        The file, for messages.
    columns : tuple of Column
    lines : (n,) int array
        The place of each row in the file.
    line : str
        What ``lines`` count: "line" or "row".
    has_header : bool
    format : str
        The delimiter, decimal mark and encoding, for `hcbench inspect`.
    row_names : str, optional
        The column with the names of the rows, which is the first and has no name in the file.
    is_by_column : bool
        Whether the file has the columns one after another, as JSON has them below its outer keys,
        which may be items as well.
    """

    where: str
    columns: tuple[Column, ...]
    lines: NDArray[np.int64]
    line: str = "row"
    has_header: bool = True
    format: str = ""
    row_names: str | None = None
    is_by_column: bool = False

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]

    def column(self, name: str) -> Column:
        """The column of that name."""
        return next(column for column in self.columns if column.name == name)

    def place(self, row: int | np.integer[Any]) -> str:
        """Where a row (from 0) is in the file, such as "line 3"."""
        return f"{self.line} {self.lines[row]}"


def looks_numeric(cell: str) -> bool:
    """Whether a cell is a number, or missing."""
    if cell.lower() in MISSING:
        return True
    return read_number(cell) is not None


def check_columns(columns: Sequence[str], roles: Roles, where: str) -> None:
    """Raise `DataError` for equal names of columns, and for roles of columns that do not exist."""
    _check_distinct(columns, "two columns are named {!r}; rename one", where)
    _check_distinct(roles.named, "column {!r} is given two roles in labels, names, drop", where)
    unknown = [name for name in (*roles.named, *roles.numbers) if name not in columns]
    if unknown:
        listed = ", ".join(columns[:_SHOWN])
        if len(columns) > _SHOWN:
            listed += f" and {len(columns) - _SHOWN} more"
        noun = "is no column" if len(unknown) == 1 else "are no columns"
        hint = f"there are {listed}"
        if len(unknown) == 1:
            hint = suggestion(unknown[0], columns) or hint
        raise DataError(f"{where}: there {noun} {', '.join(map(repr, unknown))}; {hint}")


def _check_distinct(names: Sequence[str], message: str, where: str) -> None:
    if len(set(names)) < len(names):
        duplicate = next(name for i, name in enumerate(names) if name in names[:i])
        raise DataError(f"{where}: {message.format(duplicate)}")


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


def symmetric_matrix(matrix: NDArray[Any], where: str) -> NDArray[Any]:
    """A square matrix that is symmetric to the last bit: rounding errors are averaged out.

    Raises
    ------
    DataError
        If it is not square, or the halves differ by more than rounding to three digits.
    """
    rows, columns = matrix.shape
    if rows != columns:
        raise DataError(
            f"{where}: similarities and distances are an n x n matrix, got {rows} x {columns}; "
            "omit similarity or distance if these are vectors"
        )
    largest = float(max(matrix.max(initial=0.0), -matrix.min(initial=0.0)))
    asymmetry, _, _ = largest_asymmetry(matrix)
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


def written_value(value: Any) -> str:
    """A value of a parameter as it is written in a name of a file."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{','.join(written_value(element) for element in value)}]"
    text = str(value)
    is_word = re.fullmatch(r"[A-Za-z_][\w.-]*", text, re.ASCII) and text not in _WORDS_OF_TOML
    return text if is_word else json.dumps(text, ensure_ascii=False)


def set_params(params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that decide something: ``similarity=false`` does, and ``log=false`` does not.

    Parameters
    ----------
    params : mapping of str to value
    """
    deciding = {}
    for name, value in params.items():
        is_refused = value is False and name in _FOUND
        if is_refused or value not in (None, (), [], False, ""):
            deciding[name] = value
    return deciding


def with_params(path: str, params: Mapping[str, Any]) -> str:
    """The name of a file with parameters, as ``--datasets`` reads it.

    Parameters
    ----------
    path : str
    params : mapping of str to value
        Those that are empty or false are omitted, but for those that decide what is found in the
        file where they are not given, such as ``header=false``.
    """
    given = []
    for name, value in set_params(params).items():
        given.append(f"{name}={written_value(value)}")
    name = format_name(path, {})
    return f"{name}[{','.join(given)}]" if given else name


def pasted_name(path: str, params: Mapping[str, Any]) -> str:
    """The name of `with_params`, as one word that can be pasted into a command.

    Parameters
    ----------
    path : str
    params : mapping of str to value
    """
    return shell_command(with_params(path, params))


def note_contradictions(comparisons: Comparisons) -> None:
    """Add a note if some queries have both answers; all comparisons are kept."""
    number = comparisons.contradictions()
    if number:
        warnings.warn(
            f"{number} of the queries have been answered in both ways",
            ModelWarning,
            stacklevel=3,
        )


def note_rare_items(comparisons: Comparisons, names: Sequence[str] | None) -> None:
    """Add a note about a name in a single comparison where others are in many: a slip, perhaps."""
    if names is None or not len(comparisons):
        return
    rows = np.sort(comparisons.quadruplets(), axis=1)
    # The common item of a triplet is in two places of its row, and counts once.
    is_first = np.ones(rows.shape, dtype=bool)
    is_first[:, 1:] = rows[:, 1:] != rows[:, :-1]
    n_rows = np.bincount(rows[is_first], minlength=comparisons.n)
    rare = np.flatnonzero(n_rows == 1)
    if not rare.size or np.median(n_rows) < _MANY_COMPARISONS:
        return
    listed = ", ".join(repr(names[item]) for item in rare[:3])
    if rare.size > 3:
        listed += ", ..."
    warnings.warn(
        f"in a single comparison each: {listed}; is it written as in the others?",
        ModelWarning,
        stacklevel=3,
    )


def no_data(path: Path, keys: Sequence[str]) -> DataError:
    """The error of an archive without a key of data."""
    return DataError(
        f"{path} has {', '.join(keys) or 'no arrays'}, and neither X (or vectors) nor similarity; "
        f"name the arrays by their roles: numpy.savez({path.name!r}, X=..., y=..., names=...)"
    )
