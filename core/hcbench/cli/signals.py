"""Signals of batch systems and closed terminals end a command as Ctrl-C does."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

#: Windows has no SIGHUP.
_ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


@dataclass(slots=True)
class Received:
    """The signal that ended the command; 0 if none did."""

    number: int = 0


@contextmanager
def interrupted_by_signals() -> Iterator[Received]:
    """Raise KeyboardInterrupt at the first of the signals, and ignore the following ones.

    Closing terminals and batch systems may send several, and cleaning up must finish. A signal that
    is ignored, as with ``nohup``, stays ignored.
    """
    received = Received()

    def interrupt(number: int, _frame: FrameType | None) -> None:
        for each in before:
            signal.signal(each, signal.SIG_IGN)
        received.number = number
        raise KeyboardInterrupt

    before = {}
    if threading.current_thread() is threading.main_thread():
        before = {n: signal.getsignal(n) for n in _ENDING if signal.getsignal(n) == signal.SIG_DFL}
    for number in before:
        signal.signal(number, interrupt)
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
