"""``site``: all runs of a store as a folder of pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from hcbench.cli import options
from hcbench.cli.completing import complete_runs
from hcbench.cli.loading import load_plugins, open_store
from hcbench.cli.option_types import FOLDER, PATH
from hcbench.cli.report import TREES
from hcbench.cli.terminal import stdout_for_data, tell


def check_address(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    """Refuse what is no address of a web page, which pages would have as a link."""
    if value and not value.startswith(("https://", "http://")):
        raise click.BadParameter(f"{value!r} begins with neither https:// nor http://")
    return value


@click.command(
    epilog=options.examples(
        "hcbench site ./public",
        "hcbench site ./public --title Linkages --suites gray2023,compare --asv .asv/results",
        "hcbench site ./public --store postgresql://me@host/results",
    )
)
@click.argument("folder", metavar="DIR", type=PATH)
@click.option("--title", metavar="TEXT", default="Benchmarks", help="Title of the site.")
@click.option(
    "--run",
    "numbers",
    multiple=True,
    metavar="RUN",
    shell_complete=complete_runs,
    help="Only this run, by number or name. Repeatable.",
)
@options.with_options(*options.RUN_FILTERS)
@click.option(
    "--asv",
    type=FOLDER,
    metavar="DIR",
    help="A results folder of asv, such as .asv/results: shows the performance over commits.",
)
@click.option(
    "--commit-url",
    metavar="URL",
    default="",
    callback=check_address,
    help="What the address of a commit begins with, such as https://github.com/me/it/commit/: "
    "with --asv, commits are links.",
)
@TREES
@options.STORE
@options.PLUGIN
@options.QUIET
def site(
    *,
    folder: Path,
    title: str,
    numbers: Sequence[str],
    asv: Path | None,
    commit_url: str,
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
    from hcbench.pages.site import build_site

    with open_store(store) as opened, stdout_for_data():
        registry = load_plugins(plugin, quiet=quiet)
        runs = opened.runs(**filters)
        if numbers:
            # The filters of --suites and --since hold for these runs as well.
            run_ids = {opened.run(number).id for number in numbers}
            selected_runs = []
            for run in runs:
                if run.id in run_ids:
                    selected_runs.append(run)
            runs = selected_runs
        announce: Callable[[str], None] = tell
        if quiet:
            announce = _say_nothing
        built = build_site(
            folder,
            opened,
            registry,
            runs=runs,
            title=title,
            asv=asv,
            commit_url=commit_url,
            trees=trees,
            announce=announce,
        )
    if quiet:
        return
    text = f"{built.pages} pages in {folder}; {built.written} files written"
    if built.removed:
        text += f", {built.removed} removed"
    tell(text)


def _say_nothing(line: str) -> None:
    """What a quiet command does with each line about its progress."""
