"""Carrying out a plan: what is stored is kept, what is missing runs in isolated workers.

The main process alone writes the store, as results arrive, so that a run that is interrupted is
resumed by the same command.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, TypeAlias

from hcbench.plan.cell import Cell
from hcbench.plan.outcome import Outcome
from hcbench.plan.plan import Plan, metric_keys
from hcbench.plan.presentation import Layout
from hcbench.registry.plugins import Plugins
from hcbench.run.cached import GIB, stands
from hcbench.run.environment import describe_environment
from hcbench.run.executors import Executor, ExecutorName, Jobs, open_executor
from hcbench.run.job import RescoreJob, pack_job
from hcbench.run.outcomes import digest_of, outcome_of, relabelled, rescored, skipped_outcomes
from hcbench.run.placement import Placement
from hcbench.run.tasks import make_job
from hcbench.run.workers import Limits, Report
from hcbench.run.workers.limits import GRACE
from hcbench.store import Record, Store, Stored

TICK = 0.1
_OTHER_DATA = "the data set yields other data now than when the result was made"
_MANY = 8  # cells a worker that are left
_ATTEMPTS = 4  # at a cell whose worker is lost, not by its own doing


#: Labels of an algorithm and a data set: cells of one kind take about as long.
Kind: TypeAlias = tuple[str, str]


class Observer(Protocol):
    """What follows a run: a progress bar, or nothing."""

    def started(self, total: int, reused: int, left: Mapping[Kind, int]) -> None:
        """So many cells are in the plan, so many are stored already, so many of each kind left."""

    def finished(self, outcome: Outcome, seconds: float) -> None:
        """A cell has its outcome, after so many seconds with its data and metrics."""

    def running(self, cells: Sequence[tuple[str, str, float]]) -> None:
        """Labels, phases and seconds of what runs now; called several times a second."""


class Unobserved:
    """Shows nothing."""

    def started(self, total: int, reused: int, left: Mapping[Kind, int]) -> None:
        """Ignore it."""

    def finished(self, outcome: Outcome, seconds: float) -> None:
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
    kept : Outcome, optional
        What the store says of it so far.
    fresh : bool
        Whether it is kept beside what older runs have measured, which stays their history.
    attempt : int
        More than 1 if a worker was lost with it.
    """

    cell: Cell
    metrics: tuple[str, ...]
    stored: Stored | None = None
    kept: Outcome | None = None
    fresh: bool = False
    attempt: int = 1

    @property
    def data(self) -> tuple[str, int]:
        """Which data it uses."""
        return _data_of(self.cell)

    @property
    def answers(self) -> tuple[object, ...]:
        """Which answers it hears: those of one oracle about one repetition's data."""
        cell = self.cell
        return self.data, cell.repetition, cell.oracle.label, cell.budget


def run_plan(
    plan: Plan,
    plugins: Plugins,
    store: Store,
    *,
    jobs: int | None = None,
    fresh: bool = False,
    kept: Mapping[str, Stored] | None = None,
    exclusive: bool = False,
    command: str = "",
    observer: Observer | None = None,
    executor: ExecutorName = "local",
    scheduler: str | None = None,
    files: Sequence[Path] = (),
) -> list[Outcome]:
    """Run what is not stored yet, and return all outcomes in the order of the plan.

    Parameters
    ----------
    plan : Plan
    plugins : Plugins
        Whose reporters are told.
    store : Store
    jobs : int, optional
        Cells at a time; by default one a core, or one a thread of a cluster.
    fresh : bool
        Run everything, whatever is stored; older runs keep what they have measured.
    kept : mapping of key to Stored, optional
        The results of all cells: metrics are computed of them, and nothing is run.
    exclusive : bool
        Run one cell at a time, and store each before the next begins, so that nothing of this run
        takes processor time from a timed call; what is not timed, new metrics of stored results,
        runs before, with all jobs.
    command : str
        What makes this run again; kept with it.
    observer : Observer, optional
    executor, scheduler, files
        Where the cells run; see `hcbench.run.executors.open_executor`.
    """
    opened = open_executor(executor, plan, plugins, jobs=jobs, scheduler=scheduler, files=files)
    with opened as machines:
        run = _Run(plan, plugins, store, machines, observer or Unobserved())
        run.kept = kept
        run.exclusive = exclusive
        return run.carry_out(fresh, command)


