from __future__ import annotations

import itertools
import pickle

import higra
import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from scipy.cluster import hierarchy
from scipy.spatial.distance import squareform
from sklearn.cluster import AgglomerativeClustering

from hcbench.errors import InvalidPartitionError, InvalidTreeError, ParameterError
from hcbench.model.trees import Cut, HeightKind, Partition, Tree
from tests.core.trees import caterpillar, leaf_sets, trees

DISTANCE, AFFINITY = HeightKind.DISTANCE, HeightKind.AFFINITY
ORDER, NONE = HeightKind.ORDER, HeightKind.NONE

# The tree of the hand-computed values: 7 = {0,1}, 8 = {2,3,4}, 9 = {5,6}, 10 = {7,8}, 11 = all.
PARENT = [7, 7, 8, 8, 8, 9, 9, 10, 10, 11, 11, -1]
HEIGHT = [0.0] * 7 + [1, 3, 4, 5, 6]
TREE = Tree(PARENT, HEIGHT, DISTANCE, names=list("abcdefg"))


def scipy_linkage(method: str, n: int = 40, seed: int = 0) -> np.ndarray:
    return hierarchy.linkage(np.random.default_rng(seed).normal(size=(n, 2)), method)


# ---- Valid trees ---------------------------------------------------------------------------------


def test_invalid_parents_are_refused() -> None:
    for parent, message in [
        ([], "got float64 of shape"),
        ([[2, 2, -1]], r"shape \(1, 3\)"),
        ([2.0, 2.0, -1.0], "got float64"),
        ([2, 3, -1], "parent of node 1 is 3"),
        ([2, -2, -1], "parent of node 1 is -2"),
        ([2, 2, 3, 2], "no root"),
        ([2, -1, -1], "2 roots, nodes 1, 2"),
        ([3, 3, 2, -1], "parent of node 2 is 2"),
        ([3, 3, -1, 2], "parent of node 3 is 2|parent of node 2 is -1"),
        ([3, 3, 4, 2, -1], "parent of node 3 is 2, .*Tree.from_parents"),
        ([2, 2, 3, -1], "1 nodes have one child, nodes 3; .*collapse_unary"),
        ([1, -1], "1 nodes have one child"),
        ([3, 3, 4, 6, 6, 6, -1], r"nodes 4"),
        ([2, 2, 5, 5, 5, -1], r"node 4 has no child, but only nodes 0\.\.3 can be the 4 leaves"),
    ]:
        with pytest.raises(InvalidTreeError, match=message):
            Tree(parent)


def test_heights_and_names_that_do_not_fit_are_refused() -> None:
    for arguments, message in [
        ({"height": [0, 0, float("nan")], "kind": DISTANCE}, "height of 1 nodes is NaN, nodes 2"),
        ({"height": [0, 0], "kind": DISTANCE}, r"height has shape \(2,\), expected \(3,\)"),
        ({"height": ["x", 0, 1], "kind": DISTANCE}, "height must be an array of numbers"),
        ({"height": [0, 0, 1]}, "heights are given but kind is none"),
        ({"kind": ORDER}, "heights are missing but kind is order"),
        ({"names": ["a"]}, "1 names for 2 leaves"),
        ({"names": ["a", "a"]}, "two leaves are named 'a'"),
        ({"names": ["a", 1]}, "list of strings"),
        ({"names": "ab"}, "list of strings, got 'ab'"),
        ({"linkage": [1.0]}, r"linkage has shape \(1,\), expected \(3,\)"),
    ]:
        with pytest.raises(InvalidTreeError, match=message):
            Tree([2, 2, -1], **arguments)


def test_infinite_and_non_monotone_heights_are_valid():
    assert Tree([2, 2, -1], [0, 0, np.inf], DISTANCE).height[2] == np.inf
    assert Tree([3, 3, 4, 4, -1], [0, 0, 0, 2, 1], DISTANCE).cut_nodes(2).tolist() == [2, 3]


