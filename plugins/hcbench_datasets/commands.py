"""The commands ``hcbench inspect`` and ``hcbench example``: what a file holds, and a sample."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hcbench import printable

if TYPE_CHECKING:
    from hcbench_datasets.content import Column, Table

# A number with a currency before it, with separators of thousands, or with a unit after it.
_WRITTEN_NUMBER = re.compile(
    r"[$€£¥]?\s?[-+]?(\d{1,3}([,. '\u2019]\d{3})+|\d+)([.,]\d+)?(\s?%|\s[^\d\s]{1,6})?"
)
_EXAMPLES = Path(__file__).with_name("example")


@click.command()
@click.argument("file", metavar="FILE")
def inspect(file: str) -> None:
    r"""Show what FILE would be used as, and the command to use it.

    FILE may have parameters, as for --datasets. What is not given is guessed: the columns of
    names and of labels, and what to do about missing values.

    \b
    Examples:
      hcbench inspect plants.csv
      hcbench inspect "plants.csv[names=name,drop=[id]]"
    """
    from hcbench import load_registry
    from hcbench_datasets.file import is_table, roles_of, table_of
    from hcbench_datasets.roles import guess

    path, _, params = file.partition("[")
    written = path if "/" in path else f"./{path}"
    (use,) = load_registry().use_datasets(f"{written}[{params}" if params else written)
    given = dict(use.params)
    target = Path(path).expanduser()
    changed = {name: value for name, value in given.items() if value not in (None, (), False)}
    if is_table(target) and not given["comparisons"]:
        table, roles = table_of(target, given, roles_of(given))
        found = guess(table, roles)
        if given["similarity"] or given["distance"]:
            found = {"names": roles.names, "labels": roles.labels, "drop": roles.drop}
        _print_columns(table, found)
        _print_written_numbers(table, found)
        changed |= {name: value for name, value in found.items() if value}
    problem = use.spec.load()(0, **{**given, **changed})
    for line in _summary(problem):
        click.echo(printable(line))
    _print_command(written, changed)


def _print_columns(table: Table, found: Mapping[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table as Printed
    from rich.text import Text

    click.echo(f"{table.where}: {len(table.lines)} rows, {table.format or 'read with pandas'}")
    printed = Printed(box=None, pad_edge=False)
    for head in ("column", "content", "example", "use"):
        printed.add_column(head)
    for column in table.columns[:50]:
        example, content = _described(column)
        row = (column.name, content, example, _use(column, found))
        printed.add_row(*(Text(printable(cell)) for cell in row))
    Console().print(printed)
    if len(table.columns) > 50:
        click.echo(f"and {len(table.columns) - 50} more columns")


def _print_written_numbers(table: Table, found: Mapping[str, Any]) -> None:
    """Name the dropped columns such as ``3 kg`` or ``1,234``, which plain numbers would save."""
    for column in table.columns:
        if column.name not in found["drop"] or column.numbers is not None:
            continue
        if column.kind == "texts" and all(map(_WRITTEN_NUMBER.fullmatch, column.classes)):
            text = f"column {column.name!r} has numbers written like {column.classes[0]!r}; "
            click.echo(printable(f"{text}without units and separators they would be used"))


def _described(column: Column) -> tuple[str, str]:
    """An example of a column's cells, and what it holds."""
    import numpy as np

    missing = int(column.missing.sum())
    more = f", {missing} missing" if missing else ""
    if column.numbers is None:
        classes = column.classes
        return (classes or [""])[0][:30], f"{column.kind}, {len(classes)} different{more}"
    present = column.numbers[~np.isnan(column.numbers)]
    if not present.size:
        return "", "all missing"
    low, high = present.min(), present.max()
    extent = f"all {low:g}" if low == high else f"{low:g} to {high:g}"
    counts = " (counts the rows)" if column.kind == "counter" else ""
    return f"{present[0]:g}", f"numbers, {extent}{counts}{more}"


def _use(column: Column, found: Mapping[str, Any]) -> str:
    if column.name == found["names"]:
        return "names"
    if column.name in found["labels"]:
        return f"labels, level {list(found['labels']).index(column.name) + 1}"
    return "dropped" if column.name in found["drop"] else "vectors"


def _summary(problem: Any) -> list[str]:
    """What a file would be used as."""
    lines = []
    if problem.vectors is not None:
        n, p = problem.vectors.shape
        lines.append(f"{n} items with {p} number{'s' * (p != 1)} each")
    if problem.similarity is not None:
        lines.append(f"similarities of {problem.n} items")
    if problem.comparisons is not None:
        lines.append(f"{len(problem.comparisons)} comparisons of {problem.n} items")
    if not lines:
        lines.append(f"{problem.n} items with nothing but names and labels")
    for name, tree in problem.truths.items():
        lines.append(f"truth {name!r}: a tree with {tree.n_nodes - tree.n} clusters")
    if not problem.truths:
        lines.append("no truth: only metrics without one apply")
    return lines


def _print_command(written: str, params: Mapping[str, Any]) -> None:
    from hcbench_datasets.content import with_params

    if params.get("texts"):
        click.echo(f'\nhcbench ask "{written.partition("[")[0]}" --column "{params["names"]}"')
        return
    name = with_params(written, {**params, "path": None})
    click.echo(f'\nhcbench compare --algos UPGMA,Ward --datasets "{name}" -r 1')


@click.command()
@click.argument("name", type=click.Choice(["plants"]))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default=".",
    help="The folder for the files; by default the current one.",
)
def example(name: str, output: Path) -> None:
    """Write a small data set to try hcbench with.

    plants: 26 plants with five typical measures, their families, and their tree.
    """
    from hcbench import DataError

    files = {output / path.name: path.read_bytes() for path in sorted(_EXAMPLES.glob(f"{name}.*"))}
    try:
        for path, content in files.items():
            if path.exists() and path.read_bytes() != content:
                raise DataError(f"{path} exists; rename it, or write elsewhere with --output")
        output.mkdir(parents=True, exist_ok=True)
        for path, content in files.items():
            path.write_bytes(content)
            click.echo(f"wrote {path}")
    except OSError as error:
        raise DataError.of_file("write", output, error) from error
    click.echo(f"next: hcbench inspect {output / name}.csv")
