"""Compiled sums of columns of S, from bits of dense comparisons. They do not check their input.

Notation as in `_kernels`; ``won`` and ``lost`` are the bits of `hcbench.Comparisons.bits`. Column b
of S is row b of ``lost`` minus row b of ``won``, so columns are summed by counting bits at each
position, with adders made of operations on vectors of words: the bits of a count are distributed
over planes of words, one plane for each binary digit.

A row of w >= 8 words is processed in steps of 8. The last step ends with the row, so that some
words are processed twice; the output takes `step_words` words per row, and `byte_of` is the
position of the count of a pair of items.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

from hcbench.compiled import aligned_words, inner, load_words, no_words, store_words

BITS = types.Array(types.uint64, 2, "C", readonly=True)
_BETWEEN = types.int32[::1]
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


@njit(cache=True)
def bit_length(number: int) -> int:
    """Number of planes for numbers up to this one."""
    length = 0
    while number > 0:
        number >>= 1
        length += 1
    return length


@njit(cache=True)
def step_words(width: int) -> int:
    """Words of all steps through a row: a multiple of 8."""
    return (width + 7) // 8 * 8


@njit(cache=True)
def byte_of(a: int, width: int) -> int:
    """Index of the count of pair a of items among the counts extracted from planes.

    Those at bit 0 of every byte come first, then those at bit 1, ...
    """
    steps = step_words(width)
    place = a if (a >> 6) < steps - 8 else a + 64 * (steps - width)
    return (place & 7) * 8 * steps + (place >> 3)


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
    planes: NDArray[np.uint64],
) -> int:
    """Count at each position the sum of columns of S, plus their number. O(columns M / 64).

    Writes planes of `step_words` words each, one after the other, and returns their number: enough
    for twice the number of columns, and at least 4.
    """
    stride = step_words(width)
    rows, masks = np.empty(7, np.int64), np.empty(7, np.uint64)
    written = 4
    for start in range(0, columns.size, 7):
        for column in range(7):
            there = start + column < columns.size
            rows[column] = columns[start + column if there else start] * width
            masks[column] = ~np.uint64(0) if there else np.uint64(0)
        needed = max(4, bit_length(2 * min(start + 7, columns.size)))
        for at in range(0, width, 8):
            ones, twos, fours, eights = columns_at(won, lost, min(at, width - 8), rows, masks)
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
        written = max(written, needed)
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
    """The sums of at most `MOST` columns of S, plus their number, in the order of `byte_of`.

    ``work`` has 16 times `step_words`: for the planes, and the bytes extracted from them.
    """
    steps = step_words(width)
    counts = work[8 * steps :]
    count = sum_columns(columns, won, lost, width, work)
    for word in range(0, steps, 8):
        take_bytes(work, word, steps, count, counts[word:])
    return counts.view(np.uint8)


@njit((BITS, BITS, _BETWEEN, types.int64), cache=True)
def sum_blocks(won: Any, lost: Any, between: NDArray[np.int32], K: int) -> NDArray[np.int64]:
    """As `_list_kernels.net_preferences`: sums of S over the blocks of pairs of clusters, (P, P).

    O(M^2 / 64 + P M) time; 19 M bytes plus the sums. The pairs of items are processed block by
    block; the sum of a block is the difference of the running sum.

    Parameters
    ----------
    won, lost : (64 w, w) uint64, w >= 8
    between : (M,) int32
        See `_kernels.pairs_of_clusters`.
    """
    P, width = K * (K - 1) // 2, won.shape[1]
    start = np.zeros(P + 1, np.int64)
    for block in between:
        if block >= 0:
            start[block + 1] += 1
    for block in range(P):
        start[block + 1] += start[block]
    pairs, place = np.empty(start[P], np.int64), np.empty(start[P], np.uint32)
    following = start[:P].copy()
    for a in range(between.size):
        if between[a] >= 0:
            pairs[following[between[a]]] = a
            place[following[between[a]]] = byte_of(a, width)
            following[between[a]] += 1
    work, running = aligned_words(16 * step_words(width)), np.zeros(start[P] + 1, np.int32)
    won_rows, lost_rows, S = (
        won.reshape(won.size),
        lost.reshape(lost.size),
        np.zeros((P, P), np.int64),
    )
    for block in range(P):
        row = S[block]
        for first in range(start[block], start[block + 1], MOST):
            columns = pairs[first : min(first + MOST, start[block + 1])]
            counts = count_columns(columns, won_rows, lost_rows, width, work)
            total = np.int32(0)
            for at in range(place.size):
                total += np.int32(counts[place[at]])
                running[at + 1] = total
            for other in range(P):
                n_pairs = start[other + 1] - start[other]
                sum_of_columns = running[start[other + 1]] - running[start[other]]
                row[other] += n_pairs * columns.size - sum_of_columns
    return S
