"""NoisyInsertion finds the true tree with the guaranteed probability, for any wrong answers."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import binom

import hcbench
from hcbench import HeightKind, Oracle, OracleRequest, Problem, Tree
from hcbench.errors import BudgetExceededError, NotApplicableError, ParameterError
from hcbench_oracles.ordinal import ordinal_queries
from hcbench_ordinal.bounds import noiseless_queries
from hcbench_ordinal.noisy_constants import majority_exactly
from tests.plugins.ordinal.noisy_answers import (
    caterpillar,
    fit,
    noisy_oracle,
    odd_one,
    random_truth,
    same_in_python,
)

STRATEGIES = [
    {"strategy": "bayes"},
    {"strategy": "bayes", "wrong": "random"},
    {"strategy": "repeat"},
    {"strategy": "repeat", "stop": "lead"},
    {"strategy": "paper"},
    {"strategy": "paper", "repetitions": "binomial"},
    {"strategy": "paper", "skip": False},
    {"strategy": "paper", "skip": False, "share": 0.3, "margin": 0.6},
]
IDS = ["-".join(map(str, params.values())) for params in STRATEGIES]
each_strategy = pytest.mark.parametrize("params", STRATEGIES, ids=IDS)


@pytest.mark.slow
@each_strategy
@settings(max_examples=25)
@given(n=st.integers(1, 14), seed=st.integers(0, 10**6), p=st.sampled_from([0.6, 0.9, 0.999]))
def test_right_answers_give_the_true_tree(params, n, seed, p):
    if params.get("skip") is False:
        n, p = min(n, 6), 0.9
    truth = random_truth(n, seed)
    tree = fit(noisy_oracle(truth, 1.0, seed), p, seed, **params)
    assert tree.isomorphic(truth)
    assert tree.kind is HeightKind.NONE


def successes(runs, n, p, *, decoy, truths=None, **params):
    found = 0
    for seed in range(runs):
        truth = truths or random_truth(n, seed)
        other = random_truth(n, seed + 10**6) if decoy else None
        found += fit(noisy_oracle(truth, p, seed, other), p, seed, **params).isomorphic(truth)
    return found


def enough(runs, delta):
    """Fewer successes have a probability below 1e-6 if each has at least 1 - delta."""
    return int(binom.ppf(1e-6, runs, 1 - delta))


@pytest.mark.slow
@pytest.mark.parametrize("decoy", [False, True], ids=["random", "decoy"])
@pytest.mark.parametrize("p", [0.6, 0.8])
@each_strategy
def test_the_tree_is_correct_with_the_guaranteed_probability(params, p, decoy):
    if params.get("wrong") == "random" and decoy:
        pytest.skip("nothing is promised here")
    runs, n, delta = (300, 8, 0.4) if params["strategy"] != "paper" else (60, 6, 0.4)
    if params.get("skip") is False:  # many queries, especially for p near 1/2
        runs, n, p = 30, 4, max(p, 0.7)
    assert successes(runs, n, p, decoy=decoy, delta=delta, **params) >= enough(runs, delta)


def test_the_guarantee_fails_if_answers_are_wrong_more_often():
    # So the test above can fail.
    found = 0
    for seed in range(100):
        truth = random_truth(8, seed)
        found += fit(noisy_oracle(truth, 0.6, seed), 0.9, seed, delta=0.1).isomorphic(truth)
    assert found < enough(100, 0.1)


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["bayes", "repeat", "paper"])
def test_deep_trees_are_found_like_others(strategy):
    n, runs = (40, 60) if strategy != "paper" else (12, 20)
    found = successes(
        runs, n, 0.8, decoy=False, truths=caterpillar(n), delta=0.1, strategy=strategy
    )
    assert found >= enough(runs, 0.1)


@pytest.mark.parametrize("params", STRATEGIES[:6], ids=IDS[:6])
def test_python_callables_and_compiled_answers_give_the_same_tree(params):
    truth = random_truth(7, 3)
    compiled, python = noisy_oracle(truth, 0.8, 5), same_in_python(truth, 0.8, 5)
    a, b = (fit(oracle, 0.8, 11, **params) for oracle in (compiled, python))
    assert a == b
    for count in ("queries", "distinct_queries", "rounds"):
        assert getattr(compiled.ledger, count) == getattr(python.ledger, count)
    assert compiled.ledger.is_sound
    assert compiled.ledger.queries > compiled.ledger.distinct_queries


@pytest.mark.parametrize("n", [3, 9, 33])
def test_majorities_of_correct_answers_take_half_of_the_repetitions(n):
    truth = random_truth(n, n)
    oracle = noisy_oracle(truth, 1.0, 0)
    assert fit(oracle, 0.8, delta=0.01, strategy="repeat").isomorphic(truth)
    needed = majority_exactly(0.8, 0.01 / noiseless_queries(n)) // 2 + 1
    assert oracle.ledger.queries <= noiseless_queries(n) * needed
    assert oracle.ledger.queries % needed == 0


def test_it_is_called_without_a_harness():
    truth = Tree.from_newick("((a,(b,c)),((d,e),f));", names=list("abcdef"))
    tree = hcbench.fit(
        "NoisyInsertion[p=0.9]", n=6, ordinal=lambda *ijk: int(odd_one(truth.parent, *ijk))
    )
    assert isinstance(tree, Tree)
    assert tree.isomorphic(Tree(truth.parent))


@pytest.mark.parametrize("wrong", ["p=0.5", "p=0.2", "p=1.0", "p=0.8,delta=0.0", "p=0.8,delta=1.0"])
def test_invalid_probabilities_are_refused(wrong):
    with pytest.raises(ParameterError, match=r"NoisyInsertion: (p|delta) must be in \(0"):
        hcbench.fit(f"NoisyInsertion[{wrong}]", n=4, ordinal=lambda *_: 0)


def test_the_probability_of_correct_answers_must_be_given():
    with pytest.raises(ParameterError, match=r"NoisyInsertion needs p"):
        hcbench.fit("NoisyInsertion", n=4, ordinal=lambda *_: 0)


def test_a_probability_too_close_to_a_half_is_refused():
    with pytest.raises(ParameterError, match="too many queries"):
        fit(noisy_oracle(random_truth(4, 0), 1.0, 0), 0.500001)


@pytest.mark.parametrize("strategy", ["bayes", "repeat", "paper"])
def test_trees_that_are_not_binary_are_refused(strategy):
    oracle = hcbench.ask_oracle("ordinal-queries", lambda *_: hcbench.NONE, n=5)
    with pytest.raises(NotApplicableError, match="needs binary trees"):
        fit(oracle, 0.9, strategy=strategy)


@pytest.mark.parametrize("wrong", ["random", "adversarial"])
def test_it_takes_the_answers_of_the_registered_oracle(wrong):
    truth = random_truth(20, 4)
    answers = ordinal_queries(
        OracleRequest(problem=Problem(n=20, truths={"": truth}), seed=3), noise=0.2, wrong=wrong
    )
    # Fails with probability 1e-6 at most, and has the same answers at any time.
    assert fit(Oracle(answers), 0.8, delta=1e-6).isomorphic(truth)
    star = Problem(n=20, truths={"": Tree([20] * 20 + [-1])})
    with pytest.raises(NotApplicableError, match="needs binary trees"):
        fit(Oracle(ordinal_queries(OracleRequest(problem=star, seed=3))), 0.8)


@pytest.mark.parametrize("strategy", ["bayes", "repeat", "paper"])
def test_the_budget_is_obeyed(strategy):
    oracle = noisy_oracle(random_truth(9, 0), 0.9, 0, budget=20)
    with pytest.raises(BudgetExceededError):
        fit(oracle, 0.9, strategy=strategy)
    assert oracle.ledger.queries == 20


def test_items_are_inserted_in_the_requested_order():
    asked = []

    def record(i, j, k):
        asked.append(k)
        return int(odd_one(random_truth(8, 1).parent, i, j, k))

    fit(hcbench.ask_oracle("ordinal-queries", record, n=8), 0.9, order="given")
    assert asked == sorted(asked)
    orders = set()
    for seed in range(3):
        asked.clear()
        fit(hcbench.ask_oracle("ordinal-queries", record, n=8), 0.9, seed)
        orders.add(tuple(dict.fromkeys(asked)))
    assert len(orders) == 3
    assert np.unique([len(order) for order in orders]).tolist() == [6]
