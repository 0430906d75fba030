"""Groups of repetitions, the values of metrics in them, and their tidy table."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from hcbench.analysis.statistics import Summary, average_of, summarise
from hcbench.model.cost import Budget
from hcbench.plan.columns import Outcomes
from hcbench.plan.outcome import REPORTED, Value, budget_text
from hcbench.plan.presentation import MetricInfo
from hcbench.plan.values import Coded, Values

if TYPE_CHECKING:
    import pandas
    from numpy.typing import NDArray

    from hcbench.registry.parameters import Params

#: Kinds of labels, and their names in `Presentation.parameters`.
KINDS = {"dataset": "datasets", "oracle": "oracles", "algorithm": "algorithms"}


def _cost(label: str, unit: str = "") -> MetricInfo:
    return MetricInfo(label=label, direction="lower", unit=unit, cost=True, interval="[0, inf)")


#: Costs of every call, which are in the table also if they are not among the metrics.
COSTS = {
    "seconds": _cost("seconds", "s"),
    "queries": _cost("queries", "queries"),
    "oracle_seconds": _cost("oracle_seconds", "s"),
    "peak_bytes": _cost("peak_bytes", "bytes"),
    "rounds": _cost("rounds"),
}
#: Of what the machine decides, even where nothing is random.
MEASURED_UNITS = ("s", "bytes")
#: The largest share of failed repetitions with which an algorithm is ranked by the others.
MOST_FAILED = 0.2
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
    outcomes : Outcomes
    deterministic : bool
        Whether neither the data nor the oracle nor the algorithm uses random numbers.

    Examples
    --------
    >>> chain = np.array([[0.0], [1.1], [2.2], [3.3], [4.9], [5.2]])
    >>> data = {"chain": (chain, [0, 0, 0, 0, 1, 1])}
    >>> results = hcbench.compare(
    ...     ["Single", "Complete"], data, metrics=["AARI"], repetitions=1, progress=False
    ... )
    >>> group = results.groups[0]
    >>> group.algorithm, group.dataset
    ('Single', 'chain')
    >>> group.numbers("AARI"), group.failed("AARI")
    ([1.0], 0)
    """

    algorithm: str
    dataset: str
    oracle: str
    budget: Budget | None
    checkpoint: int | None
    outcomes: Outcomes
    deterministic: bool = False
    # Tables and figures read the same values many times.
    _values: dict[str | MetricInfo, Values] = field(default_factory=dict, init=False)

    @property
    def place(self) -> dict[str, Any]:
        """What identifies the group, by the names of columns."""
        return {name: getattr(self, name) for name in PLACE}

    @property
    def ran(self) -> bool:
        """Whether a repetition was run."""
        return bool((self.outcomes.column("status") != "skipped").any())

    @property
    def has_failures(self) -> bool:
        """Whether a repetition was tried and has no result."""
        return bool(self.outcomes.failed.any())

    def by_repetition(self, metric: str | MetricInfo) -> dict[int, float]:
        """The values of a metric by repetition, without those that are missing."""
        has_value = self.values(metric).has_number
        repetitions = self.outcomes.column("repetition")[has_value]
        return dict(zip(repetitions.tolist(), self.numbers(metric), strict=True))

    def values(self, metric: str | MetricInfo) -> Values:
        """The value of a metric in each repetition, or why it is missing.

        One of `COSTS` is that of the call; others are given by their label.
        """
        label = metric if isinstance(metric, str) else metric.label
        # A metric of a plugin may have the label of a cost, which is then known by its object.
        is_cost = metric is COSTS.get(label)
        key: str | MetricInfo = label
        if is_cost:
            key = metric
        if key not in self._values:
            values = values_at(self.outcomes, label, self.checkpoint, is_cost=is_cost)
            self._values[key] = values
        return self._values[key]

    def numbers(self, metric: str | MetricInfo) -> list[float]:
        """The values that are not missing."""
        numbers: list[float] = self.array(metric).tolist()
        return numbers

    def array(self, metric: str | MetricInfo) -> NDArray[np.float64]:
        """As `numbers`, which are many."""
        values = self.values(metric)
        return values.numbers[values.has_number]

    def average(self, metric: MetricInfo) -> float | None:
        """The mean, of times the median, of the values that are not missing."""
        return average_of(self.array(metric), metric.average)

    def summary(self, metric: MetricInfo) -> Summary:
        """The average with its uncertainty."""
        return summarise(
            self.numbers(metric),
            metric.average,
            metric.support,
            deterministic=self.is_exact(metric),
        )

    def is_exact(self, metric: MetricInfo) -> bool:
        """Whether each repetition must have the same value; times, memory and energy vary."""
        is_reported_cost = metric.cost and metric.label.endswith(REPORTED)
        is_measured = is_reported_cost or metric.unit in MEASURED_UNITS
        return self.deterministic and not is_measured

    def leaves_range(self, metric: MetricInfo) -> bool:
        """Whether a value is outside of the interval of the metric."""
        numbers = self.array(metric)
        finite = numbers[np.isfinite(numbers)]
        if not finite.size:
            return False
        return metric.leaves_range(finite.min()) or metric.leaves_range(finite.max())

    def failed(self, metric: str | MetricInfo) -> int:
        """Number of repetitions that have no value because of a failure."""
        return int((self.outcomes.failed | self.values(metric).failed).sum())

    def fails_too_often(self, metric: str | MetricInfo) -> bool:
        """Whether too many repetitions failed for the others to stand for all."""
        return self.failed(metric) > MOST_FAILED * len(self.outcomes)


