"""What all others use of the store: runs begin and end, cells are saved and found."""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from platformdirs import user_data_dir
from sqlalchemy import Connection, delete, func, select, update

from hcbench.errors import StoreError
from hcbench.outcome import Measured, Outcome
from hcbench.store.codec import decode_result
from hcbench.store.database import Database
from hcbench.store.engine import Place, find_place
from hcbench.store.queries import (
    agrees,
    chunks,
    collector_paused,
    in_order,
    is_latest,
    labels_like,
    latest_ids,
    measured_points,
    run_infos,
    written_by,
)
from hcbench.store.rows import (
    OUTCOME_COLUMNS,
    Record,
    RunInfo,
    Stored,
    cell_row,
    from_json,
    is_final,
    now,
    outcome_of_row,
    point_rows,
    run_row,
    stored_key,
    value_rows,
)
from hcbench.store.schema import END, cells, metric_values, points, run_cells, runs


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
        self._database = Database(_default_place() if url is None else find_place(url))
        self.location = self._database.location
        self.read_only = self._database.read_only

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()

    # ---- Writing ---------------------------------------------------------------------------------

    def begin_run(
        self,
        *,
        command: str,
        suite: str,
        environment: Mapping[str, Any],
        layout: Mapping[str, Any] | None = None,
    ) -> int:
        """Note that a run begins; its number."""
        row = run_row(command, suite, environment, layout or {})
        with self._database.writing() as connection:
            done = connection.execute(runs.insert(), row)
            (number,) = done.inserted_primary_key or (0,)
            return int(number)

    def finish_run(self, run: int, interrupted: bool = False) -> None:
        """Note that a run has ended; one without an end was killed."""
        with self._database.writing() as connection:
            ended = update(runs).where(runs.c.id == run)
            connection.execute(ended.values(finished=now(), interrupted=interrupted))

    def save(self, run: int, records: Sequence[Record], *, fresh: bool = False) -> None:
        """Keep cells that a run has measured, all or none.

        Parameters
        ----------
        run : int
        records : sequence of Record
            Combinations that cannot be are rows of this run alone.
        fresh : bool
            Whether they stand beside what older runs have measured of these cells. Otherwise
            another run has measured them at the same time: what it kept stays, and where both have
            the same result, the cell is kept once, with the values of both.
        """
        by_key = {stored_key(record.outcome): record for record in records}
        if not by_key:
            return
        known = [key for key, record in by_key.items() if record.outcome.key and not fresh]
        with self._database.writing() as connection:
            latest, last = latest_ids(connection, known)
            unused = itertools.count(last + 1)
            own = written_by(connection, run, list(latest.values()))
            saved = []
            for key, record in by_key.items():
                row = latest.get(key)
                if row is None or row in own:
                    saved.append((next(unused) if row is None else row, record))
                elif agrees(connection, row, record):
                    self._add_values(connection, run, row, record)
                else:
                    saved.append((next(unused), record))
            for chunk in chunks(list(own)):
                connection.execute(delete(points).where(points.c.cell.in_(chunk)))
            self._insert(connection, run, saved)

    def _add_values(self, connection: Connection, run: int, row: int, record: Record) -> None:
        """Keep those values of a cell that no other run has."""
        key = (metric_values.c.checkpoint, metric_values.c.metric_key)
        final = is_final(metric_values.c.status)
        there = select(*key).where(metric_values.c.cell == row, final)
        known = {tuple(kept) for kept in connection.execute(there)}
        values = value_rows(run, row, record.outcome.measured, record.metric_keys)
        missing = [v for v in values if (v["checkpoint"], v["metric_key"]) not in known]
        self._database.upsert(connection, metric_values, missing)
        self._database.upsert(connection, run_cells, [{"run": run, "cell": row}])

    def _insert(
        self, connection: Connection, run: int, saved: Sequence[tuple[int, Record]]
    ) -> None:
        """Write rows of cells and all that belongs to them; there may be a row, but no points."""
        points_of = [row for id_, record in saved for row in point_rows(id_, record.outcome)]
        values = [
            row
            for id_, record in saved
            for row in value_rows(run, id_, record.outcome.measured, record.metric_keys)
        ]
        upsert = self._database.upsert
        upsert(connection, cells, [cell_row(run, id_, record) for id_, record in saved])
        if points_of:
            connection.execute(points.insert(), points_of)
        if values:
            connection.execute(metric_values.insert(), values)
        upsert(connection, run_cells, [{"run": run, "cell": id_} for id_, _ in saved])

    def save_values(
        self, run: int, row: int, measured: Sequence[Measured], metric_keys: Mapping[str, str]
    ) -> None:
        """Keep what more metrics say to a stored cell.

        Parameters
        ----------
        run : int
            That computed them.
        row : int
            Of the cell, as it was found.
        measured : sequence of Measured
            Its checkpoints, and its end.
        metric_keys : mapping of label to key
            Of those metrics; other values are left as they are.
        """
        wanted = [
            replace(point, values={k: v for k, v in point.values.items() if k in metric_keys})
            for point in measured
        ]
        rows = value_rows(run, row, wanted, metric_keys)
        with self._database.writing() as connection:
            self._database.upsert(connection, metric_values, rows)
            self._database.upsert(connection, run_cells, [{"run": run, "cell": row}])

    def link(self, run: int, rows: Sequence[int]) -> None:
        """Note that a run reuses stored cells, by their rows."""
        if rows:
            with self._database.writing() as connection:
                links = [{"run": run, "cell": row} for row in rows]
                self._database.upsert(connection, run_cells, links)

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
        with collector_paused(), self._database.reading() as connection:
            for chunk in chunks(keys):
                wanted = select(*columns).where(cells.c.key.in_(chunk)).order_by(cells.c.id)
                latest = {row[1]: row for row in connection.execute(wanted).all()}
                ids = [row[0] for row in latest.values()]
                measured = measured_points(connection, ids, metric_keys)
                for key, row in latest.items():
                    points_of = measured.get(row[0], ())
                    missing = [
                        label
                        for label in (() if _is_complete(points_of, metric_keys) else metric_keys)
                        if not all(_is_final(point, label) for point in points_of)
                    ]
                    outcome = outcome_of_row(row, points_of, reused=True)
                    found[key] = Stored(row[0], outcome, row[-2], row[-1], tuple(missing))
        return found

    def results_of(self, row: int) -> tuple[Measured, ...]:
        """What a cell returned: its checkpoints in order, then its end, without values."""
        columns = (points.c.checkpoint, points.c.queries, points.c.result)
        with self._database.reading() as connection:
            rows = connection.execute(select(*columns).where(points.c.cell == row)).all()
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
        with self._database.reading() as connection:
            return list(run_infos(connection).values())

    def run(self, id: int) -> RunInfo:  # noqa: A002  (the name of the column)
        """One run.

        Raises
        ------
        StoreError
            If there is none of that number.
        """
        with self._database.reading() as connection:
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
            Only the cells of this run, measured by it or reused, as they were then; without it
            every cell as it was measured last.
        algorithm, dataset, oracle, status : str, optional
            A part of the label, or a pattern of the whole label with ``*`` and ``?``; without
            regard to case.
        limit : int, optional
            Only the latest so many.

        Returns
        -------
        list of (Outcome, RunInfo)
            With the values of the metrics that the run asked for, otherwise the latest value of
            every metric, and the run that measured it; without results, traceback and log.
        """
        wanted = select(*OUTCOME_COLUMNS, cells.c.run)
        metric_keys = None
        if run is None:
            wanted = wanted.where(is_latest())
        else:
            metric_keys = self.run(run).metric_keys
            wanted = wanted.join(run_cells, run_cells.c.cell == cells.c.id)
            wanted = wanted.where(run_cells.c.run == run)
        filters = {"algorithm": algorithm, "dataset": dataset, "oracle": oracle, "status": status}
        with collector_paused(), self._database.reading() as connection:
            for name, pattern in filters.items():
                if pattern is not None:
                    wanted = wanted.where(labels_like(connection, cells.c[name], pattern))
            latest = wanted.order_by(cells.c.created.desc(), cells.c.id.desc()).limit(limit)
            rows = connection.execute(latest).all()[::-1]
            measured: dict[int, tuple[Measured, ...]] = {}
            for chunk in chunks(rows):
                measured |= measured_points(connection, [row[0] for row in chunk], metric_keys)
            infos = run_infos(connection, sorted({row[-1] for row in rows}))
        return [
            (
                outcome_of_row(row, measured.get(row[0], ()), run not in (None, row[-1])),
                infos[row[-1]],
            )
            for row in rows
        ]

    def cell(self, key_prefix: str) -> tuple[Outcome, dict[str, Any]]:
        """One cell, as it was measured last, with traceback and log, and what makes it again.

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
        with self._database.reading() as connection:
            rows = connection.execute(select(*columns).where(begins, is_latest()).limit(6)).all()
            if not rows or not key_prefix:
                raise StoreError(
                    f"{self.location} has no cell {key_prefix!r}; the keys of failures are in "
                    "`hcbench results show`, those of all cells in `hcbench results export`"
                )
            if len(rows) > 1:
                some = ", ".join(row.key[: len(key_prefix) + 6] for row in rows[:5])
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
    return all(
        len(point.values) == len(wanted) and all(v.final for v in point.values.values())
        for point in points_of
    )


def _is_final(point: Measured, label: str) -> bool:
    return label in point.values and point.values[label].final
