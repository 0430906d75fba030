"""The pool: jobs in, reports out, limits enforced."""

from __future__ import annotations

import itertools
import math
import os
import pickle
import selectors
import sys
import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Self

from hcbench.errors import WorkerError
from hcbench.run.workers.job import Job
from hcbench.run.workers.limits import Limits
from hcbench.run.workers.links import NurseryLink, WorkerLink
from hcbench.run.workers.logs import keep_short
from hcbench.run.workers.messages import (
    PROTOCOL,
    Born,
    Died,
    Order,
    Ready,
    Result,
    Stillborn,
    pack,
)
from hcbench.run.workers.processes import kill_group
from hcbench.run.workers.reports import Report, Verdict, crashed, ended_early, judge, name_exit

_POLL = 0.05  # seconds between looks at the memory and the logs
_START = 120.0  # seconds for the nursery's imports
_DYING = 10.0  # seconds after which a killed worker is given up
_BUSY = "all {} slots are busy: wait() before submitting more"
_AHEAD = 3  # jobs that a worker may have, if they are short
_DEAF = 1.0  # seconds between the end of a worker's connection and of the worker itself


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
        ``module:function``, called as ``function(job, announce)`` in a worker, where
        ``announce(phase, value=None)`` tells that a phase begins, and what to report should the
        job not come to its end.
    preload
        Modules imported once for all workers; one that cannot be imported is skipped.
    """

    def __init__(self, slots: int, target: str, *, preload: Sequence[str] = ()) -> None:
        if not hasattr(os, "fork"):
            raise WorkerError(f"isolated workers need fork(), which {sys.platform} does not have")
        self._slots = slots
        self._target = target
        self._preload = tuple(preload)
        self._nursery: NurseryLink | None = None
        self._workers: dict[int, WorkerLink] = {}
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
    def free(self) -> int:
        """How many jobs can be submitted now."""
        return self._slots - len(self._jobs())

    @property
    def running(self) -> list[tuple[object, str, float]]:
        """Tag, phase and seconds so far of each job on its way."""
        now = time.monotonic()
        return [(job.tag, job.phase, max(0.0, now - job.began)) for job in self._jobs()]

    @property
    def room(self) -> int:
        """How many jobs can be submitted, counting those that would have to wait for another.

        A worker whose last job was short may have the next ones at hand: it need not wait for us.
        """
        now = time.monotonic()
        ahead = sum(_AHEAD - len(w.jobs) for w in self._hearing() if w.is_quick(now))
        return max(self.free, ahead)

    @property
    def workers(self) -> Collection[int]:
        """Those that there are, by number."""
        return self._workers.keys()

    def taker(self, *, ahead: bool = False) -> int:
        """The worker that a job goes to if it is submitted now, as there is room."""
        worker = self._next_worker(_AHEAD if ahead else 1)
        if worker is None:
            raise WorkerError(_BUSY.format(self._slots))
        return worker.number

    def submit(self, tag: object, job: object, limits: Limits, *, ahead: bool = False) -> None:
        """Give a job to a worker; whatever becomes of it, `wait` reports under this tag.

        With `ahead` it may have to wait for another, as there was `room`.
        """
        worker = self._next_worker(_AHEAD if ahead else 1)
        if worker is None:
            raise WorkerError(_BUSY.format(self._slots))
        number = next(self._numbers)
        try:
            frame = pack(Order(number, _pickle(job), limits))
        except Exception as error:
            why = f"the job cannot be sent to a worker: {type(error).__name__}: {error}"
            self._reports.append(Report(tag, "error", reason=why))
            return
        worker.jobs.append(Job(number, tag, limits, frame))
        if worker.pid:
            worker.outbox += frame
            if len(worker.jobs) == 1:
                worker.jobs[0].start(time.monotonic())
            self._write(worker)

    def wait(self, timeout: float | None = None) -> list[Report]:
        """Return the reports that are there, waiting for the first.

        Empty when `timeout` seconds passed, 0 being one look, or no job is on its way.
        """
        until = math.inf if timeout is None else time.monotonic() + timeout
        over = False
        while not over and not self._reports and self._jobs():
            now = time.monotonic()
            over = now >= until
            self._handle(self._selector.select(self._pause(now, until)))
            self._enforce()
        reports, self._reports = self._reports, []
        return reports

    def give_up(self, tag: object) -> None:
        """Kill what runs under this tag; it is reported as lost."""
        for worker in self._workers.values():
            if worker.awaited is not None and worker.awaited.tag is tag:
                self._condemn(worker, crashed("it was given up", outside=True, lost=True))

    def fileno(self) -> int:
        """Return a descriptor that is readable when `wait` need not wait, if a job is on its way.

        For those who have other things to wait for; limits want a look now and then all the same.
        """
        return self._selector.fileno()

    def close(self) -> None:
        """Kill everything, running jobs too."""
        self._closed = True
        nursery, self._nursery = self._nursery, None
        try:
            if nursery is not None and nursery.close()[0] != 0:
                self._kill_groups()
        finally:
            for worker in self._workers.values():
                worker.close()
            self._workers.clear()
            self._selector.close()

    def _jobs(self) -> list[Job]:
        return [worker.job for worker in self._workers.values() if worker.job is not None]

    # Starting and ending workers.

    def _next_worker(self, most: int) -> WorkerLink | None:
        """The one that will come to a new job first, if one has fewer than so many."""
        idle = [worker for worker in self._hearing() if not worker.jobs]
        if self.free:
            return max(idle, key=lambda w: w.pid > 0) if idle else self._start_worker()
        quick = [w for w in self._hearing() if w.quick and len(w.jobs) < most]
        return min(quick, key=lambda worker: len(worker.jobs), default=None)

    def _hearing(self) -> list[WorkerLink]:
        return [w for w in self._workers.values() if not w.is_deaf and w.verdict is None]

    def _start_worker(self) -> WorkerLink:
        worker = self._running_nursery().fork(next(self._numbers))
        self._workers[worker.number] = worker
        self._selector.register(worker.connection, selectors.EVENT_READ, worker)
        return worker

    def _running_nursery(self) -> NurseryLink:
        if self._closed:
            raise WorkerError("the pool is closed")
        if self._nursery is None:
            self._nursery = NurseryLink(self._target, self._preload)
            self._selector.register(self._nursery.control, selectors.EVENT_READ)
        return self._nursery

    def _condemn(self, worker: WorkerLink, verdict: Verdict) -> None:
        """Kill a worker; its job is reported when it is gone."""
        worker.verdict = verdict
        if self._nursery is not None and worker.pid:
            self._nursery.kill(worker.pid)

    def _kill_groups(self) -> None:
        # Only for want of a nursery, which knows whether a process id is still the worker's.
        for worker in self._workers.values():
            if worker.pid:
                kill_group(worker.pid)

    def _replace(self, worker: WorkerLink, verdict: Verdict) -> None:
        """Report the job of a worker that is gone, and start another one in its place.

        Without a job none is started until there is one: else a worker that cannot live would be
        started for ever.
        """
        was_busy = worker.job is not None
        unfinished = self._remove(worker, verdict)
        if was_busy:
            self._start_worker().jobs.extend(unfinished)

    def _remove(self, worker: WorkerLink, verdict: Verdict) -> list[Job]:
        """Report the job of a worker that is gone, if it has one, and forget the worker.

        The jobs that waited behind it are not to blame, and returned as new.
        """
        if worker.job is not None:
            self._reports.append(worker.report(worker.verdict or verdict))
        del self._workers[worker.number]
        self._ignore(worker)
        worker.close()
        return [Job(job.number, job.tag, job.limits, job.frame) for job in worker.jobs]

    def _ignore(self, worker: WorkerLink) -> None:
        with suppress(KeyError):
            self._selector.unregister(worker.connection)

    # What the processes are told, and tell.

    def _write(self, worker: WorkerLink) -> None:
        if worker.write():
            both = selectors.EVENT_READ | selectors.EVENT_WRITE
            self._selector.modify(worker.connection, both, worker)

    def _send_rest(self, worker: WorkerLink) -> None:
        if not worker.write() and not worker.is_deaf:
            self._selector.modify(worker.connection, selectors.EVENT_READ, worker)

    def _handle(self, events: list[tuple[selectors.SelectorKey, int]]) -> None:
        for key, mask in events:
            worker = key.data
            if worker is None:
                self._hear_nursery()
            elif worker.number in self._workers:
                if mask & selectors.EVENT_WRITE:
                    self._send_rest(worker)
                self._hear(worker)

    def _hear(self, worker: WorkerLink) -> None:
        for message in worker.read():
            self._follow(worker)
            job = worker.awaited
            if job is not None and isinstance(message, Result) and message.order == job.number:
                self._settle(worker, job, message)
        if worker.is_deaf:
            self._ignore(worker)  # a closed connection is always readable: we would spin

    def _follow(self, worker: WorkerLink) -> None:
        if (late := worker.follow()) is not None:
            self._condemn(worker, late)

    def _settle(self, worker: WorkerLink, job: Job, result: Result) -> None:
        late = job.lateness(result.at)
        verdict = judge(result) if late is None else replace(late, log=result.log)
        if result.spent or late is not None:
            self._condemn(worker, verdict)
        else:
            self._reports.append(worker.report(verdict))

    def _hear_nursery(self) -> None:
        if self._nursery is None:
            return
        messages = self._nursery.read()
        if messages is None:
            self._lose_nursery(self._nursery)
            return
        for message in messages:
            match message:
                case Ready():
                    self._nursery.ready = True
                case Born(number, pid) if number in self._workers:
                    self._greet(self._workers[number], pid)
                case Stillborn(_, reason):
                    raise WorkerError(f"cannot fork a worker process: {reason}")
                case Died(pid, code):
                    self._bury(pid, code)

    def _greet(self, worker: WorkerLink, pid: int) -> None:
        worker.pid = pid
        for job in worker.jobs:
            worker.outbox += job.frame
        if worker.job is not None:
            worker.job.start(time.monotonic())
        self._write(worker)

    def _bury(self, pid: int, code: int) -> None:
        for worker in [each for each in self._workers.values() if each.pid == pid]:
            self._hear_last_words(worker)
            phase = worker.job.phase if worker.job is not None else "start"
            self._replace(worker, ended_early(code, phase))

    def _hear_last_words(self, worker: WorkerLink) -> None:
        self._hear(worker)  # it may be a result
        self._follow(worker)

    def _lose_nursery(self, nursery: NurseryLink) -> None:
        self._nursery = None
        self._selector.unregister(nursery.control)
        code, printed = nursery.close()
        if not nursery.ready:
            raise WorkerError(
                f"the worker processes cannot be started: exit code {code}\n{printed}".rstrip()
            )
        self._kill_groups()
        why = f"the process that starts the workers ended ({name_exit(code)})"
        unfinished: list[Job] = []
        for worker in list(self._workers.values()):
            self._hear_last_words(worker)
            unfinished += self._remove(worker, crashed(why, outside=True, lost=True))
        if unfinished:
            # A worker's phases are told from those of its next jobs by rising numbers.
            self._start_worker().jobs.extend(sorted(unfinished, key=lambda job: job.number))

    # Limits.

    def _pause(self, now: float, until: float) -> float:
        """Seconds until something has to be looked at, come what may."""
        deadlines = [
            job.phase_began + job.limits.allowed(job.phase)
            for worker in self._workers.values()
            if worker.pid and (job := worker.awaited) is not None
        ]
        return max(0.0, min(until, self._next_poll, *deadlines, now + _POLL) - now)

    def _enforce(self) -> None:
        now = time.monotonic()
        polling = now >= self._next_poll
        if polling:
            self._next_poll = now + _POLL
        for worker in list(self._workers.values()):
            self._enforce_time(worker, now)
            if polling and worker.number in self._workers:  # it may just have been given up
                self._enforce_space(worker, now)

    def _enforce_time(self, worker: WorkerLink, now: float) -> None:
        if not worker.pid:
            if now - worker.asked > _START:
                raise WorkerError(f"no worker process has started within {_START:g} s")
        elif worker.verdict is not None:
            if now - worker.verdict.at > _DYING:
                self._replace(worker, worker.verdict)
        elif now - worker.deaf_since > _DEAF:
            self._condemn(worker, crashed("closed its connection to the harness"))
        elif worker.job is not None and worker.job.lateness(now) is not None:
            self._follow(worker)  # the phase may be over
            if (job := worker.awaited) is not None and (late := job.lateness(now)) is not None:
                self._condemn(worker, late)

    def _enforce_space(self, worker: WorkerLink, now: float) -> None:
        keep_short(worker.log.fileno())
        self._follow(worker)
        if (job := worker.awaited) is not None and (excess := job.excess(worker.pid, now)):
            self._condemn(worker, excess)


def _pickle(job: object) -> bytes:
    if isinstance(job, bytes):
        return pickle.dumps(job, PROTOCOL)
    import cloudpickle  # 30 ms, which --help need not wait for

    return bytes(cloudpickle.dumps(job, protocol=PROTOCOL))
