"""The cells of a large run as bytes, in columns, since reading a million rows takes long."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench.plan.columns import Coded, Outcomes, PointColumns, Values, column_of
from hcbench.plan.outcome import Value
from hcbench.store.codec import pack_arrays, unpack_arrays


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


def unpack_outcomes(packed: bytes) -> Outcomes:
    """Unpack what `pack_outcomes` made."""
    header, arrays = unpack_arrays(packed)
    columns = {name: _column(about, arrays) for name, about in header["columns"].items()}
    columns["notes"].objects[:] = column_of([*map(tuple, columns["notes"].objects)])
    points = {}
    for about in header["points"]:
        present = arrays[about["present"]].astype(np.bool_)
        values = {label: _values(of_one, arrays) for label, of_one in about["values"].items()}
        queries, none = _column(about["queries"], arrays), np.full(present.size, None)
        points[about["checkpoint"]] = PointColumns(present, queries, none, values)
    return Outcomes(columns, points)


def _add(arrays: dict[str, NDArray[Any]], array: NDArray[Any]) -> str:
    """Add an array; returns its name."""
    name = str(len(arrays))
    arrays[name] = array
    return name


def _pack_column(column: Coded, arrays: dict[str, NDArray[Any]]) -> dict[str, Any]:
    n = column.objects.size
    dtype = next((d for d in ("|u1", "<u2") if n <= np.iinfo(d).max), "<i4")
    codes = _add(arrays, column.codes.astype(dtype))
    if {*map(type, column.objects)} <= {float, type(None)}:  # a column has no NaN
        return {"codes": codes, "numbers": _add(arrays, column.objects.astype("<f8"))}
    return {"codes": codes, "objects": column.objects.tolist()}


def _column(about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Coded:
    codes = arrays[about["codes"]]
    if "objects" in about:
        return Coded(codes, column_of(about["objects"]))
    numbers = arrays[about["numbers"]]
    return Coded(codes, np.where(np.isnan(numbers), np.array(None), numbers))


def _pack_values(values: Values, arrays: dict[str, NDArray[Any]]) -> dict[str, Any]:
    special = [value and astuple(value) for value in values.special.objects]
    column = Coded(values.special.codes, column_of(special))
    return {"numbers": _add(arrays, values.numbers), "special": _pack_column(column, arrays)}


def _values(about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Values:
    special = _column(about["special"], arrays)
    objects = column_of([None if value is None else Value(*value) for value in special.objects])
    return Values(arrays[about["numbers"]], Coded(special.codes, objects))
