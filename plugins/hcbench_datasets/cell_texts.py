"""Cells of tables as texts: which are missing, which are numbers, and their numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hcbench.model import read_number, read_numbers

#: Representations of a missing value in any column, in lower case.
_MISSING_ANYWHERE = frozenset({"", "n/a", "#n/a", "nan", "?", "<na>"})

#: Representations of a missing number, in lower case; those that are added may be classes of texts.
MISSING = _MISSING_ANYWHERE | {"na", "null", "none", "missing", "-", "--", "\u2013", "\u2014", "."}


def is_missing_anywhere(cell: str) -> bool:
    """Whether a cell is missing whatever its column has."""
    return cell.lower() in _MISSING_ANYWHERE


def is_missing_number(cell: str) -> bool:
    """Whether a cell of a column of numbers is empty, or has a text for a missing number."""
    return cell.lower() in MISSING


def is_missing_label(text: str) -> bool:
    """Whether a label or name is empty or NaN; any other word may be a class."""
    return text in {"", "nan", "NaN"}


def looks_numeric(cell: str) -> bool:
    """Whether a cell is a number, or missing."""
    return is_missing_number(cell) or read_number(cell) is not None


def numbers_of(cells: Sequence[str]) -> NDArray[np.float64] | None:
    """Cells as numbers, missing ones as NaN; None if one is a text."""
    # All cells of large files come here, most of them numbers: nothing is called for each.
    are_missing = [cell.lower() in MISSING for cell in cells]
    present = cells
    if any(are_missing):
        pairs = zip(cells, are_missing, strict=True)
        present = [cell for cell, is_missing in pairs if not is_missing]
    numbers = read_numbers(present)
    if numbers is None:
        return None
    values = np.full(len(cells), np.nan)
    values[~np.array(are_missing, dtype=bool)] = numbers
    return values
