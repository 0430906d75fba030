"""Calls of algorithms on the items of `hcbench.testing.planted`.

Algorithms are called in this process, as a cell does, or in a worker, which has other hashes and
none of this process's state.
"""

from __future__ import annotations

import atexit
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

from hcbench.errors import (
    HcbenchError,
    InvalidComparisonsError,
    InvalidPartitionError,
    InvalidProblemError,
    InvalidQueryError,
    InvalidTreeError,
    NotApplicableError,
    WorkerError,
)
from hcbench.model.cost import Cost
from hcbench.model.problem import Problem, Result
from hcbench.model.trees import Tree
from hcbench.oracle import Answers
from hcbench.oracle.answers import Point
from hcbench.plan.outcome import Outcome, ScoredPoint
from hcbench.registry.specs import OracleSpec
from hcbench.registry.uses import Use
from hcbench.run.executors import CellPool
from hcbench.run.failures import describe
from hcbench.run.inputs import Items, give, make_answers, make_oracle
from hcbench.run.job import Call, Job, RescoreJob, pack_job
from hcbench.run.returned import result_kind
from hcbench.run.timed_call import call_algorithm
from hcbench.run.workers import Limits
from hcbench.testing.planted import DATA_SEED, FORMS_WITH_ALL, Form, N, make_items
from hcbench.testing.subjects import Subject, fail, skip

#: Of the answers of an oracle, and of an algorithm.
NOISE_SEED = 2
SEED = 3
_INVALID = (
    InvalidComparisonsError,
    InvalidPartitionError,
    InvalidProblemError,
    InvalidQueryError,
    InvalidTreeError,
)
"""What core raises where the algorithm is wrong and not the data."""


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """The oracle of a kind, and the form of the items, from which an algorithm gets answers."""

    kind: str
    form: Form
    use: Use[OracleSpec]

    def problem(self, form: Form | None = None, n: int = N) -> Problem:
        """The items, or items of another form or number."""
        return make_items(DATA_SEED, n, form or self.form)

    def answers(self, problem: Problem, budget: int | None = None) -> Answers:
        """The oracle's answers about a problem."""
        return make_answers(self.call, problem, NOISE_SEED, budget)

    @property
    def call(self) -> Call:
        """The oracle with its parameters."""
        return Call(self.use.spec.function, dict(self.use.params))


@dataclass(frozen=True, slots=True)
class Ran:
    """One call of an algorithm.

    Attributes
    ----------
    result : Tree, Partition or None
    error : exception or None
    queries : int or None
        As counted by the ledger.
    reported : mapping of str to float
    trace : tuple of Point
    """

    result: Result | None
    error: BaseException | None
    queries: int | None
    reported: Mapping[str, float]
    trace: tuple[Point, ...]

    @property
    def refusal(self) -> HcbenchError | None:
        """The error, if it says in one line why there is no result for these items."""
        if not isinstance(self.error, HcbenchError) or isinstance(self.error, _INVALID):
            return None
        if not describe(self.error):
            return None  # it does not say why
        return self.error

    @property
    def reason(self) -> str:
        """Why there is no valid result, in one line."""
        if self.error is not None:
            return describe(self.error)
        if self.result is None:
            return "it returned nothing"
        return f"a {result_kind(self.result)}"


def sources_of(subject: Subject) -> list[Source]:
    """Sources of planted items for an algorithm: one for each kind of oracle that it accepts."""
    sources = _sources_of(subject)
    if not sources:
        skip(f"no oracle is registered for {' or '.join(subject.spec.accepts)}")
    return sources


@lru_cache(maxsize=8)
def _sources_of(subject: Subject) -> list[Source]:
    sources: list[Source] = []
    for kind in subject.spec.accepts:
        source = _source_of(subject, kind)
        if source is not None:
            sources.append(source)
    defaults = {parameter.name: parameter.default for parameter in subject.spec.parameters}
    # With its defaults it accepts what it declares; an error then is a failure, and no choice.
    if len(sources) < 2 or subject.params == defaults:
        return sources
    # It may accept vectors and similarities, and a choice of parameters, such as a metric, only
    # vectors.
    applicable = []
    for source in sources:
        if not isinstance(run_on(subject, source).error, NotApplicableError):
            applicable.append(source)
    return applicable or sources


def _source_of(subject: Subject, kind: str) -> Source | None:
    """The oracle of a kind, with the first form of the items that it can be asked about."""
    for form in FORMS_WITH_ALL:
        use = subject.oracle(kind, make_items(DATA_SEED, N, form).provides)
        if use is not None:
            return Source(kind, form, use)
    return None


