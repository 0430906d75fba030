"""The oracle of ordinal queries, against naive definitions."""

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from hcbench import (
    NONE,
    DataRequest,
    HcbenchError,
    NotApplicableError,
    Oracle,
    OracleRequest,
    ParameterError,
    Problem,
    Tree,
)
from hcbench_oracles.ordinal import ordinal_queries
from hcbench_ordinal.shapes import random_tree

SHAPES = ("random", "balanced", "caterpillar", "yule")


def oracle_of(problem, seed=0, **parameters):
    return Oracle(ordinal_queries(OracleRequest(problem=problem, seed=seed), **parameters))


def odd_one_out(tree, i, j, k):
    """By the clusters: a pair is closest if a node contains both and not the third."""
    clusters = [set(tree.leaves(v).tolist()) for v in range(tree.n, tree.n_nodes)]
    items = (i, j, k)
    for at in range(3):
        pair = {*items} - {items[at]}
        if any(pair <= cluster and items[at] not in cluster for cluster in clusters):
            return at
    return NONE


@given(st.integers(3, 9), st.sampled_from(SHAPES), st.integers(2, 5), st.integers(0, 10**6))
def test_answers_are_those_of_the_clusters(n, shape, degree, seed):
    problem = random_tree(DataRequest(seed=seed), n=n, shape=shape, degree=degree)
    triples = [p for t in combinations(range(n), 3) for p in permutations(t)]
    answers = oracle_of(problem).ask(triples)
    assert answers.tolist() == [odd_one_out(problem.truth, *t) for t in triples]


@pytest.mark.parametrize("shape", SHAPES)
def test_answers_about_distant_leaves_are_those_of_lowest_common_ancestors(shape):
    """Across blocks of 32 boundaries and the table over them."""
    problem = random_tree(DataRequest(seed=5), n=3000, shape=shape, degree=4)
    rng = np.random.default_rng(1)
    near = (
        rng.integers(0, 2900, 20000)[:, None]
        + rng.permuted(np.tile(np.arange(90), (20000, 1)), axis=1)[:, :3]
    )
    far = np.array([rng.choice(3000, 3, replace=False) for _ in range(5000)])
    triples = np.concatenate([problem.truth.leaf_order[near], far])
    i, j, k = triples.T
    tree = problem.truth
    low = np.stack([tree.lca(j, k), tree.lca(i, k), tree.lca(i, j)])
    expected = np.where((low == low[0]).all(axis=0), NONE, low.argmin(axis=0))
    assert (oracle_of(problem).ask(triples) == expected).all()


def test_similarities_name_the_item_outside_the_closest_pair():
    S = [[1, 0.9, 0.2, 0.1], [0.9, 1, 0.3, 0.1], [0.2, 0.3, 1, 0.1], [0.1, 0.1, 0.1, 1]]
    oracle = oracle_of(Problem(n=4, similarity=np.array(S)))
    assert oracle.ask([[0, 1, 2], [2, 0, 1], [0, 2, 3], [0, 1, 3]]).tolist() == [2, 0, 2, 2]


def test_two_closest_pairs_are_a_tie():
    S = np.array([[1, 0.5, 0.5], [0.5, 1, 0.1], [0.5, 0.1, 1]])
    problem = Problem(n=3, similarity=S)
    assert oracle_of(problem).ask([[0, 1, 2]]).tolist() == [NONE]
    broken = oracle_of(problem, ties="break")
    assert broken.ask([[0, 1, 2], [2, 0, 1], [0, 2, 1]]).tolist() == [2, 0, 1]


def test_vectors_equally_close_up_to_rounding_are_tied():
    X = np.array([[1, 0], [np.cos(0.3), np.sin(0.3)], [np.cos(0.3), -np.sin(0.3)]])
    assert oracle_of(Problem(n=3, vectors=X)).ask([[0, 1, 2]]).tolist() == [NONE]


def test_labels_are_a_source_and_the_truth_where_there_is_no_other():
    levels = np.array([[0, 0], [0, 0], [0, 1], [1, 0]])
    problem = Problem(n=4, levels=levels, truths={"other": Tree([4, 5, 5, 4, 6, 6, -1])})
    questions = [[0, 1, 2], [0, 2, 3], [1, 2, 3]]
    assert oracle_of(problem, source="labels").ask(questions).tolist() == [2, 2, 2]
    assert oracle_of(problem).ask([[0, 3, 1]]).tolist() == [2]


