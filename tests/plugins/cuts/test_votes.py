"""N-WDP and BF with votes: the pairs that vote, their number, and the probability of success."""

from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest

from hcbench import ModelWarning, Oracle, OracleRequest, Partition, Problem, Tree, ask_oracle
from hcbench.model import Cut
from hcbench.registry.specs import load_function
from hcbench_cuts._cut_kernels import highest_kept
from hcbench_cuts._question_kernels import PATHS, pair_below, pairs_below, permuted
from hcbench_cuts.search import Search
from hcbench_cuts.votes import votes_of_node
from hcbench_oracles.pairs import pair_queries
from tests.plugins.cuts.small_cuts import (
    SPECS,
    compiled_oracle,
    cut_by,
    k_tilde,
    labels_of,
    questions_of,
    small_trees,
    spied_paths,
    tree_of_shape,
)
from tests.plugins.tree_cuts import all_cuts, ancestors


def complete(degree, depth):
    shape = ()
    for _ in range(depth):
        shape = (shape,) * degree
    return tree_of_shape(shape)


def pairs_of(tree, v):
    """The pairs of leaves that have v as their lowest common ancestor, by a walk up."""
    up = [ancestors(tree, leaf) for leaf in range(tree.n)]
    return {
        (i, j)
        for i, j in combinations(range(tree.n), 2)
        if v == next(u for u in up[i] if u in up[j])
    }


def preset(tree, votes):
    """Nodes with too few pairs, and all below these."""
    few = {v for v in range(tree.n_nodes) if len(pairs_of(tree, v)) < votes}
    return {v for v in range(tree.n_nodes) if few & set(ancestors(tree, v))}


def coarsened(tree, cut, votes):
    """The cut, with the highest preset nodes instead of nodes below them."""
    given = preset(tree, votes)
    return sorted({max([v, *(u for u in ancestors(tree, v) if u in given)]) for v in cut})


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 16, 17, 63, 100, 257])
def test_permuted_is_a_permutation(size):
    for key in (0, 1, 2**63):
        assert sorted(permuted(k, size, np.uint64(key)) for k in range(size)) == list(range(size))


@pytest.mark.parametrize("size", [3, 7, 10])
def test_every_number_comes_first_or_second_equally_often(size):
    times = 4000
    for place in (0, 1):
        count = np.bincount(
            [permuted(place, size, np.uint64(key * 2654435761)) for key in range(times)],
            minlength=size,
        )
        expected = times / size
        # Chi-squared of size - 1 degrees: 30 is beyond the 99.9th percentile of 9.
        assert ((count - expected) ** 2 / expected).sum() < 30


def test_the_pairs_below_a_node_are_numbered_without_gaps():
    for tree in small_trees(5):
        shape = Search.of(tree, np.random.default_rng(0)).shape
        for v in range(tree.n, tree.n_nodes):
            wanted = pairs_of(tree, v)
            assert pairs_below(shape, v) == len(wanted)
            found = [pair_below(shape, v, k) for k in range(len(wanted))]
            assert {(min(pair), max(pair)) for pair in found} == wanted


@pytest.mark.slow
@pytest.mark.parametrize("name", ["BF", "N-WDP"])
@pytest.mark.parametrize("votes", [2, 3, 4])
def test_without_noise_the_cut_is_the_true_one_merged_where_too_few_pairs_vote(name, votes):
    for tree in small_trees(6, 3):
        if tree.n < 5 or len(pairs_of(tree, tree.root)) < votes:
            continue
        for cut in all_cuts(tree)[::4]:
            found = cut_by(name, tree, compiled_oracle(labels_of(tree, cut)), votes=votes)
            assert found == Cut(tree, coarsened(tree, cut, votes)).partition