def run(
    subject: Subject,
    answers: Answers,
    items: Items,
    *,
    budget: int | None = None,
    seed: int = SEED,
    checkpoints: tuple[int, ...] = (),
) -> Ran:
    """Call an algorithm as a cell does."""
    takes_unsure = subject.spec.takes_unsure
    # Otherwise the oracle asks again for an answer that is unsure.
    oracle = make_oracle(answers, budget, checkpoints, takes_unsure=takes_unsure)
    called = call_algorithm(subject.call, oracle, items, seed)
    # A cell would record it as a failure; here a user ends the checks.
    if isinstance(called.error, KeyboardInterrupt):
        raise called.error
    return Ran(called.result, called.error, called.cost.queries, called.reported, called.trace)


def run_on(subject: Subject, source: Source, problem: Problem | None = None, **options: Any) -> Ran:
    """Call an algorithm on a problem, by default the planted items, through an oracle."""
    problem = problem or source.problem()
    answers = source.answers(problem, options.get("budget"))
    return run(subject, answers, give(problem, subject.hints), **options)


def usual(subject: Subject, source: Source) -> Ran:
    """The call on the planted items, cached; it has a valid result.

    The check ``valid_result`` tells what is wrong where there is none.
    """
    ran = _usual(subject, source)
    if ran.result is None or result_kind(ran.result) != subject.spec.returns:
        skip(f"there is no valid result to compare with (valid_result): {ran.reason}")
    return ran


@lru_cache(maxsize=16)
def _usual(subject: Subject, source: Source) -> Ran:
    return run_on(subject, source)


def clusters_of(result: Result) -> frozenset[frozenset[int]]:
    """The sets of items: below the inner nodes of a tree, or those of a partition."""
    if isinstance(result, Tree):
        # Inner nodes are numbered after the leaves.
        clusters = list(map(result.leaves, range(result.n, result.n_nodes)))
    else:
        clusters = list(map(result.members, range(result.n_clusters)))
    sets = set()
    for items in clusters:
        sets.add(frozenset(items.tolist()))
    return frozenset(sets)


def require_valid(subject: Subject, ran: Ran, items: str) -> None:
    """Fail unless the result is of the declared kind, or an error of hcbench tells why not."""
    if ran.refusal is not None:
        return
    if ran.result is None:
        fail(f"fails on {items}: {ran.reason}", ran.error)
    # The result itself was checked when it was returned: it is a tree or partition of all items.
    kind = result_kind(ran.result)
    if kind != subject.spec.returns:
        fail(f"declares a {subject.spec.returns} and returns a {kind} of {items}")
    if subject.spec.binary_only and isinstance(ran.result, Tree) and not ran.result.is_binary:
        fail(f"declares binary trees only and returns another one of {items}")


#: The name of `make_items`, as a job has it.
_ITEMS = "hcbench.testing.planted:planted_items"
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


def fixed(problem: Problem, _request: object) -> Problem:
    """A data set that yields one problem for every seed."""
    return problem


def job_without_truth(subject: Subject, source: Source, oracle: Call) -> Job:
    """The same on items of which nothing is known but what the algorithm may know."""
    problem = source.problem()
    data = set(subject.hints) & (problem.provides - {"truth"})
    # A hint that the data do not provide, such as a number of clusters, is one about the truth.
    has_truth = data < set(subject.hints)
    parts: dict[str, Any] = {hint: getattr(problem, hint) for hint in data}
    if has_truth:
        parts["truths"] = problem.truths
        parts["levels"] = problem.levels
    bare = Problem(n=problem.n, names=problem.names, tree=problem.tree, **parts)
    return replace(
        job_of_algorithm(subject, source),
        dataset=Call(partial(fixed, bare), {}),
        oracle=oracle,
        data_key=uuid.uuid4().hex,  # a worker keeps data by their key, and these lack the truth
        provides=bare.provides,
    )


def job_of_dataset(subject: Subject) -> RescoreJob:
    """Make the data without running anything, as for a stored result."""
    job = replace(
        _JOB,
        dataset=subject.call,
        data_key=uuid.uuid4().hex,  # not the data of another data set of this name
        provides=subject.dataset.provides,
    )
    return RescoreJob(job, Cost(), (ScoredPoint(),))


def run_in_worker(subject: Subject, job: Job | RescoreJob) -> Outcome:
    """Run a job in a worker."""
    try:
        packed = pack_job(job, subject.registry.plugins.files)
    except Exception as error:
        fail(f"cannot be sent to another process: {describe(error)}", error)
    pool = _pool(subject.registry.plugins.files)
    # Twice if it was lost, as when something else has ended the fork server.
    for _ in range(2):
        pool.submit(subject.label, packed, Limits())
        (report,) = pool.wait()
        if not report.lost:
            break
    if not isinstance(report.value, Outcome):
        fail(f"fails in another process: {report.reason}")
    return report.value


@cache
def _pool(plugin_files: tuple[Path, ...]) -> CellPool:
    """A worker for all checks: starting one takes longer than most of them."""
    try:
        pool = CellPool(1, plugin_files=plugin_files)
    except WorkerError as error:
        skip(str(error))
    atexit.register(pool.close)
    return pool
