"""Silhouettes of the clusters of a cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hcbench import NotApplicableError, Partition, Tree
from hcbench_metrics.dissimilarities import largest_of_pairs
from hcbench_metrics.pair_rows import distance_rows, similarity_rows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from hcbench import Problem, Scored


def silhouette(
    scored: Scored,
    cuts: str = "best",
    max_k: int = 10,
    metric: str = "euclidean",
) -> float:
    """Mean silhouette of the items in the clusters of a cut; higher is better.

    ``mean over i of (b_i - a_i) / max(a_i, b_i)`` with a_i the mean distance of i to the others of
    its cluster, and b_i the smallest mean distance to another cluster (Rousseeuw 1987); 0 for an
    item that is a cluster of its own. Where the data set has similarities w, d = offset - w with
    the largest similarity of any pair as offset.

    Parameters
    ----------
    scored : Scored
        Of a partition, its own silhouette.
    cuts : {"best", "levels"}
        ``best``: the largest value over the cuts into 2, 3, ..., ``max_k`` clusters. ``levels``:
        the mean over the cuts into as many clusters as the levels of labels have.
    max_k : int
    metric : str
        Distance of vectors, where the data set has no similarities: as in scipy's ``pdist``.

    Returns
    -------
    float
        In [-1, 1]. O(n^2 p + n^2 K) time for cuts into up to K clusters, O(n K) memory.

    Raises
    ------
    NotApplicableError
        If no cut has from 2 to n - 1 clusters, as a tree whose root has n children; if there are
        neither similarities nor vectors, or no levels of labels for ``cuts=levels``.
    """
    if isinstance(scored.result, Partition):
        partitions = [scored.result]
    elif cuts == "best":
        partitions = _cuts(scored.result, range(2, max_k + 1))
    else:
        partitions = _cuts(scored.result, _counts_of_levels(scored.problem))
    # Silhouettes are defined for these only.
    partitions = [cut for cut in partitions if 2 <= cut.n_clusters < cut.n]
    if not partitions:
        raise NotApplicableError("no cut has more than one cluster and fewer clusters than items")
    # Clusters of a coarser cut are unions of those of the finest one.
    finest = max(partitions, key=lambda cut: cut.n_clusters)
    sums = _sums_of_distances(scored.problem, finest, metric)
    values = [_mean_silhouette(sums, finest, cut) for cut in partitions]
    if cuts == "best":
        return max(values)
    return float(np.mean(values))


def _cuts(tree: Tree, counts: Iterable[int]) -> list[Partition]:
    """The cuts into these numbers of clusters, of those that are possible."""
    return [tree.cut(k) for k in counts if k <= tree.n]


def _counts_of_levels(problem: Problem) -> list[int]:
    if problem.levels is None:
        raise NotApplicableError("cuts=levels: this data set has no levels of labels")
    columns = problem.levels.T
    counts = []
    for depth in range(1, len(columns) + 1):
        classes = np.unique(columns[:depth], axis=1)
        counts.append(classes.shape[1])
    return counts


def _sums_of_distances(problem: Problem, cut: Partition, metric: str) -> NDArray[np.float64]:
    """Sum of the distances of each item to the items of each cluster, (n, K)."""
    # Blocks of rows are in the order of the leaves of a tree: of a star, 0..n-1.
    star = Tree(np.append(np.full(problem.n, problem.n), -1))
    if problem.similarity is not None or problem.vectors is None:
        blocks = similarity_rows(star, problem, "")
    else:
        blocks = distance_rows(star, problem.vectors, metric)
    membership = np.eye(cut.n_clusters)[cut.labels]
    sums = np.zeros(membership.shape)
    largest = None
    if problem.similarity is not None:
        largest = largest_of_pairs(problem.similarity)
    for first, rows in blocks:
        distances = rows
        if largest is not None:  # the rows are similarities
            distances = largest - rows
        # Each pair once, to be added to the sums of both of its items.
        above_diagonal = np.triu(distances, 1)
        last = first + len(rows)
        sums[first:last] += above_diagonal @ membership[first:]
        sums[first:] += above_diagonal.T @ membership[first:last]
    return sums


def _mean_silhouette(sums: NDArray[np.float64], finest: Partition, cut: Partition) -> float:
    """Mean silhouette of a cut whose clusters are unions of those of the finest cut."""
    n = cut.n
    # Which clusters of the finest cut are in which of this one.
    union = np.zeros((finest.n_clusters, cut.n_clusters))
    union[finest.labels, cut.labels] = 1.0
    to_clusters = sums @ union  # sums of distances, then means
    items = np.arange(n)
    size = cut.sizes[cut.labels]
    within = to_clusters[items, cut.labels] / np.maximum(size - 1, 1)
    to_clusters /= cut.sizes
    to_clusters[items, cut.labels] = np.inf
    between = to_clusters.min(axis=1)
    larger = np.maximum(within, between)
    is_defined = (size > 1) & (larger > 0)
    values = np.divide(between - within, larger, out=np.zeros(n), where=is_defined)
    return float(values.mean())
