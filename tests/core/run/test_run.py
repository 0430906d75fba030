"""Complete runs: isolation, resuming, rows of failures, and reproducible numbers."""

import ctypes
import math
import os
import time
from pathlib import Path
from textwrap import dedent
from typing import Any

import numpy as np
import psutil
import pytest
from scipy.cluster.hierarchy import linkage

import hcbench
from hcbench import AlgorithmSpec, Results
from hcbench.plan.presentation import Presentation
from hcbench.run.workers import Limits
from hcbench.store import Store

PLUGIN = Path(__file__).parents[2] / "misbehaving.py"


def compare(store: Path | str, *algos: str, **options: Any) -> Results:
    defaults: dict[str, Any] = {
        "datasets": ["numbers"],
        "metrics": ["leaves", "depth"],
        "repetitions": 1,
        "plugins": [PLUGIN],
        "store": store,
    }
    return hcbench.compare(list(algos), **{**defaults, **options})


def rows(results: Results) -> dict[str, dict[str, Any]]:
    return {cell["algorithm"]: cell for cell in results.rows}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store.sqlite"


@pytest.mark.slow
@pytest.mark.usefixtures("own_fork_server")
def test_every_kind_of_misbehaviour_affects_only_its_own_cell(store: Path) -> None:
    earlier = set(psutil.Process().children(recursive=True))  # of other tests
    results = compare(
        store,
        *("good", "segfault", "exits", "sys-exit", "forks", "leaves-a-child"),
        *("hog", "prints", "mutates", "wrong-size", "invalid", "raises", "draws"),
        memory=0.25,
    )
    late = compare(store, "good", "endless", timeout=1)
    found = rows(results) | rows(late)
    assert len(found) == 14, "every cell has its row"
    status = {name: row["status"] for name, row in found.items()}
    assert status == {
        "good": "ok",
        "segfault": "crash",
        "endless": "timeout",
        "exits": "crash",
        "sys-exit": "error",
        "forks": "ok",
        "leaves-a-child": "ok",
        "hog": "memory",
        "prints": "ok",
        "mutates": "error",
        "wrong-size": "error",
        "invalid": "error",
        "raises": "error",
        "draws": "ok",
    }
    assert "SIGSEGV" in found["segfault"]["reason"]
    assert "1 s" in found["endless"]["reason"]
    assert "256 MiB allowed" in found["hog"]["reason"]
    assert found["sys-exit"]["reason"] == "SystemExit: 3"
    assert rows(late)["good"] == {**rows(results)["good"], "reused": True}
    for row in found.values():
        assert (row["metrics"]["leaves"] == 20) == (row["status"] == "ok")
        assert row["reason"] or row["status"] == "ok"
    started = set(psutil.Process().children(recursive=True)) - earlier
    (server,) = (child for child in started if child.ppid() == os.getpid())
    assert "forkserver" in " ".join(server.cmdline())
    _, left = psutil.wait_procs(started - {server}, timeout=10)  # the last may be dying
    assert not left, "no other process is left behind"


@pytest.mark.slow
def test_a_failure_keeps_its_traceback_and_output(store: Path) -> None:
    compare(store, "raises", "prints", "segfault")
    with Store(store) as opened:
        stored_outcomes = {outcome.algorithm: outcome for outcome, _ in opened.outcomes()}
        full = {name: opened.cell(outcome.key)[0] for name, outcome in stored_outcomes.items()}
    assert "in raises" in full["raises"].traceback
    assert "to the descriptor" in full["prints"].log
    assert "to stdout" in full["prints"].log
    assert "in segfault" in full["segfault"].log, "the Python stack of a crash"


def quality(results: Results) -> list[tuple[Any, ...]]:
    return sorted(
        (c["algorithm"], c["dataset"], c["repetition"], c["status"], tuple(c["metrics"].items()))
        for c in results.rows
    )


