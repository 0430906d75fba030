"""Cells and their means as columns, the data of the tables and figures of the page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hcbench.analysis.statistics import mean_and_std
from hcbench.registry.specs import Interval
from hcbench.show.report.axes import labels_of

if TYPE_CHECKING:
    from hcbench.analysis.groups import Group
    from hcbench.analysis.results import Results
    from hcbench.plan.presentation import MetricInfo

KEY_LENGTH = 8  # characters of a key, enough for `hcbench rerun`


@dataclass(slots=True)
class Codes:
    """Numbers for texts that occur often."""

    texts: dict[str, int] = field(default_factory=dict)

    def of(self, text: str) -> int:
        """The number of a text."""
        return self.texts.setdefault(text, len(self.texts))


def describe_cells(results: Results) -> dict[str, Any]:
    """All measurements as columns.

    Returns
    -------
    dict
        ``labels`` of each kind; ``metrics``; ``texts``, by their numbers; ``groups``, the means
        over repetitions; ``cells``, every repetition with the number of its group.
    """
    codes = Codes()
    groups = _group_columns(results, codes)
    cells = _cell_columns(results, codes)
    return {
        "labels": labels_of(results),
        "metrics": [describe_metric(metric) for metric in results.metrics],
        "groups": groups,
        "cells": cells,
        "texts": list(codes.texts),
    }


def number(value: float | None) -> float | str | None:
    """A number for strict JSON; infinity and NaN become texts that JavaScript can read."""
    if value is None or math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def short(value: float | None, digits: int = 7) -> float | str | None:
    """As `number`, with this many significant digits."""
    if value is None or not math.isfinite(value):
        return number(value)
    rounded = float(f"{value:.{digits}g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 2**53 else rounded


def describe_metric(metric: MetricInfo) -> dict[str, Any]:
    """What the page needs to format values of a metric."""
    interval = Interval(metric.interval)
    return {
        "label": metric.label,
        "direction": metric.direction,
        "unit": metric.unit,
        "cost": metric.cost,
        "unitInterval": interval.low >= -1 and interval.high <= 1,
    }


def _group_columns(results: Results, codes: Codes) -> dict[str, Any]:
    groups, labels = results.groups, labels_of(results)
    places = {kind: {label: i for i, label in enumerate(of)} for kind, of in labels.items()}
    spreads = [_spreads(groups, metric.label) for metric in results.metrics]
    return {
        **{kind: [places[kind][getattr(g, kind)] for g in groups] for kind in places},
        "budget": [group.budget for group in groups],
        "checkpoint": [group.checkpoint for group in groups],
        "size": [len(group.outcomes) for group in groups],
        "ok": [sum(o.status == "ok" for o in group.outcomes) for group in groups],
        "failed": [sum(o.failed for o in group.outcomes) for group in groups],
        "reference": [i for i, group in enumerate(groups) if results.is_reference(group)],
        "notes": _notes(results, codes),
        "mean": [[short(mean) for mean, _, _ in column] for column in spreads],
        "std": [[short(std) for _, std, _ in column] for column in spreads],
        "n": [[n for _, _, n in column] for column in spreads],
        "best": _best(results),
        "lacking": _missing(results, codes),
    }


def _spreads(groups: Sequence[Group], metric: str) -> list[tuple[float | None, float | None, int]]:
    spreads = []
    for group in groups:
        numbers = group.numbers(metric)
        spreads.append((*mean_and_std(numbers), len(numbers)))
    return spreads


def _best(results: Results) -> list[list[int]]:
    """For each metric the groups that are best on their data set."""
    place = {group: i for i, group in enumerate(results.groups)}
    return [
        sorted(place[g] for dataset in results.datasets for g in results.best_rows(dataset, metric))
        for metric in results.metrics
    ]


def _notes(results: Results, codes: Codes) -> list[list[int]]:
    """Pairs of a group and the code of a note on it, or of the reason why it has no result."""
    pairs: dict[tuple[int, int], None] = {}
    for i, group in enumerate(results.groups):
        told = results.informed(group)
        if told:
            pairs[i, codes.of(told)] = None
        for outcome in group.outcomes:
            texts = [*outcome.notes]
            if outcome.status != "ok":
                texts.append(f"{outcome.status}: {outcome.reason}")
            pairs.update(((i, codes.of(text)), None) for text in texts)
    return [list(pair) for pair in pairs]


def _missing(results: Results, codes: Codes) -> list[list[int]]:
    """Triples of group, metric and the code of the reason why a group has no value at all."""
    missing = []
    for m, metric in enumerate(results.metrics):
        for i, group in enumerate(results.groups):
            if any(o.status == "ok" for o in group.outcomes):
                values = group.values(metric.label)
                if all(v.value is None for v in values):
                    reasons = (v.reason for v in values if v.reason)
                    missing.append([i, m, codes.of(next(reasons, "not computed"))])
    return missing


def _cell_columns(results: Results, codes: Codes) -> dict[str, Any]:
    rows = [(i, outcome) for i, group in enumerate(results.groups) for outcome in group.outcomes]
    return {
        "group": [i for i, _ in rows],
        "repetition": [outcome.repetition for _, outcome in rows],
        "seed": [codes.of(str(outcome.seed)) for _, outcome in rows],
        "status": [codes.of(outcome.status) for _, outcome in rows],
        "reason": [codes.of(outcome.reason) for _, outcome in rows],
        "key": [outcome.key[:KEY_LENGTH] for _, outcome in rows],
        "values": [
            [number(value.value) for group in results.groups for value in group.values(m.label)]
            for m in results.metrics
        ],
    }
