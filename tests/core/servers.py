"""A PostgreSQL server for tests, if one is installed: in its own folder, on a free port."""

from __future__ import annotations

import itertools
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PASSWORD = "se cret/1"
IN_A_URL = "se%20cret%2F1"


def find_program(name: str) -> str | None:
    """Find a program of PostgreSQL: on the PATH, or in Debian's folder."""
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    return shutil.which(name) or next(
        (found for place in reversed(places) if (found := shutil.which(name, path=place))), None
    )


def can_serve() -> bool:
    """Whether a server can be started: root needs the user ``postgres``."""
    if find_program("initdb") is None or find_program("pg_ctl") is None:
        return False
    if os.getuid() != 0:
        return True
    with suppress(KeyError):
        return bool(pwd.getpwnam("postgres"))
    return False


class Server:
    """A server whose user ``tester`` needs a password.

    Parameters
    ----------
    folder : Path
        Folder of its data.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = _free_port()
        self._numbers = itertools.count()
        secret = folder.parent / "password"
        secret.write_text(PASSWORD + "\n")
        if os.getuid() == 0:
            shutil.chown(secret, "postgres")
        encoding = ("-E", "UTF8", "--no-locale")
        access = ("-U", "tester", "-A", "scram-sha-256", "--pwfile", str(secret))
        self._do("initdb", *encoding, *access, "-N")

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c fsync=off -k {self.folder}"
        log = str(self.folder.parent / "log")
        self._do("pg_ctl", "start", "-w", "-l", log, "-o", options)

    def stop(self) -> None:
        """Stop it at once; connections are closed."""
        self._do("pg_ctl", "stop", "-m", "fast", "-w")

    def url(self, database: str, *, user: str = "tester", password: str = IN_A_URL) -> str:
        """URL of a database."""
        return f"postgresql://{user}:{password}@127.0.0.1:{self.port}/{database}"

    def ask(self, statement: str, database: str = "postgres") -> list[tuple[object, ...]]:
        """Execute a statement, and return its output."""
        import psycopg

        with psycopg.connect(self.url(database), autocommit=True) as connection:
            answer = connection.execute(statement)
            return answer.fetchall() if answer.description else []

    def new(self, name: str = "") -> str:
        """Create a database, and return its URL."""
        name = name or f"made{next(self._numbers)}"
        self.ask(f'CREATE DATABASE "{name}"')
        return self.url(name)

    def _do(self, program: str, *arguments: str) -> None:
        command = [str(find_program(program)), "-D", str(self.folder), *arguments]
        user = "postgres" if os.getuid() == 0 else None
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,  # pg_ctl's server would keep a pipe open
            stderr=subprocess.DEVNULL,
            timeout=120,
            cwd="/",
            user=user,
            group=user,
            extra_groups=[] if user else None,
        )
        assert done.returncode == 0, f"{command} failed, see {self.folder.parent}/log"


def _free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port: int = listening.getsockname()[1]
    return port


@contextmanager
def a_server() -> Iterator[Server]:
    """Create and start a server, and remove it afterwards."""
    with tempfile.TemporaryDirectory(prefix="hcbench-pg-") as made:
        parent = Path(made)
        folder = parent / "data"
        if os.getuid() == 0:
            shutil.chown(parent, "postgres", "postgres")
        server = Server(folder)
        server.start()
        try:
            yield server
        finally:
            with suppress(AssertionError):
                server.stop()