@pytest.mark.slow
def test_the_same_seed_gives_the_same_numbers_whatever_the_circumstances(tmp_path: Path) -> None:
    options: dict[str, Any] = {
        "datasets": ["numbers", "numbers[n=13]"],
        "repetitions": 3,
        "metrics": ["depth"],
    }
    one = compare(tmp_path / "a.sqlite", "draws", "Random", **options, n_jobs=1)
    two = compare(tmp_path / "b.sqlite", "Random", "good", "draws", **options, n_jobs=2)
    shared = [row for row in quality(two) if row[0] != "good"]
    assert quality(one) == shared
    assert len(shared) == 12
    other = compare(tmp_path / "c.sqlite", "draws", "Random", **options, seed=1)
    assert quality(other) != quality(one)


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_stored_cells_are_not_run_again_and_missing_ones_are(store: Path) -> None:
    first = compare(store, "draws", repetitions=2)
    again = compare(store, "draws", "good", repetitions=3)
    keys = {c["key"] for c in first.rows}
    reused = {o.key for o in again.outcomes if o.reused}
    assert reused == keys
    assert len(again.rows) == 6
    fresh = compare(store, "draws", repetitions=2, fresh=True)
    assert not any(o.reused for o in fresh.outcomes)
    assert quality(fresh) == quality(first)


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_a_new_metric_reruns_nothing(store: Path) -> None:
    before = compare(store, "draws", metrics=["leaves"])
    after = compare(store, "draws", metrics=["leaves", "depth"])
    assert [o.reused for o in after.outcomes] == [True]
    assert after.rows[0]["seconds"] == before.rows[0]["seconds"]
    expected = compare(store, "draws", metrics=["depth"], fresh=True)
    assert after.rows[0]["metrics"]["depth"] == expected.rows[0]["metrics"]["depth"]


DRIFTING = """
    from pathlib import Path
    import numpy as np
    from hcbench import DatasetSpec, Problem, hookimpl

    def drifting(seed):
        place = float(Path({place!r}).read_text())
        return Problem(n=9, vectors=np.random.default_rng(seed).normal(size=(9, 2)) + place)

    @hookimpl
    def hcbench_datasets():
        return [DatasetSpec(name="drifting", function=drifting, doc="", provides=("vectors",))]
"""


@pytest.fixture
def drifting(tmp_path: Path) -> dict[str, Any]:
    """Options for a data set that reads a file outside of its key."""
    (tmp_path / "drift.py").write_text(dedent(DRIFTING.format(place=str(tmp_path / "place"))))
    (tmp_path / "place").write_text("0")
    return {
        "datasets": ["drifting", "numbers"],
        "plugins": [PLUGIN, tmp_path / "drift.py"],
        "repetitions": 2,
        "metrics": ["leaves"],
    }


def reused(results: Results) -> set[tuple[str, str]]:
    return {(o.algorithm, o.dataset) for o in results.outcomes if o.reused}


@pytest.mark.slow
@pytest.mark.parametrize("metrics", [["leaves"], ["leaves", "depth"]])
def test_results_of_other_data_are_not_mixed_with_new_ones(
    store: Path, tmp_path: Path, drifting: dict[str, Any], metrics: list[str]
) -> None:
    compare(store, "draws", **drifting)
    (tmp_path / "place").write_text("5")
    both = compare(store, "draws", "good", **{**drifting, "metrics": metrics})
    assert reused(both) == {("draws", "numbers")}
    digests = {(o.dataset, o.repetition, o.data_digest) for o in both.outcomes}
    assert len(digests) == 4, "one digest for the data of each repetition"
    assert all(row["metrics"].keys() == set(metrics) for row in both.rows)
    with Store(store) as opened:
        stored_outcomes = [o for o, _ in opened.outcomes(run=2)]
        first = {o.data_digest for o, _ in opened.outcomes(run=1) if o.dataset == "drifting"}
    assert len(stored_outcomes) == 8, "each cell once"
    assert {(o.dataset, o.repetition, o.data_digest) for o in stored_outcomes} == digests
    assert not first & {digest for _, _, digest in digests}, "the first run keeps its own"
    again = compare(store, "draws", "good", **{**drifting, "metrics": metrics})
    assert all(o.reused for o in again.outcomes)


@pytest.mark.slow
def test_new_metrics_do_not_score_results_with_other_data(
    store: Path, tmp_path: Path, drifting: dict[str, Any]
) -> None:
    compare(store, "draws", **drifting)
    (tmp_path / "place").write_text("5")
    after = compare(store, "draws", **{**drifting, "metrics": ["leaves", "depth"]})
    assert reused(after) == {("draws", "numbers")}
    assert all(row["metrics"]["depth"] for row in after.rows)


