"""SL and CL by comparisons only, against scipy's linkage of the similarities."""

from math import ceil, log2

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

import hcbench
from hcbench import Answers, HeightKind, Items, Oracle, OracleRequest, Problem, Tree
from hcbench.errors import BudgetExceededError, NotApplicableError, ParameterError
from hcbench_oracles.active import quadruplet_queries
from hcbench_quadruplets import (
    _active_complete_kernels as complete_kernels,
    _active_kernels as kernels,
    _tournament_kernels as tournament_kernels,
)
from hcbench_quadruplets.active import complete_linkage, single_linkage

LINKAGES = {"single": single_linkage, "complete": complete_linkage}
WAYS = ("frugal", "merge-sort")
EACH = [(method, ask) for method in LINKAGES for ask in WAYS]


def without_ties(n: int, seed: int) -> np.ndarray:
    """A symmetric matrix; the values of the pairs are 0..M-1 in random order."""
    w = np.zeros((n, n))
    w[np.triu_indices(n, 1)] = np.random.default_rng(seed).permutation(n * (n - 1) // 2)
    return w + w.T


def of_points(n: int, seed: int) -> np.ndarray:
    """Similarities with structure: minus distances of clustered points."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 2)) + rng.integers(3, size=(n, 1)) * 4
    return -np.sqrt(((x[:, None] - x) ** 2).sum(axis=2))


def by_scipy(w: np.ndarray, method: str) -> Tree:
    d = w.max() - w
    np.fill_diagonal(d, 0)
    return Tree.from_linkage(linkage(squareform(d, checks=False), method), kind=HeightKind.ORDER)


def oracle_of(w: np.ndarray, budget: int | None = None, **noise) -> Oracle:
    problem = Problem(n=len(w), similarity=w)
    return Oracle(
        quadruplet_queries(OracleRequest(problem=problem, seed=5, budget=budget), **noise), budget
    )


def fit(oracle: Oracle, method: str, ask: str, names=None) -> Tree:
    given_ = Items(n=oracle.n, names=names)
    return LINKAGES[method](oracle, given_, np.random.default_rng(0), ask=ask)


def same_merges(tree: Tree, other: Tree) -> bool:
    """Whether the clusters are the same, merged in the same order."""
    return tree.kind is other.kind is HeightKind.ORDER and all(
        tree.cut(k) == other.cut(k) for k in range(1, tree.n + 1)
    )


@pytest.mark.parametrize(("method", "ask"), EACH)
@given(n=st.integers(2, 40), seed=st.integers(0, 10**6), structured=st.booleans())
def test_the_tree_and_the_order_of_merges_are_those_of_scipy(method, ask, n, seed, structured):
    w = of_points(n, seed) if structured else without_ties(n, seed)
    tree = fit(oracle_of(w), method, ask)
    reference = by_scipy(w, method)
    assert tree.isomorphic(reference)
    assert same_merges(tree, reference)


@pytest.mark.parametrize(("method", "ask"), EACH)
@pytest.mark.parametrize("n", [63, 64, 65, 150])
def test_larger_sets_with_sizes_around_a_power_of_two(method, ask, n):
    for w in (of_points(n, n), without_ties(n, n)):
        assert same_merges(fit(oracle_of(w), method, ask), by_scipy(w, method))


@pytest.mark.parametrize(("method", "ask"), EACH)
@settings(max_examples=15)
@given(n=st.integers(1, 9), seed=st.integers(0, 10**6))
def test_a_python_callable_gets_the_queries_that_the_ledger_counts(method, ask, n, seed):
    w = without_ties(n, seed)
    asked = []

    def closer(i, j, k, l):  # noqa: E741
        assert i != j
        assert k != l
        assert {i, j} != {k, l}
        asked.append(frozenset((frozenset((i, j)), frozenset((k, l)))))
        return w[i, j] > w[k, l]

    oracle = hcbench.ask_oracle("quadruplet-queries", closer, n=n)
    tree = fit(oracle, method, ask)
    compiled = oracle_of(w)
    assert tree == fit(compiled, method, ask)
    for ledger in (oracle.ledger, compiled.ledger):
        assert ledger.queries == ledger.rounds == len(asked)
        assert ledger.distinct_queries == len(set(asked))
    if n > 1:
        assert same_merges(tree, by_scipy(w, method))


def test_without_a_harness():
    w = without_ties(5, 3)
    for name, method in (("SL", "single"), ("CL", "complete")):
        tree = hcbench.fit(name, n=5, quadruplet=lambda i, j, k, m: bool(w[i, j] > w[k, m]))
        assert same_merges(tree, by_scipy(w, method))


def test_four_items_by_hand():
    """w_01 > w_23 > w_12 > w_03 > w_13 > w_02: one chain for SL, two pairs for CL."""
    w = np.zeros((5, 5))
    for value, (i, j) in enumerate([(0, 2), (1, 3), (0, 3), (1, 2), (2, 3), (0, 1)], start=10):
        w[i, j] = w[j, i] = value
    w[4, :4] = w[:4, 4] = [1, 2, 9.5, 3]  # 4 is nearest to 2, and farthest of all from 0
    for ask in WAYS:
        single = fit(oracle_of(w), "single", ask)
        assert single.parent.tolist() == [5, 5, 6, 6, 8, 7, 7, 8, -1]
        complete = fit(oracle_of(w[:4, :4]), "complete", ask)
        assert complete.parent.tolist() == [4, 4, 5, 5, 6, 6, -1]
        assert complete.height.tolist() == [0, 0, 0, 0, 1, 2, 3]


@pytest.mark.parametrize("method", LINKAGES)
@given(n=st.integers(2, 30), seed=st.integers(0, 10**6))
def test_the_merge_sort_makes_the_queries_of_proposition_1(method, n, seed):
    oracle = oracle_of(without_ties(n, seed))
    fit(oracle, method, "merge-sort")
    pairs = n * (n - 1) // 2
    asked = oracle.ledger.queries
    assert pairs - 1 <= asked <= pairs * ceil(log2(pairs))
    assert oracle.ledger.distinct_queries == asked  # no query twice


@pytest.mark.parametrize("m", [1, 2, 3, 5, 8, 9, 100])
def test_pairs_in_order_and_in_reverse_are_sorted_within_the_bounds(m):
    w = np.zeros((m + 2, m + 2))
    w[0, 1:] = w[1:, 0] = -np.arange(1.0, m + 2)
    for given_ in (np.arange(1, m + 1), np.arange(m, 0, -1)):
        i, j = np.zeros(m, np.int64), given_.copy()
        oracle = oracle_of(w)
        oracle.run(kernels.sort_pairs, i, j)
        assert j.tolist() == list(range(1, m + 1))
        assert m - 1 <= oracle.ledger.queries <= m * ceil(log2(m))


@pytest.mark.parametrize("method", LINKAGES)
def test_the_frugal_method_makes_far_fewer_queries_than_the_merge_sort(method):
    """Every pair outside of a spanning tree must lose at least once."""
    n = 120
    pairs = n * (n - 1) // 2
    for w in (of_points(n, 1), without_ties(n, 1)):
        asked = {}
        for ask in WAYS:
            oracle = oracle_of(w)
            fit(oracle, method, ask)
            asked[ask] = oracle.ledger.queries
        assert pairs - (n - 1) <= asked["frugal"] < asked["merge-sort"] / 3


@pytest.mark.parametrize(("method", "ask"), EACH)
def test_monotone_transforms_change_no_query_and_no_answer(method, ask):
    w = of_points(25, 4)
    oracles = [oracle_of(w), oracle_of(np.exp(w)), oracle_of(w**3 - 7)]
    trees = [fit(oracle, method, ask) for oracle in oracles]
    assert trees[0] == trees[1] == trees[2]
    assert len({oracle.ledger.queries for oracle in oracles}) == 1


@pytest.mark.parametrize(("method", "ask"), EACH)
def test_renumbered_items_give_the_same_tree(method, ask):
    w = without_ties(24, 9)
    order = np.random.default_rng(1).permutation(24)
    names = tuple(f"x{i}" for i in range(24))
    tree = fit(oracle_of(w), method, ask, names)
    shuffled = fit(oracle_of(w[np.ix_(order, order)]), method, ask, tuple(names[i] for i in order))
    assert tree.isomorphic(shuffled)
    assert [{names[i] for i in tree.leaves(node)} for node in range(24, 47)] == [
        {shuffled.names[i] for i in shuffled.leaves(node)} for node in range(24, 47)
    ]


def contradictory(n: int, answer) -> Oracle:
    def ask(request):
        questions = request.queries
        return answer(questions).astype(np.int8)

    return Oracle(Answers(kind="quadruplet-queries", n=n, arity=4, answer=ask))


@pytest.mark.parametrize(("method", "ask"), EACH)
def test_ties_and_contradictory_answers_give_some_tree(method, ask):
    rng = np.random.default_rng(0)
    nonsense = {
        "ties": lambda q: np.zeros(len(q)),
        "always": lambda q: np.ones(len(q)),
        "never": lambda q: -np.ones(len(q)),
        "chance": lambda q: rng.integers(-1, 2, len(q)),
    }
    for answer in nonsense.values():
        for n in (2, 3, 7, 12):
            tree = fit(contradictory(n, answer), method, ask)
            assert (tree.n, tree.is_binary) == (n, True)
    w = without_ties(40, 2)
    for noise in ({"noise": 0.45}, {"noise": 0.3, "persistent": True}):
        trees = [fit(oracle_of(w, **noise), method, ask) for _ in range(2)]
        assert trees[0] == trees[1]
        assert trees[0].is_binary


@pytest.mark.parametrize("method", LINKAGES)
@given(n=st.integers(2, 9), values=st.integers(1, 4), seed=st.integers(0, 10**6))
def test_with_ties_every_merge_is_a_maximal_one(method, n, values, seed):
    w = np.random.default_rng(seed).integers(values, size=(n, n)).astype(float)
    w = np.maximum(w, w.T)
    combine = {"single": np.max, "complete": np.min}[method]
    for ask in WAYS:
        tree = fit(oracle_of(w), method, ask)
        clusters = {item: [item] for item in range(n)}
        for node in range(n, 2 * n - 1):
            p, q = tree.children(node)
            between = {
                (a, b): combine(w[np.ix_(clusters[a], clusters[b])])
                for a in clusters
                for b in clusters
                if a < b
            }
            assert between[min(p, q), max(p, q)] == max(between.values())
            clusters[node] = clusters.pop(p) + clusters.pop(q)


@pytest.mark.parametrize(("method", "ask"), EACH)
def test_a_budget_that_is_too_small_is_reported_and_a_sufficient_one_works(method, ask):
    w = without_ties(12, 0)
    free = oracle_of(w)
    tree = fit(free, method, ask)
    assert fit(oracle_of(w, budget=free.ledger.queries), method, ask) == tree
    for budget in (0, free.ledger.queries - 1):
        oracle = oracle_of(w, budget=budget)
        with pytest.raises(BudgetExceededError, match=f"budget of {budget} "):
            fit(oracle, method, ask)
        assert oracle.ledger.queries == budget
        assert oracle.ledger.is_sound


@pytest.mark.parametrize(("method", "ask"), EACH)
def test_one_item_and_too_many(method, ask):
    tree = fit(hcbench.ask_oracle("quadruplet-queries", max, n=1), method, ask)
    assert (tree.n, tree.kind) == (1, HeightKind.ORDER)
    if (method, ask) != ("single", "frugal"):
        with pytest.raises(NotApplicableError, match=r"65536 items, got 70000"):
            fit(hcbench.ask_oracle("quadruplet-queries", max, n=70_000), method, ask)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 7, 8, 9, 31, 32, 33])
def test_nodes_of_a_tournament_are_a_tree_over_all_leaves(size):
    def leaves(m: int) -> list[int]:
        h = m & -m
        left = [m - 1] if h == 1 else leaves(m - h // 2)
        right = tournament_kernels.node_of_right_part(m, size)
        return left + ([m] if right == 0 else leaves(right))

    root = 2 ** (size - 1).bit_length() // 2
    assert (leaves(root) if size > 1 else [0]) == list(range(size))


@given(st.integers(1, 65_535), st.data())
def test_pairs_are_numbered_by_rows(i, data):
    c = data.draw(st.integers(0, i - 1))
    assert complete_kernels.items_of_pair(i * (i - 1) // 2 + c) == (i, c)


def test_the_specs_check_their_parameters():
    registry = hcbench.load_registry()
    for name in ("SL", "CL"):
        (use,) = registry.use_algorithms(f"{name}[ask=merge-sort]")
        assert use.params == {"ask": "merge-sort"}
        with pytest.raises(ParameterError, match="frugal, merge-sort"):
            registry.use_algorithms(f"{name}[ask=often]")
