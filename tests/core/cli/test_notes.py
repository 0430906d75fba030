"""JSON, CSV and Python have the notes that a terminal shows."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from hcbench.analysis.notes import Note, file_of_notes, write_notes
from hcbench.analysis.tables import Block, TableEntry, notes_of_block
from hcbench.cli import main
from hcbench.cli.runs import read_run
from hcbench.results.results import Results
from hcbench.store import Store

TOYS = str(Path(__file__).parents[2] / "plugins_for_tests" / "toys.py")
SUITE = """
algorithms = ["Comb", "Knowing", "Fail"]
datasets = ["line"]
metrics = ["nodes"]
repetitions = 2

[[claims]]
claim = "few nodes"
algorithm = "Comb"
dataset = "line"
metric = "nodes"
paper = "3"

[[claims]]
claim = "of another"
algorithm = "Comb"
dataset = "iris"
metric = "nodes"
paper = "3"
"""
#: Commands that write JSON or CSV and show no notes: their output is not about results, or each
#: row has its reasons in all forms.
WITHOUT_NOTES = {
    "list", "info", "plugins", "check", "results list", "results merge", "results stability",
    "datasets list", "ask", "tree", "clusters", "verify",
}  # fmt: skip
#: Of plugins, whose own tests compare their forms.
ELSEWHERE = {"recommend", "regress"}
#: Lines below tables that say how a table is to be read, and no more.
READING = re.compile(r"^(1 repetition$|mean ± |times: median|↑ more is better)")


def commands_with_json(group: click.Command, path: str = "") -> Iterator[str]:
    """The names of all commands with JSON among their formats."""
    for parameter in group.params:
        choices = getattr(parameter.type, "choices", ())
        if "json" in choices and path:
            yield path
    if isinstance(group, click.Group):
        context = click.Context(group)
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None
            yield from commands_with_json(command, f"{path} {name}".strip())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store of two runs, and files of trees."""
    made = tmp_path_factory.mktemp("notes")
    (made / "suite.toml").write_text(SUITE)
    (made / "one.nwk").write_text("((a,b),(c,d));")
    (made / "two.nwk").write_text("((a,c),(b,d));")
    (made / "names.csv").write_text("name,kind\na,x\nb,x\nc,y\nd,y\n")
    for seed in ("0", "1"):
        call(made, "run", str(made / "suite.toml"), "-j1", "--seed", seed, "--plugin", TOYS)
    call(made, "results", "note", "1", "measured on a train")
    return made


def call(folder: Path, *arguments: str) -> Result:
    env = {"HCBENCH_STORE": str(folder / "s.sqlite"), "COLUMNS": "200", "HCBENCH_DEBUG": ""}
    return CliRunner(env=env).invoke(main, list(arguments))


#: The commands whose forms are compared, with their arguments.
NOTED = {
    "compare": ["compare", "--algos=Comb,Fail", "--datasets=line", "-r2", "-j1", "--plugin", TOYS],
    "compare, not run": [
        *("compare", "--algos=Comb,Knowing", "--datasets=line,bare", "--dry-run"),
        *("--plugin", TOYS),
    ],
    "run": ["run", "suite.toml", "-j1", "--plugin", TOYS],
    "results show": ["results", "show", "1"],
    "results diff": ["results", "diff", "1", "2"],
    "results rescore": ["results", "rescore", "1", "--metrics=size", "-j1", "--plugin", TOYS],
    "score": ["score", "one.nwk", "two.nwk", "--truth=one.nwk", "--labels=names.csv"],
}


def test_every_command_with_json_is_compared_or_has_a_reason_not_to_be() -> None:
    commands = set(commands_with_json(main)) - {"results export"}
    compared = {name.partition(",")[0] for name in NOTED}
    assert commands <= compared | WITHOUT_NOTES | ELSEWHERE, "a command with JSON is not compared"


def in_folder(folder: Path, arguments: list[str]) -> list[str]:
    files = {"suite.toml", "one.nwk", "two.nwk", "names.csv"}
    placed = []
    for argument in arguments:
        option, equals, value = argument.rpartition("=")
        placed.append(f"{option}{equals}{folder / value}" if value in files else argument)
    return placed


