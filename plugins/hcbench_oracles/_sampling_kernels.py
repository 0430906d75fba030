"""Compiled loops that draw positions. They trust their input."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench.compiled import count_ones, count_zeros, scramble

BLOCK = 1 << 15
"""Positions whose bits, 4 KiB, are drawn together; 15 random bits select one."""
ROOM = 4
"""Positions that are written at a time."""
_ONE = np.uint64(1)
STEP = np.uint64(0x9E3779B97F4A7C15)  # from one random number to the next: SplitMix64


@njit(cache=True)
def correct_counts(counts: NDArray[np.int64], missing: int, positions: NDArray[np.int64]) -> int:
    """Take missing positions in the blocks, or free surplus ones.

    Parameters
    ----------
    counts : (blocks,) int64, changed
        Number of taken positions in each block; which ones does not matter, e.g. the first.
    missing : int
        Number of positions still to take or, if negative, to free.
    positions : (m,) int64
        Random positions: free ones are taken, or taken ones are freed.

    Returns
    -------
    int
        The number still missing. O(m).
    """
    for position in positions:
        block = position // BLOCK
        # As if the first positions of each block were those in the set.
        is_in_set = position % BLOCK < counts[block]
        if missing > 0 and not is_in_set:
            counts[block] += 1
            missing -= 1
        elif missing < 0 and is_in_set:
            counts[block] -= 1
            missing += 1
    return missing


@njit(cache=True)
def draw_bits(total: int, counts: NDArray[np.int64], seed: Any, bits: NDArray[np.uint64]) -> None:
    """Draw ``counts`` different positions in each block, as `draw_positions`, and set their bits.

    Parameters
    ----------
    counts : (blocks,) int64
    bits : (>= total / 64,) uint64, zeros, written
    """
    for block in range(counts.size):
        start = block * BLOCK // 64
        _draw_block(total, block, counts[block], seed, bits[start : start + BLOCK // 64])


@njit(cache=True)
def draw_positions(
    total: int, counts: NDArray[np.int64], first: int, seed: Any, positions: NDArray[np.int64]
) -> None:
    """Draw ``counts`` different positions in each of some blocks, every set equally likely.

    O(m + 512 blocks). Random numbers depend only on the seed and the block.

    Parameters
    ----------
    total : int
        Number of positions.
    counts : (blocks,) int64
        The numbers to draw in the blocks from ``first`` on.
    seed : uint64
    positions : (m + ROOM,) int64, written, ascending
        The m positions, and room for writes beyond the end.
    """
    bits = np.empty(BLOCK // 64, np.uint64)
    n_read = 0
    for block in range(counts.size):
        bits[:] = 0
        _draw_block(total, first + block, counts[block], seed, bits)
        n_read = read_bits(bits, (first + block) * BLOCK, positions, n_read)


@register_jitable
def _draw_block(total: int, block: Any, number: Any, seed: Any, bits: Any) -> None:
    """Set ``number`` random bits of a block in which none is set."""
    size = min(BLOCK, total - block * BLOCK)
    words = bits[: (size + 63) // 64]
    key = scramble(seed + STEP * np.uint64(block))
    if 2 * number > size:
        # Fewer are excluded than set: draw those.
        set_bits(words, size, size - number, key)
        _turn(words, size)
    else:
        set_bits(words, size, number, key)


@register_jitable
def set_bits(bits: NDArray[np.uint64], size: int, number: Any, key: Any) -> None:
    """Set ``number`` random bits among the first ``size``, none of which is set.

    Bits are drawn independently, and again if they are already set, until enough are set: by
    symmetry every set is equally likely. O(number) if that is at most half of the size.
    """
    mask = np.uint64(BLOCK - 1)
    while mask >> _ONE >= np.uint64(size - 1) and mask > 1:
        mask >>= _ONE
    # Four at a time from one random number, while that cannot set too many.
    remaining = number
    while remaining >= 4 and mask < np.uint64(size):
        for _ in range(remaining >> 2):
            key += STEP
            random = scramble(key)
            _set(bits, random & mask)
            _set(bits, random >> np.uint64(16) & mask)
            _set(bits, random >> np.uint64(32) & mask)
            _set(bits, random >> np.uint64(48) & mask)
        remaining = number
        for word in range(bits.size):
            remaining -= np.int64(count_ones(bits[word]))
    # Then one by one, counting those that were not yet set.
    while remaining > 0:
        key += STEP
        random = scramble(key)
        for _ in range(min(4, remaining)):
            at = random & mask
            random >>= np.uint64(16)
            if at < size:
                was_set = (bits[at >> np.uint64(6)] >> (at & np.uint64(63))) & _ONE
                remaining -= np.int64(was_set ^ _ONE)
                _set(bits, at)


@register_jitable
def _set(bits: NDArray[np.uint64], at: Any) -> None:
    bits[at >> np.uint64(6)] |= _ONE << (at & np.uint64(63))


@register_jitable
def _turn(bits: NDArray[np.uint64], size: int) -> None:
    """Invert the first ``size`` bits."""
    for word in range(size // 64):
        bits[word] = ~bits[word]
    if size % 64:
        bits[size // 64] ^= (np.uint64(1) << np.uint64(size % 64)) - np.uint64(1)


@register_jitable
def read_bits(
    bits: NDArray[np.uint64], start: int, positions: NDArray[np.int64], n_read: Any
) -> Any:
    """Append the positions of set bits, plus ``start``; return the new number of positions.

    Writes a few at a time without checking whether there are as many, as the branch would be
    unpredictable.
    """
    for word in range(bits.size):
        remaining = bits[word]
        at = n_read
        n_read += np.int64(count_ones(remaining))
        while True:
            for step in range(ROOM):
                positions[at + step] = start + 64 * word + np.int64(count_zeros(remaining))
                remaining &= remaining - np.uint64(1)
            at += ROOM
            if remaining == 0:
                break
    return n_read


@njit(cache=True)
def sort_buckets(positions: NDArray[np.int64], counts: NDArray[np.int64], size: int) -> None:
    """Turn positions inside buckets (m,) into ascending positions overall. O(m) for small buckets.

    The first ``counts[0]`` are in bucket 0, which starts at 0, the next in that from ``size``, ...
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
