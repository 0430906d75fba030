"""The command, an ordinary command of click."""

import click
from hcbench import read_tree


@click.command()
@click.argument("file")
def command(file: str) -> None:
    """Print the number of leaves and the depth of the tree in FILE."""
    tree = read_tree(file)
    click.echo(f"{tree.n} leaves, depth {tree.depths.max()}")
