"""``site``: all runs of a store as a folder of HTML pages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from hcbench.cli.loading import load_plugins
from hcbench.cli.options import PLUGIN, QUIET, STORE, examples
from hcbench.cli.report import TREES
from hcbench.cli.terminal import stdout_for_data, tell


@click.command(
    epilog=examples(
        "hcbench site ./public",
        "hcbench site ./public --store postgresql://me@host/results",
    )
)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@TREES
@STORE
@PLUGIN
@QUIET
def site(
    *,
    folder: Path,
    trees: int | None,
    store: str | None,
    plugin: Sequence[Path],
    quiet: bool,
) -> None:
    """Make a static site of all runs of a store.

    It has a report of each run, and a page for each suite, algorithm and data set. DIR is new,
    empty, or an earlier site, which is updated: only what has changed is written. Open
    DIR/index.html, or put the folder on any web server.
    """
    from hcbench.show.report import MOST_TREES
    from hcbench.show.site import build_site
    from hcbench.store import Store

    with Store(store) as opened, stdout_for_data():
        registry = load_plugins(plugin, quiet=quiet)
        built = build_site(
            folder,
            opened,
            registry,
            trees=MOST_TREES if trees is None else trees,
            told=(lambda _: None) if quiet else tell,
        )
    if not quiet:
        removed = f", {built.removed} removed" if built.removed else ""
        tell(f"{built.pages} pages in {folder}; {built.written} files written{removed}")
