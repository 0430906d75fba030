"""Compiled loops over comparisons. They trust their input; `hcbench.model.comparisons` checks it.

Throughout, a pair of items i < j of n is named by its position in scipy's condensed order, row by
row: (0, 1), (0, 2), ..., (n-2, n-1). Counted from the end, the pairs of the last r rows are the
first r(r+1)/2, whatever n is, so that the row of a pair is a triangular root.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

_STEP = 4096  # comparisons checked at a time


class RowFault(IntEnum):
    """What is wrong with a comparison."""

    NONE = 0
    RANGE = 1
    SAME_ITEM = 2
    SAME_PAIR = 3


@njit(cache=True)
def triangle(r: Any) -> Any:
    """r(r+1)/2, without overflow as long as that is below 2^63."""
    return ((r + 1) >> 1) * (r | 1)


@njit(cache=True)
def pair_of(i: Any, j: Any, n: Any) -> Any:
    """Condensed id of an unordered pair of items, n(n-1)/2 < 2^63."""
    low, high = (np.int64(i), np.int64(j)) if i < j else (np.int64(j), np.int64(i))
    last = np.int64(n) - 1
    return triangle(last) - triangle(last - low) + high - low - 1


@njit(cache=True)
def items_of(pair: Any, n: Any) -> Any:
    """Items i < j of a condensed id: the inverse of `pair_of`."""
    last = np.int64(n) - 1
    r = row_from_end(triangle(last) - 1 - np.int64(pair))
    return last - 1 - r, last - (triangle(last) - 1 - np.int64(pair) - triangle(r))


@njit(cache=True)
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
def items_of_pairs(pairs: Any, n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Items i < j, (m,) each, of condensed ids (m,). O(m), without a root inside a row."""
    i = np.empty(pairs.size, np.int64)
    j = np.empty(pairs.size, np.int64)
    row = start = end = np.int64(0)  # the pairs start..end-1 are those of (row, row + 1), ...
    last = np.int64(n) - 1
    for at in range(pairs.size):
        pair = np.int64(pairs[at])
        if pair < start or pair >= end:
            r = row_from_end(triangle(last) - 1 - pair)
            row, end = last - 1 - r, triangle(last) - triangle(r)
            start = end - r - 1
        i[at] = row
        j[at] = pair - start + row + 1
    return i, j


@njit(cache=True)
def encode_rows(
    rows: NDArray[np.int64], n: int, closer: NDArray[np.uint32], farther: NDArray[np.uint32]
) -> tuple[int, int]:
    """Pair ids (m,) of the comparisons w_ij > w_kl in the rows (m, 4) of items. O(m).

    Returns
    -------
    row, fault : int
        The first invalid row, and the `RowFault`; ``(-1, NONE)`` if there is none.
    """
    for at in range(len(rows)):
        for item in rows[at]:
            if item < 0 or item >= n:
                return at, RowFault.RANGE
        if rows[at, 0] == rows[at, 1] or rows[at, 2] == rows[at, 3]:
            return at, RowFault.SAME_ITEM
        closer[at] = pair_of(rows[at, 0], rows[at, 1], n)
        farther[at] = pair_of(rows[at, 2], rows[at, 3], n)
        if closer[at] == farther[at]:
            return at, RowFault.SAME_PAIR
    return -1, RowFault.NONE


@njit(cache=True)
def decode_rows(closer: Any, farther: Any, n: int) -> NDArray[np.int32]:
    """Items (m, 4) of comparisons of pair ids (m,): the inverse of `encode_rows`. O(m)."""
    rows = np.empty((closer.size, 4), np.int32)
    for at in range(closer.size):
        rows[at, 0], rows[at, 1] = items_of(closer[at], n)
        rows[at, 2], rows[at, 3] = items_of(farther[at], n)
    return rows


@njit(cache=True)
def look_through(closer: Any, farther: Any, n_pairs: int) -> tuple[int, bool]:
    """Whether comparisons (m,) of uint32 are valid, and in order. O(m), in vector instructions.

    Returns
    -------
    wrong : int
        The first that compares a pair with itself, or names one from ``n_pairs`` on; -1 if none.
    in_order : bool
        Whether they rise by (smaller pair, larger pair, which is closer), each once.
    """
    in_order = True
    for start in range(0, closer.size, _STEP):
        end = min(start + _STEP, closer.size)
        if _one_is_wrong(closer[start:end], farther[start:end], n_pairs):
            for at in range(start, end):
                if closer[at] == farther[at] or max(closer[at], farther[at]) >= n_pairs:
                    return at, False
        before = max(start - 1, 0)
        in_order = in_order and not _one_falls(closer[before:end], farther[before:end])
    return -1, in_order


@njit(cache=True)
def _one_is_wrong(closer: Any, farther: Any, n_pairs: int) -> bool:
    wrong = False
    for at in range(closer.size):
        wrong |= (closer[at] == farther[at]) | (max(closer[at], farther[at]) >= n_pairs)
    return wrong


@njit(cache=True)
def _one_falls(closer: Any, farther: Any) -> bool:
    falls = False
    closer_before, farther_before = closer[:-1], farther[:-1]
    closer, farther = closer[1:], farther[1:]
    for at in range(closer.size):
        low, high = min(closer[at], farther[at]), max(closer[at], farther[at])
        low_before = min(closer_before[at], farther_before[at])
        high_before = max(closer_before[at], farther_before[at])
        turned = (high == high_before) & (closer[at] <= closer_before[at])
        falls |= (low < low_before) | ((low == low_before) & ((high < high_before) | turned))
    return falls


