"""Runs as users manage them: named, annotated, filtered, removed, and damaged."""

from __future__ import annotations

import json
import sqlite3
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import delete, select, update

from hcbench import load_registry
from hcbench.cli import main
from hcbench.cli.runs import read_run
from hcbench.errors import DamagedRunError, ExitCode, StoreError
from hcbench.model.cost import Cost
from hcbench.pages.site import build_site
from hcbench.plan.outcome import Outcome, ScoredPoint, Value
from hcbench.plan.presentation import Presentation
from hcbench.registry.suite import Suite
from hcbench.run.environment import describe_machine
from hcbench.store import Store
from hcbench.store.exchange import describe_run, import_run
from hcbench.store.merge import merge_stores
from hcbench.store.schema import cells, metric_values, points, runs, summaries
from hcbench.store.tidying import Removed, annotate_run, name_run, remove_run, tidy
from tests.core.servers import can_serve
from tests.core.stored_runs import METRICS, keep_run, outcome
from tests.inline import cells_in_this_process

VALUES = {"AARI": 0.5}
needs_server = [
    pytest.mark.slow,
    pytest.mark.skipif(not can_serve(), reason="no PostgreSQL server is installed"),
]


@pytest.fixture(
    params=["sqlite", pytest.param("postgresql", marks=[*needs_server, pytest.mark.slow])]
)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    if request.param == "sqlite":
        with Store(tmp_path / "s.sqlite") as opened:
            yield opened
    else:
        with Store(request.getfixturevalue("server").new()) as opened:
            yield opened


def three_runs(store: Store) -> None:
    """Run 2 reuses a cell of run 1; run 3 is of another suite."""
    keep_run(store, [outcome(name, "iris", values=VALUES) for name in ("UPGMA", "4-AL")])
    second = keep_run(store, [outcome("Ward", "iris", values=VALUES)])
    shared = store.find([outcome("UPGMA", "iris", values=VALUES).key])
    store.link(second, shared.column("row").tolist())
    keep_run(store, [outcome("Ward", "wine", values=VALUES)], suite=Suite(name="other"))


def labels(store: Store, run: int | str) -> set[str]:
    info = store.run(run)
    return {found.algorithm for found, _ in store.outcomes(run=info.id)}


def call(*args: str, store: Path, typed: str = "", command: Sequence[str] = ("results",)) -> Result:
    env = {"HCBENCH_STORE": str(store), "COLUMNS": "100", "HCBENCH_DEBUG": ""}
    return CliRunner(env=env).invoke(main, [*command, *args], input=typed)


# ---- The store -----------------------------------------------------------------------------------


def large_run(store: Store) -> list[Outcome]:
    """A run with what is hard to store: missing values, NaN, checkpoints, notes and failures."""
    points = (ScoredPoint(checkpoint=5, queries=4, values={"AARI": Value(0.25)}), ScoredPoint())
    given = [
        outcome("UPGMA", "iris", values={"AARI": 0.5, "seconds": None}, notes=("é", "b")),
        outcome("UPGMA", "iris", 1, values={"AARI": float("nan"), "queries": 7.0}, budget=5),
        outcome("4-AL", "iris", points=points, budget="5USD", cost=Cost(seconds=0.5, queries=9)),
        outcome("4-AL", "wine", status="error", reason="ValueError: no"),
        outcome("Ward", "wine", key="", status="skipped", reason="needs vectors"),
    ]
    keep_run(store, given)
    return given


def shown(store: Store, run: int) -> list[str]:
    return [repr(found) for found, _ in store.outcomes(run=run)]


def packed(store: Store) -> list[int]:
    """The runs whose cells are stored in columns."""
    with store.database.reading() as connection:
        filled = select(summaries.c.run).where(summaries.c.packed.is_not(None))
        return [*connection.execute(filled).scalars()]


def test_a_large_run_is_shown_from_its_summary_as_from_its_rows(store: Store) -> None:
    large_run(store)
    from_rows, info = shown(store, 1), store.run(1)
    assert not packed(store)
    store.large_run = 1
    assert shown(store, 1) == from_rows  # which stores the columns
    assert packed(store) == [1]
    with store.database.writing() as connection:  # what is not read again is not missed
        connection.execute(delete(metric_values))
    assert shown(store, 1) == from_rows
    assert store.run(1) == info
    assert (info.cells, info.failed, info.reused) == (5, 1, 0)
    assert [found.algorithm for found, _ in store.outcomes(run=1, algorithm="ward")] == ["Ward"]


