"""Runs whose cells run in this process, for tests of results and not of isolation."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from threadpoolctl import threadpool_limits

from hcbench.run import cell
from hcbench.run.executors import ThisMachine
from hcbench.run.job import _unpickle_function
from hcbench.run.workers import Limits, Report


class InlinePool:
    """Replaces a pool of workers: a job runs in this process when it is submitted."""

    workers, running = (0,), ()

    def __init__(self) -> None:
        self._reports: list[Report] = []

    def next_worker(self, *, ahead: bool = False) -> int | None:
        return None if self._reports else 0

    def submit(self, tag: object, job: bytes, limits: Limits, worker: int) -> None:
        with warnings.catch_warnings():  # as in a worker
            warnings.simplefilter("default")
            # A cell of a plugin file has a process of its own, without functions of earlier cells.
            _unpickle_function.cache_clear()
            phases = ["start"]
            done = cell.run_packed(job, lambda phase, value=None: phases.append(phase))
        self._reports.append(Report(tag, "done", done, phase=phases[-1]))

    def wait(self, timeout: float | None = None) -> list[Report]:
        reports, self._reports = self._reports, []
        return reports


@contextmanager
def cells_in_this_process() -> Iterator[None]:
    """Run the cells of every run in this process, without limits."""

    @contextmanager
    def pool(machine: ThisMachine, cells: int) -> Iterator[InlinePool]:
        yield InlinePool()

    with threadpool_limits(1), pytest.MonkeyPatch.context() as patch:
        patch.setattr(ThisMachine, "pool", pool)
        patch.setattr(cell, "restore_process", lambda: None)
        yield
