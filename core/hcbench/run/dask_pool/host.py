"""In a dask worker: cells in isolated processes of its machine, just as they run locally.

Cells are coroutines on the dask worker's event loop, which holds as many of them as the worker has
threads, and watches over one pool of processes a run. So nothing here needs a lock, and a run
starts with processes that have imported the code as it is now, however old the dask worker is.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import shutil
import tempfile
from collections import deque
from dataclasses import replace
from pathlib import Path

from distributed import Worker, WorkerPlugin, get_worker

from hcbench.errors import WorkerError
from hcbench.run.dask_pool.terms import Terms, Welcome, fingerprints_here, python_version
from hcbench.run.environment import describe_machine
from hcbench.run.executors import cell_pool
from hcbench.run.job import relocate
from hcbench.run.workers import Limits, Pool, Report
from hcbench.run.workers.connections import ServerProcess

_TICK = 0.05  # seconds between looks at the limits of what runs
_IDLE = 300.0  # seconds without a cell, after which the processes of a run are ended
_hosts: dict[str, Host] = {}


async def run_cell(run: str, number: int, packed: bytes, limits: Limits) -> Report:
    """Run one cell on this machine; the task that dask sees.

    Raises
    ------
    WorkerError
        If this worker cannot run cells of this run.
    """
    try:
        return await _host(run).run(number, packed, limits)
    except WorkerError as error:
        raise WorkerError(f"the dask worker {get_worker().address}: {error}") from None


def key_of(run: str, number: int) -> str:
    """The name of a cell for dask."""
    return f"{run}-{number}"


async def greet(run: str) -> Welcome:
    """The answer of this worker to the terms of a run."""
    return _host(run).welcome


def _host(run: str) -> Host:
    if run not in _hosts:
        raise WorkerError("it does not know this run; its log says why")
    return _hosts[run]


class Presence(WorkerPlugin):
    """A dask plugin that gives every dask worker a host while a run lasts.

    Parameters
    ----------
    terms : Terms
    """

    def __init__(self, terms: Terms) -> None:
        self.terms = terms

    def setup(self, worker: Worker) -> None:
        """Begin; several workers of one process share a host."""
        host = _hosts.setdefault(self.terms.run, Host(self.terms, worker))
        host.threads += worker.state.nthreads

    def transition(self, key: object, start: str, finish: str, **_: object) -> None:
        """End a cell that nobody waits for any more, as when the main process was killed."""
        host = _hosts.get(self.terms.run)
        if host is not None and start == "executing" and finish in ("cancelled", "released"):
            host.give_up(str(key))

    async def teardown(self, worker: Worker) -> None:
        """End what still runs."""
        host = _hosts.get(self.terms.run)
        if host is not None:
            host.threads -= worker.state.nthreads
            if host.threads <= 0:
                del _hosts[self.terms.run]
                await host.close()


class Host:
    """The cells of one run in one process.

    Parameters
    ----------
    terms : Terms
    worker : Worker
        The first that is here.
    """

    def __init__(self, terms: Terms, worker: Worker) -> None:
        self.threads = 0
        self._terms = terms
        self._machine = describe_machine()
        self._memory = int(worker.memory_manager.memory_limit or 0)
        self._refusal = refuse(terms)
        self._folder: Path | None = None
        self._places: dict[str, str] = {}
        self._pool: Pool | None = None
        self._waiting: deque[tuple[asyncio.Future[Report], bytes, Limits]] = deque()
        self._cells: dict[str, asyncio.Future[Report]] = {}
        self._running: set[asyncio.Future[Report]] = set()
        self._alarm: asyncio.TimerHandle | None = None

    @property
    def welcome(self) -> Welcome:
        """Its answer to the terms."""
        return Welcome(self._refusal, self._machine, self.threads, self._memory)

    async def run(self, number: int, packed: bytes, limits: Limits) -> Report:
        """Run one cell.

        Raises
        ------
        WorkerError
            If this machine cannot.
        """
        if self._refusal:
            raise WorkerError(self._refusal)
        ended: asyncio.Future[Report] = asyncio.get_running_loop().create_future()
        key = key_of(self._terms.run, number)
        self._cells[key] = ended
        self._waiting.append((ended, relocate(packed, self._placed()), limits))
        self._advance()
        try:
            report = await ended
        finally:
            self._cells.pop(key, None)
        return replace(report, tag=None, host=self._machine["host"])

    def give_up(self, key: str) -> None:
        """End a cell."""
        ended = self._cells.get(key)
        if ended is not None and self._pool is not None:
            self._pool.give_up(ended)

    def _placed(self) -> dict[str, str]:
        """Where the files of the run are; those that this machine lacks are written once."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="hcbench-"))
            for number, (origin, content) in enumerate(self._terms.files.items()):
                if not _holds(Path(origin), content):
                    place = self._folder / str(number) / Path(origin).name
                    place.parent.mkdir()
                    place.write_bytes(content)
                    self._places[origin] = str(place)
        return self._places

    def _advance(self) -> None:
        """Submit waiting cells and take reports; called whenever there may be some."""
        if self._alarm is not None:
            self._alarm.cancel()
        try:
            pool = self._open()
            self._give(pool)
            for report in pool.wait(0):
                self._settle(report)
            self._give(pool)
        except Exception as error:
            self._fail(error)
        self._watch()

    def _watch(self) -> None:
        """Continue when the processes send something, and from time to time to enforce limits."""
        loop = asyncio.get_running_loop()
        if self._pool is not None and self._running:
            loop.add_reader(self._pool.fileno(), self._advance)
            self._alarm = loop.call_later(_TICK, self._advance)
        elif self._pool is not None:
            loop.remove_reader(self._pool.fileno())
            self._alarm = loop.call_later(_IDLE, self._shut)

    def _open(self) -> Pool:
        if self._pool is None:
            self._pool = cell_pool(max(self.threads, 1))
            ServerProcess.retire()  # the next run imports the code as it is then
        return self._pool

    def _give(self, pool: Pool) -> None:
        while self._waiting and pool.free:
            ended, packed, limits = self._waiting.popleft()
            self._running.add(ended)
            pool.submit(ended, packed, limits)

    def _settle(self, report: Report) -> None:
        ended = report.tag
        assert isinstance(ended, asyncio.Future)
        self._running.discard(ended)
        if not ended.done():  # dask may have given it up
            ended.set_result(report)

    def _fail(self, error: Exception) -> None:
        """End all cells with an error: the processes cannot be started."""
        cells = [*self._running, *(ended for ended, _, _ in self._waiting)]
        self._running.clear()
        self._waiting.clear()
        self._shut()
        for ended in cells:
            if not ended.done():
                ended.set_exception(WorkerError(f"{error}"))

    def _shut(self) -> None:
        pool = self._detach()
        if pool is not None:
            pool.close()

    def _detach(self) -> Pool | None:
        pool, self._pool = self._pool, None
        if pool is not None:
            asyncio.get_running_loop().remove_reader(pool.fileno())
        return pool

    async def close(self) -> None:
        """Kill what runs, and leave nothing behind."""
        if self._alarm is not None:
            self._alarm.cancel()
        pool = self._detach()
        for ended in [*self._running, *(ended for ended, _, _ in self._waiting)]:
            ended.cancel()
        self._running.clear()
        self._waiting.clear()
        if pool is not None:
            await asyncio.to_thread(pool.close)
        if self._folder is not None:
            await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)


def refuse(terms: Terms) -> str:
    """Why this process cannot take part in a run; "" if it can."""
    if multiprocessing.current_process().daemon:
        return (
            "it is daemonic, and such a process may not have the children that cells run in; start "
            "it with distributed.worker.daemon: false (DASK_DISTRIBUTED__WORKER__DAEMON=false)"
        )
    if python_version() != terms.python:
        return f"it runs Python {python_version()}, the main process {terms.python}, not the same"
    here = fingerprints_here(terms.fingerprints)
    for name, fingerprint in terms.fingerprints.items():
        if here[name] != fingerprint:
            own = here[name] or "none"
            return f"of {name} it has {own}, the main process {fingerprint}; install the same there"
    return ""


def _holds(file: Path, content: bytes) -> bool:
    try:
        return file.read_bytes() == content
    except OSError:
        return False
