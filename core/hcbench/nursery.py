"""The process that forks workers, and what a worker does.

The main process starts one nursery. It imports what the jobs need once, stays single-threaded and
forks a worker whenever it is told to, so a restart costs a fork instead of an import. It also reaps
the workers, kills whatever they leave behind, and takes them all with it when the main process
ends, be it by ``kill -9``.
"""

from __future__ import annotations

import gc
import importlib
import math
import os
import pickle
import select
import signal
import socket
import struct
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Literal, NamedTuple, NoReturn

from hcbench.memory import children, libc, resident

PROTOCOL = 5
CHUNK = 1 << 16  # below malloc's mmap threshold, so that reading costs no page faults
_HEADER = struct.Struct("!Q")

_CPU_SLACK = 30  # seconds that an orphan may burn beyond its limits
_PATIENCE = 2.0  # seconds to wait for what was killed to be gone
_FORK_ATTEMPTS = 50
_LINUX = sys.platform == "linux"
_PROCESSORS = os.cpu_count() or 1

Announce = Callable[[str], None]
Target = Callable[[object, Announce], object]


# What the processes say to each other. All of them are ours, hence pickle.


class Fork(NamedTuple):
    """Main to nursery, with descriptors for connection, phases and log: fork worker `number`."""

    number: int


class Kill(NamedTuple):
    """Main to nursery: kill this worker and all that it started."""

    pid: int


class Ready(NamedTuple):
    """Nursery to main: the modules are imported."""


class Born(NamedTuple):
    """Nursery to main: worker `number` runs as `pid`."""

    number: int
    pid: int


class Stillborn(NamedTuple):
    """Nursery to main: worker `number` could not be forked."""

    number: int
    reason: str


class Died(NamedTuple):
    """Nursery to main: a worker ended (exit code, or minus the signal), and its offspring too."""

    pid: int
    code: int


class Order(NamedTuple):
    """Main to worker: do this (pickled) job; the limits in seconds bound its CPU time."""

    job: bytes
    seconds: float | None
    grace: float


class Phase(NamedTuple):
    """Worker to main: a phase began at this monotonic time, with so many bytes resident.

    It goes through a pipe of its own, which main reads when it needs to know: waking it up would
    take processor time from what is measured.
    """

    name: str
    at: float
    resident: int


class Result(NamedTuple):
    """Worker to main: the job ended. `spent` asks for a new worker in this one's place."""

    ending: Literal["done", "error"]
    value: bytes
    reason: str
    traceback: str
    at: float
    spent: bool


def pack(message: object) -> bytes:
    """Return a message as a frame: its length, then its pickle."""
    body = pickle.dumps(message, PROTOCOL)
    return _HEADER.pack(len(body)) + body


def unpack(buffer: bytearray) -> Iterator[object]:
    """Take the complete frames off the front of `buffer` and yield their messages."""
    while len(buffer) >= _HEADER.size:
        end = _HEADER.size + _HEADER.unpack_from(buffer)[0]
        if len(buffer) < end:
            return
        with memoryview(buffer) as view:
            message = pickle.loads(view[_HEADER.size : end])
        del buffer[:end]
        yield message


# The nursery.


def main() -> NoReturn:
    """Run the nursery: ``control descriptor, target, preloaded modules...`` are its arguments."""
    descriptor, target, *preload = sys.argv[1:]
    sys.argv[:] = ["hcbench"]
    control = socket.socket(fileno=int(descriptor))
    control.set_inheritable(False)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the main process's business
    _adopt_orphans()
    needed = ["cloudpickle"] if _LINUX else ["cloudpickle", "psutil"]
    _import_all([target.partition(":")[0], *needed, *preload])
    gc.collect()
    gc.freeze()  # a collection in a worker would otherwise copy every shared page
    try:
        _Nursery(control, target).run()
    except (BrokenPipeError, ConnectionResetError):
        pass
    finally:
        os._exit(0)