def test_a_large_run_is_stored_in_columns_when_it_ends(store: Store) -> None:
    store.large_run = 2
    n_cells = len(large_run(store))
    assert packed(store) == [1]
    other = keep_run(store, [])
    store.link(other, range(1, n_cells + 1))
    store.finish_run(other)
    assert packed(store) == [1]  # which has the cells of the other
    store.finish_run(1, interrupted=True)
    assert not packed(store)


KEYS = {metric.label: metric.key for metric in METRICS}


def forget_values(store: Store) -> None:
    """Delete all values, so that only columns still have them."""
    with store.database.writing() as connection:
        connection.execute(delete(metric_values))


def test_a_run_of_the_same_cells_is_shown_from_the_columns_of_the_other_run(store: Store) -> None:
    first = large_run(store)
    kept = keep_run(store, [])
    store.link(kept, range(1, len(first) + 1))
    store.finish_run(kept)
    from_rows = shown(store, kept)
    assert "reused=False" not in "".join(from_rows)
    store.large_run = 1
    shown(store, 1)
    forget_values(store)
    assert shown(store, kept) == from_rows
    assert packed(store) == [1]


def test_cells_are_found_in_columns_as_long_as_they_have_the_latest(store: Store) -> None:
    keys = [found.key for found in large_run(store) if found.key][::-1]
    from_rows = [*map(repr, store.find(keys, KEYS))]
    store.large_run = 1
    shown(store, 1)
    forget_values(store)
    assert [*map(repr, store.find(keys, KEYS))] == from_rows
    assert not any("AARI" in each for each in map(repr, store.find(keys, {**KEYS, "more": "d"})))
    again = keep_run(store, [outcome("4-AL", "wine", key=keys[0], values=VALUES)])
    found = store.find(keys, KEYS)
    assert found.column("run").tolist() == [again, 1, 1, 1]
    assert [o.status for o in found] == ["ok"] * 4


@pytest.mark.parametrize("change", ["values", "cells", "link", "merge", "tidy", "remove"])
def test_a_summary_goes_when_what_the_run_shows_may_change(change: str, store: Store) -> None:
    store.large_run = 2
    first, *_ = large_run(store)
    (row,) = store.find([first.key]).column("row").tolist()
    shown(store, 1)
    other = keep_run(store, [outcome("Ward", "iris", values=VALUES)])
    assert packed(store) == [1]
    if change == "values":
        store.save_values(other, row, [ScoredPoint(values={"AARI": Value(0.75)})], KEYS)
        assert "0.75" in shown(store, 1)[0]
    elif change == "cells":
        lost = ScoredPoint(values={"queries": Value(11.0)})
        store.save(other, [replace(first, points=(lost,))], KEYS)
        assert "11.0" in shown(store, 1)[0]
    elif change == "link":
        more = store.find([outcome("Ward", "iris", values=VALUES).key])
        store.link(1, more.column("row").tolist())
        assert (len(shown(store, 1)), store.run(1).cells) == (6, 6)
    elif change == "merge":
        with Store(":memory:") as source:
            keep_run(source, [outcome("Ward", "zoo", values=VALUES)])
            merge_stores(store, [source])
        assert not packed(store)
    elif change == "tidy":
        tidy(store)
        assert not packed(store)
    else:
        remove_run(store, store.run(1))
        assert not packed(store)


def test_a_damaged_or_missing_summary_is_made_again(store: Store) -> None:
    store.large_run = 1
    large_run(store)
    expected = shown(store, 1)
    with store.database.writing() as connection:
        stored = connection.execute(select(summaries.c.packed)).scalar_one()
        flipped = stored[:-3] + bytes([stored[-3] ^ 64]) + stored[-2:]
        connection.execute(update(summaries).values(packed=flipped))
    assert shown(store, 1) == expected
    with store.database.writing() as connection:
        connection.execute(delete(summaries))
    info = store.run(1)
    assert (info.cells, info.failed) == (5, 1)
    with Store(store.address, read_only=True) as reading:
        reading.large_run = 1
        assert shown(reading, 1) == expected
    with Store(store.address) as again:
        again.large_run = 1
        assert shown(again, 1) == expected
        assert packed(again) == [1]


