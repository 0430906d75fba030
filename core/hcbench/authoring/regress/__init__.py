"""What became worse from one commit to another, by asv's results.

`commits` asks git, `sides` install two commits beside each other, `turns` measure them one after
the other, again and again, `recorded` writes and reads asv's files, `judging` gives the verdicts
and `overview` the tables.
"""

from __future__ import annotations

from hcbench.authoring.regress.commits import Commit, accepted_between, find_commit, find_root
from hcbench.authoring.regress.judging import ALPHA, TOLERANCE, Judged, judge
from hcbench.authoring.regress.overview import describe, overview_blocks, summary
from hcbench.authoring.regress.recorded import Recorded, read_both, write_both
from hcbench.authoring.regress.turns import Turns

__all__ = [
    "ALPHA",
    "TOLERANCE",
    "Commit",
    "Judged",
    "Recorded",
    "Turns",
    "accepted_between",
    "describe",
    "find_commit",
    "find_root",
    "judge",
    "overview_blocks",
    "read_both",
    "summary",
    "write_both",
]