def spaced(text: str) -> str:
    """A text on one line, without the marks of footnotes."""
    return " ".join(text.split())


def notes_on_terminal(text: str) -> list[str]:
    """The footnotes and the lines below the tables."""
    found = []
    for line in text.splitlines():
        if re.match(r"[⁰¹²³⁴⁵⁶⁷⁸⁹]+ ", line):
            found.append(line.partition(" ")[2])
        elif re.match(r"(averages are|no test|.* cells were timed|.* judged by intervals)", line):
            found.append(line)
    return found


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("name", NOTED)
def test_json_has_the_notes_of_the_terminal(name: str, folder: Path) -> None:
    arguments = in_folder(folder, NOTED[name])
    table = call(folder, *arguments, "--format=table")
    written = call(folder, *arguments, "--format=json")
    notes = json.loads(written.stdout)["notes"]
    assert notes, "nothing is compared"
    shown = spaced(table.stdout)
    for note in notes:
        assert note.keys() == {"kind", "text", "table", "rows", "columns"}
        # Whether a machine is busy, and how long cells took, depends on the moment.
        if note["kind"] not in ("busy", "time"):
            assert spaced(note["text"]) in shown
    texts = [note["text"] for note in notes]
    for line in notes_on_terminal(table.stdout):
        if "busy machine" not in line:
            assert any(text.startswith(line[:60]) for text in texts), line


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_csv_is_a_plain_table_with_its_notes_beside_it(folder: Path) -> None:
    target = folder / "run.csv"
    call(folder, "results", "export", "1", "-o", str(target))
    rows = list(csv.DictReader(io.StringIO(target.read_text())))
    assert {row["algorithm"] for row in rows} == {"Comb", "Knowing", "Fail"}
    of_json = json.loads(call(folder, "results", "show", "1", "--format=json").stdout)["notes"]
    assert json.loads((folder / "run.notes.json").read_text()) == of_json
    shown = call(folder, "results", "show", "1", "--format=csv")
    assert len(list(csv.DictReader(io.StringIO(shown.stdout)))) == len(rows)
    for note in of_json:
        if note["kind"] not in ("rank", "claim"):
            assert spaced(note["text"]) in spaced(shown.stderr)


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_python_has_the_notes(folder: Path) -> None:
    with Store(folder / "s.sqlite") as store:
        results = read_run(store, store.run("1"))
    kinds = {note.kind for note in results.notes}
    assert {"failure", "failures", "claim", "annotation"} <= kinds
    for frame in (results.to_frame(), results.table):
        assert [note["text"] for note in frame.attrs["notes"]] == [n.text for n in results.notes]
    (failure,) = (note for note in results.notes if note.kind == "failure")
    assert (failure.table, failure.rows, failure.columns) == ("line", ("Fail",), ())
    assert failure.text == "error: ValueError: it hurts"


def test_a_footnote_tells_its_rows_and_columns() -> None:
    block = Block(
        "iris",
        ("algorithm", "AARI ↑", "queries ↓"),
        (False, True, True),
        (
            (TableEntry("A", marks=(1,)), TableEntry("-", marks=(2,)), TableEntry("1")),
            (TableEntry("B"), TableEntry("-", marks=(2,)), TableEntry("-", marks=(2,))),
        ),
        ("a reference", "no truth"),
        note_kinds=("reference", "missing"),
    )
    assert notes_of_block(block, "missing") == [
        Note(kind="reference", text="a reference", table="iris", rows=("A",)),
        Note(
            kind="missing",
            text="no truth",
            table="iris",
            rows=("A", "B"),
            columns=("AARI", "queries"),
        ),
    ]


def test_a_file_of_notes_is_written_if_there_are_any_and_emptied_if_there_are_none(
    tmp_path: Path,
) -> None:
    table = tmp_path / "run.csv"
    write_notes([], table)
    assert not file_of_notes(table).exists()
    write_notes([Note(kind="busy", text="too long")], table)
    (note,) = json.loads((tmp_path / "run.notes.json").read_text())
    assert note["text"] == "too long"
    write_notes([], table)
    assert json.loads((tmp_path / "run.notes.json").read_text()) == []


def test_results_without_anything_to_say_have_no_notes() -> None:
    empty: Any = Results([], ())
    assert empty.notes == ()
