"""``results``: past runs in the store; this file has the group, ``list`` and ``show``."""

from __future__ import annotations

from typing import Any

import click

from hcbench.cli import options
from hcbench.cli.changes import diff, stability
from hcbench.cli.exchange import export, import_
from hcbench.cli.loading import open_store
from hcbench.cli.merging import merge
from hcbench.cli.rescoring import rescore
from hcbench.cli.run_tables import describe_run, local_time, write_failures, write_runs
from hcbench.cli.runs import read_run
from hcbench.cli.terminal import tell, write_json
from hcbench.cli.tidying import gc, name, note, rm
from hcbench.plan.outcome import STATUSES


@click.group(
    invoke_without_command=True,
    epilog=options.examples(
        "hcbench results --suite gray2023-table1 --since 2026-01-31",
        "hcbench results show --algo UPGMA",
        "hcbench results diff 3 4",
        "hcbench results stability 4",
        "hcbench results export 4 --format csv -o run4.csv",
        "hcbench results merge shard1.sqlite shard2.sqlite -o all.sqlite",
        "hcbench results name 4 baseline",
        "hcbench results rm baseline",
    ),
)
@options.with_options(*options.RUN_FILTERS)
@options.STORE
@click.pass_context
def results(context: click.Context, /, **choices: Any) -> None:
    """Show past runs; without a command, list them."""
    # A store that is named before the command is the default of the command.
    context.default_map = {}
    for command_name in results.commands:
        context.default_map[command_name] = {"store": choices["store"]}
    if context.invoked_subcommand is None:
        context.invoke(list_, form="table", **choices)
    # Filters before another command would be read by the group, and have no effect on it.
    elif choices["suites"] or choices["since"] or choices["algorithms"]:
        raise click.UsageError(f"write the options after {context.invoked_subcommand}")


@results.command("list")
@options.with_options(*options.RUN_FILTERS)
@options.STORE
@options.JSON_OR_TABLE
def list_(store: str | None, form: str, **filters: Any) -> None:
    """List the runs in the order of time."""
    with open_store(store) as opened:
        runs = opened.runs(**filters)
    if form == "json":
        write_json(list(map(describe_run, runs)))
    elif runs:
        write_runs(runs)
    else:
        tell(f"there are no such runs in {opened.location}; start with: hcbench compare")


@results.command(epilog=options.examples("hcbench results show 3 --datasets iris --status ok"))
@options.RUN
@options.with_options(*options.CELL_FILTERS)
@click.option("--status", type=click.Choice(STATUSES), help="Only cells with this status.")
@options.ONLY_METRICS
@options.STORE
@options.RESULTS_FORMAT
def show(run: str | None, store: str | None, form: str, **filters: Any) -> None:
    """Show a run, by default the last, as it was shown when it ended.

    RUN is a number that hcbench results lists, the name of a run, or a suite, whose last run is
    shown. Failures are listed with the keys of their cells, for hcbench rerun.
    """
    from hcbench.cli.draw import write_results

    with open_store(store) as opened:
        info = opened.run(run)
        run_results = read_run(opened, info, sizes=False, **filters)
    write_results(run_results, form)
    # In the other forms each cell has its status and its reason.
    if form == "table":
        outcomes = run_results.outcomes
        write_failures(outcomes.take(outcomes.failed), opened)
        label = f"run {info.id}"
        if info.name:
            label += f" ({info.name})"
        tell(f"{label} of {local_time(info.started)}: {info.command}")


# The other commands are in files of their own, by what they are about.
results.add_command(diff)
results.add_command(stability)
results.add_command(export)
results.add_command(import_)
results.add_command(merge)
results.add_command(rescore)
results.add_command(gc)
results.add_command(name)
results.add_command(note)
results.add_command(rm)
