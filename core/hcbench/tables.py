"""One model of a table, from which the terminal, Markdown and LaTeX are drawn.

A block for each data set, a row for each algorithm, a column for each metric: mean and spread
over repetitions, the best in bold, failures marked with their reason below.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hcbench.statistics import mean_and_std

if TYPE_CHECKING:
    from hcbench.results import Group, MetricInfo, Results

NOTHING = "-"
_ARROWS = {"higher": "↑", "lower": "↓"}
_SECONDS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_BYTES = ((2.0**40, "TiB"), (2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB"), (1.0, "B"))


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a table.

    Attributes
    ----------
    text : str
    bold : bool
        Whether it is the best of its column.
    marks : tuple of int
        Numbers of the notes that belong to it.
    """

    text: str
    bold: bool = False
    marks: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """A table.

    Attributes
    ----------
    title : str
    header : tuple of str
    numeric : tuple of bool
        Which columns hold numbers, and stand on the right.
    rows : tuple of tuple of Entry
    notes : tuple of str
        Note 1 is the first.
    """

    title: str
    header: tuple[str, ...]
    numeric: tuple[bool, ...]
    rows: tuple[tuple[Entry, ...], ...]
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Notes:
    """The notes of a block: what is said twice has one number."""

    texts: list[str] = field(default_factory=list)

    def mark(self, texts: Iterable[str]) -> tuple[int, ...]:
        """The numbers of some notes."""
        marks = []
        for text in dict.fromkeys(texts):
            if text not in self.texts:
                self.texts.append(text)
            marks.append(self.texts.index(text) + 1)
        return tuple(marks)


def make_tables(results: Results) -> list[Block]:
    """All that there is to show: a block for each data set, average ranks, verdicts."""
    blocks = [_dataset_block(results, dataset) for dataset in results.datasets]
    return [*blocks, *_ranking_blocks(results), *_verdict_blocks(results)]


# ---- Data sets -----------------------------------------------------------------------------------


def _dataset_block(results: Results, dataset: str) -> Block:
    groups = [group for group in results.groups if group.dataset == dataset]
    keys = _distinguishing(groups)
    best = {metric.label: results.best_rows(dataset, metric) for metric in results.metrics}
    notes = _Notes()
    rows = []
    for group in groups:
        names = [Entry(group.algorithm, marks=notes.mark(_troubles(group)))]
        names += [Entry(_key_text(key, getattr(group, key))) for key in keys]
        values = [
            _value_entry(group, metric, group in best[metric.label], notes)
            for metric in results.metrics
        ]
        rows.append((*names, *values))
    header = ["algorithm", *(_KEYS[key] for key in keys)]
    numeric = [False, *(key != "oracle" for key in keys)]
    return Block(
        dataset,
        (*header, *(f"{m.label} {_ARROWS[m.direction]}" for m in results.metrics)),
        (*numeric, *(True for _ in results.metrics)),
        tuple(rows),
        tuple(notes.texts),
    )


_KEYS = {"oracle": "oracle", "budget": "budget", "checkpoint": "after queries"}
_WITHOUT = {"oracle": NOTHING, "budget": "none", "checkpoint": "end"}


def _distinguishing(groups: Sequence[Group]) -> list[str]:
    """What tells rows apart beside the algorithm."""
    ran = [group for group in groups if group.oracle]
    return [key for key in _KEYS if len({getattr(group, key) for group in ran}) > 1]


def _key_text(key: str, value: str | int | None) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return value or _WITHOUT[key]


def _troubles(group: Group) -> list[str]:
    """Why repetitions have no result, most frequent first."""
    troubles = Counter(
        f"{outcome.status}: {outcome.reason}" if outcome.reason else outcome.status
        for outcome in group.outcomes
        if outcome.status != "ok"
    )
    total = len(group.outcomes)
    return [
        text if number == total else f"{number} of {total} repetitions: {text}"
        for text, number in troubles.most_common()
    ]


def _value_entry(group: Group, metric: MetricInfo, bold: bool, notes: _Notes) -> Entry:
    """Mean and spread of one metric, or why there is none."""
    values = group.values(metric.label)
    numbers = [value.value for value in values if value.value is not None]
    judged = zip(group.outcomes, values, strict=True)
    lacking = [v for outcome, v in judged if outcome.status == "ok" and v.value is None]
    reasons = [v.reason for v in lacking if v.reason]
    if numbers:
        errors = [v.reason for v in lacking if v.status == "error"]
        mean, std = mean_and_std(numbers)
        return Entry(format_spread(mean, std, metric.unit), bold, notes.mark(errors))
    if not lacking:
        return Entry(NOTHING)
    text = "error" if any(v.status == "error" for v in lacking) else "n/a"
    return Entry(text, marks=notes.mark(reasons))


# ---- Numbers -------------------------------------------------------------------------------------


def format_spread(mean: float | None, std: float | None, unit: str = "") -> str:
    """``mean ± std`` in a fitting form.

    Parameters
    ----------
    mean, std : float or None
        Without a standard deviation the mean stands alone.
    unit : str
        "s", "bytes" and "questions" have forms of their own; another is written behind.
    """
    if mean is None:
        return NOTHING
    if not math.isfinite(mean):
        return str(mean)
    if unit == "s":
        return _scaled(mean, std, _SECONDS, digits=3)
    if unit == "bytes":
        return _scaled(mean, std, _BYTES, digits=2)
    if unit == "questions":
        return _joined(mean, std, ",.0f", "")
    return _joined(mean, std, _plain_form(mean, std), unit)


def _plain_form(mean: float, std: float | None) -> str:
    size = max(abs(mean), std or 0.0)
    if size >= 1e7 or 0 < size < 1e-3:
        return ".3g"
    if size >= 1e4:
        return ",.0f"
    return ".3f" if size < 100 else ".1f"


