"""Charts of quality against cost, with Pareto fronts, as plain data (see `charts`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hcbench.analysis.axes import is_wide
from hcbench.figures.charts import (
    ROOM_OF_LOG,
    Axis,
    Chart,
    Panel,
    Point,
    Series,
    average_text,
    metric_title,
)
from hcbench.figures.palette import Look, looks_of

if TYPE_CHECKING:
    from hcbench.analysis.statistics import Summary
    from hcbench.analysis.tradeoffs import Level, TradeoffPanel, TradeoffPoint, TradeoffView
    from hcbench.results.results import Results


def tradeoff_chart(view: TradeoffView, results: Results) -> Chart:
    """Quality against cost, one panel per data set, with Pareto fronts.

    Examples
    --------
    >>> chain = np.array([[0.0], [1.1], [2.2], [3.3], [4.9], [5.2]])
    >>> data = {"chain": (chain, [0, 0, 0, 0, 1, 1])}
    >>> results = hcbench.compare(
    ...     ["RatingLinkage"], data, metrics=["AARI"], budget=[4, 15], repetitions=1, progress=False
    ... )
    >>> view = hcbench.analysis.tradeoff(results, "AARI", against="queries")
    >>> chart = tradeoff_chart(view, results)
    >>> chart.x.title, chart.y.title
    ('queries ↓', 'AARI ↑')
    >>> [series.name for series in chart.panels[0].series]
    ['RatingLinkage, budget 4', 'RatingLinkage, budget 15']
    """
    points: list[TradeoffPoint] = []
    levels: list[Level] = []
    for panel in view.panels:
        points.extend(panel.points)
        levels.extend(panel.levels)
    names = []
    costs = []
    for point in points:
        names.append(point.name)
        # References are drawn as levels, and need no room along the costs.
        if not point.reference:
            costs.append(_average_cost(point))
    for level in levels:
        names.append(level.name)
    looks = looks_of(results, names)
    has_log_costs = is_wide(costs)
    panels = []
    for panel in view.panels:
        series = _tradeoff_series(panel, view, looks)
        fronts = []
        for front in panel.fronts:
            fronts.append(_front_line(front, panel))
        ends = _cost_range(panel.points, log=has_log_costs)
        panels.append(Panel(panel.dataset, series, fronts, ends))
    header, rows = _tradeoff_table(view)
    return Chart(
        panels=panels,
        x=Axis(title=metric_title(view.against), unit=view.against.unit, log=has_log_costs),
        y=Axis(title=metric_title(view.metric), unit=view.metric.unit),
        caption=_tradeoff_caption(view, points, levels, results),
        header=header,
        rows=rows,
    )


def _front_line(
    front: Sequence[int], panel: TradeoffPanel
) -> list[tuple[float | None, float | None]]:
    """The cost and the quality of each point of a Pareto front."""
    line = []
    for place in front:
        point = panel.points[place]
        line.append((point.x.average, point.y.average))
    return line


def _tradeoff_caption(
    view: TradeoffView,
    points: Sequence[TradeoffPoint],
    levels: Sequence[Level],
    results: Results,
) -> list[str]:
    cost = view.against.label
    caption = [
        f"{metric_title(view.metric)} against {cost}; bars are 95 % intervals of the averages"
    ]
    fronts = [panel.fronts for panel in view.panels]
    if any(fronts):
        caption.append(
            "rings and dotted lines: the Pareto front, which no other algorithm dominates"
        )
    references = [point.reference for point in points]
    if levels or any(references):
        caption.append(f"level lines: references, and algorithms without {cost}")
    caption.extend(results.caveats)
    return caption


def _tradeoff_series(
    panel: TradeoffPanel, view: TradeoffView, looks: Mapping[str, Look]
) -> list[Series]:
    """The points of each algorithm of a data set, and a level line for each without a cost."""
    # The legend has the algorithms in the order of the panel; points are drawn in that of costs.
    points_by_name: dict[str, list[Point]] = {}
    for point in panel.points:
        if not point.reference:
            points_by_name.setdefault(point.name, [])
    level_lines: list[tuple[str, Summary, str]] = []
    for level in panel.levels:
        level_lines.append((level.name, level.y, f"no {view.against.label}"))
    for point in sorted(panel.points, key=_average_cost):
        cost_text = average_text(point.x, view.against)
        if point.reference:
            level_lines.append((point.name, point.y, f"a reference\n{cost_text}"))
            continue
        text = f"{point.name}\n{average_text(point.y, view.metric)}\n{cost_text}"
        if point.checkpoint is not None:
            text += f"\nafter {point.checkpoint:,} queries"
        points_by_name[point.name].append((point.x, point.y, text))
    series = []
    for name, points in points_by_name.items():
        series.append(Series(name, looks[name], "bars", points))
    for name, quality, remark in level_lines:
        text = f"{name}\n{average_text(quality, view.metric)}\n{remark}"
        series.append(Series(name, looks[name], "level", [(None, quality, text)]))
    return series


def _average_cost(point: TradeoffPoint) -> float:
    # A point without a cost is a level, and in no order of costs.
    return point.x.average or 0


def _cost_range(points: Sequence[TradeoffPoint], *, log: bool) -> tuple[float, float]:
    """The range of costs, of references only if there are no others; wide if nearly equal."""
    ranked_points = []
    for point in points:
        if not point.reference:
            ranked_points.append(point)
    costs = []
    for point in ranked_points or points:
        for cost in (point.x.average, point.x.low, point.x.high):
            # A logarithmic scale has no place for 0.
            if cost is not None and (cost > 0 or not log):
                costs.append(cost)
    low = min(costs)
    high = max(costs)
    if log:
        return low / ROOM_OF_LOG, high * ROOM_OF_LOG
    room = 0.06 * (high - low)
    are_nearly_equal = high - low < 0.1 * high
    if are_nearly_equal:
        # Else a difference of no importance would fill the panel.
        room = max(room, 0.3 * high)
    return low - room, high + room


def _tradeoff_table(view: TradeoffView) -> tuple[list[str], list[Sequence[Any]]]:
    """The header and the rows of the data."""
    header = ["data set", "algorithm", "oracle", "budget", "after queries"]
    for label in (view.against.label, view.metric.label):
        header.extend([label, f"{label}, low", f"{label}, high"])
    header.append("on the front")
    rows: list[Sequence[Any]] = []
    for panel in view.panels:
        for point in panel.points:
            row: list[Any] = [
                panel.dataset,
                point.name,
                point.oracle,
                point.budget,
                point.checkpoint,
            ]
            row.extend([point.x.average, point.x.low, point.x.high])
            row.extend([point.y.average, point.y.low, point.y.high])
            is_on_front = "no"
            if point.on_front:
                is_on_front = "yes"
            row.append(is_on_front)
            rows.append(row)
    return header, rows
