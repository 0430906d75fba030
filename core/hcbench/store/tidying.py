"""Naming, annotating and removing runs, and everything that no run shows.

Names and notes are part of the stored layout of a run, so they are exported and merged with it. Of
old runs, an unfinished one that began less than a day ago may still be running, so it stays. So
does a run whose measurements are shown by another run that stays, as they were made in its
environment, and a damaged run, which only `remove_run` removes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from hcbench.errors import StoreError
from hcbench.store.conditions import among, is_latest
from hcbench.store.rows import LEFT_OUT, RunInfo, from_json, storable, to_json
from hcbench.store.schema import (
    cells,
    is_reported,
    metadata,
    metric_values,
    points,
    run_cells,
    runs,
)
from hcbench.store.store import Store
from hcbench.store.summaries import forget, run_infos

_MAY_RUN = timedelta(days=1)
# Bytes of the row of a cell and of a value, with their indices, about.
_BYTES_OF_ROW = 400
_BYTES_OF_VALUE = 120


@dataclass(frozen=True, slots=True)
class Tidied:
    """What was removed.

    Attributes
    ----------
    runs, cells, values : int
    lent : int
        Old runs that stay because others show what they measured.
    bytes : int
        Freed; in a dry run, an estimate.
    """

    runs: int
    cells: int
    values: int
    lent: int = 0
    bytes: int = 0


def tidy(
    store: Store,
    *,
    keep_runs: int | None = None,
    before: datetime | None = None,
    dry_run: bool = False,
) -> Tidied:
    """Remove old runs, and everything that no run shows.

    The latter are superseded measurements, values of old versions of metrics, and interrupted runs
    without a cell. Old runs are removed with the cells that no other run shows, even the latest.

    Parameters
    ----------
    store : Store
    keep_runs : int, optional
        How many of the latest runs stay; by default all.
    before : datetime, optional
        Runs that began earlier are removed, except the latest ``keep_runs``.
    dry_run : bool
        Only report what would be removed.

    Raises
    ------
    StoreError
        If it cannot be written.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [5.0], [6.0]])
    >>> for algorithm in ("Single", "UPGMA"):
    ...     results = hcbench.compare(
    ...         algorithm, X, store="results.sqlite", progress=False, repetitions=1
    ...     )
    >>> from hcbench.store import Store
    >>> with Store("results.sqlite") as store:
    ...     tidied = tidy(store, keep_runs=1)
    ...     print(tidied.runs, tidied.cells, [outcome.algorithm for outcome in store.cells()])
    1 1 ['UPGMA']
    """
    database = store.database
    if dry_run or not database.exists:
        with database.reading() as connection:
            surplus = _find_surplus(connection, keep_runs, before)
            size = _estimated_bytes(connection, surplus)
            return replace(surplus.tidied, bytes=size)
    size_before = _size(store)
    with database.writing() as connection:
        surplus = _find_surplus(connection, keep_runs, before)
        forget(connection)
        for condition in surplus.values:
            connection.execute(sa.delete(metric_values).where(condition))
        # What belongs to a cell is deleted with it.
        connection.execute(sa.delete(cells).where(among(connection, cells.c.id, surplus.cells)))
        of_old_runs = among(connection, run_cells.c.run, surplus.runs)
        connection.execute(sa.delete(run_cells).where(of_old_runs))
        connection.execute(sa.delete(runs).where(among(connection, runs.c.id, surplus.runs)))
    _vacuum(store)
    # Other processes may have written meanwhile.
    return replace(surplus.tidied, bytes=max(size_before - _size(store), 0))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Surplus:
    """What is removed: numbers of runs and cells, and conditions of values; and how much it is."""

    runs: Sequence[int]
    cells: Sequence[int]
    values: Sequence[sa.ColumnElement[bool]]
    tidied: Tidied


def _find_surplus(
    connection: sa.Connection, keep_runs: int | None, before: datetime | None
) -> _Surplus:
    """What `tidy` removes."""
    infos = run_infos(connection)
    unwanted = set(_unwanted(list(infos.values()), keep_runs, before))
    # Also runs that are lost by damage may be lenders, and are not there.
    staying = _with_lenders(connection, set(infos) - unwanted) & set(infos)
    old_runs = sorted(set(infos) - staying)
    unshown = cells_of_no_run(connection, old_runs)
    staying_infos = [infos[run] for run in sorted(staying)]
    conditions = _values_nobody_asked_for(connection, staying_infos)
    n_values = 0
    for condition in conditions:
        n_values += _total(connection, sa.func.count(), condition)
    return _Surplus(
        runs=old_runs,
        cells=unshown,
        values=conditions,
        tidied=Tidied(
            runs=len(old_runs), cells=len(unshown), values=n_values, lent=len(staying & unwanted)
        ),
    )


def _estimated_bytes(connection: sa.Connection, surplus: _Surplus) -> int:
    """About how many bytes are freed."""
    of_cells = among(connection, cells.c.id, surplus.cells)
    of_points = among(connection, points.c.cell, surplus.cells)
    of_values = among(connection, metric_values.c.cell, surplus.cells)
    of_runs = among(connection, runs.c.id, surplus.runs)
    # Values of removed cells, and of others.
    n_values = _total(connection, sa.func.count(), of_values) + surplus.tidied.values
    texts = sa.func.length(cells.c.cell) + sa.func.length(cells.c.log)
    texts += sa.func.length(cells.c.traceback)
    layouts = sa.func.length(runs.c.layout) + sa.func.length(runs.c.environment)
    return (
        _BYTES_OF_ROW * len(surplus.cells)
        + _BYTES_OF_VALUE * n_values
        + _total(connection, sa.func.sum(texts), of_cells)
        + _total(connection, sa.func.sum(sa.func.length(points.c.result)), of_points)
        + _total(connection, sa.func.sum(layouts), of_runs)
    )


def _total(
    connection: sa.Connection, total: sa.ColumnElement[Any], condition: sa.ColumnElement[bool]
) -> int:
    return int(connection.execute(sa.select(total).where(condition)).scalar() or 0)


def _unwanted(
    infos: Sequence[RunInfo], keep_runs: int | None, before: datetime | None
) -> Iterator[int]:
    """Runs to remove unless other runs need them."""
    # An empty run is not among the last ones that a user wants to keep.
    with_cells = [info.id for info in infos if info.cells]
    kept: set[int] = set()
    if keep_runs:
        kept.update(with_cells[-keep_runs:])
    a_day_ago = datetime.now(UTC) - _MAY_RUN
    for info in infos:
        may_run = info.finished is None and info.started > a_day_ago
        if info.damaged or may_run:
            continue
        if not info.cells or (info.id not in kept and _is_old(info, keep_runs, before)):
            yield info.id


def _is_old(info: RunInfo, keep_runs: int | None, before: datetime | None) -> bool:
    """Whether a run that is not among the latest is to be removed."""
    if before is not None:
        return info.started < before
    return keep_runs is not None


def _with_lenders(connection: sa.Connection, runs_to_keep: set[int]) -> set[int]:
    """Runs, with those that measured what they show, and so on."""
    measured = sa.select(run_cells.c.run, cells.c.run).join(cells, cells.c.id == run_cells.c.cell)
    scored = sa.select(run_cells.c.run, metric_values.c.run)
    scored = scored.join(metric_values, metric_values.c.cell == run_cells.c.cell)
    lenders: dict[int, set[int]] = {}
    for run, lender in connection.execute(measured.union(scored)):
        lenders.setdefault(run, set()).add(lender)
    staying = set(runs_to_keep)
    waiting = list(staying)
    while waiting:
        added = lenders.get(waiting.pop(), set()) - staying
        staying |= added
        waiting += added
    return staying


def cells_of_no_run(connection: sa.Connection, removed_runs: Sequence[int]) -> list[int]:
    """Cells that no remaining run shows, except the latest measurement by a remaining run."""
    of_remaining = ~among(connection, run_cells.c.run, removed_runs)
    shown_cells = sa.select(run_cells.c.cell).where(of_remaining)
    is_superseded = ~is_latest() | cells.c.key.startswith(LEFT_OUT)
    is_lost = cells.c.run.not_in(sa.select(runs.c.id))  # by damage
    is_of_removed = among(connection, cells.c.run, removed_runs)
    query = sa.select(cells.c.id).where(cells.c.id.not_in(shown_cells))
    query = query.where(is_superseded | is_lost | is_of_removed).order_by(cells.c.id)
    return list(connection.execute(query).scalars())


def _values_nobody_asked_for(
    connection: sa.Connection, infos: Sequence[RunInfo]
) -> list[sa.ColumnElement[bool]]:
    """Conditions: the cell is shown by runs, none of which asked for this value."""
    keys_of_run = {info.id: info.metric_keys for info in infos}
    of_runs = among(connection, run_cells.c.run, keys_of_run)
    shown_cells = sa.select(run_cells.c.cell).where(of_runs)
    cell = metric_values.c.cell
    conditions = []
    stored_keys = sa.select(metric_values.c.metric_key).where(~is_reported).distinct()
    for key in connection.execute(stored_keys).scalars():
        asking = []
        for run, keys in keys_of_run.items():
            # A run that does not say what it asked for may have asked for all.
            if keys is None or key in keys.values():
                asking.append(run)
        asked_for = sa.select(run_cells.c.cell).where(among(connection, run_cells.c.run, asking))
        is_of_key = metric_values.c.metric_key == key
        conditions.append(is_of_key & cell.in_(shown_cells) & cell.not_in(asked_for))
    return conditions


def _size(store: Store) -> int:
    """Bytes of the tables, or of the file."""
    with store.database.reading() as connection:
        if store.database.place.server is None:
            n_pages = connection.execute(sa.text("PRAGMA page_count")).scalar() or 0
            page_size = connection.execute(sa.text("PRAGMA page_size")).scalar() or 0
            return int(n_pages) * int(page_size)
        sizes: list[Any] = []
        for table in metadata.sorted_tables:
            sizes.append(sa.func.pg_total_relation_size(table.name))
        return sum(connection.execute(sa.select(*sizes)).one())


def _vacuum(store: Store) -> None:
    """Return free space to the file system."""
    statements = ["VACUUM"]
    if store.database.place.server is not None:
        statements = [f"VACUUM FULL {table.name}" for table in metadata.sorted_tables]
    store.database.outside_transactions(statements)


@dataclass(frozen=True, slots=True)
class Removed:
    """What `remove_run` did with the cells of a run: how many are gone, and how many stay."""

    cells: int
    shared: int


def name_run(store: Store, run: RunInfo, name: str) -> None:
    """Give a run a name, by which it can be chosen; "" removes its name.

    Raises
    ------
    StoreError
        If the name is a number, or another run has it.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [5.0], [6.0]])
    >>> results = hcbench.compare(
    ...     "Single", X, store="results.sqlite", progress=False, repetitions=1
    ... )
    >>> from hcbench.store import Store
    >>> with Store("results.sqlite") as store:
    ...     name_run(store, store.run(), "baseline")
    ...     print(store.run("baseline").id)
    1
    """
    if name.isdecimal():
        raise StoreError(f"{name!r} is the number of a run; a name has at least one letter")
    with store.database.writing() as connection:
        for info in run_infos(connection).values():
            # Many runs may have no name.
            if name and info.id != run.id and info.name.casefold() == name.casefold():
                raise StoreError(f"run {info.id} is already called {name!r}; choose another name")
        _write(connection, run, "name", name)


def annotate_run(store: Store, run: RunInfo, note: str) -> None:
    """Replace the note of a run; "" removes it.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [5.0], [6.0]])
    >>> results = hcbench.compare(
    ...     "Single", X, store="results.sqlite", progress=False, repetitions=1
    ... )
    >>> from hcbench.store import Store
    >>> with Store("results.sqlite") as store:
    ...     annotate_run(store, store.run(), "before the fix of ties")
    ...     print(store.run().note)
    before the fix of ties
    """
    with store.database.writing() as connection:
        _write(connection, run, "note", note)


def _write(connection: sa.Connection, run: RunInfo, key: str, text: str) -> None:
    of_run = runs.c.id == run.id
    layout = from_json(connection.execute(sa.select(runs.c.layout).where(of_run)).scalar_one())
    layout |= {key: storable(text)}
    connection.execute(sa.update(runs).where(of_run).values(layout=to_json(layout)))


def remove_run(store: Store, run: RunInfo) -> Removed:
    """Remove a run, which may be damaged, with the cells that no other run shows.

    If other runs show what it measured, its row stays for its environment, but is no longer listed;
    it goes with the last of them.

    Examples
    --------
    A cell that another run shows as well stays.

    >>> X = np.array([[0.0], [1.0], [5.0], [6.0]])
    >>> for algorithms in (["Single"], ["Single", "UPGMA"]):
    ...     results = hcbench.compare(
    ...         algorithms, X, store="results.sqlite", progress=False, repetitions=1
    ...     )
    >>> from hcbench.store import Store
    >>> with Store("results.sqlite") as store:
    ...     remove_run(store, store.run())
    Removed(cells=1, shared=1)
    """
    of_run = run_cells.c.run == run.id
    with store.database.writing() as connection:
        # With those that were removed before, which stay while others show what they measured.
        gone = [run.id]
        for info in run_infos(connection).values():
            if info.removed:
                gone.append(info.id)
        cells_of_run = set(connection.execute(sa.select(run_cells.c.cell).where(of_run)).scalars())
        unshown = cells_of_run.intersection(cells_of_no_run(connection, gone))
        connection.execute(sa.delete(cells).where(among(connection, cells.c.id, unshown)))
        forget(connection, of_run)
        connection.execute(sa.delete(run_cells).where(of_run))
        layout = to_json({"removed": True})
        connection.execute(sa.update(runs).where(runs.c.id == run.id).values(layout=layout))
        used = sa.select(cells.c.run).union(sa.select(metric_values.c.run))
        unused = among(connection, runs.c.id, gone) & runs.c.id.not_in(used)
        connection.execute(sa.delete(runs).where(unused))
    return Removed(cells=len(unshown), shared=len(cells_of_run - unshown))
