"""Class labels: equal ones are one class, and missing ones are an error that names the item."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

import hcbench
from hcbench import DataError, HcbenchError, Partition, Problem
from hcbench.model.labels import class_texts, coded_labels

X = np.array([[0.0, 1], [0, 2], [5, 1], [5, 3]])
TREE = hcbench.fit("UPGMA", X)
NAN = float("nan")

MEASURES = np.array([1.5, 2.5, 2.5, 4.25, 5, 6.5, 7.5, 8.125, 9, 10.5])
VECTORS = np.column_stack([MEASURES, MEASURES**2])

MISSING_OR_MASKED = r"label of item 2 is (missing|masked)|1 of 4 values is masked"

MISSING: dict[str, Any] = {
    "none": ["a", "b", None, "b"],
    "nan-beside-texts": ["a", "b", NAN, "b"],
    "nan-in-an-object-array": np.array(["a", "b", NAN, "b"], dtype=object),
    "nan-in-an-array-of-texts": np.array(["a", "b", NAN, "b"]),
    "nan-of-numpy": ["a", "b", np.float32("nan"), "b"],
    "nan-beside-integers": [1, 2, NAN, 2],
    "nan-in-floats": np.array([1.0, 2, NAN, 2]),
    "nan-in-half-floats": np.array([1.0, 2, NAN, 2], dtype=np.float16),
    "nan-in-levels": [["a", "b"], ["a", "c"], ["d", NAN], ["d", "e"]],
    "decimal": [Decimal(1), Decimal(2), Decimal("nan"), Decimal(2)],
    "nat": np.array(["2020-01-01", "2020-01-02", "NaT", "2020-01-02"], dtype="datetime64[D]"),
    "nat-in-a-list": [datetime.date(2020, 1, 1), datetime.date(2020, 1, 2), pd.NaT, 0],
    "na": ["a", "b", pd.NA, "b"],
    "series": pd.Series(["a", "b", None, "b"]),
    "series-of-strings": pd.Series(["a", "b", None, "b"], dtype="string"),
    "series-of-integers": pd.Series([1, 2, None, 2], dtype="Int64"),
    "series-of-floats": pd.Series([1, 2, None, 2]),
    "series-of-bools": pd.Series([True, False, None, True], dtype="boolean"),
    "series-of-dates": pd.to_datetime(pd.Series(["2020-01-01", "2020-01-02", None, "2020-01-02"])),
    "categorical": pd.Categorical(["a", "b", None, "b"]),
    "categories-of-integers": pd.Series(pd.Categorical([1, 2, None, 2])),
    "frame": pd.DataFrame({"a": ["x", "x", "y", "y"], "b": ["u", "v", None, "w"]}),
    "index": pd.Index(["a", "b", None, "b"]),
    "masked": np.ma.array([1, 2, 9, 2], mask=[0, 0, 1, 0]),
    "masked-in-a-list": ["a", "b", np.ma.masked, "b"],
    "empty": ["a", "b", "", "b"],
}


@pytest.mark.parametrize("name", MISSING)
def test_a_missing_label_is_an_error_that_names_the_item(name: str) -> None:
    labels = MISSING[name]
    for call in (
        lambda: hcbench.compare(["UPGMA"], {"x": (X, labels)}),
        lambda: hcbench.fit("UPGMA", X, truth=labels),
        lambda: hcbench.score("AARI", TREE, labels),
        lambda: Problem(n=4, levels=labels),
    ):
        with pytest.raises(HcbenchError, match=MISSING_OR_MASKED) as caught:
            call()
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", MISSING)
def test_a_missing_label_of_a_cluster_is_an_error(name: str) -> None:
    message = r"label of item 2 is (missing|masked)|must be one-dimensional|got float(16|64)"
    with pytest.raises(HcbenchError, match=message):
        Partition(MISSING[name])


@pytest.mark.parametrize("form", [list, lambda values: np.array(values, dtype=object)])
def test_labels_that_are_equal_in_python_are_one_class(form: Any) -> None:
    codes, classes = coded_labels(form([1, 1.0, True, 2]))
    assert codes.ravel().tolist() == [0, 0, 0, 1]
    assert classes == (("1", "2"),)
    codes, classes = coded_labels(form([2**60 + 1, 2**60, 2**60 + 1.0, 3]))
    assert len(classes[0]) == 3, "large integers are not rounded"


@pytest.mark.parametrize(
    "labels",
    [
        [1, "1", 2, 2],
        ["1", 1.0, "2", "2"],
        ["b", 1, "a", "1.0"],
        np.array([1, "1", 2, 2], dtype=object),
        pd.Series([1, "1", 2, 2]),
        [True, "True", "b", "b"],
        [0, "00", 2, 2],
    ],
    ids=str,
)
def test_a_number_and_the_same_number_as_a_text_are_an_error(labels: Any) -> None:
    calls = [lambda: hcbench.fit("UPGMA", X, truth=labels), lambda: Partition(labels)]
    for call in [*calls, lambda: hcbench.score("AARI", TREE, labels)]:
        with pytest.raises(HcbenchError, match=r"item \d has .* and item \d the text") as caught:
            call()
        assert "[str(x) for x in labels]" in str(caught.value)
    assert coded_labels([str(label) for label in labels])[0].shape == (4, 1)


def test_other_numbers_and_texts_may_be_mixed() -> None:
    codes, classes = coded_labels(["b", 1, 2, "b"])
    assert codes.ravel().tolist() == [2, 0, 1, 2]
    assert classes == (("1", "2", "b"),)


def test_labels_of_every_type_are_sorted_classes() -> None:
    day = [datetime.date(2020, 1, 2), datetime.date(2020, 1, 1)]
    for labels, names in [
        (np.array([3, 1], np.uint8), ("1", "3")),
        (np.array([True, False]), ("False", "True")),
        (np.array(["b", "a"]), ("a", "b")),
        (np.array([b"b", b"a"]), ("a", "b")),
        (["ü", "a"], ("a", "ü")),
        (day, ("2020-01-01", "2020-01-02")),
        (pd.Categorical(["b", "a"], categories=["b", "a"]), ("a", "b")),
        (np.array([0.5, -0.5]), ("-0.5", "0.5")),
    ]:
        codes, classes = coded_labels(labels)
        assert codes.tolist() == [[1], [0]]
        assert classes == (names,)


def test_labels_of_several_levels_have_their_own_types() -> None:
    codes, classes = coded_labels([["a", 1], ["a", 2], ["b", 3], ["b", 3]])
    assert codes.tolist() == [[0, 0], [0, 1], [1, 2], [1, 2]]
    assert classes == (("a", "b"), ("1", "2", "3"))


def test_what_are_no_labels_is_refused() -> None:
    for labels, message in [
        ([1j, 2j], "cannot be sorted|complex"),
        (np.array([1j, 2j]), "complex"),
        ([(1,), (2, 3)], "different numbers of labels"),
        (np.zeros((2, 2, 2)), "shape"),
        ([datetime.date(2020, 1, 1), 3], "cannot be sorted"),
    ]:
        with pytest.raises(DataError, match=message) as caught:
            coded_labels(labels)
        assert "\n" not in str(caught.value)


def test_classes_in_files_are_equal_if_their_numbers_are() -> None:
    lines = [f"line {i}" for i in range(4)]
    assert class_texts(["1", "1.0", "+1", "2"], lines, "f") == ["1", "1", "1", "2"]
    assert class_texts(["1", "x", "1", "007"], lines, "f") == ["1", "x", "1", "007"]
    codes = ["2E10", "2e10", "1E1", "1E1"]
    assert class_texts(codes, lines, "f") == codes
    with pytest.raises(DataError, match=r"'1' \(line 0\) and '1.0' \(line 2\) among texts"):
        class_texts(["1", "x", "1.0", "2"], lines, "f")


@pytest.mark.parametrize("kind", [list, np.array, np.float32, pd.Series])
def test_numbers_that_mostly_differ_are_no_classes(kind):
    labels = kind(MEASURES)
    reason = r"9 different numbers of 10 items, such as 1.5, are a measurement and no classes"
    tree = hcbench.fit("UPGMA", VECTORS)
    with pytest.raises(DataError, match=reason):
        hcbench.score("ARI", tree, labels)
    with pytest.raises(DataError, match=reason):
        hcbench.compare(["UPGMA"], {"measured": (VECTORS, labels)}, repetitions=1, store=None)
    with pytest.raises(HcbenchError, match=reason):
        Problem(n=10, vectors=VECTORS, levels=np.asarray(labels))
    # The way out of the message.
    assert -1 <= hcbench.score("ARI", tree, pd.cut(labels, 3)) <= 1


def test_half_sizes_and_whole_numbers_that_all_differ_are_classes():
    assert coded_labels([36.5, 37, 37.5, 38, 38.5] * 4)[0].shape == (20, 1)
    assert coded_labels(np.arange(20.0))[0].shape == (20, 1)


def test_labels_in_a_dict_are_named_by_a_series():
    names = list("abcd")
    labels = {"d": 1, "a": 0, "c": 1, "b": 0}
    tree = TREE.with_names(names)
    with pytest.raises(DataError, match=r"got dict; pandas.Series\(labels\) has the labels"):
        hcbench.score("ARI", tree, labels)
    frame = pd.DataFrame(X, index=names)
    with pytest.raises(DataError, match=r"got dict; pandas.Series\(labels\) has the labels"):
        hcbench.compare(["UPGMA"], {"x": (frame, labels)}, repetitions=1, store=None)
    assert hcbench.score("ARI", tree, pd.Series(labels)) == 1


def test_a_score_of_too_few_labels_tells_what_is_missing():
    linkage = [[0, 1, 1, 2], [2, 3, 2, 2], [4, 5, 5, 4]]
    for result in (TREE, linkage, [0, 0, 1, 1]):
        with pytest.raises(DataError, match=r"has 4 items, and the truth 3$"):
            hcbench.score("ARI", result, [0, 0, 1])
    named = pd.Series([0, 0, 1], index=list("abc"))
    with pytest.raises(DataError, match="the tree: 'd' is not among the items of the truth"):
        hcbench.score("ARI", TREE.with_names(list("abcd")), named)
    whole = pd.Series([0, 0, 1, 1], index=list("abcd"))
    with pytest.raises(DataError, match=r"give names, hcbench.Tree.from_linkage\(tree, names=n"):
        hcbench.score("ARI", linkage, whole)
    assert hcbench.score("ARI", hcbench.Tree.from_linkage(linkage, names=list("abcd")), whole) == 1


def test_texts_of_numbers_that_mostly_differ_are_no_classes():
    texts = [str(number) for number in MEASURES]
    with pytest.raises(DataError, match=r"y.csv: 'CRP': 9 different numbers of 10 items, such as"):
        class_texts(texts, [f"line {i}" for i in range(10)], "y.csv: 'CRP'")
