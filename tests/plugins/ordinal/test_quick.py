"""QuickClustering: its trees, splits and queries."""

from itertools import chain
from math import log2

import numpy as np
import pytest
from hypothesis import given, strategies as st

from hcbench import DataRequest, Oracle, OracleRequest, Problem, Tree, ask_oracle, fit
from hcbench_oracles.ordinal import ordinal_queries
from hcbench_ordinal.shapes import random_tree
from tests.plugins.ordinal.test_insertion import Recorder, binary_trees

SHAPES = ("random", "balanced", "caterpillar", "yule")
NAMES = ("QuickClustering", "QuickClustering[merge=binary-search]")


def oracle_of(problem, **parameters):
    return Oracle(ordinal_queries(OracleRequest(problem=problem, seed=0), **parameters))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_binary_tree_of_up_to_six_items_is_found(name):
    for seed, parent in enumerate(chain.from_iterable(map(binary_trees, range(1, 7)))):
        truth = Tree.from_parents(parent)
        oracle = oracle_of(Problem(n=truth.n, truths={"t": truth}))
        assert fit(name, oracle, seed=seed).isomorphic(truth)


@given(st.integers(1, 150), st.sampled_from(SHAPES), st.integers(2, 200), st.integers(0, 10**6))
def test_random_trees_of_any_degree_are_found(n, shape, degree, seed):
    problem = random_tree(DataRequest(seed=seed), n=n, shape=shape, degree=degree)
    for name in NAMES:
        assert fit(name, oracle_of(problem), seed=seed).isomorphic(problem.truth)


@pytest.mark.parametrize("name", NAMES)
def test_a_python_function_answers_as_the_compiled_oracle_does_and_counts_the_same(name):
    problem = random_tree(DataRequest(seed=3), n=60, degree=3)
    recorder, compiled = Recorder(problem.truth), oracle_of(problem)
    asked = ask_oracle("ordinal-queries", recorder, n=60)
    assert fit(name, asked) == fit(name, compiled)
    sets = {frozenset(question) for question in recorder.asked}
    for ledger in (asked.ledger, compiled.ledger):
        assert (ledger.queries, ledger.distinct_queries) == (len(recorder.asked), len(sets))


def test_the_first_split_asks_about_both_pivots_and_every_other_item():
    recorder = Recorder(random_tree(DataRequest(seed=0), n=40).truth)
    fit("QuickClustering", n=40, ordinal=recorder)
    first = recorder.asked[:38]
    pivots = set(first[0][:2])
    assert all(set(question[:2]) == pivots for question in first)
    assert sorted(question[2] for question in first) == sorted(set(range(40)) - pivots)


def test_unbalanced_splits_are_drawn_again():
    """For a caterpillar of 200 items, balance=0.5 accepts few splits, and balance=1 all."""
    problem = random_tree(DataRequest(seed=0), n=200, shape="caterpillar")
    strict, loose = oracle_of(problem), oracle_of(problem)
    assert fit("QuickClustering", strict, balance=0.5).isomorphic(problem.truth)
    assert fit("QuickClustering", loose, balance=1.0).isomorphic(problem.truth)
    assert strict.ledger.queries > 1.5 * loose.ledger.queries


@pytest.mark.parametrize("shape", SHAPES)
def test_queries_grow_as_n_log_n(shape):
    """Merges by binary search take O(log n) queries: the splits dominate, at a few n log2 n."""
    oracle = oracle_of(random_tree(DataRequest(seed=1), n=5000, shape=shape))
    fit("QuickClustering[merge=binary-search]", oracle)
    assert oracle.ledger.queries < 2 * 5000 * log2(5000)


@pytest.mark.slow
@pytest.mark.parametrize("answer", [-1, 0, 1, 2])
def test_constant_answers_terminate(answer):
    tree = fit("QuickClustering", n=18, ordinal=lambda *_: answer)
    assert tree.n == 18
    if answer == -1:
        assert tree.isomorphic(Tree([18] * 18 + [-1]))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", [1, 2, 3, 17, 64])
