"""With which parameters a file is to be read, and what ``hcbench inspect`` says about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from hcbench_datasets.cells import look_at_cells
from hcbench_datasets.columns import Suspicion, suspicions_of
from hcbench_datasets.comparisons import (
    check_no_comparisons,
    columns_beside_comparisons,
    looks_like_comparisons,
)
from hcbench_datasets.content import Column, Table, names_of, with_texts
from hcbench_datasets.doubtful_rows import check_no_footer, check_not_long
from hcbench_datasets.file_names import set_params, written_value
from hcbench_datasets.guesses import Guess
from hcbench_datasets.guessing import guess
from hcbench_datasets.kinds import kind_of_array, kind_of_table
from hcbench_datasets.notes import notes_on_columns
from hcbench_datasets.overview import print_columns, print_form
from hcbench_datasets.reading import is_cells, is_table, prepared_table, read_file_table, roles_of
from hcbench_datasets.truths import candidates_of


@dataclass(slots=True)
class Advice:
    """With which parameters a file is to be read, and what is to be said about it.

    Attributes
    ----------
    params : dict of str to value
        Those of the user and those found in the file.
    lines : list of str
    file_table : Table, optional
        The table in the file as it is there.
    table, guess : optional
        Of a table whose columns have been guessed.
    has_two_ways : bool
        Whether the columns of the table may be the items as well as the rows.
    """

    params: dict[str, Any]
    lines: list[str] = field(default_factory=list)
    file_table: Table | None = None
    table: Table | None = None
    guess: Guess | None = None
    has_two_ways: bool = False


def advise(target: Path, params: dict[str, Any]) -> Advice:
    """Find out how a file is to be read, and print its columns if it is a table.

    Parameters
    ----------
    target : Path
    params : dict of str to value
        All parameters of the file, as the user gives them.

    Raises
    ------
    DataError
        If it cannot be read, or it may be several things.
    """
    advice = Advice(set_params(params))
    if params["comparisons"]:
        return advice
    if is_table(target):
        _advise_on_table(target, params, advice)
        return advice
    if is_cells(target):
        _advise_on_cells(target, params, advice)
        return advice
    # What is left are arrays, which have no columns.
    kind = kind_of_array(target, params)
    if kind is not None:
        advice.params[kind] = True
    return advice


def _advise_on_table(target: Path, params: dict[str, Any], advice: Advice) -> None:
    """Add what a table is: a matrix, comparisons, or columns with roles."""
    advice.file_table = read_file_table(target, params, roles_of(params))
    table, roles = prepared_table(advice.file_table, params, roles_of(params))
    kind = kind_of_table(table, roles, params)
    if kind is not None:
        advice.params[kind] = True
        print_form(table)
        return
    if looks_like_comparisons(table, roles, params):
        unused = columns_beside_comparisons(table, roles)
        advice.params["comparisons"] = True
        advice.params["drop"] = tuple(unused)
        print_form(table)
        if unused:
            advice.lines.append(f"not used beside comparisons: {', '.join(unused)}")
        return
    check_no_comparisons(table, roles, params)
    check_no_footer(table)
    # With roles, the user has looked at the columns.
    if not roles.columns:
        check_not_long(table)
    guessed = guess(table, roles, params)
    print_columns(table, guessed)
    advice.params.update(set_params(guessed.params()))
    advice.table = table
    advice.guess = guessed
    are_numbers = not with_texts(table.columns[1:])
    advice.has_two_ways = table.is_by_column and are_numbers and not params["transpose"]
    advice.lines += _reasons_of_drop(table, guessed)
    advice.lines += guessed.remarks
    advice.lines += notes_on_columns(table, roles, guessed, advice.params)


def _advise_on_cells(target: Path, params: dict[str, Any], advice: Advice) -> None:
    """Add what a file of anndata has; which column of obs is the truth is asked."""
    cells = look_at_cells(target)
    table = cells.cells
    click.echo(f"{target}: {len(table.lines)} cells, layers {', '.join(cells.layers)}")
    if params["labels"]:
        return
    columns = [column for column in table.columns if column.name != table.row_names]
    guessed = Guess(names=None, labels=[], drop=[])
    guessed.candidates = candidates_of(columns)
    unused = [name for name in names_of(columns) if [name] not in guessed.candidates]
    if unused:
        advice.lines.append(f"columns of obs that are no classes: {', '.join(unused)}")
    advice.table = table
    advice.guess = guessed


def _reasons_of_drop(table: Table, guessed: Guess) -> Iterator[str]:
    """Why columns are not used, each with what would use it."""
    suspicions = suspicions_of(table)
    for name, reason in guessed.reasons.items():
        line = f"{reason} and is not used"
        suspicion = suspicions.get(name)
        # Other reasons, such as missing numbers, have no such way out.
        if suspicion is not None and reason.startswith(suspicion.reason):
            line += _other_uses(table.column(name), suspicion)
        yield line


def _other_uses(column: Column, suspicion: Suspicion) -> str:
    """The roles that a column could have, as the end of a line."""
    uses = ""
    cells = list(column.cells)
    if suspicion.form == "identifier" and len(set(cells)) == len(cells):
        uses += f"; names={written_value(column.name)} names the items by it"
    return f"{uses}; numbers={written_value([column.name])} uses it as a number"
