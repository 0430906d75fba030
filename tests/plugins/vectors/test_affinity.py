"""Errors of estimated affinities against their definitions, and the theorem that bounds trees."""

from __future__ import annotations

import inspect
import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from hcbench import HeightKind, NotApplicableError, ParameterError, Partition, Problem, Scored, Tree
from hcbench.model import Cost
from hcbench_metrics.merge_heights import merge_distortion
from hcbench_vectors import affinity, hcbench_metrics
from hcbench_vectors.affinity import (
    affinity_error,
    height_inversion,
    merge_distortion_slack,
    negative_affinity,
    vertex_distance_error,
)
from tests.core.trees import trees
from tests.plugins.scoring import PAIR, affinity_tree, scored

VARIANCE = {1: 5, 2: 2, 3: 2, 4: 0.5, 5: 7, 6: 2, 7: 1, 8: 1}
PARENT = {1: 6, 2: 6, 3: 6, 4: 7, 5: 7, 6: 8, 7: 8}


def gray_problem(sizes, p, *, noise=1.0, seed=0):
    """Appendix D.1: data, the vectors of the vertices 1 to 5, and the tree of the observations."""
    rng = np.random.default_rng(seed)
    at = {}
    for v in (8, 7, 6, 5, 4, 3, 2, 1):
        above = at[PARENT[v]] if v in PARENT else 0.0
        at[v] = above + rng.normal(0, np.sqrt(VARIANCE[v]), p)
    height = {8: 1.0, 7: 2.0, 6: 3.0} | {v: 3.0 + VARIANCE[v] for v in (1, 2, 3)}
    height |= {v: 2.0 + VARIANCE[v] for v in (4, 5)}
    n = sum(sizes)
    parent = [*np.repeat(np.arange(n, n + 5), sizes), *[n + 5] * 3, n + 6, n + 6, n + 7, n + 7, -1]
    heights = [*[20.0] * n, *[height[v] for v in (1, 2, 3, 4, 5, 6, 7, 8)]]
    truth = Tree.from_parents(parent, heights, HeightKind.AFFINITY, collapse_unary=True)
    mean = np.repeat([at[v] for v in (1, 2, 3, 4, 5)], sizes, axis=0)
    vectors = mean + noise * rng.normal(size=(n, p))
    return Problem(n=n, vectors=vectors, truths={"tree": truth})


def algorithm_1(estimate):
    """Average linkage by the largest estimate (n, n), with heights in its unit."""
    n = len(estimate)
    off = ~np.eye(n, dtype=bool)
    largest = estimate[off].max()
    distance = np.where(off, largest - estimate, 0.0)
    rows = linkage(squareform(distance, checks=False), "average")
    rows[:, 2] = largest - rows[:, 2]
    return Tree.from_linkage(rows, kind=HeightKind.AFFINITY, leaf_height=np.diag(estimate))


def estimates(vectors, estimate, r):
    if estimate == "cosine":
        unit = vectors / np.linalg.norm(vectors, axis=1)[:, None]
        return unit @ unit.T
    if estimate == "pca":
        _, _, v = np.linalg.svd(vectors, full_matrices=False)
        vectors = vectors @ v[:r].T @ v[:r]
    return vectors @ vectors.T / vectors.shape[1]


def judge(problem, result=None):
    return Scored(problem=problem, result=result or problem.truth, cost=Cost())


@given(
    trees(min_leaves=2, kind=HeightKind.AFFINITY, monotone=False),
    st.integers(1, 5),
    st.integers(0, 99),
    st.sampled_from(["data", "pca", "cosine"]),
    st.booleans(),
)
def test_the_error_is_the_largest_of_all_pairs(truth, p, seed, estimate, is_sparse):
    vectors = np.random.default_rng(seed).normal(size=(truth.n, p))
    r = min(truth.n, p, 2)
    found = estimates(vectors, estimate, r)
    expected = max(
        abs(truth.merge_height(i, j) - found[i, j])
        for i, j in itertools.combinations(range(truth.n), 2)
    )
    given_as = sparse.csr_array(vectors) if is_sparse else vectors
    score = scored(truth, truth=truth, vectors=given_as)
    assert affinity_error(score, estimate, r) == pytest.approx(expected, abs=1e-9)


