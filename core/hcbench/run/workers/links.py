"""The main process's ends of the nursery and of each worker."""

from __future__ import annotations

import json
import math
import os
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import BinaryIO

from hcbench.errors import WorkerError
from hcbench.run.workers.job import Job
from hcbench.run.workers.logs import open_file, read_draft, read_tail, take_tail
from hcbench.run.workers.messages import CHUNK, Fork, Kill, Phase, pack, unpack
from hcbench.run.workers.reports import Report, Verdict, read_interim

_QUICK = 0.02  # seconds: of shorter jobs a worker may have the next one at hand
_BOOT = (
    "import json, sys; sys.path[:] = json.loads(sys.argv.pop(1)); "
    "from hcbench.run.workers.nursery import main; main()"
)


class NurseryLink:
    """The nursery process, which is started, and what is said to it.

    Parameters
    ----------
    target, preload
        As for `Pool`.
    """

    def __init__(self, target: str, preload: Sequence[str]) -> None:
        self.ready = False
        self._inbox = bytearray()
        self._log = open_file()
        self.control, theirs = socket.socketpair()
        try:
            with theirs:
                self._process = subprocess.Popen(
                    _command(theirs.fileno(), target, preload),
                    pass_fds=[theirs.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=self._log,
                    stderr=self._log,
                    env=_environment(),
                    start_new_session=True,
                )
        except (OSError, TypeError) as error:
            self.control.close()
            self._log.close()
            raise WorkerError(
                f"cannot start {sys.executable!r} for the worker processes: {error}"
            ) from error

    def fork(self, number: int) -> WorkerLink:
        """Ask for a worker."""
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        phases, announcing = _open_pipe()
        worker = WorkerLink(number, ours, phases, open_file(), open_file(), time.monotonic())
        with theirs, announcing:
            shared = (theirs, announcing, worker.log, worker.draft)
            self._say(Fork(number), *(each.fileno() for each in shared))
        return worker

    def kill(self, pid: int) -> None:
        """Ask for the death of a worker and of all that it started."""
        self._say(Kill(pid))

    def _say(self, message: Fork | Kill, *descriptors: int) -> None:
        with suppress(BrokenPipeError, ConnectionResetError):  # it ended, which `read` will tell
            socket.send_fds(self.control, [pack(message)], descriptors)

    def read(self) -> list[object] | None:
        """Return the messages that have arrived; None when the nursery ended."""
        try:
            data = self.control.recv(CHUNK, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return []
        except ConnectionResetError:
            return None
        self._inbox += data
        return list(unpack(self._inbox)) if data else None

    def close(self) -> tuple[int, str]:
        """End the nursery, which ends the workers; return its exit code and what it printed."""
        with self.control, suppress(OSError):
            self.control.shutdown(socket.SHUT_RDWR)  # a forked copy of us may hold it open
        with self._log:
            return self._outlast(), read_tail(self._log.fileno())

    def _outlast(self) -> int:
        try:
            return self._process.wait(timeout=5.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()
        except KeyboardInterrupt:
            self._outlast()  # it is killing the workers: a second Ctrl-C must not stop that
            raise


@dataclass(slots=True)
class WorkerLink:
    """A worker, the jobs that it has, and what is said to it."""

    number: int
    connection: socket.socket
    phases: BinaryIO
    log: BinaryIO
    draft: BinaryIO
    asked: float  # when it was asked for
    pid: int = 0  # 0 until it is born
    jobs: deque[Job] = field(default_factory=deque)  # the first is on its way, the others wait
    quick: bool = False  # whether its last job was a short one
    verdict: Verdict | None = None  # settled; reported when the process is gone
    deaf_since: float = math.inf  # when its end of the connection was found closed
    outbox: bytearray = field(default_factory=bytearray)
    _inbox: bytearray = field(default_factory=bytearray)
    _inbox_of_phases: bytearray = field(default_factory=bytearray)
    _announced: deque[Phase] = field(default_factory=deque)

    @property
    def is_deaf(self) -> bool:
        """Whether it will hear nothing more."""
        return self.deaf_since < math.inf

    @property
    def job(self) -> Job | None:
        """The job on its way."""
        return self.jobs[0] if self.jobs else None

    def is_quick(self, now: float) -> bool:
        """Whether its last job was a short one, and the present one is so far."""
        return self.quick and (self.job is None or now - self.job.began < _QUICK)

    @property
    def awaited(self) -> Job | None:
        """The job on its way, if its end is still open."""
        return self.job if self.verdict is None else None

    def write(self) -> bool:
        """Send what can be sent now; return whether something is left."""
        try:
            while self.outbox:
                del self.outbox[: self.connection.send(self.outbox)]
        except BlockingIOError:
            return True
        except OSError:
            self.outbox.clear()  # it ended, which will be told
        return False

    def read(self) -> Iterator[object]:
        """Yield the messages that have arrived."""
        full = True
        while full:
            try:
                data = self.connection.recv(CHUNK)
            except BlockingIOError:
                return
            except OSError:
                data = b""
            if not data:
                self.deaf_since = min(self.deaf_since, time.monotonic())
            self._inbox += data
            yield from unpack(self._inbox)
            full = len(data) == CHUNK

    def follow(self) -> Verdict | None:
        """Follow the job through the phases announced; return the verdict if one was too long."""
        self._inbox_of_phases += self.phases.read(CHUNK) or b""  # None when there is nothing yet
        self._announced.extend(unpack(self._inbox_of_phases))
        # It may be at its next job already, whose turn comes after the result of this one.
        while (job := self.awaited) and self._announced and self._announced[0].order <= job.number:
            phase = self._announced.popleft()
            if phase.order == job.number:
                if (late := job.lateness(phase.at)) is not None:
                    return late
                job.enter(phase)
        return None

    def report(self, verdict: Verdict) -> Report:
        """Be done with the job on its way, and return what became of it.

        A worker that comes to the end of a job takes its log itself: what it prints later is of the
        next job, even if it is killed before that ends.
        """
        job = self.jobs.popleft()
        self.verdict = None
        seconds = max(0.0, verdict.at - job.began)
        self.quick = verdict.ending == "done" and seconds < _QUICK
        if self.jobs:
            self.jobs[0].start(verdict.at)
        return Report(
            tag=job.tag,
            ending=verdict.ending,
            value=verdict.value if verdict.ending == "done" else self._interim(job),
            reason=verdict.reason,
            traceback=verdict.traceback,
            log=take_tail(self.log.fileno()) if verdict.log is None else verdict.log,
            phase=job.phase,
            seconds=seconds,
            pid=self.pid,
            outside=verdict.outside,
            lost=verdict.lost,
        )

    def _interim(self, job: Job) -> object:
        return read_interim(read_draft(self.draft.fileno(), job.number))

    def close(self) -> None:
        """Close what we hold of it."""
        self.connection.close()
        for file in (self.phases, self.log, self.draft):
            file.close()


def _open_pipe() -> tuple[BinaryIO, BinaryIO]:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    return open(reading, "rb", buffering=0), open(writing, "wb", buffering=0)


def _command(descriptor: int, target: str, preload: Sequence[str]) -> list[str]:
    here = os.getcwd()
    paths = json.dumps([path or here for path in sys.path])
    return [sys.executable, "-c", _BOOT, paths, str(descriptor), target, *preload]


def _environment() -> dict[str, str]:
    libraries = ("OMP", "OPENBLAS", "MKL", "BLIS", "VECLIB", "NUMEXPR", "NUMBA")
    environment = {**os.environ, **{f"{name}_NUM_THREADS": "1" for name in libraries}}
    # The order of a set of strings must not differ from run to run.
    environment.setdefault("PYTHONHASHSEED", "0")
    # macOS forbids what the nursery does, forking after its frameworks are loaded, unless asked.
    environment.setdefault("OBJC_DISABLE_INITIALIZE_FORK_SAFETY", "YES")
    return environment
