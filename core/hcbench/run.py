"""Carrying out a plan: what is stored is kept, what is missing runs in isolated workers.

The main process alone writes the store, as results arrive, so that a run that is interrupted is
resumed by the same command.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from hcbench.dispatch import (
    cost_of,
    describe_cell,
    digest_of,
    make_job,
    outcome_of,
    relabelled,
    rescored,
    skipped_outcomes,
)
from hcbench.environment import describe_environment, usable_cores
from hcbench.job import pack_job
from hcbench.layout import Layout
from hcbench.outcome import Outcome
from hcbench.plan import Cell, Plan
from hcbench.plugins import Plugins
from hcbench.reuse import GIB, memory_limit, metric_keys, stands
from hcbench.store import Record, Store, Stored
from hcbench.workers import Limits, Pool, Report
from hcbench.workers.limits import GRACE

TICK = 0.1
_MANY = 8  # cells a worker that are left
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
    fresh : bool
        Whether it is kept beside what older runs have measured, which stays their history.
    """

    cell: Cell
    metrics: tuple[str, ...]
    stored: Stored | None = None
    fresh: bool = False


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
        Run everything, whatever is stored; older runs keep what they have measured.
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
        # What the data sets have yielded in this run, to tell whether stored results are of it.
        self.digests: dict[tuple[str, int], set[str]] = {}
        self.number = 0

    def carry_out(self, fresh: bool, command: str) -> list[Outcome]:
        keys = [cell.key for cell in self.plan.cells]
        known = {} if fresh else self.store.find(keys, self.metric_keys)
        tasks = self._tasks(known, fresh)
        self.number = self.store.begin_run(
            command=command,
            suite=self.plan.suite.name,
            environment=describe_environment(self.plugins.loaded),
            layout=replace(Layout.of_plan(self.plan), renamed=self._renamed(known)).describe(),
        )
        left_out = skipped_outcomes(self.plan)
        self.store.save(self.number, [self._record(o, None) for o in left_out])
        self.observer.started(len(self.plan.cells), len(self.outcomes))
        self.plugins.report("hcbench_run_started", plan=self.plan)
        finished = False
        try:
            self._work(tasks)
            self._work(self._outdated())
            finished = True
        finally:
            reused = [known[key].row for key, kept in self.outcomes.items() if kept.reused]
            self.store.link(self.number, reused)
            self.store.finish_run(self.number, interrupted=not finished)
            outcomes = [self.outcomes[c.key] for c in self.plan.cells if c.key in self.outcomes]
            self.plugins.report("hcbench_run_finished", outcomes=outcomes)
        return left_out + outcomes

    def _renamed(self, known: dict[str, Stored]) -> dict[str, tuple[str, str, str]]:
        """Labels of cells that are stored under others, as of a run where they were unique."""
        renamed = {}
        for cell in self.plan.cells if known else ():
            labels = (cell.algorithm.label, cell.dataset.label, cell.oracle.label)
            found = known.get(cell.key)
            if found is not None:
                old = found.outcome
                if labels != (old.algorithm, old.dataset, old.oracle):
                    renamed[cell.key] = labels
        return renamed

    def _tasks(self, known: dict[str, Stored], fresh: bool) -> list[Task]:
        """What is left to do; what is stored whole is an outcome at once."""
        tasks = []
        labels = tuple(self.metric_keys)
        for cell in self.plan.cells:
            found = known.get(cell.key)
            if found is None or not stands(found, self.plan, self.memory):
                tasks.append(Task(cell, labels, fresh=fresh or found is not None))
            elif found.missing and found.outcome.status == "ok":
                tasks.append(Task(cell, found.missing, found))
            else:
                self.outcomes[cell.key] = relabelled(found.outcome, cell)
        return tasks

    def _outdated(self) -> list[Task]:
        """Cells whose stored results are of other data than this run has seen; they are to run.

        Their key is the same: the data come from somewhere that it does not know.
        """
        labels = tuple(self.metric_keys)
        tasks = []
        for cell in self.plan.cells if self.digests else ():
            kept = self.outcomes.get(cell.key)
            yielded = self.digests.get(_data_of(cell))
            if kept is None:
                tasks.append(Task(cell, labels, fresh=True))
            elif kept.reused and kept.data_digest and yielded and kept.data_digest not in yielded:
                del self.outcomes[cell.key]
                tasks.append(Task(cell, labels, fresh=True))
        return tasks

    def _work(self, tasks: list[Task]) -> None:
        if not tasks:
            return
        waiting = deque(_by_data(tasks))
        left = len(tasks)
        slots = min(self.jobs, left)
        with Pool(slots, "hcbench.cell:run_packed", preload=PRELOADED) as pool:
            self._fill(pool, waiting, slots)
            while left:
                reports = pool.wait(TICK)
                # The workers get their next cells before the store gets these.
                self._fill(pool, waiting, slots)
                self._keep(reports)
                left -= len(reports)
                self.observer.running(_now(pool))

    def _fill(self, pool: Pool, waiting: deque[Task], slots: int) -> None:
        # Towards the end no cell waits for another while a worker is idle.
        while waiting:
            ahead = len(waiting) > _MANY * slots
            if not (pool.room if ahead else pool.free):
                break
            task = waiting.popleft()
            pool.submit(task, self._packed(task), self._limits(), ahead=ahead)

    def _limits(self) -> Limits:
        return limits_of(self.plan.suite.timeout, int(self.memory * GIB))

    def _packed(self, task: Task) -> bytes:
        job = make_job(task.cell, task.metrics)
        if task.stored is not None:
            stored = task.stored.outcome
            job = replace(job, kept=self.store.results_of(task.stored.row), cost=cost_of(stored))
        return pack_job(job, self.plugins.files)

    def _keep(self, reports: Iterable[Report]) -> None:
        """Store what has arrived, as much as can be in one transaction, and tell who follows."""
        records: dict[bool, list[Record]] = {False: [], True: []}
        finished = []
        for report in reports:
            task = report.tag
            assert isinstance(task, Task)
            digest = digest_of(report)
            if digest:
                self.digests.setdefault(_data_of(task.cell), set()).add(digest)
            if task.stored is not None:
                if digest not in ("", task.stored.outcome.data_digest):
                    continue  # the new metrics judged it by other data: it is outdated
                outcome = self._rescored(task, task.stored, report)
            else:
                outcome = outcome_of(task.cell, report)
                records[task.fresh].append(self._record(outcome, task.cell))
            self.outcomes[task.cell.key] = outcome
            finished.append(outcome)
        for fresh, measured in records.items():
            if measured:
                self.store.save(self.number, measured, fresh=fresh)
        for outcome in finished:
            self.observer.finished(outcome)
            self.plugins.report("hcbench_cell_finished", outcome=outcome)

    def _rescored(self, task: Task, stored: Stored, report: Report) -> Outcome:
        outcome = rescored(task.cell, task.metrics, stored, report)
        keys = {label: self.metric_keys[label] for label in task.metrics}
        self.store.save_values(self.number, stored.row, outcome.measured, keys)
        return outcome

    def _record(self, outcome: Outcome, cell: Cell | None) -> Record:
        return Record(
            outcome=outcome,
            cell={} if cell is None else describe_cell(cell),
            metric_keys=self.metric_keys,
            timeout=self.plan.suite.timeout,
            memory=self.memory,
        )


def _by_data(tasks: Iterable[Task]) -> list[Task]:
    """In the order of the plan, but what uses the same data and the same oracle together.

    A worker keeps both for the next cell.
    """
    places: dict[tuple[object, ...], int] = {}
    return sorted(
        tasks,
        key=lambda task: (
            places.setdefault(_data_of(task.cell), len(places)),
            places.setdefault((task.cell.oracle.label, task.cell.budget), len(places)),
        ),
    )


def _data_of(cell: Cell) -> tuple[str, int]:
    """Which data a cell uses."""
    return cell.dataset.label, cell.data_seed


def limits_of(timeout: float | None, memory: int | None = None) -> Limits:
    """What a cell may take: its data and its metrics twice as long as its algorithm, or 120 s."""
    grace = math.inf if timeout is None else max(GRACE, 2.0 * timeout)
    return Limits(seconds=timeout, memory=memory, grace=grace)


def _now(pool: Pool) -> list[tuple[str, str, float]]:
    """What runs now: label, phase, seconds."""
    return [
        (f"{task.cell.algorithm.label} on {task.cell.dataset.label}", phase, seconds)
        for task, phase, seconds in pool.running
        if isinstance(task, Task)
    ]
