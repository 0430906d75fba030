"""Compiled loops that write comparisons as bits. They trust their input."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

_COMPARED = types.Array(types.uint32, 1, "C", readonly=True)
_BITS = types.uint64[:, ::1]


@njit(cache=True)
def transpose(block: NDArray[np.uint64]) -> None:
    """Transpose 64 x 64 bits: ever smaller quarters change places (Warren 2013, section 7-3)."""
    width, mask = np.uint64(32), np.uint64(0xFFFFFFFF)
    while width != 0:
        row = np.uint64(0)
        while row < 64:
            other = row | width
            change = ((block[row] >> width) ^ block[other]) & mask
            block[row] ^= change << width
            block[other] ^= change
            row = (other + np.uint64(1)) & ~width
        width >>= np.uint64(1)
        mask ^= mask << width


@njit((_COMPARED, _COMPARED, _BITS, _BITS), cache=True)
def write_bits(closer: Any, farther: Any, won: Any, lost: Any) -> None:
    """Write comparisons (m,), each once, as bits. O(m + M^2 / 64).

    First what is above the diagonal is written, which goes from row to row where the comparisons
    are ordered by smaller pair, and then the rest of it, 64 x 64 bits at a time.

    Parameters
    ----------
    closer, farther : (m,) uint32
    won, lost : (64 w, w) uint64, zeros, written
        See `hcbench.comparison_bits.PreferenceBits`.
    """
    one = np.uint64(1)
    for at in range(closer.size):
        a, b = closer[at], farther[at]
        if a < b:
            won[a, b >> 6] |= one << np.uint64(b & 63)
        else:
            lost[b, a >> 6] |= one << np.uint64(a & 63)
    ahead, behind = np.empty(64, np.uint64), np.empty(64, np.uint64)
    for across in range(won.shape[1]):
        for down in range(across + 1):
            for row in range(64):
                ahead[row] = won[64 * down + row, across]
                behind[row] = lost[64 * down + row, across]
                both = ahead[row] & behind[row]  # opposite answers cancel
                ahead[row] ^= both
                behind[row] ^= both
                won[64 * down + row, across] = ahead[row]
                lost[64 * down + row, across] = behind[row]
            transpose(ahead)
            transpose(behind)
            for row in range(64):
                lost[64 * across + row, down] |= ahead[row]
                won[64 * across + row, down] |= behind[row]
