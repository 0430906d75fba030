"""What one algorithm does to its process or its input changes nothing for the next cell.

The caller's own functions run in copies of a worker. For functions that count as installed, cells
are given to a pool here: its worker stays, unless a cell has left something behind.
"""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage

import hcbench
from hcbench.model.comparisons import Comparisons
from hcbench.model.cost import Cost
from hcbench.model.problem import Problem
from hcbench.oracle import Answers, _kernels as kernels
from hcbench.oracle.account import Account
from hcbench.oracle.ledger import Ledger
from hcbench.plan.outcome import Outcome
from hcbench.registry.specs import load_function
from hcbench.run.executors import CellPool
from hcbench.run.inputs import checksum, checksums, give, make_oracle
from hcbench.run.job import Call, Job, pack_job
from hcbench.run.timed_call import call_algorithm
from hcbench.run.workers import Limits, Report


def honest(X: Any) -> Any:
    return linkage(X, "average")


def rows(tmp_path: Path, *algorithms: Any, **options: Any) -> list[dict[str, Any]]:
    """The cells of algorithms that follow one another in one worker, on the same data."""
    settings: dict[str, Any] = {"metrics": ["AARI"], "repetitions": 1, "n_jobs": 1} | options
    store = tmp_path / "store.sqlite"
    return hcbench.compare(algorithms, ["iris"], store=store, **settings).rows


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    (row,) = rows(tmp_path_factory.mktemp("alone"), honest)
    assert row["status"] == "ok"
    return row["metrics"]


def sorts_in_place(X: Any) -> Any:
    """As code in C may do, which does not see that an array is read-only."""
    ordered = np.sort(X, axis=0)
    ctypes.memmove(X.ctypes.data, ordered.ctypes.data, X.nbytes)
    return linkage(X, "average")


@pytest.mark.slow
def test_an_algorithm_that_changes_its_input_is_an_error(
    tmp_path: Path, undisturbed: dict[str, Any]
) -> None:
    changed, following = rows(tmp_path, sorts_in_place, honest)
    assert (changed["status"], changed["reason"]) == ("error", "the algorithm changed its input")
    assert (following["status"], following["metrics"]) == ("ok", undisturbed)


def test_comparisons_that_are_kept_for_the_next_cell_are_checked_too() -> None:
    comparisons = Comparisons(4, [0, 1], [2, 3])
    answers = Answers(kind="quadruplet-set", n=4, data=comparisons, size=2)
    before = checksums(Problem(n=4, vectors=np.eye(4)), answers)
    assert all(checksum(array) == value for array, value in before)
    (ids,) = (a for a, _ in before if a.shape == (2,) and np.array_equal(a, comparisons.closer))
    ctypes.memset(ids.ctypes.data, 0, ids.nbytes)
    assert not all(checksum(array) == value for array, value in before)


def limits_itself(X: Any) -> Any:
    import resource

    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    return linkage(X, "average")


def lowers_the_recursion_limit(X: Any) -> Any:
    import sys

    sys.setrecursionlimit(200)
    return linkage(X, "average")


def leaves_a_profiling_timer(X: Any) -> Any:
    import signal

    signal.setitimer(signal.ITIMER_PROF, 0.03)
    return linkage(X, "average")


def leaves_a_thread(X: Any) -> Any:
    import _thread  # which `threading` does not list
    import time

    _thread.start_new_thread(time.sleep, (60,))
    return linkage(X, "average")


def ignores_signals(X: Any) -> Any:
    import signal

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    return linkage(X, "average")


def blocks_a_signal(X: Any) -> Any:
    import signal

    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2})
    return linkage(X, "average")


def traces(X: Any) -> Any:
    import sys

    sys.settrace(lambda *_: None)
    return linkage(X, "average")


def replaces_functions_of_libraries(X: Any) -> Any:
    import builtins

    import scipy.cluster.hierarchy

    vars(np.linalg).pop("norm", None)
    builtins.sum = lambda *_: 0  # type: ignore[assignment]
    np.random.default_rng = lambda seed=None: np.random.RandomState(0)  # type: ignore[assignment,return-value]
    scipy.cluster.hierarchy.linkage = lambda X, method: linkage(X, "single")
    return linkage(X, "average")


