"""``results``: past runs, what came out of them, and what changed between two."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hcbench.cli.options import JSON_OR_TABLE, PLUGIN, STORE, Names, examples, load_plugins
from hcbench.cli.terminal import console, tell, write_json, write_table
from hcbench.errors import HcbenchError, StoreError, SuiteError
from hcbench.outcome import STATUSES

if TYPE_CHECKING:
    from hcbench.differences import Difference, StatusChange
    from hcbench.outcome import Outcome
    from hcbench.registry import Registry
    from hcbench.results import MetricInfo, Results
    from hcbench.store import RunInfo, Store
    from hcbench.suite import Suite
    from hcbench.tables import Block, Entry

MOST_FAILURES = 20
RUN = click.argument("run", type=click.IntRange(min=1), required=False)


@click.group(
    invoke_without_command=True,
    epilog=examples(
        "hcbench results",
        "hcbench results show --algo UPGMA",
        "hcbench results diff 3 4",
        "hcbench results export 4 --format csv -o run4.csv",
    ),
)
@STORE
@click.pass_context
def results(context: click.Context, store: str | None) -> None:
    """Look at past runs; without a command, list them."""
    if context.invoked_subcommand is None:
        context.invoke(list_, store=store, format="table")


def _place(store: str | None) -> str | None:
    """Where the store is: said after the command, or before it."""
    parent = click.get_current_context().parent
    return store or (parent.params.get("store") if parent is not None else None)


@results.command("list")
@STORE
@JSON_OR_TABLE
def list_(store: str | None, format: str) -> None:  # noqa: A002
    """List the runs, the latest last."""
    from hcbench.store import Store

    with Store(_place(store)) as opened:
        runs = opened.runs()
        location = opened.location
    if format == "json":
        write_json([_about(run) for run in runs])
    elif not runs:
        tell(f"there are no runs in {location} yet; begin with: hcbench compare")
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
    return {**about, "state": _state(run)}


def _state(run: RunInfo) -> str:
    if run.interrupted:
        return "interrupted"
    return "done" if run.finished else "not finished"


def _local(moment: datetime) -> str:
    return moment.astimezone().strftime("%Y-%m-%d %H:%M")


@results.command(epilog=examples("hcbench results show 3 --dataset iris --status ok"))
@RUN
@click.option("--algo", metavar="PART", help="A part of its label, or a pattern with * and ?.")
@click.option("--dataset", metavar="PART", help="Likewise.")
@click.option("--status", type=click.Choice(STATUSES), help="Only cells that ended so.")
@click.option(
    "--metric", "metrics", type=Names("metrics"), multiple=True, help="Only these metrics."
)
@STORE
@PLUGIN
@click.option(
    "--format",
    type=click.Choice(["table", "json", "csv", "markdown", "latex"]),
    default="table",
    show_default=True,
    help="Of what goes to stdout.",
)
def show(
    *,
    run: int | None,
    store: str | None,
    metrics: Sequence[tuple[str, ...]],
    plugin: Sequence[Path],
    format: str,  # noqa: A002
    **filters: str | None,
) -> None:
    """Show a run as it was shown when it ended; by default the last."""
    from hcbench.cli.draw import write_results
    from hcbench.store import Store

    registry = load_plugins(plugin)
    with Store(_place(store)) as opened:
        info = _run(opened, run)
        found = _read(opened, info, registry, filters)
    wanted = [name for part in metrics for name in part]
    write_results(_only(found, wanted), format)
    if format == "table":
        _write_failures([o for o in found.outcomes if o.failed])
        tell(f"run {info.id} of {_local(info.started)}: {info.command}")


def _run(store: Store, number: int | None) -> RunInfo:
    if number is not None:
        return store.run(number)
    runs = store.runs()
    if not runs:
        raise StoreError(f"there are no runs in {store.location} yet; begin with: hcbench compare")
    return runs[-1]


def _read(
    store: Store, run: RunInfo, registry: Registry, filters: dict[str, str | None]
) -> Results:
    """The results of a stored run; what its metrics mean is looked up by their labels."""
    from hcbench.results import Results

    found = store.outcomes(
        run=run.id,
        algorithm=filters.get("algo"),
        dataset=filters.get("dataset"),
        status=filters.get("status"),
    )
    if not found:
        raise StoreError(f"run {run.id} of {store.location} has no such cells")
    outcomes = _in_order([outcome for outcome, _ in found])
    whole = not any(filters.values())
    return Results(
        outcomes, _metrics(outcomes, registry), _suite(run.suite if whole else "", registry)
    )


def _in_order(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Data sets as they were run; algorithms, which run side by side, by name."""
    place = {dataset: i for i, dataset in enumerate(dict.fromkeys(o.dataset for o in outcomes))}
    return sorted(outcomes, key=lambda o: (place[o.dataset], o.algorithm.casefold(), o.repetition))


