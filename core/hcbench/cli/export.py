"""``results export`` and ``results import``: runs as files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from hcbench.cli.options import RUN, STORE, examples
from hcbench.cli.stored import read_run
from hcbench.cli.terminal import tell


@click.command(
    epilog=examples(
        "hcbench results export 4 --format csv -o run4.csv",
        "hcbench results export 4 --format parquet --trees -o run4.parquet",
    )
)
@RUN
@click.option(
    "--format",
    type=click.Choice(["csv", "json", "parquet"]),
    default="csv",
    show_default=True,
    help="Of the file; json and parquet can be imported again.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file; by default stdout.",
)
@click.option(
    "--trees", is_flag=True, help="Write the trees and partitions, too, as json or parquet."
)
@STORE
@click.pass_context
def export(
    context: click.Context,
    *,
    run: str | None,
    format: str,  # noqa: A002
    output: Path | None,
    trees: bool,
    store: str | None,
) -> None:
    """Write the cells of a run, by default the last, to a file."""
    from hcbench.store import Store

    if format == "parquet" and output is None:
        raise click.UsageError("--format parquet needs -o FILE", context)
    if format == "csv" and trees:
        raise click.UsageError("--trees needs --format json or parquet", context)
    with Store(store) as opened:
        info = opened.run(run)
        found = read_run(opened, info)
        if format == "csv":
            text = found.to_csv(output)
        else:
            from hcbench.analysis.exports import to_json, write_parquet
            from hcbench.store.exchange import describe_run

            described = describe_run(opened, info, trees=trees)
            if format == "parquet" and output is not None:
                write_parquet(found, described, output)
            else:
                text = to_json(found, described, output)
    if output is None:
        click.echo(text, nl=False)


@click.command("import", epilog=examples("hcbench results import run4.parquet"))
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE..."
)
@STORE
def import_(files: Sequence[Path], store: str | None) -> None:
    """Import runs that hcbench results export wrote as json or parquet.

    What is stored already is not stored again.
    """
    from hcbench.analysis.exports import read_export
    from hcbench.store import Store
    from hcbench.store.exchange import import_run

    with Store(store) as opened:
        for file in files:
            done = import_run(opened, read_export(file), str(file))
            numbers = ", ".join(map(str, done.numbers))
            new = f"{done.cells} new cells, {done.known} known"
            tell(f"{file}: run {numbers} of {opened.location}, {new}")
