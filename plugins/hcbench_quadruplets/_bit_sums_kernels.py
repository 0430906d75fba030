"""Compiled sums of columns of S, from bits of dense comparisons. They do not check their input.

Notation as in `_kernels`; ``won`` and ``lost`` are the bits of `hcbench.Comparisons.bits`. Column b
of S is row b of ``lost`` minus row b of ``won``, so columns are summed by counting bits at each
position, with adders made of operations on vectors of words: the bits of a count are distributed
over planes of words, one plane for each binary digit.

A row of w >= 8 words is processed in steps of 8. The last step ends with the row, so that some
words are processed twice; the output takes `step_words` words per row, and `places` are the
positions of the counts of the pairs of items.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

from hcbench.compiled import inner, load_words, no_words, store_words

BITS, WORK = types.Array(types.uint64, 1, "C", readonly=True), types.uint64[::1]
_ITEMS, _PLACES = types.int64[::1], types.uint32[::1]
_BYTES = np.uint64(0x0101010101010101)

MOST = 126  # columns whose sum, plus their number, fits in a byte; a multiple of seven


@inner
def full_adder(a: Any, b: Any, c: Any) -> tuple[Any, Any]:
    """Sum and carry of three bits, at each position."""
    either = a ^ b
    return either ^ c, (a & b) ^ (either & c)


@inner
def add_seven(x: tuple[Any, ...]) -> tuple[Any, Any, Any]:
    """The sum of seven bits, at each position, as planes."""
    one, two = full_adder(x[0], x[1], x[2])
    other, twos = full_adder(x[3], x[4], x[5])
    ones, more = full_adder(one, other, x[6])
    twos, fours = full_adder(two, twos, more)
    return ones, twos, fours


@inner
def bit_length(number: int) -> int:
    """Number of planes for numbers up to this one."""
    length = 0
    while number > 0:
        number >>= 1
        length += 1
    return length


def step_words(width: int) -> int:
    """Words of all steps through a row: a multiple of 8."""
    return (width + 7) // 8 * 8


def places(M: int, width: int) -> NDArray[np.int64]:
    """Positions of the counts of the pairs of items (M,) among those extracted from planes.

    Those at bit 0 of every byte come first, then those at bit 1, ...
    """
    steps = step_words(width)
    pair = np.arange(M)
    place = np.where(pair >> 6 < steps - 8, pair, pair + 64 * (steps - width))
    at: NDArray[np.int64] = (place & 7) * 8 * steps + (place >> 3)
    return at


@inner
def columns_at(
    won: Any, lost: Any, at: int, rows: NDArray[np.int64], masks: NDArray[np.uint64]
) -> tuple[Any, Any, Any, Any]:
    """At each position of a vector: the sum of seven columns, plus the number of nonzero masks.

    Parameters
    ----------
    won, lost : (64 w w,) uint64
    at : int
        Word of the row.
    rows, masks : (7,)
        Start of each row; the mask is 0 for a column to skip, all ones for one to add.
    """
    m0, m1, m2, m3 = masks[0], masks[1], masks[2], masks[3]
    m4, m5, m6 = masks[4], masks[5], masks[6]
    a, b, c, d = rows[0] + at, rows[1] + at, rows[2] + at, rows[3] + at
    e, f, g = rows[4] + at, rows[5] + at, rows[6] + at
    plus = (
        load_words(lost, a) & m0,
        load_words(lost, b) & m1,
        load_words(lost, c) & m2,
        load_words(lost, d) & m3,
        load_words(lost, e) & m4,
        load_words(lost, f) & m5,
        load_words(lost, g) & m6,
    )
    minus = (
        (load_words(won, a) & m0) ^ m0,
        (load_words(won, b) & m1) ^ m1,
        (load_words(won, c) & m2) ^ m2,
        (load_words(won, d) & m3) ^ m3,
        (load_words(won, e) & m4) ^ m4,
        (load_words(won, f) & m5) ^ m5,
        (load_words(won, g) & m6) ^ m6,
    )
    one0, two0, four0 = add_seven(plus)
    one1, two1, four1 = add_seven(minus)
    ones, carry = one0 ^ one1, one0 & one1
    twos, carry = full_adder(two0, two1, carry)
    fours, eights = full_adder(four0, four1, carry)
    return ones, twos, fours, eights


@inner
def sum_columns(
    columns: NDArray[np.int64],
    won: Any,
    lost: Any,
    width: int,
    stride: int,
    planes: NDArray[np.uint64],
) -> int:
    """Count at each position the sum of columns of S, plus their number. O(columns M / 64).

    Writes planes of ``stride`` (`step_words`) words each, one after the other, and returns their
    number: enough for twice the number of columns, and at least 4.
    """
    rows, masks = np.empty(7, np.int64), np.empty(7, np.uint64)
    written = 4
    for start in range(0, columns.size, 7):
        for column in range(7):
            there = start + column < columns.size
            rows[column] = columns[start + column if there else start] * width
            masks[column] = ~np.uint64(0) if there else np.uint64(0)
        summed = start + 7 if start + 7 < columns.size else columns.size
        needed = bit_length(2 * summed)
        needed = needed if needed > 4 else 4
        for at in range(0, width, 8):
            word = at if at < width - 8 else width - 8
            ones, twos, fours, eights = columns_at(won, lost, word, rows, masks)
            if start == 0:
                store_words(planes, at, ones)
                store_words(planes, at + stride, twos)
                store_words(planes, at + 2 * stride, fours)
                store_words(planes, at + 3 * stride, eights)
                continue
            ones, carry = full_adder(load_words(planes, at), ones, no_words())
            store_words(planes, at, ones)
            twos, carry = full_adder(load_words(planes, at + stride), twos, carry)
            store_words(planes, at + stride, twos)
            fours, carry = full_adder(load_words(planes, at + 2 * stride), fours, carry)
            store_words(planes, at + 2 * stride, fours)
            eights, carry = full_adder(load_words(planes, at + 3 * stride), eights, carry)
            store_words(planes, at + 3 * stride, eights)
            for plane in range(4, written):
                bit = load_words(planes, at + plane * stride)
                store_words(planes, at + plane * stride, bit ^ carry)
                carry = bit & carry
            if needed > written:
                store_words(planes, at + written * stride, carry)
        written = written if written > needed else needed
    return written


@inner
def take_bytes(
    planes: NDArray[np.uint64], at: int, stride: int, count: int, to: NDArray[np.uint64]
) -> None:
    """Write a vector of numbers of at most eight planes as bytes, grouped by bit."""
    for bit in range(8):
        eight = no_words()
        for plane in range(count):
            ones = (load_words(planes, at + plane * stride) >> bit) & _BYTES
            eight = eight | (ones << plane)
        store_words(to, bit * stride, eight)


@inner
def count_columns(
    columns: NDArray[np.int64], won: Any, lost: Any, width: int, work: NDArray[np.uint64]
) -> NDArray[np.uint8]:
    """The sums of at most `MOST` columns of S, plus their number, in the order of `places`.

    ``work`` has 16 times `step_words`: for the planes, and the bytes extracted from them.
    """
    steps = work.size // 16
    counts = work[8 * steps :]
    count = sum_columns(columns, won, lost, width, steps, work)
    for word in range(0, steps, 8):
        take_bytes(work, word, steps, count, counts[word:])
    return counts.view(np.uint8)


@njit(
    (BITS, BITS, types.int64, _ITEMS, _PLACES, _ITEMS, WORK, types.int32[::1], types.int64[:, ::1]),
    cache=True,
)
def sum_blocks(
    won: Any,
    lost: Any,
    width: int,
    pairs: NDArray[np.int64],
    place: NDArray[np.uint32],
    start: NDArray[np.int64],
    work: NDArray[np.uint64],
    running: NDArray[np.int32],
    S: NDArray[np.int64],
) -> None:
    """Write sums of S over the blocks of pairs of clusters. O(M^2 / 64 + P M) time.

    The pairs of items are processed block by block; the sum of a block is the difference of the
    running sum.

    Parameters
    ----------
    won, lost : (64 w w,) uint64, w >= 8
    width : int
        w.
    pairs, place : (m,)
        The pairs of items of different clusters, block by block; and `places` of them.
    start : (P+1,)
        Where each block starts among them.
    work, running : (16 `step_words`,), (m+1,), changed
        Room; and zeros.
    S : (P, P) int64, written
        Zeros.
    """
    for block in range(len(S)):
        row = S[block]
        for first in range(start[block], start[block + 1], MOST):
            last = first + MOST if first + MOST < start[block + 1] else start[block + 1]
            columns = pairs[first:last]
            counts = count_columns(columns, won, lost, width, work)
            total = np.int32(0)
            for at in range(place.size):
                total += np.int32(counts[place[at]])
                running[at + 1] = total
            for other in range(len(S)):
                n_pairs = start[other + 1] - start[other]
                sum_of_columns = running[start[other + 1]] - running[start[other]]
                row[other] += n_pairs * columns.size - sum_of_columns
