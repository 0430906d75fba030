"""New metrics of old results: a plan made from what a run has kept, in which nothing is run.

The data are made again from their seeds, as the metrics need them. Algorithms and oracles need not
be there any more: what is to be known of them is kept with their cells.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from hcbench.errors import HcbenchError, UnknownNameError
from hcbench.model.trees import Tree
from hcbench.plan.cell import Cell
from hcbench.plan.outcome import Outcome
from hcbench.plan.plan import Inapplicable, Plan, metric_keys
from hcbench.plan.presentation import Layout
from hcbench.plan.truths import with_all_truths
from hcbench.registry import Catalogue, Registry, Use, make_use
from hcbench.registry.plugins import Plugin
from hcbench.registry.specs import AlgorithmSpec, DatasetSpec, MetricSpec, OracleSpec, Params, Spec
from hcbench.store import RunInfo, Store, Stored


@dataclass(frozen=True, eq=False, kw_only=True)
class KeptCell(Cell):
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
class Kept:
    """What a run has kept, as a plan.

    Attributes
    ----------
    plan : Plan
        With its metrics and the new ones.
    stored : mapping of key to Stored
        The rows of its cells.
    changes : tuple of str
        What is not as it was, for the reader.
    """

    plan: Plan
    stored: Mapping[str, Stored]
    changes: tuple[str, ...]


def plan_of_run(store: Store, run: RunInfo, registry: Registry, metrics: Sequence[str]) -> Kept:
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
        If a metric is unknown, or a data set is not here any more.
    """
    outcomes = [outcome for outcome, _ in store.outcomes(run=run.id)]
    making = _Making(store, run, registry, Layout.of_description(run.layout))
    return making.plan(outcomes, metrics)


class _Making:
    """A plan on its way."""

    def __init__(self, store: Store, run: RunInfo, registry: Registry, layout: Layout) -> None:
        self.store = store
        self.run = run
        self.registry = registry
        self.layout = layout
        self.changes: dict[str, None] = {}
        self.uses: dict[tuple[str, str], Use[Any]] = {}
        self.descriptions = store.descriptions(run.id)

    def plan(self, outcomes: Sequence[Outcome], metrics: Sequence[str]) -> Kept:
        rows = self.store.find_in(self.run.id, {})
        cells = [self._cell(o, rows[o.key]) for o in outcomes if o.key]
        datasets = self._in_order(cells, "dataset", self.layout.datasets)
        wanted = self._metrics(metrics, datasets)
        suite = replace(self.layout.suite, metrics=tuple(use.label for use in wanted))
        plan = Plan(
            suite,
            cells=[replace(cell, metrics=wanted) for cell in cells],
            inapplicable=_inapplicable(outcomes),
            algorithms=self._in_order(cells, "algorithm", self.layout.algorithms),
            datasets=datasets,
            metrics=wanted,
            shard=self.layout.shard,
        )
        stored = self.store.find_in(self.run.id, metric_keys(plan))
        return Kept(plan, stored, tuple(self.changes))

    def _cell(self, outcome: Outcome, stored: Stored) -> KeptCell:
        described = self.descriptions[outcome.key]
        algorithm, dataset, oracle = (
            self._use(kind, label, described, stored)
            for kind, label in (
                ("algorithm", outcome.algorithm),
                ("dataset", outcome.dataset),
                ("oracle", outcome.oracle),
            )
        )
        return KeptCell(
            algorithm=algorithm,
            dataset=dataset,
            oracle=oracle,
            repetition=outcome.repetition,
            seed=outcome.seed,
            budget=outcome.budget,
            checkpoints=tuple(described["checkpoints"]),
            metrics=(),
            stored_key=outcome.key,
            seeds=described,
        )

    def _use(self, kind: str, label: str, described: Mapping[str, Any], stored: Stored) -> Use[Any]:
        said = described[kind]
        known = json.dumps(said, sort_keys=True) + label
        if (kind, known) not in self.uses:
            self.uses[kind, known] = replace(self._make_use(kind, described, stored), label=label)
        return self.uses[kind, known]

    def _make_use(self, kind: str, described: Mapping[str, Any], stored: Stored) -> Use[Any]:
        catalogue: Catalogue[Any] = getattr(self.registry, f"{kind}s")
        said = described[kind]
        params = {name: as_tuples(value) for name, value in said["params"].items()}
        try:
            entry = catalogue.find(said["name"])
            use = make_use(entry.spec, entry.plugin, params)
        except HcbenchError as error:
            if kind == "dataset":
                if isinstance(error, UnknownNameError):
                    raise UnknownNameError(f"{error}; one of a file needs --plugin FILE") from error
                raise
            self.changes[f"{said['name']} is not here as it was, and is not needed: {error}"] = None
            return self._stand_in(kind, described, stored, params)
        return use

    def _stand_in(
        self, kind: str, described: Mapping[str, Any], stored: Stored, params: Params
    ) -> Use[Any]:
        """Something that is not called: what its cell tells of it is enough."""
        distribution, _, name = described[kind]["name"].rpartition(":")
        plugin = Plugin(distribution, "", "")
        nowhere = "hcbench.run.rescore:not_here"
        spec: Spec
        if kind == "oracle":
            spec = OracleSpec(name=name, function=nowhere, doc="Not here.", kind="none", needs=())
        else:
            results = [point.result for point in self.store.results_of(stored.row)]
            returns_tree = isinstance(results[-1], Tree | None) if results else True
            spec = AlgorithmSpec(
                name=name,
                function=nowhere,
                doc="Not here.",
                accepts=("none",),
                hints=tuple(described["hints"]),
                returns="tree" if returns_tree else "partition",
                reference=stored.algorithm in self.layout.references,
            )
        return Use(spec, plugin, params, name, {})

    def _in_order(
        self, cells: Sequence[Cell], kind: str, labels: Sequence[str]
    ) -> tuple[Use[Any], ...]:
        """The algorithms, or data sets, in the order in which they were asked for."""
        found = {getattr(cell, kind).label: getattr(cell, kind) for cell in cells}
        return tuple(found[label] for label in dict.fromkeys([*labels, *found]) if label in found)

    def _metrics(
        self, new: Sequence[str], datasets: Sequence[Use[DatasetSpec]]
    ) -> tuple[Use[MetricSpec], ...]:
        """Those of the run as far as they are here, then the new ones."""
        found: dict[str, Use[MetricSpec]] = {}
        for metric in self.layout.metrics:
            try:
                (found[metric.label],) = self.registry.use_metrics(metric.label)
            except HcbenchError as error:
                self.changes[f"{metric.label} is left out: {error}"] = None
        asked = [use for name in new for use in self.registry.use_metrics(name)]
        for use in with_all_truths(asked, datasets):
            found.setdefault(use.label, use)
        return tuple(replace(use, label=label) for label, use in found.items())


def _inapplicable(outcomes: Sequence[Outcome]) -> list[Inapplicable]:
    """Combinations that could not be, each once for all its repetitions."""
    return list(
        dict.fromkeys(
            Inapplicable(o.algorithm, o.dataset, o.oracle, o.reason) for o in outcomes if not o.key
        )
    )


def not_here(*_args: object, **_params: object) -> None:
    """What stands for a function that is not installed.

    Raises
    ------
    UnknownNameError
        If it is called after all.
    """
    raise UnknownNameError("it is not installed any more")


def as_tuples(value: Any) -> Any:
    """JSON has lists where parameters have tuples."""
    return tuple(as_tuples(item) for item in value) if isinstance(value, list) else value
