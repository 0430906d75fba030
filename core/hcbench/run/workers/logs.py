"""Logs and drafts: files without a name, so that nothing is left after ``kill -9``.

A worker prints into its log. Its draft holds what a job has produced so far, which main reads only
if the job does not return: sending it would wake main up while a job is measured.
"""

from __future__ import annotations

import os
import struct
import tempfile
from collections.abc import Callable
from contextlib import suppress
from typing import BinaryIO, TypeAlias

#: Reads what a worker has pickled.
Decode: TypeAlias = Callable[[bytes], object]

_SHOWN = 64 << 10
_KEPT = 16 << 20
_DRAFT = struct.Struct("!QQ")  # the number of the order, and the length of what follows


def open_file() -> BinaryIO:
    """Open an empty log or draft, which processes that are given its descriptor share."""
    return tempfile.TemporaryFile(buffering=0)


def read_tail(log: int) -> str:
    """Return the last 64 KiB of the log with this descriptor."""
    return _tail(log).decode(errors="replace")


def take_tail(log: int) -> str:
    """Return the last 64 KiB, and forget everything."""
    shown = _tail(log)
    if shown:
        _empty(log)
    return shown.decode(errors="replace")


def keep_short(log: int) -> None:
    """Keep a job that prints for ever from filling the disk."""
    if os.fstat(log).st_size > _KEPT:
        tail = _tail(log)
        _empty(log)
        os.write(log, tail)


def _tail(log: int) -> bytes:
    size = os.fstat(log).st_size
    return os.pread(log, _SHOWN, max(0, size - _SHOWN)) if size else b""


def _empty(log: int) -> None:
    os.lseek(log, 0, os.SEEK_SET)  # the worker's position too, as the file is shared
    os.ftruncate(log, 0)


def write_draft(draft: int, order: int, content: bytes) -> None:
    """Replace what a draft holds; without room on the disk it holds nothing."""
    with suppress(OSError):
        os.ftruncate(draft, 0)
        rest, offset = memoryview(content), _DRAFT.size
        while rest:
            written = os.pwrite(draft, rest, offset)
            rest, offset = rest[written:], offset + written
        os.pwrite(draft, _DRAFT.pack(order, len(content)), 0)  # last: now it is whole


def read_draft(draft: int, order: int, decode: Decode) -> object:
    """Return what an order's job has written to a draft; None if that is nothing or incomplete."""
    head = os.pread(draft, _DRAFT.size, 0)
    if len(head) < _DRAFT.size:
        return None
    number, length = _DRAFT.unpack(head)
    if number != order:
        return None
    parts, offset = [], _DRAFT.size
    while part := os.pread(draft, length, offset):
        parts.append(part)
        offset += len(part)
    try:
        return decode(b"".join(parts))
    except Exception:
        return None  # the failure is reported; this cannot add to it
