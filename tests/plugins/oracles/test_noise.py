"""Triplets, noise models, and active comparisons."""

import re
from collections import Counter
from math import comb

import numpy as np
import pytest
from numba import njit, types
from scipy import stats

import hcbench
from hcbench import (
    UNSURE,
    Answers,
    BudgetExceededError,
    Comparisons,
    NotApplicableError,
    Oracle,
    OracleRequest,
    ParameterError,
    Problem,
    ask_oracle,
)
from hcbench.compiled import ASK, STATE
from hcbench.errors import InvalidAnswerError
from hcbench_oracles.active import quadruplet_queries
from hcbench_oracles.passive import quadruplet_set, triplet_set


def problem_of(n: int, seed: int = 0) -> Problem:
    w = np.random.default_rng(seed).normal(size=(n, n))
    return Problem(n=n, similarity=w + w.T)


def read(oracle, problem: Problem, seed: int = 0, budget: int | None = None, **params):
    answers = oracle(OracleRequest(problem=problem, seed=seed, budget=budget), **params)
    assert answers.size == len(answers.data)
    return answers.data


def wrong(problem: Problem, comparisons: Comparisons) -> np.ndarray:
    i, j, k, l = comparisons.quadruplets().T  # noqa: E741
    return problem.similarity[i, j] < problem.similarity[k, l]


def margins(problem: Problem, comparisons: Comparisons) -> np.ndarray:
    i, j, k, l = comparisons.quadruplets().T  # noqa: E741
    return np.abs(problem.similarity[i, j] - problem.similarity[k, l])


def active(problem: Problem, seed: int = 0, budget: int | None = None, **params) -> Oracle:
    return Oracle(
        quadruplet_queries(OracleRequest(problem=problem, seed=seed, budget=budget), **params),
        budget,
    )


# Triplets


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_p_of_one_gives_every_triplet_once_and_true(n):
    problem = problem_of(n)
    triplets = read(triplet_set, problem, p=1.0)
    i, j, k = triplets.triplets().T
    assert len(triplets) == n * comb(n - 1, 2) if n > 1 else len(triplets) == 0
    asked = {(a, frozenset((b, c))) for a, b, c in zip(i, j, k, strict=True)}
    assert len(asked) == len(triplets)
    assert (problem.similarity[i, j] > problem.similarity[i, k]).all()


@pytest.mark.slow
def test_every_triplet_is_equally_likely():
    seen = Counter(
        (int(i), frozenset((int(j), int(k))))
        for seed in range(2000)
        for i, j, k in read(triplet_set, problem_of(4), seed, p=0.3).triplets()
    )
    assert len(seen) == 12
    counts = np.array(list(seen.values()))
    assert stats.chisquare(counts).pvalue > 1e-3
    assert abs(counts.sum() - 0.3 * 12 * 2000) < 4 * np.sqrt(12 * 2000 * 0.21)


def test_a_triplet_is_answered_as_the_quadruplet_that_it_is_noise_included():
    problem = problem_of(9)
    triplets = read(triplet_set, problem, 5, p=1.0, noise=0.3)
    quadruplets = read(quadruplet_set, problem, 5, p=1.0, noise=0.3)
    assert len(triplets & quadruplets) == len(triplets)
    assert 0.1 < wrong(problem, triplets).mean() < 0.5


@pytest.mark.slow
def test_triplets_have_counts_budgets_and_ties():
    problem = problem_of(30)
    assert len(read(triplet_set, problem, count=77)) == 77
    assert len(read(triplet_set, problem, p=1.0, budget=50)) == 50
    assert len(read(triplet_set, problem, count=0)) == 0
    assert len(read(triplet_set, Problem(n=5, similarity=np.ones((5, 5))), p=1.0)) == 0
    with pytest.raises(ParameterError, match="triplet-set takes p or count"):
        read(triplet_set, problem, p=1.0, count=3)
    with pytest.raises(ParameterError, match=r"n=2000 and p=1.0 make 3994002000 comparisons"):
        read(triplet_set, Problem(n=2000, vectors=np.eye(2000)), p=1.0)


def test_triplets_of_the_data_set_are_those_with_a_common_item():
    fixed = Comparisons.from_quadruplets(5, [[0, 1, 2, 3], [2, 3, 3, 4], [0, 4, 1, 4]])
    problem = Problem(n=5, comparisons=fixed)
    assert read(triplet_set, problem).triplets().tolist() == [[3, 2, 4], [4, 0, 1]]
    assert len(read(triplet_set, problem, budget=1)) == 1
    with pytest.raises(NotApplicableError, match="no comparison of this data set is a triplet"):
        read(triplet_set, Problem(n=5, comparisons=fixed.select([0])))
    assert len(read(triplet_set, Problem(n=5, comparisons=Comparisons(5, [], [])))) == 0


