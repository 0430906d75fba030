"""Curves of a suite: a metric against a parameter, as a `hcbench.Figure` describes them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from textwrap import fill
from typing import TYPE_CHECKING, Any

from hcbench.analysis.statistics import summarise
from hcbench.claims.descriptions import describe_claimed
from hcbench.figures.draw_charts import add_caption
from hcbench.figures.palette import GUIDE, Look, looks_for
from hcbench.figures.plots import mark_places, name_with_unit, new_figure, plain
from hcbench.figures.suite_panels import Panel, claimed_families, collect_panels, is_metric
from hcbench.results.verdict_tables import count_verdicts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

    from hcbench.analysis.statistics import Summary
    from hcbench.claims.verdicts import Verdict
    from hcbench.figures.view import FigureView
    from hcbench.plan.presentation import MetricInfo
    from hcbench.registry.figure import Figure
    from hcbench.results.results import Results

#: Panels beside each other; with more, a row for each value of the first parameter.
_MOST_COLUMNS = 4
#: Inches of a letter in the legend, and of a line of a caption.
_LETTER = 0.07
_CAPTION = 0.14
#: Letters in a line of the title of a panel.
_LETTERS_OF_TITLE = 40
#: The share of the smallest gap between two places over which the lines at a place are spread, so
#: that their bars do not cover each other.
_SPREAD = 0.2
#: The share of an axis that a digit at a tick takes.
_ROOM = 0.035
#: More claims are counted below a figure, and not listed.
_MOST_CLAIMS = 8
#: Line styles of bounds, in their order; a fifth bound is not drawn.
_STYLES = ("--", ":", "-", "-.")
#: Labels and markers of printed bounds; a printed value has the marker of its line.
_PRINTED_BOUNDS = {
    "<=": ("printed: at most", "v"),
    "<": ("printed: less than", "v"),
    ">=": ("printed: at least", "^"),
    ">": ("printed: more than", "^"),
}
_BOUND_COLOUR = "#666666"
#: What the label of the vertical axis says of the band.
_BAND_TEXTS = {
    "": "{average}",
    "interval": "{average}, 95 % interval",
    "deviation": "{average} ± standard deviation",
    "maximum": "{average}; bars: maximum",
    "runs": "each repetition",
}


def draw_curves(figure: Figure, view: FigureView) -> Drawing:
    """The curves that a figure of a suite describes.

    Raises
    ------
    DataNotAvailableError
        If nothing was measured.
    HcbenchError
        If two groups are at one place of a line.
    """
    panels = collect_panels(figure, view.results)
    columns = min(len(panels), _MOST_COLUMNS)
    rows = math.ceil(len(panels) / columns)
    names = _names_of_lines(panels)
    # Room for the legend on the right.
    longest = max(map(len, names + list(figure.bound)))
    width_of_panel = 3.1
    if columns == 1:
        width_of_panel = 4.5
    width = width_of_panel * columns + _LETTER * longest + 1.0
    drawing, axes = new_figure(width, 3.2 * rows, rows=rows, columns=columns)
    # Without further panels, matplotlib returns the axes themselves instead of an array.
    places = [axes]
    if len(panels) > 1:
        places = axes.ravel().tolist()

    # The last row may have fewer panels than columns.
    for ax, (title, panel) in zip(places, panels.items(), strict=False):
        _draw_panel(ax, panel, figure, names)
        ax.set_title(fill(plain(title), _LETTERS_OF_TITLE, break_on_hyphens=False))
    for ax in places[len(panels) :]:
        ax.remove()
    _name_vertical_axes(places, list(panels.values()), figure, columns)
    _add_legend(places[: len(panels)], places[columns - 1])
    return drawing


def _names_of_lines(panels: Mapping[str, Panel]) -> list[str]:
    """The names of the lines of all panels, each once, in the order in which they first occur."""
    names: dict[str, None] = {}
    for panel in panels.values():
        names.update(dict.fromkeys(panel.lines))
    return list(names)


def _name_vertical_axes(
    axes: Sequence[Axes], panels: Sequence[Panel], figure: Figure, columns: int
) -> None:
    """Label the axes at the left, or each, if panels have different metrics."""
    is_common = len({panel.metric.label for panel in panels}) == 1
    for place, panel in enumerate(panels):
        label = name_with_unit(axes[place], panel.metric)
        if place % columns == 0 or not is_common:
            axes[place].set_ylabel(plain(_title(figure, panel.metric, label)))


def _title(figure: Figure, metric: MetricInfo, label: str) -> str:
    # The title of a panel may name the metric.
    if "metric" in figure.panel:
        return _BAND_TEXTS[figure.band].format(average=metric.average)
    text = label
    # Lines of several metrics: that of the axis is their common name.
    if len(figure.metrics) > 1:
        text = metric.label.partition("[")[0]
    if figure.per:
        text += f" / {figure.per}"
    return f"{text}\n{_BAND_TEXTS[figure.band].format(average=metric.average)}"


def _add_legend(panels: Sequence[Axes], rightmost: Axes) -> None:
    """One legend of what has a label in any panel, on the right of the first row."""
    handle_of_label: dict[str, Any] = {}
    for ax in panels:
        handles, labels = ax.get_legend_handles_labels()
        for handle, label in zip(handles, labels, strict=True):
            handle_of_label.setdefault(label, handle)
    rightmost.legend(
        list(handle_of_label.values()),
        list(handle_of_label),
        loc="upper left",
        bbox_to_anchor=(1.02, 1.0),
        borderaxespad=0.0,
    )


# ---- A panel -------------------------------------------------------------------------------------


def _draw_panel(ax: Axes, panel: Panel, figure: Figure, names: Sequence[str]) -> None:
    places: set[float] = set()
    for line in panel.lines.values():
        places.update(line)
    all_x = sorted(places)
    looks = looks_for(names)
    _draw_lines(ax, panel, figure, looks, all_x)
    _draw_bounds(ax, panel)
    _draw_printed(ax, panel, looks)
    _draw_slopes(ax, panel, all_x)
    if "x" in figure.log:
        ax.set_xscale("log")
    if "y" in figure.log:
        ax.set_yscale("log")
    if figure.limits:
        low, high = figure.limits
        ax.set_ylim(low, high)
        _tell_beyond(ax, panel, high)
    is_log = "x" in figure.log
    if not is_metric(figure.x):
        mark_places(ax, _places_with_room(all_x, is_log=is_log))
    elif is_log and all_x[-1] > 10 * all_x[0]:
        # Measured places are not round, and the labels between powers of ten would be too many.
        from matplotlib.ticker import NullFormatter

        ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set_xlabel(plain(_name_of_x(figure)))
    ax.grid(visible=True, axis="y")


def _places_with_room(places: Sequence[float], *, is_log: bool) -> Sequence[float]:
    """The places with room for their numbers: all, or every second one; none if these overlap."""
    for marked in (places, places[::2]):
        positions = list(marked)
        if is_log:
            positions = [math.log(x) for x in marked]
        gaps = [right - left for left, right in pairwise(positions)]
        longest = max(len(f"{place:g}") for place in marked)
        # The numbers of single places need no room beside each other.
        if min(gaps, default=math.inf) > _ROOM * longest * (positions[-1] - positions[0]):
            return marked
    return []


def _name_of_x(figure: Figure) -> str:
    names = []
    for name in (figure.x, figure.x_per):
        if name and not is_metric(name):
            names.append(name.rpartition(".")[2])
        elif name:
            names.append(name)
    return " / ".join(names)


def _draw_lines(
    ax: Axes, panel: Panel, figure: Figure, looks: Mapping[str, Look], all_x: Sequence[float]
) -> None:
    """The averages of each line, with the band that the figure asks for."""
    for number, (name, look) in enumerate(looks.items()):
        line = panel.lines.get(name, {})
        if not line:
            continue
        style: dict[str, Any] = {
            "label": plain(name),
            "color": look.colour,
            "marker": look.marker,
            # Markers become smaller, so that lines that coincide show through.
            "markersize": max(7.0 - 0.7 * number, 3.5),
        }
        if figure.band == "runs":
            _draw_runs(ax, line, style)
            continue
        sizes = sorted(line)
        summaries = [_summary(line[x], panel.metric) for x in sizes]
        averages = [_average(summary) for summary in summaries]
        if figure.band in ("interval", "deviation"):
            share = number / max(len(looks) - 1, 1) - 0.5
            shifted = _shifted(sizes, share, all_x, is_log="x" in figure.log)
            bars = _bars(summaries, figure.band)
            ax.errorbar(shifted, averages, yerr=bars, capsize=2, elinewidth=0.9, **style)
        else:
            ax.plot(sizes, averages, **style)
        if figure.band == "maximum":
            greatest = [max(line[x]) for x in sizes]
            ax.plot(sizes, greatest, "_", color=look.colour, markersize=9)


def _summary(values: Sequence[float], metric: MetricInfo) -> Summary:
    return summarise(values, metric.average, metric.support)


def _average(summary: Summary) -> float:
    """The average of a point, which has at least one value."""
    assert summary.average is not None
    return summary.average


def _draw_runs(ax: Axes, line: Mapping[float, Sequence[float]], style: Mapping[str, Any]) -> None:
    """A pale point for each repetition."""
    places = []
    heights = []
    for x, values in line.items():
        for value in values:
            places.append(x)
            heights.append(value)
    pale = dict(style)
    pale.update(markersize=3.5, alpha=0.5, linestyle="")
    ax.plot(places, heights, **pale)


def _draw_bounds(ax: Axes, panel: Panel) -> None:
    for style, (name, heights) in zip(_STYLES, panel.bounds.items(), strict=False):
        sizes = sorted(heights)
        bound = [heights[x] for x in sizes]
        ax.plot(sizes, bound, color=GUIDE, linestyle=style, label=plain(name))
    for name, height in panel.levels.items():
        ax.axhline(height, color=GUIDE, linestyle="--", label=plain(name))


def _draw_printed(ax: Axes, panel: Panel, looks: Mapping[str, Look]) -> None:
    """What claims compare with: open markers, values in the colour of their line."""
    # Bounds are often the same for several lines, and are drawn once.
    bounds: dict[str, set[tuple[float, float]]] = {}
    for name, values in panel.printed.items():
        points = set()
        for value in values:
            if value.relation == "=":
                points.add((value.x, value.y))
            else:
                bounds.setdefault(value.relation, set()).add((value.x, value.y))
        look = looks[name]
        label = f"{plain(name)}, printed"
        _draw_open(ax, points, color=look.colour, marker=look.marker, label=label)
    for relation, points in bounds.items():
        label, marker = _PRINTED_BOUNDS[relation]
        _draw_open(ax, points, color=_BOUND_COLOUR, marker=marker, label=label)


def _draw_open(ax: Axes, points: Iterable[tuple[float, float]], **look: Any) -> None:
    """A dotted line with open markers, from left to right."""
    in_order = sorted(points)
    if in_order:
        places = [x for x, _ in in_order]
        heights = [y for _, y in in_order]
        ax.plot(places, heights, markerfacecolor="white", linestyle=":", linewidth=0.9, **look)


def _draw_slopes(ax: Axes, panel: Panel, all_x: Sequence[float]) -> None:
    """Lines of the slopes that claims state, below all others."""
    low, high = all_x[0], all_x[-1]
    lowest = math.inf
    for line in panel.lines.values():
        for values in line.values():
            lowest = min(lowest, *values)
    for text in panel.slopes:
        slope = float(text)
        # Where it is the lowest.
        anchor = low
        if slope < 0:
            anchor = high
        heights = [0.7 * lowest * (x / anchor) ** slope for x in (low, high)]
        ax.plot((low, high), heights, color=GUIDE, linestyle="--", label=f"slope {text}, printed")


def _tell_beyond(ax: Axes, panel: Panel, limit: float) -> None:
    """Name the line that exceeds the range of the axis most."""
    greatest = limit
    beyond = ""
    for name, line in panel.lines.items():
        for values in line.values():
            average = _average(_summary(values, panel.metric))
            if average > greatest:
                greatest = average
                beyond = f"{name}: up to {average:.3g}"
    if beyond:
        corner: dict[str, Any] = {
            "transform": ax.transAxes,
            "ha": "right",
            "va": "top",
            "fontsize": 7,
        }
        ax.text(0.98, 0.98, plain(beyond), **corner)


def _shifted(
    sizes: Sequence[float], share: float, all_x: Sequence[float], *, is_log: bool
) -> list[float]:
    """Places beside x by a share, -1/2 to 1/2, of the part of a gap that the lines may take."""
    places = list(all_x)
    if is_log:
        places = [math.log(x) for x in all_x]
    gaps = [right - left for left, right in pairwise(places)]
    offset = share * _SPREAD * min(gaps, default=0.0)
    if is_log:
        return [x * math.exp(offset) for x in sizes]
    return [x + offset for x in sizes]


def _bars(summaries: Sequence[Summary], band: str) -> list[list[float]]:
    """The lengths of the bars below and above the averages."""
    below = []
    above = []
    for summary in summaries:
        average = _average(summary)
        # One repetition has neither an interval nor a deviation.
        low = average
        high = average
        if band == "deviation" and summary.std is not None:
            low = average - summary.std
            high = average + summary.std
        elif band == "interval" and summary.low is not None and summary.high is not None:
            low = summary.low
            high = summary.high
        below.append(average - low)
        above.append(high - average)
    return [below, above]


def add_claims(drawing: Drawing, figure: Figure, results: Results) -> None:
    """Write the claims that a figure shows below it, with their verdicts.

    More than `_MOST_CLAIMS` of them are counted by how they begin.
    """
    families = claimed_families(figure, results)
    lines = []
    if len(families) <= _MOST_CLAIMS:
        for family in families:
            claim = family.claim
            lines.append(f"{claim.claim} ({describe_claimed(claim)}): {family.verdict}")
    else:
        for start in figure.claims:
            verdicts: list[Verdict] = []
            for family in families:
                if family.claim.claim.startswith(start):
                    verdicts += family.verdicts
            lines.append(f"{start}: {count_verdicts(verdicts)}")
    if lines:
        width, height = drawing.get_size_inches()
        # Room for the caption: its lines, some of which are broken. An inch has 18 letters.
        n_letters = sum(len(line) for line in lines)
        n_rows = len(lines) + n_letters / (18 * width)
        drawing.set_size_inches(width, height + _CAPTION * n_rows)
        add_caption(drawing, lines)
