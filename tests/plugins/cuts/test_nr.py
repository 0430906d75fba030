"""NR: its margins against all cuts of small trees, its weights, and when it ends."""

from math import inf, log

import numpy as np
import pytest
from hypothesis import given, strategies as st

import hcbench
from hcbench import Items, Oracle, OracleRequest, ParameterError, Problem, Tree
from hcbench.model.trees._kernels import excesses
from hcbench.oracle import Recorder
from hcbench_cuts import _bounded_kernels as bounded
from hcbench_cuts._cut_kernels import highest_kept
from hcbench_cuts._erm_kernels import heavy_postorder, margin, probability, reweigh
from hcbench_cuts.erm import erm
from hcbench_cuts.nr import nr
from hcbench_oracles.pairs import pair_queries
from tests.core.trees import caterpillar, trees
from tests.plugins.scoring import random_tree
from tests.plugins.tree_cuts import (
    all_cuts,
    ancestors,
    oracle_about,
    random_sigma,
    sigma_of_cut,
)


def run(tree, oracle, seed=0, **params):
    return nr(oracle, Items(n=tree.n, tree=tree), np.random.default_rng(seed), **params)


@st.composite
def histories(draw):
    """A tree, and weights of pairs, one after another, by their lowest common ancestors."""
    tree = draw(trees(min_leaves=2, max_leaves=7))
    inner = st.integers(tree.n, tree.root)
    weights = st.integers(-4, 4).filter(bool)
    return tree, draw(st.lists(st.tuples(inner, weights), max_size=12))


def gains_of_all(tree, weighted, K=inf):
    """For each cut into at most K clusters: the pairs' nodes inside its clusters, and its gain."""
    for cut in all_cuts(tree):
        if len(cut) <= K:
            together = {v for v in range(tree.n_nodes) if set(ancestors(tree, v)) & set(cut)}
            yield together, sum(weight for a, weight in weighted if a in together)


def naive_margin(tree, weighted, a, K=inf):
    """The best gain minus that of the best cut that disagrees about a pair."""
    gains = list(gains_of_all(tree, weighted, K or inf))
    inside, best = max(gains, key=lambda pair: pair[1])
    others = [gain for together, gain in gains if (a in together) != (a in inside)]
    return best - max(others, default=-inf)


@given(histories())
def test_margins_are_those_of_all_cuts_after_each_weight(case):
    tree, weighted = case
    x = np.zeros(tree.n_nodes)
    for step, (a, weight) in enumerate([*weighted, (tree.root, 1)]):
        for node in range(tree.n, tree.n_nodes):
            assert margin(x, tree.parent, node) == naive_margin(tree, weighted[:step], node)
        reweigh(x, tree.parent, a, weight)


@given(histories(), st.integers(1, 7))
def test_margins_with_at_most_k_clusters_are_those_of_all_such_cuts(case, most):
    tree, weighted = case
    K = min(most, tree.n)
    arrays, W = bounded.bounded_tree(tree.parent, K), np.zeros(tree.n_nodes)
    table, together, apart = bounded.fill_all(arrays, W), np.empty(K), np.empty(K)
    for step, (a, weight) in enumerate([*weighted, (tree.root, 1)]):
        for node in range(tree.n, tree.n_nodes):
            found = bounded.margin_bounded(arrays, table, W, together, apart, node)
            assert found == naive_margin(tree, weighted[:step], node, K)
        bounded.reweigh_bounded(arrays, table, W, a, weight)


@pytest.mark.slow
@given(histories(), st.sampled_from([1.0, 0.1, 1 / 3]))
def test_excesses_brought_up_to_date_are_those_of_one_pass(case, unit):
    tree, weighted = case
    x, own = np.zeros(tree.n_nodes), np.zeros(tree.n_nodes)
    for a, weight in weighted:
        reweigh(x, tree.parent, a, unit * weight)
        own[a] += weight
    assert x == pytest.approx(unit * excesses(tree.parent, own), abs=1e-12)


@pytest.mark.parametrize("weight", [0.1, 0.3, 1 / 7])
def test_a_weight_that_is_taken_back_leaves_a_tie(weight):
    """Rounding must not break ties: 0.1 + 0.3 - 0.3 is not 0.1."""
    tree, x = caterpillar(5), np.zeros(9)
    for sign in (-1, 1):
        reweigh(x, tree.parent, 5, sign * weight)
    assert highest_kept(tree.parent, x < 0).tolist() == [tree.root]


