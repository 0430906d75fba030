"""Stored answers of paid oracles, each by what decides it, its query and how often it was made."""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import nan
from typing import Any

import sqlalchemy as sa

from hcbench.store.rows import storable
from hcbench.store.schema import replies


def answer_row(
    source: str, query: tuple[tuple[int, ...], int], reply: Sequence[float]
) -> dict[str, Any]:
    """The row of an answer, as `Store.save_reply` takes it."""
    items, time = query
    # In the order of the columns of the table.
    values = [source, json.dumps(items), time]
    values += map(storable, reply)
    return dict(zip(replies.c.keys(), values, strict=True))


def read_answers(
    connection: sa.Connection, source: str
) -> dict[tuple[tuple[int, ...], int], tuple[Any, ...]]:
    """The answers of one source, by query, as `Store.save_reply` takes them."""
    of_source = sa.select(replies).where(replies.c.source == source)
    answers = {}
    for row in connection.execute(of_source):
        query = (tuple(json.loads(row.query)), row.time)
        reply = []
        # The columns after source, query and time are the reply.
        for value in row[3:]:
            # Databases store no NaN.
            if value is None:
                reply.append(nan)
            else:
                reply.append(value)
        answers[query] = tuple(reply)
    return answers
