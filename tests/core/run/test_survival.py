"""Killed processes: repeating the command completes the run."""

from __future__ import annotations

import os
import pty
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from click.testing import CliRunner, Result

from hcbench.cli import main
from hcbench.store import Store

pytestmark = pytest.mark.slow

TOYS = Path(__file__).parents[2] / "plugins_for_tests" / "toys.py"
CELLS = 240
COMMAND = [
    *(sys.executable, "-m", "hcbench", "compare", "--plugin", str(TOYS), "--jobs=2"),
    *("--algos=Comb,Comb[start=1]", "--datasets=line,line[n=9]", "--metrics=nodes,size", "-r60"),
]
EARLY = 20  # cells that are stored when something is killed


def environment(store: Path) -> dict[str, str]:
    return {**os.environ, "HCBENCH_STORE": str(store), "TERM": "xterm"}


def ask(store: Path, question: str) -> list[Any]:
    """The answer of the database; empty if it does not exist yet."""
    try:
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as connection:
            return connection.execute(question).fetchall()
    except sqlite3.OperationalError:
        return []
    finally:
        if "connection" in locals():
            connection.close()


def count(store: Path) -> int:
    return sum(number for (number,) in ask(store, "SELECT count(*) FROM cells"))


def numbers(store: Path) -> list[tuple[Any, ...]]:
    """Status and values of the last version of every cell; duplicates would show."""
    with Store(store) as opened:
        return sorted(
            (
                *(o.key, o.algorithm, o.dataset, o.repetition, o.status, o.data_digest),
                *((label, value.value) for label, value in sorted(point.values.items())),
            )
            for o, _ in opened.outcomes()
            for point in o.points
        )


def start(store: Path, *, screen: int | None = None, **options: Any) -> subprocess.Popen[str]:
    """Start the command, and wait until some cells are stored and many remain."""
    running = subprocess.Popen(COMMAND, env=environment(store), text=True, **options)
    wait_for(store, EARLY, running, screen)
    return running


def wait_for(
    store: Path, cells: int, running: subprocess.Popen[str], screen: int | None = None
) -> None:
    """Wait until this number of cells is stored."""
    until = time.monotonic() + 60
    while count(store) < cells:
        assert time.monotonic() < until
        assert running.poll() is None, "it ended too early"
        time.sleep(0.002)
        if screen is not None:  # a full pipe would stop it
            with suppress(BlockingIOError):
                os.read(screen, 1 << 16)


@contextmanager
def terminal() -> Iterator[tuple[int, int]]:
    """A pseudo-terminal: our side, which is non-blocking, and the other one."""
    ours, theirs = pty.openpty()
    os.set_blocking(ours, False)
    try:
        yield ours, theirs
    finally:
        for side in (ours, theirs):
            with suppress(OSError):
                os.close(side)


def again(store: Path) -> Result:
    """Run the same command in this process; another one was killed."""
    return CliRunner(env={"HCBENCH_STORE": str(store)}).invoke(main, COMMAND[3:])


def family(pid: int) -> tuple[psutil.Process, list[psutil.Process]]:
    """The fork server of a main process, and its workers."""
    (server,) = psutil.Process(pid).children()
    return server, server.children()


def all_gone(processes: list[psutil.Process]) -> bool:
    _, alive = psutil.wait_procs(processes, timeout=10)
    return not alive


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Any, ...]]:
    """The results of an undisturbed run."""
    store = tmp_path_factory.mktemp("undisturbed") / "store.sqlite"
    assert again(store).exit_code == 0
    found = numbers(store)
    assert len(found) == CELLS
    return found


@pytest.fixture
def store(tmp_path: Path, undisturbed: list[tuple[Any, ...]]) -> Iterator[Path]:
    """A store that must be complete after the same command has run again."""
    path = tmp_path / "store.sqlite"
    yield path
    survived = count(path)
    with Store(path) as opened:  # a metric whose worker was killed is computed again
        usable = sum(
            {o.status, *(v.status for p in o.points for v in p.values.values())} == {"ok"}
            for o, _ in opened.outcomes()
        )
    resumed = again(path)
    assert f"{CELLS} cells, {usable} of them stored already" in resumed.stderr
    assert resumed.exit_code == 0, resumed.stderr
    assert numbers(path) == undisturbed, f"after {survived} had survived"
    last = ask(path, "SELECT max(id) FROM runs")[0][0]
    of_last = f"SELECT count(*), count(DISTINCT cell) FROM run_cells WHERE run = {last}"
    assert ask(path, of_last) == [(CELLS, CELLS)]
    twice = "SELECT key FROM cells WHERE status = 'ok' GROUP BY key HAVING count(*) > 1"
    assert ask(path, twice) == []
    assert ask(path, "PRAGMA integrity_check") == [("ok",)]


