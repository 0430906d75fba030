"""Compiled loops of 4-AL on dense comparisons, as bits. They trust their input.

Notation as in `_kernels`; ``won`` and ``lost`` are the bits of `hcbench.Comparisons.bits`. Column b
of S is row b of ``lost`` less row b of ``won``, so that columns are summed by counting bits at each
place: 64 rows of S at a time, by adders made of operations on words. A count is a number of eight
bits, one in each of eight planes of words.

Numbers for each pair of items a, as v = S c, are in arrays (8, 8 w), at [a % 8, a // 8], which is
the order in which the counts of the planes are taken out: for bit 0 of every byte, then bit 1, ...
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

from hcbench_quadruplets._kernels import most_similar

_BITS = types.Array(types.uint64, 2, "C", readonly=True)
_ITEMS, _BETWEEN = types.int64[::1], types.int32[::1]
_MERGES, _SIMILARITIES = types.int64[:, ::1], types.float64[::1]

WORDS = 512  # of a row that are added at a time: the eight planes of so many stay in a cache
MOST = 124  # columns whose counts, of two bits each, fit in a byte; a multiple of four


@njit(cache=True)
def full_adder(a: Any, b: Any, c: Any) -> tuple[Any, Any]:
    """Sum and carry of three bits, in each of 64 places."""
    either = a ^ b
    return either ^ c, (a & b) | (either & c)


@njit(cache=True)
def add_four(
    plus: tuple[Any, Any, Any, Any], minus: tuple[Any, Any, Any, Any], planes: NDArray[np.uint64]
) -> None:
    """Count in each place the bits of four rows ``plus`` and those that four ``minus`` lack."""
    a, b, c, d = plus
    e, f, g, h = minus
    for w in range(a.size):
        ones, two0 = full_adder(planes[w], a[w], ~e[w])
        ones, two1 = full_adder(ones, b[w], ~f[w])
        ones, two2 = full_adder(ones, c[w], ~g[w])
        planes[w], two3 = full_adder(ones, d[w], ~h[w])
        twos, four0 = full_adder(planes[WORDS + w], two0, two1)
        planes[WORDS + w], four1 = full_adder(twos, two2, two3)
        planes[2 * WORDS + w], carry = full_adder(planes[2 * WORDS + w], four0, four1)
        for plane in range(3, 8):
            bit = planes[plane * WORDS + w]
            planes[plane * WORDS + w] = bit ^ carry
            carry &= bit


@njit(cache=True)
def take_out(
    planes: NDArray[np.uint64], less: int, counts: NDArray[np.uint64], net: NDArray[np.int8]
) -> None:
    """Write the counts less a number into ``net`` (8, bytes of a plane)."""
    lowest = np.uint64(0x0101010101010101)
    count = counts.view(np.int8)
    for bit in range(8):
        for w in range(net.shape[1] // 8):
            eight = np.uint64(0)
            for plane in range(8):
                ones = (planes[plane * WORDS + w] >> np.uint64(bit)) & lowest
                eight |= ones << np.uint64(plane)
            counts[w] = eight
        row = net[bit]
        for byte in range(row.size):
            row[byte] = count[byte] - np.int8(less)


@njit(cache=True)
def sum_columns(columns: NDArray[np.int64], won: Any, lost: Any, net: NDArray[np.int8]) -> None:
    """Write the sum of at most `MOST` columns of S into ``net`` (8, 8 w). O(columns M / 64 + M).

    Four at a time; where less than four are left, a row less itself is added, which is 0.
    """
    planes, counts = np.empty(8 * WORDS, np.uint64), np.empty(WORDS, np.uint64)
    width, last = won.shape[1], columns.size - 1
    for start in range(0, width, WORDS):
        end = min(start + WORDS, width)
        planes[:] = 0
        for at in range(0, columns.size, 4):
            a, b = columns[at], columns[min(at + 1, last)]
            c, d = columns[min(at + 2, last)], columns[min(at + 3, last)]
            of_b = lost if at + 1 <= last else won
            of_c = lost if at + 2 <= last else won
            of_d = lost if at + 3 <= last else won
            plus = lost[a, start:end], of_b[b, start:end], of_c[c, start:end], of_d[d, start:end]
            minus = won[a, start:end], won[b, start:end], won[c, start:end], won[d, start:end]
            add_four(plus, minus, planes)
        added = (columns.size + 3) // 4 * 4
        take_out(planes, added, counts, net[:, 8 * start : 8 * end])


@njit(cache=True)
def add_columns(
    columns: NDArray[np.int64],
    weight: float,
    won: Any,
    lost: Any,
    net: NDArray[np.int8],
    v: NDArray[np.float64],
) -> None:
    """Add ``weight`` times the columns of S to v; ``net`` is where they are summed."""
    values, sums = v.ravel(), net.ravel()
    for start in range(0, columns.size, MOST):
        sum_columns(columns[start : start + MOST], won, lost, net)
        for at in range(values.size):
            values[at] += weight * sums[at]


@njit(cache=True)
def add_cluster(
    own: int,
    scale: float,
    cluster: NDArray[np.int64],
    kind: NDArray[np.int64],
    won: Any,
    lost: Any,
    net: NDArray[np.int8],
    v: NDArray[np.float64],
) -> None:
    """Add ``scale / kind[j]`` times column ij of S to v for i in a cluster, j of kind above 0.

    Columns of the same weight are summed as integers first.
    """
    n = cluster.size
    columns = np.empty(n * n // 4 + 1, np.int64)
    there = np.zeros(n + 1, np.bool_)
    for j in range(n):
        there[kind[j]] = True
    for size in range(1, n + 1):
        if not there[size]:
            continue
        listed = 0
        for i in range(n):
            if cluster[i] != own:
                continue
            for j in range(n):
                if kind[j] == size:
                    low, high = min(i, j), max(i, j)
                    columns[listed] = low * (2 * n - low - 1) // 2 + high - low - 1
                    listed += 1
        add_columns(columns[:listed], scale / size, won, lost, net, v)


@njit(cache=True)
def sum_rows(
    v: NDArray[np.float64], cluster: NDArray[np.int64], width: int, B: NDArray[np.float64]
) -> None:
    """Write B(p, q), p < q, the sum of v over a block, to ``B[p * width + q]``. O(M)."""
    B[:] = 0
    a = 0
    for i in range(cluster.size):
        for j in range(i + 1, cluster.size):
            p, q = cluster[i], cluster[j]
            B[min(p, q) * width + max(p, q)] += v[a & 7, a >> 3]
            a += 1


@njit((_BITS, _BITS, _ITEMS, _ITEMS, _MERGES, _SIMILARITIES), cache=True)
def merge_bits(
    won: Any,
    lost: Any,
    cluster: NDArray[np.int64],
    size: NDArray[np.int64],
    merges: NDArray[np.int64],
    similarities: NDArray[np.float64],
) -> None:
    """Make the first ``len(merges)`` merges.

    Time O(M^2 / 64) for the first sums, and for merging p and q O(M / 64) for each of the
    (|G_p| + |G_q|) n pairs that touch them, O(M) for every size of a cluster that they meet.
    Memory 13 M + 8 K^2 bytes.

    Parameters
    ----------
    won, lost : (64 w, w) uint64
        See `hcbench.comparisons.bits.PreferenceBits`.
    cluster : (n,) int64, changed
        Cluster of each item, numbered by smallest items; a merged cluster keeps the smaller number.
    size : (K,) int64, changed
        Items of each cluster.
    merges, similarities : (t, 2), (t,), written
        p < q of each merge, and W.
    """
    n, K0 = cluster.size, size.size
    v, net = np.zeros((8, 8 * won.shape[1])), np.empty((8, 8 * won.shape[1]), np.int8)
    B, alive, K = np.empty(K0 * K0), np.arange(K0), K0
    kind = np.empty(n, np.int64)  # of each item: the size of its cluster, 0 if that is left out
    for p in range(K0):
        for j in range(n):
            kind[j] = size[cluster[j]] if cluster[j] > p else 0
        add_cluster(p, 1 / size[p], cluster, kind, won, lost, net, v)
    for step in range(len(merges)):
        sum_rows(v, cluster, K0, B)
        first, second, W = most_similar(B, K0, alive, K, size)
        p, q = alive[first], alive[second]
        merges[step, 0], merges[step, 1], similarities[step] = p, q, W

        # Columns between the two lose their weight, those to other clusters get a smaller one.
        for j in range(n):
            kind[j] = size[q] if cluster[j] == q else 0
        add_cluster(p, -1 / size[p], cluster, kind, won, lost, net, v)
        for j in range(n):
            kind[j] = 0 if cluster[j] == p or cluster[j] == q else size[cluster[j]]
        union = size[p] + size[q]
        for own in (p, q):
            add_cluster(own, 1 / union - 1 / size[own], cluster, kind, won, lost, net, v)
        for i in range(n):
            if cluster[i] == q:
                cluster[i] = p
        size[p] = union
        alive[second : K - 1] = alive[second + 1 : K]
        K -= 1


@njit((_BITS, _BITS, _BETWEEN, types.int64), cache=True)
def sum_blocks(won: Any, lost: Any, between: NDArray[np.int32], K: int) -> NDArray[np.int32]:
    """As `_kernels.net_preferences`: sums of S over the blocks of pairs of clusters, (P, P).

    O(M^2 / 64 + P M) time; 17 M bytes beside the sums. The pairs of items are gone through in the
    order of the blocks they are in, and what a block adds to the running sum is its own.
    """
    P, width = K * (K - 1) // 2, won.shape[1]
    start = np.zeros(P + 1, np.int64)
    for block in between:
        if block >= 0:
            start[block + 1] += 1
    for block in range(P):
        start[block + 1] += start[block]
    pairs, place = np.empty(start[P], np.int64), np.empty(start[P], np.int32)
    following = start[:P].copy()
    for a in range(between.size):
        if between[a] >= 0:
            pairs[following[between[a]]] = a
            place[following[between[a]]] = (a & 7) * 8 * width + (a >> 3)
            following[between[a]] += 1
    net, running = np.empty((8, 8 * width), np.int8), np.zeros(start[P] + 1, np.int32)
    sums, S = net.ravel(), np.zeros((P, P), np.int32)
    for block in range(P):
        row = S[block]
        for first in range(start[block], start[block + 1], MOST):
            sum_columns(pairs[first : min(first + MOST, start[block + 1])], won, lost, net)
            total = 0
            for at in range(place.size):
                total += sums[place[at]]
                running[at + 1] = total
            for other in range(P):
                row[other] -= running[start[other + 1]] - running[start[other]]
    return S
