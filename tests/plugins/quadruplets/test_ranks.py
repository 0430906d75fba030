"""All comparisons by ranks, average linkage of a matrix, initial clusters, missing items."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

import hcbench
from hcbench import AllComparisons, Comparisons, HeightKind, ModelWarning, ParameterError, Partition
from hcbench_quadruplets.average_linkage import merge_all, merge_by_ranks
from hcbench_quadruplets.initial_clusters import maximal_clusters
from hcbench_quadruplets.linkage import merge_by_mean
from hcbench_quadruplets.win_rate import win_rates

ALL = ["4-AL", '4-AL[init="4K-AL"]', "4K-AL", "4K-AL[kernel=code]", "tK-AL", "AL-rowsum"]


@given(st.integers(2, 9), st.integers(1, 30), st.integers(0, 1000), st.integers(1, 9))
def test_four_al_by_ranks_makes_the_merges_of_the_stored_comparisons(n, levels, seed, clusters):
    """With ties, in the ranking and among the clusters."""
    rng = np.random.default_rng(seed)
    all_comparisons = AllComparisons.from_similarity(rng.integers(levels, size=n * (n - 1) // 2))
    cluster = Partition(rng.integers(clusters, size=n)).labels
    merges, W = merge_by_ranks(all_comparisons, cluster)
    expected = merge_all(all_comparisons.materialise(), cluster)
    np.testing.assert_array_equal(merges, expected[0])
    np.testing.assert_allclose(W, expected[1], atol=1e-12)


def test_four_al_by_ranks_on_more_ranks_than_one_stretch():
    rng = np.random.default_rng(0)
    all_comparisons = AllComparisons.from_similarity(rng.normal(size=60 * 59 // 2))
    merges, W = merge_by_ranks(all_comparisons, np.arange(60))
    expected = merge_all(all_comparisons.materialise(), np.arange(60))
    np.testing.assert_array_equal(merges, expected[0])
    np.testing.assert_allclose(W, expected[1], atol=1e-12)


@given(st.integers(2, 8), st.integers(0, 1000), st.integers(1, 6))
def test_average_linkage_merges_the_first_of_the_most_similar(n, seed, levels):
    w = np.random.default_rng(seed).integers(-levels, levels + 1, size=(n, n))
    w = np.triu(w, 1) + np.triu(w, 1).T
    clusters = {i: {i} for i in range(n)}
    nodes = dict(enumerate(range(n)))
    for step, (a, b, value, size) in enumerate(merge_by_mean(w).tolist()):
        mean = {
            (p, q): Fraction(
                int(w[np.ix_(sorted(clusters[p]), sorted(clusters[q]))].sum()),
                len(clusters[p]) * len(clusters[q]),
            )
            for p, q in combinations(sorted(clusters), 2)
        }
        largest = max(mean.values())
        p, q = next(pair for pair, m in mean.items() if m == largest)
        assert (nodes[p], nodes[q]) == (a, b)
        assert value == float(largest)
        clusters[p] |= clusters.pop(q)
        nodes[p] = n + step
        assert size == len(clusters[p])


def test_average_linkage_has_scipys_heights_where_nothing_is_tied():
    w = np.random.default_rng(0).normal(size=(60, 60))
    w = w + w.T
    np.fill_diagonal(w, 0)
    top = w.max() + 1
    distances = squareform(top - w, checks=False)
    expected = linkage(distances, "average")
    np.testing.assert_allclose(merge_by_mean(w)[:, 2], top - expected[:, 2], atol=1e-10)
    tree = hcbench.fit("AL", hcbench.Problem(n=60, similarity=w))
    assert tree.kind is HeightKind.AFFINITY
    np.testing.assert_allclose(tree.height[60:], top - expected[:, 2], atol=1e-10)
    assert hcbench.fit("AL", np.ones((1, 1))).n == 1


def test_win_rates_by_hand():
    """Pair 01 wins two of three; 23 was compared three times and never won; 02 never."""
    rows = [[0, 1, 2, 3], [0, 1, 0, 3], [1, 2, 0, 1], [1, 3, 2, 3], [0, 3, 2, 3]]
    rate = win_rates(Comparisons.from_quadruplets(4, rows))
    assert rate[0, 1] == rate[1, 0] == pytest.approx(1 / 3)
    assert rate[2, 3] == -1
    assert rate[0, 2] == 0
    assert win_rates(AllComparisons(3, [0, 1, 0]))[0].tolist() == [0, -1, 1]


def compared() -> Comparisons:
    w = np.random.default_rng(0).normal(size=(8, 8))
    return AllComparisons.from_similarity(w + w.T).materialise()


@pytest.mark.parametrize(
    ("init", "words"),
    [
        ([[0, 1], [1, 2]], "item 1 is in the initial clusters 0 and 1"),
        ([[0, 8]], "names item 8; items are 0..7"),
        ([[0, 1], []], "initial cluster 1 must be a list of items"),
        ([3, 3], "initial cluster 0 must be a list of items, got 3"),
        ([[0, 1, 0]], "names an item twice"),
        (0, "must be in"),
        ("truth", "must be one of 4K-AL"),
    ],
)
def test_invalid_initial_clusters_are_reported_in_one_line(init, words):
    with pytest.raises(ParameterError, match="4-AL") as error:
        hcbench.fit("4-AL", compared(), init=init)
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_given_initial_clusters_are_nodes_and_other_items_singletons():
    tree = hcbench.fit("4-AL", compared(), init=[[1, 4, 6], [0, 7]])
    initial = np.flatnonzero(tree.height == 1)
    assert sorted(sorted(tree.leaves(node).tolist()) for node in initial) == [[0, 7], [1, 4, 6]]
    assert tree.parent.size == 8 + 2 + 4


def test_maximal_clusters_are_those_whose_parents_are_too_large():
    tree = hcbench.Tree([6, 6, 7, 8, 8, 9, 7, 9, 10, 10, -1])  # ((((0 1) 2) 5) (3 4))
    assert Partition(maximal_clusters(tree, 3)) == Partition([0, 0, 0, 1, 1, 2])
    assert Partition(maximal_clusters(tree, 2)) == Partition([0, 0, 1, 2, 2, 3])
    assert Partition(maximal_clusters(tree, 1)) == Partition(range(6))
    assert Partition(maximal_clusters(tree, 9)) == Partition([0] * 6)


def test_initial_clusters_of_4k_al_are_clusters_of_its_tree():
    w = np.random.default_rng(1).normal(size=(20, 20))
    problem = hcbench.Problem(n=20, similarity=w + w.T)
    oracle = "quadruplet-set[p=0.5]"
    kernel = hcbench.fit("4K-AL", problem, oracle=oracle)
    tree = hcbench.fit("4-AL", problem, oracle=oracle, init="4K-AL", size=4)
    clusters = {frozenset(kernel.leaves(node).tolist()) for node in range(20, 39)}
    initial = np.flatnonzero(tree.height == 1)
    assert initial.size
    for node in initial:
        assert frozenset(tree.leaves(node).tolist()) in clusters
        assert tree.sizes[node] <= 4


@pytest.mark.parametrize("name", ALL)
def test_items_that_were_never_compared_are_named(name):
    rows = [[0, 1, 0, 2], [0, 2, 1, 2], [0, 1, 1, 2], [4, 5, 4, 6], [4, 6, 5, 6]]
    with pytest.warns(ModelWarning, match="items 3, 7 were never compared"):
        tree = hcbench.fit(name, Comparisons.from_quadruplets(8, rows))
    assert tree.n == 8
    with pytest.warns(ModelWarning, match="item 3 was never compared: its place"):
        hcbench.fit(name, Comparisons.from_quadruplets(7, rows))


@pytest.mark.parametrize("name", ALL)
def test_an_empty_set_gives_an_arbitrary_tree_with_a_note(name):
    for n in (3, 6):
        with pytest.warns(ModelWarning, match="no comparison at all"):
            assert hcbench.fit(name, Comparisons(n, [], [])).n == n
    for n in (1, 2):
        assert hcbench.fit(name, Comparisons(n, [], [])).n == n  # there is only one tree


@pytest.mark.parametrize("name", ALL)
def test_repeated_and_contradictory_answers_are_accepted(name):
    rows = [[0, 1, 0, 2], [0, 1, 0, 2], [0, 2, 0, 1], [0, 1, 1, 2], [1, 2, 0, 2]] * 3
    tree = hcbench.fit(name, Comparisons.from_quadruplets(3, rows))
    assert tree == hcbench.fit(name, Comparisons.from_quadruplets(3, rows).unique())
