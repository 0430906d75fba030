"""Measuring all cases in isolated workers, or one case repeatedly in this process."""

from __future__ import annotations

import math
import statistics
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from hcbench.authoring.asv import Cache
from hcbench.authoring.asv.cases import Cases
from hcbench.authoring.testing.metrics import COST
from hcbench.errors import NotApplicableError
from hcbench.model.problem import Problem, Result
from hcbench.model.trees import HeightKind, Tree
from hcbench.oracle import Answers, Oracle
from hcbench.oracle.scored import Point, Scored
from hcbench.plan.outcome import Outcome, Value
from hcbench.registry import default_uses
from hcbench.registry.specs import unmet
from hcbench.run.cell import describe, run_job
from hcbench.run.run import run_plan
from hcbench.run.tasks import make_job
from hcbench.store import Store

SEED = 0
CALLS = 7
_ENOUGH = 0.01  # seconds of calls after which their minimum is reliable
_BATCH = 5e-4  # seconds of calls that are timed together
_QUERIES = 1000
_CLUSTERS = 8
_FEW = 4

Found = dict[str, Any]


def measure_all(cases: Cases) -> Cache:
    """Measure every case once, algorithms in isolated workers, so that a crash loses one case."""
    found: Cache = {case: {"reason": reason} for case, reason in cases.reasons.items()}
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "asv.sqlite") as store:
        outcomes = run_plan(cases.plan, cases.registry.plugins, store, jobs=1)
    by_key = {outcome.key: outcome for outcome in outcomes}
    for case, cells in cases.cells.items():
        loss = cases.loss_label(case[0])
        found[case] = _of_outcomes([by_key[cell.key] for cell in cells], loss)
    measured = Measured(cases)
    for case in cases.all:
        if case not in found:
            found[case] = measured.measure(case)
    return found


def _of_outcomes(outcomes: list[Outcome], loss: str) -> Found:
    for outcome in outcomes:
        if outcome.status == "skipped":
            return {"reason": outcome.reason}
        if outcome.status != "ok":
            return {"failed": f"{outcome.status}: {outcome.reason}"}
    values = [outcome.points[-1].values for outcome in outcomes]
    return {
        "seconds": _over(statistics.median, [o.cost.seconds for o in outcomes]),
        "peak_memory": _over(max, [o.cost.peak_bytes for o in outcomes]),
        "queries": _over(statistics.fmean, [o.cost.queries for o in outcomes]),
        "loss": _over(statistics.fmean, [_loss(of.get(loss)) for of in values]),
    }


def _loss(quality: Value | None) -> float | None:
    return None if quality is None or quality.value is None else 1 - quality.value


def _over(summary: Callable[[list[float]], float], values: list[Any]) -> float | None:
    """A summary of the repetitions; None if a value is missing."""
    return None if None in values else float(summary(values))


class Measured:
    """Measures cases in this process and keeps their inputs. Times are processor times.

    Parameters
    ----------
    cases : Cases
    """

    def __init__(self, cases: Cases) -> None:
        self.cases = cases
        self._problems: dict[int, Problem] = {}
        self._results: dict[tuple[int, str], Result] = {}

    def measure(self, case: tuple[str, int], repetition: int = 0) -> Found:
        """Measure a case, of an algorithm one repetition.

        Returns
        -------
        dict
            A finite number, or None if it is missing, for each quantity of `TRACKS`; or
            ``reason``, why the case is inapplicable; or ``failed``, how it failed.
        """
        if case in self.cases.reasons:
            return {"reason": self.cases.reasons[case]}
        name, n = case
        kind = self.cases.kinds[name]
        measure = {"algorithm": self._algorithm, "oracle": self._oracle, "metric": self._metric}
        try:
            return measure[kind](name, n, repetition)
        except NotApplicableError as error:
            return {"reason": describe(error)}
        except Exception as error:
            return {"failed": describe(error)}

    def _problem(self, n: int) -> Problem:
        if n not in self._problems:
            use = self.cases.datasets[n]
            self._problems[n] = use.spec.load()(SEED, **use.params)
        return self._problems[n]

    def _algorithm(self, name: str, n: int, repetition: int) -> Found:
        cells = self.cases.cells[name, n]
        loss = self.cases.loss_label(name)
        job = replace(make_job(cells[repetition % len(cells)], [loss]), clock=process_time)
        best: Found = {}
        spent = 0.0
        for call in range(CALLS):
            done = run_job(job)
            if done.cost is None or done.status != "ok":
                return {"reason" if done.status == "skipped" else "failed": done.reason}
            found = {
                "seconds": done.cost.seconds,
                "peak_memory": done.cost.peak_bytes,
                "queries": done.cost.queries,
                "loss": _loss(done.points[-1].values.get(loss)),
            }
            best = found if not call else _smaller(best, found)
            spent += done.cost.seconds or 0.0
            if call and spent > _ENOUGH:
                break
            job = replace(job, metrics={})
        return best

    def _oracle(self, name: str, n: int, repetition: int) -> Found:
        use = self.cases.uses[name]
        problem = self._problem(n)
        missing = unmet(use.spec.needs, problem.provides)
        if missing:
            raise NotApplicableError(f"{use.label} needs {missing}, which the data do not provide")
        make = use.spec.load()
        seconds, answers = _timed(lambda: make(problem, repetition, None, **use.params))
        return {"seconds": seconds, "seconds_a_question": _per_query(answers, seconds)}

    def _metric(self, name: str, n: int, _repetition: int) -> Found:
        use = self.cases.uses[name]
        problem = self._problem(n)
        missing = unmet(use.spec.needs, problem.provides)
        if missing:
            raise NotApplicableError(f"needs {missing}, which the data do not provide")
        result = self._result(n, use.spec.result)
        function = use.spec.load()
        scored = Scored(
            problem=problem,
            result=result,
            cost=COST,
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
        for use in default_uses(self.cases.registry.oracles):
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


def _smaller(best: Found, found: Found) -> Found:
    """The smaller of the times, as disturbances only make a call longer."""
    return {**best, "seconds": min(best["seconds"], found["seconds"])}


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Processor time of the fastest of several calls, after one that compiles, and the result."""
    returned = work()
    once = max(_seconds(work, 1), 1e-7)
    number = max(1, math.ceil(_BATCH / once))
    best, spent = once, once
    for _ in range(CALLS):
        seconds = _seconds(work, number)
        best, spent = min(best, seconds), spent + number * seconds
        if spent > _ENOUGH:
            break
    return best, returned


def _seconds(work: Callable[[], Any], number: int) -> float:
    """Processor time per call."""
    start = process_time()
    for _ in range(number):
        work()
    return (process_time() - start) / number


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
