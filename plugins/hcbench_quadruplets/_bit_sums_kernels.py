"""Compiled sums of columns of S, from bits of dense comparisons. They do not check their input.

Notation as in `_kernels`; ``won`` and ``lost`` are the bits of `hcbench.Comparisons.bits`. Column b
of S is row b of ``lost`` minus row b of ``won``, so columns are summed by counting bits at each
position. The bits of a count are distributed over planes, rows of words with one plane for each
binary digit, so that one operation on words counts at 64 positions (a carry-save adder).

A plane that has one carry waits for a second one: then both are added at once. So of all columns,
half reach the second plane, a quarter the third.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit, types
from numba.extending import register_jitable
from numpy.typing import NDArray

BITS = types.Array(types.uint64, 1, "C", readonly=True)
_ITEMS = types.int64[::1]
_PLACES = types.uint32[::1]
_RUNNING = types.int32[::1]
_SUMS = types.int64[:, ::1]
_BYTES = np.uint64(0x0101010101010101)

MOST = 126  # columns whose sum, plus their number, fits in a byte
_PLANES = 8  # binary digits of a byte


class Bits(NamedTuple):
    """The bits of `hcbench.Comparisons.bits`, one row of w words after the other."""

    #: (64 w w,) uint64. Row a, position b: whether "a is closer than b" was observed.
    won: Any
    #: (64 w w,) uint64. Likewise "b is closer than a".
    lost: Any
    #: w.
    width: int


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
        one = plane[word]
        two = more[word]
        three = ~fewer[word]
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
        one = plane[word]
        two = waiting[word]
        three = arriving[word]
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


class Planes(NamedTuple):
    """A count at each position, in binary digits, and carries that are not yet added."""

    #: (p, w) uint64. The digits, one plane for each.
    digit: NDArray[np.uint64]
    #: (p, w) uint64. The carry that waits at a plane for a second one.
    waiting: NDArray[np.uint64]
    #: (p,) bool. Whether there is one.
    is_waiting: NDArray[np.bool_]
    #: (2, w) uint64. Carries to a plane, and those from it, in turns.
    arriving: NDArray[np.uint64]


@register_jitable
def add_column(planes: Planes, more: NDArray[np.uint64], fewer: NDArray[np.uint64]) -> None:
    """Add a column of S plus 1: ``more`` has its ones, ``fewer`` its minus ones."""
    n_planes = len(planes.digit)
    add_side_by_side(planes.digit[0], more, fewer, planes.arriving[0])
    level = 1
    while level < n_planes and planes.is_waiting[level]:
        arrived = planes.arriving[(level - 1) & 1]
        carry = planes.arriving[level & 1]
        add_carries(planes.digit[level], planes.waiting[level], arrived, carry)
        planes.is_waiting[level] = False
        level += 1
    # All counts fit in the planes, so that the last one has no carries.
    if level < n_planes:
        # Word by word: for rows numba compiles an error about their lengths, in seconds.
        arrived = planes.arriving[(level - 1) & 1]
        waiting = planes.waiting[level]
        for word in range(waiting.size):
            waiting[word] = arrived[word]
        planes.is_waiting[level] = True


@register_jitable
def sum_columns(columns: NDArray[np.int64], bits: Bits) -> NDArray[np.uint64]:
    """Count at each position the sum of columns of S, plus their number. O(columns M / 64).

    Returns
    -------
    (p, width) uint64
        The planes: enough for twice the number of columns, at most `_PLANES` of them.
    """
    won = bits.won
    lost = bits.lost
    width = bits.width
    n_planes = bit_length(2 * columns.size)
    planes = Planes(
        np.zeros((n_planes, width), np.uint64),
        np.empty((n_planes, width), np.uint64),
        np.zeros(n_planes, np.bool_),
        np.empty((2, width), np.uint64),
    )
    for column in columns:
        row = slice(column * width, (column + 1) * width)
        add_column(planes, lost[row], won[row])
    # Add the carries that still wait.
    for level in range(1, n_planes):
        if planes.is_waiting[level]:
            for above in range(level, n_planes):
                add_carry(planes.digit[above], planes.waiting[level])
    return planes.digit


@register_jitable
def count_columns(columns: NDArray[np.int64], bits: Bits) -> NDArray[np.uint8]:
    """The sums of at most `MOST` columns of S, plus their number, in the order of `places`."""
    planes = sum_columns(columns, bits)
    counts = np.zeros((_PLANES, bits.width), np.uint64)
    for bit in range(8):
        for digit in range(len(planes)):
            add_digit(planes[digit], np.uint64(bit), np.uint64(digit), counts[bit])
    return counts.reshape(-1).view(np.uint8)


@register_jitable
def add_digit(plane: NDArray[np.uint64], bit: Any, digit: Any, counts: NDArray[np.uint64]) -> None:
    """Add a plane to the counts of the positions with this bit of every byte, a byte each."""
    for word in range(plane.size):
        counts[word] |= ((plane[word] >> bit) & _BYTES) << digit


class Blocks(NamedTuple):
    """The pairs of items of different clusters, block by block."""

    #: (m,) int64. Numbers of the pairs.
    pairs: NDArray[np.int64]
    #: (m,) uint32. `places` of them.
    place: NDArray[np.uint32]
    #: (P+1,) int64. Where each block starts among them.
    start: NDArray[np.int64]


@register_jitable
def subtract_sums(
    counts: NDArray[np.uint8],
    n_columns: int,
    blocks: Blocks,
    running: NDArray[np.int32],
    row: NDArray[np.int64],
) -> None:
    """Subtract the sums of columns over all blocks from a row (P,) of S. O(m).

    A sum over a block is a difference of ``running`` (m+1,), the sums of all counts so far, minus
    what `count_columns` added.
    """
    place = blocks.place
    start = blocks.start
    total = np.int32(0)
    for at in range(place.size):
        total += np.int32(counts[place[at]])
        running[at + 1] = total
    for block in range(row.size):
        n_pairs = start[block + 1] - start[block]
        sum_of_columns = running[start[block + 1]] - running[start[block]]
        row[block] += n_pairs * n_columns - sum_of_columns


@njit((BITS, BITS, types.int64, _ITEMS, _PLACES, _ITEMS, _RUNNING, _SUMS), cache=True)
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

    Parameters
    ----------
    won, lost, width
        The fields of `Bits`.
    pairs, place, start
        The fields of `Blocks`.
    running : (m+1,), changed
        Zeros.
    S : (P, P) int64, written
        Zeros.
    """
    bits = Bits(won, lost, width)
    blocks = Blocks(pairs, place, start)
    for block in range(len(S)):
        end = start[block + 1]
        for first in range(start[block], end, MOST):
            columns = pairs[first : min(first + MOST, end)]
            counts = count_columns(columns, bits)
            subtract_sums(counts, columns.size, blocks, running, S[block])
