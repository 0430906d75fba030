"""What a store need not keep: runs that nobody wants any more, and what no run shows.

A run that was not finished may be on its way, unless it began a day ago; so it is left alone. So is
a run whose measurements another one shows that is kept: its environment is theirs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, delete, func, select, text

from hcbench.store.queries import chunks, is_latest, run_infos
from hcbench.store.rows import LEFT_OUT, RunInfo
from hcbench.store.schema import cells, metadata, metric_values, points, run_cells, runs
from hcbench.store.store import Store

_ON_ITS_WAY = timedelta(days=1)
_ROW, _VALUE = 400, 120  # about so many bytes, with what finds them


@dataclass(frozen=True, slots=True)
class Tidied:
    """What is removed.

    Attributes
    ----------
    runs, cells, values : int
    lent : int
        Runs that stay though they were not to be kept, as others show what they measured.
    bytes : int
        Freed; before it is done, an estimate.
    """

    runs: int
    cells: int
    values: int
    lent: int = 0
    bytes: int = 0


def tidy(
    store: Store,
    *,
    keep_runs: int | None = None,
    before: datetime | None = None,
    dry_run: bool = False,
) -> Tidied:
    """Remove what no run shows, and runs of which nothing is kept.

    That is: measurements that were superseded, values of old versions of metrics, and interrupted
    runs without a cell. With old runs go the cells that no other run shows, the latest too.

    Parameters
    ----------
    store : Store
    keep_runs : int, optional
        How many runs stay, the latest; by default all.
    before : datetime, optional
        Runs that began earlier go; those that ``keep_runs`` names stay.
    dry_run : bool
        Only say what would go.

    Raises
    ------
    StoreError
        If it cannot be written.
    """
    database = store.database
    if dry_run or not database.exists:
        with database.reading() as connection:
            found = _Findings.of(connection, keep_runs, before)
            return replace(found.told, bytes=found.size(connection))
    size = _size(store)
    with database.writing() as connection:
        found = _Findings.of(connection, keep_runs, before)
        found.remove(connection)
    _vacuum(store)
    return replace(found.told, bytes=max(size - _size(store), 0))


@dataclass(frozen=True, slots=True)
class _Findings:
    """What is to go, by numbers and keys."""

    runs: Sequence[int]
    cells: Sequence[int]
    values: Sequence[tuple[int, int, str]]
    lent: int

    @classmethod
    def of(
        cls, connection: Connection, keep_runs: int | None, before: datetime | None
    ) -> _Findings:
        infos = run_infos(connection)
        unwanted = set(_unwanted(list(infos.values()), keep_runs, before))
        kept = _with_lenders(connection, set(infos) - unwanted)
        gone = sorted(set(infos) - kept)
        doomed = _cells_of_nobody(connection, gone)
        values = _values_of_nobody(connection, [infos[run] for run in sorted(kept)], set(doomed))
        return cls(gone, doomed, values, lent=len(kept & unwanted))

    @property
    def told(self) -> Tidied:
        return Tidied(len(self.runs), len(self.cells), len(self.values), self.lent)

    def size(self, connection: Connection) -> int:
        """About how many bytes they take."""
        total = len(self.values) * _VALUE
        texts = sum(func.length(c) for c in (cells.c.cell, cells.c.log, cells.c.traceback))
        for chunk in chunks(self.cells):
            wanted = select(func.sum(texts)).where(cells.c.id.in_(chunk))
            results = select(func.sum(func.length(points.c.result)))
            values = select(func.count()).select_from(metric_values)
            total += _ROW * len(chunk) + int(connection.execute(wanted).scalar() or 0)
            for counted, unit in ((results, 1), (values, _VALUE)):
                table = points if counted is results else metric_values
                of_these = counted.where(table.c.cell.in_(chunk))
                total += unit * int(connection.execute(of_these).scalar() or 0)
        layouts = func.length(runs.c.layout) + func.length(runs.c.environment)
        for chunk in chunks(self.runs):
            wanted = select(func.sum(layouts)).where(runs.c.id.in_(chunk))
            total += int(connection.execute(wanted).scalar() or 0)
        return total

    def remove(self, connection: Connection) -> None:
        """Delete them; what belongs to a cell goes with it."""
        for chunk in chunks(self.cells):
            connection.execute(delete(cells).where(cells.c.id.in_(chunk)))
        key = (metric_values.c.cell, metric_values.c.checkpoint, metric_values.c.metric_key)
        for (checkpoint, metric_key), ids in _by_key(self.values):
            for chunk in chunks(ids):
                old = (key[1] == checkpoint) & (key[2] == metric_key) & key[0].in_(chunk)
                connection.execute(delete(metric_values).where(old))
        for chunk in chunks(self.runs):
            connection.execute(delete(run_cells).where(run_cells.c.run.in_(chunk)))
            connection.execute(delete(runs).where(runs.c.id.in_(chunk)))


def _by_key(values: Sequence[tuple[int, int, str]]) -> Iterable[tuple[tuple[int, str], list[int]]]:
    ids_of: dict[tuple[int, str], list[int]] = {}
    for cell, checkpoint, metric_key in values:
        ids_of.setdefault((checkpoint, metric_key), []).append(cell)
    return ids_of.items()


def _unwanted(
    infos: Sequence[RunInfo], keep_runs: int | None, before: datetime | None
) -> Iterator[int]:
    """Runs that are not to be kept for their own sake."""
    with_cells = [info.id for info in infos if info.cells]
    latest = set(with_cells[-keep_runs:] if keep_runs else ())
    a_day_ago = datetime.now(UTC) - _ON_ITS_WAY
    for info in infos:
        may_run = info.finished is None and info.started > a_day_ago
        old = before is not None and info.started < before
        many = keep_runs is not None and before is None
        if not may_run and (not info.cells or (info.id not in latest and (old or many))):
            yield info.id


def _with_lenders(connection: Connection, kept: set[int]) -> set[int]:
    """Runs, with those that measured what they show, and so on."""
    kept = set(kept)
    lender = select(run_cells.c.run, cells.c.run).distinct()
    lender = lender.join(cells, cells.c.id == run_cells.c.cell)
    judge = select(run_cells.c.run, metric_values.c.run).distinct()
    judge = judge.join(metric_values, metric_values.c.cell == run_cells.c.cell)
    lenders: dict[int, set[int]] = {}
    for wanted in (lender, judge):
        for run, other in connection.execute(wanted):
            lenders.setdefault(run, set()).add(other)
    waiting = list(kept)
    while waiting:
        new = lenders.get(waiting.pop(), set()) - kept
        kept |= new
        waiting += new
    return kept


def _cells_of_nobody(connection: Connection, gone: Collection[int]) -> list[int]:
    """Cells that no run shows that stays; the latest measurement stays, unless its run goes."""
    shown = select(run_cells.c.cell).where(run_cells.c.run.not_in(list(gone)))
    nobody = select(cells.c.id).where(cells.c.id.not_in(shown))
    again = ~is_latest() | cells.c.key.startswith(LEFT_OUT)
    wanted = nobody.where(again | cells.c.run.in_(list(gone))).order_by(cells.c.id)
    return list(connection.execute(wanted).scalars())


def _values_of_nobody(
    connection: Connection, infos: Sequence[RunInfo], doomed: Collection[int]
) -> list[tuple[int, int, str]]:
    """Values that no run asked for that shows their cell."""
    keys_of = {
        info.id: None if info.metric_keys is None else frozenset(info.metric_keys.values())
        for info in infos
    }
    value = metric_values.c
    found: list[tuple[int, int, str]] = []
    ids = list(connection.execute(select(cells.c.id).order_by(cells.c.id)).scalars())
    for chunk in chunks([id_ for id_ in ids if id_ not in doomed]):
        wanted_by: dict[int, set[str] | None] = {}
        links = select(run_cells.c.cell, run_cells.c.run).where(run_cells.c.cell.in_(chunk))
        for cell, run in connection.execute(links):
            keys, so_far = keys_of.get(run), wanted_by.get(cell, set())
            wanted_by[cell] = None if keys is None or so_far is None else so_far | keys
        there = select(value.cell, value.checkpoint, value.metric_key)
        for cell, checkpoint, key in connection.execute(there.where(value.cell.in_(chunk))):
            wanted = wanted_by.get(cell)
            if cell in wanted_by and wanted is not None and key not in wanted:
                found.append((cell, checkpoint, key))
    return found


def _size(store: Store) -> int:
    """Bytes of the tables, or of the file."""
    with store.database.reading() as connection:
        if store.database.place.server is None:
            pages, size = (
                connection.execute(text(f"PRAGMA {name}")).scalar()
                for name in ("page_count", "page_size")
            )
            return int(pages or 0) * int(size or 0)
        names = [table.name for table in metadata.sorted_tables]
        sizes: list[Any] = [func.pg_total_relation_size(name) for name in names]
        return sum(connection.execute(select(*sizes)).one())


def _vacuum(store: Store) -> None:
    """Give back what is free, outside of any transaction."""
    names = [table.name for table in metadata.sorted_tables]
    server = store.database.place.server is not None
    statements = [f"VACUUM FULL {name}" for name in names] if server else ["VACUUM"]
    store.database.outside_transactions(statements)
