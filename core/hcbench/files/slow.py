"""A line on a terminal about what takes longer than a second."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar

SILENT = 1.0
"""Seconds after which a terminal shows what takes time."""

#: Whether an outer block shows what takes time already.
_IS_SHOWN: ContextVar[bool] = ContextVar("_IS_SHOWN", default=False)


@contextmanager
def tell_if_slow(what: str) -> Iterator[None]:
    """Write a line to stderr if the block takes longer than a second and stderr is a terminal.

    Parameters
    ----------
    what : str
        What is done, such as "reading data.csv". Of nested blocks, the outermost one is told.

    Examples
    --------
    >>> with tell_if_slow("reading data.csv"):
    ...     total = sum(range(1000))
    >>> total
    499500
    """
    if _IS_SHOWN.get() or sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    timer = threading.Timer(SILENT, _tell, [what])
    # It must not keep a program alive that is interrupted.
    timer.daemon = True
    token = _IS_SHOWN.set(True)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        _IS_SHOWN.reset(token)


def _tell(what: str) -> None:
    # A terminal that is gone must not end the program.
    with suppress(OSError, ValueError):
        sys.stderr.write(f"{what} ...\n")
        sys.stderr.flush()
