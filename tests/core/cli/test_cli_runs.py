"""Commands that run cells, and those that show stored runs."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hcbench.cli import main
from hcbench.errors import hide_passwords
from hcbench.store import Store
from tests.terminal import Page

TOYS = str(Path(__file__).parents[2] / "plugins_for_tests" / "toys.py")
MIXED = [
    "--algos=Comb[start=[0,1]],Knowing,Fail,Fail[how=wrong],Fail[how=crash]",
    "--datasets=line,bare",
    "--metrics=nodes,size",
    "-r2",
]
SMALL = ["--algos=Comb", "--datasets=line", "--metrics=nodes,size", "-r3"]


def call(*args: str, store: Path, width: int = 80) -> Result:
    env = {"HCBENCH_STORE": str(store), "COLUMNS": str(width), "HCBENCH_DEBUG": ""}
    plugin = [] if args[0] == "results" else ["--plugin", TOYS]  # stored runs need no plugin
    return CliRunner(env=env).invoke(main, [*args, *plugin])


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cli") / "store.sqlite"


@pytest.fixture(scope="module")
def mixed(store: Path) -> Result:
    """A run with all kinds of failures: run 1 of the store."""
    return call("compare", *MIXED, store=store)


@pytest.fixture(scope="module")
def small(mixed: Result, store: Path) -> Result:
    """A run that succeeds and reuses two stored cells: run 2 of the store."""
    assert mixed.exit_code == 1
    return call("compare", *SMALL, store=store)


def without_values(text: str) -> str:
    """Replace values that depend on the data."""
    return re.sub(r"\d\.\d{3}\b", "x.xxx", text.replace("5.000", "5").replace("1.000", "1"))


TABLES = """\
line
algorithm         oracle   failed  nodes ↓         size ↑
─────────────────────────────────────────────────────────
Comb              toy           0   15  x.xxx ± x.xxx
Comb[start=1]     toy           0   15  x.xxx ± x.xxx
Knowing           vectors       0   15  x.xxx ± x.xxx
Fail¹             vectors  2 of 2        -              -
Fail[how=wrong]²  vectors  2 of 2        -              -
Fail[how=crash]³  vectors  2 of 2        -              -
¹ error: ValueError: it hurts
² error: the algorithm returned 9 leaves for 8 items
³ crash: CRASHED

bare
algorithm         oracle   failed  nodes ↓         size ↑
─────────────────────────────────────────────────────────
Comb              toy           0   11  x.xxx ± x.xxx
Comb[start=1]     toy           0   11  x.xxx ± x.xxx
Knowing¹          -             -        -              -
Fail²             vectors  2 of 2        -              -
Fail[how=wrong]³  vectors  2 of 2        -              -
Fail[how=crash]⁴  vectors  2 of 2        -              -
¹ skipped: Knowing needs truth, which bare does not provide
² error: ValueError: it hurts
³ error: the algorithm returned 7 leaves for 6 items
⁴ crash: CRASHED

average rank, 1 is best
algorithm         failed  nodes  size
─────────────────────────────────────
Comb                   0   2.00  2.00
Comb[start=1]          0   2.00  2.00
Knowing                0   2.00  2.00
Fail              4 of 4   5.00  5.00
Fail[how=wrong]   4 of 4   5.00  5.00
Fail[how=crash]   4 of 4   5.00  5.00
p, Friedman¹,²,³              -     -
¹ over 1 data set (average of the repetitions on each); an algorithm ranks last
where more than 20 % of its repetitions failed, otherwise by the others; 1
excluded, as not all algorithms ran
² no p: it needs two or more blocks; there is 1
³ too few for any significant difference of two: 6 algorithms need at least 3
data sets (alpha 0.05)

