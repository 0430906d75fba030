"""Tables and distances as R and pandas print them: columns below their names, in several blocks.

``print(x)`` of R and pandas continues wide tables below, where each block has the names of its
columns and all names of rows. Each column ends where its name ends; a cell of one triangle of
distances is blank. So the cells are found by their places in the line, and not by the blanks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hcbench import DataError

_WORD = re.compile(r"\S+")
_ROW_NUMBER = re.compile(r"\[\d+,\]")  # R's rows without names
_EXTENT = re.compile(r"\[\d+ rows x \d+ columns\]")  # the last line of pandas
_OMITTED = re.compile(r" *\[ ?reached .*omitted.*\]")  # the last line of R
_ELLIPSES = ("...", "..")

Row = tuple[int, list[str]]  # the number of its line, from 1, and its cells


@dataclass(slots=True)
class _Block:
    """Some of the columns of a printed table, with all of its rows."""

    header: str
    lines: list[tuple[int, str]] = field(default_factory=list)

    def column_names(self) -> list[str]:
        return self.header.split()

    def ends(self) -> list[int]:
        """Where each column ends."""
        return [word.end() for word in _WORD.finditer(self.header)]


def printed_rows(path: Path, text: str) -> list[Row] | None:
    """The header and the rows of a printed table; None if the text is written in another way.

    Raises
    ------
    DataError
        If the program that printed it has omitted rows or columns.
    """
    blocks = _blocks(path, text)
    if blocks is None:
        return None
    row_names = _row_names(blocks[0])
    if row_names is None:
        return None
    header = [""]
    rows = [[name] for name in row_names]
    # Each block has further columns of the same rows.
    for block in blocks:
        cells = _cells(block, row_names)
        if cells is None:
            return None
        header += block.column_names()
        for row, new_cells in zip(rows, cells, strict=True):
            row += new_cells
    _check_nothing_omitted(path, header, rows)
    if len(rows) > 1 and not any(rows[0][1:]):
        # pandas prints the name of the index in a line of its own.
        header[0] = rows.pop(0)[0]
    elif all(map(_ROW_NUMBER.fullmatch, row_names)):
        for row in rows:
            row[0] = row[0].strip("[,]")
    first_line = blocks[0].lines[0][0]
    numbered: list[Row] = [(first_line - 1, header)]
    # Without the line of the name of the index.
    lines = blocks[0].lines[-len(rows) :]
    for (number, _), row in zip(lines, rows, strict=True):
        numbered.append((number, row))
    return numbered


def _blocks(path: Path, text: str) -> list[_Block] | None:
    """The blocks of columns: the names begin behind the names of the rows, the rows do not."""
    blocks: list[_Block] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or _EXTENT.fullmatch(line):
            continue
        if _OMITTED.fullmatch(line):
            raise DataError(
                f"{path}, line {number}: R has printed only some of the rows; write the table with "
                "write.csv"
            )
        if "\t" in line:
            return None
        if line.startswith(" "):
            # pandas ends a header that is continued below with a backslash.
            blocks.append(_Block(line.rstrip().removesuffix("\\")))
        elif not blocks:
            return None
        else:
            blocks[-1].lines.append((number, line.rstrip()))
    if not blocks or not all(block.lines for block in blocks):
        return None
    return blocks


def _row_names(block: _Block) -> list[str] | None:
    """The names of the rows, which precede the first cell of their lines and may have blanks."""
    first_end = block.ends()[0]
    names = []
    for _, line in block.lines:
        start = line[:first_end]
        name = start.strip()
        if not name:
            return None
        # The last word is the first cell, unless that is blank.
        if " " in name and not start.endswith(" "):
            name = name.rsplit(maxsplit=1)[0].strip()
        names.append(name)
    return names


def _cells(block: _Block, row_names: Sequence[str]) -> list[list[str]] | None:
    """The cells of each row; None if they do not end where the names of the columns do."""
    if len(block.lines) != len(row_names):
        return None
    ends = block.ends()
    rows = []
    for (_, line), name in zip(block.lines, row_names, strict=True):
        if not line.startswith(name) or len(line) > ends[-1]:
            return None
        # The name may be longer than the blanks before the first cell.
        start = len(name)
        cells = []
        for end in ends:
            cell = line[start:end].strip()
            # A word that goes on behind the end of its column.
            is_cut = end < len(line) and line[end] != " " and line[end - 1] != " "
            if is_cut or " " in cell:
                return None
            cells.append(cell)
            start = end
        rows.append(cells)
    return rows


def _check_nothing_omitted(path: Path, header: Sequence[str], rows: Sequence[list[str]]) -> None:
    """Raise `DataError` if pandas has printed an ellipsis for some of the rows or columns."""
    cells = set(header)
    cells.update(*rows)
    for ellipsis in _ELLIPSES:
        if ellipsis in cells:
            raise DataError(
                f"{path}: pandas has printed only some of the rows and columns ({ellipsis}); "
                "write the table with to_csv"
            )
