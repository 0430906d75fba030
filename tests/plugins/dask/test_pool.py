"""Runs on a dask cluster: the same rows as on this machine, despite lost workers."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import psutil
import pytest
from click.testing import CliRunner

import hcbench
from hcbench import Results
from hcbench.cli import main
from hcbench.errors import HcbenchError, PluginError
from hcbench.plan import Outcome
from hcbench.plan.plan import make_plan
from hcbench.registry import Registry
from hcbench.registry.plugin_files import module_of
from hcbench.registry.plugins import Plugins
from hcbench.run.environment import fingerprints_here
from hcbench.run.executors import _plugin_files
from hcbench.run.job import Call, pack_job, relocate, unpack_job
from hcbench.run.record import Observer
from hcbench.store import Store

distributed = pytest.importorskip("distributed")

from hcbench_dask.connection import Connection  # noqa: E402 - where there is dask
from hcbench_dask.pool import DaskPool  # noqa: E402

pytestmark = pytest.mark.slow

PLUGIN = Path(__file__).parents[2] / "misbehaving.py"
SHORT = {"datasets": ["numbers[n=[20,21]]"], "metrics": ["depth"], "repetitions": 12}


def compare(store: Path | str, *algos: str, **options: Any) -> Results:
    defaults: dict[str, Any] = {
        "datasets": ["numbers"],
        "metrics": ["leaves", "depth"],
        "repetitions": 1,
        "plugins": [PLUGIN],
        "store": store,
    }
    return hcbench.compare(list(algos), **{**defaults, **options})


def on(scheduler: str | None) -> dict[str, Any]:
    return {"executor": "dask", "scheduler": scheduler}


def points_of(outcome: Outcome) -> list[tuple[Any, ...]]:
    """Points, whose values have an order of their own in each store."""
    return [(p.checkpoint, p.queries, p.result, sorted(p.values.items())) for p in outcome.points]


def contents(store: Path) -> list[tuple[Any, ...]]:
    """All rows, without times and machines."""
    with Store(store) as opened:
        kept = [opened.cell(outcome.key)[0] for outcome, _ in opened.outcomes()]
    return sorted(
        (
            *(o.key, o.status, o.phase, o.stopped),
            *(o.cost.queries, o.cost.distinct_queries, o.cost.rounds),
            *(o.data_digest, o.notes, o.traceback),
            *(re.sub(r"held \d+", "held", repr(said)) for said in (o.reason, points_of(o))),
        )
        for o in kept
    )


# ---- A cluster of processes ----------------------------------------------------------------------


def start(kind: str, log: Path, *args: str, **settings: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *args, "--no-dashboard"]
    with log.open("wb") as file:
        environment = {**os.environ, **settings}
        return subprocess.Popen(command, stdout=file, stderr=file, env=environment)


def end(process: subprocess.Popen[bytes]) -> None:
    family = [*psutil.Process(process.pid).children(recursive=True)] if not process.poll() else []
    process.kill()
    process.wait()
    for member in family:
        try:
            member.kill()
        except psutil.NoSuchProcess:
            continue


@contextmanager
def scheduler_in(folder: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    file = folder / "scheduler.json"
    args = ["--port=0", "--host=127.0.0.1", f"--scheduler-file={file}"]
    process = start("scheduler", folder / "scheduler.log", *args)
    try:
        until = time.monotonic() + 60
        while not (file.exists() and file.read_text().rstrip().endswith("}")):
            assert time.monotonic() < until
            assert process.poll() is None, (folder / "scheduler.log").read_text()
            time.sleep(0.05)
        yield json.loads(file.read_text())["address"], process
    finally:
        end(process)


@contextmanager
def worker_of(address: str, log: Path, *args: str, daemon: str = "false") -> Iterator[None]:
    setting = {"DASK_DISTRIBUTED__WORKER__DAEMON": daemon}
    more = [f"--local-directory={log.parent}", "--nthreads=1", *args]
    process = start("worker", log, address, *more, **setting)
    try:
        yield
    finally:
        end(process)


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A scheduler with two workers, of which one is started again when it dies."""
    folder = tmp_path_factory.mktemp("cluster")
    with ExitStack() as stack:
        address, _ = stack.enter_context(scheduler_in(folder))
        stack.enter_context(worker_of(address, folder / "a.log"))
        stack.enter_context(worker_of(address, folder / "b.log", "--no-nanny"))
        with client_of(address) as client:
            client.wait_for_workers(2, timeout=60)
        yield address


