"""Agglomeration by means, and the linkages, against naive versions, scipy and fastcluster."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse
from scipy.cluster.hierarchy import is_valid_linkage, linkage
from scipy.spatial.distance import cdist, pdist, squareform
from threadpoolctl import threadpool_limits

from hcbench import DataError, HeightKind, Tree
from hcbench_vectors import agglomeration, means, products
from hcbench_vectors.means import Limits
from tests.plugins.fitting import (
    cophenetic,
    fit,
    nodes_of,
    random_similarity,
    similarities,
    vectors,
)

WAYS = {
    "means": lambda X: means.average_of_products(X, ""),
    "matrix": lambda X: agglomeration.linkage_of_similarities(X @ X.T, "average", ""),
    "sparse": lambda X: products.merge_by_products(
        sparse.csr_array(np.pad(X, ((0, 0), (0, 1000)))), ""
    ),
}


def grouped(n: int, p: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(9, p))[rng.integers(9, size=n)] + 0.6 * rng.normal(size=(n, p)) + 0.5


def hubs(n: int, p: int) -> np.ndarray:
    """Positive vectors of very different lengths: the longest is the nearest of all others."""
    rng = np.random.default_rng(0)
    return rng.random((n, p)) * rng.lognormal(size=(n, 1))


#: Packages whose `linkage` is the same; fastcluster is not there for the newest Python.
PEERS = ("scipy.cluster.hierarchy", "fastcluster")
SHAPES = {
    "groups": grouped(400, 12),
    "hubs": hubs(150, 5),
    "unit": grouped(300, 7) / np.linalg.norm(grouped(300, 7), axis=1)[:, None],
    "on a ray": np.sort(np.random.default_rng(0).random(60))[:, None] * np.ones(4),
    "opposite": np.repeat([[1.0, 2.0], [-1.0, 0.5]], 30, axis=0)
    + 0.1 * np.random.default_rng(1).normal(size=(60, 2)),
}


def merged_sets(merges: np.ndarray) -> list[tuple[frozenset[int], frozenset[int], float]]:
    n = len(merges) + 1
    clusters = [frozenset([i]) for i in range(n)]
    found = []
    for u, v, height, size in merges:
        found.append((clusters[int(u)], clusters[int(v)], height))
        clusters.append(clusters[int(u)] | clusters[int(v)])
        assert len(clusters[-1]) == size
    return found


def assert_every_merge_is_maximal(merges, score) -> None:
    """For any order of ties, no pair of clusters scores above the merged one."""
    clusters = {frozenset([i]) for i in range(len(merges) + 1)}
    for a, b, height in merged_sets(merges):
        assert {a, b} <= clusters
        best = max(score(*pair) for pair in combinations(clusters, 2))
        assert score(a, b) == pytest.approx(best, rel=1e-12, abs=1e-12)
        assert height == pytest.approx(best, rel=1e-12, abs=1e-12)
        clusters = (clusters - {a, b}) | {a | b}


def affinity_tree(merges: np.ndarray) -> Tree:
    return Tree.from_linkage(merges, kind=HeightKind.AFFINITY, leaf_height=np.inf)


@pytest.mark.slow
@pytest.mark.parametrize("build", [means.average_of_products, means.ward_of_vectors])
def test_threads_do_not_change_the_merges(build):
    rows = grouped(600, 3)  # three parts of searches
    limits = Limits(wide=1)
    with threadpool_limits(1):
        one = build(rows, "", limits=limits)
    with threadpool_limits(3):
        np.testing.assert_array_equal(build(rows, "", limits=limits), one)


def tied_rows() -> st.SearchStrategy[list[list[int]]]:
    row = st.lists(st.integers(-2, 2), min_size=2, max_size=2)
    return st.lists(row, min_size=2, max_size=12)


# ---- Average of dot products ---------------------------------------------------------------------


@given(rows=tied_rows(), way=st.sampled_from(sorted(WAYS)))
def test_each_merge_has_the_largest_mean_dot_product_even_with_ties(rows, way):
    X = np.array(rows, dtype=float)
    S = X @ X.T
    assert_every_merge_is_maximal(WAYS[way](X), lambda a, b: S[np.ix_(sorted(a), sorted(b))].mean())


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("shape", SHAPES)
def test_the_tree_is_that_of_scipy_on_the_largest_dot_product_minus_each(shape, way):
    X = SHAPES[shape]
    S = X @ X.T
    distances = squareform(S.max() - S, checks=False)
    theirs = linkage(distances, "average")
    ours = WAYS[way](X)
    np.testing.assert_allclose(ours[:, 2], S.max() - theirs[:, 2], rtol=1e-10, atol=1e-10 * S.max())
    assert affinity_tree(ours).isomorphic(Tree.from_linkage(theirs))


@pytest.mark.parametrize("shape", SHAPES)
def test_searches_one_at_a_time_give_the_same_tree(shape):
    X = SHAPES[shape]
    rounds = means.average_of_products(X, "")
    chain = means.average_of_products(X, "", limits=Limits(many=0, little=0))
    assert affinity_tree(rounds).isomorphic(affinity_tree(chain))
    np.testing.assert_allclose(chain[:, 2], rounds[:, 2], rtol=1e-12, atol=1e-12)


@given(rows=tied_rows())
def test_ties_do_not_stop_searches_one_at_a_time(rows):
    X = np.array(rows, dtype=float)
    S = X @ X.T
    limits = Limits(many=0, little=0, rows=2, tile=4)  # a row goes over several tiles
    merges = means.average_of_products(X, "", limits=limits)
    assert_every_merge_is_maximal(merges, lambda a, b: S[np.ix_(sorted(a), sorted(b))].mean())


@pytest.mark.parametrize("shape", SHAPES)
def test_tiles_do_not_change_the_merges(shape):
    X = SHAPES[shape]
    whole = means.average_of_products(X, "")
    tiled = means.average_of_products(X, "", limits=Limits(little=0, tile=700, rows=13))
    np.testing.assert_allclose(tiled[:, 2], whole[:, 2], rtol=1e-12)


def test_equal_rows_are_merged_in_pairs():
    merges = means.average_of_products(np.ones((64, 3)), "")
    assert (merges[:, 2] == 3).all()
    assert merges[:32, 3].tolist() == [2] * 32


@pytest.mark.parametrize("name", ["DotProduct", "UPGMA"])
@pytest.mark.parametrize("make", [np.array, sparse.csr_array])
@pytest.mark.parametrize("p", [3, 1001])
def test_products_above_the_largest_number_are_refused_in_one_line(name, make, p):
    params = {"metric": "dot-product"} if name == "UPGMA" else {}
    huge = np.zeros((20, p))
    huge[:, :3] = np.random.default_rng(0).integers(1, 9, size=(20, 3)) * 1e200
    with pytest.raises(DataError, match=rf"{name}.*: the largest value is 8e\+200, .* by 1e\+200"):
        fit(name, vectors(make(huge)), **params)
    fit(name, vectors(make(huge / 1e200)), **params)


@pytest.mark.parametrize("make", [np.array, sparse.csr_array])
def test_the_merges_of_dot_products_do_not_depend_on_the_unit(make):
    X = grouped(60, 4)
    one = products.merge_by_products(make(X), "")
    large = products.merge_by_products(make(X * 2.0**500), "")
    np.testing.assert_array_equal(large, one * [1, 1, 2.0**1000, 1])


# ---- Ward ----------------------------------------------------------------------------------------


@given(rows=tied_rows(), offset=st.sampled_from([0, 1000]))
def test_each_ward_merge_raises_the_sum_of_squares_least_even_with_ties(rows, offset):
    X = np.array(rows, dtype=float) + offset

    def spread(cluster):
        chosen = X[sorted(cluster)]
        return ((chosen - chosen.mean(axis=0)) ** 2).sum()

    merges = means.ward_of_vectors(X, "")
    merges[:, 2] = -(merges[:, 2] ** 2) / 2  # the increase is half the squared height
    assert_every_merge_is_maximal(merges, lambda a, b: spread(a) + spread(b) - spread(a | b))


@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("peer", PEERS)
@pytest.mark.parametrize("shape", SHAPES)
def test_ward_is_that_of_scipy_and_fastcluster(shape, peer, offset):
    X = SHAPES[shape] + offset
    ours, theirs = fit("Ward", vectors(X)), pytest.importorskip(peer).linkage(X, "ward")
    assert ours.isomorphic(Tree.from_linkage(theirs))
    np.testing.assert_allclose(ours.to_linkage()[:, 2], theirs[:, 2], rtol=1e-10 + 1e-13 * offset)


@pytest.mark.parametrize("p", [1, 2, 3, 6])
@pytest.mark.parametrize("kind", ["normal", "skewed", "grid", "copies", "equal", "two groups"])
def test_ward_by_a_tree_merges_as_by_all_products(kind, p):
    """To the bit, ties included; the tree is used from about 300 clusters on."""
    rng = np.random.default_rng(p)
    normal = rng.normal(size=(700, p))
    X = {
        "normal": normal,
        "skewed": np.exp(4 * normal),
        "grid": rng.integers(0, 1 + round(400 ** (1 / p)), size=(700, p)).astype(float),
        "copies": normal[rng.integers(70, size=700)],
        "equal": np.ones((700, p)),
        "two groups": 1e-3 * normal + 1e3 * (np.arange(700) % 2)[:, None],
    }[kind]
    tree = means.ward_of_vectors(X, "")
    np.testing.assert_array_equal(tree, means.ward_of_vectors(X, "", Limits(few=0)))


@pytest.mark.parametrize("p", [8, 1001])  # by means, and by distances
def test_ward_of_sparse_vectors_is_that_of_dense_ones(p):
    X = sparse.random_array((60, p), density=0.4, rng=np.random.default_rng(0))
    dense, thin = fit("Ward", vectors(X.toarray())), fit("Ward", vectors(sparse.csr_array(X)))
    assert dense.isomorphic(thin)
    np.testing.assert_allclose(cophenetic(thin), cophenetic(dense), rtol=1e-8)


def test_ward_keeps_a_distance_that_is_tiny_beside_the_others():
    tree = fit("Ward", vectors([[1.0], [1e-17], [1.25], [2e-17], [1e-17]]))
    # 1e-17 twice, then 2e-17 at sqrt(4/3) 1e-17, then the two near 1.
    expected = [0.0, np.sqrt(4 / 3) * 1e-17, 0.25]
    np.testing.assert_allclose(tree.to_linkage()[:3, 2], expected, rtol=1e-12, atol=0)


def test_ward_of_close_pairs_far_from_the_origin():
    rng = np.random.default_rng(0)
    X = 1e4 * rng.normal(size=(30, 3))
    near = np.repeat(X, 2, axis=0) + 1e-5 * rng.random((60, 3))
    heights = fit("Ward", vectors(near)).to_linkage()[:30, 2]
    np.testing.assert_allclose(
        np.sort(heights), np.sort(np.linalg.norm(near[::2] - near[1::2], axis=1)), rtol=1e-5
    )


# ---- Cosines and the dot product as a dissimilarity ----------------------------------------------


@pytest.mark.parametrize("peer", PEERS)
@pytest.mark.parametrize("n", [200, 1500])
@pytest.mark.parametrize("make", [np.array, sparse.csr_array])
def test_upgma_of_cosines_is_that_of_scipy_and_fastcluster(make, n, peer):
    X = np.abs(grouped(n, 20))
    X[X < 0.3] = 0
    X[:, 0] += 0.1
    ours = fit("UPGMA", vectors(make(X)), metric="cosine")
    theirs = pytest.importorskip(peer).linkage(pdist(X, "cosine"), "average")
    assert ours.isomorphic(Tree.from_linkage(theirs))
    np.testing.assert_allclose(ours.to_linkage()[:, 2], theirs[:, 2], rtol=1e-10, atol=1e-14)


def test_the_dot_product_as_a_dissimilarity_merges_the_smallest_first_by_hand():
    tree = fit("UPGMA", vectors([[1.0, 0.0], [2.0, 1.0], [0.0, 3.0]]), metric="dot-product")
    # The products are 2, 0 and 3; the orthogonal two merge first.
    assert nodes_of(tree) == {frozenset({0, 2}): 0.0, frozenset({0, 1, 2}): 2.5}
    assert tree.kind is HeightKind.DISTANCE


@given(rows=tied_rows())
def test_the_dot_product_as_a_dissimilarity_with_ties(rows):
    X = np.array(rows, dtype=float)
    S = X @ X.T
    merges = products.merge_by_products(X, "", sign=-1.0)
    assert_every_merge_is_maximal(merges, lambda a, b: -S[np.ix_(sorted(a), sorted(b))].mean())
    tree = fit("UPGMA", vectors(X), metric="dot-product")
    np.testing.assert_array_equal(tree.height[tree.n :], -merges[:, 2])
    assert (tree.height[: tree.n] == min(0, -merges[0, 2])).all()


# ---- The linkages of scipy -----------------------------------------------------------------------

METHODS = {"WPGMA": "weighted", "Complete": "complete", "Single": "single", "UPGMA": "average"}


@pytest.mark.parametrize("make", [np.array, sparse.csr_array])
@pytest.mark.parametrize("name", METHODS)
def test_linkages_of_vectors_are_those_of_fastcluster(name, make):
    fastcluster = pytest.importorskip("fastcluster")
    for metric in ("euclidean", "cosine", "manhattan"):
        X = grouped(80, 6)
        distances = pdist(X, {"manhattan": "cityblock"}.get(metric, metric))
        theirs = Tree.from_linkage(fastcluster.linkage(distances, METHODS[name]))
        ours = fit(name, vectors(make(X)), metric=metric)
        assert ours.isomorphic(theirs)
        np.testing.assert_allclose(cophenetic(ours), cophenetic(theirs), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", METHODS)
def test_linkages_of_similarities_turn_heights_back(name):
    fastcluster = pytest.importorskip("fastcluster")
    S = random_similarity(40, 3)
    upper = S[np.triu_indices(40, 1)]
    theirs = fastcluster.linkage(upper.max() - upper, METHODS[name])
    tree = fit(name, similarities(S))
    assert tree.kind is HeightKind.AFFINITY
    assert (tree.height[:40] == upper.max()).all()
    np.testing.assert_allclose(tree.height[40:], upper.max() - theirs[:, 2], atol=1e-12)


def test_complete_and_single_on_similarities_by_hand():
    S = [[0, 0.9, 0.2], [0.9, 0, 0.4], [0.2, 0.4, 0]]
    root = frozenset({0, 1, 2})
    assert nodes_of(fit("Complete", similarities(S)))[root] == pytest.approx(0.2)
    assert nodes_of(fit("Single", similarities(S)))[root] == pytest.approx(0.4)


@pytest.mark.parametrize(("name", "method"), [("Centroid", "centroid"), ("Median", "median")])
@pytest.mark.parametrize("make", [np.array, sparse.csr_array])
def test_centroid_and_median_are_those_of_fastcluster(name, method, make):
    fastcluster = pytest.importorskip("fastcluster")
    X = grouped(60, 5)
    theirs = fastcluster.linkage(X, method)
    ours = fit(name, vectors(make(X)))
    assert ours.isomorphic(Tree.from_linkage(theirs))
    np.testing.assert_allclose(ours.height[60:], theirs[:, 2], rtol=1e-9)


def test_centroid_heights_may_fall():
    triangle = [[0.0, 0.0], [1.0, 0.0], [0.5, 0.9]]
    tree = fit("Centroid", vectors(triangle))
    assert tree.height[3:].tolist() == pytest.approx([1.0, 0.9])


@pytest.mark.parametrize("name", [*METHODS, "Ward"])
def test_linkages_are_valid_for_scipy(name):
    X = np.random.default_rng(0).integers(0, 3, size=(70, 2)) + 0.0
    tree = fit(name, vectors(X))
    assert is_valid_linkage(tree.to_linkage())
    assert cophenetic(tree).min() == 0, "equal points are joined first"
    assert cdist(X, X).max() <= tree.height.max() * len(X)
