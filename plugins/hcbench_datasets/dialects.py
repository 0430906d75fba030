"""How a delimited text is written: its comments, title, delimiter and decimal mark."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from hcbench import DataError, ModelWarning
from hcbench.files import DECIMAL_COMMA, table_rows
from hcbench_datasets.cell_texts import looks_numeric
from hcbench_datasets.encoded import may_have_blanks
from hcbench_datasets.file_names import pasted_name
from hcbench_datasets.triangles import triangle_of

SAMPLE = 50
"""Lines from which the delimiter, the decimal mark and the header are found."""

_DELIMITERS = ("\t", ";", "|", ",")
_RULE_OF_MARKDOWN = re.compile(r"\|(\s*:?-+:?\s*\|)+")
#: The numbers of sequences and of their characters, and a name with a sequence.
_HEAD_OF_PHYLIP = re.compile(r"\s*\d+\s+\d+\s*", re.ASCII)
_SEQUENCE = re.compile(r"\S.{0,29}?[A-Za-z?*.-]{10,}\s*")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}", re.ASCII)
#: A number in whose whole part points separate thousands, as where decimals have a comma.
_THOUSANDS_BY_POINTS = re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+(,\d+)?", re.ASCII)

Rows = Sequence[Sequence[str]]


def check_no_other_text(path: Path, text: str) -> None:
    """Raise `DataError` for texts that look like tables and are none.

    A tree or code in R would have rows of some cells as well.
    """
    # Editors write byte order marks and blank lines before them.
    start = text.lstrip("\ufeff \t\r\n")
    if start.startswith(("structure(", "list(", "data.frame(")):
        raise DataError(
            f"{path} has R code, as of dput; write it in R with write.csv(x, 'x.csv'), distances "
            "with write.csv(as.matrix(x), 'x.csv')"
        )
    is_nexus = start[:6].lower() == "#nexus"
    if is_nexus or (start.startswith("((") and start.rstrip().endswith(";")):
        raise DataError(
            f"{path} has trees or sequences and no items; use a tree as the truth of data, "
            f"DATA[truth={path.name!r}], or score it: hcbench score"
        )
    # The first two lines tell a format.
    lines = start.splitlines()[:2]
    if len(lines) == 2 and _HEAD_OF_PHYLIP.fullmatch(lines[0]) and _SEQUENCE.fullmatch(lines[1]):
        raise DataError(
            f"{path} has sequences; write their distances as .csv or .phy (phylip dnadist)"
        )
    if len(lines) == 2 and _RULE_OF_MARKDOWN.fullmatch(lines[1].strip()):
        raise DataError(f"{path} has a table in Markdown; save it as .csv, in pandas with to_csv")


def without_comments(text: str) -> str:
    """The text with blank lines for the comments before the table, which begin with "#".

    The last of them is the header if it has as many delimiters as the line below it.
    """
    lines = text.splitlines(keepends=True)
    n_above = 0
    while n_above < len(lines) and lines[n_above].startswith("#"):
        n_above += 1
    if n_above == len(lines):
        # Nothing but comments: then these are what the file has.
        n_above = 0
    if n_above and _have_same_cells(lines[n_above - 1], lines[n_above]):
        n_above -= 1
        lines[n_above] = lines[n_above].lstrip("#").lstrip(" ")
    body = lines[n_above:]
    comments = _comments_below(body)
    for place in comments:
        body[place] = "\n"
    if comments:
        first_line = n_above + comments[0] + 1
        warnings.warn(
            f"{len(comments)} lines that begin with # are comments (line {first_line}) and are not "
            "read",
            ModelWarning,
            stacklevel=2,
        )
    # Blank lines keep the numbers of the lines below.
    return "\n" * n_above + "".join(body)


def _have_same_cells(line: str, below: str) -> bool:
    """Whether two lines have a delimiter as many times."""
    for delimiter in _DELIMITERS:
        if delimiter in line and line.count(delimiter) == below.count(delimiter):
            return True
    return False


def _comments_below(lines: Sequence[str]) -> list[int]:
    """The places of lines below a header that begin with "#" and have other cells than it."""
    # Without a delimiter in the header, such lines may be items.
    if not lines or not any(delimiter in lines[0] for delimiter in _DELIMITERS):
        return []
    places = []
    # A name may begin with #, if its row has all cells.
    for place, line in enumerate(lines):
        if line.startswith("#") and not _have_same_cells(lines[0], line):
            places.append(place)
    return places


def find_delimiter(path: Path, text: str) -> str:
    """The delimiter that gives all of the first lines the same number of cells, at least two.

    Blanks are tried last, and in .txt and .data files only, as names have them, too. Rows with a
    single cell above the others are a title.
    """
    delimiters = list(_DELIMITERS)
    if may_have_blanks(path):
        delimiters.append(" ")
    # A semicolon before a comma, as decimal commas look like delimiters.
    for delimiter in delimiters:
        try:
            rows = first_rows(path, delimiter, text)
        except DataError:  # a quote in the middle of a cell, as between other delimiters
            continue
        rows = rows[n_rows_of_title(rows) :]
        if triangle_of(rows) is not None or _have_equal_widths(rows):
            return delimiter
    # Rows of several lengths, which are refused with the line.
    n_lines = 0
    n_with_tabs = 0
    for line in text.splitlines()[:SAMPLE]:
        if line.strip():
            n_lines += 1
            n_with_tabs += "\t" in line
    if n_with_tabs > n_lines / 2 or ".tsv" in path.suffixes:
        return "\t"
    return ","


def first_rows(path: Path, delimiter: str, text: str, n: int = SAMPLE) -> list[list[str]]:
    """The cells of the first rows of a text."""
    return [cells for _, cells in islice(table_rows(path, delimiter, text), n)]


def _have_equal_widths(rows: Rows) -> bool:
    """Whether rows have the same number of cells, at least two."""
    if not rows:
        return False
    header, *below = map(len, rows)
    if len(set(below)) > 1:
        return False
    width = header
    if below:
        width = below[0]
    # Tables written by R have no name for the column of row names.
    return width > 1 and header in (width, width - 1)


def n_rows_of_title(rows: Rows) -> int:
    """How many rows stand above the header as a title: they have one cell, the header more.

    Below a header are numbers, while in a column of texts some may have delimiters.
    """
    place = 0
    while place < len(rows) and _n_filled(rows[place]) < 2:
        place += 1
    # The last row has nothing below it.
    if place >= len(rows) - 1:
        return 0
    header = filter(None, rows[place])
    below = filter(None, rows[place + 1])
    if any(map(looks_numeric, header)) or not any(map(looks_numeric, below)):
        return 0
    return place


def _n_filled(cells: Sequence[str]) -> int:
    return sum(map(bool, cells))


def find_decimal_mark(path: Path, rows: Rows, delimiter: str) -> str:
    """The decimal mark of the numbers in the first rows.

    Raises
    ------
    DataError
        If the numbers can be read with either mark.
    """
    if delimiter == ",":
        return "."
    cells: list[str] = []
    for row in rows:
        cells += row
    if any(map(_has_decimal_point, cells)):
        return "."
    with_comma = list(filter(DECIMAL_COMMA.fullmatch, cells))
    grouped = list(filter(_THOUSANDS_BY_POINTS.fullmatch, cells))
    # 1.234,5 can be read in one way only, and 1.234 beside 0,5 as well.
    if grouped and (with_comma or any("," in cell for cell in grouped)):
        _note_thousands(path, grouped[0])
        return ","
    # Programs write semicolons where decimals have a comma, but pandas can write them, too.
    if grouped and delimiter == ";":
        raise _ambiguous(path, grouped[0], "point", (".", ","))
    if not with_comma:
        return "."
    if all(map(_THOUSANDS.fullmatch, with_comma)):
        raise _ambiguous(path, with_comma[0], "comma", (",",))
    return ","


def _has_decimal_point(cell: str) -> bool:
    """Whether a cell is a number with a point that does not separate thousands."""
    return "." in cell and looks_numeric(cell) and not _THOUSANDS_BY_POINTS.fullmatch(cell)


def _note_thousands(path: Path, cell: str) -> None:
    """Add a note that points are no part of numbers."""
    number = cell.replace(".", "").replace(",", ".")
    warnings.warn(
        f"{path}: points separate thousands, as decimals have a comma: {cell} is {number}",
        ModelWarning,
        stacklevel=2,
    )


def _ambiguous(path: Path, cell: str, mark: str, decimals: Sequence[str]) -> DataError:
    """The error about numbers whose mark may be that of decimals or of thousands."""
    names = " or ".join(pasted_name(str(path), {"decimal": decimal}) for decimal in decimals)
    if len(decimals) == 1:
        names += ", or write such numbers without the separators"
    return DataError(
        f"{path}: {cell!r} may have a decimal {mark} or a separator of thousands; write {names}"
    )


def with_points(cells: Sequence[str], decimal: str) -> list[str]:
    """Cells with a decimal point, and without separators of thousands beside a decimal comma."""
    if decimal == ".":
        return list(cells)
    converted = []
    for cell in cells:
        if "." in cell and _THOUSANDS_BY_POINTS.fullmatch(cell):
            cell = cell.replace(".", "")
        converted.append(cell.replace(decimal, "."))
    return converted
