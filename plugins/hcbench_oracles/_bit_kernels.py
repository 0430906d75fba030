"""Compiled loops that answer many queries at once, one bit each. They trust their input."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numba.extending import register_jitable
from numpy.typing import NDArray

_WORD = 64


@register_jitable
def are_from(numbers: NDArray[np.int32], start: Any, least: Any) -> Any:
    """Whether each of 64 numbers, from index ``start`` on, is at least ``least``, as 64 bits."""
    bits = np.uint64(0)
    for at in range(_WORD):
        bits |= np.uint64(numbers[start + at] >= least) << np.uint64(at)
    return bits


@njit(cache=True)
def untied_ranks(
    ordered: NDArray[np.float64], tolerance: float
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The similarities not tied with each of the ascending ``ordered`` (M,). O(M).

    Returns
    -------
    below, above : (M,) int32
        Each similarity is larger than those of ranks 0..below-1, and smaller than those of ranks
        above and higher. Rounded differences are monotone, so that ranks give the same answers.
    """
    below = np.empty(ordered.size, np.int32)
    above = np.empty(ordered.size, np.int32)
    low = 0
    high = 0
    for at in range(ordered.size):
        # Both ends rise with the similarity.
        while ordered[at] - ordered[low] > tolerance:
            low += 1
        while high < ordered.size and ordered[high] - ordered[at] <= tolerance:
            high += 1
        below[at] = low
        above[at] = high
    return below, above


@njit(cache=True)
def answer_bits(
    queries: NDArray[np.uint64],
    rank: NDArray[np.int32],
    below: NDArray[np.int32],
    above: NDArray[np.int32],
    sides: NDArray[np.uint64],
) -> None:
    """Answer which of the pairs a < b is more similar, for each query. O(M^2 / 64) words.

    Parameters
    ----------
    queries : (>= M(M-1)/2/64 + 1,) uint64
        Bits of the queries (0, 1), (0, 2), ..., (M-2, M-1), one after another.
    rank : (64 w,) int32, w = ceil(M / 64)
        Ranks of the similarities of the pairs; entries after the first M are ignored.
    below, above : (M,) int32
        `untied_ranks` of each pair.
    sides : (2, 64 w, w) uint64, zeros, written
        Above the diagonals: whether a is closer than b, and whether b is closer than a.
    """
    won = sides[0]
    lost = sides[1]
    n_pairs = below.size
    width = sides.shape[2]
    bits_of_last = ~np.uint64(0) >> np.uint64(-n_pairs % 64)  # the pairs in the last word
    start = 0  # of the queries about a and all later pairs
    for a in range(n_pairs - 1):
        first = (a + 1) >> 6
        has_ties = above[a] > below[a] + 1
        for word in range(first, width):
            if word == first:  # from pair a + 1 on
                bits = _bits_from(queries, start) << np.uint64((a + 1) & 63)
            else:
                bits = _bits_from(queries, start + 64 * word - a - 1)
            if word == width - 1:
                bits &= bits_of_last
            farther = bits & are_from(rank, 64 * word, above[a])
            lost[a, word] = farther
            if has_ties:
                bits &= ~are_from(rank, 64 * word, below[a])
            won[a, word] = bits & ~farther
        start += n_pairs - 1 - a


@register_jitable
def _bits_from(bits: NDArray[np.uint64], start: Any) -> Any:
    """The 64 bits from number ``start`` on."""
    word = start >> 6
    shift = np.uint64(start & 63)
    # Shifted in two steps, as a shift by 64 bits is not defined.
    rest = (bits[word + 1] << np.uint64(1)) << (np.uint64(63) - shift)
    return (bits[word] >> shift) | rest
