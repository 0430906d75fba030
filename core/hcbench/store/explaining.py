"""Errors of a database as one line that says what to do."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import exc

from hcbench.errors import HcbenchError, StoreError
from hcbench.store import sqlite
from hcbench.store.places import Place

# What a user can do, at the end of messages.
ELSEWHERE = "give another place with --store"
RECOVER = "recover what is readable with `sqlite3 FILE .recover`, move it away, or " + ELSEWHERE
REACH = "check the URL and the server, or " + ELSEWHERE


class UnreachableError(StoreError):
    """The server of a store cannot be reached, or has ended the connection."""


@contextmanager
def explained(place: Place) -> Iterator[None]:
    """Turn an error of the database into one line that says what to do.

    Raises
    ------
    StoreError
        An `UnreachableError` if waiting may help.
    """
    try:
        yield
    except exc.DBAPIError as error:
        why = _explain(place, error.orig or error)
        if place.server is not None and _is_outage(error):
            raise UnreachableError(f"{why}; {REACH}") from error
        raise StoreError(why) from error
    except sqlite3.Error as error:
        raise StoreError(_explain(place, error)) from error
    except OSError as error:
        what = error.strerror or str(error)
        raise StoreError(f"{place}: {what}; change the permissions or {ELSEWHERE}") from error
    except OverflowError as error:
        raise StoreError(f"{place}: a number has more than 64 bits and cannot be stored") from error
    except exc.SQLAlchemyError as error:
        raise StoreError(f"{place}: {_one_line(error)}") from error
    except HcbenchError:
        raise
    except (ValueError, RecursionError) as error:
        damage = f"what is stored is damaged ({_one_line(error)[:80]})"
        raise StoreError(f"{place}: {damage}; {RECOVER}") from error


# By the first two words of SQLite's names for its errors.
_SQLITE_ERRORS = {
    "SQLITE_FULL": "the disk is full; make room or " + ELSEWHERE,
    "SQLITE_BUSY": (
        f"another process has locked it for {sqlite.LOCK_WAIT:.0f} s; wait for it or {ELSEWHERE}"
    ),
    "SQLITE_READONLY": "it cannot be written; change its permissions or " + ELSEWHERE,
    "SQLITE_PERM": "it may not be opened; change its permissions or " + ELSEWHERE,
    "SQLITE_CANTOPEN": (
        "it cannot be opened, or its folder cannot be written; change the permissions or "
        + ELSEWHERE
    ),
    "SQLITE_NOTADB": "this is no SQLite database; " + ELSEWHERE,
    "SQLITE_CORRUPT": "the file is malformed; " + RECOVER,
    "SQLITE_IOERR": "the disk cannot be read or written, or is full; make room or " + ELSEWHERE,
    "SQLITE_TOOBIG": "a result is larger than SQLite can keep (1 GB); use a PostgreSQL store",
}


def _explain(place: Place, error: BaseException) -> str:
    name = getattr(error, "sqlite_errorname", None)
    if name is None:
        return f"{place}: {_one_line(error)}"

    # Extended codes, such as SQLITE_READONLY_DIRECTORY, begin with the name of the error.
    primary_code = "_".join(name.split("_")[:2])
    text = _SQLITE_ERRORS.get(primary_code) or _one_line(error)
    return f"{place}: {text}"


def _is_outage(error: exc.DBAPIError) -> bool:
    """Whether a server refused or lost the connection, rather than rejected a statement.

    By its SQLSTATE: class 08, or shutting down or starting up. An error without one did not come
    from the server at all.
    """
    state = getattr(error.orig, "sqlstate", None) or getattr(error.orig, "pgcode", None)
    if state is None:
        return error.connection_invalidated or isinstance(error, exc.OperationalError)
    return state.startswith("08") or state in ("57P01", "57P02", "57P03")


def _one_line(error: BaseException) -> str:
    """The line of a driver's message that states the reason."""
    lines = str(error).strip().splitlines()
    if not lines:
        return type(error).__name__
    reason = lines[0]
    for line in lines:
        if "FATAL:" in line or "ERROR:" in line:
            reason = line
            break
    line = " ".join(reason.split())
    return re.sub(r"^(connection failed: )?connection to server .*? failed: ", "", line)