# Noise


@pytest.mark.parametrize("oracle", [quadruplet_set, triplet_set])
def test_logistic_noise_is_likelier_the_closer_the_similarities_are(oracle):
    problem, scale = problem_of(40), 0.7
    comparisons = read(oracle, problem, 3, count=20_000, scale=scale)
    flipped, margin = wrong(problem, comparisons), margins(problem, comparisons)
    for low, high in ((0, 0.2), (0.2, 0.7), (0.7, 1.5), (1.5, 9)):
        inside = (margin >= low) & (margin < high)
        p = 1 / (1 + np.exp(margin[inside] / scale))
        z = (flipped[inside].sum() - p.sum()) / np.sqrt((p * (1 - p)).sum())
        assert abs(z) < 4
    assert comparisons.annotator is None


@pytest.mark.slow
def test_annotators_differ_and_are_named():
    problem = problem_of(60)
    crowd = read(quadruplet_set, problem, 1, count=200_000, noise=0.2, annotators=40)
    assert crowd.annotator.max() < 40
    asked = np.bincount(crowd.annotator, minlength=40)
    assert stats.chisquare(asked).pvalue > 1e-3
    rates = np.bincount(crowd.annotator, wrong(problem, crowd), 40) / asked
    assert stats.kstest(rates, "uniform", args=(0, 0.4)).pvalue > 1e-3
    # Within one annotator the errors are independent of the item pairs' similarity.
    worst = crowd.select(crowd.annotator == rates.argmax())
    near = margins(problem, worst) < np.median(margins(problem, worst))
    errors = wrong(problem, worst)
    assert errors[near].mean() == pytest.approx(errors[~near].mean(), abs=0.05)
    again = read(quadruplet_set, problem, 1, count=200_000, noise=0.2, annotators=40)
    assert again == crowd
    right = read(quadruplet_set, problem, 1, p=1.0, annotators=3)  # all, with their annotators
    assert not wrong(problem, right).any()
    assert set(right.annotator.tolist()) == {0, 1, 2}


def test_annotators_of_the_data_are_preserved():
    fixed = Comparisons.from_quadruplets(4, [[0, 1, 2, 3], [0, 2, 1, 3]], annotator=[4, 9])
    problem = Problem(n=4, comparisons=fixed)
    assert read(quadruplet_set, problem).annotator.tolist() == [4, 9]
    assert read(quadruplet_set, problem, noise=0.4).annotator.tolist() == [4, 9]
    assert read(quadruplet_set, problem, count=1).annotator.tolist() in ([4], [9])
    with pytest.raises(ParameterError, match="scale needs similarities"):
        read(quadruplet_set, problem, scale=1.0)


def test_named_annotators_of_crowd_data_have_their_own_error_rates():
    problem = problem_of(60)
    right = read(quadruplet_set, problem, 1, count=50_000)
    names = np.arange(len(right)) % 20 + 100
    crowd = Comparisons(60, right.closer, right.farther, names)
    given = Problem(n=60, comparisons=crowd)
    noisy = read(quadruplet_set, given, 2, noise=0.2, annotators=1)
    np.testing.assert_array_equal(noisy.annotator, names)
    rates = np.bincount(names - 100, wrong(problem, noisy)) / np.bincount(names - 100)
    assert stats.kstest(rates, "uniform", args=(0, 0.4)).pvalue > 1e-3
    assert rates.max() - rates.min() > 0.15
    assert read(quadruplet_set, given, 2, annotators=1) == crowd


def test_a_repeated_query_in_crowd_data_is_answered_anew():
    """In both orders, and for each annotator."""
    rows = [[0, 1, 2, 3], [2, 3, 0, 1], [0, 2, 1, 3]] * 4000
    fixed = Comparisons.from_quadruplets(4, rows)
    noisy = read(quadruplet_set, Problem(n=4, comparisons=fixed), noise=0.3)
    turned = (noisy.closer != fixed.closer).reshape(-1, 3)
    np.testing.assert_allclose(turned.mean(axis=0), 0.3, atol=0.04)
    assert abs(np.corrcoef(turned.T) - np.eye(3)).max() < 0.08
    crowd = read(quadruplet_set, Problem(n=4, comparisons=fixed), noise=0.3, annotators=2)
    assert set(crowd.annotator[::3].tolist()) == {0, 1}


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"noise": 0.5}, r"noise must be in \[0, 0.5\), got 0.5"),
        ({"scale": -1.0}, r"scale must be in \[0, inf\), got -1.0"),
        ({"annotators": -1}, "annotators must be in"),
        ({"scale": 1.0, "noise": 0.1}, "scale excludes noise"),
        ({"scale": 1.0, "annotators": 3}, "scale excludes noise and annotators"),
    ],
)
def test_invalid_noise_models_are_refused(params, message):
    for oracle in (quadruplet_set, triplet_set, quadruplet_queries):
        with pytest.raises(ParameterError, match=message):
            oracle(OracleRequest(problem=problem_of(4), seed=0), **params)


