"""The plan of a stored run, with more metrics, to compute them without running a cell.

The data are made again from their seeds. Algorithms and oracles need not be installed any more, as
what the metrics need of them is stored with each cell.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

from hcbench.errors import HcbenchError, UnknownNameError
from hcbench.model.trees import Tree
from hcbench.plan.cell import Cell, as_tuples
from hcbench.plan.columns import Outcomes
from hcbench.plan.outcome import Outcome
from hcbench.plan.plan import Inapplicable, Plan, metric_keys, with_all_truths
from hcbench.plan.presentation import Presentation
from hcbench.registry import Catalogue, Registry, make_use
from hcbench.registry.plugins import Plugin
from hcbench.registry.specs import AlgorithmSpec, DatasetSpec, MetricSpec, OracleSpec, Spec
from hcbench.registry.uses import Use
from hcbench.store import RunInfo, Store

S = TypeVar("S", bound=Spec)


@dataclass(frozen=True, eq=False, kw_only=True)
class StoredCell(Cell):
    """A cell as it was when it was measured, whatever has changed since.

    Attributes
    ----------
    stored_key : str
    seeds : mapping
        ``data_seed``, ``noise_seed`` and ``algorithm_seed``.
    """

    stored_key: str
    seeds: Mapping[str, int]

    @cached_property
    def key(self) -> str:
        """Under which it is stored."""
        return self.stored_key

    @property
    def data_seed(self) -> int:
        """With which its data were made."""
        return int(self.seeds["data_seed"])

    @property
    def noise_seed(self) -> int:
        """With which its oracle erred."""
        return int(self.seeds["noise_seed"])

    @property
    def algorithm_seed(self) -> int:
        """With which its algorithm ran."""
        return int(self.seeds["algorithm_seed"])


@dataclass(frozen=True, slots=True)
class StoredPlan:
    """The plan of a stored run.

    Attributes
    ----------
    plan : Plan
        With its metrics and the new ones.
    stored_results : Outcomes
        Of all its cells, as `Store.find` reads them.
    changes : tuple of str
        What has changed since, in words.
    """

    plan: Plan
    stored_results: Outcomes
    changes: tuple[str, ...]


def plan_of_run(
    store: Store, run: RunInfo, registry: Registry, metrics: Sequence[str]
) -> StoredPlan:
    """Make a plan of a stored run, with more metrics.

    Parameters
    ----------
    store : Store
    run : RunInfo
    registry : Registry
    metrics : sequence of str
        ``NAME[param=value]``, beside those of the run.

    Raises
    ------
    HcbenchError
        If a metric is unknown, or a data set is not installed any more.
    """
    return _Making(store, run, registry).plan(metrics)


class _Making:
    """Makes the plan of a stored run."""

    def __init__(self, store: Store, run: RunInfo, registry: Registry) -> None:
        self.store = store
        self.run = run
        self.registry = registry
        self.layout = Presentation.of_description(run.layout)
        self.changes: dict[str, None] = {}
        self.uses: dict[tuple[str, str], Use[Any]] = {}
        self.descriptions = store.descriptions(run.id)

    def plan(self, metrics: Sequence[str]) -> StoredPlan:
        outcomes = self.store.cells(run=self.run.id)
        rows = outcomes.column("row").tolist()
        cells = [self._cell(o, row) for o, row in zip(outcomes, rows, strict=True) if o.key]
        datasets = self._in_order(cells, "dataset", self.layout.datasets)
        wanted = self._metrics(metrics, datasets)
        suite = replace(self.layout.suite, metrics=tuple(use.label for use in wanted))
        # Inapplicable combinations, each once for all its repetitions.
        inapplicable = dict.fromkeys(
            Inapplicable(o.algorithm, o.dataset, o.oracle, o.reason) for o in outcomes if not o.key
        )
        plan = Plan(
            suite,
            cells=[replace(cell, metrics=wanted) for cell in cells],
            inapplicable=list(inapplicable),
            algorithms=self._in_order(cells, "algorithm", self.layout.algorithms),
            datasets=datasets,
            metrics=wanted,
            shard=self.layout.shard,
        )
        stored = self.store.find([c.key for c in cells], metric_keys(plan), self.run.id)
        return StoredPlan(plan, stored, tuple(self.changes))

    def _cell(self, outcome: Outcome, row: int) -> StoredCell:
        described = self.descriptions[outcome.key]
        return StoredCell(
            algorithm=self._use("algorithm", outcome.algorithm, described, row),
            dataset=self._use("dataset", outcome.dataset, described, row),
            oracle=self._use("oracle", outcome.oracle, described, row),
            repetition=outcome.repetition,
            seed=outcome.seed,
            budget=outcome.budget,
            checkpoints=tuple(described["checkpoints"]),
            metrics=(),
            stored_key=outcome.key,
            seeds=described,
        )

    def _use(self, kind: str, label: str, described: Mapping[str, Any], row: int) -> Use[Any]:
        same = kind, json.dumps(described[kind], sort_keys=True) + label
        if same in self.uses:
            return self.uses[same]
        try:
            use = use_described(getattr(self.registry, f"{kind}s"), described[kind])
        except HcbenchError as error:
            if kind == "dataset":
                raise
            name = described[kind]["name"]
            self.changes[f"{name} is not installed as it was, and is not needed: {error}"] = None
            use = self._stand_in(kind, label, described, row)
        self.uses[same] = replace(use, label=label)
        return self.uses[same]

    def _stand_in(self, kind: str, label: str, described: Mapping[str, Any], row: int) -> Use[Any]:
        """A spec that is never called, from what is stored with its cell."""
        distribution, _, name = described[kind]["name"].rpartition(":")
        plugin = Plugin(distribution, "", "")
        nowhere = "not.installed:function"
        spec: Spec
        if kind == "oracle":
            spec = OracleSpec(
                name=name, function=nowhere, doc="Not installed.", kind="none", needs=()
            )
        else:
            results = [point.result for point in self.store.results_of(row)]
            returns_tree = isinstance(results[-1], Tree | None) if results else True
            spec = AlgorithmSpec(
                name=name,
                function=nowhere,
                doc="Not installed.",
                accepts=("none",),
                hints=tuple(described["hints"]),
                returns="tree" if returns_tree else "partition",
                reference=label in self.layout.references,
            )
        return Use(spec, plugin, as_tuples(described[kind]["params"]), name, {})

    def _in_order(
        self, cells: Sequence[Cell], kind: str, labels: Sequence[str]
    ) -> tuple[Use[Any], ...]:
        """The algorithms, or data sets, in the order in which they were asked for."""
        uses = {getattr(cell, kind).label: getattr(cell, kind) for cell in cells}
        return tuple(uses[label] for label in dict.fromkeys([*labels, *uses]) if label in uses)

    def _metrics(
        self, new: Sequence[str], datasets: Sequence[Use[DatasetSpec]]
    ) -> tuple[Use[MetricSpec], ...]:
        """Those of the run that are installed, then the new ones."""
        labels = [metric.label for metric in self.layout.metrics]
        uses, changes = installed_metrics(labels, self.registry)
        self.changes |= dict.fromkeys(changes)
        asked = self.registry.use_all_metrics(new)
        for use in with_all_truths(asked, datasets):
            uses.setdefault(use.label, use)
        return tuple(replace(use, label=label) for label, use in uses.items())


def use_described(catalogue: Catalogue[S], described: Mapping[str, Any]) -> Use[S]:
    """What a stored cell used, as it is installed now.

    Parameters
    ----------
    catalogue : Catalogue
    described : mapping
        Its part of `Cell.describe`.

    Raises
    ------
    HcbenchError
        If it is not installed, or has other parameters.
    """
    try:
        entry = catalogue.find(described["name"])
    except UnknownNameError as error:
        raise UnknownNameError(f"{error}; for a plugin in a file, give --plugin FILE") from error
    return make_use(entry.spec, entry.plugin, as_tuples(described["params"]))


def installed_metrics(
    labels: Iterable[str], registry: Registry
) -> tuple[dict[str, Use[MetricSpec]], list[str]]:
    """Stored metrics by their labels, as they are installed now, and why others are excluded."""
    uses: dict[str, Use[MetricSpec]] = {}
    missing = []
    for label in labels:
        try:
            (uses[label],) = registry.use_metrics(label)
        except HcbenchError as error:
            missing.append(f"{label} is excluded: {error}")
    return uses, missing
