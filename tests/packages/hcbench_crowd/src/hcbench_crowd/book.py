"""The book of the crowd: what each cell has asked it, so that people can be paid.

The environment variable ``CROWD_BOOK`` names the file, a CSV table; without it nothing is written.
"""

from __future__ import annotations

import csv
import os
from pathlib import Path

from hcbench import hookimpl
from hcbench.plan import Outcome

BOOK = "CROWD_BOOK"
COLUMNS = ("algorithm", "dataset", "oracle", "repetition", "status", "queries")


@hookimpl
def hcbench_cell_finished(outcome: Outcome) -> None:
    """Write a line for a cell that has asked the crowd, whether it failed or not."""
    path = os.environ.get(BOOK, "")
    if not path or not outcome.oracle.startswith("crowd"):
        return
    book = Path(path)
    is_new = not book.exists()
    with book.open("a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        if is_new:
            writer.writerow(COLUMNS)
        writer.writerow(
            [
                outcome.algorithm,
                outcome.dataset,
                outcome.oracle,
                outcome.repetition,
                outcome.status,
                outcome.cost.queries,
            ]
        )
