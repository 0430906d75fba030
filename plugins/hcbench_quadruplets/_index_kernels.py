"""The index of a list of comparisons by pairs of items. It does not check its input."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

COMPARED = types.Array(types.uint32, 1, "C", readonly=True)


@njit((COMPARED, COMPARED, types.int64), cache=True)
def index_pairs(
    closer: Any, farther: Any, M: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint32]]:
    """List for every pair of items the pairs with which it was compared: the columns of S.

    Parameters
    ----------
    closer, farther : (m,) uint32
        Comparisons, each once.
    M : int
        Number of pairs.

    Returns
    -------
    start : (M+1,) int64
    middle : (M,) int64
    other : (2m,) uint32
        ``other[start[b]:middle[b]]`` are the pairs a with S[a, b] = 1, closer than b;
        ``other[middle[b]:start[b+1]]`` those with S[a, b] = -1. If both answers to a query were
        observed, a is in both and cancels. O(M + m) time, 8 m bytes.
    """
    start = np.zeros(M + 1, np.int64)
    middle = np.zeros(M, np.int64)
    for at in range(closer.size):
        start[closer[at] + 1] += 1
        middle[farther[at]] += 1
    for b in range(M):
        middle[b] += start[b]
        start[b + 1] += middle[b]
    other = np.empty(2 * closer.size, np.uint32)
    won = start[:M].copy()  # position of the next pair closer than b
    lost = middle.copy()  # position of the next pair farther than b
    for at in range(closer.size):
        a, b = closer[at], farther[at]
        other[won[b]] = a
        won[b] += 1
        other[lost[a]] = b
        lost[a] += 1
    return start, middle, other
