"""Fair timing: exclusive, interleaved, on one thread; with a note on a busy machine."""

from __future__ import annotations

import os
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage

import hcbench
from hcbench import Suite
from hcbench.plan import Outcome
from hcbench.plan.plan import make_plan
from hcbench.plan.presentation import MetricInfo
from hcbench.registry import Registry, with_defaults
from hcbench.registry.plugins import Plugins
from hcbench.results.results import Results
from hcbench.run.options import RunOptions
from hcbench.run.run import run_plan
from hcbench.run.tasks import Task, by_data
from hcbench.run.workers.processes import load_average, processor_frequency
from hcbench.store import Store
from tests.core.stored_runs import outcome

CLOCKING = """
    import time
    import numpy as np
    from pathlib import Path
    from hcbench import AlgorithmSpec, MetricSpec, Parameter, hookimpl

    def clocking(oracle, items, rng, *, number):
        began = time.monotonic()
        time.sleep(0.02)
        if items.n > 12:  # no warm-up
            with open({place!r}, "a") as file:
                file.write(f"{{began}} {{time.monotonic()}}\\n")
        return np.zeros(items.n, dtype=int)

    def clusters(scored):
        return scored.result.n_clusters

    @hookimpl
    def hcbench_algorithms():
        number = Parameter("number", 0, "Any.", interval="[0, inf)")
        return [
            AlgorithmSpec(
                name="clocking", function=clocking, doc="", accepts=("vectors",),
                parameters=(number,), returns="partition",
            )
        ]

    @hookimpl
    def hcbench_metrics():
        return [
            MetricSpec(name=name, function=clusters, doc="", direction="lower", result="partition")
            for name in ("one", "two")
        ]
"""


def calls(place: Path) -> list[tuple[float, float]]:
    """Start and end of each call, sorted by start."""
    lines = [line.split() for line in place.read_text().splitlines()]
    return sorted((float(began), float(ended)) for began, ended in lines)


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    from textwrap import dedent

    file = tmp_path / "clocking.py"
    file.write_text(dedent(CLOCKING.format(place=str(tmp_path / "calls"))))
    return file


def run(
    plugin: Path, store: Store, *metrics: str, repetitions: int = 4, exclusive: bool = False
) -> list[Outcome]:
    registry = Registry(Plugins([plugin]))
    suite = Suite(
        name="clocked",
        algorithms=("clocking[number=[0,1,2]]",),
        datasets=("iris[n=20]",),
        metrics=metrics,
        repetitions=repetitions,
    )
    plan = make_plan(with_defaults(suite, registry), registry)
    return run_plan(plan, registry.plugins, store, RunOptions(jobs=2, exclusive=exclusive))


@pytest.mark.slow
def test_in_exclusive_mode_no_two_calls_overlap(plugin: Path, tmp_path: Path) -> None:
    with Store(":memory:") as store:
        found = run(plugin, store, "one", exclusive=True)
        assert len(found) == 12
        timed = calls(tmp_path / "calls")
        assert len(timed) == 12
        assert all(ended <= began for (_, ended), (began, _) in pairwise(timed))
        again = run(plugin, store, "one", "two", exclusive=True)
    assert len(calls(tmp_path / "calls")) == 12, "a new metric times nothing"
    assert all(outcome.reused for outcome in again)
    assert {p.values["two"].value for o in again for p in o.points} == {1.0}


@pytest.mark.slow
def test_without_exclusive_mode_calls_overlap(plugin: Path, tmp_path: Path) -> None:
    """Otherwise the test above shows nothing. Enough work for a worker that starts late."""
    with Store(":memory:") as store:
        run(plugin, store, "one", repetitions=60)
    timed = calls(tmp_path / "calls")
    assert any(ended > began for (_, ended), (began, _) in pairwise(timed))


