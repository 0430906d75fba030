"""What a run has left to do, cells to run and stored results to score, and the jobs for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hcbench.plan.cell import Cell
from hcbench.plan.outcome import Outcome
from hcbench.plan.plan import Plan
from hcbench.registry import Use
from hcbench.registry.specs import OracleSpec
from hcbench.run.job import Call, Job, RescoreJob
from hcbench.run.workers.messages import MEASURED
from hcbench.store import Store
from hcbench.store.rows import Stored


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
    stored : Stored
    outcome : Outcome
        What is stored of it, without the results.
    """

    stored: Stored
    outcome: Outcome


def rescore_tasks(
    plan: Plan, stored_results: Mapping[str, Stored], store: Store, wanted: Mapping[str, str]
) -> list[RescoreTask]:
    """A task for each stored result that lacks metrics.

    Parameters
    ----------
    plan : Plan
    stored_results : mapping of key to Stored
    store : Store
    wanted : mapping of label to key
        The metrics of the plan.
    """
    lacking = {k: s for k, s in stored_results.items() if s.missing and s.status == "ok"}
    read = store.read([s.row for s in lacking.values()], wanted)
    outcomes = dict(zip(read.column("row").tolist(), read, strict=True))
    return [
        RescoreTask(cell=cell, metrics=stored.missing, stored=stored, outcome=outcomes[stored.row])
        for cell in plan.cells
        if (stored := lacking.get(cell.key)) is not None and stored.row in outcomes
    ]


def make_job(cell: Cell, metrics: Iterable[str], store: Store | None = None) -> Job:
    """What a worker needs to run a cell, and to compute those metrics that are applicable.

    Parameters
    ----------
    cell : Cell
    metrics : iterable of str
        Labels.
    store : Store, optional
        Where the answers of paid oracles are.
    """
    wanted = set(metrics)
    return Job(
        dataset=_call(cell.dataset),
        oracle=_call(cell.oracle),
        algorithm=_call(cell.algorithm),
        data_key=cell.data_key,
        data_seed=cell.data_seed,
        noise_seed=cell.noise_seed,
        algorithm_seed=cell.algorithm_seed,
        provides=cell.dataset.spec.provides_with(cell.dataset.params),
        hints=cell.algorithm.spec.hints_of(cell.algorithm.params),
        returns=cell.algorithm.spec.returns,
        budget=cell.budget,
        checkpoints=cell.checkpoints,
        metrics={
            m.label: _call(m)
            for m in cell.metrics
            if m.label in wanted and not cell.why_inapplicable(m)
        },
        live=cell.oracle.spec.is_live,
        takes_unsure=cell.algorithm.spec.takes_unsure,
        min_items=cell.algorithm.spec.min_items,
        gpu=cell.algorithm.spec.gpu,
        threads=cell.threads,
        replies=None if store is None else _replies_of(cell.oracle, store),
    )


def _call(use: Use[Any]) -> Call:
    return Call(use.spec.function, dict(use.params))


def _replies_of(oracle: Use[OracleSpec], store: Store) -> Call | None:
    """Opens the stored answers of a paid oracle, unless the store is in memory."""
    if not oracle.spec.currency or not store.address:
        return None
    name = f"{oracle.plugin.distribution}:{oracle.spec.name}"
    params = {"store": store.address, "oracle": name}
    return Call("hcbench.run.replies:StoredReplies", params)


def job_of(task: Task, store: Store) -> Job | RescoreJob:
    """What a worker needs for a task."""
    job = make_job(task.cell, task.metrics, store)
    if isinstance(task, RescoreTask):
        return RescoreJob(job, task.outcome.cost, store.results_of(task.stored.row))
    return job


def by_data(tasks: Iterable[Task]) -> list[Task]:
    """In the order of the plan, but what uses the same data together, and of that the same answers.

    A worker keeps both for the next cell. Of data that are the same in all repetitions, these
    follow one another, so that a machine that slows down slows all algorithms.
    """
    places: dict[object, int] = {}
    return sorted(
        tasks,
        key=lambda task: (
            places.setdefault(task.cell.data_key, len(places)),
            task.cell.repetition,
            places.setdefault(task.answers[2:], len(places)),
        ),
    )


def find_stored(plan: Plan, store: Store, memory: float) -> dict[str, Stored]:
    """The stored results that need not be measured again, without their values."""
    known = store.find([cell.key for cell in plan.cells], {})
    return {key: stored for key, stored in known.items() if is_reusable(stored, plan, memory)}


def is_reusable(stored: Stored, plan: Plan, memory: float) -> bool:
    """Whether a stored outcome need not be measured again.

    Whatever an algorithm does is a result, also an error or a crash; a timeout or too much memory
    only if the limit was at least the present one. Failures elsewhere (data, oracle, imports, a
    process that was killed from outside) are tried again, as are cells whose data were missing.
    """
    timeout = plan.suite.timeout
    status = stored.status
    if status == "ok":
        return True
    if stored.failed and stored.phase not in MEASURED:
        return False
    if status == "timeout":
        return timeout is not None and (stored.timeout or 0) >= timeout
    if status == "memory":
        return (stored.memory or 0) >= memory
    return status != "skipped"
