"""Matplotlib figures of views: curves, scaling, trade-offs, performance profiles, ranks."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from hcbench.analysis.axes import is_wide
from hcbench.analysis.palette import looks_of
from hcbench.analysis.ranks import blocks_text, significance_lines
from hcbench.analysis.tables import ARROWS
from hcbench.show.plots import averages_of, mark_places, new_figure, plain, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from hcbench.analysis.palette import Look
    from hcbench.analysis.ranks import ProfileView, Ranking
    from hcbench.analysis.results import Results
    from hcbench.analysis.views import CurveView, Line, Panel, TradeoffPanel, TradeoffView
    from hcbench.plan.presentation import MetricInfo

_PANEL = (3.4, 2.7)  # inches
_ALONE = (5.6, 3.8)
_TITLE = 38  # characters per line
_LETTER = 0.075  # inches per character of a legend
_ROWS_OF_LEGEND = 24


def make_sheet(n_panels: int, *, share_y: bool = False) -> tuple[Figure, list[Axes]]:
    """A figure with this many axes; unused ones in the last row are hidden."""
    columns = n_panels if n_panels < 4 else 2 if n_panels == 4 else 3 if n_panels < 10 else 4
    rows = math.ceil(n_panels / columns)
    width, height = _ALONE if n_panels == 1 else (_PANEL[0] * columns, _PANEL[1] * rows)
    figure, made = new_figure(width, height, rows=rows, columns=columns)
    axes = list(np.atleast_1d(made).ravel())
    for unused in axes[n_panels:]:
        unused.set_visible(False)
    for ax in axes[1:n_panels] if share_y else ():
        ax.sharey(axes[0])
    return figure, axes[:n_panels]


def add_title(ax: Axes, text: str) -> None:
    """A title with lines no wider than a panel."""
    ax.set_title("\n".join(textwrap.wrap(plain(text).replace(",", ", "), _TITLE)), fontsize=9)


def name_metric(metric: MetricInfo) -> str:
    """An axis label: the metric, its unit, and an arrow in the direction that is better."""
    unit = "" if metric.unit in ("", "questions", metric.label) else f" [{metric.unit}]"
    return f"{plain(metric.label)}{unit}{ARROWS[metric.direction]}"


def format_numbers(ax: Axes, metric: MetricInfo, axis: Literal["x", "y"]) -> None:
    """Write large counts as 20k and 5M."""
    if metric.unit not in ("questions", "bytes"):
        return
    from matplotlib.ticker import EngFormatter

    which = ax.xaxis if axis == "x" else ax.yaxis
    which.set_major_formatter(EngFormatter(sep=""))


def add_legend(figure: Figure) -> None:
    """One legend for what has a label in any panel, on the right of them."""
    of_axes = [zip(*ax.get_legend_handles_labels(), strict=True) for ax in figure.axes]
    handles = {label: handle for entries in of_axes for handle, label in entries}
    if not handles:
        return
    columns = math.ceil(len(handles) / _ROWS_OF_LEGEND)
    width, height = figure.get_size_inches()
    longest = max(len(name) for name in handles)
    figure.set_size_inches(width + columns * (longest * _LETTER + 0.5), height)
    with style():
        figure.legend(
            list(handles.values()),
            list(handles),
            loc="outside right upper",
            ncols=columns,
        )


def add_caption(figure: Figure, lines: Sequence[str]) -> None:
    """Notes in small letters below the figure."""
    width = max(int(figure.get_size_inches()[0] * 17), 40)
    text = "\n".join(row for line in lines for row in textwrap.wrap(plain(line), width))
    with style():
        figure.supxlabel(text, x=0.01, ha="left", fontsize=7, color="#444444")


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


Test = Literal["nemenyi", "holm"]
_ROW = 0.2  # inches between names, and between bars
_INK = "black"


def draw_ranks(ranking: Ranking, results: Results, *, test: Test = "holm") -> Figure:
    """Average ranks on a line, best on the left; bars join algorithms without a difference.

    Parameters
    ----------
    ranking : Ranking
    results : Results
    test : {"nemenyi", "holm"}
        The test behind the bars: Nemenyi's, whose critical difference is drawn above, or
        Holm-corrected signed-rank tests, as in tables.
    """
    cliques = ranking.cliques if test == "nemenyi" else ranking.holm_cliques
    names, ranks = ranking.competitors, ranking.ranks
    left = math.ceil(len(names) / 2)
    levels = _levels([(ranks[c[0]], ranks[c[-1]]) for c in cliques])
    below = max(levels, default=-1) + 1
    height = (4.2 + below + left) * _ROW
    low, high = math.floor(ranks[0]), max(math.ceil(ranks[-1]), math.floor(ranks[0]) + 1)
    figure, ax = new_figure(7.2, height + 0.6)
    looks = looks_of(results, names)
    with style():
        _draw_axis(ax, low, high, ranking.nemenyi.value if test == "nemenyi" else None)
        for clique, level in zip(cliques, levels, strict=True):
            y = -0.6 - level
            slack = 0.006 * (high - low)
            ends = [ranks[clique[0]] - slack, ranks[clique[-1]] + slack]
            ax.plot(ends, [y, y], color=_INK, linewidth=3.0, solid_capstyle="butt")
        for place, (name, rank) in enumerate(zip(names, ranks, strict=True)):
            on_left = place < left
            row = place if on_left else len(names) - 1 - place
            y = -(below + 0.9 + row)
            side = low if on_left else high
            reach = 0.02 * (high - low) * (-1 if on_left else 1)
            look = looks[name]
            ax.plot([rank, rank, side + reach], [0, y, y], color=look.colour, linewidth=0.9)
            ax.plot([rank], [0], color=look.colour, marker=look.marker or "o", clip_on=False)
            ax.text(
                side + 1.5 * reach,
                y,
                f"{plain(name)}  {rank:.2f}" if on_left else f"{rank:.2f}  {plain(name)}",
                ha="right" if on_left else "left",
                va="center",
                fontsize=8.5,
            )
        ax.set_ylim(-(below + 0.9 + left), 3.2)
        ax.set_xlim(low, high)
        ax.set_title(f"average rank by {plain(ranking.metric.label)}, 1 is best")
    what = "Nemenyi's test" if test == "nemenyi" else "Holm-corrected signed-rank tests"
    bars = [f"bars: no significant difference by {what} (alpha {ranking.alpha:g})"]
    if ranking.inference.reason:
        bars = []
    add_caption(figure, [*significance_lines(ranking), *bars, *results.caveats])
    return figure


def _levels(spans: list[tuple[float, float]]) -> list[int]:
    """A row for each bar such that bars in one row do not touch."""
    ends: list[float] = []
    levels = []
    for low, high in spans:
        row = next((i for i, end in enumerate(ends) if low > end), len(ends))
        ends[row : row + 1] = [high]
        levels.append(row)
    return levels


def _draw_axis(ax: Axes, low: int, high: int, limit: float | None) -> None:
    """The axis of ranks with its ticks, and a critical difference above it."""
    ax.set_axis_off()
    ax.plot([low, high], [0, 0], color=_INK, linewidth=1.0)
    step = max(1, math.ceil((high - low) / 12))
    for tick in range(low, high + 1, step):
        ax.plot([tick, tick], [0, 0.35], color=_INK, linewidth=1.0)
        ax.text(tick, 0.5, str(tick), ha="center", va="bottom", fontsize=8.5)
    if limit is None:
        return
    fits = limit <= high - low
    ends = [low, low + limit] if fits else [low, high]
    ax.plot(ends, [1.9, 1.9], color=_INK, linewidth=1.4, marker="|" if fits else "", markersize=6)
    more = "" if fits else ", larger than the range"
    ax.text(sum(ends) / 2, 2.05, f"CD = {limit:.2f}{more}", ha="center", va="bottom", fontsize=8.5)
