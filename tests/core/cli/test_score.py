"""``hcbench score``: trees of other programs, from files."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from os import environ

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import pdist
from sklearn.metrics import adjusted_rand_score

import hcbench
from hcbench import Tree
from hcbench.cli import main
from tests.core.files.test_trees import as_hclust

NAMES = tuple("abcdef")
X = np.array([[0.0, 0], [0, 1], [5, 0], [5, 1.5], [20, 0], [21, 0]])
W = np.exp(-np.hypot(*(X[:, None] - X).T))
LABELS = [0, 0, 0, 0, 1, 1]
TRUTH = "(((a,b),(c,d)),(e,f));"
OTHER = "(((a,c),(b,e)),(d,f));"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Files that name the same items in different orders."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    Z = linkage(X, "average")
    tree = Tree.from_linkage(Z, names=NAMES)
    shuffled = [3, 1, 5, 0, 2, 4]
    files = {
        "tree.nwk": tree.relabel([5, 3, 0, 1, 4, 2]).to_newick(),
        "truth.nwk": TRUTH,
        "other.nwk": OTHER,
        "names.txt": "\n".join(NAMES),
        "x.csv": table(["", "x", "y"], X, shuffled),
        "named.csv": table(["item", "x", "y"], X, shuffled),
        "w.csv": matrix(W, shuffled),
        "y.csv": table(["item", "group"], np.array(LABELS)[:, None], [4, 2, 0, 1, 3, 5]),
        "bare.csv": "\n".join(f"{x},{y}" for x, y in X),
        "merge.csv": "\n".join(",".join(map(str, row)) for row in as_hclust(Z).tolist()),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    for name, array in {"z.npy": Z, "x.npy": X, "w.npy": W, "y.npy": np.array(LABELS)}.items():
        np.save(name, array)
    return tmp_path


def table(header, values, order):
    rows = [",".join([NAMES[i], *map(repr, values[i].tolist())]) for i in order]
    return "\n".join([",".join(header), *rows])


def matrix(w, order):
    rows = [",".join([NAMES[i], *map(repr, w[i, order].tolist())]) for i in order]
    return "\n".join([",".join(["", *(NAMES[i] for i in order)]), *rows])


def call(*args):
    return CliRunner().invoke(main, ["score", *args])


def told(*args):
    """The scores in the JSON output, by metric, truth and tree."""
    result = call(*args, "--format", "json")
    assert result.exit_code == 0, result.stderr
    rows = json.loads(result.stdout)["scores"]
    return {(row["metric"], row["truth"], row["tree"]): row for row in rows}


def values(*args):
    return {key: row["value"] for key, row in told(*args).items() if row["value"] is not None}


TREE = Tree.from_linkage(linkage(X, "average"), names=NAMES)
BARE = TREE.with_names(None)
ARI_AT_2 = adjusted_rand_score(LABELS, TREE.cut(2).labels)


@pytest.mark.slow
def test_values_are_those_of_the_metrics_whatever_the_order_of_the_files():
    found = values("tree.nwk", "--truth", "truth.nwk", "--vectors", "x.csv")
    truth = Tree.from_newick(TRUTH, names=NAMES)
    for metric in ("AARI", "kendall-tau-b", "clade-recovery"):
        expected = hcbench.score(metric, TREE, truth)
        assert found[metric, "truth.nwk", "tree.nwk"] == pytest.approx(expected)
    expected = hcbench.score("dasgupta", BARE, X, similarity="euclidean")
    by_parameter = values(
        *("tree.nwk", "--vectors", "x.csv", "--metrics", "dasgupta[similarity=euclidean]")
    )
    assert list(by_parameter.values()) == [pytest.approx(expected)]
    correlation, _ = cophenet(linkage(X, "average"), pdist(X))
    assert found["cophenetic-correlation", "", "tree.nwk"] == pytest.approx(correlation)


@pytest.mark.slow
@pytest.mark.parametrize("tree", ["tree.nwk", "z.npy", "merge.csv"])
@pytest.mark.parametrize(
    "data",
    [
        ("--similarity", "w.csv"),
        ("--similarity", "w.npy", "--names", "names.txt"),
        ("--similarity", "w.npy", "--names", "names.txt", "--labels", "y.npy"),
    ],
    ids=" ".join,
)
def test_items_are_matched_by_names_or_their_order(tree, data):
    if tree != "tree.nwk" and "--names" not in data:
        data = (*data, "--names", "names.txt")
    found = values(tree, *data, "--metrics", "dasgupta")
    assert list(found.values()) == [pytest.approx(hcbench.score("dasgupta", BARE, W))]


@pytest.mark.slow
def test_vectors_are_matched_with_the_tree() -> None:
    for vectors in ["named.csv", "named.csv[names=item]", "x.npy", "bare.csv"]:
        names = () if vectors.startswith("named") else ("--names", "names.txt")
        found = values(
            "tree.nwk", "--vectors", vectors, *names, "--metrics", "cophenetic-correlation"
        )
        expected, _ = cophenet(linkage(X, "average"), pdist(X))
        assert list(found.values()) == [pytest.approx(expected)]


def test_another_delimiter_is_given_as_for_data_sets(folder):
    (folder / "semi.csv").write_text((folder / "named.csv").read_text().replace(",", ";"))
    vectors = "semi.csv[delimiter=';',names=item]"
    found = values("tree.nwk", "--vectors", vectors, "--metrics", "cophenetic-correlation")
    expected, _ = cophenet(linkage(X, "average"), pdist(X))
    assert list(found.values()) == [pytest.approx(expected)]


def test_the_order_of_a_tree_without_names_may_be_that_of_a_table(folder):
    order = np.array([3, 1, 5, 0, 2, 4])
    np.save(folder / "shuffled.npy", linkage(X[order], "average"))
    files = ("shuffled.npy", "--vectors", "x.csv", "--names", "x.csv")
    found = values(*files, "--metrics", "cophenetic-correlation")
    expected, _ = cophenet(linkage(X, "average"), pdist(X))
    assert list(found.values()) == [pytest.approx(expected)]


def test_without_any_names_items_are_numbers(folder):
    (folder / "numbers.nwk").write_text("(((5,4),(0,1)),(3,2));")
    found = values("z.npy", "numbers.nwk", "--similarity", "w.npy", "--metrics", "dasgupta")
    other = Tree.from_newick("(((5,4),(0,1)),(3,2));", names=list("012345"))
    for name, tree in {"z.npy": BARE, "numbers.nwk": other}.items():
        expected = hcbench.score("dasgupta", tree, W)
        assert found["dasgupta", "", name] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("content", "n_levels"),
    [
        ("item,group\nd,x\nf,y\na,x\nb,x\nc,x\ne,y\n", 1),
        ("d,x\nf,y\na,x\nb,x\nc,x\ne,y\n", 1),
        (",group,part\nd,x,2\nf,y,3\na,x,1\nb,x,1\nc,x,2\ne,y,3\n", 2),
        ("x\nx\nx\nx\ny\ny\n", 1),
        ("group\nx\nx\nx\nx\ny\ny\n", 1),
        ("group,part\nx,1\nx,1\nx,2\nx,2\ny,3\ny,3\n", 2),
    ],
)
def test_labels_with_and_without_names_and_header(content, n_levels, folder):
    (folder / "labels.csv").write_text(content)
    names = ("--names", "names.txt")
    found = values("tree.nwk", *names, "--labels", "labels.csv", "--metrics", "AARI")
    expected = [ARI_AT_2]
    if n_levels == 2:
        expected.append(adjusted_rand_score([0, 0, 1, 1, 2, 2], TREE.cut(3).labels))
    assert found["AARI", "labels", "tree.nwk"] == pytest.approx(np.mean(expected))


@pytest.mark.parametrize(
    ("content", "parameter"),
    [
        (",group\n4,y\n0,x\n3,x\n5,y\n2,x\n1,x\n", ""),  # pandas, after a shuffle
        ("item,group\n4,y\n0,x\n3,x\n5,y\n2,x\n1,x\n", ""),
        ("4,y\n0,x\n3,x\n5,y\n2,x\n1,x\n", ""),
        (",0\n4,1\n0,0\n3,0\n5,1\n2,0\n1,0\n", ""),  # a Series without a name
        ("y\nx\nx\nx\nx\ny\ny\n", ""),  # a header that is a label as well
        ("0\n0\n0\n0\n0\n1\n1\n", ""),
        ("z\nx\nx\nx\ny\ny\n", "[header=false]"),
    ],
)
def test_labels_of_numbered_items(content, parameter, folder):
    (folder / "labels.csv").write_text(content)
    found = values("z.npy", "--labels", f"labels.csv{parameter}", "--metrics", "ARI")
    labels = ["z", *"xxxyy"] if parameter else LABELS
    k = len(set(labels))
    expected = adjusted_rand_score(labels, TREE.cut(k).labels)
    assert found["ARI", "labels", "z.npy"] == pytest.approx(expected)


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4, 5], [4, 0, 3, 5, 2, 1]])
@pytest.mark.parametrize("index", [None, "item"])
def test_data_that_pandas_wrote_after_a_shuffle_are_matched_by_number(order, index, folder):
    vectors = pd.DataFrame(X, columns=["x", "y"]).iloc[order]
    vectors.rename_axis(index=index).to_csv("shuffled.csv")
    pd.DataFrame(W).iloc[order, order[::-1]].to_csv("w2.csv")
    found = values("z.npy", "--vectors", "shuffled.csv", "--metrics", "cophenetic-correlation")
    expected, _ = cophenet(linkage(X, "average"), pdist(X))
    assert list(found.values()) == [pytest.approx(expected)]
    found = values("z.npy", "--similarity", "w2.csv", "--metrics", "dasgupta")
    assert list(found.values()) == [pytest.approx(hcbench.score("dasgupta", BARE, W))]


@pytest.mark.parametrize("dialect", [{}, {"sep": ";", "decimal": ","}, {"sep": "\t"}])
@pytest.mark.parametrize("header", [True, False])
def test_tables_of_all_dialects_are_matched_by_the_numbers_of_the_rows(dialect, header, folder):
    order = [4, 0, 3, 5, 2, 1]
    pd.DataFrame(X, columns=["x", "y"]).iloc[order].to_csv("v.csv", header=header, **dialect)
    pd.Series(LABELS, name="c").iloc[order].to_csv("c.csv", header=header, **dialect)
    Z = pd.DataFrame(linkage(X, "average"), columns=["a", "b", "height", "size"])
    Z.to_csv("tree.csv", index=header, header=header, **dialect)
    files = ["tree.csv", "--vectors", "v.csv", "--labels", "c.csv"]
    found = values(*files, "--metrics", "cophenetic-correlation,ARI")
    expected, _ = cophenet(linkage(X, "average"), pdist(X))
    rand = adjusted_rand_score(LABELS, TREE.cut(len(set(LABELS))).labels)
    assert sorted(found.values()) == pytest.approx(sorted([expected, rand]))


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_labels_below_a_header_of_r_have_the_names_of_the_rows(delimiter, folder):
    rows = [f'"{NAMES[i]}"{delimiter}"{LABELS[i]}"' for i in (4, 0, 3, 5, 2, 1)]
    (folder / "labels.csv").write_text("\n".join(['"class"', *rows]) + "\n")
    found = values("tree.nwk", "--labels", "labels.csv", "--metrics", "ARI")
    expected = adjusted_rand_score(LABELS, TREE.cut(len(set(LABELS))).labels)
    assert found["ARI", "labels", "tree.nwk"] == pytest.approx(expected)


def test_a_text_with_a_semicolon_is_no_row_of_two_cells(folder):
    (folder / "labels.csv").write_text("c\nx; y\nx; y\nx; y\nz\nz\nz\n")
    found = values("z.npy", "--labels", "labels.csv", "--metrics", "ARI")
    expected = adjusted_rand_score([0, 0, 0, 1, 1, 1], TREE.cut(2).labels)
    assert found["ARI", "labels", "z.npy"] == pytest.approx(expected)


def test_labels_that_are_one_number_are_one_class(folder):
    (folder / "labels.csv").write_text("c\n1\n1.0\n2\n2.\n+3\n3\n")
    found = values("z.npy", "--labels", "labels.csv", "--metrics", "ARI")
    expected = adjusted_rand_score([1, 1, 2, 2, 3, 3], TREE.cut(3).labels)
    assert found["ARI", "labels", "z.npy"] == pytest.approx(expected)


def test_labels_and_truths_as_parameters_of_the_vectors(folder):
    rows = [f"{name},{x},{y},{label}" for name, (x, y), label in zip(NAMES, X, LABELS, strict=True)]
    (folder / "all.csv").write_text("\n".join(["item,x,y,group", *rows]))
    vectors = "all.csv[labels=group,truth=other.nwk]"
    found = values("tree.nwk", "--vectors", vectors, "--metrics", "AARI")
    assert found["AARI", "labels", "tree.nwk"] == pytest.approx(ARI_AT_2)
    assert ("AARI", "newick", "tree.nwk") in found


# ---- Several trees and truths --------------------------------------------------------------------


def test_each_truth_is_scored_and_the_best_is_marked():
    rows = told(
        *("tree.nwk", "other.nwk", "--truth", "truth.nwk", "--truth", "other.nwk"),
        *("--labels", "y.csv", "--metrics", "AARI,clade-recovery"),
    )
    trees = {"tree.nwk": TREE, "other.nwk": Tree.from_newick(OTHER, names=NAMES)}
    truths = {"truth.nwk": Tree.from_newick(TRUTH, names=NAMES), "other.nwk": trees["other.nwk"]}
    for (metric, truth, tree), row in rows.items():
        against = pd.Series(LABELS, index=NAMES) if truth == "labels" else truths[truth]
        assert row["value"] == pytest.approx(hcbench.score(metric, trees[tree], against))
    for tree, truth in (("tree.nwk", "truth.nwk"), ("other.nwk", "other.nwk")):
        best = {t for (m, t, name), r in rows.items() if r["best_truth"] and name == tree}
        assert truth in best
        assert rows["AARI", truth, tree]["best_tree"]
    assert not rows["AARI", "other.nwk", "tree.nwk"]["best_tree"]


def test_a_truth_that_is_named_is_the_only_one():
    found = values(
        *("tree.nwk", "--truth", "truth.nwk", "--truth", "other.nwk"),
        *("--metrics", "AARI[truth=other.nwk]"),
    )
    (key,) = found
    assert key[1] == "other.nwk"
    other = Tree.from_newick(OTHER, names=NAMES)
    assert found[key] == pytest.approx(hcbench.score("AARI", TREE, other))


def test_a_table_has_a_column_for_each_tree_and_a_row_for_each_truth():
    result = call(
        *("tree.nwk", "other.nwk", "--truth", "truth.nwk", "--truth", "other.nwk"),
        *("--vectors", "x.csv", "--metrics", "clade-recovery,cophenetic-correlation"),
    )
    lines = [line.split() for line in result.stdout.splitlines()]
    assert ["metric", "truth", "tree.nwk", "other.nwk"] in lines
    assert ["clade-recovery", "↑", "truth.nwk", "1.000*¹", "0.000"] in lines
    assert ["clade-recovery", "↑", "other.nwk", "0.000", "1.000*¹"] in lines
    (row,) = [line for line in lines if line[:1] == ["cophenetic-correlation"]]
    assert row[2] == "-", "it compares with no truth"
    assert row[-1] == "n/a²", "the other tree has no heights"
    assert "² a cophenetic correlation needs merge heights" in result.stdout


def test_trees_of_one_name_are_distinguished_by_their_folders(folder):
    (folder / "more").mkdir()
    (folder / "more" / "tree.nwk").write_text(OTHER)
    found = values("tree.nwk", "more/tree.nwk", "--truth", "truth.nwk", "--metrics", "AARI")
    assert {key[2] for key in found} == {"tree.nwk", "more/tree.nwk"}


# ---- Applicable metrics --------------------------------------------------------------------------


@pytest.mark.slow
def test_all_metrics_are_scored_or_reported_as_inapplicable():
    rows = told("tree.nwk", "--truth", "truth.nwk", "--similarity", "w.csv")
    names = {
        entry.spec.name for entry in hcbench.load_registry().metrics.entries if not entry.spec.cost
    }
    assert {key[0] for key in rows} == names
    assert all(row["reason"] for row in rows.values() if row["value"] is None)
    assert "heights" in rows["merge-distortion", "truth.nwk", "tree.nwk"]["reason"]
    result = call("tree.nwk", "--truth", "truth.nwk")
    table, _, reasons = result.stdout.partition("does not apply")
    assert "AARI" in table
    assert "merge-distortion" in reasons
    assert "dasgupta" in reasons
    assert "dasgupta" not in table


def test_costs_do_not_apply_to_a_tree():
    rows = told("z.npy", "--vectors", "x.npy", "--metrics", "cophenetic-correlation,seconds")
    assert rows["cophenetic-correlation", "", "z.npy"]["value"] is not None
    assert "cost of the call" in rows["seconds", "", "z.npy"]["reason"]


@pytest.mark.slow
def test_infinite_values_are_shown_but_are_no_json(folder):
    code = (
        "from hcbench import MetricSpec, hookimpl\n"
        "@hookimpl\n"
        "def hcbench_metrics():\n"
        "    return [MetricSpec(name='far', function=lambda scored: float('inf'), doc='',\n"
        "                       direction='lower')]\n"
    )
    (folder / "mine.py").write_text(code)
    args = ("tree.nwk", "--metrics", "far", "--plugin", "mine.py")
    (row,) = told(*args).values()
    assert (row["value"], row["reason"]) == (None, "the value is inf")
    assert "inf" in call(*args).stdout


def test_a_failing_metric_loses_only_its_own_value(folder):
    code = (
        "from hcbench import MetricSpec, hookimpl\n"
        "@hookimpl\n"
        "def hcbench_metrics():\n"
        "    return [MetricSpec(name='fails', function=lambda scored: 1 / 0, doc='',\n"
        "                       direction='lower')]\n"
    )
    (folder / "mine.py").write_text(code)
    result = call(
        *("tree.nwk", "--truth", "truth.nwk", "--metrics", "AARI,fails", "--plugin", "mine.py")
    )
    assert result.exit_code == 1
    assert "ZeroDivisionError" in result.stdout
    assert "AARI" in result.stdout


def test_an_inapplicable_parameter_is_not_a_failure():
    args = ("tree.nwk", "--truth", "truth.nwk", "--metrics", "area-under-curve[metric=queries]")
    (row,) = told(*args).values()
    assert (row["status"], "is a cost" in row["reason"]) == ("skipped", True)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["csv", "markdown", "latex"])
def test_written_forms(form):
    result = call("tree.nwk", "other.nwk", "--truth", "truth.nwk", "--format", form)
    assert result.exit_code == 0, result.stderr
    if form == "csv":
        rows = list(csv.DictReader(result.stdout.splitlines()))
        (row,) = [r for r in rows if (r["metric"], r["tree"]) == ("clade-recovery", "tree.nwk")]
        assert (float(row["value"]), row["best_tree"]) == (1.0, "True")
    elif form == "markdown":
        assert "| metric | tree.nwk | other.nwk |" in result.stdout
        assert "| clade-recovery ↑ | **1.000** | 0.000 |" in result.stdout
    else:
        assert r"clade-recovery $\uparrow$ & \textbf{1.000} & 0.000" in result.stdout


@pytest.mark.slow
def test_lengths_that_are_not_heights_are_reported_unless_quiet(folder):
    (folder / "ragged.nwk").write_text("(((a:1,b:2):1,(c:1,d:1):1):1,(e:1,f:9):1);")
    args = ("ragged.nwk", "--truth", "truth.nwk", "--metrics", "AARI")
    assert "warning: ragged.nwk: branch lengths are ignored" in call(*args).stderr
    assert call(*args, "-q").stderr == ""


# ---- Mistakes ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("files", "args", "reason"),
    [
        ({}, ["tree.nwk"], "nothing to score against"),
        ({}, ["--truth", "truth.nwk"], "TREE"),
        ({}, ["tree.nwk", "--truth", "none.nwk"], "cannot read none.nwk"),
        ({}, ["tree.nwk", "tree.nwk", "--truth", "truth.nwk"], "tree.nwk is given twice"),
        (
            {"t.nwk": "((a,b),(c,(d,(e,g))));"},
            ["t.nwk", "--truth", "truth.nwk"],
            "t.nwk: 'f' is missing, and 'g' is not among the items of truth.nwk",
        ),
        (
            {"t.nwk": "((a,b),(c,(d,(e,(f,g)))));"},
            ["t.nwk", "--truth", "truth.nwk"],
            "t.nwk: 'g' is not among the items of truth.nwk",
        ),
        (
            {"t.nwk": "((a,b),(c,d));"},
            ["tree.nwk", "--truth", "t.nwk"],
            "tree.nwk: 'f', 'e' are not among",
        ),
        ({"t.nwk": "((a,b),(c,c));"}, ["t.nwk", "--truth", "truth.nwk"], "named 'c'"),
        ({"t.nwk": "((,),(,));"}, ["t.nwk", "--names", "names.txt"], "no labels"),
        (
            {},
            ["z.npy", "--truth", "truth.nwk"],
            "the items of truth.nwk are named 'a', 'b', 'c' and 3 more, and those of z.npy have no "
            "names, so their order is unknown; give names, --names FILE, one a line in the order "
            "of z.npy, or a table in this order",
        ),
        (
            {"t.nwk": "((((((0,1),2),3),4),5),6);"},
            ["z.npy", "--truth", "t.nwk"],
            "t.nwk: '6' is not among the items of z.npy; z.npy has no names but the numbers 0..5",
        ),
        ({"n.txt": "a\nb\nc"}, ["z.npy", "--names", "n.txt"], "z.npy has 6 items, and n.txt 3"),
        ({"n.txt": "a\nb\na"}, ["z.npy", "--names", "n.txt"], "lines 1 and 3 are both 'a'"),
        (
            {"n.txt": "\n".join("abcdeg")},
            ["z.npy", "--names", "n.txt", "--truth", "truth.nwk"],
            "truth.nwk: 'g' is missing, and 'f' is not among the items of n.txt",
        ),
        (
            {"y2.csv": "item,k\na,1\nb,1\nc,1\nd,2\ne,2\n"},
            ["tree.nwk", "--labels", "y2.csv"],
            "tree.nwk: 'f' is not among the items of y2.csv",
        ),
        (
            {"y2.csv": "item,k\na,1\nb,1\nc,1\nd,2\ne,2\na,1\n"},
            ["tree.nwk", "--labels", "y2.csv"],
            "y2.csv, line 2: 2 items are named 'a'",
        ),
        ({"y2.csv": "a,1\nb,\n"}, ["tree.nwk", "--labels", "y2.csv"], "line 2: a label"),
        (
            {"y2.csv": "k\n1\n1\n\n2\n2\n2\n"},
            ["z.npy", "--labels", "y2.csv"],
            "y2.csv, line 4: a label is missing",
        ),
        (
            {"y2.csv": 'k\n1\n1\n""\n2\n2\n2\n'},
            ["z.npy", "--labels", "y2.csv"],
            "y2.csv, line 4: a label is missing",
        ),
        (
            {"y2.csv": "k\nx\nx\nx\ny\ny\n"},
            ["z.npy", "--labels", "y2.csv"],
            "z.npy has 6 items, and y2.csv 5; line 1 of y2.csv, 'k', is read as the header: if it "
            "is not, write 'y2.csv[header=false]'",
        ),
        (
            {"y2.csv": "x\nx\nx\ny\ny\n"},
            ["z.npy", "--labels", "y2.csv"],
            "z.npy has 6 items, and y2.csv 5; line 1 of y2.csv, 'x', is read as a label: if it is "
            "not, write 'y2.csv[header=true]'",
        ),
        (
            {"y2.csv": ",k\n4,x\n0,x\n1,x\n2,y\n5,y\n"},
            ["z.npy", "--labels", "y2.csv"],
            "y2.csv: '3' is missing",
        ),
        (
            {"y2.csv": ",k\n4,x\n0,x\n1,x\n2,y\n5,y\n3,nan\n"},
            ["z.npy", "--labels", "y2.csv"],
            "y2.csv, line 7: a label or name is missing ('nan')",
        ),
        ({"y.txt": "1"}, ["tree.nwk", "--labels", "y.txt"], "labels are read from"),
        ({"x2.csv": "1,2\n3,4\n"}, ["z.npy", "--vectors", "x2.csv"], "z.npy has 6 items"),
        ({"x.doc": ""}, ["tree.nwk", "--vectors", "x.doc"], "unknown suffix"),
        ({}, ["tree.nwk", "--vectors", "no.csv"], "cannot read no.csv"),
        ({}, ["tree.nwk", "--similarity", "x.csv"], "n x n matrix"),
        ({}, ["tree.nwk", "--vectors", "x.csv[nams=item]"], "has no parameter 'nams'"),
        ({}, ["tree.nwk", "--truth", "truth.nwk", "--metrics", "AARY"], "did you mean AARI"),
        ({"t.csv": "0,1,1\n2,2,1\n"}, ["t.csv", "--names", "names.txt"], "merged 2 times"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(files, args, reason, folder):
    for name, text in files.items():
        (folder / name).write_text(text)
    if "--metrics" not in args and "nothing to score" not in reason:
        args = [*args, "--metrics", "AARI"]
    result = call(*args)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert reason in line


@pytest.mark.slow
def test_small_trees_are_scored_without_compilation_and_by_the_same_values(folder, tmp_path):
    rng = np.random.default_rng(0)
    points = rng.normal(size=(150, 3))
    for name, method in [("result", "average"), ("true", "ward")]:
        tree = Tree.from_linkage(linkage(points, method))
        (tmp_path / f"{name}.nwk").write_text(tree.to_newick())
    np.save("points.npy", points)
    np.save("classes.npy", np.arange(150) % 4)
    command = [
        "score",
        "result.nwk",
        "--truth",
        "true.nwk",
        "--vectors",
        "points.npy",
        "--labels",
        "classes.npy",
    ]
    cache = tmp_path / "cache"
    done = subprocess.run(
        [sys.executable, "-m", "hcbench", *command, "--format", "json", "-q"],
        env={**environ, "NUMBA_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    assert list(cache.rglob("*.nbi")) == []
    compiled = CliRunner().invoke(main, [*command, "--format", "json"])
    values, expected = (
        [s["value"] for s in json.loads(out)["scores"] if s["status"] == "ok"]
        for out in (done.stdout, compiled.stdout)
    )
    assert len(values) > 40
    assert values == pytest.approx(expected, rel=1e-12, abs=1e-12)


# ---- Several trees, and the unit of heights ------------------------------------------------------


def distortion_by_hand(heights):
    distances = pdist(X)
    return np.sqrt(((heights - distances) ** 2).sum() / (distances**2).sum())


def test_a_linkage_matrix_and_its_newick_have_one_distortion(folder):
    Z = linkage(X, "average")
    tree = Tree.from_linkage(Z, names=NAMES)
    halves = tree.to_newick()
    wholes = Tree.from_linkage(Z * [1, 1, 2, 1], names=NAMES).to_newick()
    (folder / "half.nwk").write_text(halves)
    (folder / "whole.nwk").write_text(wholes)
    (folder / "both.trees").write_text(f"{halves}\n{wholes}\n")
    files = ["z.npy", "half.nwk", "whole.nwk[heights=whole]", "both.trees[tree=1]"]
    files.append("both.trees[tree=2,heights=whole]")
    options = ["--vectors", "x.csv", "--names", "names.txt", "--metrics", "ultrametric-distortion"]
    result = call(*files, *options, "--format", "json")
    rows = json.loads(result.stdout)["scores"]
    assert [row["tree"] for row in rows] == files
    expected = distortion_by_hand(cophenet(Z))
    assert [row["value"] for row in rows] == pytest.approx([expected] * 5)
    notes = [row["note"] for row in rows]
    assert notes[0] == ""
    assert "heights=half" in notes[1]
    assert "give 'half.nwk[heights=whole]'" in notes[1]
    assert notes[2].startswith("heights=whole")
    assert "give" not in notes[2]
    # What the note advises has the value of these heights.
    (row,) = json.loads(call("half.nwk[heights=whole]", *options, "--format", "json").stdout)[
        "scores"
    ]
    assert row["value"] == pytest.approx(distortion_by_hand(cophenet(Z) / 2))


def test_the_table_says_which_heights_it_used_where_that_matters():
    metrics = "ultrametric-distortion,cophenetic-correlation"
    result = call("tree.nwk", "--vectors", "x.csv", "--metrics", metrics)
    assert result.exit_code == 0, result.output
    assert result.stdout.count("heights=half") == 1
    assert "'tree.nwk[heights=whole]'" in " ".join(result.stdout.split())
    assert "heights=" not in call("tree.nwk", "--vectors", "x.csv", "--metrics", "dasgupta").stdout


def test_one_of_several_trees_or_truths(folder):
    (folder / "two.trees").write_text(f"{TRUTH}\n{OTHER}\n")
    (folder / "two.nex").write_text(f"#NEXUS\nbegin trees; tree a = {TRUTH} tree b = {OTHER} end;")
    for name in ("two.trees", "two.nex"):
        for number, right in [(1, "truth.nwk"), (2, "other.nwk")]:
            options = ["--metrics", "robinson-foulds", "--format", "json"]
            result = call(f"{name}[tree={number}]", "--truth", right, *options)
            (row,) = json.loads(result.stdout)["scores"]
            assert row["value"] == 0
            result = call(right, "--truth", f"{name}[tree={number}]", *options)
            (row,) = json.loads(result.stdout)["scores"]
            assert (row["value"], row["truth"]) == (0, f"{name}[tree={number}]")
        for number, reason in [
            ("", "there are 2 trees: choose one"),
            ("[tree=3]", "tree=3: there"),
        ]:
            result = call(name + number, "--truth", "truth.nwk")
            assert result.exit_code == 2
            assert f"{name}: {reason}" in result.stderr
            assert len(result.stderr.splitlines()) == 1
