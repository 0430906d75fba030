"""What a run has left to do, cells to run and stored results to score, and the jobs for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench.plan.cell import Cell
from hcbench.plan.columns import Outcomes
from hcbench.plan.outcome import Outcome, Status
from hcbench.plan.plan import Plan
from hcbench.registry.specs import OracleSpec
from hcbench.registry.uses import Use
from hcbench.run.job import Call, Job, RescoreJob, call_of
from hcbench.run.workers.messages import MEASURED
from hcbench.store import Store
from hcbench.store.rows import LIMITS


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A cell to run.

    Attributes
    ----------
    cell : Cell
    metrics : tuple of str
        Labels of the metrics to compute.
    fresh : bool
        Whether the result is stored beside those of older runs, which keep theirs.
    attempt : int
        More than 1 if a worker was lost with it.
    """

    cell: Cell
    metrics: tuple[str, ...]
    fresh: bool = False
    attempt: int = 1

    @property
    def answers(self) -> tuple[object, ...]:
        """Which answers it needs: those of one oracle about one repetition's data."""
        cell = self.cell
        return cell.data_key, cell.repetition, cell.oracle.label, cell.budget


@dataclass(frozen=True, slots=True, kw_only=True)
class RescoreTask(Task):
    """A cell whose result is stored, but not the values of all metrics.

    Attributes
    ----------
    row : int
        Where it is stored.
    outcome : Outcome
        What is stored of it, without the results.
    """

    row: int
    outcome: Outcome


def rescore_tasks(plan: Plan, stored_results: Outcomes) -> list[RescoreTask]:
    """A task for each stored result that lacks metrics of the plan."""
    labels = [metric.label for metric in plan.metrics]
    is_ok = stored_results.column("status") == "ok"
    # By row of the stored results and by metric.
    is_missing = np.zeros((len(stored_results), len(labels)), dtype=np.bool_)
    for number, label in enumerate(labels):
        is_missing[:, number] = stored_results.lacks(label) & is_ok
    places = np.flatnonzero(is_missing.any(axis=1))
    lacking = stored_results.take(places)
    # Their rows, their outcomes and the metrics that they lack, by the keys of their cells.
    stored_by_key: dict[str, tuple[int, Outcome, tuple[str, ...]]] = {}
    for place, row, outcome in zip(places, lacking.column("row"), lacking, strict=True):
        metrics = tuple(compress(labels, is_missing[place]))
        stored_by_key[outcome.key] = (row, outcome, metrics)
    tasks = []
    for cell in plan.cells:
        if cell.key in stored_by_key:
            row, outcome, metrics = stored_by_key[cell.key]
            tasks.append(RescoreTask(cell=cell, metrics=metrics, row=row, outcome=outcome))
    return tasks


def make_job(cell: Cell, metrics: Iterable[str], store: Store | None = None) -> Job:
    """What a worker needs to run a cell, and to compute those metrics that are applicable.

    Parameters
    ----------
    cell : Cell
    metrics : iterable of str
        Labels.
    store : Store, optional
        Where the answers of paid oracles are.

    Examples
    --------
    >>> from hcbench.plan import make_plan
    >>> suite = hcbench.Suite(
    ...     name="tiny", algorithms=["Single"], datasets=["planted[N0=2]"], metrics=["AARI"]
    ... )
    >>> (cell, *_) = make_plan(suite, hcbench.load_registry()).cells
    >>> job = make_job(cell, ["AARI"])
    >>> list(job.metrics), job.algorithm.params["metric"]
    (['AARI'], 'euclidean')
    """
    requested = set(metrics)
    calls = {}
    for metric in cell.metrics:
        if metric.label in requested and not cell.why_inapplicable(metric):
            calls[metric.label] = call_of(metric)
    algorithm = cell.algorithm.spec
    replies = None
    if store is not None:
        replies = _replies_of(cell.oracle, store)
    return Job(
        dataset=call_of(cell.dataset),
        oracle=call_of(cell.oracle),
        algorithm=call_of(cell.algorithm),
        data_key=cell.data_key,
        data_seed=cell.data_seed,
        noise_seed=cell.noise_seed,
        algorithm_seed=cell.algorithm_seed,
        provides=cell.dataset.provides,
        hints=algorithm.hints_of(cell.algorithm.params),
        returns=algorithm.returns,
        budget=cell.budget,
        checkpoints=cell.checkpoints,
        metrics=calls,
        live=cell.oracle.spec.is_live,
        takes_unsure=algorithm.takes_unsure,
        min_items=algorithm.min_items,
        threads=cell.threads,
        replies=replies,
    )


def _replies_of(oracle: Use[OracleSpec], store: Store) -> Call | None:
    """Opens the stored answers of a paid oracle, unless the store is in memory."""
    # Workers are other processes, to which a store in memory does not exist.
    if not oracle.spec.currency or not store.address:
        return None
    name = f"{oracle.plugin.distribution}:{oracle.spec.name}"
    params = {"store": store.address, "oracle": name}
    return Call("hcbench.run.replies:StoredReplies", params)


def job_of(task: Task, store: Store) -> Job | RescoreJob:
    """What a worker needs for a task."""
    job = make_job(task.cell, task.metrics, store)
    if isinstance(task, RescoreTask):
        return RescoreJob(job, task.outcome.cost, store.results_of(task.row))
    return job


def by_data(tasks: Iterable[Task]) -> list[Task]:
    """In the order of the plan, but what uses the same data together, and of that the same answers.

    A worker keeps both for the next cell. Of data that are the same in all repetitions, these
    follow one another, so that a machine that slows down slows all algorithms.
    """
    places: dict[object, int] = {}

    def place(task: Task) -> tuple[int, int, int]:
        # Data and oracles are in the order in which they first occur.
        data = places.setdefault(task.cell.data_key, len(places))
        oracle = places.setdefault(task.answers[2:], len(places))
        return data, task.cell.repetition, oracle

    return sorted(tasks, key=place)


def reusable(stored: Outcomes, plan: Plan, memory: float) -> NDArray[np.bool_]:
    """Where a stored outcome, as `Store.find` reads it, need not be measured again.

    Whatever an algorithm does is a result, also an error or a crash; a timeout or too much memory
    only if the limit was at least the present one. Failures elsewhere (data, oracle, imports, a
    process that was killed from outside) are tried again, as is what was skipped: data that were
    missing, or an algorithm that was not applicable.
    """
    timeout = plan.suite.timeout

    def is_reusable(status: Status, phase: str, stored_timeout: Any, stored_memory: Any) -> bool:
        if status == "ok":
            return True
        if status == "skipped" or phase not in MEASURED:
            return False
        # The limit was at least the present one: it would be exceeded again.
        if status == "timeout":
            return timeout is not None and (stored_timeout or 0) >= timeout
        if status == "memory":
            return (stored_memory or 0) >= memory
        return True

    columns = [stored.column(name) for name in ("status", "phase") + LIMITS]
    return np.fromiter(map(is_reusable, *columns), dtype=np.bool_, count=len(stored))
