"""Tournaments in arrays, whose games are queries. The kernel does not check its input.

Of the leaves 0..size-1, inner node m = 1..size-1 with lowest bit h is the winner among the leaves
from m - h to m + h - 1, as far as they exist; the root is the largest power of two below size. So a
node covers the same leaves in trees of different size.
"""

from __future__ import annotations

from numba import njit, types


@njit(types.int64(types.int64, types.int64), cache=True)
def node_of_right_part(m: int, size: int) -> int:
    """The inner node over the leaves from m on, below node m; 0 if that is only leaf m."""
    g = (m & -m) >> 1
    while g > 0 and m + g >= size:
        g >>= 1
    if g == 0:
        return 0
    return m + g
