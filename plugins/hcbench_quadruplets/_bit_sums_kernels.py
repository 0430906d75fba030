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
_WAITING = (
    _PLANES  # the row of the carry that waits at plane 0; there is none, as it has no carries
)
_ARRIVING = 2 * _PLANES + 1  # the first of two rows for carries that meet a waiting one


class Bits(NamedTuple):
    """The bits of `hcbench.Comparisons.bits`, one row of w words after the other."""

    #: (64 w w,) uint64. Row a, position b: whether "a is closer than b" was observed.
    won: Any
    #: (64 w w,) uint64. Likewise "b is closer than a".
    lost: Any


class Counter(NamedTuple):
    """Work space of `count_columns`, and its result."""

    #: (2 _PLANES + 3, w) uint64. The digits, the carry that waits at each of them, two other ones.
    planes: NDArray[np.uint64]
    #: (8 w,) uint64. The counts, eight in a word.
    words: NDArray[np.uint64]
    #: (64 w,) uint8. The same, one by one, in the order of `places`.
    counts: NDArray[np.uint8]


COUNTER = (types.uint64[:, ::1], types.uint64[::1], types.uint8[::1])


def new_counter(width: int) -> Counter:
    """Work space for rows of ``width`` words."""
    # Allocated here and not in a kernel, where it would take longer to compile.
    words = np.empty(8 * width, np.uint64)
    planes = np.empty((2 * _PLANES + 3, width), np.uint64)
    return Counter(planes=planes, words=words, counts=words.view(np.uint8))


def places(M: int, width: int) -> NDArray[np.int64]:
    """Positions of the counts of the pairs of items (M,) among those extracted from planes.

    Those at bit 0 of every byte come first, then those at bit 1, ...
    """
    pair = np.arange(M)
    at: NDArray[np.int64] = (pair & 7) * 8 * width + (pair >> 3)
    return at


@register_jitable
def count_columns(columns: NDArray[np.int64], bits: Bits, counter: Counter) -> None:
    """Count at each position the sum of at most `MOST` columns of S, plus their number.

    O(columns M / 64). It is one function that kernels call themselves: what is called by a function
    that they call would be compiled again for that, and again with that.
    """
    won = bits.won
    lost = bits.lost
    planes = counter.planes
    width = planes.shape[1]
    n_planes = 0
    while 2 * columns.size >> n_planes > 0:
        n_planes += 1
    for level in range(n_planes):
        plane = planes[level]
        for word in range(width):
            plane[word] = 0
    for number in range(columns.size):
        # The sum so far has a carry that waits at each level of which the bit below is 1 in
        # ``number``. A carry from the level below waits there if none does, or else is added.
        plane = planes[0]
        target = _ARRIVING
        if number & 1 == 0:
            target = _WAITING + 1
        carry = planes[target]
        row = columns[number] * width
        more = lost[row : row + width]
        fewer = won[row : row + width]
        # The ones of the column, and the complement of its minus ones.
        for word in range(width):
            one = plane[word]
            two = more[word]
            three = ~fewer[word]
            either = one ^ two
            plane[word] = either ^ three
            carry[word] = (one & two) ^ (either & three)
        level = 1
        while (number >> (level - 1)) & 1 == 1:
            plane = planes[level]
            waiting = planes[_WAITING + level]
            arriving = planes[target]
            target = _ARRIVING + (level & 1)
            if (number >> level) & 1 == 0:
                target = _WAITING + level + 1
            carry = planes[target]
            for word in range(width):
                one = plane[word]
                two = waiting[word]
                three = arriving[word]
                either = one ^ two
                plane[word] = either ^ three
                carry[word] = (one & two) ^ (either & three)
            level += 1
    # Add the carries that still wait.
    for level in range(1, n_planes):
        if (columns.size >> (level - 1)) & 1 == 1:
            waiting = planes[_WAITING + level]
            for above in range(level, n_planes):
                plane = planes[above]
                for word in range(width):
                    before = plane[word]
                    plane[word] = before ^ waiting[word]
                    waiting[word] = before & waiting[word]
    # The counts at bit 0 of every byte, a byte each; then those at bit 1, ...
    for bit in range(8):
        words = counter.words[bit * width : (bit + 1) * width]
        for word in range(width):
            words[word] = 0
        for level in range(n_planes):
            plane = planes[level]
            for word in range(width):
                words[word] |= ((plane[word] >> np.uint64(bit)) & _BYTES) << np.uint64(level)


@register_jitable
def add_counts(
    counts: NDArray[np.uint8], n_columns: int, weight: float, v: NDArray[np.float64]
) -> None:
    """Add ``weight`` times the sum of columns of S, of `count_columns`, to v. O(M)."""
    less = np.int32(n_columns)
    for at in range(v.size):
        v[at] += weight * np.int32(np.int32(counts[at]) - less)


@register_jitable
def subtract_sums(
    counts: NDArray[np.uint8],
    n_columns: int,
    place: NDArray[np.uint32],
    start: NDArray[np.int64],
    running: NDArray[np.int32],
    row: NDArray[np.int64],
) -> None:
    """Subtract the sums of columns over all blocks from a row (P,) of S. O(m).

    Block after block, the pairs of items have these places (m,); each block starts at ``start``.
    A sum over a block is a difference of ``running`` (m+1,), the sums of all counts so far, minus
    what `count_columns` added.
    """
    total = np.int32(0)
    for at in range(place.size):
        total += np.int32(counts[place[at]])
        running[at + 1] = total
    for block in range(row.size):
        n_pairs = start[block + 1] - start[block]
        sum_of_columns = running[start[block + 1]] - running[start[block]]
        row[block] += n_pairs * n_columns - sum_of_columns


@njit((BITS, BITS, *COUNTER, _ITEMS, _PLACES, _ITEMS, _RUNNING, _SUMS), cache=True)
def sum_blocks(
    won: Any,
    lost: Any,
    planes: NDArray[np.uint64],
    words: NDArray[np.uint64],
    counts: NDArray[np.uint8],
    pairs: NDArray[np.int64],
    place: NDArray[np.uint32],
    start: NDArray[np.int64],
    running: NDArray[np.int32],
    S: NDArray[np.int64],
) -> None:
    """Write sums of S over the blocks of pairs of clusters. O(M^2 / 64 + P M) time.

    Parameters
    ----------
    won, lost
        The fields of `Bits`.
    planes, words, counts
        The fields of `Counter`.
    pairs : (m,) int64
        Numbers of the pairs of items of different clusters, block by block.
    place : (m,) uint32
        `places` of them.
    start : (P+1,) int64
        Where each block starts among them.
    running : (m+1,), changed
        Zeros.
    S : (P, P) int64, written
        Zeros.
    """
    bits = Bits(won, lost)
    counter = Counter(planes, words, counts)
    for block in range(len(S)):
        end = start[block + 1]
        for first in range(start[block], end, MOST):
            columns = pairs[first : min(first + MOST, end)]
            count_columns(columns, bits, counter)
            subtract_sums(counts, columns.size, place, start, running, S[block])
