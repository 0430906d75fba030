"""Compiled pass over all cuts of two trees at once. The kernels do not check their input."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench_metrics._tree_kernels import TreeArrays

Ints = NDArray[np.int64]


class ContingencyTable(NamedTuple):
    """Numbers of items by their clusters in two partitions: a hash table with linear probing."""

    #: (capacity,) int64, a power of 2. The key of each cell that is not empty.
    keys: Ints
    #: (capacity,) int64. The number of items; 0 for an empty cell.
    counts: Ints


class Cuts(NamedTuple):
    """The cuts of a tree, from n clusters to one."""

    tree: TreeArrays
    #: (m - n,) int64. Inner nodes, from the first to be merged to the last.
    merges: Ints
    #: (n,) int64. The cluster of each item in the current cut.
    label: Ints
    #: 1 or n. What a label counts in the key of a cell of the table; n for one of two trees.
    factor: np.int64
    #: (4,) int64. The current cut: see `MERGES`, `CLUSTERS`, `PAIRS` and `SHARED`.
    current: Ints


# Entries of `Cuts.current`.
MERGES = 0  # the number of merges so far
CLUSTERS = 1
PAIRS = 2  # that the cut puts together
SHARED = 3  # of these, put together in both trees when this tree merged them


# ---- Contingency table ---------------------------------------------------------------------------


@register_jitable
def _preferred_slot(key: int, mask: int) -> int:
    """Preferred slot of a key in the hash table: multiplicative hashing (Knuth 1973, 6.4)."""
    return int((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)) & mask


@register_jitable
def _add_to_cell(table: ContingencyTable, key: int) -> int:
    """Add one item to a cell of the table; return the previous count. O(1) expected."""
    keys = table.keys
    counts = table.counts
    mask = keys.size - 1
    at = _preferred_slot(key, mask)
    while keys[at] != key and counts[at] > 0:
        at = (at + 1) & mask
    keys[at] = key
    counts[at] += 1
    return int(counts[at] - 1)


@register_jitable
def _take_from_cell(table: ContingencyTable, key: int) -> int:
    """Remove one item from a cell; return the remaining count. O(1) expected.

    Empty cells are deleted, and later ones moved up (Knuth 1973, 6.4, algorithm R).
    """
    keys = table.keys
    counts = table.counts
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
            # Only cells that are reached over the empty one may move there.
            if (later - _preferred_slot(keys[later], mask)) & mask >= (later - at) & mask:
                keys[at] = keys[later]
                counts[at] = counts[later]
                keys[later] = -1
                counts[later] = 0
                at = later
            later = (later + 1) & mask
    return int(remaining)


# ---- Merges --------------------------------------------------------------------------------------


@njit(cache=True)
def pairs_together(
    tree: TreeArrays, merges: Ints, true_tree: TreeArrays, true_merges: Ints
) -> Ints:
    """Pairs of leaves that the cuts into k clusters put together: in the tree, the true one, both.

    ``merges`` (m - n,) are the inner nodes of a tree, from the first to be merged to the last.
    Returns (3, n + 1), where column k is for the coarsest cut into at least k clusters; column 0 is
    unused. From k = n to 1, the contingency table is updated in a hash table as clusters merge. A
    leaf moves only with a cluster that is not the largest, at most log2(n) times in each tree:
    O(n log n) expected time, O(n) memory.
    """
    n = tree.order.size
    cuts = _singletons(tree, merges, np.int64(n))
    true_cuts = _singletons(true_tree, true_merges, np.int64(1))
    capacity = 4
    while capacity < 2 * n + 2:
        capacity *= 2
    table = ContingencyTable(np.full(capacity, -1, np.int64), np.zeros(capacity, np.int64))
    for i in range(n):
        _add_to_cell(table, n * i + i)
    together = np.zeros((3, n + 1), np.int64)
    for k in range(n - 1, 0, -1):
        _merge_to(k, cuts, true_cuts, table)
        _merge_to(k, true_cuts, cuts, table)
        together[0, k] = cuts.current[PAIRS]
        together[1, k] = true_cuts.current[PAIRS]
        together[2, k] = cuts.current[SHARED] + true_cuts.current[SHARED]
    return together


@register_jitable
def _singletons(tree: TreeArrays, merges: Ints, factor: np.int64) -> Cuts:
    """The cut of a tree into single items."""
    n = tree.order.size
    current = np.zeros(4, np.int64)
    current[CLUSTERS] = n
    return Cuts(tree, merges, np.arange(n), factor, current)


@register_jitable
def _merge_to(k: int, cuts: Cuts, fixed: Cuts, table: ContingencyTable) -> None:
    """Merge clusters while at least k remain; those of the ``fixed`` cut stay."""
    tree = cuts.tree
    current = cuts.current
    while current[MERGES] < cuts.merges.size:
        v = cuts.merges[current[MERGES]]
        children = tree.child_ids[tree.child_offsets[v] : tree.child_offsets[v + 1]]
        n_clusters = current[CLUSTERS] - children.size + 1
        if n_clusters < k:
            break
        _merge(children, cuts, fixed, table)
        current[CLUSTERS] = n_clusters
        current[MERGES] += 1


@register_jitable
def _merge(children: Ints, cuts: Cuts, fixed: Cuts, table: ContingencyTable) -> None:
    """Merge clusters of one tree, and count the pairs that this puts together.

    The largest cluster keeps its label; each leaf of another one moves from one cell to another.
    """
    tree = cuts.tree
    largest = children[0]
    size = 0
    for child in children:
        child_size = tree.end[child] - tree.start[child]
        cuts.current[PAIRS] += size * child_size
        size += child_size
        if child_size > tree.end[largest] - tree.start[largest]:
            largest = child
    new_label = cuts.label[tree.order[tree.start[largest]]]
    for child in children:
        if child == largest:
            continue
        for i in tree.order[tree.start[child] : tree.end[child]]:
            fixed_part = fixed.factor * fixed.label[i]
            old_key = cuts.factor * cuts.label[i] + fixed_part
            cuts.current[SHARED] -= _take_from_cell(table, old_key)
            cuts.label[i] = new_label
            new_key = cuts.factor * new_label + fixed_part
            cuts.current[SHARED] += _add_to_cell(table, new_key)
