"""Charts as plain data, made from views: the same for matplotlib and for plotly.

`hcbench.figures.draw_charts` draws them for files, and `hcbench.pages` for pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from hcbench.analysis.axes import is_wide
from hcbench.analysis.ranks import blocks_text
from hcbench.analysis.tables import ARROWS, format_spread
from hcbench.figures.palette import Look, looks_of

if TYPE_CHECKING:
    from hcbench.analysis.ranks import ProfileView
    from hcbench.analysis.statistics import Summary
    from hcbench.analysis.views import CurvePoint, CurveView, PowerLaw, TradeoffPoint, TradeoffView
    from hcbench.plan.presentation import MetricInfo
    from hcbench.results.results import Results


Mark: TypeAlias = Literal["line", "bars", "law", "flat", "steps", "level", "warning"]
#: Its horizontal and vertical place, which may have intervals, and a text about it.
Point: TypeAlias = "tuple[Any, float | Summary | CurvePoint, str]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """The horizontal or the vertical axis of all panels.

    Attributes
    ----------
    title : str
    unit : str
    log : bool
    ends : (float, float), optional
        By default those that suit the data.
    ticks : sequence of float or str
        Where ticks are useful; categories if they are texts.
    """

    title: str
    unit: str = ""
    log: bool = False
    ends: tuple[float, float] | None = None
    ticks: Sequence[Any] = ()


@dataclass(frozen=True, slots=True)
class Series:
    """The points of one algorithm in a panel.

    Attributes
    ----------
    name : str
    look : Look
    mark : {"line", "bars", "law", "flat", "steps", "level", "warning"}
        A line with a band around it; points with bars; points with a power law; a line without
        points; steps; a horizontal line across the panel; or points that are pointed out.
    points : sequence of Point
    law : PowerLaw, optional
    """

    name: str
    look: Look
    mark: Mark
    points: Sequence[Point]
    law: PowerLaw | None = None

    def spread(self, side: Literal[0, 1]) -> tuple[list[Any], list[float], list[float]]:
        """The places along an axis, and the ends of their intervals: themselves without one."""
        middle, low, high = [], [], []
        for point in self.points:
            value: Any = point[side]
            average = getattr(value, "average", value)
            ends = (getattr(value, "low", None), getattr(value, "high", None))
            middle.append(average)
            low.append(average if ends[0] is None else ends[0])
            high.append(average if ends[1] is None else ends[1])
        return middle, low, high


@dataclass(frozen=True, slots=True)
class Panel:
    """Series that are drawn together.

    Attributes
    ----------
    title : str
    series : sequence of Series
    fronts : sequence of sequence of (float, float)
        Pareto fronts.
    x_ends : (float, float), optional
        The ends of the horizontal axis of this panel.
    """

    title: str
    series: Sequence[Series]
    fronts: Sequence[Sequence[tuple[float | None, float | None]]] = ()
    x_ends: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """Panels with axes of the same kind.

    Attributes
    ----------
    panels : sequence of Panel
    x, y : Axis
    shared : bool
        Whether all panels have the same scales.
    caption : sequence of str
    header, rows
        The table of the data.
    """

    panels: Sequence[Panel]
    x: Axis
    y: Axis
    shared: bool = False
    caption: Sequence[str]
    header: Sequence[str]
    rows: Sequence[Sequence[Any]]


def metric_title(metric: MetricInfo) -> str:
    """The title of an axis: the metric, its unit, and an arrow in the direction that is better."""
    unit = "" if metric.unit in ("", "queries", metric.label) else f" [{metric.unit}]"
    return f"{metric.label}{unit}{ARROWS[metric.direction]}"


def exponent_text(law: PowerLaw) -> str:
    """The exponent with its 95 % interval."""
    return f"{law.exponent:.2f} [{law.low:.2f}, {law.high:.2f}]"


def _written(summary: Summary | CurvePoint, metric: MetricInfo) -> str:
    """An average with its interval."""
    average, low, high = (
        format_spread(value, None, metric.unit, metric.interval)
        for value in (summary.average, summary.low, summary.high)
    )
    interval = "" if summary.low is None or summary.low == summary.high else f" ({low} to {high})"
    return f"{metric.label} {average}{interval}"


def curve_chart(view: CurveView, results: Results, *, growth: bool = False) -> Chart:
    """A metric along an axis; of growth on logarithmic scales, with the fitted power laws."""
    looks, own = looks_of(results), dict[str, Look]()
    panels, laws = [], []
    lines = [(panel, line) for panel in view.panels for line in panel.lines]
    averages = [point.average for _, line in lines for point in line.points]
    least, most = min(averages), max(averages)
    log_y = least > 0 and (growth or (view.metric.cost and is_wide((least, most))))
    ends = (least / 1.6, most * 1.6) if log_y else None
    for panel in view.panels:
        fitted = {line: exponent_text(line.fit) for line in panel.lines if line.fit}
        alone = len(view.panels) == 1
        if fitted and not alone:
            told = ", ".join(f"{line.name} {exponent}" for line, exponent in fitted.items())
            laws.append(f"{panel.title}: {told}")
        series = []
        for line in panel.lines:
            name = f"{line.name}: {fitted[line]}" if line.fit and alone else line.name
            look = own.setdefault(line.name, looks[line.algorithm])
            points = [
                (
                    p.x,
                    _above(p, ends[0]) if ends else p,
                    f"{line.name}\n{view.x.name} = {p.x:g}\n{_written(p, view.metric)}",
                )
                for p in line.points
            ]
            mark: Mark = "law" if line.fit else "flat" if line.flat else "line"
            series.append(Series(name, look, mark, points, line.fit))
        panels.append(Panel(panel.title, series))
    places = sorted({point.x for _, line in lines for point in line.points})
    title = metric_title(view.metric)
    caption = [f"{title} along {view.x.title}: {view.interval}"]
    if any(line.fit for _, line in lines):
        caption.append("dotted: power laws, fitted to at least four sizes, with 95 % intervals")
    failed = sum(p.failed for _, line in lines for p in line.points[: 1 if line.flat else None])
    if failed:
        caption.append(f"{failed} failed repetitions are excluded")
    return Chart(
        panels=panels,
        x=Axis(title=view.x.title, log=places[0] > 0 and (growth or is_wide(places)), ticks=places),
        y=Axis(title=title, unit=view.metric.unit, log=log_y, ends=ends),
        shared=True,
        caption=[*caption, *laws, *results.caveats],
        header=["panel", "line", view.x.name, view.metric.label, "low", "high", "repetitions"],
        rows=[
            [panel.title, line.name, p.x, p.average, p.low, p.high, p.n]
            for panel, line in lines
            for p in line.points
        ],
    )


def _above(point: CurvePoint, least: float) -> CurvePoint:
    """A point whose interval ends at the bottom of a logarithmic axis, which has no 0."""
    if point.low is None:
        return point
    return replace(point, low=max(point.low, least))


def tradeoff_chart(view: TradeoffView, results: Results) -> Chart:
    """Quality against cost, one panel per data set, with Pareto fronts."""
    points = [(panel, point) for panel in view.panels for point in panel.points]
    levels = [level for panel in view.panels for level in panel.levels]
    looks = looks_of(results, [*(p.name for _, p in points), *(n.name for n in levels)])
    is_log = is_wide(p.x.average or 0 for _, p in points if not p.reference)
    cost, quality = view.against.label, view.metric.label
    panels = []
    for panel in view.panels:
        of_name: dict[str, list[Any]] = {}
        flat = [(n.name, n.y, f"no {cost}") for n in panel.levels]
        for p in sorted(panel.points, key=lambda p: p.x.average or 0):
            about = _written(p.x, view.against)
            if p.reference:
                flat.append((p.name, p.y, f"a reference\n{about}"))
                continue
            text = f"{p.name}\n{_written(p.y, view.metric)}\n{about}"
            text += "" if p.checkpoint is None else f"\nafter {p.checkpoint:,} queries"
            of_name.setdefault(p.name, []).append((p.x, p.y, text))
        ordered = dict.fromkeys(p.name for p in panel.points if not p.reference)
        series = [Series(name, looks[name], "bars", of_name[name]) for name in ordered]
        for name, y, about in flat:
            text = f"{name}\n{_written(y, view.metric)}\n{about}"
            series.append(Series(name, looks[name], "level", [(None, y, text)]))
        fronts = [
            [(panel.points[i].x.average, panel.points[i].y.average) for i in front]
            for front in panel.fronts
        ]
        panels.append(Panel(panel.dataset, series, fronts, _reach(panel.points, log=is_log)))
    title = metric_title(view.metric)
    caption = [f"{title} against {cost}; bars are 95 % intervals of the averages"]
    if any(panel.fronts for panel in panels):
        caption.append(
            "rings and dotted lines: the Pareto front, which no other algorithm dominates"
        )
    if levels or any(point.reference for _, point in points):
        caption.append(f"level lines: references, and algorithms without {cost}")
    header = ["data set", "algorithm", "oracle", "budget", "after queries"]
    header += [f"{label}{end}" for label in (cost, quality) for end in ("", ", low", ", high")]
    return Chart(
        panels=panels,
        x=Axis(title=metric_title(view.against), unit=view.against.unit, log=is_log),
        y=Axis(title=title, unit=view.metric.unit),
        caption=[*caption, *results.caveats],
        header=[*header, "on the front"],
        rows=[
            [panel.dataset, p.name, p.oracle, p.budget, p.checkpoint]
            + [x for s in (p.x, p.y) for x in (s.average, s.low, s.high)]
            + ["yes" if p.on_front else "no"]
            for panel, p in points
        ],
    )


def _reach(points: Sequence[TradeoffPoint], *, log: bool) -> tuple[float, float]:
    """The range of costs, of references only if there are no others; wide if nearly equal."""
    known = [p for p in points if not p.reference] or points
    ends = [x for p in known for x in (p.x.average, p.x.low, p.x.high)]
    costs = [x for x in ends if x is not None and (x > 0 or not log)]
    low, high = min(costs), max(costs)
    if log:
        return low / 1.6, high * 1.6
    room = max(0.06 * (high - low), 0.3 * high if high - low < 0.1 * high else 0.0)
    return low - room, high + room


def profile_chart(view: ProfileView, results: Results) -> Chart:
    """The share of blocks on which each competitor is within a distance of the best."""
    profile, names = view.profile, view.blocks.competitors
    looks = looks_of(results, names)
    start = 1.0 if profile.by == "ratio" else 0.0
    far = max((float(steps[-1]) for steps in profile.within if steps.size), default=start)
    is_log = profile.by == "ratio" and is_wide((start, far))
    end = far * 1.2 if is_log else start + (1.05 * (far - start) or 1.0)
    rows = [
        (name, x, y)
        for name, within, share in zip(names, profile.within, profile.share, strict=True)
        for x, y in zip(within.tolist(), share.tolist(), strict=True)
    ]
    series = []
    for name, first, last in zip(names, profile.at(start), profile.at(end), strict=True):
        steps = [(start, first), *(row[1:] for row in rows if row[0] == name), (end, last)]
        series.append(Series(name, looks[name], "steps", [(x, y, "") for x, y in steps]))
    blocks = view.blocks.inference.units
    distance = f"{profile.by} to the best"
    close = f"the share of {blocks} on which each algorithm is that close to the best"
    return Chart(
        panels=[Panel("", series)],
        x=Axis(title=f"{view.metric.label}: {distance}", log=is_log, ends=(start, end)),
        y=Axis(title=f"share of {blocks}", ends=(0.0, 1.02)),
        caption=[close, blocks_text(view.blocks), *results.caveats],
        header=["algorithm", distance, "share"],
        rows=rows,
    )
