"""``results gc``, ``name``, ``note`` and ``rm``: what a store keeps, and under which names."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import click

from hcbench.cli import options
from hcbench.cli.completing import complete_runs
from hcbench.cli.loading import open_store
from hcbench.cli.option_types import DATE, IntegerRange
from hcbench.cli.run_tables import command_of
from hcbench.cli.terminal import tell
from hcbench.model.text import printable

if TYPE_CHECKING:
    from hcbench.store.tidying import Tidied

#: Here the run has no default: the last run is not removed or renamed by accident.
_ONE_RUN = click.argument("run", shell_complete=complete_runs)


@click.command(
    epilog=options.examples(
        "hcbench results gc --dry-run",
        "hcbench results gc --keep-runs 20",
        "hcbench results gc --before 2026-01-01",
    )
)
@click.option(
    "--keep-runs",
    type=IntegerRange(min=1),
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
@options.STORE
def gc(*, keep_runs: int | None, before: datetime | None, dry_run: bool, store: str | None) -> None:
    """Remove what no run shows any more, and free its space.

    This removes measurements that were repeated, values of old versions of metrics, and interrupted
    runs without a cell. Old runs, with the cells that no other run shows, are removed only with
    --keep-runs or --before; runs whose measurements others reuse stay.
    """
    from hcbench.store.tidying import tidy

    with open_store(store) as opened:
        # A date without a time zone is one of the user.
        if before is not None:
            before = before.astimezone()
        tidied = tidy(opened, keep_runs=keep_runs, before=before, dry_run=dry_run)
    click.echo(f"{_describe_tidied(tidied, dry_run=dry_run)} in {opened.location}")


def _describe_tidied(tidied: Tidied, *, dry_run: bool) -> str:
    """What was removed, or would be, and how much space that frees."""
    counts = [
        _counted(tidied.runs, "run"),
        _counted(tidied.cells, "cell"),
        _counted(tidied.values, "value"),
    ]
    size = f"{tidied.bytes:,} bytes"
    # From .1 MB on, which is the least that is shown.
    if tidied.bytes >= 1e5:
        size = f"{tidied.bytes / 1e6:,.1f} MB"
    if dry_run:
        text = f"{', '.join(counts)} would be removed, about {size} freed"
    else:
        text = f"{', '.join(counts)} removed, {size} freed"
    if tidied.lent:
        text += f"; {tidied.lent} more runs stay, since others show what they measured"
    return text


def _counted(number: int, noun: str) -> str:
    """Such as ``1 run`` or ``2 runs``."""
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun}s"


@click.command()
@_ONE_RUN
@click.argument("name")
@options.STORE
def name(*, run: str, name: str, store: str | None) -> None:
    """Give a run a name, which commands accept for its number.

    An empty name removes it.
    """
    from hcbench.store.tidying import name_run

    with open_store(store) as opened:
        name_run(opened, opened.run(run), name)


@click.command()
@_ONE_RUN
@click.argument("text")
@options.STORE
def note(*, run: str, text: str, store: str | None) -> None:
    """Write a note to a run.

    It is shown with the run, and replaces an earlier one; an empty text removes it.
    """
    from hcbench.store.tidying import annotate_run

    with open_store(store) as opened:
        annotate_run(opened, opened.run(run), text)


@click.command()
@_ONE_RUN
@click.option("--yes", is_flag=True, help="Do not ask.")
@options.STORE
def rm(*, run: str, yes: bool, store: str | None) -> None:
    """Remove a run, with the cells that no other run shows.

    RUN is its number or name. It may be damaged.
    """
    from hcbench.store.tidying import remove_run

    with open_store(store) as opened:
        # `run` would refuse a damaged one, which only removing can mend.
        info = opened.find_run(run)
        if not yes:
            label = printable(f"run {info.id}: {command_of(info)}")
            click.confirm(f"Remove {label}?", abort=True, err=True)
        removed = remove_run(opened, info)
    text = f"run {info.id} is removed with {removed.cells} cells"
    if removed.shared:
        text += f"; {removed.shared} stay, as other runs show them"
    tell(text)
