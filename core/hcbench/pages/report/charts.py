"""The figures of the report: charts and ranks."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from hcbench.analysis.ranking_texts import TESTS, blocks_text
from hcbench.figures.palette import looks_of
from hcbench.pages.report.figures import (
    ACCENT,
    INK,
    SOFT,
    axis,
    clear,
    legend_entry,
    line_style,
    make_figure,
    make_panels,
    panel_ids,
    plain,
    sentence,
    short,
)

if TYPE_CHECKING:
    from hcbench.analysis.ranks import Ranking
    from hcbench.figures.charts import Axis, Chart, Panel, Series
    from hcbench.results.results import Results

#: More panels would make a page slow; the CSV has all data.
_MOST_PANELS = 12
#: More ticks at values of a parameter would touch each other.
_MOST_TICKS = 8
_LONG = 32  # letters of a title beside an axis
#: Units of ticks, and how much each is; the first that is not larger than a tick is used.
_SECONDS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_COUNTS = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))


def draw_chart(chart: Chart, note: str = "") -> dict[str, Any]:
    """Draw a chart; of many panels the first."""
    panels = chart.panels[:_MOST_PANELS]
    names: dict[str, None] = {}
    traces: list[dict[str, Any]] = []
    axes = []
    for place, panel in enumerate(panels):
        axes.append(_panel_axes(chart, panel, is_first=not place))
        ids = panel_ids(place)
        for trace in _panel_traces(panel, names):
            traces.append(trace | ids)
    titles = [panel.title for panel in panels]
    return make_figure(
        traces,
        make_panels(titles, list(names), axes),
        _caption(chart, note),
        chart.header,
        list(map(_short_row, chart.rows)),
        _scale_choices(chart, len(panels)),
    )


def _short_row(row: Sequence[Any]) -> list[Any]:
    """A row of the table, with few digits."""
    cells = []
    for value in row:
        if isinstance(value, float):
            value = short(value)
        cells.append(value)
    return cells


def _caption(chart: Chart, note: str) -> str:
    lines = list(chart.caption)
    lines.append(note)
    if len(chart.panels) > _MOST_PANELS:
        lines.append(f"the first {_MOST_PANELS} of {len(chart.panels)} panels; the CSV has all")
    # Lines without a text are those that a chart has nothing to say in.
    return " ".join(map(sentence, filter(None, lines)))


def _scale_choices(chart: Chart, n_panels: int) -> dict[str, Any]:
    """The choice of the scale of y, where it is the same in all panels and not logarithmic yet."""
    if not chart.shared or chart.y.log:
        return {}
    log_axes = {}
    for place in range(n_panels):
        # The layout has "yaxis2" where a trace has "y2".
        number = panel_ids(place)["yaxis"][1:]
        log_axes[f"yaxis{number}"] = {"type": "log"}
    return {"Scale": {"linear": {}, "logarithmic": {"layout": log_axes}}}


# ---- Axes ----------------------------------------------------------------------------------------


def _panel_axes(
    chart: Chart, panel: Panel, *, is_first: bool
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The horizontal and the vertical axis of a panel."""
    x = _axis(chart.x, chart.x.ends or panel.x_ends)
    y = _axis(chart.y, chart.y.ends)
    if chart.shared and not is_first:
        # All panels are zoomed together.
        x["matches"] = "x"
        y["matches"] = "y"
    return x, y


def _axis(of_chart: Axis, ends: tuple[float, float] | None) -> dict[str, Any]:
    """An axis with ticks where they are useful, if they are few and apart; else with units."""
    scale: dict[str, Any] = {"type": "linear", "nticks": 7}
    if of_chart.log:
        scale["type"] = "log"
    title = of_chart.title
    ticks = of_chart.ticks
    if ends and of_chart.log:
        # Plotly takes the ends of a logarithmic axis as powers of ten.
        scale["range"] = list(map(math.log10, ends))
    elif ends:
        scale["range"] = list(ends)
    # Texts are categories, such as commits, in the order of the chart and not of the alphabet.
    if ticks and isinstance(ticks[0], str):
        scale |= {"type": "category", "categoryorder": "array", "categoryarray": ticks}
        scale |= {"nticks": 12, "tickangle": -45}
    elif ticks:
        if _are_apart(ticks, log=of_chart.log):
            texts = [f"{tick:g}" for tick in ticks]
            scale |= {"tickmode": "array", "tickvals": ticks, "ticktext": texts}
    elif of_chart.log and ends:
        low, high = scale["range"]
        places = _decade_ticks(low, high)
        texts = [_with_unit(tick, of_chart.unit) for tick in places]
        scale |= {"tickmode": "array", "tickvals": places, "ticktext": texts}
        # The ticks have the unit.
        title = title.replace(f" [{of_chart.unit}]", "")
    return axis(shortened(title), **scale)


