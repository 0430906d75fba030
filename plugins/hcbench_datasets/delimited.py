"""Delimited text: its encoding, delimiter, decimal mark, header and columns.

Text is read with the csv module, as `pandas.read_csv` neither tells the line of a cell, nor refuses
a line with too few cells, nor reads each number to the last digit in all of its versions.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError, ModelWarning
from hcbench.files import DECIMAL_COMMA, decode_text, table_rows, with_line_feeds
from hcbench.model import are_codes, read_numbers
from hcbench_datasets.content import MISSING, Column, Table, looks_numeric, pasted_name
from hcbench_datasets.header_rows import HeaderRows, find_header_rows
from hcbench_datasets.headers import has_header
from hcbench_datasets.lists import spread_texts
from hcbench_datasets.matrices import padded_rows, triangle_of
from hcbench_datasets.printed import printed_rows

OPEN: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
)
#: Text files whose cells may be separated by blanks; .vec is of fastText and word2vec.
WITH_BLANKS = frozenset({".txt", ".data", ".vec", ".dat", ".out", ".tab", ".prn", ".asc", ""})
_DELIMITERS = ("\t", ";", "|", ",")
_DELIMITER_NAMES = {"\t": "tab", ",": "comma", ";": "semicolon", "|": "bar", " ": "blank"}
_SAMPLE = 50  # lines from which the delimiter and the decimal mark are found
_BLOCK = 10_000  # lines whose cells are in memory as texts
_SHOWN_CELLS = 6
_RULE_OF_MARKDOWN = re.compile(r"\|(\s*:?-+:?\s*\|)+")
#: The numbers of sequences and of their characters, and a name with a sequence.
_HEAD_OF_PHYLIP = re.compile(r"\s*\d+\s+\d+\s*", re.ASCII)
_SEQUENCE = re.compile(r"\S.{0,29}?[A-Za-z?*.-]{10,}\s*")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}", re.ASCII)
#: A number in whose whole part points separate thousands, as where decimals have a comma.
_THOUSANDS_BY_POINTS = re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+(,\d+)?", re.ASCII)

Row = tuple[int, list[str]]  # line number, from 1, and cells


def table_of_text(
    path: Path,
    text: str,
    texts: Collection[str],
    header: bool | None,
    delimiter: str | None,
    decimal: str | None,
    encoding: str,
) -> Table:
    """The table in delimited text."""
    _check_no_other_text(path, text)
    text = _without_comments(text)
    if delimiter is None and _may_have_blanks(path):
        printed = printed_rows(path, text)
        if printed is not None:
            rows = partial(iter, printed)
            return table_of_rows(
                path, rows, texts, header=True, decimal=".", line="line", form="printed columns"
            )
    if _may_have_blanks(path):
        # fastText ends each line with a blank, behind which there is no cell.
        text = re.sub(r" +$", "", text, flags=re.MULTILINE)
    if delimiter is None:
        delimiter = _delimiter(path, text)
    start = [cells for _, cells in islice(table_rows(path, delimiter, text), _SAMPLE)]
    if decimal is None:
        decimal = _decimal_mark(path, start[_title(start) :], delimiter)
    delimiter_name = _DELIMITER_NAMES.get(delimiter, repr(delimiter))
    mark = "comma" if decimal == "," else "point"
    form = f"{delimiter_name}-separated, decimal {mark}, {encoding}"
    first_rows = list(islice(table_rows(path, delimiter, text), 2))
    if header is None and _is_first_row_quoted(text, first_rows):
        header = True
    rows = partial(table_rows, path, delimiter, text)
    return table_of_rows(path, rows, texts, header=header, decimal=decimal, line="line", form=form)


def _check_no_other_text(path: Path, text: str) -> None:
    """Raise `DataError` for texts that look like tables and are none.

    A tree or code in R would have rows of some cells as well.
    """
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
    lines = start.splitlines()[:2]
    if len(lines) == 2 and _HEAD_OF_PHYLIP.fullmatch(lines[0]) and _SEQUENCE.fullmatch(lines[1]):
        raise DataError(
            f"{path} has sequences; write their distances as .csv or .phy (phylip dnadist)"
        )
    if len(lines) == 2 and _RULE_OF_MARKDOWN.fullmatch(lines[1].strip()):
        raise DataError(f"{path} has a table in Markdown; save it as .csv, in pandas with to_csv")


def suffix_of(path: Path) -> str:
    """The last suffix of a file but that of a compression, in lower case; "" if it has none."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in OPEN:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def is_compressed(path: Path) -> bool:
    """Whether a file is compressed, by its suffix."""
    return path.suffix.lower() in OPEN


