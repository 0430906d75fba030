"""The tables of the store.

A row of ``cells`` is one measurement of a cell; the row with the highest id is the latest of its
key, and earlier ones are history, to which older runs refer. ``points`` holds the results at the
checkpoints and at the end; ``metric_values`` their values, under the key of the metric, so that
another version of a metric is another value. ``run_cells`` lists the rows that a run consists of,
whether it measured them itself or reused them.
"""

from __future__ import annotations

import importlib
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Insert,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    inspect,
    select,
)

from hcbench.errors import StoreError

SCHEMA_VERSION = 1
_VERSION = "hcbench schema"  # its name in ``meta``
#: The status of an error that is not final.
LOST = "lost"
#: The checkpoint that stands for the end of a call, as a primary key cannot be null.
END = -1

#: SQLite's own row number must be called INTEGER; given by hand, as a writer is alone.
_RowId = BigInteger().with_variant(Integer, "sqlite")

metadata = MetaData()

meta = Table(
    "meta",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("value", Text, nullable=False),
)

runs = Table(
    "runs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("started", String(32), nullable=False),  # ISO 8601, UTC
    Column("finished", String(32)),
    Column("interrupted", Boolean, nullable=False, default=False),
    Column("command", Text, nullable=False),
    Column("suite", Text, nullable=False),
    Column("environment", Text, nullable=False),  # JSON
    Column("layout", Text, nullable=False),  # JSON: the suite, and how the run is shown
)

cells = Table(
    "cells",
    metadata,
    Column("id", _RowId, primary_key=True, autoincrement=False),
    Column("key", String(40), nullable=False),
    Column("run", ForeignKey("runs.id"), nullable=False),
    Column("created", String(32), nullable=False),
    Column("algorithm", Text, nullable=False),
    Column("dataset", Text, nullable=False),
    Column("oracle", Text, nullable=False),
    Column("repetition", Integer, nullable=False),
    Column("seed", Text, nullable=False),  # a base seed may have more than 64 bits
    Column("budget", BigInteger),
    Column("status", String(16), nullable=False),
    Column("reason", Text, nullable=False),
    Column("phase", String(16), nullable=False),
    Column("stopped", String(16), nullable=False),
    Column("seconds", Double),
    Column("oracle_seconds", Double),
    Column("peak_bytes", BigInteger),
    Column("queries", BigInteger),
    Column("distinct_queries", BigInteger),
    Column("rounds", BigInteger),
    Column("draws", BigInteger),
    Column("timeout", Double),
    Column("memory", Double),
    Column("data_digest", Text, nullable=False),
    Column("cell", Text, nullable=False),  # JSON: names, parameters, fingerprints, seeds
    Column("traceback", Text, nullable=False),
    Column("log", Text, nullable=False),
    Column("notes", Text, nullable=False),  # JSON, a list of texts; "" for none
    Column("load", Double),  # over the number of cores, when the call ended
    Column("frequency", Double),  # MHz, likewise
    Column("host", Text, nullable=False),  # of a cluster; "" for that of the run
    Index("cells_of_key", "key", "id"),
    Index("cells_of_run", "run"),
)

points = Table(
    "points",
    metadata,
    Column("cell", ForeignKey("cells.id", ondelete="CASCADE"), primary_key=True),
    Column("checkpoint", BigInteger, primary_key=True, autoincrement=False),
    Column("queries", BigInteger),
    Column("result", LargeBinary),  # last: rows are read without following it
)

metric_values = Table(
    "metric_values",
    metadata,
    Column("cell", _RowId, primary_key=True, autoincrement=False),
    Column("checkpoint", BigInteger, primary_key=True, autoincrement=False),
    Column("metric_key", String(64), primary_key=True),
    Column("metric", Text, nullable=False),
    Column("run", ForeignKey("runs.id"), nullable=False),
    Column("value", Double),
    Column("status", String(16), nullable=False),
    Column("reason", Text, nullable=False),
    ForeignKeyConstraint(
        ["cell", "checkpoint"], ["points.cell", "points.checkpoint"], ondelete="CASCADE"
    ),
    sqlite_with_rowid=False,
)

run_cells = Table(
    "run_cells",
    metadata,
    Column("run", ForeignKey("runs.id"), primary_key=True),
    Column("cell", ForeignKey("cells.id", ondelete="CASCADE"), primary_key=True),
    Index("runs_of_cell", "cell"),
    sqlite_with_rowid=False,
)


def has_tables(connection: Connection, location: str, *, shared: bool) -> bool:
    """Whether there are tables, which are then ours and of this version.

    Parameters
    ----------
    connection : Connection
    location : str
        Its name in the message.
    shared : bool
        Whether the database may also hold tables of others.

    Raises
    ------
    StoreError
        If the tables are not ours, or of another version.
    """
    present = set(inspect(connection).get_table_names())
    foreign = present & set(metadata.tables) if shared else present
    wanted = select(meta.c.value).where(meta.c.name == _VERSION)
    version = connection.execute(wanted).scalar() if meta.name in present else None
    if version is None:
        if foreign:
            raise StoreError(
                f"{location} is a database, but not a store of hcbench; "
                "give another place with --store"
            )
        return False
    if version != str(SCHEMA_VERSION):
        raise StoreError(
            f"{location} is a store of another version of hcbench (schema {version}, this one has "
            f"{SCHEMA_VERSION}); upgrade hcbench, or give another place with --store"
        )
    return True


def create_tables(connection: Connection) -> None:
    """Create the tables."""
    metadata.create_all(connection)
    connection.execute(meta.insert(), {"name": _VERSION, "value": str(SCHEMA_VERSION)})


@lru_cache
def upsert_into(table: Table, dialect: str, *, only_lost: bool = False) -> Insert:
    """An insertion that replaces rows of the same key, or only those whose status is `LOST`."""
    # Only the dialect that is used: PostgreSQL's takes a tenth of a second to import.
    insert: Any = importlib.import_module(f"sqlalchemy.dialects.{dialect}").insert(table)
    keys = list(table.primary_key)
    values = {c.name: insert.excluded[c.name] for c in table.c if not c.primary_key}
    lost = table.c.status == LOST if only_lost else None
    replacing: Insert = (
        insert.on_conflict_do_update(index_elements=keys, set_=values, where=lost)
        if values
        else insert.on_conflict_do_nothing(index_elements=keys)
    )
    return replacing
