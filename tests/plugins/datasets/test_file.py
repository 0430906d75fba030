"""Files of the user: every format, and errors in one line with a way out."""

from __future__ import annotations

import gzip
import json
import lzma
import os
import zipfile
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy import io, sparse
from scipy.spatial.distance import cdist

import hcbench_datasets
from hcbench import (
    DataError,
    DataRequest,
    HcbenchError,
    HeightKind,
    ModelWarning,
    Problem,
    load_registry,
)
from hcbench.cli import main
from hcbench.files import read_items

FILE = next(spec for spec in hcbench_datasets.hcbench_datasets() if spec.name == "file")


def read(path: Path, seed: int = 0, **params: object) -> Problem:
    resolved = FILE.resolve({"path": str(path), **params})  # type: ignore[dict-item]
    problem: Problem = FILE.load()(DataRequest(seed=seed), **resolved)
    assert FILE.provides_with(resolved) <= problem.provides
    return problem


def fail(path: Path, **params: object) -> str:
    with pytest.raises(DataError) as caught:
        read(path, **params)
    message = str(caught.value)
    assert "\n" not in message
    assert path.name in message
    return message


@pytest.fixture
def csv(tmp_path):
    def write(text: str | bytes, name: str = "data.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write


ANIMALS = """name,legs,weight,order,family
lion,4,190,mammal,cat
cat,4,4.5,mammal,cat
hen,2,3,bird,fowl
"""


# ---- Tables of other programs ------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        '[{"n": "a", "x": 1, "k": "001"}, {"n": "b", "x": null, "k": "1"}]',
        '{"n": {"0": "a", "1": "b"}, "x": {"0": 1, "1": null}, "k": {"0": "001", "1": "1"}}',
    ],
    ids=["records", "columns"],
)
def test_json(csv, text):
    problem = read(csv(text, "x.json"), names="n", labels=("k",), missing="mean")
    assert problem.names == ("a", "b")
    assert problem.vectors.tolist() == [[1], [1]]
    assert problem.levels.tolist() == [[0], [1]]


def test_json_with_names_of_rows(csv):
    problem = read(csv('{"x": {"a": 1, "b": 2}}', "x.json"))
    assert problem.names == ("a", "b")


def test_arff(csv):
    head = "% a comment\n@RELATION r\n@ATTRIBUTE x NUMERIC\n@ATTRIBUTE class {one,two}\n@DATA\n"
    problem = read(csv(f"{head}1,one\n2.5,two\n", "x.arff"), labels=("class",))
    assert problem.vectors.tolist() == [[1], [2.5]]
    assert problem.levels.tolist() == [[0], [1]]


def test_feather(tmp_path):
    pd.DataFrame({"n": ["a", "b"], "x": [1, 2]}).to_feather(tmp_path / "x.feather")
    assert read(tmp_path / "x.feather", names="n").vectors.tolist() == [[1], [2]]


@pytest.mark.parametrize(
    ("rows", "name"),
    [
        ("a         0 1 4\nb d       1 0 2\nc         4 2 0", "b d"),
        ("a\nb_d 1\nc 4 2", "b_d"),
        ("a 0\nb_d 1 0\nc 4 2 0", "b_d"),
    ],
    ids=["square", "lower", "lower with diagonal"],
)
def test_phylip(csv, rows, name):
    problem = read(csv(f"  3\n{rows}\n", "x.phy"), distance=True)
    assert problem.names == ("a", name, "c")
    assert problem.similarity.tolist() == [[1, 0.75, 0], [0.75, 1, 0.5], [0, 0.5, 1]]


@pytest.mark.parametrize(
    ("name", "text", "part"),
    [
        ("x.json", "{", "a list of records"),
        ("x.json", '{"a": 1}', "a list of records"),
        ("x.arff", "", "save it as .csv"),
        ("x.arff", "@relation r\n@attribute a string\n@data\nb\n", "save it as .csv"),
        ("x.phy", "2 4\na ACGT\nb ACGT\n", "sequences are not read"),
        ("x.phy", "3\na 0 1\nb 1 0\n", "line 1 says 3 items, and there are 2"),
        ("x.dist", "", "the number of items"),
        ("x.feather", "no table", "x.feather"),
    ],
)
def test_tables_of_other_programs_that_cannot_be_read(csv, name, text, part):
    assert part in fail(csv(text, name))


def test_other_keys_of_an_archive(tmp_path):
    np.savez(tmp_path / "x.npz", data=np.eye(2), target=[0, 1])
    with pytest.raises(DataError, match=r"has data, target, and .*numpy.savez\('x.npz', X="):
        read(tmp_path / "x.npz")


# ---- Valid delimited text ------------------------------------------------------------------------


def test_csv_with_names_and_labels(csv):
    problem = read(csv(ANIMALS), names="name", labels=("order", "family"))
    assert problem.names == ("lion", "cat", "hen")
    assert problem.vectors.tolist() == [[4, 190], [4, 4.5], [2, 3]]
    assert problem.levels.tolist() == [[1, 0], [1, 0], [0, 1]]
    assert problem.truth.names == problem.names
    assert sorted(problem.truth.sizes[3:]) == [2, 3]  # a single hen is not a cluster


def test_csv_without_header_is_numbered_from_1(csv):
    problem = read(csv("5.1,3.5,setosa\n4.9,3,setosa\n7,3.2,versicolor\n"), labels=("3",))
    assert problem.vectors.tolist() == [[5.1, 3.5], [4.9, 3], [7, 3.2]]
    assert problem.levels[:, 0].tolist() == [0, 0, 1]


def test_column_numbers_may_be_written_as_numbers(csv):
    problem = read(csv("a,1,x\nb,2,y\n"), names=1, labels=(3,))
    assert problem.names == ("a", "b")
    assert problem.vectors.tolist() == [[1], [2]]


def test_years_as_column_names_are_a_header_if_a_column_is_named(csv):
    problem = read(csv("name,2019,2020\na,1,2\nb,3,4\n"), names="name")
    assert problem.vectors.tolist() == [[1, 2], [3, 4]]


def test_text_above_a_number_is_a_header(csv):
    assert read(csv("1,x\n5,6\n7,8\n")).vectors.tolist() == [[5, 6], [7, 8]]


def test_missing_value_in_the_first_row_makes_no_header(csv):
    assert "line 1, column '2': a number is missing" in fail(csv("1,?,3\n4,5,6\n"))


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffa,b\n1,2\n3,4\n",  # byte order mark, as Excel writes
        "a,b\r\n1,2\r\n3,4\r\n",
        '"a","b"\n"1","2"\n"3","4"\n',
        "a,b\n1,2\n3,4\n\n\n",
        "a,b\n\n1,2\n\n3,4\n  \n",
        "a,b\n1,2\n3,4\n,\n,\n",  # empty cells, as spreadsheets leave at the end
        "a, b\n1, 2\n 3 ,4",
        "1,2\n3,4\n",
    ],
)
def test_csv_dialects(csv, text):
    problem = read(csv(text))
    assert problem.vectors.tolist() == [[1, 2], [3, 4]]
    assert problem.levels is None
    assert problem.names is None


