"""The main process's connections to the fork server and to each worker, with its jobs."""

from __future__ import annotations

import atexit
import math
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import BinaryIO

from hcbench.errors import WorkerError
from hcbench.registry.plugin_files import lasting_path
from hcbench.run.workers.interpreter import python_command, worker_environment
from hcbench.run.workers.messages import (
    CHUNK,
    WEIGHED,
    Closed,
    Decode,
    Finished,
    Fork,
    FromServer,
    Kill,
    Limits,
    Open,
    Phase,
    Ready,
    Report,
    ToServer,
    name_exit,
    open_file,
    open_log,
    pack,
    read_draft,
    read_tail,
    take_tail,
    unpack,
)
from hcbench.run.workers.processes import family_resident

_ENDING = 5.0  # seconds for the fork server to end workers
# Variables of the terminal, of the main process and of pytest, which say nothing to an import.
_UNREAD = (
    "COLUMNS",
    "LINES",
    "NO_COLOR",
    "TERM",
    "HCBENCH_DEBUG",
    "PYTEST_CURRENT_TEST",
)
_FORK_SERVER = "hcbench.run.workers.forkserver"


class ServerProcess:
    """The fork server of this process, which all its pools share.

    It holds nothing but the modules that were preloaded for any pool. A pool starts another one
    only if this one has ended or was started in other circumstances: in another folder, with
    other paths to import from, with other environment variables, as libraries read some of these
    when they are imported, or for another number of threads, which is among these variables.
    """

    _current: ServerProcess | None = None
    _lock = threading.Lock()

    def __init__(self, variables: Mapping[str, str]) -> None:
        self.is_proven = False  # whether it has been ready for a pool
        self._circumstances = _circumstances(variables)
        self._pools = 0
        # Of the server, and of what its imports print; workers have logs of their own.
        self._log = open_log()
        self._folder = tempfile.mkdtemp(prefix="hcbench-")  # for the temporary files of workers
        self._control, theirs = socket.socketpair()
        try:
            with theirs:
                self._process = subprocess.Popen(
                    python_command(_FORK_SERVER, str(theirs.fileno()), self._folder),
                    pass_fds=[theirs.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=self._log,
                    stderr=self._log,
                    env=worker_environment(variables),
                    start_new_session=True,
                )
        except (OSError, TypeError) as error:
            self._control.close()
            self._log.close()
            os.rmdir(self._folder)
            raise WorkerError(
                f"cannot start {sys.executable!r} for the worker processes: {error}"
            ) from error

    @classmethod
    def connect(cls, variables: Mapping[str, str]) -> tuple[ServerProcess, socket.socket]:
        """Return the one that runs with these variables, or a new one, with a connection to it."""
        with cls._lock:
            server = cls._current
            if server is None or not server._is_usable(variables):
                cls._retire()
                server = cls(variables)
                cls._current = server
            ours, theirs = socket.socketpair()
            with theirs, suppress(BrokenPipeError, ConnectionResetError):  # as its reader will see
                socket.send_fds(server._control, [b"+"], [theirs.fileno()])
            server._pools += 1
        return server, ours

    def disconnect(self, *, ending: bool) -> tuple[int, str]:
        """Leave it; return its exit code, 0 if it goes on, and what it has printed."""
        with self._lock:
            self._pools -= 1
            # It has been replaced already, and was kept for this pool only.
            if self._pools == 0 and self is not ServerProcess._current:
                ending = True
            code = self._wait() if ending else 0
            printed = read_tail(self._log.fileno())
            if ending and not self._pools:
                self._log.close()
        return code, printed

    def kill(self) -> None:
        """Kill it, as it does not answer."""
        self._process.kill()

    @classmethod
    def retire(cls) -> None:
        """Let it end as soon as no pool uses it; the next pool starts another one."""
        with cls._lock:
            cls._retire()

    @classmethod
    def _retire(cls) -> None:
        server = cls._current
        cls._current = None
        if server is None or server._circumstances[0] != os.getpid():
            return
        with server._control, suppress(OSError):
            server._control.shutdown(socket.SHUT_RDWR)  # a forked copy of us may hold it open
        if not server._pools:
            server._wait()
            server._log.close()

    def _is_usable(self, variables: Mapping[str, str]) -> bool:
        is_fitting = self._circumstances == _circumstances(variables)
        return is_fitting and self._process.poll() is None

    def _wait(self) -> int:
        try:
            return self._process.wait(timeout=_ENDING)
        except subprocess.TimeoutExpired:
            self.kill()
            return self._process.wait()
        except KeyboardInterrupt:
            self._wait()  # it is killing the workers: a second Ctrl-C must not stop that
            raise
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)


atexit.register(ServerProcess.retire)


