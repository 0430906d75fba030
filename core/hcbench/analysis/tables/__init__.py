"""Tables of what came out, whatever draws them.

`model` is a table, `numbers` writes what stands in it; `datasets` and `overviews` make those of a
comparison, and `markup` draws any in Markdown and LaTeX. The terminal's are drawn by `hcbench.cli`.
"""

from hcbench.analysis.tables.model import ARROWS, BEST_TRUTH, NOTHING, Block, Entry, Notes, Reason
from hcbench.analysis.tables.numbers import format_spread, joined

__all__ = [
    "ARROWS",
    "BEST_TRUTH",
    "NOTHING",
    "Block",
    "Entry",
    "Notes",
    "Reason",
    "format_spread",
    "joined",
]
