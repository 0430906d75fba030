"""BF, OTS, WDP, N-WDP: the true cut of every small tree, the bounds of the theorems, budgets."""

from math import log, log2

import numpy as np
import pytest

from hcbench import UNSURE, NotApplicableError, ParameterError, Partition, Tree, ask_oracle
from hcbench.oracle import Recorder
from hcbench.run.inputs import Items
from hcbench_cuts._question_kernels import PATHS
from hcbench_cuts.search import Search
from tests.plugins.cuts.small_cuts import (
    SPECS,
    above,
    compiled_oracle,
    cut_by,
    k_tilde,
    labels_of,
    probability,
    questions_of,
    small_trees,
    spied_paths,
    tree_of_shape,
)
from tests.plugins.tree_cuts import all_cuts

PRIORS = {
    "uniform": {},
    "constant": {"prior": 0.3},
    "likely": {"prior": 0.9},
    "bands": {"prior": "bands", "bands": 2},
    "unlikely": {"prior": 1e-200},
}
WAYS = {
    "BF": ("BF", {}),
    "OTS": ("OTS", {}),
    **{f"WDP, {name}": ("WDP", given) for name, given in PRIORS.items()},
    "N-WDP": ("N-WDP", {"votes": 1}),
    "BF, several": ("BF", {"votes": 1, "stop": "decided"}),
}


def caterpillar(n):
    return Tree.from_parents([n, *range(n, 2 * n - 1), *range(n + 1, 2 * n - 1), -1])


def n_cuts_below(tree):
    counts = np.ones(tree.n_nodes, object)
    for v in range(tree.n, tree.n_nodes):
        counts[v] = 1 + np.prod([counts[c] for c in tree.children(v)], dtype=object)
    return counts


def n_cuts(tree):
    return int(n_cuts_below(tree)[-1])


def test_the_small_trees_are_complete():
    """Little Schroeder numbers, and Catalan's for binary trees (OEIS A001003, A000108)."""
    assert [sum(t.n == n for t in small_trees(5)) for n in range(1, 6)] == [1, 1, 3, 11, 45]
    assert [sum(t.n == n for t in small_trees(6, 2)) for n in range(1, 7)] == [1, 1, 2, 5, 14, 42]
    assert all(len(all_cuts(t)) == n_cuts(t) for t in small_trees(4))


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_every_cut_of_every_tree_of_up_to_five_leaves_is_found(way):
    name, params = WAYS[way]
    for tree in small_trees(5):
        for cut in all_cuts(tree):
            labels = labels_of(tree, cut)
            assert cut_by(name, tree, compiled_oracle(labels), **params) == Partition(labels)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["BF", "OTS", "WDP, uniform", "N-WDP"])
def test_every_cut_of_every_binary_tree_of_six_and_seven_leaves_is_found(way):
    name, params = WAYS[way]
    for tree in small_trees(7, 2):
        if tree.n < 6:
            continue
        for cut in all_cuts(tree):
            labels = labels_of(tree, cut)
            assert cut_by(name, tree, compiled_oracle(labels), **params) == Partition(labels)


@pytest.mark.slow
def test_breadth_first_queries_nodes_above_and_just_below_the_cut():
    for tree in small_trees(5):
        for cut in all_cuts(tree):
            asked = questions_of("BF", tree, labels_of(tree, cut))
            wanted = above(tree, cut) | {v for v in cut if v >= tree.n}
            assert sorted(asked) == sorted(wanted)
            depths = tree.depths[asked]
            assert (np.diff(depths) >= 0).all()
            if tree.is_binary:
                assert len(asked) <= 2 * len(cut) - 1


@pytest.mark.slow
@pytest.mark.parametrize(("backbone", "step"), [("any", 1), ("longest", 4)])
def test_ots_stays_within_the_bound_of_theorem_1(backbone, step):
    for tree in [*small_trees(5), *small_trees(7, 2), caterpillar(9)][::step]:
        for cut in all_cuts(tree):
            labels = labels_of(tree, cut)
            oracle = compiled_oracle(labels)
            assert cut_by("OTS", tree, oracle, backbone=backbone) == Partition(labels)
            assert oracle.ledger.queries <= log(n_cuts(tree)) / log(1.5) + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("prior", PRIORS)
def test_wdp_searches_as_many_paths_as_lemma_3_says(monkeypatch, prior):
    seen = spied_paths(monkeypatch)
    for tree in [*small_trees(5), caterpillar(8)]:
        for cut in all_cuts(tree):
            cut_by("WDP", tree, compiled_oracle(labels_of(tree, cut)), **PRIORS[prior])
            assert seen[-1].progress[PATHS] == k_tilde(tree, cut)


