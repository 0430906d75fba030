"""The store as other packages use it: runs begin and end, cells are saved and read."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar

import sqlalchemy as sa
from platformdirs import user_data_dir

from hcbench.errors import DamagedRunError, StoreError
from hcbench.model.text import shell_command
from hcbench.plan.outcome import Outcome, ScoredPoint
from hcbench.store.conditions import Patterns, among, is_latest, label_is_like, last_id
from hcbench.store.database import Database, fetch
from hcbench.store.finding import choose_run, find_cell
from hcbench.store.large_runs import read_columns, write_columns
from hcbench.store.machines import blas_kernels
from hcbench.store.paid_answers import answer_row, read_answers
from hcbench.store.places import find_place
from hcbench.store.rows import (
    LEFT_OUT,
    RunInfo,
    cell_row,
    from_json,
    now,
    point_rows,
    storable,
    to_json,
    value_rows,
)
from hcbench.store.saving import assign_rows
from hcbench.store.schema import (
    cells,
    in_order_of_key,
    metric_values,
    points,
    replies,
    run_cells,
    runs,
    summaries,
    upsert_into,
)
from hcbench.store.summaries import count_cells, forget, run_infos

if TYPE_CHECKING:
    from hcbench.model.problem import Result
    from hcbench.plan.columns import Outcomes
    from hcbench.plan.time_estimates import StoredTime

# Cells of a large run: reading so many rows takes a second.
_LARGE_RUN = 50_000
P = ParamSpec("P")
T = TypeVar("T")


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
    large_run : int
        A run of so many cells is stored in columns as well, from which it is read much faster.

    Raises
    ------
    StoreError
        If it cannot be opened, is not a store, or is a store of another version of hcbench. All
        methods raise it for an error of the database; the message says what to do.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [5.0], [6.0]])
    >>> results = hcbench.compare(
    ...     ["Single", "UPGMA"], X, store="results.sqlite", progress=False, repetitions=1
    ... )
    >>> with Store("results.sqlite", read_only=True) as store:
    ...     run = store.run()  # the last one
    ...     for outcome in store.cells(run=run.id, algorithm="single"):
    ...         print(outcome.algorithm, outcome.status)
    Single ok
    """

    def __init__(self, url: str | Path | None = None, *, read_only: bool = False) -> None:
        # Commands that are printed name the store, unless they find it anyway.
        self._is_named = url is not None
        if url is None:
            default = Path(user_data_dir("hcbench"), "results.sqlite")
            url = os.environ.get("HCBENCH_STORE") or default
        self.database = Database(find_place(url), read_only=read_only)
        self.read_only = self.database.read_only
        self.large_run = _LARGE_RUN

    @property
    def location(self) -> str:
        """Where it is, without a password."""
        return str(self.database.place)

    @property
    def address(self) -> str:
        """What opens it in another process, with a password; "" if it is in memory."""
        return self.database.place.address

    def command(self, *words: str) -> str:
        """A command of ``hcbench`` for this store, as it is printed; its password is left out."""
        command = ["hcbench"] + list(words)
        if self._is_named:
            command += ["--store", self.location]
        return shell_command(*command)

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
        # Others may have removed it.
        with suppress(StoreError):
            info = self._numbered(run)
            if info.cells >= self.large_run and 2 * info.reused < info.cells and not interrupted:
                self._large_run(info)

    def _summarise(self, connection: sa.Connection, run: int) -> None:
        """Store how many cells a run has; columns of its cells are not valid any more."""
        n_cells, n_reused, n_failed = count_cells(connection, [run]).get(run, (0, 0, 0))
        row = {
            "run": run,
            "cells": n_cells,
            "reused": n_reused,
            "failed": n_failed,
            "packed": None,
            "checksum": None,
        }
        self.database.upsert(connection, summaries, [row])

    @_retried
    def save(
        self,
        run: int,
        outcomes: Sequence[Outcome],
        metric_keys: Mapping[str, str],
        *,
        descriptions: Mapping[str, Mapping[str, Any]] | None = None,
        limits: Mapping[str, float | None] | None = None,
        fresh: bool = False,
    ) -> None:
        """Store cells that a run has measured, all or none.

        Parameters
        ----------
        run : int
        outcomes : sequence of Outcome
            With results. Inapplicable combinations are rows, which later runs of the same share.
        metric_keys : mapping of metric label to key
            The key is a hash of the metric's identity. Values of metrics without one are ignored.
        descriptions : mapping of the key of a cell to mapping, optional
            Names, parameters, fingerprints, hints and seeds of the cells, as plain values.
        limits : mapping, optional
            The ``timeout`` and ``memory`` that were in force, in s and GiB.
        fresh : bool
            Whether they stand beside what older runs have measured of these cells. Otherwise
            another run has measured them at the same time: its rows stay, and where both have the
            same result, the cell is stored once, with the values of both.
        """
        if not outcomes:
            return
        descriptions = descriptions or {}
        with self.database.writing() as connection:
            new, agreeing = assign_rows(connection, run, outcomes, fresh=fresh)
            rows = []
            for row, outcome in new.items():
                description = descriptions.get(outcome.key, {})
                rows.append(cell_row(run, row, outcome, description, limits or {}))
            self._write_cells(connection, rows, new)
            values = []
            links = []
            for row, outcome in (new | agreeing).items():
                values += value_rows(run, row, outcome.points, metric_keys)
                links.append({"run": run, "cell": row})
            self.database.upsert(connection, metric_values, values, only_lost=True)
            self.database.upsert(connection, run_cells, links)
            forget(connection, among(connection, run_cells.c.cell, new | agreeing))

    def _write_cells(
        self,
        connection: sa.Connection,
        rows: Sequence[dict[str, Any]],
        outcomes: Mapping[int, Outcome],
    ) -> None:
        """Write cells and their points into their rows, in place of what is there."""
        self.database.upsert(connection, cells, rows)
        connection.execute(sa.delete(points).where(among(connection, points.c.cell, outcomes)))
        of_points = []
        for row, outcome in outcomes.items():
            of_points += point_rows(row, outcome)
        if of_points:
            connection.execute(points.insert(), of_points)

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
            linked_rows = []
            for part in fetch(connection, linked):
                for (row,) in part:
                    linked_rows.append(row)
            return linked_rows

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
        row = answer_row(source, query, reply)
        with self.database.writing() as connection:
            self.database.upsert(connection, replies, [row])

    # ---- Reading ---------------------------------------------------------------------------------

    @_retried
    def replies(self, source: str) -> dict[tuple[tuple[int, ...], int], tuple[Any, ...]]:
        """The stored answers of a paid oracle, by query, as `save_reply` takes them."""
        with self.database.reading() as connection:
            return read_answers(connection, source)

    @_retried
    def all_replies(self) -> list[dict[str, Any]]:
        """Every stored answer of a paid oracle, by column; ``query`` are the items, as JSON."""
        with self.database.reading() as connection:
            return list(map(dict, connection.execute(in_order_of_key(replies)).mappings()))

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
            Of the metrics whose values are read; by default there are no points, and only the
            columns that decide whether a cell has to run.
        run : int, optional
            Only those that this run shows, which may have been measured again later.

        Returns
        -------
        Outcomes
            With the columns ``row``, ``timeout`` and ``memory``, see `Record`, without results,
            traceback and log.
        """
        # Not imported above, as it imports numpy.
        from hcbench.store.reading import read_cells

        if run is None:
            rows = sa.select(cells.c.id)
            with self.database.reading() as connection:
                # Reading all cells is faster than choosing most of them.
                if 2 * len(keys) <= last_id(connection):
                    rows = rows.where(among(connection, cells.c.key, keys))
        else:
            rows = sa.select(run_cells.c.cell).where(run_cells.c.run == run)
        stored = None
        if len(keys) >= self.large_run:
            stored = read_columns(self.database, rows, metric_keys)
        if stored is None:
            is_scored = metric_keys is not None
            with self.database.reading() as connection:
                stored = read_cells(connection, rows, metric_keys, 0, scored=is_scored)
        # Of several measurements of a cell the latest is last, and replaces the others here.
        places = {}
        for place, key in enumerate(stored.column("key").tolist()):
            places[key] = place
        places_in_order = [places[key] for key in keys if key in places]
        return stored.take(places_in_order)

    @_retried
    def descriptions(self, run: int) -> dict[str, dict[str, Any]]:
        """From what the cells of a run can be run again, by their keys."""
        of_run = sa.select(run_cells.c.cell).where(run_cells.c.run == run)
        described = sa.select(cells.c.key, cells.c.cell).where(cells.c.id.in_(of_run))
        # Inapplicable combinations have a row, but cannot be run.
        described = described.where(~cells.c.key.startswith(LEFT_OUT))
        with self.database.reading() as connection:
            return {key: from_json(text) for key, text in connection.execute(described)}

    @_retried
    def results_of(self, row: int) -> tuple[ScoredPoint, ...]:
        """The results of a cell: its checkpoints in order, then its end, without values."""
        # Not imported above, as it imports numpy.
        from hcbench.store.results import read_results

        with self.database.reading() as connection:
            return read_results(connection, row)

    def result_of(self, outcome: Outcome, checkpoint: int | None = None) -> Result | None:
        """The result of a cell at a checkpoint or at the end; None if there is none.

        An outcome that a run has reused was read without its results.
        """
        scored_points = outcome.points
        if outcome.key and all(point.result is None for point in scored_points):
            # At most one row, as a key is found once.
            for row in self.find([outcome.key]).column("row").tolist():
                scored_points = self.results_of(row)
        for point in scored_points:
            if point.checkpoint == checkpoint:
                return point.result
        return None

    @_retried
    def stored_times(self) -> list[StoredTime]:
        """How long the calls that ended well took, and how many items their data have."""
        # Not imported above, as reading results imports numpy.
        from hcbench.store.durations import stored_times

        with self.database.reading() as connection:
            return stored_times(connection)

    @_retried
    def blas_kernels(self, run: int | None = None) -> set[str]:
        """The BLAS libraries, with their kernels, by which the cells of a run were measured.

        By default of the last run. All machines of a cluster count, whatever they measured.
        """
        with self.database.reading() as connection:
            return blas_kernels(connection, run)

    @_retried
    def sizes(self, run: int) -> dict[str, int]:
        """How many items the data of a run have, by their digest, where a result is stored.

        Reads one result of each.
        """
        # Not imported above, as it imports numpy.
        from hcbench.store.sizes import sizes_of_data

        with self.database.reading() as connection:
            return sizes_of_data(connection, run)

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
        with self.database.reading() as connection:
            conditions = []
            if suites:
                conditions.append(label_is_like(connection, runs.c.suite, suites))
            if algorithms:
                with_cells = sa.select(run_cells.c.run).join(cells, cells.c.id == run_cells.c.cell)
                is_like = label_is_like(connection, cells.c.algorithm, algorithms)
                conditions.append(runs.c.id.in_(with_cells.where(is_like)))
            infos = run_infos(connection, *conditions).values()
        listed_infos = []
        for info in infos:
            is_early = since is not None and info.started < since.astimezone()
            # The row of a removed run stays while other runs show what it measured.
            if not info.removed and not is_early:
                listed_infos.append(info)
        return listed_infos

    def run(self, number_or_name: int | str | None = None) -> RunInfo:
        """A run by its number or name, the last of a suite, or the last of all.

        Raises
        ------
        StoreError
            If there is none, or it is damaged.
        """
        info = self.find_run(number_or_name)
        if info.damaged:
            raise DamagedRunError(
                f"run {info.id} of {self.location} is damaged: {info.damaged}; remove it with: "
                f"{self.command('results', 'rm', str(info.id))}"
            )
        return info

    def find_run(self, number_or_name: int | str | None = None) -> RunInfo:
        """As `run`, also if it is damaged; the last of all is the last that is not.

        A run that ended with an error before it had any results is not the last one.
        """
        if isinstance(number_or_name, int):
            return self._numbered(number_or_name)
        if number_or_name is not None and number_or_name.isdecimal():
            return self._numbered(int(number_or_name))
        return choose_run(self.runs(), number_or_name, self.location)

    @_retried
    def _numbered(self, number: int) -> RunInfo:
        with self.database.reading() as connection:
            info = run_infos(connection, runs.c.id == number).get(number)
            last = connection.execute(sa.select(sa.func.max(runs.c.id))).scalar()
        if info is None or info.removed:
            available = "there are none yet"
            if last:
                available = f"the last is {last}"
            raise StoreError(f"{self.location} has no run {number}; {available}")
        return info

    @_retried
    def outcomes(self, /, **selection: Any) -> list[tuple[Outcome, RunInfo]]:
        """The outcomes that `cells` returns, each with the run that measured it."""
        outcomes = self.cells(**selection)
        measured_by = outcomes.column("run").tolist()
        with self.database.reading() as connection:
            infos = run_infos(connection, among(connection, runs.c.id, set(measured_by)))
        infos_in_order = [infos[number] for number in measured_by]
        return list(zip(outcomes, infos_in_order, strict=True))

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
        info = None
        if run is not None:
            info = self.run(run)
        if info is not None and info.cells >= self.large_run and limit is None and not labels:
            return self._large_run(info)
        return self._read(info, limit, **labels)

    def _large_run(self, run: RunInfo) -> Outcomes:
        """The cells of a run, which are stored in columns at the latest when they are read."""
        from hcbench.store.columns import pack_outcomes

        # Under another name, as the query becomes part of one of the same table.
        links = run_cells.alias()
        of_run = sa.select(links.c.cell).where(links.c.run == run.id)
        stored = read_columns(self.database, of_run, run.metric_keys or {}, run.id)
        if stored is not None and len(stored) == run.cells:
            return stored
        if self.read_only or not run.finished:
            return self._read(run)
        with suppress(StoreError), self.database.writing() as connection:
            self._summarise(connection, run.id)
        read = self._read(run)
        write_columns(self.database, run.id, pack_outcomes(read))
        return read

    def _read(self, info: RunInfo | None, limit: int | None = None, **labels: Patterns) -> Outcomes:
        """The cells of a run, or the latest of all, from their rows."""
        # Not imported above, as it imports numpy.
        from hcbench.store.reading import read_cells

        run = None
        metric_keys = None
        row: sa.Column[Any] = cells.c.id
        rows = sa.select(row).where(is_latest())
        if info is not None:
            run = info.id
            metric_keys = info.metric_keys
            row = run_cells.c.cell
            rows = sa.select(row).where(run_cells.c.run == run)
            if labels:
                rows = rows.join(cells, run_cells.c.cell == cells.c.id)
        with self.database.reading() as connection:
            for name, pattern in labels.items():
                rows = rows.where(label_is_like(connection, cells.c[name], pattern))
            if limit is not None:
                # The highest row is the latest, whereas a clock may jump.
                rows = rows.order_by(row.desc()).limit(limit)
            outcomes = read_cells(connection, rows, metric_keys, run)
            self._check_runs(connection, outcomes, run)
        return outcomes

    def _check_runs(self, connection: sa.Connection, outcomes: Outcomes, run: int | None) -> None:
        """Raise `DamagedRunError` if a run that measured some of the outcomes is not there."""
        measured_by = set(outcomes.column("run").tolist())
        present = sa.select(runs.c.id).where(among(connection, runs.c.id, measured_by))
        lost_runs = measured_by.difference(connection.execute(present).scalars())
        if lost_runs:
            lost = min(lost_runs)
            damaged = run or lost
            raise DamagedRunError(
                f"run {damaged} of {self.location} is damaged: it shows cells of run {lost}, "
                f"which is not there; remove it with: {self.command('results', 'rm', str(damaged))}"
            )

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
        # Not imported above, as it imports numpy.
        from hcbench.store.reading import read_cells

        with self.database.reading() as connection:
            row, traceback, log, description = find_cell(connection, key_prefix, self.location)
            (outcome,) = read_cells(connection, sa.select(cells.c.id).where(cells.c.id == row))
            # Read here, where a damaged text becomes an error of the store.
            return replace(outcome, traceback=traceback, log=log), from_json(description)

    @_retried
    def row_descriptions(self, rows: Sequence[int]) -> dict[int, dict[str, Any]]:
        """How to run stored cells again, as `Store.cell` returns it, by their rows."""
        query = sa.select(cells.c.id, cells.c.cell)
        with self.database.reading() as connection:
            stored = connection.execute(query.where(among(connection, cells.c.id, rows))).all()
        return {row: from_json(text) for row, text in stored}
