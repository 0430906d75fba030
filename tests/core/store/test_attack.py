"""The attack on stored results: ``pytest -m survival -n0``, nightly; see `tests.attacks`.

An area is tried many times. Each time, what was stored before must still be there, unchanged and
once, and the same command must complete the run. `ATTACK_SHARE=0.1` tries a tenth as often.
"""

from __future__ import annotations

import json
import math
import os
import random
import signal
import subprocess
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

import hcbench
from hcbench import HcbenchError, Partition, Tree
from hcbench.pages.report import make_report
from hcbench.registry import parse_name
from hcbench.run.executors import read_outcome
from hcbench.run.workers.encoding import EncodingError, encode
from hcbench.store import Store
from hcbench.store.codec import decode_result, encode_result, pack_result, unpack_result
from hcbench.store.exchange import describe_run, import_run
from tests.attacks import survive, try_once
from tests.core.run.test_survival import CELLS, COMMAND, again, ask, count, environment, numbers
from tests.core.servers import a_server, can_serve
from tests.core.stored_runs import HOSTILE, keep_run, outcome

pytestmark = [pytest.mark.survival, pytest.mark.slow]

SHARE = float(os.environ.get("ATTACK_SHARE", "1"))


def times(often: int) -> range:
    """How often an area is tried."""
    return range(max(1, math.ceil(often * SHARE)))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Any, ...]]:
    """The results of an undisturbed run."""
    store = tmp_path_factory.mktemp("undisturbed") / "store.sqlite"
    assert again(store).exit_code == 0
    return numbers(store)


def rows(store: str | Path) -> dict[str, tuple[Any, ...]]:
    """What is stored of each cell that is ok: to be compared with later."""
    with Store(store) as opened:
        return {
            o.key: (o.data_digest, o.cost, o.points)
            for o, _ in opened.outcomes()
            if {o.status, *(v.status for p in o.points for v in p.values.values())} == {"ok"}
        }


def check(area: str, store: Path, before: dict[str, tuple[Any, ...]], expected: Any) -> None:
    """Complete the run; nothing may be lost, doubled or changed."""
    try_once(area)
    resumed = again(store)
    assert resumed.exit_code == 0, resumed.stderr
    after = rows(store)
    assert before.items() <= after.items(), "lost or changed"
    assert numbers(store) == expected
    twice = "SELECT key FROM cells WHERE status = 'ok' GROUP BY key HAVING count(*) > 1"
    assert ask(store, twice) == []
    assert ask(store, "PRAGMA integrity_check") == [("ok",)]
    survive(area)