def _suite(name: str, registry: Registry) -> Suite:
    """The suite that a run was made of, if it is registered: it has claims to be judged."""
    from hcbench.registry import find_suite
    from hcbench.suite import Suite

    try:
        return find_suite(registry, name)
    except SuiteError:
        return Suite(name=name)


def _metrics(outcomes: Sequence[Outcome], registry: Registry) -> tuple[MetricInfo, ...]:
    """What is known of the metrics that were measured: quality first, then costs."""
    from hcbench.results import MetricInfo

    labels = dict.fromkeys(
        label for outcome in outcomes for point in outcome.measured for label in point.values
    )
    order = {entry.spec.name: i for i, entry in enumerate(registry.metrics.entries)}
    known: list[tuple[tuple[bool, int], MetricInfo]] = []
    for label in labels:
        try:
            spec = registry.use_metrics(label)[0].spec
        except HcbenchError:
            tell(f"warning: {label} is not registered; taken for one where more is better")
            known.append(((True, len(order)), MetricInfo(label)))
        else:
            info = MetricInfo(label, spec.direction, spec.unit, spec.cost, spec.interval)
            known.append(((spec.cost, order[spec.name]), info))
    return tuple(info for _, info in sorted(known, key=lambda pair: pair[0]))


def _only(results: Results, wanted: Sequence[str]) -> Results:
    """The results with these metrics alone."""
    from dataclasses import replace

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
    tell(f"see one with: hcbench rerun {failed[0].key[:8]} --in-process")


@results.command(epilog=examples("hcbench results diff 3 4", "hcbench results diff 3 4 --all"))
@click.argument("before", type=click.IntRange(min=1))
@click.argument("after", type=click.IntRange(min=1))
@click.option("--all", "everything", is_flag=True, help="Also the means that are equal.")
@STORE
@PLUGIN
@JSON_OR_TABLE
def diff(
    *,
    before: int,
    after: int,
    everything: bool,
    store: str | None,
    plugin: Sequence[Path],
    format: str,  # noqa: A002
) -> None:
    """Show what changed between two runs.

    For each mean that is not the same: both, their difference and its standard error. What
    exceeds two of them is marked.
    """
    from hcbench.cli.draw import write_blocks
    from hcbench.differences import find_differences, find_status_changes
    from hcbench.store import Store

    registry = load_plugins(plugin)
    with Store(_place(store)) as opened:
        one, other = (_read(opened, opened.run(n), registry, {}) for n in (before, after))
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
    units = {metric.label: metric.unit for metric in (*one.metrics, *other.metrics)}
    shown = [d for d in differences if everything or d.difference]
    write_blocks([*_difference_blocks(shown, units), *_change_blocks(changes)])
    click.echo(
        f"{sum(d.difference == 0 for d in differences)} of {len(differences)} means are equal, "
        f"{sum(d.marked for d in differences)} differ by more than two standard errors "
        f"({'bold' if console().is_terminal else '*'}); {len(changes)} cells ended otherwise"
    )


def _difference_blocks(
    differences: Sequence[Difference], units: Mapping[str, str]
) -> Iterator[Block]:
    from hcbench.tables import Block

    for dataset in dict.fromkeys(d.dataset for d in differences):
        yield Block(
            dataset,
            ("algorithm", "metric", "before", "after", "difference ± s.e."),
            (False, False, True, True, True),
            tuple(_difference_row(d, units) for d in differences if d.dataset == dataset),
        )


def _difference_row(row: Difference, units: Mapping[str, str]) -> tuple[Entry, ...]:
    from hcbench.tables import Entry, format_spread

    unit = units[row.metric]
    means = [format_spread(mean, None, unit) for mean in (row.before, row.after)]
    difference = format_spread(row.difference, row.standard_error, unit)
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
    from hcbench.tables import Block, Entry

    if not changes:
        return []
    count = Counter((c.dataset, _variant(c), c.before, c.after) for c in changes)
    rows = tuple(
        (*(Entry(text) for text in texts), Entry(str(number))) for texts, number in count.items()
    )
    header = ("dataset", "algorithm", "before", "after", "cells")
    return [Block("status", header, (False, False, False, False, True), rows)]


@results.command(epilog=examples("hcbench results export 4 --format csv -o run4.csv"))
@RUN
@click.option(
    "--format", type=click.Choice(["csv", "json"]), default="csv", show_default=True, help="Of it."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file; by default stdout.",
)
@STORE
@PLUGIN
def export(
    *,
    run: int | None,
    format: str,  # noqa: A002
    output: Path | None,
    store: str | None,
    plugin: Sequence[Path],
) -> None:
    """Write the cells of a run, by default the last, as CSV or JSON."""
    from hcbench.store import Store

    registry = load_plugins(plugin)
    with Store(_place(store)) as opened:
        found = _read(opened, _run(opened, run), registry, {})
    text = found.to_csv(output) if format == "csv" else found.to_json(output)
    if output is None:
        click.echo(text, nl=False)
