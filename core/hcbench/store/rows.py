"""What is kept of a cell, and how it becomes rows of the tables and comes back."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement

from hcbench.plan.outcome import Measured, Outcome, Status, Value, is_failure
from hcbench.store.schema import END, cells

LEFT_OUT = "-"  # begins the keys of combinations that cannot be
#: NaN cannot be kept in a column (SQLite makes NULL of it): such a value has this status.
_NAN = "nan"
#: The status of an error that is not final.
LOST = "lost"
OUTCOME_COLUMNS = tuple(
    cells.c[name]
    for name in (
        "id",
        "key",
        "algorithm",
        "dataset",
        "oracle",
        "repetition",
        "seed",
        "budget",
        "status",
        "reason",
        "stopped",
        "seconds",
        "oracle_seconds",
        "peak_bytes",
        "queries",
        "distinct_queries",
        "rounds",
        "draws",
        "data_digest",
        "phase",
        "notes",
        "load",
        "frequency",
        "host",
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What is saved for one cell.

    Attributes
    ----------
    outcome : Outcome
        With results.
    cell : mapping
        Names, parameters, fingerprints, hints and seeds, as plain values.
    metric_keys : mapping of metric label to key
        A hash of the metric's identity.
    timeout, memory : float or None
        The limits that were in force, in s and GiB.
    """

    outcome: Outcome
    cell: Mapping[str, Any]
    metric_keys: Mapping[str, str]
    timeout: float | None = None
    memory: float | None = None


class Stored(NamedTuple):
    """What there is of one cell, as far as it tells whether the cell has to run.

    Attributes
    ----------
    row : int
        Under which it is kept; by this it is referred to, as it may be measured again.
    key : str
        Of the cell.
    algorithm, dataset, oracle : str
        Labels.
    status, phase : str
        As those of its `Outcome`.
    data_digest : str
    timeout, memory : float or None
        The limits that were in force.
    missing : tuple of str
        Labels of the wanted metrics that have no value at some point, or none that is final.
    """

    row: int
    key: str
    algorithm: str
    dataset: str
    oracle: str
    status: Status
    phase: str
    data_digest: str
    timeout: float | None
    memory: float | None
    missing: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether it was tried and has no result."""
        return is_failure(self.status)

    @property
    def labels(self) -> tuple[str, str, str]:
        """Of algorithm, data set and oracle, under which it was stored."""
        return self.algorithm, self.dataset, self.oracle


@dataclass(frozen=True, slots=True, kw_only=True)
class RunInfo:
    """One run.

    Attributes
    ----------
    id : int
    started : datetime
        In UTC.
    finished : datetime or None
        None if it runs still, or was killed.
    interrupted : bool
    command, suite : str
    environment : mapping
        Versions, machine, commit.
    layout : mapping
        The suite, and how its results are shown (see `hcbench.plan.presentation`).
    cells, reused, failed : int
        How many cells it has; how many of them another run measured (last); how many failed.
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

    @property
    def metric_keys(self) -> dict[str, str] | None:
        """Label to key of the metrics that it asked for; None if it does not say."""
        metrics = self.layout.get("metrics")
        return None if metrics is None else {m["label"]: m["key"] for m in metrics}


def now() -> str:
    """The time, as it is stored."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def stored_key(outcome: Outcome) -> str:
    """The key of a row: the cell's own; for what cannot be, a hash of what it says."""
    if outcome.key:
        return outcome.key
    labels = [outcome.algorithm, outcome.dataset, outcome.oracle]
    parts = [*labels, outcome.repetition, outcome.seed, outcome.budget, outcome.reason]
    return LEFT_OUT + hashlib.blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest()


def run_row(
    command: str, suite: str, environment: Mapping[str, Any], layout: Mapping[str, Any]
) -> dict[str, Any]:
    """A row of ``runs``, without its number."""
    return {
        "started": now(),
        "interrupted": False,
        "command": _text(command),
        "suite": _text(suite),
        "environment": to_json(environment),
        "layout": to_json(layout),
    }


def run_info(row: Any, n_cells: int, reused: int, failed: int) -> RunInfo:
    """A run from its row."""
    return RunInfo(
        id=row.id,
        started=datetime.fromisoformat(row.started),
        finished=None if row.finished is None else datetime.fromisoformat(row.finished),
        interrupted=row.interrupted,
        command=row.command,
        suite=row.suite,
        environment=from_json(row.environment),
        layout=from_json(row.layout),
        cells=n_cells,
        reused=reused,
        failed=failed,
    )


