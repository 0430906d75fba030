"""The commands ``hcbench inspect`` and ``hcbench example``: what a file holds, and a sample.

What reads files is imported when a command runs, as it takes long.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from errno import ENOENT
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from hcbench.model import printable, shell_command

if TYPE_CHECKING:
    from hcbench_datasets.advice import Advice

_EXAMPLES = Path(__file__).with_name("example")
_MOST_CANDIDATES = 5  # for the truth, each with its command
_SHOWN_KEYS = 3


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
    target = Path(name.base).expanduser()
    registry = load_registry()
    if not target.exists():
        _refuse_missing_file(name.base, {entry.spec.name for entry in registry.datasets.entries})
    # 10x Genomics writes a folder with a matrix and its names.
    if target.is_dir():
        _refuse_folder(target)
    written = name.base
    # A name without a folder would be that of a data set.
    if "/" not in written:
        written = f"./{written}"
    # This checks the parameters, and adds the defaults.
    (use,) = registry.use_datasets(format_name(written, name.params))
    with tell_if_slow(f"reading {name.base}"):
        from hcbench_datasets.advice import advise
        from hcbench_datasets.summary import summary_lines

        advice = advise(target, dict(use.params))
        summary = summary_lines(use, advice.params, advice.file_table)
    for line in advice.lines + summary:
        click.echo(printable(line))
    _print_commands(written, advice)


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


def _print_commands(path: str, advice: Advice) -> None:
    """Print the command to go on with, or one for each answer to what has to be asked."""
    from hcbench_datasets.summary import next_command

    if advice.guess is not None and advice.guess.candidates:
        _print_question(path, advice)
    elif advice.has_two_ways:
        _print_two_ways(path, advice)
    else:
        click.echo()
    click.echo(next_command(path, advice.params))


def _print_question(path: str, advice: Advice) -> None:
    """Ask which column is the truth, with a command for each answer; that for none comes last."""
    from hcbench_datasets.file_names import set_params
    from hcbench_datasets.summary import next_command

    table = advice.table
    guess = advice.guess
    assert table is not None
    assert guess is not None
    candidates = guess.candidates[:_MOST_CANDIDATES]
    listed = " or ".join(" with ".join(labels) for labels in candidates)
    if len(guess.candidates) > _MOST_CANDIDATES:
        listed += ", ..."
    click.echo(printable(f"\nwhich is the truth? candidates: {listed}, or none of them"))
    for labels in candidates:
        with_truth = guess.params_with_truth(table, labels)
        params = set_params(with_truth)
        # Parameters such as decimal, of which the guess knows nothing, follow.
        for name, value in advice.params.items():
            if name not in with_truth:
                params[name] = value
        omitted = _about_omitted_rows(guess.rows_without(table, labels))
        click.echo(printable(f"\nif {' with '.join(labels)} is the truth{omitted}:"))
        click.echo(next_command(path, params))
    click.echo("\nif none of them is:")


def _about_omitted_rows(n: int) -> str:
    """What becomes of the rows in which a label is missing; "" if there are none."""
    if not n:
        return ""
    rows = f"{n} rows"
    if n == 1:
        rows = "1 row"
    return f" ({rows} without it and all with missing numbers are omitted: missing=drop)"


def _print_two_ways(path: str, advice: Advice) -> None:
    """Ask whether the outer keys of JSON are the items; the command for its rows comes last."""
    from hcbench_datasets.summary import next_command

    table = advice.table
    assert table is not None
    keys = [name for name in table.names if name != table.row_names]
    listed = ", ".join(keys[:_SHOWN_KEYS])
    question = f"which are the items? the outer keys ({listed}, ...), or what is below"
    click.echo(f"\n{printable(question)}")
    click.echo("\nif the outer keys are:")
    click.echo(next_command(path, {**advice.params, "transpose": True}))
    click.echo("\nif what is below is:")


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
        # Nothing is written if one of the files has another content already.
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
