"""Quality against cost, and the groups that no other beats in both."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from hcbench.analysis.axes import find_metric
from hcbench.analysis.groups import name_variants
from hcbench.analysis.statistics import Summary
from hcbench.errors import HcbenchError
from hcbench.model.cost import Budget

if TYPE_CHECKING:
    from hcbench.analysis.comparison import Comparison
    from hcbench.analysis.groups import Group
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
        Repetitions without a value because of a failure; with too many a point is on no front.
    on_front : bool
        Whether no other point dominates it.

    Examples
    --------
    >>> chain = np.array([[0.0], [1.1], [2.2], [3.3], [4.9], [5.2]])
    >>> data = {"chain": (chain, [0, 0, 0, 0, 1, 1])}
    >>> results = hcbench.compare(
    ...     ["RatingLinkage"], data, metrics=["AARI"], budget=[4, 15], repetitions=1, progress=False
    ... )
    >>> view = hcbench.analysis.tradeoff(results, "AARI", against="queries")
    >>> point = view.panels[0].points[-1]
    >>> point.name, point.budget, point.x.average
    ('RatingLinkage, budget 15', 15, 15.0)
    """

    name: str
    algorithm: str
    oracle: str
    budget: Budget | None
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
    """A quality against a cost, with a panel for each data set.

    Examples
    --------
    >>> chain = np.array([[0.0], [1.1], [2.2], [3.3], [4.9], [5.2]])
    >>> data = {"chain": (chain, [0, 0, 0, 0, 1, 1])}
    >>> results = hcbench.compare(
    ...     ["RatingLinkage"], data, metrics=["AARI"], budget=[4, 15], repetitions=1, progress=False
    ... )
    >>> view = hcbench.analysis.tradeoff(results, "AARI", against="queries")
    >>> view.metric.label, view.against.label
    ('AARI', 'queries')
    >>> [panel.dataset for panel in view.panels]
    ['chain']
    """

    metric: MetricInfo
    against: MetricInfo
    panels: tuple[TradeoffPanel, ...]


def tradeoff(results: Comparison, metric: str, against: str = "queries") -> TradeoffView:
    """Quality against cost, with the Pareto front of each data set.

    Reference lines, means that are not finite, and algorithms that failed in too many repetitions
    are on no front.

    Parameters
    ----------
    results : Results
    metric, against : str
        As for `find_metric`; less cost is better.

    Raises
    ------
    HcbenchError
        If no group has both.

    Examples
    --------
    >>> chain = np.array([[0.0], [1.1], [2.2], [3.3], [4.9], [5.2]])
    >>> data = {"chain": (chain, [0, 0, 0, 0, 1, 1])}
    >>> results = hcbench.compare(
    ...     ["RatingLinkage"], data, metrics=["AARI"], budget=[4, 15], repetitions=1, progress=False
    ... )
    >>> view = tradeoff(results, "AARI", against="queries")
    >>> [(point.name, point.x.average) for point in view.panels[0].points]
    [('RatingLinkage, budget 4', 4.0), ('RatingLinkage, budget 15', 15.0)]
    """
    quality = find_metric(results, metric)
    cost = find_metric(results, against)
    groups = results.run_groups
    names = name_variants(groups)
    panels = []
    for dataset in results.datasets:
        of_dataset = [group for group in groups if group.dataset == dataset]
        panel = _tradeoff_panel(results, of_dataset, names, quality, cost)
        if panel.points:
            panels.append(panel)
    if not panels:
        raise HcbenchError(f"nothing has both {quality.label} and {cost.label}")
    return TradeoffView(metric=quality, against=cost, panels=tuple(panels))


def _tradeoff_panel(
    results: Comparison,
    groups: Sequence[Group],
    names: Mapping[Group, str],
    quality: MetricInfo,
    cost: MetricInfo,
) -> TradeoffPanel:
    """The points, fronts and levels of the groups on one data set."""
    with_quality = []
    with_both = []
    for group in groups:
        if _is_finite(group, quality):
            with_quality.append(group)
            if _is_finite(group, cost):
                with_both.append(group)
    # The fronts refer to the points by their places in `with_both`.
    fronts = find_fronts(results, with_both, quality, cost)
    on_front = set(chain.from_iterable(fronts))

    points = []
    for place, group in enumerate(with_both):
        point = TradeoffPoint(
            name=names[group],
            algorithm=group.algorithm,
            oracle=group.oracle,
            budget=group.budget,
            checkpoint=group.checkpoint,
            reference=results.is_reference(group),
            x=group.summary(cost),
            y=group.summary(quality),
            failed=group.failed(quality),
            on_front=place in on_front,
        )
        points.append(point)

    # What has no cost, such as an algorithm that asks nothing against queries, is a level line.
    levels = []
    for group in with_quality:
        if group.checkpoint is None and not _is_finite(group, cost):
            level = Level(
                name=names[group],
                algorithm=group.algorithm,
                reference=results.is_reference(group),
                y=group.summary(quality),
            )
            levels.append(level)

    dataset = ""
    if groups:
        dataset = groups[0].dataset
    return TradeoffPanel(dataset=dataset, points=tuple(points), fronts=fronts, levels=tuple(levels))


def find_fronts(
    results: Comparison, groups: Sequence[Group], quality: MetricInfo, cost: MetricInfo
) -> tuple[tuple[int, ...], ...]:
    """The Pareto fronts of groups on one data set, as places in the sequence, cheapest first.

    Of queries there is one front for each kind of oracle. There is none by a metric without a
    direction, nor in a suite without ranks.
    """
    if quality.direction == "none" or not results.suite.ranks:
        return ()
    # Fronts are of losses: less is better.
    sign = 1.0
    if quality.direction == "higher":
        sign = -1.0

    places_of_kind: dict[str, list[int]] = {}
    losses: dict[int, tuple[float, float]] = {}
    for place, group in enumerate(groups):
        if results.is_reference(group) or group.fails_too_often(quality):
            continue
        if group.leaves_range(quality):
            continue
        loss = (_average(group, cost), sign * _average(group, quality))
        if not all(map(math.isfinite, loss)):
            continue
        losses[place] = loss
        # Costs in queries are comparable only between oracles of one kind.
        kind = ""
        if cost.unit == "queries":
            kind = results.query_kinds.get(group.oracle, group.oracle)
        places_of_kind.setdefault(kind, []).append(place)

    fronts = []
    for places in places_of_kind.values():
        losses_of_kind = [losses[place] for place in places]
        # `pareto_front` returns positions in its argument.
        front = [places[i] for i in pareto_front(losses_of_kind)]
        fronts.append(tuple(front))
    return tuple(fronts)


def _average(group: Group, metric: MetricInfo) -> float:
    """The average of a metric; NaN without values."""
    average = group.average(metric)
    if average is None:
        return math.nan
    return average


def _is_finite(group: Group, metric: MetricInfo) -> bool:
    return math.isfinite(_average(group, metric))


def pareto_front(losses: Sequence[tuple[float, float]]) -> list[int]:
    """The places of the pairs that no other pair dominates, in ascending order of the first entry.

    A pair dominates another if it is at most as large in both entries and smaller in one. Equal
    pairs are all returned.
    """
    front: list[int] = []
    # From the cheapest, and of equally cheap ones from the best.
    for i in sorted(range(len(losses)), key=lambda i: losses[i]):
        if not front:
            front.append(i)
            continue
        last = losses[front[-1]]
        # It is not cheaper than the last, so that it must be better, or equal in both.
        if losses[i][1] < last[1] or losses[i] == last:
            front.append(i)
    return front
