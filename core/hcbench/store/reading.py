"""Reading many cells at once, in columns."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import lru_cache
from sys import intern
from typing import Any, TypeVar

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from hcbench.errors import DamagedRunError
from hcbench.plan.columns import COSTS, FIELDS, Coded, Outcomes, PointColumns, Values, column_of
from hcbench.plan.outcome import Value
from hcbench.store.database import fetch
from hcbench.store.rows import LEFT_OUT, NAN, types_of
from hcbench.store.schema import END, LOST, cells, is_reported, metric_values, points, read_budget

T = TypeVar("T", bound=Hashable)
_LONG = ("traceback", "log")  # only read when one cell is shown
_COLUMNS = tuple(name for name in (*FIELDS, *COSTS, "run") if name in cells.c and name not in _LONG)


def _key(written: str) -> str:
    return "" if written.startswith(LEFT_OUT) else written


def _notes(written: str) -> tuple[str, ...]:
    return tuple(map(intern, json.loads(written))) if written else ()


#: How columns are read, of equal texts one for all rows.
_READERS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("algorithm", "dataset", "oracle", "status"), intern),
    **dict.fromkeys(("reason", "phase", "host", "data_digest", "stopped"), intern),
    "key": _key,
    "notes": _notes,
    "seed": lru_cache(int),
    "budget": read_budget,
}


def read_cells(
    connection: sa.Connection,
    wanted: sa.Select[tuple[int]],
    metric_keys: Mapping[str, str] | None = None,
    run: int | None = None,
) -> Outcomes:
    """Cells in the order of their rows, without results, traceback and log.

    Besides the fields of outcomes there are ``row``, and ``run``, which measured it.

    Parameters
    ----------
    connection : Connection
    wanted : Select
        Of the rows.
    metric_keys : mapping of label to key, optional
        Of the metrics whose values are wanted, besides reported numbers; by default all, the latest
        of each label.
    run : int, optional
        Cells that another run measured are reused.

    Raises
    ------
    DamagedRunError
        If a cell cannot be read.
    """
    try:
        return _read_cells(connection, wanted.subquery(), metric_keys, run)
    except (ValueError, TypeError, AttributeError) as error:
        which = f"run {run}" if run else "the store"
        way_out = f"; remove it with: hcbench results rm {run}" if run else ""
        text = f"{which} is damaged: a cell cannot be read ({error}){way_out}"
        raise DamagedRunError(text) from error


def _read_cells(
    connection: sa.Connection, ids: sa.Subquery, keys: Mapping[str, str] | None, run: int | None
) -> Outcomes:
    (key,) = ids.c
    columns: dict[str, list[Any]] = {name: [] for name in ("row", *_COLUMNS)}
    chosen = sa.select(cells.c.id, *(cells.c[name] for name in _COLUMNS))
    chosen = chosen.join(ids, key == cells.c.id).order_by(key)
    for part in _fetch(connection, chosen):
        for (name, column), written in zip(columns.items(), part, strict=True):
            column.extend(map(_READERS[name], written) if name in _READERS else written)
    rows = np.array(columns["row"], dtype=np.int64)
    by = columns["run"]
    columns["reused"] = [run is not None and run != number for number in by]
    columns |= dict.fromkeys(_LONG, [""] * rows.size)
    measured = _read_points(connection, ids, rows, keys)
    # Each list goes before the next column is made.
    return Outcomes({name: Coded.of(columns.pop(name)) for name in [*columns]}, measured)


def _read_points(
    connection: sa.Connection,
    ids: sa.Subquery,
    rows: NDArray[np.int64],
    metric_keys: Mapping[str, str] | None,
) -> dict[int | None, PointColumns]:
    """What is measured at each checkpoint and at the end, for cells by their rows."""
    value, point = metric_values.c, points.c
    (wanted,) = ids.c
    by_checkpoint: dict[int, PointColumns] = {}
    queries_at: dict[int, NDArray[np.object_]] = {}
    labels_of: dict[str, list[str]] = {}
    for label, key in (metric_keys or {}).items():
        labels_of.setdefault(key, []).append(label)
    at_point = (value.cell == point.cell) & (value.checkpoint == point.checkpoint)
    numbers_at = sa.select(value.value).where(at_point)
    by_key = (numbers_at.where(value.metric_key == key).label(None) for key in labels_of)
    chosen = sa.select(point.cell, point.checkpoint, point.queries, *by_key)
    chosen = chosen.join(ids, wanted == point.cell)
    for of_cell, checkpoints, queries, *columns in _fetch(connection, chosen):
        places = _places(rows, of_cell)
        for checkpoint, at in _split(checkpoints):
            if checkpoint not in by_checkpoint:
                by_checkpoint[checkpoint] = PointColumns.of([None] * rows.size)
                queries_at[checkpoint] = np.full(rows.size, None)
            by_checkpoint[checkpoint].present[places[at]] = True
            queries_at[checkpoint][places[at]] = column_of(queries)[at]
            for labels, column in zip(labels_of.values(), columns, strict=True):
                known = np.array(column, dtype=np.float64)[at]
                for label in labels if not np.isnan(known).all() else ():
                    _numbers_of(by_checkpoint[checkpoint], label)[places[at]] = known
    for checkpoint, known_queries in queries_at.items():
        by_checkpoint[checkpoint].queries = Coded.of(known_queries)
    others_at: dict[tuple[int, str], dict[int, Value]] = {}
    # What most rows have is None, and the label is left out where it is known: texts take long.
    usual = {value.status: "ok", value.reason: ""}
    unusual = [sa.func.nullif(*pair, type_=sa.Text) for pair in usual.items()]
    called = (value.metric,) if metric_keys is None else ()
    names = (value.cell, value.checkpoint, value.value, *unusual, value.metric_key, *called)
    measured = sa.select(*names).join(ids, wanted == value.cell)
    if metric_keys is None:
        measured = measured.order_by(value.run)
    else:  # the others are numbers, which are known
        of_run = value.metric_key.in_(list(labels_of))
        is_special = value.value.is_(None) | sa.func.coalesce(*unusual).is_not(None)
        measured = measured.where(of_run & is_special | is_reported)
    for part in _fetch(connection, measured):
        of_cell, checkpoints, numbers, statuses, reasons, *metric = part
        places = _places(rows, of_cell)
        known = np.array(numbers, dtype=np.float64)
        told = (column_of(texts) != np.array(None) for texts in (statuses, reasons))
        special = np.logical_or.reduce([np.isnan(known), *told])
        for (checkpoint, *of_metric), at in _split([*zip(checkpoints, *metric, strict=True)]):
            if checkpoint not in by_checkpoint:
                continue  # of a damaged store
            for name in labels_of.get(of_metric[0], of_metric[-1:]):
                _numbers_of(by_checkpoint[checkpoint], name)[places[at]] = known[at]
                others = others_at.setdefault((checkpoint, name), {})
                for i in at[special[at]].tolist():
                    read = _value(numbers[i], statuses[i] or "ok", reasons[i] or "")
                    others[int(places[i])] = read
                if metric_keys is None and others:  # the latest is last
                    for place in places[at[~special[at]]].tolist():
                        others.pop(place, None)
    for (checkpoint, name), others in others_at.items():
        measured_values = by_checkpoint[checkpoint].values
        measured_values[name] = Values.of_numbers(measured_values[name].numbers, others)
    return {
        None if checkpoint == END else checkpoint: of_point
        for checkpoint, of_point in sorted(by_checkpoint.items(), key=lambda c: (c[0] == END, c[0]))
    }


def _numbers_of(point: PointColumns, label: str) -> NDArray[np.float64]:
    """The numbers of a metric at a point, NaN if there are none yet."""
    if label not in point.values:
        point.values[label] = Values.of_numbers(np.full(point.present.size, np.nan))
    return point.values[label].numbers


def _fetch(connection: sa.Connection, chosen: sa.Select[Any]) -> Iterator[Any]:
    """The rows of a query, some at a time, as columns of the types that they should have."""
    kinds = [types_of(column) for column in chosen.selected_columns]
    for part in fetch(connection, chosen):
        columns = tuple(zip(*part, strict=True))
        for column, allowed in zip(columns, kinds, strict=True):
            if not {*map(type, column)} <= allowed:
                raise TypeError("it is of another type than its column")
        yield columns


def _places(rows: NDArray[np.int64], of_cell: Any) -> NDArray[np.intp]:
    """The places of cells among rows in order."""
    places: NDArray[np.intp] = np.searchsorted(rows, of_cell)
    if not (rows.size and np.array_equal(rows.take(places, mode="clip"), of_cell)):
        raise ValueError("its row is missing")
    return places


@lru_cache
def _value(number: float | None, status: Any, reason: str) -> Value:
    if status == NAN:
        return Value(np.nan, "ok", reason)
    if status == LOST:
        return Value(None, "error", reason, final=False)
    return Value(number, status, reason)


def _split(keys: Sequence[T]) -> Iterator[tuple[T, NDArray[np.intp]]]:
    """Each key that occurs, with its places."""
    coded = Coded.of(keys)
    for code, key in enumerate(coded.objects):
        yield key, np.flatnonzero(coded.codes == code)
