"""BEST, cut-at-K and largest-gap: against all cuts of small trees, and by hand."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import hcbench
from hcbench import (
    HeightKind,
    Items,
    NotApplicableError,
    ParameterError,
    Partition,
    Tree,
)
from hcbench_cuts.best import best
from hcbench_cuts.without_asking import cut_at_k, largest_gap
from tests.core.trees import caterpillar, trees
from tests.plugins.scoring import random_tree
from tests.plugins.tree_cuts import FIGURE_1, all_cuts, best_of, hamming, sigma, sigma_of_cut

RNG = np.random.default_rng(0)


def run(tree, labels, **params):
    known = Items(n=tree.n, tree=tree, hints={"clusters": Partition(labels)})
    return best(None, known, RNG, **params)


@st.composite
def labelled_trees(draw):
    tree = draw(trees(max_leaves=7))
    return tree, draw(st.lists(st.integers(0, 3), min_size=tree.n, max_size=tree.n))


@given(labelled_trees())
def test_the_best_cut_is_the_nearest_with_the_fewest_clusters(case):
    tree, labels = case
    cuts = all_cuts(tree)
    costs = [hamming(sigma_of_cut(tree, cut), sigma(labels)) for cut in cuts]
    for K in (None, *range(1, tree.n + 2)):
        found = run(tree, labels, K=K)
        mine = hamming(sigma(found.labels), sigma(labels)), found.n_clusters
        assert mine == best_of(costs, cuts, K or tree.n)


def test_the_clusters_of_figure_1_that_are_a_cut_are_recovered():
    assert run(FIGURE_1, [0, 0, 0, 0, 0, 1, 2, 2]) == Partition([0, 0, 0, 0, 0, 1, 2, 2])


def test_the_clusters_of_figure_1_that_are_not_a_cut_are_approximated():
    """By hand: x6 costs (x4, x6), (x5, x6); with x7 and x8 it costs the same."""
    found = run(FIGURE_1, [0, 0, 0, 1, 1, 1, 2, 2])
    assert found == Partition([0, 0, 0, 1, 1, 2, 3, 3])
    assert hamming(sigma(found.labels), sigma([0, 0, 0, 1, 1, 1, 2, 2])) == 4


def test_a_deep_tree_of_many_clusters_is_cut():
    n = 100_000
    labels = np.maximum(np.arange(n) - 50_000, 0)
    assert run(caterpillar(n), labels) == Partition(labels)


def test_it_makes_no_queries_and_accepts_trees_of_any_degree():
    tree = random_tree(30, np.random.default_rng(1), width=5)
    oracle = hcbench.ask_oracle("pair-queries", lambda i, j: 1 / 0, n=30)
    truth = tree.cut(7)
    known = Items(n=30, tree=tree, hints={"clusters": truth})
    assert best(oracle, known, RNG) == truth
    assert oracle.ledger.queries == 0


def test_labels_that_do_not_fit_the_tree_are_refused_in_a_line():
    with pytest.raises(hcbench.DataError, match="the truth has 4 items, and the data 5"):
        hcbench.fit("BEST", caterpillar(5), truth=[0, 0, 1, 1])


@pytest.mark.parametrize("name", ["BEST", "cut-at-K", "ERM", "NR", "largest-gap"])
def test_vectors_cannot_be_cut(name):
    with pytest.raises(hcbench.DataError, match="tree"):
        hcbench.fit(name, np.eye(4, 3), truth=[0, 0, 1, 1])


# ---- cut-at-K and largest-gap --------------------------------------------------------------------


def heights(*merges, kind=HeightKind.DISTANCE):
    """A caterpillar that merges at these heights."""
    n = len(merges) + 1
    tree = caterpillar(n)
    level = np.concatenate((np.full(n, 9.0 if kind is HeightKind.AFFINITY else 0.0), merges))
    return Tree(tree.parent, level, kind)


def gap(tree):
    return largest_gap(None, Items(n=tree.n, tree=tree), RNG)


def test_cut_at_k_has_as_many_clusters_as_the_truth():
    tree = random_tree(20, np.random.default_rng(2))
    found = hcbench.fit("cut-at-K", tree, truth=np.arange(20) % 6)
    assert found == tree.cut(6)


def test_cut_at_k_with_a_number_needs_no_hint():
    tree = caterpillar(6)
    assert hcbench.fit("cut-at-K[K=3]", tree, same_cluster=lambda i, j: 1 / 0).n_clusters == 3


def test_cut_at_more_clusters_than_leaves_is_refused():
    with pytest.raises(ParameterError, match=r"^cut-at-K: a tree of 3 leaves has no 4 clusters$"):
        cut_at_k(None, Items(n=3, tree=caterpillar(3)), RNG, K=4)


@pytest.mark.parametrize(
    ("tree", "clusters"),
    [
        (heights(1, 2, 3, 10), 2),  # between 3 and 10
        (heights(1, 5, 6, 7), 4),  # between 1 and 5
        (heights(1, 3, 5), 2),  # of equal gaps the one nearest to the root
        (heights(2, 2, 2), 1),  # all at one height
        (heights(4), 1),
        (heights(1, 2, np.inf), 2),
        (heights(5, 1, 6), 2),  # the dip counts as 5
        (heights(9, 8, 3, 2, kind=HeightKind.AFFINITY), 3),  # between 8 and 3
        (heights(9, 5, 1, kind=HeightKind.AFFINITY), 2),
        (Tree([-1], [0.0], HeightKind.DISTANCE), 1),
    ],
)
def test_the_largest_gap_by_hand(tree, clusters):
    assert gap(tree) == tree.cut(clusters)


@pytest.mark.parametrize(
    ("tree", "reason"),
    [
        (Tree([2, 2, -1]), "this tree has no heights"),
        (Tree([2, 2, -1], [0, 0, 1], HeightKind.ORDER), "this tree has an order of merges"),
    ],
)
def test_without_heights_there_is_no_gap(tree, reason):
    with pytest.raises(NotApplicableError, match=reason):
        gap(tree)
