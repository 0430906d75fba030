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


def _seconds(repetitions: int) -> float:
    """Wall time of so many cells that do next to nothing, each committed.

    The data are fixed, so that a worker keeps them; to make data and to judge is no overhead.
    """
    with tempfile.TemporaryDirectory() as folder:
        start = perf_counter()
        results = hcbench.compare(
            algos=["Random"],
            datasets=["iris"],
            metrics=["seconds"],
            repetitions=repetitions,
            n_jobs=1,
            store=Path(folder) / "overhead.sqlite",
        )
        elapsed = perf_counter() - start
    assert all(cell["status"] == "ok" for cell in results.rows)
    return elapsed


class Harness:
    """The price of isolation and of keeping every row."""

    timeout = 300

    def track_overhead(self) -> float:
        """One cell in a warm worker, commit included, start-up not: the median of three."""
        found = [1e3 * (_seconds(MANY) - _seconds(FEW)) / (MANY - FEW) for _ in range(3)]
        return statistics.median(found)

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
    track_help.unit = "s"  # type: ignore[attr-defined]


if __name__ == "__main__":
    sys.stdout.write(f"overhead of a warm worker: {Harness().track_overhead():.2f} ms per cell\n")
    sys.stdout.write(f"hcbench --help: {Harness().track_help():.3f} s\n")
