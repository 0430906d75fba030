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


def _first(command: tuple[str, ...], *, items: int = 4, wall: bool = False) -> float:
    """Processor or wall seconds of a command with an empty cache of kernels and an empty store."""
    with tempfile.TemporaryDirectory() as name:
        folder, names = Path(name), [f"item{i}" for i in range(items)]
        (folder / "truth.nwk").write_text(_caterpillar(names))
        (folder / "result.nwk").write_text(_caterpillar(names[::-1]))
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "hcbench", *command],
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
    return elapsed if wall else used


class FirstScore:
    """Start-up, imports, and above 64 items compilation of kernels."""

    timeout = 300
    params = (4, 100)
    param_names = ("items",)

    @benchmark("First hcbench score, processor", "s")
    def track_score(self, items: int) -> float:
        """Processor time to score a tree by all metrics that apply."""
        return _first(SCORE, items=items)

    @benchmark("First hcbench score, wall", "s")
    def track_score_wall(self, items: int) -> float:
        """Wall time of the same."""
        return _first(SCORE, items=items, wall=True)


class FirstComparison:
    """Start-up, imports, compilation of kernels, and the work itself."""

    timeout = 300

    @benchmark("First comparison of the README, processor", "s")
    def track_compare(self) -> float:
        """Processor time of the README's first comparison, of 60 cells, and its workers."""
        return _first(COMPARE)

    @benchmark("First comparison of the README, wall", "s")
    def track_compare_wall(self) -> float:
        """Wall time of the same."""
        return _first(COMPARE, wall=True)
