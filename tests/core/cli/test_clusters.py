"""``hcbench clusters`` and ``hcbench tree --support``: how sure clusters and branches are."""

from __future__ import annotations

import json
from pathlib import Path

import dendropy
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from hcbench.cli import main


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Files of three groups, and of noise."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HCBENCH_STORE", str(tmp_path / "store.sqlite"))
    rng = np.random.default_rng(0)
    groups = rng.normal(size=(30, 5)) + np.repeat(np.arange(3) * 9, 10)[:, None]
    for name, table in {"groups": groups, "noise": rng.normal(size=(60, 30))}.items():
        index = [f"item {k}" for k in range(len(table))]
        pd.DataFrame(table, index=index).add_prefix("x").to_csv(f"{name}.csv")


def hcb(*args, code=0):
    result = CliRunner().invoke(main, list(args))
    assert result.exit_code == code, result.stderr
    return result


def test_the_planted_number_is_what_all_criteria_say():
    shown = json.loads(
        hcb("clusters", "UPGMA", "./groups.csv", "--replicates", "10", "--format", "json").stdout
    )
    assert shown["best"] == {"silhouette": 3, "gap": 3, "strength": 3, "weakest": 3}


def test_of_noise_it_is_said_that_nothing_is_stable():
    result = hcb("clusters", "Ward", "./noise.csv", "--k", "1-4", "--replicates", "10")
    assert "No cut into two or more clusters is stable" in result.stdout
    hcb("clusters", "Ward", "./noise.csv", "--k", "2,3", "--replicates", "5", "-o", "k.csv")
    assert pd.read_csv("k.csv")["k"].tolist() == [2, 3]


def test_support_is_in_the_table_and_labels_the_nodes():
    args = ("tree", "UPGMA", "./groups.csv", "--support", "10")
    hcb(*args, "-o", "t.nwk", "--branches", "b.csv", "-q")
    table = pd.read_csv("b.csv")
    whole = table[table["size"] == 10]
    assert (whole["support"] == 1).all()
    assert len(whole) == 3
    assert "; " in whole["items"].iloc[0]
    tree = dendropy.Tree.get(path="t.nwk", schema="newick", preserve_underscores=True)
    labels = [node.label for node in tree.internal_nodes() if node is not tree.seed_node]
    assert sorted(labels, key=float) == sorted(
        (f"{100 * share:.0f}" for share in table["support"]), key=float
    )


def test_bootstraps_of_features_have_an_unbiased_probability():
    args = ("tree", "UPGMA", "./noise.csv", "--support", "4", "--au")
    shown = json.loads(hcb(*args, "--format", "json").stdout)
    assert all(0 <= branch["au"] <= 1 for branch in shown["branches"])
    assert "bootstraps of the features" in hcb(*args, "--branches", "b.json").stderr
    assert json.loads(Path("b.json").read_text())[0].keys() >= {"au", "support", "items"}


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("tree", "UPGMA", "./groups.csv", "--au"), "--au needs --support N"),
        (("tree", "UPGMA", "./groups.csv", "--support", "5", "--au"), "--resample features"),
        (("tree", "t.nwk", "--support", "5"), "resampling needs the data"),
        (("clusters", "UPGMA", "./groups.csv", "--k", "99"), "have no cut into"),
    ],
)
def test_mistakes_are_one_line_with_the_way_out(args, message):
    Path("t.nwk").write_text("((a,b),c);")
    result = CliRunner().invoke(main, list(args))
    assert result.exit_code != 0
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_without_time_it_is_said_what_was_left_out():
    done = hcb("clusters", "UPGMA", "./groups.csv", "--limit", "1e-9s")
    assert "There was no time for 48 of 50 subsamples; 10 of 10 divisions" in done.stdout
    assert "data without clusters (gap)." in done.stdout
    table = hcb("clusters", "UPGMA", "./groups.csv", "--limit", "1e-9s", "--format", "csv").stdout
    assert "strength" in table
    branches = hcb("tree", "UPGMA", "./groups.csv", "--support", "20", "--limit", "1e-9s")
    assert "the share of 2 subsamples" in branches.stderr
    assert "there was no time for 18 more fits" in branches.stderr
    wide = ("tree", "UPGMA", "./noise.csv", "--support", "5", "--au", "--limit", "1e-9s")
    assert "there was time for 2 of 50 fits only" in hcb(*wide, code=2).stderr
    with_limit = hcb("tree", "UPGMA", "./groups.csv", "--limit", "1s", code=2)
    assert "--limit needs --support N" in with_limit.stderr


ORACLE = """
from hcbench import Answers, OracleSpec, hookimpl

def exactly(request):
    problem = request.problem
    return Answers(kind="vectors", n=problem.n, data=problem.vectors)

@hookimpl
def hcbench_oracles():
    spec = OracleSpec(name="mine", function=exactly, doc="D.", kind="vectors", needs=("vectors",))
    return [spec]
"""


def test_the_oracle_of_a_plugin_file_answers_also_when_fitted_again(folder):
    Path("mine.py").write_text(ORACLE)
    args = ("UPGMA", "./groups.csv", "--oracles", "mine", "--plugin", "mine.py")
    done = hcb("tree", *args, "--support", "3", "--format", "csv")
    assert "the share of 3 subsamples" in done.stderr
    assert "12" in hcb("clusters", *args, "--k", "12", "--replicates", "2").stdout
