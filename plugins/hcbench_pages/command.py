"""``report`` and ``site``: one run as an HTML page, all runs of a store as a folder of pages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from hcbench import commands
from hcbench.commands import stdout_for_data, tell
from hcbench_pages import MOST_TREES, write_report

TREES = click.option(
    "--trees",
    type=commands.IntegerRange(min=0),
    metavar="N",
    default=MOST_TREES,
    help="The most trees shown; their data are generated again, to show the truth beside them.",
)


@click.command(
    epilog=commands.examples(
        "hcbench report",
        "hcbench report 3 -o run3.html",
        "hcbench report gray2023-table1 -o gray.html --trees 0",
    )
)
@click.argument("run", metavar="[RUN|SUITE]", required=False)
@click.option(
    "-o",
    "--output",
    type=commands.FILE,
    default="report.html",
    help="Output file; an existing one is replaced.",
)
@TREES
@commands.STORE
@commands.PLUGIN
@commands.QUIET
def report(
    *,
    run: str | None,
    output: Path,
    trees: int,
    store: str | None,
    plugin: Sequence[Path],
    quiet: bool,
) -> None:
    """Write a report of a run: one HTML page.

    It needs no network. RUN is a number that hcbench results lists. With SUITE it is the last run
    of this suite, and by default the last of all.
    """
    with commands.open_store(store) as opened, stdout_for_data():
        found = opened.run(run)
        registry = commands.load_plugins(plugin, quiet=quiet)
        write_report(output, opened, found, registry=registry, trees=trees)
    if not quiet:
        tell(f"run {found.id} is in {output}, {output.stat().st_size / 2**20:.1f} MiB")


@click.command(
    epilog=commands.examples(
        "hcbench site ./public",
        "hcbench site ./public --title Linkages --suites gray2023,compare --asv .asv/results",
        "hcbench site ./public --store postgresql://me@host/results",
    )
)
@click.argument("folder", metavar="DIR", type=commands.PATH)
@click.option("--title", metavar="TEXT", default="Benchmarks", help="Title of the site.")
@click.option(
    "--run",
    "numbers",
    multiple=True,
    metavar="RUN",
    help="Only this run, by number or name. Repeatable.",
)
@commands.with_options(*commands.RUN_FILTERS)
@click.option(
    "--asv",
    type=commands.FOLDER,
    metavar="DIR",
    help="A results folder of asv, such as .asv/results: shows the performance over commits.",
)
@TREES
@commands.STORE
@commands.PLUGIN
@commands.QUIET
def site(
    *,
    folder: Path,
    title: str,
    numbers: Sequence[str],
    asv: Path | None,
    trees: int,
    store: str | None,
    plugin: Sequence[Path],
    quiet: bool,
    **filters: Any,
) -> None:
    """Make a static site of the runs of a store.

    Its home page has the leaderboard and the verdicts of each suite in its latest run, and the
    performance over commits. There is a report of each run, and a page for each suite, algorithm
    and data set. Runs without results, and those that a later run repeats, are hidden. DIR is new,
    empty, or an earlier site, which is updated: only what has changed is written. Open
    DIR/index.html, or put the folder on any web server; nothing is loaded from elsewhere.
    """
    from hcbench_pages.site import build_site

    with commands.open_store(store) as opened, stdout_for_data():
        registry = commands.load_plugins(plugin, quiet=quiet)
        chosen = {opened.run(number).id for number in numbers}
        runs = [run for run in opened.runs(**filters) if not chosen or run.id in chosen]
        built = build_site(
            folder,
            opened,
            registry,
            runs=runs,
            title=title,
            asv=asv,
            trees=trees,
            told=(lambda _: None) if quiet else tell,
        )
    if not quiet:
        removed = f", {built.removed} removed" if built.removed else ""
        tell(f"{built.pages} pages in {folder}; {built.written} files written{removed}")
