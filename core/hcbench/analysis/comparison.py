"""The data of a comparison: its outcomes, in groups of repetitions and as one tidy table.

Statistics, ranks, views and verdicts are functions of a `Comparison`; `hcbench.Results` puts them
together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, Self

from hcbench.analysis.groups import Group, group_outcomes, make_table
from hcbench.analysis.inference import Inference, allowed_inference
from hcbench.analysis.notes import Note
from hcbench.plan.columns import Outcomes
from hcbench.plan.outcome import REPORTED, Outcome, unit_of_cost
from hcbench.plan.presentation import MetricInfo, Names, Presentation, family_of_label
from hcbench.registry.names import same_name
from hcbench.registry.suite import Suite

if TYPE_CHECKING:
    import pandas

    from hcbench.plan.plan import Plan, Shard
    from hcbench.registry.parameters import Params
    from hcbench.store import RunInfo, Store


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """The data of a comparison; what is derived from them is computed when it is first used.

    Attributes
    ----------
    outcomes : Outcomes
        A sequence of `Outcome`, in columns; any iterable of them may be given.
    metrics : tuple of MetricInfo
        In order of display.
    suite : Suite, optional
        The suite with the claims.
    parameters : mapping of kind to mapping of label to parameters
        Of ``algorithms``, ``datasets``, ``oracles`` and ``metrics``, including defaults, so that
        claims may spell out a default.
    references : tuple of str
        Labels of algorithms that are reference lines, which are shown but not ranked.
    sizes : mapping of data digest to int
        Numbers of items, where known.
    names, query_kinds, received_truth, received_data, dependent_data, families, tags,
    deterministic
        As of `hcbench.plan.presentation.Presentation`; families of all data sets.
    reported_by_failures : tuple of str
        Labels of the costs and numbers that only calls that failed have reported. They are in the
        rows of these calls, and no metrics.
    remarks : tuple of Note
        What is known of the run from elsewhere, such as that it is a part of its plan.

    Examples
    --------
    >>> chain = np.array([[0.0], [1.1], [2.2], [3.3], [4.9], [5.2]])
    >>> data = {"chain": (chain, [0, 0, 0, 0, 1, 1])}
    >>> results = hcbench.compare(
    ...     ["Single", "Complete"], data, metrics=["AARI"], repetitions=1, progress=False
    ... )
    >>> isinstance(results, Comparison)
    True
    >>> results.algorithms, results.datasets
    (['Single', 'Complete'], ['chain'])
    >>> results.table.query("metric == 'AARI'")["value"].round(2).tolist()
    [1.0, -0.07]
    """

    # No slots: cached_property needs the dictionary of the instance.
    outcomes: Outcomes
    metrics: tuple[MetricInfo, ...]
    suite: Suite = field(default_factory=lambda: Suite(name=""))
    parameters: Mapping[str, Mapping[str, Params]] = field(default_factory=dict)
    references: tuple[str, ...] = ()
    sizes: Mapping[str, int] = field(default_factory=dict)
    names: Names = field(default_factory=dict)
    query_kinds: Mapping[str, str] = field(default_factory=dict)
    received_truth: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    received_data: Mapping[str, str] = field(default_factory=dict)
    dependent_data: tuple[str, ...] = ()
    families: Mapping[str, str] = field(default_factory=dict)
    tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    deterministic: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    reported_by_failures: tuple[str, ...] = ()
    remarks: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "outcomes", Outcomes.of(self.outcomes))
        _, datasets = self.outcomes.coded("dataset")
        # A run may have stored the families of some data sets only; the label says the others.
        families = {}
        for label in datasets:
            families[label] = self.families.get(label, family_of_label(label))
        object.__setattr__(self, "families", families)

    @classmethod
    def of_plan(cls, plan: Plan, outcomes: Sequence[Outcome]) -> Self:
        """The results of a plan."""
        return cls.of_layout(Presentation.of_plan(plan), outcomes)

    @classmethod
    def of_run(cls, store: Store, run: RunInfo) -> Self:
        """The results of a stored run.

        Raises
        ------
        StoreError
            If the store cannot be read.
        """
        layout = Presentation.of_description(run.layout)
        return cls.of_layout(layout, store.cells(run=run.id), store.sizes(run.id))

    @classmethod
    def of_layout(
        cls,
        layout: Presentation,
        outcomes: Iterable[Outcome],
        sizes: Mapping[str, int] | None = None,
    ) -> Self:
        """The results of a run, in the order of the plan.

        The claims are about the whole run, so those of a shard have no verdicts.

        Parameters
        ----------
        layout : Presentation
        outcomes : iterable of Outcome
        sizes : mapping of data digest to int, optional
            By default those of outcomes with results.
        """
        in_order = layout.in_order(outcomes)
        suite = layout.suite
        remarks: tuple[Note, ...] = ()
        if layout.shard is not None and not layout.shard.is_whole:
            suite = replace(suite, claims=())
            remarks = (_note_on_shard(layout.shard),)
        if sizes is None:
            sizes = in_order.sizes
        return cls(
            outcomes=in_order,
            metrics=layout.metrics + _reported(in_order),
            reported_by_failures=_reported_by_failures(in_order),
            suite=suite,
            parameters=layout.parameters,
            references=layout.references,
            sizes=sizes,
            names=layout.names,
            query_kinds=layout.query_kinds,
            received_truth=layout.received_truth,
            received_data=layout.received_data,
            dependent_data=layout.dependent_data,
            families=layout.families,
            tags=layout.tags,
            deterministic=layout.deterministic,
            remarks=remarks,
        )

    # ---- Cells ----------------------------------------------------------------------------------

    @cached_property
    def algorithms(self) -> list[str]:
        """Labels in the order of the plan; algorithms that could not run last."""
        return _labels(self.outcomes, "algorithm")

    @cached_property
    def datasets(self) -> list[str]:
        """Labels in the order of the plan; data sets on which nothing could run last."""
        return _labels(self.outcomes, "dataset")

    def matching(self, algorithm: str = "", dataset: str = "", oracle: str = "") -> Outcomes:
        """The outcomes that names describe; parameters with their defaults may be omitted."""
        outcomes = self.outcomes
        for part, name in (("algorithm", algorithm), ("dataset", dataset), ("oracle", oracle)):
            if not name:
                continue
            parameters = self.parameters.get(f"{part}s", {})
            _, labels = outcomes.coded(part)
            matching_labels = set()
            for label in labels:
                if same_name(name, label, parameters):
                    matching_labels.add(label)
            outcomes = outcomes.where(part, matching_labels)
        return outcomes

    @cached_property
    def groups(self) -> list[Group]:
        """Groups of repetitions; for each algorithm the checkpoints, then the end."""
        return group_outcomes(self.outcomes, self.algorithms, self.datasets, self.deterministic)

    @cached_property
    def run_groups(self) -> list[Group]:
        """The groups with at least one cell that was run."""
        return [group for group in self.groups if group.ran]

    def is_reference(self, item: Outcome | Group) -> bool:
        """Whether it belongs to a reference line, which is shown but not ranked."""
        return item.algorithm in self.references

    @cached_property
    def random_data(self) -> frozenset[str]:
        """Labels of the data sets that are declared to draw new data for each seed."""
        fixed = self.deterministic.get("datasets")
        if fixed is None:
            # A run that was stored without it.
            return frozenset()
        return frozenset(self.datasets) - set(fixed)

    @cached_property
    def table(self) -> pandas.DataFrame:
        """The tidy table: a row for each cell, checkpoint and metric (see `make_table`)."""
        return make_table(
            self.groups, self.metrics, self.parameters, self.references, self.families
        )

    @cached_property
    def competing(self) -> list[Group]:
        """The groups that are ranked.

        Reference lines are not, and neither are algorithms that ran nowhere.
        """
        ran = {group.algorithm for group in self.run_groups}
        competing = []
        for group in self.groups:
            if group.algorithm in ran and not self.is_reference(group):
                competing.append(group)
        return competing

    @cached_property
    def inference(self) -> Inference:
        """What statements about its algorithms the comparison allows."""
        groups = [group for group in self.competing if group.ran]
        # Data sets on which nothing ran are no blocks, and allow nothing.
        return allowed_inference(groups, self.dependent_data, self.families)


def _note_on_shard(shard: Shard) -> Note:
    """That a run is a part of its plan."""
    advice = "merge all shards with: hcbench results merge STORE... -o STORE"
    return Note(kind="part", text=f"this is {shard} of its plan; {advice}")


def _reported(outcomes: Outcomes) -> tuple[MetricInfo, ...]:
    """The numbers that algorithms reported of results, which are shown beside the metrics."""
    reported = []
    for label in _reported_labels(outcomes.where("status", {"ok"})):
        unit = unit_of_cost(label)
        if unit is None:
            # Nobody has declared whether more is better.
            reported.append(MetricInfo(label, "none", key=label))
        else:
            reported.append(
                MetricInfo(label, "lower", unit=unit, cost=True, interval="[0, inf)", key=label)
            )
    return tuple(reported)


def _reported_by_failures(outcomes: Outcomes) -> tuple[str, ...]:
    """The labels of the numbers that no call with a result has reported."""
    of_results = _reported_labels(outcomes.where("status", {"ok"}))
    labels = []
    for label in _reported_labels(outcomes):
        if label not in of_results:
            labels.append(label)
    return tuple(labels)


def _reported_labels(outcomes: Outcomes) -> list[str]:
    """The labels of the numbers that algorithms reported, in the order of their first cells."""
    return [label for label in outcomes.labels if label.endswith(REPORTED)]


def _labels(outcomes: Outcomes, kind: Literal["algorithm", "dataset"]) -> list[str]:
    """Labels in the order of the plan; those of cells that could not run last."""
    # A cell that was skipped has no key, as it is in no store.
    ran = outcomes.column("key") != ""
    # A dictionary, as it keeps the order.
    labels: dict[str, None] = {}
    for part in (outcomes.take(ran), outcomes.take(~ran)):
        codes, names = part.coded(kind)
        for code in dict.fromkeys(codes.tolist()):
            labels[names[code]] = None
    return list(labels)
