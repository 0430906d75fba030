"""Euclidean distances of sparse vectors are those of the same dense vectors, to the last digits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn.metrics import adjusted_rand_score

import hcbench
from hcbench import DataError
from hcbench.model import euclidean_distances, euclidean_of_rows, euclidean_pairs
from hcbench.model.distances import without_offsets

RNG = np.random.default_rng(0)
N = 90
GROUP = np.repeat([0, 1, 2], N // 3)
ONE_HOT = 3.0 * np.eye(3)[GROUP]
SECONDS = 1.7e9 + RNG.normal(size=(N, 1))
RARE = np.where(RNG.random((N, 1)) < 0.3, SECONDS, 0.0)
OF_GROUP = 1e9 * np.eye(3)[GROUP] + RNG.normal(size=(N, 1))

DATA = {
    "a-column-of-seconds": np.hstack([SECONDS, ONE_HOT]),
    "seconds-in-few-rows": np.hstack([RARE, ONE_HOT]),
    "large-columns-of-groups": np.hstack([OF_GROUP * (ONE_HOT > 0), ONE_HOT]),
    "an-offset": RNG.normal(size=(N, 4)) + 1e7,
    "few-entries": sparse.random_array((N, 50), density=0.1, rng=RNG).toarray(),
    "duplicates": np.repeat(RNG.random((N // 3, 5)), 3, axis=0),
    "zeros": np.zeros((4, 2)),
    "one-item": np.ones((1, 2)),
}


def exact(vectors: np.ndarray) -> np.ndarray:
    """Distances from differences of extended precision."""
    x = vectors.astype(np.longdouble)
    squares = ((x[:, None] - x[None]) ** 2).sum(axis=-1)
    result: np.ndarray = np.sqrt(squares).astype(np.float64)
    return result


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", DATA)
def test_distances_are_those_of_differences(name: str, form: Any) -> None:
    vectors = DATA[name]
    expected = exact(vectors)
    found = euclidean_distances(form(vectors))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=0)
    assert np.array_equal(found, found.T)
    n = len(vectors)
    between = euclidean_of_rows(form(vectors))
    np.testing.assert_allclose(
        between(slice(0, n // 2), slice(n // 3, n)), expected[: n // 2, n // 3 :], rtol=1e-12
    )
    np.testing.assert_allclose(euclidean_pairs(vectors), squareform(expected), rtol=1e-12)


@pytest.mark.parametrize("factor", [1e-300, 1e-170, 1e155, 1e300])
def test_distances_grow_with_the_vectors(factor: float) -> None:
    vectors = DATA["few-entries"]
    for form in (np.asarray, sparse.csr_array):
        found = euclidean_distances(form(vectors * factor)) / factor
        np.testing.assert_allclose(found, cdist(vectors, vectors), rtol=1e-12)


def test_distances_and_products_beyond_all_numbers_are_an_error_of_one_line() -> None:
    vectors = np.array([[1.7e308, -1.7e308], [-1.7e308, 1.7e308], [0, 1]])
    for form in (np.asarray, sparse.csr_array):
        for call in (
            lambda data: euclidean_distances(data),
            lambda data: hcbench.model.similarity_of_vectors(data, "dot"),
            lambda data: hcbench.fit("Complete", data),
            lambda data: hcbench.fit("Complete", data, metric="manhattan"),
            lambda data: hcbench.fit("UPGMA", data, oracle="similarities[similarity=dot]"),
        ):
            with pytest.raises(DataError, match=r"scale the data|divide them by") as caught:
                call(form(vectors))
            assert "\n" not in str(caught.value)


def test_offsets_are_removed_from_columns_that_most_rows_have() -> None:
    vectors = sparse.csr_array(np.array([[7.0, 0, 1], [8, 0, 0], [9, 5, 0], [0, 0, 0]]))
    shifted = without_offsets(vectors)
    assert sorted(map(tuple, shifted.toarray().T.tolist())) == [
        (0, 0, 5, 0),
        (1, 0, 0, 0),
        (1, 2, 3, -6),
    ]
    rare = sparse.csr_array(np.array([[7.0, 0], [0, 0], [0, 3]]))
    assert without_offsets(rare) is rare


SPARSE = sparse.csr_array(DATA["a-column-of-seconds"])


@pytest.mark.parametrize("name", ["UPGMA", "WPGMA", "Complete", "Single", "HDBSCAN"])
def test_trees_of_sparse_rows_with_an_offset_have_the_groups_of_dense_ones(name: str) -> None:
    seconds = 1.7e9 + 0.1 * RNG.random((N, 1))
    vectors = np.hstack([seconds, ONE_HOT])
    for data in (vectors, sparse.csr_array(vectors)):
        tree = hcbench.fit(name, data)
        assert isinstance(tree, hcbench.Tree)
        assert adjusted_rand_score(GROUP, tree.cut(3).labels) == 1


@pytest.mark.parametrize(
    ("name", "method"), [("UPGMA", "average"), ("Ward", "ward"), ("Centroid", "centroid")]
)
@pytest.mark.parametrize("p", [4, 200])
def test_heights_of_sparse_rows_with_an_offset_are_those_of_scipy(
    name: str, method: Any, p: int
) -> None:
    vectors = np.hstack([DATA["a-column-of-seconds"], np.zeros((N, p - 4))])
    expected = linkage(vectors - vectors[0], method)[:, 2]  # the differences are exact
    tree = hcbench.fit(name, sparse.csr_array(vectors))
    assert isinstance(tree, hcbench.Tree)
    found = np.sort(hcbench.distances(tree))
    np.testing.assert_allclose(found, np.sort(expected), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(
    ("metric", "params"),
    [
        ("cohen-addad", {"metric": "sqeuclidean"}),
        ("cohen-addad", {"metric": "euclidean"}),
        ("cohen-addad", {"metric": "cityblock"}),
        ("cophenetic-correlation", {"metric": "sqeuclidean"}),
        ("cophenetic-correlation", {"metric": "euclidean"}),
        ("dasgupta", {"similarity": "gaussian"}),
        ("dasgupta", {"similarity": "euclidean"}),
        ("silhouette", {"metric": "euclidean"}),
        ("silhouette", {"metric": "sqeuclidean"}),
        ("ultrametric-distortion", {}),
    ],
    ids=str,
)
@pytest.mark.parametrize(
    "name", ["a-column-of-seconds", "seconds-in-few-rows", "large-columns-of-groups", "an-offset"]
)
def test_metrics_of_sparse_rows_with_an_offset_are_those_of_dense_ones(
    name: str, metric: str, params: dict[str, Any]
) -> None:
    vectors = DATA[name]
    tree = hcbench.fit("UPGMA", vectors)
    expected = hcbench.score(metric, tree, vectors, **params)
    found = hcbench.score(metric, tree, sparse.csr_array(vectors), **params)
    assert found == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_cosines_do_not_depend_on_the_length_of_rows(form: Any) -> None:
    vectors = np.random.default_rng(3).normal(size=(12, 3))
    lengths = np.logspace(-170, 150, 12)[:, None]
    tree = hcbench.fit("UPGMA", vectors, metric="cosine")
    for name in ("UPGMA", "Complete", "Single", "scipy-linkage", "HDBSCAN"):
        params = {"method": "average"} if name == "scipy-linkage" else {}
        expected = hcbench.fit(name, vectors, metric="cosine", **params)
        found = hcbench.fit(name, form(vectors * lengths), metric="cosine", **params)
        assert isinstance(found, hcbench.Tree)
        assert isinstance(expected, hcbench.Tree)
        np.testing.assert_allclose(
            hcbench.distances(found), hcbench.distances(expected), rtol=1e-9, atol=1e-12
        )
    for metric in ("cohen-addad", "silhouette", "cophenetic-correlation"):
        expected_value = hcbench.score(metric, tree, vectors, metric="cosine")
        value = hcbench.score(metric, tree, form(vectors * lengths), metric="cosine")
        assert value == pytest.approx(expected_value, rel=1e-9)


def test_silhouettes_of_sparse_cosines_are_those_of_scipy() -> None:
    vectors = DATA["few-entries"] + np.eye(50)[GROUP]
    tree = hcbench.fit("UPGMA", vectors, metric="cosine")
    assert np.isfinite(pdist(vectors, "cosine")).all()
    dense = hcbench.score("silhouette", tree, vectors, metric="cosine")
    assert hcbench.score(
        "silhouette", tree, sparse.csr_array(vectors), metric="cosine"
    ) == pytest.approx(dense, rel=1e-9)
