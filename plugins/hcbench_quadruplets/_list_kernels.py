"""Compiled sums of columns of S, from lists of comparisons. They do not check their input.

Notation as in `_kernels`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench_quadruplets._index_kernels import items_of

_ITEMS, _PAIRS, _FLOATS = types.int64[::1], types.uint32[::1], types.float64[::1]


@register_jitable
def pair_of(listed: Any, n: int) -> int:
    """The number of a listed pair of n items, in condensed order."""
    low, high = items_of(listed)
    i = np.int64(low)
    return i * (2 * n - i - 1) // 2 + np.int64(high) - i - 1


@njit(types.void(_ITEMS, _FLOATS, _ITEMS, _PAIRS, types.int64, _FLOATS), cache=True)
def add_columns(
    columns: NDArray[np.int64],
    weights: NDArray[np.float64],
    end: Any,
    listed: Any,
    n: int,
    v: NDArray[np.float64],
) -> None:
    """Add columns of S, weighted, to v: O(their comparisons).

    Parameters
    ----------
    columns, weights : (t,)
    end, listed
        The columns of S, of `_index_kernels.index_pairs` for n items.
    v : (M,), changed
    """
    for at in range(columns.size):
        b = columns[at]
        weight = weights[at]
        for entry in range(end[2 * b], end[2 * b + 1]):
            v[pair_of(listed[entry], n)] += weight
        for entry in range(end[2 * b + 1], end[2 * b + 2]):
            v[pair_of(listed[entry], n)] -= weight