def test_a_tree_keeps_its_own_read_only_arrays():
    parent, height = np.array([2, 2, -1]), np.array([0.0, 0.0, 1.0])
    tree = Tree(parent, height, DISTANCE)
    parent[0] = height[0] = 7
    assert tree == Tree([2, 2, -1], [0, 0, 1], DISTANCE)
    for array in (tree.parent, tree.height, tree.sizes, tree.leaf_order, *tree.leaf_range):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_equality_is_exact():
    same = Tree(PARENT, HEIGHT, DISTANCE, names=list("abcdefg"))
    assert same == TREE
    assert hash(same) == hash(TREE)
    assert Tree(PARENT) == Tree(PARENT)
    for other in (
        Tree(PARENT),
        Tree(PARENT, HEIGHT, DISTANCE),
        Tree(PARENT, HEIGHT, ORDER, names=list("abcdefg")),
        Tree(PARENT, [*HEIGHT[:-1], 7], DISTANCE, names=list("abcdefg")),
        Tree(PARENT, HEIGHT, DISTANCE, names=list("abcdegf")),
        Tree([8, 8, 7, 7, 7, *PARENT[5:]], HEIGHT, DISTANCE, names=list("abcdefg")),
        "a tree",
    ):
        assert other != TREE


def test_a_pickle_keeps_everything_but_derived_arrays():
    tree = Tree(PARENT, HEIGHT, ORDER, names=list("abcdefg"), linkage=HEIGHT)
    without = len(pickle.dumps(tree))
    tree.lca(0, 1)
    assert len(pickle.dumps(tree)) == without
    again = pickle.loads(pickle.dumps(tree))
    assert again == tree
    assert again.linkage.tolist() == HEIGHT
    assert not again.parent.flags.writeable


# ---- Shape ---------------------------------------------------------------------------------------


def test_shape_of_the_hand_made_tree():
    assert (TREE.n, TREE.n_nodes, TREE.root, TREE.is_binary) == (7, 12, 11, False)
    assert TREE.sizes.tolist() == [1] * 7 + [2, 3, 2, 5, 7]
    assert TREE.depths.tolist() == [3, 3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 0]
    assert TREE.children(8).tolist() == [2, 3, 4]
    assert TREE.children(11).tolist() == [9, 10]
    assert TREE.children(0).tolist() == []
    assert TREE.child_offsets.tolist() == [0, 0, 0, 0, 0, 0, 0, 0, 2, 5, 7, 9, 11]
    assert TREE.child_ids.tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    assert TREE.leaf_order.tolist() == [5, 6, 0, 1, 2, 3, 4]
    assert TREE.leaf_range[0].tolist() == [2, 3, 4, 5, 6, 0, 1, 2, 4, 0, 2, 0]
    assert TREE.leaf_range[1].tolist() == [3, 4, 5, 6, 7, 1, 2, 4, 7, 2, 7, 7]
    assert TREE.leaves(10).tolist() == [0, 1, 2, 3, 4]
    assert TREE.leaves(3).tolist() == [3]


def test_a_single_node_is_a_tree():
    tree = Tree([-1], [0.0], DISTANCE, names=["a"])
    assert (tree.n, tree.n_nodes, tree.root, tree.is_binary) == (1, 1, 0, True)
    assert tree.sizes.tolist() == [1]
    assert tree.depths.tolist() == [0]
    assert tree.leaf_order.tolist() == [0]
    assert tree.children(0).size == 0
    assert tree.lca(0, 0) == 0
    assert tree.cut_nodes(1).tolist() == tree.cut_height_nodes(-1).tolist() == [0]
    assert tree.cut_depth(3) == tree.cut(1) == Partition([0])
    assert tree.to_linkage().shape == (0, 4)
    assert Tree.from_linkage(tree.to_linkage(), names=["a"]) == tree
    assert tree.restrict([0]) == tree.relabel([0]) == tree.collapse_ties() == tree
    assert Tree.from_levels([[1, 2]]) == Tree([-1])
    assert tree.isomorphic(Tree([-1]))


@given(trees())
def test_shape_follows_the_definitions(tree):
    below = leaf_sets(tree)
    assert tree.sizes.tolist() == [len(leaves) for leaves in below]
    assert sorted(tree.leaf_order.tolist()) == list(range(tree.n))
    start, end = tree.leaf_range
    for v in range(tree.n_nodes):
        assert set(tree.leaf_order[start[v] : end[v]].tolist()) == below[v]
        assert tree.leaves(v).size == len(below[v])
        assert tree.children(v).tolist() == np.flatnonzero(tree.parent == v).tolist()
        assert tree.depths[v] == sum(below[v] < leaves for leaves in below)
    assert tree.is_binary == all(tree.children(v).size == 2 for v in range(tree.n, tree.n_nodes))


