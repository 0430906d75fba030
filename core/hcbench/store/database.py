"""An opened database: transactions, locks, and waiting for a server.

SQLite is opened so that two processes on one file lose nothing: writers begin with BEGIN IMMEDIATE
and wait for each other; readers see one state and never wait (WAL).
"""

from __future__ import annotations

import itertools
import logging
import os
import sqlite3
import sys
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy import exc
from sqlalchemy.pool import StaticPool

from hcbench.errors import StoreError
from hcbench.store import sqlite
from hcbench.store.backups import check_references, copy_tables, keep_file, without_references
from hcbench.store.explaining import RECOVER, UnreachableError, explained
from hcbench.store.migrations import MIGRATIONS, Migration, migrate, newest_schema
from hcbench.store.places import FORMS, Place
from hcbench.store.schema import create_tables, record_schema, stored_schema, upsert_into

T = TypeVar("T")
# Seconds, unless the URL has connect_timeout.
_CONNECT_WAIT = 10
# Journals of SQLite: see `_set_journal`.
_WRITE_AHEAD = "WAL"
_CLASSIC = "DELETE"
# Rows that are fetched at once: all of them would take as much memory again.
_ROWS_AT_ONCE = 500
# Seconds: how long a server may be away, and the pauses between attempts, which grow.
_LONGEST_WAIT = 30.0
_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 2.0
# The bytes "hcbe", by which writers of a server wait for each other, as in SQLite.
_ADVISORY_LOCK = 0x68636265