def test_on_fixed_data_algorithms_take_turns() -> None:
    """A machine that becomes slower affects all algorithms, with any oracle."""
    registry = Registry(Plugins())
    algorithms = ("UPGMA", "4-AL", "Random")
    suite = Suite(
        name="turns", algorithms=algorithms, datasets=("iris", "wine"), repetitions=5, seed=3
    )
    cells = make_plan(suite, registry).cells
    ordered = [task.cell for task in by_data([Task(cell=cell, metrics=()) for cell in cells])]
    assert len({cell.oracle.label for cell in ordered}) > 1
    for start in range(0, len(ordered), len(algorithms)):
        turn = ordered[start : start + len(algorithms)]
        assert {cell.algorithm.label for cell in turn} == set(algorithms)
        assert len({(cell.dataset.label, cell.repetition) for cell in turn}) == 1
    datasets = [cell.dataset.label for cell in ordered]
    assert datasets == sorted(datasets), "what shares data stands together"


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_the_conditions_of_a_call_are_stored(tmp_path: Path) -> None:
    results = hcbench.compare("UPGMA", "iris[n=15]", repetitions=1, store=tmp_path / "s.sqlite")
    (row,) = results.rows
    assert row["load"] >= 0
    with Store(tmp_path / "s.sqlite") as store:
        ((stored, _),) = store.outcomes()
    assert (stored.load, stored.frequency) == (row["load"], row["frequency"])


def test_conditions_are_those_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (6.0, 1.0, 1.0))
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    assert load_average() == 1.5
    frequency = processor_frequency()
    assert frequency is None or 100 < frequency < 10_000

    def refuse() -> tuple[float, float, float]:
        raise OSError

    monkeypatch.setattr(os, "getloadavg", refuse)
    assert load_average() is None


def results_with(loads: list[float | None], *metrics: MetricInfo) -> Results:
    outcomes = [
        Outcome(
            key=f"k{repetition}",
            algorithm="a",
            dataset="d",
            oracle="o",
            repetition=repetition,
            seed=0,
            load=load,
        )
        for repetition, load in enumerate(loads)
    ]
    return Results(outcomes, metrics)


SECONDS = MetricInfo("seconds", "lower", "s", cost=True)


def test_a_busy_machine_is_noted_below_times() -> None:
    loads = [0.5, 1.0, None, 2.0, 3.26]
    shown = results_with(loads, SECONDS).to_markdown()
    assert "2 of 4 cells were timed on a busy machine, with up to 3.3 processes per core" in shown
    assert "busy" not in results_with(loads, MetricInfo("AARI")).to_markdown()
    assert "busy" not in results_with([0.5, 1.0, None], SECONDS).to_markdown()


def test_a_data_set_that_is_other_data_for_some_algorithms_is_told() -> None:
    """It ignores its seed, so two workers had two data sets."""
    outcomes = [
        outcome(algorithm, dataset, repetition, data_digest=digest)
        for algorithm, last in (("a", "x"), ("b", "y"), ("c", ""))
        for dataset, repetition, digest in (
            ("same", 0, "v"),
            ("same", 1, "w"),
            ("other", 0, "v"),
            ("other", 1, last),
        )
    ]
    shown = Results(outcomes, (MetricInfo("AARI"),)).to_markdown()
    assert "other was other data for some algorithms" in shown
    assert "same was other data" not in shown


LIMITED = ("OMP", "OPENBLAS", "MKL", "BLIS", "VECLIB", "NUMEXPR", "NUMBA")


def test_parallel_libraries_have_one_thread(tmp_path: Path) -> None:
    def threads(X: Any) -> Any:
        import numba
        import threadpoolctl
        from sklearn.cluster import KMeans

        KMeans(2, n_init=1).fit(X)  # loads its OpenMP
        pools = [pool["num_threads"] for pool in threadpoolctl.threadpool_info()]
        assert pools
        assert set(pools) == {1}
        assert numba.get_num_threads() == 1
        assert all(os.environ[f"{name}_NUM_THREADS"] == "1" for name in limited)
        return linkage(X)

    limited = LIMITED
    results = hcbench.compare([threads], ["iris[n=15]"], repetitions=1, store=tmp_path / "s.sqlite")
    assert [(row["status"], row["reason"]) for row in results.rows] == [("ok", "")]


@pytest.mark.usefixtures("in_process")
def test_sleep_counts_as_time_of_a_call(tmp_path: Path) -> None:
    """The clock of a call includes sleep, unlike processor time, and is monotonic."""

    def doze(X: Any) -> Any:
        time.sleep(0.2)
        return linkage(np.asarray(X))

    (row,) = hcbench.compare(
        [doze], ["iris[n=15]"], repetitions=1, store=tmp_path / "s.sqlite"
    ).rows
    assert 0.2 <= row["seconds"] < 10
