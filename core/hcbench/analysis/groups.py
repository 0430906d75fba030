"""Groups of repetitions, the values of metrics in them, and what they allow to conclude.

Repetitions on the same data differ only in the random numbers of oracle and algorithm. As blocks
of a test they would be pseudo-replication [1]_: the same observation, counted many times.

References
----------
.. [1] S. H. Hurlbert, "Pseudoreplication and the design of ecological field experiments",
   Ecological Monographs 54 (1984).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from hcbench.analysis.statistics import Summary, average_of, summarise
from hcbench.model.cost import Budget
from hcbench.plan.outcome import REPORTED, Outcome, Value, budget_text
from hcbench.plan.presentation import MetricInfo

if TYPE_CHECKING:
    import pandas

    from hcbench.registry.specs import Params

#: Kinds of labels, and their names in `Presentation.parameters`.
KINDS = {"dataset": "datasets", "oracle": "oracles", "algorithm": "algorithms"}
_SPENT = {"direction": "lower", "cost": True, "interval": "[0, inf)"}
#: Costs of every call, which are in the table also if they are not among the metrics.
COSTS = {
    name: MetricInfo(name, unit=unit, **_SPENT)  # type: ignore[arg-type]
    for name, unit in (
        ("seconds", "s"),
        ("queries", "questions"),
        ("oracle_seconds", "s"),
        ("peak_bytes", "bytes"),
        ("rounds", ""),
    )
}
#: The columns that identify a group.
PLACE = ("algorithm", "dataset", "oracle", "budget", "checkpoint")


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """The repetitions of one algorithm on one data set, with one oracle and one budget.

    Attributes
    ----------
    algorithm, dataset, oracle : str
    budget : int or None
    checkpoint : int or None
        None for the end of the calls.
    outcomes : tuple of Outcome
    """

    algorithm: str
    dataset: str
    oracle: str
    budget: Budget | None
    checkpoint: int | None
    outcomes: tuple[Outcome, ...]
    # Tables and figures read the same values many times.
    _values: dict[str | MetricInfo, list[Value]] = field(default_factory=dict, init=False)

    @property
    def place(self) -> dict[str, Any]:
        """What identifies the group, by the names of columns."""
        return {name: getattr(self, name) for name in PLACE}

    @property
    def ran(self) -> bool:
        """Whether a repetition was run."""
        return any(outcome.status != "skipped" for outcome in self.outcomes)

    def by_repetition(self, metric: str | MetricInfo) -> dict[int, float]:
        """The values of a metric by repetition, without those that are missing."""
        pairs = zip(self.outcomes, self.values(metric), strict=True)
        return {o.repetition: value.value for o, value in pairs if value.value is not None}

    def values(self, metric: str | MetricInfo) -> list[Value]:
        """The value of a metric in each repetition."""
        label = metric if isinstance(metric, str) else metric.label
        wanted = metric if metric is COSTS.get(label) else label
        if wanted not in self._values:
            read = [value_at(outcome, self.checkpoint, wanted) for outcome in self.outcomes]
            self._values[wanted] = read
        return self._values[wanted]

    def numbers(self, metric: str | MetricInfo) -> list[float]:
        """The values that are not missing."""
        return [value.value for value in self.values(metric) if value.value is not None]

    def average(self, metric: MetricInfo) -> float | None:
        """The mean, of times the median, of the values that are not missing."""
        return average_of(self.numbers(metric), metric.average)

    def summary(self, metric: MetricInfo) -> Summary:
        """The average with its uncertainty."""
        return summarise(self.numbers(metric), metric.average)

    def leaves_range(self, metric: MetricInfo) -> bool:
        """Whether a value is outside of the interval of the metric."""
        finite = [number for number in self.numbers(metric) if math.isfinite(number)]
        return any(map(metric.leaves_range, (min(finite), max(finite)) if finite else ()))

    def failed(self, metric: str | MetricInfo) -> int:
        """Number of repetitions that have no value because of a failure."""
        judged = zip(self.outcomes, self.values(metric), strict=True)
        return sum(outcome.failed or value.status == "error" for outcome, value in judged)


def value_at(outcome: Outcome, checkpoint: int | None, metric: str | MetricInfo) -> Value:
    """The value of a metric at one point of an outcome, or why it is missing.

    One of `COSTS` is that of the call; others are given by their label.
    """
    point = next((point for point in outcome.points if point.checkpoint == checkpoint), None)
    label = metric if isinstance(metric, str) else metric.label
    is_cost = metric is COSTS.get(label)
    if point is not None and label in point.values and not is_cost:
        return point.values[label]
    if outcome.status == "ok":
        spent = None
        if is_cost and label == "queries" and point is not None:
            spent = point.queries
        elif is_cost and checkpoint is None:
            spent = getattr(outcome.cost, label)
        why = "not reported" if label.endswith(REPORTED) else "not computed"
        return Value(None, "skipped", why) if spent is None else Value(float(spent))
    return Value(None, "skipped", f"{outcome.status}: {outcome.reason}")


def name_variants(groups: Sequence[Group]) -> dict[Group, str]:
    """The name of each group's algorithm, unique within a data set.

    An algorithm that runs with several oracles or budgets on one data set has one name for each.
    """
    varying: dict[str, set[str]] = {}
    for key in ("oracle", "budget"):
        seen: dict[tuple[str, str], set[str | int | None]] = {}
        for group in groups:
            if group.oracle:
                seen.setdefault((group.algorithm, group.dataset), set()).add(getattr(group, key))
        for (algorithm, _), values in seen.items():
            if len(values) > 1:
                varying.setdefault(algorithm, set()).add(key)
    names = {}
    for group in groups:
        told = varying.get(group.algorithm, ())
        parts = [group.algorithm]
        if "oracle" in told:
            parts.append(f"oracle {group.oracle or '-'}")
        if "budget" in told:
            parts.append(f"budget {budget_text(group.budget)}")
        names[group] = ", ".join(parts)
    return names


def group_outcomes(
    outcomes: Sequence[Outcome], algorithms: Sequence[str], datasets: Sequence[str]
) -> list[Group]:
    """Group outcomes by data set and algorithm; checkpoints in order, the end last.

    Parameters
    ----------
    outcomes : sequence of Outcome
    algorithms, datasets : sequence of str
        All labels, in the order of the result.
    """
    repetitions_of: dict[tuple[str, str, str, Budget | None], list[Outcome]] = {}
    for outcome in outcomes:
        key = (outcome.algorithm, outcome.dataset, outcome.oracle, outcome.budget)
        repetitions_of.setdefault(key, []).append(outcome)
    rank = {label: i for i, label in enumerate(algorithms)}
    place = {label: i for i, label in enumerate(datasets)}
    ordered = sorted(repetitions_of.items(), key=lambda kv: (place[kv[0][1]], rank[kv[0][0]]))
    return [
        Group(*key, checkpoint, tuple(sorted(cells, key=lambda o: o.repetition)))
        for key, cells in ordered
        for checkpoint in _checkpoints(cells)
    ]


def _checkpoints(outcomes: Sequence[Outcome]) -> list[int | None]:
    counts = {p.checkpoint for o in outcomes for p in o.points if p.checkpoint is not None}
    return [*sorted(counts), None]


Unit: TypeAlias = Literal["data set", "repetition"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Inference:
    """What statements about algorithms the cells of a comparison allow.

    Attributes
    ----------
    unit : {"data set", "repetition"}
        What a block is.
    about : str
        What a statement is about: "data sets", or the data set whose repetitions are blocks.
    draws : mapping of data set to bool
        Whether each of its repetitions has data of its own.
    reason : str
        Why there is no test; "" if there is one.
    """

    unit: Unit
    about: str
    draws: Mapping[str, bool]
    reason: str = ""


def allowed_inference(
    outcomes: Iterable[Outcome], datasets: Sequence[str], dependent: Iterable[str] = ()
) -> Inference:
    """What statements the cells of a comparison allow.

    With several data sets, blocks are data sets. With a single one, blocks are its repetitions if
    each of them has data of its own, by the digests of the data, and they are independent;
    otherwise there is no test.

    Parameters
    ----------
    outcomes : iterable of Outcome
    datasets : sequence of str
        The labels of the data sets on which algorithms ran.
    dependent : iterable of str
        Those whose repetitions share items.
    """
    digests: dict[str, dict[int, str]] = {dataset: {} for dataset in datasets}
    for outcome in outcomes:
        if outcome.dataset in digests and outcome.data_digest:
            digests[outcome.dataset][outcome.repetition] = outcome.data_digest
    draws = {
        dataset: 1 < len(of_one) == len(set(of_one.values())) for dataset, of_one in digests.items()
    }
    if len(datasets) != 1:
        return Inference(unit="data set", about="data sets", draws=draws)
    (dataset,) = datasets
    shared = dataset in dependent
    if draws[dataset] and not shared:
        return Inference(unit="repetition", about=dataset, draws=draws)
    same = "some of the same items" if shared else "the same data"
    reason = (
        f"all repetitions on {dataset} have {same}"
        if len(digests[dataset]) > 1
        else f"there is one repetition on {dataset}"
    )
    return Inference(unit="data set", about=dataset, draws=draws, reason=reason)


def make_table(
    groups: Iterable[Group],
    metrics: Sequence[MetricInfo],
    parameters: Mapping[str, Mapping[str, Params]],
    references: Iterable[str] = (),
) -> pandas.DataFrame:
    """The tidy table of groups of repetitions.

    Parameters
    ----------
    groups : iterable of Group
    metrics : sequence of MetricInfo
        The costs of every call are added.
    parameters : mapping of kind to mapping of label to parameters
        As of `hcbench.plan.presentation.Presentation`.
    references : iterable of str
        Algorithms that are reference lines.

    Returns
    -------
    pandas.DataFrame
        Columns ``group`` (the place in ``groups``), ``algorithm``, ``dataset``, ``oracle``,
        ``budget``, ``checkpoint``, ``repetition``, ``seed``, ``key``, ``data`` (the digest of the
        data), ``status``, ``reference``, ``metric``, ``value`` (NaN if missing), ``has_value``,
        ``failed`` (whether it is missing because of a failure), ``reason`` (why it is missing);
        and one for each parameter, such as ``dataset.delta``.
    """
    import pandas

    measured = {metric.label: metric for metric in metrics}
    columns = {**COSTS, **measured}
    rows = [
        (
            *(place, group.algorithm, group.dataset, group.oracle, group.budget, group.checkpoint),
            *(outcome.repetition, outcome.seed, outcome.key, outcome.data_digest, outcome.status),
            *(group.algorithm in references, metric.label, value.value, value.value is not None),
            *(value.value is None and (outcome.failed or value.status == "error"), value.reason),
        )
        for place, group in enumerate(groups)
        for metric in columns.values()
        for outcome, value in zip(group.outcomes, group.values(metric), strict=True)
    ]
    amounts = {} if all(not isinstance(g.budget, str) for g in groups) else {"budget": "object"}
    table = pandas.DataFrame(rows, columns=list(_COLUMNS)).astype({**_COLUMNS, **amounts})
    for kind, plural in KINDS.items():
        of_kind = parameters.get(plural, {})
        for name in dict.fromkeys(name for params in of_kind.values() for name in params):
            values: dict[str, Any] = {
                label: params[name] for label, params in of_kind.items() if name in params
            }
            table[f"{kind}.{name}"] = table[kind].map(values.get)
    return table


_COLUMNS = {
    "group": "int64",
    "algorithm": "str",
    "dataset": "str",
    "oracle": "str",
    "budget": "Int64",
    "checkpoint": "Int64",
    "repetition": "int64",
    "seed": "object",
    "key": "str",
    "data": "str",
    "status": "str",
    "reference": "bool",
    "metric": "str",
    "value": "float64",
    "has_value": "bool",
    "failed": "bool",
    "reason": "str",
}
