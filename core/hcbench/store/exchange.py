"""A run as plain values, and back: exports and imports.

A description has the rows of the tables: ``runs`` (the run first, then those that measured what it
reuses) and ``cells``, each with its ``points`` and their ``values``. It has results only on
request: the bytes of `hcbench.store.codec` in base64. Everything is checked before it is stored,
and nothing in it is executed.
"""

from __future__ import annotations

import math
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import sqlalchemy as sa

from hcbench.errors import DamagedRunError, StoreError
from hcbench.plan.presentation import Presentation
from hcbench.store.merge import Merged, check_rows, merge_stores
from hcbench.store.rows import RunInfo, from_json, presented
from hcbench.store.schema import (
    SCHEMA_VERSION,
    VERSION,
    cells,
    is_reported,
    metric_values,
    points,
    run_cells,
    runs,
)
from hcbench.store.store import Store, among

Description: TypeAlias = dict[str, Any]


def describe_run(store: Store, run: RunInfo, *, trees: bool = False) -> Description:
    """Describe a run in plain values, with everything that its cells and values refer to.

    Parameters
    ----------
    store : Store
    run : RunInfo
    trees : bool
        Whether to include the results, trees and partitions.

    Returns
    -------
    dict
        Valid as strict JSON: infinite numbers are strings.
    """
    linked = sa.select(run_cells.c.cell).where(run_cells.c.run == run.id).order_by(run_cells.c.cell)
    with store.database.reading() as connection:
        ids = list(connection.execute(linked).scalars())
        described = _describe_cells(connection, ids, run.metric_keys, trees)
        numbers = {run.id, *(cell["run"] for cell in described)}
        for cell in described:
            numbers |= {value["run"] for point in cell["points"] for value in point["values"]}
        rows = _rows(connection, runs, runs.c.id.in_(sorted(numbers)))
    own_first = sorted(rows, key=lambda row: (row["id"] != run.id, row["id"]))
    return {VERSION: SCHEMA_VERSION, "runs": own_first, "cells": described}


def _describe_cells(
    connection: sa.Connection, ids: Sequence[int], keys: Mapping[str, str] | None, trees: bool
) -> list[dict[str, Any]]:
    rows = _rows(connection, cells, among(connection, cells.c.id, ids))
    described = {row["id"]: {**row, "points": []} for row in rows}
    at_point: dict[tuple[int, int], list[dict[str, Any]]] = {}
    wanted = [among(connection, metric_values.c.cell, ids)]
    if keys is not None:
        wanted.append(metric_values.c.metric_key.in_(list(keys.values())) | is_reported)
    for row in _rows(connection, metric_values, *wanted):
        at_point.setdefault((row.pop("cell"), row.pop("checkpoint")), []).append(row)
    without = () if trees else ("result",)
    for row in _rows(connection, points, among(connection, points.c.cell, ids), without=without):
        cell = row.pop("cell")
        values = at_point.get((cell, row["checkpoint"]), [])
        described[cell]["points"].append({**row, "values": values})
    return list(described.values())


def _rows(
    connection: sa.Connection, table: sa.Table, *where: Any, without: Sequence[str] = ()
) -> list[dict[str, Any]]:
    columns = [column for column in table.c if column.name not in without]
    wanted = sa.select(*columns).where(*where).order_by(*table.primary_key)
    rows = [dict(row) for row in connection.execute(wanted).mappings()]
    check_rows(table, rows, "the store")
    return [{name: _plain(value) for name, value in row.items()} for row in rows]


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return b64encode(value).decode()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def import_run(store: Store, described: Description, source: str) -> Merged:
    """Store a run that was described elsewhere, as if its store had been merged.

    Parameters
    ----------
    store : Store
    described : dict
        Of `describe_run`, possibly read from JSON.
    source : str
        Its name in messages.

    Raises
    ------
    StoreError
        If it is of another version of hcbench, or damaged.
    """
    version = described.get(VERSION) if isinstance(described, dict) else None
    if version != SCHEMA_VERSION:
        raise StoreError(
            f"{source} was exported by another version of hcbench (schema {str(version)[:20]}, "
            f"this one has {SCHEMA_VERSION}); export it again with this one"
        )
    with Store(":memory:") as imported:
        try:
            with imported.database.writing() as connection:
                _insert(connection, described, source)
        except (LookupError, TypeError, AttributeError, ValueError, DamagedRunError) as error:
            raise StoreError(f"{source} is damaged: {repr(error)[:80]} in its rows") from error
        (merged,) = merge_stores(store, [imported])
    merged.source = source
    return merged


def _insert(connection: sa.Connection, described: Description, source: str) -> None:
    rows: dict[sa.Table, list[dict[str, Any]]] = {
        runs: [_row(runs, run) for run in described["runs"]],
        cells: [_row(cells, cell) for cell in described["cells"]],
    }
    rows[points] = [
        _row(points, {"result": None, **point, "cell": cell["id"]})
        for cell in described["cells"]
        for point in cell["points"]
    ]
    rows[metric_values] = [
        _row(metric_values, {**v, "cell": cell["id"], "checkpoint": p["checkpoint"]})
        for cell in described["cells"]
        for p in cell["points"]
        for v in p["values"]
    ]
    links = {(described["runs"][0]["id"], cell["id"]) for cell in described["cells"]}
    links |= {(row["run"], row["id"]) for row in rows[cells]}
    links |= {(row["run"], row["cell"]) for row in rows[metric_values]}
    rows[run_cells] = [{"run": run, "cell": cell} for run, cell in sorted(links)]
    for table, these in rows.items():
        check_rows(table, these, source)
        if table is runs:
            for row in these:
                Presentation.of_description(presented(from_json(row["layout"])))
        if these:
            connection.execute(table.insert(), these)


def _row(table: sa.Table, described: Mapping[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for column in table.c:
        value = described[column.name]
        if isinstance(value, str) and isinstance(column.type, sa.LargeBinary):
            value = b64decode(value, validate=True)
        elif isinstance(column.type, sa.Double) and value in ("inf", "-inf"):
            value = float(value)
        row[column.name] = value
    return row
