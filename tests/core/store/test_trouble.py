"""Runs with problems of the store: a full disk, another run, a clock that is set back."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import event, text

import hcbench
from hcbench.cli import main
from hcbench.model.cost import Cost
from hcbench.run.record import Observer
from hcbench.store import Store
from tests.core.store.test_store import as_ordinary_user, begin, make_outcome, row_of, save

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
PLUGIN = ROOT / "tests" / "misbehaving.py"
COMPARE = [
    *("compare", "--plugin", str(PLUGIN), "--algos", "draws,good", "--datasets", "numbers"),
    *("--metrics", "leaves,depth", "-j", "1"),
]


def start(*arguments: object, limit: int = -1) -> subprocess.Popen[str]:
    """Start the command line in a process with a maximum size of its files."""
    source = (
        "import resource, sys; limit = int(sys.argv[1])\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)) if limit > 0 else None\n"
        "from hcbench.cli import main; main(sys.argv[2:])"
    )
    return subprocess.Popen(
        [sys.executable, "-c", source, str(limit), *map(str, arguments)],
        cwd=ROOT,
        # Python would leave bytecode that the limit cuts off.
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_disk_that_is_full_in_the_middle_ends_the_run_and_keeps_what_was_done(
    tmp_path: Path,
) -> None:
    command = [*COMPARE, "-r", "60", "--store", tmp_path / "store"]
    full = start(*command, "-q", limit=250_000)
    out, err = full.communicate(timeout=120)
    assert full.returncode == 3
    assert out == ""
    assert err.count("\n") == 1
    assert "full; make room or give another place with --store" in err
    with Store(tmp_path / "store") as store:
        kept = len(store.outcomes())
    assert 0 < kept < 120
    again = CliRunner().invoke(main, list(map(str, command)))
    assert f"{kept} of them stored before" in again.stderr
    with Store(tmp_path / "store") as store:
        assert Counter(o.key for o, _ in store.outcomes()).most_common(1)[0][1] == 1
        assert len(store.outcomes()) == 120


def run_twice_at_once(store: Path | str, *, repetitions: int) -> None:
    """Run a suite here, and in another process from when the first cell is stored here."""

    class Other(Observer):
        run: subprocess.Popen[str] | None = None

        def finished(self, *_: object) -> None:
            if self.run is None:
                self.run = start(*COMPARE, "-r", repetitions, "--store", store)
                while self.run.poll() is None and count() < 5:
                    time.sleep(0.1)

    def count() -> int:
        with Store(store) as opened:
            return len(opened.outcomes())

    other = Other()
    hcbench.compare(
        *(["draws", "good"], ["numbers"]),
        metrics=["leaves", "depth"],
        plugins=[PLUGIN],
        repetitions=repetitions,
        n_jobs=1,
        store=store,
        observer=other,
    )
    assert other.run is not None
    out, err = other.run.communicate(timeout=120)
    assert other.run.returncode == 0, err
    assert "20.000" in out


def test_two_runs_of_one_suite_at_once_both_finish_and_keep_each_cell_once(tmp_path: Path) -> None:
    run_twice_at_once(tmp_path / "store", repetitions=20)
    with Store(tmp_path / "store") as store:
        assert [run.cells for run in store.runs()] == [40, 40]
        assert all(run.finished for run in store.runs())
        with store.database.reading() as connection:
            (count,) = connection.exec_driver_sql("SELECT count(*) FROM cells").one()
        assert count == 40


def test_a_clock_that_jumps_back_does_not_make_the_old_new(tmp_path: Path) -> None:
    def set_back(year: int) -> None:
        with store.database.writing() as connection:
            stamp = f"{year}-01-01T00:00:00.000000+00:00"
            last = "(SELECT max(id) FROM {})"
            for table, column in (("cells", "created"), ("runs", "started")):
                change = f"UPDATE {table} SET {column} = '{stamp}' WHERE id = {last.format(table)}"
                connection.exec_driver_sql(change)

    with Store(tmp_path / "store") as store:
        for seconds, year in ((1.0, 2060), (2.0, 2050), (3.0, 2040)):
            save(store, begin(store), [make_outcome(0, cost=Cost(seconds=seconds))], fresh=True)
            set_back(year)
        save(store, begin(store), [make_outcome(1)])
        set_back(2030)
        assert store.cell(make_outcome(0).key)[0].cost.seconds == 3.0
        assert [o.cost.seconds for o, _ in store.outcomes()] == [3.0, 0.25]
        assert [o.repetition for o, _ in store.outcomes(limit=1)] == [1]
        assert store.run(3).id == store.runs()[2].id
        assert row_of(store, make_outcome(0)) == 3


def test_a_run_in_a_folder_that_cannot_be_written_is_one_line(open_folder: Path) -> None:
    open_folder.chmod(0o555)

    def refused() -> str:
        from hcbench.errors import StoreError

        try:
            with Store(open_folder / "store") as store:
                begin(store)
        except StoreError as error:
            return str(error)
        return "written"

    answer = as_ordinary_user(refused)
    open_folder.chmod(0o755)
    assert "\n" not in answer
    assert str(open_folder) in answer
    assert "give another place with --store" in answer


def test_an_interrupted_statement_leaves_no_lock(tmp_path: Path) -> None:
    """The interrupted connection is closed, despite unfetched rows, so it holds no lock."""
    with Store(tmp_path / "store.sqlite") as store:
        run = begin(store)
        store.database.outside_transactions(["PRAGMA busy_timeout = 200"])  # ms

        def interrupt(_connection: Any, _cursor: Any, statement: str, *_: object) -> None:
            if "interrupted here" in statement:
                raise KeyboardInterrupt

        event.listen(store.database.engine, "after_cursor_execute", interrupt)

        def write_half() -> None:
            with store.database.writing() as connection:
                connection.execute(text("UPDATE runs SET command = 'half'"))
                connection.execute(text("SELECT * FROM runs -- interrupted here"))

        with pytest.raises(KeyboardInterrupt) as kept:  # keeps the frames while it is handled
            write_half()
        store.finish_run(run, interrupted=True)
        del kept
        (found,) = store.runs()
    assert found.interrupted
    assert found.command != "half"


def test_a_transaction_that_an_interruption_has_left_open_stops_nothing(tmp_path: Path) -> None:
    """A signal on the way into or out of a generator raises where the generator is not told."""
    with Store(tmp_path / "store.sqlite") as store:
        run = begin(store)
        interrupted = store.database.writing()
        connection = interrupted.__enter__()
        connection.execute(text("UPDATE runs SET command = 'half'"))
        store.finish_run(run, interrupted=True)
        # It is collected while another transaction writes, which it does not undo.
        with store.database.writing() as connection:
            connection.execute(text("UPDATE runs SET suite = 'whole'"))
            del interrupted
            gc.collect()
        (info,) = store.runs()
    assert (info.interrupted, info.suite) == (True, "whole")
    assert info.command != "half"


def test_transactions_are_not_nested(tmp_path: Path) -> None:
    with Store(tmp_path / "store.sqlite") as store:
        begin(store)

        def nest() -> None:
            with store.database.writing() as connection:
                connection.execute(text("UPDATE runs SET command = 'half'"))
                with store.database.reading():
                    pass

        with pytest.raises(AssertionError, match="not nested"):
            nest()
        (info,) = store.runs()
    assert info.command != "half"
