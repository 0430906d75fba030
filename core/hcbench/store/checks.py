"""Checks of rows that come from elsewhere.

SQLite stores any type in any column, and a file of exported rows may contain anything.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from hcbench.errors import StoreError
from hcbench.model.cost import read_budget
from hcbench.plan.outcome import STATUSES
from hcbench.store.rows import read_moment, types_of
from hcbench.store.schema import cells, runs

_INT64 = 2**63
_SHOWN = 40  # characters of a wrong value


def check_rows(table: sa.Table, rows: Sequence[Mapping[str, Any]], source: str) -> None:
    """Reject rows that hcbench cannot have written.

    Parameters
    ----------
    table : Table
    rows : sequence of mapping
        Of its columns; that of results may be left out.
    source : str
        Its name in the message.

    Raises
    ------
    StoreError
        If a value is not of the type of its column, a number of a cell is negative, or a text is
        not the JSON it should be.
    """
    for row in rows:
        for column, fault in _faults(table, row):
            raise StoreError(f"{source} is damaged: {table.name}.{column} {fault}")


def _faults(table: sa.Table, row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The columns of a row with an impossible value, and what is wrong with it."""
    for column in table.c:
        value = row.get(column.name)  # results may be left out
        is_negative = table is cells and isinstance(value, int | float) and value < 0
        if type(value) not in types_of(column) or is_negative or _is_too_large(value):
            yield column.name, f"cannot be {repr(value)[:_SHOWN]}"
    if table is not cells and table is not runs:
        return
    for name, (is_valid, what) in _TEXTS.items():
        if name in table.c and row[name] is not None and not _holds(is_valid, row[name]):
            yield name, f"is no {what}: {row[name][:_SHOWN]!r}"


def _is_too_large(value: object) -> bool:
    return type(value) is int and not -_INT64 <= value < _INT64


def _holds(is_valid: Callable[[str], object], text: str) -> bool:
    """Whether a text is valid; one that cannot be read is not."""
    try:
        return bool(is_valid(text))
    except (ValueError, RecursionError):
        return False


def _is_list_of_texts(text: str) -> bool:
    content = json.loads(text or "[]")
    # An empty text is from stores that had no notes.
    return isinstance(content, list) and all(isinstance(item, str) for item in content)


def _is_mapping(text: str) -> bool:
    return isinstance(json.loads(text), dict)


def _is_budget(budget: Any) -> bool:
    return bool(read_budget(budget) == budget)


#: What the texts of runs and cells hold: how to check it, and its name.
_TEXTS: dict[str, tuple[Callable[[Any], object], str]] = {
    "environment": (_is_mapping, "mapping in JSON"),
    "layout": (_is_mapping, "mapping in JSON"),
    "cell": (_is_mapping, "mapping in JSON"),
    "started": (read_moment, "moment"),
    "finished": (read_moment, "moment"),
    "created": (read_moment, "moment"),
    "notes": (_is_list_of_texts, "list of texts in JSON"),
    "status": (STATUSES.__contains__, "status of a cell"),
    "seed": (str.isdecimal, "seed"),
    "budget": (_is_budget, "budget"),
}