def values_at(
    outcomes: Outcomes,
    label: str,
    checkpoint: int | None,
    *,
    is_cost: bool = False,
    of_failures: bool = False,
) -> Values:
    """The values of a metric at a checkpoint or at the end, or why they are missing.

    Parameters
    ----------
    outcomes : Outcomes
    label : str
    checkpoint : int or None
    is_cost : bool
        Whether it is one of `COSTS`, rather than a metric that may have its name.
    of_failures : bool
        Whether to include what calls that failed have reported. It is no value of a result, so that
        no average has it.
    """
    status = outcomes.column("status")
    reason = outcomes.column("reason")
    if is_cost:
        # Of calls that failed there are costs, too, but not those of a result.
        spent = np.where(status == "ok", outcomes.costs(label, checkpoint), np.array(None))
        values = Values.of_numbers(spent.astype(np.float64))
    else:
        values = outcomes.values(label, checkpoint)
    if label.endswith(REPORTED) and not of_failures:
        values = _of_results(values, status == "ok")
    absent = np.flatnonzero(~values.present).tolist()
    if not absent:
        return values
    missing = dict(values.special_values)
    for i in absent:
        why = f"{status[i]}: {reason[i]}"
        if status[i] == "ok":
            why = "not computed"
            if label.endswith(REPORTED):
                why = "not reported"
        missing[i] = Value(None, "skipped", why)
    return Values.of_numbers(values.numbers, missing)


def _of_results(values: Values, has_result: NDArray[np.bool_]) -> Values:
    """The values of calls with a result; those of other calls become missing."""
    special = {}
    for place, value in values.special_values.items():
        if has_result[place]:
            special[place] = value
    return Values.of_numbers(np.where(has_result, values.numbers, np.nan), special)


def name_variants(groups: Sequence[Group]) -> dict[Group, str]:
    """The name of each group's algorithm, unique within a data set.

    An algorithm that runs with several oracles or budgets on one data set has one name for each.

    Examples
    --------
    >>> chain = np.array([[0.0], [1.1], [2.2], [3.3], [4.9], [5.2]])
    >>> data = {"chain": (chain, [0, 0, 0, 0, 1, 1])}
    >>> results = hcbench.compare(
    ...     ["RatingLinkage"], data, metrics=["AARI"], budget=[4, 15], repetitions=1, progress=False
    ... )
    >>> list(name_variants(results.groups).values())
    ['RatingLinkage, budget 4', 'RatingLinkage, budget 15']
    """
    # By algorithm, whether its oracle, its budget or both differ on some data set.
    varying: dict[str, set[str]] = {}
    for key in ("oracle", "budget"):
        values_on_dataset: dict[tuple[str, str], set[str | int | None]] = {}
        for group in groups:
            if group.oracle:
                values = values_on_dataset.setdefault((group.algorithm, group.dataset), set())
                values.add(getattr(group, key))
        for (algorithm, _), values in values_on_dataset.items():
            if len(values) > 1:
                varying.setdefault(algorithm, set()).add(key)
    names = {}
    for group in groups:
        keys = varying.get(group.algorithm, ())
        parts = [group.algorithm]
        if "oracle" in keys:
            parts.append(f"oracle {group.oracle or '-'}")
        if "budget" in keys:
            parts.append(f"budget {budget_text(group.budget)}")
        names[group] = ", ".join(parts)
    return names


