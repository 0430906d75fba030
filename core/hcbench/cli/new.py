"""``hcbench new plugin``: the files of a new plugin."""

from __future__ import annotations

from pathlib import Path

import click

from hcbench.cli import options
from hcbench.cli.loading import load_plugins
from hcbench.cli.terminal import tell


@click.group()
def new() -> None:
    """Write the files of a new plugin."""


@new.command(
    epilog=options.examples(
        "hcbench new plugin my_linkage",
        "hcbench new plugin hcbench_crowd --oracle crowd --metric agreement",
    )
)
@click.argument("name")
@click.option("--algorithm", metavar="X", help="Add an algorithm of this name.")
@click.option("--metric", metavar="Y", help="Add a metric of this name.")
@click.option("--dataset", metavar="Z", help="Add a data set of this name.")
@click.option("--oracle", metavar="W", help="Add an oracle of this name.")
@click.option("--command", metavar="C", help="Add a command of this name.")
@click.option(
    "--directory",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    metavar="DIR",
    help="Where to create its folder.",
)
def plugin(name: str, directory: Path, **names: str | None) -> None:
    """Write a package NAME with an example of each kind that you name.

    It can be installed and passes its tests; change it into your own. Without options it has an
    algorithm with the name of the package.
    """
    from hcbench.testing.scaffold.writing import next_steps, write_plugin

    # The names of the examples, by kind; of a kind whose option is not used there is none.
    example_names = {}
    for kind, example_name in names.items():
        if example_name is not None:
            example_names[kind] = example_name
    # Names that are registered already are refused, as they would be ambiguous.
    registry = load_plugins(quiet=True)
    for path in write_plugin(name, example_names, directory, registry):
        click.echo(path)
    tell(f"next: {next_steps(name, example_names, directory)}")
