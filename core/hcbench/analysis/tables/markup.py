"""Tables in Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Iterable

from hcbench.analysis.tables import Block, Entry


def to_markdown(blocks: Iterable[Block], legend: Iterable[str] = ()) -> str:
    """Tables in GitHub's Markdown, with a legend below them."""
    below = "".join(f"\n{_markdown_text(line)}\n" for line in legend)
    return "\n".join(_markdown_block(block) for block in blocks) + below


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
    text = f"*{text}*" if entry.faint and text else text
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
        "≤": r"$\leq$",
        "≥": r"$\geq$",
        "[": "{[}",  # at the beginning of a row "[" would be an option of the line break
        "]": "{]}",
    }
)


def to_latex(blocks: Iterable[Block], legend: Iterable[str] = ()) -> str:
    r"""Tables in LaTeX, which need ``\usepackage{booktabs}``; the legend is a comment."""
    above = [r"The tables need \usepackage{booktabs}.", *legend]
    return "\n".join(
        [*(f"% {' '.join(line.split())}" for line in above), *(_latex_block(b) for b in blocks)]
    )


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
    text = rf"\textit{{{text}}}" if entry.faint else text
    text = rf"\textbf{{{text}}}" if entry.bold else text
    marks = ",".join(map(str, entry.marks))
    return text + (rf"\textsuperscript{{{marks}}}" if marks else "")


def _latex_text(text: str) -> str:
    return " ".join(text.translate(_LATEX).split())