def group_outcomes(
    outcomes: Outcomes,
    algorithms: Sequence[str],
    datasets: Sequence[str],
    deterministic: Mapping[str, Collection[str]],
) -> list[Group]:
    """Group outcomes by data set and algorithm; checkpoints in order, the end last.

    Parameters
    ----------
    outcomes : Outcomes
    algorithms, datasets : sequence of str
        All labels, in the order of the result.
    deterministic : mapping of kind to labels
        Of the algorithms, data sets and oracles that use no random numbers.
    """
    places = _places_of_groups(outcomes)
    algorithm_order = {label: i for i, label in enumerate(algorithms)}
    dataset_order = {label: i for i, label in enumerate(datasets)}

    def order(place: tuple[Any, ...]) -> tuple[int, int]:
        algorithm, dataset, *_ = place
        return dataset_order[dataset], algorithm_order[algorithm]

    groups = []
    for place in sorted(places, key=order):
        algorithm, dataset, oracle, budget = place
        of_group = outcomes.take(places[place])
        is_deterministic = (
            algorithm in deterministic.get("algorithms", ())
            and dataset in deterministic.get("datasets", ())
            and oracle in deterministic.get("oracles", ())
        )
        checkpoints: dict[int | None, None] = {}
        for checkpoint_of_point, _ in of_group.points:
            checkpoints[checkpoint_of_point] = None
        # The end of the calls is last, also of groups without any result.
        checkpoints.pop(None, None)
        checkpoints[None] = None
        for checkpoint in checkpoints:
            group = Group(
                algorithm=algorithm,
                dataset=dataset,
                oracle=oracle,
                budget=budget,
                checkpoint=checkpoint,
                outcomes=of_group,
                deterministic=is_deterministic,
            )
            groups.append(group)
    return groups


def _places_of_groups(outcomes: Outcomes) -> dict[tuple[Any, ...], NDArray[np.intp]]:
    """For algorithm, data set, oracle and budget the places of their outcomes, by repetition.

    In the order of their first outcomes.
    """
    coded = [outcomes.coded(name) for name in ("algorithm", "dataset", "oracle", "budget")]
    # The four codes of an outcome as the digits of one number, which is its group.
    group_of = np.zeros(len(outcomes), dtype=np.int64)
    for codes, labels in coded:
        group_of = group_of * labels.size + codes
    numbers = Coded.of(group_of.tolist()).codes  # in the order of their first outcomes
    repetitions = outcomes.column("repetition").astype(np.int64)
    by_group = np.lexsort((repetitions, numbers))
    if not by_group.size:
        return {}
    ends = np.cumsum(np.bincount(numbers))
    places = {}
    for members in np.split(by_group, ends[:-1]):
        # All members have the labels of the first.
        first = members[0]
        place = [labels[codes[first]] for codes, labels in coded]
        places[tuple(place)] = members
    return places


def make_table(
    groups: Iterable[Group],
    metrics: Sequence[MetricInfo],
    parameters: Mapping[str, Mapping[str, Params]],
    references: Iterable[str] = (),
    families: Mapping[str, str] | None = None,
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
    families : mapping of label to str, optional
        The family of each data set; by default each is its own.

    Returns
    -------
    pandas.DataFrame
        Columns ``group`` (the place in ``groups``), ``algorithm``, ``dataset``, ``oracle``,
        ``budget``, ``checkpoint``, ``repetition``, ``seed``, ``key``, ``data`` (the digest of the
        data), ``status``, ``reference``, ``metric``, ``value`` (NaN if missing), ``has_value``,
        ``failed`` (whether it is missing because of a failure), ``reason`` (why it is missing);
        ``family`` (of the data set); and one for each parameter, such as ``dataset.delta``.
    """
    import pandas

    columns = dict(COSTS)
    for metric in metrics:
        columns[metric.label] = metric  # one with the label of a cost takes its place
    rows = []
    for number, group in enumerate(groups):
        for metric in columns.values():
            rows += _rows_of_metric(number, group, metric, group.algorithm in references)
    types: dict[str, str] = dict(_COLUMNS)
    for group in groups:
        # An amount of money is a text.
        if isinstance(group.budget, str):
            types["budget"] = "object"
    table = pandas.DataFrame(rows, columns=list(_COLUMNS)).astype(types)
    family_of = dict(zip(table["dataset"], table["dataset"], strict=True))
    family_of.update(families or {})
    table["family"] = table["dataset"].map(family_of.get)
    for kind, plural in KINDS.items():
        # By name, and then by label: a label without a parameter has no value of it.
        values_of_name: dict[str, dict[str, Any]] = {}
        for label, params in parameters.get(plural, {}).items():
            for name, value in params.items():
                values_of_name.setdefault(name, {})[label] = value
        for name, values in values_of_name.items():
            table[f"{kind}.{name}"] = table[kind].map(values.get)
    return table


def _rows_of_metric(
    number: int, group: Group, metric: MetricInfo, is_reference: bool
) -> list[tuple[Any, ...]]:
    """The rows of a metric of a group, one for each repetition, with the columns `_COLUMNS`."""
    columns = [group.outcomes.column(name).tolist() for name in _OF_CELL]
    cells = zip(*columns, strict=True)
    values = zip(cells, group.outcomes.failed, group.values(metric), strict=True)
    head = (number,) + tuple(group.place.values())
    rows = []
    for cell, has_failed, value in values:
        is_missing = value.value is None
        # Of a call that failed all values are missing; of one that succeeded a metric may fail.
        is_failure = is_missing and (has_failed or value.status == "error")
        row = (is_reference, metric.label, value.value, not is_missing, is_failure, value.reason)
        rows.append(head + cell + row)
    return rows


_OF_CELL = ("repetition", "seed", "key", "data_digest", "status")
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