@pytest.mark.usefixtures("in_process")
def test_functions_of_one_name_have_separate_rows(store: Path) -> None:
    data = np.random.default_rng(0).normal(size=(12, 2))
    functions = [lambda X: linkage(X, "single"), lambda X: linkage(X, "ward")]
    metrics = [lambda scored: 1.0, lambda scored: 2.0]
    results = hcbench.compare(functions, [data], metrics=metrics, repetitions=2, store=store)
    assert [row["algorithm"] for row in results.summary[::2]] == ["lambda", "lambda#2"]
    assert all(row["n"] == 2 for row in results.summary)
    assert all(row["metrics"] == {"lambda": 1.0, "lambda#2": 2.0} for row in results.rows)


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_reused_cells_have_the_label_of_the_current_run(store: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.csv").write_text("x,y\n1,2\n3,5\n9,9\n")
    options = {"metrics": ["leaves"]}
    compare(store, "good", datasets=[str(tmp_path / "one.csv")], **options)
    results = compare(store, "good", datasets=[str(tmp_path / "two.csv")], **options)
    (outcome,) = results.outcomes
    assert (outcome.reused, outcome.dataset) == (True, str(tmp_path / "two.csv"))
    with Store(store) as opened:
        for number, name in ((1, "one.csv"), (2, "two.csv")):
            layout = Presentation.of_description(opened.run(number).layout)
            stored = [outcome for outcome, _ in opened.outcomes(run=number)]
            assert Results.of_layout(layout, stored).datasets == [str(tmp_path / name)]


@pytest.mark.slow
def test_a_timeout_is_reused_only_for_limits_as_small(store: Path) -> None:
    assert compare(store, "endless", timeout=0.3).rows[0]["status"] == "timeout"
    assert [o.reused for o in compare(store, "endless", timeout=0.2).outcomes] == [True]
    assert [o.reused for o in compare(store, "endless", timeout=0.5).outcomes] == [False]


def sleepy(scored: Any) -> float:
    time.sleep(1000)
    return 0.0


def deadly(scored: Any) -> float:
    ctypes.string_at(0)
    return 0.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("metric", "reason"),
    [
        (sleepy, "phase 'metrics' took longer than 6 s"),
        (deadly, "killed by signal 11 (SIGSEGV) in a metric"),
    ],
)
def test_a_metric_that_ends_its_worker_loses_no_value_but_its_own(
    store: Path, monkeypatch: pytest.MonkeyPatch, metric: Any, reason: str
) -> None:
    monkeypatch.setattr("hcbench.run.workers.messages.GRACE", 6.0)  # also for the start of a worker
    for again in (False, True):
        (outcome,) = compare(store, "good", metrics=["leaves", metric, "depth"], timeout=1).outcomes
        assert (outcome.status, outcome.reused, outcome.phase) == ("ok", again, "")
        others = [outcome.points[0].values[name] for name in ("leaves", "depth")]
        assert [value.value for value in others] == [20, 19]
        assert outcome.cost.seconds is not None
        value = outcome.points[0].values[metric.__name__]
        assert (value.status, value.reason) == ("error", reason)
    (outcome,) = compare(store, "good").outcomes
    assert outcome.reused, "the stored tree is scored by the other metrics"
    assert outcome.points[0].values["leaves"].value == 20


@pytest.mark.slow
def test_failures_outside_the_algorithm_are_tried_again(store: Path) -> None:
    def tried_again(*algos: str, **options: Any) -> tuple[str, bool]:
        first, second = (compare(store, *algos, **options).outcomes[0] for _ in range(2))
        assert first.status == second.status
        return second.phase, not second.reused

    assert tried_again("good", datasets=["lies"]) == ("data", True)
    assert tried_again("killed") == ("outside", True)
    assert tried_again("lacks-a-module") == ("imports", True)
    assert tried_again("declines") == ("algorithm", True)
    assert tried_again("raises") == ("algorithm", False)
    assert tried_again("exits") == ("algorithm", False)
    assert tried_again("segfault") == ("warm-up", False)


@pytest.mark.parametrize(("timeout", "grace"), [(1.0, 120.0), (500.0, 1000.0), (None, math.inf)])
def test_data_and_metrics_may_take_as_long_as_the_algorithm(
    timeout: float | None, grace: float
) -> None:
    assert Limits.of_cell(timeout).allowed("metrics") == grace


