"""Matrices of similarities or distances in tables: square, half of one, or a list of pairs.

What is recognised here would be wrong as vectors: the cells of an item depend on the other items.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError
from hcbench.files import comparison_columns
from hcbench.model import are_codes, kind_of_square, read_number
from hcbench_datasets.content import ROUNDED, Column, Roles, Table, looks_numeric, pasted_name
from hcbench_datasets.phylip import PHYLIP

_SAMPLE = 50  # rows of which a longer table is known at first
_ROUNDING = 1e-6  # of the largest entry, in single precision
_LEAST_UNNAMED = 4  # rows of a matrix of which only the diagonal tells
_LEAST = 3  # rows of a triangle or a list of pairs
_DISTANCE = re.compile(r"(.*[\W_])?(d|dist|dists|distances?|dissim\w*|divergence)([\W_].*)?", re.I)
_SIMILARITY = re.compile(
    r"(.*[\W_])?(s|sim|similarit\w*|cor|corr|correlation|affinity|proximity|kernel)([\W_].*)?", re.I
)
_PAIRED = re.compile(
    r"(item|id|name|node|sample|species|gene|object|seq|sequence|element|var|x|v)?[\W_]?"
    r"(1|2|i|j|a|b|from|to|source|target|query|subject|row|col|column|left|right|first|second)",
    re.I,
)

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
    names: tuple[str, ...] | None
    form: str
    kind: Kind | None
    ways: tuple[str, ...] = WAYS


# ---- Rows of different lengths -------------------------------------------------------------------


def triangle_of(rows: Sequence[Sequence[str]]) -> str | None:
    """Which triangle of a matrix rows of different lengths are: "lower", "upper" or None.

    Each row has one cell more, or less, than the one above; there may be a header.
    """
    widths = [len(cells) for cells in rows]
    for start in (widths, widths[1:]):
        if len(start) < _LEAST or (start is not widths and not _may_be_header(widths)):
            continue
        steps = set(np.diff(start).tolist())
        if steps == {1} and start[0] <= 2:
            return "lower"
        if steps == {-1} and (start[-1] <= 2 or len(rows) >= _SAMPLE):
            return "upper"
    return None


def _may_be_header(widths: Sequence[int]) -> bool:
    """Whether the first row is as long as the longest row below it, up to its first cell."""
    longest = max(widths[1:])
    is_sample = len(widths) >= _SAMPLE
    return abs(widths[0] - longest) <= 1 or (is_sample and widths[0] >= longest)


def padded_rows(
    rows: Sequence[Sequence[str]], half: str, header: bool | None
) -> tuple[list[list[str]], bool]:
    """The rows of a triangle made equal in length by empty cells, and whether they have a header.

    Parameters
    ----------
    rows : sequence of rows of cells
    half : {"lower", "upper"}
    header : bool or None
        Whether there is a header; None if it is to be found.
    """
    step = 1 if half == "lower" else -1
    if header is None:
        header = len(rows[1]) - len(rows[0]) != step
    body = [list(cells) for cells in rows[header:]]
    longest = max(len(cells) for cells in body)
    if not header:
        return [_padded(cells, longest, half) for cells in body], False
    names = list(rows[0])
    width = max(longest, len(names))
    has_row_names = any(not looks_numeric(cells[0]) for cells in body)
    if has_row_names and names[0] and len(names) == longest - 1:
        names = ["", *names]
    width = max(width, len(names))
    return [names, *(_padded(cells, width, half) for cells in body)], True


def _padded(cells: list[str], width: int, half: str) -> list[str]:
    empty = [""] * (width - len(cells))
    if half == "lower":
        return [*cells, *empty]
    if cells and not looks_numeric(cells[0]):
        return [cells[0], *empty, *cells[1:]]
    return [*empty, *cells]


# ---- Tables --------------------------------------------------------------------------------------


def matrix_of(table: Table, roles: Roles, least: int = 3) -> Matrix | None:
    """The matrix in a table, None if it has none that is recognised.

    Parameters
    ----------
    table : Table
    roles : Roles
        Of columns that are no part of it.
    least : int
        Items of a matrix; two rows of two numbers may be anything unless the user says so.
    """
    free = [column for column in table.columns if column.name not in roles.named]
    if table.has_header and len(free) > 3 and not roles.labels and roles.names is None:
        _check_no_pairs(table, free)
    if len(free) != 3 and abs(len(free) - len(table.lines)) > 2:
        return None
    if roles.names is None:
        names_column, block = _names_and_numbers(table, free)
    else:
        names_column, block = table.column(roles.names), free
    pairs = None if roles.labels or roles.names is not None else _list_of_pairs(table, free)
    if pairs is not None:
        return pairs
    n = len(table.lines)
    if not n - 1 <= len(block) <= n + 1 or any(column.numbers is None for column in block):
        return None
    rows = None if names_column is None else tuple(names_column.cells)
    header = tuple(column.name for column in block) if table.has_header else None
    values = np.column_stack([column.numbers for column in block if column.numbers is not None])
    if least == 2:
        values = _completed(table, values, rows, header)
    matrix = _of_block(values, rows, header, least)
    if matrix is not None and matrix.form.startswith("a symmetric matrix"):
        _check_same_names(table, rows, header)
    if matrix is None and rows is not None and header is not None:
        _check_asymmetry(table, values, rows, header)
    elif matrix is None and least > 2:
        check_no_asymmetric_matrix(values, table.where)
    return matrix


def _completed(
    table: Table,
    values: NDArray[np.float64],
    rows: tuple[str, ...] | None,
    header: tuple[str, ...] | None,
) -> NDArray[np.float64]:
    """A matrix in which single missing cells have the numbers of their mirror cells.

    Raises
    ------
    DataError
        If these are missing as well: no column tells the distance of two items.
    """
    n, p = values.shape
    absent = np.isnan(values)
    if n != p or not absent.any() or _mirrored(values, rows, header) is not None:
        return values
    columns = np.arange(n)
    if header is not None and rows is not None and set(header) == set(rows):
        place = {name: position for position, name in enumerate(header)}
        columns = np.array([place[name] for name in rows])
    aligned = values[:, columns]
    whole = np.where(np.isnan(aligned), aligned.T, aligned)
    missing = np.isnan(whole) & ~np.eye(n, dtype=bool)
    if missing.any():
        i, j = np.argwhere(missing)[0]
        names = rows or header or tuple(map(str, range(n)))
        raise DataError(
            f"{table.where}, {table.place(i)}: the number of {names[i]!r}, {names[j]!r} is missing "
            "in both directions; write it, or drop one of the items"
        )
    completed = np.empty_like(values)
    completed[:, columns] = whole
    return completed


def _check_same_names(
    table: Table, rows: tuple[str, ...] | None, header: tuple[str, ...] | None
) -> None:
    """Raise `DataError` if only some names of rows and columns are equal."""
    if rows is None or header is None or not set(rows) & set(header):
        return
    without_column = [name for name in rows if name not in header]
    without_row = [name for name in header if name not in rows]
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
    beside = values[~np.eye(n, dtype=bool)]
    are_distances = not diagonal.any() and bool((beside > 0).all())
    are_correlations = bool((diagonal == 1).all() and (np.abs(beside) < 1).all())
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


def _check_asymmetry(
    table: Table,
    values: NDArray[np.float64],
    rows: tuple[str, ...],
    header: tuple[str, ...],
) -> None:
    """Raise `DataError` for a matrix of items, by its names and its diagonal, with two halves.

    Which half is right, or whether the rows are vectors after all, is asked.
    """
    n, p = values.shape
    if n != p or n < _LEAST or set(rows) != set(header) or np.isnan(values).any():
        return
    aligned, _ = _in_order_of_rows(values, rows, header)
    if not _is_diagonal(aligned.diagonal()):
        return
    differences = np.abs(aligned - aligned.T)
    if differences.max() <= ROUNDED * np.abs(aligned).max():
        return
    i, j = np.unravel_index(int(differences.argmax()), aligned.shape)
    way_out = "correct the file"
    if Path(table.where).suffix.lower() not in PHYLIP:
        written = pasted_name(table.where, {"similarity": False})
        way_out += f", or write {written} if the rows are vectors"
    raise DataError(
        f"{table.where}, {table.place(i)}: rows and columns have the same names, but {rows[i]!r}, "
        f"{rows[j]!r} has {aligned[i, j]:.6g}, and in the other order {aligned[j, i]:.6g}; "
        f"{way_out}"
    )


def _names_and_numbers(table: Table, free: list[Column]) -> tuple[Column | None, list[Column]]:
    """The column that names the rows of a matrix, if there is one, and the others."""
    if len(free) < 2:
        return None, free
    first, *others = free
    cells = list(first.cells)
    are_distinct = len(set(cells)) == len(cells)
    if not are_distinct or first.missing.any():
        return None, free
    if first.numbers is None:
        return first, others
    if table.has_header and set(cells) == {column.name for column in others}:
        return first, others
    if len(others) == len(cells) and are_items(first) and _are_matrix(others):
        return first, others  # an index of numbers
    return None, free


def _are_matrix(columns: list[Column]) -> bool:
    """Whether as many columns as rows are a matrix, or a triangle of one."""
    numbers = [column.numbers for column in columns if column.numbers is not None]
    if len(numbers) < len(columns):
        return False
    return _of_block(np.column_stack(numbers), None, None, _LEAST) is not None


def _of_block(
    values: NDArray[np.float64],
    rows: tuple[str, ...] | None,
    header: tuple[str, ...] | None,
    least: int,
) -> Matrix | None:
    """The matrix that a block of numbers holds."""
    if header is not None and rows is not None and set(header) == set(rows):
        values, header = _in_order_of_rows(values, rows, header)
    names = rows if rows is not None else header
    whole = _mirrored(values, rows, header)
    if whole is not None:
        values, names = whole
        form = "one triangle of a matrix"
        return Matrix(values, names, form, _kind(values), possible_ways(values, _WAYS_OF_PARTS))
    n, p = values.shape
    if n != p or n < least:
        return None
    if n >= _LEAST and np.array_equal(np.isnan(values), np.eye(n, dtype=bool)):
        others = np.nan_to_num(values)
        if np.abs(others - others.T).max() <= ROUNDED * np.abs(others).max():
            form = "a symmetric matrix without its diagonal"
            return Matrix(values, names, form, None, possible_ways(values, _WAYS_OF_PARTS))
    if np.isnan(values).any():
        return None
    above = values[np.triu_indices(n, 1)]
    below = values.T[np.triu_indices(n, 1)]
    if not above.any() or not below.any():
        if not above.any() and not below.any():
            return None  # a diagonal matrix
        values = values + np.where(np.eye(n, dtype=bool), 0, values.T)
        form = "one triangle of a matrix, with zeros in the other"
        return Matrix(values, names, form, _kind(values))
    return _symmetric(values, names)


def _symmetric(values: NDArray[np.float64], names: tuple[str, ...] | None) -> Matrix | None:
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


def _in_order_of_rows(
    values: NDArray[np.float64], rows: tuple[str, ...], header: tuple[str, ...]
) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """The columns in the order of the rows, which have the same names."""
    place = {name: position for position, name in enumerate(header)}
    return values[:, [place[name] for name in rows]], rows


def _mirrored(
    values: NDArray[np.float64], rows: tuple[str, ...] | None, header: tuple[str, ...] | None
) -> tuple[NDArray[np.float64], tuple[str, ...] | None] | None:
    """The whole of a matrix of which one triangle has numbers, and the other none."""
    finite = ~np.isnan(values)
    if finite.all():
        return None
    names = rows if rows is not None else header
    for is_upper in (False, True):
        half = finite.T if is_upper else finite
        part = values.T if is_upper else values
        of_rows = header if is_upper else rows
        of_columns = rows if is_upper else header
        m, k = part.shape
        if m == k >= _LEAST and np.array_equal(half, np.tril(np.ones((m, m), bool), -1)):
            return _filled(part), names
        if m == k and np.array_equal(half, np.tril(np.ones((m, m), bool))):
            # The first row may be that of the second item, as R prints distances.
            larger = np.full((m + 1, m + 1), np.nan)
            larger[1:, :-1] = part
            if of_rows is not None and of_columns is not None:
                is_shifted = of_rows != of_columns and of_rows[:-1] == of_columns[1:]
                if is_shifted:
                    return _filled(larger), (of_columns[0], *of_rows)
            if m < _LEAST:
                return None
            if names is None and not _is_diagonal(part.diagonal()):
                return _filled(larger), None
            return _filled(part), names
        if m == k + 1 >= _LEAST and np.array_equal(half, np.tril(np.ones((m, m), bool), -1)[:, :k]):
            larger = np.full((m, m), np.nan)
            larger[:, :k] = part
            return _filled(larger), of_rows
    return None


def _is_diagonal(values: NDArray[np.float64]) -> bool:
    """Whether these may be the values of items with themselves: all 0, or all 1."""
    return bool((values == values[0]).all() and values[0] in (0, 1))


def _filled(lower: NDArray[np.float64]) -> NDArray[np.float64]:
    """The whole matrix of its lower triangle; a diagonal that is not given stays NaN."""
    below = np.tril(np.nan_to_num(lower), -1)
    whole: NDArray[np.float64] = below + below.T
    np.fill_diagonal(whole, lower.diagonal())
    return whole


def _kind(values: NDArray[np.float64]) -> Kind | None:
    """What a symmetric matrix holds; its diagonal may be unknown."""
    return None if np.isnan(values).any() else KINDS.get(kind_of_square(values))


def with_diagonal(matrix: Matrix, kind: Kind) -> NDArray[np.float64]:
    """The values, with a diagonal where the file has none: no distance, the largest similarity."""
    values = matrix.values.copy()
    absent = np.isnan(values.diagonal())
    if absent.any():
        largest = np.nanmax(values)
        own = 0.0 if kind == "distance" else max(largest, 1.0)
        values[absent, absent] = own
    return values


# ---- Lists of pairs ------------------------------------------------------------------------------


def _list_of_pairs(table: Table, free: list[Column]) -> Matrix | None:
    """The matrix of a list of pairs, each with its distance or similarity.

    Three columns are such a list by their names, or if all pairs of the items are there, once or
    in both orders with the same number.
    """
    if len(free) != 3 or len(table.lines) < _LEAST:
        return None
    one, other, value = free
    numbers = value.numbers
    if numbers is None or not _are_complete_items(one) or not _are_complete_items(other):
        return None
    kind = _kind_by_name(value.name) if table.has_header else None
    pairs = list(zip(one.cells, other.cells, strict=True))
    names = _all_names(list(one.cells), list(other.cells))
    unordered = {frozenset(pair) for pair in pairs if pair[0] != pair[1]}
    is_complete = len(unordered) == len(names) * (len(names) - 1) // 2 and len(names) >= _LEAST
    is_text = one.numbers is None and other.numbers is None
    is_named = _names_pairs(table, one, other, kind, is_text=is_text)
    if not is_named and not is_complete:
        return None
    if is_named:
        _check_pairs(table, pairs, value, is_complete=is_complete)
    elif len(set(pairs)) < len(pairs) or value.missing.any():
        return None
    values = _square_of_pairs(pairs, numbers, names)
    differing = np.abs(values - values.T) > 1e-8 * np.abs(numbers).max()
    if differing.any() and not is_named:
        return None
    if differing.any():
        i, j = np.argwhere(differing)[0]
        raise DataError(
            f"{table.where}: {names[i]!r}, {names[j]!r} has {values[i, j]:.6g}, and in the other "
            f"order {values[j, i]:.6g}; leave one of them"
        )
    whole = np.where(np.isnan(values), values.T, values)
    form = f"a list of pairs ({one.name}, {other.name}) with the column {value.name!r}"
    ways = tuple(what for what in WAYS if kind is None or KINDS.get(what, kind) == kind)
    if is_text:
        ways = tuple(what for what in ways if what != "vectors")
    return Matrix(whole, names, form, kind or _kind(whole), ways)


def _are_complete_items(column: Column) -> bool:
    return not column.missing.any() and are_items(column)


def _square_of_pairs(
    pairs: list[tuple[str, str]], numbers: NDArray[np.float64], names: Sequence[str]
) -> NDArray[np.float64]:
    """The numbers of pairs as a matrix; NaN where a pair is not in the list."""
    place = {name: position for position, name in enumerate(names)}
    values = np.full((len(names), len(names)), np.nan)
    for (row_name, column_name), number in zip(pairs, numbers.tolist(), strict=True):
        values[place[row_name], place[column_name]] = number
    return values


def _names_pairs(
    table: Table, one: Column, other: Column, kind: Kind | None, *, is_text: bool
) -> bool:
    """Whether two columns are items of pairs by their names, such as item1 and item2."""
    if not table.has_header:
        return False
    if is_text and kind is not None:
        items = {*one.cells, *other.cells}
        return len({*one.cells} & {*other.cells}) >= len(items) / 2
    if not _PAIRED.fullmatch(one.name) or not _PAIRED.fullmatch(other.name):
        return False
    # Columns a, b and d of numbers may be measures.
    return is_text or (kind is not None and min(len(one.name), len(other.name)) > 1)


def _check_no_pairs(table: Table, free: list[Column]) -> None:
    """Raise `DataError` for a list of pairs with several columns of numbers."""
    texts = [column for column in free if column.numbers is None]
    if len(texts) < 2 or not all(_PAIRED.fullmatch(column.name) for column in texts[:2]):
        return
    places = comparison_columns([column.name for column in free])
    if places is not None and are_items(free[places["k"]]):
        # Comparisons of items by name: i, j, k, and who has answered.
        return
    one, other = texts[:2]
    items = {*one.cells, *other.cells}
    if len({*one.cells} & {*other.cells}) < len(items) / 2:
        return
    numbers = [column for column in free if column is not one and column is not other]
    listed = ", ".join(column.name for column in numbers)
    kept = next((column for column in numbers if _kind_by_name(column.name)), numbers[0])
    drop = [column.name for column in numbers if column is not kept]
    kind = _kind_by_name(kept.name) or "distance"
    written = pasted_name(table.where, {"drop": drop, kind: True})
    raise DataError(
        f"{table.where}: a list of pairs ({one.name}, {other.name}) with several columns "
        f"({listed}); keep one of them, as in {written}"
    )


def _all_names(first: list[str], second: list[str]) -> tuple[str, ...]:
    """The items of both columns: numbers by size, names in the order of the file."""
    names = list(dict.fromkeys([*first, *second]))
    numbers = [read_number(name) for name in names]
    if None not in numbers:
        names = [name for _, name in sorted(zip(numbers, names, strict=True))]
    return tuple(names)


def are_items(column: Column) -> bool:
    """Whether a column has names or numbers of items."""
    if column.numbers is None:
        return column.kind in ("texts", "numbers and texts") or are_codes(list(column.cells))
    numbers = column.numbers
    are_whole = np.isfinite(numbers) & (numbers == np.floor(numbers))
    return bool(are_whole.all() and (numbers >= 0).all())


def _kind_by_name(name: str) -> Kind | None:
    if _DISTANCE.fullmatch(name):
        return "distance"
    return "similarity" if _SIMILARITY.fullmatch(name) else None


def _check_pairs(
    table: Table, pairs: list[tuple[str, str]], value: Column, *, is_complete: bool
) -> None:
    """Raise `DataError` if a pair is there twice, has no number, or is missing."""
    lines: dict[tuple[str, str], int] = {}
    for row, pair in enumerate(pairs):
        if pair in lines:
            raise DataError(
                f"{table.where}: {pair[0]!r}, {pair[1]!r} is in {table.place(lines[pair])} and in "
                f"{table.place(row)}; leave one of them"
            )
        lines[pair] = row
        if value.missing[row]:
            raise DataError(
                f"{table.where}, {table.place(row)}: the number of {pair[0]!r}, {pair[1]!r} is "
                "missing; write it"
            )
    if is_complete:
        return
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    for i, one in enumerate(names):
        for other in names[i + 1 :]:
            if (one, other) not in lines and (other, one) not in lines:
                raise DataError(
                    f"{table.where}: a list of pairs of {len(names)} items, without {one!r}, "
                    f"{other!r}; add the pair"
                )
