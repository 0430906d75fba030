"""Questions to the tables of the store, inside a transaction."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    bindparam,
    case,
    func,
    null,
    select,
    union_all,
)

from hcbench.outcome import Measured, Value
from hcbench.store.rows import (
    Record,
    RunInfo,
    cell_row,
    matches,
    point_rows,
    run_info,
    value_of_row,
)
from hcbench.store.schema import END, cells, metric_values, points, run_cells, runs

T = TypeVar("T")
CHUNK = 800  # below the 999 variables that old versions of SQLite allow
#: Made once, as it is asked whenever a cell is saved; the highest id of all has no key.
_LATEST_IDS = union_all(
    select(cells.c.key, func.max(cells.c.id))
    .where(cells.c.key.in_(bindparam("keys", expanding=True)))
    .group_by(cells.c.key),
    select(null(), func.max(cells.c.id)),
)


def measured_points(
    connection: Connection, ids: Sequence[int], metric_keys: Mapping[str, str] | None = None
) -> dict[int, tuple[Measured, ...]]:
    """Points with values, without results, of at most `CHUNK` rows of cells.

    Of the metrics that are wanted, by their keys; or of all, the latest value of each label.
    """
    if not ids:
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
    ).where(value.cell.in_(ids))
    labels_of: dict[str, list[str]] = {}
    for label, key in (metric_keys or {}).items():
        labels_of.setdefault(key, []).append(label)
    if metric_keys is None:
        wanted = wanted.order_by(value.run)
    else:
        wanted = wanted.where(value.metric_key.in_(list(labels_of)))
    values: dict[tuple[int, int], dict[str, Value]] = {}
    for cell, checkpoint, metric_key, metric, number, status, reason in connection.execute(
        wanted
    ).all():
        at_point = values.setdefault((cell, checkpoint), {})
        for label in labels_of[metric_key] if metric_keys is not None else (metric,):
            at_point[label] = value_of_row(number, status, reason)
    columns = (points.c.checkpoint, points.c.queries, points.c.cell)
    found: dict[int, list[Measured]] = {}
    rows = connection.execute(select(*columns).where(points.c.cell.in_(ids))).all()
    for checkpoint, queries, cell in sorted(rows, key=in_order):
        point = Measured(
            checkpoint=None if checkpoint == END else checkpoint,
            queries=queries,
            values=values.get((cell, checkpoint), {}),
        )
        found.setdefault(cell, []).append(point)
    return {cell: tuple(points_of) for cell, points_of in found.items()}


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
