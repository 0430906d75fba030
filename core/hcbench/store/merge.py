"""Joining stores: all that others hold, each run, cell and value once.

A cell is a row that was measured once: the same row in two stores, as copies have it, is kept once;
two measurements of one cell are both kept, the one merged last is the latest, as if it had been
measured with ``--fresh`` here. Runs keep what they show. Shards of one plan become one run, which
shows of each cell what was measured last.

All is one transaction of the target, and merging again changes nothing: what was interrupted can
simply be repeated.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Table, func, select, update

from hcbench.errors import StoreError
from hcbench.store.joined_runs import JoinedRuns
from hcbench.store.queries import chunks
from hcbench.store.rows import LEFT_OUT, LOST
from hcbench.store.schema import cells, metric_values, points, run_cells, runs
from hcbench.store.store import Store
from hcbench.store.trust import check_rows

_ROWS = 500  # read at once
_POINTS = 64  # likewise, as each has a tree
#: By these a row is known again; stamps have microseconds.
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
        Cells that were there already.
    repeated : int
        New ones that had been measured there before.
    numbers : list of int
        Of the target's runs to which it has added, or that it has too.
    """

    source: str
    runs: int = 0
    cells: int = 0
    values: int = 0
    known: int = 0
    repeated: int = 0
    numbers: list[int] = field(default_factory=list)


def merge_stores(target: Store, sources: Sequence[Store]) -> list[Merged]:
    """Add all that other stores hold to a store.

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
        If one is the target itself, is not there, or is damaged; the target is as it was then.
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
                merging = _Merging(target, connection, reading, joined, Merged(source.location))
                merged.append(merging.carry_out())
        joined.finish()
        return merged


@dataclass(slots=True)
class _Merging:
    """One source on its way into the target."""

    target: Store
    to: Connection
    source: Connection
    joined: JoinedRuns
    done: Merged
    #: By the numbers of the source.
    run_of: dict[int, int] = field(default_factory=dict)
    unused: Iterator[int] = field(default_factory=itertools.count)

    def carry_out(self) -> Merged:
        for row in self._read(runs, order_by=runs.c.id):
            number, is_new = self.joined.place(row)
            self.run_of[row["id"]] = number
            self.done.runs += is_new
        self.done.numbers = sorted(set(self.run_of.values()))
        last = self.to.execute(select(func.max(cells.c.id))).scalar() or 0
        self.unused = itertools.count(last + 1)
        seen = 0
        while rows := self._read(cells, cells.c.id > seen, order_by=cells.c.id, limit=_ROWS):
            seen = rows[-1]["id"]
            self._take(rows)
        return self.done

    def _read(self, table: Table, *where: Any, order_by: Any, limit: int | None = None) -> Any:
        wanted = select(table).where(*where).order_by(order_by).limit(limit)
        rows = [dict(row) for row in self.source.execute(wanted).mappings()]
        check_rows(table, rows, self.done.source)
        return rows

    def _take(self, rows: Sequence[dict[str, Any]]) -> None:
        """Cells with all that belongs to them."""
        known = self._known({row["key"] for row in rows})
        keys = {identity[0] for identity in known}
        row_of: dict[int, int] = {}
        new = []
        for row in rows:
            identity = tuple(row[name] for name in _IDENTITY)
            if identity not in known:
                known[identity] = next(self.unused)
                new.append({**row, "id": known[identity], "run": self._run(row)})
                self.done.repeated += row["key"] in keys and not row["key"].startswith(LEFT_OUT)
            row_of[row["id"]] = known[identity]
        if new:
            self.to.execute(cells.insert(), new)
        self.done.cells += len(new)
        self.done.known += len(rows) - len(new)
        added = {row["id"] for row in new}
        for chunk in chunks(list(row_of)):
            self._take_points([old for old in chunk if row_of[old] in added], row_of)
            self._take_results({row_of[old]: old for old in chunk if row_of[old] not in added})
            self._take_values(chunk, row_of, added)
            self._take_links(chunk, row_of)

    def _run(self, row: dict[str, Any]) -> int:
        if row["run"] not in self.run_of:
            raise StoreError(f"{self.done.source} is damaged: it has no run {row['run']}")
        return self.run_of[row["run"]]

    def _known(self, keys: set[str]) -> dict[tuple[Any, ...], int]:
        """Rows of the target, by their identity."""
        columns = [cells.c[name] for name in _IDENTITY]
        found: dict[tuple[Any, ...], int] = {}
        for chunk in chunks(sorted(keys)):
            wanted = select(cells.c.id, *columns).where(cells.c.key.in_(chunk))
            found |= {tuple(row[1:]): row[0] for row in self.to.execute(wanted)}
        return found

    def _take_points(self, ids: Sequence[int], row_of: dict[int, int]) -> None:
        if not ids:
            return
        wanted = select(points).where(points.c.cell.in_(ids))
        read = self.source.execute(wanted, execution_options={"yield_per": _POINTS})
        for part in read.mappings().partitions():
            rows = [{**row, "cell": row_of[row["cell"]]} for row in part]
            check_rows(points, rows, self.done.source)
            self.to.execute(points.insert(), rows)

    def _take_results(self, old_of: dict[int, int]) -> None:
        """Results that are lacking here, as of what was exported without them."""
        lacking = select(points.c.cell, points.c.checkpoint)
        lacking = lacking.where(points.c.cell.in_(list(old_of)), points.c.result.is_(None))
        for row, checkpoint in self.to.execute(lacking).all() if old_of else ():
            there = (points.c.cell == old_of[row]) & (points.c.checkpoint == checkpoint)
            result = self.source.execute(select(points.c.result).where(there)).scalar()
            if isinstance(result, bytes):
                here = (points.c.cell == row) & (points.c.checkpoint == checkpoint)
                self.to.execute(update(points).where(here).values(result=result))

    def _take_values(self, ids: Sequence[int], row_of: dict[int, int], added: set[int]) -> None:
        """Values that are not there, or that were lost there."""
        there = [row_of[old] for old in ids if row_of[old] not in added]
        final = metric_values.c.status != LOST
        columns = (metric_values.c[name] for name in ("cell", "checkpoint", "metric_key"))
        wanted = select(*columns).where(metric_values.c.cell.in_(there), final)
        known = {tuple(row) for row in self.to.execute(wanted)} if there else set()
        read = select(metric_values).where(metric_values.c.cell.in_(ids))
        rows = []
        for row in self.source.execute(read).mappings():
            cell = row_of[row["cell"]]
            if (cell, row["checkpoint"], row["metric_key"]) not in known and (
                row["status"] != LOST or cell in added
            ):
                rows.append({**row, "cell": cell, "run": self._run(dict(row))})
        check_rows(metric_values, rows, self.done.source)
        self.target.database.upsert(self.to, metric_values, rows)
        self.done.values += len(rows)

    def _take_links(self, ids: Sequence[int], row_of: dict[int, int]) -> None:
        read = self.source.execute(select(run_cells).where(run_cells.c.cell.in_(ids)))
        links = [
            {"run": self._run(dict(row)), "cell": row_of[row["cell"]]} for row in read.mappings()
        ]
        self.target.database.upsert(self.to, run_cells, links)
