"""How many items the data of stored cells have."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import sqlalchemy as sa

from hcbench.errors import StoreError
from hcbench.store.codec import count_items
from hcbench.store.conditions import among
from hcbench.store.schema import END, cells, points, run_cells

#: A point with the final result of a call.
_HAS_RESULT = (points.c.checkpoint == END) & points.c.result.is_not(None)


def sizes_of_data(connection: sa.Connection, run: int) -> dict[str, int]:
    """How many items the data of a run have, by their digest, where a result is stored.

    Reads one result of each.
    """
    one_of_each = (
        sa.select(sa.func.min(cells.c.id), cells.c.data_digest)
        .join(run_cells, run_cells.c.cell == cells.c.id)
        .join(points, points.c.cell == cells.c.id)
        .where(run_cells.c.run == run, cells.c.data_digest != "", _HAS_RESULT)
        .group_by(cells.c.data_digest)
    )
    return _sizes_of_cells(connection, one_of_each)


def sizes_of_datasets(connection: sa.Connection) -> dict[str, int]:
    """How many items each data set has, by its label, where a result is stored.

    The last result counts: a file may have had other rows before.
    """
    last_of_each = (
        sa.select(sa.func.max(cells.c.id), cells.c.dataset)
        .join(points, points.c.cell == cells.c.id)
        .where(cells.c.status == "ok", _HAS_RESULT)
        .group_by(cells.c.dataset)
    )
    return _sizes_of_cells(connection, last_of_each)


def _sizes_of_cells(connection: sa.Connection, cells_and_names: sa.Select[Any]) -> dict[str, int]:
    """How many items the results of some cells have, by the name that stands beside each cell."""
    name_of_row: dict[int, str] = {}
    for row, name in connection.execute(cells_and_names):
        name_of_row[row] = name
    sizes = {}
    results = sa.select(points.c.cell, points.c.result).where(_HAS_RESULT)
    results = results.where(among(connection, points.c.cell, name_of_row))
    for row, packed in connection.execute(results):
        # A damaged result tells no size, and is no reason to show nothing.
        with suppress(StoreError):
            sizes[name_of_row[row]] = count_items(packed)
    return sizes
