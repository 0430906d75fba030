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

from hcbench import HcbenchError, Items, Oracle, Partition, Tree
from hcbench.run import child_environment, named_secrets
from hcbench_foreign.declaration import Declaration

#: Where Linux tells the memory of processes; other systems do not have it.
_PROC = Path("/proc")
_LIBRARIES = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "VECLIB_MAXIMUM", "BLIS")
#: Variables of this Python's environment, which another one must not see.
_VARIABLES_OF_PYTHON = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")


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
        self, oracle: Oracle, items: Items, rng: np.random.Generator, /, **params: Any
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
        with tempfile.TemporaryDirectory(prefix="hcbench-") as name:
            folder = Path(name)
            source = folder / f"input.{self.declared.input_format}"
            target = folder / "output"
            _write(self._input(oracle), source)
            values = {
                "input": str(source),
                "output": str(target),
                "n": items.n,
                "seed": int(rng.integers(2**31)),
                "threads": 1,
            }
            values.update(params)
            command = [_fill(word, values) for word in self.declared.command]
            # A program that is not told where its input is reads it from stdin.
            stdin = None
            if not self._names("input"):
                stdin = source
            output, peak = self._run(command, folder, stdin)
            oracle.report_process(peak_bytes=peak)
            if self._names("output"):
                output = self._read_output(target)
        return self._result(output, items)

    def _names(self, placeholder: str) -> bool:
        """Whether the command has a placeholder."""
        return any(f"{{{placeholder}}}" in word for word in self.declared.command)

    def _read_output(self, file: Path) -> bytes:
        if not file.is_file():
            raise HcbenchError(f"{self.declared.name}: it wrote no file {{output}}")
        return file.read_bytes()

    def _input(self, oracle: Oracle) -> NDArray[Any]:
        data: Any = oracle.read()
        if self.declared.input == "comparisons":
            quadruplets: NDArray[Any] = data.quadruplets()
            return quadruplets
        if hasattr(data, "toarray"):
            # A sparse matrix.
            data = data.toarray()
        dense = np.asarray(data)
        if self.declared.input != "distances":
            return dense
        if oracle.kind == "vectors":
            distances: NDArray[Any] = squareform(pdist(dense))
            return distances
        # The most similar items get a distance of 0.
        off_diagonal = ~np.eye(len(dense), dtype=bool)
        highest = dense[off_diagonal].max(initial=-np.inf)
        return np.where(off_diagonal, highest - dense, 0.0)

    def _start_up(self) -> float:
        """The seconds that the program takes if it does nothing."""
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
            # Waited for here, with the resources that it used; Popen must know that it has ended.
            process.returncode, peak = _wait(process.pid)
            stderr.seek(0)
            last_line = stderr.read().decode(errors="replace").strip().rpartition("\n")[2]
            if process.returncode:
                how = _describe_end(process.returncode)
                raise HcbenchError(f"{self.declared.name}: {how}: {last_line or 'no message'}")
            stdout.seek(0)
            return stdout.read(), peak

    def _environment(self) -> dict[str, str]:
        """The environment variables of the program: no secrets but those that it declares."""
        environment = child_environment()
        environment.update(named_secrets(self.declared.env))
        for name in _VARIABLES_OF_PYTHON:
            environment.pop(name, None)
        for library in _LIBRARIES:
            # A worker has them already, as --threads says.
            environment.setdefault(f"{library}_NUM_THREADS", "1")
        return environment

    def _result(self, output: bytes, items: Items) -> Tree | Partition:
        try:
            return self._parse(output, items)
        except (HcbenchError, ValueError, EOFError) as error:
            beginning = output[:60].decode(errors="replace")
            raise HcbenchError(
                f"{self.declared.name}: its output {beginning!r} cannot be read as "
                f"{self.declared.returns}: {error}"
            ) from error

    def _parse(self, output: bytes, items: Items) -> Tree | Partition:
        """The output as a tree or partition, by the kind that is declared."""
        declared = self.declared
        if declared.returns == "newick":
            rows = [str(row) for row in range(items.n)]
            tree = Tree.from_newick(output.decode().strip(), rows, heights=declared.heights)
            return Tree(tree.parent, tree.height, tree.kind, items.names)
        if declared.output_format == "npy":
            table = np.load(BytesIO(output), allow_pickle=False)
        else:
            table = np.loadtxt(BytesIO(output), delimiter=",", ndmin=2)
        if declared.returns == "linkage":
            if items.n == 1:
                # There is no merge, so that the table is empty.
                return Tree([-1], names=items.names)
            return Tree.from_linkage(table, names=items.names)
        labels = table.astype(np.int64)
        if not (table == labels).all():
            raise ValueError("labels are whole numbers")
        if declared.returns == "labels":
            return Partition(labels.ravel())
        return Tree.from_levels(labels, names=items.names)


