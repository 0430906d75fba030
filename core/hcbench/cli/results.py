"""``results``: past runs in the store, what changed between them, and stores as files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hcbench.cli import options
from hcbench.cli.runs import read_run
from hcbench.cli.terminal import stdout_for_data, tell, write_json, write_table
from hcbench.errors import ExitCode
from hcbench.model.text import printable
from hcbench.plan.outcome import STATUSES, budget_text

if TYPE_CHECKING:
    from hcbench.analysis.tables import Block
    from hcbench.api.stability import Stability
    from hcbench.plan.outcome import Outcome
    from hcbench.plan.presentation import MetricInfo
    from hcbench.results.changes import Difference, StatusChange
    from hcbench.store import Store
    from hcbench.store.merge import Merged
    from hcbench.store.rows import RunInfo

MOST_FAILURES = 20
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
def results(context: click.Context, /, **given: Any) -> None:
    """Show past runs; without a command, list them."""
    # A store that is given here is the default of the command that follows.
    context.default_map = {name: {"store": given["store"]} for name in results.commands}
    if context.invoked_subcommand is None:
        context.invoke(list_, form="table", **given)
    elif given["suites"] or given["since"] or given["algorithms"]:
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
        write_json([_about(run) for run in runs])
        return
    if not runs:
        tell(f"there are no such runs in {opened.location}; start with: hcbench compare")
        return
    table = {
        "run": [str(run.id) for run in runs],
        "started": ["?" if run.damaged else _local(run.started) for run in runs],
        "cells": [str(run.cells) for run in runs],
        "failed": [str(run.failed) for run in runs],
        "reused": [str(run.reused) for run in runs],
        "name": [run.name for run in runs],
        "command": [f"{_command(run)}\n{run.note}".strip() for run in runs],
    }
    if not any(table["name"]):
        del table["name"]
    numbers = ("run", "cells", "failed", "reused")
    rows = zip(*table.values(), strict=True)
    write_table(tuple(table), rows, right=numbers, whole=("started", "name"))


def _about(run: RunInfo) -> dict[str, Any]:
    finished = run.finished.isoformat() if run.finished else None
    about = {**asdict(run), "started": run.started.isoformat(), "finished": finished}
    del about["layout"], about["removed"]  # only `results show` needs the layout
    return {**about, "state": _state(run)}


def _command(run: RunInfo) -> str:
    state = _state(run)
    return run.command if state == "done" else f"{run.command} ({state})"


def _state(run: RunInfo) -> str:
    if run.damaged:
        return f"damaged: {run.damaged}"
    if run.interrupted:
        return "interrupted"
    return "done" if run.finished else "not finished"


def _local(moment: datetime) -> str:
    return moment.astimezone().strftime("%Y-%m-%d %H:%M")


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
        found = read_run(opened, info, sizes=False, **filters)
    write_results(found, form)
    if form == "table":
        _write_failures(found.outcomes.take(found.outcomes.failed), opened)
        name = f" ({info.name})" if info.name else ""
        tell(f"run {info.id}{name} of {_local(info.started)}: {info.command}")


def _write_failures(failed: Sequence[Outcome], store: Store) -> None:
    if not failed:
        return
    click.echo()
    click.secho("failures", bold=True, underline=True)
    write_table(
        ("cell", "algorithm", "dataset", "repetition", "status", "reason"),
        [
            (o.key[:8], o.algorithm, o.dataset, str(o.repetition), o.status, o.reason)
            for o in failed[:MOST_FAILURES]
        ],
        right=("repetition",),
        whole=("cell", "status"),
    )
    if len(failed) > MOST_FAILURES:
        click.echo(f"... and {len(failed) - MOST_FAILURES} more; --format csv lists all")
    command = store.command("rerun", failed[0].key[:8], "--in-process")
    tell(f"run one again with: {command}")


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
        one, other = (read_run(opened, opened.run(n), sizes=False) for n in (before, after))
    differences = find_differences(one, other)
    changes = find_status_changes(one, other)
    other_data = {change.dataset: change for change in find_data_changes(one, other)}
    notes = notes_on_changes(differences, changes, list(other_data.values()))
    if form == "json":
        write_json(
            {
                "differences": [asdict(difference) for difference in differences],
                "statuses": [asdict(change) for change in changes],
                "data": [asdict(change) for change in other_data.values()],
                "notes": describe_notes(notes),
            }
        )
        return
    for note in notes:
        if note.kind == "data":
            click.echo(note.text)
    metrics = {metric.label: metric for metric in (*one.metrics, *other.metrics)}
    shown = [d for d in differences if everything or d.changes]
    blocks = [
        _difference_block(dataset, [d for d in shown if d.dataset == dataset], metrics)
        for dataset in dict.fromkeys(d.dataset for d in shown)
    ]
    write_blocks([*blocks, _change_block(changes)] if changes else blocks)
    for note in notes:
        if note.kind != "data":
            click.echo(note.text)


def _difference_block(
    dataset: str, differences: Sequence[Difference], metrics: Mapping[str, MetricInfo]
) -> Block:
    from hcbench.analysis.tables import Block, TableEntry, format_spread

    rows = []
    for row in differences:
        metric = metrics[row.metric]
        before, after = (
            TableEntry(format_spread(mean, None, metric.unit, metric.interval))
            for mean in (row.before, row.after)
        )
        change, low, high = (
            format_spread(number, None, metric.unit)
            for number in (row.difference, row.low, row.high)
        )
        interval = "" if row.low is None or row.low == row.high else f" ({low} to {high})"
        marked = TableEntry(change + interval, bold=row.marked)
        rows.append((TableEntry(_variant(row)), TableEntry(row.metric), before, after, marked))
    header = ("algorithm", "metric", "before", "after", "difference, simultaneous 95 % interval")
    return Block(dataset, header, (False, False, True, True, True), tuple(rows))


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
        found = read_run(opened, opened.run(run), sizes=False, **filters)
        rows = measure_stability(found, opened, metrics)
    if form == "json":
        write_json([asdict(row) for row in rows])
        return
    write_blocks(
        [
            _stability_block(dataset, [row for row in rows if row.dataset == dataset])
            for dataset in dict.fromkeys(row.dataset for row in rows)
        ]
    )


def _stability_block(dataset: str, rows: Sequence[Stability]) -> Block:
    from hcbench.analysis.tables import Block, Notes, Reason, TableEntry, format_spread

    notes = Notes()
    table = []
    for row in rows:
        marks = notes.mark([Reason(row.reason)] if row.reason else [])
        mean, least = (
            "n/a" if number is None else format_spread(number, None, interval="[-1, 1]")
            for number in (row.mean, row.least)
        )
        texts = (_variant(row), row.metric, mean, least, str(row.pairs))
        entries = [
            TableEntry(text, marks=marks if at == 2 else ()) for at, text in enumerate(texts)
        ]
        table.append(tuple(entries))
    header = ("algorithm", "metric", "mean", "least", "pairs")
    return Block(dataset, header, (False, False, True, True, True), tuple(table), notes.texts)


def _change_block(changes: Sequence[StatusChange]) -> Block:
    """Cells that ended otherwise, the repetitions together."""
    from hcbench.analysis.tables import Block, TableEntry

    count = Counter((c.dataset, _variant(c), c.before, c.after) for c in changes)
    rows = tuple(
        tuple(TableEntry(text) for text in (*texts, str(number))) for texts, number in count.items()
    )
    header = ("dataset", "algorithm", "before", "after", "cells")
    return Block("status", header, (False, False, False, False, True), rows)


def _variant(row: Difference | StatusChange | Stability) -> str:
    """An algorithm with all that tells it from others of its name."""
    parts = [row.algorithm, row.oracle]
    if row.budget is not None:
        parts.append(f"budget {budget_text(row.budget)}")
    checkpoint = getattr(row, "checkpoint", None)
    if checkpoint is not None:
        parts.append(f"after {checkpoint:,}")
    return " / ".join(part for part in parts if part)


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
        opened = [
            stack.enter_context(options.open_store(source, read_only=True)) for source in sources
        ]
        merged = merge_stores(target, opened)
        numbers = {number for one in merged for number in one.numbers}
        runs = [run for run in target.runs() if run.id in numbers]
    if form == "json":
        write_json([asdict(one) for one in merged])
    else:
        header = ("store", "runs", "cells", "values", "known cells")
        rows = [(m.source, *map(str, (m.runs, m.cells, m.values, m.stored))) for m in merged]
        write_table(header, rows, right=header[1:])
    repeated = sum(one.repeated for one in merged)
    if repeated:
        tell(f"{repeated} cells were measured in several stores: all is kept, the latest counts")
    for one in merged:
        _tell_differing(one)
    _tell_shards(runs)
    tell(f"kept in {target.location}; see hcbench results")


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

    layouts = [(run, Presentation.of_description(run.layout)) for run in runs]
    shards = [(run, layout.shard) for run, layout in layouts if layout.shard is not None]
    if len(shards) > 1:
        one_plan = len({(shard.plan, shard.count) for _, shard in shards}) == 1
        what = "shards of different plans"
        if one_plan:
            what = "these shards of one plan differ in limits, claims or metrics"
        numbers = ", ".join(str(run.id) for run, _ in shards)
        tell(f"{what}: they stay runs of their own ({numbers})")
    for run, shard in shards:
        rest = "" if shard.is_whole else " of its plan; the others are not here"
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
    from hcbench.store.exchange import describe_run

    form = _format_of_export(form, output)
    if form in ("csv", "xlsx") and trees:
        raise click.UsageError("--trees needs --format json or parquet")
    with options.open_store(store) as opened:
        info = opened.run(run)
        found = read_run(opened, info)
        described = describe_run(opened, info, trees=trees) if form in ("json", "parquet") else {}
    if form in ("parquet", "xlsx"):
        if output is None:
            raise click.UsageError(f"--format {form} needs -o FILE")
        if form == "parquet":
            write_parquet(found, described, output)
        else:
            write_excel(found, output)
        return
    text = found.to_csv(output) if form == "csv" else to_json(found, described, output)
    if output is None:
        click.echo(text, nl=False)


def _format_of_export(form: str | None, output: Path | None) -> str:
    """The format that is named, or that of the suffix.

    Raises
    ------
    UsageError
        If they are different.
    """
    by_suffix = output.suffix.lower().removeprefix(".") if output is not None else ""
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
            done = import_run(opened, read_export(file), str(file))
            numbers = ", ".join(map(str, done.numbers))
            new = f"{done.cells} new cells, {done.stored} known"
            tell(f"{file}: run {numbers} of {opened.location}, {new}")
            _tell_differing(done)


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
        since = None if before is None else before.astimezone()
        done = tidy(opened, keep_runs=keep_runs, before=since, dry_run=dry_run)
    counts = ", ".join(
        f"{number} {noun}{'' if number == 1 else 's'}"
        for number, noun in ((done.runs, "run"), (done.cells, "cell"), (done.values, "value"))
    )
    size = f"{done.bytes / 1e6:,.1f} MB" if done.bytes >= 1e5 else f"{done.bytes:,} bytes"
    text = f"{counts} would be removed, about {size} freed"
    if not dry_run:
        text = f"{counts} removed, {size} freed"
    if done.lent:
        text += f"; {done.lent} more runs stay, since others show what they measured"
    click.echo(f"{text} in {opened.location}")


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
            wanted = plan_of_run(opened, info, registry, metrics)
            with follow(quiet=quiet) as observer:
                outcomes = rescore_plan(
                    wanted.plan,
                    wanted.stored_results,
                    registry.plugins,
                    opened,
                    jobs=jobs,
                    command=context.obj,
                    observer=observer,
                )
    changes = tuple(Note(kind="change", text=change) for change in wanted.changes)
    found = Results.of_plan(wanted.plan, outcomes)
    found = replace(found, remarks=found.remarks + changes)
    write_results(found, form)
    failed = sum(bool(outcome.metric_errors) for outcome in outcomes)
    if not quiet:
        tell(f"metrics of run {info.id} of {opened.location}; see hcbench results")
        if failed:
            tell(f"a metric failed in {failed} cells")
    context.exit(ExitCode.CELLS_FAILED if failed else ExitCode.OK)


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
            what = printable(f"run {info.id}: {_command(info)}")
            click.confirm(f"Remove {what}?", abort=True, err=True)
        removed = remove_run(opened, info)
    shared = f"; {removed.shared} stay, as other runs show them" if removed.shared else ""
    tell(f"run {info.id} is removed with {removed.cells} cells{shared}")
