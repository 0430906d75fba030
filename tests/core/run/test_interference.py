"""What one algorithm does to its process or its input changes nothing for the next cell."""

from __future__ import annotations

import ctypes
import sys
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
from hcbench.oracle.oracle import Ledger
from hcbench.run.cell import call_algorithm
from hcbench.run.inputs import checksum, checksums, give, make_oracle
from hcbench.run.job import Call


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
    import sys

    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
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


@pytest.mark.parametrize("leaves", [limits_itself, leaves_a_thread, ignores_signals, traces])
def test_a_process_in_which_something_was_left_behind_does_no_further_cell(
    tmp_path: Path, leaves: Any, undisturbed: dict[str, Any]
) -> None:
    first, following = rows(tmp_path, leaves, honest, metrics=["AARI", process])
    assert first["status"] == following["status"] == "ok"
    assert following["metrics"]["AARI"] == undisturbed["AARI"]
    assert first["metrics"]["process"] != following["metrics"]["process"]


def test_functions_of_libraries_that_an_algorithm_replaced_are_put_back_and_noted(
    tmp_path: Path, undisturbed: dict[str, Any]
) -> None:
    metrics = ["AARI", process]
    first, following = rows(
        tmp_path, replaces_functions_of_libraries, uses_libraries, metrics=metrics
    )
    assert first["metrics"]["AARI"] == following["metrics"]["AARI"] == undisturbed["AARI"]
    assert first["metrics"]["process"] != following["metrics"]["process"]
    assert {note for note in first["notes"] if "replaced" in note} == {
        "the algorithm replaced builtins.sum",
        "the algorithm replaced numpy.linalg.norm",
        "the algorithm replaced numpy.random.default_rng",
        "the algorithm replaced scipy.cluster.hierarchy.linkage",
    }
    assert not following["notes"]


@pytest.mark.parametrize("has_versions", [True, False])
def test_replaced_functions_are_found_with_and_without_the_versions_of_dicts(
    has_versions: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    import scipy.cluster.hierarchy as module

    from hcbench.run import libraries

    monkeypatch.setattr(libraries, "_noted", {})
    monkeypatch.setattr(libraries, "_versions", [])
    monkeypatch.setattr(libraries, "_modules", 0)
    if not has_versions:
        monkeypatch.setattr(sys, "version_info", (3, 13))
    libraries.note_libraries()
    assert libraries.restore_libraries() == []
    for _ in range(2):
        monkeypatch.setattr(module, "linkage", lambda: None)
        monkeypatch.setattr(module, "_private", 1, raising=False)
        assert libraries.restore_libraries() == ["scipy.cluster.hierarchy.linkage"]
        assert module.linkage is linkage
        assert libraries.restore_libraries() == []


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_what_was_replaced_before_a_cell_began_is_neither_noted_nor_put_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows(tmp_path, honest)
    norm = np.linalg.norm
    monkeypatch.setattr(np.linalg, "norm", lambda *args: norm(*args))
    replaced = np.linalg.norm
    (row,) = rows(tmp_path, honest, fresh=True)
    assert not [note for note in row["notes"] if "replaced" in note]
    assert np.linalg.norm is replaced


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


def test_an_honest_algorithm_keeps_its_worker(tmp_path: Path) -> None:
    def another(X: Any) -> Any:
        return linkage(X, "single")

    first, following = rows(tmp_path, honest, another, metrics=[process])
    assert first["metrics"] == following["metrics"]


def replaces_its_ledger(oracle: Any) -> None:
    oracle.ledger = Ledger(oracle._answers, None)


def raises_its_budget(oracle: Any) -> None:
    oracle.ledger._counters[kernels.BUDGET] = 10**6


def replaces_its_clock(oracle: Any) -> None:
    oracle._clock = lambda: 0.0


@pytest.mark.parametrize(
    "cheats", [replaces_its_ledger, raises_its_budget, replaces_its_clock], ids=lambda f: f.__name__
)
def test_an_oracle_whose_counts_or_clock_were_replaced_is_an_error(cheats: Any) -> None:
    def algorithm(oracle: Any, given: Any, rng: Any) -> Any:
        oracle.ask([[0, 1], [0, 2]])
        cheats(oracle)
        oracle.ask([[0, 3]])
        return linkage(np.eye(given.n))

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
    def algorithm(oracle: Any, given: Any, rng: Any) -> Any:
        oracle.ask([[0, 1], [0, 2]])
        monkeypatch.setattr("hcbench.run.cell._cost", lambda *_: Cost(seconds=0.0, queries=0))
        return linkage(np.eye(given.n))

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
