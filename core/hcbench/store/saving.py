"""Which rows the outcomes of a run are written to."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import sqlalchemy as sa

from hcbench.plan.outcome import Outcome
from hcbench.store.conditions import among, last_id
from hcbench.store.rows import point_rows, storable, stored_key
from hcbench.store.schema import cells, points


def assign_rows(
    connection: sa.Connection, run: int, outcomes: Sequence[Outcome], *, fresh: bool
) -> tuple[dict[int, Outcome], dict[int, Outcome]]:
    """Outcomes to write by their rows, and those whose results are stored, by these rows.

    The writer holds the lock of the store, so that no other process takes the same rows.

    Parameters
    ----------
    connection : Connection
        Of a transaction that writes.
    run : int
        That has measured the outcomes.
    outcomes : sequence of Outcome
    fresh : bool
        Whether they stand beside what other runs have measured of the same cells.
    """
    by_key = {stored_key(outcome): outcome for outcome in outcomes}
    stored = sa.select(cells.c.key, cells.c.id, cells.c.run).order_by(cells.c.id)
    stored = stored.where(among(connection, cells.c.key, by_key))
    # Of several measurements of a cell the latest is last.
    latest_rows = {}
    for key, row, measured_by in connection.execute(stored):
        latest_rows[key] = (row, measured_by)

    unused_rows = itertools.count(last_id(connection) + 1)
    new: dict[int, Outcome] = {}
    agreeing: dict[int, Outcome] = {}
    for key, outcome in by_key.items():
        # Rows and runs are numbered from 1; 0 is none.
        row, measured_by = latest_rows.get(key, (0, 0))
        if row and measured_by == run:
            # The run saves it again: its own row is replaced.
            new[row] = outcome
        elif row and not fresh and _agrees(connection, row, outcome):
            # Another run measured the same result at the same time: its row stays.
            agreeing[row] = outcome
        else:
            new[next(unused_rows)] = outcome
    return new, agreeing


def _agrees(connection: sa.Connection, row: int, outcome: Outcome) -> bool:
    """Whether a row has the same end, data and results of its cell."""
    is_equal = cells.c.id == row
    for name in ("status", "reason", "stopped", "data_digest"):
        is_equal &= cells.c[name] == storable(getattr(outcome, name))
    if not connection.execute(sa.select(cells.c.id).where(is_equal)).first():
        return False
    results = sa.select(points.c.checkpoint, points.c.queries, points.c.result)
    results = results.where(points.c.cell == row)
    stored_points = {tuple(point) for point in connection.execute(results)}
    new_points = set()
    for point in point_rows(row, outcome):
        new_points.add((point["checkpoint"], point["queries"], point["result"]))
    return stored_points == new_points