def test_quoted_cells_may_hold_delimiters_and_line_ends(csv):
    text = 'name,x\n"Doe, ""J""",1\n"two\nlines",2\nthree,oops\n'
    path = csv(text)
    assert "line 5, column 'x': 'oops'" in fail(path, names="name")  # as an editor counts
    path.write_text(text.replace("oops", "3"))
    assert read(path, names="name").names == ('Doe, "J"', "two\nlines", "three")


def test_tsv_and_delimiter(csv):
    assert read(csv("a\tb\n1\t2\n3\t4\n", "data.tsv")).vectors.tolist() == [[1, 2], [3, 4]]
    assert read(csv("a;b\n1;2\n3;4\n"), delimiter=";").vectors.tolist() == [[1, 2], [3, 4]]


def test_upper_case_suffix(csv):
    assert read(csv("1,2\n3,4\n", "DATA.CSV")).n == 2


def test_constant_columns_and_duplicate_rows_are_fine(csv):
    assert read(csv("a,b\n1,2\n1,2\n1,2\n")).n == 3


def test_one_column(csv):
    assert read(csv("x\n1\n2\n")).vectors.tolist() == [[1], [2]]


def test_one_column_needs_no_brackets(csv):
    problem = read(csv("a,b,c\n1,x,u\n2,y,v\n"), labels="b", drop="c")
    assert problem.levels.tolist() == [[0], [1]]


def test_items_that_are_texts_need_no_numbers(csv):
    path = csv("text,topic,stars\na good film,film,5\na bad phone,phone,1\na phone,phone,2\n")
    problem = read(path, names="text", labels=("topic",), texts=True)
    assert problem.names == ("a good film", "a bad phone", "a phone")
    assert problem.provides == {"levels", "truth"}
    assert read(path, names="text", texts=True).n == 3
    assert "no numeric column is left" in fail(path, names="text", drop=("topic", "stars"))
    assert "[names=text,drop=[topic,stars],texts=true]" in fail(
        path, names="text", drop=("topic", "stars")
    )
    assert "give the column of the texts, names=..." in fail(path, texts=True)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_none_na_and_null_are_classes_of_texts_and_missing_numbers(tmp_path, ending):
    path = tmp_path / f"data.{ending}"
    grades = ["none", "mild", "severe", "none", "mild", "NA", "null", "none"]
    frame = pd.DataFrame({"x": [1, "NA", 3, 4, 5, 6, 7, 9], "grade": grades})
    frame.to_csv(path, index=False) if ending == "csv" else frame.to_excel(path, index=False)
    with pytest.warns(ModelWarning, match="the label NA is used as a class; missing=drop omits"):
        problem = read(path, labels=("grade",), missing="median")
    assert problem.classes == (("NA", "mild", "none", "null", "severe"),)
    assert problem.vectors.ravel().tolist() == [1, 5, 3, 4, 5, 6, 7, 9]
    coded = read(path, categorical="onehot", missing="median").vectors
    assert coded.shape == (8, 6)
    assert coded[:, 1:].sum(axis=1).tolist() == [1] * 8
    shown = CliRunner().invoke(main, ["inspect", str(path)])
    assert shown.exit_code == 0, shown.stderr
    assert "texts, 5 different" in shown.stdout
    assert "labels=[grade],missing=median" in shown.stdout


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("# made by a logger, 3.1\n# 2024\na,b\n1,2\n3,4\n", "data.csv"),
        ("# 2024\n#a;b\n1;2\n3;4\n", "data.csv"),
        ("a|b\n1|2\n3|4\n", "data.txt"),
        ('"a" "b"\n"x" 1 2\n"y" 3 4\n', "data.txt"),
        (" a   b\n 1  2\n 3   4\n", "data.txt"),
    ],
)
def test_comments_and_tables_in_text_files(csv, text, name):
    assert read(csv(text, name)).vectors.tolist() == [[1, 2], [3, 4]]
    assert read(csv(text, name), drop=("a",)).vectors.tolist() == [[2], [4]]


@pytest.mark.parametrize(
    "above", ["Measured, in 2023\n\n", "Measured;;\n;;\n", "Measured;;\nby us;;\n"]
)
def test_a_title_above_the_table_is_skipped(csv, above):
    path = csv(f"{above}name;x;y\na;1,5;3\nb;2,5;4\n")
    assert read(path, names="name").vectors.tolist() == [[1.5, 3], [2.5, 4]]


@pytest.mark.parametrize("word", ["-", "--", ".", "#N/A", "missing", "\u2013"])
def test_missing_numbers_have_many_spellings(csv, word):
    path = csv(f"x,strand\n1,+\n{word},-\n3,+\n", "data.data")
    problem = read(path, labels="strand", missing="mean")
    assert problem.vectors.tolist() == [[1], [2], [3]]
    assert problem.levels.ravel().tolist() == [0, 1, 0]


def test_lines_are_counted_with_comments(csv):
    assert "line 4, column 'b': 'x' is not a number" in fail(csv("# c\na,b\n1,2\n3,x\n1,1\n"))


def test_names_of_two_words_are_one_column(csv):
    path = csv("plant\nMalus domestica\nPyrus communis\n", "plants.csv")
    assert read(path, names="plant", texts=True).names == ("Malus domestica", "Pyrus communis")


def test_where_no_column_of_numbers_is_left_the_file_is_to_be_corrected(csv):
    rows = "".join(f"p{i},{i} kg\n" for i in range(9))
    said = fail(csv(f"name,weight\n{rows}"))
    assert said.endswith("; correct the file, as no column of numbers is left")
    guessed = fail(csv("x,kind,id\n" + "".join(f"{i % 5},{'ab'[i % 2]},{i}\n" for i in range(9))))
    assert guessed.endswith("[labels=[kind],drop=[id]]'")


def test_drop(csv):
    problem = read(csv(ANIMALS), drop=("name", "order", "family"))
    assert problem.vectors.shape == (3, 2)
    assert problem.names is None


