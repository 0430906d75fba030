"""Carrying out a plan: what is stored is kept, what is missing runs in isolated workers.

The main process alone writes the store, as results arrive, so that a run that is interrupted is
resumed by the same command.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import cloudpickle

from hcbench.cell import Call, Done, Job
from hcbench.environment import describe_environment, usable_cores
from hcbench.outcome import Measured, Outcome, Value
from hcbench.plan import Cell, LeftOut, Plan, inapplicable
from hcbench.plugins import Plugins
from hcbench.problem import Cost
from hcbench.registry import Use
from hcbench.reuse import GIB, find_stored, memory_limit, metric_keys
from hcbench.store import Record, Store, Stored
from hcbench.worker import Limits, Pool, Report

TICK = 0.1
PRELOADED = ("numpy", "scipy.cluster.hierarchy", "numba", "cloudpickle", "hcbench.cell")


class Observer(Protocol):
    """What follows a run: a progress bar, or nothing."""

    def started(self, total: int, reused: int) -> None:
        """So many cells are in the plan, so many of them are stored already."""

    def finished(self, outcome: Outcome) -> None:
        """A cell has its outcome."""

    def running(self, cells: Sequence[tuple[str, str, float]]) -> None:
        """Labels, phases and seconds of what runs now; called several times a second."""


class Unobserved:
    """Shows nothing."""

    def started(self, total: int, reused: int) -> None:
        """Ignore it."""

    def finished(self, outcome: Outcome) -> None:
        """Ignore it."""

    def running(self, cells: Sequence[tuple[str, str, float]]) -> None:
        """Ignore it."""


@dataclass(frozen=True, slots=True)
class Task:
    """A cell in work.

    Attributes
    ----------
    cell : Cell
    metrics : tuple of str
        Labels of the metrics that are to be computed.
    stored : Stored, optional
        If its result is in the store and only metrics are missing.
    """

    cell: Cell
    metrics: tuple[str, ...]
    stored: Stored | None = None


def run_plan(
    plan: Plan,
    plugins: Plugins,
    store: Store,
    *,
    jobs: int | None = None,
    fresh: bool = False,
    command: str = "",
    observer: Observer | None = None,
) -> list[Outcome]:
    """Run what is not stored yet, and return all outcomes in the order of the plan.

    Parameters
    ----------
    plan : Plan
    plugins : Plugins
        Whose reporters are told.
    store : Store
    jobs : int, optional
        Worker processes; by default one a core.
    fresh : bool
        Run everything, whatever is stored.
    command : str
        What makes this run again; kept with it.
    observer : Observer, optional
    """
    return _Run(plan, plugins, store, jobs or usable_cores(), observer or Unobserved()).carry_out(
        fresh, command
    )


class _Run:
    """One run on its way."""

    def __init__(
        self, plan: Plan, plugins: Plugins, store: Store, jobs: int, observer: Observer
    ) -> None:
        self.plan = plan
        self.plugins = plugins
        self.store = store
        self.jobs = jobs
        self.observer = observer
        self.memory = memory_limit(plan, jobs)
        self.metric_keys = metric_keys(plan)
        self.outcomes: dict[str, Outcome] = {}
        self.number = 0

    def carry_out(self, fresh: bool, command: str) -> list[Outcome]:
        stored = {} if fresh else find_stored(self.plan, self.store, self.memory)
        tasks = self._tasks(stored)
        self.number = self.store.begin_run(
            command=command,
            suite=self.plan.suite.name,
            environment=describe_environment(self.plugins.loaded),
        )
        left_out = skipped_outcomes(self.plan)
        self.store.save(self.number, [self._record(o, None) for o in left_out])
        self.store.link(self.number, list(self.outcomes))
        self.observer.started(len(self.plan.cells), len(self.outcomes))
        self.plugins.report("hcbench_run_started", plan=self.plan)
        finished = False
        try:
            self._work(tasks)
            finished = True
        finally:
            self.store.finish_run(self.number, interrupted=not finished)
            outcomes = [self.outcomes[c.key] for c in self.plan.cells if c.key in self.outcomes]
            self.plugins.report("hcbench_run_finished", outcomes=outcomes)
        return left_out + outcomes

    def _tasks(self, stored: dict[str, Stored]) -> list[Task]:
        """What is left to do; what is stored whole is an outcome at once."""
        tasks = []
        labels = tuple(self.metric_keys)
        for cell in self.plan.cells:
            found = stored.get(cell.key)
            if found is None:
                tasks.append(Task(cell, labels))
            elif found.missing and found.outcome.status == "ok":
                tasks.append(Task(cell, found.missing, found))
            else:
                self.outcomes[cell.key] = replace(found.outcome, reused=True)
        return tasks

    def _work(self, tasks: list[Task]) -> None:
        if not tasks:
            return
        waiting = iter(tasks)
        left = len(tasks)
        slots = min(self.jobs, left)
        with Pool(slots, "hcbench.cell:run_packed", preload=PRELOADED) as pool:
            self._fill(pool, waiting)
            while left:
                reports = pool.wait(TICK)
                # The workers get their next cells before the store gets these.
                self._fill(pool, waiting)
                self._keep(reports)
                left -= len(reports)
                self.observer.running(
                    [
                        (f"{t.cell.algorithm.label} on {t.cell.dataset.label}", phase, seconds)
                        for t, phase, seconds in pool.running
                    ]
                )

    def _fill(self, pool: Pool, waiting: Iterator[Task]) -> None:
        while pool.free and (task := next(waiting, None)) is not None:
            pool.submit(task, self._packed(task), self._limits())

    def _limits(self) -> Limits:
        return Limits(seconds=self.plan.suite.timeout, memory=int(self.memory * GIB))

    def _packed(self, task: Task) -> tuple[tuple[str, ...], bytes]:
        job = make_job(task.cell, task.metrics)
        if task.stored is not None:
            stored = task.stored.outcome
            job = replace(job, kept=self.store.results_of(task.cell.key), cost=cost_of(stored))
        files = tuple(str(file) for file in self.plugins.files)
        return files, cloudpickle.dumps(job)

    def _keep(self, reports: Iterable[Report]) -> None:
        """Store what has arrived, all in one transaction, and tell who follows."""
        records, fresh = [], []
        for report in reports:
            task = report.tag
            assert isinstance(task, Task)
            if task.stored is not None:
                outcome = self._rescored(task, report)
            else:
                outcome = outcome_of(task.cell, report)
                records.append(self._record(outcome, task.cell))
            self.outcomes[task.cell.key] = outcome
            fresh.append(outcome)
        if records:
            self.store.save(self.number, records)
        for outcome in fresh:
            self.observer.finished(outcome)
            self.plugins.report("hcbench_cell_finished", outcome=outcome)

    def _rescored(self, task: Task, report: Report) -> Outcome:
        """A stored outcome with the new values beside the old ones."""
        assert task.stored is not None
        old = task.stored.outcome
        new = _judged(task, report)
        measured = tuple(
            replace(point, values={**point.values, **new.get(point.checkpoint, {})})
            for point in old.measured
        )
        keys = {label: self.metric_keys[label] for label in task.metrics}
        self.store.save_values(self.number, task.cell.key, measured, keys)
        return replace(old, measured=measured, reused=True)

    def _record(self, outcome: Outcome, cell: Cell | None) -> Record:
        return Record(
            outcome=outcome,
            cell={} if cell is None else describe_cell(cell),
            metric_keys=self.metric_keys,
            timeout=self.plan.suite.timeout,
            memory=self.memory,
        )


def skipped_outcomes(plan: Plan) -> list[Outcome]:
    """A row for every repetition of every combination that cannot be."""
    return [
        _skipped(left_out, repetition, plan)
        for left_out in plan.left_out
        for repetition in range(plan.suite.repetitions)
    ]


def _skipped(left_out: LeftOut, repetition: int, plan: Plan) -> Outcome:
    values = {m.label: Value(None, "skipped", left_out.reason) for m in plan.metrics}
    return Outcome(
        key="",
        algorithm=left_out.algorithm,
        dataset=left_out.dataset,
        oracle=left_out.oracle,
        repetition=repetition,
        seed=plan.suite.seed,
        status="skipped",
        reason=left_out.reason,
        measured=(Measured(values=values),),
    )


def make_job(cell: Cell, metrics: Iterable[str]) -> Job:
    """What a worker needs to run a cell."""
    provided = cell.dataset.spec.provides_with(cell.dataset.params)
    wanted = set(metrics)
    return Job(
        dataset=_call(cell.dataset),
        oracle=_call(cell.oracle),
        algorithm=_call(cell.algorithm),
        data_key=f"{cell.dataset.identity}/{cell.data_seed}",
        data_seed=cell.data_seed,
        noise_seed=cell.noise_seed,
        algorithm_seed=cell.algorithm_seed,
        provides=provided,
        hints=cell.algorithm.spec.hints_of(cell.algorithm.params),
        returns=cell.algorithm.spec.returns,
        budget=cell.budget,
        checkpoints=cell.checkpoints,
        metrics={
            m.label: _call(m)
            for m in cell.metrics
            if m.label in wanted and not inapplicable(m.spec, cell.algorithm.spec, provided)
        },
    )


def _call(use: Use[Any]) -> Call:
    return Call(use.spec.function, dict(use.params))


def cost_of(outcome: Outcome) -> Cost:
    """The cost of a call, from its row."""
    return Cost(
        seconds=outcome.seconds or 0.0,
        oracle_seconds=outcome.oracle_seconds,
        peak_bytes=outcome.peak_bytes,
        queries=outcome.queries,
        distinct_queries=outcome.distinct_queries,
        rounds=outcome.rounds,
    )


def outcome_of(cell: Cell, report: Report) -> Outcome:
    """The row of a cell, from what its worker sent or from how it ended."""
    done = report.value if report.ending == "done" else _ended(report)
    assert isinstance(done, Done)
    cost = done.cost
    base = Outcome(
        key=cell.key,
        algorithm=cell.algorithm.label,
        dataset=cell.dataset.label,
        oracle=cell.oracle.label,
        repetition=cell.repetition,
        seed=cell.seed,
        budget=cell.budget,
        status=done.status,
        reason=done.reason,
        stopped=done.stopped,
        data_digest=done.data_digest,
        traceback=done.traceback,
        log=report.log,
        measured=_complete(cell, done),
    )
    if cost is None:
        return base
    return replace(
        base,
        seconds=cost.seconds,
        oracle_seconds=cost.oracle_seconds,
        peak_bytes=cost.peak_bytes,
        queries=cost.queries,
        distinct_queries=cost.distinct_queries,
        rounds=cost.rounds,
    )


def _ended(report: Report) -> Done:
    """What to say of a worker that did not answer."""
    status = report.ending if report.ending != "done" else "error"
    return Done(status=status, reason=report.reason, traceback=report.traceback)


def _complete(cell: Cell, done: Done) -> tuple[Measured, ...]:
    """Add the metrics that cannot judge this cell, and why; of a failure, all of them."""
    provided = cell.dataset.spec.provides_with(cell.dataset.params)
    points = done.measured or (Measured(),)
    others = {
        m.label: Value(None, "skipped", inapplicable(m.spec, cell.algorithm.spec, provided))
        if done.status == "ok"
        else Value(None, "skipped", f"{done.status}: {done.reason}")
        for m in cell.metrics
    }
    return tuple(replace(p, values={**others, **p.values}) for p in points)


def _judged(task: Task, report: Report) -> dict[int | None, dict[str, Value]]:
    """New values of stored results, by checkpoint; if judging failed, why."""
    assert task.stored is not None
    points = task.stored.outcome.measured
    provided = task.cell.dataset.spec.provides_with(task.cell.dataset.params)
    spec = task.cell.algorithm.spec
    wanted = {m.label: m for m in task.cell.metrics if m.label in task.metrics}
    values = {
        label: Value(None, "skipped", inapplicable(m.spec, spec, provided))
        for label, m in wanted.items()
    }
    done = report.value if report.ending == "done" else _ended(report)
    assert isinstance(done, Done)
    reason = done.reason
    if done.status == "ok" and done.data_digest != task.stored.outcome.data_digest:
        reason = "the data set now yields other data than when this result was stored; use --fresh"
    if reason:
        return {p.checkpoint: dict.fromkeys(values, Value(None, "error", reason)) for p in points}
    fresh = {p.checkpoint: p.values for p in done.measured}
    return {p.checkpoint: {**values, **fresh.get(p.checkpoint, {})} for p in points}


def describe_cell(cell: Cell) -> dict[str, Any]:
    """A cell in plain values, as it is stored: enough to make it again."""

    def describe(use: Use[Any]) -> dict[str, Any]:
        return {
            "name": f"{use.plugin.distribution}:{use.spec.name}",
            "params": dict(use.params),
            "edition": use.plugin.edition,
            "digests": dict(use.digests),
        }

    return {
        "algorithm": describe(cell.algorithm),
        "dataset": describe(cell.dataset),
        "oracle": describe(cell.oracle),
        "checkpoints": list(cell.checkpoints),
        "hints": list(cell.algorithm.spec.hints_of(cell.algorithm.params)),
        "data_seed": cell.data_seed,
        "noise_seed": cell.noise_seed,
        "algorithm_seed": cell.algorithm_seed,
    }
