"""Output: data to stdout, everything else to stderr, styles only on a terminal."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from typing import TYPE_CHECKING, Any

import click

from hcbench.model.text import printable

if TYPE_CHECKING:
    from rich.console import Console, JustifyMethod

    from hcbench.analysis.notes import Note


#: Columns of the narrowest terminal for which tables are made; a narrower one breaks the lines.
_NARROWEST = 20
#: The length of the longest path on Linux.
_LONGEST_WORD = 4096


def console(*, stderr: bool = False) -> Console:
    """A rich console that takes text as it is: brackets in names are no markup.

    Examples
    --------
    >>> console().print("[a] is a name")
    [a] is a name
    """
    from rich.console import Console

    out = Console(stderr=stderr, highlight=False, markup=False, emoji=False)

    if out.width < _NARROWEST:
        out.width = _NARROWEST
    return out


def tell(text: str) -> None:
    """One line to stderr; of a word that is longer than any path, the beginning.

    Examples
    --------
    >>> import contextlib, sys
    >>> with contextlib.redirect_stderr(sys.stdout):
    ...     tell("installing main (6b82703)")
    hcbench: installing main (6b82703)
    """
    # Messages of libraries have line breaks; here one line is one message.
    words = []
    for word in text.split():
        if len(word) > _LONGEST_WORD:
            word = f"{word[:40]}..."
        words.append(word)
    line = f"hcbench: {printable(' '.join(words))}"
    try:
        click.echo(line, err=True)
    except OSError:
        # The terminal was closed, or nobody reads the pipe: what is done goes on, and is stored.
        _write_errors_nowhere()


def _write_errors_nowhere() -> None:
    """Have stderr lead nowhere, also what is still buffered, which would fail again at the end."""
    with suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stderr.fileno())
        os.close(nowhere)


def tell_notes(notes: Iterable[Note]) -> None:
    """Notes to stderr, where the form of the data on stdout has no place for them."""
    for note in notes:
        text = note.text
        # Without a table, a note is on all of them.
        if note.table:
            text = f"{note.table}: {text}"
        tell(f"note: {text}")


def write_json(value: Any) -> None:
    """One strict JSON object to stdout.

    Examples
    --------
    >>> write_json({"data set": "iris", "items": 150})
    {
      "data set": "iris",
      "items": 150
    }
    """
    click.echo(json.dumps(value, indent=2, allow_nan=False, ensure_ascii=False))


def write_table(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    right: Sequence[str] = (),
    unwrapped: Sequence[str] = (),
) -> None:
    """Write a table to stdout and wrap its long texts.

    Parameters
    ----------
    header : sequence of str
    rows : iterable of sequence of str
    right : sequence of str
        Columns of numbers, aligned to the right.
    unwrapped : sequence of str
        Columns that are never wrapped.

    Examples
    --------
    >>> write_table(["data set", "items"], [["iris", "150"], ["moons", "60"]], right=["items"])
    data set  items
    iris        150
    moons        60
    """
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for name in header:
        is_number = name in right
        alignment: JustifyMethod = "left"
        if is_number:
            alignment = "right"
        # A number that is broken into lines would be read as several.
        stays_in_one_line = is_number or name in unwrapped
        table.add_column(
            Text(printable(name)),
            justify=alignment,
            overflow="fold",
            no_wrap=stays_in_one_line,
        )
    for row in rows:
        cells = [Text(printable(cell)) for cell in row]
        table.add_row(*cells)
    write_lines(table)


def write_lines(*renderables: Any) -> None:
    """Write to stdout without trailing blanks."""
    out = console()
    with out.capture() as capture:
        for renderable in renderables:
            out.print(renderable)
    lines = [line.rstrip() for line in capture.get().splitlines()]
    # On a terminal the styles stay; elsewhere click decides, and removes them.
    click.echo("\n".join(lines), color=out.is_terminal or None)


@contextmanager
def stdout_for_data() -> Iterator[None]:
    """Redirect what plugins print to stderr, as stdout is for data, and `tell_warnings`.

    Examples
    --------
    >>> from hcbench.commands import write_json
    >>> with stdout_for_data():
    ...     print("reading 150 rows")  # as a data set may do
    >>> write_json({"items": 150})
    {
      "items": 150
    }
    """
    with redirect_stdout(sys.stderr), tell_warnings():
        yield


@contextmanager
def tell_warnings() -> Iterator[None]:
    """Write each different warning of a block in one line when the block ends."""
    recorded: list[warnings.WarningMessage] = []
    try:
        with warnings.catch_warnings(record=True) as recorded:
            yield
    finally:
        # A dictionary has each text once, and keeps their order.
        texts: dict[str, None] = {}
        for warning in recorded:
            texts[str(warning.message)] = None
        for text in texts:
            tell(f"warning: {text}")
