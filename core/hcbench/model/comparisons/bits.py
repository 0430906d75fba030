"""Comparisons as bits: an index for algorithms that use all answers about a pair."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hcbench.model.comparisons import _bit_kernels as kernels

SMALL = 1 << 28
"""Bytes of bits that are acceptable even if the comparisons take fewer."""
FEWEST = 256
"""With fewer than M^2 / FEWEST comparisons, a list is faster than the bits."""


@dataclass(frozen=True, slots=True, eq=False)
class PreferenceBits:
    """Which of the M = n(n-1)/2 pairs of items is preferred to which, a bit each.

    Both answers to one question cancel: neither bit is set.

    Attributes
    ----------
    won : (64 w, w) uint64 array, w = ceil(M / 64)
        Bit ``b % 64`` of word ``b // 64`` of row a is 1 if "a is closer than b" is an answer. Bits
        and rows from M on are 0. Read-only.
    lost : array of the same shape
        The transpose: whether "b is closer than a" is an answer.
    """

    won: NDArray[np.uint64]
    lost: NDArray[np.uint64]


def are_worth_while(n: int, m: int) -> bool:
    """Whether bits are a better index of m comparisons of n items than a list."""
    n_pairs = n * (n - 1) // 2
    return 0 < n_pairs**2 <= m * FEWEST and n_pairs**2 // 4 <= max(8 * m, SMALL)


def write_bits(n: int, closer: NDArray[np.uint32], farther: NDArray[np.uint32]) -> PreferenceBits:
    """Write distinct comparisons as bits. O(m + M^2 / 64), M^2 / 4 bytes."""
    sides = np.zeros(shape_of_sides(n), np.uint64)  # in one piece: of fewer, larger pages
    kernels.scatter(closer, farther, sides)
    return mirrored(sides)


def shape_of_sides(n: int) -> tuple[int, int, int]:
    """Of both matrices of the bits of n items: (2, 64 w, w)."""
    width = -(-(n * (n - 1) // 2) // 64)
    return 2, 64 * width, width


def mirrored(sides: NDArray[np.uint64]) -> PreferenceBits:
    """Bits that are given above the diagonals. O(M^2 / 64), in place where they are many.

    Parameters
    ----------
    sides : (2, 64 w, w) uint64 array, changed
        ``won`` and ``lost`` of `PreferenceBits`; bits on and below the diagonals are ignored.
    """
    width = sides.shape[2]
    if width < kernels.TILE:
        room = np.zeros((2, 64 * kernels.TILE, kernels.TILE), np.uint64)
        room[:, : 64 * width, :width] = sides
        kernels.mirror_sides(*room)
        sides = room[:, : 64 * width, :width].copy()
    else:
        kernels.mirror_sides(*sides)
    sides.flags.writeable = False
    return PreferenceBits(*sides)
