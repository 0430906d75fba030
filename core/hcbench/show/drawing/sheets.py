"""Figures with panels: sizes, titles, legends and captions."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from hcbench.analysis.tables import ARROWS
from hcbench.show.plots.settings import new_figure, plain, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
