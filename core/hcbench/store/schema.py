"""The tables of the store.

A row of ``cells`` is one measurement of a cell; the row with the highest id is the latest of its
key, and earlier ones are history, to which older runs refer. ``points`` holds the results at the
checkpoints and at the end; ``metric_values`` their values, under the key of the metric, so that
another version of a metric is another value. ``run_cells`` lists the rows that a run consists of,
whether it measured them itself or reused them. ``summaries`` repeats what takes long to read: the
numbers of cells of a run, and the cells of a large run in columns.
"""

from __future__ import annotations

import importlib
import re
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import sqlalchemy as sa

from hcbench.errors import StoreError
from hcbench.plan.outcome import REPORTED
from hcbench.store.migrations import FIRST_SCHEMA, newest_schema

#: The number of these tables. A change of them is a migration as well.
SCHEMA_VERSION = newest_schema()
VERSION = "hcbench schema"  # its name in ``meta``, and in an export
#: The name in ``meta`` of the version of hcbench that has made or upgraded the tables.
WRITER = "hcbench version"
#: The status of an error that is not final.
LOST = "lost"
#: The checkpoint that stands for the end of a call, as a primary key cannot be null.
END = -1

#: SQLite's own row number must be called INTEGER; given by hand, as a writer is alone.
_RowId = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def read_budget(value: Any) -> Any:
    """A stored budget: a number as one."""
    if value is not None and str(value).isdecimal():
        return int(value)
    return value


