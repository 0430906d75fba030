"""Merging stores: every run, cell and value of the sources is added to the target once.

A row that both stores have, being copies of one measurement, is stored once. Two measurements of
one cell are both stored, and that merged last counts as the latest, as if it had been measured with
``--fresh``. Runs show the same as before. Shards of one plan become one run, which shows the latest
measurement of each cell.

A run is recognised by when and how it was started. Where shards were joined, the environment of the
run holds under ``shards``, for each number of a shard: its runs, when they ran, how they ended, and
their environment.

Everything is one transaction of the target, and merging again changes nothing, so that an
interrupted merge can simply be repeated. Rows that come from elsewhere are checked first: SQLite
stores any type in any column, and a file of exported rows may contain anything.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import sqlalchemy as sa

from hcbench.errors import StoreError
from hcbench.model.cost import read_budget
from hcbench.plan.outcome import STATUSES
from hcbench.store.database import Database
from hcbench.store.rows import ABOUT_RUN, LEFT_OUT, read_moment, run_info, types_of
from hcbench.store.schema import LOST, cells, metric_values, points, replies, run_cells, runs
from hcbench.store.store import Store, among, forget, last_id

Row: TypeAlias = Mapping[str, Any]
#: By the number of a shard, as text.
Parts: TypeAlias = dict[str, dict[str, Any]]
_STATE = ("started", "finished", "interrupted")
_ROWS = 500  # read at once
_POINTS = 64  # read at once, as each has a tree
#: Two rows that agree in these are the same measurement; time stamps have microseconds.
_IDENTITY = ("key", "created", "status", "data_digest", "seconds")

#: What a value is of, and what it is.
_PLACE = ("cell", "checkpoint", "metric_key")
_MEASURED = ("value", "status")


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
    differing : int
        Values of a cell and a metric that the target has otherwise, and keeps.
    example : str
        The key of a cell with such a value; "" if there is none.
    numbers : list of int
        The target's numbers of the source's runs.
    """

    source: str
    runs: int = 0
    cells: int = 0
    values: int = 0
    known: int = 0
    repeated: int = 0
    differing: int = 0
    example: str = ""
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
        forget(connection)
        joined = _JoinedRuns(connection)
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
    to: sa.Connection
    source: sa.Connection
    joined: _JoinedRuns
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
        unused = itertools.count(last_id(self.to) + 1)
        next_rows = sa.select(cells).order_by(cells.c.id).limit(_ROWS)
        last = 0  # id that was read
        while rows := self._read(next_rows.where(cells.c.id > last), cells):
            last = rows[-1]["id"]
            self._take(rows, unused)
        self.target.upsert(self.to, replies, self._read(sa.select(replies), replies))
        return self.done

    def _read(self, query: sa.Select[Any], table: sa.Table) -> list[dict[str, Any]]:
        """Rows of the source, which are checked."""
        rows = [dict(row) for row in self.source.execute(query).mappings()]
        check_rows(table, rows, self.done.source)
        return rows

    def _take(self, rows: Sequence[dict[str, Any]], unused: Iterator[int]) -> None:
        """Add cells with all that belongs to them."""
        id_by_identity = self._stored_identities({row["key"] for row in rows})
        stored_keys = {identity[0] for identity in id_by_identity}
        # By the id in the source, that in the target.
        id_of: dict[int, int] = {}
        new_rows = []
        for row in rows:
            identity = tuple(row[name] for name in _IDENTITY)
            if identity not in id_by_identity:
                id_by_identity[identity] = next(unused)
                new_rows.append({**row, "id": id_by_identity[identity], "run": self._run(row)})
                is_cell = not row["key"].startswith(LEFT_OUT)
                self.done.repeated += is_cell and row["key"] in stored_keys
            id_of[row["id"]] = id_by_identity[identity]
        if new_rows:
            self.to.execute(cells.insert(), new_rows)
        self.done.cells += len(new_rows)
        self.done.known += len(rows) - len(new_rows)

        new_ids = {row["id"] for row in new_rows}
        ids_of_new = [source for source, target in id_of.items() if target in new_ids]
        self._take_points(ids_of_new, id_of)
        self._take_results({id_of[row["id"]]: row["id"] for row in rows}, new_ids)
        self._take_values(id_of, new_ids, {id_of[row["id"]]: row["key"] for row in rows})
        of_cells = run_cells.c.cell.in_(list(id_of))
        links = []
        for row in self._read(sa.select(run_cells).where(of_cells), run_cells):
            links.append({"run": self._run(row), "cell": id_of[row["cell"]]})
        self.target.upsert(self.to, run_cells, links)

    def _run(self, row: dict[str, Any]) -> int:
        """The run of a row, by its number in the target."""
        if row["run"] not in self.run_of:
            raise StoreError(f"{self.done.source} is damaged: it has no run {row['run']}")
        return self.run_of[row["run"]]

    def _stored_identities(self, keys: set[str]) -> dict[tuple[Any, ...], int]:
        """Rows of the target with some keys: their ids by their identity."""
        columns = [cells.c[name] for name in _IDENTITY]
        query = sa.select(cells.c.id, *columns).where(among(self.to, cells.c.key, keys))
        return {tuple(row[1:]): row[0] for row in self.to.execute(query)}

    def _take_points(self, ids: Sequence[int], id_of: Mapping[int, int]) -> None:
        """Add the points of new cells, which have their results."""
        query = sa.select(points).where(points.c.cell.in_(ids))
        result = self.source.execute(query, execution_options={"yield_per": _POINTS})
        for part in result.mappings().partitions():
            rows = [{**row, "cell": id_of[row["cell"]]} for row in part]
            check_rows(points, rows, self.done.source)
            self.to.execute(points.insert(), rows)

    def _take_results(self, source_of: Mapping[int, int], new_ids: set[int]) -> None:
        """Add results that the target lacks, as those of a run that was exported without them."""
        stored = [target for target in source_of if target not in new_ids]
        lacking = sa.select(points.c.cell, points.c.checkpoint)
        lacking = lacking.where(points.c.cell.in_(stored), points.c.result.is_(None))
        for cell, checkpoint in self.to.execute(lacking).all():
            there = (points.c.cell == source_of[cell]) & (points.c.checkpoint == checkpoint)
            result = self.source.execute(sa.select(points.c.result).where(there)).scalar()
            if isinstance(result, bytes):
                here = (points.c.cell == cell) & (points.c.checkpoint == checkpoint)
                self.to.execute(sa.update(points).where(here).values(result=result))

    def _take_values(
        self, id_of: Mapping[int, int], new_ids: set[int], key_of: Mapping[int, str]
    ) -> None:
        """Add values that the target lacks, or that were lost there."""
        of_cells = metric_values.c.cell.in_(list(id_of))
        rows = []
        for row in self._read(sa.select(metric_values).where(of_cells), metric_values):
            cell = id_of[row["cell"]]
            if row["status"] != LOST or cell in new_ids:
                rows.append({**row, "cell": cell, "run": self._run(row)})
        self._compare_values([row for row in rows if row["cell"] not in new_ids], key_of)
        self.done.values += self.target.upsert(self.to, metric_values, rows, only_lost=True)

    def _compare_values(self, rows: Sequence[Row], key_of: Mapping[int, str]) -> None:
        """Count the values that the target has otherwise; it keeps its own."""
        if not rows:
            return
        columns = [metric_values.c[name] for name in (*_PLACE, *_MEASURED)]
        ids = {row["cell"] for row in rows}
        query = sa.select(*columns).where(among(self.to, metric_values.c.cell, ids))
        stored = {}
        for stored_row in self.to.execute(query.where(metric_values.c.status != LOST)).mappings():
            place = tuple(stored_row[name] for name in _PLACE)
            stored[place] = tuple(stored_row[name] for name in _MEASURED)
        for row in rows:
            measured = tuple(row[name] for name in _MEASURED)
            if stored.get(tuple(row[name] for name in _PLACE), measured) != measured:
                self.done.differing += 1
                self.done.example = self.done.example or key_of[row["cell"]]


