"""How many clusters a tree has, by several criteria for each number k.

None of them is a test of a hypothesis, and they differ in what they call a cluster:

- stability, the mean adjusted Rand index of the cut of the tree and of the trees of subsamples, on
  the items of the latter: 1 if the clusters are found again, about 0 if they are arbitrary;
- the stability of the weakest cluster, the mean Jaccard similarity to the most similar cluster of
  the cut of a subsample (Hennig 2007), at least 0.75 for clusters that are there;
- prediction strength (Tibshirani and Walther 2005), which halves of the items find in each other;
- the mean silhouette width (Rousseeuw 1987), of compact and separated clusters;
- the gap statistic (Tibshirani, Walther and Hastie 2001), against data without clusters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench.analysis.branch_support import Replicate
from hcbench.errors import NotApplicableError
from hcbench.model.trees import Partition, Tree

#: Clusters are predicted from 0.8 on, as Tibshirani and Walther recommend 0.8 to 0.9.
STRONG = 0.8
#: Clusters of at least this mean similarity are stable (Hennig 2007).
STABLE = 0.75


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """The criteria of one number of clusters; None where one does not apply.

    Attributes
    ----------
    k : int
        The number of clusters.
    smallest : int
        The size of the smallest cluster.
    stability, stability_sd : float or None
        The mean of the adjusted Rand indices of subsamples, and their standard deviation.
    weakest : float or None
        The stability of the least stable cluster: the mean over subsamples of the Jaccard
        similarity to the most similar cluster of the same cut (Hennig 2007).
    strength : float or None
        The prediction strength, the mean over divisions of the items into halves.
    silhouette : float or None
        The mean silhouette width.
    gap, gap_error : float or None
        The gap statistic, and its error s.
    """

    k: int
    smallest: int
    stability: float | None = None
    stability_sd: float | None = None
    weakest: float | None = None
    strength: float | None = None
    silhouette: float | None = None
    gap: float | None = None
    gap_error: float | None = None


def cut_stability(
    tree: Tree, replicates: Sequence[Replicate], k: int
) -> tuple[float | None, float | None]:
    """The mean and the standard deviation of the adjusted Rand index of cuts into k clusters.

    Parameters
    ----------
    tree : Tree
        Of all items.
    replicates : sequence of Replicate
        Trees of subsamples, or of resampled features.
    k : int
    """
    labels = tree.cut(k).labels
    values = []
    for replicate in replicates:
        # A subsample of fewer items cannot be cut so, and tells nothing.
        if replicate.tree.n < k:
            continue
        # The labels in the order of the replicate's leaves.
        drawn = labels
        if replicate.items is not None:
            drawn = labels[replicate.items]
        values.append(adjusted_rand(drawn, replicate.tree.cut(k).labels))
    if not values:
        return None, None
    return float(np.mean(values)), float(np.std(values))


def weakest_cluster(tree: Tree, replicates: Sequence[Replicate], k: int) -> float | None:
    """The least mean, over clusters, of the Jaccard similarity to clusters of subsamples.

    Parameters
    ----------
    tree : Tree
        Of all items.
    replicates : sequence of Replicate
        Trees of subsamples, or of resampled features.
    k : int
    """
    labels = tree.cut(k).labels
    n_clusters = int(labels.max()) + 1
    sums = np.zeros(n_clusters)
    counts = np.zeros(n_clusters)
    for replicate in replicates:
        if replicate.tree.n < k:
            continue
        drawn = labels
        if replicate.items is not None:
            drawn = labels[replicate.items]
        labels_of_replicate = replicate.tree.cut(k).labels
        # The items that cluster i of the tree and cluster j of the replicate share.
        common = np.zeros((n_clusters, int(labels_of_replicate.max()) + 1))
        np.add.at(common, (drawn, labels_of_replicate), 1.0)
        sizes = common.sum(axis=1)
        union = sizes[:, None] + common.sum(axis=0)[None, :] - common
        # Of a small cluster, a subsample may have no item; it then says nothing about it.
        is_drawn = sizes > 0
        sums[is_drawn] += (common / union).max(axis=1)[is_drawn]
        counts += is_drawn
    if not counts.any():
        return None
    return float((sums[counts > 0] / counts[counts > 0]).min())


def adjusted_rand(first: NDArray[np.int64], second: NDArray[np.int64]) -> float:
    """The adjusted Rand index of Hubert and Arabie (1985) of two labellings of the same items.

    Two partitions that are both one cluster, or both single items, agree: 1.
    """
    one = Partition(first)
    two = Partition(second)
    return _adjusted_rand(one.overlaps(two), one.sizes, two.sizes)


def adjusted_rand_of_counts(counts: NDArray[np.int64]) -> float:
    """The adjusted Rand index of two labellings with a table of the items that they share.

    Parameters
    ----------
    counts : (k, l) int
        The numbers of items with label i of the first and label j of the second.
    """
    return _adjusted_rand(counts, counts.sum(axis=1), counts.sum(axis=0))


def _adjusted_rand(
    counts: NDArray[np.int64], sizes_of_one: NDArray[np.int64], sizes_of_two: NDArray[np.int64]
) -> float:
    """The index, from the numbers of shared items, in any order, and the sizes of the clusters."""
    together = _pairs(counts)
    in_one = _pairs(sizes_of_one)
    in_two = _pairs(sizes_of_two)
    # The expectation if labels are permuted at random; 1 instead of no pairs avoids 0 / 0.
    expected = in_one * in_two / max(_pairs(counts.sum()), 1.0)
    most = (in_one + in_two) / 2
    # Without pairs, or with all pairs, in both there is nothing to adjust.
    if most == expected:
        return 1.0
    return (together - expected) / (most - expected)


def _pairs(sizes: Any) -> float:
    """The number of pairs in groups of these sizes."""
    counts = np.asarray(sizes, dtype=np.int64)
    return float((counts * (counts - 1) // 2).sum())


def mean_silhouette(distances: NDArray[np.floating], labels: NDArray[np.int64]) -> float:
    """The mean silhouette width of clusters; 0 for single items.

    Parameters
    ----------
    distances : (n, n) float
    labels : (n,) int
        0, 1, ...; at least two clusters.
    """
    sizes, sums = _sums_to_clusters(distances, labels)
    items = np.arange(labels.size)
    size_of_item = sizes[labels]
    with np.errstate(invalid="ignore", divide="ignore"):
        # The distance of an item to itself, 0, is in the sum and not in the mean.
        within = sums[items, labels] / (size_of_item - 1)
        means = sums / sizes
    # Only other clusters can be the neighbour.
    means[items, labels] = np.inf
    between = means.min(axis=1)
    larger = np.maximum(within, between)
    has_width = (size_of_item > 1) & (larger > 0)
    widths = np.where(has_width, (between - within) / larger, 0.0)
    return float(widths.mean())


def log_dispersion(distances: NDArray[np.floating], labels: NDArray[np.int64]) -> float:
    """The logarithm of W_k: half of the sum over clusters of the mean distance to their items.

    As in `clusGap` of R's package cluster, with distances that are not squared.
    """
    sizes, sums = _sums_to_clusters(distances, labels)
    items = np.arange(labels.size)
    # Each pair of items is in the sum twice.
    total = float((sums[items, labels] / sizes[labels]).sum()) / 2
    # Clusters of equal items have no dispersion, and 0 has no logarithm.
    return float(np.log(max(total, np.finfo(float).tiny)))


def _sums_to_clusters(
    distances: NDArray[np.floating], labels: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The sizes (k,) of the clusters, and the sum of the distances of each item to each, (n, k)."""
    k = int(labels.max()) + 1
    members = np.zeros((labels.size, k))
    members[np.arange(labels.size), labels] = 1.0
    return members.sum(axis=0), distances @ members