# ---- Invalid delimited text ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "params", "parts"),
    [
        ("", {}, ["empty"]),
        ("\n \n", {}, ["empty"]),
        ("a,b\n", {}, ["no items", "at least 2"]),
        ("a,b\n1,2\n", {}, ["one item", "at least 2"]),
        ("a,b\n1,2\n3\n", {}, ["line 3", "1 cells", "header has 2"]),
        ("1,2\n3,4,5\n", {}, ["line 2", "3 cells", "first row has 2"]),
        (ANIMALS, {}, ["line 2, column 'name': 'lion' is", "[names=name,labels=[order,family]]"]),
        (ANIMALS, {"names": "name", "labels": ("order",)}, ["line 2", "labels=[order,family]"]),
        ("a,b\n1,2\n3,x4\n", {}, ["line 3, column 'b': 'x4' is not a number; ", "drop=[b]"]),
        ("a,b\n1,2\n3,\n", {}, ["line 3, column 'b': a number is missing", "missing=median"]),
        ("a,b\n1,2\n,4\n5,6\n", {}, ["line 3", "column 'a'"]),
        ("a,b\n1,2\n,\n5,6\n", {}, ["line 3, column 'a'", "line 3, column 'b'"]),
        ("a,b\n1,NaN\n3,4\n", {}, ["line 2, column 'b': a number is missing"]),
        ("a,b\n1,2\n3,NA\n", {}, ["line 3, column 'b': a number is missing"]),
        ("a,b\n1,2\ninf,4\n", {}, ["line 3, column 'a': inf is not finite"]),
        ("a,b\n1,2\n1e999,4\n", {}, ["line 3, column 'a': inf is not finite"]),
        ("a,b\n1,x\n3,\n", {"labels": ("b",)}, ["line 3, column 'b': a label is"]),
        ("a,b\n1,x\n3,nan\n", {"labels": ("b",)}, ["line 3, column 'b': a label is"]),
        (ANIMALS, {"labels": ("genus",)}, ["'genus'", "name, legs, weight, order, family"]),
        (ANIMALS, {"names": "species"}, ["'species'", "name, legs"]),
        (ANIMALS, {"drop": ("species",)}, ["'species'", "name, legs"]),
        (ANIMALS, {"names": "name", "labels": ("name",)}, ["'name'", "two roles"]),
        (ANIMALS, {"labels": ("order", "order")}, ["'order'", "two roles"]),
        ("n,x\na,1\nb,2\na,3\n", {"names": "n"}, ["line 2", "line 4", "'a'", "rename"]),
        ("n,x\na,1\n,2\n", {"names": "n"}, ["line 3", "no name"]),
        ("x,x\n1,2\n3,4\n", {}, ["two columns are named 'x'"]),
        ("a,b\nx,y\nz,w\n", {"labels": ("a",), "drop": ("b",)}, ["no numeric column"]),
        ('a,b\n1,"2\n3,4\n', {}, ["line 2", "quotes"]),
        ("a,b\n1,\x80\n".encode("latin-1"), {"encoding": "utf-8"}, ["line 2", "0x80", "utf-8"]),
        ("a,b\n1,2\n3,4\n", {"encoding": "utf-33"}, ["'utf-33' is unknown"]),
    ],
)  # fmt: skip
def test_csv_mistakes(csv, text, params, parts):
    message = fail(csv(text), **params)
    for part in parts:
        assert part in message


def test_many_columns_are_not_all_listed(csv):
    header = ",".join(f"c{i}" for i in range(500))
    row = ",".join("1" for _ in range(500))
    message = fail(csv(f"{header}\n{row}\n{row}\n"), labels=("y",))
    assert "c11 and 488 more" in message


def test_missing_file_folder_and_ending(csv, tmp_path):
    assert "No such file" in fail(tmp_path / "none.csv")
    (tmp_path / "folder.csv").mkdir()
    assert "folder" in fail(tmp_path / "folder.csv")
    assert ".parquet" in fail(csv("1,2\n3,4\n", "data.xyz"))


def test_delimiter_of_two_characters(csv):
    with pytest.raises(DataError, match="one character"):
        read(csv("1,2\n3,4\n"), delimiter="::")


# ---- Similarities --------------------------------------------------------------------------------


def test_similarity_matrix_with_header_and_names(csv):
    path = csv(",a,b,c\na,1,.5,.2\nb,.5,1,.1\nc,.2,.1,1\n")
    problem = read(path, similarity=True, names="1")
    assert problem.names == ("a", "b", "c")
    assert problem.similarity.tolist() == [[1, 0.5, 0.2], [0.5, 1, 0.1], [0.2, 0.1, 1]]
    assert problem.vectors is None


def test_similarity_matrix_is_named_by_its_header(csv):
    assert read(csv("a,b\n1,.5\n.5,1\n"), similarity=True).names == ("a", "b")
    assert read(csv("1,.5\n.5,1\n"), similarity=True).names is None


@pytest.mark.parametrize(
    ("text", "params", "parts"),
    [
        ("1,2\n3,4\n5,6\n", {}, ["3 x 2", "omit similarity"]),
        ("1,2\n3,4\n", {}, ["symmetric", "items 0 and 1", "2.0", "3.0"]),
    ],
)
def test_similarity_mistakes(csv, text, params, parts):
    message = fail(csv(text), similarity=True, **params)
    for part in parts:
        assert part in message


# ---- Truth ---------------------------------------------------------------------------------------


def test_newick_truth_is_matched_by_names(csv):
    newick = csv("((hen:1,cat:1):1,lion:2);", "truth.nwk")
    problem = read(csv(ANIMALS), names="name", drop=("order", "family"), truth=str(newick))
    assert problem.truth.names == ("lion", "cat", "hen")
    assert problem.truth.kind is HeightKind.DISTANCE
    assert problem.truth.merge_height([1, 0], [2, 1]).tolist() == [2, 4]
    assert problem.levels is None


def test_a_truth_is_one_of_several_trees_of_a_file(csv):
    trees = csv("((hen,cat),lion);\n(hen,(cat,lion));", "truth.trees")
    given = {"names": "name", "drop": ("order", "family")}
    problem = read(csv(ANIMALS), truth=f"{trees}[tree=2]", **given)
    assert problem.truth.lca(0, 1) == 3
    with pytest.raises(DataError, match=r"truth\.trees: there are 2 trees: choose one"):
        read(csv(ANIMALS), truth=str(trees), **given)
    with pytest.raises(DataError, match=r"truth\.trees: tree=3: there are 2 trees"):
        read(csv(ANIMALS), truth=f"{trees}[tree=3]", **given)


def test_another_tree_of_the_same_file_is_another_data_set(csv):
    trees = csv("((hen,cat),lion);\n(hen,(cat,lion));", "truth.trees")
    registry = load_registry()
    digests = set()
    for number in (1, 2):
        name = f"{csv(ANIMALS)}[names=name,truth='{trees}[tree={number}]']"
        (use,) = registry.use_datasets(name)
        digests.add(use.digests["truth"])
    assert len(digests) == 2


def test_newick_truth_is_matched_by_row_without_names(csv):
    newick = csv("((2,0),1);", "truth.nwk")
    truth = read(csv("1,2\n3,4\n5,6\n"), truth=str(newick)).truth
    assert truth.names is None
    assert truth.lca(0, 2) == 3
    assert truth.lca(0, 1) == 4


def test_newick_whose_lengths_are_not_heights_gives_the_topology(csv):
    newick = csv("((2:1,0:5):1,1:3);", "truth.nwk")
    assert read(csv("1,2\n3,4\n5,6\n"), truth=str(newick)).truth.kind is HeightKind.NONE


def test_newick_takes_precedence_over_labels(csv):
    newick = csv("(lion,cat,hen);", "truth.nwk")
    problem = read(csv(ANIMALS), names="name", labels=("order", "family"), truth=str(newick))
    assert list(problem.truths) == ["newick", "labels"]
    assert problem.truth.n_nodes == 4


@pytest.mark.parametrize(
    ("newick", "parts"),
    [
        ("(lion,cat);", ["'hen' is missing"]),
        ("(lion,(cat,(hen,dog)));", ["'dog' is not among"]),
        ("(lion,(cat,hen", ["parenthesis"]),
        ("", ["no tree"]),
        (b"(\xff\0,b);", ["UTF-8"]),
    ],
)
def test_newick_mistakes(csv, newick, parts):
    truth = csv(newick, "truth.nwk")
    with pytest.raises(DataError) as caught:
        read(csv(ANIMALS), names="name", drop=("order", "family"), truth=str(truth))
    for part in ["truth.nwk", *parts]:
        assert part in str(caught.value)


def test_newick_that_counts_from_1(csv):
    truth = csv("((1,2),3);", "truth.nwk")
    with pytest.raises(DataError, match=r"'0' is missing.*0\.\.n-1"):
        read(csv("1,2\n3,4\n5,6\n"), truth=str(truth))


