"""Jobs in isolated processes: limits that hold, crashes that are reported, nothing left behind.

A process pool does not isolate: its timeout leaves grandchildren alive, a forked copy of a job
answers other jobs, ``os._exit(0)`` looks like a timeout, and ``kill -9`` of the parent leaves
workers burning. Here a job has a warm process to itself, in a session of its own, and whatever
becomes of it is a `Report`. The processes are forked by ``hcbench.nursery``.
"""

from __future__ import annotations

import json
import math
import os
import pickle
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Literal, Self

from hcbench.errors import WorkerError
from hcbench.memory import family_resident
from hcbench.nursery import (
    CHUNK,
    PROTOCOL,
    Born,
    Died,
    Fork,
    Kill,
    Order,
    Phase,
    Ready,
    Result,
    Stillborn,
    pack,
    unpack,
)

Ending = Literal["done", "error", "timeout", "memory", "crash"]

_POLL = 0.05  # seconds between looks at the memory and the logs
_START = 120.0  # seconds for the nursery's imports
_DYING = 10.0  # seconds after which a killed worker is given up
_DEAF = 1.0  # seconds between the end of a worker's connection and of the worker itself
_LOG_SHOWN = 64 << 10
_LOG_KEPT = 16 << 20

_BOOT = (
    "import json, sys; sys.path[:] = json.loads(sys.argv.pop(1)); "
    "from hcbench.nursery import main; main()"
)


@dataclass(frozen=True, slots=True)
class Limits:
    """What a job may take.

    Parameters
    ----------
    seconds
        Wall time of the phase ``"algorithm"``; None is no limit.
    memory
        Resident bytes, its children's included, above what the worker held when the phase
        ``"algorithm"`` began; enforced in that phase. None is no limit.
    grace
        Wall time in seconds of each other phase (imports, data, warm-up, metrics).
    """

    seconds: float | None = None
    memory: int | None = None
    grace: float = 120.0


@dataclass(frozen=True, slots=True)
class Report:
    """What became of a job.

    Parameters
    ----------
    tag
        As submitted.
    ending
        ``"done"``: the target returned; ``"error"``: it raised, or its job or value cannot travel;
        ``"timeout"`` and ``"memory"``: it was killed at a limit; ``"crash"``: its process ended.
    value
        What the target returned; None unless done.
    reason
        Why it is not done, in one line.
    traceback
        Of the exception of an error.
    log
        The last 64 KiB of what was printed, to any descriptor; the Python stack of a fatal signal.
    phase
        The phase announced last.
    seconds
        Wall time of the whole job.
    pid
        The worker; 0 if the job never reached one.
    """

    tag: object
    ending: Ending
    value: object = None
    reason: str = ""
    traceback: str = ""
    log: str = ""
    phase: str = "start"
    seconds: float = 0.0
    pid: int = 0


@dataclass(frozen=True, slots=True)
class _Verdict:
    """How a job ended, at which monotonic time."""

    ending: Ending
    at: float
    value: object = None
    reason: str = ""
    traceback: str = ""


@dataclass(slots=True)
class _Job:
    """A job on its way."""

    tag: object
    limits: Limits
    began: float
    phase: str = "start"
    phase_began: float = 0.0
    held: int = 0  # resident bytes when the phase began, if it is the algorithm's

    @property
    def allowed(self) -> float:
        """Seconds for the present phase."""
        if self.phase != "algorithm":
            return self.limits.grace
        return math.inf if self.limits.seconds is None else self.limits.seconds

    def lateness(self, now: float) -> _Verdict | None:
        """Return the verdict if the present phase has taken too long."""
        if now - self.phase_began <= self.allowed:
            return None
        why = f"phase {self.phase!r} took longer than {self.allowed:g} s"
        return _Verdict("timeout", now, reason=why)