def begin(store: Path) -> subprocess.Popen[bytes]:
    """Start the command, in a session of its own."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    env = environment(store)
    return subprocess.Popen(COMMAND, env=env, start_new_session=True, **quiet)  # type: ignore[call-overload,no-any-return]


def until_stored(store: Path, running: subprocess.Popen[bytes], cells: int) -> None:
    """Wait until this many cells are stored, or the run has ended."""
    while running.poll() is None and count(store) < cells:
        time.sleep(0.002)


def family(running: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """The fork server and the workers."""
    with suppress(psutil.NoSuchProcess):
        return psutil.Process(running.pid).children(recursive=True)
    return []


@pytest.mark.parametrize(
    ("area", "often", "signals"),
    [
        ("whole run killed", 28, [signal.SIGKILL]),
        ("signals", 39, [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT]),
    ],
)
def test_the_main_process_is_ended(
    area: str, often: int, signals: list[signal.Signals], tmp_path: Path, undisturbed: Any
) -> None:
    draw = random.Random(area)
    for number in times(often):
        store = tmp_path / f"{number}.sqlite"
        running = begin(store)
        until_stored(store, running, draw.randrange(CELLS))
        helpers = family(running)
        running.send_signal(draw.choice(signals))
        running.wait(timeout=60)
        _, alive = psutil.wait_procs(helpers, timeout=15)
        assert not alive
        check(area, store, rows(store) if store.exists() else {}, undisturbed)


def test_workers_and_fork_servers_are_killed(tmp_path: Path, undisturbed: Any) -> None:
    draw = random.Random(2)
    for number in times(30):
        store = tmp_path / f"{number}.sqlite"
        running = begin(store)
        until_stored(store, running, draw.randrange(1, CELLS))
        if victims := family(running):
            with suppress(psutil.NoSuchProcess):
                draw.choice(victims).kill()
        running.wait(timeout=120)
        check("workers and fork servers killed", store, rows(store), undisturbed)


def test_processes_share_a_store(tmp_path: Path, undisturbed: Any) -> None:
    store = tmp_path / "shared.sqlite"
    running = [begin(store) for _ in times(13)]
    until_stored(store, running[0], CELLS // 4)
    before = rows(store)
    for each in running[::4]:
        each.kill()
    codes = [each.wait(timeout=300) for each in running]
    assert set(codes) <= {0, -signal.SIGKILL}
    check("shared store", store, before, undisturbed)
    # `check` has counted one of them.
    for _ in running[1:]:
        try_once("shared store")
        survive("shared store")


@pytest.mark.skipif(not can_serve(), reason="PostgreSQL is not installed")
def test_a_server_is_away(undisturbed: Any) -> None:
    area, draw = "PostgreSQL outages", random.Random(4)
    with a_server() as server:
        for _ in times(4):
            url: Any = server.new()
            running, stored = begin(url), {}
            while running.poll() is None and len(stored) < draw.randrange(1, CELLS // 2):
                with suppress(HcbenchError):  # there are no tables yet
                    stored = rows(url)
            server.stop()
            time.sleep(draw.random())
            server.start()
            try_once(area)
            assert running.wait(timeout=120) == 0
            assert stored.items() <= rows(url).items()
            assert numbers(url) == undisturbed
            survive(area)


def test_the_only_dask_worker_is_replaced(tmp_path: Path) -> None:
    """A run goes on with the next worker, however long there was none."""
    pytest.importorskip("distributed")
    from tests.plugins.dask import test_pool as dask

    area, draw = "dask workers replaced", random.Random(6)
    names = ("draws", "Random")
    dask.compare(tmp_path / "here.sqlite", *names, **dask.SHORT)
    for number in times(20):
        folder = tmp_path / str(number)
        folder.mkdir()
        options = "--no-nanny", "--death-timeout=60"
        with ExitStack() as stack:
            address, _ = stack.enter_context(dask.scheduler_in(folder))
            first = stack.enter_context(ExitStack())
            first.enter_context(dask.worker_of(address, folder / "first.log", *options))

            def replace_worker() -> None:
                first.close()  # noqa: B023 - called in this round
                time.sleep(draw.choice([0, 0.05, 0.3, 1, 3]))
                next_one = dask.worker_of(address, folder / "next.log", *options)  # noqa: B023
                stack.enter_context(next_one)

            watched = dask.After({draw.randrange(1, 47): replace_worker})
            store = folder / "store.sqlite"
            try_once(area)
            dask.compare(store, *names, **dask.SHORT, **dask.on(address), observer=watched)
        assert watched.keys.total() == len(watched.keys) == 48, "each cell is told once"
        assert dask.contents(store) == dask.contents(tmp_path / "here.sqlite")
        survive(area)


def test_dask_workers_are_ended_four_times_in_quick_succession(tmp_path: Path) -> None:
    """Their nannies start them again, and a run goes on with whatever workers there are."""
    pytest.importorskip("distributed")
    from tests.plugins.dask import test_pool as dask

    area, draw = "dask workers ended four times", random.Random(7)
    names = ("draws", "Random")
    dask.compare(tmp_path / "here.sqlite", *names, **dask.SHORT)
    for number in times(20):
        folder = tmp_path / str(number)
        folder.mkdir()
        with ExitStack() as stack:
            address, _ = stack.enter_context(dask.scheduler_in(folder))
            for name in ("first", "second"):
                stack.enter_context(dask.worker_of(address, folder / f"{name}.log"))
            with dask.client_of(address) as client:
                client.wait_for_workers(2)
                workers = map(psutil.Process, client.run(os.getpid).values())
                nannies = [worker.parent() for worker in workers]

            def end_workers() -> None:
                for _ in range(4):
                    for process in draw.choice(nannies).children():  # noqa: B023
                        with suppress(psutil.Error):  # it has just ended
                            if "spawn_main" in " ".join(process.cmdline()):
                                process.terminate()
                    time.sleep(draw.choice([0, 0.05, 0.3]))

            watched = dask.After({draw.randrange(1, 47): end_workers})
            store = folder / "store.sqlite"
            try_once(area)
            dask.compare(store, *names, **dask.SHORT, **dask.on(address), observer=watched)
        assert watched.keys.total() == len(watched.keys) == 48, "each cell is told once"
        assert dask.contents(store) == dask.contents(tmp_path / "here.sqlite")
        survive(area)


@pytest.mark.filterwarnings("ignore:branch lengths are ignored")
def test_inputs_are_read_or_refused(tmp_path: Path) -> None:
    """Changed bytes are a result or an `HcbenchError`, and what is stored stays."""
    draw, area = random.Random(5), "fuzzed inputs"
    tree = Tree([4, 4, 5, 5, 6, 6, -1], names=["a", "b", "c", "d"])
    path = tmp_path / "store.sqlite"
    with Store(path) as store:
        result = Partition(np.arange(4) % 2)
        number = keep_run(store, [outcome("A", "D", values={"AARI": 0.5}, result=result)])
        described = json.dumps(describe_run(store, store.run(number))).encode()
        before = rows(path)
        seeds = (
            (
                tree.to_newick().encode(),
                lambda text: Tree.from_newick(text.decode(errors="replace")),
            ),
            (encode_result(tree), decode_result),
            (pack_result(tree), unpack_result),
            (pack_result(result), unpack_result),
            (encode(outcome("A", "D", values={"AARI": 0.5}, result=tree)), read_outcome),
            (
                b"planted[N0=[5,6],delta=0.1]",
                lambda text: parse_name(text.decode(errors="replace")),
            ),
            (described, lambda text: import_run(store, json.loads(text), "fuzzed")),
        )
        for number in times(2_900_000):
            # Most are quick to read; an import writes.
            content, read = seeds[-1] if number % 2000 == 0 else draw.choice(seeds[:-1])
            changed = bytearray(content)
            for _ in range(draw.randrange(1, 5)):
                changed[draw.randrange(len(changed))] = draw.randrange(256)
            if draw.random() < 0.2:
                del changed[draw.randrange(len(changed)) :]
            try_once(area)
            with suppress(HcbenchError, EncodingError, json.JSONDecodeError, UnicodeDecodeError):
                read(bytes(changed))
            survive(area)
        hcbench.Results.of_run(store, store.run(1))
    assert before.items() <= rows(path).items()


def test_no_script_reaches_a_page() -> None:
    for number in times(10):
        area = "pages with injected script"
        try_once(area)
        with Store(":memory:") as store:
            labels = [HOSTILE, f"</script>{HOSTILE}", f"'\"-->{HOSTILE}"]
            algorithm, data = labels[number % 3], labels[number // 3 % 3]
            run = keep_run(store, [outcome(algorithm, data, values={"AARI": 0.5})])
            text = make_report(store, store.run(run))
        assert "<script>window.hacked" not in text
        assert "<img src=x" not in text
        survive(area)
