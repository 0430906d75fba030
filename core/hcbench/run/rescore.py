"""The plan of a stored run, with more metrics, to compute them without running a cell.

The data are made again from their seeds. Algorithms and oracles need not be installed any more, as
what the metrics need of them is stored with each cell.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

from hcbench.errors import HcbenchError, UnknownNameError
from hcbench.model.trees import Tree
from hcbench.plan.cell import Cell, as_tuples
from hcbench.plan.columns import Outcomes
from hcbench.plan.outcome import Outcome
from hcbench.plan.plan import Inapplicable, Plan, metric_keys
from hcbench.plan.presentation import Presentation
from hcbench.plan.truths import with_all_truths
from hcbench.registry import Registry
from hcbench.registry.catalogue import Catalogue
from hcbench.registry.metric_specs import MetricSpec
from hcbench.registry.plugins import Plugin
from hcbench.registry.specs import AlgorithmSpec, DatasetSpec, OracleSpec, Spec
from hcbench.registry.uses import Use
from hcbench.store import RunInfo, Store

#: The function of a spec that stands for one that is not installed: it is never called.
_NOWHERE = "not.installed:function"


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
        """The key under which it is stored."""
        return self.stored_key

    @property
    def data_seed(self) -> int:
        """The seed with which its data were made."""
        return int(self.seeds["data_seed"])

    @property
    def noise_seed(self) -> int:
        """The seed with which its oracle erred."""
        return int(self.seeds["noise_seed"])

    @property
    def algorithm_seed(self) -> int:
        """The seed with which its algorithm ran."""
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

    Examples
    --------
    >>> from hcbench.store import Store
    >>> results = hcbench.compare(
    ...     "Single", "planted[N0=2]", store="results.sqlite", progress=False, repetitions=1
    ... )
    >>> with Store("results.sqlite") as store:
    ...     stored = plan_of_run(store, store.run(), hcbench.load_registry(), ["clade-recovery"])
    >>> [metric.label for metric in stored.plan.metrics][-1]
    'clade-recovery'
    >>> len(stored.stored_results)
    1
    """
    return _StoredRun(store, run, registry).plan(metrics)


