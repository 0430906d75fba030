"""Compiled loops over comparisons. They trust their input; `hcbench.model.comparisons` checks it.

Throughout, a pair of items i < j of n is named by its position in scipy's condensed order, row by
row: (0, 1), (0, 2), ..., (n-2, n-1). Counted from the end, the pairs of the last r rows are the
first r(r+1)/2, whatever n is, so that the row of a pair is a triangular root.

The bits of a matrix are mirrored in tiles of 512 x 512: 8 words, about a cache line, of each of 512
rows. All loops over words of a tile are of constant length: they become vector instructions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench.model._words import count_ones, count_zeros


@register_jitable
def triangle(r: Any) -> Any:
    """r(r+1)/2, without overflow as long as that is below 2^63."""
    return ((r + 1) >> 1) * (r | 1)


@register_jitable
def pair_of(i: Any, j: Any, n: Any) -> Any:
    """Condensed id of an unordered pair of items, n(n-1)/2 < 2^63."""
    low = np.int64(min(i, j))
    high = np.int64(max(i, j))
    last = np.int64(n) - 1
    return triangle(last) - triangle(last - low) + high - low - 1


@register_jitable
def items_of(pair: Any, n: Any) -> Any:
    """Items i < j of a condensed id: the inverse of `pair_of`."""
    last = np.int64(n) - 1
    from_end = triangle(last) - 1 - np.int64(pair)
    r = row_from_end(from_end)
    return last - 1 - r, last - (from_end - triangle(r))


@register_jitable
def row_from_end(e: Any) -> Any:
    """The largest r with r(r+1)/2 <= e: floor((sqrt(8e + 1) - 1) / 2).

    The square root is taken in floating point, where it is wrong by at most one, and corrected.
    """
    r = np.int64(np.sqrt(2.0 * np.float64(e)))
    if triangle(r) > e:
        return r - 1
    if triangle(r + 1) <= e:
        return r + 1
    return r


@njit(cache=True)
def pair_ids(i: NDArray[np.int64], j: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Condensed ids (m,) of the pairs of items i, j (m,). O(m)."""
    pairs = np.empty(i.size, np.int64)
    for at in range(i.size):
        pairs[at] = pair_of(i[at], j[at], n)
    return pairs


@njit(cache=True)
def encode(rows: Any, columns: Any, n: int, closer: Any, farther: Any) -> int:
    """Write the pairs of items of rows (m, 3 or 4), of which 4 columns are i, j, k, l. O(m).

    Returns the first row that does not compare two pairs of different items in 0..n-1, or -1.
    """
    for at in range(rows.shape[0]):
        i = rows[at, columns[0]]
        j = rows[at, columns[1]]
        k = rows[at, columns[2]]
        l = rows[at, columns[3]]  # noqa: E741
        lowest = min(min(i, j), min(k, l))
        highest = max(max(i, j), max(k, l))
        if lowest < 0 or highest >= n or i == j or k == l:
            return at
        first = pair_of(i, j, n)
        second = pair_of(k, l, n)
        if first == second:
            return at
        closer[at] = first
        farther[at] = second
    return -1