@given(trees(min_leaves=1, max_leaves=40))
def test_the_numbering_keeps_the_tree_and_puts_long_paths_in_order(tree):
    new = heavy_postorder(tree.parent)
    assert sorted(new) == list(range(tree.n_nodes))
    assert (new[tree.parent[:-1]] > new[:-1]).all()
    for leaf in range(tree.n):
        path = new[ancestors(tree, leaf)]
        assert (np.diff(path) > 1).sum() <= np.log2(tree.n_nodes)


def test_probabilities_are_those_of_equation_4():
    free, literal = (1.0, 0.0), (2.0, 5.0)
    assert probability(3.0, 1, free) == 1.0
    assert probability(0.0, 9, free) == 1.0
    assert probability(3.0, 4, free) == pytest.approx(2 * log(5) / 4)  # d = 1
    assert probability(18.0, 10, free) == pytest.approx((1 / 4 + 1 / 2) * log(11) / 10)  # d = 2
    assert probability(inf, 10, free) == 0.0
    assert probability(198.0, 100, literal) == pytest.approx(1.5 * (5 + log(log(100))) / 100)


def twin(tree, matrix, oracle, coins, c0, K):
    """NR by its definition, with all cuts in each round."""
    weighted, asked = [], 0
    for t, (coin, (i, j)) in enumerate(zip(coins, oracle.draw(len(coins)), strict=True), 1):
        a = int(tree.lca(i, j))
        d = naive_margin(tree, weighted, a, K or inf) / max(t - 1, 1)
        p = 1.0
        if t > 1 and d > 1e-9:
            p = min(1.0, c0 * (1 / d**2 + 1 / d) * log(t + 1) / t)
        if coin < p:
            asked += 1
            weighted.append((a, matrix[i, j] / p))
    return weighted, asked


@pytest.mark.parametrize("c0", [0.02, 0.2, 1.0])
@pytest.mark.parametrize("K", [None, 3])
@pytest.mark.parametrize("seed", range(4))
def test_queries_and_result_follow_the_definition(seed, K, c0):
    rng = np.random.default_rng(seed)
    tree = random_tree(6, rng, width=3)
    matrix = sigma_of_cut(tree, tree.cut_nodes(2)) if seed % 2 else random_sigma(6, rng)
    oracle, rounds = oracle_about(matrix, seed=seed), 150
    result = run(tree, oracle, seed, c0=c0, rounds=rounds, K=K)
    coins = np.random.default_rng(seed).random(rounds)
    weighted, asked = twin(tree, matrix, oracle_about(matrix, seed=seed), coins, c0, K)
    assert oracle.ledger.queries == asked
    assert oracle.ledger.draws == rounds
    same = [a for a in range(tree.n, tree.n_nodes) if _is_inside(tree, result, a)]
    mine = sum(weight for a, weight in weighted if a in same)
    assert mine == pytest.approx(max(gain for _, gain in gains_of_all(tree, weighted, K or inf)))
    assert result.n_clusters <= (K or inf)
    assert c0 == 1.0 or asked < rounds


def _is_inside(tree, clusters, node):
    return len(set(clusters.labels[tree.leaves(node)].tolist())) == 1


@pytest.mark.parametrize("K", [None, 4])
@pytest.mark.parametrize("settings", [{"c0": 1e12}, {"constants": "literal"}])
def test_with_p_of_one_it_is_erm(settings, K):
    rng = np.random.default_rng(3)
    tree, matrix = random_tree(15, rng, width=3), random_sigma(15, rng)
    known = Items(n=15, tree=tree)
    for rounds in (1, 10, 80):
        passive = erm(oracle_about(matrix), known, rng, rounds=rounds, K=K)
        oracle = oracle_about(matrix)
        assert run(tree, oracle, rounds=rounds, K=K, **settings) == passive
        # If no cut into at most K clusters separates a pair, its label is not requested.
        assert oracle.ledger.queries == rounds or K


def test_literal_constants_count_the_cuts_of_the_class():
    """Of ((0,1),(2,3)) there are 5, and at most 4^K into K clusters: p_t by hand."""
    tree = Tree([4, 4, 5, 5, 6, 6, -1])
    matrix, rounds = np.ones((4, 4)), 400
    for K, log_class in ((None, log(5 / 0.5)), (1, log(4 / 0.5))):
        oracle = oracle_about(matrix)
        run(tree, oracle, c0=0.05, constants="literal", delta=0.5, rounds=rounds, K=K)
        asked, x = 0, np.zeros(7)
        coins = np.random.default_rng(0).random(rounds)
        for t, (i, j) in enumerate(oracle_about(matrix).draw(rounds), 1):
            a = int(tree.lca(i, j))
            # Into one cluster there is one cut: nothing to learn after the first round.
            distance = margin(x, tree.parent, a) if K is None else inf
            p = probability(distance, t, (0.05, log_class))
            if coins[t - 1] < p:
                asked += 1
                reweigh(x, tree.parent, a, 1 / p)
        assert oracle.ledger.queries == asked < rounds


