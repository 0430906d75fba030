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
from hcbench.plan.columns import COSTS, FIELDS, Coded, Outcomes, PointColumns, Values, column_of
from hcbench.plan.outcome import Value
from hcbench.store.database import fetch
from hcbench.store.rows import LEFT_OUT, LIMITS, NAN, types_of
from hcbench.store.schema import END, LOST, cells, is_reported, metric_values, points, read_budget

T = TypeVar("T", bound=Hashable)
_LONG = ("traceback", "log")  # only read when one cell is shown
_COLUMNS = [n for n in (*FIELDS, *COSTS, "run", *LIMITS) if n in cells.c and n not in _LONG]
_DECIDING = ["key", "run", "status", "phase", *LIMITS]


def _key(written: str) -> str:
    return "" if written.startswith(LEFT_OUT) else written


def _notes(written: str) -> tuple[str, ...]:
    return tuple(map(intern, json.loads(written))) if written else ()


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
        self._kinds, self._read = kinds, read
        self._code_of: defaultdict[Any, int] = defaultdict(count().__next__)
        self._parts = [np.empty(0, dtype=np.int32)]

    def add(self, part: tuple[Any, ...]) -> None:
        """Add the objects of some rows."""
        first, n = part[0], len(part)
        if part[-1] == first and part.count(first) == n:  # most columns have only one object
            codes = np.full(n, self._code_of[first], dtype=np.int32)
        else:
            codes = np.fromiter(map(self._code_of.__getitem__, part), np.int32, n)
        self._parts.append(codes)

    def coded(self) -> Coded:
        """The whole column."""
        if not {*map(type, self._code_of)} <= self._kinds:
            raise TypeError("it is of another type than its column")
        objects = column_of([*map(self._read, self._code_of)] if self._read else self._code_of)
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
    (key,) = ids.c
    names = _COLUMNS if scored else _DECIDING
    read = {name: _Column(types_of(cells.c[name]), _READERS.get(name)) for name in names}
    chosen = sa.select(cells.c.id, *(cells.c[name] for name in names))
    chosen = chosen.join(ids, key == cells.c.id).order_by(key)
    numbers: list[int] = []
    for part in fetch(connection, chosen):
        of_rows, *others = zip(*part, strict=True)
        numbers += of_rows
        for column, objects in zip(read.values(), others, strict=True):
            column.add(objects)
    # Each dictionary goes before the next column is made.
    columns = {name: read.pop(name).coded() for name in names}
    columns["row"] = Coded(np.arange(len(numbers), dtype=np.int32), column_of(numbers))
    nothing = Coded(np.zeros(len(numbers), dtype=np.uint8), column_of([""]))
    return columns | dict.fromkeys(_LONG, nothing)


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
    labels_of: dict[str, list[str]] = {}
    for label, key in (metric_keys or {}).items():
        labels_of.setdefault(key, []).append(label)
    at_point = (value.cell == point.cell) & (value.checkpoint == point.checkpoint)
    numbers_at = sa.select(value.value).where(at_point)
    by_key = (numbers_at.where(value.metric_key == key).label(None) for key in labels_of)
    chosen = sa.select(point.cell, point.checkpoint, point.queries, *by_key)
    chosen = chosen.join(ids, wanted == point.cell)
    queries = _Column(types_of(point.queries))
    kinds = np.int64, np.int64, *[np.float64] * len(labels_of)
    parts: list[list[NDArray[Any]]] = [[np.empty(0, kind)] for kind in kinds]
    for of_cell, checkpoints, asked, *columns in _fetch(connection, chosen):
        queries.add(asked)
        for part, column in zip(parts, (of_cell, checkpoints, *columns), strict=True):
            part.append(np.array(column, dtype=part[0].dtype))
    its_cell, reached, *numbers = map(np.concatenate, parts)
    places, coded = _places(rows, its_cell), queries.coded()
    for checkpoint in np.unique(reached).tolist():
        at = np.flatnonzero(reached == checkpoint)
        present, asked_at = np.zeros(rows.size, dtype=np.bool_), np.full(rows.size, None)
        present[places[at]], asked_at[places[at]] = True, coded.take(at)
        of_point = PointColumns(present, Coded.of(asked_at), np.full(rows.size, None), {})
        by_checkpoint[checkpoint] = of_point
        for labels, of_key in zip(labels_of.values(), numbers, strict=True):
            for label in labels if not np.isnan(of_key[at]).all() else ():
                _numbers_of(of_point, label)[places[at]] = of_key[at]
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
    if not np.array_equal(np.append(rows, -1)[places], of_cell):
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