def test_leaf_order_is_that_of_scipy():
    Z = scipy_linkage("average")
    assert Tree.from_linkage(Z).leaf_order.tolist() == hierarchy.leaves_list(Z).tolist()


@given(trees(min_leaves=2))
def test_sizes_depths_and_ancestors_are_those_of_higra(tree):
    theirs = higra.Tree(np.append(tree.parent[:-1], tree.root))
    assert tree.sizes.tolist() == higra.attribute_area(theirs).tolist()
    assert tree.depths.tolist() == higra.attribute_depth(theirs).tolist()
    i, j = np.divmod(np.arange(tree.n_nodes**2), tree.n_nodes)
    assert tree.lca(i, j).tolist() == theirs.lowest_common_ancestor(i, j).tolist()


# ---- Common ancestors ----------------------------------------------------------------------------


def test_ancestors_of_the_hand_made_tree():
    assert TREE.lca([0, 0, 2, 5, 3], [1, 4, 4, 0, 3]).tolist() == [7, 10, 8, 11, 3]
    assert TREE.merge_height([0, 0, 3], [1, 6, 3]).tolist() == [1, 6, 0]
    assert TREE.lca([[0], [5]], [1, 6]).tolist() == [[7, 11], [11, 9]]
    assert TREE.lca(0, 1).shape == ()
    assert TREE.lca([], []).shape == (0,)


def test_ancestors_in_a_chain_are_the_later_merge() -> None:
    for n in [2, 3, 4, 5, 8, 9, 17, 64, 65]:
        i, j = np.triu_indices(n, 1)
        assert caterpillar(n).lca(i, j).tolist() == (n + j - 1).tolist()


@pytest.mark.parametrize("method", ["average", "centroid"])
def test_merge_heights_are_the_cophenetic_distances_of_scipy(method):
    Z = scipy_linkage(method)
    i, j = np.indices((40, 40))
    ours = Tree.from_linkage(Z).merge_height(i, j)
    assert np.array_equal(ours, squareform(hierarchy.cophenet(Z)))


@pytest.mark.parametrize("ids", [-1, 12, [0, 99]])
def test_ids_that_do_not_exist_are_errors(ids):
    for ask in (lambda: TREE.lca(ids, 0), lambda: TREE.lca(0, ids), lambda: TREE.restrict(ids)):
        with pytest.raises(IndexError, match=r"is not in 0\.\.11"):
            ask()
    with pytest.raises(IndexError, match="integers"):
        TREE.lca(0.5, 1)


def test_merge_height_needs_heights():
    with pytest.raises(InvalidTreeError, match="merge_height needs heights"):
        Tree(PARENT).merge_height(0, 1)


# ---- Constructors --------------------------------------------------------------------------------


def test_from_linkage():
    Z = np.array([[0, 1, 1.0, 2], [2, 3, 2.0, 3]])
    assert Tree.from_linkage(Z) == Tree([3, 3, 4, 4, -1], [0, 0, 0, 1, 2], DISTANCE)
    assert Tree.from_linkage(Z, kind=NONE, names=list("abc")) == Tree(
        [3, 3, 4, 4, -1], names=list("abc")
    )
    affinity = Tree.from_linkage(Z, kind=AFFINITY, leaf_height=[7, 8, 9])
    assert affinity.height.tolist() == [7, 8, 9, 1, 2]
    assert Tree.from_linkage(Z, leaf_height=0.5).height.tolist() == [0.5, 0.5, 0.5, 1, 2]


def test_from_linkage_in_order_of_merging_keeps_the_linkage_beside_the_order():
    tree = Tree.from_linkage([[0, 1, 0.9, 2], [2, 3, 0.95, 3]], kind=ORDER)
    assert tree.height.tolist() == [0, 0, 0, 1, 2]
    assert np.array_equal(tree.linkage, [np.nan] * 3 + [0.9, 0.95], equal_nan=True)
    assert np.array_equal(tree.restrict([2, 0]).linkage, [np.nan] * 2 + [0.95], equal_nan=True)