def _scaled(
    mean: float, std: float | None, scales: Sequence[tuple[float, str]], digits: int
) -> str:
    """With the largest unit in which the mean is at least 1, and so many significant digits."""
    scale, name = next(((s, u) for s, u in scales if abs(mean) >= s), scales[-1])
    scaled = mean / scale
    whole_digits = math.floor(math.log10(abs(scaled))) + 1 if scaled else 1
    decimals = max(0, digits - max(whole_digits, 1)) if name != "B" else 0
    return _joined(scaled, None if std is None else std / scale, f",.{decimals}f", name)


def _joined(mean: float, std: float | None, form: str, unit: str) -> str:
    text = format(mean, form)
    if std is not None:
        text += f" ± {format(std, form) if std else '0'}"
    return f"{text} {unit}" if unit else text


# ---- Ranks and verdicts --------------------------------------------------------------------------


def _ranking_blocks(results: Results) -> list[Block]:
    """Average ranks, if they say more than one block of a data set does."""
    ranking = results.ranking
    if len(results.datasets) < 2 or not ranking:
        return []
    metrics = list(dict.fromkeys(row["metric"] for row in ranking))
    names = list(dict.fromkeys(row["algorithm"] for row in ranking))
    rank = {(row["algorithm"], row["metric"]): row["average_rank"] for row in ranking}
    best = {metric: min(rank[name, metric] for name in names) for metric in metrics}
    blocks = {row["metric"]: row["blocks"] for row in ranking}
    rows = tuple(
        (
            Entry(name),
            *(Entry(f"{rank[name, m]:.2f}", rank[name, m] == best[m]) for m in metrics),
        )
        for name in names
    )
    counted = ", ".join(f"{metric}: {count}" for metric, count in blocks.items())
    note = f"over data sets and repetitions that all could do, a failure is last ({counted})"
    header = ("algorithm", *metrics)
    numeric = (False, *(True for _ in metrics))
    return [Block("average rank, 1 is best", header, numeric, rows, (note,))]


def _verdict_blocks(results: Results) -> list[Block]:
    verdicts = results.verdicts
    if not verdicts:
        return []
    rows = tuple(
        (
            Entry(row["claim"]),
            Entry(row["printed"]),
            Entry(
                NOTHING
                if row["measured"] is None
                else _joined(row["measured"], row["standard_error"], ".4g", "")
            ),
            Entry(row["verdict"], row["verdict"] == "reproduced"),
            Entry(row["note"]),
        )
        for row in verdicts
    )
    header = ("claim", "paper", "measured ± s.e.", "verdict", "note")
    return [Block("claims", header, (False, True, True, False, False), rows)]


# ---- Markdown and LaTeX --------------------------------------------------------------------------


def to_markdown(blocks: Iterable[Block]) -> str:
    """Draw tables in Markdown, as GitHub reads it."""
    return "\n".join(_markdown_block(block) for block in blocks)


def _markdown_block(block: Block) -> str:
    lines = [f"**{_markdown_text(block.title)}**", ""]
    lines.append(_markdown_row(_markdown_text(text) for text in block.header))
    lines.append(_markdown_row("---:" if numeric else "---" for numeric in block.numeric))
    lines += [_markdown_row(_markdown_entry(entry) for entry in row) for row in block.rows]
    if block.notes:
        notes = enumerate(block.notes, start=1)
        lines += ["", "<br>\n".join(f"<sup>{n}</sup> {_markdown_text(t)}" for n, t in notes)]
    return "\n".join(lines) + "\n"


def _markdown_row(texts: Iterable[str]) -> str:
    return f"| {' | '.join(texts)} |"


def _markdown_entry(entry: Entry) -> str:
    text = _markdown_text(entry.text)
    marks = f"<sup>{','.join(map(str, entry.marks))}</sup>" if entry.marks else ""
    return (f"**{text}**" if entry.bold else text) + marks


def _markdown_text(text: str) -> str:
    for char in "\\|*_<`":
        text = text.replace(char, f"\\{char}" if char != "<" else "&lt;")
    return " ".join(text.split())


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
        "[": "{[}",  # at the beginning of a row it would be an option of the line break
        "]": "{]}",
    }
)


def to_latex(blocks: Iterable[Block]) -> str:
    r"""Draw tables in LaTeX, with ``\usepackage{booktabs}``."""
    return "\n".join(_latex_block(block) for block in blocks)


def _latex_block(block: Block) -> str:
    align = "".join("r" if numeric else "l" for numeric in block.numeric)
    lines = [
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{_latex_text(block.title)}}}",
        rf"  \begin{{tabular}}{{{align}}}",
        r"    \toprule",
        _latex_row(_latex_text(text) for text in block.header),
        r"    \midrule",
        *(_latex_row(_latex_entry(entry) for entry in row) for row in block.rows),
        r"    \bottomrule",
        r"  \end{tabular}",
    ]
    for number, note in enumerate(block.notes, start=1):
        lines += [
            r"  \par\footnotesize " + rf"\textsuperscript{{{number}}} {_latex_text(note)}",
        ]
    return "\n".join([*lines, r"\end{table}", ""])


def _latex_row(texts: Iterable[str]) -> str:
    return f"    {' & '.join(texts)} \\\\"


def _latex_entry(entry: Entry) -> str:
    text = _latex_text(entry.text)
    text = rf"\textbf{{{text}}}" if entry.bold else text
    marks = ",".join(map(str, entry.marks))
    return text + (rf"\textsuperscript{{{marks}}}" if marks else "")


def _latex_text(text: str) -> str:
    return " ".join(text.translate(_LATEX).split())
