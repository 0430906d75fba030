"""DotProduct against algorithm 1 of Gray et al. 2023, and its warnings."""

from __future__ import annotations

import warnings
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

import hcbench
from hcbench import DataError, HeightKind, ModelWarning, NotApplicableError, Tree
from tests.plugins.fitting import (
    cophenetic,
    fit,
    nodes_of,
    random_similarity,
    similarities,
    vectors,
)


def algorithm_1(affinity: np.ndarray) -> tuple[dict[frozenset[int], float], list[float]]:
    """Heights of inner vertices and of leaves, following its lines."""
    n = len(affinity)
    partition = [frozenset([i]) for i in range(n)]
    a = {(u, v): affinity[min(u), min(v)] for u in partition for v in partition}
    height, parent = {}, {}
    for _ in range(n - 1):
        u, v = max(combinations(partition, 2), key=a.__getitem__)
        w = u | v
        partition = [x for x in partition if x not in (u, v)]
        for x in partition:
            a[w, x] = a[x, w] = len(u) / len(w) * a[u, x] + len(v) / len(w) * a[v, x]
        height[w] = a[w, w] = a[u, v]
        parent[u] = parent[v] = w
        partition.append(w)
    leaves = [frozenset([i]) for i in range(n)]
    return height, [max(height[parent[leaf]], a[leaf, leaf]) for leaf in leaves]


def sample(n: int, p: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.random((n, p)) * rng.lognormal(size=(n, 1))


def quiet(problem: hcbench.Problem, **params: object) -> Tree:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return fit("DotProduct", problem, **params)


def principal_scores(Y: np.ndarray, r: int) -> np.ndarray:
    return Y @ np.linalg.svd(Y, full_matrices=False)[2][:r].T


@given(n=st.integers(2, 12), p=st.integers(1, 20), seed=st.integers(0, 10**6))
def test_it_is_algorithm_1(n, p, seed):
    Y = np.random.default_rng(seed).normal(size=(n, p))
    heights, leaves = algorithm_1(Y @ Y.T / p)
    tree = quiet(vectors(Y))
    assert tree.kind is HeightKind.AFFINITY
    found = nodes_of(tree)
    assert found.keys() == heights.keys()
    for cluster, height in heights.items():
        assert found[cluster] == pytest.approx(height, rel=1e-10, abs=1e-12)
    np.testing.assert_allclose(tree.height[:n], leaves, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("make", [np.array, sparse.csr_array])
@pytest.mark.parametrize("p", [3, 30])
def test_components_keep_the_number_of_original_features_under_the_fraction(make, p):
    Y = sample(16, p, 0)
    zeta = principal_scores(Y, 2)
    heights, leaves = algorithm_1(zeta @ zeta.T / p)
    tree = fit("DotProduct", vectors(make(Y)), pca=2)
    assert nodes_of(tree) == pytest.approx(heights)
    np.testing.assert_allclose(tree.height[:16], leaves)


def test_all_components_change_nothing():
    Y = sample(40, 6, 1)
    whole, reduced = fit("DotProduct", vectors(Y)), fit("DotProduct", vectors(Y), pca=6)
    assert whole.isomorphic(reduced)
    np.testing.assert_allclose(cophenetic(reduced), cophenetic(whole), rtol=1e-9)


@pytest.mark.parametrize("n", [60, 1100])  # by the matrix of dot products, and by means
def test_sparse_vectors_give_the_tree_of_dense_ones(n):
    Y = sparse.random_array((n, 40), density=0.3, rng=np.random.default_rng(0))
    dense = fit("DotProduct", vectors(Y.toarray()))
    thin = fit("DotProduct", vectors(sparse.csr_array(Y)))
    np.testing.assert_allclose(thin.height, dense.height, rtol=1e-9, atol=1e-12)


def test_cosines_as_affinities():
    Y = sample(15, 4, 2)
    unit = Y / np.linalg.norm(Y, axis=1)[:, None]
    heights, leaves = algorithm_1(unit @ unit.T)
    tree = fit("DotProduct", vectors(Y), affinity="cosine")
    assert nodes_of(tree) == pytest.approx(heights)
    np.testing.assert_allclose(tree.height[:15], leaves)


def test_a_zero_row_has_no_cosine():
    with pytest.raises(DataError, match=r"row 1 \('b'\) is zero.*affinity=dot"):
        fit(
            "DotProduct",
            vectors([[1.0, 0], [0, 0]], names=("a", "b")),
            affinity="cosine",
        )


def test_the_diagonal_of_similarities_is_ignored():
    S = random_similarity(20, 1) + 9
    heights, _ = algorithm_1(S)
    np.fill_diagonal(S, -1e9)
    tree = fit("DotProduct", similarities(S))
    assert nodes_of(tree) == pytest.approx(heights)
    assert (tree.height[:20] == S[np.triu_indices(20, 1)].max()).all()


def test_similarities_have_no_components():
    with pytest.raises(NotApplicableError, match="pca=3 needs vectors"):
        fit("DotProduct", similarities(random_similarity(5, 0)), pca=3)


def test_by_the_public_function():
    tree = hcbench.fit("DotProduct", np.array([[1.0, 0.0], [2.0, 2.0], [0.0, 2.0]]))
    # <1, 2> / 2 = 2 is the largest; then the mean of <0, 1> / 2 = 1 and <0, 2> / 2 = 0.
    assert nodes_of(tree) == {frozenset({1, 2}): 2.0, frozenset({0, 1, 2}): 0.5}
    assert tree.height[:3].tolist() == [0.5, 4.0, 2.0]


# ---- Negative affinities -------------------------------------------------------------------------


def opposite(n: int, p: int) -> np.ndarray:
    """Two clusters whose means point away from each other."""
    rng = np.random.default_rng(0)
    return np.where(np.arange(n)[:, None] % 2, 1.0, -1.0) + 0.2 * rng.normal(size=(n, p))


@pytest.mark.parametrize("p", [2, 100])
@pytest.mark.parametrize("params", [{}, {"pca": 2}, {"affinity": "cosine"}])
def test_negative_affinities_work_with_a_warning(p, params):
    with pytest.warns(ModelWarning, match=r"5\d% of the pairs merge at a negative") as caught:
        tree = fit("DotProduct", vectors(opposite(40, p)), **params)
    assert "\n" not in str(caught[0].message)
    assert tree.height.min() < 0
    assert tree.cut(2).labels[::2].std() == 0


def test_negative_similarities_give_a_warning():
    Y = opposite(40, 10)
    with pytest.warns(ModelWarning, match="negative affinity"):
        fit("DotProduct", similarities(Y @ Y.T))


@pytest.mark.parametrize("params", [{}, {"pca": 8}, {"affinity": "cosine"}])
@pytest.mark.parametrize("seed", range(5))
def test_sampling_error_below_zero_gives_no_warning(seed, params):
    rng = np.random.default_rng(seed)
    means = rng.normal(size=(8, 300))  # independent: alpha is 0 between them
    Y = means[rng.integers(8, size=200)] + rng.normal(size=(200, 300))
    tree = fit("DotProduct", vectors(Y), **params)  # a warning would be an error
    assert tree.height.min() < 0.1


def test_a_single_negative_item_is_negligible():
    Y = np.ones((400, 20)) + 0.1 * np.random.default_rng(0).normal(size=(400, 20))
    Y[7] *= -1
    fit("DotProduct", vectors(Y))
