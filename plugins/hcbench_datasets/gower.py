"""Gower's coefficient, for items with columns of numbers as well as of texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError
from hcbench_datasets.content import Column


def gower(columns: Sequence[Column]) -> NDArray[np.float64]:
    """Gower's distances (n, n) of columns of numbers and texts.

    The mean over columns of ``|x_i - x_j| / range`` for numbers, and of 0 or 1 for equal or
    different texts. A column counts for the pairs of items for which neither cell is missing
    (Gower 1971, "A general coefficient of similarity and some of its properties").

    Raises
    ------
    DataError
        If two items have no column in which both are present.
    """
    n = len(columns[0].missing)
    total = np.zeros((n, n))
    count = np.zeros((n, n))
    # Whole matrices a column at a time: n^2 numbers, however many columns there are.
    for column in columns:
        is_present = ~column.missing
        are_both_present = np.logical_and.outer(is_present, is_present)
        if column.numbers is not None:
            distance = _distances_of_numbers(column.numbers, is_present)
        else:
            distance = _distances_of_texts(column)
        total += np.where(are_both_present, distance, 0.0)
        count += are_both_present
    # Nothing is known of two such items.
    if not count.all():
        i, j = np.argwhere(count == 0)[0]
        raise DataError(f"items {i} and {j} share no column with a value; drop one of them")
    return total / count


def _distances_of_numbers(
    numbers: NDArray[np.float64], is_present: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Differences (n, n), relative to the range; 0 in a constant column."""
    values = np.where(is_present, numbers, 0.0)
    extent = 0.0
    if is_present.any():
        extent = float(np.ptp(numbers[is_present]))
    if extent == 0:
        extent = 1.0
    distances: NDArray[np.float64] = np.abs(np.subtract.outer(values, values)) / extent
    return distances


def _distances_of_texts(column: Column) -> NDArray[np.float64]:
    """1 for different texts (n, n), 0 for equal ones."""
    # Numbers are compared faster than texts.
    codes = np.unique(np.array(column.texts), return_inverse=True)[1].ravel()
    return np.not_equal.outer(codes, codes).astype(np.float64)
