"""Charts as plain data, made from views: the same for matplotlib and for plotly.

`hcbench.figures.draw_charts` draws them for files, and `hcbench.pages` for pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from hcbench.analysis.axes import is_wide
from hcbench.analysis.ranking_texts import blocks_text
from hcbench.analysis.tables import ARROWS, format_spread
from hcbench.figures.palette import Look, looks_of

if TYPE_CHECKING:
    from hcbench.analysis.performance_profiles import PerformanceProfile
    from hcbench.analysis.ranks import ProfileView
    from hcbench.analysis.statistics import Summary
    from hcbench.analysis.views import CurvePoint, CurveView, Line, PowerLaw
    from hcbench.plan.presentation import MetricInfo
    from hcbench.results.results import Results


#: A logarithmic axis extends beyond its data by this factor.
ROOM_OF_LOG = 1.6

#: How a series is drawn; see `Series`.
Mark: TypeAlias = Literal["line", "bars", "law", "flat", "steps", "level", "warning"]
#: Its horizontal and vertical place, which may have intervals, and a text about it.
Point: TypeAlias = "tuple[Any, float | Summary | CurvePoint, str]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """The horizontal or the vertical axis of all panels.

    Attributes
    ----------
    title : str
        The quantity, as it is written beside the axis.
    unit : str
        The unit of the numbers; it decides how ticks are written.
    log : bool
        Whether the scale is logarithmic.
    ends : (float, float), optional
        The first and the last number of the axis; by default those that suit the data.
    ticks : sequence of float or str
        The places where ticks are useful; categories if they are texts.

    Examples
    --------
    >>> axis = Axis(title="n (items)", log=True, ticks=(10, 100, 1000))
    >>> axis.title, axis.ends
    ('n (items)', None)
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
        The text of the legend.
    look : Look
        The colour, symbol and dash.
    mark : {"line", "bars", "law", "flat", "steps", "level", "warning"}
        A line with a band around it; points with bars; points with a power law; a line without
        points; steps; a horizontal line across the panel; or points that are pointed out.
    points : sequence of Point
        The places, from left to right.
    law : PowerLaw, optional
        The power law that is drawn through the points.

    Examples
    --------
    >>> look = hcbench.figures.looks_for(["UPGMA"])["UPGMA"]
    >>> series = Series("UPGMA", look, "line", points=[(10, 0.5, ""), (100, 0.75, "")])
    >>> places, _, _ = series.spread(0)
    >>> places
    [10, 100]
    """

    name: str
    look: Look
    mark: Mark
    points: Sequence[Point]
    law: PowerLaw | None = None

    def spread(self, side: Literal[0, 1]) -> tuple[list[Any], list[float], list[float]]:
        """The places along an axis, and the ends of their intervals: themselves without one."""
        places = []
        lows = []
        highs = []
        for point in self.points:
            # A number, or an average that may have an interval.
            value: Any = point[side]
            average = getattr(value, "average", value)
            low = getattr(value, "low", None)
            high = getattr(value, "high", None)
            if low is None:
                low = average
            if high is None:
                high = average
            places.append(average)
            lows.append(low)
            highs.append(high)
        return places, lows, highs


@dataclass(frozen=True, slots=True)
class Panel:
    """Series that are drawn together.

    Attributes
    ----------
    title : str
        The text above the panel.
    series : sequence of Series
        What is drawn, in the order of the legend.
    fronts : sequence of sequence of (float, float)
        The points of each Pareto front.
    x_ends : (float, float), optional
        The ends of the horizontal axis of this panel.

    Examples
    --------
    >>> look = hcbench.figures.looks_for(["UPGMA"])["UPGMA"]
    >>> points = [(10, 0.5, ""), (100, 0.75, "")]
    >>> panel = Panel("iris", [hcbench.figures.Series("UPGMA", look, "line", points)])
    >>> [series.name for series in panel.series]
    ['UPGMA']
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
        The panels, one data set or one setting each.
    x, y : Axis
        The axes of all panels.
    shared : bool
        Whether all panels have the same scales.
    caption : sequence of str
        The lines below the chart.
    header, rows : sequence
        The table of the data.

    Examples
    --------
    >>> chain = np.array([[0.0], [1.1], [2.2], [3.3], [4.9], [5.2]])
    >>> pairs = np.array([[0.0], [1.0], [9.0], [10.0]])
    >>> data = {"chain": (chain, [0, 0, 0, 0, 1, 1]), "pairs": (pairs, [0, 0, 1, 1])}
    >>> results = hcbench.compare(
    ...     ["Single", "Complete"], data, metrics=["AARI"], repetitions=1, progress=False
    ... )
    >>> view = hcbench.analysis.curves(results, "n", "AARI")
    >>> chart = hcbench.figures.curve_chart(view, results)
    >>> chart.x.title, chart.y.title
    ('n (items)', 'AARI ↑')
    >>> chart.header[:4]
    ['panel', 'line', 'n', 'AARI']
    >>> chart.rows[0][:4]
    ['data sets', 'Single', 4.0, 1.0]
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
    title = metric.label
    # The label of queries is their unit already.
    if metric.unit not in ("", "queries", metric.label):
        title += f" [{metric.unit}]"
    return title + ARROWS[metric.direction]


