"""What runs in a worker: one job after the other."""

from __future__ import annotations

import importlib
import math
import os
import pickle
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
import traceback
from contextlib import suppress
from typing import Protocol

from hcbench.run.workers.encoding import encode
from hcbench.run.workers.messages import (
    CHUNK,
    WEIGHED,
    Order,
    Phase,
    Result,
    pack,
    take_tail,
    unpack,
    write_draft,
)
from hcbench.run.workers.processes import adopt_orphans, die_with_parent, libc, reap_any, resident

_CPU_SLACK = 30  # seconds that an orphan may burn beyond its limits
_LONGEST = 1 << 16  # characters of a message and of a traceback
_PROCESSORS = os.cpu_count() or 1


class Announce(Protocol):
    """What a job calls while it runs."""

    def __call__(self, phase: str, value: object = None) -> None:
        """Say that a phase begins; `value` is reported if the job does not return."""


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
    import faulthandler
    import resource

    os.setsid()
    die_with_parent()
    adopt_orphans()
    for descriptor in (1, 2):
        os.dup2(log, descriptor)
    for stream in (sys.stdout, sys.stderr):
        # By lines, so that a crash loses little; no text may fail to print.
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)  # type: ignore[union-attr]
    os.mkdir(folder, 0o700)
    os.environ["TMPDIR"] = tempfile.tempdir = folder
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
        ``module:function``, called with a job and ``announce``.
    folder
        For temporary files, which go after each job.
    """

    def __init__(
        self, connection: socket.socket, phases: int, log: int, draft: int, target: str, folder: str
    ) -> None:
        self._connection = connection
        self._phases, self._log, self._draft = phases, log, draft
        self._target, self._folder = target, folder
        self._pid = os.getpid()

    def serve(self) -> None:
        """Do jobs until the main process closes the connection."""
        buffer = bytearray()
        while data := self._connection.recv(CHUNK):
            buffer += data
            for order in unpack(buffer, Order):
                self._connection.sendall(pack(self._perform(order)))

    def _perform(self, order: Order) -> Result:
        threads = threading.active_count()
        _bound_cpu(order.limits.grace)
        result = self._outcome(order)
        _flush()
        if os.getpid() != self._pid:
            # The algorithm forked, and its copy came back as if it were us.
            os._exit(0 if result.ending == "done" else 1)
        clear_timers()
        self._remove_temporary_files()
        spent = _leaving or threading.active_count() > threads or _has_children()
        return result._replace(log=self._take_log(), at=time.monotonic(), spent=spent)

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

    def _outcome(self, order: Order) -> Result:
        try:
            module, _, function = self._target.partition(":")
            call = getattr(importlib.import_module(module), function)
            value = call(pickle.loads(order.job), self._announcer(order))
            return Result(order.number, "done", encode(value))
        except BaseException as error:  # SystemExit too: whatever it is, it is the job's outcome
            trace = traceback.format_exc()[-_LONGEST:]
            return Result(order.number, "error", b"", _describe(error), trace)

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


def _bound_cpu(seconds: float) -> None:
    """Let the system end this process after these seconds more on all processors.

    The main process enforces the limits; this is for orphans, which nobody watches.
    """
    import resource

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
        return f"{type(error).__name__}: {error}"[:_LONGEST]
    except Exception:
        return f"{type(error).__name__} (its message cannot be printed)"


def _flush() -> None:
    """Bring what the job printed into the log: Python's buffers, then those of the C library."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # the job may have closed it
            stream.flush()
    libc().fflush(None)
