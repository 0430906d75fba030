"""The cells of a large run as bytes, in columns, since reading a million rows takes long."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple
from sys import intern
from types import NoneType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench.plan.columns import COSTS, FIELDS, Coded, Outcomes, PointColumns, Values, column_of
from hcbench.plan.outcome import Value
from hcbench.store.codec import checked, pack_arrays, unpack_arrays
from hcbench.store.rows import LIMITS, types_of
from hcbench.store.schema import cells

#: The types of the objects of each column.
_KINDS: dict[str, set[type]] = {
    name: types_of(cells.c[name]) for name in (*FIELDS, *COSTS, "run", *LIMITS) if name in cells.c
} | {"row": {int}, "seed": {int}, "notes": {list}, "reused": {bool}}


def pack_outcomes(outcomes: Outcomes) -> bytes:
    """Pack outcomes without their results."""
    arrays: dict[str, NDArray[Any]] = {}
    columns = {name: _pack_column(column, arrays) for name, column in outcomes.columns.items()}
    points = [
        {
            "checkpoint": checkpoint,
            "present": _add(arrays, point.present.astype(np.uint8)),
            "queries": _pack_column(point.queries, arrays),
            "values": {
                label: _pack_values(of_one, arrays) for label, of_one in point.values.items()
            },
        }
        for checkpoint, point in outcomes.by_checkpoint.items()
    ]
    return pack_arrays({"columns": columns, "points": points}, arrays)


def unpack_outcomes(packed: bytes, n: int) -> Outcomes:
    """Unpack what `pack_outcomes` made of a number of cells.

    Raises
    ------
    StoreError
        If it is something else: a store may come from anyone.
    """
    with checked():
        header, arrays = unpack_arrays(packed)
        columns = {
            name: _column(header["columns"][name], arrays, n, kinds)
            for name, kinds in _KINDS.items()
        }
        notes = columns["notes"].objects
        notes[:] = column_of([tuple(map(intern, each)) for each in notes])
        points = {}
        for about in header["points"]:
            present = _take(arrays, about["present"], n).astype(np.bool_)
            queries = _column(about["queries"], arrays, n, {int, NoneType})
            values = {name: _values(each, arrays, n) for name, each in about["values"].items()}
            points[about["checkpoint"]] = PointColumns(present, queries, np.full(n, None), values)
        if not {*map(type, points)} <= {int, NoneType}:
            raise ValueError("a checkpoint is no number")
        return Outcomes(columns, points)


def _add(arrays: dict[str, NDArray[Any]], array: NDArray[Any]) -> str:
    """Add an array; returns its name."""
    name = str(len(arrays))
    arrays[name] = array
    return name


def _pack_column(column: Coded, arrays: dict[str, NDArray[Any]]) -> dict[str, Any]:
    codes = _add(arrays, column.compact.codes)
    if {*map(type, column.objects)} <= {float, type(None)}:  # a column has no NaN
        return {"codes": codes, "numbers": _add(arrays, column.objects.astype("<f8"))}
    return {"codes": codes, "objects": column.objects.tolist()}


def _take(arrays: dict[str, NDArray[Any]], name: str, n: int) -> NDArray[Any]:
    """An array, which is used once, so that few bytes cannot become many columns."""
    array = arrays.pop(name)
    if array.size != n:
        raise ValueError("columns differ in length")
    return array


def _column(
    about: Mapping[str, Any], arrays: dict[str, NDArray[Any]], n: int, kinds: set[type]
) -> Coded:
    codes = _take(arrays, about["codes"], n)
    if "objects" in about:
        objects = column_of(about["objects"])
    else:
        numbers = arrays.pop(about["numbers"])
        objects = np.where(np.isnan(numbers), np.array(None), numbers)
    if n and not 0 <= codes.min() <= codes.max() < objects.size:
        raise ValueError("a code is out of range")
    if not {*map(type, objects)} <= kinds:
        raise TypeError("objects are of another type")
    return Coded(codes, objects)


def _pack_values(values: Values, arrays: dict[str, NDArray[Any]]) -> dict[str, Any]:
    special = [value and astuple(value) for value in values.special.objects]
    column = Coded(values.special.codes, column_of(special))
    return {"numbers": _add(arrays, values.numbers), "special": _pack_column(column, arrays)}


def _values(about: Mapping[str, Any], arrays: dict[str, NDArray[Any]], n: int) -> Values:
    special = _column(about["special"], arrays, n, {list, NoneType})
    objects = column_of([value and Value(*value) for value in special.objects])
    known = {(type(v.value), type(v.status), type(v.reason), type(v.final)) for v in objects if v}
    if not known <= {(kind, str, str, bool) for kind in (float, NoneType)}:
        raise TypeError("a value is of another type")
    return Values(_take(arrays, about["numbers"], n), Coded(special.codes, objects))
