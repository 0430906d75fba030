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
    from rich.console import JustifyMethod

    from hcbench.analysis.tables import Block, TableEntry
    from hcbench.results.results import Results

#: Blanks between two columns.
GAP = 2
#: Numbers of footnotes, as they stand behind an entry.
_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
#: Tables of data sets; of more data sets there is one for each metric.
MOST_TABLES = 12
#: Headers are folded to no less.
_NARROW = 10
#: Where headers may be folded.
_BREAKS = re.compile(r"( +)|(?<=-)(?=\w)|(?=\[)|(?<=[=,])")
#: Between the parameters of a name.
_BETWEEN = re.compile(r"(?<=[\[,])(?=.)")


def write_results(results: Results, form: str) -> None:
    """Write results to stdout, as table, json, csv, markdown or latex.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [5.0], [6.0]])
    >>> results = hcbench.compare(
    ...     "UPGMA",
    ...     X,
    ...     metrics=["cophenetic-correlation"],
    ...     store=":memory:",
    ...     progress=False,
    ...     repetitions=1,
    ... )
    >>> write_results(results, "markdown")
    **data1**
    ...
    | UPGMA | 0.956 |
    ...
    """
    if form == "table":
        from hcbench.results.overviews import describe_numbers, make_tables

        write_blocks(make_tables(results, MOST_TABLES))
        out = console()
        mark_of_best = "*"
        if out.is_terminal:
            mark_of_best = "bold"
        for line in describe_numbers(results, mark_of_best):
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
        notes = []
        for note in results.notes:
            if note.kind not in ("rank", "claim"):
                notes.append(note)
        tell_notes(notes)


def write_text(text: str) -> None:
    r"""Write text to stdout; on a terminal without control characters.

    Examples
    --------
    >>> write_text("data set,items\niris,150\n")
    data set,items
    iris,150
    """
    if console().is_terminal:
        text = printable(text)
    click.echo(text, nl=False)


