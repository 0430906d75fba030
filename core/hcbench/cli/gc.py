"""``results gc``: remove what no run shows."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import click

from hcbench.cli.options import DATE, STORE, examples

if TYPE_CHECKING:
    from hcbench.store.tidying import Tidied


@click.command(
    epilog=examples(
        "hcbench results gc --dry-run",
        "hcbench results gc --keep-runs 20",
        "hcbench results gc --before 2026-01-01",
    )
)
@click.option(
    "--keep-runs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Remove all runs but the last N; with --before, the last N stay whatever their date.",
)
@click.option(
    "--before",
    type=DATE,
    metavar="DATE",
    help="Remove runs that started before a date such as 2026-01-31.",
)
@click.option("--dry-run", is_flag=True, help="Only show what would be removed.")
@STORE
def gc(*, keep_runs: int | None, before: datetime | None, dry_run: bool, store: str | None) -> None:
    """Remove what no run shows any more, and free its space.

    This removes measurements that were repeated, values of old versions of metrics, and interrupted
    runs without a cell. Old runs, with the cells that no other run shows, are removed only with
    --keep-runs or --before; runs whose measurements others reuse stay.
    """
    from hcbench.store import Store
    from hcbench.store.tidying import tidy

    with Store(store) as opened:
        since = None if before is None else before.astimezone()
        done = tidy(opened, keep_runs=keep_runs, before=since, dry_run=dry_run)
        location = opened.location
    click.echo(_told(done, dry_run=dry_run) + f" in {location}")


def _told(done: Tidied, *, dry_run: bool) -> str:
    counts = [
        f"{number} {noun if number != 1 else noun.removesuffix('s')}"
        for number, noun in ((done.runs, "runs"), (done.cells, "cells"), (done.values, "values"))
    ]
    size = f"{done.bytes / 1e6:,.1f} MB" if done.bytes >= 1e5 else f"{done.bytes:,} bytes"
    text = f"{', '.join(counts)} removed, {size} freed"
    if dry_run:
        text = f"{', '.join(counts)} would be removed, about {size} freed"
    if done.lent:
        text += f"; {done.lent} more runs stay, since others show what they measured"
    return text
