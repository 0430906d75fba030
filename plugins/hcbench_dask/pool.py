"""Runs the jobs of cells on a dask cluster."""

from __future__ import annotations

import asyncio
import itertools
import math
import queue
import time
from collections.abc import Collection
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from distributed import Future, KilledWorker

from hcbench import Report
from hcbench_dask.host import ClusterError, key_of, run_cell

if TYPE_CHECKING:
    from hcbench_dask.cluster import Cluster

_AHEAD = 2  # cells per thread that a worker may have, so that it need not wait for us
_LOOK = 0.5  # seconds between looks at the cluster
_NOTICE = 1.0  # seconds after a broken connection, until it is known whether all of them are
_LEAVE = 5.0  # seconds for the scheduler to cancel what is queued


@dataclass(slots=True)
class _Cell:
    """A cell that was given to a worker."""

    number: int
    tag: object
    began: float | None = None
    future: Future[Report] | None = None


class DaskPool:
    """Cells on the workers of a cluster; a context manager.

    Each cell is given to one worker, so that cells with the same data can go to the same worker.
    The cells of a worker that has gone are reported as lost: they wait again.

    Parameters
    ----------
    cluster : Cluster
        Open.
    most : int
        How many cells may be given to workers at a time.
    """

    def __init__(self, cluster: Cluster, most: int) -> None:
        self._cluster = cluster
        self._most = most
        self._client = cluster.client
        self._workers = cluster.workers
        self._given: dict[str, dict[int, _Cell]] = {name: {} for name in self._workers}
        self._arrived: queue.SimpleQueue[tuple[_Cell, Report | BaseException]] = queue.SimpleQueue()
        self._error: ClusterError | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _cells(self) -> list[_Cell]:
        return [cell for cells in self._given.values() for cell in cells.values()]

    @property
    def workers(self) -> Collection[str]:
        """The addresses of the dask workers."""
        return self._workers.keys()

    def next_worker(self, *, ahead: bool = False) -> str | None:
        """The worker that has room for a job, also to wait for another if `ahead`; or None."""
        load = {name: len(self._given[name]) / n for name, n in self._workers.items()}
        worker = min(load, key=load.__getitem__, default=None)
        if worker is None or len(self._cells()) >= self._most:
            return None
        return worker if load[worker] < (_AHEAD if ahead else 1) else None

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

    def submit(self, tag: object, job: bytes, limits: object, worker: str) -> None:
        """Give a job to a worker; `wait` returns a report with this tag, however the job ends."""
        cell = _Cell(next(self._cluster.numbers), tag)
        self._given[worker][cell.number] = cell
        self._begin(worker)
        following = self._follow(worker, cell, job, limits)
        asyncio.run_coroutine_threadsafe(following, self._client.loop.asyncio_loop)

    def _begin(self, worker: str) -> None:
        """Note which of a worker's cells are on their way, as it takes them in order."""
        now = time.monotonic()
        for cell in itertools.islice(self._given[worker].values(), self._workers[worker]):
            cell.began = cell.began or now

    async def _follow(self, worker: str, cell: _Cell, job: bytes, limits: object) -> None:
        """On the client's event loop: from the submission to the result."""
        outcome: Report | BaseException
        try:
            run = self._cluster.terms.run
            key = key_of(run, cell.number)
            # On no other worker: with `allow_other_workers`, dask forgets a cell for ever if there
            # is none at all when this one goes.
            cell.future = self._client.submit(
                *(run_cell, run, cell.number, job, limits), key=key, workers=[worker], pure=False
            )
            outcome = await cell.future
        except OSError as error:
            await asyncio.sleep(_NOTICE)
            outcome = error
        except BaseException as error:
            outcome = error
        self._arrived.put((cell, outcome))

    def wait(self, timeout: float | None = None) -> list[Report]:
        """Return the reports so far, waiting for the first.

        Empty if `timeout` seconds passed, or if no job runs and there are workers for one.

        Raises
        ------
        ClusterError
            If the scheduler is gone, or a worker cannot run cells; what arrived before is returned
            first.
        """
        until = math.inf if timeout is None else time.monotonic() + timeout
        reports: list[Report] = []
        while not reports and (not self._workers or self._cells()):
            reports = self._leave_behind()
            pause = 0.0 if reports else min(_LOOK, max(0.0, until - time.monotonic()))
            reports += self._receive(pause)
            if not reports:
                self._error = self._error or self._cluster.loss()
                if self._error is not None:
                    raise self._error
                if time.monotonic() >= until:
                    break
        return reports

    def _leave_behind(self) -> list[Report]:
        """Follow who comes and goes; the cells of workers that have gone are lost."""
        self._workers = self._cluster.workers
        gone = {name: self._given.pop(name) for name in self._given.keys() - self._workers.keys()}
        self._given = {name: self._given.get(name, {}) for name in self._workers}
        lost = [cell for cells in gone.values() for cell in cells.values()]
        self._forget(lost)
        return [_lost(cell) for cell in lost]

    def _receive(self, pause: float) -> list[Report]:
        """The reports that have arrived; an error is raised after earlier ones were returned."""
        reports = []
        with suppress(queue.Empty):
            arrival = self._arrived.get(timeout=pause) if pause else self._arrived.get_nowait()
            while True:
                reports += self._settle(*arrival)
                arrival = self._arrived.get_nowait()
        return reports

    def _settle(self, cell: _Cell, outcome: Report | BaseException) -> list[Report]:
        """The report on a cell; none if it was reported before, or the run cannot go on."""
        worker = next((name for name, its in self._given.items() if cell.number in its), None)
        if worker is None:
            return []
        match outcome:
            case Report():
                report = replace(outcome, tag=cell.tag)
            case KilledWorker() | CancelledError() | asyncio.CancelledError() | OSError():
                if error := self._cluster.loss():
                    return self._fail(error)
                report = _lost(cell)
            case ClusterError():
                return self._fail(outcome)
            case _:
                what = f"{type(outcome).__name__}: {outcome}"
                return self._fail(ClusterError(f"dask cannot run a cell: {what}"))
        del self._given[worker][cell.number]
        self._begin(worker)
        return [report]

    def _fail(self, error: ClusterError) -> list[Report]:
        self._error = self._error or error
        return []

    def close(self) -> None:
        """Cancel what is queued; what runs is ended when the cluster closes."""
        cells, self._given = self._cells(), {}
        if cells and self._cluster.loss() is None:
            with suppress(OSError, TimeoutError, CancelledError):
                self._client.sync(self._cancel, cells, callback_timeout=_LEAVE)

    def _forget(self, cells: list[_Cell]) -> None:
        if cells:
            asyncio.run_coroutine_threadsafe(self._cancel(cells), self._client.loop.asyncio_loop)

    async def _cancel(self, cells: list[_Cell]) -> None:
        futures = [cell.future for cell in cells if cell.future is not None]
        await self._client.cancel(futures, force=True)


def _lost(cell: _Cell) -> Report:
    """The report on a cell whose dask worker has gone."""
    why = "its dask worker has gone"
    return Report(cell.tag, "crash", reason=why, outside=True, lost=True)
