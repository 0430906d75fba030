"""How the outcomes of a plan are shown: in what order, with which metrics and claims.

Stored with every run, so that it can be shown later in the same way, without its plugins.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

from hcbench.errors import DamagedRunError, NameSyntaxError
from hcbench.plan.cell import as_tuples
from hcbench.plan.outcome import Outcome, Value
from hcbench.plan.plan import Plan, Shard, metric_keys
from hcbench.plan.truths import judged_by, label_without_truth
from hcbench.registry.families import families_of
from hcbench.registry.making import make_use
from hcbench.registry.metric_specs import Direction, MetricSpec
from hcbench.registry.names import parse_name
from hcbench.registry.parameters import Interval, Params
from hcbench.registry.specs import HINTS, AlgorithmSpec, DatasetSpec, is_data
from hcbench.registry.suite import Suite
from hcbench.registry.suite_files import describe_suite, rebuild_suite
from hcbench.registry.uses import Use

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hcbench.plan.columns import Outcomes

#: By how much of its size a value may leave its interval.
ROUNDING = 1e-9
# Fields that are stored under the name that they had at first.
_STORED_NAMES = {"received_truth": "truth_given", "received_data": "data_given"}
# Cached, as all values of a metric have the same one.
_interval = lru_cache(Interval)
#: By kind and label: the name, and the parameters that the label shows.
Names: TypeAlias = Mapping[str, Mapping[str, tuple[str, tuple[str, ...]]]]


@dataclass(frozen=True, slots=True)
class MetricInfo:
    """What showing the values of a metric requires.

    Attributes
    ----------
    label : str
    direction : {"higher", "lower", "none"}
    unit : str
    cost : bool
        Whether it is a cost rather than quality.
    interval : str
        The values it can take.
    key : str
        Under which its values are stored.
    kind : str
        Its label without the truth that it names: the same for all truths.
    datasets : tuple of str, optional
        The only ones for which it differs from the metric called `kind`.
    outside : str
        When its values leave the interval; "" if they cannot.
    heads : tuple of (data set, str)
        Its label for data sets for which some of its parameters do not matter.
    """

    label: str
    direction: Direction = "higher"
    unit: str = ""
    cost: bool = False
    interval: str = "(-inf, inf)"
    key: str = ""
    kind: str = ""
    datasets: tuple[str, ...] | None = None
    outside: str = ""
    heads: tuple[tuple[str, str], ...] = ()

    @property
    def average(self) -> Literal["mean", "median"]:
        """The average of repetitions: the median of times, otherwise the mean."""
        if self.unit == "s":
            return "median"
        return "mean"

    @property
    def support(self) -> tuple[float, float]:
        """The least and the greatest value; unlimited where values may leave the interval."""
        if self.outside:
            return -math.inf, math.inf
        interval = _interval(self.interval)
        return interval.low, interval.high

    def head(self, dataset: str) -> str:
        """Its label above values of a data set."""
        return dict(self.heads).get(dataset, self.label)

    def leaves_range(self, value: float) -> bool:
        """Whether a finite value is outside of its interval by more than rounding."""
        interval = _interval(self.interval)
        slack = ROUNDING * max(1.0, abs(value))
        is_inside = interval.low - slack <= value <= interval.high + slack
        return math.isfinite(value) and not is_inside

    def judges(self, dataset: str) -> bool:
        """Whether it is shown of a data set."""
        return self.datasets is None or dataset in self.datasets


def _metric_of(described: Mapping[str, Any]) -> MetricInfo:
    """From a stored description; the unit of queries was once called questions."""
    metric = MetricInfo(**as_tuples(described))
    # Raises an error if it is no interval.
    _interval(metric.interval)
    if metric.direction not in ("higher", "lower", "none"):
        raise ValueError(f"a direction is not {metric.direction!r}")
    if metric.unit == "questions":
        return replace(metric, unit="queries")
    return metric


@dataclass(frozen=True, slots=True, kw_only=True)
class Presentation:
    """How outcomes are shown.

    Attributes
    ----------
    suite : Suite
        Whose claims are judged.
    algorithms, datasets, oracles : tuple of str
        Labels, in the order asked for.
    metrics : tuple of MetricInfo
        Likewise.
    references : tuple of str
        Labels of the algorithms that are reference lines.
    parameters : mapping of kind to mapping of label to parameters
        Of ``algorithms``, ``datasets``, ``oracles`` and ``metrics``, defaults included.
    names : mapping of kind to mapping of label to (str, tuple of str)
        Likewise what each label consists of: the name, and the parameters that it shows.
    query_kinds : mapping of label to str
        The kind of queries that each oracle answers.
    received_truth : mapping of label to mapping of data set to str
        For each algorithm and each oracle that receives the truth of a data set, or a part of it,
        what it receives.
    received_data : mapping of label to str
        For each algorithm that makes queries and receives data as well, what it receives.
    dependent_data : tuple of str
        Labels of the data sets whose repetitions share items.
    families : mapping of label to str
        The family of each data set; without an entry it is `family_of_label`.
    tags : mapping of label to tuple of str
        Of the algorithms; runs that were stored by an earlier version have none.
    deterministic : mapping of kind to tuple of str
        Labels of the ``algorithms``, ``datasets`` and ``oracles`` that use no random numbers.
    renamed : mapping of key to labels
        Of algorithm, data set and oracle, for cells that are stored under other labels.
    shard : Shard, optional
        If only a part of the plan was run.
    """

    suite: Suite = field(default_factory=lambda: Suite(name=""))
    algorithms: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ()
    oracles: tuple[str, ...] = ()
    metrics: tuple[MetricInfo, ...] = ()
    references: tuple[str, ...] = ()
    parameters: Mapping[str, Mapping[str, Params]] = field(default_factory=dict)
    names: Names = field(default_factory=dict)
    query_kinds: Mapping[str, str] = field(default_factory=dict)
    received_truth: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    received_data: Mapping[str, str] = field(default_factory=dict)
    dependent_data: tuple[str, ...] = ()
    families: Mapping[str, str] = field(default_factory=dict)
    tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    deterministic: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    renamed: Mapping[str, tuple[str, str, str]] = field(default_factory=dict)
    shard: Shard | None = None

    @classmethod
    def of_plan(cls, plan: Plan) -> Self:
        """The presentation of a plan."""
        # A shard, too, is shown with the oracles of the full plan.
        full_plan = plan.full_plan or plan
        oracles = {}
        query_kinds = {}
        # Not those that the suite names: an algorithm may use its default oracle instead.
        for cell in full_plan.cells:
            oracles[cell.oracle.label] = cell.oracle
            query_kinds[cell.oracle.label] = cell.oracle.spec.kind

        parameters = {}
        names = {}
        for kind, uses in _uses_by_kind(plan, oracles.values()).items():
            parameters[kind] = {use.label: use.params for use in uses}
            names[kind] = {use.label: split_label(use.label) for use in uses}

        dependent = []
        for dataset in plan.datasets:
            if dataset.is_dependent:
                dependent.append(dataset)
        references = []
        for algorithm in plan.algorithms:
            if algorithm.spec.reference:
                references.append(algorithm)
        return cls(
            suite=plan.suite,
            algorithms=_labels(plan.algorithms),
            datasets=_labels(plan.datasets),
            oracles=tuple(oracles),
            metrics=_metrics_of(plan),
            references=_labels(references),
            parameters=parameters,
            names=names,
            query_kinds=query_kinds,
            received_truth=_received_truth(plan, oracles),
            received_data=_received_data(plan),
            dependent_data=_labels(dependent),
            families=families_of(plan.datasets, plan.suite.families),
            tags={use.label: use.spec.tags for use in plan.algorithms},
            deterministic={
                "algorithms": _without_seed(plan.algorithms),
                "datasets": _without_seed(plan.datasets),
                "oracles": _without_seed(oracles.values()),
            },
            shard=plan.shard,
        )

    def describe(self) -> dict[str, Any]:
        """In plain values, as it is stored."""
        described: dict[str, Any] = {}
        for field_ in fields(self):
            described[_stored_name(field_.name)] = getattr(self, field_.name)
        # These three are objects, which JSON cannot hold.
        described["suite"] = describe_suite(self.suite)
        described["metrics"] = list(map(asdict, self.metrics))
        described["shard"] = None
        if self.shard is not None:
            described["shard"] = asdict(self.shard)
        return described

    @classmethod
    def of_description(cls, described: Mapping[str, Any]) -> Self:
        """From what `describe` returned, also after a round trip through JSON.

        Raises
        ------
        DamagedRunError
            If it is anything else.
        """
        # A run that was stored without one, as by `Store.begin_run` without a layout.
        if not described:
            return cls()
        try:
            values = {}
            # Another version may have stored more, or less.
            for field_ in fields(cls):
                stored_name = _stored_name(field_.name)
                if stored_name in described:
                    values[field_.name] = as_tuples(described[stored_name])
            values["suite"] = rebuild_suite(described["suite"])
            values["metrics"] = tuple(map(_metric_of, described["metrics"]))
            values["shard"] = None
            if described.get("shard"):
                values["shard"] = Shard(**as_tuples(described["shard"]))
            return cls(**values)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise DamagedRunError(
                f"the presentation of the run is damaged: {repr(error)[:80]}"
            ) from error

    def in_order(self, outcomes: Iterable[Outcome]) -> Outcomes:
        """As a run returns them: inapplicable combinations, then the cells by repetition."""
        import numpy as np

        from hcbench.plan.columns import Outcomes

        columns = self._with_references(Outcomes.of(outcomes).renamed(self.renamed))
        budget = _places(columns, "budget", self.suite.budgets)
        oracle = _places(columns, "oracle", self.oracles)
        algorithm = _places(columns, "algorithm", self.algorithms)
        dataset = _places(columns, "dataset", self.datasets)
        repetition = columns.column("repetition").astype(np.int64)

        # Inapplicable combinations did not run: by data set, algorithm and repetition. The others:
        # by data set, repetition, algorithm, oracle and budget.
        ran = columns.column("key") != ""
        # The last key is the first by which they are sorted. Two keys change places with `ran`, and
        # the inapplicable combinations have neither an oracle nor a budget to be sorted by.
        order = np.lexsort(
            (
                np.where(ran, budget, 0),
                np.where(ran, oracle, 0),
                np.where(ran, algorithm, repetition),
                np.where(ran, repetition, algorithm),
                dataset,
                ran,
            )
        )
        return columns.take(order)

    def _with_references(self, columns: Outcomes) -> Outcomes:
        """Outcomes in which a metric of a further truth refers to the metric of the first one.

        It has values only of data sets that have this truth, but not as the first.
        """
        for metric in self.metrics:
            is_judged = columns.columns["dataset"].mask(metric.judges, columns.places)
            cells = ~is_judged
            if cells.any():
                see = Value(None, "skipped", f"see {metric.kind}")
                columns = columns.with_value(metric.label, see, cells)
        return columns


def _stored_name(field_name: str) -> str:
    """The key under which a field is stored: some fields had another name at first."""
    return _STORED_NAMES.get(field_name, field_name)


def _places(columns: Outcomes, field_name: str, labels: Iterable[object]) -> NDArray[np.int64]:
    """For each outcome the place of its field in a list; after all, if it is not there."""
    import numpy as np

    place_of: dict[object, int] = {}
    for place, label in enumerate(labels):
        place_of[label] = place
    # A label is looked up once, however many outcomes have it.
    codes, objects = columns.coded(field_name)
    places = [place_of.get(label, len(place_of)) for label in objects]
    return np.array(places, dtype=np.int64)[codes]  # type: ignore[no-any-return]


def _labels(uses: Iterable[Use[Any]]) -> tuple[str, ...]:
    """The labels of uses, in their order."""
    return tuple(use.label for use in uses)


def _uses_by_kind(plan: Plan, oracles: Iterable[Use[Any]]) -> dict[str, list[Use[Any]]]:
    """What a plan consists of."""
    return {
        "algorithms": list(plan.algorithms),
        "datasets": list(plan.datasets),
        "oracles": list(oracles),
        "metrics": list(plan.metrics),
    }


def _metrics_of(plan: Plan) -> tuple[MetricInfo, ...]:
    """What showing the values of each metric of a plan requires."""
    keys = metric_keys(plan)
    labels = {use.label for use in plan.metrics}
    metrics = []
    for use in plan.metrics:
        metric = MetricInfo(
            label=use.label,
            direction=use.spec.direction,
            unit=use.spec.unit,
            cost=use.spec.cost,
            interval=use.spec.interval,
            key=keys[use.label],
            kind=label_without_truth(use),
            datasets=judged_by(use, labels, plan.datasets),
            outside=use.spec.outside,
            heads=_heads(use, plan.datasets),
        )
        metrics.append(metric)
    return tuple(metrics)


def _without_seed(uses: Iterable[Use[Any]]) -> tuple[str, ...]:
    """Labels of those that use no random numbers."""
    fixed = []
    for use in uses:
        if not use.is_random:
            fixed.append(use)
    return _labels(fixed)


def split_label(label: str) -> tuple[str, tuple[str, ...]]:
    """The name in a label, and the parameters that it shows."""
    try:
        name = parse_name(label)
    except NameSyntaxError:
        # The labels of a caller's functions may be any text.
        return label, ()
    return name.base, tuple(name.params)


def family_of_label(label: str) -> str:
    """The family of a data set of a run that was stored without families.

    It is the name without parameters, of a file its path.
    """
    return split_label(label)[0]


def _heads(
    metric: Use[MetricSpec], datasets: Iterable[Use[DatasetSpec]]
) -> tuple[tuple[str, str], ...]:
    """The label without parameters of vectors, for data sets that have similarities instead."""
    params = dict(metric.params)
    for parameter in metric.spec.parameters:
        if parameter.of_vectors:
            params[parameter.name] = parameter.default
    label = make_use(metric.spec, metric.plugin, params).label
    if label == metric.label:
        # It has no such parameters, or shows none of them.
        return ()

    heads = []
    for dataset in datasets:
        if "similarity" in dataset.provides:
            heads.append((dataset.label, label))
    return tuple(heads)


def _received_truth(plan: Plan, oracles: Mapping[str, Use[Any]]) -> dict[str, dict[str, str]]:
    """The algorithms and oracles that receive a part of the truth; on which data sets, and what."""
    received: dict[str, dict[str, str]] = {}
    for dataset in plan.datasets:
        # An algorithm receives its hints of all data sets; an oracle is informed only if the data
        # set provides what it answers from.
        provided = dataset.provides
        for algorithm in plan.algorithms:
            parts = _hinted(algorithm, data=False)
            if parts:
                received.setdefault(algorithm.label, {})[dataset.label] = parts
        for oracle in oracles.values():
            if oracle.spec.informed_with(oracle.params, provided):
                received.setdefault(oracle.label, {})[dataset.label] = "the truth"
    return received


def _received_data(plan: Plan) -> dict[str, str]:
    """The algorithms that make queries and receive data as well, and what."""
    received = {}
    for algorithm in plan.algorithms:
        data = _hinted(algorithm, data=True)
        if data:
            received[algorithm.label] = data
    return received


def _hinted(algorithm: Use[AlgorithmSpec], *, data: bool) -> str:
    """The data that an algorithm receives beside the answers, or its parts of the truth."""
    descriptions = []
    for hint in algorithm.spec.hints_of(algorithm.params):
        if is_data(hint) == data:
            # Data of a plugin's own kind are described by their name.
            descriptions.append(HINTS.get(hint, hint).partition(",")[0])
    return " and ".join(descriptions)
