"""Giving tasks to the workers of a pool, until each has its report."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from threading import Thread
from typing import Generic, TypeVar

from hcbench.run.environment import GIB
from hcbench.run.executors import Executor, JobPool
from hcbench.run.job import ImportJob, pack_job
from hcbench.run.record import RunRecord
from hcbench.run.tasks import RescoreTask, Task, by_data, job_of
from hcbench.run.workers import Limits, Report
from hcbench.run.workers.messages import ALGORITHM

_TICK = 0.1  # seconds to wait for reports before the observer is told what runs
_TOGETHER = 0.05  # seconds: short cells that end within these are stored in one transaction
_MANY = 16  # waiting cells per worker; above that a worker has its next cells at hand
_ATTEMPTS = 4  # at a cell whose worker is lost through no fault of its own
_ALONE = 20.0  # seconds for which the first cell of an algorithm keeps back others of it
# What the main process needs next, imported while the workers start: trees for their reports, and
# scipy for the statistics over several data sets.
_FOR_REPORTS = ("hcbench.model.trees",)
_FOR_STATISTICS = ("scipy.stats",)


class Schedule:
    """The tasks of one pool of workers.

    Parameters
    ----------
    tasks : sequence of Task
    record : RunRecord
        Where the reports go.
    machines : Executor
    alone : bool
        One task at a time, whose report is stored before the next begins.
    """

    def __init__(
        self, tasks: Sequence[Task], record: RunRecord, machines: Executor, *, alone: bool
    ) -> None:
        self._record = record
        self._machines = machines
        self._alone = alone
        self._n_left = len(tasks)
        self._waiting: AffinityQueue[Task] = AffinityQueue()
        for task in by_data(tasks):
            self._waiting.add(task.answers, task)
        self._names = _names_of(tasks)
        self._imports: deque[ImportJob] = deque()
        self._first_uses = FirstUsesByWorkers()
        # Towards the end no cell waits for another one while a worker is idle.
        self._n_ahead = math.inf
        if not alone:
            self._imports.extend(_imports(tasks, machines.slots))
            self._n_ahead = _MANY * machines.slots
        self._files = record.plugins.files
        suite = record.plan.suite
        self._limits = Limits.of_cell(suite.timeout, int(record.memory * GIB))
        self._import_limits = Limits.of_cell(suite.timeout)

    def run(self) -> None:
        """Give the tasks to workers, and their reports to the record."""
        if self._n_left == 0:
            return
        modules: tuple[str, ...] = _FOR_REPORTS
        if len(self._record.plan.datasets) > 1:
            modules += _FOR_STATISTICS
        n_workers = 1 if self._alone else self._n_left
        with self._machines.pool(n_workers) as pool:
            importing = Thread(target=_import_all, args=(modules,), daemon=True)
            importing.start()
            self._run_in(pool)
            importing.join()  # so that no two threads import parts of one library

    def _run_in(self, pool: JobPool) -> None:
        reports: list[Report] = []
        saved_at = -math.inf
        while self._n_left > 0:
            self._submit_imports(pool)
            self._submit_tasks(pool)
            for report in pool.wait(_TICK):
                reports += self._settled(report)
            self._note_calls(pool)
            if not self._alone and not self._imports:
                # The workers get their next cells before the store gets these.
                self._submit_tasks(pool)
                is_recent = time.monotonic() - saved_at < _TOGETHER
                if is_recent and len(reports) < self._n_left:
                    continue
            self._record.save(reports)
            self._n_left -= len(reports)
            reports = []
            saved_at = time.monotonic()
            self._record.observer.running(self._running(pool))

    def _submit_imports(self, pool: JobPool) -> None:
        """Have idle workers import what the cells need, each something else."""
        while self._imports:
            worker = pool.next_worker()
            if worker is None:
                return
            job = self._imports.popleft()
            self._first_uses.begin(job.function, worker)
            pool.submit(job, pack_job(job, ()), self._import_limits, worker)

    def _submit_tasks(self, pool: JobPool) -> None:
        """Give tasks to idle workers, and while many wait, further ones in advance."""
        self._waiting.keep(pool.workers)
        while self._waiting:
            worker = pool.next_worker(ahead=len(self._waiting) > self._n_ahead)
            if worker is None:
                return
            may_begin = partial(self._may_begin, worker)
            task = self._waiting.take(worker, may_begin)
            if task is None:
                return  # until a first cell has ended
            self._first_uses.begin(_compiled_for(task), worker)
            packed = pack_job(job_of(task, self._record.store), self._files)
            pool.submit(task, packed, self._limits, worker)

    def _may_begin(self, worker: Hashable, task: Task) -> bool:
        return self._first_uses.may_begin(_compiled_for(task), worker)

    def _note_calls(self, pool: JobPool) -> None:
        """Note which first cells have compiled what their algorithm needs: it is being called."""
        if not self._first_uses:
            return
        for task, phase, _ in pool.running:
            if isinstance(task, Task) and phase == ALGORITHM:
                self._first_uses.end(_compiled_for(task))

    def _running(self, pool: JobPool) -> list[tuple[str, str, float]]:
        """What runs now: labels, phase, seconds."""
        running = []
        for task, phase, seconds in pool.running:
            if isinstance(task, Task):
                label = f"{task.cell.algorithm.label} on {task.cell.dataset.label}"
                running.append((label, phase, seconds))
            elif isinstance(task, ImportJob):
                running.append((self._names[task.function], phase, seconds))
        return running

    def _settled(self, report: Report) -> list[Report]:
        """The report, if it is final; a cell whose worker was lost waits again, a few times."""
        task = report.tag
        if isinstance(task, ImportJob):
            self._first_uses.end_import(task.function)
        if not isinstance(task, Task):
            return []
        self._first_uses.end(_compiled_for(task))
        if not report.lost:
            return [report]
        if task.attempt < _ATTEMPTS:
            self._waiting.add(task.answers, replace(task, attempt=task.attempt + 1))
            return []
        reason = f"{report.reason}; tried {task.attempt} times"
        return [replace(report, reason=reason)]


def _import_all(modules: Sequence[str]) -> None:
    for name in modules:
        import_module(name)


def _imports(tasks: Sequence[Task], slots: int) -> list[ImportJob]:
    """The algorithms, for different workers to import first.

    The first time that compiles their kernels: otherwise all workers would wait for the first
    algorithm's.
    """
    if slots == 1 or len(tasks) <= slots:
        return []
    functions: dict[str, None] = {}
    for task in tasks:
        if isinstance(task, RescoreTask):
            continue  # which calls no algorithm
        use = task.cell.algorithm
        function = use.spec.function
        # Others are imported in the copy of a worker that runs their cell.
        if use.plugin.is_installed and isinstance(function, str):
            functions[function] = None
    return [ImportJob(function) for function in functions]


def _names_of(tasks: Sequence[Task]) -> dict[Hashable, str]:
    """The name of each algorithm, by what its kernels are compiled for."""
    names = {}
    for task in tasks:
        names[_compiled_for(task)] = task.cell.algorithm.spec.name
    return names


def _compiled_for(task: Task) -> Hashable:
    """What kernels are compiled for: cells with the same one need nearly the same kernels."""
    if isinstance(task, RescoreTask):
        return None  # the metrics alone
    spec = task.cell.algorithm.spec
    return spec.function if isinstance(spec.function, str) else spec.name


class FirstUsesByWorkers:
    """Which algorithms are used for the first time now, and by which worker.

    Two workers that begin an algorithm together would each compile its kernels. If one of them does
    something else first, it reads what the other one has stored.

    Parameters
    ----------
    clock : callable
        Returns the time in s.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        # By algorithm: the worker, and until when others wait for it.
        self._running: dict[Hashable, tuple[Hashable, float]] = {}
        self._used: set[Hashable] = set()

    def __bool__(self) -> bool:
        return bool(self._running)

    def may_begin(self, algorithm: Hashable, worker: Hashable) -> bool:
        """Whether no other worker is using it for the first time, or not for long."""
        if algorithm not in self._running:
            return True
        first_worker, until = self._running[algorithm]
        return worker == first_worker or self._clock() >= until

    def begin(self, algorithm: Hashable, worker: Hashable) -> None:
        """Note that a worker is given a cell of an algorithm, or imports it."""
        if algorithm not in self._used and algorithm not in self._running:
            self._running[algorithm] = (worker, self._clock() + _ALONE)

    def end(self, algorithm: Hashable) -> None:
        """Note that a worker has used it."""
        self._used.add(algorithm)
        self._running.pop(algorithm, None)

    def end_import(self, algorithm: Hashable) -> None:
        """Note that a worker has imported it; its first cell is still to come."""
        self._running.pop(algorithm, None)