@contextmanager
def client_of(address: str) -> Iterator[Any]:
    with distributed.Client(address, set_as_default=False) as client:
        yield client


class After(Observer):
    """Acts in the middle of a run, after numbers of cells."""

    def __init__(self, acts: dict[int, Callable[[], object]]) -> None:
        self.acts = acts
        self.keys: Counter[str] = Counter()

    def finished(self, outcome: Any, seconds: float) -> None:
        self.keys[outcome.key] += 1
        if self.keys.total() in self.acts:
            self.acts[self.keys.total()]()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Any, ...]]:
    """The rows of 48 short cells that run on this machine."""
    store = tmp_path_factory.mktemp("local") / "store.sqlite"
    compare(store, "draws", "Random", **SHORT)
    return contents(store)


# ---- The same rows -------------------------------------------------------------------------------


ALGOS = ("good", "draws", "raises", "exits", "segfault", "endless", "hog", "asker")
ENDINGS: dict[str, Any] = {
    "datasets": ["numbers", "lies"],
    "timeout": 4,  # within which a hog exceeds the memory on a busy machine, too
    "memory": 0.25,
    "metrics": ["leaves", "depth", "broken"],
}


@pytest.fixture(scope="module")
def endings(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Any, ...]]:
    """The rows of every status, from cells that run on this machine."""
    store = tmp_path_factory.mktemp("endings") / "store.sqlite"
    compare(store, *ALGOS, **ENDINGS)
    return contents(store)


@pytest.mark.parametrize("where", ["here", "cluster"])
def test_every_ending_is_the_same_row_as_on_this_machine(
    tmp_path: Path, where: str, request: pytest.FixtureRequest, endings: list[tuple[Any, ...]]
) -> None:
    scheduler = None if where == "here" else request.getfixturevalue("scheduler")
    store = tmp_path / "store.sqlite"
    compare(store, "draws", **{**ENDINGS, "metrics": ["leaves"]})  # to be scored by new metrics
    listening = set()

    def look() -> None:
        sockets = psutil.Process().net_connections("inet")
        listening.update(each.laddr.ip for each in sockets if each.status == "LISTEN")

    results = compare(
        *(store, *ALGOS), **ENDINGS, **on(scheduler), n_jobs=2, observer=After({3: look})
    )
    assert sum(outcome.reused for outcome in results.outcomes) == 1
    found = {row["algorithm"]: row["status"] for row in results.rows if row["dataset"] == "numbers"}
    assert found["endless"] == "timeout"
    assert found["hog"] == "memory"
    assert found["segfault"] == "crash"
    assert contents(store) == endings
    if scheduler is None:
        assert listening <= {"127.0.0.1"}, "such a cluster is for this machine alone"
    else:
        check_machines(store, scheduler)


def check_machines(store: Path, scheduler: str) -> None:
    """Check that the run lists its machines."""
    with Store(store) as opened:
        environment = opened.run(2).environment
        hosts = {row.host for row, _ in opened.outcomes(run=2)}
    assert hosts == {socket.gethostname(), ""}, "one cell ran here before"
    assert environment["scheduler"] == scheduler
    (machine,) = environment["workers"]
    assert machine["host"] == socket.gethostname()
    assert machine["threads"] == 2
    assert machine["memory_bytes"] == psutil.virtual_memory().total


