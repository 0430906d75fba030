"""``results``: past runs in the store, what changed between them, and stores as files."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hcbench.cli import options
from hcbench.cli.run_tables import (
    command_of,
    describe_run,
    difference_blocks,
    local_time,
    stability_blocks,
    status_block,
    write_failures,
    write_runs,
)
from hcbench.cli.runs import read_run
from hcbench.cli.terminal import stdout_for_data, tell, write_json, write_table
from hcbench.errors import ExitCode
from hcbench.model.text import printable
from hcbench.plan.outcome import STATUSES

if TYPE_CHECKING:
    from hcbench.plan.presentation import MetricInfo
    from hcbench.results.results import Results
    from hcbench.store import Store
    from hcbench.store.merge import Merged
    from hcbench.store.rows import RunInfo
    from hcbench.store.tidying import Tidied

#: Formats of exports, which are the suffixes of their files.
EXPORTS = ("csv", "json", "parquet", "xlsx")
#: Suffixes of files that are no database.
_NO_STORES = (".csv", ".tsv", ".json", ".parquet", ".xlsx", ".html", ".pdf", ".txt")
_ONE_RUN = click.argument("run")


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
    context.default_map = {name: {"store": choices["store"]} for name in results.commands}
    if context.invoked_subcommand is None:
        context.invoke(list_, form="table", **choices)
    elif choices["suites"] or choices["since"] or choices["algorithms"]:
        raise click.UsageError(f"write the options after {context.invoked_subcommand}")


# ---- Showing ------------------------------------------------------------------------------------


@results.command("list")
@options.with_options(*options.RUN_FILTERS)
@options.STORE
@options.JSON_OR_TABLE
def list_(store: str | None, form: str, **filters: Any) -> None:
    """List the runs in the order of time."""
    with options.open_store(store) as opened:
        runs = opened.runs(**filters)
    if form == "json":
        write_json([describe_run(run) for run in runs])
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

    with options.open_store(store) as opened:
        info = opened.run(run)
        run_results = read_run(opened, info, sizes=False, **filters)
    write_results(run_results, form)
    if form == "table":
        outcomes = run_results.outcomes
        write_failures(outcomes.take(outcomes.failed), opened)
        label = f"run {info.id}"
        if info.name:
            label += f" ({info.name})"
        tell(f"{label} of {local_time(info.started)}: {info.command}")


@results.command(
    epilog=options.examples("hcbench results diff 3 4", "hcbench results diff 3 4 --all")
)
@click.argument("before")
@click.argument("after")
@click.option("--all", "everything", is_flag=True, help="Show the means that are equal, too.")
@options.STORE
@options.JSON_OR_TABLE
def diff(*, before: str, after: str, everything: bool, store: str | None, form: str) -> None:
    """Show what changed between two runs.

    They are given by their numbers or names. For each mean that is not the same: both, their
    difference, and its interval over the repetitions that both have. The intervals hold together
    with a probability of 95 %, however many there are. Differences whose interval excludes 0 are
    marked. Data sets of one name whose contents differ are told first: their values are not of the
    same data.
    """
    from hcbench.analysis.notes import describe_notes
    from hcbench.cli.draw import write_blocks
    from hcbench.results.changes import (
        find_data_changes,
        find_differences,
        find_status_changes,
        notes_on_changes,
    )

    with options.open_store(store) as opened:
        results_before = read_run(opened, opened.run(before), sizes=False)
        results_after = read_run(opened, opened.run(after), sizes=False)
    differences = find_differences(results_before, results_after)
    changes = find_status_changes(results_before, results_after)
    # Of a data set there is one change, however many repetitions have it.
    data_changes = {}
    for data_change in find_data_changes(results_before, results_after):
        data_changes[data_change.dataset] = data_change
    notes = notes_on_changes(differences, changes, list(data_changes.values()))
    if form == "json":
        write_json(
            {
                "differences": [asdict(difference) for difference in differences],
                "statuses": [asdict(change) for change in changes],
                "data": [asdict(change) for change in data_changes.values()],
                "notes": describe_notes(notes),
            }
        )
        return
    # That the data differ is to be known before the numbers are read.
    for note in notes:
        if note.kind == "data":
            click.echo(note.text)
    if not everything:
        differences = [difference for difference in differences if difference.changes]
    blocks = difference_blocks(differences, _metrics_of(results_before, results_after))
    if changes:
        blocks.append(status_block(changes))
    write_blocks(blocks)
    for note in notes:
        if note.kind != "data":
            click.echo(note.text)


def _metrics_of(before: Results, after: Results) -> dict[str, MetricInfo]:
    """The metrics of two runs by label; of both they are described as in the later one."""
    metrics = {metric.label: metric for metric in before.metrics}
    for metric in after.metrics:
        metrics[metric.label] = metric
    return metrics


@results.command(
    epilog=options.examples(
        "hcbench results stability 3",
        "hcbench results stability 3 --metrics kendall-tau-b,AARI --datasets iris",
    )
)
@options.RUN
@options.with_options(*options.CELL_FILTERS)
@options.names_option(
    "--metrics",
    "Metrics that compare with a truth, in whose place is the other result. By default "
    "triplet-agreement of trees, and ARI of partitions.",
)
@options.STORE
@options.JSON_OR_TABLE
def stability(
    run: str | None, store: str | None, form: str, metrics: Sequence[str], **filters: Any
) -> None:
    """Show how far the results of each two repetitions agree.

    RUN is by default the last. No truth is needed. Where repetitions draw new data, the trees are
    restricted to the items whose names both have.
    """
    from hcbench.api.stability import measure_stability
    from hcbench.cli.draw import write_blocks

    with options.open_store(store) as opened:
        run_results = read_run(opened, opened.run(run), sizes=False, **filters)
        rows = measure_stability(run_results, opened, metrics)
    if form == "json":
        write_json([asdict(row) for row in rows])
    else:
        write_blocks(stability_blocks(rows))


# ---- Stores and files ---------------------------------------------------------------------------


@results.command(
    epilog=options.examples(
        "hcbench results merge shard1.sqlite shard2.sqlite shard3.sqlite -o all.sqlite",
        "hcbench results merge mine.sqlite --store postgresql://me@server/team",
    )
)
@click.argument("sources", nargs=-1, required=True, metavar="STORE...")
@click.option(
    "-o",
    "--store",
    metavar="URL",
    help="The store to which all is added: a file, or postgresql://user@host/database. By default "
    "HCBENCH_STORE, or a file in your data directory.",
)
@options.JSON_OR_TABLE
def merge(sources: Sequence[str], store: str | None, form: str) -> None:
    """Add the contents of other stores to one store.

    The others are not changed. STORE is a file, or postgresql://user@host/database. Every run, cell
    and value is kept once, however often stores are merged. Shards of one plan become one run;
    other runs stay what they were. Of a cell that was measured in several stores the one named last
    counts as the latest.
    """
    from hcbench.store.merge import merge_stores

    if store is not None and Path(store).suffix.lower() in _NO_STORES:
        raise click.UsageError(
            f"{store}: a store is a database, such as all.sqlite; for a table of a run see "
            "hcbench results export"
        )
    with ExitStack() as stack:
        target = stack.enter_context(options.open_store(store))
        opened = []
        for source in sources:
            opened.append(stack.enter_context(options.open_store(source, read_only=True)))
        summaries = merge_stores(target, opened)
        merged_runs = _runs_of(target, summaries)
    if form == "json":
        write_json([asdict(summary) for summary in summaries])
    else:
        _write_merged(summaries)
    n_repeated = sum(summary.repeated for summary in summaries)
    if n_repeated:
        tell(f"{n_repeated} cells were measured in several stores: all is kept, the latest counts")
    for summary in summaries:
        _tell_differing(summary)
    _tell_shards(merged_runs)
    tell(f"kept in {target.location}; see hcbench results")


def _runs_of(store: Store, summaries: Sequence[Merged]) -> list[RunInfo]:
    """The runs of a store that came from others, in their order in the store."""
    numbers: set[int] = set()
    for summary in summaries:
        numbers.update(summary.numbers)
    return [run for run in store.runs() if run.id in numbers]


def _write_merged(summaries: Sequence[Merged]) -> None:
    """Write a table to stdout: how much is new of each store."""
    header = ("store", "runs", "cells", "values", "known cells")
    rows = []
    for summary in summaries:
        rows.append(
            (
                summary.source,
                str(summary.runs),
                str(summary.cells),
                str(summary.values),
                str(summary.stored),
            )
        )
    write_table(header, rows, right=header[1:])


def _tell_differing(merged: Merged) -> None:
    """Say that another store has other values for the same measurements."""
    if merged.differing:
        tell(
            f"warning: {merged.source} has other values for {merged.differing} metrics of cells "
            f"that are stored already, such as {merged.example}; the stored values are kept"
        )
    if merged.differing_answers:
        tell(
            f"warning: {merged.source} has other replies for {merged.differing_answers} queries to "
            "paid oracles that are stored already; the stored ones are kept (hcbench answers)"
        )


def _tell_shards(runs: Sequence[RunInfo]) -> None:
    """Say which of the runs are parts of plans."""
    from hcbench.plan.presentation import Presentation

    shards = []
    for run in runs:
        layout = Presentation.of_description(run.layout)
        if layout.shard is not None:
            shards.append((run, layout.shard))
    # Shards of one plan would have become one run.
    if len(shards) > 1:
        plans = {(shard.plan, shard.count) for _, shard in shards}
        reason = "shards of different plans"
        if len(plans) == 1:
            reason = "these shards of one plan differ in limits, claims or metrics"
        numbers = ", ".join(str(run.id) for run, _ in shards)
        tell(f"{reason}: they stay runs of their own ({numbers})")
    for run, shard in shards:
        rest = ""
        if not shard.is_whole:
            rest = " of its plan; the others are not here"
        tell(f"run {run.id} has {shard}{rest}")


@results.command(
    epilog=options.examples(
        "hcbench results export 4 -o run4.csv",
        "hcbench results export 4 --trees -o run4.parquet",
    )
)
@options.RUN
@click.option(
    "--format",
    "form",
    type=click.Choice(EXPORTS),
    help="Of the file; by default that of its suffix, or csv. json and parquet can be imported "
    "again.",
)
@click.option(
    "-o",
    "--output",
    type=options.OutputFile(*(f".{name}" for name in EXPORTS)),
    help="The file; by default stdout.",
)
@click.option(
    "--trees", is_flag=True, help="Write the trees and partitions, too, as json or parquet."
)
@options.STORE
def export(
    *, run: str | None, form: str | None, output: Path | None, trees: bool, store: str | None
) -> None:
    """Write the cells of a run, by default the last, to a file."""
    from hcbench.results.exports import to_json, write_excel, write_parquet
    from hcbench.store import exchange

    form = _format_of_export(form, output)
    if form in ("csv", "xlsx") and trees:
        raise click.UsageError("--trees needs --format json or parquet")
    with options.open_store(store) as opened:
        info = opened.run(run)
        run_results = read_run(opened, info)
        description = {}
        # What the other formats have no place for, and an import needs.
        if form in ("json", "parquet"):
            description = exchange.describe_run(opened, info, trees=trees)
    if form in ("parquet", "xlsx"):
        if output is None:
            raise click.UsageError(f"--format {form} needs -o FILE")
        if form == "parquet":
            write_parquet(run_results, description, output)
        else:
            write_excel(run_results, output)
        return
    if form == "csv":
        text = run_results.to_csv(output)
    else:
        text = to_json(run_results, description, output)
    if output is None:
        click.echo(text, nl=False)


def _format_of_export(form: str | None, output: Path | None) -> str:
    """The format that is named, or that of the suffix.

    Raises
    ------
    UsageError
        If they are different.
    """
    by_suffix = ""
    if output is not None:
        by_suffix = output.suffix.lower().removeprefix(".")
    if form and by_suffix and form != by_suffix:
        raise click.UsageError(
            f"--format {form} is not the format of {output}; omit --format, or end the name in "
            f".{form}"
        )
    return form or by_suffix or "csv"


@results.command("import", epilog=options.examples("hcbench results import run4.parquet"))
@click.argument("files", nargs=-1, required=True, type=options.PATH, metavar="FILE...")
@options.STORE
def import_(files: Sequence[Path], store: str | None) -> None:
    """Import runs that hcbench results export wrote as json or parquet.

    What is stored already is not stored again.
    """
    from hcbench.results.exports import read_export
    from hcbench.store.exchange import import_run

    with options.open_store(store) as opened:
        for file in files:
            summary = import_run(opened, read_export(file), str(file))
            numbers = ", ".join(str(number) for number in summary.numbers)
            counts = f"{summary.cells} new cells, {summary.stored} known"
            tell(f"{file}: run {numbers} of {opened.location}, {counts}")
            _tell_differing(summary)


@results.command(
    epilog=options.examples(
        "hcbench results gc --dry-run",
        "hcbench results gc --keep-runs 20",
        "hcbench results gc --before 2026-01-01",
    )
)
@click.option(
    "--keep-runs",
    type=options.IntegerRange(min=1),
    metavar="N",
    help="Remove all runs but the last N; with --before, the last N stay whatever their date.",
)
@click.option(
    "--before",
    type=options.DATE,
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

    with options.open_store(store) as opened:
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


@results.command(epilog=options.examples("hcbench results rescore --metrics dasgupta,AARI 3"))
@options.RUN
@options.names_option(
    "--metrics", "Metrics to compute, in addition to those of the run.", required=True
)
@options.JOBS
@options.STORE
@options.PLUGIN
@options.RESULTS_FORMAT
@options.QUIET
@click.pass_context
def rescore(
    context: click.Context,
    *,
    run: str | None,
    metrics: Sequence[str],
    jobs: int | None,
    store: str | None,
    plugin: Sequence[Path],
    form: str,
    quiet: bool,
) -> None:
    """Compute more metrics of the stored results of a run.

    RUN is by default the last. No algorithm runs, or needs to be installed; the data are generated
    again. The result is a new run with the old and the new metrics.
    """
    from hcbench.analysis.notes import Note
    from hcbench.cli.draw import write_results
    from hcbench.cli.progress import follow
    from hcbench.results.results import Results
    from hcbench.run.rescore import plan_of_run
    from hcbench.run.run import rescore_plan

    registry = options.load_plugins(plugin, quiet=quiet)
    with options.open_store(store) as opened:
        info = opened.run(run)
        with stdout_for_data():
            rescoring = plan_of_run(opened, info, registry, metrics)
            with follow(quiet=quiet) as observer:
                outcomes = rescore_plan(
                    rescoring.plan,
                    rescoring.stored_results,
                    registry.plugins,
                    opened,
                    jobs=jobs,
                    command=context.obj,
                    observer=observer,
                )
    changes = tuple(Note(kind="change", text=change) for change in rescoring.changes)
    run_results = Results.of_plan(rescoring.plan, outcomes)
    run_results = replace(run_results, remarks=run_results.remarks + changes)
    write_results(run_results, form)
    n_failed = sum(bool(outcome.metric_errors) for outcome in outcomes)
    if not quiet:
        tell(f"metrics of run {info.id} of {opened.location}; see hcbench results")
        if n_failed:
            tell(f"a metric failed in {n_failed} cells")
    context.exit(ExitCode.CELLS_FAILED if n_failed else ExitCode.OK)


# ---- Names, notes and removal -------------------------------------------------------------------


@results.command()
@_ONE_RUN
@click.argument("name")
@options.STORE
def name(*, run: str, name: str, store: str | None) -> None:
    """Give a run a name, which commands accept for its number.

    An empty name removes it.
    """
    from hcbench.store.tidying import name_run

    with options.open_store(store) as opened:
        name_run(opened, opened.run(run), name)


@results.command()
@_ONE_RUN
@click.argument("text")
@options.STORE
def note(*, run: str, text: str, store: str | None) -> None:
    """Write a note to a run.

    It is shown with the run, and replaces an earlier one; an empty text removes it.
    """
    from hcbench.store.tidying import annotate_run

    with options.open_store(store) as opened:
        annotate_run(opened, opened.run(run), text)


@results.command()
@_ONE_RUN
@click.option("--yes", is_flag=True, help="Do not ask.")
@options.STORE
def rm(*, run: str, yes: bool, store: str | None) -> None:
    """Remove a run, with the cells that no other run shows.

    RUN is its number or name. It may be damaged.
    """
    from hcbench.store.tidying import remove_run

    with options.open_store(store) as opened:
        info = opened.find_run(run)
        if not yes:
            label = printable(f"run {info.id}: {command_of(info)}")
            click.confirm(f"Remove {label}?", abort=True, err=True)
        removed = remove_run(opened, info)
    text = f"run {info.id} is removed with {removed.cells} cells"
    if removed.shared:
        text += f"; {removed.shared} stay, as other runs show them"
    tell(text)
