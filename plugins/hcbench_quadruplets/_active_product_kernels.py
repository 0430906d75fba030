"""Compiled products of 4K-AL-act. They do not check their input."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

from hcbench_quadruplets._sign_kernels import product


@njit((types.uint64[:, ::1], types.uint64[:, ::1], types.int64[:, ::1]), cache=True)
def add_products(present: Any, minus: Any, K: NDArray[np.int64]) -> None:
    """Add the products of rows of signs, i != j: K_ij += sum over t of S_it S_jt. O(n^2 words).

    Signs 1, 0 and -1 are stored as bits (n, words): whether it is not 0, and whether it is -1.
    """
    for i in range(len(present)):
        for j in range(i):
            K[i, j] += product(present[i], minus[i], present[j], minus[j])
            K[j, i] = K[i, j]
