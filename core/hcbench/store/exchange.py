"""A run as plain values, and back: exports and imports.

A description has the rows of the tables: ``runs`` (the run first, then those that measured what it
reuses) and ``cells``, each with its ``points`` and their ``values``. It has results only on
request: the bytes of `hcbench.store.codec` in base64. Everything is checked before it is stored,
and nothing in it is executed.
"""

from __future__ import annotations

import math
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import sqlalchemy as sa

from hcbench.errors import DamagedRunError, StoreError
from hcbench.plan.presentation import Presentation
from hcbench.store.checks import check_rows
from hcbench.store.conditions import among
from hcbench.store.merge import Merged, merge_stores
from hcbench.store.migrations import FIRST_SCHEMA, create_schema
from hcbench.store.rows import RunInfo, from_json, presented
from hcbench.store.schema import (
    SCHEMA_VERSION,
    VERSION,
    cells,
    in_order_of_key,
    is_reported,
    metadata,
    metric_values,
    points,
    record_schema,
    run_cells,
    runs,
)
from hcbench.store.store import Store

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

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [5.0], [6.0]])
    >>> results = hcbench.compare(
    ...     ["Single", "UPGMA"], X, store="results.sqlite", progress=False, repetitions=1
    ... )
    >>> from hcbench.store import Store
    >>> with Store("results.sqlite") as store:
    ...     described = describe_run(store, store.run())
    >>> sorted(cell["algorithm"] for cell in described["cells"])
    ['Single', 'UPGMA']
    """
    linked = sa.select(run_cells.c.cell).where(run_cells.c.run == run.id).order_by(run_cells.c.cell)
    with store.database.reading() as connection:
        ids = list(connection.execute(linked).scalars())
        described = _describe_cells(connection, ids, run.metric_keys, trees)
        numbers = {run.id}
        for cell in described:
            numbers.add(cell["run"])
            for point in cell["points"]:
                for value in point["values"]:
                    # A value may have been computed by a later run than its cell.
                    numbers.add(value["run"])
        rows = _rows(connection, runs, runs.c.id.in_(sorted(numbers)))
    # The described run is the first, which `import_run` relies on.
    run_rows = sorted(rows, key=lambda row: row["id"] != run.id)
    return {VERSION: SCHEMA_VERSION, "runs": run_rows, "cells": described}


def _describe_cells(
    connection: sa.Connection, ids: Sequence[int], keys: Mapping[str, str] | None, trees: bool
) -> list[dict[str, Any]]:
    """The cells with their points, and these with their values."""
    cells_by_id = {}
    for row in _rows(connection, cells, among(connection, cells.c.id, ids)):
        cells_by_id[row["id"]] = {**row, "points": []}

    condition = among(connection, metric_values.c.cell, ids)
    if keys is not None:
        # Numbers that an algorithm reported have no metric, and belong to every run.
        condition &= metric_values.c.metric_key.in_(list(keys.values())) | is_reported
    values_at: dict[tuple[int, int], list[dict[str, Any]]] = {}
    for row in _rows(connection, metric_values, condition):
        point = (row.pop("cell"), row.pop("checkpoint"))
        values_at.setdefault(point, []).append(row)

    of_cells = among(connection, points.c.cell, ids)
    omitted = ["result"]
    if trees:
        omitted = []
    for row in _rows(connection, points, of_cells, without=omitted):
        cell = row.pop("cell")
        row["values"] = values_at.get((cell, row["checkpoint"]), [])
        cells_by_id[cell]["points"].append(row)
    return list(cells_by_id.values())


def _rows(
    connection: sa.Connection,
    table: sa.Table,
    condition: sa.ColumnElement[bool],
    without: Sequence[str] = (),
) -> list[dict[str, Any]]:
    """The rows of a table that meet a condition, in plain values."""
    columns = [column for column in table.c if column.name not in without]
    query = in_order_of_key(table).with_only_columns(*columns).where(condition)
    rows = list(map(dict, connection.execute(query).mappings()))
    check_rows(table, rows, "the store")
    for row in rows:
        for name, value in row.items():
            row[name] = _plain(value)
    return rows


def _plain(value: Any) -> Any:
    """A value that strict JSON can have; `_row` reads it again."""
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

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [5.0], [6.0]])
    >>> results = hcbench.compare(
    ...     ["Single", "UPGMA"], X, store="results.sqlite", progress=False, repetitions=1
    ... )
    >>> from hcbench.store import Store, describe_run
    >>> with Store("results.sqlite") as store, Store(":memory:") as other:
    ...     described = describe_run(store, store.run())
    ...     merged = import_run(other, described, "results.json")
    >>> merged.source, merged.runs, merged.cells
    ('results.json', 1, 2)
    """
    schema = None
    if isinstance(described, dict):
        schema = described.get(VERSION)
    if not isinstance(schema, int) or schema < FIRST_SCHEMA:
        raise StoreError(
            f"{source} is no run that hcbench exported (its schema is {str(schema)[:20]}); export "
            "it again: hcbench results export"
        )
    if schema > SCHEMA_VERSION:
        raise StoreError(
            f"{source} was exported by a later version of hcbench (schema {schema}, this one knows "
            f"{SCHEMA_VERSION}): pip install --upgrade hcbench"
        )
    with _opened(described, schema, source) as imported:
        (merged,) = merge_stores(store, [imported])
    merged.source = source
    return merged


