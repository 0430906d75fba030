"""Tables of results, independent of their output format.

`model` has the classes of a table and `numbers` formats its numbers; `datasets` and `overviews`
make the tables of a comparison, and `markup` writes Markdown and LaTeX. `hcbench.cli` writes to
terminals.
"""

from hcbench.analysis.tables.model import ARROWS, BEST_TRUTH, NOTHING, Block, Entry, Notes, Reason
from hcbench.analysis.tables.numbers import format_numbers, format_spread, joined

__all__ = [
    "ARROWS",
    "BEST_TRUTH",
    "NOTHING",
    "Block",
    "Entry",
    "Notes",
    "Reason",
    "format_numbers",
    "format_spread",
    "joined",
]
