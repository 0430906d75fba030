"""Compiled loops that draw positions. They trust their input."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from hcbench.compiled import scramble

BLOCK = 1 << 15  # positions whose bits, 4 KiB, are drawn together; 15 random bits name one
ROOM = 4  # positions that are written at a time
STEP = np.uint64(0x9E3779B97F4A7C15)  # from one random number to the next: SplitMix64


@intrinsic
def _count_zeros(_context: Any, word: Any) -> Any:
    """The bits of a uint64 below the lowest that is 1; 64 where there is none."""

    def generate(target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], target.get_constant(types.boolean, False))

    return types.uint64(types.uint64), generate


@intrinsic
def _count_ones(_context: Any, word: Any) -> Any:
    """The bits of a uint64 that are 1."""

    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


count_zeros: Any = _count_zeros
count_ones: Any = _count_ones


@njit(cache=True)
def correct_counts(counts: NDArray[np.int64], missing: int, positions: NDArray[np.int64]) -> int:
    """Add what is missing to the blocks of free positions, or take it from those of taken ones.

    Parameters
    ----------
    counts : (blocks,) int64, changed
        How many positions are taken in each block; which ones does not matter, say the first.
    missing : int
        How many more are to be taken, or, if it is negative, fewer.
    positions : (m,) int64
        Random positions: one that is free is taken, or one that is taken is freed.

    Returns
    -------
    int
        How many are missing after all. O(m).
    """
    for position in positions:
        block = position // BLOCK
        taken = position % BLOCK < counts[block]
        if missing > 0 and not taken:
            counts[block] += 1
            missing -= 1
        elif missing < 0 and taken:
            counts[block] -= 1
            missing += 1
    return missing


@njit(cache=True)
def draw_blocks(
    total: int, counts: NDArray[np.int64], first: int, seed: Any, positions: NDArray[np.int64]
) -> None:
    """Draw so many different positions in each of some blocks, every set equally likely.

    O(m + 512 blocks). Random numbers depend on the seed and the block alone.

    Parameters
    ----------
    total : int
        Positions there are.
    counts : (blocks,) int64
        How many to draw in the blocks from number ``first`` on.
    seed : uint64
    positions : (m + ROOM,) int64, written, rising
        For all m of the counts, and what is written over the end.
    """
    bits = np.empty(BLOCK // 64, np.uint64)
    found = 0
    for block in range(counts.size):
        start = (first + block) * BLOCK
        size = min(BLOCK, total - start)
        words = bits[: (size + 63) // 64]
        words[:] = 0
        left_out = 2 * counts[block] > size
        key = scramble(seed + STEP * np.uint64(first + block))
        set_bits(words, size, size - counts[block] if left_out else counts[block], key)
        if left_out:
            _turn(words, size)
        found = read_bits(words, start, positions, found)


@njit(cache=True)
def set_bits(bits: NDArray[np.uint64], size: int, number: Any, key: Any) -> None:
    """Set ``number`` of the first ``size`` bits, none of which is set.

    Bits are drawn independently, and again where they are set already, until enough are: by
    symmetry every set is equally likely. O(number) where that is at most half of the size.
    """
    one, quarter = np.uint64(1), np.uint64(16)
    mask = np.uint64(BLOCK - 1)
    while mask >> one >= np.uint64(size - 1) and mask > 1:
        mask >>= one
    left = number
    while left > 0:
        key += STEP
        random = scramble(key)
        for _ in range(min(4, left)):  # as many as cannot be too many
            at = random & mask
            random >>= quarter
            if at < size:
                word, bit = at >> np.uint64(6), at & np.uint64(63)
                free = ~(bits[word] >> bit) & one
                bits[word] |= one << bit
                left -= np.int64(free)


@njit(cache=True)
def _turn(bits: NDArray[np.uint64], size: int) -> None:
    """Turn the first ``size`` bits round."""
    for word in range(size // 64):
        bits[word] = ~bits[word]
    if size % 64:
        bits[size // 64] ^= (np.uint64(1) << np.uint64(size % 64)) - np.uint64(1)


@njit(cache=True)
def read_bits(
    bits: NDArray[np.uint64], start: int, positions: NDArray[np.int64], found: Any
) -> Any:
    """Write the positions of set bits, and ``start``, after those found; how many are found then.

    A few at a time without asking whether there are so many, as that cannot be foreseen.
    """
    for word in range(bits.size):
        rest = bits[word]
        at, found = found, found + np.int64(count_ones(rest))
        while True:
            for step in range(ROOM):
                positions[at + step] = start + 64 * word + np.int64(count_zeros(rest))
                rest &= rest - np.uint64(1)
            at += ROOM
            if rest == 0:
                break
    return found


@njit(cache=True)
def sort_buckets(positions: NDArray[np.int64], counts: NDArray[np.int64], size: int) -> None:
    """Turn positions inside buckets (m,) into positions of all, rising. O(m) for few in each.

    The first ``counts[0]`` are of bucket 0, which starts at 0, the next of that at ``size``, ...
    """
    start = 0
    for bucket in range(counts.size):
        end = start + counts[bucket]
        for at in range(start, end):
            value = positions[at] + bucket * size
            hole = at
            while hole > start and positions[hole - 1] > value:
                positions[hole] = positions[hole - 1]
                hole -= 1
            positions[hole] = value
        start = end