@given(
    trees(min_leaves=2, monotone=False),
    st.integers(1, 5),
    st.integers(0, 99),
    st.sampled_from(["data", "pca", "cosine"]),
)
def test_inversions_and_negative_affinities_are_those_of_all_pairs(tree, p, seed, estimate):
    vectors = np.random.default_rng(seed).normal(size=(tree.n, p))
    r = min(tree.n, p, 2)
    found = estimates(vectors, estimate, r)
    pairs = list(itertools.combinations(range(tree.n), 2))
    truth = Tree(tree.parent, np.zeros(tree.n_nodes), HeightKind.AFFINITY)
    score = scored(tree, truth=truth, vectors=vectors)
    least = min(found[i, j] for i, j in pairs)
    assert negative_affinity(score, estimate, r) == pytest.approx(max(0, -least), abs=1e-9)
    merged = {}
    for i, j in pairs:
        merged.setdefault(int(tree.lca(i, j)), []).append(found[i, j])
    below = [
        np.mean(merged[int(tree.parent[v])]) - np.mean(merged[v]) for v in merged if v != tree.root
    ]
    assert height_inversion(score, estimate, r) == pytest.approx(max([0, *below]), abs=1e-9)


@given(st.integers(2, 9), st.integers(1, 4), st.integers(0, 99))
def test_algorithm_1_has_no_inversion_proposition_1(n, p, seed):
    vectors = np.random.default_rng(seed).normal(size=(n, p))
    tree = algorithm_1(estimates(vectors, "data", None))
    assert height_inversion(scored(tree, truth=tree, vectors=vectors)) <= 1e-9


def test_an_inversion_and_a_negative_affinity_by_hand():
    # Products over p = 2: 0 and 1 have 0, then 2 joins with the mean of 3/2 and -1/2.
    tree = Tree([3, 3, 4, 4, -1], [9.0, 9, 9, 2, 1], HeightKind.AFFINITY)
    score = scored(tree, truth=tree, vectors=np.array([[1.0, 0], [0, 1], [3, -1]]))
    assert height_inversion(score) == pytest.approx(0.5)
    assert negative_affinity(score) == pytest.approx(0.5)


def test_the_error_of_two_items_by_hand():
    score = scored(PAIR, truth=affinity_tree(PAIR, [9, 9, 2]), vectors=np.array([[3.0, 4], [5, 0]]))
    assert affinity_error(score) == pytest.approx(15 / 2 - 2)
    assert affinity_error(score, estimate="cosine") == pytest.approx(2 - 15 / 25)


@pytest.mark.slow
@pytest.mark.parametrize("estimate", ["data", "pca", "cosine"])
def test_many_items_whose_affinities_are_read_in_blocks(estimate):
    problem = gray_problem([500, 400, 600, 300, 300], 50)
    truth = problem.truth
    i, j = np.triu_indices(truth.n, 1)
    found = estimates(problem.vectors, estimate, 5)
    expected = np.abs(truth.merge_height(i, j) - found[i, j]).max()
    assert affinity_error(judge(problem), estimate, 5) == pytest.approx(expected, rel=1e-9)


def test_the_rank_is_by_default_that_of_the_affinities():
    problem = gray_problem([8, 8, 8, 8, 8], 60)
    assert affinity_error(judge(problem), "pca") == affinity_error(judge(problem), "pca", r=5)
    every = affinity_error(judge(problem), "pca", r=40)
    assert every == pytest.approx(affinity_error(judge(problem), "data"))


def test_the_error_does_not_depend_on_the_result():
    problem = gray_problem([2, 2, 2, 2, 2], 30)
    partition = Partition(np.zeros(10, dtype=np.int64))
    for metric in (affinity_error, vertex_distance_error):
        assert metric(judge(problem, partition)) == metric(judge(problem))


def test_too_many_components_are_refused():
    problem = gray_problem([2, 2, 2, 2, 2], 30)
    with pytest.raises(ParameterError, match=r"at most min\(n, p\) = 10, got 11"):
        affinity_error(judge(problem), "pca", r=11)


def test_the_rank_of_too_many_vertices_must_be_given():
    truth = gray_problem([2, 2, 2, 2, 2], 30).truth
    with pytest.raises(ParameterError, match="5 vertices is not computed; set r"):
        affinity.rank_of_affinities(truth, most_vertices=4)


# ---- Theorem 1 -----------------------------------------------------------------------------------


