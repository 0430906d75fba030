"""Keys, as they are pressed: from a terminal one by one, else a line each."""

from __future__ import annotations

import os
import signal
import sys
import termios
import tty
from collections.abc import Callable
from contextlib import suppress
from select import select
from types import FrameType, TracebackType
from typing import Any, Self

END = "\x04"  # Ctrl-D
_LOOK = 0.2  # seconds between looks at the size of the terminal
_ENTER_PAGE, _LEAVE_PAGE = "\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l"
_ENDINGS = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


def is_interactive() -> bool:
    """Whether there is somebody at a terminal who sees what goes to stderr."""
    return sys.stdin.isatty() and sys.stderr.isatty() and os.environ.get("TERM", "") != "dumb"


class Terminal:
    """A terminal that gives each key at once, and a page of its own; both end with the context.

    Ctrl-C interrupts as always. Ctrl-Z gives the terminal back as it was; after ``fg`` the page is
    drawn again.
    """

    def __init__(self) -> None:
        self._input = sys.stdin.fileno()
        self._before: Any = None
        self._handlers: dict[int, Any] = {}
        self._continued = False

    def __enter__(self) -> Self:
        self._before = termios.tcgetattr(self._input)
        for number in _ENDINGS:
            self._handlers[number] = signal.signal(number, _end)
        self._handlers[signal.SIGCONT] = signal.signal(signal.SIGCONT, self._go_on)
        self._handlers[signal.SIGTSTP] = signal.signal(signal.SIGTSTP, self._pause)
        self._open_page()
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        with suppress(OSError, termios.error):  # the terminal may be gone
            self._close_page()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    def _open_page(self) -> None:
        tty.setcbreak(self._input)
        _write_at_once(_ENTER_PAGE)

    def _close_page(self) -> None:
        termios.tcsetattr(self._input, termios.TCSADRAIN, self._before)
        _write_at_once(_LEAVE_PAGE)

    def _pause(self, number: int, _frame: FrameType | None) -> None:
        self._close_page()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)  # stops here, unless no shell is there to go on
        signal.signal(number, self._pause)
        self._continued = True

    def _go_on(self, _number: int, _frame: FrameType | None) -> None:
        self._continued = True

    @property
    def size(self) -> tuple[int, int]:
        """Columns and lines."""
        try:
            columns, lines = os.get_terminal_size(sys.stderr.fileno())
        except OSError:
            columns, lines = 0, 0
        return columns or 80, lines or 24  # a pseudo-terminal may not know

    def write(self, text: str) -> None:
        """To the page."""
        sys.stderr.write(text)
        sys.stderr.flush()

    def forget(self) -> None:
        """Drop what was typed before anything was shown that it could be meant for."""
        termios.tcflush(self._input, termios.TCIFLUSH)

    def read(self, draw: Callable[[], None]) -> str:
        """The next key; "" for one that is no character; `END`, as Ctrl-D, if none is left.

        Parameters
        ----------
        draw : callable
            Draws the page: now, and again whenever its size changes.
        """
        size = None
        while size is None or not select([self._input], [], [], _LOOK)[0]:
            if self._continued:
                self._continued, size = False, None
                self._open_page()
            if self.size != size:
                size = self.size
                draw()
        try:
            pressed = os.read(self._input, 64).decode(errors="replace")
        except OSError:  # the terminal is gone
            return END
        if not pressed:
            return END
        return "" if pressed.startswith("\x1b") else pressed[0]


def _write_at_once(text: str) -> None:
    """To the terminal, past the buffer, which nothing may enter while a signal is handled."""
    os.write(sys.stderr.fileno(), text.encode())


def _end(number: int, _frame: FrameType | None) -> None:
    """End in order, so that the terminal is as it was."""
    raise SystemExit(128 + number)


def read_line() -> str:
    """The first character of the next line of stdin; `END` if none is left."""
    line = sys.stdin.readline()
    return (line.strip() or " ")[0] if line else END