def write_blocks(blocks: Sequence[Block]) -> None:
    """Write tables to stdout, with a blank line after each.

    Examples
    --------
    >>> from hcbench.analysis import Block, TableEntry
    >>> header = ("benchmark", "ratio")
    >>> row = (TableEntry("algorithm_UPGMA"), TableEntry("0.5", bold=True))
    >>> write_blocks([Block("Better", header, numeric=(False, True), rows=(row,))])
    Better
    benchmark        ratio
    ──────────────────────
    algorithm_UPGMA   0.5*
    <BLANKLINE>
    """
    out = console()
    # On a terminal the best numbers are bold.
    star = "*"
    if out.is_terminal:
        star = ""
    for block in blocks:
        drawing = _Drawing(block, width=out.width, star=star)
        lines: list[Table | Text] = [Text(printable(block.title), style="bold")]
        lines.extend(drawing.parts())
        lines.extend(drawing.notes())
        lines.append(Text())
        write_lines(*lines)


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
        # Without marks, footnotes have no numbers.
        self.numbered = False
        for row in block.rows:
            for entry in row:
                if entry.marks:
                    self.numbered = True
        self.columns = []
        self.headers = []
        for number in range(len(block.header)):
            self.columns.append(self._column(number))
            self.headers.append(self._header(number))

    def parts(self) -> Iterator[Table]:
        """Tables with as many columns as fit, each with the names of the rows that it has."""
        for number, columns in enumerate(self._split()):
            if number:
                yield Table()  # nothing but a blank line
            yield self._table(columns)

    def notes(self) -> Iterator[Text]:
        """The footnotes of the marks."""
        for number, note in enumerate(self.block.notes, start=1):
            text = printable(note)
            if self.numbered:
                text = f"{_superscript(number)} {text}"
            yield Text(text, overflow="fold")

    def _split(self) -> Iterator[list[int]]:
        """Columns in parts that are no wider than the terminal, unless a single column is."""
        numeric = self.block.numeric
        widths = list(map(self._width, range(len(numeric))))
        n_names = self.block.names or _leading_texts(numeric)
        if not all(numeric[n_names:]):
            # Texts between the numbers fold instead.
            yield list(range(len(widths)))
            return
        width_of_names = self._width_of_names(widths[:n_names])
        part = list(range(n_names))
        width_of_part = width_of_names
        for column in range(n_names, len(widths)):
            # A part has at least one column beside the names, even one that is too wide.
            is_full = width_of_part + widths[column] > self.width
            if is_full and len(part) > n_names:
                yield part
                part = list(range(n_names))
                width_of_part = width_of_names
            part.append(column)
            width_of_part += widths[column] + GAP
        yield part

    def _width(self, number: int) -> int:
        """The width of a column: that of its widest entry or line of the header."""
        texts = self.headers[number].split("\n")
        for entry in self.columns[number]:
            texts.append(entry.plain)
        # The cells of a terminal, not characters: those of Chinese take two.
        return max(map(cell_len, texts))

    def _width_of_names(self, widths: Sequence[int]) -> int:
        """The width of the columns that each part repeats, of which wide texts fold."""
        width_of_texts = 0
        width_of_numbers = 0
        numeric = self.block.numeric[: len(widths)]
        for width, is_numeric in zip(widths, numeric, strict=True):
            if is_numeric:
                width_of_numbers += width + GAP
            else:
                width_of_texts += width + GAP
        return min(width_of_texts, self.width // 2) + width_of_numbers

    def _column(self, number: int) -> list[Text]:
        """The entries of a column, with room for stars and marks behind numbers."""
        entries = [row[number] for row in self.block.rows]
        is_numeric = self.block.numeric[number]
        marks = [self._marks(entry, is_numeric=is_numeric) for entry in entries]
        # Numbers stay below each other if all have the room of the widest marks behind them.
        room = 0
        if is_numeric:
            room = max(map(cell_len, marks), default=0)
        texts = []
        for entry, mark in zip(entries, marks, strict=True):
            text = self._entry_text(entry) + mark + " " * (room - cell_len(mark))
            texts.append(Text(text, _style(entry)))
        return texts

    def _entry_text(self, entry: TableEntry) -> str:
        """The text of an entry; a name without blanks is folded between its parameters."""
        text = printable(entry.text)
        if " " in text:
            # rich wraps it at its blanks.
            return text
        n_texts = self.block.numeric.count(False)
        return _fold(text, self.width // (1 + n_texts), _BETWEEN)

    def _marks(self, entry: TableEntry, *, is_numeric: bool) -> str:
        """The star of the best number, and the numbers of the footnotes."""
        footnotes = ",".join(map(_superscript, entry.marks))
        if is_numeric and entry.bold:
            return self.star + footnotes
        return footnotes

    def _header(self, number: int) -> str:
        """The header; that of numbers is wrapped to the width of the numbers below it."""
        text = printable(self.block.header[number])
        if not self.block.numeric[number]:
            return text
        width_below = 0
        for entry in self.columns[number]:
            width_below = max(width_below, cell_len(entry.plain))
        # An arrow stays with the word before it.
        text = re.sub(" (?=[↑↓])", "\N{NO-BREAK SPACE}", text)
        folded = _fold(text, max(width_below, _NARROW), _BREAKS)
        return folded.replace("\N{NO-BREAK SPACE}", " ")

    def _table(self, columns: Sequence[int]) -> Table:
        # One blank is the box's own.
        table = Table(
            box=box.SIMPLE_HEAD,
            show_edge=False,
            pad_edge=False,
            padding=(0, GAP - 1, 0, 0),
            header_style="",
        )
        n_breaks = 0
        numbers = []
        for column in columns:
            n_breaks = max(n_breaks, self.headers[column].count("\n"))
            if self.block.numeric[column]:
                numbers.append(column)
        for column in columns:
            header = self.headers[column]
            is_numeric = self.block.numeric[column]
            # Headers of fewer lines stand at the bottom.
            above = "\n" * (n_breaks - header.count("\n"))
            alignment: JustifyMethod = "left"
            if is_numeric:
                alignment = "right"
            table.add_column(
                Text(above + header),
                justify=alignment,
                no_wrap=is_numeric,
                overflow="fold",
            )
        # The first part has the first columns without a gap.
        is_first = columns[-1] < len(columns)
        for number, entries in enumerate(self.block.rows):
            # The parts below the first exclude rows without any number.
            texts = {entries[column].text for column in numbers}
            has_number = bool(texts - {"-"})
            if is_first or has_number:
                row = [self.columns[column][number] for column in columns]
                table.add_row(*row)
        return table


def _superscript(number: int) -> str:
    """The number of a footnote."""
    return str(number).translate(_SUPERSCRIPT)


def _leading_texts(numeric: Sequence[bool]) -> int:
    """How many columns of texts precede the first column of numbers."""
    for number, is_numeric in enumerate(numeric):
        if is_numeric:
            return number
    return len(numeric)


def _style(entry: TableEntry) -> str:
    """How an entry is written on a terminal."""
    if entry.bold:
        return "bold"
    if entry.faint:
        return "dim"
    return ""


def _fold(text: str, width: int, breaks: re.Pattern[str]) -> str:
    """A text in lines of this width, if it can be broken so."""
    wrapper = textwrap.TextWrapper(width, break_long_words=False)
    wrapper.wordsep_re = breaks
    return wrapper.fill(text)