@given(st.integers(3, 9), st.integers(3, 9), st.integers(0, 10**6))
def test_broken_ties_are_the_answers_of_one_binary_tree(n, degree, seed):
    from hcbench import fit

    problem = random_tree(DataRequest(seed=seed), n=n, degree=degree)
    oracle = oracle_of(problem, ties="break")
    found = fit("Build", oracle)  # which detects contradictions
    assert found.is_binary
    for triple in combinations(range(n), 3):
        right = odd_one_out(problem.truth, *triple)
        assert right in (NONE, odd_one_out(found, *triple))


@pytest.mark.parametrize("wrong", ["random", "adversarial"])
def test_answers_are_wrong_with_the_stated_probability(wrong):
    problem = random_tree(DataRequest(seed=0), n=60)
    triples = np.array(list(combinations(range(60), 3)))
    right = oracle_of(problem).ask(triples)
    noisy = oracle_of(problem, noise=0.3, wrong=wrong).ask(triples)
    errors = noisy != right
    m = len(triples)
    assert abs(errors.mean() - 0.3) < 5 * np.sqrt(0.21 / m)
    smallest = np.where(right == 0, 1, 0)
    share = (noisy == smallest)[errors].mean()
    assert share == 1 if wrong == "adversarial" else abs(share - 0.5) < 5 / np.sqrt(m)


def test_wrong_answers_to_a_tie_name_each_item_equally_often():
    star = Problem(n=50, truths={"star": Tree([50] * 50 + [-1])})
    triples = np.array(list(combinations(range(50), 3)))
    noisy = oracle_of(star, noise=0.4).ask(triples)
    for item in range(3):
        assert abs((noisy == item).mean() - 0.4 / 3) < 5 * np.sqrt(0.12 / len(triples))


@pytest.mark.parametrize("persistent", [False, True])
def test_only_persistent_noise_repeats_answers(persistent):
    problem = random_tree(DataRequest(seed=0), n=30)
    oracle = oracle_of(problem, noise=0.4, persistent=persistent)
    triples = np.array(list(combinations(range(30), 3)))
    first, again = oracle.ask(triples), oracle.ask(triples[:, [2, 0, 1]])
    named = np.take_along_axis(triples, first.astype(int)[:, None], axis=1)
    named_again = np.take_along_axis(triples[:, [2, 0, 1]], again.astype(int)[:, None], axis=1)
    assert (named == named_again).all() == persistent


def test_corrupt_pairs_keep_their_wrong_distance_and_change_only_their_own_triples():
    n = 40
    problem = random_tree(DataRequest(seed=0), n=n)
    triples = np.array(list(combinations(range(n), 3)))
    right = oracle_of(problem).ask(triples)
    oracle = oracle_of(problem, corrupt=0.02)
    noisy = oracle.ask(triples)
    assert (oracle.ask(triples) == noisy).all()
    # Wrong answers are about few pairs: 2% of 780, in n - 2 triples each.
    wrong = triples[noisy != right]
    assert 0 < len(wrong) < 40 * (n - 2)
    assert (oracle_of(problem, corrupt=1e-12).ask(triples) == right).all()


def test_an_item_named_twice_is_refused():
    with pytest.raises(ValueError, match="three different items"):
        oracle_of(random_tree(DataRequest(seed=0), n=5)).ask([[0, 1, 0]])


@pytest.mark.parametrize(
    ("problem", "parameters", "message"),
    [
        (Problem(n=3, vectors=np.eye(3)), {"source": "labels"}, "no labels"),
        (Problem(n=3, vectors=np.eye(3)), {"source": "truth"}, "no true hierarchy"),
        (
            random_tree(DataRequest(seed=0), n=3),
            {"source": "similarity"},
            "neither vectors nor similarities",
        ),
    ],
)
def test_a_missing_source_is_reported(problem, parameters, message):
    with pytest.raises(NotApplicableError, match=message):
        oracle_of(problem, **parameters)


def test_noise_of_a_half_is_refused():
    with pytest.raises(ParameterError, match=r"noise must be in \[0, 0.5\)"):
        oracle_of(random_tree(DataRequest(seed=0), n=3), noise=0.5)
    assert issubclass(ParameterError, HcbenchError)
