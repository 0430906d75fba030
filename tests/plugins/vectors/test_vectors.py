"""UPGMA and HDBSCAN by hand, against naive versions and scikit-learn; special input of all."""

from __future__ import annotations

import subprocess
import sys
import warnings
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse
from scipy.cluster.hierarchy import is_valid_linkage, linkage
from scipy.spatial.distance import cdist, squareform
from sklearn.cluster import AgglomerativeClustering

from hcbench import Answers, DataError, HeightKind, Items, ModelWarning, Oracle, Tree
from tests.plugins.fitting import (
    SPECS,
    cophenetic,
    fit,
    nodes_of,
    random_similarity,
    similarities,
    vectors,
)


def naive_average(similarity: np.ndarray) -> list[tuple[frozenset[int], float]]:
    """Merge the two clusters of largest mean similarity, computed over all their pairs."""
    clusters, merges = [frozenset([i]) for i in range(len(similarity))], []
    while len(clusters) > 1:

        def mean(pair):
            return similarity[np.ix_(sorted(pair[0]), sorted(pair[1]))].mean()

        a, b = max(combinations(clusters, 2), key=mean)
        merges.append((a | b, mean((a, b))))
        clusters = [c for c in clusters if c not in (a, b)] + [a | b]
    return merges


def choices(name: str, parameter: str) -> tuple[str, ...]:
    return next((p.choices for p in SPECS[name].parameters if p.name == parameter), ())


# ---- UPGMA ---------------------------------------------------------------------------------------


def test_upgma_on_three_points_by_hand():
    tree = fit("UPGMA", vectors([[0.0], [1.0], [4.0]], names=("a", "b", "c")))
    assert tree.kind is HeightKind.DISTANCE
    assert nodes_of(tree) == {frozenset({0, 1}): 1.0, frozenset({0, 1, 2}): 3.5}  # (4 + 3) / 2


def test_upgma_on_similarities_by_hand():
    S = [[99, 0.9, 0.2], [0.9, -99, 0.4], [0.2, 0.4, 0]]  # the diagonal is ignored
    tree = fit("UPGMA", similarities(S))
    assert tree.kind is HeightKind.AFFINITY
    assert tree.height[:3].tolist() == [0.9, 0.9, 0.9]
    heights = nodes_of(tree)
    assert heights[frozenset({0, 1})] == pytest.approx(0.9)
    assert heights[frozenset({0, 1, 2})] == pytest.approx(0.3)  # (0.2 + 0.4) / 2


@given(n=st.integers(2, 9), seed=st.integers(0, 10**6))
def test_upgma_heights_are_mean_similarities(n, seed):
    S = random_similarity(n, seed)
    expected, found = dict(naive_average(S)), nodes_of(fit("UPGMA", similarities(S)))
    assert found.keys() == expected.keys()
    for cluster, height in expected.items():
        assert found[cluster] == pytest.approx(height, abs=1e-12)


@given(n=st.integers(2, 9), seed=st.integers(0, 10**6))
def test_upgma_on_vectors_is_the_naive_one(n, seed):
    X = np.random.default_rng(seed).normal(size=(n, 3))
    expected, found = dict(naive_average(-cdist(X, X))), nodes_of(fit("UPGMA", vectors(X)))
    assert found == pytest.approx({cluster: -height for cluster, height in expected.items()})


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("make", [np.array, sparse.csr_array])
def test_upgma_is_scikit_learns(metric, make):
    X = np.random.default_rng(1).poisson(0.6, size=(60, 12)) + 0.0
    X[:, 0] += 1  # no zero row
    X += np.random.default_rng(2).random(X.shape) * (X > 0)  # no ties
    model = AgglomerativeClustering(linkage="average", metric=metric, compute_distances=True).fit(X)
    theirs = Tree.from_children(model.children_, model.distances_)
    ours = fit("UPGMA", vectors(make(X)), metric=metric)
    assert ours.isomorphic(theirs)
    np.testing.assert_allclose(cophenetic(ours), cophenetic(theirs), atol=1e-7)


@pytest.mark.parametrize("make", [np.array, sparse.csr_array])
@pytest.mark.parametrize("name", [name for name in SPECS if "cosine" in choices(name, "metric")])
@pytest.mark.parametrize("pca", [None, 2])
def test_zero_rows_have_no_cosine(name, make, pca):
    problem = vectors(make([[1.0, 0], [0, 0], [0, 1]]), names=("a", "b", "c"))
    with pytest.raises(DataError, match=r"row 1 \('b'\) is zero.*metric=euclidean"):
        fit(name, problem, metric="cosine", pca=pca)


def test_upgma_of_equal_rows_under_cosine_merges_at_zero():
    X = np.random.default_rng(0).normal(size=(5, 7))
    tree = fit("UPGMA", vectors(np.vstack([X, 3 * X])), metric="cosine")
    assert (tree.height >= 0).all()
    np.testing.assert_allclose(cophenetic_pair(tree, 5), 0, atol=1e-15)


def cophenetic_pair(tree: Tree, half: int) -> np.ndarray:
    return tree.merge_height(np.arange(half), np.arange(half, 2 * half))


# ---- HDBSCAN -------------------------------------------------------------------------------------


def mutual_reachability(D: np.ndarray, k: int, alpha: float) -> np.ndarray:
    """Definitions of Campello et al. 2013, with the core distance to the k-th other item."""
    k = min(k, len(D) - 1)
    core = np.sort(D, axis=1)[:, k]
    M = np.maximum(np.maximum(core[:, None], core[None, :]), D / alpha)
    np.fill_diagonal(M, 0)
    return M


