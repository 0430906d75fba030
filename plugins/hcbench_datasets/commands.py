"""The commands ``hcbench inspect`` and ``hcbench example``: what a file holds, and a sample."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from errno import ENOENT
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hcbench.model import number_text, printable, shell_command

if TYPE_CHECKING:
    from hcbench_datasets.content import Column, Roles, Table

_EXAMPLES = Path(__file__).with_name("example")
_SHOWN = 20  # columns of a table; of the others only those that are no vectors
_UNEQUAL = 10  # the ratio of standard deviations from which standardising is suggested


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
    from hcbench import DataError, load_registry
    from hcbench.registry import format_name, parse_name
    from hcbench_datasets.file import (
        is_table,
        kind_of_array,
        kind_of_table,
        looks_like_comparisons,
        other_columns,
        roles_of,
        table_of,
    )
    from hcbench_datasets.roles import guess_with_reasons

    if Path(file).expanduser().exists():
        name = parse_name(format_name(file, {}))  # its own name may have brackets
    else:
        name = parse_name(file)
    path = name.base
    written = path if "/" in path else f"./{path}"
    target = Path(path).expanduser()
    registry = load_registry()
    if not target.exists():
        if path in {entry.spec.name for entry in registry.datasets.entries}:
            command = shell_command("hcbench", "info", path)
            raise click.UsageError(f"{path} is a data set and no file; see {command}")
        missing = FileNotFoundError(ENOENT, os.strerror(ENOENT))
        raise DataError.of_file("read", path, missing)
    (use,) = registry.use_datasets(format_name(written, name.params))
    given = dict(use.params)
    changed = {name: value for name, value in given.items() if value not in (None, (), False)}
    notes: list[str] = []
    if given["comparisons"]:
        pass
    elif is_table(target):
        table, roles = table_of(target, given, roles_of(given))
        kind = kind_of_table(table, roles, given)
        if kind is not None:
            changed[kind] = True
            _print_form(table)
        elif looks_like_comparisons(table, roles, given):
            changed["comparisons"] = True
            others = other_columns(table, roles)
            changed["drop"] = tuple(others)
            _print_form(table)
            if others:
                notes.append(f"not used beside comparisons: {', '.join(others)}")
        else:
            found, reasons = guess_with_reasons(table, roles, given)
            _print_columns(table, found)
            changed |= {name: value for name, value in found.items() if value}
            notes = [
                *_reasons_of_roles(table, roles, found, reasons),
                *_notes(table, roles, found, written, changed),
            ]
    else:
        kind = kind_of_array(target, given)
        if kind is not None:
            changed[kind] = True
    problem = use.spec.load()(0, **{**given, **changed})
    for line in [*notes, *_summary(problem, bool(changed.get("distance")))]:
        click.echo(printable(line))
    _print_command(written, changed)


def _print_form(table: Table) -> None:
    click.echo(f"{table.where}: {len(table.lines)} rows, {table.format or 'read with pandas'}")


def _print_columns(table: Table, found: Mapping[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table as Printed
    from rich.text import Text

    _print_form(table)
    printed = Printed(box=None, pad_edge=False)
    for head in ("column", "content", "example", "use"):
        printed.add_column(head)
    left_out = 0
    for position, column in enumerate(table.columns):
        use = _use(column, found)
        if position >= _SHOWN and use == "vectors":
            left_out += 1
            continue
        example, content = _described(column)
        printed.add_row(*(Text(printable(cell)) for cell in (column.name, content, example, use)))
    Console().print(printed)
    if left_out:
        click.echo(f"and {left_out} more columns of vectors")


def _reasons_of_roles(
    table: Table, roles: Roles, found: Mapping[str, Any], reasons: Mapping[str, str]
) -> Iterator[str]:
    """Why columns are not used, and why numbers are the truth, with the ways to change that."""
    from hcbench_datasets.columns import suspicions_of

    suspicions = suspicions_of(table)
    for name, reason in reasons.items():
        column = table.column(name)
        suspicion = suspicions.get(name)
        ways = []
        if suspicion is not None and reason.startswith(suspicion.reason):
            cells = list(column.cells)
            if suspicion.form == "identifier" and len(set(cells)) == len(cells):
                ways.append(f"names={name} names the items by it")
            ways.append(f"numbers=[{name}] uses it as a number")
            if suspicion.form == "class":
                ways.insert(0, f"labels=[{name}],missing=drop uses the rows that have one")
        yield "; ".join([f"{reason} and is not used", *ways])
    for name in found["labels"]:
        column = table.column(name)
        suspicion = None if name in roles.labels else suspicions.get(name)
        if suspicion is not None:
            yield (
                f"{suspicion.reason} and is taken as the truth; drop=[{name}] omits it, "
                f"numbers=[{name}] uses it as a number"
            )


def _notes(
    table: Table, roles: Roles, found: Mapping[str, Any], written: str, params: Mapping[str, Any]
) -> Iterator[str]:
    """What a user may want to change about the columns that are used or dropped by a guess."""
    import numpy as np

    from hcbench_datasets.content import pasted_name
    from hcbench_datasets.roles import has_classes

    dropped = [
        column for column in table.columns if column.name in {*found["drop"]} - {*roles.drop}
    ]
    for column in dropped:
        if column.numbers is None and column.kind == "numbers with units":
            text = f"column {column.name!r} has numbers written like {column.classes[0]!r}; "
            yield f"{text}without units and separators they would be used"
    names = next((column for column in table.columns if column.numbers is None), None)
    if names in dropped and names.kind == "texts" and len(names.classes) > 0.8 * len(names.cells):
        twice = next((text for text in names.classes if names.cells.count(text) > 1), "")
        yield f"column {names.name!r} would name the items, but {twice!r} is there twice"
    if classes := [column.name for column in dropped if column.texts and has_classes(column)]:
        drop = [name for name in found["drop"] if name not in classes]
        name = pasted_name(written, {**params, "path": None, "drop": drop, "categorical": "onehot"})
        yield f"to use {', '.join(classes)} as 0/1 columns: {name}"
    constants = _constants(table, found)
    if constants:
        listed = ", ".join(constants[:_SHOWN]) + (", ..." if len(constants) > _SHOWN else "")
        noun = "column" if len(constants) == 1 else "columns"
        yield f"the same in all rows, and without effect on distances: {noun} {listed}"
    spread = sorted(
        (float(np.nanstd(column.numbers)), column.name)
        for column in table.columns
        if column.numbers is not None and _use(column, found) == "vectors"
    )
    spread = [(size, name) for size, name in spread if size > 0 and name not in constants]
    if spread and spread[-1][0] > _UNEQUAL * spread[0][0] and not params.get("standardise"):
        ratio = spread[-1][0] / spread[0][0]
        yield (
            f"column {spread[-1][1]!r} varies {ratio:,.0f} times as much as {spread[0][1]!r}; "
            "standardise=true gives all columns the same weight"
        )


def _constants(table: Table, found: Mapping[str, Any]) -> list[str]:
    """The columns of vectors that have one number only."""
    from hcbench_datasets.columns import suspicions_of

    constants = []
    suspicions = suspicions_of(table)
    for column in table.columns:
        suspicion = suspicions.get(column.name)
        is_constant = suspicion is not None and suspicion.form == "constant"
        if is_constant and _use(column, found) == "vectors":
            constants.append(column.name)
    return constants


def _described(column: Column) -> tuple[str, str]:
    """An example of a column's cells, and what it holds."""
    import numpy as np

    missing = int(column.missing.sum())
    more = f", {missing} missing" if missing else ""
    if column.numbers is None:
        classes = column.classes
        example = next((text for text in column.cells if text in classes), "")
        return example[:30], f"{column.kind}, {len(classes)} different{more}"
    present = column.numbers[~np.isnan(column.numbers)]
    if not present.size:
        return "", "all missing"
    low, high = present.min(), present.max()
    extent = f"all {_short(low)}" if low == high else f"{_short(low)} to {_short(high)}"
    counts = " (counts the rows)" if column.kind == "counter" else ""
    return _short(present[0]), f"numbers, {extent}{counts}{more}"