def uses_libraries(X: Any) -> Any:
    import scipy.cluster.hierarchy

    noise = np.random.default_rng(0).normal(size=X.shape)
    return scipy.cluster.hierarchy.linkage(X + 0 * noise * np.linalg.norm(X), "average")


def process(_scored: Any) -> float:
    """A metric: in which process it is computed."""
    import os

    return float(os.getpid())


def leaves_a_file_open(X: Any) -> Any:
    import os

    os.open(os.devnull, os.O_RDONLY)
    return linkage(X, "average")


def stays_on_one_processor(X: Any) -> Any:
    import os

    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    os.nice(1)
    return linkage(X, "average")


def stops_collecting_garbage(X: Any) -> Any:
    import gc

    gc.disable()
    return linkage(X, "average")


def changes_its_surroundings(X: Any) -> Any:
    import os
    import warnings

    os.chdir("/")
    os.environ["HCBENCH_TEST"] = "left behind"
    np.seterr(all="ignore")
    warnings.simplefilter("error")
    np.random.seed(0)  # noqa: NPY002
    return linkage(X, "average")


LEAVE = [
    limits_itself,
    lowers_the_recursion_limit,
    leaves_a_thread,
    ignores_signals,
    blocks_a_signal,
    traces,
    leaves_a_file_open,
    stays_on_one_processor,
    stops_collecting_garbage,
]
RESTORED = [honest, changes_its_surroundings, leaves_a_profiling_timer]


@pytest.mark.parametrize(
    "first",
    [*LEAVE, changes_its_surroundings, replaces_functions_of_libraries],
    ids=lambda function: function.__name__,
)
def test_what_a_function_of_the_caller_does_is_gone_with_its_cell(
    tmp_path: Path, first: Any, undisturbed: dict[str, Any]
) -> None:
    disturbing, following = rows(tmp_path, first, uses_libraries, metrics=["AARI", process])
    assert disturbing["status"] == following["status"] == "ok"
    assert following["metrics"]["AARI"] == undisturbed["AARI"]
    assert disturbing["metrics"]["process"] != following["metrics"]["process"]
    assert not following["notes"]


def surroundings(X: Any) -> Any:
    """Find them as in the first cell of a worker."""
    import os

    assert os.getcwd() != "/"
    assert "HCBENCH_TEST" not in os.environ
    assert np.geterr()["divide"] == "warn"
    return linkage(X, "average")


def installed_job(function: Any) -> bytes:
    """A cell with an algorithm of this module, as if it were of an installed plugin."""
    on_vectors = {"function": f"{__name__}:{function.__name__}"}
    job = Job(
        dataset=Call("hcbench_datasets.bundled:iris", {"standardise": False, "n": None}),
        oracle=Call("hcbench_oracles.whole:vectors", {}),
        algorithm=Call(f"{__name__}:call_on_vectors", on_vectors),
        data_key="iris",
        data_seed=1,
        noise_seed=2,
        algorithm_seed=3,
        provides=frozenset({"vectors"}),
        hints=(),
        returns="tree",
        budget=None,
        checkpoints=(),
        metrics={},
    )
    assert job.is_installed
    return pack_job(job, ())


def call_on_vectors(oracle: Any, items: Any, rng: Any, *, function: str) -> Any:
    return load_function(function)(oracle.read())


def reports_of(*functions: Any) -> list[Report]:
    """The reports on cells that follow one another in one pool of one worker."""
    reports = []
    with CellPool(1) as pool:
        for function in functions:
            pool.submit(function.__name__, installed_job(function), Limits(seconds=60))
            reports += pool.wait(120)
    for report in reports:
        assert isinstance(report.value, Outcome)
        assert (report.value.status, report.value.reason) == ("ok", ""), report.log
    return reports


@pytest.mark.parametrize("leaves", LEAVE, ids=lambda function: function.__name__)
def test_a_process_in_which_something_was_left_behind_does_no_further_cell(leaves: Any) -> None:
    first, following = reports_of(leaves, honest)
    assert first.pid != following.pid
    assert first.value.points[0].result == following.value.points[0].result


def test_an_honest_installed_algorithm_keeps_its_worker() -> None:
    reports = reports_of(*RESTORED, surroundings)
    assert len({report.pid for report in reports}) == 1


