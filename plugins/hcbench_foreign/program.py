"""Running a program once: files, the process, and what it returned."""

from __future__ import annotations

import os
import re
import resource
import select
import subprocess
import sys
import tempfile
import time
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist, squareform

from hcbench import Given, HcbenchError, Oracle, Partition, Tree
from hcbench.run import child_environment, named_secrets
from hcbench_foreign.declaration import Declaration

PROC = Path("/proc")
"""Where Linux tells the memory of processes; other systems do not have it."""
_LIBRARIES = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "VECLIB_MAXIMUM", "BLIS")
#: Variables of this Python's environment, which another one must not see.
_OWN = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")


class ForeignProgram:
    """An algorithm that runs a program.

    The time of a call is that of the program with its start, and of writing and reading its files;
    start-up alone is measured before the first call of a worker, which is never timed.

    Parameters
    ----------
    declared : Declaration
    """

    def __init__(self, declared: Declaration) -> None:
        self.declared = declared
        self.startup: float | None = None

    def __call__(
        self, oracle: Oracle, given: Given, rng: np.random.Generator, **params: Any
    ) -> Tree | Partition:
        """Run the program on the data of an oracle.

        Raises
        ------
        HcbenchError
            If it fails, or is not the one that the main process has read.
        """
        if params.get("program", self.declared.digest) != self.declared.digest:
            raise HcbenchError(
                f"{self.declared.name}: the program changed during the run; run it again with "
                "--fresh"
            )
        if self.declared.null and self.startup is None:
            self.startup = self._start_up()
        if self.startup is not None:
            oracle.report(startup_seconds=self.startup)
        with tempfile.TemporaryDirectory(prefix="hcbench-") as folder:
            source = Path(folder) / f"input.{self.declared.input_format}"
            target = Path(folder) / "output"
            _write(self._input(oracle), source)
            filled = {
                "input": str(source),
                "output": str(target),
                "n": given.n,
                "seed": int(rng.integers(2**31)),
                "threads": 1,
                **params,
            }
            command = [_fill(word, filled) for word in self.declared.command]
            names_input = any("{input}" in word for word in self.declared.command)
            printed, peak = self._run(command, Path(folder), None if names_input else source)
            oracle.child_peak = max(oracle.child_peak, peak)
            if any("{output}" in word for word in self.declared.command):
                if not target.is_file():
                    raise HcbenchError(f"{self.declared.name}: it wrote no file {{output}}")
                printed = target.read_bytes()
        try:
            return self._result(printed, given)
        except (HcbenchError, ValueError, EOFError) as error:
            shown = printed[:60].decode(errors="replace")
            raise HcbenchError(
                f"{self.declared.name}: its output {shown!r} cannot be read as "
                f"{self.declared.returns}: {error}"
            ) from error

    def _input(self, oracle: Oracle) -> NDArray[Any]:
        data: Any = oracle.read()
        if self.declared.input == "comparisons":
            quadruplets: NDArray[Any] = data.quadruplets()
            return quadruplets
        dense = np.asarray(data.toarray() if hasattr(data, "toarray") else data)
        if self.declared.input != "distances":
            return dense
        if oracle.kind == "vectors":
            distances: NDArray[Any] = squareform(pdist(dense))
            return distances
        off_diagonal = ~np.eye(len(dense), dtype=bool)
        return np.where(off_diagonal, dense[off_diagonal].max(initial=-np.inf) - dense, 0.0)

    def _start_up(self) -> float:
        with tempfile.TemporaryDirectory(prefix="hcbench-") as folder:
            start = time.perf_counter()
            self._run(list(self.declared.null), Path(folder), None)
            return time.perf_counter() - start

    def _run(self, command: list[str], folder: Path, source: Path | None) -> tuple[bytes, int]:
        """What a command printed, and its peak memory in bytes.

        The process is of the worker's group, so that limits and the end of the worker hold for it.

        Raises
        ------
        HcbenchError
            If it cannot be started or fails.
        """
        environment = self._environment()
        with (
            open(source or os.devnull, "rb") as stdin,
            tempfile.TemporaryFile() as stdout,
            tempfile.TemporaryFile() as stderr,
        ):
            try:
                process = subprocess.Popen(
                    command, cwd=folder, env=environment, stdin=stdin, stdout=stdout, stderr=stderr
                )
            except OSError as error:
                raise HcbenchError(
                    f"{self.declared.name}: cannot start {command[0]}: {error.strerror}"
                ) from error
            process.returncode, peak = _wait(process.pid)
            stderr.seek(0)
            complaint = stderr.read().decode(errors="replace").strip().rpartition("\n")[2]
            if process.returncode:
                code = process.returncode
                how = f"exit code {code}" if code > 0 else f"killed by signal {-code}"
                raise HcbenchError(f"{self.declared.name}: {how}: {complaint or 'no message'}")
            stdout.seek(0)
            return stdout.read(), peak

    def _environment(self) -> dict[str, str]:
        """The environment variables of the program: no secrets but those that it declares."""
        environment = child_environment()
        environment.update(named_secrets(self.declared.env))
        for name in _OWN:
            environment.pop(name, None)
        for library in _LIBRARIES:
            # A worker has them already, as --threads says.
            environment.setdefault(f"{library}_NUM_THREADS", "1")
        return environment

    def _result(self, output: bytes, given: Given) -> Tree | Partition:
        declared = self.declared
        if declared.returns == "newick":
            rows = [str(row) for row in range(given.n)]
            tree = Tree.from_newick(output.decode().strip(), rows, heights=declared.heights)
            return Tree(tree.parent, tree.height, tree.kind, given.names)
        if declared.output_format == "npy":
            table = np.load(BytesIO(output), allow_pickle=False)
        else:
            table = np.loadtxt(BytesIO(output), delimiter=",", ndmin=2)
        if declared.returns == "linkage":
            if given.n == 1:
                return Tree([-1], names=given.names)
            return Tree.from_linkage(table, names=given.names)
        if not (table == table.astype(np.int64)).all():
            raise ValueError("labels are whole numbers")
        labels = table.astype(np.int64)
        if declared.returns == "labels":
            return Partition(labels.ravel())
        return Tree.from_levels(labels, names=given.names)


