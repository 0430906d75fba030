"""Criteria of numbers of clusters, against scikit-learn and values by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist, squareform
from sklearn.metrics import adjusted_rand_score, silhouette_score

from hcbench import Tree
from hcbench.analysis.branch_support import Replicate
from hcbench.analysis.cluster_numbers import (
    Number,
    adjusted_rand,
    best_numbers,
    cut_stability,
    describe_best,
    gap_statistic,
    log_dispersion,
    mean_silhouette,
    prediction_strength,
    uniform_reference,
    weakest_cluster,
)

RNG = np.random.default_rng(0)
X = np.vstack([RNG.normal(size=(10, 2)) + 9 * c for c in range(3)])
D = squareform(pdist(X))
TREE = Tree.from_linkage(linkage(X, "average"))


@pytest.mark.parametrize("k", [2, 3, 7])
def test_silhouettes_and_rand_indices_are_those_of_scikit_learn(k):
    labels = TREE.cut(k).labels
    assert mean_silhouette(D, labels) == pytest.approx(silhouette_score(X, labels))
    other = RNG.integers(k, size=30)
    assert adjusted_rand(labels, other) == pytest.approx(adjusted_rand_score(labels, other))


def test_trivial_partitions_agree():
    one = np.zeros(5, dtype=np.int64)
    assert adjusted_rand(one, one) == adjusted_rand_score(one, one) == 1


def test_the_dispersion_by_hand():
    # Pairs at distance 2 in one cluster of two, and one single item: half of (2/2 + 2/2).
    D = np.array([[0.0, 2, 5], [2, 0, 5], [5, 5, 0]])
    assert log_dispersion(D, np.array([0, 0, 1])) == pytest.approx(np.log(1.0))


def test_the_gap_is_that_of_its_formula():
    gap, error = gap_statistic(np.array([1.0, 0.5]), np.array([[1.5, 1.0], [2.5, 2.0]]))
    assert gap.tolist() == [1.0, 1.0]
    assert error == pytest.approx(0.5 * np.sqrt(1.5))


def test_reference_data_have_the_extent_of_the_principal_components():
    line = np.outer(np.arange(20.0), [1, 1])
    reference = uniform_reference(line, np.random.default_rng(1))
    assert np.allclose(reference[:, 0], reference[:, 1])
    assert reference.min() >= -1e-9
    assert reference.max() <= 19 + 1e-9


def subsamples(n=20):
    drawn = []
    for seed in range(n):
        items = np.random.default_rng(seed).choice(30, 24, replace=False)
        drawn.append(Replicate(Tree.from_linkage(linkage(X[items], "average")), items))
    return drawn


def test_planted_clusters_are_stable_and_predicted_and_others_are_not():
    replicates = subsamples()
    assert cut_stability(TREE, replicates, 3) == (1.0, 0.0)
    assert weakest_cluster(TREE, replicates, 3) == 1.0
    weak = weakest_cluster(TREE, replicates, 6)
    assert weak is not None
    assert weak < 0.9
    halves = [np.arange(0, 30, 2), np.arange(1, 30, 2)]
    trees = [Replicate(Tree.from_linkage(linkage(X[h], "average")), h) for h in halves]
    assert prediction_strength(D, trees[0], trees[1], 3) == 1.0
    assert prediction_strength(D, trees[0], trees[1], 6) < 0.8


def test_what_the_criteria_say():
    numbers = [
        Number(k=1, smallest=9, gap=0.0, gap_error=0.1),
        Number(k=2, smallest=4, weakest=0.9, strength=0.9, silhouette=0.5, gap=0.5, gap_error=0.1),
        Number(k=3, smallest=1, weakest=0.9, strength=0.9, silhouette=0.4, gap=0.4, gap_error=0.1),
    ]
    # One item is found again however arbitrary it is, so that k=3 does not count.
    assert best_numbers(numbers) == {"silhouette": 2, "gap": 2, "strength": 2, "weakest": 2}
    assert "2 by the gap statistic" in describe_best(numbers, best_numbers(numbers))[0]


def test_it_is_said_that_nothing_is_stable():
    numbers = [Number(k=2, smallest=4, weakest=0.4, strength=0.5, silhouette=0.5)]
    sentences = describe_best(numbers, best_numbers(numbers))
    assert "No cut into two or more clusters is stable" in sentences[1]
