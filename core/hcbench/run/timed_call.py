"""The call of an algorithm: the only region that is timed."""

from __future__ import annotations

import os
import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hcbench.errors import BudgetExceededError, HcbenchError, InvalidProblemError, UnansweredError
from hcbench.model.cost import Cost, collect_notes
from hcbench.model.problem import Result
from hcbench.oracle import Oracle, Recorder
from hcbench.oracle.answers import Point
from hcbench.oracle.ledger import Ledger
from hcbench.run.inputs import Items
from hcbench.run.job import Call
from hcbench.run.returned import result_of_call
from hcbench.run.times import Stopwatch, processor_clock
from hcbench.run.warmth import FirstUses
from hcbench.run.workers.processes import load_average, peak_since, processor_frequency, reset_peak


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedCall:
    """What one call of an algorithm returned or raised, and what was measured.

    Attributes
    ----------
    result : Tree, Partition or None
        None if it raised, or returned something else.
    cost : Cost
    trace : tuple of Point
        The results that it recorded on its way.
    reported : mapping of name to float
        Its numbers about the result; see `Oracle.report`.
    error : BaseException or None
        Why there is no result.
    refused : bool
        Whether a query was refused, as the budget was used up.
    first_use : bool
        Whether something was compiled, opened or imported meanwhile, so that the time is not that
        of other calls.
    notes : tuple of str
        Its `ModelWarning`.
    load, frequency : float or None
        Of the machine, when the call ended; see `Outcome`.
    """

    result: Result | None
    cost: Cost
    trace: tuple[Point, ...] = ()
    reported: Mapping[str, float] = field(default_factory=dict)
    error: BaseException | None = None
    refused: bool = False
    first_use: bool = False
    notes: tuple[str, ...] = ()
    load: float | None = None
    frequency: float | None = None

    @property
    def may_have_result(self) -> bool:
        """Whether the call returned, or ended with what it had recorded."""
        if self.error is None:
            return True
        return isinstance(self.error, BudgetExceededError | UnansweredError)

    def failed(self, error: BaseException) -> FinishedCall:
        """The same without a result, because of an error."""
        return replace(self, result=None, error=error, trace=())

    def without_time(self) -> FinishedCall:
        """The same without its time, which is not comparable, as it is too dear to be repeated."""
        note = (
            f"the call took {self.cost.seconds:.2g} s, with what it compiled or imported for the "
            "first time: no other call is compared with that"
        )
        cost = replace(self.cost, seconds=None, processor_seconds=None)
        return replace(self, cost=cost, notes=self.notes + (note,))


def call_algorithm(algorithm: Call, oracle: Oracle, items: Items, seed: int) -> FinishedCall:
    """Call an algorithm once, and measure its time, its memory and its queries.

    Parameters
    ----------
    algorithm : Call
    oracle : Oracle
        With a ledger of its own.
    items : Items
        What the algorithm gets without asking.
    seed : int
        Of its generator, and of the global generators of Python and numpy.

    Examples
    --------
    >>> from scipy.cluster.hierarchy import linkage
    >>> from hcbench.run import Call, give, make_oracle
    >>> def agglomerate(oracle, items, rng, *, method):
    ...     return linkage(oracle.read(), method)
    >>> problem = hcbench.Problem(n=3, vectors=[[0.0], [1.0], [5.0]])
    >>> oracle = make_oracle(hcbench.Answers(kind="vectors", n=3, data=problem.vectors), None)
    >>> call = Call(agglomerate, {"method": "average"})
    >>> finished = call_algorithm(call, oracle, give(problem, ()), seed=0)
    >>> finished.result.height.tolist()
    [0.0, 0.0, 0.0, 1.0, 4.5]
    """
    function = algorithm.load()
    # A copy, as the algorithm may change its keyword arguments.
    params = dict(algorithm.params)
    rng = np.random.default_rng(seed)
    # An algorithm that uses the global generators must not depend on earlier cells.
    random.seed(seed)
    np.random.seed(seed % 2**32)  # noqa: NPY002
    returned: Any = None
    failure: BaseException | None = None
    # Kept in variables, as the algorithm may replace those of the oracle and of this module.
    process = os.getpid()
    recorder = Recorder(oracle)
    clock = recorder.clock
    ledger = recorder.ledger
    stop = Stopwatch.stop
    cost_of = _cost
    watch = Stopwatch(clock)
    processor_watch = Stopwatch(processor_clock)
    with FirstUses() as first_uses, collect_notes() as notes:
        held = reset_peak()
        processor_watch.start()
        watch.start()
        try:
            returned = function(oracle, items, rng, **params)
        except BaseException as error:
            failure = error
        elapsed = stop(watch)
        processor_seconds = stop(processor_watch)
    if os.getpid() != process:
        os._exit(1)  # the algorithm forked, and its copy came back here as well
    peak = None
    if held is not None:
        peak = peak_since(held)
    # What a process of its own, as of a foreign program, has held at most.
    if peak is not None:
        peak = max(peak, recorder.child_peak)
    call = FinishedCall(
        result=None,
        cost=cost_of(ledger, elapsed, processor_seconds, peak),
        reported=recorder.reported,
        refused=ledger.refused,
        first_use=first_uses.occurred or recorder.first_use,
        notes=tuple(notes),
        load=load_average(),
        frequency=processor_frequency(),
    )
    # Whose ledger was replaced or written to, its counts and its times mean nothing.
    if not recorder.is_sound:
        return call.failed(InvalidProblemError("the algorithm wrote the oracle's ledger"))
    try:
        trace = tuple(_in_order(point, items) for point in recorder.trace)
        if failure is None:
            call = replace(call, result=result_of_call(returned, items))
    except (HcbenchError, ValueError, TypeError) as error:
        return call.failed(error)
    return replace(call, trace=trace, error=failure)


def _cost(ledger: Ledger, elapsed: float, processor_seconds: float, peak: int | None) -> Cost:
    """The cost of a call: the time in the oracle is not the algorithm's."""
    draw_seconds, drawn_bytes = ledger.drawn
    oracle_seconds = ledger.seconds
    # Answers that are compiled into the algorithm's loop cannot be timed apart.
    if oracle_seconds is None:
        seconds = max(elapsed, 0.0)
    else:
        seconds = max(elapsed - oracle_seconds, 0.0)
        oracle_seconds += draw_seconds
    if peak is not None:
        peak += drawn_bytes
    return Cost(
        seconds=seconds,
        oracle_seconds=oracle_seconds,
        peak_bytes=peak,
        queries=ledger.queries,
        distinct_queries=ledger.distinct_queries,
        rounds=ledger.rounds,
        draws=ledger.draws,
        processor_seconds=processor_seconds,
        **ledger.expenses,
    )


def _in_order(point: Point, items: Items) -> Point:
    """A recorded result in the order of the items; of another number of items, as it is."""
    if point.result.n != items.n:
        # No metric has a value for it, and other recorded results are not affected.
        return point
    return Point(point.queries, result_of_call(point.result, items))