def _describe_end(code: int) -> str:
    """How a process failed, by its exit code, which is negative for a signal."""
    if code < 0:
        return f"killed by signal {-code}"
    return f"exit code {code}"


def _wait(pid: int) -> tuple[int, int]:
    """Wait for the end of a process: its exit code, and its largest memory in bytes."""
    sampled = _watch(pid)
    _, status, usage = os.wait4(pid, 0)
    peak_here = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    peak = peak_bytes(usage.ru_maxrss, peak_here, sampled, sys.platform)
    return os.waitstatus_to_exitcode(status), peak


def peak_bytes(peak: int, peak_here: int, sampled: int, platform: str) -> int:
    """The largest memory of a process that has ended, in bytes.

    Parameters
    ----------
    peak, peak_here : int
        What the system says of the process, and of this one.
    sampled : int
        The most bytes that were seen while it ran; 0 if none were.
    platform : str
        As `sys.platform`.
    """
    if platform != "darwin":
        # Darwin counts bytes, other systems KiB.
        peak *= 1024
        peak_here *= 1024
    # Linux counts this process too, of which the program's is a copy until it starts: a lower peak
    # than here says nothing about the program.
    if sampled and peak <= peak_here:
        return sampled
    return peak


def _watch(pid: int) -> int:
    """Wait for the end of a process; its largest memory in bytes, sampled every 20 ms or sooner.

    Only Linux tells the memory, and the end, of another process so. Elsewhere, 0 at once.
    """
    try:
        descriptor = os.pidfd_open(pid)
    except (AttributeError, OSError):
        # Not Linux, or not allowed in a container.
        return 0
    peak = 0
    pause = 1  # milliseconds
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        while True:
            peak = max(peak, peak_until_now(pid))
            # Readable when the process has ended.
            if poll.poll(pause):
                return peak
            # Short programs are sampled, and long ones are not disturbed.
            pause = min(2 * pause, 20)
    finally:
        os.close(descriptor)


def peak_until_now(pid: int, proc: Path = _PROC) -> int:
    """The peak of the memory of a process in bytes; 0 after its end, or if it is unknown."""
    try:
        status = (proc / str(pid) / "status").read_text()
    except OSError:
        return 0
    peak = re.search(r"VmHWM:\s*(\d+) kB", status)
    if peak is None:
        return 0
    return 1024 * int(peak[1])


def _write(data: NDArray[Any], file: Path) -> None:
    if file.suffix == ".npy":
        np.save(file, data)
    elif file.suffix == ".npz":
        np.savez(file, data=data)
    else:
        # 17 digits return the same floating-point number when they are read.
        number_format = "%.17g"
        if data.dtype.kind in "iu":
            number_format = "%d"
        np.savetxt(file, data, fmt=number_format, delimiter=",")


def _fill(word: str, values: dict[str, Any]) -> str:
    """An argument with its placeholders replaced; other braces stay."""
    for name, value in values.items():
        word = word.replace(f"{{{name}}}", str(value))
    return word
