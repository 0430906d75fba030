"""``hcbench consensus``, and ``hcbench score`` of many trees and of common items."""

from __future__ import annotations

import csv
import io
import json
import re

import numpy as np
import pytest
from click.testing import CliRunner

from hcbench import Tree
from hcbench.cli import main
from tests.core.analysis.test_consensus import APE


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    (tmp_path / "many.nwk").write_text("(((a,b),c),d);\n(((a,b),c),d);\n(((a,c),b),d);\n")
    (tmp_path / "truth.nwk").write_text("(((a,b),c),(d,e));")
    (tmp_path / "other.nwk").write_text("((a,b),(c,f));")
    return tmp_path


def hcb(*args: str):
    return CliRunner().invoke(main, args, catch_exceptions=False)


def test_the_majority_is_written_with_its_support(folder):
    done = hcb("consensus", "many.nwk")
    assert done.stdout == "(d,(c,(a,b)67)100);\n"
    assert "majority consensus of 3 trees of 4 items: 2 of at most 2 clades" in done.stderr
    hcb("consensus", "many.nwk", "-o", "c.nex", "-o", "c.json", "--quiet")
    described = json.loads((folder / "c.json").read_text())
    assert described["trees"] == 3
    assert described["support"] == pytest.approx([2 / 3, 1.0, 1.0])
    assert Tree.from_newick((folder / "c.nex").read_text()).isomorphic(
        Tree.from_newick("(((a,b),c),d);")
    )


def test_the_consensus_is_drawn_with_the_support_of_its_clades(folder):
    done = hcb("consensus", "many.nwk", "-o", "c.svg", "-o", "c.pdf")
    assert "the consensus is in c.svg" in done.stderr
    assert done.stdout == ""
    assert (folder / "c.pdf").read_bytes().startswith(b"%PDF")
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", (folder / "c.svg").read_text())
    if not texts:  # letters are drawn as paths, with the text in a comment
        texts = re.findall(r"<!-- (.*?) -->", (folder / "c.svg").read_text())
    for text in ("a", "b", "c", "d", "67", "100", "majority consensus of 3 trees"):
        assert text in texts


def test_the_first_trees_of_each_file_are_burn_in():
    # Of 40 trees the first 10, of 3 none.
    done = hcb("consensus", str(APE / "samples.nwk"), "--burn-in", "0.25")
    assert "consensus of 30 trees of 9 items" in done.stderr
    assert "consensus of 6 trees" in hcb("consensus", "many.nwk", "many.nwk").stderr
    assert "of 4 trees" in hcb("consensus", "many.nwk", "many.nwk[tree=2]").stderr


def test_common_items_of_trees_are_said():
    done = hcb("consensus", "many.nwk", "truth.nwk", "other.nwk", "--common")
    assert done.stdout == "(c,(a,b)80);\n"
    assert "3 items are in all trees; dropped: 'd', 'e', 'f'" in done.stderr
    assert "--common restricts" in hcb("consensus", "many.nwk", "other.nwk").stderr


def test_scores_of_many_trees_are_a_mean_and_an_interval():
    args = ["many.nwk[tree=all]", "many.nwk[tree=1]", "--truth", "many.nwk[tree=1]"]
    done = hcb("score", *args, "--metrics", "triplet-agreement", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [row["tree"] for row in rows] == ["many.nwk[tree=all]", "many.nwk[tree=1]"]
    # Two trees are the truth, and the third has another triplet of four.
    values = [1.0, 1.0, 0.75]
    assert float(rows[0]["value"]) == pytest.approx(np.mean(values))
    assert float(rows[0]["low"]) == pytest.approx(np.quantile(values, 0.025))
    assert (rows[0]["high"], rows[0]["n_trees"]) == ("1.0", "3")
    assert (rows[1]["value"], rows[1]["low"], rows[1]["best_tree"]) == ("1.0", "", "True")
    table = hcb("score", *args, "--metrics", "triplet-agreement").stdout
    assert "[0.762, 1.000]" in table
    assert "mean [2.5 %, 97.5 %] of the trees of a file" in table


def test_burn_in_of_scored_trees():
    args = ["many.nwk[tree=all,burn_in=0.7]", "--truth", "many.nwk[tree=3]", "--metrics", "AARI"]
    done = json.loads(hcb("score", *args, "--format", "json").stdout)
    assert [(row["value"], row["n_trees"]) for row in done["scores"]] == [(1.0, 1)]


def test_scores_on_common_items_say_which_are_dropped(folder):
    (folder / "labels.csv").write_text("item,class\na,1\nb,1\nc,2\nx,2\n")
    args = ["score", "many.nwk[tree=1]", "--truth", "truth.nwk", "--labels", "labels.csv"]
    assert hcb(*args).exit_code == 2
    done = hcb(*args, "--common", "--metrics", "ARI", "--format", "json")
    text = "3 items are in all files; dropped: "
    assert text in done.stderr
    assert "1 of 4 of labels.csv ('x')" in done.stderr
    assert "2 of 5 of truth.nwk ('d', 'e')" in done.stderr
    described = json.loads(done.stdout)
    assert {row["value"] for row in described["scores"]} == {1.0}
    assert any(text in note["text"] for note in described["notes"])


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        (["consensus", "many.nwk[burn_in=2]"], "burn_in=2 is no share of the trees"),
        (["consensus", "many.nwk[burn_in=0.5]"], "write tree=all"),
        (["score", "many.nwk[tree=1]", "--truth", "many.nwk[tree=all]"], "a truth is one tree"),
        (["score", "t.nwk", "--truth", "u.nwk", "--common"], "no item of u.nwk is in all files"),
        (["score", "t.nwk", "--truth", "v.nwk", "--common"], "2 items are in all files, and 3 is"),
        (["score", "z.npy", "--truth", "t.nwk", "--common"], "has no names; give --names"),
    ],
)
def test_mistakes_are_one_line_with_the_way_out(args, reason, folder):
    (folder / "t.nwk").write_text("((p,q),r);")
    (folder / "u.nwk").write_text("((g,h),i);")
    (folder / "v.nwk").write_text("((p,q),i);")
    np.save(folder / "z.npy", np.array([[0, 1, 1.0, 2], [2, 3, 2.0, 3]]))
    done = hcb(*args)
    assert done.exit_code != 0
    assert reason in done.stderr
    assert done.stderr.count("\n") == 1