def test_functions_and_arrays_of_the_caller_are_sent_to_workers(
    tmp_path: Path, scheduler: str
) -> None:
    from scipy.cluster.hierarchy import linkage

    data = np.random.default_rng(0).normal(size=(12, 2))
    mine = {"mine": (data, [0] * 6 + [1] * 6)}
    algos = [lambda X: linkage(X, "ward"), "UPGMA"]
    options: dict[str, Any] = {"metrics": ["AARI", lambda s: 2.0], "repetitions": 2}
    here = hcbench.compare(algos, mine, store=tmp_path / "a.sqlite", **options)
    options |= {"n_jobs": 1, **on(scheduler)}
    there = hcbench.compare(algos, mine, store=tmp_path / "b.sqlite", **options)
    assert [row["metrics"] for row in there.rows] == [row["metrics"] for row in here.rows]


# ---- Failures of a cluster -----------------------------------------------------------------------


def test_a_lost_worker_loses_no_result(
    tmp_path: Path, scheduler: str, undisturbed: list[tuple[Any, ...]]
) -> None:
    def kill() -> None:
        with client_of(scheduler) as client:
            pids = client.run(os.getpid)
            parents = {psutil.Process(pid).ppid(): pid for pid in pids.values()}
            nannied = [pid for parent, pid in parents.items() if parent != os.getpid()]
            os.kill(nannied[0], signal.SIGKILL)

    store = tmp_path / "store.sqlite"
    watched = After({20: kill})
    compare(store, "draws", "Random", **SHORT, **on(scheduler), observer=watched)
    assert watched.keys.total() == len(watched.keys) == 48, "each cell is told once"
    assert contents(store) == undisturbed


def test_a_run_goes_on_without_a_worker_but_not_without_the_scheduler(
    tmp_path: Path,
    undisturbed: list[tuple[Any, ...]],
    capfd: pytest.CaptureFixture[str],
) -> None:
    store = tmp_path / "store.sqlite"
    with ExitStack() as stack:
        address, process = stack.enter_context(scheduler_in(tmp_path))
        options = "--no-nanny", "--death-timeout=60"
        first = ExitStack()
        first.enter_context(worker_of(address, tmp_path / "first.log", *options))

        def replace_worker() -> None:
            first.close()
            time.sleep(12)  # no worker for longer than the user is not told
            stack.enter_context(worker_of(address, tmp_path / "second.log", *options))

        watched = After({15: replace_worker, 35: process.kill})
        with pytest.raises(HcbenchError, match="is gone; what is done is kept") as caught:
            compare(store, "draws", "Random", **SHORT, **on(address), observer=watched)
    assert len(str(caught.value).splitlines()) == 1
    assert caught.value.exit_code == 5
    waiting = f"hcbench: the dask scheduler at {address} has no worker; waiting\n"
    assert waiting in capfd.readouterr().err
    survived = watched.keys.total()
    assert 35 <= survived < 48
    assert survived == len(watched.keys), "each cell is told once"
    assert len(contents(store)) == survived, "what arrived is stored"
    again = compare(store, "draws", "Random", **SHORT)
    assert sum(o.reused for o in again.outcomes) == survived
    assert contents(store) == undisturbed


def test_an_interrupted_run_leaves_nothing_on_the_cluster(tmp_path: Path, scheduler: str) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    store = tmp_path / "store.sqlite"
    with pytest.raises(KeyboardInterrupt):
        compare(
            *(store, "draws", "endless"),
            **{**SHORT, "timeout": None},
            **on(scheduler),
            observer=After({1: interrupt}),
        )
    with client_of(scheduler) as client:
        wait_until(lambda: not any(client.run(nurseries).values()))
        assert not any(client.processing().values())
        assert not any(client.run(hosts).values())


def test_a_main_process_that_is_killed_leaves_nothing_running(
    tmp_path: Path, scheduler: str
) -> None:
    code = (
        "import hcbench; hcbench.compare(['endless'], ['numbers'], repetitions=2, timeout=None, "
        f"plugins=[{str(PLUGIN)!r}], store={str(tmp_path / 's.sqlite')!r}, "
        f"executor='dask', scheduler={scheduler!r})"
    )
    process = subprocess.Popen([sys.executable, "-c", code])
    with client_of(scheduler) as client:
        try:
            wait_until(lambda: sum(client.run(running).values()) == 2)
        finally:
            process.kill()
            process.wait()
        wait_until(lambda: not any(client.run(hosts).values()))
        wait_until(lambda: not any(client.run(nurseries).values()))
        assert not client.run_on_scheduler(plugins_of_runs)


