"""What is kept of a store before its tables are changed, and what is checked afterwards."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from hcbench.errors import StoreError


def keep_file(connection: sa.Connection, copy: Path) -> None:
    """Copy a SQLite store, in a transaction that has not changed anything yet.

    The copy gets its name when it is complete, so that what has the name can be used. One of the
    same name, of an upgrade that was interrupted, is replaced.

    Parameters
    ----------
    connection : Connection
        Which has the lock of a writer, so that no other process changes the store meanwhile.
    copy : Path

    Raises
    ------
    OSError, sqlite3.Error
        If there is no room.
    """
    unfinished = copy.with_name(f"{copy.name}.unfinished")
    unfinished.unlink(missing_ok=True)
    opened: Any = connection.connection.driver_connection
    (_, _, file) = opened.execute("PRAGMA database_list").fetchone()
    # A connection with a transaction cannot be copied: another one reads the same state.
    name = f"{Path(file).as_uri()}?mode=ro"
    try:
        with (
            closing(sqlite3.connect(name, uri=True)) as source,
            closing(sqlite3.connect(unfinished)) as target,
        ):
            source.backup(target)
            target.execute("PRAGMA journal_mode = DELETE").fetchall()
        unfinished.replace(copy)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def copy_tables(connection: sa.Connection, schema: int) -> None:
    """Copy the tables of a PostgreSQL store, in the transaction that changes them afterwards.

    Parameters
    ----------
    connection : Connection
    schema : int
        Of the tables; the copies are called ``schema3_cells`` and so on.
    """
    from hcbench.store.schema import metadata

    present = set(sa.inspect(connection).get_table_names())
    for name in sorted(present & set(metadata.tables)):
        connection.exec_driver_sql(f"DROP TABLE IF EXISTS schema{schema}_{name}")
        connection.exec_driver_sql(f"CREATE TABLE schema{schema}_{name} AS TABLE {name}")


@contextmanager
def without_references(engine: sa.Engine) -> Iterator[None]:
    """Suspend foreign keys in SQLite, where a table is changed by replacing it.

    Dropping the old table would otherwise remove all rows that refer to it. In PostgreSQL this has
    no effect, as tables are changed in place.
    """
    if engine.dialect.name != "sqlite":
        yield
        return
    _set_references(engine, "OFF")
    try:
        yield
    finally:
        _set_references(engine, "ON")


def _set_references(engine: sa.Engine, state: str) -> None:
    # SQLite ignores it within a transaction.
    with engine.connect().execution_options(hcbench_begin="") as connection:
        connection.exec_driver_sql(f"PRAGMA foreign_keys = {state}")


def check_references(connection: sa.Connection, location: str) -> None:
    """Raise `StoreError` if a row refers to one that is not there, which SQLite has not checked."""
    if connection.dialect.name != "sqlite":
        return
    row = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchone()
    if row is not None:
        raise StoreError(
            f"{location} cannot be upgraded: a row of {row[0]} refers to one of {row[2]} that is "
            "missing; the store is as it was, give another place with --store"
        )
