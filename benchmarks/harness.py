"""What the harness itself costs. ``python -m benchmarks.harness`` prints it."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import hcbench

FEW, MANY = 50, 550


def _seconds(repetitions: int, dataset: str, metrics: list[str]) -> float:
    """Wall time of so many cells of an algorithm that does next to nothing, each committed."""
    with tempfile.TemporaryDirectory() as folder:
        start = perf_counter()
        results = hcbench.compare(
            algos=["Random"],
            datasets=[dataset],
            metrics=metrics,
            repetitions=repetitions,
            n_jobs=1,
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
    track_help.unit = "s"  # type: ignore[attr-defined]


if __name__ == "__main__":
    sys.stdout.write(f"overhead of a warm worker: {Harness().track_overhead():.2f} ms per cell\n")
    sys.stdout.write(f"with new data and AARI: {Harness().track_small_cell():.2f} ms per cell\n")
    sys.stdout.write(f"hcbench --help: {Harness().track_help():.3f} s\n")
