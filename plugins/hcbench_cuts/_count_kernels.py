"""The number of cuts of a tree."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True)
def log_cuts(parent: NDArray[np.int64]) -> NDArray[np.float64]:
    """Logarithms (m,) of the numbers of cuts N(v) = 1 + the product of N over the children. O(m).

    Gentile et al. 2019, section 2. With a the sum of the children's logarithms, ln N(v) =
    a + ln(1 + exp(-a)): N itself overflows.
    """
    m = len(parent)
    total, is_inner = np.zeros(m), np.zeros(m, np.bool_)
    for v in range(m):
        if is_inner[v]:
            total[v] += np.log1p(np.exp(-total[v]))
        if v < m - 1:
            total[parent[v]] += total[v]
            is_inner[parent[v]] = True
    return total