class _Nursery:
    """The loop that forks and buries workers.

    Parameters
    ----------
    control
        The connection to the main process.
    target
        ``module:function`` that the workers call.
    """

    def __init__(self, control: socket.socket, target: str) -> None:
        self._control = control
        self._target = target
        self._parent = os.getppid()
        self._inbox = bytearray()
        self._descriptors: deque[int] = deque()
        self._workers: set[int] = set()
        self._dead: list[Died] = []

    def run(self) -> None:
        """Serve until the main process closes the connection or ends."""
        bell, self._clapper = os.pipe()
        os.set_blocking(bell, False)
        os.set_blocking(self._clapper, False)
        signal.set_wakeup_fd(self._clapper, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._bell = bell
        sources: list[socket.socket | int] = [self._control, bell]
        try:
            self._say(Ready())
            # A copy of the main process may hold the connection open; the parent's id tells.
            while os.getppid() == self._parent:
                readable, _, _ = select.select(sources, [], [], 1.0)
                if bell in readable:
                    os.read(bell, CHUNK)
                    self._bury()
                if self._control in readable and not self._listen():
                    return
        finally:
            self._end()

    def _say(self, message: NamedTuple) -> None:
        self._control.sendall(pack(message))

    def _listen(self) -> bool:
        data, descriptors, _, _ = socket.recv_fds(self._control, CHUNK, 64)
        self._descriptors += descriptors
        self._inbox += data
        for message in unpack(self._inbox):
            match message:
                case Fork(number):
                    self._bear(number, [self._descriptors.popleft() for _ in range(3)])
                case Kill(pid) if pid in self._workers:
                    _kill(pid)
        return bool(data)

    def _bear(self, number: int, descriptors: list[int]) -> None:
        try:
            pid = self._fork()
        except OSError as error:
            self._say(Stillborn(number, str(error)))
        else:
            if pid == 0:
                self._become_worker(*descriptors)
            self._workers.add(pid)
            self._say(Born(number, pid))
        finally:
            for descriptor in descriptors:
                os.close(descriptor)

    def _fork(self) -> int:
        # What a dead worker leaves behind may fill the process table for a moment.
        for _ in range(_FORK_ATTEMPTS):
            try:
                return os.fork()
            except BlockingIOError:
                time.sleep(0.02)
                self._reap()
        return os.fork()

    def _become_worker(self, connection: int, phases: int, log: int) -> NoReturn:
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            self._control.close()
            for descriptor in (self._bell, self._clapper, *self._descriptors):
                os.close(descriptor)
            _isolate(log)
            os.set_inheritable(phases, False)
            _Worker(socket.socket(fileno=connection), phases, self._target).serve()
        except BaseException:
            traceback.print_exc()
            os._exit(70)
        finally:
            os._exit(0)

    def _bury(self) -> None:
        self._reap()
        self._clear()
        for message in self._dead:
            self._say(message)
        self._dead.clear()

    def _reap(self) -> None:
        while (ended := _wait_for_any()) is not None and ended[0] != 0:
            pid, status = ended
            if pid in self._workers:
                self._workers.discard(pid)
                self._dead.append(Died(pid, os.waitstatus_to_exitcode(status)))

    def _clear(self) -> None:
        until = time.monotonic() + _PATIENCE
        while self._kill_leftovers() and time.monotonic() < until:
            time.sleep(0.0005)
            self._reap()

    def _kill_leftovers(self) -> bool:
        # A living worker adopts its own orphans, so an unknown child of ours had a worker that
        # died, whatever session it fled to. Without that (not Linux), its group has to do.
        groups = [_kill_group(worker.pid) for worker in self._dead]
        strays = set(children(os.getpid())) - self._workers if _LINUX else set()
        for stray in strays:
            _kill(stray)
        return any(groups) or bool(strays)

    def _end(self) -> None:
        for worker in self._workers:
            _kill(worker)
            self._dead.append(Died(worker, 0))
        self._workers.clear()
        self._clear()


def _adopt_orphans() -> None:
    if _LINUX and (library := libc()) is not None:
        library.prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def _die_with_parent() -> None:
    if _LINUX and (library := libc()) is not None:
        library.prctl(1, int(signal.SIGKILL), 0, 0, 0)  # PR_SET_PDEATHSIG


def _import_all(modules: list[str]) -> None:
    for module in modules:
        try:
            importlib.import_module(module)
        except BaseException:
            traceback.print_exc()  # into the nursery's log; a job that needs it will say so


def _wait_for_any() -> tuple[int, int] | None:
    """Reap one child that ended: (pid, status), (0, 0) if all live, None if there is none."""
    try:
        return os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return None


def _kill(pid: int) -> None:
    # Both: the process may not have become the leader of its group yet.
    _kill_group(pid)
    with suppress(OSError):
        os.kill(pid, signal.SIGKILL)


def _kill_group(pid: int) -> bool:
    """Kill a process group; return whether there was anything in it, dead or alive."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except OSError:
        return False
    return True


# The worker.


class _Worker:
    """The loop that does one job after the other.

    Parameters
    ----------
    connection
        The connection to the main process.
    phases
        The pipe for what is announced.
    target
        ``module:function``, called with a job and ``announce``.
    """

    def __init__(self, connection: socket.socket, phases: int, target: str) -> None:
        connection.set_inheritable(False)
        self._connection = connection
        self._phases = phases
        self._target = target
        self._pid = os.getpid()
        self._call: Target | None = None

    def serve(self) -> None:
        """Do jobs until the main process closes the connection."""
        buffer = bytearray()
        while data := self._connection.recv(CHUNK):
            buffer += data
            for order in unpack(buffer):
                assert isinstance(order, Order)
                self._connection.sendall(pack(self._perform(order)))

    def _perform(self, order: Order) -> Result:
        threads = threading.active_count()
        _bound_cpu(order.grace)
        result = self._outcome(order)
        _flush()
        if os.getpid() != self._pid:
            # The algorithm forked, and its copy came back as if it were us.
            os._exit(0 if result.ending == "done" else 1)
        signal.alarm(0)  # an alarm that the job set would end the next one
        spent = threading.active_count() > threads or _has_children()
        return result._replace(at=time.monotonic(), spent=spent)

    def _outcome(self, order: Order) -> Result:
        try:
            value = self._resolve()(pickle.loads(order.job), self._announcer(order))
            return Result("done", _pickle(value), "", "", 0.0, False)
        except BaseException as error:  # SystemExit too: whatever it is, it is the job's outcome
            return Result("error", b"", _describe(error), traceback.format_exc(), 0.0, False)

    def _resolve(self) -> Target:
        if self._call is None:
            module, _, function = self._target.partition(":")
            self._call = getattr(importlib.import_module(module), function)
        return self._call

    def _announcer(self, order: Order) -> Announce:
        def announce(phase: str) -> None:
            if os.getpid() != self._pid:
                return  # a forked copy must not speak for us
            measured = phase == "algorithm"
            _bound_cpu(order.seconds if measured else order.grace)
            held = resident() if measured else 0
            os.write(self._phases, pack(Phase(phase, time.monotonic(), held)))

        return announce


def _isolate(log: int) -> None:
    """Give the worker its own session, log file and limits."""
    import faulthandler
    import resource

    os.setsid()
    _die_with_parent()
    _adopt_orphans()
    for descriptor in (1, 2):
        os.dup2(log, descriptor)
    os.close(log)
    for stream in (sys.stdout, sys.stderr):
        # By lines, so that a crash loses little; no text may fail to print.
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)  # type: ignore[union-attr]
    faulthandler.enable()
    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, hard))


def _bound_cpu(seconds: float | None) -> None:
    """Let the system end this process after so many more seconds on all processors.

    The main process enforces the limits; this is for orphans, which nobody watches.
    """
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    soft = resource.RLIM_INFINITY
    if seconds is not None and math.isfinite(seconds):
        usage = resource.getrusage(resource.RUSAGE_SELF)
        allowed = seconds * _PROCESSORS + _CPU_SLACK
        soft = math.ceil(usage.ru_utime + usage.ru_stime + allowed)
    if hard != resource.RLIM_INFINITY:
        soft = hard if soft == resource.RLIM_INFINITY else min(soft, hard)
    resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


def _has_children() -> bool:
    while (ended := _wait_for_any()) is not None:
        if ended[0] == 0:
            return True
    return False


def _pickle(value: object) -> bytes:
    try:
        return pickle.dumps(value, PROTOCOL)
    except Exception:
        # An instance of a class that the main process sent to us by value goes back likewise.
        import cloudpickle

        return bytes(cloudpickle.dumps(value, protocol=PROTOCOL))


def _describe(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:
        return f"{type(error).__name__} (its message cannot be printed)"


def _flush() -> None:
    """Bring what the job printed into the log: Python's buffers, then those of the C library."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # the job may have closed it
            stream.flush()
    library = libc()
    if library is not None:
        library.fflush(None)