def test_invalid_linkage_matrices_are_refused() -> None:
    for Z, arguments, message in [
        (np.zeros((3, 3)), {}, r"shape \(n-1, 4\), got \(3, 3\)"),
        (np.zeros(4), {}, r"got \(4,\)"),
        ([[0, 1, 1, 2], [2, 4, 2, 3]], {}, r"row 1 merges 2 and 4, but only .* 0\.\.3"),
        ([[0, -1, 1, 2]], {}, "row 0 merges 0 and -1"),
        ([[0, 1, 1, 2], [0, 2, 2, 3]], {}, "cluster 0 is merged 2 times"),
        ([[0.5, 1, 1, 2]], {}, "must be integers"),
        ([[np.nan, 1, 1, 2]], {}, "must be integers"),
        ([[0, 1, np.nan, 2]], {}, "is NaN"),
        ([["a", 1, 1, 2]], {}, "array of numbers"),
        ([[0, 1, 1, 2]], {"kind": AFFINITY}, "give leaf_height"),
        ([[0, 1, 1, 2]], {"leaf_height": [0, 0, 0]}, r"shape \(3,\), expected \(2,\)"),
    ]:
        with pytest.raises(InvalidTreeError, match=message):
            Tree.from_linkage(Z, **arguments)


def test_from_children_reads_scikit_learn():
    X = np.random.default_rng(0).normal(size=(30, 3))
    model = AgglomerativeClustering(None, linkage="average", distance_threshold=0).fit(X)
    expected = Tree.from_linkage(hierarchy.linkage(X, "average"))
    tree = Tree.from_children(model.children_, model.distances_)
    assert tree.isomorphic(expected)
    assert tree.height == pytest.approx(expected.height)
    without = Tree.from_children(model.children_, names=[str(i) for i in range(30)])
    assert without.kind is ORDER
    assert without.cut(5) == expected.cut(5)


@pytest.mark.parametrize(
    ("children", "distances", "message"),
    [
        (np.zeros((1, 3)), None, r"shape \(n-1, 2\), got \(1, 3\)"),
        ([[0, 1], [1, 3]], None, "cluster 1 is merged 2 times"),
        ([[0, 1]], [1, 2], r"distances has shape \(2,\), expected \(1,\)"),
    ],
)
def test_invalid_children_are_refused(children, distances, message):
    with pytest.raises(InvalidTreeError, match=message):
        Tree.from_children(children, distances)


def test_from_levels_nests_classes_by_prefix():
    levels = [
        ["cat", "wild"],
        ["dog", "tame"],
        ["cat", "tame"],
        ["dog", "tame"],
        ["cat", "wild"],
        ["cat", "wild"],
        ["fox", "wild"],
    ]
    # {0,4,5} wild cats, {1,3} the dogs, all tame: one node; {0,2,4,5} cats; everything.
    tree = Tree.from_levels(levels, names=list("abcdefg"))
    assert {s for s in leaf_sets(tree) if len(s) > 1} == {
        frozenset(s) for s in ({0, 4, 5}, {1, 3}, {0, 2, 4, 5}, range(7))
    }
    assert tree.kind is NONE
    assert tree.names == tuple("abcdefg")


@given(st.integers(1, 9), st.integers(0, 4), st.data())
def test_nodes_of_levels_are_the_classes_of_each_prefix(n, n_levels, data):
    codes = st.lists(st.integers(0, 2), min_size=n_levels, max_size=n_levels)
    levels = np.array(data.draw(st.lists(codes, min_size=n, max_size=n)), int).reshape(n, n_levels)
    classes = {frozenset([i]) for i in range(n)}
    for level in range(n_levels + 1):
        prefix = levels[:, :level]
        classes |= {
            frozenset(np.flatnonzero((prefix == row).all(axis=1)).tolist()) for row in prefix
        }
    assert sorted(map(sorted, leaf_sets(Tree.from_levels(levels)))) == sorted(map(sorted, classes))


@pytest.mark.parametrize("levels", [[0, 1, 2], np.zeros((0, 2), int)])
def test_levels_of_a_wrong_shape_are_refused(levels):
    with pytest.raises(InvalidTreeError, match=r"shape \(n, L\)"):
        Tree.from_levels(levels)