@pytest.mark.slow
@pytest.mark.parametrize("votes", [2, 3])
def test_the_paths_are_as_many_as_the_tree_of_nodes_with_enough_pairs_has(monkeypatch, votes):
    """Lemma 3 for T_lambda, whose leaves are preset."""
    seen = spied_paths(monkeypatch)
    for tree in small_trees(6, 3):
        if tree.n < 5 or len(pairs_of(tree, tree.root)) < votes:
            continue
        for cut in all_cuts(tree)[::5]:
            cut_by("N-WDP", tree, compiled_oracle(labels_of(tree, cut)), votes=votes)
            merged = tuple(coarsened(tree, cut, votes))
            assert seen[-1].progress[PATHS] == k_tilde(tree, merged, preset(tree, votes))


@pytest.mark.parametrize("name", ["BF", "N-WDP"])
def test_a_vote_is_of_different_pairs_of_one_node(name):
    tree = complete(3, 3)
    cut = tuple(tree.children(tree.root).tolist())
    labels, votes = labels_of(tree, cut), 9
    pairs = []

    def same(i, j):
        pairs.append((min(i, j), max(i, j)))
        return bool(labels[i] == labels[j])

    cut_by(name, tree, ask_oracle("pair-queries", same, n=tree.n), votes=votes)
    assert len(set(pairs)) == len(pairs)
    asked = tree.lca(*np.array(pairs).T)
    blocks = asked.reshape(-1, votes)
    assert (blocks == blocks[:, :1]).all()  # one vote after another
    assert len(set(blocks[:, 0].tolist())) == len(blocks)
    assert not set(asked.tolist()) & preset(tree, votes)
    wanted = pairs_of(tree, tree.root)
    assert set(pairs[:votes]) <= wanted or name == "N-WDP"
    assert len({i for i, _ in pairs}) > 6  # from many leaves, not from one


@pytest.mark.parametrize("name", ["BF", "N-WDP"])
@pytest.mark.parametrize("votes", [6, 9])
def test_to_stop_when_a_vote_is_decided_changes_no_cut(name, votes):
    tree = complete(2, 5)
    rng, saved = np.random.default_rng(1), 0
    for _ in range(20):
        labels = rng.integers(2, size=tree.n)  # no cut has these: close votes
        whole, early = compiled_oracle(labels), compiled_oracle(labels)
        found = cut_by(name, tree, whole, votes=votes)
        assert cut_by(name, tree, early, votes=votes, stop="decided") == found
        saved += whole.ledger.queries - early.ledger.queries
        assert whole.ledger.queries / 2 <= early.ledger.queries <= whole.ledger.queries
    assert saved > 0


def test_half_of_the_votes_are_not_a_majority():
    answers = iter([True, False, True])
    asked = ask_oracle("pair-queries", lambda i, j: next(answers), n=4)
    found = cut_by("N-WDP", Tree([4, 4, 5, 5, 6, 6, -1]), asked, votes=2)
    assert found == Partition([0, 0, 1, 1])  # the cherries have one pair each
    assert asked.ledger.queries == 2


@pytest.mark.parametrize("name", ["BF", "N-WDP"])
def test_a_root_with_too_few_pairs_is_reported(name):
    tree = Tree.from_parents([5, 5, 6, 7, 8, 6, 7, 8, -1])
    with pytest.warns(ModelWarning, match="the root has 4 pairs .* fewer than the 5"):
        found = cut_by(name, tree, compiled_oracle(np.arange(5)), votes=5)
    assert found.n_clusters == 1


def test_votes_by_hoeffding_are_odd_and_as_many_as_the_formula_says():
    # 2 ln(1000 / 0.05) / 0.6^2 = 55.02, and 1 ln(100 / 0.1) / 0.36 = 19.2
    assert votes_of_node(1000, "hoeffding", 0.2, 0.05, 2.0) == 57
    assert votes_of_node(100, "hoeffding", 0.2, 0.1, 1.0) == 21
    assert votes_of_node(100, 8, 0.2, 0.1, 1.0) == 8


