"""Principal components, and the choice of their number by the Wasserstein distance."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from scipy import sparse
from scipy.cluster.hierarchy import linkage
from scipy.optimize import linear_sum_assignment, linprog
from scipy.spatial.distance import cdist

from hcbench import ParameterError, Problem, Scored, Tree
from hcbench.model import Cost
from hcbench_vectors import components
from hcbench_vectors.wasserstein import (
    chosen_dimension,
    transport_cost,
    wasserstein_dimension,
    wasserstein_distances,
)
from tests.plugins.fitting import SPECS, cophenetic, fit, vectors


def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def low_rank(n: int, p: int, rank: int = 3, noise: float = 0.3) -> np.ndarray:
    """Vectors near a low-dimensional space, with similar variance in each dimension."""
    random = np.random.default_rng(n * p)
    signal = random.normal(size=(n, rank)) @ random.normal(size=(rank, p))
    return signal + noise * random.normal(size=(n, p))


# ---- Scores --------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["complete", "iterative"])
@pytest.mark.parametrize("make", [np.array, sparse.csr_array])
@pytest.mark.parametrize("shape", [(60, 40), (40, 60), (50, 50)])
def test_scores_have_the_dot_products_of_the_singular_value_decomposition(shape, make, method):
    Y = low_rank(*shape)
    left, values, _ = np.linalg.svd(Y, full_matrices=False)
    zeta = components.principal_scores(make(Y), 4, method)
    assert zeta.shape == (shape[0], 4)
    expected = left[:, :4] * values[:4]
    np.testing.assert_allclose(zeta @ zeta.T, expected @ expected.T, atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(zeta, axis=0), values[:4])  # largest first


@pytest.mark.parametrize("method", ["complete", "iterative"])
@pytest.mark.parametrize("make", [np.array, sparse.csr_array])
@pytest.mark.parametrize("shape", [(60, 40), (40, 60), (50, 50)])
@pytest.mark.parametrize("offset", [1e4, 1e7])
def test_scores_of_vectors_with_an_offset_keep_their_distances(offset, shape, make, method):
    Y = low_rank(*shape) + offset
    left, values, _ = np.linalg.svd(Y, full_matrices=False)
    expected = left[:, :4] * values[:4]
    zeta = components.principal_scores(make(Y), 4, method)
    np.testing.assert_allclose(
        cdist(zeta, zeta), cdist(expected, expected), atol=1e-14 * offset * 50
    )


@pytest.mark.parametrize("make", [np.array, sparse.csr_array])
@pytest.mark.parametrize("shape", [(30, 20), (20, 30)])
def test_all_components_of_vectors_with_an_offset_give_the_tree_of_the_vectors(shape, make):
    Y = low_rank(*shape)
    expected = linkage(Y, "average")[:, 2]
    tree = fit("UPGMA", vectors(make(Y + 1e7)), pca=min(shape))
    np.testing.assert_allclose(np.sort(tree.height[tree.n :]), expected, rtol=1e-6)


@pytest.mark.parametrize("make", [np.array, sparse.csr_array])
def test_the_chosen_dimension_does_not_lose_digits_to_an_offset(make):
    """The distances themselves are those of projections that include the offset."""
    Y = low_rank(30, 12) + 1e6
    half = 15
    axes = np.linalg.svd(Y[:half], full_matrices=False)[2].T
    expected = []
    for r in range(1, 7):
        V = axes[:, :r].astype(np.longdouble)
        projected = Y[:half].astype(np.longdouble) @ V @ V.T
        cost = np.sqrt(((projected[:, None] - Y[half:][None]) ** 2).sum(axis=-1)).astype(float)
        expected.append(transport_cost(cost))
    found = wasserstein_distances(make(Y), 6, None)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_rows_of_tiny_numbers_have_scores():
    Y = low_rank(12, 6)
    Y[3] *= 1e-170
    scores = components.principal_scores(Y, 6)
    assert np.linalg.norm(scores[3] * 1e170) == pytest.approx(
        np.linalg.norm(Y[3] * 1e170), rel=1e-3
    )


@pytest.mark.parametrize("method", ["complete", "iterative"])
@pytest.mark.parametrize("shape", [(60, 40), (40, 60)])
def test_axes_are_orthonormal_and_no_more_than_the_rank(shape, method):
    Y = low_rank(*shape, noise=0)
    V = components.principal_axes(Y, 4, method)
    assert V.shape == (shape[1], 3)
    np.testing.assert_allclose(V.T @ V, np.eye(3), atol=1e-10)
    np.testing.assert_allclose(Y @ V @ V.T, Y, atol=1e-9)


@pytest.mark.parametrize("method", ["complete", "iterative"])
def test_zero_vectors_have_zero_scores(method):
    assert (components.principal_scores(np.zeros((40, 30)), 2, method) == 0).all()
    assert components.principal_axes(np.zeros((40, 30)), 2, method).shape == (30, 0)


@pytest.mark.parametrize("name", SPECS)
def test_too_many_components_are_an_error(name):
    with pytest.raises(ParameterError, match=rf"{name}: pca=7, but 9 vectors of 6.*pca=6"):
        fit(name, vectors(low_rank(9, 6)), pca=7)


@pytest.mark.parametrize("name", SPECS)
def test_every_algorithm_takes_components(name):
    Y = np.abs(low_rank(30, 8))
    U, values, _ = np.linalg.svd(Y, full_matrices=False)
    ours, direct = fit(name, vectors(Y), pca=3), fit(name, vectors(U[:, :3] * values[:3]))
    scale = 3 / 8 if name == "DotProduct" else 1  # affinities are over the original features
    np.testing.assert_allclose(cophenetic(ours), scale * cophenetic(direct), rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("name", SPECS)
def test_sparse_vectors_have_components_too(name):
    Y = np.abs(low_rank(30, 8))
    thin = fit(name, vectors(sparse.csr_array(Y)), pca=3)
    dense = fit(name, vectors(Y), pca=3)
    np.testing.assert_allclose(cophenetic(thin), cophenetic(dense), rtol=1e-8, atol=1e-12)


# ---- The Wasserstein choice ----------------------------------------------------------------------


def transport(cost: np.ndarray) -> float:
    """The optimal plan, by a linear program."""
    m, n = cost.shape
    rows = np.kron(np.eye(m), np.ones(n))
    columns = np.kron(np.ones(m), np.eye(n))
    sums = np.concatenate((np.full(m, 1 / m), np.full(n, 1 / n)))
    found = linprog(cost.ravel(), A_eq=np.vstack((rows, columns)), b_eq=sums)
    return float(found.fun)


def best_permutation(cost: np.ndarray) -> float:
    """The optimal assignment of equal shares of all points, by all permutations."""
    m, k = cost.shape
    common = math.lcm(m, k)
    shares = cost.repeat(common // m, axis=0).repeat(common // k, axis=1)
    rows = np.arange(common)
    return min(shares[rows, list(order)].mean() for order in permutations(range(common)))


@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (5, 5), (6, 6), (2, 1), (3, 2)])
def test_transport_costs_what_the_best_permutation_costs(shape):
    random = rng()
    for cost in (*random.random((5, *shape)), *random.integers(0, 3, (5, *shape)).astype(float)):
        assert transport_cost(cost) == pytest.approx(best_permutation(cost), rel=1e-12)


@pytest.mark.parametrize("m", [4, 9, 20])
def test_transport_to_one_point_fewer_is_the_optimum_of_the_linear_program(m):
    random = rng()
    for cost in (
        random.random((m, m - 1)),
        cdist(random.random((m, 2)), random.random((m - 1, 2))),
    ):
        assert transport_cost(cost) == pytest.approx(transport(cost), rel=1e-9)


def test_transport_by_hand():
    # Three points at 0, 1 and 5, with 1/3 each, to two at 0 and 5, with 1/2 each: the point at 1
    # sends half of its weight over a distance of 1 and half over 4.
    cost = np.abs(np.subtract.outer([0.0, 1.0, 5.0], [0.0, 5.0]))
    assert transport_cost(cost) == pytest.approx((1 + 4) / 6)


def algorithm_2(Y: np.ndarray, r: int) -> tuple[np.ndarray, np.ndarray]:
    half = -(-len(Y) // 2)
    V = np.linalg.eigh(Y[:half].T @ Y[:half])[1][:, ::-1][:, :r]
    return Y[:half] @ V @ V.T, Y[half:]


@pytest.mark.parametrize("make", [np.array, sparse.csr_array])
@pytest.mark.parametrize("shape", [(14, 6), (13, 6), (9, 20)])
def test_distances_are_those_of_algorithm_2(shape, make):
    Y = low_rank(*shape)
    found = wasserstein_distances(make(Y), 4, None)
    expected = [transport(cdist(*algorithm_2(Y, r))) for r in range(1, 5)]
    np.testing.assert_allclose(found, expected, rtol=1e-7)


def test_distances_of_equal_halves_are_those_of_an_assignment():
    Y = low_rank(300, 12)
    for r, found in enumerate(wasserstein_distances(Y, 5, None), start=1):
        cost = cdist(*algorithm_2(Y, r))
        assert found == pytest.approx(cost[linear_sum_assignment(cost)].mean(), rel=1e-9)


def test_the_dimension_of_the_signal_is_chosen():
    assert wasserstein_dimension(low_rank(200, 30), 12, None) == 3


def test_the_number_of_dimensions_is_limited_by_r_max_and_rank():
    Y = low_rank(40, 9)
    assert len(wasserstein_distances(Y, 50, None)) == 9
    assert len(wasserstein_distances(Y, 4, None)) == 4
    assert len(wasserstein_distances(low_rank(40, 9, noise=0), 50, None)) == 3


def test_patience_limits_dimensions_without_improvement():
    Y = low_rank(200, 30)
    every = wasserstein_distances(Y, 20, None)
    stopped = wasserstein_distances(Y, 20, 2)
    np.testing.assert_allclose(stopped, every[: len(stopped)])
    assert len(stopped) < 20
    assert int(stopped.argmin()) == len(stopped) - 3


@pytest.mark.parametrize("Y", [np.zeros((6, 3)), np.ones((7, 3)), np.ones((2, 1))])
def test_constant_vectors_have_one_component(Y):
    assert wasserstein_dimension(Y, 50, None) == 1


@pytest.mark.parametrize("name", SPECS)
def test_auto_is_the_chosen_number(name):
    Y = np.abs(low_rank(60, 10))
    r = wasserstein_dimension(Y, 6, None)
    assert fit(name, vectors(Y), pca="auto", r_max=6) == fit(name, vectors(Y), pca=r)


def test_the_metric_is_the_dimension_of_the_data():
    problem = Problem(n=200, vectors=low_rank(200, 30))
    of_data = Scored(problem=problem, result=Tree.from_levels(np.zeros((200, 1), int)), cost=Cost())
    assert chosen_dimension(of_data, r_max=12) == 3


def test_the_components_of_one_data_set_are_no_draw() -> None:
    """Repetitions on it would count as random otherwise, and no claim about it be decided."""
    Y = sparse.csr_array(low_rank(300, 200))  # which are decomposed iteratively
    assert (components.principal_scores(Y, 2) == components.principal_scores(Y, 2)).all()
    for name in ("DotProduct", "UPGMA", "Ward", "HDBSCAN"):
        assert not SPECS[name].random_with({"pca": 2})