class _Run:
    """One run on its way."""

    def __init__(
        self, plan: Plan, plugins: Plugins, store: Store, machines: Executor, observer: Observer
    ) -> None:
        self.plan = plan
        self.plugins = plugins
        self.store = store
        self.machines = machines
        self.observer = observer
        self.memory = machines.memory_share(plan)
        self.metric_keys = metric_keys(plan)
        self.outcomes: dict[str, Outcome] = {}
        # What is in the store; what it says is read in the end, as it may be very much.
        self.reused: dict[str, Stored] = {}
        # What the data sets have yielded in this run, to tell whether stored results are of it.
        self.digests: dict[tuple[str, int], set[str]] = {}
        self.number = 0
        self.kept: Mapping[str, Stored] | None = None
        self.exclusive = False

    def carry_out(self, fresh: bool, command: str) -> list[Outcome]:
        keys = [cell.key for cell in self.plan.cells]
        known = {} if fresh else self.kept or self.store.find(keys, self.metric_keys)
        tasks = self._tasks(known, fresh)
        self.number = self.store.begin_run(
            command=command,
            suite=self.plan.suite.name,
            environment={**describe_environment(self.plugins.loaded), **self.machines.describe()},
            layout=replace(Layout.of_plan(self.plan), renamed=self._renamed(known)).describe(),
        )
        left_out = skipped_outcomes(self.plan)
        self.store.save(self.number, [self._record(o, None) for o in left_out])
        left = Counter(task.cell.labels[:2] for task in tasks)
        self.observer.started(len(self.plan.cells), len(self.reused), left)
        self.plugins.report("hcbench_run_started", plan=self.plan)
        finished = False
        try:
            self._work_fairly(tasks)
            self._work_fairly(self._outdated())
            finished = True
        finally:
            self.store.link(self.number, [stored.row for stored in self.reused.values()])
            self.store.finish_run(self.number, interrupted=not finished)
            self._read_reused()
            outcomes = [self.outcomes[c.key] for c in self.plan.cells if c.key in self.outcomes]
            self.plugins.report("hcbench_run_finished", outcomes=outcomes)
        return left_out + outcomes

    def _renamed(self, known: Mapping[str, Stored]) -> dict[str, tuple[str, str, str]]:
        """Labels of cells that are stored under others, as of a run where they were unique."""
        return {
            cell.key: cell.labels
            for cell in (self.plan.cells if known else ())
            if (found := known.get(cell.key)) is not None and found.labels != cell.labels
        }

    def _tasks(self, known: Mapping[str, Stored], fresh: bool) -> list[Task]:
        """What is left to do; what is stored whole is reused."""
        tasks = []
        unjudged = [s.row for s in known.values() if s.missing and s.status == "ok"]
        kept = self.store.read(unjudged, self.metric_keys) if unjudged else {}
        labels = tuple(self.metric_keys)
        for cell in self.plan.cells:
            found = known.get(cell.key)
            if found is None or not (self.kept or stands(found, self.plan, self.memory)):
                tasks.append(Task(cell, labels, fresh=fresh or found is not None))
            elif found.row in kept:
                tasks.append(Task(cell, found.missing, found, kept[found.row]))
            else:
                self.reused[cell.key] = found
        return tasks

    def _read_reused(self) -> None:
        rows = [stored.row for stored in self.reused.values()]
        found = self.store.read(rows, self.metric_keys) if rows else {}
        for cell in self.plan.cells if rows else ():
            stored = self.reused.get(cell.key)
            if stored is not None and stored.row in found:  # another process may have deleted it
                self.outcomes[cell.key] = relabelled(found[stored.row], cell)

    def _outdated(self) -> list[Task]:
        """Cells whose stored results are of other data than this run has seen; they are to run.

        Their key is the same: the data come from somewhere that it does not know.
        """
        labels = tuple(self.metric_keys)
        tasks = []
        for cell in self.plan.cells if self.digests and not self.kept else ():
            stored = self.reused.get(cell.key)
            yielded = self.digests.get(_data_of(cell))
            if stored is not None and yielded and stored.data_digest not in {"", *yielded}:
                del self.reused[cell.key]
            if cell.key not in self.reused and cell.key not in self.outcomes:
                tasks.append(Task(cell, labels, fresh=True))
        return tasks

    def _work_fairly(self, tasks: list[Task]) -> None:
        """All at once; if calls are to be timed alone, what is not timed before."""
        if self.exclusive:
            self._work([task for task in tasks if task.kept is not None])
            self._work([task for task in tasks if task.kept is None], alone=True)
        else:
            self._work(tasks)

    def _work(self, tasks: list[Task], *, alone: bool = False) -> None:
        if not tasks:
            return
        waiting: Placement[Task] = Placement()
        for task in _by_data(tasks):
            waiting.add(task.answers, task)
        left = len(tasks)
        with self.machines.pool(1 if alone else left) as pool:
            self._fill(pool, waiting, alone=alone)
            while left:
                reports = _settled(pool.wait(TICK), waiting)
                # The workers get their next cells before the store gets these.
                if not alone:
                    self._fill(pool, waiting)
                self._keep(reports)
                left -= len(reports)
                self.observer.running(_now(pool))
                if alone:
                    self._fill(pool, waiting, alone=True)

    def _fill(self, pool: Jobs, waiting: Placement[Task], *, alone: bool = False) -> None:
        waiting.keep(pool.workers)
        # Towards the end no cell waits for another while a worker is idle.
        while waiting:
            ahead = not alone and len(waiting) > _MANY * self.machines.slots
            if not (pool.room if ahead else pool.free):
                break
            task = waiting.take(pool.taker(ahead=ahead))
            pool.submit(task, self._packed(task), self._limits(), ahead=ahead)

    def _limits(self) -> Limits:
        return limits_of(self.plan.suite.timeout, int(self.memory * GIB))

    def _packed(self, task: Task) -> bytes:
        job = make_job(task.cell, task.metrics)
        if task.stored is not None and task.kept is not None:
            results = self.store.results_of(task.stored.row)
            rescore = RescoreJob(job, task.kept.cost, results)
            return pack_job(rescore, self.plugins.files)
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
            if task.stored is not None and task.kept is not None:
                if digest not in ("", task.stored.data_digest):
                    if not self.kept:
                        continue  # the new metrics judged it by other data: it is outdated
                    report = replace(report, value=Outcome(status="error", reason=_OTHER_DATA))
                outcome = rescored(task.cell, task.metrics, task.kept, report)
                self._save_values(task, task.stored, outcome)
                self.reused[task.cell.key] = task.stored
            else:
                outcome = outcome_of(task.cell, report)
                records[task.fresh].append(self._record(outcome, task.cell))
                self.outcomes[task.cell.key] = outcome
            finished.append((outcome, report.seconds))
        for fresh, measured in records.items():
            if measured:
                self.store.save(self.number, measured, fresh=fresh)
        for outcome, seconds in finished:
            self.observer.finished(outcome, seconds)
            self.plugins.report("hcbench_cell_finished", outcome=outcome)

    def _save_values(self, task: Task, stored: Stored, outcome: Outcome) -> None:
        keys = {label: self.metric_keys[label] for label in task.metrics}
        self.store.save_values(self.number, stored.row, outcome.points, keys)

    def _record(self, outcome: Outcome, cell: Cell | None) -> Record:
        return Record(
            outcome=outcome,
            cell={} if cell is None else cell.describe(),
            metric_keys=self.metric_keys,
            timeout=self.plan.suite.timeout,
            memory=self.memory,
        )