def test_copies_of_files_go_with_a_worker_that_is_killed(tmp_path: Path) -> None:
    (tmp_path / "same.py").write_text("1")
    files = {str(tmp_path / "same.py"): b"1", str(tmp_path / "other.py"): b"2"}
    code = (
        "import sys, time; from hcbench_dask.host import Copies\n"
        f"print(*Copies({files!r}).places.values(), flush=True)\nCopies({{}}); time.sleep(60)"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        same, other = map(Path, process.stdout.readline().split())
        assert (same.read_text(), other.read_text()) == ("1", "2")
        assert same.parent == other.parent, "one may import the other"
        process.kill()
    wait_until(lambda: not [*tmp_path.glob("hcbench-*")])


def wait_until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.2)


def running() -> int:
    """In a dask worker: the number of running cells."""
    from hcbench_dask import host

    return sum(len(each.running) for each in host.HOSTS.values())


def nurseries() -> int:
    """In a dask worker: the number of its fork servers."""
    found = 0
    for child in psutil.Process().children():
        with suppress(psutil.NoSuchProcess):  # it may just have ended
            found += "hcbench.run.workers.forkserver" in " ".join(child.cmdline())
    return found


def plugins_of_runs(dask_scheduler: Any) -> list[str]:
    """In the scheduler: the plugins of runs."""
    names = (*dask_scheduler.worker_plugins, *dask_scheduler.plugins)
    return [name for name in names if name.startswith("hcbench")]


def hosts() -> int:
    """In a dask worker: the number of runs whose cells it executes."""
    from hcbench_dask import host

    return len(host.HOSTS)


# ---- Errors in one line --------------------------------------------------------------------------


def told(*args: str, store: Path) -> str:
    """Return the line on stderr of a command that cannot begin."""
    command = ["compare", "--algos=good", "--datasets=numbers", "-r1", f"--plugin={PLUGIN}", *args]
    environment = {"HCBENCH_STORE": str(store), "HCBENCH_DEBUG": ""}
    result = CliRunner(env=environment).invoke(main, command)
    assert result.exit_code == 2
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert not store.exists(), "there is no run"
    return line.removeprefix("hcbench: error: ")


