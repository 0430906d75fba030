"""Logs: files without a name, so there is nothing to clean up, even after ``kill -9``."""

from __future__ import annotations

import os
import tempfile
from typing import BinaryIO

_SHOWN = 64 << 10
_KEPT = 16 << 20


def open_log() -> BinaryIO:
    """Open an empty log, which processes that are given its descriptor share."""
    return tempfile.TemporaryFile(buffering=0)


def read_tail(log: BinaryIO) -> str:
    """Return the last 64 KiB."""
    return _tail(log).decode(errors="replace")


def take_tail(log: BinaryIO) -> str:
    """Return the last 64 KiB, and forget everything."""
    shown = _tail(log)
    if shown:
        _empty(log)
    return shown.decode(errors="replace")


def keep_short(log: BinaryIO) -> None:
    """Keep a job that prints for ever from filling the disk."""
    if os.fstat(log.fileno()).st_size > _KEPT:
        tail = _tail(log)
        _empty(log)
        os.write(log.fileno(), tail)


def _tail(log: BinaryIO) -> bytes:
    size = os.fstat(log.fileno()).st_size
    return os.pread(log.fileno(), _SHOWN, max(0, size - _SHOWN)) if size else b""


def _empty(log: BinaryIO) -> None:
    os.lseek(log.fileno(), 0, os.SEEK_SET)  # the worker's position too, as the file is shared
    os.ftruncate(log.fileno(), 0)
