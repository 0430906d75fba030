"""Replication of clusters in halves, by hand and against scikit-learn."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import cdist
from sklearn.metrics import adjusted_rand_score, mutual_info_score, normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix, expected_mutual_information
from sklearn.neighbors import KNeighborsClassifier

from hcbench import Partition, Tree
from hcbench.analysis import (
    Agreement,
    compare_halves,
    measure_replication,
    normal_reference,
    numbers_of_clusters,
)
from hcbench.analysis.cluster_numbers import (
    adjusted_rand_of_counts,
    count_overlaps,
    strength_of_counts,
)
from hcbench.analysis.replication import information_of_counts, nearest_items, predict


def random_labels(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    first = rng.integers(5, size=60)
    second = np.where(rng.random(60) < 0.6, first, rng.integers(4, size=60))
    return first, second


@pytest.mark.parametrize("seed", range(5))
def test_rand_and_information_are_those_of_scikit_learn(seed: int):
    first, second = random_labels(seed)
    counts = count_overlaps(first, second)
    np.testing.assert_array_equal(counts, contingency_matrix(first, second))
    assert adjusted_rand_of_counts(counts) == pytest.approx(adjusted_rand_score(first, second))
    expected = mutual_info_score(first, second)
    expected -= expected_mutual_information(contingency_matrix(first, second), 60)
    assert information_of_counts(counts) == pytest.approx(expected)


def test_information_grows_with_the_clusters_that_are_found_again():
    labels = np.arange(1000) % 10
    assert normalized_mutual_info_score(labels, labels) == 1.0
    # The entropy of 10 equal clusters is ln 10 = 2.303, of 2 it is ln 2; chance takes about
    # (10 - 1)**2 / 2000 = 0.04 nats.
    ten = information_of_counts(count_overlaps(labels, labels))
    two = information_of_counts(count_overlaps(labels % 2, labels % 2))
    assert ten == pytest.approx(math.log(10) - 81 / 2000, abs=0.002)
    assert two == pytest.approx(math.log(2) - 1 / 2000, abs=0.002)


def test_prediction_strength_by_hand():
    # Four items of the first cluster are predicted in groups of 3 and 1: 3 of 6 pairs are together.
    # The second has both of its items together, and the third is a single item.
    predicted = np.array([0, 0, 0, 1, 2, 2, 1])
    labels = np.array([0, 0, 0, 0, 1, 1, 2])
    assert strength_of_counts(count_overlaps(predicted, labels)) == 0.5
    assert strength_of_counts(np.eye(3, dtype=int)) == 0.0


def test_predictions_are_those_of_the_nearest_neighbours():
    rng = np.random.default_rng(0)
    known, new = rng.normal(size=(40, 3)), rng.normal(size=(30, 3))
    labels = rng.integers(2, size=40)
    nearest = nearest_items(cdist(new, known))
    expected = KNeighborsClassifier(3).fit(known, labels).predict(new)
    np.testing.assert_array_equal(predict(nearest, labels), expected)
    # Three different labels: that of the nearest item.
    assert predict(np.array([[2, 0, 1]]), np.array([0, 1, 2])).tolist() == [2]


def test_planted_clusters_are_found_again_and_noise_is_not():
    rng = np.random.default_rng(1)
    centres = np.repeat(np.eye(4) * 20, 20, axis=0)
    agreements = {}
    for name, table in {
        "clusters": centres + rng.normal(size=(80, 4)),
        "noise": rng.normal(size=(80, 4)),
    }.items():
        order = rng.permutation(80)
        halves = [table[order[:40]], table[order[40:]]]
        trees = [Tree.from_linkage(linkage(half, "average")) for half in halves]
        agreements[name] = compare_halves(*trees, cdist(*halves), (2, 4))
    found = agreements["clusters"]
    assert found.rand[1] == found.strength[1] == 1.0
    assert agreements["noise"].rand[1] < 0.5
    # A partition has one cut.
    labels = Partition(np.arange(40) % 2)
    same = compare_halves(labels, labels, np.eye(40) * -1.0, (2, 4))
    assert same.rand.tolist() == pytest.approx([same.rand[0]] * 2)


def agreement(*rand: float) -> Agreement:
    values = np.array(rand)
    return Agreement(values, values + 1, values / 2)


def test_replication_by_hand():
    # r0 = (.5, .5, .2): (.75 - .5) / .5 = .5 and (.65 - .5) / .5 = .3; .4 twice; and
    # (.36 - .2) / .8 = .2 twice. The means are .4, .4 and .2; the finest of the best is the second.
    measured = measure_replication(
        (2, 3, 4),
        [agreement(0.75, 0.7, 0.36), agreement(0.65, 0.7, 0.36)],
        [agreement(0.4, 0.5, 0.2), agreement(0.6, 0.5, 0.2)],
    )
    assert measured.replication.tolist() == pytest.approx([0.5, 0.3])
    assert (measured.k, measured.reference) == (3, 0.5)
    assert measured.rand == pytest.approx(0.7)
    assert measured.strength == pytest.approx(0.35)
    assert measured.information.tolist() == pytest.approx([1.81 / 3 + 1, 1.71 / 3 + 1])


def test_a_reference_that_is_below_chance_or_perfect_is_no_division_by_zero():
    measured = measure_replication((2,), [agreement(0.5)], [agreement(-0.1)])
    assert measured.replication.tolist() == pytest.approx([0.5])
    perfect = measure_replication((2,), [agreement(1.0)], [agreement(1.0)])
    assert np.isfinite(perfect.replication).all()


def test_the_reference_has_the_means_and_the_covariance_of_the_data():
    rng = np.random.default_rng(2)
    table = rng.normal(size=(50, 3)) @ rng.normal(size=(3, 3)) + [1.0, 2.0, 3.0]
    table[:25] += 10
    drawn = np.concatenate([normal_reference(table, rng) for _ in range(400)])
    np.testing.assert_allclose(drawn.mean(axis=0), table.mean(axis=0), atol=0.3)
    np.testing.assert_allclose(np.cov(drawn.T), np.cov(table.T), rtol=0.1, atol=1.0)


def test_small_halves_are_cut_into_few_clusters():
    assert numbers_of_clusters(20) == (2, 3, 4)
    assert numbers_of_clusters(8) == (2,)
    assert numbers_of_clusters(1000)[-1] == 40
