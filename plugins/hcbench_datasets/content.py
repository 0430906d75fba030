"""What a user's file holds, independent of its format, and the checks common to all formats."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError
from hcbench.model import are_codes, number_text, suggestion
from hcbench_datasets.cell_texts import (
    is_missing_anywhere,
    is_missing_label,
    is_missing_number,
    looks_numeric,
)

if TYPE_CHECKING:
    from pathlib import Path

    from hcbench.model import Vectors

_DIGITS = re.compile(r"\+?\d+", re.ASCII)  # of which some have leading zeros or are telephones
_SHOWN = 12  # columns listed in a message
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
    def columns(self) -> tuple[str, ...]:
        """All columns with a role."""
        of_names: tuple[str, ...] = ()
        if self.names is not None:
            of_names = (self.names,)
        return self.labels + of_names + self.drop


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
        return np.array(list(map(is_missing_anywhere, self.cells)))

    @property
    def classes(self) -> list[str]:
        """The different cells that are not missing, sorted."""
        # Large columns have few classes: each is looked at once.
        different = set(self.cells)
        return sorted(text for text in different if not is_missing_anywhere(text))

    @property
    def cells(self) -> Sequence[str]:
        """The cells as texts."""
        if self.texts is not None:
            return self.texts
        assert self.numbers is not None
        return list(map(number_text, self.numbers.tolist()))

    @property
    def kind(self) -> str:
        """What it holds.

        Numbers, counter, dates, lists (or objects), numbers with units (or separators), texts, or
        numbers and texts.
        """
        if self.numbers is not None:
            steps = np.diff(self.numbers)
            # Two numbers may differ by 1 by chance.
            if len(steps) > 1 and (steps == 1).all():
                return "counter"
            return "numbers"
        return _kind_of_texts([text for text in self.cells if not is_missing_number(text)])

    def take(self, rows: NDArray[np.int64]) -> Column:
        """Some cells of the column, by their rows from 0."""
        numbers = None
        if self.numbers is not None:
            numbers = self.numbers[rows]
        texts = None
        if self.texts is not None:
            texts = [self.texts[row] for row in rows]
        return replace(self, numbers=numbers, texts=texts)


def _kind_of_texts(cells: Sequence[str]) -> str:
    """What a column of texts holds, by its cells that are not missing."""
    if all(map(_DATE.fullmatch, cells)):
        return "dates"
    if cells and all(map(_is_list, cells)):
        return "lists"
    # Such as 007 or 2E10, which numbers would not show as they are written.
    if are_codes(cells) or all(map(_DIGITS.fullmatch, cells)):
        return "texts"
    n_numeric = sum(map(looks_numeric, cells))
    if n_numeric < len(cells) and all(map(_WRITTEN_NUMBER.fullmatch, cells)):
        return "numbers with units"
    # With more texts than numbers, some classes are merely called by numbers.
    if n_numeric >= len(cells) / 2:
        return "numbers and texts"
    return "texts"


def _is_list(cell: str) -> bool:
    """Whether a cell is a list or an object, as JSON writes them."""
    return cell[0] + cell[-1] in ("[]", "{}")


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
        return names_of(self.columns)

    def column(self, name: str) -> Column:
        """The column of that name."""
        return next(column for column in self.columns if column.name == name)

    def columns_named(self, names: Iterable[str]) -> list[Column]:
        """The columns of these names, in their order."""
        return list(map(self.column, names))

    def columns_without_role(self, roles: Roles) -> list[Column]:
        """The columns to which no role is given."""
        return [column for column in self.columns if column.name not in roles.columns]

    def places(self) -> list[str]:
        """Where each row is in the file."""
        return [self.place(row) for row in range(len(self.lines))]

    def place(self, row: int | np.integer[Any]) -> str:
        """Where a row (from 0) is in the file, such as "line 3"."""
        return f"{self.line} {self.lines[row]}"

    def take(self, rows: NDArray[np.int64]) -> Table:
        """Some rows of the table, numbered from 0."""
        columns = tuple(column.take(rows) for column in self.columns)
        return replace(self, columns=columns, lines=self.lines[rows])


def names_of(columns: Iterable[Column]) -> list[str]:
    """The names of columns."""
    return [column.name for column in columns]


def with_numbers(columns: Iterable[Column]) -> list[Column]:
    """The columns of numbers."""
    return [column for column in columns if column.numbers is not None]


def with_texts(columns: Iterable[Column]) -> list[Column]:
    """The columns of texts."""
    return [column for column in columns if column.numbers is None]


def places(noun: str, first: int, n: int) -> list[str]:
    """The places of n items, such as "line 2", "line 3", for messages."""
    return [f"{noun} {number}" for number in range(first, first + n)]


def check_columns(columns: Sequence[str], roles: Roles, where: str) -> None:
    """Raise `DataError` for equal names of columns, and for roles of columns that do not exist."""
    _check_distinct(columns, "two columns are named {!r}; rename one", where)
    _check_distinct(roles.columns, "column {!r} is given two roles in labels, names, drop", where)
    unknown = [name for name in roles.columns + roles.numbers if name not in columns]
    if not unknown:
        return
    noun = "are no columns"
    hint = ""
    # Of several wrong names, the list of the right ones helps more.
    if len(unknown) == 1:
        noun = "is no column"
        hint = suggestion(unknown[0], columns)
    if not hint:
        hint = f"there are {', '.join(columns[:_SHOWN])}"
        if len(columns) > _SHOWN:
            hint += f" and {len(columns) - _SHOWN} more"
    raise DataError(f"{where}: there {noun} {', '.join(map(repr, unknown))}; {hint}")


def _check_distinct(names: Sequence[str], message: str, where: str) -> None:
    for place, name in enumerate(names):
        if name in names[:place]:
            raise DataError(f"{where}: {message.format(name)}")


def table_of_labels(columns: Sequence[Sequence[str]]) -> NDArray[np.str_] | None:
    """Class labels (n, L) of one sequence per level; None if there is none."""
    if not columns:
        return None
    return np.column_stack(columns)


def check_rows(n: int, where: str) -> None:
    """Raise `DataError` if there are fewer than two items."""
    if n >= 2:
        return
    items = "one item"
    if n == 0:
        items = "no items"
    raise DataError(f"{where}: there is {items}, below the header if any; at least 2 are needed")


def check_names(names: Sequence[str], rows: Sequence[str], where: str) -> tuple[str, ...]:
    """Raise `DataError` for missing or equal names; ``rows`` locate each one, as "line 3"."""
    row_of_name: dict[str, str] = {}
    for name, row in zip(names, rows, strict=True):
        # Rather a slip than an item without a name.
        if is_missing_label(name):
            raise DataError(
                f"{where}, {row}: the item has no name; give it one, or drop the column"
            )
        if name in row_of_name:
            raise DataError(
                f"{where}: {row_of_name[name]} and {row} are both named {name!r}; "
                "rename one, or drop the column"
            )
        row_of_name[name] = row
    return tuple(names)


def distinct_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names of which a repeated one has its number, as ``frog 2``."""
    count: Counter[str] = Counter()
    distinct = []
    for name in names:
        count[name] += 1
        if count[name] > 1:
            name = f"{name} {count[name]}"
        distinct.append(name)
    return tuple(distinct)


def unnamed_column(names: Collection[str]) -> str:
    """A name for a first column without one that is no other column's, as pandas writes it."""
    if "1" in names:
        return "Unnamed: 0"
    return "1"


def first_line(error: BaseException) -> str:
    """The first line of an error's message, or the name of its class if it has none."""
    lines = str(error).splitlines()
    if not lines:
        return type(error).__name__
    return lines[0]


def no_data(path: Path, keys: Sequence[str]) -> DataError:
    """The error of an archive without a key of data."""
    return DataError(
        f"{path} has {', '.join(keys) or 'no arrays'}, and neither X (or vectors) nor similarity; "
        f"name the arrays by their roles: numpy.savez({path.name!r}, X=..., y=..., names=...)"
    )
