"""``results export`` and ``results import``: runs as files and folders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from hcbench.cli import options
from hcbench.cli.loading import open_store
from hcbench.cli.merging import tell_differing
from hcbench.cli.option_types import PATH, OutputFile
from hcbench.cli.runs import read_run
from hcbench.cli.terminal import tell

#: Formats of exports, which are the suffixes of their files.
EXPORTS = ("csv", "json", "parquet", "xlsx")
#: The format of an export of many files.
FOLDER = "folder"


class ExportPath(OutputFile):
    """A file to be written, whose suffix says its format; a folder if that is the format."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path. The format was read before, as it is eager."""
        # click has no context where a value is converted outside of a command.
        if ctx is None or ctx.params.get("form") != FOLDER:
            return super().convert(value, param, ctx)
        path = Path(value)
        if path.exists() and not path.is_dir():
            self.fail(f"{path} is a file; give a folder, or another --format", param, ctx)
        return path


@click.command(
    epilog=options.examples(
        "hcbench results export 4 -o run4.csv",
        "hcbench results export 4 --trees -o run4.parquet",
        "hcbench results export 4 --format folder -o results",
    )
)
@options.RUN
@click.option(
    "--format",
    "form",
    type=click.Choice((*EXPORTS, FOLDER)),
    is_eager=True,
    help="Of the file; by default that of its suffix, or csv. All but csv and xlsx can be imported "
    "again. A folder has one text file for each algorithm and data set, for git.",
)
@click.option(
    "-o",
    "--output",
    type=ExportPath(".csv", ".json", ".parquet", ".xlsx"),
    help="The file or folder; by default stdout.",
)
@click.option(
    "--trees", is_flag=True, help="Write the trees and partitions, too, unless as csv or xlsx."
)
@options.STORE
def export(
    *, run: str | None, form: str | None, output: Path | None, trees: bool, store: str | None
) -> None:
    """Write the cells of a run, by default the last, to files."""
    from hcbench.results.exports import to_json, write_excel, write_parquet
    from hcbench.store import exchange

    if form == FOLDER:
        _export_folder(run, output, store, trees=trees)
        return
    form = _format_of_export(form, output)
    if form in ("csv", "xlsx") and trees:
        raise click.UsageError("--trees needs --format json or parquet")
    with open_store(store) as opened:
        info = opened.run(run)
        run_results = read_run(opened, info)
        description = {}
        # What the other formats have no place for, and an import needs.
        if form in ("json", "parquet"):
            description = exchange.describe_run(opened, info, trees=trees)
    if form in ("parquet", "xlsx"):
        if output is None:
            raise click.UsageError(f"--format {form} needs -o FILE")
        if form == "parquet":
            write_parquet(run_results, description, output)
        else:
            write_excel(run_results, output)
        return
    if form == "csv":
        text = run_results.to_csv(output)
    else:
        text = to_json(run_results, description, output)
    if output is None:
        click.echo(text, nl=False)


def _export_folder(run: str | None, folder: Path | None, store: str | None, *, trees: bool) -> None:
    """Write a run as a folder of text files, and say how many of them have changed."""
    from hcbench.results.folders import write_folder
    from hcbench.store import exchange

    if folder is None:
        raise click.UsageError("--format folder needs -o FOLDER")
    with open_store(store) as opened:
        description = exchange.describe_run(opened, opened.run(run), trees=trees)
    files = write_folder(description, folder)
    tell(f"{len(files.changed)} files written to {folder}, {files.unchanged} as before")


def _format_of_export(form: str | None, output: Path | None) -> str:
    """The format that is named, or that of the suffix.

    Raises
    ------
    UsageError
        If they are different.
    """
    by_suffix = ""
    if output is not None:
        by_suffix = output.suffix.lower().removeprefix(".")
    if form and by_suffix and form != by_suffix:
        raise click.UsageError(
            f"--format {form} is not the format of {output}; omit --format, or end the name in "
            f".{form}"
        )
    return form or by_suffix or "csv"


@click.command(
    "import",
    epilog=options.examples(
        "hcbench results import run4.parquet",
        "hcbench results import results",
    ),
)
@click.argument("files", nargs=-1, required=True, type=PATH, metavar="FILE...")
@options.STORE
def import_(files: Sequence[Path], store: str | None) -> None:
    """Import runs that hcbench results export wrote.

    Files are of json or parquet; a folder becomes one run, with the folders in it. What is stored
    already is not stored again.
    """
    from hcbench.results.exports import read_export
    from hcbench.results.folder_reading import read_folder
    from hcbench.store.exchange import import_run

    with open_store(store) as opened:
        for file in files:
            if file.is_dir():
                description = read_folder(file)
            else:
                description = read_export(file)
            summary = import_run(opened, description, str(file))
            # What is stored already keeps its run, whose number is told as well.
            numbers = ", ".join(map(str, summary.numbers))
            counts = f"{summary.cells} new cells, {summary.stored} known"
            tell(f"{file}: run {numbers} of {opened.location}, {counts}")
            tell_differing(summary)
