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
from hcbench.store.outages import Patience
from hcbench.store.schema import (
    create_tables,
    has_tables,
    upsert_into,
)

_ADVISORY_LOCK = 0x68636265  # "hcbe": one writer at a time, as SQLite has it


class Database:
    """A database that may not be there yet: it is made with the first writing.

    Parameters
    ----------
    place : Place
    read_only : bool
        Whether nothing is to be written, whatever is allowed.

    Attributes
    ----------
    location : str
        Where it is, without a password.
    place : Place
    read_only : bool
    exists : bool
        Whether there are tables.
    engine : Engine
        An empty one in memory as long as there is nothing.
    patience : Patience
        Of whoever uses it, with a server that is away.
    """

    def __init__(self, place: Place, *, read_only: bool = False) -> None:
        self.location = str(place)
        self.place = place
        self.read_only = read_only
        self.exists = True
        self.patience = Patience()
        with explained(place):
            self.engine = self._open()

    def close(self) -> None:
        """Let go of it."""
        self.engine.dispose()

    def _open(self) -> Engine:
        file = self.place.file
        if file is not None:
            if file.is_dir():
                raise StoreError(f"{file} is a folder; give a file, such as {file}/results.sqlite")
            if file.exists() and file.stat().st_size:
                self.read_only = self.read_only or not is_writable(file)
                return self._checked(open_engine(self.place, read_only=self.read_only))
        elif self.place.server is not None:
            return self._checked(open_engine(self.place))
        self.exists = file is None
        return _empty()

    def _checked(self, engine: Engine) -> Engine:
        """The engine, if its tables are ours; an empty one if there are none yet."""
        try:
            with transaction(engine, reading=True) as connection:
                self.exists = self._has_tables(connection)
        except BaseException:
            engine.dispose()
            raise
        if self.exists:
            return engine
        engine.dispose()
        return _empty()

    def _has_tables(self, connection: Connection) -> bool:
        return has_tables(connection, self.location, shared=self.place.server is not None)

    def _create(self) -> None:
        """Make the tables, unless another process has just done so."""
        file = self.place.file
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
        engine = open_engine(self.place)
        try:
            use_write_ahead_log(engine, self.place)
            with transaction(engine) as connection:
                self._lock(connection)
                if not self._has_tables(connection):
                    create_tables(connection)
        except BaseException:
            engine.dispose()
            raise
        self.engine.dispose()
        self.engine, self.exists = engine, True

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """One state of it, whatever others write meanwhile."""
        with explained(self.place), transaction(self.engine, reading=True) as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """All or nothing; other writers wait.

        Raises
        ------
        StoreError
            If it cannot be written.
        """
        with explained(self.place):
            if self.read_only:
                raise StoreError(
                    f"{self.location} cannot be written; change its permissions and those of its "
                    "folder, or give another place with --store"
                )
            if not self.exists:
                self._create()
            with transaction(self.engine) as connection:
                self._lock(connection)
                yield connection

    def outside_transactions(self, statements: Sequence[str]) -> None:
        """Carry out statements that may not be in one, such as VACUUM."""
        with explained(self.place):
            on_server = self.place.server is not None
            options = {"isolation_level": "AUTOCOMMIT"} if on_server else {"hcbench_begin": ""}
            with self.engine.connect().execution_options(**options) as connection:
                for statement in statements:
                    connection.exec_driver_sql(statement)

    def _lock(self, connection: Connection) -> None:
        """On a server, let one process write at a time; SQLite does so by itself."""
        if self.place.server is not None:
            connection.execute(text(f"SELECT pg_advisory_xact_lock({_ADVISORY_LOCK})"))

    def upsert(
        self,
        connection: Connection,
        table: Table,
        rows: Sequence[dict[str, Any]],
        *,
        only_lost: bool = False,
    ) -> int:
        """Insert rows; one of the same primary key is replaced, or only if its value was lost.

        Returns how many rows were written.
        """
        if not rows:
            return 0
        statement = upsert_into(table, self.engine.dialect.name, only_lost=only_lost)
        return connection.execute(statement, rows).rowcount


def _empty() -> Engine:
    """An empty store in memory."""
    engine = open_engine(Place())
    with transaction(engine) as connection:
        create_tables(connection)
    return engine
