"""Merging stores: every run, cell and value of the sources is added to the target once.

A row that both stores have, being copies of one measurement, is stored once. Two measurements of
one cell are both stored, and that merged last counts as the latest, as if it had been measured with
``--fresh``. Runs show the same as before. Shards of one plan become one run, which shows the latest
measurement of each cell.

Everything is one transaction of the target, and merging again changes nothing, so that an
interrupted merge can simply be repeated.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Select, Table, select, update

from hcbench.errors import StoreError
from hcbench.store.database import Database
from hcbench.store.joined_runs import JoinedRuns
from hcbench.store.queries import among, last_id
from hcbench.store.rows import LEFT_OUT
from hcbench.store.schema import LOST, cells, metric_values, points, run_cells, runs
from hcbench.store.store import Store
from hcbench.store.trust import check_rows

_ROWS = 500  # read at once
_POINTS = 64  # read at once, as each has a tree
#: Two rows that agree in these are the same measurement; time stamps have microseconds.
_IDENTITY = ("key", "created", "status", "data_digest", "seconds")


@dataclass(slots=True)
class Merged:
    """What merging one store has added.

    Attributes
    ----------
    source : str
        Where it is.
    runs, cells, values : int
        New ones.
    known : int
        Cells that the target had already.
    repeated : int
        New measurements of cells that the target had already.
    numbers : list of int
        The target's numbers of the source's runs.
    """

    source: str
    runs: int = 0
    cells: int = 0
    values: int = 0
    known: int = 0
    repeated: int = 0
    numbers: list[int] = field(default_factory=list)


def merge_stores(target: Store, sources: Sequence[Store]) -> list[Merged]:
    """Add the contents of other stores to a store.

    Parameters
    ----------
    target : Store
    sources : sequence of Store
        They are only read.

    Returns
    -------
    list of Merged
        For each source.

    Raises
    ------
    StoreError
        If one is the target itself, does not exist, or is damaged; the target is unchanged then.
    """
    for source in sources:
        if source.database.place.is_same(target.database.place):
            raise StoreError(f"{source.location} cannot be merged into itself")
        if not source.database.exists:
            raise StoreError(f"{source.location} holds no results: there is no store")
    with target.database.writing() as connection:
        joined = JoinedRuns(connection)
        merged = []
        for source in sources:
            with source.database.reading() as reading:
                merging = _Merging(
                    target.database, connection, reading, joined, Merged(source.location)
                )
                merged.append(merging.carry_out())
        joined.finish()
        return merged


@dataclass(slots=True)
class _Merging:
    """The merging of one source into the target."""

    target: Database
    to: Connection
    source: Connection
    joined: JoinedRuns
    done: Merged
    #: By the numbers of the source.
    run_of: dict[int, int] = field(default_factory=dict)

    def carry_out(self) -> Merged:
        for row in self._read(select(runs).order_by(runs.c.id), runs):
            number, is_new = self.joined.place(row)
            self.run_of[row["id"]] = number
            self.done.runs += is_new
        self.done.numbers = sorted(set(self.run_of.values()))
        unused = itertools.count(last_id(self.to) + 1)
        next_rows = select(cells).order_by(cells.c.id).limit(_ROWS)
        seen = 0
        while rows := self._read(next_rows.where(cells.c.id > seen), cells):
            seen = rows[-1]["id"]
            self._take(rows, unused)
        return self.done

    def _read(self, wanted: Select[Any], table: Table) -> list[dict[str, Any]]:
        rows = [dict(row) for row in self.source.execute(wanted).mappings()]
        check_rows(table, rows, self.done.source)
        return rows

    def _take(self, rows: Sequence[dict[str, Any]], unused: Iterator[int]) -> None:
        """Add cells with all that belongs to them."""
        known = self._known({row["key"] for row in rows})
        keys = {identity[0] for identity in known}
        row_of: dict[int, int] = {}
        new = []
        for row in rows:
            identity = tuple(row[name] for name in _IDENTITY)
            if identity not in known:
                known[identity] = next(unused)
                new.append({**row, "id": known[identity], "run": self._run(row)})
                self.done.repeated += row["key"] in keys and not row["key"].startswith(LEFT_OUT)
            row_of[row["id"]] = known[identity]
        if new:
            self.to.execute(cells.insert(), new)
        self.done.cells += len(new)
        self.done.known += len(rows) - len(new)
        added = {row["id"] for row in new}
        self._take_points([old for old in row_of if row_of[old] in added], row_of)
        self._take_results({row_of[old]: old for old in row_of if row_of[old] not in added})
        self._take_values(row_of, added)
        read = self._read(select(run_cells).where(run_cells.c.cell.in_(list(row_of))), run_cells)
        links = [{"run": self._run(row), "cell": row_of[row["cell"]]} for row in read]
        self.target.upsert(self.to, run_cells, links)

    def _run(self, row: dict[str, Any]) -> int:
        if row["run"] not in self.run_of:
            raise StoreError(f"{self.done.source} is damaged: it has no run {row['run']}")
        return self.run_of[row["run"]]

    def _known(self, keys: set[str]) -> dict[tuple[Any, ...], int]:
        """Rows of the target, by their identity."""
        columns = [cells.c[name] for name in _IDENTITY]
        wanted = select(cells.c.id, *columns).where(among(self.to, cells.c.key, keys))
        return {tuple(row[1:]): row[0] for row in self.to.execute(wanted)}

    def _take_points(self, ids: Sequence[int], row_of: dict[int, int]) -> None:
        wanted = select(points).where(points.c.cell.in_(ids))
        read = self.source.execute(wanted, execution_options={"yield_per": _POINTS})
        for part in read.mappings().partitions():
            rows = [{**row, "cell": row_of[row["cell"]]} for row in part]
            check_rows(points, rows, self.done.source)
            self.to.execute(points.insert(), rows)

    def _take_results(self, old_of: dict[int, int]) -> None:
        """Add results that the target lacks, as those of a run that was exported without them."""
        lacking = select(points.c.cell, points.c.checkpoint)
        lacking = lacking.where(points.c.cell.in_(list(old_of)), points.c.result.is_(None))
        for row, checkpoint in self.to.execute(lacking).all():
            there = (points.c.cell == old_of[row]) & (points.c.checkpoint == checkpoint)
            result = self.source.execute(select(points.c.result).where(there)).scalar()
            if isinstance(result, bytes):
                here = (points.c.cell == row) & (points.c.checkpoint == checkpoint)
                self.to.execute(update(points).where(here).values(result=result))

    def _take_values(self, row_of: dict[int, int], added: set[int]) -> None:
        """Add values that the target lacks, or that were lost there."""
        of_cells = metric_values.c.cell.in_(list(row_of))
        rows = [
            {**row, "cell": row_of[row["cell"]], "run": self._run(row)}
            for row in self._read(select(metric_values).where(of_cells), metric_values)
            if row["status"] != LOST or row_of[row["cell"]] in added
        ]
        self.done.values += self.target.upsert(self.to, metric_values, rows, only_lost=True)
