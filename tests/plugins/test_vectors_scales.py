"""Algorithms of the vectors plugin on numbers whose squares overflow or vanish."""

from __future__ import annotations

import numpy as np
import pytest

from hcbench import DataError, fit
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


def test_distances_larger_than_any_number_are_an_error():
    with pytest.raises(DataError, match="larger than any number; divide the data by 1e10"):
        fit("HDBSCAN", 1.7e308 * np.array([[1.0], [0.99], [0.98], [-1.0], [-0.99], [-0.98]]))
    assert fit("HDBSCAN", np.zeros((5, 2))).n == 5