def test_random_trees_have_their_shape(shape, n):
    problem = random_tree(DataRequest(seed=4), n=n, shape=shape)
    tree = problem.truth
    assert (tree.n, tree.is_binary) == (n, True)
    if shape == "caterpillar":
        assert tree.depths.max() == n - 1
    if shape == "balanced":
        assert tree.depths.max() == int(np.ceil(np.log2(n)))
    if n > 3:
        assert problem.digest() != random_tree(DataRequest(seed=5), n=n, shape=shape).digest()
    assert problem.digest() == random_tree(DataRequest(seed=4), n=n, shape=shape).digest()


def test_a_star_with_a_pair_has_one_pair_at_a_random_place():
    places = set()
    for seed in range(60):
        tree = random_tree(DataRequest(seed=seed), n=5, shape="star-with-pair").truth
        assert tree.n_nodes == 7
        assert sorted(np.diff(tree.child_offsets)[5:].tolist()) == [2, 4]
        places.add(frozenset(tree.leaves(5).tolist()))
    assert len(places) == 10  # of C(5, 2)
    assert random_tree(DataRequest(seed=0), n=2, shape="star-with-pair").truth.n_nodes == 3


@pytest.mark.parametrize("shape", [*SHAPES, "star-with-pair"])
def test_the_first_items_as_pivots_find_the_tree_whatever_the_seed(shape):
    problem = random_tree(DataRequest(seed=3), n=60, shape=shape)
    one, other = oracle_of(problem), oracle_of(problem)
    assert fit("QuickClustering[pivots=first]", one, seed=0).isomorphic(problem.truth)
    assert fit("QuickClustering[pivots=first]", other, seed=1).isomorphic(problem.truth)
    assert one.ledger.queries == other.ledger.queries


def test_the_first_items_as_pivots_take_n_squared_queries_in_the_worst_order():
    """In the order of a caterpillar two items split off at a time; random pivots need n log n."""
    n = 400
    parent = np.r_[n, np.arange(n, 2 * n - 1), np.arange(n + 1, 2 * n - 1), -1]
    truth = Tree(parent).relabel(np.arange(n)[::-1])
    problem = Problem(n=n, truths={"t": truth})
    first, drawn = oracle_of(problem), oracle_of(problem)
    assert fit("QuickClustering[pivots=first]", first).isomorphic(truth)
    fit("QuickClustering", drawn)
    assert first.ledger.queries > n * n / 5
    assert drawn.ledger.queries < n * n / 10


def test_random_trees_of_a_degree_have_nodes_of_that_many_children():
    for degree in (3, 5):
        tree = random_tree(DataRequest(seed=0), n=300, degree=degree).truth
        children = np.diff(tree.child_offsets)[300:]
        assert children.max() == degree
        assert children.min() >= 2
    assert random_tree(DataRequest(seed=0), n=300, degree=300).truth.isomorphic(
        Tree([300] * 300 + [-1])
    )


@pytest.mark.slow
def test_random_shapes_of_four_items_have_their_probabilities():
    """Of 15 trees 3 are balanced; a Yule tree of 4 leaves is balanced with probability 1/3."""
    m = 3000
    for shape, p in (("random", 3 / 15), ("yule", 1 / 3)):
        flat = sum(
            random_tree(DataRequest(seed=s), n=4, shape=shape).truth.depths.max() == 2
            for s in range(m)
        )
        assert abs(flat / m - p) < 5 * np.sqrt(p * (1 - p) / m)


def test_the_items_of_every_shape_are_shuffled():
    for shape in SHAPES:
        truths = [random_tree(DataRequest(seed=s), n=3, shape=shape).truth for s in range(300)]
        odd = [int(np.argmin(t.depths[:3])) for t in truths]
        assert min(np.bincount(odd, minlength=3)) > 60
