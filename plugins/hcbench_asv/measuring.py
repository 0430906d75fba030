"""Measuring one case repeatedly in this process, and summaries of its repetitions."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hcbench import (
    Answers,
    Cost,
    HeightKind,
    NotApplicableError,
    Oracle,
    Point,
    Problem,
    Result,
    Scored,
    Tree,
    default_uses,
    unmet,
)
from hcbench.run import Stopwatch, describe, make_job, processor_clock, run_job
from hcbench_asv.benchmarks import REPETITIONS, Case, Measurement, summarise_repetitions
from hcbench_asv.cases import Cases
from hcbench_asv.process import MeasuringProcess

SEED = 0
CALLS = 7
_ENOUGH = 0.01  # seconds of calls after which their minimum is reliable
_BATCH = 5e-4  # seconds of calls that are timed together
_QUERIES = 1000
_CLUSTERS = 8
_FEW = 4

_COST = Cost(
    seconds=2.0,
    oracle_seconds=0.5,
    peak_bytes=4096,
    queries=60,
    distinct_queries=50,
    rounds=6,
    draws=70,
    price=0.25,
    tokens=4000.0,
    latency=30.0,
    saved=0.0,
)
"""The cost that metrics see, as there is no call."""


def measure_all(measures: Measured | MeasuringProcess) -> dict[Case, Measurement]:
    """Measure every case, its repetitions one after the other."""
    return {
        case: _summarise_all([measures.measure(case, number) for number in range(REPETITIONS)])
        for case in measures.cases()
    }


def _summarise_all(repetitions: Sequence[Measurement]) -> Measurement:
    for measurement in repetitions:
        if "reason" in measurement or "failed" in measurement:
            return measurement
    columns = {name: [each[name] for each in repetitions] for name in repetitions[0]}
    return {
        name: None if None in values else summarise_repetitions(name, values)
        for name, values in columns.items()
    }


class Measured:
    """Measures cases in this process and keeps their inputs.

    Times are processor times, with those of the processes that are started.

    Parameters
    ----------
    listed : Cases
    """

    def __init__(self, listed: Cases) -> None:
        self.listed = listed
        self._problems: dict[int, Problem] = {}
        self._results: dict[tuple[int, str], Result] = {}

    def cases(self) -> list[Case]:
        """All cases; those with the same data and oracle are adjacent, as both are kept."""

        def place(case: Case) -> tuple[int, str]:
            cells = self.listed.cells.get(case)
            return case[1], cells[0].oracle.label if cells else ""

        return sorted(self.listed.all, key=place)

    def measure(self, case: Case, repetition: int = 0) -> Measurement:
        """Measure a case, of an algorithm one repetition."""
        if case in self.listed.reasons:
            return {"reason": self.listed.reasons[case]}
        name, n = case
        kind = self.listed.kinds[name]
        measure = {"algorithm": self._algorithm, "oracle": self._oracle, "metric": self._metric}
        try:
            return measure[kind](name, n, repetition)
        except NotApplicableError as error:
            return {"reason": describe(error)}
        except Exception as error:
            return {"failed": describe(error)}

    def _problem(self, n: int) -> Problem:
        if n not in self._problems:
            use = self.listed.datasets[n]
            self._problems[n] = use.spec.load()(SEED, **use.params)
        return self._problems[n]

    def _algorithm(self, name: str, n: int, repetition: int) -> Measurement:
        cells = self.listed.cells[name, n]
        loss = self.listed.loss_label(name)
        job = replace(make_job(cells[repetition % len(cells)], [loss]), clock=processor_clock)
        best: Measurement = {}
        spent = 0.0
        for call in range(CALLS):
            done = run_job(job)
            if done.cost is None or done.status != "ok":
                return {"reason" if done.status == "skipped" else "failed": done.reason}
            if not call:
                scored = done.points[-1].values.get(loss)
                quality = None if scored is None else scored.value
                best = {
                    "seconds": done.cost.seconds,
                    "peak_memory": done.cost.peak_bytes,
                    "queries": done.cost.queries,
                    "loss": None if quality is None else 1 - quality,
                }
            seconds = done.cost.seconds or 0.0
            best["seconds"] = min(best["seconds"], seconds)  # disturbances only make a call longer
            spent += seconds
            if call and spent > _ENOUGH:
                break
            job = replace(job, metrics={})
        return best

    def _oracle(self, name: str, n: int, repetition: int) -> Measurement:
        use = self.listed.uses[name]
        problem = self._problem(n)
        missing = unmet(use.spec.needs, problem.provides)
        if missing:
            raise NotApplicableError(f"{use.label} needs {missing}, which the data do not provide")
        make = use.spec.load()
        seconds, answers = _timed(lambda: make(problem, repetition, None, **use.params))
        return {"seconds": seconds, "seconds_per_query": _per_query(answers, seconds)}

    def _metric(self, name: str, n: int, _repetition: int) -> Measurement:
        use = self.listed.uses[name]
        problem = self._problem(n)
        missing = unmet(use.spec.needs, problem.provides)
        if missing:
            raise NotApplicableError(f"needs {missing}, which the data do not provide")
        result = self._result(n, use.spec.result)
        function = use.spec.load()
        scored = Scored(
            problem=problem,
            result=result,
            cost=_COST,
            trace=(Point(1, result),),
            make_answers=lambda: self._answers(problem),
        )
        seconds, value = _timed(lambda: function(scored, **use.params))
        # asv cannot show infinity, as of the queries to a quality that is never reached.
        return {"seconds": seconds, "value": float(value) if math.isfinite(value) else None}

    def _result(self, n: int, kind: str) -> Result:
        """The result that metrics score: an approximate tree, or its cut into 8 clusters."""
        if (n, kind) not in self._results:
            tree = _linkage_of(self._problem(n))
            self._results[n, kind] = tree.cut(_CLUSTERS) if kind == "partition" else tree
        return self._results[n, kind]

    def _answers(self, problem: Problem) -> Answers:
        """The answers of the first oracle that gives them for all pairs."""
        for use in default_uses(self.listed.registry.oracles):
            if unmet(use.spec.needs, problem.provides) is None:
                answers: Answers = use.spec.load()(problem, SEED, None, **use.params)
                if answers.matrix is not None:
                    return answers
        raise NotApplicableError("no oracle gives its answers for all pairs of items")


def _linkage_of(problem: Problem) -> Tree:
    """Average linkage of a few coordinates, with distances turned into affinities."""
    from scipy.cluster.hierarchy import linkage

    vectors: Any = problem.vectors
    if vectors is None:
        vectors = np.random.default_rng(SEED).normal(size=(problem.n, _FEW))
    few = vectors[:, :_FEW]
    dense = few if isinstance(few, np.ndarray) else few.toarray()
    tree = Tree.from_linkage(linkage(dense, "average"))
    assert tree.height is not None
    return Tree(tree.parent, tree.height.max() - tree.height, HeightKind.AFFINITY)


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Processor time of the fastest of several calls, after one that compiles, and the result."""
    returned = work()
    once = max(_batch_seconds(work, 1), 1e-7)
    number = max(1, math.ceil(_BATCH / once))
    best, spent = once, once
    for _ in range(CALLS):
        seconds = _batch_seconds(work, number) / number
        best, spent = min(best, seconds), spent + number * seconds
        if spent > _ENOUGH:
            break
    return best, returned


def _batch_seconds(work: Callable[[], Any], number: int) -> float:
    """Processor time of a number of calls, with the processes that they start."""
    watch = Stopwatch(processor_clock)
    collects = gc.isenabled()
    gc.disable()
    try:
        watch.start()
        for _ in range(number):
            work()
        return watch.stop()
    finally:
        if collects:
            gc.enable()


def _per_query(answers: Answers, seconds: float) -> float | None:
    """Processor time per answer: in a batch, or as a share if all are made at once."""
    if answers.size is not None:
        return seconds / answers.size if answers.size else None
    if not answers.arity:
        return None
    rng = np.random.default_rng(SEED)
    queries = rng.random((_QUERIES, answers.n)).argpartition(answers.arity)
    rows = queries[:, : answers.arity]
    oracle = Oracle(answers)
    oracle.prepare()
    return _timed(lambda: oracle.ask(rows))[0] / _QUERIES
