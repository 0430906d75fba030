"""Charts and diagrams of ranks as matplotlib figures."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hcbench.analysis.ranks import TESTS, significance_lines
from hcbench.figures.palette import looks_of
from hcbench.figures.plots import mark_places, new_figure, plain, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from hcbench.analysis.ranks import Ranking
    from hcbench.figures.charts import Axis, Chart, Series
    from hcbench.results.results import Results

_PANEL = (3.4, 2.7)  # inches
_ALONE = (5.6, 3.8)
_TITLE = 38  # characters per line
_LETTER = 0.075  # inches per character of a legend
_ROWS_OF_LEGEND = 24


def draw_chart(chart: Chart) -> Figure:
    """Draw the panels of a chart side by side, with a legend and the caption."""
    count = len(chart.panels)
    columns = count if count < 4 else 2 if count == 4 else 3 if count < 10 else 4
    rows = math.ceil(count / columns)
    width, height = _ALONE if count == 1 else (_PANEL[0] * columns, _PANEL[1] * rows)
    figure, made = new_figure(width, height, rows=rows, columns=columns)
    axes = list(np.atleast_1d(made).ravel())
    for unused in axes[count:]:
        unused.set_visible(False)
    with style():
        for ax, panel in zip(axes, chart.panels, strict=False):
            if chart.shared:
                ax.sharey(axes[0])
            for front in panel.fronts:
                ring = {"marker": "o", "markersize": 10, "markerfacecolor": "none"}
                line = {"color": "#999999", "linestyle": ":", "markeredgecolor": "black"}
                ax.step(*zip(*front, strict=True), where="post", zorder=1, **line, **ring)
            for series in panel.series:
                _draw_series(ax, series)
            title = textwrap.wrap(plain(panel.title).replace(",", ", "), _TITLE)
            ax.set_title("\n".join(title), fontsize=9)
            ax.grid(visible=True)
            _scale(ax, "x", chart.x, panel.x_ends)
            _scale(ax, "y", chart.y, None)
    add_legend(figure)
    add_caption(figure, chart.caption)
    return figure


def _draw_series(ax: Axes, series: Series) -> None:
    colour, label = series.look.colour, plain(series.name)
    drawn: dict[str, Any] = {"label": label, **series.look.style}
    (x, left, right), (y, low, high) = series.spread(0), series.spread(1)
    match series.mark:
        case "level":
            line = "--" if series.look.dash == "solid" else series.look.style["linestyle"]
            ax.axhline(y[0], label=label, color=colour, linestyle=line, linewidth=0.9)
        case "steps":
            every = max(1, len(x) // 6)
            ax.step(x, y, where="post", markevery=every, clip_on=False, **drawn)
        case "bars":
            ax.hlines(y, left, right, colors=colour, linewidth=0.8)
            ax.vlines(x, low, high, colors=colour, linewidth=0.8)
            ax.plot(x, y, **{**drawn, "marker": series.look.marker or "o"})
        case _:
            flat = {"marker": "", "linewidth": 0.9} if series.mark == "flat" else {}
            ax.plot(x, y, **{**drawn, **flat})
            if low != high:
                ax.fill_between(x, low, high, color=colour, alpha=0.18, linewidth=0)
    if series.law is not None:
        fitted = [series.law.factor * at**series.law.exponent for at in x]
        ax.plot(x, fitted, color=colour, linewidth=0.7, linestyle=":")


def _scale(ax: Axes, side: Literal["x", "y"], axis: Axis, ends: tuple[float, float] | None) -> None:
    """The title, the scale and the ticks of an axis; large counts are written as 20k and 5M."""
    ax.set(**{f"{side}label": plain(axis.title)})
    if axis.log:
        ax.set(**{f"{side}scale": "log"})
    elif not axis.ticks:
        ax.locator_params(axis=side, nbins=5)  # large numbers are long
    if axis.ends or ends:
        ax.set(**{f"{side}lim": axis.ends or ends})
    if axis.ticks:
        mark_places(ax, axis.ticks)
    if axis.unit in ("queries", "bytes"):
        from matplotlib.ticker import EngFormatter

        {"x": ax.xaxis, "y": ax.yaxis}[side].set_major_formatter(EngFormatter(sep=""))


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
    width = max(int(figure.get_size_inches()[0] * 18), 40)
    text = "\n".join(row for line in lines for row in textwrap.wrap(plain(line), width))
    with style():
        figure.supxlabel(text, x=0.01, ha="left", fontsize=7, color="#444444")


_ROW = 0.2  # inches between names, and between bars
_INK = "black"


def draw_ranks(ranking: Ranking, results: Results) -> Figure:
    """Average ranks on a line, best on the left; bars join algorithms without a difference.

    Parameters
    ----------
    ranking : Ranking
        The critical difference is drawn where Nemenyi's test decides.
    results : Results
    """
    cliques = ranking.cliques
    names, ranks = ranking.competitors, ranking.ranks
    left = math.ceil(len(names) / 2)
    levels = _levels([(ranks[c[0]], ranks[c[-1]]) for c in cliques])
    below = max(levels, default=-1) + 1
    height = (4.2 + below + left) * _ROW
    low, high = math.floor(ranks[0]), max(math.ceil(ranks[-1]), math.floor(ranks[0]) + 1)
    figure, ax = new_figure(7.2, height + 0.6)
    looks = looks_of(results, names)
    with style():
        _draw_axis(ax, low, high, ranking.nemenyi.value)
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
            stem = [rank, rank, side + reach]
            ax.plot(stem, [0, y, y], color=look.colour, linewidth=0.9, clip_on=False)
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
    bars = []
    if ranking.test:
        what = TESTS[ranking.test]
        bars = [f"bars: no significant difference by {what} (alpha {ranking.alpha:g})"]
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
