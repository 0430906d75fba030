"""Tables of results, independent of their output format: entries, footnotes, numbers, markup.

`hcbench.results.overviews` makes the tables of a comparison; `hcbench.cli` writes to terminals.
Texts that differ only in their numbers share a footnote.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from hcbench.analysis.intervals import mean_and_std
from hcbench.analysis.notes import Note, NoteKind
from hcbench.analysis.statistics import quartiles
from hcbench.registry.parameters import Interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcbench.plan.presentation import MetricInfo

NOTHING = "-"
BEST_TRUTH = "the truth with which this tree agrees best"
_NUMBER = re.compile(r"0x[0-9a-f]+|[-+]?\b(?:\d[\d.,]*(?:e[-+]?\d+)?|inf\b|nan\b)", re.IGNORECASE)
ARROWS = {"higher": " ↑", "lower": " ↓", "none": ""}


@dataclass(frozen=True, slots=True)
class TableEntry:
    """An entry of a table.

    Attributes
    ----------
    text : str
    bold : bool
        Whether it is the best of its column.
    marks : tuple of int
        Numbers of its footnotes.
    faint : bool
        Whether it is in the row of a reference line.
    value, heat : float or None
        In leaderboards: the average, if it is finite, and its shade from 0, bad, to 1, good.

    Examples
    --------
    >>> entry = TableEntry("0.912", bold=True, marks=(1,))
    >>> rows = ((entry,),)
    >>> block = hcbench.analysis.Block("iris", ("rand",), (True,), rows, notes=("of 4 runs",))
    >>> print(hcbench.analysis.to_markdown([block]), end="")
    **iris**
    <BLANKLINE>
    | rand |
    | ---: |
    | **0.912**<sup>1</sup> |
    <BLANKLINE>
    <sup>1</sup> of 4 runs
    """

    text: str
    bold: bool = False
    marks: tuple[int, ...] = ()
    faint: bool = False
    value: float | None = None
    heat: float | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """A table.

    Attributes
    ----------
    title : str
    header : tuple of str
    numeric : tuple of bool
        Which columns have numbers, and are aligned right.
    rows : tuple of tuple of TableEntry
    notes : tuple of str
        Footnotes, from number 1.
    note_kinds : tuple of str
        The kind of each footnote; empty if all are of the kind of the table.
    names : int
        Number of columns, from the left, that identify rows; 0 for those of text.

    Examples
    --------
    >>> from hcbench.analysis import TableEntry, to_markdown
    >>> rows = ((TableEntry("UPGMA"), TableEntry("0.90")), (TableEntry("Ward"), TableEntry("0.95")))
    >>> block = Block("iris", ("algorithm", "rand"), numeric=(False, True), rows=rows, names=1)
    >>> print(to_markdown([block]), end="")
    **iris**
    <BLANKLINE>
    | algorithm | rand |
    | --- | ---: |
    | UPGMA | 0.90 |
    | Ward | 0.95 |
    """

    title: str
    header: tuple[str, ...]
    numeric: tuple[bool, ...]
    rows: tuple[tuple[TableEntry, ...], ...]
    notes: tuple[str, ...] = ()
    names: int = 0
    note_kinds: tuple[NoteKind, ...] = ()


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a value is missing, or a remark on it.

    Attributes
    ----------
    text : str
    share : str
        How many repetitions it applies to, if not all.
    alike : bool
        Whether it represents others that differ only in numbers.
    kind : str
        What it is about.

    Examples
    --------
    >>> Reason("more than 12 s").cause == Reason("more than 15 s").cause
    True
    >>> Reason("more than 12 s", share="1 of 5: ").cause
    '1 of 5: more than # s'
    """

    text: str
    share: str = ""
    alike: bool = False
    kind: NoteKind = "missing"

    @property
    def cause(self) -> str:
        """The text without numbers, equal for texts that differ only in numbers."""
        return self.share + blanked(self.text)


def blanked(text: str) -> str:
    """A text without its numbers."""
    return _NUMBER.sub("#", text)


def mark_texts(notes: dict[str, int], texts: Iterable[str]) -> tuple[int, ...]:
    """The numbers of footnotes by their text, each of which is added once; see also `Notes`."""
    marks = []
    for text in texts:
        marks.append(notes.setdefault(text, len(notes) + 1))
    return tuple(marks)


