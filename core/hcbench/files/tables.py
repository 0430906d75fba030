"""Text, tables, arrays and items from files, with errors of one line that name the file."""

from __future__ import annotations

import csv
import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench.errors import DataError
from hcbench.files.encodings import decode_text, with_line_feeds
from hcbench.model.numbers import read_number, read_whole_number
from hcbench.model.regular_files import check_regular, read_regular

TABLES: dict[str, str] = {".csv": ",", ".tsv": "\t"}
"""File name extensions of tables, and their delimiters."""

#: What numpy raises for a damaged .npy or .npz file, depending on where the damage is.
_DAMAGE = (
    ValueError,
    TypeError,
    LookupError,
    ArithmeticError,
    RuntimeError,
    MemoryError,
    EOFError,
    SyntaxError,
    TokenError,
    zipfile.BadZipFile,
    struct.error,
    zlib.error,
)

#: Within quotes a comma separates no cells.
_IN_QUOTES = re.compile(r'"[^"]*"')
_SAMPLE = 50  # lines from which the delimiter is found

DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?", re.ASCII)
"""A number with a decimal comma."""

MAX_DECOMPRESSED = 2 << 30
"""Bytes that a compressed file may become, as a few MB of zeros would fill the memory."""


def read_text(path: Path) -> str:
    """The text of a file, see `decode_text`.

    Raises
    ------
    DataError
        If it cannot be read, or is no text.
    """
    try:
        content = read_regular(path)
    except OSError as error:
        raise DataError.of_file("read", path, error) from error
    return decode_text(path, content)[0]


def read_arrays(path: str | Path) -> dict[str, NDArray[Any]]:
    """The arrays of an .npz or .npy file.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    dict of name to array
        The one array of an .npy file has the name "".

    Raises
    ------
    DataError
        If it cannot be read, holds Python objects, which could run code, or is more than 2 GiB
        when decompressed.

    Examples
    --------
    >>> np.savez("data.npz", vectors=[[0.0, 1.0], [2.0, 3.0]], labels=[0, 1])
    >>> arrays = read_arrays("data.npz")
    >>> sorted(arrays)
    ['labels', 'vectors']
    >>> arrays["labels"].tolist()
    [0, 1]
    """
    path = Path(path)
    name = ""
    arrays: dict[str, Any] = {}
    check_regular(path)
    try:
        # Opened here because numpy leaves the file of a broken archive open.
        with path.open("rb") as stream:
            loaded = np.load(stream, allow_pickle=False)
            if isinstance(loaded, np.ndarray):
                return {"": loaded}
            if _decompressed_bytes(loaded.zip) > MAX_DECOMPRESSED:
                raise DataError(
                    f"{path}: more than {MAX_DECOMPRESSED >> 30} GiB when decompressed; "
                    "save it with numpy.savez, which compresses nothing"
                )
            for name in loaded.files:
                arrays[name] = loaded[name]
    except DataError:
        raise
    except OSError as error:
        raise DataError.of_file("read", path, error) from error
    except _DAMAGE as error:
        where = f"{path}, {name}" if name else str(path)
        raise DataError(f"{where}: {_fault_of_array(error)}") from error
    return {name: array for name, array in arrays.items() if isinstance(array, np.ndarray)}


def _decompressed_bytes(archive: zipfile.ZipFile) -> int:
    """What the compressed files of an archive say that they become."""
    n_bytes = 0
    for member in archive.infolist():
        if member.compress_type != zipfile.ZIP_STORED:
            n_bytes += member.file_size
    return n_bytes


def _fault_of_array(error: Exception) -> str:
    """What is wrong with an array, and how to save it."""
    if "allow_pickle" in str(error):
        return (
            "it is no array of numbers or text (Python objects are not loaded, as they could run "
            "code); save it with numpy.save and dtype=float or dtype=str"
        )
    if isinstance(error, EOFError):
        return "the file is empty; is it the right one?"
    lines = str(error).splitlines()
    reason = lines[0] if lines else type(error).__name__
    return f"{reason}; save it again with numpy.save or numpy.savez"


def read_npy(path: str | Path) -> NDArray[Any]:
    """The array of an .npy file.

    Raises
    ------
    DataError
        As `read_arrays`; if it is an archive of arrays.

    Examples
    --------
    >>> np.save("vectors.npy", [[0.0, 1.0], [2.0, 3.0]])
    >>> read_npy("vectors.npy").tolist()
    [[0.0, 1.0], [2.0, 3.0]]
    """
    path = Path(path)
    arrays = read_arrays(path)
    if "" not in arrays:
        raise DataError(f"{path} is an archive of arrays; save one array with numpy.save")
    return arrays[""]


