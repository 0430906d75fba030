"""Uniform samples without replacement from ranges far too large to be written down."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hcbench_oracles import _sampling_kernels as kernels

BLOCK = kernels.BLOCK
CHUNK = BLOCK  # positions at a time: a few arrays of this length stay in the cache
PER_BUCKET = 16  # so few that they are sorted by insertion
BITS_PER_POSITION = 512  # to look at so many bits is quicker than to sort a position


def distinct_positions(
    total: int, number: int, rng: np.random.Generator
) -> Iterator[NDArray[np.int64]]:
    """Draw a uniformly random set of ``number`` of the positions 0..total-1.

    Positions are drawn independently, and again where they have come before, until enough are
    different: by symmetry every set is equally likely. Where more than half are wanted, those left
    out are drawn. Positions are integers throughout, so exact for any total below 2^63.

    Yields
    ------
    (at most CHUNK,) int64 arrays
        Rising, also from one to the next. O(number) time and memory.
    """
    if number == 0:
        return
    if are_drawn_as_bits(total, number):
        yield from _dense(total, number, rng)
    else:
        positions = _sparse(total, number, rng)
        for start in range(0, number, CHUNK):
            yield positions[start : start + CHUNK]


def are_drawn_as_bits(total: int, number: int) -> bool:
    """Whether so many positions are wanted that they are drawn as bits first."""
    return 0 < total <= BITS_PER_POSITION * number


def distinct_bits(total: int, number: int, rng: np.random.Generator) -> NDArray[np.uint64]:
    """Draw the set of `distinct_positions`, where it is drawn as bits. O(number + total / 64).

    Returns
    -------
    (floor(total / 64) + 2,) uint64 array
        Bit ``p % 64`` of word ``p // 64`` is 1 if position p is in the set. The bits from ``total``
        on, at least a word of them, are 0.
    """
    counts, seed = _block_counts(total, number, rng), _seed(rng)
    bits = np.zeros(total // 64 + 2, np.uint64)
    kernels.draw_bits(total, counts, seed, bits)
    return bits


def _dense(total: int, number: int, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """How many are in each block first, then those, a few blocks at a time."""
    counts, seed = _block_counts(total, number, rng), _seed(rng)
    ends = np.cumsum(counts)
    first, drawn = 0, 0
    while drawn < number:
        last = int(np.searchsorted(ends, drawn + CHUNK, side="right"))
        positions = np.empty(ends[last - 1] - drawn + kernels.ROOM, np.int64)
        kernels.draw_positions(total, counts[first:last], first, seed, positions)
        yield positions[: -kernels.ROOM]
        first, drawn = last, int(ends[last - 1])


def _seed(rng: np.random.Generator) -> np.uint64:
    return rng.integers(1 << 64, dtype=np.uint64)


def _block_counts(total: int, number: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """How many of a uniformly random set fall into each block.

    If every position is taken with the same probability, the set is uniform, given how many it
    has; it stays so as random free positions are taken, or taken ones freed, until it has `number`.
    """
    sizes = np.full(-(-total // BLOCK), BLOCK)
    sizes[-1] = total - BLOCK * (sizes.size - 1)
    counts = rng.binomial(sizes, number / total)
    missing = number - int(counts.sum())
    while missing:
        positions = rng.integers(total, size=min(total, CHUNK))
        missing = kernels.correct_counts(counts, missing, positions)
    return counts


def _sparse(total: int, number: int, rng: np.random.Generator) -> NDArray[np.int64]:
    positions = _rising(total, number, rng)
    positions = positions[np.append(True, positions[1:] != positions[:-1])]
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
    kernels.sort_buckets(positions, counts, size)
    return positions
