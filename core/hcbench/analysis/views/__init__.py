"""The data of figures: pure functions of `Results`, drawn by `hcbench.show`.

Each view is a dataclass of plain numbers and names, with its uncertainty and what was excluded; if
there is nothing to show, an error says why in one line. `blocks` and `ranks` compare algorithms for
both figures and tables.
"""

from __future__ import annotations

from hcbench.analysis.views.axes import axes_of, find_axis, find_metric
from hcbench.analysis.views.curves import curves, scaling
from hcbench.analysis.views.differences import paired_differences
from hcbench.analysis.views.palette import looks_of
from hcbench.analysis.views.rankings import profile, ranking
from hcbench.analysis.views.significance import describe_ranking, significance_lines
from hcbench.analysis.views.tradeoffs import tradeoff

__all__ = [
    "axes_of",
    "curves",
    "describe_ranking",
    "find_axis",
    "find_metric",
    "looks_of",
    "paired_differences",
    "profile",
    "ranking",
    "scaling",
    "significance_lines",
    "tradeoff",
]
