"""What is derived from a comparison: rows, summaries, ranks, differences and verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from functools import cached_property
from typing import Any

import numpy as np

from hcbench.analysis.best import best_groups
from hcbench.analysis.blocks import make_blocks
from hcbench.analysis.comparison import Comparison
from hcbench.analysis.differences import paired_differences
from hcbench.analysis.groups import Group, values_at
from hcbench.analysis.ranks import Ranking, rank
from hcbench.claims.descriptions import describe_claimed
from hcbench.claims.false_verdicts import FalseVerdicts, expect_false_verdicts
from hcbench.claims.families import families_of
from hcbench.claims.family_verdicts import FamilyVerdict, judge_family
from hcbench.claims.verdicts import Verdict
from hcbench.plan.columns import COSTS, Outcomes
from hcbench.plan.presentation import MetricInfo
from hcbench.plan.values import Values

#: The columns of `Outcomes` with which a row begins.
_IDENTITY = ("algorithm", "dataset", "oracle", "repetition", "seed", "budget", "status", "reason")
#: Then what its call cost, and where it ran; the metrics follow.
_FIRST = _IDENTITY + ("stopped",) + tuple(COSTS) + ("load", "frequency", "host")
#: What a row has of a verdict, after what is claimed.
_OF_VERDICT = (
    "measured",
    "standard_error",
    "low",
    "high",
    "corrected",
    "verdict",
    "note",
    "basis",
    "repetitions",
    "level",
)


class Evaluation(Comparison):
    """A comparison with all that is derived from it; each is computed when it is first used."""

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """One entry for each cell and checkpoint; at the end of a cell the checkpoint is None.

        Costs such as ``seconds`` and ``peak_bytes`` are those of the whole call; ``queries`` and
        ``metrics`` are those of the checkpoint.
        """
        numbered_rows: list[tuple[int, dict[str, Any]]] = []
        for checkpoint, places in self.outcomes.points:
            rows = self._rows_at(checkpoint, self.outcomes.take(places))
            numbered_rows += zip(places.tolist(), rows, strict=True)
        # The checkpoints of a cell follow each other, as its outcomes do.
        numbered_rows.sort(key=lambda pair: pair[0])
        rows_in_order = []
        for _, row in numbered_rows:
            rows_in_order.append(row)
        return rows_in_order

    def _rows_at(self, checkpoint: int | None, part: Outcomes) -> list[dict[str, Any]]:
        """The rows of cells at one checkpoint."""
        columns = {}
        for name in _FIRST + ("key", "notes", "reused"):
            columns[name] = part.column(name).tolist()
        if checkpoint is not None:
            # The queries until the checkpoint, not those of the whole call.
            columns["queries"] = part.costs("queries", checkpoint).tolist()
        numbers = {}
        reasons = {}
        labels = [metric.label for metric in self.metrics]
        for label in labels + list(self.reported_by_failures):
            # A row of a call that failed has what it has cost, reported costs included.
            values = values_at(part, label, checkpoint, of_failures=True)
            numbers[label] = values.optional_numbers
            reasons[label] = _reasons(values)
        rows = []
        for i in range(len(part)):
            row = {name: columns[name][i] for name in _FIRST}
            row["checkpoint"] = checkpoint
            row["metrics"] = {label: column[i] for label, column in numbers.items()}
            # Metrics with a finite number have no reason.
            row["metric_reasons"] = {}
            for label, reason_of_row in reasons.items():
                if i in reason_of_row:
                    row["metric_reasons"][label] = reason_of_row[i]
            row["reference"] = row["algorithm"] in self.references
            row["family"] = self.families[row["dataset"]]
            row["key"] = columns["key"][i]
            row["notes"] = list(columns["notes"][i])
            row["reused"] = columns["reused"][i]
            rows.append(row)
        return rows

    @cached_property
    def summary(self) -> list[dict[str, Any]]:
        """Mean and uncertainty for each algorithm, data set, oracle, budget, checkpoint, metric.

        ``failed`` counts repetitions without a value because of a failure, which are not in ``n``.
        """
        rows = []
        for group in self.groups:
            for metric in self.metrics:
                row = {**group.place, "metric": metric.label}
                row.update(asdict(group.summary(metric)))
                row["failed"] = group.failed(metric.label)
                rows.append(row)
        return rows

    # ---- Rankings --------------------------------------------------------------------------------

    def best_rows(self, dataset: str, metric: MetricInfo) -> list[Group]:
        """The best groups of a data set (see `best_groups`), without references."""
        return best_groups(self, dataset, metric)

    def is_true(self, group: Group) -> bool:
        """Whether it is a reference line that knows the truth."""
        datasets_with_truth = self.received_truth.get(group.algorithm, {})
        return self.is_reference(group) and group.dataset in datasets_with_truth

    def informed(self, group: Group) -> str:
        """Data that a group has beside the answers, or what of the truth only it has; or ""."""
        if self.is_reference(group):
            return ""
        advantages = []
        data = self.received_data.get(group.algorithm)
        if data:
            advantages.append(f"reads {data} beside the answers")
        truth = self._truth_text(group)
        if truth and not self._all_see_truth(group.dataset):
            advantages.append(truth)
        return "; ".join(advantages)

    def _all_see_truth(self, dataset: str) -> bool:
        """Whether each algorithm on a data set receives some of the truth: then none is ahead."""
        # What everybody receives is no advantage, and needs no footnote.
        for rival in self.competing:
            # Groups without an oracle did not run.
            if rival.dataset == dataset and rival.oracle and not self._truth_text(rival):
                return False
        return True

    def _truth_text(self, group: Group) -> str:
        """What a group receives of the truth, or ""."""
        hint = self.received_truth.get(group.algorithm, {}).get(group.dataset)
        if hint:
            return f"receives {hint}, which others do not"
        if group.dataset in self.received_truth.get(group.oracle, {}):
            return "its oracle answers from the truth, which others do not see"
        return ""

    @cached_property
    def caveats(self) -> tuple[str, ...]:
        """What to keep in mind about algorithms in any figure: those that see more."""
        # Once for each algorithm and text, in the order of the groups.
        caveats: dict[str, None] = {}
        for group in self.competing:
            text = self.informed(group)
            if text:
                caveats[f"{group.algorithm}: {text}"] = None
        return tuple(caveats)

    def best(self) -> list[dict[str, Any]]:
        """The best algorithms for each data set, metric and checkpoint.

        Returns
        -------
        list of dict
            ``metric``, ``dataset``, ``algorithm`` and so on; several for a tie, none where fewer
            than two algorithms are comparable.
        """
        rows = []
        for dataset in self.datasets:
            for metric in self.metrics:
                for group in self.best_rows(dataset, metric):
                    rows.append({"metric": metric.label, **group.place})
        return rows

    @cached_property
    def rankings(self) -> list[Ranking]:
        """Average ranks over data sets for each metric of quality, with their significance.

        If the first metric is a cost, costs are ranked instead, but for queries, whose kinds are
        not compared. `hcbench.analysis.inference` says what the blocks are, and whether there is a
        test. Algorithms that failed in too many repetitions rank last. A block is excluded if
        an algorithm did not run there, but elsewhere, or the metric is undefined for one. Reference
        lines are not ranked. Empty for a single algorithm, and for a suite without `ranks`.
        """
        if not self.suite.ranks:
            return []
        rankings = []
        for metric in self._ranked_metrics():
            blocks = make_blocks(
                self.competing,
                metric,
                dependent=self.dependent_data,
                families=self.families,
            )
            ranking = rank(blocks, metric)
            # All blocks may be excluded, or leave a single algorithm, which has no rank.
            if ranking.n_blocks and len(ranking.competitors) > 1:
                rankings.append(ranking)
        return rankings

    def _ranked_metrics(self) -> list[MetricInfo]:
        """Metrics of quality, or costs without queries if the first metric is a cost."""
        # There may be no metric at all.
        by_cost = bool(self.metrics) and self.metrics[0].cost
        ranked_metrics = []
        for metric in self.metrics:
            if metric.cost != by_cost or metric.direction == "none":
                continue
            if by_cost and metric.unit == "queries":
                continue
            ranked_metrics.append(metric)
        return ranked_metrics

    @cached_property
    def ranking(self) -> list[dict[str, Any]]:
        """`rankings` as rows: one for each metric and algorithm, best first."""
        rows = []
        for ranking in self.rankings:
            for name, average_rank in zip(ranking.competitors, ranking.ranks, strict=True):
                row = {
                    "metric": ranking.metric.label,
                    "algorithm": name,
                    "average_rank": average_rank,
                    "blocks": ranking.n_blocks,
                    "block": ranking.unit,
                    "failed": ranking.failed,
                }
                rows.append(row)
        return rows

    @cached_property
    def verdicts(self) -> list[dict[str, Any]]:
        """The verdict on each claim of the suite, of a family on each of its members.

        ``family`` is the text of the claim in the suite; ``paper`` is the number in the paper, None
        for a statement in words; ``printed`` is the claim in short; ``repetitions`` counts those
        that are judged.
        """
        rows = []
        for family, verdict in self._judged_members():
            claim = verdict.claim
            row: dict[str, Any] = {"claim": claim.claim, "family": family.claim.claim}
            row["paper"] = None
            if claim.paper:
                row["paper"] = float(claim.paper)
            row["printed"] = describe_claimed(claim)
            for name in _OF_VERDICT:
                row[name] = getattr(verdict, name)
            rows.append(row)
        return rows

    def _judged_members(self) -> Iterator[tuple[FamilyVerdict, Verdict]]:
        """Each verdict with the family of its claim."""
        for family in self.judged_families:
            for verdict in family.verdicts:
                yield family, verdict

    @cached_property
    def judged_families(self) -> list[FamilyVerdict]:
        """The claims of the suite, each with the verdicts on its members."""
        judged = []
        for family in families_of(self.suite):
            judged.append(judge_family(family, self))
        return judged

    @cached_property
    def judged(self) -> list[Verdict]:
        """The verdicts on all claims of the suite, as objects."""
        verdicts: list[Verdict] = []
        for family in self.judged_families:
            verdicts += family.verdicts
        return verdicts

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
        rows = []
        for metric in self.metrics:
            if metric.cost:
                continue
            for pair in paired_differences(self, metric.label):
                rows.append({"metric": metric.label, **asdict(pair)})
        return rows

    @property
    def flat_rows(self) -> list[dict[str, Any]]:
        """`rows` without nesting; "(metric)" follows a metric with the name of a column."""
        rows = []
        for cell in self.rows:
            row = dict(cell)
            values = row.pop("metrics")
            reasons = row.pop("metric_reasons")
            for label, value in values.items():
                name = label
                # Such as the metric "queries", which is also a cost of the call.
                if label in cell:
                    name = f"{label} (metric)"
                row[name] = value
            texts = [f"{label}: {reason}" for label, reason in reasons.items()]
            row["metric_reasons"] = "; ".join(texts)
            row["notes"] = "; ".join(cell["notes"])
            rows.append(row)
        return rows


def _reasons(values: Values) -> dict[int, str]:
    """Why a value is no finite number, by its place."""
    reasons = {}
    # NaN where there is no value; NaN and infinity may also be what a metric returned.
    for i in np.flatnonzero(~np.isfinite(values.numbers)).tolist():
        value = values[i]
        reasons[i] = value.reason or f"the value is {value.value}"
    return reasons
