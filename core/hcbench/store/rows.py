"""What is stored of a cell and of a run, and its translation to and from rows of the tables."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import sqlalchemy as sa

from hcbench.model.cost import Cost
from hcbench.plan.outcome import REPORTED, Outcome, ScoredPoint, Value
from hcbench.store.schema import END, LOST, cells

LEFT_OUT = "-"  # begins the keys of inapplicable combinations
#: SQLite stores NaN as NULL: such a value has this status instead.
NAN = "nan"
_FIELDS = [field.name for field in fields(Outcome) if field.name in cells.c]
#: What a layout holds of its run besides the presentation of its results.
ABOUT_RUN = ("name", "note", "removed")
# A cost that came later has no column: it is a value of a metric, or one that was reported.
_COSTS = [field.name for field in fields(Cost) if field.name in cells.c]
#: The columns of the limits that were in force.
LIMITS = ("timeout", "memory")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunInfo:
    """One run.

    Attributes
    ----------
    id : int
    started : datetime
        In UTC.
    finished : datetime or None
        None if it is still running, or was killed.
    interrupted : bool
    command, suite : str
    environment : mapping
        Versions, machine, commit.
    layout : mapping
        The suite, and how its results are shown (see `hcbench.plan.presentation`).
    cells, reused, failed : int
        How many cells it has; how many of them another run measured (last); how many failed.
    name, note : str
        Given by the user.
    removed : bool
        Whether the user removed it. It stays as the environment of what other runs reuse.
    damaged : str
        What of it cannot be read, and has a substitute here; "" if it is whole.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [5.0], [6.0]])
    >>> results = hcbench.compare(
    ...     ["Single", "UPGMA"], X, store="results.sqlite", progress=False, repetitions=1
    ... )
    >>> from hcbench.store import Store
    >>> with Store("results.sqlite") as store:
    ...     run = store.run()  # the last one
    >>> run.suite, run.cells, run.reused, run.failed
    ('compare', 2, 0, 0)
    >>> sorted(run.environment)
    ['commit', 'machine', 'plugins', 'python', 'versions']
    """

    id: int
    started: datetime
    finished: datetime | None
    interrupted: bool
    command: str
    suite: str
    environment: Mapping[str, Any]
    layout: Mapping[str, Any]
    cells: int = 0
    reused: int = 0
    failed: int = 0
    name: str = ""
    note: str = ""
    removed: bool = False
    damaged: str = ""

    @property
    def metric_keys(self) -> dict[str, str] | None:
        """Label to key of the metrics that it asked for; None if it does not say."""
        try:
            return {metric["label"]: metric["key"] for metric in self.layout["metrics"]}
        except (KeyError, TypeError):
            return None


def now() -> str:
    """The time, as it is stored."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def stored_key(outcome: Outcome) -> str:
    """The key of a row: the cell's own; of an inapplicable combination, a hash of its labels."""
    if outcome.key:
        return outcome.key
    parts = [
        outcome.algorithm,
        outcome.dataset,
        outcome.oracle,
        outcome.repetition,
        outcome.seed,
        outcome.budget,
        outcome.reason,
    ]
    return LEFT_OUT + hashlib.blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest()


def run_info(row: Any, n_cells: int = 0, reused: int = 0, failed: int = 0) -> RunInfo:
    """A run from its row, as far as it can be read."""
    values = row._asdict()
    damaged = ""
    for name, (read, substitute) in _READERS.items():
        if name == "finished" and not values[name]:
            values[name] = None
            continue
        try:
            values[name] = read(values[name])
        except (ValueError, TypeError, RecursionError):
            damaged = f"{name} is {repr(values[name])[:40]}"
            values[name] = substitute
    # The layout also holds some values of the run itself.
    layout = values["layout"]
    values["layout"] = presented(layout)
    return RunInfo(
        **values,
        cells=n_cells,
        reused=reused,
        failed=failed,
        name=str(layout.get("name", "")),
        note=str(layout.get("note", "")),
        removed=bool(layout.get("removed")),
        damaged=damaged,
    )


def presented(layout: Mapping[str, Any]) -> dict[str, Any]:
    """A stored layout without what it holds of the run itself."""
    of_plan = {}
    for name, value in layout.items():
        if name not in ABOUT_RUN:
            of_plan[name] = value
    return of_plan


def read_moment(text: str) -> datetime:
    """Read what `now` wrote.

    Raises
    ------
    ValueError
        If it is no moment with a time zone.
    """
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{text} has no time zone")
    return moment