@dataclass(slots=True)
class Notes:
    """The footnotes of a block; texts that differ only in numbers share one.

    Examples
    --------
    >>> from hcbench.analysis import Reason
    >>> notes = Notes()
    >>> notes.mark([Reason("more than 10 s")])
    (1,)
    >>> notes.mark([Reason("more than 12 s"), Reason("no heights")])
    (1, 2)
    >>> notes.texts
    ('more than 10 s (and similar)', 'no heights')
    """

    first: dict[str, Reason] = field(default_factory=dict)
    alike: set[str] = field(default_factory=set)

    def mark(self, reasons: Iterable[Reason]) -> tuple[int, ...]:
        """The numbers of the footnotes of some reasons."""
        causes: dict[str, None] = {}
        for reason in reasons:
            causes[reason.cause] = None
            first = self.first.setdefault(reason.cause, reason)
            if reason.alike or reason.text != first.text:
                self.alike.add(reason.cause)

        # Footnotes are numbered in the order in which their causes first occur.
        marks = []
        for number, cause in enumerate(self.first, start=1):
            if cause in causes:
                marks.append(number)
        return tuple(marks)

    @property
    def kinds(self) -> tuple[NoteKind, ...]:
        """The kinds of the footnotes, from number 1."""
        kinds = [reason.kind for reason in self.first.values()]
        return tuple(kinds)

    @property
    def texts(self) -> tuple[str, ...]:
        """The footnotes, from number 1."""
        texts = []
        for cause, reason in self.first.items():
            text = reason.share + reason.text
            if cause in self.alike:
                text += " (and similar)"
            texts.append(text)
        return tuple(texts)


