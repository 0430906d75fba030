"""4-AL: quadruplets-based average linkage."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hcbench import AllComparisons, Comparisons, Given, HeightKind, Oracle, Tree
from hcbench_quadruplets import _kernels
from hcbench_quadruplets.initial_clusters import Init, initial_clusters
from hcbench_quadruplets.pairs import check_size, warn_of_missing_items
from hcbench_quadruplets.preferences import Clusters, Preferences, preferences_of


def four_al(
    oracle: Oracle, given: Given, rng: np.random.Generator, *, init: Init = 1, size: int = 5
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
    For n items, M = n(n-1)/2 pairs and m comparisons, a merge takes O(M) time, and besides the
    columns of S of all |union| n pairs that contain items of the two clusters. If there are few
    comparisons, these are 2m/M additions a column, and 8 m + 12 n^2 bytes; if they are dense
    (`Comparisons.is_dense`), operations on 2 M/64 words, and 12 n^2 bytes besides the bits. If
    clusters of similar sizes merge, these are O(n^2 log n) columns, and O(n^3) if a large one
    absorbs single items. On all comparisons, by ranks: O(n^3) time, 20 n^2 bytes.
    """
    check_size(given.n, "4-AL")
    comparisons: Comparisons | AllComparisons = oracle.read().unique()
    warn_of_missing_items(comparisons)
    cluster = initial_clusters(comparisons, given, rng, init, size)
    merges, similarities = merge_all(preferences_of(comparisons), cluster)
    return _tree_of_merges(cluster, merges, similarities, given.names)


def merge_all(
    preferences: Preferences, cluster: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Merge initial clusters until one is left.

    Parameters
    ----------
    preferences : Preferences
    cluster : (n,) int array
        The cluster of each item, 0..K-1 in the order of their smallest items.

    Returns
    -------
    merges : (K-1, 2) int array
        ``p < q``: cluster q is merged into p.
    similarities : (K-1,) array
        W of the two.
    """
    clusters = Clusters(cluster.copy(), np.bincount(cluster))
    initial_number = np.arange(clusters.size.size)
    merges = np.empty((clusters.size.size - 1, 2), np.int64)
    similarities = np.empty(clusters.size.size - 1)
    v = preferences.sum_for(clusters)
    for step in range(len(merges)):
        p, q, similarity = _kernels.most_similar(v, clusters.of_items, clusters.size)
        merges[step] = initial_number[[p, q]]
        similarities[step] = similarity
        initial_number = np.delete(initial_number, q)
        after = clusters.merge(p, q)
        preferences.update(v, clusters, p, q, after)
        clusters = after
    return merges, similarities


def _tree_of_merges(
    cluster: NDArray[np.int64],
    merges: NDArray[np.int64],
    similarities: NDArray[np.float64],
    names: tuple[str, ...] | None,
) -> Tree:
    n, size = cluster.size, np.bincount(cluster)
    initial = np.flatnonzero(size > 1)
    node = np.empty(size.size, np.int64)  # current node of each cluster
    node[cluster] = np.arange(n)
    node[initial] = n + np.arange(initial.size)
    parent = np.full(n + initial.size + len(merges), -1, np.int64)
    parent[:n] = np.where(size[cluster] > 1, node[cluster], -1)
    for merged, (p, q) in enumerate(merges, start=n + initial.size):
        parent[node[[p, q]]] = merged
        node[p] = merged
    first = 1 if initial.size else 0
    height = np.concatenate(
        (np.zeros(n), np.ones(initial.size), first + np.arange(1.0, len(merges) + 1))
    )
    linkage = np.concatenate((np.full(n + initial.size, np.nan), similarities))
    return Tree(parent, height, HeightKind.ORDER, names, linkage)
