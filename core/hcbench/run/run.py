"""Running a plan: stored results are reused, and what is missing runs in isolated workers.

The main process alone writes the store, as results arrive, so that the same command resumes a run
that was interrupted.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import Generic, TypeVar

from hcbench.model.cost import collect_notes
from hcbench.plan.columns import Outcomes
from hcbench.plan.plan import Plan, metric_keys
from hcbench.registry.plugins import Plugins
from hcbench.registry.specs import load_function
from hcbench.run.environment import GIB, memory_limit, usable_cores
from hcbench.run.executors import LOCAL, Executor, JobPool, ThisMachine, open_executor
from hcbench.run.job import ImportJob, pack_job
from hcbench.run.record import Observer, RunRecord
from hcbench.run.tasks import RescoreTask, Task, by_data, job_of, rescore_tasks, reusable
from hcbench.run.workers import Limits, Report
from hcbench.store import Store

TICK = 0.1
_TOGETHER = 0.05  # seconds: short cells that end within these are stored in one transaction
_MANY = 16  # waiting cells per worker; above that a worker has its next cells at hand
#: What this process needs next, imported while the workers start: for their reports, and for the
#: statistics over data sets.
_NEXT = ("hcbench.model.trees", "scipy.stats")
_ATTEMPTS = 4  # at a cell whose worker is lost through no fault of its own


def run_plan(
    plan: Plan,
    plugins: Plugins,
    store: Store,
    *,
    jobs: int | None = None,
    fresh: bool = False,
    exclusive: bool = False,
    command: str = "",
    observer: Observer | None = None,
    executor: str = LOCAL,
    scheduler: str | None = None,
    files: Sequence[Path] = (),
) -> Outcomes:
    """Run what is not stored yet, and return all outcomes in the order of the plan.

    Parameters
    ----------
    plan : Plan
    plugins : Plugins
        Whose reporting hooks are called.
    store : Store
    jobs : int, optional
        Cells at a time; by default one per core, or one per thread of a cluster.
    fresh : bool
        Run everything, whatever is stored; older runs keep what they have measured.
    exclusive : bool
        Run one cell at a time, and store each before the next begins, so that nothing of this run
        takes processor time from a timed call. New metrics of stored results, which are not timed,
        are computed before, with all jobs.
    command : str
        What makes this run again; stored with it.
    observer : Observer, optional
    executor, scheduler, files
        Where the cells run; see `hcbench.run.executors.open_executor`.
    """
    opened = open_executor(executor, plan, plugins, jobs=jobs, scheduler=scheduler, files=files)
    with opened as machines:
        memory = memory_limit(plan, machines.memory)
        metric_labels = tuple(metric_keys(plan))
        keys = [] if fresh else [cell.key for cell in plan.cells]
        stored = store.find(keys, metric_keys(plan))
        usable = stored.take(reusable(stored, plan, memory))
        stored_keys = set(stored.column("key").tolist())
        usable_keys = set(usable.column("key").tolist())
        to_rescore = rescore_tasks(plan, usable)
        to_run = []
        for cell in plan.cells:
            if cell.key in usable_keys:
                continue
            # Measured before, but not usable now (a limit has changed): measure again.
            remeasure = fresh or cell.key in stored_keys
            to_run.append(Task(cell=cell, metrics=metric_labels, fresh=remeasure))
        del stored, stored_keys, usable_keys  # to free an entry per cell
        _check_files(to_run)
        record = RunRecord(plan, plugins, store, memory, observer or Observer())
        with record.running(command, machines.describe(), usable, [*to_rescore, *to_run]):
            if exclusive:
                _work(to_rescore, record, machines)
                _work(to_run, record, machines, alone=True)
            else:
                _work([*to_rescore, *to_run], record, machines)
            _work(record.outdated_tasks(), record, machines, alone=exclusive)
            _work(record.cut_short_tasks(), record, machines)
    return record.outcomes


def _check_files(tasks: Iterable[Task]) -> None:
    """Raise `DataError` if a file of the user cannot be read."""
    datasets = {task.cell.dataset.identity: task.cell.dataset for task in tasks}
    with collect_notes():  # which the rows will have
        for use in datasets.values():
            if use.spec.check is not None:
                load_function(use.spec.check)(0, **use.params)


def rescore_plan(
    plan: Plan,
    stored_results: Outcomes,
    plugins: Plugins,
    store: Store,
    *,
    jobs: int | None = None,
    command: str = "",
    observer: Observer | None = None,
) -> Outcomes:
    """Compute the missing metrics of stored results; no cell runs.

    Parameters
    ----------
    plan : Plan
    stored_results : Outcomes
        Of all cells of the plan, as `Store.find` reads them.
    plugins, store, jobs, command, observer
        As for `run_plan`.
    """
    machines = ThisMachine(jobs or usable_cores())
    tasks = rescore_tasks(plan, stored_results)
    memory = memory_limit(plan, machines.memory)
    record = RunRecord(plan, plugins, store, memory, observer or Observer(), may_run=False)
    with record.running(command, machines.describe(), stored_results, tasks):
        _work(tasks, record, machines)
        _work(record.cut_short_tasks(), record, machines)
    return record.outcomes


def _work(
    tasks: Sequence[Task], record: RunRecord, machines: Executor, *, alone: bool = False
) -> None:
    """Do tasks in isolated workers; ``alone``: one at a time, stored before the next begins."""
    if not alone and (paid := [task for task in tasks if _pays(task)]):
        # One after the other, so that none pays for what another is asking; the key is here.
        _work([task for task in tasks if not _pays(task)], record, machines)
        here = ThisMachine(1, threads=record.plan.suite.threads)
        if isinstance(machines, ThisMachine):
            here = machines
        _work(paid, record, here, alone=True)
        return
    if not tasks:
        return
    waiting: AffinityQueue[Task] = AffinityQueue()
    for task in by_data(tasks):
        waiting.add(task.answers, task)
    left = len(tasks)
    reports: list[Report] = []
    saved = -math.inf
    modules = _NEXT if len(record.plan.datasets) > 1 else _NEXT[:1]
    imports = [] if alone else _imports(tasks, machines.slots)
    # Towards the end no cell waits for another while a worker is idle.
    many = math.inf if alone else _MANY * machines.slots
    with machines.pool(1 if alone else left) as pool:
        importing = Thread(target=_import_all, args=(modules,), daemon=True)
        importing.start()
        while left:
            while imports and (worker := pool.next_worker()) is not None:
                job = pack_job(imports.pop(0), record.plugins.files)
                pool.submit(None, job, Limits.of_cell(record.plan.suite.timeout), worker)
            _submit(pool, waiting, record, many)
            reports += _settled(pool.wait(TICK), waiting)
            if not alone and not imports:
                # The workers get their next cells before the store gets these.
                _submit(pool, waiting, record, many)
                if len(reports) < left and time.monotonic() - saved < _TOGETHER:
                    continue
            record.save(reports)
            left -= len(reports)
            reports, saved = [], time.monotonic()
            record.observer.running(_running(pool))
        importing.join()  # so that no two threads import parts of one library


def _import_all(modules: Iterable[str]) -> None:
    for name in modules:
        import_module(name)


def _pays(task: Task) -> bool:
    return bool(task.cell.oracle.spec.currency) and not isinstance(task, RescoreTask)


def _imports(tasks: Sequence[Task], slots: int) -> list[ImportJob]:
    """The algorithms, for different workers to import first.

    The first time that compiles their kernels: otherwise all workers would wait for the first
    algorithm's.
    """
    if not 1 < slots < len(tasks):
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


def _submit(pool: JobPool, waiting: AffinityQueue[Task], record: RunRecord, many: float) -> None:
    """Give cells to the workers that are free; while many wait, further ones in advance."""
    waiting.keep(pool.workers)
    suite = record.plan.suite
    limits = Limits.of_cell(suite.timeout, int(record.memory * GIB))
    while waiting and (worker := pool.next_worker(ahead=len(waiting) > many)) is not None:
        task = waiting.take(worker)
        packed = pack_job(job_of(task, record.store), record.plugins.files)
        pool.submit(task, packed, limits, worker)


def _settled(reports: Iterable[Report], waiting: AffinityQueue[Task]) -> list[Report]:
    """The reports that are final; a cell whose worker was lost waits again, a few times."""
    settled = []
    for report in reports:
        task = report.tag
        if not isinstance(task, Task):
            continue  # an import
        if not report.lost:
            settled.append(report)
        elif task.attempt < _ATTEMPTS:
            waiting.add(task.answers, replace(task, attempt=task.attempt + 1))
        else:
            why = f"{report.reason}; tried {task.attempt} times"
            settled.append(replace(report, reason=why))
    return settled


def _running(pool: JobPool) -> list[tuple[str, str, float]]:
    """What runs now: labels, phase, seconds."""
    return [
        (f"{task.cell.algorithm.label} on {task.cell.dataset.label}", phase, seconds)
        for task, phase, seconds in pool.running
        if isinstance(task, Task)
    ]


T = TypeVar("T")


class AffinityQueue(Generic[T]):
    """Cells that wait, by what they share, and what each worker has of that.

    A worker takes cells that share what it has as long as there are any; then the first cells that
    share what no other worker has; if there are none, those of which most are left.
    """

    def __init__(self) -> None:
        self._waiting: dict[Hashable, deque[T]] = {}
        self._made: dict[Hashable, Hashable] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, shared: Hashable, cell: T) -> None:
        """Add a cell."""
        self._waiting.setdefault(shared, deque()).append(cell)
        self._count += 1

    def keep(self, workers: Collection[Hashable]) -> None:
        """Forget the workers that are not among these."""
        self._made = {name: shared for name, shared in self._made.items() if name in workers}

    def take(self, worker: Hashable) -> T:
        """Remove and return the next cell for a worker; there must be one."""
        shared = self._made.get(worker)
        if shared not in self._waiting:
            taken = set(self._made.values())
            new = (shared for shared in self._waiting if shared not in taken)
            shared = next(new, None)
            if shared is None:
                shared = max(self._waiting, key=lambda name: len(self._waiting[name]))
        self._made[worker] = shared
        self._count -= 1
        cell = self._waiting[shared].popleft()
        if not self._waiting[shared]:
            del self._waiting[shared]
        return cell