# Active


def all_questions(n: int) -> np.ndarray:
    i, j = np.triu_indices(n, 1)
    a, b = np.triu_indices(len(i), 1)
    return np.column_stack([i[a], j[a], i[b], j[b]])


@njit(types.int64(ASK, STATE, types.int64[::1]), cache=True)
def ask_one(ask, state, question):
    return ask(state, question[0], question[1], question[2], question[3])


def test_active_answers_are_correct_in_every_order_of_a_query():
    rng = np.random.default_rng(0)
    w = rng.integers(0, 6, size=(8, 8))  # with ties
    w = (w + w.T).astype(float)
    oracle = active(Problem(n=8, similarity=w))
    rows = all_questions(8)
    i, j, k, l = rows.T  # noqa: E741
    right = np.sign(w[i, j] - w[k, l])
    np.testing.assert_array_equal(oracle.ask(rows), right)
    np.testing.assert_array_equal(oracle.ask(rows[:, [1, 0, 2, 3]]), right)
    np.testing.assert_array_equal(oracle.ask(rows[:, [3, 2, 0, 1]]), -right)
    assert oracle.ledger.queries == 3 * len(rows)
    assert oracle.ledger.distinct_queries == len(rows)
    assert oracle.ask([[0, 1, 1, 0]]).tolist() == [0]
    for question in ([2, 2, 0, 1], [0, 1, 3, 3]):
        for asked in (oracle, active(Problem(n=8, similarity=w), noise=0.3)):
            with pytest.raises(ValueError, match="pairs an item with itself"):
                asked.ask([question])
            with pytest.raises(ValueError, match="pairs an item with itself"):
                asked.run(ask_one, np.array(question))
            assert asked.ledger.is_sound


def test_active_and_passive_noise_agree_for_each_query():
    """The first answer depends only on the seed and the query."""
    problem = problem_of(12)
    for params in ({"noise": 0.3}, {"scale": 1.0}, {"noise": 0.3, "annotators": 5}):
        said = active(problem, 9, **params).ask(all_questions(12))
        passive = read(quadruplet_set, problem, 9, p=1.0, **params)
        asked = Comparisons.from_quadruplets(12, all_questions(12), said)
        assert asked.unique() == passive.unique()
        assert wrong(problem, asked).any()


def test_noise_is_independent_or_persistent():
    problem, rows = problem_of(15), all_questions(15)
    i, j, k, l = rows.T  # noqa: E741
    right = np.sign(problem.similarity[i, j] - problem.similarity[k, l])
    oracle = active(problem, 4, noise=0.25)
    answers = [oracle.ask(rows) != right for _ in range(3)]
    for one in answers:
        assert one.mean() == pytest.approx(0.25, abs=0.03)
    together = (answers[0] & answers[1]).mean()
    assert together == pytest.approx(0.25**2, abs=0.02)  # independent of each other
    for model in ({"noise": 0.25}, {"scale": 1.0}, {"noise": 0.2, "annotators": 3}):
        firm = active(problem, 4, persistent=True, **model)
        said = firm.ask(rows)
        assert (said != right).any()
        np.testing.assert_array_equal(firm.ask(rows), said)
        np.testing.assert_array_equal(firm.ask(rows[:, [2, 3, 1, 0]]), -said)


def test_ties_stay_ties_in_noise():
    problem = Problem(n=4, similarity=np.ones((4, 4)))
    assert not active(problem, noise=0.4).ask(all_questions(4)).any()
    assert not active(problem, scale=5.0).ask(all_questions(4)).any()
    turned = np.repeat(np.eye(3), 4, axis=0) @ np.linalg.qr(np.arange(9.0).reshape(3, 3) ** 2)[0]
    codes = active(Problem(n=12, vectors=turned)).ask([[0, 1, 4, 5], [0, 1, 0, 4], [0, 4, 1, 8]])
    assert codes.tolist() == [0, 1, 0]  # equal but for rounding