def delimiter_of(path: Path, text: str) -> str:
    """The delimiter of a table: that of the ending, or a semicolon or tab that all rows have.

    Spreadsheets write semicolons into a .csv file where numbers have a decimal comma.
    """
    usual = TABLES.get(path.suffix.lower(), ",")
    rows = []
    for line in text.splitlines()[:_SAMPLE]:
        row = _IN_QUOTES.sub("", line).strip(" ")
        if row and not row.startswith("#"):
            rows.append(row)
    for delimiter in (";", "\t"):
        if _is_delimiter(delimiter, usual, rows):
            return delimiter
    # numpy.savetxt separates numbers by blanks, and names no suffix.
    if path.suffix.lower() not in TABLES and not any(usual in row for row in rows):
        return " "
    return usual


def _is_delimiter(delimiter: str, usual: str, rows: Sequence[str]) -> bool:
    """Whether a delimiter makes a table of rows, in which the usual one is a decimal comma."""
    table = [row.split(delimiter) for row in rows]
    if not table:
        return False
    # A header of R has no cell for the column of row names, so it may be shorter than the rows.
    widths = {len(cells) for cells in table[1:] or table}
    width = max(widths)
    if len(widths) != 1 or width == 1 or len(table[0]) not in (width, width - 1):
        return False
    for cells in table:
        for cell in cells:
            if usual in cell and not DECIMAL_COMMA.fullmatch(cell.strip()):
                return False
    return True


def table_rows(
    path: Path, delimiter: str | None = None, text: str | None = None
) -> Iterator[tuple[int, list[str]]]:
    r"""Rows of delimited text (quotes as in RFC 4180), each with the number of its line.

    Parameters
    ----------
    path : Path
    delimiter : str, optional
        By default that of `delimiter_of`.
    text : str, optional
        By default that of the file.

    Yields
    ------
    line : int
        From 1.
    cells : list of str
        Stripped. Blank lines are omitted, and rows of empty cells at the end of the file.

    Raises
    ------
    DataError
        If it cannot be read.

    Examples
    --------
    >>> from pathlib import Path
    >>> text = 'word;count\ncat;3\n\n"dog; puppy";5\n'
    >>> list(table_rows(Path("words.csv"), delimiter=";", text=text))
    [(1, ['word', 'count']), (2, ['cat', '3']), (4, ['dog; puppy', '5'])]
    """
    content = with_line_feeds(read_text(path) if text is None else text)
    reader = csv.reader(
        io.StringIO(content, newline=""),
        delimiter=delimiter or delimiter_of(path, content),
        strict=True,
        skipinitialspace=True,
    )
    # Rows of empty cells, until a row follows: at the end of the file they are no rows.
    empty: list[tuple[int, list[str]]] = []
    # Where the next row begins: cells in quotes may have several lines.
    line = 1
    try:
        for raw in reader:
            cells = [cell.strip() for cell in raw]
            if any(cells):
                yield from empty
                empty.clear()
                yield line, cells
            elif len(cells) > 1:
                empty.append((line, cells))
            line = reader.line_num + 1
    except csv.Error as error:
        raise DataError(f"{path}, line {line}: {error}; are the quotes closed?") from error


def read_rows(path: str | Path, text: str | None = None) -> list[tuple[int, list[str]]]:
    r"""All rows of a .csv or .tsv file, see `table_rows`; ``text`` is its content if it is known.

    A header of R's write.table, which has no cell for the column of row names, gets an empty one.

    Raises
    ------
    DataError
        If it cannot be read, is empty, or its rows differ in length.

    Examples
    --------
    >>> from pathlib import Path
    >>> _ = Path("words.csv").write_text("word,count\ncat,3\n\ndog,5\n")
    >>> read_rows("words.csv")
    [(1, ['word', 'count']), (2, ['cat', '3']), (4, ['dog', '5'])]
    """
    path = Path(path)
    rows = list(table_rows(path, text=text))
    if not rows:
        raise DataError(f"{path}: the file is empty; is it the right one?")
    line, first = rows[0]
    width = len(first)
    if len(rows) > 1 and all(len(cells) == width + 1 for _, cells in rows[1:]):
        rows[0] = (line, [""] + first)
        width += 1
    for line, cells in rows:
        if len(cells) != width:
            raise DataError(
                f"{path}, line {line}: {len(cells)} cells, but the first row has {width}; "
                "put quotes around a text with a delimiter in it"
            )
    return rows


