"""Drawings that the figures of suites share; public as ``hcbench.plots``.

Matplotlib is imported when something is drawn, and without pyplot: a figure is an object, and no
window or global state is involved. Classes have the colours of `PALETTE`.
"""

from hcbench.analysis.views.palette import PALETTE
from hcbench.show.plots.dendrograms import class_colours, dendrogram
from hcbench.show.plots.lines import curves
from hcbench.show.plots.settings import new_figure, style

__all__ = ["PALETTE", "class_colours", "curves", "dendrogram", "new_figure", "style"]
