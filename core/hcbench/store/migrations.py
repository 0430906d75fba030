"""Migrations: how a store of an earlier version of hcbench becomes one of this version.

The tables of a store have a number, their schema. Each migration changes the tables of one schema
into those of the next, and `MIGRATIONS` has all of them in order, so that a store of any schema
since `FIRST_SCHEMA` can be opened. To change the tables, change `hcbench.store.schema`, append a
migration here, and add a store that the version before has written to
``tests/core/store/schemas``. A test compares the tables that both ways lead to.

A migration is written in SQL, for SQLite and PostgreSQL, and does not import
`hcbench.store.schema`: that module describes the tables of today, which later versions change.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

#: Stores of earlier schemas were made by versions that were never published.
FIRST_SCHEMA = 3

#: The tables of `FIRST_SCHEMA`, in the SQL of SQLite. Exports of that schema are imported into
#: these.
FIRST_TABLES = (
    """CREATE TABLE meta (
        name VARCHAR(64) NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (name)
    )""",
    """CREATE TABLE runs (
        id INTEGER NOT NULL,
        started VARCHAR(32) NOT NULL,
        finished VARCHAR(32),
        interrupted BOOLEAN NOT NULL,
        command TEXT NOT NULL,
        suite TEXT NOT NULL,
        environment TEXT NOT NULL,
        layout TEXT NOT NULL,
        PRIMARY KEY (id)
    )""",
    """CREATE TABLE cells (
        id INTEGER NOT NULL,
        "key" VARCHAR(40) NOT NULL,
        run INTEGER NOT NULL,
        created VARCHAR(32) NOT NULL,
        algorithm TEXT NOT NULL,
        dataset TEXT NOT NULL,
        oracle TEXT NOT NULL,
        repetition INTEGER NOT NULL,
        seed TEXT NOT NULL,
        budget TEXT,
        status VARCHAR(16) NOT NULL,
        reason TEXT NOT NULL,
        phase VARCHAR(16) NOT NULL,
        stopped VARCHAR(16) NOT NULL,
        seconds DOUBLE,
        oracle_seconds DOUBLE,
        peak_bytes BIGINT,
        queries BIGINT,
        distinct_queries BIGINT,
        rounds BIGINT,
        draws BIGINT,
        price DOUBLE,
        tokens DOUBLE,
        latency DOUBLE,
        saved DOUBLE,
        timeout DOUBLE,
        memory DOUBLE,
        data_digest TEXT NOT NULL,
        cell TEXT NOT NULL,
        traceback TEXT NOT NULL,
        log TEXT NOT NULL,
        notes TEXT NOT NULL,
        load DOUBLE,
        frequency DOUBLE,
        host TEXT NOT NULL,
        PRIMARY KEY (id),
        FOREIGN KEY(run) REFERENCES runs (id)
    )""",
    'CREATE INDEX cells_of_key ON cells ("key", id)',
    "CREATE INDEX cells_of_run ON cells (run)",
    """CREATE TABLE points (
        cell INTEGER NOT NULL,
        checkpoint BIGINT NOT NULL,
        queries BIGINT,
        result BLOB,
        PRIMARY KEY (cell, checkpoint),
        FOREIGN KEY(cell) REFERENCES cells (id) ON DELETE CASCADE
    )""",
    """CREATE TABLE metric_values (
        cell INTEGER NOT NULL,
        checkpoint BIGINT NOT NULL,
        metric_key VARCHAR(64) NOT NULL,
        metric TEXT NOT NULL,
        run INTEGER NOT NULL,
        value DOUBLE,
        status VARCHAR(16) NOT NULL,
        reason TEXT NOT NULL,
        PRIMARY KEY (cell, checkpoint, metric_key),
        FOREIGN KEY(cell, checkpoint) REFERENCES points (cell, checkpoint) ON DELETE CASCADE,
        FOREIGN KEY(run) REFERENCES runs (id)
    ) WITHOUT ROWID""",
    """CREATE TABLE replies (
        source VARCHAR(40) NOT NULL,
        "query" VARCHAR(255) NOT NULL,
        time BIGINT NOT NULL,
        code DOUBLE NOT NULL,
        price DOUBLE NOT NULL,
        tokens DOUBLE NOT NULL,
        seconds DOUBLE NOT NULL,
        confidence DOUBLE,
        annotator BIGINT NOT NULL,
        PRIMARY KEY (source, "query", time)
    )""",
    """CREATE TABLE run_cells (
        run INTEGER NOT NULL,
        cell INTEGER NOT NULL,
        PRIMARY KEY (run, cell),
        FOREIGN KEY(run) REFERENCES runs (id),
        FOREIGN KEY(cell) REFERENCES cells (id) ON DELETE CASCADE
    ) WITHOUT ROWID""",
    "CREATE INDEX runs_of_cell ON run_cells (cell)",
)


@dataclass(frozen=True, slots=True)
class Migration:
    """A step from one schema to the next.

    Attributes
    ----------
    change : str
        What it changes, in a few words.
    apply : callable
        Changes the tables of an open transaction. It may be called again on a copy of the same
        store, as a process that is killed leaves the store as it was.
    """

    change: str
    apply: Callable[[sa.Connection], None]


def _add_summaries(connection: sa.Connection) -> None:
    """Schema 4: every store has the table of summaries, which came without a new number."""
    if sa.inspect(connection).has_table("summaries"):
        return
    bytes_type = "BLOB"
    if connection.dialect.name == "postgresql":
        bytes_type = "BYTEA"
    connection.exec_driver_sql(
        f"""CREATE TABLE summaries (
            run INTEGER NOT NULL,
            cells INTEGER NOT NULL,
            reused INTEGER NOT NULL,
            failed INTEGER NOT NULL,
            checksum BIGINT,
            packed {bytes_type},
            PRIMARY KEY (run),
            FOREIGN KEY(run) REFERENCES runs (id) ON DELETE CASCADE
        )"""
    )


#: In order: the first leads from `FIRST_SCHEMA` to the next schema.
MIGRATIONS: Sequence[Migration] = (Migration("runs have summaries", _add_summaries),)


def newest_schema(migrations: Sequence[Migration] = MIGRATIONS) -> int:
    """The schema to which all migrations lead."""
    return FIRST_SCHEMA + len(migrations)


def migrate(
    connection: sa.Connection, schema: int, migrations: Sequence[Migration] = MIGRATIONS
) -> None:
    """Change the tables of a schema into those of the newest, in an open transaction.

    Parameters
    ----------
    connection : Connection
        With the tables of ``schema``.
    schema : int
        Not below `FIRST_SCHEMA`.
    migrations : sequence of Migration
        All of them, those before ``schema`` included.
    """
    for migration in migrations[schema - FIRST_SCHEMA :]:
        migration.apply(connection)


def create_schema(connection: sa.Connection, schema: int) -> None:
    """Create the empty tables of an earlier schema in SQLite, for rows that were exported then."""
    for statement in FIRST_TABLES:
        connection.exec_driver_sql(statement)
    for migration in MIGRATIONS[: schema - FIRST_SCHEMA]:
        migration.apply(connection)
