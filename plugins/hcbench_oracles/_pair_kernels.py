"""Compiled answers to queries about two items: do they belong together? They trust their input.

Pairs of items i < j have ids in condensed order: ``n i - i(i+1)/2 + j - i - 1``. A keyed
permutation of the ids decides which answers are persistently flipped: exactly the m pairs that it
maps to 0 .. m-1, in O(1) time and memory per pair.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench.compiled import scramble, uniform

# Entries of ``ints``.
N = 0  # the number of items
SEED = 1
FLIPPED = 2  # the number of persistently flipped pairs
BITS = 3  # the number of bits of the permuted ids
MATRIX = 4  # whether pairs are given by bits rather than by labels of items
HEADER = 5  # where the data begin
HALF_ROUNDS = 10
"""Half rounds of the permutation; 4 are enough for large numbers (Luby & Rackoff 1988)."""
_STEP = np.uint64(0x9E3779B97F4A7C15)
_PERMUTE = np.uint64(0xD1342543DE82EF95)  # other random numbers than those of independent noise
_ONE = np.uint64(1)


@njit(cache=True)
def _part(seed: Any, half_round: Any, value: Any, mask: Any) -> Any:
    """The round function: bits for one half from the value of the other half."""
    key = (np.uint64(seed) ^ _PERMUTE) + _STEP * np.uint64(half_round + 1)
    return scramble(scramble(key) + value) & mask


@njit(cache=True)
def permute(seed: Any, number: Any, total: Any, bits: Any, inverse: Any) -> Any:
    """The image of a number under a keyed permutation of 0 .. total-1, or its preimage.

    An unbalanced Feistel network on ``bits`` bits, the fewest that hold total - 1: each half round
    combines one half with a function of the other, and is its own inverse. Numbers outside the
    range are permuted again until they are inside (cycle walking; Black & Rogaway 2002): fewer than
    two times in expectation. O(1).
    """
    low_bits = np.uint64(bits // 2)
    low_mask = (_ONE << low_bits) - _ONE
    high_mask = (_ONE << np.uint64(bits - bits // 2)) - _ONE
    value = np.uint64(number)
    while True:
        low = value & low_mask
        high = value >> low_bits
        for step in range(HALF_ROUNDS):
            at = step
            if inverse:
                at = HALF_ROUNDS - 1 - step
            if at % 2 == 0:
                high ^= _part(seed, at, low, high_mask)
            else:
                low ^= _part(seed, at, high, low_mask)
        value = (high << low_bits) | low
        if value < np.uint64(total):
            return np.int64(value)


@register_jitable
def _is_together(ints: Any, i: Any, j: Any, pair: Any) -> Any:
    """Whether two items belong together, before any noise."""
    if ints[MATRIX]:
        return (ints[HEADER + (pair >> 6)] >> (pair & 63)) & 1
    return np.int64(ints[HEADER + i] == ints[HEADER + j])


@register_jitable
def _is_flipped(ints: Any, pair: Any) -> Any:
    """Whether the answer about a pair is persistently flipped."""
    n = ints[N]
    n_flipped = ints[FLIPPED]
    if n_flipped == 0:  # without the permutation
        return False
    return permute(ints[SEED], pair, n * (n - 1) // 2, ints[BITS], False) < n_flipped


@njit(cache=True)
def answer_pair(
    floats: Any,
    ints: Any,
    i: Any,
    j: Any,
    k: Any,
    l: Any,  # noqa: E741
    key: Any,
    time: Any,
) -> Any:
    """1 if two items belong together, else 0; subject to noise. O(1).

    Parameters
    ----------
    floats : (1,) array
        Probability that an answer is wrong, drawn anew each time.
    ints : int64 array
        The header; then the cluster of each item (n,), or a bit for each pair.
    """
    if i == j:
        return np.int64(1)
    n = ints[N]
    low = min(i, j)
    high = max(i, j)
    pair = n * low - low * (low + 1) // 2 + high - low - 1
    together = _is_together(ints, i, j, pair)
    # Persistent flips and independent noise exclude each other.
    flipped = _is_flipped(ints, pair)
    if floats[0] > 0.0:
        flipped = uniform(ints[SEED], key, time) < floats[0]
    if flipped:
        return 1 - together
    return together


@njit(cache=True)
def flipped_pairs(ints: NDArray[np.int64], numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Ids (m,) of the flipped pairs that the permutation maps to these numbers. O(m)."""
    n = ints[N]
    n_pairs = n * (n - 1) // 2
    pairs = np.empty_like(numbers)
    for at in range(numbers.size):
        pairs[at] = permute(ints[SEED], numbers[at], n_pairs, ints[BITS], True)
    return pairs


@njit(cache=True)
def together_in_matrix(ints: NDArray[np.int64], pairs: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether the answers (m,) about pairs of a matrix are 1, with persistent flips."""
    together = np.empty(pairs.size, np.bool_)
    for at in range(pairs.size):
        bit = _is_together(ints, 0, 0, pairs[at]) == 1
        together[at] = bit != _is_flipped(ints, pairs[at])
    return together


@njit(cache=True)
def draw_skewed(
    seed: Any, start: Any, below: NDArray[np.float64], pairs: NDArray[np.int64]
) -> None:
    """Fill in ordered pairs (m, 2) of different items, drawn by their weights. O(m log n).

    ``below`` (n,) are the cumulative probabilities of the items. Both items are drawn again while
    they are equal.
    """
    last = below.size - 1
    for row in range(len(pairs)):
        key = np.uint64(start + row)
        time = 0  # random numbers used for this row
        i = 0
        j = 0
        while i == j:
            i = min(last, np.searchsorted(below, uniform(seed, key, time), side="right"))
            j = min(last, np.searchsorted(below, uniform(seed, key, time + 1), side="right"))
            time += 2
        pairs[row, 0] = i
        pairs[row, 1] = j
