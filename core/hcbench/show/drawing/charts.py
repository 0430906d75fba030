"""Curves, scaling, trade-offs and performance profiles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hcbench.analysis.axes import is_wide
from hcbench.analysis.palette import looks_of
from hcbench.analysis.ranks import blocks_text
from hcbench.show.drawing.sheets import (
    add_caption,
    add_legend,
    add_title,
    format_numbers,
    make_sheet,
    name_metric,
)
from hcbench.show.plots.settings import averages_of, mark_places, plain, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from hcbench.analysis.palette import Look
    from hcbench.analysis.ranks import ProfileView
    from hcbench.analysis.results import Results
    from hcbench.analysis.views import CurveView, Line, Panel, TradeoffPanel, TradeoffView
    from hcbench.plan.presentation import MetricInfo

_BAND = 0.18  # opacity


def draw_curves(view: CurveView, results: Results, *, log_log: bool = False) -> Figure:
    """One panel for each combination of other parameters, one line per algorithm."""
    figure, axes = make_sheet(len(view.panels), share_y=not view.metric.cost)
    looks = looks_of(results)
    seen: dict[str, Look] = {}
    with style():
        for ax, panel in zip(axes, view.panels, strict=True):
            for line in panel.lines:
                look = seen.setdefault(line.name, looks[line.algorithm])
                _draw_line(ax, line, look, told=len(view.panels) == 1)
            add_title(ax, panel.title)
            ax.set(xlabel=plain(view.x.title), ylabel=name_metric(view.metric))
            ax.grid(visible=True, axis="y")
            _scale(ax, panel, view.metric, log_log=log_log)
    add_legend(figure)
    add_caption(figure, [view.interval, *_captions(view), *results.caveats])
    return figure


def _draw_line(ax: Axes, line: Line, look: Look, *, told: bool) -> None:
    """A line with its band and its power law, whose exponent can be told in the legend."""
    x = np.array([point.x for point in line.points])
    average, low, high = averages_of(line.points)
    flat = {"marker": "", "linewidth": 0.9} if line.flat else {}
    exponent = f": {exponent_text(line)}" if told and line.fit else ""
    ax.plot(x, average, label=plain(line.name + exponent), **{**look.style, **flat})
    if (high > low).any():
        ax.fill_between(x, low, high, color=look.colour, alpha=_BAND, linewidth=0)
    if line.fit is not None:
        fitted = line.fit.factor * x**line.fit.exponent
        ax.plot(x, fitted, color=look.colour, linewidth=0.7, linestyle=":")


def exponent_text(line: Line) -> str:
    """The exponent with its 95 % interval."""
    law = line.fit
    return "" if law is None else f"{law.exponent:.2f} [{law.low:.2f}, {law.high:.2f}]"


def _captions(view: CurveView) -> list[str]:
    captions = []
    if any(line.fit for panel in view.panels for line in panel.lines):
        captions.append(
            "dotted: power laws fitted to at least four sizes, exponent with its 95 % interval"
        )
        if len(view.panels) > 1:
            for panel in view.panels:
                laws = [f"{n.name} {exponent_text(n)}" for n in panel.lines if n.fit]
                if laws:
                    captions.append(f"{panel.title}: {', '.join(laws)}")
    failed = sum(
        p.failed
        for panel in view.panels
        for n in panel.lines
        for p in n.points[: None if not n.flat else 1]
    )
    if failed:
        captions.append(f"{failed} failed repetitions are excluded")
    return captions


def _scale(ax: Axes, panel: Panel, metric: MetricInfo, *, log_log: bool) -> None:
    """Logarithmic scales for wide ranges of x or of costs."""
    places = sorted({point.x for line in panel.lines for point in line.points})
    values = [point.average for line in panel.lines for point in line.points]
    if places[0] > 0 and (log_log or is_wide(places)):
        ax.set_xscale("log")
    if min(values) > 0 and (log_log or (metric.cost and is_wide(values))):
        ax.set_yscale("log")
    mark_places(ax, places)
    format_numbers(ax, metric, "y")


# ---- Trade-offs ----------------------------------------------------------------------------------


def draw_tradeoff(view: TradeoffView, results: Results) -> Figure:
    """One panel per data set: quality against cost, with the Pareto front as a line."""
    figure, axes = make_sheet(len(view.panels))
    levels = [level.name for panel in view.panels for level in panel.levels]
    names = [point.name for panel in view.panels for point in panel.points]
    looks = looks_of(results, [*names, *levels])
    with style():
        for ax, panel in zip(axes, view.panels, strict=True):
            _draw_points(ax, panel, looks)
            add_title(ax, panel.dataset)
            ax.set(xlabel=name_metric(view.against), ylabel=name_metric(view.metric))
            ax.grid(visible=True)
            _scale_costs(ax, [point.x.average or 0.0 for point in panel.points])
            format_numbers(ax, view.against, "x")
    add_legend(figure)
    caption = ["bars: 95 % bootstrap intervals; black edges and lines: Pareto front"]
    if levels:
        caption.append(f"dashed lines: algorithms without {view.against.label}")
    add_caption(figure, [*caption, *results.caveats])
    return figure


def _draw_points(ax: Axes, panel: TradeoffPanel, looks: dict[str, Look]) -> None:
    x, low_x, high_x = averages_of([point.x for point in panel.points])
    y, low_y, high_y = averages_of([point.y for point in panel.points])
    for front in panel.fronts:
        places = list(front)
        ax.step(x[places], y[places], where="post", color="#999999", linewidth=1.0, zorder=1)
    colours = [looks[point.name].colour for point in panel.points]
    ax.hlines(y, low_x, high_x, colors=colours, linewidth=0.8)  # one artist for all
    ax.vlines(x, low_y, high_y, colors=colours, linewidth=0.8)
    for place, point in enumerate(panel.points):
        look = looks[point.name]
        ax.plot(
            [x[place]],
            [y[place]],
            label=plain(point.name),
            color=look.colour,
            marker=look.marker or "o",
            markerfacecolor="none" if point.reference else look.colour,
            markeredgecolor="black" if point.on_front else look.colour,
            markersize=6,
            linestyle="",
        )
    for level in panel.levels:
        look = looks[level.name]
        dashed = {"color": look.colour, "linestyle": "--", "linewidth": 0.9}
        ax.axhline(level.y.average or 0.0, label=plain(level.name), **dashed)  # type: ignore[arg-type]


def _scale_costs(ax: Axes, costs: Sequence[float]) -> None:
    """A logarithmic scale for a wide range; a cost of 0 is then left of the smallest other."""
    positive = [cost for cost in costs if cost > 0]
    if not is_wide(positive):
        ax.locator_params(axis="x", nbins=4)  # large numbers are long
    elif len(positive) == len(costs):
        ax.set_xscale("log")
    else:
        ax.set_xscale("symlog", linthresh=min(positive))
        ax.set_xlim(-0.3 * min(positive), 1.5 * max(positive))


# ---- Performance profiles ------------------------------------------------------------------------


def draw_profile(view: ProfileView, results: Results) -> Figure:
    """One step function per competitor: the share of blocks within a distance of the best."""
    figure, (ax,) = make_sheet(1)
    profile, names = view.profile, view.blocks.competitors
    looks = looks_of(results, names)
    start = 1.0 if profile.by == "ratio" else 0.0
    furthest = max((float(w[-1]) for w in profile.within if w.size), default=start)
    wide = profile.by == "ratio" and is_wide((start, furthest))
    end = furthest * 1.2 if wide else start + (1.05 * (furthest - start) or 1.0)
    with style():
        for place, name in enumerate(names):
            x = np.concatenate(([start], profile.within[place], [end]))
            first, last = profile.at(start)[place], profile.at(end)[place]
            y = np.concatenate(([first], profile.share[place], [last]))
            every = (place % 4, max(1, len(x) // 6))
            label = plain(name)
            style_of = looks[name].style
            ax.step(x, y, where="post", label=label, markevery=every, clip_on=False, **style_of)
        if wide:
            ax.set_xscale("log")
        ax.set(xlim=(start, end), ylim=(0, 1.02))
        ax.set_xlabel(f"{plain(view.metric.label)}: {profile.by} to the best")
        ax.set_ylabel(f"share of {view.blocks.inference.unit}s")
        ax.grid(visible=True)
    add_legend(figure)
    add_caption(figure, [blocks_text(view.blocks), *results.caveats])
    return figure
