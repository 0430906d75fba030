"""Drawing functions for the figures of suites; public as ``hcbench.plots``.

Matplotlib is imported when something is drawn, without pyplot, so that there are no windows and no
global state. Classes have the colours of `PALETTE`.
"""

from hcbench.analysis.palette import PALETTE
from hcbench.show.plots.dendrograms import class_colours, dendrogram
from hcbench.show.plots.lines import curves
from hcbench.show.plots.settings import new_figure, style

__all__ = ["PALETTE", "class_colours", "curves", "dendrogram", "new_figure", "style"]
