"""Checks of rows that come from elsewhere, before they are stored.

SQLite stores any type in any column, and a file of exported rows may contain anything.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import Table

from hcbench.errors import StoreError
from hcbench.plan.outcome import STATUSES
from hcbench.store.rows import read_moment
from hcbench.store.schema import cells, runs

_INT64 = 2**63
_JSON: dict[str, type] = {"environment": dict, "layout": dict, "cell": dict, "notes": list}


def check_rows(table: Table, rows: Sequence[Mapping[str, Any]], source: str) -> None:
    """Reject rows that hcbench cannot have written.

    Parameters
    ----------
    table : Table
    rows : sequence of mapping
        Of its columns, all of them.
    source : str
        Its name in the message.

    Raises
    ------
    StoreError
        If a value is not of the type of its column, or a text is not the JSON it should be.
    """
    for name, kinds in _types(table):
        for row in rows:
            value = row[name]
            too_large = type(value) is int and not -_INT64 <= value < _INT64
            if type(value) not in kinds or too_large:
                where = f"{table.name}.{name}"
                raise StoreError(f"{source} is damaged: {where} cannot be {repr(value)[:40]}")
    if table is cells or table is runs:
        for row in rows:
            _check_texts(table, row, source)


def _check_texts(table: Table, row: Mapping[str, Any], source: str) -> None:
    for name, kind in _JSON.items():
        if name in table.c and (row[name] or name != "notes"):
            try:
                read = json.loads(row[name])
            except (ValueError, RecursionError):
                read = None
            if not isinstance(read, kind):
                raise StoreError(
                    f"{source} is damaged: {table.name}.{name} is not JSON of a {kind.__name__}"
                )
    for name in ("started", "finished", "created"):
        if name in table.c and row[name] is not None:
            try:
                read_moment(row[name])
            except ValueError:
                raise StoreError(
                    f"{source} is damaged: {table.name}.{name} is no moment: {row[name][:40]!r}"
                ) from None
    if table is cells:
        if not all(isinstance(note, str) for note in json.loads(row["notes"] or "[]")):
            raise StoreError(f"{source} is damaged: cells.notes are not text")
        if row["status"] not in STATUSES:
            raise StoreError(
                f"{source} is damaged: {row['status'][:40]!r} is not a status of a cell"
            )
        if not row["seed"].isdecimal():
            raise StoreError(f"{source} is damaged: {row['seed'][:40]!r} is not a seed")


@lru_cache
def _types(table: Table) -> tuple[tuple[str, frozenset[type]], ...]:
    """The types of Python that each column accepts."""
    types = []
    for column in table.c:
        kind = column.type.python_type
        kinds: set[type] = {kind, int} if kind is float else {kind}
        types.append((column.name, frozenset(kinds | {type(None)} if column.nullable else kinds)))
    return tuple(types)