def test_a_worker_that_is_not_in_the_way_stays_for_the_caller_s_functions(tmp_path: Path) -> None:
    """Each cell has a copy of its own: they have different processes, and one parent."""

    def parent(_scored: Any) -> float:
        import os

        return float(os.getppid())

    first, following = rows(tmp_path, honest, uses_libraries, metrics=[process, parent])
    assert first["metrics"]["process"] != following["metrics"]["process"]
    assert first["metrics"]["parent"] == following["metrics"]["parent"]


def ends(X: Any) -> Any:
    import os

    os._exit(3)


def segfaults(X: Any) -> Any:
    ctypes.string_at(0)


def leaves_a_process(X: Any) -> Any:
    import subprocess

    subprocess.Popen(["sleep", "60"], start_new_session=True)
    return linkage(X, "average")


def test_the_crash_of_a_copy_is_a_crash(tmp_path: Path, undisturbed: dict[str, Any]) -> None:
    ended, crashed, left, following = rows(tmp_path, ends, segfaults, leaves_a_process, honest)
    assert (ended["status"], ended["reason"]) == (
        "crash",
        "exited with code 3 in phase 'warm-up' before returning (os._exit?)",
    )
    assert crashed["status"] == "crash"
    assert crashed["reason"] == "killed by signal 11 (SIGSEGV)"
    assert left["metrics"] == following["metrics"] == undisturbed


def busy(X: Any) -> Any:
    import time

    until = time.process_time() + 0.1
    while time.process_time() < until:
        pass
    return linkage(X, "average")


def test_a_timer_that_was_left_behind_ends_no_cell(
    tmp_path: Path, undisturbed: dict[str, Any]
) -> None:
    first, following = rows(tmp_path, leaves_a_profiling_timer, busy)
    assert first["metrics"] == following["metrics"] == undisturbed


def replaces_its_ledger(oracle: Any) -> None:
    oracle.ledger = Ledger(Account(oracle._answers, None))


def replaces_its_account(oracle: Any) -> None:
    oracle._account = Account(oracle._answers, None)


def raises_its_budget(oracle: Any) -> None:
    oracle.ledger._account.counters[kernels.BUDGET] = 10**6


def replaces_its_clock(oracle: Any) -> None:
    oracle._clock = lambda: 0.0


@pytest.mark.parametrize(
    "cheats",
    [replaces_its_ledger, replaces_its_account, raises_its_budget, replaces_its_clock],
    ids=lambda f: f.__name__,
)
def test_an_oracle_whose_counts_or_clock_were_replaced_is_an_error(cheats: Any) -> None:
    def algorithm(oracle: Any, items: Any, rng: Any) -> Any:
        oracle.ask([[0, 1], [0, 2]])
        cheats(oracle)
        oracle.ask([[0, 3]])
        return linkage(np.eye(items.n))

    answers = Answers(kind="pairs", n=5, arity=2, answer=lambda q, *_: np.zeros(len(q), np.int8))
    called = call_algorithm(
        Call(algorithm, {}), make_oracle(answers, 10), give(Problem(n=5, vectors=np.eye(5)), ()), 0
    )
    assert str(called.error) == "the algorithm wrote the oracle's ledger"
    assert called.result is None
    assert called.cost.seconds > 0


def test_costs_are_measured_by_what_was_there_before_the_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def algorithm(oracle: Any, items: Any, rng: Any) -> Any:
        oracle.ask([[0, 1], [0, 2]])
        monkeypatch.setattr("hcbench.run.timed_call._cost", lambda *_: Cost(seconds=0.0, queries=0))
        return linkage(np.eye(items.n))

    answers = Answers(kind="pairs", n=5, arity=2, answer=lambda q, *_: np.zeros(len(q), np.int8))
    problem = Problem(n=5, vectors=np.eye(5))
    called = call_algorithm(Call(algorithm, {}), make_oracle(answers, 10), give(problem, ()), 0)
    assert called.cost.queries == 2


def test_long_reasons_are_cut(tmp_path: Path) -> None:
    def raises(X: Any) -> Any:
        raise ValueError("x" * 10**7)

    (row,) = rows(tmp_path, raises)
    assert row["reason"].startswith("ValueError: xxx")
    assert len(row["reason"]) <= 4096