class _StoredRun:
    """A stored run, and what of it is still installed."""

    def __init__(self, store: Store, run: RunInfo, registry: Registry) -> None:
        self.store = store
        self.run = run
        self.registry = registry
        self.layout = Presentation.of_description(run.layout)
        # What has changed since, in words, each once.
        self.changes: dict[str, None] = {}
        # By kind and description, as many cells have the same.
        self.uses: dict[tuple[str, str], Use[Any]] = {}
        self.descriptions = store.descriptions(run.id)

    def plan(self, metrics: Sequence[str]) -> StoredPlan:
        outcomes = self.store.cells(run=self.run.id)
        cells = []
        inapplicable: dict[Inapplicable, None] = {}
        for outcome, row in zip(outcomes, outcomes.column("row").tolist(), strict=True):
            if outcome.key:
                cells.append(self._cell(outcome, row))
                continue
            # A combination is inapplicable once for all its repetitions.
            combination = Inapplicable(
                outcome.algorithm, outcome.dataset, outcome.oracle, outcome.reason
            )
            inapplicable[combination] = None
        datasets = self._in_order(cells, "dataset", self.layout.datasets)
        all_metrics = self._metrics(metrics, datasets)
        labels = tuple([use.label for use in all_metrics])
        plan = Plan(
            replace(self.layout.suite, metrics=labels),
            cells=[replace(cell, metrics=all_metrics) for cell in cells],
            inapplicable=list(inapplicable),
            algorithms=self._in_order(cells, "algorithm", self.layout.algorithms),
            datasets=datasets,
            metrics=all_metrics,
            shard=self.layout.shard,
        )
        keys = [cell.key for cell in cells]
        stored = self.store.find(keys, metric_keys(plan), self.run.id)
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
        """What a cell used, as it is installed now; a stand-in if it need not be."""
        description = json.dumps(described[kind], sort_keys=True) + label
        if (kind, description) not in self.uses:
            use = self._find(kind, label, described, row)
            self.uses[kind, description] = replace(use, label=label)
        return self.uses[kind, description]

    def _find(self, kind: str, label: str, described: Mapping[str, Any], row: int) -> Use[Any]:
        try:
            return use_described(self.registry, kind, described[kind])
        except HcbenchError as error:
            if kind == "dataset":
                raise  # the data have to be made again
            name = described[kind]["name"]
            self.changes[f"{name} is not installed as it was, and is not needed: {error}"] = None
            return self._stand_in(kind, label, described, row)

    def _stand_in(self, kind: str, label: str, described: Mapping[str, Any], row: int) -> Use[Any]:
        """A spec that is never called, from what is stored with its cell."""
        distribution, _, name = described[kind]["name"].rpartition(":")
        spec: Spec
        if kind == "oracle":
            spec = OracleSpec(
                name=name, function=_NOWHERE, doc="Not installed.", kind="none", needs=()
            )
        else:
            returns: Literal["tree", "partition"] = "partition"
            if self._has_tree(row):
                returns = "tree"
            spec = AlgorithmSpec(
                name=name,
                function=_NOWHERE,
                doc="Not installed.",
                accepts=("none",),
                hints=tuple(described["hints"]),
                returns=returns,
                reference=label in self.layout.references,
            )
        plugin = Plugin(distribution=distribution, entry_point="", version="")
        params = as_tuples(described[kind]["params"])
        return Use(spec=spec, plugin=plugin, params=params, label=name, digests={})

    def _has_tree(self, row: int) -> bool:
        """Whether the result in a row is a tree; true if there is none."""
        points = self.store.results_of(row)
        return not points or isinstance(points[-1].result, Tree | None)

    def _in_order(
        self, cells: Sequence[Cell], kind: str, labels: Sequence[str]
    ) -> tuple[Use[Any], ...]:
        """The algorithms, or data sets, in the order in which they were asked for."""
        uses: dict[str, Use[Any]] = {}
        for cell in cells:
            use = getattr(cell, kind)
            uses[use.label] = use
        # The layout lacks those that were not planned; it may have some that no cell uses.
        in_order = []
        for label in dict.fromkeys(list(labels) + list(uses)):
            if label in uses:
                in_order.append(uses[label])
        return tuple(in_order)

    def _metrics(
        self, new: Sequence[str], datasets: Sequence[Use[DatasetSpec]]
    ) -> tuple[Use[MetricSpec], ...]:
        """Those of the run that are installed, then the new ones."""
        labels = [metric.label for metric in self.layout.metrics]
        uses, changes = installed_metrics(labels, self.registry)
        self.changes |= dict.fromkeys(changes)
        requested = self.registry.use_all_metrics(new)
        for use in with_all_truths(requested, datasets):
            uses.setdefault(use.label, use)
        # Under the labels of the run, also if shorter ones are unique now.
        relabelled = []
        for label, use in uses.items():
            relabelled.append(replace(use, label=label))
        return tuple(relabelled)


def use_described(registry: Registry, kind: str, described: Mapping[str, Any]) -> Use[Any]:
    """What a stored cell used, as it is installed now.

    Parameters
    ----------
    registry : Registry
    kind : {"algorithm", "dataset", "oracle"}
    described : mapping
        Its part of `Cell.describe`.

    Raises
    ------
    HcbenchError
        If it is not installed, or has other parameters.

    Examples
    --------
    >>> registry = hcbench.load_registry()
    >>> described = {"name": "UPGMA", "params": {"metric": "cosine"}}
    >>> use_described(registry, "algorithm", described).label
    'UPGMA[metric=cosine]'
    """
    catalogue: Catalogue[Any] = getattr(registry, f"{kind}s")
    try:
        entry = catalogue.find(described["name"])
    except UnknownNameError as error:
        raise UnknownNameError(f"{error}; for a plugin in a file, give --plugin FILE") from error
    return entry.use(as_tuples(described["params"]))


def installed_metrics(
    labels: Iterable[str], registry: Registry
) -> tuple[dict[str, Use[MetricSpec]], list[str]]:
    """Stored metrics by their labels, as they are installed now, and why others are excluded.

    Examples
    --------
    >>> registry = hcbench.load_registry()
    >>> uses, missing = installed_metrics(["AARI", "no-such"], registry)
    >>> list(uses), len(missing)
    (['AARI'], 1)
    >>> print(missing[0])
    no-such is excluded: no metric is called 'no-such'; ...
    """
    uses: dict[str, Use[MetricSpec]] = {}
    missing = []
    for label in labels:
        try:
            (uses[label],) = registry.use_metrics(label)
        except HcbenchError as error:
            missing.append(f"{label} is excluded: {error}")
    return uses, missing
