"""Running a plan: stored results are reused, and what is missing runs in isolated workers.

The main process alone writes the store, as results arrive, so that the same command resumes a run
that was interrupted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from hcbench.model.cost import collect_notes
from hcbench.plan.columns import Outcomes
from hcbench.plan.plan import Plan, metric_keys
from hcbench.registry.plugins import Plugins
from hcbench.run.environment import memory_limit, usable_cores
from hcbench.run.executors import Executor, ThisMachine, open_executor
from hcbench.run.job import call_of
from hcbench.run.options import DEFAULT_OPTIONS, RunOptions
from hcbench.run.record import Observer, RunRecord
from hcbench.run.schedule import Schedule
from hcbench.run.tasks import RescoreTask, Task, rescore_tasks, reusable
from hcbench.store import Store


def run_plan(
    plan: Plan,
    plugins: Plugins,
    store: Store,
    options: RunOptions = DEFAULT_OPTIONS,
    observer: Observer | None = None,
) -> Outcomes:
    """Run what is not stored yet, and return all outcomes in the order of the plan.

    Parameters
    ----------
    plan : Plan
    plugins : Plugins
        Their reporting hooks are called.
    store : Store
    options : RunOptions
    observer : Observer, optional
    """
    with open_executor(options, plan, plugins) as machines:
        memory = memory_limit(plan, machines.memory)
        usable, to_run = _split_plan(plan, store, memory, fresh=options.fresh)
        to_rescore = rescore_tasks(plan, usable)
        _check_files(to_run)
        record = RunRecord(plan, plugins, store, memory, observer or Observer())
        all_tasks: list[Task] = []
        all_tasks += to_rescore
        all_tasks += to_run
        with record.running(options.command, machines.describe(), usable, all_tasks):
            alone = options.exclusive
            if alone:
                # What is not timed need not wait for what is.
                _work(to_rescore, record, machines)
                _work(to_run, record, machines, alone=True)
            else:
                _work(all_tasks, record, machines)
            _work(record.outdated_tasks(), record, machines, alone=alone)
            _work(record.cut_short_tasks(), record, machines)
    return record.outcomes


def _split_plan(
    plan: Plan, store: Store, memory: float, *, fresh: bool
) -> tuple[Outcomes, list[Task]]:
    """The stored results of a plan that are used, and the cells to run."""
    keys = []
    if not fresh:
        keys = [cell.key for cell in plan.cells]
    stored = store.find(keys, metric_keys(plan))
    usable = stored.take(reusable(stored, plan, memory))
    stored_keys = set(stored.column("key").tolist())
    usable_keys = set(usable.column("key").tolist())
    metric_labels = tuple(metric_keys(plan))
    to_run = []
    for cell in plan.cells:
        if cell.key in usable_keys:
            continue
        # Measured before, but not usable now (a limit has changed): measure again.
        remeasure = fresh or cell.key in stored_keys
        to_run.append(Task(cell=cell, metrics=metric_labels, fresh=remeasure))
    return usable, to_run


def _check_files(tasks: Iterable[Task]) -> None:
    """Raise `DataError` if a file of the user cannot be read."""
    datasets = {task.cell.dataset.identity: task.cell.dataset for task in tasks}
    with collect_notes():  # which the rows will have
        for use in datasets.values():
            if use.spec.check is not None:
                # It imports numba, without which stored results are shown 0.3 s earlier.
                from hcbench.run.requests import call_dataset

                call_dataset(replace(call_of(use), function=use.spec.check), 0)


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
    plugins, store, observer
        As for `run_plan`.
    jobs, command
        As in `RunOptions`.

    Examples
    --------
    >>> from hcbench.run import plan_of_run
    >>> from hcbench.store import Store
    >>> results = hcbench.compare(
    ...     "Single", "planted[N0=2,sigma=0]", store="results.sqlite", progress=False, repetitions=1
    ... )
    >>> registry = hcbench.load_registry()
    >>> with Store("results.sqlite") as store:
    ...     stored = plan_of_run(store, store.run(), registry, ["clade-recovery"])
    ...     outcomes = rescore_plan(stored.plan, stored.stored_results, registry.plugins, store)
    >>> outcomes[0].points[-1].values["clade-recovery"].value
    1.0
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
    # One after the other, so that none pays for what another is asking; the key is here.
    paid: list[Task] = []
    free: list[Task] = []
    for task in tasks:
        if _pays(task) and not alone:
            paid.append(task)
        else:
            free.append(task)
    Schedule(free, record, _with_secrets(machines, free), alone=alone).run()
    this_machine: Executor = ThisMachine(1, threads=record.plan.suite.threads)
    if isinstance(machines, ThisMachine):
        this_machine = machines
    Schedule(paid, record, _with_secrets(this_machine, paid), alone=True).run()


def _with_secrets(machines: Executor, tasks: Iterable[Task]) -> Executor:
    """The machines, whose workers get the secrets that tasks need if they are of this machine."""
    if not isinstance(machines, ThisMachine):
        return machines
    secrets: set[str] = set()
    for task in tasks:
        secrets.update(task.cell.secrets)
    return replace(machines, secrets=tuple(sorted(secrets)))


def _pays(task: Task) -> bool:
    """Whether a task asks an oracle whose answers cost money."""
    return bool(task.cell.oracle.spec.currency) and not isinstance(task, RescoreTask)
