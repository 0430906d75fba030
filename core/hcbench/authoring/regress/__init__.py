"""What became worse from one commit to another, by asv's results.

`commits` finds and installs commits, `interleaving` measures two of them in turns, `asv_files`
writes and reads asv's results, `verdicts` compares them and `overview` makes the tables.
"""

from __future__ import annotations

from hcbench.authoring.regress.asv_files import Recorded, read_both, write_both
from hcbench.authoring.regress.commits import (
    Commit,
    accepted_between,
    find_commit,
    find_root,
    install,
)
from hcbench.authoring.regress.interleaving import measure_in_turns
from hcbench.authoring.regress.overview import describe, overview_blocks, summary
from hcbench.authoring.regress.verdicts import ALPHA, TOLERANCE, Judged, judge

__all__ = [
    "ALPHA",
    "TOLERANCE",
    "Commit",
    "Judged",
    "Recorded",
    "accepted_between",
    "describe",
    "find_commit",
    "find_root",
    "install",
    "judge",
    "measure_in_turns",
    "overview_blocks",
    "read_both",
    "summary",
    "write_both",
]
