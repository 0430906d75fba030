"""``results``: past runs, their results, and what changed between two of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from hcbench.cli.diff import diff
from hcbench.cli.export import export, import_
from hcbench.cli.gc import gc
from hcbench.cli.merge import describe_shards, merge
from hcbench.cli.options import JSON_OR_TABLE, STORE, examples
from hcbench.cli.param_types import Names
from hcbench.cli.rescore import rescore
from hcbench.cli.stored import place_of, read_run
from hcbench.cli.terminal import tell, write_json, write_table
from hcbench.plan.outcome import STATUSES

if TYPE_CHECKING:
    from hcbench.analysis.results import Results
    from hcbench.plan.outcome import Outcome
    from hcbench.store import RunInfo

MOST_FAILURES = 20
RUN = click.argument("run", type=click.IntRange(min=1), required=False)


@click.group(
    invoke_without_command=True,
    epilog=examples(
        "hcbench results",
        "hcbench results show --algo UPGMA",
        "hcbench results diff 3 4",
        "hcbench results export 4 --format csv -o run4.csv",
        "hcbench results merge shard1.sqlite shard2.sqlite -o all.sqlite",
    ),
)
@STORE
@click.pass_context
def results(context: click.Context, store: str | None) -> None:
    """Show past runs; without a command, list them."""
    if context.invoked_subcommand is None:
        context.invoke(list_, store=store, format="table")


@results.command("list")
@STORE
@JSON_OR_TABLE
def list_(store: str | None, format: str) -> None:  # noqa: A002
    """List the runs in the order of time."""
    from hcbench.store import Store

    with Store(place_of(store)) as opened:
        runs = opened.runs()
        location = opened.location
    if format == "json":
        write_json([_about(run) for run in runs])
    elif not runs:
        tell(f"there are no runs in {location} yet; start with: hcbench compare")
    else:
        write_table(
            ("run", "started", "cells", "failed", "reused", "command"),
            [
                (
                    str(run.id),
                    _local(run.started),
                    str(run.cells),
                    str(run.failed),
                    str(run.reused),
                    run.command if _state(run) == "done" else f"{run.command} ({_state(run)})",
                )
                for run in runs
            ],
            right=("run", "cells", "failed", "reused"),
            whole=("started",),
        )


def _about(run: RunInfo) -> dict[str, Any]:
    finished = run.finished.isoformat() if run.finished else None
    about = {**asdict(run), "started": run.started.isoformat(), "finished": finished}
    del about["layout"]  # only `results show` needs it
    return {**about, "state": _state(run)}


def _state(run: RunInfo) -> str:
    if run.interrupted:
        return "interrupted"
    return "done" if run.finished else "not finished"


def _local(moment: datetime) -> str:
    return moment.astimezone().strftime("%Y-%m-%d %H:%M")


@results.command(epilog=examples("hcbench results show 3 --dataset iris --status ok"))
@RUN
@click.option(
    "--algo",
    metavar="PART",
    help="Only algorithms whose label contains this, or matches a pattern with * and ?.",
)
@click.option("--dataset", metavar="PART", help="Only data sets, likewise.")
@click.option("--status", type=click.Choice(STATUSES), help="Only cells with this status.")
@click.option(
    "--metric", "metrics", type=Names("metrics"), multiple=True, help="Only these metrics."
)
@STORE
@click.option(
    "--format",
    type=click.Choice(["table", "json", "csv", "markdown", "latex"]),
    default="table",
    show_default=True,
    help="Output format.",
)
def show(
    *,
    run: int | None,
    store: str | None,
    algo: str | None,
    dataset: str | None,
    status: str | None,
    metrics: Sequence[tuple[str, ...]],
    format: str,  # noqa: A002
) -> None:
    """Show a run, by default the last, as it was shown when it ended.

    Failures are listed with the keys of their cells, for hcbench rerun.
    """
    from hcbench.cli.draw import write_results
    from hcbench.store import Store

    with Store(place_of(store)) as opened:
        info = opened.run(run)
        found = read_run(opened, info, algorithm=algo, dataset=dataset, status=status)
    wanted = [name for part in metrics for name in part]
    write_results(_only(found, wanted), format)
    if format == "table":
        _write_failures([o for o in found.outcomes if o.failed])
        tell(f"run {info.id} of {_local(info.started)}: {info.command}")
        for line in describe_shards([info]):
            tell(line)


def _only(results: Results, wanted: Sequence[str]) -> Results:
    """The results with only these metrics."""
    if not wanted:
        return results
    by_name = {
        name: metric
        for metric in reversed(results.metrics)
        for name in (re.sub(r"\[.*", "", metric.label).casefold(), metric.label.casefold())
    }
    for name in wanted:
        if name.casefold() not in by_name:
            labels = ", ".join(metric.label for metric in results.metrics)
            raise click.UsageError(f"{name} was not measured; there are {labels}")
    return replace(results, metrics=tuple(by_name[name.casefold()] for name in wanted))


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


results.add_command(diff)
results.add_command(merge)
results.add_command(export)
results.add_command(import_)
results.add_command(gc)
results.add_command(rescore)
