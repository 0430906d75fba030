"""4-AL: quadruplets-based average linkage.

Preferences are summed in four ways, which share the search of the next merge. Each of them shortens
whole cells, reading included, at sizes of the paper (planted data, 240 items; processor time):

- ranks, if all comparisons were observed: .06 s, where the bits of half of them take 1.1 s;
- bits, if comparisons are dense: without them, by lists, merging takes 5 times as long (120 items,
  p = 0.1);
- lists, if comparisons are few: .09 s instead of .4 by bits (p = 0.001); the bits of 1,000 items
  would also take 62 GB;
- sums over the blocks of pairs of the last `FEW` clusters: a cell of 4-AL-I5 takes half of the time
  that it takes without them, one of 4-AL-I3 two thirds, one of 4-AL four fifths (p = 0.1).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hcbench import AllComparisons, Comparisons, HeightKind, Items, Oracle, Tree
from hcbench.model import pair_items
from hcbench_quadruplets import (
    _bit_linkage_kernels as bit_kernels,
    _bit_sums_kernels as sums_kernels,
    _kernels,
)
from hcbench_quadruplets.initial_clusters import Init, initial_clusters
from hcbench_quadruplets.pairs import check_size, warn_of_missing_items

FEW = 48
"""From this number of clusters, sums of S over pairs of pairs of them are stored: 1128^2, 10 MB."""


def four_al(
    oracle: Oracle, items: Items, rng: np.random.Generator, *, init: Init = 1, size: int = 5
) -> Tree:
    """Repeatedly merge the two clusters whose pair is preferred most often on average.

    Algorithm 1 with the similarity of equations 4 and 5 of Ghoshdastidar, Perrot & von Luxburg
    2019. Repeated comparisons count once; two opposite ones cancel. Of equally similar clusters, up
    to 1e-12 of W in [-1, 1], the lexicographically smallest pair (smaller, larger) is merged,
    clusters being numbered by their smallest items.

    Parameters
    ----------
    oracle : Oracle
        Of kind quadruplet-set or triplet-set.
    init : int, "4K-AL" or sequence of clusters
        Size of the initial clusters: if 2 or more, each cluster of the hint ``clusters`` is
        shuffled and divided into chunks of this size, the last of which may be smaller.
        With "4K-AL" they are the largest clusters of passive 4K-AL's tree that have at most
        ``size`` items, and no truth is needed (proposed after theorem 4). Or the clusters
        themselves, as lists of items; other items are singletons.
    size : int
        The maximum number of items of an initial cluster of "4K-AL".

    Returns
    -------
    Tree
        Kind ORDER. Initial clusters are nodes of height 1 with all their items as children; merges
        have the following heights. ``linkage`` is W, which need not decrease from merge to merge.

    Raises
    ------
    ParameterError
        See `initial_clusters`.
    NotApplicableError
        If there are more than `pairs.MAX_ITEMS` items.

    Notes
    -----
    For n items, M = n(n-1)/2 pairs and m comparisons: until `FEW` clusters remain, a merge uses the
    columns of S of all |union| n pairs that contain items of the two clusters. If there are few
    comparisons, that takes 2m/M additions per column, and 8 m + 12 n^2 bytes; if they are dense
    (`Comparisons.is_dense`), operations on 2 M/64 words, and 19 n^2 bytes besides the bits. If
    clusters of similar sizes merge, these are O(n^2 log n) columns, and O(n^3) if a large one
    absorbs single items. With `FEW` clusters O(m), or O(M^2 / 64) with bits, once. On all
    comparisons, by ranks: O(n^3) time, 24 n^2 bytes.
    """
    check_size(items.n, "4-AL")
    comparisons: Comparisons | AllComparisons = oracle.read().unique()
    warn_of_missing_items(comparisons)
    cluster = initial_clusters(comparisons, items, rng, init, size)
    if isinstance(comparisons, AllComparisons):
        merges, similarities = merge_by_ranks(comparisons, cluster)
    else:
        merges, similarities = merge_all(comparisons, cluster)
    return _tree_of_merges(cluster, merges, similarities, items.names)


def merge_by_ranks(
    comparisons: AllComparisons, cluster: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """As `merge_all`, on all comparisons of a ranking. O(n^2 K) time for K initial clusters."""
    # Importing it compiles a kernel that other inputs do not need. A warm-up on few items imports
    # it if the timed call does, since both have inputs of one type.
    from hcbench_quadruplets import _rank_kernels

    size = np.bincount(cluster)
    rank = comparisons.rank.astype(np.int32)
    order = np.argsort(rank, kind="stable")
    i, j = pair_items(order, comparisons.n)
    merges = np.empty((size.size - 1, 2), np.int64)
    similarities = np.empty(size.size - 1)
    _rank_kernels.merge_ranked(
        i.astype(np.int32),
        j.astype(np.int32),
        rank[order],
        rank,
        cluster.copy(),
        size,
        merges,
        similarities,
    )
    return merges, similarities


def merge_all(
    comparisons: Comparisons,
    cluster: NDArray[np.int64],
    few: int = FEW,
    by_bits: bool | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Merge initial clusters until one is left.

    Parameters
    ----------
    comparisons : Comparisons
        Each at most once.
    cluster : (n,) int array
        The cluster of each item, 0..K-1 in the order of their smallest items.
    few : int
        The number of clusters from which to use the sums of S over blocks.
    by_bits : bool, optional
        Whether to use the comparisons as bits; by default if they are dense.

    Returns
    -------
    merges : (K-1, 2) int array
        ``p < q``: cluster q is merged into p.
    similarities : (K-1,) array
        W of the two.
    """
    if by_bits is None:
        by_bits = comparisons.is_dense
    size = np.bincount(cluster)
    merges = np.empty((size.size - 1, 2), np.int64)
    similarities = np.empty(size.size - 1)
    # The cluster of each item, after the merges that were performed.
    current = cluster.copy()
    n_first = max(0, size.size - few)
    if n_first > 0 and by_bits:
        _merge_by_bits(comparisons, current, size, merges[:n_first], similarities[:n_first])
    elif n_first > 0:
        _merge_by_lists(comparisons, current, size, merges[:n_first], similarities[:n_first])
    # The rest is merged by blocks, in which the clusters that are left have the numbers 0, 1, ...
    alive, current = np.unique(current, return_inverse=True)
    blocks = sums_over_blocks(comparisons, current, by_bits)
    merge_blocks(blocks, np.bincount(current), merges[n_first:], similarities[n_first:])
    merges[n_first:] = alive[merges[n_first:]]
    return merges, similarities


