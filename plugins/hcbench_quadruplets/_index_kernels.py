"""The index of a list of comparisons by pairs of items. It does not check its input."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import register_jitable
from numpy.typing import NDArray

COMPARED = types.Array(types.uint32, 1, "C", readonly=True)
_PAIRS = types.uint32[::1]


def index_pairs(closer: Any, farther: Any, n: int) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """List for every pair of items the pairs with which it was compared: the columns of S.

    Parameters
    ----------
    closer, farther : (m,) uint32
        Comparisons, each once.
    n : int
        Number of items, at most 2^16.

    Returns
    -------
    end : (2M+1,) int64, M = n(n-1)/2
        Of pair b, ``listed[end[2b]:end[2b+1]]`` are the pairs a with S[a, b] = 1, closer than b;
        ``listed[end[2b+1]:end[2b+2]]`` those with S[a, b] = -1. If both answers to a query were
        observed, a is in both and cancels.
    listed : (2m,) uint32
        Pairs by their `items`. O(M + m) time, 8 m + 10 n^2 bytes.
    """
    # numpy asks for large pages, which halve the time of access at random places.
    items = np.empty(n * (n - 1) // 2, np.uint32)
    end = np.zeros(2 * items.size + 2, np.int64)
    listed = np.empty(2 * closer.size, np.uint32)
    _write_index(closer, farther, n, items, end, listed)
    return end[:-1], listed


@njit((COMPARED, COMPARED, types.int64, _PAIRS, types.int64[::1], _PAIRS), cache=True)
def _write_index(closer: Any, farther: Any, n: int, items: Any, end: Any, listed: Any) -> None:
    pair = 0
    for i in range(n):
        for j in range(i + 1, n):
            items[pair] = i << 16 | j
            pair += 1
    # The list of half h begins at end[h + 1] until it is written, and ends there afterwards.
    for at in range(closer.size):
        end[2 * np.int64(farther[at]) + 2] += 1
        end[2 * np.int64(closer[at]) + 3] += 1
    for half in range(2 * items.size):
        end[half + 1] += end[half]
    for at in range(closer.size):
        a = np.int64(closer[at])
        b = np.int64(farther[at])
        listed[end[2 * b + 1]] = items[a]
        end[2 * b + 1] += 1
        listed[end[2 * a + 2]] = items[b]
        end[2 * a + 2] += 1


@register_jitable
def items_of(pair: Any) -> tuple[Any, Any]:
    """Items i < j of a listed pair, 16 bits each."""
    return pair >> np.uint32(16), pair & np.uint32(0xFFFF)
