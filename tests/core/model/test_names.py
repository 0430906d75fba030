"""Items are matched by name, by number, or not at all."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import pdist

import hcbench
from hcbench import DataError, Partition, Problem, Tree, fit, score
from hcbench.api.data import as_problem
from hcbench.model.names import NamedItems, match_items

X = np.array([[0.0], [1.0], [10.0], [11.5]])
NAMES = ["a", "c", "b", "d"]
FRAME = pd.DataFrame(X, index=NAMES)
LABELS = pd.Series(["k", "l", "k", "m"], index=["a", "b", "c", "d"])
Z = linkage(X, "average")
AB = Tree.from_newick("((a:1,b:1):1,(c:1,d:1):1);")
AC = Tree.from_newick("((a:1,c:1):1,(b:1,d:1):1);")
#: The rows 0..3 of X, shuffled with their numbers.
SHUFFLED = pd.DataFrame(X).iloc[[2, 0, 3, 1]]


def items(names=None, n=4, **values):
    return NamedItems(what="it", n=n, names=None if names is None else tuple(names), **values)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("abcd", "cabd", [2, 0, 1, 3]),
        ("2013", None, [1, 2, 0, 3]),
        (None, "2013", [2, 0, 1, 3]),
        ("2013", "0123", [1, 2, 0, 3]),
        (None, None, [0, 1, 2, 3]),
    ],
)
def test_the_position_of_each_item(one, other, expected):
    assert match_items(items(one), items(other)).tolist() == expected


@pytest.mark.parametrize(
    ("one", "other", "message"),
    [
        ("abcd", "abce", "it: 'e' is missing, and 'd' is not among the items of it"),
        ("abc", "abcd", "'d' is missing"),
        ("abcda", "abcd", "2 items are named 'a'"),
        ("abcd", "aacd", "2 items are named 'a'"),
        ("abcd", None, "named 'a', 'b', 'c' and 1 more, and those of it have no names"),
        ("1234", None, "which are not the numbers 0..3"),
        (None, "012", "it: '3' is not among the items of it; it has no names but the numbers 0..3"),
        ("012", None, "'3' is missing"),
    ],
)
def test_items_that_are_not_the_same_are_told(one, other, message):
    sizes = [4 if names is None else len(names) for names in (one, other)]
    with pytest.raises(DataError, match=message):
        match_items(items(one, sizes[0]), items(other, sizes[1]))


def test_trees_are_compared_by_the_names_of_their_leaves():
    assert score("robinson-foulds", AB, AC) == 1.0
    assert score("robinson-foulds", AB, AB.relabel([3, 1, 0, 2])) == 0.0
    # Of ab, ac, ad, bc, bd, cd the merge heights are 1, 2, 2, 2, 2, 1 and 2, 1, 2, 2, 1, 2.
    expected = np.corrcoef([1, 2, 2, 2, 2, 1], [2, 1, 2, 2, 1, 2])[0, 1]
    assert score("cophenetic-correlation-with-truth", AB, AC) == pytest.approx(expected)
    with pytest.raises(DataError, match="'w', 'x', 'y' and 1 more are missing"):
        score("robinson-foulds", AB, Tree.from_newick("((w,x),(y,z));"))


@pytest.mark.parametrize(
    "metric", ["triplet-agreement", "quartet-distance", "clade-recovery", "entanglement", "AARI"]
)
def test_metrics_of_two_trees_do_not_depend_on_the_order_of_their_leaves(metric):
    tree = Tree.from_newick("(((a,b),(c,d)),((e,f),g));")
    truth = Tree.from_newick("(((a,c),(b,d)),((e,g),f));")
    expected = score(metric, tree, truth)
    for order in ([6, 2, 4, 0, 1, 5, 3], [1, 0, 3, 2, 5, 4, 6]):
        assert score(metric, tree.restrict(order), truth) == pytest.approx(expected)
        assert score(metric, tree, truth.restrict(order)) == pytest.approx(expected)


def test_a_tree_and_a_frame_are_matched_by_name():
    expected = np.corrcoef(cophenet(Z), pdist(X))[0, 1]
    tree = Tree.from_linkage(Z, names=NAMES)
    for frame in (FRAME, FRAME.iloc[[3, 1, 0, 2]]):
        assert score("cophenetic-correlation", tree, frame) == pytest.approx(expected)
    numbered = Tree.from_linkage(Z)
    for frame in (SHUFFLED, pd.DataFrame(X)):
        assert score("cophenetic-correlation", numbered, frame) == pytest.approx(expected)
        assert score("cophenetic-correlation", Z, frame) == pytest.approx(expected)


def test_labels_are_matched_by_their_index():
    by_name = pd.Series([1, 2, 1, 2], index=["a", "b", "c", "d"])
    tree = fit("UPGMA", FRAME)
    assert score("ARI", tree, by_name) == 1.0
    assert score("ARI", tree.cut(2), by_name) == 1.0
    assert score("ARI", by_name, by_name.iloc[[3, 0, 2, 1]]) == 1.0
    by_number = pd.Series([1, 2, 1, 2], index=[0, 2, 1, 3])
    assert score("ARI", Z, by_number) == 1.0
    assert as_problem((FRAME, LABELS)).class_names(1) == ["k", "k", "l", "m"]
    assert as_problem((SHUFFLED, by_number)).class_names(1) == ["2", "1", "2", "1"]
    levels = pd.DataFrame({"x": [1, 2, 1, 2], "y": [1, 2, 1, 3]}, index=list("abcd"))
    assert as_problem((FRAME, levels)).class_names(2) == ["1", "1", "2", "3"]
    assert Tree.from_levels(levels).names == ("a", "b", "c", "d")
    assert Partition(by_name).names == ("a", "b", "c", "d")


def test_a_result_has_the_names_of_the_data():
    assert fit(lambda rows: linkage(rows, "average"), FRAME).names == tuple(NAMES)
    assert fit("UPGMA", SHUFFLED).names == ("2", "0", "3", "1")
    assert fit("UPGMA", pd.DataFrame(X)).names is None

    def reads_names(rows):
        return Tree.from_newick("((3,2),(0,1));")

    # The program counts the rows that it reads, whatever their names are.
    tree = fit(reads_names, FRAME)
    assert tree.names == tuple(NAMES)
    assert tree.cut(2).labels.tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("data", "labels", "expected"),
    [
        (FRAME, pd.Series(["k", "k", "l", "m"], index=FRAME.index), "kklm"),
        (FRAME.reset_index(drop=True), ["k", "k", "l", "m"], "kklm"),
        (pd.DataFrame(X, index=NAMES), LABELS, "kklm"),
        (X, LABELS[NAMES].reset_index(drop=True), "kklm"),
        (SHUFFLED.reset_index(drop=True), ["l", "k", "m", "k"], "lkmk"),
        (SHUFFLED.sort_index(), ["k", "k", "l", "m"], "kklm"),
    ],
)
def test_the_ways_out_of_an_unknown_order_work(data, labels, expected):
    assert as_problem((data, labels)).class_names(1) == list(expected)


def test_the_ways_out_of_an_unknown_order_of_a_tree_work():
    tree = Tree.from_linkage(Z, names=NAMES)
    assert as_problem((FRAME, tree.with_names(None).with_names(NAMES))).truth == tree
    assert as_problem((X, tree.with_names(None))).truth == tree.with_names(None)


@pytest.mark.parametrize(
    ("data", "truth", "message"),
    [
        (FRAME, ["k", "k", "l", "m"], r"give names, pandas.Series.*drop the names, frame.reset"),
        (X, LABELS, r"give names, pandas.DataFrame.*drop the names, series.reset_index"),
        (FRAME, Tree.from_linkage(Z), r"give names, tree.with_names.*drop the names, frame.reset"),
        (X, AB, r"give names, pandas.DataFrame.*drop the names, tree.with_names\(None\)"),
        (SHUFFLED, [1, 1, 2, 2], r"drop the numbers, frame.reset_index.*frame.sort_index\(\)"),
        (X, pd.Series([1, 2, 1, 2], index=[0, 2, 1, 3]), r"series.sort_index\(\)"),
        (FRAME, LABELS.drop("c"), "'c' is missing"),
        (FRAME.drop("c"), LABELS, "'c' is not among"),
        (FRAME, pd.Series([1, 2, 3, 4], index=list("abba")), "2 items are named 'a'"),
    ],
)
def test_what_cannot_be_matched_is_an_error_with_ways_out(data, truth, message):
    with pytest.raises(DataError, match=message):
        as_problem((data, truth))
    with pytest.raises(DataError, match=message):
        fit("UPGMA", data, truth=truth)
    with pytest.raises(DataError, match=message):
        hcbench.compare(["UPGMA"], {"d": (data, truth)}, progress=False)


def test_an_index_with_equal_names_is_matched_with_itself_only():
    frame = pd.DataFrame(X, index=["a", "a", "b", "b"])
    assert as_problem(frame).names is None
    assert as_problem((frame, pd.Series([1, 1, 2, 3], index=frame.index))).levels is not None


def test_the_trees_of_a_problem_are_in_the_order_of_its_items():
    problem = Problem(n=4, names=tuple(NAMES), vectors=X, truths={"t": AB}, tree=AC)
    assert problem.truth.names == tuple(NAMES)
    assert problem.truth.cut(2).labels.tolist() == [0, 1, 0, 1]
    assert problem.tree is not None
    assert problem.tree.cut(2).labels.tolist() == [0, 0, 1, 1]
    part = problem.take(np.array([3, 0, 1]))
    assert part.names == part.truth.names == ("d", "a", "c")
    bare = problem.with_names(None)
    assert bare.names is bare.truth.names is None
    assert bare.truth.cut(2).labels.tolist() == [0, 1, 0, 1]
    by_number = Problem(n=4, vectors=X, truths={"t": Tree.from_newick("((2,0),(1,3));")})
    assert by_number.truth.cut(2).labels.tolist() == [0, 1, 0, 1]
    # Where there are only trees, they name the items.
    assert Problem(n=4, truths={"t": AB, "u": AC}).names == ("a", "b", "c", "d")
    with pytest.raises(DataError, match="truth 't' have no names"):
        Problem(n=4, names=tuple(NAMES), truths={"t": Tree.from_linkage(Z)})
    with pytest.raises(DataError, match="the problem have no names"):
        Problem(n=4, vectors=X, truths={"t": AB})


def test_a_matrix_is_brought_into_one_order_by_the_names_of_rows_and_columns():
    matrix = np.exp(-np.abs(X - X.T))
    frame = pd.DataFrame(matrix, index=NAMES, columns=NAMES)
    for shuffled in (frame, frame[["d", "a", "b", "c"]]):
        assert np.array_equal(as_problem(shuffled).similarity, matrix)
    tree = Tree.from_linkage(Z)
    expected = score("dasgupta", tree, matrix)
    numbered = pd.DataFrame(matrix)
    for order in ([2, 0, 3, 1], [1, 0, 3, 2]):
        assert score("dasgupta", tree, numbered.iloc[order]) == pytest.approx(expected)
        assert score("dasgupta", tree, numbered.iloc[order, order]) == pytest.approx(expected)
    # As pandas reads it back: numbers in the index, texts in the header.
    texts = numbered.rename(columns=str).iloc[[2, 0, 3, 1]]
    assert score("dasgupta", tree, texts) == pytest.approx(expected)
    features = pd.DataFrame(matrix, index=NAMES, columns=["w", "x", "y", "z"])
    assert as_problem(features).provides == {"vectors"}


def test_an_algorithm_may_return_its_items_in_another_order(tmp_path):
    def other_order(oracle, items, rng):
        return AC.restrict([3, 0, 2, 1])

    spec = hcbench.AlgorithmSpec(
        name="other-order", function=other_order, doc="Test.", accepts=("vectors",)
    )
    problem = Problem(n=4, names=tuple(NAMES), vectors=X, truths={"t": AC})
    results = hcbench.compare(
        [spec],
        {"d": problem},
        metrics=["robinson-foulds"],
        repetitions=1,
        n_jobs=1,
        store=tmp_path / "s.sqlite",
        progress=False,
    )
    assert results.to_frame()["robinson-foulds"].tolist() == [0.0]


def test_the_frames_of_a_problem_are_in_the_order_of_its_items():
    levels = pd.DataFrame({"c": [1, 2, 1, 2]}, index=["a", "b", "c", "d"])
    problem = Problem(n=4, vectors=FRAME, levels=levels)
    assert problem.names == problem.truth.names == tuple(NAMES)
    assert problem.class_names(1) == ["1", "1", "2", "2"]
    other = Problem(n=4, names=("a", "b", "c", "d"), vectors=FRAME, levels=levels)
    assert np.asarray(other.vectors).ravel().tolist() == [0, 10, 1, 11.5]
    matrix = np.exp(-np.abs(X - X.T))
    similarity = pd.DataFrame(matrix, index=NAMES, columns=NAMES)[["d", "a", "b", "c"]]
    assert np.array_equal(Problem(n=4, similarity=similarity).similarity, matrix)
    assert Problem(n=4, vectors=pd.DataFrame(X), levels=np.ones((4, 1), int)).names is None
    with pytest.raises(DataError, match="levels have no names"):
        Problem(n=4, vectors=FRAME, levels=np.ones((4, 1), int))
    assert Problem(n=4, names=tuple(NAMES), vectors=FRAME, levels=np.ones((4, 1), int)).n == 4


def test_an_estimator_keeps_the_names_of_a_frame():
    from hcbench.sklearn import Clusterer

    fitted = Clusterer("UPGMA", n_clusters=2).fit(FRAME.rename(columns=str))
    assert fitted.tree_.names == tuple(NAMES)
    by_name = pd.Series([1, 2, 1, 2], index=["a", "b", "c", "d"])
    assert score("ARI", fitted.tree_, by_name) == 1.0


def test_classes_are_drawn_by_the_names_of_the_leaves():
    from hcbench.figures.dendrograms import _checked_classes

    tree = Tree.from_linkage(Z, names=NAMES)
    assert _checked_classes(LABELS, tree) == ["k", "k", "l", "m"]
    assert _checked_classes(Partition(LABELS), tree) == [0, 0, 1, 2]
    assert _checked_classes(["w", "x", "y", "z"], tree) == ["w", "x", "y", "z"]
    with pytest.raises(DataError, match="the tree have no names"):
        _checked_classes(LABELS, tree.with_names(None))
