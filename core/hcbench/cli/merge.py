"""``results merge``: one store of several."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from hcbench.cli.options import JSON_OR_TABLE, examples
from hcbench.cli.terminal import tell, write_json, write_table

if TYPE_CHECKING:
    from hcbench.store import RunInfo
    from hcbench.store.merge import Merged


@click.command(
    epilog=examples(
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
@JSON_OR_TABLE
def merge(sources: Sequence[str], store: str | None, format: str) -> None:  # noqa: A002
    """Add the contents of other stores to one store.

    The others are not changed. STORE is a file, or postgresql://user@host/database. Every run, cell
    and value is kept once, however often stores are merged. Shards of one plan become one run;
    other runs stay what they were. Of a cell that was measured in several stores the one named last
    counts as the latest.
    """
    from hcbench.store import Store
    from hcbench.store.merge import merge_stores

    with ExitStack() as stack:
        target = stack.enter_context(Store(store))
        opened = [stack.enter_context(Store(source, read_only=True)) for source in sources]
        merged = merge_stores(target, opened)
        numbers = {number for one in merged for number in one.numbers}
        runs = [run for run in target.runs() if run.id in numbers]
        location = target.location
    if format == "json":
        write_json([asdict(one) for one in merged])
    else:
        _write(merged)
    repeated = sum(one.repeated for one in merged)
    if repeated:
        tell(f"{repeated} cells were measured in several stores: all is kept, the latest counts")
    for line in describe_shards(runs):
        tell(line)
    tell(f"kept in {location}; see hcbench results")


def _write(merged: Sequence[Merged]) -> None:
    header = ("store", "runs", "cells", "values", "known cells")
    rows = [(m.source, *map(str, (m.runs, m.cells, m.values, m.known))) for m in merged]
    write_table(header, rows, right=header[1:])


def describe_shards(runs: Sequence[RunInfo]) -> list[str]:
    """What is to be said of runs that are parts of plans."""
    from hcbench.plan.presentation import Presentation

    shards = [
        (run, shard)
        for run in runs
        if (shard := Presentation.of_description(run.layout).shard) is not None
    ]
    lines = []
    if len({(shard.plan, shard.count) for _, shard in shards}) > 1:
        numbers = ", ".join(str(run.id) for run, _ in shards)
        lines.append(f"shards of different plans: they stay runs of their own ({numbers})")
    elif len(shards) > 1:
        numbers = ", ".join(str(run.id) for run, _ in shards)
        lines.append(
            "these shards of one plan differ in limits, claims or metrics: they stay runs of their "
            f"own ({numbers})"
        )
    for run, shard in shards:
        rest = "" if shard.is_whole else " of its plan; the others are not here"
        lines.append(f"run {run.id} has {shard}{rest}")
    return lines
