"""Running a cell's job in a worker, which has other hashes and none of this process's state."""

from __future__ import annotations

import atexit
import uuid
from dataclasses import dataclass, replace
from functools import cache

from hcbench.authoring.testing.findings import fail, skip
from hcbench.authoring.testing.items import DATA_SEED
from hcbench.authoring.testing.running import NOISE_SEED, SEED, Source
from hcbench.authoring.testing.subjects import Subject
from hcbench.errors import WorkerError
from hcbench.model.cost import Cost
from hcbench.model.problem import Problem
from hcbench.plan.outcome import Outcome, ScoredPoint
from hcbench.run.cell import describe
from hcbench.run.job import Call, Job, RescoreJob, pack_job
from hcbench.run.workers import Limits, Pool

_ITEMS = "hcbench.authoring.testing.items:make_items"
_JOB = Job(
    dataset=Call(_ITEMS, {}),
    oracle=Call(_ITEMS, {}),
    algorithm=Call(_ITEMS, {}),
    data_key="hcbench.testing",
    data_seed=DATA_SEED,
    noise_seed=NOISE_SEED,
    algorithm_seed=SEED,
    provides=frozenset(),
    hints=(),
    returns="tree",
    budget=None,
    checkpoints=(),
    metrics={},
)
"""A job that makes planted items; oracle and algorithm are placeholders."""


def job_of_algorithm(subject: Subject, source: Source) -> Job:
    """The algorithm on the planted items, as in a cell."""
    return replace(
        _JOB,
        dataset=Call(_ITEMS, {"form": source.form}),
        oracle=source.call,
        algorithm=subject.call,
        data_key=f"hcbench.testing/{source.form}",
        provides=source.problem().provides,
        hints=subject.hints,
        returns=subject.spec.returns,
    )


@dataclass(frozen=True, slots=True)
class FixedProblem:
    """A data set that yields one problem for every seed."""

    problem: Problem

    def __call__(self, _seed: int) -> Problem:
        """Return the problem."""
        return self.problem


def job_without_truth(subject: Subject, source: Source, oracle: Call) -> Job:
    """The same on items of which nothing is known but what the algorithm may know."""
    whole = source.problem()
    bare = Problem(
        n=whole.n,
        names=whole.names,
        tree=whole.tree,
        truths=whole.truths if subject.hints else {},
        levels=whole.levels if subject.hints else None,
    )
    return replace(
        job_of_algorithm(subject, source),
        dataset=Call(FixedProblem(bare), {}),
        oracle=oracle,
        data_key=uuid.uuid4().hex,
        provides=bare.provides,
    )


def job_of_dataset(subject: Subject) -> RescoreJob:
    """Make the data without running anything, as for a stored result."""
    job = replace(
        _JOB,
        dataset=subject.call,
        data_key=uuid.uuid4().hex,  # not the data of another data set of this name
        provides=subject.spec.provides_with(subject.params),
    )
    return RescoreJob(job, Cost(), (ScoredPoint(),))


def run_in_worker(subject: Subject, job: Job | RescoreJob) -> Outcome:
    """Run a job in a worker."""
    try:
        packed = pack_job(job, subject.registry.plugins.files)
    except Exception as error:
        fail(f"cannot be sent to another process: {describe(error)}", error)
    pool = _pool()
    pool.submit(subject.label, packed, Limits())
    (report,) = pool.wait()
    if not isinstance(report.value, Outcome):
        fail(f"fails in another process: {report.reason}")
    return report.value


@cache
def _pool() -> Pool:
    try:
        pool = Pool(1, "hcbench.run.cell:run_packed", preload=("numba", "hcbench.run.cell"))
    except WorkerError as error:
        skip(str(error))
    atexit.register(pool.close)
    return pool