def test_missing_truth_file(csv, tmp_path):
    with pytest.raises(DataError, match=r"none\.nwk"):
        read(csv("1,2\n3,4\n"), truth=str(tmp_path / "none.nwk"))


# ---- Arrays --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["f4", "f8", ">f8", "f2", "i4", "u1", "?"])
def test_npy_of_any_number_type(tmp_path, dtype):
    X = np.array([[0, 1], [1, 1], [1, 0]], dtype=dtype)
    np.save(tmp_path / "x.npy", np.asfortranarray(X))
    vectors = read(tmp_path / "x.npy").vectors
    assert vectors.dtype == (np.float32 if dtype == "f4" else np.float64)
    assert vectors.flags.c_contiguous
    assert np.array_equal(vectors, X)


def test_npy_of_similarities(tmp_path):
    np.save(tmp_path / "s.npy", np.eye(3))
    assert np.array_equal(read(tmp_path / "s.npy", similarity=True).similarity, np.eye(3))


@pytest.mark.parametrize(
    ("array", "params", "parts"),
    [
        (np.zeros(4), {}, ["(4,)", "reshape(-1, 1)"]),
        (np.zeros((2, 2, 2)), {}, ["(2, 2, 2)"]),
        (np.zeros((1, 2)), {}, ["one item"]),
        (np.zeros((0, 2)), {}, ["no items"]),
        (np.zeros((2, 0)), {}, ["no features"]),
        (np.array([[1.0, np.nan], [2.0, 3.0]]), {}, ["[0, 1] is nan", "impute"]),
        (np.array([[1.0, 2.0], [np.inf, 3.0]]), {}, ["[1, 0] is inf"]),
        (np.array([["a", "b"]]), {}, ["numbers are needed"]),
        (np.array([[1j, 2j]]), {}, ["complex128"]),
        (np.zeros((3, 2)), {"similarity": True}, ["3 x 2"]),
        (np.zeros((3, 2)), {"labels": ("y",)}, ["no such file as y"]),
    ],
)
def test_npy_mistakes(tmp_path, array, params, parts):
    np.save(tmp_path / "x.npy", array)
    message = fail(tmp_path / "x.npy", **params)
    for part in parts:
        assert part in message


def test_pickles_are_never_loaded(tmp_path):
    np.save(tmp_path / "x.npy", np.array([[object()]], dtype=object), allow_pickle=True)
    assert "Python objects" in fail(tmp_path / "x.npy")
    np.savez(tmp_path / "x.npz", X=np.eye(2), y=np.array([None, 1], dtype=object))
    assert "Python objects" in fail(tmp_path / "x.npz")
    (tmp_path / "y.npy").write_bytes(b"cos\nsystem\n(S'false'\ntR.")
    assert "Python objects" in fail(tmp_path / "y.npy")


def test_empty_and_broken_arrays(tmp_path):
    (tmp_path / "x.npy").write_bytes(b"")
    assert "empty" in fail(tmp_path / "x.npy")
    (tmp_path / "x.npy").write_bytes(b"\x93NUMPY\x01\x00")
    fail(tmp_path / "x.npy")
    (tmp_path / "x.npz").write_bytes(b"PK\x03\x04 no archive")
    fail_read(tmp_path / "x.npz")
    fail_plan(tmp_path / "x.npz")
    np.savez(tmp_path / "x.npz", X=np.eye(2))
    content = bytearray((tmp_path / "x.npz").read_bytes())
    content[content.rfind(b"PK\x01\x02") + 6] = 99  # the version that reading needs, times 10
    (tmp_path / "x.npz").write_bytes(content)
    assert "zip file version 9.9" in fail_plan(tmp_path / "x.npz")
    with (tmp_path / "x.npz").open("wb") as stream:
        np.save(stream, np.eye(2))
    assert "x.npy" in fail_read(tmp_path / "x.npz")
    with (tmp_path / "x.npy").open("wb") as stream:
        np.savez(stream, X=np.eye(2))
    assert "x.npz" in fail(tmp_path / "x.npy")
    assert "No such file" in fail_plan(tmp_path / "none.npz")


def fail_read(path: Path) -> str:
    """The error of reading, without planning."""
    with pytest.raises(DataError) as caught:
        FILE.load()(DataRequest(seed=0), **FILE.resolve({"path": str(path)}))
    return str(caught.value)


def fail_plan(path: Path) -> str:
    """The error of planning, which reads the keys of an .npz."""
    with pytest.raises(DataError) as caught:
        FILE.provides_with(FILE.resolve({"path": str(path)}))
    return str(caught.value)


@pytest.mark.parametrize("keys", [("X", "y"), ("vectors", "labels")])
def test_npz(tmp_path, keys):
    X, y = np.array([[1.0], [2], [3]]), np.array([["b", "x"], ["b", "y"], ["a", "z"]])
    np.savez(tmp_path / "x.npz", **{keys[0]: X, keys[1]: y, "names": np.array(["p", "q", "r"])})
    problem = read(tmp_path / "x.npz")
    assert np.array_equal(problem.vectors, X)
    assert problem.levels.tolist() == [[1, 0], [1, 1], [0, 2]]
    assert problem.names == ("p", "q", "r")


def test_npz_that_would_become_all_memory_is_refused(tmp_path):
    path = tmp_path / "x.npz"
    header = {"descr": "<f8", "fortran_order": False, "shape": (1 << 29, 1)}
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("X.npy", "w", force_zip64=True) as stream,
    ):
        np.lib.format.write_array_header_1_0(stream, header)
        for _ in range(129):
            stream.write(bytes(16 << 20))
    assert "when decompressed; save it with numpy.savez" in fail(path)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_condensed_distances_in_an_npy_file_are_asked_for_and_read(tmp_path, dtype):
    path = tmp_path / "x.npy"
    np.save(path, np.array([1, 4, 2], dtype=dtype))  # of (0, 1), (0, 2), (1, 2)
    message = fail(path)
    assert "an array of 3 numbers may be the distances of 3 items" in message
    assert "x.npy[distance=true]'" in message
    problem = read(path, distance=True)
    assert problem.similarity.tolist() == [[1, 0.75, 0], [0.75, 1, 0.5], [0, 0.5, 1]]


def test_npz_with_vectors_and_similarities(tmp_path):
    np.savez(tmp_path / "x.npz", X=np.ones((2, 1)), similarity=np.eye(2), y=np.array([0, 1]))
    problem = read(tmp_path / "x.npz")
    assert {"vectors", "similarity", "levels"} <= problem.provides
    with pytest.warns(ModelWarning, match="the vectors are not used"):
        only = read(tmp_path / "x.npz", similarity=True)
    assert only.vectors is None


def test_npz_whose_data_are_similarities(tmp_path):
    np.savez(tmp_path / "x.npz", X=np.eye(2))
    assert read(tmp_path / "x.npz", similarity=True).provides == {"similarity"}