def test_votes_by_the_binomial_are_the_fewest_with_the_guarantee():
    for n in (2, 50, 1000):
        for noise in (0.0, 0.1, 0.3, 0.4):
            most = votes_of_node(n, "hoeffding", noise, 0.05, 2.0)
            found = votes_of_node(n, "binomial", noise, 0.05, 2.0)
            assert found % 2 == 1
            assert found <= most
            assert wrong_majority(found, noise) <= 0.05 / n
            if found > 1:
                assert wrong_majority(found - 2, noise) > 0.05 / n


def wrong_majority(m, noise):
    p = Fraction(str(noise))
    ways = (comb(m, k) * p**k * (1 - p) ** (m - k) for k in range((m + 1) // 2, m + 1))
    return float(sum(ways))


@pytest.mark.parametrize("votes", ["hoeffding", "binomial"])
@pytest.mark.parametrize("noise", [0.1, 0.2, 0.3])
def test_the_true_cut_is_found_with_the_stated_probability(noise, votes):
    """Persistent noise; at most delta = 0.2 of the runs may fail, and 20 of 40 never do by chance.

    The binomial probability of more than 17 failures of 40 is below 0.001.
    """
    tree, delta, failures, runs = complete(2, 9), 0.2, 0, 40
    m = votes_of_node(tree.n, votes, noise, delta, 2.0)
    fixed = tree.sizes**2 < 4 * m  # nodes of s leaves have (s / 2)^2 pairs
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        split = rng.random(tree.n_nodes) < 0.7
        split[fixed] = False
        truth = Cut(tree, highest_kept(tree.parent, split)).partition
        problem = Problem(n=tree.n, tree=tree, levels=truth.labels[:, None])
        oracle = Oracle(pair_queries(OracleRequest(problem=problem, seed=seed), noise=noise))
        given = {"noise": noise, "delta": delta, "votes": votes}
        failures += cut_by("N-WDP", tree, oracle, seed, **given) != truth
    assert failures <= 17


def test_one_vote_fails_where_many_do_not():
    """The noise of these tests matters: WDP without votes almost never finds the cut."""
    tree = complete(2, 8)
    labels = np.arange(256) // 32
    problem = Problem(n=256, tree=tree, levels=labels[:, None])
    right = {"WDP": 0, "N-WDP": 0}
    for seed in range(10):
        for name, params in (("WDP", {}), ("N-WDP", {"noise": 0.2})):
            oracle = Oracle(pair_queries(OracleRequest(problem=problem, seed=seed), noise=0.2))
            right[name] += cut_by(name, tree, oracle, seed, **params) == Partition(labels)
    assert right["WDP"] <= 1
    assert right["N-WDP"] >= 9


def test_an_unfinished_vote_is_ignored():
    tree = complete(2, 4)
    labels = np.arange(16) // 8
    cuts = [
        cut_by("BF", tree, compiled_oracle(labels, budget), votes=5).n_clusters
        for budget in range(8)
    ]
    assert cuts == [1, 1, 1, 1, 1, 2, 2, 2]


def test_queries_are_votes_times_the_queried_nodes():
    tree = complete(2, 6)
    labels = np.arange(64) // 16
    asked = questions_of("N-WDP", tree, labels, votes=7, prior=0.3)
    nodes = list(dict.fromkeys(asked))
    assert asked == [v for v in nodes for _ in range(7)]
    assert set(nodes) >= set(np.flatnonzero(tree.sizes == 16))


@pytest.mark.parametrize("name", SPECS)
def test_the_number_of_queries_shown_to_a_person_is_a_bound(name):
    tree = complete(2, 4)
    params = {"votes": 1} if name in ("BF", "N-WDP") else {}
    questions = load_function(SPECS[name].queries)
    estimate, is_bound = questions(tree.n, **SPECS[name].resolve(params))
    assert is_bound
    asked = [
        len(questions_of(name, tree, labels_of(tree, cut), **params)) for cut in all_cuts(tree)[::9]
    ]
    assert estimate / 2 <= max(asked) <= estimate == 15
    if name in ("BF", "N-WDP"):
        assert questions(tree.n, **SPECS[name].resolve({"votes": 5})) == (75, True)
