"""The store as other packages use it: runs begin and end, cells are saved and read."""

from __future__ import annotations

import itertools
import json
import os
import re
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import wraps
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeAlias, TypeVar

import sqlalchemy as sa
from platformdirs import user_data_dir

from hcbench.errors import DamagedRunError, StoreError
from hcbench.plan.outcome import STATUSES, Outcome, ScoredPoint, is_failure
from hcbench.store.database import Database, fetch, find_place
from hcbench.store.rows import (
    LEFT_OUT,
    Record,
    RunInfo,
    cell_row,
    from_json,
    now,
    point_rows,
    run_info,
    storable,
    stored_key,
    to_json,
    value_rows,
)
from hcbench.store.schema import (
    END,
    cells,
    has_summaries,
    metric_values,
    points,
    replies,
    run_cells,
    runs,
    summaries,
    upsert_into,
)

if TYPE_CHECKING:
    from hcbench.model.problem import Result
    from hcbench.plan.columns import Outcomes

LARGE = 50_000  # cells of a run: reading so many rows takes a second
P = ParamSpec("P")
T = TypeVar("T")
Patterns: TypeAlias = str | Sequence[str]


def _retried(method: Callable[Concatenate[Store, P], T]) -> Callable[Concatenate[Store, P], T]:
    """Repeat a method while the server is away; all of it is one transaction or none."""

    @wraps(method)
    def again(self: Store, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self.database.retry(lambda: method(self, *args, **kwargs))

    return again


class Store:
    """All results that were ever measured.

    A file that does not exist is created when the first run begins, not when it is opened.

    Parameters
    ----------
    url : path or URL, optional
        A path, ``:memory:``, ``sqlite:///path`` or ``postgresql://user@host/database``; by default
        the environment variable HCBENCH_STORE, or else a file in the user's data directory.
    read_only : bool
        Whether nothing may be written, whatever the permissions: the file stays as it is.

    Attributes
    ----------
    read_only : bool
        Whether it cannot be written; only saving is an error then.
    database : Database
        For the modules of this package.

    Raises
    ------
    StoreError
        If it cannot be opened, is not a store, or is a store of another version of hcbench. All
        methods raise it for an error of the database; the message says what to do.
    """

    def __init__(self, url: str | Path | None = None, *, read_only: bool = False) -> None:
        if url is None:
            default = Path(user_data_dir("hcbench"), "results.sqlite")
            url = os.environ.get("HCBENCH_STORE") or default
        self.database = Database(find_place(url), read_only=read_only)
        self.read_only = self.database.read_only

    @property
    def location(self) -> str:
        """Where it is, without a password."""
        return str(self.database.place)

    @property
    def address(self) -> str:
        """What opens it in another process, with a password; "" if it is in memory."""
        return self.database.place.address

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database."""
        self.database.close()

    # ---- Writing ---------------------------------------------------------------------------------

    @_retried
    def begin_run(
        self,
        *,
        command: str,
        suite: str,
        environment: Mapping[str, Any],
        layout: Mapping[str, Any] | None = None,
    ) -> int:
        """Record that a run begins; returns its number."""
        row = {
            "started": now(),
            "interrupted": False,
            "command": storable(command),
            "suite": storable(suite),
            "environment": to_json(environment),
            "layout": to_json(layout or {}),
        }
        with self.database.writing() as connection:
            done = connection.execute(runs.insert(), row)
            (number,) = done.inserted_primary_key or (0,)
            return int(number)

    @_retried
    def finish_run(self, run: int, interrupted: bool = False) -> None:
        """Record that a run has ended; a run without an end was killed.

        The cells of a large run that has measured most of them are stored in columns as well,
        unless it was interrupted.
        """
        with self.database.writing() as connection:
            ended = sa.update(runs).where(runs.c.id == run)
            connection.execute(ended.values(finished=now(), interrupted=interrupted))
            self._summarise(connection, run)
        with suppress(StoreError):  # others may have removed it
            info = self._numbered(run)
            if info.cells >= LARGE and 2 * info.reused < info.cells and not interrupted:
                self._large_run(info)

    def _summarise(self, connection: sa.Connection, run: int) -> None:
        numbers = _count_cells(connection, [run]).get(run, (0, 0, 0))
        row = dict(zip(summaries.c.keys(), (run, *numbers, None, None), strict=True))
        self.database.upsert(connection, summaries, [row])

    @_retried
    def save(self, run: int, records: Sequence[Record], *, fresh: bool = False) -> None:
        """Store cells that a run has measured, all or none.

        Parameters
        ----------
        run : int
        records : sequence of Record
            Inapplicable combinations are rows, which later runs of the same share.
        fresh : bool
            Whether they stand beside what older runs have measured of these cells. Otherwise
            another run has measured them at the same time: its rows stay, and where both have the
            same result, the cell is stored once, with the values of both.
        """
        by_key = {stored_key(record.outcome): record for record in records}
        if not by_key:
            return
        upsert = self.database.upsert
        with self.database.writing() as connection:
            there = sa.select(cells.c.key, cells.c.id, cells.c.run).order_by(cells.c.id)
            there = there.where(among(connection, cells.c.key, by_key))
            latest = {key: (row, by) for key, row, by in connection.execute(there)}
            unused = itertools.count(last_id(connection) + 1)
            new: dict[int, Record] = {}
            known: dict[int, Record] = {}
            for key, record in by_key.items():
                row, measured_by = latest.get(key, (0, 0))
                if row and measured_by == run:
                    new[row] = record
                elif row and not fresh and _agrees(connection, row, record):
                    known[row] = record
                else:
                    new[next(unused)] = record
            upsert(connection, cells, [cell_row(run, id_, record) for id_, record in new.items()])
            connection.execute(sa.delete(points).where(among(connection, points.c.cell, new)))
            rows = [row for id_, record in new.items() for row in point_rows(id_, record.outcome)]
            if rows:
                connection.execute(points.insert(), rows)
            values = [
                value
                for id_, record in {**new, **known}.items()
                for value in value_rows(run, id_, record.outcome.points, record.metric_keys)
            ]
            upsert(connection, metric_values, values, only_lost=True)
            upsert(connection, run_cells, [{"run": run, "cell": id_} for id_ in {**new, **known}])
            forget(connection, among(connection, run_cells.c.cell, {**new, **known}))

    @_retried
    def save_values(
        self, run: int, row: int, measured: Sequence[ScoredPoint], metric_keys: Mapping[str, str]
    ) -> None:
        """Store the values of more metrics for a stored cell.

        Parameters
        ----------
        run : int
            That computed them.
        row : int
            Of the cell, see `find`.
        measured : sequence of ScoredPoint
            Its checkpoints, and its end.
        metric_keys : mapping of label to key
            Of those metrics; other values are ignored.
        """
        with self.database.writing() as connection:
            values = value_rows(run, row, measured, metric_keys)
            self.database.upsert(connection, metric_values, values)
            self.database.upsert(connection, run_cells, [{"run": run, "cell": row}])
            forget(connection, run_cells.c.cell == row)

    @_retried
    def link(self, run: int, rows: Sequence[int]) -> list[int]:
        """Record that a run reuses stored cells, by their rows; returns those that are there."""
        if not rows:
            return []
        with self.database.writing() as connection:
            reused = sa.select(sa.literal(run), cells.c.id)
            reused = reused.where(among(connection, cells.c.id, rows))
            insert = upsert_into(run_cells, connection.dialect.name)
            connection.execute(insert.from_select(["run", "cell"], reused))
            connection.execute(sa.delete(summaries).where(summaries.c.run == run))
            linked = sa.select(run_cells.c.cell).where(run_cells.c.run == run)
            return [row for part in fetch(connection, linked) for (row,) in part]

    @_retried
    def save_reply(
        self, source: str, query: tuple[tuple[int, ...], int], reply: Sequence[float]
    ) -> None:
        """Store an answer of a paid oracle; workers call it, so that none is lost with the run.

        Parameters
        ----------
        source : str
            What decides the answers.
        query : (tuple of int, int)
            Its items, and how often it was made before.
        reply : (code, price, tokens, seconds, confidence, annotator)
            With NaN for an unknown confidence.
        """
        values = (source, json.dumps(query[0]), query[1], *map(storable, reply))
        row = dict(zip(replies.c.keys(), values, strict=True))
        with self.database.writing() as connection:
            self.database.upsert(connection, replies, [row])

    # ---- Reading ---------------------------------------------------------------------------------

    @_retried
    def replies(self, source: str) -> dict[tuple[tuple[int, ...], int], tuple[Any, ...]]:
        """The stored answers of a paid oracle, by query, as `save_reply` takes them."""
        wanted = sa.select(replies).where(replies.c.source == source)
        with self.database.reading() as connection:
            rows = connection.execute(wanted).all()
        known = [[nan if value is None else value for value in row[3:]] for row in rows]
        queries = [(tuple(json.loads(row.query)), row.time) for row in rows]
        return dict(zip(queries, map(tuple, known), strict=True))

    @_retried
    def all_replies(self) -> list[dict[str, Any]]:
        """Every stored answer of a paid oracle, by column; ``query`` are the items, as JSON."""
        wanted = sa.select(replies).order_by(*replies.primary_key)
        with self.database.reading() as connection:
            return [dict(row._mapping) for row in connection.execute(wanted)]

    @_retried
    def find(
        self,
        keys: Sequence[str],
        metric_keys: Mapping[str, str] | None = None,
        run: int | None = None,
    ) -> Outcomes:
        """The latest outcomes of some cells, as far as they are stored.

        Parameters
        ----------
        keys : sequence of str
            Of the cells; in this order the outcomes are.
        metric_keys : mapping of label to key, optional
            Of the metrics whose values are wanted; by default there are no points, and only the
            columns that decide whether a cell has to run.
        run : int, optional
            Only those that this run shows, which may have been measured again later.

        Returns
        -------
        Outcomes
            With the columns ``row``, ``timeout`` and ``memory``, see `Record`, without results,
            traceback and log.
        """
        from hcbench.store.reading import read_cells  # imports numpy

        wanted = sa.select(cells.c.id)
        with self.database.reading() as connection:
            if 2 * len(keys) <= last_id(connection):  # reading all is faster than choosing most
                wanted = wanted.where(among(connection, cells.c.key, keys))
        if run is not None:
            wanted = sa.select(run_cells.c.cell).where(run_cells.c.run == run)
        read = self._from_columns(wanted, metric_keys) if len(keys) >= LARGE else None
        if read is None:
            with self.database.reading() as connection:
                read = read_cells(
                    connection, wanted, metric_keys, 0, scored=metric_keys is not None
                )
        place = {key: i for i, key in enumerate(read.column("key").tolist())}  # the latest is last
        return read.take([place[key] for key in keys if key in place])

    @_retried
    def descriptions(self, run: int) -> dict[str, dict[str, Any]]:
        """From what the cells of a run can be run again, by their keys."""
        of_run = sa.select(run_cells.c.cell).where(run_cells.c.run == run)
        wanted = sa.select(cells.c.key, cells.c.cell).where(cells.c.id.in_(of_run))
        wanted = wanted.where(~cells.c.key.startswith(LEFT_OUT))
        with self.database.reading() as connection:
            return {key: from_json(written) for key, written in connection.execute(wanted)}

    @_retried
    def results_of(self, row: int) -> tuple[ScoredPoint, ...]:
        """The results of a cell: its checkpoints in order, then its end, without values."""
        from hcbench.store.codec import decode_result  # imports numpy, which reading does not need

        columns = (points.c.checkpoint, points.c.queries, points.c.result)
        with self.database.reading() as connection:
            of_row = sa.select(*columns).where(points.c.cell == row)
            rows = connection.execute(of_row.order_by(points.c.checkpoint == END, *columns[:1]))
            return tuple(
                ScoredPoint(
                    checkpoint=None if checkpoint == END else checkpoint,
                    queries=queries,
                    result=None if packed is None else decode_result(packed),
                )
                for checkpoint, queries, packed in rows
            )

    def result_of(self, outcome: Outcome, checkpoint: int | None = None) -> Result | None:
        """The result of a cell at a checkpoint or at the end; None if there is none.

        An outcome that a run has reused was read without its results.
        """
        points = outcome.points
        if outcome.key and all(point.result is None for point in points):
            rows = self.find([outcome.key]).column("row").tolist()
            points = tuple(point for row in rows for point in self.results_of(row))
        for point in points:
            if point.checkpoint == checkpoint:
                return point.result
        return None

    @_retried
    def mean_seconds(self) -> dict[tuple[str, str, str], float]:
        """The mean time of ok cells, by the labels of algorithm, data set and oracle."""
        labels = cells.c.algorithm, cells.c.dataset, cells.c.oracle
        means = sa.select(*labels, sa.func.avg(cells.c.seconds)).where(cells.c.status == "ok")
        with self.database.reading() as connection:
            rows = connection.execute(means.group_by(*labels)).all()
        return {(row[0], row[1], row[2]): row[3] for row in rows}

    @_retried
    def blas_kernels(self, run: int | None = None) -> set[str]:
        """The BLAS libraries, with their kernels, by which the cells of a run were measured.

        By default of the last run. All machines of a cluster count, whatever they measured.
        """
        with self.database.reading() as connection:
            texts = connection.execute(sa.select(runs.c.id, runs.c.environment)).all()
            kernels = {row: _blas_of(from_json(text)) for row, text in texts}
            run = max(kernels, default=0) if run is None else run
            others = [row for row, names in kernels.items() if names - kernels.get(run, set())]
            shown = sa.select(cells.c.run).join(run_cells, run_cells.c.cell == cells.c.id)
            shown = shown.where(run_cells.c.run == run, among(connection, cells.c.run, others))
            measured = connection.execute(shown.distinct()).scalars().all() if others else []
        return kernels.get(run, set()).union(*(kernels[row] for row in measured))

    @_retried
    def sizes(self, run: int) -> dict[str, int]:
        """How many items the data of a run have, by their digest, where a result is stored.

        Reads one result of each.
        """
        from hcbench.store.codec import count_items  # as above

        at_end = (points.c.checkpoint == END, points.c.result.is_not(None))
        one_of_each = (
            sa.select(cells.c.data_digest, sa.func.min(cells.c.id))
            .join(run_cells, run_cells.c.cell == cells.c.id)
            .join(points, points.c.cell == cells.c.id)
            .where(run_cells.c.run == run, cells.c.data_digest != "", *at_end)
            .group_by(cells.c.data_digest)
        )
        sizes: dict[str, int] = {}
        with self.database.reading() as connection:
            digest_of = {row: digest for digest, row in connection.execute(one_of_each)}
            wanted = sa.select(points.c.cell, points.c.result).where(*at_end)
            wanted = wanted.where(among(connection, points.c.cell, digest_of))
            for row, packed in connection.execute(wanted):
                with suppress(StoreError):  # a damaged result is no reason to show nothing
                    sizes[digest_of[row]] = count_items(packed)
        return sizes

    @_retried
    def runs(
        self,
        *,
        suites: Patterns = (),
        since: datetime | None = None,
        algorithms: Patterns = (),
    ) -> list[RunInfo]:
        """Runs, the latest last, with those that are damaged.

        Parameters
        ----------
        suites, algorithms : str or sequence of str, optional
            Only runs of these suites, or with cells of these algorithms; as for `outcomes`.
        since : datetime, optional
            Only runs that started then or later; local time if it has no time zone.
        """
        begin = since and since.astimezone()
        with self.database.reading() as connection:
            wanted = []
            if suites:
                wanted.append(_labels_like(connection, runs.c.suite, suites))
            if algorithms:
                shown = sa.select(run_cells.c.run).join(cells, cells.c.id == run_cells.c.cell)
                shown = shown.where(_labels_like(connection, cells.c.algorithm, algorithms))
                wanted.append(runs.c.id.in_(shown))
            infos = run_infos(connection, *wanted).values()
        return [i for i in infos if not i.removed and (begin is None or i.started >= begin)]

    def run(self, wanted: int | str | None = None) -> RunInfo:
        """A run by its number or name, the last of a suite, or the last of all.

        Raises
        ------
        StoreError
            If there is none, or it is damaged.
        """
        info = self.find_run(wanted)
        if info.damaged:
            raise DamagedRunError(
                f"run {info.id} of {self.location} is damaged: {info.damaged}; remove it with: "
                f"hcbench results rm {info.id}"
            )
        return info

    def find_run(self, wanted: int | str | None = None) -> RunInfo:
        """As `run`, also if it is damaged; the last of all is the last that is not."""
        if isinstance(wanted, int) or (wanted is not None and wanted.isdecimal()):
            return self._numbered(int(wanted))
        infos = self.runs()
        if not infos:
            raise StoreError(
                f"there are no runs in {self.location} yet; begin with: hcbench compare"
            )
        if wanted is None:
            return next((info for info in reversed(infos) if not info.damaged), infos[-1])
        for attribute in ("name", "suite"):
            for info in reversed(infos):
                if getattr(info, attribute).casefold() == wanted.casefold():
                    return info
        suites = ", ".join(dict.fromkeys(info.suite for info in infos if info.suite))
        raise StoreError(
            f"{self.location} has no run called {wanted!r}, nor of a suite {wanted!r}; there are "
            f"runs of {suites}"
        )

    @_retried
    def _numbered(self, number: int) -> RunInfo:
        with self.database.reading() as connection:
            info = run_infos(connection, runs.c.id == number).get(number)
            last = connection.execute(sa.select(sa.func.max(runs.c.id))).scalar()
        if info is None or info.removed:
            there = f"the last is {last}" if last else "there are none yet"
            raise StoreError(f"{self.location} has no run {number}; {there}")
        return info

    @_retried
    def outcomes(self, /, **chosen: Any) -> list[tuple[Outcome, RunInfo]]:
        """The outcomes that `cells` returns, each with the run that measured it."""
        read = self.cells(**chosen)
        numbers = read.column("run").tolist()
        with self.database.reading() as connection:
            infos = run_infos(connection, among(connection, runs.c.id, {*numbers}))
        return [(outcome, infos[by]) for outcome, by in zip(read, numbers, strict=True)]

    @_retried
    def cells(
        self, /, *, run: int | None = None, limit: int | None = None, **labels: Patterns
    ) -> Outcomes:
        """Stored outcomes, in the order in which they were measured.

        Parameters
        ----------
        run : int, optional
            Only the cells of this run, measured or reused by it; by default, the latest
            measurement of every cell.
        limit : int, optional
            At most this many, the latest.
        labels : str or sequence of str
            Of ``algorithm``, ``dataset``, ``oracle`` and ``status``: a part of the label, or a
            pattern of the whole label with ``*`` and ``?``; of several, any. Case is ignored.

        Returns
        -------
        Outcomes
            With the values of the metrics that the run asked for, otherwise the latest value of
            every metric, and the column ``run`` of the runs that measured them; without results,
            traceback and log.
        """
        info = None if run is None else self.run(run)
        if info is not None and info.cells >= LARGE and limit is None and not labels:
            return self._large_run(info)
        return self._read(info, limit, **labels)

    def _large_run(self, run: RunInfo) -> Outcomes:
        """The cells of a run, which are stored in columns at the latest when they are read."""
        from hcbench.store.columns import pack_outcomes

        shown = run_cells.alias()
        of_run = sa.select(shown.c.cell).where(shown.c.run == run.id)
        stored = self._from_columns(of_run, run.metric_keys or {}, run.id)
        if stored is not None and len(stored) == run.cells:
            return stored
        if self.read_only or not run.finished:
            return self._read(run)
        with suppress(StoreError), self.database.writing() as connection:
            self._summarise(connection, run.id)
        read = self._read(run)
        packed = pack_outcomes(read)
        # There is no row any more if others have changed the cells meanwhile.
        filled = sa.update(summaries).where(summaries.c.run == run.id)
        with suppress(StoreError), self.database.writing() as connection:  # SQLite takes 1 GB
            connection.execute(filled.values(packed=packed, checksum=zlib.crc32(packed)))
        return read

    def _from_columns(
        self, wanted: sa.Select[tuple[int]], metric_keys: Mapping[str, str] | None, run: int = 0
    ) -> Outcomes | None:
        """Cells of a large run that has all wanted rows and the same metrics, as ``run`` has them.

        None if there is no such run that is stored in columns.
        """
        from hcbench.store.columns import unpack_outcomes

        (row,) = wanted.selected_columns
        with self.database.reading() as connection:
            packed = sa.select(summaries.c.run).where(summaries.c.packed.is_not(None))
            are_there = has_summaries(connection)
            infos = run_infos(connection, runs.c.id.in_(packed)) if are_there else {}
            for number in sorted(infos, key=lambda number: (number == run, number), reverse=True):
                its_rows = sa.select(run_cells.c.cell).where(run_cells.c.run == number)
                others = wanted.where(~its_rows.where(run_cells.c.cell == row).exists())
                if number != run and (
                    metric_keys not in (None, infos[number].metric_keys)
                    or connection.execute(others.limit(1)).first()
                ):
                    continue
                columns = sa.select(summaries.c.packed, summaries.c.checksum)
                stored = connection.execute(columns.where(summaries.c.run == number)).one()
                if zlib.crc32(stored.packed) == stored.checksum:
                    with suppress(StoreError):
                        return unpack_outcomes(stored.packed, infos[number].cells).shown_by(run)
        return None

    def _read(self, info: RunInfo | None, limit: int | None = None, **labels: Patterns) -> Outcomes:
        from hcbench.store.reading import read_cells  # imports numpy

        run, metric_keys = (None, None) if info is None else (info.id, info.metric_keys)
        wanted = sa.select(cells.c.id).where(is_latest())
        if run is not None:
            wanted = sa.select(run_cells.c.cell).where(run_cells.c.run == run)
        if run is not None and labels:
            wanted = wanted.join(cells, run_cells.c.cell == cells.c.id)
        with self.database.reading() as connection:
            for name, pattern in labels.items():
                wanted = wanted.where(_labels_like(connection, cells.c[name], pattern))
            if limit is not None:  # the highest row is the latest: a clock may jump
                wanted = wanted.order_by(wanted.selected_columns[0].desc()).limit(limit)
            read = read_cells(connection, wanted, metric_keys, run)
            measured_by = {*read.column("run").tolist()}
            there = sa.select(runs.c.id).where(among(connection, runs.c.id, measured_by))
            lost = measured_by.difference(connection.execute(there).scalars())
        if lost:
            run = run or min(lost)
            raise DamagedRunError(
                f"run {run} of {self.location} is damaged: it shows cells of run {min(lost)}, "
                f"which is not there; remove it with: hcbench results rm {run}"
            )
        return read

    @_retried
    def cell(self, key_prefix: str) -> tuple[Outcome, dict[str, Any]]:
        """The latest measurement of a cell, with traceback and log, and how to run it again.

        Parameters
        ----------
        key_prefix : str
            Enough of the first digits of its key to make it unique.

        Raises
        ------
        StoreError
            If no cell, or several, begin with it.
        """
        from hcbench.store.reading import read_cells  # as above

        columns = (cells.c.id, cells.c.key, cells.c.traceback, cells.c.log, cells.c.cell)
        begins = cells.c.key.startswith(key_prefix.lower(), autoescape=True)
        with self.database.reading() as connection:
            rows = connection.execute(sa.select(*columns).where(begins, is_latest()).limit(6)).all()
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
            (outcome,) = read_cells(connection, sa.select(cells.c.id).where(cells.c.id == row.id))
            outcome = replace(outcome, traceback=row.traceback, log=row.log)
            return outcome, from_json(row.cell)


def among(
    connection: sa.Connection, column: sa.ColumnElement[T], items: Iterable[T]
) -> sa.ColumnElement[bool]:
    """A condition: a column has one of any number of values, which are sent as one parameter."""
    if connection.dialect.name == "postgresql":
        return column == sa.any_(sa.literal(list(items), sa.ARRAY(column.type)))
    listed = sa.func.json_each(json.dumps(list(items))).table_valued("value")
    return column.in_(sa.select(listed.c.value))


def last_id(connection: sa.Connection) -> int:
    """The highest id of a row of ``cells``, 0 if there is none."""
    return connection.execute(sa.select(sa.func.max(cells.c.id))).scalar() or 0


def _agrees(connection: sa.Connection, row: int, record: Record) -> bool:
    """Whether a row has the same end, data and results of its cell."""
    compared = ("status", "reason", "stopped", "data_digest")
    equal = [cells.c[name] == storable(getattr(record.outcome, name)) for name in compared]
    if not connection.execute(sa.select(cells.c.id).where(cells.c.id == row, *equal)).first():
        return False
    columns = ("checkpoint", "queries", "result")
    results = sa.select(*(points.c[name] for name in columns)).where(points.c.cell == row)
    return {tuple(point) for point in connection.execute(results)} == {
        tuple(point[name] for name in columns) for point in point_rows(row, record.outcome)
    }


def is_latest() -> sa.ColumnElement[bool]:
    """A condition: the cell was not measured again."""
    newer = cells.alias()
    again = sa.select(newer.c.id).where(newer.c.key == cells.c.key, newer.c.id > cells.c.id)
    return ~again.exists()


def run_infos(connection: sa.Connection, *conditions: sa.ColumnElement[bool]) -> dict[int, RunInfo]:
    """Runs with the number of their cells, of those reused and of those failed."""
    rows = connection.execute(sa.select(runs).where(*conditions).order_by(runs.c.id)).all()
    numbers = _read_counts(connection)
    numbers |= _count_cells(connection, [row.id for row in rows if row.id not in numbers])
    return {row.id: run_info(row, *numbers.get(row.id, ())) for row in rows}


def _read_counts(connection: sa.Connection) -> dict[int, tuple[int, ...]]:
    """As `_count_cells`, of the runs whose numbers are stored."""
    if not has_summaries(connection):
        return {}
    counts = sa.select(*(summaries.c[name] for name in ("run", "cells", "reused", "failed")))
    return {run: tuple(numbers) for run, *numbers in connection.execute(counts)}


def forget(connection: sa.Connection, *changed: sa.ColumnElement[bool]) -> None:
    """Remove the summaries of runs that show changed cells, by conditions of ``run_cells``."""
    shown = sa.select(run_cells.c.run).where(*changed)
    connection.execute(sa.delete(summaries).where(summaries.c.run.in_(shown)))


def _count_cells(connection: sa.Connection, wanted: Sequence[int]) -> dict[int, tuple[int, ...]]:
    """By run, the number of cells, of those reused and of those failed."""
    was_measured = cells.c.run != run_cells.c.run, ~cells.c.key.startswith(LEFT_OUT)
    reused = sa.case((sa.and_(*was_measured), 1), else_=0)
    failures = [status for status in STATUSES if is_failure(status)]
    failed = sa.case((cells.c.status.in_(failures), 1), else_=0)
    counts = (
        sa.select(run_cells.c.run, sa.func.count(), sa.func.sum(reused), sa.func.sum(failed))
        .join(cells, cells.c.id == run_cells.c.cell)
        .where(among(connection, run_cells.c.run, wanted))
        .group_by(run_cells.c.run)
    )
    return {run: tuple(numbers) for run, *numbers in connection.execute(counts)}


def _blas_of(environment: Any) -> set[str]:
    """Of all machines of a run; none of a damaged one."""
    with suppress(AttributeError, TypeError):
        machines = [environment.get("machine", {}), *environment.get("workers", ())]
        return {str(machine["blas"]) for machine in machines if machine.get("blas")}
    return set()


def _labels_like(
    connection: sa.Connection, column: sa.Column[Any], patterns: str | Sequence[str]
) -> sa.ColumnElement[bool]:
    """A condition: a label is one of `labels_like`."""
    labels = connection.execute(sa.select(column).distinct()).scalars()
    return column.in_(labels_like(labels, patterns))


def labels_like(labels: Iterable[str], patterns: Patterns) -> list[str]:
    """The labels that contain one of these texts, or match one that has wildcards.

    Wildcards are ``*`` and ``?``. Case is ignored, in any script.
    """
    texts = [patterns] if isinstance(patterns, str) else patterns
    folded = [re.escape(text.casefold()) for text in texts]
    wildcards = [text.replace(r"\*", ".*").replace(r"\?", ".") for text in folded]
    parts = [f".*{text}.*" for text in folded]
    matches = re.compile("|".join([*parts, *wildcards]), re.DOTALL).fullmatch
    return [label for label in labels if matches(label.casefold())]
