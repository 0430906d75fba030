"""What a column of numbers is besides a measurement: an identifier, a date, a class, a constant.

The names of columns and the form of the numbers tell. Nothing here decides what a column is used
for; `hcbench_datasets.guessing` and `hcbench_datasets.doubtful_columns` do.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hcbench.model import are_codes, number_text
from hcbench_datasets.content import Column, Table, with_numbers

COUNTERS = ("id", "index", "no", "nr", "number", "row")  # names of columns that count the rows
_ID = re.compile(
    r"(.*[ _.-])?([iI][dD]|ID|(?i:ids|code|barcode|accession|isbn|zip|phone))|.*[a-z]I[dD]"
)
_DATE = re.compile(
    r"(.*[ _.-])?(date|day|datum|time|timestamp|datetime|created|updated|epoch|unix)", re.I
)
#: Names of columns that have classes.
CLASSES = frozenset(
    [
        "class",
        "classes",
        "label",
        "labels",
        "target",
        "species",
        "kind",
        "type",
        "subtype",
        "category",
        "group",
        "groups",
        "cluster",
        "clusters",
        "diagnosis",
        "outcome",
        "segment",
        "cultivar",
        "celltype",
        "cell_type",
        "cohort",
        "taxon",
        "genus",
        "family",
    ]
)
_MOST_CLASSES = 20
_LONG = 5  # digits of an identifier or a code
_LEAST_ROWS = 5  # from which the form of numbers tells something
_DECISIVE = 0.1  # the share of the variance from which a column decides distances
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Why a column of numbers may be no measurement.

    Attributes
    ----------
    column : str
    form : {"identifier", "date", "class", "constant"}
    reason : str
        A sentence without its end, such as "column 'id' looks like an identifier (17, 3, 25, ...)".
    is_sure : bool
        Whether its name says so, or its form alone.
    """

    column: str
    form: str
    reason: str
    is_sure: bool


def suspicions_of(table: Table) -> dict[str, Suspicion]:
    """The columns of numbers that may be no measurements, by their names."""
    numeric = with_numbers(table.columns)
    n_fractions = sum(map(_has_fractions, numeric))
    # Where measurements have fractions, few whole numbers are rather codes.
    are_mostly_fractions = 2 * n_fractions > len(numeric) - 1
    suspicions = {}
    for column in numeric:
        suspicion = _suspicion_of(table, column, are_mostly_fractions)
        if suspicion is not None:
            suspicions[column.name] = suspicion
    return suspicions


def _has_fractions(column: Column) -> bool:
    numbers = column.numbers
    return numbers is not None and bool((numbers[np.isfinite(numbers)] % 1 != 0).any())


def _suspicion_of(table: Table, column: Column, are_mostly_fractions: bool) -> Suspicion | None:
    """What a column of numbers is besides a measurement; None if nothing says so."""
    numbers = column.numbers
    if numbers is None or not np.isfinite(numbers).any():
        return None
    present = numbers[np.isfinite(numbers)]
    different = np.unique(present)
    name = repr(column.name)
    if different.size == 1 and present.size > 1:
        reason = f"column {name} is {number_text(different[0])} in all rows"
        return Suspicion(column.name, "constant", reason, is_sure=True)
    # Identifiers, dates and codes are whole numbers.
    if (present % 1 != 0).any():
        return None
    examples = _examples(present)
    if column.name.casefold() in CLASSES and 1 < different.size <= present.size / 1.5:
        classes = _examples(different)
        reason = f"column {name} looks like a class ({classes})"
        return Suspicion(column.name, "class", reason, is_sure=True)
    if _are_dates(column.name, present):
        reason = f"column {name} looks like a date ({examples})"
        return Suspicion(column.name, "date", reason, is_sure=True)
    if _identifies(table, column, present, different):
        reason = f"column {name} looks like an identifier ({examples})"
        return Suspicion(column.name, "identifier", reason, is_sure=True)
    if are_mostly_fractions and _may_be_classes(len(table.lines), different):
        reason = f"column {name} may be a class ({_examples(different)})"
        return Suspicion(column.name, "class", reason, is_sure=False)
    return None


