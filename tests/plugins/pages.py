"""A pseudo-terminal with a command in it: ``from tests.plugins.pages import Page``."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Sequence
from pathlib import Path
from select import select

CLEAR = "\x1b[H\x1b[2J"
ENTER, LEAVE = "\x1b[?1049h", "\x1b[?1049l"
_TAKE_TERMINAL = (
    "import fcntl, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "from hcbench.cli import main; main()"
)


class Page:
    """The terminal of ``hcbench ARGS``.

    Parameters
    ----------
    args : sequence of str
    folder : Path
        Current folder of the command.
    size : pair of int
        Number of columns and lines.
    """

    def __init__(self, args: Sequence[str], folder: Path, size: tuple[int, int] = (80, 24)) -> None:
        self._main, self._terminal = pty.openpty()
        self.resize(size)
        self.before = termios.tcgetattr(self._terminal)
        self.written = ""
        env = {**os.environ, "TERM": "xterm", "HCBENCH_STORE": str(folder / "store.sqlite")}
        self.process = subprocess.Popen(
            [sys.executable, "-c", _TAKE_TERMINAL, *args],
            cwd=folder,
            env={k: v for k, v in env.items() if k not in ("COLUMNS", "LINES")},
            stdin=self._terminal,
            stdout=self._terminal,
            stderr=self._terminal,
            start_new_session=True,
        )

    def __enter__(self) -> Page:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._main)
        os.close(self._terminal)

    def resize(self, size: tuple[int, int]) -> None:
        columns, lines = size
        fcntl.ioctl(self._main, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    @property
    def settings(self) -> list[object]:
        """Settings of the terminal, to check that they are restored."""
        return termios.tcgetattr(self._terminal)

    @property
    def raw(self) -> str:
        """Everything sent since the page was last cleared."""
        return self.written.rpartition(CLEAR)[2]

    @property
    def text(self) -> str:
        """The visible text."""
        seen = re.sub(r"\x1b\]8;[^\x1b]*\x1b\\|\x1b\[[0-9;?]*[a-zA-Z]", "", self.raw)
        return "\n".join(line.rstrip() for line in seen.replace("\r", "").split("\n"))

    def wait(self, pattern: str, seconds: float = 60) -> re.Match[str]:
        """Wait until the page matches."""
        end = time.monotonic() + seconds
        while not (found := re.search(pattern, self.text, re.DOTALL)):
            assert time.monotonic() < end, f"no {pattern!r} in:\n{self.text}"
            assert self._read() or self.process.poll() is None, f"ended with:\n{self.text}"
        return found

    def press(self, keys: str) -> None:
        os.write(self._main, keys.encode())

    def end(self) -> tuple[int, str]:
        """Wait for the end; return the exit code, and the output after the last page."""
        while self.process.poll() is None:
            self._read()
        while self._read():
            pass
        return self.process.returncode, self.written.rpartition(LEAVE)[2].replace("\r", "")

    def _read(self) -> bool:
        if not select([self._main], [], [], 0.1)[0]:
            return False
        self.written += os.read(self._main, 65536).decode()
        return True
