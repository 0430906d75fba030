"""Quality against cost, with Pareto fronts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hcbench.analysis.groups import name_variants
from hcbench.analysis.statistics import Summary
from hcbench.analysis.views.axes import find_metric, run_groups
from hcbench.errors import HcbenchError

if TYPE_CHECKING:
    from hcbench.analysis.groups import Group
    from hcbench.analysis.results import Results
    from hcbench.plan.presentation import MetricInfo


@dataclass(frozen=True, slots=True)
class TradeoffPoint:
    """An algorithm on a data set, with one oracle and budget, at a checkpoint or the end.

    Attributes
    ----------
    name : str
        Name of the algorithm, unique on this data set.
    algorithm, oracle : str
    budget, checkpoint : int or None
    reference : bool
    x, y : Summary
        Cost and quality.
    failed : int
        Repetitions without a value because of a failure. Such a point is on no front.
    on_front : bool
        Whether no other point dominates it.
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
    on_front: bool


@dataclass(frozen=True, slots=True)
class Level:
    """A quality without this cost, such as that of an algorithm that asks no queries."""

    name: str
    algorithm: str
    reference: bool
    y: Summary


@dataclass(frozen=True, slots=True)
class TradeoffPanel:
    """The points of one data set.

    Attributes
    ----------
    dataset : str
    points : tuple of TradeoffPoint
    fronts : tuple of tuple of int
        Pareto fronts as places in ``points``, the cheapest first. There is one, or for queries one
        for each kind of oracle, as their costs are not comparable.
    levels : tuple of Level
    """

    dataset: str
    points: tuple[TradeoffPoint, ...]
    fronts: tuple[tuple[int, ...], ...]
    levels: tuple[Level, ...]


@dataclass(frozen=True, slots=True)
class TradeoffView:
    """A quality against a cost, with a panel for each data set."""

    metric: MetricInfo
    against: MetricInfo
    panels: tuple[TradeoffPanel, ...]


def tradeoff(results: Results, metric: str, against: str = "queries") -> TradeoffView:
    """Quality against cost, with the Pareto front of each data set.

    Reference lines, means that are not finite, and algorithms that failed in a repetition are on no
    front.

    Parameters
    ----------
    results : Results
    metric, against : str
        As for `find_metric`; less cost is better.

    Raises
    ------
    HcbenchError
        If no group has both.
    """
    quality, cost = find_metric(results, metric), find_metric(results, against)
    groups = run_groups(results)
    names = name_variants(groups)
    panels = []
    for dataset in results.datasets:
        of_data = [group for group in groups if group.dataset == dataset]
        costed = [g for g in of_data if _is_finite(g, quality) and _is_finite(g, cost)]
        fronts = find_fronts(results, costed, quality, cost)
        on_front = {place for front in fronts for place in front}
        points = tuple(
            TradeoffPoint(
                names[group],
                group.algorithm,
                group.oracle,
                group.budget,
                group.checkpoint,
                results.is_reference(group),
                group.summary(cost),
                group.summary(quality),
                group.failed(quality),
                place in on_front,
            )
            for place, group in enumerate(costed)
        )
        levels = tuple(
            Level(
                names[group],
                group.algorithm,
                results.is_reference(group),
                group.summary(quality),
            )
            for group in of_data
            if group.checkpoint is None
            and _is_finite(group, quality)
            and not _is_finite(group, cost)
        )
        if points:
            panels.append(TradeoffPanel(dataset, points, fronts, levels))
    if not panels:
        raise HcbenchError(f"nothing has both {quality.label} and {cost.label}")
    return TradeoffView(quality, cost, tuple(panels))


def find_fronts(
    results: Results, groups: Sequence[Group], quality: MetricInfo, cost: MetricInfo
) -> tuple[tuple[int, ...], ...]:
    """The Pareto fronts of groups on one data set, as places in the sequence, cheapest first.

    Of queries there is one front for each kind of oracle. There is none by a metric without a
    direction.
    """
    if quality.direction == "none":
        return ()
    rivals: dict[str, list[int]] = {}
    means = [(_average(group, cost), _average(group, quality)) for group in groups]
    for place, group in enumerate(groups):
        excluded = (
            results.is_reference(group) or group.failed(quality) or group.leaves_range(quality)
        )
        if not excluded and all(map(math.isfinite, means[place])):
            kind = ""
            if cost.unit == "questions":
                kind = results.query_kinds.get(group.oracle, group.oracle)
            rivals.setdefault(kind, []).append(place)
    sign = -1.0 if quality.direction == "higher" else 1.0
    fronts = []
    for places in rivals.values():
        losses = [(means[i][0], sign * means[i][1]) for i in places]
        fronts.append(tuple(places[i] for i in pareto_front(losses)))
    return tuple(fronts)


def _average(group: Group, metric: MetricInfo) -> float:
    average = group.average(metric)
    return math.nan if average is None else average


def _is_finite(group: Group, metric: MetricInfo) -> bool:
    return math.isfinite(_average(group, metric))


def pareto_front(losses: Sequence[tuple[float, float]]) -> list[int]:
    """The places of the pairs that no other pair dominates, in ascending order of the first entry.

    A pair dominates another if it is at most as large in both entries and smaller in one. Equal
    pairs are all returned.
    """
    order = sorted(range(len(losses)), key=lambda i: losses[i])
    front: list[int] = []
    for i in order:
        if not front or losses[i][1] < losses[front[-1]][1] or losses[i] == losses[front[-1]]:
            front.append(i)
    return front
