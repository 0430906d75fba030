"""InsertionClustering: exhaustively on small trees, its bounds, its search against a naive one."""

from itertools import chain, combinations, permutations
from math import floor, log, log2

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from hcbench import (
    NONE,
    BudgetExceededError,
    DataRequest,
    Oracle,
    OracleRequest,
    Problem,
    Tree,
    ask_oracle,
    fit,
)
from hcbench.errors import InvalidAnswerError
from hcbench_oracles.ordinal import ordinal_queries
from hcbench_ordinal._insertion_kernels import insert
from hcbench_ordinal._pivot_kernels import MOST_CUTS, A, B, best_pivot, cut_below, learn, start
from hcbench_ordinal._tree_kernels import new_tree
from hcbench_ordinal.shapes import random_tree

SEPARATORS = ("exact", "fast", "topdown")
SHAPES = ("random", "balanced", "caterpillar", "yule")
ALGORITHMS = [f"InsertionClustering[separator={s}]" for s in SEPARATORS]


def oracle_of(problem, budget=None, **parameters):
    return Oracle(ordinal_queries(OracleRequest(problem=problem, seed=0), **parameters), budget)


def binary_trees(n):
    """All (2n-3)!! trees, as parents: insert the last leaf above each node of each smaller tree."""
    if n == 1:
        yield [-1]
        return
    for smaller in binary_trees(n - 1):
        # Inner nodes move up by one to make room for leaf n - 1.
        moved = [p + 1 if p >= 0 else p for p in smaller]
        nodes = [*moved[: n - 1], None, *moved[n - 1 :]]
        for below in range(len(nodes)):
            if below != n - 1:
                parent = [*nodes, nodes[below]]
                parent[below] = parent[n - 1] = len(nodes)
                yield parent


def test_the_binary_trees_are_all_different():
    trees = [Tree.from_parents(parent) for parent in binary_trees(5)]
    clusters = {frozenset(frozenset(t.leaves(v).tolist()) for v in range(9)) for t in trees}
    assert len(clusters) == len(trees) == 105  # (2n-3)!!


@pytest.mark.slow
@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_binary_tree_of_up_to_six_items_is_found(name):
    for parent in chain.from_iterable(map(binary_trees, range(1, 7))):
        truth = Tree.from_parents(parent)
        answers = ordinal_queries(
            OracleRequest(problem=Problem(n=truth.n, truths={"t": truth}), seed=0)
        )
        for order in ("given", "random"):
            assert fit(f"{name[:-1]}, order={order}]", Oracle(answers)).isomorphic(truth)


@pytest.mark.slow
@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_order_of_insertion_finds_the_tree(name):
    for parent in binary_trees(4):
        truth = Tree.from_parents(parent)
        for order in permutations(range(4)):
            tree = truth.relabel(order)
            problem = Problem(n=4, truths={"t": tree})
            assert fit(f"{name[:-1]}, order=given]", oracle_of(problem)).isomorphic(tree)


@given(st.integers(1, 150), st.sampled_from(SHAPES), st.integers(2, 9), st.integers(0, 10**6))
def test_random_trees_of_any_degree_are_found(n, shape, degree, seed):
    problem = random_tree(DataRequest(seed=seed), n=n, shape=shape, degree=degree)
    for name in ALGORITHMS:
        assert fit(name, oracle_of(problem)).isomorphic(problem.truth)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_caterpillar_that_grows_at_its_root_or_at_its_tip_is_found(name):
    """The insertion orders that unbalance a search tree most."""
    n = 600
    parent = [n, *range(n, 2 * n - 1), *range(n + 1, 2 * n - 1), -1]
    tree = Tree.from_parents(parent)
    for truth in (tree, tree.relabel(np.arange(n)[::-1])):
        problem = Problem(n=n, truths={"t": truth})
        oracle = oracle_of(problem)
        assert fit(f"{name[:-1]}, order=given]", oracle).isomorphic(truth)
        if "topdown" not in name:
            assert oracle.ledger.queries < n * log2(n)


