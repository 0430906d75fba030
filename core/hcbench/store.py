"""The store: what became of every cell that was ever run, so that none runs twice.

The main process alone writes it, in short transactions. SQLite by default, PostgreSQL by URL.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Self, TypeVar

from platformdirs import user_data_dir
from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Engine,
    Insert,
    Table,
    case,
    delete,
    func,
    inspect,
    select,
    text,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from hcbench.errors import StoreError
from hcbench.outcome import Measured, Outcome, Value
from hcbench.store_codec import decode_result
from hcbench.store_engine import (
    Place,
    explained,
    find_place,
    is_writable,
    open_engine,
    use_write_ahead_log,
)
from hcbench.store_rows import (
    OUTCOME_COLUMNS,
    Record,
    RunInfo,
    Stored,
    cell_row,
    from_json,
    matches,
    now,
    outcome_of_row,
    point_rows,
    run_info,
    run_row,
    stored_key,
    value_of_row,
    value_rows,
)
from hcbench.store_schema import (
    END,
    SCHEMA_VERSION,
    cells,
    meta,
    metadata,
    metric_values,
    points,
    run_cells,
    runs,
)

T = TypeVar("T")
CHUNK = 800  # below the 999 variables that old versions of SQLite allow
_ADVISORY_LOCK = 0x68636265  # "hcbe": two processes do not create the tables at once


class Store:
    """All that was ever measured.

    A file that does not exist is created when the first run begins, not by looking into it.

    Parameters
    ----------
    url : path or URL, optional
        A path, ``:memory:``, ``sqlite:///path`` or ``postgresql://user@host/database``; by default
        the environment variable HCBENCH_STORE, or else a file in the user's data directory.

    Attributes
    ----------
    location : str
        Where it is, without a password.
    read_only : bool
        Whether it cannot be written; then saving is an error, reading is not.

    Raises
    ------
    StoreError
        If it cannot be opened, is no store, or is one of another version of hcbench. All methods
        raise it when the database refuses; the message says what to do.
    """

    def __init__(self, url: str | Path | None = None) -> None:
        self._place = _default_place() if url is None else find_place(url)
        self.location = str(self._place)
        self.read_only = False
        self._exists = True
        with explained(self._place):
            self._engine = self._open()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    # ---- Opening ---------------------------------------------------------------------------------

    def _open(self) -> Engine:
        file = self._place.file
        if file is not None:
            if file.is_dir():
                raise StoreError(f"{file} is a folder; give a file, such as {file}/results.sqlite")
            if file.exists() and file.stat().st_size:
                self.read_only = not is_writable(file)
                return self._checked(open_engine(self._place, read_only=self.read_only))
        elif self._place.server is not None:
            return self._checked(open_engine(self._place))
        self._exists = file is None
        return _empty()

    def _checked(self, engine: Engine) -> Engine:
        """The engine, if its tables are ours; an empty one if there are none yet."""
        try:
            with _transaction(engine, reading=True) as connection:
                self._exists = self._has_tables(connection)
        except BaseException:
            engine.dispose()
            raise
        if self._exists:
            return engine
        engine.dispose()
        return _empty()

    def _has_tables(self, connection: Connection) -> bool:
        """Whether there are tables, which are checked."""
        present = set(inspect(connection).get_table_names())
        foreign = present if self._place.server is None else present & set(metadata.tables)
        version = None
        if meta.name in present:
            wanted = select(meta.c.value).where(meta.c.name == "hcbench schema")
            version = connection.execute(wanted).scalar()
        if version is None:
            if foreign:
                raise StoreError(
                    f"{self.location} is a database, but no store of hcbench; "
                    "give another place with --store"
                )
            return False
        if int(version) != SCHEMA_VERSION:
            newer = int(version) > SCHEMA_VERSION
            raise StoreError(
                f"{self.location} is a store of {'a newer' if newer else 'an older'} hcbench "
                f"(schema {version}, this one has {SCHEMA_VERSION}); "
                f"{'upgrade hcbench, or ' if newer else ''}give another place with --store"
            )
        return True

    def _create(self) -> None:
        """Make the tables, unless another process has just done so."""
        file = self._place.file
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
        engine = open_engine(self._place)
        try:
            use_write_ahead_log(engine, self._place)
            with _transaction(engine) as connection:
                if self._place.server is not None:
                    connection.execute(text(f"SELECT pg_advisory_xact_lock({_ADVISORY_LOCK})"))
                if not self._has_tables(connection):
                    _create_tables(connection)
        except BaseException:
            engine.dispose()
            raise
        self._engine.dispose()
        self._engine, self._exists = engine, True

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with explained(self._place), _transaction(self._engine, reading=True) as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with explained(self._place):
            if self.read_only:
                raise StoreError(
                    f"{self.location} cannot be written; change its permissions and those of its "
                    "folder, or give another place with --store"
                )
            if not self._exists:
                self._create()
            with _transaction(self._engine) as connection:
                yield connection

    def _upsert(self, connection: Connection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
        """Insert rows; one of the same primary key is replaced."""
        if rows:
            statement = _upsert_into(table, self._engine.dialect.name)
            connection.execute(statement, rows)

    # ---- Writing ---------------------------------------------------------------------------------

    def begin_run(self, *, command: str, suite: str, environment: Mapping[str, Any]) -> int:
        """Note that a run begins; its number."""
        with self._writing() as connection:
            done = connection.execute(runs.insert(), run_row(command, suite, environment))
            (number,) = done.inserted_primary_key or (0,)
            return int(number)

    def finish_run(self, run: int, interrupted: bool = False) -> None:
        """Note that a run has ended; one without an end was killed."""
        with self._writing() as connection:
            ended = update(runs).where(runs.c.id == run)
            connection.execute(ended.values(finished=now(), interrupted=interrupted))

    def save(self, run: int, records: Sequence[Record]) -> None:
        """Keep cells that a run has measured, all or none; what was kept of them is replaced."""
        by_key = {stored_key(record.outcome): record for record in records}
        saved = sorted(by_key.items())  # in one order, so that two writers do not wait in a circle
        cell_rows = [cell_row(run, key, record) for key, record in saved]
        points_of = [row for key, record in saved for row in point_rows(key, record.outcome)]
        values = [
            row
            for key, record in saved
            for row in value_rows(run, key, record.outcome.measured, record.metric_keys)
        ]
        if not cell_rows:
            return
        with self._writing() as connection:
            self._upsert(connection, cells, cell_rows)
            for chunk in _chunks(list(by_key)):
                connection.execute(delete(points).where(points.c.cell.in_(chunk)))
            if points_of:
                connection.execute(points.insert(), points_of)
            if values:
                connection.execute(metric_values.insert(), values)
            self._upsert(connection, run_cells, [{"run": run, "cell": key} for key, _ in saved])

    def save_values(
        self, run: int, key: str, measured: Sequence[Measured], metric_keys: Mapping[str, str]
    ) -> None:
        """Keep what more metrics say to a stored cell.

        Parameters
        ----------
        run : int
            That computed them.
        key : str
            Of the cell.
        measured : sequence of Measured
            Its checkpoints, and its end.
        metric_keys : mapping of label to key
            Of those metrics; other values are left as they are.
        """
        wanted = [
            replace(point, values={k: v for k, v in point.values.items() if k in metric_keys})
            for point in measured
        ]
        rows = value_rows(run, key, wanted, metric_keys)
        with self._writing() as connection:
            self._upsert(connection, metric_values, rows)
            self._upsert(connection, run_cells, [{"run": run, "cell": key}])

    def link(self, run: int, keys: Sequence[str]) -> None:
        """Note that a run reuses stored cells."""
        if keys:
            with self._writing() as connection:
                self._upsert(connection, run_cells, [{"run": run, "cell": key} for key in keys])

    # ---- Reading ---------------------------------------------------------------------------------

    def find(self, keys: Sequence[str], metric_keys: Mapping[str, str]) -> dict[str, Stored]:
        """What is stored of some cells.

        Parameters
        ----------
        keys : sequence of str
            Of the cells.
        metric_keys : mapping of label to key
            Of the metrics whose values are wanted.

        Returns
        -------
        dict of key to Stored
            Of those cells that are there. Without results, traceback and log.
        """
        found: dict[str, Stored] = {}
        columns = (*OUTCOME_COLUMNS, cells.c.timeout, cells.c.memory)
        with self._reading() as connection:
            for chunk in _chunks(keys):
                rows = connection.execute(select(*columns).where(cells.c.key.in_(chunk))).all()
                measured = _measured(connection, [row[0] for row in rows], metric_keys)
                for row in rows:
                    points_of = measured.get(row[0], ())
                    found[row[0]] = Stored(
                        outcome_of_row(row, points_of, reused=True),
                        row[-2],
                        row[-1],
                        tuple(
                            label
                            for label in metric_keys
                            if any(label not in point.values for point in points_of)
                        ),
                    )
        return found

    def results_of(self, key: str) -> tuple[Measured, ...]:
        """What a cell returned: its checkpoints in order, then its end, without values."""
        columns = (points.c.checkpoint, points.c.queries, points.c.result)
        with self._reading() as connection:
            rows = connection.execute(select(*columns).where(points.c.cell == key)).all()
            return tuple(
                Measured(
                    checkpoint=None if checkpoint == END else checkpoint,
                    queries=queries,
                    result=None if packed is None else decode_result(packed),
                )
                for checkpoint, queries, packed in sorted(rows, key=_in_order)
            )

    def runs(self) -> list[RunInfo]:
        """All runs, the latest last."""
        with self._reading() as connection:
            return list(_run_infos(connection).values())

    def run(self, id: int) -> RunInfo:  # noqa: A002  (the name of the column)
        """One run.

        Raises
        ------
        StoreError
            If there is none of that number.
        """
        with self._reading() as connection:
            found = _run_infos(connection, [id])
            if not found:
                last = connection.execute(select(func.max(runs.c.id))).scalar()
                there = f"the last is {last}" if last else "there are none yet"
                raise StoreError(f"{self.location} has no run {id}; {there}")
            return found[id]

    def outcomes(
        self,
        *,
        run: int | None = None,
        algorithm: str | None = None,
        dataset: str | None = None,
        oracle: str | None = None,
        status: str | None = None,
        limit: int | None = None,
    ) -> list[tuple[Outcome, RunInfo]]:
        """Stored outcomes, in the order in which they were measured.

        Parameters
        ----------
        run : int, optional
            Only the cells of this run, measured by it or reused.
        algorithm, dataset, oracle, status : str, optional
            A part of the label, or a pattern of the whole label with ``*`` and ``?``; without
            regard to case.
        limit : int, optional
            Only the latest so many.

        Returns
        -------
        list of (Outcome, RunInfo)
            With the latest value of every metric, and the run that measured it; without results,
            traceback and log.
        """
        wanted = select(*OUTCOME_COLUMNS, cells.c.run)
        if run is not None:
            self.run(run)
            wanted = wanted.join(run_cells, run_cells.c.cell == cells.c.key)
            wanted = wanted.where(run_cells.c.run == run)
        filters = {"algorithm": algorithm, "dataset": dataset, "oracle": oracle, "status": status}
        with self._reading() as connection:
            for name, pattern in filters.items():
                if pattern is not None:
                    wanted = wanted.where(_like(connection, cells.c[name], pattern))
            latest = wanted.order_by(cells.c.created.desc(), cells.c.key.desc()).limit(limit)
            rows = connection.execute(latest).all()[::-1]
            measured: dict[str, tuple[Measured, ...]] = {}
            for chunk in _chunks(rows):
                measured |= _measured(connection, [row[0] for row in chunk])
            infos = _run_infos(connection, sorted({row[-1] for row in rows}))
        return [
            (
                outcome_of_row(row, measured.get(row[0], ()), run not in (None, row[-1])),
                infos[row[-1]],
            )
            for row in rows
        ]

    def cell(self, key_prefix: str) -> tuple[Outcome, dict[str, Any]]:
        """One cell with traceback and log, and what makes it again.

        Parameters
        ----------
        key_prefix : str
            As many of the first digits of its key as make it unique.

        Raises
        ------
        StoreError
            If no cell begins so, or several do.
        """
        columns = (*OUTCOME_COLUMNS, cells.c.traceback, cells.c.log, cells.c.cell)
        begins = cells.c.key.startswith(key_prefix.lower(), autoescape=True)
        with self._reading() as connection:
            rows = connection.execute(select(*columns).where(begins).limit(6)).all()
            if not rows or not key_prefix:
                raise StoreError(
                    f"{self.location} has no cell {key_prefix!r}; `hcbench results` lists the keys"
                )
            if len(rows) > 1:
                some = ", ".join(row[0][: len(key_prefix) + 6] for row in rows[:5])
                raise StoreError(f"several cells begin with {key_prefix!r}: {some}, ...")
            (row,) = rows
            outcome = outcome_of_row(row, _measured(connection, [row[0]]).get(row[0], ()))
        outcome = replace(outcome, traceback=row.traceback, log=row.log)
        return outcome, from_json(row.cell)


def _default_place() -> Place:
    named = os.environ.get("HCBENCH_STORE")
    return find_place(named or Path(user_data_dir("hcbench"), "results.sqlite"))


@lru_cache
def _upsert_into(table: Table, dialect: str) -> Insert:
    """An insertion that replaces; of all SQL here, this alone is not the same for all."""
    insert = postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)
    values = {c.name: insert.excluded[c.name] for c in table.c if not c.primary_key}
    keys = list(table.primary_key)
    if not values:
        return insert.on_conflict_do_nothing(index_elements=keys)
    return insert.on_conflict_do_update(index_elements=keys, set_=values)


def _empty() -> Engine:
    """An empty store in memory."""
    engine = open_engine(Place())
    with _transaction(engine) as connection:
        _create_tables(connection)
    return engine


def _create_tables(connection: Connection) -> None:
    metadata.create_all(connection)
    connection.execute(meta.insert(), {"name": "hcbench schema", "value": str(SCHEMA_VERSION)})


@contextmanager
def _transaction(engine: Engine, *, reading: bool = False) -> Iterator[Connection]:
    """One transaction; what is raised inside undoes it."""
    with engine.connect() as plain:
        connection = plain.execution_options(hcbench_reading=reading)
        with connection.begin():
            yield connection


def _measured(
    connection: Connection, keys: Sequence[str], metric_keys: Mapping[str, str] | None = None
) -> dict[str, tuple[Measured, ...]]:
    """Points with values, without results, of at most `CHUNK` cells.

    Of the metrics that are wanted, by their keys; or of all, the latest value of each label.
    """
    if not keys:
        return {}
    value = metric_values.c
    wanted = select(
        value.cell,
        value.checkpoint,
        value.metric_key,
        value.metric,
        value.value,
        value.status,
        value.reason,
    ).where(value.cell.in_(keys))
    labels_of: dict[str, list[str]] = {}
    for label, key in (metric_keys or {}).items():
        labels_of.setdefault(key, []).append(label)
    if metric_keys is None:
        wanted = wanted.order_by(value.run)
    else:
        wanted = wanted.where(value.metric_key.in_(list(labels_of)))
    values: dict[tuple[str, int], dict[str, Value]] = {}
    for cell, checkpoint, metric_key, metric, number, status, reason in connection.execute(
        wanted
    ).all():
        at_point = values.setdefault((cell, checkpoint), {})
        for label in labels_of[metric_key] if metric_keys is not None else (metric,):
            at_point[label] = value_of_row(number, status, reason)
    columns = (points.c.checkpoint, points.c.queries, points.c.cell)
    found: dict[str, list[Measured]] = {}
    rows = connection.execute(select(*columns).where(points.c.cell.in_(keys))).all()
    for checkpoint, queries, cell in sorted(rows, key=_in_order):
        point = Measured(
            checkpoint=None if checkpoint == END else checkpoint,
            queries=queries,
            values=values.get((cell, checkpoint), {}),
        )
        found.setdefault(cell, []).append(point)
    return {cell: tuple(points_of) for cell, points_of in found.items()}


def _in_order(row: Sequence[Any]) -> tuple[bool, int]:
    """Checkpoints by their count, then the end."""
    return row[0] == END, row[0]


def _run_infos(connection: Connection, ids: Sequence[int] | None = None) -> dict[int, RunInfo]:
    """Runs with the number of their cells, of those reused and of those failed."""
    reused = case((cells.c.run != run_cells.c.run, 1), else_=0)
    failed = case((cells.c.status.in_(["ok", "skipped"]), 0), else_=1)
    counts = (
        select(run_cells.c.run, func.count(), func.sum(reused), func.sum(failed))
        .join(cells, cells.c.key == run_cells.c.cell)
        .group_by(run_cells.c.run)
    )
    wanted = select(runs).order_by(runs.c.id)
    if ids is not None:
        counts = counts.where(run_cells.c.run.in_(ids))
        wanted = wanted.where(runs.c.id.in_(ids))
    numbers = {row[0]: (row[1], row[2], row[3]) for row in connection.execute(counts)}
    return {
        row.id: run_info(row, *numbers.get(row.id, (0, 0, 0))) for row in connection.execute(wanted)
    }


def _like(connection: Connection, column: Column[Any], pattern: str) -> ColumnElement[bool]:
    labels = connection.execute(select(column).distinct()).scalars()
    return column.in_([label for label in labels if matches(label, pattern)])


def _chunks(items: Sequence[T]) -> Iterable[Sequence[T]]:
    return (items[start : start + CHUNK] for start in range(0, len(items), CHUNK))


__all__ = ["Record", "RunInfo", "Store", "Stored"]