@pytest.mark.parametrize(
    ("arrays", "parts"),
    [
        ({"data": np.eye(2)}, ["has data,", "X (or vectors)"]),
        ({"X": np.eye(3), "y": np.zeros(2, int)}, ["labels", "(2,)", "3 items"]),
        ({"X": np.eye(2), "y": np.array([0.0, np.nan])}, ["label of item 1"]),
        ({"X": np.eye(2), "names": np.array(["a", "a"])}, ["item 0 and item 1", "'a'"]),
        ({"X": np.eye(2), "vectors": np.eye(2)}, ["keep one"]),
        ({"X": np.eye(2), "similarity": np.eye(3)}, ["similarity", "(3, 3)"]),
    ],
)
def test_npz_mistakes(tmp_path, arrays, parts):
    np.savez(tmp_path / "x.npz", **arrays)
    message = fail(tmp_path / "x.npz")
    for part in parts:
        assert part in message


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_scipy_sparse(tmp_path, form):
    X = sparse.random_array((20, 5), density=0.3, rng=np.random.default_rng(0), format=form)
    sparse.save_npz(tmp_path / "x.npz", X)
    vectors = read(tmp_path / "x.npz").vectors
    assert isinstance(vectors, sparse.csr_array)
    assert np.array_equal(vectors.toarray(), X.toarray())


def test_scipy_sparse_mistakes(tmp_path):
    X = sparse.csr_array(np.array([[0, 1.0], [0, 0], [np.nan, 0]]))
    sparse.save_npz(tmp_path / "x.npz", X)
    assert "[2, 0] is nan" in fail(tmp_path / "x.npz")


# ---- Parquet -------------------------------------------------------------------------------------


def write_parquet(path: Path, **columns: list[object]) -> Path:
    import pyarrow
    from pyarrow import parquet

    parquet.write_table(pyarrow.table(columns), path)
    return path


def test_parquet(tmp_path):
    path = write_parquet(
        tmp_path / "x.parquet",
        name=["a", "b", "c"],
        x=[1, 2, 3],
        flag=[True, False, True],
        z=[0.5, 1.5, 2.5],
        kind=["u", "v", "u"],
        __index_level_0__=[7, 8, 9],
    )
    problem = read(path, names="name", labels=("kind",))
    assert problem.names == ("a", "b", "c")
    assert problem.vectors.tolist() == [[1, 1, 0.5], [2, 0, 1.5], [3, 1, 2.5]]
    assert problem.levels[:, 0].tolist() == [0, 1, 0]


def test_a_feather_file_that_would_fill_the_memory_is_refused(tmp_path):
    import pyarrow as pa
    from pyarrow import feather

    path = tmp_path / "x.feather"
    codes = pa.DictionaryArray.from_arrays(np.zeros(2_000_000, dtype=np.int8), ["u" * 5000])
    feather.write_feather(pa.table({"s": codes}), path, compression="zstd")
    assert path.stat().st_size < 100_000
    assert "memory" in fail(path)


def test_a_json_file_whose_records_share_no_key_is_refused(tmp_path):
    path = tmp_path / "x.json"
    path.write_text(json.dumps([{f"k{i}": i} for i in range(30_000)]))  # 30,000 x 30,000 cells
    assert "takes more than 4 GiB of memory to read; save it as .csv" in fail(path)


def test_pipes_and_devices_are_refused(tmp_path):
    for name in ("x.csv", "x.npy", "x.json"):
        path = tmp_path / name
        os.mkfifo(path)
        assert "is a pipe or a device; save what it has as a regular file" in fail(path)
    (tmp_path / "y.csv").symlink_to("/dev/zero")
    assert "is a pipe or a device" in fail(tmp_path / "y.csv")


def test_changed_feather_files_end_in_one_line(tmp_path):
    import pyarrow as pa
    from pyarrow import feather

    codes = pa.array(["u", "v"] * 50).dictionary_encode()
    feather.write_feather(pa.table({"x": np.arange(100.0), "s": codes}), tmp_path / "x.feather")
    whole = (tmp_path / "x.feather").read_bytes()
    random = np.random.default_rng(0)
    for _ in range(5):
        changed = bytearray(whole)
        changed[random.integers(len(whole))] = random.integers(256)
        (tmp_path / "x.feather").write_bytes(changed)
        with suppress(DataError):
            read(tmp_path / "x.feather")


@pytest.mark.parametrize(
    ("columns", "params", "parts"),
    [
        ({"x": [1, 2], "s": ["u", "v"]}, {}, ["row 1, column 's': 'u' is not a number", "names=s"]),
        ({"x": [1, None]}, {}, ["row 2, column 'x': a number is missing"]),
        ({"x": [1.0, float("inf")]}, {}, ["column 'x'", "row 2", "inf"]),
        ({"x": [1]}, {}, ["one item"]),
        ({"x": [1, 2], "s": ["u", None]}, {"labels": ("s",)}, ["row 2", "label is missing"]),
        ({"x": [1, 2], "s": ["u", "u"]}, {"names": "s"}, ["row 1 and row 2", "'u'"]),
        ({"x": [1, 2]}, {"labels": ("y",)}, ["'y'", "there are x"]),
    ],
)
def test_parquet_mistakes(tmp_path, columns, params, parts):
    message = fail(write_parquet(tmp_path / "x.parquet", **columns), **params)
    for part in parts:
        assert part in message


def test_broken_parquet(csv):
    fail(csv("no parquet", "x.parquet"))


def test_parquet_without_pyarrow(csv, monkeypatch):
    # The file is read in another process, which has this folder in its path.
    folder = csv("raise ImportError", "pyarrow.py").parent
    monkeypatch.setenv("PYTHONPATH", str(folder))
    assert 'pip install "hcbench[parquet]"' in fail(csv("", "x.parquet"))


# ---- Comparisons ---------------------------------------------------------------------------------


def test_a_list_of_comparisons_is_a_problem(csv):
    path = csv("# n = 5\ni,j,k,l\n0,1,2,3\n0,1,0,2\n")
    truth = csv("((0,1),(2,(3,4)));", "truth.nwk")
    problem = read(path, comparisons=True, truth=str(truth))
    assert problem.n == 5
    assert problem.comparisons.quadruplets().tolist() == [[0, 1, 2, 3], [0, 1, 0, 2]]
    assert problem.provides == {"comparisons", "truth"}
    assert problem.truth.n == 5
    assert read(csv("0,1,2\n", "triplets.csv"), comparisons=True).n == 3


def test_errors_in_lists_of_comparisons_are_reported(csv):
    path = csv("0,1,2,3\n0,1,0\n")
    assert "has its own columns of items" in fail(path, comparisons=True, labels="i")
    with pytest.raises(HcbenchError, match="line 2 has 3 columns"):
        read(path, comparisons=True)
    assert "No such file" in fail(path.with_name("gone.csv"), comparisons=True)


@pytest.mark.parametrize("text", ["", "\n \n", "i,j,k,l\n"])
def test_a_list_without_comparisons_is_refused(csv, text):
    path = csv(text, "blank.csv")
    assert f"{path}: there are no comparisons; a row is" in fail(path, comparisons=True)


def test_contradictions_are_noted_and_preserved(csv):
    with pytest.warns(ModelWarning, match="1 of the queries have been answered in both ways"):
        problem = read(csv("0,1,2,3\n2,3,0,1\n"), comparisons=True)
    assert len(problem.comparisons) == 2


# ---- Levels in the wrong order, and distances ----------------------------------------------------

TAXA = """name,x,species,genus
a,1,lion,panthera
b,2,tiger,panthera
c,3,cat,felis
"""


