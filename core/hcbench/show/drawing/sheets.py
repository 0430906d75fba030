"""Sheets of panels: sizes, legends and captions that fit what is on them."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hcbench.show.plots import new_figure, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from hcbench.analysis.views import Look
    from hcbench.plan.presentation import MetricInfo

_PANEL = (3.4, 2.7)  # inches
_ALONE = (5.6, 3.8)
_TITLE = 38  # letters
_LETTER = 0.075  # inches, of a legend
_ROWS_OF_LEGEND = 24  # so many names stand in one column
_ARROWS = {"higher": "↑", "lower": "↓", "none": ""}


def make_sheet(n_panels: int) -> tuple[Figure, list[Axes]]:
    """A figure with so many axes; what is left of the last row is not drawn."""
    columns = n_panels if n_panels < 4 else 2 if n_panels == 4 else 3 if n_panels < 10 else 4
    rows = math.ceil(n_panels / columns)
    width, height = _ALONE if n_panels == 1 else (_PANEL[0] * columns, _PANEL[1] * rows)
    figure, made = new_figure(width, height, rows=rows, columns=columns)
    axes = list(np.atleast_1d(made).ravel())
    for unused in axes[n_panels:]:
        unused.set_visible(False)
    return figure, axes[:n_panels]


def plain(name: str) -> str:
    """A name as text: a dollar sign would begin mathematics."""
    return name.replace("$", r"\$")


def add_title(ax: Axes, text: str) -> None:
    """A title in lines that are no wider than a panel."""
    ax.set_title("\n".join(textwrap.wrap(plain(text), _TITLE)), fontsize=9)


def name_metric(metric: MetricInfo) -> str:
    """The name of an axis: the metric, its unit, and which way is better."""
    unit = f" [{metric.unit}]" if metric.unit and metric.unit != metric.label else ""
    arrow = _ARROWS[metric.direction]
    return f"{plain(metric.label)}{unit}{f' {arrow}' if arrow else ''}"


def format_numbers(ax: Axes, metric: MetricInfo, axis: Literal["x", "y"]) -> None:
    """Large counts as 20k and 5M, rather than with a power of ten beside the axis."""
    if metric.unit not in ("questions", "bytes"):
        return
    from matplotlib.ticker import EngFormatter

    which = ax.xaxis if axis == "x" else ax.yaxis
    which.set_major_formatter(EngFormatter(sep=""))


def style_of(look: Look) -> dict[str, Any]:
    """A look in the words of matplotlib's `plot`."""
    return {"color": look.colour, "linestyle": look.linestyle, "marker": look.marker}


def add_legend(figure: Figure, handles: Mapping[str, Any]) -> None:
    """One legend for all panels, in a room of its own at the right."""
    if not handles:
        return
    columns = math.ceil(len(handles) / _ROWS_OF_LEGEND)
    width, height = figure.get_size_inches()
    longest = max(len(name) for name in handles)
    figure.set_size_inches(width + columns * (longest * _LETTER + 0.5), height)
    with style():
        figure.legend(
            list(handles.values()),
            [plain(name) for name in handles],
            loc="outside right upper",
            ncols=columns,
        )


def add_caption(figure: Figure, lines: Sequence[str]) -> None:
    """What the figure rests on, in small letters below it."""
    width = max(int(figure.get_size_inches()[0] * 17), 40)
    text = "\n".join(row for line in lines for row in textwrap.wrap(plain(line), width))
    with style():
        figure.supxlabel(text, x=0.01, ha="left", fontsize=7, color="#444444")