@given(trees(), st.data())
def test_from_parents_takes_any_numbering(tree, data):
    inner = data.draw(st.permutations(range(tree.n, tree.n_nodes)))
    new_id = np.array([*range(tree.n), *inner])
    parent = np.empty(tree.n_nodes, dtype=np.int64)
    parent[new_id] = np.where(tree.parent < 0, -1, new_id[tree.parent])
    height = None if tree.height is None else np.empty(tree.n_nodes)
    if height is not None:
        height[new_id] = tree.height
    again = Tree.from_parents(parent, height, tree.kind)
    assert again.isomorphic(tree)
    if height is not None:
        i, j = np.triu_indices(tree.n)
        assert np.array_equal(again.merge_height(i, j), tree.merge_height(i, j))


def test_from_parents_keeps_a_numbering_that_is_topological():
    assert Tree.from_parents(PARENT, HEIGHT, DISTANCE, list("abcdefg")) == TREE


def test_from_parents_removes_nodes_with_one_child_only_on_request():
    # 6 (root) - 5 - 4 = {3 - 0, 1, 2}: 3, 5 and 6 have one child each.
    parent, height = [3, 4, 4, 4, 5, 6, -1], [0, 0, 0, 1, 2, 3, 4]
    with pytest.raises(InvalidTreeError, match="3 nodes have one child, nodes 3, 5, 6"):
        Tree.from_parents(parent, height, DISTANCE)
    tree = Tree.from_parents(parent, height, DISTANCE, linkage=height, collapse_unary=True)
    assert tree == Tree([3, 3, 3, -1], [0, 0, 0, 2], DISTANCE)
    assert tree.linkage.tolist() == [0, 0, 0, 2]


def test_from_parents_refuses_cycles_and_misplaced_leaves() -> None:
    for parent, message in [
        ([2, 2, -1, 4, 3], "parents of node 3 leads into a cycle"),
        ([-1, 1], "parents of node 1 leads into a cycle"),
        ([-1, 0, 0], "node 2 has no child, .*give leaves the first ids"),
        ([1, 2, 3, 4, -1, 2], "node 5 has no child"),
    ]:
        with pytest.raises(InvalidTreeError, match=message):
            Tree.from_parents(parent)


# ---- Other trees ---------------------------------------------------------------------------------


def test_restrict_of_the_hand_made_tree():
    tree = TREE.restrict([6, 0, 3, 2])
    assert tree == Tree(
        [6, 5, 4, 4, 5, 6, -1], [0, 0, 0, 0, 3, 5, 6], DISTANCE, names=["g", "a", "d", "c"]
    )
    assert TREE.restrict([4]) == Tree([-1], [0.0], DISTANCE, names=["e"])


@given(trees(), st.data())
def test_restricted_trees_have_the_restricted_leaf_sets_and_the_same_heights(tree, data):
    leaves = data.draw(st.permutations(range(tree.n)))[: data.draw(st.integers(1, tree.n))]
    restricted = tree.restrict(leaves)
    back = [{leaves[i] for i in s} for s in leaf_sets(restricted)]
    expected = {s & set(leaves) for s in leaf_sets(tree)} - {frozenset()}
    assert sorted(map(sorted, back)) == sorted(map(sorted, expected))
    if tree.height is not None:
        i, j = np.triu_indices(len(leaves))
        chosen = np.array(leaves)
        assert np.array_equal(
            restricted.merge_height(i, j), tree.merge_height(chosen[i], chosen[j])
        )


@pytest.mark.parametrize(
    ("leaves", "error", "message"),
    [
        ([], InvalidTreeError, "empty list"),
        ([1, 2, 1], InvalidTreeError, "leaf 1 is given 2 times"),
        ([7], IndexError, "node 7 is not a leaf"),
    ],
)
def test_leaves_that_cannot_be_restricted_to_are_refused(leaves, error, message):
    with pytest.raises(error, match=message):
        TREE.restrict(leaves)


