"""Groups of repetitions, and the values of metrics in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hcbench.analysis.statistics import Summary, average_of, summarise
from hcbench.plan.outcome import Outcome, Value
from hcbench.plan.presentation import MetricInfo

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
    budget: int | None
    checkpoint: int | None
    outcomes: tuple[Outcome, ...]

    @property
    def place(self) -> dict[str, Any]:
        """What identifies the group, by the names of columns."""
        return {name: getattr(self, name) for name in PLACE}

    def by_repetition(self, metric: str | MetricInfo) -> dict[int, float]:
        """The values of a metric by repetition, without those that are missing."""
        pairs = zip(self.outcomes, self.values(metric), strict=True)
        return {o.repetition: value.value for o, value in pairs if value.value is not None}

    def values(self, metric: str | MetricInfo) -> list[Value]:
        """The value of a metric in each repetition."""
        return [value_at(outcome, self.checkpoint, metric) for outcome in self.outcomes]

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
        return any(map(metric.leaves_range, self.numbers(metric)))

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
        return Value(None, "skipped", "not computed") if spent is None else Value(float(spent))
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
            parts.append(f"budget {'none' if group.budget is None else f'{group.budget:,}'}")
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
    repetitions_of: dict[tuple[str, str, str, int | None], list[Outcome]] = {}
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
