from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st

from hcbench.errors import InvalidPartitionError
from hcbench.model.trees import Cut, Partition, Tree

#   6
#  / \
# 3   5
#    / \
#   2   4
#      / \
#     0   1
TREE = Tree([4, 4, 5, 6, 5, 6, -1])


def test_labels_of_any_type_become_codes_in_order_of_first_appearance() -> None:
    for labels in [
        [7, 7, -1, 7, 3],
        np.array([7, 7, -1, 7, 3], dtype=np.int8),
        ["b", "b", "a", "b", "c"],
        np.array(["b", "b", "a", "b", "c"]),
        [("x", 1), ("x", 1), "y", ("x", 1), 2.5],
        np.array([7, 7, "x", 7, 3], dtype=object),
        [7, 7, "x", 7, 3],
    ]:
        if isinstance(labels, list) and isinstance(labels[0], tuple):
            boxed = np.empty(5, dtype=object)
            boxed[:] = labels
            labels = boxed
        partition = Partition(labels)
        assert partition.labels.tolist() == [0, 0, 1, 0, 2]
        assert partition.labels.dtype == np.int64
        assert partition.n == 5
        assert partition.n_clusters == 3
        assert partition.sizes.tolist() == [3, 1, 1]
        assert partition.members(0).tolist() == [0, 1, 3]


@given(st.lists(st.integers(-2, 3), min_size=1, max_size=8), st.permutations(range(-2, 4)))
def test_partitions_are_equal_whatever_their_labels_are_called(labels, renaming):
    renamed = Partition([renaming[label] for label in labels])
    assert Partition(labels) == renamed
    assert hash(Partition(labels)) == hash(renamed)
    together = np.equal.outer(labels, labels)
    assert np.array_equal(np.equal.outer(renamed.labels, renamed.labels), together)


def test_different_partitions_are_not_equal():
    assert Partition([0, 0, 1]) != Partition([0, 1, 1])
    assert Partition([0]) != Partition([0, 0])
    assert Partition([0]) != [0]


def test_a_partition_keeps_its_own_read_only_labels_also_through_a_pickle():
    labels = np.array([0, 1])
    partition = pickle.loads(pickle.dumps(Partition(labels)))
    labels[0] = 1
    assert partition == Partition([0, 1])
    with pytest.raises(ValueError, match="read-only"):
        partition.labels[0] = 1


def test_invalid_labels_are_refused() -> None:
    for labels, message in [
        ([], r"not empty, got shape \(0,\)"),
        ([[0, 1]], r"got shape \(1, 2\)"),
        ([0.0, 1.0], "float64"),
        ([0.0, float("nan")], "float64"),
        (["a", None], "item 1 is missing"),
        (np.array([1, float("nan")], dtype=object), "item 1 is missing"),
    ]:
        with pytest.raises(InvalidPartitionError, match=message):
            Partition(labels)


def test_members_of_a_missing_cluster_are_an_error():
    with pytest.raises(IndexError, match=r"cluster 2 is not in 0\.\.1"):
        Partition([0, 1]).members(2)


def test_a_cut_gives_the_leaves_below_its_nodes():
    assert Cut(TREE, [3, 4, 2]).partition == Partition([0, 0, 1, 2])
    assert Cut(TREE, [6]).partition == Partition([0, 0, 0, 0])
    assert Cut(TREE, np.array([3, 5])).partition == Partition([0, 0, 0, 1])
    assert Cut(TREE, [3, 5]) == Cut(TREE, [5, 3]) != Cut(TREE, [6])
    assert pickle.loads(pickle.dumps(Cut(TREE, [3, 5]))) == Cut(TREE, [3, 5])


def test_nodes_that_are_not_a_cut_are_refused() -> None:
    for nodes, message in [
        ([], "at least one, got none"),
        ([7], r"0\.\.6 and at least one, got 7"),
        ([-1], "got -1"),
        ([5], "leaf 3 is below none"),
        ([3], "leaf 2 is below none"),
        ([4, 3], "leaf 2 is below none"),
        ([5, 4, 3], "nodes 5 and 4 of the cut share leaf 0"),
        ([5, 2, 3], "nodes 5 and 2 of the cut share leaf 2"),
        ([6, 6], "nodes 6 and 6 of the cut share leaf 3"),
        ([5.0, 3.0], "float64"),
        ([[5, 3]], r"shape \(1, 2\)"),
    ]:
        with pytest.raises(InvalidPartitionError, match=message):
            Cut(TREE, nodes)