def upgraded(described: Description, source: str) -> Description:
    """A description of an earlier schema as one of the present schema.

    Parameters
    ----------
    described : dict
        With a schema from the first to the present one.
    source : str
        Its name in messages.

    Raises
    ------
    StoreError
        If it is damaged.
    """
    with _opened(described, described[VERSION], source) as store:
        return describe_run(store, store.run(described["runs"][0]["id"]), trees=True)


@contextmanager
def _opened(described: Description, schema: int, source: str) -> Iterator[Store]:
    """A store with the rows of a description, which is gone at the end."""
    with TemporaryDirectory(prefix="hcbench-") as folder:
        try:
            store = _store_of(described, schema, source, Path(folder, "imported.sqlite"))
        except (LookupError, TypeError, AttributeError, ValueError, DamagedRunError) as error:
            raise StoreError(f"{source} is damaged: {repr(error)[:80]} in its rows") from error
        with store:
            yield store


def _store_of(described: Description, schema: int, source: str, file: Path) -> Store:
    """A store with the rows of a description: in memory, or a file if its schema is earlier."""
    if schema == SCHEMA_VERSION:
        imported = Store(":memory:")
        with imported.database.writing() as connection:
            _insert(connection, described, source, metadata.tables)
        return imported
    engine = sa.create_engine(f"sqlite:///{file}")
    with engine.begin() as connection:
        create_schema(connection, schema)
        earlier = sa.MetaData()
        earlier.reflect(connection)
        _insert(connection, described, source, earlier.tables)
        record_schema(connection, schema)
    engine.dispose()
    # One that is only read is upgraded in memory.
    return Store(file, read_only=True)


def _insert(
    connection: sa.Connection,
    described: Description,
    source: str,
    tables: Mapping[str, sa.Table],
) -> None:
    """Check the rows of all tables, and insert them.

    Parameters
    ----------
    connection : Connection
    described : dict
    source : str
    tables : mapping of str to Table
        The tables of the description's schema. Rows of an earlier one are checked when they are
        merged.
    """
    run_rows = [_row(tables[runs.name], run) for run in described["runs"]]
    cell_rows = []
    point_rows = []
    value_rows = []
    # What a run shows: it links the described run to all cells, and the others to what they
    # measured.
    links = set()
    described_run = described["runs"][0]["id"]
    for cell in described["cells"]:
        cell_row = _row(tables[cells.name], cell)
        cell_rows.append(cell_row)
        links.add((described_run, cell["id"]))
        links.add((cell_row["run"], cell_row["id"]))
        for point in cell["points"]:
            # Results are exported on request only.
            values_of_point = {"result": None} | point | {"cell": cell["id"]}
            point_rows.append(_row(tables[points.name], values_of_point))
            value_rows += _rows_of_values(tables[metric_values.name], point, cell["id"])
    for value_row in value_rows:
        links.add((value_row["run"], value_row["cell"]))
    link_rows = []
    for run, cell_id in sorted(links):
        link_rows.append({"run": run, "cell": cell_id})
    # In this order, as rows refer to those of earlier tables.
    _insert_rows(connection, tables[runs.name], run_rows, source)
    for row in run_rows:
        # An error here says that the run could not be shown.
        Presentation.of_description(presented(from_json(row["layout"])))
    _insert_rows(connection, tables[cells.name], cell_rows, source)
    _insert_rows(connection, tables[points.name], point_rows, source)
    _insert_rows(connection, tables[metric_values.name], value_rows, source)
    _insert_rows(connection, tables[run_cells.name], link_rows, source)


def _rows_of_values(table: sa.Table, point: Mapping[str, Any], cell: int) -> list[dict[str, Any]]:
    """The rows of the values at a point of a cell."""
    rows = []
    for value in point["values"]:
        place = {"cell": cell, "checkpoint": point["checkpoint"]}
        rows.append(_row(table, {**value, **place}))
    return rows


def _insert_rows(
    connection: sa.Connection, table: sa.Table, rows: list[dict[str, Any]], source: str
) -> None:
    if table.metadata is metadata:
        check_rows(table, rows, source)
    if rows:
        connection.execute(table.insert(), rows)


def _row(table: sa.Table, described: Mapping[str, Any]) -> dict[str, Any]:
    """A row of a table, of its plain values."""
    row: dict[str, Any] = {}
    for column in table.c:
        value = described[column.name]
        if isinstance(value, str) and isinstance(column.type, sa.LargeBinary):
            value = b64decode(value, validate=True)
        elif isinstance(column.type, sa.Double) and value in ("inf", "-inf"):
            value = float(value)
        row[column.name] = value
    return row
