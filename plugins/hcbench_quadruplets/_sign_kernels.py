"""Compiled products of rows of signs, stored as bits. They do not check their input."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numba.extending import register_jitable

from hcbench.compiled import count_ones


@njit(cache=True)
def count(present: Any, differing: Any, x: Any, s: Any, y: Any, t: Any) -> Any:
    """Count the bits at which x and y are 1, and those of them at which s and t differ."""
    both = x & y
    return present + count_ones(both), differing + count_ones(both & (s ^ t))


@register_jitable
def product(x: Any, s: Any, y: Any, t: Any) -> Any:
    """The product of a row x of bits, with minus signs s, and a row y with minus signs t."""
    present = np.uint64(0)
    differing = np.uint64(0)
    for w in range(x.size):
        present, differing = count(present, differing, x[w], s[w], y[w], t[w])
    return np.int64(present) - 2 * np.int64(differing)
