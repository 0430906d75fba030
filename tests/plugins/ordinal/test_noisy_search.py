"""Strategies bayes and repeat, query by query, against fractions and sets."""

from fractions import Fraction
from itertools import count

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from hcbench import ModelWarning, ask_oracle
from hcbench_ordinal.bounds import noiseless_queries
from hcbench_ordinal.noisy_constants import lead_of_majority, majority_exactly
from tests.plugins.ordinal.noisy_answers import Replay, clusters, fit, random_truth, scripted

SLACK = Fraction(1, 10**9)
"""Tolerance for the floating-point numbers of kernels."""

sizes = st.integers(2, 9)
seeds = st.integers(0, 10**6)


def heaviest_answer(tree, weights, pivot):
    left, right = tree.children(pivot)
    parts = [sum(w for v, w in weights.items() if v <= side) for side in (left, right)]
    return max(*parts, sum(weights.values()) - sum(parts))


def check_pivot(tree, weights, pivot):
    lightest = min(heaviest_answer(tree, weights, v) for v in tree.tree if len(v) > 1)
    assert heaviest_answer(tree, weights, pivot) <= lightest * (1 + SLACK)


def agrees(v, pivot, answer, tree):
    """Whether a place agrees with the answer."""
    if answer is not None:
        return v <= answer
    return not any(v <= child for child in tree.children(pivot))


@pytest.mark.slow
@given(sizes, seeds, st.sampled_from([0.6, 0.75, 0.9]), st.sampled_from(["adversarial", "random"]))
def test_bayes_weighs_all_places_and_stops_when_one_has_nearly_all(n, seed, p, wrong):
    truth, delta = random_truth(n, seed), 0.0437
    oracle, asked = scripted(n, seed, p, truth)
    result = fit(oracle, p, delta=delta, wrong=wrong, order="given")
    tree = Replay(asked, [0, 1])
    miss = (1 - Fraction(p)) / (2 if wrong == "random" else 1)
    for x in range(2, n):
        weights = {v: Fraction(1) for v in tree.tree}
        bound = Fraction(delta) / (n * len(weights))
        while tree.asks_for(x):
            best = max(weights.values())
            assert sum(weights.values()) - best > bound * best * (1 - SLACK)
            pivot, answer = tree.next(x)
            check_pivot(tree, weights, pivot)
            for v in weights:
                weights[v] *= Fraction(p) if agrees(v, pivot, answer, tree) else miss
        best = max(weights, key=weights.__getitem__)
        assert sum(weights.values()) - weights[best] <= bound * weights[best] * (1 + SLACK)
        tree.insert(x, best)
    assert tree.at == len(asked)
    assert clusters(result) == tree.tree


@pytest.mark.slow
@given(sizes, seeds, st.sampled_from([0.6, 0.75, 0.9]), st.sampled_from(["majority", "lead"]))
def test_repeat_is_binary_search_by_early_stopped_majorities(n, seed, p, stop):
    truth, failure = random_truth(n, seed), 0.0437 / max(noiseless_queries(n), 1)
    oracle, asked = scripted(n, seed, p, truth)
    result = fit(oracle, p, delta=0.0437, strategy="repeat", stop=stop, order="given")
    times = majority_exactly(p, failure if stop == "majority" else failure / 2)
    lead = times + 1 if stop == "majority" else lead_of_majority(p, failure / 2)
    tree = Replay(asked, [0, 1])
    for x in range(2, n):
        left = dict.fromkeys(tree.tree, 1)
        searches = 0
        while sum(left.values()) > 1:
            votes = {}
            while True:
                pivot, answer = tree.next(x)
                check_pivot(tree, left, pivot)
                votes[answer] = votes.get(answer, 0) + 1
                first, second, *_ = [*sorted(votes.values(), reverse=True), 0, 0]
                if 2 * first > times or first - second >= lead or sum(votes.values()) == times:
                    break
            chosen = [a for a in votes if votes[a] == first]
            assume(len(chosen) == 1)  # any of tied answers may be selected
            left = {v: left[v] * agrees(v, pivot, chosen[0], tree) for v in left}
            searches += 1
        assert searches <= int(np.log2(len(left)))
        tree.insert(x, next(v for v in left if left[v]))
    assert tree.at == len(asked)
    assert clusters(result) == tree.tree


def test_an_insertion_beyond_patience_uses_the_most_likely_place_with_a_warning():
    oracle, _ = scripted(9, 0, 0.9, random_truth(9, 0))
    with pytest.warns(ModelWarning, match="7 of 9 insertions were not decided after 0.001"):
        assert fit(oracle, 0.9, patience=0.001).n == 9


@pytest.mark.filterwarnings("ignore::hcbench.ModelWarning")
@given(sizes, seeds, st.sampled_from([0.6, 0.75]), st.sampled_from([0.05, 0.1, 0.3]))
def test_beyond_patience_no_other_place_is_more_likely(n, seed, p, patience):
    oracle, asked = scripted(n, seed, p, random_truth(n, seed))
    result = fit(oracle, p, delta=0.0437, patience=patience, order="given")
    tree = Replay(asked, [0, 1])
    for x in range(2, n):
        weights = {v: Fraction(1) for v in tree.tree}
        while tree.asks_for(x):
            pivot, answer = tree.next(x)
            for v in weights:
                weights[v] *= Fraction(p) if agrees(v, pivot, answer, tree) else 1 - Fraction(p)
        best = max(weights, key=weights.__getitem__)
        assume(list(weights.values()).count(weights[best]) == 1)  # of equal ones, any may be used
        tree.insert(x, best)
    assert clusters(result) == tree.tree


def test_uninformative_answers_terminate():
    turn = count()
    oracle = ask_oracle("ordinal-queries", lambda *_: next(turn) % 3, n=6)
    with pytest.warns(ModelWarning, match="may exceed the proportion of correct answers"):
        fit(oracle, 0.9, patience=2)
