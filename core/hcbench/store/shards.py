"""Runs of several stores in one: shards of one plan become one run.

A run is recognised by when and how it was started. Where shards were joined, the environment of the
run holds under ``shards``, for each number of a shard: its runs, when they ran, how they ended, and
their environment.
"""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Mapping
from typing import Any, TypeAlias

import sqlalchemy as sa

from hcbench.store.rows import ABOUT_RUN, run_info
from hcbench.store.schema import cells, run_cells, runs

Row: TypeAlias = Mapping[str, Any]
#: By the number of a shard, as text.
Parts: TypeAlias = dict[str, dict[str, Any]]
_STATE = ("started", "finished", "interrupted")


class JoinedRuns:
    """The runs of a store to which others are added.

    Parameters
    ----------
    connection : Connection
        In a transaction.
    """

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection
        self._by_origin: dict[str, int] = {}
        self._by_plan: dict[str, int] = {}
        self._touched: set[int] = set()
        readable = []
        for row in connection.execute(sa.select(runs).order_by(runs.c.id)).all():
            info = run_info(row)
            if not info.damaged and not info.removed:
                readable.append(dict(row._mapping))
        # Of the runs of one plan, the one with the most shards is extended; of these, the latest.
        for values in sorted(readable, key=_number_of_shards):
            self._remember(values["id"], values)

    def _remember(self, number: int, row: Row) -> None:
        plan = _plan_of(row)
        if plan is not None:
            self._by_plan[plan] = number
        self._by_origin.setdefault(_origin_of(row), number)

    def place(self, row: Row) -> tuple[int, bool]:
        """The number of a run of another store, and whether it is new here."""
        plan = _plan_of(row)
        if plan is not None and plan in self._by_plan:
            number = self._by_plan[plan]
            self._join(number, row)
            return number, False
        number = self._by_origin.get(_origin_of(row), 0)
        if number:
            if row["finished"] is not None:  # a copy cannot change how a run ended here
                state = {name: row[name] for name in _STATE}
                unfinished = (runs.c.id == number) & runs.c.finished.is_(None)
                self._connection.execute(sa.update(runs).where(unfinished).values(state))
            return number, False
        # The target numbers its runs itself.
        values = dict(row)
        del values["id"]
        inserted = self._connection.execute(runs.insert(), values)
        (number,) = inserted.inserted_primary_key or (0,)
        self._remember(number, row)
        return number, True

    def _join(self, number: int, row: Row) -> None:
        """Add the shards of another run to a run."""
        query = sa.select(runs).where(runs.c.id == number)
        stored = dict(self._connection.execute(query).mappings().one())
        stored_parts = _parts_of(stored)
        parts = _joined(stored_parts, _parts_of(row))
        self._touched.add(number)
        if parts == stored_parts:
            return
        values = _state_of(parts)
        n_runs = 0
        for part in parts.values():
            n_runs += len(part["runs"])
        # One run of one shard stays as it is, with its command.
        if n_runs > 1:
            layout = json.loads(stored["layout"])
            layout["shard"]["numbers"] = sorted(map(int, parts))
            layout["renamed"] |= json.loads(row["layout"])["renamed"]
            environment = json.loads(stored["environment"])
            environment["shards"] = parts
            values["command"] = _command_of_plan(stored["command"])
            values["layout"] = json.dumps(layout)
            values["environment"] = json.dumps(environment)
        self._connection.execute(sa.update(runs).where(runs.c.id == number).values(values))

    def finish(self) -> None:
        """Remove all but the latest row of each cell from runs that were joined."""
        for number in sorted(self._touched):
            last = sa.select(sa.func.max(cells.c.id)).group_by(cells.c.key)
            linked = last.join(run_cells, run_cells.c.cell == cells.c.id)
            latest = linked.where(run_cells.c.run == number)
            older = (run_cells.c.run == number) & run_cells.c.cell.not_in(latest)
            self._connection.execute(sa.delete(run_cells).where(older))


def _number_of_shards(row: Row) -> int:
    """How many shards a run has; 0 if it is none of a plan."""
    if _plan_of(row) is None:
        return 0
    return len(_parts_of(row))


def _origin_of(row: Row) -> str:
    """A hash of when and how a run was started, by which it is recognised."""
    parts = [row[name] for name in ("started", "command", "suite", "environment")]
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest()


def _plan_of(row: Row) -> str | None:
    """What the shards of one run share: plan, number of shards, layout; None if it is no shard."""
    layout = json.loads(row["layout"])
    shard = layout.get("shard")
    if not _is_shard(shard) or not isinstance(layout.get("renamed"), dict):
        return None
    for name in ("shard", "renamed") + tuple(ABOUT_RUN):
        layout.pop(name, None)
    return json.dumps([shard["plan"], shard["count"], layout], sort_keys=True)


def _is_shard(shard: Any) -> bool:
    """Whether this is `hcbench.plan.plan.Shard` in JSON; it comes from another store."""
    if not isinstance(shard, dict):
        return False
    count = shard.get("count")
    numbers = shard.get("numbers")
    if not isinstance(shard.get("plan"), str) or not isinstance(count, int):
        return False
    if not isinstance(numbers, list) or not numbers:
        return False
    return all(isinstance(number, int) and 1 <= number <= count for number in numbers)


def _parts_of(row: Row) -> Parts:
    """The shards that a run consists of."""
    environment = json.loads(row["environment"])
    parts = environment.get("shards")
    if isinstance(parts, dict) and parts and all(_is_part(part) for part in parts.values()):
        return parts
    number = json.loads(row["layout"])["shard"]["numbers"][0]
    part: dict[str, Any] = {"runs": [_origin_of(row)]}
    for name in _STATE:
        part[name] = row[name]
    part["environment"] = environment
    return {str(number): part}


def _is_part(part: Any) -> bool:
    if not isinstance(part, dict):
        return False
    return (
        isinstance(part.get("runs"), list)
        and isinstance(part.get("started"), str)
        and isinstance(part.get("finished"), str | None)
        and isinstance(part.get("interrupted"), bool)
    )


def _state_of(parts: Parts) -> dict[str, Any]:
    """When the run of some shards began and ended, and whether one of them was interrupted."""
    finished = [part["finished"] for part in parts.values()]
    values: dict[str, Any] = {
        "started": min(part["started"] for part in parts.values()),
        "finished": None,
        "interrupted": any(part["interrupted"] for part in parts.values()),
    }
    if None not in finished:
        values["finished"] = max(finished)
    return values


def _joined(stored: Parts, added: Parts) -> Parts:
    """The shards of both; of a shard that was run several times, how the last run ended."""
    joined = dict(stored)
    for number, part in added.items():
        stored_part = joined.get(number)
        if stored_part is None:
            joined[number] = part
            continue
        runs_of_shard = list(stored_part["runs"])
        if runs_of_shard[-1] != part["runs"][-1]:
            new_runs = [run for run in part["runs"] if run not in runs_of_shard]
            if not new_runs:
                continue
            runs_of_shard += new_runs
        joined[number] = {**part, "runs": runs_of_shard}
    return dict(sorted(joined.items(), key=lambda item: int(item[0])))


def _command_of_plan(command: str) -> str:
    """The command that runs the whole plan, without the place of the results."""
    try:
        words = shlex.split(command)
    except ValueError:
        return command
    remaining = []
    is_value = False  # of an option that is left out
    for word in words:
        option = word.partition("=")[0]
        if option not in ("--shard", "--store"):
            if not is_value:
                remaining.append(word)
            is_value = False
        else:
            is_value = word == option
    return shlex.join(remaining)
