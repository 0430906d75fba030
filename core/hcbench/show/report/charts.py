"""The figures of the report, from `hcbench.analysis.views`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from hcbench.analysis.axes import is_wide
from hcbench.analysis.palette import looks_of
from hcbench.analysis.ranks import blocks_text
from hcbench.analysis.tables import ARROWS, format_spread
from hcbench.analysis.views import TradeoffPoint
from hcbench.show.report.figures import (
    ACCENT,
    INK,
    SOFT,
    axis,
    clear,
    line_style,
    make_figure,
    make_panels,
    panel_ids,
    plain,
    sentence,
    short,
)

if TYPE_CHECKING:
    from hcbench.analysis.palette import Look
    from hcbench.analysis.ranks import ProfileView, Ranking
    from hcbench.analysis.results import Results
    from hcbench.analysis.statistics import Summary
    from hcbench.analysis.views import (
        CurvePoint,
        CurveView,
        Level,
        Line,
        PowerLaw,
        TradeoffPanel,
        TradeoffView,
    )
    from hcbench.plan.presentation import MetricInfo

_MOST_TICKS = 8


def _written(summary: Summary | CurvePoint, metric: MetricInfo) -> str:
    """An average with its interval, for the text that is shown at a point."""

    def number(value: float | None) -> str:
        return format_spread(value, None, metric.unit, metric.interval)

    low, high = summary.low, summary.high
    interval = "" if low is None or low == high else f" ({number(low)} to {number(high)})"
    return f"{metric.label} {number(summary.average)}{interval}"


def _title(metric: MetricInfo) -> str:
    unit = f" [{metric.unit}]" if metric.unit and metric.unit != "questions" else ""
    return f"{metric.label}{unit}{ARROWS[metric.direction]}"


def _scale(values: Sequence[float], *, log: bool) -> dict[str, Any]:
    """A scale with a tick at each value, if they are few and apart."""
    at = [math.log(v) if log else v for v in values]
    apart = all(b - a > (at[-1] - at[0]) / 9 for a, b in pairwise(at))
    ticks = {"tickmode": "array", "tickvals": list(values), "ticktext": [f"{v:g}" for v in values]}
    few = 1 < len(values) <= _MOST_TICKS and apart
    return {"type": "log" if log else "linear", **(ticks if few else {})}


_SECONDS = ((1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_COUNTS = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1, ""))


def _log_axis(metric: MetricInfo, reach: tuple[float, float]) -> dict[str, Any]:
    """A logarithmic axis with units at its ticks."""
    low, high = (math.log10(end) for end in reach)
    steps = (1,) if high - low > 2 else (1, 2, 5)
    decades = range(math.floor(low), math.ceil(high) + 1)
    ticks = [step * 10.0**decade for decade in decades for step in steps]
    scales = _SECONDS if metric.unit == "s" else _COUNTS

    def text(tick: float) -> str:
        scale, name = next((s for s in scales if tick >= 0.999 * s[0]), scales[-1])
        return f"{tick / scale:.3g} {name}".strip()

    title = metric.label + ARROWS[metric.direction]
    ends = {"type": "log", "range": [low, high], "tickmode": "array", "tickvals": ticks}
    return axis(title, **ends, ticktext=[text(tick) for tick in ticks])


# ---- Quality and cost ----------------------------------------------------------------------------


def draw_tradeoff(view: TradeoffView, results: Results, note: str = "") -> dict[str, Any]:
    """Quality against cost, one panel per data set, with Pareto fronts."""
    points = [point.name for panel in view.panels for point in panel.points]
    levels = [level.name for panel in view.panels for level in panel.levels]
    names = list(dict.fromkeys([*points, *levels]))
    looks = looks_of(results, names)
    log = is_wide(
        p.x.average or 0 for panel in view.panels for p in panel.points if not p.reference
    )
    reaches = [_reach(panel.points, log=log) for panel in view.panels]
    axes = [
        (
            _log_axis(view.against, reach)
            if log
            else axis(_title(view.against), range=list(reach), nticks=5),
            axis(_title(view.metric), nticks=7),
        )
        for reach in reaches
    ]
    traces: list[dict[str, Any]] = []
    listed: set[str] = set()
    rows: list[list[Any]] = []
    for place, panel in enumerate(view.panels):
        traces += _tradeoff_traces(view, panel, looks, listed, reaches[place], panel_ids(place))
        rows += [
            [panel.dataset, p.name, p.oracle, p.budget, p.checkpoint]
            + [short(x) for s in (p.x, p.y) for x in (s.average, s.low, s.high)]
            + ["yes" if p.on_front else "no"]
            for p in panel.points
        ]
    cost, metric = view.against.label, view.metric.label
    parts = [f"{_title(view.metric)} against {cost}; bars are 95 % intervals of the averages."]
    parts.append("Rings and dotted lines: the Pareto front, which no other algorithm dominates.")
    if levels or any(point.reference for panel in view.panels for point in panel.points):
        parts.append(f"Dashed: references, and algorithms without {cost}.")
    parts += [*map(sentence, results.caveats), note]
    header = ["data set", "algorithm", "oracle", "budget", "after queries"]
    header += [f"{label}{end}" for label in (cost, metric) for end in ("", ", low", ", high")]
    titles = [panel.dataset for panel in view.panels]
    return make_figure(
        traces,
        make_panels(titles, names, axes),
        " ".join(filter(None, parts)),
        [*header, "on the front"],
        rows,
    )


def _tradeoff_traces(
    view: TradeoffView,
    panel: TradeoffPanel,
    looks: dict[str, Look],
    listed: set[str],
    reach: tuple[float, float],
    ids: dict[str, str],
) -> Iterator[dict[str, Any]]:
    for front in panel.fronts:
        x, y = zip(
            *((panel.points[i].x.average, panel.points[i].y.average) for i in front), strict=True
        )
        line = {"color": SOFT, "width": 1.2, "dash": "dot", "shape": "hv"}
        ring = {"symbol": "circle-open", "size": 17, "color": INK, "line": {"width": 1.6}}
        yield _background(x, y, ids, mode="lines+markers", line=line, marker=ring)
    for name in dict.fromkeys(point.name for point in panel.points if not point.reference):
        points = sorted((p for p in panel.points if p.name == name), key=lambda p: p.x.average or 0)
        costs, values = [p.x for p in points], [p.y for p in points]
        about = [
            [name, _written(p.y, view.metric), _written(p.x, view.against)]
            + ([] if p.checkpoint is None else [f"after {p.checkpoint:,} queries"])
            for p in points
        ]
        mode = "lines+markers" if len(points) > 1 else "markers"
        look = looks[name]
        bars = {"error_x": _bars(costs, look), "error_y": _bars(values, look)}
        yield {
            **_named(name, [x.average for x in costs], [y.average for y in values], about, listed),
            "mode": mode,
            **bars,
            **line_style(look, 1.4),
            **ids,
        }
    references = [point for point in panel.points if point.reference]
    flat: list[Level | TradeoffPoint] = [*panel.levels, *references]
    for level in flat:
        lines = [level.name, _written(level.y, view.metric)]
        if isinstance(level, TradeoffPoint):
            lines += ["a reference", _written(level.x, view.against)]
        else:
            lines.append(f"no {view.against.label}")
        look, heights = looks[level.name], [level.y.average] * 2
        style = line_style(replace(look, dash="dash"), 1.4)
        mode = "lines+markers" if level.reference else "lines"
        yield {
            **_named(level.name, reach, heights, [lines] * 2, listed),
            "mode": mode,
            **style,
            **ids,
        }


def _reach(points: Sequence[TradeoffPoint], *, log: bool) -> tuple[float, float]:
    """The range of costs, of references only if there are no others; wide if nearly equal."""
    known = [p for p in points if not p.reference] or points
    ends = [(s.average, s.low, s.high) for s in (p.x for p in known)]
    costs = [x for of_one in ends for x in of_one if x is not None and (x > 0 or not log)]
    low, high = min(costs), max(costs)
    if log:
        return low / 1.6, high * 1.6
    room = max(0.06 * (high - low), 0.3 * high if high - low < 0.1 * high else 0.0)
    return low - room, high + room


def _bars(summaries: Sequence[Summary], look: Look) -> dict[str, Any]:
    """Bars from the lower to the upper end of intervals."""
    return {
        "type": "data",
        "array": [0 if s.high is None else s.high - (s.average or 0) for s in summaries],
        "arrayminus": [0 if s.low is None else (s.average or 0) - s.low for s in summaries],
        "thickness": 1,
        "width": 3,
        "color": clear(look.colour, 0.6),
    }


def _named(
    name: str, x: Sequence[Any], y: Sequence[Any], about: Sequence[Sequence[str]], listed: set[str]
) -> dict[str, Any]:
    """A trace with texts at its points; the first with this name has an entry in the legend."""
    first = name not in listed
    listed.add(name)
    legend = {"name": plain(name), "legendgroup": name, "showlegend": first}
    texts = [plain("\n".join(lines)) for lines in about]
    hover = {"hoverinfo": "text", "hovertext": texts} if about else {}
    return {"x": list(x), "y": list(y), **legend, **hover}


def _background(x: Sequence[Any], y: Sequence[Any], ids: Any, **more: Any) -> dict[str, Any]:
    """A trace without texts and without an entry in the legend."""
    quiet = {"mode": "lines", "hoverinfo": "skip", "showlegend": False}
    return {"x": list(x), "y": list(y), **quiet, **more, **ids}


# ---- Curves and growth ---------------------------------------------------------------------------


def draw_curves(view: CurveView, results: Results, *, growth: bool = False) -> dict[str, Any]:
    """A metric along an axis; of growth on logarithmic scales, with the fitted power laws."""
    looks = looks_of(results)
    shown = list(view.panels[:12])
    names = list(dict.fromkeys(line.name for panel in shown for line in panel.lines))
    own: dict[str, Look] = {}
    places = sorted({p.x for panel in shown for line in panel.lines for p in line.points})
    log = (growth or view.x.log) and places[0] > 0
    averages = [p.average for panel in shown for line in panel.lines for p in line.points]
    heights = (min(averages) / 1.6, max(averages) * 1.6)
    listed: set[str] = set()
    traces: list[dict[str, Any]] = []
    axes = []
    for place, panel in enumerate(shown):
        match = [{"matches": side} if place else {} for side in "xy"]
        x = axis(view.x.title, **_scale(places, log=log), **match[0])
        y = (
            {**_log_axis(view.metric, heights), **match[1]}
            if growth
            else axis(_title(view.metric), nticks=7, **match[1])
        )
        axes.append((x, y))
        for line in panel.lines:
            look = own.setdefault(line.name, looks[line.algorithm])
            traces += _line_traces(view, line, look, listed, panel_ids(place))
    rows = [
        [
            panel.title,
            line.name,
            point.x,
            *map(short, (point.average, point.low, point.high)),
            point.n,
        ]
        for panel in view.panels
        for line in panel.lines
        for point in line.points
    ]
    caption = f"{_title(view.metric)} along {view.x.title}: {view.interval}."
    if growth:
        caption += " Dotted: power laws, fitted to at least four sizes."
    if len(view.panels) > len(shown):
        caption += f" The first {len(shown)} of {len(view.panels)} panels; the CSV has all."
    caption = " ".join([caption, *map(sentence, results.caveats)])
    layouts = make_panels([panel.title for panel in shown], names, axes)
    sides = [f"yaxis{panel_ids(i)['yaxis'][1:]}" for i in range(len(shown))]
    scales = {"linear": {}, "logarithmic": {"layout": {y: {"type": "log"} for y in sides}}}
    header = ["panel", "line", view.x.name, view.metric.label, "low", "high", "repetitions"]
    return make_figure(
        traces, layouts, caption, header, rows, None if growth else {"Scale": scales}
    )


def _line_traces(
    view: CurveView, line: Line, look: Look, listed: set[str], ids: dict[str, str]
) -> Iterator[dict[str, Any]]:
    x = [point.x for point in line.points]
    low = [p.average if p.low is None else p.low for p in line.points]
    high = [p.average if p.high is None else p.high for p in line.points]
    if any(a < b for a, b in zip(low, high, strict=True)):
        around = [*x, *reversed(x)], [*high, *reversed(low)]
        shade: dict[str, Any] = {
            "fill": "toself",
            "fillcolor": clear(look.colour, 0.16),
            "line": {"width": 0},
        }
        yield _background(*around, ids, legendgroup=line.name, **shade)
    if line.fit is not None:
        ends = [x[0], x[-1]]
        law = [line.fit.factor * at**line.fit.exponent for at in ends]
        dots = {"color": look.colour, "width": 1, "dash": "dot"}
        yield _background(ends, law, ids, legendgroup=line.name, line=dots)
    y = [point.average for point in line.points]
    about = [[line.name, f"{view.x.name} = {p.x:g}", _written(p, view.metric)] for p in line.points]
    mode = "lines" if line.flat else "markers" if line.fit else "lines+markers"
    yield {**_named(line.name, x, y, about, listed), "mode": mode, **line_style(look), **ids}


def exponent(law: PowerLaw) -> str:
    """The exponent of a power law with its 95 % interval."""
    return f"{law.exponent:.2f} [{law.low:.2f}, {law.high:.2f}]"


# ---- Ranks ---------------------------------------------------------------------------------------


def draw_ranks(ranking: Ranking, results: Results) -> dict[str, Any]:
    """Average ranks, one row per algorithm; bars join those without a significant difference."""
    names, ranks = ranking.competitors, ranking.ranks
    looks = looks_of(results, names)
    count = len(names)
    tests = {"signed-rank tests, Holm": ranking.holm_cliques, "Nemenyi's test": ranking.cliques}
    if ranking.inference.reason:
        tests = {}  # nothing was tested
    bars = {
        name: {"layout": {"shapes": _clique_bars(cliques)}}
        for name, cliques in tests.items()
        if any(len(clique) > 1 for clique in cliques)
    }
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
        "shapes": next(iter(bars.values()))["layout"]["shapes"] if bars else [],
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
        caption += " Bars join algorithms without a significant difference."
    rows = [[name, short(rank)] for name, rank in _pairs(ranking)]
    choices = {"Bars by": bars} if len(bars) > 1 else None
    return make_figure([trace], [layout], caption, ["algorithm", "average rank"], rows, choices)


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


def draw_profile(view: ProfileView, results: Results) -> dict[str, Any]:
    """The share of blocks on which each competitor is within a distance of the best."""
    profile, names = view.profile, view.blocks.competitors
    looks = looks_of(results, names)
    ratio = profile.by == "ratio"
    start = 1.0 if ratio else 0.0
    far = max((float(steps[-1]) for steps in profile.within if steps.size), default=start)
    wide = ratio and is_wide((start, far))
    end = far * 1.2 if wide else start + (1.05 * (far - start) or 1.0)
    traces, rows = [], []
    listed: set[str] = set()
    for place, name in enumerate(names):
        within, share = profile.within[place].tolist(), profile.share[place].tolist()
        rows += [[name, short(x), short(y)] for x, y in zip(within, share, strict=True)]
        x = [start, *within, end]
        y = [float(profile.at(start)[place]), *share, share[-1] if share else 0.0]
        look = looks[name]
        line = {"shape": "hv", "color": look.colour, "dash": look.dash, "width": 2}
        traces.append({**_named(name, x, y, (), listed), "mode": "lines", "line": line})
    what, blocks = "factor" if ratio else "difference", f"{view.blocks.inference.unit}s"
    title = f"within this {what} of the best {view.metric.label}"
    x_axis = axis(title, type="log" if wide else "linear")
    y_axis = axis(f"share of {blocks}", range=[-0.02, 1.04], tickformat=".0%")
    layouts = make_panels([""], names, [(x_axis, y_axis)])
    caption = f"The share of {blocks} on which each algorithm is that close to the best."
    return make_figure(traces, layouts, caption, ["algorithm", what, "share"], rows)
