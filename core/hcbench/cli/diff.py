"""``results diff``: what changed between two runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from hcbench.cli.options import JSON_OR_TABLE, STORE, examples
from hcbench.cli.stored import read_run
from hcbench.cli.terminal import console, write_json

if TYPE_CHECKING:
    from hcbench.analysis.differences import Difference, StatusChange
    from hcbench.analysis.tables import Block, Entry
    from hcbench.plan.presentation import MetricInfo


@click.command(epilog=examples("hcbench results diff 3 4", "hcbench results diff 3 4 --all"))
@click.argument("before")
@click.argument("after")
@click.option("--all", "everything", is_flag=True, help="Show the means that are equal, too.")
@STORE
@JSON_OR_TABLE
def diff(
    *,
    before: str,
    after: str,
    everything: bool,
    store: str | None,
    format: str,  # noqa: A002
) -> None:
    """Show what changed between two runs.

    They are given by their numbers or names. For each mean that is not the same: both, their
    difference and its standard error. What exceeds two of them is marked.
    """
    from hcbench.analysis.differences import find_differences, find_status_changes
    from hcbench.cli.draw import write_blocks
    from hcbench.store import Store

    with Store(store) as opened:
        one, other = (read_run(opened, opened.run(n)) for n in (before, after))
    differences = find_differences(one, other)
    changes = find_status_changes(one, other)
    if format == "json":
        write_json(
            {
                "differences": [
                    {**asdict(d), "difference": d.difference, "marked": d.marked}
                    for d in differences
                ],
                "statuses": [asdict(change) for change in changes],
            }
        )
        return
    metrics = {metric.label: metric for metric in (*one.metrics, *other.metrics)}
    shown = [d for d in differences if everything or d.difference]
    write_blocks([*_difference_blocks(shown, metrics), *_change_blocks(changes)])
    in_both = sum(change.in_both for change in changes)
    click.echo(
        f"{sum(d.difference == 0 for d in differences)} of {len(differences)} means are equal, "
        f"{sum(d.marked for d in differences)} differ by more than two standard errors "
        f"({'bold' if console().is_terminal else '*'}); {in_both} cells ended otherwise, "
        f"{len(changes) - in_both} are in one of the runs only"
    )


def _difference_blocks(
    differences: Sequence[Difference], metrics: Mapping[str, MetricInfo]
) -> Iterator[Block]:
    from hcbench.analysis.tables import Block

    for dataset in dict.fromkeys(d.dataset for d in differences):
        yield Block(
            dataset,
            ("algorithm", "metric", "before", "after", "difference ± s.e."),
            (False, False, True, True, True),
            tuple(
                _difference_row(d, metrics[d.metric]) for d in differences if d.dataset == dataset
            ),
        )


def _difference_row(row: Difference, metric: MetricInfo) -> tuple[Entry, ...]:
    from hcbench.analysis.tables import Entry, format_spread

    means = [
        format_spread(mean, None, metric.unit, metric.interval) for mean in (row.before, row.after)
    ]
    difference = format_spread(row.difference, row.standard_error, metric.unit)
    return (
        Entry(_variant(row)),
        Entry(row.metric),
        *map(Entry, means),
        Entry(difference, bold=row.marked),
    )


def _variant(row: Difference | StatusChange) -> str:
    """An algorithm with all that tells it from others of its name."""
    parts = [row.algorithm, row.oracle]
    if row.budget is not None:
        parts.append(f"budget {row.budget:,}")
    checkpoint = getattr(row, "checkpoint", None)
    if checkpoint is not None:
        parts.append(f"after {checkpoint:,}")
    return " / ".join(part for part in parts if part)


def _change_blocks(changes: Sequence[StatusChange]) -> list[Block]:
    """Cells that ended otherwise, the repetitions together."""
    from hcbench.analysis.tables import Block, Entry

    if not changes:
        return []
    count = Counter((c.dataset, _variant(c), c.before, c.after) for c in changes)
    rows = tuple(
        (*(Entry(text) for text in texts), Entry(str(number))) for texts, number in count.items()
    )
    header = ("dataset", "algorithm", "before", "after", "cells")
    return [Block("status", header, (False, False, False, False, True), rows)]
