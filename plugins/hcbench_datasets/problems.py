"""What is in the way of reading a table, with a name with which it can be read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from hcbench import DataError
from hcbench_datasets.cell_texts import looks_numeric
from hcbench_datasets.content import Column, Roles, Table
from hcbench_datasets.file_names import changed_name, set_params
from hcbench_datasets.guessing import guess
from hcbench_datasets.labels import missing_labels

_SHOWN = 8  # problems of columns in a message
_SHOWN_COLUMNS = 12
_SHOWN_CHARACTERS = 40  # of a cell


def check_readable(
    table: Table, roles: Roles, columns: Sequence[Column], params: Mapping[str, Any]
) -> None:
    """Raise `DataError` for missing labels and numbers, texts, and numbers that are not finite.

    Parameters
    ----------
    table : Table
    roles : Roles
    columns : sequence of Column
        Those whose numbers are used.
    params : mapping of str to value
        The parameters of the file; some say what becomes of missing numbers and of texts.

    Raises
    ------
    DataError
        With all problems of all columns, and a name with which the file can be read.
    """
    problems: list[str] = []
    if params.get("missing") != "drop":
        problems += _problems_of_labels(table, roles)
    for column in columns:
        if column.numbers is not None:
            problems += _problems_of_numbers(table, column, params)
        elif params.get("categorical") is None:
            problems.append(_problem_of_texts(table, column))
    if problems:
        raise DataError(_message(table, roles, params, problems))


def _problems_of_labels(table: Table, roles: Roles) -> Iterator[str]:
    for name in roles.labels:
        rows = np.flatnonzero(missing_labels(table.column(name)))
        if rows.size:
            label = _counted(rows.size, "label")
            yield f"{table.place(rows[0])}, column {name!r}: {label} missing"


def _problems_of_numbers(table: Table, column: Column, params: Mapping[str, Any]) -> Iterator[str]:
    assert column.numbers is not None
    missing_rows = np.flatnonzero(np.isnan(column.numbers))
    # Gower's coefficient is of the cells that are there.
    may_be_missing = params.get("missing") is not None or params.get("categorical") == "gower"
    if missing_rows.size and not may_be_missing:
        number = _counted(missing_rows.size, "number")
        yield f"{table.place(missing_rows[0])}, column {column.name!r}: {number} missing"
    infinite_rows = np.flatnonzero(np.isinf(column.numbers))
    if infinite_rows.size:
        row = infinite_rows[0]
        yield (f"{table.place(row)}, column {column.name!r}: {column.numbers[row]} is not finite")


def _counted(n: int, noun: str) -> str:
    """Such as "a label is" or "3 labels are"."""
    if n == 1:
        return f"a {noun} is"
    return f"{n} {noun}s are"


def _problem_of_texts(table: Table, column: Column) -> str:
    """What is wrong with a column of texts, by its first cell that is no number."""
    texts = column.texts or ()
    rows = [row for row, text in enumerate(texts) if not looks_numeric(text)]
    if not rows:
        return f"{table.place(0)}, column {column.name!r}: {texts[0]!r} is written like a code"
    cell = texts[rows[0]]
    if len(cell) > _SHOWN_CHARACTERS:
        cell = f"{cell[:_SHOWN_CHARACTERS]}..."
    n_different = len({texts[row] for row in rows})
    reason = "is not a number"
    if n_different > 1 and column.kind == "dates":
        reason = "is a date"
    elif n_different > 1 and column.kind == "texts":
        reason += f" ({n_different} different texts)"
    elif column.kind == "numbers with units":
        reason += " (it would be without its unit)"
    return f"{table.place(rows[0])}, column {column.name!r}: {cell!r} {reason}"


def _message(table: Table, roles: Roles, params: Mapping[str, Any], problems: Sequence[str]) -> str:
    """The problems, and a name of the file without them, as `guess` finds it."""
    listed = "; ".join(problems[:_SHOWN])
    if len(problems) > _SHOWN:
        listed += f"; and {len(problems) - _SHOWN} more"
    # What inspect would do about the same file.
    guessed = guess(table, roles, params)
    changes = set_params(guessed.params())
    # A label cannot be replaced by others.
    if any(missing_labels(table.column(name)).any() for name in roles.labels):
        changes["missing"] = "drop"
    if not changes.get("texts") and not _has_data(table, changes):
        return f"{table.where}: {listed}; correct the file, as no column of numbers is left"
    question = ""
    if guessed.candidates:
        # The most likely answer; inspect lists all.
        truth = guessed.candidates[0]
        with_truth = {**changes, **guessed.params_with_truth(table, truth)}
        name = changed_name(params, **with_truth)
        question = f" if {' with '.join(map(repr, truth))} is the truth write {name};"
    name = changed_name(params, **changes)
    return f"{table.where}: {listed};{question} correct the file, or write {name}"


def _has_data(table: Table, params: Mapping[str, Any]) -> bool:
    """Whether a column is left that is neither the names, nor labels, nor dropped."""
    used = {params.get("names")}
    used.update(params.get("labels", ()))
    used.update(params.get("drop", ()))
    return not used.issuperset(table.names)


def message_without_numbers(table: Table, roles: Roles, params: Mapping[str, Any]) -> str:
    """What to write for a table of which no column has numbers."""
    listed = ", ".join(table.names[:_SHOWN_COLUMNS])
    if len(table.names) > _SHOWN_COLUMNS:
        listed += " ..."
    start = f"{table.where}: no numeric column is left; there are {listed}"
    # Perhaps another file was meant.
    if roles.names is None:
        return (
            f"{start}; is it the right file? Items with nothing but names need "
            "names=COLUMN,texts=true"
        )
    name = changed_name(params, texts=True)
    return f"{start}; for items with nothing but names and labels write {name}"
