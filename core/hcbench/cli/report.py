"""``report``: one run as an HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from hcbench.cli import options
from hcbench.cli.completing import complete_runs
from hcbench.cli.loading import load_plugins, open_store
from hcbench.cli.option_types import IntegerRange, OutputFile
from hcbench.cli.terminal import stdout_for_data, tell
from hcbench.pages import MOST_TREES

#: Of `site` as well, whose pages have the same reports.
TREES = click.option(
    "--trees",
    type=IntegerRange(min=0),
    metavar="N",
    default=MOST_TREES,
    help="The most trees shown; their data are generated again, to show the truth beside them.",
)


@click.command(
    epilog=options.examples(
        "hcbench report",
        "hcbench report 3 -o run3.html",
        "hcbench report gray2023-table1 -o gray.html --trees 0",
    )
)
@click.argument("run", metavar="[RUN|SUITE]", required=False, shell_complete=complete_runs)
@click.option(
    "-o",
    "--output",
    type=OutputFile(".html", ".htm"),
    default="report.html",
    help="Output file; an existing one is replaced.",
)
@TREES
@options.STORE
@options.PLUGIN
@options.QUIET
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
    from hcbench.pages.report import write_report

    # Trees are shown beside their truth, for which data sets of plugins are called again.
    with open_store(store) as opened, stdout_for_data():
        info = opened.run(run)
        registry = load_plugins(plugin, quiet=quiet)
        write_report(output, opened, info, registry=registry, trees=trees)
    if not quiet:
        mebibytes = output.stat().st_size / 2**20
        tell(f"run {info.id} is in {output}, {mebibytes:.1f} MiB")
