"""Where a store is: a file, memory, or a server."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import exc
from sqlalchemy.engine import URL, make_url

from hcbench.errors import StoreError, hide_passwords

# The driver of SQLAlchemy by what stands before "://".
_DRIVERS = dict.fromkeys(("postgresql", "postgres"), "postgresql+psycopg")
# Parameters of the query of a URL that are not printed.
_SECRETS = ("password", "sslpassword", "passfile")
FORMS = "give a path, sqlite:///path or postgresql://user@host/database"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a store is: a file, memory (neither), or a server.

    Attributes
    ----------
    file : Path, optional
        Of a SQLite store.
    server : URL, optional
        Of a PostgreSQL store.
    """

    file: Path | None = None
    server: URL | None = None

    @property
    def address(self) -> str:
        """The path or the URL, with its password; "" if it is in memory."""
        if self.server is not None:
            return self.server.render_as_string(hide_password=False)
        if self.file is None:
            return ""
        return str(self.file)

    def is_same(self, place: Place) -> bool:
        """Whether both are the same store, judging by their names."""
        if self.file is not None and place.file is not None:
            return self.file.resolve() == place.file.resolve()
        return self.server is not None and str(self) == str(place)

    def __str__(self) -> str:
        if self.server is not None:
            public_url = self.server.difference_update_query(_SECRETS)
            public_url = public_url.set(drivername="postgresql")
            return public_url.render_as_string(hide_password=True)
        if self.file is None:
            return ":memory:"
        return str(self.file)


def find_place(url: str | Path) -> Place:
    """Read a path or a URL.

    Raises
    ------
    StoreError
        If it is a URL of an unknown kind.
    """
    if not isinstance(url, str | Path):
        raise StoreError(f"{url!r} is no store; {FORMS}")
    text = str(url)
    if "\0" in text:
        raise StoreError(f"{text!r} is not the name of a file; {FORMS}")
    is_url = "://" in text or re.match(r"(postgres|sqlite)[\w+]*(:/|//)", text)
    if not is_url or isinstance(url, Path):
        if text == ":memory:":
            return Place()
        return Place(file=Path(text).expanduser().absolute())

    try:
        parsed = make_url(text)
        backend = parsed.get_backend_name()
        if "@" in (parsed.host or ""):
            raise ValueError("a password with an unencoded @")
    except (exc.ArgumentError, ValueError):
        # Also the password of a URL that cannot be parsed.
        public_text = re.sub(r"(://[^/:@?]*):[^/@]*(?=/|$)", r"\1:***", hide_passwords(text))
        raise StoreError(
            f"{public_text!r} is not the URL of a store (in a password, write @ as %40); {FORMS}"
        ) from None  # the cause would show the password

    if backend == "sqlite":
        name = parsed.database or ":memory:"
        if name == ":memory:":
            return Place()
        return find_place(Path(name))
    if backend not in ("postgresql", "postgres"):
        raise StoreError(f"a store cannot be kept in {backend!r}; {FORMS}")
    # A URL may name another driver itself.
    driver = _DRIVERS.get(parsed.drivername, parsed.drivername)
    return Place(server=parsed.set(drivername=driver))