def test_levels_from_fine_to_coarse_are_refused_with_the_corrected_command(csv):
    path = csv(TAXA)
    message = fail(path, names="name", labels=("species", "genus"))
    assert "from fine to coarse, as each class of 'species' lies in one class of 'genus'" in message
    assert message.endswith(f"write '{path}[labels=[genus,species],names=name]'")
    problem = read(path, names="name", labels=("genus", "species"))
    assert problem.classes == (("felis", "panthera"), ("cat", "lion", "tiger"))


def test_levels_that_cross_are_counted_in_a_note(csv):
    path = csv("x,colour,shape\n1,red,round\n2,red,square\n3,blue,round\n4,blue,long\n")
    with pytest.warns(ModelWarning, match="^1 of the 3 classes of shape lie in several classes"):
        read(path, labels=("colour", "shape"))


def test_levels_of_an_archive_are_refused_likewise(tmp_path):
    path = tmp_path / "data.npz"
    np.savez(path, X=np.ones((4, 2)), y=[["a", "k"], ["b", "k"], ["c", "l"], ["d", "l"]])
    assert fail(path).endswith("give y as 'column 2', 'column 1'")


DISTANCES = np.abs(np.subtract.outer([0.0, 1.0, 1.0, 5.0], [0.0, 1.0, 1.0, 5.0]))


def test_distances_are_not_similarities(tmp_path):
    path = tmp_path / "d.npy"
    np.save(path, DISTANCES)
    message = fail(path, similarity=True)
    assert f"write '{path}[distance=true]'" in message
    assert read(path, distance=True).similarity.tolist() == (1 - DISTANCES / 5).tolist()
    assert (read(path, similarity=True, distance=False).similarity == DISTANCES).all()


def test_the_weights_of_a_graph_are_similarities(tmp_path):
    """They are 0 on the diagonal too, but also between vertices with different neighbours."""
    path = tmp_path / "w.npy"
    ring = np.roll(np.eye(5), 1, axis=0) + np.roll(np.eye(5), -1, axis=0)
    np.save(path, ring)
    assert (read(path, similarity=True).similarity == ring).all()


def test_similarities_are_not_distances(tmp_path):
    path = tmp_path / "w.npy"
    np.save(path, np.eye(3))
    assert f"write '{path}[similarity=true]'" in fail(path, distance=True)


# ---- Files as people have them -------------------------------------------------------------------

GERMAN = "name;familie;höhe\nRose;Rosaceae;1,5\nApfel;Rosaceae;4,5\nErbse;Fabaceae;0,5\n"
ROLES = {"names": "name", "labels": "familie"}


@pytest.mark.parametrize(
    ("text", "name", "params"),
    [
        (GERMAN, "data.csv", ROLES),
        (GERMAN.encode("cp1252"), "data.csv", {**ROLES, "encoding": "latin-1"}),
        (GERMAN.encode("utf-16"), "data.csv", ROLES),
        (gzip.compress(GERMAN.encode(), mtime=0), "data.csv.gz", ROLES),
        (lzma.compress(GERMAN.encode()), "data.csv.xz", ROLES),
        (GERMAN.replace(",", ".").replace(";", "\t"), "data.csv", ROLES),
        (GERMAN.replace(",", ".").replace(";", "|"), "data.tsv", ROLES),
        (GERMAN, "data.csv", {**ROLES, "delimiter": ";", "decimal": ","}),
    ],
)
def test_delimiters_decimal_marks_encodings_and_compression_are_found(csv, text, name, params):
    problem = read(csv(text, name), **params)
    assert problem.names == ("Rose", "Apfel", "Erbse")
    assert problem.vectors.tolist() == [[1.5], [4.5], [0.5]]
    assert problem.classes == (("Fabaceae", "Rosaceae"),)


def test_text_that_is_not_utf8_is_read_as_windows_1252_with_a_note(csv):
    with pytest.warns(ModelWarning, match=r"not UTF-8 \(line 1\), and is read as Windows-1252"):
        problem = read(csv(GERMAN.replace("Apfel", "Äpfel").encode("cp1252")), **ROLES)
    assert problem.names == ("Rose", "Äpfel", "Erbse")


def test_a_damaged_archive_is_one_line(csv):
    assert "damaged" in fail(csv(b"no gzip", "data.csv.gz"))
    assert "damaged" in fail(csv(gzip.compress(GERMAN.encode())[:-4], "data.csv.gz"), **ROLES)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (",a,b\nx,1,2\ny,3,4\nz,5,6\n", ("x", "y", "z")),  # pandas: a text index
        (",a,b\n0,1,2\n1,3,4\n2,5,6\n", None),  # pandas: the default index
        ('"","a","b"\n"1",1,2\n"2",3,4\n"3",5,6\n', None),  # R: write.csv
        ('"a","b"\n"x",1,2\n"y",3,4\n"z",5,6\n', ("x", "y", "z")),  # R: write.table
    ],
)
def test_row_names_of_pandas_and_r(csv, text, names):
    problem = read(csv(text))
    assert problem.vectors.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert problem.names == names


def test_all_problems_of_all_columns_are_told_at_once(csv):
    path = csv(
        "id,species,height,day,note,weight,age\n"
        "a,oak,1,2020-01-01,x,1,5.5\n"
        "b,oak,,2020-01-02,y,2 kg,7.5\n"
        "c,elm,3,2020-01-02,z,3,\n"
        "d,elm,inf,2020-01-02,,4,1.5\n"
    )
    assert fail(path) == (
        f"{path}: line 2, column 'id': 'a' is not a number (4 different texts); "
        "line 2, column 'species': 'oak' is not a number (2 different texts); "
        "line 3, column 'height': a number is missing; "
        "line 5, column 'height': inf is not finite; "
        "line 2, column 'day': '2020-01-01' is a date; "
        "line 2, column 'note': 'x' is not a number (3 different texts); "
        "line 3, column 'weight': '2 kg' is not a number (it would be without its unit); "
        "line 4, column 'age': a number is missing; "
        "correct the file, or write "
        f"'{path}[names=id,labels=[species],drop=[height,day,note,weight],missing=median]'"
    )


def test_missing_numbers(csv):
    path = csv("name,x,y,kind\na,1,5,u\nb,,7,u\nc,2,,v\nd,6,9,\ne,3,7,u\n")
    given = {"names": "name", "drop": "kind"}
    mean = read(path, **given, missing="mean").vectors
    assert mean.tolist() == [[1, 5], [3, 7], [2, 7], [6, 9], [3, 7]]
    assert read(path, **given, missing="median").vectors[1, 0] == 2.5
    assert read(path, **given, missing="drop").names == ("a", "d", "e")
    assert read(path, names="name", labels="kind", missing="drop").names == ("a", "e")
    with pytest.raises(DataError, match="line 5, column 'kind': a label is missing"):
        read(path, names="name", labels="kind", missing="mean")


def test_categories(csv):
    path = csv("name,size,colour\na,0,red\nb,4,blue\nc,1,red\n")
    given = {"names": "name"}
    assert read(path, **given, categorical="drop").vectors.tolist() == [[0], [4], [1]]
    onehot = read(path, **given, categorical="onehot")
    assert onehot.vectors.tolist() == [[0, 0, 1], [4, 1, 0], [1, 0, 1]]  # size, blue, red
    similarity = read(path, **given, categorical="gower").similarity
    # 1 - (|difference| / 4 + (0 if the colours are equal else 1)) / 2
    assert similarity.tolist() == [[1, 0, 0.875], [0, 1, 0.125], [0.875, 0.125, 1]]


