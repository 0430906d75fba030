"""Cells, groups, rankings and verdicts as rows of plain values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from hcbench.analysis.groups import value_at
from hcbench.analysis.verdicts import describe_claimed

if TYPE_CHECKING:
    from hcbench.analysis.groups import Group
    from hcbench.analysis.verdicts import Verdict
    from hcbench.analysis.views.ranks import Ranking
    from hcbench.plan.outcome import Outcome, ScoredPoint
    from hcbench.plan.presentation import MetricInfo


def cell_row(
    outcome: Outcome, point: ScoredPoint, metrics: Sequence[MetricInfo], *, reference: bool
) -> dict[str, Any]:
    """A cell at one point of its call; ``reference``: whether it belongs to a reference line."""
    cost = outcome.cost
    if point.checkpoint is not None:
        cost = replace(cost, queries=point.queries)
    values = {m.label: value_at(outcome, point.checkpoint, m.label) for m in metrics}
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
        **asdict(cost),
        "load": outcome.load,
        "frequency": outcome.frequency,
        "host": outcome.host,
        "checkpoint": point.checkpoint,
        "metrics": {label: value.value for label, value in values.items()},
        "metric_reasons": {
            label: value.reason or f"the value is {value.value}"
            for label, value in values.items()
            if value.value is None or not math.isfinite(value.value)
        },
        "reference": reference,
        "key": outcome.key,
        "notes": list(outcome.notes),
        "reused": outcome.reused,
    }


def group_rows(groups: Iterable[Group], metrics: Sequence[MetricInfo]) -> list[dict[str, Any]]:
    """The average of each metric over the repetitions of each group, and its uncertainty."""
    rows = []
    for group in groups:
        for metric in metrics:
            summary = asdict(group.summary(metric))
            failed = group.failed(metric.label)
            rows.append({**group.place, "metric": metric.label, **summary, "failed": failed})
    return rows


def ranking_rows(ranking: Ranking) -> Iterator[dict[str, Any]]:
    """A row for each competitor, the best first."""
    for name, rank in zip(ranking.competitors, ranking.ranks, strict=True):
        yield {
            "metric": ranking.metric.label,
            "algorithm": name,
            "average_rank": rank,
            "blocks": ranking.n_blocks,
            "block": ranking.unit,
            "failed": ranking.failed,
        }


def verdict_row(verdict: Verdict) -> dict[str, Any]:
    """A verdict as a row."""
    claim = verdict.claim
    return {
        "claim": claim.claim,
        "paper": float(claim.paper) if claim.paper else None,
        "printed": describe_claimed(claim),
        "measured": verdict.measured,
        "standard_error": verdict.standard_error,
        "low": verdict.low,
        "high": verdict.high,
        "corrected": verdict.corrected,
        "verdict": verdict.verdict,
        "note": verdict.note,
    }


def flat_row(cell: Mapping[str, Any]) -> dict[str, Any]:
    """The row of a cell without nesting; "(metric)" follows a metric with the name of a column."""
    row = {k: v for k, v in cell.items() if k not in ("metrics", "metric_reasons")}
    for label, value in cell["metrics"].items():
        row[f"{label} (metric)" if label in cell else label] = value
    reasons = cell["metric_reasons"].items()
    row["metric_reasons"] = "; ".join(f"{label}: {why}" for label, why in reasons)
    row["notes"] = "; ".join(cell["notes"])
    return row
