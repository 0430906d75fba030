"""The figures of the report: charts and ranks."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from hcbench.analysis.ranks import TESTS, blocks_text
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

_MOST_PANELS = 12
_MOST_TICKS = 8
_LONG = 32  # letters of a title beside an axis
_SECONDS = ((1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_COUNTS = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1, ""))


def draw_chart(chart: Chart, note: str = "") -> dict[str, Any]:
    """Draw a chart; of many panels the first."""
    shown = chart.panels[:_MOST_PANELS]
    listed: set[str] = set()
    traces = []
    axes = []
    for place, panel in enumerate(shown):
        ids = panel_ids(place)
        both = _axis(chart.x, chart.x.ends or panel.x_ends), _axis(chart.y, chart.y.ends)
        if place and chart.shared:
            both = {**both[0], "matches": "x"}, {**both[1], "matches": "y"}
        axes.append(both)
        for front in panel.fronts:
            x, y = zip(*front, strict=True)
            line = {"color": SOFT, "width": 1.2, "dash": "dot", "shape": "hv"}
            ring = {"symbol": "circle-open", "size": 17, "color": INK, "line": {"width": 1.6}}
            drawn = _background(x, y, mode="lines+markers", line=line, marker=ring)
            traces.append({**drawn, **ids})
        for series in panel.series:
            traces += [{**trace, **ids} for trace in _traces(series, panel, listed)]
    told = [*chart.caption, note]
    if len(chart.panels) > len(shown):
        told.append(f"the first {len(shown)} of {len(chart.panels)} panels; the CSV has all")
    names = [series.name for panel in shown for series in panel.series]
    choices = {}
    if chart.shared and not chart.y.log:
        sides = [f"yaxis{panel_ids(i)['yaxis'][1:]}" for i in range(len(shown))]
        scales = {"linear": {}, "logarithmic": {"layout": {y: {"type": "log"} for y in sides}}}
        choices = {"Scale": scales}
    return make_figure(
        traces,
        make_panels([panel.title for panel in shown], list(dict.fromkeys(names)), axes),
        " ".join(map(sentence, filter(None, told))),
        chart.header,
        [[short(x) if isinstance(x, float) else x for x in row] for row in chart.rows],
        choices,
    )


def _axis(of_chart: Axis, ends: tuple[float, float] | None) -> dict[str, Any]:
    """An axis with ticks where they are given, if they are few and apart; else with units."""
    scale: dict[str, Any] = {"type": "log" if of_chart.log else "linear", "nticks": 7}
    title, ticks = of_chart.title, of_chart.ticks
    if ends and of_chart.log:
        scale["range"] = [math.log10(end) for end in ends]
    elif ends:
        scale["range"] = list(ends)
    if ticks and isinstance(ticks[0], str):
        scale |= {"type": "category", "categoryorder": "array", "categoryarray": ticks}
        scale |= {"nticks": 12, "tickangle": -45}
    elif ticks:
        at = [math.log(tick) if of_chart.log else tick for tick in ticks]
        apart = all(b - a > (at[-1] - at[0]) / 9 for a, b in pairwise(at))
        if 1 < len(ticks) <= _MOST_TICKS and apart:
            texts = [f"{tick:g}" for tick in ticks]
            scale |= {"tickmode": "array", "tickvals": ticks, "ticktext": texts}
    elif of_chart.log and ends:
        low, high = scale["range"]
        decades = range(math.floor(low), math.ceil(high) + 1)
        steps = (1,) if high - low > 2 else (1, 2, 5)
        at = [step * 10.0**decade for decade in decades for step in steps]
        texts = [_with_unit(tick, of_chart.unit) for tick in at]
        scale |= {"tickmode": "array", "tickvals": at, "ticktext": texts}
        title = title.replace(f" [{of_chart.unit}]", "")
    return axis(shortened(title), **scale)


def shortened(title: str) -> str:
    """A title beside an axis, without parameters if it is long; the caption has all of it."""
    return re.sub(r"\[.*\]", "[…]", title) if len(title) > _LONG else title


def _with_unit(tick: float, unit: str) -> str:
    scales = _SECONDS if unit == "s" else _COUNTS
    scale, name = next((s for s in scales if tick >= 0.999 * s[0]), scales[-1])
    return f"{tick / scale:.3g} {name}".strip()


def _traces(series: Series, panel: Panel, listed: set[str]) -> Iterator[dict[str, Any]]:
    """The traces of a series; the first with its name has an entry in the legend."""
    look = series.look
    (x, left, right), (y, low, high) = series.spread(0), series.spread(1)
    trace: dict[str, Any] = {
        "x": x,
        "y": y,
        "name": legend_entry(series.name),
        "legendgroup": series.name,
        "showlegend": series.name not in listed,
        "hoverinfo": "text",
        "hovertext": [plain(text) for _, _, text in series.points],
        "mode": "lines+markers",
        **line_style(look, 1.4 if series.mark in ("bars", "level") else 2.0),
    }
    listed.add(series.name)
    match series.mark:
        case "bars":
            trace["error_x"] = _bars(x, left, right, look.colour)
            trace["error_y"] = _bars(y, low, high, look.colour)
            trace["mode"] = "lines+markers" if len(x) > 1 else "markers"
        case "level":
            trace |= {"x": panel.x_ends, "y": y * 2, "hovertext": trace["hovertext"] * 2}
            trace["line"]["dash"] = "dash" if look.dash == "solid" else look.dash
        case "warning":
            trace["mode"] = "markers"
            trace["marker"]["size"] = 15
        case "steps":
            trace |= {"mode": "lines", "hoverinfo": "x+y+name"}
            trace["line"]["shape"] = "hv"
        case "flat":
            trace["mode"] = "lines"
        case "law":
            trace["mode"] = "markers"
    if series.mark in ("line", "flat", "law") and low != high:
        shade: dict[str, Any] = {"fill": "toself", "line": {"width": 0}}
        shade["fillcolor"] = clear(look.colour, 0.16)
        around = [*x, *reversed(x)], [*high, *reversed(low)]
        yield _background(*around, legendgroup=series.name, **shade)
    if series.law is not None:
        ends = [x[0], x[-1]]
        law = [series.law.factor * at**series.law.exponent for at in ends]
        dots = {"color": look.colour, "width": 1, "dash": "dot"}
        yield _background(ends, law, legendgroup=series.name, line=dots)
    yield trace


def _bars(
    middle: Sequence[float], low: Sequence[float], high: Sequence[float], colour: str
) -> dict[str, Any]:
    """Bars from the lower to the upper ends of intervals."""
    return {
        "type": "data",
        "array": [b - a for a, b in zip(middle, high, strict=True)],
        "arrayminus": [b - a for a, b in zip(low, middle, strict=True)],
        "thickness": 1,
        "width": 3,
        "color": clear(colour, 0.6),
    }


def _background(x: Sequence[Any], y: Sequence[Any], **more: Any) -> dict[str, Any]:
    """A trace without texts and without an entry in the legend."""
    quiet = {"mode": "lines", "hoverinfo": "skip", "showlegend": False}
    return {"x": list(x), "y": list(y), **quiet, **more}


def draw_ranks(ranking: Ranking, results: Results) -> dict[str, Any]:
    """Average ranks, one row per algorithm; bars join those without a significant difference."""
    names, ranks = ranking.competitors, ranking.ranks
    looks = looks_of(results, names)
    count = len(names)
    bars = _clique_bars(ranking.cliques)
    limit = ranking.nemenyi.value
    title = "average rank, 1 is best"
    layout = {
        "xaxis": axis(
            title if limit is None else f"{title} (critical difference {limit:.2f})",
            range=[1 - 0.05 * count, count + 0.05 * count],
            nticks=min(count + 1, 8),
        ),
        "yaxis": axis(
            tickmode="array",
            tickvals=list(range(count)),
            ticktext=[f"{plain(name)}  <b>{rank:.2f}</b>" for name, rank in _pairs(ranking)],
            range=[count - 0.4, -0.6],
        ),
        "showlegend": False,
        "margin": {"l": 20, "r": 16, "t": 12, "b": 50},
        "height": 90 + 34 * count,
        "shapes": bars,
    }
    trace = {
        "x": list(ranks),
        "y": list(range(count)),
        "mode": "markers",
        "marker": {
            "size": 11,
            "color": [looks[name].colour for name in names],
            "symbol": [looks[name].symbol for name in names],
        },
        "hoverinfo": "text",
        "hovertext": [plain(f"{name}: average rank {rank:.3f}") for name, rank in _pairs(ranking)],
        "cliponaxis": False,
    }
    caption = f"Average ranks by {ranking.metric.label} {blocks_text(ranking)}."
    if bars:
        caption += f" Bars join algorithms without a significant difference: {TESTS[ranking.test]}."
    rows = [[name, short(rank)] for name, rank in _pairs(ranking)]
    return make_figure([trace], [layout], caption, ["algorithm", "average rank"], rows)


def _pairs(ranking: Ranking) -> Iterator[tuple[str, float]]:
    return zip(ranking.competitors, ranking.ranks, strict=True)


def _clique_bars(cliques: Sequence[Sequence[int]]) -> list[dict[str, Any]]:
    """A vertical bar beside the rows of each clique."""
    several = [clique for clique in cliques if len(clique) > 1]
    return [
        {
            "type": "line",
            "xref": "paper",
            "x0": 1 - 0.015 * (place + 1),
            "x1": 1 - 0.015 * (place + 1),
            "y0": min(clique) - 0.25,
            "y1": max(clique) + 0.25,
            "line": {"color": ACCENT, "width": 5},
        }
        for place, clique in enumerate(several)
    ]