def exponent_text(law: PowerLaw) -> str:
    """The exponent with its 95 % interval.

    Examples
    --------
    >>> law = hcbench.analysis.PowerLaw(exponent=2.0, low=1.9, high=2.1, factor=0.5, n_points=5)
    >>> exponent_text(law)
    '2.00 [1.90, 2.10]'
    """
    return f"{law.exponent:.2f} [{law.low:.2f}, {law.high:.2f}]"


def average_text(summary: Summary | CurvePoint, metric: MetricInfo) -> str:
    """An average with its interval."""
    average = format_spread(summary.average, None, metric.unit, metric.interval)
    text = f"{metric.label} {average}"
    if summary.low is not None and summary.low != summary.high:
        low = format_spread(summary.low, None, metric.unit, metric.interval)
        high = format_spread(summary.high, None, metric.unit, metric.interval)
        text += f" ({low} to {high})"
    return text


# ---- Curves --------------------------------------------------------------------------------------


def curve_chart(view: CurveView, results: Results, *, growth: bool = False) -> Chart:
    """A metric along an axis; of growth on logarithmic scales, with the fitted power laws.

    Examples
    --------
    >>> chain = np.array([[0.0], [1.1], [2.2], [3.3], [4.9], [5.2]])
    >>> pairs = np.array([[0.0], [1.0], [9.0], [10.0]])
    >>> data = {"chain": (chain, [0, 0, 0, 0, 1, 1]), "pairs": (pairs, [0, 0, 1, 1])}
    >>> results = hcbench.compare(
    ...     ["Single", "Complete"], data, metrics=["AARI"], repetitions=1, progress=False
    ... )
    >>> chart = curve_chart(hcbench.analysis.curves(results, "n", "AARI"), results)
    >>> [(series.name, series.mark) for series in chart.panels[0].series]
    [('Single', 'line'), ('Complete', 'line')]
    >>> chart.x.ticks
    [4.0, 6.0]
    """
    lines = _lines_of(view)
    looks_of_algorithms = looks_of(results)
    # A line keeps its look in all panels: that of its algorithm where it occurs first.
    looks: dict[str, Look] = {}
    for line in lines:
        looks.setdefault(line.name, looks_of_algorithms[line.algorithm])

    y = _curve_axis(view, lines, growth=growth)
    has_one_panel = len(view.panels) == 1
    panels = []
    for curve_panel in view.panels:
        series = []
        for line in curve_panel.lines:
            name = line.name
            # In a single panel the legend has room for the exponents; else they are in the caption.
            if line.fit and has_one_panel:
                name = f"{line.name}: {exponent_text(line.fit)}"
            points = []
            for point in line.points:
                points.append(_curve_point(line, point, view, y))
            series.append(Series(name, looks[line.name], _curve_mark(line), points, line.fit))
        panels.append(Panel(curve_panel.title, series))
    return Chart(
        panels=panels,
        x=_axis_along(view, lines, growth=growth),
        y=y,
        shared=True,
        caption=_curve_caption(view, lines, results),
        header=["panel", "line", view.x.name, view.metric.label, "low", "high", "repetitions"],
        rows=_curve_rows(view),
    )


def _lines_of(view: CurveView) -> list[Line]:
    """The lines of all panels."""
    lines: list[Line] = []
    for panel in view.panels:
        lines.extend(panel.lines)
    return lines


def _axis_along(view: CurveView, lines: Sequence[Line], *, growth: bool) -> Axis:
    """The horizontal axis, with a tick at each place that was measured."""
    places = set()
    for line in lines:
        for point in line.points:
            places.add(point.x)
    ticks = sorted(places)
    # A logarithmic scale has no place for 0.
    log = ticks[0] > 0 and (growth or is_wide(ticks))
    return Axis(title=view.x.title, log=log, ticks=ticks)


def _curve_rows(view: CurveView) -> list[Sequence[Any]]:
    """The table of the data: a row for each point."""
    rows: list[Sequence[Any]] = []
    for panel in view.panels:
        for line in panel.lines:
            for p in line.points:
                rows.append([panel.title, line.name, p.x, p.average, p.low, p.high, p.n])
    return rows


def _curve_axis(view: CurveView, lines: Sequence[Line], *, growth: bool) -> Axis:
    """The vertical axis: of growth, and of costs over a wide range, it is logarithmic."""
    averages = []
    for line in lines:
        for point in line.points:
            averages.append(point.average)
    least = min(averages)
    most = max(averages)
    log = least > 0 and (growth or (view.metric.cost and is_wide((least, most))))
    ends = None
    if log:
        # Without ends, intervals that reach 0 would stretch a logarithmic axis without limit.
        ends = (least / ROOM_OF_LOG, most * ROOM_OF_LOG)
    return Axis(title=metric_title(view.metric), unit=view.metric.unit, log=log, ends=ends)


