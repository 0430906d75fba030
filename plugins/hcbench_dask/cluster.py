"""A dask cluster, from the beginning of a run to its end."""

from __future__ import annotations

import logging
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, Self

import dask
from distributed import Client, Scheduler, SpecCluster, Worker

from hcbench.run import check_machine
from hcbench_dask.connection import Connection
from hcbench_dask.host import ClusterError, Departure, Presence, Terms, Welcome, greet
from hcbench_dask.pool import DaskPool

_CONNECT = 8.0  # seconds for the scheduler to answer
_LEAVE = 5.0  # seconds for the workers to end what runs

#: Loggers to which dask gives a level of its own, and what they use; those below follow them.
_LOGGERS = ("asyncio", "distributed", "distributed.client", "distributed.gc", "tornado.application")


class Cluster:
    """The machines of a dask cluster; a context manager.

    While it is open, every dask worker, those that join later too, has a host for the run. It waits
    for the first worker: a cluster that grows by itself has none until it is asked.

    Parameters
    ----------
    jobs : int, optional
        The most cells at a time; by default one per thread, in this process one per core.
    scheduler : str, optional
        The address of the scheduler, as dask has it; ``tls://`` takes the certificates from dask's
        configuration. Without one the cluster is in this process; only the cells have others.
    threads : int
        The threads of BLAS, OpenMP and numba in each cell.
    fingerprints : mapping of name to fingerprint
        Fingerprints of the code that decides results. A worker with another fingerprint would
        measure something else than the keys of the cells say.
    files : mapping of path to content
        Plugin files and the caller's own data; a worker that has not the same file in this place
        gets a copy.

    Attributes
    ----------
    connection : Connection
        Only while it is open.

    Raises
    ------
    ClusterError
        If no scheduler answers, or a worker cannot take part.
    """

    def __init__(
        self,
        *,
        jobs: int | None,
        scheduler: str | None,
        threads: int,
        fingerprints: Mapping[str, str],
        files: Mapping[str, bytes],
    ) -> None:
        run = f"hcbench-{uuid.uuid4().hex}"
        self.terms = Terms(run, fingerprints, files, threads)
        if scheduler is None:
            # A cluster in this process has its code, and its files.
            self.terms = Terms(run, fingerprints={}, files={}, threads=threads)
        self._scheduler = scheduler
        self._jobs = jobs
        self._stack = ExitStack()

    @property
    def slots(self) -> int:
        """How many cells run at a time."""
        threads = sum(self.connection.workers.values())
        if self._jobs is None:
            return threads
        return min(threads, self._jobs)

    @property
    def _name(self) -> str:
        return self._scheduler or "inproc"

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            stack.enter_context(_quiet())
            client = stack.enter_context(self._connected(stack))
            self.connection = Connection(client, self.terms.run, self._name)
            stack.enter_context(self._present())
            stack.enter_context(self.connection.watched())
            self._meet()
            # Nothing has failed: all of this ends when the cluster is closed.
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def memory(self) -> float:
        """Bytes available to a cell: the same on all machines.

        It is the smallest share that a thread of any worker has: of what dask allows the worker
        (``dask worker --memory-limit``), or else of its machine's memory. Of the workers that join
        later none is asked.
        """
        threads = self._threads_of_hosts()
        shares = []
        for welcome in self.connection.welcomes.values():
            if welcome.memory:
                shares.append(welcome.memory / welcome.threads)
            else:
                machine = welcome.machine
                shares.append(machine["memory_bytes"] / threads[machine["host"]])
        return float(min(shares))

    def describe(self) -> dict[str, Any]:
        """Which machines take part, for the description of a run."""
        machines = {}
        for welcome in self.connection.welcomes.values():
            machines[welcome.machine["host"]] = welcome.machine
        threads = self._threads_of_hosts()
        hosts = [{**machine, "threads": threads[host]} for host, machine in machines.items()]
        return {"executor": "dask", "scheduler": self._name, "workers": hosts}

    def _threads_of_hosts(self) -> Counter[str]:
        """The number of threads of all workers of each machine."""
        threads: Counter[str] = Counter()
        for welcome in self.connection.welcomes.values():
            threads[welcome.machine["host"]] += welcome.threads
        return threads

    def pool(self, cells: int) -> DaskPool:
        """The pool, for at most this many cells at a time."""
        return DaskPool(self.connection, min(cells, self._jobs or cells))

    # Beginning and end.

    def _connected(self, stack: ExitStack) -> Client:
        address = self._scheduler or stack.enter_context(_cluster_here(self._jobs))
        connect: Any = Client
        try:
            client: Client = connect(
                address, timeout=_CONNECT, set_as_default=False, name="hcbench"
            )
            return client
        except (OSError, ValueError, TypeError, RuntimeError) as error:
            raise ClusterError(
                f"no dask scheduler answers at {self._name} ({_first_line(error)}); "
                "start one with: dask scheduler"
            ) from error

    @contextmanager
    def _present(self) -> Iterator[None]:
        """Start a host in each worker, and end it at the end."""
        client = self.connection.client
        try:
            client.register_plugin(Departure(self.terms.run, client.id))
            client.register_plugin(Presence(self.terms), name=self.terms.run)
        except Exception as error:
            raise self.connection.loss() or ClusterError(
                f"the scheduler or a worker of {self._name} cannot take part "
                f"({type(error).__name__}: {_first_line(error)}); "
                "install there what is installed here"
            ) from error
        try:
            yield
        finally:
            if self.connection.loss() is None:
                with suppress(Exception):  # a worker may end meanwhile, or the scheduler
                    client.sync(self._leave, callback_timeout=_LEAVE)

    async def _leave(self) -> None:
        await self.connection.client.unregister_worker_plugin(self.terms.run)

    def _meet(self) -> None:
        """Wait for the first worker, and ask all workers for their answer to the terms.

        Raises
        ------
        ClusterError
            If one of them cannot take part.
        """
        client = self.connection.client
        try:
            if not client.nthreads():
                # A cluster that grows by itself starts a worker for a task.
                client.submit(greet, self.terms.run, pure=False).result()
            answers = client.run(greet, self.terms.run, on_error="return")
        except (OSError, CancelledError) as error:
            raise self.connection.loss() or ClusterError(
                f"{self._name}: {_first_line(error)}"
            ) from error
        welcomes = {}
        # Workers that differ from this machine would give other results.
        for address, answer in answers.items():
            if not isinstance(answer, Welcome):
                continue  # an error of a worker that has ended meanwhile
            if answer.refusal:
                raise ClusterError(f"the dask worker {address}: {answer.refusal}")
            welcomes[address] = answer
        self.connection.welcomes = welcomes
        self.connection.workers = dict(client.nthreads())


