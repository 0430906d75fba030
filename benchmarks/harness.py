"""What the harness itself costs. ``python -m benchmarks.harness`` prints it."""

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

FEW, MANY = 50, 550


def _dozing() -> Callable[..., object]:
    """An algorithm that travels to the workers by value, as asv's modules cannot be imported there.

    It takes 0.1 s, but no processor: what others do on the machine does not matter.
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
    """Wall time of so many cells, each committed; of one that does next to nothing by default."""
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
    """The price of isolation and of keeping every row."""

    timeout = 300

    def track_overhead(self) -> float:
        """One cell on fixed data in a warm worker, commit included, start-up not."""
        return _milliseconds_per_cell("iris", ["seconds"])

    def track_small_cell(self) -> float:
        """The same with new data in each cell, and a metric of quality: their work included."""
        return _milliseconds_per_cell("planted[N0=2,L=2]", ["AARI", "seconds"])

    def track_scaling(self) -> float:
        """How many times faster two workers are than one, on cells of 100 ms."""
        one, two = (
            _seconds(60, "iris[n=15]", ["seconds"], _dozing(), workers)
            - _seconds(20, "iris[n=15]", ["seconds"], _dozing(), workers)
            for workers in (1, 2)
        )
        return one / two

    def track_help(self) -> float:
        """``hcbench --help``, the whole process, the best of five."""
        command = [sys.executable, "-m", "hcbench", "--help"]
        times = []
        for _ in range(5):
            start = perf_counter()
            subprocess.run(command, check=True, capture_output=True)
            times.append(perf_counter() - start)
        return min(times)

    track_overhead.unit = "ms per cell"  # type: ignore[attr-defined]
    track_small_cell.unit = "ms per cell"  # type: ignore[attr-defined]
    track_scaling.unit = "times"  # type: ignore[attr-defined]
    track_help.unit = "s"  # type: ignore[attr-defined]


if __name__ == "__main__":
    sys.stdout.write(f"overhead of a warm worker: {Harness().track_overhead():.2f} ms per cell\n")
    sys.stdout.write(f"with new data and AARI: {Harness().track_small_cell():.2f} ms per cell\n")
    sys.stdout.write(f"two workers: {Harness().track_scaling():.2f} times as fast as one\n")
    sys.stdout.write(f"hcbench --help: {Harness().track_help():.3f} s\n")
