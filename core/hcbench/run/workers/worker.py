"""What runs in a worker: one job after the other."""

from __future__ import annotations

import faulthandler
import importlib
import math
import os
import resource
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import NoReturn, Protocol

import msgspec

from hcbench.run.workers.encoding import decode, encodable, encode
from hcbench.run.workers.messages import (
    CHUNK,
    WEIGHED,
    Finished,
    Order,
    Phase,
    open_file,
    pack,
    take_tail,
    unpack,
    write_draft,
)
from hcbench.run.workers.processes import (
    adopt_orphans,
    die_before_parent,
    die_with_parent,
    reap_any,
    resident,
)

_CPU_SLACK = 30  # seconds that an orphan may burn beyond its limits
_LONGEST = 1 << 16  # characters of a message and of a traceback
_PROCESSORS = os.cpu_count() or 1


class Announce(Protocol):
    """What a job calls while it runs."""

    def __call__(self, phase: str, value: object = None) -> None:
        """Say that a phase begins; `value` is reported if the job does not return."""


@dataclass(frozen=True, slots=True)
class InCopy:
    """Returned by a target whose remaining code shall change nothing of the worker.

    The worker calls `rest` in a copy of itself, which then ends.
    """

    rest: Callable[[], object]


_leaving = False


def leave() -> None:
    """Have another worker take the place of this one after the present job."""
    global _leaving
    _leaving = True


def clear_timers() -> None:
    """Clear the timers that a job set, whose signals would end the next one."""
    for timer in (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF):
        signal.setitimer(timer, 0)


def isolate(log: int, folder: str) -> None:
    """Give the worker its own session, log file, folder for temporary files, and limits."""
    os.setsid()
    die_with_parent()
    die_before_parent()
    adopt_orphans()
    for descriptor in (1, 2):
        os.dup2(log, descriptor)
    for stream in (sys.stdout, sys.stderr):
        # By lines, so that a crash loses little; no text may fail to print.
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)  # type: ignore[union-attr]
    os.mkdir(folder, 0o700)
    os.environ["TMPDIR"] = folder
    tempfile.tempdir = folder
    faulthandler.enable()
    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, hard))


