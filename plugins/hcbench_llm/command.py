"""``hcbench answers``: the stored answers of paid oracles, as CSV."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import click

from hcbench import commands
from hcbench.model import spreadsheet_cell

COLUMNS = {
    "source": "source",
    "items": "query",
    "time": "time",
    "answer": "code",
    "confidence": "confidence",
    "annotator": "annotator",
    "price": "price",
    "tokens": "tokens",
    "seconds": "seconds",
}
"""The columns, and those of the store."""


@click.command(epilog=commands.examples("hcbench answers -o answers.csv"))
@click.option(
    "-o", "--output", type=commands.OutputFile(".csv"), help="A .csv file; by default stdout."
)
@commands.STORE
def answers(*, output: Path | None, store: str | None) -> None:
    """Write the stored answers of paid oracles as CSV.

    A row is one answer: its source (a hash of the oracle, its parameters and the data), the
    numbers of the items, how often the query was made before, the answer (-2 if there is none),
    how sure the oracle is and the number of who gave it, if that is known, and what it cost.
    """
    with commands.open_store(store) as opened:
        rows = opened.all_replies()
    target: str | Path = "-"  # stdout
    if output is not None:
        target = output
    with click.open_file(target, "w") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        for row in rows:
            row["query"] = " ".join(map(str, json.loads(row["query"])))
            # -1 stands for nobody, whose cell is empty.
            if row["annotator"] < 0:
                row["annotator"] = None
            # The store may be a stranger's.
            table.writerow([spreadsheet_cell(row[column]) for column in COLUMNS.values()])
