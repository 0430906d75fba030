"""Why columns are not used, or are used in another way: the texts that users read."""

from __future__ import annotations

from collections.abc import Sequence

from hcbench_datasets.cell_texts import looks_numeric
from hcbench_datasets.content import Column, Table
from hcbench_datasets.file_names import written_value

_SHOWN = 3  # examples
_SHOWN_CHARACTERS = 30  # of a cell


def listed(texts: Sequence[str]) -> str:
    """The first of some texts."""
    examples = ", ".join(texts[:_SHOWN])
    if len(texts) > _SHOWN:
        examples += ", ..."
    return examples


def about_missing(table: Table, column: Column) -> str:
    """How many cells of a column are missing."""
    n_missing = int(column.missing.sum())
    return f"column {column.name!r} has {n_missing} missing of {len(table.lines)} cells"


def about_infinite(column: Column, n: int) -> str:
    """How many numbers of a column are infinite."""
    cells = f"{n} cells"
    if n == 1:
        cells = "a cell"
    return f"column {column.name!r} has {cells} without a finite number"


def about_classes(column: Column) -> str:
    """Why a column of classes is not used as numbers."""
    classes = column.classes
    # One class tells nothing about the items.
    if len(classes) == 1:
        return f"column {column.name!r} is {classes[0]!r} in all rows"
    start = f"column {column.name!r} has {len(classes)} classes ({listed(classes)})"
    return f"{start}{with_missing(column)}"


def with_missing(column: Column) -> str:
    """The number of missing cells as the end of a sentence; "" if there are none."""
    n_missing = int(column.missing.sum())
    if not n_missing:
        return ""
    return f" with {n_missing} missing"


def about_texts(table: Table, column: Column) -> str:
    """What a column has that is neither numbers nor classes, with a cell of it."""
    for row, text in enumerate(column.cells):
        if text and not looks_numeric(text):
            # The reason is one line of a terminal.
            if len(text) > _SHOWN_CHARACTERS:
                text = f"{text[:_SHOWN_CHARACTERS]}..."
            return f"column {column.name!r} has {column.kind} ({table.place(row)}: {text!r})"
    return f"column {column.name!r} has {column.kind}"


def about_stray_texts(table: Table, column: Column, texts: Sequence[str]) -> str:
    """What becomes of texts among numbers, and what else could be done."""
    rows = [row for row, text in enumerate(column.cells) if text in texts]
    place = f"{table.place(rows[0])}, column {column.name!r}"
    if len(rows) == 1:
        start = f"{place}: {texts[0]!r} is not a number and is read as missing"
    else:
        quoted = ", ".join(map(repr, texts))
        start = f"{place} and {len(rows) - 1} more cells: {quoted} are no numbers, read as missing"
    return f"{start} (missing_texts); drop={written_value([column.name])} omits it"
