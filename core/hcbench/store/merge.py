"""Merging stores: every run, cell and value of the sources is added to the target once.

A row that both stores have, being copies of one measurement, is stored once. Two measurements of
one cell are both stored, and that merged last counts as the latest, as if it had been measured with
``--fresh``. Runs show the same as before. Shards of one plan become one run, which shows the latest
measurement of each cell.

Everything is one transaction of the target, and merging again changes nothing, so that an
interrupted merge can simply be repeated. Rows that come from elsewhere are checked first.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from hcbench.errors import StoreError
from hcbench.store.checks import check_rows
from hcbench.store.conditions import among, last_id
from hcbench.store.database import Database
from hcbench.store.rows import LEFT_OUT
from hcbench.store.schema import (
    LOST,
    cells,
    in_order_of_key,
    metric_values,
    points,
    replies,
    run_cells,
    runs,
)
from hcbench.store.shards import JoinedRuns, Row
from hcbench.store.store import Store
from hcbench.store.summaries import forget

_ROWS = 500  # read at once
_POINTS = 64  # read at once, as each has a tree
#: Two rows that agree in these are the same measurement; time stamps have microseconds.
_IDENTITY = ("key", "created", "status", "data_digest", "seconds")

#: What a value is of, and what it is.
_PLACE = ("cell", "checkpoint", "metric_key")
_MEASURED = ("value", "status")

#: What an answer of a paid oracle is to, and what it is.
_QUERY = ("source", "query", "time")
_REPLY = ("code", "price", "annotator")


@dataclass(slots=True)
class Merged:
    """What merging one store has added.

    Attributes
    ----------
    source : str
        Where it is.
    runs, cells, values : int
        New ones.
    stored : int
        Cells that the target had already.
    repeated : int
        New measurements of cells that the target had already.
    differing : int
        Values of a cell and a metric that the target has otherwise, and keeps.
    example : str
        The key of a cell with such a value; "" if there is none.
    answers : int
        New answers of paid oracles.
    differing_answers : int
        Answers that the target has otherwise, and keeps.
    numbers : list of int
        The target's numbers of the source's runs.
    """

    source: str
    runs: int = 0
    cells: int = 0
    values: int = 0
    stored: int = 0
    repeated: int = 0
    differing: int = 0
    example: str = ""
    answers: int = 0
    differing_answers: int = 0
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

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [5.0], [6.0]])
    >>> for algorithm in ("Single", "UPGMA"):
    ...     results = hcbench.compare(
    ...         algorithm, X, store=f"{algorithm}.sqlite", progress=False, repetitions=1
    ...     )
    >>> from hcbench.store import Store
    >>> with Store("Single.sqlite") as single, Store("UPGMA.sqlite") as average:
    ...     (merged,) = merge_stores(single, [average])
    ...     print(merged.cells, [outcome.algorithm for outcome in single.cells()])
    1 ['Single', 'UPGMA']
    """
    for source in sources:
        if source.database.place.is_same(target.database.place):
            raise StoreError(f"{source.location} cannot be merged into itself")
        if not source.database.exists:
            raise StoreError(f"{source.location} holds no results: there is no store")
    with target.database.writing() as connection:
        forget(connection)
        joined = JoinedRuns(connection)
        merged = []
        for source in sources:
            with source.database.reading() as reading:
                merging = _Merging(
                    target=target.database,
                    to=connection,
                    source=reading,
                    joined=joined,
                    done=Merged(source.location),
                )
                merged.append(merging.carry_out())
        joined.finish()
        return merged


