"""Compiled merging of 4-AL on dense comparisons, as bits. It does not check its input.

Notation as in `_kernels`; columns of S are summed by `_bit_sums_kernels`. Numbers for each pair of
items, as v = S c, are in the order of `_bit_sums_kernels.places`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench.compiled import count_ones
from hcbench_quadruplets._bit_sums_kernels import (
    BITS,
    COUNTER,
    MOST,
    Bits,
    Counter,
    add_counts,
    count_columns,
)
from hcbench_quadruplets._kernels import Clusters, most_similar, remove

_ITEMS = types.int64[::1]
_MERGES = types.int64[:, ::1]
_FLOATS = types.float64[::1]
_SLOTS = types.uint32[::1]


@register_jitable
def number_of_pair(i: int, j: int, n: int) -> int:
    """The condensed number of a pair of n items in any order."""
    low = min(i, j)
    high = max(i, j)
    return low * (2 * n - low - 1) // 2 + high - low - 1


@register_jitable
def next_size(kind: NDArray[np.int64], size: int) -> int:
    """The smallest kind above ``size``, or n + 1. O(n)."""
    larger = kind.size + 1
    for j in range(kind.size):
        if size < kind[j] < larger:
            larger = kind[j]
    return larger


@register_jitable
def list_columns(
    cluster: NDArray[np.int64],
    p: int,
    kind: NDArray[np.int64],
    size: int,
    columns: NDArray[np.int64],
) -> int:
    """List the columns of pairs of an item of cluster p and one of this kind; return how many."""
    n = kind.size
    count = 0
    for i in range(n):
        if cluster[i] != p:
            continue
        for j in range(n):
            if kind[j] == size:
                columns[count] = number_of_pair(i, j, n)
                count += 1
    return count


@register_jitable
def sum_all_columns(
    bits: Bits, width: int, place: NDArray[np.int64], v: NDArray[np.float64]
) -> None:
    """Write the sums of all columns of S to v: in each row, its ones minus those of ``lost``."""
    won = bits.won
    lost = bits.lost
    for a in range(place.size):
        more = np.uint64(0)
        fewer = np.uint64(0)
        for word in range(a * width, (a + 1) * width):
            more += count_ones(won[word])
            fewer += count_ones(lost[word])
        v[place[a]] = np.float64(np.int64(more) - np.int64(fewer))


@register_jitable
def sum_rows(
    v: NDArray[np.float64],
    slot: NDArray[np.uint32],
    empty: NDArray[np.float64],
    B: NDArray[np.float64],
) -> None:
    """Write into B the sums of v over the blocks of pairs of clusters. O(M + K0^2).

    ``empty`` is B without any preference.
    """
    for at in range(B.size):
        B[at] = empty[at]
    for at in range(v.size):
        B[slot[at]] += v[at]


@register_jitable
def join(cluster: NDArray[np.int64], p: int, q: int) -> None:
    """Make the items of cluster q those of p."""
    for i in range(cluster.size):
        if cluster[i] == q:
            cluster[i] = p


@register_jitable
def name_blocks(
    cluster: NDArray[np.int64],
    p: int,
    q: int,
    K0: int,
    place: NDArray[np.int64],
    slot: NDArray[np.uint32],
) -> None:
    """Make the items of q those of p, and write the positions in B of the blocks of their pairs."""
    join(cluster, p, q)
    n = cluster.size
    for i in range(n):
        if cluster[i] != p:
            continue
        for j in range(n):
            if i != j:
                low = min(p, cluster[j])
                high = max(p, cluster[j])
                slot[place[number_of_pair(i, j, n)]] = low * K0 + high


@register_jitable
def choose_columns(
    part: int,
    p: int,
    q: int,
    size: NDArray[np.int64],
    cluster: NDArray[np.int64],
    kind: NDArray[np.int64],
) -> tuple[int, float]:
    """Choose a part of the columns whose weights the merge of p and q changes.

    Part 0 are those between the two, which get weight 0; 1 those of items of p and of other
    clusters, which get a smaller one, and 2 those of q. Part 1 has all of them if the sizes are
    equal: then the items of q become those of p.

    Returns
    -------
    cluster
        The first item of each pair is in this one, and the second item is of a ``kind`` above 0.
    scale
        This, divided by the kind, is the change of the weight.
    """
    n = cluster.size
    if part == 0:
        for j in range(n):
            kind[j] = 0
            if cluster[j] == q:
                kind[j] = size[q]
        return p, -1 / size[p]
    union = size[p] + size[q]
    if part == 2:
        return q, 1 / union - 1 / size[q]
    for j in range(n):
        kind[j] = 0
        if cluster[j] != p and cluster[j] != q:
            kind[j] = size[cluster[j]]
    if size[p] == size[q]:
        join(cluster, p, q)
    return p, 1 / union - 1 / size[p]


@njit((BITS, BITS, *COUNTER, _ITEMS, _FLOATS, _SLOTS, _ITEMS, _ITEMS, _MERGES, _FLOATS), cache=True)
def merge_bits(
    won: Any,
    lost: Any,
    planes: NDArray[np.uint64],
    words: NDArray[np.uint64],
    counts: NDArray[np.uint8],
    place: NDArray[np.int64],
    v: NDArray[np.float64],
    slot: NDArray[np.uint32],
    cluster: NDArray[np.int64],
    size: NDArray[np.int64],
    merges: NDArray[np.int64],
    similarities: NDArray[np.float64],
) -> None:
    """Perform the first ``len(merges)`` merges.

    Time O(M^2 / 64) for the first sums and, for merging p and q, O(M / 64) for each of the
    (|G_p| + |G_q|) n pairs that contain their items, and O(M) for each distinct size of the other
    clusters. Takes 14 M + 16 K^2 bytes besides the bits.

    Parameters
    ----------
    won, lost
        The fields of `Bits`.
    planes, words, counts
        The fields of `Counter`.
    place : (M,) int64
        `_bit_sums_kernels.places`.
    v : (64 w,) float64, changed
        S c, in the order of ``place``; if each cluster is an item, it is written here.
    slot : (64 w,) uint32, changed
        Where the block of each pair is in B, in the order of ``place``; K K if there is no pair.
    cluster : (n,) int64, changed
        Cluster of each item, numbered by smallest items; the union has the smaller number.
    size : (K,) int64, changed
        Items of each cluster.
    merges, similarities : (t, 2), (t,), written
        p < q of each merge, and W.
    """
    bits = Bits(won, lost)
    counter = Counter(planes, words, counts)
    n = cluster.size
    K0 = size.size
    # Which columns are added: the size of the cluster of each item, 0 if excluded.
    kind = np.empty(n, np.int64)
    columns = np.empty(n * n // 4 + 1, np.int64)
    # The last entry is that of positions without a pair.
    c = Clusters(size, np.empty(K0, np.int64), np.empty(K0 * K0 + 1))
    empty = np.empty(K0 * K0 + 1)
    for p in range(K0):
        c.alive[p] = p
    for at in range(empty.size):
        empty[at] = 0.0
    if n == K0:
        # All weights are 1.
        sum_all_columns(bits, planes.shape[1], place, v)
    for step in range(len(merges)):
        K = K0 - step
        sum_rows(v, slot, empty, c.B)
        p, q, W = most_similar(c, K)
        merges[step, 0] = p
        merges[step, 1] = q
        similarities[step] = W
        n_parts = 3
        if size[p] == size[q]:
            n_parts = 2
        for part in range(n_parts):
            first, scale = choose_columns(part, p, q, size, cluster, kind)
            # Columns of the same weight are summed as integers first.
            second = next_size(kind, 0)
            while second <= n:
                count = list_columns(cluster, first, kind, second, columns)
                for start in range(0, count, MOST):
                    some = columns[start : min(start + MOST, count)]
                    count_columns(some, bits, counter)
                    add_counts(counts, some.size, scale / second, v)
                second = next_size(kind, second)
        name_blocks(cluster, p, q, K0, place, slot)
        size[p] += size[q]
        remove(c, K, q, empty)
