"""Tables of results on a terminal or in a pipe.

Numbers are never truncated: columns that do not fit the width continue in a second part below,
with the names repeated.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click
from rich import box
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from hcbench.cli.terminal import console, tell_notes, write_lines
from hcbench.model.text import printable

if TYPE_CHECKING:
    from hcbench.analysis.tables import Block
    from hcbench.results.results import Results

GAP = 2
_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
MOST_TABLES = 12  # of data sets; of more there is one for each metric
_NARROW = 10  # headers are folded to no less
_BREAKS = re.compile(r"( +)|(?<=-)(?=\w)|(?=\[)|(?<=[=,])")  # where headers may be folded
_BETWEEN = re.compile(r"(?<=[\[,])(?=.)")  # the parameters in a name


def write_results(results: Results, form: str) -> None:
    """Write results to stdout, as table, json, csv, markdown or latex."""
    if form == "table":
        from hcbench.results.overviews import describe_numbers, make_tables

        write_blocks(make_tables(results, MOST_TABLES))
        out = console()
        for line in describe_numbers(results, "bold" if out.is_terminal else "*"):
            click.echo(printable(textwrap.fill(line, out.width, break_on_hyphens=False)))
        if len(results.datasets) > MOST_TABLES:
            click.echo(
                f"{len(results.datasets)} data sets; for their own tables, with costs: "
                "hcbench results show --dataset PART"
            )
        return
    write_text(getattr(results, f"to_{form}")())
    if form == "csv":
        # Of a CSV file on stdout there is no second file; ranks and verdicts are not in it.
        tell_notes(note for note in results.notes if note.kind not in ("rank", "claim"))


def write_text(text: str) -> None:
    """Write text to stdout; on a terminal without control characters."""
    click.echo(printable(text) if console().is_terminal else text, nl=False)


def write_blocks(blocks: Sequence[Block]) -> None:
    """Write tables to stdout, with a blank line after each."""
    out = console()
    for block in blocks:
        drawing = _Drawing(block, width=out.width, star="" if out.is_terminal else "*")
        write_lines(
            Text(printable(block.title), style="bold"), *drawing.parts(), *drawing.notes(), Text()
        )


class _Drawing:
    """A table that is drawn for a given width.

    Parameters
    ----------
    block : Block
    width : int
        Of the terminal.
    star : str
        Mark of the best where bold is not visible.
    """

    def __init__(self, block: Block, *, width: int, star: str) -> None:
        self.block = block
        self.width = width
        self.star = star
        self.numbered = any(entry.marks for row in block.rows for entry in row)
        self.columns = [self._column(number) for number in range(len(block.header))]
        self.headers = [self._header(number) for number in range(len(block.header))]

    def parts(self) -> Iterator[Table]:
        """Tables with as many columns as fit, each with the names of the rows that it has."""
        for number, columns in enumerate(self._split()):
            if number:
                yield Table()  # nothing but a blank line
            yield self._table(columns)

    def notes(self) -> Iterator[Text]:
        """The footnotes of the marks."""
        for number, note in enumerate(self.block.notes, start=1):
            mark = f"{str(number).translate(_SUPERSCRIPT)} " if self.numbered else ""
            yield Text(f"{mark}{printable(note)}", overflow="fold")

    def _split(self) -> Iterator[list[int]]:
        """Columns in parts that are no wider than the terminal, unless a single column is."""
        numeric = self.block.numeric
        widths = [
            max(map(cell_len, [*header.split("\n"), *(text.plain for text in column)]))
            for header, column in zip(self.headers, self.columns, strict=True)
        ]
        texts = next((i for i, number in enumerate(numeric) if number), len(numeric))
        names = self.block.names or texts
        if not all(numeric[names:]):  # texts between the numbers fold instead
            yield list(range(len(widths)))
            return
        texts = sum(widths[i] + GAP for i in range(names) if not numeric[i])
        taken = min(texts, self.width // 2)  # wider ones fold
        taken += sum(widths[i] + GAP for i in range(names) if numeric[i])
        part, used = list(range(names)), taken
        for column in range(names, len(widths)):
            if used + widths[column] > self.width and len(part) > names:
                yield part
                part, used = list(range(names)), taken
            part.append(column)
            used += widths[column] + GAP
        yield part

    def _column(self, number: int) -> list[Text]:
        """The entries of a column, with room for stars and marks behind numbers."""
        entries = [row[number] for row in self.block.rows]
        numeric = self.block.numeric[number]
        share = self.width // (1 + self.block.numeric.count(False))
        texts = [printable(entry.text) for entry in entries]
        texts = [text if " " in text else _fold(text, share, _BETWEEN) for text in texts]
        behind = [
            (self.star if numeric and entry.bold else "")
            + ",".join(str(mark).translate(_SUPERSCRIPT) for mark in entry.marks)
            for entry in entries
        ]
        room = max(map(cell_len, behind), default=0) if numeric else 0
        styles = ["bold" if entry.bold else "dim" if entry.faint else "" for entry in entries]
        return [
            Text(text + mark + " " * (room - cell_len(mark)), style)
            for text, mark, style in zip(texts, behind, styles, strict=True)
        ]

    def _header(self, number: int) -> str:
        """The header; that of numbers is wrapped to the width of the numbers below it."""
        text = printable(self.block.header[number])
        if not self.block.numeric[number]:
            return text
        below = max((cell_len(entry.plain) for entry in self.columns[number]), default=0)
        arrow_stays = re.sub(" (?=[↑↓])", "\N{NO-BREAK SPACE}", text)
        return _fold(arrow_stays, max(below, _NARROW), _BREAKS).replace("\N{NO-BREAK SPACE}", " ")

    def _table(self, columns: Sequence[int]) -> Table:
        # One blank is the box's own.
        table = Table(
            box=box.SIMPLE_HEAD,
            show_edge=False,
            pad_edge=False,
            padding=(0, GAP - 1, 0, 0),
            header_style="",
        )
        lines = max(self.headers[column].count("\n") for column in columns)
        for column in columns:
            numeric, header = self.block.numeric[column], self.headers[column]
            table.add_column(
                Text("\n" * (lines - header.count("\n")) + header),
                justify="right" if numeric else "left",
                no_wrap=numeric,
                overflow="fold",
            )
        is_first = columns[-1] < len(columns)
        numbers = [column for column in columns if self.block.numeric[column]]
        for entries, *texts in zip(self.block.rows, *self.columns, strict=True):
            if is_first or any(entries[column].text != "-" for column in numbers):
                table.add_row(*(texts[column] for column in columns))
        return table


def _fold(text: str, width: int, breaks: re.Pattern[str]) -> str:
    """A text in lines of this width, if it can be broken so."""
    wrapper = textwrap.TextWrapper(width, break_long_words=False)
    wrapper.wordsep_re = breaks
    return wrapper.fill(text)