def spoilt(what: str, header: Any, body: bytes) -> bytes:
    """Columns of a large run as a stranger may have written them."""
    column, point = header["columns"]["algorithm"], header["points"][0]
    changes: dict[str, Callable[[], object]] = {
        "no header": header.clear,
        "an array is used twice": lambda: column.update(codes="1"),
        "a column is missing": lambda: header["columns"].pop("seed"),
        "a code is out of range": lambda: column["objects"].clear(),
        "objects are of another type": lambda: column.update(objects=[[1], {}, 2.5]),
        "a note is no text": lambda: header["columns"]["notes"].update(objects=[[1], [2], [3]]),
        "a value is no value": lambda: point["values"]["AARI"]["special"].update(
            objects=[["x", 1, None, 3]] * 5
        ),
        "a checkpoint is no number": lambda: point.update(checkpoint="x"),
        "an array is long": lambda: header["arrays"][0].__setitem__(2, 10**30),
        "lengths differ": lambda: header["arrays"][0].__setitem__(2, 4),
    }
    changes[what]()
    head = json.dumps(header).encode()
    return struct.pack("<I", len(head)) + head + body


@pytest.mark.parametrize(
    "what",
    [
        "no header",
        "an array is used twice",
        "a column is missing",
        "a code is out of range",
        "objects are of another type",
        "a note is no text",
        "a value is no value",
        "a checkpoint is no number",
        "an array is long",
        "lengths differ",
    ],
)
def test_columns_that_a_stranger_has_written_are_made_again(what: str, tmp_path: Path) -> None:
    with Store(tmp_path / "s.sqlite") as store:
        store.large_run = 1
        large_run(store)
        expected = shown(store, 1)
        with store.database.writing() as connection:
            stored = connection.execute(select(summaries.c.packed)).scalar_one()
            (length,) = struct.unpack_from("<I", stored)
            written = spoilt(what, json.loads(stored[4 : 4 + length]), stored[4 + length :])
            row = {"packed": written, "checksum": zlib.crc32(written)}
            connection.execute(update(summaries).values(row))
        assert shown(store, 1) == expected


@pytest.mark.parametrize(
    ("table", "values"),
    [
        (cells, "repetition = 'x'"),
        (cells, "seconds = x'ff'"),
        (cells, "load = 'x'"),
        (cells, "budget = x'ff'"),
        (cells, "notes = '[1]'"),
        (cells, "id = 99"),  # its points lack their cell
        (points, "checkpoint = 2.5"),
        (points, "queries = x'ff'"),
        (metric_values, "value = 'x'"),
        (metric_values, "reason = x'ff'"),
    ],
)
def test_rows_of_other_types_are_told_in_one_line(table: Any, values: str, tmp_path: Path) -> None:
    """SQLite stores any type in any column."""
    path = tmp_path / "s.sqlite"
    with Store(path) as store:
        keep_run(store, [outcome("UPGMA", "iris", values=VALUES)])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"UPDATE {table.name} SET {values}")
    shows = call("show", store=path)
    assert (shows.exit_code, shows.stdout) == (ExitCode.SUITE, "")
    assert shows.stderr.count("\n") == 1
    assert "run 1 is damaged: a cell cannot be read" in shows.stderr
    exported = call("export", "--format", "json", store=path)
    assert "damaged" in exported.stderr


def test_removing_a_run_removes_data_that_no_other_run_uses(store: Store) -> None:
    three_runs(store)
    assert remove_run(store, store.run(1)) == Removed(cells=1, shared=1)
    assert [info.id for info in store.runs()] == [2, 3]
    assert labels(store, 2) == {"UPGMA", "Ward"}, "the shared cell stays, with its values"
    (shared,) = [o for o, _ in store.outcomes(run=2) if o.algorithm == "UPGMA"]
    assert shared.points[0].values["AARI"].value == 0.5
    assert {o.algorithm for o, _ in store.outcomes()} == {"UPGMA", "Ward"}
    with pytest.raises(StoreError, match="has no run 1; the last is 3"):
        store.run(1)
    (measured_by,) = {
        info.environment["commit"] for o, info in store.outcomes() if o.algorithm == "UPGMA"
    }
    assert measured_by == "f00", "what was measured there keeps its environment"


