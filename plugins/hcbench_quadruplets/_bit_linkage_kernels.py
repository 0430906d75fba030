"""Compiled merging of 4-AL on dense comparisons, as bits. It does not check its input.

Notation as in `_kernels`; columns of S are summed by `_bit_sums_kernels`. Numbers for each pair of
items, as v = S c, are in the order of `_bit_sums_kernels.places`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit, types
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench.compiled import count_ones
from hcbench_quadruplets._bit_sums_kernels import BITS, MOST, Bits, count_columns
from hcbench_quadruplets._kernels import Clusters, most_similar, remove

_ITEMS = types.int64[::1]
_MERGES = types.int64[:, ::1]
_FLOATS = types.float64[::1]


class Preferences(NamedTuple):
    """S c of all pairs of items, whose sums over pairs of clusters are B."""

    #: The comparisons.
    bits: Bits
    #: (64 w,) float64. S c, in the order of `_bit_sums_kernels.places`.
    v: NDArray[np.float64]
    #: (64 w,) uint32. Where the block of each pair is in B; K0 K0 if there is no pair.
    slot: NDArray[np.uint32]
    #: (M,) int64. `_bit_sums_kernels.places`.
    place: NDArray[np.int64]
    #: (n,) int64. The cluster of each item.
    cluster: NDArray[np.int64]
    #: (n,) int64. Which columns are added: the size of the cluster of each item, 0 if excluded.
    kind: NDArray[np.int64]
    #: (n n // 4 + 1,) int64. Work space for their numbers.
    columns: NDArray[np.int64]


@register_jitable
def number_of_pair(i: int, j: int, n: int) -> int:
    """The condensed number of a pair of n items in any order."""
    low = min(i, j)
    high = max(i, j)
    return low * (2 * n - low - 1) // 2 + high - low - 1


@register_jitable
def add_columns(
    columns: NDArray[np.int64], weight: float, bits: Bits, v: NDArray[np.float64]
) -> None:
    """Add ``weight`` times the columns of S to v.

    O(columns M / 64 + M).
    """
    for start in range(0, columns.size, MOST):
        some = columns[start : min(start + MOST, columns.size)]
        sums = count_columns(some, bits)
        less = np.int32(some.size)
        for at in range(v.size):
            v[at] += weight * np.int32(np.int32(sums[at]) - less)


@register_jitable
def next_size(kind: NDArray[np.int64], size: int) -> int:
    """The smallest kind above ``size``, or n + 1. O(n)."""
    larger = kind.size + 1
    for j in range(kind.size):
        if size < kind[j] < larger:
            larger = kind[j]
    return larger


@register_jitable
def list_columns(s: Preferences, p: int, size: int) -> int:
    """List the columns of pairs of an item of cluster p and one of this kind; return how many."""
    columns = s.columns
    kind = s.kind
    n = kind.size
    count = 0
    for i in range(n):
        if s.cluster[i] != p:
            continue
        for j in range(n):
            if kind[j] == size:
                columns[count] = number_of_pair(i, j, n)
                count += 1
    return count


@register_jitable
def add_cluster(s: Preferences, p: int, scale: float) -> None:
    """Add ``scale / kind[j]`` times column ij of S to v for i in cluster p, j of kind above 0.

    Columns of the same weight are summed as integers first.
    """
    size = next_size(s.kind, 0)
    while size <= s.kind.size:
        count = list_columns(s, p, size)
        add_columns(s.columns[:count], scale / size, s.bits, s.v)
        size = next_size(s.kind, size)


@register_jitable
def sum_all_columns(bits: Bits, place: NDArray[np.int64], v: NDArray[np.float64]) -> None:
    """Write the sums of all columns of S to v: in each row, its ones minus those of ``lost``."""
    won = bits.won
    lost = bits.lost
    width = bits.width
    for a in range(place.size):
        more = np.uint64(0)
        fewer = np.uint64(0)
        for word in range(a * width, (a + 1) * width):
            more += count_ones(won[word])
            fewer += count_ones(lost[word])
        v[place[a]] = np.float64(np.int64(more) - np.int64(fewer))


@register_jitable
def first_preferences(s: Preferences, size: NDArray[np.int64]) -> None:
    """Compute v for the initial clusters."""
    n = s.cluster.size
    if n == size.size:
        # All weights are 1.
        sum_all_columns(s.bits, s.place, s.v)
        return
    for p in range(size.size):
        for j in range(n):
            s.kind[j] = 0
            if s.cluster[j] > p:
                s.kind[j] = size[s.cluster[j]]
        add_cluster(s, p, 1 / size[p])


@register_jitable
def sum_rows(s: Preferences, empty: NDArray[np.float64], B: NDArray[np.float64]) -> None:
    """Write into B the sums of v over the blocks of pairs of clusters. O(M + K0^2).

    ``empty`` is B without any preference.
    """
    v = s.v
    slot = s.slot
    for at in range(B.size):
        B[at] = empty[at]
    for at in range(v.size):
        B[slot[at]] += v[at]


@register_jitable
def name_blocks(s: Preferences, p: int, K0: int) -> None:
    """Write the positions in B of the blocks of pairs of items of cluster p."""
    cluster = s.cluster
    n = cluster.size
    for i in range(n):
        if cluster[i] != p:
            continue
        for j in range(n):
            if i != j:
                low = min(p, cluster[j])
                high = max(p, cluster[j])
                s.slot[s.place[number_of_pair(i, j, n)]] = low * K0 + high


@register_jitable
def join(cluster: NDArray[np.int64], p: int, q: int) -> None:
    """Make the items of cluster q those of p."""
    for i in range(cluster.size):
        if cluster[i] == q:
            cluster[i] = p


@register_jitable
def change_weights(s: Preferences, size: NDArray[np.int64], p: int, q: int) -> None:
    """Add to v what the merge of p and q changes: the columns of all pairs with their items.

    The items of q become those of p. Columns between the two get weight 0, those to other clusters
    a smaller one.
    """
    cluster = s.cluster
    kind = s.kind
    n = cluster.size
    for j in range(n):
        kind[j] = 0
        if cluster[j] == q:
            kind[j] = size[q]
    add_cluster(s, p, -1 / size[p])
    for j in range(n):
        kind[j] = 0
        if cluster[j] != p and cluster[j] != q:
            kind[j] = size[cluster[j]]
    union = size[p] + size[q]
    if size[p] == size[q]:
        # Equal weights: the columns of both are summed together.
        join(cluster, p, q)
        add_cluster(s, p, 1 / union - 1 / size[p])
        return
    add_cluster(s, p, 1 / union - 1 / size[p])
    add_cluster(s, q, 1 / union - 1 / size[q])
    join(cluster, p, q)


@njit((BITS, BITS, types.int64, _ITEMS, _ITEMS, _ITEMS, _MERGES, _FLOATS), cache=True)
def merge_bits(
    won: Any,
    lost: Any,
    width: int,
    place: NDArray[np.int64],
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
    won, lost, width
        The fields of `Bits`.
    place : (M,) int64
        `_bit_sums_kernels.places`.
    cluster : (n,) int64, changed
        Cluster of each item, numbered by smallest items; the union has the smaller number.
    size : (K,) int64, changed
        Items of each cluster.
    merges, similarities : (t, 2), (t,), written
        p < q of each merge, and W.
    """
    n = cluster.size
    K0 = size.size
    bits = Bits(won, lost, width)
    slot = np.full(64 * width, K0 * K0, np.uint32)
    kind = np.empty(n, np.int64)
    columns = np.empty(n * n // 4 + 1, np.int64)
    s = Preferences(bits, np.zeros(64 * width), slot, place, cluster, kind, columns)
    # The last entry is that of positions without a pair.
    c = Clusters(size, np.arange(K0), np.empty(K0 * K0 + 1))
    empty = np.zeros(K0 * K0 + 1)
    for p in range(K0):
        name_blocks(s, p, K0)
    first_preferences(s, size)
    for step in range(len(merges)):
        K = K0 - step
        sum_rows(s, empty, c.B)
        p, q, W = most_similar(c, K)
        merges[step, 0] = p
        merges[step, 1] = q
        similarities[step] = W
        change_weights(s, size, p, q)
        name_blocks(s, p, K0)
        size[p] += size[q]
        remove(c, K, q, empty)
