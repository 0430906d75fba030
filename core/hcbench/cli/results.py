"""``results``: past runs, their results, and what changed between two of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from hcbench.cli.diff import diff
from hcbench.cli.export import export, import_
from hcbench.cli.gc import gc
from hcbench.cli.merge import describe_shards, merge
from hcbench.cli.options import (
    CELL_FILTERS,
    JSON_OR_TABLE,
    ONLY_METRICS,
    RESULTS_FORMAT,
    RUN,
    RUN_FILTERS,
    STORE,
    examples,
    with_options,
)
from hcbench.cli.rescore import rescore
from hcbench.cli.stored import find_runs, read_run
from hcbench.cli.terminal import printable, tell, write_json, write_table
from hcbench.plan.outcome import STATUSES

if TYPE_CHECKING:
    from hcbench.plan.outcome import Outcome
    from hcbench.store import RunInfo

MOST_FAILURES = 20
ONE_RUN = click.argument("run")


@click.group(
    invoke_without_command=True,
    epilog=examples(
        "hcbench results --suite gray2023-table1 --since 2026-01-31",
        "hcbench results show --algo UPGMA",
        "hcbench results diff 3 4",
        "hcbench results export 4 --format csv -o run4.csv",
        "hcbench results merge shard1.sqlite shard2.sqlite -o all.sqlite",
        "hcbench results name 4 baseline",
        "hcbench results rm baseline",
    ),
)
@with_options(*RUN_FILTERS)
@STORE
@click.pass_context
def results(context: click.Context, /, **options: Any) -> None:
    """Show past runs; without a command, list them."""
    # A store that is given here is the default of the command that follows.
    context.default_map = {name: {"store": options["store"]} for name in results.commands}
    if context.invoked_subcommand is None:
        context.invoke(list_, format="table", **options)
    elif options["suites"] or options["since"] or options["algos"]:
        raise click.UsageError(f"write the options after {context.invoked_subcommand}")


@results.command("list")
@with_options(*RUN_FILTERS)
@STORE
@JSON_OR_TABLE
def list_(store: str | None, format: str, **filters: Any) -> None:  # noqa: A002
    """List the runs in the order of time."""
    from hcbench.store import Store

    with Store(store) as opened:
        runs = find_runs(opened, **filters)
        location = opened.location
    if format == "json":
        write_json([_about(run) for run in runs])
        return
    if not runs:
        tell(f"there are no such runs in {location}; start with: hcbench compare")
        return
    table = {
        "run": [str(run.id) for run in runs],
        "started": ["?" if run.damaged else _local(run.started) for run in runs],
        "cells": [str(run.cells) for run in runs],
        "failed": [str(run.failed) for run in runs],
        "reused": [str(run.reused) for run in runs],
        "name": [run.name for run in runs],
        "command": [_command(run) for run in runs],
    }
    if not any(table["name"]):
        del table["name"]
    write_table(
        tuple(table),
        zip(*table.values(), strict=True),
        right=("run", "cells", "failed", "reused"),
        whole=("started", "name"),
    )


def _about(run: RunInfo) -> dict[str, Any]:
    finished = run.finished.isoformat() if run.finished else None
    about = {**asdict(run), "started": run.started.isoformat(), "finished": finished}
    del about["layout"], about["removed"]  # only `results show` needs the layout
    return {**about, "state": _state(run)}


def _command(run: RunInfo) -> str:
    state = "" if _state(run) == "done" else f" ({_state(run)})"
    return "\n".join(filter(None, (run.command + state, run.note)))


def _state(run: RunInfo) -> str:
    if run.damaged:
        return f"damaged: {run.damaged}"
    if run.interrupted:
        return "interrupted"
    return "done" if run.finished else "not finished"


def _local(moment: datetime) -> str:
    return moment.astimezone().strftime("%Y-%m-%d %H:%M")


@results.command(epilog=examples("hcbench results show 3 --datasets iris --status ok"))
@RUN
@with_options(*CELL_FILTERS)
@click.option("--status", type=click.Choice(STATUSES), help="Only cells with this status.")
@ONLY_METRICS
@STORE
@RESULTS_FORMAT
def show(
    *,
    run: str | None,
    store: str | None,
    format: str,  # noqa: A002
    **filters: Any,
) -> None:
    """Show a run, by default the last, as it was shown when it ended.

    RUN is a number that hcbench results lists, the name of a run, or a suite, whose last run is
    shown. Failures are listed with the keys of their cells, for hcbench rerun.
    """
    from hcbench.cli.draw import write_results
    from hcbench.store import Store

    with Store(store) as opened:
        info = opened.run(run)
        found = read_run(opened, info, **filters)
    write_results(found, format)
    if format == "table":
        _write_failures([o for o in found.outcomes if o.failed])
        name = f" ({info.name})" if info.name else ""
        tell(f"run {info.id}{name} of {_local(info.started)}: {info.command}")
        if info.note:
            tell(info.note)
        for line in describe_shards([info]):
            tell(line)


def _write_failures(failed: Sequence[Outcome]) -> None:
    if not failed:
        return
    click.echo()
    write_table(
        ("cell", "algorithm", "dataset", "repetition", "status", "reason"),
        [
            (o.key[:8], o.algorithm, o.dataset, str(o.repetition), o.status, o.reason)
            for o in failed[:MOST_FAILURES]
        ],
        title="failures",
        right=("repetition",),
        whole=("cell", "status"),
    )
    if len(failed) > MOST_FAILURES:
        click.echo(f"... and {len(failed) - MOST_FAILURES} more; --format csv lists all")
    tell(f"run one again with: hcbench rerun {failed[0].key[:8]} --in-process")


@results.command()
@ONE_RUN
@click.argument("name")
@STORE
def name(*, run: str, name: str, store: str | None) -> None:
    """Give a run a name, which commands accept for its number.

    An empty name removes it.
    """
    from hcbench.store import Store
    from hcbench.store.annotations import name_run

    with Store(store) as opened:
        name_run(opened, opened.run(run), name)


@results.command()
@ONE_RUN
@click.argument("text")
@STORE
def note(*, run: str, text: str, store: str | None) -> None:
    """Write a note to a run.

    It is shown with the run, and replaces an earlier one; an empty text removes it.
    """
    from hcbench.store import Store
    from hcbench.store.annotations import annotate_run

    with Store(store) as opened:
        annotate_run(opened, opened.run(run), text)


@results.command()
@ONE_RUN
@click.option("--yes", is_flag=True, help="Do not ask.")
@STORE
def rm(*, run: str, yes: bool, store: str | None) -> None:
    """Remove a run, with the cells that no other run shows.

    RUN is its number or name. It may be damaged.
    """
    from hcbench.store import Store
    from hcbench.store.annotations import remove_run

    with Store(store) as opened:
        info = opened.find_run(run)
        if not yes:
            state = "" if _state(info) == "done" else f" ({_state(info)})"
            what = printable(f"run {info.id}{state}: {info.command}")
            click.confirm(f"Remove {what}?", abort=True, err=True)
        removed = remove_run(opened, info)
    shared = f"; {removed.shared} stay, as other runs show them" if removed.shared else ""
    tell(f"run {info.id} is removed with {removed.cells} cells{shared}")


results.add_command(diff)
results.add_command(merge)
results.add_command(export)
results.add_command(import_)
results.add_command(gc)
results.add_command(rescore)