def cell_row(
    run: int,
    row: int,
    outcome: Outcome,
    description: Mapping[str, Any],
    limits: Mapping[str, float | None],
) -> dict[str, Any]:
    """A row of ``cells``, see `Store.save`."""
    values: dict[str, Any] = {}
    for name in _FIELDS:
        values[name] = storable(getattr(outcome, name))
    for name in _COSTS:
        values[name] = storable(getattr(outcome.cost, name))
    for name in LIMITS:
        values[name] = storable(limits.get(name))
    # These are stored in another form than the outcome has them.
    values["id"] = row
    values["key"] = stored_key(outcome)
    values["run"] = run
    values["created"] = now()
    values["seed"] = str(outcome.seed)
    values["cell"] = to_json(description)
    values["notes"] = ""
    if outcome.notes:
        values["notes"] = to_json([storable(note) for note in outcome.notes])
    return values


def point_rows(row: int, outcome: Outcome) -> list[dict[str, Any]]:
    """Rows of ``points``."""
    from hcbench.store.codec import encode_result  # imports numpy, which reading does not need

    rows = []
    for point in outcome.points:
        values: dict[str, Any] = {"cell": row, "checkpoint": _checkpoint(point)}
        values["queries"] = storable(point.queries)
        values["result"] = None
        if point.result is not None:
            values["result"] = encode_result(point.result)
        rows.append(values)
    return rows


def value_rows(
    run: int, row: int, scored_points: Sequence[ScoredPoint], metric_keys: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Rows of ``metric_values``, of the metrics that have a key and of reported numbers."""
    # Metrics that differ only in their names have one key, and one value at a checkpoint.
    rows: dict[tuple[int, str], dict[str, Any]] = {}
    for point in scored_points:
        checkpoint = _checkpoint(point)
        for label, value in point.values.items():
            if label not in metric_keys and not label.endswith(REPORTED):
                continue
            metric_key = metric_keys.get(label, label)
            rows[checkpoint, metric_key] = {
                "cell": row,
                "checkpoint": checkpoint,
                "metric_key": metric_key,
                "metric": storable(label),
                "run": run,
                "value": storable(value.value),
                "status": _stored_status(value),
                "reason": storable(value.reason),
            }
    return list(rows.values())


def _stored_status(value: Value) -> str:
    """The status of a value, which also says that it is NaN, or may be computed again."""
    if value.value is not None and storable(value.value) is None:
        return NAN
    if not value.final:
        return LOST
    return value.status


@lru_cache
def types_of(column: sa.ColumnElement[Any]) -> set[type]:
    """The types of Python that a column accepts; SQLite stores any type in any column."""
    types: set[type]
    if column.name == "budget":
        # SQLAlchemy before 2.1 does not know the type of a decorated column.
        types = {str, int}
    else:
        types = {column.type.python_type}
    if float in types:
        types.add(int)
    if getattr(column, "nullable", True):
        types.add(type(None))
    return types


def to_json(value: Any) -> str:
    """Plain values as text; infinite numbers as Python writes them."""
    return json.dumps(value, default=_plain)


def from_json(text: str) -> dict[str, Any]:
    """Read a mapping that `to_json` wrote.

    Raises
    ------
    ValueError, TypeError
        If it is none.
    """
    content = json.loads(text)
    if not isinstance(content, dict):
        raise TypeError(type(content).__name__)
    return content


#: How the columns of a run are read, and what stands for one that cannot be read.
_READERS: dict[str, tuple[Any, Any]] = {
    "started": (read_moment, datetime.min.replace(tzinfo=UTC)),
    "finished": (read_moment, None),
    "environment": (from_json, {}),
    "layout": (from_json, {}),
}


def storable(value: Any) -> Any:
    """A value that any database stores: no scalar of numpy, no NaN, no NUL or lone surrogate."""
    if isinstance(value, str):
        if value.isascii() and "\0" not in value:
            return value
        return value.encode(errors="backslashreplace").decode().replace("\0", "\\0")
    if hasattr(value, "item"):
        value = value.item()
    if value != value:
        # NaN, which is no number for SQLite and not equal to itself.
        return None
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return list(value)
    if hasattr(value, "item"):
        # A scalar of numpy.
        return value.item()
    return str(value)


def _checkpoint(point: ScoredPoint) -> int:
    if point.checkpoint is None:
        return END
    return int(point.checkpoint)