def _wait(pid: int) -> tuple[int, int]:
    """Wait for the end of a process: its exit code, and its largest memory in bytes."""
    sampled = _watch(pid)
    _, status, usage = os.wait4(pid, 0)
    peak, own = usage.ru_maxrss, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if sys.platform != "darwin":  # which counts bytes
        peak, own = 1024 * peak, 1024 * own
    # Linux counts this process too, of which the other one is a copy until it starts.
    if sampled and peak <= own:
        peak = sampled
    return os.waitstatus_to_exitcode(status), peak


def _watch(pid: int) -> int:
    """Wait for the end of a process; its largest memory in bytes, sampled every 20 ms or sooner.

    Only Linux tells the memory, and the end, of another process so. Elsewhere, 0 at once.
    """
    try:
        descriptor = os.pidfd_open(pid)
    except (AttributeError, OSError):  # not Linux, or not allowed in a container
        return 0
    peak, pause = 0, 1  # milliseconds
    try:
        ended = select.poll()
        ended.register(descriptor, select.POLLIN)
        while True:
            peak = max(peak, _memory(pid))
            if ended.poll(pause):
                return peak
            pause = min(2 * pause, 20)
    finally:
        os.close(descriptor)


def _memory(pid: int) -> int:
    """The peak of the memory of a process until now, in bytes; 0 after its end, or if unknown."""
    try:
        status = (PROC / str(pid) / "status").read_text()
    except OSError:
        return 0
    peak = re.search(r"VmHWM:\s*(\d+) kB", status)
    return 1024 * int(peak[1]) if peak else 0


def _write(data: NDArray[Any], file: Path) -> None:
    if file.suffix == ".npy":
        np.save(file, data)
    elif file.suffix == ".npz":
        np.savez(file, data=data)
    else:
        whole = data.dtype.kind in "iu"
        np.savetxt(file, data, fmt="%d" if whole else "%.17g", delimiter=",")


def _fill(word: str, values: dict[str, Any]) -> str:
    """An argument with its placeholders replaced; other braces stay."""
    for name, value in values.items():
        word = word.replace(f"{{{name}}}", str(value))
    return word