@dataclass(slots=True)
class _Worker:
    """The parent's side of a worker process."""

    number: int
    connection: socket.socket
    phases: BinaryIO
    log: BinaryIO
    asked: float  # when it was asked for
    pid: int = 0  # 0 until it is born
    job: _Job | None = None
    verdict: _Verdict | None = None  # settled; reported when the process is gone
    deaf_since: float = math.inf
    inbox: bytearray = field(default_factory=bytearray)
    outbox: bytearray = field(default_factory=bytearray)
    announced: bytearray = field(default_factory=bytearray)

    def read_phases(self) -> Iterator[object]:
        """Yield what has been announced."""
        self.announced += self.phases.read(CHUNK) or b""  # None when there is nothing yet
        yield from unpack(self.announced)

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
            self.inbox += data
            yield from unpack(self.inbox)
            full = len(data) == CHUNK

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

    def printed(self) -> str:
        """Return the end of what was printed, and forget it."""
        shown = _tail(self.log)
        if shown:
            _empty(self.log)
        return shown.decode(errors="replace")

    def close(self) -> None:
        """Close what we hold of it."""
        self.connection.close()
        self.phases.close()
        self.log.close()


class _Nursery:
    """The parent's side of the nursery process.

    Parameters
    ----------
    target, preload
        As for `Pool`.
    """

    def __init__(self, target: str, preload: Sequence[str]) -> None:
        self.ready = False
        self._inbox = bytearray()
        self._log = _open_log()
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

    def fork(self, number: int, connection: int, phases: int, log: int) -> None:
        """Ask for a worker that talks through `connection` and `phases` and prints into `log`."""
        socket.send_fds(self.control, [pack(Fork(number))], [connection, phases, log])

    def kill(self, pid: int) -> None:
        """Ask for the death of a worker and of all that it started."""
        self.control.sendall(pack(Kill(pid)))

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
            return self._outlast(), _tail(self._log).decode(errors="replace")

    def _outlast(self) -> int:
        try:
            return self._process.wait(timeout=5.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()
        except KeyboardInterrupt:
            self._outlast()  # it is killing the workers: a second Ctrl-C must not stop that
            raise


class Pool:
    """Worker processes that do jobs one at a time each; a context manager.

    Limits are enforced while `wait` is called. After a KeyboardInterrupt the pool can only be
    closed. What a job changes in its process (environment, working directory, global random state)
    is seen by the next job of that worker.

    Parameters
    ----------
    slots
        How many jobs run at a time.
    target
        ``module:function``, called as ``function(job, announce)`` in a worker, where
        ``announce(phase)`` tells that a phase begins.
    preload
        Modules imported once for all workers; one that cannot be imported is skipped.
    """

    def __init__(self, slots: int, target: str, *, preload: Sequence[str] = ()) -> None:
        if not hasattr(os, "fork"):
            raise WorkerError(f"isolated workers need fork(), which {sys.platform} does not have")
        self._slots = slots
        self._target = target
        self._preload = tuple(preload)
        self._nursery: _Nursery | None = None
        self._workers: dict[int, _Worker] = {}
        self._numbers = 0
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
        return self._slots - len(self._busy())

    @property
    def running(self) -> list[tuple[object, str, float]]:
        """Tag, phase and seconds so far of each job on its way."""
        now = time.monotonic()
        jobs = [worker.job for worker in self._busy() if worker.job is not None]
        return [(job.tag, job.phase, now - job.began) for job in jobs]

    def submit(self, tag: object, job: object, limits: Limits) -> None:
        """Give a job to a free slot; whatever becomes of it, `wait` reports under this tag."""
        if self.free < 1:
            raise WorkerError(f"all {self._slots} slots are busy: wait() before submitting more")
        try:
            frame = pack(Order(_pickle(job), limits.seconds, limits.grace))
        except Exception as error:
            why = f"the job cannot be sent to a worker: {type(error).__name__}: {error}"
            self._reports.append(Report(tag, "error", reason=why))
            return
        worker = self._idle_worker()
        worker.outbox += frame
        worker.job = _Job(tag, limits, time.monotonic())
        if worker.pid:
            self._send(worker)

    def wait(self, timeout: float | None = None) -> list[Report]:
        """Return the reports that are there, waiting for the first.

        Empty when `timeout` seconds passed or no job is on its way.
        """
        until = math.inf if timeout is None else time.monotonic() + timeout
        while not self._reports and self._busy():
            now = time.monotonic()
            if now > until:
                break
            self._handle(self._selector.select(self._pause(now, until)))
            self._enforce()
        reports, self._reports = self._reports, []
        return reports

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

    # Starting and ending workers.

    def _busy(self) -> list[_Worker]:
        return [worker for worker in self._workers.values() if worker.job is not None]

    def _idle_worker(self) -> _Worker:
        idle = [w for w in self._workers.values() if w.job is None and w.deaf_since == math.inf]
        return max(idle, key=lambda worker: worker.pid > 0) if idle else self._start_worker()

    def _start_worker(self) -> _Worker:
        nursery = self._running_nursery()
        self._numbers += 1
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        phases, announcing = _open_pipe()
        worker = _Worker(self._numbers, ours, phases, _open_log(), time.monotonic())
        self._workers[worker.number] = worker
        self._selector.register(ours, selectors.EVENT_READ, worker)
        with theirs, announcing:
            descriptors = theirs.fileno(), announcing.fileno(), worker.log.fileno()
            nursery.fork(worker.number, *descriptors)
        return worker

    def _running_nursery(self) -> _Nursery:
        if self._closed:
            raise WorkerError("the pool is closed")
        if self._nursery is None:
            self._nursery = _Nursery(self._target, self._preload)
            self._selector.register(self._nursery.control, selectors.EVENT_READ)
        return self._nursery

    def _kill(self, worker: _Worker) -> None:
        if self._nursery is not None and worker.pid:
            self._nursery.kill(worker.pid)

    def _kill_groups(self) -> None:
        # Only for want of a nursery, which knows whether a process id is still the worker's.
        for worker in self._workers.values():
            if worker.pid:
                _kill_group(worker.pid)

    def _remove(self, worker: _Worker) -> None:
        del self._workers[worker.number]
        self._ignore(worker)
        worker.close()

    def _ignore(self, worker: _Worker) -> None:
        with suppress(KeyError):
            self._selector.unregister(worker.connection)

    # What the processes tell.

    def _handle(self, events: list[tuple[selectors.SelectorKey, int]]) -> None:
        for key, mask in events:
            worker = key.data
            if worker is None:
                self._hear_nursery()
            elif worker.number in self._workers:
                if mask & selectors.EVENT_WRITE:
                    self._send_rest(worker)
                self._hear(worker)

    def _send(self, worker: _Worker) -> None:
        assert worker.job is not None
        worker.job.began = worker.job.phase_began = time.monotonic()
        if worker.write():
            both = selectors.EVENT_READ | selectors.EVENT_WRITE
            self._selector.modify(worker.connection, both, worker)

    def _send_rest(self, worker: _Worker) -> None:
        if not worker.write() and worker.deaf_since == math.inf:
            self._selector.modify(worker.connection, selectors.EVENT_READ, worker)

    def _hear_nursery(self) -> None:
        messages = self._nursery.read() if self._nursery is not None else []
        if messages is None:
            self._lose_nursery()
            return
        for message in messages:
            match message:
                case Ready():
                    if self._nursery is not None:
                        self._nursery.ready = True
                case Born(number, pid) if number in self._workers:
                    self._greet(self._workers[number], pid)
                case Stillborn(_, reason):
                    raise WorkerError(f"cannot fork a worker process: {reason}")
                case Died(pid, code):
                    self._bury(pid, code)

    def _greet(self, worker: _Worker, pid: int) -> None:
        worker.pid = pid
        if worker.job is not None:
            self._send(worker)

    def _bury(self, pid: int, code: int) -> None:
        for worker in [each for each in self._workers.values() if each.pid == pid]:
            self._hear(worker)  # its last words may be a result
            self._hear_phases(worker)
            self._replace(worker, _crash(_exit_reason(code, worker)))

    def _replace(self, worker: _Worker, verdict: _Verdict) -> None:
        """Report the job of a worker that is gone, and start another one in its place.

        Without a job none is started until there is one: else a worker that cannot live would be
        started for ever.
        """
        was_busy = worker.job is not None
        if was_busy:
            self._report(worker, worker.verdict or verdict)
        self._remove(worker)
        if was_busy:
            self._start_worker()

    def _lose_nursery(self) -> None:
        assert self._nursery is not None
        nursery, self._nursery = self._nursery, None
        self._selector.unregister(nursery.control)
        code, printed = nursery.close()
        if not nursery.ready:
            raise WorkerError(
                f"the worker processes cannot be started: exit code {code}\n{printed}".rstrip()
            )
        self._kill_groups()
        for worker in list(self._workers.values()):
            self._hear(worker)
            self._hear_phases(worker)
            if worker.job is not None:
                why = f"the process that starts the workers ended ({_name_exit(code)})"
                self._report(worker, worker.verdict or _crash(why))
            self._remove(worker)

    def _hear(self, worker: _Worker) -> None:
        for message in worker.read():
            self._hear_phases(worker)
            if isinstance(message, Result) and worker.job is not None and worker.verdict is None:
                self._settle(worker, worker.job, message)
        if worker.deaf_since < math.inf:
            self._ignore(worker)  # a closed connection is always readable: we would spin

    def _hear_phases(self, worker: _Worker) -> None:
        for message in worker.read_phases():
            job = worker.job
            if isinstance(message, Phase) and job is not None and worker.verdict is None:
                if (late := job.lateness(message.at)) is not None:
                    self._condemn(worker, late)
                else:
                    job.phase, job.phase_began, job.held = message

    def _settle(self, worker: _Worker, job: _Job, result: Result) -> None:
        verdict = job.lateness(result.at) or _judge(result)
        if result.spent or verdict.ending == "timeout":
            self._condemn(worker, verdict)
        else:
            self._report(worker, verdict)

    def _condemn(self, worker: _Worker, verdict: _Verdict) -> None:
        worker.verdict = verdict
        self._kill(worker)

    def _report(self, worker: _Worker, verdict: _Verdict) -> None:
        job = worker.job
        assert job is not None
        self._reports.append(
            Report(
                tag=job.tag,
                ending=verdict.ending,
                value=verdict.value,
                reason=verdict.reason,
                traceback=verdict.traceback,
                log=worker.printed(),
                phase=job.phase,
                seconds=verdict.at - job.began,
                pid=worker.pid,
            )
        )
        worker.job = worker.verdict = None

    # Limits.

    def _pause(self, now: float, until: float) -> float:
        deadlines = [
            job.phase_began + job.allowed
            for worker in self._busy()
            if worker.pid and (job := worker.job) is not None and worker.verdict is None
        ]
        return max(0.0, min(until, self._next_poll, *deadlines, now + _POLL) - now)

    def _enforce(self) -> None:
        now = time.monotonic()
        polling = now >= self._next_poll
        if polling:
            self._next_poll = now + _POLL
        for worker in list(self._workers.values()):
            self._enforce_on(worker, now)
            if polling:
                self._look_at(worker, now)

    def _enforce_on(self, worker: _Worker, now: float) -> None:
        if not worker.pid:
            if now - worker.asked > _START:
                raise WorkerError(f"no worker process has started within {_START:g} s")
        elif worker.verdict is not None:
            if now - worker.verdict.at > _DYING:
                self._replace(worker, worker.verdict)
        elif now - worker.deaf_since > _DEAF:
            self._condemn(worker, _crash("closed its connection to the harness"))
        elif worker.job is not None and worker.job.lateness(now) is not None:
            self._hear_phases(worker)  # the phase may be over
            if worker.verdict is None and (late := worker.job.lateness(now)) is not None:
                self._condemn(worker, late)

    def _look_at(self, worker: _Worker, now: float) -> None:
        _keep_short(worker.log)
        self._hear_phases(worker)
        job = worker.job
        if job is None or worker.verdict is not None or job.phase != "algorithm":
            return
        if (allowed := job.limits.memory) is None:
            return
        more = family_resident(worker.pid, enough=job.held + allowed) - job.held
        if more > allowed:
            why = f"held {_mebibytes(more)} more than at its start, {_mebibytes(allowed)} allowed"
            self._condemn(worker, _Verdict("memory", now, reason=why))


def _judge(result: Result) -> _Verdict:
    if result.ending == "error":
        return _Verdict("error", result.at, None, result.reason, result.traceback)
    try:
        return _Verdict("done", result.at, pickle.loads(result.value))
    except Exception as error:
        why = f"the result cannot be read: {type(error).__name__}: {error}"
        return _Verdict("error", result.at, reason=why)


def _crash(reason: str) -> _Verdict:
    return _Verdict("crash", time.monotonic(), reason=reason)


def _exit_reason(code: int, worker: _Worker) -> str:
    if code < 0:
        return _name_exit(code)
    phase = worker.job.phase if worker.job is not None else "start"
    return f"exited with code {code} in phase {phase!r} before returning (os._exit?)"


def _name_exit(code: int) -> str:
    if code >= 0:
        return f"exited with code {code}"
    if -code == signal.SIGKILL:
        return "killed by signal 9 (possibly out of memory)"
    try:
        return f"killed by signal {-code} ({signal.Signals(-code).name})"
    except ValueError:
        return f"killed by signal {-code}"


def _mebibytes(size: int) -> str:
    return f"{size / (1 << 20):.0f} MiB"


def _kill_group(pid: int) -> None:
    with suppress(OSError):
        os.killpg(pid, signal.SIGKILL)


def _pickle(job: object) -> bytes:
    import cloudpickle  # 30 ms, which --help need not wait for

    return bytes(cloudpickle.dumps(job, protocol=PROTOCOL))


def _command(descriptor: int, target: str, preload: Sequence[str]) -> list[str]:
    here = os.getcwd()
    paths = json.dumps([path or here for path in sys.path])
    return [sys.executable, "-c", _BOOT, paths, str(descriptor), target, *preload]


def _environment() -> dict[str, str]:
    libraries = ("OMP", "OPENBLAS", "MKL", "VECLIB", "NUMEXPR", "NUMBA")
    environment = {**os.environ, **{f"{name}_NUM_THREADS": "1" for name in libraries}}
    # The order of a set of strings must not differ from run to run.
    environment.setdefault("PYTHONHASHSEED", "0")
    # macOS forbids what the nursery does, forking after its frameworks are loaded, unless asked.
    environment.setdefault("OBJC_DISABLE_INITIALIZE_FORK_SAFETY", "YES")
    if "NUMBA_CACHE_DIR" not in environment and not os.access(Path(__file__).parent, os.W_OK):
        import platformdirs

        environment["NUMBA_CACHE_DIR"] = platformdirs.user_cache_dir("hcbench") + "/numba"
    return environment


# Logs are files without a name: there is nothing to clean up, even after kill -9.


def _open_pipe() -> tuple[BinaryIO, BinaryIO]:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    return open(reading, "rb", buffering=0), open(writing, "wb", buffering=0)


def _open_log() -> BinaryIO:
    return tempfile.TemporaryFile(buffering=0)


def _tail(log: BinaryIO) -> bytes:
    size = os.fstat(log.fileno()).st_size
    return os.pread(log.fileno(), _LOG_SHOWN, max(0, size - _LOG_SHOWN)) if size else b""


def _empty(log: BinaryIO) -> None:
    os.lseek(log.fileno(), 0, os.SEEK_SET)  # the worker's position too, as the file is shared
    os.ftruncate(log.fileno(), 0)


def _keep_short(log: BinaryIO) -> None:
    """Keep a job that prints for ever from filling the disk."""
    if os.fstat(log.fileno()).st_size > _LOG_KEPT:
        tail = _tail(log)
        _empty(log)
        os.write(log.fileno(), tail)