@njit([types.int64(ASK, STATE, types.int64)])
def count_closer(ask, state, n):  # pragma: no cover - compiled
    """Count the pairs of neighbours that are closer than the previous pair, in a loop."""
    found = 0
    for i in range(n - 2):
        found += ask(state, i + 1, i + 2, i, i + 1) > 0
    return found


def test_active_answers_are_compiled_and_obey_the_budget():
    problem = problem_of(50)
    steps = np.diag(problem.similarity, 1)
    oracle = active(problem, budget=48)
    assert oracle.run(count_closer, 50) == (np.diff(steps) > 0).sum()
    assert oracle.ledger.queries == oracle.ledger.distinct_queries == 48
    with pytest.raises(BudgetExceededError, match="budget of 48"):
        oracle.run(count_closer, 50)
    with pytest.raises(BudgetExceededError, match="1 more quadruplet-queries exceed"):
        active(problem, budget=0).ask([[0, 1, 2, 3]])


# A callable that answers


def test_a_callable_answers_one_by_one_or_in_arrays():
    problem = problem_of(6)
    w, rows = problem.similarity, all_questions(6)
    wanted = active(problem).ask(rows)

    def single(i: int, j: int, k: int, l: int) -> bool:  # noqa: E741
        assert isinstance(i, int)
        return bool(w[i, j] > w[k, l])

    def whole(i, j, k, l):  # noqa: E741
        assert i.shape == l.shape == (len(rows),)
        return w[i, j] > w[k, l]

    kind = "quadruplet-queries"
    np.testing.assert_array_equal(ask_oracle(kind, single, n=6).ask(rows), wanted)
    np.testing.assert_array_equal(ask_oracle(kind, whole, n=6, vectorized=True).ask(rows), wanted)
    with pytest.raises(InvalidAnswerError, match=r"2 queries .* shape \(\)"):
        ask_oracle(kind, lambda *_: True, n=6, vectorized=True).ask(rows[:2])


def test_a_no_beside_an_unsure_stays_a_no():
    said = iter([False, UNSURE, True, False])
    oracle = ask_oracle("quadruplet-queries", lambda *_: next(said), n=4)
    assert oracle.ask([[0, 1, 2, 3], [0, 2, 1, 3], [0, 3, 1, 2]]).tolist() == [-1, -1, 1]


TOY = """
import numpy as np
from hcbench import AlgorithmSpec, hookimpl

def chain(oracle, items, rng):
    '''Join to the first two items in the order of similarity to item 0.'''
    order = [1]
    for item in range(2, items.n):
        at = 0
        while at < len(order) and oracle.ask([[0, order[at], 0, item]])[0] > 0:
            at += 1
        order.insert(at, item)
    return np.array([(0, order[0])] + [(items.n + k, x) for k, x in enumerate(order[1:])])

@hookimpl
def hcbench_algorithms():
    kinds = ("quadruplet-queries",)
    return [AlgorithmSpec(name="chain", function=chain, doc="A toy.", accepts=kinds)]
"""


def test_fit_asks_a_callable_within_the_budget(tmp_path):
    (tmp_path / "chain_toy.py").write_text(TOY)
    registry = hcbench.load_registry([tmp_path / "chain_toy.py"])
    (chain,) = registry.use_algorithms("chain")
    w = np.array([[0, 3, 9, 5.0], [3, 0, 1, 1], [9, 1, 0, 1], [5, 1, 1, 0]])
    asked = []

    def closer(i, j, k, l):  # noqa: E741
        asked.append((i, j, k, l))
        return w[i, j] > w[k, l]

    tree = hcbench.fit(chain, n=4, quadruplet=closer)
    assert hcbench.fit(chain, n=4, quadruplet=closer, vectorized=True) == tree
    assert re.sub(r":[0-9.]+", "", tree.to_newick()) == "(1,(3,(0,2)));"
    assert hcbench.fit(chain, Problem(n=4, similarity=w)) == tree  # by the oracle of that kind
    asked.clear()
    with pytest.raises(BudgetExceededError):
        hcbench.fit(chain, n=4, quadruplet=closer, budget=2)
    assert len(asked) == 2
    with pytest.raises(BudgetExceededError):
        hcbench.fit(chain, n=4, quadruplet=closer, budget=0)
    with pytest.raises(ParameterError, match="vectorized= is for a callable"):
        hcbench.fit(chain, Problem(n=4, similarity=w), vectorized=True)
    oracle = Oracle(Answers(kind="quadruplet-queries", n=4, arity=4, answer=lambda *_: []))
    with pytest.raises(ParameterError, match="vectorized="):
        hcbench.fit(chain, oracle, vectorized=True)
