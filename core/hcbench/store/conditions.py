"""Conditions of queries: one of many values, the latest measurement, a label like a pattern."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias, TypeVar

import sqlalchemy as sa

from hcbench.store.schema import cells

T = TypeVar("T")
#: Parts of labels, or whole labels with wildcards.
Patterns: TypeAlias = str | Sequence[str]


def among(
    connection: sa.Connection, column: sa.ColumnElement[T], items: Iterable[T]
) -> sa.ColumnElement[bool]:
    """A condition: a column has one of any number of values, which are sent as one parameter."""
    if connection.dialect.name == "postgresql":
        return column == sa.any_(sa.literal(list(items), sa.ARRAY(column.type)))
    # SQLite has a limit of parameters, but none of the length of a text.
    listed = sa.func.json_each(json.dumps(list(items))).table_valued("value")
    return column.in_(sa.select(listed.c.value))


def last_id(connection: sa.Connection) -> int:
    """The highest id of a row of ``cells``, 0 if there is none."""
    return connection.execute(sa.select(sa.func.max(cells.c.id))).scalar() or 0


def is_latest() -> sa.ColumnElement[bool]:
    """A condition: the cell was not measured again."""
    newer = cells.alias()
    again = sa.select(newer.c.id).where(newer.c.key == cells.c.key, newer.c.id > cells.c.id)
    return ~again.exists()


def label_is_like(
    connection: sa.Connection, column: sa.Column[Any], patterns: str | Sequence[str]
) -> sa.ColumnElement[bool]:
    """A condition: a label is one of `labels_like`."""
    # The labels are few, and case is ignored in any script, which LIKE does not do.
    labels = connection.execute(sa.select(column).distinct()).scalars()
    return column.in_(labels_like(labels, patterns))


def labels_like(labels: Iterable[str], patterns: Patterns) -> list[str]:
    """The labels that contain one of these texts, or match one that has wildcards.

    Wildcards are ``*`` and ``?``. Case is ignored, in any script.
    """
    if isinstance(patterns, str):
        patterns = [patterns]

    expressions = []
    for text in patterns:
        escaped = re.escape(text.casefold())
        # The text itself anywhere in a label, and as a pattern of the whole label.
        expressions.append(f".*{escaped}.*")
        expressions.append(escaped.replace(r"\*", ".*").replace(r"\?", "."))
    any_expression = re.compile("|".join(expressions), re.DOTALL)
    return [label for label in labels if any_expression.fullmatch(label.casefold())]
