"""What the processes exchange: jobs with their limits, reports, logs and drafts.

A worker prints into its log. Its draft holds what a job has produced so far, which main reads only
if the job does not return: sending it would wake main up while a job is measured. Both are files
without a name, so that nothing is left after ``kill -9``.
"""

from __future__ import annotations

import fcntl
import math
import os
import signal
import struct
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, BinaryIO, Literal, Self, TypeAlias

import msgspec

from hcbench.run.workers.encoding import decode, encode

#: Reads what a worker has encoded.
Decode: TypeAlias = Callable[[bytes], object]

ALGORITHM = "algorithm"
WARM_UP = "warm-up"
#: The phases that run the algorithm.
MEASURED = (WARM_UP, ALGORITHM)
METRICS = "metrics"
#: The phases in which memory is limited: all but imports.
WEIGHED = ("data", "oracle", WARM_UP, ALGORITHM, METRICS)
GRACE = 120.0  # seconds that imports, data and metrics may take at least
COMPILATION = 30.0  # seconds that a warm-up may take beyond those of the algorithm


@dataclass(frozen=True, slots=True)
class Limits:
    """What a job may take.

    Parameters
    ----------
    seconds
        Wall time of the phase ``"algorithm"``; None is no limit. The phase ``"warm-up"``, which
        runs the algorithm on a few items, may take `COMPILATION` more.
    memory
        Resident bytes, its children's included, above what the worker held when a phase other than
        imports began. None is no limit.
    grace
        Wall time in seconds of each other phase (imports, data, metrics).

    Examples
    --------
    >>> limits = Limits.of_cell(timeout=300)
    >>> limits.allowed("algorithm"), limits.allowed("metrics")
    (300, 600.0)
    """

    seconds: float | None = None
    memory: int | None = None
    grace: float = GRACE

    @classmethod
    def of_cell(cls, timeout: float | None, memory: int | None = None) -> Self:
        """What a cell may take: its data and its metrics twice its timeout, or 120 s if more."""
        grace = math.inf
        if timeout is not None:
            grace = max(GRACE, 2.0 * timeout)
        return cls(seconds=timeout, memory=memory, grace=grace)

    def allowed(self, phase: str) -> float:
        """Seconds for a phase."""
        if phase not in MEASURED:
            return self.grace
        if self.seconds is None:
            return math.inf
        if phase == WARM_UP:
            return self.seconds + COMPILATION
        return self.seconds


Ending = Literal["done", "error", "timeout", "memory", "crash"]


