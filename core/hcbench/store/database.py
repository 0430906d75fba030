"""An opened database: when its tables are made, and what may be written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, Table, text

from hcbench.errors import StoreError
from hcbench.store.engine import (
    Place,
    explained,
    is_writable,
    open_engine,
    transaction,
    use_write_ahead_log,
)
from hcbench.store.schema import create_tables, has_tables, upsert_into

_ADVISORY_LOCK = 0x68636265  # "hcbe": one writer at a time, as SQLite has it


class Database:
    """A database that may not be there yet: it is made with the first writing.

    Parameters
    ----------
    place : Place

    Attributes
    ----------
    location : str
        Where it is, without a password.
    read_only : bool
    engine : Engine
        An empty one in memory as long as there is nothing.
    """

    def __init__(self, place: Place) -> None:
        self.location = str(place)
        self.read_only = False
        self._place = place
        self._exists = True
        with explained(place):
            self.engine = self._open()

    def close(self) -> None:
        """Let go of it."""
        self.engine.dispose()

    def _open(self) -> Engine:
        file = self._place.file
        if file is not None:
            if file.is_dir():
                raise StoreError(f"{file} is a folder; give a file, such as {file}/results.sqlite")
            if file.exists() and file.stat().st_size:
                self.read_only = not is_writable(file)
                return self._checked(open_engine(self._place, read_only=self.read_only))
        elif self._place.server is not None:
            return self._checked(open_engine(self._place))
        self._exists = file is None
        return _empty()

    def _checked(self, engine: Engine) -> Engine:
        """The engine, if its tables are ours; an empty one if there are none yet."""
        try:
            with transaction(engine, reading=True) as connection:
                self._exists = self._has_tables(connection)
        except BaseException:
            engine.dispose()
            raise
        if self._exists:
            return engine
        engine.dispose()
        return _empty()

    def _has_tables(self, connection: Connection) -> bool:
        return has_tables(connection, self.location, shared=self._place.server is not None)

    def _create(self) -> None:
        """Make the tables, unless another process has just done so."""
        file = self._place.file
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
        engine = open_engine(self._place)
        try:
            use_write_ahead_log(engine, self._place)
            with transaction(engine) as connection:
                self._lock(connection)
                if not self._has_tables(connection):
                    create_tables(connection)
        except BaseException:
            engine.dispose()
            raise
        self.engine.dispose()
        self.engine, self._exists = engine, True

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """One state of it, whatever others write meanwhile."""
        with explained(self._place), transaction(self.engine, reading=True) as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """All or nothing; other writers wait.

        Raises
        ------
        StoreError
            If it cannot be written.
        """
        with explained(self._place):
            if self.read_only:
                raise StoreError(
                    f"{self.location} cannot be written; change its permissions and those of its "
                    "folder, or give another place with --store"
                )
            if not self._exists:
                self._create()
            with transaction(self.engine) as connection:
                self._lock(connection)
                yield connection

    def _lock(self, connection: Connection) -> None:
        """On a server, let one process write at a time; SQLite does so by itself."""
        if self._place.server is not None:
            connection.execute(text(f"SELECT pg_advisory_xact_lock({_ADVISORY_LOCK})"))

    def upsert(self, connection: Connection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
        """Insert rows; one of the same primary key is replaced."""
        if rows:
            statement = upsert_into(table, self.engine.dialect.name)
            connection.execute(statement, rows)


def _empty() -> Engine:
    """An empty store in memory."""
    engine = open_engine(Place())
    with transaction(engine) as connection:
        create_tables(connection)
    return engine