@given(trees(), st.data())
def test_relabel_moves_leaves_with_their_names(tree, data):
    target = data.draw(st.permutations(range(tree.n)))
    names = [f"leaf {i}" for i in range(tree.n)]
    moved = Tree(tree.parent, tree.height, tree.kind, names).relabel(target)
    expected = [frozenset(target[i] for i in s) for s in leaf_sets(tree)]
    assert leaf_sets(moved)[tree.n :] == expected[tree.n :]
    assert [moved.names[t] for t in target] == names
    assert moved.relabel(np.argsort(target)) == Tree(tree.parent, tree.height, tree.kind, names)


def test_relabel_wants_all_leaves():
    with pytest.raises(InvalidTreeError, match="permutation of 7 leaves is needed, got 2"):
        TREE.relabel([1, 0])


def test_ties_become_one_node():
    tree = Tree([4, 4, 5, 6, 5, 6, -1], [0, 0, 0, 0, 1, 1, 2], DISTANCE)
    assert tree.collapse_ties() == Tree([4, 4, 4, 5, 5, -1], [0, 0, 0, 0, 1, 2], DISTANCE)
    # 1 is within 1 of 2 and is removed; so is the other 1, now below 2.
    assert tree.collapse_ties(1) == Tree([4, 4, 4, 4, -1], [0, 0, 0, 0, 2], DISTANCE)
    infinite = Tree([3, 3, 4, 4, -1], [0, 0, 0, np.inf, np.inf], DISTANCE)
    assert infinite.collapse_ties().n_nodes == 4
    with pytest.raises(InvalidTreeError, match="collapse_ties needs heights"):
        Tree(PARENT).collapse_ties()


def test_a_chain_of_small_differences_is_not_merged_into_one():
    tree = caterpillar(6)  # heights 1, 2, 3, 4, 5 below each other
    assert tree.collapse_ties(1).height[6:].tolist() == [1, 3, 5]


@given(trees(kind=DISTANCE))
def test_collapsing_ties_changes_no_merge_height(tree):
    collapsed = tree.collapse_ties()
    i, j = np.triu_indices(tree.n)
    assert np.array_equal(collapsed.merge_height(i, j), tree.merge_height(i, j))
    inner = np.arange(tree.n, collapsed.n_nodes - 1)
    assert (collapsed.height[inner] != collapsed.height[collapsed.parent[inner]]).all()


@given(trees(), trees())
def test_isomorphic_trees_have_the_same_leaf_sets(one, other):
    assert one.isomorphic(other) == (set(leaf_sets(one)) == set(leaf_sets(other)))
    assert one.isomorphic(one)


def test_isomorphic_matches_names_if_both_trees_have_them():
    tree = Tree([3, 3, 4, 4, -1], names=["a", "b", "c"])
    assert tree.isomorphic(Tree([4, 3, 3, 4, -1], names=["c", "a", "b"]))
    assert not tree.isomorphic(Tree([3, 3, 4, 4, -1], names=["c", "a", "b"]))
    assert not tree.isomorphic(Tree([3, 3, 4, 4, -1], names=["a", "b", "d"]))
    assert tree.isomorphic(Tree([3, 3, 4, 4, -1]))


# ---- Cuts ----------------------------------------------------------------------------------------


def test_cuts_of_the_hand_made_tree():
    assert TREE.split_order.tolist() == [11, 10, 9, 8, 7]
    assert TREE.cut_nodes(1).tolist() == [11]
    assert TREE.cut_nodes(2).tolist() == [9, 10]
    assert TREE.cut_nodes(3).tolist() == [7, 8, 9]
    assert TREE.cut_nodes(4).tolist() == [5, 6, 7, 8]
    assert TREE.cut_nodes(5).tolist() == TREE.cut_nodes(6).tolist() == [2, 3, 4, 5, 6, 7]
    assert TREE.cut_nodes(7).tolist() == list(range(7))
    assert TREE.cut(3) == Partition([0, 0, 1, 1, 1, 2, 2])
    assert TREE.cut_height_nodes(4).tolist() == [7, 8, 9]
    assert TREE.cut_height_nodes(3.9).tolist() == [5, 6, 7, 8]
    assert TREE.cut_height_nodes(-1).tolist() == list(range(7))
    assert TREE.cut_height(5) == Partition([0, 0, 0, 0, 0, 1, 1])
    assert TREE.cut_depth_nodes(0).tolist() == [11]
    assert TREE.cut_depth_nodes(2).tolist() == [5, 6, 7, 8]
    assert TREE.cut_depth(2) == Partition([0, 0, 1, 1, 1, 2, 3])
    assert TREE.cut_depth(99) == Partition(range(7))


