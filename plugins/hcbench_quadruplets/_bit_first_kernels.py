"""Compiled first sums of 4-AL for initial clusters of several items, on dense comparisons, as bits.

Notation as in `_bit_linkage_kernels`. It does not check its input.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

from hcbench_quadruplets._bit_linkage_kernels import list_columns, next_size
from hcbench_quadruplets._bit_sums_kernels import (
    BITS,
    COUNTER,
    MOST,
    Bits,
    Counter,
    add_counts,
    count_columns,
)

_ITEMS = types.int64[::1]
_FLOATS = types.float64[::1]


@njit((BITS, BITS, *COUNTER, _ITEMS, _ITEMS, _FLOATS), cache=True)
def first_preferences(
    won: Any,
    lost: Any,
    planes: NDArray[np.uint64],
    words: NDArray[np.uint64],
    counts: NDArray[np.uint8],
    cluster: NDArray[np.int64],
    size: NDArray[np.int64],
    v: NDArray[np.float64],
) -> None:
    """Add S c to v (64 w,), which is in the order of `places`. O(M^2 / 64).

    Other parameters are those of `merge_bits`.
    """
    bits = Bits(won, lost)
    counter = Counter(planes, words, counts)
    n = cluster.size
    kind = np.empty(n, np.int64)
    columns = np.empty(n * n // 4 + 1, np.int64)
    for p in range(size.size):
        for j in range(n):
            kind[j] = 0
            if cluster[j] > p:
                kind[j] = size[cluster[j]]
        second = next_size(kind, 0)
        while second <= n:
            count = list_columns(cluster, p, kind, second, columns)
            weight = 1 / size[p] / second
            for start in range(0, count, MOST):
                some = columns[start : min(start + MOST, count)]
                count_columns(some, bits, counter)
                add_counts(counts, some.size, weight, v)
            second = next_size(kind, second)
