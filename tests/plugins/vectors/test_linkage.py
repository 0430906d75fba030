"""Compiled linkages: equal to scipy's whatever the ties, and to naive versions."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import pdist, squareform

import hcbench
from hcbench import DataError
from hcbench_vectors import agglomeration, algorithm_specs as specs
from hcbench_vectors.agglomeration import (
    linkage_of_distances,
    linkage_of_similarities,
    linkage_of_vectors,
)

METHODS = ("average", "weighted", "complete", "single")
CENTRES = ("centroid", "median")
METRICS = {"euclidean": "euclidean", "manhattan": "cityblock", "cosine": "cosine"}


@st.composite
def tied_rows(draw):
    """Rows of few values: most distances are equal to others, some only but for rounding."""
    n, p = draw(st.integers(2, 90)), draw(st.sampled_from([1, 3]))
    values = draw(st.integers(1, 6))
    rows = np.random.default_rng(draw(st.integers(0, 10**6))).integers(0, values + 1, (n, p))
    return rows / draw(st.sampled_from([1, 10]))


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("method", METHODS)
@given(rows=tied_rows())
def test_the_merges_are_scipys_even_with_ties(method, metric, rows):
    rows = np.pad(rows, ((0, 0), (0, 7 - rows.shape[1])))  # single linkage by Prim's algorithm
    distances = pdist(rows, METRICS[metric])
    expected = linkage(distances, method)
    merges = linkage_of_vectors(rows, method, metric, "", None)
    np.testing.assert_array_equal(merges, expected)
    np.testing.assert_array_equal(linkage_of_distances(squareform(distances), method), expected)


def naive(distance: np.ndarray, method: str) -> np.ndarray:
    """Cophenetic distances, condensed, by the definition: O(n^3)."""
    D = distance.copy()
    members = {i: [i] for i in range(len(D))}
    cophenetic = np.zeros_like(D)
    between = {"average": np.mean, "complete": np.max, "single": np.min}[method]
    while len(members) > 1:
        height, a, b = min(
            (between(D[np.ix_(members[a], members[b])]), a, b)
            for a in members
            for b in members
            if a < b
        )
        cophenetic[np.ix_(members[a], members[b])] = height
        members[a] += members.pop(b)
    return squareform(cophenetic + cophenetic.T)


@pytest.mark.parametrize("method", ["average", "complete", "single"])
@given(n=st.integers(2, 12), seed=st.integers(0, 10**6))
def test_heights_are_those_of_the_definition(method, n, seed):
    rows = np.random.default_rng(seed).normal(size=(n, 2))
    merges = linkage_of_vectors(rows, method, "euclidean", "", None)
    np.testing.assert_allclose(cophenet(merges), naive(squareform(pdist(rows)), method))


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@given(rows=tied_rows())
def test_searches_in_a_k_d_tree_find_a_minimum_spanning_tree(metric, rows):
    edges = np.empty((len(rows) - 1, 4))
    agglomeration.spanning_tree(rows, metric, edges)
    distances = squareform(pdist(rows, METRICS[metric]))
    u, v = edges[:, :2].astype(int).T
    np.testing.assert_array_equal(edges[:, 2], distances[u, v])
    assert connected_components(sparse.coo_array((u + 1, (u, v)), (len(rows),) * 2))[0] == 1
    expected = linkage(squareform(distances), "single")
    np.testing.assert_array_equal(np.sort(edges[:, 2]), expected[:, 2])


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_single_linkage_of_many_points_in_space(metric):
    rows = np.random.default_rng(0).normal(size=(600, 3))  # more than 64 points for each octant
    merges = linkage_of_vectors(rows, "single", metric, "", None)
    np.testing.assert_array_equal(merges, linkage(pdist(rows, METRICS[metric]), "single"))


@pytest.mark.slow
@pytest.mark.parametrize("method", CENTRES)
@given(rows=tied_rows())
def test_each_merge_is_of_the_two_nearest_centres(method, rows):
    distances = pdist(rows)
    for merges in (
        linkage_of_vectors(rows, method, "euclidean", "", None),
        linkage_of_distances(squareform(distances), method),
    ):
        n = len(rows)
        centre, size, left = dict(enumerate(rows)), dict.fromkeys(range(n), 1), list(range(n))
        for at, (u, v, height, n_items) in enumerate(merges):
            least = pdist([centre[i] for i in left]).min()
            np.testing.assert_allclose(height, least, atol=1e-6)
            np.testing.assert_allclose(np.linalg.norm(centre[u] - centre[v]), least, atol=1e-6)
            left = [i for i in left if i not in (u, v)] + [n + at]
            weight = size[u] / (size[u] + size[v]) if method == "centroid" else 0.5
            centre[n + at] = weight * centre[u] + (1 - weight) * centre[v]
            size[n + at] = size[u] + size[v]
            assert n_items == size[n + at]


@pytest.mark.parametrize("method", CENTRES)
def test_centres_of_many_coordinates_merge_as_scipys(method):
    rows = np.random.default_rng(0).normal(size=(40, 101))
    merges = linkage_of_vectors(rows, method, "euclidean", "", None)
    expected = linkage(pdist(rows), method)
    np.testing.assert_array_equal(merges[:, [0, 1, 3]], expected[:, [0, 1, 3]])
    np.testing.assert_allclose(merges[:, 2], expected[:, 2], rtol=1e-7)


@pytest.mark.parametrize("method", CENTRES)
def test_an_inversion_by_hand(method):
    side = np.sqrt(3) / 2  # of an equilateral triangle, whose first two corners merge at 1
    rows = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, side + 0.01], [9.0, 0.0]])
    merges = linkage_of_vectors(rows, method, "euclidean", "", None)
    x, y = (0.5, (side + 0.01) / (3 if method == "centroid" else 2))
    top = np.hypot(9 - x, y)
    assert merges[:, [0, 1, 3]].tolist() == [[0, 1, 2], [2, 4, 3], [3, 5, 4]]
    np.testing.assert_allclose(merges[:, 2], [1, side + 0.01, top])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "metric"),
    [*((a, b) for a in METHODS for b in METRICS), *((a, "euclidean") for a in CENTRES)],
)
@pytest.mark.parametrize("make", [np.array, sparse.csr_array])
def test_other_vectors_and_metrics(method, metric, make):
    rng = np.random.default_rng(0)
    rows = rng.random((1100, 30)) * (rng.random((1100, 30)) < 0.4)  # two blocks of columns and more
    rows[:, 0] += 0.1
    merges = linkage_of_vectors(make(rows), method, metric, "", None)
    expected = linkage(pdist(rows, METRICS[metric]), method)
    np.testing.assert_array_equal(merges[:, [0, 1, 3]], expected[:, [0, 1, 3]])
    np.testing.assert_allclose(merges[:, 2], expected[:, 2], rtol=1e-7)


@pytest.mark.parametrize("method", METHODS)
def test_similarities_merge_as_their_distances(method):
    distances = pdist(np.random.default_rng(0).normal(size=(60, 5)))
    similarity = -squareform(distances)
    np.fill_diagonal(similarity, 1e6)  # is ignored
    expected = linkage(distances, method)
    merges = linkage_of_similarities(similarity, method, "")
    np.testing.assert_array_equal(merges[:, [0, 1, 3]], expected[:, [0, 1, 3]])
    np.testing.assert_allclose(-merges[:, 2], expected[:, 2], rtol=1e-12)
    huge = linkage_of_similarities(similarity * 2.0**1003, method, "")
    np.testing.assert_array_equal(huge, merges * [1, 1, 2.0**1003, 1])


@pytest.mark.parametrize("name", ["Single", "Complete", "UPGMA", "WPGMA", "DotProduct"])
@pytest.mark.parametrize("n", [9, 500])
def test_small_similarities_beside_a_large_one_keep_their_digits(name, n):
    gaps = 1.0 + np.arange(n - 1) / n  # of neighbours on a line, all different
    gaps[0] = 0.0
    place = np.concatenate(([0.0], np.cumsum(gaps)))
    similarity = 1 / (np.abs(place[:, None] - place) + 1e-16)  # 1e16 for the first two items
    tree = hcbench.fit(name, hcbench.Problem(n=n, similarity=similarity))
    assert len(set(tree.height[n:])) == n - 1
    if name == "Single":
        np.testing.assert_array_equal(np.sort(tree.height[n:]), np.sort(np.diag(similarity, 1)))


@pytest.mark.parametrize("method", ["average", "weighted", "complete"])
@given(rows=tied_rows())
def test_similarities_that_rounding_makes_asymmetric_are_merged_to_the_end(method, rows):
    rng, distances = np.random.default_rng(0), squareform(pdist(rows))
    distances *= 1 + 2e-16 * rng.integers(-2, 3, distances.shape)
    merges = linkage_of_similarities(-distances, method, "")
    assert sorted(merges[:, :2].ravel()) == list(range(2 * len(rows) - 2))
    assert np.isfinite(merges).all()


def test_wpgma_weighs_merged_clusters_equally_by_hand():
    distance = squareform([1.0, 4, 8, 6, 10, 12])  # 0-1 first, then 2 at 5, then 3
    merges = linkage_of_distances(distance, "weighted")
    assert merges.tolist() == [[0, 1, 1, 2], [2, 4, 5, 3], [3, 5, (9 + 12) / 2, 4]]


@pytest.mark.parametrize("make", [np.array, sparse.csr_array])
@pytest.mark.parametrize("scale", [2.0**1000, 2.0**-1000])
@pytest.mark.parametrize("method", [*METHODS, *CENTRES, "ward"])
def test_values_of_any_size_are_right(method, scale, make):
    rows = np.random.default_rng(0).normal(size=(40, 7))
    name = {"average": "UPGMA", "weighted": "WPGMA"}.get(method, method.capitalize())
    found = hcbench.fit(name, make(rows * scale)).to_linkage()
    expected = linkage(rows, method)
    np.testing.assert_array_equal(found[:, [0, 1, 3]], expected[:, [0, 1, 3]])
    np.testing.assert_allclose(found[:, 2] / scale, expected[:, 2], rtol=1e-9)


@pytest.mark.parametrize("n", [3, 600])
@pytest.mark.parametrize("name", ["UPGMA", "Single", "Centroid", "Ward"])
def test_distances_above_the_largest_number_are_refused_in_one_line(name, n):
    rows = np.zeros((n, 3))
    rows[0], rows[1] = 1.5e308, -1.5e308
    with pytest.raises(DataError, match=f"{name}: the largest value is 1.5e.308, .* divide them"):
        hcbench.fit(name, rows)
    assert np.isfinite(hcbench.fit(name, rows / 1e308).height).all()


@pytest.mark.parametrize(
    ("spec", "method", "metric"),
    [
        (specs.UPGMA, "average", "euclidean"),
        (specs.WPGMA, "weighted", "manhattan"),
        (specs.COMPLETE, "complete", "cosine"),
        (specs.SINGLE, "single", "cosine"),
        (specs.SINGLE, "single", "euclidean"),
    ],
)
def test_the_memory_that_is_declared_is_taken(spec, method, metric):
    peak = peak_memory(np.random.default_rng(0).normal(size=(600, 3)), method, metric)
    assert peak == pytest.approx(spec.memory(600, metric=metric), rel=0.05, abs=150_000)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("method", ["average", "weighted", "complete"])
def test_single_precision_merges_the_same_clusters_in_half_the_memory(method, metric):
    rows = np.random.default_rng(0).normal(size=(600, 3))
    merges = linkage_of_vectors(rows, method, metric, "", None, "single")
    expected = linkage(pdist(rows, METRICS[metric]), method)
    np.testing.assert_array_equal(merges[:, [0, 1, 3]], expected[:, [0, 1, 3]])
    np.testing.assert_allclose(merges[:, 2], expected[:, 2], rtol=1e-6)
    large = linkage_of_vectors(rows * 2.0**200, method, metric, "", None, "single")
    np.testing.assert_array_equal(large, merges * [1, 1, 2.0**200, 1])  # float32 ends at 2^128
    peak = peak_memory(rows, method, metric, "single")
    needed = specs.WPGMA.memory(600, metric=metric, precision="single")
    assert peak == pytest.approx(needed, rel=0.05, abs=150_000)


@pytest.mark.parametrize("method", CENTRES)
def test_centres_of_few_coordinates_take_no_memory_for_pairs(method):
    rows = np.random.default_rng(0).normal(size=(600, 3))
    assert peak_memory(rows, method, "euclidean") < 150_000


def peak_memory(rows: np.ndarray, method: str, metric: str, precision: str = "double") -> int:
    linkage_of_vectors(rows, method, metric, "", None, precision)  # imports what it needs
    tracemalloc.start()
    linkage_of_vectors(rows, method, metric, "", None, precision)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def test_no_memory_is_declared_where_the_vectors_are_enough():
    assert specs.UPGMA.memory(1000, metric="dot-product") == 0
    assert specs.UPGMA.memory(1000, metric="euclidean", pca=None) == 8 * 1000 * 999 / 2
    assert specs.WARD.memory is None
