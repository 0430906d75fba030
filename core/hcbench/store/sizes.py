"""How many items the data of a run have."""

from __future__ import annotations

from contextlib import suppress

import sqlalchemy as sa

from hcbench.errors import StoreError
from hcbench.store.codec import count_items
from hcbench.store.conditions import among
from hcbench.store.schema import END, cells, points, run_cells


def sizes_of_data(connection: sa.Connection, run: int) -> dict[str, int]:
    """How many items the data of a run have, by their digest, where a result is stored.

    Reads one result of each.
    """
    has_result = (points.c.checkpoint == END) & points.c.result.is_not(None)
    one_of_each = (
        sa.select(cells.c.data_digest, sa.func.min(cells.c.id))
        .join(run_cells, run_cells.c.cell == cells.c.id)
        .join(points, points.c.cell == cells.c.id)
        .where(run_cells.c.run == run, cells.c.data_digest != "", has_result)
        .group_by(cells.c.data_digest)
    )
    digests = {}
    for digest, row in connection.execute(one_of_each):
        digests[row] = digest

    sizes: dict[str, int] = {}
    results = sa.select(points.c.cell, points.c.result).where(has_result)
    results = results.where(among(connection, points.c.cell, digests))
    for row, packed in connection.execute(results):
        # A damaged result is no reason to show nothing.
        with suppress(StoreError):
            sizes[digests[row]] = count_items(packed)
    return sizes