def _examples(numbers: NDArray[np.float64]) -> str:
    listed = ", ".join(map(number_text, numbers[:_SHOWN].tolist()))
    if len(numbers) > _SHOWN:
        listed += ", ..."
    return listed


def _identifies(
    table: Table, column: Column, present: NDArray[np.float64], different: NDArray[np.float64]
) -> bool:
    """Whether whole numbers count the rows, or are identifiers by their name or their digits."""
    # Nobody numbers anything below 0.
    if (present < 0).any():
        return False
    # Identifiers are usually in front.
    is_first = column is table.columns[0]
    steps = np.diff(present)
    counts = present.size > 2 and bool((steps == 1).all())
    if is_first and present.size >= _LEAST_ROWS and _are_row_numbers(present):
        return True
    if counts and (is_first or column.name.casefold() in COUNTERS):
        # A first column 1, 2, 3 of few rows may be measured.
        return column.name.casefold() in COUNTERS or present.size >= _LEAST_ROWS
    if _ID.fullmatch(column.name):
        return different.size > 2
    are_different = different.size == present.size >= _LEAST_ROWS
    return is_first and are_different and _are_long_codes(present)


def _are_long_codes(numbers: NDArray[np.float64]) -> bool:
    """Whether whole numbers have as many digits each, and so many that nobody measures them."""
    n_digits = {len(number_text(number)) for number in numbers.tolist()}
    return len(n_digits) == 1 and min(n_digits) >= _LONG


def _are_row_numbers(numbers: NDArray[np.float64]) -> bool:
    """Whether these are 0, 1, 2, ... or 1, 2, 3, ..., in any order."""
    count = np.arange(numbers.size)
    in_order = np.sort(numbers)
    return np.array_equal(in_order, count) or np.array_equal(in_order, count + 1)


def _are_dates(name: str, present: NDArray[np.float64]) -> bool:
    year, rest = np.divmod(present, 10_000)
    month, day = np.divmod(rest, 100)
    has_form = (year >= 1800) & (year <= 2200) & (month >= 1) & (month <= 12)
    has_form &= (day >= 1) & (day <= 31)
    if has_form.all():
        return True  # 20240131
    is_named = _DATE.fullmatch(name) is not None
    # Since 1970: from 1973 to 2603.
    seconds = (present >= 1e8) & (present <= 2e10)
    milliseconds = (present >= 1e11) & (present <= 2e13)
    return is_named and bool((seconds | milliseconds).all())


def _may_be_classes(n: int, different: NDArray[np.float64]) -> bool:
    """Whether these are few whole numbers without gaps, from 0 or 1, or long codes."""
    if not 2 <= different.size <= min(_MOST_CLASSES, n / 5) or different[0] < 0:
        return False
    if _are_long_codes(different):
        return True
    if different[0] > 1:
        return False
    return not (np.diff(different) != 1).any()


def decisive(columns: Sequence[Column], names: Collection[str]) -> set[str]:
    """Which of the named columns have more than a tenth of the variance of all columns."""
    variances = {}
    for column in columns:
        if column.numbers is not None and np.isfinite(column.numbers).any():
            present = column.numbers[np.isfinite(column.numbers)]
            with np.errstate(over="ignore"):
                variances[column.name] = float(np.var(present))
    threshold = _DECISIVE * sum(variances.values())
    return {name for name in names if variances.get(name, 0.0) > threshold}


def are_items(column: Column) -> bool:
    """Whether a column has names or numbers of items."""
    if column.numbers is None:
        return column.kind in ("texts", "numbers and texts") or are_codes(list(column.cells))
    numbers = column.numbers
    are_whole = np.isfinite(numbers) & (numbers == np.floor(numbers))
    return bool(are_whole.all() and (numbers >= 0).all())