def single_linkage(M: np.ndarray) -> np.ndarray:
    return cophenetic(Tree.from_linkage(linkage(squareform(M, checks=False), "single")))


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "cosine"])
@pytest.mark.parametrize("p", [3, 70])  # the package changes its algorithm beyond 60
def test_hdbscan_is_single_linkage_of_mutual_reachability(p, metric):
    for alpha, min_samples in product((1.0, 1.3), (None, 1, 4, 1000)):
        X = np.random.default_rng(p).normal(size=(80, p))
        scipy_name = {"manhattan": "cityblock"}.get(metric, metric)
        M = mutual_reachability(cdist(X, X, scipy_name), min_samples or 2, alpha)
        tree = fit("HDBSCAN", vectors(X), metric=metric, min_samples=min_samples, alpha=alpha)
        assert tree.kind is HeightKind.DISTANCE
        # Cophenetic distances of single linkage do not depend on how ties are broken.
        np.testing.assert_allclose(cophenetic(tree), single_linkage(M), rtol=1e-9, atol=1e-12)


def test_hdbscan_min_cluster_size_stands_in_for_min_samples():
    problem = vectors(np.random.default_rng(0).normal(size=(40, 2)))
    assert fit("HDBSCAN", problem, min_cluster_size=6) == fit("HDBSCAN", problem, min_samples=6)


def test_hdbscan_on_similarities():
    S = random_similarity(30, 4)
    D = S[np.triu_indices(30, 1)].max() - S
    np.fill_diagonal(D, 0)
    tree = fit("HDBSCAN", similarities(S))
    np.testing.assert_allclose(cophenetic(tree), single_linkage(mutual_reachability(D, 2, 1)))


def test_hdbscan_measures_sparse_vectors_itself_where_the_package_does_not():
    dense = np.random.default_rng(3).normal(size=(20, 4))
    whole, thin = fit("HDBSCAN", vectors(dense)), fit("HDBSCAN", vectors(sparse.csr_array(dense)))
    np.testing.assert_allclose(thin.height, whole.height, rtol=1e-7)
    with pytest.raises(DataError, match="use metric=euclidean, cosine"):
        fit("HDBSCAN", vectors(sparse.csr_array(dense)), metric="manhattan")


def test_hdbscan_of_sparse_vectors_under_cosine():
    X = sparse.random_array((40, 9), density=0.5, rng=np.random.default_rng(0)).toarray()
    X[:, 0] += 0.1
    dense, thin = vectors(X), vectors(sparse.csr_array(X))
    ours = fit("HDBSCAN", thin, metric="cosine")
    np.testing.assert_allclose(
        cophenetic(ours), cophenetic(fit("HDBSCAN", dense, metric="cosine")), atol=1e-12
    )


# ---- Both ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SPECS)
@pytest.mark.parametrize(
    "problem",
    [
        pytest.param(vectors([[1.0, 2.0]]), id="one item"),
        pytest.param(vectors([[1.0, 2.0], [3.0, 4.0]]), id="two items"),
        pytest.param(vectors([[1.0, 2.0]] * 2), id="two equal items"),
        pytest.param(vectors([[1.0, 2.0]] * 30), id="thirty equal items"),
        pytest.param(vectors([[0.0], [1.0]] * 20), id="two groups"),
        pytest.param(vectors(np.ones((5, 2), np.float32)), id="float32"),
        pytest.param(similarities([[0.5]]), id="one, similarities"),
        pytest.param(similarities([[0.0, -3.0], [-3.0, 0.0]]), id="two, similarities"),
        pytest.param(similarities(np.full((6, 6), 0.5)), id="all equal"),
        pytest.param(similarities(random_similarity(8, 0).astype(np.float32)), id="float32 S"),
    ],
)
def test_small_and_degenerate_problems(name, problem):
    if problem.vectors is None and "similarities" not in SPECS[name].accepts:
        pytest.skip("takes vectors only")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # these data do not follow the model
        tree = fit(name, problem)
    assert tree.is_binary
    if problem.n > 1:
        assert is_valid_linkage(tree.to_linkage())


@pytest.mark.parametrize("name", SPECS)
@pytest.mark.parametrize("kind", ["vectors", "similarities"])
def test_input_is_unchanged_and_the_same_input_gives_the_same_tree(name, kind):
    rng = np.random.default_rng(0)
    if kind not in SPECS[name].accepts:
        pytest.skip("takes vectors only")
    if kind == "vectors":
        problem = vectors(rng.integers(0, 3, size=(50, 2)) + 0.0)  # many ties
    else:
        problem = similarities(np.round(random_similarity(50, 0)))
    before = problem.digest()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        assert fit(name, problem) == fit(name, problem)
    assert problem.digest() == before


@pytest.mark.slow
def test_nothing_is_printed_or_warned_about_even_when_first_imported():
    code = """
import numpy as np
from hcbench import Answers, Items, Oracle
from hcbench_vectors.algorithm_specs import ALGORITHMS
for spec in ALGORITHMS:
    oracle = Oracle(Answers(kind="vectors", n=9, data=np.random.default_rng(0).random((9, 2))))
    spec.load()(oracle, Items(n=9), np.random.default_rng(0), **spec.resolve({}))
"""
    done = subprocess.run(
        [sys.executable, "-W", "always", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout + done.stderr == ""


@pytest.mark.slow
def test_importing_the_plugin_imports_nothing_heavy():
    code = (
        "import sys, hcbench_vectors as p; list(p.hcbench_algorithms())\n"
        "heavy = ('numpy', 'numba', 'scipy', 'sklearn', 'hdbscan')\n"
        "print([m for m in heavy if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_no_queries_are_counted():
    oracle = Oracle(Answers(kind="vectors", n=3, data=np.eye(3)))
    spec = SPECS["UPGMA"]
    spec.load()(oracle, Items(n=3), np.random.default_rng(0), **spec.resolve({}))
    assert oracle.ledger.queries is None
