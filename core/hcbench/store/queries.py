"""Questions to the tables of the store, inside a transaction."""

from __future__ import annotations

import gc
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from sqlalchemy import (
    ARRAY,
    Column,
    ColumnElement,
    Connection,
    Select,
    any_,
    bindparam,
    case,
    func,
    literal,
    null,
    select,
    union_all,
)

from hcbench.plan.outcome import Measured, Value
from hcbench.store.rows import (
    LEFT_OUT,
    Record,
    RunInfo,
    Stored,
    cell_row,
    is_final,
    matches,
    point_rows,
    run_info,
    value_of_row,
)
from hcbench.store.schema import END, cells, metric_values, points, run_cells, runs

T = TypeVar("T")
STORED_COLUMNS = tuple(cells.c["id" if name == "row" else name] for name in Stored._fields[:-1])
CHUNK = 800  # below the 999 variables that old versions of SQLite allow
#: Made once, as it is asked whenever a cell is saved; the highest id of all has no key.
_LATEST_IDS = union_all(
    select(cells.c.key, func.max(cells.c.id))
    .where(cells.c.key.in_(bindparam("keys", expanding=True)))
    .group_by(cells.c.key),
    select(null(), func.max(cells.c.id)),
)


def among(
    connection: Connection, column: ColumnElement[T], items: Iterable[T]
) -> ColumnElement[bool]:
    """A condition: a column has one of very many values, which travel as one parameter."""
    if connection.dialect.name == "postgresql":
        return column == any_(literal(list(items), ARRAY(column.type)))
    listed = func.json_each(json.dumps(list(items))).table_valued("value")
    return column.in_(select(listed.c.value))


def found_rows(
    connection: Connection, wanted: Select[Any], metric_keys: Mapping[str, str]
) -> dict[str, Stored]:
    """What the cells are that a query tells the `STORED_COLUMNS` of, each as measured last."""
    rows = connection.execute(wanted.order_by(cells.c.id)).all()
    found = {row.key: Stored(*row) for row in rows}
    by_row = {stored.row: stored for stored in found.values()} if metric_keys else {}
    for row, missing in missing_values(connection, by_row, metric_keys).items():
        stored = by_row[row]
        found[stored.key] = stored._replace(missing=missing)
    return found


def of_keys(connection: Connection, keys: Iterable[str]) -> Select[Any]:
    """A query for the `STORED_COLUMNS` of cells, looked up in the order of their keys here.

    That is nearly the order in which they were stored, and thus as they lie on the disk.
    """
    if connection.dialect.name == "postgresql":
        listed = func.unnest(literal(list(keys), ARRAY(cells.c.key.type)))
        each = listed.table_valued("value").render_derived()
    else:
        each = func.json_each(json.dumps(list(keys))).table_valued("value")
    return select(*STORED_COLUMNS).select_from(each).join(cells, cells.c.key == each.c.value)


def missing_values(
    connection: Connection, ids: Collection[int], metric_keys: Mapping[str, str]
) -> dict[int, tuple[str, ...]]:
    """Of cells that lack values: the metrics without one, or without a final one, at some point."""
    if not metric_keys:
        return {}
    wanted = set(metric_keys.values())
    value = metric_values.c
    # As a rule nothing is missing, which the numbers tell sooner than a look at each point.
    n_points = select(func.count()).where(among(connection, points.c.cell, ids))
    n_values = select(func.count()).where(
        among(connection, value.cell, ids), value.metric_key.in_(wanted), is_final(value.status)
    )
    every = connection.execute(n_points).scalar_one() * len(wanted)
    if connection.execute(n_values).scalar_one() == every:
        return {}
    there = (
        select(func.count())
        .where(value.cell == points.c.cell, value.checkpoint == points.c.checkpoint)
        .where(value.metric_key.in_(wanted), is_final(value.status))
        .scalar_subquery()
    )
    of_cells = among(connection, points.c.cell, ids)
    lacking = select(points.c.cell).distinct().where(of_cells, there < len(wanted))
    incomplete = connection.execute(lacking).scalars().all()
    return {
        cell: tuple(label for label in metric_keys if not all(_has(p, label) for p in at_points))
        for cell, at_points in measured_points(connection, incomplete, metric_keys).items()
    }


def _has(point: Measured, label: str) -> bool:
    return label in point.values and point.values[label].final


def measured_points(
    connection: Connection, ids: Collection[int], metric_keys: Mapping[str, str] | None = None
) -> dict[int, tuple[Measured, ...]]:
    """Points with values, without results, of rows of cells.

    Of the metrics that are wanted, by their keys; or of all, the latest value of each label.
    """
    if not ids:
        return {}
    values = _values_at(connection, ids, metric_keys)
    columns = (points.c.checkpoint, points.c.queries, points.c.cell)
    of_cells = select(*columns).where(among(connection, points.c.cell, ids))
    found: dict[int, list[Measured]] = {}
    for checkpoint, queries, cell in sorted(connection.execute(of_cells).all(), key=in_order):
        point = Measured(
            checkpoint=None if checkpoint == END else checkpoint,
            queries=queries,
            values=values.get((cell, checkpoint), {}),
        )
        found.setdefault(cell, []).append(point)
    return {cell: tuple(points_of) for cell, points_of in found.items()}


