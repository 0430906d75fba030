"""Columns of class labels: which labels are missing, which may be mistakes, and their texts."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError, ModelWarning
from hcbench.model import are_codes, class_texts, read_number
from hcbench_datasets.cell_texts import is_missing_label, is_missing_number
from hcbench_datasets.content import Column, Roles, Table, table_of_labels
from hcbench_datasets.file_names import changed_name

_LEAST_LABELS = 10  # rows from which the number of classes tells something


def missing_labels(column: Column) -> NDArray[np.bool_]:
    """Which labels (n,) are missing.

    Words such as NA and none are classes among texts, and missing among numbers.
    """
    texts = column.texts or ()
    are_words = np.array(list(map(is_missing_number, texts)), dtype=bool)
    if _are_numbers_beside(texts, are_words):
        return are_words
    return np.array(list(map(is_missing_label, texts)), dtype=bool)


def _are_numbers_beside(texts: Sequence[str], are_words: NDArray[np.bool_]) -> bool:
    """Whether there are texts besides the words for a missing value, all of them numbers."""
    # A column without any label.
    if are_words.all():
        return False
    for text, is_word in zip(texts, are_words, strict=True):
        if not is_word and read_number(text) is None:
            return False
    return True


def are_na(column: Column) -> NDArray[np.bool_]:
    """Which labels (n,) are NA, as R writes a missing one, which may be a class as well."""
    return np.array([text == "NA" for text in column.texts or ()], dtype=bool)


def rows_with_labels(table: Table, labels: Sequence[Column]) -> NDArray[np.int64]:
    """The rows of a table in which no label is missing or NA."""
    absent = np.zeros(len(table.lines), dtype=bool)
    for column in labels:
        absent |= missing_labels(column) | are_na(column)
    return np.flatnonzero(~absent)


def levels_of(table: Table, labels: Sequence[Column]) -> NDArray[np.str_] | None:
    """The texts of the classes (n, L) of columns of labels; None if there are none.

    Raises
    ------
    DataError
        If a label cannot be used as a class.
    """
    levels = []
    for column in labels:
        where = f"{table.where}: column {column.name!r}"
        levels.append(class_texts(column.texts or (), table.places(), where))
    return table_of_labels(levels)


def note_na(table: Table, labels: Sequence[Column], missing: str | None) -> None:
    """Add a note about labels NA among texts, which are classes or omitted."""
    for column in labels:
        rows = np.flatnonzero(are_na(column) & ~missing_labels(column))
        if not rows.size:
            continue
        place = f"{table.place(rows[0])}, column {column.name!r}"
        if missing == "drop":
            text = f"{place}: the label NA is missing, and its row is omitted (missing=drop)"
        else:
            text = f"{place}: the label NA is used as a class; missing=drop omits its rows"
        warnings.warn(text, ModelWarning, stacklevel=3)


def note_case(labels: Sequence[Column]) -> None:
    """Add a note about labels that differ in nothing but small and capital letters."""
    for column in labels:
        # From each class in small letters to the first way in which it is written.
        spelling_of: dict[str, str] = {}
        for text in column.classes:
            spelling = spelling_of.setdefault(text.casefold(), text)
            if spelling != text:
                warnings.warn(
                    f"column {column.name!r} has the classes {spelling!r} and {text!r}; if they "
                    "are one class write them alike",
                    ModelWarning,
                    stacklevel=3,
                )
                break


def check_measurements(
    table: Table, roles: Roles, labels: Sequence[Column], params: Mapping[str, Any]
) -> None:
    """Refuse numbers of which most differ as labels, and note texts that all differ.

    Raises
    ------
    DataError
    """
    for column in labels:
        texts = list(column.texts or ())
        n_different = len(set(texts))
        # Few rows may all be in classes of their own.
        if len(texts) < _LEAST_LABELS or n_different <= len(texts) / 2:
            continue
        # Codes such as 007 are numbers of nothing.
        if None not in map(read_number, texts) and not are_codes(texts):
            rest = [name for name in roles.labels if name != column.name]
            dropped = changed_name(params, labels=rest, drop=roles.drop + (column.name,))
            raise DataError(
                f"{table.where}: column {column.name!r} has {n_different} different numbers in "
                f"{len(texts)} rows, which are a measurement and no classes; write "
                f"{changed_name(params, labels=rest)} to use them as numbers, or {dropped}"
            )
        if len(labels) == 1 and n_different == len(texts):
            warnings.warn(
                f"column {column.name!r} has another label in each row, so that no two items are "
                f"in one class; names={column.name} makes them names",
                ModelWarning,
                stacklevel=3,
            )
