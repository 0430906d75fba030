"""The cells of a large run as bytes, in columns, since reading a million rows takes long."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple
from sys import intern
from types import NoneType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench.plan.columns import COSTS, FIELDS, Outcomes, PointColumns
from hcbench.plan.outcome import Value
from hcbench.plan.values import Coded, Values, column_of
from hcbench.store.codec import checked, pack_arrays, unpack_arrays
from hcbench.store.rows import LIMITS, types_of
from hcbench.store.schema import cells


def _types_of_columns() -> dict[str, set[type]]:
    """The types of the objects of each column."""
    types: dict[str, set[type]] = {}
    for name in list(FIELDS) + list(COSTS) + ["run"] + list(LIMITS):
        if name in cells.c:
            types[name] = types_of(cells.c[name])
    # These are stored in another form than they have here, or are in no row.
    types["row"] = {int}
    types["seed"] = {int}
    types["notes"] = {list}
    types["reused"] = {bool}
    return types


_TYPES = _types_of_columns()


def pack_outcomes(outcomes: Outcomes) -> bytes:
    """Pack outcomes without their results."""
    # Filled while columns are packed: these refer to their arrays by name.
    arrays: dict[str, NDArray[Any]] = {}
    columns = {}
    for name, column in outcomes.columns.items():
        columns[name] = _pack_column(column, arrays)
    points = []
    for checkpoint, point in outcomes.by_checkpoint.items():
        points.append(_pack_point(checkpoint, point, arrays))
    return pack_arrays({"columns": columns, "points": points}, arrays)


def _pack_point(
    checkpoint: int | None, point: PointColumns, arrays: dict[str, NDArray[Any]]
) -> dict[str, Any]:
    """What all cells have at a checkpoint, or at the end."""
    # In this order arrays are named.
    present = _add(arrays, point.present.astype(np.uint8))
    queries = _pack_column(point.queries, arrays)
    values = {}
    for label, values_of_metric in point.values.items():
        values[label] = _pack_values(values_of_metric, arrays)
    return {"checkpoint": checkpoint, "present": present, "queries": queries, "values": values}


def unpack_outcomes(packed: bytes, n: int) -> Outcomes:
    """Unpack what `pack_outcomes` made of a number of cells.

    Raises
    ------
    StoreError
        If it is something else: a store may come from anyone.
    """
    with checked():
        header, arrays = unpack_arrays(packed)
        columns = {}
        for name, types in _TYPES.items():
            columns[name] = _column(header["columns"][name], arrays, n, types)
        # Lists of texts became tuples in outcomes, which share equal texts.
        notes = columns["notes"].objects
        notes[:] = column_of([tuple(map(intern, texts)) for texts in notes])
        points = {}
        for header_of_point in header["points"]:
            checkpoint = header_of_point["checkpoint"]
            # The checkpoint of the end is None.
            if type(checkpoint) not in (int, NoneType):
                raise ValueError("a checkpoint is no number")
            points[checkpoint] = _unpack_point(header_of_point, arrays, n)
        return Outcomes(columns, points)


def _unpack_point(
    header: Mapping[str, Any], arrays: dict[str, NDArray[Any]], n: int
) -> PointColumns:
    """What `_pack_point` packed."""
    present = _take(arrays, header["present"], n).astype(np.bool_)
    queries = _column(header["queries"], arrays, n, {int, NoneType})
    values = {}
    for label, header_of_values in header["values"].items():
        values[label] = _values(header_of_values, arrays, n)
    no_results = np.full(n, None)
    return PointColumns(present, queries, no_results, values)


def _add(arrays: dict[str, NDArray[Any]], array: NDArray[Any]) -> str:
    """Add an array; returns its name."""
    name = str(len(arrays))
    arrays[name] = array
    return name


def _pack_column(column: Coded, arrays: dict[str, NDArray[Any]]) -> dict[str, Any]:
    """A column whose objects are an array if they are numbers or None."""
    codes = _add(arrays, column.compact.codes)
    # A column has no NaN, so that NaN can stand for None.
    if set(map(type, column.objects)) <= {float, NoneType}:
        return {"codes": codes, "numbers": _add(arrays, column.objects.astype("<f8"))}
    return {"codes": codes, "objects": column.objects.tolist()}


def _take(arrays: dict[str, NDArray[Any]], name: str, n: int) -> NDArray[Any]:
    """An array, which is used once, so that few bytes cannot become many columns."""
    array = arrays.pop(name)
    if array.size != n:
        raise ValueError("columns differ in length")
    return array


def _column(
    header: Mapping[str, Any], arrays: dict[str, NDArray[Any]], n: int, types: set[type]
) -> Coded:
    """The column that `_pack_column` packed, with objects of these types only."""
    codes = _take(arrays, header["codes"], n)
    if "objects" in header:
        objects = column_of(header["objects"])
    else:
        numbers = arrays.pop(header["numbers"])
        objects = np.where(np.isnan(numbers), np.array(None), numbers)
    if n and not 0 <= codes.min() <= codes.max() < objects.size:
        raise ValueError("a code is out of range")
    if not set(map(type, objects)) <= types:
        raise TypeError("objects are of another type")
    return Coded(codes, objects)


def _pack_values(values: Values, arrays: dict[str, NDArray[Any]]) -> dict[str, Any]:
    special: list[tuple[Any, ...] | None] = []
    for value in values.special.objects:
        if value is None:
            # An ordinary number, which is among the numbers.
            special.append(None)
        else:
            special.append(astuple(value))
    column = Coded(values.special.codes, column_of(special))
    return {"numbers": _add(arrays, values.numbers), "special": _pack_column(column, arrays)}


def _values(header: Mapping[str, Any], arrays: dict[str, NDArray[Any]], n: int) -> Values:
    """The values that `_pack_values` packed."""
    special = _column(header["special"], arrays, n, {list, NoneType})
    values: list[Value | None] = []
    for fields in special.objects:
        if fields is None:
            values.append(None)
            continue
        value = Value(*fields)
        if not _has_types_of_value(value):
            raise TypeError("a value is of another type")
        values.append(value)
    numbers = _take(arrays, header["numbers"], n)
    return Values(numbers, Coded(special.codes, column_of(values)))


def _has_types_of_value(value: Value) -> bool:
    """Whether the fields of a value have their types; whoever wrote a store may differ."""
    return (
        type(value.value) in (float, NoneType)
        and type(value.status) is str
        and type(value.reason) is str
        and type(value.final) is bool
    )
