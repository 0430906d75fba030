"""The columns of a table as ``hcbench inspect`` prints them, each with its use."""

from __future__ import annotations

import click
import numpy as np
from rich.console import Console
from rich.table import Table as Printed
from rich.text import Text

from hcbench.model import number_text, printable
from hcbench_datasets.content import Column, Table
from hcbench_datasets.guesses import Guess

_SHOWN = 20  # columns; of the others only those that are no vectors
_SHOWN_CHARACTERS = 30  # of an example


def print_form(table: Table) -> None:
    """Print how many rows a table has, and how it is written."""
    click.echo(f"{table.where}: {len(table.lines)} rows, {table.format or 'read with pandas'}")


def print_columns(table: Table, guess: Guess) -> None:
    """Print the columns of a table, and what each is used for by a guess."""
    print_form(table)
    printed = Printed(box=None, pad_edge=False)
    for head in ("column", "content", "example", "use"):
        printed.add_column(head)
    n_omitted = 0
    for position, column in enumerate(table.columns):
        use = question_or_use(column, guess)
        # Tables of genes have thousands of columns.
        if position >= _SHOWN and use == "vectors":
            n_omitted += 1
            continue
        example, content = _described(column)
        cells = (column.name, content, example, use)
        printed.add_row(*(Text(printable(cell)) for cell in cells))
    Console().print(printed)
    if n_omitted:
        click.echo(f"and {n_omitted} more columns of vectors")


def _described(column: Column) -> tuple[str, str]:
    """An example of a column's cells, and what it holds."""
    missing = ""
    n_missing = int(column.missing.sum())
    if n_missing:
        missing = f", {n_missing} missing"
    if column.numbers is None:
        classes = column.classes
        # A missing cell is no example.
        example = next((text for text in column.cells if text in classes), "")
        content = f"{column.kind}, {len(classes)} different{missing}"
        return example[:_SHOWN_CHARACTERS], content
    # Infinite numbers are shown: they are why a column is dropped.
    present = column.numbers[~np.isnan(column.numbers)]
    if not present.size:
        return "", "all missing"
    low = present.min()
    high = present.max()
    extent = f"{_short(low)} to {_short(high)}"
    if low == high:
        extent = f"all {_short(low)}"
    counts = ""
    if column.kind == "counter":
        counts = " (counts the rows)"
    return _short(present[0]), f"numbers, {extent}{counts}{missing}"


def _short(number: float) -> str:
    """A whole number with all digits, which may be an identifier, another with six."""
    if number == np.floor(number):
        return number_text(number)
    return f"{number:.6g}"


def question_or_use(column: Column, guess: Guess) -> str:
    """What a column is used for, or that it may be the truth, which is asked."""
    has_role = column.name == guess.names or column.name in guess.labels
    is_candidate = any(column.name in labels for labels in guess.candidates)
    # The guess drops candidates until the user has chosen.
    if is_candidate and not has_role:
        return "the truth?"
    use = use_of(column, guess)
    if use == "0/1 columns" and column.name in guess.numeric:
        # Answers with an order, or numbers with a few texts that are read as missing.
        return "vectors"
    return use


def use_of(column: Column, guess: Guess) -> str:
    """What a column is used for as it is in the file."""
    params = guess.params()
    if column.name == params["names"]:
        return "names"
    if column.name in params["labels"]:
        return f"labels, level {params['labels'].index(column.name) + 1}"
    if column.name in params["drop"]:
        return "dropped"
    if column.numbers is None:
        return "0/1 columns"
    return "vectors"
