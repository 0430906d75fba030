"""The store: what became of every cell that was ever run, so that none runs twice.

The main process alone writes it, in short transactions. SQLite by default, PostgreSQL by URL.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from platformdirs import user_data_dir
from sqlalchemy import (
    Connection,
    Engine,
    Table,
    delete,
    func,
    select,
    text,
    update,
)

from hcbench.errors import StoreError
from hcbench.outcome import Measured, Outcome
from hcbench.store_codec import decode_result
from hcbench.store_engine import (
    Place,
    explained,
    find_place,
    is_writable,
    open_engine,
    transaction,
    use_write_ahead_log,
)
from hcbench.store_queries import (
    chunks,
    collector_paused,
    in_order,
    labels_like,
    measured_points,
    run_infos,
)
from hcbench.store_rows import (
    OUTCOME_COLUMNS,
    Record,
    RunInfo,
    Stored,
    cell_row,
    from_json,
    now,
    outcome_of_row,
    point_rows,
    run_row,
    stored_key,
    value_rows,
)
from hcbench.store_schema import (
    END,
    cells,
    create_tables,
    has_tables,
    metric_values,
    points,
    run_cells,
    runs,
    upsert_into,
)

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
            with transaction(engine, reading=True) as connection:
                self._exists = self._has_tables(connection)
        except BaseException:
            engine.dispose()
            raise
        if self._exists:
            return engine
        engine.dispose()
        return _empty()

    def _has_tables(self, connection: Connection) -> bool:
        return has_tables(connection, self.location, shared=self._place.server is not None)

    def _create(self) -> None:
        """Make the tables, unless another process has just done so."""
        file = self._place.file
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
        engine = open_engine(self._place)
        try:
            use_write_ahead_log(engine, self._place)
            with transaction(engine) as connection:
                if self._place.server is not None:
                    connection.execute(text(f"SELECT pg_advisory_xact_lock({_ADVISORY_LOCK})"))
                if not self._has_tables(connection):
                    create_tables(connection)
        except BaseException:
            engine.dispose()
            raise
        self._engine.dispose()
        self._engine, self._exists = engine, True

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with explained(self._place), transaction(self._engine, reading=True) as connection:
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
            with transaction(self._engine) as connection:
                yield connection

    def _upsert(self, connection: Connection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
        """Insert rows; one of the same primary key is replaced."""
        if rows:
            statement = upsert_into(table, self._engine.dialect.name)
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
            for chunk in chunks(list(by_key)):
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
        with collector_paused(), self._reading() as connection:
            for chunk in chunks(keys):
                rows = connection.execute(select(*columns).where(cells.c.key.in_(chunk))).all()
                measured = measured_points(connection, [row[0] for row in rows], metric_keys)
                for row in rows:
                    points_of = measured.get(row[0], ())
                    missing = [
                        label
                        for label in (() if _is_complete(points_of, metric_keys) else metric_keys)
                        if any(label not in point.values for point in points_of)
                    ]
                    outcome = outcome_of_row(row, points_of, reused=True)
                    found[row[0]] = Stored(outcome, row[-2], row[-1], tuple(missing))
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
                for checkpoint, queries, packed in sorted(rows, key=in_order)
            )

    def runs(self) -> list[RunInfo]:
        """All runs, the latest last."""
        with self._reading() as connection:
            return list(run_infos(connection).values())

    def run(self, id: int) -> RunInfo:  # noqa: A002  (the name of the column)
        """One run.

        Raises
        ------
        StoreError
            If there is none of that number.
        """
        with self._reading() as connection:
            found = run_infos(connection, [id])
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
        with collector_paused(), self._reading() as connection:
            for name, pattern in filters.items():
                if pattern is not None:
                    wanted = wanted.where(labels_like(connection, cells.c[name], pattern))
            latest = wanted.order_by(cells.c.created.desc(), cells.c.key.desc()).limit(limit)
            rows = connection.execute(latest).all()[::-1]
            measured: dict[str, tuple[Measured, ...]] = {}
            for chunk in chunks(rows):
                measured |= measured_points(connection, [row[0] for row in chunk])
            infos = run_infos(connection, sorted({row[-1] for row in rows}))
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
                more = ", ..." if len(rows) > 5 else ""
                raise StoreError(f"several cells begin with {key_prefix!r}: {some}{more}")
            (row,) = rows
            outcome = outcome_of_row(row, measured_points(connection, [row[0]]).get(row[0], ()))
        outcome = replace(outcome, traceback=row.traceback, log=row.log)
        return outcome, from_json(row.cell)


def _default_place() -> Place:
    named = os.environ.get("HCBENCH_STORE")
    return find_place(named or Path(user_data_dir("hcbench"), "results.sqlite"))


def _is_complete(points_of: Sequence[Measured], wanted: Mapping[str, str]) -> bool:
    """Whether all wanted values are there, told by their number, which is quick."""
    return all(len(point.values) == len(wanted) for point in points_of)


def _empty() -> Engine:
    """An empty store in memory."""
    engine = open_engine(Place())
    with transaction(engine) as connection:
        create_tables(connection)
    return engine


__all__ = ["Record", "RunInfo", "Store", "Stored"]