def _settled(reports: Iterable[Report], waiting: Placement[Task]) -> list[Report]:
    """The reports that are results; a cell whose worker was lost waits again, a few times."""
    settled = []
    for report in reports:
        task = report.tag
        assert isinstance(task, Task)
        if not report.lost:
            settled.append(report)
        elif task.attempt < _ATTEMPTS:
            waiting.add(task.answers, replace(task, attempt=task.attempt + 1))
        else:
            why = f"{report.reason}; tried {task.attempt} times"
            settled.append(replace(report, reason=why))
    return settled


def _by_data(tasks: Iterable[Task]) -> list[Task]:
    """In the order of the plan, but what uses the same data together, and of that the same answers.

    A worker keeps both for the next cell. Of data that are the same in all repetitions, these
    follow one another, so that a machine that slows down slows all algorithms.
    """
    places: dict[tuple[object, ...], int] = {}
    return sorted(
        tasks,
        key=lambda task: (
            places.setdefault(task.data, len(places)),
            task.cell.repetition,
            places.setdefault(task.answers[2:], len(places)),
        ),
    )


def _data_of(cell: Cell) -> tuple[str, int]:
    """Which data a cell uses."""
    return cell.dataset.label, cell.data_seed


def limits_of(timeout: float | None, memory: int | None = None) -> Limits:
    """What a cell may take: its data and its metrics twice as long as its algorithm, or 120 s."""
    grace = math.inf if timeout is None else max(GRACE, 2.0 * timeout)
    return Limits(seconds=timeout, memory=memory, grace=grace)


def _now(pool: Jobs) -> list[tuple[str, str, float]]:
    """What runs now: label, phase, seconds."""
    return [
        (f"{task.cell.algorithm.label} on {task.cell.dataset.label}", phase, seconds)
        for task, phase, seconds in pool.running
        if isinstance(task, Task)
    ]