# Units from the largest: their sizes and names.
_SECONDS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_BYTES = ((2.0**40, "TiB"), (2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB"), (1.0, "B"))


def format_spread(
    mean: float | None, std: float | None, unit: str = "", interval: str = "(-inf, inf)"
) -> str:
    """``mean ± std`` in a suitable format.

    Parameters
    ----------
    mean, std : float or None
        Only the mean is written if the standard deviation is None.
    unit : str
        "s", "bytes" and "queries" have special formats; other units are appended.
    interval : str
        Range of the values. Those within [-1, 1] always have three decimals.

    Examples
    --------
    >>> format_spread(0.91234, 0.0123)
    '0.912 ± 0.012'
    >>> format_spread(0.0021, 0.0004, unit="s")
    '2.10 ± 0.40 ms'
    >>> format_spread(3_000_000, None, unit="bytes")
    '2.9 MiB'
    """
    if mean is None:
        return NOTHING
    if not math.isfinite(mean):
        return str(mean)
    if unit == "s":
        return _scaled(mean, std, _SECONDS, digits=3)
    if unit == "bytes":
        return _scaled(mean, std, _BYTES, digits=2)
    if unit == "queries":
        return joined(mean, std, ",.0f", "")
    return joined(mean, std, _plain_form(mean, std, Interval(interval)), unit)


def format_numbers(numbers: Sequence[float] | NDArray[np.float64], metric: MetricInfo) -> str:
    """The average of repetitions with its spread; equal numbers are written once.

    ``mean ± standard deviation``, or of times ``median [lower quartile, upper quartile]``.

    Examples
    --------
    >>> format_numbers([100, 120], hcbench.analysis.COSTS["queries"])
    '110 ± 14'
    >>> format_numbers([0.002, 0.001, 0.004], hcbench.analysis.COSTS["seconds"])
    '2.00 [1.50, 3.00] ms'
    """
    of_quartiles = quartiles(numbers)
    are_equal = len(set(np.asarray(numbers).tolist())) < 2
    if metric.average == "mean" or of_quartiles is None or are_equal:
        mean, std = mean_and_std(numbers)
        return format_spread(mean, std, metric.unit, metric.interval)

    low, median, high = of_quartiles
    if not math.isfinite(median):
        return str(median)
    # The quartiles are in the unit of the median.
    scale, unit, form = _scaling(median, _SECONDS, digits=3)
    low_text = format(low / scale, form)
    high_text = format(high / scale, form)
    return f"{format(median / scale, form)} [{low_text}, {high_text}] {unit}"


def _plain_form(mean: float, std: float | None, interval: Interval) -> str:
    """The format of pure numbers: fewer decimals for larger ones."""
    if interval.low >= -1 and interval.high <= 1:
        return ".3f"
    size = max(abs(mean), std or 0.0)
    if size >= 1e7 or 0 < size < 1e-3:
        return ".3g"
    if size >= 1e4:
        return ",.0f"
    if size >= 100:
        return ".1f"
    return ".3f"


def _scaled(
    mean: float, std: float | None, scales: Sequence[tuple[float, str]], digits: int
) -> str:
    """In the largest unit in which the mean is at least 1, with this many significant digits."""
    scale, unit, form = _scaling(mean, scales, digits)
    if std is not None:
        std /= scale
    return joined(mean / scale, std, form, unit)


def _scaling(
    number: float, scales: Sequence[tuple[float, str]], digits: int
) -> tuple[float, str, str]:
    """The size and the name of a unit for a number, and a format with this many digits."""
    scale, unit = scales[-1]
    for size, name in scales:
        if abs(number) >= size:
            scale = size
            unit = name
            break
    scaled = abs(number) / scale
    whole_digits = 1
    if scaled >= 1:
        whole_digits = math.floor(math.log10(scaled)) + 1
    decimals = max(0, digits - whole_digits)
    if unit == "B":
        # There are no parts of a byte.
        decimals = 0
    return scale, unit, f",.{decimals}f"


def joined(mean: float, std: float | None, form: str, unit: str) -> str:
    """A number with its spread and unit, if it has them; a spread of 0 is not written."""
    text = format(mean, form)
    # A number that is written as -0.000 is a 0.
    if not text.strip("-0.,"):
        text = text.removeprefix("-")
    if std:
        text += f" ± {format(std, form)}"
    if unit:
        text += f" {unit}"
    return text


def to_markdown(blocks: Iterable[Block], legend: Iterable[str] = ()) -> str:
    """Tables in GitHub's Markdown, with a legend below them.

    Examples
    --------
    >>> from hcbench.analysis import Block, TableEntry
    >>> row = (TableEntry("UPGMA"), TableEntry("0.90", bold=True))
    >>> block = Block("iris", ("algorithm", "rand"), numeric=(False, True), rows=(row,))
    >>> print(to_markdown([block], legend=["rand: the adjusted Rand index"]), end="")
    **iris**
    <BLANKLINE>
    | algorithm | rand |
    | --- | ---: |
    | UPGMA | **0.90** |
    <BLANKLINE>
    rand: the adjusted Rand index
    """
    text = "\n".join(map(_markdown_block, blocks))
    for line in legend:
        text += f"\n{_markdown_text(line)}\n"
    return text


def _markdown_block(block: Block) -> str:
    lines = [f"**{_markdown_text(block.title)}**", ""]
    lines.append(_markdown_row(map(_markdown_text, block.header)))
    rules = {True: "---:", False: "---"}
    rules_of_columns = [rules[is_numeric] for is_numeric in block.numeric]
    lines.append(_markdown_row(rules_of_columns))
    for row in block.rows:
        lines.append(_markdown_row(map(_markdown_entry, row)))
    if block.notes:
        notes = []
        for number, note in enumerate(block.notes, start=1):
            notes.append(f"<sup>{number}</sup> {_markdown_text(note)}")
        lines += ["", "<br>\n".join(notes)]
    return "\n".join(lines) + "\n"


def _markdown_row(texts: Iterable[str]) -> str:
    return f"| {' | '.join(texts)} |"


def _markdown_entry(entry: TableEntry) -> str:
    text = _markdown_text(entry.text)
    if entry.faint and text:
        text = f"*{text}*"
    if entry.bold:
        text = f"**{text}**"
    return text + _html_marks(entry)


def _html_marks(entry: TableEntry) -> str:
    """The numbers of the footnotes, raised; Markdown has HTML for them."""
    if not entry.marks:
        return ""
    return f"<sup>{','.join(map(str, entry.marks))}</sup>"


# What would be markup in GitHub's Markdown, and how it is written as text.
_MARKDOWN = str.maketrans(
    {
        "\\": r"\\",
        "|": r"\|",
        "*": r"\*",
        "_": r"\_",
        "`": r"\`",
        "<": "&lt;",
    }
)


def _markdown_text(text: str) -> str:
    return " ".join(text.translate(_MARKDOWN).split())


def to_html(blocks: Iterable[Block], legend: Iterable[str] = ()) -> str:
    """Tables in HTML, as notebooks show them, with a legend below them."""
    below = "<br>".join(map(escape, legend))
    return "".join(map(_html_block, blocks)) + f"<p><small>{below}</small></p>"


def _html_block(block: Block) -> str:
    header = ""
    for text in block.header:
        header += f"<th>{escape(text)}</th>"
    rows = []
    for row in block.rows:
        entries = "".join(map(_html_entry, row))
        rows.append(f"<tr>{entries}</tr>")
    notes = []
    for number, note in enumerate(block.notes, start=1):
        notes.append(f"<sup>{number}</sup> {escape(note)}")
    return (
        f"<table><caption>{escape(block.title)}</caption><thead><tr>{header}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table><small>{'<br>'.join(notes)}</small>"
    )


def _html_entry(entry: TableEntry) -> str:
    text = escape(entry.text)
    if entry.bold:
        text = f"<b>{text}</b>"
    return f"<td>{text}{_html_marks(entry)}</td>"


# What LaTeX would not print as it stands, and how it is written.
_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "±": r"$\pm$",
        "↑": r"$\uparrow$",
        "↓": r"$\downarrow$",
        "µ": r"$\mu$",
        "≤": r"$\leq$",
        "≥": r"$\geq$",
        # At the beginning of a row "[" would be an option of the line break.
        "[": "{[}",
        "]": "{]}",
    }
)


