"""Numbers of pairs and sums at the nodes of a tree, against values computed by hand."""

from __future__ import annotations

import numpy as np

from hcbench import Tree
from hcbench_metrics.node_sums import merged_pairs, pairs_within, sums_below, without_children

# ((0, 1), 2, (3, 4)): nodes 5 and 6 have two leaves each, and the root 7 three children.
TREE = Tree([5, 5, 7, 6, 6, 7, 7, -1])


def test_pairs_within_clusters_are_those_of_each_cluster():
    assert pairs_within(np.array([4, 1, 3])) == 6 + 0 + 3


def test_a_node_merges_the_pairs_that_none_of_its_children_has():
    # Of the 10 pairs of five leaves, one is merged at each of the two pairs.
    assert merged_pairs(TREE).tolist() == [0, 0, 0, 0, 0, 1, 1, 8]


def test_sums_below_a_node_are_those_of_its_leaves_in_any_order():
    sums = sums_below(TREE, np.array([1.0, 2.0, 4.0, 8.0, 16.0]))
    assert sums.tolist() == [1, 2, 4, 8, 16, 3, 24, 31]


def test_without_its_children_a_node_has_what_is_its_own():
    values = np.array([1, 1, 1, 1, 1, 5, 2, 20])
    assert without_children(TREE, values).tolist() == [1, 1, 1, 1, 1, 3, 0, 20 - 1 - 5 - 2]
