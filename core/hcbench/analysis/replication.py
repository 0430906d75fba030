"""How far the clusters of one half of the items are found again in the other half.

The items are divided at random, and the same method makes a tree of each half. A cut of one half
predicts clusters of the other: an item belongs to the cluster of most of its nearest neighbours
there (Lange et al. [1]_). The predicted clusters are compared with the cut of the other half into
as many clusters:

- by the adjusted Rand index, as in the replication analysis of Breckenridge [2]_;
- by their mutual information in nats, less what is expected by chance (Vinh et al. [3]_). It grows
  with the number of clusters that are found again: 2 equal ones are 0.69 nats, and 10 are 2.3;
- by the prediction strength of Tibshirani and Walther [4]_.

Data without clusters are divided in much the same way, too, if they are long and narrow or have few
dimensions. So the Rand index is compared with that in reference data without clusters, as in Clest
(Dudoit and Fridlyand [5]_): *replication* is ``(r - r0) / (1 - r0)``, 1 if both halves have the
same clusters, and 0 if they agree no more than in the reference, which has the means and the
covariance of the data and is normal, as the one cluster of Liu et al. [6]_.

References
----------
.. [1] T. Lange, V. Roth, M. Braun, J. Buhmann, "Stability-based validation of clustering
   solutions", Neural Computation 16 (2004).
.. [2] J. Breckenridge, "Replicating cluster analysis: method, consistency, and validity",
   Multivariate Behavioral Research 24 (1989).
.. [3] N. Vinh, J. Epps, J. Bailey, "Information theoretic measures for clusterings comparison",
   Journal of Machine Learning Research 11 (2010).
.. [4] R. Tibshirani, G. Walther, "Cluster validation by prediction strength", Journal of
   Computational and Graphical Statistics 14 (2005).
.. [5] S. Dudoit, J. Fridlyand, "A prediction-based resampling method for estimating the number of
   clusters in a dataset", Genome Biology 3 (2002).
.. [6] Y. Liu, D. Hayes, A. Nobel, J. Marron, "Statistical significance of clustering for
   high-dimension, low-sample size data", Journal of the American Statistical Association 103
   (2008).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hcbench.analysis.cluster_numbers import (
    adjusted_rand_of_counts,
    count_overlaps,
    strength_of_counts,
)
from hcbench.model.trees import Partition, Tree

#: Numbers of clusters that are tried, as far as the halves have items for them.
NUMBERS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 30, 40)
#: So many numbers of clusters are tried also where clusters would have few items.
_FEW_CLUSTERS = 12
#: The mean size of the smallest clusters, for few and for many clusters.
_LEAST_SIZE = 5
_LEAST_SIZE_OF_MANY = 25
#: A replication that is lower by less is nearly the best.
NEARLY = 0.05
#: The neighbours that vote on the cluster of an item.
NEIGHBOURS = 3


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """How far two halves agree, for each number of clusters (K,); the mean of both directions.

    Attributes
    ----------
    rand : float array
        The adjusted Rand index of predicted and actual clusters.
    information : float array
        Their mutual information in nats, less what is expected by chance.
    strength : float array
        The prediction strength.

    Examples
    --------
    >>> tree = hcbench.Tree.from_newick("((a,b),(c,d));")
    >>> distances = np.array([[0, 1, 9, 9], [1, 0, 9, 9], [9, 9, 0, 1], [9, 9, 1, 0]], dtype=float)
    >>> agreement = hcbench.analysis.compare_halves(tree, tree, distances, numbers=(2,))
    >>> agreement.rand.tolist(), agreement.strength.tolist()
    ([1.0], [1.0])
    """

    rand: NDArray[np.float64]
    information: NDArray[np.float64]
    strength: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Replication:
    """What several divisions show of one method.

    Attributes
    ----------
    replication : (divisions,) float array
        ``(r - r0) / (1 - r0)`` of the cuts whose mean is the largest.
    k : int
        The largest number of clusters whose mean replication is less than `NEARLY` below that.
    information : (divisions,) float array
        The mean over all numbers of clusters, in nats.
    strength : float
        The mean prediction strength of the cuts into k clusters.
    rand : float
        The mean adjusted Rand index of the cuts into k clusters.
    reference : float
        That in data without clusters, r0; 0 without such data.

    Examples
    --------
    >>> agreement = hcbench.analysis.Agreement(
    ...     rand=np.array([0.9, 0.5]),
    ...     information=np.array([0.6, 0.3]),
    ...     strength=np.array([0.8, 0.4]),
    ... )
    >>> replication = hcbench.analysis.measure_replication((2, 3), [agreement])
    >>> replication.k, replication.replication.tolist(), replication.strength
    (2, [0.9], 0.8)
    """

    replication: NDArray[np.float64]
    information: NDArray[np.float64]
    k: int
    strength: float
    rand: float
    reference: float


def numbers_of_clusters(size: int) -> tuple[int, ...]:
    """The numbers of clusters that are tried in a half of so many items.

    Examples
    --------
    >>> numbers_of_clusters(20)
    (2, 3, 4)
    >>> numbers_of_clusters(50)
    (2, 3, 4, 5, 6, 8, 10)
    """
    numbers = []
    for k in NUMBERS:
        least_size = _LEAST_SIZE if k <= _FEW_CLUSTERS else _LEAST_SIZE_OF_MANY
        if k == NUMBERS[0] or k * least_size <= size:
            numbers.append(k)
    return tuple(numbers)


def compare_halves(
    first: Tree | Partition,
    second: Tree | Partition,
    distances: NDArray[np.floating],
    numbers: Sequence[int],
) -> Agreement:
    """Predict the clusters of each half from the other one.

    Parameters
    ----------
    first, second : Tree or Partition
        The results of the halves, with n1 and n2 items. A partition has one cut.
    distances : (n1, n2) float
        Between the items of the first and those of the second half.
    numbers : sequence of int
        Numbers of clusters.

    Examples
    --------
    Items at 0, 1, 9 and 10, of which the trees find the same two clusters:

    >>> tree = hcbench.Tree.from_linkage([[0, 1, 1, 2], [2, 3, 1, 2], [4, 5, 10, 4]])
    >>> items = np.array([0.0, 1.0, 9.0, 10.0])
    >>> distances = np.abs(items[:, None] - items)
    >>> compare_halves(tree, tree, distances, numbers=(2,)).rand.tolist()
    [1.0]
    """
    nearest_of_second = nearest_items(distances.T)
    nearest_of_first = nearest_items(distances)
    values = np.empty((3, len(numbers)))
    for position, k in enumerate(numbers):
        labels_of_first = _cut(first, k)
        labels_of_second = _cut(second, k)
        forwards = _agree(predict(nearest_of_second, labels_of_first), labels_of_second)
        backwards = _agree(predict(nearest_of_first, labels_of_second), labels_of_first)
        values[:, position] = (np.array(forwards) + np.array(backwards)) / 2
    return Agreement(*values)


def _cut(result: Tree | Partition, k: int) -> NDArray[np.int64]:
    """The labels of the cut into k clusters, or into as many as there are items."""
    if isinstance(result, Partition):
        return result.labels
    return result.cut(min(k, result.n)).labels


def _agree(predicted: NDArray[np.int64], labels: NDArray[np.int64]) -> tuple[float, float, float]:
    """The three measures of agreement of predicted and actual clusters."""
    counts = count_overlaps(predicted, labels)
    return (
        adjusted_rand_of_counts(counts),
        information_of_counts(counts),
        strength_of_counts(counts),
    )


def nearest_items(distances: NDArray[np.floating]) -> NDArray[np.int64]:
    """The nearest items of another half, the nearest first, (n, at most `NEIGHBOURS`).

    Parameters
    ----------
    distances : (n, m) float
        To the items of the other half.
    """
    count = min(NEIGHBOURS, distances.shape[1])
    nearest = np.argpartition(distances, count - 1, axis=1)[:, :count]
    of_nearest = np.take_along_axis(distances, nearest, axis=1)
    order = np.argsort(of_nearest, axis=1, kind="stable")
    ordered: NDArray[np.int64] = np.take_along_axis(nearest, order, axis=1)
    return ordered


def predict(nearest: NDArray[np.int64], labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """The label of most of the nearest items; of a tie, that of the nearest one.

    Parameters
    ----------
    nearest : (n, c) int
        As `nearest_items` returns it.
    labels : (m,) int
        Of the other half.
    """
    votes = np.zeros((len(nearest), int(labels.max()) + 1))
    rows = np.arange(len(nearest))
    for column in range(nearest.shape[1]):
        votes[rows, labels[nearest[:, column]]] += 1
    votes[rows, labels[nearest[:, 0]]] += 0.5
    predicted: NDArray[np.int64] = votes.argmax(axis=1)
    return predicted


def information_of_counts(counts: NDArray[np.int64]) -> float:
    """The mutual information of two labellings in nats, less what is expected by chance.

    Parameters
    ----------
    counts : (k, l) int
        The numbers of items with label i of the first and label j of the second.
    """
    n = int(counts.sum())
    joint = counts / n
    independent = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    is_there = counts > 0
    information = (joint[is_there] * np.log(joint[is_there] / independent[is_there])).sum()
    by_chance = _expected_information(counts.sum(axis=1), counts.sum(axis=0))
    return float(information - by_chance)


def _expected_information(
    sizes_of_one: NDArray[np.int64], sizes_of_two: NDArray[np.int64]
) -> float:
    """The mean mutual information, in nats, of random labellings with these sizes.

    The overlap m of clusters of a and b of n items is hypergeometric; each m from 1 on adds
    ``P(m) m / n ln(n m / (a b))`` (Vinh et al. 2010, equation 24a).
    """
    from scipy.special import gammaln

    n = int(sizes_of_one.sum())
    rows, columns = np.meshgrid(sizes_of_one[sizes_of_one > 0], sizes_of_two[sizes_of_two > 0])
    a = rows.ravel()
    b = columns.ravel()
    least = np.maximum(a + b - n, 1)
    lengths = np.minimum(a, b) - least + 1
    # All possible overlaps of all pairs of clusters, one pair after the other.
    pair = np.repeat(np.arange(a.size), lengths)
    first_of_pair = np.cumsum(lengths) - lengths
    overlap = least[pair] + np.arange(pair.size) - first_of_pair[pair]
    a = a[pair]
    b = b[pair]
    log_factorial = gammaln(np.arange(n + 1) + 1.0)
    log_probability = (
        log_factorial[a]
        + log_factorial[b]
        + log_factorial[n - a]
        + log_factorial[n - b]
        - log_factorial[n]
        - log_factorial[overlap]
        - log_factorial[a - overlap]
        - log_factorial[b - overlap]
        - log_factorial[n - a - b + overlap]
    )
    terms = np.exp(log_probability) * overlap / n * np.log(n * overlap / (a * b))
    return float(terms.sum())


def normal_reference(
    vectors: NDArray[np.floating], rng: np.random.Generator
) -> NDArray[np.float64]:
    """Data of one cluster: normal, with the means and the covariance of the vectors.

    O(n² p) time, and no p x p matrix: rows are normal combinations of the centred rows.

    Examples
    --------
    >>> vectors = np.array([[1.0, 3.0], [1.0, 5.0], [1.0, 7.0]])
    >>> reference = normal_reference(vectors, np.random.default_rng(0))
    >>> reference.shape
    (3, 2)

    A constant variable stays so:

    >>> reference[:, 0].tolist()
    [1.0, 1.0, 1.0]
    """
    n = len(vectors)
    centre = vectors.mean(axis=0)
    centred = np.asarray(vectors - centre, dtype=np.float64)
    weights = rng.normal(size=(n, n)) / np.sqrt(max(n - 1, 1))
    reference: NDArray[np.float64] = weights @ centred + centre
    return reference


def measure_replication(
    numbers: Sequence[int],
    agreements: Sequence[Agreement],
    reference: Sequence[Agreement] = (),
) -> Replication:
    """What several divisions of the items show of one method.

    Parameters
    ----------
    numbers : sequence of int
        Numbers of clusters.
    agreements : sequence of Agreement
        One for each division.
    reference : sequence of Agreement
        Of the same method on data without clusters.

    Examples
    --------
    >>> from hcbench.analysis import Agreement
    >>> found = Agreement(np.array([0.75]), information=np.array([0.5]), strength=np.array([0.7]))
    >>> chance = Agreement(np.array([0.5]), information=np.array([0.2]), strength=np.array([0.4]))
    >>> measured = measure_replication((2,), [found, found], [chance])
    >>> measured.replication.tolist(), measured.reference
    ([0.5, 0.5], 0.5)
    """
    # A row for each division, a column for each number of clusters.
    rand = np.array([agreement.rand for agreement in agreements])
    information = np.array([agreement.information for agreement in agreements])
    strength = np.array([agreement.strength for agreement in agreements])
    base = np.zeros(len(numbers))
    if reference:
        base = np.mean([agreement.rand for agreement in reference], axis=0)
    # Below 0 is chance; at 1 the reference leaves nothing to be found.
    base = np.clip(base, 0.0, 1.0 - 1e-9)
    replication = (rand - base) / (1 - base)
    means = replication.mean(axis=0)
    best = int(means.argmax())
    finest = int(np.flatnonzero(means > means[best] - NEARLY)[-1])
    return Replication(
        replication=replication[:, best],
        information=information.mean(axis=1),
        k=numbers[finest],
        strength=float(strength[:, finest].mean()),
        rand=float(rand[:, finest].mean()),
        reference=float(base[finest]),
    )