class _JoinedRuns:
    """The runs of a store to which others are added.

    Parameters
    ----------
    connection : Connection
        In a transaction.
    """

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection
        self._by_origin: dict[str, int] = {}
        self._by_plan: dict[str, int] = {}
        self._touched: set[int] = set()
        rows = connection.execute(sa.select(runs).order_by(runs.c.id)).all()
        infos = [run_info(row) for row in rows]
        known = [
            dict(row._mapping)
            for row, info in zip(rows, infos, strict=True)
            if not info.damaged and not info.removed
        ]
        # Of the runs of one plan, the one with the most shards is extended; of these, the latest.
        for row in sorted(known, key=lambda row: len(_parts_of(row)) if _plan_of(row) else 0):
            self._remember(row["id"], row)

    def _remember(self, number: int, row: Row) -> None:
        plan = _plan_of(row)
        if plan is not None:
            self._by_plan[plan] = number
        self._by_origin.setdefault(_origin_of(row), number)

    def place(self, row: Row) -> tuple[int, bool]:
        """The number of a run of another store, and whether it is new here."""
        plan = _plan_of(row)
        if plan is not None and plan in self._by_plan:
            number = self._by_plan[plan]
            self._join(number, row)
            return number, False
        number = self._by_origin.get(_origin_of(row), 0)
        if number:
            if row["finished"] is not None:  # a copy cannot change how a run ended here
                state = {name: row[name] for name in _STATE}
                unfinished = (runs.c.id == number) & runs.c.finished.is_(None)
                self._connection.execute(sa.update(runs).where(unfinished).values(state))
            return number, False
        new = {name: value for name, value in row.items() if name != "id"}
        done = self._connection.execute(runs.insert(), new)
        (number,) = done.inserted_primary_key or (0,)
        self._remember(number, row)
        return number, True

    def _join(self, number: int, row: Row) -> None:
        """Add the shards of another run to a run."""
        wanted = sa.select(runs).where(runs.c.id == number)
        here = dict(self._connection.execute(wanted).mappings().one())
        parts = _joined(_parts_of(here), _parts_of(row))
        self._touched.add(number)
        if parts == _parts_of(here):
            return
        states = list(parts.values())
        finished = [state["finished"] for state in states]
        values: dict[str, Any] = {
            "started": min(state["started"] for state in states),
            "finished": None if None in finished else max(finished),
            "interrupted": any(state["interrupted"] for state in states),
        }
        if len(parts) > 1 or len(states[0]["runs"]) > 1:
            layout = json.loads(here["layout"])
            layout["shard"]["numbers"] = sorted(map(int, parts))
            layout["renamed"] |= json.loads(row["layout"])["renamed"]
            environment = {**json.loads(here["environment"]), "shards": parts}
            values |= {
                "command": _of_whole(here["command"]),
                "layout": json.dumps(layout),
                "environment": json.dumps(environment),
            }
        self._connection.execute(sa.update(runs).where(runs.c.id == number).values(values))

    def finish(self) -> None:
        """Remove all but the latest row of each cell from runs that were joined."""
        for number in sorted(self._touched):
            last = sa.select(sa.func.max(cells.c.id)).group_by(cells.c.key)
            linked = last.join(run_cells, run_cells.c.cell == cells.c.id)
            latest = linked.where(run_cells.c.run == number)
            older = (run_cells.c.run == number) & run_cells.c.cell.not_in(latest)
            self._connection.execute(sa.delete(run_cells).where(older))


