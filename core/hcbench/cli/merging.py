"""``results merge``: the contents of several stores in one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hcbench.cli import options
from hcbench.cli.loading import open_store
from hcbench.cli.terminal import tell, write_json, write_table

if TYPE_CHECKING:
    from hcbench.store import Store
    from hcbench.store.merge import Merged
    from hcbench.store.rows import RunInfo

#: Suffixes of files that are no database.
_NO_STORES = (".csv", ".tsv", ".json", ".parquet", ".xlsx", ".html", ".pdf", ".txt")


@click.command(
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
        target = stack.enter_context(open_store(store))
        # All are opened before anything is added: a missing one leaves the target unchanged.
        opened = []
        for source in sources:
            opened.append(stack.enter_context(open_store(source, read_only=True)))
        summaries = merge_stores(target, opened)
        merged_runs = _runs_of(target, summaries)
    if form == "json":
        write_json(list(map(asdict, summaries)))
    else:
        _write_merged(summaries)
    n_repeated = 0
    for summary in summaries:
        n_repeated += summary.repeated
    if n_repeated:
        tell(f"{n_repeated} cells were measured in several stores: all is kept, the latest counts")
    for summary in summaries:
        tell_differing(summary)
    _tell_shards(merged_runs)
    tell(f"kept in {target.location}; see hcbench results")


def _runs_of(store: Store, summaries: Sequence[Merged]) -> list[RunInfo]:
    """The runs of a store that came from others, in their order in the store."""
    numbers: set[int] = set()
    for summary in summaries:
        numbers.update(summary.numbers)
    merged_runs = []
    for run in store.runs():
        if run.id in numbers:
            merged_runs.append(run)
    return merged_runs


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


def tell_differing(merged: Merged) -> None:
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
        numbers = [str(run.id) for run, _ in shards]
        tell(f"{reason}: they stay runs of their own ({', '.join(numbers)})")
    # A shard that is not whole is a warning: its plan cannot be judged yet.
    for run, shard in shards:
        rest = ""
        if not shard.is_whole:
            rest = " of its plan; the others are not here"
        tell(f"run {run.id} has {shard}{rest}")
