"""The stability of results: agreement of two by hand, and the command on runs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import hcbench
from hcbench import NotApplicableError, Partition, Tree
from hcbench.api.stability import agreement, common_items
from hcbench.cli import main

ABCD = Tree([4, 4, 5, 6, 5, 6, -1], names=["a", "b", "c", "d"])  # ((a,b),c),d


def test_trees_are_compared_on_the_items_whose_names_both_have():
    other = Tree([4, 4, 5, 6, 5, 6, -1], names=["x", "b", "a", "d"])  # ((x,b),a),d: ab|d
    assert agreement("triplet-agreement", *common_items(ABCD, other)) == 1.0
    against = Tree([3, 4, 3, 4, -1], names=["a", "b", "d"])  # ad|b
    assert agreement("triplet-agreement", *common_items(ABCD, against)) == 0.0
    with pytest.raises(NotApplicableError, match="two repetitions have 2 items in common"):
        common_items(ABCD, Tree([2, 2, -1], names=["a", "b"]))
    with pytest.raises(NotApplicableError, match="these have no names"):
        common_items(ABCD, Tree([2, 2, -1]))


def test_both_directions_count():
    # Of the clusters of the one, {0,1} and all, both are in the other; of its three, two.
    one, other = Tree([4, 4, 5, 5, 5, -1]), Tree([4, 4, 5, 6, 5, 6, -1])
    there, back = (hcbench.score("clade-recovery", a, b) for a, b in ((one, other), (other, one)))
    assert there != back
    assert agreement("clade-recovery", one, other) == pytest.approx((there + back) / 2)
    # Of 6 pairs one is in both, 2 and 1 in each: (1 - 1/3) / (3/2 - 1/3) = 4/7.
    parts = Partition([0, 0, 1, 1]), Partition([0, 0, 1, 2])
    assert agreement("ARI", *parts) == pytest.approx(4 / 7)


@pytest.fixture
def store(tmp_path: Path, in_process: None) -> Path:
    """A run of which each repetition has the same data, and one of new data."""
    path = tmp_path / "s.sqlite"
    hcbench.compare(
        ["UPGMA", "Random"],
        {"line": np.arange(8.0)[:, None] ** 2},
        metrics=["seconds"],
        repetitions=3,
        store=path,
    )
    hcbench.compare(
        ["UPGMA"], ["planted[N0=2,L=1]"], metrics=["seconds"], repetitions=2, store=path
    )
    return path


def call(*words: str, store: Path) -> str:
    done = CliRunner().invoke(main, ["results", "stability", *words, "--store", str(store)])
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.slow
def test_the_repetitions_of_a_run_are_compared(store: Path):
    steady, random = json.loads(call("1", "--format", "json", store=store))
    assert (steady["algorithm"], steady["mean"], steady["pairs"]) == ("UPGMA", 1.0, 3)
    assert random["least"] < random["mean"] < 1
    assert random["reason"] == ""


@pytest.mark.slow
def test_what_cannot_be_compared_has_a_reason(store: Path):
    shown = call("2", store=store)
    assert "repetitions have other items, and these have no names" in shown
    shown = call("1", "--metrics", "dasgupta", store=store)
    assert "n/a" in shown
    assert "neither similarities nor vectors" in shown