def test_removed_runs_are_deleted_with_the_last_run_that_uses_them(store: Store) -> None:
    three_runs(store)
    remove_run(store, store.run(1))
    assert remove_run(store, store.run(2)) == Removed(cells=2, shared=0)
    with store.database.reading() as connection:
        assert connection.execute(runs.select()).all()[0].id == 3
        assert len(connection.execute(cells.select()).all()) == 1


def test_tidying_keeps_a_removed_run_as_long_as_it_is_needed(store: Store) -> None:
    three_runs(store)
    remove_run(store, store.run(1))
    assert tidy(store).runs == 0
    assert labels(store, 2) == {"UPGMA", "Ward"}
    assert tidy(store, keep_runs=1).runs == 2
    assert [info.id for info in store.runs()] == [3]


def test_names_find_runs_and_are_unique(store: Store) -> None:
    three_runs(store)
    name_run(store, store.run(1), "Baseline")
    annotate_run(store, store.run(1), "Before the new\0kernel")
    info = store.run("baseline")
    assert (info.id, info.name, info.note) == (1, "Baseline", r"Before the new\0kernel")
    assert store.run("other").id == 3, "a suite is found as before"
    with pytest.raises(StoreError, match="run 1 is already called 'BASELINE'"):
        name_run(store, store.run(2), "BASELINE")
    with pytest.raises(StoreError, match="'12' is the number of a run"):
        name_run(store, store.run(2), "12")
    name_run(store, info, "")
    with pytest.raises(StoreError, match="no run called 'baseline'"):
        store.run("baseline")


def test_runs_are_filtered_by_suite_date_and_algorithm(store: Store) -> None:
    three_runs(store)

    def found(**filters: Any) -> list[int]:
        return [info.id for info in store.runs(**filters)]

    assert found(suites="comp*") == [1, 2]
    assert found(algorithms="upgma") == [1, 2], "reused cells count"
    assert found(algorithms=["4-AL", "ward"], suites="compare") == [1, 2]
    assert found(since=store.run(2).started) == [2, 3]
    assert found(since=store.run(3).started + timedelta(seconds=1)) == []


@pytest.mark.slow
def test_names_and_removed_runs_travel_with_merges_and_exports(
    store: Store, tmp_path: Path
) -> None:
    three_runs(store)
    name_run(store, store.run(2), "second")
    remove_run(store, store.run(1))
    with Store(tmp_path / "merged") as merged, Store(tmp_path / "imported") as imported:
        merge_stores(merged, [store])
        import_run(imported, describe_run(store, store.run(2)), "it")
        for other in (merged, imported):
            assert labels(other, "second") == {"UPGMA", "Ward"}
        assert [info.suite for info in merged.runs()] == ["compare", "other"]
        assert [info.suite for info in imported.runs()] == ["compare"]


def test_a_removed_run_comes_back_from_a_store_that_has_it(store: Store, tmp_path: Path) -> None:
    three_runs(store)
    with Store(tmp_path / "copy") as copy:
        merge_stores(copy, [store])
        remove_run(store, store.run(1))
        merge_stores(store, [copy])
    assert sorted(len(store.outcomes(run=info.id)) for info in store.runs()) == [1, 2, 2]


# ---- Damaged runs --------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "values"),
    [
        (runs, {"started": "yesterday"}),
        (runs, {"started": "2026-01-31"}),  # without a time zone
        (runs, {"finished": "soon"}),
        (runs, {"environment": "["}),
        (runs, {"layout": "[1]"}),
        (runs, {"layout": '{"suite": 3}'}),
        (cells, {"seed": "x"}),
        (cells, {"notes": "{"}),
        (cells, {"run": 99}),  # which is not there
    ],
)
def test_a_damaged_run_hides_no_other_and_can_be_removed(
    table: Any, values: dict[str, str], tmp_path: Path
) -> None:
    with Store(tmp_path / "s.sqlite") as store:
        three_runs(store)
        column = runs.c.id if table is runs else cells.c.run
        store.database.outside_transactions(["PRAGMA foreign_keys = OFF"])
        with store.database.writing() as connection:
            connection.execute(update(table).where(column == 3).values(**values))
        assert [info.id for info in store.runs()] == [1, 2, 3]
        assert store.run(2).id == 2
        with pytest.raises(DamagedRunError, match="is damaged: "):
            build_nothing_of(store, 3)
        told: list[str] = []
        build_site(tmp_path / "site", store, load_registry(), trees=0, announce=told.append)
        assert (tmp_path / "site/runs/2.html").is_file()
        assert any("run 3 is not shown: " in line for line in told)
        assert tidy(store, before=datetime.now().astimezone() - timedelta(days=1)).runs == 0
        keep_run(store, [outcome("Ward", "glass", values=VALUES)])
    listed = call(store=tmp_path / "s.sqlite")
    assert (listed.exit_code, len(listed.stdout.splitlines())) == (0, 5)
    removed = call("rm", "3", "--yes", store=tmp_path / "s.sqlite")
    assert removed.stderr == "hcbench: run 3 is removed with 1 cells\n"
    with Store(tmp_path / "s.sqlite") as store:
        assert [info.id for info in store.runs()] == [1, 2, 4]