def test_without_heights_the_largest_cluster_is_split_first():
    tree = Tree(PARENT)
    assert tree.split_order.tolist() == [11, 10, 8, 9, 7]
    assert tree.cut_nodes(4).tolist() == [2, 3, 4, 7, 9]


def test_affinity_splits_the_lowest_first_and_small_leaf_heights_hold_nothing_back():
    tree = Tree(PARENT, [9, 9, 1, 9, 9, 9, 9, 8, 7, 3, 4, 2], AFFINITY)
    assert tree.envelope.tolist() == [9, 9, 1, 9, 9, 9, 9, 8, 7, 3, 4, 2]
    assert tree.split_order.tolist() == [11, 9, 10, 8, 7]
    assert tree.cut_height_nodes(4).tolist() == [5, 6, 10]
    assert tree.cut_height_nodes(7.5).tolist() == [2, 3, 4, 5, 6, 7]


def test_cuts_of_dips_follow_the_envelope():
    dip = Tree([3, 3, 4, 4, -1], [0, 0, 0, 5, 4], DISTANCE)
    assert dip.envelope.tolist() == [0, 0, 0, 5, 5]
    assert dip.cut_height_nodes(4).tolist() == [0, 1, 2]
    assert dip.cut_nodes(2).tolist() == [2, 3]
    opposite = Tree([3, 3, 4, 4, -1], [9, 9, 9, 4, 5], AFFINITY)
    assert opposite.envelope.tolist() == [9, 9, 9, 4, 4]
    assert opposite.cut_height_nodes(5).tolist() == [0, 1, 2]


@pytest.mark.parametrize("k", [0, 8, -1])
def test_numbers_of_clusters_out_of_range_are_refused(k):
    with pytest.raises(InvalidPartitionError, match=f"7 leaves has no cut into {k} clusters"):
        TREE.cut(k)


def test_invalid_cuts_are_refused():
    with pytest.raises(InvalidTreeError, match="cut_height needs heights"):
        Tree(PARENT).cut_height(1)
    with pytest.raises(InvalidPartitionError, match="must be a number, got nan"):
        TREE.cut_height(float("nan"))
    with pytest.raises(InvalidPartitionError, match="at least 0, got -1"):
        TREE.cut_depth(-1)
    with pytest.raises(ParameterError, match=r"k must be a whole number, got 2\.5"):
        TREE.cut(2.5)


def naive_cut(tree: Tree, k: int) -> list[int]:
    """Split one node after another."""
    below = leaf_sets(tree)

    def priority(v: int) -> float:
        inner = [u for u in range(tree.n, tree.n_nodes) if below[u] <= below[v]]
        if tree.height is None:
            return len(below[v])
        if tree.kind is AFFINITY:
            return -min(tree.height[u] for u in inner)
        return max(tree.height[u] for u in inner)

    nodes = [tree.root]
    while len(nodes) < k:
        split = max((v for v in nodes if v >= tree.n), key=lambda v: (priority(v), v))
        nodes.remove(split)
        nodes.extend(np.flatnonzero(tree.parent == split).tolist())
    return sorted(nodes)


@given(trees(monotone=False), st.data())
def test_cuts_into_k_split_one_node_after_the_other(tree, data):
    k = data.draw(st.integers(1, tree.n))
    nodes = tree.cut_nodes(k)
    assert nodes.tolist() == naive_cut(tree, k)
    assert tree.cut(k) == Cut(tree, nodes).partition
    if tree.is_binary:
        assert nodes.size == k


@given(trees(), st.integers(0, 12), st.data())
def test_height_cuts_join_what_merges_up_to_that_height(tree, level, data):
    assume(tree.kind is not NONE)
    h = data.draw(st.sampled_from([level, *tree.height.tolist()]))
    labels = tree.cut_height(h).labels
    for i, j in itertools.combinations(range(tree.n), 2):
        at = tree.merge_height(i, j)
        assert (labels[i] == labels[j]) == (at >= h if tree.kind is AFFINITY else at <= h)


