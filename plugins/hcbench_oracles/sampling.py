"""Uniform samples without replacement from ranges far too large to be written down."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hcbench_oracles import _kernels

CHUNK = 1 << 16  # positions at a time: a few arrays of this length stay in the cache
BLOCK = 1 << 20  # positions whose bits, 128 KiB, stay in the cache
PER_BUCKET = 16  # so few that they are sorted by insertion
BITS_PER_POSITION = 64  # a bit for each of the range costs at most 8 bytes for each drawn


def distinct_positions(
    total: int, number: int, rng: np.random.Generator
) -> Iterator[NDArray[np.int64]]:
    """Draw a uniformly random set of ``number`` of the positions 0..total-1.

    Positions are drawn independently, and again where they have come before, until enough are
    different: by symmetry every set is equally likely. If more than half are wanted, those left out
    are drawn. Positions are integers throughout, so exact for any total below 2^63.

    Yields
    ------
    (at most CHUNK,) int64 arrays
        Rising, also from one to the next. O(number) time and memory.
    """
    if number == 0:
        return
    if total <= BITS_PER_POSITION * number:
        yield from _dense(total, number, rng)
    else:
        positions = _sparse(total, number, rng)
        for start in range(0, number, CHUNK):
            yield positions[start : start + CHUNK]


def _dense(total: int, number: int, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    bits = np.zeros(total // 64 + 1, np.uint64)
    left_out = number > total - number
    missing = total - number if left_out else number
    while missing > CHUNK:
        missing -= _set_block_by_block(bits, total, missing, rng)
    while missing:
        missing -= _kernels.set_bits(bits, rng.integers(total, size=missing))
    if left_out:
        np.invert(bits, out=bits)
        bits[-1] &= np.uint64((1 << total % 64) - 1)
    buffer = np.empty(CHUNK, np.int64)
    word = 0
    while word < bits.size:
        found, word = _kernels.read_bits(bits, word, buffer)
        yield buffer[:found].copy()


def _set_block_by_block(
    bits: NDArray[np.uint64], total: int, number: int, rng: np.random.Generator
) -> int:
    """Draw ``number`` positions, and set their bits; how many were not set before.

    How many of independent draws fall into each block is multinomial; so the positions of one block
    can be drawn together, and their bits stay in the cache.
    """
    starts = np.arange(0, total, BLOCK)
    sizes = np.minimum(BLOCK, total - starts)
    new = 0
    for start, size, count in zip(
        starts.tolist(), sizes.tolist(), rng.multinomial(number, sizes / total), strict=True
    ):
        inside = bits[start // 64 : (start + BLOCK) // 64]
        new += _kernels.set_bits(inside, rng.integers(size, size=count))
    return new


def _sparse(total: int, number: int, rng: np.random.Generator) -> NDArray[np.int64]:
    positions = _rising(total, number, rng)
    positions = positions[: _kernels.drop_repeats(positions)]
    extra = np.empty(0, np.int64)
    while positions.size + extra.size < number:
        again = rng.integers(total, size=number - positions.size - extra.size)
        nearest = np.minimum(np.searchsorted(positions, again), positions.size - 1)
        extra = np.union1d(extra, again[positions[nearest] != again])
    return np.insert(positions, np.searchsorted(positions, extra), extra)


def _rising(total: int, number: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Independent positions in rising order: how many are in each bucket first, then those.

    O(number) time, as a bucket holds few.
    """
    buckets = number // PER_BUCKET + 1
    size, rest = divmod(total, buckets)
    sizes = np.full(buckets, size)
    sizes[-1] += rest
    counts = rng.multinomial(number, sizes / total)
    positions = rng.integers(size, size=number)
    positions[number - counts[-1] :] = rng.integers(size + rest, size=counts[-1])
    _kernels.sort_buckets(positions, counts, size)
    return positions