class Recorder:
    """Answers in Python by the clusters of the truth, with its own counts."""

    def __init__(self, tree):
        self.ancestors = []
        for leaf in range(tree.n):
            path, v = {leaf}, leaf
            while tree.parent[v] >= 0:
                v = int(tree.parent[v])
                path.add(v)
            self.ancestors.append(path)
        self.asked = []

    def __call__(self, i, j, k):
        self.asked.append((i, j, k))
        common = [len(self.ancestors[a] & self.ancestors[b]) for a, b in ((j, k), (i, k), (i, j))]
        return NONE if len(set(common)) == 1 else int(np.argmax(common))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("separator", SEPARATORS)
def test_a_python_function_answers_as_the_compiled_oracle_does_and_counts_the_same(
    separator, shape
):
    problem = random_tree(DataRequest(seed=3), n=40, shape=shape, degree=3)
    recorder, compiled = Recorder(problem.truth), oracle_of(problem)
    asked = ask_oracle("ordinal-queries", recorder, n=40)
    tree = fit("InsertionClustering", asked, separator=separator)
    assert tree.isomorphic(problem.truth)
    assert tree == fit("InsertionClustering", compiled, separator=separator)
    sets = {frozenset(question) for question in recorder.asked}
    for ledger in (asked.ledger, compiled.ledger):
        assert (ledger.queries, ledger.distinct_queries) == (len(recorder.asked), len(sets))


@pytest.mark.slow
@settings(max_examples=25)
@given(st.integers(3, 120), st.sampled_from(SHAPES), st.integers(0, 10**6))
def test_no_exact_insertion_exceeds_its_bound(n, shape, seed):
    """floor(log2(2i-3)) queries for the i-th item: lemma 4.2 and theorem 4.3."""
    recorder = Recorder(random_tree(DataRequest(seed=seed), n=n, shape=shape).truth)
    fit("InsertionClustering", n=n, ordinal=recorder, separator="exact", order="given")
    for i in range(3, n + 1):
        questions = [q for q in recorder.asked if max(q) == i - 1]
        assert len(questions) <= floor(log2(2 * i - 3))


@pytest.mark.slow
@settings(max_examples=25)
@given(st.integers(3, 80), st.integers(3, 12), st.integers(0, 10**6))
def test_insertion_into_trees_of_higher_degree_keeps_its_bound(n, degree, seed):
    """A node of d children costs r/2 + 1 queries for a part of 1/r: d/(2 log2 d) per halving."""
    problem = random_tree(DataRequest(seed=seed), n=n, shape="yule", degree=degree)
    d = int(np.diff(problem.truth.child_offsets).max())
    recorder = Recorder(problem.truth)
    fit("InsertionClustering", n=n, ordinal=recorder, separator="exact", order="given")
    for i in range(3, n + 1):
        questions = [q for q in recorder.asked if max(q) == i - 1]
        assert len(questions) <= (d / (2 * log2(d)) + 2) * log(2 * i, 2) + d / 2


def places_below(tree_arrays, n, w, top):
    """Count vertices at and below, naively; a vertex of weight 1 hides those below it."""
    child = tree_arrays[1]
    found, left = set(), [top]
    while left:
        v = left.pop()
        found.add(v)
        if w[v] > 1:
            left += child[v - n].tolist()
    return found