@given(trees(), st.integers(0, 6))
def test_depth_cuts_join_what_has_a_common_ancestor_so_deep(tree, depth):
    labels = tree.cut_depth(depth).labels
    for i, j in itertools.combinations(range(tree.n), 2):
        assert (labels[i] == labels[j]) == (tree.depths[tree.lca(i, j)] >= depth)


def test_cuts_into_k_are_those_of_scipy() -> None:
    for method in ["single", "complete", "average", "ward"]:
        Z = scipy_linkage(method)
        tree = Tree.from_linkage(Z)
        for k in (1, 2, 5, 17, 40):
            assert tree.cut(k) == Partition(hierarchy.cut_tree(Z, k).ravel())
            assert tree.cut(k) == Partition(hierarchy.fcluster(Z, k, "maxclust"))


@pytest.mark.parametrize("method", ["average", "centroid", "median"])
@pytest.mark.parametrize("seed", range(3))
def test_height_cuts_are_those_of_scipy_dips_included(method, seed):
    Z = scipy_linkage(method, seed=seed)
    for h in [0, *Z[::4, 2], Z[:, 2].max()]:
        ours = Tree.from_linkage(Z).cut_height(h)
        assert ours == Partition(hierarchy.fcluster(Z, h, "distance"))


# ---- Output --------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["single", "average", "ward"])
def test_linkage_matrices_come_back(method):
    Z = scipy_linkage(method)
    assert np.array_equal(Tree.from_linkage(Z).to_linkage(), Z)


def test_linkage_rows_are_in_order_of_height():
    tree = Tree([4, 4, 5, 5, 6, 6, -1], [0, 0, 0, 0, 2, 1, 3], DISTANCE)
    assert tree.to_linkage().tolist() == [[2, 3, 1, 2], [0, 1, 2, 2], [4, 5, 3, 4]]


def test_linkage_distances_of_each_kind():
    parent = [3, 3, 4, 4, -1]
    affinity = Tree(parent, [9, 9, 8, 7, 2], AFFINITY)
    assert affinity.to_linkage().tolist() == [[0, 1, 2, 2], [2, 3, 7, 3]]
    assert Tree(parent, [0, 0, 0, 1, 2], ORDER).to_linkage()[:, 2].tolist() == [1, 2]
    assert Tree(parent).to_linkage()[:, 2].tolist() == [1, 2]
    infinite = Tree(parent, [np.inf, 9, 8, np.inf, 2], AFFINITY)
    assert infinite.to_linkage()[:, 2].tolist() == [0, np.inf]


@given(trees(min_leaves=2, binary=True, monotone=False))
def test_linkage_matrices_are_valid_and_hold_the_same_tree(tree):
    Z = tree.to_linkage()
    assert hierarchy.is_valid_linkage(Z, throw=True)
    again = Tree.from_linkage(Z)
    assert again.isomorphic(tree)
    if tree.kind in (DISTANCE, ORDER):
        i, j = np.triu_indices(tree.n, 1)
        assert np.array_equal(again.merge_height(i, j), tree.merge_height(i, j))


@given(trees(min_leaves=2, binary=True))
def test_linkage_matrices_of_monotone_trees_are_monotone(tree):
    assert hierarchy.is_monotonic(tree.to_linkage())


def test_trees_that_no_linkage_matrix_holds_are_refused():
    with pytest.raises(InvalidTreeError, match="5 inner nodes over 7 leaves; write it as Newick"):
        TREE.to_linkage()
    with pytest.raises(InvalidTreeError, match=r"no negative distance, got -1\.0"):
        Tree([2, 2, -1], [0, 0, -1], DISTANCE).to_linkage()


def test_a_deep_tree_breaks_no_recursion_limit():
    n = 100_000
    tree = caterpillar(n)
    assert tree.depths[0] == n - 1
    assert tree.cut(3).sizes.tolist() == [n - 2, 1, 1]
    assert tree.lca(0, n - 1) == tree.root
    assert tree.restrict(np.arange(0, n, 2)).depths.max() == n // 2 - 1
    assert Tree.from_linkage(tree.to_linkage()) == tree
    root_first = np.concatenate((tree.parent[:n], tree.parent[: n - 1 : -1]))
    inner = root_first >= n
    root_first[inner] = 3 * n - 2 - root_first[inner]
    assert Tree.from_parents(root_first).isomorphic(tree)
