"""Tables of GenePattern's format GCT, of genes in rows and samples in columns."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hcbench import DataError, ModelWarning
from hcbench_datasets.content import Table
from hcbench_datasets.delimited import table_of_text
from hcbench_datasets.encoded import read_encoded

#: What precedes the header of a GCT file.
_LINES_ABOVE_GCT = 2
#: How many numbers the second line has, by the version in the first one.
_NUMBERS_OF_VERSION = {"#1.2": 2, "#1.3": 4}


def table_of_gct(path: Path, texts: Collection[str]) -> Table:
    """The table of GenePattern's formats GCT 1.2 and 1.3: genes in rows, samples in columns.

    Two lines precede the header: the version, and the numbers of rows and columns, in 1.3 also of
    columns about the rows and of rows about the columns. The first column has the names of the
    rows; what is about them, such as Description, is not used unless it has a role.
    """
    text, encoding = read_encoded(path, None)
    lines = text.splitlines(keepends=True)
    counts = _counts_of_gct(path, lines)
    header_line = lines[_LINES_ABOVE_GCT]
    below = lines[_LINES_ABOVE_GCT + 1 :]
    about_columns = below[: counts.about_columns]
    header = header_line.rstrip("\r\n").split("\t")
    about_rows = header[1 : 1 + counts.about_rows]
    # Blank lines keep the numbers of the lines below.
    body = "\n" * _LINES_ABOVE_GCT + header_line + "\n" * counts.about_columns
    body += "".join(below[counts.about_columns :])
    # The names of the rows, and what is about them, may look like numbers.
    columns_of_texts = set(texts).union(header[:1], about_rows)
    # A GCT file has tabs, points and one header by definition.
    table = table_of_text(path, body, columns_of_texts, True, "\t", ".", encoding)
    n_samples = len(table.columns) - 1 - len(about_rows)
    _check_count(path, "rows", counts.rows, len(table.lines))
    _check_count(path, "samples", counts.columns, n_samples)
    unused = [name for name in about_rows if name not in texts]
    for line in about_columns:
        unused.append(line.split("\t")[0])
    _note_items(unused)
    columns = tuple(column for column in table.columns if column.name not in unused)
    return replace(table, columns=columns, row_names=header[0])


def _check_count(path: Path, what: str, n_stated: int, n: int) -> None:
    """Raise `DataError` if the second line states another number than there is."""
    if n_stated != n:
        raise DataError(
            f"{path}, line 2: it says {n_stated} {what}, and there are {n}; correct the number, or "
            "is the file cut off?"
        )


def _note_items(unused: Sequence[str]) -> None:
    """Add a note about what the items are, and which columns and rows are not used."""
    listed = ""
    if len(unused) == 1:
        listed = f", and {unused[0]} is not used"
    elif unused:
        listed = f", and {', '.join(unused)} are not used"
    warnings.warn(
        f"the rows of a .gct file are the items{listed}; transpose=true makes the samples the "
        "items",
        ModelWarning,
        stacklevel=3,
    )


@dataclass(frozen=True, slots=True)
class _Counts:
    """The numbers in the second line of a GCT file."""

    rows: int
    columns: int
    about_rows: int
    about_columns: int


def _counts_of_gct(path: Path, lines: Sequence[str]) -> _Counts:
    """The numbers in the second line of a GCT file.

    Raises
    ------
    DataError
        If its first lines are others.
    """
    version = ""
    words: list[str] = []
    if lines:
        version = lines[0].strip()
    # The header is behind them.
    if len(lines) > _LINES_ABOVE_GCT:
        words = lines[1].split()
    n_words = _NUMBERS_OF_VERSION.get(version)
    if len(words) != n_words or not all(map(str.isdigit, words)):
        raise DataError(
            f"{path}: the first line of a .gct file is #1.2 or #1.3, not {version[:20]!r}, and the "
            "second has the numbers of rows and columns; correct them, or save it as .csv"
        )
    n_rows = int(words[0])
    n_columns = int(words[1])
    if version == "#1.2":
        # Description is about the rows, and nothing about the columns.
        return _Counts(n_rows, n_columns, about_rows=1, about_columns=0)
    return _Counts(n_rows, n_columns, about_rows=int(words[2]), about_columns=int(words[3]))
