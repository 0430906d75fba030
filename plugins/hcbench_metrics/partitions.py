"""Agreement of a partition with the true clusters, computed from their contingency table.

If the result is a tree, one of its cuts is evaluated. ``cut="K"``: the cut into as many clusters as
there are true ones (`true_cuts.cut_into_as_many`), or into ``k``, or the next larger number if the
tree is not binary (`Tree.cut_nodes`). ``cut="best"``: the cut that differs from the reference on
the fewest pairs, the coarsest of several (`hcbench.model.best_cut`), in O(n log n). It is the best
cut by `clustering_error` only; another may be better by another measure. ``cut="auto"``: K, unless
the true tree's own cut into as many clusters is not the true clusters, as its heights separate them
in another order; then best, for all results, so that the true tree has the best value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from hcbench import NotApplicableError, ParameterError, Partition, finest_partition
from hcbench.model import AnswerMatrix, heaviest_cut
from hcbench_metrics import _partition_kernels as kernels
from hcbench_metrics.agreement import adjusted_rand_index
from hcbench_metrics.node_sums import pairs_within
from hcbench_metrics.true_cuts import Kind, choose_cut, cut_into_as_many

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcbench import Scored

    Average = Literal["arithmetic", "geometric", "min", "max"]

_ROUNDING = 1e-9  # of expected information, in nats
_NO_INFORMATION = 1e-12  # in nats: less is the rounding error of a difference of equal entropies


def clustering_error(
    scored: Scored,
    against: Literal["truth", "answers"] = "truth",
    cut: Kind = "auto",
    k: int | None = None,
    level: int | None = None,
) -> float:
    """Proportion of all n^2 ordered pairs of items on which two clusterings differ.

    ``d_H(Sigma, C) / n^2``, section 2 of Gentile et al. 2019; lower is better.

    Parameters
    ----------
    scored : Scored
    against : {"truth", "answers"}
        Sigma is that of the true clusters (Sigma*), or the answers of the oracle, including
        persistent noise; for noise that is drawn anew for each query, the expectation.
    cut : {"auto", "K", "best"}
        Cut of a result that is a tree: into ``k`` clusters, or the one with the smallest error;
        see above.
    k : int, optional
        Clusters of cut K; by default the number of true ones.
    level : int, optional
        Level of the true labels, 1 being the coarsest; the finest by default.

    Returns
    -------
    float
        In [0, 1 - 1/n]. O(n log n); against answers, O(1) more for each pair whose answer differs
        from the clusters because of noise, or for every pair of a matrix.

    Raises
    ------
    NotApplicableError
        If there is no truth, or no oracle whose answers about all pairs can be read.
    """
    if against == "truth":
        sigma = AnswerMatrix(finest_partition(scored.problem, level))
    else:
        sigma = scored.answer_matrix
    evaluated = _evaluated(scored, cut, k, level, sigma)
    return 2.0 * sigma.disagreements(evaluated) / scored.problem.n**2


def ari(
    scored: Scored, cut: Kind = "auto", k: int | None = None, level: int | None = None
) -> float:
    """Adjusted Rand index (Hubert & Arabie 1985); higher is better.

    ``(both - e) / (m - e)``, with ``both`` the number of pairs that both partitions put together, e
    its expectation for random partitions with clusters of these sizes, and m the mean number in the
    two; 1 if m = e, where the partitions are equal. O(n log n).

    Parameters
    ----------
    scored, cut, k, level
        As in `clustering_error`.
    """
    true, evaluated = _true_and_evaluated(scored, cut, k, level)
    return adjusted_rand_index(true, evaluated)


def ami(
    scored: Scored,
    average: Average = "arithmetic",
    cut: Kind = "auto",
    k: int | None = None,
    level: int | None = None,
) -> float:
    """Adjusted mutual information (Vinh, Epps & Bailey 2010); higher is better.

    ``(I - E) / (H - E)``: mutual information I, its expectation E for random partitions with
    clusters of these sizes, and the average H of the two entropies; 1 if the partitions are equal,
    else 0 if H = E. If one of them is a single cluster or all singletons, I = E and the value is 0,
    for which scikit-learn returns a rounding error. O(n log n), and at most O(n sqrt n) if there
    are many sizes.

    Parameters
    ----------
    average : {"arithmetic", "geometric", "min", "max"}
        Average of the two entropies.
    scored, cut, k, level
        As in `clustering_error`.
    """
    true, evaluated = _true_and_evaluated(scored, cut, k, level)
    if true == evaluated:
        return 1.0
    # One cluster or single items: the information is what is expected, and both are rounded.
    if {true.n_clusters, evaluated.n_clusters} & {1, true.n}:
        return 0.0
    mutual = _mutual_information(true, evaluated)
    expected = _expected_information(true, evaluated)
    # What the information would be at most: an average of the entropies.
    averages = {
        "arithmetic": (mutual.of_truth + mutual.of_result) / 2,
        "geometric": float(np.sqrt(mutual.of_truth * mutual.of_result)),
        "min": min(mutual.of_truth, mutual.of_result),
        "max": max(mutual.of_truth, mutual.of_result),
    }
    largest_excess = averages[average] - expected
    if largest_excess <= _ROUNDING:
        return 0.0
    return (mutual.information - expected) / largest_excess


def homogeneity(
    scored: Scored, cut: Kind = "auto", k: int | None = None, level: int | None = None
) -> float:
    """Whether each cluster is of a single class: ``I(C, K) / H(C)``; higher is better.

    Rosenberg & Hirschberg 2007, with 1 if there is one class. O(n log n).

    Parameters
    ----------
    scored, cut, k, level
        As in `clustering_error`.
    """
    true, evaluated = _true_and_evaluated(scored, cut, k, level)
    return _mutual_information(true, evaluated).homogeneity


def completeness(
    scored: Scored, cut: Kind = "auto", k: int | None = None, level: int | None = None
) -> float:
    """Whether each class is in a single cluster: ``I(C, K) / H(K)``; higher is better.

    Rosenberg & Hirschberg 2007, with 1 if there is one cluster. O(n log n).

    Parameters
    ----------
    scored, cut, k, level
        As in `clustering_error`.
    """
    true, evaluated = _true_and_evaluated(scored, cut, k, level)
    return _mutual_information(true, evaluated).completeness


def v_measure(
    scored: Scored,
    beta: float = 1.0,
    cut: Kind = "auto",
    k: int | None = None,
    level: int | None = None,
) -> float:
    """``(1 + beta) h c / (beta h + c)`` of homogeneity h and completeness c; higher is better.

    Rosenberg & Hirschberg 2007; 0 if h = c = 0. O(n log n).

    Parameters
    ----------
    beta : float
        Above 1 completeness weighs more.
    scored, cut, k, level
        As in `clustering_error`.
    """
    true, evaluated = _true_and_evaluated(scored, cut, k, level)
    mutual = _mutual_information(true, evaluated)
    h = mutual.homogeneity
    c = mutual.completeness
    if h == 0 or c == 0:
        return 0.0
    return (1 + beta) * h * c / (beta * h + c)


def pairs(
    scored: Scored, cut: Kind = "auto", k: int | None = None, level: int | None = None
) -> dict[str, float]:
    """Precision, recall and F1 of the pairs of items that are put together.

    A pair is right if its items are in one true cluster. ``precision = both / found``, the
    proportion of right pairs among those of the result; ``recall = both / true``; and their
    harmonic mean ``F1 = 2 both / (found + true)``. Where there is no pair to be wrong, 1.
    O(n log n).

    Parameters
    ----------
    scored, cut, k, level
        As in `clustering_error`.

    Returns
    -------
    dict
        ``precision``, ``recall`` and ``F1``.
    """
    true, evaluated = _true_and_evaluated(scored, cut, k, level)
    both = pairs_within(true.overlaps(evaluated))
    in_evaluated = pairs_within(evaluated.sizes)
    in_true = pairs_within(true.sizes)
    return {
        "precision": _proportion(both, in_evaluated),
        "recall": _proportion(both, in_true),
        "F1": _proportion(2 * both, in_evaluated + in_true),
    }


def _proportion(right: int, pairs: int) -> float:
    """The proportion of right pairs; 1 if there is no pair to be wrong."""
    if pairs == 0:
        return 1.0
    return right / pairs


def n_clusters(scored: Scored) -> float:
    """Number of clusters of a partition. O(1)."""
    return float(_partition(scored).n_clusters)


def cluster_size(
    scored: Scored, statistic: Literal["largest", "smallest", "median"] = "largest"
) -> float:
    """Size of the largest, smallest or median cluster of a partition. O(n)."""
    quantiles = {"smallest": 0.0, "median": 0.5, "largest": 1.0}
    return float(np.quantile(_partition(scored).sizes, quantiles[statistic]))


def _partition(scored: Scored) -> Partition:
    if isinstance(scored.result, Partition):
        return scored.result
    raise NotApplicableError("the result is a hierarchy, not a partition")


def _true_and_evaluated(
    scored: Scored, cut: Kind, k: int | None, level: int | None
) -> tuple[Partition, Partition]:
    """The true clusters, and the result or the cut of it that is evaluated."""
    true = finest_partition(scored.problem, level)
    return true, _evaluated(scored, cut, k, level, AnswerMatrix(true))


def _evaluated(
    scored: Scored, cut: Kind, k: int | None, level: int | None, sigma: AnswerMatrix
) -> Partition:
    """The result, or its cut: the best one for sigma, or one into k clusters."""
    if isinstance(scored.result, Partition):
        return scored.result
    tree = scored.result
    # A number of clusters implies cut K.
    if k is not None:
        if cut == "best":
            raise ParameterError(
                f"k={k} and cut=best: the best cut may have any number of clusters; omit one"
            )
        if k > tree.n:
            raise ParameterError(f"k={k} is more than the {tree.n} items of the result")
        return tree.cut(k)
    if cut != "best":
        true = finest_partition(scored.problem, level)
        if choose_cut(cut, scored.problem.truths.values(), [true]) == "K":
            return cut_into_as_many(tree, true)
    return heaviest_cut(tree, sigma.pair_weights(tree)).partition


@dataclass(frozen=True, slots=True)
class _MutualInformation:
    """Mutual information, and the two entropies, in nats."""

    information: float
    of_truth: float
    of_result: float

    @property
    def homogeneity(self) -> float:
        if self.of_truth == 0:
            return 1.0
        return self.information / self.of_truth

    @property
    def completeness(self) -> float:
        if self.of_result == 0:
            return 1.0
        return self.information / self.of_result


def _mutual_information(true: Partition, evaluated: Partition) -> _MutualInformation:
    of_truth = _entropy(true.sizes)
    of_result = _entropy(evaluated.sizes)
    # I(C, K) = H(C) + H(K) - H(C, K); the joint entropy is that of the overlaps.
    information = of_truth + of_result - _entropy(true.overlaps(evaluated))
    if information <= _NO_INFORMATION:
        information = 0.0
    # Rounding must not give more than either entropy.
    information = min(information, of_truth, of_result)
    return _MutualInformation(information, of_truth, of_result)


def _entropy(sizes: NDArray[np.int64]) -> float:
    share = sizes / sizes.sum()
    return max(float(-(share * np.log(share)).sum()), 0.0)


def _expected_information(true: Partition, evaluated: Partition) -> float:
    from scipy.special import gammaln

    # Clusters of equal sizes contribute the same.
    true_sizes, true_numbers = np.unique(true.sizes, return_counts=True)
    sizes, numbers = np.unique(evaluated.sizes, return_counts=True)
    # ln 0! to ln n!: the gamma function of k + 1 is k!.
    log_factorial = np.asarray(gammaln(np.arange(1.0, true.n + 2)))
    return kernels.expected_information(true_sizes, true_numbers, sizes, numbers, log_factorial)
