"""Commits of a project, each installed in a folder and measured by a process of its own."""

from __future__ import annotations

import json
import os
import selectors
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from hcbench.authoring.regress.commits import Commit, check_out
from hcbench.errors import DataError

Case = tuple[str, int]
Measurement = dict[str, Any]

PATIENCE = 600.0
"""Seconds for one case, and for the start."""

INSTALLED = 10
"""Installed commits on disk; with its compiled kernels each takes some 20 MB."""

_FAREWELL = 10.0  # seconds in which a process may report why it ends
_LIBRARIES = ("OMP", "OPENBLAS", "MKL", "VECLIB", "NUMEXPR", "NUMBA")


def install(root: Path, commit: Commit, folder: Path) -> Path:
    """Build a commit and install it into a folder, without its dependencies; once.

    Parameters
    ----------
    root : Path
        Of the repository.
    commit : Commit
    folder : Path
        Of such installations, each in a folder named by its commit.

    Raises
    ------
    DataError
        If it cannot be built.
    """
    target = folder / commit.hash
    if target.is_dir():
        target.touch()
        return target
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as work:
        source, installed = Path(work) / "source", Path(work) / "installed"
        check_out(root, commit, source)
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target"]
        done = subprocess.run(
            [*command, str(installed), str(source)],
            capture_output=True,
            text=True,
            env={**_environment(), "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
        )
        if done.returncode:
            said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
            raise DataError(f"{commit.name} cannot be installed: {said[-1]}")
        installed.rename(target)
    _remove_old(folder)
    return target


def _remove_old(folder: Path) -> None:
    """Remove all but the most recently used installations."""
    used = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime)
    for path in used[:-INSTALLED]:
        shutil.rmtree(path, ignore_errors=True)


class Checkout:
    """The process that measures one commit; it starts when it is first needed.

    Parameters
    ----------
    commit : Commit
    folder : Path
        Where it is installed.
    distributions : sequence of str
        Whose registrations are measured; empty: all.
    """

    def __init__(self, commit: Commit, folder: Path, distributions: Sequence[str] = ()) -> None:
        self.commit = commit
        self.folder = folder
        self.distributions = tuple(distributions)
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
        try:
            self._process.stdin.write(json.dumps([*case, repetition]).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            return self._ended()
        line = self._read()
        if not line:
            return self._ended()
        measurement: Measurement = json.loads(line)
        return measurement

    def close(self) -> None:
        """End the process; the next measurement starts another one."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        for stream in (process.stdin, process.stdout):
            assert stream is not None
            try:
                stream.close()
            except BrokenPipeError:
                continue
        process.wait()
        if self._log is not None:
            self._log.close()

    def _start(self) -> None:
        if self._process is not None:
            return
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  (as long as the process)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "hcbench.asv", *self.distributions],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env={**_environment(), "PYTHONPATH": str(self.folder)},
            cwd=self.folder,
        )
        line = self._read()
        if not line:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_FAREWELL)
            said = self._said()
            self.close()
            raise DataError(f"{self.commit.name} ({self.commit.short}) cannot be measured: {said}")
        told = json.loads(line)
        self.version = told["version"]
        self._cases = [(name, n) for name, n in told["cases"]]

    def _read(self) -> bytes:
        """A line; empty if there is none in time."""
        assert self._process is not None
        stream = self._process.stdout
        assert stream is not None
        with selectors.DefaultSelector() as selector:
            selector.register(stream, selectors.EVENT_READ)
            return stream.readline() if selector.select(PATIENCE) else b""

    def _ended(self) -> Measurement:
        assert self._process is not None
        code = self._process.poll()
        self.close()
        why = f"no answer in {PATIENCE:.0f} s" if code is None else f"exit code {code}"
        return {"failed": f"its process ended: {why}"}

    def _said(self) -> str:
        assert self._log is not None
        self._log.seek(0)
        lines = self._log.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else "its process ended at once"


def _environment() -> dict[str, str]:
    """One thread and one order of hashing, so that both commits do the same work."""
    threads = {f"{name}_NUM_THREADS": "1" for name in _LIBRARIES}
    inherited = {k: value for k, value in os.environ.items() if k != "PYTHONPATH"}
    return {**inherited, **threads, "PYTHONHASHSEED": "0"}
