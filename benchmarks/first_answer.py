"""The first answers after installation, when no kernel is compiled yet."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from os import environ
from pathlib import Path

from benchmarks.inputs import benchmark

COMPARE = ("compare", "--algos", "4-AL,UPGMA,HDBSCAN", "--quiet")  # the README's first command
SCORE = ("score", "--truth", "truth.nwk", "result.nwk")


def _caterpillar(names: Iterable[str]) -> str:
    first, *others = names
    return "(" * len(others) + first + "".join(f",{name})" for name in others) + ";"


def _first(command: tuple[str, ...], items: int = 4) -> tuple[float, float]:
    """Processor and wall seconds of a command with no compiled kernels and an empty store."""
    with tempfile.TemporaryDirectory() as name:
        folder, names = Path(name), [f"item{i}" for i in range(items)]
        (folder / "truth.nwk").write_text(_caterpillar(names))
        (folder / "result.nwk").write_text(_caterpillar(names[::-1]))
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(
            [sys.executable, "-P", "-m", "hcbench", *command],
            cwd=folder,
            env={
                **environ,
                "NUMBA_CACHE_DIR": str(folder / "kernels"),
                "HCBENCH_STORE": str(folder / "first.sqlite"),
            },
            stdout=subprocess.DEVNULL,
            check=True,
        )
        elapsed = time.perf_counter() - start
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used, elapsed


class FirstScore:
    """Start-up, imports, and of 400 items compilation of kernels."""

    params = (4, 100, 400)
    param_names = ("items",)

    def setup_cache(self) -> dict[int, tuple[float, float]]:
        """Run each command once."""
        return {items: _first(SCORE, items) for items in self.params}

    @benchmark("First hcbench score, processor", "s")
    def track_score(self, found: dict[int, tuple[float, float]], items: int) -> float:
        """Processor time to score a tree by all metrics that apply."""
        return found[items][0]

    @benchmark("First hcbench score, wall", "s")
    def track_score_wall(self, found: dict[int, tuple[float, float]], items: int) -> float:
        """Wall time of the same."""
        return found[items][1]


class FirstComparison:
    """Start-up, imports, compilation of kernels, and the work itself."""

    def setup_cache(self) -> tuple[float, float]:
        """Run the command once."""
        return _first(COMPARE)

    @benchmark("First comparison of the README, processor", "s")
    def track_compare(self, found: tuple[float, float]) -> float:
        """Processor time of the README's first comparison, of 60 cells, and its workers."""
        return found[0]

    @benchmark("First comparison of the README, wall", "s")
    def track_compare_wall(self, found: tuple[float, float]) -> float:
        """Wall time of the same."""
        return found[1]
