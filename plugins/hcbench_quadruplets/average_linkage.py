"""4-AL: quadruplets-based average linkage."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hcbench import (
    Comparisons,
    Given,
    HeightKind,
    Oracle,
    ParameterError,
    Partition,
    Tree,
    pair_items,
)
from hcbench_quadruplets import _kernels

DENSE_CLUSTERS = 80
"""From this many clusters on, the sums for all pairs of their pairs are held: 40 MB."""


def four_al(oracle: Oracle, given: Given, rng: np.random.Generator, *, init: int = 1) -> Tree:
    """Merge, again and again, the two clusters whose pair is preferred most often on average.

    Algorithm 1 with the similarity of equations 4 and 5 of Ghoshdastidar, Perrot & von Luxburg
    2019. A comparison counts once however often the set holds it; two opposite ones cancel. Of
    clusters that are equally similar, up to 1e-12 of W in [-1, 1], those are merged whose smallest
    items come first: the pair (smaller, larger) is the lexicographically smallest.

    Parameters
    ----------
    oracle : Oracle
        Of kind quadruplet-set.
    init : int
        Size of the initial clusters. If 2 or more, each cluster of the hint ``clusters`` is
        shuffled and divided into chunks of this size, the last of which may be smaller.

    Returns
    -------
    Tree
        Kind ORDER. Initial clusters are nodes of height 1 with all their items as children; merges
        have the heights after that. ``linkage`` is W, which need not fall from merge to merge.

    Notes
    -----
    For n items, M = n(n-1)/2 and m comparisons: until K = `DENSE_CLUSTERS` are left, a merge takes
    the comparisons of all pairs that touch the two clusters, about |union| n 2m/M additions; the
    rest O(m + K^4). Memory beside the comparisons: 8 m + 26 n^2 bytes at first, K^4 bytes then.
    """
    comparisons: Comparisons = oracle.read().unique()
    cluster = _initial_clusters(given, rng, init)
    merges, similarities = merge_all(comparisons, cluster)
    return _tree(cluster, merges, similarities, given.names)


def merge_all(
    comparisons: Comparisons, cluster: NDArray[np.int64], dense: int = DENSE_CLUSTERS
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Merge initial clusters until one is left.

    Parameters
    ----------
    comparisons : Comparisons
        Each at most once.
    cluster : (n,) int array
        The cluster of each item, 0..K-1 in the order of their smallest items.
    dense : int
        With how many clusters to go over from the comparisons to the sums over their blocks.

    Returns
    -------
    merges : (K-1, 2) int array
        ``p < q``: cluster q is merged into p.
    similarities : (K-1,) array
        W of the two.
    """
    closer, farther = comparisons.closer, comparisons.farther
    size = np.bincount(cluster)
    n_clusters = size.size
    i, j = pair_items(np.arange(comparisons.n * (comparisons.n - 1) // 2), comparisons.n)
    merges = np.empty((n_clusters - 1, 2), np.int64)
    similarities = np.empty(n_clusters - 1)
    now, alive, done = cluster.copy(), np.arange(n_clusters), 0
    if n_clusters > dense:
        done = n_clusters - dense
        index = _kernels.index_pairs(closer, farther, i.size)
        _kernels.merge_sparse(now, size, *index, merges[:done], similarities[:done])
        del index
        alive, now = np.unique(now, return_inverse=True)
    between = _kernels.pairs_of_clusters(i, j, now)
    beats = _kernels.net_preferences(closer, farther, between, alive.size)
    _kernels.merge_dense(beats, size[alive], merges[done:], similarities[done:])
    merges[done:] = alive[merges[done:]]
    return merges, similarities


def _initial_clusters(given: Given, rng: np.random.Generator, init: int) -> NDArray[np.int64]:
    if init == 1:
        return np.arange(given.n)
    clusters = given.hints.get("clusters")
    if clusters is None:
        raise ParameterError(
            f"4-AL[init={init}] draws its initial clusters inside the true ones, which are not "
            "given; take data with a truth or init=1"
        )
    chunk = np.empty(given.n, np.int64)
    n_chunks = 0
    for label in range(clusters.n_clusters):
        members = rng.permutation(clusters.members(label))
        chunk[members] = n_chunks + np.arange(members.size) // init
        n_chunks += -(-members.size // init)
    return Partition(chunk).labels


def _tree(
    cluster: NDArray[np.int64],
    merges: NDArray[np.int64],
    similarities: NDArray[np.float64],
    names: tuple[str, ...] | None,
) -> Tree:
    n, size = cluster.size, np.bincount(cluster)
    initial = np.flatnonzero(size > 1)
    node = np.empty(size.size, np.int64)  # of each cluster, as it is at present
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
