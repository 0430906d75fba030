"""``hcbench tree``: trees and clusters as files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.cluster.hierarchy import cophenet, fcluster, linkage
from scipy.spatial.distance import squareform

import hcbench
from hcbench import Partition, read_tree
from hcbench.cli import main
from hcbench.cli.tree import TREES
from hcbench.files.tree_output import FORMATS

NAMES = [f"gene {k}" for k in range(24)]
NAMES[5] = "=HYPERLINK(1)"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A file of expressions of three groups of genes."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HCBENCH_STORE", str(tmp_path / "store.sqlite"))
    rng = np.random.default_rng(0)
    X = rng.normal(size=(24, 5)) + np.repeat(np.arange(3) * 8, 8)[:, None]
    pd.DataFrame(X, index=NAMES, columns=list("abcde")).to_csv("expr.csv")
    return X


def hcb(*args, code=0):
    result = CliRunner().invoke(main, list(args))
    assert result.exit_code == code, result.stderr
    return result


def test_the_suffixes_are_those_that_can_be_written():
    assert tuple(FORMATS) == TREES


def test_the_tree_of_a_new_fit_is_that_of_scipy(folder):
    result = hcb("tree", "UPGMA", "./expr.csv", "-o", "t.nwk", "-o", "t.npy", "-o", "t.json")
    assert "t.npy, t.names.txt" in result.stderr
    expected = squareform(cophenet(linkage(folder, "average")))
    items = np.arange(24)
    for tree in (read_tree("t.nwk", NAMES), read_tree("t.npy", NAMES)):
        assert np.allclose(tree.merge_height(items[:, None], items[None, :]), expected)
    assert json.loads(Path("t.json").read_text())["algorithm"] == "UPGMA"


def test_without_an_output_newick_goes_to_stdout(folder):
    result = hcb("tree", "UPGMA", "./expr.csv", "-q")
    assert result.stderr == ""
    tree = hcbench.Tree.from_newick(result.stdout, NAMES)
    assert tree.n == 24


def test_clusters_are_a_table_in_which_spreadsheets_execute_nothing(folder):
    hcb("tree", "UPGMA", "./expr.csv", "--k", "2-4", "--height", "6", "--clusters", "c.csv")
    table = pd.read_csv("c.csv")
    assert list(table) == ["item", "position", "k=2", "k=3", "k=4", "height=6"]
    assert table["item"][5] == "'=HYPERLINK(1)"
    expected = fcluster(linkage(folder, "average"), 3, "maxclust")
    assert Partition(table["k=3"].to_numpy()) == Partition(expected)


def test_clusters_are_written_as_json_and_tsv(folder):
    hcb("tree", "UPGMA", "./expr.csv", "--dynamic", "--clusters", "c.json")
    rows = json.loads(Path("c.json").read_text())
    assert [row["item"] for row in rows] == NAMES
    hcb("tree", "UPGMA", "./expr.csv", "--k", "3", "--clusters", "c.tsv")
    assert list(pd.read_csv("c.tsv", sep="\t")) == ["item", "position", "k=3"]
    in_json = json.loads(hcb("tree", "UPGMA", "./expr.csv", "--k", "3", "--format", "json").stdout)
    assert in_json["clusters"][0]["item"] == "gene 0"


def test_a_file_with_a_tree_is_converted_and_cut(folder):
    hcb("tree", "UPGMA", "./expr.csv", "-o", "t.nex")
    text = hcb("tree", "t.nex", "-q").stdout
    assert hcbench.Tree.from_newick(text).isomorphic(read_tree("t.nex"))
    table = hcb("tree", "t.nex", "--k", "3", "--format", "csv", "-q").stdout
    assert len(table.splitlines()) == 25


@pytest.mark.usefixtures("in_process")
def test_a_stored_tree_is_that_of_a_new_fit_with_the_same_seed(folder):
    hcb("compare", "--algos", "UPGMA,Ward", "--datasets", "./expr.csv", "-r", "1", "-q")
    assert "choose one result" in hcb("tree", "1", code=2).stderr
    stored = hcb("tree", "1", "--algo", "Ward", "-q").stdout
    assert stored == hcb("tree", "Ward", "./expr.csv", "-q").stdout
    missing = hcb("tree", "--algo", "Ward", "--repetition", "7", code=2)
    assert "no cell has a result in repetition 7" in missing.stderr


@pytest.mark.usefixtures("in_process")
def test_a_tree_that_is_not_stored_is_fitted_again_and_said_so(folder):
    hcb("compare", "--algos", "UPGMA", "--datasets", "./expr.csv", "-r", "1", "-q")
    stored = hcb("tree", "-q").stdout
    hcb("results", "export", "1", "-o", "run.json")
    hcb("results", "import", "run.json", "--store", "other.sqlite")
    again = hcb("tree", "--store", "other.sqlite")
    assert again.stdout == stored
    assert "was fitted again from its seeds" in again.stderr


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("a", "b", "c"), "give RUN, TREE, or ALGORITHM DATA"),
        (("UPGMAA", "./expr.csv"), "did you mean UPGMA"),
        (("UPGMA", "./expr.csv", "--k", "0"), "not a number of clusters"),
        (("UPGMA", "./expr.csv", "--k", "99"), "no cut into 99 clusters"),
        (("UPGMA", "./expr.csv", "--height", "x"), "is not a height"),
        (("UPGMA", "./expr.csv", "--clusters", "c.csv"), "needs a cut"),
        (("UPGMA", "./expr.csv", "--algos", "Ward"), "is of a stored run"),
        (("UPGMA", "./expr.csv", "-o", "t.doc"), "ends in .nwk"),
    ],
)
def test_mistakes_are_one_line_with_the_way_out(args, message):
    result = CliRunner().invoke(main, ["tree", *args])
    assert result.exit_code != 0
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.usefixtures("in_process")
def test_results_have_their_trees(folder, tmp_path):
    frame = pd.read_csv("expr.csv", index_col=0)
    results = hcbench.compare(
        ["UPGMA", "Ward"], {"genes": frame}, repetitions=1, store=tmp_path / "py.sqlite"
    )
    tree = results.tree("UPGMA")
    assert tree.names == tuple(NAMES)
    assert tree == hcbench.fit("UPGMA", frame).with_names(NAMES)
    with pytest.raises(hcbench.HcbenchError, match="choose one result"):
        results.tree()


@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf"])
def test_figures_are_written_in_the_format_of_the_suffix(folder, suffix):
    beginning = {".svg": b"<?xml", ".png": b"\x89PNG", ".pdf": b"%PDF"}[suffix]
    path = f"figure{suffix}"
    hcb("tree", "UPGMA", "./expr.csv", "--k", "3", "-o", path)
    assert Path(path).read_bytes().startswith(beginning)
    hcb("tree", "UPGMA", "./expr.csv", "--figure", "heatmap", "--scale", "row", "-o", path)
    assert Path(path).read_bytes().startswith(beginning)
    hcb("tree", "Ward", "./expr.csv", "-o", "ward.nwk")
    hcb("tree", "UPGMA", "./expr.csv", "--against", "ward.nwk", "-o", path)
    assert Path(path).read_bytes().startswith(beginning)


def test_figures_say_what_they_need(folder):
    alone = hcb("tree", "UPGMA", "./expr.csv", "--figure", "tanglegram", "-o", "t.svg", code=2)
    assert "needs --against" in alone.stderr
    hcb("tree", "UPGMA", "./expr.csv", "-o", "t.nwk")
    without_data = hcb("tree", "t.nwk", "--figure", "heatmap", "-o", "t.svg", code=2)
    assert "needs the data" in without_data.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--au"], "--au needs --support N"),
        (["--branches", "b.csv"], "--branches needs --support N"),
        (["--resample", "items"], "--resample needs --support N"),
        (["--k", "3", "--min-size", "4"], "--min-size needs --dynamic"),
        (["--scale", "row", "-o", "t.nwk"], "--scale needs a figure"),
        (["--figure", "heatmap"], "--figure needs a figure, such as -o tree.svg"),
        (["--scale", "row", "-o", "t.svg"], "--scale is of heat maps"),
        (["--repetition", "1"], "--repetition is of a stored run"),
        (["--budget", "3,4"], "--budget has 2 values; a fit takes one"),
    ],
)
def test_an_option_without_effect_is_refused(arguments, message):
    result = hcb("tree", "UPGMA", "./expr.csv", *arguments, code=2)
    assert message in result.stderr
    assert not list(Path().glob("t.*"))


def test_options_of_runs_are_refused_for_a_file():
    hcb("tree", "UPGMA", "./expr.csv", "-o", "t.nwk")
    result = hcb("tree", "t.nwk", "--algos", "UPGMA", code=2)
    assert "--algos is of a run or of a fit; t.nwk is a file: omit it" in result.stderr


def test_the_table_of_a_cut_is_shown_beside_the_file_of_a_tree():
    result = hcb("tree", "UPGMA", "./expr.csv", "--k", "3", "-o", "t.nwk", "--format", "csv")
    assert result.stdout.startswith("item,position,k=3")


def test_an_algorithm_alone_is_asked_for_its_data():
    result = hcb("tree", "UPGMA", code=2)
    assert "UPGMA is an algorithm: name its data too, such as UPGMA ./data.csv" in result.stderr


def test_a_file_with_a_wrong_ending_is_missing_and_not_of_an_unknown_kind():
    result = hcb("tree", "UPGMA", "./expr.cvs", code=2)
    assert "No such file or directory; did you mean ./expr.csv?" in result.stderr
