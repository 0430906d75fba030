"""Uniform samples without replacement from ranges too large to store."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hcbench_oracles import _sampling_kernels as kernels

BLOCK = kernels.BLOCK
CHUNK = BLOCK
"""Positions that are drawn at a time: a few arrays of this length stay in the cache."""
PER_BUCKET = 16
"""Positions in a bucket: few enough for insertion sort."""
BITS_PER_POSITION = 512
"""Scanning this many bits is faster than sorting one position."""


def distinct_positions(
    total: int, number: int, rng: np.random.Generator
) -> Iterator[NDArray[np.int64]]:
    """Draw a uniformly random set of ``number`` of the positions 0..total-1.

    Positions are drawn independently, and again if they are repeated, until enough are
    different: by symmetry every set is equally likely. If more than half are needed, the excluded
    ones are drawn. Positions are integers throughout, so exact for any total below 2^63.

    Yields
    ------
    (at most CHUNK,) int64 arrays
        Ascending, within and across arrays. O(number) time and memory.
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
    """Whether ``number`` is large enough for positions to be drawn as bits first."""
    return 0 < total <= BITS_PER_POSITION * number


def distinct_bits(total: int, number: int, rng: np.random.Generator) -> NDArray[np.uint64]:
    """Draw the set of `distinct_positions` as bits. O(number + total / 64).

    Returns
    -------
    (floor(total / 64) + 2,) uint64 array
        Bit ``p % 64`` of word ``p // 64`` is 1 if position p is in the set. The bits from ``total``
        on, at least one word, are 0.
    """
    counts = _block_counts(total, number, rng)
    seed = _seed(rng)
    bits = np.zeros(total // 64 + 2, np.uint64)
    kernels.draw_bits(total, counts, seed, bits)
    return bits


def _dense(total: int, number: int, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """Draw the number in each block first, then the positions, a few blocks at a time."""
    counts = _block_counts(total, number, rng)
    seed = _seed(rng)
    ends = np.cumsum(counts)
    first = 0  # of the blocks that are not yet drawn
    n_drawn = 0
    while n_drawn < number:
        last = int(np.searchsorted(ends, n_drawn + CHUNK, side="right"))
        n_next = int(ends[last - 1]) - n_drawn
        positions = np.empty(n_next + kernels.ROOM, np.int64)
        kernels.draw_positions(total, counts[first:last], first, seed, positions)
        yield positions[: -kernels.ROOM]
        first = last
        n_drawn += n_next


def _seed(rng: np.random.Generator) -> np.uint64:
    return rng.integers(1 << 64, dtype=np.uint64)


def _block_counts(total: int, number: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """The numbers of positions of a uniformly random set in each block.

    If every position is taken with the same probability, the set is uniform given its size; it
    remains so as random free positions are taken, or taken ones freed, until it has ``number``.
    """
    sizes = np.full(-(-total // BLOCK), BLOCK)
    # The last block may be shorter.
    sizes[-1] = total - BLOCK * (sizes.size - 1)
    counts = rng.binomial(sizes, number / total)
    missing = number - int(counts.sum())
    while missing:
        positions = rng.integers(total, size=min(total, CHUNK))
        missing = kernels.correct_counts(counts, missing, positions)
    return counts


def _sparse(total: int, number: int, rng: np.random.Generator) -> NDArray[np.int64]:
    positions = _rising(total, number, rng)
    is_first = np.append(True, positions[1:] != positions[:-1])
    positions = positions[is_first]
    # Draw again for those that were repeated, until enough are different.
    extra = np.empty(0, np.int64)
    while positions.size + extra.size < number:
        candidates = rng.integers(total, size=number - positions.size - extra.size)
        # The position at or after each candidate, to see whether it is taken.
        nearest = np.minimum(np.searchsorted(positions, candidates), positions.size - 1)
        is_new = positions[nearest] != candidates
        extra = np.union1d(extra, candidates[is_new])
    return np.insert(positions, np.searchsorted(positions, extra), extra)


def _rising(total: int, number: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Independent positions in ascending order: the number in each bucket first, then those.

    O(number) time, as each bucket holds few positions.
    """
    n_buckets = number // PER_BUCKET + 1
    size, remainder = divmod(total, n_buckets)
    sizes = np.full(n_buckets, size)
    sizes[-1] += remainder
    counts = rng.multinomial(number, sizes / total)
    positions = rng.integers(size, size=number)  # inside each bucket
    # The last bucket has the remainder, too.
    positions[number - counts[-1] :] = rng.integers(size + remainder, size=counts[-1])
    kernels.sort_buckets(positions, counts, size)
    return positions
