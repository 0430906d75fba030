"""Files that are written have the format of their suffix, or are refused."""

import json

import pandas as pd
import pytest
from click.testing import CliRunner

from hcbench.cli import main


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("outputs")
    store = str(place / "store.sqlite")
    words = ["compare", "--algos", "UPGMA,Single", "--datasets", "iris", "-r", "1"]
    ran = CliRunner().invoke(main, [*words, "--metrics", "AARI", "--store", store])
    assert ran.exit_code == 0, ran.stderr
    return place


def run(folder, *words):
    return CliRunner().invoke(main, [*words, "--store", str(folder / "store.sqlite")])


@pytest.mark.slow
def test_an_export_has_the_format_of_its_suffix(folder):
    frames = {}
    for suffix, read in {
        "csv": pd.read_csv,
        "parquet": pd.read_parquet,
        "xlsx": pd.read_excel,
    }.items():
        path = folder / f"run.{suffix}"
        assert run(folder, "results", "export", "-o", str(path)).exit_code == 0
        frames[suffix] = read(path)
    path = folder / "run.json"
    assert run(folder, "results", "export", "-o", str(path)).exit_code == 0
    cells = json.loads(path.read_text())["cells"]
    assert {cell["algorithm"] for cell in cells} == {"UPGMA", "Single"}
    for frame in frames.values():
        assert set(frame["algorithm"]) == {"UPGMA", "Single"}
        assert frame["AARI"].tolist() == pytest.approx(frames["csv"]["AARI"].tolist())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "endings"),
    [
        (("results", "export", "-o", "run.pdf"), ".csv or .json or .parquet or .xlsx"),
        (("report", "-o", "run.pdf"), ".html"),
        (("plot", "ranks", "-o", "run.html"), ".svg or .png or .pdf"),
        (("answers", "-o", "answers.json"), ".csv"),
        (("recommend", "iris", "--report", "page.pdf"), ".html"),
        (("results", "export", "--format", "csv", "-o", "run.json"), ".csv"),
        (("results", "merge", "-o", "all.csv", "other.sqlite"), "such as all.sqlite"),
    ],
)
def test_another_suffix_is_refused_in_one_line(words, endings, folder, monkeypatch):
    monkeypatch.chdir(folder)
    if words[1] == "merge":
        refused = CliRunner().invoke(main, list(words))
    else:
        refused = run(folder, *words)
    assert refused.exit_code == 2
    assert refused.stderr.count("\n") == 1
    assert endings in refused.stderr
    assert not (folder / words[-1]).exists() or words[-1] == "run.json"
