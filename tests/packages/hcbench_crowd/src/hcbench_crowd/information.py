"""The variation of information."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hcbench import NotApplicableError, Partition, Scored, finest_partition


def variation_of_information(scored: Scored, *, normalised: bool, level: int | None) -> float:
    """H(U given V) + H(V given U) = 2 H(U, V) - H(U) - H(V), in nats (Meila 2007, eq. 16).

    If normalised, divided by log n, its largest value. O(n log n).
    """
    result, truth = scored.result, finest_partition(scored.problem, level)
    if not isinstance(result, Partition):
        raise NotApplicableError("the result is a hierarchy, not a partition")
    joint = result.labels * truth.n_clusters + truth.labels
    value = 2 * _entropy(joint) - _entropy(result.labels) - _entropy(truth.labels)
    largest = np.log(result.n) if normalised and result.n > 1 else 1.0
    return max(value, 0.0) / float(largest)


def _entropy(labels: NDArray[np.int64]) -> float:
    """-sum p log p over the labels."""
    _, count = np.unique(labels, return_counts=True)
    p = count / labels.size
    return float(-(p * np.log(p)).sum())