class Database:
    """A database that may not exist yet: it is created by the first write.

    Parameters
    ----------
    place : Place
    read_only : bool
        Whether nothing may be written, whatever the permissions.
    migrations : sequence of Migration
        Those that lead to the schema to use. A store of an earlier schema is upgraded when it is
        opened; one that may not be written is copied into memory for that.

    Attributes
    ----------
    place : Place
        Another one than given if the file was deleted or moved while it was open.
    read_only : bool
    exists : bool
        Whether there are tables.
    engine : Engine
        An empty one in memory as long as there are no tables.
    longest_wait : float
        Seconds for which a server may be away before work that `retry` repeats is given up.
    """

    def __init__(
        self,
        place: Place,
        *,
        read_only: bool = False,
        migrations: Sequence[Migration] = MIGRATIONS,
    ) -> None:
        self.place = place
        self.read_only = read_only
        self.exists = True
        self.longest_wait = _LONGEST_WAIT
        # The schema to use, and that of the tables, which differ until the store is upgraded.
        self._migrations = migrations
        self._newest = newest_schema(migrations)
        self._schema = self._newest
        # After one wait in vain there is no second, as when an interrupted run is closed.
        self._is_given_up = False
        # What identifies the file, also after another process has renamed it.
        self._inode = _inode(place.file)
        self._journal = _WRITE_AHEAD
        # Held where the file system has no reliable locks, from the first write until `close`.
        self._sole_writer: sqlite.SoleWriter | None = None
        # Whether it was checked that this process may write; see `_prepare_to_write`.
        self._may_write = False
        # Of a process that writes now, or that was killed.
        self._had_log = place.file is not None and sqlite.has_log(place.file)
        with explained(place):
            self.engine = self._open()
            if self._schema < self._newest:
                try:
                    self._upgrade()
                except BaseException:
                    self.close()
                    raise

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()
        if self._sole_writer is not None:
            self._sole_writer.release()
        self._may_write = False

    def _open(self) -> sa.Engine:
        file = self.place.file
        if file is not None:
            if file.is_dir():
                raise StoreError(f"{file} is a folder; give a file, such as {file}/results.sqlite")
            if file.exists() and file.stat().st_size:
                self.read_only = self.read_only or not (
                    # The folder holds its journal.
                    os.access(file, os.W_OK) and os.access(file.parent, os.W_OK)
                )
                return self._checked(_open_engine(self.place, read_only=self.read_only))
        elif self.place.server is not None:
            return self._checked(_open_engine(self.place))
        self.exists = file is None
        return _empty()

    def _checked(self, engine: sa.Engine) -> sa.Engine:
        """The engine, if its tables are ours; an empty one if there are none yet."""
        try:
            with _transaction(engine, reading=True) as connection:
                schema = self._read_schema(connection)
        except BaseException:
            engine.dispose()
            raise
        self.exists = schema is not None
        if schema is not None:
            self._schema = schema
            return engine
        engine.dispose()
        return _empty()

    def _read_schema(self, connection: sa.Connection) -> int | None:
        """The schema of the tables; None if there are none."""
        is_shared = self.place.server is not None
        return stored_schema(connection, str(self.place), shared=is_shared, newest=self._newest)

    def _upgrade(self) -> None:
        """Migrate a store of an earlier schema, of which a copy is kept beside it.

        A process that is killed meanwhile leaves the store as it was.

        Raises
        ------
        StoreError
            If there is no place for the copy, or a server may only be read.
        """
        if self.read_only:
            self._upgrade_in_memory()
            return
        self._prepare_to_write()
        _warn(
            f"{self.place} is of an earlier version of hcbench (schema {self._schema}); it is "
            f"upgraded to schema {self._newest}, and a copy is kept as {self._name_of_copy()}"
        )
        with without_references(self.engine), _transaction(self.engine) as connection:
            self._lock(connection)
            schema = self._read_schema(connection)
            # Another process may have been faster.
            if schema is not None and schema < self._newest:
                if self.place.server is not None:
                    copy_tables(connection, schema)
                elif self.place.file is not None:
                    keep_file(connection, self.place.file.with_name(self._name_of_copy()))
                self._migrate(connection, schema)

    def _name_of_copy(self) -> str:
        """The name of what is kept of a store before it is upgraded."""
        if self.place.file is None:
            return f"tables schema{self._schema}_*"
        return f"{self.place.file.name}.schema{self._schema}"

    def _migrate(self, connection: sa.Connection, schema: int) -> None:
        migrate(connection, schema, self._migrations)
        check_references(connection, str(self.place))
        record_schema(connection, self._newest)

    def _upgrade_in_memory(self) -> None:
        """Use an upgraded copy in memory of a file that may not be written."""
        if self.place.server is not None:
            raise StoreError(
                f"{self.place} is of an earlier version of hcbench (schema {self._schema}), and "
                f"may only be read here; upgrade it first: hcbench results --store {self.place}"
            )
        copy = _open_engine(Place())
        with self.engine.connect() as connection, copy.connect() as copy_connection:
            opened: Any = connection.connection.driver_connection
            opened.backup(copy_connection.connection.driver_connection)
        self.engine.dispose()
        self.engine = copy
        with without_references(copy), _transaction(copy) as connection:
            self._migrate(connection, self._schema)

    def _create(self) -> None:
        """Create the tables, unless another process has just done so."""
        file = self.place.file
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
        engine = _open_engine(self.place)
        try:
            _set_journal(engine, self._journal)
            with _transaction(engine) as connection:
                self._lock(connection)
                if self._read_schema(connection) is None:
                    create_tables(connection)
        except BaseException:
            engine.dispose()
            raise
        self.engine.dispose()
        self.engine = engine
        self.exists = True
        self._inode = _inode(file)

    def _prepare_to_write(self) -> None:
        """Make sure, before the first write, that the file is sound and that no other can harm it.

        Raises
        ------
        StoreError
            If it is damaged, or locks do not hold and another process writes.
        """
        file = self.place.file
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            reason = sqlite.why_unsafe(file.parent)
            if reason:
                self._sole_writer = sqlite.SoleWriter(file, reason)
                self._sole_writer.acquire()
                self._journal = _CLASSIC
                if self.exists:
                    _set_journal(self.engine, self._journal)
            if self.exists and self._had_log:
                # The last writer did not end properly, and may have left half a page.
                self._check_structure()
        self._may_write = True

    def _check_structure(self) -> None:
        """Raise `StoreError` if the file was damaged, as by a machine that crashed."""
        with self.engine.connect() as connection:
            opened: Any = connection.connection.driver_connection
            fault = sqlite.fault_of(opened)
        if fault:
            raise StoreError(f"{self.place}: the file is malformed ({fault}); {RECOVER}")

    def _check_file(self) -> None:
        """If the file was deleted or moved, write all that it held to a new one, and use that."""
        file = self.place.file
        if file is None or _inode(file) == self._inode:
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        unfinished = file.with_name(f"{file.name}.unfinished")
        with closing(sqlite3.connect(unfinished)) as copy, self.engine.connect() as connection:
            opened: Any = connection.connection.driver_connection
            # A file that is open can still be read.
            opened.backup(copy)
            (fault,) = copy.execute("PRAGMA quick_check(1)").fetchone()
            (tables,) = copy.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if fault != "ok" or not tables:
            unfinished.unlink()
            raise StoreError(
                f"{file} was deleted while it was open, and another process writes a store in its "
                "place: what was not yet in the file is lost; run the same command again"
            )

        # Before there is a new file: closing removes the log, by its name.
        self.engine.dispose()
        new = file
        for number in itertools.count(2):
            if not new.exists():
                break
            # Another process has put a file in its place.
            new = file.with_stem(f"{file.stem}-{number}")
        unfinished.rename(new)
        _warn(f"{file} was deleted or moved while it was open; all that it held is now in {new}")
        self.place = Place(file=new)
        self._inode = _inode(new)
        self.engine = _open_engine(self.place)
        _set_journal(self.engine, self._journal)

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A transaction that sees one state, whatever others write meanwhile."""
        with explained(self.place), _transaction(self.engine, reading=True) as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """A transaction that writes all or nothing; other writers wait.

        Raises
        ------
        StoreError
            If it cannot be written.
        """
        with explained(self.place):
            if self.read_only:
                raise StoreError(
                    f"{self.place} cannot be written; change its permissions and those of its "
                    "folder, or give another place with --store"
                )
            if not self._may_write:
                self._prepare_to_write()
            if self.exists:
                self._check_file()
            else:
                self._create()
            with _transaction(self.engine) as connection:
                self._lock(connection)
                yield connection

    def outside_transactions(self, statements: Sequence[str]) -> None:
        """Execute statements that no transaction may contain, such as VACUUM."""
        with explained(self.place):
            # SQLite begins no transaction then, and a server ends it with each statement.
            options = {"hcbench_begin": ""}
            if self.place.server is not None:
                options = {"isolation_level": "AUTOCOMMIT"}
            with self.engine.connect().execution_options(**options) as connection:
                for statement in statements:
                    connection.exec_driver_sql(statement)

    def _lock(self, connection: sa.Connection) -> None:
        """On a server, let one process write at a time, as SQLite does by itself."""
        if self.place.server is not None:
            connection.execute(sa.text(f"SELECT pg_advisory_xact_lock({_ADVISORY_LOCK})"))

    def upsert(
        self,
        connection: sa.Connection,
        table: sa.Table,
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

    def retry(self, work: Callable[[], T]) -> T:
        """Repeat work, which must be repeatable, until the server is back; stderr says so.

        Raises
        ------
        UnreachableError
            If the server was away for `longest_wait` seconds.
        """
        began = time.monotonic()
        # The pause before the next attempt; it is the first until one has failed.
        pause = _FIRST_PAUSE
        while True:
            try:
                done = work()
            except UnreachableError as error:
                waited = time.monotonic() - began
                if self._is_given_up or waited >= self.longest_wait:
                    self._is_given_up = True
                    raise
                if pause == _FIRST_PAUSE:
                    reason = str(error).partition("; ")[0]
                    _warn(f"{reason}; waiting for the store for up to {self.longest_wait:.0f} s")
                time.sleep(min(pause, self.longest_wait - waited))
                pause = min(2 * pause, _LONGEST_PAUSE)
            else:
                self._is_given_up = False
                if pause > _FIRST_PAUSE:
                    _warn(f"the store is back after {time.monotonic() - began:.1f} s")
                return done


def _inode(file: Path | None) -> tuple[int, int] | None:
    """What identifies a file, also after it was renamed; None if there is none."""
    if file is None:
        return None
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _warn(line: str) -> None:
    sys.stderr.write(f"hcbench: {line}\n")
    sys.stderr.flush()


def _empty() -> sa.Engine:
    """An empty store in memory."""
    engine = _open_engine(Place())
    with _transaction(engine) as connection:
        create_tables(connection)
    return engine


def _open_engine(place: Place, *, read_only: bool = False) -> sa.Engine:
    """Make an engine, without reading anything."""
    if place.server is not None:
        return _open_server(place)

    def connect() -> sqlite3.Connection:
        if place.file is None:
            in_memory = sqlite.connect(":memory:")
            # Results keep it, and nobody closes it; since Python 3.13 sqlite3 warns of that.
            weakref.finalize(engine, in_memory.close)
            return in_memory
        if read_only:
            return sqlite.connect_read_only(place.file)
        return sqlite.connect(str(place.file))

    engine = sa.create_engine("sqlite://", creator=connect, poolclass=StaticPool)
    engine.update_execution_options(hcbench_open=[])
    sa.event.listen(engine, "begin", _begin_sqlite)
    sa.event.listen(engine, "invalidate", _roll_back)
    return engine


def _open_server(place: Place) -> sa.Engine:
    assert place.server is not None
    # Its errors say the same.
    logging.getLogger("psycopg").addHandler(logging.NullHandler())
    driver = place.server.drivername.partition("+")[2]
    # psycopg returns bytes, not text, from a server in the C locale, which has no encoding.
    options = {"connect_timeout": _CONNECT_WAIT, "client_encoding": "utf8"}
    for name in place.server.query:
        # What the URL says is not overridden.
        options.pop(name, None)
    try:
        engine = sa.create_engine(place.server, pool_pre_ping=True, connect_args=options)
    except exc.NoSuchModuleError as error:
        raise StoreError(f"SQLAlchemy has no driver {driver!r}; {FORMS}") from error
    except ImportError as error:
        raise StoreError(
            f"{place} needs the package {error.name or driver}: pip install 'hcbench[postgresql]'"
        ) from error
    engine.update_execution_options(hcbench_open=[])
    return engine


def _begin_sqlite(connection: sa.Connection) -> None:
    """Begin a transaction: by default with the lock of writers, so that none fails half-way."""
    begin = connection.get_execution_options().get("hcbench_begin", "BEGIN IMMEDIATE")
    if begin:
        connection.exec_driver_sql(begin)


def _roll_back(connection: sqlite3.Connection, *_: object) -> None:
    """Release the lock, which a connection closed in mid-statement, as by Ctrl-C, would keep."""
    connection.rollback()


def _set_journal(engine: sa.Engine, mode: str) -> None:
    """Choose how changes are kept until they are in the file, if the file system allows it.

    With WAL, the write-ahead log, readers and a writer work at the same time. It needs memory that
    processes share, which networks do not have: there, DELETE is the classic journal.
    """
    with (
        suppress(exc.DBAPIError),
        engine.connect().execution_options(hcbench_begin="") as connection,
    ):
        connection.exec_driver_sql(f"PRAGMA journal_mode = {mode}")


@contextmanager
def _transaction(engine: sa.Engine, *, reading: bool = False) -> Iterator[sa.Connection]:
    """One transaction, undone by any exception inside. Readers see one state throughout."""
    options: dict[str, Any] = {}
    if reading:
        # Without the lock that a writer takes at once.
        options["hcbench_begin"] = "BEGIN"
        if engine.dialect.name == "postgresql":
            options["isolation_level"] = "REPEATABLE READ"
    # At most one, as transactions are not nested.
    open_connections: list[sa.Connection] = engine.get_execution_options()["hcbench_open"]
    # A signal may raise KeyboardInterrupt on the way into this generator or out of it, where it is
    # not told. Its transaction is still open then, and its lock would stop all others.
    while open_connections:
        open_connections.pop().close()
    with engine.connect().execution_options(**options) as connection:
        open_connections.append(connection)
        with connection.begin():
            yield connection
            assert open_connections == [connection], "transactions are not nested"
        open_connections.clear()


def fetch(
    connection: sa.Connection, query: sa.Select[Any], size: int = _ROWS_AT_ONCE
) -> Iterator[list[tuple[Any, ...]]]:
    """The rows of a query, some at a time, as the driver gives them."""
    cursor = connection.execute(query).cursor
    if cursor is None:
        return
    while True:
        rows = list(cursor.fetchmany(size))
        if not rows:
            return
        yield rows
