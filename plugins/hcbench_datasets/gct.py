"""Tables of GenePattern's format GCT, of genes in rows and samples in columns."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hcbench import DataError, ModelWarning
from hcbench_datasets.content import Table
from hcbench_datasets.delimited import read_encoded, table_of_text

#: What precedes the header of a GCT file.
_LINES_ABOVE_GCT = 2


def table_of_gct(path: Path, texts: Collection[str]) -> Table:
    """The table of GenePattern's formats GCT 1.2 and 1.3: genes in rows, samples in columns.

    Two lines precede the header: the version, and the numbers of rows and columns, in 1.3 also of
    columns about the rows and of rows about the columns. The first column has the names of the
    rows; what is about them, such as Description, is not used unless it has a role.
    """
    text, encoding = read_encoded(path, None)
    lines = text.splitlines(keepends=True)
    counts = _counts_of_gct(path, lines)
    n_above = _LINES_ABOVE_GCT
    # Blank lines keep the numbers of the lines below.
    body = "\n" * n_above + lines[n_above] + "\n" * counts.about_columns
    body += "".join(lines[n_above + 1 + counts.about_columns :])
    header = lines[n_above].rstrip("\r\n").split("\t")
    about_rows = header[1 : 1 + counts.about_rows]
    table = table_of_text(path, body, {*texts, *header[:1], *about_rows}, True, "\t", ".", encoding)
    n_columns = len(table.columns) - 1 - len(about_rows)
    for what, n_stated, n in (
        ("rows", counts.rows, len(table.lines)),
        ("samples", counts.columns, n_columns),
    ):
        if n_stated != n:
            raise DataError(
                f"{path}, line 2: it says {n_stated} {what}, and there are {n}; correct the "
                "number, or is the file cut off?"
            )
    unused = [name for name in about_rows if name not in texts]
    unused += [line.split("\t")[0] for line in lines[n_above + 1 :][: counts.about_columns]]
    columns = tuple(column for column in table.columns if column.name not in unused)
    listed = ""
    if unused:
        are = "is" if len(unused) == 1 else "are"
        listed = f", and {', '.join(unused)} {are} not used"
    warnings.warn(
        f"the rows of a .gct file are the items{listed}; transpose=true makes the samples the "
        "items",
        ModelWarning,
        stacklevel=2,
    )
    return replace(table, columns=columns, row_names=header[0])


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
    version = lines[0].strip() if lines else ""
    words = lines[1].split() if len(lines) > _LINES_ABOVE_GCT else []
    n_words = {"#1.2": 2, "#1.3": 4}.get(version, 0)
    if len(words) != n_words or not n_words or not all(map(str.isdigit, words)):
        raise DataError(
            f"{path}: the first line of a .gct file is #1.2 or #1.3, not {version[:20]!r}, and the "
            "second has the numbers of rows and columns; correct them, or save it as .csv"
        )
    numbers = [int(word) for word in words]
    if version == "#1.2":
        numbers += [1, 0]  # Description
    return _Counts(*numbers)
