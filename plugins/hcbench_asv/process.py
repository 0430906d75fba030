"""A process that measures cases: those of this hcbench, or of another one installed in a folder."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import wait
from pathlib import Path
from typing import IO

from hcbench import DataError
from hcbench.run import child_environment
from hcbench_asv.quantities import Case, Measurement

PATIENCE = 600.0
"""Seconds for one case, and for the start."""

_FAREWELL = 10.0  # seconds in which a process may report why it ends
_LIBRARIES = ("OMP", "OPENBLAS", "MKL", "VECLIB", "NUMEXPR", "NUMBA")


class MeasuringProcess:
    """A process that measures one case after the other; it starts when it is first needed.

    If it ends, that case has failed, and the next one starts another process.

    Parameters
    ----------
    arguments : sequence of str
        Of ``python -m hcbench.asv``.
    folder : Path, optional
        Where an hcbench is installed; by default the one that is imported here.
    name : str
        For messages.

    Examples
    --------
    >>> process = MeasuringProcess(["my-package"], name="my-package of today")
    >>> process.arguments
    ('my-package',)

    It has not started yet, as nothing has been measured:

    >>> process.version
    ''
    >>> process.close()
    """

    def __init__(
        self, arguments: Sequence[str] = (), folder: Path | None = None, name: str = "hcbench"
    ) -> None:
        self.arguments = tuple(arguments)
        self.folder = folder
        self.name = name
        self.version = ""
        self._process: subprocess.Popen[bytes] | None = None
        self._cases: list[Case] = []
        self._log: IO[bytes] | None = None

    def cases(self) -> list[Case]:
        """All cases that it can measure.

        Raises
        ------
        DataError
            If it does not start.
        """
        self._start()
        return self._cases

    def measure(self, case: Case, repetition: int) -> Measurement:
        """Measure a case; the result is ``failed`` if the process ends."""
        self._start()
        assert self._process is not None
        assert self._process.stdin is not None
        line = b""
        # The process may have ended since its last answer; then there is no line.
        with suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps([*case, repetition]).encode() + b"\n")
            self._process.stdin.flush()
            line = self._read()
        if not line:
            code = self._process.poll()
            reason = f"exit code {code}"
            if code is None:
                reason = f"no answer in {PATIENCE:.0f} s"
            self.close()
            return {"failed": f"its process ended: {reason}"}
        measurement: Measurement = json.loads(line)
        return measurement

    def close(self) -> None:
        """End the process; the next measurement starts another one."""
        if self._process is None or self._log is None:
            return
        self._process.kill()
        self._process.communicate()
        self._log.close()
        self._process = None

    def _start(self) -> None:
        if self._process is not None:
            return
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  (as long as the process)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "hcbench.asv", *self.arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # A pipe that nobody reads would fill, and the process would wait.
            stderr=self._log,
            env=reproducible_environment(self.folder),
            cwd=self.folder,
        )
        line = self._read()
        if not line:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_FAREWELL)
            reason = self._last_line_of_log()
            self.close()
            raise DataError(f"{self.name} cannot be measured: {reason}")
        greeting = json.loads(line)
        self.version = greeting["version"]
        self._cases = [(name, n) for name, n in greeting["cases"]]

    def _last_line_of_log(self) -> str:
        assert self._log is not None
        self._log.seek(0)
        lines = self._log.read().decode(errors="replace").strip().splitlines()
        if not lines:
            return "its process ended at once"
        return lines[-1]

    def _read(self) -> bytes:
        """A line; empty if there is none in time."""
        assert self._process is not None
        stream = self._process.stdout
        assert stream is not None
        # A line is written and flushed at once, so that readline does not wait for its end.
        if not wait([stream.fileno()], PATIENCE):
            return b""
        return stream.readline()


def reproducible_environment(folder: Path | None = None) -> dict[str, str]:
    """One thread and one order of hashing, no secrets, and the modules of a folder if given.

    Examples
    --------
    >>> environment = reproducible_environment()
    >>> environment["OMP_NUM_THREADS"], environment["PYTHONHASHSEED"]
    ('1', '0')
    """
    environment = child_environment()
    for library in _LIBRARIES:
        environment[f"{library}_NUM_THREADS"] = "1"
    environment["PYTHONHASHSEED"] = "0"
    if folder is not None:
        environment["PYTHONPATH"] = str(folder)
    return environment