mean ± standard deviation over 2 repetitions, one number if all are equal
↑ more is better, ↓ less is better, * is the best
averages are of the repetitions that succeeded; where more than 20 % failed, an
algorithm is not the best and ranks last
"""


# ---- Tables --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_table_has_a_block_per_data_set_and_reasons_below(mixed: Result) -> None:
    assert mixed.exit_code == 1
    shown = re.sub(r"crash: .*", "crash: CRASHED", without_values(mixed.stdout))
    assert shown == TABLES


def test_failures_and_the_end_are_reported_on_stderr(mixed: Result, store: Path) -> None:
    lines = mixed.stderr.splitlines()
    assert lines[0] == "hcbench: 22 cells"
    reported = [line for line in lines if "ValueError: it hurts" in line]
    assert len(reported) == 1, "one message for a cause, however many cells fail"
    assert re.fullmatch(r"hcbench: Fail on \w+, repetition \d: error: .*", reported[0])
    assert lines[-3] == "hcbench: 24 cells: 10 ok, 12 failed, 2 skipped"
    assert re.fullmatch(
        r"hcbench: run a failed cell again with: hcbench rerun [0-9a-f]{8} --in-process "
        r"--plugin \S+toys.py",
        lines[-2],
    )
    assert lines[-1] == f"hcbench: stored in {store}; see hcbench results"


@pytest.mark.slow
def test_stored_cells_are_not_run_again(small: Result, store: Path) -> None:
    assert small.exit_code == 0
    assert small.stderr == (
        "hcbench: calls: about 0 s in all, as stored calls of the same took\n"
        "hcbench: 3 cells, 2 of them stored already\n"
        "hcbench: 3 cells: 3 ok, 2 of them stored before\n"
        f"hcbench: stored in {store}; see hcbench results\n"
    )
    plan = call("compare", *SMALL, "--dry-run", "--format=json", store=store)
    assert json.loads(plan.stdout)["stored"] == 3
    fresh = call("compare", *SMALL, "--dry-run", "--fresh", "--format=json", store=store)
    assert json.loads(fresh.stdout)["stored"] == 0


@pytest.mark.parametrize("width", [40, 60, 80, 140])
def test_no_width_cuts_a_number(width: int, small: Result, store: Path) -> None:
    assert small.exit_code == 0
    shown = call("results", "show", "2", store=store, width=width).stdout
    assert re.search(r"Comb +15\.000", shown)
    assert "…" not in shown
    for line in shown.splitlines()[:-2]:
        assert len(line) <= width


def test_columns_that_do_not_fit_continue_below_with_the_names(small: Result, store: Path) -> None:
    assert small.exit_code == 0
    shown = call("results", "show", "2", store=store, width=25).stdout
    assert shown.count("algorithm") == 2
    assert shown.count("\nComb ") == 2


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_other_columns_that_distinguish_rows_are_repeated_too(store: Path) -> None:
    many = ("compare", "--datasets", "cut-of[n=8]", "--algos", "BF", "--repetitions", "1")
    shown = call(*many, "--budget", "3,4", store=store, width=34).stdout
    parts = [line for line in shown.splitlines() if line.startswith("algorithm ")]
    assert len(parts) > 1
    assert all("budget" in line for line in parts), shown


@pytest.mark.slow
def test_quiet_says_nothing_on_stderr(small: Result, store: Path) -> None:
    assert small.exit_code == 0
    result = call("compare", *SMALL, "--quiet", store=store)
    assert result.stderr == ""
    assert result.stdout == small.stdout


# ---- Formats -------------------------------------------------------------------------------------


def strict(text: str) -> dict[str, list[dict[str, object]]]:
    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    loaded: dict[str, list[dict[str, object]]] = json.loads(text, parse_constant=refuse)
    return loaded


@pytest.mark.slow
def test_json_is_one_strict_object(mixed: Result, store: Path) -> None:
    assert mixed.exit_code == 1
    found = strict(call("compare", *MIXED, "--format=json", store=store).stdout)
    assert len(found["cells"]) == 24
    names = {"algorithm", "dataset", "oracle", "repetition", "seed", "status", "reason", "seconds"}
    names |= {"oracle_seconds", "peak_bytes", "queries", "checkpoint", "metrics"}
    assert all(names <= set(cell) for cell in found["cells"])
    assert {cell["status"] for cell in found["cells"]} == {"ok", "error", "crash", "skipped"}
    assert {"mean", "std", "n"} <= set(found["summary"][0])
    assert found["verdicts"] == []


@pytest.mark.slow
def test_csv_markdown_and_latex(small: Result, store: Path) -> None:
    assert small.exit_code == 0
    table = call("compare", *SMALL, "--format=csv", store=store).stdout
    rows = list(csv.DictReader(io.StringIO(table)))
    assert [row["nodes"] for row in rows] == ["15.0"] * 3
    markdown = call("compare", *SMALL, "--format=markdown", store=store).stdout
    assert markdown.startswith("**line**\n\n| algorithm | nodes ↓ | size ↑ |\n")
    assert "\\begin{tabular}" in call("compare", *SMALL, "--format=latex", store=store).stdout


@pytest.mark.slow
def test_a_pipe_gets_no_control_codes(small: Result, store: Path) -> None:
    assert small.exit_code == 0
    command = [sys.executable, "-m", "hcbench", "compare", *SMALL, "--plugin", TOYS]
    env = {**os.environ, "HCBENCH_STORE": str(store), "TERM": "xterm-256color"}
    done = subprocess.run(command, env=env, capture_output=True, check=True)
    assert b"\x1b" not in done.stdout + done.stderr


def on_a_terminal(folder: Path, **env: str) -> str:
    """Return the output of a run on a terminal, stdout and stderr together."""
    command = ["compare", *SMALL, "--algos=Fail", "--fresh", "--plugin", TOYS]
    with Page(command, folder, TERM="xterm-256color", **env) as page:
        page.end()
        return page.written


@pytest.mark.slow
def test_a_terminal_gets_a_bar_failures_and_bold(tmp_path: Path) -> None:
    written = on_a_terminal(tmp_path)
    assert "0 of 6 cells" in written
    assert "━" in written
    assert re.search(r"Fail on line, repetition \d: error: ValueError: it hurts", written)
    assert "\x1b[1mline\x1b[0m" in written
    assert written.endswith("see hcbench results\r\n")


@pytest.mark.slow
def test_no_color_is_respected(tmp_path: Path) -> None:
    written = on_a_terminal(tmp_path, NO_COLOR="1")
    colours = re.findall(r"\x1b\[(?:3[0-7]|9[0-7]|38)[;m]", written)
    assert "it hurts" in written
    assert colours == []


# ---- Interruption --------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_interrupted_run_says_that_the_same_command_resumes(tmp_path: Path) -> None:
    args = ["--algos=Comb,Fail[how=hang]", *SMALL[1:], "--plugin", TOYS, "--jobs=1"]
    store = tmp_path / "s.sqlite"
    env = {**os.environ, "HCBENCH_STORE": str(store)}
    with subprocess.Popen(
        [sys.executable, "-m", "hcbench", "compare", *args],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        until = time.monotonic() + 60
        while time.monotonic() < until and not (store.exists() and _outcomes(store)):
            time.sleep(0.1)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert out == ""
    assert err.strip().splitlines()[-1] == (
        "hcbench: interrupted; finished cells are stored, and the same command resumes"
    )
    assert _outcomes(store) == 1
    assert "(interrupted)" in results(store=store).stdout.replace("\n", " ")


def _outcomes(store: Path) -> int:
    with Store(store) as opened:
        return len(opened.outcomes())


# ---- Stores --------------------------------------------------------------------------------------


def test_a_store_that_cannot_be_written_is_one_line_and_3(tmp_path: Path) -> None:
    result = call("compare", *SMALL, "--store=/proc/none/s.sqlite", "-q", store=tmp_path / "s")
    assert result.exit_code == 3
    assert result.stderr.count("\n") == 1
    assert "/proc/none/s.sqlite" in result.stderr


def test_a_corrupt_store_is_one_line_and_3(tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    store.write_bytes(b"no database at all" * 100)
    result = call("compare", *SMALL, store=store)
    assert result.exit_code == 3
    assert result.stderr == (
        f"hcbench: error: {store}: this is no SQLite database; give another place with --store\n"
    )


# ---- Past runs -----------------------------------------------------------------------------------


def results(*args: str, store: Path) -> Result:
    """Call a command without a plugin file."""
    return CliRunner(env={"HCBENCH_STORE": str(store), "COLUMNS": "80"}).invoke(
        main, ["results", *args]
    )


@pytest.mark.slow
def test_past_runs_are_listed(small: Result, store: Path) -> None:
    assert small.exit_code == 0
    bare, listed = results(store=store), results("list", store=store)
    assert bare.stdout == listed.stdout
    assert listed.stdout.splitlines()[0] == "run  started           cells  failed  reused  command"
    assert re.search(r"^  1  \S+ \S+     24      12       0  hcbench compare", listed.stdout, re.M)
    runs = json.loads(results("list", "--format=json", store=store).stdout)
    assert (runs[1]["cells"], runs[1]["reused"], runs[1]["state"]) == (3, 2, "done")
    assert runs[1]["command"].startswith("hcbench compare --algos=Comb ")
    with Store(store) as opened:  # not the description of the default data sets
        assert opened.run(2).layout["suite"]["doc"] == ""


def test_a_store_without_runs_says_how_to_begin(tmp_path: Path) -> None:
    result = results(store=tmp_path / "s.sqlite")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "start with: hcbench compare" in result.stderr
    shown = results("show", store=tmp_path / "s.sqlite")
    assert shown.exit_code == 3


def test_a_stored_run_is_shown_as_when_it_ended(small: Result, store: Path) -> None:
    assert call("results", "show", "2", store=store).stdout == small.stdout


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_a_stored_run_is_shown_in_the_order_asked_for(tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    args = ["--algos=Knowing,Random,Comb[start=[1,0]]", "--datasets=line,bare", "-r2", "--jobs=1"]
    first = call("compare", *args, "--metrics=size,nodes", store=store)
    assert first.exit_code == 0
    fresh = call("compare", *args[:2], "--metrics=nodes,size", "-r1", "--fresh", store=store)
    assert call("results", "show", "1", store=store).stdout == first.stdout
    assert call("results", "show", "2", store=store).stdout == fresh.stdout
    assert "a reference, which is not ranked" in first.stdout
    runs = json.loads(results("list", "--format=json", store=store).stdout)
    assert [(run["cells"], run["reused"]) for run in runs] == [(16, 0), (8, 0)]


@pytest.mark.slow
def test_a_stored_run_is_filtered(mixed: Result, store: Path) -> None:
    assert mixed.exit_code == 1
    args = ["results", "show", "1", "--dataset=lin*", "--metric=nodes", "--format=json"]
    found = strict(call(*args, "--algo=comb", store=store).stdout)
    assert {cell["algorithm"] for cell in found["cells"]} == {"Comb"}, "and no longer label"
    found = strict(call(*args, "--algo=com", store=store).stdout)
    assert {cell["algorithm"] for cell in found["cells"]} == {"Comb", "Comb[start=1]"}
    assert {cell["dataset"] for cell in found["cells"]} == {"line"}
    assert all(list(cell["metrics"]) == ["nodes"] for cell in found["cells"])  # type: ignore[call-overload]
    crashed = call("results", "show", "1", "--status=crash", store=store).stdout
    assert re.search(r"^[0-9a-f]{8}  Fail\[how=crash\]  line +0  crash ", crashed, re.M)
    assert call("results", "show", "1", "--metric=other", store=store).stderr == (
        "hcbench: error: other was not measured; there are nodes, size "
        "(see hcbench results show --help)\n"
    )


STUCK = """
import numpy as np
from hcbench import DatasetSpec, Problem, hookimpl

