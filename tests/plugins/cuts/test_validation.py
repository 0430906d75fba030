"""Validation sets: their pairs, and errors on them and on the other pairs, by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from hcbench import NotApplicableError, Oracle, OracleRequest, Partition, Problem, Scored
from hcbench.model import Cost
from hcbench_cuts.validation import error_on_the_rest, validation_error, validation_pairs
from hcbench_oracles.pairs import pair_queries
from tests.plugins.tree_cuts import hamming, sigma


def scored(labels, found, seed=1, **oracle):
    problem = Problem(n=len(labels), levels=np.array(labels)[:, None])
    return Scored(
        problem=problem,
        result=Partition(np.array(found)),
        cost=Cost(),
        make_answers=lambda: pair_queries(OracleRequest(problem=problem, seed=seed), **oracle),
    )


clusterings = st.lists(st.integers(0, 3), min_size=5, max_size=30)


@given(clusterings, st.data())
def test_both_errors_are_those_of_the_pairs_one_by_one(labels, data):
    """All n^2 entries of Sigma but two for each pair of the set; the diagonal never errs."""
    found = data.draw(st.lists(st.integers(0, 3), min_size=len(labels), max_size=len(labels)))
    pairs = data.draw(st.integers(1, 5))
    judged = scored(labels, found)
    apart = {frozenset(pair) for pair in validation_pairs(judged, pairs).tolist()}
    assert len(apart) == pairs
    assert all(len(pair) == 2 for pair in apart)
    differ = {
        frozenset((i, j))
        for i, j in combinations(range(len(labels)), 2)
        if (labels[i] == labels[j]) != (found[i] == found[j])
    }
    assert validation_error(judged, pairs=pairs) == pytest.approx(len(differ & apart) / pairs)
    rest = len(labels) ** 2 - 2 * pairs
    assert error_on_the_rest(judged, pairs=pairs) == pytest.approx(2 * len(differ - apart) / rest)
    assert 2 * len(differ) == hamming(sigma(labels), sigma(found))


def test_the_set_is_of_the_oracle_and_its_seed_not_of_the_result():
    labels = np.arange(100) % 7
    one, other = scored(labels, labels), scored(labels, np.zeros(100, int))
    np.testing.assert_array_equal(validation_pairs(one, 50), validation_pairs(other, 50))
    other_seed = validation_pairs(scored(labels, labels, seed=2), 50)
    assert not np.array_equal(validation_pairs(one, 50), other_seed)
    np.testing.assert_array_equal(validation_pairs(one, 50)[:20], validation_pairs(one, 20))


@pytest.mark.slow
def test_all_pairs_are_equally_likely():
    """4 of the 10 pairs of 5 items, in 2000 sets: each 800 times, standard deviation 22."""
    count = np.zeros((5, 5), int)
    for seed in range(2000):
        for i, j in validation_pairs(scored(range(5), range(5), seed), 4):
            count[i, j] += 1
    assert np.abs(count[np.triu_indices(5, 1)] - 800).max() < 120


def test_the_set_is_independent_of_the_pairs_drawn_by_the_algorithm():
    judged = scored(np.arange(1000), np.arange(1000))
    drawn = np.sort(Oracle(judged.answers).draw(500), axis=1).tolist()
    shared = sum(pair in drawn for pair in validation_pairs(judged, 500).tolist())
    assert shared < 10


def test_labels_of_the_set_are_the_answers_with_their_noise():
    labels = np.zeros(200, int)
    judged = scored(labels, labels, noise=0.3)
    assert validation_error(judged, pairs=2000) == pytest.approx(0.3, abs=0.05)
    assert error_on_the_rest(judged, pairs=2000) == 0


def test_too_many_pairs_and_oracles_without_draws_are_reported():
    with pytest.raises(NotApplicableError, match=r"brought 3 of the 3 pairs; use fewer"):
        validation_error(scored([0, 1, 1], [0, 0, 1]), pairs=4)
    judged = scored([0, 1], [0, 1])
    silent = Scored(problem=judged.problem, result=judged.result, cost=Cost())
    for error in (validation_error, error_on_the_rest):
        with pytest.raises(NotApplicableError, match="oracle that draws pairs"):
            error(silent)
