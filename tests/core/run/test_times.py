"""The time of a call includes that of the processes that it starts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from time import perf_counter, sleep
from typing import Any

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage

import hcbench
from hcbench.run.times import Stopwatch, processor_clock

BURN = """
    import time
    while time.process_time() < 0.3:
        pass
"""
#: A child whose own child does the work.
BURN_BELOW = f"""
    import subprocess, sys
    subprocess.run([sys.executable, "-c", {dedent(BURN)!r}], check=True)
"""
#: It says when it has done its work, and lives on.
BURN_AND_STAY = (
    BURN
    + """
    print("done", flush=True)
    time.sleep(60)
"""
)


def run_python(source: str) -> None:
    subprocess.run([sys.executable, "-S", "-c", dedent(source)], check=True)


def spin(seconds: float) -> None:
    watch = Stopwatch(processor_clock)
    watch.start()
    while watch.stop() < seconds:
        pass


@pytest.mark.slow
@pytest.mark.parametrize("source", [BURN, BURN_BELOW])
def test_the_processor_time_of_children_counts(source: str) -> None:
    watch = Stopwatch(processor_clock)
    watch.start()
    run_python(source)
    assert 0.29 <= watch.stop() < 5
    watch.start()
    assert watch.stop() < 0.05, "children of an earlier call do not count"


@pytest.mark.slow
def test_the_processor_time_of_a_child_that_lives_on_counts() -> None:
    watch = Stopwatch(processor_clock)
    watch.start()
    command = [sys.executable, "-S", "-c", dedent(BURN_AND_STAY)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"done\n"
        assert 0.28 <= watch.stop() < 5
        watch.start()
        child.kill()
        child.wait()
        assert watch.stop() < 0.05, "what it did before the start does not count"


def test_waiting_is_wall_time_only() -> None:
    watches = {clock: Stopwatch(clock) for clock in (perf_counter, processor_clock)}
    for watch in watches.values():
        watch.start()
    sleep(0.05)
    assert watches[processor_clock].stop() < 0.04
    assert watches[perf_counter].stop() >= 0.05


def test_a_short_call_has_processor_time_where_a_limit_makes_the_clock_coarse() -> None:
    source = """
        import resource, time
        from hcbench.run.times import Stopwatch, processor_clock

        resource.setrlimit(resource.RLIMIT_CPU, (1000, 1000))  # as in a worker
        began = time.thread_time()
        for _ in range(20):
            sum(range(20_000))
        typical = (time.thread_time() - began) / 20  # a third of a millisecond
        ratios = []
        for _ in range(21):
            watch = Stopwatch(processor_clock)
            watch.start()
            sum(range(20_000))
            ratios.append(watch.stop() / typical)
        print(sorted(ratios)[10])
    """
    done = subprocess.run(
        [sys.executable, "-c", dedent(source)], capture_output=True, text=True, check=True
    )
    assert 0.5 < float(done.stdout) < 2, "it was 0, or a whole tick"


def test_another_clock_measures_alone() -> None:
    ticks = iter([3.0, 7.5])
    watch = Stopwatch(lambda: next(ticks))
    watch.start()
    assert watch.stop() == 4.5


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_the_row_of_a_cell_has_the_time_of_a_child(tmp_path: Path) -> None:
    source = dedent(BURN)

    def calling(X: Any) -> Any:
        subprocess.run([sys.executable, "-S", "-c", source], check=True)
        return linkage(np.asarray(X))

    (row,) = hcbench.compare(
        [calling], ["iris[n=15]"], repetitions=1, store=tmp_path / "s.sqlite"
    ).rows
    assert row["seconds"] >= 0.29