def _short(number: float) -> str:
    """A whole number with all digits, which may be an identifier, another with six."""
    import numpy as np

    return number_text(number) if number == np.floor(number) else f"{number:.6g}"


def _use(column: Column, found: Mapping[str, Any]) -> str:
    if column.name == found["names"]:
        return "names"
    if column.name in found["labels"]:
        return f"labels, level {list(found['labels']).index(column.name) + 1}"
    if column.name in found["drop"]:
        return "dropped"
    return "vectors" if column.numbers is not None else "0/1 columns"


def _summary(problem: Any, are_distances: bool) -> list[str]:
    """What a file would be used as."""
    lines = []
    if problem.vectors is not None:
        n, p = problem.vectors.shape
        lines.append(f"{n} items with {p} number{'s' * (p != 1)} each")
    if problem.similarity is not None:
        what = "distances" if are_distances else "similarities"
        lines.append(f"{what} of {problem.n} items")
    if problem.comparisons is not None:
        lines.append(f"{len(problem.comparisons)} comparisons of {problem.n} items")
    if not lines:
        lines.append(f"{problem.n} items with nothing but names and labels")
    for name, tree in problem.truths.items():
        lines.append(f"truth {name!r}: a tree with {tree.n_nodes - tree.n} clusters")
    if not problem.truths:
        lines.append("no truth: only metrics without one apply")
    return lines


def _print_command(path: str, params: Mapping[str, Any]) -> None:
    from hcbench_datasets.content import with_params

    if params.get("texts"):
        command = shell_command("hcbench", "ask", path, "--column", params["names"])
        click.echo(f"\n{command}")
        return
    if params.get("comparisons") and not params.get("truth"):
        # Without a truth, answers that are held out tell which tree is better.
        params = {"held_out": 0.2, **params}
    name = with_params(path, {**params, "path": None})
    algorithms = "UPGMA,Ward"
    if params.get("comparisons"):
        algorithms = "4-AL,tSTE-AL"
    elif params.get("similarity") or params.get("distance"):
        algorithms = "UPGMA,Complete"  # Ward needs vectors
    words = ["compare", "--algos", algorithms, "--datasets", name, "-r", "1"]
    if params.get("held_out"):
        words += ["--metrics", "held-out"]
    click.echo(f"\n{shell_command('hcbench', *words)}")


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
    command = shell_command("hcbench", "inspect", f"{output / name}.csv")
    click.echo(f"next: {command}")
