"""Compiled sums of columns of S, from bits of dense comparisons. They do not check their input.

Notation as in `_kernels`; ``won`` and ``lost`` are the bits of `hcbench.Comparisons.bits`. Column b
of S is row b of ``lost`` minus row b of ``won``, so columns are summed by counting bits at each
position. The bits of a count are distributed over planes, rows of words with one plane for each
binary digit, so that one operation on words counts at 64 positions (a carry-save adder).

A plane that has one carry waits for a second one: then both are added at once. So of all columns,
half reach the second plane, a quarter the third.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import register_jitable
from numpy.typing import NDArray

BITS = types.Array(types.uint64, 1, "C", readonly=True)
_ITEMS, _PLACES = types.int64[::1], types.uint32[::1]
_BYTES = np.uint64(0x0101010101010101)

MOST = 126  # columns whose sum, plus their number, fits in a byte
_PLANES = 8  # binary digits of a byte


@register_jitable
def add_side_by_side(
    plane: NDArray[np.uint64],
    more: NDArray[np.uint64],
    fewer: NDArray[np.uint64],
    carry: NDArray[np.uint64],
) -> None:
    """Add ``more`` and the complement of ``fewer`` to a plane, and write the carries.

    All have one bit at each position, (w,).
    """
    for word in range(plane.size):
        one, two, three = plane[word], more[word], ~fewer[word]
        either = one ^ two
        plane[word] = either ^ three
        carry[word] = (one & two) ^ (either & three)


@register_jitable
def add_carries(
    plane: NDArray[np.uint64],
    waiting: NDArray[np.uint64],
    arriving: NDArray[np.uint64],
    carry: NDArray[np.uint64],
) -> None:
    """Add two rows of carries to a plane, and write those of the sum, (w,) each."""
    for word in range(plane.size):
        one, two, three = plane[word], waiting[word], arriving[word]
        either = one ^ two
        plane[word] = either ^ three
        carry[word] = (one & two) ^ (either & three)


@register_jitable
def add_carry(plane: NDArray[np.uint64], carry: NDArray[np.uint64]) -> None:
    """Add one row of carries to a plane, (w,) each; ``carry`` becomes those of the sum."""
    for word in range(plane.size):
        before = plane[word]
        plane[word] = before ^ carry[word]
        carry[word] = before & carry[word]


@register_jitable
def bit_length(number: int) -> int:
    """Number of planes for numbers up to this one."""
    length = 0
    while number > 0:
        number >>= 1
        length += 1
    return length


def places(M: int, width: int) -> NDArray[np.int64]:
    """Positions of the counts of the pairs of items (M,) among those extracted from planes.

    Those at bit 0 of every byte come first, then those at bit 1, ...
    """
    pair = np.arange(M)
    at: NDArray[np.int64] = (pair & 7) * 8 * width + (pair >> 3)
    return at


@register_jitable
def sum_columns(columns: NDArray[np.int64], won: Any, lost: Any, width: int) -> NDArray[np.uint64]:
    """Count at each position the sum of columns of S, plus their number. O(columns M / 64).

    Returns
    -------
    (p, width) uint64
        The planes: enough for twice the number of columns, at most `_PLANES` of them.
    """
    n_planes = bit_length(2 * columns.size)
    planes = np.zeros((n_planes, width), np.uint64)
    waiting = np.empty((n_planes, width), np.uint64)
    is_waiting = np.zeros(n_planes, np.bool_)
    # Carries alternate between two rows, since those of one plane are added to the next.
    arriving = np.empty((2, width), np.uint64)
    for column in columns:
        more = lost[column * width : (column + 1) * width]
        fewer = won[column * width : (column + 1) * width]
        add_side_by_side(planes[0], more, fewer, arriving[0])
        level = 1
        while level < n_planes and is_waiting[level]:
            arrived, carry = arriving[(level - 1) & 1], arriving[level & 1]
            add_carries(planes[level], waiting[level], arrived, carry)
            is_waiting[level] = False
            level += 1
        # All counts fit in the planes, so that the last one has no carries.
        if level < n_planes:
            waiting[level] = arriving[(level - 1) & 1]
            is_waiting[level] = True
    for level in range(1, n_planes):
        if is_waiting[level]:
            for above in range(level, n_planes):
                add_carry(planes[above], waiting[level])
    return planes


@register_jitable
def count_columns(columns: NDArray[np.int64], won: Any, lost: Any, width: int) -> NDArray[np.uint8]:
    """The sums of at most `MOST` columns of S, plus their number, in the order of `places`."""
    planes = sum_columns(columns, won, lost, width)
    counts = np.zeros((_PLANES, width), np.uint64)
    for bit in range(8):
        for digit in range(len(planes)):
            add_digit(planes[digit], np.uint64(bit), np.uint64(digit), counts[bit])
    return counts.reshape(-1).view(np.uint8)


@register_jitable
def add_digit(plane: NDArray[np.uint64], bit: Any, digit: Any, counts: NDArray[np.uint64]) -> None:
    """Add a plane to the counts of the positions with this bit of every byte, a byte each."""
    for word in range(plane.size):
        counts[word] |= ((plane[word] >> bit) & _BYTES) << digit


@njit(
    (BITS, BITS, types.int64, _ITEMS, _PLACES, _ITEMS, types.int32[::1], types.int64[:, ::1]),
    cache=True,
)
def sum_blocks(
    won: Any,
    lost: Any,
    width: int,
    pairs: NDArray[np.int64],
    place: NDArray[np.uint32],
    start: NDArray[np.int64],
    running: NDArray[np.int32],
    S: NDArray[np.int64],
) -> None:
    """Write sums of S over the blocks of pairs of clusters. O(M^2 / 64 + P M) time.

    The pairs of items are processed block by block; the sum of a block is the difference of the
    running sum.

    Parameters
    ----------
    won, lost : (64 w w,) uint64
    width : int
        w.
    pairs, place : (m,)
        The pairs of items of different clusters, block by block; and `places` of them.
    start : (P+1,)
        Where each block starts among them.
    running : (m+1,), changed
        Zeros.
    S : (P, P) int64, written
        Zeros.
    """
    for block in range(len(S)):
        row = S[block]
        for first in range(start[block], start[block + 1], MOST):
            last = first + MOST if first + MOST < start[block + 1] else start[block + 1]
            columns = pairs[first:last]
            counts = count_columns(columns, won, lost, width)
            total = np.int32(0)
            for at in range(place.size):
                total += np.int32(counts[place[at]])
                running[at + 1] = total
            for other in range(len(S)):
                n_pairs = start[other + 1] - start[other]
                sum_of_columns = running[start[other + 1]] - running[start[other]]
                row[other] += n_pairs * columns.size - sum_of_columns