def uniform_reference(
    vectors: NDArray[np.floating], rng: np.random.Generator
) -> NDArray[np.float64]:
    """Data without clusters: uniform in a box along the principal components of the vectors.

    Variant (b) of the gap statistic. Rows are as many, columns are the same.
    """
    centre = vectors.mean(axis=0)
    centred = np.asarray(vectors - centre, dtype=np.float64)
    _, _, directions = np.linalg.svd(centred, full_matrices=False)
    scores = centred @ directions.T
    drawn = rng.uniform(scores.min(axis=0), scores.max(axis=0), size=scores.shape)
    reference: NDArray[np.float64] = drawn @ directions + centre
    return reference


def gap_statistic(
    log_w: NDArray[np.float64], reference_log_w: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The gap and its error s for each k.

    Parameters
    ----------
    log_w : (K,) float
        Of the data.
    reference_log_w : (B, K) float
        Of B data sets without clusters.
    """
    gap = reference_log_w.mean(axis=0) - log_w
    error = reference_log_w.std(axis=0) * np.sqrt(1 + 1 / len(reference_log_w))
    return gap, error


def prediction_strength(
    distances: NDArray[np.floating],
    training: Replicate,
    test: Replicate,
    k: int,
) -> float:
    """How far the clusters of one half of the items are found in those of the other.

    Each test item belongs to the cluster of the training half to whose items its mean distance is
    least. Of each test cluster, the share of the pairs that then belong together; the least of
    these shares. A cluster of one item has no pairs, and is not counted.

    Parameters
    ----------
    distances : (n, n) float
        Of all items.
    training, test : Replicate
        Trees of two halves.
    k : int
    """
    assert training.items is not None
    assert test.items is not None
    labels = training.tree.cut(k).labels
    sizes, sums = _sums_to_clusters(distances[np.ix_(test.items, training.items)], labels)
    predicted = (sums / sizes).argmin(axis=1)
    return strength_of_counts(count_overlaps(predicted, test.tree.cut(k).labels))


def count_overlaps(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers of items with label i of the first and label j of the second labelling."""
    n_first = int(first.max()) + 1
    n_second = int(second.max()) + 1
    flat = np.bincount(first * n_second + second, minlength=n_first * n_second)
    return flat.reshape(n_first, n_second)


def strength_of_counts(counts: NDArray[np.int64]) -> float:
    """The prediction strength, from the table of predicted and actual clusters.

    It is the least share, over actual clusters, of the pairs of their items that are predicted to
    be together. A cluster of one item has no pairs, and is not counted; without any pairs it is 0.

    Parameters
    ----------
    counts : (k, l) int
        The numbers of items of predicted cluster i and actual cluster j.
    """
    shares = []
    for overlaps in counts.T:
        size = overlaps.sum()
        if size >= 2:
            shares.append(_pairs(overlaps) / _pairs(size))
    if not shares:
        return 0.0
    return min(shares)


def best_numbers(numbers: Sequence[Number]) -> dict[str, int | None]:
    """What each criterion says; None if it finds no clusters, or does not apply.

    - ``silhouette``: the k of the largest mean width.
    - ``gap``: the least k with ``gap(k) >= gap(k + 1) - s(k + 1)``, which may be 1; None if there
      is none up to the largest k.
    - ``strength``: the largest k whose prediction strength is at least `STRONG`; 1 without one.
    - ``weakest``: the largest k whose weakest cluster has at least `STABLE`; 1 without one.

    For the last two, cuts with a cluster of one item do not count, as one item is found again
    however arbitrary it is.
    """
    best: dict[str, int | None] = {}
    with_width = _measured(numbers, "silhouette")
    if with_width:
        # Of equal widths the smaller number of clusters.
        best["silhouette"] = max(with_width, key=lambda number: (number.silhouette, -number.k)).k
    if _measured(numbers, "gap"):
        best["gap"] = _first_without_gain(numbers)
    for name, least in (("strength", STRONG), ("weakest", STABLE)):
        measured = _measured(numbers, name)
        if measured:
            best[name] = _largest_good(measured, name, least)
    return best


def _measured(numbers: Sequence[Number], name: str) -> list[Number]:
    """The numbers of clusters that have a criterion."""
    return [number for number in numbers if getattr(number, name) is not None]


def _largest_good(numbers: Sequence[Number], name: str, least: float) -> int:
    """The largest number of clusters, all of two items or more, with a good criterion; or 1."""
    largest = 1
    for number in numbers:
        if number.smallest > 1 and getattr(number, name) >= least:
            largest = max(largest, number.k)
    return largest


def _first_without_gain(numbers: Sequence[Number]) -> int | None:
    for number, following in pairwise(numbers):
        if number.gap is None or following.gap is None or following.gap_error is None:
            continue
        if number.gap >= following.gap - following.gap_error:
            return number.k
    return None


def check_numbers(numbers: Sequence[int], n: int) -> list[int]:
    """The numbers of clusters that a tree of n items can be cut into, rising.

    Raises
    ------
    NotApplicableError
        If there is none.
    """
    possible = sorted(set(numbers).intersection(range(1, n + 1)))
    if not possible:
        raise NotApplicableError(f"{n} items have no cut into {list(numbers)} clusters")
    return possible


_OF_CRITERIA = {
    "weakest": f"the stability of the weakest cluster (at least {STABLE})",
    "strength": f"prediction strength (at least {STRONG})",
    "silhouette": "the silhouette, which is never 1",
    "gap": "the gap statistic",
}


def describe_best(numbers: Sequence[Number], best: dict[str, int | None]) -> list[str]:
    """What the criteria say, in sentences; that nothing is stable, if so.

    Parameters
    ----------
    numbers : sequence of Number
    best : dict
        As `best_numbers` returns it.
    """
    largest = max([number.k for number in numbers])
    parts = []
    for name, text in _OF_CRITERIA.items():
        if name not in best:
            continue
        k = best[name]
        if k is None:
            parts.append(f"none up to {largest} by {text}")
        else:
            parts.append(f"{k} by {text}")
    sentences = []
    if parts:
        sentences.append(f"Clusters: {'; '.join(parts)}.")
    if best.get("weakest") == 1 and best.get("strength") == 1:
        sentences.append(
            "No cut into two or more clusters is stable: subsamples find other clusters, and "
            "halves do not predict each other."
        )
    elif best.get("weakest") == 1:
        sentences.append("No cut has only clusters that subsamples find again.")
    return sentences
