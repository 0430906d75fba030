"""Bottom-up and Build: trees from all triples, from some, and from contradictory ones."""

import re
from itertools import chain, combinations, permutations
from math import comb

import numpy as np
import pytest
from hypothesis import given, strategies as st

from hcbench import (
    BudgetExceededError,
    DataError,
    DataRequest,
    NotApplicableError,
    Oracle,
    OracleRequest,
    Problem,
    Tree,
    ask_oracle,
    fit,
)
from hcbench_oracles.ordinal import ordinal_queries
from hcbench_ordinal import triples as module
from hcbench_ordinal._triple_kernels import build, triples_of
from hcbench_ordinal.shapes import random_tree
from tests.plugins.ordinal.test_insertion import Recorder, binary_trees

SHAPES = ("random", "balanced", "caterpillar", "yule")
NAMES = ("Bottom-up", "Build")


def oracle_of(problem, budget=None, **parameters):
    return Oracle(ordinal_queries(OracleRequest(problem=problem, seed=0), **parameters), budget)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_binary_tree_of_up_to_six_items_is_found(name):
    for parent in chain.from_iterable(map(binary_trees, range(1, 7))):
        truth = Tree.from_parents(parent)
        assert fit(name, oracle_of(Problem(n=truth.n, truths={"t": truth}))).isomorphic(truth)


@given(st.integers(1, 30), st.sampled_from(SHAPES), st.integers(2, 30), st.integers(0, 10**6))
def test_random_trees_of_any_degree_are_found_in_one_round(n, shape, degree, seed):
    problem = random_tree(DataRequest(seed=seed), n=n, shape=shape, degree=degree)
    for name in NAMES:
        oracle = oracle_of(problem)
        assert fit(name, oracle).isomorphic(problem.truth)
        expected = (comb(n, 3), comb(n, 3), int(n > 2))
        ledger = oracle.ledger
        assert (ledger.queries, ledger.distinct_queries, ledger.rounds) == expected


@pytest.mark.parametrize("name", NAMES)
def test_a_python_function_answers_every_triple_once(name):
    recorder = Recorder(random_tree(DataRequest(seed=2), n=12, degree=3).truth)
    fit(name, n=12, ordinal=recorder)
    assert sorted(recorder.asked) == list(combinations(range(12), 3))