@pytest.mark.slow
def test_older_runs_keep_their_values(store: Path) -> None:
    compare(store, "draws", "endless", timeout=0.3)
    compare(store, "draws", "endless", timeout=0.5)
    fresh = compare(store, "draws", fresh=True)
    with Store(store) as opened:
        runs = [
            {
                o.algorithm: (o.reason, o.cost.seconds, info.id)
                for o, info in opened.outcomes(run=run.id)
            }
            for run in opened.runs()
        ]
    first, second, third = runs
    assert first["draws"] == second["draws"]
    assert first["draws"][2] == 1
    assert "0.3 s" in first["endless"][0]
    assert "0.5 s" in second["endless"][0]
    assert third == {"draws": ("", fresh.rows[0]["seconds"], 3)}
    assert [o.reused for o in compare(store, "draws").outcomes] == [True]


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_an_inapplicable_combination_is_a_row_for_each_repetition(store: Path) -> None:
    results = compare(store, "good", "asker", datasets=["car"], repetitions=2)
    assert [c["status"] for c in results.rows] == ["skipped"] * 4
    assert "accepts quadruplet-queries" in rows(results)["asker"]["reason"]


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_budgets_and_checkpoints_are_axes(store: Path) -> None:
    results = compare(
        store, "asker", "asker[records=false]", budget=[50, 1000], checkpoints=[10, 60]
    )
    found = {
        (c["algorithm"], c["budget"], c["checkpoint"]): (c["status"], c["queries"], c["stopped"])
        for c in results.rows
    }
    assert found["asker", 50, None] == ("ok", 50, "budget")
    assert found["asker", 50, 10] == ("ok", 10, "budget")
    assert found["asker", 1000, 60] == ("ok", 60, "")
    assert found["asker", 1000, None] == ("ok", 100, "")
    assert found["asker[records=false]", 50, None][0] == "budget"
    assert found["asker[records=false]", 1000, None] == ("ok", 100, "")


@pytest.mark.slow
def test_only_the_algorithm_is_timed(store: Path) -> None:
    def sleeps(X):
        time.sleep(0.05)
        return linkage(X, "average")

    def slow_data(seed):
        time.sleep(0.5)
        return hcbench.Problem(n=15, vectors=np.random.default_rng(seed).normal(size=(15, 2)))

    results = hcbench.compare(
        [sleeps], {"slow": slow_data}, metrics=["seconds"], repetitions=2, store=store
    )
    for cell in results.rows:
        assert 0.05 <= cell["seconds"] < 0.5, "making the data takes longer than that"


def test_peak_memory_is_that_of_the_call(store: Path) -> None:
    def takes_40_mib(X):
        held = np.ones(5 * 2**20)
        return linkage(X * held[0], "average")

    data = np.random.default_rng(0).normal(size=(30, 2))
    results = hcbench.compare(
        [takes_40_mib, "UPGMA"], [data], metrics=["peak-memory"], repetitions=1, store=store
    )
    peaks = {c["algorithm"]: c["peak_bytes"] for c in results.rows}
    if peaks["UPGMA"] is None:
        pytest.skip("this system cannot tell the peak memory of a call")
    assert 39 * 2**20 < peaks["takes_40_mib"] < 60 * 2**20
    assert peaks["UPGMA"] < 5 * 2**20


@pytest.mark.slow
def test_functions_and_arrays_of_the_caller(store: Path) -> None:
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(10, 2)), rng.normal(size=(10, 2)) + 9])
    y = [0] * 10 + [1] * 10

    def halves(scored):
        return scored.tree.cut(2).sizes.min()

    results = hcbench.compare(
        algos=["UPGMA", lambda X: linkage(X, "ward"), random_tree],
        datasets={"mine": (X, y)},
        metrics=["AARI", halves],
        repetitions=2,
        store=store,
    )
    found = rows(results)
    assert set(found) == {"UPGMA", "lambda", "random_tree"}
    assert found["lambda"]["metrics"] == {"AARI": 1.0, "halves": 10}
    again = hcbench.compare("UPGMA", {"mine": (X, y)}, metrics=["AARI"], repetitions=2, store=store)
    assert all(o.reused for o in again.outcomes), "equal arrays are the same data"


def random_tree(X, *, rng):
    return linkage(rng.normal(size=X.shape))


@pytest.mark.usefixtures("in_process")
def test_a_spec_of_the_caller_reads_any_oracle(store: Path) -> None:
    def by_similarity(oracle, items, rng):
        return linkage(np.max(oracle.read()) - oracle.read()[np.triu_indices(items.n, 1)])

    spec = AlgorithmSpec(
        name="mine", function=by_similarity, doc="Mine.", accepts=("similarities",)
    )
    results = hcbench.compare([spec], ["planted[N0=3,L=2]"], repetitions=1, store=store)
    assert results.rows[0]["status"] == "ok"


def test_workers_see_one_thread(store: Path) -> None:
    def threads(X):
        assert os.environ["OMP_NUM_THREADS"] == "1"
        return linkage(X)

    results = hcbench.compare([threads], ["iris[n=15]"], repetitions=1, store=store)
    assert results.rows[0]["status"] == "ok"