def test_gower_leaves_out_missing_cells(csv):
    path = csv("size,colour\n0,red\n,blue\n4,red\n")
    similarity = read(path, categorical="gower").similarity
    assert similarity.tolist() == [[1, 0, 0.5], [0, 1, 0], [0.5, 0, 1]]
    assert "share no column" in fail_gower(csv("size,colour\n0,\n,red\n4,red\n"))


def fail_gower(path: Path) -> str:
    with pytest.raises(DataError) as caught:
        read(path, categorical="gower")
    return str(caught.value)


def test_standardised_and_sampled(csv):
    path = csv("x,y\n1,5\n3,5\n5,5\n7,5\n")
    expected = np.array([-3, -1, 1, 3]) / np.sqrt(5)
    vectors = read(path, standardise=True).vectors
    assert np.allclose(vectors, np.column_stack([expected, np.zeros(4)]))
    assert not FILE.random_with(FILE.resolve({"path": str(path)}))
    assert FILE.random_with(FILE.resolve({"path": str(path), "n": 2}))
    samples = {tuple(read(path, seed, n=2).vectors[:, 0]) for seed in range(30)}
    assert samples == {(1, 3), (1, 5), (1, 7), (3, 5), (3, 7), (5, 7)}
    assert "exceeds the 4 items" in fail(path, n=5)


def test_a_symmetric_matrix_is_refused_with_names_for_all_that_it_may_be(csv):
    path = csv("0,1,2\n1,0,3\n2,3,0\n")
    assert fail(path) == (
        f"{path}: a symmetric matrix may be several things: of similarities write "
        f"'{path}[similarity=true,distance=false]'; of distances write '{path}[distance=true]'; "
        f"of vectors write '{path}[similarity=false]'"
    )
    assert read(path, distance=True).similarity.tolist() == [
        [1, 1 - 1 / 3, 1 - 2 / 3],
        [1 - 1 / 3, 1, 0],
        [1 - 2 / 3, 0, 1],
    ]
    assert read(path, similarity=True, distance=False).similarity[0].tolist() == [0, 1, 2]
    assert read(path, similarity=False).vectors[0].tolist() == [0, 1, 2]
    named = csv("id,a,b,c\na,0,1,2\nb,1,0,3\nc,2,3,0\n")
    assert f"'{named}[names=id,distance=true]'" in fail(named, names="id")


@pytest.mark.parametrize("suffix", [".csv", ".npy", ".npz", ".mtx"])
def test_rounding_makes_no_vectors_of_similarities_and_distances_in_files(tmp_path, suffix):
    vectors = np.random.default_rng(0).normal(size=(9, 4))
    matrices = {"similarity": np.corrcoef(vectors), "distance": cdist(vectors, vectors, "cosine")}
    for word, matrix in matrices.items():
        assert not np.array_equal(matrix, matrix.T) or matrix.diagonal().any()
        path = tmp_path / f"{word}{suffix}"
        if suffix == ".csv":
            pd.DataFrame(matrix).to_csv(path, header=False, index=False)
        elif suffix == ".npy":
            np.save(path, matrix)
        elif suffix == ".npz":
            np.savez(path, X=matrix)
        else:
            io.mmwrite(path, matrix, symmetry="general")
        assert f"'{path}[{word}=true]'" in fail(path)
        found = read(path, **{word: True}).similarity
        expected = matrix if word == "similarity" else 1 - matrix / matrix.max()
        np.testing.assert_allclose(found, expected, atol=1e-12)
        assert np.array_equal(found, found.T)
    assert f"'{path}[distance=true]'" in fail(path, similarity=True)


def test_inspect_names_columns_of_numbers_with_units_or_separators(csv):
    path = csv('id,x,a,b,c\nu,1,3 kg,"1,234",P1\nv,7,4 kg,"2,345.6",P2\nw,2,5 kg,999,P4\n')
    shown = CliRunner().invoke(main, ["inspect", str(path)])
    assert shown.exit_code == 0
    assert "column 'a' has numbers written like '3 kg'" in shown.stdout
    assert "column 'b' has numbers written like '1,234'" in shown.stdout
    assert "column 'c' has texts (line 2: 'P1') and is not used" in shown.stdout


@pytest.mark.slow
def test_excel(tmp_path):
    frame = pd.DataFrame({"name": ["a", "b"], "x": [1, 2.5], "kind": ["u", "v"], "n": [3, 4]})
    frame.to_excel(tmp_path / "data.xlsx", index=False)
    problem = read(tmp_path / "data.xlsx", names="name", labels="kind")
    assert problem.names == ("a", "b")
    assert problem.vectors.tolist() == [[1, 3], [2.5, 4]]
    (tmp_path / "bad.xlsx").write_bytes(b"PK no workbook")
    assert "no Excel workbook" in fail(tmp_path / "bad.xlsx")


@pytest.mark.slow
def test_excel_with_a_title_on_the_second_sheet(tmp_path):
    frame = pd.DataFrame({"name": ["a", "b"], "x": [1, 2.5], "y": [3, 4]})
    with pd.ExcelWriter(tmp_path / "data.xlsx") as book:
        pd.DataFrame({"read me": ["see below"]}).to_excel(book, sheet_name="about", index=False)
        frame.to_excel(book, sheet_name="table", index=False, startrow=2)
        book.sheets["table"]["A1"] = "Measured in 2023"
    with pytest.warns(ModelWarning, match="of 2 sheets 'table' is read"):
        problem = read(tmp_path / "data.xlsx", names="name")
    assert problem.names == ("a", "b")
    assert problem.vectors.tolist() == [[1, 3], [2.5, 4]]


def test_matrix_market(tmp_path):
    matrix = sparse.random_array((20, 5), density=0.3, rng=np.random.default_rng(0))
    io.mmwrite(tmp_path / "x.mtx", matrix, precision=17)
    vectors = read(tmp_path / "x.mtx").vectors
    assert isinstance(vectors, sparse.csr_array)
    assert np.array_equal(vectors.toarray(), matrix.toarray())
    io.mmwrite(tmp_path / "d.mtx", DISTANCES)
    similarity = read(tmp_path / "d.mtx", distance=True).similarity
    assert similarity.tolist() == (1 - DISTANCES / 5).tolist()


