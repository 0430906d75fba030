"""The best cut of a tree, against all cuts of small trees and by hand."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import hcbench
from hcbench import Partition, Tree
from hcbench.errors import InvalidPartitionError, InvalidTreeError
from hcbench.model import Cut, best_cut, heaviest_cut, pair_weights
from tests.core.trees import caterpillar, trees
from tests.plugins.tree_cuts import FIGURE_1, all_cuts, best_of


@st.composite
def labelled_trees(draw, most=7):
    tree = draw(trees(max_leaves=most))
    labels = draw(st.lists(st.integers(0, 3), min_size=tree.n, max_size=tree.n))
    return tree, Partition(labels)


def pairs_that_differ(one, other):
    """Count unordered pairs one by one."""
    together = [p.labels[:, None] == p.labels for p in (one, other)]
    return int((together[0] != together[1]).sum()) // 2


@given(labelled_trees())
def test_the_best_cut_is_the_nearest_and_then_the_coarsest(case):
    tree, clusters = case
    cuts = all_cuts(tree)
    costs = [pairs_that_differ(Cut(tree, cut).partition, clusters) for cut in cuts]
    found = best_cut(tree, clusters)
    cost = pairs_that_differ(found.partition, clusters)
    assert (cost, found.nodes.size) == best_of(costs, cuts)


@given(labelled_trees(most=25))
def test_weights_are_those_of_all_pairs(case):
    tree, clusters = case
    expected = np.zeros(tree.n_nodes)
    for i in range(tree.n):
        for j in range(i):
            expected[tree.lca(i, j)] += 1 if clusters.labels[i] == clusters.labels[j] else -1
    assert pair_weights(tree, clusters).tolist() == expected.tolist()


@given(trees(min_leaves=2, max_leaves=7), st.data())
def test_the_best_cut_gains_the_most_weight_and_ties_merge(tree, data):
    weights = np.array(
        data.draw(st.lists(st.integers(-3, 3), min_size=tree.n_nodes, max_size=tree.n_nodes))
    )
    pairs = [(i, j) for i in range(tree.n) for j in range(i)]

    def cost(cut):
        labels = Cut(tree, cut).partition.labels
        inside = {int(tree.lca(i, j)) for i, j in pairs if labels[i] == labels[j]}
        return -sum(int(weights[v]) for v in inside)

    cuts = all_cuts(tree)
    found = heaviest_cut(tree, weights).nodes
    assert (cost(found), found.size) == best_of(map(cost, cuts), cuts)


def test_clusters_that_are_not_a_cut_are_approximated():
    """By hand: x6 costs (x4, x6), (x5, x6); with x7 and x8 it costs the same."""
    found = hcbench.model.best_cut(FIGURE_1, Partition([0, 0, 0, 1, 1, 1, 2, 2]))
    assert found.partition == Partition([0, 0, 0, 1, 1, 2, 3, 3])


def test_one_item_two_items_and_a_star() -> None:
    for tree, labels, clusters in [
        (Tree([-1]), [0], [0]),
        (Tree([2, 2, -1]), [0, 0], [0, 0]),
        (Tree([2, 2, -1]), [0, 1], [0, 1]),
        (Tree([4, 4, 4, 4, -1]), [0, 0, 0, 1], [0, 0, 0, 0]),  # a tie merges: 3 pairs either way
        (Tree([4, 4, 4, 4, -1]), [0, 0, 1, 1], [0, 1, 2, 3]),
    ]:
        assert best_cut(tree, Partition(labels)).partition == Partition(clusters)


def test_a_deep_tree_of_many_clusters_is_cut():
    n = 100_000
    clusters = Partition(np.maximum(np.arange(n) - 50_000, 0))
    assert best_cut(caterpillar(n), clusters).partition == clusters


def test_inputs_that_do_not_fit_the_tree_are_refused_in_one_line():
    with pytest.raises(InvalidPartitionError, match="clusters of 2 items do not fit a tree of 3"):
        best_cut(caterpillar(3), Partition([0, 1]))
    with pytest.raises(InvalidTreeError, match=r"weights has shape \(2,\), expected \(5,\)"):
        heaviest_cut(caterpillar(3), [1.0, 2.0])