class ServerConnection:
    """A pool's connection to the fork server, which is started if there is none.

    Parameters
    ----------
    target, preload, variables
        As for `Pool`.

    Attributes
    ----------
    ready : bool
        Whether the modules are imported.
    was_proven : bool
        Whether the fork server had been ready for another pool before.
    """

    def __init__(self, target: str, preload: Sequence[str], variables: Mapping[str, str]) -> None:
        self.ready = False
        self._inbox = bytearray()
        self._process, self.control = ServerProcess.connect(variables)
        self.was_proven = self._process.is_proven
        self._send(Open(target, tuple(preload)))

    def fork(self, number: int) -> WorkerConnection:
        """Ask for a worker."""
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        phases, announcing = _open_pipe()
        worker = WorkerConnection(
            number=number,
            connection=ours,
            phases=phases,
            log=open_log(),
            draft=open_file(),
            asked_at=time.monotonic(),
        )
        # The worker gets these ends, and we keep the others.
        with theirs, announcing:
            shared = (theirs, announcing, worker.log, worker.draft)
            self._send(Fork(number), [file.fileno() for file in shared])
        return worker

    def kill(self, pid: int) -> None:
        """Ask the server to kill a worker and all that it started."""
        self._send(Kill(pid))

    def kill_server(self) -> None:
        """Kill the server, as it does not answer; `read` will find that it ended."""
        self._process.kill()

    def _send(self, message: ToServer, descriptors: Sequence[int] = ()) -> None:
        with suppress(BrokenPipeError, ConnectionResetError):  # it ended, as `read` will find
            socket.send_fds(self.control, [pack(message)], descriptors)

    def read(self) -> list[object] | None:
        """Return the messages that have arrived; None if the server ended."""
        try:
            data = self.control.recv(CHUNK, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return []
        except ConnectionResetError:
            return None
        self._inbox += data
        messages = list(unpack(self._inbox, FromServer))
        if any(isinstance(message, Ready) for message in messages):
            self.ready = True
            self._process.is_proven = True
        if not data:
            return None
        return messages

    def close(self) -> tuple[int, str]:
        """End the workers; return the server's exit code, 0 if it goes on, and what it printed."""
        closed = False
        try:
            closed = self._end_workers()
        except KeyboardInterrupt:
            closed = self._end_workers()  # a second Ctrl-C must not stop that
            raise
        finally:
            self.control.close()
            code, printed = self._process.disconnect(ending=not closed)
        return code, printed

    def _end_workers(self) -> bool:
        """Have the server kill the workers; return whether it says that they are gone."""
        with suppress(OSError):
            self.control.shutdown(socket.SHUT_WR)  # a forked copy of us may hold it open
        self.control.settimeout(_ENDING)
        try:
            while data := self.control.recv(CHUNK):
                self._inbox += data
                if any(isinstance(message, Closed) for message in unpack(self._inbox, FromServer)):
                    return True
        except TimeoutError:
            self._process.kill()
        except ConnectionResetError:
            pass
        return False


@dataclass(slots=True)
class Submission:
    """A job that was given to a worker, and how far it is."""

    number: int
    tag: object
    limits: Limits
    frame: bytes  # the message to the worker
    began: float = math.inf
    phase: str = "start"
    phase_began: float = math.inf
    resident: int = 0  # bytes when the phase began, if memory is limited in it

    def start(self, now: float) -> None:
        """Let the time begin now; it may have announced a phase already."""
        self.began = now
        if self.phase == "start":
            self.phase_began = now

    def late(self, now: float) -> Report | None:
        """Return the report on it if the present phase has taken too long."""
        allowed = self.limits.allowed(self.phase)
        if now - self.phase_began <= allowed:
            return None
        reason = f"phase {self.phase!r} took longer than {allowed:g} s"
        return Report(self.tag, "timeout", reason=reason)

    def too_large(self, pid: int) -> Report | None:
        """Return the report on it if worker `pid` has too much memory for the present phase."""
        allowed = self.limits.memory
        if allowed is None or self.phase not in WEIGHED:
            return None
        # Shared memory counts in parts, which takes long to read: only as far as decides the
        # question.
        more = family_resident(pid, enough=self.resident + allowed) - self.resident
        if more <= allowed:
            return None
        reason = (
            f"held {round(more / 2**20)} MiB more than at its start, "
            f"{round(allowed / 2**20)} MiB allowed"
        )
        return Report(self.tag, "memory", reason=reason)

    def exited(self, code: int) -> Report:
        """Return the report on it if its process ended with this code, or minus the signal."""
        if code < 0:
            # A batch system that ends a job signals all its processes.
            outside = -code in (signal.SIGKILL, signal.SIGTERM)
            return Report(self.tag, "crash", reason=name_exit(code), outside=outside)
        # Nobody has sent a signal: the code itself has ended the process.
        where = f"in phase {self.phase!r} before returning (os._exit?)"
        return Report(self.tag, "crash", reason=f"{name_exit(code)} {where}")

    def ended(self, result: Finished, decode: Decode) -> Report:
        """Return the report on it if its target returned or raised."""
        report = Report(
            tag=self.tag,
            ending=result.ending,
            reason=result.reason,
            traceback=result.traceback,
            log=result.log,
        )
        if result.ending == "error":
            return report
        try:
            return replace(report, value=decode(result.value))
        except Exception as error:
            why = f"the result cannot be read: {type(error).__name__}: {error}"
            return replace(report, ending="error", reason=why)


@dataclass(slots=True)
class WorkerConnection:
    """A worker, its jobs, and the messages from and to it."""

    number: int
    connection: socket.socket
    phases: BinaryIO
    log: BinaryIO
    draft: BinaryIO
    asked_at: float  # when it was asked for
    pid: int = 0  # 0 until it has started
    jobs: deque[Submission] = field(default_factory=deque)  # the first runs, the others wait
    last_seconds: float = math.inf  # of its last job, if that was done
    killed_at: float = math.inf  # when it was to be killed
    final: Report | None = None  # on the job that runs; returned once the worker has ended
    log_is_read: bool = False  # whether the log of that job is in `final`
    closed_since: float = math.inf  # when its end of the connection was found closed
    outbox: bytearray = field(default_factory=bytearray)
    _inbox: bytearray = field(default_factory=bytearray)
    _inbox_of_phases: bytearray = field(default_factory=bytearray)
    _announced: deque[Phase] = field(default_factory=deque)

    @property
    def is_closed(self) -> bool:
        """Whether it cannot receive anything any more."""
        return self.closed_since < math.inf

    @property
    def job(self) -> Submission | None:
        """The job that runs."""
        if not self.jobs:
            return None
        return self.jobs[0]

    def is_quick(self, now: float, limit: float) -> bool:
        """Whether its last job took fewer seconds, and so has the present one until now."""
        if self.last_seconds >= limit:
            return False
        return self.job is None or now - self.job.began < limit

    @property
    def undecided(self) -> Submission | None:
        """The job that runs, unless the worker is to be killed."""
        if self.killed_at < math.inf:
            return None
        return self.job

    def write(self) -> None:
        """Send what can be sent now of what is in `outbox`."""
        try:
            while self.outbox:
                del self.outbox[: self.connection.send(self.outbox)]
        except BlockingIOError:
            pass
        except OSError:
            self.outbox.clear()  # it ended, as the fork server will report

    def read(self) -> Iterator[Finished]:
        """Yield the results that have arrived."""
        full = True
        while full:
            try:
                data = self.connection.recv(CHUNK)
            except BlockingIOError:
                return
            except OSError:
                data = b""
            if not data:
                self.closed_since = min(self.closed_since, time.monotonic())
            self._inbox += data
            yield from unpack(self._inbox, Finished)
            full = len(data) == CHUNK

    def follow(self) -> Report | None:
        """Follow the job through its phases; return the report on it if one was too long."""
        self._inbox_of_phases += self.phases.read(CHUNK) or b""  # None when there is nothing yet
        self._announced.extend(unpack(self._inbox_of_phases, Phase))
        job = self.undecided
        if job is None:
            return None
        # It may be at its next job already, which comes after the result of this one.
        while self._announced and self._announced[0].order <= job.number:
            phase = self._announced.popleft()
            if phase.order != job.number:
                continue
            report = job.late(phase.at)
            if report is not None:
                return report
            job.phase = phase.name
            job.phase_began = phase.at
            job.resident = phase.resident
        return None

    def finish(self, report: Report, at: float, decode: Decode) -> Report:
        """Complete the report on the job that runs, which ended at a time, and begin the next.

        A worker that finishes a job sends its log: what it prints later is of the next job, even
        if it is killed before that ends.
        """
        job = self.jobs.popleft()
        seconds = max(0.0, at - job.began)
        self.last_seconds = seconds
        if report.ending != "done":
            self.last_seconds = math.inf
            value = read_draft(self.draft.fileno(), job.number, decode)
            report = replace(report, value=value)
        if not self.log_is_read:
            report = replace(report, log=take_tail(self.log.fileno()))
        self.killed_at = math.inf
        self.final = None
        self.log_is_read = False
        if self.jobs:
            self.jobs[0].start(at)
        return replace(report, tag=job.tag, phase=job.phase, seconds=seconds, pid=self.pid)

    def close(self) -> None:
        """Close what we hold of it."""
        self.connection.close()
        for file in (self.phases, self.log, self.draft):
            file.close()


def _open_pipe() -> tuple[BinaryIO, BinaryIO]:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    return open(reading, "rb", buffering=0), open(writing, "wb", buffering=0)


def _circumstances(variables: Mapping[str, str]) -> tuple[object, ...]:
    """What a fork server depends on: this process, and what its imports may depend on."""
    environment = worker_environment(variables)
    for name in _UNREAD:
        environment.pop(name, None)
    return os.getpid(), sys.executable, os.getcwd(), lasting_path(), environment