def _may_have_blanks(path: Path) -> bool:
    """Whether blanks may separate the cells, by the suffix."""
    return suffix_of(path) in WITH_BLANKS


def table_of_rows(
    path: Path,
    all_rows: Callable[[], Iterator[Row]],
    texts: Collection[str],
    *,
    header: bool | None,
    decimal: str,
    line: str,
    form: str,
) -> Table:
    """The table in rows of texts, which can be read several times.

    Parameters
    ----------
    path : Path
    all_rows : callable
        Returns an iterator of all rows.
    texts : collection of str
    header : bool or None
    decimal : str
    line : str
        What the numbers of the rows count: "line" or "row".
    form : str
        How the rows are written.
    """
    all_rows = _without_margin(all_rows)
    start = [cells for _, cells in islice(all_rows(), _SAMPLE)]
    above = _title(start)
    if not start[above:]:
        raise DataError(f"{path}: the file is empty; is it the right one?")
    # Enough rows to see whether there is a square matrix below a header.
    most = above + max(_SAMPLE, len(start[above]) + 2)
    start = [_point(cells, decimal) for _, cells in islice(all_rows(), above, most)]
    half = triangle_of(start)
    if half is not None:
        return _of_triangle(path, list(all_rows())[above:], half, header, decimal, line, form)
    header_rows = _find_header(path, start, texts, header)
    has_names = header_rows is not None
    if header_rows is not None:
        start = [header_rows.names] + start[header_rows.n_rows :]
        above += header_rows.n_rows
    columns, row_names = _columns(start, has_names)
    counted = "the header" if has_names else "the first row"

    def rows() -> Iterator[Row]:
        for number, cells in islice(all_rows(), above, None):
            if len(cells) != len(columns):
                raise DataError(
                    f"{path}, {line} {number}: {len(cells)} cells, but {counted} has "
                    f"{len(columns)}; is a delimiter missing, or a text with one unquoted?"
                )
            yield number, cells

    read, lines = _read_columns(rows(), columns, texts, decimal)
    mixed = {column.name for column in read if column.numbers is None} - set(texts)
    if mixed:  # read again, now that these are known to be texts
        read, lines = _read_columns(rows(), columns, {*texts, *mixed}, decimal)
    spread = tuple(spread_texts(read, texts))
    return Table(str(path), spread, lines, line, has_names, form, row_names)


def _without_margin(all_rows: Callable[[], Iterator[Row]]) -> Callable[[], Iterator[Row]]:
    """The rows without columns at the left that are empty in all of them, as in spreadsheets."""
    width = None
    for _, cells in all_rows():
        n_empty = next((place for place, cell in enumerate(cells) if cell), len(cells))
        width = n_empty if width is None else min(width, n_empty)
        if not width:
            return all_rows
    if not width:
        return all_rows
    margin = width

    def rows() -> Iterator[Row]:
        for number, cells in all_rows():
            yield number, cells[margin:]

    return rows


def _find_header(
    path: Path, start: Sequence[Sequence[str]], texts: Collection[str], header: bool | None
) -> HeaderRows | None:
    """The header of a table; None if it has none.

    Raises
    ------
    DataError
        If the first row may be a header as well as an item.
    """
    if header is False:
        return None
    header_rows = find_header_rows(start)
    if header or header_rows.n_rows > 1:
        return header_rows
    is_header = has_header(start, texts)
    if is_header is not None:
        return header_rows if is_header else None
    shown = ", ".join(start[0][:_SHOWN_CELLS])
    if len(start[0]) > _SHOWN_CELLS:
        shown += ", ..."
    with_header = pasted_name(str(path), {"header": True})
    without_header = pasted_name(str(path), {"header": False})
    raise DataError(
        f"{path}: the first row ({shown}) may have the names of columns or the numbers of an "
        f"item; write {with_header} or {without_header}"
    )


def _of_triangle(
    path: Path,
    rows: list[Row],
    half: str,
    header: bool | None,
    decimal: str,
    line: str,
    form: str,
) -> Table:
    """The table of a triangle of a matrix, whose rows differ in length by one cell."""
    padded, has_names = padded_rows([cells for _, cells in rows], half, header)
    columns, row_names = _columns(padded, has_names)
    body = zip([number for number, _ in rows][has_names:], padded[has_names:], strict=True)
    read, lines = _read_columns(body, columns, (), decimal)
    mixed = {column.name for column in read if column.numbers is None}
    if mixed:
        body = zip([number for number, _ in rows][has_names:], padded[has_names:], strict=True)
        read, lines = _read_columns(body, columns, mixed, decimal)
    return Table(str(path), read, lines, line, has_names, form, row_names)