def cell_row(run: int, row: int, record: Record) -> dict[str, Any]:
    """A row of ``cells``."""
    outcome = record.outcome
    return {
        "id": row,
        "key": stored_key(outcome),
        "run": run,
        "created": now(),
        "algorithm": _text(outcome.algorithm),
        "dataset": _text(outcome.dataset),
        "oracle": _text(outcome.oracle),
        "repetition": int(outcome.repetition),
        "seed": str(outcome.seed),
        "budget": _int(outcome.budget),
        "status": outcome.status,
        "reason": _text(outcome.reason),
        "phase": outcome.phase,
        "stopped": outcome.stopped,
        "seconds": _float(outcome.seconds),
        "oracle_seconds": _float(outcome.oracle_seconds),
        "peak_bytes": _int(outcome.peak_bytes),
        "queries": _int(outcome.queries),
        "distinct_queries": _int(outcome.distinct_queries),
        "rounds": _int(outcome.rounds),
        "draws": _int(outcome.draws),
        "timeout": _float(record.timeout),
        "memory": _float(record.memory),
        "data_digest": outcome.data_digest,
        "cell": to_json(record.cell),
        "traceback": _text(outcome.traceback),
        "log": _text(outcome.log),
        "notes": to_json([_text(note) for note in outcome.notes]) if outcome.notes else "",
        "load": _float(outcome.load),
        "frequency": _float(outcome.frequency),
        "host": _text(outcome.host),
    }


def outcome_of_row(
    row: Sequence[Any], measured: tuple[Measured, ...], reused: bool = False
) -> Outcome:
    """An outcome from the `OUTCOME_COLUMNS` of its row, without traceback and log."""
    key = row[1]
    return Outcome(
        key="" if key.startswith(LEFT_OUT) else key,
        algorithm=row[2],
        dataset=row[3],
        oracle=row[4],
        repetition=row[5],
        seed=int(row[6]),
        budget=row[7],
        status=row[8],
        reason=row[9],
        stopped=row[10],
        seconds=row[11],
        oracle_seconds=row[12],
        peak_bytes=row[13],
        queries=row[14],
        distinct_queries=row[15],
        rounds=row[16],
        draws=row[17],
        data_digest=row[18],
        phase=row[19],
        notes=tuple(json.loads(row[20])) if row[20] else (),
        load=row[21],
        frequency=row[22],
        host=row[23],
        measured=measured,
        reused=reused,
    )


def point_rows(row: int, outcome: Outcome) -> list[dict[str, Any]]:
    """Rows of ``points``."""
    from hcbench.store.codec import encode_result  # numpy: not for a mere look at the store

    return [
        {
            "cell": row,
            "checkpoint": _checkpoint(point),
            "queries": _int(point.queries),
            "result": None if point.result is None else encode_result(point.result),
        }
        for point in outcome.measured
    ]


def value_rows(
    run: int, row: int, measured: Sequence[Measured], metric_keys: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Rows of ``metric_values``."""
    rows: dict[tuple[int, str], dict[str, Any]] = {}
    for point in measured:
        for label, value in point.values.items():
            number = _float(value.value)
            is_nan = value.value is not None and number is None
            checkpoint, metric_key = _checkpoint(point), metric_keys[label]
            rows[checkpoint, metric_key] = {
                "cell": row,
                "checkpoint": checkpoint,
                "metric_key": metric_key,
                "metric": _text(label),
                "run": run,
                "value": number,
                "status": _NAN if is_nan else value.status if value.final else LOST,
                "reason": _text(value.reason),
            }
    return list(rows.values())


def value_of_row(number: float | None, status: Any, reason: str) -> Value:
    """A value from its columns."""
    if status == _NAN:
        return Value(math.nan, "ok", reason)
    if status == LOST:
        return Value(None, "error", reason, final=False)
    return Value(number, status, reason)


def is_final(status: ColumnElement[str]) -> ColumnElement[bool]:
    """A condition: a value need not be computed again."""
    return status != LOST


def matches(label: str, pattern: str) -> bool:
    """Whether a label has a part, or as a whole a pattern with ``*`` and ``?``; case is ignored."""
    label, pattern = label.casefold(), pattern.casefold()
    if pattern in label:
        return True
    wild = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
    return re.fullmatch(wild, label, re.DOTALL) is not None


def to_json(value: Any) -> str:
    """Plain values as text; infinite numbers as Python writes them."""
    return json.dumps(value, default=_plain)


def from_json(written: str) -> dict[str, Any]:
    """Read what `to_json` wrote."""
    loaded: dict[str, Any] = json.loads(written)
    return loaded


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return list(value)
    return value.item() if hasattr(value, "item") else str(value)


def _checkpoint(point: Measured) -> int:
    return END if point.checkpoint is None else int(point.checkpoint)


def _int(number: int | None) -> int | None:
    return None if number is None else int(number)  # numpy's integers would be kept as bytes


def _float(number: float | None) -> float | None:
    return None if number is None or math.isnan(number) else float(number)


def _text(written: str) -> str:
    """What a database can keep: no lone surrogates (of file names), no NUL."""
    if written.isascii() and "\0" not in written:
        return written
    return written.encode(errors="backslashreplace").decode().replace("\0", "\\0")
