"""Opening a SQLite file, which may be of a stranger, or be kept on a network.

**Strangers.** A file may hold triggers, which change what is written, and views, whose queries need
not end. hcbench makes none, so a file with one is refused before anything else is read from it.

**Networks.** SQLite needs locks that hold for all processes, and its write-ahead log needs memory
that they share. A network file system has no such memory, and many have no such locks: two runs
would write into one file at the same time, and destroy it. There, a rollback journal is used, and a
process that writes has a file beside the store, which no other process can make at the same time.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import socket
import sqlite3
import struct
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from urllib.parse import quote

from hcbench.errors import StoreError

LOCK_WAIT = 60.0  # seconds
_PREPARATION = (
    "PRAGMA foreign_keys = ON",
    "PRAGMA trusted_schema = OFF",  # no functions with effects in defaults and indices
    "PRAGMA cell_size_check = ON",  # a crafted page is an error
    "PRAGMA mmap_size = 0",
    "PRAGMA synchronous = NORMAL",
    "SELECT 1 FROM sqlite_master",  # fails here if the file cannot be read
)
#: What a store has none of: each can run a query of whoever has made the file.
_FOREIGN = (
    "SELECT type, name FROM sqlite_master "
    "WHERE type NOT IN ('table', 'index') OR sql LIKE 'CREATE VIRTUAL%' LIMIT 1"
)
_NETWORKS = re.compile(
    r"nfs\d?|cifs|smb\w*|9p|afs|ceph|lustre|gpfs|beegfs|glusterfs|ncpfs|davfs|virtiofs"
    r"|fuse\.(sshfs|ceph|glusterfs|rclone|s3fs|gcsfuse|juicefs|davfs2?)"
)
_MOUNTS = Path("/proc/self/mountinfo")
_FLOCK = "hhqqi"  # struct flock of fcntl(2): type, whence, start, length, process
WAY_OUT = "use a PostgreSQL store (--store postgresql://...) or a file on a local disk"


# ---- Opening -------------------------------------------------------------------------------------


def connect(name: str, *, uri: bool = False, label: str = "") -> sqlite3.Connection:
    """Open a file, or memory, by its name or URI.

    Raises
    ------
    StoreError
        If it holds what could run a query of somebody else; the message has the label.
    """
    connection = sqlite3.connect(
        name,
        timeout=LOCK_WAIT,
        isolation_level=None,  # SQLAlchemy begins transactions, not the driver
        check_same_thread=False,
        uri=uri,
    )
    try:
        # Since Python 3.12: SQL can change neither the schema directly nor pages.
        if hasattr(connection, "setconfig"):
            connection.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)  # type: ignore[attr-defined]
        for statement in _PREPARATION:
            connection.execute(statement).fetchall()
        _refuse_foreign_code(connection, label or name)
    except BaseException:
        connection.close()
        raise
    return connection


def _refuse_foreign_code(connection: sqlite3.Connection, label: str) -> None:
    """Raise `StoreError` if the file has a trigger, a view or a virtual or computed table."""
    # Its kind and its name.
    row = connection.execute(_FOREIGN).fetchone()
    if row is None:
        computed = (
            "SELECT 'computed column', m.name || '.' || x.name FROM sqlite_master AS m "
            "JOIN pragma_table_xinfo(m.name) AS x WHERE m.type = 'table' AND x.hidden > 0 LIMIT 1"
        )
        row = connection.execute(computed).fetchone()
    if row is not None:
        kind, name = row
        raise StoreError(
            f"{label} holds the {kind} {name!r}, which hcbench never makes and which could change "
            "what is stored or shown; give another place with --store, and ask its author for an "
            "export of the run (hcbench results export)"
        )


def connect_read_only(file: Path) -> sqlite3.Connection:
    """Open without writing anything, not even the shared memory beside the file.

    That would stay behind, owned by the reader, and prevent others from writing.
    """
    name = f"file:{quote(str(file))}?mode=ro"
    if not has_log(file):
        return connect(f"{name}&immutable=1", uri=True, label=str(file))
    try:
        return connect(name, uri=True, label=str(file))  # another process has it open
    except sqlite3.OperationalError:
        # The run was killed, and here nothing can be written to bring its log into the file.
        return _connect_to_copy(file)


def has_log(file: Path) -> bool:
    """Whether there is a log or a journal, of a process that writes or was killed."""
    for ending in ("-wal", "-journal"):
        # No path of pathlib, which refuses those without a name, such as "/".
        log = Path(f"{file}{ending}")
        with suppress(OSError):
            if log.stat().st_size:
                return True
    return False


def _connect_to_copy(file: Path) -> sqlite3.Connection:
    """Open a copy of a file with its log, which goes when it is closed."""
    with tempfile.TemporaryDirectory(prefix="hcbench-") as folder:
        copy = Path(folder, "copy.sqlite")
        for ending in ("", "-wal", "-journal"):
            part = file.with_name(file.name + ending)
            if part.exists():
                shutil.copyfile(part, copy.with_name(copy.name + ending))
        connection = connect(str(copy), label=str(file))
        # All is read into the file; what is open stays readable without its name.
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        connection.execute("PRAGMA journal_mode = DELETE").fetchall()
        return connection


def fault_of(connection: sqlite3.Connection) -> str:
    """What is wrong with the structure of a file; "" if it is sound."""
    (fault,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if fault == "ok":
        return ""
    return str(fault)


# ---- Locks ---------------------------------------------------------------------------------------


def why_unsafe(folder: Path) -> str:
    """Why two processes may not write into a file of a folder; "" if they may."""
    kind = file_system(folder)
    if _NETWORKS.fullmatch(kind):
        return f"it is on a network file system ({kind})"
    if not _locks_hold(folder):
        return "its file system has no locks"
    return ""


def file_system(folder: Path, mounts: Path = _MOUNTS) -> str:
    """The type of the file system of a folder, such as ``nfs4``; "" if that is unknown.

    Parameters
    ----------
    folder : Path
    mounts : Path
        The list of mounts, as Linux writes it.
    """
    place = folder.resolve()
    kind = ""
    longest = -1
    try:
        lines = mounts.read_text(errors="replace").splitlines()
    except OSError:
        return ""
    for line in lines:
        before, _, after = line.partition(" - ")
        fields = before.split()
        if len(fields) < 5 or not after:
            continue
        mount = Path(_decoded(fields[4]))
        # The last of several at one place hides the others.
        if place.is_relative_to(mount) and len(mount.parts) >= longest:
            longest = len(mount.parts)
            kind = after.split()[0]
    return kind


def _decoded(text: str) -> str:
    """A path in which spaces and the like are written as octal numbers."""
    return re.sub(r"\\(\d{3})", lambda match: chr(int(match[1], 8)), text)


def _locks_hold(folder: Path) -> bool:
    """Whether a lock on a file of a folder keeps others from the same lock."""
    try:
        with tempfile.NamedTemporaryFile(dir=folder) as file, open(file.name, "rb+") as again:
            if not hasattr(fcntl, "F_OFD_SETLK"):  # not Linux: one process cannot try both
                return _takes(partial(fcntl.lockf, file, fcntl.LOCK_EX | fcntl.LOCK_NB))
            # These locks are of an opened file and not of a process, unlike those of SQLite.
            lock = struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
            first = _takes(partial(fcntl.fcntl, file, fcntl.F_OFD_SETLK, lock))
            second = _takes(partial(fcntl.fcntl, again, fcntl.F_OFD_SETLK, lock))
            return first and not second
    except OSError:
        return True  # it cannot be tried here, and most file systems have locks


def _takes(lock: Callable[[], object]) -> bool:
    """Whether a lock is granted."""
    try:
        lock()
    except OSError:
        return False
    return True


class SoleWriter:
    """The right to write a file where locks are not to be trusted: a file beside it.

    Parameters
    ----------
    file : Path
        Of the store.
    reason : str
        Why it is needed; see `why_unsafe`.
    """

    def __init__(self, file: Path, reason: str) -> None:
        self._file = file
        self._reason = reason
        self._mark = file.with_name(f"{file.name}-writer")
        self._name = f"{socket.gethostname()} {os.getpid()}"

    def acquire(self) -> None:
        """Take the right.

        Raises
        ------
        StoreError
            If another process has it.
        """
        for _ in range(2):
            if self._make():
                return
            holder = self._holder()
            if holder == self._name:
                return
            if not self._is_gone(holder):
                break
            self._mark.unlink(missing_ok=True)
        host, _, process = holder.partition(" ")
        raise StoreError(
            f"{self._file} is being written by process {process or '?'} on {host or '?'}, and "
            f"{self._reason}, where two would destroy it; wait for that process, {WAY_OUT}, or "
            f"remove {self._mark} if it has ended"
        )

    def release(self) -> None:
        """Give it back."""
        if self._holder() == self._name:
            self._mark.unlink(missing_ok=True)

    def _make(self) -> bool:
        """Make the mark, with its content, unless there is one."""
        try:
            # Only one process can make a file, also on a network.
            with self._mark.open("x") as file:
                file.write(self._name)
        except FileExistsError:
            return False
        return True

    def _holder(self) -> str:
        try:
            return self._mark.read_text()
        except OSError:
            return ""

    def _is_gone(self, holder: str) -> bool:
        """Whether the process of a mark has ended, which can be known of this machine only."""
        host, _, process = holder.partition(" ")
        if host != socket.gethostname() or not process.isdecimal():
            return False
        try:
            os.kill(int(process), 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            return False
        return False
