"""What came out of a comparison: cells, summary, ranks, verdicts, and their written forms."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from hcbench import tables
from hcbench.claims import Verdict, judge_claim
from hcbench.errors import HcbenchError
from hcbench.outcome import Measured, Outcome, Value
from hcbench.statistics import average_ranks, mean_and_std, summarise
from hcbench.suite import Suite

if TYPE_CHECKING:
    import pandas

    from hcbench.plan import Plan
    from hcbench.specs import Params


@dataclass(frozen=True, slots=True)
class MetricInfo:
    """What is to be known of a metric to show its values.

    Attributes
    ----------
    label : str
    direction : {"higher", "lower"}
    unit : str
    cost : bool
        Whether it tells a cost rather than quality.
    interval : str
    """

    label: str
    direction: Literal["higher", "lower"] = "higher"
    unit: str = ""
    cost: bool = False
    interval: str = "(-inf, inf)"


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """The repetitions of one algorithm, on one data set, through one oracle, with one budget.

    Attributes
    ----------
    algorithm, dataset, oracle : str
    budget : int or None
    checkpoint : int or None
        At which point of the calls; None for the end.
    outcomes : tuple of Outcome
    """

    algorithm: str
    dataset: str
    oracle: str
    budget: int | None
    checkpoint: int | None
    outcomes: tuple[Outcome, ...]

    def values(self, metric: str) -> list[Value]:
        """What a metric says to each repetition."""
        return [value_at(outcome, self.checkpoint, metric) for outcome in self.outcomes]

    def numbers(self, metric: str) -> list[float]:
        """The values that there are."""
        return [value.value for value in self.values(metric) if value.value is not None]

    def failed(self, metric: str) -> int:
        """How many repetitions have no value although it could be: failures, not what is n/a."""
        judged = zip(self.outcomes, self.values(metric), strict=True)
        return sum(outcome.failed or value.status == "error" for outcome, value in judged)


def value_at(outcome: Outcome, checkpoint: int | None, metric: str) -> Value:
    """The value of a metric at one point of an outcome, or why there is none."""
    for point in outcome.measured:
        if point.checkpoint == checkpoint and metric in point.values:
            return point.values[metric]
    if outcome.status == "ok":
        return Value(None, "skipped", "not computed")
    return Value(None, "skipped", f"{outcome.status}: {outcome.reason}")


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
    parameters : mapping of label to parameters
        Of algorithms, data sets, oracles and metrics, defaults included, so that claims that
        spell out a default find their cells.
    """

    # No slots: cached_property keeps what is derived in the instance's dictionary.
    outcomes: list[Outcome]
    metrics: tuple[MetricInfo, ...]
    suite: Suite = field(default_factory=lambda: Suite(name=""))
    parameters: Mapping[str, Params] = field(default_factory=dict)

    @classmethod
    def of_plan(cls, plan: Plan, outcomes: Sequence[Outcome]) -> Self:
        """The results of a plan."""
        metrics = tuple(
            MetricInfo(m.label, m.spec.direction, m.spec.unit, m.spec.cost, m.spec.interval)
            for m in plan.metrics
        )
        parameters = {m.label: m.params for m in plan.metrics}
        for cell in plan.cells:
            for use in (cell.algorithm, cell.dataset, cell.oracle):
                parameters[use.label] = use.params
        return cls(list(outcomes), metrics, plan.suite, parameters)

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
        together: dict[tuple[str, str, str, int | None], list[Outcome]] = {}
        for outcome in self.outcomes:
            key = (outcome.algorithm, outcome.dataset, outcome.oracle, outcome.budget)
            together.setdefault(key, []).append(outcome)
        rank = {label: i for i, label in enumerate(self.algorithms)}
        place = {label: i for i, label in enumerate(self.datasets)}
        ordered = sorted(together.items(), key=lambda kv: (place[kv[0][1]], rank[kv[0][0]]))
        return [
            Group(*key, checkpoint, tuple(sorted(cells, key=lambda o: o.repetition)))
            for key, cells in ordered
            for checkpoint in _checkpoints(cells)
        ]

    @cached_property
    def cells(self) -> list[dict[str, Any]]:
        """One entry for each cell and checkpoint; at the end of a cell the checkpoint is None.

        ``seconds``, ``peak_bytes`` and the like are those of the whole call in all its entries;
        ``queries`` and ``metrics`` those of the point.
        """
        return [
            self._entry(outcome, point)
            for outcome in self.outcomes
            for point in outcome.measured or (Measured(),)
        ]

    def _entry(self, outcome: Outcome, point: Measured) -> dict[str, Any]:
        at_end = point.checkpoint is None
        values = {m.label: value_at(outcome, point.checkpoint, m.label) for m in self.metrics}
        return {
            "algorithm": outcome.algorithm,
            "dataset": outcome.dataset,
            "oracle": outcome.oracle,
            "repetition": outcome.repetition,
            "seed": outcome.seed,
            "budget": outcome.budget,
            "status": outcome.status,
            "reason": outcome.reason,
            "stopped": outcome.stopped,
            "seconds": outcome.seconds,
            "oracle_seconds": outcome.oracle_seconds,
            "peak_bytes": outcome.peak_bytes,
            "queries": outcome.queries if at_end else point.queries,
            "distinct_queries": outcome.distinct_queries,
            "rounds": outcome.rounds,
            "checkpoint": point.checkpoint,
            "metrics": {label: value.value for label, value in values.items()},
            "metric_reasons": {
                label: value.reason for label, value in values.items() if value.value is None
            },
            "key": outcome.key,
            "reused": outcome.reused,
        }

    @cached_property
    def summary(self) -> list[dict[str, Any]]:
        """Mean and uncertainty for each algorithm, data set, oracle, budget, checkpoint, metric.

        ``failed`` counts the repetitions without a value because of a failure; they are not in
        ``n``.
        """
        rows = []
        for group in self.groups:
            for metric in self.metrics:
                found = summarise(group.numbers(metric.label))
                rows.append(
                    {
                        "algorithm": group.algorithm,
                        "dataset": group.dataset,
                        "oracle": group.oracle,
                        "budget": group.budget,
                        "checkpoint": group.checkpoint,
                        "metric": metric.label,
                        "mean": found.mean,
                        "std": found.std,
                        "n": found.n,
                        "standard_error": found.standard_error,
                        "low": found.low,
                        "high": found.high,
                        "failed": group.failed(metric.label),
                    }
                )
        return rows

    # ---- Who is better ---------------------------------------------------------------------------

    def best_rows(self, dataset: str, metric: MetricInfo) -> list[Group]:
        """The groups with the best mean on a data set, at each checkpoint; ties are all best.

        One that failed in a repetition is not among them: its mean is one of other data. Counts
        of questions are compared only where the oracle is the same.
        """
        rivals: dict[tuple[int | None, str], list[tuple[float, Group]]] = {}
        for group in self.groups:
            mean, _ = mean_and_std(group.numbers(metric.label))
            if group.dataset != dataset or mean is None or math.isnan(mean):
                continue
            if not group.failed(metric.label):
                oracle = group.oracle if metric.unit == "questions" else ""
                rivals.setdefault((group.checkpoint, oracle), []).append((mean, group))
        choose = max if metric.direction == "higher" else min
        best = []
        for scored in rivals.values():
            if len(scored) > 1:
                top = choose(mean for mean, _ in scored)
                best += [group for mean, group in scored if mean == top]
        return best

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
    def ranking(self) -> list[dict[str, Any]]:
        """Average ranks of the algorithms for each metric of quality; empty for one algorithm.

        A block is a data set in one repetition. A failure is last in its block; a block counts
        only if no algorithm was left out of it and the metric is defined for all.
        """
        names, blocks = self._blocks()
        rows = []
        for metric in self.metrics:
            if metric.cost or len(names) < 2:
                continue
            scores = [_scores(block, names, metric.label) for block in blocks]
            ranks, count = average_ranks(
                [row for row in scores if row is not None] or [[math.nan] * len(names)],
                metric.direction,
            )
            if count:
                found = [
                    {
                        "metric": metric.label,
                        "algorithm": name,
                        "average_rank": float(rank),
                        "blocks": count,
                    }
                    for name, rank in zip(names, ranks, strict=True)
                ]
                rows += sorted(found, key=lambda row: float(row["average_rank"]))  # type: ignore[arg-type]
        return rows

    def _blocks(self) -> tuple[list[str], list[dict[str, Outcome]]]:
        """Names of the competitors, and who did what on each data set in each repetition.

        An algorithm that runs with several oracles or budgets on one data set competes as often.
        """
        variants: dict[tuple[str, str], set[tuple[str, int | None]]] = {}
        for outcome in self.outcomes:
            place = (outcome.algorithm, outcome.dataset)
            variants.setdefault(place, set()).add((outcome.oracle, outcome.budget))
        several_oracles, several_budgets = (
            {a for (a, _), found in variants.items() if len({v[i] for v in found}) > 1}
            for i in (0, 1)
        )
        blocks: dict[tuple[str, int], dict[str, Outcome]] = {}
        names: dict[str, None] = {}
        by_algorithm = {label: i for i, label in enumerate(self.algorithms)}
        for outcome in sorted(self.outcomes, key=lambda o: by_algorithm[o.algorithm]):
            name = outcome.algorithm
            if name in several_oracles:
                name += f" / {outcome.oracle}"
            if name.partition(" / ")[0] in several_budgets:
                name += f" / budget {outcome.budget}"
            names[name] = None
            blocks.setdefault((outcome.dataset, outcome.repetition), {})[name] = outcome
        return list(names), list(blocks.values())

    @cached_property
    def verdicts(self) -> list[dict[str, Any]]:
        """What is left of each claim of the suite.

        ``paper`` is the number claimed, None for a statement in words; ``printed`` is the claim
        as printed.
        """
        return [_verdict_row(judge_claim(claim, self)) for claim in self.suite.claims]

    # ---- Written forms ---------------------------------------------------------------------------

    def to_json(self, path: str | Path | None = None) -> str:
        """One object with ``cells``, ``summary``, ``ranking`` and ``verdicts``.

        Strict JSON: infinite numbers and NaN become null.
        """
        everything = {
            "cells": self.cells,
            "summary": self.summary,
            "ranking": self.ranking,
            "verdicts": self.verdicts,
        }
        return _written(json.dumps(_strict(everything), indent=1, allow_nan=False) + "\n", path)

    def to_csv(self, path: str | Path | None = None) -> str:
        """The cells, a row each, with a column for each metric."""
        rows = self._flat_cells()
        text = io.StringIO()
        writer = csv.DictWriter(text, list(rows[0]) if rows else ["algorithm"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return _written(text.getvalue(), path)

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
        return pandas.DataFrame(self._flat_cells())

    def _flat_cells(self) -> list[dict[str, Any]]:
        """Cells without nesting; a metric called as a column is has "(metric)" behind its name."""
        flat = []
        for cell in self.cells:
            row = {k: v for k, v in cell.items() if k not in ("metrics", "metric_reasons")}
            for label, value in cell["metrics"].items():
                row[f"{label} (metric)" if label in cell else label] = value
            reasons = cell["metric_reasons"].items()
            row["metric_reasons"] = "; ".join(f"{label}: {why}" for label, why in reasons)
            flat.append(row)
        return flat

    def to_markdown(self, path: str | Path | None = None) -> str:
        """The tables in Markdown."""
        return _written(tables.to_markdown(tables.make_tables(self)), path)

    def to_latex(self, path: str | Path | None = None) -> str:
        r"""The tables in LaTeX; they need ``\usepackage{booktabs}``."""
        return _written(tables.to_latex(tables.make_tables(self)), path)


def _labels(outcomes: Sequence[Outcome], kind: Literal["algorithm", "dataset"]) -> list[str]:
    in_order = sorted(outcomes, key=lambda outcome: not outcome.key)
    return list(dict.fromkeys(getattr(outcome, kind) for outcome in in_order))


def _checkpoints(outcomes: Sequence[Outcome]) -> list[int | None]:
    counts = {p.checkpoint for o in outcomes for p in o.measured if p.checkpoint is not None}
    return [*sorted(counts), None]


def _scores(block: Mapping[str, Outcome], names: Sequence[str], metric: str) -> list[float] | None:
    """The values of one block, NaN for a failure; None if someone could not take part."""
    scores = []
    for name in names:
        outcome = block.get(name)
        if outcome is None or outcome.status == "skipped":
            return None
        value = value_at(outcome, None, metric)
        if value.value is None and not outcome.failed and value.status != "error":
            return None
        scores.append(math.nan if value.value is None else value.value)
    return scores


def _verdict_row(verdict: Verdict) -> dict[str, Any]:
    claim = verdict.claim
    return {
        "claim": claim.claim,
        "paper": float(claim.paper) if claim.paper else None,
        "printed": claim.paper or f"better than {claim.better_than}",
        "measured": verdict.measured,
        "standard_error": verdict.standard_error,
        "verdict": verdict.verdict,
        "note": verdict.note,
    }


def _strict(value: Any) -> Any:
    """Plain values without infinite numbers and NaN."""
    if isinstance(value, Mapping):
        return {key: _strict(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_strict(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _written(text: str, path: str | Path | None) -> str:
    if path is not None:
        try:
            Path(path).write_text(text, encoding="utf-8")
        except OSError as error:
            raise HcbenchError(f"cannot write {path}: {error.strerror}") from error
    return text