@contextmanager
def _cluster_here(jobs: int | None) -> Iterator[SpecCluster]:
    """A cluster in this process, which listens to this machine alone, without a dashboard.

    The cells are isolated in processes of their own anyway.
    """
    here = {"protocol": "inproc://", "dashboard": False, "dashboard_address": "127.0.0.1:0"}
    # No limit of memory: dask would end this process.
    worker = {**here, "nthreads": jobs or check_machine({})["cores"], "memory_limit": 0}
    make: Any = SpecCluster
    cluster: SpecCluster = make(
        scheduler={"cls": Scheduler, "options": here},
        workers={0: {"cls": Worker, "options": worker}},
        silence_logs=False,
    )
    with cluster:
        yield cluster


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep dask's logs off the terminal; errors are reported in one line."""
    loggers = [logging.getLogger(name) for name in sorted(_logger_names())]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _logger_names() -> set[str]:
    """`_LOGGERS`, and those below them to which the user's configuration of dask gives a level."""
    names = set(_LOGGERS)
    settings = dask.config.get("distributed.logging", None) or dask.config.get("logging", {})
    # Either levels by name, or a dictionary for logging.config.dictConfig.
    for name in settings.get("loggers", settings):
        if name.startswith(_LOGGERS):
            names.add(name)
    return names


def _first_line(error: BaseException) -> str:
    text = str(error) or type(error).__name__
    return text.splitlines()[0]
