"""Charts and diagrams of ranks as matplotlib figures."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hcbench.analysis.ranking_texts import TESTS, significance_lines
from hcbench.figures.palette import looks_of
from hcbench.figures.plots import mark_places, new_figure, plain, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis as MatplotlibAxis
    from matplotlib.figure import Figure

    from hcbench.analysis.ranks import Ranking
    from hcbench.figures.charts import Axis, Chart, Panel, Series
    from hcbench.figures.palette import Look
    from hcbench.results.results import Results

_PANEL = (3.4, 2.7)  # inches, wide and high
_ALONE = (5.6, 3.8)  # likewise, of a single panel
_TITLE = 38  # characters per line
_LETTER = 0.075  # inches per character of a legend
#: A longer legend has several columns.
_ROWS_OF_LEGEND = 24


def draw_chart(chart: Chart) -> Figure:
    """Draw the panels of a chart side by side, with a legend and the caption."""
    count = len(chart.panels)
    columns = _count_columns(count)
    rows = math.ceil(count / columns)
    if count == 1:
        width, height = _ALONE
    else:
        width = _PANEL[0] * columns
        height = _PANEL[1] * rows
    figure, grid = new_figure(width, height, rows=rows, columns=columns)
    axes = list(np.atleast_1d(grid).ravel())
    for unused in axes[count:]:
        unused.set_visible(False)
    with style():
        for ax, panel in zip(axes, chart.panels, strict=False):
            if chart.shared:
                ax.sharey(axes[0])
            _draw_panel(ax, chart, panel)
    add_legend(figure)
    add_caption(figure, chart.caption)
    return figure


def _count_columns(count: int) -> int:
    """How many panels are beside each other."""
    if count < 4:
        return count
    if count == 4:
        return 2
    if count < 10:
        return 3
    return 4


def _draw_panel(ax: Axes, chart: Chart, panel: Panel) -> None:
    for front in panel.fronts:
        x, y = zip(*front, strict=True)
        ax.step(
            x,
            y,
            where="post",
            zorder=1,  # below the points
            color="#999999",
            linestyle=":",
            marker="o",
            markersize=10,
            markerfacecolor="none",
            markeredgecolor="black",
        )
    for series in panel.series:
        _draw_series(ax, series)
    # After a comma a line may be broken.
    title = textwrap.wrap(plain(panel.title).replace(",", ", "), _TITLE)
    ax.set_title("\n".join(title), fontsize=9)
    ax.grid(visible=True)
    _scale(ax, "x", chart.x, panel.x_ends)
    _scale(ax, "y", chart.y, None)


def _draw_series(ax: Axes, series: Series) -> None:
    colour = series.look.colour
    label = plain(series.name)
    line_style: dict[str, Any] = {"label": label, **series.look.style}
    x, left_ends, right_ends = series.spread(0)
    y, lower_ends, upper_ends = series.spread(1)
    match series.mark:
        case "level":
            # A solid line across the panel could be taken for one through points.
            dashes = series.look.style["linestyle"]
            if series.look.dash == "solid":
                dashes = "--"
            ax.axhline(y[0], label=label, color=colour, linestyle=dashes, linewidth=0.9)
        case "steps":
            # About six markers distinguish the lines; one at each step would hide them.
            every = max(1, len(x) // 6)
            ax.step(x, y, where="post", markevery=every, clip_on=False, **line_style)
        case "bars":
            ax.hlines(y, left_ends, right_ends, colors=colour, linewidth=0.8)
            ax.vlines(x, lower_ends, upper_ends, colors=colour, linewidth=0.8)
            line_style["marker"] = series.look.marker or "o"
            ax.plot(x, y, **line_style)
        case _:
            if series.mark == "flat":
                line_style["marker"] = ""
                line_style["linewidth"] = 0.9
            ax.plot(x, y, **line_style)
            if lower_ends != upper_ends:
                ax.fill_between(x, lower_ends, upper_ends, color=colour, alpha=0.18, linewidth=0)
    if series.law is not None:
        fitted = [series.law.factor * place**series.law.exponent for place in x]
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

        drawn_axis: MatplotlibAxis = ax.yaxis
        if side == "x":
            drawn_axis = ax.xaxis
        drawn_axis.set_major_formatter(EngFormatter(sep=""))


def add_legend(figure: Figure) -> None:
    """One legend for what has a label in any panel, on the right of them."""
    # A label of several panels has one entry.
    handle_of_label = {}
    for ax in figure.axes:
        handles, labels = ax.get_legend_handles_labels()
        for handle, label in zip(handles, labels, strict=True):
            handle_of_label[label] = handle
    if not handle_of_label:
        return
    columns = math.ceil(len(handle_of_label) / _ROWS_OF_LEGEND)
    width, height = figure.get_size_inches()
    longest = max(len(label) for label in handle_of_label)
    # The panels keep their size.
    figure.set_size_inches(width + columns * (longest * _LETTER + 0.5), height)
    with style():
        figure.legend(
            list(handle_of_label.values()),
            list(handle_of_label),
            loc="outside right upper",
            ncols=columns,
        )


def add_caption(figure: Figure, lines: Sequence[str]) -> None:
    """Notes in small letters below the figure."""
    # An inch has room for 18 small letters.
    width = max(int(figure.get_size_inches()[0] * 18), 40)
    rows = []
    for line in lines:
        rows += textwrap.wrap(plain(line), width)
    with style():
        figure.supxlabel("\n".join(rows), x=0.01, ha="left", fontsize=7, color="#444444")


# ---- Ranks ---------------------------------------------------------------------------------------

_ROW = 0.2  # inches between names, and between bars
#: The axis of ranks, and the bars.
_INK = "black"


@dataclass(frozen=True, slots=True, kw_only=True)
class _RankAxis:
    """The axis of ranks, and the rows below it.

    Attributes
    ----------
    low, high : int
        The first and the last rank.
    n_left : int
        How many algorithms have their names on the left; the others have theirs on the right.
    below : int
        How many rows of bars are between the axis and the names.
    """

    low: int
    high: int
    n_left: int
    below: int

    @property
    def length(self) -> int:
        """The number of ranks between its ends."""
        return self.high - self.low

    @property
    def bottom(self) -> float:
        """The place below the last name; a row is 1 high, and the axis is at 0."""
        return -(self.below + 0.9 + self.n_left)


def draw_ranks(ranking: Ranking, results: Results) -> Figure:
    """Average ranks on a line, best on the left; bars join algorithms without a difference.

    Parameters
    ----------
    ranking : Ranking
        The critical difference is drawn where Nemenyi's test decides.
    results : Results
    """
    names = ranking.competitors
    ranks = ranking.ranks
    # A clique is a run of neighbours in the order of ranks.
    spans = [(ranks[clique[0]], ranks[clique[-1]]) for clique in ranking.cliques]
    levels = _levels(spans)
    low = math.floor(ranks[0])
    axis = _RankAxis(
        low=low,
        high=max(math.ceil(ranks[-1]), low + 1),
        n_left=math.ceil(len(names) / 2),
        below=max(levels, default=-1) + 1,
    )
    height = (4.2 + axis.below + axis.n_left) * _ROW
    figure, ax = new_figure(7.2, height + 0.6)
    looks = looks_of(results, names)
    with style():
        _draw_axis(ax, axis, ranking.nemenyi.value)
        for clique, level in zip(ranking.cliques, levels, strict=True):
            y = -0.6 - level
            # A little beyond the ranks that it joins.
            slack = 0.006 * axis.length
            ends = [ranks[clique[0]] - slack, ranks[clique[-1]] + slack]
            ax.plot(ends, [y, y], color=_INK, linewidth=3.0, solid_capstyle="butt")
        for place, name in enumerate(names):
            _draw_competitor(ax, axis, ranking, place, looks[name])
        ax.set_ylim(axis.bottom, 3.2)
        ax.set_xlim(axis.low, axis.high)
        ax.set_title(f"average rank by {plain(ranking.metric.label)}, 1 is best")
    lines = list(significance_lines(ranking))
    if ranking.test:
        test = TESTS[ranking.test]
        lines.append(f"bars: no significant difference by {test} (alpha {ranking.alpha:g})")
    lines += results.caveats
    add_caption(figure, lines)
    return figure


def _draw_competitor(ax: Axes, axis: _RankAxis, ranking: Ranking, place: int, look: Look) -> None:
    """The marker of an algorithm on the axis, and a stem from it to its name at the side."""
    name = plain(ranking.competitors[place])
    rank = ranking.ranks[place]
    is_left = place < axis.n_left
    beyond = 0.02 * axis.length
    if is_left:
        row = place
        alignment = "right"
        end = axis.low - beyond
        text_place = axis.low - 1.5 * beyond
        text = f"{name}  {rank:.2f}"
    else:
        # The names on the right begin with the worst, so that stems do not cross.
        row = len(ranking.competitors) - 1 - place
        alignment = "left"
        end = axis.high + beyond
        text_place = axis.high + 1.5 * beyond
        text = f"{rank:.2f}  {name}"
    y = -(axis.below + 0.9 + row)
    ax.plot([rank, rank, end], [0, y, y], color=look.colour, linewidth=0.9, clip_on=False)
    ax.plot([rank], [0], color=look.colour, marker=look.marker or "o", clip_on=False)
    ax.text(
        text_place,
        y,
        text,
        ha=alignment,
        va="center",
        fontsize=8.5,
    )


def _levels(spans: Sequence[tuple[float, float]]) -> list[int]:
    """A row for each bar such that bars in one row do not touch."""
    # The end of the last bar of each row.
    ends: list[float] = []
    levels = []
    for low, high in spans:
        level = len(ends)
        for row, end in enumerate(ends):
            if low > end:
                level = row
                break
        if level == len(ends):
            ends.append(high)
        else:
            ends[level] = high
        levels.append(level)
    return levels


def _draw_axis(ax: Axes, axis: _RankAxis, limit: float | None) -> None:
    """The axis of ranks with its ticks, and a critical difference above it."""
    ax.set_axis_off()
    ax.plot([axis.low, axis.high], [0, 0], color=_INK, linewidth=1.0)
    step = max(1, math.ceil(axis.length / 12))
    for tick in range(axis.low, axis.high + 1, step):
        ax.plot([tick, tick], [0, 0.35], color=_INK, linewidth=1.0)
        ax.text(tick, 0.5, str(tick), ha="center", va="bottom", fontsize=8.5)
    if limit is None:
        return
    text = f"CD = {limit:.2f}"
    end = axis.low + limit
    marker = "|"
    if limit > axis.length:
        # It is drawn as far as there is room, without ends.
        text += ", larger than the range"
        end = axis.high
        marker = ""
    ax.plot([axis.low, end], [1.9, 1.9], color=_INK, linewidth=1.4, marker=marker, markersize=6)
    ax.text((axis.low + end) / 2, 2.05, text, ha="center", va="bottom", fontsize=8.5)