def test_triples_are_numbered_one_by_one():
    triples = triples_of(np.arange(comb(40, 3)))
    assert sorted(map(tuple, triples.tolist())) == list(combinations(range(40), 3))
    for k in (2000, 200_000, 2_000_000):
        first = k * (k - 1) * (k - 2) // 6
        around = triples_of(np.array([first - 1, first, first + k * (k - 1) // 2 - 1]))
        assert around.tolist() == [[k - 3, k - 2, k - 1], [0, 1, k], [k - 2, k - 1, k]]


@given(st.integers(3, 20), st.integers(0, 200), st.integers(0, 10**6))
def test_build_agrees_with_the_answers_that_it_got(n, count, seed):
    recorder = Recorder(random_tree(DataRequest(seed=seed), n=n).truth)
    tree = fit("Build", n=n, ordinal=recorder, count=count, seed=seed)
    assert (
        len(recorder.asked) == len({frozenset(q) for q in recorder.asked}) == min(count, comb(n, 3))
    )
    asked, found = recorder.asked.copy(), Recorder(tree)
    assert all(found(*question) == recorder(*question) for question in asked)


@given(st.integers(3, 5), st.integers(1, 8), st.integers(0, 10**6))
def test_build_returns_a_tree_exactly_if_one_exists(n, m, seed):
    """Against all binary trees; the reported contradiction is one, and minimal."""
    rng = np.random.default_rng(seed)
    rows = np.array([rng.permutation(n)[:3] for _ in range(m)])
    exists = _some_tree_agrees(n, rows)
    parent, wrong = build(n, rows.copy(), False)
    assert exists == (len(wrong) == 0)
    if exists:
        assert _agrees(Tree.from_parents(parent), rows)
        return
    smallest = module.smallest_conflict(n, wrong)
    assert not _some_tree_agrees(n, smallest)
    for at in range(len(smallest)):
        assert _some_tree_agrees(n, np.delete(smallest, at, axis=0))


def _agrees(tree, rows):
    recorder = Recorder(tree)
    return all(recorder(*row) == 2 for row in rows.tolist())


def _some_tree_agrees(n, rows):
    return any(_agrees(Tree.from_parents(parent), rows) for parent in binary_trees(n))


def test_contradictory_answers_are_named():
    answers = {(0, 1, 2): 2, (0, 1, 3): 2, (0, 2, 3): 2, (1, 2, 3): 1}
    names = ("ant", "bee", "cow", "dog")
    problem = Problem(n=4, names=names)
    with pytest.raises(DataError) as raised:
        fit("Build", problem, ordinal=lambda *q: answers[q])
    message = str(raised.value)
    pattern = r"(\w+) and (\w+) without (\w+)"
    rows = [[names.index(x) for x in row] for row in re.findall(pattern, message)]
    assert message.startswith("no tree agrees with these answers: ")
    assert "\n" not in message
    assert len(rows) >= 2
    assert not _some_tree_agrees(4, np.array(rows))
    for a, b, c in rows:
        question = tuple(sorted((a, b, c)))
        assert question[answers[question]] == c


def test_items_of_contradictory_answers_can_be_left_unresolved():
    """Answers about items 0..3 are contradictory; these are still separated from 4 and 5."""

    def answer(i, j, k):
        if k >= 4:
            return 0 if j >= 4 else 2
        return {(0, 1, 2): 2, (0, 1, 3): 2, (0, 2, 3): 2, (1, 2, 3): 1}[i, j, k]

    tree = fit("Build[on_conflict=star]", n=6, ordinal=answer)
    assert tree.isomorphic(Tree.from_parents([6, 6, 6, 6, 7, 7, 8, 8, -1]))


@pytest.mark.parametrize("seed", range(5))
def test_bottom_up_tolerates_few_wrong_answers(seed):
    """Errors of one or two in sizes do not mix clusters of very different sizes."""
    problem = random_tree(DataRequest(seed=seed), n=32, shape="balanced")
    recorder = Recorder(problem.truth)
    rng = np.random.default_rng(seed)
    wrong = {tuple(sorted(rng.choice(32, 3, replace=False).tolist())) for _ in range(3)}

    def answer(*question):
        right = recorder(*question)
        return (right + 1) % 3 if question in wrong else right

    tree = fit("Bottom-up", n=32, ordinal=answer)
    large = {
        frozenset(problem.truth.leaves(v).tolist())
        for v in range(32, 63)
        if problem.truth.sizes[v] >= 8
    }
    found = {frozenset(tree.leaves(v).tolist()) for v in range(32, tree.n_nodes)}
    assert large <= found


@pytest.mark.parametrize("name", NAMES)
def test_a_budget_that_is_too_small_is_not_spent(name):
    oracle = oracle_of(random_tree(DataRequest(seed=0), n=10), budget=119)
    with pytest.raises(BudgetExceededError, match="120 more ordinal-queries"):
        fit(name, oracle)
    assert oracle.ledger.queries == 0


@pytest.mark.parametrize("name", NAMES)
def test_too_many_triples_are_refused_without_queries(name):
    oracle = oracle_of(random_tree(DataRequest(seed=0), n=800))
    with pytest.raises(NotApplicableError, match="85013600 queries about 800 items"):
        fit(name, oracle)
    assert oracle.ledger.queries == 0


def test_few_triples_of_very_many_are_drawn_without_repetition():
    oracle = ask_oracle("ordinal-queries", lambda *_: 2, n=5000)
    fit("Build[count=1000,on_conflict=star]", oracle)
    assert (oracle.ledger.queries, oracle.ledger.distinct_queries) == (1000, 1000)


def test_orders_of_the_same_query_are_one():
    oracle = ask_oracle("ordinal-queries", lambda *_: 0, n=3)
    oracle.ask(list(permutations(range(3))))
    assert (oracle.ledger.queries, oracle.ledger.distinct_queries) == (6, 1)
