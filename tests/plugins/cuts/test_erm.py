"""ERM, and the best cut for given weights: against all cuts of small trees."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import hcbench
from hcbench import Items, NotApplicableError, ParameterError, Partition, Tree
from hcbench.model import Cut
from hcbench.oracle import Recorder
from hcbench_cuts.best_cuts import heaviest_within
from hcbench_cuts.erm import erm
from hcbench_cuts.nr import nr
from tests.core.trees import caterpillar, trees
from tests.plugins.scoring import random_tree
from tests.plugins.tree_cuts import (
    all_cuts,
    ancestors,
    best_of,
    oracle_about,
    random_sigma,
    sigma_of_cut,
)

RNG = np.random.default_rng(0)


def run(tree, oracle, **params):
    return erm(oracle, Items(n=tree.n, tree=tree), RNG, **params)


@st.composite
def weighted_trees(draw):
    tree = draw(trees(min_leaves=2, max_leaves=7))
    inner = st.lists(st.integers(-3, 3), min_size=tree.n_nodes, max_size=tree.n_nodes)
    own = np.array(draw(inner), float)
    own[: tree.n] = 0
    return tree, own


def gain(tree, own, nodes):
    """Weight of the pairs inside the clusters: of all nodes at the cut or below it."""
    inside = [v for v in range(tree.n_nodes) if set(ancestors(tree, v)) & set(nodes)]
    return own[inside].sum()


@given(weighted_trees())
def test_the_best_cut_is_the_coarsest_of_largest_gain(case):
    tree, own = case
    found = heaviest_within(tree, own)
    cuts = all_cuts(tree)
    costs = [-gain(tree, own, cut) for cut in cuts]
    assert (-gain(tree, own, found.nodes), found.nodes.size) == best_of(costs, cuts)
    mine = found.partition.labels
    for cost, cut in zip(costs, cuts, strict=True):
        if cost == min(costs):  # each of its clusters is inside one of ours
            theirs = Cut(tree, cut).partition.labels
            assert len(set(zip(mine, theirs, strict=True))) == len(cut)


@given(weighted_trees())
def test_with_at_most_k_clusters_too(case):
    tree, own = case
    cuts = all_cuts(tree)
    costs = [-gain(tree, own, cut) for cut in cuts]
    for K in range(1, tree.n + 2):
        found = heaviest_within(tree, own, K)
        assert (-gain(tree, own, found.nodes), found.nodes.size) == best_of(costs, cuts, K)


@pytest.mark.parametrize("K", [None, 1, 2, 3])
def test_the_result_contradicts_the_fewest_answers(K):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 8))
        tree, matrix = random_tree(n, rng, width=3), random_sigma(n, rng)
        oracle = oracle_about(matrix, budget=12, seed=seed)
        result = run(tree, oracle, K=K)
        i, j = oracle_about(matrix, seed=seed).draw(12).T
        cuts = all_cuts(tree)
        costs = [int((sigma_of_cut(tree, cut)[i, j] != matrix[i, j]).sum()) for cut in cuts]
        mine = int(((result.labels[i] == result.labels[j]) != (matrix[i, j] == 1)).sum())
        assert (mine, result.n_clusters) == best_of(costs, cuts, K or n)
        assert oracle.ledger.queries == oracle.ledger.draws == 12
        assert oracle.ledger.refused


def clusters_by_the_book(tree, pairs, weights):
    """Algorithm 2 of Gentile et al. 2019 as printed, of a binary tree, for given weights."""
    is_cluster = {v: v < tree.n for v in range(tree.n_nodes)}
    record = {v: {"left": [0, 0], "middle": [0, 0], "right": [0, 0]} for v in range(tree.n_nodes)}
    for (i, j), weight in zip(pairs, weights, strict=True):
        a = int(tree.lca(i, j))
        record[a]["middle"][int(weight > 0)] += weight
        is_cluster[a] = sum(map(sum, record[a].values())) >= 0
        while a != tree.root:
            above = int(tree.parent[a])
            side = "left" if a == tree.children(above)[0] else "right"
            sums = [sum(part[sign] for part in record[a].values()) for sign in (0, 1)]
            record[above][side] = [0, 0] if is_cluster[a] else sums
            is_cluster[above] = sum(map(sum, record[above].values())) >= 0
            a = above
    paths = [ancestors(tree, leaf) for leaf in range(tree.n)]
    return [max(v for v in path if is_cluster[v]) for path in paths]


@pytest.mark.parametrize("seed", range(30))
def test_untouched_clusters_are_apart_as_in_algorithm_2(seed):
    rng = np.random.default_rng(seed)
    n, budget = int(rng.integers(2, 14)), int(rng.integers(0, 20))
    tree, matrix = random_tree(n, rng), random_sigma(n, rng)
    pairs = oracle_about(matrix, seed=seed).draw(budget)
    expected = clusters_by_the_book(tree, pairs.tolist(), [matrix[i, j] for i, j in pairs])
    for fit, params in ((erm, {}), (nr, {"c0": 1e12})):
        oracle = oracle_about(matrix, budget, seed=seed)
        found = fit(oracle, Items(n=n, tree=tree), rng, untouched="apart", **params)
        assert found == Partition(np.unique(expected, return_inverse=True)[1])


@pytest.mark.parametrize("name", ["ERM", "NR"])
def test_untouched_clusters_cannot_be_apart_in_at_most_k(name):
    with pytest.raises(ParameterError, match="untouched=apart makes more than K"):
        hcbench.fit(f"{name}[K=2, untouched=apart]", caterpillar(4), same_cluster=lambda i, j: True)


def test_many_answers_lead_to_the_true_cut():
    tree = random_tree(30, np.random.default_rng(1))
    truth = tree.cut(6)
    matrix = sigma_of_cut(tree, tree.cut_nodes(6))
    assert run(tree, oracle_about(matrix), rounds=20_000) == truth


def test_a_checkpoint_has_what_a_run_with_that_budget_returns():
    rng = np.random.default_rng(2)
    tree, matrix = random_tree(20, rng), random_sigma(20, rng)
    oracle = oracle_about(matrix, 60, (0, 7, 25, 60))
    run(tree, oracle)
    assert [point.queries for point in Recorder(oracle).trace] == [0, 7, 25, 60]
    for point in Recorder(oracle).trace:
        assert point.result == run(tree, oracle_about(matrix, point.queries))


@pytest.mark.parametrize("n", [1, 2, 5])
def test_before_the_first_answer_there_is_one_cluster(n):
    tree = random_tree(n, np.random.default_rng(0))
    assert run(tree, oracle_about(np.ones((n, n)), 0)).n_clusters == 1


def test_one_item_is_a_cluster_with_any_budget():
    oracle = oracle_about(np.ones((1, 1)), 10)
    assert run(Tree([-1]), oracle).n_clusters == 1
    assert oracle.ledger.queries == 0


@pytest.mark.parametrize("answer", [-1, 1])
def test_two_items_follow_the_answers(answer):
    matrix = np.array([[1, answer], [answer, 1]])
    assert run(Tree([2, 2, -1]), oracle_about(matrix, 3)).n_clusters == (1 if answer == 1 else 2)


def test_rounds_end_it_before_the_budget_does():
    oracle = oracle_about(np.ones((4, 4)), 100)
    run(random_tree(4, np.random.default_rng(0)), oracle, rounds=9)
    assert oracle.ledger.queries == 9
    assert not oracle.ledger.refused


def test_a_callable_gets_as_many_queries():
    tree = random_tree(12, np.random.default_rng(5))
    truth = tree.cut(4).labels
    asked = []

    def together(i, j):
        asked.append((i, j))
        return truth[i] == truth[j]

    found = hcbench.fit("ERM", tree, same_cluster=together, budget=2000)
    assert found.labels.tolist() == truth.tolist()
    assert len(asked) == 2000


def test_without_a_budget_as_many_pairs_are_drawn_as_there_are():
    oracle = oracle_about(np.ones((5, 5)))
    run(caterpillar(5), oracle)
    assert oracle.ledger.queries == 10


def test_without_a_tree_it_is_refused():
    with pytest.raises(NotApplicableError, match="no tree to cut"):
        hcbench.fit("ERM", hcbench.ask_oracle("pair-queries", lambda i, j: True, n=3, budget=2))


@pytest.mark.parametrize("text", ["ERM[K=0]", "ERM[rounds=-1]", "BEST[K=0]", "NR[K=0]"])
def test_numbers_out_of_range_are_refused(text):
    with pytest.raises(ParameterError, match="must be in"):
        hcbench.fit(text, caterpillar(3), same_cluster=lambda i, j: True, budget=2)


@pytest.mark.parametrize("K", [None, 3])
def test_a_caterpillar_is_cut(K):
    n = 50_000
    tree = caterpillar(n)
    own = np.where(np.arange(2 * n - 1) < 2 * n - 4, 1.0, -1e9)
    own[:n] = 0.0
    assert heaviest_within(tree, own, K).nodes.size == (4 if K is None else 3)
