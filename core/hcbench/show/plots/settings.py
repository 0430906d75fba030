"""How figures look: matplotlib's settings, as a context, and figures made in it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from hcbench.errors import HcbenchError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
    "pdf.fonttype": 42,  # fonts are embedded whole
    "svg.fonttype": "path",  # letters are shapes: no font is needed to see them
    "svg.hashsalt": "hcbench",  # the same drawing is the same file
}


def style() -> AbstractContextManager[None]:
    """The settings of matplotlib in which figures of suites are made, as a context.

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