def test_checkpoints_change_nothing_and_have_what_a_smaller_budget_returns():
    rng = np.random.default_rng(4)
    tree, matrix = random_tree(20, rng), random_sigma(20, rng)
    oracle = oracle_about(matrix, 60, (0, 7, 25, 60))
    end = run(tree, oracle, c0=0.3)
    assert [point.queries for point in Recorder(oracle).trace] == [0, 7, 25, 60]
    for point in Recorder(oracle).trace:
        assert point.result == run(tree, oracle_about(matrix, point.queries), c0=0.3)
    assert end == run(tree, oracle_about(matrix, 60), c0=0.3)
    assert oracle.ledger.refused


def test_it_finds_the_true_cut_with_decreasing_queries():
    tree = random_tree(40, np.random.default_rng(6))
    matrix = sigma_of_cut(tree, tree.cut_nodes(8))
    asked = []
    for rounds in (10_000, 20_000):
        oracle = oracle_about(matrix)
        assert run(tree, oracle, c0=0.1, rounds=rounds) == tree.cut(8)
        asked.append(oracle.ledger.queries)
    assert asked[1] - asked[0] < asked[0] / 2


def test_as_many_clusters_as_leaves_is_not_a_limit():
    rng = np.random.default_rng(7)
    tree, matrix = random_tree(9, rng), random_sigma(9, rng)
    runs = [run(tree, oracle_about(matrix), rounds=200, K=K) for K in (None, 9, 10**9)]
    assert runs[0] == runs[1] == runs[2]


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("K", [None, 1])
def test_before_the_first_answer_there_is_one_cluster(n, K):
    tree = random_tree(n, np.random.default_rng(0))
    assert run(tree, oracle_about(np.ones((n, n)), 0), K=K).n_clusters == 1


def test_one_item_and_two():
    assert run(Tree([-1]), oracle_about(np.ones((1, 1)), 10)).n_clusters == 1
    apart = np.array([[1, -1], [-1, 1]])
    assert run(Tree([2, 2, -1]), oracle_about(apart, 10)).n_clusters == 2


def test_an_unused_budget_ends_after_1000_pairs_per_label():
    oracle = oracle_about(np.ones((3, 3)), 30)
    run(Tree([3, 3, 3, -1]), oracle, c0=1e-6)
    assert oracle.ledger.draws == 30_000
    assert oracle.ledger.queries < 30


def test_a_callable_gets_the_same_queries():
    tree = random_tree(12, np.random.default_rng(5))
    truth = tree.cut(4).labels
    found = hcbench.fit(
        "NR[rounds=3000]", tree, same_cluster=lambda i, j: truth[i] == truth[j], budget=2000
    )
    assert found.labels.tolist() == truth.tolist()


@pytest.mark.parametrize("K", [None, 3])
def test_a_caterpillar_is_learnt(K):
    n = 2000
    tree, labels = caterpillar(n), np.arange(n) // 700
    known = Items(n=n, tree=tree)
    problem = Problem(n=n, levels=labels[:, None])
    first, second = (Oracle(pair_queries(OracleRequest(problem=problem, seed=0))) for _ in range(2))
    found = run(tree, first, c0=1e12, rounds=400, K=K)
    assert found == erm(second, known, np.random.default_rng(0), rounds=400, K=K)
    assert found.n_clusters > 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("NR[delta=0]", r"delta must be in \(0, 1\)"),
        ("NR[delta=1.0]", r"delta must be in \(0, 1\)"),
        ("NR[c0=0]", r"c0 must be in \(0, inf\)"),
        ("NR[constants=paper]", "must be one of free, literal"),
    ],
)
def test_bad_parameters_are_refused_in_a_line(text, says):
    with pytest.raises(ParameterError, match=says):
        hcbench.fit(text, caterpillar(3), same_cluster=lambda i, j: True, budget=2)


def test_without_a_budget_as_many_pairs_are_drawn_as_there_are():
    oracle = oracle_about(np.ones((5, 5)))
    run(caterpillar(5), oracle)
    assert oracle.ledger.draws == 10
