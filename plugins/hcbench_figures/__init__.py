"""Figures drawn with matplotlib: the command ``hcbench plot``, and functions that draw.

Matplotlib is imported when something is drawn. `PALETTE` has the colours of algorithms and classes
on a light background, `PALETTE_DARK` those on a dark one, and `REFERENCE` and `REFERENCE_DARK` the
colour of references; `SYMBOLS` and `DASHES` distinguish lines in plotly. Lines that only guide the
eye have that of `GUIDE`. A `Mark` is how a series of a chart is drawn, and an `Orientation` is the
side of the root of a tree. Figures of suites are written in `FORMATS`, and notebooks show trees of
up to `MOST_LEAVES` leaves.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import lazy_loader

from hcbench import CommandSpec, hookimpl

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hcbench.plots import FigureView

# Without its __dir__, which would hide the hook.
__getattr__, _, __all__ = lazy_loader.attach_stub(__name__, __file__)


@hookimpl
def hcbench_commands() -> Iterable[CommandSpec]:
    """Return the command ``plot``."""
    doc = "Draw a figure of a run; without KIND, list the figures."
    return [CommandSpec(name="plot", function="hcbench_figures.command:plot", doc=doc)]


def draw_kind(kind: str, view: FigureView, **choices: Any) -> Figure:
    """Draw a figure with these `hcbench_figures.drawing.Choices`, for ``results.plot``."""
    from hcbench_figures.drawing import Choices, draw

    return draw(kind, view, Choices(**choices))