def test_a_scheduler_that_does_not_answer(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        address = f"tcp://127.0.0.1:{deaf.getsockname()[1]}"
    began = time.monotonic()
    line = told("--executor=dask", f"--scheduler={address}", store=tmp_path / "s.sqlite")
    assert time.monotonic() - began < 20
    assert line.startswith(f"no dask scheduler answers at {address} (")


def test_a_scheduler_without_dask_or_without_sense(tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    assert told("--scheduler=tcp://h:1", store=store) == (
        "the scheduler tcp://h:1 needs the executor of a cluster, not local"
    )
    nonsense = told("--executor=dask", "--scheduler=nonsense://h:1", store=store)
    assert nonsense.startswith("no dask scheduler answers at nonsense://h:1 (")


def test_dask_that_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("hcbench_dask.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "distributed", None)
    line = told("--executor=dask", store=tmp_path / "s.sqlite")
    assert line.endswith('pip install "hcbench[dask]"')


def test_a_daemonic_worker(tmp_path: Path, scheduler: str) -> None:
    with (
        worker_of(scheduler, tmp_path / "worker.log", daemon="true"),
        client_of(scheduler) as client,
    ):
        client.wait_for_workers(3, timeout=60)
        line = told("--executor=dask", f"--scheduler={scheduler}", store=tmp_path / "s.sqlite")
    assert "is daemonic" in line
    assert "distributed.worker.daemon: false" in line


def test_a_worker_with_other_code_is_refused() -> None:
    here = fingerprints_here(["Python", "hcbench core", "hcbench:metrics", "numpy"])
    assert all(here.values())
    assert hcbench.run.check_machine(here)["host"] == socket.gethostname()
    for name, reason in {
        "Python": "of Python it has 3.",
        "hcbench core": "of hcbench core it has ",
        "theirs:plugin": "of theirs:plugin it has none, the main process 2.7; install the same",
    }.items():
        with pytest.raises(HcbenchError, match=reason):
            hcbench.run.check_machine({**here, name: "2.7"})


def test_what_a_plugin_file_imports_and_reads_travels_with_it(tmp_path: Path) -> None:
    contents = {
        "plugin.py": TRAVELLING,
        "beside_it.py": "from below_it.code import K\n",
        "below_it/code.py": "K = 2\n",
        "numbers/a.csv": "1\n",
        "unrelated.py": "",
    }
    for name, content in contents.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    plugins = Plugins([tmp_path / "plugin.py"])
    suite = hcbench.Suite(name="s", algorithms=("Travelling",), datasets=("iris",))
    sent = _plugin_files(make_plan(suite, Registry(plugins)), plugins)
    assert {str(path.relative_to(tmp_path)) for path in sent} == {*contents} - {"unrelated.py"}


TRAVELLING = """
import beside_it
from hcbench import AlgorithmSpec, hookimpl

@hookimpl
def hcbench_algorithms():
    function = "json:dumps"
    yield AlgorithmSpec(
        name="Travelling", function=function, doc="", accepts=("vectors",), files=("numbers",)
    )
"""


def test_plugin_files_travel_as_content(tmp_path: Path) -> None:
    place = tmp_path / "copy.py"
    place.write_text("def answer():\n    return 42\n")
    origin = "/nowhere/of_the_main_process.py"
    name = module_of(Path(origin))
    job: Any = Call(f"{name}:answer", {})
    packed = relocate(pack_job(job, [origin]), {origin: str(place)})
    assert unpack_job(packed).open()() == 42
    with pytest.raises(PluginError, match=r"there is no file /nowhere/else\.py"):
        unpack_job(pack_job(job, ["/nowhere/else.py"])).open()


@contextmanager
def pool_of(workers: dict[str, int], most: int, error: BaseException) -> Iterator[DaskPool]:
    """A pool of a cluster in which every cell ends with an error after 0.1 s."""

    async def fail() -> None:
        await asyncio.sleep(0.1)
        raise error

    loop = asyncio.new_event_loop()

    def add_callback(function: Callable[..., Any], *args: Any) -> None:
        asyncio.run_coroutine_threadsafe(function(*args), loop)

    client: Any = SimpleNamespace(
        loop=SimpleNamespace(add_callback=add_callback),
        submit=lambda *_, **__: fail(),
        status="running",
    )
    connection = Connection(client, "run", "inproc")
    connection.workers = workers
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    pool = DaskPool(connection, most)
    yield pool
    while pool.wait(0.5):
        pass
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


def test_a_cell_whose_workers_die_runs_again() -> None:
    for error in (distributed.KilledWorker("key", "worker", 3), CancelledError()):
        for gone in (False, True):
            workers = {"w": 1}
            with pool_of(workers, 9, error) as pool:
                pool.submit("tag", b"", None, "w")
                if gone:
                    workers.clear()
                (report,) = pool.wait(9)
                assert report.lost
                assert (report.tag, report.ending) == ("tag", "crash")
                assert report.reason == "its dask worker has gone"
                assert pool.wait(0.5) == [], "a cell is reported once"


def test_the_least_busy_worker_is_next_up_to_the_limit_of_cells() -> None:
    for most, expected in {
        9: ["one", "two", "two", None],  # as many as threads
        2: ["one", "two", None],
    }.items():
        with pool_of({"one": 1, "two": 2}, most, CancelledError()) as pool:
            for name in expected:
                assert pool.next_worker() == name
                if name is not None:
                    pool.submit("tag", b"", None, name)
            assert pool.next_worker(ahead=True) == ("one" if most == 9 else None)
