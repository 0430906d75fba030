"""The adversary who knows the weights of an insertion."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from hcbench import (
    AnswerRequest,
    DataRequest,
    NotApplicableError,
    Oracle,
    OracleRequest,
    Problem,
    Tree,
)
from hcbench_ordinal.adversary import Adversary, ordinal_adversary
from hcbench_ordinal.shapes import random_tree
from tests.plugins.ordinal.noisy_answers import Cluster, clusters, fit, odd_one

#: ((0, 1), (2, (3, 4)))
TREE = Tree([5, 5, 7, 6, 6, 8, 7, 8, -1])


def test_without_noise_the_answers_are_those_of_the_tree():
    problem = random_tree(DataRequest(seed=3), n=20)
    tree = fit(Oracle(ordinal_adversary(OracleRequest(problem=problem, seed=0))), 0.9)
    assert tree.isomorphic(problem.truth)


def test_a_wrong_answer_agrees_with_the_heaviest_wrong_place():
    adversary = Adversary(TREE, 0.2, np.random.default_rng(0))
    adversary.begin(0, 2, 4)
    # The places beside 0, 2 and both of them; 4 belongs beside 2, so the answer about 0, 2 is 0.
    assert set(adversary.places.tolist()) == {0, 2, 8}
    adversary.noise = 1.0
    gain = adversary.gain
    assert gain == pytest.approx(log(4))
    first = adversary.answer(0, 2, 4)
    assert first == 1  # of equal ones the first place, beside 0
    assert adversary.weights.tolist() == [gain, 0, 0]
    assert adversary.answer(2, 0, 4) == 0  # again beside 0, whatever the order of the pair
    adversary.noise = 0.0
    assert adversary.answer(0, 2, 4) == 0
    assert adversary.weights.tolist() == pytest.approx([2 * gain, gain, 0])


def test_places_are_the_vertices_of_the_tree_of_the_items_before():
    problem = random_tree(DataRequest(seed=1), n=12)
    adversary = Adversary(problem.truth, 0.1, np.random.default_rng(0))
    items = [0, 1, 2, 3, 4, 5, 6]
    adversary.inserted = set(items)
    adversary.begin(0, 1, 7)
    expected = {c & Cluster(items) for c in clusters(problem.truth)} - {Cluster()}
    found = [Cluster(problem.truth.leaves(v).tolist()) & Cluster(items) for v in adversary.places]
    assert len(found) == len(expected) == 2 * len(items) - 1
    assert set(found) == expected
    for i, j in ((0, 1), (2, 5), (6, 3)):
        sides = adversary.children_above(i, j)
        for x in range(7, 12):
            assert adversary.odd_one(sides, x) == odd_one(problem.truth.parent, i, j, x)


def test_the_share_of_wrong_answers_is_at_most_the_noise():
    problem = random_tree(DataRequest(seed=2), n=10)
    ask = ordinal_adversary(OracleRequest(problem=problem, seed=5), noise=0.3).answer
    assert ask is not None
    queries = np.array([[i, j, 9] for i in range(9) for j in range(i)] * 20)
    keys = np.zeros(len(queries), np.uint64)
    given = ask(AnswerRequest(queries, keys, np.zeros(len(queries), np.int64)))
    right = np.array([odd_one(problem.truth.parent, *query) for query in queries])
    wrong = np.mean(given != right)
    assert abs(wrong - 0.3) < 5 * (0.3 * 0.7 / len(queries)) ** 0.5


def test_a_tree_that_is_not_binary_is_refused():
    with pytest.raises(NotApplicableError, match="true tree that is binary"):
        ordinal_adversary(
            OracleRequest(problem=Problem(n=3, truths={"t": Tree([3, 3, 3, -1])}), seed=0)
        )
