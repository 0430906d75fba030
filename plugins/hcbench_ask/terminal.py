"""Pages on a terminal, and the keys pressed there; without a terminal, lines of stdin."""

from __future__ import annotations

import os
import signal
import sys
import termios
import tty
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any, Self, TypeAlias

END = "\x04"  # Ctrl-D
# Control sequences of xterm: the alternate screen buffer, and the cursor hidden.
_ENTER_PAGE = "\x1b[?1049h\x1b[?25l"
_LEAVE_PAGE = "\x1b[?25h\x1b[?1049l"
_CLEAR = "\x1b[H\x1b[2J"

Size: TypeAlias = tuple[int, int]


def is_interactive() -> bool:
    """Whether stdin and stderr are a terminal, so that a person sees the output."""
    return sys.stdin.isatty() and sys.stderr.isatty() and os.environ.get("TERM", "") != "dumb"


class Terminal:
    """A terminal that gives each key at once and shows a separate page, until the context ends.

    Ctrl-C interrupts as usual. Ctrl-Z suspends; the page is drawn again after ``fg``.
    `click.getchar` would lose a key that is pressed just after the page was drawn.
    """

    def __init__(self) -> None:
        self._input = sys.stdin.fileno()
        self._settings: Any = None
        self._handlers: dict[int, Any] = {}
        self._draw: Callable[[Size], str] = lambda _size: "One moment ..."

    def __enter__(self) -> Self:
        self._settings = termios.tcgetattr(self._input)
        self._handle(signal.SIGCONT, self._open)
        self._handle(signal.SIGQUIT, _quit)
        self._handle(signal.SIGTSTP, self._pause)
        self._handle(signal.SIGWINCH, self._redraw)
        self._open()
        return self

    def _handle(self, number: int, handler: Callable[[int, FrameType | None], object]) -> None:
        """Set the handler of a signal until the context ends."""
        self._handlers[number] = signal.signal(number, handler)

    def __exit__(self, *_: object) -> None:
        with suppress(OSError, termios.error):  # the terminal may have been closed
            self._close()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    def _open(self, *_: object) -> None:
        tty.setcbreak(self._input)
        _write(_ENTER_PAGE)
        self._redraw()

    def _close(self) -> None:
        termios.tcsetattr(self._input, termios.TCSADRAIN, self._settings)
        _write(_LEAVE_PAGE)

    def _pause(self, number: int, _frame: FrameType | None) -> None:
        self._close()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)  # stops here, unless there is no shell to continue it
        signal.signal(number, self._pause)
        self._open()

    def _redraw(self, *_: object) -> None:
        """Draw until the page has the size of the terminal, which may change meanwhile."""
        size = None
        while size != (size := self._size):
            _write(_CLEAR + self._draw(size))

    @property
    def _size(self) -> Size:
        """Size in columns and lines."""
        try:
            columns, lines = os.get_terminal_size(sys.stderr.fileno())
        except OSError:
            columns = 0
            lines = 0
        # A pseudo-terminal may not report its size: 80 x 24 is what terminals have at least.
        return columns or 80, lines or 24

    def forget(self) -> None:
        """Discard keys that were pressed before the page was shown."""
        termios.tcflush(self._input, termios.TCIFLUSH)

    def read(self, draw: Callable[[Size], str]) -> str:
        """Read a key; "" for one that is not a character; `END` at the end, as after Ctrl-D.

        Parameters
        ----------
        draw : callable
            Returns the page for a size in columns and lines. It is drawn now, and after each change
            of the size.
        """
        self._draw = draw
        self._redraw()
        try:
            pressed = os.read(self._input, 64).decode(errors="replace")
        except OSError:  # the terminal was closed
            return END
        if not pressed:
            return END
        if pressed.startswith("\x1b"):  # of arrows and other keys that are no characters
            return ""
        return pressed[0]


def _write(text: str) -> None:
    """Write to the terminal without a buffer, so that a signal handler can do so at any time."""
    os.write(sys.stderr.fileno(), text.encode())


def _quit(number: int, _frame: FrameType | None) -> None:
    """Exit normally, so that the terminal is restored."""
    raise SystemExit(128 + number)


def read_line() -> str:
    """Read the first character of the next line of stdin; `END` at the end."""
    line = sys.stdin.readline()
    if not line:
        return END
    characters = line.strip() or " "
    return characters[0]