def _merge_by_lists(
    comparisons: Comparisons,
    cluster: NDArray[np.int64],
    size: NDArray[np.int64],
    merges: NDArray[np.int64],
    similarities: NDArray[np.float64],
) -> None:
    """Perform the first ``len(merges)`` merges; ``cluster`` becomes that after them."""
    # Importing them compiles kernels that dense comparisons, such as those drawn by default, do not
    # need. Where a warm-up on few items does not import them, the timed call is repeated.
    from hcbench_quadruplets import _index_kernels, _list_kernels

    end, listed = _index_kernels.index_pairs(comparisons.closer, comparisons.farther, comparisons.n)
    _list_kernels.merge_sparse(end, listed, cluster, size, merges, similarities)


def _merge_by_bits(
    comparisons: Comparisons,
    cluster: NDArray[np.int64],
    size: NDArray[np.int64],
    merges: NDArray[np.int64],
    similarities: NDArray[np.float64],
) -> None:
    """Perform the first ``len(merges)`` merges; ``cluster`` becomes that after them."""
    won, lost, width = _rows_of_bits(comparisons)
    counter = sums_kernels.new_counter(width)
    n_clusters = size.size
    place = sums_kernels.places(cluster.size * (cluster.size - 1) // 2, width)
    # Of each pair of items, S c and where its sum over the block of its pair of clusters is.
    v = np.zeros(64 * width)
    slot = np.full(64 * width, n_clusters**2, np.uint32)
    i, j = np.triu_indices(cluster.size, 1)
    low = np.minimum(cluster[i], cluster[j])
    high = np.maximum(cluster[i], cluster[j])
    slot[place] = n_clusters * low + high
    if n_clusters < cluster.size:
        # As in _merge_by_lists.
        from hcbench_quadruplets._bit_first_kernels import first_preferences

        first_preferences(won, lost, *counter, cluster, size, v)
    bit_kernels.merge_bits(won, lost, *counter, place, v, slot, cluster, size, merges, similarities)


def sums_over_blocks(
    comparisons: Comparisons, cluster: NDArray[np.int64], by_bits: bool
) -> NDArray[np.int64]:
    """Sums of S over the blocks of pairs of clusters, (P, P) in condensed order."""
    n_clusters = int(cluster.max()) + 1
    between = _blocks_of_pairs(cluster, n_clusters)
    if not by_bits:
        from hcbench_quadruplets._list_kernels import net_preferences  # as in _merge_by_lists

        listed: NDArray[np.int64] = net_preferences(
            comparisons.closer, comparisons.farther, between, n_clusters
        )
        return listed
    won, lost, width = _rows_of_bits(comparisons)
    n_blocks = n_clusters * (n_clusters - 1) // 2
    small = between.astype(np.min_scalar_type(~n_blocks))  # integers of 16 bits are sorted in O(M)
    # Pairs within a cluster, with number -1, come first.
    n_within = np.count_nonzero(between < 0)
    pairs = np.argsort(small, kind="stable")[n_within:]
    place = sums_kernels.places(between.size, width)[pairs].astype(np.uint32)
    start = np.searchsorted(between[pairs], np.arange(n_blocks + 1))
    running = np.zeros(len(pairs) + 1, np.int32)
    sums = np.zeros((n_blocks, n_blocks), np.int64)
    counter = sums_kernels.new_counter(width)
    sums_kernels.sum_blocks(won, lost, *counter, pairs, place, start, running, sums)
    return sums


def _blocks_of_pairs(cluster: NDArray[np.int64], n_clusters: int) -> NDArray[np.int32]:
    """The pair of clusters (M,) of each pair of items, -1 within a cluster."""
    numbers = _numbers_of_pairs(n_clusters).astype(np.int32)
    rows = []
    for i, p in enumerate(cluster):
        rows.append(numbers[p, cluster[i + 1 :]])
    return np.concatenate(rows)


def merge_blocks(
    sums: NDArray[np.int64],
    size: NDArray[np.int64],
    merges: NDArray[np.int64],
    similarities: NDArray[np.float64],
) -> None:
    """Perform all merges of clusters of these sizes, by `sums_over_blocks`, which are changed."""
    _kernels.merge_dense(sums, _numbers_of_pairs(size.size), size, merges, similarities)


def _numbers_of_pairs(n_clusters: int) -> NDArray[np.int64]:
    """The condensed number of each pair of clusters, -1 of one with itself."""
    numbers = np.full((n_clusters, n_clusters), -1)
    p, q = np.triu_indices(n_clusters, 1)
    numbers[p, q] = np.arange(p.size)
    numbers[q, p] = numbers[p, q]
    return numbers


def _rows_of_bits(
    comparisons: Comparisons,
) -> tuple[NDArray[np.uint64], NDArray[np.uint64], int]:
    """The bits, row after row, and the number of words in each."""
    bits = comparisons.bits()
    return bits.won.reshape(-1), bits.lost.reshape(-1), bits.won.shape[1]


def _tree_of_merges(
    cluster: NDArray[np.int64],
    merges: NDArray[np.int64],
    similarities: NDArray[np.float64],
    names: tuple[str, ...] | None,
) -> Tree:
    n = cluster.size
    size = np.bincount(cluster)
    # Initial clusters of several items are nodes after the items, and merges those after them.
    initial = np.flatnonzero(size > 1)
    node = np.empty(size.size, np.int64)  # current node of each cluster
    node[cluster] = np.arange(n)
    node[initial] = n + np.arange(initial.size)
    parent = np.full(n + initial.size + len(merges), -1, np.int64)
    parent[:n] = np.where(size[cluster] > 1, node[cluster], -1)
    for merged, (p, q) in enumerate(merges, start=n + initial.size):
        parent[node[[p, q]]] = merged
        node[p] = merged
    height_of_merge = np.arange(1.0, len(merges) + 1)
    if initial.size > 0:
        height_of_merge += 1
    height = np.concatenate((np.zeros(n), np.ones(initial.size), height_of_merge))
    linkage = np.concatenate((np.full(n + initial.size, np.nan), similarities))
    return Tree(parent, height, HeightKind.ORDER, names, linkage)