def _origin_of(row: Row) -> str:
    """A hash of when and how a run was started, by which it is recognised."""
    parts = [row[name] for name in ("started", "command", "suite", "environment")]
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest()


def _plan_of(row: Row) -> str | None:
    """What the shards of one run share: plan, number of shards, layout; None if it is no shard."""
    layout = json.loads(row["layout"])
    shard = layout.get("shard")
    if not _is_shard(shard) or not isinstance(layout.get("renamed"), dict):
        return None
    own = ("shard", "renamed", *ABOUT_RUN)
    others = {k: value for k, value in layout.items() if k not in own}
    return json.dumps([shard["plan"], shard["count"], others], sort_keys=True)


def _is_shard(shard: Any) -> bool:
    """Whether this is `hcbench.plan.plan.Shard` in JSON; it comes from another store."""
    return (
        isinstance(shard, dict)
        and isinstance(shard.get("plan"), str)
        and isinstance(shard.get("count"), int)
        and isinstance(shard.get("numbers"), list)
        and bool(shard["numbers"])
        and all(isinstance(n, int) and 1 <= n <= shard["count"] for n in shard["numbers"])
    )


def _parts_of(row: Row) -> Parts:
    """The shards that a run consists of."""
    environment = json.loads(row["environment"])
    parts = environment.get("shards")
    if isinstance(parts, dict) and parts and all(map(_is_part, parts.values())):
        return parts
    (number, *_) = json.loads(row["layout"])["shard"]["numbers"]
    state = {name: row[name] for name in _STATE}
    return {str(number): {"runs": [_origin_of(row)], **state, "environment": environment}}