def _values_at(
    connection: Connection, ids: Collection[int], metric_keys: Mapping[str, str] | None
) -> dict[tuple[int, int], dict[str, Value]]:
    """By row and checkpoint; as for `measured_points`."""
    value = metric_values.c
    name = value.metric if metric_keys is None else value.metric_key
    # What nearly all have is not spelt out a million times.
    said = func.nullif(value.status, "ok"), func.nullif(value.reason, "")
    wanted = select(value.cell, value.checkpoint, name, value.value, *said)
    wanted = wanted.where(among(connection, value.cell, ids))
    labels_of: dict[str, list[str]] = {}
    if metric_keys is None:
        wanted = wanted.order_by(value.run)
    else:
        for label, key in metric_keys.items():
            labels_of.setdefault(key, []).append(label)
        wanted = wanted.where(value.metric_key.in_(list(labels_of)))
    values: dict[tuple[int, int], dict[str, Value]] = {}
    for cell, checkpoint, named, number, status, reason in connection.execute(wanted).all():
        at_point = values.setdefault((cell, checkpoint), {})
        plain = status is None and reason is None
        found = Value(number) if plain else value_of_row(number, status or "ok", reason or "")
        for label in labels_of[named] if metric_keys is not None else (named,):
            at_point[label] = found
    return values


def latest_ids(connection: Connection, keys: Sequence[str]) -> tuple[dict[str, int], int]:
    """The latest rows of cells, of those that are there, and the highest id of all."""
    found: dict[str, int] = {}
    highest = 0
    for chunk in chunks(keys or [""]):
        for key, last in connection.execute(_LATEST_IDS, {"keys": chunk}):
            if key is not None:
                found[key] = last
            else:
                highest = last or 0
    return found, highest


def is_of_run(run: int) -> tuple[ColumnElement[bool], ...]:
    """Conditions: a cell is of a run, and could be run."""
    of_run = select(run_cells.c.cell).where(run_cells.c.run == run)
    return cells.c.id.in_(of_run), ~cells.c.key.startswith(LEFT_OUT)


def written_by(connection: Connection, run: int, ids: Sequence[int]) -> set[int]:
    """Those rows of cells that a run has measured itself."""
    own: set[int] = set()
    for chunk in chunks(ids):
        wanted = select(cells.c.id).where(cells.c.id.in_(chunk), cells.c.run == run)
        own |= set(connection.execute(wanted).scalars())
    return own


def agrees(connection: Connection, row: int, record: Record) -> bool:
    """Whether a row has the same end, data and results of its cell."""
    compared = ("status", "reason", "stopped", "data_digest")
    kept = select(*(cells.c[name] for name in compared)).where(cells.c.id == row)
    new = cell_row(0, row, record)
    if tuple(connection.execute(kept).one()) != tuple(new[name] for name in compared):
        return False
    columns = ("checkpoint", "queries", "result")
    results = select(*(points.c[name] for name in columns)).where(points.c.cell == row)
    return {tuple(point) for point in connection.execute(results)} == {
        tuple(point[name] for name in columns) for point in point_rows(row, record.outcome)
    }


def is_latest() -> ColumnElement[bool]:
    """A condition: the cell was not measured again."""
    newer = cells.alias()
    again = select(newer.c.id).where(newer.c.key == cells.c.key, newer.c.id > cells.c.id)
    return ~again.exists()


def in_order(row: Sequence[Any]) -> tuple[bool, int]:
    """Checkpoints by their count, then the end."""
    return row[0] == END, row[0]


def run_infos(connection: Connection, ids: Sequence[int] | None = None) -> dict[int, RunInfo]:
    """Runs with the number of their cells, of those reused and of those failed."""
    reused = case((cells.c.run != run_cells.c.run, 1), else_=0)
    failed = case((cells.c.status.in_(["ok", "skipped"]), 0), else_=1)
    counts = (
        select(run_cells.c.run, func.count(), func.sum(reused), func.sum(failed))
        .join(cells, cells.c.id == run_cells.c.cell)
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


def labels_like(connection: Connection, column: Column[Any], pattern: str) -> ColumnElement[bool]:
    """A condition: the labels of a column that match a pattern, in any script's own case."""
    labels = connection.execute(select(column).distinct()).scalars()
    return column.in_([label for label in labels if matches(label, pattern)])


def chunks(items: Sequence[T]) -> Iterable[Sequence[T]]:
    """Parts that fit into one statement."""
    return (items[start : start + CHUNK] for start in range(0, len(items), CHUNK))


@contextmanager
def collector_paused() -> Iterator[None]:
    """Without the garbage collector: it would look through a million new rows again and again.

    None of them is garbage; reading many cells takes half as long again with it.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
