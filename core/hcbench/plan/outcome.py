"""What became of a cell: what is stored, shown and compared."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from hcbench.model.cost import Budget, Cost

if TYPE_CHECKING:
    from hcbench.model.problem import Result
else:
    # For msgspec, which reads the outcomes of workers. Trees are not imported for that; whether it
    # is one is checked by `hcbench.run.executors.read_outcome`.
    Result = Any

Status: TypeAlias = Literal[
    "ok", "error", "timeout", "memory", "crash", "budget", "unanswered", "skipped"
]
#: ``ok``: it has a result. ``error``: the algorithm, its data set or its oracle raised.
#: ``timeout``, ``memory``: it exceeded the limit. ``crash``: its process ended. ``budget``: it had
#: no result when its queries were used up. ``unanswered``: nor when one got no answer.
#: ``skipped``: it is inapplicable.
STATUSES: tuple[Status, ...] = get_args(Status)
#: Ends the label of a number that the algorithm reported (`Oracle.report`), as no metric's can end.
#: It is stored as a value at the end of the call, with its label as key.
REPORTED = " (reported)"
# A cost has its unit in brackets behind its name (`Oracle.report_cost`).
_REPORTED_COST = re.compile(r".+ \[([^\[\]]+)\]")
#: The load of a machine on which processes wait for each other. The harness itself adds a little.
BUSY = 1.25


def unit_of_cost(reported: str) -> str | None:
    """The unit of a cost that an algorithm reported, such as "J" of ``energy [J]``.

    None of a number that is no cost. ``reported`` is its name, or the label of its values.
    """
    match = _REPORTED_COST.fullmatch(reported.removesuffix(REPORTED))
    if match is None:
        return None
    return match[1]


def budget_text(budget: Budget | None) -> str:
    """A budget as it is shown."""
    if budget is None:
        return "none"
    if isinstance(budget, int):
        return f"{budget:,}"
    return budget


def is_failure(status: Status) -> bool:
    """Whether a cell that ended so was tried and has no result."""
    return status not in ("ok", "skipped")


@dataclass(frozen=True, slots=True)
class Value:
    """The value of one metric, or why there is none.

    Attributes
    ----------
    value : float or None
        None unless the status is ok.
    status : {"ok", "skipped", "error"}
    reason : str
    final : bool
        False if the worker ended before the value was there: the next run tries again.
    """

    value: float | None = None
    status: Literal["ok", "skipped", "error"] = "ok"
    reason: str = ""
    final: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredPoint:
    """The result at one point of a call, a checkpoint or the end, with the values of the metrics.

    Attributes
    ----------
    checkpoint : int or None
        The query count at which the result was wanted; None for the end.
    queries : int or None
        The queries asked when the result was there.
    result : Tree, Partition or None
    values : mapping of metric label to Value
    """

    checkpoint: int | None = None
    queries: int | None = None
    result: Result | None = None
    values: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a cell.

    A worker returns what it has measured; the main process adds which cell it was, with its log.

    Attributes
    ----------
    key : str
        Of the cell; "" for inapplicable combinations.
    algorithm, dataset, oracle : str
        Labels.
    repetition, seed : int
    budget : int, str or None
    status : str
    reason : str
        Why it is not ok, in one line.
    phase : str
        Where it failed: "start", "imports", "data", "oracle", "warm-up" or "algorithm"; "outside"
        if its process was killed by somebody else; "" if it did not fail.
    stopped : str
        "budget" if an ok result is what there was when the queries were used up, "unanswered"
        if it is what there was when one got no answer.
    cost : Cost
        Of the call.
    load : float or None
        The load average of the last minute over the number of cores, when the call ended.
    frequency : float or None
        Of the processor when the call ended, in MHz.
    host : str
        The machine of a cluster that it ran on; "" for that of the run.
    data_digest : str
        A hash of the generated data.
    traceback, log : str
        Of a failure: the full traceback; what was printed.
    notes : tuple of str
        What data set, oracle and algorithm have to say about the result, such as an assumption of
        the model that does not hold; see `ModelWarning`.
    points : tuple of ScoredPoint
        The checkpoints in order, then the end.
    reused : bool
        Whether it was in the store already.

    Examples
    --------
    >>> points = np.array([[0.0], [1.0], [5.0], [6.0]])
    >>> results = hcbench.compare(["UPGMA"], points, repetitions=1, progress=False)
    >>> outcome = results.outcomes[0]
    >>> outcome.algorithm, outcome.status, outcome.failed
    ('UPGMA', 'ok', False)
    >>> outcome.points[-1].result.to_linkage()[:, 2].tolist()
    [1.0, 1.0, 5.0]
    """

    key: str = ""
    algorithm: str = ""
    dataset: str = ""
    oracle: str = ""
    repetition: int = 0
    seed: int = 0
    budget: Budget | None = None
    status: Status = "ok"
    reason: str = ""
    phase: str = ""
    stopped: str = ""
    cost: Cost = field(default_factory=Cost)
    load: float | None = None
    frequency: float | None = None
    host: str = ""
    data_digest: str = ""
    traceback: str = ""
    log: str = ""
    notes: tuple[str, ...] = ()
    points: tuple[ScoredPoint, ...] = ()
    reused: bool = False

    @property
    def failed(self) -> bool:
        """Whether it was tried and has no result."""
        return is_failure(self.status)

    @property
    def metric_errors(self) -> dict[str, str]:
        """Metrics that raised, and what."""
        # A metric may raise at several checkpoints: the last reason is kept.
        reasons = {}
        for point in self.points:
            for label, value in point.values.items():
                if value.status == "error":
                    reasons[label] = value.reason
        return reasons