@dataclass(frozen=True, slots=True)
class Report:
    """What became of a job.

    Parameters
    ----------
    tag
        As submitted.
    ending
        ``"done"``: the target returned; ``"error"``: it raised, or its job or value cannot be
        pickled; ``"timeout"`` and ``"memory"``: it was killed at a limit; ``"crash"``: its process
        ended.
    value
        What the target returned; unless done, what it announced last, if anything.
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
    outside
        Whether the process was ended by another one, as far as can be told.
    lost
        Whether the fork server ended, so that the job is not to blame.
    host
        The name of the machine, if it is another one.

    Examples
    --------
    An executor adds the name of the machine:

    >>> from dataclasses import replace
    >>> report = Report("cell 3", "timeout", reason="it took more than 60 s", phase="algorithm")
    >>> replace(report, host="node7").host
    'node7'
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
    outside: bool = False
    lost: bool = False
    host: str = ""


def name_exit(code: int) -> str:
    """Say how a process ended, given its exit code, or minus the signal."""
    if code >= 0:
        return f"exited with code {code}"
    if -code == signal.SIGKILL:
        return "killed by signal 9 (possibly out of memory)"
    try:
        return f"killed by signal {-code} ({signal.Signals(-code).name})"
    except ValueError:
        return f"killed by signal {-code}"


CHUNK = 1 << 16  # below malloc's mmap threshold, so that reading costs no page faults
_HEADER = struct.Struct("!Q")


class Message(msgspec.Struct, tag=True, frozen=True):
    """What one process sends to another; its name is sent with it."""


class Open(Message, frozen=True):
    """Main to fork server: a pool whose workers call `target`; import this and these modules."""

    target: str
    preload: tuple[str, ...]


class Fork(Message, frozen=True):
    """Main to fork server: start a worker; with its four descriptors, see `Worker`."""

    number: int


class Kill(Message, frozen=True):
    """Main to fork server: kill this worker and all that it started."""

    pid: int


class Ready(Message, frozen=True):
    """Fork server to main: the modules are imported."""


class Closed(Message, frozen=True):
    """Fork server to main: the pool is closed, and its workers are gone."""


class Started(Message, frozen=True):
    """Fork server to main: worker `number` runs as `pid`."""

    number: int
    pid: int


class StartFailed(Message, frozen=True):
    """Fork server to main: worker `number` could not be forked."""

    number: int
    reason: str


class Ended(Message, frozen=True):
    """Fork server to main: a worker and all that it started ended, with this code or -signal."""

    pid: int
    code: int


ToServer: TypeAlias = Open | Fork | Kill
FromServer: TypeAlias = Ready | Closed | Started | StartFailed | Ended


class Order(Message, frozen=True):
    """Main to worker: do this packed job; the limits bound its CPU time.

    Orders are numbered, as a worker may have the next one before main has read the last reply.
    """

    number: int
    job: bytes
    limits: Limits


class Phase(Message, frozen=True):
    """Worker to main: a phase of an order began at this time, with these bytes resident.

    It goes through a pipe of its own, which main reads when it needs to: waking main up would take
    processor time from what is measured.
    """

    order: int
    name: str
    at: float
    resident: int


class Finished(Message, frozen=True):
    """Worker to main: the job of an order returned or raised, at this monotonic time.

    `value` is what it returned, encoded; `log` is what it printed; `spent` asks for a new worker in
    this one's place.
    """

    order: int
    ending: Literal["done", "error"]
    value: bytes = b""
    reason: str = ""
    traceback: str = ""
    log: str = ""
    at: float = 0.0
    spent: bool = False


def pack(message: Message) -> bytes:
    """Return a message as a frame: its length, then itself."""
    body = encode(message)
    return _HEADER.pack(len(body)) + body


def unpack(buffer: bytearray, expected: Any) -> Iterator[Any]:
    """Take the complete frames off the front of `buffer` and yield their messages.

    Raises
    ------
    EncodingError
        If one is not of the expected class, or of none of an expected union.
    """
    while len(buffer) >= _HEADER.size:
        end = _HEADER.size + _HEADER.unpack_from(buffer)[0]
        if len(buffer) < end:
            return
        body = bytes(buffer[_HEADER.size : end])
        del buffer[:end]
        yield decode(body, expected)


_SHOWN = 64 << 10
_KEPT = 16 << 20
_DRAFT = struct.Struct("!QQ")  # the number of the order, and the length of what follows


def open_file() -> BinaryIO:
    """Open an empty file, which processes that are given its descriptor share."""
    return tempfile.TemporaryFile(buffering=0)


def open_log() -> BinaryIO:
    """Open an empty log: what is written goes to its end, also while another process empties it."""
    file = open_file()
    fcntl.fcntl(file, fcntl.F_SETFL, os.O_APPEND)
    return file


def read_tail(log: int) -> str:
    """Return the last 64 KiB of the log with this descriptor."""
    return _tail(log).decode(errors="replace")


def take_tail(log: int) -> str:
    """Return the last 64 KiB, and forget everything."""
    tail = _tail(log)
    if tail:
        os.ftruncate(log, 0)
    return tail.decode(errors="replace")


def keep_short(log: int) -> None:
    """Keep a job that prints for ever from filling the disk."""
    if os.fstat(log).st_size > _KEPT:
        tail = _tail(log)
        os.ftruncate(log, 0)
        os.write(log, tail)


def _tail(log: int) -> bytes:
    size = os.fstat(log).st_size
    if not size:
        return b""
    return os.pread(log, _SHOWN, max(0, size - _SHOWN))


def write_draft(draft: int, order: int, content: bytes) -> None:
    """Replace what a draft holds; without room on the disk it holds nothing."""
    with suppress(OSError):
        # While it is written it is of no order; to truncate it takes 20 times as long.
        os.pwrite(draft, _DRAFT.pack(0, 0), 0)
        rest = memoryview(content)
        offset = _DRAFT.size
        while rest:
            n_written = os.pwrite(draft, rest, offset)
            rest = rest[n_written:]
            offset += n_written
        # Last, as it is complete now.
        os.pwrite(draft, _DRAFT.pack(order, len(content)), 0)


def read_draft(draft: int, order: int, decode: Decode) -> object:
    """Return what an order's job has written to a draft; None if that is nothing or incomplete."""
    with open(draft, "rb", closefd=False) as file:
        file.seek(0)
        try:
            number, length = _DRAFT.unpack(file.read(_DRAFT.size))
            if number != order:
                return None
            return decode(file.read(length))
        except Exception:
            # The failure of the job is reported; this one cannot add to it.
            return None
