"""The results of a comparison, as callers have them: everything is derived when it is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from hcbench.analysis.groups import Group, group_outcomes
from hcbench.analysis.results.files import strict_json, to_csv, write_text
from hcbench.analysis.results.rows import cell_row, flat_row, group_rows, ranking_rows, verdict_row
from hcbench.analysis.tables import Block, markup
from hcbench.analysis.tables.datasets import describe_numbers
from hcbench.analysis.tables.overviews import make_tables
from hcbench.analysis.verdicts import Verdict, judge_claim
from hcbench.analysis.views.differences import paired_differences
from hcbench.analysis.views.ranks import Ranking, find_best, rank_algorithms
from hcbench.analysis.views.significance import describe_ranking
from hcbench.errors import HcbenchError
from hcbench.plan.outcome import Outcome, ScoredPoint
from hcbench.plan.presentation import MetricInfo, Presentation
from hcbench.registry.suite import Suite

if TYPE_CHECKING:
    import pandas

    from hcbench.plan.plan import Plan
    from hcbench.registry.specs import Params


@dataclass(frozen=True, eq=False, repr=False)
class Results:
    """The results of a comparison.

    Attributes
    ----------
    outcomes : list of Outcome
    metrics : tuple of MetricInfo
        In the order in which they are shown.
    suite : Suite, optional
        Whose claims are judged.
    parameters : mapping of kind to mapping of label to parameters
        Of ``algorithms``, ``datasets``, ``oracles`` and ``metrics``, defaults included, so that
        claims that spell out a default find their cells.
    references : tuple of str
        Labels of the algorithms that are reference lines: shown, never marked best nor ranked.
    sizes : mapping of data digest to int
        How many items the data have, where it is known.
    """

    # No slots: cached_property keeps what is derived in the instance's dictionary.
    outcomes: list[Outcome]
    metrics: tuple[MetricInfo, ...]
    suite: Suite = field(default_factory=lambda: Suite(name=""))
    parameters: Mapping[str, Mapping[str, Params]] = field(default_factory=dict)
    references: tuple[str, ...] = ()
    sizes: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of_plan(cls, plan: Plan, outcomes: Sequence[Outcome]) -> Self:
        """The results of a plan."""
        return cls.of_layout(Presentation.of_plan(plan), outcomes)

    @classmethod
    def of_layout(
        cls,
        layout: Presentation,
        outcomes: Iterable[Outcome],
        sizes: Mapping[str, int] | None = None,
    ) -> Self:
        """The results of a run, in the order in which they were asked for.

        Those of a shard are not judged by claims, which are about the whole.

        Parameters
        ----------
        layout : Presentation
        outcomes : iterable of Outcome
        sizes : mapping of data digest to int, optional
            By default those of the outcomes that hold their results.
        """
        in_order = layout.in_order(outcomes)
        is_part = layout.shard is not None and not layout.shard.is_whole
        return cls(
            in_order,
            layout.metrics,
            replace(layout.suite, claims=()) if is_part else layout.suite,
            layout.parameters,
            layout.references,
            _sizes(in_order) if sizes is None else sizes,
        )

    def __repr__(self) -> str:
        failed = sum(outcome.failed for outcome in self.outcomes)
        return (
            f"<Results: {len(self.outcomes)} cells of {len(self.algorithms)} algorithms on "
            f"{len(self.datasets)} data sets, {failed} failed>"
        )

    # ---- What there is ---------------------------------------------------------------------------

    @cached_property
    def algorithms(self) -> list[str]:
        """Labels, in the order asked for; those that could run nowhere last."""
        return _labels(self.outcomes, "algorithm")

    @cached_property
    def datasets(self) -> list[str]:
        """Labels, in the order asked for; those on which nothing could run last."""
        return _labels(self.outcomes, "dataset")

    @cached_property
    def groups(self) -> list[Group]:
        """Repetitions that belong together; of each algorithm the checkpoints, then the end."""
        return group_outcomes(self.outcomes, self.algorithms, self.datasets)

    def is_reference(self, item: Outcome | Group) -> bool:
        """Whether it is of a reference line, which is shown but never ranked."""
        return item.algorithm in self.references

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """One entry for each cell and checkpoint; at the end of a cell the checkpoint is None.

        ``seconds``, ``peak_bytes`` and the like are those of the whole call in all its entries;
        ``queries`` and ``metrics`` those of the point.
        """
        return [
            cell_row(outcome, point, self.metrics, reference=self.is_reference(outcome))
            for outcome in self.outcomes
            for point in outcome.points or (ScoredPoint(),)
        ]

    @cached_property
    def summary(self) -> list[dict[str, Any]]:
        """Mean and uncertainty for each algorithm, data set, oracle, budget, checkpoint, metric.

        ``failed`` counts the repetitions without a value because of a failure; they are not in
        ``n``.
        """
        return group_rows(self.groups, self.metrics)

    # ---- Who is better ---------------------------------------------------------------------------

    def best_rows(self, dataset: str, metric: MetricInfo) -> list[Group]:
        """The groups with the best mean on a data set, at each checkpoint; ties are all best.

        One that failed in a repetition is not among them: its mean is one of other data. Counts
        of questions are compared only where the oracle is the same. Reference lines have no rank.
        """
        groups = [g for g in self.groups if g.dataset == dataset and not self.is_reference(g)]
        return find_best(groups, metric)

    @cached_property
    def best(self) -> list[dict[str, Any]]:
        """Which algorithms are best, for each data set, metric and checkpoint."""
        return [
            {
                "dataset": dataset,
                "metric": metric.label,
                "checkpoint": group.checkpoint,
                "algorithm": group.algorithm,
                "oracle": group.oracle,
                "budget": group.budget,
            }
            for dataset in self.datasets
            for metric in self.metrics
            for group in self.best_rows(dataset, metric)
        ]

    @cached_property
    def rankings(self) -> list[Ranking]:
        """Average ranks over data sets for each metric of quality, with their significance.

        A block is a data set, and a competitor's number its mean over the repetitions; repetitions
        are blocks only where there is but one data set. One that failed in a repetition is last in
        its block; a block counts only if no algorithm was left out of it and the metric is defined
        for all. Reference lines do not take part. Empty for one algorithm.
        """
        return rank_algorithms(self._competing, self.metrics)

    @property
    def _competing(self) -> list[Group]:
        return [group for group in self.groups if not self.is_reference(group)]

    @cached_property
    def ranking(self) -> list[dict[str, Any]]:
        """`rankings` as rows: one for each metric and algorithm, the best first."""
        return [row for ranking in self.rankings for row in ranking_rows(ranking)]

    @cached_property
    def verdicts(self) -> list[dict[str, Any]]:
        """What is left of each claim of the suite.

        ``paper`` is the number claimed, None for a statement in words; ``printed`` is what is
        claimed, in short.
        """
        return [verdict_row(verdict) for verdict in self.judged]

    @cached_property
    def judged(self) -> list[Verdict]:
        """The verdicts on the claims of the suite, as objects."""
        return [judge_claim(claim, self) for claim in self.suite.claims]

    @cached_property
    def differences(self) -> list[dict[str, Any]]:
        """By how much the best of each data set is better than each other, pair by pair.

        Of each metric of quality, over the repetitions that both have: what they share, the data
        and through one oracle the noise, cancels.
        """
        return [
            {"metric": metric.label, **asdict(pair)}
            for metric in self.metrics
            if not metric.cost
            for pair in paired_differences(self, metric.label)
        ]

    # ---- Written forms ---------------------------------------------------------------------------

    def to_json(self, path: str | Path | None = None) -> str:
        """One object with all that there is to tell.

        ``cells``, ``summary``, ``ranking``, ``significance``, ``differences`` and ``verdicts``.
        Strict JSON: infinite numbers and NaN become null.
        """
        everything = {
            "cells": self.rows,
            "summary": self.summary,
            "ranking": self.ranking,
            "significance": [describe_ranking(ranking) for ranking in self.rankings],
            "differences": self.differences,
            "verdicts": self.verdicts,
        }
        return write_text(strict_json(everything), path)

    def to_csv(self, path: str | Path | None = None) -> str:
        """The cells, a row each, with a column for each metric."""
        return write_text(to_csv(self.flat_rows), path)

    def to_frame(self) -> pandas.DataFrame:
        """The cells as a pandas frame, with a column for each metric.

        Raises
        ------
        HcbenchError
            If pandas is not installed.
        """
        try:
            import pandas
        except ImportError as error:
            raise HcbenchError("to_frame needs pandas: pip install 'hcbench[pandas]'") from error
        return pandas.DataFrame(self.flat_rows)

    @property
    def flat_rows(self) -> list[dict[str, Any]]:
        """`rows` without nesting; a metric called as a column is has "(metric)" behind its name."""
        return [flat_row(row) for row in self.rows]

    def _tables(self) -> tuple[list[Block], list[str]]:
        return make_tables(self), describe_numbers(self, "bold")

    def to_markdown(self, path: str | Path | None = None) -> str:
        """The tables in Markdown."""
        return write_text(markup.to_markdown(*self._tables()), path)

    def to_latex(self, path: str | Path | None = None) -> str:
        r"""The tables in LaTeX; they need ``\usepackage{booktabs}``."""
        return write_text(markup.to_latex(*self._tables()), path)


def _sizes(outcomes: Iterable[Outcome]) -> dict[str, int]:
    return {
        outcome.data_digest: point.result.n
        for outcome in outcomes
        for point in outcome.points
        if outcome.data_digest and point.result is not None
    }


def _labels(outcomes: Sequence[Outcome], kind: Literal["algorithm", "dataset"]) -> list[str]:
    in_order = sorted(outcomes, key=lambda outcome: not outcome.key)
    return list(dict.fromkeys(getattr(outcome, kind) for outcome in in_order))