def build_nothing_of(store: Store, run: int) -> None:
    from hcbench.pages.report import read_contents

    read_contents(store, store.run(run))


@pytest.mark.parametrize("wrong", [{"direction": "l/wer"}, {"interval": "[0, mnf)"}])
def test_a_damaged_metric_is_a_damaged_run(wrong: dict[str, str], store: Store) -> None:
    keep_run(store, [outcome("UPGMA", "iris", values=VALUES)])
    layout = Presentation.of_description(store.run(1).layout).describe()
    layout["metrics"][0] |= wrong
    with pytest.raises(DamagedRunError, match="the presentation of the run is damaged"):
        Presentation.of_description(layout)


@pytest.mark.parametrize("wrong", [{"started": "yesterday"}, {"finished": "2026-01-31"}])
def test_an_import_with_other_than_moments_is_refused(wrong: dict[str, str], store: Store) -> None:
    with Store(":memory:") as other:
        three_runs(other)
        described = describe_run(other, other.run(1))
    described["runs"][0] |= wrong
    with pytest.raises(StoreError, match=r"it is damaged: runs\.\w+ is no moment"):
        import_run(store, described, "it")
    assert store.runs() == []


@pytest.mark.parametrize("wrong", [{"repetition": -5}, {"queries": -1}, {"seconds": -0.5}])
def test_an_import_with_a_negative_number_is_refused(wrong: Any, store: Store) -> None:
    with Store(":memory:") as other:
        three_runs(other)
        described = describe_run(other, other.run(1))
    described["cells"][0] |= wrong
    with pytest.raises(StoreError, match=r"it is damaged: cells\.\w+ cannot be -"):
        import_run(store, described, "it")
    assert store.runs() == []


def test_a_store_with_a_damaged_run_can_be_merged_into(tmp_path: Path) -> None:
    with Store(tmp_path / "s.sqlite") as store, Store(tmp_path / "o.sqlite") as other:
        three_runs(store)
        keep_run(other, [outcome("A", "b", values=VALUES)])
        with store.database.writing() as connection:
            connection.execute(update(runs).where(runs.c.id == 1).values(layout="?"))
        merge_stores(store, [other])
        assert [info.id for info in store.runs()] == [1, 2, 3, 4]


# ---- The commands --------------------------------------------------------------------------------


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with Store(tmp_path / "s.sqlite") as store:
        three_runs(store)
    return tmp_path / "s.sqlite"


@pytest.mark.slow
def test_a_name_and_a_note_are_listed_and_shown(path: Path) -> None:
    assert call("name", "1", "baseline", store=path).output == ""
    assert call("note", "baseline", "before the new kernel", store=path).output == ""
    listed = call(store=path).stdout
    assert "name      command" in listed
    assert "baseline  hcbench compare" in listed
    assert "before the new kernel" in listed
    runs_ = json.loads(call("list", "--format", "json", store=path).stdout)
    assert [(run["name"], run["note"]) for run in runs_] == [
        ("baseline", "before the new kernel"),
        ("", ""),
        ("", ""),
    ]
    shown = call("show", "Baseline", store=path)
    assert "hcbench: run 1 (baseline) of " in shown.stderr
    assert "\nbefore the new kernel\n" in shown.stdout
    assert call("show", "other", store=path).stderr.startswith("hcbench: run 3 of ")


