"""One cell, in a worker: problem, oracle, the timed call, metrics.

`run_job` is what the isolated process executes; the same functions serve `hcbench.fit` and
``hcbench rerun --in-process``.
"""

from __future__ import annotations

import os
import random
import resource
import sys
import threading
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numba.core import config as numba_config
from numba.core.event import Listener, install_listener
from numba.np.ufunc import parallel
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from hcbench.errors import (
    BudgetExceededError,
    DataNotAvailableError,
    HcbenchError,
    InvalidProblemError,
    InvalidSpecError,
    InvalidTreeError,
    NotApplicableError,
    OracleError,
    UnansweredError,
)
from hcbench.model.arrays import as_plain_array
from hcbench.model.cost import Cost, collect_notes
from hcbench.model.names import NamedItems
from hcbench.model.problem import Problem, Result
from hcbench.model.trees import Partition, Tree
from hcbench.oracle import Answers, Oracle
from hcbench.oracle.answers import Point, Scored
from hcbench.oracle.oracle import Ledger
from hcbench.plan.outcome import REPORTED, Outcome, ScoredPoint, Status, Value
from hcbench.registry.specs import load_function
from hcbench.run.inputs import (
    Given,
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
from hcbench.run.libraries import note_imported, note_libraries, restore_libraries
from hcbench.run.times import Stopwatch
from hcbench.run.warmth import FirstUses
from hcbench.run.workers.processes import (
    LINUX,
    has_gpu,
    load_average,
    peak_since,
    processor_frequency,
    read_proc,
    reset_peak,
)
from hcbench.run.workers.worker import Announce, clear_timers, leave

WARM_UP_ITEMS = 12
LONGEST = 4096  # characters of a reason or a note
MOST_NOTES = 100
_LONGEST_TRACE = 1 << 16


@dataclass(frozen=True, slots=True)
class _Called:
    """What one call of an algorithm returned or raised, and what was measured."""

    result: Result | None
    cost: Cost
    trace: tuple[Point, ...] = ()
    reported: Mapping[str, float] = field(default_factory=dict)
    error: BaseException | None = None
    refused: bool = False
    # Something was compiled, opened or imported meanwhile, so that the time is not that of others.
    first_use: bool = False
    notes: tuple[str, ...] = ()
    load: float | None = None
    frequency: float | None = None


_warm: set[str] = set()


def run_packed(packed: bytes, announce: Announce) -> Outcome | None:
    """Unpack a job, after importing the plugin files that its functions live in, and do it."""
    restore_process()
    job = unpack_job(packed)
    if isinstance(job, ImportJob):
        load_function(job.function)  # an error will occur again, and be reported, in each cell
        return None
    if isinstance(job, RescoreJob):
        return rescore_job(job, announce)
    phases = _Phases(announce)
    if job.threads > 1:
        _use_threads(job.threads)
    with install_listener("numba:compile", phases):
        outcome = run_job(job, phases.begin)
    notes = (*outcome.notes, f"ran on {job.threads} threads") if job.threads > 1 else outcome.notes
    return replace(outcome, notes=notes)


def _use_threads(count: int) -> None:
    """Give the libraries of this worker so many threads; it was started with one."""
    names = ("OMP", "OPENBLAS", "MKL", "BLIS", "VECLIB", "NUMEXPR", "NUMBA")
    os.environ.update({f"{name}_NUM_THREADS": str(count) for name in names})
    threadpool_limits(count)
    if count != parallel.NUM_THREADS:  # numba launches its threads when it first needs them
        numba_config.reload_config()  # type: ignore[no-untyped-call]
        parallel.NUM_THREADS = count


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


_UNTIMED = ("data", "oracle", "warm-up")  # phases before the timed call


_START = (Path.cwd(), os.environ, dict(os.environb), np.geterr())


def restore_process() -> None:
    """Undo what an earlier cell may have changed of the process, so that it affects itself only."""
    folder, os.environ, environment, floating = _START
    os.chdir(folder)
    if dict(os.environb) != environment:  # bytes, which need not be decoded
        os.environ.clear()
        os.environb.update(environment)
    np.seterr(**floating)


def _silent(phase: str, value: object = None) -> None:
    """Announce nothing."""


def rescore_job(job: RescoreJob, announce: Announce = _silent) -> Outcome:
    """Compute metrics of stored results."""
    try:
        announce("data")
        made = problem_of(job.job)
    except BaseException as error:
        return _failed(error)
    announce("metrics")
    points = _score(job.job, made.problem, job.cost, job.points)
    return Outcome(cost=job.cost, points=points, data_digest=made.digest)


def run_job(job: Job, announce: Announce = _silent) -> Outcome:
    """Run one cell.

    Any error becomes an `Outcome` with its reason: a failing cell is data.
    """
    note_libraries()
    try:
        if job.gpu and not has_gpu():
            raise NotApplicableError("it needs a GPU, and this machine has none")
        announce("data")
        made = problem_of(job)
        problem = made.problem
        if problem.n < job.min_items:
            raise NotApplicableError(f"it needs {job.min_items} items or more, not {problem.n}")
        announce("oracle")
        answers, notes_of_oracle = answers_of(job, problem)
        if answers.replies is not None and not job.live:
            raise InvalidSpecError("the oracle tells prices of answers and declares no currency")
        oracle = _make_oracle(job, answers, made.digest)
        given = give(problem, job.hints)
        load_function(job.algorithm.function)
        note_imported()
        settings = _settings_of_process()
        announce("warm-up")
        _warm_up(job, problem, answers)
    except BaseException as error:
        if restore_libraries():
            leave()
        return _failed(error)
    inputs, threads = checksums(problem, answers), _threads()
    announce("algorithm")
    called = call_algorithm(job.algorithm, oracle, given, job.algorithm_seed)
    if called.first_use and _may_have_result(called):
        # The warm-up did not reach everything that the call uses.
        if job.live:
            called = _without_time(called)
        else:
            oracle = _make_oracle(job, answers, made.digest)
            announce("algorithm")
            called = call_algorithm(job.algorithm, oracle, given, job.algorithm_seed)
    clear_timers()
    notes = [f"the algorithm replaced {name}" for name in restore_libraries()]
    if notes or (_settings_of_process(), _threads()) != (settings, threads):
        leave()
    if any(checksum(array) != before for array, before in inputs):
        leave()
        changed = InvalidProblemError("the algorithm changed its input")
        called = replace(called, result=None, error=changed, trace=())
    outcome = replace(
        _conclude(job, called),
        cost=called.cost,
        data_digest=made.digest,
        notes=_few_short([*made.notes, *notes_of_oracle, *called.notes, *notes]),
        load=called.load,
        frequency=called.frequency,
    )
    if outcome.status != "ok":
        return outcome
    announce("metrics", outcome)  # reported even if a metric ends the worker
    return replace(outcome, points=_score(job, problem, called.cost, outcome.points))


def _may_have_result(called: _Called) -> bool:
    """Whether a call returned, or ended with what it had recorded."""
    return called.error is None or isinstance(called.error, BudgetExceededError | UnansweredError)


def _without_time(called: _Called) -> _Called:
    """A call whose time is not comparable, and that is not repeated, as its answers are dear."""
    note = (
        f"the call took {called.cost.seconds:.2g} s, with what it compiled or imported for the "
        "first time: no other call is compared with that"
    )
    cost = replace(called.cost, seconds=None)
    return replace(called, cost=cost, notes=(*called.notes, note))


def _make_oracle(job: Job, answers: Answers, data: str) -> Oracle:
    oracle = make_oracle(answers, job.budget, job.checkpoints, job.clock)
    oracle.takes_unsure = job.takes_unsure
    if job.replies is not None and answers.replies is not None:
        source = answers.source or repr((dict(job.oracle.params), job.noise_seed))
        oracle.stored = job.replies(source, data)
    return oracle


def _settings_of_process() -> tuple[object, ...]:
    """What an algorithm may change of its process that affects later cells."""
    status = read_proc("/proc/self/status")
    signals = status.partition(b"SigBlk:")[2].partition(b"Cap")[0]  # blocked, ignored, caught
    limits = [resource.getrlimit(limit) for limit in _LIMITS]
    return signals, limits, sys.getrecursionlimit(), sys.gettrace(), sys.getprofile()


# That of processor time is set by the worker itself in each phase.
_LIMITS = (
    *(resource.RLIMIT_AS, resource.RLIMIT_DATA, resource.RLIMIT_STACK),
    *(resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE, resource.RLIMIT_NPROC),
)


def _threads() -> int:
    """The number of threads: on Linux, those of C libraries too."""
    return len(os.listdir("/proc/self/task")) if LINUX else threading.active_count()


def _few_short(notes: Sequence[str]) -> tuple[str, ...]:
    """Different notes, cut to what a row may hold."""
    return tuple(dict.fromkeys(note[:LONGEST] for note in notes[:MOST_NOTES]))


def _failed(error: BaseException) -> Outcome:
    status: Status = "error"
    if isinstance(error, DataNotAvailableError | NotApplicableError):
        status = "skipped"
    elif isinstance(error, BudgetExceededError):
        status = "budget"
    elif isinstance(error, UnansweredError):
        status = "unanswered"
    elif isinstance(error, MemoryError):
        status = "memory"
    phase = "imports" if isinstance(error, ImportError) else ""
    phase = "data" if isinstance(error, DataNotAvailableError) else phase
    phase = "oracle" if isinstance(error, OracleError) else phase
    trace = "".join(traceback.format_exception(error))[-_LONGEST_TRACE:]
    return Outcome(status=status, reason=describe(error), traceback=trace, phase=phase)


def describe(error: BaseException) -> str:
    """An error in one line, which is cut; the messages of our own errors need no type."""
    text = " ".join(str(error).split())
    if not isinstance(error, HcbenchError):
        text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return text[:LONGEST]


def _warm_up(job: Job, problem: Problem, answers: Answers) -> None:
    """Run the algorithm on a few items first, so that no import and no JIT is timed.

    The items are of the problem itself: the same types, layout and writeability compile the same
    kernels. An oracle that costs money or a person's time is replaced by one of the same kind. An
    error here will occur again, and be reported, in the call itself.
    """
    name = repr((job.algorithm, job.oracle, _signature(problem)))
    if name in _warm or (job.live and not answers.arity):
        return
    _warm.add(name)
    with suppress(Exception), collect_notes():  # notes on a few items are not about the data
        few = problem.take(_spread(problem.n))
        if job.live:
            answers = synthetic_answers(answers, few.n)
        else:
            answers = make_answers(job.oracle, few, job.noise_seed, None)
        oracle = make_oracle(answers, None)
        given = give(few, job.hints)
        job.algorithm(oracle, given, np.random.default_rng(job.algorithm_seed))


def _signature(problem: Problem) -> list[tuple[object, ...]]:
    """What the compiled kernels for these data depend on: types and memory layout."""
    arrays: list[Any] = [problem.similarity]
    for given in (problem.vectors, problem.graph):
        is_sparse = hasattr(given, "indptr")
        arrays += (
            [getattr(given, name) for name in ("data", "indices", "indptr")]
            if is_sparse
            else [given]
        )
    return [
        (a.dtype, a.flags.c_contiguous, a.flags.f_contiguous, a.flags.writeable)
        for a in arrays
        if a is not None
    ]


def _spread(n: int) -> NDArray[np.int64]:
    """A few items, evenly spread, as data sets are often sorted by class."""
    return np.unique(np.linspace(0, n - 1, WARM_UP_ITEMS).astype(np.int64))


def call_algorithm(algorithm: Call, oracle: Oracle, given: Given, seed: int) -> _Called:
    """The only timed region."""
    function = load_function(algorithm.function)
    params = dict(algorithm.params)
    rng = np.random.default_rng(seed)
    # An algorithm that uses the global generators must not depend on earlier cells.
    random.seed(seed)
    np.random.seed(seed % 2**32)  # noqa: NPY002
    returned: Any = None
    failure: BaseException | None = None
    # By reference, as the algorithm may replace those of the oracle and of this module.
    process, clock, ledger, budget = os.getpid(), oracle.clock, oracle.ledger, oracle.ledger.budget
    watch = Stopwatch(clock)
    stop = watch.stop
    cost_of = _cost
    with FirstUses() as first_uses, collect_notes() as notes:
        held = reset_peak()
        watch.start()
        try:
            returned = function(oracle, given, rng, **params)
        except BaseException as error:
            failure = error
        elapsed = stop()
    if os.getpid() != process:
        os._exit(1)  # the algorithm forked, and its copy came back here as well
    peak = None if held is None else peak_since(held)
    cost = cost_of(ledger, elapsed, None if peak is None else max(peak, oracle.child_peak))
    load, frequency = load_average(), processor_frequency()
    result: Result | None = None
    if failure is None:
        try:
            result = result_of_call(returned, given)
        except (HcbenchError, ValueError, TypeError) as error:
            failure = error
    trace: tuple[Point, ...] = ()
    try:
        trace = tuple(_in_order(point, given) for point in oracle.trace)
    except (HcbenchError, ValueError, TypeError) as error:
        result, failure = None, error
    own = oracle.ledger is ledger and oracle.clock is clock and ledger.budget == budget
    if not own or not ledger.is_sound:
        result, failure = None, InvalidProblemError("the algorithm wrote the oracle's ledger")
    return _Called(
        result,
        cost,
        trace,
        oracle.reported,
        failure,
        refused=ledger.refused,
        first_use=first_uses.found or oracle.first_use,
        notes=tuple(notes),
        load=load,
        frequency=frequency,
    )


def _cost(ledger: Ledger, elapsed: float, peak: int | None) -> Cost:
    seconds, size = ledger.drawn
    return Cost(
        seconds=max(elapsed - (ledger.seconds or 0.0), 0.0),
        oracle_seconds=None if ledger.seconds is None else ledger.seconds + seconds,
        peak_bytes=None if peak is None else peak + size,
        queries=ledger.queries,
        distinct_queries=ledger.distinct_queries,
        rounds=ledger.rounds,
        draws=ledger.draws,
        **ledger.expenses,
    )


def _in_order(point: Point, given: Given) -> Point:
    """A recorded result in the order of the items; of another number of items, as it is."""
    if point.result.n != given.n:
        return point  # no metric has a value for it, and the others are not affected
    return Point(point.queries, result_of_call(point.result, given))


def result_of_call(returned: Any, given: Given) -> Result:
    """What an algorithm returned for its items, in their order and with their names.

    Leaves without names are the items by number, as queries are; so are leaves with the names
    0..n-1, which programs of others return.

    Raises
    ------
    InvalidTreeError
        As `as_result`.
    DataError
        If it has other names than the items.
    """
    result = as_result(returned, given.n)
    if result.names is None:
        return result.with_names(given.names)
    if result.names == given.names:
        return result
    items = NamedItems(what="the items", n=given.n, names=given.names)
    if set(result.names) == set(map(str, range(given.n))):
        items = replace(items, names=None)
    own = result.named_items(f"the {result_kind(result)} that the algorithm returned")
    return result.matched_with(items, own).with_names(given.names)


def as_result(returned: Any, n: int) -> Result:
    """What an algorithm returned, as a Tree or a Partition of n items.

    A scipy linkage matrix (n-1, 4) and scikit-learn's ``children_`` (n-1, 2) are trees too; a
    vector of n labels is a partition.

    Raises
    ------
    InvalidTreeError
        If it is none of these, or of another number of items.
    """
    result: Result
    if isinstance(returned, Tree | Partition):
        result = returned
    else:
        array = as_plain_array(returned, "the result")
        if array.ndim == 2 and len(array) == n and array.dtype.kind in "bf":
            raise InvalidTreeError(
                "soft or overlapping clusters, a row of memberships for each item, are not "
                "supported; return one label for each item, such as memberships.argmax(axis=1)"
            )
        if array.ndim == 2 and array.shape[1] in (2, 4) and len(array) != n - 1:
            raise InvalidTreeError(
                f"the algorithm returned {len(array)} merges of {n} items, not {n - 1}; the trees "
                "of a forest are joined below one root (Tree.from_parents)"
            )
        if array.ndim == 2 and array.shape[1] == 4:
            result = Tree.from_linkage(array)
        elif array.ndim == 2 and array.shape[1] == 2:
            result = Tree.from_children(array)
        elif array.ndim == 1 and array.dtype.kind in "iu":
            result = Partition(array)
        else:
            raise InvalidTreeError(
                f"the algorithm returned {type(returned).__name__}; return a Tree, a linkage "
                "matrix (n-1, 4), children (n-1, 2), or a Partition"
            )
    if result.n != n:
        raise InvalidTreeError(f"the algorithm returned {result.n} leaves for {n} items")
    return result


def _conclude(job: Job, called: _Called) -> Outcome:
    """What came out of a call, without values: its end, its checkpoints, or its failure."""
    result = called.result
    unanswered = isinstance(called.error, UnansweredError)
    if called.trace and (unanswered or isinstance(called.error, BudgetExceededError)):
        result = called.trace[-1].result  # what it had when the budget or the answers ended
    if result is None:
        assert called.error is not None
        return _failed(called.error)
    if result_kind(result) != job.returns:
        wrong = f"the algorithm declares a {job.returns} but returned a {result_kind(result)}"
        return Outcome(status="error", reason=wrong)
    stopped = "unanswered" if unanswered else "budget" if called.refused else ""
    return Outcome(stopped=stopped, points=_points(job, called, result))


def result_kind(result: Result) -> str:
    """Which of the two kinds of result it is: tree or partition."""
    return "tree" if isinstance(result, Tree) else "partition"


def _points(job: Job, called: _Called, result: Result) -> tuple[ScoredPoint, ...]:
    """The result at each checkpoint, the last one recorded up to that number of queries."""
    numbers = {name + REPORTED: Value(number) for name, number in called.reported.items()}
    end = ScoredPoint(queries=called.cost.queries, result=result, values=numbers)
    if called.cost.queries is None:
        return (end,)
    recorded = [ScoredPoint(queries=p.queries, result=p.result) for p in called.trace]
    points = []
    for checkpoint in job.checkpoints:
        reached = [p for p in (ScoredPoint(), *recorded, end) if (p.queries or 0) <= checkpoint]
        points.append(replace(reached[-1], checkpoint=checkpoint, values={}))
    return (*points, end)


def _score(
    job: Job, problem: Problem, cost: Cost, points: tuple[ScoredPoint, ...]
) -> tuple[ScoredPoint, ...]:
    """The points, with the values of the metrics of the job."""
    trace = tuple(
        Point(point.queries or 0, point.result) for point in points if point.result is not None
    )

    @cache
    def repeat_answers() -> Answers:
        return answers_of(job, problem)[0]

    def values(point: ScoredPoint) -> dict[str, Value]:
        if point.result is None:
            nothing = Value(None, "skipped", f"no result after {point.checkpoint} queries")
            return dict.fromkeys(job.metrics, nothing)
        # Times, memory and the other counts are known of the whole call only.
        at_point = cost if point.checkpoint is None else Cost(queries=point.queries)
        scored = Scored(
            problem=problem,
            result=point.result,
            cost=at_point,
            trace=trace,
            make_answers=repeat_answers,
        )
        return {name: judge(metric, scored) for name, metric in job.metrics.items()}

    return tuple(replace(point, values={**point.values, **values(point)}) for point in points)


def judge(metric: Call, scored: Scored) -> Value:
    """One metric's value, or why there is none."""
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