@njit(cache=True)
def split_keys(closer: Any, farther: Any) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """One number for each comparison (m,): smaller pair, larger pair; by orientation. O(m).

    Returns
    -------
    forward, backward : uint64 arrays
        Those whose closer pair has the smaller id, and the others: m in total.
    """
    ahead = 0
    for at in range(closer.size):
        if closer[at] < farther[at]:
            ahead += 1
    forward = np.empty(ahead, np.uint64)
    backward = np.empty(closer.size - ahead, np.uint64)
    shift = np.uint64(32)
    f = b = 0
    for at in range(closer.size):
        one, two = np.uint64(closer[at]), np.uint64(farther[at])
        if one < two:
            forward[f] = (one << shift) | two
            f += 1
        else:
            backward[b] = (two << shift) | one
            b += 1
    return forward, backward


@njit(cache=True)
def drop_repeats(keys: NDArray[np.uint64]) -> int:
    """Move the distinct ones of the sorted ``keys`` (m,) to the front; returns how many. O(m)."""
    count = 0
    for at in range(keys.size):
        if at == 0 or keys[at] != keys[at - 1]:
            keys[count] = keys[at]
            count += 1
    return count


@njit(cache=True)
def merge_keys(
    forward: NDArray[np.uint64], backward: NDArray[np.uint64]
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Comparisons of two strictly rising lists of keys, in order: see `look_through`. O(m)."""
    m = forward.size + backward.size
    closer = np.empty(m, np.uint32)
    farther = np.empty(m, np.uint32)
    shift, low_bits = np.uint64(32), np.uint64(0xFFFFFFFF)
    f = b = 0
    for at in range(m):
        if b == backward.size or (f < forward.size and forward[f] <= backward[b]):
            closer[at] = forward[f] >> shift
            farther[at] = forward[f] & low_bits
            f += 1
        else:
            closer[at] = backward[b] & low_bits
            farther[at] = backward[b] >> shift
            b += 1
    return closer, farther


@njit(cache=True)
def shared_keys(forward: NDArray[np.uint64], backward: NDArray[np.uint64]) -> int:
    """How many keys are in both of two strictly rising lists. O(m)."""
    shared = f = b = 0
    while f < forward.size and b < backward.size:
        if forward[f] == backward[b]:
            shared += 1
            f += 1
            b += 1
        elif forward[f] < backward[b]:
            f += 1
        else:
            b += 1
    return shared


@njit(cache=True)
def take_items(
    closer: Any, farther: Any, annotator: Any, n: int, number: NDArray[np.int64], size: int
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.int32]]:
    """Comparisons among ``size`` of the n items; ``number`` (n,) is the new one, or -1. O(m).

    ``annotator`` (m,) is taken along; it may be empty.
    """
    kept_closer = np.empty(closer.size, np.uint32)
    kept_farther = np.empty(closer.size, np.uint32)
    kept_annotator = np.empty(annotator.size, np.int32)
    count = 0
    for at in range(closer.size):
        i, j = items_of(closer[at], n)
        if number[i] < 0 or number[j] < 0:
            continue
        k, l = items_of(farther[at], n)  # noqa: E741
        if number[k] < 0 or number[l] < 0:
            continue
        kept_closer[count] = pair_of(number[i], number[j], size)
        kept_farther[count] = pair_of(number[k], number[l], size)
        if annotator.size:
            kept_annotator[count] = annotator[at]
        count += 1
    annotators = kept_annotator[:count].copy()
    return kept_closer[:count].copy(), kept_farther[:count].copy(), annotators


@njit(cache=True)
def items_seen(closer: Any, farther: Any, n: int) -> NDArray[np.bool_]:
    """Which of the n items are in one of the comparisons (m,). O(n) as soon as all are, or O(m)."""
    seen = np.zeros(n, np.bool_)
    for start in range(0, closer.size, 4096):
        for at in range(start, min(start + 4096, closer.size)):
            i, j = items_of(closer[at], n)
            k, l = items_of(farther[at], n)  # noqa: E741
            seen[i] = seen[j] = seen[k] = seen[l] = True
        if seen.all():
            break
    return seen


@njit(cache=True)
def share_item(closer: Any, farther: Any, n: int) -> NDArray[np.bool_]:
    """Whether the two pairs of each comparison (m,) have an item in common. O(m)."""
    shared = np.empty(closer.size, np.bool_)
    for at in range(closer.size):
        i, j = items_of(closer[at], n)
        k, l = items_of(farther[at], n)  # noqa: E741
        shared[at] = i in (k, l) or j in (k, l)
    return shared


@njit(cache=True)
def decode_triplets(closer: Any, farther: Any, n: int) -> tuple[NDArray[np.int32], int]:
    """Items (m, 3): the common one, its partner in the closer pair, that in the farther. O(m).

    Returns
    -------
    rows, wrong : array, int
        And the first comparison without a common item, where it stopped; -1 if all have one.
    """
    rows = np.empty((closer.size, 3), np.int32)
    for at in range(closer.size):
        i, j = items_of(closer[at], n)
        k, l = items_of(farther[at], n)  # noqa: E741
        if j in (k, l):
            i, j = j, i
        if i == l:
            k, l = l, k  # noqa: E741
        if i != k:
            return rows, at
        rows[at, 0], rows[at, 1], rows[at, 2] = i, j, l
    return rows, -1


@njit(cache=True)
def spell_out(rank: Any, m: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """The m comparisons that ranks (M,) of pairs imply, in order: see `look_through`. O(M^2)."""
    closer = np.empty(m, np.uint32)
    farther = np.empty(m, np.uint32)
    count = 0
    for a in range(rank.size):
        for b in range(a + 1, rank.size):
            if rank[a] != rank[b]:
                closer[count], farther[count] = (a, b) if rank[a] > rank[b] else (b, a)
                count += 1
    return closer, farther
