"""Compiled loops that write comparisons as bits. They trust their input.

The bits of a matrix are gone through in tiles of 512 x 512: 8 words, about a cache line, of each of
512 rows. All loops over words are of constant length, so that they become vector instructions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

TILE = 8  # words across, and 64 rows for each of them down


@njit(cache=True)
def write_bits(closer: Any, farther: Any, sides: NDArray[np.uint64]) -> None:
    """Write comparisons (m,), each once, as bits. O(m + M^2 / 64).

    First what is above the diagonal is written, which goes from row to row where the comparisons
    are ordered by smaller pair; then what each tile tells about the one across the diagonal.

    Parameters
    ----------
    closer, farther : (m,) uint32
    sides : (2, 64 w, w) uint64, w >= TILE, zeros, written
        ``won`` and ``lost`` of `hcbench.comparisons.bits.PreferenceBits`.
    """
    one = np.uint64(1)
    for at in range(closer.size):
        a, b = closer[at], farther[at]
        low, high = min(a, b), max(a, b)
        side = np.uint8(a > b)  # no branch: which pair is closer cannot be foreseen
        sides[side, low, high >> 6] |= one << np.uint64(high & 63)
    won, lost = sides[0], sides[1]
    tile = np.empty((64, TILE * TILE), np.uint64)
    width = won.shape[1]
    for across in range(0, width, TILE):
        for down in range(0, across + TILE, TILE):
            # The last tile is moved to end where the row does: to write a bit twice does no harm.
            row, column = min(down, width - TILE), min(across, width - TILE)
            cancel_opposites(won, lost, row, column)
            mirror(won, lost, row, column, tile)
            mirror(lost, won, row, column, tile)


@njit(cache=True)
def cancel_opposites(won: Any, lost: Any, row: int, column: int) -> None:
    """Clear the bits of a tile that are set in both matrices: two answers to one question."""
    both = np.uint64(0)
    for line in range(64 * row, 64 * (row + TILE)):
        ahead, behind = won[line, column : column + TILE], lost[line, column : column + TILE]
        for word in range(TILE):
            both |= ahead[word] & behind[word]
    if both != 0:
        for line in range(64 * row, 64 * (row + TILE)):
            for word in range(column, column + TILE):
                both = won[line, word] & lost[line, word]
                won[line, word] ^= both
                lost[line, word] ^= both


@njit(cache=True)
def mirror(source: Any, target: Any, row: int, column: int, tile: NDArray[np.uint64]) -> None:
    """Add the transpose of a tile of one matrix to the other.

    Parameters
    ----------
    row, column : int
        Where the tile starts, in blocks of 64 x 64 bits.
    tile : (64, TILE^2) uint64
        Room for its blocks, side by side.
    """
    for down in range(TILE):
        for line in range(64):
            words = source[64 * (row + down) + line, column : column + TILE]
            room = tile[line, TILE * down : TILE * (down + 1)]
            for across in range(TILE):
                room[across] = words[across]
    transpose(tile)
    for across in range(TILE):
        for line in range(64):
            words = target[64 * (column + across) + line, row : row + TILE]
            for down in range(TILE):
                words[down] |= tile[line, TILE * down + across]


@njit(cache=True)
def transpose(blocks: NDArray[np.uint64]) -> None:
    """Transpose blocks of 64 x 64 bits that lie side by side, a word of each row: (64, blocks).

    Ever smaller quarters of them change places (Warren 2013, section 7-3).
    """
    width, mask = np.uint64(32), np.uint64(0xFFFFFFFF)
    while width != 0:
        for row in range(64):
            if row & width == 0:
                _exchange_quarters(blocks[row], blocks[row + np.int64(width)], width, mask)
        width >>= np.uint64(1)
        mask ^= mask << width


@njit(cache=True)
def _exchange_quarters(upper: Any, lower: Any, width: Any, mask: Any) -> None:
    for block in range(upper.size):
        change = ((upper[block] >> width) ^ lower[block]) & mask
        upper[block] ^= change << width
        lower[block] ^= change
