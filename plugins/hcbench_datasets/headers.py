"""Whether the first row of a table has the names of the columns, also where these are numbers.

pandas names columns 0, 1, 2, ... by default, tables have years or wavelengths as names, and
matrices the numbers of the items. Such a header is recognised by what is below it: numbers that
are written in another way, a square matrix, or an index.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from hcbench.files import HEADERS
from hcbench.model import kind_of_square, read_number
from hcbench_datasets.cell_texts import is_missing_number, looks_numeric

_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
_POINT_ZERO = re.compile(r"[+-]?\d+\.0", re.ASCII)
#: As `numpy.savetxt` writes all numbers, and nobody the name of a column.
_SCIENTIFIC = re.compile(r"[+-]?\d\.\d{6,}e[+-]\d+", re.ASCII)
#: Names of the column that names the items, besides `HEADERS`.
_NAMING = HEADERS | {"id", "sample", "species", "gene", "plot", "site", "taxon", "subject", "index"}
_YEARS = (1800, 2100)  # the first and the last that are recognised as names
_LONG = 5  # columns from which a row of data has no equal steps by chance
_RARE = 1e-4  # the chance below which 0, 1, 2, ... are no data
_DIGITS = 8  # digits of a number that has not been rounded for people

Cells = Sequence[str]
Rows = Sequence[Cells]


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
    if any(name in first and read_number(name) is None for name in names):
        return True
    # R has no name for the column of row names.
    if len(below) > 1 and set(map(len, below)) == {len(first) + 1}:
        return True
    numeric: list[int] = []
    texts: list[int] = []
    for place, cell in enumerate(first):
        if looks_numeric(cell):
            numeric.append(place)
        else:
            texts.append(place)
    if first and not numeric:
        return True
    # Of a single row, texts are rather names than an item.
    if not below:
        return bool(texts)
    if not first[0] and len(first) > 1:
        return _heads_an_index(first, below)
    # A text above a number is its name.
    if any(map(looks_numeric, _cells_at(below[0], texts))):
        return True
    numbers_below = [_cells_at(row, numeric) for row in below]
    are_names = _names_are_numbers(_cells_at(first, numeric), numbers_below)
    if are_names or not texts:
        return are_names
    # Texts above texts: "name,2019,2020", or the first row of data, "setosa,5.1,3.5".
    return _names_a_column(first, below)


def _cells_at(row: Cells, places: Sequence[int]) -> list[str]:
    return [row[place] for place in places]


def _heads_an_index(first: Cells, below: Rows) -> bool | None:
    """Whether a row without a first cell is above an index, as pandas and R write them."""
    # An index of several levels has as many columns without a name.
    n_levels = 0
    while n_levels < len(first) and not first[n_levels]:
        n_levels += 1
    names = first[n_levels:]
    are_texts = not any(map(looks_numeric, names))
    index = [row[0] for row in below]
    # Else the first row is an item whose first cell is missing.
    if not all(index) or (len(set(names)) < len(names) and not are_texts):
        return False
    if not names or any(map(is_missing_number, names)):
        return False
    if not all(map(looks_numeric, index)):
        return True
    if all(map(_WHOLE.fullmatch, index)) or set(index) == set(names):
        return True
    # Fractions that all differ may be an index, such as times, or measurements.
    if len(set(index)) == len(index):
        return None
    return False


def _names_a_column(first: Cells, below: Rows) -> bool:
    """Whether some text of the first row is such as "name" or "id", and in no other row."""
    for place, cell in enumerate(first):
        word = cell.casefold()
        is_word = word in _NAMING or word.removesuffix("s") in _NAMING
        cells_below = [row[place] for row in below]
        if is_word and cell not in cells_below:
            return True
    return False


# ---- Names that are numbers ----------------------------------------------------------------------


def _names_are_numbers(first: Cells, below: Rows) -> bool | None:
    """Whether a row of numbers has names of columns; None if it may have either."""
    if not _are_different_numbers(first):
        return False
    row = _numbers_of(first)
    body = np.stack(list(map(_numbers_of, below)))
    if _is_square_and_symmetric(body):
        return True
    # The first row is that of the first item of a matrix.
    if _is_square_and_symmetric(np.vstack([row, body])):
        return False
    if _steps_tell(row, body):
        return True
    if all(map(_WHOLE.fullmatch, first)):
        return _are_whole_names(row, body, below)
    if not _counts(row) or not all(map(_POINT_ZERO.fullmatch, first)):
        return False
    if _continues_counting(row, body):
        return False
    # Names 0.0, 1.0 above fractions, which data would hardly begin with.
    if len(row) > 1 and (body != np.floor(body)).all():
        return True
    return None


def _counts(row: NDArray[np.float64]) -> bool:
    """Whether a row is 0, 1, 2, ... or 1, 2, 3, ..."""
    count = np.arange(len(row))
    return np.array_equal(row, count) or np.array_equal(row, count + 1)


def _steps_tell(row: NDArray[np.float64], body: NDArray[np.float64]) -> bool:
    """Whether a row has equal steps that the rows below have not, and not by chance."""
    if not _is_stepped(row) or _continues(row, body):
        return False
    if not _counts(row):
        return len(row) >= _LONG
    return _by_chance(body) < _RARE


def _are_whole_names(
    row: NDArray[np.float64], body: NDArray[np.float64], below: Rows
) -> bool | None:
    """Whether whole numbers are names, also above others; None if they may be."""
    n_differing = _number_written_otherwise(below)
    if n_differing == len(row) or (n_differing and _counts(row)):
        return _is_above_fractions(row, below)
    if _is_stepped(row) and not _counts(row) and _are_years(row) and not _are_years(body):
        return True
    if _counts(row) and not _continues_counting(row, body):
        return None
    return False


def _are_different_numbers(cells: Cells) -> bool:
    """Whether cells have numbers that all differ, none of them with an exponent."""
    values = set(map(read_number, cells))
    if not values or None in values or len(values) < len(cells):
        return False
    return not any(map(_SCIENTIFIC.fullmatch, cells))


def _numbers_of(cells: Cells) -> NDArray[np.float64]:
    """The cells as numbers; what is no number is NaN."""
    # numpy makes NaN of None.
    return np.array(list(map(read_number, cells)), dtype=np.float64)


def _is_square_and_symmetric(body: NDArray[np.float64]) -> bool:
    n, p = body.shape
    # Any two rows may look so.
    if n != p or n < 3 or not np.isfinite(body).all():
        return False
    return kind_of_square(body) != "vectors"


def _is_stepped(row: NDArray[np.float64]) -> bool:
    """Whether a row of several numbers has equal steps."""
    return len(row) > 1 and _has_equal_steps(row)


def _has_equal_steps(row: NDArray[np.float64]) -> bool:
    steps = np.diff(row)
    return bool(np.abs(steps - steps[0]).max() <= 1e-9 * np.abs(row).max() and steps[0] != 0)


def _by_chance(body: NDArray[np.float64]) -> float:
    """About how often a row of numbers such as those below would be 0, 1, 2, ... by chance."""
    # As if each cell were one of the numbers below, all of them as often.
    n_different = max(len(np.unique(body[np.isfinite(body)])), 1)
    chance: float = float(n_different) ** -body.shape[1]
    return chance


def _continues(row: NDArray[np.float64], body: NDArray[np.float64]) -> bool:
    """Whether all rows have equal steps, or the same numbers in another order, as the first one."""
    if np.isnan(body).any():
        return False
    if all(map(_has_equal_steps, body)):
        return True
    return bool((np.sort(body, axis=1) == np.sort(row)).all())


def _continues_counting(row: NDArray[np.float64], body: NDArray[np.float64]) -> bool:
    """Whether the rows go on counting where the first one ends, as in ``arange(12)``, in rows."""
    everything = np.concatenate([row, body.ravel()])
    return len(row) > 1 and np.array_equal(everything, row[0] + np.arange(len(everything)))


def _number_written_otherwise(below: Rows) -> int:
    """How many columns have numbers, none of them written as a whole one."""
    n_columns = 0
    for column in zip(*below, strict=True):
        cells = _present(column)
        if cells and not any(map(_WHOLE.fullmatch, cells)):
            n_columns += 1
    return n_columns


def _is_above_fractions(row: NDArray[np.float64], below: Rows) -> bool | None:
    """Whether whole numbers, above numbers with points, are names of columns."""
    if len(below) < 2:
        return None
    if len(row) > 2 and _counts(row):
        return True
    if _is_stepped(row) and _are_years(row):
        return True
    cells: list[str] = []
    for row_below in below:
        cells += _present(row_below)
    # A program that writes 1.0 would have written 0.0 in the first row.
    if any(map(_POINT_ZERO.fullmatch, cells)):
        return True
    # Numbers with all of their digits have been computed, and no names written like them.
    if min(map(_number_of_digits, cells), default=_DIGITS) >= _DIGITS:
        return True
    return None


def _number_of_digits(cell: str) -> int:
    return len(cell.strip("+-").replace(".", ""))


def _present(cells: Iterable[str]) -> list[str]:
    """The cells that are not missing."""
    return [cell for cell in cells if not is_missing_number(cell)]


def _are_years(numbers: NDArray[np.float64]) -> bool:
    low, high = _YEARS
    return bool(((numbers >= low) & (numbers <= high) & (numbers == np.floor(numbers))).all())
