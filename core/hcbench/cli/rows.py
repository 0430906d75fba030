"""Rows of items, branches or clusters as tables on stdout, and as files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hcbench.cli.draw import write_text
from hcbench.cli.terminal import write_table

#: Suffixes of the files that `write_rows` writes.
TABLES = (".csv", ".tsv", ".json")


def show_rows(rows: Sequence[dict[str, Any]], form: str) -> None:
    """Write rows to stdout as a table or as CSV."""
    if form == "csv":
        from hcbench.results.results import to_csv

        write_text(to_csv(_as_texts(rows)))
        return
    header = ["item"]
    if rows:
        header = list(rows[0])
    cells = []
    for row in rows:
        cells.append(list(map(_cell_text, row.values())))
    # The other columns are names: of an item, of the first item of a branch, and of all of it.
    numbers = []
    for name in header:
        if name not in ("item", "first", "items"):
            numbers.append(name)
    write_table(header, cells, right=numbers)


def _cell_text(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.3g}"
    # The items of a branch, of which a table has room for some.
    if isinstance(value, list):
        text = "; ".join(value[:3])
        if len(value) > 3:
            text += "; ..."
        return text
    return str(value)


def _as_texts(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows with lists of names as one text, for tables."""
    texts = []
    for row in rows:
        text_row = dict(row)
        if isinstance(row.get("items"), list):
            text_row["items"] = "; ".join(row["items"])
        texts.append(text_row)
    return texts


def write_rows(rows: Sequence[dict[str, Any]], path: Path) -> None:
    """Write rows in the format of the suffix of a file: .csv, .tsv or .json.

    Raises
    ------
    HcbenchError
        If the file cannot be written.
    """
    from hcbench.results.results import to_csv, write_text as write_file

    if path.suffix.lower() == ".json":
        text = json.dumps(list(rows), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    else:
        separator = ","
        if path.suffix.lower() == ".tsv":
            separator = "\t"
        text = to_csv(_as_texts(rows), separator)
    write_file(text, path)
