"""In a dask worker: cells in isolated processes of its machine, just as they run locally.

A cell is a task in one of the dask worker's threads, which waits for a process of its own. A run
starts with processes that have imported the code as it is now, however old the dask worker is.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from concurrent.futures import CancelledError
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from distributed import Scheduler, SchedulerPlugin, Worker, WorkerPlugin, get_worker

from hcbench import HcbenchError
from hcbench.errors import ExitCode
from hcbench.run import CellPool, Report, check_machine

_TICK = 0.2  # seconds between looks at whether a cell was given up

HOSTS: dict[str, Host] = {}
"""The hosts of this process, by the names of their runs."""

#: Waits until the process that has started it closes the pipe or ends, and removes a folder.
_REMOVE = "import shutil, sys; sys.stdin.read(); shutil.rmtree(sys.argv[1], ignore_errors=True)"


class ClusterError(HcbenchError):
    """A dask cluster cannot run cells."""


class SchedulerLostError(ClusterError):
    """The scheduler of a run has gone; what is done is stored."""

    exit_code = ExitCode.CLUSTER_LOST


@dataclass(frozen=True, slots=True)
class Terms:
    """What a run sends to every dask worker once.

    Attributes
    ----------
    run : str
        A name that no other run has.
    fingerprints : mapping of name to fingerprint
    files : mapping of path to content
    threads : int
        The threads of BLAS, OpenMP and numba in each cell.
    """

    run: str
    fingerprints: Mapping[str, str]
    files: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    threads: int = 1


@dataclass(frozen=True, slots=True)
class Welcome:
    """The answer of a worker to the terms.

    Attributes
    ----------
    refusal : str
        Why it cannot take part; "" if it can.
    machine : dict
        Its description, with the name of the host.
    threads : int
    memory : int
        Bytes that dask allows this worker; 0 if that is not limited.
    """

    refusal: str
    machine: dict[str, Any]
    threads: int
    memory: int


def run_cell(run: str, number: int, job: bytes, limits: Any) -> Report:
    """Run one cell on this machine; the task that dask sees.

    Raises
    ------
    ClusterError
        If this worker cannot run cells of this run.
    """
    try:
        return _host(run).run(number, job, limits)
    except HcbenchError as error:
        raise ClusterError(f"the dask worker {get_worker().address}: {error}") from None


def key_of(run: str, number: int) -> str:
    """The name of a cell for dask."""
    return f"{run}-{number}"


async def greet(run: str) -> Welcome:
    """The answer of this worker to the terms of a run."""
    return _host(run).welcome


def _host(run: str) -> Host:
    if run not in HOSTS:
        raise ClusterError("it does not know this run; its log says why")
    return HOSTS[run]


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
        if self.terms.run not in HOSTS:
            HOSTS[self.terms.run] = Host(self.terms, worker)
        host = HOSTS[self.terms.run]
        host.threads += worker.state.nthreads

    def transition(self, key: object, start: str, finish: str, **_: object) -> None:
        """End a cell that nobody waits for any more, as when the main process was killed."""
        host = HOSTS.get(self.terms.run)
        if host is not None and start == "executing" and finish in ("cancelled", "released"):
            host.give_up(str(key))

    async def teardown(self, worker: Worker) -> None:
        """End what still runs."""
        host = HOSTS.get(self.terms.run)
        if host is not None:
            host.threads -= worker.state.nthreads
            if host.threads <= 0:
                del HOSTS[self.terms.run]
                await host.close()


class Departure(SchedulerPlugin):
    """A dask plugin that ends all hosts of a run if its main process goes without doing so.

    Parameters
    ----------
    run : str
    client : str
        The name that dask has given to the main process.
    """

    def __init__(self, run: str, client: str) -> None:
        self.name = f"{run}-departure"
        self._run = run
        self._client = client

    def remove_client(self, scheduler: Scheduler, client: str) -> None:
        """End them, and this plugin."""
        if client == self._client:
            scheduler.remove_plugin(self.name)
            if self._run in scheduler.worker_plugins:
                scheduler.loop.add_callback(scheduler.unregister_worker_plugin, None, self._run)


class Host:
    """The cells of one run in one process, each in a thread.

    Parameters
    ----------
    terms : Terms
    worker : Worker
        The first that is here.
    """

    def __init__(self, terms: Terms, worker: Worker) -> None:
        self.threads = 0
        self._terms = terms
        self._memory = int(worker.memory_manager.memory_limit or 0)
        self._machine: dict[str, Any] = {}
        self._refusal = ""
        try:
            self._machine = join(terms)
        except HcbenchError as error:
            self._refusal = str(error)
        # Made for the first cell, under the lock: several threads begin at once.
        self.copies: Copies | None = None
        self._lock = threading.Lock()
        # Pools of one process each, which has run a cell and waits for the next.
        self._idle: list[CellPool] = []
        # Keys of the cells that run now, and of those among them that nobody waits for.
        self.running: set[str] = set()
        self._given_up: set[str] = set()
        self._closed = False

    @property
    def welcome(self) -> Welcome:
        """Its answer to the terms."""
        return Welcome(self._refusal, self._machine, self.threads, self._memory)

    def run(self, number: int, job: bytes, limits: Any) -> Report:
        """Run one cell, in a thread of the dask worker.

        Raises
        ------
        ClusterError
            If this machine cannot.
        CancelledError
            If nobody waits for it any more.
        """
        if self._refusal:
            raise ClusterError(self._refusal)
        key = key_of(self._terms.run, number)
        with self._lock:
            self.running.add(key)
            if self.copies is None:
                # The first cell of the run, which imports the code as it is now.
                CellPool.end_server()
                self.copies = Copies(self._terms.files)
            pool = self._idle.pop() if self._idle else None
        reports: list[Report] = []
        try:
            if pool is None:
                pool = CellPool(1, self.copies.places, threads=self._terms.threads)
            pool.submit(None, job, limits)
            while not reports and not self._closed and key not in self._given_up:
                reports = pool.wait(_TICK)
        finally:
            if pool is not None:
                if reports:
                    self._idle.append(pool)
                else:
                    # It still runs the cell that nobody waits for any more.
                    pool.close()
            self._given_up.discard(key)
            self.running.discard(key)
        if not reports:
            raise CancelledError
        return replace(reports[0], host=self._machine["host"])

    def give_up(self, key: str) -> None:
        """End a cell."""
        if key in self.running:
            self._given_up.add(key)

    def _close_idle(self) -> None:
        with self._lock:
            pools = self._idle
            self._idle = []
        for pool in pools:
            pool.close()
        CellPool.end_server()

    async def close(self) -> None:
        """Kill what runs, and leave nothing behind."""
        self._closed = True
        while self.running:  # each thread ends its own
            await asyncio.sleep(_TICK)
        await asyncio.to_thread(self._close_idle)
        if self.copies is not None:
            await asyncio.to_thread(self.copies.close)


class Copies:
    """Copies of files, if this machine lacks one; they go with this process, however it ends.

    They lie to one another as the files do, as a plugin imports modules beside it.

    Parameters
    ----------
    files : mapping of path to content

    Attributes
    ----------
    places : dict of path to path
        Where the copies are.
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        is_lacking = not all(_holds(path, content) for path, content in files.items())
        self.places: dict[str, str] = {}
        self._remover: subprocess.Popen[bytes] | None = None
        if is_lacking:
            folder = tempfile.mkdtemp(prefix="hcbench-")
            self._remover = subprocess.Popen(
                [sys.executable, "-P", "-c", _REMOVE, folder],
                stdin=subprocess.PIPE,
                start_new_session=True,
            )
            for path, content in files.items():
                # Below the folder as below the root.
                copy = Path(folder, *Path(path).parts[1:])
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(content)
                self.places[path] = str(copy)

    def close(self) -> None:
        """Remove them."""
        if self._remover is not None:
            self._remover.communicate()


def join(terms: Terms) -> dict[str, Any]:
    """Check that this process can take part in a run, and describe its machine.

    Raises
    ------
    HcbenchError
        If it cannot.
    """
    if multiprocessing.current_process().daemon:
        raise ClusterError(
            "it is daemonic, and such a process may not have the children that cells run in; start "
            "it with distributed.worker.daemon: false (DASK_DISTRIBUTED__WORKER__DAEMON=false)"
        )
    return check_machine(terms.fingerprints)


def _holds(path: str, content: bytes) -> bool:
    try:
        return Path(path).read_bytes() == content
    except OSError:
        return False
