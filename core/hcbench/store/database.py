"""An opened database: when its tables are made, who may write, and waiting for a server."""

from __future__ import annotations

import itertools
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, Table, text

from hcbench.errors import StoreError
from hcbench.store.engine import (
    Place,
    UnreachableError,
    explained,
    is_writable,
    open_engine,
    transaction,
    use_write_ahead_log,
)
from hcbench.store.schema import create_tables, has_tables, upsert_into

T = TypeVar("T")
LONGEST_WAIT = 30.0  # seconds, for a server that is away
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 2.0  # seconds
_ADVISORY_LOCK = 0x68636265  # "hcbe": one writer at a time, as in SQLite


class Database:
    """A database that may not exist yet: it is created by the first write.

    Parameters
    ----------
    place : Place
    read_only : bool
        Whether nothing may be written, whatever the permissions.

    Attributes
    ----------
    place : Place
        Another one than given if the file was deleted or moved while it was open.
    read_only : bool
    exists : bool
        Whether there are tables.
    engine : Engine
        An empty one in memory as long as there are no tables.
    """

    def __init__(self, place: Place, *, read_only: bool = False) -> None:
        self.place = place
        self.read_only = read_only
        self.exists = True
        # After one wait in vain there is no second, as when an interrupted run is closed.
        self._is_given_up = False
        self._inode = _inode(place.file)
        with explained(place):
            self.engine = self._open()

    @property
    def location(self) -> str:
        """Where it is, without a password."""
        return str(self.place)

    def close(self) -> None:
        """Close all connections."""
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
        """Create the tables, unless another process has just done so."""
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
        self._inode = _inode(file)

    def _check_file(self) -> None:
        """If the file was deleted or moved, write all that it held to a new one, and use that."""
        file = self.place.file
        if file is None or _inode(file) == self._inode:
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        unfinished = file.with_name(f"{file.name}.unfinished")
        with closing(sqlite3.connect(unfinished)) as copy, self.engine.connect() as connection:
            opened: Any = connection.connection.driver_connection
            opened.backup(copy)  # a file that is open can still be read
            (fault,) = copy.execute("PRAGMA quick_check(1)").fetchone()
            (tables,) = copy.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if fault != "ok" or not tables:
            unfinished.unlink()
            raise StoreError(
                f"{file} was deleted while it was open, and another process writes a store in its "
                "place: what was not yet in the file is lost; run the same command again"
            )
        self.engine.dispose()  # before there is a new file: it removes the log, by its name
        others = (file.with_stem(f"{file.stem}-{number}") for number in itertools.count(2))
        new = next(name for name in itertools.chain([file], others) if not name.exists())
        unfinished.rename(new)
        _warn(f"{file} was deleted or moved while it was open; all that it held is now in {new}")
        self.place, self._inode = Place(file=new), _inode(new)
        self.engine = open_engine(self.place)
        use_write_ahead_log(self.engine, self.place)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that sees one state, whatever others write meanwhile."""
        with explained(self.place), transaction(self.engine, reading=True) as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that writes all or nothing; other writers wait.

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
            if self.exists:
                self._check_file()
            else:
                self._create()
            with transaction(self.engine) as connection:
                self._lock(connection)
                yield connection

    def outside_transactions(self, statements: Sequence[str]) -> None:
        """Execute statements that no transaction may contain, such as VACUUM."""
        with explained(self.place):
            on_server = self.place.server is not None
            options = {"isolation_level": "AUTOCOMMIT"} if on_server else {"hcbench_begin": ""}
            with self.engine.connect().execution_options(**options) as connection:
                for statement in statements:
                    connection.exec_driver_sql(statement)

    def _lock(self, connection: Connection) -> None:
        """On a server, let one process write at a time, as SQLite does by itself."""
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

    def retry(self, work: Callable[[], T]) -> T:
        """Repeat work, which must be repeatable, until the server is back; stderr says so.

        Raises
        ------
        UnreachableError
            If the server was away for `LONGEST_WAIT` seconds.
        """
        began = time.monotonic()
        pause = _FIRST_PAUSE
        while True:
            try:
                done = work()
            except UnreachableError as error:
                waited = time.monotonic() - began
                if self._is_given_up or waited >= LONGEST_WAIT:
                    self._is_given_up = True
                    raise
                if pause == _FIRST_PAUSE:
                    reason = str(error).partition("; ")[0]
                    _warn(f"{reason}; waiting for the store for up to {LONGEST_WAIT:.0f} s")
                time.sleep(min(pause, LONGEST_WAIT - waited))
                pause = min(2 * pause, _LONGEST_PAUSE)
            else:
                self._is_given_up = False
                if pause > _FIRST_PAUSE:
                    _warn(f"the store is back after {time.monotonic() - began:.1f} s")
                return done


def _inode(file: Path | None) -> tuple[int, int] | None:
    """What identifies a file, also after it was renamed; None if there is none."""
    try:
        status = file.stat() if file is not None else None
    except OSError:
        return None
    return None if status is None else (status.st_dev, status.st_ino)


def _warn(line: str) -> None:
    sys.stderr.write(f"hcbench: {line}\n")
    sys.stderr.flush()


def _empty() -> Engine:
    """An empty store in memory."""
    engine = open_engine(Place())
    with transaction(engine) as connection:
        create_tables(connection)
    return engine
