"""Cells with several values: embeddings become columns, other lists are not used."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from hcbench import ModelWarning
from hcbench.cli import main
from hcbench.registry import parse_name
from tests.plugins.datasets.test_file import read

NAMES = ("ant", "bee", "cat", "dog")
VECTORS = [[0.5, 1.25, -3.0], [2.0, 0.0, 1.5], [1.0, 1.0, 4.0], [0.25, 8.0, 2.0]]
RECORDS = [{"name": name, "embedding": vector} for name, vector in zip(NAMES, VECTORS, strict=True)]


def write_json(folder: Path) -> Path:
    (folder / "e.json").write_text(json.dumps(RECORDS))
    return folder / "e.json"


def write_lines(folder: Path) -> Path:
    (folder / "e.jsonl").write_text("\n".join(json.dumps(record) for record in RECORDS))
    return folder / "e.jsonl"


def write_columns(folder: Path) -> Path:
    (folder / "e.json").write_text(json.dumps({"name": NAMES, "embedding": VECTORS}))
    return folder / "e.json"


def write_csv(folder: Path) -> Path:
    pd.DataFrame(RECORDS).to_csv(folder / "e.csv", index=False)
    return folder / "e.csv"


def write_csv_of_arrays(folder: Path) -> Path:
    frame = pd.DataFrame({"name": NAMES, "embedding": [np.array(row) for row in VECTORS]})
    frame.to_csv(folder / "e.csv", index=False)
    return folder / "e.csv"


def write_parquet(folder: Path) -> Path:
    pytest.importorskip("pyarrow")
    pd.DataFrame(RECORDS).to_parquet(folder / "e.parquet")
    return folder / "e.parquet"


WRITERS = [write_json, write_lines, write_columns, write_csv, write_csv_of_arrays, write_parquet]


@pytest.mark.parametrize("write", WRITERS)
def test_lists_of_numbers_are_columns(write, tmp_path):
    problem = read(write(tmp_path), names="name")
    assert problem.names == NAMES
    np.testing.assert_allclose(problem.vectors, VECTORS)


def test_objects_in_records_are_columns(tmp_path):
    records = [{"name": name, "size": {"x": row[0], "deep": {"y": row[1]}}}
               for name, row in zip(NAMES, VECTORS, strict=True)]  # fmt: skip
    (tmp_path / "n.json").write_text(json.dumps(records))
    problem = read(tmp_path / "n.json", names="name")
    np.testing.assert_allclose(problem.vectors, np.array(VECTORS)[:, :2])


def test_records_below_a_single_key_are_the_items(tmp_path):
    (tmp_path / "w.json").write_text(json.dumps({"count": 4, "items": RECORDS}))
    with pytest.warns(ModelWarning, match="records below 'items', and count is not used"):
        problem = read(tmp_path / "w.json", names="name")
    np.testing.assert_allclose(problem.vectors, VECTORS)


@pytest.mark.parametrize("lists", [[["red"], [], ["red", "old"], ["red"]], [[1], [1, 2], [1], []]])
def test_lists_of_several_lengths_are_no_truth(lists, tmp_path, monkeypatch):
    records = [{"name": name, "x": row[0], "tags": tags}
               for name, row, tags in zip(NAMES, VECTORS, lists, strict=True)]  # fmt: skip
    (tmp_path / "t.json").write_text(json.dumps(records))
    monkeypatch.chdir(tmp_path)
    shown = CliRunner().invoke(main, ["inspect", "t.json"], catch_exceptions=False).stdout
    assert "column 'tags' has lists (row 1: " in shown
    assert "which is the truth" not in shown
    assert "drop=[tags]" in shown.splitlines()[-1]


def test_whether_the_outer_keys_of_json_are_the_items_is_asked(tmp_path, monkeypatch):
    columns = dict(zip(NAMES, VECTORS, strict=True))
    (tmp_path / "d.json").write_text(json.dumps(columns))
    monkeypatch.chdir(tmp_path)
    shown = CliRunner().invoke(main, ["inspect", "d.json"], catch_exceptions=False).stdout
    lines = shown.splitlines()
    assert "which are the items? the outer keys (ant, bee, cat, ...), or what is below" in lines
    problems = []
    for line in lines:
        if line.startswith("hcbench compare"):
            words = shlex.split(line)
            name = parse_name(words[words.index("--datasets") + 1])
            problems.append(read(Path(name.base), **name.params))
    outer, below = problems
    assert outer.names == NAMES
    np.testing.assert_allclose(outer.vectors, VECTORS)
    np.testing.assert_allclose(below.vectors, np.transpose(VECTORS))
