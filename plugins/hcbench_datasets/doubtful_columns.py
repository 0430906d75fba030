"""Columns of numbers that may be no measurements, but identifiers, dates, classes, or codes."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hcbench import DataError, ModelWarning
from hcbench_datasets.columns import Suspicion, decisive, suspicions_of
from hcbench_datasets.content import Column, Roles, Table, with_numbers
from hcbench_datasets.file_names import changed_name
from hcbench_datasets.missing import missing_code
from hcbench_datasets.preparation import is_scaled_by_column


def check_suspicions(
    table: Table, roles: Roles, columns: Sequence[Column], params: Mapping[str, Any]
) -> None:
    """Refuse identifiers, dates and classes that decide the distances as numbers; note others.

    Parameters
    ----------
    table : Table
    roles : Roles
    columns : sequence of Column
        Those without a role.
    params : mapping of str to value
        The parameters of the file.

    Raises
    ------
    DataError
        With names for what each of them may be.
    """
    numeric = with_numbers(columns)
    # A single column is all there is, whatever it looks like.
    if len(numeric) < 2:
        return
    # Names and forms of columns say what they may be, and numbers how much they matter.
    suspicions = _suspicions_without_role(table, roles, numeric)
    if not suspicions:
        return
    sure = [suspicion for suspicion in suspicions if suspicion.is_sure]
    deciding: set[str] = set()
    # With the same weight for all columns, none decides alone.
    if not is_scaled_by_column(params):
        deciding = decisive(numeric, [suspicion.column for suspicion in sure])
    if deciding:
        listed = _reasons([suspicion for suspicion in sure if suspicion.column in deciding])
        raise DataError(
            f"{table.where}: {listed}, and would decide the distances; "
            f"{_ways_out(table, roles, sure, params)}"
        )
    use = "they are used as numbers"
    if len(suspicions) == 1:
        use = "it is used as a number"
    warnings.warn(
        f"{_reasons(suspicions)}; {use}: {_ways_out(table, roles, suspicions, params)}",
        ModelWarning,
        stacklevel=3,
    )


def _reasons(suspicions: Iterable[Suspicion]) -> str:
    return "; ".join(suspicion.reason for suspicion in suspicions)


def _suspicions_without_role(
    table: Table, roles: Roles, columns: Sequence[Column]
) -> list[Suspicion]:
    """The suspicions about columns that the user has not said to be numbers."""
    suspicions_by_name = suspicions_of(table)
    suspicions = []
    for column in columns:
        suspicion = suspicions_by_name.get(column.name)
        # A constant column has no effect on distances.
        if suspicion is None or suspicion.form == "constant":
            continue
        if column.name not in roles.numbers:
            suspicions.append(suspicion)
    return suspicions


def _ways_out(
    table: Table, roles: Roles, suspicions: Sequence[Suspicion], params: Mapping[str, Any]
) -> str:
    """Names of a file in which columns that look like no measurements have roles, or have none."""
    changes: dict[str, Any] = {}
    drop = list(roles.drop)
    for suspicion in suspicions:
        column = table.column(suspicion.column)
        # Names differ; identifiers of repeated measurements do not.
        are_different = len(set(column.cells)) == len(column.cells)
        names_items = suspicion.form == "identifier" and are_different
        # Of several classes, the first is suggested as the truth.
        if suspicion.form == "class" and not roles.labels and "labels" not in changes:
            changes["labels"] = [suspicion.column]
            if column.missing.any():
                changes["missing"] = "drop"
        elif names_items and roles.names is None and "names" not in changes:
            changes["names"] = suspicion.column
        else:
            drop.append(suspicion.column)
    columns = tuple(suspicion.column for suspicion in suspicions)
    ways = []
    if changes:
        changes["drop"] = drop
        ways.append(changed_name(params, **changes))
    ways.append(changed_name(params, drop=roles.drop + columns))
    measured = changed_name(params, numbers=roles.numbers + columns)
    return f"write {' or '.join(ways)}, or {measured} for measurements"


def note_codes(columns: Sequence[Column]) -> None:
    """Add a note about numbers such as -999 that stand for missing ones."""
    for column in columns:
        code = missing_code(column)
        if code:
            warnings.warn(
                f"column {column.name!r} has {code}, far below all other numbers; if it stands for "
                f"a missing one write missing_texts=[{code}],missing=median",
                ModelWarning,
                stacklevel=3,
            )