@dataclass(slots=True)
class _Merging:
    """The merging of one source into the target."""

    target: Database
    to: sa.Connection
    source: sa.Connection
    joined: JoinedRuns
    done: Merged
    #: By the numbers of the source.
    run_of: dict[int, int] = field(default_factory=dict)

    def carry_out(self) -> Merged:
        """Add everything, and return what was new."""
        for row in self._read(sa.select(runs).order_by(runs.c.id), runs):
            number, is_new = self.joined.place(row)
            self.run_of[row["id"]] = number
            self.done.runs += is_new
        self.done.numbers = sorted(set(self.run_of.values()))
        unused_ids = itertools.count(last_id(self.to) + 1)
        next_rows = sa.select(cells).order_by(cells.c.id).limit(_ROWS)
        last_read_id = 0
        while True:
            rows = self._read(next_rows.where(cells.c.id > last_read_id), cells)
            if not rows:
                break
            last_read_id = rows[-1]["id"]
            self._take_cells(rows, unused_ids)
        self._take_replies()
        return self.done

    def _read(self, query: sa.Select[Any], table: sa.Table) -> list[dict[str, Any]]:
        """Rows of the source, which are checked."""
        rows = list(map(dict, self.source.execute(query).mappings()))
        check_rows(table, rows, self.done.source)
        return rows

    def _take_cells(self, rows: Sequence[dict[str, Any]], unused_ids: Iterator[int]) -> None:
        """Add cells with all that belongs to them."""
        id_of, new_ids = self._take_rows(rows, unused_ids)
        key_of: dict[int, str] = {}
        source_of: dict[int, int] = {}
        for row in rows:
            # Two rows of the source may be one measurement: the later one stands for both.
            key_of[id_of[row["id"]]] = row["key"]
            source_of[id_of[row["id"]]] = row["id"]
        self._take_points(id_of, new_ids)
        self._take_results(source_of, new_ids)
        self._take_values(id_of, new_ids, key_of)
        of_cells = run_cells.c.cell.in_(list(id_of))
        links = []
        for row in self._read(sa.select(run_cells).where(of_cells), run_cells):
            links.append({"run": self._run(row), "cell": id_of[row["cell"]]})
        self.target.upsert(self.to, run_cells, links)

    def _take_rows(
        self, rows: Sequence[dict[str, Any]], unused_ids: Iterator[int]
    ) -> tuple[dict[int, int], set[int]]:
        """Add the rows of cells that the target lacks.

        Returns the id in the target by the id in the source, and which of the former are new.
        """
        keys = {row["key"] for row in rows}
        id_by_identity = self._stored_identities(keys)
        # An identity begins with the key.
        stored_keys = {identity[0] for identity in id_by_identity}
        id_of: dict[int, int] = {}
        new_rows = []
        new_ids = set()
        for row in rows:
            identity = _fields(row, _IDENTITY)
            if identity not in id_by_identity:
                id_by_identity[identity] = next(unused_ids)
                new_ids.add(id_by_identity[identity])
                new_row = row | {"id": id_by_identity[identity], "run": self._run(row)}
                new_rows.append(new_row)
                # Inapplicable combinations are rows, but no measurements.
                is_cell = not row["key"].startswith(LEFT_OUT)
                self.done.repeated += is_cell and row["key"] in stored_keys
            id_of[row["id"]] = id_by_identity[identity]
        if new_rows:
            self.to.execute(cells.insert(), new_rows)
        self.done.cells += len(new_rows)
        self.done.stored += len(rows) - len(new_rows)
        return id_of, new_ids

    def _run(self, row: dict[str, Any]) -> int:
        """The run of a row, by its number in the target."""
        if row["run"] not in self.run_of:
            raise StoreError(f"{self.done.source} is damaged: it has no run {row['run']}")
        return self.run_of[row["run"]]

    def _stored_identities(self, keys: set[str]) -> dict[tuple[Any, ...], int]:
        """Rows of the target with some keys: their ids by their identity."""
        query = _select_fields(cells, ("id",) + _IDENTITY)
        query = query.where(among(self.to, cells.c.key, keys))
        ids = {}
        for row in self.to.execute(query).mappings():
            ids[_fields(row, _IDENTITY)] = row["id"]
        return ids

    def _take_points(self, id_of: Mapping[int, int], new_ids: set[int]) -> None:
        """Add the points of new cells, which have their results."""
        source_ids = []
        for source, target in id_of.items():
            if target in new_ids:
                source_ids.append(source)
        query = sa.select(points).where(points.c.cell.in_(source_ids))
        result = self.source.execute(query, execution_options={"yield_per": _POINTS})
        for part in result.mappings().partitions():
            rows = []
            for row in part:
                rows.append(dict(row) | {"cell": id_of[row["cell"]]})
            check_rows(points, rows, self.done.source)
            self.to.execute(points.insert(), rows)

    def _take_replies(self) -> None:
        """Add the answers of paid oracles that the target lacks; it keeps its own."""
        options = {"yield_per": _ROWS}
        result = self.source.execute(in_order_of_key(replies), execution_options=options)
        for part in result.mappings().partitions():
            rows = list(map(dict, part))
            check_rows(replies, rows, self.done.source)
            queries = {row["query"] for row in rows}
            stored = self._stored_replies(queries)
            new_rows = []
            for row in rows:
                query = _fields(row, _QUERY)
                reply = _fields(row, _REPLY)
                if query not in stored:
                    new_rows.append(row)
                elif stored[query] != reply:
                    self.done.differing_answers += 1
            if new_rows:
                self.to.execute(replies.insert(), new_rows)
            self.done.answers += len(new_rows)

    def _stored_replies(self, queries: set[str]) -> dict[tuple[Any, ...], tuple[Any, ...]]:
        """The target's answers to some queries, of all sources and times, by their key."""
        of_queries = _select_fields(replies, _QUERY + _REPLY)
        of_queries = of_queries.where(among(self.to, replies.c.query, queries))
        stored = {}
        for row in self.to.execute(of_queries).mappings():
            stored[_fields(row, _QUERY)] = _fields(row, _REPLY)
        return stored

    def _take_results(self, source_of: Mapping[int, int], new_ids: set[int]) -> None:
        """Add results that the target lacks, as those of a run that was exported without them."""
        stored = [target for target in source_of if target not in new_ids]
        lacking = sa.select(points.c.cell, points.c.checkpoint)
        lacking = lacking.where(points.c.cell.in_(stored), points.c.result.is_(None))
        for cell, checkpoint in self.to.execute(lacking).all():
            of_source = sa.select(points.c.result)
            of_source = of_source.where(_is_point(source_of[cell], checkpoint))
            result = self.source.execute(of_source).scalar()
            if isinstance(result, bytes):
                lacking_point = sa.update(points).where(_is_point(cell, checkpoint))
                self.to.execute(lacking_point.values(result=result))

    def _take_values(
        self, id_of: Mapping[int, int], new_ids: set[int], key_of: Mapping[int, str]
    ) -> None:
        """Add values that the target lacks, or that were lost there."""
        of_cells = metric_values.c.cell.in_(list(id_of))
        rows = []
        for row in self._read(sa.select(metric_values).where(of_cells), metric_values):
            cell = id_of[row["cell"]]
            if row["status"] != LOST or cell in new_ids:
                rows.append(row | {"cell": cell, "run": self._run(row)})
        of_stored = [row for row in rows if row["cell"] not in new_ids]
        self._compare_values(of_stored, key_of)
        self.done.values += self.target.upsert(self.to, metric_values, rows, only_lost=True)

    def _compare_values(self, rows: Sequence[Row], key_of: Mapping[int, str]) -> None:
        """Count the values that the target has otherwise; it keeps its own."""
        if not rows:
            return
        ids = {row["cell"] for row in rows}
        query = _select_fields(metric_values, _PLACE + _MEASURED)
        query = query.where(among(self.to, metric_values.c.cell, ids))
        stored = {}
        has_value = metric_values.c.status != LOST
        for stored_row in self.to.execute(query.where(has_value)).mappings():
            stored[_fields(stored_row, _PLACE)] = _fields(stored_row, _MEASURED)
        for row in rows:
            place = _fields(row, _PLACE)
            # What the target lacks cannot differ.
            if place in stored and stored[place] != _fields(row, _MEASURED):
                self.done.differing += 1
                if not self.done.example:
                    self.done.example = key_of[row["cell"]]


def _fields(row: Mapping[Any, Any], names: Sequence[str]) -> tuple[Any, ...]:
    """Some fields of a row, by which rows are compared."""
    return tuple([row[name] for name in names])


def _select_fields(table: sa.Table, names: Sequence[str]) -> sa.Select[Any]:
    """A query of some columns of a table."""
    return sa.select(*[table.c[name] for name in names])


def _is_point(cell: int, checkpoint: int) -> sa.ColumnElement[bool]:
    """A condition: the point of a cell at a checkpoint."""
    return (points.c.cell == cell) & (points.c.checkpoint == checkpoint)
