"""Compiled loops of the oracles. They trust their input."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hcbench.compiled import question_key, uniform

QUADRUPLET = 1  # two unordered pairs in either order: see hcbench.compiled.question_key


@njit(cache=True)
def set_bits(bits: NDArray[np.uint64], positions: NDArray[np.int64]) -> int:
    """Set the bits at ``positions`` (m,); how many of them were not set before. O(m)."""
    new = 0
    one = np.uint64(1)
    for position in positions:
        word = position >> 6
        bit = one << np.uint64(position & 63)
        if bits[word] & bit == 0:
            bits[word] |= bit
            new += 1
    return new


@njit(cache=True)
def read_bits(bits: NDArray[np.uint64], word: int, positions: NDArray[np.int64]) -> tuple[int, int]:
    """Write positions of set bits, from word ``word`` on, as long as a full word would fit.

    Returns
    -------
    found, word : int
        How many were written, and the word to go on from. O(64 words), without branches on bits.
    """
    found = 0
    one = np.uint64(1)
    while word < bits.size and found + 64 <= positions.size:
        rest = bits[word]
        if rest != 0:
            for bit in range(64):
                positions[found] = (word << 6) + bit
                found += int(rest & one)
                rest >>= one
                if found == positions.size:
                    break  # the word's last bit was set and the buffer is full
        word += 1
    return found, word


@njit(cache=True)
def drop_repeats(values: NDArray[np.int64]) -> int:
    """Move the different ones of the sorted ``values`` (m,) to its front; how many. O(m)."""
    kept = 0
    for at in range(values.size):
        if at == 0 or values[at] != values[at - 1]:
            values[kept] = values[at]
            kept += 1
    return kept


@njit(cache=True)
def compare_pairs(
    w: Any,
    tolerance: float,
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    items: tuple[Any, Any, Any, Any],
    closer: NDArray[np.uint32],
    farther: NDArray[np.uint32],
) -> int:
    """Answer which of the pairs a and b (m,) is more similar; how many have an answer. O(m).

    Parameters
    ----------
    w : (n, n) float64
        Similarities.
    tolerance : float
        Similarities that differ by no more than this are tied: no answer.
    items : i, j, k, l, (m,) each
        Items of the pairs: a is (i, j), b is (k, l).
    closer, farther : (m,) uint32, written from the start
    """
    i, j, k, l = items  # noqa: E741
    answered = 0
    for at in range(a.size):
        difference = w[i[at], j[at]] - w[k[at], l[at]]
        if difference > tolerance:
            closer[answered], farther[answered] = a[at], b[at]
            answered += 1
        elif difference < -tolerance:
            closer[answered], farther[answered] = b[at], a[at]
            answered += 1
    return answered


@njit(cache=True)
def flip_answers(
    seed: int,
    noise: float,
    closer: NDArray[np.uint32],
    farther: NDArray[np.uint32],
    items: tuple[Any, Any, Any, Any],
) -> None:
    """Turn answers (m,) round, each with probability ``noise``. O(m).

    Whether it is turned round depends on the seed and on the question alone: see
    `hcbench.compiled.uniform`. ``items``, (m,) each, are those of ``closer`` and ``farther``.
    """
    i, j, k, l = items  # noqa: E741
    for at in range(closer.size):
        key = question_key(QUADRUPLET, i[at], j[at], k[at], l[at])
        if uniform(seed, key, 0) < noise:
            closer[at], farther[at] = farther[at], closer[at]