@pytest.mark.slow
def test_runs_are_listed_by_suite_date_and_algorithm(path: Path) -> None:
    def listed(*args: str) -> list[int]:
        done = call("list", *args, "--format", "json", store=path)
        return [run["id"] for run in json.loads(done.stdout)]

    assert listed("--suite", "other") == listed("--suites", "oth,nothing") == [3]
    assert listed("--algo", "4-AL") == [1]
    assert listed("--algos", "4-AL,Ward", "--since", "2020-01-31") == [1, 2, 3]
    assert listed("--since", "2999-01-01") == []
    assert "4-AL" not in call("--suite", "other", store=path).stdout
    assert "there are no such runs" in call("--suite", "nothing", store=path).stderr
    wrong = call("--suite", "other", "show", store=path)
    assert (wrong.exit_code, wrong.stderr.count("\n")) == (2, 1)
    assert "write the options after show" in wrong.stderr


@pytest.mark.slow
def test_removing_asks_first(path: Path) -> None:
    refused = call("rm", "1", store=path, typed="n\n")
    assert "Remove run 1: hcbench compare? [y/N]" in refused.stderr
    assert call("rm", "1", store=path).exit_code == 130  # without an answer
    with Store(path) as store:
        assert len(store.runs()) == 3
    done = call("rm", "1", store=path, typed="y\n")
    assert "run 1 is removed with 1 cells; 1 stay, as other runs show them" in done.stderr
    again = call("rm", "1", "--yes", store=path)
    assert (again.exit_code, again.stderr.count("\n")) == (3, 1)
    with closing(sqlite3.connect(path)) as raw:
        assert raw.execute("SELECT count(*) FROM cells").fetchone() == (3,)


def test_several_names_choose_cells_and_metrics(path: Path) -> None:
    shown = call("show", "1", "--algos", "UPG,upgma", "--metrics", "seconds", store=path)
    assert shown.exit_code == 0, shown.stderr
    assert "UPGMA" in shown.stdout
    assert "4-AL" not in shown.stdout
    assert METRICS[0].label not in shown.stdout
    unknown = call("show", "1", "--algos", "UPGMA,ward", "--datasets", "iris", store=path)
    assert unknown.exit_code == 3
    assert "has no such cells (algorithm ward); there are 4-AL, UPGMA\n" in unknown.stderr


def test_a_full_label_chooses_no_longer_one(store: Store) -> None:
    keep_run(store, [outcome(name, "iris") for name in ("UPGMA", "UPGMA[metric=cosine]", "Ward")])
    for wanted, chosen in {
        ("upgma",): ["UPGMA"],
        ("UPGM",): ["UPGMA", "UPGMA[metric=cosine]"],
        ("UPGMA*",): ["UPGMA", "UPGMA[metric=cosine]"],
        ("UPGMA", "war"): ["UPGMA", "Ward"],
    }.items():
        found = read_run(store, store.run(), algorithms=wanted)
        assert found.outcomes.column("algorithm").tolist() == chosen


@pytest.mark.slow
def test_a_run_that_mixes_blas_kernels_is_told(tmp_path: Path) -> None:
    path = tmp_path / "kernels.sqlite"
    compare = ["compare", "--algos=Random", "--datasets=iris", "--metrics=AARI", "--jobs=1"]
    kernels = sorted([str(describe_machine()["blas"]), "openblas Other"])
    warning = f"different BLAS kernels ({'; '.join(kernels)})"

    def move_runs(connection: Any) -> None:
        """Have all runs so far be of a machine with other kernels."""
        for number, text in connection.execute(select(runs.c.id, runs.c.environment)).all():
            environment = json.loads(text)
            environment["machine"]["blas"] = "openblas Other"
            changed = update(runs).where(runs.c.id == number)
            connection.execute(changed.values(environment=json.dumps(environment)))

    with cells_in_this_process():
        assert "BLAS" not in call(*compare, "-r1", store=path, command=()).output
        assert "BLAS" not in call(*compare, "-r2", store=path, command=()).output
        with Store(path) as store, store.database.writing() as connection:
            move_runs(connection)
        shown = call(*compare, "-r3", store=path, command=()).stdout
        assert warning in " ".join(shown.split())
        assert warning in " ".join(call("show", store=path).stdout.split())
        assert "BLAS" not in call("show", "2", store=path).output
        assert "BLAS" not in call(*compare, "-r3", "--fresh", store=path, command=()).output
