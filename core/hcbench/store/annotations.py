"""Naming, annotating and removing single runs.

Names and notes are part of the stored layout of a run, so they are exported and merged with it.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, delete, select, update

from hcbench.errors import StoreError
from hcbench.store.queries import among, run_infos
from hcbench.store.rows import RunInfo, from_json, storable, to_json
from hcbench.store.schema import cells, metric_values, run_cells, runs
from hcbench.store.store import Store
from hcbench.store.tidying import cells_of_no_run


@dataclass(frozen=True, slots=True)
class Removed:
    """What `remove_run` did with the cells of a run: how many are gone, and how many stay."""

    cells: int
    shared: int


def name_run(store: Store, run: RunInfo, name: str) -> None:
    """Give a run a name, by which it can be chosen; "" removes its name.

    Raises
    ------
    StoreError
        If the name is a number, or another run has it.
    """
    if name.isdecimal():
        raise StoreError(f"{name!r} is the number of a run; a name has at least one letter")
    with store.database.writing() as connection:
        for other in run_infos(connection).values():
            if name and other.name.casefold() == name.casefold() and other.id != run.id:
                raise StoreError(f"run {other.id} is already called {name!r}; choose another name")
        _write(connection, run, "name", name)


def annotate_run(store: Store, run: RunInfo, note: str) -> None:
    """Replace the note of a run; "" removes it."""
    with store.database.writing() as connection:
        _write(connection, run, "note", note)


def _write(connection: Connection, run: RunInfo, key: str, text: str) -> None:
    of_run = runs.c.id == run.id
    layout = from_json(connection.execute(select(runs.c.layout).where(of_run)).scalar_one())
    layout |= {key: storable(text)}
    connection.execute(update(runs).where(of_run).values(layout=to_json(layout)))


def remove_run(store: Store, run: RunInfo) -> Removed:
    """Remove a run, which may be damaged, with the cells that no other run shows.

    If other runs show what it measured, its row stays for its environment, but is no longer listed;
    it goes with the last of them.
    """
    of_run = run_cells.c.run == run.id
    with store.database.writing() as connection:
        removed = [info.id for info in run_infos(connection).values() if info.removed]
        gone = [run.id, *removed]
        own = set(connection.execute(select(run_cells.c.cell).where(of_run)).scalars())
        unshown = own.intersection(cells_of_no_run(connection, gone))
        connection.execute(delete(cells).where(among(connection, cells.c.id, unshown)))
        connection.execute(delete(run_cells).where(of_run))
        layout = to_json({"removed": True})
        connection.execute(update(runs).where(runs.c.id == run.id).values(layout=layout))
        used = select(cells.c.run).union(select(metric_values.c.run))
        unused = among(connection, runs.c.id, gone) & runs.c.id.not_in(used)
        connection.execute(delete(runs).where(unused))
    return Removed(len(unshown), len(own - unshown))
