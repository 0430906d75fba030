"""Whether the first row of a table has the names of the columns, also where these are numbers.

pandas names columns 0, 1, 2, ... by default, tables have years or wavelengths as names, and
matrices the numbers of the items. Such a header is recognised by what is below it: numbers that
are written in another way, a square matrix, or an index.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from hcbench.files import HEADERS
from hcbench.model import kind_of_square, read_number
from hcbench_datasets.content import MISSING, looks_numeric

_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
_POINT_ZERO = re.compile(r"[+-]?\d+\.0", re.ASCII)
#: As `numpy.savetxt` writes all numbers, and nobody the name of a column.
_SCIENTIFIC = re.compile(r"[+-]?\d\.\d{6,}e[+-]\d+", re.ASCII)
#: Names of the column that names the items, besides `HEADERS`.
_NAMING = HEADERS | {"id", "sample", "species", "gene", "plot", "site", "taxon", "subject", "index"}
_YEARS = (1800, 2100)
_LONG = 5  # columns from which a row of data has no equal steps by chance
_RARE = 1e-4
_DIGITS = 8  # digits of a number that has not been rounded for people

Rows = Sequence[Sequence[str]]


def has_header(rows: Rows, names: Collection[str]) -> bool | None:
    """Whether the first row of a table is a header, None if that cannot be known.

    Parameters
    ----------
    rows : sequence of rows of cells
        All or the first of the table.
    names : collection of str
        Columns that the user names.
    """
    first = rows[0]
    below = rows[1:]
    # The number of a column that a role mentions may equal the number in some cell.
    words = {name for name in names if read_number(name) is None}
    if words & set(first):
        return True
    if len(below) > 1 and all(len(row) == len(first) + 1 for row in below):
        return True  # R has no name for the column of row names
    is_text = [not looks_numeric(cell) for cell in first]
    if is_text and all(is_text):
        return True
    if not below:
        return any(is_text)
    if not first[0] and len(first) > 1:
        return _heads_an_index(first, below)
    for position, text in enumerate(is_text):
        if text and looks_numeric(below[0][position]):
            return True
    numeric = [position for position, text in enumerate(is_text) if not text]
    found = _names_are_numbers(
        [first[position] for position in numeric],
        [[row[position] for position in numeric] for row in below],
    )
    if len(numeric) == len(first):
        return found
    # Texts above texts: "name,2019,2020", or the first row of data, "setosa,5.1,3.5".
    if found is None:
        return _names_a_column(first, below)
    return found or _names_a_column(first, below)


def _heads_an_index(first: Sequence[str], below: Rows) -> bool | None:
    """Whether a row without a first cell is above an index, as pandas and R write them."""
    # An index of several levels has as many columns without a name.
    n_levels = next((i for i, cell in enumerate(first) if cell), len(first))
    names = first[n_levels:]
    are_texts = not any(map(looks_numeric, names))
    if any(not row[0] for row in below) or (len(set(names)) < len(names) and not are_texts):
        return False  # a missing value
    if not names or any(cell.lower() in MISSING for cell in names):
        return False
    index = [row[0] for row in below]
    if not all(map(looks_numeric, index)):
        return True
    if all(map(_WHOLE.fullmatch, index)) or set(index) == set(names):
        return True
    return None if len(set(index)) == len(index) else False


def _names_a_column(first: Sequence[str], below: Rows) -> bool:
    """Whether some text of the first row is such as "name" or "id", and in no other row."""
    for position, cell in enumerate(first):
        word = cell.casefold()
        is_word = word in _NAMING or word.removesuffix("s") in _NAMING
        if is_word and all(row[position] != cell for row in below):
            return True
    return False


def _names_are_numbers(first: Sequence[str], below: Rows) -> bool | None:
    """Whether a row of numbers has names of columns; None if it may have either."""
    p = len(first)
    if not _are_different_numbers(first):
        return False
    row = np.array([read_number(cell) for cell in first], dtype=np.float64)
    body = _numbers(below)
    if _is_square_and_symmetric(body):
        return True
    if _is_square_and_symmetric(np.vstack([row, body])):
        return False
    counts = np.array_equal(row, np.arange(p)) or np.array_equal(row, np.arange(1, p + 1))
    is_stepped = p > 1 and _has_equal_steps(row)
    are_whole = all(map(_WHOLE.fullmatch, first))
    if is_stepped and not _continues(row, body):
        if p >= _LONG and not counts:
            return True
        if counts and _by_chance(body) < _RARE:
            return True
    if are_whole:
        differ = _columns_written_otherwise(below)
        if len(differ) == p or (differ and counts):
            return _is_above_fractions(row, below, counts=counts)
        are_years = is_stepped and not counts and _are_years(row) and not _are_years(body)
        return _are_whole_names(row, body, counts=counts, are_years=are_years)
    if not counts or not all(map(_POINT_ZERO.fullmatch, first)) or _continues_counting(row, body):
        return False
    return True if p > 1 and (body != np.floor(body)).all() else None


def _are_whole_names(
    row: NDArray[np.float64], body: NDArray[np.float64], *, counts: bool, are_years: bool
) -> bool | None:
    """Whether whole numbers above others are names; None if they may be."""
    if are_years:
        return True
    if counts and not _continues_counting(row, body):
        return None
    return False


def _are_different_numbers(cells: Sequence[str]) -> bool:
    """Whether cells have numbers that all differ, none of them with an exponent."""
    values = [read_number(cell) for cell in cells]
    if not values or None in values or len(set(values)) < len(values):
        return False
    return not any(_SCIENTIFIC.fullmatch(cell) for cell in cells)


def _numbers(below: Rows) -> NDArray[np.float64]:
    """The cells as numbers; what is no number is NaN."""
    table = []
    for cells in below:
        numbers = [read_number(cell) for cell in cells]
        table.append([np.nan if number is None else number for number in numbers])
    return np.array(table, dtype=np.float64)


def _is_square_and_symmetric(body: NDArray[np.float64]) -> bool:
    n, p = body.shape
    if n != p or n < 3 or not np.isfinite(body).all():
        return False
    return kind_of_square(body) != "vectors"


def _has_equal_steps(row: NDArray[np.float64]) -> bool:
    steps = np.diff(row)
    return bool(np.abs(steps - steps[0]).max() <= 1e-9 * np.abs(row).max() and steps[0] != 0)


def _by_chance(body: NDArray[np.float64]) -> float:
    """About how often a row of numbers such as those below would be 0, 1, 2, ... by chance."""
    different = max(len(np.unique(body[np.isfinite(body)])), 1)
    chance: float = float(different) ** -body.shape[1]
    return chance


def _continues(row: NDArray[np.float64], body: NDArray[np.float64]) -> bool:
    """Whether all rows have equal steps, or the same numbers in another order, as the first one."""
    if np.isnan(body).any():
        return False
    if all(_has_equal_steps(other) for other in body):
        return True
    return all(np.array_equal(np.sort(other), np.sort(row)) for other in body)


def _continues_counting(row: NDArray[np.float64], body: NDArray[np.float64]) -> bool:
    """Whether the rows go on counting where the first one ends, as in ``arange(12)``, in rows."""
    everything = np.concatenate([row, body.ravel()])
    return len(row) > 1 and np.array_equal(everything, row[0] + np.arange(len(everything)))


def _columns_written_otherwise(below: Rows) -> list[int]:
    """The columns in which no number is written as a whole one."""
    columns = []
    for position in range(len(below[0])):
        cells = [row[position] for row in below if row[position].lower() not in MISSING]
        if cells and not any(map(_WHOLE.fullmatch, cells)):
            columns.append(position)
    return columns


def _is_above_fractions(row: NDArray[np.float64], below: Rows, *, counts: bool) -> bool | None:
    """Whether whole numbers, above numbers with points, are names of columns."""
    if len(below) < 2:
        return None
    if len(row) > 2 and counts:
        return True
    if len(row) > 1 and _has_equal_steps(row) and _are_years(row):
        return True
    cells = [cell for cells in below for cell in cells if cell.lower() not in MISSING]
    # A program that writes 1.0 would have written 0.0 in the first row.
    if any(map(_POINT_ZERO.fullmatch, cells)):
        return True
    are_long = all(len(cell.strip("+-").replace(".", "")) >= _DIGITS for cell in cells)
    return True if are_long else None


def _are_years(numbers: NDArray[np.float64]) -> bool:
    low, high = _YEARS
    return bool(((numbers >= low) & (numbers <= high) & (numbers == np.floor(numbers))).all())