def to_latex(blocks: Iterable[Block], legend: Iterable[str] = ()) -> str:
    r"""Tables in LaTeX, which need ``\usepackage{booktabs}``; the legend is a comment.

    Examples
    --------
    >>> from hcbench.analysis import Block, TableEntry
    >>> row = (TableEntry("UPGMA"), TableEntry("0.90", bold=True))
    >>> block = Block("iris", ("algorithm", "rand"), numeric=(False, True), rows=(row,))
    >>> text = to_latex([block])
    >>> print("\n".join(text.splitlines()[4:10]))
      \begin{tabular}{lr}
        \toprule
        algorithm & rand \\
        \midrule
        UPGMA & \textbf{0.90} \\
        \bottomrule
    """
    parts = [r"% The tables need \usepackage{booktabs}."]
    for line in legend:
        # A line break would end the comment.
        parts.append(f"% {' '.join(line.split())}")
    parts += map(_latex_block, blocks)
    return "\n".join(parts)


def _latex_block(block: Block) -> str:
    alignments = {True: "r", False: "l"}
    align = ""
    for is_numeric in block.numeric:
        align += alignments[is_numeric]
    lines = [
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{_latex_text(block.title)}}}",
        rf"  \begin{{tabular}}{{{align}}}",
        r"    \toprule",
        _latex_row(map(_latex_text, block.header)),
        r"    \midrule",
    ]
    for row in block.rows:
        lines.append(_latex_row(map(_latex_entry, row)))
    lines += [r"    \bottomrule", r"  \end{tabular}"]
    for number, note in enumerate(block.notes, start=1):
        mark = rf"\textsuperscript{{{number}}}"
        lines.append(rf"  \par\footnotesize {mark} {_latex_text(note)}")
    lines += [r"\end{table}", ""]
    return "\n".join(lines)


def _latex_row(texts: Iterable[str]) -> str:
    return f"    {' & '.join(texts)} \\\\"


def _latex_entry(entry: TableEntry) -> str:
    text = _latex_text(entry.text)
    if entry.faint:
        text = rf"\textit{{{text}}}"
    if entry.bold:
        text = rf"\textbf{{{text}}}"
    if entry.marks:
        marks = ",".join(map(str, entry.marks))
        text += rf"\textsuperscript{{{marks}}}"
    return text


def _latex_text(text: str) -> str:
    return " ".join(text.translate(_LATEX).split())


def notes_of_block(block: Block, kind: NoteKind) -> list[Note]:
    """The footnotes of a table, with the rows and columns that have their marks.

    Parameters
    ----------
    block : Block
    kind : str
        Of the footnotes without a kind of their own.

    Examples
    --------
    >>> from hcbench.analysis import Block, TableEntry
    >>> row = (TableEntry("UPGMA"), TableEntry("0.90", marks=(1,)))
    >>> block = Block("iris", ("algorithm", "rand"), (False, True), (row,), notes=("of 4 runs",))
    >>> (note,) = notes_of_block(block, "failure")
    >>> note.text, note.table, note.rows, note.columns
    ('of 4 runs', 'iris', ('UPGMA',), ('rand',))
    """
    notes = []
    for number, text in enumerate(block.notes, start=1):
        rows: dict[str, None] = {}
        columns: dict[str, None] = {}
        for row in block.rows:
            for place, entry in enumerate(row):
                if number not in entry.marks:
                    continue
                rows[_without_arrow(row[0].text)] = None
                if place:
                    columns[_without_arrow(block.header[place])] = None
        kind_of_note = kind
        if block.note_kinds:
            kind_of_note = block.note_kinds[number - 1]
        note = Note(
            kind=kind_of_note,
            text=text,
            table=block.title,
            rows=tuple(rows),
            columns=tuple(columns),
        )
        notes.append(note)
    return notes


def _without_arrow(header: str) -> str:
    return header.removesuffix(" ↑").removesuffix(" ↓")