def _curve_point(line: Line, point: CurvePoint, view: CurveView, y: Axis) -> Point:
    """A point of a line with its text; its interval ends within a logarithmic axis."""
    text = f"{line.name}\n{view.x.name} = {point.x:g}\n{average_text(point, view.metric)}"
    if y.ends is not None and point.low is not None:
        point = replace(point, low=max(point.low, y.ends[0]))
    return point.x, point, text


def _curve_mark(line: Line) -> Mark:
    """How a line is drawn: flat is that of an algorithm on which the axis has no influence."""
    if line.fit:
        return "law"
    if line.flat:
        return "flat"
    return "line"


def _curve_caption(view: CurveView, lines: Sequence[Line], results: Results) -> list[str]:
    caption = [f"{metric_title(view.metric)} along {view.x.title}: {view.interval}"]
    fits = [line.fit for line in lines]
    if any(fits):
        caption.append("dotted: power laws, fitted to at least four sizes, with 95 % intervals")
    number_failed = 0
    for line in lines:
        for point in line.points:
            number_failed += point.failed
            # A flat line repeats one point, so its failures count once.
            if line.flat:
                break
    if number_failed:
        caption.append(f"{number_failed} failed repetitions are excluded")
    if len(view.panels) > 1:
        caption.extend(_exponents_by_panel(view))
    caption.extend(results.caveats)
    return caption


def _exponents_by_panel(view: CurveView) -> list[str]:
    """A line for each panel that has power laws, with their exponents."""
    texts = []
    for panel in view.panels:
        exponents = []
        for line in panel.lines:
            if line.fit:
                exponents.append(f"{line.name} {exponent_text(line.fit)}")
        if exponents:
            texts.append(f"{panel.title}: {', '.join(exponents)}")
    return texts


# ---- Profiles ------------------------------------------------------------------------------------


def profile_chart(view: ProfileView, results: Results) -> Chart:
    """The share of blocks on which each competitor is within a distance of the best.

    Examples
    --------
    >>> chain = np.array([[0.0], [1.1], [2.2], [3.3], [4.9], [5.2]])
    >>> pairs = np.array([[0.0], [1.0], [9.0], [10.0]])
    >>> data = {"chain": (chain, [0, 0, 0, 0, 1, 1]), "pairs": (pairs, [0, 0, 1, 1])}
    >>> results = hcbench.compare(
    ...     ["Single", "Complete"], data, metrics=["AARI"], repetitions=1, progress=False
    ... )
    >>> chart = profile_chart(hcbench.analysis.profile(results, "AARI"), results)
    >>> chart.x.title, chart.y.title
    ('AARI: difference to the best', 'share of data sets')
    >>> [series.name for series in chart.panels[0].series]
    ['Single', 'Complete']
    """
    profile = view.profile
    names = view.blocks.competitors
    looks = looks_of(results, names)
    start, end, log = _distance_axis(profile)
    first_shares = profile.at(start)
    last_shares = profile.at(end)
    rows: list[Sequence[Any]] = []
    series = []
    for place, name in enumerate(names):
        # The steps of a profile, between its shares at the two ends of the axis.
        points: list[Point] = [(start, first_shares[place], "")]
        distances = profile.within[place].tolist()
        shares = profile.share[place].tolist()
        for distance, share in zip(distances, shares, strict=True):
            rows.append((name, distance, share))
            points.append((distance, share, ""))
        points.append((end, last_shares[place], ""))
        series.append(Series(name, looks[name], "steps", points))
    blocks = view.blocks.inference.units
    distance_title = f"{profile.by} to the best"
    caption = [f"the share of {blocks} on which each algorithm is that close to the best"]
    caption.append(blocks_text(view.blocks))
    caption.extend(results.caveats)
    return Chart(
        panels=[Panel("", series)],
        x=Axis(title=f"{view.metric.label}: {distance_title}", log=log, ends=(start, end)),
        y=Axis(title=f"share of {blocks}", ends=(0.0, 1.02)),
        caption=caption,
        header=["algorithm", distance_title, "share"],
        rows=rows,
    )


def _distance_axis(profile: PerformanceProfile) -> tuple[float, float, bool]:
    """The first and the last distance of the axis, and whether its scale is logarithmic."""
    # The best itself has a ratio of 1, or a difference of 0.
    start = 0.0
    if profile.by == "ratio":
        start = 1.0
    farthest = start
    for distances in profile.within:
        if distances.size:
            farthest = max(farthest, float(distances[-1]))
    if profile.by == "ratio" and is_wide((start, farthest)):
        return start, farthest * 1.2, True
    # If all are as good as the best, the axis has a length nevertheless.
    length = 1.05 * (farthest - start) or 1.0
    return start, start + length, False