def _are_apart(ticks: Sequence[float], *, log: bool) -> bool:
    """Whether the texts of ticks have room: there are few, and none is close to the next."""
    places = list(ticks)
    if log:
        places = list(map(math.log, ticks))
    # Nine texts fit beside each other.
    least = (places[-1] - places[0]) / 9
    for place, next_place in pairwise(places):
        if next_place - place <= least:
            return False
    return 1 < len(ticks) <= _MOST_TICKS


def _decade_ticks(low: float, high: float) -> list[float]:
    """Ticks from 10^low to 10^high: powers of ten; of a short axis also two and five times them."""
    steps = [1]
    if high - low <= 2:
        steps = [1, 2, 5]
    ticks = []
    for decade in range(math.floor(low), math.ceil(high) + 1):
        for step in steps:
            ticks.append(step * 10.0**decade)
    return ticks


def shortened(title: str) -> str:
    """A title beside an axis, without parameters if it is long; the caption has all of it."""
    if len(title) <= _LONG:
        return title
    return re.sub(r"\[.*\]", "[…]", title)


def _with_unit(tick: float, unit: str) -> str:
    """A tick such as 5 ms or 20 k."""
    units = _COUNTS
    if unit == "s":
        units = _SECONDS
    for scale, name in units:
        # A tick such as 10.0**3 may be a little less than 1000.
        if tick >= 0.999 * scale:
            return f"{tick / scale:.3g} {name}".strip()
    smallest_scale, smallest_name = units[-1]
    return f"{tick / smallest_scale:.3g} {smallest_name}".strip()


# ---- Traces --------------------------------------------------------------------------------------

#: What differs between the traces of each mark; "lines+markers" is the mode of the others.
_MODES = {"warning": "markers", "steps": "lines", "flat": "lines", "law": "markers"}


def _panel_traces(panel: Panel, names: dict[str, None]) -> Iterator[dict[str, Any]]:
    """The traces of a panel, from back to front; `names` collects the entries of the legend."""
    # What is drawn first is behind what follows.
    for front in panel.fronts:
        x, y = zip(*front, strict=True)
        line = {"color": SOFT, "width": 1.2, "dash": "dot", "shape": "hv"}
        ring = {"symbol": "circle-open", "size": 17, "color": INK, "line": {"width": 1.6}}
        yield _background(x, y, mode="lines+markers", line=line, marker=ring)
    for series in panel.series:
        yield from _series_background(series)
        trace = _series_trace(series, panel)
        # A series that is in several panels has one entry in the legend.
        trace["showlegend"] = series.name not in names
        names.setdefault(series.name)
        yield trace


def _series_trace(series: Series, panel: Panel) -> dict[str, Any]:
    """The points or the line of a series."""
    look = series.look
    x, left_ends, right_ends = series.spread(0)
    y, lower_ends, upper_ends = series.spread(1)
    texts = [plain(text) for _, _, text in series.points]
    width = 2.0
    if series.mark in ("bars", "level"):
        width = 1.4
    trace: dict[str, Any] = {
        "x": x,
        "y": y,
        "name": legend_entry(series.name),
        "legendgroup": series.name,
        "showlegend": True,
        "hoverinfo": "text",
        "hovertext": texts,
        "mode": _MODES.get(series.mark, "lines+markers"),
        **line_style(look, width),
    }
    if series.mark == "bars":
        trace["error_x"] = _bars(x, left_ends, right_ends, look.colour)
        trace["error_y"] = _bars(y, lower_ends, upper_ends, look.colour)
        if len(x) <= 1:
            trace["mode"] = "markers"
    elif series.mark == "level":
        # One point becomes a line across the panel.
        trace |= {"x": panel.x_ends, "y": y * 2, "hovertext": texts * 2}
        if look.dash == "solid":
            trace["line"]["dash"] = "dash"
    elif series.mark == "warning":
        trace["marker"]["size"] = 15
    elif series.mark == "steps":
        trace["hoverinfo"] = "x+y+name"
        trace["line"]["shape"] = "hv"
    return trace


def _series_background(series: Series) -> Iterator[dict[str, Any]]:
    """The band of the intervals, and the fitted law."""
    colour = series.look.colour
    x, _, _ = series.spread(0)
    _, low, high = series.spread(1)
    if series.mark in ("line", "flat", "law") and low != high:
        # Along the upper ends and back along the lower ones.
        around_x = x + x[::-1]
        around_y = high + low[::-1]
        yield _background(
            around_x,
            around_y,
            legendgroup=series.name,
            fill="toself",
            line={"width": 0},
            fillcolor=clear(colour, 0.16),
        )
    if series.law is not None:
        # A power law is a straight line between two points, as both axes are logarithmic.
        ends = [x[0], x[-1]]
        fitted = [series.law.factor * place**series.law.exponent for place in ends]
        dots = {"color": colour, "width": 1, "dash": "dot"}
        yield _background(ends, fitted, legendgroup=series.name, line=dots)


