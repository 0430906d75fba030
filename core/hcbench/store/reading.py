"""Reading many cells at once, in columns."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import count
from sys import intern
from typing import Any, TypeVar

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from hcbench.errors import DamagedRunError
from hcbench.plan.columns import COSTS, FIELDS, Outcomes, PointColumns
from hcbench.plan.outcome import Value
from hcbench.plan.values import Coded, Values, column_of
from hcbench.store.database import fetch
from hcbench.store.rows import LEFT_OUT, LIMITS, NAN, types_of
from hcbench.store.schema import END, LOST, cells, is_reported, metric_values, points, read_budget

T = TypeVar("T", bound=Hashable)
#: Columns that are only read when one cell is shown.
_LONG = ("traceback", "log")
#: Columns that decide whether a cell has to run.
_DECIDING = ["key", "run", "status", "phase", *LIMITS]


def _names_of_columns() -> list[str]:
    """The columns that are read of many cells."""
    names = (*FIELDS, *COSTS, "run", *LIMITS)
    return [name for name in names if name in cells.c and name not in _LONG]


_COLUMNS = _names_of_columns()


def _key(stored: str) -> str:
    """The key of a cell; "" for an inapplicable combination, which has a row, but no cell."""
    return "" if stored.startswith(LEFT_OUT) else stored


def _notes(stored: str) -> tuple[str, ...]:
    """The notes of a cell. Equal texts of many cells are one object."""
    if not stored:
        return ()
    return tuple(map(intern, json.loads(stored)))


#: How what is stored in columns is read.
_READERS: dict[str, Any] = {"key": _key, "notes": _notes, "seed": int, "budget": read_budget}


class _Column:
    """A column that is read part by part, each different object of it once.

    Parameters
    ----------
    kinds : set of type
        What its objects have to be.
    read : callable, optional
        How they are read.
    """

    def __init__(self, kinds: set[type], read: Callable[[Any], Any] | None = None) -> None:
        self._kinds = kinds
        self._read = read
        # A new object gets the next code.
        self._code_of: defaultdict[Any, int] = defaultdict(count().__next__)
        self._parts = [np.empty(0, dtype=np.int32)]

    def add(self, part: tuple[Any, ...]) -> None:
        """Add the objects of some rows."""
        first = part[0]
        n = len(part)
        # Most columns have only one object.
        if part[-1] == first and part.count(first) == n:
            codes = np.full(n, self._code_of[first], dtype=np.int32)
        else:
            codes = np.fromiter(map(self._code_of.__getitem__, part), np.int32, n)
        self._parts.append(codes)

    def coded(self) -> Coded:
        """The whole column."""
        if not set(map(type, self._code_of)) <= self._kinds:
            raise TypeError("it is of another type than its column")
        stored_objects = list(self._code_of)
        if self._read is not None:
            stored_objects = list(map(self._read, stored_objects))
        objects = column_of(stored_objects)
        return Coded(np.concatenate(self._parts), objects).compact


def read_cells(
    connection: sa.Connection,
    wanted: sa.Select[tuple[int]],
    metric_keys: Mapping[str, str] | None = None,
    run: int | None = None,
    *,
    scored: bool = True,
) -> Outcomes:
    """Cells in the order of their rows, without results, traceback and log.

    Besides the fields of outcomes there are ``row``, ``run``, which measured it, and the limits
    ``timeout`` and ``memory`` that were in force.

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
    scored : bool
        Whether to read more than what decides whether a cell has to run.

    Raises
    ------
    DamagedRunError
        If a cell cannot be read.
    """
    try:
        ids = wanted.subquery()
        columns = _read_columns(connection, ids, scored)
        rows = columns["row"].objects.astype(np.int64)
        measured = _read_points(connection, ids, rows, metric_keys) if scored else {}
        return Outcomes(columns, measured).shown_by(run)
    except (ValueError, TypeError, AttributeError) as error:
        which = f"run {run}" if run else "the store"
        way_out = f"; remove it with: hcbench results rm {run}" if run else ""
        text = f"{which} is damaged: a cell cannot be read ({error}){way_out}"
        raise DamagedRunError(text) from error


def _read_columns(connection: sa.Connection, ids: sa.Subquery, scored: bool) -> dict[str, Coded]:
    """The columns of cells, in the order of their rows."""
    (cell_id,) = ids.c
    names = _COLUMNS if scored else _DECIDING
    unfinished = {name: _Column(types_of(cells.c[name]), _READERS.get(name)) for name in names}
    selected = [cells.c[name] for name in names]
    query = sa.select(cells.c.id, *selected).join(ids, cell_id == cells.c.id).order_by(cell_id)
    row_numbers: list[int] = []
    for part in fetch(connection, query):
        row_column, *object_columns = zip(*part, strict=True)
        row_numbers += row_column
        for column, objects in zip(unfinished.values(), object_columns, strict=True):
            column.add(objects)
    columns = {}
    for name in names:
        # The dictionary of a column is freed before the next column is made.
        columns[name] = unfinished.pop(name).coded()
    n = len(row_numbers)
    columns["row"] = Coded(np.arange(n, dtype=np.int32), column_of(row_numbers))
    nothing = Coded(np.zeros(n, dtype=np.uint8), column_of([""]))
    return columns | dict.fromkeys(_LONG, nothing)


def _read_points(
    connection: sa.Connection,
    ids: sa.Subquery,
    rows: NDArray[np.int64],
    metric_keys: Mapping[str, str] | None,
) -> dict[int | None, PointColumns]:
    """What is measured at each checkpoint and at the end, for cells by their rows."""
    # Metrics that differ only in their names have one key, and one stored value.
    labels_by_key: dict[str, list[str]] = {}
    for label, key in (metric_keys or {}).items():
        labels_by_key.setdefault(key, []).append(label)
    by_checkpoint = _read_numbers(connection, ids, rows, labels_by_key)
    all_metrics = metric_keys is None
    _read_values(connection, ids, rows, labels_by_key, by_checkpoint, all_metrics=all_metrics)
    points_in_order: dict[int | None, PointColumns] = {}
    for checkpoint in sorted(by_checkpoint.keys() - {END}):
        points_in_order[checkpoint] = by_checkpoint[checkpoint]
    if END in by_checkpoint:
        points_in_order[None] = by_checkpoint[END]
    return points_in_order


def _read_numbers(
    connection: sa.Connection,
    ids: sa.Subquery,
    rows: NDArray[np.int64],
    labels_by_key: Mapping[str, Sequence[str]],
) -> dict[int, PointColumns]:
    """The points of cells, with the numbers of the metrics of some keys.

    One query returns a row for each point with a column for each metric, which is much faster than
    a row for each value.
    """
    value, point = metric_values.c, points.c
    (cell_id,) = ids.c
    at_point = (value.cell == point.cell) & (value.checkpoint == point.checkpoint)
    numbers_at_point = sa.select(value.value).where(at_point)
    by_key = [numbers_at_point.where(value.metric_key == key).label(None) for key in labels_by_key]
    query = sa.select(point.cell, point.checkpoint, point.queries, *by_key)
    query = query.join(ids, cell_id == point.cell)

    queries = _Column(types_of(point.queries))
    types = [np.int64, np.int64] + [np.float64] * len(labels_by_key)
    # Each column in parts, of which the first is empty: there may be no point at all.
    parts: list[list[NDArray[Any]]] = [[np.empty(0, dtype=kind)] for kind in types]
    for cell_column, checkpoint_column, query_column, *number_columns in _fetch(connection, query):
        queries.add(query_column)
        columns = (cell_column, checkpoint_column, *number_columns)
        for part, column in zip(parts, columns, strict=True):
            part.append(np.array(column, dtype=part[0].dtype))
    cell_of_point, checkpoint_of_point, *numbers_by_key = map(np.concatenate, parts)
    places = _places(rows, cell_of_point)
    coded_queries = queries.coded()

    by_checkpoint: dict[int, PointColumns] = {}
    for checkpoint in np.unique(checkpoint_of_point).tolist():
        at = np.flatnonzero(checkpoint_of_point == checkpoint)
        present = np.zeros(rows.size, dtype=np.bool_)
        present[places[at]] = True
        queries_at = np.full(rows.size, None)
        queries_at[places[at]] = coded_queries.take(at)
        no_results = np.full(rows.size, None)
        columns_at = PointColumns(present, Coded.of(queries_at), no_results, {})
        by_checkpoint[checkpoint] = columns_at
        for labels, numbers in zip(labels_by_key.values(), numbers_by_key, strict=True):
            if np.isnan(numbers[at]).all():
                continue
            for label in labels:
                _numbers_of(columns_at, label)[places[at]] = numbers[at]
    return by_checkpoint


def _read_values(
    connection: sa.Connection,
    ids: sa.Subquery,
    rows: NDArray[np.int64],
    labels_by_key: Mapping[str, Sequence[str]],
    by_checkpoint: Mapping[int, PointColumns],
    *,
    all_metrics: bool,
) -> None:
    """Add what `_read_numbers` has not read to the points.

    These are all values if all metrics are read; otherwise those that are no plain numbers, and
    the numbers that algorithms reported.
    """
    query = _query_of_values(ids, labels_by_key, all_metrics=all_metrics)
    special_at: dict[tuple[int, str], dict[int, Value]] = {}
    for part in _fetch(connection, query):
        cell_column, checkpoints, numbers, statuses, reasons, *metric_columns = part
        places = _places(rows, cell_column)
        plain_numbers = np.array(numbers, dtype=np.float64)
        special = np.isnan(plain_numbers)
        for texts in (statuses, reasons):
            special |= column_of(texts) != np.array(None)
        keys = list(zip(checkpoints, *metric_columns, strict=True))
        for (checkpoint, *metric), at in _split(keys):
            if checkpoint not in by_checkpoint:
                # A value without a point, of a damaged store.
                continue
            # A key, and its label if all metrics are read. A reported number has its label as key.
            for label in labels_by_key.get(metric[0], metric[-1:]):
                label_numbers = _numbers_of(by_checkpoint[checkpoint], label)
                label_numbers[places[at]] = plain_numbers[at]
                special_values = special_at.setdefault((checkpoint, label), {})
                for i in at[special[at]].tolist():
                    special_values[int(places[i])] = _value(
                        numbers[i], statuses[i] or "ok", reasons[i] or ""
                    )
                if all_metrics and special_values:
                    # A later plain number replaces an earlier value that was none.
                    for place in places[at[~special[at]]].tolist():
                        special_values.pop(place, None)
    for (checkpoint, label), special_values in special_at.items():
        values = by_checkpoint[checkpoint].values
        values[label] = Values.of_numbers(values[label].numbers, special_values)


def _query_of_values(
    ids: sa.Subquery, labels_by_key: Mapping[str, Sequence[str]], *, all_metrics: bool
) -> sa.Select[Any]:
    """The query of `_read_values`: cell, checkpoint, number, status, reason, key and label.

    What most rows have is read as None, and the label only where it is unknown: texts take long.
    """
    value = metric_values.c
    (cell_id,) = ids.c
    unusual_status = sa.func.nullif(value.status, "ok", type_=sa.Text)
    unusual_reason = sa.func.nullif(value.reason, "", type_=sa.Text)
    selected = [value.cell, value.checkpoint, value.value, unusual_status, unusual_reason]
    selected.append(value.metric_key)
    if all_metrics:
        # Of equal labels the latest counts.
        selected.append(value.metric)
        return sa.select(*selected).join(ids, cell_id == value.cell).order_by(value.run)
    has_key = value.metric_key.in_(list(labels_by_key))
    is_special = sa.func.coalesce(unusual_status, unusual_reason).is_not(None)
    query = sa.select(*selected).join(ids, cell_id == value.cell)
    return query.where(has_key & (value.value.is_(None) | is_special) | is_reported)


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
            if not set(map(type, column)) <= allowed:
                raise TypeError("it is of another type than its column")
        yield columns


def _places(rows: NDArray[np.int64], of_cell: Any) -> NDArray[np.intp]:
    """The places of cells among rows in order."""
    places: NDArray[np.intp] = np.searchsorted(rows, of_cell)
    if not np.array_equal(np.append(rows, -1)[places], of_cell):
        raise ValueError("its row is missing")
    return places


@lru_cache
def _value(number: float | None, status: Any, reason: str) -> Value:
    """A value that is no plain number; equal ones are one object."""
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
