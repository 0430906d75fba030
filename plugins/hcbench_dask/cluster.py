"""A dask cluster, from the beginning of a run to its end."""

from __future__ import annotations

import asyncio
import itertools
import logging
import sys
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, Self

from distributed import Client, Scheduler, SpecCluster, Worker

from hcbench import check_machine
from hcbench_dask.host import (
    ClusterError,
    Departure,
    Presence,
    SchedulerLostError,
    Terms,
    Welcome,
    greet,
)
from hcbench_dask.pool import DaskPool

_CONNECT = 8.0  # seconds for the scheduler to answer
_LOOK = 1.0  # seconds between updates of the list of workers
_PATIENCE = 10.0  # seconds without a worker, or without an answer, until that is told
_LEAVE = 5.0  # seconds for the workers to end what runs
_LOGGERS = ("distributed", "tornado.application", "asyncio")


class Cluster:
    """The machines of a dask cluster; a context manager.

    While it is open, every dask worker, those that join later too, has a host for the run. It waits
    for the first worker: a cluster that grows by itself has none until it is asked.

    Parameters
    ----------
    jobs : int, optional
        The most cells at a time; by default one per thread, in this process one per core.
    scheduler : str, optional
        Its address, as dask has it; ``tls://`` takes the certificates from dask's configuration.
        Without one the cluster is in this process; only the cells have others.
    fingerprints : mapping of name to fingerprint
        Of the code that decides results. A worker with another fingerprint would measure something
        else than the keys of the cells say.
    files : mapping of path to content
        Plugin files and the caller's own data; a worker that has not the same file in this place
        gets a copy.

    Attributes
    ----------
    client : distributed.Client
    workers : dict of address to number of threads
        Those of the last seconds.

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
        fingerprints: Mapping[str, str],
        files: Mapping[str, bytes],
    ) -> None:
        run = f"hcbench-{uuid.uuid4().hex}"
        # A cluster in this process has its code, and its files.
        self.terms = Terms(run, fingerprints, files) if scheduler else Terms(run, {}, {})
        self.client: Any = None
        self.workers: dict[str, int] = {}
        self._scheduler = scheduler
        self._jobs = jobs
        self.numbers = itertools.count(1)  # of cells, also over several pools
        self._welcomes: dict[str, Welcome] = {}
        self._stack = ExitStack()

    @property
    def slots(self) -> int:
        """How many cells run at a time."""
        return min(sum(self.workers.values()), self._jobs or sum(self.workers.values()))

    @property
    def _name(self) -> str:
        return self._scheduler or "inproc"

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            stack.enter_context(_quiet())
            self.client = stack.enter_context(self._connected(stack))
            stack.enter_context(self._present())
            watching = asyncio.run_coroutine_threadsafe(
                self._watch(), self.client.loop.asyncio_loop
            )
            stack.callback(watching.cancel)
            self._meet()
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
        shares = [
            welcome.memory / welcome.threads
            if welcome.memory
            else welcome.machine["memory_bytes"] / threads[welcome.machine["host"]]
            for welcome in self._welcomes.values()
        ]
        return float(min(shares))

    def describe(self) -> dict[str, Any]:
        """Which machines take part, for the description of a run."""
        threads = self._threads_of_hosts()
        machines = {w.machine["host"]: w.machine for w in self._welcomes.values()}
        hosts = [{**machine, "threads": threads[host]} for host, machine in machines.items()]
        return {"executor": "dask", "scheduler": self._name, "workers": hosts}

    def _threads_of_hosts(self) -> Counter[str]:
        threads: Counter[str] = Counter()
        for welcome in self._welcomes.values():
            threads[welcome.machine["host"]] += welcome.threads
        return threads

    def pool(self, cells: int) -> DaskPool:
        """The pool, for at most this many cells at a time."""
        return DaskPool(self, min(cells, self._jobs or cells))

    def name_of(self, worker: str) -> str:
        """The host of a worker, for people."""
        known = self._welcomes.get(worker)
        return str(known.machine["host"]) if known else worker

    def loss(self) -> ClusterError | None:
        """The error to raise if the scheduler is gone."""
        if self.client.status == "running":
            return None
        return SchedulerLostError(
            f"the scheduler at {self._name} is gone; what is done is kept: "
            "the same command resumes, once there is a scheduler"
        )

    # Beginning and end.

    def _connected(self, stack: ExitStack) -> Client:
        where = self._scheduler or stack.enter_context(_cluster_here(self._jobs))
        connect: Any = Client
        try:
            client: Client = connect(where, timeout=_CONNECT, set_as_default=False, name="hcbench")
            return client
        except (OSError, ValueError, TypeError, RuntimeError) as error:
            raise ClusterError(
                f"no dask scheduler answers at {self._name} ({_first_line(error)}); "
                "start one with: dask scheduler"
            ) from error

    @contextmanager
    def _present(self) -> Iterator[None]:
        """Start a host in each worker, and end it at the end."""
        try:
            self.client.register_plugin(Departure(self.terms.run, self.client.id))
            self.client.register_plugin(Presence(self.terms), name=self.terms.run)
        except Exception as error:
            raise self.loss() or ClusterError(
                f"the scheduler or a worker of {self._name} cannot take part "
                f"({type(error).__name__}: {_first_line(error)}); "
                "install there what is installed here"
            ) from error
        try:
            yield
        finally:
            if self.loss() is None:
                with suppress(Exception):  # a worker may end meanwhile, or the scheduler
                    self.client.sync(self._leave, callback_timeout=_LEAVE)

    async def _leave(self) -> None:
        await self.client.unregister_worker_plugin(self.terms.run)

    def _meet(self) -> None:
        """Wait for the first worker, and ask all workers for their answer to the terms.

        Raises
        ------
        ClusterError
            If one of them cannot take part.
        """
        try:
            if not self.client.nthreads():
                self.client.submit(greet, self.terms.run, pure=False).result()
            answers = self.client.run(greet, self.terms.run, on_error="return")
        except (OSError, CancelledError) as error:
            raise self.loss() or ClusterError(f"{self._name}: {_first_line(error)}") from error
        welcomes = {name: each for name, each in answers.items() if isinstance(each, Welcome)}
        for name, welcome in welcomes.items():
            if welcome.refusal:
                raise ClusterError(f"the dask worker {name}: {welcome.refusal}")
        self._welcomes = welcomes
        self.workers = dict(self.client.nthreads())

    async def _watch(self) -> None:
        """Update the list of workers from time to time; tell if nothing can run for a while."""
        ready, told = time.monotonic(), False
        while True:
            fault = ""
            with suppress(OSError):  # see `loss`
                try:
                    self.workers = dict(await asyncio.wait_for(self.client.nthreads(), _PATIENCE))
                    fault = "" if self.workers else "has no worker"
                except TimeoutError:
                    fault = "does not answer"
            if not fault:
                ready, told = time.monotonic(), False
            elif not told and time.monotonic() - ready >= _PATIENCE:
                told = True
                sys.stderr.write(f"hcbench: the dask scheduler at {self._name} {fault}; waiting\n")
            await asyncio.sleep(_LOOK)


@contextmanager
def _cluster_here(jobs: int | None) -> Iterator[SpecCluster]:
    """A cluster in this process, which listens to this machine alone, without a dashboard.

    The cells are isolated in processes of their own anyway.
    """
    here = {"protocol": "inproc://", "dashboard": False, "dashboard_address": "127.0.0.1:0"}
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
    loggers = [logging.getLogger(name) for name in _loggers()]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _loggers() -> list[str]:
    return [n for n in [*logging.root.manager.loggerDict] if n.startswith(_LOGGERS)]


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]