def _is_part(part: Any) -> bool:
    return (
        isinstance(part, dict)
        and isinstance(part.get("runs"), list)
        and isinstance(part.get("started"), str)
        and isinstance(part.get("finished"), str | None)
        and isinstance(part.get("interrupted"), bool)
    )


def _joined(here: Parts, other: Parts) -> Parts:
    """The shards of both; of a shard that was run several times, how the last run ended."""
    joined = dict(here)
    for number, part in other.items():
        known = joined.get(number)
        if known is None:
            joined[number] = part
        elif known["runs"][-1] == part["runs"][-1]:
            joined[number] = {**part, "runs": known["runs"]}
        else:
            new = [run for run in part["runs"] if run not in known["runs"]]
            if new:
                joined[number] = {**part, "runs": [*known["runs"], *new]}
    return dict(sorted(joined.items(), key=lambda item: int(item[0])))


def _of_whole(command: str) -> str:
    """The command that runs the whole plan, without the place of the results."""
    try:
        words = shlex.split(command)
    except ValueError:
        return command
    options = ("--shard", "--store")
    remaining = []
    for before, word in zip(["", *words], words, strict=False):
        if word not in options and before not in options and word.split("=")[0] not in options:
            remaining.append(word)
    return shlex.join(remaining)


_INT64 = 2**63


def check_rows(table: sa.Table, rows: Sequence[Mapping[str, Any]], source: str) -> None:
    """Reject rows that hcbench cannot have written.

    Parameters
    ----------
    table : Table
    rows : sequence of mapping
        Of its columns; that of results may be left out.
    source : str
        Its name in the message.

    Raises
    ------
    StoreError
        If a value is not of the type of its column, a number of a cell is negative, or a text is
        not the JSON it should be.
    """
    faults = (f"{table.name}.{name} {fault}" for row in rows for name, fault in _faults(table, row))
    fault = next(faults, None)
    if fault is not None:
        raise StoreError(f"{source} is damaged: {fault}")


def _faults(table: sa.Table, row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The columns of a row with an impossible value, and what is wrong with it."""
    for column in table.c:
        value = row.get(column.name)  # results may be left out
        too_large = type(value) is int and not -_INT64 <= value < _INT64
        negative = table is cells and isinstance(value, int | float) and value < 0
        if type(value) not in types_of(column) or too_large or negative:
            yield column.name, f"cannot be {repr(value)[:40]}"
    for name, (readable, what) in _TEXTS.items():
        if name in table.c and row[name] is not None and (table is cells or table is runs):
            try:
                valid = readable(row[name])
            except (ValueError, RecursionError):
                valid = False
            if not valid:
                yield name, f"is no {what}: {row[name][:40]!r}"


def _is_list_of_texts(written: str) -> bool:
    read = json.loads(written or "[]")
    return isinstance(read, list) and all(isinstance(each, str) for each in read)


def _is_mapping(written: str) -> bool:
    return isinstance(json.loads(written), dict)


#: What the texts of runs and cells hold: how to check it, and its name.
_TEXTS: dict[str, tuple[Callable[[str], object], str]] = {
    **dict.fromkeys(("environment", "layout", "cell"), (_is_mapping, "mapping in JSON")),
    **dict.fromkeys(("started", "finished", "created"), (read_moment, "moment")),
    "notes": (_is_list_of_texts, "list of texts in JSON"),
    "status": (STATUSES.__contains__, "status of a cell"),
    "seed": (str.isdecimal, "seed"),
    "budget": (lambda budget: read_budget(budget) == budget, "budget"),
}
