"""Reading many cells at once, in columns."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
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
_DECIDING = ["key", "run", "status", "phase"] + list(LIMITS)


def _names_of_columns() -> list[str]:
    """The columns that are read of many cells."""
    names = []
    for name in list(FIELDS) + list(COSTS) + ["run"] + list(LIMITS):
        # Outcomes have some fields that are stored elsewhere, or not at all.
        if name in cells.c and name not in _LONG:
            names.append(name)
    return names


_COLUMNS = _names_of_columns()


def _key(stored: str) -> str:
    """The key of a cell; "" for an inapplicable combination, which has a row, but no cell."""
    if stored.startswith(LEFT_OUT):
        return ""
    return stored


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
    rows: sa.Select[tuple[int]],
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
    rows : Select
        The query of the rows of the cells.
    metric_keys : mapping of label to key, optional
        Of the metrics whose values are read, besides reported numbers; by default all, the latest
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
        ids = rows.subquery()
        names = _DECIDING
        if scored:
            names = _COLUMNS
        columns = _read_columns(connection, ids, names)
        measured: dict[int | None, PointColumns] = {}
        if scored:
            row_numbers = columns["row"].objects.astype(np.int64)
            measured = _read_points(connection, ids, row_numbers, metric_keys)
        return Outcomes(columns, measured).shown_by(run)
    except (ValueError, TypeError, AttributeError) as error:
        text = f"the store is damaged: a cell cannot be read ({error})"
        if run:
            text = (
                f"run {run} is damaged: a cell cannot be read ({error}); remove it with: hcbench "
                f"results rm {run}"
            )
        raise DamagedRunError(text) from error


def _read_columns(
    connection: sa.Connection, ids: sa.Subquery, names: Sequence[str]
) -> dict[str, Coded]:
    """Some columns of cells, in the order of their rows."""
    (cell_id,) = ids.c
    selected = [cells.c.id]
    unfinished = {}
    for name in names:
        selected.append(cells.c[name])
        unfinished[name] = _Column(types_of(cells.c[name]), _READERS.get(name))
    query = sa.select(*selected).join(ids, cell_id == cells.c.id).order_by(cell_id)
    row_numbers: list[int] = []
    for part in fetch(connection, query):
        # A part is a list of rows: made columns, of which the first one are their numbers.
        columns_of_part = list(zip(*part, strict=True))
        row_numbers += columns_of_part[0]
        for column, objects in zip(unfinished.values(), columns_of_part[1:], strict=True):
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
    numbers = _PointNumbers(len(labels_by_key))
    for part in _fetch(connection, _query_of_numbers(ids, labels_by_key)):
        numbers.add(part)
    return numbers.by_checkpoint(rows, list(labels_by_key.values()))


def _query_of_numbers(ids: sa.Subquery, keys: Iterable[str]) -> sa.Select[Any]:
    """The query of `_read_numbers`: cell, checkpoint, queries, and a number for each key."""
    value = metric_values.c
    point = points.c
    (cell_id,) = ids.c
    at_point = (value.cell == point.cell) & (value.checkpoint == point.checkpoint)
    numbers_at_point = sa.select(value.value).where(at_point)
    selected: list[Any] = [point.cell, point.checkpoint, point.queries]
    for key in keys:
        selected.append(numbers_at_point.where(value.metric_key == key).label(None))
    return sa.select(*selected).join(ids, cell_id == point.cell)


class _PointNumbers:
    """The points of cells and the numbers of some metrics at each, read part by part.

    Parameters
    ----------
    n_metrics : int
    """

    def __init__(self, n_metrics: int) -> None:
        self._queries = _Column(types_of(points.c.queries))
        # Each column in parts, of which the first is empty: there may be no point at all.
        self._cells = [np.empty(0, dtype=np.int64)]
        self._checkpoints = [np.empty(0, dtype=np.int64)]
        self._numbers = [[np.empty(0, dtype=np.float64)] for _ in range(n_metrics)]

    def add(self, part: Sequence[tuple[Any, ...]]) -> None:
        """Add some rows, as columns in the order of `_query_of_numbers`."""
        cell_column, checkpoint_column, query_column = part[:3]
        self._cells.append(np.array(cell_column, dtype=np.int64))
        self._checkpoints.append(np.array(checkpoint_column, dtype=np.int64))
        self._queries.add(query_column)
        for parts, column in zip(self._numbers, part[3:], strict=True):
            # NULL is NaN.
            parts.append(np.array(column, dtype=np.float64))

    def by_checkpoint(
        self, rows: NDArray[np.int64], labels: Sequence[Sequence[str]]
    ) -> dict[int, PointColumns]:
        """What is at each checkpoint, for cells by their rows; the labels are of each metric."""
        checkpoint_of_point = np.concatenate(self._checkpoints)
        places = _places(rows, np.concatenate(self._cells))
        numbers = [np.concatenate(parts) for parts in self._numbers]
        queries = self._queries.coded()
        columns: dict[int, PointColumns] = {}
        for checkpoint in np.unique(checkpoint_of_point).tolist():
            at = np.flatnonzero(checkpoint_of_point == checkpoint)
            point = _point_of_cells(rows.size, places[at], queries.take(at))
            columns[checkpoint] = point
            for labels_of_metric, numbers_of_metric in zip(labels, numbers, strict=True):
                if np.isnan(numbers_of_metric[at]).all():
                    continue
                for label in labels_of_metric:
                    _numbers_of(point, label)[places[at]] = numbers_of_metric[at]
        return columns


def _point_of_cells(n: int, places: NDArray[np.intp], queries: NDArray[Any]) -> PointColumns:
    """A point that some of n cells have, without values."""
    present = np.zeros(n, dtype=np.bool_)
    present[places] = True
    queries_of_cells = np.full(n, None)
    queries_of_cells[places] = queries
    no_results = np.full(n, None)
    return PointColumns(present, Coded.of(queries_of_cells), no_results, {})


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
    # By checkpoint and label, those that are no plain numbers, by the places of their cells.
    special_at: dict[tuple[int, str], dict[int, Value]] = {}
    for part in _fetch(connection, query):
        cell_column, checkpoints, numbers, statuses, reasons = part[:5]
        # A key, and its label if all metrics are read.
        metric_columns = part[5:]
        places = _places(rows, cell_column)
        plain_numbers = np.array(numbers, dtype=np.float64)
        special = np.isnan(plain_numbers)
        for texts in (statuses, reasons):
            special |= column_of(texts) != np.array(None)
        metrics = list(zip(checkpoints, *metric_columns, strict=True))
        for (checkpoint, *metric), at in _split(metrics):
            if checkpoint not in by_checkpoint:
                # A value without a point, of a damaged store.
                continue
            # A reported number has its label as key.
            for label in labels_by_key.get(metric[0], metric[-1:]):
                label_numbers = _numbers_of(by_checkpoint[checkpoint], label)
                label_numbers[places[at]] = plain_numbers[at]
                special_values = special_at.setdefault((checkpoint, label), {})
                for i in at[special[at]].tolist():
                    value = _value(numbers[i], statuses[i] or "ok", reasons[i] or "")
                    special_values[int(places[i])] = value
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
        selected.append(value.metric)
    query = sa.select(*selected).join(ids, cell_id == value.cell)
    if all_metrics:
        # Of equal labels the latest counts.
        return query.order_by(value.run)
    has_key = value.metric_key.in_(list(labels_by_key))
    is_special = sa.func.coalesce(unusual_status, unusual_reason).is_not(None)
    return query.where(has_key & (value.value.is_(None) | is_special) | is_reported)


def _numbers_of(point: PointColumns, label: str) -> NDArray[np.float64]:
    """The numbers of a metric at a point, NaN if there are none yet."""
    if label not in point.values:
        point.values[label] = Values.of_numbers(np.full(point.present.size, np.nan))
    return point.values[label].numbers


def _fetch(connection: sa.Connection, query: sa.Select[Any]) -> Iterator[Any]:
    """The rows of a query, some at a time, as columns of the types that they should have."""
    types = [types_of(column) for column in query.selected_columns]
    for part in fetch(connection, query):
        columns = tuple(zip(*part, strict=True))
        for column, types_of_column in zip(columns, types, strict=True):
            if not set(map(type, column)) <= types_of_column:
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
