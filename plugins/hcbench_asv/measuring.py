"""Measuring one case repeatedly in this process, and summaries of its repetitions."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hcbench import Answers, HeightKind, NotApplicableError, Oracle, Problem, Result, Scored, Tree
from hcbench.model import Cost
from hcbench.oracle import Point, Recorder
from hcbench.plan import Outcome
from hcbench.registry import default_uses, unmet
from hcbench.run import (
    Stopwatch,
    call_of,
    describe,
    make_answers,
    make_data,
    make_job,
    processor_clock,
    run_job,
)
from hcbench.testing import EXAMPLE_COST
from hcbench_asv.cases import Cases
from hcbench_asv.process import MeasuringProcess
from hcbench_asv.quantities import REPETITIONS, Case, Measurement, summarise_repetitions

SEED = 0
CALLS = 7
"""The most calls of which the fastest counts."""

_ENOUGH = 0.01  # seconds of calls after which their minimum is reliable
_BATCH = 5e-4  # seconds of calls that are timed together
_QUERIES = 1000  # in the batch whose time gives the time per query
_CLUSTERS = 8  # of the partition that metrics score
_FEW = 4  # coordinates of the linkage that metrics score


def measure_cases(
    measures: Measured | MeasuringProcess, cases: Iterable[Case]
) -> dict[Case, Measurement]:
    """Measure cases, the repetitions of each one after the other."""
    summaries = {}
    for case in cases:
        repetitions = [measures.measure(case, number) for number in range(REPETITIONS)]
        summaries[case] = _summarise_all(repetitions)
    return summaries


def _summarise_all(repetitions: Sequence[Measurement]) -> Measurement:
    """A summary of each quantity; a repetition that failed stands for the case."""
    for measurement in repetitions:
        if "reason" in measurement or "failed" in measurement:
            return measurement
    summary: Measurement = {}
    for quantity in repetitions[0]:
        values = [measurement[quantity] for measurement in repetitions]
        # A quantity that one repetition lacks is missing.
        summary[quantity] = None
        if None not in values:
            summary[quantity] = summarise_repetitions(quantity, values)
    return summary


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
            self._problems[n] = make_data(use, SEED)
        return self._problems[n]

    def _algorithm(self, name: str, n: int, repetition: int) -> Measurement:
        cells = self.listed.cells[name, n]
        loss = self.listed.loss_label(name)
        job = replace(make_job(cells[repetition % len(cells)], [loss]), clock=processor_clock)
        best: Measurement = {}
        spent = 0.0
        for call in range(CALLS):
            outcome = run_job(job)
            if outcome.status == "skipped":
                return {"reason": outcome.reason}
            if outcome.cost is None or outcome.status != "ok":
                return {"failed": outcome.reason}
            if call == 0:
                best = _first_call(outcome, outcome.cost, loss)
            seconds = outcome.cost.seconds or 0.0
            best["seconds"] = min(best["seconds"], seconds)  # disturbances only make a call longer
            spent += seconds
            # One call may have compiled, so there are two at least.
            if call > 0 and spent > _ENOUGH:
                break
            # The first call has the loss; the others are only timed.
            job = replace(job, metrics={})
        return best

    def _oracle(self, name: str, n: int, repetition: int) -> Measurement:
        use = self.listed.uses[name]
        problem = self._problem(n)
        missing = unmet(use.spec.needs, problem.provides)
        if missing:
            raise NotApplicableError(f"{use.label} needs {missing}, which the data do not provide")
        call = call_of(use)
        # Importing is no part of making answers.
        call.load()
        seconds, answers = _timed(lambda: make_answers(call, problem, repetition, None))
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
            cost=EXAMPLE_COST,
            trace=(Point(1, result),),
            make_answers=lambda: self._answers(problem),
        )
        seconds, value = _timed(lambda: function(scored, **use.params))
        if not math.isfinite(value):
            # asv cannot show infinity, as of the queries to a quality that is never reached.
            return {"seconds": seconds, "value": None}
        return {"seconds": seconds, "value": float(value)}

    def _result(self, n: int, kind: str) -> Result:
        """The result that metrics score: an approximate tree, or its cut into 8 clusters."""
        if (n, kind) in self._results:
            return self._results[n, kind]
        tree = _linkage_of(self._problem(n))
        result: Result = tree
        if kind == "partition":
            result = tree.cut(_CLUSTERS)
        self._results[n, kind] = result
        return result

    def _answers(self, problem: Problem) -> Answers:
        """The answers of the first oracle that gives them for all pairs."""
        for use in default_uses(self.listed.registry.oracles):
            if unmet(use.spec.needs, problem.provides) is None:
                answers = make_answers(call_of(use), problem, SEED, None)
                if answers.matrix is not None:
                    return answers
        raise NotApplicableError("no oracle gives its answers for all pairs of items")


def _first_call(outcome: Outcome, cost: Cost, loss: str) -> Measurement:
    """What the first call tells beside its time; the loss is of the metric with a label."""
    scored = outcome.points[-1].values.get(loss)
    measurement: Measurement = {
        "seconds": cost.seconds,
        "peak_memory": cost.peak_bytes,
        "queries": cost.queries,
        "loss": None,
    }
    if scored is not None and scored.value is not None:
        measurement["loss"] = 1 - scored.value
    return measurement


def _linkage_of(problem: Problem) -> Tree:
    """Average linkage of a few coordinates, with distances turned into affinities."""
    from scipy.cluster.hierarchy import linkage

    vectors: Any = problem.vectors
    if vectors is None:
        vectors = np.random.default_rng(SEED).normal(size=(problem.n, _FEW))
    few = vectors[:, :_FEW]
    if not isinstance(few, np.ndarray):
        few = few.toarray()
    tree = Tree.from_linkage(linkage(few, "average"))
    assert tree.height is not None
    return Tree(tree.parent, tree.height.max() - tree.height, HeightKind.AFFINITY)


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Processor time of the fastest of several calls, after one that compiles, and the result."""
    returned = work()
    once = max(_batch_seconds(work, 1), 1e-7)
    # The clock of a processor is coarse: short calls are timed in batches.
    number = max(1, math.ceil(_BATCH / once))
    best = once
    spent = once
    for _ in range(CALLS):
        seconds = _batch_seconds(work, number) / number
        best = min(best, seconds)
        spent += number * seconds
        if spent > _ENOUGH:
            break
    return best, returned


def _batch_seconds(work: Callable[[], Any], number: int) -> float:
    """Processor time of a number of calls, with the processes that they start."""
    watch = Stopwatch(processor_clock)
    is_collecting = gc.isenabled()
    gc.disable()  # a collection would count for the call during which it happens
    try:
        watch.start()
        for _ in range(number):
            work()
        return watch.stop()
    finally:
        if is_collecting:
            gc.enable()


def _per_query(answers: Answers, seconds: float) -> float | None:
    """Processor time per answer: in a batch, or as a share if all are made at once."""
    if answers.size is not None:
        if answers.size == 0:
            return None
        return seconds / answers.size
    if answers.arity == 0:
        return None  # data that are read whole
    rng = np.random.default_rng(SEED)
    # The places of the smallest of random numbers are different items.
    order = rng.random((_QUERIES, answers.n)).argpartition(answers.arity)
    queries = order[:, : answers.arity]
    oracle = Oracle(answers)
    Recorder(oracle).prepare()
    batch_seconds, _ = _timed(lambda: oracle.ask(queries))
    return batch_seconds / _QUERIES
