"""The tables of ``results``: lists of runs and of failures, and blocks of what changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

import click

from hcbench.cli.terminal import tell, write_table
from hcbench.plan.outcome import budget_text

if TYPE_CHECKING:
    from hcbench.analysis.tables import Block
    from hcbench.api.stability import Stability
    from hcbench.plan.outcome import Outcome
    from hcbench.plan.presentation import MetricInfo
    from hcbench.results.changes import Difference, StatusChange
    from hcbench.store import Store
    from hcbench.store.rows import RunInfo

#: More failures are counted, and not listed.
MOST_FAILURES = 20


# ---- Runs and failures ---------------------------------------------------------------------------


def write_runs(runs: Sequence[RunInfo]) -> None:
    """Write a table of runs to stdout."""
    # Few runs have a name, and only then there is a column for it.
    has_names = False
    for run in runs:
        if run.name:
            has_names = True
    header = ["run", "started", "cells", "failed", "reused"]
    if has_names:
        header.append("name")
    header.append("command")
    rows = []
    for run in runs:
        started = local_time(run.started)
        if run.damaged:
            # It may have lost the time.
            started = "?"
        row = [str(run.id), started, str(run.cells), str(run.failed), str(run.reused)]
        if has_names:
            row.append(run.name)
        row.append(f"{command_of(run)}\n{run.note}".strip())
        rows.append(row)
    numbers = ("run", "cells", "failed", "reused")
    write_table(header, rows, right=numbers, unwrapped=("started", "name"))


def describe_run(run: RunInfo) -> dict[str, Any]:
    """A run as JSON."""
    # The times as text, as JSON has no type for them.
    description = asdict(run)
    # Only `results show` needs the layout.
    del description["layout"]
    del description["removed"]
    description["started"] = run.started.isoformat()
    description["finished"] = None
    if run.finished:
        description["finished"] = run.finished.isoformat()
    description["state"] = _state(run)
    return description


def command_of(run: RunInfo) -> str:
    """The command of a run, with its state if it is not complete."""
    state = _state(run)
    if state == "done":
        return run.command
    return f"{run.command} ({state})"


def _state(run: RunInfo) -> str:
    # A run that was killed has neither an end nor a mark that it was interrupted.
    if run.damaged:
        return f"damaged: {run.damaged}"
    if run.interrupted:
        return "interrupted"
    if run.finished:
        return "done"
    return "not finished"


def local_time(moment: datetime) -> str:
    """A date and time in the time zone of the user."""
    return moment.astimezone().strftime("%Y-%m-%d %H:%M")


def write_failures(failed: Sequence[Outcome], store: Store) -> None:
    """Write the first failures to stdout, and how to run one again to stderr."""
    if not failed:
        return
    click.echo()
    click.secho("failures", bold=True, underline=True)
    rows = []
    for outcome in failed[:MOST_FAILURES]:
        rows.append(
            (
                outcome.key[:8],
                outcome.algorithm,
                outcome.dataset,
                str(outcome.repetition),
                outcome.status,
                outcome.reason,
            )
        )
    write_table(
        ("cell", "algorithm", "dataset", "repetition", "status", "reason"),
        rows,
        right=("repetition",),
        unwrapped=("cell", "status"),
    )
    if len(failed) > MOST_FAILURES:
        click.echo(f"... and {len(failed) - MOST_FAILURES} more; --format csv lists all")
    command = store.command("rerun", failed[0].key[:8], "--in-process")
    tell(f"run one again with: {command}")


# ---- Changes and stability -----------------------------------------------------------------------


def difference_blocks(
    differences: Sequence[Difference], metrics: Mapping[str, MetricInfo]
) -> list[Block]:
    """A block of differences for each data set, in the order of the differences."""
    blocks = []
    for dataset, of_dataset in _by_dataset(differences).items():
        blocks.append(_difference_block(dataset, of_dataset, metrics))
    return blocks


def _difference_block(
    dataset: str, differences: Sequence[Difference], metrics: Mapping[str, MetricInfo]
) -> Block:
    from hcbench.analysis.tables import Block, TableEntry, format_spread

    rows = []
    for row in differences:
        metric = metrics[row.metric]
        before = format_spread(row.before, None, metric.unit, metric.interval)
        after = format_spread(row.after, None, metric.unit, metric.interval)
        # A difference may leave the range of the metric.
        change = format_spread(row.difference, None, metric.unit)
        # Exact values have an interval of one point, which says no more than the difference.
        if row.low is not None and row.low != row.high:
            low = format_spread(row.low, None, metric.unit)
            high = format_spread(row.high, None, metric.unit)
            change += f" ({low} to {high})"
        entries = (
            TableEntry(_variant(row)),
            TableEntry(row.metric),
            TableEntry(before),
            TableEntry(after),
            TableEntry(change, bold=row.marked),
        )
        rows.append(entries)
    header = ("algorithm", "metric", "before", "after", "difference, simultaneous 95 % interval")
    return Block(dataset, header, (False, False, True, True, True), tuple(rows))


def status_block(changes: Sequence[StatusChange]) -> Block:
    """Cells that ended with another status, the repetitions together."""
    from hcbench.analysis.tables import Block, TableEntry

    counts: Counter[tuple[str, str, str, str]] = Counter()
    for change in changes:
        counts[change.dataset, _variant(change), change.before, change.after] += 1
    rows = []
    for texts, number in counts.items():
        entries = list(map(TableEntry, texts))
        entries.append(TableEntry(str(number)))
        rows.append(tuple(entries))
    header = ("dataset", "algorithm", "before", "after", "cells")
    return Block("status", header, (False, False, False, False, True), tuple(rows))


def stability_blocks(rows: Sequence[Stability]) -> list[Block]:
    """A block for each data set, in the order of the rows."""
    blocks = []
    for dataset, of_dataset in _by_dataset(rows).items():
        blocks.append(_stability_block(dataset, of_dataset))
    return blocks


def _stability_block(dataset: str, rows: Sequence[Stability]) -> Block:
    from hcbench.analysis.tables import Block, Notes, Reason, TableEntry

    notes = Notes()
    table = []
    for row in rows:
        marks: tuple[int, ...] = ()
        if row.reason:
            marks = notes.mark([Reason(row.reason)])
        entries = (
            TableEntry(_variant(row)),
            TableEntry(row.metric),
            TableEntry(_agreement_text(row.mean), marks=marks),
            TableEntry(_agreement_text(row.least)),
            TableEntry(str(row.pairs)),
        )
        table.append(entries)
    header = ("algorithm", "metric", "mean", "least", "pairs")
    return Block(dataset, header, (False, False, True, True, True), tuple(table), notes.texts)


def _agreement_text(number: float | None) -> str:
    from hcbench.analysis.tables import format_spread

    if number is None:
        return "n/a"
    return format_spread(number, None, interval="[-1, 1]")


#: What has a data set, and is shown in a block of it.
Row = TypeVar("Row", "Difference", "Stability")


def _by_dataset(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """The rows of each data set."""
    rows_of_datasets: dict[str, list[Row]] = {}
    for row in rows:
        rows_of_datasets.setdefault(row.dataset, []).append(row)
    return rows_of_datasets


def _variant(row: Difference | StatusChange | Stability) -> str:
    """An algorithm with all that distinguishes it from others of its name."""
    parts = [row.algorithm, row.oracle]
    if row.budget is not None:
        parts.append(f"budget {budget_text(row.budget)}")
    # The status is that of a call, which has no checkpoint.
    checkpoint = getattr(row, "checkpoint", None)
    if checkpoint is not None:
        parts.append(f"after {checkpoint:,}")
    # An algorithm that needs no oracle has an empty one.
    return " / ".join(filter(None, parts))