@pytest.mark.parametrize("text", ["", "%%MatrixMarket matrix array real general\n99999 99999\n1\n"])
def test_a_small_file_cannot_ask_for_a_large_matrix(csv, text):
    assert "no Matrix Market file" in fail(csv(text, "x.mtx"))


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_files_of_text_may_begin_with_a_byte_order_mark(csv, mark):
    matrix = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 5\n2 2 7\n"
    assert read(csv(mark + matrix, "x.mtx")).vectors.toarray().tolist() == [[5, 0], [0, 7]]
    sparse_rows = read(csv(f"{mark}1 1:5\n2 2:7\n", "x.svmlight")).vectors
    assert sparse_rows.toarray().tolist() == [[5, 0], [0, 7]]
    distances = read(csv(f"{mark}2\na 0 3\nb 3 0\n", "x.phy"), distance=True)
    assert distances.names == ("a", "b")
    assert read(csv(f'{mark}[{{"x": 5}}, {{"x": 7}}]', "x.json")).vectors.tolist() == [[5], [7]]
    assert read(csv(f"{mark}x\ty\n5\t0\n0\t7\n", "x.tsv")).vectors.tolist() == [[5, 0], [0, 7]]
    truth = csv(f"{mark}((0,1),2);", "truth.nwk")
    assert read(csv(f"{mark}x\n5\n6\n9\n"), truth=str(truth)).truth.lca(0, 1) == 3
    comparisons = read(csv(f"{mark}0,1,2\n"), comparisons=True).comparisons
    assert comparisons.triplets().tolist() == [[0, 1, 2]]
    items = csv(f"{mark}item\na\nb\n", "items.csv")
    assert read_items(items).texts == ("a", "b")


def test_large_classes_of_svmlight_stay_apart(csv):
    problem = read(csv("10000000 1:1\n10000001 1:2\n10000001 1:3\n", "x.svmlight"))
    assert problem.classes == (("10000000", "10000001"),)


def test_svmlight(csv):
    problem = read(csv("1 1:0.5 3:2\n-1 2:1\n1 1:1\n", "x.svmlight"))
    assert problem.vectors.toarray().tolist() == [[0.5, 0, 2], [0, 1, 0], [1, 0, 0]]
    assert problem.classes == (("-1", "1"),)
    assert problem.levels[:, 0].tolist() == [1, 0, 1]
    assert "no svmlight file" in fail(csv("one two\n", "x.svmlight"))


# ---- hcbench inspect and hcbench example ---------------------------------------------------------


def run(*args: str) -> str:
    result = CliRunner().invoke(main, args)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_inspect_shows_the_columns_and_a_command_that_works(csv):
    path = csv(GERMAN)
    shown = run("inspect", str(path))
    assert "semicolon-separated, decimal comma, UTF-8" in shown
    assert "3 items with 1 number each" in shown
    assert "which is the truth? candidates: familie, or none of them\n" in shown
    assert f"--datasets '{path}[names=name,labels=[familie]]'" in shown
    assert f"--datasets '{path}[names=name,drop=[familie]]'" in shown.splitlines()[-1]


def test_levels_are_the_columns_that_are_nested(csv):
    # Colours cross families; all are one kingdom; codes are the orders again.
    rows = ["a,K,1x,O1,F1,red", "b,K,1x,O1,F2,blue", "c,K,2x,O2,F3,red"]
    cells = [f"{row[0]}{i}{row[1:]},{i / 7}" for i in range(3) for row in rows]
    path = csv("\n".join(["name,kingdom,code,order,family,colour,x", *cells, ""]))
    shown = run("inspect", str(path))
    assert "labels=[code,order,family]" in shown
    assert "drop=[kingdom,colour]" in shown


def test_labels_are_columns_named_as_classes_and_other_classes_are_offered_as_0_1_columns(csv):
    rows = ["red,1,2.5,IT", "blue,1,3.5,FR", "red,2,1.5,FR", "blue,2,0.5,IT"] * 2
    path = csv("\n".join(["colour,class,x,origin", *rows, ""]))
    shown = run("inspect", str(path))
    # The name says that the numbers are classes; whether they are the truth, the user knows.
    assert "which is the truth? candidates: class or colour or origin, or none of them\n" in shown
    assert f"'{path}[labels=[class],drop=[colour,origin]]'" in shown
    assert f"'{path}[labels=[colour],drop=[class,origin]]'" in shown
    assert f"'{path}[drop=[colour,class,origin]]'" in shown.splitlines()[-1]
    offered = f"{path}[labels=[class],categorical=onehot]"
    assert f"to use colour, origin as 0/1 columns: '{path}[drop=[class],categorical=" in shown
    assert "8 items with 5 numbers each" in run("inspect", offered)


def test_a_table_of_classes_is_used_as_0_1_columns(csv):
    path = csv("f,kind,g\n" + "a,u,b\nd,u,c\na,v,c\nd,v,b\n" * 2)
    shown = run("inspect", str(path))
    assert f"'{path}[labels=[kind],categorical=onehot]'" in shown
    assert f"'{path}[labels=[kind],categorical=onehot]'" in fail(path)


def test_ids_and_numbers_with_units_are_no_names_labels_or_vectors(csv):
    rows = [f"{number},{i % 2} kg,{i % 3},{i % 5}" for i, number in enumerate((71, 5, 8, 60, 3, 9))]
    path = csv("\n".join(["customer_id,weight,x,y", *rows, ""]))
    assert f"'{path}[drop=[customer_id,weight]]'" in run("inspect", str(path))


def test_what_would_name_the_items_but_for_a_repetition_is_told(csv):
    path = csv("name,x\n" + "".join(f"n{max(i, 1)},{i * i}\n" for i in range(8)))
    assert "column 'name' would name the items, but 'n1' is there twice" in run(
        "inspect", str(path)
    )


def test_columns_on_different_scales_are_told(csv):
    path = csv("x,y\n1,4000\n2,1000\n4,3000\n")
    told = "column 'y' varies 1,000 times as much as 'x'; standardise=true"
    assert told in run("inspect", str(path))
    assert told not in run("inspect", f"{path}[standardise=true]")


@pytest.mark.parametrize("word", ["distance", "similarity"])
def test_a_symmetric_matrix_is_used_as_what_it_looks_like(csv, word):
    matrix = DISTANCES if word == "distance" else 1 - DISTANCES / DISTANCES.max()
    path = csv("\n".join(",".join(map(repr, map(float, row))) for row in matrix))
    shown = CliRunner().invoke(main, ["inspect", str(path)])
    assert f"'{path}[{word}=true]'" in shown.stdout
    assert shown.stderr == ""


def test_wide_tables_show_all_columns_that_are_no_vectors(csv):
    header = [*(f"x{i}" for i in range(100)), "kind"]
    rows = [[*(str(i * j % 7) for j in range(100)), "uv"[i % 2]] for i in range(6)]
    shown = run("inspect", str(csv("\n".join(map(",".join, [header, *rows])))))
    assert "labels, level 1" in shown
    assert "and 80 more columns of vectors" in shown


@pytest.mark.slow
def test_the_example_is_read_as_inspect_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run("example", "plants")
    assert "26 items with 5 numbers each" in run("inspect", "plants.csv")
    problem = read(tmp_path / "plants.csv", names="name", labels=("clade", "family"))
    assert problem.truth.n == 26
    run("example", "plants")
    (tmp_path / "plants.csv").write_text("mine")
    again = CliRunner().invoke(main, ["example", "plants"])
    assert again.exit_code != 0
    assert "plants.csv exists" in again.stderr


def test_a_file_without_its_ending_is_suggested(tmp_path, monkeypatch):
    (tmp_path / "plants.csv").write_text("x,y\n1,2\n")
    (tmp_path / "plants.aaa").touch()
    monkeypatch.chdir(tmp_path)
    shown = CliRunner().invoke(main, ["compare", "--datasets", "plants", "--dry-run"])
    assert "plants is no data set; write plants.csv" in shown.stderr
    shown = CliRunner().invoke(main, ["--store", "x", "compare"])
    assert "--store; options are" in shown.stderr.replace("'", "")
