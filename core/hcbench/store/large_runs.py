"""Large runs, whose cells are stored in columns as well, from which they are read much faster."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

import sqlalchemy as sa

from hcbench.errors import StoreError
from hcbench.store.database import Database
from hcbench.store.schema import run_cells, runs, summaries
from hcbench.store.summaries import run_infos

if TYPE_CHECKING:
    from hcbench.plan.columns import Outcomes


def read_columns(
    database: Database,
    rows: sa.Select[tuple[int]],
    metric_keys: Mapping[str, str] | None,
    run: int = 0,
) -> Outcomes | None:
    """Cells of a large run that has all these rows and metrics, as ``run`` shows them.

    None if there is no such run that is stored in columns.
    """
    # Not imported above, as it imports numpy.
    from hcbench.store.columns import unpack_outcomes

    with database.reading() as connection:
        packed = sa.select(summaries.c.run).where(summaries.c.packed.is_not(None))
        infos = run_infos(connection, runs.c.id.in_(packed))
        # The run itself first, then the latest.
        numbers = sorted(infos.keys() - {run}, reverse=True)
        if run in infos:
            numbers.insert(0, run)

        for number in numbers:
            is_other = number != run
            if is_other and metric_keys not in (None, infos[number].metric_keys):
                continue
            if is_other and _lacks_cells(connection, number, rows):
                continue
            columns = sa.select(summaries.c.packed, summaries.c.checksum)
            stored = connection.execute(columns.where(summaries.c.run == number)).one()
            if zlib.crc32(stored.packed) != stored.checksum:
                continue
            # Damaged columns are no loss, as the cells are also in rows.
            with suppress(StoreError):
                return unpack_outcomes(stored.packed, infos[number].cells).shown_by(run)
    return None


def _lacks_cells(connection: sa.Connection, run: int, rows: sa.Select[tuple[int]]) -> bool:
    """Whether a run does not show all cells of a query."""
    (row,) = rows.selected_columns
    links = sa.select(run_cells.c.cell).where(run_cells.c.run == run, run_cells.c.cell == row)
    lacking = rows.where(~links.exists()).limit(1)
    return connection.execute(lacking).first() is not None


def write_columns(database: Database, run: int, packed: bytes) -> None:
    """Store the packed cells of a large run beside its summary, if these are not too many bytes."""
    # There is no row any more if others have changed the cells meanwhile.
    filled = sa.update(summaries).where(summaries.c.run == run)
    # SQLite takes 1 GB at most; without columns the run is read from its rows.
    with suppress(StoreError), database.writing() as connection:
        connection.execute(filled.values(packed=packed, checksum=zlib.crc32(packed)))
