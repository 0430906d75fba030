"""Cells whose worker is lost run again, and those that end their worker do not."""

from __future__ import annotations

import signal
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from scipy.cluster.hierarchy import linkage

import hcbench
from hcbench import Results
from hcbench.run.record import Observer

pytestmark = pytest.mark.slow


class Watch(Observer):
    """Counts the reports of each cell, and acts after the third."""

    def __init__(self, act: Any) -> None:
        self.act = act
        self.told: Counter[str] = Counter()

    def finished(self, outcome: Any, seconds: float) -> None:
        self.told[outcome.key] += 1
        if self.told.total() == 3:
            self.act()


def compare(store: Path, algo: Any, **options: Any) -> Results:
    data = np.random.default_rng(0).normal(size=(15, 2))
    settings: dict[str, Any] = {"metrics": ["leaves"], "store": store, "n_jobs": 1, **options}
    plugin = Path(__file__).parents[2] / "misbehaving.py"
    return hcbench.compare([algo], {"mine": data}, **settings, plugins=[plugin])


def kill_fork_server() -> None:
    newest = max(psutil.Process().children(), key=psutil.Process.create_time)
    assert "forkserver" in " ".join(newest.cmdline())
    newest.kill()


@pytest.mark.usefixtures("own_fork_server")
def test_cells_whose_fork_server_is_killed_run_again(tmp_path: Path) -> None:
    def slow(X: Any, rng: Any) -> Any:
        import time

        time.sleep(0.05)
        return linkage(rng.normal(size=X.shape), "average")

    watch = Watch(kill_fork_server)
    results = compare(tmp_path / "s.sqlite", slow, repetitions=8, observer=watch)
    assert [row["status"] for row in results.rows] == ["ok"] * 8
    assert watch.told.total() == len(watch.told) == 8, "each is told once"


def killer(whom: str, log: Path) -> Any:
    """An algorithm that kills its own process or the fork server, and logs it."""

    def kills(X: Any) -> Any:
        import time

        if len(X) < 15:
            return linkage(X, "average")  # the warm-up
        with log.open("a") as file:
            file.write("tried\n")
        victim = psutil.Process()
        if whom == "fork server":
            victim = victim.parent().parent()  # of the worker, of which this is a copy
        victim.send_signal(signal.SIGKILL)
        time.sleep(60)
        return None

    return kills


@pytest.mark.usefixtures("own_fork_server")
@pytest.mark.parametrize(("whom", "tries", "runs"), [("itself", 1, 2), ("fork server", 4, 1)])
def test_only_cells_lost_by_other_causes_are_tried_again(
    tmp_path: Path, whom: str, tries: int, runs: int
) -> None:
    log = tmp_path / "log"
    for run in range(1, runs + 1):
        results = compare(tmp_path / "s.sqlite", killer(whom, log), repetitions=1)
        (outcome,) = results.outcomes
        assert (outcome.status, outcome.phase, outcome.reused) == ("crash", "outside", False)
        assert log.read_text().count("tried") == tries * run, "the next run tries as often"
        assert outcome.reason.endswith("; tried 4 times") == (tries == 4)
