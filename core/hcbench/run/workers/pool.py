"""The pool: jobs in, reports out, limits enforced."""

from __future__ import annotations

import itertools
import math
import os
import selectors
import sys
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Self

from hcbench.errors import WorkerError
from hcbench.run.workers.connections import ServerConnection, Submission, WorkerConnection
from hcbench.run.workers.encoding import EncodingError, decode
from hcbench.run.workers.messages import (
    Decode,
    Ended,
    Finished,
    Limits,
    Order,
    Report,
    Started,
    StartFailed,
    keep_short,
    name_exit,
    pack,
)
from hcbench.run.workers.processes import kill_group

_POLL = 0.05  # seconds between looks at the memory and the logs
_START_SECONDS = 120.0
_DYING = 10.0  # seconds to wait for the end of a killed worker
_SHORT_SECONDS = 0.02
_MOST_AHEAD = 16
_CLOSED = 1.0  # seconds between the end of a worker's connection and its own


def _thread_variables(count: int) -> dict[str, str]:
    """Environment variables that have libraries use so many threads."""
    libraries = ("OMP", "OPENBLAS", "MKL", "BLIS", "VECLIB", "NUMEXPR", "NUMBA")
    return {f"{library}_NUM_THREADS": str(count) for library in libraries}


class Pool:
    """Worker processes that do jobs one after the other; a context manager.

    Limits are enforced while `wait` is called. After a KeyboardInterrupt the pool can only be
    closed. What a job changes in its process (environment, working directory, global random state)
    is seen by the next job of that worker.

    Parameters
    ----------
    slots
        How many jobs run at a time.
    target
        ``module:function``, called as ``function(packed, announce)`` in a worker, where ``packed``
        is what was submitted as bytes, and
        ``announce(phase, value=None)`` says that a phase begins, and what to report if the job does
        not end by itself.
    preload
        Modules imported once for all workers; one that cannot be imported is skipped.
    decode
        Reads what the target has returned or announced; by default plain values.
    threads
        Of BLAS, OpenMP and numba in each worker, whose environment says so.
    variables
        Further environment variables of the workers, which are read when modules are imported.

    Attributes
    ----------
    start_seconds : float
        How long the fork server may take for its imports before it is replaced.
    short_seconds : float
        A worker whose last job took less may have further jobs at hand.
    most_ahead : int
        How many jobs such a worker may have, while others are stored.
    """

    def __init__(
        self,
        slots: int,
        target: str,
        *,
        preload: Sequence[str] = (),
        decode: Decode = decode,
        threads: int = 1,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        if not hasattr(os, "fork"):
            raise WorkerError(f"isolated workers need fork(), which {sys.platform} does not have")
        self.start_seconds = _START_SECONDS
        self.short_seconds = _SHORT_SECONDS
        self.most_ahead = _MOST_AHEAD
        self._slots = slots
        self._target = target
        self._preload = tuple(preload)
        self._decode = decode
        self._variables = _thread_variables(threads) | dict(variables or {})
        self._server: ServerConnection | None = None
        self._workers: dict[int, WorkerConnection] = {}
        self._numbers = itertools.count(1)
        self._closed = False
        self._reports: list[Report] = []
        self._next_poll = 0.0
        self._selector = selectors.DefaultSelector()
        try:
            for _ in range(slots):
                self._start_worker()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def running(self) -> list[tuple[object, str, float]]:
        """Tag, phase and seconds so far of each job that runs."""
        now = time.monotonic()
        return [(job.tag, job.phase, max(0.0, now - job.began)) for job in self._jobs()]

    @property
    def workers(self) -> Collection[int]:
        """The workers, by number."""
        return self._workers.keys()

    def next_worker(self, *, ahead: bool = False) -> int | None:
        """The worker that begins a new job first; None if there is no room for one.

        With `ahead` it may have other jobs, if they are short, so that it need not wait for the
        main process.
        """
        reachable = []
        for worker in self._workers.values():
            if not worker.is_closed and worker.killed_at == math.inf:
                reachable.append(worker)
        if len(self._jobs()) < self._slots:
            idle = [worker for worker in reachable if not worker.jobs]
            if not idle:
                return self._start_worker().number
            # Rather one that has started than one that was only asked for.
            return max(idle, key=lambda worker: worker.pid > 0).number
        if not ahead:
            return None
        now = time.monotonic()
        quick = []
        for worker in reachable:
            is_quick = worker.is_quick(now, self.short_seconds)
            if is_quick and len(worker.jobs) < self.most_ahead:
                quick.append(worker)
        if not quick:
            return None
        return min(quick, key=lambda worker: len(worker.jobs)).number

    def submit(self, tag: object, job: object, limits: Limits, worker: int | None = None) -> None:
        """Give a job to a worker; `wait` returns a report with this tag, however the job ends.

        Parameters
        ----------
        tag, limits
        job
            It is pickled, functions by value, for a target that unpickles it; see `submit_packed`.
        worker
            Of `next_worker`; by default one that is idle.

        Raises
        ------
        WorkerError
            If none is idle.
        """
        import cloudpickle  # 30 ms, which --help need not wait for

        try:
            packed = cloudpickle.dumps(job)
        except Exception as error:
            why = f"the job cannot be sent to a worker: {type(error).__name__}: {error}"
            self._reports.append(Report(tag, "error", reason=why))
            return
        self.submit_packed(tag, packed, limits, worker)

    def submit_packed(
        self, tag: object, packed: bytes, limits: Limits, worker: int | None = None
    ) -> None:
        """Give a job that is pickled already to a worker, as `submit` does."""
        number = next(self._numbers)
        if worker is None:
            worker = self.next_worker()
        if worker is None:
            raise WorkerError(f"all {self._slots} slots are busy: wait() before submitting more")
        frame = pack(Order(number, packed, limits))
        self._give(self._workers[worker], Submission(number, tag, limits, frame))

    def _give(self, worker: WorkerConnection, job: Submission) -> None:
        worker.jobs.append(job)
        if worker.pid:
            worker.outbox += job.frame
            if len(worker.jobs) == 1:
                job.start(time.monotonic())
            self._write(worker)

    def wait(self, timeout: float | None = None) -> list[Report]:
        """Return the reports so far, waiting for the first.

        Empty if `timeout` seconds passed (0: without waiting) or no job runs.
        """
        until = math.inf
        if timeout is not None:
            until = time.monotonic() + timeout
        over = False
        while not over and not self._reports and self._jobs():
            now = time.monotonic()
            over = now >= until
            # Messages first, as a result that has arrived in time is no timeout.
            self._handle(self._selector.select(self._pause(now, until)))
            self._enforce()
        reports = self._reports
        self._reports = []
        return reports

    def close(self) -> None:
        """Kill everything, running jobs too."""
        self._closed = True
        server = self._server
        self._server = None
        try:
            if server is not None:
                code, _ = server.close()
                # The server ended without killing its workers, as after kill -9.
                if code != 0:
                    self._kill_groups()
        finally:
            for worker in self._workers.values():
                worker.close()
            self._workers.clear()
            self._selector.close()

    def _jobs(self) -> list[Submission]:
        return [worker.job for worker in self._workers.values() if worker.job is not None]

    # Starting and ending workers.

    def _start_worker(self) -> WorkerConnection:
        worker = self._running_server().fork(next(self._numbers))
        self._workers[worker.number] = worker
        # Its number is known before its process id, which the server sends when it has forked.
        self._selector.register(worker.connection, selectors.EVENT_READ, worker)
        return worker

    def _running_server(self) -> ServerConnection:
        if self._closed:
            raise WorkerError("the pool is closed")
        if self._server is None:
            self._server = ServerConnection(self._target, self._preload, self._variables)
            self._selector.register(self._server.control, selectors.EVENT_READ)
        return self._server

    def _kill(self, worker: WorkerConnection, report: Report, at: float) -> None:
        """Kill a worker; a job that runs, which ended at a time, is reported when it is gone."""
        worker.killed_at = at
        worker.final = report
        if self._server is not None and worker.pid:
            self._server.kill(worker.pid)

    def _kill_groups(self) -> None:
        # Only without a server, which knows whether a process id is still the worker's.
        for worker in self._workers.values():
            if worker.pid:
                kill_group(worker.pid)

    def _replace(self, worker: WorkerConnection, report: Report | None) -> None:
        """Report the job of a worker that is gone, and start another worker in its place.

        Without a job none is started, as a worker that ends at once would be started for ever.
        """
        was_busy = worker.job is not None
        unfinished = self._remove(worker, report)
        if was_busy:
            self._start_worker().jobs.extend(unfinished)

    def _remove(self, worker: WorkerConnection, report: Report | None) -> list[Submission]:
        """Report the job of a worker that is gone, if it has one, and forget the worker.

        Returns the jobs that waited behind it, as new: they are not to blame.
        """
        report = worker.final or report
        if report is not None and worker.jobs:
            at = min(worker.killed_at, time.monotonic())
            self._reports.append(worker.finish(report, at, self._decode))
        del self._workers[worker.number]
        self._ignore(worker)
        worker.close()
        return [Submission(job.number, job.tag, job.limits, job.frame) for job in worker.jobs]

    def _ignore(self, worker: WorkerConnection) -> None:
        with suppress(KeyError):
            self._selector.unregister(worker.connection)

    # Messages to and from the processes.

    def _write(self, worker: WorkerConnection) -> None:
        worker.write()
        if worker.is_closed:
            return
        events = selectors.EVENT_READ
        if worker.outbox:
            events |= selectors.EVENT_WRITE
        self._selector.modify(worker.connection, events, worker)

    def _handle(self, events: list[tuple[selectors.SelectorKey, int]]) -> None:
        for key, mask in events:
            worker = key.data
            if worker is None:
                self._receive_from_server()
            elif worker.number in self._workers:
                if mask & selectors.EVENT_WRITE:
                    self._write(worker)
                self._receive(worker)

    def _receive(self, worker: WorkerConnection) -> None:
        try:
            for result in worker.read():
                self._follow(worker)
                job = worker.undecided
                if job is not None and result.order == job.number:
                    self._settle(worker, job, result)
        except EncodingError as error:
            self._refuse(worker, error)
        self._follow(worker)
        if worker.is_closed:
            self._ignore(worker)  # a closed connection is always readable

    def _follow(self, worker: WorkerConnection) -> None:
        try:
            late = worker.follow()
        except EncodingError as error:
            self._refuse(worker, error)
            return
        if late is not None:
            self._kill(worker, late, time.monotonic())

    def _refuse(self, worker: WorkerConnection, error: EncodingError) -> None:
        """Kill a worker in which something else than our code has written a message."""
        if worker.killed_at == math.inf:
            why = f"wrote into its connection to the harness: {error}"
            self._kill(worker, Report(None, "crash", reason=why), time.monotonic())

    def _settle(self, worker: WorkerConnection, job: Submission, result: Finished) -> None:
        late = job.late(result.at)
        if late is None:
            report = job.ended(result, self._decode)
        else:
            report = replace(late, log=result.log)
        # The result has brought the log with it.
        worker.log_is_read = True
        # Its process is not as it was, and does no further job.
        if result.spent or late is not None:
            self._kill(worker, report, result.at)
        else:
            self._reports.append(worker.finish(report, result.at, self._decode))

    def _receive_from_server(self) -> None:
        if self._server is None:
            return
        messages = self._server.read()
        if messages is None:
            self._lose_server(self._server)
            return
        for message in messages:
            match message:
                case Started(number, pid) if number in self._workers:
                    self._begin(self._workers[number], pid)
                case StartFailed(_, reason):
                    raise WorkerError(f"cannot fork a worker process: {reason}")
                case Ended(pid, code):
                    self._reap(pid, code)

    def _begin(self, worker: WorkerConnection, pid: int) -> None:
        worker.pid = pid
        for job in worker.jobs:
            worker.outbox += job.frame
        if worker.job is not None:
            worker.job.start(time.monotonic())
        self._write(worker)

    def _reap(self, pid: int, code: int) -> None:
        for worker in list(self._workers.values()):
            if worker.pid != pid:
                continue
            self._receive(worker)  # it may be a result
            report = None
            if worker.job is not None:
                report = worker.job.exited(code)
            self._replace(worker, report)

    def _lose_server(self, server: ServerConnection) -> None:
        self._server = None
        self._selector.unregister(server.control)
        code, printed = server.close()
        if not server.ready and not server.was_proven:
            raise WorkerError(
                f"the worker processes cannot be started: exit code {code}\n{printed}".rstrip()
            )
        self._kill_groups()
        why = f"the process that starts the workers ended ({name_exit(code)})"
        unfinished: list[Submission] = []
        for worker in list(self._workers.values()):
            self._receive(worker)
            report = None
            if server.ready:
                report = Report(None, "crash", reason=why, outside=True, lost=True)
            # A server that was not ready had begun no job, which is run again.
            unfinished += self._remove(worker, report)
        if unfinished:
            # Rising numbers distinguish a worker's phases from those of its next jobs.
            self._start_worker().jobs.extend(sorted(unfinished, key=lambda job: job.number))

    # Limits.

    def _pause(self, now: float, until: float) -> float:
        """Seconds until a limit has to be checked."""
        wake_at = min(until, self._next_poll, now + _POLL)
        for worker in self._workers.values():
            job = worker.undecided
            if worker.pid and job is not None:
                wake_at = min(wake_at, job.phase_began + job.limits.allowed(job.phase))
        return max(0.0, wake_at - now)

    def _enforce(self) -> None:
        now = time.monotonic()
        polling = now >= self._next_poll
        if polling:
            self._next_poll = now + _POLL
        for worker in list(self._workers.values()):
            self._enforce_time(worker, now)
            if polling and worker.number in self._workers:  # it may just have been removed
                self._enforce_memory(worker, now)

    def _enforce_time(self, worker: WorkerConnection, now: float) -> None:
        if not worker.pid:
            if now - worker.asked_at > self.start_seconds:
                if self._server is None or not self._server.ready:
                    raise WorkerError(
                        f"no worker process has started within {self.start_seconds:g} s"
                    )
                self._server.kill_server()  # it was stopped; another one takes its place
        elif worker.killed_at < math.inf:
            if now - worker.killed_at > _DYING:
                self._replace(worker, worker.final)
        elif now - worker.closed_since > _CLOSED:
            why = "closed its connection to the harness"
            self._kill(worker, Report(None, "crash", reason=why), now)
        elif worker.job is not None and worker.job.late(now) is not None:
            self._follow(worker)  # the phase may be over
            job = worker.undecided
            report = None
            if job is not None:
                report = job.late(now)
            if report is not None:
                self._kill(worker, report, now)

    def _enforce_memory(self, worker: WorkerConnection, now: float) -> None:
        keep_short(worker.log.fileno())
        self._follow(worker)
        job = worker.undecided
        report = None
        if job is not None:
            report = job.too_large(worker.pid)
        if report is not None:
            self._kill(worker, report, now)
