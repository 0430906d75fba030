"""What is derived from a comparison: rows, summaries, ranks, differences and verdicts."""

from __future__ import annotations

from dataclasses import asdict
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hcbench.analysis.comparison import Comparison
from hcbench.analysis.differences import paired_differences
from hcbench.analysis.groups import (
    Group,
    values_at,
)
from hcbench.analysis.ranks import Ranking, best_groups, make_blocks, rank
from hcbench.claims.verdicts import (
    FalseVerdicts,
    Verdict,
    describe_claimed,
    expect_false_verdicts,
    judge_claim,
)
from hcbench.plan.columns import COSTS, Values
from hcbench.plan.presentation import MetricInfo

if TYPE_CHECKING:
    pass


#: The columns of `Outcomes` that begin a row, and those that end it.
_ABOUT = ("algorithm", "dataset", "oracle", "repetition", "seed", "budget", "status", "reason")
_FIRST = (*_ABOUT, "stopped", *COSTS, "load", "frequency", "host")
_LAST = ("key", "notes", "reused")


class Evaluation(Comparison):
    """A comparison with all that is derived from it; each is computed when it is first used."""

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
        """The best groups of a data set (see `best_groups`), without references."""
        return best_groups(self, dataset, metric)

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
        not compared. `hcbench.analysis.inference` says what the blocks are, and whether there is a
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


def _reasons(values: Values) -> dict[int, str]:
    """Why a value is no finite number, by its place."""
    odd = {i: values[i] for i in np.flatnonzero(~np.isfinite(values.numbers)).tolist()}
    return {i: value.reason or f"the value is {value.value}" for i, value in odd.items()}
