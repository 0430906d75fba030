"""Quality against cost: what more questions, or more time, buy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hcbench.analysis.groups import name_variants
from hcbench.analysis.statistics import Summary, summarise
from hcbench.analysis.views.axes import failures_of, find_metric, numbers_of, run_groups
from hcbench.errors import HcbenchError
from hcbench.registry.names import parse_name

if TYPE_CHECKING:
    from hcbench.analysis.groups import Group
    from hcbench.analysis.results import Results
    from hcbench.plan.presentation import MetricInfo


@dataclass(frozen=True, slots=True)
class TradeoffPoint:
    """One algorithm on one data set, with one oracle and budget, at one checkpoint or the end.

    Attributes
    ----------
    name : str
        The algorithm, with all that tells it from others on this data set.
    algorithm, oracle : str
    budget, checkpoint : int or None
    reference : bool
    x, y : Summary
        Of the cost, and of the quality.
    failed : int
        Repetitions without a value because of a failure; such a point is on no front.
    on_front : bool
        Whether nothing is both as cheap and as good, and one of it more so.
    """

    name: str
    algorithm: str
    oracle: str
    budget: int | None
    checkpoint: int | None
    reference: bool
    x: Summary
    y: Summary
    failed: int
    on_front: bool = False


@dataclass(frozen=True, slots=True)
class Level:
    """A quality that has no such cost, as that of an algorithm that asks no questions."""

    name: str
    algorithm: str
    reference: bool
    y: Summary


@dataclass(frozen=True, slots=True)
class TradeoffPanel:
    """A data set.

    Attributes
    ----------
    dataset : str
    points : tuple of TradeoffPoint
    fronts : tuple of tuple of int
        Pareto fronts, by the numbers of their points, the cheapest first: one, or, of questions,
        one for each name of oracle, as other questions have another price.
    levels : tuple of Level
    """

    dataset: str
    points: tuple[TradeoffPoint, ...]
    fronts: tuple[tuple[int, ...], ...]
    levels: tuple[Level, ...]


@dataclass(frozen=True, slots=True)
class TradeoffView:
    """A quality against a cost, a panel for each data set."""

    metric: MetricInfo
    against: MetricInfo
    panels: tuple[TradeoffPanel, ...]


def tradeoff(results: Results, metric: str, against: str = "queries") -> TradeoffView:
    """Quality against cost, with the Pareto front of each data set.

    Reference lines, means that are not finite and what failed in a repetition are on no front.

    Parameters
    ----------
    results : Results
    metric, against : str
        As for `find_metric`; of a cost less is better.

    Raises
    ------
    HcbenchError
        If nothing has both.
    """
    quality, cost = find_metric(results, metric), find_metric(results, against)
    groups = run_groups(results)
    names = name_variants(groups)
    panels = []
    for dataset in results.datasets:
        of_data = [group for group in groups if group.dataset == dataset]
        points, levels = _points(results, of_data, names, quality, cost)
        if points:
            panels.append(_with_fronts(dataset, points, levels, quality, cost))
    if not panels:
        raise HcbenchError(f"nothing has both {quality.label} and {cost.label}")
    return TradeoffView(quality, cost, tuple(panels))


def _points(
    results: Results,
    groups: Sequence[Group],
    names: dict[Group, str],
    quality: MetricInfo,
    cost: MetricInfo,
) -> tuple[list[TradeoffPoint], tuple[Level, ...]]:
    points, levels = [], []
    for group in groups:
        y = summarise(numbers_of(group, quality))
        x = summarise(numbers_of(group, cost))
        reference = results.is_reference(group)
        if y.mean is None or not math.isfinite(y.mean):
            continue
        if x.mean is not None and math.isfinite(x.mean):
            points.append(
                TradeoffPoint(
                    names[group],
                    group.algorithm,
                    group.oracle,
                    group.budget,
                    group.checkpoint,
                    reference,
                    x,
                    y,
                    failures_of(group, quality),
                )
            )
        elif group.checkpoint is None:
            levels.append(Level(names[group], group.algorithm, reference, y))
    return points, tuple(levels)


def _with_fronts(
    dataset: str,
    points: Sequence[TradeoffPoint],
    levels: tuple[Level, ...],
    quality: MetricInfo,
    cost: MetricInfo,
) -> TradeoffPanel:
    rivals: dict[str, list[int]] = {}
    for place, point in enumerate(points):
        if not point.reference and not point.failed and quality.direction != "none":
            kind = _base(point.oracle) if cost.unit == "questions" else ""
            rivals.setdefault(kind, []).append(place)
    sign = -1.0 if quality.direction == "higher" else 1.0
    fronts = []
    for places in rivals.values():
        losses = [(points[i].x.mean or 0.0, sign * (points[i].y.mean or 0.0)) for i in places]
        fronts.append(tuple(places[i] for i in pareto_front(losses)))
    winners = {place for front in fronts for place in front}
    marked = tuple(replace(point, on_front=i in winners) for i, point in enumerate(points))
    return TradeoffPanel(dataset, marked, tuple(fronts), levels)


def _base(oracle: str) -> str:
    return parse_name(oracle).base if oracle else ""


def pareto_front(losses: Sequence[tuple[float, float]]) -> list[int]:
    """The numbers of the pairs that no other dominates, by rising first entry; equal ones all.

    One dominates another if it is at most as large in both entries and smaller in one.
    """
    order = sorted(range(len(losses)), key=lambda i: losses[i])
    front: list[int] = []
    for i in order:
        if not front or losses[i][1] < losses[front[-1]][1] or losses[i] == losses[front[-1]]:
            front.append(i)
    return front
