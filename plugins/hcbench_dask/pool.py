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
from typing import Self

from distributed import Future, KilledWorker

from hcbench.run import Report
from hcbench_dask.connection import Connection
from hcbench_dask.host import ClusterError, key_of, run_cell

_AHEAD = 2  # cells per thread that a worker may have, so that it need not wait for us
_LOOK = 0.5  # seconds between looks at the cluster
_NOTICE = 1.0  # seconds after a broken connection, until it is known whether all of them are
_LEAVE = 5.0  # seconds for the scheduler to cancel what is queued

#: How the future of a cell ends whose worker, or whose scheduler, has gone.
_LOST = (KilledWorker, CancelledError, asyncio.CancelledError, OSError)


@dataclass(slots=True)
class _Cell:
    """A cell that was given to a worker."""

    number: int
    tag: object
    # On the monotonic clock; None while it waits for the cells before it.
    began: float | None = None
    # None until the client's event loop has submitted it.
    future: Future[Report] | None = None


class DaskPool:
    """Cells on the workers of a cluster; a context manager.

    Each cell is given to one worker, so that cells with the same data can go to the same worker.
    The cells of a worker that has gone are reported as lost: they wait again.

    Parameters
    ----------
    connection : Connection
    most : int
        How many cells may be given to workers at a time.
    """

    def __init__(self, connection: Connection, most: int) -> None:
        self._connection = connection
        self._most = most
        self._client = connection.client
        self._workers = connection.workers
        # The cells of each worker by their numbers, in the order in which it takes them.
        self._cells_of: dict[str, dict[int, _Cell]] = {worker: {} for worker in self._workers}
        self._arrived: queue.SimpleQueue[tuple[_Cell, Report | BaseException]] = queue.SimpleQueue()
        self._error: ClusterError | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _cells(self) -> list[_Cell]:
        cells: list[_Cell] = []
        for cells_of_worker in self._cells_of.values():
            cells += cells_of_worker.values()
        return cells

    @property
    def workers(self) -> Collection[str]:
        """The addresses of the dask workers."""
        return self._workers.keys()

    def next_worker(self, *, ahead: bool = False) -> str | None:
        """The worker that has room for a job, also to wait for another if `ahead`; or None."""
        # Cells per thread.
        load = {worker: len(self._cells_of[worker]) / n for worker, n in self._workers.items()}
        if not load or len(self._cells()) >= self._most:
            return None
        worker = min(load, key=load.__getitem__)
        most = 1
        if ahead:
            most = _AHEAD
        if load[worker] >= most:
            return None
        return worker

    @property
    def running(self) -> list[tuple[object, str, float]]:
        """Tag, machine and seconds so far of each job that runs, as far as is known here."""
        now = time.monotonic()
        running: list[tuple[object, str, float]] = []
        for worker, cells in self._cells_of.items():
            place = f"on {self._connection.host_of(worker)}"
            running += [
                (cell.tag, place, now - cell.began)
                for cell in cells.values()
                if cell.began is not None
            ]
        return running

    def submit(self, tag: object, job: bytes, limits: object, worker: str) -> None:
        """Give a job to a worker; `wait` returns a report with this tag, however the job ends."""
        cell = _Cell(number=next(self._connection.numbers), tag=tag)
        self._cells_of[worker][cell.number] = cell
        self._begin(worker)
        self._client.loop.add_callback(self._follow, worker, cell, job, limits)

    def _begin(self, worker: str) -> None:
        """Note which of a worker's cells are on their way, as it takes them in order."""
        now = time.monotonic()
        n_threads = self._workers[worker]
        for cell in itertools.islice(self._cells_of[worker].values(), n_threads):
            if cell.began is None:
                cell.began = now

    async def _follow(self, worker: str, cell: _Cell, job: bytes, limits: object) -> None:
        """On the client's event loop: from the submission to the result."""
        outcome: Report | BaseException
        try:
            run = self._connection.run
            # On no other worker: with `allow_other_workers`, dask forgets a cell for ever if there
            # is none at all when this one goes.
            cell.future = self._client.submit(
                run_cell,
                run,
                cell.number,
                job,
                limits,
                key=key_of(run, cell.number),
                workers=[worker],
                pure=False,
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
        # Without a worker there is nothing to do but to wait for one.
        while not self._workers or self._cells():
            reports = self._update_workers()
            pause = 0.0
            if not reports:
                pause = min(_LOOK, max(0.0, until - time.monotonic()))
            reports += self._receive(pause)
            if reports:
                return reports
            if self._error is None:
                self._error = self._connection.loss()
            if self._error is not None:
                raise self._error
            if time.monotonic() >= until:
                break
        return []

    def _update_workers(self) -> list[Report]:
        """Follow which workers come and go; the cells of those that have gone are lost."""
        self._workers = self._connection.workers
        lost: list[_Cell] = []
        for worker in self._cells_of.keys() - self._workers.keys():
            lost += self._cells_of.pop(worker).values()
        for worker in self._workers:
            self._cells_of.setdefault(worker, {})
        if lost:
            self._client.loop.add_callback(self._cancel, lost)
        return [_report_lost(cell) for cell in lost]

    def _receive(self, pause: float) -> list[Report]:
        """The reports that have arrived; an error is raised after earlier ones were returned."""
        reports: list[Report] = []
        try:
            # A timeout of 0 does not wait.
            cell, outcome = self._arrived.get(timeout=pause)
            while True:
                report = self._settle(cell, outcome)
                if report is not None:
                    reports.append(report)
                cell, outcome = self._arrived.get_nowait()
        except queue.Empty:
            return reports

    def _settle(self, cell: _Cell, outcome: Report | BaseException) -> Report | None:
        """The report on a cell; None if it was reported before, or the run cannot go on."""
        worker = self._worker_of(cell)
        if worker is None:
            return None
        if isinstance(outcome, Report):
            report = replace(outcome, tag=cell.tag)
        elif isinstance(outcome, _LOST):
            # Its worker has gone, or the scheduler, with which the run ends.
            error = self._connection.loss()
            if error is not None:
                self._fail(error)
                return None
            report = _report_lost(cell)
        elif isinstance(outcome, ClusterError):
            self._fail(outcome)
            return None
        else:
            reason = f"{type(outcome).__name__}: {outcome}"
            self._fail(ClusterError(f"dask cannot run a cell: {reason}"))
            return None
        # A thread of the worker is free again.
        del self._cells_of[worker][cell.number]
        self._begin(worker)
        return report

    def _worker_of(self, cell: _Cell) -> str | None:
        for worker, cells in self._cells_of.items():
            if cell.number in cells:
                return worker
        return None

    def _fail(self, error: ClusterError) -> None:
        """End the run with the first error, once what arrived before it is returned."""
        if self._error is None:
            self._error = error

    def close(self) -> None:
        """Cancel what is queued; what runs is ended when the cluster closes."""
        cells = self._cells()
        self._cells_of = {}
        # A scheduler that has gone answers nothing.
        if cells and self._connection.loss() is None:
            with suppress(OSError, TimeoutError, CancelledError):
                self._client.sync(self._cancel, cells, callback_timeout=_LEAVE)

    async def _cancel(self, cells: list[_Cell]) -> None:
        futures = [cell.future for cell in cells if cell.future is not None]
        await self._client.cancel(futures, force=True)


def _report_lost(cell: _Cell) -> Report:
    """The report on a cell whose dask worker has gone."""
    return Report(cell.tag, "crash", reason="its dask worker has gone", outside=True, lost=True)
