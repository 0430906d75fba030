"""How far a partition agrees with the true clusters, by what each two clusters have in common.

Of a result that is a tree, its cut into as many clusters as there are true ones is judged, or into
``k``; a tree that is not binary may have but a larger number (`Tree.cut_nodes`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from hcbench import NotApplicableError, ParameterError, Partition, finest_partition
from hcbench_metrics import _partition_kernels as kernels
from hcbench_metrics.agreement import adjusted_rand_index

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcbench import Scored

    Average = Literal["arithmetic", "geometric", "min", "max"]

_ROUNDING = 1e-9  # of expected information, in nats


def clustering_error(
    scored: Scored,
    against: Literal["truth", "answers"] = "truth",
    k: int | None = None,
    level: int | None = None,
) -> float:
    """Part of all ordered pairs of items, equal ones included, on which two clusterings differ.

    ``d_H(Sigma, C) / n^2``, section 2 of Gentile et al. 2019; lower is better.

    Parameters
    ----------
    scored : Scored
    against : {"truth", "answers"}
        Sigma is that of the true clusters (Sigma*), or what the oracle answers, persistent noise
        included; of noise that is drawn anew each time the expectation.
    k : int, optional
        Clusters of the cut of a result that is a tree.
    level : int, optional
        Of the true labels, 1 being the coarsest; the finest by default.

    Returns
    -------
    float
        In [0, 1 - 1/n]. O(n log n); against answers as their oracle says.

    Raises
    ------
    NotApplicableError
        If there is no truth, or no oracle that tells on how many pairs it disagrees.
    """
    if against == "truth":
        true = finest_partition(scored.problem, level)
        differing: float = true.disagreements(_judged(scored, k, level))
    else:
        answers = scored.answers
        if answers is None or answers.disagreements is None:
            raise NotApplicableError(
                "against=answers: no oracle that answers about pairs was asked"
            )
        differing = answers.disagreements(_judged(scored, k, level))
    return 2.0 * differing / scored.problem.n**2


def ari(scored: Scored, k: int | None = None, level: int | None = None) -> float:
    """Adjusted Rand index (Hubert & Arabie 1985); higher is better.

    ``(both - e) / (m - e)`` of the pairs that both put together, their expectation e for random
    partitions with clusters of these sizes, and their mean number m in the two; 1 if m = e, where
    the partitions are equal. O(n log n).

    Parameters
    ----------
    scored, k, level
        As of `clustering_error`.
    """
    return adjusted_rand_index(finest_partition(scored.problem, level), _judged(scored, k, level))


def ami(
    scored: Scored, average: Average = "arithmetic", k: int | None = None, level: int | None = None
) -> float:
    """Adjusted mutual information (Vinh, Epps & Bailey 2010); higher is better.

    ``(I - E) / (H - E)``: mutual information I, its expectation E for random partitions with
    clusters of these sizes, and the average H of the two entropies; 1 if the partitions are equal,
    else 0 if H = E. O(n log n), and O(n sqrt n) at most where sizes are many.

    Parameters
    ----------
    average : {"arithmetic", "geometric", "min", "max"}
        Of the entropies.
    scored, k, level
        As of `clustering_error`.
    """
    true, found = finest_partition(scored.problem, level), _judged(scored, k, level)
    if true == found:
        return 1.0
    shared = _shared(true, found)
    expected = _expected_information(true, found)
    one, other = shared.of_truth, shared.of_result
    largest = {
        "arithmetic": (one + other) / 2,
        "geometric": float(np.sqrt(one * other)),
        "min": min(one, other),
        "max": max(one, other),
    }[average]
    room = largest - expected
    return (shared.information - expected) / room if room > _ROUNDING else 0.0


def homogeneity(scored: Scored, k: int | None = None, level: int | None = None) -> float:
    """Whether clusters are of one class: ``I(C, K) / H(C)``; higher is better.

    Rosenberg & Hirschberg 2007, with 1 if there is one class. O(n log n).

    Parameters
    ----------
    scored, k, level
        As of `clustering_error`.
    """
    shared = _shared(finest_partition(scored.problem, level), _judged(scored, k, level))
    return shared.information / shared.of_truth if shared.of_truth else 1.0


def completeness(scored: Scored, k: int | None = None, level: int | None = None) -> float:
    """Whether classes are in one cluster: ``I(C, K) / H(K)``; higher is better.

    Rosenberg & Hirschberg 2007, with 1 if there is one cluster. O(n log n).

    Parameters
    ----------
    scored, k, level
        As of `clustering_error`.
    """
    shared = _shared(finest_partition(scored.problem, level), _judged(scored, k, level))
    return shared.information / shared.of_result if shared.of_result else 1.0


def v_measure(
    scored: Scored, beta: float = 1.0, k: int | None = None, level: int | None = None
) -> float:
    """``(1 + beta) h c / (beta h + c)`` of homogeneity h and completeness c; higher is better.

    Rosenberg & Hirschberg 2007; 0 if h = c = 0. O(n log n).

    Parameters
    ----------
    beta : float
        Above 1 completeness weighs more.
    scored, k, level
        As of `clustering_error`.
    """
    h, c = homogeneity(scored, k, level), completeness(scored, k, level)
    return (1 + beta) * h * c / (beta * h + c) if h and c else 0.0


def n_clusters(scored: Scored) -> float:
    """Number of clusters of a partition. O(1)."""
    return float(_partition(scored).n_clusters)


def cluster_size(
    scored: Scored, statistic: Literal["largest", "smallest", "median"] = "largest"
) -> float:
    """Items in the largest, smallest or median cluster of a partition. O(n)."""
    sizes = _partition(scored).sizes
    return float(np.quantile(sizes, {"smallest": 0.0, "median": 0.5, "largest": 1.0}[statistic]))


def _partition(scored: Scored) -> Partition:
    if isinstance(scored.result, Partition):
        return scored.result
    raise NotApplicableError("the result is a hierarchy, not a partition")


def _judged(scored: Scored, k: int | None, level: int | None) -> Partition:
    """The result, or its cut."""
    if isinstance(scored.result, Partition):
        return scored.result
    tree = scored.result
    wanted = finest_partition(scored.problem, level).n_clusters if k is None else k
    if wanted > tree.n:
        raise ParameterError(f"k={wanted}: the result has {tree.n} items")
    return tree.cut(wanted)


@dataclass(frozen=True, slots=True)
class _Shared:
    """Mutual information, and the two entropies, in nats."""

    information: float
    of_truth: float
    of_result: float


def _shared(true: Partition, found: Partition) -> _Shared:
    cells = np.unique(true.labels * found.n_clusters + found.labels, return_counts=True)[1]
    one, other, both = (_entropy(sizes) for sizes in (true.sizes, found.sizes, cells))
    # Rounding must not make more of it than there is.
    return _Shared(min(max(one + other - both, 0.0), one, other), one, other)


def _entropy(sizes: NDArray[np.int64]) -> float:
    share = sizes / sizes.sum()
    return max(float(-(share * np.log(share)).sum()), 0.0)


def _expected_information(one: Partition, other: Partition) -> float:
    from scipy.special import gammaln

    a, n_a = np.unique(one.sizes, return_counts=True)
    b, n_b = np.unique(other.sizes, return_counts=True)
    log_factorial = np.asarray(gammaln(np.arange(1.0, one.n + 2)))
    return kernels.expected_information(a, n_a, b, n_b, log_factorial)
