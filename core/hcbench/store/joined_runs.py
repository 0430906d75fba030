"""Which run of the target a run of another store becomes: the same, one of its plan, or a new one.

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

from sqlalchemy import Connection, delete, func, select, update

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

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._by_origin: dict[str, int] = {}
        self._by_plan: dict[str, int] = {}
        self._touched: set[int] = set()
        rows = connection.execute(select(runs).order_by(runs.c.id)).all()
        infos = [run_info(row) for row in rows]
        known = [
            dict(row._mapping)
            for row, info in zip(rows, infos, strict=True)
            if not info.damaged and not info.removed
        ]
        # Of the runs of one plan, the one with the most shards is extended; of these, the latest.
        for row in sorted(known, key=lambda row: len(parts_of(row)) if plan_of(row) else 0):
            self._remember(row["id"], row)

    def _remember(self, number: int, row: Row) -> None:
        plan = plan_of(row)
        if plan is not None:
            self._by_plan[plan] = number
        self._by_origin.setdefault(origin_of(row), number)

    def place(self, row: Row) -> tuple[int, bool]:
        """The number of a run of another store, and whether it is new here."""
        plan = plan_of(row)
        if plan is not None and plan in self._by_plan:
            number = self._by_plan[plan]
            self._join(number, row)
            return number, False
        number = self._by_origin.get(origin_of(row), 0)
        if number:
            if row["finished"] is not None:  # a copy cannot change how a run ended here
                state = {name: row[name] for name in _STATE}
                unfinished = (runs.c.id == number) & runs.c.finished.is_(None)
                self._connection.execute(update(runs).where(unfinished).values(state))
            return number, False
        new = {name: value for name, value in row.items() if name != "id"}
        done = self._connection.execute(runs.insert(), new)
        (number,) = done.inserted_primary_key or (0,)
        self._remember(number, row)
        return number, True

    def _join(self, number: int, row: Row) -> None:
        """Add the shards of another run to a run."""
        wanted = select(runs).where(runs.c.id == number)
        here = dict(self._connection.execute(wanted).mappings().one())
        parts = _joined(parts_of(here), parts_of(row))
        self._touched.add(number)
        if parts == parts_of(here):
            return
        states = list(parts.values())
        finished = [state["finished"] for state in states]
        values: dict[str, Any] = {
            "started": min(state["started"] for state in states),
            "finished": None if None in finished else max(finished),
            "interrupted": any(state["interrupted"] for state in states),
        }
        if len(parts) > 1 or len(states[0]["runs"]) > 1:
            layout = json.loads(here["layout"])
            layout["shard"]["numbers"] = sorted(map(int, parts))
            layout["renamed"] |= json.loads(row["layout"])["renamed"]
            environment = {**json.loads(here["environment"]), "shards": parts}
            values |= {
                "command": _of_whole(here["command"]),
                "layout": json.dumps(layout),
                "environment": json.dumps(environment),
            }
        self._update(number, values)

    def _update(self, number: int, values: dict[str, Any]) -> None:
        self._connection.execute(update(runs).where(runs.c.id == number).values(values))

    def finish(self) -> None:
        """Remove all but the latest row of each cell from runs that were joined."""
        for number in sorted(self._touched):
            self._drop_older(number)

    def _drop_older(self, number: int) -> None:
        linked = select(func.max(cells.c.id)).join(run_cells, run_cells.c.cell == cells.c.id)
        latest = linked.where(run_cells.c.run == number).group_by(cells.c.key)
        older = (run_cells.c.run == number) & run_cells.c.cell.not_in(latest)
        self._connection.execute(delete(run_cells).where(older))


def origin_of(row: Row) -> str:
    """A hash of when and how a run was started, by which it is recognised."""
    parts = [row[name] for name in ("started", "command", "suite", "environment")]
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest()


def plan_of(row: Row) -> str | None:
    """What the shards of one run share: plan, number of shards, layout; None if it is no shard."""
    layout = json.loads(row["layout"])
    shard = layout.get("shard")
    if not _is_shard(shard) or not isinstance(layout.get("renamed"), dict):
        return None
    own = ("shard", "renamed", *ABOUT_RUN)
    others = {k: value for k, value in layout.items() if k not in own}
    return json.dumps([shard["plan"], shard["count"], others], sort_keys=True)


def _is_shard(shard: Any) -> bool:
    """Whether this is `hcbench.plan.plan.Shard` in JSON; it comes from another store."""
    return (
        isinstance(shard, dict)
        and isinstance(shard.get("plan"), str)
        and isinstance(shard.get("count"), int)
        and isinstance(shard.get("numbers"), list)
        and bool(shard["numbers"])
        and all(isinstance(n, int) and 1 <= n <= shard["count"] for n in shard["numbers"])
    )


def parts_of(row: Row) -> Parts:
    """The shards that a run consists of."""
    environment = json.loads(row["environment"])
    parts = environment.get("shards")
    if isinstance(parts, dict) and parts and all(map(_is_part, parts.values())):
        return parts
    (number, *_) = json.loads(row["layout"])["shard"]["numbers"]
    state = {name: row[name] for name in _STATE}
    return {str(number): {"runs": [origin_of(row)], **state, "environment": environment}}


def _is_part(part: Any) -> bool:
    return (
        isinstance(part, dict)
        and isinstance(part.get("runs"), list)
        and isinstance(part.get("started"), str)
        and isinstance(part.get("finished"), str | None)
        and isinstance(part.get("interrupted"), bool)
    )


def _joined(here: Parts, other: Parts) -> Parts:
    """The shards of both; of a shard that was run several times, how the last run ended."""
    joined = dict(here)
    for number, part in other.items():
        known = joined.get(number)
        if known is None:
            joined[number] = part
        elif known["runs"][-1] == part["runs"][-1]:
            joined[number] = {**part, "runs": known["runs"]}
        else:
            new = [run for run in part["runs"] if run not in known["runs"]]
            if new:
                joined[number] = {**part, "runs": [*known["runs"], *new]}
    return dict(sorted(joined.items(), key=lambda item: int(item[0])))


def _of_whole(command: str) -> str:
    """The command that runs the whole plan, without the place of the results."""
    try:
        words = shlex.split(command)
    except ValueError:
        return command
    options = ("--shard", "--store")
    remaining = []
    for before, word in zip(["", *words], words, strict=False):
        if word not in options and before not in options and word.split("=")[0] not in options:
            remaining.append(word)
    return shlex.join(remaining)