def _bars(
    middle: Sequence[float], low: Sequence[float], high: Sequence[float], colour: str
) -> dict[str, Any]:
    """Bars from the lower to the upper ends of intervals."""
    # Plotly takes lengths from the point, and not the ends.
    upward = []
    downward = []
    for start, point, end in zip(low, middle, high, strict=True):
        upward.append(end - point)
        downward.append(point - start)
    return {
        "type": "data",
        "array": upward,
        "arrayminus": downward,
        "thickness": 1,
        "width": 3,
        "color": clear(colour, 0.6),
    }


def _background(x: Sequence[Any], y: Sequence[Any], **properties: Any) -> dict[str, Any]:
    """A trace without texts and without an entry in the legend."""
    return {
        "x": list(x),
        "y": list(y),
        "mode": "lines",
        "hoverinfo": "skip",
        "showlegend": False,
        **properties,
    }


# ---- Ranks ---------------------------------------------------------------------------------------


def draw_ranks(ranking: Ranking, results: Results) -> dict[str, Any]:
    """Average ranks, one row per algorithm; bars join those without a significant difference."""
    bars = _clique_bars(ranking.cliques)
    caption = f"Average ranks by {ranking.metric.label} {blocks_text(ranking)}."
    if bars:
        caption += f" Bars join algorithms without a significant difference: {TESTS[ranking.test]}."
    rows = []
    for name, rank in _pairs(ranking):
        rows.append([name, short(rank)])
    return make_figure(
        [_rank_trace(ranking, results)],
        [_rank_layout(ranking, bars)],
        caption,
        ["algorithm", "average rank"],
        rows,
    )


def _rank_trace(ranking: Ranking, results: Results) -> dict[str, Any]:
    """A marker for each algorithm."""
    names = ranking.competitors
    looks = looks_of(results, names)
    colours = []
    symbols = []
    texts = []
    for name, rank in _pairs(ranking):
        colours.append(looks[name].colour)
        symbols.append(looks[name].symbol)
        texts.append(plain(f"{name}: average rank {rank:.3f}"))
    return {
        "x": list(ranking.ranks),
        "y": list(range(len(names))),
        "mode": "markers",
        "marker": {
            "size": 11,
            "color": colours,
            "symbol": symbols,
        },
        "hoverinfo": "text",
        "hovertext": texts,
        # The marker of the best rank is on the edge.
        "cliponaxis": False,
    }


def _rank_layout(ranking: Ranking, bars: list[dict[str, Any]]) -> dict[str, Any]:
    count = len(ranking.competitors)
    title = "average rank, 1 is best"
    limit = ranking.nemenyi.value
    if limit is not None:
        title += f" (critical difference {limit:.2f})"
    x = axis(
        title,
        range=[1 - 0.05 * count, count + 0.05 * count],
        nticks=min(count + 1, 8),
    )
    tick_texts = [f"{plain(name)}  <b>{rank:.2f}</b>" for name, rank in _pairs(ranking)]
    y = axis(
        tickmode="array",
        tickvals=list(range(count)),
        ticktext=tick_texts,
        # From top to bottom, with room for half a row on both sides.
        range=[count - 0.4, -0.6],
    )
    return {
        "xaxis": x,
        "yaxis": y,
        "showlegend": False,
        "margin": {"l": 20, "r": 16, "t": 12, "b": 50},
        "height": 90 + 34 * count,
        "shapes": bars,
    }


def _pairs(ranking: Ranking) -> Iterator[tuple[str, float]]:
    """Each algorithm and its rank, the best first."""
    return zip(ranking.competitors, ranking.ranks, strict=True)


def _clique_bars(cliques: Sequence[Sequence[int]]) -> list[dict[str, Any]]:
    """A vertical bar beside the rows of each clique."""
    bars: list[dict[str, Any]] = []
    for clique in cliques:
        if len(clique) < 2:
            # It differs from all algorithms, so there is nothing to join.
            continue
        # Each further bar is to the left of the one before.
        x = 1 - 0.015 * (len(bars) + 1)
        bars.append(
            {
                "type": "line",
                "xref": "paper",
                "x0": x,
                "x1": x,
                "y0": min(clique) - 0.25,
                "y1": max(clique) + 0.25,
                "line": {"color": ACCENT, "width": 5},
            }
        )
    return bars
