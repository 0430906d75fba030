"""Distribution of cells over workers."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from hcbench.plan.plan import make_plan
from hcbench.registry import Registry
from hcbench.registry.plugins import Plugins
from hcbench.registry.suite import Suite
from hcbench.run.options import RunOptions
from hcbench.run.run import run_plan
from hcbench.run.schedule import AffinityQueue, FirstUsesByWorkers
from hcbench.store import Store
from tests.core.registry.test_plugins import install

SLOW_ORACLE = """
import os
import time

from hcbench import AlgorithmSpec, Answers, Comparisons, OracleSpec, Parameter, Tree, hookimpl


def answer(problem, seed, budget):
    if problem.n > 12:  # not in the warm-up
        with open({log!r}, "a") as file:
            file.write(f"{{seed}}\\n")
    data = Comparisons.from_quadruplets(problem.n, [(0, 1, 0, 2)])
    return Answers(kind="quadruplet-set", n=problem.n, data=data, size=1)


def star(oracle, items, rng, *, number=0):
    oracle.read()
    time.sleep(0.02)
    return Tree([items.n] * items.n + [-1])


@hookimpl
def hcbench_oracles():
    kind = "quadruplet-set"
    return [OracleSpec(name="slow", function="slow_main:answer", doc="A set.", kind=kind, needs=())]


@hookimpl
def hcbench_algorithms():
    number = Parameter("number", 0, "Does nothing.")
    kind = ("quadruplet-set",)
    return [
        AlgorithmSpec(
            name="star",
            function="slow_main:star",
            doc="A star.",
            accepts=kind,
            parameters=(number,),
        )
    ]
"""


@pytest.mark.slow
def test_shared_answers_are_made_once_for_all_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of installed plugins: the code of a plugin file runs in a copy of a worker for each cell."""
    log = tmp_path / "made"
    monkeypatch.syspath_prepend(str(tmp_path))
    install(tmp_path, "slow", {"main": SLOW_ORACLE.format(log=str(log))})
    registry = Registry(Plugins())
    suite = Suite(
        name="shared",
        algorithms=("star[number=[0,1,2,3]]",),
        datasets=("planted[N0=5, L=2]",),
        oracles=("slow",),
        repetitions=8,
    )
    plan = make_plan(suite, registry)
    with Store(":memory:") as store:
        outcomes = run_plan(plan, registry.plugins, store, RunOptions(jobs=2))
    assert [outcome.status for outcome in outcomes] == ["ok"] * 32
    made = Counter(log.read_text().split())
    # Near the end an idle worker may take over cells, and make the answers again.
    assert len(made) == 8
    assert made.total() <= 9


@given(st.lists(st.integers(0, 4), max_size=15), st.lists(st.sampled_from("abc"), min_size=15))
def test_every_cell_is_placed_once_and_a_worker_stays_with_its_data(
    data: list[int], workers: list[str]
) -> None:
    placement: AffinityQueue[tuple[int, int]] = AffinityQueue()
    for number, name in enumerate(data):
        placement.add(name, (name, number))
    left = Counter(data)
    last: dict[str, int] = {}
    taken = []
    for worker in workers[: len(data)]:
        cell = placement.take(worker, lambda _: True)
        assert cell is not None
        name, number = cell
        taken.append(number)
        if left[last.get(worker, -1)]:
            assert name == last[worker]
        elif unclaimed := {n for n in left if left[n]} - set(last.values()):
            assert name in unclaimed
        left[name] -= 1
        last[worker] = name
    assert len(placement) == len(data) - len(taken)
    assert len(set(taken)) == len(taken)


def test_a_cell_that_may_not_begin_stays_in_its_place() -> None:
    placement: AffinityQueue[str] = AffinityQueue()
    for shared, cell in [("x", "x1"), ("x", "x2"), ("y", "y1")]:
        placement.add(shared, cell)
    assert placement.take("a", lambda cell: cell == "x2") == "x2"
    # The worker stays with its data, until none of these may begin.
    assert placement.take("a", lambda cell: cell != "x1") == "y1"
    assert placement.take("b", lambda cell: cell != "x1") is None
    assert len(placement) == 1
    assert placement.take("b", lambda _: True) == "x1"
    assert len(placement) == 0


def test_a_first_use_keeps_back_other_workers_until_it_ends() -> None:
    now = 100.0
    uses = FirstUsesByWorkers(clock=lambda: now)
    assert uses.may_begin("UPGMA", "a")
    uses.begin("UPGMA", "a")
    assert uses.may_begin("UPGMA", "a")
    assert not uses.may_begin("UPGMA", "b")
    assert uses.may_begin("Ward", "b")
    uses.end("UPGMA")
    # It is no longer a first use.
    uses.begin("UPGMA", "b")
    assert uses.may_begin("UPGMA", "a")


def test_a_cell_after_an_import_is_a_first_use_but_a_long_one_keeps_nobody_back() -> None:
    now = 100.0
    uses = FirstUsesByWorkers(clock=lambda: now)
    uses.begin("4-AL", "a")
    assert not uses.may_begin("4-AL", "b")
    uses.end_import("4-AL")
    assert uses.may_begin("4-AL", "b")
    uses.begin("4-AL", "b")
    assert not uses.may_begin("4-AL", "a")
    now = 121.0
    assert uses.may_begin("4-AL", "a")
