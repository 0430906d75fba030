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

_BITS = types.Array(types.uint64, 2, "C", readonly=True)
_ITEMS, _FLOATS = types.int64[::1], types.float64[::1]
_BYTES = np.uint64(0x0101010101010101)

MOST = 126  # columns whose sum, plus their number, fits in a byte


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
def clear_row(row: NDArray[np.uint64]) -> None:
    """Write zeros. O(w)."""
    for word in range(row.size):
        row[word] = 0


@register_jitable
def copy_row(source: NDArray[np.uint64], target: NDArray[np.uint64]) -> None:
    """Copy one row to another. O(w)."""
    for word in range(source.size):
        target[word] = source[word]


@register_jitable
def add_carry(plane: NDArray[np.uint64], carry: NDArray[np.uint64]) -> None:
    """Add one row of carries to a plane, (w,) each; ``carry`` becomes those of the sum."""
    for word in range(plane.size):
        before = plane[word]
        plane[word] = before ^ carry[word]
        carry[word] = before & carry[word]


class Planes(NamedTuple):
    """Work space of `add_columns` for rows of w words."""

    #: (8, w) uint64. Binary digits of the count at each position, the lowest first.
    digits: Any
    #: (8, w) uint64. A row of carries that waits for a second one, for each plane.
    waiting: Any
    #: (8,) bool. Whether there is one.
    is_waiting: Any
    #: (2, w) uint64. Carries of the last two planes: those of one are added to the next.
    arriving: Any
    #: (8, w) uint64. Counts, a byte for each pair: byte k of [bit, word] is that of pair
    #: 64 word + 8 k + bit.
    counts: Any


def new_planes(width: int) -> Planes:
    """Make the work space for rows of ``width`` words. 208 bytes a word."""
    return Planes(
        digits=np.zeros((8, width), np.uint64),
        waiting=np.zeros((8, width), np.uint64),
        is_waiting=np.zeros(8, np.bool_),
        arriving=np.zeros((2, width), np.uint64),
        counts=np.zeros((8, width), np.uint64),
    )


_ROWS = types.uint64[:, ::1]
_PLANES = types.NamedTuple((_ROWS, _ROWS, types.boolean[::1], _ROWS, _ROWS), Planes)


@njit(types.void(_BITS, _BITS, types.int64, types.int64, _PLANES), cache=True)
def count_column(won: Any, lost: Any, column: int, n_planes: int, planes: Planes) -> None:
    """Count a column of S, plus 1, in the planes. O(M / 64)."""
    add_side_by_side(planes.digits[0], lost[column], won[column], planes.arriving[0])
    level = 1
    while level < n_planes and planes.is_waiting[level]:
        arrived = planes.arriving[(level - 1) & 1]
        carry = planes.arriving[level & 1]
        add_carries(planes.digits[level], planes.waiting[level], arrived, carry)
        planes.is_waiting[level] = False
        level += 1
    # All counts fit in the planes, so that the last one has no carries.
    if level < n_planes:
        copy_row(planes.arriving[(level - 1) & 1], planes.waiting[level])
        planes.is_waiting[level] = True


@register_jitable
def add_digit(plane: NDArray[np.uint64], bit: Any, digit: Any, counts: NDArray[np.uint64]) -> None:
    """Add a plane to the counts of the positions with this bit of every byte, a byte each."""
    for word in range(plane.size):
        counts[word] |= ((plane[word] >> bit) & _BYTES) << digit


@njit(types.void(_ITEMS, _BITS, _BITS, _PLANES), cache=True)
def count_columns(columns: NDArray[np.int64], won: Any, lost: Any, planes: Planes) -> None:
    """Count the sums of at most `MOST` columns of S, plus their number. O(columns M / 64)."""
    n_planes = 1
    while (1 << n_planes) <= 2 * columns.size:
        n_planes += 1
    for level in range(n_planes):
        clear_row(planes.digits[level])
        planes.is_waiting[level] = False
    for column in columns:
        count_column(won, lost, column, n_planes, planes)
    # Carries that still wait are added without a second one.
    for level in range(1, n_planes):
        if planes.is_waiting[level]:
            for above in range(level, n_planes):
                add_carry(planes.digits[above], planes.waiting[level])
    for bit in range(8):
        clear_row(planes.counts[bit])
        for digit in range(n_planes):
            add_digit(planes.digits[digit], np.uint64(bit), np.uint64(digit), planes.counts[bit])


@register_jitable
def add_counts(weight: float, counts: NDArray[np.uint64], n_columns: int, v: Any) -> None:
    """Add to v the weighted sums of the columns that were counted. O(M)."""
    of_bytes = counts.view(np.uint8)
    # Eight pairs in turn, so that v is read and written in its order.
    for byte in range(v.size // 8):
        for bit in range(8):
            v[8 * byte + bit] += weight * (np.int64(of_bytes[bit, byte]) - n_columns)
    for pair in range(v.size // 8 * 8, v.size):
        v[pair] += weight * (np.int64(of_bytes[pair % 8, pair // 8]) - n_columns)


@njit(types.void(_ITEMS, _FLOATS, _BITS, _BITS, _PLANES, _FLOATS), cache=True)
def add_columns(
    columns: NDArray[np.int64],
    weights: NDArray[np.float64],
    won: Any,
    lost: Any,
    planes: Planes,
    v: NDArray[np.float64],
) -> None:
    """Add columns of S, weighted, to v: O(M / 64) for each, and O(M) for each run of one weight.

    Parameters
    ----------
    columns, weights : (t,)
        Columns of equal weight follow each other: up to `MOST` of them are counted together.
    won, lost : (64 w, w) uint64
        The bits of `hcbench.Comparisons.bits`.
    planes : Planes, changed
    v : (M,), changed
    """
    first = 0
    while first < columns.size:
        last = first + 1
        while last < min(columns.size, first + MOST) and weights[last] == weights[first]:
            last += 1
        count_columns(columns[first:last], won, lost, planes)
        add_counts(weights[first], planes.counts, last - first, v)
        first = last
