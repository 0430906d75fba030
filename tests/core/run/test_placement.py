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
from hcbench.run.schedule import AffinityQueue
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
        name, number = placement.take(worker)
        taken.append(number)
        if left[last.get(worker, -1)]:
            assert name == last[worker]
        elif unclaimed := {n for n in left if left[n]} - set(last.values()):
            assert name in unclaimed
        left[name] -= 1
        last[worker] = name
    assert len(placement) == len(data) - len(taken)
    assert len(set(taken)) == len(taken)
