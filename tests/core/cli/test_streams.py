"""Unusual terminals and streams: no command says that it is a defect."""

from __future__ import annotations

import csv
import os
import shlex
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import hcbench
from hcbench import AlgorithmSpec
from hcbench.model.text import spreadsheet_cell
from hcbench.results import exports

PROGRAM = shlex.quote(str(Path(sys.executable).with_name("hcbench")))
COMMANDS = ["results", "results show", "list", "info UPGMA", "plugins", "--help", "compare --help"]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("streams") / "store.sqlite"
    hcbench.compare(["UPGMA", "Random"], datasets=["iris[n=20]"], repetitions=2, store=path)
    return path


def run(command: str, store: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a line of the shell."""
    environment = {**os.environ, "HCBENCH_STORE": str(store), **variables}
    return subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, env=environment, check=False
    )


@pytest.mark.attack("edges")
@pytest.mark.slow
@pytest.mark.parametrize("columns", ["1", "7", "0"])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_terminal_may_be_as_narrow_as_it_likes(command: str, columns: str, store: Path) -> None:
    done = run(f"{PROGRAM} {command}", store, COLUMNS=columns)
    assert done.returncode == 0, done.stderr


@pytest.mark.attack("edges")
@pytest.mark.slow
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("command", [*COMMANDS, "compare --algos UPGMA --fresh -r1"])
def test_standard_streams_may_be_closed(command: str, closed: str, store: Path) -> None:
    if command.startswith("compare --algos"):
        command += " --datasets 'iris[n=20]'"
    done = run(f"{PROGRAM} {command} {closed}", store)
    assert done.returncode == 0, done.stderr
    assert "defect" not in done.stderr
    assert "Traceback" not in done.stderr
    raw = sqlite3.connect(store)
    assert raw.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    raw.close()


@pytest.mark.attack("edges")
@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")
def test_proc_may_be_hidden(store: Path) -> None:
    hide = "mount -t tmpfs none /proc && exec "
    if subprocess.run(["unshare", "-rm", "sh", "-c", hide + "true"], check=False).returncode:
        pytest.skip("this user may not mount anything")
    for algorithm in ("UPGMA", "Random"):
        command = f"{PROGRAM} compare --algos {algorithm} --fresh -r1 --datasets 'iris[n=20]'"
        done = run(f"unshare -rm sh -c {shlex.quote(hide + command)}", store)
        assert done.returncode == 0, done.stderr
        assert "defect" not in done.stderr


# ---- Spreadsheets --------------------------------------------------------------------------------


@pytest.mark.attack("edges")
@pytest.mark.parametrize("text", ["=HYPERLINK(1)", "+cmd", "-cmd|x", "@SUM(1)", "\t=1", "\r=1"])
def test_a_spreadsheet_executes_nothing(text: str) -> None:
    assert spreadsheet_cell(text) == f"'{text}"


@pytest.mark.parametrize("value", ["-1.5", "+2e3", "-inf", -1.5, None, True, "UPGMA", "a=b", ""])
def test_other_values_of_a_table_stay(value: object) -> None:
    assert spreadsheet_cell(value) is value


@pytest.mark.attack("edges")
def test_names_in_the_csv_of_results_are_no_formulas(tmp_path: Path) -> None:
    import numpy as np

    openpyxl = pytest.importorskip("openpyxl")

    def fail(oracle: object, items: object, rng: object) -> object:
        raise ValueError("never")

    name = "+HYPERLINK"
    spec = AlgorithmSpec(
        name=name, function=fail, doc="Fails.", accepts=("vectors",), returns="partition"
    )
    data = {"-1+1": np.arange(20.0)[:, None], "@here": np.arange(20.0)[:, None]}
    results = hcbench.compare([spec], data, repetitions=1, store=":memory:", metrics=["queries"])
    for text in (results.to_csv(), results.to_csv(tmp_path / "results.csv")):
        rows = list(csv.DictReader(text.splitlines()))
        assert [row["algorithm"] for row in rows] == [f"'{name}"] * 2
        assert [row["dataset"] for row in rows] == ["'-1+1", "'@here"]
    assert [row["algorithm"] for row in results.rows] == [name] * 2, "other forms have the names"
    exports.write_excel(results, tmp_path / "results.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "results.xlsx").active
    cells = [cell for row in sheet.iter_rows() for cell in row]
    assert {cell.value for cell in cells} >= {f"'{name}", "'-1+1", "'@here"}
    assert not [cell for cell in cells if cell.data_type == "f"], "a formula"


def test_a_line_that_nobody_reads_is_no_failure() -> None:
    """A closed terminal, or a pipe without a reader, must not end what is being done."""
    code = (
        "import sys; from hcbench.cli.terminal import tell; "
        "sys.stdin.readline(); tell('one'); tell('two'); print('done')"
    )
    running = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stderr is not None
    running.stderr.close()
    assert running.stdin is not None
    running.stdin.write("now\n")
    running.stdin.close()
    assert running.stdout is not None
    assert running.stdout.read() == "done\n"
    assert running.wait(timeout=30) == 0
    running.stdout.close()
