"""The results of a comparison; derived values are computed when they are first used."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from hcbench.analysis.differences import paired_differences
from hcbench.analysis.groups import (
    Group,
    Inference,
    allowed_inference,
    group_outcomes,
    make_table,
    values_at,
)
from hcbench.analysis.ranks import Ranking, describe_ranking, find_best, make_blocks, rank
from hcbench.analysis.tables import Block, to_latex, to_markdown
from hcbench.claims.verdicts import (
    FalseVerdicts,
    Verdict,
    describe_claimed,
    expect_false_verdicts,
    judge_claim,
)
from hcbench.errors import HcbenchError
from hcbench.plan.columns import COSTS, Outcomes, Values
from hcbench.plan.outcome import REPORTED, Outcome
from hcbench.plan.presentation import MetricInfo, Names, Presentation, family_of_label
from hcbench.registry.names import same_name
from hcbench.registry.suite import Suite
from hcbench.results.overviews import describe_numbers, make_tables

if TYPE_CHECKING:
    import pandas

    from hcbench.plan.plan import Plan
    from hcbench.registry.specs import Params
    from hcbench.store import RunInfo, Store


def to_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """A header line, and a line for each row."""
    import pandas

    columns = None if rows else ["algorithm"]
    text: str = pandas.DataFrame(rows, columns=columns, dtype=object).to_csv(index=False)
    return text


def write_text(text: str, path: str | Path | None) -> str:
    """Return the text, after writing it to a file if one is given."""
    if path is not None:
        try:
            Path(path).write_text(text, encoding="utf-8")
        except OSError as error:
            raise HcbenchError.of_file("write", path, error) from error
    return text


#: The columns of `Outcomes` that begin a row, and those that end it.
_ABOUT = ("algorithm", "dataset", "oracle", "repetition", "seed", "budget", "status", "reason")
_FIRST = (*_ABOUT, "stopped", *COSTS, "load", "frequency", "host")
_LAST = ("key", "notes", "reused")


@dataclass(frozen=True, eq=False, repr=False)
class Results:
    """The results of a comparison.

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
    names, query_kinds, truth_given, data_given, dependent_data, families, deterministic
        As of `hcbench.plan.presentation.Presentation`; families of all data sets.
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
    truth_given: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    data_given: Mapping[str, str] = field(default_factory=dict)
    dependent_data: tuple[str, ...] = ()
    families: Mapping[str, str] = field(default_factory=dict)
    deterministic: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "outcomes", Outcomes.of(self.outcomes))
        _, datasets = self.outcomes.coded("dataset")
        families = {label: self.families.get(label, family_of_label(label)) for label in datasets}
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
        is_part = layout.shard is not None and not layout.shard.is_whole
        return cls(
            in_order,
            (*layout.metrics, *_reported(in_order)),
            replace(layout.suite, claims=()) if is_part else layout.suite,
            layout.parameters,
            layout.references,
            in_order.sizes if sizes is None else sizes,
            layout.names,
            layout.query_kinds,
            layout.truth_given,
            layout.data_given,
            layout.dependent_data,
            layout.families,
            layout.deterministic,
        )

    def __repr__(self) -> str:
        failed = self.outcomes.failed.sum()
        return (
            f"<Results: {len(self.outcomes)} cells, algorithms: {len(self.algorithms)}, "
            f"data sets: {len(self.datasets)}, failed: {failed}>"
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
        chosen = self.outcomes
        for part, name in {"algorithm": algorithm, "dataset": dataset, "oracle": oracle}.items():
            known = self.parameters.get(f"{part}s", {})
            _, labels = chosen.coded(part)
            alike = {label for label in labels if name and same_name(name, label, known)}
            chosen = chosen.where(part, alike) if name else chosen
        return chosen

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
    def table(self) -> pandas.DataFrame:
        """The tidy table: a row for each cell, checkpoint and metric (see `make_table`)."""
        return make_table(
            self.groups, self.metrics, self.parameters, self.references, self.families
        )

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """One entry for each cell and checkpoint; at the end of a cell the checkpoint is None.

        Costs such as ``seconds`` and ``peak_bytes`` are those of the whole call; ``queries`` and
        ``metrics`` are those of the checkpoint.
        """
        rows = []
        for checkpoint, places in self.outcomes.points:
            part = self.outcomes.take(places)
            columns = {name: part.column(name).tolist() for name in (*_FIRST, *_LAST)}
            if checkpoint is not None:
                columns["queries"] = part.costs("queries", checkpoint).tolist()
            first = zip(*(columns[name] for name in _FIRST), strict=True)
            values = {m.label: values_at(part, m.label, checkpoint) for m in self.metrics}
            numbers = [of_one.optional for of_one in values.values()]
            reasons = {label: _reasons(of_one) for label, of_one in values.items()}
            for i, (place, about) in enumerate(zip(places.tolist(), first, strict=True)):
                row = {
                    **dict(zip(_FIRST, about, strict=True)),
                    "checkpoint": checkpoint,
                    "metrics": {m: of_one[i] for m, of_one in zip(values, numbers, strict=True)},
                    "metric_reasons": {m: why[i] for m, why in reasons.items() if i in why},
                    "reference": columns["algorithm"][i] in self.references,
                    "family": self.families[columns["dataset"][i]],
                    "key": columns["key"][i],
                    "notes": list(columns["notes"][i]),
                    "reused": columns["reused"][i],
                }
                rows.append((place, row))
        return [row for _, row in sorted(rows, key=lambda pair: pair[0])]

    @cached_property
    def summary(self) -> list[dict[str, Any]]:
        """Mean and uncertainty for each algorithm, data set, oracle, budget, checkpoint, metric.

        ``failed`` counts repetitions without a value because of a failure, which are not in ``n``.
        """
        return [
            {
                **group.place,
                "metric": metric.label,
                **asdict(group.summary(metric)),
                "failed": group.failed(metric.label),
            }
            for group in self.groups
            for metric in self.metrics
        ]

    # ---- Rankings --------------------------------------------------------------------------------

    def best_rows(self, dataset: str, metric: MetricInfo) -> list[Group]:
        """The best groups of a data set (see `find_best`), no references; none without ranks."""
        groups = [g for g in self.competing if self.suite.ranks and g.dataset == dataset]
        return find_best(groups, metric, self.query_kinds)

    def is_true(self, group: Group) -> bool:
        """Whether it is a reference line that knows the truth."""
        known = self.truth_given.get(group.algorithm, {})
        return self.is_reference(group) and group.dataset in known

    def informed(self, group: Group) -> str:
        """Data that a group has beside the answers, or what of the truth only it has; or ""."""
        if self.is_reference(group):
            return ""
        data, truth = self.data_given.get(group.algorithm), self._given_truth(group)
        rivals = (g for g in self.competing if g.dataset == group.dataset and g.oracle)
        if truth and all(self._given_truth(rival) for rival in rivals):
            truth = ""
        return "; ".join(filter(None, (data and f"reads {data} beside the answers", truth)))

    def _given_truth(self, group: Group) -> str:
        hint = self.truth_given.get(group.algorithm, {}).get(group.dataset)
        if hint:
            return f"receives {hint}, which others do not"
        if group.dataset in self.truth_given.get(group.oracle, {}):
            return "its oracle answers from the truth, which others do not see"
        return ""

    @cached_property
    def caveats(self) -> tuple[str, ...]:
        """What to keep in mind about algorithms in any figure: those that see more."""
        texts = {(g.algorithm, text): None for g in self.competing if (text := self.informed(g))}
        return tuple(f"{algorithm}: {text}" for algorithm, text in texts)

    def best(self) -> list[dict[str, Any]]:
        """The best algorithms for each data set, metric and checkpoint.

        Returns
        -------
        list of dict
            ``metric``, ``dataset``, ``algorithm`` and so on; several for a tie, none where fewer
            than two algorithms are comparable.
        """
        return [
            {"metric": metric.label, **group.place}
            for dataset in self.datasets
            for metric in self.metrics
            for group in self.best_rows(dataset, metric)
        ]

    @cached_property
    def rankings(self) -> list[Ranking]:
        """Average ranks over data sets for each metric of quality, with their significance.

        If the first metric is a cost, costs are ranked instead, but for queries, whose kinds are
        not compared. `hcbench.analysis.groups` says what the blocks are, and whether there is a
        test. Algorithms that failed in too many repetitions rank last. A block is excluded if
        an algorithm did not run there, but elsewhere, or the metric is undefined for one. Reference
        lines are not ranked. Empty for a single algorithm, and for a suite without `ranks`.
        """
        by_cost = any(metric.cost for metric in self.metrics[:1])
        rankings = [
            rank(
                make_blocks(
                    self.competing, metric, dependent=self.dependent_data, families=self.families
                ),
                metric,
            )
            for metric in self.metrics
            if self.suite.ranks and metric.cost == by_cost and metric.direction != "none"
            if not (by_cost and metric.unit == "queries")
        ]
        return [r for r in rankings if r.n_blocks and len(r.competitors) > 1]

    @cached_property
    def inference(self) -> Inference:
        """What statements about its algorithms the comparison allows."""
        groups = [group for group in self.competing if group.ran]
        return allowed_inference(groups, self.dependent_data, self.families)

    @cached_property
    def competing(self) -> list[Group]:
        """The groups that are ranked: those of no reference line, nor of what ran nowhere."""
        ran = {group.algorithm for group in self.run_groups}
        return [g for g in self.groups if g.algorithm in ran and not self.is_reference(g)]

    @cached_property
    def ranking(self) -> list[dict[str, Any]]:
        """`rankings` as rows: one for each metric and algorithm, best first."""
        return [
            {
                "metric": ranking.metric.label,
                "algorithm": name,
                "average_rank": rank,
                "blocks": ranking.n_blocks,
                "block": ranking.unit,
                "failed": ranking.failed,
            }
            for ranking in self.rankings
            for name, rank in zip(ranking.competitors, ranking.ranks, strict=True)
        ]

    @cached_property
    def verdicts(self) -> list[dict[str, Any]]:
        """The verdict on each claim of the suite.

        ``paper`` is the number in the paper, None for a statement in words; ``printed`` is the
        claim in short; ``repetitions`` counts those that are judged.
        """
        judged = ("corrected", "verdict", "note", "basis", "repetitions", "level")
        measured = ("measured", "standard_error", "low", "high", *judged)
        return [
            {
                "claim": verdict.claim.claim,
                "paper": float(verdict.claim.paper) if verdict.claim.paper else None,
                "printed": describe_claimed(verdict.claim),
                **{name: getattr(verdict, name) for name in measured},
            }
            for verdict in self.judged
        ]

    @cached_property
    def judged(self) -> list[Verdict]:
        """The verdicts on the claims of the suite, as objects."""
        return [judge_claim(claim, self) for claim in self.suite.claims]

    @cached_property
    def false_verdicts(self) -> FalseVerdicts:
        """How many of the verdicts are expected to be false by chance, at most."""
        return expect_false_verdicts(self.judged)

    @cached_property
    def differences(self) -> list[dict[str, Any]]:
        """Paired differences between the best algorithm of each data set and each other.

        For each metric of quality, over common repetitions, so that variation due to shared data
        and, with one oracle, shared noise cancels.
        """
        return [
            {"metric": metric.label, **asdict(pair)}
            for metric in self.metrics
            if not metric.cost
            for pair in paired_differences(self, metric.label)
        ]

    # ---- Written forms ---------------------------------------------------------------------------

    def to_json(self, path: str | Path | None = None) -> str:
        """All results as one object.

        ``cells``, ``summary``, ``ranking``, ``significance``, ``differences``, ``verdicts`` and
        ``false_verdicts``. Strict JSON: infinite numbers and NaN become null.
        """
        everything = {
            "cells": self.rows,
            "summary": self.summary,
            "ranking": self.ranking,
            "significance": [describe_ranking(ranking) for ranking in self.rankings],
            "differences": self.differences,
            "verdicts": self.verdicts,
            "false_verdicts": asdict(self.false_verdicts),
        }
        finite = json.loads(json.dumps(everything), parse_constant=lambda _: None)
        return write_text(json.dumps(finite, indent=1, allow_nan=False) + "\n", path)

    def to_csv(self, path: str | Path | None = None) -> str:
        """A row for each cell and checkpoint, with a column for each metric."""
        return write_text(to_csv(self.flat_rows), path)

    def to_frame(self) -> pandas.DataFrame:
        """The rows of `to_csv` as a pandas DataFrame; `table` is the tidy form."""
        import pandas

        return pandas.DataFrame(self.flat_rows)

    @property
    def flat_rows(self) -> list[dict[str, Any]]:
        """`rows` without nesting; "(metric)" follows a metric with the name of a column."""
        rows = []
        for cell in self.rows:
            row = {k: v for k, v in cell.items() if k not in ("metrics", "metric_reasons")}
            for label, value in cell["metrics"].items():
                row[f"{label} (metric)" if label in cell else label] = value
            reasons = cell["metric_reasons"].items()
            row["metric_reasons"] = "; ".join(f"{label}: {why}" for label, why in reasons)
            row["notes"] = "; ".join(cell["notes"])
            rows.append(row)
        return rows

    def _tables(self) -> tuple[list[Block], list[str]]:
        return make_tables(self), describe_numbers(self, "bold")

    def to_markdown(self, path: str | Path | None = None) -> str:
        """The tables in Markdown."""
        return write_text(to_markdown(*self._tables()), path)

    def to_latex(self, path: str | Path | None = None) -> str:
        r"""The tables in LaTeX; they need ``\usepackage{booktabs}``."""
        return write_text(to_latex(*self._tables()), path)


def _reasons(values: Values) -> dict[int, str]:
    """Why a value is no finite number, by its place."""
    odd = {i: values[i] for i in np.flatnonzero(~np.isfinite(values.numbers)).tolist()}
    return {i: value.reason or f"the value is {value.value}" for i, value in odd.items()}


def _reported(outcomes: Outcomes) -> tuple[MetricInfo, ...]:
    """The numbers that algorithms reported, which are shown beside the metrics."""
    labels = [label for label in outcomes.labels if label.endswith(REPORTED)]
    return tuple(MetricInfo(label, "none", key=label) for label in labels)


def _labels(outcomes: Outcomes, kind: Literal["algorithm", "dataset"]) -> list[str]:
    ran = outcomes.column("key") != ""
    in_order = (outcomes.take(ran), outcomes.take(~ran))
    coded = (part.coded(kind) for part in in_order)
    return list(dict.fromkeys(o[code] for c, o in coded for code in dict.fromkeys(c.tolist())))