def is_number(cell: str) -> bool:
    """Whether a cell is written as a number, see `read_number`.

    Examples
    --------
    >>> is_number("-1.5e3")
    True
    >>> is_number("1,5")
    False
    """
    return read_number(cell) is not None


#: The first row of a table is a header if it has one of these, in any case, or its plural.
HEADERS = frozenset(
    ("item", "name", "text", "word", "title", "label", "path", "file", "url", "image", "picture")
)


@dataclass(frozen=True, slots=True)
class Items:
    r"""The items of a file, all different, in its order; header is "" if the file has none.

    Examples
    --------
    >>> from pathlib import Path
    >>> _ = Path("words.csv").write_text("word,count\ncat,3\ndog,5\n")
    >>> items = hcbench.files.read_items("words.csv", column="word")
    >>> items.texts
    ('cat', 'dog')
    >>> items.header
    'word'
    """

    texts: tuple[str, ...]
    header: str = ""


def read_items(path: str | Path, column: str | None = None) -> Items:
    r"""Read the items of a .csv, .tsv or .txt file.

    A .txt file has one item per line. In a table the items are in the only column, or in the one
    that is named, by its header or its number from 1. The first row is a header if it has the name
    of the column, or one of `HEADERS` where the items are.

    Parameters
    ----------
    path : str or Path
    column : str, optional
        Of a table: the header or the number of the column that has the items.

    Returns
    -------
    Items
        ``texts``, a tuple of str, and the ``header``.

    Raises
    ------
    DataError
        If there is no such file or column, fewer than two items, or the same item twice.

    Examples
    --------
    >>> from pathlib import Path
    >>> _ = Path("words.txt").write_text("cat\ndog\n")
    >>> read_items("words.txt").texts
    ('cat', 'dog')
    >>> _ = Path("words.csv").write_text("word,count\ncat,3\ndog,5\n")
    >>> read_items("words.csv", column="word")
    Items(texts=('cat', 'dog'), header='word')
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix in TABLES:
        header, cells = _column(path, read_rows(path), column)
    elif suffix != ".txt":
        raise DataError(f"{path}: items are read from .csv, .tsv and .txt files")
    elif column is not None:
        raise DataError(
            f"{path}: a .txt file has one item per line and no columns: leave out column"
        )
    else:
        header = ""
        cells = []
        for number, line in enumerate(read_text(path).splitlines(), start=1):
            if line.strip():
                cells.append((number, line.strip()))
    return Items(_distinct(path, cells), header)


def _column(
    path: Path, rows: list[tuple[int, list[str]]], column: str | None
) -> tuple[str, list[tuple[int, str]]]:
    """The header of the column with the items, "" without one, and its cells with their lines."""
    first = rows[0][1]
    at = _position(path, first, column)
    header = ""
    if first[at] == column or first[at].casefold().removesuffix("s") in HEADERS:
        header = first[at]
        rows = rows[1:]
    items = []
    for line, cells in rows:
        if not cells[at]:
            raise DataError(f"{path}, line {line}: there is no item; drop the row")
        items.append((line, cells[at]))
    return header, items


def _position(path: Path, first: list[str], column: str | None) -> int:
    if column is None and len(first) == 1:
        return 0
    listed = ", ".join(first[:12])
    if column is None:
        raise DataError(
            f"{path} has {len(first)} columns ({listed}); say which has the items: --column "
            f"{first[0]!r}, or --column 1"
        )
    if column in first:
        return first.index(column)
    number = read_whole_number(column)
    if number is not None and 1 <= number <= len(first):
        return number - 1
    raise DataError(f"{path}: there is no column {column!r}; there are {listed}")


def _distinct(path: Path, cells: list[tuple[int, str]]) -> tuple[str, ...]:
    if len(cells) < 2:
        number = "no items"
        if cells:
            number = f"one item only, {cells[0][1]!r}"
        raise DataError(f"{path} has {number}; at least 2 are needed")
    lines: dict[str, int] = {}
    for line, text in cells:
        if text in lines:
            raise DataError(
                f"{path}: lines {lines[text]} and {line} are both {text!r}; change or drop one"
            )
        lines[text] = line
    return tuple(lines)
