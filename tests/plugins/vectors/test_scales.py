"""Algorithms of the vectors plugin on numbers whose squares overflow or vanish."""

from __future__ import annotations

import numpy as np
import pytest

from hcbench import DataError, NotApplicableError, fit, score
from hcbench.registry.fingerprint import installation
from hcbench_peers.specs import ALGORITHMS
from tests.plugins.fitting import cophenetic

rng = np.random.default_rng(0)
POINTS = np.vstack([rng.normal(size=(12, 3)) + centre for centre in 8.0 * np.eye(3)])


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
@pytest.mark.parametrize("exponent", [515, 1000, -565, -1000])
def test_hdbscan_of_scaled_vectors_has_scaled_heights(metric, exponent):
    expected = fit("HDBSCAN", POINTS, metric=metric)
    scaled = fit("HDBSCAN", np.ldexp(POINTS, exponent), metric=metric)
    assert scaled.isomorphic(expected)
    np.testing.assert_array_equal(cophenetic(scaled), np.ldexp(cophenetic(expected), exponent))


def test_hdbscan_of_sparse_vectors_that_are_large():
    from scipy.sparse import csr_array

    thin = np.where(np.abs(POINTS) > 1, POINTS, 0.0)
    expected = fit("HDBSCAN", csr_array(thin))
    scaled = fit("HDBSCAN", csr_array(np.ldexp(thin, 515)))
    assert scaled.isomorphic(expected)


@pytest.mark.parametrize(
    ("name", "params"), [("DotProduct", {}), ("UPGMA", {"metric": "dot-product"})]
)
def test_products_smaller_than_any_number_are_an_error(name, params):
    vectors = np.array([[1.0, 0.0], [2.0, 1.0], [0.0, 3.0]])
    with pytest.raises(
        DataError, match=r"largest value is 3e-200, so heights underflow to 0 .* 1e-200"
    ):
        fit(name, vectors * 1e-200, **params)
    # Of orthogonal vectors, and of zeros, the products are 0.
    assert fit(name, np.eye(2, 3) * 1e-200, **params).height[-1] == 0.0
    assert fit(name, np.zeros((2, 3)), **params).height[-1] == 0.0
    # A few that vanish beside larger ones are 0.
    fit(name, np.array([[1.0, 1.0], [2.0, 1.0], [1e-170, 0.0], [1e-170, 0.0]]), **params)


def test_distances_larger_than_any_number_are_an_error():
    with pytest.raises(DataError, match="larger than any number; divide the data by 1e10"):
        fit("HDBSCAN", 1.7e308 * np.array([[1.0], [0.99], [0.98], [-1.0], [-0.99], [-0.98]]))
    assert fit("HDBSCAN", np.zeros((5, 2))).n == 5


@pytest.mark.parametrize("name", ["HDBSCAN", "sk-hdbscan", "scipy-linkage", "higra-bpt"])
def test_similarities_whose_differences_are_no_numbers_are_an_error(name):
    for spec in ALGORITHMS:
        if spec.name == name and installation(spec.requires):
            pytest.skip("its library is not installed")
    similarity = np.full((4, 4), -1.7e308)
    similarity[:2, :2] = similarity[2:, 2:] = 1.7e308
    with pytest.raises(DataError, match="larger than any number; divide them by 10"):
        fit(name, similarity)
    assert fit(name, similarity / 10).n == 4


@pytest.mark.parametrize("factor", [1e155, 1e-170])
def test_metrics_of_squared_distances_refuse_them_and_others_do_not(factor):
    tree = fit("UPGMA", POINTS)
    for metric in (
        "cophenetic-correlation",
        "ultrametric-distortion",
        "dasgupta[similarity=gaussian]",
    ):
        with pytest.raises(NotApplicableError, match=r"divide the vectors by 1e-?\d+$"):
            score(metric, tree, POINTS * factor)
    expected = score("silhouette", tree, POINTS)
    assert score("silhouette", tree, POINTS * factor) == pytest.approx(expected)