T = TypeVar("T")


class AffinityQueue(Generic[T]):
    """Cells that wait, by what they share, and what each worker has of that.

    A worker takes cells that share what it has as long as there are any; then the first cells that
    share what no other worker has; if there are none, those of which most are left.
    """

    def __init__(self) -> None:
        self._waiting: dict[Hashable, deque[T]] = {}
        self._held_by: dict[Hashable, Hashable] = {}  # what each worker has
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, shared: Hashable, cell: T) -> None:
        """Add a cell."""
        self._waiting.setdefault(shared, deque()).append(cell)
        self._count += 1

    def keep(self, workers: Collection[Hashable]) -> None:
        """Forget the workers that are not among these."""
        for worker in list(self._held_by):
            if worker not in workers:
                del self._held_by[worker]

    def take(self, worker: Hashable, may_begin: Callable[[T], bool]) -> T | None:
        """Remove and return the next cell for a worker, of those that it may begin, if any."""
        for shared in self._by_preference(worker):
            cells = self._waiting[shared]
            for place, cell in enumerate(cells):
                if not may_begin(cell):
                    continue
                del cells[place]
                self._held_by[worker] = shared
                self._count -= 1
                if not cells:
                    del self._waiting[shared]
                return cell
        return None

    def _by_preference(self, worker: Hashable) -> Iterator[Hashable]:
        """What waiting cells share, in the order in which a worker prefers it."""
        own = self._held_by.get(worker)
        if own in self._waiting:
            yield own
        held = set(self._held_by.values())
        for shared in self._waiting:
            if shared not in held:
                yield shared
        # Of what others have, that of which most are left.
        held_by_others = [shared for shared in self._waiting if shared in held and shared != own]
        held_by_others.sort(key=lambda shared: len(self._waiting[shared]), reverse=True)
        yield from held_by_others