class Worker:
    """The loop that does one job after the other.

    Parameters
    ----------
    connection
        To the main process.
    phases, log, draft
        Descriptors that the main process reads.
    target
        ``module:function``, called with a packed job and ``announce``; what it returns is sent, or
        if it is `InCopy`, what that returns in a copy of this process.
    folder
        For temporary files, which go after each job.
    """

    def __init__(
        self, connection: socket.socket, phases: int, log: int, draft: int, target: str, folder: str
    ) -> None:
        self._connection = connection
        self._phases = phases
        self._log = log
        self._draft = draft
        self._target = target
        self._folder = folder
        self._pid = os.getpid()

    def serve(self) -> None:
        """Do jobs until the main process closes the connection."""
        buffer = bytearray()
        while data := self._connection.recv(CHUNK):
            buffer += data
            for order in unpack(buffer, Order):
                self._connection.sendall(pack(self._perform(order)))

    def _perform(self, order: Order) -> Finished:
        """Do a job; whatever it left behind, the result says whether this process may go on."""
        n_threads = threading.active_count()
        _bound_cpu(order.limits.grace)
        result = self._call_target(order)
        _flush()
        if os.getpid() != self._pid:
            # The algorithm forked, and its copy came back as if it were us.
            os._exit(_exit_code(result))
        clear_timers()
        self._remove_temporary_files()
        spent = _leaving or threading.active_count() > n_threads or _has_children()
        log = self._take_log()
        return msgspec.structs.replace(result, log=log, at=time.monotonic(), spent=spent)

    def _remove_temporary_files(self) -> None:
        if not os.path.isdir(self._folder) or os.listdir(self._folder):
            shutil.rmtree(self._folder, ignore_errors=True)
            os.makedirs(self._folder, 0o700, exist_ok=True)
        tempfile.tempdir = self._folder

    def _take_log(self) -> str:
        try:
            return take_tail(self._log)
        except OSError:  # the job closed it
            return ""

    def _call_target(self, order: Order) -> Finished:
        def call() -> object:
            module, _, function = self._target.partition(":")
            target: Callable[..., object] = getattr(importlib.import_module(module), function)
            return target(order.job, self._announcer(order))

        return self._result_of(order, call)

    def _result_of(self, order: Order, call: Callable[[], object]) -> Finished:
        """What a call returns, or what its copy of this process returns, or the error."""
        try:
            value = call()
            if isinstance(value, InCopy):
                return self._call_in_copy(order, value.rest)
            return Finished(order.number, "done", encode(value))
        except BaseException as error:  # SystemExit too: whatever it is, it is the job's outcome
            trace = encodable(traceback.format_exc()[-_LONGEST:])
            return Finished(order.number, "error", b"", _describe(error), trace)

    def _call_in_copy(self, order: Order, rest: Callable[[], object]) -> Finished:
        """Fork, have the copy do the rest of a job, and return what it has written into a file.

        If the copy crashes, this process ends in the same way, as the main process expects of a
        worker that crashes.
        """
        _flush()  # or the copy would print it again
        with open_file() as file:
            pid = os.fork()
            if pid == 0:
                self._be_copy(order, rest, file.fileno())
            _, status = os.waitpid(pid, 0)
            file.seek(0)
            content = file.read()
            code = os.waitstatus_to_exitcode(status)
            if code != 0 or not content:
                _end_like(code)
            result: Finished = decode(content, Finished)
            return result

    def _be_copy(self, order: Order, rest: Callable[[], object], file: int) -> NoReturn:
        """Do the rest of a job, write the result, and end."""
        die_with_parent()
        self._pid = os.getpid()
        _bound_cpu(order.limits.grace)
        result = self._result_of(order, rest)
        _flush()
        if os.getpid() != self._pid:
            # A copy of the copy.
            os._exit(_exit_code(result))
        content = memoryview(encode(result))
        while content:
            content = content[os.write(file, content) :]
        os._exit(0)

    def _announcer(self, order: Order) -> Announce:
        def announce(phase: str, value: object = None) -> None:
            if os.getpid() != self._pid:
                return  # a forked copy must not speak for us
            _bound_cpu(order.limits.allowed(phase))
            held = resident() if phase in WEIGHED else 0
            begun = Phase(order.number, phase, time.monotonic(), held)
            os.write(self._phases, pack(begun))
            if value is not None:
                write_draft(self._draft, order.number, encode(value))

        return announce


def _exit_code(result: Finished) -> int:
    """The exit code of a process whose job ended so: 0 if it was done."""
    if result.ending == "done":
        return 0
    return 1


def _end_like(code: int) -> NoReturn:
    """End this process as another one has ended: with an exit code, or minus a signal."""
    if code < 0:
        faulthandler.disable()  # the log has the stack of the one that crashed
        with suppress(OSError):  # of SIGKILL, which needs no handler
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def _bound_cpu(seconds: float) -> None:
    """Let the system end this process after these seconds more on all processors.

    The main process enforces the limits; this is for orphans, which nobody watches.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    soft = resource.RLIM_INFINITY
    if math.isfinite(seconds):
        usage = resource.getrusage(resource.RUSAGE_SELF)
        allowed = seconds * _PROCESSORS + _CPU_SLACK
        soft = math.ceil(usage.ru_utime + usage.ru_stime + allowed)
    if hard != resource.RLIM_INFINITY:
        soft = hard if soft == resource.RLIM_INFINITY else min(soft, hard)
    resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


def _has_children() -> bool:
    while (ended := reap_any()) is not None:
        if ended[0] == 0:
            return True
    return False


def _describe(error: BaseException) -> str:
    try:
        return encodable(f"{type(error).__name__}: {error}"[:_LONGEST])
    except Exception:
        return f"{type(error).__name__} (its message cannot be printed)"


def _flush() -> None:
    """Bring what the job printed from Python's buffers into the log."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # the job may have closed it
            stream.flush()
