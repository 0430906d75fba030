"""The same numbers in other types, formats and memory layouts, far from 0, and very large or small.

A problem makes sparse matrices csr_array of float64, and whole numbers float64; memory layout,
single precision, and the type of the indices of sparse matrices reach a plugin as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

OFFSETS = (1e6, 1e8)
"""Added to all coordinates."""

SCALES = (2.0**100, 2.0**-100)
"""Factors of all coordinates: squares are numbers, but not in single precision."""


def strided(values: Any) -> Any:
    """The same matrix as a view of every second row and column of another one."""
    larger = np.full((2 * values.shape[0], 2 * values.shape[1]), -1.0)
    larger[::2, ::2] = values
    return larger[::2, ::2]


def thin(values: Any) -> Any:
    """The matrix with its smaller numbers replaced by 0."""
    magnitudes = np.abs(values)
    return np.where(magnitudes > np.median(magnitudes) / 2, values, 0.0)


def _as_csr(values: Any) -> Any:
    from scipy.sparse import csr_array

    return csr_array(values)


def _with_long_indices(values: Any) -> Any:
    rows = _as_csr(values)
    rows.indices = rows.indices.astype(np.int64)
    rows.indptr = rows.indptr.astype(np.int64)
    return rows


def _with_zeros(values: Any) -> Any:
    """A matrix of rows in which some zeros are stored."""
    rows = _as_csr(np.where(values == 0, 1.0, values))
    rows.data[rows.data == 1.0] = 0.0
    return rows


def _as_columns(values: Any) -> Any:
    from scipy.sparse import csc_matrix

    return csc_matrix(values)


SPARSE: dict[str, Callable[[Any], Any]] = {
    "rows": _as_csr,
    "rows with 64-bit indices": _with_long_indices,
    "rows with stored zeros": _with_zeros,
    "columns": _as_columns,
}
"""Sparse matrices of the numbers of a dense one."""
