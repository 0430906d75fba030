"""How many cells runs have: counted once, and stored as summaries until a cell changes."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from hcbench.plan.outcome import STATUSES, is_failure
from hcbench.store.conditions import among
from hcbench.store.rows import LEFT_OUT, RunInfo, run_info
from hcbench.store.schema import cells, run_cells, runs, summaries


def run_infos(connection: sa.Connection, *conditions: sa.ColumnElement[bool]) -> dict[int, RunInfo]:
    """Runs with the number of their cells, of those reused and of those failed."""
    rows = connection.execute(sa.select(runs).where(*conditions).order_by(runs.c.id)).all()
    counts = _read_counts(connection)
    # Runs that have not ended, or whose cells have changed since.
    uncounted = [row.id for row in rows if row.id not in counts]
    counts |= count_cells(connection, uncounted)

    infos = {}
    for row in rows:
        # A run without a cell has no counts.
        infos[row.id] = run_info(row, *counts.get(row.id, ()))
    return infos


def _read_counts(connection: sa.Connection) -> dict[int, tuple[int, ...]]:
    """As `count_cells`, of the runs whose numbers are stored."""
    numbers = sa.select(summaries.c.run, summaries.c.cells, summaries.c.reused, summaries.c.failed)
    counts: dict[int, tuple[int, ...]] = {}
    for run, n_cells, n_reused, n_failed in connection.execute(numbers):
        counts[run] = (n_cells, n_reused, n_failed)
    return counts


def forget(connection: sa.Connection, *changed: sa.ColumnElement[bool]) -> None:
    """Remove the summaries of runs that show changed cells, by conditions of ``run_cells``."""
    showing = sa.select(run_cells.c.run).where(*changed)
    connection.execute(sa.delete(summaries).where(summaries.c.run.in_(showing)))


def count_cells(
    connection: sa.Connection, run_numbers: Sequence[int]
) -> dict[int, tuple[int, ...]]:
    """By run, the number of cells, of those reused and of those failed."""
    # A run shows cells that earlier runs have measured: these are reused.
    is_of_other_run = cells.c.run != run_cells.c.run
    # Inapplicable combinations are rows that runs share, too, but nothing was measured.
    is_measured = ~cells.c.key.startswith(LEFT_OUT)
    reused = sa.case((is_of_other_run & is_measured, 1), else_=0)
    failures = list(filter(is_failure, STATUSES))
    failed = sa.case((cells.c.status.in_(failures), 1), else_=0)

    numbers = (
        sa.select(run_cells.c.run, sa.func.count(), sa.func.sum(reused), sa.func.sum(failed))
        .join(cells, cells.c.id == run_cells.c.cell)
        .where(among(connection, run_cells.c.run, run_numbers))
        .group_by(run_cells.c.run)
    )
    counts: dict[int, tuple[int, ...]] = {}
    for run, n_cells, n_reused, n_failed in connection.execute(numbers):
        counts[run] = (n_cells, n_reused, n_failed)
    return counts