@pytest.mark.slow
@pytest.mark.parametrize("prior", [0.1, 0.3, 0.6, "uniform"])
def test_wdp_asks_on_average_what_the_entropy_of_the_prior_allows(prior):
    """At least H(c*) (Shannon); at most 2 more for each path by weight-balanced search."""
    for tree in [*small_trees(5), caterpillar(9)]:
        p = dict.fromkeys(range(tree.n, tree.n_nodes), prior)
        if prior == "uniform":
            counts = n_cuts_below(tree)
            p = {v: 1 / int(counts[v]) for v in p}
        mean = entropy = paths = 0.0
        for cut in all_cuts(tree):
            oracle = compiled_oracle(labels_of(tree, cut))
            cut_by("WDP", tree, oracle, prior=prior)
            chance = probability(tree, cut, p)
            mean += chance * oracle.ledger.queries
            paths += chance * k_tilde(tree, cut)
            entropy -= chance * log2(chance)
        assert entropy - 1e-9 <= mean <= entropy + 2 * paths + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("way", [*WAYS, "N-WDP, votes"])
def test_a_checkpoint_has_the_result_of_a_run_with_that_budget(way):
    name, params = WAYS.get(way, ("N-WDP", {"votes": 3, "noise": 0.2}))
    rng = np.random.default_rng(5)
    for tree in [*list(small_trees(7, 3))[-200::25], caterpillar(12)]:
        labels = rng.integers(3, size=tree.n)  # which are not a cut
        whole = compiled_oracle(labels)
        cut_by(name, tree, whole, **params)
        total = whole.ledger.queries
        watched = compiled_oracle(labels, None, range(total + 3))
        cut_by(name, tree, watched, **params)
        assert watched.ledger.queries == total
        recorded = {point.queries: point.result for point in Recorder(watched).trace}
        assert sorted(recorded) == list(range(total))
        for budget in range(total + 2):
            stopped = compiled_oracle(labels, budget)
            result = cut_by(name, tree, stopped, **params)
            assert stopped.ledger.queries == min(budget, total)
            assert stopped.ledger.refused == (budget < total)
            if budget < total:
                assert result == recorded[budget]


@pytest.mark.parametrize("name", SPECS)
def test_a_python_function_is_asked_what_the_compiled_oracle_is(name):
    params = {"votes": 2, "noise": 0.1} if name == "N-WDP" else {}
    tree = tree_of_shape((((), ((), ())), ((), (), ()), (((), ()), ((), ((), ())))))
    for cut in all_cuts(tree)[::7]:
        labels = labels_of(tree, cut)
        oracle = compiled_oracle(labels)
        found = cut_by(name, tree, oracle, **params)
        by_labels = ask_oracle("pair-queries", lambda i, j, y=labels: y[i] == y[j], n=tree.n)
        assert cut_by(name, tree, by_labels, **params) == found
        assert by_labels.ledger.queries == oracle.ledger.queries


@pytest.mark.parametrize("name", SPECS)
def test_the_same_seed_asks_the_same_and_another_seed_other_pairs(name):
    tree = caterpillar(40)
    asked = []
    for seed in (1, 1, 2):
        pairs = []

        def same(i, j, pairs=pairs):
            pairs.append((i, j))
            return i < 20 and j < 20

        cut_by(name, tree, ask_oracle("pair-queries", same, n=40), seed=seed)
        asked.append(pairs)
    assert asked[0] == asked[1]
    if name != "N-WDP":  # that has too few pairs for its votes here
        assert asked[0] != asked[2]


@pytest.mark.parametrize("name", SPECS)
def test_a_tree_of_one_or_two_leaves(name):
    params = {"votes": 1} if name == "N-WDP" else {}
    alone = compiled_oracle(np.zeros(1, np.int64), 0)
    assert cut_by(name, Tree([-1]), alone, **params).n_clusters == 1
    assert not alone.ledger.refused
    for labels in ([0, 0], [0, 1]):
        oracle = compiled_oracle(np.array(labels))
        assert cut_by(name, Tree([2, 2, -1]), oracle, **params) == Partition(labels)
        assert oracle.ledger.queries == 1


