"""Comparisons as bits: of which pairs of items each pair was closer, and farther."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hcbench.model.comparisons import _kernels as kernels


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


def write_bits(
    n: int, closer: NDArray[np.uint32], farther: NDArray[np.uint32]
) -> tuple[PreferenceBits, int]:
    """Write comparisons as bits, and count the different ones. O(m + M^2 / 64), M^2 / 4 bytes."""
    # Both matrices are one array, for which the system gives fewer, larger pages.
    sides = np.zeros(shape_of_sides(n), np.uint64)
    kernels.scatter(closer, farther, sides)
    # Before opposite answers cancel.
    distinct = 0
    for side in sides:
        distinct += int(kernels.count_rows(side).sum())
    return mirrored(sides), distinct


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
    _, n_rows, width = sides.shape
    padded = sides
    if width < kernels.TILE:
        # The loop works on whole tiles.
        missing = kernels.TILE - width
        padded = np.pad(sides, ((0, 0), (0, 64 * missing), (0, missing)))
    kernels.mirror_sides(padded)
    sides = np.ascontiguousarray(padded[:, :n_rows, :width])
    sides.flags.writeable = False
    return PreferenceBits(won=sides[0], lost=sides[1])
