"""One cell, in a worker: problem, oracle, the timed call, metrics.

`start_job` is what a worker executes. A job of which all code is installed is done in the worker.
Otherwise the worker prepares what is installed, and the rest, in which the caller's code runs, is
done in a copy of it, which ends with the job. `run_job` serves `hcbench.fit` and
``hcbench rerun --in-process`` too.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np
from numba.core.event import Listener, install_listener
from numpy.typing import NDArray

from hcbench.errors import (
    BudgetExceededError,
    InvalidProblemError,
    InvalidSpecError,
    NotApplicableError,
    UnansweredError,
)
from hcbench.model.cost import Cost, collect_notes
from hcbench.model.problem import Problem
from hcbench.model.trees import Partition, Tree
from hcbench.oracle import Answers, Oracle, Recorder
from hcbench.oracle.answers import Point, Scored
from hcbench.plan.outcome import REPORTED, Outcome, ScoredPoint, Value
from hcbench.registry.specs import load_function
from hcbench.run.failures import LONGEST, describe, failed_outcome
from hcbench.run.inputs import (
    Items,
    MadeProblem,
    answers_of,
    checksum,
    checksums,
    give,
    make_answers,
    make_oracle,
    problem_of,
    synthetic_answers,
)
from hcbench.run.job import Call, ImportJob, Job, RescoreJob, unpack_job
from hcbench.run.process_state import ProcessResources, ProcessSettings, Surroundings
from hcbench.run.returned import result_kind
from hcbench.run.timed_call import FinishedCall, call_algorithm
from hcbench.run.workers.encoding import encodable
from hcbench.run.workers.worker import Announce, InCopy, clear_timers, leave

#: The items of the small problem on which an algorithm is called before it is timed.
WARM_UP_ITEMS = 12
#: Of one call; of more the first ones are kept.
MOST_NOTES = 100

# As the process was when this module was imported, to which each cell is set back.
_surroundings = Surroundings.now()
# The warm-ups that this process has done: by algorithm and kind of data.
_warmed_up: set[str] = set()


def restore_process() -> None:
    """Undo what an earlier cell, or an import, has changed of the process."""
    _surroundings.restore()


def start_job(packed: bytes, announce: Announce) -> Outcome | InCopy | None:
    """Do a packed job, or prepare it, and return the rest, which a copy of this process does."""
    envelope = unpack_job(packed)
    job: Any = envelope.job
    if job.is_installed:
        # Trusted to leave the process as it was, which then does further cells.
        return run_packed(packed, announce)
    run_all = partial(run_packed, packed, announce)
    if not isinstance(job, Job) or not _can_prepare(job):
        return _in_copy(run_all)
    restore_process()
    envelope.note_places()
    phases = _Phases(announce)
    with install_listener("numba:compile", phases):
        prepared = prepare(job, phases.begin)
        if isinstance(prepared, Outcome):
            return prepared
        settings = ProcessSettings.now()
        if job.algorithm.is_installed:
            phases.begin("warm-up")
            _warm_up(job, prepared)
        _warm_up_metrics(job, prepared)
    # A warm-up has changed this process, which does no further cell.
    if ProcessSettings.now() != settings:
        leave()
    return _in_copy(partial(_run_prepared_job, packed, prepared, announce))


def _can_prepare(job: Job) -> bool:
    """Whether no code of the caller runs before the algorithm, and a copy can use what is made."""
    if job.live or job.threads > 1:
        return False  # connections and threads are not copied
    return job.dataset.is_installed and job.oracle.is_installed


def _in_copy(rest: Callable[[], Outcome | None]) -> Outcome | InCopy | None:
    """The rest of a job for a copy of this process, or done here, as the last of this process.

    A copy has only the thread that makes it, and may wait for the locks of others for ever. Threads
    of C libraries do not count: OpenMP and BLAS have none here, and an allocator's is idle and
    prepared for that.
    """
    if threading.active_count() == 1:
        return InCopy(rest)
    leave()
    return rest()


def _run_prepared_job(packed: bytes, prepared: Prepared, announce: Announce) -> Outcome:
    """Do a job in a copy of the process that has prepared it."""
    job = unpack_job(packed).open()
    phases = _Phases(announce)
    with install_listener("numba:compile", phases):
        return run_prepared(job, prepared, phases.begin)


def run_packed(packed: bytes, announce: Announce) -> Outcome | None:
    """Unpack a job, after importing the plugin files that its functions live in, and do it."""
    restore_process()
    job = unpack_job(packed).open()
    phases = _Phases(announce)
    if isinstance(job, ImportJob):
        phases.begin("import")
        with install_listener("numba:compile", phases):
            load_function(job.function)  # an error will occur again, and be reported, in each cell
        return None
    if isinstance(job, RescoreJob):
        return rescore_job(job, announce)
    with install_listener("numba:compile", phases):
        return run_job(job, phases.begin)


class _Phases(Listener):
    """Announces phases, and when a kernel is compiled before the timed call, that."""

    def __init__(self, announce: Announce) -> None:
        self.announce = announce
        self.phase = ""
        self.kernels = 0  # that are being compiled, as one may call another

    def begin(self, phase: str, value: object = None) -> None:
        """Announce a phase."""
        self.phase = phase
        self.announce(phase, value)

    def on_start(self, _event: object) -> None:
        """Announce it for the first kernel."""
        self.kernels += 1
        if self.kernels == 1 and self.phase in _UNTIMED:
            self.announce("compiling, once")

    def on_end(self, _event: object) -> None:
        """Return to the phase."""
        self.kernels -= 1
        if self.kernels == 0 and self.phase in _UNTIMED:
            self.announce(self.phase)


# The phases before the timed call.
_UNTIMED = ("import", "data", "oracle", "warm-up")


def _silent(phase: str, value: object = None) -> None:
    """Announce nothing."""


def rescore_job(job: RescoreJob, announce: Announce = _silent) -> Outcome:
    """Compute metrics of stored results.

    Examples
    --------
    >>> from hcbench.plan import make_plan
    >>> from hcbench.run import RescoreJob, make_job, run_job
    >>> suite = hcbench.Suite(
    ...     name="tiny", algorithms=["Single"], datasets=["planted[N0=2,sigma=0]"], metrics=["AARI"]
    ... )
    >>> (cell, *_) = make_plan(suite, hcbench.load_registry()).cells
    >>> outcome = run_job(make_job(cell, []))  # no metric yet
    >>> job = RescoreJob(make_job(cell, ["AARI"]), outcome.cost, outcome.points)
    >>> rescore_job(job).points[-1].values["AARI"].value
    1.0
    """
    try:
        announce("data")
        data = problem_of(job.job)
    except BaseException as error:
        return failed_outcome(error)
    announce("metrics")
    points = _score(job.job, data.problem, job.cost, job.points)
    return Outcome(cost=job.cost, points=points, data_digest=data.digest)


@dataclass(frozen=True, slots=True)
class Prepared:
    """What a cell needs before its algorithm is called.

    Attributes
    ----------
    data : MadeProblem
    answers : Answers
    notes : tuple of str
        Of the data set and of the oracle.
    """

    data: MadeProblem
    answers: Answers
    notes: tuple[str, ...]


def run_job(job: Job, announce: Announce = _silent) -> Outcome:
    """Run one cell.

    Any error becomes an `Outcome` with its reason: a failing cell is data.

    Examples
    --------
    >>> from hcbench.plan import make_plan
    >>> from hcbench.run import make_job
    >>> suite = hcbench.Suite(
    ...     name="tiny", algorithms=["Single"], datasets=["planted[N0=2,sigma=0]"], metrics=["AARI"]
    ... )
    >>> (cell, *_) = make_plan(suite, hcbench.load_registry()).cells
    >>> outcome = run_job(make_job(cell, ["AARI"]))
    >>> outcome.status, outcome.points[-1].values["AARI"].value
    ('ok', 1.0)
    """
    prepared = prepare(job, announce)
    if isinstance(prepared, Outcome):
        return prepared
    return run_prepared(job, prepared, announce)


def prepare(job: Job, announce: Announce = _silent) -> Prepared | Outcome:
    """Make the problem and the answers of a cell; an error is its outcome."""
    try:
        announce("data")
        data = problem_of(job)
        problem = data.problem
        if problem.n < job.min_items:
            raise NotApplicableError(f"it needs {job.min_items} items or more, not {problem.n}")
        announce("oracle")
        answers, oracle_notes = answers_of(job, problem)
        if answers.replies is not None and not job.live:
            raise InvalidSpecError("the oracle tells prices of answers and declares no currency")
    except BaseException as error:
        return failed_outcome(error)
    notes = tuple(data.notes) + tuple(oracle_notes)
    return Prepared(data=data, answers=answers, notes=notes)


def run_prepared(job: Job, prepared: Prepared, announce: Announce = _silent) -> Outcome:
    """Call the algorithm of a cell, and compute the metrics of what it returns."""
    problem = prepared.data.problem
    try:
        oracle = _make_oracle(job, prepared)
        items = give(problem, job.hints)
        job.algorithm.load()
        settings = ProcessSettings.now()
        announce("warm-up")
        _warm_up(job, prepared)
    except BaseException as error:
        return failed_outcome(error)
    # Compared after the call. What a library opens for good, it has opened in the warm-up.
    array_sums = checksums(problem, prepared.answers)
    resources = ProcessResources.now()
    call = _call_warm(job, prepared, oracle, items, announce)
    clear_timers()
    if ProcessSettings.now() != settings or ProcessResources.now().exceed(resources):
        # This process is not as it was, so that no other cell can run in it.
        leave()
    if any(checksum(array) != before for array, before in array_sums):
        leave()
        call = call.failed(InvalidProblemError("the algorithm changed its input"))
    outcome = _with_measurements(job, prepared, call)
    if outcome.status != "ok":
        return outcome
    announce("metrics", outcome)  # reported even if a metric ends the worker
    return replace(outcome, points=_score(job, problem, call.cost, outcome.points))


def _call_warm(
    job: Job, prepared: Prepared, oracle: Oracle, items: Items, announce: Announce
) -> FinishedCall:
    """Call an algorithm, and once more if the first call was slowed by a first use."""
    # Announced again before each call, as its limit of time begins with that.
    announce("algorithm")
    call = call_algorithm(job.algorithm, oracle, items, job.algorithm_seed)
    if not call.first_use or not call.may_have_result:
        return call
    # The warm-up did not reach everything that the call uses.
    if job.live:
        # Its answers are paid for.
        return call.without_time()
    oracle = _make_oracle(job, prepared)
    announce("algorithm")
    return call_algorithm(job.algorithm, oracle, items, job.algorithm_seed)


def _with_measurements(job: Job, prepared: Prepared, call: FinishedCall) -> Outcome:
    """The outcome of a call, with its cost and what is known of it, but without metrics."""
    notes = list(prepared.notes) + list(call.notes)
    if job.threads > 1:
        notes.append(f"ran on {job.threads} threads")
    return replace(
        _conclude(job, call),
        cost=call.cost,
        data_digest=prepared.data.digest,
        notes=_few_short(notes),
        load=call.load,
        frequency=call.frequency,
    )


def _make_oracle(job: Job, prepared: Prepared) -> Oracle:
    """An oracle with a ledger of its own, ready to be asked."""
    answers = prepared.answers
    oracle = make_oracle(
        answers, job.budget, job.checkpoints, job.clock, takes_unsure=job.takes_unsure
    )
    if job.replies is not None and answers.replies is not None:
        # What decides an answer beside the data; without a statement of the oracle, all that it was
        # given.
        source = answers.source or repr((dict(job.oracle.params), job.noise_seed))
        Recorder(oracle).stored = job.replies(source, prepared.data.digest)
    return oracle


def _few_short(notes: Sequence[str]) -> tuple[str, ...]:
    """Different notes, cut to what a row may hold."""
    short_notes = [encodable(note[:LONGEST]) for note in notes[:MOST_NOTES]]
    return tuple(dict.fromkeys(short_notes))


def _warm_up(job: Job, prepared: Prepared) -> None:
    """Run the algorithm on a few items first, so that no import and no JIT is timed.

    The items are of the problem itself: the same types, layout and writeability compile the same
    kernels. An oracle that costs money or a person's time is replaced by one of the same kind. An
    error here will occur again, and be reported, in the call itself.
    """
    answers = prepared.answers
    problem = prepared.data.problem
    name = repr((job.algorithm, job.oracle, _signature(problem)))
    # A live oracle whose queries are unknown has no substitute that costs nothing.
    if name in _warmed_up or (job.live and not answers.arity):
        return
    _warmed_up.add(name)
    with suppress(Exception), collect_notes():  # notes on a few items are not about the data
        few = _few_items(problem)
        if job.live:
            answers = synthetic_answers(answers, few.n)
        else:
            answers = make_answers(job.oracle, few, job.noise_seed, None)
        oracle = make_oracle(answers, None)
        items = give(few, job.hints)
        job.algorithm(oracle, items, np.random.default_rng(job.algorithm_seed))


def _warm_up_metrics(job: Job, prepared: Prepared) -> None:
    """Compute the installed metrics of a few items once, so that not each copy loads kernels."""
    metrics = [metric for metric in job.metrics.values() if metric.is_installed]
    problem = prepared.data.problem
    name = repr((metrics, job.returns, _signature(problem)))
    if name in _warmed_up:
        return
    _warmed_up.add(name)
    with suppress(Exception), collect_notes():  # notes on a few items are not about the data
        few = _few_items(problem)
        # What is computed does not matter; most algorithms return a binary tree with heights.
        result: Tree | Partition = _caterpillar(few.n)
        if job.returns == "partition":
            result = Partition(np.arange(few.n) % 2)
        scored = Scored(
            problem=few,
            result=result,
            cost=Cost(seconds=0.0),
            trace=(),
            make_answers=lambda: make_answers(job.oracle, few, job.noise_seed, None),
        )
        for metric in metrics:
            judge(metric, scored)


def _caterpillar(n: int) -> Tree:
    """The tree in which the items join one after the other."""
    steps = np.arange(n - 1)
    merges = np.column_stack([n + steps - 1, steps + 1, steps + 1.0, steps + 2])
    merges[0, 0] = 0
    return Tree.from_linkage(merges)


def _few_items(problem: Problem) -> Problem:
    """The part of a problem for a warm-up: items evenly spread, as data are often sorted."""
    items = np.linspace(0, problem.n - 1, WARM_UP_ITEMS).astype(np.int64)
    return problem.take(np.unique(items))


def _signature(problem: Problem) -> list[tuple[Any, ...]]:
    """What the compiled kernels for these data depend on: types and memory layout."""
    arrays: list[NDArray[Any]] = []
    for data in (problem.similarity, problem.vectors, problem.graph):
        if data is None:
            continue
        if hasattr(data, "indptr"):  # a sparse matrix
            sparse: Any = data
            arrays += [sparse.data, sparse.indices, sparse.indptr]
        else:
            arrays.append(data)
    layouts = []
    for array in arrays:
        flags = array.flags
        layouts.append((array.dtype, flags.c_contiguous, flags.f_contiguous, flags.writeable))
    return layouts


def _conclude(job: Job, call: FinishedCall) -> Outcome:
    """What came out of a call, without values: its end, its checkpoints, or its failure."""
    result = call.result
    is_unanswered = isinstance(call.error, UnansweredError)
    if call.trace and (is_unanswered or isinstance(call.error, BudgetExceededError)):
        result = call.trace[-1].result  # what it had when the budget or the answers ended
    if result is None:
        assert call.error is not None
        return _with_reported(failed_outcome(call.error), call)
    # Metrics of trees and of partitions differ, and the plan has chosen them by the declaration.
    if result_kind(result) != job.returns:
        reason = f"the algorithm declares a {job.returns} but returned a {result_kind(result)}"
        return _with_reported(Outcome(status="error", reason=reason), call)
    stopped = ""
    if is_unanswered:
        stopped = "unanswered"
    elif call.refused:
        stopped = "budget"
    end = ScoredPoint(queries=call.cost.queries, result=result, values=_reported_values(call))
    points = _checkpoints(job, call, end)
    points.append(end)
    return Outcome(stopped=stopped, points=tuple(points))


def _with_reported(failure: Outcome, call: FinishedCall) -> Outcome:
    """A failure with what its call reported before, at a point without a result."""
    if not call.reported:
        return failure
    return replace(failure, points=(ScoredPoint(values=_reported_values(call)),))


def _reported_values(call: FinishedCall) -> dict[str, Value]:
    """The numbers and costs that an algorithm reported, by the labels of their values."""
    values = {}
    for name, number in call.reported.items():
        values[name + REPORTED] = Value(number)
    return values


def _checkpoints(job: Job, call: FinishedCall, end: ScoredPoint) -> list[ScoredPoint]:
    """The result at each checkpoint, the last one recorded up to that number of queries."""
    if call.cost.queries is None:
        return []
    # Before the first query there is no result.
    recorded = [ScoredPoint()]
    for point in call.trace:
        recorded.append(ScoredPoint(queries=point.queries, result=point.result))
    recorded.append(end)
    points = []
    for checkpoint in job.checkpoints:
        reached = [point for point in recorded if (point.queries or 0) <= checkpoint]
        points.append(replace(reached[-1], checkpoint=checkpoint, values={}))
    return points


def _score(
    job: Job, problem: Problem, cost: Cost, points: tuple[ScoredPoint, ...]
) -> tuple[ScoredPoint, ...]:
    """The points, with the values of the metrics of the job."""
    trace = []
    for point in points:
        if point.result is not None:
            trace.append(Point(point.queries or 0, point.result))

    # Few metrics ask the oracle again, and those that do share its answers.
    @cache
    def repeat_answers() -> Answers:
        return answers_of(job, problem)[0]

    scored_points = []
    for point in points:
        values = dict(point.values)
        if point.result is None:
            reason = f"no result after {point.checkpoint} queries"
            values |= dict.fromkeys(job.metrics, Value(None, "skipped", reason))
        else:
            cost_of_point = cost
            if point.checkpoint is not None:
                # Times, memory and the other counts are known of the whole call only.
                cost_of_point = Cost(queries=point.queries)
            scored = Scored(
                problem=problem,
                result=point.result,
                cost=cost_of_point,
                trace=tuple(trace),
                make_answers=repeat_answers,
            )
            for label, metric in job.metrics.items():
                values[label] = judge(metric, scored)
        scored_points.append(replace(point, values=values))
    return tuple(scored_points)


def judge(metric: Call, scored: Scored) -> Value:
    """One metric's value, or why there is none.

    Examples
    --------
    >>> from hcbench.model import Cost
    >>> from hcbench.run import Call
    >>> def depth(scored):
    ...     return scored.tree.depths.max()
    >>> tree = hcbench.Tree.from_levels([[0], [0], [1], [1]])
    >>> scored = hcbench.Scored(problem=hcbench.Problem(n=4), result=tree, cost=Cost())
    >>> judge(Call(depth, {}), scored).value
    2.0
    """
    process = os.getpid()
    try:
        return Value(float(metric(scored)))
    except NotApplicableError as error:
        return Value(None, "skipped", describe(error))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit too: only this value is lost
        return Value(None, "error", describe(error))
    finally:
        if os.getpid() != process:
            os._exit(1)  # the metric forked, and its copy came back here as well
