"""A server that does not answer for a moment: how long it is waited for, and who is told."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TypeVar

from hcbench.errors import StoreError

T = TypeVar("T")
PATIENCE = 30.0  # seconds
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 2.0


class UnreachableError(StoreError):
    """The server of a store cannot be reached, or has ended the connection."""


def tell_stderr(text: str) -> None:
    """One line to stderr."""
    sys.stderr.write(f"hcbench: {text}\n")
    sys.stderr.flush()


class Patience:
    """Tries again what failed as the server was away.

    Parameters
    ----------
    tell : callable
        Called with one line when waiting begins, and with another when it was worth it.
    """

    def __init__(self, tell: Callable[[str], None] = tell_stderr) -> None:
        self.tell = tell
        # Who has waited in vain once, as a run does, does not wait again when it tidies up.
        self._is_spent = False

    def keep(self, work: Callable[[], T]) -> T:
        """Do something with the database; it must be such that it can be done again.

        Raises
        ------
        UnreachableError
            If the server was away for `PATIENCE` seconds.
        """
        began = time.monotonic()
        pause = _FIRST_PAUSE
        told = False
        while True:
            try:
                done = work()
            except UnreachableError as error:
                waited = time.monotonic() - began
                if self._is_spent or waited >= PATIENCE:
                    self._is_spent = True
                    raise
                if not told:
                    reason = str(error).partition("; ")[0]
                    self.tell(f"{reason}; waiting for the store for up to {PATIENCE:.0f} s")
                    told = True
                time.sleep(min(pause, PATIENCE - waited))
                pause = min(2 * pause, _LONGEST_PAUSE)
            else:
                self._is_spent = False
                if told:
                    self.tell(f"the store is back after {time.monotonic() - began:.1f} s")
                return done