@pytest.mark.parametrize("name", SPECS)
def test_without_queries_undecided_is_apart_or_together(name):
    params = {"votes": 1} if name == "N-WDP" else {}
    for undecided, clusters in (("apart", 9), ("together", 1)):
        nothing = compiled_oracle(np.zeros(9, np.int64), 0)
        found = cut_by(name, caterpillar(9), nothing, undecided=undecided, **params)
        assert found.n_clusters == clusters
        assert nothing.ledger.refused


@pytest.mark.slow
def test_a_deep_and_a_wide_tree_need_no_recursion():
    n = 20_000
    star = Tree([n] * n + [-1])
    for name, params in WAYS.values():
        for labels in (np.zeros(n, np.int64), np.arange(n)):
            for tree in (caterpillar(n), star):
                found = cut_by(name, tree, compiled_oracle(labels), **params)
                assert found == Partition(labels)


@pytest.mark.parametrize("name", SPECS)
def test_answers_of_minus_one_are_apart(name):
    params = {"votes": 1} if name == "N-WDP" else {}
    sigma = ask_oracle("pair-queries", lambda i, j: 1 if i // 2 == j // 2 else -1, n=4)
    assert cut_by(name, Tree([4, 4, 5, 5, 6, 6, -1]), sigma, **params).n_clusters == 2


@pytest.mark.parametrize("name", SPECS)
def test_unsure_answers_cost_queries_and_change_no_result(name):
    asked = []

    def same(i, j):
        asked.append((i, j))
        return 0 if len(asked) % 2 == 0 else UNSURE

    params = {"votes": 1} if name == "N-WDP" else {}
    for budget, clusters in ((6, 4), (5, 3 if name == "BF" else 4)):
        asked.clear()
        oracle = ask_oracle("pair-queries", same, n=4, budget=budget)
        found = cut_by(name, Tree([4, 4, 5, 5, 6, 6, -1]), oracle, **params)
        assert found.n_clusters == clusters
        assert len(asked) <= budget


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("N-WDP", {"noise": 0.5}, "noise must be in"),
        ("N-WDP", {"noise": 0.5 - 1e-9}, "too close to 1/2"),
        ("N-WDP", {"delta": 0.0}, "delta must be in"),
        ("N-WDP", {"votes": 0}, "votes must be in"),
        ("N-WDP", {"votes": "many"}, "votes must be one of"),
        ("BF", {"votes": 1.5}, "votes must be str or int"),
        ("OTS", {"undecided": "both"}, "undecided must be one of"),
        ("WDP", {"prior": 0.0}, "prior must be in"),
        ("WDP", {"prior": 1.0}, "prior must be in"),
        ("WDP", {"prior": (0.5, 0.0, 0.5)}, "the prior of node 5 is 0"),
        ("WDP", {"prior": (0.5, 0.5, 1.0)}, "the prior of node 6 is 1"),
        ("WDP", {"prior": (0.5, 0.5)}, "needs 3 probabilities"),
        ("WDP", {"prior": ("a", "b", "c")}, "must be probabilities"),
        ("WDP", {"prior": lambda tree: [0.5, np.nan, 0.5]}, "the prior of node 5 is nan"),
        ("WDP", {"prior": lambda tree: np.zeros((3, 1))}, "needs 3 probabilities"),
        ("WDP", {"prior": "bands", "epsilon": 0.0}, "epsilon must be in"),
        ("WDP", {"prior": "bands", "bands": 0}, "bands must be in"),
        ("WDP", {"prior": "bands", "bands": ()}, "number of bands"),
        ("WDP", {"prior": "bands", "bands": (np.nan,)}, "number of bands"),
        ("WDP", {"prior": "bands", "bands": ("x",)}, "bands must be heights"),
    ],
)
def test_invalid_parameters_are_reported_in_one_line(name, params, message):
    with pytest.raises(ParameterError, match=message) as raised:
        cut_by(name, Tree([4, 4, 5, 5, 6, 6, -1]), compiled_oracle(np.zeros(4, np.int64)), **params)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("name", SPECS)
def test_without_a_tree_it_is_not_applicable(name):
    function, params = SPECS[name].load(), SPECS[name].resolve({})
    with pytest.raises(NotApplicableError):
        function(
            compiled_oracle(np.zeros(3, np.int64)), Items(n=3), np.random.default_rng(0), **params
        )


def test_the_arrays_of_a_search_take_little_memory():
    """The tree in int32: 20 bytes per node, and its label."""
    search = Search.of(caterpillar(1000), np.random.default_rng(0))
    assert sum(a.nbytes for a in (*search.shape, search.label)) < 1000 * 40
