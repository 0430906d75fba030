"""Matplotlib's settings for all figures, and what all figures share."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import numpy as np

from hcbench.errors import HcbenchError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

_MOST_TICKS = 8
_STYLE: Any = {  # matplotlib types each key
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": False,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "lines.linewidth": 1.4,
    "lines.markersize": 4.5,
    "savefig.dpi": 150,
    "pdf.fonttype": 42,  # embed whole fonts
    "svg.fonttype": "path",  # letters as shapes: no font is needed
    "svg.hashsalt": "hcbench",  # equal drawings give equal files
}


def style() -> AbstractContextManager[None]:
    """A context with the matplotlib settings of all figures.

    Raises
    ------
    HcbenchError
        If matplotlib is not installed.
    """
    try:
        import matplotlib
    except ImportError as error:
        raise HcbenchError(
            'figures need matplotlib, which is not installed: pip install "hcbench[figures]"'
        ) from error
    return matplotlib.rc_context(_STYLE)


def new_figure(
    width: float = 5.6, height: float = 3.6, *, rows: int = 1, columns: int = 1
) -> tuple[Figure, Any]:
    """A figure with axes.

    Parameters
    ----------
    width, height : float
        In inches.
    rows, columns : int

    Returns
    -------
    figure : Figure
    axes : Axes, or (rows, columns) array of them without the sides that are 1
    """
    with style():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(width, height), layout="constrained")
        return figure, figure.subplots(rows, columns)


def plain(text: str) -> str:
    """Text for matplotlib, in which an unescaped dollar sign begins mathematics."""
    return text.replace("$", r"\$")


def averages_of(points: Sequence[Any]) -> tuple[NDArray[np.float64], ...]:
    """Averages and both ends of their intervals; the average itself where there is no interval."""
    rows = [
        (p.average, *(p.average if end is None else end for end in (p.low, p.high))) for p in points
    ]
    average, low, high = np.array(rows, dtype=np.float64).reshape(-1, 3).T
    return average, low, high


def mark_places(ax: Axes, places: Sequence[float]) -> None:
    """Put a tick at each x, if they are few."""
    if 1 < len(places) <= _MOST_TICKS:
        ax.set_xticks(places, [f"{place:g}" for place in places])
        ax.set_xticks([], minor=True)