@given(st.integers(2, 30), st.sampled_from(SHAPES), st.integers(0, 10**6))
def test_the_pivot_is_the_best_one_of_all_and_cuts_leave_the_candidates(n, shape, seed):
    rng = np.random.default_rng(seed)
    tree, w = new_tree(n), np.ones(2 * n - 1, np.int32)
    oracle_of(random_tree(DataRequest(seed=seed), n=n, shape=shape)).run(
        insert, tree, w, rng.permutation(n), False
    )
    parent, child = tree[0], tree[1]
    top = int(np.flatnonzero(parent < 0)[0])
    S = places_below(tree, n, w, top)
    assert len(S) == 2 * n - 1
    while len(S) > 1:
        regions = {}
        for v in S:
            if v >= n and w[v] > 1:
                sides = [places_below(tree, n, w, c) for c in child[v - n].tolist()]
                regions[v] = [*sides, S - sides[0] - sides[1]]
        pivot = int(best_pivot(tree, w, top))
        sizes = {v: max(map(len, parts)) for v, parts in regions.items()}
        assert sizes[pivot] == min(sizes.values())
        assert sizes[pivot] <= -(-len(S) // 2)
        way = int(rng.integers(3))
        expected = regions[pivot][way]
        if way < 2:
            top = int(child[pivot - n, way])
        else:
            assert cut_below(parent, w, pivot, top) == len(S) - len(expected)
        S = places_below(tree, n, w, top)
        assert expected == S
        assert w[top] == len(S)


def test_a_search_restores_the_weights_of_all_vertices():
    n = 50
    tree, w = new_tree(n), np.ones(2 * n - 1, np.int32)
    oracle_of(random_tree(DataRequest(seed=1), n=n, degree=4)).run(
        insert, tree, w, np.arange(n), False
    )
    before, rng = w.copy(), np.random.default_rng(0)
    top = int(np.flatnonzero(tree[0][: n + tree[4][0]] < 0)[0])
    at, cuts = np.zeros(8, np.int64), np.empty((MOST_CUTS, 3), np.int64)
    for _ in range(200):
        asking = start(tree, w, at, cuts, top, False)
        while asking:
            assert at[A] != at[B]
            asking = learn(tree, w, at, cuts, False, int(rng.integers(-1, 3)))
        assert (w == before).all()


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_the_fast_search_makes_about_as_many_queries_as_the_exact_one(shape):
    problem = random_tree(DataRequest(seed=7), n=4000, shape=shape)
    exact, fast = oracle_of(problem), oracle_of(problem)
    fit("InsertionClustering[separator=exact]", exact)
    fit("InsertionClustering[separator=fast]", fast)
    assert fast.ledger.queries <= 1.03 * exact.ledger.queries
    assert exact.ledger.queries < 4000 * log2(4000)


def test_a_star_takes_about_a_quarter_of_n_squared_queries():
    star = random_tree(DataRequest(seed=0), n=101, degree=101)
    oracle = oracle_of(star)
    assert fit("InsertionClustering", oracle).isomorphic(star.truth)
    # The i-th item is queried with each two of the i - 1 others.
    assert oracle.ledger.queries == sum((i - 1 + 1) // 2 for i in range(3, 102))


@pytest.mark.parametrize("name", [*ALGORITHMS, "QuickClustering"])
@given(st.integers(1, 40), st.integers(0, 10**6))
def test_contradictory_answers_give_some_tree(name, n, seed):
    rng = np.random.default_rng(seed)
    tree = fit(name, n=n, ordinal=lambda *_: int(rng.integers(-1, 3)))
    assert tree.n == n


EVERY = (
    *ALGORITHMS,
    *("QuickClustering", "QuickClustering[merge=binary-search]", "Bottom-up", "Build"),
    *("NoisyInsertion[p=0.8]", "NoisyInsertion[p=0.8,strategy=repeat]"),
    "NoisyInsertion[p=0.8,strategy=paper]",
)


@pytest.mark.parametrize("name", EVERY)
def test_an_invalid_answer_is_refused(name):
    for answer in (-3, 3, 7):
        with pytest.raises(InvalidAnswerError, match=f"was answered by {answer}; answer with"):
            fit(name, n=5, ordinal=lambda *_, answer=answer: answer)


@pytest.mark.parametrize("name", [*ALGORITHMS, *EVERY[3:5]])
def test_a_star_needs_a_query_about_each_pair(name):
    """Otherwise a pair might be closer: at least n(n-1)/6 queries, section 6's Omega(n^2)."""
    n = 20
    for closer in (0, 2):  # as in the paper: two of the leaves below a separate node
        parent = [n] * n + [-1] if not closer else [n] * 2 + [n + 1] * (n - 2) + [n + 1, -1]
        truth = Tree.from_parents(parent).relabel(np.random.default_rng(closer).permutation(n))
        recorder = Recorder(truth)
        assert fit(name, n=n, ordinal=recorder).isomorphic(truth)
        if not closer:
            pairs = {frozenset(pair) for q in recorder.asked for pair in combinations(q, 2)}
            assert len(pairs) == n * (n - 1) // 2


@pytest.mark.parametrize("name", [*ALGORITHMS, "QuickClustering"])
def test_a_budget_ends_the_queries(name):
    with pytest.raises(BudgetExceededError, match="the budget of 20 ordinal-queries is used up"):
        fit(name, oracle_of(random_tree(DataRequest(seed=0), n=50), budget=20))
