"""``results diff`` and ``results stability``: what changed between runs, and in one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from hcbench.cli import options
from hcbench.cli.completing import complete_runs
from hcbench.cli.loading import open_store
from hcbench.cli.run_tables import difference_blocks, stability_blocks, status_block
from hcbench.cli.runs import read_run
from hcbench.cli.terminal import write_json

if TYPE_CHECKING:
    from hcbench.plan.presentation import MetricInfo
    from hcbench.results.results import Results


@click.command(
    epilog=options.examples("hcbench results diff 3 4", "hcbench results diff 3 4 --all")
)
@click.argument("before", shell_complete=complete_runs)
@click.argument("after", shell_complete=complete_runs)
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

    with open_store(store) as opened:
        # Sizes are needed by claims about rates only, which are not compared here.
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
                "differences": list(map(asdict, differences)),
                "statuses": list(map(asdict, changes)),
                "data": list(map(asdict, data_changes.values())),
                "notes": describe_notes(notes),
            }
        )
        return
    # That the data differ is to be known before the numbers are read.
    for note in notes:
        if note.kind == "data":
            click.echo(note.text)
    shown_differences = []
    for difference in differences:
        if everything or difference.changes:
            shown_differences.append(difference)
    blocks = difference_blocks(shown_differences, _metrics_of(results_before, results_after))
    if changes:
        blocks.append(status_block(changes))
    write_blocks(blocks)
    for note in notes:
        if note.kind != "data":
            click.echo(note.text)


def _metrics_of(before: Results, after: Results) -> dict[str, MetricInfo]:
    """The metrics of two runs by label; of both they are described as in the later one."""
    metrics = {}
    for metric in before.metrics + after.metrics:
        metrics[metric.label] = metric
    return metrics


@click.command(
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

    with open_store(store) as opened:
        run_results = read_run(opened, opened.run(run), sizes=False, **filters)
        rows = measure_stability(run_results, opened, metrics)
    if form == "json":
        write_json(list(map(asdict, rows)))
    else:
        write_blocks(stability_blocks(rows))
