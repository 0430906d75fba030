"""The dynamic cut, against labels of R's dynamicTreeCut 1.63."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage

from hcbench import Partition, Tree
from hcbench.analysis.dynamic_cut import distances_in_tree, dynamic_cut
from hcbench.errors import InvalidTreeError, ParameterError

#: ``cutreeHybrid(hclust(dist(x), "average"), minClusterSize=5, pamStage=FALSE)`` by deepSplit.
OF_R = {
    0: "2222222222221111111111111111333333333113",
    1: "2222222222221111111111111111333333333113",
    2: "2222222222221111111111111111333333333113",
    3: "1111111111113333333344444444222222222002",
    4: "4544554455442222222233333333111111111001",
}


def groups_on_a_line():
    """Three groups, the second of which has two parts, and items between them."""
    i = np.arange(40)
    parts = [
        np.sin(i[:12] * 1.7),
        8 + np.sin(i[:8] * 2.3) * 0.6,
        10.2 + np.cos(i[:8] * 1.1) * 0.6,
        20 + np.sin(i[:9] * 3.1) * 1.5,
        [5, 14, 28],
    ]
    return np.concatenate(parts)


X = groups_on_a_line()
TREE = Tree.from_linkage(linkage(X[:, None], "average"))
DISTANCES = np.abs(X[:, None] - X)


@pytest.mark.parametrize("deep_split", OF_R)
def test_the_clusters_are_those_of_r(deep_split):
    labels = dynamic_cut(TREE, DISTANCES, min_size=5, deep_split=deep_split)
    expected = np.array([int(digit) for digit in OF_R[deep_split]])
    assert np.array_equal(labels == 0, expected == 0)
    assert Partition(labels) == Partition(expected)


def test_items_outside_of_all_clusters_join_the_nearest():
    labels = dynamic_cut(TREE, DISTANCES, min_size=5, deep_split=3, assign_all=True)
    # The items at 5 and 14 are nearest to the parts around 8 and 10.2.
    assert labels[37] == labels[12]
    assert labels[38] == labels[20]


def test_larger_clusters_come_first():
    labels = dynamic_cut(TREE, DISTANCES, min_size=5)
    sizes = np.bincount(labels)[1:]
    assert list(sizes) == sorted(sizes, reverse=True)


def test_without_distances_those_of_the_tree_are_used():
    in_tree = distances_in_tree(TREE)
    assert np.array_equal(
        dynamic_cut(TREE, min_size=5, deep_split=3),
        dynamic_cut(TREE, in_tree, min_size=5, deep_split=3),
    )


def test_no_cluster_is_smaller_than_allowed_and_one_may_be_none():
    labels = dynamic_cut(TREE, DISTANCES, min_size=41)
    assert set(labels) == {0}
    assert set(dynamic_cut(Tree([-1], [0.0], "distance"))) == {0}


def test_wrong_arguments_are_errors():
    with pytest.raises(InvalidTreeError, match="needs heights"):
        dynamic_cut(Tree([2, 2, -1]))
    with pytest.raises(ParameterError, match="deep_split=5"):
        dynamic_cut(TREE, deep_split=5)
    with pytest.raises(ParameterError, match="min_size=0"):
        dynamic_cut(TREE, min_size=0)
