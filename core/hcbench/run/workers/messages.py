"""The messages between the processes.

They are pickled, but whatever runs in a worker may write into its connection. So the main process
reads nothing but data: a pickle that names anything else than the classes of messages, or those
that a pool expects as results, is refused, and none can call other code.
"""

from __future__ import annotations

import io
import pickle
import struct
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from hcbench.run.workers.limits import Limits

PROTOCOL = 5
CHUNK = 1 << 16  # below malloc's mmap threshold, so that reading costs no page faults
_HEADER = struct.Struct("!Q")


class Open(NamedTuple):
    """Main to fork server: a pool whose workers call `target`; import this and these modules."""

    target: str
    preload: tuple[str, ...]


class Fork(NamedTuple):
    """Main to fork server: start a worker; with its four descriptors, see `Channels`."""

    number: int


class Kill(NamedTuple):
    """Main to fork server: kill this worker and all that it started."""

    pid: int


class Ready(NamedTuple):
    """Fork server to main: the modules are imported."""


class Closed(NamedTuple):
    """Fork server to main: the pool is closed, and its workers are gone."""


class Started(NamedTuple):
    """Fork server to main: worker `number` runs as `pid`."""

    number: int
    pid: int


class StartFailed(NamedTuple):
    """Fork server to main: worker `number` could not be forked."""

    number: int
    reason: str


class Ended(NamedTuple):
    """Fork server to main: a worker and all that it started ended, with this code or -signal."""

    pid: int
    code: int


class Order(NamedTuple):
    """Main to worker: do this (pickled) job; the limits bound its CPU time.

    Orders are numbered, as a worker may have the next one before main has seen the last result.
    """

    number: int
    job: bytes
    limits: Limits


class Phase(NamedTuple):
    """Worker to main: a phase of an order began at this time, with these bytes resident.

    It goes through a pipe of its own, which main reads when it needs to: waking main up would take
    processor time from what is measured.
    """

    order: int
    name: str
    at: float
    resident: int


class Result(NamedTuple):
    """Worker to main: an order's job ended at this monotonic time.

    `log` is what it printed; `spent` asks for a new worker in this one's place.
    """

    order: int
    ending: Literal["done", "error"]
    value: bytes = b""
    reason: str = ""
    traceback: str = ""
    log: str = ""
    at: float = 0.0
    spent: bool = False


#: Module and name of a class, or of a function that makes an object.
Names = frozenset[tuple[str, str]]


class _DataReader(pickle.Unpickler):
    def __init__(self, data: bytes, allowed: Names) -> None:
        super().__init__(io.BytesIO(data))
        self._allowed = allowed

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in self._allowed:
            raise pickle.UnpicklingError(f"{module}.{name} is not expected")
        return super().find_class(module, name)


def read_data(data: bytes, allowed: Names) -> Any:
    """Unpickle an object that is made of nothing but these classes and Python's own data types.

    Raises
    ------
    UnpicklingError
        If it is not, or cannot be read.
    """
    try:
        return _DataReader(data, allowed).load()
    except pickle.UnpicklingError:
        raise
    except Exception as error:
        raise pickle.UnpicklingError(f"{type(error).__name__}: {error}") from error


def pack(message: object) -> bytes:
    """Return a message as a frame: its length, then its pickle."""
    body = pickle.dumps(message, PROTOCOL)
    return _HEADER.pack(len(body)) + body


_CLASSES = (Open, Fork, Kill, Ready, Closed, Started, StartFailed, Ended, Order, Phase, Result)
_MESSAGES = frozenset((each.__module__, each.__name__) for each in (*_CLASSES, Limits))


def unpack(buffer: bytearray) -> Iterator[Any]:
    """Take the complete frames off the front of `buffer` and yield their messages."""
    while len(buffer) >= _HEADER.size:
        end = _HEADER.size + _HEADER.unpack_from(buffer)[0]
        if len(buffer) < end:
            return
        body = bytes(buffer[_HEADER.size : end])
        del buffer[:end]
        yield read_data(body, _MESSAGES)
