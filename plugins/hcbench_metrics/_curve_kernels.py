"""Compiled pass over all cuts of two trees at once. The kernels do not check their input.

Throughout, a tree of n leaves and m nodes is given by ``start`` and ``end`` (m,): node v's leaves
are ``order[start[v]:end[v]]``, where ``order`` (n,) has the leaves from left to right; its children
are ``child_ids[child_offsets[v]:child_offsets[v + 1]]``; ``merges`` (m - n,) are its inner nodes,
sorted from the first to be split, which is the last to be merged, to the last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit
from numba.extending import register_jitable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]


@register_jitable
def _preferred_slot(key: int, mask: int) -> int:
    """Preferred slot of a key in the hash table: multiplicative hashing (Knuth 1973, 6.4)."""
    return int((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)) & mask


@register_jitable
def _add_to_cell(keys: Ints, counts: Ints, key: int) -> int:
    """Add one item to a cell of the table; return the previous count. O(1) expected."""
    mask = keys.size - 1
    at = _preferred_slot(key, mask)
    while keys[at] != key and counts[at] > 0:
        at = (at + 1) & mask
    keys[at] = key
    counts[at] += 1
    return int(counts[at] - 1)


@register_jitable
def _take_from_cell(keys: Ints, counts: Ints, key: int) -> int:
    """Remove one item from a cell; return the remaining count. O(1) expected.

    Empty cells are deleted, and later ones moved up (Knuth 1973, 6.4, algorithm R).
    """
    mask = keys.size - 1
    at = _preferred_slot(key, mask)
    while keys[at] != key:
        at = (at + 1) & mask
    counts[at] -= 1
    remaining = counts[at]
    if remaining == 0:
        keys[at] = -1
        later = (at + 1) & mask
        while counts[later] > 0:
            if (later - _preferred_slot(keys[later], mask)) & mask >= (later - at) & mask:
                keys[at] = keys[later]
                counts[at] = counts[later]
                keys[later] = -1
                counts[later] = 0
                at = later
            later = (later + 1) & mask
    return int(remaining)


@register_jitable
def _merge(
    start: Ints,
    end: Ints,
    order: Ints,
    children: Ints,
    label: Ints,
    factor: int | np.int64,
    other_label: Ints,
    other_factor: int | np.int64,
    keys: Ints,
    counts: Ints,
) -> tuple[int, int]:
    """Merge clusters of one tree; return the pairs put together in it, and in both trees.

    The largest cluster keeps its label; each leaf of the others moves from one cell to another. The
    key of a cell is ``factor`` times one label plus ``other_factor`` times the other.
    """
    largest = children[0]
    size = 0
    pairs = 0
    for child in children:
        pairs += size * (end[child] - start[child])
        size += end[child] - start[child]
        if end[child] - start[child] > end[largest] - start[largest]:
            largest = child
    new_label = label[order[start[largest]]]
    pairs_in_both = 0
    for child in children:
        if child == largest:
            continue
        for i in order[start[child] : end[child]]:
            other_part = other_factor * other_label[i]
            pairs_in_both -= _take_from_cell(keys, counts, factor * label[i] + other_part)
            label[i] = new_label
            pairs_in_both += _add_to_cell(keys, counts, factor * new_label + other_part)
    return pairs, pairs_in_both


@njit(cache=True)
def pairs_together(
    start: Ints,
    end: Ints,
    order: Ints,
    child_offsets: Ints,
    child_ids: Ints,
    merges: Ints,
    other_start: Ints,
    other_end: Ints,
    other_order: Ints,
    other_child_offsets: Ints,
    other_child_ids: Ints,
    other_merges: Ints,
) -> Ints:
    """Pairs of leaves that the cuts into k clusters put together: in one, the other, both trees.

    Returns (3, n + 1), where column k is for the coarsest cut into at least k clusters; column 0 is
    unused. From k = n to 1, the contingency table is updated in a hash table as clusters merge. A
    leaf moves only with a cluster that is not the largest, at most log2(n) times in each tree:
    O(n log n) expected time, O(n) memory.
    """
    n = order.size
    one = np.int64(1)  # a literal would be a type of its own
    label = np.empty(n, np.int64)
    other_label = np.empty(n, np.int64)
    capacity = 4
    while capacity < 2 * n + 2:
        capacity *= 2
    keys = np.full(capacity, -1, np.int64)
    counts = np.zeros(capacity, np.int64)
    for i in range(n):
        label[i] = other_label[i] = i
        _add_to_cell(keys, counts, n * i + i)
    together = np.zeros((3, n + 1), np.int64)
    in_one = in_other = in_both = 0
    n_clusters = n_other = n
    at = at_other = 0
    for k in range(n - 1, 0, -1):
        while at < merges.size:
            v = merges[at]
            children = child_ids[child_offsets[v] : child_offsets[v + 1]]
            if n_clusters - children.size + 1 < k:
                break
            new, new_in_both = _merge(
                start, end, order, children, label, n, other_label, one, keys, counts
            )
            in_one += new
            in_both += new_in_both
            n_clusters -= children.size - 1
            at += 1
        while at_other < other_merges.size:
            v = other_merges[at_other]
            children = other_child_ids[other_child_offsets[v] : other_child_offsets[v + 1]]
            if n_other - children.size + 1 < k:
                break
            new, new_in_both = _merge(
                other_start,
                other_end,
                other_order,
                children,
                other_label,
                one,
                label,
                n,
                keys,
                counts,
            )
            in_other += new
            in_both += new_in_both
            n_other -= children.size - 1
            at_other += 1
        together[0, k] = in_one
        together[1, k] = in_other
        together[2, k] = in_both
    return together
