"""The overhead of the harness itself. ``python -m benchmarks.harness`` prints it."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage

import hcbench
from benchmarks.inputs import benchmark

FEW, MANY = 50, 250


def _dozing() -> Callable[..., object]:
    """An algorithm that sleeps for 0.1 s, so that other processes do not affect its time.

    It is a local function because workers cannot import asv's modules: they get it by value.
    """

    def doze(X: NDArray[np.float64]) -> NDArray[np.float64]:
        time.sleep(0.1)
        tree: NDArray[np.float64] = linkage(X)
        return tree

    return doze


def _seconds(
    repetitions: int,
    dataset: str,
    metrics: list[str],
    algorithm: str | Callable[..., object] = "Random",
    workers: int = 1,
) -> float:
    """Wall time to run and store the cells of an algorithm, by default a trivial one."""
    with tempfile.TemporaryDirectory() as folder:
        start = perf_counter()
        results = hcbench.compare(
            algos=[algorithm],
            datasets=[dataset],
            metrics=metrics,
            repetitions=repetitions,
            n_jobs=workers,
            store=Path(folder) / "overhead.sqlite",
        )
        elapsed = perf_counter() - start
    assert all(cell["status"] == "ok" for cell in results.rows)
    return elapsed


def _milliseconds_per_cell(dataset: str, metrics: list[str]) -> float:
    """The median of three."""
    found = [
        1e3 * (_seconds(MANY, dataset, metrics) - _seconds(FEW, dataset, metrics)) / (MANY - FEW)
        for _ in range(3)
    ]
    return statistics.median(found)


class Harness:
    """The overhead of isolated workers and of storing every row."""

    timeout = 300

    @benchmark("Overhead of a cell", "ms per cell")
    def track_overhead(self) -> float:
        """Wall time per cell on fixed data, with the commit but without starting the worker."""
        return _milliseconds_per_cell("iris", ["seconds"])

    @benchmark("Overhead of a cell with new data", "ms per cell")
    def track_small_cell(self) -> float:
        """Wall time per cell with new data in each and AARI, both included."""
        return _milliseconds_per_cell("planted[N0=2,L=2]", ["AARI", "seconds"])

    @benchmark("Time of two workers over that of one", "ratio")
    def track_scaling(self) -> float:
        """Wall time of two workers over that of one, on cells of 100 ms."""
        one, two = (
            _seconds(40, "iris[n=15]", ["seconds"], _dozing(), workers)
            - _seconds(10, "iris[n=15]", ["seconds"], _dozing(), workers)
            for workers in (1, 2)
        )
        return two / one

    @benchmark("Plan of a cell", "microseconds per cell")
    def track_plan(self) -> float:
        """Wall time of the process of a dry run of 100,000 cells, none of them stored."""
        command = [
            sys.executable,
            "-P",
            "-m",
            "hcbench",
            "compare",
            "--dry-run",
            "--store",
            ":memory:",
        ]
        command += ["--algos", "UPGMA", "--datasets", "iris,wine", "-r", "50000"]
        start = perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        return 1e6 * (perf_counter() - start) / 100_000

    @benchmark("hcbench --help", "s")
    def track_help(self) -> float:
        """Wall time of the process, the minimum of five."""
        command = [sys.executable, "-P", "-m", "hcbench", "--help"]
        times = []
        for _ in range(5):
            start = perf_counter()
            subprocess.run(command, check=True, capture_output=True)
            times.append(perf_counter() - start)
        return min(times)


if __name__ == "__main__":
    for name, function in vars(Harness).items():
        if name.startswith("track_"):
            sys.stdout.write(f"{function.pretty_name}: {function(Harness()):.3g} {function.unit}\n")
