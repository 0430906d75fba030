"""Initial clusters of 4-AL: drawn inside the true ones, cut from 4K-AL's tree, or given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hcbench import AllComparisons, Comparisons, Items, ParameterError, Partition, Tree

Init: TypeAlias = int | str | Sequence[Iterable[int]]


def initial_clusters(
    comparisons: Comparisons | AllComparisons,
    items: Items,
    rng: np.random.Generator,
    init: Init,
    size: int,
) -> NDArray[np.int64]:
    """Partition the items before the first merge.

    Parameters
    ----------
    init : int, "4K-AL" or sequence of clusters
        Size of chunks of the true clusters, which are the hint ``clusters``; or clusters of
        `four_k_al`'s tree; or lists of items, where items in none of them start alone.
    size : int
        With "4K-AL": the maximum number of items of an initial cluster.

    Returns
    -------
    (n,) int array
        Numbered 0, 1, ... in the order of their smallest items.

    Raises
    ------
    ParameterError
        If the true clusters are needed but not known, or given clusters are empty, overlap or
        contain an item that does not exist.
    """
    if isinstance(init, str):
        # Importing them compiles kernels, which other initial clusters do not need.
        from hcbench_quadruplets.linkage import tree_by_mean
        from hcbench_quadruplets.quadruplet_kernel import kernel_matrix

        return maximal_clusters(tree_by_mean(kernel_matrix(comparisons)), size)
    if not isinstance(init, int | np.integer):
        return _labels_of(init, items.n)
    if init == 1:
        return np.arange(items.n)
    return _chunks_of_the_true_ones(items, rng, int(init))


def maximal_clusters(tree: Tree, most: int) -> NDArray[np.int64]:
    """The largest clusters of a tree that have at most ``most`` items, as labels (n,). O(n)."""
    # The largest such ancestor of each node: from the root down, that of its parent or itself.
    top = np.arange(tree.parent.size)
    for node in range(tree.parent.size - 2, -1, -1):
        parent = tree.parent[node]
        if tree.sizes[parent] <= most:
            top[node] = top[parent]
    return Partition(top[: tree.n]).labels


def _chunks_of_the_true_ones(
    items: Items, rng: np.random.Generator, size: int
) -> NDArray[np.int64]:
    """Random chunks of ``size`` items of each true cluster; the last one may be smaller."""
    clusters = items.hints.get("clusters")
    if clusters is None:
        raise ParameterError(
            f"4-AL[init={size}] draws its initial clusters inside the true ones, which are not "
            'given; use data with a truth, init="4K-AL" or init=1'
        )
    chunk_of_item = np.empty(items.n, np.int64)
    n_chunks = 0
    for label in range(clusters.n_clusters):
        members = rng.permutation(clusters.members(label))
        chunk_of_item[members] = n_chunks + np.arange(members.size) // size
        n_chunks += -(-members.size // size)  # rounded up
    return Partition(chunk_of_item).labels


def _labels_of(clusters: Sequence[Iterable[int]], n: int) -> NDArray[np.int64]:
    """The cluster of each item; items in none are alone."""
    label_of_item = np.full(n, -1, np.int64)
    for label, cluster in enumerate(clusters):
        for item in _items(cluster, label, n):
            if label_of_item[item] >= 0:
                raise ParameterError(
                    f"4-AL: item {item} is in the initial clusters {label_of_item[item]} and "
                    f"{label}; they must not overlap"
                )
            label_of_item[item] = label
    is_alone = label_of_item < 0
    label_of_item[is_alone] = len(clusters) + np.arange(is_alone.sum())
    return Partition(label_of_item).labels


def _items(cluster: Iterable[int], label: int, n: int) -> list[int]:
    """The items of an initial cluster, after checks."""
    if isinstance(cluster, Iterable):
        items = np.asarray(list(cluster))
    else:
        items = np.asarray(cluster)
    if items.ndim != 1 or items.dtype.kind not in "iu" or not items.size:
        raise ParameterError(
            f"4-AL: initial cluster {label} must be a list of items, got {cluster!r}; "
            "write init=[[0, 1], [2, 3]]"
        )
    unknown = items[(items < 0) | (items >= n)]
    if unknown.size:
        raise ParameterError(
            f"4-AL: initial cluster {label} names item {unknown[0]}; items are 0..{n - 1}"
        )
    if np.unique(items).size < items.size:
        raise ParameterError(f"4-AL: initial cluster {label} names an item twice: {cluster!r}")
    numbers: list[int] = items.tolist()
    return numbers
