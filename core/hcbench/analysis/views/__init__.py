"""The data behind every figure: pure functions of `Results`, drawn by `drawing` and `report`.

Each view is a dataclass of plain numbers and names, with its uncertainty and what was left out of
it; where there is nothing to show, an error says why in one line. Who is better is decided in one
place, for figures and tables alike: `blocks` puts together what can be compared, `ranks` ranks it.
"""

from __future__ import annotations

from hcbench.analysis.views.axes import Axis, axes_of, find_axis, find_metric
from hcbench.analysis.views.blocks import Blocks, LeftOut
from hcbench.analysis.views.curves import (
    CurvePoint,
    CurveView,
    Line,
    Panel,
    PowerLaw,
    curves,
    scaling,
)
from hcbench.analysis.views.differences import PairedDifference, paired_differences
from hcbench.analysis.views.palette import Look, looks_for, looks_of
from hcbench.analysis.views.rankings import ProfileView, profile, ranking
from hcbench.analysis.views.ranks import Pair, Ranking
from hcbench.analysis.views.significance import describe_ranking, significance_lines
from hcbench.analysis.views.tradeoffs import (
    Level,
    TradeoffPanel,
    TradeoffPoint,
    TradeoffView,
    tradeoff,
)

__all__ = [
    "Axis",
    "Blocks",
    "CurvePoint",
    "CurveView",
    "LeftOut",
    "Level",
    "Line",
    "Look",
    "Pair",
    "PairedDifference",
    "Panel",
    "PowerLaw",
    "ProfileView",
    "Ranking",
    "TradeoffPanel",
    "TradeoffPoint",
    "TradeoffView",
    "axes_of",
    "curves",
    "describe_ranking",
    "find_axis",
    "find_metric",
    "looks_for",
    "looks_of",
    "paired_differences",
    "profile",
    "ranking",
    "scaling",
    "significance_lines",
    "tradeoff",
]
