"""Runs jobs on a dask cluster, with the interface of `hcbench.run.workers.Pool`."""

from __future__ import annotations

import asyncio
import itertools
import math
import queue
import time
from collections.abc import Collection, Hashable
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from distributed import Future, KilledWorker

from hcbench.errors import WorkerError
from hcbench.run.affinity import AffinityQueue
from hcbench.run.dask_pool.host import key_of, run_cell
from hcbench.run.workers import Limits, Report

if TYPE_CHECKING:
    from hcbench.run.dask_pool.cluster import Cluster

_WINDOW = 20  # cells per thread that wait here, to be placed by their data
_MANY = 4  # waiting cells per thread; above that a worker gets its next cells in advance
_NOTICE = 1.0  # seconds after a broken connection, until it is known whether all of them are
_LEAVE = 5.0  # seconds for the scheduler to cancel what is queued


@dataclass(slots=True)
class _Cell:
    """A cell that was submitted."""

    number: int
    tag: object
    packed: bytes
    limits: Limits
    began: float | None = None


class DaskPool:
    """Cells on the workers of a cluster; a context manager.

    Each worker is given as many cells as it has threads, and as many more while many wait, so that
    it need not wait for us. Dask may move them: if a worker dies, the scheduler gives its cells to
    others, ``distributed.scheduler.allowed-failures`` times (3 by default).

    Parameters
    ----------
    cluster : Cluster
        Open.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._client = cluster.client
        self._numbers = cluster.numbers
        self._cells: dict[int, _Cell] = {}
        self._waiting: AffinityQueue[_Cell] = AffinityQueue()
        self._given: dict[str, dict[int, _Cell]] = {}
        self._futures: dict[int, Future[Report]] = {}
        self._arrived: queue.SimpleQueue[tuple[int, Report | BaseException]] = queue.SimpleQueue()
        self._error: WorkerError | None = None
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def free(self) -> int:
        """How many jobs can be submitted now: more than can run, to place them by their data."""
        return max(0, _WINDOW * max(1, self._cluster.slots) - len(self._cells))

    @property
    def room(self) -> int:
        """The same; dask queues them."""
        return self.free

    @property
    def workers(self) -> Collection[Hashable]:
        """None: the worker of a job is only chosen when the job begins."""
        return ()

    def taker(self, *, ahead: bool = False) -> Hashable:
        """No particular one; see `workers`."""
        del ahead
        return None

    @property
    def running(self) -> list[tuple[object, str, float]]:
        """Tag, machine and seconds so far of each job that runs, as far as is known here."""
        now = time.monotonic()
        return [
            (cell.tag, f"on {self._cluster.name_of(worker)}", now - cell.began)
            for worker, cells in self._given.items()
            for cell in cells.values()
            if cell.began is not None
        ]

    def submit(self, tag: object, job: object, limits: Limits, *, ahead: bool = False) -> None:
        """Run a job on some worker; `wait` returns a report with this tag, however the job ends.

        Jobs with equal ``tag.data`` are given to the same worker where that costs nothing.
        """
        del ahead
        assert isinstance(job, bytes)
        cell = _Cell(next(self._numbers), tag, job, limits)
        self._cells[cell.number] = cell
        self._waiting.add(getattr(tag, "data", None), cell)

    def wait(self, timeout: float | None = None) -> list[Report]:
        """Return the reports so far, waiting for the first.

        Empty if `timeout` seconds passed or no job runs.

        Raises
        ------
        WorkerError
            If the scheduler is gone, or a worker cannot run cells; what arrived before is returned
            first.
        """
        until = math.inf if timeout is None else time.monotonic() + timeout
        reports: list[Report] = []
        while self._cells and not reports:
            self._place()
            reports = self._receive(min(0.5, max(0.0, until - time.monotonic())))
            if not reports:
                self._error = self._error or self._cluster.loss()
                if self._error is not None:
                    raise self._error
                if time.monotonic() >= until:
                    break
        self._place()
        return reports

    # Submitting.

    def _place(self) -> None:
        workers = self._cluster.workers
        if self._given.keys() != workers.keys():
            self._given = {name: self._given.get(name, {}) for name in workers}
            self._waiting.keep(workers)
        while self._waiting and (worker := self._next_worker()) is not None:
            self._give(worker, self._waiting.take(worker))

    def _next_worker(self) -> str | None:
        """The one with the fewest cells for its threads, if it may have more."""
        workers = self._cluster.workers
        if sum(map(len, self._given.values())) >= self._cluster.most:
            return None
        load = {name: len(cells) / workers[name] for name, cells in self._given.items()}
        worker = min(load, key=load.__getitem__, default=None)
        most = 2 if len(self._waiting) > _MANY * self._cluster.slots else 1
        return worker if worker is not None and load[worker] < most else None

    def _give(self, worker: str, cell: _Cell) -> None:
        self._given[worker][cell.number] = cell
        self._begin(worker)
        asyncio.run_coroutine_threadsafe(self._follow(worker, cell), self._client.loop.asyncio_loop)

    def _begin(self, worker: str) -> None:
        """Note which of a worker's cells are on their way, as it takes them in order."""
        now = time.monotonic()
        threads = self._cluster.workers.get(worker, 0)
        for cell in itertools.islice(self._given[worker].values(), threads):
            cell.began = cell.began or now

    async def _follow(self, worker: str, cell: _Cell) -> None:
        """On the client's event loop: from the submission to the result."""
        outcome: Report | BaseException
        try:
            future = self._client.submit(
                run_cell,
                self._cluster.terms.run,
                cell.number,
                cell.packed,
                cell.limits,
                key=key_of(self._cluster.terms.run, cell.number),
                workers=[worker],
                allow_other_workers=True,
                pure=False,
            )
            self._futures[cell.number] = future
            outcome = await future
        except OSError as error:
            await asyncio.sleep(_NOTICE)
            outcome = error
        except BaseException as error:
            outcome = error
        self._futures.pop(cell.number, None)
        self._arrived.put((cell.number, outcome))

    # Receiving.

    def _receive(self, pause: float) -> list[Report]:
        """The reports that have arrived; an error is raised after earlier ones were returned."""
        reports = []
        with suppress(queue.Empty):
            arrival = self._arrived.get(timeout=pause) if pause else self._arrived.get_nowait()
            while True:
                report = self._settle(*arrival)
                if report is not None:
                    reports.append(report)
                arrival = self._arrived.get_nowait()
        return reports

    def _settle(self, number: int, outcome: Report | BaseException) -> Report | None:
        cell = self._cells[number]
        report = self._report(cell.tag, outcome)
        if report is not None:
            del self._cells[number]
            for worker, cells in self._given.items():
                if cells.pop(number, None) is not None:
                    self._begin(worker)
        return report

    def _report(self, tag: object, outcome: Report | BaseException) -> Report | None:
        """The report on a cell; None if the run cannot go on."""
        match outcome:
            case Report():
                return replace(outcome, tag=tag)
            case KilledWorker():
                times = outcome.allowed_failures + 1
                why = f"{times} dask workers died with it" if times > 1 else "its dask worker died"
                return Report(tag, "crash", reason=why, outside=True)
            case CancelledError() | asyncio.CancelledError() | OSError():
                self._error = self._error or self._cluster.loss()
                if self._error is None:
                    why = "the dask scheduler gave it up"
                    return Report(tag, "crash", reason=why, outside=True, lost=True)
            case WorkerError():
                self._error = self._error or outcome
            case _:
                what = f"{type(outcome).__name__}: {outcome}"
                self._error = self._error or WorkerError(f"dask cannot run a cell: {what}")
        return None

    def close(self) -> None:
        """Cancel what is queued; what runs is ended when the cluster closes."""
        if self._closed:
            return
        self._closed = True
        futures = list(self._futures.values())
        if futures and self._cluster.loss() is None:
            with suppress(OSError, TimeoutError, CancelledError):
                self._client.sync(self._forget, futures, callback_timeout=_LEAVE)

    async def _forget(self, futures: list[Future[Report]]) -> None:
        await self._client.cancel(futures, force=True)