def same(seed):
    return Problem(n=4, vectors=np.eye(4))

@hookimpl
def hcbench_datasets():
    about = {"function": same, "doc": "The same.", "provides": ("vectors",)}
    return [DatasetSpec(name="stuck", **about), DatasetSpec(name="fixed", random=False, **about)]
"""


@pytest.mark.usefixtures("in_process")
def test_a_data_set_that_ignores_its_seed_is_told(tmp_path: Path) -> None:
    file, store = tmp_path / "stuck.py", tmp_path / "s.sqlite"
    file.write_text(STUCK)
    args = ["--algos=Comb", "--metrics=nodes", f"--plugin={file}", "--jobs=1"]
    for repetitions, warned in ((1, []), (2, ["stuck"])):
        several = ["--datasets=stuck,fixed,bare", f"-r{repetitions}"]
        shown = call("compare", *args, *several, store=store).stdout
        assert re.findall(r"(\w+) has the same data in all repetitions", shown) == warned


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_runs_are_compared(tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    call("compare", *SMALL, store=store)
    call("compare", *SMALL, "--seed=1", "--algos=Fail", store=store)
    same = call("results", "diff", "1", "1", store=store)
    assert same.stdout == (
        "2 of 2 means are equal, 0 have a simultaneous 95 % interval without 0 and are marked: "
        "all hold together with a probability of 95 %; "
        "0 cells ended otherwise, 0 are in one of the runs only\n"
    )
    reported = call("results", "diff", "1", "2", store=store).stdout
    assert re.search(r"^Comb / toy  size  +x\.xxx +x\.xxx ", without_values(reported), re.M)
    assert re.search(r"^line +Comb / toy +ok +- +3$", reported, re.M)
    assert re.search(r"^line +Fail / vectors +- +error +3$", reported, re.M)
    found = json.loads(call("results", "diff", "1", "2", "--format=json", store=store).stdout)
    (size,) = (
        d for d in found["differences"] if d["metric"] == "size" and d["algorithm"] == "Comb"
    )
    assert size["difference"] == pytest.approx(size["after"] - size["before"])
    assert size["low"] <= size["difference"] <= size["high"]
    assert size["marked"] == (size["low"] * size["high"] > 0)


@pytest.mark.slow
def test_a_file_whose_content_or_name_changes_between_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store = tmp_path / "s.sqlite"

    def compare(files: str) -> Result:
        fixed = ["--algos=UPGMA", "--metrics=ARI", "-r1", "--jobs=1"]
        return call("compare", f"--datasets={files}", *fixed, store=store)

    Path("a.csv").write_text("x,y,c\n0,0,k\n0,1,k\n9,9,l\n9,8,l\n")
    compare("./a.csv[labels=c]")
    Path("a.csv").write_text("x,y,c\n0,0,k\n0,1,l\n9,9,k\n9,8,l\n")
    compare("./a.csv[labels=c]")
    told = call("results", "diff", "1", "2", store=store).stdout.splitlines()[0]
    assert told == (
        "./a.csv[labels=c]: the data differ between the runs, in 1 of 1 repetitions, so that its "
        "values cannot be compared"
    )
    found = json.loads(call("results", "diff", "1", "2", "--format=json", store=store).stdout)
    assert found["data"] == [{"dataset": "./a.csv[labels=c]", "repetitions": [0], "common": 1}]
    # Two files with the same content are two data sets.
    Path("b.csv").write_bytes(Path("a.csv").read_bytes())
    both = compare("./a.csv[labels=c],./b.csv[labels=c]")
    assert "2 cells: 2 ok" in both.stderr
    assert both.stdout.count(".csv[labels=c]") == 2
    # A file that has been renamed has the results of the old one, under its new name.
    Path("a.csv").rename("c.csv")
    assert "1 of them stored before" in compare("./c.csv[labels=c]").stderr
    for name in ("c.csv", "./c.csv[labels=c]"):
        shown = call("results", "show", f"--datasets={name}", store=store).stdout
        assert shown.startswith("./c.csv[labels=c]")
    missing = call("results", "show", "--datasets=a.csv", store=store)
    assert "has no such cells (dataset a.csv); there are ./c.csv[labels=c]" in missing.stderr


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
@pytest.mark.filterwarnings("default::hcbench.errors.RepeatedEntryWarning")
def test_a_budget_that_is_given_twice_is_told_and_the_next_run_reuses_all(tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    twice = ["--algos=Comb,comb", "--datasets=line", "--metrics=size", "-r2", "--budget=9,9.0"]
    first = call("compare", *twice, store=store)
    told = "algorithms comb (the same as Comb); budgets 9"
    assert f"warning: listed more than once, and used once: {told}\n" in first.stderr
    assert "2 cells: 2 ok" in first.stderr
    again = call("compare", *twice, store=store)
    assert again.exit_code == 0
    assert "2 cells: 2 ok, 2 of them stored before" in again.stderr
    shown = call("results", "show", "--algos=Comb,Comb", "--budget=9,9", store=store)
    assert shown.stderr.count("listed more than once, and used once") == 2


@pytest.mark.slow
def test_a_run_is_exported(small: Result, store: Path, tmp_path: Path) -> None:
    assert small.exit_code == 0
    file = tmp_path / "run.csv"
    assert call("results", "export", "2", "-o", str(file), store=store).stdout == ""
    assert file.read_text() == call("results", "export", "2", store=store).stdout
    assert len(file.read_text().splitlines()) == 4
    assert strict(call("results", "export", "2", "--format=json", store=store).stdout)
    failed = call("results", "export", "2", "-o", str(tmp_path / "no" / "f.csv"), store=store)
    assert failed.exit_code == 2
    assert "f.csv: No such file or directory" in failed.stderr


def test_a_missing_run_is_reported_with_the_last_one(small: Result, store: Path) -> None:
    assert small.exit_code == 0
    result = call("results", "show", "999", store=store)
    assert result.exit_code == 3
    assert "has no run 999; the last is" in result.stderr


# ---- Reruns --------------------------------------------------------------------------------------


def key_of(store: Path, algorithm: str) -> str:
    with Store(store) as opened:
        outcomes = [outcome for outcome, _ in opened.outcomes(run=1)]
    return next(o.key for o in outcomes if o.algorithm == algorithm and o.key)


@pytest.mark.slow
def test_a_rerun_is_shown_with_the_stored_result(mixed: Result, store: Path) -> None:
    assert mixed.exit_code == 1
    key = key_of(store, "Comb")
    for how in ([], ["--in-process"]):
        result = call("rerun", key[:12], *how, store=store)
        assert result.exit_code == 0
        assert result.stderr == ""
        assert result.stdout.startswith(f"cell {key}\nComb on ")
        rows = [line.split() for line in result.stdout.splitlines()[4:]]
        assert ["status", "ok", "ok"] in rows
        (size,) = (row[1:] for row in rows if row[0] == "size")
        assert size[0] == size[1]


@pytest.mark.slow
def test_a_rerun_of_a_failure_shows_the_traceback(mixed: Result, store: Path) -> None:
    assert mixed.exit_code == 1
    key = key_of(store, "Fail")
    for how in ([], ["--in-process"]):
        result = call("rerun", key[:12], *how, store=store)
        assert result.exit_code == 1
        assert "Traceback (most recent call last):" in result.stdout
        assert 'raise ValueError("it\\nhurts")' in result.stdout
    crash = call("rerun", key_of(store, "Fail[how=crash]"), store=store)
    assert "crash: exited with code 7" in crash.stdout


@pytest.mark.slow
def test_pdb_stops_where_the_error_was_raised(mixed: Result, store: Path) -> None:
    assert mixed.exit_code == 1
    args = ["rerun", key_of(store, "Fail"), "--in-process", "--pdb", "--plugin", TOYS]
    done = subprocess.run(
        [sys.executable, "-m", "hcbench", *args],
        env={**os.environ, "HCBENCH_STORE": str(store)},
        input="p how\nq\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "toys.py(" in done.stdout.partition("Traceback")[2]
    assert "(Pdb) 'raise'" in done.stdout


def test_pdb_needs_this_process(store: Path) -> None:
    alone = call("rerun", "abc", "--pdb", store=store)
    assert alone.exit_code == 2
    assert alone.stderr == "hcbench: error: --pdb needs --in-process (see hcbench rerun --help)\n"


@pytest.mark.slow
def test_a_rerun_says_that_the_plugin_has_changed(tmp_path: Path) -> None:
    store, file = tmp_path / "s.sqlite", tmp_path / "changing.py"
    file.write_text(Path(TOYS).read_text())
    runner = CliRunner(env={"HCBENCH_STORE": str(store)})
    args = ["--plugin", str(file)]
    assert runner.invoke(main, ["compare", *SMALL, *args]).exit_code == 0
    file.write_text(file.read_text() + "\nANOTHER = None\n")
    result = runner.invoke(main, ["rerun", key_of(store, "Comb"), *args])
    assert result.exit_code == 0
    assert result.stderr.count("changing:file is 0+") == 3
    gone = runner.invoke(main, ["rerun", key_of(store, "Comb")])
    assert gone.exit_code == 2
    assert "no algorithm is called 'changing:Comb'" in gone.stderr
    assert "for a plugin in a file, give --plugin FILE" in gone.stderr


@pytest.mark.slow
def test_a_rerun_says_that_a_package_has_changed(
    small: Result, store: Path, tmp_path: Path
) -> None:
    assert small.exit_code == 0
    key = key_of(store, "Comb")
    older = tmp_path / "older.sqlite"
    with closing(sqlite3.connect(store)) as original, closing(sqlite3.connect(older)) as copy:
        original.backup(copy)
    with closing(sqlite3.connect(older)) as connection, connection:
        (text,) = connection.execute("SELECT cell FROM cells WHERE key = ?", [key]).fetchone()
        description = json.loads(text)
        description["algorithm"]["editions"]["hcbench core"] = "edition 0"
        changed = [json.dumps(description), key]
        connection.execute("UPDATE cells SET cell = ? WHERE key = ?", changed)
    result = call("rerun", key, store=older)
    assert result.exit_code == 0
    assert "Comb: hcbench core is edition 1" in result.stderr
    assert " now; stored with edition 0" in result.stderr


def test_a_missing_cell_ends_with_3(small: Result, store: Path) -> None:
    assert small.exit_code == 0
    result = call("rerun", "zzz", store=store)
    assert result.exit_code == 3
    assert "has no cell 'zzz'; the keys of failures are in `hcbench results show`" in result.stderr


# ---- Claims --------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_a_suite_with_claims_ends_with_verdicts(tmp_path: Path) -> None:
    file = tmp_path / "claims.toml"
    file.write_text(
        'algorithms = ["Comb"]\ndatasets = ["line"]\nmetrics = ["nodes"]\nrepetitions = 2\n'
        '[[claims]]\nclaim = "A comb of 8 has 15 nodes"\nalgorithm = "Comb"\ndataset = "line"\n'
        'metric = "nodes"\npaper = "15"\nevery_repetition = true\n'
        '[[claims]]\nclaim = "It has 14"\nalgorithm = "Comb"\ndataset = "line"\n'
        'metric = "nodes"\npaper = "14"\nevery_repetition = true\n'
    )
    store = tmp_path / "s.sqlite"
    shown = call("run", str(file), store=store)
    assert shown.exit_code == 0
    again = call("results", "show", store=store)
    assert again.stdout == shown.stdout  # with its verdicts, although the suite is not registered
    assert re.search(
        r"^A comb of 8 has 15 nodes +15 in every repetition +15 +reproduced", shown.stdout, re.M
    )
    assert re.search(r"^It has 14¹? +14 in every repetition +15 +differs", shown.stdout, re.M)
    found = strict(call("run", str(file), "--format=json", store=store).stdout)
    assert [row["verdict"] for row in found["verdicts"]] == ["reproduced", "differs"]
    for row in found["verdicts"]:
        assert {"claim", "paper", "measured", "standard_error", "verdict", "note"} <= set(row)


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_a_comparison_without_cells_is_reported_with_reasons(tmp_path: Path) -> None:
    args = ["compare", "--algos=Knowing", "--datasets=bare", "--metrics=nodes", "-r1"]
    result = call(*args, store=tmp_path / "s.sqlite")
    assert result.exit_code == 1
    assert "skipped: Knowing needs truth, which bare does not provide" in result.stdout
    assert "hcbench: 1 cell: 1 skipped\n" in result.stderr
    assert "nothing ran; hcbench info NAME shows what an algorithm accepts" in result.stderr


def test_a_password_is_not_stored_with_the_command() -> None:
    for url in (
        "postgresql://me:{}@host/db",
        "postgresql://me:{}@host:no-port/db",  # malformed
        "postgresql://host/db?user=me&password={}",
        "--store=postgresql://me:{}@host/db",
    ):
        for password in ("secret", "se cret", "se:cr/et", "se@cret"):
            assert hide_passwords(url.format(password)) == url.format("***")
