"""Finding a run by the name that a user writes, and a cell by the first digits of its key."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from hcbench.errors import StoreError
from hcbench.store.conditions import is_latest
from hcbench.store.rows import RunInfo
from hcbench.store.schema import cells

#: The most cells that a message lists, if the first digits of a key are those of several.
_MOST_EXAMPLES = 5
#: So many digits more than the user has written distinguish these cells.
_MORE_DIGITS = 6


def choose_run(infos: Sequence[RunInfo], name: str | None, location: str) -> RunInfo:
    """The run of a name, the last of a suite, or the last of all that is not damaged.

    Parameters
    ----------
    infos : sequence of RunInfo
        All runs of the store, the latest last.
    name : str or None
        Of the run or of its suite; None for the last of all. A run that ended with an error before
        it had any results is not the last one.
    location : str
        The store, for messages.

    Raises
    ------
    StoreError
        If there is none.
    """
    if not infos:
        raise StoreError(f"there are no runs in {location} yet; begin with: hcbench compare")
    if name is None:
        return _last_of_all(infos)
    # A name is of one run, and more specific than a suite.
    for attribute in ("name", "suite"):
        for info in reversed(infos):
            if getattr(info, attribute).casefold() == name.casefold():
                return info
    suites: dict[str, None] = {}
    for info in infos:
        if info.suite:
            suites[info.suite] = None
    raise StoreError(
        f"{location} has no run called {name!r}, nor of a suite "
        f"{name!r}; there are runs of {', '.join(suites)}"
    )


def _last_of_all(infos: Sequence[RunInfo]) -> RunInfo:
    """The last run with results; without one the last that is sound, or else the last."""
    for info in reversed(infos):
        if not info.damaged and _has_results(info):
            return info
    for info in reversed(infos):
        if not info.damaged:
            return info
    # The last one says what is damaged.
    return infos[-1]


def _has_results(info: RunInfo) -> bool:
    """Whether a run has ended as planned, or has a result at least."""
    is_complete = info.finished is not None and not info.interrupted
    return is_complete or info.cells > info.failed


def find_cell(
    connection: sa.Connection, key_prefix: str, location: str
) -> tuple[int, str, str, str]:
    """The latest measurement of a cell, by the first digits of its key.

    Returns
    -------
    row : int
    traceback, log : str
    description : str
        How to run it again, as JSON.

    Raises
    ------
    StoreError
        If no cell, or several, begin with it.
    """
    begins = cells.c.key.startswith(key_prefix.lower(), autoescape=True)
    query = sa.select(cells.c.id, cells.c.key, cells.c.traceback, cells.c.log, cells.c.cell)
    # One more than is listed, to know whether there are more.
    query = query.where(begins, is_latest()).limit(_MOST_EXAMPLES + 1)
    rows = connection.execute(query).all()
    if not rows or not key_prefix:
        raise StoreError(
            f"{location} has no cell {key_prefix!r}; the keys of failures are in "
            "`hcbench results show`, those of all cells in `hcbench results export`"
        )
    if len(rows) > 1:
        n_digits = len(key_prefix) + _MORE_DIGITS
        examples = [row.key[:n_digits] for row in rows[:_MOST_EXAMPLES]]
        if len(rows) > _MOST_EXAMPLES:
            examples.append("...")
        raise StoreError(f"several cells begin with {key_prefix!r}: {', '.join(examples)}")
    (row,) = rows
    return row.id, row.traceback, row.log, row.cell