@njit(cache=True)
def items_of_pairs(pairs: Any, n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Items i < j, (m,) each, of condensed ids (m,). O(m), without a root inside a row."""
    i = np.empty(pairs.size, np.int64)
    j = np.empty(pairs.size, np.int64)
    # The pairs start..end-1 are those of the present row: (row, row + 1), (row, row + 2), ...
    row = np.int64(0)
    start = np.int64(0)
    end = np.int64(0)
    last = np.int64(n) - 1
    for at in range(pairs.size):
        pair = np.int64(pairs[at])
        if pair < start or pair >= end:
            r = row_from_end(triangle(last) - 1 - pair)
            row = last - 1 - r
            end = triangle(last) - triangle(r)
            start = end - r - 1
        i[at] = row
        j[at] = pair - start + row + 1
    return i, j


@njit(cache=True)
def decode_rows(closer: Any, farther: Any, n: int) -> NDArray[np.int32]:
    """Items (m, 4) of comparisons of pair ids (m,). O(m)."""
    rows = np.empty((closer.size, 4), np.int32)
    for at in range(closer.size):
        rows[at, 0], rows[at, 1] = items_of(closer[at], n)
        rows[at, 2], rows[at, 3] = items_of(farther[at], n)
    return rows


@njit(cache=True)
def spell_out(rank: Any, m: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """The m comparisons that ranks (M,) of pairs imply, in the order of `unique`. O(M^2)."""
    closer = np.empty(m, np.uint32)
    farther = np.empty(m, np.uint32)
    count = 0
    for a in range(rank.size):
        for b in range(a + 1, rank.size):
            if rank[a] != rank[b]:
                # Without a branch on the answer, which the processor could not predict.
                is_closer = rank[a] > rank[b]
                closer[count] = a if is_closer else b
                farther[count] = b if is_closer else a
                count += 1
    return closer, farther


TILE = 8  # words across, and 64 rows for each of them down


@njit(cache=True)
def scatter(closer: Any, farther: Any, sides: NDArray[np.uint64]) -> None:
    """Write comparisons (m,) as bits above the diagonal. O(m).

    Memory access is sequential by row if the comparisons are ordered by the smaller pair.

    Parameters
    ----------
    closer, farther : (m,) uint32
    sides : (2, 64 w, w) uint64, zeros, written
        Whether the smaller pair is the closer one; and whether it is the farther one.
    """
    for at in range(closer.size):
        a = closer[at]
        b = farther[at]
        # Without a branch, which the processor could not predict.
        low = min(a, b)
        high = max(a, b)
        side = np.uint8(a > b)
        sides[side, low, high >> 6] |= np.uint64(1) << np.uint64(high & 63)


@njit(cache=True)
def mirror_sides(sides: NDArray[np.uint64]) -> None:
    """Write the bits below the diagonals: each matrix becomes the transpose of the other.

    Both answers to one question cancel. Bits on and below the diagonals are ignored. O(M^2 / 64),
    limited by memory access.

    Parameters
    ----------
    sides : (2, 64 w, w) uint64, w >= TILE, changed
    """
    tile = np.empty((64, TILE * TILE), np.uint64)
    width = sides.shape[2]
    for down in range(0, width, TILE):
        for across in range(down, width, TILE):
            # The last tile is moved so that it ends with the row: bits may be written twice, and
            # its part below the diagonal has been written by then.
            row = min(down, width - TILE)
            column = min(across, width - TILE)
            keep = np.uint64(0)
            if down == across:
                # A tile on the diagonal is its own target: what is above the diagonal stays.
                clear_lower(sides[0], row)
                clear_lower(sides[1], row)
                keep = ~np.uint64(0)
            cancel_opposites(sides[0], sides[1], row, column)
            mirror(sides[0], sides[1], row, column, keep, tile)
            mirror(sides[1], sides[0], row, column, keep, tile)


@register_jitable
def clear_lower(bits: Any, row: int) -> None:
    """Clear what is on and below the diagonal, in the tile on it that starts at a block."""
    for line in range(64 * row, 64 * (row + TILE)):
        bits[line, row : line >> 6] = 0
        bits[line, line >> 6] &= (~np.uint64(0) << np.uint64(line & 63)) << np.uint64(1)


@register_jitable
def cancel_opposites(won: Any, lost: Any, row: int, column: int) -> None:
    """Clear the bits of a tile that are set in both matrices: two answers to one question."""
    # Few tiles have such bits, and a loop that only reads is faster.
    both = np.uint64(0)
    for line in range(64 * row, 64 * (row + TILE)):
        won_words = won[line, column : column + TILE]
        lost_words = lost[line, column : column + TILE]
        for word in range(TILE):
            both |= won_words[word] & lost_words[word]
    if both == 0:
        return
    for line in range(64 * row, 64 * (row + TILE)):
        for word in range(column, column + TILE):
            both = won[line, word] & lost[line, word]
            won[line, word] ^= both
            lost[line, word] ^= both


@register_jitable
def mirror(
    source: Any, target: Any, row: int, column: int, keep: Any, tile: NDArray[np.uint64]
) -> None:
    """Write the transpose of a tile of one matrix to the other.

    Parameters
    ----------
    row, column : int
        Where the tile starts, in blocks of 64 x 64 bits.
    keep : uint64
        Which bits of a word of the target stay.
    tile : (64, TILE^2) uint64
        Room for its blocks, side by side.
    """
    # Blocks that are below one another in the source are side by side in the room.
    for down in range(TILE):
        for line in range(64):
            words = source[64 * (row + down) + line, column : column + TILE]
            room = tile[line, TILE * down : TILE * (down + 1)]
            for across in range(TILE):
                room[across] = words[across]
    transpose(tile)
    for across in range(TILE):
        for line in range(64):
            words = target[64 * (column + across) + line, row : row + TILE]
            for down in range(TILE):
                words[down] = (words[down] & keep) | tile[line, TILE * down + across]


@register_jitable
def transpose(blocks: NDArray[np.uint64]) -> None:
    """Transpose blocks of 64 x 64 bits that lie side by side, a word of each row: (64, blocks).

    Ever smaller quarters of them change places (Warren 2013, section 7-3).
    """
    width = np.uint64(32)
    mask = np.uint64(0xFFFFFFFF)
    while width != 0:
        for row in range(64):
            if row & width == 0:
                _exchange_quarters(blocks[row], blocks[row + np.int64(width)], width, mask)
        width >>= np.uint64(1)
        mask ^= mask << width


@register_jitable
def _exchange_quarters(upper: Any, lower: Any, width: Any, mask: Any) -> None:
    for block in range(upper.size):
        change = ((upper[block] >> width) ^ lower[block]) & mask
        upper[block] ^= change << width
        lower[block] ^= change


@njit(cache=True)
def count_rows(bits: Any) -> NDArray[np.int64]:
    """How many bits of each row (rows, w) are 1."""
    counts = np.empty(len(bits), np.int64)
    for row in range(len(bits)):
        count = np.uint64(0)
        for word in range(bits.shape[1]):
            count += count_ones(bits[row, word])
        counts[row] = count
    return counts


@njit(cache=True)
def read_list(won: Any, lost: Any, m: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """The m answers that are above the diagonal, in order. O(m + M^2 / 64)."""
    closer = np.empty(m, np.uint32)
    farther = np.empty(m, np.uint32)
    one = np.uint64(1)
    count = 0
    for a in range(len(won)):
        first_word = (a + 1) >> 6
        for word in range(first_word, won.shape[1]):
            won_word = won[a, word]
            lost_word = lost[a, word]
            remaining = won_word | lost_word
            if word == first_word:
                # Without the bits on and below the diagonal.
                remaining &= ~np.uint64(0) << np.uint64((a + 1) & 63)
            while remaining != 0:
                bit = count_zeros(remaining)
                b = 64 * word + np.int64(bit)
                if (won_word >> bit) & one:
                    closer[count] = a
                    farther[count] = b
                    count += 1
                if (lost_word >> bit) & one:
                    closer[count] = b
                    farther[count] = a
                    count += 1
                remaining &= remaining - one  # clears the lowest bit
    return closer, farther


@njit(cache=True)
def read_triplets(won: Any, lost: Any, n: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """The comparisons whose pairs share one of the n items, in order. O(n^3)."""
    most = n * (n - 1) * (n - 2) // 2
    closer = np.empty(most, np.uint32)
    farther = np.empty(most, np.uint32)
    count = 0
    for i in range(n):
        for j in range(i + 1, n):
            a = pair_of(i, j, n)
            # Pairs b > a that share an item with it, rising: (i, k), (k, j) and (j, k).
            for k in range(j + 1, n):
                count = _read(won, lost, a, pair_of(i, k, n), closer, farther, count)
            for k in range(i + 1, j):
                count = _read(won, lost, a, pair_of(k, j, n), closer, farther, count)
            for k in range(j + 1, n):
                count = _read(won, lost, a, pair_of(j, k, n), closer, farther, count)
    return closer[:count].copy(), farther[:count].copy()


@njit(cache=True)
def _read(won: Any, lost: Any, a: Any, b: Any, closer: Any, farther: Any, count: Any) -> Any:
    """Append the answer about two pairs, if there is one, to ``count`` answers; the new count."""
    bit = np.uint64(b & 63)
    is_closer = (won[a, b >> 6] >> bit) & np.uint64(1)
    is_farther = (lost[a, b >> 6] >> bit) & np.uint64(1)
    # Written in any case, without a branch; without an answer the next one takes the place.
    closer[count] = a if is_closer else b
    farther[count] = b if is_closer else a
    return count + np.int64(is_closer | is_farther)
