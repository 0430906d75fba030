"""Lists of pairs of items, each with its distance or similarity, as matrices."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError
from hcbench.files import comparison_columns
from hcbench.model import read_number
from hcbench_datasets.columns import are_items
from hcbench_datasets.content import Column, Table, names_of, with_texts
from hcbench_datasets.file_names import pasted_name
from hcbench_datasets.squares import KINDS, LEAST, WAYS, Kind, Matrix, Names, kind_of, places_of

_DISTANCE = re.compile(r"(.*[\W_])?(d|dist|dists|distances?|dissim\w*|divergence)([\W_].*)?", re.I)
_SIMILARITY = re.compile(
    r"(.*[\W_])?(s|sim|similarit\w*|cor|corr|correlation|affinity|proximity|kernel)([\W_].*)?", re.I
)
_PAIRED = re.compile(
    r"(item|id|name|node|sample|species|gene|object|seq|sequence|element|var|x|v)?[\W_]?"
    r"(1|2|i|j|a|b|from|to|source|target|query|subject|row|col|column|left|right|first|second)",
    re.I,
)
_ROUNDING = 1e-8  # of the largest number, between the two orders of a pair

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """A list of pairs.

    Attributes
    ----------
    table : Table
    first, second : Column
        The items of each pair.
    value : Column
        The number of each pair.
    pairs : list of pair of str
        The two items of each row.
    kind : {"distance", "similarity"}, optional
        What the numbers are by their name; None if it does not say so.
    """

    table: Table
    first: Column
    second: Column
    value: Column
    pairs: list[Pair]
    kind: Kind | None

    @property
    def have_names(self) -> bool:
        """Whether the items have texts as names, and no numbers."""
        return self.first.numbers is None and self.second.numbers is None

    @property
    def ways(self) -> tuple[str, ...]:
        """What the numbers may be."""
        ways = []
        for way in WAYS:
            # Vectors have no kind, and are excluded by names alone.
            has_kind = self.kind is None or KINDS.get(way, self.kind) == self.kind
            if has_kind and not (way == "vectors" and self.have_names):
                ways.append(way)
        return tuple(ways)


def matrix_of_pairs(table: Table, columns: Sequence[Column]) -> Matrix | None:
    """The matrix of a list of pairs; None if the columns are none.

    Three columns are such a list by their names, or if all pairs of the items are there, once or
    in both orders with the same number.

    Parameters
    ----------
    table : Table
    columns : sequence of Column
        Those without a role.

    Raises
    ------
    DataError
        If it is one by its names, and a pair is missing, repeated or contradictory.
    """
    if len(columns) != 3 or len(table.lines) < LEAST:
        return None
    first, second, value = columns
    # Each row needs two items and a number.
    if value.numbers is None or not _are_complete_items(first) or not _are_complete_items(second):
        return None
    kind = None
    if table.has_header:
        kind = _kind_by_name(value.name)
    pairs = list(zip(first.cells, second.cells, strict=True))
    listed = _Pairs(table, first, second, value, pairs, kind)
    names = _items_in_order(first, second)
    is_complete = _is_complete(pairs, len(names))
    is_named = _is_named_so(listed)
    if not is_named and not is_complete:
        return None
    if is_named:
        _check_pairs(listed, is_complete=is_complete)
    elif len(set(pairs)) < len(pairs) or value.missing.any():
        return None
    values = _square_of_pairs(pairs, value.numbers, names)
    tolerance = _ROUNDING * np.abs(value.numbers).max()
    differing = np.argwhere(np.abs(values - values.T) > tolerance)
    if len(differing):
        if not is_named:
            return None
        i, j = differing[0]
        raise DataError(
            f"{table.where}: {names[i]!r}, {names[j]!r} has {values[i, j]:.6g}, and in the other "
            f"order {values[j, i]:.6g}; leave one of them"
        )
    # Lists may have each pair in one order only.
    full = np.where(np.isnan(values), values.T, values)
    form = f"a list of pairs ({first.name}, {second.name}) with the column {value.name!r}"
    return Matrix(full, names, form, kind or kind_of(full), listed.ways)


def _are_complete_items(column: Column) -> bool:
    return not column.missing.any() and are_items(column)


def _is_complete(pairs: Sequence[Pair], n: int) -> bool:
    """Whether all pairs of n items are listed, in any order."""
    unordered = {frozenset(pair) for pair in pairs if pair[0] != pair[1]}
    return n >= LEAST and len(unordered) == n * (n - 1) // 2


def _square_of_pairs(
    pairs: Sequence[Pair], numbers: NDArray[np.float64], names: Names
) -> NDArray[np.float64]:
    """The numbers of pairs as a matrix; NaN where a pair is not in the list."""
    places = places_of(names)
    values = np.full((len(names), len(names)), np.nan)
    for (row_name, column_name), number in zip(pairs, numbers.tolist(), strict=True):
        values[places[row_name], places[column_name]] = number
    return values


def _is_named_so(listed: _Pairs) -> bool:
    """Whether two columns are items of pairs by their names, such as item1 and item2."""
    first = listed.first
    second = listed.second
    if not listed.table.has_header:
        return False
    # Two columns of names and one called distance, say.
    if listed.have_names and listed.kind is not None:
        return _share_items(first, second)
    if not _PAIRED.fullmatch(first.name) or not _PAIRED.fullmatch(second.name):
        return False
    if listed.have_names:
        return True
    # Columns a, b and d of numbers may be measures.
    return listed.kind is not None and min(len(first.name), len(second.name)) > 1


def _share_items(first: Column, second: Column) -> bool:
    """Whether at least half of all items are in both columns."""
    in_first = set(first.cells)
    in_second = set(second.cells)
    return len(in_first & in_second) >= len(in_first | in_second) / 2


def check_one_number_each(table: Table, columns: Sequence[Column]) -> None:
    """Raise `DataError` for a list of pairs with several columns of numbers.

    Parameters
    ----------
    table : Table
    columns : sequence of Column
        Those without a role.
    """
    texts = with_texts(columns)
    if len(texts) < 2 or not all(map(_PAIRED.fullmatch, names_of(texts[:2]))):
        return
    places = comparison_columns(names_of(columns))
    if places is not None and are_items(columns[places["k"]]):
        # Comparisons of items by name: i, j, k, and who has answered.
        return
    first, second = texts[:2]
    # Two columns of texts with different contents are properties of items.
    if not _share_items(first, second):
        return
    values = [column for column in columns if column is not first and column is not second]
    names = names_of(values)
    # One whose name says what it has, else the first.
    kept = next(filter(_kind_by_name, names), names[0])
    kind = _kind_by_name(kept) or "distance"
    drop = [name for name in names if name != kept]
    written = pasted_name(table.where, {"drop": drop, kind: True})
    raise DataError(
        f"{table.where}: a list of pairs ({first.name}, {second.name}) with several columns "
        f"({', '.join(names)}); keep one of them, as in {written}"
    )


def _items_in_order(first: Column, second: Column) -> Names:
    """The items of both columns: numbers by size, names in the order of the file."""
    # A dict keeps the order in which its keys were added.
    items = dict.fromkeys(first.cells)
    items.update(dict.fromkeys(second.cells))
    names = list(items)
    numbers = [read_number(name) for name in names]
    if None in numbers:
        return tuple(names)
    in_order = sorted(zip(numbers, names, strict=True))
    return tuple(name for _, name in in_order)


def _kind_by_name(name: str) -> Kind | None:
    """What numbers are by the name of their column; None if it does not say so."""
    if _DISTANCE.fullmatch(name):
        return "distance"
    if _SIMILARITY.fullmatch(name):
        return "similarity"
    return None


def _check_pairs(listed: _Pairs, *, is_complete: bool) -> None:
    """Raise `DataError` if a pair is there twice, has no number, or is missing."""
    table = listed.table
    is_missing = listed.value.missing
    rows: dict[Pair, int] = {}
    for row, pair in enumerate(listed.pairs):
        if pair in rows:
            raise DataError(
                f"{table.where}: {pair[0]!r}, {pair[1]!r} is in {table.place(rows[pair])} and in "
                f"{table.place(row)}; leave one of them"
            )
        rows[pair] = row
        if is_missing[row]:
            raise DataError(
                f"{table.where}, {table.place(row)}: the number of {pair[0]!r}, {pair[1]!r} is "
                "missing; write it"
            )
    if not is_complete:
        _check_all_there(table, rows)


def _check_all_there(table: Table, pairs: dict[Pair, int]) -> None:
    """Raise `DataError` if a pair of the items is in neither order."""
    names: dict[str, None] = {}
    for pair in pairs:
        names.update(dict.fromkeys(pair))
    items = list(names)
    for place, first in enumerate(items):
        for second in items[place + 1 :]:
            if (first, second) not in pairs and (second, first) not in pairs:
                raise DataError(
                    f"{table.where}: a list of pairs of {len(items)} items, without {first!r}, "
                    f"{second!r}; add the pair"
                )
