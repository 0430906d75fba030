"""Compiled loops of 4-AL over lists of comparisons. They do not check their input.

Notation as in `_kernels`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit, types
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench_quadruplets._index_kernels import COMPARED, items_of
from hcbench_quadruplets._kernels import Clusters, most_similar, remove

_PAIRS = types.uint32[::1]
_POSITIONS = types.int64[::1]
_ITEMS = types.int64[::1]
_BETWEEN = types.int32[::1]
_MERGES = types.int64[:, ::1]
_FLOATS = types.float64[::1]

TOGETHER = 512  # columns that are fetched before they are added


class Lists(NamedTuple):
    """The columns of S, of `index_pairs`."""

    #: (2M+1,) int64. Where the two lists of each pair end.
    end: Any
    #: (2m,) uint32. Pairs by their `items`.
    listed: Any


class Selected(NamedTuple):
    """Work space for the columns that are added together, `TOGETHER` each."""

    #: int64. Numbers of the columns.
    columns: NDArray[np.int64]
    #: float64. The weight of each.
    weights: NDArray[np.float64]
    #: uint32. What `fetch` writes, so that its reads are made.
    fetched: NDArray[np.uint32]


@register_jitable
def add_column(
    weight: float,
    b: int,
    lists: Lists,
    cluster: NDArray[np.uint16],
    width: int,
    B: NDArray[np.float64],
) -> None:
    """Add ``weight`` times column b of S to the block sums B: O(comparisons with b).

    B(p, q) is at ``p width + q``, p <= q; the sums within clusters are not used.
    """
    end = lists.end
    listed = lists.listed
    for half in range(2 * b, 2 * b + 2):
        for at in range(end[half], end[half + 1]):
            i, j = items_of(listed[at])
            p = np.int64(cluster[i])
            q = np.int64(cluster[j])
            B[min(p, q) * width + max(p, q)] += weight
        # The second half lists the pairs with S[a, b] = -1.
        weight = -weight


@register_jitable
def fetch(columns: NDArray[np.int64], lists: Lists, fetched: NDArray[np.uint32]) -> None:
    """Read a number or two of each of these columns, to bring them into the cache: O(columns).

    Most are at random places, which are read at the same time here, and one after the other where
    columns are added.
    """
    end = lists.end
    listed = lists.listed
    for at in range(columns.size):
        fetched[at] = end[2 * columns[at]]
    for at in range(columns.size):
        first = end[2 * columns[at]]
        last = end[2 * columns[at] + 2]
        if first < last:
            fetched[at] = listed[first] ^ listed[last - 1]


@register_jitable
def add_all_columns(lists: Lists, cluster: NDArray[np.uint16], c: Clusters) -> None:
    """Add to B all columns of S with their first weights, which are those of c. O(M + m)."""
    n = cluster.size
    b = 0
    for i in range(n):
        for j in range(i + 1, n):
            if cluster[i] != cluster[j]:
                weight = 1.0 / (c.size[cluster[i]] * c.size[cluster[j]])
                add_column(weight, b, lists, cluster, c.size.size, c.B)
            b += 1


@register_jitable
def select_columns(
    i: int,
    first: int,
    p: int,
    q: int,
    cluster: NDArray[np.uint16],
    size: NDArray[np.int64],
    selected: Selected,
) -> int:
    """List the columns of item i, in p or q, with `TOGETHER` items from ``first`` on.

    Their weights are what the merge of p and q adds to those of S: columns between the two get
    weight 0, those to other clusters a smaller one. Returns the number of columns.
    """
    columns = selected.columns
    weights = selected.weights
    n = cluster.size
    union = size[p] + size[q]
    count = 0
    for j in range(first, min(first + TOGETHER, n)):
        # Within a cluster weights remain 0. Columns between the two are those of items of p.
        if cluster[j] == cluster[i] or (cluster[i] == q and cluster[j] == p):
            continue
        low = min(i, j)
        high = max(i, j)
        columns[count] = low * (2 * n - low - 1) // 2 + high - low - 1
        weights[count] = -1.0 / (size[cluster[i]] * size[cluster[j]])
        if cluster[j] != q:
            weights[count] += 1.0 / (union * size[cluster[j]])
        count += 1
    return count


@register_jitable
def change_weights(
    lists: Lists, cluster: NDArray[np.uint16], c: Clusters, p: int, q: int, selected: Selected
) -> None:
    """Add to B what the merge of p and q changes: the columns of all pairs with their items."""
    n = cluster.size
    for i in range(n):
        if cluster[i] != p and cluster[i] != q:
            continue
        for first in range(0, n, TOGETHER):
            count = select_columns(i, first, p, q, cluster, c.size, selected)
            fetch(selected.columns[:count], lists, selected.fetched)
            for at in range(count):
                weight = selected.weights[at]
                add_column(weight, selected.columns[at], lists, cluster, c.size.size, c.B)


@register_jitable
def join_blocks(cluster: NDArray[np.uint16], c: Clusters, K: int, p: int, q: int) -> None:
    """Make p the union of p and q, of K clusters: the blocks of q are added to its own. O(n)."""
    width = c.size.size
    for i in range(cluster.size):
        if cluster[i] == q:
            cluster[i] = p
    c.size[p] += c.size[q]
    for r in c.alive[:K]:
        if r != p and r != q:
            source = min(q, r) * width + max(q, r)
            c.B[min(p, r) * width + max(p, r)] += c.B[source]
    remove(c, K, q, c.B)


@register_jitable
def close_gaps(c: Clusters, K: int, cluster: NDArray[np.uint16], number: NDArray[np.int64]) -> None:
    """Renumber the K current clusters 0, 1, ..., so that B takes less of the cache. O(K^2)."""
    alive = c.alive
    B = c.B
    width = c.size.size
    new = np.zeros(width, np.uint16)
    for p in range(K):
        new[alive[p]] = p
        source = alive[p] * width
        for q in range(p + 1, K):
            B[p * K + q] = B[source + alive[q]]
    for item in range(cluster.size):
        cluster[item] = new[cluster[item]]
    for p in range(K):
        c.size[p] = c.size[alive[p]]
        number[p] = number[alive[p]]
        alive[p] = p


@njit((_POSITIONS, _PAIRS, _ITEMS, _ITEMS, _MERGES, _FLOATS), cache=True)
def merge_sparse(
    end: Any,
    listed: Any,
    initial: NDArray[np.int64],
    size: NDArray[np.int64],
    merges: NDArray[np.int64],
    similarities: NDArray[np.float64],
) -> None:
    """Perform the first ``len(merges)`` merges, on lists of comparisons.

    Time O(m) for the first sums and, for merging p and q, the number of comparisons of the
    (|G_p| + |G_q|) n pairs that contain their items, and O(K^2).

    Parameters
    ----------
    end, listed
        The fields of `Lists`.
    initial : (n,) int64, changed
        Cluster of each item, numbered by smallest items; the union has the smaller number.
    size : (K,) int64, changed
        Items of each cluster.
    merges, similarities : (t, 2), (t,), written
        p < q of each merge, and W.
    """
    lists = Lists(end, listed)
    selected = Selected(
        np.empty(TOGETHER, np.int64), np.empty(TOGETHER), np.empty(TOGETHER, np.uint32)
    )
    cluster = initial.astype(np.uint16)
    K = size.size
    # Clusters are renumbered now and then; these are their initial numbers.
    number = np.arange(K)
    c = Clusters(size, np.arange(K), np.zeros(K * K))
    add_all_columns(lists, cluster, c)
    for step in range(len(merges)):
        p, q, W = most_similar(c, K)
        merges[step, 0] = number[p]
        merges[step, 1] = number[q]
        similarities[step] = W
        change_weights(lists, cluster, c, p, q, selected)
        join_blocks(cluster, c, K, p, q)
        K -= 1
        if 8 * c.size.size > 9 * K:
            close_gaps(c, K, cluster, number)
            c = Clusters(c.size[:K], c.alive[:K], c.B[: K * K])
    for item in range(initial.size):
        initial[item] = number[cluster[item]]


@njit((COMPARED, COMPARED, _BETWEEN, types.int64), cache=True)
def net_preferences(
    closer: Any, farther: Any, between: NDArray[np.int32], K: int
) -> NDArray[np.int64]:
    """Sums of S over the blocks of pairs of clusters, (P, P) for P = K(K-1)/2. O(m + P^2).

    ``between`` (M,) is the pair of clusters of each pair of items; comparisons (m,) with a pair
    inside a cluster are ignored.
    """
    P = K * (K - 1) // 2
    beats = np.zeros((P, P), np.int64)
    for at in range(closer.size):
        a = between[closer[at]]
        b = between[farther[at]]
        if a >= 0 and b >= 0:
            beats[a, b] += 1
    # In tiles, as each entry of a column of the whole matrix is in another cache line.
    tile = 64
    for top in range(0, P, tile):
        for left in range(top, P, tile):
            for a in range(top, min(top + tile, P)):
                for b in range(max(left, a), min(left + tile, P)):
                    net = beats[a, b] - beats[b, a]
                    beats[a, b] = net
                    beats[b, a] = -net
    return beats
