"""Compiled answers to ordinal queries: which of three items is not of the closest pair.

`answer_ordinal` compares the distances of the three pairs. In a tree the distance is the number of
leaves below the lowest common ancestor (an ultrametric); for similarities it is their negative.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench.compiled import query_key, uniform

PAIR = 0  # a set of two items: see hcbench.compiled.query_key
NONE = -1
# Other random numbers than those that decide whether an answer is wrong.
WHICH = np.uint64(0x5851F42D4C957F2D)  # which of the wrong answers
CORRUPT = np.uint64(0x14057B7EF767814F)  # whether a pair's distance is replaced
FIRST = np.uint64(0x2545F4914F6CDD1D)  # the pair by whose distance it is replaced
SECOND = np.uint64(0x9E6C63D0876A9A47)

BLOCK = 32
"""Boundaries in a block: two lines of the cache."""
# Entries of ``ints``.
N = 0  # the number of items
SEED = 1
PERSISTENT = 2  # 1 if a query that is asked again gets the same answer
BREAK = 3  # 1 if ties are broken
ADVERSARIAL = 4  # 1 if the wrong answer is the item with the smallest number
TREE = 5  # 1 if a tree defines the distances
HEADER = 6  # where positions, boundaries and tables begin
# Entries of ``floats``.
NOISE = 0
CORRUPTION = 1
TOLERANCE = 2
FLOAT_HEADER = 3  # where the similarities (n(n-1)/2,) begin, in condensed order


@njit(cache=True)
def tree_tables(
    start: NDArray[np.int64],
    end: NDArray[np.int64],
    parent: NDArray[np.int64],
    n: int,
) -> NDArray[np.int64]:
    """The concatenated arrays that `_join_size` reads, for a tree of n leaves. O(n).

    The boundary between the leaves at positions p and p + 1 from left to right is the number of
    leaves below their lowest common ancestor; that number for any two leaves is the largest
    boundary between them. Boundaries are in blocks of `BLOCK`; a sparse table holds the maximum of
    1, 2, 4, ... blocks from each one on.

    Parameters
    ----------
    start, end, parent : (m,) int64
        Leaf ranges and parents, as in `hcbench.Tree`.

    Returns
    -------
    int64 array that holds one of int32, (4n + (n/32) log2(n/32),)
        Position of each leaf (n,); boundaries (n,); for each boundary the maximum from it to the
        end of its block, and from its block's start to it (2n,); the table, a row for each power
        of 2.
    """
    blocks = (n + BLOCK - 1) // BLOCK
    levels = 1
    while 1 << levels <= blocks:
        levels += 1
    size = 4 * n + levels * blocks
    out = np.zeros(size + size % 2, np.int32)
    for leaf in range(n):
        out[leaf] = start[leaf]
    boundary = out[n : 2 * n]
    ends = out[2 * n : 4 * n]
    table = out[4 * n :]
    # Where a node ends that is not the last child of its parent, two of its children meet.
    for v in range(len(parent) - 1):
        above = parent[v]
        if end[v] != end[above]:
            boundary[end[v] - 1] = end[above] - start[above]
    # Maxima from the start of each block, and of the whole block.
    for p in range(n):
        ends[2 * p + 1] = boundary[p]
        if p % BLOCK > 0:
            ends[2 * p + 1] = max(boundary[p], ends[2 * p - 1])
        table[p // BLOCK] = max(table[p // BLOCK], boundary[p])
    # Maxima to the end of each block.
    for p in range(n - 1, -1, -1):
        ends[2 * p] = boundary[p]
        if p + 1 < n and (p + 1) % BLOCK > 0:
            ends[2 * p] = max(boundary[p], ends[2 * p + 2])
    # Maxima of 2, 4, ... blocks.
    for level in range(1, levels):
        half = 1 << (level - 1)
        for b in range(blocks - 2 * half + 1):
            at = (level - 1) * blocks + b
            table[level * blocks + b] = max(table[at], table[at + half])
    return out.view(np.int64)


@njit(cache=True)
def _tables(ints: Any) -> Any:
    """The int32 array of `tree_tables`."""
    return ints[HEADER:].view(np.int32)


@register_jitable
def _join_size(tables: Any, n: Any, left: Any, right: Any) -> Any:
    """Leaves below the lowest common ancestor of the leaves at positions left < right. O(1)."""
    first = left // BLOCK
    last = (right - 1) // BLOCK
    if first == last:
        largest = tables[n + left]
        for p in range(left + 1, right):
            largest = max(largest, tables[n + p])
        return largest
    # To the end of the first block, and from the start of the last one.
    largest = max(tables[2 * n + 2 * left], tables[2 * n + 2 * right - 1])
    n_between = last - first - 1
    if n_between > 0:
        level = 0
        while 2 << level <= n_between:
            level += 1
        row = 4 * n + level * ((n + BLOCK - 1) // BLOCK)
        largest = max(largest, tables[row + first + 1], tables[row + last - (1 << level)])
    return largest


@njit(cache=True)
def _distance(floats: Any, ints: Any, i: Any, j: Any) -> Any:
    """Distance of two items; 0 between an item and itself."""
    if i == j:
        return 0.0
    n = ints[N]
    if ints[TREE] == 1:
        tables = _tables(ints)
        p = tables[i]
        q = tables[j]
        return float(_join_size(tables, n, min(p, q), max(p, q)))
    # In condensed order, as scipy's pdist.
    low = min(i, j)
    high = max(i, j)
    return -floats[FLOAT_HEADER + low * (2 * n - low - 1) // 2 + high - low - 1]


@register_jitable
def _corrupted_distance(floats: Any, ints: Any, i: Any, j: Any) -> Any:
    """Distance of a pair or, if it is corrupted, of another pair, drawn once."""
    key = query_key(PAIR, i, j, 0, 0)
    if uniform(ints[SEED], key ^ CORRUPT, 0) < floats[CORRUPTION]:
        n = ints[N]
        # Two different items: the second is at a random distance after the first, modulo n.
        i = int(uniform(ints[SEED], key ^ FIRST, 0) * n)
        j = (i + 1 + int(uniform(ints[SEED], key ^ SECOND, 0) * (n - 1))) % n
    return _distance(floats, ints, i, j)


@register_jitable
def _odd_by_distances(floats: Any, ints: Any, i: Any, j: Any, k: Any) -> Any:
    """The item outside the closest pair; a tie if two pairs are closest."""
    without_i = _corrupted_distance(floats, ints, j, k)
    without_j = _corrupted_distance(floats, ints, i, k)
    without_k = _corrupted_distance(floats, ints, i, j)
    # Closer than both of the others by more than rounding errors.
    tolerance = floats[TOLERANCE]
    if without_i + tolerance < without_j and without_i + tolerance < without_k:
        return 0
    if without_j + tolerance < without_i and without_j + tolerance < without_k:
        return 1
    if without_k + tolerance < without_i and without_k + tolerance < without_j:
        return 2
    return NONE


@register_jitable
def _odd_in_tree(ints: Any, i: Any, j: Any, k: Any) -> Any:
    """The item whose neighbours, from left to right in the tree, join lower down. O(1)."""
    tables = _tables(ints)
    n = ints[N]
    p = tables[i]
    q = tables[j]
    r = tables[k]
    # The three positions from left to right.
    low = min(p, q)
    high = max(p, q)
    left = min(low, r)
    right = max(high, r)
    middle = max(low, min(high, r))
    left_size = _join_size(tables, n, left, middle)
    right_size = _join_size(tables, n, middle, right)
    if left_size == right_size:
        return NONE
    odd = right
    if left_size > right_size:
        odd = left
    # The answer is its position in the query.
    if odd == p:
        return 0
    if odd == q:
        return 1
    return 2


@njit(cache=True)
def _last(ints: Any, i: Any, j: Any, k: Any) -> Any:
    """The item that is last in the tree from left to right or, without a tree, by number."""
    if ints[TREE] == 1:
        tables = _tables(ints)
        i = tables[i]
        j = tables[j]
        k = tables[k]
    if k > i and k > j:
        return 2
    if j > i:
        return 1
    return 0


@register_jitable
def _wrong(ints: Any, right: Any, items: Any, key: Any, time: Any) -> Any:
    """A wrong answer: a random one, or the item with the smallest number."""
    n_wrong = 2
    if right == NONE:  # any item is wrong
        n_wrong = 3
    if ints[ADVERSARIAL] == 1:
        smallest = -1
        for at in range(3):
            if at != right and (smallest < 0 or items[at] < items[smallest]):
                smallest = at
        return smallest
    # Chosen by item number, so that the order in which the query names the items has no effect.
    rank = int(uniform(ints[SEED], key ^ WHICH, time) * n_wrong)
    for at in range(3):
        if at == right:
            continue
        n_before = 0  # wrong answers with smaller numbers
        for position in range(3):
            n_before += position != right and items[position] < items[at]
        if n_before == rank:
            return at
    return right


@njit(cache=True)
def answer_ordinal(
    floats: Any,
    ints: Any,
    i: Any,
    j: Any,
    k: Any,
    _l: Any,
    key: Any,
    time: Any,
) -> Any:
    """0, 1 or 2: the position of the item outside the closest pair; NONE if there is none.

    O(1). Whether the answer is wrong, and which one is given, depends on the seed, the set of three
    items and how often it was queried.

    Raises
    ------
    ValueError
        If the three items are not different.
    """
    if i in (j, k) or j == k:
        raise ValueError("an ordinal query is about three different items")
    if ints[TREE] == 1 and floats[CORRUPTION] == 0:
        answer = _odd_in_tree(ints, i, j, k)
    else:
        answer = _odd_by_distances(floats, ints, i, j, k)
    if answer == NONE and ints[BREAK] == 1:
        answer = _last(ints, i, j, k)
    if floats[NOISE] > 0:
        repetition = time
        if ints[PERSISTENT] == 1:
            repetition = 0
        if uniform(ints[SEED], key, repetition) < floats[NOISE]:
            return _wrong(ints, answer, (i, j, k), key, repetition)
    return answer