def _is_first_row_quoted(text: str, rows: list[Row]) -> bool:
    """Whether all cells of the first row are in quotes, and not all of the second one.

    R quotes names of columns and no numbers.
    """
    if len(rows) < 2:
        return False
    lines = text.split("\n", rows[1][0])
    first = lines[rows[0][0] - 1]
    second = lines[rows[1][0] - 1]
    return first.count('"') == 2 * len(rows[0][1]) and second.count('"') < 2 * len(rows[1][1])


def read_encoded(path: Path, encoding: str | None) -> tuple[str, str]:
    """The text of a file, and its encoding."""
    opener = OPEN.get(path.suffix.lower())
    try:
        if opener is None:
            content = path.read_bytes()
        else:
            with opener(path) as stream:
                content = stream.read()
    except (OSError, EOFError, lzma.LZMAError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise DataError.of_file("read", path, error) from error
        raise DataError(f"{path}: the file is damaged: {error}; compress it again") from error
    text, found_encoding = decode_text(path, content, encoding, takes_encoding=True)
    return with_line_feeds(text), found_encoding


def _without_comments(text: str) -> str:
    """The text with blank lines for the comments before the table, which begin with "#".

    The last of them is the header if it has as many delimiters as the line below it.
    """
    lines = text.splitlines(keepends=True)
    first = next((i for i, line in enumerate(lines) if not line.startswith("#")), 0)
    if first:
        above, below = lines[first - 1], lines[first]
        is_header = any(above.count(d) == below.count(d) > 0 for d in _DELIMITERS)
        if is_header:
            first -= 1
            lines[first] = above.lstrip("#").lstrip(" ")
    body = lines[first:]
    comments = _comments_below(body)
    for place in comments:
        body[place] = "\n"
    if comments:
        warnings.warn(
            f"{len(comments)} lines that begin with # are comments (line {first + comments[0] + 1})"
            " and are not read",
            ModelWarning,
            stacklevel=2,
        )
    return "\n" * first + "".join(body)


def _comments_below(lines: Sequence[str]) -> list[int]:
    """The places of lines below a header that begin with "#" and have other cells than it."""
    if not lines:
        return []
    delimiters = [delimiter for delimiter in _DELIMITERS if delimiter in lines[0]]
    places = []
    for place, line in enumerate(lines):
        is_row = any(line.count(delimiter) == lines[0].count(delimiter) for delimiter in delimiters)
        if line.startswith("#") and delimiters and not is_row:
            places.append(place)
    return places


def _delimiter(path: Path, text: str) -> str:
    """The delimiter that gives all of the first lines the same number of cells, at least two.

    Blanks are tried last, and in .txt and .data files only, as names have them, too. Rows with a
    single cell above the others are a title.
    """
    delimiters = list(_DELIMITERS)
    if _may_have_blanks(path):
        delimiters.append(" ")
    for delimiter in delimiters:
        try:
            rows = [cells for _, cells in islice(table_rows(path, delimiter, text), _SAMPLE)]
        except DataError:  # a quote in the middle of a cell, as between other delimiters
            continue
        start = [len(cells) for cells in rows[_title(rows) :]]
        widths = set(start[1:] or start)
        if triangle_of(rows[_title(rows) :]) is not None:
            return delimiter
        # Tables written by R have no name for the column of row names.
        if len(widths) == 1 and min(widths) > 1 and start[0] in (*widths, min(widths) - 1):
            return delimiter
    lines = [line for line in text.splitlines()[:_SAMPLE] if line.strip()]
    has_tabs = sum("\t" in line for line in lines) > len(lines) / 2
    # Rows of several lengths, which are refused with the line.
    return "\t" if has_tabs or ".tsv" in path.suffixes else ","


def _title(rows: Sequence[Sequence[str]]) -> int:
    """How many rows stand above the header as a title: they have one cell, the header more.

    Below a header are numbers, while in a column of texts some may have delimiters.
    """
    filled = [[cell for cell in cells if cell] for cells in rows]
    first = next((i for i, cells in enumerate(filled) if len(cells) > 1), 0)
    below = filled[first + 1 : first + 2]
    has_header = first and not any(map(looks_numeric, filled[first]))
    return first if has_header and below and any(map(looks_numeric, below[0])) else 0


def _decimal_mark(path: Path, rows: Sequence[Sequence[str]], delimiter: str) -> str:
    """The decimal mark of the numbers in the first rows.

    Raises
    ------
    DataError
        If the numbers can be read with either mark.
    """
    if delimiter == ",":
        return "."
    cells = [cell for row in rows for cell in row]
    commas = [cell for cell in cells if DECIMAL_COMMA.fullmatch(cell)]
    grouped = [cell for cell in cells if _THOUSANDS_BY_POINTS.fullmatch(cell)]
    if any(_has_decimal_point(cell) for cell in cells):
        return "."
    # 1.234,5 can be read in one way only, and 1.234 beside 0,5 as well.
    if grouped and (commas or any("," in cell for cell in grouped)):
        _tell_thousands(path, grouped[0])
        return ","
    # Programs write semicolons where decimals have a comma, but pandas can write them, too.
    if grouped and delimiter == ";":
        raise _ambiguous(path, grouped[0], "point", (".", ","))
    if not commas:
        return "."
    if all(map(_THOUSANDS.fullmatch, commas)):
        raise _ambiguous(path, commas[0], "comma", (",",))
    return ","


def _has_decimal_point(cell: str) -> bool:
    """Whether a cell is a number with a point that does not separate thousands."""
    return "." in cell and looks_numeric(cell) and not _THOUSANDS_BY_POINTS.fullmatch(cell)


def _tell_thousands(path: Path, cell: str) -> None:
    """Note that points are left out of numbers."""
    warnings.warn(
        f"{path}: points separate thousands, as decimals have a comma: {cell} is "
        f"{cell.replace('.', '').replace(',', '.')}",
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


def _point(cells: Sequence[str], decimal: str) -> list[str]:
    """Cells with a decimal point, and without separators of thousands beside a decimal comma."""
    if decimal == ".":
        return list(cells)
    converted = []
    for cell in cells:
        if "." in cell and _THOUSANDS_BY_POINTS.fullmatch(cell):
            cell = cell.replace(".", "")
        converted.append(cell.replace(decimal, "."))
    return converted


def _columns(start: Sequence[Sequence[str]], has_header: bool) -> tuple[list[str], str | None]:
    """The names of the columns, and which of them has the names of the rows, if any.

    The columns are named 1, 2, ... where there is no header. The first column has the names of the
    rows if it has none, as pandas and R write them.
    """
    names = list(start[0]) if has_header else [""] * len(start[0])
    if not has_header:
        return [str(i) for i in range(1, len(names) + 1)], None
    if len(start) > 1 and len(start[1]) == len(names) + 1:
        names = ["", *names]  # as R writes row names
    without_name = names[0] == "" or names[0] == "Unnamed: 0"
    # An index of several levels, of which none alone names the rows.
    is_second_unnamed = len(names) > 1 and names[1] == ""
    for position, name in enumerate(names):
        if name == "":
            candidates = (str(position + 1), f"Unnamed: {position}", f"Unnamed: {position}.1")
            names[position] = next(word for word in candidates if word not in names)
    is_alone = len(names) == 1
    if is_alone or not without_name or is_second_unnamed:
        return names, None
    return names, names[0]


def _read_columns(
    lines: Iterator[Row], columns: Sequence[str], texts: Collection[str], decimal: str
) -> tuple[tuple[Column, ...], NDArray[np.int64]]:
    """Read the rows; a column with a text that ``texts`` does not name has neither part."""
    numbers: dict[str, list[NDArray[np.float64]] | None] = {
        name: [] for name in columns if name not in texts
    }
    cells: dict[str, list[str]] = {name: [] for name in columns if name in texts}
    # Whether all cells so far are written like 2E10.
    have_codes = dict.fromkeys(numbers, True)
    places: list[int] = []
    while block := list(islice(lines, _BLOCK)):
        places += [line for line, _ in block]
        for name, column in zip(columns, zip(*(row for _, row in block), strict=True), strict=True):
            if name in cells:
                cells[name].extend(column)
            elif (parts := numbers[name]) is not None:
                values = _numbers(_point(column, decimal))
                numbers[name] = None if values is None else [*parts, values]
                have_codes[name] = have_codes[name] and are_codes(column)

    def made(name: str) -> Column:
        if name in cells:
            return Column(name, None, cells[name])
        parts = numbers[name]
        if parts is None or (have_codes[name] and places):
            return Column(name)
        return Column(name, np.concatenate([np.empty(0), *parts]))

    return tuple(map(made, columns)), np.array(places, dtype=np.int64)


def _numbers(cells: Sequence[str]) -> NDArray[np.float64] | None:
    """Cells as numbers, missing ones as NaN; None if one is a text."""
    are_missing = [cell.lower() in MISSING for cell in cells]
    present = cells
    if any(are_missing):
        pairs = zip(cells, are_missing, strict=True)
        present = [cell for cell, is_missing in pairs if not is_missing]
    numbers = read_numbers(present)
    if numbers is None:
        return None
    values = np.full(len(cells), np.nan)
    values[~np.array(are_missing, dtype=bool)] = numbers
    return values