class BudgetText(sa.TypeDecorator[Any]):
    """A budget: a number of queries, or an amount of money or tokens as text."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: sa.Dialect) -> str | None:  # noqa: ARG002
        """As text."""
        if value is None:
            return None
        return str(value)

    def process_result_value(self, value: Any, dialect: sa.Dialect) -> Any:  # noqa: ARG002
        """A number as one."""
        return read_budget(value)


metadata = sa.MetaData()

meta = sa.Table(
    "meta",
    metadata,
    sa.Column("name", sa.String(64), primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)

runs = sa.Table(
    "runs",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("started", sa.String(32), nullable=False),  # ISO 8601, UTC
    sa.Column("finished", sa.String(32)),
    sa.Column("interrupted", sa.Boolean, nullable=False, default=False),
    sa.Column("command", sa.Text, nullable=False),
    sa.Column("suite", sa.Text, nullable=False),
    sa.Column("environment", sa.Text, nullable=False),  # JSON
    sa.Column("layout", sa.Text, nullable=False),  # JSON: the suite, and how the run is shown
)

cells = sa.Table(
    "cells",
    metadata,
    sa.Column("id", _RowId, primary_key=True, autoincrement=False),
    sa.Column("key", sa.String(40), nullable=False),
    sa.Column("run", sa.ForeignKey("runs.id"), nullable=False),
    sa.Column("created", sa.String(32), nullable=False),
    sa.Column("algorithm", sa.Text, nullable=False),
    sa.Column("dataset", sa.Text, nullable=False),
    sa.Column("oracle", sa.Text, nullable=False),
    sa.Column("repetition", sa.Integer, nullable=False),
    sa.Column("seed", sa.Text, nullable=False),  # a base seed may have more than 64 bits
    sa.Column("budget", BudgetText),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("phase", sa.String(16), nullable=False),
    sa.Column("stopped", sa.String(16), nullable=False),
    sa.Column("seconds", sa.Double),
    sa.Column("oracle_seconds", sa.Double),
    sa.Column("peak_bytes", sa.BigInteger),
    sa.Column("queries", sa.BigInteger),
    sa.Column("distinct_queries", sa.BigInteger),
    sa.Column("rounds", sa.BigInteger),
    sa.Column("draws", sa.BigInteger),
    sa.Column("price", sa.Double),
    sa.Column("tokens", sa.Double),
    sa.Column("latency", sa.Double),  # s
    sa.Column("saved", sa.Double),
    sa.Column("timeout", sa.Double),
    sa.Column("memory", sa.Double),
    sa.Column("data_digest", sa.Text, nullable=False),
    sa.Column("cell", sa.Text, nullable=False),  # JSON: names, parameters, fingerprints, seeds
    sa.Column("traceback", sa.Text, nullable=False),
    sa.Column("log", sa.Text, nullable=False),
    sa.Column("notes", sa.Text, nullable=False),  # JSON, a list of texts; "" for none
    sa.Column("load", sa.Double),  # over the number of cores, when the call ended
    sa.Column("frequency", sa.Double),  # MHz, likewise
    sa.Column("host", sa.Text, nullable=False),  # of a cluster; "" for that of the run
    sa.Index("cells_of_key", "key", "id"),
    sa.Index("cells_of_run", "run"),
)

points = sa.Table(
    "points",
    metadata,
    sa.Column("cell", sa.ForeignKey("cells.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("checkpoint", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("queries", sa.BigInteger),
    sa.Column("result", sa.LargeBinary),  # last: rows are read without following it
)

metric_values = sa.Table(
    "metric_values",
    metadata,
    sa.Column("cell", _RowId, primary_key=True, autoincrement=False),
    sa.Column("checkpoint", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("metric_key", sa.String(64), primary_key=True),
    sa.Column("metric", sa.Text, nullable=False),
    sa.Column("run", sa.ForeignKey("runs.id"), nullable=False),
    sa.Column("value", sa.Double),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.ForeignKeyConstraint(
        ["cell", "checkpoint"], ["points.cell", "points.checkpoint"], ondelete="CASCADE"
    ),
    sqlite_with_rowid=False,
)

replies = sa.Table(
    "replies",  # of paid oracles
    metadata,
    sa.Column("source", sa.String(40), primary_key=True),
    sa.Column("query", sa.String(255), primary_key=True),  # JSON, a list of items
    sa.Column("time", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("code", sa.Double, nullable=False),
    sa.Column("price", sa.Double, nullable=False),
    sa.Column("tokens", sa.Double, nullable=False),
    sa.Column("seconds", sa.Double, nullable=False),
    sa.Column("confidence", sa.Double),
    sa.Column("annotator", sa.BigInteger, nullable=False),
)

#: A value is a number that the algorithm reported, whatever metrics a run asked for.
is_reported = metric_values.c.metric_key.endswith(REPORTED)

run_cells = sa.Table(
    "run_cells",
    metadata,
    sa.Column("run", sa.ForeignKey("runs.id"), primary_key=True),
    sa.Column("cell", sa.ForeignKey("cells.id", ondelete="CASCADE"), primary_key=True),
    sa.Index("runs_of_cell", "cell"),
    sqlite_with_rowid=False,
)

summaries = sa.Table(
    "summaries",
    metadata,
    sa.Column("run", sa.ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    # How many cells it has, and how many of them are reused and failed.
    sa.Column("cells", sa.Integer, nullable=False),
    sa.Column("reused", sa.Integer, nullable=False),
    sa.Column("failed", sa.Integer, nullable=False),
    sa.Column("checksum", sa.BigInteger),
    sa.Column("packed", sa.LargeBinary),
)


def stored_schema(
    connection: sa.Connection, location: str, *, shared: bool, newest: int = SCHEMA_VERSION
) -> int | None:
    """The schema of a store, from `FIRST_SCHEMA` to the newest; None if there are no tables.

    Parameters
    ----------
    connection : Connection
    location : str
        Its name in the message.
    shared : bool
        Whether the database may also hold tables of others.
    newest : int
        The last schema that can be used.

    Raises
    ------
    StoreError
        If the tables are not ours, or of a schema that cannot be used.
    """
    present = set(sa.inspect(connection).get_table_names())
    text = None
    if meta.name in present:
        text = _read_meta(connection, VERSION)
    if text is None:
        # In a shared database only tables of our names are in the way.
        foreign = present
        if shared:
            foreign = present & set(metadata.tables)
        if foreign:
            raise StoreError(
                f"{location} is a database, but not a store of hcbench; "
                "give another place with --store"
            )
        return None
    try:
        schema = int(text)
    except ValueError:
        raise StoreError(
            f"{location} is damaged: its schema is {text[:20]!r}; give another place with --store"
        ) from None
    if schema > newest:
        writer = _read_meta(connection, WRITER)
        raise StoreError(
            f"{location} was written by {_later_version(writer)} (schema {schema}, this one knows "
            f"{newest}): {_install(writer)}, or give another place with --store"
        )
    if schema < FIRST_SCHEMA:
        raise StoreError(
            f"{location} has schema {schema}, of a version of hcbench that was never published; "
            "give another place with --store"
        )
    return schema


def _read_meta(connection: sa.Connection, name: str) -> str | None:
    """A text of ``meta``; None if it is not there."""
    value: str | None = connection.execute(
        sa.select(meta.c.value).where(meta.c.name == name)
    ).scalar()
    return value


def _later_version(writer: str | None) -> str:
    """The version that has written a store, as it is called in a sentence."""
    if writer is None:
        return "a later version of hcbench"
    return f"hcbench {writer}"


def _install(writer: str | None) -> str:
    """The command that installs a version that can read what another one has written."""
    if writer is None or not re.fullmatch(r"[\w.+!-]+", writer):
        # The store may be a stranger's: nothing of it becomes a part of a command unchecked.
        return "pip install --upgrade hcbench"
    # Development versions are not published; the release that follows them is.
    release = re.split(r"\.dev|\+", writer)[0]
    return f"pip install 'hcbench>={release}'"


def in_order_of_key(table: sa.Table) -> sa.Select[Any]:
    """All rows of a table, in the order of its primary key."""
    return sa.select(table).order_by(*table.primary_key)


def create_tables(connection: sa.Connection) -> None:
    """Create the tables."""
    metadata.create_all(connection)
    record_schema(connection, SCHEMA_VERSION)


def record_schema(connection: sa.Connection, schema: int) -> None:
    """Write down of which schema the tables are now, and which version has made them so."""
    values = {VERSION: str(schema), WRITER: _own_version()}
    connection.execute(sa.delete(meta).where(meta.c.name.in_(list(values))))
    rows = []
    for name, value in values.items():
        rows.append({"name": name, "value": value})
    connection.execute(meta.insert(), rows)


def _own_version() -> str:
    try:
        return version("hcbench")
    except PackageNotFoundError:
        # It runs from a folder that is merely on the path.
        return "0"


@lru_cache
def upsert_into(table: sa.Table, dialect: str, *, only_lost: bool = False) -> sa.Insert:
    """An insertion that replaces rows of the same key, or only those whose status is `LOST`."""
    # Only the dialect that is used: PostgreSQL's takes a tenth of a second to import.
    insert: Any = importlib.import_module(f"sqlalchemy.dialects.{dialect}").insert(table)
    keys = list(table.primary_key)
    # "excluded" is what SQL calls the row that is not inserted, as one of its key is there.
    values = {}
    for column in table.c:
        if not column.primary_key:
            values[column.name] = insert.excluded[column.name]
    if not values:
        # The row is all key: an equal one is there.
        nothing: sa.Insert = insert.on_conflict_do_nothing(index_elements=keys)
        return nothing
    condition = None
    if only_lost:
        condition = table.c.status == LOST
    update: sa.Insert = insert.on_conflict_do_update(
        index_elements=keys, set_=values, where=condition
    )
    return update
