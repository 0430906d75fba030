"""The critical-difference diagram of Demšar (2006, section 3.2.2)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from hcbench.analysis.palette import looks_of
from hcbench.analysis.ranks import significance_lines
from hcbench.show.drawing.sheets import add_caption
from hcbench.show.plots.settings import new_figure, plain, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from hcbench.analysis.ranks import Ranking
    from hcbench.analysis.results import Results

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
