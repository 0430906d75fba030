"""The connection of a run to a dask scheduler: its workers, and whether the scheduler is there."""

from __future__ import annotations

import asyncio
import itertools
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from hcbench_dask.host import ClusterError, SchedulerLostError, Welcome

_LOOK = 1.0  # seconds between updates of the list of workers
_PATIENCE = 10.0  # seconds without a worker, or without an answer, until the user is told


class Connection:
    """What the pools of a run know about its cluster.

    Parameters
    ----------
    client : distributed.Client
    run : str
        A name that no other run has.
    scheduler : str
        The address of the scheduler, for messages.

    Attributes
    ----------
    workers : dict of address to number of threads
        Those of the last seconds, while it is watched.
    welcomes : dict of address to Welcome
        The answers of the workers that were there at the beginning.
    numbers : iterator of int
        The numbers of the cells, also over several pools.
    """

    def __init__(self, client: Any, run: str, scheduler: str) -> None:
        self.client = client
        self.run = run
        self.scheduler = scheduler
        self.workers: dict[str, int] = {}
        self.welcomes: dict[str, Welcome] = {}
        self.numbers = itertools.count(1)

    def host_of(self, worker: str) -> str:
        """The name of a worker's machine; its address if it has joined later."""
        welcome = self.welcomes.get(worker)
        if welcome is None:
            return worker
        return str(welcome.machine["host"])

    def loss(self) -> ClusterError | None:
        """The error to raise if the scheduler is gone."""
        if self.client.status == "running":
            return None
        return SchedulerLostError(
            f"the scheduler at {self.scheduler} is gone; what is done is kept: "
            "the same command resumes, once there is a scheduler"
        )

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Update the list of workers from time to time; say so if nothing can run for a while."""
        watching = self.client.sync(self._start_watching)
        try:
            yield
        finally:
            # The task belongs to the loop of the client, which runs in another thread.
            self.client.loop.add_callback(watching.cancel)

    async def _start_watching(self) -> asyncio.Task[None]:
        return asyncio.create_task(self._watch())

    async def _watch(self) -> None:
        last_ready = time.monotonic()
        is_told = False
        while True:
            fault = await self._update_workers()
            if not fault:
                last_ready = time.monotonic()
                is_told = False
            elif not is_told and time.monotonic() - last_ready >= _PATIENCE:
                is_told = True
                sys.stderr.write(
                    f"hcbench: the dask scheduler at {self.scheduler} {fault}; waiting\n"
                )
            await asyncio.sleep(_LOOK)

    async def _update_workers(self) -> str:
        """Why nothing can run now; "" if cells can run."""
        # If the scheduler is gone, `loss` tells so where it matters.
        with suppress(OSError):
            try:
                workers = await asyncio.wait_for(self.client.nthreads(), _PATIENCE)
            except TimeoutError:
                return "does not answer"
            self.workers = dict(workers)
            if not self.workers:
                return "has no worker"
        return ""