@given(trees(min_leaves=2, kind=HeightKind.AFFINITY), st.integers(0, 10**6), st.floats(0, 3))
def test_merge_distortion_is_at_most_the_affinity_error_where_that_is_small(truth, seed, share):
    # Any symmetric estimate is possible: made positive definite, it is a Gram matrix.
    n = truth.n
    ids = np.arange(n)
    true = truth.merge_height(ids[:, None], ids)
    noise = np.random.default_rng(seed).uniform(-1, 1, (n, n))
    branch = affinity.shortest_branch(truth)
    noise = np.triu(noise, 1) * share / 2 * (branch if np.isfinite(branch) else 1.0)
    gram = true + noise + noise.T
    np.fill_diagonal(gram, 0)
    np.fill_diagonal(gram, 1 + np.abs(gram).sum(axis=1))
    vectors = np.linalg.cholesky(gram) * np.sqrt(n)
    problem = Problem(n=n, vectors=vectors, truths={"tree": truth})
    result = algorithm_1(gram)
    error = np.abs(noise).max()
    if error * 2 < branch - 1e-9:
        slack = merge_distortion_slack(judge(problem, result))
        assert slack >= -1e-9
        distortion = merge_distortion(judge(problem, result))
        assert slack == pytest.approx(error - distortion, abs=1e-9)
    elif error * 2 > branch + 1e-9:
        with pytest.raises(NotApplicableError, match="half the shortest branch"):
            merge_distortion_slack(judge(problem, result))


def test_the_shortest_branch_is_that_between_inner_nodes_of_different_height():
    parent = [5, 5, 6, 7, 8, 6, 7, 8, -1]
    leaves = [9.0] * 5
    for heights, expected in (([8, 5, 3, 1], 2), ([8, 8, 3, 2], 1), ([4, 4, 4, 4], np.inf)):
        tree = Tree(parent, [*leaves, *heights], HeightKind.AFFINITY)
        assert affinity.shortest_branch(tree) == expected


def test_the_theorem_does_not_apply_to_other_heights_than_affinities():
    problem = gray_problem([2, 2, 2, 2, 2], 30)
    result = Tree(problem.truth.parent)
    with pytest.raises(NotApplicableError, match="the result has none"):
        merge_distortion_slack(judge(problem, result))


# ---- Lemma 1 -------------------------------------------------------------------------------------


def test_vertex_distances_agree_with_sums_over_pairs_of_observations():
    sizes = [3, 2, 4, 1, 2]
    problem = gray_problem(sizes, 20)
    y, truth = problem.vectors, problem.truth
    members = np.split(np.arange(problem.n), np.cumsum(sizes)[:-1])
    height = [8, 5, 5, 2.5, 9]

    def mean_dot(u, v):
        return np.mean([y[i] @ y[j] for i in members[u] for j in members[v] if i != j])

    errors = []
    for u, v in itertools.combinations((0, 1, 2, 4), 2):  # vertex 4 has one observation
        d = height[u] + height[v] - 2 * truth.merge_height(members[u][0], members[v][0])
        errors.append(d - (mean_dot(u, u) + mean_dot(v, v) - 2 * mean_dot(u, v)) / 20)
    expected = np.abs(errors).max()
    assert vertex_distance_error(judge(problem)) == pytest.approx(expected, rel=1e-9)
    as_sparse = Problem(n=problem.n, vectors=sparse.csr_array(y), truths=problem.truths)
    assert vertex_distance_error(judge(as_sparse)) == pytest.approx(expected, rel=1e-9)


def test_noise_does_not_bias_vertex_distances():
    # With noise of variance 100 the means' distance would be off by 100 / 5 * 2.
    problem = gray_problem([5] * 5, 20_000, noise=10.0)
    assert vertex_distance_error(judge(problem)) < 4


def test_vertices_of_one_observation_have_no_distance():
    score = scored(PAIR, truth=affinity_tree(PAIR, [9, 9, 2]), vectors=np.eye(2))
    with pytest.raises(NotApplicableError, match="two vertices with"):
        vertex_distance_error(score)


# ---- All metrics ---------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", hcbench_metrics(), ids=lambda spec: spec.name)
def test_specs_have_the_parameters_of_their_functions(spec):
    declared = {p.name: p.default for p in spec.parameters}
    signature = inspect.signature(spec.load()).parameters
    assert {n: p.default for n, p in signature.items() if n != "scored"} == declared


AFFINITY = [spec for spec in hcbench_metrics() if "heights" in spec.needs]


@pytest.mark.parametrize("spec", AFFINITY, ids=lambda spec: spec.name)
def test_missing_data_are_reported(spec):
    truth = affinity_tree(PAIR, [9, 9, 2])
    with pytest.raises(NotApplicableError, match="from vectors"):
        spec.load()(scored(truth, truth=truth))
    with pytest.raises(NotApplicableError, match="the truth has none"):
        spec.load()(scored(truth, truth=PAIR, vectors=np.eye(2)))


@pytest.mark.parametrize("metric", [affinity_error, merge_distortion_slack])
def test_one_item_has_no_affinity_error(metric):
    one = Tree([-1], [1.0], HeightKind.AFFINITY)
    with pytest.raises(NotApplicableError, match="at least two items"):
        metric(scored(one, truth=one, vectors=np.ones((1, 1))))