def test_the_main_process_is_killed(store: Path) -> None:
    running = start(store, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    server, workers = family(running.pid)
    running.kill()
    running.wait()
    assert all_gone([server, *workers]), "they end by themselves"
    assert EARLY <= count(store) < CELLS


def test_a_worker_is_killed_and_then_the_fork_server(store: Path) -> None:
    running = start(store, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    server, workers = family(running.pid)
    workers[0].kill()
    assert all_gone(workers[:1])
    wait_for(store, count(store) + EARLY, running)
    server.kill()
    _, errors = running.communicate(timeout=60)
    assert all_gone(workers)
    assert count(store) == CELLS, "neither stops the run"
    killed = ask(store, "SELECT phase, reason FROM cells WHERE status <> 'ok'")
    # At most the cell of the worker; no cell if it was between two of them, or in the metrics of
    # one whose tree had been sent.
    reason = "killed by signal 9 (possibly out of memory)"
    assert killed in ([], [("outside", reason)], [("outside", f"{reason} in a metric")])
    with Store(store) as opened:
        values = [v for o, _ in opened.outcomes() for p in o.points for v in p.values.values()]
    # Nothing has failed if the worker had sent the values of all metrics.
    assert running.returncode == bool(killed or any(v.status == "error" for v in values))
    assert "killed by signal 9" in errors or not running.returncode


def test_sigterm_ends_it_in_one_line(store: Path) -> None:
    running = start(store, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    server, workers = family(running.pid)
    running.terminate()
    out, errors = running.communicate(timeout=30)
    assert (running.returncode, out) == (143, "")
    last = "hcbench: interrupted; finished cells are stored, and the same command resumes"
    assert errors.splitlines()[-1] == last
    assert "Traceback" not in errors
    assert all_gone([server, *workers])
    assert EARLY <= count(store) < CELLS
    assert ask(store, "SELECT status FROM cells WHERE status <> 'ok'") == []
    assert ask(store, "SELECT interrupted FROM runs") == [(1,)]


def test_a_signal_to_all_processes_ends_the_run(store: Path) -> None:
    running = start(store, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    server, workers = family(running.pid)
    for each in (*workers, server):
        each.send_signal(signal.SIGTERM)
    running.send_signal(signal.SIGTERM)
    running.communicate(timeout=30)
    assert running.returncode == 143
    assert all_gone([server, *workers])
    failed = ask(store, "SELECT phase FROM cells WHERE status <> 'ok'")
    assert set(failed) <= {("outside",)}, "the algorithm is not to blame: it runs again"


def test_the_terminal_is_closed(store: Path) -> None:
    with terminal() as (ours, theirs):
        shown = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
        running = start(store, screen=ours, preexec_fn=_own_terminal, **shown)
        server, workers = family(running.pid)
    # Now it is closed, and the kernel has sent SIGHUP.
    assert running.wait(timeout=30) == 129
    assert all_gone([server, *workers])
    assert ask(store, "SELECT interrupted FROM runs") == [(1,)]


def _own_terminal() -> None:
    """Make stdin the controlling terminal of a new session."""
    import fcntl
    import termios

    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def test_a_closed_terminal_without_a_signal_stops_nothing(tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite"
    with terminal() as (ours, theirs):
        running = start(store, screen=ours, stdout=subprocess.DEVNULL, stderr=theirs)
    # It is not its controlling terminal: no signal, but nothing can be drawn any more.
    code = running.wait(timeout=60)
    assert (code, count(store)) == (0, CELLS)


def test_durations_are_never_differences_of_the_wall_clock() -> None:
    """A clock that is set back must not make a cell late or its seconds negative."""
    core = Path(__file__).parents[3] / "core" / "hcbench"
    reading = [path.name for path in core.rglob("*.py") if "time.time(" in path.read_text()]
    # The cache of kernels compares it with the times of files, which are times of day, too.
    assert reading == ["kernel_cache.py"]
