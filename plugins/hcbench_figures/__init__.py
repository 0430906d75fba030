"""The command ``hcbench plot``: figures of a run, drawn with matplotlib.

`command` parses its options. `drawing` has the kinds of figures, and `charts` draws charts and
diagrams of ranks.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from hcbench import CommandSpec, hookimpl

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hcbench import FigureView


@hookimpl
def hcbench_commands() -> Iterable[CommandSpec]:
    """Return the command ``plot``."""
    doc = "Draw a figure of a run; without KIND, list the figures."
    return [CommandSpec(name="plot", function="hcbench_figures.command:plot", doc=doc)]


def draw_figure(kind: str, view: FigureView, **choices: Any) -> Figure:
    """Draw a figure with these `hcbench_figures.drawing.Choices`, for ``results.plot``."""
    from hcbench_figures.drawing import Choices, draw

    return draw(kind, view, Choices(**choices))
