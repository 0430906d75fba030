"""Queries to the tables of the store, inside a transaction."""

from __future__ import annotations

import gc
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from sqlalchemy import (
    ARRAY,
    Column,
    ColumnElement,
    Connection,
    any_,
    case,
    func,
    literal,
    select,
)

from hcbench.plan.outcome import ScoredPoint, Value
from hcbench.store.rows import (
    LEFT_OUT,
    Record,
    RunInfo,
    Stored,
    is_final,
    point_rows,
    run_info,
    storable,
    value_of_row,
)
from hcbench.store.schema import END, cells, metric_values, points, run_cells, runs

T = TypeVar("T")
_STORED_COLUMNS = tuple(cells.c["id" if name == "row" else name] for name in Stored._fields[:-1])


def among(
    connection: Connection, column: ColumnElement[T], items: Iterable[T]
) -> ColumnElement[bool]:
    """A condition: a column has one of any number of values, which are sent as one parameter."""
    if connection.dialect.name == "postgresql":
        return column == any_(literal(list(items), ARRAY(column.type)))
    listed = func.json_each(json.dumps(list(items))).table_valued("value")
    return column.in_(select(listed.c.value))


def stored_cells(
    connection: Connection, metric_keys: Mapping[str, str], *conditions: ColumnElement[bool]
) -> dict[str, Stored]:
    """Cells that meet conditions, by their keys, each as it was measured last."""
    wanted = select(*_STORED_COLUMNS).where(*conditions).order_by(cells.c.id)
    stored = {row.key: Stored(*row) for row in connection.execute(wanted).all()}
    missing = _missing_values(connection, [cell.row for cell in stored.values()], metric_keys)
    for key, cell in stored.items() if missing else ():
        stored[key] = cell._replace(missing=tuple(missing.get(cell.row, ())))
    return stored


def _missing_values(
    connection: Connection, ids: Collection[int], metric_keys: Mapping[str, str]
) -> dict[int, list[str]]:
    """By row of a cell, the labels of the metrics without a final value at some point."""
    value = metric_values.c
    missing: dict[int, list[str]] = {}
    for label, key in metric_keys.items():
        of_point = (value.cell == points.c.cell) & (value.checkpoint == points.c.checkpoint)
        of_metric = select(value.cell).where(of_point, value.metric_key == key)
        lacking = ~of_metric.where(is_final(value.status)).exists()
        wanted = select(points.c.cell).where(among(connection, points.c.cell, ids), lacking)
        for row in connection.execute(wanted.distinct()).scalars():
            missing.setdefault(row, []).append(label)
    return missing


def measured_points(
    connection: Connection, ids: Collection[int], metric_keys: Mapping[str, str] | None = None
) -> dict[int, tuple[ScoredPoint, ...]]:
    """Points with values, without results, by rows of cells.

    With the values of the given metrics, by their keys; or of all, the latest of each label.
    """
    value, point = metric_values.c, points.c
    labels_of: dict[str, list[str]] = {}
    for label, key in (metric_keys or {}).items():
        labels_of.setdefault(key, []).append(label)
    wanted = select(
        value.cell,
        value.checkpoint,
        value.metric_key,
        value.metric,
        value.value,
        value.status,
        value.reason,
    ).where(among(connection, value.cell, ids))
    if metric_keys is None:
        wanted = wanted.order_by(value.run)
    else:
        wanted = wanted.where(value.metric_key.in_(list(labels_of)))
    values: dict[tuple[int, int], dict[str, Value]] = {}
    for cell, checkpoint, key, label, *columns in connection.execute(wanted).all():
        of_point = values.setdefault((cell, checkpoint), {})
        read = value_of_row(*columns)
        for name in labels_of.get(key, ()) if metric_keys is not None else (label,):
            of_point[name] = read
    rows = select(point.checkpoint, point.queries, point.cell)
    rows = rows.where(among(connection, point.cell, ids))
    measured: dict[int, list[ScoredPoint]] = {}
    for checkpoint, queries, cell in sorted(connection.execute(rows).all(), key=in_order):
        measured.setdefault(cell, []).append(
            ScoredPoint(
                checkpoint=None if checkpoint == END else checkpoint,
                queries=queries,
                values=values.get((cell, checkpoint), {}),
            )
        )
    return {cell: tuple(of_cell) for cell, of_cell in measured.items()}


def last_id(connection: Connection) -> int:
    """The highest id of a row of ``cells``, 0 if there is none."""
    return connection.execute(select(func.max(cells.c.id))).scalar() or 0


def is_of_run(run: int) -> ColumnElement[bool]:
    """A condition: a cell is of a run, and no inapplicable combination."""
    of_run = select(run_cells.c.cell).where(run_cells.c.run == run)
    return cells.c.id.in_(of_run) & ~cells.c.key.startswith(LEFT_OUT)


def agrees(connection: Connection, row: int, record: Record) -> bool:
    """Whether a row has the same end, data and results of its cell."""
    compared = ("status", "reason", "stopped", "data_digest")
    equal = [cells.c[name] == storable(getattr(record.outcome, name)) for name in compared]
    if not connection.execute(select(cells.c.id).where(cells.c.id == row, *equal)).first():
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
    """Sort checkpoints by their count, then the end."""
    return row[0] == END, row[0]


def run_infos(connection: Connection, *conditions: ColumnElement[bool]) -> dict[int, RunInfo]:
    """Runs with the number of their cells, of those reused and of those failed."""
    rows = connection.execute(select(runs).where(*conditions).order_by(runs.c.id)).all()
    reused = case((cells.c.run != run_cells.c.run, 1), else_=0)
    failed = case((cells.c.status.in_(["ok", "skipped"]), 0), else_=1)
    counts = (
        select(run_cells.c.run, func.count(), func.sum(reused), func.sum(failed))
        .join(cells, cells.c.id == run_cells.c.cell)
        .where(among(connection, run_cells.c.run, [row.id for row in rows]))
        .group_by(run_cells.c.run)
    )
    numbers = {row[0]: tuple(row[1:]) for row in connection.execute(counts)}
    return {row.id: run_info(row, *numbers.get(row.id, ())) for row in rows}


def labels_like(
    connection: Connection, column: Column[Any], patterns: str | Sequence[str]
) -> ColumnElement[bool]:
    """A condition: a label has a part, or as a whole is of one of some patterns.

    Patterns have ``*`` and ``?``. Case is ignored, in any script.
    """
    texts = [patterns] if isinstance(patterns, str) else patterns
    folded = [text.casefold() for text in texts]
    wildcards = [re.escape(text).replace(r"\*", ".*").replace(r"\?", ".") for text in folded]
    matches = re.compile("|".join(wildcards), re.DOTALL).fullmatch
    labels = connection.execute(select(column).distinct()).scalars().all()
    return column.in_(
        [
            label
            for label in labels
            if any(text in label.casefold() for text in folded) or matches(label.casefold())
        ]
    )


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the garbage collector, which would look through a million new rows again and again.

    None of them is garbage; reading many cells takes half as long again with it.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
