"""The commands ``hcbench inspect`` and ``hcbench example``: what a file holds, and a sample."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from errno import ENOENT
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from hcbench.model import number_text, printable, shell_command

if TYPE_CHECKING:
    from hcbench_datasets.content import Column, Roles, Table
    from hcbench_datasets.guessing import Guess

_EXAMPLES = Path(__file__).with_name("example")
_SHOWN = 20  # columns of a table; of the others only those that are no vectors
_NO_TRUTH = "no truth: only metrics without one apply"
_MOST_CANDIDATES = 5  # for the truth, each with its command
_SHOWN_KEYS = 3
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
    from hcbench import load_registry
    from hcbench.files import tell_if_slow
    from hcbench.registry import format_name, parse_name

    if Path(file).expanduser().exists():
        name = parse_name(format_name(file, {}))  # its own name may have brackets
    else:
        name = parse_name(file)
    path = name.base
    written = path if "/" in path else f"./{path}"
    target = Path(path).expanduser()
    registry = load_registry()
    if not target.exists():
        _refuse_missing_file(path, {entry.spec.name for entry in registry.datasets.entries})
    if target.is_dir():
        _refuse_folder(target)
    (use,) = registry.use_datasets(format_name(written, name.params))
    with tell_if_slow(f"reading {path}"):
        advice = _advise(target, dict(use.params))
        summary = _summary(use, advice.params)
    for line in advice.lines + summary:
        click.echo(printable(line))
    if advice.guess is not None and advice.table is not None and advice.guess.candidates:
        _print_question(written, advice.table, advice.guess, advice.params)
    elif advice.has_two_ways and advice.table is not None:
        _print_two_ways(written, advice.table, advice.params)
    else:
        click.echo()
    click.echo(_command(written, advice.params))


def _refuse_missing_file(path: str, datasets: Collection[str]) -> NoReturn:
    """Raise the error for a file that does not exist, which may be the name of a data set."""
    from hcbench import DataError

    if path in datasets:
        command = shell_command("hcbench", "info", path)
        raise click.UsageError(f"{path} is a data set and no file; see {command}")
    missing = FileNotFoundError(ENOENT, os.strerror(ENOENT))
    raise DataError.of_file("read", path, missing)


def _refuse_folder(path: Path) -> NoReturn:
    """Raise the error for a folder, which may be one of 10x Genomics."""
    from hcbench import DataError

    matrices = sorted(path.glob("*.mtx*"))
    if matrices:
        command = shell_command("hcbench", "inspect", str(matrices[0]))
        raise DataError(f"{path} is a folder; of its matrix write {command}")
    raise DataError(f"{path} is a folder; give one of the files in it")


@dataclass(slots=True)
class _Advice:
    """With which parameters a file is to be read, and what is to be said about it.

    Attributes
    ----------
    params : dict of str to value
        Those given and those found.
    lines : list of str
    table, guess : optional
        Of a table whose columns have been guessed.
    has_two_ways : bool
        Whether the columns may be the items as well as the rows.
    """

    params: dict[str, Any]
    lines: list[str] = field(default_factory=list)
    table: Table | None = None
    guess: Guess | None = None
    has_two_ways: bool = False


def _advise(target: Path, given: dict[str, Any]) -> _Advice:
    """Find out how a file is to be read, and show its columns if it is a table."""
    from hcbench_datasets.content import set_params
    from hcbench_datasets.reading import is_cells, is_table, kind_of_array

    advice = _Advice(set_params(given))
    if given["comparisons"]:
        return advice
    if is_table(target):
        _advise_on_table(target, given, advice)
        return advice
    if is_cells(target):
        _advise_on_cells(target, given, advice)
        return advice
    kind = kind_of_array(target, given)
    if kind is not None:
        advice.params[kind] = True
    return advice


def _advise_on_table(target: Path, given: dict[str, Any], advice: _Advice) -> None:
    """Add what a table is: a matrix, comparisons, or columns with roles."""
    from hcbench_datasets.doubtful_rows import check_no_footer, check_not_long
    from hcbench_datasets.guessing import guess
    from hcbench_datasets.reading import (
        check_no_comparisons,
        kind_of_table,
        looks_like_comparisons,
        other_columns,
        roles_of,
        table_of,
    )

    table, roles = table_of(target, given, roles_of(given))
    kind = kind_of_table(table, roles, given)
    if kind is not None:
        advice.params[kind] = True
        _print_form(table)
        return
    if looks_like_comparisons(table, roles, given):
        unused = other_columns(table, roles)
        advice.params["comparisons"] = True
        advice.params["drop"] = tuple(unused)
        _print_form(table)
        if unused:
            advice.lines.append(f"not used beside comparisons: {', '.join(unused)}")
        return
    check_no_comparisons(table, roles, given)
    check_no_footer(table)
    if not roles.named:
        check_not_long(table)
    guessed = guess(table, roles, given)
    found = guessed.params()
    _print_columns(table, found, guessed)
    for name, value in found.items():
        if value:
            advice.params[name] = value
    advice.table = table
    advice.guess = guessed
    are_numbers = all(column.numbers is not None for column in table.columns[1:])
    advice.has_two_ways = table.is_by_column and are_numbers and not given["transpose"]
    advice.lines += _reasons_of_drop(table, guessed)
    advice.lines += guessed.remarks
    advice.lines += _notes(table, roles, guessed, str(given["path"]), advice.params)


def _advise_on_cells(target: Path, given: dict[str, Any], advice: _Advice) -> None:
    """Add what a file of anndata has; which column of obs is the truth is asked."""
    from hcbench_datasets.cells import look_at_cells
    from hcbench_datasets.guessing import Guess, candidates_of

    cells = look_at_cells(target)
    table = cells.cells
    click.echo(f"{target}: {len(table.lines)} cells, layers {', '.join(cells.layers)}")
    if given["labels"]:
        return
    columns = [column for column in table.columns if column.name != table.row_names]
    guessed = Guess(names=None, labels=[], drop=[])
    guessed.candidates = candidates_of(columns)
    others = []
    for column in columns:
        if [column.name] not in guessed.candidates:
            others.append(column.name)
    if others:
        advice.lines.append(f"columns of obs that are no classes: {', '.join(others)}")
    advice.table = table
    advice.guess = guessed


def _print_question(path: str, table: Table, guessed: Guess, changed: Mapping[str, Any]) -> None:
    """Ask which column is the truth, with a command for each answer; that for none comes last."""
    listed = " or ".join(" with ".join(labels) for labels in guessed.candidates[:_MOST_CANDIDATES])
    more = ", ..." if len(guessed.candidates) > _MOST_CANDIDATES else ""
    click.echo(printable(f"\nwhich is the truth? candidates: {listed}{more}, or none of them"))
    for labels in guessed.candidates[:_MOST_CANDIDATES]:
        with_truth = guessed.params_with_truth(table, labels)
        params = {name: value for name, value in with_truth.items() if value}
        # Parameters such as decimal, of which the guess knows nothing, follow.
        for name, value in changed.items():
            if name not in with_truth:
                params[name] = value
        omitted = ""
        n_without = guessed.rows_without(table, labels)
        if n_without:
            rows = "1 row" if n_without == 1 else f"{n_without} rows"
            omitted = f" ({rows} without it and all with missing numbers are omitted: missing=drop)"
        click.echo(printable(f"\nif {' with '.join(labels)} is the truth{omitted}:"))
        click.echo(_command(path, params))
    click.echo("\nif none of them is:")


def _print_two_ways(path: str, table: Table, params: Mapping[str, Any]) -> None:
    """Ask whether the outer keys of JSON are the items; the command for its rows comes last."""
    keys = [name for name in table.names if name != table.row_names]
    listed = ", ".join(keys[:_SHOWN_KEYS])
    question = f"which are the items? the outer keys ({listed}, ...), or what is below"
    click.echo(f"\n{printable(question)}")
    click.echo("\nif the outer keys are:")
    click.echo(_command(path, {**params, "transpose": True}))
    click.echo("\nif what is below is:")


def _print_form(table: Table) -> None:
    click.echo(f"{table.where}: {len(table.lines)} rows, {table.format or 'read with pandas'}")


def _print_columns(table: Table, found: Mapping[str, Any], guessed: Guess) -> None:
    from rich.console import Console
    from rich.table import Table as Printed
    from rich.text import Text

    _print_form(table)
    printed = Printed(box=None, pad_edge=False)
    for head in ("column", "content", "example", "use"):
        printed.add_column(head)
    left_out = 0
    for position, column in enumerate(table.columns):
        use = _use(column, found, guessed)
        if position >= _SHOWN and use == "vectors":
            left_out += 1
            continue
        example, content = _described(column)
        printed.add_row(*(Text(printable(cell)) for cell in (column.name, content, example, use)))
    Console().print(printed)
    if left_out:
        click.echo(f"and {left_out} more columns of vectors")


def _reasons_of_drop(table: Table, guessed: Guess) -> Iterator[str]:
    """Why columns are not used, each with what would use it."""
    from hcbench_datasets.columns import suspicions_of
    from hcbench_datasets.content import written_value

    suspicions = suspicions_of(table)
    for name, reason in guessed.reasons.items():
        column = table.column(name)
        suspicion = suspicions.get(name)
        ways = []
        if suspicion is not None and reason.startswith(suspicion.reason):
            cells = list(column.cells)
            if suspicion.form == "identifier" and len(set(cells)) == len(cells):
                ways.append(f"names={written_value(name)} names the items by it")
            ways.append(f"numbers={written_value([name])} uses it as a number")
        yield "; ".join([f"{reason} and is not used", *ways])


def _notes(
    table: Table, roles: Roles, guessed: Guess, written: str, params: Mapping[str, Any]
) -> Iterator[str]:
    """What a user may want to change about the columns that are used or dropped by a guess."""
    import numpy as np

    from hcbench_datasets.content import pasted_name
    from hcbench_datasets.guessing import has_classes

    found = guessed.params()
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
    yield from _notes_on_order(guessed, written, params)
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


def _notes_on_order(guessed: Guess, written: str, params: Mapping[str, Any]) -> Iterator[str]:
    """How columns of classes become numbers where the file has an order, as of codes in SPSS."""
    from hcbench_datasets.content import pasted_name
    from hcbench_datasets.reading import as_tuple

    found = guessed.params()
    orders = params.get("ordinal") or "{}"
    for offer in guessed.orders[:_MOST_CANDIDATES]:
        ordinal: Any
        if isinstance(orders, str) and orders.startswith("{"):
            parts = [orders.strip("{}"), offer.written]
            ordinal = f"{{{','.join(part for part in parts if part)}}}"
        else:
            # Columns in the order of the file, which is that of the offer as well.
            ordinal = as_tuple(orders) + offer.columns
        drop = [name for name in found["drop"] if name not in offer.columns]
        changed = {**params, "path": None, "drop": drop, "ordinal": ordinal}
        name = pasted_name(written, changed)
        listed = ", ".join(offer.columns)
        yield f"to use {listed} as 0, 1, 2, ... in the order {', '.join(offer.classes)}: {name}"


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


def _use(column: Column, found: Mapping[str, Any], guessed: Guess | None = None) -> str:
    if column.name == found["names"]:
        return "names"
    if column.name in found["labels"]:
        return f"labels, level {list(found['labels']).index(column.name) + 1}"
    if guessed is not None and any(column.name in labels for labels in guessed.candidates):
        return "the truth?"
    if column.name in found["drop"]:
        return "dropped"
    if guessed is not None and guessed.is_made_number(column):
        return "vectors"
    return "vectors" if column.numbers is not None else "0/1 columns"


def _summary(use: Any, advised: Mapping[str, Any]) -> list[str]:
    """What a file is used as, once it has been read with the advised parameters.

    Trees are not made for it: that takes longer than reading a small file.
    """
    from hcbench_datasets.reading import number_of_items, read_content

    params = {**use.params, **advised}
    if params["comparisons"]:
        problem = use.spec.load()(0, **params)
        lines = [f"{len(problem.comparisons)} comparisons of {problem.n} items"]
        lines += [f"truth: the tree in {params['truth']}"] if params["truth"] else [_NO_TRUTH]
        return lines
    content = read_content(params)
    lines = []
    if content.vectors is not None:
        n, p = content.vectors.shape
        lines.append(f"{n} items with {p} number{'s' * (p != 1)} each")
    if content.similarity is not None:
        what = "distances" if advised.get("distance") else "similarities"
        lines.append(f"{what} of {len(content.similarity)} items")
    if not lines:
        n = number_of_items(content, Path(str(params["path"])))
        lines.append(f"{n} items with nothing but names and labels")
    if content.levels is not None:
        lines.append(f"truth 'labels': {_count_classes(content.levels)}")
    if params["truth"]:
        lines.append(f"truth: the tree in {params['truth']}")
    if content.levels is None and not params["truth"]:
        lines.append(_NO_TRUTH)
    return lines


def _count_classes(levels: Any) -> str:
    """How many classes there are at each level, such as "2, then 7 classes"."""
    counts = []
    for column in range(levels.shape[1]):
        # A class belongs to its classes at the levels above.
        prefixes = {tuple(row) for row in levels[:, : column + 1].tolist()}
        counts.append(len(prefixes))
    return f"{', then '.join(str(count) for count in counts)} classes"


def _command(path: str, params: Mapping[str, Any]) -> str:
    """The command with which to go on with a file and these parameters."""
    from hcbench_datasets.content import with_params

    if params.get("texts"):
        return shell_command("hcbench", "ask", path, "--column", params["names"])
    if params.get("comparisons") and not params.get("truth"):
        # Without a truth, answers that are held out tell which tree is better.
        params = {**params, "held_out": 0.2}
    name = with_params(path, {**params, "path": None})
    algorithms = "UPGMA,Ward"
    if params.get("comparisons"):
        algorithms = "4-AL,tSTE-AL"
    elif params.get("similarity") or params.get("distance"):
        algorithms = "UPGMA,Complete"  # Ward needs vectors
    words = ["compare", "--algos", algorithms, "--datasets", name, "-r", "1"]
    if params.get("held_out"):
        words += ["--metrics", "held-out"]
    return shell_command("hcbench", *words)


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
