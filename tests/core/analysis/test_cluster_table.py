"""The table of items and clusters."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage

from hcbench import Partition, Tree
from hcbench.analysis.cluster_table import Cuts, cluster_rows, cut_tree, describe_cuts
from hcbench.errors import InvalidPartitionError

Z = linkage(np.random.default_rng(5).normal(size=(30, 2)), "average")
TREE = Tree.from_linkage(Z, names=[f"item {k}" for k in range(30)])


@pytest.mark.parametrize("k", [1, 2, 7, 30])
def test_cuts_into_clusters_are_those_of_scipy(k):
    labels = cut_tree(TREE, Cuts(k=(k,)))[f"k={k}"]
    assert Partition(labels) == Partition(fcluster(Z, k, "maxclust"))


def test_cuts_at_a_height_are_those_of_scipy():
    height = float(Z[20, 2])
    (labels,) = cut_tree(TREE, Cuts(heights=(height,))).values()
    assert Partition(labels) == Partition(fcluster(Z, height, "distance"))


def test_clusters_are_numbered_as_they_stand_in_the_dendrogram():
    labels = cut_tree(TREE, Cuts(k=(5,)))["k=5"]
    from_left = labels[TREE.leaf_order].tolist()
    assert from_left == sorted(from_left)
    assert set(from_left) == {1, 2, 3, 4, 5}


def test_rows_are_in_the_order_of_the_file_with_places_in_the_dendrogram():
    rows = cluster_rows(TREE.names, cut_tree(TREE, Cuts(k=(2,))), TREE.leaf_order)
    assert [row["item"] for row in rows] == list(TREE.names)
    assert [rows[leaf]["position"] for leaf in TREE.leaf_order] == list(range(1, 31))


def test_items_outside_of_clusters_are_counted_apart():
    assert describe_cuts({"dynamic": np.array([0, 1, 1, 0])}) == [
        "dynamic: 1 cluster of 2 items; 2 items are in none (0)"
    ]


def test_more_clusters_than_items_are_an_error():
    with pytest.raises(InvalidPartitionError, match="no cut into 31 clusters"):
        cut_tree(TREE, Cuts(k=(31,)))
