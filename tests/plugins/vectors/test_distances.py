"""Correlations as metrics of linkages, against scipy's distances and linkages, and pandas."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import pdist, squareform

from hcbench import DataError
from tests.plugins.fitting import fit, vectors

METHODS = {"UPGMA": "average", "WPGMA": "weighted", "Complete": "complete", "Single": "single"}


@pytest.fixture
def profiles():
    """Expressions of 30 genes in 90 conditions, on scales that differ; no distances are equal."""
    rng = np.random.default_rng(3)
    return rng.normal(size=(30, 90)) * rng.lognormal(size=(30, 1)) + rng.normal(size=(30, 1)) * 100


def expected_distances(rows, metric):
    """Of each pair, in scipy's condensed form."""
    if metric == "correlation":
        return pdist(rows, "correlation")
    coefficients = pd.DataFrame(rows.T).corr(method="spearman").to_numpy()
    return squareform(1 - coefficients, checks=False)


def heights_of_pairs(tree):
    """The heights at which two items are in one cluster, in the condensed form."""
    found = np.zeros((tree.n, tree.n))
    ancestors = []
    for item in range(tree.n):
        above = [item]
        while tree.parent[above[-1]] >= 0:
            above.append(tree.parent[above[-1]])
        ancestors.append(above)
    for i in range(tree.n):
        for j in range(i):
            lowest = next(node for node in ancestors[i] if node in set(ancestors[j]))
            found[i, j] = found[j, i] = tree.height[lowest]
    return squareform(found)


@pytest.mark.parametrize("metric", ["correlation", "spearman"])
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("ties", [False, True])
def test_linkages_of_correlations_are_those_of_scipy(name, metric, ties, profiles):
    if ties and metric == "spearman":
        profiles = profiles.round(1)  # equal numbers in a row have equal ranks
    tree = fit(name, vectors(profiles), metric=metric)
    merges = linkage(expected_distances(profiles, metric), METHODS[name])
    np.testing.assert_allclose(heights_of_pairs(tree), cophenet(merges), atol=1e-9)


@pytest.mark.parametrize("name", [*METHODS, "HDBSCAN"])
@pytest.mark.parametrize("metric", ["correlation", "spearman"])
def test_sparse_vectors_give_the_tree_of_dense_ones(name, metric, profiles):
    counts = np.where(profiles > 0, profiles, 0)
    counts[:, 0] = np.arange(len(counts)) + 0.5  # no row is constant
    dense_tree = fit(name, vectors(counts), metric=metric)
    sparse_tree = fit(name, vectors(sparse.csr_array(counts)), metric=metric)
    np.testing.assert_allclose(heights_of_pairs(sparse_tree), heights_of_pairs(dense_tree))


def test_hdbscan_of_correlations_is_single_linkage_of_reachabilities(profiles):
    distances = squareform(expected_distances(profiles, "spearman"))
    core = np.sort(distances, axis=1)[:, 2]  # of the second neighbour: the first is the item
    reachability = np.maximum(distances, np.maximum.outer(core, core))
    np.fill_diagonal(reachability, 0)
    tree = fit("HDBSCAN", vectors(profiles), metric="spearman")
    merges = linkage(squareform(reachability, checks=False), "single")
    np.testing.assert_allclose(heights_of_pairs(tree), cophenet(merges), atol=1e-9)


@pytest.mark.parametrize("metric", ["correlation", "spearman"])
def test_a_constant_row_has_no_correlation_and_is_named(metric, profiles):
    profiles[4] = 0.1  # whose mean is not exactly 0.1
    problem = vectors(profiles, names=tuple(f"gene{i}" for i in range(30)))
    with pytest.raises(DataError, match=rf"metric={metric}: row 4 \('gene4'\) has the same number"):
        fit("UPGMA", problem, metric=metric)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_a_correlation_does_not_depend_on_the_scale(scale, profiles):
    tree = fit("UPGMA", vectors(profiles * scale), metric="correlation")
    merges = linkage(pdist(profiles, "correlation"), "average")
    np.testing.assert_allclose(heights_of_pairs(tree), cophenet(merges), atol=1e-9)
