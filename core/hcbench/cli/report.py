"""``report``: one run as an HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from hcbench.cli.loading import load_plugins
from hcbench.cli.options import PLUGIN, QUIET, STORE, examples
from hcbench.cli.terminal import stdout_for_data, tell

TREES = click.option(
    "--trees",
    type=click.IntRange(min=0),
    metavar="N",
    help="The most trees shown; their data are generated again, to show the truth beside them.  "
    "[default: 60]",
)


@click.command(
    epilog=examples(
        "hcbench report",
        "hcbench report 3 -o run3.html",
        "hcbench report gray2023-table1 -o gray.html --trees 0",
    )
)
@click.argument("run", metavar="[RUN|SUITE]", required=False)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default="report.html",
    show_default=True,
    help="Output file; an existing one is replaced.",
)
@TREES
@STORE
@PLUGIN
@QUIET
def report(
    *,
    run: str | None,
    output: Path,
    trees: int | None,
    store: str | None,
    plugin: Sequence[Path],
    quiet: bool,
) -> None:
    """Write a report of a run: one HTML page.

    It needs no network. RUN is a number that hcbench results lists. With SUITE it is the last run
    of this suite, and by default the last of all.
    """
    from hcbench.show.report import MOST_TREES, write_report
    from hcbench.store import Store

    with Store(store) as opened, stdout_for_data():
        found = opened.run(run)
        registry = load_plugins(plugin, quiet=quiet)
        most = MOST_TREES if trees is None else trees
        write_report(output, opened, found, registry=registry, trees=most)
    if not quiet:
        tell(f"run {found.id} is in {output}, {output.stat().st_size / 2**20:.1f} MiB")
