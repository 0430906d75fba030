"""A pseudo-terminal with a command in it: ``from tests.terminal import Page``."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import signal
import struct
import sys
import termios
import time
import traceback
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from select import select

from hcbench.cli import main
from tests.inline import cells_in_this_process

CLEAR = "\x1b[H\x1b[2J"
ENTER, LEAVE = "\x1b[?1049h", "\x1b[?1049l"


class _Command:
    """``hcbench ARGS`` in a copy of this process whose controlling terminal is another one."""

    def __init__(
        self, terminal: int, args: Sequence[str], folder: Path, env: Mapping[str, str]
    ) -> None:
        self.returncode: int | None = None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # the copy starts no thread
            self.pid = os.fork()
        if self.pid == 0:
            try:
                os.setsid()
                fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
                for number in range(3):
                    os.dup2(terminal, number)
                sys.stdin = os.fdopen(0)
                sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
                os.chdir(folder)
                os.environ.update(env)
                for name in ("COLUMNS", "LINES"):
                    os.environ.pop(name, None)
                with cells_in_this_process():
                    main(list(args))
            except SystemExit as ending:
                sys.stdout.flush()
                os._exit(ending.code if isinstance(ending.code, int) else 0)
            except BaseException:
                traceback.print_exc()
            os._exit(1)

    def poll(self) -> int | None:
        """The exit code, if it has ended."""
        return self._wait(os.WNOHANG)

    def wait(self) -> None:
        self._wait(0)

    def _wait(self, options: int) -> int | None:
        if self.returncode is None:
            ended, status = os.waitpid(self.pid, options)
            self.returncode = os.waitstatus_to_exitcode(status) if ended else None
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)


class Page:
    """The terminal of ``hcbench ARGS``.

    Parameters
    ----------
    args : sequence of str
    folder : Path
        Current folder of the command.
    size : pair of int
        Number of columns and lines.
    **env : str
        Environment variables.
    """

    def __init__(
        self, args: Sequence[str], folder: Path, size: tuple[int, int] = (80, 24), **env: str
    ) -> None:
        self._main, self._terminal = pty.openpty()
        self.resize(size)
        self.before = termios.tcgetattr(self._terminal)
        self.written = ""
        env = {"TERM": "xterm", "HCBENCH_STORE": str(folder / "store.sqlite"), **env}
        self.process = _Command(self._terminal, args, folder, env)

    def __enter__(self) -> Page:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.send_signal(signal.SIGKILL)
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
            assert self.read() or self.process.poll() is None, f"ended with:\n{self.text}"
        return found

    def press(self, keys: str) -> None:
        os.write(self._main, keys.encode())

    def end(self, seconds: float = 60) -> tuple[int, str]:
        """Wait for the end; return the exit code, and the output after the last page."""
        end = time.monotonic() + seconds
        while self.process.poll() is None:
            assert time.monotonic() < end, f"does not end:\n{self.text}"
            self.read()
        while self.read():
            pass
        assert self.process.returncode is not None
        return self.process.returncode, self.written.rpartition(LEAVE)[2].replace("\r", "")

    def read(self) -> bool:
        if not select([self._main], [], [], 0.1)[0]:
            return False
        self.written += os.read(self._main, 65536).decode()
        return True
